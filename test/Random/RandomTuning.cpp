//===- RandomTuning.cpp - Decisions of all kinds ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks over the table of decisions, so that a new one joins by itself.
//
//===----------------------------------------------------------------------===//

#include "RandomTuning.h"

using namespace llvm;

namespace heddle::random {

/// Instructions among which decisions choose, and how many are chosen at most.
static constexpr unsigned Instructions = 400;
static constexpr unsigned MaxChosen = 40;

static int64_t randomValue(const tuning::KnobInfo &Knob, RandomGenerator &R) {
  if (R.percent(80))
    return R.pick(Knob.Domain);
  uint64_t Range = uint64_t(Knob.Domain.back() - Knob.Domain.front()) + 1;
  return Knob.Domain.front() + int64_t(R.below(Range));
}

static tuning::Configuration randomConfiguration(size_t NumLoops,
                                                 RandomGenerator &R) {
  tuning::Configuration C;
  const unsigned Chance = R.pick(ArrayRef<unsigned>{10, 50, 100});
  for (const tuning::KnobInfo &Knob : tuning::knobTable()) {
    std::string Name = Knob.Name.str();
    auto Decide = [&](const std::string &Of) {
      if (R.percent(Chance))
        C[Of] = randomValue(Knob, R);
    };
    switch (Knob.Scope) {
    case tuning::KnobScope::Launch: // Nothing for the compiler.
      break;
    case tuning::KnobScope::Function:
      Decide(Name);
      break;
    case tuning::KnobScope::Loop:
      Decide(Name);
      for (size_t N = 0; N != NumLoops; ++N)
        Decide(Name + "@" + std::to_string(N));
      break;
    case tuning::KnobScope::Instruction:
      for (uint64_t Left = R.below(MaxChosen); Left != 0; --Left)
        Decide(Name + "@" + std::to_string(R.below(Instructions)));
      break;
    }
  }
  return C;
}

tuning::Document makeRandomTuning(
    const std::map<std::string, std::vector<tuning::LoopShape>> &Kernels,
    RandomGenerator &R) {
  tuning::Document D;
  for (const auto &[Name, Loops] : Kernels)
    D.Kernels[Name] = randomConfiguration(Loops.size(), R);
  return D;
}

} // namespace heddle::random
