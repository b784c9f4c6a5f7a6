//===- HeddleDisassembler.cpp - Decodes instructions ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns 128 or 64 bits into an MCInst, or refuses them: an operation that does
// not exist, a bit outside the instruction's fields, a register that its kind
// does not have, a modifier without a meaning.
//
//===----------------------------------------------------------------------===//

#include "HeddleMCTargetDesc.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
namespace isa = heddle::isa;

namespace {

class HeddleDisassembler : public MCDisassembler {
public:
  using MCDisassembler::MCDisassembler;

  DecodeStatus getInstruction(MCInst &Inst, uint64_t &Size,
                              ArrayRef<uint8_t> Bytes, uint64_t Address,
                              raw_ostream &Comments) const override;

private:
  bool addOperand(MCInst &Inst, const isa::OperandInfo &O, int64_t Value,
                  uint64_t Address, uint64_t Size) const;
};

bool isCounter(uint8_t Counter) {
  return Counter < isa::NumCounters || Counter == isa::NoCounter;
}

bool isValid(const isa::OperandInfo &O, int64_t Value) {
  if (O.Kind == isa::OperandKind::Modifier)
    return uint64_t(Value) < isa::modifiers()[O.Modifier].Values.size();
  if (O.Kind == isa::OperandKind::Control) {
    isa::Control C = isa::Control::unpack(Value);
    return isCounter(C.WriteCounter) && isCounter(C.ReadCounter);
  }
  return true;
}

} // namespace

bool HeddleDisassembler::addOperand(MCInst &Inst, const isa::OperandInfo &O,
                                    int64_t Value, uint64_t Address,
                                    uint64_t Size) const {
  if (Heddle::isRegisterKind(O.Kind)) {
    MCRegister Reg = Heddle::getRegister(O.Kind, Value);
    Inst.addOperand(MCOperand::createReg(Reg));
    return Reg.isValid();
  }
  if (!isValid(O, Value))
    return false;
  bool IsTarget = O.Kind == isa::OperandKind::Target;
  bool CanBeSymbol =
      IsTarget || (O.Kind == isa::OperandKind::Imm && O.Width >= 32);
  // A target is shown to the symbolizer as the address that it leads to.
  if (!CanBeSymbol ||
      !tryAddingSymbolicOperand(
          Inst, IsTarget ? Address + isa::InstBytes + Value : Value, Address,
          IsTarget, O.Lsb / 8, O.Width / 8, Size))
    Inst.addOperand(MCOperand::createImm(Value));
  return true;
}

MCDisassembler::DecodeStatus
HeddleDisassembler::getInstruction(MCInst &Inst, uint64_t &Size,
                                   ArrayRef<uint8_t> Bytes, uint64_t Address,
                                   raw_ostream &) const {
  Size = Bytes.empty() ? 0
                       : std::min<uint64_t>(Bytes.size(),
                                            isa::instructionBytes(Bytes[0]));
  std::optional<isa::Encoding> E = isa::readEncoding(Bytes);
  const isa::InstInfo *Info = E ? isa::decode(*E) : nullptr;
  if (!Info)
    return Fail;
  Inst.setOpcode(Heddle::getOpcode(*Info));
  for (const isa::OperandInfo &O : Info->Operands)
    if (!addOperand(Inst, O, isa::operandValue(*E, O), Address, Size))
      return Fail;
  if (Size == isa::InstBytes && isa::compress(*E))
    Inst.setFlags(Heddle::FullForm);
  return Success;
}

MCDisassembler *llvm::createHeddleDisassembler(const Target &,
                                               const MCSubtargetInfo &STI,
                                               MCContext &Ctx) {
  return new HeddleDisassembler(STI, Ctx);
}
