//===- CudaEndpointsTest.cpp - cuLogicalEndpoint* ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program makes endpoints of the fabric and binds memory; its kernel writes
// through one of them and reads from another.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

#include <vector>

using namespace heddle::test;

namespace {

struct EndpointProp {
  int Type, DeviceOrCount;
  unsigned long long Size;
  unsigned HandleTypes, Flags;
};
struct AllocationProp {
  int Type, HandleTypes;
  struct {
    int Type, Id;
  } Place;
  void *Win32;
  unsigned char Flags[8];
};
struct Operand {
  int Type;
  union {
    struct {
      Address Pointer;
      int HintType, HintId;
    } P;
    struct {
      unsigned Id;
      uint64_t Offset;
    } E;
  };
};
struct FabricCopy {
  Operand From, To;
  size_t Size;
  unsigned Flags;
};

enum { Unicast = 1, Multicast = 2, CountedOps = 1 };
enum { IsPointer = 1, IsEndpoint = 2 };

} // namespace

extern "C" {
int cuDeviceGetAttribute(int *, int, int);
int cuMemCreate(Address *, size_t, const AllocationProp *, unsigned long long);
int cuMemRelease(Address);
int cuMemAllocAsync(Address *, size_t, void *);
int cuMemGetInfo_v2(size_t *, size_t *);
int cuLogicalEndpointIdReserve(unsigned *, unsigned);
int cuLogicalEndpointIdRelease(unsigned, unsigned);
int cuLogicalEndpointCreate(unsigned, const EndpointProp *);
int cuLogicalEndpointAddDevice(unsigned, int);
int cuLogicalEndpointDestroy(unsigned);
int cuLogicalEndpointBindAddr(unsigned, int, uint64_t, void *, uint64_t,
                              unsigned long long);
int cuLogicalEndpointBindMem(unsigned, int, uint64_t, Address, uint64_t,
                             uint64_t, unsigned long long);
int cuLogicalEndpointUnbind(unsigned, int, uint64_t, uint64_t);
int cuLogicalEndpointExport(void *, unsigned, int);
int cuLogicalEndpointGetLimits(uint64_t *, uint64_t *, const EndpointProp *);
int cuLogicalEndpointQuery(unsigned, unsigned, int *);
int cuFabricCpyBatchAsync(size_t, FabricCopy *, unsigned long long, void *);
}

/// Reads 512 bytes at an offset of an endpoint, adds 1 to each word, and writes
/// them to another endpoint and its counter. Of multicast, if `many` is 1.
static const char MovePTX[] = R"(
.version 9.5
.target sm_107a
.address_size 64
.shared .align 128 .b8 tile[512];
.shared .align 8 .b64 bar[2];
.visible .entry move(.param .u32 from, .param .u64 fromOffset, .param .u32 to,
                     .param .u64 toOffset, .param .u64 counter, .param .u32 many) {
  .reg .b32 %from, %to, %me, %bar, %tile, %w, %many; .reg .b64 %fo, %too, %c;
  .reg .pred %p, %q, %m, %m2; .reg .b8 %y;
  ld.param.u32 %from, [from]; ld.param.u64 %fo, [fromOffset];
  ld.param.u32 %to, [to]; ld.param.u64 %too, [toOffset];
  ld.param.u64 %c, [counter]; ld.param.u32 %many, [many];
  mov.u32 %bar, bar; mov.u32 %tile, tile; mov.u32 %me, %tid.x;
  setp.eq.u32 %p, %me, 0;
  setp.eq.u32 %m, %many, 1;
  @%p mbarrier.init.layout::v1.shared::cta.b64 [%bar], 1;
  @%p mbarrier.init.layout::v1.shared::cta.b64 [%bar+8], 1;
  bar.sync 0;
  @%p fabric.try_get.async.shared::cta.mbarrier::complete_tx::bytes.mbarrier::report::fabric.relaxed.sys.b128 [%tile], [%from, %fo], 512, [%bar];
  @%p fabric.submit;
  @%p mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar], 512;
G: mbarrier.try_wait.parity.phase_type::primary.shared::cta.b64 %q|%m2, %y, [%bar], 0;
  @!%q bra G;
  mad.lo.u32 %me, %me, 4, %tile;
  ld.shared.u32 %w, [%me];
  add.u32 %w, %w, 1;
  st.shared.u32 [%me], %w;
  fence.proxy.async.shared::cta;
  bar.sync 0;
  @!%p exit;
  @!%m fabric.try_put.async.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.relaxed.sys.b128 [%to, %too, %c], [%tile], 512, [%bar+8];
  @%m fabric.try_put.async.multimem.shared::cta.mbarrier::complete_tx::16B.mbarrier::report::fabric.counted::bytes.relaxed.sys.b128 [%to, %too, %c], [%tile], 512, [%bar+8];
  fabric.submit;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [%bar+8], 32;
