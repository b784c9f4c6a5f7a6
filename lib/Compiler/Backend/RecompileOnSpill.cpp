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

#include "Backend/Backend.h"
#include "ScopedDiagnosticSuppressor.h"

#include "heddle/Support/Attributes.h"
#include "heddle/Target/Registers.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Transforms/Utils/Cloning.h"

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
class Trials {
public:
  explicit Trials(const Module &M) : Original(CloneModule(M)) {}

  /// Notes what Attempt, which was compiled, spills.
  void learn(const Module &Attempt);
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
  /// The module that shows whether this step is.
  std::unique_ptr<Module> attemptDoubtful(RegisterPressureLevel Step);
  /// Notes what functions in doubt spill in Attempt, which was compiled.
  void learnDoubtful(const Module &Attempt);
  /// Leaves functions still in doubt as they are: with fewer steps they spill
  /// more.
  void giveUpDoubtful() {
    for (auto &[F, R] : Spilling)
      R.WasLast = R.IsInDoubt;
  }
  /// The module to be compiled next, with functions that spill at this step.
  std::unique_ptr<Module> attempt(RegisterPressureLevel Step);
  /// The same as every function is compiled best.
  std::unique_ptr<Module> best();
  /// Tells M, which Original is like, how its functions are compiled best.
  void annotate(Module &M) const;

private:
  struct Result {
    RegisterPressureLevel Best = RegisterPressureLevel::None,
                          Tried = RegisterPressureLevel::None,
                          Kept = RegisterPressureLevel::None;
    uint64_t First = 0, Bytes = 0; ///< spilled at first, and at best
    bool IsInDoubt = false, WasLast = false;
  };
  static bool isDone(const Result &R) { return !R.Bytes || R.WasLast; }
  static uint64_t spillBytesOf(const Function &F) {
    return F.getFnAttributeAsParsedInteger(attr::SpillBytes, 0);
  }
  std::unique_ptr<Module> copy();

  std::unique_ptr<Module> Original;
  MapVector<Function *, Result> Spilling; ///< by functions of Original
  bool KnowsSpilling = false;
};

} // namespace

void Trials::learn(const Module &Attempt) {
  bool IsFirst = !std::exchange(KnowsSpilling, true);
  for (Function &F : *Original) {
    const Function *Made = Attempt.getFunction(F.getName());
    uint64_t Bytes = Made ? spillBytesOf(*Made) : 0;
    if (IsFirst) {
      if (Bytes && !F.hasProfileData())
        Spilling[&F] = {
            .First = Bytes, .Bytes = Bytes, .IsInDoubt = Bytes >= ManyBytes};
      continue;
    }
    auto Found = Spilling.find(&F);
    if (Found == Spilling.end())
      continue;
    Result &R = Found->second;
    if (Bytes >= R.Bytes || !isWorthIt(R.Tried, Bytes, R.First))
      continue;
    R.Best = R.Tried;
    R.Bytes = Bytes;
  }
}

std::unique_ptr<Module> Trials::copy() {
  for (auto &[F, R] : Spilling)
    setPressureLevel(*F, R.Tried);
  return CloneModule(*Original);
}

std::unique_ptr<Module> Trials::attemptDoubtful(RegisterPressureLevel Step) {
  for (auto &[F, R] : Spilling)
    R.Tried = R.IsInDoubt ? Step : R.Best;
  return copy();
}

void Trials::learnDoubtful(const Module &Attempt) {
  for (auto &[F, R] : Spilling) {
    if (!R.IsInDoubt)
      continue;
    const Function *Made = Attempt.getFunction(F->getName());
    uint64_t Bytes = Made ? spillBytesOf(*Made) : 0;
    R.IsInDoubt = Bytes != 0;
    // Where the first is enough, less may be, too.
    bool MayTakeLess = !Bytes && R.Tried == LastForFewer[0];
    if (Bytes < R.Bytes && !MayTakeLess && isWorthIt(R.Tried, Bytes, R.First)) {
      R.Best = R.Tried;
      R.Bytes = Bytes;
    }
  }
}

std::unique_ptr<Module> Trials::attempt(RegisterPressureLevel Step) {
  for (auto &[F, R] : Spilling)
    R.Tried = isDone(R) ? R.Best : Step;
  return copy();
}

std::unique_ptr<Module> Trials::best() {
  for (auto &[F, R] : Spilling)
    R.Tried = R.Best;
  return copy();
}

void Trials::annotate(Module &M) const {
  for (const auto &[F, R] : Spilling)
    if (Function *There = M.getFunction(F->getName()))
      setPressureLevel(*There, R.Best);
}

/// Fewer instructions than registers hardly make so many values.
bool mayRunOut(const Module &M, const Settings &S) {
  if (S.OptLevel < 2 || S.Emit == "llvm")
    return false;
  bool MayRunOut = false;
  size_t Instructions = 0;
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    if (F.hasFnAttribute(attr::PressureLevel))
      return false; // that was tried before
    size_t Count = F.getInstructionCount();
    Instructions += Count;
    MayRunOut |= Count >= registerLimitOf(F, S.Chip) && !F.hasProfileData();
  }
  return MayRunOut && Instructions <= MostRepeatedInstructions;
}

Error recompileOnSpill(Module &M, Buffer &Bytes, CompileAttempt Attempt) {
  Trials T(M);
  if (Error E = Attempt(M, Bytes))
    return E;
  T.learn(M);
  if (T.areAllDone())
    return Error::success();
  ScopedDiagnosticSuppressor Quiet(M.getContext());
  auto Try = [&](std::unique_ptr<Module> Copy, auto Learn) -> Error {
    Buffer Made;
    if (Error E = Attempt(*Copy, Made))
      return E;
    (T.*Learn)(*Copy);
    if (T.isLatestBest()) {
      Bytes = std::move(Made);
      T.keepLatest();
    }
    return Error::success();
  };
  for (RegisterPressureLevel Step : LastForFewer)
    if (T.isAnyInDoubt())
      if (Error E = Try(T.attemptDoubtful(Step), &Trials::learnDoubtful))
        return E;
  T.giveUpDoubtful();
  for (RegisterPressureLevel Step : Steps) {
    if (T.areAllDone())
      break;
    if (Error E = Try(T.attempt(Step), &Trials::learn))
      return E;
  }
  if (!T.isKeptBest())
    if (Error E = Attempt(*T.best(), Bytes))
      return E;
  T.annotate(M);
  return Error::success();
}

} // namespace heddle::compiler
