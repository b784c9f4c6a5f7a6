//===- HeddleMCTargetDesc.h - MC layer of the target ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The factories of the MC layer, the enumerations that llvm-tblgen makes, and
// the relation between LLVM's instructions and registers and the ISA tables.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_MCTARGETDESC_HEDDLEMCTARGETDESC_H
#define HEDDLE_TARGET_MCTARGETDESC_HEDDLEMCTARGETDESC_H

#include "heddle/ISA/ISA.h"
#include "llvm/MC/MCRegister.h"
#include "llvm/Support/DataTypes.h"

#include <memory>

namespace llvm {
class MCAsmBackend;
class MCAsmParser;
class MCCodeEmitter;
class MCContext;
class MCDisassembler;
class MCInstPrinter;
class MCInstrInfo;
class MCObjectTargetWriter;
class MCRegisterInfo;
class MCSubtargetInfo;
class MCTargetAsmParser;
class MCTargetOptions;
class Target;

MCRegisterInfo *createHeddleMCRegisterInfo();
MCCodeEmitter *createHeddleMCCodeEmitter(const MCInstrInfo &MII,
                                         MCContext &Ctx);
MCAsmBackend *createHeddleAsmBackend(const Target &T,
                                     const MCSubtargetInfo &STI,
                                     const MCRegisterInfo &MRI,
                                     const MCTargetOptions &Options);
std::unique_ptr<MCObjectTargetWriter> createHeddleELFObjectWriter();
MCDisassembler *createHeddleDisassembler(const Target &T,
                                         const MCSubtargetInfo &STI,
                                         MCContext &Ctx);
MCTargetAsmParser *createHeddleAsmParser(const MCSubtargetInfo &STI,
                                         MCAsmParser &Parser,
                                         const MCInstrInfo &MII,
                                         const MCTargetOptions &Options);

namespace Heddle {

/// The control field of an instruction that is not scheduled: stall 1, no
/// counters, no waits.
inline constexpr uint32_t DefaultControl = heddle::isa::Control().pack();

/// The flag of an MCInst that shall have 128 bits although it has a compact
/// form.
inline constexpr unsigned FullForm = 1;

/// The number of the registers that are always true or zero.
inline constexpr unsigned PredicateTrue = 7;

/// What the ISA says about an opcode, or null for a pseudo instruction.
const heddle::isa::InstInfo *getInstInfo(unsigned Opcode);
/// Whether a number is a value of an operand that is no register.
bool fits(int64_t Value, const heddle::isa::OperandInfo &O);
/// Appends \p E, without \p IsFull in its compact form if it has one with room
/// for \p SymbolBits (isa::compress).
void appendEncoding(const heddle::isa::Encoding &E, bool IsFull,
                    unsigned SymbolBits, SmallVectorImpl<char> &Code);

/// The opcode of an instruction of the ISA.
unsigned getOpcode(const heddle::isa::InstInfo &Info);

/// Whether an operand of the kind is a register.
bool isRegisterKind(heddle::isa::OperandKind Kind);

/// The register of a kind by the number in the encoding: 255 is RZ. No register
/// if the kind has none of that number, as with groups that are not aligned.
MCRegister getRegister(heddle::isa::OperandKind Kind, unsigned Number);

/// The guard's kind of an instruction: PR or UPR.
heddle::isa::OperandKind getGuardKind(const heddle::isa::InstInfo &Info);

} // namespace Heddle
} // namespace llvm

#define GET_REGINFO_ENUM
#include "HeddleGenRegisterInfo.inc"

#define GET_INSTRINFO_ENUM
#define GET_INSTRINFO_MC_HELPER_DECLS
#define GET_INSTRINFO_OPERAND_ENUM
#include "HeddleGenInstrInfo.inc"

#define GET_SUBTARGETINFO_ENUM
#include "HeddleGenSubtargetInfo.inc"

#endif // HEDDLE_TARGET_MCTARGETDESC_HEDDLEMCTARGETDESC_H
