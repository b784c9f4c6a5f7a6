//===- CudaCaptureTest.cpp - Capture in the driver API ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program may ask of a capture and do to its graph before it ends.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <cstddef>
#include <cstdlib>

using Address = unsigned long long;
using Handle = void *;

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(Handle *, int);
int cuCtxPushCurrent_v2(Handle);
int cuCtxPopCurrent_v2(Handle *);
int cuMemAlloc_v2(Address *, size_t);
int cuMemFree_v2(Address);
int cuMemcpyDtoH_v2(void *, Address, size_t);
int cuMemAllocAsync(Address *, size_t, Handle);
int cuMemFreeAsync(Address, Handle);
int cuCtxSynchronize();
int cuMemsetD32Async(Address, unsigned, size_t, Handle);
int cuStreamCreate(Handle *, unsigned);
int cuStreamDestroy_v2(Handle);
int cuStreamSynchronize(Handle);
int cuStreamBeginCapture_v2(Handle, int);
int cuStreamBeginCaptureToGraph(Handle, Handle, const Handle *, const void *,
                                size_t, int);
int cuStreamEndCapture(Handle, Handle *);
int cuStreamGetCaptureInfo_v2(Handle, int *, unsigned long long *, Handle *,
                              const Handle **, size_t *);
int cuStreamGetCaptureInfo_v3(Handle, int *, unsigned long long *, Handle *,
                              const Handle **, const void **, size_t *);
int cuStreamUpdateCaptureDependencies(Handle, Handle *, size_t, unsigned);
int cuStreamUpdateCaptureDependencies_v2(Handle, Handle *, const void *, size_t,
                                         unsigned);
int cuGraphCreate(Handle *, unsigned);
int cuGraphDestroy(Handle);
int cuGraphAddChildGraphNode(Handle *, Handle, const Handle *, size_t, Handle);
int cuGraphClone(Handle *, Handle);
int cuGraphDestroyNode(Handle);
int cuGraphNodeGetType(Handle, int *);
int cuGraphAddEmptyNode(Handle *, Handle, const Handle *, size_t);
int cuGraphGetNodes(Handle, Handle *, size_t *);
int cuGraphGetEdges(Handle, Handle *, Handle *, size_t *);
int cuGraphInstantiateWithFlags(Handle *, Handle, unsigned long long);
int cuGraphLaunch(Handle, Handle);
int cuGraphExecDestroy(Handle);
int cuThreadExchangeStreamCaptureMode(int *);
int cuUserObjectCreate(Handle *, void *, void (*)(void *), unsigned, unsigned);
int cuGraphRetainUserObject(Handle, Handle, unsigned, unsigned);
}

namespace {

constexpr int Success = 0, InvalidValue = 1, IllegalState = 401, Active = 1;
constexpr int Unsupported = 900, Invalidated = 901, Implicit = 906;
constexpr unsigned AddDependencies = 0, SetDependencies = 1;

class CudaCapture : public testing::Test {
protected:
  void SetUp() override {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    ASSERT_EQ(cuInit(0), Success);
    Handle Context;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&Context, 0), Success);
    ASSERT_EQ(cuCtxPushCurrent_v2(Context), Success);
    ASSERT_EQ(cuStreamCreate(&Stream, 1), Success);
    ASSERT_EQ(cuMemAlloc_v2(&Memory, 64), Success);
  }
  void TearDown() override {
    EXPECT_EQ(cuMemFree_v2(Memory), Success);
    EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
    cuCtxPopCurrent_v2(nullptr);
  }
  /// A node that sets a word.
  void set(unsigned Word, unsigned Value) {
    EXPECT_EQ(cuMemsetD32Async(Memory + 4 * Word, Value, 1, Stream), Success);
  }
  unsigned word(unsigned Word) {
    unsigned Value = 0;
    EXPECT_EQ(cuMemcpyDtoH_v2(&Value, Memory + 4 * Word, 4), Success);
    return Value;
  }
  size_t numNodes(Handle Graph) {
    size_t Count = 0;
    EXPECT_EQ(cuGraphGetNodes(Graph, nullptr, &Count), Success);
    return Count;
  }
  size_t numEdges(Handle Graph) {
    size_t Count = 0;
    EXPECT_EQ(cuGraphGetEdges(Graph, nullptr, nullptr, &Count), Success);
    return Count;
  }
  void launch(Handle Graph) {
    Handle Exec;
    ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
    EXPECT_EQ(cuGraphLaunch(Exec, Stream), Success);
    EXPECT_EQ(cuStreamSynchronize(Stream), Success);
    EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  }

  Handle Stream = nullptr;
  Address Memory = 0;
};

