//===- HeddleMCTargetDesc.cpp - MC layer of the target ---------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the target and the parts of its MC layer.
//
//===----------------------------------------------------------------------===//

#include "HeddleMCTargetDesc.h"
#include "heddle/Target/HeddleTarget.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/MC/MCAsmInfoELF.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"
#include <mutex>
#include <vector>

using namespace llvm;

#define GET_INSTRINFO_MC_DESC
#define ENABLE_INSTR_PREDICATE_VERIFIER
#include "HeddleGenInstrInfo.inc"

#define GET_SUBTARGETINFO_MC_DESC
#include "HeddleGenSubtargetInfo.inc"

#define GET_REGINFO_MC_DESC
#include "HeddleGenRegisterInfo.inc"

Target &heddle::getTheHeddleTarget() {
  static Target TheTarget;
  return TheTarget;
}

static MCInstrInfo *createInstrInfo() {
  auto *Info = new MCInstrInfo();
  InitHeddleMCInstrInfo(Info);
  return Info;
}

static MCRegisterInfo *createRegisterInfo(const Triple &) {
  auto *Info = new MCRegisterInfo();
  InitHeddleMCRegisterInfo(Info, Heddle::R2_64);
  return Info;
}

static MCSubtargetInfo *createSubtargetInfo(const Triple &TT, StringRef CPU,
                                            StringRef FS) {
  if (CPU.empty())
    CPU = "hd100";
  return createHeddleMCSubtargetInfoImpl(TT, CPU, /*TuneCPU=*/CPU, FS);
}

namespace {
struct AsmInfo : MCAsmInfoELF {};
} // namespace

static MCAsmInfo *createAsmInfo(const MCRegisterInfo &, const Triple &,
                                const MCTargetOptions &) {
  return new AsmInfo();
}

static void registerMC() {
  Target &T = heddle::getTheHeddleTarget();
  // The triple heddle-unknown-unknown has no architecture of LLVM's own.
  RegisterTarget<Triple::UnknownArch> X(T, "heddle", "Heddle SIMT ISA",
                                        "Heddle");
  TargetRegistry::RegisterMCAsmInfo(T, createAsmInfo);
  TargetRegistry::RegisterMCInstrInfo(T, createInstrInfo);
  TargetRegistry::RegisterMCRegInfo(T, createRegisterInfo);
  TargetRegistry::RegisterMCSubtargetInfo(T, createSubtargetInfo);
}

void heddle::initializeHeddleMC() {
  static std::once_flag Once;
  std::call_once(Once, registerMC);
}

const heddle::isa::InstInfo *Heddle::getInstInfo(unsigned Opcode) {
  static const std::vector<const heddle::isa::InstInfo *> Table = [] {
    StringMap<const heddle::isa::InstInfo *> ByName;
    for (const heddle::isa::InstInfo &I : heddle::isa::instructions())
      ByName[StringRef(I.Name.data(), I.Name.size())] = &I;
    MCInstrInfo Names;
    InitHeddleMCInstrInfo(&Names);
    std::vector<const heddle::isa::InstInfo *> T(Heddle::INSTRUCTION_LIST_END);
    for (unsigned Op = 0; Op != Heddle::INSTRUCTION_LIST_END; ++Op)
      T[Op] = ByName.lookup(Names.getName(Op));
    return T;
  }();
  return Table[Opcode];
}
