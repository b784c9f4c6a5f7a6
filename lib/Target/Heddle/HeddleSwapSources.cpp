//===- HeddleSwapSources.cpp - Exchange sources ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers, their modifiers, and the operand that tells a from b.
//
//===----------------------------------------------------------------------===//

#include "HeddleSwapSources.h"
#include "HeddleInstrInfo.h"
#include "llvm/CodeGen/MachineInstr.h"

using namespace llvm;
namespace isa = heddle::isa;

namespace {

MachineOperand &named(MachineInstr &MI, Heddle::OpName Name) {
  return MI.getOperand(Heddle::getNamedOperandIdx(MI.getOpcode(), Name));
}

/// Comparisons are bits: 1 less, 2 equal, 4 greater, 8 unordered.
int64_t swapComparison(int64_t Cmp) {
  return (Cmp & ~5) | (Cmp & 1) << 2 | (Cmp & 4) >> 2;
}

/// The table of a logic operation with its first two inputs exchanged.
int64_t swapLut(int64_t Lut) {
  return (Lut & 0xC3) | (Lut & 0x0C) << 2 | (Lut & 0x30) >> 2;
}

void swapRegisters(MachineOperand &A, MachineOperand &B) {
  Register R = A.getReg();
  unsigned Sub = A.getSubReg();
  A.setReg(B.getReg());
  A.setSubReg(B.getSubReg());
  B.setReg(R);
  B.setSubReg(Sub);
}

} // namespace

void llvm::swapSources(MachineInstr &MI, isa::Swap Kind) {
  swapRegisters(named(MI, Heddle::OpName::a), named(MI, Heddle::OpName::b));
  if (Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::ma) >= 0) {
    MachineOperand &A = named(MI, Heddle::OpName::ma);
    MachineOperand &B = named(MI, Heddle::OpName::mb);
    int64_t M = A.getImm();
    A.setImm(B.getImm());
    B.setImm(M);
  }
  auto Update = [&](Heddle::OpName Name, auto Fn) {
    MachineOperand &MO = named(MI, Name);
    MO.setImm(Fn(MO.getImm()));
  };
  if (Kind == isa::Swap::Compare)
    Update(Heddle::OpName::cmp, swapComparison);
  else if (Kind == isa::Swap::Select)
    Update(Heddle::OpName::sn, [](int64_t N) { return N ^ 1; });
  else if (Kind == isa::Swap::Lut)
    Update(Heddle::OpName::lut, swapLut);
}