TEST_F(CudaCapture, TellsOfTheGraphAndLetsItBeChanged) {
  int Status = -1;
  unsigned long long Id = 0, Other = 0;
  Handle Graph = nullptr, Own, End;
  const Handle *Tips = nullptr;
  const void *Edges = nullptr;
  size_t Count = 99;
  EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(Stream, nullptr, nullptr, 0,
                                                 SetDependencies),
            IllegalState);
  ASSERT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
  ASSERT_EQ(cuStreamGetCaptureInfo_v3(Stream, &Status, &Id, &Graph, &Tips,
                                      &Edges, &Count),
            Success);
  EXPECT_EQ(Status, Active);
  EXPECT_NE(Id, 0u);
  EXPECT_EQ(Count, 0u);
  ASSERT_NE(Graph, nullptr);
  set(0, 7);
  ASSERT_EQ(
      cuStreamGetCaptureInfo_v2(Stream, &Status, &Other, &Own, &Tips, &Count),
      Success);
  EXPECT_EQ(Other, Id);
  EXPECT_EQ(Own, Graph);
  ASSERT_EQ(Count, 1u);
  Handle First = Tips[0], Empty;
  // A node of the program's own, behind which the capture goes on.
  ASSERT_EQ(cuGraphAddEmptyNode(&Empty, Graph, &First, 1), Success);
  EXPECT_EQ(
      cuStreamUpdateCaptureDependencies(Stream, &Empty, 1, AddDependencies),
      Success);
  ASSERT_EQ(cuStreamGetCaptureInfo_v3(Stream, &Status, &Id, &Own, &Tips, &Edges,
                                      &Count),
            Success);
  EXPECT_EQ(Count, 2u);
  EXPECT_NE(Edges, nullptr);
  EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(Stream, &Empty, nullptr, 1,
                                                 SetDependencies),
            Success);
  EXPECT_EQ(cuStreamUpdateCaptureDependencies_v2(Stream, &Empty, nullptr, 1, 2),
            InvalidValue);
  set(1, 8);
  ASSERT_EQ(cuStreamEndCapture(Stream, &End), Success);
  EXPECT_EQ(End, Graph);
  EXPECT_EQ(numNodes(Graph), 3u);
  EXPECT_EQ(numEdges(Graph), 2u);
  launch(Graph);
  EXPECT_EQ(word(0), 7u);
  EXPECT_EQ(word(1), 8u);
  EXPECT_EQ(cuGraphDestroy(Graph), Success);
  // The next capture is another one.
  ASSERT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
  ASSERT_EQ(cuStreamGetCaptureInfo_v2(Stream, &Status, &Other, nullptr, nullptr,
                                      nullptr),
            Success);
  EXPECT_NE(Other, Id);
  ASSERT_EQ(cuStreamEndCapture(Stream, &End), Success);
  EXPECT_EQ(cuGraphDestroy(End), Success);
}

TEST_F(CudaCapture, GoesIntoAGraphThatIsThere) {
  Handle Graph, First, Loose, End;
  ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
  ASSERT_EQ(cuGraphAddEmptyNode(&First, Graph, nullptr, 0), Success);
  // One that the capture has nothing to do with.
  ASSERT_EQ(cuGraphAddEmptyNode(&Loose, Graph, nullptr, 0), Success);
  ASSERT_EQ(cuStreamBeginCaptureToGraph(Stream, Graph, &First, nullptr, 1, 0),
            Success);
  set(2, 9);
  ASSERT_EQ(cuStreamEndCapture(Stream, &End), Success);
  EXPECT_EQ(End, Graph);
  EXPECT_EQ(numNodes(Graph), 3u);
  EXPECT_EQ(numEdges(Graph), 1u);
  launch(Graph);
  EXPECT_EQ(word(2), 9u);
  EXPECT_EQ(cuGraphDestroy(Graph), Success);
}

