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

/// Whether Attempt, the code of a kernel with a limit, is better. Where loads
/// start as early as before, it is to be so in launches that do not fill the
/// chip, too; more warps are worth having then even if they hide nothing by
/// estimate.
static bool isBetter(const Function &Attempt, const Occupancy &Before,
                     RegisterPressureLevel Step) {
  std::optional<Occupancy> Now = occupancyOf(Attempt);
  if (Attempt.hasFnAttribute(attr::SpillBytes) || !Now ||
      Now->Warps <= Before.Warps)
    return false;
  return Step == RegisterPressureLevel::None
             ? !isLess(Before.Cycles, Now->Cycles) &&
                   !isLess(Before.Alone, Now->Alone)
             : isLess(Now->Cycles, Before.Cycles);
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

  /// The module with the kernels alone that are worth trying at a step, and
  /// limited; null if there are none.
  std::unique_ptr<Module> attempt(RegisterPressureLevel Step);
  /// Notes which kernels of Attempt, which was compiled with so much left out,
  /// are better.
  void judge(const Module &Attempt, RegisterPressureLevel Step);
  /// Takes the limits back where no attempt was better, and tells Made the
  /// others. Whether there are any.
  bool finish();
  /// Whether the latest attempt has all that the module has, and is better.
  bool isLatestAll() const { return IsLatestAll; }

private:
  struct Trial {
    Occupancy Before;
    RegisterPressureLevel First, Tried;
    bool IsTried = false, IsBetter = false;
  };
  Module &Made, &Original;
  MapVector<Function *, Trial> Trials; ///< by kernels of Original
  bool IsAnyOther = false, IsLatestAll = false;
};

} // namespace

OccupancyTrial::OccupancyTrial(Module &Made, Module &Original)
    : Made(Made), Original(Original) {
  for (Function &F : Original) {
    const Function *Code = Made.getFunction(F.getName());
    if (!Code || F.isDeclaration())
      continue;
    RegisterPressureLevel First = pressureLevelOf(*Code);
    if (Code->hasFnAttribute(attr::PressureLevel))
      setPressureLevel(F, First);
    std::optional<Occupancy> O = occupancyOf(*Code);
    if (O && isUndecided(F))
      Trials[&F] = {.Before = *O, .First = First, .Tried = First};
    else
      IsAnyOther |= ir::isKernel(F);
  }
}

std::unique_ptr<Module> OccupancyTrial::attempt(RegisterPressureLevel Step) {
  bool IsAnyTried = false;
  for (auto &[F, T] : Trials) {
    T.IsTried = !T.IsBetter && isWorthTrying(T.Before, Step);
    if (!T.IsTried)
      continue;
    IsAnyTried = true;
    T.Tried = std::max(T.First, Step);
    F->addFnAttr(attr::OccupancyLimit, std::to_string(T.Before.NextRegisters));
    setPressureLevel(*F, T.Tried);
  }
  if (!IsAnyTried)
    return nullptr;
  ValueToValueMapTy Map;
  return CloneModule(Original, Map, [&](const GlobalValue *G) {
    if (!ir::isKernel(*G))
      return true;
    auto Found = Trials.find(const_cast<Function *>(cast<Function>(G)));
    return Found != Trials.end() && Found->second.IsTried;
  });
}

void OccupancyTrial::judge(const Module &Attempt, RegisterPressureLevel Step) {
  IsLatestAll = !IsAnyOther;
  for (auto &[F, T] : Trials) {
    if (T.IsTried)
      T.IsBetter = isBetter(*Attempt.getFunction(F->getName()), T.Before, Step);
    IsLatestAll &= T.IsTried && T.IsBetter;
  }
}

bool OccupancyTrial::finish() {
  bool IsAnyBetter = false;
  for (auto &[F, T] : Trials) {
    IsAnyBetter |= T.IsBetter;
    if (!F->hasFnAttribute(attr::OccupancyLimit))
      continue; // not tried
    Function &There = *Made.getFunction(F->getName());
    if (!T.IsBetter) {
      setPressureLevel(*F, T.First);
      F->addFnAttr(attr::OccupancyLimit, "0");
    }
    setPressureLevel(There, pressureLevelOf(*F));
    There.addFnAttr(F->getFnAttribute(attr::OccupancyLimit));
  }
  return IsAnyBetter;
}

Error recompileForOccupancy(Module &Made, std::unique_ptr<Module> Original,
                            Buffer &Bytes, CompileAttempt Attempt) {
  OccupancyTrial T(Made, *Original);
  ScopedDiagnosticSuppressor Quiet(Made.getContext());
  Buffer Latest;
  for (RegisterPressureLevel Step : WithLimit) {
    std::unique_ptr<Module> Kernels = T.attempt(Step);
    if (!Kernels)
      continue;
    if (Error E = Attempt(*Kernels, Latest))
      return E;
    T.judge(*Kernels, Step);
    if (T.isLatestAll())
      break;
  }
  if (!T.finish())
    return Error::success();
  if (!T.isLatestAll())
    return Attempt(*Original, Bytes);
  Bytes = std::move(Latest);
  return Error::success();
}

} // namespace heddle::compiler
