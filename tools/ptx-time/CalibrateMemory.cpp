//===- CalibrateMemory.cpp - Figures of a device's memory -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Latencies by chains of dependent loads, bandwidths by the difference of a
// short and a long stream, so that what comes before and after does not count.
//
//===----------------------------------------------------------------------===//

#include "KernelModel.h"
#include "Microbenchmarks.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace heddle::timing {

//===----------------------------------------------------------------------===//
// Latencies
//===----------------------------------------------------------------------===//

/// Cycles of a load of a chase from \p Buffer on.
static Expected<double> chase(Calibration &C, StringRef Kernel, uint64_t Buffer,
                              uint64_t WarmRounds, uint64_t Rounds) {
  Expected<std::vector<uint64_t>> Cycles =
      C.Bench.run(Kernel, {1, 1}, {Buffer, WarmRounds, Rounds});
  if (!Cycles)
    return Cycles.takeError();
  return double(Cycles->front()) / (Rounds * ChaseLoads);
}

/// A chase through \p Places lines in their order, after a first time around.
static Expected<double> chaseRing(Calibration &C, uint64_t Buffer,
                                  uint64_t Places) {
  if (Error E = C.Bench.launch("ring", {1, 1}, {Buffer, Places}))
    return std::move(E);
  uint64_t Rounds = divideCeil(Places, ChaseLoads);
  return chase(C, "chase_ca", Buffer, Rounds, Rounds);
}

static Error measureL1(Calibration &C) {
  constexpr uint64_t Step = 4096, Most = 512 << 10, Small = 8 << 10;
  Expected<uint64_t> Buffer = C.Bench.allocate(Most);
  if (!Buffer)
    return Buffer.takeError();
  Expected<double> Latency = chaseRing(C, *Buffer, Small / ChaseStride);
  if (!Latency)
    return Latency.takeError();
  C.add("l1-latency", *Latency, "a chain of loads through 8 KiB");
  // The largest set of which nearly all stays in L1.
  double Limit = *Latency + 0.1 * (C.value("l2-latency") - *Latency);
  uint64_t Fits = Small / Step, Exceeds = Most / Step;
  while (Exceeds - Fits > 1) {
    uint64_t Middle = (Fits + Exceeds) / 2;
    Expected<double> Mean = chaseRing(C, *Buffer, Middle * Step / ChaseStride);
    if (!Mean)
      return Mean.takeError();
    (*Mean <= Limit ? Fits : Exceeds) = Middle;
  }
  C.add("l1-size", Fits * Step, "the largest set that a chain of loads finds");
  return C.Bench.free(*Buffer);
}

