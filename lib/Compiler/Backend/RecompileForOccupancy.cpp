//===- RecompileForOccupancy.cpp - Fewer registers, more warps --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many warps a core holds goes by steps. A kernel whose registers are few
// more than those of a step, and whose warps leave the schedulers time, is
// compiled once more: with the step as the limit of the scheduler and of the
// register allocator, and without what takes registers to start loads early.
// That code is kept if it spills nothing and an estimate says that more warps
// hide more of the latencies than that did.
//
//===----------------------------------------------------------------------===//

#include "Backend/Backend.h"
#include "ScopedDiagnosticSuppressor.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Target/Registers.h"
#include "heddle/Tuning/Knobs.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::compiler {

/// Instructions that a kernel has at least whose registers are too many.
static constexpr size_t FewestInstructions = 32;
/// What the limit leaves out, since it takes registers: loads that start early,
/// above all, in place of which more warps have theirs on their way.
static constexpr RegisterPressureLevel WithLimit =
    RegisterPressureLevel::Motion;

/// Whether nobody but the compiler decides how many registers F has.
static bool isUndecided(const Function &F) {
  return !F.hasProfileData() && !F.hasFnAttribute(attr::MaxNReg) &&
         !F.hasFnAttribute(attr::MinCTAs) &&
         tuning::knobOf(F, tuning::Knob::Registers) == 0;
}

/// An estimate that is less sure than this is none.
static bool isLess(uint64_t Cycles, uint64_t Before) {
  return Cycles < Before - Before / 32;
}

/// Whether a limit at the next step is worth trying: it takes no more than a
/// fifth of the registers, and the scheduler has time that more warps would
/// fill.
static bool isWorthTrying(const Occupancy &O) {
  return O.NextRegisters && 5 * O.NextRegisters >= 4 * O.Registers &&
         isLess(O.NextCycles, O.Cycles);
}

/// Whether Attempt, the code of a kernel with a limit, is better.
static bool isBetter(const Function &Attempt, const Occupancy &Before) {
  std::optional<Occupancy> Now = occupancyOf(Attempt);
  return !Attempt.hasFnAttribute(attr::SpillBytes) && Now &&
         Now->Warps > Before.Warps && isLess(Now->Cycles, Before.Cycles);
}

bool mayGainWarps(const Module &M, const Settings &S) {
  if (S.OptLevel < 3 || S.Emit == "llvm" || S.EmbedBitcode)
    return false;
  bool MayGain = false;
  size_t Instructions = 0;
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    if (F.hasFnAttribute(attr::OccupancyLimit))
      return false; // that was tried before
    size_t Count = F.getInstructionCount();
    Instructions += Count;
    MayGain |= Count >= FewestInstructions && ir::isKernel(F) && isUndecided(F);
  }
  return MayGain && Instructions <= MostRepeatedInstructions;
}

namespace {

/// The kernels of a module that may be better with fewer registers.
class OccupancyTrial {
public:
  /// Made was Original and is compiled.
  OccupancyTrial(Module &Made, Module &Original);

  bool isEmpty() const { return Limited.empty(); }
  /// The module with these kernels alone, limited.
  std::unique_ptr<Module> attempt() const;
  /// Takes the limits back where Attempt, which was compiled, is not better,
  /// and tells Made the others. Whether there are any.
  bool judge(const Module &Attempt);
  /// Whether an attempt has all that the module has, and is better.
  bool isAttemptAll() const { return IsAllLimited && IsAllBetter; }

private:
  Module &Made, &Original;
  MapVector<Function *, Occupancy> Limited; ///< of Original
  bool IsAllLimited = true, IsAllBetter = true;
};

} // namespace

OccupancyTrial::OccupancyTrial(Module &Made, Module &Original)
    : Made(Made), Original(Original) {
  for (Function &F : Original) {
    const Function *Code = Made.getFunction(F.getName());
    if (!Code || F.isDeclaration())
      continue;
    if (Code->hasFnAttribute(attr::PressureLevel))
      setPressureLevel(F, pressureLevelOf(*Code));
    std::optional<Occupancy> O = occupancyOf(*Code);
    if (O && isWorthTrying(*O) && isUndecided(F)) {
      Limited.insert({&F, *O});
      F.addFnAttr(attr::OccupancyLimit, std::to_string(O->NextRegisters));
      setPressureLevel(F, WithLimit);
    } else {
      IsAllLimited &= !ir::isKernel(F);
    }
  }
}

std::unique_ptr<Module> OccupancyTrial::attempt() const {
  ValueToValueMapTy Map;
  return CloneModule(Original, Map, [&](const GlobalValue *G) {
    return !ir::isKernel(*G) || occupancyLimitOf(cast<Function>(*G)) != 0;
  });
}

bool OccupancyTrial::judge(const Module &Attempt) {
  bool IsAnyBetter = false;
  for (auto &[F, Before] : Limited) {
    bool IsBetter = isBetter(*Attempt.getFunction(F->getName()), Before);
    IsAnyBetter |= IsBetter;
    IsAllBetter &= IsBetter;
    Function &There = *Made.getFunction(F->getName());
    if (IsBetter) {
      setPressureLevel(There, WithLimit);
    } else {
      F->removeFnAttr(attr::PressureLevel);
      F->addFnAttr(attr::OccupancyLimit, "0");
    }
    There.addFnAttr(F->getFnAttribute(attr::OccupancyLimit));
  }
  return IsAnyBetter;
}

Error recompileForOccupancy(Module &Made, std::unique_ptr<Module> Original,
                            Buffer &Bytes, CompileAttempt Attempt) {
  OccupancyTrial T(Made, *Original);
  if (T.isEmpty())
    return Error::success();
  ScopedDiagnosticSuppressor Quiet(Made.getContext());
  std::unique_ptr<Module> Kernels = T.attempt();
  Buffer Limited;
  if (Error E = Attempt(*Kernels, Limited))
    return E;
  if (!T.judge(*Kernels))
    return Error::success();
  if (!T.isAttemptAll())
    return Attempt(*Original, Bytes);
  Bytes = std::move(Limited);
  return Error::success();
}

} // namespace heddle::compiler
