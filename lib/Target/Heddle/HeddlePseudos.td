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
def heddle_call : SDNode<"HeddleISD::CALL", SDT_Call,
                         [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue, SDNPVariadic]>;
def heddle_syscall : SDNode<"HeddleISD::SYSCALL", SDT_Call,
                            [SDNPHasChain, SDNPOptInGlue, SDNPOutGlue, SDNPVariadic]>;

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
let isReturn = 1, isTerminator = 1, isBarrier = 1, Uses = [R2_64] in
def PRET : HPseudo<(outs), (ins variable_ops)>;

// An unconditional BRA, which is told apart because control never falls
// through. The encoder writes a BRA.
let isBranch = 1, isTerminator = 1, isBarrier = 1 in
def JMP : HPseudo<(outs), (ins BrTarget:$tgt, PGuard:$pg, GuardNot:$pgn, Ctl:$ctl)>;

//===----------------------------------------------------------------------===//
// Spills that need a second register
//===----------------------------------------------------------------------===//

let mayStore = 1 in {
def SPILL_PR : HPseudo<(outs), (ins PR:$s, i32imm:$fi)>;
def SPILL_BR : HPseudo<(outs), (ins BR:$a, i32imm:$fi)>;
}
let mayLoad = 1 in {
def RELOAD_PR : HPseudo<(outs PR:$p), (ins i32imm:$fi)>;
def RELOAD_BR : HPseudo<(outs BR:$d), (ins i32imm:$fi)>;
}
