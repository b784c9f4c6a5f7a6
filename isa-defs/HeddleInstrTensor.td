//===- HeddleInstrTensor.td - Tensor memory -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA's memory for matrices: who may use which part of it, its loads and
// stores, and the copies and products that one thread begins.
//
//===----------------------------------------------------------------------===//

def OP_TMEM : ISAOp<0xFA, LC_BAR, "Management of tensor memory",
  "ALLOC: allocates b columns, a power of two from 32 to 512, waits until there are as many, and writes the address to shared address a. FREE: the b columns at tensor address a are free again. With PAIR both CTAs of a pair do it together. With EXCL the columns are a multiple of 32 up to 576, and there is no other allocation as long as there is this one. GIVEUP: the CTA allocates no more. WAITLD, WAITST: the warp's LDTs (STTs) so far are done.">;
let isConvergent = 1, mayLoad = 1, mayStore = 1, hasSideEffects = 1 in
def TMEM : HInst<OP_TMEM, FormR, (outs),
    (ins GPR32:$a, GPR32:$b, TensorMemoryOp:$fn, CTAPair:$tpair,
         ExclusiveUse:$texcl),
    "$fn$tpair$texcl [$a], $b">;

defvar TensorTileMeaning = "registers num, num + 1 and so on, mcount of them, of the fragment that the shape gives the warp's lanes at tensor address a; of L16X32BX2 the second half is at a + b. Of the 128 lanes a warp reaches the 32 that its number in its four warps says; a first lane below 32 counts from these. ";

def OP_LDT : ISAOp<0xFB, LC_LDS, "Load from tensor memory",
  !strconcat("d = ", TensorTileMeaning, "PACK: a register is the low halves of two columns.")>;
let isConvergent = 1, mayLoad = 1 in
def LDT : HInst<OP_LDT, FormR, (outs GPR128:$d),
    (ins GPR32:$a, Imm24:$num, GPR32:$b, TensorShape:$tshape,
         MatrixCount:$mcount, TensorPack:$tpack),
    "$tshape$mcount$tpack $d, [$a, $num], $b">;

def OP_STT : ISAOp<0xFC, LC_LDS, "Store to tensor memory",
  !strconcat("c becomes ", TensorTileMeaning, "PACK: a register becomes two columns of 16 bits. It is done at the latest when TMEM.WAITST is.")>;
let isConvergent = 1, mayLoad = 1, mayStore = 1 in
def STT : HInst<OP_STT, FormR, (outs),
    (ins GPR32:$a, Imm24:$num, GPR32:$b, GPR128:$c, TensorShape:$tshape,
         MatrixCount:$mcount, TensorPack:$tpack),
    "$tshape$mcount$tpack [$a, $num], $b, $c">;

def OP_TMMA : ISAOp<0xFD, LC_MMA, "Matrix multiply and add in tensor memory",
  "D = A B + D, or where the third register of c is 0, A B, begun by one thread. D is at the tensor address in the first register of c; the second is the instruction descriptor (docs/matrix.md). A is in shared memory as the descriptor a says, or with TA at tensor address a; B is where b says. SP: the fourth register of c is the tensor address of the metadata, LUT: of the tables of values whose numbers B has. msv: the first two registers of e are those of the scales of A and B. STATIONARY: the other two are the descriptor of columns of zeros. D counts 2 to the -tdscale fold. DOWN: row n of A is the row below it. A lane whose bit is set in f, or for the second CTA of a pair in g, keeps its D.">;
let mayLoad = 1, mayStore = 1, hasSideEffects = 1 in
def TMMA : HInst<OP_TMMA, FormR, (outs),
    (ins GPR64:$a, GPR64:$b, GPR128:$c, GPR128:$e, GPR128:$f, GPR128:$g,
         TensorKind:$tkind, TensorA:$tmema, Stationary:$tws, CTAPair:$tpair,
         ShiftedA:$tash, TensorScale:$tdscale, MatrixScale:$msv, Sparse:$wsp,
         LookUpB:$tlut),
    "$tkind$tmema$tws$tpair$tash$tdscale$msv$wsp$tlut $a, $b, $c, $e, $f, $g">;

def OP_TCOPY : ISAOp<0xFE, LC_LDS, "Copy to tensor memory",
  "Copies rows from shared memory, where descriptor b says, to tensor address a, begun by one thread; docs/matrix.md says which rows come to which lanes. UNP6 (UNP4) makes 16 bytes of the first 12 (8), as LDSM. SHIFT: in the 32 lanes from a on, each but the last takes 32 bytes from the lane below. With PAIR in both CTAs of the pair, each from its own memory.">;
let mayLoad = 1, mayStore = 1, hasSideEffects = 1 in
def TCOPY : HInst<OP_TCOPY, FormR, (outs),
    (ins GPR32:$a, GPR64:$b, TensorCopy:$tcopy, Unpack:$munp, CTAPair:$tpair),
    "$tcopy$munp$tpair [$a], $b">;

def OP_TCOMMIT : ISAOp<0xFF, LC_LDS, "End of operations on tensor memory",
  "When the thread's TMMAs and TCOPYs so far are done, one arrival at the mbarrier at shared address a; MC: at this place in every CTA whose bit is set in b.">;
let mayLoad = 1, mayStore = 1, hasSideEffects = 1 in
def TCOMMIT : HInst<OP_TCOMMIT, FormR, (outs),
    (ins GPR32:$a, GPR32:$b, Multicast:$bmc), "$bmc [$a], $b">;
