//===- FatBinaryFuzzer.cpp - Fuzzes the reader of fat binaries --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads any bytes as fat binaries, decompresses all their images, and takes
// the PTX that would be compiled.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/FatBinary.h"

using namespace heddle;
using namespace llvm;

/// Filling more than this for each image only takes time.
static constexpr uint64_t MaxFuzzedSize = uint64_t(1) << 22;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  ArrayRef<uint8_t> Bytes(Data, Size);
  Expected<SmallVector<fatbin::Image, 4>> Images = fatbin::readImages(Bytes);
  if (!Images) {
    consumeError(Images.takeError());
    return 0;
  }
  for (const fatbin::Image &I : *Images) {
    (void)I.describe();
    if (I.Size > MaxFuzzedSize)
      return 0;
    if (Expected<SmallVector<char, 0>> Contents = fatbin::extract(I); !Contents)
      consumeError(Contents.takeError());
  }
  if (Expected<fatbin::BuiltPTX> PTX = fatbin::extractPTX(Bytes, 90); !PTX)
    consumeError(PTX.takeError());
  return 0;
}
