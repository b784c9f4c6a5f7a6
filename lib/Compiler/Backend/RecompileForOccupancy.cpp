//===- RecompileForOccupancy.cpp - Fewer registers, more warps --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many warps a core holds goes by steps. A kernel whose registers are not
// many more than those of a step is compiled once more with the step as the
// limit of the scheduler and of the register allocator: if its warps leave the
// schedulers time, without what takes registers to start loads early, which is
// kept if it spills nothing and an estimate says that more warps hide more of
// the latencies than that did. Where that code spills, another order is tried
// that needs fewer registers, under the same condition. Where more warps are of
// no use by estimate, or that code is slower, the limit is tried with loads as
// early as before, which is kept if it spills nothing and a warp takes no
// longer by itself. Where more warps would hide much, other ways come in its
// place, under the first condition: loads early in regions of some length, then
// regions that are scheduled a few instructions at a time. Where a limit is
// kept, that of the next step is tried, in the same way.
//
//===----------------------------------------------------------------------===//

#include "Backend/Recompile.h"
#include "ScopedDiagnosticSuppressor.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Tuning/Knobs.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace heddle::compiler {

/// Instructions that a kernel has at least whose registers are too many.
static constexpr size_t FewestInstructions = 32;
/// Limits, at most, that are tried one below the other.
static constexpr unsigned MostLimits = 3;

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

/// Whether more warps alone would hide so much that several ways to them are
/// worth the time they take.
static bool wouldGainMuch(const Occupancy &O) {
  return O.NextCycles < O.Cycles - O.Cycles / 8;
}

/// Whether code of kernels with such an occupancy is likely to be content with
/// the registers of the next step.
static bool isNextNear(const Occupancy &O) {
  return O.NextRegisters && 4 * O.NextRegisters >= 3 * O.Registers;
}

bool mayGainWarps(const Function &F, size_t Instructions) {
  return Instructions >= FewestInstructions && ir::isKernel(F) &&
         isUndecided(F);
}

namespace {

/// Limits of one kernel, each below the one before.
class LimitTrial {
public:
  /// \p Unlimited: what the kernel has without, at \p Level.
  LimitTrial(const Occupancy &Unlimited, RegisterPressureLevel Level)
      : LeastCycles(Unlimited.Cycles), Now(Unlimited),
        Best{.Level = Level, .Unlimited = Unlimited}, Tried(Best) {}

  /// Tries the limit below \p Limits others if that is worth it.
  void tryLimit(unsigned Limits);
  /// Tries the first limit in another way if it was no better so far. Whether
  /// there is one.
  bool tryOtherwise();
  /// Keeps what was tried if its code is better. Whether it is.
  bool judge(const RegisterUse &Use);

  bool isTried() const { return IsTried; }
  bool isLimited() const { return Kept != 0; }
  const RegisterPlan &best() const { return Best; }
  const RegisterPlan &tried() const { return Tried; }

private:
  void tryWithout(RegisterPressureLevel Left);
  std::optional<RegisterPressureLevel> nextWay() const;
  bool isBetter(const Occupancy &O) const;

  unsigned Kept = 0; ///< limits
  /// What is left out with the limit, since it takes registers.
  RegisterPressureLevel LeftOut = RegisterPressureLevel::None;
  uint64_t LeastCycles; ///< of the codes that were kept
  Occupancy Now;        ///< of the best code
  RegisterPlan Best, Tried;
  bool IsTried = false, IsSpilling = false;
};

} // namespace

void LimitTrial::tryWithout(RegisterPressureLevel Left) {
  LeftOut = Left;
  Tried = Best;
  Tried.Level = std::max(Best.Level, Left);
  Tried.Limit = Now.NextLimit;
  IsTried = true;
}

void LimitTrial::tryLimit(unsigned Limits) {
  IsTried = false;
  if (Kept != Limits || !isNextNear(Now))
    return;
  // Whether the schedulers have time that more warps would fill.
  bool HaveTime = isLess(Now.NextCycles, Now.Cycles);
  if (Kept == 0)
    tryWithout(HaveTime ? RegisterPressureLevel::Motion
                        : RegisterPressureLevel::None);
  else if (HaveTime || LeftOut == RegisterPressureLevel::None)
    tryWithout(LeftOut);
}

