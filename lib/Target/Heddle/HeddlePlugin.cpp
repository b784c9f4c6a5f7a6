//===- HeddlePlugin.cpp - The target in LLVM's own tools -------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the target when LLVM's llc loads this library (llc -load), with
// options for the decisions that lib/Compiler makes elsewhere.
//
//===----------------------------------------------------------------------===//

#include "HeddleTargetMachine.h"
#include "heddle/Target/HeddleTarget.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/CommandLine.h"

using namespace llvm;

static cl::opt<unsigned> PressureLevel(
    "heddle-register-pressure-level",
    cl::desc("What functions go without: a RegisterPressureLevel as a number"));

static cl::opt<unsigned> RegisterLimit(
    "heddle-register-limit",
    cl::desc("The registers of a thread, in functions that state no less"));

static TargetMachine *createTargetMachine(const Target &T, const Triple &TT,
                                          StringRef CPU, StringRef FS,
                                          const TargetOptions &Options,
                                          std::optional<Reloc::Model> RM,
                                          std::optional<CodeModel::Model> CM,
                                          CodeGenOptLevel OL, bool JIT) {
  auto *TM = new HeddleTargetMachine(T, TT, CPU, FS, Options, RM, CM, OL, JIT);
  heddle::RegisterPlan Plan;
  Plan.Level = static_cast<heddle::RegisterPressureLevel>(+PressureLevel);
  Plan.Limit = RegisterLimit;
  TM->setRegisterPlans(heddle::RegisterPlans(Plan));
  return TM;
}

namespace {
struct RegisterOnLoad {
  RegisterOnLoad() {
    heddle::initializeHeddleTarget();
    TargetRegistry::RegisterTargetMachine(heddle::getTheHeddleTarget(),
                                          createTargetMachine);
  }
} Register;
} // namespace
