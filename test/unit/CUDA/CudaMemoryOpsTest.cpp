//===- CudaMemoryOpsTest.cpp - Numbers that streams wait for ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory operations of streams, and of graphs.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

#include <atomic>

extern "C" {
using heddle::test::Address;
using heddle::test::Handle;

int cuMemHostAlloc(void **, size_t, unsigned);
int cuMemFreeHost(void *);
int cuMemAllocManaged(Address *, size_t, unsigned);
int cuStreamWaitValue32(Handle, Address, uint32_t, unsigned);
int cuStreamWaitValue32_v2(Handle, Address, uint32_t, unsigned);
int cuStreamWaitValue32_v2_ptsz(Handle, Address, uint32_t, unsigned);
int cuStreamWaitValue64_v2(Handle, Address, uint64_t, unsigned);
int cuStreamWriteValue32(Handle, Address, uint32_t, unsigned);
int cuStreamWriteValue32_v2(Handle, Address, uint32_t, unsigned);
int cuStreamWriteValue64_v2(Handle, Address, uint64_t, unsigned);
int cuStreamBatchMemOp(Handle, unsigned, void *, unsigned);
int cuStreamBatchMemOp_v2(Handle, unsigned, void *, unsigned);
int cuStreamBeginCapture_v2(Handle, int);
int cuStreamEndCapture(Handle, Handle *);
int cuGraphCreate(Handle *, unsigned);
int cuGraphDestroy(Handle);
int cuGraphGetNodes(Handle, Handle *, size_t *);
int cuGraphNodeGetType(Handle, int *);
int cuGraphAddBatchMemOpNode(Handle *, Handle, const Handle *, size_t,
                             const void *);
int cuGraphBatchMemOpNodeGetParams(Handle, void *);
int cuGraphBatchMemOpNodeSetParams(Handle, const void *);
int cuGraphExecBatchMemOpNodeSetParams(Handle, Handle, const void *);
int cuGraphAddNode_v2(Handle *, Handle, const Handle *, const void *, size_t,
                      void *);
int cuGraphInstantiateWithFlags(Handle *, Handle, unsigned long long);
int cuGraphLaunch(Handle, Handle);
int cuGraphExecDestroy(Handle);
}

using namespace heddle::test;

