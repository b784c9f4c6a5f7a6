//===- TimeReport.cpp - Where a program's modelled time went ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The timeline has the trace event format, which Perfetto reads. The table
// parts the program's time: every moment is in one row, so that the rows add
// up.
//
//===----------------------------------------------------------------------===//

#include "TimeReport.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::cuda {

TimeReport::TimeReport(std::unique_ptr<raw_ostream> Out,
                       rt::ProgramClock &Clock)
    : Clock(Clock), Start(Clock.now()), File(std::move(Out)),
      Events(std::make_unique<json::OStream>(*File)) {
  Events->objectBegin();
  Events->attributeBegin("traceEvents");
  Events->arrayBegin();
}

Expected<std::unique_ptr<TimeReport>>
TimeReport::create(StringRef Path, rt::ProgramClock &Clock) {
  std::error_code Failure;
  auto File = std::make_unique<raw_fd_ostream>(Path, Failure);
  if (Failure)
    return createStringError(Failure, "cannot write '" + Path +
                                          "': " + Failure.message());
  return std::unique_ptr<TimeReport>(new TimeReport(std::move(File), Clock));
}

void TimeReport::printEvent(const rt::TimeSpan &S, unsigned Track) {
  Events->object([&] {
    Events->attribute("name", S.Name);
    Events->attribute("ph", "X");
    Events->attribute("ts", (S.Begin - Start) / 1e3);
    Events->attribute("dur", (S.End - S.Begin) / 1e3);
    Events->attribute("pid", Track ? 1 : 0);
    Events->attribute("tid", Track);
  });
}

void TimeReport::add(const rt::TimeSpan &S) {
  std::lock_guard Lock(Mutex);
  if (!Events)
    return;
  if (Spans.size() == MaxSpans) {
    ++NumLost;
    return;
  }
  NumKernels += S.Use == rt::TimeUse::Kernel;
  // The host is track 0.
  unsigned Track =
      S.Track ? Tracks.try_emplace(S.Track, Tracks.size() + 1).first->second
              : 0;
  unsigned Name = Names.try_emplace(S.Name, Names.size()).first->second;
  Spans.push_back({S.Use, S.Begin, S.End, Track, Name});
  printEvent(S, Track);
}

static constexpr const char *RowNames[NumTimeUses + 1] = {
    "kernels",
    "copies to the device",
    "copies to the host",
    "copies and fills in the device",
    "copies between devices",
    "launches on their way",
    "calls of the runtime",
    "the host wakes up",
    "the host computes"};

void TimeReport::finish(raw_ostream &OS) {
  std::lock_guard Lock(Mutex);
  if (!Events)
    return;
  Events->arrayEnd();
  Events->attributeEnd();
  Events->objectEnd();
  Events.reset();
  File.reset();
  uint64_t End = Clock.now();
  TimeSums Sums = partitionTime(Spans, Start, End);
  double Whole = std::max<uint64_t>(End - Start, 1);
  OS << "heddle: modelled time since the device was opened: "
     << format("%.3f", (End - Start) / 1e6) << " ms, " << NumKernels
     << " launches\n";
  for (size_t Row = 0; Row != Sums.size(); ++Row)
    if (Sums[Row])
      OS << format("heddle: %14.3f ms %5.1f %%  %s\n", Sums[Row] / 1e6,
                   100 * Sums[Row] / Whole, RowNames[Row]);
  for (const TimeAdvice &A : adviseOnTime(Spans, Start, End))
    OS << "heddle: " << A.Name << ": " << A.Symptom << "; saves "
       << format("%.3f", A.Won / 1e6) << " ms at most: " << A.Remedy << "\n";
  if (NumLost)
    OS << "heddle: the last " << NumLost << " uses of time are not in there\n";
}

} // namespace heddle::cuda
