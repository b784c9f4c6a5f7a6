//===- HeddleAliasAnalysis.h - State spaces do not overlap ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the address spaces of pointers say about the memory behind them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEALIASANALYSIS_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEALIASANALYSIS_H

#include "llvm/Analysis/AliasAnalysis.h"

namespace llvm {

/// Whether no byte belongs to both address spaces: any two that differ, unless
/// one is the generic one, in which the others have windows.
bool areDisjointSpaces(unsigned A, unsigned B);

/// Accesses to disjoint spaces are independent, and nothing writes to the
/// constants and the parameters of a kernel while it runs.
class HeddleAAResult : public AAResultBase {
public:
  AliasResult alias(const MemoryLocation &A, const MemoryLocation &B,
                    AAQueryInfo &Query, const Instruction *Where = nullptr);
  ModRefInfo getModRefInfoMask(const MemoryLocation &Location,
                               AAQueryInfo &Query, bool IgnoreLocals);
  /// It knows nothing that a change could make wrong.
  bool invalidate(Function &, const PreservedAnalyses &,
                  FunctionAnalysisManager::Invalidator &) {
    return false;
  }
};

class HeddleAA : public AnalysisInfoMixin<HeddleAA> {
  friend AnalysisInfoMixin<HeddleAA>;
  static AnalysisKey Key;

public:
  using Result = HeddleAAResult;
  Result run(Function &, FunctionAnalysisManager &) { return Result(); }
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEALIASANALYSIS_H
