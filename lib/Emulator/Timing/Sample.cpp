//===- Sample.cpp - Timing a part of a grid ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The error is the half width of the interval of 95 % confidence of Student's
// distribution for the mean of the segments' times, and an allowance for what
// the clusters that are left out would have done to the caches.
//
//===----------------------------------------------------------------------===//

#include "Sample.h"

#include <cmath>

namespace heddle::emu {

/// Waves of a segment: those that are timed meet others of their segment in
/// the caches and on the cores.
static constexpr uint64_t WavesOfSegment = 2;

/// Of the time that is not measured, the part that the caches may change: they
/// see the clusters that are not timed one after the other, not together, and
/// no segment but the first has the time in which L2 fills. Trials of launches
/// as they are in benchmarks/timing/sampling.py were off by less.
static constexpr double CacheAllowance = 0.06;

Sample::Sample(uint64_t TheClusters, uint64_t Wave, unsigned Waves,
               bool WithTail)
    : Clusters(TheClusters), Whole(TheClusters) {
  if (!WithTail && Clusters > Wave)
    Whole = Clusters / Wave * Wave;
  uint64_t Length = WavesOfSegment * Wave;
  uint64_t Count = Waves / WavesOfSegment;
  uint64_t LastLength = Length + Whole % Wave;
  // The mean and its deviation take two besides the first and the last.
  if (Count < 4 || Whole <= Count * Length + LastLength) {
    Segments.push_back({0, Whole});
    return;
  }
  uint64_t Last = Whole - LastLength;
  for (uint64_t N = 0; N + 1 < Count; ++N) {
    uint64_t Begin = Last / (Count - 1) * N;
    Segments.push_back({Begin, Begin + Length});
  }
  Segments.push_back({Last, Whole});
}

bool Sample::isTimed(uint64_t Cluster) {
  while (Current < Segments.size() && Cluster >= Segments[Current].End)
    ++Current;
  return Current < Segments.size() && Cluster >= Segments[Current].Begin;
}

void Sample::starts(uint64_t Cluster, Cycle Now) {
  if (Current < Segments.size() && Cluster == Segments[Current].Begin)
    Segments[Current].Start = Now;
}

/// The factor of the standard error at 95 % confidence.
static double studentFactor(uint64_t DegreesOfFreedom) {
  static constexpr double Table[] = {12.71, 4.30, 3.18, 2.78, 2.57,
                                     2.45,  2.36, 2.31, 2.26, 2.23};
  if (DegreesOfFreedom <= std::size(Table))
    return Table[DegreesOfFreedom - 1];
  return 1.96 + 2.7 / double(DegreesOfFreedom);
}

std::optional<rt::SampleEstimate>
Sample::estimate(Cycle Cycles, uint64_t CTAsPerCluster) const {
  uint64_t Timed = 0;
  for (const Segment &S : Segments)
    Timed += S.End - S.Begin;
  if (Timed == Clusters)
    return std::nullopt;
  double Whole = this->Whole, Total = Cycles, Error = 0;
  if (Segments.size() > 1) {
    double Sum = 0, Squares = 0;
    uint64_t Count = Segments.size() - 2;
    for (size_t N = 1; N <= Count; ++N) {
      double Time = double(Segments[N + 1].Start - Segments[N].Start);
      Sum += Time;
      Squares += Time * Time;
    }
    double Mean = Sum / Count;
    double Variance = std::max(0.0, (Squares - Sum * Mean) / double(Count - 1));
    double Left = (Whole - Timed) / (Segments[0].End - Segments[0].Begin);
    Total += Left * Mean;
    Error = Left * (std::sqrt(Variance / Count) * studentFactor(Count - 1) +
                    CacheAllowance * Mean);
  }
  double Factor = Clusters / Whole;
  return rt::SampleEstimate{Timed * CTAsPerCluster, Clusters * CTAsPerCluster,
                            uint64_t(std::llround(Total * Factor)),
                            uint64_t(std::ceil(Error * Factor))};
}

} // namespace heddle::emu
