//===- CalibrateArithmetic.cpp - Figures of latency classes -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chain of dependent instructions of one warp takes their latencies; several
// of each of many warps take what a scheduler can issue.
//
//===----------------------------------------------------------------------===//

#include "Calibration.h"
#include "Microbenchmarks.h"

using namespace llvm;

namespace heddle::timing {

static constexpr unsigned Rounds = 64;

/// Cycles that the links of a long chain take more than those of a short one.
static Expected<double> difference(Calibration &C, StringRef Prefix,
                                   const ArithmeticLink &Link, unsigned Threads,
                                   uint64_t Buffer) {
  double Cycles[2];
  for (unsigned Long : {0, 1}) {
    std::string Kernel = (Prefix + "_" + Link.ClassName + "_" +
                          Twine(Long ? LongChain : ShortChain))
                             .str();
    Expected<std::vector<uint64_t>> Words =
        C.Bench.run(Kernel, {1, Threads}, {Buffer, Rounds, 0});
    if (!Words)
      return Words.takeError();
    Cycles[Long] = Words->front();
  }
  return Cycles[1] - Cycles[0];
}

/// What was found of a class, for a link that has it among others.
static const MeasuredClass *found(const Calibration &C,
                                  isa::LatencyClass Class) {
  for (const MeasuredClass &M : C.Classes)
    if (M.Class == Class)
      return &M;
  return nullptr;
}

static Error measureLink(Calibration &C, const ArithmeticLink &Link,
                         uint64_t Buffer) {
  constexpr unsigned Links = (LongChain - ShortChain) * Rounds;
  constexpr unsigned Threads = 1024;
  Expected<double> Chain = difference(C, "chain", Link, 32, Buffer);
  if (!Chain)
    return Chain.takeError();
  MeasuredClass M = {Link.Class, Link.ClassName, *Chain / Links, {}};
  const MeasuredClass *Also =
      Link.Also != Link.Class ? found(C, Link.Also) : nullptr;
  if (Also)
    M.Latency -= Also->Latency;
  if (Link.HasInterval) {
    Expected<double> Rate = difference(C, "rate", Link, Threads, Buffer);
    if (!Rate)
      return Rate.takeError();
    unsigned WarpsOfScheduler = Threads / 32 / C.Base.SchedulersPerCore;
    M.Interval = *Rate / Links / RateChains / WarpsOfScheduler;
    if (Also && Also->Interval)
      *M.Interval -= *Also->Interval;
  }
  C.Classes.push_back(M);
  return Error::success();
}

Error measureArithmetic(Calibration &C) {
  constexpr uint64_t Bytes = 4096;
  if (Error E = C.Bench.load(arithmeticMicrobenchmarks()))
    return E;
  Expected<uint64_t> Buffer = C.Bench.allocate(Bytes);
  if (!Buffer)
    return Buffer.takeError();
  if (Error E = C.Bench.clear(*Buffer, Bytes))
    return E;
  for (const ArithmeticLink &Link : arithmeticLinks())
    if (Error E = measureLink(C, Link, *Buffer))
      return E;
  if (const MeasuredClass *M = found(C, isa::LatencyClass::MMA))
    C.add("mma-interval", *M->Interval,
          "products of m16n8k16 in half precision, 32 warps of a core");
  return C.Bench.free(*Buffer);
}

} // namespace heddle::timing
