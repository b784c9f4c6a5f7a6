//===- HeddlePasses.h - Passes of the code generator -----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares how the target machine makes and registers its own passes, from
// their one list, CodeGenPasses.def: createHeddleHazardsPass() and so on.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPASSES_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPASSES_H

#include "llvm/Support/CodeGen.h"

namespace llvm {
class FunctionPass;
class ImmutablePass;
class ModulePass;
class PassRegistry;
class TargetMachine;

FunctionPass *createHeddleISelDag(TargetMachine &TM, CodeGenOptLevel OL);

#define HEDDLE_CODEGEN_MODULE_PASS(Name, Class, Summary)                       \
  ModulePass *createHeddle##Class##Pass();                                     \
  void initializeHeddle##Class##Pass(PassRegistry &);
#define HEDDLE_CODEGEN_FUNCTION_PASS(Name, Class, Summary)                     \
  FunctionPass *createHeddle##Class##Pass();                                   \
  void initializeHeddle##Class##Pass(PassRegistry &);
#define HEDDLE_CODEGEN_MACHINE_PASS(Name, Class, Summary)                      \
  FunctionPass *createHeddle##Class##Pass();                                   \
  void initializeHeddle##Class##Pass(PassRegistry &);
#define HEDDLE_CODEGEN_MACHINE_PASS_WITH_UNDO(Name, Class, Summary)            \
  /** With Undo, the one that takes back what the first one did. */            \
  FunctionPass *createHeddle##Class##Pass(bool Undo);                          \
  void initializeHeddle##Class##Pass(PassRegistry &);
#define HEDDLE_CODEGEN_REGISTERED_PASS(Name, Class, Summary)                   \
  void initializeHeddle##Class##Pass(PassRegistry &);
#define HEDDLE_CODEGEN_REPLACED_ANALYSIS(Name, Class, Summary)                 \
  ImmutablePass *createHeddle##Class();
#include "heddle/Target/CodeGenPasses.def"

/// For places in LLVM's own pipeline.
extern char &HeddleDebugValuesID;

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPASSES_H
