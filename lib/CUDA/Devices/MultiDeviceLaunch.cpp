//===- MultiDeviceLaunch.cpp - Cooperative grids of devices -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches that several devices run together: a grid on each, whose threads can
// wait for all others (multi_grid_group of CUDA's cooperative groups, up to
// version 12). Where they meet is memory of the process that all devices know.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Process.h"
#include "Runtime/Launch.h"
#include "Runtime/Runtime.h"
#include "heddle/ISA/DeviceWork.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

namespace {

/// cudaLaunchParams.
struct LaunchParams {
  const void *Function;
  dim3 Grid, Block;
  void **Arguments;
  size_t Shared;
  cudaStream_t Stream;
};
static_assert(sizeof(LaunchParams) == 56);

/// CUDA_LAUNCH_PARAMS.
struct DriverLaunchParams {
  CUfunction Function;
  unsigned GridX, GridY, GridZ, BlockX, BlockY, BlockZ, Shared;
  cudaStream_t Stream;
  void **Arguments;
};
static_assert(sizeof(DriverLaunchParams) == 56);

/// A grid of one device.
struct DeviceGrid {
  KernelHandle *Kernel;
  rt::LaunchShape Shape;
  void **Arguments;
  cudaStream_t Stream;
  unsigned Device = 0; ///< The stream's.
};

/// Where the grids of a launch meet. Free when all of them are done.
struct alignas(4096) MeetingPlace {
  isa::MultiGrid Records[emu::MaxDevices];
  unsigned Barrier;
  std::atomic<unsigned> InUse; ///< Grids that are not done.
};

/// Launches that are under way at a time.
constexpr unsigned MaxLaunches = 64;
MeetingPlace Places[MaxLaunches];

/// Flags of the calls.
enum : unsigned { NoPreSync = 1, NoPostSync = 2 };

} // namespace

static MeetingPlace *takePlace(unsigned NumGrids) {
  for (MeetingPlace &P : Places) {
    unsigned Free = 0;
    if (P.InUse.compare_exchange_strong(Free, NumGrids))
      return &P;
  }
  return nullptr;
}

/// A device that was reset has forgotten the place; another may know it still.
static cudaError_t setUp(MeetingPlace &P, unsigned NumGrids) {
  Expected<rt::Context &> C = Process::get().context(currentDevice());
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  consumeError(
      C->device().mapHost({reinterpret_cast<uint8_t *>(&P), sizeof(P)}));
  P.Barrier = 0;
  for (unsigned Rank = 0; Rank != NumGrids; ++Rank)
    P.Records[Rank] = {Rank, NumGrids, reinterpret_cast<uintptr_t>(&P.Barrier)};
  return cudaSuccess;
}

/// Whether all grids may be one launch; says which device each stream has.
static cudaError_t check(MutableArrayRef<DeviceGrid> Grids) {
  uint64_t Devices = 0;
  const DeviceGrid &First = Grids.front();
  for (DeviceGrid &G : Grids) {
    if (!G.Kernel)
      return cudaErrorInvalidDeviceFunction;
    // Neither the default stream nor one of its names.
    if (reinterpret_cast<uintptr_t>(G.Stream) <= 2)
      return cudaErrorInvalidResourceHandle;
    int Device = 0;
    if (cudaError_t Code = cudaStreamGetDevice(G.Stream, &Device);
        Code != cudaSuccess)
      return Code;
    cudaStreamCaptureStatus Capture = {};
    if (cudaError_t Code = cudaStreamIsCapturing(G.Stream, &Capture);
        Code != cudaSuccess)
      return Code;
    if (Capture)
      return cudaErrorStreamCaptureUnsupported;
    G.Device = Device;
    if (Devices >> Device & 1)
      return cudaErrorInvalidDevice;
    Devices |= uint64_t(1) << Device;
    if (G.Kernel->Name != First.Kernel->Name)
      return cudaErrorInvalidDeviceFunction;
    if (G.Shape.Grid != First.Shape.Grid ||
        G.Shape.Block != First.Shape.Block ||
        G.Shape.DynamicSharedBytes != First.Shape.DynamicSharedBytes)
      return cudaErrorInvalidConfiguration;
  }
  return cudaSuccess;
}

