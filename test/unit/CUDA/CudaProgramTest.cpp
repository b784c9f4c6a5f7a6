//===- CudaProgramTest.cpp - Managed memory, textures, graphs ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs with managed variables, textures, surfaces, graphs and cooperative
// grids. Expected values are worked out here by other means.
//
//===----------------------------------------------------------------------===//

#include "CudaProgram.h"
#include "../ManyRegisters.h"
#include "Runtime/Runtime.h"
#include "Runtime/RuntimeGraphs.h"

#include <atomic>
#include <thread>

extern "C" cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t,
                                            size_t, cudaMemcpyKind);

namespace {

/// The host and kernels see each other's stores to a managed variable.
TEST_F(CudaProgram, SharesManagedVariables) {
  start(R"(
.visible .global .attribute(.managed) .align 4 .u32 counter = 5;
.visible .entry add() {
  .reg .u32 %r<2>;
  atom.global.add.u32 %r1, [counter], 1;
  ret;
})");
  int *Counter = nullptr;
  __cudaRegisterManagedVar(Handle, reinterpret_cast<void **>(&Counter), nullptr,
                           "counter", 0, 4, 0, 0);
  const void *Add = kernel("add");
  ASSERT_TRUE(__cudaInitModule(Handle));
  ASSERT_NE(Counter, nullptr);
  EXPECT_EQ(*Counter, 5);
  *Counter = 100;
  expectSuccess(cudaLaunchKernel(Add, {2, 1, 1}, {64, 1, 1}, nullptr, 0, {}));
  expectSuccess(cudaDeviceSynchronize());
  EXPECT_EQ(*Counter, 228);
}

/// Libraries choose the shape of a launch by what a kernel's PTX is for.
TEST_F(CudaProgram, SaysWhatAKernelsPTXIsFor) {
  startPTX(
      "// one comment\n/* another */ .version 8.0\n.target sm_80 // a GPU\n"
      ".address_size 64\n.visible .entry nothing() { ret; }\n");
  cudaFuncAttributes Known = {};
  expectSuccess(cudaFuncGetAttributes(&Known, kernel("nothing")));
  EXPECT_EQ(Known.ptxVersion, 80);
  EXPECT_EQ(Known.binaryVersion, 90);
}

/// An address of the host that a later library registered stays when an earlier
/// one that had the address goes.
TEST_F(CudaProgram, KeepsWhatALaterLibraryRegistered) {
  start(".visible .entry first() { ret; }");
  const auto *Shared = static_cast<const char *>(kernel("first"));
  const void *Own = kernel("first");
  std::vector<char> Bytes =
      fatBinaryOf(std::string(PTXHeader) + ".visible .entry later() { ret; }");
  struct {
    uint32_t Magic = 0x466243B1, Version = 1;
    const void *Data, *Names = nullptr;
  } Wrapper{.Data = Bytes.data()};
  void **Later = __cudaRegisterFatBinary(&Wrapper);
  __cudaRegisterFunction(Later, Shared, nullptr, "later", -1, nullptr, nullptr,
                         nullptr, nullptr, nullptr);
  __cudaUnregisterFatBinary(Handle);
  Handle = nullptr;
  EXPECT_EQ(cudaLaunchKernel(Own, {1, 1, 1}, {1, 1, 1}, nullptr, 0, {}),
            cudaErrorInvalidDeviceFunction);
  expectSuccess(cudaLaunchKernel(Shared, {1, 1, 1}, {1, 1, 1}, nullptr, 0, {}));
  expectSuccess(cudaDeviceSynchronize());
  __cudaUnregisterFatBinary(Later);
  EXPECT_EQ(cudaLaunchKernel(Shared, {1, 1, 1}, {1, 1, 1}, nullptr, 0, {}),
            cudaErrorInvalidDeviceFunction);
}

constexpr const char *CallsPart = R"(
.extern .func (.param .b32 r) times_six(.param .b32 x);
.visible .global .align 4 .u32 result;
.visible .entry store_product() {
  .reg .b32 %r<3>;
  { .param .b32 a; .param .b32 b;
    mov.b32 %r0, 7;
    st.param.b32 [a], %r0;
    call (b), times_six, (a);
    ld.param.b32 %r1, [b]; }
  st.global.b32 [result], %r1;
  ret;
})";
constexpr const char *CalledPart = R"(
.visible .func (.param .b32 r) times_six(.param .b32 x) {
  .reg .b32 %r<2>;
  ld.param.b32 %r0, [x];
  mul.lo.u32 %r1, %r0, 6;
  st.param.b32 [r], %r1;
  ret;
})";

