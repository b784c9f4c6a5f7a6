//===- HeddleGuardSelections.cpp - Guards for selections -------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where one of two values is selected that an instruction makes for nothing
// else, and the other one ends there, the instruction is guarded and writes
// over the other value: `@P IADD3 R0, R0, 1` in place of a sum and a selection.
// As long as registers are virtual, the result is tied to the value that it
// replaces.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "Passes/HeddleSSAPass.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;
namespace isa = heddle::isa;

#define DEBUG_TYPE "heddle-guard-selections"
#define PASS_NAME "Heddle guards for selections"

STATISTIC(NumGuarded, "Number of selections that became guards");

namespace {

class SelectionGuard {
public:
  explicit SelectionGuard(MachineFunction &MF)
      : MRI(MF.getRegInfo()),
        TII(*MF.getSubtarget<HeddleSubtarget>().getInstrInfo()),
        MostGuarded(static_cast<unsigned>(heddle::tuning::knobOf(
            MF.getFunction(), heddle::tuning::Knob::GuardedLimit))) {}
  bool run(MachineFunction &MF);

private:
  MachineInstr *makerFor(const MachineOperand &MO,
                         const MachineInstr &Selection) const;
  bool endsAt(const MachineOperand &MO, const MachineInstr &Selection) const;
  bool isShortArm(const MachineBasicBlock &MBB) const;
  bool meetsInItsRegister(Register Result, Register Other) const;
  bool guard(MachineInstr &Selection);
  void replace(MachineInstr &Selection, MachineInstr &Maker, Register Other,
               bool Negated);

  MachineRegisterInfo &MRI;
  const HeddleInstrInfo &TII;
  /// The most instructions of a block that may be guarded itself.
  const unsigned MostGuarded;
  /// The places of instructions of the block.
  DenseMap<const MachineInstr *, unsigned> Order;
};

} // namespace

static MachineOperand &operand(MachineInstr &MI, Heddle::OpName Name) {
  return MI.getOperand(Heddle::getNamedOperandIdx(MI.getOpcode(), Name));
}

static bool isSelection(const MachineInstr &MI) {
  switch (MI.getOpcode()) {
  case Heddle::SEL_r:
  case Heddle::SEL64_r:
    return true;
  default:
    return false;
  }
}

/// The instruction that computes \p MO for \p Selection alone, if it may do so
/// in its place and with its guard. That makes it wait for the predicate: its
/// own time must be as short as about that of the selection.
MachineInstr *SelectionGuard::makerFor(const MachineOperand &MO,
                                       const MachineInstr &Selection) const {
  if (!MO.getReg().isVirtual() || MO.getSubReg() ||
      !MRI.hasOneNonDBGUse(MO.getReg()))
    return nullptr;
  MachineInstr *Maker = MRI.getUniqueVRegDef(MO.getReg());
  if (!Maker || Maker->getParent() != Selection.getParent())
    return nullptr;
  const isa::InstInfo *Info = HeddleInstrInfo::getISAInfo(Maker->getOpcode());
  if (!Info || isa::latencyClass(Info->Latency).Variable)
    return nullptr;
  bool ReadsFixed = any_of(Maker->all_uses(), [&](const MachineOperand &Use) {
    return Use.getReg().isPhysical() &&
           !MRI.isConstantPhysReg(Use.getReg().asMCReg());
  });
  bool SafeToMove = !ReadsFixed && !Maker->mayLoadOrStore() &&
                    !Maker->isConvergent() && !Maker->hasUnmodeledSideEffects();
  return SafeToMove && TII.isPredicable(*Maker) &&
                 Maker->getNumExplicitDefs() == 1 && Maker->getNumDefs() == 1 &&
                 !Maker->getOperand(0).getSubReg()
             ? Maker
             : nullptr;
}

/// Whether \p MO is a value of this block that nothing reads behind
/// \p Selection, so that its register is free.
bool SelectionGuard::endsAt(const MachineOperand &MO,
                            const MachineInstr &Selection) const {
  if (!MO.getReg().isVirtual() || MO.getSubReg())
    return false;
  const MachineInstr *Def = MRI.getUniqueVRegDef(MO.getReg());
  if (!Def || Def->getParent() != Selection.getParent())
    return false;
  unsigned End = Order.lookup(&Selection);
  return all_of(
      MRI.use_nodbg_instructions(MO.getReg()), [&](const MachineInstr &User) {
        return !User.isPHI() && User.getParent() == Selection.getParent() &&
               Order.lookup(&User) <= End;
      });
}

