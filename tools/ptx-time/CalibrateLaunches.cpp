//===- CalibrateLaunches.cpp - What launches and copies cost ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of launches have the kernel's own time in them. What the timing model
// says of that kernel is taken off: with the rest as its costs the model says
// what was measured.
//
//===----------------------------------------------------------------------===//

#include "KernelModel.h"
#include "Microbenchmarks.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <array>
#include <limits>

using namespace llvm;

namespace heddle::timing {

//===----------------------------------------------------------------------===//
// The clock
//===----------------------------------------------------------------------===//

/// What the attribute says is the most; this is what it runs at.
Error measureClock(Calibration &C) {
  constexpr uint64_t Cycles = 4'000'000;
  Expected<std::vector<uint64_t>> Words =
      C.Bench.run("spin", {1, 1}, {0, Cycles}, 2);
  if (!Words)
    return Words.takeError();
  for (MeasuredFigure &F : C.Figures)
    if (F.Figure->Name == "clock" && (*Words)[1]) {
      F.Value = (*Words)[0] * 1e3 / (*Words)[1];
      F.How = "%clock64 against %globaltimer in a kernel that spins";
    }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

/// Cycles from the end of a CTA to the start of the next on its core: the
/// median of what the kernel `places` wrote.
static Expected<double> gapOfCTAs(ArrayRef<uint64_t> Words) {
  using Place = std::array<uint64_t, PlaceWords>;
  std::vector<Place> Sorted(Words.size() / PlaceWords);
  for (size_t N = 0; N < Sorted.size(); ++N)
    std::copy_n(Words.begin() + N * PlaceWords, PlaceWords, Sorted[N].begin());
  sort(Sorted);
  std::vector<double> Gaps;
  for (size_t N = 1; N < Sorted.size(); ++N) {
    auto [Core, Start, End, Unused] = Sorted[N];
    if (Core == Sorted[N - 1][0])
      Gaps.push_back(double(Start) - double(Sorted[N - 1][2]));
  }
  if (Gaps.empty())
    return createStringError("no core ran two CTAs");
  sort(Gaps);
  return Gaps[Gaps.size() / 2];
}

/// CTAs that have a core each for themselves, on the device and in the model.
static Error measureCTAs(Calibration &C, KernelModel &Model) {
  constexpr unsigned Waves = 4, OwnSharedBytes = 16 << 10;
  constexpr uint64_t Cycles = 2000;
  Expected<uint64_t> Shared =
      C.Bench.attribute(BenchAttribute::SharedBytesPerCTA);
  if (!Shared)
    return Shared.takeError();
  uint64_t Most = std::min<uint64_t>(*Shared, C.Base.SharedBytesPerCTA);
  BenchGrid Grid = {unsigned(C.value("cores")) * Waves, 1,
                    unsigned(Most) - OwnSharedBytes};
  unsigned Words = Grid.CTAs * PlaceWords;
  Expected<std::vector<uint64_t>> Real =
      C.Bench.run("places", Grid, {0, Cycles}, Words);
  if (!Real)
    return Real.takeError();
  Expected<std::vector<uint64_t>> Modelled =
      Model.run("places", Grid, {0, Cycles}, Words);
  if (!Modelled)
    return Modelled.takeError();
  Expected<double> RealGap = gapOfCTAs(*Real);
  if (!RealGap)
    return RealGap.takeError();
  Expected<double> ModelGap = gapOfCTAs(*Modelled);
  if (!ModelGap)
    return ModelGap.takeError();
  C.add("cta-launch", C.Base.CTALaunchCycles + *RealGap - *ModelGap,
        "from the end of a CTA to the start of the next, against the model");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// Keeps the stream busy for longer than \p Calls calls take.
static Error occupy(Calibration &C, unsigned Calls) {
  double Nanoseconds = 2 * Calls * C.value("launch") + 20'000;
  return C.Bench.launch("spin", {1, 1},
                        {0, uint64_t(Nanoseconds * C.value("clock") / 1e3)});
}

static Error measureCall(Calibration &C) {
  constexpr unsigned Launches = 200;
  if (Error E = C.Bench.launch("empty", {}))
    return E;
  if (Error E = C.Bench.wait())
    return E;
  double Begin = Workbench::hostNanoseconds();
  for (unsigned N = 0; N < Launches; ++N)
    if (Error E = C.Bench.launch("empty", {}))
      return E;
  C.add("launch", (Workbench::hostNanoseconds() - Begin) / Launches,
        "200 launches on the host's clock");
  return C.Bench.wait();
}

/// The host's time from a launch of a kernel to the end of \p Wait.
static Expected<double> waitFor(Calibration &C, uint64_t Cycles,
                                function_ref<Error()> Wait) {
  if (Error E = C.Bench.wait())
    return std::move(E);
  double Begin = Workbench::hostNanoseconds();
  if (Error E = C.Bench.launch("spin", {1, 1}, {0, Cycles}))
    return std::move(E);
  if (Error E = Wait())
    return std::move(E);
  return Workbench::hostNanoseconds() - Begin;
}

/// Asking over and over sees the end at once; waiting sees it later. Kernels of
/// several lengths end at all times between two questions.
static Error measureLatencies(Calibration &C, KernelModel &Model) {
  constexpr unsigned Lengths = 16;
  constexpr uint64_t Shortest = 40'000;
  Expected<double> Question = C.Bench.questionNanoseconds();
  if (!Question)
    return Question.takeError();
  double Asked = std::numeric_limits<double>::max(), Woken = Asked;
  for (unsigned N = 0; N < Lengths; ++N) {
    uint64_t Cycles =
        Shortest + uint64_t(N * *Question / Lengths * C.value("clock") / 1e3);
    Expected<double> Kernel = Model.nanoseconds("spin", Cycles);
    if (!Kernel)
      return Kernel.takeError();
    Expected<double> Poll = waitFor(C, Cycles, [&] { return C.Bench.poll(); });
    if (!Poll)
      return Poll.takeError();
    Expected<double> Sync = waitFor(C, Cycles, [&] { return C.Bench.wait(); });
    if (!Sync)
      return Sync.takeError();
    Asked = std::min(Asked, *Poll - *Kernel);
    Woken = std::min(Woken, *Sync - *Kernel);
  }
  Asked -= *Question / Lengths / 2;
  C.add("dispatch", Asked - C.value("launch"),
        "a launch and questions until the kernel is over, less both");
  C.add("wake", Woken - Asked, "waiting for that kernel instead of asking");
  return Error::success();
}

/// Nanoseconds from one launch to the next, with all of them in the queue.
static Expected<double> spacing(Calibration &C, unsigned Few, unsigned Many,
                                function_ref<Error(unsigned Launches)> Launch) {
  double Times[2];
  for (unsigned Long : {0, 1}) {
    unsigned Launches = Long ? Many : Few;
    Expected<double> Time = C.Bench.time([&] { return Launch(Launches); },
                                         [&] { return occupy(C, Launches); });
    if (!Time)
      return Time.takeError();
    Times[Long] = *Time;
  }
  return (Times[1] - Times[0]) / (Many - Few);
}

static Error measureGaps(Calibration &C, KernelModel &Model) {
  constexpr unsigned Few = 8, Many = 72;
  Expected<double> Empty = Model.nanoseconds("empty");
  if (!Empty)
    return Empty.takeError();
  auto LaunchAll = [&](unsigned Launches) -> Error {
    for (unsigned N = 0; N < Launches; ++N)
      if (Error E = C.Bench.launch("empty", {}))
        return E;
    return Error::success();
  };
  Expected<double> InStream = spacing(C, Few, Many, LaunchAll);
  if (!InStream)
    return InStream.takeError();
  C.add("gap", *InStream - *Empty,
        "empty kernels behind one that spins, less their time in the model");
  void *Graphs[2];
  for (unsigned Long : {0, 1})
    if (Error E = C.Bench.makeGraph("empty", Long ? Many : Few)
                      .moveInto(Graphs[Long]))
      return E;
  Expected<double> InGraph = spacing(C, Few, Many, [&](unsigned Launches) {
    return C.Bench.launchGraph(Graphs[Launches == Many]);
  });
  if (!InGraph)
    return InGraph.takeError();
  C.add("graph-gap", *InGraph - *Empty, "the same kernels in a graph");
  return Error::success();
}

static Error measureLink(Calibration &C) {
  constexpr uint64_t Few = 64 << 10, Many = 64 << 20;
  Expected<uint64_t> Buffer = C.Bench.allocate(Many);
  if (!Buffer)
    return Buffer.takeError();
  double Times[2];
  for (unsigned Long : {1, 0}) {
    Expected<double> Time = C.Bench.time(
        [&] { return C.Bench.copyFromHost(*Buffer, Long ? Many : Few); },
        [&] { return occupy(C, 2); });
    if (!Time)
      return Time.takeError();
    Times[Long] = *Time;
  }
  double BytesPerNs = (Many - Few) / (Times[1] - Times[0]);
  C.add("link", BytesPerNs * 1e3, "copies of 64 KiB and 64 MiB to the device");
  C.add("link-latency", Times[0] - Few / BytesPerNs, "the shorter copy's rest");
  return C.Bench.free(*Buffer);
}

Error measureLaunches(Calibration &C) {
  Expected<KernelModel> Model = KernelModel::create(C, launchMicrobenchmarks());
  if (!Model)
    return Model.takeError();
  if (Error E = measureCTAs(C, *Model))
    return E;
  if (Error E = measureCall(C))
    return E;
  if (Error E = measureLatencies(C, *Model))
    return E;
  if (Error E = measureGaps(C, *Model))
    return E;
  return measureLink(C);
}

} // namespace heddle::timing
