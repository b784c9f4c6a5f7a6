//===- CudaDriverObjectsTest.cpp - Graphs, tensor maps, peers ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Graphs built through libcuda.so.1, the maps that it makes for TMA, and what
// it says of other devices and processes.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>

using Address = unsigned long long;
using Handle = void *;

namespace {

struct KernelParams {
  Handle Function;
  unsigned GridX, GridY, GridZ, BlockX, BlockY, BlockZ, Shared;
  void **Arguments, **Extra;
  Handle Kernel, Context;
};
struct MemsetParams {
  Address Destination;
  size_t Pitch;
  unsigned Value, ElementBytes;
  size_t Width, Height;
};
struct CopySide {
  size_t XBytes, Y, Z, Level;
  unsigned Type;
  const void *Host;
  Address Device;
  Handle Array;
  void *Reserved;
  size_t Pitch, Height;
};
struct Copy3D {
  CopySide Source, Destination;
  size_t WidthBytes, Height, Depth;
};
struct HostParams {
  void (*Function)(void *);
  void *Data;
};
/// CUgraphNodeParams.
struct NodeParams {
  unsigned Kind;
  int Reserved[3];
  union {
    KernelParams Kernel;
    MemsetParams Memset;
    struct {
      int Flags, Reserved;
      Handle Context;
      Copy3D Copy;
    } Memcpy;
    struct {
      int Type, HandleTypes, LocationType, LocationId;
      char Rest[72];
      const void *Access;
      size_t AccessCount, Size;
      Address Memory;
    } Allocate;
    struct {
      Address Memory;
    } Free;
    long long Words[30];
  };
};
static_assert(sizeof(NodeParams) == 256);

} // namespace

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(Handle *, int);
int cuCtxCreate_v2(Handle *, unsigned, int);
int cuCtxDestroy_v2(Handle);
int cuCtxPushCurrent_v2(Handle);
int cuCtxPopCurrent_v2(Handle *);
int cuCtxSynchronize();
int cuModuleLoadData(Handle *, const void *);
int cuModuleUnload(Handle);
int cuModuleGetFunction(Handle *, Handle, const char *);
int cuLaunchKernel(Handle, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, Handle, void **, void **);
int cuMemAlloc_v2(Address *, size_t);
int cuMemFree_v2(Address);
int cuMemcpyHtoD_v2(Address, const void *, size_t);
int cuMemcpyDtoH_v2(void *, Address, size_t);
int cuMemcpyPeer(Address, Handle, Address, Handle, size_t);
int cuEventCreate(Handle *, unsigned);
int cuEventDestroy_v2(Handle);
int cuGraphCreate(Handle *, unsigned);
int cuGraphDestroy(Handle);
int cuGraphAddKernelNode_v2(Handle *, Handle, const Handle *, size_t,
                            const KernelParams *);
int cuGraphAddMemsetNode(Handle *, Handle, const Handle *, size_t,
                         const MemsetParams *, Handle);
int cuGraphAddMemcpyNode(Handle *, Handle, const Handle *, size_t,
                         const Copy3D *, Handle);
int cuGraphAddHostNode(Handle *, Handle, const Handle *, size_t,
                       const HostParams *);
int cuGraphKernelNodeGetParams_v2(Handle, KernelParams *);
int cuGraphExecKernelNodeSetParams_v2(Handle, Handle, const KernelParams *);
int cuGraphExecMemsetNodeSetParams(Handle, Handle, const MemsetParams *,
                                   Handle);
int cuGraphMemcpyNodeGetParams(Handle, Copy3D *);
int cuGraphMemsetNodeGetParams(Handle, MemsetParams *);
int cuGraphGetEdges_v2(Handle, Handle *, Handle *, void *, size_t *);
int cuGraphAddDependencies_v2(Handle, const Handle *, const Handle *,
                              const void *, size_t);
int cuGraphAddNode_v2(Handle *, Handle, const Handle *, const void *, size_t,
                      NodeParams *);
int cuGraphExecNodeSetParams(Handle, Handle, NodeParams *);
int cuGraphMemFreeNodeGetParams(Handle, Address *);
int cuGraphInstantiateWithFlags(Handle *, Handle, unsigned long long);
int cuGraphLaunch(Handle, Handle);
int cuGraphExecDestroy(Handle);
int cuTensorMapEncodeTiled(void *, unsigned, unsigned, void *, const uint64_t *,
                           const uint64_t *, const unsigned *, const unsigned *,
                           unsigned, unsigned, unsigned, unsigned);
