//===- HeddleCompactRegisters.cpp - No gaps between registers ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread has all registers up to the highest one in use. The allocator leaves
// gaps: the stack pointer, which a kernel without a frame does not need, and
// what lies between groups, whose first numbers are even or divisible by four.
// Where a kernel calls nothing, no register has to be a certain one. The groups
// of four are numbered first then, the pairs behind them and single registers
// last, which leaves no gap, if that takes fewer registers.
//
// Runs on allocated registers, when all frames are known.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "heddle/IR/Kernels.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-compact-registers"
#define PASS_NAME "Heddle compaction of registers"

STATISTIC(NumSaved, "Number of registers that kernels need no more");

namespace {

constexpr unsigned NumRegisters = 255; // without RZ
constexpr unsigned Sizes[] = {4, 2, 1};

/// Some of the general registers that stand together.
struct Group {
  unsigned First = 0, Size = 0;
};

class HeddleCompactRegisters : public MachineFunctionPass {
public:
  static char ID;
  HeddleCompactRegisters() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  std::optional<Group> groupOf(MCRegister R) const;
  bool collect(const MachineFunction &MF);
  unsigned number();
  MCRegister renamed(MCRegister R) const;
  void rename(MachineFunction &MF) const;

  const TargetRegisterInfo *TRI = nullptr;
  /// By the first number, how many registers stand together there; 0: none.
  std::array<uint8_t, NumRegisters> Used;
  std::array<uint8_t, NumRegisters> NewNumber;
};

} // namespace

std::optional<Group> HeddleCompactRegisters::groupOf(MCRegister R) const {
  unsigned First = TRI->getEncodingValue(R);
  if (First >= NumRegisters)
    return std::nullopt; // RZ
  if (Heddle::GPR32RegClass.contains(R))
    return Group{First, 1};
  if (Heddle::GPR64RegClass.contains(R))
    return Group{First, 2};
  if (Heddle::GPR128RegClass.contains(R))
    return Group{First, 4};
  return std::nullopt;
}

/// Finds the registers in use; false if one of them has to stay what it is.
bool HeddleCompactRegisters::collect(const MachineFunction &MF) {
  Used.fill(0);
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB) {
      if (MI.isCall() || MI.isInlineAsm())
        return false;
      for (const MachineOperand &MO : MI.operands()) {
        if (MO.isRegMask() || (MO.isReg() && MO.getReg() == Heddle::R1))
          return false;
        if (!MO.isReg() || !MO.getReg())
          continue;
        if (std::optional<Group> G = groupOf(MO.getReg().asMCReg()))
          Used[G->First] = std::max<uint8_t>(Used[G->First], G->Size);
      }
    }
  // What is a part of a group is none of its own.
  for (unsigned First = 0; First < NumRegisters; ++First)
    for (unsigned Part = 1; Part < Used[First]; ++Part)
      Used[First + Part] = 0;
  return Used[Heddle::R1 - Heddle::R0] == 0;
}

/// Gives all registers their new numbers. Returns how many fewer they take.
unsigned HeddleCompactRegisters::number() {
  unsigned Before = 0, After = 0;
  NewNumber.fill(NumRegisters);
  for (unsigned Size : Sizes)
    for (unsigned First = 0; First < NumRegisters; ++First) {
      if (Used[First] != Size)
        continue;
      Before = std::max(Before, First + Size);
      for (unsigned Part = 0; Part < Size; ++Part)
        NewNumber[First + Part] = After++;
    }
  return Before - After;
}

/// The same with its new number; none if no instruction names it.
MCRegister HeddleCompactRegisters::renamed(MCRegister R) const {
  std::optional<Group> G = groupOf(R);
  if (!G)
    return R;
  unsigned New = NewNumber[G->First];
  if (New == NumRegisters)
    return MCRegister();
  switch (G->Size) {
  case 1:
    return Heddle::GPR32RegClass.getRegister(New);
  case 2:
    return Heddle::GPR64RegClass.getRegister(New / 2);
  default:
    return Heddle::GPR128RegClass.getRegister(New / 4);
  }
}

void HeddleCompactRegisters::rename(MachineFunction &MF) const {
  for (MachineBasicBlock &MBB : MF) {
    SmallVector<MachineBasicBlock::RegisterMaskPair, 16> LiveIns(
        MBB.livein_begin(), MBB.livein_end());
    MBB.clearLiveIns();
    for (const auto &[R, Mask] : LiveIns)
      if (MCRegister New = renamed(R))
        MBB.addLiveIn(New, Mask);
    MBB.sortUniqueLiveIns();
    for (MachineInstr &MI : MBB)
      for (MachineOperand &MO : MI.operands())
        if (MO.isReg() && MO.getReg())
          MO.setReg(renamed(MO.getReg().asMCReg()));
  }
}

bool HeddleCompactRegisters::runOnMachineFunction(MachineFunction &MF) {
  if (skipFunction(MF.getFunction()) || !heddle::ir::isKernel(MF.getFunction()))
    return false;
  TRI = MF.getSubtarget().getRegisterInfo();
  if (!collect(MF))
    return false;
  unsigned Saved = number();
  if (!Saved)
    return false;
  NumSaved += Saved;
  rename(MF);
  MF.getInfo<HeddleMachineFunctionInfo>()->HasStackPointer = false;
  MF.getRegInfo().freezeReservedRegs();
  return true;
}

char HeddleCompactRegisters::ID = 0;
INITIALIZE_PASS(HeddleCompactRegisters, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleCompactRegistersPass() {
  return new HeddleCompactRegisters();
}
