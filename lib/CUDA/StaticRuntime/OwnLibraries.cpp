//===- OwnLibraries.cpp - Libraries that ours stand for ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The paths of ours, which are made once, when the first of our libraries has
// told in which folder they are.
//
//===----------------------------------------------------------------------===//

#include "StaticRuntime/OwnLibraries.h"
#include "StaticRuntime/System.h"

using namespace heddle::cuda;

/// Of CUDA 11, 12 and 13.
static constexpr const char *Replaced[] = {"libcufft.so.10", "libcufft.so.11",
                                           "libcufft.so.12"};
constexpr unsigned Libraries = sizeof(Replaced) / sizeof(*Replaced);
/// What ld.so is given has to stay where it is.
static char Own[Libraries][4096];

/// The part of a path behind its folder.
static const char *nameIn(const char *Path) {
  const char *Name = Path;
  for (const char *P = Path; *P; ++P)
    if (*P == '/')
      Name = P + 1;
  return Name;
}

void heddle::cuda::noteFolder(const char *Path) {
  auto Folder = static_cast<unsigned long>(nameIn(Path) - Path);
  for (unsigned I = 0; I < Libraries; ++I) {
    unsigned long Name = lengthOf(Replaced[I]) + 1;
    if (*Own[I] || !Folder || Folder + Name > sizeof(Own[I]))
      continue;
    for (unsigned long J = 0; J < Folder; ++J)
      Own[I][J] = Path[J];
    for (unsigned long J = 0; J < Name; ++J)
      Own[I][Folder + J] = Replaced[I][J];
  }
}

const char *heddle::cuda::findOwn(const char *Path) {
  const char *Name = nameIn(Path);
  if (Name == Path)
    return nullptr;
  for (unsigned I = 0; I < Libraries; ++I)
    if (*Own[I] && areEqual(Name, Replaced[I]))
      return Own[I];
  return nullptr;
}
