//===- HeddleInstrAsync.td - Asynchronous operations -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers in shared memory, copies that threads do not wait for, and matrix
// products of a group of four warps. Shared addresses may have a rank.
//
//===----------------------------------------------------------------------===//

def OP_MBAR : ISAOp<0xF0, LC_ATOM, "Barrier in shared memory",
  "On the mbarrier at shared address a + imm; d = what it was before. INIT: it is for b arrivals; INIT.V1: it is of layout 1, which counts less and takes reports. INVAL: it is none any more. ARRIVE: b arrivals; DROP: the same, and the next phases are for b fewer. EXPECT: b bytes more are awaited, COMPLETE: b bytes fewer. ARRIVETX and DROPTX: EXPECT of b bytes, then one arrival. When no arrival and no byte is missing, the phase is over and the next one begins.">;
let mayLoad = 1, mayStore = 1, hasSideEffects = 1 in
def MBAR : HInst<OP_MBAR, FormR, (outs GPR64:$d),
    (ins GPR32:$a, Imm24:$imm, GPR32:$b, MBarrierOp:$fn),
    "$fn $d, [$a + $imm], $b">;

def OP_MBARMC : ISAOp<0xC7, LC_ATOM, "Barriers in the shared memories of a cluster",
  "MBAR with b at a + imm in every CTA of the cluster whose bit is set in c.">;
let mayLoad = 1, mayStore = 1, hasSideEffects = 1 in
def MBARMC : HInst<OP_MBARMC, FormR, (outs),
    (ins GPR32:$a, Imm24:$imm, GPR32:$b, GPR32:$c, MBarrierOp:$fn),
    "$fn [$a + $imm], $b, $c">;

def OP_MBARTRY : ISAOp<0xF1, LC_ATOM, "Test of a barrier in shared memory",
  "d = whether a phase of the mbarrier at shared address a + imm is over, 1 or 0: the phase in which MBAR gave the state b, or with PARITY the current or the last one, whichever has the parity of b. If something was reported in the phase that is over, bit 1 of d is set, too, and bits 15..8 are what was. CONDITIONAL: as PARITY, of the phases in which nothing was reported. TRY lets other warps run before it says no. LAYOUT: d = whether it is of layout b.">;
let mayLoad = 1, mayStore = 1, hasSideEffects = 1 in
def MBARTRY : HInst<OP_MBARTRY, FormR, (outs GPR32:$d),
    (ins GPR32:$a, Imm24:$imm, GPR64:$b, MBarrierTest:$fn),
    "$fn $d, [$a + $imm], $b">;

def OP_CPASYNC : ISAOp<0xF2, LC_LDG, "Asynchronous copy to shared memory",
  "Copies size bits from global address b to shared address a, the first c bytes only; the others become zero. CPSYNC waits for it.">;
let mayLoad = 1, mayStore = 1 in
def CPASYNC : HInst<OP_CPASYNC, FormR, (outs),
    (ins GPR32:$a, GPR64:$b, GPR32:$c, ImageSize:$size), "$size [$a], [$b], $c">;

def OP_CPSYNC : ISAOp<0xF3, LC_BAR, "Groups of asynchronous copies",
  "COMMIT: the thread's CPASYNCs since the last COMMIT are a group. WAIT: until at most num of its last groups are pending. WAITALL: until all its CPASYNCs are done. ARRIVE: when its CPASYNCs so far are done, one arrival at the mbarrier at shared address a, which expects one arrival more from now on; NOINC without that. BCOMMIT, BWAIT and BREAD (until the sources have been read) are COMMIT and WAIT of the bulk copies from shared to global memory. FSUBMIT: the thread's FABRICs and TMAXs with FABRIC so far begin, with GET those that read through the fabric only. FCOMMIT: FSUBMIT, and those since the last FCOMMIT are a group. FREAD: until shared memory has been read by all but the last num groups, FREADALL: by all that have begun.">;
let mayLoad = 1, mayStore = 1, hasSideEffects = 1 in
def CPSYNC : HInst<OP_CPSYNC, FormR, (outs),
    (ins GPR32:$a, Imm24:$num, CopyGroupOp:$fn), "$fn [$a], $num">;

def OP_BULK : ISAOp<0xF4, LC_LDG, "Bulk copy",
  "Copies c bytes, a multiple of 16, from address b to a, both generic; with RED every element of type bty at a becomes old aop new. Then, but for global destinations, c bytes are complete at the mbarrier at shared address e. MC: in every CTA of the cluster whose bit is set in f, at its own addresses. BM: of 16 bytes each those whose bits are set in g. EDGES: the first bytes, as many as bits 7..0 of f say, and the last ones, as many as bits 15..8 say, are not read and keep what they were. brep: the mbarrier, of layout 1, gets a report if 16 bytes of the source begin with -0 in an element of so many bits, or with REPFF if a byte is all ones. HINT: nothing is copied; c bytes at b come to the second-level cache, or with GLOBAL those at a are to leave it as others do.">;
