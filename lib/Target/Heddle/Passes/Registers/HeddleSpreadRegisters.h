//===- HeddleSpreadRegisters.h - Registers in turn -------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which registers a value takes where values take them in turn.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLESPREADREGISTERS_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLESPREADREGISTERS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/Register.h"
#include "llvm/MC/MCRegister.h"

namespace llvm {

class LiveRegMatrix;
class MachineFunction;

/// Adds the registers of Order that are free for a general value to Hints, as
/// far as MF spreads values over them: first those that other values leave free
/// for longest around it.
void addRegistersInTurn(Register Value, ArrayRef<MCPhysReg> Order,
                        const MachineFunction &MF, const LiveRegMatrix &Matrix,
                        SmallVectorImpl<MCPhysReg> &Hints);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLESPREADREGISTERS_H
