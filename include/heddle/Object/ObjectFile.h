//===- ObjectFile.h - Reader of code objects --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a code object that nothing is known of. ObjectFile::create checks every
// offset, size, index, string and relocation before it returns, so that whoever
// uses the result need not; an error says what is wrong and where.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_OBJECTFILE_H
#define HEDDLE_OBJECT_OBJECTFILE_H

#include "heddle/Object/Format.h"
#include "heddle/Object/Metadata.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// What a section is loaded as.
enum class LoadKind : uint8_t {
  Text,     ///< `.text*`: instructions.
  Global,   ///< `.data*`, `.rodata*`, `.bss*`: global memory.
  Constant, ///< `.const*`: constant bank 3.
  Shared,   ///< `.shared*`: shared memory; has a size and no contents.
  Debug,    ///< `.debug_*`: DWARF; not loaded.
  Other,    ///< Not loaded: symbol tables, notes, comments, bitcode.
};

struct Section {
  llvm::StringRef Name;
  LoadKind Kind = LoadKind::Other;
  uint32_t Type = 0;  ///< ELF's sh_type.
  uint64_t Flags = 0; ///< ELF's sh_flags.
  uint64_t Size = 0;  ///< In bytes, in memory.
  uint64_t Align = 1; ///< In bytes, a power of two.
  /// ELF's sh_addr: where the debug information has it, nothing else.
  uint64_t Address = 0;
  /// What the file holds; empty for a section of zeros (SHT_NOBITS).
  llvm::ArrayRef<uint8_t> Contents;
};

struct Symbol {
  enum class BindingKind : uint8_t { Local, Global, Weak };
  enum class TypeKind : uint8_t { None, Object, Function, Section, File };

  llvm::StringRef Name; ///< A section's symbol has the section's name.
  BindingKind Binding = BindingKind::Local;
  TypeKind Type = TypeKind::None;
  /// Index of the section that defines it; none if it is undefined or absolute.
  std::optional<uint32_t> Section;
  bool IsAbsolute = false; ///< Value is the symbol's value itself.
  uint64_t Value = 0;      ///< Offset in the section, in bytes.
  uint64_t Size = 0;       ///< In bytes.

  bool isUndefined() const { return !Section && !IsAbsolute; }
};

struct Relocation {
  RelocationType Type = RelocationType::R_HEDDLE_NONE;
  uint64_t Offset = 0; ///< In the section, in bytes.
  uint32_t Symbol = 0; ///< Index; 0 is the empty symbol, of value 0.
  int64_t Addend = 0;
};

/// A kernel: its metadata and where its code starts.
struct Kernel {
  const KernelMetadata *Metadata = nullptr;
  uint32_t Section = 0; ///< Index of `.text.<name>`.
  uint32_t Symbol = 0;  ///< Index of the kernel's symbol, which is a function.
};

/// A code object. It refers to the bytes it was made from, which must outlive
/// it.
class ObjectFile {
public:
  ObjectFile(ObjectFile &&) = default;
  ObjectFile &operator=(ObjectFile &&) = default;

  static llvm::Expected<ObjectFile> create(llvm::ArrayRef<uint8_t> Bytes);

  /// All sections by ELF's index; the first is the empty one.
  llvm::ArrayRef<Section> sections() const { return Sections; }
  /// All symbols by ELF's index; the first is the empty one.
  llvm::ArrayRef<Symbol> symbols() const { return Symbols; }
  /// The relocations of a section, in the file's order.
  llvm::ArrayRef<Relocation> relocations(uint32_t SectionIndex) const {
    return Relocations[SectionIndex];
  }
  const ModuleMetadata &metadata() const { return Metadata; }
  /// All kernels, in the order of the metadata.
  llvm::ArrayRef<Kernel> kernels() const { return Kernels; }

  /// The index of the section with this name; none if there is none. The first
  /// one, if there are several.
  std::optional<uint32_t> findSection(llvm::StringRef Name) const;
  /// The kernel with this name; null if there is none.
  const Kernel *findKernel(llvm::StringRef Name) const;

  /// What an undefined symbol of a relocation stands for; none if it is
  /// unknown, which makes the relocation an error.
  using SymbolResolver = llvm::function_ref<std::optional<uint64_t>(
      const Symbol &, const Relocation &)>;

  /// Relocates \p Bytes, a copy of the contents of section \p SectionIndex.
  /// \p Addresses holds, by section index, where each section was loaded: an
  /// address in global memory, an offset in the constant bank, or an offset in
  /// shared memory. \p Elsewhere, unless empty, holds by symbol index where a
  /// symbol is instead of in its section, but for relocations to the place of
  /// an instruction: those stay within the code. A value that does not fit its
  /// field is an error.
  llvm::Error
  relocate(uint32_t SectionIndex, llvm::ArrayRef<uint64_t> Addresses,
           llvm::MutableArrayRef<uint8_t> Bytes, SymbolResolver Resolve,
           llvm::ArrayRef<std::optional<uint64_t>> Elsewhere = {}) const;

  /// The sections of functions whose address code or data holds, so that they
  /// may be called where no instruction names them; in ascending order.
  std::vector<uint32_t> addressTakenFunctions() const;

  /// Whether a kernel without a limit of its threads or registers has more than
  /// \p Most registers.
  bool hasMoreRegisters(uint32_t Most) const;

private:
  friend class ObjectReader;
  ObjectFile() = default;

  std::vector<Section> Sections;
  std::vector<Symbol> Symbols;
  std::vector<std::vector<Relocation>> Relocations; ///< By section.
  ModuleMetadata Metadata;
  std::vector<Kernel> Kernels;
};

/// The name in Relocations.def; empty for an unknown type.
llvm::StringRef relocationName(RelocationType Type);

} // namespace heddle

#endif // HEDDLE_OBJECT_OBJECTFILE_H
