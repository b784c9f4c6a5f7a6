//===- CudaConditionalTest.cpp - Branches and loops of graphs -------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditional nodes, and the kernels that set their conditions.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

extern "C" {
using heddle::test::Address;
using heddle::test::Handle;

int cuStreamBeginCapture_v2(Handle, int);
int cuStreamBeginCaptureToGraph(Handle, Handle, const Handle *, const void *,
                                size_t, int);
int cuStreamEndCapture(Handle, Handle *);
int cuGraphCreate(Handle *, unsigned);
int cuGraphDestroy(Handle);
int cuGraphClone(Handle *, Handle);
int cuGraphNodeGetType(Handle, int *);
int cuGraphDestroyNode(Handle);
int cuGraphAddChildGraphNode(Handle *, Handle, const Handle *, size_t, Handle);
int cuGraphAddHostNode(Handle *, Handle, const Handle *, size_t, const void *);
int cuGraphAddNode_v2(Handle *, Handle, const Handle *, const void *, size_t,
                      void *);
int cuGraphNodeSetParams(Handle, void *);
int cuGraphConditionalHandleCreate(uint64_t *, Handle, Handle, unsigned,
                                   unsigned);
int cuGraphInstantiateWithFlags(Handle *, Handle, unsigned long long);
int cuGraphExecUpdate_v2(Handle, Handle, void *);
int cuGraphExecMemsetNodeSetParams(Handle, Handle, const void *, Handle);
int cuGraphNodeSetEnabled(Handle, Handle, unsigned);
int cuGraphLaunch(Handle, Handle);
int cuGraphExecDestroy(Handle);
int cuMemcpyHtoDAsync_v2(Address, const void *, size_t, Handle);
}

using namespace heddle::test;

namespace {

enum ConditionalKind : int { If, While, Switch };
constexpr int KernelNode = 0, MemsetNode = 2, ConditionalNode = 13;
constexpr unsigned AssignDefault = 1;

/// CUgraphNodeParams, for nodes of these kinds.
struct NodeParams {
  explicit NodeParams(int Kind) : Kind(Kind) {}