/// What comes later in each stream waits for what is in all others.
static cudaError_t orderStreams(ArrayRef<DeviceGrid> Grids) {
  for (const DeviceGrid &Before : Grids) {
    DeviceScope Scope(Before.Device);
    constexpr unsigned WithoutTime = 2;
    cudaEvent_t Done = nullptr;
    cudaError_t Code = cudaEventCreateWithFlags(&Done, WithoutTime);
    if (Code == cudaSuccess)
      Code = cudaEventRecord(Done, Before.Stream);
    for (const DeviceGrid &After : Grids)
      if (Code == cudaSuccess && After.Stream != Before.Stream)
        Code = cudaStreamWaitEvent(After.Stream, Done, 0);
    if (Done)
      cudaEventDestroy(Done);
    if (Code != cudaSuccess)
      return Code;
  }
  return cudaSuccess;
}

/// The operation of each grid, with the address of its record behind the
/// parameters.
static cudaError_t prepare(ArrayRef<DeviceGrid> Grids, MeetingPlace &Place,
                           std::vector<rt::KernelOp> &Ops) {
  Ops.resize(Grids.size());
  for (auto [Rank, G] : enumerate(Grids)) {
    DeviceScope Scope(G.Device);
    rt::KernelOp &Op = Ops[Rank];
    if (cudaError_t Code = prepareLaunch(G.Kernel, G.Shape, G.Arguments, Op);
        Code != cudaSuccess)
      return Code;
    uint64_t Record = reinterpret_cast<uintptr_t>(&Place.Records[Rank]);
    Op.Config.MultiGrid = Record;
    size_t At = alignTo(Op.Params.size(), sizeof(Record));
    Op.Params.resize(At + sizeof(Record));
    std::memcpy(&Op.Params[At], &Record, sizeof(Record));
  }
  return cudaSuccess;
}

static cudaError_t launchOnAll(MutableArrayRef<DeviceGrid> Grids,
                               unsigned Flags) {
  int NumDevices = 0;
  if (cudaError_t Code = cudaGetDeviceCount(&NumDevices); Code != cudaSuccess)
    return Code;
  if (Grids.empty() || Grids.size() > size_t(NumDevices) ||
      (Flags & ~(NoPreSync | NoPostSync)))
    return cudaErrorInvalidValue;
  if (cudaError_t Code = check(Grids); Code != cudaSuccess)
    return Code;
  DeviceScope Scope(Grids.front().Device);
  MeetingPlace *Place = takePlace(Grids.size());
  if (!Place)
    return cudaErrorLaunchOutOfResources;
  std::vector<rt::KernelOp> Ops;
  cudaError_t Code = setUp(*Place, Grids.size());
  if (Code == cudaSuccess)
    Code = prepare(Grids, *Place, Ops);
  if (Code == cudaSuccess && !(Flags & NoPreSync))
    Code = orderStreams(Grids);
  if (Code != cudaSuccess ||
      Process::get().skipsLaunches(Grids.front().Kernel->Name)) {
    Place->InUse = 0;
    return Code;
  }
  for (auto [G, Op] : zip(Grids, Ops)) {
    DeviceScope Own(G.Device);
    if (cudaError_t Failed = enqueue(G.Stream, std::move(Op));
        Failed != cudaSuccess)
      Code = Failed;
    auto Leave = [Place] { --Place->InUse; };
    if (cudaError_t Failed = enqueue(G.Stream, rt::HostOp{Leave});
        Failed != cudaSuccess)
      Code = Failed;
  }
  if (Code == cudaSuccess && !(Flags & NoPostSync))
    Code = orderStreams(Grids);
  return Code;
}

extern "C" cudaError_t
cudaLaunchCooperativeKernelMultiDevice(const LaunchParams *List,
                                       unsigned NumDevices, unsigned Flags) {
  if (!List)
    return finish(cudaErrorInvalidValue);
  std::vector<DeviceGrid> Grids;
  for (const LaunchParams &P : ArrayRef(List, NumDevices)) {
    rt::LaunchShape L = {extentsOf(P.Grid), extentsOf(P.Block), P.Shared};
    L.Cooperative = true;
    Grids.push_back(
        {Process::get().Images.kernel(P.Function), L, P.Arguments, P.Stream});
  }
  return finish(launchOnAll(Grids, Flags));
}

extern "C" CUresult
cuLaunchCooperativeKernelMultiDevice(const DriverLaunchParams *List,
                                     unsigned NumDevices, unsigned Flags) {
  return inContext([=] {
    if (!List)
      return cudaErrorInvalidValue;
    std::vector<DeviceGrid> Grids;
    for (const DriverLaunchParams &P : ArrayRef(List, NumDevices)) {
      rt::LaunchShape L = {{P.GridX, P.GridY, P.GridZ},
                           {P.BlockX, P.BlockY, P.BlockZ},
                           P.Shared};
      L.Cooperative = true;
      Grids.push_back({P.Function, L, P.Arguments, P.Stream});
    }
    return launchOnAll(Grids, Flags);
  });
}
