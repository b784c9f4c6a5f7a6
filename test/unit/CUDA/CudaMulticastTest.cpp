//===- CudaMulticastTest.cpp - What several devices do together -----------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Multicast objects, whose addresses stand for memory of two devices, and
// cooperative launches, whose grids on several devices wait for each other.
//
//===----------------------------------------------------------------------===//

#include "VirtualMemory.h"
#include "gtest/gtest.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <unistd.h>
#include <vector>

using namespace heddle::test;

namespace {

struct MulticastProp {
  unsigned NumDevices;
  size_t Size;
  unsigned long long HandleTypes, Flags;
};
struct LaunchParams {
  Handle Function;
  unsigned Grid[3], Block[3], Shared;
  Handle Stream;
  void **Arguments;
};

enum {
  Success = 0,
  InvalidValue = 1,
  InvalidDevice = 101,
  InvalidHandle = 400,
  IllegalAddress = 700,
  TooLarge = 720,
  NotSupported = 801
};

} // namespace

extern "C" {
int cuCtxSetCurrent(Handle);
int cuLaunchCooperativeKernelMultiDevice(LaunchParams *, unsigned, unsigned);
int cuStreamCreate(Handle *, unsigned);
int cuStreamDestroy_v2(Handle);
int cuStreamSynchronize(Handle);
int cuMemAllocManaged(Address *, size_t, unsigned);
int cuMulticastGetGranularity(size_t *, const MulticastProp *, int);
int cuMulticastCreate(MemHandle *, const MulticastProp *);
int cuMulticastAddDevice(MemHandle, int);
int cuMulticastBindMem(MemHandle, size_t, MemHandle, size_t, size_t,
                       unsigned long long);
int cuMulticastBindMem_v2(MemHandle, int, size_t, MemHandle, size_t, size_t,
                          unsigned long long);
int cuMulticastBindAddr(MemHandle, size_t, Address, size_t, unsigned long long);
int cuMulticastUnbind(MemHandle, int, size_t, size_t);
}

namespace {

/// `load` reduces words of several types, `store` and `add` write what all
/// members have from then on, `read` is no multimem access.
constexpr const char *MultimemPTX = R"(
.version 8.6
.target sm_100a
.address_size 64
.visible .entry load(.param .u64 from, .param .u64 to) {
  .reg .u64 %f, %t, %d;
  .reg .b32 %r<4>;
  .reg .f32 %s<4>;
  ld.param.u64 %f, [from];
  ld.param.u64 %t, [to];
  multimem.ld_reduce.relaxed.sys.global.add.u32 %r0, [%f];
  st.global.u32 [%t], %r0;
  multimem.ld_reduce.relaxed.sys.global.min.s32 %r0, [%f+4];
  st.global.u32 [%t+4], %r0;
  multimem.ld_reduce.relaxed.sys.global.xor.b64 %d, [%f+8];
  st.global.u64 [%t+8], %d;
  multimem.ld_reduce.acquire.sys.global.add.v4.f32 {%s0, %s1, %s2, %s3}, [%f+16];
  st.global.v4.f32 [%t+16], {%s0, %s1, %s2, %s3};
  multimem.ld_reduce.weak.global.add.f16x2 %r0, [%f+32];
  st.global.u32 [%t+32], %r0;
  multimem.ld_reduce.weak.global.add.acc::f32.f16x2 %r0, [%f+36];
  st.global.u32 [%t+36], %r0;
  multimem.ld_reduce.weak.global.max.bf16x2 %r0, [%f+40];
  st.global.u32 [%t+40], %r0;
  multimem.ld_reduce.weak.global.add.acc::f16.e4m3x4 %r0, [%f+44];
  st.global.u32 [%t+44], %r0;
  ret;
}
.visible .entry store(.param .u64 to) {
  .reg .u64 %t;
  .reg .f32 %s;
  ld.param.u64 %t, [to];
  mov.f32 %s, 0f3fc00000;
  multimem.st.release.sys.global.u32 [%t], 77;
  multimem.st.relaxed.sys.global.v4.f32 [%t+16], {%s, %s, %s, %s};
  ret;
}
.visible .entry add(.param .u64 to) {
  .reg .u64 %t;
  .reg .f32 %s;
  ld.param.u64 %t, [to];
  mov.f32 %s, 0f3e800000;
  multimem.red.relaxed.sys.global.add.u32 [%t], 5;
  multimem.red.release.sys.global.add.v2.f32 [%t+16], {%s, %s};
  ret;
}
.visible .entry read(.param .u64 from, .param .u64 to) {
  .reg .u64 %f, %t;
  .reg .b32 %r;
  ld.param.u64 %f, [from];
  ld.param.u64 %t, [to];
  ld.global.u32 %r, [%f];
  st.global.u32 [%t], %r;
  ret;
}
)";

