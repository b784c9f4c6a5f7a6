//===- HeddleInstrFloat.td - Floating point -*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results are rounded once, to nearest even unless rnd says otherwise. A NaN
// result of arithmetic is the canonical 0x7fffffff (f32), 0x7fff (f16, bf16)
// or 0xfff8000000000000 (f64). FTZ replaces subnormal inputs and results by
// zeros of their sign; SAT clamps to [0, 1] with NaN becoming +0.
//
//===----------------------------------------------------------------------===//

//===----------------------------------------------------------------------===//
// Single precision
//===----------------------------------------------------------------------===//

def OP_FADD : ISAOp<0x30, LC_FMA, "Add", "d = a + b.", SWAP_Plain>;
defm FADD : Alu2<OP_FADD, (outs GPR32:$d), (ins GPR32:$a, NegAbs:$ma),
                 (ins NegAbs:$mb, Rnd:$rnd, Ftz:$ftz, Sat:$sat),
                 "$rnd$ftz$sat $d, $a~ma, ", "~mb", GPR32, FImm32>;
def OP_FMUL : ISAOp<0x31, LC_FMA, "Multiply", "d = a * b.", SWAP_Plain>;
defm FMUL : Alu2<OP_FMUL, (outs GPR32:$d), (ins GPR32:$a, NegAbs:$ma),
                 (ins NegAbs:$mb, Rnd:$rnd, Ftz:$ftz, Sat:$sat),
                 "$rnd$ftz$sat $d, $a~ma, ", "~mb", GPR32, FImm32>;
def OP_FFMA : ISAOp<0x32, LC_FMA, "Fused multiply and add",
  "d = a * b + c, rounded once.",
  SWAP_Plain>;
defm FFMA : Alu3<OP_FFMA, (outs GPR32:$d), (ins GPR32:$a, NegAbs:$ma),
                 (ins NegAbs:$mb),
                 (ins NegAbs:$mc, Rnd:$rnd, Ftz:$ftz, Sat:$sat),
                 "$rnd$ftz$sat $d, $a~ma, ", "~mb, ", "~mc",
                 GPR32, GPR32, FImm32>;
def OP_FMNMX : ISAOp<0x33, LC_ALU, "Minimum or maximum",
  "d = the smaller or larger of a and b; -0 is less than +0. A NaN loses against a number, and wins (canonical) with NAN. XORSIGN: the magnitudes are compared, and the sign of d is the exclusive or of both signs.",
  SWAP_Plain>;
defm FMNMX : Alu2<OP_FMNMX, (outs GPR32:$d), (ins GPR32:$a, NegAbs:$ma),
                  (ins NegAbs:$mb, MinMax:$minmax, NaNMode:$nan, XorSign:$xorsign, Ftz:$ftz),
                  "$minmax$nan$xorsign$ftz $d, $a~ma, ", "~mb", GPR32, FImm32>;
def OP_FMNMX3 : ISAOp<0x34, LC_ALU, "Minimum or maximum of three",
  "d = FMNMX(FMNMX(a, b), c).">;
defm FMNMX3 : Alu3<OP_FMNMX3, (outs GPR32:$d), (ins GPR32:$a, NegAbs:$ma),
                   (ins NegAbs:$mb),
                   (ins NegAbs:$mc, MinMax:$minmax, NaNMode:$nan, XorSign:$xorsign, Ftz:$ftz),
                   "$minmax$nan$xorsign$ftz $d, $a~ma, ", "~mb, ", "~mc",
                   GPR32, GPR32, FImm32>;
def OP_FSETP : ISAOp<0x35, LC_PRED, "Compare and set predicate",
  "p = (a cmp b) bop s. LT to GE are false where an input is NaN, LTU to GEU true; NUM: neither is NaN; NAN: one is.",
  SWAP_Compare>;
defm FSETP : Alu2<OP_FSETP, (outs PR:$p), (ins GPR32:$a, NegAbs:$ma),
                  (ins NegAbs:$mb, CmpF:$cmp, Ftz:$ftz, BoolOp:$bop, PR:$s, Not:$sn),
                  "$cmp$ftz$bop $p, $a~ma, ", "~mb, $s~sn", GPR32, FImm32>;
