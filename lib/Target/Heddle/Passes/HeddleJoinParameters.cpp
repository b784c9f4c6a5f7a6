//===- HeddleJoinParameters.cpp - Parameters read together ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters that lie in the same 16 bytes are read by one instruction of the
// uniform path, in the block of the first of them that dominates the others.
// The bank of the parameters can be read up to the end of its last 16 bytes.
//
// Runs on SSA form, behind all passes that ask which instruction reads a
// parameter.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "Passes/HeddleSSAPass.h"
#include "heddle/IR/Kernels.h"
#include "heddle/ISA/ISA.h"
#include "heddle/ISA/LaunchConstants.h"
#include "llvm/ADT/DepthFirstIterator.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;
namespace isa = heddle::isa;

#define DEBUG_TYPE "heddle-join-parameters"
#define PASS_NAME "Heddle joining of parameters"

STATISTIC(NumJoined, "Number of loads of parameters joined to others");

namespace {

/// Bytes that one instruction reads, at most.
constexpr int64_t GroupBytes = isa::ParameterGroupBytes;
/// Groups, at most, that live over several blocks: a group takes four of 63
/// uniform registers for as long as one of its parameters is needed.
constexpr size_t MostLongGroups = 6;

/// A load of a parameter.
struct Load {
  MachineInstr *MI;
  int64_t Offset;
  unsigned Bytes;
};

class Joiner {
public:
  explicit Joiner(MachineFunction &MF)
      : MF(MF), MRI(MF.getRegInfo()),
        TII(*MF.getSubtarget<HeddleSubtarget>().getInstrInfo()),
        TRI(*MF.getSubtarget().getRegisterInfo()) {}

  bool run();

private:
  std::optional<Load> loadOf(MachineInstr &MI) const;
  bool isAny() const;
  void collect();
  bool joinGroup(ArrayRef<Load> Loads);
  void replace(ArrayRef<Load> Loads);
  void use(MachineOperand &Use, Register Whole, unsigned Index);
  void keepUnused(Register Whole, MachineInstr &Load);

  MachineFunction &MF;
  MachineRegisterInfo &MRI;
  const HeddleInstrInfo &TII;
  const TargetRegisterInfo &TRI;
  MachineDominatorTree DT;
  /// By the number of the group; those that dominate others before them.
  MapVector<int64_t, SmallVector<Load, 4>> Groups;
  size_t LongGroups = 0;
};

class HeddleJoinParameters : public HeddleSSAPass {
public:
  static char ID;
  HeddleJoinParameters() : HeddleSSAPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }

protected:
  bool change(MachineFunction &MF) override {
    return heddle::ir::isKernel(MF.getFunction()) && Joiner(MF).run();
  }
};

} // namespace

/// The load of a parameter that MI is, of words that stand still.
std::optional<Load> Joiner::loadOf(MachineInstr &MI) const {
  unsigned Opcode = MI.getOpcode();
  if (Opcode != Heddle::ULDC && Opcode != Heddle::ULDC64)
    return std::nullopt;
  auto Operand = [&](Heddle::OpName Name) -> const MachineOperand & {
    return MI.getOperand(Heddle::getNamedOperandIdx(Opcode, Name));
  };
  const MachineOperand &Offset = Operand(Heddle::OpName::imm);
  const MachineOperand &Result = MI.getOperand(0);
  if (Operand(Heddle::OpName::bank).getImm() != isa::abi::ParamBank ||
      Operand(Heddle::OpName::b).getReg() != Heddle::URZ || !Offset.isImm() ||
      Offset.getImm() < 0 || Offset.getImm() >= isa::BlockConstants ||
      TII.isPredicated(MI) || MI.hasOrderedMemoryRef() ||
      MI.memoperands().size() != 1 || !Result.getReg().isVirtual() ||
      Result.getSubReg())
    return std::nullopt;
  bool IsPair = Opcode == Heddle::ULDC64;
  if (!IsPair && Operand(Heddle::OpName::size).getImm() !=
                     static_cast<int64_t>(isa::MemSize::Word))
    return std::nullopt;
  return Load{&MI, Offset.getImm(), IsPair ? 8u : 4u};
}

/// Whether some group has more than one load.
bool Joiner::isAny() const {
  SmallSet<int64_t, 8> Numbers;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      if (std::optional<Load> L = loadOf(MI))
        if (!Numbers.insert(L->Offset / GroupBytes).second)
          return true;
  return false;
}

void Joiner::collect() {
  DT.recalculate(MF);
  for (const MachineDomTreeNode *Node : depth_first(DT.getRootNode()))
    for (MachineInstr &MI : *Node->getBlock())
      if (std::optional<Load> L = loadOf(MI))
        Groups[L->Offset / GroupBytes].push_back(*L);
}