/// Device code that was compiled apart is linked when it is loaded.
TEST_F(CudaProgram, LinksWhatWasCompiledApart) {
  startParts({CallsPart, CalledPart});
  const void *StoreProduct = kernel("store_product");
  char Result;
  __cudaRegisterVar(Handle, &Result, nullptr, "result", 0, 4, 0, 0);
  expectSuccess(
      cudaLaunchKernel(StoreProduct, {1, 1, 1}, {1, 1, 1}, nullptr, 0, {}));
  unsigned Value = 0;
  expectSuccess(
      cudaMemcpyFromSymbol(&Value, &Result, 4, 0, cudaMemcpyDeviceToHost));
  EXPECT_EQ(Value, 42u);
}

/// A function that no part has is named.
TEST_F(CudaProgram, NamesWhatNoPartHas) {
  startParts({CallsPart});
  const void *StoreProduct = kernel("store_product");
  testing::internal::CaptureStderr();
  EXPECT_NE(
      cudaLaunchKernel(StoreProduct, {1, 1, 1}, {1, 1, 1}, nullptr, 0, {}),
      cudaSuccess);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                "undefined reference to 'times_six'"),
            std::string::npos);
}

constexpr const char *Lookup = R"(
.visible .entry lookup(.param .u64 tex, .param .u64 out, .param .f32 x,
                       .param .f32 y) {
  .reg .u64 %t, %o; .reg .f32 %x, %y, %r, %g, %b, %a;
  ld.param.u64 %t, [tex];
  ld.param.u64 %o, [out];
  ld.param.f32 %x, [x];
  ld.param.f32 %y, [y];
  tex.2d.v4.f32.f32 {%r, %g, %b, %a}, [%t, {%x, %y}];
  st.global.f32 [%o], %r;
  ret;
})";

class CudaTexture : public CudaProgram {
protected:
  float lookup(cudaTextureObject_t Texture, float X, float Y) {
    if (!Out)
      expectSuccess(cudaMallocManaged(reinterpret_cast<void **>(&Out), 4, 1));
    void *Arguments[] = {&Texture, &Out, &X, &Y};
    expectSuccess(
        cudaLaunchKernel(Kernel, {1, 1, 1}, {1, 1, 1}, Arguments, 0, {}));
    expectSuccess(cudaDeviceSynchronize());
    return *Out;
  }

  const void *Kernel = nullptr;
  float *Out = nullptr;
};

TEST_F(CudaTexture, FiltersArrays) {
  start(Lookup);
  Kernel = kernel("lookup");
  cudaChannelFormatDesc Float = {32, 0, 0, 0, cudaChannelFormatKindFloat};
  cudaArray_t Array;
  expectSuccess(cudaMallocArray(&Array, &Float, 3, 2, 0));
  // A source pitch that is not the array's.
  float Texels[2][5] = {{1, 2, 4, -1, -1}, {10, 20, 40, -1, -1}};
  expectSuccess(cudaMemcpy2DToArray(Array, 0, 0, Texels, sizeof(Texels[0]), 12,
                                    2, cudaMemcpyHostToDevice));
  cudaResourceDesc Resource = {};
  Resource.res.array.array = Array;
  cudaTextureDesc Desc = {};
  Desc.addressMode[0] = Desc.addressMode[1] = cudaAddressModeClamp;
  Desc.filterMode = cudaFilterModeLinear;
  cudaTextureObject_t Texture;
  expectSuccess(cudaCreateTextureObject(&Texture, &Resource, &Desc, nullptr));
  EXPECT_EQ(lookup(Texture, 1.5f, 0.5f), 2); // the middle of a texel
  EXPECT_EQ(lookup(Texture, 2.0f, 0.5f), 3); // between two
  EXPECT_EQ(lookup(Texture, 1.0f, 1.0f), (1 + 2 + 10 + 20) / 4.f);
  EXPECT_EQ(lookup(Texture, 100.f, 1.5f), 40); // clamped
  expectSuccess(cudaDestroyTextureObject(Texture));
  EXPECT_EQ(cudaDestroyTextureObject(Texture), cudaErrorInvalidValue);

  Desc.filterMode = cudaFilterModePoint;
  Desc.addressMode[0] = cudaAddressModeBorder;
  Desc.borderColor[0] = 7;
  expectSuccess(cudaCreateTextureObject(&Texture, &Resource, &Desc, nullptr));
  EXPECT_EQ(lookup(Texture, 1.9f, 1.0f), 20);
  EXPECT_EQ(lookup(Texture, -1.f, 1.0f), 7);
  expectSuccess(cudaFreeArray(Array));
  EXPECT_EQ(cudaFreeArray(Array), cudaErrorInvalidResourceHandle);
}

