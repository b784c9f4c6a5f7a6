//===- HeddleFoldImmediates.cpp - Constants in instructions ----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts constants into the forms of instructions that hold an immediate, reads
// zero from RZ, and drops results without a reader into RZ and PT.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "HeddleSwapSources.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "Passes/HeddlePasses.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"

using namespace llvm;
namespace isa = heddle::isa;

#define DEBUG_TYPE "heddle-fold-immediates"
#define PASS_NAME "Heddle immediate folding"

namespace {

class HeddleFoldImmediates : public MachineFunctionPass {
  MachineRegisterInfo *MRI = nullptr;
  const HeddleInstrInfo *TII = nullptr;

public:
  static char ID;
  HeddleFoldImmediates() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  std::optional<uint64_t> constantOf(const MachineOperand &MO) const;
  bool isZero(const MachineOperand &MO) const;
  bool useZeroRegister(MachineInstr &MI);
  bool moveConstantToB(MachineInstr &MI);
  bool foldInto(MachineInstr &MI, isa::Role Role, isa::Form Form);
  bool dropDeadResults(MachineInstr &MI);
};

} // namespace

char HeddleFoldImmediates::ID = 0;
INITIALIZE_PASS(HeddleFoldImmediates, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleFoldImmediatesPass() {
  return new HeddleFoldImmediates();
}

// Where the operand with a role stands, or -1; operands are in the table's
// order.
static int indexOf(const isa::InstInfo &I, isa::Role R) {
  const isa::OperandInfo *O = I.operand(R);
  return O ? O - I.Operands.data() : -1;
}

// The same operation with other contents of the slots b and c, or null.
static const isa::InstInfo *otherForm(const isa::InstInfo &I, isa::Form F) {
  static const auto Table = [] {
    DenseMap<std::pair<unsigned, unsigned>, const isa::InstInfo *> T;
    for (const isa::InstInfo &X : isa::instructions())
      T[{unsigned(X.Operation), unsigned(X.F)}] = &X;
    return T;
  }();
  return Table.lookup({unsigned(I.Operation), unsigned(F)});
}

// The value that MO reads, if an instruction with an immediate made it.
std::optional<uint64_t>
HeddleFoldImmediates::constantOf(const MachineOperand &MO) const {
  if (!MO.isReg() || !MO.isUse() || !MO.getReg().isVirtual())
    return std::nullopt;
  const MachineInstr *Def = MRI->getUniqueVRegDef(MO.getReg());
  unsigned Sub = MO.getSubReg();
  while (Def && Def->isCopy() && !Def->getOperand(0).getSubReg() &&
         Def->getOperand(1).getReg().isVirtual() && !Sub) {
    Sub = Def->getOperand(1).getSubReg();
    Def = MRI->getUniqueVRegDef(Def->getOperand(1).getReg());
  }
  if (!Def || TII->isPredicated(*Def) || Def->getNumOperands() < 2 ||
      !Def->getOperand(1).isImm())
    return std::nullopt;
  uint64_t V = Def->getOperand(1).getImm();
  switch (Def->getOpcode()) {
  case Heddle::MOV_i:
    return Sub ? std::nullopt : std::optional(uint64_t(int64_t(int32_t(V))));
  case Heddle::MOV64_i:
  case Heddle::MOV64W:
    if (Sub == Heddle::sub0)
      return uint64_t(int64_t(int32_t(V)));
    if (Sub == Heddle::sub1)
      return uint64_t(int64_t(V) >> 32);
    return Sub ? std::nullopt : std::optional(V);
  default:
    return std::nullopt;
  }
}

// Whether MO reads nothing but zeros, maybe those of a group put together.
bool HeddleFoldImmediates::isZero(const MachineOperand &MO) const {
  if (constantOf(MO) == uint64_t(0))
    return true;
  if (!MO.isReg() || !MO.getReg().isVirtual())
    return false;
  const MachineInstr *Def = MRI->getUniqueVRegDef(MO.getReg());
  if (!Def || !Def->isRegSequence())
    return false;
  for (unsigned I = 1; I < Def->getNumOperands(); I += 2)
    if (constantOf(Def->getOperand(I)) != uint64_t(0))
      return false;
  return true;
}

bool HeddleFoldImmediates::useZeroRegister(MachineInstr &MI) {
  const isa::InstInfo *Info = HeddleInstrInfo::getISAInfo(MI.getOpcode());
  bool Changed = false;
  for (auto [I, O] : enumerate(Info->Operands)) {
    MCRegister Zero = O.Kind == isa::OperandKind::GPR32    ? Heddle::RZ
                      : O.Kind == isa::OperandKind::GPR64  ? Heddle::RZ64
                      : O.Kind == isa::OperandKind::GPR128 ? Heddle::RZ128
                                                           : MCRegister();
    if (O.IsDef || !Zero)
      continue;
    // The number of a barrier stays a number, which tools look for.
    if (Info->Operation == isa::Op::BAR && O.R == isa::Role::b)
      continue;
    MachineOperand &MO = MI.getOperand(I);
    if (!isZero(MO))
      continue;
    MO.setReg(Zero);
    MO.setSubReg(0);
    MO.setIsKill(false);
    Changed = true;
  }
  return Changed;
}

// Only b may be an immediate. Selections and floating-point extremes are
// brought into that order here, LLVM does it for all others.
bool HeddleFoldImmediates::moveConstantToB(MachineInstr &MI) {
  const isa::InstInfo &Info = *HeddleInstrInfo::getISAInfo(MI.getOpcode());
  isa::Swap Kind = isa::opInfo(Info.Operation).Sources;
  bool IsExtreme = Kind == isa::Swap::Plain &&
                   Info.operand(isa::Role::minmax) &&
                   Info.operand(isa::Role::ma);
  if (Info.F != isa::Form::R || (Kind != isa::Swap::Select && !IsExtreme))
    return false;
  MachineOperand &A = MI.getOperand(indexOf(Info, isa::Role::a)),
                 &B = MI.getOperand(indexOf(Info, isa::Role::b));
  if (!constantOf(A) || constantOf(B))
    return false;
  swapSources(MI, Kind);
  A.setIsKill(false);
  B.setIsKill(false);
  return true;
}

// The constant as the immediate field has it, with the source's modifier done.
static std::optional<int64_t> encode(const isa::InstInfo &Info, bool Wide,
                                     uint64_t V, unsigned Modifier) {
  bool Double = Wide && Info.Latency == isa::LatencyClass::F64;
  if (Double) {
    // The field is the high half of a double.
    if (uint32_t(V))
      return std::nullopt;
    V >>= 32;
  }
  bool Packed = Info.Mnemonic.front() == 'H';
  bool Floating = Double || Packed || Info.Mnemonic.front() == 'F';
  uint32_t Sign = Packed ? 0x80008000u : 0x80000000u;
  if (Floating) {
    if (Modifier & 2)
      V &= ~uint64_t(Sign);
    if (Modifier & 1)
      V ^= Sign;
  } else if (Modifier)
    V = -V;
  if (!Wide || Double)
    return int32_t(V);
  return isInt<32>(int64_t(V)) ? std::optional(int64_t(V)) : std::nullopt;
}

bool HeddleFoldImmediates::foldInto(MachineInstr &MI, isa::Role Role,
                                    isa::Form Form) {
  const isa::InstInfo *Info = HeddleInstrInfo::getISAInfo(MI.getOpcode());
  const isa::InstInfo *New = otherForm(*Info, Form);
  int At = indexOf(*Info, Role);
  if (Info->F != isa::Form::R || !New || At < 0 ||
      New->Operands.size() != Info->Operands.size())
    return false;
  const isa::OperandInfo &Field = New->Operands[At];
  isa::OperandKind Kind = Info->Operands[At].Kind;
  bool Wide = Kind == isa::OperandKind::GPR64;
  if (Field.R != Role || Field.Kind != isa::OperandKind::Imm ||
      Field.Width != 32 || (!Wide && Kind != isa::OperandKind::GPR32))
    return false;
  std::optional<uint64_t> V = constantOf(MI.getOperand(At));
  if (!V)
    return false;
  int ModifierAt =
      indexOf(*Info, Role == isa::Role::b ? isa::Role::mb : isa::Role::mc);
  unsigned Modifier = ModifierAt < 0 ? 0 : MI.getOperand(ModifierAt).getImm();
  // The add with carry complements its source instead of negating it.
  if (Modifier && Info->Operation == isa::Op::IADDC)
    return false;
  std::optional<int64_t> Imm = encode(*Info, Wide, *V, Modifier);
  if (!Imm)
    return false;
  MI.setDesc(TII->get(Heddle::getOpcode(*New)));
  MI.getOperand(At).ChangeToImmediate(*Imm);
  if (ModifierAt >= 0)
    MI.getOperand(ModifierAt).setImm(0);
  return true;
}

bool HeddleFoldImmediates::dropDeadResults(MachineInstr &MI) {
  // A result that a counter announces is waited for before control leaves the
  // function, and that takes a register to wait for.
  if (isa::latencyClass(HeddleInstrInfo::getISAInfo(MI.getOpcode())->Latency)
          .Variable)
    return false;
  bool Changed = false;
  for (MachineOperand &MO : MI.explicit_operands()) {
    if (!MO.isReg() || !MO.isDef() || !MO.getReg().isVirtual() ||
        MO.getSubReg() || !MRI->use_nodbg_empty(MO.getReg()))
      continue;
    const TargetRegisterClass *RC = MRI->getRegClass(MO.getReg());
    MCRegister Sink = Heddle::PRRegClass.hasSubClassEq(RC)      ? Heddle::PT
                      : Heddle::GPR32RegClass.hasSubClassEq(RC) ? Heddle::RZ
                      : Heddle::GPR64RegClass.hasSubClassEq(RC) ? Heddle::RZ64
                                                                : MCRegister();
    if (!Sink || !MRI->hasOneDef(MO.getReg()))
      continue;
    MRI->markUsesInDebugValueAsUndef(MO.getReg());
    MO.setReg(Sink);
    MO.setIsDead(true);
    Changed = true;
  }
  return Changed;
}

bool HeddleFoldImmediates::runOnMachineFunction(MachineFunction &MF) {
  MRI = &MF.getRegInfo();
  TII = MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  bool Changed = false;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB) {
      if (MI.isDebugInstr() || !HeddleInstrInfo::getISAInfo(MI.getOpcode()))
        continue;
      Changed |= useZeroRegister(MI);
      Changed |= moveConstantToB(MI);
      Changed |= foldInto(MI, isa::Role::b, isa::Form::I) ||
                 foldInto(MI, isa::Role::c, isa::Form::CI);
    }
  // The order is backwards, so that a value that only dead instructions read is
  // found dead, too.
  for (MachineBasicBlock *MBB : post_order(&MF))
    for (MachineInstr &MI : make_early_inc_range(reverse(*MBB))) {
      bool IsInstruction = HeddleInstrInfo::getISAInfo(MI.getOpcode());
      if (MI.isDebugInstr() || (!IsInstruction && !MI.isRegSequence()))
        continue;
      if (MI.isDead(*MRI)) {
        for (const MachineOperand &MO : MI.all_defs())
          if (MO.getReg().isVirtual())
            MRI->markUsesInDebugValueAsUndef(MO.getReg());
        MI.eraseFromParent();
        Changed = true;
      } else if (IsInstruction)
        Changed |= dropDeadResults(MI);
    }
  return Changed;
}