/// Whether \p Other may share the register of the PHIs that read \p Result: not
/// if the block of \p Other reads another value of such a PHI behind the
/// definition of \p Other.
bool SelectionGuard::meetsInItsRegister(Register Result, Register Other) const {
  const MachineInstr *Def = MRI.getVRegDef(Other);
  unsigned Begin = Order.lookup(Def);
  auto IsReadBehind = [&](Register R) {
    return any_of(MRI.use_nodbg_instructions(R), [&](const MachineInstr &User) {
      return !User.isPHI() && User.getParent() == Def->getParent() &&
             Order.lookup(&User) > Begin;
    });
  };
  for (const MachineInstr &Phi : MRI.use_nodbg_instructions(Result)) {
    if (!Phi.isPHI())
      continue;
    for (const MachineOperand &MO : Phi.operands())
      if (MO.isReg() && MO.getReg() != Result && MO.getReg() != Other &&
          IsReadBehind(MO.getReg()))
        return false;
  }
  return true;
}

void SelectionGuard::replace(MachineInstr &Selection, MachineInstr &Maker,
                             Register Other, bool Negated) {
  Register Result = Selection.getOperand(0).getReg();
  Register Guard = operand(Selection, Heddle::OpName::s).getReg();
  Register Made = Maker.getOperand(0).getReg();
  MRI.constrainRegClass(Result, MRI.getRegClass(Made));
  MRI.markUsesInDebugValueAsUndef(Made);
  Order[&Maker] = Order.lookup(&Selection);
  Maker.removeFromParent();
  Selection.getParent()->insert(Selection.getIterator(), &Maker);
  Selection.eraseFromParent();
  Maker.getOperand(0).setReg(Result);
  operand(Maker, Heddle::OpName::pg).setReg(Guard);
  operand(Maker, Heddle::OpName::pgn).setImm(Negated);
  Maker.addOperand(MachineOperand::CreateReg(Other, /*isDef=*/false,
                                             /*isImp=*/true));
  Maker.tieOperands(0, Maker.getNumOperands() - 1);
  // Sources may have ended where it stood.
  for (const MachineOperand &MO : Maker.all_uses())
    if (MO.getReg().isVirtual())
      MRI.clearKillFlags(MO.getReg());
  ++NumGuarded;
}

bool SelectionGuard::guard(MachineInstr &Selection) {
  bool IsNegated = operand(Selection, Heddle::OpName::sn).getImm() != 0;
  const MachineOperand &A = operand(Selection, Heddle::OpName::a),
                       &B = operand(Selection, Heddle::OpName::b);
  if (!A.isReg() || !B.isReg() ||
      !operand(Selection, Heddle::OpName::s).getReg().isVirtual())
    return false;
  for (auto [Made, Other, Negated] :
       {std::tuple(&B, &A, !IsNegated), std::tuple(&A, &B, IsNegated)}) {
    MachineInstr *Maker = makerFor(*Made, Selection);
    if (!Maker || !endsAt(*Other, Selection) ||
        !meetsInItsRegister(Selection.getOperand(0).getReg(), Other->getReg()))
      continue;
    replace(Selection, *Maker, Other->getReg(), Negated);
    return true;
  }
  return false;
}

/// Whether the whole block may become guarded in place of the branch to it
/// (HeddleIfConversion.cpp), where an instruction can have one guard only.
bool SelectionGuard::isShortArm(const MachineBasicBlock &MBB) const {
  if (MBB.pred_size() != 1 || (*MBB.pred_begin())->succ_size() < 2)
    return false;
  unsigned Size = 0;
  for (const MachineInstr &MI : MBB)
    if (HeddleInstrInfo::getISAInfo(MI.getOpcode()) && !MI.isTerminator() &&
        ++Size > MostGuarded)
      return false;
  return true;
}

bool SelectionGuard::run(MachineFunction &MF) {
  bool Changed = false;
  for (MachineBasicBlock &MBB : MF) {
    if (isShortArm(MBB))
      continue;
    Order.clear();
    for (auto [N, MI] : enumerate(MBB))
      Order[&MI] = N;
    for (MachineInstr &MI : make_early_inc_range(MBB))
      if (isSelection(MI) && !TII.isPredicated(MI))
        Changed |= guard(MI);
  }
  return Changed;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

class HeddleGuardSelections : public HeddleSSAPass {
public:
  static char ID;
  HeddleGuardSelections() : HeddleSSAPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  bool change(MachineFunction &MF) override {
    return SelectionGuard(MF).run(MF);
  }
};

} // namespace

char HeddleGuardSelections::ID = 0;
INITIALIZE_PASS(HeddleGuardSelections, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleGuardSelectionsPass() {
  return new HeddleGuardSelections();
}