/// Which part of a group \p L reads, or of a half of it; 0: all.
static unsigned partOf(const Load &L, bool IsHalf) {
  bool IsUpper = !IsHalf && L.Offset % GroupBytes >= 8;
  if (L.Bytes == 8 && IsHalf)
    return 0;
  if (L.Bytes == 8)
    return IsUpper ? Heddle::sub2_sub3 : Heddle::sub0_sub1;
  bool IsOdd = L.Offset % 8 != 0;
  if (IsUpper)
    return IsOdd ? Heddle::sub3 : Heddle::sub2;
  return IsOdd ? Heddle::sub1 : Heddle::sub0;
}

/// Keeps words of \p Whole that nothing uses from being other values before \p
/// Load has ended, for which those would wait.
void Joiner::keepUnused(Register Whole, MachineInstr &Load) {
  for (MachineInstr &MI :
       make_range(std::next(MachineBasicBlock::iterator(Load)),
                  Load.getParent()->end()))
    if (!MI.isDebugInstr() && MI.readsVirtualRegister(Whole)) {
      if (!MI.isCopyLike() && !MI.isRegSequence())
        MI.addOperand(MF, MachineOperand::CreateReg(Whole, /*isDef=*/false,
                                                    /*isImp=*/true));
      return;
    }
}

/// Lets \p Use name a part of \p Whole; \p Index: 0 for all of it.
void Joiner::use(MachineOperand &Use, Register Whole, unsigned Index) {
  if (Index)
    Use.setSubReg(TRI.composeSubRegIndices(Index, Use.getSubReg()));
  Use.setReg(Whole);
  if (Use.isDebug())
    return;
  Use.setIsKill(false);
  if (Use.getSubReg())
    MRI.setRegClass(Whole, TRI.getSubClassWithSubReg(MRI.getRegClass(Whole),
                                                     Use.getSubReg()));
}

/// Replaces \p Loads, of which the first one dominates the others, by one load.
void Joiner::replace(ArrayRef<Load> Loads) {
  MachineInstr &First = *Loads.front().MI;
  // Half a group where that is all.
  int64_t Half = Loads.front().Offset / 8;
  bool IsHalf =
      all_of(Loads, [&](const Load &L) { return L.Offset / 8 == Half; });
  int64_t Offset = IsHalf ? Half * 8 : Half / 2 * GroupBytes;
  int64_t Bytes = IsHalf ? 8 : GroupBytes;
  Register Whole = MRI.createVirtualRegister(IsHalf ? &Heddle::UGPR64RegClass
                                                    : &Heddle::UGPR128RegClass);
  const MachineMemOperand &Old = **First.memoperands_begin();
  auto MIB = BuildMI(*First.getParent(), First, First.getDebugLoc(),
                     TII.get(IsHalf ? Heddle::ULDC64 : Heddle::ULDC128), Whole)
                 .addImm(isa::abi::ParamBank)
                 .addReg(Heddle::URZ)
                 .addImm(Offset);
  TII.addTrailing(MIB).addMemOperand(
      MF.getMachineMemOperand(MachinePointerInfo(Old.getAddrSpace()),
                              Old.getFlags(), Bytes, Align(Bytes)));
  for (const Load &L : Loads) {
    Register Part = L.MI->getOperand(0).getReg();
    for (MachineOperand &Use : make_early_inc_range(MRI.use_operands(Part)))
      use(Use, Whole, partOf(L, IsHalf));
    L.MI->eraseFromParent();
  }
  NumJoined += Loads.size() - 1;
  keepUnused(Whole, *MIB);
}

bool Joiner::joinGroup(ArrayRef<Load> Loads) {
  bool Changed = false;
  SmallVector<Load, 4> Left(Loads), Joined, Others;
  while (Left.size() > 1) {
    const MachineBasicBlock *Block = Left.front().MI->getParent();
    bool MayBeLong = LongGroups < MostLongGroups, IsLong = false;
    Joined.clear();
    Others.clear();
    for (const Load &L : Left) {
      bool IsHere = L.MI->getParent() == Block;
      bool IsJoined =
          IsHere || (MayBeLong && DT.dominates(Block, L.MI->getParent()));
      (IsJoined ? Joined : Others).push_back(L);
      IsLong |= IsJoined && !IsHere;
    }
    if (Joined.size() > 1) {
      replace(Joined);
      LongGroups += IsLong;
      Changed = true;
    }
    std::swap(Left, Others);
  }
  return Changed;
}

bool Joiner::run() {
  if (!isAny())
    return false;
  collect();
  bool Changed = false;
  for (auto &[Number, Loads] : Groups)
    Changed |= joinGroup(Loads);
  return Changed;
}

char HeddleJoinParameters::ID = 0;
INITIALIZE_PASS(HeddleJoinParameters, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleJoinParametersPass() {
  return new HeddleJoinParameters();
}