  int Kind;
  int Reserved[3] = {};
  union {
    struct {
      uint64_t Condition;
      int Kind;
      unsigned Size;
      Handle *Bodies;
      Handle Context;
    } Conditional;
    struct {
      Handle Function;
      unsigned Grid[3], Block[3], Shared;
      void **Arguments, **Extra;
      Handle Kernel, Context;
    } Kernel;
    struct {
      Address Destination;
      size_t Pitch;
      unsigned Value, ElementBytes;
      size_t Width, Height;
      Handle Context;
    } Memset;
    uint64_t Words[30] = {};
  };
};
static_assert(sizeof(NodeParams) == 256);

/// By the number of host threads that run kernels.
class CudaConditional : public DriverProgram,
                        public testing::WithParamInterface<const char *> {
protected:
  void SetUp() override {
    setenv("HEDDLE_HOST_THREADS", GetParam(), 1);
    DriverProgram::SetUp();
    ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
    Memory = words(16);
    ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
  }
  void TearDown() override {
    EXPECT_EQ(cuGraphDestroy(Graph), Success);
    DriverProgram::TearDown();
    unsetenv("HEDDLE_HOST_THREADS");
  }

  uint64_t condition(unsigned Default = 0, unsigned Flags = AssignDefault) {
    uint64_t Condition = 0;
    EXPECT_EQ(cuGraphConditionalHandleCreate(&Condition, Graph, Context,
                                             Default, Flags),
              Success);
    return Condition;
  }
  /// A conditional node behind Dependency, and its bodies.
  Handle addConditional(Handle To, uint64_t Condition, ConditionalKind Kind,
                        unsigned Size, Handle *Bodies,
                        Handle Dependency = nullptr) {
    NodeParams P(ConditionalNode);
    P.Conditional = {Condition, Kind, Size, nullptr, Context};
    Handle Node = nullptr;
    EXPECT_EQ(cuGraphAddNode_v2(&Node, To, &Dependency, nullptr,
                                Dependency ? 1 : 0, &P),
              Success);
    if (P.Conditional.Bodies)
      std::copy_n(P.Conditional.Bodies, Size, Bodies);
    return Node;
  }
  /// A fill of one word.
  Handle addStore(Handle To, Address Place, unsigned Value,
                  Handle Dependency = nullptr) {
    NodeParams P(MemsetNode);
    P.Memset = {Place, 4, Value, 4, 1, 1, Context};
    Handle Node = nullptr;
    EXPECT_EQ(cuGraphAddNode_v2(&Node, To, &Dependency, nullptr,
                                Dependency ? 1 : 0, &P),
              Success);
    return Node;
  }
  /// Has Exec store another value at the place that a node of addStore fills.
  int restore(Handle Exec, Handle Node, Address Place, unsigned Value) {
    decltype(NodeParams::Memset) P = {Place, 4, Value, 4, 1, 1, nullptr};
    return cuGraphExecMemsetNodeSetParams(Exec, Node, &P, Context);
  }
  /// A launch of a thread of a kernel that takes a condition and an address.
  Handle addKernel(Handle To, Handle Kernel, uint64_t Condition, Address Place,
                   Handle Dependency = nullptr) {
    void *Arguments[] = {&Condition, &Place};
    NodeParams P(KernelNode);
    P.Kernel = {Kernel,    {1, 1, 1}, {1, 1, 1}, 0,
                Arguments, nullptr,   nullptr,   Context};
    Handle Node = nullptr;
    EXPECT_EQ(cuGraphAddNode_v2(&Node, To, &Dependency, nullptr,
                                Dependency ? 1 : 0, &P),
              Success);
    return Node;
  }
  /// Takes Step from a word, counts in the word behind it, and makes the
  /// condition what is left.
  Handle countdown() {
    return kernel(R"(
.extern .func cudaGraphSetConditional(.param .b64 handle, .param .b32 value);
.visible .entry countdown(.param .u64 condition, .param .u64 place) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [condition];
  ld.param.u64 %rd1, [place];
  ld.global.u32 %r0, [%rd1];
  sub.u32 %r0, %r0, 1;
  st.global.u32 [%rd1], %r0;
  ld.global.u32 %r1, [%rd1+4];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%rd1+4], %r1;
  {
    .param .b64 p0;
    .param .b32 p1;
    st.param.b64 [p0], %rd0;
    st.param.b32 [p1], %r0;
    call.uni cudaGraphSetConditional, (p0, p1);
  }
  ret;
})",
                  "countdown");
  }
  void run() {
    Handle Exec = nullptr;
    ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
    launch(Exec);
    EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  }
  void launch(Handle Exec) {
    ASSERT_EQ(cuGraphLaunch(Exec, nullptr), Success);
    EXPECT_EQ(cuStreamSynchronize(nullptr), Success);
  }

  Handle Graph = nullptr;
  Address Memory = 0;
};

TEST_P(CudaConditional, ChooseOneOfTwoBodies) {
  Handle Bodies[2] = {};
  for (unsigned Default : {0u, 1u, 0x80000000u}) {
    addConditional(Graph, condition(Default), If, 2, Bodies);
    addStore(Bodies[0], Memory + 4, 11);
    addStore(Bodies[1], Memory + 4, 22);
    run();
    EXPECT_EQ(word(Memory + 4), Default ? 11u : 22u);
    ASSERT_EQ(cuGraphDestroy(Graph), Success);
    ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
  }
}

