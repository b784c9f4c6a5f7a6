//===- HeddleSpillPlaces.cpp - Spilled values, for debuggers ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stack slot is the place of one value behind another. What debuggers were
// told of the first one ends where the second one is stored.
//
// In shared memory a place is an address that is computed of the thread's
// number, and the space, as LLVM has it of other shared variables: by its
// number and DW_OP_xderef.
//
//===----------------------------------------------------------------------===//

#include "Passes/Blocks/HeddleSpillPlaces.h"
#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/Support/DebugSpace.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetFrameLowering.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

static void toRegister(MachineOperand &MO, Register R) {
  MO.ChangeToRegister(R, /*isDef=*/false, /*isImp=*/false, /*isKill=*/false,
                      /*isDead=*/false, /*isUndef=*/false, /*isDebug=*/true);
}

/// LLVM's function for this drops registers only.
static void dropPlaces(MachineInstr &DebugValue) {
  for (MachineOperand &MO : DebugValue.debug_operands())
    toRegister(MO, Register());
}

void llvm::dropUnknownSlots(MachineFunction &MF) {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  auto IsUnknown = [&](const MachineInstr &MI) {
    return any_of(MI.debug_operands(), [&](const MachineOperand &MO) {
      return MO.isFI() && (MFI.isDeadObjectIndex(MO.getIndex()) ||
                           (MI.isDebugValueList() &&
                            MFI.isSpillSlotObjectIndex(MO.getIndex())));
    });
  };
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      if (MI.isDebugValue() && IsUnknown(MI))
        dropPlaces(MI);
}

//===----------------------------------------------------------------------===//
// Places in shared memory
//===----------------------------------------------------------------------===//

/// What comes before the offset and behind it.
static SmallVector<uint64_t, 8> beginOfPlace(uint64_t BytesPerThread) {
  return {dwarf::DW_OP_constu, BytesPerThread, dwarf::DW_OP_mul,
          dwarf::DW_OP_plus_uconst};
}
static constexpr uint64_t EndOfPlace[] = {
    dwarf::DW_OP_constu, uint64_t(heddle::DebugSpace::Shared),
    dwarf::DW_OP_swap, dwarf::DW_OP_xderef};

/// The offset of the value in the slot, if the slot has the value as it is.
static std::optional<uint64_t> offsetInSlot(const MachineInstr &DebugValue) {
  if (DebugValue.isDebugValueList() || !DebugValue.isDebugOffsetImm())
    return std::nullopt;
  int64_t Offset;
  SmallVector<uint64_t> Rest;
  const DIExpression *E = DebugValue.getDebugExpression();
  if (!E->extractLeadingOffset(Offset, Rest) || Offset < 0)
    return std::nullopt;
  bool IsPlain = Rest.empty() || Rest.front() == dwarf::DW_OP_LLVM_fragment;
  return IsPlain ? std::optional<uint64_t>(Offset) : std::nullopt;
}

void llvm::moveToShared(MachineInstr &DebugValue,
                        const HeddleMachineFunctionInfo::SharedSlot &At) {
  std::optional<uint64_t> Offset = offsetInSlot(DebugValue);
  if (!Offset)
    return dropPlaces(DebugValue);
  const DIExpression *E = DebugValue.getDebugExpression();
  SmallVector<uint64_t, 16> Ops(beginOfPlace(At.BytesPerThread));
  Ops.push_back(At.Start + *Offset);
  Ops.append(std::begin(EndOfPlace), std::end(EndOfPlace));
  if (auto Fragment = E->getFragmentInfo())
    Ops.append({dwarf::DW_OP_LLVM_fragment, Fragment->OffsetInBits,
                Fragment->SizeInBits});
  DebugValue.getDebugExpressionOp().setMetadata(
      DIExpression::get(E->getContext(), Ops));
  toRegister(DebugValue.getDebugOperand(0), Heddle::R1);
  // The expression is the address by itself.
  toRegister(DebugValue.getDebugOffset(), Register());
}

//===----------------------------------------------------------------------===//
// Slots in the code
//===----------------------------------------------------------------------===//

SpillSlots::SpillSlots(const MachineFunction &MF) {
  const MachineFrameInfo &MFI = MF.getFrameInfo();
  const TargetSubtargetInfo &Subtarget = MF.getSubtarget();
  Base = Subtarget.getRegisterInfo()->getFrameRegister(MF);
  for (int I = 0; I != MFI.getObjectIndexEnd(); ++I) {
    if (MFI.isDeadObjectIndex(I) || !MFI.isSpillSlotObjectIndex(I))
      continue;
    Register From;
    int64_t Offset = Subtarget.getFrameLowering()
                         ->getFrameIndexReference(MF, I, From)
                         .getFixed();
    Local.push_back({Register::index2StackSlot(I).id(), Offset,
                     Offset + int64_t(MFI.getObjectSize(I))});
  }
  for (const auto &S : MF.getInfo<HeddleMachineFunctionInfo>()->SharedSlots)
    Shared.push_back({Register::index2StackSlot(S.Slot).id(), int64_t(S.Start),
                      int64_t(S.Start + S.BytesPerThread)});
}

std::optional<unsigned> SpillSlots::at(bool IsShared, int64_t Offset) const {
  for (const Range &R : IsShared ? Shared : Local)
    if (R.Begin <= Offset && Offset < R.End)
      return R.Slot;
  return std::nullopt;
}

