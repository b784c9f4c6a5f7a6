//===- EntryPoints.cpp - The functions of a static runtime ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the symbol table from the file on disk, since it is not loaded, and
// where there is none the code of the functions.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/EntryPoints.h"
#include "StaticRuntime/ElfFile.h"
#include "StaticRuntime/Signatures.h"
#include "StaticRuntime/System.h"

using namespace heddle::cuda;

/// Names that no program has by chance, together with private ones.
static constexpr const char *Markers[] = {
    "__cudaRegisterFatBinary", "__cudaUnregisterFatBinary",
    "cudaGetErrorString", "cudaRuntimeGetVersion"};
/// Private names are one of the first two and a hash or a number. In 11.0 they
/// are those of C++, in a namespace of the runtime's. It has more than 1,000.
static constexpr const char *PrivatePrefixes[] = {"libcudart_static_",
                                                  "__cudart", "_ZN6cudart"};
static constexpr unsigned LeastPrivateNames = 16;

bool EntryPoints::has(const char *Name) const {
  for (unsigned I = 0; I < Count; ++I)
    if (areEqual(List[I].Name, Name))
      return true;
  return false;
}

/// How far the next symbol is, or the end of what the alignment of functions
/// leaves to a short one, but for the last of a section.
static uint64_t roomOf(const ElfFile &File, const SymbolTable &Table,
                       const Elf64_Sym &Function) {
  constexpr uint64_t Alignment = 16;
  uint64_t Start = Function.st_value, Size = Function.st_size;
  if (Size >= Alignment || Start % Alignment)
    return Size;
  uint64_t Room = File.leftInSection(Function.st_shndx, Start);
  if (Room > Alignment)
    Room = Alignment;
  for (uint64_t I = 0; I < Table.Count; ++I) {
    const Elf64_Sym &S = Table.First[I];
    if (S.st_shndx == Function.st_shndx && S.st_value > Start &&
        S.st_value - Start < Room && ELF64_ST_TYPE(S.st_info) <= STT_FUNC)
      Room = S.st_value - Start;
  }
  return Room < Size ? Size : Room;
}

/// Whether a name is one of the interface. CUDA 11's private names begin so too
/// and go on with a number.
static bool isOfInterface(const char *Name) {
  return startsWith(Name, "cuda") ||
         (startsWith(Name, "__cuda") && !startsWith(Name, "__cudart"));
}

static bool isPrivate(const char *Name) {
  for (const char *Prefix : PrivatePrefixes)
    if (startsWith(Name, Prefix))
      return true;
  return false;
}

/// NVIDIA's shared runtime exports the interface alone, and a name for its
/// version. Programs load it by a path of their own.
static constexpr char SharedName[] = "libcudart.so.";

static EntryPoints findBySymbols(const ElfFile &File, uint32_t SectionType) {
  SymbolTable Table = File.symbols(SectionType);
  EntryPoints Found;
  unsigned PrivateNames = 0;
  bool IsShared = false;
  for (uint64_t I = 0; I < Table.Count; ++I) {
    const Elf64_Sym &S = Table.First[I];
    const char *Name = Table.nameOf(S);
    IsShared |= S.st_shndx == SHN_ABS && startsWith(Name, SharedName);
    if (S.st_shndx == SHN_UNDEF || S.st_shndx >= SHN_LORESERVE)
      continue;
    PrivateNames += isPrivate(Name);
    if (!isOfInterface(Name) || ELF64_ST_TYPE(S.st_info) != STT_FUNC ||
        !S.st_value || Found.Count == EntryPoints::Most)
      continue;
    Found.List[Found.Count++] = {Name, S.st_value, roomOf(File, Table, S)};
  }
  bool IsRuntime = IsShared || PrivateNames >= LeastPrivateNames;
  for (const char *Marker : Markers)
    IsRuntime = IsRuntime && Found.has(Marker);
  if (!IsRuntime)
    Found.Count = 0;
  return Found;
}

EntryPoints heddle::cuda::findEntryPoints(const unsigned char *Data,
                                          uint64_t Size) {
  ElfFile File{Data, Size};
  constexpr uint32_t Types[] = {SHT_SYMTAB, SHT_DYNSYM};
  for (uint32_t Type : Types) {
    EntryPoints Found = findBySymbols(File, Type);
    if (Found.Count)
      return Found;
  }
  return findBySignature(File);
}

unsigned heddle::cuda::majorVersion(const EntryPoints &Found) {
  // The table of CUDA 12 has names that 13's does not have, and the runtime of
  // each version defines all of its own. Until CUDA 11 there are
  // texture references.
  if (Found.has("cudaBindTexture"))
    return Found.has("cudaCtxResetPersistingL2Cache") ? 11 : 10;
  return Found.has("cudaThreadSynchronize") ? 12 : 13;
}
