//===- HeddleSwapSources.h - Exchange the sources a and b ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exchanges the sources of an instruction; which operations allow it, and what
// else changes with them, is in isa-defs/ (isa::OpInfo::Sources).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLESWAPSOURCES_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLESWAPSOURCES_H

#include "heddle/ISA/ISA.h"

namespace llvm {

class MachineInstr;

/// Lets the registers a and b of \p MI, an instruction of form R whose
/// operation allows \p Kind, change places. Flags of the operands stay where
/// they are.
void swapSources(MachineInstr &MI, heddle::isa::Swap Kind);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLESWAPSOURCES_H