def OP_MUFU : ISAOp<0x36, LC_MUFU, "Function approximation",
  "d = fn(a): reciprocal, reciprocal square root, square root, base-2 logarithm and exponential, sine and cosine (radians), hyperbolic tangent; accuracy as PTX asks of its .approx instructions.">;
def MUFU : HInst<OP_MUFU, FormR, (outs GPR32:$d),
                 (ins GPR32:$a, NegAbs:$ma, MufuFn:$fn, Ftz:$ftz), "$fn$ftz $d, $a~ma">;
def OP_FRND : ISAOp<0x37, LC_CONV, "Round to integral",
  "d = b rounded to an integral value, ties to even for RN; the sign of a zero result is that of b.">;
def FRND : HInst<OP_FRND, FormR, (outs GPR32:$d),
                 (ins GPR32:$b, NegAbs:$mb, RintMode:$rnd, Ftz:$ftz, Sat:$sat),
                 "$rnd$ftz$sat $d, $b~mb">;

// Division and square root: see docs/ir-contract.md for how they are used.
def OP_FDPREP : ISAOp<0x38, LC_FMA, "Prepare a division",
  "d0 and d1 (a group of two) = the significands of a and b scaled into [1, 2), positive; 1 for zero, infinity and NaN. FTZ treats subnormals as zero.">;
def FDPREP : HInst<OP_FDPREP, FormR, (outs GPR64:$d),
                   (ins GPR32:$a, GPR32:$b, Ftz:$ftz), "$ftz $d, $a, $b">;
def OP_FDFIX : ISAOp<0x39, LC_FMA, "Finish a division",
  "a is a group of two: a0 the quotient of the significands rounded to nearest, a1 the remainder's value or sign. d = the quotient b / c, rounded per rnd from a0, the sign of a1, and the exponents and signs of b and c; special cases as IEEE 754 has them.">;
def FDFIX : HInst<OP_FDFIX, FormR, (outs GPR32:$d),
                  (ins GPR64:$a, GPR32:$b, GPR32:$c, Rnd:$rnd, Ftz:$ftz),
                  "$rnd$ftz $d, $a, $b, $c">;
def OP_FSQPREP : ISAOp<0x3A, LC_FMA, "Prepare a square root",
  "d = b scaled into [1, 4) by an even power of two, positive; 1 for zero, infinity and NaN.">;
def FSQPREP : HInst<OP_FSQPREP, FormR, (outs GPR32:$d), (ins GPR32:$b, Ftz:$ftz),
                    "$ftz $d, $b">;
def OP_FSQFIX : ISAOp<0x3B, LC_FMA, "Finish a square root",
  "a is a group of two: a0 the root of the scaled value rounded to nearest, a1 the remainder's value or sign. d = the square root of b rounded per rnd.">;
def FSQFIX : HInst<OP_FSQFIX, FormR, (outs GPR32:$d),
                   (ins GPR64:$a, GPR32:$b, Rnd:$rnd, Ftz:$ftz), "$rnd$ftz $d, $a, $b">;

//===----------------------------------------------------------------------===//
// Half precision and bfloat16, two in a register
//===----------------------------------------------------------------------===//

def OP_HADD2 : ISAOp<0x40, LC_HALF, "Packed half add",
  "d.lo = a.lo + b.lo and d.hi = a.hi + b.hi. Source modifiers apply to both halves; a 32-bit immediate holds both.",
  SWAP_Plain>;
defm HADD2 : Alu2<OP_HADD2, (outs GPR32:$d), (ins GPR32:$a, NegAbs:$ma),
                  (ins NegAbs:$mb, HalfType:$dty, Ftz:$ftz, Sat:$sat, Relu:$relu),
                  "$dty$ftz$sat$relu $d, $a~ma, ", "~mb">;
def OP_HMUL2 : ISAOp<0x41, LC_HALF, "Packed half multiply",
  "d.lo = a.lo * b.lo and d.hi = a.hi * b.hi.",
  SWAP_Plain>;
