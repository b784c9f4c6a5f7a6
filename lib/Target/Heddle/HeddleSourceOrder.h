//===- HeddleSourceOrder.h - The order of the PTX --------------*- C++ -*--===//
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

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLESOURCEORDER_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLESOURCEORDER_H

#include <memory>

namespace llvm {
class MachineSchedStrategy;

/// Keeps a region's instructions in the order in which they come.
std::unique_ptr<MachineSchedStrategy> createHeddleSourceOrder();

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLESOURCEORDER_H
