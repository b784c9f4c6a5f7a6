//===- ElfFile.h - The parts of an ELF file ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a file says of itself may be wrong: nothing outside its bytes is read.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_ELFFILE_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_ELFFILE_H

#include <cstdint>
#include <elf.h>
#include <sys/mman.h>

namespace heddle::cuda {

/// A table of symbols.
struct SymbolTable {
  const Elf64_Sym *First = nullptr;
  uint64_t Count = 0;
  const char *Strings = nullptr; ///< Ends with a zero.
  uint64_t StringsSize = 0;

  const char *nameOf(const Elf64_Sym &Symbol) const {
    return Symbol.st_name < StringsSize ? Strings + Symbol.st_name : "";
  }
};

/// What mprotect takes for the memory of a segment.
inline int protectionOf(const Elf64_Phdr &Segment) {
  return (Segment.p_flags & PF_R ? PROT_READ : 0) |
         (Segment.p_flags & PF_W ? PROT_WRITE : 0) |
         (Segment.p_flags & PF_X ? PROT_EXEC : 0);
}

/// A file of 64 bits as it is on disk.
struct ElfFile {
  const unsigned char *Data;
  uint64_t Size;

  /// Count objects at an offset; null if not all are in the file.
  template <typename T> const T *at(uint64_t Offset, uint64_t Count = 1) const {
    if (Offset % alignof(T) || Offset > Size ||
        Count > (Size - Offset) / sizeof(T))
      return nullptr;
    return reinterpret_cast<const T *>(Data + Offset);
  }
  /// The first segment of a type for which the predicate holds, or null.
  template <typename Predicate>
  const Elf64_Phdr *findSegment(uint32_t Type, Predicate Holds) const {
    auto *Header = header();
    if (!Header || Header->e_phentsize != sizeof(Elf64_Phdr))
      return nullptr;
    auto *Segments = at<Elf64_Phdr>(Header->e_phoff, Header->e_phnum);
    for (unsigned I = 0; Segments && I < Header->e_phnum; ++I)
      if (Segments[I].p_type == Type && Holds(Segments[I]))
        return &Segments[I];
    return nullptr;
  }
  /// The segment that is loaded from the file to an address, or null.
  const Elf64_Phdr *segmentAt(uint64_t Address) const;
  /// The file's header; null if this is no such file.
  const Elf64_Ehdr *header() const;
  /// How many bytes of a section are at an address and behind it; 0 if the
  /// address is not in the section.
  uint64_t leftInSection(unsigned Section, uint64_t Address) const;
  /// The symbols of a section of a type; none if there is no such section, or
  /// it is damaged.
  SymbolTable symbols(uint32_t SectionType) const;

private:
  /// All section headers; null if they are not in the file.
  const Elf64_Shdr *sections() const;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_ELFFILE_H
