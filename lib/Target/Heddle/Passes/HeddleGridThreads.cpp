//===- HeddleGridThreads.cpp - Numbers of threads in the grid ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most kernels begin with %ctaid.x * %ntid.x + %tid.x, and many go on in steps
// of %nctaid.x * %ntid.x. There are special registers for both. One is read in
// place of a product where at least one of the others is read for such products
// alone, so that there is never more to do than before.
//
// Runs on SSA form, ahead of the passes that give instructions other operands.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleAsmTemplate.h"
#include "Passes/HeddlePasses.h"
#include "Passes/HeddleSSAPass.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-grid-threads"
#define PASS_NAME "Heddle numbers of threads in the grid"

STATISTIC(NumReplaced, "Number of products replaced by special registers");

namespace {

/// A product, and what is added to it.
struct Sum {
  Register A, B;
  Register C; ///< None for zero.
  /// Of 64 bits, with C widened by zeros.
  bool IsWide = false;
};

class HeddleGridThreads : public HeddleSSAPass {
public:
  static char ID;
  HeddleGridThreads() : HeddleSSAPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }

private:
  bool change(MachineFunction &MF) override;
  MachineInstr *definition(Register R) const;
  bool isZero(Register R) const;
  Register widened(Register R) const;
  StringRef specialName(Register R) const;
  std::optional<Sum> productOf(const MachineInstr &MI) const;
  std::optional<Sum> sumOf(const MachineInstr &MI) const;
  std::optional<unsigned> registerFor(const Sum &S) const;
  bool isForSums(Register R) const;
  MachineInstr *readForSums(const Sum &S) const;
  bool replace(MachineInstr &MI);
  void eraseUnused(Register R);

  MachineRegisterInfo *MRI = nullptr;
  const HeddleInstrInfo *TII = nullptr;
  /// What special registers have.
  SmallSetVector<MachineInstr *, 8> Sums;
};

} // namespace

/// The unguarded instruction behind copies that writes \p R; null if none does.
MachineInstr *HeddleGridThreads::definition(Register R) const {
  MachineInstr *MI = R.isVirtual() ? MRI->getVRegDef(R) : nullptr;
  while (MI && MI->isFullCopy() && MI->getOperand(1).getReg().isVirtual())
    MI = MRI->getVRegDef(MI->getOperand(1).getReg());
  return MI && !TII->isPredicated(*MI) ? MI : nullptr;
}

bool HeddleGridThreads::isZero(Register R) const {
  if (R == Heddle::RZ || R == Heddle::RZ64)
    return true;
  const MachineInstr *MI = definition(R);
  return MI && MI->getOpcode() == Heddle::MOV_i && MI->getOperand(1).isImm() &&
         MI->getOperand(1).getImm() == 0;
}

/// The word that a pair is when it has a zero above; none if it has not.
Register HeddleGridThreads::widened(Register R) const {
  const MachineInstr *MI = definition(R);
  if (!MI || !MI->isRegSequence() || MI->getNumOperands() != 5 ||
      MI->getOperand(2).getImm() != Heddle::sub0 ||
      MI->getOperand(1).getSubReg() || MI->getOperand(3).getSubReg() ||
      !isZero(MI->getOperand(3).getReg()))
    return Register();
  return MI->getOperand(1).getReg();
}

/// The name of the special register that \p R was read from, or none.
StringRef HeddleGridThreads::specialName(Register R) const {
  const MachineInstr *MI = definition(R);
  return MI && MI->getOpcode() == Heddle::S2R
             ? Heddle::getSpecialRegisterName(MI->getOperand(1).getImm())
             : StringRef();
}

/// What IMAD or IMADW computes, if there is nothing signed in it.
std::optional<Sum> HeddleGridThreads::productOf(const MachineInstr &MI) const {
  bool IsWide = MI.getOpcode() == Heddle::IMADW_r;
  // The fourth source negates the third one, or makes factors signed.
  if ((MI.getOpcode() != Heddle::IMAD_r && !IsWide) || TII->isPredicated(MI) ||
      MI.getOperand(4).getImm() != 0)
    return std::nullopt;
  for (unsigned N : {1, 2, 3})
    if (MI.getOperand(N).getSubReg())
      return std::nullopt;
  Sum S = {MI.getOperand(1).getReg(), MI.getOperand(2).getReg(),
           MI.getOperand(3).getReg(), IsWide};
  if (isZero(S.C))
    S.C = Register();
  else if (Register Word = IsWide ? widened(S.C) : S.C)
    S.C = Word;
  else
    return std::nullopt;
  return S;
}

