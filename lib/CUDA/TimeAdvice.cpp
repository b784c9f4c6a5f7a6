//===- TimeAdvice.cpp - What would save a program time ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules, each over sums of times or over what follows what on a queue.
//
//===----------------------------------------------------------------------===//

#include "TimeAdvice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <optional>

using namespace llvm;

namespace heddle::cuda {

TimeSums partitionTime(ArrayRef<TimedUse> Uses, uint64_t Start, uint64_t End) {
  struct Change {
    uint64_t Time;
    size_t Use;
    int Step;
  };
  std::vector<Change> Changes;
  for (const TimedUse &U : Uses) {
    uint64_t From = std::clamp(U.Begin, Start, End);
    uint64_t To = std::clamp(U.End, Start, End);
    Changes.push_back({From, size_t(U.Use), 1});
    Changes.push_back({To, size_t(U.Use), -1});
  }
  llvm::sort(Changes,
             [](const Change &A, const Change &B) { return A.Time < B.Time; });
  TimeSums Sums = {};
  std::array<int64_t, NumTimeUses> Active = {};
  uint64_t Last = Start;
  auto Pass = [&](uint64_t Time) {
    size_t Use =
        find_if(Active, [](int64_t N) { return N > 0; }) - Active.begin();
    Sums[Use] += Time - Last;
    Last = Time;
  };
  for (const Change &C : Changes) {
    Pass(C.Time);
    Active[C.Use] += C.Step;
  }
  Pass(End);
  return Sums;
}

namespace {

using rt::TimeUse;

bool isOnDevice(TimeUse Use) {
  return Use == TimeUse::Kernel || Use == TimeUse::ToDevice ||
         Use == TimeUse::ToHost || Use == TimeUse::InDevice ||
         Use == TimeUse::ToPeer;
}

/// The timeline in the orders that rules ask for.
class Timeline {
public:
  Timeline(ArrayRef<TimedUse> Uses, uint64_t Start, uint64_t End)
      : Sums(partitionTime(Uses, Start, End)), Whole(End - Start) {
    std::vector<TimedUse> Sorted(Uses);
    llvm::sort(Sorted, [](const TimedUse &A, const TimedUse &B) {
      return std::tie(A.Begin, A.End) < std::tie(B.Begin, B.End);
    });
    for (const TimedUse &U : Sorted) {
      if (U.Use == TimeUse::Kernel)
        Kernels[U.Track].push_back(U);
      if (isOnDevice(U.Use))
        DeviceBegins.push_back(U.Begin);
      if (U.Use == TimeUse::Wait)
        WaitEnds.push_back(U.End);
    }
    llvm::sort(WaitEnds);
  }

  uint64_t sum(TimeUse Use) const { return Sums[size_t(Use)]; }
  double part(uint64_t Of) const { return Whole ? double(Of) / Whole : 0; }
  bool isMuch(uint64_t Of) const { return part(Of) >= 0.05; }
  /// The kernels of the queue that has most of them.
  ArrayRef<TimedUse> busiest() const {
    ArrayRef<TimedUse> Most;
    for (const auto &[Track, List] : Kernels)
      if (List.size() > Most.size())
        Most = List;
    return Most;
  }

