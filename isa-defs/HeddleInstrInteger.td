//===- HeddleInstrInteger.td - Integer and logic -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions of integers of 32 and 64 bits, logic, shifts and bit fields.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Addition and multiplication
//===----------------------------------------------------------------------===//

def OP_IADD3 : ISAOp<0x01, LC_ALU, "Three-input add",
  "d = (±a) + (±b) + (±c) modulo 2^32.",
  SWAP_Plain>;
let isReMaterializable = 1 in
defm IADD3 : Alu3<OP_IADD3, (outs GPR32:$d), (ins GPR32:$a, Neg:$ma),
                  (ins Neg:$mb), (ins Neg:$mc), " $d, $a~ma, ", "~mb, ", "~mc">;

def OP_IADDC : ISAOp<0x02, LC_ALU, "Add with carry",
  "d = a + (mb ? ~b : b) + s modulo 2^32, where s is the carry-in (0 or 1, after its negation); p is the carry out of bit 31. A subtraction a - b sets mb and starts with carry-in 1; p is then 1 where no borrow occurred.">;
defm IADDC : Alu2<OP_IADDC, (outs GPR32:$d, PR:$p), (ins GPR32:$a),
                  (ins Neg:$mb, PR:$s, Not:$sn), " $d, $p, $a, ", "~mb, $s~sn">;

def OP_IADD64 : ISAOp<0x03, LC_ALU64, "64-bit add",
  "d = (±a) + (±b) modulo 2^64. An immediate or uniform b is sign-extended from 32 bits, or a 64-bit uniform group.",
  SWAP_Plain>;
let isReMaterializable = 1 in
defm IADD64 : Alu2<OP_IADD64, (outs GPR64:$d), (ins GPR64:$a, Neg:$ma),
                   (ins Neg:$mb), " $d, $a~ma, ", "~mb", GPR64, Imm32, UGPR64>;

def OP_LEA : ISAOp<0x04, LC_ALU, "Shift and add",
  "d = (a << sh) + b modulo 2^32.">;
let isReMaterializable = 1 in
defm LEA : Alu2<OP_LEA, (outs GPR32:$d), (ins GPR32:$a), (ins UImm5:$sh),
                " $d, $a, ", ", $sh">;

def OP_LEA64 : ISAOp<0x05, LC_ALU64, "Extend, shift and add to a 64-bit base",
  "d = b + (ext(a) << sh) modulo 2^64, where ext widens the 32-bit a with zeros (UX) or its sign (SX).">;
let isReMaterializable = 1 in
defm LEA64 : Alu2<OP_LEA64, (outs GPR64:$d), (ins GPR32:$a),
                  (ins UImm5:$sh, Ext:$ext), "$ext $d, $a, ", ", $sh",
                  GPR64, Imm32, UGPR64>;

def OP_IMAD : ISAOp<0x06, LC_FMA, "Multiply and add",
  "d = a * b + (±c) modulo 2^32.",
  SWAP_Plain>;
let isReMaterializable = 1 in
defm IMAD : Alu3<OP_IMAD, (outs GPR32:$d), (ins GPR32:$a), (ins), (ins Neg:$mc),
                 " $d, $a, ", ", ", "~mc">;

def OP_IMADHI : ISAOp<0x07, LC_WIDE, "Multiply, high half, and add",
  "d = bits 63..32 of the signed or unsigned product a * b, plus c, modulo 2^32.",
  SWAP_Plain>;
let isReMaterializable = 1 in
defm IMADHI : Alu3<OP_IMADHI, (outs GPR32:$d), (ins GPR32:$a), (ins),
                   (ins Sign:$sgn), "$sgn $d, $a, ", ", ", "">;

def OP_IMADW : ISAOp<0x08, LC_WIDE, "Multiply wide and add",
  "d = the 64-bit signed or unsigned product a * b, plus the 64-bit c, modulo 2^64. An immediate c is sign-extended.",
  SWAP_Plain>;
let isReMaterializable = 1 in
defm IMADW : Alu3<OP_IMADW, (outs GPR64:$d), (ins GPR32:$a), (ins),
                  (ins Sign:$sgn), "$sgn $d, $a, ", ", ", "",
                  GPR32, GPR64, Imm32, UGPR32, UGPR64>;

def OP_ISAD : ISAOp<0x09, LC_ALU, "Sum of absolute difference",
  "d = |a - b| + c modulo 2^32, the difference taken without overflow in the signedness given.",
  SWAP_Plain>;
let isReMaterializable = 1 in
defm ISAD : Alu3<OP_ISAD, (outs GPR32:$d), (ins GPR32:$a), (ins), (ins Sign:$sgn),
                 "$sgn $d, $a, ", ", ", "">;

def OP_DP4A : ISAOp<0x0A, LC_WIDE, "Four-way dot product of bytes",
  "d = c + sum over i of a.byte[i] * b.byte[i] modulo 2^32; the bytes of a have the signedness sgn, those of b sgnb.">;
defm DP4A : Alu3<OP_DP4A, (outs GPR32:$d), (ins GPR32:$a), (ins),
                 (ins ShortSign:$sgn, ShortSign:$sgnb),
                 "$sgn$sgnb $d, $a, ", ", ", "">;

def OP_DP2A : ISAOp<0x0B, LC_WIDE, "Two-way dot product of halves and bytes",
  "d = c + a.half[0] * b.byte[h] + a.half[1] * b.byte[h+1] modulo 2^32, h = 0 for LO and 2 for HI; the halves of a have the signedness sgn, the bytes of b sgnb.">;
defm DP2A : Alu3<OP_DP2A, (outs GPR32:$d), (ins GPR32:$a), (ins),
                 (ins HalfPart:$half, ShortSign:$sgn, ShortSign:$sgnb),
                 "$half$sgn$sgnb $d, $a, ", ", ", "">;

//===----------------------------------------------------------------------===//
// Comparison, selection, extremes
//===----------------------------------------------------------------------===//

def OP_ISETP : ISAOp<0x0C, LC_PRED, "Compare and set predicate",
  "p = (a cmp b) bop s, compared in the signedness given; s after its negation. ANY: a bit is set in a and b; NONE: no bit is.",
  SWAP_Compare>;
defm ISETP : Alu2<OP_ISETP, (outs PR:$p), (ins GPR32:$a),
                  (ins CmpI:$cmp, Sign:$sgn, BoolOp:$bop, PR:$s, Not:$sn),
                  "$cmp$sgn$bop $p, $a, ", ", $s~sn">;

def OP_ISETP64 : ISAOp<0x0D, LC_PRED, "64-bit compare and set predicate",
  "p = (a cmp b) bop s on 64-bit values. An immediate b is sign-extended.",
  SWAP_Compare>;
defm ISETP64 : Alu2<OP_ISETP64, (outs PR:$p), (ins GPR64:$a),
                    (ins CmpI:$cmp, Sign64:$sgn, BoolOp:$bop, PR:$s, Not:$sn),
                    "$cmp$sgn$bop $p, $a, ", ", $s~sn", GPR64, Imm32, UGPR64>;

def OP_IMNMX : ISAOp<0x0E, LC_ALU, "Minimum or maximum",
  "d = the smaller or larger of a and b.",
  SWAP_Plain>;
let isReMaterializable = 1 in
defm IMNMX : Alu2<OP_IMNMX, (outs GPR32:$d), (ins GPR32:$a),
                  (ins MinMax:$minmax, Sign:$sgn), "$minmax$sgn $d, $a, ", "">;

def OP_IMNMX3 : ISAOp<0x0F, LC_ALU, "Minimum or maximum of three",
  "d = the smallest or largest of a, b and c.",
  SWAP_Plain>;
let isReMaterializable = 1 in
defm IMNMX3 : Alu3<OP_IMNMX3, (outs GPR32:$d), (ins GPR32:$a), (ins),
                   (ins MinMax:$minmax, Sign:$sgn), "$minmax$sgn $d, $a, ", ", ", "">;

def OP_IMNMX64 : ISAOp<0x10, LC_ALU64, "64-bit minimum or maximum",
  "d = the smaller or larger of a and b.",
  SWAP_Plain>;
defm IMNMX64 : Alu2<OP_IMNMX64, (outs GPR64:$d), (ins GPR64:$a),
                    (ins MinMax:$minmax, Sign64:$sgn), "$minmax$sgn $d, $a, ", "",
                    GPR64, Imm32, UGPR64>;

def OP_IABS : ISAOp<0x11, LC_ALU, "Absolute value",
  "d = |b| modulo 2^32; the most negative value stays as it is.">;
let isReMaterializable = 1 in
defm IABS : Alu2<OP_IABS, (outs GPR32:$d), (ins), (ins), " $d, ", "">;

def OP_SEL : ISAOp<0x12, LC_ALU, "Select",
  "d = s ? a : b, with s after its negation.",
  SWAP_Select>;
defm SEL : Alu2<OP_SEL, (outs GPR32:$d), (ins GPR32:$a), (ins PR:$s, Not:$sn),
                " $d, $a, ", ", $s~sn">;

def OP_SEL64 : ISAOp<0x13, LC_ALU64, "64-bit select",
  "d = s ? a : b, with s after its negation. An immediate b is sign-extended.",
  SWAP_Select>;
defm SEL64 : Alu2<OP_SEL64, (outs GPR64:$d), (ins GPR64:$a), (ins PR:$s, Not:$sn),
                  " $d, $a, ", ", $s~sn", GPR64, Imm32, UGPR64>;

//===----------------------------------------------------------------------===//
// Logic, shifts, bit fields
//===----------------------------------------------------------------------===//

def OP_LOP3 : ISAOp<0x14, LC_ALU, "Logic of three inputs",
  "Bit i of d is bit (a[i] * 4 + b[i] * 2 + c[i]) of lut.",
  SWAP_Lut>;
let isReMaterializable = 1 in
defm LOP3 : Alu3<OP_LOP3, (outs GPR32:$d), (ins GPR32:$a), (ins), (ins LutImm:$lut),
                 " $d, $a, ", ", ", ", $lut">;

def OP_SHL : ISAOp<0x15, LC_ALU, "Shift left",
  "d = a << b, zero where b (unsigned) is 32 or more.">;
let isReMaterializable = 1 in
defm SHL : Alu2<OP_SHL, (outs GPR32:$d), (ins GPR32:$a), (ins), " $d, $a, ", "">;

def OP_SHR : ISAOp<0x16, LC_ALU, "Shift right",
  "d = a >> b, filled with zeros (U32) or the sign (S32); b (unsigned) above 31 acts as 32 (U32) or 31 (S32).">;
let isReMaterializable = 1 in
defm SHR : Alu2<OP_SHR, (outs GPR32:$d), (ins GPR32:$a), (ins Sign:$sgn),
                "$sgn $d, $a, ", "">;

def OP_SHL64 : ISAOp<0x17, LC_ALU64, "64-bit shift left",
  "d = a << b, zero where b (32 bits, unsigned) is 64 or more.">;
let isReMaterializable = 1 in
defm SHL64 : Alu2<OP_SHL64, (outs GPR64:$d), (ins GPR64:$a), (ins), " $d, $a, ", "">;

def OP_SHR64 : ISAOp<0x18, LC_ALU64, "64-bit shift right",
  "d = a >> b, filled with zeros (U64) or the sign (S64); b above 63 acts as 64 or 63.">;
let isReMaterializable = 1 in
defm SHR64 : Alu2<OP_SHR64, (outs GPR64:$d), (ins GPR64:$a), (ins Sign64:$sgn),
                  "$sgn $d, $a, ", "">;

def OP_FSHL : ISAOp<0x19, LC_ALU, "Funnel shift left",
  "d = bits 63..32 of the pair c:a shifted left by b, where b is taken modulo 32 (W) or clamped to 32 (C).">;
let isReMaterializable = 1 in
defm FSHL : Alu3<OP_FSHL, (outs GPR32:$d), (ins GPR32:$a), (ins), (ins Wrap:$fn),
                   "$fn $d, $a, ", ", ", "">;

def OP_FSHR : ISAOp<0x1A, LC_ALU, "Funnel shift right",
  "d = bits 31..0 of the pair c:a shifted right by b, where b is taken modulo 32 (W) or clamped to 32 (C).">;
let isReMaterializable = 1 in
defm FSHR : Alu3<OP_FSHR, (outs GPR32:$d), (ins GPR32:$a), (ins), (ins Wrap:$fn),
                   "$fn $d, $a, ", ", ", "">;

def OP_BFE : ISAOp<0x1B, LC_ALU, "Bit-field extract",
  "With pos = b[7:0] and len = b[15:8]: d = the len bits of a from bit pos on, extended with zeros (U32) or with the bit min(pos + len - 1, 31) of a (S32); 0 where len is 0. Bits above 31 of a read as 0 (U32) or as its sign (S32).">;
let isReMaterializable = 1 in
defm BFE : Alu2<OP_BFE, (outs GPR32:$d), (ins GPR32:$a), (ins Sign:$sgn),
                "$sgn $d, $a, ", "">;

def OP_BFI : ISAOp<0x1C, LC_ALU, "Bit-field insert",
  "With pos = b[7:0] and len = b[15:8]: d = c with its len bits from bit pos on replaced by the low bits of a; bits past 31 are dropped.">;
let isReMaterializable = 1 in
defm BFI : Alu3<OP_BFI, (outs GPR32:$d), (ins GPR32:$a), (ins), (ins),
                " $d, $a, ", ", ", "">;

def OP_BREV : ISAOp<0x1D, LC_CONV, "Bit reverse", "Bit i of d is bit 31 - i of b.">;
defm BREV : Alu2<OP_BREV, (outs GPR32:$d), (ins), (ins), " $d, ", "">;

def OP_POPC : ISAOp<0x1E, LC_CONV, "Population count", "d = the number of ones in b.">;
defm POPC : Alu2<OP_POPC, (outs GPR32:$d), (ins), (ins), " $d, ", "">;

def OP_FLO : ISAOp<0x1F, LC_CONV, "Find leading one",
  "d = the position of the most significant one of b (U32) or of the most significant bit that differs from the sign (S32), all ones where there is none. SH: 31 minus that position. CLZ: the number of leading zeros (or sign bits less one), 32 (31) where there is none.">;