let mayLoad = 1, mayStore = 1 in
def BULK : HInst<OP_BULK, FormR, (outs),
    (ins GPR64:$a, GPR64:$b, GPR32:$c, GPR32:$e, GPR32:$f, GPR32:$g,
         BulkReduce:$bred, AtomOp:$aop, BulkType:$bty, Multicast:$bmc,
         ByteMask:$bbm, BulkTarget:$bto, BulkEdges:$bedge, DataReport:$brep,
         CacheHint:$bhint),
    "$bto$bred$aop$bty$bmc$bbm$bedge$brep$bhint [$a], [$b], $c, [$e], $f, $g">;

def OP_TMA : ISAOp<0xF5, LC_LDG, "Copy of a box of a tensor",
  "Copies a box of the tensor that the 128 bytes at generic address a describe (docs/tensor-maps.md). Its first coordinates are b and the low register of c; shared memory is at the second register of c, the mbarrier at the third, the mask of CTAs is the fourth. LOAD: to shared memory; STORE: from there; RED: from there, every element becoming old aop new. GATHER4 and SCATTER4: the box is four rows, of the second to the fifth coordinate. IM2COL: it is a column of pixels, at offsets along W, H and D that are the halves of e, the lowest first. IM2COLW and IM2COLW128: along W only, with as many pixels more as the first half of e says and the offset in the second. MC: in every CTA of the mask, at its own addresses. PAIR: the mbarrier of each is that in the CTA of its pair whose rank is even or odd as that of the CTA in which the given one is. brep: as in BULK. HINT: nothing is copied; the box of LOAD comes to the second-level cache, that of STORE is to leave it as others do.">;
let mayLoad = 1, mayStore = 1 in
def TMA : HInst<OP_TMA, FormR, (outs),
    (ins GPR64:$a, GPR128:$b, GPR128:$c, GPR64:$e, TensorDirection:$tdir,
         TensorRank:$tdim, TensorMode:$tmode, AtomOp:$aop, Multicast:$bmc,
         CTAPair:$tpair, DataReport:$brep, CacheHint:$bhint),
    "$tdir$tdim$tmode$aop$bmc$tpair$brep$bhint [$a, $b], $c, $e">;

def OP_TMAX : ISAOp<0xCE, LC_LDG, "Copy of a box of a tensor elsewhere",
  "As TMA with another tensor: it begins at g in place of the descriptor's address. EXTENTS: its extents are the five bytes of e, the lowest first, and its strides, in units of 16 bytes, the four words of f, each with four bits more above it, bits 63..48 of e. FABRIC: g is an offset in the logical endpoint that the fourth register of c names; a STORE or RED is of as many bytes as the third register of h says and completes at the mbarrier with one for each 16 bytes, MC: it reaches all members of the endpoint, and COUNT: the 64 bits at offset h, its first two registers, become more by the bytes.">;
let mayLoad = 1, mayStore = 1 in
def TMAX : HInst<OP_TMAX, FormR, (outs),
    (ins GPR64:$a, GPR128:$b, GPR128:$c, GPR64:$e, GPR128:$f, GPR64:$g,
         GPR128:$h, TensorFabric:$tfab, TensorDirection:$tdir,
         TensorRank:$tdim, TensorMode:$tmode, AtomOp:$aop, Multicast:$bmc,
         CTAPair:$tpair, DataReport:$brep, CacheHint:$bhint, CountedBytes:$fcnt,
         TensorExtents:$tshp),
    "$tfab$tdir$tdim$tmode$aop$bmc$tpair$brep$bhint$fcnt$tshp [$a, $b], $c, $e, $f, $g, $h">;

def OP_FABRIC : ISAOp<0xCF, LC_LDG, "Operation through the fabric",
  "An operation between shared address a and offset b of the logical endpoint f, which begins when CPSYNC submits it, and then ends at the mbarrier of layout 1 at shared address e. GET: c bytes come to a, and as many are complete. PUT: c bytes at a go to b, and one for each 16 bytes is complete; BM: of each 16 those whose bits are set in the low register of g. RED: every element at b becomes old aop new. MC: all members of the endpoint take part. PULL: the elements of all members become one by aop, and come to a; ACC32: in single precision. ATOM: the element at b becomes old aop the one in the 16 bytes at shared address c, and the old one comes to the 16 bytes at a; CAS: it is replaced by that of the second 16 bytes at c if it is equal to that of the first; one is complete. In ATOM F16 and BF16 are two of a word. COUNT: the 64 bits at offset g become more by the bytes. What an endpoint cannot do is reported at the mbarrier.">;