/// Each thread of each grid counts, meets all others, and looks whether all
/// have counted; twice, with a grid's own barrier in between. What each grid
/// is told of the group it stores: threads, grids, its rank, the first thread's
/// rank.
constexpr const char *MeetPTX = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b64 r) cudaCGGetIntrinsicHandle (.param .b32 a);
.extern .func (.param .b32 r) cudaCGGetSize (.param .b64 a, .param .b64 b, .param .b64 c);
.extern .func (.param .b32 r) cudaCGGetRank (.param .b64 a, .param .b64 b, .param .b64 c);
.extern .func (.param .b32 r) cudaCGSynchronize (.param .b64 a, .param .b32 b);
.extern .func (.param .b32 r) cudaCGSynchronizeGrid (.param .b64 a, .param .b32 b);
.visible .entry meet(.param .u64 counter, .param .u64 told, .param .u64 wrong) {
  .local .align 8 .b8 place[16];
  .reg .u64 %c, %o, %w, %h, %a, %b, %l;
  .reg .u32 %r, %threads, %grids, %thread, %grid, %n, %i, %e;
  .reg .pred %p;
  ld.param.u64 %c, [counter];
  ld.param.u64 %o, [told];
  ld.param.u64 %w, [wrong];
  { .param .b32 p0; st.param.b32 [p0], 2; .param .b64 r0;
    call.uni (r0), cudaCGGetIntrinsicHandle, (p0);
    ld.param.b64 %h, [r0]; }
  setp.eq.u64 %p, %h, 0;
  @%p bra WRONG;
  mov.u64 %l, place;
  cvta.local.u64 %a, %l;
  add.u64 %b, %a, 4;
  { .param .b64 p0; st.param.b64 [p0], %a; .param .b64 p1; st.param.b64 [p1], %b;
    .param .b64 p2; st.param.b64 [p2], %h; .param .b32 r0;
    call.uni (r0), cudaCGGetSize, (p0, p1, p2); ld.param.b32 %r, [r0]; }
  ld.local.u32 %threads, [%l];
  ld.local.u32 %grids, [%l+4];
  { .param .b64 p0; st.param.b64 [p0], %a; .param .b64 p1; st.param.b64 [p1], %b;
    .param .b64 p2; st.param.b64 [p2], %h; .param .b32 r0;
    call.uni (r0), cudaCGGetRank, (p0, p1, p2); ld.param.b32 %r, [r0]; }
  ld.local.u32 %thread, [%l];
  ld.local.u32 %grid, [%l+4];
  mov.u32 %i, 1;
ROUND:
  red.relaxed.sys.global.add.u32 [%c], 1;
  { .param .b64 p0; st.param.b64 [p0], %h; .param .b32 p1; st.param.b32 [p1], 0;
    .param .b32 r0; call.uni (r0), cudaCGSynchronize, (p0, p1);
    ld.param.b32 %r, [r0]; }
  mul.lo.u32 %e, %threads, %i;
  ld.relaxed.sys.global.u32 %n, [%c];
  setp.ne.u32 %p, %n, %e;
  @%p bra WRONG;
  { .param .b64 p0; st.param.b64 [p0], %h; .param .b32 p1; st.param.b32 [p1], 0;
    .param .b32 r0; call.uni (r0), cudaCGSynchronizeGrid, (p0, p1);
    ld.param.b32 %r, [r0]; }
  { .param .b64 p0; st.param.b64 [p0], %h; .param .b32 p1; st.param.b32 [p1], 0;
    .param .b32 r0; call.uni (r0), cudaCGSynchronize, (p0, p1);
    ld.param.b32 %r, [r0]; }
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 4;
  @%p bra ROUND;
  mov.u32 %r, %tid.x;
  mov.u32 %n, %ctaid.x;
  or.b32 %r, %r, %n;
  setp.ne.u32 %p, %r, 0;
  @%p bra DONE;
  mad.wide.u32 %o, %grid, 16, %o;
  st.global.v4.u32 [%o], {%threads, %grids, %grid, %thread};
DONE:
  ret;
WRONG:
  red.relaxed.sys.global.add.u32 [%w], 1;
  ret;
}
)";

