//===- HeddleMCInstLower.cpp - Machine instructions to MC ------*- C++ -*--===//
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

#include "HeddleMCInstLower.h"
#include "HeddleInstrInfo.h"
#include "MCTargetDesc/HeddleMCAsmInfo.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Check.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineBasicBlock.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/IR/Constants.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"

using namespace llvm;
namespace addrspace = heddle::addrspace;

static MCOperand symbolOperand(MCSymbol *Symbol, int64_t Offset, MCContext &Ctx,
                               uint16_t Specifier = Heddle::S_None) {
  const MCExpr *E = MCSymbolRefExpr::create(Symbol, Ctx);
  if (Offset)
    E = MCBinaryExpr::createAdd(E, MCConstantExpr::create(Offset, Ctx), Ctx);
  if (Specifier != Heddle::S_None)
    E = MCSpecifierExpr::create(E, Specifier, Ctx);
  return MCOperand::createExpr(E);
}

// What the address of a variable is relative to.
static uint16_t specifierOf(const GlobalValue &G) {
  switch (G.getAddressSpace()) {
  case addrspace::Shared:
    return Heddle::S_Shared;
  case addrspace::Const:
    return Heddle::S_Const;
  default:
    return Heddle::S_None;
  }
}

static MCOperand lowerOperand(const MachineOperand &MO, AsmPrinter &P) {
  MCContext &Ctx = P.OutContext;
  switch (MO.getType()) {
  case MachineOperand::MO_Register:
    return MCOperand::createReg(MO.getReg());
  case MachineOperand::MO_Immediate:
    return MCOperand::createImm(MO.getImm());
  case MachineOperand::MO_FPImmediate:
    return MCOperand::createImm(
        MO.getFPImm()->getValueAPF().bitcastToAPInt().getZExtValue());
  case MachineOperand::MO_MachineBasicBlock:
    return symbolOperand(MO.getMBB()->getSymbol(), 0, Ctx);
  case MachineOperand::MO_GlobalAddress:
    return symbolOperand(P.getSymbol(MO.getGlobal()), MO.getOffset(), Ctx,
                         specifierOf(*MO.getGlobal()));
  case MachineOperand::MO_ExternalSymbol:
    return symbolOperand(P.GetExternalSymbolSymbol(MO.getSymbolName()),
                         MO.getOffset(), Ctx);
  case MachineOperand::MO_BlockAddress:
    return symbolOperand(P.GetBlockAddressSymbol(MO.getBlockAddress()),
                         MO.getOffset(), Ctx);
  case MachineOperand::MO_JumpTableIndex:
    return symbolOperand(getHeddleTableSymbol(P, MO.getIndex()), 0, Ctx);
  case MachineOperand::MO_MCSymbol:
    return symbolOperand(MO.getMCSymbol(), MO.getOffset(), Ctx);
  default:
    HEDDLE_UNREACHABLE("operand kind that selection never makes");
  }
}

MCSymbol *llvm::getHeddleLabel(AsmPrinter &Printer, unsigned Number,
                               MutableArrayRef<MCSymbol *> Labels) {
  if (!Labels[Number])
    Labels[Number] = Printer.OutContext.createTempSymbol();
  return Labels[Number];
}

void llvm::lowerHeddleGenerated(const heddle::singlepass::Code &Code,
                                const heddle::singlepass::Item &Item,
                                MutableArrayRef<MCSymbol *> Labels,
                                MCInst &Inst, AsmPrinter &Printer) {
  using heddle::singlepass::Operand;
  const heddle::isa::InstInfo &Info = *Heddle::getInstInfo(Item.Opcode);
  Inst.setOpcode(Item.Opcode);
  for (unsigned I = 0; I != Item.NumOperands; ++I) {
    const Operand &O = Code.Operands[Item.First + I];
    heddle::isa::OperandKind Kind = Info.Operands[I].Kind;
    if (O.K == Operand::Label)
      Inst.addOperand(symbolOperand(getHeddleLabel(Printer, O.Number, Labels),
                                    0, Printer.OutContext));
    else if (O.K == Operand::Symbol)
      Inst.addOperand(symbolOperand(Printer.getSymbol(O.Global), O.Number,
                                    Printer.OutContext,
                                    specifierOf(*O.Global)));
    else if (Heddle::isRegisterKind(Kind))
      Inst.addOperand(
          MCOperand::createReg(Heddle::getRegister(Kind, O.Number)));
    else
      Inst.addOperand(MCOperand::createImm(O.Number));
  }
}

bool llvm::encodeHeddleGenerated(const heddle::singlepass::Code &Code,
                                 const heddle::singlepass::Item &Item,
                                 bool IsFull, SmallVectorImpl<char> &Bytes) {
  const heddle::isa::InstInfo &Info = *Heddle::getInstInfo(Item.Opcode);
  heddle::isa::Encoding E = heddle::isa::emptyEncoding(Info);
  for (unsigned I = 0; I != Item.NumOperands; ++I) {
    const heddle::singlepass::Operand &O = Code.Operands[Item.First + I];
    const heddle::isa::OperandInfo &Field = Info.Operands[I];
    if (O.K != heddle::singlepass::Operand::Value ||
        (!Heddle::isRegisterKind(Field.Kind) && !Heddle::fits(O.Number, Field)))
      return false;
    E.setField(Field.Lsb, Field.Width, O.Number);
  }
  Heddle::appendEncoding(E, IsFull, /*SymbolBits=*/0, Bytes);
  return true;
}

MCSymbol *llvm::getHeddleTableSymbol(const AsmPrinter &Printer,
                                     unsigned Index) {
  return Printer.OutContext.getOrCreateSymbol(
      Twine(Printer.MAI->getPrivateLabelPrefix()) + "JTI" +
      Twine(Printer.getFunctionNumber()) + "_" + Twine(Index));
}

void llvm::lowerHeddleMachineInstr(const MachineInstr &MI, MCInst &Inst,
                                   AsmPrinter &Printer) {
  Inst.setOpcode(HeddleInstrInfo::getEncodedOpcode(MI.getOpcode()));
  for (const MachineOperand &MO : MI.explicit_operands())
    Inst.addOperand(lowerOperand(MO, Printer));
}
