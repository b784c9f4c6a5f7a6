//===- HeddleProbes.cpp - Probes on their way to the object -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of several branches in one block all but the last were folded.
//
//===----------------------------------------------------------------------===//

#include "HeddleProbes.h"

#include "HeddleInstrInfo.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/MC/MCStreamer.h"

using namespace llvm;
using heddle::pgo::ProbeKind;

HeddleProbes::Probe HeddleProbes::read(const MachineInstr &MI) {
  return {static_cast<uint64_t>(MI.getOperand(0).getImm()),
          static_cast<ProbeKind>(MI.getOperand(1).getImm()),
          static_cast<uint32_t>(MI.getOperand(2).getImm()), nullptr};
}

/// Whether threads may execute \p MI and not the rest of its block.
static bool mayEndThreads(const MachineInstr &MI) {
  return MI.isCall() || MI.getOpcode() == Heddle::EXIT_IF;
}

static bool isOfLaterInstruction(ProbeKind K) {
  return K == ProbeKind::Branch || K == ProbeKind::Call;
}

/// The probes from \p First on that every thread at \p First executes, too: the
/// scheduler may have moved them behind \p First.
void HeddleProbes::findAhead(const MachineInstr &First) {
  const MachineBasicBlock &MBB = *First.getParent();
  Block = &MBB;
  AheadUntil = nullptr;
  IsPastAhead = false;
  for (const MachineInstr &MI :
       make_range(MachineBasicBlock::const_iterator(First), MBB.end())) {
    if (MI.getOpcode() == Heddle::PROBE && !isOfLaterInstruction(read(MI).Kind))
      Waiting.push_back(read(MI));
    if (mayEndThreads(MI)) {
      AheadUntil = &MI;
      return;
    }
  }
}

void HeddleProbes::add(const MachineInstr &MI) {
  Probe P = read(MI);
  // Otherwise findAhead took it.
  bool IsNew =
      isOfLaterInstruction(P.Kind) || Block != MI.getParent() || IsPastAhead;
  if (P.Kind == ProbeKind::Branch)
    for (Probe &Earlier : Waiting)
      if (Earlier.Kind == ProbeKind::Branch)
        Earlier.Kind = ProbeKind::Straight;
  if (IsNew)
    Waiting.push_back(P);
}

template <typename Predicate>
void HeddleProbes::place(AsmPrinter &Printer, Predicate HasCome) {
  MCSymbol *Here = nullptr;
  erase_if(Waiting, [&](Probe P) {
    if (!HasCome(P))
      return false;
    if (!Here) {
      Here = Printer.OutContext.createTempSymbol();
      Printer.OutStreamer->emitLabel(Here);
    }
    P.Place = Here;
    Placed.push_back(P);
    return true;
  });
}

void HeddleProbes::placeBefore(const MachineInstr &Next, AsmPrinter &Printer) {
  if (Block != Next.getParent() || IsPastAhead)
    findAhead(Next);
  IsPastAhead = &Next == AheadUntil;
  if (Waiting.empty())
    return;
  bool IsBranch =
      Next.isConditionalBranch() || Next.getOpcode() == Heddle::EXIT_IF;
  bool IsCall = Next.getOpcode() == Heddle::CALLR;
  place(Printer, [&](const Probe &P) {
    return P.Kind == ProbeKind::Branch ? IsBranch
           : P.Kind == ProbeKind::Call ? IsCall
                                       : true;
  });
  // Behind the last instruction of a block there is nothing to wait for.
  if (&Next == &Next.getParent()->back())
    placeHere(Printer);
}

void HeddleProbes::placeHere(AsmPrinter &Printer) {
  for (Probe &P : Waiting)
    if (P.Kind == ProbeKind::Branch)
      P.Kind = ProbeKind::Straight;
  place(Printer, [](const Probe &P) { return P.Kind != ProbeKind::Call; });
  Waiting.clear();
}

void HeddleProbes::finish(AsmPrinter &Printer) {
  Block = nullptr;
  if (Placed.empty())
    return;
  MCStreamer &Out = *Printer.OutStreamer;
  Out.pushSection();
  Out.switchSection(Printer.OutContext.getELFSection(
      heddle::pgo::ProbeSectionName, ELF::SHT_PROGBITS, /*Flags=*/0));
  uint64_t Code = MD5Hash(Printer.CurrentFnSym->getName());
  for (const Probe &P : Placed) {
    Out.emitIntValue(P.Function, 8);
    Out.emitIntValue(Code, 8);
    Out.emitAbsoluteSymbolDiff(P.Place, Printer.CurrentFnSym, 4);
    Out.emitIntValue(P.Index, 4);
    Out.emitIntValue(static_cast<uint32_t>(P.Kind), 4);
    Out.emitIntValue(0, 4);
  }
  Out.popSection();
  Placed.clear();
}
