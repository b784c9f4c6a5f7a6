//===- HeddleAsmPrinter.cpp - From machine code to MC ----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits functions, variables and metadata through the MC layer.
//
//===----------------------------------------------------------------------===//

#include "Heddle.h"
#include "HeddleMCInstLower.h"
#include "HeddleSubtarget.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/TargetRegistry.h"

using namespace llvm;

namespace {

class HeddleAsmPrinter : public AsmPrinter {
public:
  static char ID;
  HeddleAsmPrinter(TargetMachine &TM, std::unique_ptr<MCStreamer> Streamer)
      : AsmPrinter(TM, std::move(Streamer), ID) {}

  StringRef getPassName() const override { return "Heddle assembly printer"; }

  void emitInstruction(const MachineInstr *MI) override {
    MCInst Inst;
    lowerHeddleMachineInstr(*MI, Inst, *this);
    EmitToStreamer(*OutStreamer, Inst);
  }
};

} // namespace

char HeddleAsmPrinter::ID = 0;
INITIALIZE_PASS(HeddleAsmPrinter, "heddle-asm-printer",
                "Heddle assembly printer", false, false)

namespace llvm {
void registerHeddleAsmPrinter(Target &T) {
  RegisterAsmPrinter<HeddleAsmPrinter> X(T);
}
} // namespace llvm
