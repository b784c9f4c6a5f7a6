//===- HeddleInstPrinter.h - Prints instructions ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes an MCInst as a line of assembly:
//   @!P0 FADD.RZ.FTZ R0, -R1, |R2| {stall=4, yield, wr=0, rd=1, wait=0x3}
// The guard is left out when it is always true, a modifier when it is the
// silent default, the control field when it is that of an unscheduled
// instruction.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_MCTARGETDESC_HEDDLEINSTPRINTER_H
#define HEDDLE_TARGET_MCTARGETDESC_HEDDLEINSTPRINTER_H

#include "HeddleAsmTemplate.h"
#include "llvm/MC/MCInstPrinter.h"

namespace llvm {

class HeddleInstPrinter : public MCInstPrinter {
public:
  using MCInstPrinter::MCInstPrinter;

  std::pair<const char *, uint64_t>
  getMnemonic(const MCInst &MI) const override;
  void printInst(const MCInst *MI, uint64_t Address, StringRef Annot,
                 const MCSubtargetInfo &STI, raw_ostream &OS) override;
  void printRegName(raw_ostream &OS, MCRegister Reg) override;

private:
  void printGuard(const MCInst &MI, const heddle::isa::InstInfo &Info,
                  raw_ostream &OS);
  void printPiece(const MCInst &MI, const heddle::isa::InstInfo &Info,
                  const Heddle::AsmPiece &Piece, raw_ostream &OS);
  void printValue(const MCInst &MI, const heddle::isa::InstInfo &Info,
                  const Heddle::AsmPiece &Piece, raw_ostream &OS);
  void printModifier(const MCInst &MI, const heddle::isa::InstInfo &Info,
                     unsigned Operand, raw_ostream &OS);
};

} // namespace llvm

#endif // HEDDLE_TARGET_MCTARGETDESC_HEDDLEINSTPRINTER_H
