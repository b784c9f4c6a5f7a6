//===- Heddle.td - The Heddle target -----------------------*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The LLVM target: the ISA of isa-defs/ with what only the compiler needs,
// which is pseudo instructions, selection patterns and calling conventions.
//
//===----------------------------------------------------------------------===//

include "HeddleISA.td"
include "HeddleCallingConv.td"
include "HeddlePseudos.td"
include "HeddlePatterns.td"

defm : RemapAllTargetPseudoPointerOperands<GPR64>;

def HeddleInstrInfo : InstrInfo;

def FeatureSinglePass
    : SubtargetFeature<"single-pass", "GeneratesInOnePass", "true",
                       "At -O0, generate functions in one pass over LLVM IR "
                       "where that is possible">;

// What a chip is comes from isa-defs/HeddleChips.td through heddle::isa; the
// processor's name is the chip's.
foreach C = ["hd100", "hd10", "h200-like", "h100-sxm-like",
             "h100-pcie-like", "a100-like", "l40-like", "rtx4090-like"] in
  def : ProcessorModel<C, NoSchedModel, []>;

def Heddle : Target {
  let InstructionSet = HeddleInstrInfo;
}
