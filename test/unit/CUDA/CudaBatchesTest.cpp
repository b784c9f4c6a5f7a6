//===- CudaBatchesTest.cpp - Many boxes by one call -----------------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Batches of three-dimensional copies.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

#include <atomic>
#include <numeric>
#include <vector>

extern "C" {
using heddle::test::Address;
using heddle::test::Handle;

int cuMemcpyBatchAsync_v2(Address *, Address *, size_t *, size_t, const void *,
                          const size_t *, size_t, Handle);
int cuMemcpy3DBatchAsync(size_t, const void *, size_t *, unsigned long long,
                         Handle);
int cuMemcpy3DBatchAsync_v2(size_t, const void *, unsigned long long, Handle);
int cuArrayCreate_v2(Handle *, const void *);
int cuArrayDestroy(Handle);
int cuArrayGetMemoryRequirements(void *, Handle, int);
int cuArrayGetSparseProperties(void *, Handle);
int cuArrayGetPlane(Handle *, Handle, unsigned);
int cuMipmappedArrayCreate(Handle *, const void *, unsigned);
int cuMipmappedArrayDestroy(Handle);
int cuMipmappedArrayGetMemoryRequirements(void *, Handle, int);
int cuMipmappedArrayGetSparseProperties(void *, Handle);
int cuMemHostAlloc(void **, size_t, unsigned);
int cuMemFreeHost(void *);
int cuStreamWaitValue32_v2(Handle, Address, uint32_t, unsigned);
}

using namespace heddle::test;

namespace {

enum Operand : int { IsPointer = 1, IsArray = 2 };
enum Access : int { InStreamOrder = 1, DuringCall = 2, AtAnyTime = 3 };

/// CUmemcpy3DOperand.
struct Side {
  int Type = IsPointer;
  union {
    struct {
      Address Base;
      size_t RowLength, LayerHeight;
      int LocationType, LocationId;
    } Pointer;
    struct {
      Handle Array;
      size_t X, Y, Z;
    } Array;
    uint64_t Words[4] = {};
  };
};
/// CUDA_MEMCPY3D_BATCH_OP.
struct Box {
  Side From, To;
  size_t Width = 1, Height = 1, Depth = 1;
  int Access = InStreamOrder;
  unsigned Flags = 0;
};
static_assert(sizeof(Box) == 112);

class CudaBatches : public DriverProgram {
protected:
  void SetUp() override {
    DriverProgram::SetUp();
    Stream = stream();
    Memory = words(256);
    std::iota(Numbers.begin(), Numbers.end(), 0);
    ASSERT_EQ(cuMemcpyHtoD_v2(Memory, Numbers.data(), 4 * Numbers.size()),
              Success);
  }
  static Side at(Address Base, size_t RowLength = 0, size_t LayerHeight = 0) {
    Side S;
    S.Pointer = {Base, RowLength, LayerHeight, 0, 0};
    return S;
  }
  static Side at(const void *Base, size_t RowLength = 0,
                 size_t LayerHeight = 0) {
    return at(Address(reinterpret_cast<uintptr_t>(Base)), RowLength,
              LayerHeight);
  }
  static Side in(Handle Array, size_t X = 0, size_t Y = 0, size_t Z = 0) {
    Side S;
    S.Type = IsArray;
    S.Array = {Array, X, Y, Z};
    return S;
  }
  int copy(const Box &B) { return cuMemcpy3DBatchAsync_v2(1, &B, 0, Stream); }
  void wait() { ASSERT_EQ(cuStreamSynchronize(Stream), Success); }
  /// An array of words.
  static Handle array(size_t Width, size_t Height) {
    struct {
      size_t Width, Height;
      unsigned Format, Channels;
    } D = {Width, Height, 3, 1};
    Handle Array = nullptr;
    EXPECT_EQ(cuArrayCreate_v2(&Array, &D), Success);
    return Array;
  }

