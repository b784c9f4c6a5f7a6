//===- HeddleInstPrinter.cpp - Prints instructions --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes an MCInst as a line of assembly, from the template of its table row.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstPrinter.h"

#include "HeddleMCTargetDesc.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/Support/Format.h"

using namespace llvm;
namespace isa = heddle::isa;

namespace {

/// The bits as the shortest decimal fraction that gives them back, or as
/// hexadecimal where there is none: infinities and NaNs.
void printFloat32(uint32_t Bits, raw_ostream &OS) {
  APFloat Value(APFloat::IEEEsingle(), APInt(32, Bits));
  if (!Value.isFinite()) {
    OS << format_hex(Bits, 10);
    return;
  }
  SmallString<32> Text;
  Value.toString(Text, /*FormatPrecision=*/0, /*FormatMaxPadding=*/6);
  if (Text.find_first_of(".E") == StringRef::npos)
    Text += ".0";
  OS << Text;
}

void printNumber(int64_t Value, bool Signed, raw_ostream &OS) {
  constexpr int64_t LargestDecimal = 0xFFFF;
  if (Value >= -LargestDecimal && Value <= LargestDecimal)
    OS << Value;
  else if (Signed && Value < 0)
    OS << '-' << format_hex(0 - static_cast<uint64_t>(Value), 0);
  else
    OS << format_hex(static_cast<uint64_t>(Value), 0);
}

void printImmediate(int64_t Value, const isa::OperandInfo &O, raw_ostream &OS) {
  switch (O.Spelling) {
  case isa::Spelling::Bits:
    OS << format_hex(O.Width < 64 ? Value & ((int64_t(1) << O.Width) - 1)
                                  : Value,
                     2 + O.Width / 4);
    return;
  case isa::Spelling::Float32:
    return printFloat32(static_cast<uint32_t>(Value), OS);
  case isa::Spelling::Special:
    if (StringRef Name = Heddle::getSpecialRegisterName(Value); !Name.empty()) {
      OS << Heddle::SpecialRegisterPrefix << Name;
      return;
    }
    [[fallthrough]];
  case isa::Spelling::Number:
    return printNumber(Value, O.Signed, OS);
  }
}

void printControl(uint32_t Field, bool IsFull, raw_ostream &OS) {
  if (Field == Heddle::DefaultControl && !IsFull)
    return;
  isa::Control C = isa::Control::unpack(Field);
  OS << " {stall=" << unsigned(C.Stall);
  if (C.Yield)
    OS << ", yield";
  if (C.WriteCounter != isa::NoCounter)
    OS << ", wr=" << unsigned(C.WriteCounter);
  if (C.ReadCounter != isa::NoCounter)
    OS << ", rd=" << unsigned(C.ReadCounter);
  if (C.WaitMask)
    OS << ", wait=" << format_hex(C.WaitMask, 0);
  if (IsFull)
    OS << ", full";
  OS << '}';
}

} // namespace

std::pair<const char *, uint64_t>
HeddleInstPrinter::getMnemonic(const MCInst &MI) const {
  const isa::InstInfo *Info = Heddle::getInstInfo(MI.getOpcode());
  // The table's strings are literals and end with a zero.
  return {Info ? Info->Mnemonic.data() : nullptr, 0};
}

void HeddleInstPrinter::printRegName(raw_ostream &OS, MCRegister Reg) {
  // Groups have the name of their first register; their records have a suffix.
  StringRef Name = StringRef(MRI.getName(Reg)).split('_').first;
  if (Name.starts_with("RZ") || Name.starts_with("URZ"))
    Name = Name.take_until([](char C) { return isDigit(C); });
  OS << Name;
}

void HeddleInstPrinter::printGuard(const MCInst &MI, const isa::InstInfo &Info,
                                   raw_ostream &OS) {
  MCRegister Guard =
      MI.getOperand(Heddle::findOperand(Info, isa::Role::pg)).getReg();
  bool Negated =
      MI.getOperand(Heddle::findOperand(Info, isa::Role::pgn)).getImm();
  if (MRI.getEncodingValue(Guard) == Heddle::PredicateTrue && !Negated)
    return;
  OS << (Negated ? "@!" : "@");
  printRegName(OS, Guard);
  OS << ' ';
}