defm HMUL2 : Alu2<OP_HMUL2, (outs GPR32:$d), (ins GPR32:$a, NegAbs:$ma),
                  (ins NegAbs:$mb, HalfType:$dty, Ftz:$ftz, Sat:$sat, Relu:$relu),
                  "$dty$ftz$sat$relu $d, $a~ma, ", "~mb">;
def OP_HFMA2 : ISAOp<0x42, LC_HALF, "Packed half fused multiply and add",
  "d = a * b + c in each half, rounded once. RELU: a negative or NaN result becomes +0 (NaN stays NaN).",
  SWAP_Plain>;
defm HFMA2 : Alu3<OP_HFMA2, (outs GPR32:$d), (ins GPR32:$a, NegAbs:$ma),
                  (ins NegAbs:$mb),
                  (ins NegAbs:$mc, HalfType:$dty, Ftz:$ftz, Sat:$sat, Relu:$relu),
                  "$dty$ftz$sat$relu $d, $a~ma, ", "~mb, ", "~mc">;
def OP_HMNMX2 : ISAOp<0x43, LC_HALF, "Packed half minimum or maximum",
  "As FMNMX, in each half.",
  SWAP_Plain>;
defm HMNMX2 : Alu2<OP_HMNMX2, (outs GPR32:$d), (ins GPR32:$a, NegAbs:$ma),
                   (ins NegAbs:$mb, HalfType:$sty, MinMax:$minmax, NaNMode:$nan,
                        XorSign:$xorsign, Ftz:$ftz),
                   "$sty$minmax$nan$xorsign$ftz $d, $a~ma, ", "~mb">;
def OP_HSETP2 : ISAOp<0x44, LC_PRED, "Packed half compare",
  "p = (a.lo cmp b.lo) bop s, q = (a.hi cmp b.hi) bop s.">;
defm HSETP2 : Alu2<OP_HSETP2, (outs PR:$p, PR:$q), (ins GPR32:$a, NegAbs:$ma),
                   (ins NegAbs:$mb, HalfType:$sgn, CmpF:$cmp, Ftz:$ftz, BoolOp:$bop,
                        PR:$s, Not:$sn),
                   "$sgn$cmp$ftz$bop $p, $q, $a~ma, ", "~mb, $s~sn">;

//===----------------------------------------------------------------------===//
// Double precision
//===----------------------------------------------------------------------===//

def OP_DADD : ISAOp<0x48, LC_F64, "Double add",
  "d = a + b. A 32-bit immediate is the high half of a double whose low half is zero.",
  SWAP_Plain>;
defm DADD : Alu2<OP_DADD, (outs GPR64:$d), (ins GPR64:$a, NegAbs:$ma),
                 (ins NegAbs:$mb, Rnd:$rnd), "$rnd $d, $a~ma, ", "~mb",
                 GPR64, DImm32, UGPR64>;
def OP_DMUL : ISAOp<0x49, LC_F64, "Double multiply", "d = a * b.",
  SWAP_Plain>;
defm DMUL : Alu2<OP_DMUL, (outs GPR64:$d), (ins GPR64:$a, NegAbs:$ma),
                 (ins NegAbs:$mb, Rnd:$rnd), "$rnd $d, $a~ma, ", "~mb",
                 GPR64, DImm32, UGPR64>;
def OP_DFMA : ISAOp<0x4A, LC_F64, "Double fused multiply and add",
  "d = a * b + c, rounded once.",
  SWAP_Plain>;
defm DFMA : Alu3<OP_DFMA, (outs GPR64:$d), (ins GPR64:$a, NegAbs:$ma),
                 (ins NegAbs:$mb), (ins NegAbs:$mc, Rnd:$rnd),
                 "$rnd $d, $a~ma, ", "~mb, ", "~mc",
                 GPR64, GPR64, DImm32, UGPR64, UGPR64>;
def OP_DMNMX : ISAOp<0x4B, LC_F64, "Double minimum or maximum", "As FMNMX.",
  SWAP_Plain>;
