//===- HeddleSpillPlaces.h - Spilled values, for debuggers ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says debuggers where a spilled value is, in local or in shared memory, and
// how long.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLESPILLPLACES_H
#define HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLESPILLPLACES_H

#include "HeddleMachineFunctionInfo.h"
#include "llvm/ADT/DenseMap.h"

namespace llvm {

/// Drops values of debuggers in slots that are kept elsewhere by now, and those
/// that are computed of several places of which one is a slot.
void dropUnknownSlots(MachineFunction &MF);

/// Lets a debug value of a stack slot say that each thread has the slot in
/// shared memory, at its number times the slot's size behind \p At. R1 is the
/// number. Where the debug value computes with what is in the slot, its
/// variable has no value.
void moveToShared(MachineInstr &DebugValue,
                  const HeddleMachineFunctionInfo::SharedSlot &At);

/// Knows stack slots of spilled values again once the frame is laid out. A
/// slot is named by a number that no register has.
class SpillSlots {
public:
  explicit SpillSlots(const MachineFunction &MF);

  /// The slot that an instruction writes.
  std::optional<unsigned> writtenBy(const MachineInstr &MI) const;
  /// The slot that a debug value has its value in.
  std::optional<unsigned> placeOf(const MachineInstr &DebugValue) const;

private:
  std::optional<unsigned> at(bool IsShared, int64_t Offset) const;

  struct Range {
    unsigned Slot;
    int64_t Begin, End; ///< offsets; in shared memory those of a thread
  };
  Register Base;
  SmallVector<Range, 0> Local, Shared;
};

/// Ends the places in slots where other values are put into these. LLVM does
/// so for registers.
void endSpillPlaces(MachineFunction &MF, const SpillSlots &Slots);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_PASSES_BLOCKS_HEDDLESPILLPLACES_H