std::optional<unsigned> SpillSlots::writtenBy(const MachineInstr &MI) const {
  if (!MI.mayStore() || MI.isDebugInstr())
    return std::nullopt;
  int Address = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::a);
  int Offset = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::imm);
  if (Address < 0 || Offset < 0 || !MI.getOperand(Address).isReg() ||
      !MI.getOperand(Offset).isImm())
    return std::nullopt;
  // Where spilled values are in shared memory R1 is for their addresses alone.
  bool IsShared = !Shared.empty();
  if (MI.getOperand(Address).getReg() != (IsShared ? Heddle::R1 : Base))
    return std::nullopt;
  return at(IsShared, MI.getOperand(Offset).getImm());
}

std::optional<unsigned>
SpillSlots::placeOf(const MachineInstr &DebugValue) const {
  if (DebugValue.isDebugValueList() || !DebugValue.getDebugOperand(0).isReg())
    return std::nullopt;
  Register R = DebugValue.getDebugOperand(0).getReg();
  const DIExpression *E = DebugValue.getDebugExpression();
  if (Shared.empty()) {
    int64_t Offset;
    SmallVector<uint64_t> Rest;
    if (R != Base || !E->extractLeadingOffset(Offset, Rest))
      return std::nullopt;
    return at(/*IsShared=*/false, Offset);
  }
  constexpr unsigned OffsetAt = 4;
  ArrayRef<uint64_t> Ops = E->getElements();
  if (R != Heddle::R1 || Ops.size() <= OffsetAt)
    return std::nullopt;
  return at(/*IsShared=*/true, Ops[OffsetAt]);
}

//===----------------------------------------------------------------------===//
// Where places end
//===----------------------------------------------------------------------===//

namespace {

/// Which variables may have their values in slots, at each block's ends.
class PlaceEnds {
public:
  PlaceEnds(MachineFunction &MF, const SpillSlots &Slots)
      : MF(MF), Slots(Slots) {}
  void run();

private:
  using Variable = DebugVariable;
  /// A variable that is in a slot somewhere.
  struct Place {
    Variable Of;
    unsigned Slot;
    MachineInstr *Value; ///< one that says so
  };
  static Variable variableOf(const MachineInstr &Value) {
    return Variable(Value.getDebugVariable(), Value.getDebugExpression(),
                    Value.getDebugLoc()->getInlinedAt());
  }
  void collect();
  /// What a block makes of \p Now; calls \p End for each place that ends by a
  /// store.
  void pass(MachineBasicBlock &MBB, BitVector &Now,
            function_ref<void(MachineInstr &, unsigned)> End) const;
  void propagate();

  MachineFunction &MF;
  const SpillSlots &Slots;
  SmallVector<Place, 0> Places;
  DenseMap<Variable, SmallVector<unsigned, 2>> OfVariable;
  DenseMap<unsigned, SmallVector<unsigned, 4>> OfSlot;
  DenseMap<const MachineBasicBlock *, BitVector> In;
};

} // namespace

void PlaceEnds::collect() {
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB) {
      auto Slot = MI.isDebugValue() ? Slots.placeOf(MI) : std::nullopt;
      if (!Slot)
        continue;
      Variable V = variableOf(MI);
      SmallVectorImpl<unsigned> &Of = OfVariable[V];
      if (any_of(Of, [&](unsigned P) { return Places[P].Slot == *Slot; }))
        continue;
      Of.push_back(Places.size());
      OfSlot[*Slot].push_back(Places.size());
      Places.push_back({V, *Slot, &MI});
    }
}

void PlaceEnds::pass(MachineBasicBlock &MBB, BitVector &Now,
                     function_ref<void(MachineInstr &, unsigned)> End) const {
  for (MachineInstr &MI : make_early_inc_range(MBB)) {
    if (MI.isDebugValue()) {
      auto Of = OfVariable.find(variableOf(MI));
      if (Of == OfVariable.end())
        continue;
      auto Slot = Slots.placeOf(MI);
      for (unsigned P : Of->second)
        Now[P] = Slot && Places[P].Slot == *Slot;
      continue;
    }
    auto Slot = Slots.writtenBy(MI);
    auto Of = Slot ? OfSlot.find(*Slot) : OfSlot.end();
    if (Of == OfSlot.end())
      continue;
    for (unsigned P : Of->second) {
      if (Now[P])
        End(MI, P);
      Now.reset(P);
    }
  }
}

void PlaceEnds::propagate() {
  for (MachineBasicBlock &MBB : MF)
    In[&MBB].resize(Places.size());
  SmallVector<MachineBasicBlock *> Work;
  for (MachineBasicBlock &MBB : reverse(MF))
    Work.push_back(&MBB);
  while (!Work.empty()) {
    MachineBasicBlock *MBB = Work.pop_back_val();
    BitVector Out = In[MBB];
    pass(*MBB, Out, [](MachineInstr &, unsigned) {});
    for (MachineBasicBlock *To : MBB->successors()) {
      BitVector &There = In[To];
      if (!Out.test(There))
        continue;
      There |= Out;
      Work.push_back(To);
    }
  }
}

void PlaceEnds::run() {
  collect();
  if (Places.empty())
    return;
  propagate();
  for (MachineBasicBlock &MBB : MF)
    pass(MBB, In[&MBB], [&](MachineInstr &Store, unsigned P) {
      MachineInstr *Nothing = MF.CloneMachineInstr(Places[P].Value);
      Nothing->setDebugValueUndef();
      MBB.insertAfter(Store.getIterator(), Nothing);
    });
}

void llvm::endSpillPlaces(MachineFunction &MF, const SpillSlots &Slots) {
  PlaceEnds(MF, Slots).run();
}