TEST_F(CudaTexture, ReadsBytesAsFractions) {
  start(Lookup);
  Kernel = kernel("lookup");
  void *Memory;
  constexpr size_t Pitch = 512;
  expectSuccess(cudaMalloc(&Memory, 2 * Pitch));
  uint8_t Texels[2][Pitch] = {{0, 51}, {102, 255}};
  expectSuccess(
      cudaMemcpy(Memory, Texels, sizeof(Texels), cudaMemcpyHostToDevice));
  cudaResourceDesc Resource = {};
  Resource.resType = cudaResourceTypePitch2D;
  Resource.res.pitch2D = {
      Memory, {8, 0, 0, 0, cudaChannelFormatKindUnsigned}, 2, 2, Pitch};
  cudaTextureDesc Desc = {};
  Desc.readMode = cudaReadModeNormalizedFloat;
  Desc.normalizedCoords = 1;
  cudaTextureObject_t Texture;
  expectSuccess(cudaCreateTextureObject(&Texture, &Resource, &Desc, nullptr));
  EXPECT_EQ(lookup(Texture, 0.75f, 0.25f), 51 / 255.f);
  EXPECT_EQ(lookup(Texture, 0.25f, 0.75f), 102 / 255.f);
  EXPECT_EQ(lookup(Texture, 1.75f, 0.75f), 1); // wraps around
}

TEST_F(CudaProgram, StoresToSurfaces) {
  start(R"(
.visible .entry fill(.param .u64 surf) {
  .reg .u64 %s; .reg .u32 %x, %y, %b, %v;
  ld.param.u64 %s, [surf];
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mad.lo.u32 %v, %y, 100, %x;
  shl.b32 %b, %x, 2;
  sust.b.2d.b32.trap [%s, {%b, %y}], %v;
  ret;
})");
  const void *Fill = kernel("fill");
  cudaChannelFormatDesc Word = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
  cudaArray_t Array;
  expectSuccess(
      cudaMallocArray(&Array, &Word, 5, 3, cudaArraySurfaceLoadStore));
  cudaResourceDesc Resource = {};
  Resource.res.array.array = Array;
  cudaSurfaceObject_t Surface;
  expectSuccess(cudaCreateSurfaceObject(&Surface, &Resource));
  void *Arguments[] = {&Surface};
  expectSuccess(cudaLaunchKernel(Fill, {1, 1, 1}, {5, 3, 1}, Arguments, 0, {}));
  uint32_t Texels[3][5];
  expectSuccess(cudaMemcpy2DFromArray(Texels, 20, Array, 0, 0, 20, 3,
                                      cudaMemcpyDeviceToHost));
  for (uint32_t Y = 0; Y != 3; ++Y)
    for (uint32_t X = 0; X != 5; ++X)
      EXPECT_EQ(Texels[Y][X], Y * 100 + X);
}

