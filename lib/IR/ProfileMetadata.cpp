//===- ProfileMetadata.cpp - What a profile says in LLVM IR -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the metadata of a profile; what has not its form is no metadata.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/ProfileMetadata.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Metadata.h"
#include "llvm/IR/ProfDataUtils.h"

#include <algorithm>
#include <numeric>

#include <cmath>

using namespace llvm;

namespace heddle::ir {

/// The numbers of a node; none if it has anything else or a wrong number of
/// them.
static SmallVector<uint64_t, 8> numbersOf(const MDNode *Node) {
  SmallVector<uint64_t, 8> Numbers;
  if (!Node)
    return Numbers;
  for (const MDOperand &Operand : Node->operands()) {
    auto *Number = mdconst::dyn_extract_or_null<ConstantInt>(Operand);
    if (!Number || Number->getBitWidth() > 64)
      return {};
    Numbers.push_back(Number->getZExtValue());
  }
  return Numbers;
}

double Divergence::shareOfWarps(double ShareOfThreads) const {
  if (Warps == 0 || Lanes == 0)
    return ShareOfThreads;
  double Threads = ShareOfThreads * static_cast<double>(Lanes);
  double Diverged = static_cast<double>(Divergent);
  double Together = static_cast<double>(Lanes) / static_cast<double>(Warps);
  double Others = std::max(0.0, Threads - Diverged) / Together;
  return std::min(1.0, (Diverged + Others) / static_cast<double>(Warps));
}

std::optional<Divergence> divergenceOf(const Instruction &Terminator) {
  SmallVector<uint64_t, 8> N =
      numbersOf(Terminator.getMetadata(DivergenceName));
  if (N.size() != 3 || N[1] > N[0] || N[0] > N[2])
    return std::nullopt;
  return Divergence{N[0], N[1], N[2]};
}

std::optional<double> shareOfWarps(const BasicBlock *From,
                                   const BasicBlock *To) {
  const auto *Branch =
      From ? dyn_cast_or_null<BranchInst>(From->getTerminator()) : nullptr;
  uint64_t First, Second;
  if (!Branch || !Branch->isConditional() ||
      Branch->getSuccessor(0) == Branch->getSuccessor(1) ||
      !is_contained(Branch->successors(), To) ||
      !extractBranchWeights(*Branch, First, Second) || First + Second == 0)
    return std::nullopt;
  bool IsFirst = Branch->getSuccessor(0) == To;
  double Share = static_cast<double>(IsFirst ? First : Second) /
                 static_cast<double>(First + Second);
  // The threads of warps that stay together count alike.
  if (std::optional<Divergence> D = divergenceOf(*Branch))
    return D->shareOfWarps(Share);
  return Share;
}

/// As a number without overflow: what matters are shares.
static double sum(ArrayRef<uint64_t> Counts) {
  return std::accumulate(
      Counts.begin(), Counts.end(), 0.0,
      [](double Sum, uint64_t N) { return Sum + static_cast<double>(N); });
}

double Trips::total() const { return sum(Stays); }

double tripsOfBucket(unsigned Bucket) {
  unsigned Least = pgo::leastTrips(Bucket);
  return Bucket + 1 == pgo::TripBuckets
             ? 2.0 * Least
             : (Least + pgo::leastTrips(Bucket + 1) - 1) / 2.0;
}

double Trips::ofWarp() const {
  constexpr double WarpSize = 32;
  double Seen = 0, Before = 0, Expected = 0;
  for (unsigned B = 0; B != pgo::TripBuckets && total() != 0; ++B) {
    Seen += static_cast<double>(Stays[B]);
    double NoneMore = std::pow(Seen / total(), WarpSize);
    Expected += tripsOfBucket(B) * (NoneMore - Before);
    Before = NoneMore;
  }
  return Expected;
}

std::optional<Trips> tripsOf(const Loop &L) {
  const BasicBlock *Latch = L.getLoopLatch();
  if (!Latch)
    return std::nullopt;
  SmallVector<uint64_t, 8> N =
      numbersOf(Latch->getTerminator()->getMetadata(TripsName));
  if (N.size() != pgo::TripBuckets)
    return std::nullopt;
  Trips T;
  copy(N, T.Stays.begin());
  return T.total() == 0 ? std::nullopt : std::optional(T);
}

/// The numbers of ArgumentsName that are well-formed.
static SmallVector<SmallVector<uint64_t, 8>, 8>
argumentNumbers(const Function &Kernel) {
  SmallVector<SmallVector<uint64_t, 8>, 8> All;
  SmallVector<MDNode *, 8> Nodes;
  Kernel.getMetadata(ArgumentsName, Nodes);
  for (const MDNode *Node : Nodes) {
    SmallVector<uint64_t, 8> N = numbersOf(Node);
    if (N.size() >= 4 && N.size() % 2 == 0 && N[0] <= UINT32_MAX && N[1] != 0)
      All.push_back(std::move(N));
  }
  return All;
}

std::optional<double> threadsOfLaunch(const Function &Kernel) {
  auto Arguments = argumentNumbers(Kernel);
  if (Arguments.empty() || !Kernel.getEntryCount())
    return std::nullopt;
  return static_cast<double>(Kernel.getEntryCount()->getCount()) /
         static_cast<double>(Arguments.front()[1]);
}

SmallVector<ArgumentValue, 8> commonArguments(const Function &Kernel) {
  SmallVector<ArgumentValue, 8> Arguments;
  for (const SmallVector<uint64_t, 8> &N : argumentNumbers(Kernel)) {
    size_t Best = 2;
    for (size_t I = 4; I != N.size(); I += 2)
      if (N[I + 1] > N[Best + 1])
        Best = I;
    Arguments.push_back({static_cast<unsigned>(N[0]), N[Best],
                         std::min(1.0, static_cast<double>(N[Best + 1]) /
                                           static_cast<double>(N[1]))});
  }
  return Arguments;
}

} // namespace heddle::ir
