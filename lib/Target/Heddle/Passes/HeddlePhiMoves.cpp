//===- HeddlePhiMoves.cpp - One move for many edges ------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An unrolled loop with many exits gives a PHI at its end the old value of a
// variable on the edges of the first exits and the new one on the others. If
// the old value is read once more behind the new one's computation, the two
// need a register each, and all edges of one of them a copy. This pass moves
// the new value behind the last use of the old one, and the PHI reads the moved
// value: old value, moved value and PHI can share one register.
//
// Runs on SSA form, in front of register allocation.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "Passes/HeddleSSAPass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-phi-moves"
#define PASS_NAME "Heddle moves of PHIs"

namespace {

/// The least number of edges of a PHI, and of edges with the old value and with
/// the new one, for which the move pays: the move is executed on all paths, a
/// copy on one.
constexpr unsigned ManyEdges = 16, SomeEdges = 2;
/// Blocks in which old values are found to live, for each block of a function.
constexpr size_t MostPlaces = 256;

class PhiMover {
public:
  explicit PhiMover(MachineFunction &MF)
      : MF(MF), MRI(MF.getRegInfo()),
        TII(*MF.getSubtarget<HeddleSubtarget>().getInstrInfo()),
        PlacesLeft(MostPlaces * MF.size()) {}
  bool run();

private:
  bool moveNewValues(const MachineInstr &Phi);
  bool livesBehind(Register R, const MachineBasicBlock &MBB);
  MachineInstr *lastUse(Register Old, const MachineInstr &Def);
  void move(Register New, MachineInstr &Behind);

  MachineFunction &MF;
  MachineRegisterInfo &MRI;
  const HeddleInstrInfo &TII;
  size_t PlacesLeft;
};

} // namespace

/// The block at whose end or in which an operand is read.
static MachineBasicBlock *placeOf(const MachineOperand &MO) {
  const MachineInstr &User = *MO.getParent();
  return User.isPHI() ? User.getOperand(MO.getOperandNo() + 1).getMBB()
                      : const_cast<MachineBasicBlock *>(User.getParent());
}

/// Whether R is read behind the end of MBB, or that takes too long to find out.
bool PhiMover::livesBehind(Register R, const MachineBasicBlock &MBB) {
  const MachineBasicBlock *Home = MRI.getVRegDef(R)->getParent();
  SmallVector<const MachineBasicBlock *, 16> Work;
  SmallPtrSet<const MachineBasicBlock *, 16> Seen;
  auto ReachBegin = [&](const MachineBasicBlock *B) {
    if (B != Home && Seen.insert(B).second)
      Work.push_back(B);
  };
  for (const MachineOperand &MO : MRI.use_nodbg_operands(R)) {
    const MachineBasicBlock *At = placeOf(MO);
    if (MO.getParent()->isPHI() && At == &MBB)
      return true;
    ReachBegin(At);
  }
  while (!Work.empty()) {
    const MachineBasicBlock *B = Work.pop_back_val();
    if (PlacesLeft == 0)
      return true;
    --PlacesLeft;
    for (const MachineBasicBlock *Before : B->predecessors()) {
      if (Before == &MBB)
        return true;
      ReachBegin(Before);
    }
  }
  return false;
}

/// The last instruction behind Def in its block that reads Old, if there is
/// one and Old ends there.
MachineInstr *PhiMover::lastUse(Register Old, const MachineInstr &Def) {
  MachineBasicBlock &MBB = *const_cast<MachineBasicBlock *>(Def.getParent());
  for (MachineInstr &MI : reverse(MBB)) {
    if (&MI == &Def)
      return nullptr;
    if (MI.isPHI() || !MI.readsRegister(Old, /*TRI=*/nullptr))
      continue;
    return MI.isTerminator() || livesBehind(Old, MBB) ? nullptr : &MI;
  }
  return nullptr;
}

/// Lets all other blocks, and PHIs, read the copy of New.
void PhiMover::move(Register New, MachineInstr &Behind) {
  MachineBasicBlock &MBB = *Behind.getParent();
  Register Moved = MRI.cloneVirtualRegister(New);
  for (MachineOperand &MO : make_early_inc_range(MRI.use_operands(New)))
    if (MO.getParent()->isPHI() || MO.getParent()->getParent() != &MBB)
      MO.setReg(Moved);
  bool IsPair = Heddle::GPR64RegClass.hasSubClassEq(MRI.getRegClass(New));
  TII.addTrailing(
      BuildMI(MBB, std::next(Behind.getIterator()), Behind.getDebugLoc(),
              TII.get(IsPair ? Heddle::MOV64_r : Heddle::MOV_r), Moved)
          .addReg(New));
  MRI.clearKillFlags(New);
}

bool PhiMover::moveNewValues(const MachineInstr &Phi) {
  MapVector<Register, unsigned> Edges;
  for (unsigned N = 1, E = Phi.getNumOperands(); N != E; N += 2)
    if (!Phi.getOperand(N).getSubReg())
      ++Edges[Phi.getOperand(N).getReg()];
  Edges.remove_if([](const auto &Value) { return Value.second < SomeEdges; });
  bool Changed = false;
  for (auto [New, NumNew] : Edges) {
    const TargetRegisterClass *RC = MRI.getRegClass(New);
    MachineInstr *Def = MRI.getUniqueVRegDef(New);
    if (!Def || Def->isPHI() ||
        !(Heddle::GPR32RegClass.hasSubClassEq(RC) ||
          Heddle::GPR64RegClass.hasSubClassEq(RC)))
      continue;
    for (auto [Old, NumOld] : Edges)
      if (MachineInstr *Last = Old == New ? nullptr : lastUse(Old, *Def)) {
        move(New, *Last);
        Changed = true;
        break;
      }
  }
  return Changed;
}

bool PhiMover::run() {
  bool Changed = false;
  for (MachineBasicBlock &MBB : MF) {
    if (MBB.pred_size() < ManyEdges)
      continue;
    for (MachineInstr &Phi : MBB.phis())
      Changed |= moveNewValues(Phi);
  }
  return Changed;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

class HeddlePhiMoves : public HeddleSSAPass {
public:
  static char ID;
  HeddlePhiMoves() : HeddleSSAPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  bool change(MachineFunction &MF) override { return PhiMover(MF).run(); }
};

} // namespace

char HeddlePhiMoves::ID = 0;
INITIALIZE_PASS(HeddlePhiMoves, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddlePhiMovesPass() { return new HeddlePhiMoves(); }
