//===- ElfFile.cpp - The parts of an ELF file -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds headers, segments and tables of symbols by the ELF specification.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/ElfFile.h"

using namespace heddle::cuda;

const Elf64_Ehdr *ElfFile::header() const {
  auto *Header = at<Elf64_Ehdr>(0);
  if (!Header || Header->e_ident[EI_MAG0] != ELFMAG0 ||
      Header->e_ident[EI_MAG1] != ELFMAG1 ||
      Header->e_ident[EI_MAG2] != ELFMAG2 ||
      Header->e_ident[EI_MAG3] != ELFMAG3 ||
      Header->e_ident[EI_CLASS] != ELFCLASS64)
    return nullptr;
  return Header;
}

const Elf64_Phdr *ElfFile::segmentAt(uint64_t Address) const {
  return findSegment(PT_LOAD, [Address](const Elf64_Phdr &S) {
    return Address >= S.p_vaddr && Address - S.p_vaddr < S.p_filesz;
  });
}

const Elf64_Shdr *ElfFile::sections() const {
  auto *Header = header();
  return Header && Header->e_shentsize == sizeof(Elf64_Shdr)
             ? at<Elf64_Shdr>(Header->e_shoff, Header->e_shnum)
             : nullptr;
}

uint64_t ElfFile::leftInSection(unsigned Section, uint64_t Address) const {
  const Elf64_Shdr *Sections = sections();
  if (!Sections || Section >= header()->e_shnum)
    return 0;
  uint64_t Offset = Address - Sections[Section].sh_addr;
  return Offset < Sections[Section].sh_size ? Sections[Section].sh_size - Offset
                                            : 0;
}

SymbolTable ElfFile::symbols(uint32_t SectionType) const {
  auto *Header = header();
  const Elf64_Shdr *Sections = sections();
  for (unsigned I = 0; Sections && I < Header->e_shnum; ++I) {
    const Elf64_Shdr &S = Sections[I];
    if (S.sh_type != SectionType || S.sh_link >= Header->e_shnum)
      continue;
    const Elf64_Shdr &Names = Sections[S.sh_link];
    uint64_t Count = S.sh_size / sizeof(Elf64_Sym);
    auto *First = at<Elf64_Sym>(S.sh_offset, Count);
    auto *Strings = at<char>(Names.sh_offset, Names.sh_size);
    if (First && Strings && Names.sh_size && !Strings[Names.sh_size - 1])
      return {First, Count, Strings, Names.sh_size};
  }
  return {};
}
