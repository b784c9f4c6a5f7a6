//===- HeddleMCInstLower.h - Machine instructions to MC --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts machine instructions to MC instructions.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEMCINSTLOWER_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEMCINSTLOWER_H

#include "SinglePass/SinglePass.h"
#include "llvm/ADT/ArrayRef.h"

namespace llvm {
class AsmPrinter;
class MachineInstr;
class MCInst;
class MCSymbol;

/// Where the table of a BRX_TABLE stands; \p Index is that of the jump table.
MCSymbol *getHeddleTableSymbol(const AsmPrinter &Printer, unsigned Index);

/// Fills Inst with what MI is in the ISA: register operands stay, floating
/// immediates become their bits, symbols and blocks become expressions.
void lowerHeddleMachineInstr(const MachineInstr &MI, MCInst &Inst,
                             AsmPrinter &Printer);

/// The symbol of a label of code that was generated in one pass; \p Labels has
/// those of the function, null where there is none yet.
MCSymbol *getHeddleLabel(AsmPrinter &Printer, unsigned Number,
                         MutableArrayRef<MCSymbol *> Labels);

/// Fills Inst with an instruction of such code.
void lowerHeddleGenerated(const heddle::singlepass::Code &Code,
                          const heddle::singlepass::Item &Item,
                          MutableArrayRef<MCSymbol *> Labels, MCInst &Inst,
                          AsmPrinter &Printer);

/// Appends the bytes of an instruction of such code that names no symbol and no
/// label. False, and nothing is appended, if it does, or if an operand does not
/// fit its field.
bool encodeHeddleGenerated(const heddle::singlepass::Code &Code,
                           const heddle::singlepass::Item &Item, bool IsFull,
                           SmallVectorImpl<char> &Bytes);
} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEMCINSTLOWER_H
