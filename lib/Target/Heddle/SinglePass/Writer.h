//===- Writer.h - Instructions with their control fields --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Appends instructions to a function's code and fills in their control fields,
// so that the rules of docs/hazards.md hold. Within a block the writer knows
// what is pending; at the end of a block it waits for all of that.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_WRITER_H
#define HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_WRITER_H

#include "SinglePass.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <array>

namespace heddle::singlepass {

/// The predicate under which an instruction is executed.
struct Guard {
  unsigned Predicate = 7; ///< PT
  bool Negated = false;
};

class Writer {
public:
  Writer(Code &Out, const isa::ChipInfo &Chip) : Out(Out), Chip(Chip) {}

  /// Appends an instruction; \p Operands lack guard and control field.
  void emit(unsigned Opcode, llvm::ArrayRef<Operand> Operands, Guard G = {});
  /// Appends an instruction behind which nothing is pending.
  void emitDrained(unsigned Opcode, llvm::ArrayRef<Operand> Operands,
                   Guard G = {});
  /// Waits for all that is pending, so that a label may follow.
  void drain();
  /// What is emitted from now on is for a place in the source.
  void setLocation(const llvm::DILocation *L) { Location = L; }
  /// Whether an instruction that was issued is still to read or to write the
  /// register.
  bool isBusy(unsigned Register) const;
  unsigned makeLabel() { return Out.NumLabels++; }
  /// Places a label. Nothing is pending here.
  void place(unsigned Label);

private:
  /// Registers one by one: R0 to R254, P0 to P6 from FirstPredicate on, and B0
  /// to B15 from FirstBarrier on.
  static constexpr unsigned FirstPredicate = 256, FirstBarrier = 264,
                            NumUnits = 280;
  static constexpr unsigned MaxStall = 15;

  struct Units {
    llvm::SmallVector<uint16_t, 12> Reads, Writes;
  };
  static void addUnits(llvm::SmallVectorImpl<uint16_t> &List,
                       isa::OperandKind Kind, int64_t Number);
  static Units unitsOf(const isa::InstInfo &Info,
                       llvm::ArrayRef<Operand> Operands, Guard G);
  unsigned countersFor(const Units &U) const;
  uint64_t earliestIssue(const Units &U, bool Variable, unsigned Latency) const;
  unsigned chooseCounter();
  void waitFor(unsigned Mask);
  /// Notes what an instruction that issues now leaves pending.
  isa::Control issue(const isa::InstInfo &Info, const Units &U);
  void append(unsigned Opcode, llvm::ArrayRef<Operand> Operands, Guard G,
              isa::Control Ctl);
  /// Has the last instruction stall until the clock is at \p Time.
  void stallUntil(uint64_t Time);

  /// A counter's use: who waited for the counter since ended it.
  struct Pending {
    uint8_t Counter = isa::NoCounter;
    uint32_t Era = 0;
  };
  bool isPending(Pending P) const {
    return P.Counter != isa::NoCounter && Eras[P.Counter] == P.Era;
  }

  Code &Out;
  const isa::ChipInfo &Chip;
  const llvm::DILocation *Location = nullptr, *LastLocation = nullptr;
  uint64_t LastIssue = 0, Clock = 0;
  bool HasLast = false; ///< an instruction whose stall count may grow
  isa::Control LastControl;
  uint64_t LatestResult = 0;
  std::array<uint64_t, NumUnits> VisibleAt{}; ///< results of fixed latency
  std::array<Pending, NumUnits> Result;
  /// The counters under which each register is still to be read.
  std::array<std::array<uint32_t, isa::NumCounters>, NumUnits> ReadEra{};
  std::array<uint32_t, isa::NumCounters> Eras{1, 1, 1, 1, 1, 1};
  unsigned InUse = 0; ///< a mask of counters
  unsigned NextCounter = 0;
};

} // namespace heddle::singlepass

#endif // HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_WRITER_H