/// Nodes of different graphs have the same numbers: what is changed is the node
/// of the body, however deep, or of the child graph, and no other one.
TEST_P(CudaConditional, ChangeNodesInBodiesAndChildren) {
  Handle Root = addStore(Graph, Memory, 1);
  Handle Outer = nullptr, Inner = nullptr;
  addConditional(Graph, condition(1), If, 1, &Outer);
  Handle InOuter = addStore(Outer, Memory + 4, 2);
  addConditional(Outer, condition(1), If, 1, &Inner, InOuter);
  Handle InInner = addStore(Inner, Memory + 8, 3);
  Handle Child = nullptr, Node = nullptr;
  ASSERT_EQ(cuGraphCreate(&Child, 0), Success);
  Handle InChild = addStore(Child, Memory + 12, 4);
  ASSERT_EQ(cuGraphAddChildGraphNode(&Node, Graph, nullptr, 0, Child), Success);
  Handle Exec = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  auto Expect = [&](unsigned A, unsigned B, unsigned C, unsigned D) {
    ASSERT_EQ(cuMemsetD32_v2(Memory, 0, 4), Success);
    launch(Exec);
    EXPECT_EQ(word(Memory), A);
    EXPECT_EQ(word(Memory + 4), B);
    EXPECT_EQ(word(Memory + 8), C);
    EXPECT_EQ(word(Memory + 12), D);
  };
  Expect(1, 2, 3, 4);
  EXPECT_EQ(restore(Exec, InInner, Memory + 8, 30), Success);
  Expect(1, 2, 30, 4);
  EXPECT_EQ(restore(Exec, InOuter, Memory + 4, 20), Success);
  EXPECT_EQ(restore(Exec, InChild, Memory + 12, 40), Success);
  Expect(1, 20, 30, 40);
  EXPECT_EQ(restore(Exec, Root, Memory, 10), Success);
  EXPECT_EQ(cuGraphNodeSetEnabled(Exec, InInner, 0), Success);
  Expect(10, 20, 0, 40);

  Handle Foreign = nullptr;
  ASSERT_EQ(cuGraphCreate(&Foreign, 0), Success);
  EXPECT_EQ(restore(Exec, addStore(Foreign, Memory, 9), Memory, 9), 1);
  Expect(10, 20, 0, 40);
  EXPECT_EQ(cuGraphDestroy(Foreign), Success);
  EXPECT_EQ(cuGraphDestroy(Child), Success);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
}

TEST_P(CudaConditional, LeaveABodyOut) {
  Handle Body = nullptr;
  addConditional(Graph, condition(0), If, 1, &Body);
  addStore(Body, Memory, 11);
  Handle Loop = nullptr;
  addConditional(Graph, condition(0), While, 1, &Loop);
  addStore(Loop, Memory, 22);
  run();
  EXPECT_EQ(word(Memory), 0u);
}

TEST_P(CudaConditional, SwitchByNumber) {
  Handle Bodies[3] = {};
  uint64_t Condition = condition(0, 0); // which keeps what a kernel stores
  addConditional(Graph, Condition, Switch, 3, Bodies);
  for (unsigned I = 0; I != 3; ++I)
    addStore(Bodies[I], Memory, 100 + I);
  Handle Exec = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  for (unsigned Value : {2u, 0u, 1u}) {
    ASSERT_EQ(cuMemsetD32_v2(Condition, Value, 1), Success);
    launch(Exec);
    EXPECT_EQ(word(Memory), 100 + Value);
  }
  ASSERT_EQ(cuMemsetD32_v2(Condition, 3, 1), Success); // which no body has
  ASSERT_EQ(cuMemsetD32_v2(Memory, 7, 1), Success);
  launch(Exec);
  EXPECT_EQ(word(Memory), 7u);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
}

/// A kernel in the body decides when the loop ends; each launch begins anew.
TEST_P(CudaConditional, LoopUntilAKernelEndsIt) {
  uint64_t Condition = condition(1);
  Handle Body = nullptr;
  Handle First = addStore(Graph, Memory, 10);
  Handle Node = addConditional(Graph, Condition, While, 1, &Body, First);
  int Type = 0;
  EXPECT_EQ(cuGraphNodeGetType(Node, &Type), Success);
  EXPECT_EQ(Type, ConditionalNode);
  addKernel(Body, countdown(), Condition, Memory);
  addStore(Graph, Memory + 8, 5, Node);
  Handle Exec = nullptr;
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  for (unsigned Launch = 1; Launch != 4; ++Launch) {
    launch(Exec);
    EXPECT_EQ(word(Memory), 0u);
    EXPECT_EQ(word(Memory + 4), 10 * Launch);
    EXPECT_EQ(word(Memory + 8), 5u);
  }
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
}