namespace {

enum Comparison : unsigned { AtLeast, Equal, And, Nor };
enum Kind : int { Wait32 = 1, Write32, Flush, Wait64, Write64, Barrier };
constexpr unsigned FlushFlag = 1u << 30;
constexpr int BatchMemOpNode = 12;

/// CUstreamBatchMemOpParams.
struct Operation {
  int Kind;
  unsigned BarrierFlags = 0;
  Address Place = 0;
  uint64_t Value = 0;
  unsigned Flags = 0;
  Address Alias = 0;
  uint64_t Reserved = 0;
};
/// CUDA_BATCH_MEM_OP_NODE_PARAMS.
struct NodeParams {
  Handle Context;
  unsigned Count;
  Operation *Steps;
  unsigned Flags;
};

/// By the number of host threads that run kernels.
class CudaMemoryOps : public DriverProgram,
                      public testing::WithParamInterface<const char *> {
protected:
  void SetUp() override {
    setenv("HEDDLE_HOST_THREADS", GetParam(), 1);
    DriverProgram::SetUp();
    ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
    A = stream();
    B = stream();
    Memory = words(16);
  }
  void TearDown() override {
    EXPECT_EQ(cuMemFree_v2(Memory), Success);
    DriverProgram::TearDown();
    unsetenv("HEDDLE_HOST_THREADS");
  }

  Handle A = nullptr, B = nullptr;
  Address Memory = 0;
};

TEST_P(CudaMemoryOps, LetTheHostHoldAStreamBack) {
  void *Pinned = nullptr;
  ASSERT_EQ(cuMemHostAlloc(&Pinned, 64, 0), Success);
  auto *Flag = static_cast<std::atomic<uint32_t> *>(Pinned);
  Flag->store(1);
  Address Place = reinterpret_cast<uintptr_t>(Pinned);
  ASSERT_EQ(cuStreamWaitValue32_v2(A, Place, 7, Equal), Success);
  ASSERT_EQ(cuMemsetD32Async(Memory, 5, 1, A), Success);
  EXPECT_EQ(cuStreamQuery(A), NotReady);
  EXPECT_EQ(word(Memory), 0u);
  Flag->store(7);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(word(Memory), 5u);
  // The other way round, and a wait that is over.
  ASSERT_EQ(cuStreamWriteValue32_v2(A, Place, 9, 0), Success);
  ASSERT_EQ(cuStreamWaitValue32_v2(A, Place, 9, Equal | FlushFlag), Success);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(Flag->load(), 9u);
  EXPECT_EQ(cuMemFreeHost(Pinned), Success);
}

TEST_P(CudaMemoryOps, OrderStreams) {
  constexpr uint64_t Large = uint64_t(1) << 40;
  ASSERT_EQ(cuStreamWaitValue64_v2(A, Memory, Large, AtLeast), Success);
  ASSERT_EQ(cuMemsetD32Async(Memory + 8, 1, 1, A), Success);
  ASSERT_EQ(cuStreamWriteValue64_v2(A, Memory + 16, Large, 0), Success);
  ASSERT_EQ(cuStreamWriteValue64_v2(B, Memory, Large - 1, 0), Success);
  EXPECT_EQ(cuStreamSynchronize(B), Success);
  EXPECT_EQ(cuStreamQuery(A), NotReady);
  ASSERT_EQ(cuStreamWriteValue64_v2(B, Memory, Large, 0), Success);
  ASSERT_EQ(cuStreamWaitValue64_v2(B, Memory + 16, Large, Equal), Success);
  EXPECT_EQ(cuStreamSynchronize(B), Success);
  EXPECT_EQ(word(Memory + 8), 1u);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
}

/// A kernel in one stream waits for a word that the other stream writes, and
/// the other way round.
TEST_P(CudaMemoryOps, PlayPingPongWithAKernel) {
  Handle Play = kernel(R"(
.visible .entry play(.param .u64 p, .param .u32 rounds) {
  .reg .u64 %p; .reg .u32 %n, %i, %v; .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %n, [rounds];
  mov.u32 %i, 0;
round:
  add.u32 %i, %i, 1;
wait:
  ld.acquire.sys.global.u32 %v, [%p];
  setp.ne.u32 %q, %v, %i;
  @%q bra wait;
  st.release.sys.global.u32 [%p+4], %i;
  setp.lt.u32 %q, %i, %n;
  @%q bra round;
  ret;
})",
                       "play");
  constexpr unsigned Rounds = 20;
  unsigned Count = Rounds;
  void *Arguments[] = {&Memory, &Count};
  ASSERT_EQ(cuLaunchKernel(Play, 1, 1, 1, 1, 1, 1, 0, A, Arguments, nullptr),
            Success);
  for (unsigned Round = 1; Round <= Rounds; ++Round) {
    ASSERT_EQ(cuStreamWriteValue32_v2(B, Memory, Round, 0), Success);
    ASSERT_EQ(cuStreamWaitValue32_v2(B, Memory + 4, Round, Equal), Success);
  }
  EXPECT_EQ(cuStreamSynchronize(B), Success);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(word(Memory + 4), Rounds);
}

TEST_P(CudaMemoryOps, CompareAsTheyAreAsked) {
  struct {
    unsigned Flags;
    uint32_t InMemory, Value;
    bool Goes;
  } Cases[] = {
      {AtLeast, 5, 5, true},
      {AtLeast, 4, 5, false},
      {AtLeast, 2, 0xFFFFFFFE, true}, // round the end
      {AtLeast, 0xFFFFFFFE, 2, false},
      {Equal, 3, 3, true},
      {Equal, 4, 3, false},
      {And, 6, 3, true},
      {And, 4, 3, false},
      {Nor, 0xFFFFFFF0, 0x0F, false},
      {Nor, 0xFFFFFFF0, 0x0E, true},
  };
  for (auto &C : Cases) {
    ASSERT_EQ(cuMemcpyHtoD_v2(Memory, &C.InMemory, 4), Success);
    ASSERT_EQ(cuStreamWaitValue32_v2(A, Memory, C.Value, C.Flags), Success);
    if (!C.Goes) {
      EXPECT_EQ(cuStreamQuery(A), NotReady) << C.InMemory << ' ' << C.Value;
      // What all of them are satisfied with.
      uint32_t Enough = C.Flags == Nor ? 0 : C.Value;
      ASSERT_EQ(cuStreamWriteValue32_v2(B, Memory, Enough, 0), Success);
    }
    EXPECT_EQ(cuStreamSynchronize(A), Success);
  }
  // The upper half of a word of 32 bits is another's.
  ASSERT_EQ(cuMemsetD32Async(Memory, 0, 2, A), Success);
  ASSERT_EQ(cuStreamWriteValue32_v2(A, Memory, 0x12345678, 0), Success);
  ASSERT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(word(Memory + 4), 0u);
}

