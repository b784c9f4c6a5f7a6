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

/// More than any launch asks for.
static constexpr uint32_t Plenty = uint32_t(1) << 30;

void ModelChip::widenMemory(rt::LimiterSet Without) {
  constexpr uint32_t AnyBytes = uint32_t(1) << 20;
  constexpr uint32_t Times = 8;
  if (Without.contains(Limiter::DRAMBandwidth)) {
    Info.DRAMBytesPerCycle = AnyBytes;
    Info.DRAMTurnPs = 0;
  }
  if (Without.contains(Limiter::L2Bandwidth))
    Info.L2BytesPerCycle = Info.CoreL2BytesPerCycle = AnyBytes;
  if (Without.contains(Limiter::L2Capacity))
    Info.L2Bytes *= Times;
  if (Without.contains(Limiter::L1Capacity))
    Info.L1Bytes *= Times;
}

void ModelChip::widenPipe(std::string_view Pipe, uint16_t Interval) {
  for (size_t C = 0; C < Timings.size(); ++C)
    if (isa::latencyClass(static_cast<LatencyClass>(C)).Pipe == Pipe)
      Timings[C].Interval = std::min(Timings[C].Interval, Interval);
}

void ModelChip::widenPipes(rt::LimiterSet Without) {
  uint16_t MultiplyAdd = Timings[size_t(LatencyClass::FMA)].Interval;
  if (Without.contains(Limiter::SpecialFunctions))
    widenPipe("special", MultiplyAdd);
  if (Without.contains(Limiter::Conversions))
    widenPipe("conversion", MultiplyAdd);
  if (Without.contains(Limiter::IntegerPipe))
    widenPipe("alu", 1);
  if (Without.contains(Limiter::MultiplyAdds))
    widenPipe("fma", 1);
  if (Without.contains(Limiter::MatrixPipe))
    widenPipe("matrix", 1);
}

ModelChip::ModelChip(const isa::ChipInfo &Chip, rt::LimiterSet Without)
    : Info(Chip), Timings(Chip.Timings.begin(), Chip.Timings.end()) {
  widenMemory(Without);
  widenPipes(Without);
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
    Info.CTAsPerCore = Info.WarpsPerCore;
    Info.RegistersPerCore = Plenty;
    Info.SharedBytesPerCore = Plenty;
  }
  if (Without.contains(Limiter::CTALaunch))
    Info.CTALaunchCycles = Info.CTARetireCycles = 0;
  Info.Timings = Timings;
}

/// As if each lane's word were its own.
static void separateAtomics(Request &R) {
  std::fill(R.Repeats.begin(), R.Repeats.end(), 1u);
  if (R.Space != AccessSpace::Global)
    R.Wavefronts = std::min(R.Wavefronts, std::max(R.Ideal, 1u));
}

void idealise(llvm::SmallVectorImpl<Request> &Requests,
              rt::LimiterSet Without) {
  if (Without.contains(Limiter::LocalMemory))
    llvm::erase_if(Requests, [](const Request &R) {
      return R.Space == AccessSpace::Local;
    });
  for (Request &R : Requests) {
    // Atomic operations on one word wait for each other wherever it lies.
    if (R.Kind == AccessKind::Atomic) {
      if (Without.contains(Limiter::AtomicContention))
        separateAtomics(R);
      continue;
    }
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
