//===- HeddleFoldAddresses.cpp - Addresses into their accesses -*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves the addition of a constant, and in 32-bit spaces a short shift, from
// the computation of an address into the memory instructions that use the
// address. Instructions of other blocks, which selection does not see, count,
// too. An address is folded if no other use is left to compute it for.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "Passes/HeddlePasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-fold-addresses"
#define PASS_NAME "Heddle address folding"

STATISTIC(NumFolded, "Number of address computations folded");

namespace {

/// An address as (Base << Scale) + Offset.
struct AddressParts {
  MachineOperand Base;
  unsigned Scale = 0;
  int64_t Offset = 0;
};

class HeddleFoldAddresses : public MachineFunctionPass {
  MachineRegisterInfo *MRI = nullptr;
  const HeddleInstrInfo *TII = nullptr;
  /// The bases of folded addresses, in a deterministic order.
  SmallSetVector<Register, 8> Bases;

public:
  static char ID;
  HeddleFoldAddresses() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  std::optional<AddressParts> partsOf(const MachineInstr &MI) const;
  bool takes(const MachineOperand &Use, const AddressParts &P) const;
  bool fold(MachineInstr &MI);
};

} // namespace

char HeddleFoldAddresses::ID = 0;
INITIALIZE_PASS(HeddleFoldAddresses, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleFoldAddressesPass() {
  return new HeddleFoldAddresses();
}

static int indexOf(const MachineInstr &MI, Heddle::OpName Name) {
  return Heddle::getNamedOperandIdx(MI.getOpcode(), Name);
}

static int64_t immediate(const MachineInstr &MI, Heddle::OpName Name) {
  return MI.getOperand(indexOf(MI, Name)).getImm();
}

/// The parts of the address that MI computes, if memory instructions can
/// compute the address themselves.
std::optional<AddressParts>
HeddleFoldAddresses::partsOf(const MachineInstr &MI) const {
  constexpr int64_t MaxScale = 4; // X16
  unsigned Opcode = MI.getOpcode();
  if ((Opcode != Heddle::IADD3_i && Opcode != Heddle::IADD64_i &&
       Opcode != Heddle::SHL_i) ||
      TII->isPredicated(MI))
    return std::nullopt;
  const MachineOperand &Base = MI.getOperand(indexOf(MI, Heddle::OpName::a));
  const MachineOperand &B = MI.getOperand(indexOf(MI, Heddle::OpName::b));
  if (!Base.isReg() || !Base.getReg().isVirtual() || !B.isImm())
    return std::nullopt;
  if (Opcode == Heddle::SHL_i) {
    if (B.getImm() < 0 || B.getImm() > MaxScale)
      return std::nullopt;
    return AddressParts{Base, unsigned(B.getImm()), 0};
  }
  if (immediate(MI, Heddle::OpName::ma) || immediate(MI, Heddle::OpName::mb))
    return std::nullopt;
  if (Opcode == Heddle::IADD3_i &&
      MI.getOperand(indexOf(MI, Heddle::OpName::c)).getReg() != Heddle::RZ)
    return std::nullopt;
  return AddressParts{Base, 0, B.getImm()};
}

/// Whether the instruction of Use, an address computed as P says, can compute
/// it.
bool HeddleFoldAddresses::takes(const MachineOperand &Use,
                                const AddressParts &P) const {
  const MachineInstr &MI = *Use.getParent();
  if (!HeddleInstrInfo::getISAInfo(MI.getOpcode()) || Use.getSubReg() ||
      indexOf(MI, Heddle::OpName::a) != int(Use.getOperandNo()) ||
      indexOf(MI, Heddle::OpName::imm) < 0 || !MI.mayLoadOrStore())
    return false;
  const MachineOperand &Imm = MI.getOperand(indexOf(MI, Heddle::OpName::imm));
  if (!Imm.isImm())
    return false;
  int Scale = indexOf(MI, Heddle::OpName::sc);
  int64_t Old = Scale < 0 ? 0 : MI.getOperand(Scale).getImm();
  if (P.Scale)
    return Scale >= 0 && Old == 0;
  // Offsets of 32 bits count modulo 2^32, as the address does.
  return isInt<24>(Imm.getImm() + P.Offset * (int64_t(1) << Old));
}

bool HeddleFoldAddresses::fold(MachineInstr &MI) {
  std::optional<AddressParts> P = partsOf(MI);
  if (!P)
    return false;
  Register R = MI.getOperand(0).getReg();
  if (!R.isVirtual() || MRI->use_nodbg_empty(R) ||
      !all_of(MRI->use_nodbg_operands(R),
              [&](const MachineOperand &Use) { return takes(Use, *P); }))
    return false;
  for (MachineOperand &Use : make_early_inc_range(MRI->use_nodbg_operands(R))) {
    MachineInstr &User = *Use.getParent();
    int Scale = indexOf(User, Heddle::OpName::sc);
    int64_t Old = Scale < 0 ? 0 : User.getOperand(Scale).getImm();
    if (P->Scale)
      User.getOperand(Scale).setImm(P->Scale);
    MachineOperand &Imm = User.getOperand(indexOf(User, Heddle::OpName::imm));
    Imm.setImm(Imm.getImm() + P->Offset * (int64_t(1) << Old));
    Use.setReg(P->Base.getReg());
    Use.setSubReg(P->Base.getSubReg());
  }
  Bases.insert(P->Base.getReg());
  MRI->markUsesInDebugValueAsUndef(R);
  MI.eraseFromParent();
  ++NumFolded;
  return true;
}

bool HeddleFoldAddresses::runOnMachineFunction(MachineFunction &MF) {
  if (skipFunction(MF.getFunction()))
    return false;
  MRI = &MF.getRegInfo();
  TII = MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  bool Changed = false;
  // The base of an address is visited after the address, when the remaining
  // users of the base are known.
  for (MachineBasicBlock &MBB : reverse(MF))
    for (MachineInstr &MI : make_early_inc_range(reverse(MBB)))
      Changed |= fold(MI);
  // Once a base, not once a fold: a base may have thousands of uses.
  for (Register Base : Bases)
    MRI->clearKillFlags(Base);
  Bases.clear();
  return Changed;
}
