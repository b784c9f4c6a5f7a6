//===- RecompileForOccupancy.cpp - Fewer registers, more warps --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many warps a core holds goes by steps. A kernel whose registers are few
// more than those of a step is compiled once more with the step as the limit of
// the scheduler and of the register allocator: if its warps leave the
// schedulers time, without what takes registers to start loads early, which is
// kept if it spills nothing and an estimate says that more warps hide more of
// the latencies than that did; else with all of that, which is kept if it
// spills nothing and a warp takes no longer by itself.
//
//===----------------------------------------------------------------------===//

#include "Backend/Recompile.h"
#include "ScopedDiagnosticSuppressor.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Tuning/Knobs.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::compiler {

/// Instructions that a kernel has at least whose registers are too many.
static constexpr size_t FewestInstructions = 32;
/// What the limit leaves out, since it takes registers: at first loads that
/// start early, above all, in place of which more warps have theirs on their
/// way, and where that is not worth it nothing.
static constexpr RegisterPressureLevel WithLimit[] = {
    RegisterPressureLevel::Motion, RegisterPressureLevel::None};

/// Whether nobody but the compiler decides how many registers F has.
static bool isUndecided(const Function &F) {
  return !F.hasProfileData() && !F.hasFnAttribute(attr::MaxNReg) &&
         F.getFnAttributeAsParsedInteger(attr::MinCTAs, 1) <= 1 &&
         tuning::knobOf(F, tuning::Knob::Registers) == 0;
}

/// An estimate that is less sure than this is none.
static bool isLess(uint64_t Cycles, uint64_t Before) {
  return Cycles < Before - Before / 32;
}

/// Whether a limit at the next step is worth trying with so much left out: it
/// takes no more than a fifth of the registers, and where something is left
/// out, the scheduler has time that more warps would fill.
static bool isWorthTrying(const Occupancy &O, RegisterPressureLevel Step) {
  return O.NextRegisters && 5 * O.NextRegisters >= 4 * O.Registers &&
         (Step == RegisterPressureLevel::None ||
          isLess(O.NextCycles, O.Cycles));
}

/// Whether the code of a kernel with a limit is better. Where loads start as
/// early as before, it is to be so in launches that do not fill the chip, too;
/// more warps are worth having then even if they hide nothing by estimate.
static bool isBetter(const RegisterUse &Limited, const Occupancy &Before,
                     RegisterPressureLevel Step) {
  const std::optional<Occupancy> &Now = Limited.Occupancy;
  if (Limited.SpillBytes || !Now || Now->Warps <= Before.Warps)
    return false;
  return Step == RegisterPressureLevel::None
             ? !isLess(Before.Cycles, Now->Cycles) &&
                   !isLess(Before.Alone, Now->Alone)
             : isLess(Now->Cycles, Before.Cycles);
}

bool mayGainWarps(const Function &F, size_t Instructions) {
  return Instructions >= FewestInstructions && ir::isKernel(F) &&
         isUndecided(F);
}

namespace {

/// The kernels of a module that may be better with fewer registers.
class OccupancyTrials {
public:
  explicit OccupancyTrials(const Recompilation &R);

  /// Tries a step on the kernels that are worth it. Whether there are any.
  bool tryStep(RegisterPressureLevel Step);
  /// The module with these kernels alone.
  std::unique_ptr<Module> tried() const;
  /// Decides how they are tried.
  RegisterPlans plans() const;
  /// Notes which of them are better with so much left out.
  void judge(const RegisterUses &Found, RegisterPressureLevel Step);
  /// Whether the latest attempt has all that the module has, and is better.
  bool isLatestAll() const { return IsLatestAll; }
  bool isAnyBetter() const {
    return any_of(Trials, [](const auto &T) { return T.second.IsBetter; });
  }
  /// Decides how kernels are compiled that are better.
  void decide(RegisterPlans &Plans) const;

private:
  struct Trial {
    Occupancy Before;
    RegisterPressureLevel First, Tried;
    bool IsTried = false, IsBetter = false;

    RegisterPlan plan() const {
      return {
          .Level = Tried, .Limit = Before.NextRegisters, .Unlimited = Before};
    }
  };
  const Recompilation &R;
  MapVector<const Function *, Trial> Trials;
  bool IsAnyOther = false, IsLatestAll = false;
};

} // namespace

OccupancyTrials::OccupancyTrials(const Recompilation &R) : R(R) {
  for (const Function &F : R.Original) {
    if (F.isDeclaration() || !ir::isKernel(F))
      continue;
    std::optional<Occupancy> O = R.Found.lookup(F.getName()).Occupancy;
    RegisterPressureLevel First = R.Plans.of(F).Level;
    if (O && isUndecided(F))
      Trials[&F] = {.Before = *O, .First = First, .Tried = First};
    else
      IsAnyOther = true;
  }
}

bool OccupancyTrials::tryStep(RegisterPressureLevel Step) {
  bool IsAnyTried = false;
  for (auto &[F, T] : Trials) {
    T.IsTried = !T.IsBetter && isWorthTrying(T.Before, Step);
    if (!T.IsTried)
      continue;
    IsAnyTried = true;
    T.Tried = std::max(T.First, Step);
  }
  return IsAnyTried;
}

std::unique_ptr<Module> OccupancyTrials::tried() const {
  ValueToValueMapTy Map;
  return CloneModule(R.Original, Map, [&](const GlobalValue *G) {
    if (!ir::isKernel(*G))
      return true;
    auto Found = Trials.find(cast<Function>(G));
    return Found != Trials.end() && Found->second.IsTried;
  });
}

RegisterPlans OccupancyTrials::plans() const {
  RegisterPlans Plans = R.Plans;
  for (const auto &[F, T] : Trials)
    if (T.IsTried)
      Plans.set(*F, T.plan());
  return Plans;
}

void OccupancyTrials::judge(const RegisterUses &Found,
                            RegisterPressureLevel Step) {
  IsLatestAll = !IsAnyOther;
  for (auto &[F, T] : Trials) {
    if (T.IsTried)
      T.IsBetter = isBetter(Found.lookup(F->getName()), T.Before, Step);
    IsLatestAll &= T.IsTried && T.IsBetter;
  }
}

void OccupancyTrials::decide(RegisterPlans &Plans) const {
  for (const auto &[F, T] : Trials)
    if (T.IsBetter)
      Plans.set(*F, T.plan());
}

Error recompileForOccupancy(Recompilation &R) {
  OccupancyTrials T(R);
  ScopedDiagnosticSuppressor Quiet(R.Original.getContext());
  GeneratedCode Latest;
  for (RegisterPressureLevel Step : WithLimit) {
    if (!T.tryStep(Step))
      continue;
    if (Error E = R.Attempt(*T.tried(), T.plans(), Latest))
      return E;
    T.judge(Latest.Uses, Step);
    if (T.isLatestAll())
      break;
  }
  if (!T.isAnyBetter())
    return Error::success();
  T.decide(R.Plans);
  if (!T.isLatestAll())
    if (Error E = R.Attempt(*CloneModule(R.Original), R.Plans, Latest))
      return E;
  R.Bytes = std::move(Latest.Bytes);
  return Error::success();
}

} // namespace heddle::compiler