TEST_F(CudaProgram, LaysOutMipmaps) {
  cudaChannelFormatDesc Desc = {8, 8, 8, 8, cudaChannelFormatKindUnsigned};
  cudaMipmappedArray_t Mipmap;
  expectSuccess(cudaMallocMipmappedArray(&Mipmap, &Desc, {20, 6, 0}, 99, 0));
  cudaArray_t Level;
  cudaExtent Extent;
  expectSuccess(cudaGetMipmappedArrayLevel(&Level, Mipmap, 4)); // the last one
  expectSuccess(cudaArrayGetInfo(nullptr, &Extent, nullptr, Level));
  EXPECT_EQ(Extent.width, 1u);
  EXPECT_EQ(Extent.height, 1u);
  EXPECT_EQ(Extent.depth, 0u);
  EXPECT_EQ(cudaGetMipmappedArrayLevel(&Level, Mipmap, 5),
            cudaErrorInvalidValue);
  // Bytes that go on in the next row.
  expectSuccess(cudaGetMipmappedArrayLevel(&Level, Mipmap, 1)); // 10 times 3
  std::vector<uint32_t> In(25), Out(30);
  for (uint32_t I = 0; I != 25; ++I)
    In[I] = I + 1;
  expectSuccess(
      cudaMemcpyToArray(Level, 12, 0, In.data(), 100, cudaMemcpyHostToDevice));
  expectSuccess(cudaMemcpy2DFromArray(Out.data(), 40, Level, 0, 0, 40, 3,
                                      cudaMemcpyDeviceToHost));
  for (uint32_t I = 0; I != 25; ++I)
    EXPECT_EQ(Out[I + 3], I + 1);
  EXPECT_EQ(cudaFreeArray(Level), cudaErrorInvalidResourceHandle);
  expectSuccess(cudaFreeMipmappedArray(Mipmap));
}

TEST_F(CudaProgram, RunsGraphsBuiltNodeByNode) {
  start(R"(
.visible .entry add(.param .u64 p, .param .u32 v) {
  .reg .u64 %p; .reg .u32 %v, %o;
  ld.param.u64 %p, [p];
  ld.param.u32 %v, [v];
  atom.global.add.u32 %o, [%p], %v;
  ret;
})");
  const void *Add = kernel("add");
  uint32_t *Cell;
  expectSuccess(cudaMallocManaged(reinterpret_cast<void **>(&Cell), 4, 1));
  cudaGraph_t Graph;
  expectSuccess(cudaGraphCreate(&Graph, 0));
  cudaMemsetParams Set = {Cell, 0, 1000, 4, 1, 1};
  cudaGraphNode_t SetNode, AddNode, SeeNode;
  expectSuccess(cudaGraphAddMemsetNode(&SetNode, Graph, nullptr, 0, &Set));
  uint32_t Value = 3;
  void *Arguments[] = {&Cell, &Value};
  cudaKernelNodeParams Launch = {
      const_cast<void *>(Add), {4, 1, 1}, {1, 1, 1}, 0, Arguments, nullptr};
  expectSuccess(cudaGraphAddKernelNode(&AddNode, Graph, &SetNode, 1, &Launch));
  struct Seen {
    uint32_t *Cell;
    std::vector<uint32_t> Values;
  } See = {Cell, {}};
  cudaHostNodeParams Host = {[](void *P) {
                               auto *S = static_cast<Seen *>(P);
                               S->Values.push_back(*S->Cell);
                             },
                             &See};
  expectSuccess(cudaGraphAddHostNode(&SeeNode, Graph, &AddNode, 1, &Host));

  cudaGraphNodeType Type;
  expectSuccess(cudaGraphNodeGetType(AddNode, &Type));
  EXPECT_EQ(Type, cudaGraphNodeTypeKernel);
  size_t Edges = 0;
  expectSuccess(cudaGraphGetEdges(Graph, nullptr, nullptr, nullptr, &Edges));
  EXPECT_EQ(Edges, 2u);
  Value = 100; // the node has a copy
  cudaKernelNodeParams Known;
  expectSuccess(cudaGraphKernelNodeGetParams(AddNode, &Known));
  EXPECT_EQ(*static_cast<uint32_t *>(Known.kernelParams[1]), 3u);

  cudaGraphExec_t Exec;
  expectSuccess(cudaGraphInstantiate(&Exec, Graph, 0));
  expectSuccess(cudaGraphLaunch(Exec, nullptr));
  expectSuccess(cudaGraphExecKernelNodeSetParams(Exec, AddNode, &Launch));
  expectSuccess(cudaGraphLaunch(Exec, nullptr));
  expectSuccess(cudaGraphNodeSetEnabled(Exec, SetNode, 0));
  expectSuccess(cudaGraphLaunch(Exec, nullptr));
  expectSuccess(cudaDeviceSynchronize());
  EXPECT_EQ(See.Values, (std::vector<uint32_t>{1012, 1400, 1800}));
}

