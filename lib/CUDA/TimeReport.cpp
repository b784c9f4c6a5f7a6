//===- TimeReport.cpp - Where a program's modelled time went ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The timeline has the trace event format, or Perfetto's own. The table parts
// the program's time: every moment is in one row, so that the rows add up.
//
//===----------------------------------------------------------------------===//

#include "TimeReport.h"
#include "heddle/Support/PlainNumbers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

namespace heddle::cuda {

namespace {
/// The format of trace events.
class EventTimeline final : public Timeline {
public:
  explicit EventTimeline(raw_ostream &OS) : Events(OS) {
    Events.objectBegin();
    Events.attributeBegin("traceEvents");
    Events.arrayBegin();
  }
  ~EventTimeline() override {
    Events.arrayEnd();
    Events.attributeEnd();
    Events.objectEnd();
  }

  void add(const rt::TimeSpan &S, uint64_t Begin, uint64_t End,
           unsigned Track) override {
    Events.object([&] {
      Events.attribute("name", S.Name);
      Events.attribute("ph", "X");
      Events.attribute("ts", Begin / 1e3);
      Events.attribute("dur", (End - Begin) / 1e3);
      Events.attribute("pid", Track ? 1 : 0);
      Events.attribute("tid", Track);
    });
  }

private:
  json::OStream Events;
};

/// Perfetto's protocol buffers: the host, and a stream for each queue with what
/// runs and what is on its way.
class PerfettoTimeline final : public Timeline {
public:
  explicit PerfettoTimeline(raw_ostream &OS) : Trace(OS) {
    Host = Trace.addGroup("host");
    Device = Trace.addGroup("device");
  }

  void add(const rt::TimeSpan &S, uint64_t Begin, uint64_t End,
           unsigned Track) override {
    bool IsKernel = S.Use == rt::TimeUse::Kernel;
    std::string Name = IsKernel ? demangle(S.Name) : S.Name;
    std::vector<TraceWriter::Argument> Arguments;
    if (IsKernel && Name != S.Name)
      Arguments.emplace_back("symbol", StringRef(S.Name));
    bool IsOnItsWay = Track && S.Use == rt::TimeUse::Launch;
    Trace.addSlice(laneOf({Track, IsOnItsWay}, Begin, End), Begin, End, Name,
                   Arguments);
  }

private:
  /// A track of spans, and whether those are launches on their way.
  using Row = std::pair<unsigned, bool>;

  /// Launches are on their way while others run, and threads of the host call
  /// at the same time: such spans are on lanes beside each other.
  TraceWriter::Track laneOf(Row R, uint64_t Begin, uint64_t End) {
    std::string Name = R.first ? "stream " + std::to_string(R.first) : "calls";
    auto It = Lanes
                  .try_emplace(R, Trace, R.second ? Name + ": launches" : Name,
                               R.first ? Device : Host)
                  .first;
    return It->second.take(Begin, End);
  }

  TraceWriter Trace;
  TraceWriter::Track Host = 0, Device = 0;
  std::map<Row, TraceLanes> Lanes;
};
} // namespace

TimeReport::TimeReport(std::unique_ptr<raw_ostream> Out,
                       std::unique_ptr<Timeline> Line, rt::ProgramClock &Clock)
    : Clock(Clock), Start(Clock.now()), File(std::move(Out)),
      Line(std::move(Line)) {}

Expected<std::unique_ptr<TimeReport>>
TimeReport::create(StringRef Path, rt::ProgramClock &Clock) {
  std::error_code Failure;
  auto File = std::make_unique<raw_fd_ostream>(Path, Failure);
  if (Failure)
    return createStringError(Failure, "cannot write '" + Path +
                                          "': " + Failure.message());
  std::unique_ptr<Timeline> Line;
  if (isPerfettoName(Path))
    Line = std::make_unique<PerfettoTimeline>(*File);
  else
    Line = std::make_unique<EventTimeline>(*File);
  return std::unique_ptr<TimeReport>(
      new TimeReport(std::move(File), std::move(Line), Clock));
}

void TimeReport::add(const rt::TimeSpan &S) {
  PlainNumbers Plain;
  std::lock_guard Lock(Mutex);
  if (!Line)
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
  Line->add(S, S.Begin - Start, S.End - Start, Track);
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
  PlainNumbers Plain;
  std::lock_guard Lock(Mutex);
  if (!Line)
    return;
  Line.reset();
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
