//===- HeddleDebugValues.h - Debug values while code moves ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For passes that put instructions into another order: what debuggers are told
// of registers is out of the function meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLEDEBUGVALUES_H
#define HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLEDEBUGVALUES_H

namespace llvm {

class MachineFunction;

/// Takes the debug values out of a function; whether there are any.
bool detachDebugValues(MachineFunction &MF);
/// Puts them to where they hold in the order that there is now.
bool attachDebugValues(MachineFunction &MF);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLEDEBUGVALUES_H