let isConvergent = 1, mayLoad = 1, mayStore = 1 in
def FABRIC : HInst<OP_FABRIC, FormR, (outs),
    (ins GPR32:$a, GPR64:$b, GPR32:$c, GPR32:$e, GPR32:$f, GPR64:$g,
         FabricOp:$fdir, AtomOp:$aop, FabricType:$fty, Multicast:$bmc,
         ByteMask:$bbm, WideSum:$facc, CountedBytes:$fcnt),
    "$fdir$aop$fty$bmc$bbm$facc$fcnt [$a], [$f, $b], $c, [$e], $g">;

def OP_STASYNC : ISAOp<0xF6, LC_LDS, "Asynchronous store to shared memory",
  "The size bits at shared address a = c, or with RED become old aop c; then the bytes are complete at the mbarrier at shared address e. MC: in every CTA of the cluster, at its own addresses. CANCEL: in place of c the numbers of the first CTA of a cluster of the grid that has not begun, and 1; it will not begin any more. If there is none, zeros.">;
let mayLoad = 1, mayStore = 1 in
def STASYNC : HInst<OP_STASYNC, FormR, (outs),
    (ins GPR32:$a, GPR128:$c, GPR32:$e, ImageSize:$size, BulkReduce:$bred,
         AtomOp:$aop, BulkType:$bty, Multicast:$bmc, ClusterCancel:$bcan),
    "$size$bred$aop$bty$bmc$bcan [$a], $c, [$e]">;

//===----------------------------------------------------------------------===//
// Products of four warps
//===----------------------------------------------------------------------===//

defvar GroupMeaning = " B is in shared memory as the descriptor b says (docs/matrix.md), its columns 8 num to 8 num + 7. A has 64 rows, 16 for each of four warps, and 32 bytes of each row, of sparse A 16. NEGA and NEGB negate, TA and TB say that the matrix stands by columns of A, by rows of B.";

def OP_WGMMA : ISAOp<0xF7, LC_MMA, "Matrix multiply and add of a warpgroup, A in registers",
  !strconcat("D = A B + C as MMA, and with e as MMASP.", GroupMeaning)>;
let isConvergent = 1, mayLoad = 1 in
def WGMMA : HInst<OP_WGMMA, FormR, (outs GPR128:$d),
    (ins GPR128:$a, GPR64:$b, Imm24:$num, GPR128:$c, GPR32:$e,
         MatrixElement:$mta, MatrixElement:$mtb, MatrixResult:$mtd,
         NegatedA:$wna, NegatedB:$wnb, Sat:$msat, TransposedB:$wtb, Sparse:$wsp,
         LaneSelector:$mpair),
    "$mtd$mta$mtb$wna$wnb$msat$wtb$wsp$mpair $d, $a, $b, $num, $c, $e">;

def OP_WGMMAD : ISAOp<0xF8, LC_MMA, "Matrix multiply and add of a warpgroup",
  !strconcat("As WGMMA with A in shared memory as the descriptor a says.", GroupMeaning)>;
let isConvergent = 1, mayLoad = 1 in
def WGMMAD : HInst<OP_WGMMAD, FormR, (outs GPR128:$d),
    (ins GPR64:$a, GPR64:$b, Imm24:$num, GPR128:$c, GPR32:$e,
         MatrixElement:$mta, MatrixElement:$mtb, MatrixResult:$mtd,
         NegatedA:$wna, NegatedB:$wnb, Sat:$msat, TransposedB:$wtb,
         TransposedA:$wta, Sparse:$wsp, LaneSelector:$mpair),
    "$mtd$mta$mtb$wna$wnb$msat$wta$wtb$wsp$mpair $d, $a, $b, $num, $c, $e">;

def OP_WGSYNC : ISAOp<0xF9, LC_BAR, "Groups of a warpgroup's products",
  "COMMIT: the warpgroup's products since the last COMMIT are a group. WAIT: until at most num of the last groups are pending, in all four warps.">;
let isConvergent = 1, mayLoad = 1, mayStore = 1, hasSideEffects = 1 in
def WGSYNC : HInst<OP_WGSYNC, FormR, (outs), (ins Imm24:$num, WarpgroupOp:$fn),
                   "$fn $num">;
