//===- Limiters.cpp - Leaving something out of the model --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divergence and the tail are not here: they are matters of issue and of
// dispatch.
//
//===----------------------------------------------------------------------===//

#include "Limiters.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace heddle::emu {

using isa::LatencyClass;
using rt::Limiter;

ModelChip::ModelChip(const isa::ChipInfo &Chip, rt::LimiterSet Without)
    : Info(Chip), Timings(Chip.Timings.begin(), Chip.Timings.end()) {
  auto TimingOf = [this](LatencyClass C) -> isa::ClassTiming & {
    return Timings[static_cast<size_t>(C)];
  };
  if (Without.contains(Limiter::DoublePrecision)) {
    TimingOf(LatencyClass::F64) = TimingOf(LatencyClass::FMA);
    TimingOf(LatencyClass::DMMA) = TimingOf(LatencyClass::MMA);
  }
  if (Without.contains(Limiter::Latency)) {
    for (isa::ClassTiming &T : Timings)
      T.Latency = 1;
    Info.L1Latency = Info.L2Latency = Info.DRAMLatency = 1;
    Info.ClusterLatency = 1;
  }
  if (Without.contains(Limiter::Occupancy)) {
    constexpr uint64_t Plenty = uint64_t(1) << 30;
    Info.CTAsPerCore = Info.WarpsPerCore;
    Info.RegistersPerCore = Plenty;
    Info.SharedBytesPerCore = Plenty;
  }
  Info.Timings = Timings;
}

void idealise(llvm::SmallVectorImpl<Request> &Requests,
              rt::LimiterSet Without) {
  if (Without.contains(Limiter::LocalMemory))
    llvm::erase_if(Requests, [](const Request &R) {
      return R.Space == AccessSpace::Local;
    });
  for (Request &R : Requests) {
    // Atomic operations on one word wait for each other wherever it lies.
    if (R.Kind == AccessKind::Atomic)
      continue;
    bool IsShared =
        R.Space == AccessSpace::Shared || R.Space == AccessSpace::OtherShared;
    if (!Without.contains(IsShared ? Limiter::BankConflicts
                                   : Limiter::Coalescing) ||
        R.Space == AccessSpace::Local)
      continue;
    R.Wavefronts = std::min(R.Wavefronts, std::max(R.Ideal, 1u));
    R.Lines = 0;
    if (R.Sectors.size() > R.IdealSectors)
      R.Sectors.truncate(R.IdealSectors);
  }
}

} // namespace heddle::emu
