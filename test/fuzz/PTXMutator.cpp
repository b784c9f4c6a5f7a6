//===- PTXMutator.cpp - libFuzzer's mutations, aware of PTX -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mutator of the fuzz targets that read PTX text: half of the time it
// changes a token or a statement, else libFuzzer changes bytes.
//
//===----------------------------------------------------------------------===//

#include "PTXGenerator.h"
#include <array>
#include <cstring>
#include <random>

using namespace llvm;
using namespace heddle::ptx;

extern "C" size_t LLVMFuzzerMutate(uint8_t *Data, size_t Size, size_t MaxSize);

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *Data, size_t Size,
                                          size_t MaxSize, unsigned Seed) {
  std::minstd_rand Random(Seed);
  std::array<uint8_t, 512> Bytes;
  for (uint8_t &B : Bytes)
    B = static_cast<uint8_t>(Random() >> 8);
  unsigned Way = Random() >> 8 & 31;
  if (Way < 15)
    return LLVMFuzzerMutate(Data, Size, MaxSize);
  PTXGenerator Generator(Bytes);
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  std::string Result =
      Way == 15 ? Generator.makeModule() : Generator.mutate(Text);
  Result.resize(std::min(Result.size(), MaxSize));
  std::memcpy(Data, Result.data(), Result.size());
  return Result.size();
}
