//===- HeddleInstrMatrix.td - Matrices -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix is spread over the registers of a warp, each lane holding a
// fragment; include/heddle/ISA/Fragments.def says which elements. The lanes of
// the warp execute these together.
//
//===----------------------------------------------------------------------===//

defvar MmaMeaning = "D = A B + C. A has mshape's M rows and K columns, B K rows and N columns; mta and mtb are their element types, mtd that of D. docs/matrix.md has the layouts and the arithmetic. INT results wrap, or with SAT are clamped; B1 counts the ones of the conjunction (AND) or difference (XOR) of bits.";

let Behind = FLOW_Fault in
def OP_MMA : ISAOp<0x6C, LC_MMA, "Matrix multiply and add",
  MmaMeaning#" mtc is the type of C. M8N8K4 of F16 is four products at once, one for each group of eight lanes; la and lb say whether A and B stand by rows or by columns, and of D and C in F32 part says which half of the eight registers.">;
let isConvergent = 1 in
def MMA : HInst<OP_MMA, FormR, (outs GPR128:$d),
    (ins GPR128:$a, GPR64:$b, GPR128:$c, MatrixShape:$mshape,
         MatrixElement:$mta, MatrixElement:$mtb, MatrixResult:$mtd,
         MatrixResult:$mtc, BitMultiply:$mbop, Sat:$msat, MatrixLayout:$la,
         MatrixLayout:$lb, RegisterHalf:$part),
    "$mshape$mtd$mta$mtb$mtc$mbop$msat$la$lb$part $d, $a, $b, $c">;

// The same where D and C have two registers, so that the next two may hold
// something else.
let Behind = FLOW_Fault in
def OP_MMA64 : ISAOp<0x6A, LC_MMA, "Matrix multiply and add, two registers of sums",
  MmaMeaning#" mtd is C's type, too. For D of two registers a lane: F16 of 16 rows and INT of 8.">;
let isConvergent = 1 in
def MMA64 : HInst<OP_MMA64, FormR, (outs GPR64:$d),
    (ins GPR128:$a, GPR64:$b, GPR64:$c, MatrixShape:$mshape,
         MatrixElement:$mta, MatrixElement:$mtb, MatrixResult:$mtd,
         BitMultiply:$mbop, Sat:$msat),
    "$mshape$mtd$mta$mtb$mbop$msat $d, $a, $b, $c">;

let Behind = FLOW_Fault in
def OP_MMASP : ISAOp<0x6D, LC_MMA, "Sparse matrix multiply and add",
  MmaMeaning#" mtd is C's type, too. Of each chunk of A (4 elements, 2 of TF32, 8 of 4 bits) half is zero and not there; e says which, 4 bits a chunk, in the lanes that mpair names. With msv every chunk of a row of A and of a column of B has a scale, in f and g.">;
let isConvergent = 1 in
def MMASP : HInst<OP_MMASP, FormR, (outs GPR128:$d),
    (ins GPR128:$a, GPR128:$b, GPR128:$c, GPR32:$e, GPR32:$f, GPR32:$g,
         MatrixShape:$mshape, MatrixElement:$mta, MatrixElement:$mtb,
         MatrixResult:$mtd, Sat:$msat, MatrixScale:$msv, ScaleType:$mst,
         LaneSelector:$mpair),
    "$mshape$mtd$mta$mtb$msat$msv$mst$mpair $d, $a, $b, $c, $e, $f, $g">;

def OP_DMMA : ISAOp<0x6E, LC_DMMA, "Double-precision matrix multiply and add",
  "D = A B + C in double precision, of 8 x 8 x 4: each element of D is the sum of C's and the products in the order of K, one fused multiply and add after the other.">;
let isConvergent = 1 in
def DMMA : HInst<OP_DMMA, FormR, (outs GPR128:$d),
    (ins GPR64:$a, GPR64:$b, GPR128:$c, Rnd:$mrnd), "$mrnd $d, $a, $b, $c">;

let Behind = FLOW_Fault in
def OP_MMASC : ISAOp<0x6F, LC_MMA, "Scaled matrix multiply and add",
  "As MMA, with results in F32. Every chunk of a row of A and of a column of B has a scale: the bytes of f, from lanes 4 n (row n) and 4 n + 1 (row n + 8), and of g, from lanes 4 n (column n), from the low byte on one for each of the chunks, whose number is msv's.">;
let isConvergent = 1 in
def MMASC : HInst<OP_MMASC, FormR, (outs GPR128:$d),
    (ins GPR128:$a, GPR64:$b, GPR128:$c, GPR32:$f, GPR32:$g,
         MatrixShape:$mshape, MatrixElement:$mta, MatrixElement:$mtb,
         MatrixScale:$msv, ScaleType:$mst),
    "$mshape$mta$mtb$msv$mst $d, $a, $b, $c, $f, $g">;

//===----------------------------------------------------------------------===//
// Loads, stores, transposition
//===----------------------------------------------------------------------===//

defvar TileMeaning = " of mcount matrices, whose rows, of 16 bytes each, are at the shared addresses that lanes 0 to 7 (first matrix), 8 to 15 and so on give; of TB16 lanes 0 to 15 and 16 to 31. T8 has 8 x 8 elements of 16 bits, TT8 the same transposed, TB8 8 x 16 bytes, TB16 16 x 16 bytes, transposed, TBT8 8 x 16 bytes, transposed. UNP6 (UNP4) makes 16 bytes of the first 12 (8): an element of 6 (4) bits becomes a byte, the 4 bits its bits 5..2. With UNPS4 rows have 8 bytes, of 16 signed integers of 4 bits, which become bytes.";

let Behind = FLOW_Fault in
def OP_LDSM : ISAOp<0xAA, LC_LDS, "Load matrices from shared memory",
  !strconcat("d = the fragments", TileMeaning)>;
let isConvergent = 1, mayLoad = 1 in
def LDSM : HInst<OP_LDSM, FormR, (outs GPR128:$d),
    (ins GPR32:$a, Imm24:$imm, MatrixTile:$mtile, MatrixCount:$mcount,
         Unpack:$munp),
    "$mtile$mcount$munp $d, [$a + $imm]">;

let Behind = FLOW_Fault in
def OP_LDSM64 : ISAOp<0xBB, LC_LDS, "Load matrices of two registers from shared memory",
  !strconcat("As LDSM, for at most two registers a lane: d = the fragments", TileMeaning)>;
let isConvergent = 1, mayLoad = 1 in
def LDSM64 : HInst<OP_LDSM64, FormR, (outs GPR64:$d),
    (ins GPR32:$a, Imm24:$imm, MatrixTile:$mtile, MatrixCount:$mcount,
         Unpack:$munp),
    "$mtile$mcount$munp $d, [$a + $imm]">;

let Behind = FLOW_Fault in
def OP_STSM : ISAOp<0xAB, LC_LDS, "Store matrices to shared memory",
  !strconcat("Stores the fragments c", TileMeaning)>;
let isConvergent = 1, mayStore = 1 in
def STSM : HInst<OP_STSM, FormR, (outs),
    (ins GPR32:$a, Imm24:$imm, GPR128:$c, MatrixTile:$mtile,
         MatrixCount:$mcount),
    "$mtile$mcount [$a + $imm], $c">;

def OP_MOVM : ISAOp<0xAF, LC_SHFL, "Transpose a matrix",
  "d = the transposed matrix a, 8 x 8 elements of 16 bits.">;
let isConvergent = 1 in
def MOVM : HInst<OP_MOVM, FormR, (outs GPR32:$d), (ins GPR32:$a), " $d, $a">;