/// Allocating waits for the device, which a capture forbids unless it or the
/// thread is relaxed.
TEST_F(CudaCapture, ForbidsAllocations) {
  constexpr int Modes = 3, Relaxed = 2;
  for (int Mode = 0; Mode != Modes; ++Mode) {
    for (int Own = 0; Own != Modes; ++Own) {
      SCOPED_TRACE(testing::Message() << "modes " << Mode << " and " << Own);
      bool IsAllowed = Mode == Relaxed || Own == Relaxed;
      Handle Graph = nullptr;
      Address Block = 0;
      int Exchanged = Own;
      ASSERT_EQ(cuStreamBeginCapture_v2(Stream, Mode), Success);
      set(0, 1);
      ASSERT_EQ(cuThreadExchangeStreamCaptureMode(&Exchanged), Success);
      EXPECT_EQ(cuMemAlloc_v2(&Block, 64), IsAllowed ? Success : Unsupported);
      ASSERT_EQ(cuThreadExchangeStreamCaptureMode(&Exchanged), Success);
      EXPECT_EQ(Exchanged, Own);
      EXPECT_EQ(cuStreamEndCapture(Stream, &Graph),
                IsAllowed ? Success : Invalidated);
      if (IsAllowed) {
        EXPECT_EQ(cuMemFree_v2(Block), Success);
        EXPECT_EQ(cuGraphDestroy(Graph), Success);
      }
      EXPECT_EQ(cuMemAlloc_v2(&Block, 64), Success);
      EXPECT_EQ(cuMemFree_v2(Block), Success);
    }
  }
}

/// Calls that wait for the device, or for work in the default stream, are
/// refused in every capture that is not relaxed.
TEST_F(CudaCapture, ForbidsWaits) {
  constexpr int Modes = 3, Relaxed = 2;
  constexpr unsigned KindsOfStream = 2;
  unsigned Host = 0;
  Address Block = 0;
  Handle Other = nullptr, Graph = nullptr;
  for (unsigned Kind = 0; Kind != KindsOfStream; ++Kind) {
    bool IsBlocking = Kind == 0;
    ASSERT_EQ(cuStreamCreate(&Other, Kind), Success);
    for (int Mode = 0; Mode != Modes; ++Mode) {
      SCOPED_TRACE(testing::Message() << "kind " << Kind << ", mode " << Mode);
      auto Refused = [&](int Code, auto Call) {
        ASSERT_EQ(cuMemAlloc_v2(&Block, 64), Success);
        ASSERT_EQ(cuStreamBeginCapture_v2(Other, Mode), Success);
        EXPECT_EQ(Call(), Code);
        EXPECT_EQ(cuStreamEndCapture(Other, &Graph),
                  Code == Success ? Success : Invalidated);
        if (Code == Success)
          EXPECT_EQ(cuGraphDestroy(Graph), Success);
      };
      Refused(Mode == Relaxed ? Success : Unsupported,
              [&] { return cuMemFree_v2(Block); });
      if (Mode != Relaxed) // and is still there
        EXPECT_EQ(cuMemFree_v2(Block), Success);
      Refused(IsBlocking        ? Implicit
              : Mode == Relaxed ? Success
                                : Unsupported,
              [&] { return cuMemcpyDtoH_v2(&Host, Block, 4); });
      EXPECT_EQ(cuMemFree_v2(Block), Success);
      Refused(Mode == Relaxed ? Success : Unsupported,
              [&] { return cuCtxSynchronize(); });
      EXPECT_EQ(cuMemFree_v2(Block), Success);
      // What is only enqueued in the default stream waits for nobody.
      Refused(IsBlocking ? Implicit : Success,
              [&] { return cuMemsetD32Async(Block, 1, 1, nullptr); });
      EXPECT_EQ(cuMemFree_v2(Block), Success);
    }
    ASSERT_EQ(cuStreamDestroy_v2(Other), Success);
  }
}