/// A graph copies into a variable and out of it, as far as it reaches.
TEST_F(CudaProgram, CopiesToVariablesInGraphs) {
  start(".visible .global .align 4 .b8 cells[16];");
  static char Cells; // what the variable is called on the host
  __cudaRegisterVar(Handle, &Cells, nullptr, "cells", 0, 16, 0, 0);
  uint32_t In[2] = {5, 6}, Out[4] = {};
  cudaGraph_t Graph;
  cudaGraphNode_t To, From;
  expectSuccess(cudaGraphCreate(&Graph, 0));
  expectSuccess(cudaGraphAddMemcpyNodeToSymbol(
      &To, Graph, nullptr, 0, &Cells, In, 8, 8, cudaMemcpyHostToDevice));
  EXPECT_EQ(cudaGraphAddMemcpyNodeToSymbol(&From, Graph, nullptr, 0, &Cells, In,
                                           8, 9, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  expectSuccess(cudaGraphAddMemcpyNodeFromSymbol(
      &From, Graph, &To, 1, Out, &Cells, 16, 0, cudaMemcpyDeviceToHost));
  cudaGraphExec_t Exec;
  expectSuccess(cudaGraphInstantiate(&Exec, Graph, 0));
  expectSuccess(cudaGraphExecMemcpyNodeSetParamsToSymbol(
      Exec, To, &Cells, In + 1, 4, 4, cudaMemcpyHostToDevice));
  expectSuccess(cudaGraphLaunch(Exec, nullptr));
  expectSuccess(cudaDeviceSynchronize());
  EXPECT_EQ(Out[1], 6u);
  expectSuccess(cudaGraphInstantiate(&Exec, Graph, 0));
  expectSuccess(cudaGraphLaunch(Exec, nullptr));
  expectSuccess(cudaDeviceSynchronize());
  EXPECT_EQ(Out[2], 5u);
  EXPECT_EQ(Out[3], 6u);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

/// CTAs that wait for each other in the workspace that %envreg1 and 2 name.
/// What a graph allocates is at one address in all launches, although the
/// program frees it after each.
TEST_F(CudaProgram, FreesMemoryOfGraphsOutsideOfThem) {
  cudaGraph_t Graph;
  cudaGraphNode_t Allocate, Fill;
  cudaGraphExec_t Exec;
  expectSuccess(cudaGraphCreate(&Graph, 0));
  cudaMemAllocNodeParams P = {};
  P.bytesize = 64;
  expectSuccess(cudaGraphAddMemAllocNode(&Allocate, Graph, nullptr, 0, &P));
  cudaMemsetParams Set = {P.dptr, 0, 7, 4, 16, 1};
  expectSuccess(cudaGraphAddMemsetNode(&Fill, Graph, &Allocate, 1, &Set));
  expectSuccess(cudaGraphInstantiate(&Exec, Graph, 0));
  for (bool InStreamOrder : {false, true, false}) {
    unsigned Words[16] = {};
    expectSuccess(cudaGraphLaunch(Exec, nullptr));
    expectSuccess(cudaMemcpy(Words, P.dptr, 64, cudaMemcpyDeviceToHost));
    EXPECT_EQ(Words[0], 7u);
    EXPECT_EQ(Words[15], 7u);
    expectSuccess(InStreamOrder ? cudaFreeAsync(P.dptr, nullptr)
                                : cudaFree(P.dptr));
  }
  expectSuccess(cudaGraphExecDestroy(Exec));
  expectSuccess(cudaGraphDestroy(Graph));
  EXPECT_EQ(cudaFree(P.dptr), cudaErrorInvalidValue);
}

TEST_F(CudaProgram, GivesCooperativeGridsAWorkspace) {
  start(R"(
.visible .entry meet(.param .u64 out) {
  .reg .u64 %o, %w, %h; .reg .u32 %hi, %lo, %n, %v; .reg .pred %p;
  ld.param.u64 %o, [out];
  mov.u32 %hi, %envreg1;
  mov.u32 %lo, %envreg2;
  cvt.u64.u32 %w, %lo;
  cvt.u64.u32 %h, %hi;
  shl.b64 %h, %h, 32;
  or.b64 %w, %w, %h;
  setp.eq.u64 %p, %w, 0;
  @%p ret;
  mov.u32 %n, %nctaid.x;
  atom.global.add.u32 %v, [%w+4], 1;
wait:
  ld.volatile.global.u32 %v, [%w+4];
  setp.ne.u32 %p, %v, %n;
  @%p bra wait;
  atom.global.add.u32 %v, [%o], 1;
  ret;
})");
  const void *Meet = kernel("meet");
  uint32_t *Out;
  expectSuccess(cudaMallocManaged(reinterpret_cast<void **>(&Out), 4, 1));
  void *Arguments[] = {&Out};
  for (uint32_t Round = 1; Round != 3; ++Round) { // each starts at zero
    *Out = 0;
    expectSuccess(cudaLaunchCooperativeKernel(Meet, {7, 1, 1}, {1, 1, 1},
                                              Arguments, 0, {}));
    expectSuccess(cudaDeviceSynchronize());
    EXPECT_EQ(*Out, 7u);
  }
  // No other grid has one.
  *Out = 0;
  expectSuccess(cudaLaunchKernel(Meet, {7, 1, 1}, {1, 1, 1}, Arguments, 0, {}));
  expectSuccess(cudaDeviceSynchronize());
  EXPECT_EQ(*Out, 0u);
  EXPECT_EQ(cudaLaunchCooperativeKernel(Meet, {1 << 20, 1, 1}, {1, 1, 1},
                                        Arguments, 0, {}),
            cudaErrorCooperativeLaunchTooLarge);
}

/// Programs compute occupancy themselves, and divide by a kernel's registers.
TEST_F(CudaProgram, TellsRegistersOfKernelsWithoutAny) {
  start(".visible .entry nothing() { ret; }");
  cudaFuncAttributes Known;
  expectSuccess(cudaFuncGetAttributes(&Known, kernel("nothing")));
  EXPECT_GT(Known.numRegs, 0);
}

/// A kernel that has too many registers for a block has others for it, however
/// it is launched, and again after the device was reset.
TEST_F(CudaProgram, LaunchesLargeBlocksWithFewerRegisters) {
  start(R"(
.visible .entry wide(.param .u64 out) {
  .reg .b32 %s, %x, %y, %n, %t; .reg .b64 %p, %a;
  ld.param.u64 %p, [out];
  mov.u32 %x, %tid.x;
  mov.u32 %y, %tid.y;
  mov.u32 %n, %ntid.x;
  mad.lo.u32 %t, %y, %n, %x;
  mul.wide.u32 %a, %t, 4;
  add.u64 %a, %p, %a;
)" + heddle::sumOfManyValues() +
        "  st.global.b32 [%a], %s;\n  ret;\n}");
  const void *Wide = kernel("wide");
  constexpr size_t Size = 1024 * sizeof(uint32_t);
  for (int Round = 0; Round != 2; ++Round) {
    cudaFuncAttributes Known;
    expectSuccess(cudaFuncGetAttributes(&Known, Wide));
    EXPECT_GT(Known.numRegs, 64);
    EXPECT_EQ(Known.maxThreadsPerBlock, 1024);
    int Blocks = 0;
    expectSuccess(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, Wide, 1024, 0));
    EXPECT_EQ(Blocks, 1);
    uint32_t *Out;
    expectSuccess(cudaMallocManaged(reinterpret_cast<void **>(&Out), Size, 1));
    std::fill_n(Out, 1024, 1);
    void *Arguments[] = {&Out};
    expectSuccess(
        cudaLaunchKernel(Wide, {1, 1, 1}, {1024, 1, 1}, Arguments, 0, {}));
    expectSuccess(cudaDeviceSynchronize());
    EXPECT_EQ(Out[0], 100u);
    EXPECT_EQ(Out[1023], 100u);
    expectSuccess(cudaLaunchCooperativeKernel(Wide, {1, 1, 1}, {32, 32, 1},
                                              Arguments, 0, {}));
    cudaGraph_t Graph;
    cudaGraphNode_t Node;
    cudaGraphExec_t Exec;
    cudaKernelNodeParams Launch = {const_cast<void *>(Wide),
                                   {1, 1, 1},
                                   {512, 2, 1},
                                   0,
                                   Arguments,
                                   nullptr};
    expectSuccess(cudaGraphCreate(&Graph, 0));
    expectSuccess(cudaGraphAddKernelNode(&Node, Graph, nullptr, 0, &Launch));
    expectSuccess(cudaGraphInstantiate(&Exec, Graph, 0));
    expectSuccess(cudaGraphLaunch(Exec, nullptr));
    expectSuccess(cudaDeviceSynchronize());
    EXPECT_EQ(Out[0], 1000000u);
    EXPECT_EQ(Out[1023], 1000000u);
    expectSuccess(cudaDeviceReset());
  }
}

const std::string WideKernel = R"(
.visible .entry wide(.param .u64 out) {
  .reg .b32 %s; .reg .b64 %a;
  ld.param.u64 %a, [out];
)" + heddle::sumOfManyValues() +
                               "  st.global.b32 [%a], %s;\n  ret;\n}";

/// What nvcc was told of registers holds, unless who loads the code knows
/// better.
TEST_F(CudaProgram, KeepsToTheRegistersThatItsBuildAskedFor) {
  start(WideKernel, "-maxrregcount=40 --compile-only  ");
  cudaFuncAttributes Known;
  expectSuccess(cudaFuncGetAttributes(&Known, kernel("wide")));
  EXPECT_LE(Known.numRegs, 40);
}

TEST_F(CudaProgram, HasNoLimitWhereItsBuildSaysNothingOfRegisters) {
  start(WideKernel, "--compile-only -v");
  cudaFuncAttributes Known;
  expectSuccess(cudaFuncGetAttributes(&Known, kernel("wide")));
  EXPECT_GT(Known.numRegs, 64);
}

/// A kernel that calls what it finds in a table.
const char *CallsTablePart = R"(
.extern .global .align 8 .u64 table[1];
.visible .entry run(.param .u64 out) {
  .reg .b64 %p, %f, %o; .reg .b32 %t;
  ld.param.u64 %p, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %o, %t, 4;
  add.u64 %p, %p, %o;
  ld.global.u64 %f, [table];
  { .param .b64 a;
    st.param.b64 [a], %p;
    P: .callprototype _ (.param .b64 _);
    call %f, (a), P; }
  ret;
})";
const std::string TablePart = R"(
.visible .func wide(.param .b64 out) {
  .reg .b32 %s; .reg .b64 %a;
  ld.param.b64 %a, [out];
)" + heddle::sumOfManyValues() +
                              R"(  st.global.b32 [%a], %s;
  ret;
}
.visible .global .align 8 .u64 table[1] = {wide};
)";