int cuTensorMapEncodeIm2col(void *, unsigned, unsigned, void *,
                            const uint64_t *, const uint64_t *, const int *,
                            const int *, unsigned, unsigned, const unsigned *,
                            unsigned, unsigned, unsigned, unsigned);
int cuTensorMapEncodeIm2colWide(void *, unsigned, unsigned, void *,
                                const uint64_t *, const uint64_t *, int, int,
                                unsigned, unsigned, const unsigned *, unsigned,
                                unsigned, unsigned, unsigned, unsigned);
int cuTensorMapReplaceAddress(void *, void *);
int cuDeviceCanAccessPeer(int *, int, int);
int cuDeviceGetP2PAttribute(int *, int, int, int);
int cuCtxEnablePeerAccess(Handle, unsigned);
int cuCtxDisablePeerAccess(Handle);
}

namespace {

constexpr int Success = 0, InvalidValue = 1, InvalidDevice = 101,
              InvalidContext = 201, PeerAccessUnsupported = 217,
              PeerAccessNotEnabled = 705, NotSupported = 801;

class CudaDriverObjects : public testing::Test {
protected:
  void SetUp() override {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    ASSERT_EQ(cuInit(0), Success);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&Context, 0), Success);
    ASSERT_EQ(cuCtxPushCurrent_v2(Context), Success);
  }
  void TearDown() override {
    if (Module)
      EXPECT_EQ(cuModuleUnload(Module), Success);
    cuCtxPopCurrent_v2(nullptr);
  }
  Handle load(const char *PTX, const char *Kernel) {
    Handle Function = nullptr;
    EXPECT_EQ(cuModuleLoadData(&Module, PTX), Success);
    EXPECT_EQ(cuModuleGetFunction(&Function, Module, Kernel), Success);
    return Function;
  }
  Address allocate(size_t Size) {
    Address Memory = 0;
    EXPECT_EQ(cuMemAlloc_v2(&Memory, Size), Success);
    return Memory;
  }

  Handle Context = nullptr, Module = nullptr;
};

constexpr char Add[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 v) {
  .reg .u64 %p, %a; .reg .u32 %v, %t, %o;
  ld.param.u64 %p, [p];
  ld.param.u32 %v, [v];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4;
  add.u64 %p, %p, %a;
  ld.global.u32 %o, [%p];
  add.u32 %o, %o, %v;
  st.global.u32 [%p], %o;
  ret;
})";

