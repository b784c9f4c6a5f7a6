//===- HeddleSubtarget.cpp - The chip that code is made for ----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers the target's descriptions of one chip.
//
//===----------------------------------------------------------------------===//

#include "HeddleSubtarget.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/CodeGen/MachineScheduler.h"
#include "llvm/CodeGen/ScheduleDAG.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

#define GET_SUBTARGETINFO_TARGET_DESC
#define GET_SUBTARGETINFO_CTOR
#include "HeddleGenSubtargetInfo.inc"

static const heddle::isa::ChipInfo &chipOrDefault(StringRef CPU) {
  // Names are checked where options are parsed; LLVM itself warns about an
  // unknown one and goes on, so there must be a chip to go on with.
  if (const heddle::isa::ChipInfo *C =
          heddle::isa::findChip({CPU.data(), CPU.size()}))
    return *C;
  return heddle::isa::chips().front();
}

HeddleSubtarget::HeddleSubtarget(const Triple &TT, StringRef CPU, StringRef FS,
                                 const TargetMachine &TM, bool AllocatesFromEnd)
    : HeddleGenSubtargetInfo(TT, CPU, /*TuneCPU=*/CPU, FS),
      Chip(chipOrDefault(CPU)), RegInfo(AllocatesFromEnd), InstrInfo(*this),
      TLInfo(TM, *this) {
  ParseSubtargetFeatures(CPU, /*TuneCPU=*/CPU, FS);
}

void HeddleSubtarget::overrideSchedPolicy(MachineSchedPolicy &Policy,
                                          const SchedRegion &Region) const {
  using namespace heddle::tuning;
  enum : int64_t { FromBottom, FromTop, FromBothEnds };
  const Function &F = Region.RegionBegin->getMF()->getFunction();
  int64_t Direction = knobOf(F, Knob::ScheduleDirection);
  Policy.OnlyBottomUp = Direction == FromBottom;
  Policy.OnlyTopDown = Direction == FromTop;
  Policy.ShouldTrackPressure &= knobOf(F, Knob::SchedulePressure) != 0;
  Policy.DisableLatencyHeuristic = knobOf(F, Knob::ScheduleLatency) == 0;
}

void HeddleSubtarget::adjustSchedDependency(SUnit *Def, int, SUnit *, int,
                                            SDep &Dep,
                                            const TargetSchedModel *) const {
  const MachineInstr *MI = Def->getInstr();
  if (Dep.getKind() != SDep::Data || !MI)
    return;
  if (const heddle::isa::InstInfo *Info =
          HeddleInstrInfo::getISAInfo(MI->getOpcode()))
    Dep.setLatency(Chip.Timings[static_cast<size_t>(Info->Latency)].Latency);
}
