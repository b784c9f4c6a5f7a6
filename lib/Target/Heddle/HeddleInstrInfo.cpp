//===- HeddleInstrInfo.cpp - Instructions ----------------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code generator must know about instructions: copies, spills,
// branches, guards.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleAliasAnalysis.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleSubtarget.h"
#include "heddle/IR/LoopPlan.h"
#include "heddle/Support/Check.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineMemOperand.h"

using namespace llvm;

#define GET_INSTRINFO_CTOR_DTOR
#define GET_INSTRINFO_NAMED_OPS
#include "HeddleGenInstrInfo.inc"

HeddleInstrInfo::HeddleInstrInfo(const HeddleSubtarget &ST)
    : HeddleGenInstrInfo(ST, *ST.getRegisterInfo(), Heddle::ADJCALLSTACKDOWN,
                         Heddle::ADJCALLSTACKUP) {}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

const MachineInstrBuilder &
HeddleInstrInfo::addTrailing(const MachineInstrBuilder &MIB) const {
  const heddle::isa::InstInfo *Info = getISAInfo(MIB->getOpcode());
  return addTrailing(MIB, Info && Info->Uniform ? Heddle::UPT : Heddle::PT,
                     false);
}

const MachineInstrBuilder &
HeddleInstrInfo::addTrailing(const MachineInstrBuilder &MIB, Register Guard,
                             bool Negated) const {
  return MIB.addReg(Guard).addImm(Negated).addImm(Heddle::DefaultControl);
}

unsigned HeddleInstrInfo::getEncodedOpcode(unsigned Opcode) {
  switch (Opcode) {
  case Heddle::JMP:
    return Heddle::BRA;
  case Heddle::BRX_TABLE:
    return Heddle::BRX;
  case Heddle::EXIT_IF:
    return Heddle::EXIT;
  case Heddle::S2R_VOLATILE:
    return Heddle::S2R;
  case Heddle::S2R64_VOLATILE:
    return Heddle::S2R64;
  case Heddle::VOTE_HERE:
    return Heddle::VOTE_i;
  default:
    return Opcode;
  }
}

const heddle::isa::InstInfo *HeddleInstrInfo::getISAInfo(unsigned Opcode) {
  return Heddle::getInstInfo(getEncodedOpcode(Opcode));
}

static bool contains(const TargetRegisterClass &RC, Register R) {
  return RC.contains(R);
}

// The instruction that copies Src to Dest with operands (d, b) or (d, a).
static unsigned simpleCopyOpcode(Register Dest, Register Src) {
  struct Row {
    const TargetRegisterClass &Dest, &Src;
    unsigned Opcode;
  };
  const Row Rows[] = {
      {Heddle::GPR32RegClass, Heddle::GPR32RegClass, Heddle::MOV_r},
      {Heddle::GPR64RegClass, Heddle::GPR64RegClass, Heddle::MOV64_r},
      {Heddle::GPR32RegClass, Heddle::UGPR32RegClass, Heddle::MOV_u},
      {Heddle::GPR64RegClass, Heddle::UGPR64RegClass, Heddle::MOV64_u},
      {Heddle::UGPR32RegClass, Heddle::UGPR32RegClass, Heddle::UMOV_r},
      {Heddle::UGPR64RegClass, Heddle::UGPR64RegClass, Heddle::UMOV64_r},
      {Heddle::UGPR32RegClass, Heddle::GPR32RegClass, Heddle::R2UR},
      {Heddle::UGPR64RegClass, Heddle::GPR64RegClass, Heddle::R2UR64},
      {Heddle::GPR32RegClass, Heddle::BRRegClass, Heddle::BMOV},
      {Heddle::BRRegClass, Heddle::GPR32RegClass, Heddle::BMOVR}};
  for (const Row &R : Rows)
    if (contains(R.Dest, Dest) && contains(R.Src, Src))
      return R.Opcode;
  return 0;
}

