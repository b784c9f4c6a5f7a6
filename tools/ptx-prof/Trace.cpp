//===- Trace.cpp - Warps on cores over time ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches follow each other in the trace, as they do on the device.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"
#include "heddle/Runtime/Profile.h"
#include "heddle/Support/TraceWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace llvm;

namespace heddle::prof {

/// The first place of a core that is free at the beginning of a span.
static size_t takePlace(std::vector<uint64_t> &FreeFrom,
                        const rt::WarpSpan &S) {
  auto It = llvm::find_if(FreeFrom, [&](uint64_t F) { return F <= S.Begin; });
  size_t Place = It - FreeFrom.begin();
  if (It == FreeFrom.end())
    FreeFrom.emplace_back();
  FreeFrom[Place] = S.End;
  return Place;
}

/// The warps of a launch in the order in which they begin.
static std::vector<rt::WarpSpan> warpsOf(const rt::LaunchProfile &P) {
  std::vector<rt::WarpSpan> Spans = P.Warps;
  llvm::sort(Spans, [](const rt::WarpSpan &A, const rt::WarpSpan &B) {
    return std::tie(A.Begin, A.CTA, A.Warp) < std::tie(B.Begin, B.CTA, B.Warp);
  });
  return Spans;
}

static void printLaunch(json::OStream &J, const rt::LaunchReport &R,
                        double Start) {
  const rt::LaunchProfile &P = *R.Result.Profile;
  std::vector<rt::WarpSpan> Spans = warpsOf(P);
  std::vector<std::vector<uint64_t>> FreeFrom(P.Cores);
  double CycleTime = 1.0 / P.ClockMHz; // In microseconds, as the format wants.
  for (const rt::WarpSpan &S : Spans)
    J.object([&] {
      J.attribute("name",
                  ("CTA " + Twine(S.CTA) + " warp " + Twine(S.Warp)).str());
      J.attribute("cat", R.Kernel.Name);
      J.attribute("ph", "X");
      J.attribute("ts", Start + S.Begin * CycleTime);
      J.attribute("dur", (S.End - S.Begin) * CycleTime);
      J.attribute("pid", S.Core);
      J.attribute("tid", int64_t(takePlace(FreeFrom[S.Core], S)));
    });
}

void printTrace(raw_ostream &OS, ArrayRef<rt::LaunchReport> Reports) {
  json::OStream J(OS);
  double Start = 0;
  uint32_t Cores = 0;
  J.object([&] {
    J.attributeArray("traceEvents", [&] {
      for (const rt::LaunchReport &R : Reports) {
        if (!R.Result.Profile)
          continue;
        printLaunch(J, R, Start);
        Start += R.Result.Profile->seconds() * 1e6;
        Cores = R.Result.Profile->Cores;
      }
      for (uint32_t N = 0; N < Cores; ++N)
        J.object([&] {
          J.attribute("name", "process_name");
          J.attribute("ph", "M");
          J.attribute("pid", N);
          J.attributeObject("args", [&] {
            J.attribute("name", "core " + std::to_string(N));
          });
        });
    });
  });
  OS << "\n";
}

//===----------------------------------------------------------------------===//
// Perfetto's own format
//===----------------------------------------------------------------------===//

namespace {
/// Launches one after the other on a track of their own, their warps on tracks
/// of the cores, and how many warps there are over time.
class PerfettoTrace {
public:
  explicit PerfettoTrace(raw_ostream &OS) : Trace(OS) {
    TraceWriter::Track Device = Trace.addGroup("device");
    Launches = Trace.addTrack("launches", Device);
    Resident = Trace.addCounter("resident warps", "warps", Device);
  }

  void add(const rt::LaunchReport &R) {
    const rt::LaunchProfile &P = *R.Result.Profile;
    NanosecondsPerCycle = 1e3 / P.ClockMHz;
    addLaunch(R);
    std::vector<std::vector<uint64_t>> FreeFrom(P.Cores);
    std::map<uint64_t, int64_t> Changes; // By cycle.
    for (const rt::WarpSpan &S : warpsOf(P)) {
      size_t Place = takePlace(FreeFrom[S.Core], S);
      Trace.addSlice(placeOf(S.Core, Place), at(S.Begin), at(S.End),
                     formatv("CTA {0} warp {1}", S.CTA, S.Warp).str());
      ++Changes[S.Begin];
      --Changes[S.End];
    }
    int64_t Warps = 0;
    for (auto [Cycle, Change] : Changes)
      Trace.addValue(Resident, at(Cycle), double(Warps += Change));
    Start += P.seconds() * 1e9;
  }

private:
  uint64_t at(uint64_t Cycle) const {
    return uint64_t(Start + double(Cycle) * NanosecondsPerCycle);
  }

  void addLaunch(const rt::LaunchReport &R) {
    const rt::LaunchProfile &P = *R.Result.Profile;
    auto Extents = [](const rt::Dim3 &D) {
      return formatv("{0} x {1} x {2}", D.X, D.Y, D.Z).str();
    };
    Trace.addSlice(Launches, at(0), at(P.Cycles), demangle(R.Kernel.Name),
                   {{"symbol", R.Kernel.Name},
                    {"grid", Extents(R.Launch->Grid)},
                    {"block", Extents(R.Launch->Block)},
                    {"cycles", std::to_string(P.totalCycles())},
                    {"registers", std::to_string(P.Shape.Registers)}});
  }

  /// The track of a warp's place on a core.
  TraceWriter::Track placeOf(uint32_t Core, size_t Place) {
    TraceWriter::Track &Group = Cores[Core];
    if (!Group)
      Group = Trace.addGroup(formatv("core {0}", Core).str());
    TraceWriter::Track &On = Places[{Core, Place}];
    if (!On)
      On = Trace.addTrack(formatv("place {0}", Place).str(), Group);
    return On;
  }

  TraceWriter Trace;
  TraceWriter::Track Launches = 0, Resident = 0;
  std::map<uint32_t, TraceWriter::Track> Cores;
  std::map<std::pair<uint32_t, size_t>, TraceWriter::Track> Places;
  double Start = 0; ///< Of the launch, in nanoseconds.
  double NanosecondsPerCycle = 0;
};
} // namespace

void printPerfettoTrace(raw_ostream &OS, ArrayRef<rt::LaunchReport> Reports) {
  PerfettoTrace Trace(OS);
  for (const rt::LaunchReport &R : Reports)
    if (R.Result.Profile)
      Trace.add(R);
}

} // namespace heddle::prof
