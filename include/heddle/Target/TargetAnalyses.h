//===- TargetAnalyses.h - What the target knows of LLVM IR ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Analyses of the target's own, for pipelines of passes over IR.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_TARGETANALYSES_H
#define HEDDLE_TARGET_TARGETANALYSES_H

#include "llvm/IR/PassManager.h"

namespace heddle {

/// Registers the alias analysis that a target machine's
/// registerEarlyDefaultAliasAnalyses() names.
void registerTargetAnalyses(llvm::FunctionAnalysisManager &FAM);

} // namespace heddle

#endif // HEDDLE_TARGET_TARGETANALYSES_H