// The instruction that copies between predicates.
static unsigned predicateCopyOpcode(Register Dest, Register Src) {
  bool ToThread = contains(Heddle::PRRegClass, Dest);
  bool ToUniform = contains(Heddle::UPRRegClass, Dest);
  bool FromThread = contains(Heddle::PRRegClass, Src);
  bool FromUniform = contains(Heddle::UPRRegClass, Src);
  if (ToThread && FromThread)
    return Heddle::PLOP3;
  if (ToUniform && FromUniform)
    return Heddle::UPLOP3;
  if (ToThread && FromUniform)
    return Heddle::UP2P;
  if (ToUniform && FromThread)
    return Heddle::P2UP;
  return 0;
}

void HeddleInstrInfo::copyPhysReg(MachineBasicBlock &MBB,
                                  MachineBasicBlock::iterator MI,
                                  const DebugLoc &DL, Register DestReg,
                                  Register SrcReg, bool KillSrc, bool,
                                  bool) const {
  unsigned Kill = getKillRegState(KillSrc);
  if (unsigned Op = simpleCopyOpcode(DestReg, SrcReg)) {
    addTrailing(BuildMI(MBB, MI, DL, get(Op), DestReg).addReg(SrcReg, Kill));
    return;
  }
  if (unsigned Op = predicateCopyOpcode(DestReg, SrcReg)) {
    auto MIB =
        BuildMI(MBB, MI, DL, get(Op), DestReg).addReg(SrcReg, Kill).addImm(0);
    if (Op == Heddle::PLOP3 || Op == Heddle::UPLOP3) {
      Register True = Op == Heddle::PLOP3 ? Heddle::PT : Heddle::UPT;
      // Bit s * 4 + t * 2 + v: the bits with s set.
      MIB.addReg(True).addImm(0).addReg(True).addImm(0).addImm(0xF0);
    }
    addTrailing(MIB);
    return;
  }
  // 128 bits go in two halves.
  for (unsigned Sub : {Heddle::sub0_sub1, Heddle::sub2_sub3}) {
    bool IsZero = SrcReg == Heddle::RZ128;
    Register To = TRI.getSubReg(DestReg, Sub);
    Register From =
        IsZero ? Register(Heddle::RZ64) : Register(TRI.getSubReg(SrcReg, Sub));
    unsigned Op = To && From ? simpleCopyOpcode(To, From) : 0;
    HEDDLE_CHECK(Op, "no instruction copies between these registers");
    auto MIB = BuildMI(MBB, MI, DL, get(Op), To).addReg(From);
    addTrailing(MIB);
    if (Sub == Heddle::sub2_sub3 && KillSrc && !IsZero)
      MIB.addReg(SrcReg, RegState::Implicit | RegState::Kill);
  }
}

