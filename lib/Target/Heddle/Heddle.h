//===- Heddle.h - Passes of the code generator -----------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the passes that HeddleTargetMachine puts together.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLE_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLE_H

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "llvm/Support/CodeGen.h"

namespace llvm {
class FunctionPass;
class ModulePass;
class PassRegistry;
class TargetMachine;

FunctionPass *createHeddleISelDag(TargetMachine &TM, CodeGenOptLevel OL);
void initializeHeddleDAGToDAGISelLegacyPass(PassRegistry &);

/// Expands divisions that loop strength reduction has made.
FunctionPass *createHeddleDivisionsPass();

/// Gives every shared variable its offset and every kernel its size.
ModulePass *createHeddleSharedLayoutPass();
FunctionPass *createHeddleSplitBlocksPass();
void initializeHeddleSharedLayoutPass(PassRegistry &);
void initializeHeddleSplitBlocksPass(PassRegistry &);

/// Gives the functions that kernels reach the kernels' limits on registers.
ModulePass *createHeddleCallerLimitsPass();
void initializeHeddleCallerLimitsPass(PassRegistry &);

/// Puts functions in front of their callers, where all of these are known.
ModulePass *createHeddleCallerOrderPass();
void initializeHeddleCallerOrderPass(PassRegistry &);

/// Replaces spills of predicates and convergence registers, which are allocated
/// first, by copies to general registers, which are allocated afterwards.
FunctionPass *createHeddlePredicateSpillsPass();
void initializeHeddlePredicateSpillsPass(PassRegistry &);

/// Puts constants into the forms that hold an immediate, and drops results that
/// nobody reads into RZ and PT. Runs on SSA form.
FunctionPass *createHeddleFoldImmediatesPass();
void initializeHeddleFoldImmediatesPass(PassRegistry &);

FunctionPass *createHeddleFoldAddressesPass();
void initializeHeddleFoldAddressesPass(PassRegistry &);

void initializeHeddleAsmPrinterPass(PassRegistry &);
} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLE_H
