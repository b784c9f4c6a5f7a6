//===- Microbenchmarks.h - Programs that find figures -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The PTX that ptx-time --calibrate runs on a device. All kernels have the same
// four parameters of 64 bits: where results go, a buffer, and two numbers.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TIME_MICROBENCHMARKS_H
#define HEDDLE_TOOLS_PTX_TIME_MICROBENCHMARKS_H

#include "heddle/ISA/ISA.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::timing {

/// What a chain of dependent instructions finds of a latency class.
struct ArithmeticLink {
  isa::LatencyClass Class, Also;
  llvm::StringLiteral ClassName;
  bool HasInterval;
  llvm::StringLiteral Text;
};
llvm::ArrayRef<ArithmeticLink> arithmeticLinks();

/// Links in the loop of a chain's two kernels: the difference of their times is
/// that of the links alone.
constexpr unsigned ShortChain = 16, LongChain = 48;
/// Chains of each warp where the rate counts.
constexpr unsigned RateChains = 4;
/// Loads in each round of a pointer chase.
constexpr unsigned ChaseLoads = 32;
/// Bytes from one address of a chase to the next.
constexpr unsigned ChaseStride = 128;
/// Bytes that a thread reads in each round of a stream.
constexpr unsigned StreamBytes = 128;

/// `chain_CLASS_LINKS`, and `rate_CLASS_LINKS` with RateChains chains at once:
/// a loop of Count rounds of the links; its cycles.
std::string arithmeticMicrobenchmarks();

/// `scatter` writes Count addresses into Buffer, each that of the next, in a
/// pseudo-random order of Extra places (a power of two); `ring` does for Count
/// places in their order. `chase_cg` and `chase_ca` follow them past L1 and
/// through it, Count rounds unmeasured and Extra measured; their cycles.
/// `stream_cg` and `stream_ca` read Count rounds of Buffer, Extra times.
std::string memoryMicrobenchmarks();

/// `chase_cluster`: Extra rounds of loads from shared memory of the other one
/// of two CTAs; their cycles. Needs compute capability 9.0.
std::string clusterMicrobenchmark();

/// `empty`; `spin` takes Count cycles, and says how many they were and how many
/// nanoseconds; `places`: for each CTA PlaceWords words, the first of them the
/// core, and the clock at its start and at its end.
std::string launchMicrobenchmarks();
constexpr unsigned PlaceWords = 4;

} // namespace heddle::timing

#endif // HEDDLE_TOOLS_PTX_TIME_MICROBENCHMARKS_H