constexpr int NumDevices = 3;
constexpr size_t Size = 2 << 20;

class DevicesTogether : public testing::Test {
protected:
  static void SetUpTestSuite() { setenv("HEDDLE_DEVICES", "2xhd100,hd10", 1); }
  void SetUp() override {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    ASSERT_EQ(cuInit(0), Success);
    for (int D = 0; D != NumDevices; ++D)
      ASSERT_EQ(cuDevicePrimaryCtxRetain(&Contexts[D], D), Success);
    use(0);
  }
  void TearDown() override {
    for (int D = 0; D != NumDevices; ++D)
      cuDevicePrimaryCtxReset_v2(D);
  }
  void use(int Device) {
    ASSERT_EQ(cuCtxSetCurrent(Contexts[Device]), Success);
  }

  /// A function of a module that is loaded for the current device.
  static Handle function(const char *PTX, const char *Name) {
    Handle Module = nullptr, Function = nullptr;
    EXPECT_EQ(cuModuleLoadData(&Module, PTX), Success);
    EXPECT_EQ(cuModuleGetFunction(&Function, Module, Name), Success);
    return Function;
  }
  template <typename... Args>
  static int run(const char *Name, Args... Arguments) {
    void *Places[] = {static_cast<void *>(&Arguments)...};
    if (int Code = cuLaunchKernel(function(MultimemPTX, Name), 1, 1, 1, 1, 1, 1,
                                  0, nullptr, Places, nullptr))
      return Code;
    return cuCtxSynchronize();
  }

  static MemHandle create(int Device) {
    AllocationProp P = {
        Pinned, FileDescriptor, {OnDevice, Device}, nullptr, {}};
    MemHandle M = 0;
    EXPECT_EQ(cuMemCreate(&M, Size, &P, 0), Success);
    return M;
  }
  static MemHandle group(unsigned Members, int HandleTypes = 0) {
    MulticastProp P = {Members, Size, unsigned(HandleTypes), 0};
    MemHandle M = 0;
    EXPECT_EQ(cuMulticastCreate(&M, &P), Success);
    return M;
  }
  /// Maps memory, or a multicast object, for all devices.
  static Address map(MemHandle M) {
    Address At = 0;
    EXPECT_EQ(cuMemAddressReserve(&At, Size, 0, 0, 0), Success);
    EXPECT_EQ(cuMemMap(At, Size, 0, M, 0), Success);
    AccessDesc All[NumDevices];
    for (int D = 0; D != NumDevices; ++D)
      All[D] = {{OnDevice, D}, ReadWrite};
    EXPECT_EQ(cuMemSetAccess(At, Size, All, NumDevices), Success);
    return At;
  }
  static void unmap(Address At) {
    EXPECT_EQ(cuMemUnmap(At, Size), Success);
    EXPECT_EQ(cuMemAddressFree(At, Size), Success);
  }
  template <typename T> static void write(Address To, std::vector<T> Values) {
    EXPECT_EQ(cuMemcpyHtoD_v2(To, Values.data(), Values.size() * sizeof(T)),
              Success);
  }
  template <typename T> static std::vector<T> read(Address From, size_t Count) {
    std::vector<T> Values(Count);
    EXPECT_EQ(cuMemcpyDtoH_v2(Values.data(), From, Count * sizeof(T)), Success);
    return Values;
  }

  Handle Contexts[NumDevices] = {};
};