class CudaParts : public CudaProgram {
protected:
  /// Launches the kernel above with one block.
  void expectToRun(unsigned Threads) {
    const void *Run = kernel("run");
    uint32_t *Out;
    expectSuccess(
        cudaMallocManaged(reinterpret_cast<void **>(&Out), 4 * Threads, 1));
    std::fill_n(Out, Threads, 1);
    void *Arguments[] = {&Out};
    expectSuccess(
        cudaLaunchKernel(Run, {1, 1, 1}, {Threads, 1, 1}, Arguments, 0, {}));
    expectSuccess(cudaDeviceSynchronize());
    EXPECT_EQ(Out[0], 100u);
    EXPECT_EQ(Out[Threads - 1], 100u);
  }
};

/// What is called by pointers from another part has the limit of its build.
TEST_F(CudaParts, KeepToTheRegistersThatTheirBuildAskedFor) {
  startParts({CallsTablePart, TablePart}, "-maxrregcount=64 --compile-only");
  cudaFuncAttributes Known;
  expectSuccess(cudaFuncGetAttributes(&Known, kernel("run")));
  EXPECT_LE(Known.numRegs, 64);
  expectToRun(1024);
}

/// The program is linked anew for blocks that need fewer registers, with those
/// functions.
TEST_F(CudaParts, RunLargeBlocksWithFewerRegisters) {
  startParts({CallsTablePart, TablePart});
  cudaFuncAttributes Known;
  expectSuccess(cudaFuncGetAttributes(&Known, kernel("run")));
  EXPECT_GT(Known.numRegs, 64);
  expectToRun(1024);
}

