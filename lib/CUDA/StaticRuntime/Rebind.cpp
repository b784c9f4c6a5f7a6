//===- Rebind.cpp - Functions that others find in their place ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table is in a segment that cannot be written to but here.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/Rebind.h"
#include "StaticRuntime/ElfFile.h"

using namespace heddle::cuda;

int heddle::cuda::protectionAt(const link_map &Map, uint64_t Address) {
  // The headers of a library are the first that is mapped.
  constexpr uint64_t Headers = 4096;
  ElfFile File{reinterpret_cast<const unsigned char *>(Map.l_addr), Headers};
  const Elf64_Phdr *Segment = File.segmentAt(Address - Map.l_addr);
  return Segment ? protectionOf(*Segment) : -1;
}

bool heddle::cuda::rebind(const link_map &Map, const LoadedObject &Object,
                          const char *Name, const void *Replacement) {
  auto *Value = const_cast<Elf64_Addr *>(Object.valueOf(Name));
  if (!Value)
    return false;
  auto Address = reinterpret_cast<uint64_t>(Value);
  return writeTo(Map, Address, sizeof(*Value), [&] {
    *Value = reinterpret_cast<uint64_t>(Replacement) - Map.l_addr;
    return true;
  });
}
