//===- HeddlePasses.h - Machine passes of the target -----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the target machine makes its own machine passes, in the order in which
// they run.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPASSES_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPASSES_H

namespace llvm {
class FunctionPass;
class ImmutablePass;
class PassRegistry;

/// Sets convergence barriers (BSSY, BSYNC) around divergent regions and drops
/// WARPSYNCs that the result makes redundant. Runs on SSA form, behind the SSA
/// optimisations. Needed at every level: without it threads that diverged once
/// go on one by one.
FunctionPass *createHeddleConvergencePass();

/// Fills in the targets of BSSY, once blocks are not moved any more.
FunctionPass *createHeddleBarrierTargetsPass();

/// Moves uniform computation in converged blocks of kernels to the uniform
/// path. Runs on SSA form, behind the convergence pass.
FunctionPass *createHeddleUniformPathPass();

/// Makes one instruction of two operations on words where there is one. Runs on
/// SSA form, behind the uniform path, which has no such instructions.
FunctionPass *createHeddlePairOperationsPass();
FunctionPass *createHeddleGuardSelectionsPass();

/// Makes comparisons again where more predicates would live at a time than
/// there are. Runs on SSA form, in front of register allocation.
FunctionPass *createHeddleRecomputePredicatesPass();
FunctionPass *createHeddleRecomputeValuesPass();

/// Gives each PHI a move of its own of a constant that hundreds begin with.
/// Runs on SSA form, in front of register allocation.
FunctionPass *createHeddlePhiConstantsPass();

/// Gives PHIs a move of a new value behind the last use of the old one, where
/// many edges bring each of them. Runs on SSA form, in front of register
/// allocation.
FunctionPass *createHeddlePhiMovesPass();

/// What the register allocator evicts; comes in front of it.
ImmutablePass *createHeddleEvictionAnalysis();

/// Decides how many registers a kernel with a profile may have, so that its hot
/// code has more warps. Runs in front of the allocation of general registers.
FunctionPass *createHeddleProfiledRegisterLimitPass();

/// Moves a kernel's spilled values to shared memory where there is room. Runs
/// behind register allocation, before frames are laid out.
FunctionPass *createHeddleSharedSpillsPass();

/// Replaces branches around short code by guards. Runs behind register
/// allocation, before blocks are placed.
FunctionPass *createHeddleIfConversionPass();

/// Lets multiplications do a part of the moves, additions and shifts, where a
/// document asks for it. Runs in front of the last scheduler.
FunctionPass *createHeddleBalancePipesPass();

/// Makes one move of two that set both registers of a pair to constants. Runs
/// on physical registers, in front of if-conversion, which counts instructions.
FunctionPass *createHeddlePairMovesPass();

/// Gives branches the probabilities of warps in place of threads while blocks
/// are placed; with Restore those of threads again.
FunctionPass *createHeddleWarpPlacementPass(bool Restore);

/// Has blocks stay as they are where placing them would take too long; with
/// Remove, what comes behind sees nothing of it.
FunctionPass *createHeddlePlacementLimitsPass(bool Remove);

/// Marks places in long blocks that nothing is scheduled over, in front of each
/// scheduler; with Remove takes all marks away.
FunctionPass *createHeddleSchedulingLimitsPass(bool Remove);

/// Carries out the moves that a search over the final order decided. Runs where
/// nothing else changes the order any more.
FunctionPass *createHeddleTunedOrderPass();

/// Sets stall counts, counters and wait masks; see docs/hazards.md. The last
/// pass before emission, needed at every level.
FunctionPass *createHeddleHazardsPass();

void initializeHeddleConvergencePass(PassRegistry &);
void initializeHeddleUniformityPass(PassRegistry &);
void initializeHeddleBarrierTargetsPass(PassRegistry &);
void initializeHeddleUniformPathPass(PassRegistry &);
void initializeHeddlePairMovesPass(PassRegistry &);
void initializeHeddlePairOperationsPass(PassRegistry &);
void initializeHeddleGuardSelectionsPass(PassRegistry &);
void initializeHeddlePhiConstantsPass(PassRegistry &);
void initializeHeddlePhiMovesPass(PassRegistry &);
void initializeHeddleRecomputePredicatesPass(PassRegistry &);
void initializeHeddleRecomputeValuesPass(PassRegistry &);
void initializeHeddleProfiledRegisterLimitPass(PassRegistry &);
void initializeHeddleSharedSpillsPass(PassRegistry &);
void initializeHeddleWarpPlacementPass(PassRegistry &);
void initializeHeddleIfConversionPass(PassRegistry &);
void initializeHeddlePlacementLimitsPass(PassRegistry &);
void initializeHeddleSchedulingLimitsPass(PassRegistry &);
void initializeHeddleBalancePipesPass(PassRegistry &);
void initializeHeddleTunedOrderPass(PassRegistry &);
void initializeHeddleHazardsPass(PassRegistry &);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPASSES_H