void HeddleInstPrinter::printModifier(const MCInst &MI,
                                      const isa::InstInfo &Info,
                                      unsigned Operand, raw_ostream &OS) {
  const isa::OperandInfo &O = Info.Operands[Operand];
  uint64_t Value = MI.getOperand(Operand).getImm();
  if (O.R == isa::Role::scope && Value == 0)
    if (int Order = Heddle::findOperand(Info, isa::Role::order);
        Order >= 0 && Heddle::isScopeOptional(MI.getOperand(Order).getImm()))
      return;
  auto Names = isa::modifiers()[O.Modifier].Values;
  if (Value >= Names.size())
    OS << ".<invalid " << Value << '>';
  else if (!Names[Value].empty())
    OS << '.' << Names[Value];
}

/// A register, immediate or expression inside the signs of its source modifier.
/// A negated immediate stands in parentheses: `-(5)` is not the immediate -5.
void HeddleInstPrinter::printValue(const MCInst &MI, const isa::InstInfo &Info,
                                   const Heddle::AsmPiece &Piece,
                                   raw_ostream &OS) {
  const MCOperand &Op = MI.getOperand(Piece.Operand);
  const isa::OperandInfo &O = Info.Operands[Piece.Operand];
  uint64_t Signs = Piece.SourceModifier < 0
                       ? 0
                       : MI.getOperand(Piece.SourceModifier).getImm();
  bool Negated = Signs & 1, Absolute = Signs & 2;
  bool Parentheses = Negated && !Absolute && !Op.isReg();
  if (Negated)
    OS << (O.Kind == isa::OperandKind::PR || O.Kind == isa::OperandKind::UPR
               ? '!'
               : '-');
  OS << (Absolute ? "|" : "") << (Parentheses ? "(" : "");
  if (Op.isReg())
    printRegName(OS, Op.getReg());
  else if (Op.isExpr())
    MAI.printExpr(OS, *Op.getExpr());
  else if (O.Kind == isa::OperandKind::Target)
    printNumber(Op.getImm(), true, OS);
  else
    printImmediate(Op.getImm(), O, OS);
  OS << (Parentheses ? ")" : "") << (Absolute ? "|" : "");
}

void HeddleInstPrinter::printPiece(const MCInst &MI, const isa::InstInfo &Info,
                                   const Heddle::AsmPiece &Piece,
                                   raw_ostream &OS) {
  switch (Piece.Kind) {
  case Heddle::AsmPiece::Literal:
    OS << Piece.Text;
    return;
  case Heddle::AsmPiece::Modifier:
    return printModifier(MI, Info, Piece.Operand, OS);
  case Heddle::AsmPiece::Value:
    return printValue(MI, Info, Piece, OS);
  case Heddle::AsmPiece::Offset:
    if (int64_t Offset = MI.getOperand(Piece.Operand).getImm()) {
      OS << (Offset < 0 ? " - " : " + ");
      printNumber(Offset < 0 ? -Offset : Offset, true, OS);
    }
    return;
  }
}

void HeddleInstPrinter::printInst(const MCInst *MI, uint64_t, StringRef Annot,
                                  const MCSubtargetInfo &, raw_ostream &OS) {
  OS << '\t';
  const isa::InstInfo *Info = Heddle::getInstInfo(MI->getOpcode());
  if (!Info || MI->getNumOperands() != Info->Operands.size()) {
    // Pseudo instructions show up in dumps only.
    OS << '<' << MII.getName(MI->getOpcode()) << '>';
    printAnnotation(OS, Annot);
    return;
  }
  printGuard(*MI, *Info, OS);
  OS << Info->Mnemonic;
  for (const Heddle::AsmPiece &Piece : Heddle::getAsmPieces(*Info))
    printPiece(*MI, *Info, Piece, OS);
  printControl(
      MI->getOperand(Heddle::findOperand(*Info, isa::Role::ctl)).getImm(),
      MI->getFlags() & Heddle::FullForm, OS);
  printAnnotation(OS, Annot);
}
