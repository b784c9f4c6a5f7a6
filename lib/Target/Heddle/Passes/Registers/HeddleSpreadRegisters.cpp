//===- HeddleSpreadRegisters.cpp - Registers in turn -----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An allocator that gives each value the first register that is free has them
// overwritten soon: the instruction that does so waits until all that read the
// old value have, and so does what the scheduler would have put in front of
// them. A load reads its address late, when there is a queue of them, and the
// loads behind it, whose addresses are computed in the same register, are on
// their way that much later.
//
//===----------------------------------------------------------------------===//

#include "Passes/Registers/HeddleSpreadRegisters.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleRegisterInfo.h"
#include "HeddleSubtarget.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/LiveRegMatrix.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include <limits>

using namespace llvm;

/// More than any function has instructions.
static constexpr int Always = std::numeric_limits<int>::max();

/// For how long Unit is free in front of Value or behind it, whichever is less;
/// 0: not for all of it.
static int roomAround(const LiveInterval &Value, LiveIntervalUnion &Unit) {
  if (Unit.empty())
    return Always;
  SlotIndex Begin = Value.beginIndex(), End = Value.endIndex();
  int Room = Always;
  LiveIntervalUnion::SegmentIter Next = Unit.find(Begin);
  if (Next.valid()) {
    if (Next.start() < End)
      return 0;
    Room = End.distance(Next.start());
  }
  if (Unit.startIndex() >= Begin)
    return Room;
  LiveIntervalUnion::SegmentIter Before = Next;
  --Before;
  return std::min(Room, Before.stop().distance(Begin));
}

void llvm::addRegistersInTurn(Register Value, ArrayRef<MCPhysReg> Order,
                              const MachineFunction &MF,
                              const LiveRegMatrix &Matrix,
                              SmallVectorImpl<MCPhysReg> &Hints) {
  const auto &Info = *MF.getInfo<HeddleMachineFunctionInfo>();
  const TargetRegisterClass &RC = *MF.getRegInfo().getRegClass(Value);
  if (!Info.SpreadOver || !HeddleRegisterInfo::isGeneral(RC))
    return;
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  // Asking a matrix where registers are used does not change it.
  LiveIntervalUnion *Units =
      const_cast<LiveRegMatrix &>(Matrix).getLiveUnions();
  const LiveInterval &Life = Info.Lives->getInterval(Value);
  unsigned Size = TRI.getRegSizeInBits(RC) / 32;
  SmallVector<std::pair<int, MCPhysReg>, 64> Free;
  for (MCPhysReg R : Order) {
    if (TRI.getEncodingValue(R) + Size > Info.SpreadOver ||
        is_contained(Hints, R))
      continue;
    int Room = Always;
    for (MCRegUnit Unit : TRI.regunits(R))
      Room =
          std::min(Room, roomAround(Life, Units[static_cast<unsigned>(Unit)]));
    if (Room != 0)
      Free.push_back({-Room, R});
  }
  llvm::sort(Free);
  for (auto [Room, R] : Free)
    Hints.push_back(R);
}
