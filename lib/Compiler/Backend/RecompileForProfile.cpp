//===- RecompileForProfile.cpp - What launches take least with --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profile says how often each block of a kernel is executed, and how many
// warps a launch has. So codes of the kernel can be compared by estimate: a
// kernel with a profile is compiled again with its values in other registers,
// with its loads in front of more of the others' work, and with its integer
// work on two pipes, and each is kept where it makes the launches shorter.
//
//===----------------------------------------------------------------------===//

#include "Backend/Recompile.h"
#include "ScopedDiagnosticSuppressor.h"

#include "heddle/IR/Kernels.h"
#include "heddle/IR/ProfileMetadata.h"

#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace heddle::compiler {

/// Instructions of a kernel, at least, that have something to wait for.
static constexpr size_t FewestInstructions = 8;

bool mayGainByProfile(const Function &F, size_t Instructions) {
  return Instructions >= FewestInstructions && ir::isKernel(F) &&
         F.hasProfileData() && ir::threadsOfLaunch(F);
}

namespace {

/// What can be decided otherwise.
struct Way {
  bool RegisterPlan::*Decision;
  /// The share of the cycles that it has to save. What depends on more than the
  /// estimate knows has to save more: with its registers, the order of all
  /// instructions changes.
  double LeastGain;
  /// What must have been decided for it; null: nothing.
  bool RegisterPlan::*Needed = nullptr;
};

/// Loads can start early where no register holds them back, and it matters to
/// kernels that this has made shorter.
constexpr Way Ways[] = {
    {&RegisterPlan::SpreadsRegisters, 0.04},
    {&RegisterPlan::HidesMemory, 0.04, &RegisterPlan::SpreadsRegisters},
    {&RegisterPlan::BalancesPipes, 0.0075}};

/// The kernels of a module that have a profile.
class ProfileTrials {
public:
  explicit ProfileTrials(Recompilation &R);

  /// Decides one thing otherwise, and keeps that where it is better.
  Error tryWay(const Way &W);
  /// Makes the code of all kernels as they are best.
  Error finish();

private:
  /// A kernel as it is best.
  struct Best {
    RegisterPlan Plan;
    uint64_t Cycles, SpillBytes;
  };

  Recompilation &R;
  MapVector<const Function *, Best> Kernels;
  bool IsAnyBetter = false;
};

} // namespace

ProfileTrials::ProfileTrials(Recompilation &R) : R(R) {
  for (const Function &F : R.All.original()) {
    const RegisterUse Use = R.Found.lookup(F.getName());
    if (Use.LaunchCycles && !F.isDeclaration())
      Kernels.insert({&F, {R.Plans.of(F), *Use.LaunchCycles, Use.SpillBytes}});
  }
}

Error ProfileTrials::tryWay(const Way &W) {
  RegisterPlans Plans = R.Plans;
  bool IsAny = false;
  for (const auto &[F, B] : Kernels) {
    RegisterPlan Plan = B.Plan;
    Plan.*W.Decision = !W.Needed || Plan.*W.Needed;
    IsAny |= Plan.*W.Decision;
    Plans.set(*F, Plan);
  }
  if (!IsAny)
    return Error::success();
  GeneratedCode Code;
  if (Error E = R.All.compile(Plans, Code))
    return E;
  for (auto &[F, B] : Kernels) {
    const RegisterUse Use = Code.Uses.lookup(F->getName());
    if (!Use.LaunchCycles || Use.SpillBytes > B.SpillBytes ||
        double(*Use.LaunchCycles) > (1 - W.LeastGain) * double(B.Cycles))
      continue;
    B = {Plans.of(*F), *Use.LaunchCycles, Use.SpillBytes};
    IsAnyBetter = true;
  }
  return Error::success();
}

Error ProfileTrials::finish() {
  if (!IsAnyBetter)
    return Error::success();
  for (const auto &[F, B] : Kernels)
    R.Plans.set(*F, B.Plan);
  return R.takePlans();
}

Error recompileForProfile(Recompilation &R) {
  ProfileTrials T(R);
  ScopedDiagnosticSuppressor Quiet(R.All.original().getContext());
  for (const Way &W : Ways)
    if (Error E = T.tryWay(W))
      return E;
  return T.finish();
}

} // namespace heddle::compiler
