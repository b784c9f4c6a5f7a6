//===- Occupancy.h - How many CTAs a core holds -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What limits the number of CTAs that are resident on a core at a time.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_OCCUPANCY_H
#define HEDDLE_RUNTIME_OCCUPANCY_H

#include "heddle/ISA/ISA.h"
#include "heddle/Runtime/Device.h"

namespace heddle::rt {

/// The figures of a chip that isa-defs/ states. MemoryBytes is not among them.
DeviceProperties chipProperties(const isa::ChipInfo &Chip);

enum class OccupancyLimit : uint8_t { Warps, CTAs, Registers, SharedMemory };

/// "warps", "CTAs", "registers" or "shared memory".
llvm::StringRef occupancyLimitName(OccupancyLimit Limit);

struct Occupancy {
  uint32_t CTAsPerCore = 0; ///< 0: the kernel cannot be launched so
  uint32_t WarpsPerCTA = 0;
  /// What keeps it from being more; of several, the first in the enumeration.
  OccupancyLimit Limit = OccupancyLimit::Warps;
  /// How many CTAs each resource would allow; ~0 for what the kernel does not
  /// use.
  uint32_t ByWarps = 0, ByCTAs = 0, ByRegisters = 0, BySharedMemory = ~0u;

  uint32_t warpsPerCore() const { return CTAsPerCore * WarpsPerCTA; }
};

/// The occupancy of a kernel launched with CTAs of \p Threads threads and
/// \p DynamicSharedBytes of dynamic shared memory.
Occupancy computeOccupancy(const DeviceProperties &Device,
                           const KernelInfo &Kernel, uint32_t Threads,
                           uint32_t DynamicSharedBytes);

/// The number of threads in a CTA, a multiple of the warp size and at most
/// \p MaxThreads (0: the chip's limit), at which most warps are resident; of
/// several the largest. \p DynamicSharedBytes gives the dynamic shared memory
/// by the number of threads.
uint32_t
bestBlockSize(const DeviceProperties &Device, const KernelInfo &Kernel,
              uint32_t MaxThreads,
              llvm::function_ref<uint32_t(uint32_t)> DynamicSharedBytes);

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_OCCUPANCY_H
