//===- CudaQueriesTest.cpp - What CUDA 13.1 and later ask -----------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers and parameters of graphs' nodes, of kernels, where memory is, and
// calls that came with attributes later.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

#include <array>
#include <cstring>

extern "C" {
using heddle::test::Address;
using heddle::test::Handle;

int cuGraphCreate(Handle *, unsigned);
int cuGraphDestroy(Handle);
int cuGraphClone(Handle *, Handle);
int cuGraphAddNode_v3(Handle *, Handle, const Handle *, const void *, size_t,
                      void *);
int cuGraphNodeSetParams_v2(Handle, const void *);
int cuGraphNodeGetParams(Handle, void *);
int cuGraphGetNodes(Handle, Handle *, size_t *);
int cuGraphInstantiateWithFlags(Handle *, Handle, unsigned long long);
int cuGraphLaunch(Handle, Handle);
int cuGraphExecDestroy(Handle);
int cuGraphGetId(Handle, unsigned *);
int cuGraphExecGetId(Handle, unsigned *);
int cuGraphNodeGetContainingGraph(Handle, Handle *);
int cuGraphNodeGetLocalId(Handle, unsigned *);
int cuGraphNodeGetToolsId(Handle, unsigned long long *);
int cuKernelGetParamCount(Handle, size_t *);
int cuLaunchHostFunc_v2(Handle, void (*)(void *), void *, unsigned);
int cuMemAllocManaged(Address *, size_t, unsigned);
int cuMemGetAddressRange_v2(Address *, size_t *, Address);
int cuMemPrefetchAsync_v2(Address, size_t, uint64_t, unsigned, Handle);
int cuMemGetLocationInfo(Address, size_t, size_t, size_t, uint64_t *);
int cuMemcpyWithAttributesAsync(Address, Address, size_t, const void *, Handle);
int cuMemcpy3DWithAttributesAsync(const void *, unsigned long long, Handle);
int cuTensorMapSetAllocationClass(void *, int, int *);
int cuTensorMapEncodeTiled(void *, unsigned, unsigned, void *, const uint64_t *,
                           const uint64_t *, const unsigned *, const unsigned *,
                           unsigned, unsigned, unsigned, unsigned);
}

using namespace heddle::test;

namespace {

/// CUgraphNodeParams.
struct NodeParams {
  int Kind = 0, Reserved[3] = {};
  union {
    struct {
      Address Destination;
      size_t Pitch;
      unsigned Number, ElementBytes;
      size_t Width, Height;
      Handle Context;
    } Memset;
    struct {
      Handle Function;
      unsigned Grid[3], Block[3], Shared;
      void **Arguments, **Extra;
      Handle Kernel, Context;
    } Kernel;
    long long Words[30];
  };
  NodeParams() { std::memset(Words, 0, sizeof(Words)); }
};
constexpr int KernelNode = 0, MemsetNode = 2;

/// CUmemcpyAttributes.
struct CopyAttributes {
  int SourceAccess = 1;
  uint64_t Hints[2] = {};
  unsigned Flags = 0;
};

/// CUmemLocation as one number: its type, and above it the number.
constexpr uint64_t OnDevice = 1, OnHost = 2;

class CudaQueries : public DriverProgram {
protected:
  void SetUp() override {
    DriverProgram::SetUp();
    ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
  }
  void TearDown() override {
    EXPECT_EQ(cuGraphDestroy(Graph), Success);
    DriverProgram::TearDown();
  }
  Handle addStore(Address To, unsigned Number) {
    NodeParams P;
    P.Kind = MemsetNode;
    P.Memset = {To, 4, Number, 4, 1, 1, nullptr};
    Handle Node = nullptr;
    EXPECT_EQ(cuGraphAddNode_v3(&Node, Graph, nullptr, nullptr, 0, &P),
              Success);
    return Node;
  }
  Handle Graph = nullptr;
};

TEST_F(CudaQueries, NumberGraphsAndNodes) {
  Handle Other = nullptr, Exec = nullptr, Clone = nullptr;
  Handle First = addStore(words(1), 1), Second = addStore(words(1), 2);
  ASSERT_EQ(cuGraphCreate(&Other, 0), Success);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  unsigned A = 0, B = 0, C = 0;
  ASSERT_EQ(cuGraphGetId(Graph, &A), Success);
  ASSERT_EQ(cuGraphGetId(Other, &B), Success);
  ASSERT_EQ(cuGraphExecGetId(Exec, &C), Success);
  EXPECT_TRUE(A != B && B != C && A != C);
  unsigned Again = 0;
  ASSERT_EQ(cuGraphGetId(Graph, &Again), Success);
  EXPECT_EQ(Again, A);
  ASSERT_EQ(cuGraphNodeGetLocalId(First, &A), Success);
  ASSERT_EQ(cuGraphNodeGetLocalId(Second, &B), Success);
  EXPECT_NE(A, B);
  // Nodes with the same number in other graphs are told apart.
  ASSERT_EQ(cuGraphClone(&Clone, Graph), Success);
  Handle Node = nullptr, Owner = nullptr;
  size_t Count = 1;
  ASSERT_EQ(cuGraphGetNodes(Clone, &Node, &Count), Success);
  unsigned long long Mine = 0, Theirs = 0;
  ASSERT_EQ(cuGraphNodeGetToolsId(First, &Mine), Success);
  ASSERT_EQ(cuGraphNodeGetToolsId(Node, &Theirs), Success);
  EXPECT_NE(Mine, Theirs);
  ASSERT_EQ(cuGraphNodeGetContainingGraph(Node, &Owner), Success);
  EXPECT_EQ(Owner, Clone);
  EXPECT_EQ(cuGraphGetId(First, &A), InvalidValue);
  EXPECT_EQ(cuGraphNodeGetLocalId(nullptr, &A), InvalidValue);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  EXPECT_EQ(cuGraphDestroy(Other), Success);
  EXPECT_EQ(cuGraphDestroy(Clone), Success);
}

TEST_F(CudaQueries, GiveParametersOfNodesBack) {
  Address Memory = words(2);
  Handle Store = addStore(Memory, 7);
  NodeParams P;
  ASSERT_EQ(cuGraphNodeGetParams(Store, &P), Success);
  EXPECT_EQ(P.Kind, MemsetNode);
  EXPECT_EQ(P.Memset.Destination, Memory);
  EXPECT_EQ(P.Memset.Number, 7u);
  P.Memset.Number = 9;
  ASSERT_EQ(cuGraphNodeSetParams_v2(Store, &P), Success);
  Handle Exec = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  ASSERT_EQ(cuGraphLaunch(Exec, nullptr), Success);
  EXPECT_EQ(word(Memory), 9u);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);