  const TimeSums Sums;
  const uint64_t Whole;
  std::map<unsigned, std::vector<TimedUse>> Kernels; ///< By track, in order.
  std::vector<uint64_t> DeviceBegins;                ///< In order.
  std::vector<uint64_t> WaitEnds;                    ///< In order.
};

std::string milliseconds(uint64_t Nanoseconds) {
  return formatv("{0:F3} ms", Nanoseconds / 1e6).str();
}

/// A sequence of launches that comes again and again.
struct Repetition {
  size_t Length = 0, Times = 0;
};

/// The shortest sequence that \p Kernels end with three times or more, if that
/// is most of them.
std::optional<Repetition> findRepetition(ArrayRef<TimedUse> Kernels) {
  constexpr size_t Longest = 1024, Least = 3, Most = 65536;
  Kernels = Kernels.take_back(std::min(Most, Kernels.size()));
  for (size_t Length = 1; Length <= std::min(Longest, Kernels.size() / Least);
       ++Length) {
    size_t Same = 0;
    while (Same + Length < Kernels.size() &&
           Kernels[Kernels.size() - 1 - Same].Name ==
               Kernels[Kernels.size() - 1 - Same - Length].Name)
      ++Same;
    size_t Times = Same / Length + 1;
    if (Times >= Least && Times * Length * 2 > Kernels.size())
      return Repetition{Length, Times};
  }
  return std::nullopt;
}

std::optional<TimeAdvice> adviseOnLaunches(const Timeline &T) {
  uint64_t Lost = T.sum(TimeUse::Launch) + T.sum(TimeUse::Call);
  ArrayRef<TimedUse> Kernels = T.busiest();
  if (Kernels.empty() || !T.isMuch(Lost))
    return std::nullopt;
  std::string Remedy = "more work for each launch";
  if (std::optional<Repetition> R = findRepetition(Kernels))
    Remedy = formatv("{0} follow each other {1} times in the same order: "
                     "capture them once as a graph, and launch that",
                     R->Length == 1 ? std::string("launches of one kernel")
                                    : formatv("{0} launches", R->Length).str(),
                     R->Times)
                 .str();
  return TimeAdvice{"launch-bound",
                    formatv("nothing but launches is under way for {0} "
                            "({1:P1})",
                            milliseconds(Lost), T.part(Lost))
                        .str(),
                    Remedy, Lost};
}

std::optional<TimeAdvice> adviseOnCopies(const Timeline &T) {
  uint64_t Alone = T.sum(TimeUse::ToDevice) + T.sum(TimeUse::ToHost);
  uint64_t Won = std::min(Alone, T.sum(TimeUse::Kernel));
  if (!T.isMuch(Won))
    return std::nullopt;
  return TimeAdvice{"copies-alone",
                    formatv("no kernel runs while copies take {0} ({1:P1})",
                            milliseconds(Alone), T.part(Alone))
                        .str(),
                    "copy asynchronously from page-locked memory, in a stream "
                    "of its own, the next part while kernels work on this one",
                    Won};
}

/// The device idles from the end of a wait until the next work begins: it was
/// not there yet.
std::optional<TimeAdvice> adviseOnWaits(const Timeline &T) {
  uint64_t Idle = 0;
  size_t Waits = 0;
  uint64_t Counted = 0; // up to here
  for (uint64_t End : T.WaitEnds) {
    const auto *Next = llvm::lower_bound(ArrayRef(T.DeviceBegins), End);
    if (Next == ArrayRef(T.DeviceBegins).end())
      break;
    if (*Next <= Counted)
      continue;
    Idle += *Next - std::max(End, Counted);
    Counted = *Next;
    ++Waits;
  }
  if (Waits < 2 || !T.isMuch(Idle))
    return std::nullopt;
  return TimeAdvice{"waits",
                    formatv("the device has nothing to do for {0} ({1:P1}) "
                            "after {2} waits of the host",
                            milliseconds(Idle), T.part(Idle), Waits)
                        .str(),
                    "enqueue the next work before waiting, and wait for an "
                    "event only where its data is needed",
                    Idle};
}

/// Short kernels that follow each other without a gap but the chip's own.
std::optional<TimeAdvice> adviseOnShortKernels(const Timeline &T) {
  constexpr uint64_t Short = 5000, SmallGap = 5000;
  uint64_t Gaps = 0;
  size_t Count = 0;
  for (const auto &[Track, List] : T.Kernels)
    for (size_t N = 1; N < List.size(); ++N) {
      const TimedUse &A = List[N - 1], &B = List[N];
      if (B.Begin < A.End || B.Begin - A.End > SmallGap ||
          std::max(A.End - A.Begin, B.End - B.Begin) > Short)
        continue;
      Gaps += B.Begin - A.End;
      ++Count;
    }
  if (!T.isMuch(Gaps))
    return std::nullopt;
  return TimeAdvice{"short-kernels",
                    formatv("between {0} pairs of kernels of less than 5 us "
                            "lie {1} ({2:P1})",
                            Count, milliseconds(Gaps), T.part(Gaps))
                        .str(),
                    "join kernels that pass an array on, as torch.compile or a "
                    "fused kernel does",
                    Gaps};
}

constexpr std::optional<TimeAdvice> (*Rules[])(const Timeline &) = {
    adviseOnLaunches, adviseOnCopies, adviseOnWaits, adviseOnShortKernels};

} // namespace

std::vector<TimeAdvice> adviseOnTime(ArrayRef<TimedUse> Uses, uint64_t Start,
                                     uint64_t End) {
  Timeline T(Uses, Start, End);
  std::vector<TimeAdvice> Found;
  for (auto *Rule : Rules)
    if (std::optional<TimeAdvice> Advice = Rule(T))
      Found.push_back(std::move(*Advice));
  llvm::sort(Found, [](const TimeAdvice &A, const TimeAdvice &B) {
    return std::tie(B.Won, A.Name) < std::tie(A.Won, B.Name);
  });
  return Found;
}

} // namespace heddle::cuda