TEST_P(CudaMemoryOps, RunInBatches) {
  Operation Steps[] = {{Write32, 0, Memory, 1},
                       {Barrier, 1},
                       {Wait32, 0, Memory + 4, 1, Equal},
                       {Flush},
                       {Write64, 0, Memory + 8, ~uint64_t(0)},
                       {Wait64, 0, Memory + 8, 1, And}};
  ASSERT_EQ(cuStreamBatchMemOp_v2(A, 6, Steps, 0), Success);
  ASSERT_EQ(cuStreamWaitValue32_v2(B, Memory, 1, Equal), Success);
  EXPECT_EQ(cuStreamSynchronize(B), Success);
  EXPECT_EQ(word(Memory + 8), 0u);
  ASSERT_EQ(cuStreamWriteValue32_v2(B, Memory + 4, 1, 0), Success);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(word(Memory + 12), ~0u);
}

TEST_P(CudaMemoryOps, AreRefused) {
  EXPECT_EQ(cuStreamWaitValue32_v2(A, 0, 1, Equal), InvalidValue);
  EXPECT_EQ(cuStreamWaitValue32_v2(A, Memory + 2, 1, Equal), InvalidValue);
  EXPECT_EQ(cuStreamWaitValue64_v2(A, Memory + 4, 1, Equal), InvalidValue);
  EXPECT_EQ(cuStreamWaitValue32_v2(A, Memory, 1, 4), InvalidValue);
  EXPECT_EQ(cuStreamWaitValue32_v2(A, Memory + 64, 1, 0), InvalidValue);
  EXPECT_EQ(cuStreamWriteValue32_v2(A, Memory, 1, 2), InvalidValue);
  EXPECT_EQ(cuStreamWriteValue32_v2(&Memory, Memory, 1, 0), InvalidHandle);
  Address Managed = 0;
  ASSERT_EQ(cuMemAllocManaged(&Managed, 64, 1), Success);
  EXPECT_EQ(cuStreamWaitValue32_v2(A, Managed, 1, Equal), InvalidValue);
  EXPECT_EQ(cuMemFree_v2(Managed), Success);
  // Only the first interface knows the flag that lets a write come early, and
  // only the second one barriers.
  EXPECT_EQ(cuStreamWriteValue32_v2(A, Memory, 1, 1), InvalidValue);
  EXPECT_EQ(cuStreamWriteValue32(A, Memory, 1, 1), Success);
  EXPECT_EQ(cuStreamWaitValue32(A, Memory, 1, Equal), Success);
  Operation Fence = {Barrier, 0};
  EXPECT_EQ(cuStreamBatchMemOp(A, 1, &Fence, 0), InvalidValue);
  EXPECT_EQ(cuStreamBatchMemOp_v2(A, 1, &Fence, 0), Success);
  Fence.BarrierFlags = 2;
  EXPECT_EQ(cuStreamBatchMemOp_v2(A, 1, &Fence, 0), InvalidValue);
  Operation Steps[256] = {{Write32, 0, Memory, 8}, {99}};
  EXPECT_EQ(cuStreamBatchMemOp_v2(A, 2, Steps, 0), InvalidValue);
  EXPECT_EQ(cuStreamBatchMemOp_v2(A, 1, Steps, 1), InvalidValue);
  EXPECT_EQ(cuStreamBatchMemOp_v2(A, 1, nullptr, 0), InvalidValue);
  EXPECT_EQ(cuStreamBatchMemOp_v2(A, 256, Steps, 0), InvalidValue);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(word(Memory), 1u); // Nothing of a batch that is refused.
}