/// A branch in a loop, with the condition's default at each turn's beginning.
TEST_P(CudaConditional, Nest) {
  uint64_t Outer = condition(1), Inner = 0;
  Handle Body = nullptr, Then[2] = {};
  Handle Kernel = countdown();
  Handle First = addStore(Graph, Memory, 3);
  addConditional(Graph, Outer, While, 1, &Body, First);
  ASSERT_EQ(
      cuGraphConditionalHandleCreate(&Inner, Body, Context, 0, AssignDefault),
      Success);
  Handle Branch = addConditional(Body, Inner, If, 2, Then);
  Handle Count = nullptr;
  ASSERT_EQ(cuGraphAddChildGraphNode(&Count, Body, &Branch, 1, Then[0]),
            Success); // an empty one
  addKernel(Body, Kernel, Outer, Memory, Count);
  addStore(Then[0], Memory + 8, 1);
  addStore(Then[1], Memory + 12, 2);
  run();
  EXPECT_EQ(word(Memory + 4), 3u);
  EXPECT_EQ(word(Memory + 8), 0u);
  EXPECT_EQ(word(Memory + 12), 2u);
}

TEST_P(CudaConditional, TakeABodyFromAStream) {
  Handle Body = nullptr, Captured = nullptr, Stream = stream();
  addConditional(Graph, condition(1), If, 1, &Body);
  ASSERT_EQ(cuStreamBeginCaptureToGraph(Stream, Body, nullptr, nullptr, 0, 0),
            Success);
  ASSERT_EQ(cuMemsetD32Async(Memory, 33, 1, Stream), Success);
  ASSERT_EQ(cuStreamEndCapture(Stream, &Captured), Success);
  EXPECT_EQ(Captured, Body);
  EXPECT_EQ(word(Memory), 0u);
  run();
  EXPECT_EQ(word(Memory), 33u);
}

TEST_P(CudaConditional, AreUpdatedWithTheirGraph) {
  Handle Body = nullptr, Exec = nullptr;
  addConditional(Graph, condition(1), If, 1, &Body);
  addStore(Body, Memory, 1);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  Handle Old = Graph;
  ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
  addConditional(Graph, condition(1), If, 1, &Body);
  addStore(Body, Memory, 2);
  EXPECT_EQ(cuGraphDestroy(Old), Success);
  EXPECT_EQ(cuGraphExecUpdate_v2(Exec, Graph, nullptr), Success);
  addStore(Body, Memory, 3); // What is instantiated stays as it was.
  launch(Exec);
  EXPECT_EQ(word(Memory), 2u);
  EXPECT_NE(cuGraphExecUpdate_v2(Exec, Graph, nullptr), Success);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
}

TEST_P(CudaConditional, EndWithAFault) {
  uint64_t Condition = condition(1);
  Handle Body = nullptr, Exec = nullptr;
  addConditional(Graph, Condition, While, 1, &Body);
  addKernel(Body,
            kernel(".visible .entry stop(.param .u64 a, .param .u64 b)"
                   "{ trap; ret; }",
                   "stop"),
            Condition, Memory);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  ASSERT_EQ(cuGraphLaunch(Exec, nullptr), Success);
  EXPECT_NE(cuStreamSynchronize(nullptr), Success);
  ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
  ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
}