/// Fills, adds twice, copies to the host and calls it; then the same with other
/// parameters of what was instantiated.
TEST_F(CudaDriverObjects, RunsGraphs) {
  Handle Function = load(Add, "add");
  Address Memory = allocate(64);
  Handle Graph, Set, First, Second, Copy, Call, Exec;
  ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
  MemsetParams Fill = {Memory, 0, 10, 4, 16, 1};
  ASSERT_EQ(cuGraphAddMemsetNode(&Set, Graph, nullptr, 0, &Fill, Context),
            Success);
  unsigned Value = 5;
  void *Arguments[] = {&Memory, &Value};
  KernelParams Kernel = {Function, 1, 1,         1,       16,      1,
                         1,        0, Arguments, nullptr, nullptr, nullptr};
  ASSERT_EQ(cuGraphAddKernelNode_v2(&First, Graph, &Set, 1, &Kernel), Success);
  // Named by the other field, as a CUkernel; ordered by an edge of its own.
  Value = 100;
  std::swap(Kernel.Function, Kernel.Kernel);
  ASSERT_EQ(cuGraphAddKernelNode_v2(&Second, Graph, nullptr, 0, &Kernel),
            Success);
  ASSERT_EQ(cuGraphAddDependencies_v2(Graph, &First, &Second, nullptr, 1),
            Success);
  unsigned Results[16] = {};
  Copy3D C = {};
  C.Source.Type = 2;
  C.Source.Device = Memory;
  C.Destination.Type = 1;
  C.Destination.Host = Results;
  C.WidthBytes = 64;
  C.Height = C.Depth = 1;
  ASSERT_EQ(cuGraphAddMemcpyNode(&Copy, Graph, &Second, 1, &C, Context),
            Success);
  unsigned Sum = 0;
  struct Seen {
    unsigned *Results, *Sum;
  } Data = {Results, &Sum};
  HostParams Host = {[](void *D) {
                       auto *S = static_cast<Seen *>(D);
                       for (int I = 0; I != 16; ++I)
                         *S->Sum += S->Results[I];
                     },
                     &Data};
  ASSERT_EQ(cuGraphAddHostNode(&Call, Graph, &Copy, 1, &Host), Success);

  size_t NumEdges = 0;
  EXPECT_EQ(cuGraphGetEdges_v2(Graph, nullptr, nullptr, nullptr, &NumEdges),
            Success);
  EXPECT_EQ(NumEdges, 4u);
  KernelParams Known;
  EXPECT_EQ(cuGraphKernelNodeGetParams_v2(Second, &Known), Success);
  EXPECT_EQ(Known.Function, Function);
  EXPECT_EQ(Known.BlockX, 16u);
  EXPECT_EQ(*static_cast<unsigned *>(Known.Arguments[1]), 100u);
  MemsetParams Filled;
  EXPECT_EQ(cuGraphMemsetNodeGetParams(Set, &Filled), Success);
  EXPECT_EQ(Filled.Destination, Memory);
  EXPECT_EQ(Filled.Value, 10u);
  Copy3D Copied;
  EXPECT_EQ(cuGraphMemcpyNodeGetParams(Copy, &Copied), Success);
  EXPECT_EQ(Copied.Source.Type, C.Source.Type);
  EXPECT_EQ(Copied.Source.Device, Memory);
  EXPECT_EQ(Copied.Destination.Host, Results);
  EXPECT_EQ(Copied.WidthBytes, 64u);
  EXPECT_EQ(Copied.Depth, 1u);
  EXPECT_EQ(cuGraphMemcpyNodeGetParams(Set, &Copied), InvalidValue);

  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  EXPECT_EQ(cuGraphLaunch(Exec, nullptr), Success);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(Sum, 16u * 115);

  Sum = 0;
  Value = 1000;
  Fill.Value = 20;
  EXPECT_EQ(cuGraphExecKernelNodeSetParams_v2(Exec, Second, &Kernel), Success);
  EXPECT_EQ(cuGraphExecMemsetNodeSetParams(Exec, Set, &Fill, Context), Success);
  EXPECT_EQ(cuGraphLaunch(Exec, nullptr), Success);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(Sum, 16u * 1025);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  EXPECT_EQ(cuGraphDestroy(Graph), Success);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
}

/// A graph that has its memory by itself, all of whose nodes are made by the
/// one call that takes any.
TEST_F(CudaDriverObjects, AddsNodesOfAnyKind) {
  enum { Kernel = 0, Memcpy = 1, Memset = 2, Allocate = 10, Free = 11 };
  Handle Function = load(Add, "add"), Graph, Exec;
  Handle Made, Set, Run, Copy, Gone;
  ASSERT_EQ(cuGraphCreate(&Graph, 0), Success);
  NodeParams P = {};
  P.Kind = Allocate;
  P.Allocate.Type = P.Allocate.LocationType = 1; // pinned, on the device
  P.Allocate.Size = 64;
  ASSERT_EQ(cuGraphAddNode_v2(&Made, Graph, nullptr, nullptr, 0, &P), Success);
  Address Memory = P.Allocate.Memory;
  ASSERT_NE(Memory, 0u);
  P = {};
  P.Kind = Memset;
  P.Memset = {Memory, 0, 10, 4, 16, 1};
  ASSERT_EQ(cuGraphAddNode_v2(&Set, Graph, &Made, nullptr, 1, &P), Success);
  NodeParams Refill = P;
  unsigned Value = 5;
  void *Arguments[] = {&Memory, &Value};
  P = {};
  P.Kind = Kernel;
  P.Kernel = {Function, 1, 1,         1,       16,      1,
              1,        0, Arguments, nullptr, nullptr, nullptr};
  ASSERT_EQ(cuGraphAddNode_v2(&Run, Graph, &Set, nullptr, 1, &P), Success);
  NodeParams Rerun = P;
  unsigned Results[16] = {};
  P = {};
  P.Kind = Memcpy;
  P.Memcpy.Copy.Source.Type = 2;
  P.Memcpy.Copy.Source.Device = Memory;
  P.Memcpy.Copy.Destination.Type = 1;
  P.Memcpy.Copy.Destination.Host = Results;
  P.Memcpy.Copy.WidthBytes = 64;
  P.Memcpy.Copy.Height = P.Memcpy.Copy.Depth = 1;
  ASSERT_EQ(cuGraphAddNode_v2(&Copy, Graph, &Run, nullptr, 1, &P), Success);
  P = {};
  P.Kind = Free;
  P.Free.Memory = Memory;
  ASSERT_EQ(cuGraphAddNode_v2(&Gone, Graph, &Copy, nullptr, 1, &P), Success);
  Address Freed = 0;
  EXPECT_EQ(cuGraphMemFreeNodeGetParams(Gone, &Freed), Success);
  EXPECT_EQ(Freed, Memory);

  ASSERT_EQ(cuGraphInstantiateWithFlags(&Exec, Graph, 0), Success);
  ASSERT_EQ(cuGraphLaunch(Exec, nullptr), Success);
  ASSERT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(Results[15], 15u);
  Value = 7;
  Refill.Memset.Value = 100;
  EXPECT_EQ(cuGraphExecNodeSetParams(Exec, Run, &Rerun), Success);
  EXPECT_EQ(cuGraphExecNodeSetParams(Exec, Set, &Refill), Success);
  ASSERT_EQ(cuGraphLaunch(Exec, nullptr), Success);
  ASSERT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(Results[0], 107u);
  P.Kind = 8; // a signal of an external semaphore
  EXPECT_EQ(cuGraphAddNode_v2(&Gone, Graph, nullptr, nullptr, 0, &P),
            NotSupported);
  EXPECT_EQ(cuGraphExecDestroy(Exec), Success);
  EXPECT_EQ(cuGraphDestroy(Graph), Success);
}

