//===- RecompileOnSpill.cpp - Compile again what spills --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What makes code fast takes registers. A function that turns out to have too
// few of them is compiled again, with less and less of that, until it spills
// nothing, or else as it spilled least. Where one spills much, it is first seen
// whether it spills with nearly nothing of that, too. Functions that spill
// nothing are compiled once, and stay as they are.
//
// Where a profile says how often blocks are executed, the allocator spills in
// cold code, and that may be the better code.
//
//===----------------------------------------------------------------------===//

#include "Backend/Recompile.h"
#include "ScopedDiagnosticSuppressor.h"

#include "heddle/Target/Registers.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace heddle::compiler {

/// Spilled by a function for which it is asked first whether the last steps
/// that are worth it for fewer spills are enough.
static constexpr uint64_t ManyBytes = 256;
static constexpr RegisterPressureLevel LastForFewer[] = {
    RegisterPressureLevel::Order, RegisterPressureLevel::FromStart};
static constexpr RegisterPressureLevel Steps[] = {
    RegisterPressureLevel::LongRegions, RegisterPressureLevel::Motion,
    RegisterPressureLevel::Regions,     RegisterPressureLevel::Order,
    RegisterPressureLevel::FromStart,   RegisterPressureLevel::Passes};

/// Whether code that spills Bytes, made with so much left out, is worth having
/// in place of code that spills Before: latencies that are not hidden can cost
/// more than a few spills.
static bool isWorthIt(RegisterPressureLevel Step, uint64_t Bytes,
                      uint64_t Before) {
  return Bytes == 0 ||
         (Bytes <= Before / 2 && Step <= std::end(LastForFewer)[-1]);
}

namespace {

/// The functions of a module that spill, and how they are compiled best.
class SpillTrials {
public:
  /// \p Found: what the functions of \p Original spill at first.
  SpillTrials(const Module &Original, const RegisterUses &Found);

  bool areAllDone() const {
    return all_of(Spilling, [](const auto &S) { return isDone(S.second); });
  }
  /// Whether no function was compiled better than in the latest attempt.
  bool isLatestBest() const {
    return all_of(Spilling, [](const auto &S) {
      return S.second.Tried == S.second.Best;
    });
  }
  void keepLatest() {
    for (auto &[F, R] : Spilling)
      R.Kept = R.Tried;
  }
  /// Whether no function was compiled better than in the attempt that was kept.
  bool isKeptBest() const {
    return all_of(Spilling,
                  [](const auto &S) { return S.second.Kept == S.second.Best; });
  }
  /// Whether a function spills so much that the steps are hardly enough.
  bool isAnyInDoubt() const {
    return any_of(Spilling, [](const auto &S) { return S.second.IsInDoubt; });
  }
  /// Tries this step on the functions that are in doubt.
  void tryDoubtful(RegisterPressureLevel Step) {
    for (auto &[F, R] : Spilling)
      R.Tried = R.IsInDoubt ? Step : R.Best;
  }
  /// Notes what functions in doubt spill as they were tried.
  void learnDoubtful(const RegisterUses &Found);
  /// Leaves functions still in doubt as they are: with fewer steps they spill
  /// more.
  void giveUpDoubtful() {
    for (auto &[F, R] : Spilling)
      R.WasLast = R.IsInDoubt;
  }
  /// Tries this step on the functions that spill, but for those that spill
  /// nothing with a known one: of the steps in front of it these try the middle
  /// one first.
  void tryStep(RegisterPressureLevel Step) {
    for (auto &[F, R] : Spilling)
      R.Tried = isDone(R) ? R.Best : R.MayTakeLess ? stepBelowOrder(R) : Step;
  }
  /// Notes what functions spill as they were tried.
  void learn(const RegisterUses &Found);
  /// Tries every function as it is compiled best.
  void tryBest() {
    for (auto &[F, R] : Spilling)
      R.Tried = R.Best;
  }
  /// Decides that functions are compiled as they are tried.
  void decide(RegisterPlans &Plans) const {
    for (const auto &[F, R] : Spilling)
      Plans.set(*F, {.Level = R.Tried});
  }

private:
  struct Result {
    RegisterPressureLevel Best = RegisterPressureLevel::None,
                          Tried = RegisterPressureLevel::None,
                          Kept = RegisterPressureLevel::None;
    uint64_t First = 0, Bytes = 0; ///< spilled at first, and at best
    bool IsInDoubt = false, WasLast = false;
    /// Whether the function is known to spill nothing at Order, and has not
    /// been tried with all that may do as well.
    bool MayTakeLess = false;
    bool IsMiddleTried = false;
  };
  static RegisterPressureLevel stepBelowOrder(const Result &R) {
    using enum RegisterPressureLevel;
    return !R.IsMiddleTried ? Motion : R.Best == Motion ? LongRegions : Regions;
  }
  /// Notes what a function that may take less spills as it was tried.
  static void learnLess(Result &R, uint64_t Bytes);
  static bool isDone(const Result &R) {
    return (!R.Bytes && !R.MayTakeLess) || R.WasLast;
  }
  static uint64_t spillBytesOf(const Function &F, const RegisterUses &Found) {
    return Found.lookup(F.getName()).SpillBytes;
  }

