//===- HeddleKeptAssignments.h - For variables in registers -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers are allocated class by class, and LLVM forgets each time what it
// has given out before. Debuggers are told of registers in the end.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLEKEPTASSIGNMENTS_H
#define HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLEKEPTASSIGNMENTS_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/Register.h"

#include <memory>
#include <utility>
#include <vector>

namespace llvm {

class FunctionPass;
class MachineFunction;

/// The physical registers of virtual ones, by function.
using KeptAssignments = DenseMap<const MachineFunction *,
                                 std::vector<std::pair<Register, MCRegister>>>;

/// Behind an allocation that is not the last one: adds what it has given out.
FunctionPass *
createHeddleKeepAssignmentsPass(std::shared_ptr<KeptAssignments> To);
/// Behind the last one: gives LLVM back what was kept, for the registers that
/// variables are in. Instructions have them no more.
FunctionPass *
createHeddleReturnAssignmentsPass(std::shared_ptr<KeptAssignments> From);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLEKEPTASSIGNMENTS_H
