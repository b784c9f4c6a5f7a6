//===- HeddlePatterns.td - From selection nodes to instructions -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Patterns only; instructions stand in isa-defs/. Every operand is a register
// here: HeddleFoldImmediates puts constants into the forms that hold them.
// Loads, stores, atomics, three-input logic and warp operations are selected
// in HeddleISelDAGToDAG.cpp.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Sources with modifiers
//===----------------------------------------------------------------------===//

// A floating value as (source, bit 0: negated, bit 1: absolute); the second
// form flips the sign, for the subtrahend of a subtraction.
class FMods<ValueType vt> : ComplexPattern<vt, 2, "selectFloatMods">;
class FNegMods<ValueType vt> : ComplexPattern<vt, 2, "selectNegatedFloatMods">;
foreach T = [f32, f64, f16, bf16, v2f16, v2bf16] in {
  def FM_#T : FMods<T>;
  def FN_#T : FNegMods<T>;
}
// The same of an operand whose subnormal values count as zero.
def FF_f32 : ComplexPattern<f32, 2, "selectFlushedMods">;
// The same of one that has none, or whose flushing the instruction can do.
def FK_f32 : ComplexPattern<f32, 2, "selectFlushed">;
// An integer as (source, negated).
def INeg32 : ComplexPattern<i32, 2, "selectIntNeg">;
def INeg64 : ComplexPattern<i64, 2, "selectIntNeg">;
// A predicate as (source, negated).
def Pred : ComplexPattern<i1, 2, "selectPredicate">;
// The 32-bit value that the operand widens.
def SExt32 : ComplexPattern<i64, 1, "selectSExt32">;
def ZExt32 : ComplexPattern<i64, 1, "selectZExt32">;

class OneUse<SDPatternOperator op>
    : PatFrag<(ops node:$a, node:$b), (op node:$a, node:$b),
              [{ return N->hasOneUse(); }]>;
def one_add : OneUse<add>;
def one_sub : OneUse<sub>;
def one_mul : OneUse<mul>;
def one_shl : OneUse<shl>;
def one_mulhs : OneUse<mulhs>;
def one_mulhu : OneUse<mulhu>;
// Shifts that lose no bits, nor the sign.
def nuw_shl : PatFrag<(ops node:$a, node:$b), (shl node:$a, node:$b),
                      [{ return N->getFlags().hasNoUnsignedWrap(); }]>;
def nsw_shl : PatFrag<(ops node:$a, node:$b), (shl node:$a, node:$b),
                      [{ return N->getFlags().hasNoSignedWrap(); }]>;
def one_setcc : PatFrag<(ops node:$a, node:$b, node:$cc), (setcc node:$a, node:$b, node:$cc),
                     [{ return N->hasOneUse(); }]>;

def shamt5 : TImmLeaf<i32, [{ return Imm >= 0 && Imm < 32; }]>;
def shamt5c : ImmLeaf<i32, [{ return Imm >= 0 && Imm < 32; }]>;

//===----------------------------------------------------------------------===//
// Integer addition
//===----------------------------------------------------------------------===//

def : Pat<(add (INeg32 i32:$a, i32:$na), (INeg32 i32:$b, i32:$nb)),
          (IADD3_r $a, $na, $b, $nb, (i32 RZ), 0)>;
// The minuend stands second, where an immediate may stand.
def : Pat<(sub i32:$a, i32:$b), (IADD3_r $b, 1, $a, 0, (i32 RZ), 0)>;
let AddedComplexity = 5 in {
def : Pat<(add (one_add (INeg32 i32:$a, i32:$na), (INeg32 i32:$b, i32:$nb)), (INeg32 i32:$c, i32:$nc)),
          (IADD3_r $a, $na, $b, $nb, $c, $nc)>;
def : Pat<(sub (one_add i32:$a, i32:$b), i32:$c), (IADD3_r $a, 0, $b, 0, $c, 1)>;
def : Pat<(add (one_sub i32:$a, i32:$b), i32:$c), (IADD3_r $b, 1, $a, 0, $c, 0)>;
def : Pat<(sub (one_sub i32:$a, i32:$b), i32:$c), (IADD3_r $b, 1, $a, 0, $c, 1)>;
def : Pat<(sub i32:$c, (one_add i32:$a, i32:$b)), (IADD3_r $a, 1, $b, 1, $c, 0)>;
}
def : Pat<(add (INeg64 i64:$a, i32:$na), (INeg64 i64:$b, i32:$nb)),
          (IADD64_r $a, $na, $b, $nb)>;
def : Pat<(sub i64:$a, i64:$b), (IADD64_r $b, 1, $a, 0)>;

let AddedComplexity = 20 in {
def : Pat<(add (one_shl i32:$a, (i32 shamt5c:$sh)), i32:$b), (LEA_r $a, $b, (i32 imm:$sh))>;
// A shift amount below 32 is enough: a longer one leaves nothing of a 32-bit index.
def : Pat<(add (shl (SExt32 i32:$a), (i32 shamt5c:$sh)), i64:$b),
          (LEA64_r $a, $b, (i32 imm:$sh), 1)>;
def : Pat<(add (shl (ZExt32 i32:$a), (i32 shamt5c:$sh)), i64:$b),
          (LEA64_r $a, $b, (i32 imm:$sh), 0)>;
}
// Two indices of one scale.
let AddedComplexity = 40 in {
def : Pat<(add (one_shl (one_add (ZExt32 i32:$a), (ZExt32 i32:$b)), (i32 shamt5c:$sh)), i64:$c),
          (LEA64_r $a, (LEA64_r $b, $c, (i32 imm:$sh), 0), (i32 imm:$sh), 0)>;
def : Pat<(add (one_shl (one_add (SExt32 i32:$a), (ZExt32 i32:$b)), (i32 shamt5c:$sh)), i64:$c),
          (LEA64_r $a, (LEA64_r $b, $c, (i32 imm:$sh), 0), (i32 imm:$sh), 1)>;
def : Pat<(add (one_shl (one_add (SExt32 i32:$a), (SExt32 i32:$b)), (i32 shamt5c:$sh)), i64:$c),
          (LEA64_r $a, (LEA64_r $b, $c, (i32 imm:$sh), 1), (i32 imm:$sh), 1)>;
}
let AddedComplexity = 20 in {
def : Pat<(add (i64 (sext i32:$a)), i64:$b), (LEA64_r $a, $b, 0, 1)>;
def : Pat<(add (i64 (zext i32:$a)), i64:$b), (LEA64_r $a, $b, 0, 0)>;
}
let AddedComplexity = 20 in {
def : Pat<(add (i64 (sext (nsw_shl i32:$a, (i32 shamt5c:$sh)))), i64:$b),
          (LEA64_r $a, $b, (i32 imm:$sh), 1)>;
def : Pat<(add (i64 (zext (nuw_shl i32:$a, (i32 shamt5c:$sh)))), i64:$b),
          (LEA64_r $a, $b, (i32 imm:$sh), 0)>;
}

//===----------------------------------------------------------------------===//
// Integer multiplication
//===----------------------------------------------------------------------===//