  Handle Empty = kernel(
      ".visible .entry two(.param .u64 a, .param .u32 b) { ret; }", "two");
  NodeParams K;
  uint32_t Number = 5;
  void *Arguments[] = {&Memory, &Number};
  K.Kernel = {Empty,     {3, 1, 1}, {32, 1, 1}, 0,
              Arguments, nullptr,   nullptr,    nullptr};
  Handle Launch = nullptr;
  ASSERT_EQ(cuGraphAddNode_v3(&Launch, Graph, nullptr, nullptr, 0, &K),
            Success);
  Number = 6; // what the node has is a copy
  NodeParams Known;
  ASSERT_EQ(cuGraphNodeGetParams(Launch, &Known), Success);
  EXPECT_EQ(Known.Kind, KernelNode);
  EXPECT_EQ(Known.Kernel.Function, Empty);
  EXPECT_EQ(Known.Kernel.Grid[0], 3u);
  EXPECT_EQ(*static_cast<uint32_t *>(Known.Kernel.Arguments[1]), 5u);
  EXPECT_EQ(cuGraphNodeGetParams(nullptr, &Known), InvalidValue);
  size_t Count = 0;
  ASSERT_EQ(cuKernelGetParamCount(Empty, &Count), Success);
  EXPECT_EQ(Count, 2u);
  EXPECT_EQ(cuKernelGetParamCount(Empty, nullptr), InvalidValue);
}

TEST_F(CudaQueries, SayWhereManagedMemoryIs) {
  constexpr size_t Part = 1 << 20;
  constexpr unsigned Global = 1;
  Address Memory = 0;
  ASSERT_EQ(cuMemAllocManaged(&Memory, 3 * Part, Global), Success);
  ASSERT_EQ(cuMemPrefetchAsync_v2(Memory + Part, Part, OnDevice, 0, nullptr),
            Success);
  std::array<uint64_t, 4> Places = {~0ull, ~0ull, ~0ull, ~0ull};
  ASSERT_EQ(
      cuMemGetLocationInfo(Memory, 3 * Part, Part, Part / 4, Places.data()),
      Success);
  EXPECT_EQ(Places, (std::array<uint64_t, 4>{OnHost, OnDevice, OnHost, ~0ull}));
  // Of the whole most is on the host.
  ASSERT_EQ(
      cuMemGetLocationInfo(Memory, 3 * Part, 3 * Part, Part / 4, Places.data()),
      Success);
  EXPECT_EQ(Places[0], OnHost);
  EXPECT_EQ(cuMemGetLocationInfo(Memory, Part, 2 * Part, 0, Places.data()),
            InvalidValue);
  EXPECT_EQ(cuMemGetLocationInfo(words(1), 4, 4, 0, Places.data()),
            InvalidValue);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
}

