//===- ObjectFuzzer.cpp - Fuzzes the reader of code objects -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads any bytes as a code object, and does with what is accepted all that a
// loader does: relocation and the line table.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/LineTable.h"
#include "heddle/Object/ObjectFile.h"

using namespace heddle;
using namespace llvm;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  Expected<ObjectFile> Object = ObjectFile::create(ArrayRef(Data, Size));
  if (!Object) {
    consumeError(Object.takeError());
    return 0;
  }
  std::vector<uint64_t> Addresses(Object->sections().size(), 0x10000);
  auto Resolve = [](const Symbol &, const Relocation &) {
    return std::optional<uint64_t>(0);
  };
  for (uint32_t I = 0; I != Object->sections().size(); ++I) {
    std::vector<uint8_t> Bytes = Object->sections()[I].Contents.vec();
    consumeError(Object->relocate(I, Addresses, Bytes, Resolve));
  }
  if (Expected<LineTable> Lines = LineTable::create(*Object))
    Lines->lookup(1, 0);
  else
    consumeError(Lines.takeError());
  return 0;
}