def : Pat<(mul i32:$a, i32:$b), (IMAD_r $a, $b, (i32 RZ), 0)>;
let AddedComplexity = 10 in {
def : Pat<(add (one_mul i32:$a, i32:$b), (INeg32 i32:$c, i32:$nc)), (IMAD_r $a, $b, $c, $nc)>;
def : Pat<(sub (one_mul i32:$a, i32:$b), i32:$c), (IMAD_r $a, $b, $c, 1)>;
}
def : Pat<(mulhs i32:$a, i32:$b), (IMADHI_r $a, $b, (i32 RZ), 1)>;
def : Pat<(mulhu i32:$a, i32:$b), (IMADHI_r $a, $b, (i32 RZ), 0)>;
let AddedComplexity = 20 in {
def : Pat<(add (one_mulhs i32:$a, i32:$b), i32:$c), (IMADHI_r $a, $b, $c, 1)>;
def : Pat<(add (one_mulhu i32:$a, i32:$b), i32:$c), (IMADHI_r $a, $b, $c, 0)>;
}
let AddedComplexity = 10 in {
def : Pat<(mul (SExt32 i32:$a), (SExt32 i32:$b)), (IMADW_r $a, $b, (i64 RZ64), 1)>;
def : Pat<(mul (ZExt32 i32:$a), (ZExt32 i32:$b)), (IMADW_r $a, $b, (i64 RZ64), 0)>;
}
let AddedComplexity = 30 in {
def : Pat<(add (one_mul (SExt32 i32:$a), (SExt32 i32:$b)), i64:$c), (IMADW_r $a, $b, $c, 1)>;
def : Pat<(add (one_mul (ZExt32 i32:$a), (ZExt32 i32:$b)), i64:$c), (IMADW_r $a, $b, $c, 0)>;
}
// A word to be added costs an instruction either way, and behind the product
// no register of zeros beside it.
let AddedComplexity = 40 in {
def : Pat<(add (one_mul (SExt32 i32:$a), (SExt32 i32:$b)), (i64 (zext i32:$c))),
          (LEA64_r $c, (IMADW_r $a, $b, (i64 RZ64), 1), 0, 0)>;
def : Pat<(add (one_mul (ZExt32 i32:$a), (ZExt32 i32:$b)), (i64 (zext i32:$c))),
          (LEA64_r $c, (IMADW_r $a, $b, (i64 RZ64), 0), 0, 0)>;
def : Pat<(add (one_mul (SExt32 i32:$a), (SExt32 i32:$b)), (i64 (sext i32:$c))),
          (LEA64_r $c, (IMADW_r $a, $b, (i64 RZ64), 1), 0, 1)>;
}

//===----------------------------------------------------------------------===//
// Extremes, absolute value, counting, shifts
//===----------------------------------------------------------------------===//

