//===- EntryPoints.cpp - The functions of a static runtime ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the symbol table from the file on disk, since it is not loaded.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/EntryPoints.h"
#include "StaticRuntime/System.h"

#include <elf.h>

using namespace heddle::cuda;

/// Names that no program has by chance, together with private ones.
static constexpr const char *Markers[] = {
    "__cudaRegisterFatBinary", "__cudaUnregisterFatBinary",
    "cudaGetErrorString", "cudaRuntimeGetVersion"};
/// Private names are this and a hash. The runtime has more than 3,000.
static constexpr char PrivatePrefix[] = "libcudart_static_";
static constexpr unsigned LeastPrivateNames = 16;

namespace {

/// A table of symbols whose names all end within Strings.
struct SymbolTable {
  const Elf64_Sym *First = nullptr;
  uint64_t Count = 0;
  const char *Strings = nullptr;
  uint64_t StringsSize = 0;

  const char *nameOf(const Elf64_Sym &S) const {
    return S.st_name < StringsSize ? Strings + S.st_name : "";
  }
};

struct File {
  const unsigned char *Data;
  uint64_t Size;

  /// Count objects at an offset; null if not all are in the file.
  template <typename T> const T *at(uint64_t Offset, uint64_t Count) const {
    if (Offset % alignof(T) || Offset > Size ||
        Count > (Size - Offset) / sizeof(T))
      return nullptr;
    return reinterpret_cast<const T *>(Data + Offset);
  }
  SymbolTable symbols(uint32_t Type) const;
};

} // namespace

SymbolTable File::symbols(uint32_t Type) const {
  auto *Header = at<Elf64_Ehdr>(0, 1);
  if (!Header || Header->e_ident[EI_MAG0] != ELFMAG0 ||
      Header->e_ident[EI_MAG1] != ELFMAG1 ||
      Header->e_ident[EI_CLASS] != ELFCLASS64 ||
      Header->e_shentsize != sizeof(Elf64_Shdr))
    return {};
  auto *Sections = at<Elf64_Shdr>(Header->e_shoff, Header->e_shnum);
  for (unsigned I = 0; Sections && I < Header->e_shnum; ++I) {
    const Elf64_Shdr &S = Sections[I];
    if (S.sh_type != Type || S.sh_link >= Header->e_shnum)
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

bool EntryPoints::has(const char *Name) const {
  for (unsigned I = 0; I < Count; ++I)
    if (areEqual(List[I].Name, Name))
      return true;
  return false;
}

/// How far the next symbol is, or the end of what the alignment of functions
/// leaves to a short one.
static uint64_t roomOf(const SymbolTable &Table, const Elf64_Sym &Function) {
  constexpr uint64_t Alignment = 16;
  uint64_t Start = Function.st_value, Size = Function.st_size;
  if (Size >= Alignment || Start % Alignment)
    return Size;
  uint64_t Room = Alignment;
  for (uint64_t I = 0; I < Table.Count; ++I) {
    const Elf64_Sym &S = Table.First[I];
    if (S.st_shndx == Function.st_shndx && S.st_value > Start &&
        S.st_value - Start < Room && ELF64_ST_TYPE(S.st_info) <= STT_FUNC)
      Room = S.st_value - Start;
  }
  return Room < Size ? Size : Room;
}

EntryPoints heddle::cuda::findEntryPoints(const unsigned char *Data,
                                          uint64_t Size) {
  EntryPoints Found;
  SymbolTable Table = File{Data, Size}.symbols(SHT_SYMTAB);
  unsigned PrivateNames = 0;
  for (uint64_t I = 0; I < Table.Count; ++I) {
    const Elf64_Sym &S = Table.First[I];
    const char *Name = Table.nameOf(S);
    if (S.st_shndx == SHN_UNDEF || S.st_shndx >= SHN_LORESERVE)
      continue;
    PrivateNames += startsWith(Name, PrivatePrefix);
    bool IsInterface = startsWith(Name, "cuda") || startsWith(Name, "__cuda");
    if (!IsInterface || ELF64_ST_TYPE(S.st_info) != STT_FUNC || !S.st_value ||
        Found.Count == EntryPoints::Most)
      continue;
    Found.List[Found.Count++] = {Name, S.st_value, roomOf(Table, S)};
  }
  bool IsRuntime = PrivateNames >= LeastPrivateNames;
  for (const char *Marker : Markers)
    IsRuntime = IsRuntime && Found.has(Marker);
  if (!IsRuntime)
    Found.Count = 0;
  return Found;
}
