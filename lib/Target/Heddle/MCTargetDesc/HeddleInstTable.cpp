//===- HeddleInstTable.cpp - LLVM's numbers and the ISA's -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relates LLVM's opcodes and registers to the rows of heddle::isa.
//
//===----------------------------------------------------------------------===//

#include "HeddleMCTargetDesc.h"
#include "llvm/MC/MCRegisterInfo.h"

#include <array>

using namespace llvm;
namespace isa = heddle::isa;

namespace {

constexpr uint16_t OpcodeOfRow[] = {
#define HEDDLE_INST(Name) Heddle::Name,
#define GET_ISA_INST_NAMES
#include "heddle/ISA/ISATable.inc"
#undef HEDDLE_INST
};

using OpcodeTable = std::array<uint16_t, Heddle::INSTRUCTION_LIST_END>;

constexpr OpcodeTable makeRowOfOpcode() {
  OpcodeTable Rows{};
  uint16_t Row = 0;
  for (uint16_t Opcode : OpcodeOfRow)
    Rows[Opcode] = ++Row;
  return Rows;
}

/// The row of an opcode plus one; zero for pseudo instructions.
constexpr OpcodeTable RowOfOpcode = makeRowOfOpcode();

/// The register class of each OperandKind that is a register, in that order.
constexpr unsigned ClassOfKind[] = {
    Heddle::GPR32RegClassID,   Heddle::GPR64RegClassID,
    Heddle::GPR128RegClassID,  Heddle::PRRegClassID,
    Heddle::UGPR32RegClassID,  Heddle::UGPR64RegClassID,
    Heddle::UGPR128RegClassID, Heddle::UPRRegClassID,
    Heddle::BRRegClassID};

/// The registers of each kind by number; zero where there is none.
using RegisterTable =
    std::array<std::array<MCPhysReg, 256>, std::size(ClassOfKind)>;

RegisterTable makeRegisterTable() {
  RegisterTable Table{};
  std::unique_ptr<MCRegisterInfo> MRI(createHeddleMCRegisterInfo());
  for (size_t Kind = 0; Kind < Table.size(); ++Kind)
    for (MCPhysReg Reg : MRI->getRegClass(ClassOfKind[Kind]))
      Table[Kind][MRI->getEncodingValue(Reg)] = Reg;
  return Table;
}

} // namespace

const isa::InstInfo *Heddle::getInstInfo(unsigned Opcode) {
  uint16_t Row = Opcode < RowOfOpcode.size() ? RowOfOpcode[Opcode] : 0;
  return Row ? &isa::instructions()[Row - 1] : nullptr;
}

unsigned Heddle::getOpcode(const isa::InstInfo &Info) {
  return OpcodeOfRow[&Info - isa::instructions().data()];
}

bool Heddle::isRegisterKind(isa::OperandKind Kind) {
  return static_cast<size_t>(Kind) < std::size(ClassOfKind);
}

MCRegister Heddle::getRegister(isa::OperandKind Kind, unsigned Number) {
  static const RegisterTable Table = makeRegisterTable();
  if (!isRegisterKind(Kind) || Number >= 256)
    return MCRegister();
  return Table[static_cast<size_t>(Kind)][Number];
}

isa::OperandKind Heddle::getGuardKind(const isa::InstInfo &Info) {
  return Info.Uniform ? isa::OperandKind::UPR : isa::OperandKind::PR;
}