defm DMNMX : Alu2<OP_DMNMX, (outs GPR64:$d), (ins GPR64:$a, NegAbs:$ma),
                  (ins NegAbs:$mb, MinMax:$minmax), "$minmax $d, $a~ma, ", "~mb",
                  GPR64, DImm32, UGPR64>;
def OP_DSETP : ISAOp<0x4C, LC_F64, "Double compare", "p = (a cmp b) bop s.",
  SWAP_Compare>;
defm DSETP : Alu2<OP_DSETP, (outs PR:$p), (ins GPR64:$a, NegAbs:$ma),
                  (ins NegAbs:$mb, CmpF:$cmp, BoolOp:$bop, PR:$s, Not:$sn),
                  "$cmp$bop $p, $a~ma, ", "~mb, $s~sn", GPR64, DImm32, UGPR64>;
def OP_DRND : ISAOp<0x4D, LC_F64, "Double round to integral", "As FRND.">;
def DRND : HInst<OP_DRND, FormR, (outs GPR64:$d),
                 (ins GPR64:$b, NegAbs:$mb, RintMode:$rnd, Sat:$sat), "$rnd$sat $d, $b~mb">;
def OP_DDPREP : ISAOp<0x4E, LC_F64, "Prepare a double division", "As FDPREP.">;
def DDPREP : HInst<OP_DDPREP, FormR, (outs GPR128:$d), (ins GPR64:$a, GPR64:$b),
                   " $d, $a, $b">;
def OP_DDFIX : ISAOp<0x4F, LC_F64, "Finish a double division", "As FDFIX.">;
def DDFIX : HInst<OP_DDFIX, FormR, (outs GPR64:$d),
                  (ins GPR128:$a, GPR64:$b, GPR64:$c, Rnd:$rnd), "$rnd $d, $a, $b, $c">;
def OP_DSQPREP : ISAOp<0x50, LC_F64, "Prepare a double square root", "As FSQPREP.">;
def DSQPREP : HInst<OP_DSQPREP, FormR, (outs GPR64:$d), (ins GPR64:$b), " $d, $b">;
def OP_DSQFIX : ISAOp<0x51, LC_F64, "Finish a double square root", "As FSQFIX.">;
def DSQFIX : HInst<OP_DSQFIX, FormR, (outs GPR64:$d),
                   (ins GPR128:$a, GPR64:$b, Rnd:$rnd), "$rnd $d, $a, $b">;

//===----------------------------------------------------------------------===//
// Conversions. dty is the type of the result, sty that of the source. Float to
// integer clamps to the range of the result; NaN gives 0, or the most negative
// value (all ones for unsigned) where a 64-bit integer takes part: see PTX cvt.
//===----------------------------------------------------------------------===//

def OP_F2I : ISAOp<0x58, LC_CONV, "Float to integer",
  "d = b rounded to an integer of type dty and clamped to its range; a NaN gives 0.">;
def F2I : HInst<OP_F2I, FormR, (outs GPR32:$d),
                (ins GPR32:$b, NegAbs:$mb, IType:$dty, FType:$sty, RintMode:$rnd, Ftz:$ftz),
                "$dty$sty$rnd$ftz $d, $b~mb">;
def OP_F2I64 : ISAOp<0x59, LC_CONV, "Float to 64-bit integer",
  "d = b rounded and clamped; a NaN gives 0x8000000000000000.">;
def F2I64 : HInst<OP_F2I64, FormR, (outs GPR64:$d),
                  (ins GPR32:$b, NegAbs:$mb, IType64:$dty, FType:$sty, RintMode:$rnd, Ftz:$ftz),
                  "$dty$sty$rnd$ftz $d, $b~mb">;
def OP_D2I : ISAOp<0x5A, LC_F64, "Double to integer",
  "d = b rounded and clamped; a NaN gives 0.">;
def D2I : HInst<OP_D2I, FormR, (outs GPR32:$d),
                (ins GPR64:$b, NegAbs:$mb, IType:$dty, RintMode:$rnd), "$dty$rnd $d, $b~mb">;
def OP_D2I64 : ISAOp<0x5B, LC_F64, "Double to 64-bit integer",
  "d = b rounded and clamped; a NaN gives 0x8000000000000000.">;