defm FLO : Alu2<OP_FLO, (outs GPR32:$d), (ins), (ins FloMode:$fn, Sign:$sgn),
                "$fn$sgn $d, ", "">;

def OP_PRMT : ISAOp<0x20, LC_ALU, "Permute bytes",
  "The bytes of c:a are numbered 7..0. Without a mode, nibble i of b selects byte i of d by its low three bits; its top bit set replicates that byte's sign. The modes F4E, B4E, RC8, ECL, ECR and RC16 are those of PTX prmt, chosen by b[1:0].">;
let isReMaterializable = 1 in
defm PRMT : Alu3<OP_PRMT, (outs GPR32:$d), (ins GPR32:$a), (ins), (ins PrmtMode:$fn),
                 "$fn $d, $a, ", ", ", "">;

//===----------------------------------------------------------------------===//
// Elements of words
//===----------------------------------------------------------------------===//

def OP_VALU : ISAOp<0x69, LC_ALU, "Two operations on elements",
  "Words are vectors of elements of type ety. First r = fn(a, b) for each: the sum, the difference a - b, the smaller, the larger, half the sum rounded to nearest, ties away from zero (AVG), or down (AVGDN), |a - b|, or a comparison, all ones where it holds and zero elsewhere. SAT clamps r to the range of the type; only ADD, SUB and ABSDIFF have it. Then d = r, cut to the element; with MIN and MAX the smaller and larger of that and c. With ACC d, c and the result are words: d = c plus all r before they are cut, a comparison counting 1, modulo 2^32. RELU replaces negative elements of d by zero; only signed types without ACC have it.">;
let isReMaterializable = 1 in
defm VALU : Alu3<OP_VALU, (outs GPR32:$d), (ins GPR32:$a), (ins),
                 (ins ElementOp:$fn, ElementType:$ety, Sat:$sat, ElementThen:$then, Relu:$relu),
                 "$fn$ety$sat$then$relu $d, $a, ", ", ", "">;

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

def OP_MOV : ISAOp<0x21, LC_ALU, "Move", "d = b.">;
let isMoveReg = 1, isReMaterializable = 1 in
defm MOV : Alu2<OP_MOV, (outs GPR32:$d), (ins), (ins), " $d, ", "">;

def OP_MOV64 : ISAOp<0x22, LC_ALU64, "64-bit move",
  "d = b. An immediate is sign-extended.">;
let isReMaterializable = 1 in
defm MOV64 : Alu2<OP_MOV64, (outs GPR64:$d), (ins), (ins), " $d, ", "",
                  GPR64, Imm32, UGPR64>;

def OP_MOV64W : ISAOp<0x23, LC_ALU64, "64-bit immediate", "d = the 64-bit immediate.">;
let isReMaterializable = 1 in
def MOV64W : HInst<OP_MOV64W, FormI, (outs GPR64:$d), (ins Imm64:$wide), " $d, $wide">;

def OP_S2R : ISAOp<0x24, LC_S2R, "Read a special register",
  "d = the special register whose number b is; the numbers are in HeddleABI.td.">;
let isReMaterializable = 1 in
def S2R : HInst<OP_S2R, FormI, (outs GPR32:$d), (ins SRegImm:$b), " $d, $b">;
def OP_S2R64 : ISAOp<0x25, LC_S2R, "Read a 64-bit special register",
  "d = the special register whose number b is.">;
let isReMaterializable = 1 in
def S2R64 : HInst<OP_S2R64, FormI, (outs GPR64:$d), (ins SRegImm:$b), " $d, $b">;

//===----------------------------------------------------------------------===//
// Predicates
//===----------------------------------------------------------------------===//

def OP_PLOP3 : ISAOp<0x26, LC_PRED, "Predicate logic of three inputs",
  "p = bit (s * 4 + t * 2 + v) of b, where s, t and v are taken after their negations.">;
def PLOP3 : HInst<OP_PLOP3, FormI, (outs PR:$p),
                  (ins PR:$s, Not:$sn, PR:$t, Not:$tn, PR:$v, Not:$vn, LutImm:$b),
                  " $p, $s~sn, $t~tn, $v~vn, $b">;

def OP_P2R : ISAOp<0x27, LC_ALU, "Pack predicates",
  "d = the predicates P6..P0 in bits 6..0; the other bits are zero.">;
def P2R : HInst<OP_P2R, FormR, (outs GPR32:$d), (ins), " $d">;
def OP_R2P : ISAOp<0x28, LC_PRED, "Unpack predicates",
  "Pi = a[i] for every i whose bit is set in b.">;
def R2P : HInst<OP_R2P, FormI, (outs), (ins GPR32:$a, LutImm:$b), " $a, $b">;