TEST_F(DevicesTogether, SayWhatTheyCan) {
  constexpr int CooperativeMultiDevice = 96, Multicast = 132;
  for (int Attribute : {CooperativeMultiDevice, Multicast}) {
    int Value = 0;
    EXPECT_EQ(cuDeviceGetAttribute(&Value, Attribute, 1), Success);
    EXPECT_EQ(Value, 1);
  }
  MulticastProp P = {2, Size, 0, 0};
  size_t Granularity = 0;
  EXPECT_EQ(cuMulticastGetGranularity(&Granularity, &P, 0), Success);
  EXPECT_EQ(Granularity, Size);
}

TEST_F(DevicesTogether, LoadsReduceWhatAllMembersHave) {
  MemHandle Group = group(2), M[2] = {create(0), create(1)};
  Address Own[2] = {map(M[0]), map(M[1])};
  for (int D : {0, 1})
    EXPECT_EQ(cuMulticastAddDevice(Group, D), Success);
  for (int D : {0, 1})
    EXPECT_EQ(cuMulticastBindMem(Group, 0, M[D], 0, Size, 0), Success);
  Address All = map(Group), Out = map(create(1));
  // 1 + 2^-11 is no half, two of it and 2^-10 are none either.
  constexpr uint32_t One = 0x3c00, Tiny = 0x1000; // 1 and 2^-11
  for (int D : {0, 1}) {
    write<uint32_t>(Own[D], {D ? 40u : 2u, D ? uint32_t(-7) : 3u,
                             D ? 0xFu : 0x3u, D ? 0u : 0x80u});
    write<float>(Own[D] + 16, {1.5f + D, 2, 3, 4e20f});
    write<uint32_t>(Own[D] + 32, {0x3c004000, // 2, 1
                                  D ? Tiny << 16 | One : One << 16 | One,
                                  D ? 0xbf803f80u : 0x40003f00u, // bf16
                                  0x7e3838b8u});                 // e4m3
  }
  use(1);
  ASSERT_EQ(run("load", All, Out), Success);
  EXPECT_EQ(read<uint32_t>(Out, 4),
            (std::vector<uint32_t>{42, uint32_t(-7), 0xC, 0x80}));
  EXPECT_EQ(read<float>(Out + 16, 4), (std::vector<float>{4, 4, 6, 8e20f}));
  // 4 and 2; 2 and 1, to which 2^-11 is half of a last place: to even; the
  // greater ones, 1 and 2; 448 and 2 times -1, 1 and 1, where 896 is too much.
  EXPECT_EQ(read<uint32_t>(Out + 32, 4),
            (std::vector<uint32_t>{0x40004400, One << 16 | 0x4000, 0x40003f80,
                                   0x7e4040c0}));
}

TEST_F(DevicesTogether, StoresAndReductionsReachAllMembers) {
  MemHandle Group = group(2), M[2] = {create(0), create(1)};
  Address Own[2] = {map(M[0]), map(M[1])};
  for (int D : {0, 1})
    EXPECT_EQ(cuMulticastAddDevice(Group, D), Success);
  EXPECT_EQ(cuMulticastBindMem_v2(Group, 0, 0, M[0], 0, Size, 0), Success);
  EXPECT_EQ(cuMulticastBindAddr(Group, 0, Own[1], Size, 0), Success);
  Address All = map(Group);
  use(1);
  ASSERT_EQ(run("store", All), Success);
  use(0);
  ASSERT_EQ(run("add", All), Success);
  for (int D : {0, 1}) {
    EXPECT_EQ(read<uint32_t>(Own[D], 1).front(), 82u);
    EXPECT_EQ(read<float>(Own[D] + 16, 4),
              (std::vector<float>{1.75f, 1.75f, 1.5f, 1.5f}));
  }
  // What is unbound keeps what it has.
  EXPECT_EQ(cuMulticastUnbind(Group, 0, 0, Size), Success);
  ASSERT_EQ(run("add", All), Success);
  EXPECT_EQ(read<uint32_t>(Own[0], 1).front(), 82u);
  EXPECT_EQ(read<uint32_t>(Own[1], 1).front(), 87u);
  unmap(All);
  EXPECT_EQ(cuMemRelease(Group), Success);
}

