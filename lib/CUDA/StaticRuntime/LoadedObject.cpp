//===- LoadedObject.cpp - Objects that ld.so has mapped ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The GNU hash table has the exported symbols; those before the first of it are
// imported.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/LoadedObject.h"
#include "StaticRuntime/System.h"

using namespace heddle::cuda;

LoadedObject::LoadedObject(const link_map &Map) : Address(Map.l_addr) {
  for (const Elf64_Dyn *Entry = Map.l_ld; Entry && Entry->d_tag; ++Entry) {
    // ld.so makes addresses of these, where it may write to them.
    uint64_t Value = Entry->d_un.d_ptr;
    if (Value < Address)
      Value += Address;
    if (Entry->d_tag == DT_SYMTAB)
      Symbols = reinterpret_cast<const Elf64_Sym *>(Value);
    if (Entry->d_tag == DT_STRTAB)
      Strings = reinterpret_cast<const char *>(Value);
    if (Entry->d_tag == DT_GNU_HASH)
      Hash = reinterpret_cast<const uint32_t *>(Value);
  }
}

bool LoadedObject::exportsAny() const {
  const uint32_t *Buckets = Hash + 4 + size_t(2) * Hash[2];
  for (uint32_t I = 0; I < Hash[0]; ++I)
    if (Buckets[I])
      return true;
  return false;
}

bool LoadedObject::importsLoader() const {
  if (!Symbols || !Strings)
    return false;
  if (!Hash || !exportsAny())
    return true; // Where the imports end is not known.
  bool Opens = false, Looks = false;
  for (uint32_t I = 1, First = Hash[1]; I < First && !(Opens && Looks); ++I) {
    Opens |= areEqual(nameOf(Symbols[I]), "dlopen");
    Looks |= areEqual(nameOf(Symbols[I]), "dlsym");
  }
  return Opens && Looks;
}

const Elf64_Sym *LoadedObject::symbolOf(const char *Name) const {
  if (!Symbols || !Strings || !Hash || !Hash[0])
    return nullptr;
  uint32_t Value = 5381;
  for (const char *C = Name; *C; ++C)
    Value = Value * 33 + static_cast<unsigned char>(*C);
  uint32_t First = Hash[1];
  const uint32_t *Buckets = Hash + 4 + size_t(2) * Hash[2];
  const uint32_t *Chains = Buckets + Hash[0];
  uint32_t I = Buckets[Value % Hash[0]];
  if (I < First)
    return nullptr;
  for (;; ++I) {
    uint32_t Of = Chains[I - First];
    if ((Of | 1) == (Value | 1) && areEqual(nameOf(Symbols[I]), Name))
      return Symbols + I;
    if (Of & 1)
      return nullptr;
  }
}

void *LoadedObject::find(const char *Name) const {
  const Elf64_Sym *Symbol = symbolOf(Name);
  return Symbol ? reinterpret_cast<void *>(Address + Symbol->st_value)
                : nullptr;
}

const Elf64_Addr *LoadedObject::valueOf(const char *Name) const {
  const Elf64_Sym *Symbol = symbolOf(Name);
  return Symbol ? &Symbol->st_value : nullptr;
}

uint64_t LoadedObject::sizeOf(const char *Name) const {
  const Elf64_Sym *Symbol = symbolOf(Name);
  return Symbol ? Symbol->st_size : 0;
}
