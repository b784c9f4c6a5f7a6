//===- CudaGraphNodesTest.cpp - Attributes of nodes of graphs -------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What kernels' launches in graphs have besides their parameters, child graphs
// of what is instantiated, and the memory of graphs.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

#include <vector>

extern "C" {
using heddle::test::Address;
using heddle::test::Handle;

int cuStreamBeginCapture_v2(Handle, int);
int cuStreamEndCapture(Handle, Handle *);
int cuGraphCreate(Handle *, unsigned);
int cuGraphDestroy(Handle);
int cuGraphClone(Handle *, Handle);
int cuGraphGetNodes(Handle, Handle *, size_t *);
int cuGraphNodeFindInClone(Handle *, Handle, Handle);
int cuGraphAddEmptyNode(Handle *, Handle, const Handle *, size_t);
int cuGraphAddKernelNode_v2(Handle *, Handle, const Handle *, size_t,
                            const void *);
int cuGraphKernelNodeSetParams_v2(Handle, const void *);
int cuGraphExecKernelNodeSetParams_v2(Handle, Handle, const void *);
int cuGraphKernelNodeGetAttribute(Handle, int, void *);
int cuGraphKernelNodeSetAttribute(Handle, int, const void *);
int cuGraphKernelNodeCopyAttributes(Handle, Handle);
int cuGraphAddChildGraphNode(Handle *, Handle, const Handle *, size_t, Handle);
int cuGraphExecChildGraphNodeSetParams(Handle, Handle, Handle);
int cuGraphAddMemAllocNode(Handle *, Handle, const Handle *, size_t, void *);
int cuGraphAddMemsetNode(Handle *, Handle, const Handle *, size_t, const void *,
                         Handle);
int cuGraphInstantiateWithFlags(Handle *, Handle, unsigned long long);
int cuGraphLaunch(Handle, Handle);
int cuGraphExecDestroy(Handle);
int cuDeviceGetGraphMemAttribute(int, unsigned, void *);
int cuDeviceSetGraphMemAttribute(int, unsigned, void *);
}

using namespace heddle::test;

namespace {

constexpr int Cooperative = 2, SynchronizationPolicy = 3, Cluster = 4,
              Priority = 8, DeviceUpdatable = 13;
constexpr int TooLarge = 720, InvalidClusterSize = 912;

/// CUlaunchAttributeValue.
union Value {
  char Bytes[64];
  int Number;
  unsigned Extents[3];
};

/// CUDA_KERNEL_NODE_PARAMS.
struct KernelParams {
  Handle Function;
  unsigned Grid[3] = {1, 1, 1}, Block[3] = {1, 1, 1}, Shared = 0;
  void **Arguments = nullptr, **Extra = nullptr;
  Handle Kernel = nullptr, Context = nullptr;
};
/// CUDA_MEMSET_NODE_PARAMS.
struct MemsetParams {
  Address Destination;
  size_t Pitch = 4;
  unsigned Number, ElementBytes = 4;
  size_t Width = 1, Height = 1;
};

class CudaGraphNodes : public DriverProgram {
protected:
  void SetUp() override {
    DriverProgram::SetUp();
    ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
    Memory = words(16);
    ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
    Params.Function = kernel(R"(
.visible .entry cluster(.param .u64 place) {
  .reg .b32 %r<1>;
  .reg .b64 %rd<1>;
  ld.param.u64 %rd0, [place];
  mov.u32 %r0, %cluster_nctaid.x;
  st.global.u32 [%rd0], %r0;
  ret;
})",
                             "cluster");
    Params.Arguments = Arguments;
    Params.Grid[0] = 4;
  }
  void TearDown() override {
    EXPECT_EQ(cuGraphDestroy(Graph), Success);
    DriverProgram::TearDown();
  }
  Handle addKernel() {
    Handle Node = nullptr;
    EXPECT_EQ(cuGraphAddKernelNode_v2(&Node, Graph, nullptr, 0, &Params),
              Success);
    return Node;
  }
  static Handle addStore(Handle To, Address Place, unsigned Number) {
    MemsetParams P = {Place, 4, Number};
    Handle Node = nullptr;
    EXPECT_EQ(cuGraphAddMemsetNode(&Node, To, nullptr, 0, &P, nullptr),
              Success);
    return Node;
  }
  static int set(Handle Node, int Attribute, unsigned X, unsigned Y = 0,
                 unsigned Z = 0) {
    Value V = {};
    V.Extents[0] = X;
    V.Extents[1] = Y;
    V.Extents[2] = Z;
    return cuGraphKernelNodeSetAttribute(Node, Attribute, &V);
  }
  static unsigned get(Handle Node, int Attribute) {
    Value V = {};
    V.Number = -1;
    EXPECT_EQ(cuGraphKernelNodeGetAttribute(Node, Attribute, &V), Success);
    return V.Extents[0];
  }
  Handle instantiate() {
    Handle Exec = nullptr;
    EXPECT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
    return Exec;
  }
  static void launch(Handle Exec) {
    ASSERT_EQ(cuGraphLaunch(Exec, nullptr), Success);
    EXPECT_EQ(cuStreamSynchronize(nullptr), Success);
  }
  void run() {
    Handle Exec = instantiate();
    launch(Exec);
    EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  }
  static uint64_t graphMemory(unsigned Attribute) {
    uint64_t Bytes = 0;
    EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, Attribute, &Bytes), Success);
    return Bytes;
  }

  Handle Graph = nullptr;
  Address Memory = 0;
  void *Arguments[1] = {&Memory};
  KernelParams Params = {};
};