constexpr char LoadTile[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry tile(.param .align 64 .b8 map[128], .param .u64 out,
                     .param .u32 x, .param .u32 y) {
  .shared .align 128 .b8 box[128];
  .shared .align 8 .b64 bar;
  .reg .u64 %m, %o, %a; .reg .u32 %s, %b, %x, %y, %t, %v; .reg .pred %p;
  mov.b64 %m, map;
  cvta.param.u64 %m, %m;
  ld.param.u64 %o, [out];
  ld.param.u32 %x, [x];
  ld.param.u32 %y, [y];
  mov.u32 %s, box;
  mov.u32 %b, bar;
  mov.u32 %t, %tid.x;
  setp.ne.u32 %p, %t, 0;
  @%p bra WAIT;
  mbarrier.init.shared.b64 [%b], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 %a, [%b], 128;
  cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
      [%s], [%m, {%x, %y}], [%b];
WAIT:
  bar.sync 0;
SPIN:
  mbarrier.try_wait.parity.shared.b64 %p, [%b], 0;
  @!%p bra SPIN;
  shl.b32 %v, %t, 2;
  add.u32 %s, %s, %v;
  ld.shared.u32 %v, [%s];
  mul.wide.u32 %a, %t, 4;
  add.u64 %o, %o, %a;
  st.global.u32 [%o], %v;
  ret;
})";

