//===- Occupancy.cpp - How many CTAs a core holds ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are given to warps, shared memory to CTAs, each in the chip's
// steps.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Occupancy.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::rt {

DeviceProperties chipProperties(const isa::ChipInfo &Chip) {
  DeviceProperties P;
  P.Cores = Chip.Cores;
  P.ClockMHz = Chip.ClockMHz;
  P.WarpsPerCore = Chip.WarpsPerCore;
  P.CTAsPerCore = Chip.CTAsPerCore;
  P.ThreadsPerCTA = Chip.ThreadsPerCTA;
  P.BarriersPerCTA = Chip.BarriersPerCTA;
  P.RegistersPerCore = Chip.RegistersPerCore;
  P.RegisterGranule = Chip.RegisterGranule;
  P.SharedBytesPerCore = Chip.SharedBytesPerCore;
  P.SharedBytesPerCTA = Chip.SharedBytesPerCTA;
  P.SharedGranule = Chip.SharedGranule;
  P.L1Bytes = Chip.L1Bytes;
  P.L2Bytes = Chip.L2Bytes;
  P.MemoryBytesPerSecond =
      uint64_t(Chip.DRAMBytesPerCycle) * Chip.ClockMHz * 1'000'000;
  P.LaunchCallNs = Chip.LaunchCallNs;
  P.DispatchNs = Chip.DispatchNs;
  P.WakeNs = Chip.WakeNs;
  P.DispatchGapNs = Chip.DispatchGapNs;
  P.GraphGapNs = Chip.GraphGapNs;
  P.LinkLatencyNs = Chip.LinkLatencyNs;
  P.LinkBytesPerSecond = uint64_t(Chip.LinkMBPerSecond) * 1'000'000;
  return P;
}

StringRef occupancyLimitName(OccupancyLimit Limit) {
  switch (Limit) {
  case OccupancyLimit::Warps:
    return "warps";
  case OccupancyLimit::CTAs:
    return "CTAs";
  case OccupancyLimit::Registers:
    return "registers";
  case OccupancyLimit::SharedMemory:
    return "shared memory";
  }
  llvm_unreachable("unknown limit");
}

Occupancy computeOccupancy(const DeviceProperties &Device,
                           const KernelInfo &Kernel, uint32_t Threads,
                           uint32_t DynamicSharedBytes) {
  Occupancy Result;
  if (Threads == 0 || Threads > Device.ThreadsPerCTA)
    return Result;
  Result.WarpsPerCTA = divideCeil(Threads, Device.WarpSize);
  uint64_t RegistersOfThread =
      alignTo(std::max(Kernel.Registers, 1u), Device.RegisterGranule);
  uint64_t Registers = RegistersOfThread * Device.WarpSize * Result.WarpsPerCTA;
  uint64_t Shared = alignTo(uint64_t(Kernel.SharedBytes) + DynamicSharedBytes,
                            Device.SharedGranule);

  Result.ByWarps = Device.WarpsPerCore / Result.WarpsPerCTA;
  Result.ByCTAs = Device.CTAsPerCore;
  Result.ByRegisters = Device.RegistersPerCore / Registers;
  if (Shared)
    Result.BySharedMemory = Shared > Device.SharedBytesPerCTA
                                ? 0
                                : Device.SharedBytesPerCore / Shared;

  uint64_t Least = Result.ByWarps;
  auto LimitBy = [&](OccupancyLimit Limit, uint64_t Count) {
    if (Count >= Least)
      return;
    Least = Count;
    Result.Limit = Limit;
  };
  LimitBy(OccupancyLimit::CTAs, Result.ByCTAs);
  LimitBy(OccupancyLimit::Registers, Result.ByRegisters);
  LimitBy(OccupancyLimit::SharedMemory, Result.BySharedMemory);
  Result.CTAsPerCore = Least;
  return Result;
}

uint32_t bestBlockSize(const DeviceProperties &Device, const KernelInfo &Kernel,
                       uint32_t MaxThreads,
                       function_ref<uint32_t(uint32_t)> DynamicSharedBytes) {
  uint32_t Limit = Device.ThreadsPerCTA;
  if (MaxThreads)
    Limit = std::min(Limit, MaxThreads);
  if (Kernel.MaxBlock)
    Limit = std::min<uint64_t>(Limit, Kernel.MaxBlock->count());
  uint32_t Best = 0, BestWarps = 0;
  for (uint32_t Threads = Limit / Device.WarpSize * Device.WarpSize; Threads;
       Threads -= Device.WarpSize) {
    uint32_t Warps =
        computeOccupancy(Device, Kernel, Threads, DynamicSharedBytes(Threads))
            .warpsPerCore();
    if (Warps > BestWarps) {
      Best = Threads;
      BestWarps = Warps;
    }
  }
  return Best;
}

} // namespace heddle::rt