TEST_F(CudaQueries, CopyWithAttributes) {
  Address From = words(2, 11), To = words(2);
  Handle Stream = stream();
  CopyAttributes A;
  ASSERT_EQ(cuMemcpyWithAttributesAsync(To, From, 4, &A, Stream), Success);
  EXPECT_EQ(cuStreamSynchronize(Stream), Success);
  EXPECT_EQ(word(To), 11u);
  EXPECT_EQ(word(To + 4), 0u);
  A.SourceAccess = 0;
  EXPECT_EQ(cuMemcpyWithAttributesAsync(To, From, 4, &A, Stream), InvalidValue);
  EXPECT_EQ(cuMemcpyWithAttributesAsync(To, From, 4, nullptr, Stream),
            InvalidValue);
  // CUDA_MEMCPY3D_BATCH_OP.
  struct {
    struct {
      int Type = 1;
      Address Base = 0;
      size_t RowLength = 0, LayerHeight = 0;
      uint64_t Hint = 0;
    } From, To;
    size_t Extent[3] = {8, 1, 1};
    int SourceAccess = 1;
    unsigned Flags = 0;
  } Box;
  Box.From.Base = From;
  Box.To.Base = To;
  ASSERT_EQ(cuMemcpy3DWithAttributesAsync(&Box, 0, Stream), Success);
  EXPECT_EQ(cuStreamSynchronize(Stream), Success);
  EXPECT_EQ(word(To + 4), 11u);
  EXPECT_EQ(cuMemcpy3DWithAttributesAsync(&Box, 1, Stream), InvalidValue);
  EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
}

TEST_F(CudaQueries, CallFunctionsInEitherWay) {
  int Calls = 0;
  auto Count = [](void *Place) { ++*static_cast<int *>(Place); };
  EXPECT_EQ(cuLaunchHostFunc_v2(nullptr, Count, &Calls, 0), Success);
  EXPECT_EQ(cuLaunchHostFunc_v2(nullptr, Count, &Calls, 1), Success);
  EXPECT_EQ(cuLaunchHostFunc_v2(nullptr, Count, &Calls, 2), InvalidValue);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(Calls, 2);
}

/// What a stream runs would wait for itself: libgomp frees memory later if it
/// is not permitted now.
TEST_F(CudaQueries, FunctionsOfStreamsMayNotCall) {
  struct {
    Address Memory;
    int Range = -1, Free = -1, Synchronize = -1;
  } Codes{words(4)};
  auto Call = [](void *Place) {
    auto &C = *static_cast<decltype(Codes) *>(Place);
    Address Base = 0;
    size_t Size = 0;
    C.Range = cuMemGetAddressRange_v2(&Base, &Size, C.Memory);
    C.Free = cuMemFree_v2(C.Memory);
    C.Synchronize = cuCtxSynchronize();
  };
  constexpr int NotPermitted = 800;
  EXPECT_EQ(cuLaunchHostFunc_v2(nullptr, Call, &Codes, 0), Success);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(Codes.Range, NotPermitted);
  EXPECT_EQ(Codes.Free, NotPermitted);
  EXPECT_EQ(Codes.Synchronize, NotPermitted);
  EXPECT_EQ(cuMemFree_v2(Codes.Memory), Success);
}

TEST_F(CudaQueries, KeepTheClassOfATensorsMemory) {
  constexpr unsigned Float32 = 7, Large = 2;
  alignas(64) std::array<char, 128> Map, Small;
  uint64_t Extents[] = {32}, Strides[1] = {};
  unsigned Box[] = {32}, Steps[] = {1};
  ASSERT_EQ(cuTensorMapEncodeTiled(Map.data(), Float32, 1,
                                   reinterpret_cast<void *>(words(32)), Extents,
                                   Strides, Box, Steps, 0, 0, 0, 0),
            Success);
  Small = Map;
  int Class = 0;
  ASSERT_EQ(cuTensorMapSetAllocationClass(Map.data(), Large, &Class), Success);
  EXPECT_EQ(Class, int(Large));
  EXPECT_NE(Map, Small);
  ASSERT_EQ(cuTensorMapSetAllocationClass(Map.data(), 0, &Class), Success);
  EXPECT_EQ(Class, 1);
  EXPECT_EQ(Map, Small);
  EXPECT_EQ(cuTensorMapSetAllocationClass(Map.data(), 3, &Class), InvalidValue);
  Map.fill('x');
  EXPECT_EQ(cuTensorMapSetAllocationClass(Map.data(), 1, nullptr),
            InvalidValue);
}

} // namespace
