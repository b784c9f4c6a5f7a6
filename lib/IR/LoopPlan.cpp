//===- LoopPlan.cpp - What is done to loops and their loads -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A decision of a tuning document is 0 where the document leaves it to the
// compiler and 1 where the document says no.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/LoopPlan.h"
#include "heddle/Support/Attributes.h"

#include "heddle/Tuning/Knobs.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace heddle::ir {

using tuning::Knob;

/// What the compiler sees fit where it knows how often blocks are executed.
static constexpr unsigned MostHoisted = 24, MostAhead = 16;
/// And where it does not.
static constexpr unsigned MostHoistedByRule = 24, MostAheadByRule = 16;

/// A number of registers by what is known of F.
static unsigned chosenFor(const Function &F, unsigned ByProfile,
                          unsigned ByRule) {
  if (F.hasProfileData())
    return ByProfile;
  return F.hasFnAttribute(attr::Loops) ? ByRule : 0;
}

static unsigned decide(int64_t Decision, unsigned Otherwise) {
  constexpr int64_t Undecided = 0, No = 1;
  if (Decision == Undecided)
    return Otherwise;
  return Decision == No ? 0 : static_cast<unsigned>(Decision);
}

static unsigned registersHoisted(const Function &F) {
  return decide(tuning::knobOf(F, Knob::HoistLoads),
                chosenFor(F, MostHoisted, MostHoistedByRule));
}

/// Over all loops: those of which nothing is said have the compiler's number,
/// whatever is said of others.
static unsigned registersAhead(const Function &F) {
  unsigned Otherwise = chosenFor(F, MostAhead, MostAheadByRule);
  return std::max(Otherwise,
                  decide(tuning::knobOf(F, Knob::PipelineLoads), Otherwise));
}

unsigned registersAhead(const Function &F, const Loop &L) {
  return decide(tuning::loopKnobOf(L, Knob::PipelineLoads),
                chosenFor(F, MostAhead, MostAheadByRule));
}

bool isAheadByRule(const Loop &L) {
  return tuning::loopKnobOf(L, Knob::PipelineLoads) == 0;
}

bool wantsEarlyLoads(const Function &F) {
  return decide(tuning::knobOf(F, Knob::EarlyLoads),
                F.hasProfileData() || registersHoisted(F) ||
                    registersAhead(F)) != 0;
}

Plan planOf(const Function &F) {
  Plan P;
  P.Restructure =
      decide(tuning::knobOf(F, Knob::LoopPasses), F.hasProfileData()) != 0;
  P.RegistersHoisted = registersHoisted(F);
  P.RegistersAhead = registersAhead(F);
  P.EarlyLoads = wantsEarlyLoads(F);
  P.UnrollsCounted =
      F.hasFnAttribute(attr::Loops) && !F.hasFnAttribute(attr::NoUnroll);
  return P;
}

} // namespace heddle::ir
