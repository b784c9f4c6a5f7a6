//===- HeddleMCCodeEmitter.cpp - Encodes instructions -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places the operands of an MCInst in the 128-bit form, as the table says.
//
//===----------------------------------------------------------------------===//

#include "HeddleFixupKinds.h"
#include "HeddleMCAsmInfo.h"
#include "HeddleMCTargetDesc.h"
#include "llvm/MC/MCCodeEmitter.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/Support/EndianStream.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
namespace isa = heddle::isa;

namespace {

class HeddleMCCodeEmitter : public MCCodeEmitter {
public:
  HeddleMCCodeEmitter(const MCInstrInfo &MII, MCContext &Ctx)
      : MII(MII), Ctx(Ctx) {}

  void encodeInstruction(const MCInst &Inst, SmallVectorImpl<char> &Code,
                         SmallVectorImpl<MCFixup> &Fixups,
                         const MCSubtargetInfo &) const override;

private:
  void report(const MCInst &Inst, const Twine &What) const {
    Ctx.reportError(Inst.getLoc(), MII.getName(Inst.getOpcode()) + ": " + What);
  }
  uint64_t encodeOperand(const MCInst &Inst, const isa::OperandInfo &O,
                         const MCOperand &Op,
                         SmallVectorImpl<MCFixup> &Fixups) const;
  void addFixup(const MCInst &Inst, const isa::OperandInfo &O,
                const MCExpr *Value, SmallVectorImpl<MCFixup> &Fixups) const;

  const MCInstrInfo &MII;
  MCContext &Ctx;
};

/// The fixup that fills the field of an operand with an expression, if any can.
std::optional<MCFixupKind> fixupFor(const isa::OperandInfo &O,
                                    const MCExpr *Value) {
  if (O.Lsb != 8 * Heddle::ImmediateByte)
    return std::nullopt;
  if (O.Kind == isa::OperandKind::Target)
    return Heddle::fixup_pcrel32;
  if (O.Kind != isa::OperandKind::Imm)
    return std::nullopt;
  auto *Specified = dyn_cast<MCSpecifierExpr>(Value);
  if (O.Width == 64 && !Specified)
    return Heddle::fixup_abs64;
  if (O.Width != 32)
    return std::nullopt;
  switch (Specified ? Specified->getSpecifier() : Heddle::S_None) {
  case Heddle::S_Const:
    return Heddle::fixup_const32;
  case Heddle::S_Shared:
    return Heddle::fixup_shared32;
  default:
    return Heddle::fixup_abs32;
  }
}

} // namespace

bool Heddle::fits(int64_t Value, const isa::OperandInfo &O) {
  if (O.Width >= 64)
    return true;
  // A 32-bit immediate is a set of bits: both readings of it are taken.
  if (O.Width == 32)
    return isInt<32>(Value) || isUInt<32>(Value);
  return O.Signed ? isIntN(O.Width, Value) : isUIntN(O.Width, Value);
}

void Heddle::appendEncoding(const isa::Encoding &E, bool IsFull,
                            unsigned SymbolBits, SmallVectorImpl<char> &Code) {
  if (!IsFull)
    if (std::optional<uint64_t> Bits = isa::compress(E, SymbolBits))
      return support::endian::write<uint64_t>(Code, *Bits, endianness::little);
  support::endian::write<uint64_t>(Code, E.Lo, endianness::little);
  support::endian::write<uint64_t>(Code, E.Hi, endianness::little);
}

void HeddleMCCodeEmitter::addFixup(const MCInst &Inst,
                                   const isa::OperandInfo &O,
                                   const MCExpr *Value,
                                   SmallVectorImpl<MCFixup> &Fixups) const {
  std::optional<MCFixupKind> Kind = fixupFor(O, Value);
  if (!Kind)
    return report(Inst, "operand '" + StringRef(isa::roleName(O.R)) +
                            "' must be a number");
  Fixups.push_back(
      MCFixup::create(0, Value, *Kind, *Kind == Heddle::fixup_pcrel32));
}

uint64_t HeddleMCCodeEmitter::encodeOperand(
    const MCInst &Inst, const isa::OperandInfo &O, const MCOperand &Op,
    SmallVectorImpl<MCFixup> &Fixups) const {
  if (Op.isReg() && Heddle::isRegisterKind(O.Kind)) {
    unsigned Number = Ctx.getRegisterInfo()->getEncodingValue(Op.getReg());
    if (Op.getReg() == Heddle::getRegister(O.Kind, Number))
      return Number;
  } else if (Op.isImm() && !Heddle::isRegisterKind(O.Kind)) {
    if (Heddle::fits(Op.getImm(), O))
      return Op.getImm();
    report(Inst, "operand '" + StringRef(isa::roleName(O.R)) + "' is " +
                     Twine(Op.getImm()) + ", which does not fit " +
                     Twine(unsigned(O.Width)) + " bits");
    return 0;
  } else if (Op.isExpr()) {
    addFixup(Inst, O, Op.getExpr(), Fixups);
    return 0;
  }
  report(Inst, "operand '" + StringRef(isa::roleName(O.R)) +
                   "' is not of the instruction's kind");
  return 0;
}

void HeddleMCCodeEmitter::encodeInstruction(const MCInst &Inst,
                                            SmallVectorImpl<char> &Code,
                                            SmallVectorImpl<MCFixup> &Fixups,
                                            const MCSubtargetInfo &) const {
  const isa::InstInfo *Info = Heddle::getInstInfo(Inst.getOpcode());
  if (!Info)
    return report(Inst, "a pseudo instruction has no encoding");
  if (Inst.getNumOperands() != Info->Operands.size())
    return report(Inst, "has " + Twine(Inst.getNumOperands()) +
                            " operands instead of " +
                            Twine(Info->Operands.size()));
  isa::Encoding E = isa::emptyEncoding(*Info);
  for (unsigned I = 0; I < Info->Operands.size(); ++I) {
    const isa::OperandInfo &O = Info->Operands[I];
    E.setField(O.Lsb, O.Width,
               encodeOperand(Inst, O, Inst.getOperand(I), Fixups));
  }
  unsigned SymbolBits = 0;
  if (!Fixups.empty())
    SymbolBits = Fixups[0].getKind() == Heddle::fixup_abs64 ? 64 : 32;
  Heddle::appendEncoding(E, Inst.getFlags() & Heddle::FullForm, SymbolBits,
                         Code);
}

MCCodeEmitter *llvm::createHeddleMCCodeEmitter(const MCInstrInfo &MII,
                                               MCContext &Ctx) {
  return new HeddleMCCodeEmitter(MII, Ctx);
}
