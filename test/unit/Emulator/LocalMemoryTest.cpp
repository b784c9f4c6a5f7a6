//===- LocalMemoryTest.cpp - Local memory that is filled late ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever a CTA's threads touch of their local memory, and in whichever order,
// they find poison where they have not written.
//
//===----------------------------------------------------------------------===//

#include "LocalMemory.h"
#include "heddle/Runtime/Device.h"
#include "gtest/gtest.h"

#include <cstring>
#include <random>

using namespace heddle;
using namespace heddle::emu;

namespace {

constexpr unsigned Warps = 3;

/// What poison has at an offset.
uint8_t poisonAt(uint64_t Offset) {
  return Offset % 2 ? rt::PoisonPattern >> 8 : rt::PoisonPattern & 0xFF;
}

/// Compares a memory with one that is poison from the beginning.
class Compared {
public:
  explicit Compared(uint64_t ThreadBytes)
      : ThreadBytes(ThreadBytes), Memory(Warps, ThreadBytes) {
    forget();
  }

  void forget() {
    Memory.forget();
    Wanted.resize(Memory.size());
    for (uint64_t N = 0; N != Wanted.size(); ++N)
      Wanted[N] = poisonAt(N);
  }

  void access(unsigned Warp, unsigned Lane, uint64_t Offset, uint64_t Bytes,
              bool Writes, uint8_t Value) {
    uint8_t *Where = Memory.at(Warp, Lane, Offset, Bytes);
    uint8_t *Here = &Wanted[(Warp * WarpSize + Lane) * ThreadBytes + Offset];
    ASSERT_EQ(std::memcmp(Where, Here, Bytes), 0)
        << Bytes << " bytes at " << Offset << " of " << ThreadBytes;
    if (Writes) {
      std::memset(Where, Value, Bytes);
      std::memset(Here, Value, Bytes);
    }
  }

  uint64_t ThreadBytes;
  LocalMemory Memory;
  std::vector<uint8_t> Wanted;
};

TEST(LocalMemory, IsPoisonWhereNothingWasWritten) {
  std::mt19937 Random(35);
  for (uint64_t ThreadBytes : {16, 48, 64, 80, 4096, 4112, 6000, 1 << 18}) {
    Compared C(ThreadBytes);
    for (unsigned Round = 0; Round != 3; ++Round, C.forget())
      for (unsigned N = 0; N != 500; ++N) {
        uint64_t Bytes = uint64_t(1) << Random() % 5;
        uint64_t Offset = Random() % (ThreadBytes / Bytes) * Bytes;
        C.access(Random() % Warps, Random() % WarpSize, Offset, Bytes,
                 Random() % 2, Random() % 256);
      }
  }
}

TEST(LocalMemory, IsWholeForWhoWantsAllOfIt) {
  constexpr uint64_t ThreadBytes = 6000;
  LocalMemory Memory(Warps, ThreadBytes);
  *Memory.at(2, 31, 5998, 2) = 1;
  const uint8_t *All = Memory.of(2, 31);
  for (uint64_t N = 0; N != ThreadBytes; ++N)
    ASSERT_EQ(All[N], N == 5998 ? 1 : poisonAt(N)) << N;
  EXPECT_EQ(LocalMemory(Warps, 0).of(0, 0), nullptr);
}

TEST(LocalMemory, IsFilledInPartsThatAreTouched) {
  LocalMemory Memory(1, 1 << 18);
  // Parts are of 4096 bytes then. Nobody has told of the one that this looks
  // at, so that it stays as it was left.
  uint8_t *Other = Memory.start(0) + 8192;
  std::memset(Other, 7, 2);
  Memory.touch(0, 4096, 4096);
  EXPECT_EQ(Other[0], 7);
  Memory.touch(0, 8192, 1);
  EXPECT_EQ(Other[0], poisonAt(0));
}

} // namespace
