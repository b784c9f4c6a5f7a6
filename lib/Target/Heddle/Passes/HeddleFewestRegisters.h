//===- HeddleFewestRegisters.h - An order for few registers ----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of instructions for functions that run out of registers.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEFEWESTREGISTERS_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEFEWESTREGISTERS_H

#include <memory>

namespace llvm {
class MachineSchedStrategy;

/// Of some orders of a region's instructions, among them that in which they
/// come, the one in which the fewest registers are live at once.
std::unique_ptr<MachineSchedStrategy> createHeddleFewestRegisters();

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEFEWESTREGISTERS_H
