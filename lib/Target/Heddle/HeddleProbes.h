//===- HeddleProbes.h - Probes on their way to the object -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A probe becomes the address of an instruction of its own block, so that only
// threads that are in the block come to it: of the first one that all threads
// that come to the probe have to pass. Probes of branches and of calls become
// the address of the branch and of the call.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPROBES_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPROBES_H

#include "heddle/ProfileData/Probes.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/MachineInstr.h"

namespace llvm {

/// The probes of one function at a time.
class HeddleProbes {
public:
  /// Puts probes before \p Next, if that is their place.
  void placeBefore(const MachineInstr &Next, AsmPrinter &Printer);
  /// Whether \p MBB ends while probes wait for an instruction of it. One has to
  /// be emitted then, and placeHere called before.
  bool areWaiting() const { return !Waiting.empty(); }
  void placeHere(AsmPrinter &Printer);
  /// Takes a PROBE, which may have got its place before.
  void add(const MachineInstr &MI);
  /// Emits the function's records.
  void finish(AsmPrinter &Printer);

private:
  struct Probe {
    uint64_t Function;
    heddle::pgo::ProbeKind Kind;
    uint32_t Index;
    MCSymbol *Place;
  };
  static Probe read(const MachineInstr &MI);
  template <typename Predicate>
  void place(AsmPrinter &Printer, Predicate HasCome);
  void findAhead(const MachineInstr &First);

  SmallVector<Probe, 4> Waiting;
  SmallVector<Probe, 16> Placed;
  /// What findAhead has looked at: a block, up to an instruction of it.
  const MachineBasicBlock *Block = nullptr;
  const MachineInstr *AheadUntil = nullptr;
  bool IsPastAhead = false; ///< That instruction was emitted.
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEPROBES_H