/// What to leave out after what was left out last, with no success.
std::optional<RegisterPressureLevel> LimitTrial::nextWay() const {
  using enum RegisterPressureLevel;
  switch (LeftOut) {
  case Motion:
    if (IsSpilling)
      return Order;
    return wouldGainMuch(Now) ? LongRegions : None;
  case Order:
  case LongRegions:
    if (wouldGainMuch(Now))
      return Regions;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

bool LimitTrial::tryOtherwise() {
  std::optional<RegisterPressureLevel> Way;
  if (IsTried && Kept == 0)
    Way = nextWay();
  IsTried = false;
  if (Way)
    tryWithout(*Way);
  return IsTried;
}

/// More warps are worth having even if they hide nothing by estimate. Where
/// loads start as early as before, the code is to be as good in launches that
/// do not fill the chip, too. What is left out for the first time has to be
/// outweighed.
bool LimitTrial::isBetter(const Occupancy &O) const {
  if (O.Warps <= Now.Warps || isLess(LeastCycles, O.Cycles))
    return false;
  if (LeftOut == RegisterPressureLevel::None)
    return !isLess(Best.Unlimited->Alone, O.Alone);
  return Tried.Level == Best.Level || isLess(O.Cycles, LeastCycles);
}

bool LimitTrial::judge(const RegisterUse &Use) {
  IsSpilling = Use.SpillBytes != 0;
  if (IsSpilling || !Use.Occupancy || !isBetter(*Use.Occupancy))
    return false;
  Now = *Use.Occupancy;
  LeastCycles = std::min(LeastCycles, Now.Cycles);
  Best = Tried;
  ++Kept;
  return true;
}

namespace {

/// The kernels of a module that may be better with fewer registers.
class OccupancyTrials {
public:
  explicit OccupancyTrials(Recompilation &R);

  /// Tries the limit below so many others on the kernels that are worth it.
  Error tryLimit(unsigned Limits);
  /// Tries the first limit in all other ways where it was no better.
  Error tryOtherwise();
  /// Makes the code of all kernels as they are best, unless there is.
  Error finish();

private:
  bool isWanted(const Function &F) const;
  RegisterPlans plans() const;
  Error compile();
  void judge(GeneratedCode Code);

  Recompilation &R;
  MapVector<const Function *, LimitTrial> Trials;
  bool IsAnyOther = false;    ///< Whether some kernel is not tried.
  bool IsBestCompiled = true; ///< Whether R.Bytes is of the best plans.
};

} // namespace

OccupancyTrials::OccupancyTrials(Recompilation &R) : R(R) {
  for (const Function &F : R.All.original()) {
    if (F.isDeclaration() || !ir::isKernel(F))
      continue;
    std::optional<Occupancy> O = R.Found.lookup(F.getName()).Occupancy;
    if (O && isUndecided(F))
      Trials.insert({&F, LimitTrial(*O, R.Plans.of(F).Level)});
    else
      IsAnyOther = true;
  }
}

/// Whether \p F is compiled in a trial: of the kernels those that are tried.
bool OccupancyTrials::isWanted(const Function &F) const {
  if (!ir::isKernel(F))
    return true;
  auto Found = Trials.find(&F);
  return Found != Trials.end() && Found->second.isTried();
}

RegisterPlans OccupancyTrials::plans() const {
  RegisterPlans Plans = R.Plans;
  for (const auto &[F, T] : Trials)
    if (T.isTried())
      Plans.set(*F, T.tried());
  return Plans;
}

void OccupancyTrials::judge(GeneratedCode Code) {
  bool IsAnyBetter = false, AreAllBetter = !IsAnyOther;
  for (auto &[F, T] : Trials) {
    bool IsBetter = T.isTried() && T.judge(Code.Uses.lookup(F->getName()));
    IsAnyBetter |= IsBetter;
    AreAllBetter &= IsBetter;
  }
  if (AreAllBetter)
    R.Bytes = std::move(Code.Bytes);
  if (IsAnyBetter)
    IsBestCompiled = AreAllBetter;
}

Error OccupancyTrials::compile() {
  if (none_of(Trials, [](const auto &T) { return T.second.isTried(); }))
    return Error::success();
  GeneratedCode Code;
  auto Wants = [&](const Function &F) { return isWanted(F); };
  if (Error E = R.All.compileSome(plans(), Wants, Code))
    return E;
  judge(std::move(Code));
  return Error::success();
}

Error OccupancyTrials::tryLimit(unsigned Limits) {
  for (auto &[F, T] : Trials)
    T.tryLimit(Limits);
  return compile();
}

Error OccupancyTrials::tryOtherwise() {
  bool IsAny = true;
  while (IsAny) {
    IsAny = false;
    for (auto &[F, T] : Trials)
      IsAny |= T.tryOtherwise();
    if (Error E = compile())
      return E;
  }
  return Error::success();
}

Error OccupancyTrials::finish() {
  for (const auto &[F, T] : Trials)
    if (T.isLimited())
      R.Plans.set(*F, T.best());
  if (IsBestCompiled)
    return Error::success();
  return R.takePlans();
}

Error recompileForOccupancy(Recompilation &R) {
  OccupancyTrials T(R);
  ScopedDiagnosticSuppressor Quiet(R.All.original().getContext());
  for (unsigned Limits = 0; Limits != MostLimits; ++Limits) {
    if (Error E = T.tryLimit(Limits))
      return E;
    if (Limits == 0)
      if (Error E = T.tryOtherwise())
        return E;
  }
  return T.finish();
}

} // namespace heddle::compiler
