//===- BlockRegisters.cpp - Registers of large blocks -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are given to warps, in the chip's steps.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/BlockRegisters.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::rt {

uint32_t registersForBlock(const DeviceProperties &Device, uint64_t Threads) {
  if (Threads == 0 || Threads > Device.ThreadsPerCTA)
    return 0;
  // Powers of two and three quarters of them: few limits for all sizes.
  uint64_t Size = PowerOf2Ceil(std::max<uint64_t>(Threads, Device.WarpSize));
  if (Threads <= Size / 4 * 3)
    Size = Size / 4 * 3;
  Size = std::min<uint64_t>(Size, Device.ThreadsPerCTA);
  return alignDown(Device.RegistersPerCore / Size, Device.RegisterGranule);
}

/// The registers that each thread of a kernel is given.
static uint64_t registersGiven(const DeviceProperties &Device,
                               const KernelInfo &Kernel) {
  return alignTo(std::max(Kernel.Registers, 1u), Device.RegisterGranule);
}

bool hasTooManyRegisters(const DeviceProperties &Device,
                         const KernelInfo &Kernel, uint64_t Threads) {
  return registersGiven(Device, Kernel) * alignTo(Threads, Device.WarpSize) >
         Device.RegistersPerCore;
}

bool needsFewerRegisters(const DeviceProperties &Device,
                         const KernelInfo &Kernel, uint64_t Threads) {
  return hasTooManyRegisters(Device, Kernel, Threads) &&
         Threads <= Device.ThreadsPerCTA && !Kernel.MaxBlock &&
         !Kernel.RequiredBlock && !Kernel.MaxRegisters;
}

std::string explainRegisters(const DeviceProperties &Device,
                             const KernelInfo &Kernel, uint64_t Threads) {
  uint64_t Registers = registersGiven(Device, Kernel);
  uint64_t Warps = Device.RegistersPerCore / Registers / Device.WarpSize;
  return ("kernel '" + Kernel.Name + "' takes " + Twine(Registers) +
          " registers a thread, and a core has " +
          Twine(Device.RegistersPerCore) + ": a block may have at most " +
          Twine(Warps * Device.WarpSize) + " threads, and " + Twine(Threads) +
          " were asked for; compile it with __launch_bounds__(" +
          Twine(Threads) +
          ") or -maxrregcount=" + Twine(registersForBlock(Device, Threads)))
      .str();
}

} // namespace heddle::rt