TEST_P(CudaMemoryOps, AreNodesOfGraphs) {
  Handle Graph = nullptr, Node = nullptr, Second = nullptr, Exec = nullptr;
  ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
  Operation Steps[] = {{Wait32, 0, Memory, 3, Equal},
                       {Write32, 0, Memory + 4, 4}};
  NodeParams P = {nullptr, 2, Steps, 0};
  ASSERT_EQ(cuGraphAddBatchMemOpNode(&Node, Graph, nullptr, 0, &P), Success);
  int Type = 0;
  EXPECT_EQ(cuGraphNodeGetType(Node, &Type), Success);
  EXPECT_EQ(Type, BatchMemOpNode);
  NodeParams Known = {};
  ASSERT_EQ(cuGraphBatchMemOpNodeGetParams(Node, &Known), Success);
  ASSERT_EQ(Known.Count, 2u);
  EXPECT_NE(Known.Steps, Steps);
  EXPECT_EQ(Known.Steps[1].Value, 4u);

  struct {
    int Kind = BatchMemOpNode, Reserved[3] = {};
    NodeParams P;
    long long Rest[27] = {};
  } Any;
  Operation Last = {Write32, 0, Memory + 8, 6};
  Any.P = {nullptr, 1, &Last, 0};
  static_assert(sizeof(Any) >= 256);
  ASSERT_EQ(cuGraphAddNode_v2(&Second, Graph, &Node, nullptr, 1, &Any),
            Success);

  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  ASSERT_EQ(cuGraphLaunch(Exec, A), Success);
  EXPECT_EQ(cuStreamQuery(A), NotReady);
  ASSERT_EQ(cuStreamWriteValue32_v2(B, Memory, 3, 0), Success);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(word(Memory + 4), 4u);
  EXPECT_EQ(word(Memory + 8), 6u);

  // What was instantiated takes new values, but no other kinds.
  Steps[1].Value = 40;
  EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(Exec, Node, &P), Success);
  ASSERT_EQ(cuGraphLaunch(Exec, A), Success);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(word(Memory + 4), 40u);
  Steps[1].Kind = Write64;
  Steps[1].Place = Memory + 8;
  EXPECT_EQ(cuGraphExecBatchMemOpNodeSetParams(Exec, Node, &P), InvalidValue);
  EXPECT_EQ(cuGraphBatchMemOpNodeSetParams(Node, &P), Success);
  P.Count = 0;
  EXPECT_EQ(cuGraphBatchMemOpNodeSetParams(Node, &P), InvalidValue);
  EXPECT_EQ(cuGraphBatchMemOpNodeGetParams(Node, nullptr), InvalidValue);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  EXPECT_EQ(cuGraphDestroy(Graph), Success);
}

TEST_P(CudaMemoryOps, AreCaptured) {
  Handle Graph = nullptr, Exec = nullptr, Node = nullptr;
  ASSERT_EQ(cuStreamBeginCapture_v2(A, 0), Success);
  ASSERT_EQ(cuStreamWriteValue32_v2(A, Memory, 11, 0), Success);
  ASSERT_EQ(cuStreamEndCapture(A, &Graph), Success);
  EXPECT_EQ(word(Memory), 0u);
  size_t Count = 1;
  ASSERT_EQ(cuGraphGetNodes(Graph, &Node, &Count), Success);
  int Type = 0;
  EXPECT_EQ(cuGraphNodeGetType(Node, &Type), Success);
  EXPECT_EQ(Type, BatchMemOpNode);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  ASSERT_EQ(cuGraphLaunch(Exec, A), Success);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(word(Memory), 11u);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  EXPECT_EQ(cuGraphDestroy(Graph), Success);
}

/// A wait that nobody is going to end does not hold the program up.
TEST_P(CudaMemoryOps, EndWithAFault) {
  Handle Trap = kernel(".visible .entry stop() { trap; ret; }", "stop");
  ASSERT_EQ(cuStreamWaitValue32_v2(A, Memory, 1, Equal), Success);
  ASSERT_EQ(cuLaunchKernel(Trap, 1, 1, 1, 1, 1, 1, 0, B, nullptr, nullptr),
            Success);
  EXPECT_NE(cuStreamSynchronize(A), Success);
  EXPECT_NE(cuCtxSynchronize(), Success);
  ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
  Memory = words(1);
}

/// A program that does not wait for what it has enqueued can end.
TEST_P(CudaMemoryOps, EndWithTheDevice) {
  ASSERT_EQ(cuStreamWaitValue32_v2(A, Memory, 1, Equal), Success);
  ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
  Memory = words(1);
}

INSTANTIATE_TEST_SUITE_P(HostThreads, CudaMemoryOps, testing::Values("1", "2"));

} // namespace