  Handle Stream = nullptr;
  Address Memory = 0;
  std::vector<uint32_t> Numbers = std::vector<uint32_t>(256);
};

TEST_F(CudaBatches, CopyBoxes) {
  // Two layers of 2 rows of 8 bytes, out of rows of 16 bytes and layers of 4.
  std::vector<uint32_t> Got(8), Dense(4);
  Box Boxes[] = {{at(Memory + 4, 16, 4), at(Got.data()), 8, 2, 2},
                 {at(Memory + 400), at(Dense.data()), 16, 1, 1}};
  ASSERT_EQ(cuMemcpy3DBatchAsync_v2(2, Boxes, 0, Stream), Success);
  wait();
  EXPECT_EQ(Got, (std::vector<uint32_t>{1, 2, 5, 6, 17, 18, 21, 22}));
  EXPECT_EQ(Dense, (std::vector<uint32_t>{100, 101, 102, 103}));
  // Into rows and layers of their own.
  Address To = words(64);
  Box Back = {at(Got.data()), at(To, 12, 3), 8, 2, 2};
  ASSERT_EQ(copy(Back), Success);
  wait();
  EXPECT_EQ(word(To + 4), 2u);
  EXPECT_EQ(word(To + 12), 5u);
  EXPECT_EQ(word(To + 36), 17u);
  EXPECT_EQ(word(To + 48), 21u);
  EXPECT_EQ(word(To + 8), 0u);
}

TEST_F(CudaBatches, CountInTexelsOfArrays) {
  Handle A = array(8, 8), B = array(8, 8);
  std::vector<uint32_t> Got(4);
  Box Boxes[] = {{at(Memory, 8), in(A), 8, 8, 1},
                 {in(A, 2, 1), in(B, 4, 4), 2, 2, 1},
                 {in(B, 4, 4), at(Got.data()), 2, 2, 1}};
  for (const Box &Each : Boxes)
    ASSERT_EQ(copy(Each), Success);
  wait();
  EXPECT_EQ(Got, (std::vector<uint32_t>{10, 11, 18, 19}));
  Box Beyond = {in(A, 7, 0), at(Got.data()), 2, 2, 1};
  EXPECT_EQ(copy(Beyond), InvalidValue);
  EXPECT_EQ(cuArrayDestroy(A), Success);
  Box Gone = {in(A), at(Got.data()), 2, 2, 1};
  EXPECT_EQ(copy(Gone), InvalidValue);
  EXPECT_EQ(cuArrayDestroy(B), Success);
}

/// What is on the program's stack is read before the call returns.
TEST_F(CudaBatches, ReadEphemeralSources) {
  void *Pinned = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&Pinned, 64, 0), Success);
  auto *Words = static_cast<uint32_t *>(Pinned);
  Words[0] = 0;
  Words[1] = 77;
  constexpr unsigned Equal = 1;
  Address Place = reinterpret_cast<uintptr_t>(Pinned);
  ASSERT_EQ(cuStreamWaitValue32_v2(Stream, Place, 1, Equal), Success);
  Box Now = {at(Place + 4), at(Memory), 4},
      Later = {at(Place + 4), at(Memory + 4), 4};
  Now.Access = DuringCall;
  ASSERT_EQ(copy(Now), Success);
  ASSERT_EQ(copy(Later), Success);
  Words[1] = 78;
  std::atomic_ref<uint32_t>(Words[0]).store(
      1); // The stream reads it meanwhile.
  wait();
  EXPECT_EQ(word(Memory), 77u);
  EXPECT_EQ(word(Memory + 4), 78u);
  EXPECT_EQ(cuMemFreeHost(Pinned), Success);
}

/// CUmemcpyAttributes.
struct Attributes {
  int Access;
  int Hints[4] = {};
  unsigned Flags = 0;
};

TEST_F(CudaBatches, ReadEphemeralSourcesOfLinearCopies) {
  void *Pinned = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&Pinned, 64, 0), Success);
  auto *Words = static_cast<uint32_t *>(Pinned);
  Words[0] = 0;
  for (unsigned I = 1; I != 4; ++I)
    Words[I] = 70 + I;
  constexpr unsigned Equal = 1;
  Address Place = reinterpret_cast<uintptr_t>(Pinned);
  ASSERT_EQ(cuStreamWaitValue32_v2(Stream, Place, 1, Equal), Success);
  Address From[] = {Place + 4, Place + 8, Place + 12},
          To[] = {Memory, Memory + 4, Memory + 8};
  size_t Sizes[] = {4, 4, 4}, Starts[] = {0, 1};
  Attributes List[] = {{InStreamOrder}, {DuringCall}};
  ASSERT_EQ(cuMemcpyBatchAsync_v2(To, From, Sizes, 3, List, Starts, 2, Stream),
            Success);
  for (unsigned I = 1; I != 4; ++I)
    Words[I] = 80 + I;
  std::atomic_ref<uint32_t>(Words[0]).store(
      1); // The stream reads it meanwhile.
  wait();
  EXPECT_EQ(word(Memory), 81u);
  EXPECT_EQ(word(Memory + 4), 72u);
  EXPECT_EQ(word(Memory + 8), 73u);
  // Attributes that are not there, in no order, or that mean nothing.
  auto Copy = [&](const Attributes *A, const size_t *S, size_t Count) {
    return cuMemcpyBatchAsync_v2(To, From, Sizes, 3, A, S, Count, Stream);
  };
  size_t Late[] = {1, 2}, Same[] = {0, 0}, Beyond[] = {0, 3};
  Attributes Wrong[] = {{InStreamOrder}, {AtAnyTime + 1}};
  EXPECT_EQ(Copy(nullptr, Starts, 2), InvalidValue);
  EXPECT_EQ(Copy(List, nullptr, 2), InvalidValue);
  EXPECT_EQ(Copy(List, Late, 2), InvalidValue);
  EXPECT_EQ(Copy(List, Same, 2), InvalidValue);
  EXPECT_EQ(Copy(List, Beyond, 2), InvalidValue);
  EXPECT_EQ(Copy(Wrong, Starts, 2), InvalidValue);
  EXPECT_EQ(Copy(Wrong, Starts, 1), Success);
  wait();
  EXPECT_EQ(cuMemFreeHost(Pinned), Success);
}