TEST_F(DevicesTogether, OtherAccessesToThemAreFaults) {
  MemHandle Group = group(1), M = create(0);
  EXPECT_EQ(cuMulticastAddDevice(Group, 0), Success);
  EXPECT_EQ(cuMulticastBindMem(Group, 0, M, 0, Size, 0), Success);
  Address All = map(Group), Out = map(create(0));
  EXPECT_EQ(run("read", All, Out), IllegalAddress);
}

TEST_F(DevicesTogether, WhereNothingIsBoundIsAFault) {
  MemHandle Group = group(1);
  EXPECT_EQ(cuMulticastAddDevice(Group, 0), Success);
  Address All = map(Group);
  EXPECT_EQ(run("add", All), IllegalAddress);
}

TEST_F(DevicesTogether, MulticastObjectsAreChecked) {
  MemHandle Group = 0, M = create(0), Other = create(2);
  MulticastProp NoMembers = {0, Size, 0, 0}, Small = {1, 4096, 0, 0},
                Fabric = {1, Size, 8, 0};
  EXPECT_EQ(cuMulticastCreate(&Group, &NoMembers), InvalidValue);
  EXPECT_EQ(cuMulticastCreate(&Group, &Small), InvalidValue);
  EXPECT_EQ(cuMulticastCreate(&Group, &Fabric), NotSupported);
  Group = group(2);
  EXPECT_EQ(cuMulticastAddDevice(Group, 7), InvalidDevice);
  EXPECT_EQ(cuMulticastAddDevice(M, 0), InvalidValue);
  EXPECT_EQ(cuMulticastAddDevice(Group, 0), Success);
  EXPECT_EQ(cuMulticastAddDevice(Group, 0), InvalidValue);
  EXPECT_EQ(cuMulticastAddDevice(Group, 1), Success);
  EXPECT_EQ(cuMulticastAddDevice(Group, 2), InvalidValue);
  EXPECT_EQ(cuMulticastBindMem(Group, 0, Other, 0, Size, 0), InvalidDevice);
  EXPECT_EQ(cuMulticastBindMem(Group, Size, M, 0, Size, 0), InvalidValue);
  EXPECT_EQ(cuMulticastBindMem(Group, 0, M, 0, Size, 1), InvalidValue);
  EXPECT_EQ(cuMulticastBindMem(Group, 0, M, 0, Size, 0), Success);
  EXPECT_EQ(cuMulticastBindMem(Group, 0, M, 0, Size, 0), InvalidValue);
  EXPECT_EQ(cuMulticastUnbind(Group, 1, 0, Size), InvalidValue);
}

// The object of another process: what comes in by a descriptor knows nothing
// of the one that it was made of.
TEST_F(DevicesTogether, AnObjectIsHandedOn) {
  MemHandle Here = group(2, FileDescriptor), There = 0;
  int Descriptor = -1;
  ASSERT_EQ(cuMemExportToShareableHandle(&Descriptor, Here, FileDescriptor, 0),
            Success);
  ASSERT_EQ(cuMemImportFromShareableHandle(
                &There, reinterpret_cast<void *>(intptr_t(Descriptor)),
                FileDescriptor),
            Success);
  close(Descriptor);
  EXPECT_EQ(cuMulticastAddDevice(Here, 0), Success);
  EXPECT_EQ(cuMulticastAddDevice(There, 1), Success);
  MemHandle M[2] = {create(0), create(1)};
  Address Own[2] = {map(M[0]), map(M[1])};
  EXPECT_EQ(cuMulticastBindMem(Here, 0, M[0], 0, Size, 0), Success);
  Address AllHere = map(Here);
  // Who has mapped the object learns of what is bound later.
  EXPECT_EQ(cuMulticastBindMem(There, 0, M[1], 0, Size, 0), Success);
  Address AllThere = map(There);
  ASSERT_EQ(run("store", AllHere), Success);
  use(1);
  ASSERT_EQ(run("add", AllThere), Success);
  for (int D : {0, 1})
    EXPECT_EQ(read<uint32_t>(Own[D], 1).front(), 82u);
}

