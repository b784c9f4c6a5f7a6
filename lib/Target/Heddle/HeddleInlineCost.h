//===- HeddleInlineCost.h - What inlining is worth --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's inliner weighs a function's instructions, 5 for each, against a
// threshold. What a call costs on this machine beyond its own instructions
// raises the threshold, by the bonuses of one table.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEINLINECOST_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEINLINECOST_H

#include "llvm/IR/InstrTypes.h"

namespace heddle {

/// What is added to the inliner's threshold for a call of a function that is
/// defined. None where copies at all calls would fill half of a cache of
/// \p InstructionCacheBytes.
unsigned inlineBonus(const llvm::CallBase &Call,
                     uint64_t InstructionCacheBytes);

} // namespace heddle

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEINLINECOST_H
