//===- HeddleMCTargetDesc.h - MC layer of the target -----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generated enumerations of registers and instructions, and the entry
// point of the MC layer (library HeddleMCDesc).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_MCTARGETDESC_HEDDLEMCTARGETDESC_H
#define HEDDLE_TARGET_MCTARGETDESC_HEDDLEMCTARGETDESC_H

#include "heddle/ISA/ISA.h"
#include "llvm/MC/MCRegister.h"
#include "llvm/Support/DataTypes.h"

namespace llvm::Heddle {
/// The control field before stall counts and waits are known.
inline constexpr uint32_t DefaultControl = heddle::isa::Control().pack();

/// What isa-defs/ says about an instruction, or null for a pseudo instruction.
const heddle::isa::InstInfo *getInstInfo(unsigned Opcode);
} // namespace llvm::Heddle

#define GET_REGINFO_ENUM
#include "HeddleGenRegisterInfo.inc"

#define GET_INSTRINFO_ENUM
#define GET_INSTRINFO_MC_HELPER_DECLS
#define GET_INSTRINFO_OPERAND_ENUM
#include "HeddleGenInstrInfo.inc"

#define GET_SUBTARGETINFO_ENUM
#include "HeddleGenSubtargetInfo.inc"

#endif // HEDDLE_TARGET_MCTARGETDESC_HEDDLEMCTARGETDESC_H