def D2I64 : HInst<OP_D2I64, FormR, (outs GPR64:$d),
                  (ins GPR64:$b, NegAbs:$mb, IType64:$dty, RintMode:$rnd), "$dty$rnd $d, $b~mb">;
def OP_I2F : ISAOp<0x5C, LC_CONV, "Integer to float",
  "d = b, an integer of type sty (its low bits), rounded to dty (F32, F16 or BF16).">;
def I2F : HInst<OP_I2F, FormR, (outs GPR32:$d),
                (ins GPR32:$b, FType:$dty, IType:$sty, Rnd:$rnd), "$dty$sty$rnd $d, $b">;
def OP_I642F : ISAOp<0x5D, LC_CONV, "64-bit integer to float", "As I2F.">;
def I642F : HInst<OP_I642F, FormR, (outs GPR32:$d),
                  (ins GPR64:$b, FType:$dty, IType64:$sty, Rnd:$rnd), "$dty$sty$rnd $d, $b">;
def OP_I2D : ISAOp<0x5E, LC_F64, "Integer to double", "d = b; exact.">;
def I2D : HInst<OP_I2D, FormR, (outs GPR64:$d), (ins GPR32:$b, IType:$sty), "$sty $d, $b">;
def OP_I642D : ISAOp<0x5F, LC_F64, "64-bit integer to double", "d = b rounded.">;
def I642D : HInst<OP_I642D, FormR, (outs GPR64:$d),
                  (ins GPR64:$b, IType64:$sty, Rnd:$rnd), "$sty$rnd $d, $b">;
def OP_F2F : ISAOp<0x60, LC_CONV, "Float to float of at most 32 bits",
  "d = b of type sty converted to dty. A 16-bit value stands in the low half, the high half of d is zero.">;
def F2F : HInst<OP_F2F, FormR, (outs GPR32:$d),
                (ins GPR32:$b, NegAbs:$mb, FType:$dty, FType:$sty, Rnd:$rnd, Ftz:$ftz, Sat:$sat, Relu:$relu),
                "$dty$sty$rnd$ftz$sat$relu $d, $b~mb">;
def OP_F2FP : ISAOp<0x61, LC_HALF, "Convert and pack two",
  "d.hi = a and d.lo = b, each converted from single precision to dty. In F16 and BF16 an element is a half of d. Of the narrow types an element has 8 bits, of E2M1 4 bits, the rest of d and the upper two bits of a 6-bit element are zero; what is too large becomes the largest number, and so does a NaN where the type has none. RELU: a negative result, -0 too, becomes +0.">;
defm F2FP : Alu2<OP_F2FP, (outs GPR32:$d), (ins GPR32:$a),
                 (ins PackType:$dty, Rnd:$rnd, Relu:$relu, Sat:$sat), "$dty$rnd$relu$sat $d, $a, ", "",
                 GPR32, FImm32>;
def OP_F2FUP : ISAOp<0x64, LC_HALF, "Unpack two and convert",
  "d.hi and d.lo = the two elements of b, of the narrow type sty and placed as F2FP places them, converted to dty (F16); exact.">;
def F2FUP : HInst<OP_F2FUP, FormR, (outs GPR32:$d),
                  (ins GPR32:$b, FType:$dty, PackType:$sty, Relu:$relu), "$dty$sty$relu $d, $b">;
def OP_D2F : ISAOp<0x62, LC_F64, "Double to float",
  "d = b rounded to dty (F32, F16 or BF16).">;
def D2F : HInst<OP_D2F, FormR, (outs GPR32:$d),
                (ins GPR64:$b, NegAbs:$mb, FType:$dty, Rnd:$rnd, Ftz:$ftz, Sat:$sat),
                "$dty$rnd$ftz$sat $d, $b~mb">;
def OP_F2D : ISAOp<0x63, LC_F64, "Float to double", "d = b of type sty; exact.">;
def F2D : HInst<OP_F2D, FormR, (outs GPR64:$d),
                (ins GPR32:$b, NegAbs:$mb, FType:$sty, Ftz:$ftz, Sat:$sat), "$sty$ftz$sat $d, $b~mb">;