P: mbarrier.try_wait.parity.phase_type::primary.shared::cta.b64 %q|%m2, %y, [%bar+8], 0;
  @!%q bra P;
  exit;
}
)";

namespace {

class CudaEndpoints : public DriverProgram {
protected:
  static constexpr uint64_t Size = 4 << 20;
  static EndpointProp unicast() { return {Unicast, 0, Size, 0, CountedOps}; }
  static EndpointProp multicast() {
    return {Multicast, 1, Size, 0, CountedOps};
  }
  static unsigned reserve(unsigned Count) {
    unsigned First = 0;
    EXPECT_EQ(cuLogicalEndpointIdReserve(&First, Count), Success);
    return First;
  }
  static void finish(unsigned Id) {
    int IsComplete = 0;
    EXPECT_EQ(cuLogicalEndpointQuery(Id, 1, &IsComplete), Success);
    EXPECT_NE(IsComplete, 0);
  }
  static int bind(unsigned Id, uint64_t Offset, Address A, uint64_t Bytes) {
    return cuLogicalEndpointBindAddr(Id, 0, Offset, reinterpret_cast<void *>(A),
                                     Bytes, 0);
  }
  static int move(Handle Function, unsigned From, uint64_t FromOffset,
                  unsigned To, uint64_t ToOffset, uint64_t Counter,
                  unsigned Many) {
    void *Arguments[] = {&From, &FromOffset, &To, &ToOffset, &Counter, &Many};
    int Code = cuLaunchKernel(Function, 1, 1, 1, 128, 1, 1, 0, nullptr,
                              Arguments, nullptr);
    return Code == Success ? cuCtxSynchronize() : Code;
  }
  static size_t inUse() {
    size_t Free = 0, Total = 0;
    EXPECT_EQ(cuMemGetInfo_v2(&Free, &Total), Success);
    return Total - Free;
  }
};

TEST_F(CudaEndpoints, KernelsReadAndWriteWhatIsBound) {
  unsigned From = reserve(2), To = From + 1;
  EndpointProp One = unicast(), Many = multicast();
  ASSERT_EQ(cuLogicalEndpointCreate(From, &One), Success);
  ASSERT_EQ(cuLogicalEndpointCreate(To, &Many), Success);
  ASSERT_EQ(cuLogicalEndpointAddDevice(To, 0), Success);
  finish(From);
  finish(To);

  Address Source = 0;
  ASSERT_EQ(cuMemAllocAsync(&Source, 4096, nullptr), Success);
  ASSERT_EQ(cuMemsetD32_v2(Source, 41, 1024), Success);
  ASSERT_EQ(bind(From, 8192, Source, 4096), Success);
  AllocationProp Device = {1, 0, {1, 0}, nullptr, {}};
  Address Memory = 0;
  ASSERT_EQ(cuMemCreate(&Memory, 2 << 20, &Device, 0), Success);
  // The memory is mapped nowhere; nor is its handle needed longer.
  ASSERT_EQ(cuLogicalEndpointBindMem(To, 0, 0, Memory, 4096, 8192, 0), Success);
  ASSERT_EQ(cuMemRelease(Memory), Success);

  Handle Module = nullptr, Move = nullptr;
  ASSERT_EQ(cuModuleLoadData(&Module, MovePTX), Success);
  ASSERT_EQ(cuModuleGetFunction(&Move, Module, "move"), Success);
  EXPECT_EQ(move(Move, From, 8192 + 16, To, 1024, 256, 1), Success);

  // Read back through the fabric, since no address shows it.
  Address Back = words(512);
  FabricCopy Copy = {};
  Copy.From.Type = IsEndpoint;
  Copy.From.E = {To, 0};
  Copy.To.Type = IsPointer;
  Copy.To.P = {Back, 0, 0};
  Copy.Size = 2048;
  Handle S = stream();
  // An endpoint for multicast is not read.
  EXPECT_EQ(cuFabricCpyBatchAsync(1, &Copy, 0, S), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointDestroy(To), Success);
  EXPECT_EQ(cuLogicalEndpointDestroy(From), Success);
  EXPECT_EQ(cuLogicalEndpointIdRelease(From, 2), Success);
  EXPECT_EQ(cuStreamDestroy_v2(S), Success);
}

TEST_F(CudaEndpoints, CopiesOfTheHostAndKernelsSeeTheSame) {
  unsigned Id = reserve(1);
  EndpointProp One = unicast();
  ASSERT_EQ(cuLogicalEndpointCreate(Id, &One), Success);
  finish(Id);
  size_t Before = inUse();
  AllocationProp Device = {1, 0, {1, 0}, nullptr, {}};
  Address Memory = 0;
  ASSERT_EQ(cuMemCreate(&Memory, 2 << 20, &Device, 0), Success);
  ASSERT_EQ(cuLogicalEndpointBindMem(Id, 0, 1 << 20, Memory, 0, 2 << 20, 0),
            Success);
  ASSERT_EQ(cuMemRelease(Memory), Success);

  Address Data = words(1024, 6), Back = words(1024);
  FabricCopy Copies[2] = {};
  Copies[0].From.Type = IsPointer;
  Copies[0].From.P = {Data, 0, 0};
  Copies[0].To.Type = IsEndpoint;
  Copies[0].To.E = {Id, 1 << 20};
  Copies[0].Size = 4096;
  Handle S = stream();
  ASSERT_EQ(cuFabricCpyBatchAsync(1, Copies, 0, S), Success);
  ASSERT_EQ(cuStreamSynchronize(S), Success);

  Handle Module = nullptr, Move = nullptr;
  ASSERT_EQ(cuModuleLoadData(&Module, MovePTX), Success);
  ASSERT_EQ(cuModuleGetFunction(&Move, Module, "move"), Success);
  uint64_t Base = 1 << 20;
  EXPECT_EQ(move(Move, Id, Base, Id, Base + 2048, Base + 3072, 0), Success);
  Copies[1].From.Type = IsEndpoint;
  Copies[1].From.E = {Id, Base};
  Copies[1].To.Type = IsPointer;
  Copies[1].To.P = {Back, 0, 0};
  Copies[1].Size = 4096;
  ASSERT_EQ(cuFabricCpyBatchAsync(1, Copies + 1, 0, S), Success);
  ASSERT_EQ(cuStreamSynchronize(S), Success);
  EXPECT_EQ(word(Back), 6u);
  EXPECT_EQ(word(Back + 2048), 7u);
  EXPECT_EQ(word(Back + 2048 + 508), 7u);
  EXPECT_EQ(word(Back + 2048 + 512), 6u);
  // The counter had two words of 6.
  EXPECT_EQ(word(Back + 3072), 6u + 512u);
  EXPECT_EQ(word(Back + 3076), 6u);

  EXPECT_EQ(cuMemFree_v2(Data), Success);
  EXPECT_EQ(cuMemFree_v2(Back), Success);
  EXPECT_GT(inUse(), Before);
  EXPECT_EQ(cuLogicalEndpointUnbind(Id, 0, Base, 2 << 20), Success);
  EXPECT_EQ(inUse(), Before); // The memory is gone with the binding.
  EXPECT_EQ(cuFabricCpyBatchAsync(1, Copies, 0, S), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointDestroy(Id), Success);
  EXPECT_EQ(cuLogicalEndpointIdRelease(Id, 1), Success);
  EXPECT_EQ(cuStreamDestroy_v2(S), Success);
}

TEST_F(CudaEndpoints, NumbersAreReservedInRows) {
  unsigned A = reserve(3), B = reserve(2);
  EXPECT_TRUE(B >= A + 3 || A >= B + 2);
  // The middle one goes and comes again.
  EXPECT_EQ(cuLogicalEndpointIdRelease(A + 1, 1), Success);
  EXPECT_EQ(cuLogicalEndpointIdRelease(A, 3), InvalidValue);
  EndpointProp One = unicast();
  EXPECT_EQ(cuLogicalEndpointCreate(A + 1, &One), InvalidValue);
  EXPECT_EQ(reserve(1), A + 1);
  EXPECT_EQ(cuLogicalEndpointCreate(A + 1, &One), Success);
  EXPECT_EQ(cuLogicalEndpointCreate(A + 1, &One), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointIdRelease(A, 3), InvalidValue); // One is in use.
  EXPECT_EQ(cuLogicalEndpointDestroy(A + 1), Success);
  EXPECT_EQ(cuLogicalEndpointDestroy(A + 1), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointIdRelease(A, 3), Success);
  EXPECT_EQ(cuLogicalEndpointIdRelease(B, 2), Success);
  EXPECT_EQ(cuLogicalEndpointIdReserve(&A, 0), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointIdReserve(nullptr, 1), InvalidValue);
}

TEST_F(CudaEndpoints, OnlyCompleteEndpointsAreBound) {
  unsigned Id = reserve(2);
  EndpointProp Many = multicast(), One = unicast();
  ASSERT_EQ(cuLogicalEndpointCreate(Id, &Many), Success);
  int IsComplete = 1;
  EXPECT_EQ(cuLogicalEndpointQuery(Id, 1, &IsComplete), Success);
  EXPECT_EQ(IsComplete, 0);
  EXPECT_EQ(cuLogicalEndpointQuery(Id, 2, &IsComplete), InvalidValue);
  Address Memory = words(1024);
  EXPECT_EQ(bind(Id, 0, Memory, 4096), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointAddDevice(Id, 1), InvalidDevice);
  EXPECT_EQ(cuLogicalEndpointAddDevice(Id, 0), Success);
  EXPECT_EQ(cuLogicalEndpointAddDevice(Id, 0), InvalidValue);
  EXPECT_EQ(bind(Id, 0, Memory, 4096), InvalidValue); // Nobody asked yet.
  ASSERT_EQ(cuLogicalEndpointCreate(Id + 1, &One), Success);
  EXPECT_EQ(cuLogicalEndpointAddDevice(Id + 1, 0), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointQuery(Id, 2, &IsComplete), Success);
  EXPECT_NE(IsComplete, 0);

  EXPECT_EQ(bind(Id, 0, Memory, 2048), Success);
  EXPECT_EQ(bind(Id, 2048, Memory, 2048), Success); // The same memory again.
  EXPECT_EQ(bind(Id, 1024, Memory, 256), InvalidValue);  // Something is there.
  EXPECT_EQ(bind(Id, 4096, Memory, 8192), InvalidValue); // More than there is.
  EXPECT_EQ(bind(Id, 4096, Memory, 100), InvalidValue);
  EXPECT_EQ(bind(Id, 4100, Memory, 256), InvalidValue);
  EXPECT_EQ(bind(Id, Size, Memory, 256), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointUnbind(Id, 0, 2048, 1024), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointUnbind(Id, 0, 1024, 3072), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointUnbind(Id, 0, 0, 4096), Success);
  EXPECT_EQ(cuLogicalEndpointUnbind(Id, 0, 0, 4096), InvalidValue);
  EXPECT_EQ(cuLogicalEndpointDestroy(Id), Success);
  EXPECT_EQ(cuLogicalEndpointDestroy(Id + 1), Success);
  EXPECT_EQ(cuLogicalEndpointIdRelease(Id, 2), Success);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
}

TEST_F(CudaEndpoints, PropertiesAreChecked) {
  uint64_t Alignment = 0, Largest = 0;
  EndpointProp P = unicast();
  EXPECT_EQ(cuLogicalEndpointGetLimits(&Alignment, &Largest, &P), Success);
  EXPECT_EQ(Alignment, 256u);
  EXPECT_GE(Largest, Size);
  P.Type = 0;
  EXPECT_EQ(cuLogicalEndpointGetLimits(&Alignment, &Largest, &P), InvalidValue);
  P = unicast();
  P.HandleTypes = 1;
  EXPECT_EQ(cuLogicalEndpointGetLimits(&Alignment, &Largest, &P), NotSupported);
  unsigned Id = reserve(1);
  for (uint64_t Bad : {uint64_t(0), uint64_t(100), Largest + 256}) {
    P = unicast();
    P.Size = Bad;
    EXPECT_EQ(cuLogicalEndpointCreate(Id, &P), InvalidValue) << Bad;
  }
  P = unicast();
  P.DeviceOrCount = 1;
  EXPECT_EQ(cuLogicalEndpointCreate(Id, &P), InvalidDevice);
  P = multicast();
  P.DeviceOrCount = 2;
  EXPECT_EQ(cuLogicalEndpointCreate(Id, &P), InvalidValue);
  unsigned char Shared[64];
  EXPECT_EQ(cuLogicalEndpointExport(Shared, Id, 1), NotSupported);
  EXPECT_EQ(cuLogicalEndpointIdRelease(Id, 1), Success);
  for (int Attribute : {153, 154, 155, 156}) {
    int Has = 0;
    EXPECT_EQ(cuDeviceGetAttribute(&Has, Attribute, 0), Success);
    EXPECT_EQ(Has, 1) << Attribute;
  }
}

} // namespace
