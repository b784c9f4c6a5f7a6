//===- HeddleMCTargetDesc.cpp - MC layer of the target ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the MC layer's objects and puts their factories into the target.
//
//===----------------------------------------------------------------------===//

#include "HeddleMCTargetDesc.h"

#include "HeddleInstPrinter.h"
#include "HeddleMCAsmInfo.h"
#include "HeddleTargetStreamer.h"
#include "heddle/Target/HeddleTarget.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"

#include <mutex>

using namespace llvm;
namespace isa = heddle::isa;

#define GET_INSTRINFO_MC_DESC
#define GET_INSTRINFO_MC_HELPERS
#include "HeddleGenInstrInfo.inc"

#define GET_SUBTARGETINFO_MC_DESC
#include "HeddleGenSubtargetInfo.inc"

#define GET_REGINFO_MC_DESC
#include "HeddleGenRegisterInfo.inc"

namespace {

/// Tells tools where branches and calls go.
class HeddleMCInstrAnalysis : public MCInstrAnalysis {
public:
  using MCInstrAnalysis::MCInstrAnalysis;

  bool evaluateBranch(const MCInst &Inst, uint64_t Addr, uint64_t Size,
                      uint64_t &Target) const override {
    const isa::InstInfo *Info = Heddle::getInstInfo(Inst.getOpcode());
    if (!Info)
      return false;
    for (unsigned I = 0; I < Info->Operands.size(); ++I)
      if (Info->Operands[I].Kind == isa::OperandKind::Target &&
          Inst.getOperand(I).isImm()) {
        Target = Addr + Size + Inst.getOperand(I).getImm();
        return true;
      }
    return false;
  }
};

MCInstrInfo *createMCInstrInfo() {
  auto *Info = new MCInstrInfo();
  InitHeddleMCInstrInfo(Info);
  return Info;
}

MCRegisterInfo *createMCRegisterInfo(const Triple &) {
  return createHeddleMCRegisterInfo();
}

MCSubtargetInfo *createMCSubtargetInfo(const Triple &TT, StringRef CPU,
                                       StringRef Features) {
  if (CPU.empty() || CPU == "generic")
    CPU = isa::chips().front().Name;
  return createHeddleMCSubtargetInfoImpl(TT, CPU, /*TuneCPU=*/CPU, Features);
}

MCAsmInfo *createMCAsmInfo(const MCRegisterInfo &, const Triple &,
                           const MCTargetOptions &) {
  return new HeddleMCAsmInfo();
}

MCInstPrinter *createMCInstPrinter(const Triple &, unsigned SyntaxVariant,
                                   const MCAsmInfo &MAI, const MCInstrInfo &MII,
                                   const MCRegisterInfo &MRI) {
  return SyntaxVariant == 0 ? new HeddleInstPrinter(MAI, MII, MRI) : nullptr;
}

MCInstrAnalysis *createMCInstrAnalysis(const MCInstrInfo *Info) {
  return new HeddleMCInstrAnalysis(Info);
}

void registerAll(Target &T) {
  TargetRegistry::RegisterTarget(
      T, "heddle", "Heddle SIMT", "Heddle",
      [](Triple::ArchType Arch) { return Arch == Triple::UnknownArch; });
  TargetRegistry::RegisterMCAsmInfo(T, createMCAsmInfo);
  TargetRegistry::RegisterMCInstrInfo(T, createMCInstrInfo);
  TargetRegistry::RegisterMCRegInfo(T, createMCRegisterInfo);
  TargetRegistry::RegisterMCSubtargetInfo(T, createMCSubtargetInfo);
  TargetRegistry::RegisterMCInstPrinter(T, createMCInstPrinter);
  TargetRegistry::RegisterMCInstrAnalysis(T, createMCInstrAnalysis);
  TargetRegistry::RegisterMCCodeEmitter(T, createHeddleMCCodeEmitter);
  TargetRegistry::RegisterMCAsmBackend(T, createHeddleAsmBackend);
  TargetRegistry::RegisterObjectTargetStreamer(
      T, createHeddleObjectTargetStreamer);
  TargetRegistry::RegisterAsmTargetStreamer(T, createHeddleAsmTargetStreamer);
  TargetRegistry::RegisterNullTargetStreamer(T, createHeddleNullTargetStreamer);
  TargetRegistry::RegisterMCDisassembler(T, createHeddleDisassembler);
  TargetRegistry::RegisterMCAsmParser(T, createHeddleAsmParser);
}

} // namespace

MCRegisterInfo *llvm::createHeddleMCRegisterInfo() {
  auto *Info = new MCRegisterInfo();
  InitHeddleMCRegisterInfo(Info, /*RA=*/Heddle::R2);
  return Info;
}

Target &heddle::getTheHeddleTarget() {
  static Target TheTarget;
  return TheTarget;
}

void heddle::initializeHeddleMC() {
  static std::once_flag Once;
  std::call_once(Once, [] { registerAll(getTheHeddleTarget()); });
}