/// The same of what is added by an instruction of its own, too.
std::optional<Sum> HeddleGridThreads::sumOf(const MachineInstr &MI) const {
  if (MI.getOpcode() != Heddle::LEA64_r)
    return productOf(MI);
  // A word that is neither shifted nor signed, and a pair.
  const MachineOperand &Word = MI.getOperand(1), &Pair = MI.getOperand(2);
  if (TII->isPredicated(MI) || Word.getSubReg() || Pair.getSubReg() ||
      MI.getOperand(3).getImm() != 0 || MI.getOperand(4).getImm() != 0 ||
      !Pair.getReg().isVirtual() || !MRI->hasOneNonDBGUse(Pair.getReg()))
    return std::nullopt;
  const MachineInstr *Product = MRI->getVRegDef(Pair.getReg());
  std::optional<Sum> S = Product ? productOf(*Product) : std::nullopt;
  if (!S || !S->IsWide || S->C)
    return std::nullopt;
  S->C = Word.getReg();
  return S;
}

/// The number of the special register that has the sum; none if none has.
std::optional<unsigned> HeddleGridThreads::registerFor(const Sum &S) const {
  auto [A, Axis] = specialName(S.A).split('.');
  auto [B, AxisB] = specialName(S.B).split('.');
  if (A == "ntid")
    std::swap(A, B);
  if (B != "ntid" || Axis != AxisB)
    return std::nullopt;
  auto Numbered = [Axis = Axis](StringRef Name) {
    return Heddle::findSpecialRegister(
        (Heddle::SpecialRegisterPrefix + Name + "." + Axis).str());
  };
  if (A == "nctaid" && !S.C)
    return Numbered("ngridtid");
  auto [C, AxisC] = specialName(S.C).split('.');
  if (A == "ctaid" && C == "tid" && Axis == AxisC)
    return Numbered("gridtid");
  return std::nullopt;
}

/// Whether nothing but Sums needs \p R in the end.
bool HeddleGridThreads::isForSums(Register R) const {
  return all_of(MRI->use_nodbg_instructions(R), [&](MachineInstr &Use) {
    if (Sums.contains(&Use))
      return true;
    bool IsOnTheWay = Use.isFullCopy() || Use.isRegSequence() ||
                      Use.getOpcode() == Heddle::IMADW_r;
    Register To = IsOnTheWay ? Use.getOperand(0).getReg() : Register();
    return To.isVirtual() && isForSums(To);
  });
}

/// What reads a part of \p S for Sums alone, or null.
MachineInstr *HeddleGridThreads::readForSums(const Sum &S) const {
  for (Register R : {S.A, S.B, S.C})
    if (MachineInstr *Read = definition(R);
        Read && isForSums(Read->getOperand(0).getReg()))
      return Read;
  return nullptr;
}

void HeddleGridThreads::eraseUnused(Register R) {
  if (!R.isVirtual() || !MRI->use_nodbg_empty(R))
    return;
  MachineInstr *MI = MRI->getVRegDef(R);
  SmallVector<Register, 4> Sources;
  for (const MachineOperand &MO : MI->explicit_uses())
    if (MO.isReg())
      Sources.push_back(MO.getReg());
  MRI->markUsesInDebugValueAsUndef(R);
  MI->eraseFromParent();
  for (Register Source : Sources)
    if (Source.isVirtual() && MRI->getVRegDef(Source))
      eraseUnused(Source);
}

bool HeddleGridThreads::replace(MachineInstr &MI) {
  std::optional<Sum> S = sumOf(MI);
  std::optional<unsigned> Number = S ? registerFor(*S) : std::nullopt;
  if (!Number)
    return false;
  MachineInstr *Read = readForSums(*S);
  if (!Read)
    return false;
  // Reading takes long, and begins where it did.
  bool IsHere = Read->getParent() == MI.getParent();
  MachineInstr *New = MI.getMF()->CloneMachineInstr(Read);
  New->setDesc(TII->get(S->IsWide ? Heddle::S2R64 : Heddle::S2R));
  New->getOperand(0).setReg(MI.getOperand(0).getReg());
  New->getOperand(1).setImm(*Number);
  New->setDebugLoc(MI.getDebugLoc());
  MI.getParent()->insert(IsHere ? Read->getIterator() : MI.getIterator(), New);
  SmallVector<Register, 2> Sources = {MI.getOperand(1).getReg(),
                                      MI.getOperand(2).getReg()};
  if (MI.getOperand(3).isReg())
    Sources.push_back(MI.getOperand(3).getReg());
  MI.eraseFromParent();
  for (Register Source : Sources)
    if (Source.isVirtual() && MRI->getVRegDef(Source))
      eraseUnused(Source);
  ++NumReplaced;
  return true;
}

bool HeddleGridThreads::change(MachineFunction &MF) {
  MRI = &MF.getRegInfo();
  TII = MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  Sums.clear();
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      if (std::optional<Sum> S = sumOf(MI); S && registerFor(*S))
        Sums.insert(&MI);
  bool Changed = false;
  for (MachineInstr *MI : Sums)
    Changed |= replace(*MI);
  return Changed;
}

char HeddleGridThreads::ID = 0;
INITIALIZE_PASS(HeddleGridThreads, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleGridThreadsPass() {
  return new HeddleGridThreads();
}