/// Past L1, through a set that stays in L2.
static Error measureL2Latency(Calibration &C) {
  constexpr uint64_t Places = 4096;
  Expected<uint64_t> Buffer = C.Bench.allocate(Places * ChaseStride);
  if (!Buffer)
    return Buffer.takeError();
  if (Error E = C.Bench.launch("scatter", {1, 1}, {*Buffer, Places, Places}))
    return E;
  constexpr uint64_t Rounds = Places / ChaseLoads;
  Expected<double> Latency = chase(C, "chase_cg", *Buffer, Rounds, Rounds);
  if (!Latency)
    return Latency.takeError();
  C.add("l2-latency", *Latency, "a scattered chain of loads through 512 KiB");
  return C.Bench.free(*Buffer);
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

namespace {
/// A stream of a grid: so many rounds of a buffer, over and over.
struct Stream {
  StringRef Kernel;
  BenchGrid Grid;
  uint64_t Buffer, Rounds, Passes;

  uint64_t bytesOfRound() const {
    return uint64_t(Grid.CTAs) * Grid.Threads * StreamBytes;
  }
  uint64_t bytes() const { return bytesOfRound() * Rounds * Passes; }
};
} // namespace

static Expected<double> timeOf(Calibration &C, const Stream &S) {
  return C.Bench.time([&] {
    return C.Bench.launch(S.Kernel, S.Grid, {S.Buffer, S.Rounds, S.Passes});
  });
}

/// Bytes in a cycle of the clock.
static Expected<double> rateOf(Calibration &C, const Stream &Short,
                               const Stream &Long) {
  Expected<double> Before = timeOf(C, Short);
  if (!Before)
    return Before.takeError();
  Expected<double> After = timeOf(C, Long);
  if (!After)
    return After.takeError();
  return (Long.bytes() - Short.bytes()) / (*After - *Before) /
         (C.value("clock") / 1e3);
}

/// All cores, each full.
static BenchGrid fullGrid(const Calibration &C) {
  constexpr unsigned Threads = 256;
  unsigned OfCore = unsigned(C.value("warps")) * 32 / Threads;
  return {unsigned(C.value("cores")) * OfCore, Threads};
}

static constexpr BenchGrid OneCTA = {1, 512};

/// What L1 gives in a cycle is what makes the model as fast as the device: a
/// warp also takes time to use what it has loaded.
static Error measureL1Rate(Calibration &C, uint64_t Buffer) {
  constexpr uint64_t Set = 64 << 10;
  Stream Short = {"stream_ca", OneCTA, Buffer, 0, 100};
  Short.Rounds = Set / Short.bytesOfRound();
  Stream Long = Short;
  Long.Passes = 1100;
  Expected<double> Rate = rateOf(C, Short, Long);
  if (!Rate)
    return Rate.takeError();
  Expected<KernelModel> Model = KernelModel::create(C, memoryMicrobenchmarks());
  if (!Model)
    return Model.takeError();
  double Cycles[2];
  for (const Stream &S : {Short, Long})
    if (Error E = Model->cycles(S.Kernel, S.Grid, {0, S.Rounds, S.Passes})
                      .moveInto(Cycles[S.Passes == Long.Passes]))
      return E;
  double Modelled = (Long.bytes() - Short.bytes()) / (Cycles[1] - Cycles[0]);
  C.add("l1", C.Base.L1BytesPerCycle * *Rate / Modelled,
        "a core reads 64 KiB over and over, against the model");
  return Error::success();
}

static Error measureCoreRates(Calibration &C) {
  constexpr uint64_t Set = 256 << 10;
  Expected<uint64_t> Buffer = C.Bench.allocate(Set);
  if (!Buffer)
    return Buffer.takeError();
  if (Error E = measureL1Rate(C, *Buffer))
    return E;
  Stream Short = {"stream_cg", OneCTA, *Buffer, 0, 10};
  Short.Rounds = Set / Short.bytesOfRound();
  Stream Long = Short;
  Long.Passes = 110;
  Expected<double> Rate = rateOf(C, Short, Long);
  if (!Rate)
    return Rate.takeError();
  C.add("core-l2", *Rate, "a core reads 256 KiB over and over, past L1");
  return C.Bench.free(*Buffer);
}

/// Memory that L2 holds several times over, for a stream and for a chase.
static Error measureFarMemory(Calibration &C) {
  auto L2Bytes = uint64_t(C.value("l2-size"));
  Stream Once = {"stream_cg", fullGrid(C), 0, 1, 1};
  // The chase has memory of its own, so that a stream leaves none of it in L2.
  uint64_t Places = PowerOf2Ceil(4 * L2Bytes / ChaseStride);
  uint64_t StreamedBytes =
      alignTo(6 * L2Bytes + Once.bytesOfRound(), ChaseStride);
  uint64_t Bytes = StreamedBytes + Places * ChaseStride;
  Expected<uint64_t> Buffer = C.Bench.allocate(Bytes);
  if (!Buffer)
    return Buffer.takeError();
  Once.Buffer = *Buffer;
  Stream InL2 = Once, Far = Once, FarLong = Once;
  // Half of the warps: where L2 has two halves, each may keep all that is read.
  InL2.Grid.CTAs /= 2;
  InL2.Rounds = std::max<uint64_t>(1, L2Bytes / 2 / InL2.bytesOfRound());
  InL2.Passes = 2;
  Stream InL2Long = InL2;
  InL2Long.Passes = 14;
  Expected<double> Rate = rateOf(C, InL2, InL2Long);
  if (!Rate)
    return Rate.takeError();
  C.add("l2", *Rate,
        "all cores read half of L2 or less over and over, past L1");
  Far.Rounds = divideCeil(2 * L2Bytes, Once.bytesOfRound());
  FarLong.Rounds = divideCeil(6 * L2Bytes, Once.bytesOfRound());
  Rate = rateOf(C, Far, FarLong);
  if (!Rate)
    return Rate.takeError();
  C.add("dram", *Rate * 100 / C.Base.DRAMPercent,
        "all cores read six times L2's size, less two; " +
            Twine(C.Base.DRAMPercent) + " % is what the base reaches");
  constexpr uint64_t Steps = 8192;
  uint64_t Chain = *Buffer + StreamedBytes;
  if (Error E = C.Bench.launch("scatter", {1, 1}, {Chain, Steps, Places}))
    return E;
  if (Expected<double> Swept = timeOf(C, Far); !Swept)
    return Swept.takeError();
  Expected<double> Latency =
      chase(C, "chase_cg", Chain, 0, Steps / ChaseLoads - 1);
  if (!Latency)
    return Latency.takeError();
  C.add("dram-latency", *Latency,
        "a scattered chain of loads through four times L2's size or more");
  return C.Bench.free(*Buffer);
}

/// Only where there are clusters.
static Error measureCluster(Calibration &C) {
  constexpr unsigned FirstWithClusters = 9, Rounds = 32;
  Expected<uint64_t> Major =
      C.Bench.attribute(BenchAttribute::ComputeCapabilityMajor);
  if (!Major)
    return Major.takeError();
  if (*Major < FirstWithClusters)
    return Error::success();
  if (Error E = C.Bench.load(clusterMicrobenchmark()))
    return E;
  Expected<std::vector<uint64_t>> Cycles =
      C.Bench.run("chase_cluster", {2, 1}, {0, 0, Rounds});
  if (!Cycles)
    return Cycles.takeError();
  C.add("cluster-latency", double(Cycles->front()) / (Rounds * ChaseLoads),
        "a chain of loads from the other CTA of a cluster");
  return Error::success();
}

Error measureMemory(Calibration &C) {
  if (Error E = C.Bench.load(memoryMicrobenchmarks()))
    return E;
  if (Error E = measureL2Latency(C))
    return E;
  if (Error E = measureL1(C))
    return E;
  if (Error E = measureCoreRates(C))
    return E;
  if (Error E = measureFarMemory(C))
    return E;
  return measureCluster(C);
}

} // namespace heddle::timing