class IntExtreme<SDNode op, int mm, int sgn> {
  SDNode Op = op;
  int MM = mm;
  int Sgn = sgn;
}
def one_smin : OneUse<smin>;
def one_smax : OneUse<smax>;
def one_umin : OneUse<umin>;
def one_umax : OneUse<umax>;
foreach E = [IntExtreme<smin, 0, 1>, IntExtreme<smax, 1, 1>,
             IntExtreme<umin, 0, 0>, IntExtreme<umax, 1, 0>] in {
  def : Pat<(E.Op i32:$a, i32:$b), (IMNMX_r $a, $b, E.MM, E.Sgn)>;
  def : Pat<(E.Op i64:$a, i64:$b), (IMNMX64_r $a, $b, E.MM, E.Sgn)>;
  let AddedComplexity = 5 in
  def : Pat<(E.Op (!cast<PatFrag>("one_"#E.Op) i32:$a, i32:$b), i32:$c),
            (IMNMX3_r $a, $b, $c, E.MM, E.Sgn)>;
}
def : Pat<(abs i32:$a), (IABS_r $a)>;
def : Pat<(i32 (ctpop i32:$a)), (POPC_r $a)>;
def : Pat<(i32 (ctlz i32:$a)), (FLO_r $a, 2, 0)>;
def : Pat<(i32 (cttz i32:$a)), (FLO_r (BREV_r $a), 2, 0)>;
def : Pat<(i32 (bitreverse i32:$a)), (BREV_r $a)>;
def : Pat<(i32 (bswap i32:$a)), (PRMT_r $a, (MOV_i 0x0123), (i32 RZ), 0)>;
def : Pat<(i32 (sext_inreg i32:$a, i8)), (BFE_r $a, (MOV_i 0x800), 1)>;
def : Pat<(i32 (sext_inreg i32:$a, i16)), (BFE_r $a, (MOV_i 0x1000), 1)>;
def : Pat<(i32 (sext_inreg i32:$a, i1)), (BFE_r $a, (MOV_i 0x100), 1)>;

// The ISA's shifts clamp, LLVM's are undefined past the width.
def : Pat<(shl i32:$a, i32:$b), (SHL_r $a, $b)>;
def : Pat<(srl i32:$a, i32:$b), (SHR_r $a, $b, 0)>;
def : Pat<(sra i32:$a, i32:$b), (SHR_r $a, $b, 1)>;
def : Pat<(shl i64:$a, i32:$b), (SHL64_r $a, $b)>;
def : Pat<(srl i64:$a, i32:$b), (SHR64_r $a, $b, 0)>;
def : Pat<(sra i64:$a, i32:$b), (SHR64_r $a, $b, 1)>;
def : Pat<(sra i32:$a, (umin i32:$b, (i32 31))), (SHR_r $a, $b, 1)>;
def : Pat<(sra i64:$a, (umin i32:$b, (i32 63))), (SHR64_r $a, $b, 1)>;
def : Pat<(heddle_shl i32:$a, i32:$b), (SHL_r $a, $b)>;
def : Pat<(heddle_srl i32:$a, i32:$b), (SHR_r $a, $b, 0)>;
def : Pat<(heddle_sra i32:$a, i32:$b), (SHR_r $a, $b, 1)>;
def : Pat<(heddle_shl i64:$a, i32:$b), (SHL64_r $a, $b)>;
def : Pat<(heddle_srl i64:$a, i32:$b), (SHR64_r $a, $b, 0)>;
def : Pat<(heddle_sra i64:$a, i32:$b), (SHR64_r $a, $b, 1)>;
def : Pat<(fshl i32:$hi, i32:$lo, i32:$b), (FSHL_r $lo, $b, $hi, 1)>;
def : Pat<(fshr i32:$hi, i32:$lo, i32:$b), (FSHR_r $lo, $b, $hi, 1)>;
def : Pat<(rotl i32:$a, i32:$b), (FSHL_r $a, $b, $a, 1)>;
def : Pat<(rotr i32:$a, i32:$b), (FSHR_r $a, $b, $a, 1)>;
def : Pat<(i32 (int_nvvm_fshl_clamp i32:$hi, i32:$lo, i32:$b)), (FSHL_r $lo, $b, $hi, 0)>;
def : Pat<(i32 (int_nvvm_fshr_clamp i32:$hi, i32:$lo, i32:$b)), (FSHR_r $lo, $b, $hi, 0)>;

//===----------------------------------------------------------------------===//
// Byte and dot-product operations
//===----------------------------------------------------------------------===//

def : Pat<(int_nvvm_prmt i32:$a, i32:$c, i32:$b), (PRMT_r $a, $b, $c, 0)>;
def : Pat<(int_nvvm_prmt_f4e i32:$a, i32:$c, i32:$b), (PRMT_r $a, $b, $c, 1)>;
def : Pat<(int_nvvm_prmt_b4e i32:$a, i32:$c, i32:$b), (PRMT_r $a, $b, $c, 2)>;
def : Pat<(int_nvvm_prmt_rc8 i32:$a, i32:$b), (PRMT_r $a, $b, (i32 RZ), 3)>;
def : Pat<(int_nvvm_prmt_ecl i32:$a, i32:$b), (PRMT_r $a, $b, (i32 RZ), 4)>;
def : Pat<(int_nvvm_prmt_ecr i32:$a, i32:$b), (PRMT_r $a, $b, (i32 RZ), 5)>;
def : Pat<(int_nvvm_prmt_rc16 i32:$a, i32:$b), (PRMT_r $a, $b, (i32 RZ), 6)>;
foreach A = ["s", "u"] in
foreach B = ["s", "u"] in {
  defvar SA = !if(!eq(A, "s"), 1, 0);
  defvar SB = !if(!eq(B, "s"), 1, 0);
  def : Pat<(!cast<Intrinsic>("int_nvvm_idp4a_"#A#"_"#B) i32:$a, i32:$b, i32:$c),
            (DP4A_r $a, $b, $c, SA, SB)>;
  def : Pat<(!cast<Intrinsic>("int_nvvm_idp2a_"#A#"_"#B) i32:$a, i32:$b, (i1 0), i32:$c),
            (DP2A_r $a, $b, $c, 0, SA, SB)>;
  def : Pat<(!cast<Intrinsic>("int_nvvm_idp2a_"#A#"_"#B) i32:$a, i32:$b, (i1 -1), i32:$c),
            (DP2A_r $a, $b, $c, 1, SA, SB)>;
}
def : Pat<(int_nvvm_sad_i i32:$a, i32:$b, i32:$c), (ISAD_r $a, $b, $c, 1)>;
def : Pat<(int_nvvm_sad_ui i32:$a, i32:$b, i32:$c), (ISAD_r $a, $b, $c, 0)>;
def : Pat<(int_nvvm_mulhi_i i32:$a, i32:$b), (IMADHI_r $a, $b, (i32 RZ), 1)>;
def : Pat<(int_nvvm_mulhi_ui i32:$a, i32:$b), (IMADHI_r $a, $b, (i32 RZ), 0)>;

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

// A row of comparison: condition code, index into CmpI/CmpF, signedness.
class Cond<CondCode cc, int cmp, int sgn = 0> {
  CondCode CC = cc;
  int Cmp = cmp;
  int Sgn = sgn;
}
defvar IntConds = [Cond<SETEQ, 2>, Cond<SETNE, 5>,
                   Cond<SETLT, 1, 1>, Cond<SETLE, 3, 1>, Cond<SETGT, 4, 1>, Cond<SETGE, 6, 1>,
                   Cond<SETULT, 1>, Cond<SETULE, 3>, Cond<SETUGT, 4>, Cond<SETUGE, 6>];
defvar FloatConds = [Cond<SETOLT, 1>, Cond<SETOEQ, 2>, Cond<SETOLE, 3>, Cond<SETOGT, 4>,
                     Cond<SETONE, 5>, Cond<SETOGE, 6>, Cond<SETO, 7>, Cond<SETUO, 8>,
                     Cond<SETULT, 9>, Cond<SETUEQ, 10>, Cond<SETULE, 11>, Cond<SETUGT, 12>,
                     Cond<SETUNE, 13>, Cond<SETUGE, 14>,
                     // Where a NaN does not matter.
                     Cond<SETLT, 1>, Cond<SETEQ, 2>, Cond<SETLE, 3>, Cond<SETGT, 4>,
                     Cond<SETNE, 13>, Cond<SETGE, 6>];

foreach C = IntConds in {
  def : Pat<(i1 (setcc i32:$a, i32:$b, C.CC)), (ISETP_r $a, $b, C.Cmp, C.Sgn, 0, PT, 0)>;
  def : Pat<(i1 (setcc i64:$a, i64:$b, C.CC)), (ISETP64_r $a, $b, C.Cmp, C.Sgn, 0, PT, 0)>;
}
foreach C = FloatConds in {
  def : Pat<(i1 (setcc (FM_f32 f32:$a, i32:$ma), (FM_f32 f32:$b, i32:$mb), C.CC)),
            (FSETP_r $a, $ma, $b, $mb, C.Cmp, 0, 0, PT, 0)>;
  let AddedComplexity = 5 in
  def : Pat<(i1 (setcc (FK_f32 f32:$a, i32:$ma), (FK_f32 f32:$b, i32:$mb), C.CC)),
            (FSETP_r $a, $ma, $b, $mb, C.Cmp, 1, 0, PT, 0)>;
  def : Pat<(i1 (setcc (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb), C.CC)),
            (DSETP_r $a, $ma, $b, $mb, C.Cmp, 0, PT, 0)>;
  def : Pat<(i1 (setcc (FM_f16 f16:$a, i32:$ma), (FM_f16 f16:$b, i32:$mb), C.CC)),
            (HSETP2_r $a, $ma, $b, $mb, 0, C.Cmp, 0, 0, PT, 0)>;
  def : Pat<(i1 (setcc (FM_bf16 bf16:$a, i32:$ma), (FM_bf16 bf16:$b, i32:$mb), C.CC)),
            (HSETP2_r $a, $ma, $b, $mb, 1, C.Cmp, 0, 0, PT, 0)>;
}
// A comparison joined with another predicate.
foreach Row = [["and", "0"], ["or", "1"], ["xor", "2"]] in {
  defvar Op = !cast<SDNode>(Row[0]);
  defvar B = !cond(!eq(Row[1], "0"): 0, !eq(Row[1], "1"): 1, true: 2);
  let AddedComplexity = 10 in {
  foreach C = IntConds in {
    def : Pat<(i1 (Op (i1 (one_setcc i32:$a, i32:$b, C.CC)), (i1 (Pred i1:$s, i32:$sn)))),
              (ISETP_r $a, $b, C.Cmp, C.Sgn, B, $s, $sn)>;
    def : Pat<(i1 (Op (i1 (one_setcc i64:$a, i64:$b, C.CC)), (i1 (Pred i1:$s, i32:$sn)))),
              (ISETP64_r $a, $b, C.Cmp, C.Sgn, B, $s, $sn)>;
  }
  foreach C = FloatConds in {
    def : Pat<(i1 (Op (i1 (one_setcc (FM_f32 f32:$a, i32:$ma), (FM_f32 f32:$b, i32:$mb), C.CC)),
                      (i1 (Pred i1:$s, i32:$sn)))),
              (FSETP_r $a, $ma, $b, $mb, C.Cmp, 0, B, $s, $sn)>;
    let AddedComplexity = 15 in
    def : Pat<(i1 (Op (i1 (one_setcc (FK_f32 f32:$a, i32:$ma), (FK_f32 f32:$b, i32:$mb), C.CC)),
                      (i1 (Pred i1:$s, i32:$sn)))),
              (FSETP_r $a, $ma, $b, $mb, C.Cmp, 1, B, $s, $sn)>;
    def : Pat<(i1 (Op (i1 (one_setcc (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb), C.CC)),
                      (i1 (Pred i1:$s, i32:$sn)))),
              (DSETP_r $a, $ma, $b, $mb, C.Cmp, B, $s, $sn)>;
  }
  }
}

// Truth tables of PLOP3 and LOP3 over the inputs 0xF0, 0xCC, 0xAA.
foreach Row = [["and", "0xC0"], ["or", "0xFC"], ["xor", "0x3C"]] in {
  defvar Op = !cast<SDNode>(Row[0]);
  defvar Lut = !cond(!eq(Row[0], "and"): 0xC0, !eq(Row[0], "or"): 0xFC, true: 0x3C);
  def : Pat<(i1 (Op (Pred i1:$a, i32:$na), (Pred i1:$b, i32:$nb))),
            (PLOP3 $a, $na, $b, $nb, PT, 0, Lut)>;
}
def : Pat<(i1 (xor i1:$a, (i1 -1))), (PLOP3 $a, 1, PT, 0, PT, 0, 0xF0)>;
def : Pat<(i1 (select i1:$s, (Pred i1:$a, i32:$na), (Pred i1:$b, i32:$nb))),
          (PLOP3 $s, 0, $a, $na, $b, $nb, 0xCA)>;

foreach T = [i32, f32, f16, bf16, v2f16, v2bf16, v2i16] in
  def : Pat<(T (select (Pred i1:$s, i32:$sn), T:$a, T:$b)), (SEL_r $a, $b, $s, $sn)>;
foreach T = [i64, f64, v2i32, v2f32] in
  def : Pat<(T (select (Pred i1:$s, i32:$sn), T:$a, T:$b)), (SEL64_r $a, $b, $s, $sn)>;
foreach T = [v4i32, v4f32, v2i64, v2f64] in
  def : Pat<(T (select (Pred i1:$s, i32:$sn), T:$a, T:$b)),
            (REG_SEQUENCE GPR128,
              (SEL64_r (EXTRACT_SUBREG $a, sub0_sub1), (EXTRACT_SUBREG $b, sub0_sub1), $s, $sn), sub0_sub1,
              (SEL64_r (EXTRACT_SUBREG $a, sub2_sub3), (EXTRACT_SUBREG $b, sub2_sub3), $s, $sn), sub2_sub3)>;

//===----------------------------------------------------------------------===//
// Constants, extension, truncation
//===----------------------------------------------------------------------===//

def : Pat<(i32 imm:$v), (MOV_i (i32 imm:$v))>;
def : Pat<(i32 (zext (Pred i1:$s, i32:$sn))), (SEL_r (MOV_i 1), (i32 RZ), $s, $sn)>;
def : Pat<(i32 (anyext (Pred i1:$s, i32:$sn))), (SEL_r (MOV_i 1), (i32 RZ), $s, $sn)>;
def : Pat<(i32 (sext (Pred i1:$s, i32:$sn))), (SEL_r (MOV_i -1), (i32 RZ), $s, $sn)>;
def : Pat<(i64 (zext (Pred i1:$s, i32:$sn))), (SEL64_r (MOV64_i 1), (i64 RZ64), $s, $sn)>;
def : Pat<(i64 (anyext (Pred i1:$s, i32:$sn))), (SEL64_r (MOV64_i 1), (i64 RZ64), $s, $sn)>;
def : Pat<(i64 (sext (Pred i1:$s, i32:$sn))), (SEL64_r (MOV64_i -1), (i64 RZ64), $s, $sn)>;
def : Pat<(i1 (trunc i32:$a)),
          (ISETP_r (LOP3_r $a, (MOV_i 1), (i32 RZ), 0xC0), (i32 RZ), 5, 0, 0, PT, 0)>;
def : Pat<(i1 (trunc i64:$a)),
          (ISETP_r (LOP3_r (EXTRACT_SUBREG $a, sub0), (MOV_i 1), (i32 RZ), 0xC0), (i32 RZ), 5, 0, 0, PT, 0)>;
def : Pat<(i32 (trunc i64:$a)), (EXTRACT_SUBREG $a, sub0)>;
def : Pat<(i32 (trunc (srl i64:$a, (i32 32)))), (EXTRACT_SUBREG $a, sub1)>;
def : Pat<(i32 (trunc (sra i64:$a, (i32 32)))), (EXTRACT_SUBREG $a, sub1)>;
def : Pat<(i64 (zext i32:$a)), (REG_SEQUENCE GPR64, $a, sub0, (MOV_i 0), sub1)>;
def : Pat<(i64 (anyext i32:$a)),
          (REG_SEQUENCE GPR64, $a, sub0, (i32 (IMPLICIT_DEF)), sub1)>;
def : Pat<(i64 (sext i32:$a)),
          (REG_SEQUENCE GPR64, $a, sub0, (SHR_r $a, (MOV_i 31), 1), sub1)>;
// The upper word is a field of one bit, the sign.
foreach W = [8, 16, 1] in
  def : Pat<(i64 (sext_inreg i64:$a, !cast<ValueType>("i"#W))),
            (REG_SEQUENCE GPR64,
             (BFE_r (EXTRACT_SUBREG $a, sub0), (MOV_i !shl(W, 8)), 1), sub0,
             (BFE_r (EXTRACT_SUBREG $a, sub0),
                    (MOV_i !add(0x100, !sub(W, 1))), 1), sub1)>;

//===----------------------------------------------------------------------===//
// Bits of one type as another, and vectors
//===----------------------------------------------------------------------===//

multiclass Bitcasts<list<ValueType> types, RegisterClass rc> {
  foreach A = types in
    foreach B = types in
      if !ne(!cast<string>(A), !cast<string>(B)) then
        def : Pat<(A (bitconvert (B rc:$a))), (A rc:$a)>;
}
defm : Bitcasts<[i32, f32, v2f16, v2bf16, v2i16], GPR32>;
defm : Bitcasts<[f16, bf16], GPR32>;
defm : Bitcasts<[i64, f64, v2i32, v2f32], GPR64>;
defm : Bitcasts<[v4i32, v4f32, v2i64, v2f64], GPR128>;
foreach T = [f16, bf16] in {
  def : Pat<(i32 (heddle_half_bits (T GPR32:$a))), (i32 GPR32:$a)>;
  def : Pat<(T (heddle_bits_half (i32 GPR32:$a))), (T GPR32:$a)>;
}

foreach R = [[v2i32, i32], [v2f32, f32]] in {
  def : Pat<(R[0] (build_vector R[1]:$a, R[1]:$b)), (REG_SEQUENCE GPR64, $a, sub0, $b, sub1)>;
  def : Pat<(R[1] (extractelt R[0]:$v, 0)), (EXTRACT_SUBREG $v, sub0)>;
  def : Pat<(R[1] (extractelt R[0]:$v, 1)), (EXTRACT_SUBREG $v, sub1)>;
}
foreach R = [[v4i32, i32], [v4f32, f32]] in {
  def : Pat<(R[0] (build_vector R[1]:$a, R[1]:$b, R[1]:$c, R[1]:$e)),
            (REG_SEQUENCE GPR128, $a, sub0, $b, sub1, $c, sub2, $e, sub3)>;
  def : Pat<(R[1] (extractelt R[0]:$v, 0)), (EXTRACT_SUBREG $v, sub0)>;
  def : Pat<(R[1] (extractelt R[0]:$v, 1)), (EXTRACT_SUBREG $v, sub1)>;
  def : Pat<(R[1] (extractelt R[0]:$v, 2)), (EXTRACT_SUBREG $v, sub2)>;
  def : Pat<(R[1] (extractelt R[0]:$v, 3)), (EXTRACT_SUBREG $v, sub3)>;
}
foreach R = [[v2i64, i64], [v2f64, f64]] in {
  def : Pat<(R[0] (build_vector R[1]:$a, R[1]:$b)),
            (REG_SEQUENCE GPR128, $a, sub0_sub1, $b, sub2_sub3)>;
  def : Pat<(R[1] (extractelt R[0]:$v, 0)), (EXTRACT_SUBREG $v, sub0_sub1)>;
  def : Pat<(R[1] (extractelt R[0]:$v, 1)), (EXTRACT_SUBREG $v, sub2_sub3)>;
}
// Two halves in a register: bytes 1..0 of each.
foreach R = [[v2f16, f16], [v2bf16, bf16]] in {
  def : Pat<(R[0] (build_vector R[1]:$a, R[1]:$b)), (PRMT_r $a, (MOV_i 0x5410), $b, 0)>;
  def : Pat<(R[1] (extractelt R[0]:$v, 0)), (R[1] (COPY_TO_REGCLASS $v, GPR32))>;
  def : Pat<(R[1] (extractelt R[0]:$v, 1)), (PRMT_r $v, (MOV_i 0x7732), (i32 RZ), 0)>;
}
def : Pat<(v2i16 (build_vector i32:$a, i32:$b)), (PRMT_r $a, (MOV_i 0x5410), $b, 0)>;
def : Pat<(i32 (vector_extract v2i16:$v, 0)), (i32 (COPY_TO_REGCLASS $v, GPR32))>;
def : Pat<(i32 (vector_extract v2i16:$v, 1)), (PRMT_r $v, (MOV_i 0x7732), (i32 RZ), 0)>;

//===----------------------------------------------------------------------===//
// Single precision
//===----------------------------------------------------------------------===//

// Rounding modes in the order of Rnd, and the suffixes of llvm.nvvm.
class Rounding<string name, int value> {
  string Name = name;
  int Value = value;
}
defvar Roundings = [Rounding<"rn", 0>, Rounding<"rz", 1>, Rounding<"rm", 2>, Rounding<"rp", 3>];

def : Pat<(fadd (FM_f32 f32:$a, i32:$ma), (FM_f32 f32:$b, i32:$mb)),
          (FADD_r $a, $ma, $b, $mb, 0, 0, 0)>;
def : Pat<(fsub (FM_f32 f32:$a, i32:$ma), (FN_f32 f32:$b, i32:$mb)),
          (FADD_r $a, $ma, $b, $mb, 0, 0, 0)>;
def : Pat<(fmul (FM_f32 f32:$a, i32:$ma), (FM_f32 f32:$b, i32:$mb)),
          (FMUL_r $a, $ma, $b, $mb, 0, 0, 0)>;
def : Pat<(fma (FM_f32 f32:$a, i32:$ma), (FM_f32 f32:$b, i32:$mb), (FM_f32 f32:$c, i32:$mc)),
          (FFMA_r $a, $ma, $b, $mb, $c, $mc, 0, 0, 0)>;
foreach R = Roundings in
foreach F = [0, 1] in {
  defvar Ftz = !if(F, "_ftz", "");
  defvar FM = !if(F, FF_f32, FM_f32);
  def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_mul_"#R.Name#Ftz#"_f")
                     (FM f32:$a, i32:$ma), (FM f32:$b, i32:$mb))),
            (FMUL_r $a, $ma, $b, $mb, R.Value, F, 0)>;
  foreach S = [0, 1] in {
    defvar Sat = !if(S, "_sat", "");
    def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_add_"#R.Name#Ftz#Sat#"_f")
                       (FM f32:$a, i32:$ma), (FM f32:$b, i32:$mb))),
              (FADD_r $a, $ma, $b, $mb, R.Value, F, S)>;
    def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_fma_"#R.Name#Ftz#Sat#"_f")
                       (FM f32:$a, i32:$ma), (FM f32:$b, i32:$mb), (FM f32:$c, i32:$mc))),
              (FFMA_r $a, $ma, $b, $mb, $c, $mc, R.Value, F, S)>;
  }
}
def : Pat<(f32 (fneg f32:$a)), (LOP3_r $a, (MOV_i 0x80000000), (i32 RZ), 0x3C)>;
def : Pat<(f32 (fabs f32:$a)), (LOP3_r $a, (MOV_i 0x7FFFFFFF), (i32 RZ), 0xC0)>;
// One value's sign and the other's rest, by the mask between them.
foreach S = [f32, f16, bf16, f64] in {
  defvar Sign = !cond(!eq(S, f64): (i32 (EXTRACT_SUBREG $b, sub1)),
                      !eq(S, f32): (i32 (COPY_TO_REGCLASS $b, GPR32)),
                      true: (i32 (SHL_r $b, (MOV_i 16))));
  def : Pat<(f32 (fcopysign f32:$a, S:$b)),
            (LOP3_r $a, (MOV_i 0x80000000), Sign, 0xB8)>;
  def : Pat<(f64 (fcopysign f64:$a, S:$b)),
            (REG_SEQUENCE GPR64, (i32 (EXTRACT_SUBREG $a, sub0)), sub0,
             (LOP3_r (i32 (EXTRACT_SUBREG $a, sub1)), (MOV_i 0x80000000), Sign, 0xB8), sub1)>;
}
def : Pat<(f32 (heddle_flush (FF_f32 f32:$a, i32:$ma))),
          (FADD_r $a, $ma, (MOV_i 0x80000000), 0, 0, 1, 0)>;
def : Pat<(f32 (fcanonicalize (FM_f32 f32:$a, i32:$ma))),
          (FADD_r $a, $ma, (MOV_i 0x80000000), 0, 0, 0, 0)>;
def : Pat<(f32 (int_nvvm_saturate_f (FM_f32 f32:$a, i32:$ma))),
          (FADD_r $a, $ma, (MOV_i 0x80000000), 0, 0, 0, 1)>;
def : Pat<(f32 (int_nvvm_saturate_ftz_f (FM_f32 f32:$a, i32:$ma))),
          (FADD_r $a, $ma, (MOV_i 0x80000000), 0, 0, 1, 1)>;
def : Pat<(f32 (int_nvvm_fabs_ftz (FM_f32 f32:$a, i32:$ma))),
          (FADD_r (LOP3_r (FADD_r $a, $ma, (MOV_i 0x80000000), 0, 0, 1, 0), (MOV_i 0x7FFFFFFF), (i32 RZ), 0xC0),
                  0, (MOV_i 0x80000000), 0, 0, 1, 0)>;

// Minimum and maximum: MinMax, NaNMode.
class Extreme<SDNode op, int mm, int nan> {
  SDNode Op = op;
  int MM = mm;
  int NaN = nan;
}
defvar Extremes = [Extreme<fminnum, 0, 0>, Extreme<fmaxnum, 1, 0>,
                   Extreme<fminimumnum, 0, 0>, Extreme<fmaximumnum, 1, 0>,
                   Extreme<fminimum, 0, 1>, Extreme<fmaximum, 1, 1>];
foreach E = Extremes in {
  def : Pat<(f32 (E.Op (FM_f32 f32:$a, i32:$ma), (FM_f32 f32:$b, i32:$mb))),
            (FMNMX_r $a, $ma, $b, $mb, E.MM, E.NaN, 0, 0)>;
  foreach T = [f16, v2f16] in
    def : Pat<(T (E.Op (!cast<ComplexPattern>("FM_"#T) T:$a, i32:$ma),
                       (!cast<ComplexPattern>("FM_"#T) T:$b, i32:$mb))),
              (HMNMX2_r $a, $ma, $b, $mb, 0, E.MM, E.NaN, 0, 0)>;
  foreach T = [bf16, v2bf16] in
    def : Pat<(T (E.Op (!cast<ComplexPattern>("FM_"#T) T:$a, i32:$ma),
                       (!cast<ComplexPattern>("FM_"#T) T:$b, i32:$mb))),
              (HMNMX2_r $a, $ma, $b, $mb, 1, E.MM, E.NaN, 0, 0)>;
}
foreach Row = [["min", "0"], ["max", "1"]] in {
  defvar MM = !if(!eq(Row[0], "max"), 1, 0);
  foreach F = [0, 1] in foreach N = [0, 1] in foreach X = [0, 1] in {
    defvar FM = !if(F, FF_f32, FM_f32);
    def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_f"#Row[0]#!if(F, "_ftz", "")#!if(N, "_nan", "")#!if(X, "_xorsign_abs", "")#"_f")
                       (FM f32:$a, i32:$ma), (FM f32:$b, i32:$mb))),
              (FMNMX_r $a, $ma, $b, $mb, MM, N, X, F)>;
  }
  def : Pat<(f64 (!cast<Intrinsic>("int_nvvm_f"#Row[0]#"_d")
                     (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb))),
            (DMNMX_r $a, $ma, $b, $mb, MM)>;
}

// Approximations: MufuFn.
class Approx<string name, int fn> {
  string Name = name;
  int Fn = fn;
}
foreach A = [Approx<"rsqrt_approx", 1>, Approx<"sqrt_approx", 2>, Approx<"lg2_approx", 3>,
             Approx<"sin_approx", 5>, Approx<"cos_approx", 6>] in {
  def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_"#A.Name#"_f") (FM_f32 f32:$a, i32:$ma))),
            (MUFU $a, $ma, A.Fn, 0)>;
  def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_"#A.Name#"_ftz_f") (FM_f32 f32:$a, i32:$ma))),
            (MUFU $a, $ma, A.Fn, 1)>;
}
def : Pat<(f32 (int_nvvm_ex2_approx (FM_f32 f32:$a, i32:$ma))), (MUFU $a, $ma, 4, 0)>;
def : Pat<(f32 (int_nvvm_ex2_approx_ftz (FM_f32 f32:$a, i32:$ma))), (MUFU $a, $ma, 4, 1)>;
def : Pat<(f32 (int_nvvm_rcp_approx_ftz_f (FM_f32 f32:$a, i32:$ma))), (MUFU $a, $ma, 0, 1)>;

// Rounding to integral values: RintMode.
class Integral<SDNode op, int mode> {
  SDNode Op = op;
  int Mode = mode;
}
foreach I = [Integral<froundeven, 0>, Integral<frint, 0>, Integral<fnearbyint, 0>,
             Integral<ftrunc, 1>, Integral<ffloor, 2>, Integral<fceil, 3>] in {
  def : Pat<(f32 (I.Op (FM_f32 f32:$a, i32:$ma))), (FRND $a, $ma, I.Mode, 0, 0)>;
  def : Pat<(f64 (I.Op (FM_f64 f64:$a, i32:$ma))), (DRND $a, $ma, I.Mode, 0)>;
}
foreach Row = [["round", "0"], ["trunc", "1"], ["floor", "2"], ["ceil", "3"]] in {
  defvar M = !cond(!eq(Row[1], "0"): 0, !eq(Row[1], "1"): 1, !eq(Row[1], "2"): 2, true: 3);
  def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_"#Row[0]#"_f") (FM_f32 f32:$a, i32:$ma))),
            (FRND $a, $ma, M, 0, 0)>;
  def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_"#Row[0]#"_ftz_f") (FM_f32 f32:$a, i32:$ma))),
            (FRND $a, $ma, M, 1, 0)>;
  def : Pat<(f64 (!cast<Intrinsic>("int_nvvm_"#Row[0]#"_d") (FM_f64 f64:$a, i32:$ma))),
            (DRND $a, $ma, M, 0)>;
}

//===----------------------------------------------------------------------===//
// Half precision and bfloat16. A scalar is the low half; the high half is
// computed too and means nothing.
//===----------------------------------------------------------------------===//

foreach T = [f16, v2f16, bf16, v2bf16] in {
  defvar FM = !cast<ComplexPattern>("FM_"#T);
  defvar FN = !cast<ComplexPattern>("FN_"#T);
  defvar Ty = !if(!or(!eq(!cast<string>(T), "bf16"), !eq(!cast<string>(T), "v2bf16")), 1, 0);
  def : Pat<(T (fadd (FM T:$a, i32:$ma), (FM T:$b, i32:$mb))), (HADD2_r $a, $ma, $b, $mb, Ty, 0, 0, 0)>;
  def : Pat<(T (fsub (FM T:$a, i32:$ma), (FN T:$b, i32:$mb))), (HADD2_r $a, $ma, $b, $mb, Ty, 0, 0, 0)>;
  def : Pat<(T (fmul (FM T:$a, i32:$ma), (FM T:$b, i32:$mb))), (HMUL2_r $a, $ma, $b, $mb, Ty, 0, 0, 0)>;
  def : Pat<(T (fma (FM T:$a, i32:$ma), (FM T:$b, i32:$mb), (FM T:$c, i32:$mc))),
            (HFMA2_r $a, $ma, $b, $mb, $c, $mc, Ty, 0, 0, 0)>;
  def : Pat<(T (fneg T:$a)), (LOP3_r $a, (MOV_i 0x80008000), (i32 RZ), 0x3C)>;
  def : Pat<(T (fabs T:$a)), (LOP3_r $a, (MOV_i 0x7FFF7FFF), (i32 RZ), 0xC0)>;
}
foreach Row = [["f16", "0"], ["f16x2", "0"], ["bf16", "1"], ["bf16x2", "1"]] in {
  defvar T = !cond(!eq(Row[0], "f16"): f16, !eq(Row[0], "f16x2"): v2f16,
                   !eq(Row[0], "bf16"): bf16, true: v2bf16);
  defvar FM = !cast<ComplexPattern>("FM_"#T);
  defvar Ty = !if(!eq(Row[1], "1"), 1, 0);
  foreach F = [0, 1] in foreach V = ["", "_sat", "_relu"] in
    def : Pat<(T (!cast<Intrinsic>("int_nvvm_fma_rn"#!if(F, "_ftz", "")#V#"_"#Row[0])
                     (FM T:$a, i32:$ma), (FM T:$b, i32:$mb), (FM T:$c, i32:$mc))),
              (HFMA2_r $a, $ma, $b, $mb, $c, $mc, Ty, F, !if(!eq(V, "_sat"), 1, 0), !if(!eq(V, "_relu"), 1, 0))>;
  foreach MM = [0, 1] in foreach F = [0, 1] in foreach N = [0, 1] in foreach X = [0, 1] in
    def : Pat<(T (!cast<Intrinsic>("int_nvvm_f"#!if(MM, "max", "min")#!if(F, "_ftz", "")#!if(N, "_nan", "")#!if(X, "_xorsign_abs", "")#"_"#Row[0])
                     (FM T:$a, i32:$ma), (FM T:$b, i32:$mb))),
              (HMNMX2_r $a, $ma, $b, $mb, Ty, MM, N, X, F)>;
}
// Approximations through single precision.
foreach F = [0, 1] in {
  defvar Ftz = !if(F, "_ftz", "");
  def : Pat<(f16 (!cast<Intrinsic>("int_nvvm_ex2_approx"#Ftz) (FM_f16 f16:$a, i32:$ma))),
            (F2F (MUFU (F2F $a, $ma, 0, 1, 0, 0, 0, 0), 0, 4, F), 0, 1, 0, 0, 0, 0, 0)>;
}

//===----------------------------------------------------------------------===//
// Double precision
//===----------------------------------------------------------------------===//

def : Pat<(fadd (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb)), (DADD_r $a, $ma, $b, $mb, 0)>;
def : Pat<(fsub (FM_f64 f64:$a, i32:$ma), (FN_f64 f64:$b, i32:$mb)), (DADD_r $a, $ma, $b, $mb, 0)>;
def : Pat<(fmul (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb)), (DMUL_r $a, $ma, $b, $mb, 0)>;
def : Pat<(fma (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb), (FM_f64 f64:$c, i32:$mc)),
          (DFMA_r $a, $ma, $b, $mb, $c, $mc, 0)>;
foreach R = Roundings in {
  def : Pat<(f64 (!cast<Intrinsic>("int_nvvm_add_"#R.Name#"_d") (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb))),
            (DADD_r $a, $ma, $b, $mb, R.Value)>;
  def : Pat<(f64 (!cast<Intrinsic>("int_nvvm_mul_"#R.Name#"_d") (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb))),
            (DMUL_r $a, $ma, $b, $mb, R.Value)>;
  def : Pat<(f64 (!cast<Intrinsic>("int_nvvm_fma_"#R.Name#"_d")
                     (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb), (FM_f64 f64:$c, i32:$mc))),
            (DFMA_r $a, $ma, $b, $mb, $c, $mc, R.Value)>;
}
foreach E = [Extreme<fminnum, 0, 0>, Extreme<fmaxnum, 1, 0>, Extreme<fminimumnum, 0, 0>, Extreme<fmaximumnum, 1, 0>] in
  def : Pat<(f64 (E.Op (FM_f64 f64:$a, i32:$ma), (FM_f64 f64:$b, i32:$mb))),
            (DMNMX_r $a, $ma, $b, $mb, E.MM)>;
def : Pat<(f64 (fneg f64:$a)),
          (REG_SEQUENCE GPR64, (i32 (EXTRACT_SUBREG $a, sub0)), sub0,
                        (LOP3_r (i32 (EXTRACT_SUBREG $a, sub1)), (MOV_i 0x80000000), (i32 RZ), 0x3C), sub1)>;
def : Pat<(f64 (fabs f64:$a)),
          (REG_SEQUENCE GPR64, (i32 (EXTRACT_SUBREG $a, sub0)), sub0,
                        (LOP3_r (i32 (EXTRACT_SUBREG $a, sub1)), (MOV_i 0x7FFFFFFF), (i32 RZ), 0xC0), sub1)>;
def : Pat<(f64 (fcanonicalize (FM_f64 f64:$a, i32:$ma))),
          (DADD_r $a, $ma, (REG_SEQUENCE GPR64, (MOV_i 0), sub0, (MOV_i 0x80000000), sub1), 0, 0)>;
def : Pat<(int_nvvm_lohi_i2d i32:$lo, i32:$hi), (REG_SEQUENCE GPR64, $lo, sub0, $hi, sub1)>;
def : Pat<(int_nvvm_d2i_lo f64:$a), (EXTRACT_SUBREG $a, sub0)>;
def : Pat<(int_nvvm_d2i_hi f64:$a), (EXTRACT_SUBREG $a, sub1)>;

//===----------------------------------------------------------------------===//
// Conversions. FType F32 0, F16 1, BF16 2; IType U32 0, S32 1.
//===----------------------------------------------------------------------===//

class FKind<ValueType vt, int value> {
  ValueType VT = vt;
  int Value = value;
  ComplexPattern FM = !cast<ComplexPattern>("FM_"#vt);
}
defvar FKinds = [FKind<f32, 0>, FKind<f16, 1>, FKind<bf16, 2>];
foreach S = [0, 1] in {
  defvar ToInt = !if(S, fp_to_sint, fp_to_uint);
  defvar FromInt = !if(S, sint_to_fp, uint_to_fp);
  foreach K = FKinds in {
    def : Pat<(i32 (ToInt (K.FM K.VT:$a, i32:$ma))), (F2I $a, $ma, S, K.Value, 1, 0)>;
    def : Pat<(i64 (ToInt (K.FM K.VT:$a, i32:$ma))), (F2I64 $a, $ma, S, K.Value, 1, 0)>;
    def : Pat<(K.VT (FromInt i32:$a)), (I2F $a, K.Value, S, 0)>;
    def : Pat<(K.VT (FromInt i64:$a)), (I642F $a, K.Value, S, 0)>;
  }
  def : Pat<(i32 (ToInt (FM_f64 f64:$a, i32:$ma))), (D2I $a, $ma, S, 1)>;
  def : Pat<(i64 (ToInt (FM_f64 f64:$a, i32:$ma))), (D2I64 $a, $ma, S, 1)>;
  def : Pat<(f64 (FromInt i32:$a)), (I2D $a, S)>;
  def : Pat<(f64 (FromInt i64:$a)), (I642D $a, S, 0)>;
  // Conversions clamp anyway: IType by the width that is clamped to.
  defvar ToSat = !if(S, fp_to_sint_sat, fp_to_uint_sat);
  foreach K = FKinds in {
    def : Pat<(i32 (ToSat (K.FM K.VT:$a, i32:$ma), i32)), (F2I $a, $ma, S, K.Value, 1, 0)>;
    def : Pat<(i32 (ToSat (K.FM K.VT:$a, i32:$ma), i16)), (F2I $a, $ma, !add(2, S), K.Value, 1, 0)>;
    def : Pat<(i32 (ToSat (K.FM K.VT:$a, i32:$ma), i8)), (F2I $a, $ma, !add(4, S), K.Value, 1, 0)>;
    def : Pat<(i64 (ToSat (K.FM K.VT:$a, i32:$ma), i64)), (F2I64 $a, $ma, S, K.Value, 1, 0)>;
  }
  def : Pat<(i32 (ToSat (FM_f64 f64:$a, i32:$ma), i32)), (D2I $a, $ma, S, 1)>;
  def : Pat<(i32 (ToSat (FM_f64 f64:$a, i32:$ma), i16)), (D2I $a, $ma, !add(2, S), 1)>;
  def : Pat<(i32 (ToSat (FM_f64 f64:$a, i32:$ma), i8)), (D2I $a, $ma, !add(4, S), 1)>;
  def : Pat<(i64 (ToSat (FM_f64 f64:$a, i32:$ma), i64)), (D2I64 $a, $ma, S, 1)>;

  defvar U = !if(S, "", "u");
  foreach R = Roundings in {
    foreach F = [0, 1] in {
      defvar Ftz = !if(F, "_ftz", "");
      def : Pat<(i32 (!cast<Intrinsic>("int_nvvm_f2"#U#"i_"#R.Name#Ftz) (FM_f32 f32:$a, i32:$ma))),
                (F2I $a, $ma, S, 0, R.Value, F)>;
      def : Pat<(i64 (!cast<Intrinsic>("int_nvvm_f2"#U#"ll_"#R.Name#Ftz) (FM_f32 f32:$a, i32:$ma))),
                (F2I64 $a, $ma, S, 0, R.Value, F)>;
    }
    def : Pat<(i32 (!cast<Intrinsic>("int_nvvm_d2"#U#"i_"#R.Name) (FM_f64 f64:$a, i32:$ma))),
              (D2I $a, $ma, S, R.Value)>;
    def : Pat<(i64 (!cast<Intrinsic>("int_nvvm_d2"#U#"ll_"#R.Name) (FM_f64 f64:$a, i32:$ma))),
              (D2I64 $a, $ma, S, R.Value)>;
    def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_"#U#"i2f_"#R.Name) i32:$a)), (I2F $a, 0, S, R.Value)>;
    def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_"#U#"ll2f_"#R.Name) i64:$a)), (I642F $a, 0, S, R.Value)>;
    def : Pat<(f64 (!cast<Intrinsic>("int_nvvm_"#U#"i2d_"#R.Name) i32:$a)), (I2D $a, S)>;
    def : Pat<(f64 (!cast<Intrinsic>("int_nvvm_"#U#"ll2d_"#R.Name) i64:$a)), (I642D $a, S, R.Value)>;
  }
}
def : Pat<(f32 (fpextend (FM_f16 f16:$a, i32:$ma))), (F2F $a, $ma, 0, 1, 0, 0, 0, 0)>;
def : Pat<(f32 (fpextend (FM_bf16 bf16:$a, i32:$ma))), (F2F $a, $ma, 0, 2, 0, 0, 0, 0)>;
def : Pat<(f64 (fpextend (FM_f32 f32:$a, i32:$ma))), (F2D $a, $ma, 0, 0, 0)>;
def : Pat<(f64 (fpextend (FM_f16 f16:$a, i32:$ma))), (F2D $a, $ma, 1, 0, 0)>;
def : Pat<(f64 (fpextend (FM_bf16 bf16:$a, i32:$ma))), (F2D $a, $ma, 2, 0, 0)>;
def : Pat<(f16 (fpround (FM_f32 f32:$a, i32:$ma))), (F2F $a, $ma, 1, 0, 0, 0, 0, 0)>;
def : Pat<(bf16 (fpround (FM_f32 f32:$a, i32:$ma))), (F2F $a, $ma, 2, 0, 0, 0, 0, 0)>;
def : Pat<(f32 (fpround (FM_f64 f64:$a, i32:$ma))), (D2F $a, $ma, 0, 0, 0, 0)>;
// Two that are packed at once.
def one_fpround : PatFrag<(ops node:$a), (fpround node:$a), [{ return N->hasOneUse(); }]>;
def : Pat<(v2f16 (build_vector (f16 (one_fpround f32:$a)), (f16 (one_fpround f32:$b)))),
          (F2FP_r $b, $a, 1, 0, 0, 0)>;
def : Pat<(v2bf16 (build_vector (bf16 (one_fpround f32:$a)), (bf16 (one_fpround f32:$b)))),
          (F2FP_r $b, $a, 2, 0, 0, 0)>;
def : Pat<(f16 (fpround (FM_f64 f64:$a, i32:$ma))), (D2F $a, $ma, 1, 0, 0, 0)>;
def : Pat<(bf16 (fpround (FM_f64 f64:$a, i32:$ma))), (D2F $a, $ma, 2, 0, 0, 0)>;
foreach R = Roundings in foreach F = [0, 1] in
  def : Pat<(f32 (!cast<Intrinsic>("int_nvvm_d2f_"#R.Name#!if(F, "_ftz", "")) (FM_f64 f64:$a, i32:$ma))),
            (D2F $a, $ma, 0, R.Value, F, 0)>;
foreach Row = [["rn", "0"], ["rz", "1"]] in foreach Relu = [0, 1] in {
  defvar R = !if(!eq(Row[0], "rz"), 1, 0);
  defvar V = !if(Relu, "_relu", "");
  def : Pat<(v2f16 (!cast<Intrinsic>("int_nvvm_ff2f16x2_"#Row[0]#V) f32:$a, f32:$b)),
            (F2FP_r $a, $b, 1, R, Relu, 0)>;
  def : Pat<(v2bf16 (!cast<Intrinsic>("int_nvvm_ff2bf16x2_"#Row[0]#V) f32:$a, f32:$b)),
            (F2FP_r $a, $b, 2, R, Relu, 0)>;
  def : Pat<(f16 (!cast<Intrinsic>("int_nvvm_f2f16_"#Row[0]#V) (FM_f32 f32:$a, i32:$ma))),
            (F2F $a, $ma, 1, 0, R, 0, 0, Relu)>;
  def : Pat<(bf16 (!cast<Intrinsic>("int_nvvm_f2bf16_"#Row[0]#V) (FM_f32 f32:$a, i32:$ma))),
            (F2F $a, $ma, 2, 0, R, 0, 0, Relu)>;
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

def : Pat<(heddle_exit), (EXIT)>;
def : Pat<(br bb:$tgt), (JMP bb:$tgt)>;
def : Pat<(heddle_brx i64:$a, tjumptable:$t), (BRX_TABLE $a, tjumptable:$t)>;
def : Pat<(trap), (TRAP)>;
def : Pat<(debugtrap), (BPT)>;
def : Pat<(int_nvvm_nanosleep i32:$a), (NANOSLEEP_r $a)>;

def : Pat<(i32 (heddle_sreg timm:$n)), (S2R timm:$n)>;
def : Pat<(i64 (heddle_sreg timm:$n)), (S2R64 timm:$n)>;
def : Pat<(i32 (heddle_sreg_chain timm:$n)), (S2R_VOLATILE timm:$n)>;
def : Pat<(i64 (heddle_sreg_chain timm:$n)), (S2R64_VOLATILE timm:$n)>;
def : Pat<(i64 (heddle_address tglobaladdr:$s)), (MOV64W tglobaladdr:$s)>;
def : Pat<(i64 (heddle_address texternalsym:$s)), (MOV64W texternalsym:$s)>;
def : Pat<(i64 (heddle_address tblockaddress:$s)), (MOV64W tblockaddress:$s)>;
def : Pat<(i64 (heddle_address tjumptable:$s)), (MOV64W tjumptable:$s)>;
def : Pat<(i32 (heddle_address tglobaladdr:$s)), (MOV_i tglobaladdr:$s)>;

def : Pat<(heddle_ret), (PRET)>;
def : Pat<(heddle_call tglobaladdr:$f), (PCALL tglobaladdr:$f)>;
def : Pat<(heddle_call texternalsym:$f), (PCALL texternalsym:$f)>;
def : Pat<(heddle_call i64:$f), (PCALLR $f)>;
def : Pat<(heddle_syscall timm:$n), (SYSCALL timm:$n)>;
