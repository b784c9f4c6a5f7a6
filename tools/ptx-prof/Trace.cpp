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
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"

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

static void printLaunch(json::OStream &J, const rt::LaunchReport &R,
                        double Start) {
  const rt::LaunchProfile &P = *R.Result.Profile;
  std::vector<rt::WarpSpan> Spans = P.Warps;
  llvm::sort(Spans, [](const rt::WarpSpan &A, const rt::WarpSpan &B) {
    return std::tie(A.Begin, A.CTA, A.Warp) < std::tie(B.Begin, B.CTA, B.Warp);
  });
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

} // namespace heddle::prof