/// A loop that nobody ends does not hold the program up.
TEST_P(CudaConditional, EndWithTheDevice) {
  Handle Body = nullptr, Exec = nullptr;
  addConditional(Graph, condition(1), While, 1, &Body);
  addStore(Body, Memory, 1);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  ASSERT_EQ(cuGraphLaunch(Exec, nullptr), Success);
  ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
  EXPECT_EQ(cuGraphExecDestroy(Exec), InvalidValue);
  ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
}

TEST_P(CudaConditional, RefuseWhatCannotBe) {
  uint64_t Condition = 0;
  EXPECT_EQ(cuGraphConditionalHandleCreate(nullptr, Graph, Context, 0, 0),
            InvalidValue);
  EXPECT_EQ(cuGraphConditionalHandleCreate(&Condition, nullptr, Context, 0, 0),
            InvalidValue);
  EXPECT_EQ(cuGraphConditionalHandleCreate(&Condition, Graph, Context, 0, 2),
            InvalidValue);
  Condition = condition();
  struct {
    uint64_t Condition;
    int Kind;
    unsigned Size;
  } Wrong[] = {{Condition, If, 0},
               {Condition, If, 3},
               {Condition, While, 2},
               {Condition, Switch, 0},
               {Condition, 3, 1},
               {Condition + 4, If, 1},
               {0, If, 1}};
  for (auto &W : Wrong) {
    NodeParams P(ConditionalNode);
    P.Conditional = {W.Condition, W.Kind, W.Size, nullptr, Context};
    Handle Node = nullptr;
    EXPECT_EQ(cuGraphAddNode_v2(&Node, Graph, nullptr, nullptr, 0, &P),
              InvalidValue);
  }
  Handle Body = nullptr, Copy = nullptr;
  Handle Node = addConditional(Graph, Condition, If, 1, &Body);
  NodeParams P(ConditionalNode);
  P.Conditional = {Condition, If, 1, nullptr, Context};
  EXPECT_EQ(cuGraphAddNode_v2(&Copy, Graph, nullptr, nullptr, 0, &P),
            InvalidValue); // A condition is of one node.
  EXPECT_EQ(cuGraphNodeSetParams(Node, &P), NotSupported);
  EXPECT_EQ(cuGraphDestroy(Body), InvalidValue);
  EXPECT_EQ(cuGraphClone(&Copy, Graph), NotSupported);
  EXPECT_EQ(cuGraphAddChildGraphNode(&Copy, Body, nullptr, 0, Graph),
            NotSupported);
  // The host is not called from a body.
  struct {
    void (*Function)(void *);
    void *Data;
  } Call = {[](void *) {}, nullptr};
  Handle Exec = nullptr;
  ASSERT_EQ(cuGraphAddHostNode(&Copy, Body, nullptr, 0, &Call), Success);
  EXPECT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), InvalidValue);
  // The end of a node is that of its bodies.
  EXPECT_EQ(cuGraphDestroyNode(Node), Success);
  EXPECT_EQ(cuGraphAddHostNode(&Copy, Body, nullptr, 0, &Call), InvalidValue);
}

/// A child would set a condition that ends with its own graph.
TEST_P(CudaConditional, BelongToGraphsThatAreNoChildren) {
  Handle Parent = nullptr, Node = nullptr;
  condition(1);
  ASSERT_EQ(cuGraphCreate(&Parent, 0), Success);
  EXPECT_EQ(cuGraphAddChildGraphNode(&Node, Parent, nullptr, 0, Graph),
            NotSupported);
  EXPECT_EQ(cuGraphDestroy(Parent), Success);
}

TEST_P(CudaConditional, AreNotCaptured) {
  Handle Body = nullptr, Exec = nullptr, Captured = nullptr, Stream = stream();
  addConditional(Graph, condition(1), If, 1, &Body);
  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  ASSERT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
  EXPECT_NE(cuGraphLaunch(Exec, Stream), Success);
  EXPECT_NE(cuStreamEndCapture(Stream, &Captured), Success);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
}

INSTANTIATE_TEST_SUITE_P(HostThreads, CudaConditional,
                         testing::Values("1", "2"));

} // namespace
