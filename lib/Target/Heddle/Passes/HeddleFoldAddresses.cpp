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
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-fold-addresses"
#define PASS_NAME "Heddle address folding"

STATISTIC(NumFolded, "Number of address computations folded");
STATISTIC(NumEqual, "Number of address computations found equal");

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
  /// The blocks of sums that a constant was moved over.
  SmallSetVector<MachineBasicBlock *, 8> Blocks;

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
  bool isAddendOfAddress(const MachineOperand &Use,
                         const AddressParts &P) const;
  void give(MachineOperand &Use, const AddressParts &P);
  bool fold(MachineInstr &MI);
  bool dropEqual(MachineBasicBlock &MBB);
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

/// Whether MI is a sum of two or three numbers, and Use one of them as it is.
static bool isAddend(const MachineInstr &MI, const MachineOperand &Use) {
  auto Is = [&](Heddle::OpName Name) {
    return indexOf(MI, Name) == int(Use.getOperandNo());
  };
  switch (MI.getOpcode()) {
  case Heddle::LEA64_r:
  case Heddle::LEA_r:
    return Is(Heddle::OpName::b);
  case Heddle::IADD3_r:
    if (Is(Heddle::OpName::c))
      return !immediate(MI, Heddle::OpName::mc);
    [[fallthrough]];
  case Heddle::IADD64_r:
    return Is(Heddle::OpName::a)   ? !immediate(MI, Heddle::OpName::ma)
           : Is(Heddle::OpName::b) ? !immediate(MI, Heddle::OpName::mb)
                                   : false;
  default:
    return false;
  }
}

/// Whether Use is one of the numbers of a sum of which only addresses are made
/// that take the constant of P.
bool HeddleFoldAddresses::isAddendOfAddress(const MachineOperand &Use,
                                            const AddressParts &P) const {
  const MachineInstr &Sum = *Use.getParent();
  if (P.Scale || Use.getSubReg() || !isAddend(Sum, Use) ||
      TII->isPredicated(Sum) ||
      count_if(Sum.all_uses(), [&](const MachineOperand &MO) {
        return MO.getReg() == Use.getReg();
      }) != 1)
    return false;
  const MachineOperand &Result = Sum.getOperand(0);
  return Result.getReg().isVirtual() && !Result.getSubReg() &&
         MRI->hasOneDef(Result.getReg()) &&
         all_of(
             MRI->use_nodbg_operands(Result.getReg()),
             [&](const MachineOperand &Address) { return takes(Address, P); });
}

/// Lets the instruction of Use, an address, add and shift.
void HeddleFoldAddresses::give(MachineOperand &Use, const AddressParts &P) {
  MachineInstr &User = *Use.getParent();
  int Scale = indexOf(User, Heddle::OpName::sc);
  int64_t Old = Scale < 0 ? 0 : User.getOperand(Scale).getImm();
  if (P.Scale)
    User.getOperand(Scale).setImm(P.Scale);
  MachineOperand &Imm = User.getOperand(indexOf(User, Heddle::OpName::imm));
  Imm.setImm(Imm.getImm() + P.Offset * (int64_t(1) << Old));
}

bool HeddleFoldAddresses::fold(MachineInstr &MI) {
  std::optional<AddressParts> P = partsOf(MI);
  if (!P)
    return false;
  Register R = MI.getOperand(0).getReg();
  if (!R.isVirtual() || MRI->use_nodbg_empty(R) ||
      !all_of(MRI->use_nodbg_operands(R), [&](const MachineOperand &Use) {
        return takes(Use, *P) || isAddendOfAddress(Use, *P);
      }))
    return false;
  for (MachineOperand &Use : make_early_inc_range(MRI->use_nodbg_operands(R))) {
    MachineInstr &User = *Use.getParent();
    if (User.mayLoadOrStore()) {
      give(Use, *P);
    } else {
      Register Sum = User.getOperand(0).getReg();
      MRI->markUsesInDebugValueAsUndef(Sum);
      for (MachineOperand &Address : MRI->use_nodbg_operands(Sum))
        give(Address, *P);
      Blocks.insert(User.getParent());
    }
    Use.setReg(P->Base.getReg());
    Use.setSubReg(P->Base.getSubReg());
  }
  Bases.insert(P->Base.getReg());
  MRI->markUsesInDebugValueAsUndef(R);
  MI.eraseFromParent();
  ++NumFolded;
  return true;
}

/// Puts the first two numbers of a sum in the order of their registers, so that
/// sums that differ in the order alone are equal.
static void orderAddends(MachineInstr &Sum) {
  unsigned Opcode = Sum.getOpcode();
  if ((Opcode != Heddle::IADD3_r && Opcode != Heddle::IADD64_r) ||
      immediate(Sum, Heddle::OpName::ma) != immediate(Sum, Heddle::OpName::mb))
    return;
  MachineOperand &A = Sum.getOperand(indexOf(Sum, Heddle::OpName::a)),
                 &B = Sum.getOperand(indexOf(Sum, Heddle::OpName::b));
  auto PlaceOf = [](const MachineOperand &MO) {
    return std::pair(MO.getReg().id(), MO.getSubReg());
  };
  if (PlaceOf(A) <= PlaceOf(B))
    return;
  MachineOperand OldA = A;
  A.setReg(B.getReg());
  A.setSubReg(B.getSubReg());
  A.setIsKill(B.isKill());
  B.setReg(OldA.getReg());
  B.setSubReg(OldA.getSubReg());
  B.setIsKill(OldA.isKill());
}

/// Keeps one of the sums of addresses in a block that are equal.
bool HeddleFoldAddresses::dropEqual(MachineBasicBlock &MBB) {
  DenseSet<MachineInstr *, MachineInstrExpressionTrait> Known;
  bool Changed = false;
  for (MachineInstr &MI : make_early_inc_range(MBB)) {
    unsigned Opcode = MI.getOpcode();
    if ((Opcode != Heddle::LEA64_r && Opcode != Heddle::LEA_r &&
         Opcode != Heddle::IADD64_r && Opcode != Heddle::IADD3_r) ||
        TII->isPredicated(MI) || !MI.getOperand(0).getReg().isVirtual())
      continue;
    orderAddends(MI);
    auto [Found, IsNew] = Known.insert(&MI);
    if (IsNew)
      continue;
    Register Old = MI.getOperand(0).getReg(),
             New = (*Found)->getOperand(0).getReg();
    if (!MRI->hasOneDef(Old) || !MRI->hasOneDef(New) ||
        !MRI->constrainRegClass(New, MRI->getRegClass(Old)))
      continue;
    MRI->replaceRegWith(Old, New);
    MRI->clearKillFlags(New);
    MI.eraseFromParent();
    ++NumEqual;
    Changed = true;
  }
  return Changed;
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
  for (MachineBasicBlock *MBB : Blocks)
    Changed |= dropEqual(*MBB);
  Blocks.clear();
  return Changed;
}