bool HeddleInstrInfo::isAsCheapAsAMove(const MachineInstr &MI) const {
  switch (MI.getOpcode()) {
  case Heddle::MOV_i:
  case Heddle::MOV64_i:
  case Heddle::MOV64W:
  case Heddle::UMOV_i:
  case Heddle::UMOV64_i:
    return !isPredicated(MI);
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Spills
//===----------------------------------------------------------------------===//

static MachineMemOperand *frameOperand(MachineFunction &MF, int FI,
                                       MachineMemOperand::Flags Flags) {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  return MF.getMachineMemOperand(MachinePointerInfo::getFixedStack(MF, FI),
                                 Flags, MFI.getObjectSize(FI),
                                 MFI.getObjectAlign(FI));
}

namespace {
struct SpillPseudos {
  unsigned Spill = 0, Reload = 0;
};
} // namespace

// How registers are spilled that local memory cannot be loaded into; see
// HeddlePredicateSpills.cpp.
static SpillPseudos spillPseudos(const TargetRegisterClass *RC) {
  if (Heddle::PRRegClass.hasSubClassEq(RC))
    return {Heddle::SPILL_PR, Heddle::RELOAD_PR};
  if (Heddle::BRRegClass.hasSubClassEq(RC))
    return {Heddle::SPILL_BR, Heddle::RELOAD_BR};
  if (Heddle::UPRRegClass.hasSubClassEq(RC))
    return {Heddle::SPILL_UP, Heddle::RELOAD_UP};
  if (Heddle::UGPR32RegClass.hasSubClassEq(RC))
    return {Heddle::SPILL_UR, Heddle::RELOAD_UR};
  if (Heddle::UGPR64RegClass.hasSubClassEq(RC))
    return {Heddle::SPILL_UR64, Heddle::RELOAD_UR64};
  if (Heddle::UGPR128RegClass.hasSubClassEq(RC))
    return {Heddle::SPILL_UR128, Heddle::RELOAD_UR128};
  return {};
}

void HeddleInstrInfo::storeRegToStackSlot(MachineBasicBlock &MBB,
                                          MachineBasicBlock::iterator MI,
                                          Register SrcReg, bool IsKill, int FI,
                                          const TargetRegisterClass *RC,
                                          Register,
                                          MachineInstr::MIFlag Flags) const {
  MachineMemOperand *MMO =
      frameOperand(*MBB.getParent(), FI, MachineMemOperand::MOStore);
  unsigned Kill = getKillRegState(IsKill);
  if (SpillPseudos Pseudos = spillPseudos(RC); Pseudos.Spill) {
    BuildMI(MBB, MI, DebugLoc(), get(Pseudos.Spill))
        .addReg(SrcReg, Kill)
        .addFrameIndex(FI)
        .addMemOperand(MMO)
        .setMIFlag(Flags);
    return;
  }
  bool Is32 = Heddle::GPR32RegClass.hasSubClassEq(RC);
  bool Is64 = Heddle::GPR64RegClass.hasSubClassEq(RC);
  HEDDLE_CHECK(Is32 || Is64 || Heddle::GPR128RegClass.hasSubClassEq(RC),
               "registers of this class are never spilled");
  auto MIB = BuildMI(MBB, MI, DebugLoc(),
                     get(Is32   ? Heddle::STL_r
                         : Is64 ? Heddle::STL64_r
                                : Heddle::STL128_r))
                 .addFrameIndex(FI)
                 .addImm(0)
                 .addImm(0)
                 .addReg(SrcReg, Kill);
  if (Is32)
    MIB.addImm(MemSizeWord);
  addTrailing(MIB.addImm(0)).addMemOperand(MMO).setMIFlag(Flags);
}

void HeddleInstrInfo::loadRegFromStackSlot(MachineBasicBlock &MBB,
                                           MachineBasicBlock::iterator MI,
                                           Register DestReg, int FI,
                                           const TargetRegisterClass *RC,
                                           Register, unsigned SubReg,
                                           MachineInstr::MIFlag Flags) const {
  MachineMemOperand *MMO =
      frameOperand(*MBB.getParent(), FI, MachineMemOperand::MOLoad);
  if (SpillPseudos Pseudos = spillPseudos(RC); Pseudos.Spill) {
    BuildMI(MBB, MI, DebugLoc(), get(Pseudos.Reload), DestReg)
        .addFrameIndex(FI)
        .addMemOperand(MMO)
        .setMIFlag(Flags);
    return;
  }
  bool Is32 = Heddle::GPR32RegClass.hasSubClassEq(RC);
  bool Is64 = Heddle::GPR64RegClass.hasSubClassEq(RC);
  HEDDLE_CHECK(Is32 || Is64 || Heddle::GPR128RegClass.hasSubClassEq(RC),
               "registers of this class are never spilled");
  auto MIB = BuildMI(MBB, MI, DebugLoc(),
                     get(Is32   ? Heddle::LDL_r
                         : Is64 ? Heddle::LDL64_r
                                : Heddle::LDL128_r))
                 .addReg(DestReg, RegState::Define, SubReg)
                 .addFrameIndex(FI)
                 .addImm(0)
                 .addImm(0);
  if (Is32)
    MIB.addImm(MemSizeWord);
  addTrailing(MIB.addImm(0)).addMemOperand(MMO).setMIFlag(Flags);
}

/// The opcodes that move a register to or from a stack slot, and the indices of
/// their operands.
struct SlotAccesses {
  unsigned Word, Pair, Group;
  unsigned Address, Value; ///< The offset is behind the address.
  unsigned Pseudos[6];     ///< Value, frame index.
};

static Register valueOfSlot(const HeddleInstrInfo &TII, const MachineInstr &MI,
                            const SlotAccesses &Of, int &FrameIndex) {
  unsigned Opcode = MI.getOpcode();
  if (is_contained(Of.Pseudos, Opcode)) {
    FrameIndex = MI.getOperand(1).getIndex();
    return MI.getOperand(0).getReg();
  }
  bool IsWord = Opcode == Of.Word;
  if ((!IsWord && Opcode != Of.Pair && Opcode != Of.Group) ||
      (IsWord && MI.getOperand(4).getImm() != HeddleInstrInfo::MemSizeWord) ||
      !MI.getOperand(Of.Address).isFI() ||
      MI.getOperand(Of.Address + 2).getImm() != 0 || TII.isPredicated(MI))
    return Register();
  FrameIndex = MI.getOperand(Of.Address).getIndex();
  return MI.getOperand(Of.Value).getReg();
}

Register HeddleInstrInfo::isLoadFromStackSlot(const MachineInstr &MI,
                                              int &FrameIndex) const {
  using namespace Heddle;
  static constexpr SlotAccesses Loads = {
      LDL_r,
      LDL64_r,
      LDL128_r,
      1,
      0,
      {RELOAD_PR, RELOAD_BR, RELOAD_UP, RELOAD_UR, RELOAD_UR64, RELOAD_UR128}};
  return valueOfSlot(*this, MI, Loads, FrameIndex);
}

Register HeddleInstrInfo::isStoreToStackSlot(const MachineInstr &MI,
                                             int &FrameIndex) const {
  using namespace Heddle;
  static constexpr SlotAccesses Stores = {
      STL_r,
      STL64_r,
      STL128_r,
      0,
      3,
      {SPILL_PR, SPILL_BR, SPILL_UP, SPILL_UR, SPILL_UR64, SPILL_UR128}};
  return valueOfSlot(*this, MI, Stores, FrameIndex);
}

//===----------------------------------------------------------------------===//
// Calls and returns
//===----------------------------------------------------------------------===//

bool HeddleInstrInfo::expandPostRAPseudo(MachineInstr &MI) const {
  MachineBasicBlock &MBB = *MI.getParent();
  const DebugLoc &DL = MI.getDebugLoc();
  MachineInstrBuilder MIB;
  switch (MI.getOpcode()) {
  default:
    return false;
  case Heddle::PCALL:
  case Heddle::PCALLR:
    MIB = BuildMI(MBB, MI, DL,
                  get(MI.getOpcode() == Heddle::PCALL ? Heddle::CALL
                                                      : Heddle::CALLR),
                  Heddle::R2_64)
              .add(MI.getOperand(0));
    break;
  case Heddle::PRET:
    MIB = BuildMI(MBB, MI, DL, get(Heddle::RET)).addReg(Heddle::R2_64);
    break;
  }
  addTrailing(MIB);
  // Registers of arguments and results, and the mask of kept ones.
  for (const MachineOperand &MO : MI.operands())
    if ((MO.isReg() && MO.isImplicit() && MO.getReg() != Heddle::R2_64) ||
        MO.isRegMask())
      MIB.add(MO);
  if (MI.isCall())
    MI.getMF()->moveAdditionalCallInfo(&MI, MIB);
  MI.eraseFromParent();
  return true;
}

//===----------------------------------------------------------------------===//
// Branches. A condition is the opcode, the guard and its negation.
//===----------------------------------------------------------------------===//

static bool isConditionalBranch(const MachineInstr &MI) {
  return MI.getOpcode() == Heddle::BRA || MI.getOpcode() == Heddle::UBRA;
}

bool HeddleInstrInfo::analyzeBranch(MachineBasicBlock &MBB,
                                    MachineBasicBlock *&TBB,
                                    MachineBasicBlock *&FBB,
                                    SmallVectorImpl<MachineOperand> &Cond,
                                    bool AllowModify) const {
  TBB = FBB = nullptr;
  Cond.clear();
  SmallVector<MachineInstr *, 2> Terminators;
  for (MachineInstr &MI : MBB.terminators()) {
    if (MI.isDebugInstr())
      continue;
    if (MI.getOpcode() != Heddle::JMP && !isConditionalBranch(MI))
      return true;
    Terminators.push_back(&MI);
  }
  if (Terminators.empty())
    return false;
  if (Terminators.size() > 2)
    return true;
  MachineInstr &First = *Terminators.front(), &Last = *Terminators.back();
  if (Terminators.size() == 2 &&
      (!isConditionalBranch(First) || Last.getOpcode() != Heddle::JMP))
    return true;
  TBB = First.getOperand(0).getMBB();
  if (isConditionalBranch(First)) {
    Cond.push_back(MachineOperand::CreateImm(First.getOpcode()));
    Cond.push_back(First.getOperand(1));
    Cond.push_back(First.getOperand(2));
    if (Terminators.size() == 2)
      FBB = Last.getOperand(0).getMBB();
  }
  return false;
}

unsigned HeddleInstrInfo::removeBranch(MachineBasicBlock &MBB,
                                       int *BytesRemoved) const {
  unsigned Count = 0;
  for (MachineInstr &MI : make_early_inc_range(reverse(MBB))) {
    if (MI.isDebugInstr())
      continue;
    if (MI.getOpcode() != Heddle::JMP && !isConditionalBranch(MI))
      break;
    MI.eraseFromParent();
    ++Count;
  }
  if (BytesRemoved)
    *BytesRemoved = Count * heddle::isa::InstBytes;
  return Count;
}

unsigned HeddleInstrInfo::insertBranch(
    MachineBasicBlock &MBB, MachineBasicBlock *TBB, MachineBasicBlock *FBB,
    ArrayRef<MachineOperand> Cond, const DebugLoc &DL, int *BytesAdded) const {
  unsigned Count = 0;
  MachineBasicBlock *Always = TBB;
  if (!Cond.empty()) {
    BuildMI(&MBB, DL, get(Cond[0].getImm()))
        .addMBB(TBB)
        .add(Cond[1])
        .add(Cond[2])
        .addImm(Heddle::DefaultControl);
    ++Count;
    Always = FBB;
  }
  if (Always) {
    addTrailing(BuildMI(&MBB, DL, get(Heddle::JMP)).addMBB(Always));
    ++Count;
  }
  if (BytesAdded)
    *BytesAdded = Count * heddle::isa::InstBytes;
  return Count;
}

bool HeddleInstrInfo::reverseBranchCondition(
    SmallVectorImpl<MachineOperand> &Cond) const {
  Cond[2].setImm(!Cond[2].getImm());
  return false;
}

/// Whether instructions may leave their blocks.
static bool mayMove(const MachineInstr &MI) {
  return MI.getMF()->getInfo<HeddleMachineFunctionInfo>()->Registers.Level <
         heddle::RegisterPressureLevel::Motion;
}

bool HeddleInstrInfo::shouldHoist(const MachineInstr &MI,
                                  const MachineLoop *) const {
  return mayMove(MI);
}

bool HeddleInstrInfo::shouldSink(const MachineInstr &MI) const {
  if (!mayMove(MI))
    return false;
  // Loads that were moved stay there: high up, to wait together.
  return !MI.mayLoad() ||
         !heddle::ir::wantsEarlyLoads(MI.getMF()->getFunction());
}

bool HeddleInstrInfo::isSafeToSink(MachineInstr &MI, MachineBasicBlock *To,
                                   MachineCycleInfo * /*Cycles*/) const {
  // A constant is not worth a block on an edge that a profile says few threads
  // take: warps do oftener, and have a branch more, that guards do not replace.
  return !MI.getMF()->getFunction().hasProfileData() || !isAsCheapAsAMove(MI) ||
         To->pred_size() == 1;
}

/// The only memory that MI reads or writes; null if it may do more.
static const MachineMemOperand *onlyAccess(const MachineInstr &MI) {
  return MI.mayLoad() != MI.mayStore() && MI.hasOneMemOperand() &&
                 !MI.hasUnmodeledSideEffects()
             ? *MI.memoperands_begin()
             : nullptr;
}

/// Whether A and B add offsets to the same registers, in the same way, and end
/// before each other's begin. Where such a register changes between the two,
/// its uses keep them in order.
static bool areDisjointOffsets(const MachineInstr &A, uint64_t SizeOfA,
                               const MachineInstr &B, uint64_t SizeOfB) {
  using namespace Heddle;
  auto OperandOf = [](const MachineInstr &MI, OpName Name) {
    int I = getNamedOperandIdx(MI.getOpcode(), Name);
    return I < 0 ? nullptr : &MI.getOperand(static_cast<unsigned>(I));
  };
  for (OpName Name : {OpName::a, OpName::b, OpName::u, OpName::x, OpName::aext,
                      OpName::sc, OpName::bank}) {
    const MachineOperand *OfA = OperandOf(A, Name), *OfB = OperandOf(B, Name);
    if (!OfA != !OfB || (OfA && !OfA->isIdenticalTo(*OfB)))
      return false;
  }
  const MachineOperand *OfA = OperandOf(A, OpName::imm),
                       *OfB = OperandOf(B, OpName::imm);
  if (!OfA || !OfB || !OfA->isImm() || !OfB->isImm())
    return false;
  int64_t Distance = OfB->getImm() - OfA->getImm();
  return Distance < 0 ? static_cast<uint64_t>(-Distance) >= SizeOfB
                      : static_cast<uint64_t>(Distance) >= SizeOfA;
}

bool HeddleInstrInfo::areMemAccessesTriviallyDisjoint(
    const MachineInstr &A, const MachineInstr &B) const {
  const MachineMemOperand *OfA = onlyAccess(A), *OfB = onlyAccess(B);
  if (!OfA || !OfB || OfA->isVolatile() || OfB->isVolatile())
    return false;
  // No store changes invariant memory.
  if (OfA->isInvariant() || OfB->isInvariant())
    return true;
  if (OfA->getAddrSpace() != OfB->getAddrSpace())
    return areDisjointSpaces(OfA->getAddrSpace(), OfB->getAddrSpace());
  // The address of one thread says nothing about the accesses of the other
  // threads of its warp.
  if (A.isConvergent() || B.isConvergent() || !OfA->getSize().isPrecise() ||
      !OfB->getSize().isPrecise())
    return false;
  return areDisjointOffsets(A, OfA->getSize().getValue().getFixedValue(), B,
                            OfB->getSize().getValue().getFixedValue());
}

//===----------------------------------------------------------------------===//
// Guards
//===----------------------------------------------------------------------===//

static int guardIndex(const MachineInstr &MI) {
  return Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::pg);
}

bool HeddleInstrInfo::isPredicated(const MachineInstr &MI) const {
  int I = guardIndex(MI);
  if (I < 0)
    return false;
  Register Guard = MI.getOperand(I).getReg();
  return (Guard != Heddle::PT && Guard != Heddle::UPT) ||
         MI.getOperand(I + 1).getImm() != 0;
}

bool HeddleInstrInfo::isPredicable(const MachineInstr &MI) const {
  // A guard would change which threads take part in a convergent operation.
  return guardIndex(MI) >= 0 && !isPredicated(MI) && !MI.isConvergent() &&
         !MI.isCall() && MI.getOpcode() != Heddle::JMP;
}

bool HeddleInstrInfo::PredicateInstruction(
    MachineInstr &MI, ArrayRef<MachineOperand> Pred) const {
  int I = guardIndex(MI);
  const heddle::isa::InstInfo *Info = getISAInfo(MI.getOpcode());
  bool UniformGuard = Pred[0].getImm() == Heddle::UBRA;
  if (I < 0 || !Info || Info->Uniform != UniformGuard)
    return false;
  MI.getOperand(I).setReg(Pred[1].getReg());
  MI.getOperand(I + 1).setImm(Pred[2].getImm());
  return true;
}

ArrayRef<std::pair<MachineMemOperand::Flags, const char *>>
HeddleInstrInfo::getSerializableMachineMemOperandTargetFlags() const {
  static constexpr std::pair<MachineMemOperand::Flags, const char *> Names[] = {
      {MachineMemOperand::MOTargetFlag1, "heddle-cache-1"},
      {MachineMemOperand::MOTargetFlag2, "heddle-cache-2"},
      {MachineMemOperand::MOTargetFlag3, "heddle-cache-4"},
      {MachineMemOperand::MOTargetFlag4, "heddle-flushing"}};
  return Names;
}