TEST_F(CudaBatches, SayWhichBoxIsWrong) {
  std::vector<uint32_t> Got(16);
  Box Good = {at(Memory), at(Got.data()), 4, 1, 1};
  std::vector<Box> Wrong(9, Good);
  Wrong[0].Width = 0;
  Wrong[1].Height = 0;
  Wrong[2].Depth = 0;
  Wrong[3].Access = 0;
  Wrong[4].Access = AtAnyTime + 1;
  Wrong[5].From.Type = 0;
  Wrong[6].From = at(Memory, 3); // rows shorter than the box
  Wrong[7].To = at(Address(0));
  Wrong[8].Flags = 2;
  for (const Box &B : Wrong) {
    Box Boxes[] = {Good, B};
    size_t Failed = 99;
    EXPECT_EQ(cuMemcpy3DBatchAsync(2, Boxes, &Failed, 0, Stream), InvalidValue);
    EXPECT_EQ(Failed, 1u);
  }
  size_t Failed = 99;
  EXPECT_EQ(cuMemcpy3DBatchAsync(0, &Good, &Failed, 0, Stream), InvalidValue);
  EXPECT_EQ(Failed, SIZE_MAX);
  EXPECT_EQ(cuMemcpy3DBatchAsync(1, nullptr, &Failed, 0, Stream), InvalidValue);
  EXPECT_EQ(cuMemcpy3DBatchAsync(1, &Good, &Failed, 1, Stream), InvalidValue);
  EXPECT_EQ(cuMemcpy3DBatchAsync(1, &Good, &Failed, 0, nullptr), InvalidValue);
  EXPECT_EQ(cuMemcpy3DBatchAsync(1, &Good, nullptr, 0, Stream), Success);
  wait();
}

/// None of these is sparse, without memory or of several planes.
TEST_F(CudaBatches, HaveArraysOfOneKind) {
  Handle A = array(8, 8), Mipmap = nullptr, Plane = nullptr;
  struct {
    size_t Width, Height, Depth;
    unsigned Format, Channels, Flags;
  } D = {8, 8, 0, 3, 1, 0};
  ASSERT_EQ(cuMipmappedArrayCreate(&Mipmap, &D, 2), Success);
  char Room[64];
  EXPECT_EQ(cuArrayGetMemoryRequirements(Room, A, 0), InvalidValue);
  EXPECT_EQ(cuArrayGetSparseProperties(Room, A), InvalidValue);
  EXPECT_EQ(cuArrayGetPlane(&Plane, A, 0), InvalidValue);
  EXPECT_EQ(cuMipmappedArrayGetMemoryRequirements(Room, Mipmap, 0),
            InvalidValue);
  EXPECT_EQ(cuMipmappedArrayGetSparseProperties(Room, Mipmap), InvalidValue);
  EXPECT_EQ(cuMipmappedArrayDestroy(Mipmap), Success);
  EXPECT_EQ(cuArrayDestroy(A), Success);
  EXPECT_EQ(cuArrayGetMemoryRequirements(Room, A, 0), InvalidHandle);
  EXPECT_EQ(cuArrayGetSparseProperties(Room, A), InvalidHandle);
  EXPECT_EQ(cuArrayGetPlane(&Plane, A, 0), InvalidHandle);
  EXPECT_EQ(cuMipmappedArrayGetMemoryRequirements(Room, Mipmap, 0),
            InvalidHandle);
  EXPECT_EQ(cuMipmappedArrayGetSparseProperties(Room, Mipmap), InvalidHandle);
  // One without memory cannot be made.
  D.Flags = 0x80;
  EXPECT_NE(cuMipmappedArrayCreate(&Mipmap, &D, 2), Success);
}

} // namespace
