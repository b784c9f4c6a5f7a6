//===- HeddleDebugValues.h - Places that scheduling keeps true --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What debuggers are told of registers, before instructions are put into
// another order.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLEDEBUGVALUES_H
#define HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLEDEBUGVALUES_H

namespace llvm {
class MachineFunction;

/// A scheduler moves a debug value with the instruction in front of it,
/// whatever becomes of those that write its register. So where a block writes
/// the register, the variable has no place in it; it has one in the blocks
/// behind that leave the register as it is.
bool settleHeddleDebugValues(MachineFunction &MF);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLEDEBUGVALUES_H