/// Tables of jumps lead into the code that they are in, also where pointers to
/// functions do not, since the code may be replaced.
TEST_F(CudaProgram, JumpsByTablesInCodeThatMayBeReplaced) {
  const char *Operations[] = {"add.u32", "min.u32", "max.u32",  "xor.b32",
                              "or.b32",  "and.b32", "exch.b32", "inc.u32"};
  constexpr unsigned Count = 16; // Fewer are compared one by one.
  std::string Labels, Cases;
  for (unsigned I = 0; I != Count; ++I) {
    std::string Label = "C" + std::to_string(I);
    Labels += (I ? ", " : "") + Label;
    Cases += Label + ": atom.global." + Operations[I % 8] + " %v, [%p], " +
             std::to_string(12 + I) + ";\n  bra.uni DONE;\n";
  }
  start(R"(
.visible .entry wide(.param .u64 out) {
  .reg .b32 %s; .reg .b64 %a;
  ld.param.u64 %a, [out];
)" + heddle::sumOfManyValues() +
        R"(  st.global.b32 [%a], %s;
  ret;
}
.visible .entry choose(.param .u64 out) {
  .reg .b32 %w, %v; .reg .b64 %p, %o;
  ld.param.u64 %p, [out];
  mov.u32 %w, %tid.x;
  mul.wide.u32 %o, %w, 4;
  add.u64 %p, %p, %o;
TABLE: .branchtargets )" +
        Labels + ";\n  brx.idx %w, TABLE;\n" + Cases + "DONE:\n  ret;\n}");
  uint32_t *Out;
  expectSuccess(
      cudaMallocManaged(reinterpret_cast<void **>(&Out), 4 * Count, 1));
  std::fill_n(Out, Count, 10);
  void *Arguments[] = {&Out};
  expectSuccess(cudaLaunchKernel(kernel("choose"), {1, 1, 1}, {Count, 1, 1},
                                 Arguments, 0, {}));
  expectSuccess(cudaDeviceSynchronize());
  const std::vector<uint32_t> Wanted = {
      10 + 12, 10, 14, 5,  10 | 16, 10 & 17, 18, 11,
      10 + 20, 10, 22, 29, 10 | 24, 10 & 25, 26, 11};
  EXPECT_EQ(std::vector<uint32_t>(Out, Out + Count), Wanted);
}