/// A box of 8 x 4 out of 12 x 6 words, at a corner, so that some lie outside.
TEST_F(CudaDriverObjects, MakesTensorMapsThatTMAReads) {
  Handle Function = load(LoadTile, "tile");
  constexpr unsigned Width = 12, Height = 6, BoxWidth = 8, BoxHeight = 4;
  unsigned Tensor[Height][Width], Box[BoxHeight][BoxWidth];
  for (unsigned Y = 0; Y != Height; ++Y)
    for (unsigned X = 0; X != Width; ++X)
      Tensor[Y][X] = 1000 * Y + X + 1;
  Address In = allocate(sizeof(Tensor)), Out = allocate(sizeof(Box));
  ASSERT_EQ(cuMemcpyHtoD_v2(In, Tensor, sizeof(Tensor)), Success);
  // Nobody has to align it, as cuda-bindings does not.
  alignas(64) char Memory[128 + 8];
  char *Map = Memory + 8;
  uint64_t Extents[] = {Width, Height}, Strides[] = {Width * 4};
  unsigned BoxExtents[] = {BoxWidth, BoxHeight}, Steps[] = {1, 1};
  auto Encode = [&](void *To, unsigned Type, unsigned Rank, uint64_t At,
                    unsigned Swizzle) {
    return cuTensorMapEncodeTiled(To, Type, Rank, reinterpret_cast<void *>(At),
                                  Extents, Strides, BoxExtents, Steps, 0,
                                  Swizzle, 2, 0);
  };
  constexpr unsigned UInt32 = 2;
  EXPECT_EQ(Encode(nullptr, UInt32, 2, In, 0), InvalidValue);
  EXPECT_EQ(Encode(Map, 16, 2, In, 0), InvalidValue); // no such type
  EXPECT_EQ(Encode(Map, UInt32, 6, In, 0), InvalidValue);
  EXPECT_EQ(Encode(Map, UInt32, 2, In + 4, 0), InvalidValue); // not aligned
  EXPECT_EQ(Encode(Map, UInt32, 2, In, 7), InvalidValue);     // no such swizzle
  EXPECT_EQ(Encode(Map, UInt32, 2, In, 4), Success);          // 32-byte atoms
  // A wrong place first, which the map is then corrected to.
  ASSERT_EQ(Encode(Map, UInt32, 2, In + 16, 0), Success);
  EXPECT_EQ(cuTensorMapReplaceAddress(Map, reinterpret_cast<void *>(In + 8)),
            InvalidValue);
  ASSERT_EQ(cuTensorMapReplaceAddress(Map, reinterpret_cast<void *>(In)),
            Success);
  unsigned X = 6, Y = 3;
  void *Arguments[] = {Map, &Out, &X, &Y};
  ASSERT_EQ(cuLaunchKernel(Function, 1, 1, 1, 32, 1, 1, 0, nullptr, Arguments,
                           nullptr),
            Success);
  ASSERT_EQ(cuMemcpyDtoH_v2(Box, Out, sizeof(Box)), Success);
  for (unsigned I = 0; I != BoxHeight; ++I)
    for (unsigned J = 0; J != BoxWidth; ++J)
      EXPECT_EQ(Box[I][J],
                Y + I < Height && X + J < Width ? Tensor[Y + I][X + J] : 0)
          << I << ", " << J;
  EXPECT_EQ(cuMemFree_v2(In), Success);
  EXPECT_EQ(cuMemFree_v2(Out), Success);
}

/// Four pixels from one on, over the end of an image's row: what a column of
/// the matrix is that makes a product of a convolution.
constexpr char LoadColumn[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry column(.param .align 64 .b8 map[128], .param .u64 out,
                       .param .u32 w, .param .u32 n) {
  .reg .u64 %m, %o, %a; .reg .u32 %w, %n, %s, %b, %t, %v; .reg .pred %p;
  .reg .u16 %z;
  .shared .align 128 .b8 box[64];
  .shared .align 8 .b8 bar[8];
  mov.b64 %m, map;
  cvta.param.u64 %m, %m;
  ld.param.u64 %o, [out];
  ld.param.u32 %w, [w];
  ld.param.u32 %n, [n];
  mov.u32 %s, box;
  mov.u32 %b, bar;
  mov.u32 %t, %tid.x;
  mov.u16 %z, 0;
  setp.ne.u32 %p, %t, 0;
  @%p bra WAIT;
  mbarrier.init.shared.b64 [%b], 1;
  fence.proxy.async;
  mbarrier.arrive.expect_tx.shared.b64 %a, [%b], 64;
  cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes
      [%s], [%m, {0, %w, %n}], [%b], {%z};
WAIT:
  bar.sync 0;
SPIN:
  mbarrier.try_wait.parity.shared.b64 %p, [%b], 0;
  @!%p bra SPIN;
  shl.b32 %v, %t, 2;
  add.u32 %s, %s, %v;
  ld.shared.u32 %v, [%s];
  mul.wide.u32 %a, %t, 4;
  add.u64 %o, %o, %a;
  st.global.u32 [%o], %v;
  ret;
})";