TEST_F(CudaGraphNodes, LaunchClusters) {
  Handle Node = addKernel();
  EXPECT_EQ(get(Node, Cluster), 0u);
  run();
  EXPECT_EQ(word(Memory), 1u);
  ASSERT_EQ(set(Node, Cluster, 2, 1, 1), Success);
  EXPECT_EQ(get(Node, Cluster), 2u);
  run();
  EXPECT_EQ(word(Memory), 2u);
  // New parameters do not change that.
  ASSERT_EQ(cuGraphKernelNodeSetParams_v2(Node, &Params), Success);
  run();
  EXPECT_EQ(word(Memory), 2u);
  Handle Exec = instantiate();
  ASSERT_EQ(set(Node, Cluster, 4, 1, 1), Success);
  launch(Exec);
  EXPECT_EQ(word(Memory), 2u); // As it was when instantiated.
  ASSERT_EQ(cuGraphExecKernelNodeSetParams_v2(Exec, Node, &Params), Success);
  launch(Exec);
  EXPECT_EQ(word(Memory), 4u);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  ASSERT_EQ(set(Node, Cluster, 0), Success);
  run();
  EXPECT_EQ(word(Memory), 1u);
}

TEST_F(CudaGraphNodes, RefuseWhatTheDeviceCannotLaunch) {
  Handle Node = addKernel();
  EXPECT_EQ(set(Node, Cluster, 3, 1, 1), InvalidClusterSize);
  EXPECT_EQ(set(Node, Cluster, 2, 0, 1), InvalidClusterSize);
  EXPECT_EQ(get(Node, Cluster), 0u);
  EXPECT_EQ(set(Node, Cooperative, 1), Success);
  EXPECT_EQ(get(Node, Cooperative), 1u);
  Params.Grid[0] = 1 << 24;
  EXPECT_EQ(cuGraphKernelNodeSetParams_v2(Node, &Params), TooLarge);
  EXPECT_EQ(set(Node, Cooperative, 0), Success);
  EXPECT_EQ(cuGraphKernelNodeSetParams_v2(Node, &Params), Success);
  EXPECT_EQ(set(Node, Cooperative, 1), TooLarge);
  EXPECT_EQ(get(Node, Cooperative), 0u);
  EXPECT_EQ(set(Node, DeviceUpdatable, 1), NotSupported);
  EXPECT_EQ(set(Node, DeviceUpdatable, 0), Success);
}

TEST_F(CudaGraphNodes, CopyAttributes) {
  Handle From = addKernel(), To = addKernel();
  ASSERT_EQ(set(From, Cluster, 2, 1, 1), Success);
  ASSERT_EQ(set(From, Priority, 3), Success);
  ASSERT_EQ(cuGraphKernelNodeCopyAttributes(To, From), Success);
  EXPECT_EQ(get(To, Cluster), 2u);
  EXPECT_EQ(get(To, Priority), 3u);
  Handle Clone = nullptr, InClone = nullptr;
  ASSERT_EQ(cuGraphClone(&Clone, Graph), Success);
  ASSERT_EQ(cuGraphNodeFindInClone(&InClone, To, Clone), Success);
  EXPECT_EQ(get(InClone, Priority), 3u);
  EXPECT_EQ(cuGraphDestroy(Clone), Success);
}

TEST_F(CudaGraphNodes, ReadAttributesOfCapturedKernels) {
  Handle Stream = stream(), Captured = nullptr, Node = nullptr;
  ASSERT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
  ASSERT_EQ(cuLaunchKernel(Params.Function, 4, 1, 1, 1, 1, 1, 0, Stream,
                           Arguments, nullptr),
            Success);
  ASSERT_EQ(cuStreamEndCapture(Stream, &Captured), Success);
  size_t Count = 1;
  ASSERT_EQ(cuGraphGetNodes(Captured, &Node, &Count), Success);
  EXPECT_EQ(get(Node, Cooperative), 0u);
  ASSERT_EQ(set(Node, Cluster, 4, 1, 1), Success);
  std::swap(Graph, Captured);
  run();
  EXPECT_EQ(word(Memory), 4u);
  EXPECT_EQ(cuGraphDestroy(Captured), Success);
}

