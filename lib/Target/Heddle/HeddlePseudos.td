//===- HeddlePseudos.td - Instructions that never reach the encoder -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code generator needs besides the ISA, and the nodes of selection
// that have no equivalent in LLVM.
//
//===----------------------------------------------------------------------===//

class HPseudo<dag outs, dag inputs, list<dag> pattern = []> : Instruction {
  let Namespace = "Heddle";
  let isPseudo = 1;
  let isCodeGenOnly = 1;
  let OutOperandList = outs;
  let InOperandList = inputs;
  let Pattern = pattern;
  let hasSideEffects = 0;
  let mayLoad = 0;
  let mayStore = 0;
  let Size = 16;
  let UseNamedOperandTable = 1;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

def SDT_CallSeqStart : SDCallSeqStart<[SDTCisVT<0, i32>, SDTCisVT<1, i32>]>;
def SDT_CallSeqEnd : SDCallSeqEnd<[SDTCisVT<0, i32>, SDTCisVT<1, i32>]>;
def callseq_start : SDNode<"ISD::CALLSEQ_START", SDT_CallSeqStart,
                           [SDNPHasChain, SDNPOutGlue]>;
def callseq_end : SDNode<"ISD::CALLSEQ_END", SDT_CallSeqEnd,
                         [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue]>;

// The end of a kernel's thread, and the return from a function.
def heddle_exit : SDNode<"HeddleISD::EXIT", SDTNone, [SDNPHasChain]>;
def heddle_ret : SDNode<"HeddleISD::RET", SDTNone,
                        [SDNPHasChain, SDNPOptInGlue, SDNPVariadic]>;
// A call of a symbol or of an address; a call of the system by number.
def SDT_Call : SDTypeProfile<0, -1, []>;
def SDT_SysCall : SDTypeProfile<0, -1, [SDTCisVT<0, i32>]>;
def heddle_call : SDNode<"HeddleISD::CALL", SDT_Call,
                         [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue, SDNPVariadic]>;
def heddle_syscall : SDNode<"HeddleISD::SYSCALL", SDT_SysCall,
                            [SDNPMayLoad, SDNPMayStore, SDNPSideEffect, SDNPHasChain, SDNPOptInGlue, SDNPOutGlue, SDNPVariadic]>;

// Shifts by any amount: those past the width leave zero (or the sign).
def SDT_Shift : SDTypeProfile<1, 2, [SDTCisSameAs<0, 1>, SDTCisInt<0>, SDTCisVT<2, i32>]>;
def heddle_shl : SDNode<"HeddleISD::SHL_CLAMP", SDT_Shift>;
def heddle_srl : SDNode<"HeddleISD::SRL_CLAMP", SDT_Shift>;
def heddle_sra : SDNode<"HeddleISD::SRA_CLAMP", SDT_Shift>;
// A subnormal f32 as zero of its sign.
def heddle_flush : SDNode<"HeddleISD::FLUSH",
                          SDTypeProfile<1, 1, [SDTCisVT<0, f32>, SDTCisVT<1, f32>]>>;
// A 16-bit floating value as the low half of 32 bits, and back.
def heddle_half_bits : SDNode<"HeddleISD::HALF_BITS",
                              SDTypeProfile<1, 1, [SDTCisVT<0, i32>, SDTCisFP<1>]>>;
def heddle_bits_half : SDNode<"HeddleISD::BITS_HALF",
                              SDTypeProfile<1, 1, [SDTCisFP<0>, SDTCisVT<1, i32>]>>;
// A branch to one of a table's targets.
def heddle_brx : SDNode<"HeddleISD::BRX", SDTypeProfile<0, 2, [SDTCisVT<0, i64>]>,
                        [SDNPHasChain]>;
// The address of a symbol; 64 bits, or an offset in a 32-bit space.
def heddle_address : SDNode<"HeddleISD::ADDRESS", SDTypeProfile<1, 1, []>>;
// A special register by number; the second form is read each time.
def SDT_SReg : SDTypeProfile<1, 1, [SDTCisVT<1, i32>]>;
def heddle_sreg : SDNode<"HeddleISD::SREG", SDT_SReg>;
def heddle_sreg_chain : SDNode<"HeddleISD::SREG_CHAIN", SDT_SReg,
                               [SDNPHasChain, SDNPSideEffect]>;

//===----------------------------------------------------------------------===//
// Calls and frames
//===----------------------------------------------------------------------===//

let Defs = [R1], Uses = [R1], hasSideEffects = 1 in {
def ADJCALLSTACKDOWN : HPseudo<(outs), (ins i32imm:$amt, i32imm:$amt2),
                               [(callseq_start timm:$amt, timm:$amt2)]>;
def ADJCALLSTACKUP : HPseudo<(outs), (ins i32imm:$amt, i32imm:$amt2),
                             [(callseq_end timm:$amt, timm:$amt2)]>;
}

// Become CALL, CALLR and RET, whose return address is an explicit operand,
// after register allocation.
let isCall = 1, Defs = [R2_64], Uses = [R1], hasSideEffects = 1 in {
def PCALL : HPseudo<(outs), (ins CallTarget:$tgt, variable_ops)>;
def PCALLR : HPseudo<(outs), (ins GPR64:$a, variable_ops)>;
}
// The return address is kept like a callee-saved register.
let isReturn = 1, isTerminator = 1, isBarrier = 1 in
def PRET : HPseudo<(outs), (ins variable_ops)>;

// An unconditional BRA, which is told apart because control never falls
// through. The encoder writes a BRA.
let isBranch = 1, isTerminator = 1, isBarrier = 1 in
def JMP : HPseudo<(outs), (ins BrTarget:$tgt, PGuard:$pg, GuardNot:$pgn, Ctl:$ctl)>;
// A BRX to an entry of the table that follows it: an unconditional BRA for each
// target of the jump table, in its compact form. Written twice the table's label would be, too.
let isBranch = 1, isIndirectBranch = 1, isTerminator = 1, isBarrier = 1, isNotDuplicable = 1 in
def BRX_TABLE : HPseudo<(outs), (ins GPR64:$a, i32imm:$table, PGuard:$pg, GuardNot:$pgn, Ctl:$ctl)>;
// A guarded EXIT, which is told apart because control may go on behind it.
let hasSideEffects = 1 in
def EXIT_IF : HPseudo<(outs), (ins PGuard:$pg, GuardNot:$pgn, Ctl:$ctl)>;

//===----------------------------------------------------------------------===//
// Spills that need a second register
//===----------------------------------------------------------------------===//

let mayStore = 1 in {
def SPILL_PR : HPseudo<(outs), (ins PR:$s, i32imm:$fi)>;
def SPILL_BR : HPseudo<(outs), (ins BR:$a, i32imm:$fi)>;
}
let mayStore = 1 in {
def SPILL_UP : HPseudo<(outs), (ins UPR:$s, i32imm:$fi)>;
def SPILL_UR : HPseudo<(outs), (ins UGPR32:$b, i32imm:$fi)>;
def SPILL_UR64 : HPseudo<(outs), (ins UGPR64:$b, i32imm:$fi)>;
def SPILL_UR128 : HPseudo<(outs), (ins UGPR128:$b, i32imm:$fi)>;
}
let mayLoad = 1 in {
def RELOAD_UP : HPseudo<(outs UPR:$p), (ins i32imm:$fi)>;
def RELOAD_UR : HPseudo<(outs UGPR32:$d), (ins i32imm:$fi)>;
def RELOAD_UR64 : HPseudo<(outs UGPR64:$d), (ins i32imm:$fi)>;
def RELOAD_UR128 : HPseudo<(outs UGPR128:$d), (ins i32imm:$fi)>;
def RELOAD_PR : HPseudo<(outs PR:$p), (ins i32imm:$fi)>;
def RELOAD_BR : HPseudo<(outs BR:$d), (ins i32imm:$fi)>;
}

//===----------------------------------------------------------------------===//
// A place that nothing is scheduled over; see HeddleSchedulingLimits.cpp.
//===----------------------------------------------------------------------===//

let isMeta = 1, hasSideEffects = 1, Size = 0 in
def SCHEDULING_LIMIT : HPseudo<(outs), (ins)>;

//===----------------------------------------------------------------------===//
// S2R and S2R64 of registers that change: reads are neither merged nor moved.
//===----------------------------------------------------------------------===//

let hasSideEffects = 1 in {
def S2R_VOLATILE : HPseudo<(outs GPR32:$d), (ins UImm8:$b, PGuard:$pg, GuardNot:$pgn, Ctl:$ctl)>;
def S2R64_VOLATILE : HPseudo<(outs GPR64:$d), (ins UImm8:$b, PGuard:$pg, GuardNot:$pgn, Ctl:$ctl)>;
}

//===----------------------------------------------------------------------===//
// A vote on which threads run together: on both sides of a branch it must not
// become one vote before the branch.
//===----------------------------------------------------------------------===//

let hasSideEffects = 1, isConvergent = 1 in
def VOTE_HERE : HPseudo<(outs GPR32:$d, PR:$p),
                        (ins VoteMode:$fn, PR:$s, Not:$sn, Imm32:$b, PGuard:$pg, GuardNot:$pgn, Ctl:$ctl)>;

//===----------------------------------------------------------------------===//
// Code of a line that was generated in one pass: a part of what is in
// HeddleMachineFunctionInfo.h.
//===----------------------------------------------------------------------===//

let hasSideEffects = 1 in
def GENERATED : HPseudo<(outs), (ins i32imm:$first, i32imm:$count)>;

//===----------------------------------------------------------------------===//
// A place where a profile counts, which takes no bytes; see HeddleProbes.h.
//===----------------------------------------------------------------------===//

let isMeta = 1, hasSideEffects = 1, Size = 0 in
def PROBE : HPseudo<(outs), (ins i64imm:$function, i32imm:$kind, i32imm:$index)>;