//===----------------------------------------------------------------------===//
// Cooperative launches
//===----------------------------------------------------------------------===//

class GridsOfDevices : public DevicesTogether {
protected:
  static constexpr unsigned CTAs = 5, Threads = 64;
  void SetUp() override {
    DevicesTogether::SetUp();
    for (int D = 0; D != NumDevices; ++D) {
      use(D);
      EXPECT_EQ(cuStreamCreate(&Streams[D], 0), Success);
      Kernels[D] = function(MeetPTX, "meet");
    }
    use(0);
    constexpr unsigned Global = 1;
    EXPECT_EQ(cuMemAllocManaged(&Words, 256, Global), Success);
    std::memset(words(), 0, 256);
  }
  uint32_t *words() const { return reinterpret_cast<uint32_t *>(Words); }
  LaunchParams grid(int Device) {
    return {Kernels[Device], {CTAs, 1, 1}, {Threads, 1, 1}, 0,
            Streams[Device], Places};
  }
  void finish() {
    for (int D = 0; D != NumDevices; ++D)
      EXPECT_EQ(cuStreamSynchronize(Streams[D]), Success);
  }

  Handle Streams[NumDevices] = {}, Kernels[NumDevices] = {};
  Address Words = 0;
  Address Counter = 0, Told = 0, Wrong = 0;
  void *Places[3] = {&Counter, &Told, &Wrong};
};

TEST_F(GridsOfDevices, MeetEachOther) {
  Counter = Words;
  Wrong = Words + 4;
  Told = Words + 16;
  for (unsigned Flags : {0u, 3u}) {
    std::memset(words(), 0, 256);
    LaunchParams All[] = {grid(1), grid(0), grid(2)};
    ASSERT_EQ(cuLaunchCooperativeKernelMultiDevice(All, 3, Flags), Success);
    finish();
    EXPECT_EQ(words()[0], 3 * 3 * CTAs * Threads);
    EXPECT_EQ(words()[1], 0u);
    for (unsigned Rank = 0; Rank != 3; ++Rank)
      EXPECT_EQ(
          std::vector<uint32_t>(words() + 4 + 4 * Rank, words() + 8 + 4 * Rank),
          (std::vector<uint32_t>{3 * CTAs * Threads, 3, Rank,
                                 Rank * CTAs * Threads}));
  }
}

// A grid of one device's launch is in no group of several.
TEST_F(GridsOfDevices, AreNoneInOtherLaunches) {
  Counter = Words;
  Wrong = Words + 4;
  Told = Words + 16;
  EXPECT_EQ(cuLaunchKernel(Kernels[0], 1, 1, 1, 32, 1, 1, 0, Streams[0], Places,
                           nullptr),
            Success);
  finish();
  EXPECT_EQ(words()[0], 0u);
  EXPECT_EQ(words()[1], 32u);
}

TEST_F(GridsOfDevices, AreChecked) {
  auto Launch = [&](std::vector<LaunchParams> All, unsigned Flags = 0) {
    return cuLaunchCooperativeKernelMultiDevice(All.data(), All.size(), Flags);
  };
  EXPECT_EQ(Launch({}), InvalidValue);
  EXPECT_EQ(Launch({grid(0)}, 4), InvalidValue);
  EXPECT_EQ(Launch({grid(0), grid(0)}), InvalidDevice);
  LaunchParams InDefault = grid(1);
  InDefault.Stream = nullptr;
  EXPECT_EQ(Launch({grid(0), InDefault}), InvalidHandle);
  LaunchParams Larger = grid(1);
  Larger.Grid[0] = CTAs + 1;
  EXPECT_EQ(Launch({grid(0), Larger}), InvalidValue);
  LaunchParams Other = grid(1);
  use(1);
  Other.Function = function(MultimemPTX, "add");
  EXPECT_EQ(Launch({grid(0), Other}), InvalidHandle);
  LaunchParams Huge[] = {grid(0), grid(1)};
  for (LaunchParams &P : Huge)
    P.Grid[0] = 100'000;
  EXPECT_EQ(cuLaunchCooperativeKernelMultiDevice(Huge, 2, 0), TooLarge);
}

} // namespace