  MapVector<const Function *, Result> Spilling;
};

} // namespace

SpillTrials::SpillTrials(const Module &Original, const RegisterUses &Found) {
  for (const Function &F : Original)
    if (uint64_t Bytes = spillBytesOf(F, Found); Bytes && !F.hasProfileData())
      Spilling[&F] = {
          .First = Bytes, .Bytes = Bytes, .IsInDoubt = Bytes >= ManyBytes};
}

void SpillTrials::learnLess(Result &R, uint64_t Bytes) {
  if (Bytes == 0)
    R.Best = R.Tried;
  R.MayTakeLess = !R.IsMiddleTried;
  R.IsMiddleTried = true;
}

void SpillTrials::learn(const RegisterUses &Found) {
  for (auto &[F, R] : Spilling) {
    uint64_t Bytes = spillBytesOf(*F, Found);
    if (R.MayTakeLess) {
      learnLess(R, Bytes);
      continue;
    }
    if (Bytes >= R.Bytes || !isWorthIt(R.Tried, Bytes, R.First))
      continue;
    R.Best = R.Tried;
    R.Bytes = Bytes;
  }
}

void SpillTrials::learnDoubtful(const RegisterUses &Found) {
  for (auto &[F, R] : Spilling) {
    if (!R.IsInDoubt)
      continue;
    uint64_t Bytes = spillBytesOf(*F, Found);
    R.IsInDoubt = Bytes != 0;
    // Where the first is enough, less may be, too.
    R.MayTakeLess |= !Bytes && R.Tried == LastForFewer[0];
    if (Bytes < R.Bytes && isWorthIt(R.Tried, Bytes, R.First)) {
      R.Best = R.Tried;
      R.Bytes = Bytes;
    }
  }
}

/// Fewer instructions than registers hardly make so many values.
bool mayRunOut(const Function &F, size_t Instructions, StringRef Chip) {
  return Instructions >= registerLimitOf(F, Chip) && !F.hasProfileData();
}

Error recompileOnSpill(Recompilation &R) {
  SpillTrials T(R.All.original(), R.Found);
  if (T.areAllDone())
    return Error::success();
  ScopedDiagnosticSuppressor Quiet(R.All.original().getContext());
  auto Compile = [&](GeneratedCode &Made) {
    RegisterPlans Plans;
    T.decide(Plans);
    return R.All.compile(Plans, Made);
  };
  auto Try = [&](auto Learn) -> Error {
    GeneratedCode Made;
    if (Error E = Compile(Made))
      return E;
    (T.*Learn)(Made.Uses);
    if (T.isLatestBest()) {
      R.Bytes = std::move(Made.Bytes);
      T.keepLatest();
    }
    return Error::success();
  };
  for (RegisterPressureLevel Step : LastForFewer) {
    if (!T.isAnyInDoubt())
      continue;
    T.tryDoubtful(Step);
    if (Error E = Try(&SpillTrials::learnDoubtful))
      return E;
  }
  T.giveUpDoubtful();
  for (RegisterPressureLevel Step : Steps) {
    if (T.areAllDone())
      break;
    T.tryStep(Step);
    if (Error E = Try(&SpillTrials::learn))
      return E;
  }
  T.tryBest();
  T.decide(R.Plans);
  if (T.isKeptBest())
    return Error::success();
  GeneratedCode Made;
  if (Error E = Compile(Made))
    return E;
  R.Bytes = std::move(Made.Bytes);
  return Error::success();
}

} // namespace heddle::compiler