TEST_F(CudaGraphNodes, RefuseOtherNodesAndAttributes) {
  Handle Node = addKernel(), Empty = nullptr;
  ASSERT_EQ(cuGraphAddEmptyNode(&Empty, Graph, nullptr, 0), Success);
  Value V = {};
  for (Handle Wrong : {Empty, Handle(nullptr)}) {
    EXPECT_EQ(cuGraphKernelNodeGetAttribute(Wrong, Priority, &V), InvalidValue);
    EXPECT_EQ(cuGraphKernelNodeSetAttribute(Wrong, Priority, &V), InvalidValue);
    EXPECT_EQ(cuGraphKernelNodeCopyAttributes(Wrong, Node), InvalidValue);
    EXPECT_EQ(cuGraphKernelNodeCopyAttributes(Node, Wrong), InvalidValue);
  }
  for (int Wrong : {0, SynchronizationPolicy, 99}) {
    EXPECT_EQ(cuGraphKernelNodeGetAttribute(Node, Wrong, &V), InvalidValue);
    EXPECT_EQ(cuGraphKernelNodeSetAttribute(Node, Wrong, &V), InvalidValue);
  }
  EXPECT_EQ(cuGraphKernelNodeGetAttribute(Node, Priority, nullptr),
            InvalidValue);
  EXPECT_EQ(cuGraphKernelNodeSetAttribute(Node, Priority, nullptr),
            InvalidValue);
}

TEST_F(CudaGraphNodes, ReplaceAChildOfWhatIsInstantiated) {
  Handle Child = nullptr, Other = nullptr, Longer = nullptr, Node = nullptr;
  for (Handle *G : {&Child, &Other, &Longer})
    ASSERT_EQ(cuGraphCreate(G, 0), Success);
  addStore(Child, Memory, 1);
  addStore(Child, Memory + 4, 2);
  addStore(Other, Memory, 3);
  addStore(Other, Memory + 4, 4);
  addStore(Longer, Memory, 5);
  Handle Before = addStore(Graph, Memory + 8, 6);
  ASSERT_EQ(cuGraphAddChildGraphNode(&Node, Graph, &Before, 1, Child), Success);
  addStore(Graph, Memory + 12, 7);
  Handle Exec = instantiate();
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(Exec, Node, Longer),
            InvalidValue);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(Exec, Before, Other),
            InvalidValue);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(nullptr, Node, Other),
            InvalidValue);
  EXPECT_EQ(cuGraphExecChildGraphNodeSetParams(Exec, Node, nullptr),
            InvalidValue);
  ASSERT_EQ(cuGraphExecChildGraphNodeSetParams(Exec, Node, Other), Success);
  launch(Exec);
  for (unsigned I = 0; I != 4; ++I)
    EXPECT_EQ(word(Memory + 4 * I), (std::vector<unsigned>{3, 4, 6, 7}[I]));
  run(); // The graph itself has its child as it was.
  EXPECT_EQ(word(Memory), 1u);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  for (Handle G : {Child, Other, Longer})
    EXPECT_EQ(cuGraphDestroy(G), Success);
}

TEST_F(CudaGraphNodes, CountTheMemoryOfGraphs) {
  enum : unsigned { UsedNow, UsedMost, ReservedNow, ReservedMost, Unknown };
  uint64_t Zero = 0, One = 1;
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, UsedMost, &Zero), Success);
  uint64_t Before = graphMemory(UsedNow);
  struct {
    int Kind = 1, Handles = 0, LocationType = 1, LocationId = 0;
    uint64_t Rest[9] = {};
    const void *Access = nullptr;
    size_t AccessCount = 0, Bytes = 4096;
    Address Place = 0;
  } P;
  static_assert(sizeof(P) == 120);
  Handle Inner = nullptr, Node = nullptr;
  ASSERT_EQ(cuGraphCreate(&Inner, 0), Success);
  ASSERT_EQ(cuGraphAddMemAllocNode(&Node, Inner, nullptr, 0, &P), Success);
  EXPECT_EQ(graphMemory(UsedNow), Before + 4096);
  EXPECT_EQ(graphMemory(ReservedNow), Before + 4096);
  EXPECT_EQ(cuGraphDestroy(Inner), Success);
  EXPECT_EQ(graphMemory(UsedNow), Before);
  EXPECT_EQ(graphMemory(UsedMost), Before + 4096);
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, ReservedMost, &One), InvalidValue);
  EXPECT_EQ(graphMemory(ReservedMost), Before + 4096);
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, ReservedMost, &Zero), Success);
  EXPECT_EQ(graphMemory(ReservedMost), Before);
  EXPECT_EQ(graphMemory(UsedMost), Before + 4096);
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, UsedMost, &Zero), Success);
  EXPECT_EQ(graphMemory(UsedMost), Before);
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, UsedNow, &Zero), InvalidValue);
  EXPECT_EQ(cuDeviceSetGraphMemAttribute(0, Unknown, &Zero), InvalidValue);
  EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, Unknown, &Zero), InvalidValue);
  EXPECT_EQ(cuDeviceGetGraphMemAttribute(0, UsedNow, nullptr), InvalidValue);
  EXPECT_EQ(cuDeviceGetGraphMemAttribute(1, UsedNow, &Zero), InvalidDevice);
  // The device takes what a graph holds with it.
  ASSERT_EQ(cuGraphCreate(&Inner, 0), Success);
  ASSERT_EQ(cuGraphAddMemAllocNode(&Node, Inner, nullptr, 0, &P), Success);
  ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
  EXPECT_EQ(graphMemory(UsedNow), Before);
  ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
}

} // namespace