/// Memory that is allocated in the order of a captured stream is the graph's.
TEST_F(CudaCapture, AllocatesByNodes) {
  constexpr int Alloc = 10, Free = 11, NumNodes = 3;
  Address Block = 0;
  Handle Graph, Nodes[NumNodes];
  size_t Count = NumNodes;
  ASSERT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
  ASSERT_EQ(cuMemAllocAsync(&Block, 64, Stream), Success);
  ASSERT_EQ(cuMemsetD32Async(Block, 5, 1, Stream), Success);
  // What no graph has allocated none can free.
  EXPECT_EQ(cuMemFreeAsync(Memory, Stream), InvalidValue);
  EXPECT_EQ(cuMemFreeAsync(Block, Stream), Success);
  ASSERT_EQ(cuStreamEndCapture(Stream, &Graph), Success);
  ASSERT_EQ(cuGraphGetNodes(Graph, Nodes, &Count), Success);
  ASSERT_EQ(Count, size_t(NumNodes));
  EXPECT_EQ(numEdges(Graph), 2u);
  int First = 0, Last = 0;
  EXPECT_EQ(cuGraphNodeGetType(Nodes[0], &First), Success);
  EXPECT_EQ(cuGraphNodeGetType(Nodes[2], &Last), Success);
  EXPECT_EQ(First, Alloc);
  EXPECT_EQ(Last, Free);
  launch(Graph);
  unsigned Value = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&Value, Block, 4), Success);
  EXPECT_EQ(Value, 5u);
  EXPECT_EQ(cuGraphDestroy(Graph), Success);
  EXPECT_EQ(cuMemcpyDtoH_v2(&Value, Block, 4), InvalidValue);
}

/// A child graph is a copy, and so are its references.
TEST_F(CudaCapture, KeepsObjectsOfChildGraphs) {
  constexpr unsigned Move = 1;
  int Ends = 0;
  auto End = [](void *Count) { ++*static_cast<int *>(Count); };
  Handle Child, Graph, Clone, Exec, Node, Object;
  ASSERT_EQ(cuGraphCreate(&Child, 0), Success);
  ASSERT_EQ(cuUserObjectCreate(&Object, &Ends, End, 1, 1), Success);
  ASSERT_EQ(cuGraphRetainUserObject(Child, Object, 1, Move), Success);
  ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
  ASSERT_EQ(cuGraphAddChildGraphNode(&Node, Graph, nullptr, 0, Child), Success);
  ASSERT_EQ(cuGraphDestroy(Child), Success);
  EXPECT_EQ(Ends, 0);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  ASSERT_EQ(cuGraphClone(&Clone, Graph), Success);
  ASSERT_EQ(cuGraphDestroyNode(Node), Success);
  ASSERT_EQ(cuGraphDestroy(Graph), Success);
  ASSERT_EQ(cuGraphDestroy(Clone), Success);
  EXPECT_EQ(Ends, 0);
  // A capture keeps what it launches.
  ASSERT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
  ASSERT_EQ(cuGraphLaunch(Exec, Stream), Success);
  ASSERT_EQ(cuStreamEndCapture(Stream, &Graph), Success);
  ASSERT_EQ(cuGraphExecDestroy(Exec), Success);
  EXPECT_EQ(Ends, 0);
  ASSERT_EQ(cuGraphDestroy(Graph), Success);
  EXPECT_EQ(Ends, 1);
}

/// What a graph refers to lives until nothing that was made of it can use it.
TEST_F(CudaCapture, KeepsObjectsForWhatIsInstantiated) {
  constexpr unsigned Move = 1;
  int Ends = 0;
  auto End = [](void *Count) { ++*static_cast<int *>(Count); };
  Handle Graph, Exec, Object;
  ASSERT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
  set(1, 7);
  ASSERT_EQ(cuStreamEndCapture(Stream, &Graph), Success);
  ASSERT_EQ(cuUserObjectCreate(&Object, &Ends, End, 1, 1), Success);
  ASSERT_EQ(cuGraphRetainUserObject(Graph, Object, 1, Move), Success);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  ASSERT_EQ(cuGraphDestroy(Graph), Success);
  EXPECT_EQ(Ends, 0);
  ASSERT_EQ(cuGraphLaunch(Exec, Stream), Success);
  ASSERT_EQ(cuGraphExecDestroy(Exec), Success);
  EXPECT_EQ(Ends, 1);
  EXPECT_EQ(word(1), 7u);
}

} // namespace