TEST_F(CudaDriverObjects, MakesTensorMapsOfColumns) {
  Handle Function = load(LoadColumn, "column");
  constexpr unsigned Channels = 4, Width = 6, Images = 2, Pixels = 4;
  unsigned Tensor[Images][Width][Channels], Column[Pixels][Channels];
  for (unsigned N = 0; N != Images; ++N)
    for (unsigned W = 0; W != Width; ++W)
      for (unsigned C = 0; C != Channels; ++C)
        Tensor[N][W][C] = 100 * N + 10 * W + C + 1;
  Address In = allocate(sizeof(Tensor)), Out = allocate(sizeof(Column));
  ASSERT_EQ(cuMemcpyHtoD_v2(In, Tensor, sizeof(Tensor)), Success);
  alignas(64) char Map[128];
  uint64_t Extents[] = {Channels, Width, Images},
           Strides[] = {Channels * 4, Width * Channels * 4};
  unsigned Steps[] = {1, 1, 1};
  int Lower = 0, Upper = 0;
  constexpr unsigned UInt32 = 2;
  auto Encode = [&](unsigned Rank, unsigned PerPixel, unsigned PerColumn) {
    return cuTensorMapEncodeIm2col(
        Map, UInt32, Rank, reinterpret_cast<void *>(In), Extents, Strides,
        &Lower, &Upper, PerPixel, PerColumn, Steps, 0, 0, 0, 0);
  };
  EXPECT_EQ(Encode(2, Channels, Pixels), InvalidValue);
  EXPECT_EQ(Encode(3, 257, Pixels), InvalidValue);
  EXPECT_EQ(Encode(3, Channels, 1025), InvalidValue);
  ASSERT_EQ(Encode(3, Channels, Pixels), Success);
  unsigned W = 4, N = 0;
  void *Arguments[] = {Map, &Out, &W, &N};
  ASSERT_EQ(cuLaunchKernel(Function, 1, 1, 1, Pixels * Channels, 1, 1, 0,
                           nullptr, Arguments, nullptr),
            Success);
  ASSERT_EQ(cuMemcpyDtoH_v2(Column, Out, sizeof(Column)), Success);
  const unsigned (*Expected[])[Channels] = {&Tensor[0][4], &Tensor[0][5],
                                            &Tensor[1][0], &Tensor[1][1]};
  for (unsigned P = 0; P != Pixels; ++P)
    for (unsigned C = 0; C != Channels; ++C)
      EXPECT_EQ(Column[P][C], (*Expected[P])[C]) << P << ", " << C;

  auto EncodeWide = [&](unsigned Mode) {
    return cuTensorMapEncodeIm2colWide(
        Map, UInt32, 3, reinterpret_cast<void *>(In), Extents, Strides, 0, 0,
        Channels, Pixels, Steps, 0, Mode, 0, 0, 0);
  };
  EXPECT_EQ(EncodeWide(2), InvalidValue); // no such mode
  EXPECT_EQ(cuMemFree_v2(In), Success);
  EXPECT_EQ(cuMemFree_v2(Out), Success);
}

/// There is one device and one process, and the answers say so.
TEST_F(CudaDriverObjects, HasNoPeers) {
  int Value = 7;
  EXPECT_EQ(cuDeviceCanAccessPeer(&Value, 0, 0), Success);
  EXPECT_EQ(Value, 0);
  EXPECT_EQ(cuDeviceCanAccessPeer(&Value, 0, 1), InvalidDevice);
  EXPECT_EQ(cuDeviceGetP2PAttribute(&Value, 1, 0, 0), InvalidDevice);
  Handle Other;
  ASSERT_EQ(cuCtxCreate_v2(&Other, 0, 0), Success);
  ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), Success);
  EXPECT_EQ(cuCtxEnablePeerAccess(Other, 0), PeerAccessUnsupported);
  EXPECT_EQ(cuCtxEnablePeerAccess(Other, 1), InvalidValue);
  EXPECT_EQ(cuCtxEnablePeerAccess(Context, 0), InvalidContext);
  EXPECT_EQ(cuCtxDisablePeerAccess(Other), PeerAccessNotEnabled);
  // Contexts share the device, so copies between them work.
  unsigned In[4] = {1, 2, 3, 4}, Back[4] = {};
  Address A = allocate(16), B = allocate(16);
  EXPECT_EQ(cuMemcpyHtoD_v2(A, In, 16), Success);
  EXPECT_EQ(cuMemcpyPeer(B, Other, A, Context, 16), Success);
  EXPECT_EQ(cuMemcpyDtoH_v2(Back, B, 16), Success);
  EXPECT_EQ(std::memcmp(In, Back, 16), 0);
  EXPECT_EQ(cuCtxDestroy_v2(Other), Success);
  EXPECT_EQ(cuMemcpyPeer(B, Other, A, Context, 16), InvalidContext);

  EXPECT_EQ(cuMemFree_v2(A), Success);
  EXPECT_EQ(cuMemFree_v2(B), Success);
}

} // namespace