/// Kernels that ask for attributes of the device hear what the host does.
TEST_F(CudaProgram, TellsKernelsOfDeviceAttributes) {
  start(R"(
.extern .func (.param .b32 status) __cudaCDP2DeviceGetAttribute(
    .param .b64 value, .param .b32 attribute, .param .b32 device);
.visible .entry ask(.param .u64 out) {
  .reg .b32 %a, %s; .reg .b64 %p, %o;
  ld.param.u64 %p, [out];
  mov.u32 %a, %tid.x;
  mul.wide.u32 %o, %a, 4;
  add.u64 %p, %p, %o;
  { .param .b64 v; .param .b32 w; .param .b32 d; .param .b32 r;
    st.param.b64 [v], %p; st.param.b32 [w], %a; st.param.b32 [d], 0;
    call (r), __cudaCDP2DeviceGetAttribute, (v, w, d);
    ld.param.b32 %s, [r]; }
  ret;
})");
  uint32_t *Out;
  expectSuccess(cudaMallocManaged(reinterpret_cast<void **>(&Out), 512, 1));
  void *Arguments[] = {&Out};
  expectSuccess(cudaLaunchKernel(kernel("ask"), {1, 1, 1}, {128, 1, 1},
                                 Arguments, 0, {}));
  expectSuccess(cudaDeviceSynchronize());
  for (int Attribute :
       {1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 13, 16, 39, 81, 82, 97}) {
    int Wanted = -1;
    expectSuccess(cudaDeviceGetAttribute(&Wanted, Attribute, 0));
    EXPECT_EQ(Out[Attribute], uint32_t(Wanted)) << Attribute;
  }
}

/// When a copy from memory that CUDA was not told of returns, the program may
/// use that memory again, whatever the stream still has to do.
TEST_F(CudaProgram, CopiesFromPageableMemoryBeforeItReturns) {
  cudaStream_t Stream;
  expectSuccess(cudaStreamCreate(&Stream));
  std::atomic<bool> Go{false};
  expectSuccess(cudaLaunchHostFunc(
      Stream,
      [](void *P) {
        while (!static_cast<std::atomic<bool> *>(P)->load())
          std::this_thread::yield();
      },
      &Go));
  void *Device;
  expectSuccess(cudaMalloc(&Device, 4));
  int Value = 42;
  expectSuccess(
      cudaMemcpyAsync(Device, &Value, 4, cudaMemcpyHostToDevice, Stream));
  Value = 0;
  Go = true;
  // To pageable memory a copy returns when it is done.
  int Result = 0;
  expectSuccess(
      cudaMemcpyAsync(&Result, Device, 4, cudaMemcpyDeviceToHost, Stream));
  EXPECT_EQ(Result, 42);
}

} // namespace
