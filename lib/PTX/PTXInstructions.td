//===- PTXInstructions.td - The forms of PTX instructions --*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row for each form of each instruction, in the order of the chapters of
// the PTX manual. PTXBase.td explains how a row is written. When several rows
// fit a mnemonic, the first one whose operands fit in number is taken.
//
//===----------------------------------------------------------------------===//

include "PTXBase.td"

//===----------------------------------------------------------------------===//
// Integer arithmetic
//===----------------------------------------------------------------------===//

foreach Op = ["add", "sub"] in {
  def : Row<Op, ".Int16To64", "=d:0, a:0, b:0">;
  def : Row<Op, ".sat.s32", "=d:0, a:0, b:0">;
  // Carries of 64 bits came late; to read one ptxas takes always.
  foreach T = [".Int32", ".(u64|s64)"] in
  let Version = !if(!eq(T, ".Int32"), 12, 43) in {
    def : Row<Op, ".cc"#T, "=d:0, a:0, b:0">;
    def : Row<Op#"c", ".cc"#T, "=d:0, a:0, b:0">;
    let Version = 12 in
    def : Row<Op#"c", T, "=d:0, a:0, b:0">;
  }
}
let Version = 80, Targets = ["sm_90"] in
def : Row<"add", ".Packed16", "=d:0, a:0, b:0">;
let Version = 92, Targets = ["sm_107f", "sm_120f"] in {
  def : Row<"add", ".sat.(u32|u16x2|s16x2)", "=d:0, a:0, b:0">;
  foreach Op = ["add", "sub"] in
    def : Row<Op, "{.sat}.Packed8", "=d:b32, a$:b32, b$:b32">;
  foreach Op = ["min", "max"] in {
    def : Row<Op, ".u8x4", "=d:b32, a$:b32, b$:b32">;
    def : Row<Op, "{.relu}.s8x4", "=d:b32, a$:b32, b$:b32">;
  }
  def : Row<"neg", ".s8x4", "=d:b32, a$:b32">;
}

def : Row<"mul", ".^MulPart(lo|hi).Int16To64", "=d:0, a:0, b:0">;
def : Row<"mul", ".^wide.(u16|u32|s16|s32)", "=d:w0, a:0, b:0">;
def : Row<"mad", ".^MulPart(lo|hi).Int16To64", "=d:0, a:0, b:0, c:0">;
def : Row<"mad", ".^wide.(u16|u32|s16|s32)", "=d:w0, a:0, b:0, c:w0">;
def : Row<"mad", ".^MulPart(hi).sat.s32", "=d:0, a:0, b:0, c:0">;
foreach T = [".Int32", ".(u64|s64)"] in
let Version = !if(!eq(T, ".Int32"), 30, 43), Targets = ["sm_20"] in {
  def : Row<"mad", ".^MulPart(lo|hi).cc"#T, "=d:0, a:0, b:0, c:0">;
  def : Row<"madc", ".^MulPart(lo|hi).cc"#T, "=d:0, a:0, b:0, c:0">;
  let Version = 30 in
  def : Row<"madc", ".^MulPart(lo|hi)"#T, "=d:0, a:0, b:0, c:0">;
}
def : Row<"mul24", ".^MulPart(lo|hi).Int32", "=d:0, a:0, b:0">;
def : Row<"mad24", ".^MulPart(lo|hi).Int32", "=d:0, a:0, b:0, c:0">;
def : Row<"mad24", ".^MulPart(hi).sat.s32", "=d:0, a:0, b:0, c:0">;
def : Row<"sad", ".Int16To64", "=d:0, a:0, b:0, c:0">;
def : Row<"div", ".Int16To64", "=d:0, a:0, b:0">;
def : Row<"rem", ".Int16To64", "=d:0, a:0, b:0">;
def : Row<"abs", ".(s16|s32|s64)", "=d:0, a:0">;
def : Row<"neg", ".(s16|s32|s64)", "=d:0, a:0">;
foreach Op = ["min", "max"] in {
  def : Row<Op, ".Int16To64", "=d:0, a:0, b:0">;
  let Version = 80, Targets = ["sm_90"] in {
    def : Row<Op, ".u16x2", "=d:0, a:0, b:0">;
    def : Row<Op, "{.relu}.s16x2", "=d:0, a:0, b:0">;
    def : Row<Op, ".relu.s32", "=d:0, a:0, b:0">;
  }
}

let Version = 20, Targets = ["sm_20"] in {
  def : Row<"popc", ".Bits32To64", "=d:u32, a:0">;
  def : Row<"clz", ".Bits32To64", "=d:u32, a:0">;
  def : Row<"bfind", "{.shiftamt}.Int32To64", "=d:u32, a:0">;
  def : Row<"brev", ".Bits32To64", "=d:0, a:0">;
  def : Row<"bfe", ".Int32To64", "=d:0, a:0, b:u32, c:u32">;
  def : Row<"bfi", ".Bits32To64", "=f:0, a:0, b:0, c:u32, d:u32">;
}
let Version = 60, Targets = ["sm_30"] in
def : Row<"fns", ".b32", "=d:0, mask:0, base:b32, offset:b32">;
let Version = 76, Targets = ["sm_70"] in {
  def : Row<"szext", ".ShiftMode.Int32", "=d:0, a:0, b:u32">;
  def : Row<"bmsk", ".ShiftMode.b32", "=d:u32, a:u32, b:u32">;
}
let Version = 50, Targets = ["sm_61"] in {
  def : Row<"dp4a", ".Int32.Int32", "=d:0, a:0, b:1, c:0">;
  def : Row<"dp2a", ".^MulPart(lo|hi).Int32.Int32", "=d:0, a:0, b:1, c:0">;
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

let Version = 20, Targets = ["sm_20"] in {
  def : Row<"testp", ".TestProperty.(f32|f64)", "=p:pred, a:0">;
  let Meaningless = true in
  def : Row<"testp", ".(f32|f64)", "=p:pred, a:0">;
  def : Row<"copysign", ".(f32|f64)", "=d:0, a:0, b:0">;
}

foreach Op = ["add", "sub"] in {
  def : Row<Op, "{.FpRound}{.ftz}{.sat}.f32", "=d:0, a:0, b:0">;
  def : Row<Op, "{.FpRound}.f64", "=d:0, a:0, b:0">;
  let Version = 86, Targets = ["sm_100"] in {
    def : Row<Op, "{.FpRound}{.ftz}.f32x2", "=d:0, a:0, b:0">;
    def : Row<Op, "{.FpRound}{.sat}.f32.(f16|bf16)", "=d:0, a:1, c:0">;
  }
}
def : Row<"mul", "{.FpRound}{.ftz}{.sat}.f32", "=d:0, a:0, b:0">;
def : Row<"mul", "{.FpRound}.f64", "=d:0, a:0, b:0">;
def : Row<"mad", ".FpRound{.ftz}{.sat}.f32", "=d:0, a:0, b:0, c:0">;
def : Row<"mad", ".FpRound.f64", "=d:0, a:0, b:0, c:0">;
// Without a rounding it is .rn.
let GoneVersion = 32, GoneSm = 1, Advice = "write '.rn'" in
def : Row<"mad", "{.ftz}{.sat}.f32", "=d:0, a:0, b:0, c:0">;
let Version = 14 in
def : Row<"fma", ".FpRound.f64", "=d:0, a:0, b:0, c:0">;
let Version = 20, Targets = ["sm_20"] in
def : Row<"fma", ".FpRound{.ftz}{.sat}.f32", "=d:0, a:0, b:0, c:0">;
let Version = 86, Targets = ["sm_100"] in {
  def : Row<"mul", "{.FpRound}{.ftz}.f32x2", "=d:0, a:0, b:0">;
  def : Row<"fma", ".FpRound{.ftz}.f32x2", "=d:0, a:0, b:0, c:0">;
  def : Row<"fma", ".FpRound{.sat}.f32.(f16|bf16)", "=d:0, a:1, b:1, c:0">;
}

// Packed operands of several types.
let Version = 94, Targets = ["sm_107f"] in {
  foreach Op = ["add", "sub"] in {
    def : Row<Op, "{.FpRound}.f32x2.(f16x2|bf16x2).f32x2", "=d:0, a:1, c:2">;
    def : Row<Op, ".rz.ftz.f16x2.f32x2.f32x2", "=d:0, a:1, c:2">;
    def : Row<Op, ".rz.bf16x2.f32x2.f32x2", "=d:0, a:1, c:2">;
  }
  def : Row<"mul", ".rz.ftz.f16x2.f32x2.f32x2", "=d:0, a:1, c:2">;
  def : Row<"mul", ".rz.bf16x2.f32x2.f32x2", "=d:0, a:1, c:2">;
  def : Row<"mul", ".bf16x2.bf16x2.f16x2", "=d:0, a:1, c:2">;
  def : Row<"mul", ".f16x2.f16x2.bf16x2", "=d:0, a:1, c:2">;
  def : Row<"fma", ".FpRound.f32x2.(f16x2|bf16x2).f32x2.f32x2",
            "=d:0, a:1, b:2, c:3">;
}
// FP8, FP6 and FP4.
let Version = 94, Targets = ["sm_100a", "sm_103a"] in {
  defvar Narrow = "{.rn}{.satfinite}.(e5m2x4|e4m3x4)";
  foreach Op = ["add", "sub"] in
    def : Row<Op, Narrow#".NarrowQuad", "=d:0, a$:1, c$:0">;
  def : Row<"mul", Narrow#".NarrowQuad.NarrowQuad", "=d:0, a$:1, c$:2">;
  def : Row<"fma", Narrow#".NarrowQuad.NarrowQuad",
            "=d:0, a$:1, b$:2, c$:0">;
}

def : Row<"div", ".approx{.ftz}.f32", "=d:0, a:0, b:0">;
def : Row<"div", ".^full{.ftz}.f32", "=d:0, a:0, b:0">;
def : Row<"div", ".FpRound{.ftz}.f32", "=d:0, a:0, b:0">;
def : Row<"div", ".FpRound.f64", "=d:0, a:0, b:0">;
foreach Op = ["abs", "neg"] in {
  def : Row<Op, "{.ftz}.f32", "=d:0, a:0">;
  def : Row<Op, ".f64", "=d:0, a:0">;
}
foreach Op = ["min", "max"] in {
  def : Row<Op, "{.ftz}{.NaN}.f32", "=d:0, a:0, b:0">;
  def : Row<Op, "{.ftz}{.NaN}.xorsign.AbsMode.f32", "=d:0, a:0, b:0">;
  def : Row<Op, ".f64", "=d:0, a:0, b:0">;
  let Version = 88, Targets = ["sm_100"] in {
    def : Row<Op, "{.ftz}{.NaN}{.AbsMode}.f32", "=d:0, a:0, b:0, c:0">;
  }
}
foreach Op = ["rcp", "sqrt"] in {
  def : Row<Op, ".approx{.ftz}.f32", "=d:0, a:0">;
  def : Row<Op, ".FpRound{.ftz}.f32", "=d:0, a:0">;
  def : Row<Op, ".FpRound.f64", "=d:0, a:0">;
}
let Version = 21, Targets = ["sm_20"] in
def : Row<"rcp", ".approx.ftz.f64", "=d:0, a:0">;
def : Row<"rsqrt", ".approx{.ftz}.f32", "=d:0, a:0">;
def : Row<"rsqrt", ".approx.f64", "=d:0, a:0">;
let Version = 40, Targets = ["sm_20"] in
def : Row<"rsqrt", ".approx.ftz.f64", "=d:0, a:0">;
foreach Op = ["sin", "cos", "lg2", "ex2"] in
  def : Row<Op, ".approx{.ftz}.f32", "=d:0, a:0">;
// Of an angle in turns.
let Version = 95, Targets = ["sm_75"] in
foreach Op = ["sin", "cos"] in
  def : Row<Op, ".approx.ftz.Turns.f32", "=d:0, a:0">;
let Version = 70, Targets = ["sm_75"] in {
  def : Row<"tanh", ".approx.f32", "=d:0, a:0">;
  def : Row<"tanh", ".approx.Half", "=d:0, a:0">;
  def : Row<"ex2", ".approx.Half", "=d:0, a:0">;
}
let Version = 78, Targets = ["sm_90"] in {
  def : Row<"tanh", ".approx.BHalf", "=d:0, a:0">;
  def : Row<"ex2", ".approx.ftz.BHalf", "=d:0, a:0">;
}

//===----------------------------------------------------------------------===//
// Half precision
//===----------------------------------------------------------------------===//

foreach Op = ["add", "sub", "mul"] in {
  let Version = 42, Targets = ["sm_53"] in
  def : Row<Op, "{.rn}{.ftz}{.sat}.Half", "=d:0, a:0, b:0">;
  let Version = 78, Targets = ["sm_90"] in
  def : Row<Op, "{.rn}.BHalf", "=d:0, a:0, b:0">;
}
let Version = 42, Targets = ["sm_53"] in
def : Row<"fma", ".rn{.ftz}{.sat}.Half", "=d:0, a:0, b:0, c:0">;
let Version = 70, Targets = ["sm_80"] in {
  def : Row<"fma", ".rn{.ftz}.relu.Half", "=d:0, a:0, b:0, c:0">;
  def : Row<"fma", ".rn{.relu}.BHalf", "=d:0, a:0, b:0, c:0">;
}
let Version = 81, Targets = ["sm_90"] in {
  def : Row<"fma", ".rn.oob{.relu}.Half", "=d:0, a:0, b:0, c:0">;
  def : Row<"fma", ".rn.oob{.relu}.BHalf", "=d:0, a:0, b:0, c:0">;
}
foreach Op = ["neg", "abs"] in {
  let Version = !if(!eq(Op, "neg"), 60, 65), Targets = ["sm_53"] in
  def : Row<Op, "{.ftz}.Half", "=d:0, a:0">;
  let Version = 70, Targets = ["sm_80"] in
  def : Row<Op, ".BHalf", "=d:0, a:0">;
}
let Version = 70, Targets = ["sm_80"] in
foreach Op = ["min", "max"] in {
  def : Row<Op, "{.ftz}{.NaN}.Half", "=d:0, a:0, b:0">;
  def : Row<Op, "{.ftz}{.NaN}.xorsign.AbsMode.Half", "=d:0, a:0, b:0">;
  def : Row<Op, "{.NaN}.BHalf", "=d:0, a:0, b:0">;
  def : Row<Op, "{.NaN}.xorsign.AbsMode.BHalf", "=d:0, a:0, b:0">;
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

// The operand types and comparisons that belong together.
class CompareForm<string type, string cmp, string ftz, int version,
                  list<string> targets> {
  string Type = type;
  string Cmp = cmp;
  string Ftz = ftz;
  int Version = version;
  list<string> Targets = targets;
}
def CompareBits     : CompareForm<".Bits16To64", ".CmpEq", "", 10, []>;
def CompareSigned   : CompareForm<".(s16|s32|s64)", ".CmpSigned", "", 10, []>;
def CompareUnsigned : CompareForm<".(u16|u32|u64)", ".CmpUnsigned", "", 10,
                                  []>;
def CompareF32      : CompareForm<".f32", ".CmpFloat", "{.ftz}", 10, []>;
def CompareF64      : CompareForm<".f64", ".CmpFloat", "", 10, []>;

foreach C = [CompareBits, CompareSigned, CompareUnsigned, CompareF32,
             CompareF64] in {
  def : Row<"setp", C.Cmp#C.Ftz#C.Type, "=p_|:pred, a:0, b:0">;
  def : Row<"setp", C.Cmp#".BoolOp"#C.Ftz#C.Type,
            "=p_|:pred, a:0, b:0, c:pred">;
  def : Row<"set", C.Cmp#C.Ftz#".(u32|s32|f32)"#C.Type, "=d:0, a:1, b:1">;
  def : Row<"set", C.Cmp#".BoolOp"#C.Ftz#".(u32|s32|f32)"#C.Type,
            "=d:0, a:1, b:1, c:pred">;
  let Version = 42, Targets = ["sm_53"] in {
    def : Row<"set", C.Cmp#C.Ftz#".f16"#C.Type, "=d:0, a:1, b:1">;
    def : Row<"set", C.Cmp#".BoolOp"#C.Ftz#".f16"#C.Type,
              "=d:0, a:1, b:1, c:pred">;
  }
  let Version = 78, Targets = ["sm_90"] in {
    def : Row<"set", C.Cmp#".bf16"#C.Type, "=d:0, a:1, b:1">;
    def : Row<"set", C.Cmp#".BoolOp.bf16"#C.Type,
              "=d:0, a:1, b:1, c$:pred">;
  }
}

// Half precision. `Dest` are the types that `set` can give.
class HalfCompareForm<string type, string ftz, string dest, string pair,
                      int version, list<string> targets>
    : CompareForm<type, ".CmpFloat", ftz, version, targets> {
  string Dest = dest;
  // What `set` with these types needs.
  int DestVersion = !if(!ne(!find(dest, "u32"), -1),
                        !if(!lt(version, 65), 65, version), version);
  list<string> DestTargets = targets;
  string Pair = pair;
  // With .bf16 the predicate is no constant.
  string Pred = !if(!eq(!find(type, "bf16"), -1), "c:pred", "c$:pred");
}
defvar HalfCompares = [
  HalfCompareForm<".f16", "{.ftz}", ".f16", "", 42, ["sm_53"]>,
  HalfCompareForm<".f16", "{.ftz}", ".(u16|s16|u32|s32)", "", 42, ["sm_53"]>,
  HalfCompareForm<".bf16", "", ".(bf16|u16|s16|u32|s32)", "", 78, ["sm_90"]>,
  HalfCompareForm<".f16x2", "{.ftz}", ".f16x2", "|", 42, ["sm_53"]>,
  HalfCompareForm<".f16x2", "{.ftz}", ".(u32|s32)", "|", 42, ["sm_53"]>,
  HalfCompareForm<".bf16x2", "", ".(bf16x2|u32|s32)", "|", 78, ["sm_90"]>];
let Version = 78, Targets = ["sm_90"] in {
  def : Row<"set", ".CmpFloat.bf16.f16", "=d:0, a:1, b:1">;
  def : Row<"set", ".CmpFloat.BoolOp.bf16.f16",
            "=d:0, a:1, b:1, c$:pred">;
}
foreach C = HalfCompares in
let Version = C.Version, Targets = C.Targets in {
  // Integer results have rows of their own, their comparisons have not.
  if !eq(!find(C.Dest, ".(u"), -1) then {
    def : Row<"setp", C.Cmp#C.Ftz#C.Type, "=p_"#C.Pair#":pred, a:0, b:0">;
    def : Row<"setp", C.Cmp#".BoolOp"#C.Ftz#C.Type,
              "=p_"#C.Pair#":pred, a:0, b:0, "#C.Pred>;
  }
  let Version = C.DestVersion, Targets = C.DestTargets in {
    def : Row<"set", C.Cmp#C.Ftz#C.Dest#C.Type, "=d:0, a:1, b:1">;
    def : Row<"set", C.Cmp#".BoolOp"#C.Ftz#C.Dest#C.Type,
              "=d:0, a:1, b:1, "#C.Pred>;
  }
}

let Version = 94, Targets = ["sm_107f"] in
def : Row<"set", ".CmpUnsigned.(u8x4|s8x4|u16x2|s16x2)",
          "=d:0, a$:0, b$:0">;

def : Row<"selp", ".Scalar16To64", "=d:0, a:0, b:0, p:pred">;
def : Row<"slct", ".Scalar16To64.s32", "=d:0, a:0, b:0, c:1">;
def : Row<"slct", "{.ftz}.Scalar16To64.f32", "=d:0, a:0, b:0, c:1">;

//===----------------------------------------------------------------------===//
// Logic and shift
//===----------------------------------------------------------------------===//

foreach Op = ["and", "or", "xor"] in
  def : Row<Op, ".(pred|b16|b32|b64)", "=d:0, a:0, b:0">;
def : Row<"not", ".(pred|b16|b32|b64)", "=d:0, a:0">;
def : Row<"cnot", ".Bits16To64", "=d:0, a:0">;
let Version = 43, Targets = ["sm_50"] in
def : Row<"lop3", ".b32", "=d:0, a:0, b:0, c:0, #immLut:u32">;
let Version = 82, Targets = ["sm_70"] in
def : Row<"lop3", ".BoolAndOr.b32", "=d_||:0, a:0, b:0, c:0, #immLut:u32, q:pred">;
let Version = 31, Targets = ["sm_32"] in
def : Row<"shf", ".^ShiftDir.ShiftMode.b32", "=d:0, a:0, b:0, c:u32">;
def : Row<"shl", ".Bits16To64", "=d:0, a:0, b:u32">;
def : Row<"shr", ".(b16|b32|b64|u16|u32|u64|s16|s32|s64)",
          "=d:0, a:0, b:u32">;

//===----------------------------------------------------------------------===//
// Data movement and conversion
//===----------------------------------------------------------------------===//

def : Row<"mov", ".Scalar16To64", "=d^:0, a^%&:0">;
def : Row<"mov", ".pred", "=d:0, a%:0">;
def : Row<"mov", ".Vec24.Scalar16To64", "=d*:0, a<*%:0">;
let Version = 83, Targets = ["sm_70"] in
def : Row<"mov", ".b128", "=d^:0, a^:0">;

let Version = 60, Targets = ["sm_30"] in
def : Row<"shfl.~sync", ".ShflMode.b32",
          "=d|:0, a:0, b:b32, c:b32, membermask:u32">;
let Version = 20, Targets = ["sm_20"] in
def : Row<"prmt", ".b32{.PermuteMode}", "=d:0, a:0, b:0, c:b32">;

// Loads and stores. Eviction priorities and the like are for global memory and
// generic addresses. `.b128` and vectors of 256 bits came late.
defvar LoadHints = "{.Semantics(weak)}{.StateSpace(global)}"
                   "{.(LoadCache|L1Eviction)}{.L2Hint}{.L2Prefetch}";
defvar NcHints = ".StateSpace(global){.(NcCache|L1Eviction)}.nc{.L2Hint}"
                 "{.L2Prefetch}";
defvar StoreHints = "{.Semantics(weak)}{.StateSpace(global)}"
                    "{.(StoreCache|L1Eviction)}{.L2Hint}";
defvar LoadOrder = ".Semantics(relaxed|acquire).Scope";
defvar StoreOrder = ".Semantics(relaxed|release).Scope";

// Vectors of eight narrow elements are not in the manual.
foreach W = ["{.Vec24}.Memory", ".Vec(v8).Memory8To16"] in
let Undocumented = !ne(!find(W, "v8"), -1) in {
  // Nor are they parameters.
  defvar From = !if(!ne(!find(W, "v8"), -1), "{.SyncSpace}", "{.LoadSpace}");
  defvar To = !if(!ne(!find(W, "v8"), -1), "{.SyncSpace}", "{.StoreSpace}");
  def : Row<"ld", "{.Semantics(weak)}"#From#"{.LoadCache}"#W, "=d~*:0, [a]">;
  def : Row<"ld", LoadHints#W, "=d~*:0, [a], policy:u64?L2Hint">;
  def : Row<"ld", ".Semantics(volatile){.SyncSpace}"#W, "=d~*:0, [a]">;
  def : Row<"ld", ".Semantics(volatile){.StateSpace(global)}{.L2Prefetch}"#W,
            "=d~*:0, [a]">;
  def : Row<"st", "{.Semantics(weak)}"#To#"{.StoreCache}"#W, "[a], b~*:0">;
  def : Row<"st", StoreHints#W, "[a], b~*:0, policy:u64?L2Hint">;
  def : Row<"st", ".Semantics(volatile){.SyncSpace}"#W, "[a], b~*:0">;
  let Version = 91 in {
    def : Row<"ld", ".Semantics(volatile).StateSpace(local)"#W, "=d~*:0, [a]">;
    def : Row<"st", ".Semantics(volatile).StateSpace(local)"#W, "[a], b~*:0">;
  }
  let Version = 60, Targets = ["sm_70"] in {
    def : Row<"ld", LoadOrder#"{.SyncSpace}"#W, "=d~*:0, [a]">;
    def : Row<"ld", LoadOrder#"{.StateSpace(global)}{.L1Eviction}{.L2Hint}"
                    "{.L2Prefetch}"#W, "=d~*:0, [a], policy:u64?L2Hint">;
    def : Row<"st", StoreOrder#"{.SyncSpace}"#W, "[a], b~*:0">;
    def : Row<"st", StoreOrder#"{.StateSpace(global)}{.L1Eviction}{.L2Hint}"#W,
              "[a], b~*:0, policy:u64?L2Hint">;
  }
  let Version = 31, Targets = ["sm_32"] in
  def : Row<"ld", NcHints#W, "=d~*:0, [a], policy:u64?L2Hint">;
}
let Version = 82, Targets = ["sm_70"] in {
  def : Row<"ld", ".mmio.Semantics(relaxed).Scope(sys){.StateSpace(global)}"
                  ".Memory", "=d~:0, [a]">;
  def : Row<"st", ".mmio.Semantics(relaxed).Scope(sys){.StateSpace(global)}"
                  ".Memory", "[a], b~:0">;
}

let Version = 83, Targets = ["sm_70"] in {
  def : Row<"ld", "{.Semantics(weak)}{.LoadSpace}{.LoadCache}.b128",
            "=d:0, [a]">;
  def : Row<"ld", LoadHints#".b128",
            "=d:0, [a], policy:u64?L2Hint">;
  def : Row<"ld", ".Semantics(volatile){.SyncSpace}.b128", "=d:0, [a]">;
  def : Row<"ld", ".Semantics(volatile){.StateSpace(global)}.L2Prefetch.b128",
            "=d:0, [a]">;
  def : Row<"ld", NcHints#".b128", "=d:0, [a], policy:u64?L2Hint">;
  def : Row<"st", "{.Semantics(weak)}{.StoreSpace}{.StoreCache}.b128",
            "[a], b:0">;
  def : Row<"st", StoreHints#".b128",
            "[a], b:0, policy:u64?L2Hint">;
  def : Row<"st", ".Semantics(volatile){.SyncSpace}.b128", "[a], b:0">;
}
let Version = 91, Targets = ["sm_70"] in {
  def : Row<"ld", ".Semantics(volatile).StateSpace(local).b128", "=d:0, [a]">;
  def : Row<"st", ".Semantics(volatile).StateSpace(local).b128", "[a], b:0">;
}

// The scope .sys came later than the others.
foreach S = ["(cta|cluster|gpu)", "(sys)"] in
let Version = !if(!eq(S, "(sys)"), 84, 83), Targets = ["sm_70"] in {
  def : Row<"ld", LoadOrder#S#"{.SyncSpace}.b128", "=d:0, [a]">;
  def : Row<"ld", LoadOrder#S#"{.StateSpace(global)}{.L1Eviction}{.L2Hint}"
                  "{.L2Prefetch}.b128", "=d:0, [a], policy:u64?L2Hint">;
  def : Row<"st", StoreOrder#S#"{.SyncSpace}.b128", "[a], b:0">;
  def : Row<"st", StoreOrder#S#"{.StateSpace(global)}{.L1Eviction}{.L2Hint}"
                  ".b128", "[a], b:0, policy:u64?L2Hint">;
}

let Version = 84, Targets = ["sm_70"] in {
  def : Row<"ld", ".mmio.Semantics(relaxed).Scope(sys){.StateSpace(global)}"
                  ".b128", "=d:0, [a]">;
  def : Row<"st", ".mmio.Semantics(relaxed).Scope(sys){.StateSpace(global)}"
                  ".b128", "[a], b:0">;
}

// Vectors of 256 bits, and with them the eviction priority of L2.
let Version = 88, Targets = ["sm_100"], MaxVectorBits = 256 in
foreach W = [".Vec(v8).Memory32", ".Vec(v4).Memory64"] in {
  def : Row<"ld", "{.Semantics(weak)}{.StateSpace(global)}"
                  "{.(LoadCache|L1Eviction)}{.L2Eviction}{.L2Hint}{.L2Prefetch}"
                  #W, "=d~*:0, [a], policy:u64?L2Hint">;
  def : Row<"ld", ".Semantics(volatile){.StateSpace(global)}{.L2Eviction}"
                  "{.L2Prefetch}"#W, "=d~*:0, [a]">;
  def : Row<"ld", LoadOrder#"{.StateSpace(global)}{.L1Eviction}{.L2Eviction}"
                  "{.L2Hint}{.L2Prefetch}"#W,
            "=d~*:0, [a], policy:u64?L2Hint">;
  def : Row<"ld", ".StateSpace(global){.(NcCache|L1Eviction)}.nc{.L2Eviction}"
                  "{.L2Hint}{.L2Prefetch}"#W,
            "=d~*:0, [a], policy:u64?L2Hint">;
  def : Row<"st", "{.Semantics(weak)}{.StateSpace(global)}"
                  "{.(StoreCache|L1Eviction)}{.L2Eviction}{.L2Hint}"#W,
            "[a], b~_*:0, policy:u64?L2Hint">;
  def : Row<"st", ".Semantics(volatile){.StateSpace(global)}{.L2Eviction}"#W,
            "[a], b~_*:0">;
  def : Row<"st", StoreOrder#"{.StateSpace(global)}{.L1Eviction}{.L2Eviction}"
                  "{.L2Hint}"#W, "[a], b~_*:0, policy:u64?L2Hint">;
}
let Version = 20, Targets = ["sm_20"] in
def : Row<"ldu", "{.StateSpace(global)}{.Vec24}.Memory", "=d~*:0, [a]">;
let Version = 83, Targets = ["sm_70"] in
def : Row<"ldu", "{.StateSpace(global)}.b128", "=d:0, [a]">;

let Version = 20, Targets = ["sm_20"] in {
  def : Row<"prefetch", "{.StateSpace(global|local)}.PrefetchLevel", "[a]">;
  def : Row<"prefetchu", ".PrefetchLevel(L1)", "[a$]:generic/global">;
}
let Version = 94, Targets = ["sm_90"] in {
  def : Row<"ld", "{.StateSpace(global)}.Memory.ReadOnly", "=d~:0, [a]">;
  def : Row<"prefetch", "{.StateSpace(global)}.L1Prefetch.ValidAddr", "[a]">;
}
let Version = 93, Targets = ["sm_75"] in {
  defvar Mmio = ".mmio.Semantics(acquire).Scope(sys){.StateSpace(global)}";
  def : Row<"ld", Mmio#".Memory", "=d~:0, [a]">;
  def : Row<"ld", Mmio#".b128", "=d:0, [a]">;
}
let Version = 74, Targets = ["sm_80"] in {
  def : Row<"prefetch",
            "{.StateSpace(global)}.L2Eviction(L2::evict_last|L2::evict_normal)",
            "[a]">;
  def : Row<"applypriority",
            "{.StateSpace(global)}.L2Eviction(L2::evict_normal)",
            "[a], #size(128):u32">;
  def : Row<"discard", "{.StateSpace(global)}.PrefetchLevel(L2)",
            "[a], #size(128):u32">;
}

let Version = 20, Targets = ["sm_20"] in {
  def : Row<"isspacep", ".OldGenericSpace", "=p:pred, a~:u32">;
  def : Row<"cvta", ".OldGenericSpace.u64", "=d:0, a&:0">;
  def : Row<"cvta", ".^to.OldGenericSpace.u64", "=d:0, a:0">;
  let GoneSm = 90, Advice = "addresses have 64 bits" in {
    defvar Space = ".StateSpace(const|global|local|shared|shared::cta)";
    def : Row<"cvta", Space#".u32", "=d:0, a&:0">;
    def : Row<"cvta", ".^to"#Space#".u32", "=d:0, a:0">;
  }
}
let Version = 77, Targets = ["sm_70"] in {
  defvar Params = "StateSpace(param|param::entry)";
  def : Row<"isspacep", "."#Params, "=p:pred, a~:u32">;
  def : Row<"cvta", "."#Params#".u64", "=d:0, a&:0">;
  def : Row<"cvta", ".^to."#Params#".u64", "=d:0, a:0">;
  let GoneSm = 90, Advice = "addresses have 64 bits" in {
    def : Row<"cvta", ".StateSpace(param).u32", "=d:0, a&:0">;
    def : Row<"cvta", ".^to.StateSpace(param).u32", "=d:0, a:0">;
  }
}
let Version = 78, Targets = ["sm_90"] in {
  def : Row<"mapa", "{.StateSpace(shared::cluster)}.(u32|u64)",
            "=d:0, a&:0, b:u32">;
  def : Row<"getctarank", "{.StateSpace(shared::cluster)}.(u32|u64)",
            "=d:u32, a&:0">;
}

// Conversions: integer to integer, float to integer, integer to float.
def : Row<"cvt", ".Int8To64.Int8To64", "=d~:0, a~%:1">;
// `.sat` is for sources that have values outside of the result's range.
def : Row<"cvt", ".sat.s8.(u8|u16|u32|u64)", "=d~:0, a~%:1">;
def : Row<"cvt", ".sat.(u8|u16|u32|u64).s8", "=d~:0, a~%:1">;
foreach P = ["(u8|s8|s16).u16", "(u8|s8|u16|u32|u64).s16",
             "(u8|s8|u16|s16|s32).u32", "(u8|s8|u16|s16|u32|u64).s32",
             "(u8|s8|u16|s16|u32|s32|s64).u64",
             "(u8|s8|u16|s16|u32|s32|u64).s64"] in
  def : Row<"cvt", ".sat."#P, "=d~:0, a~%:1">;
def : Row<"cvt", ".IntRound{.ftz}{.sat}.Int8To64.f32", "=d~:0, a~:1">;
def : Row<"cvt", ".IntRound{.sat}.Int8To64.(f16|f64)", "=d~:0, a~:1">;
def : Row<"cvt", ".FpRound{.ftz}{.sat}.f32.Int8To64", "=d~:0, a~:1">;
def : Row<"cvt", ".FpRound{.sat}.(f16|f64).Int8To64", "=d~:0, a~:1">;
// A register with a .bf16 must not be wider.
let Version = 78, Targets = ["sm_90"] in {
  def : Row<"cvt", ".IntRound.Int8To64.bf16", "=d:0, a:1">;
  def : Row<"cvt", ".FpRound.bf16.Int8To64", "=d:0, a:1">;
}

// Float to float, of the same width: rounds to an integral value if asked.
def : Row<"cvt", "{.IntRound}{.ftz}{.sat}.f32.f32", "=d~:0, a~:1">;
def : Row<"cvt", "{.IntRound}{.sat}.f16.f16", "=d~:0, a~:1">;
def : Row<"cvt", "{.IntRound}{.sat}.f64.f64", "=d~:0, a~:1">;
let Version = 78, Targets = ["sm_90"] in
def : Row<"cvt", "{.IntRound}.bf16.bf16", "=d:0, a:1">;
// Widening.
def : Row<"cvt", "{.ftz}{.sat}.f32.f16", "=d~:0, a~:1">;
def : Row<"cvt", "{.ftz}{.sat}.f64.f32", "=d~:0, a~:1">;
def : Row<"cvt", "{.sat}.f64.f16", "=d~:0, a~:1">;
// ptxas takes a rounding, which has nothing to do.
let Version = 71, Targets = ["sm_80"] in
def : Row<"cvt", "{.FpRound}.f32.bf16", "=d:0, a:1">;
let Version = 78, Targets = ["sm_90"] in {
  def : Row<"cvt", "{.FpRound}.ftz.f32.bf16", "=d:0, a:1">;
  def : Row<"cvt", "{.FpRound}.f64.bf16", "=d:0, a:1">;
}
// Narrowing.
def : Row<"cvt", ".FpRound{.ftz}{.sat}.f32.f64", "=d~:0, a~:1">;
def : Row<"cvt", ".FpRound{.ftz}{.sat}.f16.f32", "=d~:0, a~:1">;
def : Row<"cvt", ".FpRound{.sat}.f16.f64", "=d~:0, a~:1">;
let Version = 78, Targets = ["sm_90"] in {
  def : Row<"cvt", ".FpRound.bf16.(f16|f64)", "=d:0, a:1">;
  def : Row<"cvt", ".FpRound.f16.bf16", "=d:0, a:1">;
  // Without a rounding it is .rn, as ptxas has it.
  let Undocumented = true in {
    def : Row<"cvt", ".bf16.f16", "=d:0, a:1">;
    def : Row<"cvt", ".f16.bf16", "=d:0, a:1">;
  }
}
let Version = 70, Targets = ["sm_80"] in {
  let Undocumented = true in
  def : Row<"cvt", ".FpRound.ftz.bf16.f32", "=d:0, a:1">;
  def : Row<"cvt", ".Rounding(rn|rz){.relu}.f16.f32", "=d~:0, a:1">;
  def : Row<"cvt", ".Rounding(rn|rz){.relu}.bf16.f32", "=d:0, a:1">;
  def : Row<"cvt", ".Rounding(rm|rp).bf16.f32", "=d:0, a:1">;
  def : Row<"cvt", ".Rounding(rn|rz){.relu}.(f16x2|bf16x2).f32",
            "=d:0, a:1, b:1">;
  def : Row<"cvt", ".Rounding(rna).tf32.f32", "=d:b32, a:1">;
  let Version = 81 in
  def : Row<"cvt", ".Rounding(rna).satfinite.tf32.f32", "=d:b32, a:1">;
}
let Version = 78, Targets = ["sm_90"] in
def : Row<"cvt", ".Rounding(rn|rz){.relu}.tf32.f32", "=d:u32, a:1">;
let Version = 86, Targets = ["sm_100"] in
def : Row<"cvt", ".Rounding(rn|rz).satfinite{.relu}.tf32.f32", "=d:u32, a:1">;
let Version = 81, Targets = ["sm_80"] in {
  def : Row<"cvt", ".Rounding(rn|rz){.relu}.satfinite.f16.f32",
            "=d~:0, a:1">;
  def : Row<"cvt", ".Rounding(rn|rz){.relu}.satfinite.bf16.f32",
            "=d:0, a:1">;
  def : Row<"cvt", ".Rounding(rn|rz){.relu}.satfinite.(f16x2|bf16x2).f32",
            "=d:0, a:1, b:1">;
}
// sm_89 came later to these.
foreach Since = [[78, 90], [81, 89]] in
let Version = Since[0], Targets = ["sm_"#Since[1]] in {
  def : Row<"cvt", ".rn.satfinite{.relu}.(e4m3x2|e5m2x2).f32",
            "=d:b16, a:1, b:1">;
  def : Row<"cvt", ".rn.satfinite{.relu}.(e4m3x2|e5m2x2).f16x2",
            "=d:b16, a$:1">;
  def : Row<"cvt", ".rn{.relu}.f16x2.(e4m3x2|e5m2x2)", "=d:0, a$:b16">;
}
// FP8, FP6, FP4 and the scale UE8M0; an element of E2M1 has four bits.
defvar Narrow100f = ["sm_100f", "sm_101f", "sm_110f", "sm_120f"];
let Version = 86, Targets = Narrow100f in {
  def : Row<"cvt", ".rn.satfinite{.relu}.(e3m2x2|e2m3x2).f32",
            "=d:b16, a:1, b:1">;
  def : Row<"cvt", ".rn.satfinite{.relu}.e2m1x2.f32", "=d:b8, a:1, b:1">;
  def : Row<"cvt", ".rn{.relu}.f16x2.(e3m2x2|e2m3x2)", "=d:0, a$:b16">;
  def : Row<"cvt", ".rn{.relu}.f16x2.e2m1x2", "=d:0, a$:b8">;
  def : Row<"cvt", ".Rounding(rz|rp){.satfinite}.ue8m0x2.f32",
            "=d:b16, a:1, b:1">;
  def : Row<"cvt", ".Rounding(rz|rp){.satfinite}.ue8m0x2.bf16x2",
            "=d:b16, a$:1">;
  def : Row<"cvt", ".rn.bf16x2.ue8m0x2", "=d:0, a$:b16">;
}
let Version = 91, Targets = Narrow100f in {
  def : Row<"cvt", ".rn.satfinite{.relu}.(e4m3x2|e5m2x2).bf16x2",
            "=d:b16, a$:1">;
  def : Row<"cvt", ".rn.satfinite{.relu}.(e3m2x2|e2m3x2).(f16x2|bf16x2)",
            "=d:b16, a$:1">;
  def : Row<"cvt", ".rn.satfinite{.relu}.e2m1x2.(f16x2|bf16x2)",
            "=d:b8, a$:1">;
}
let Version = 92, Targets = Narrow100f in {
  def : Row<"cvt", ".rn{.satfinite}{.relu}.bf16x2.NarrowPair", "=d:0, a$:b16">;
  def : Row<"cvt", ".rn{.satfinite}{.relu}.bf16x2.e2m1x2", "=d:0, a$:b8">;
}
// Stochastic rounding takes its random bits from the last source.
let Version = 87, Targets = ["sm_100a", "sm_103a"] in {
  def : Row<"cvt", ".rs{.relu}{.satfinite}.(f16x2|bf16x2).f32",
            "=d:u32, a:1, b:1, rbits$:u32">;
  def : Row<"cvt", ".rs{.relu}.satfinite.(e4m3x4|e5m2x4|e3m2x4|e2m3x4).f32",
            "=d:b32, a{4}:1, rbits:b32">;
  def : Row<"cvt", ".rs{.relu}.satfinite.e2m1x4.f32",
            "=d:b16, a{4}:1, rbits:b32">;
}
// Fixed point, with an optional scale for each element.
let Version = 91,
    Targets = ["sm_100a", "sm_103a", "sm_107a", "sm_110a", "sm_120a",
               "sm_121a"] in {
  def : Row<"cvt", ".rn.satfinite{.relu}{.ScaleMode(scaled::n2::ue8m0)}"
                   ".s2f6x2.f32", "=d:b16, a:1, b:1, scale$:b16?ScaleMode">;
  def : Row<"cvt", ".rn.satfinite{.relu}{.ScaleMode(scaled::n2::ue8m0)}"
                   ".s2f6x2.bf16x2", "=d:b16, a$:1, scale$:b16?ScaleMode">;
  def : Row<"cvt", ".rn{.satfinite}{.relu}{.ScaleMode(scaled::n2::ue8m0)}"
                   ".bf16x2.s2f6x2", "=d:0, a$:b16, scale$:b16?ScaleMode">;
  let Version = 94, Targets = ["sm_107a"] in {
    def : Row<"cvt", ".rz.satfinite{.relu}{.ScaleMode(scaled::n2::ue8m0)}"
                     ".s2f6x2.f32", "=d:b16, a:1, b:1, scale$:b16?ScaleMode">;
    def : Row<"cvt", ".rz.satfinite{.relu}{.ScaleMode(scaled::n2::ue8m0)}"
                     ".s2f6x2.bf16x2", "=d:b16, a$:1, scale$:b16?ScaleMode">;
  }
}
let Version = 92, Targets = Narrow100f in {
  def : Row<"cvt", ".rn{.satfinite}{.relu}.ScaleMode(scaled::n2::ue8m0)"
                   ".bf16x2.NarrowPair", "=d:0, a$:b16, scale$:b16">;
  def : Row<"cvt", ".rn{.satfinite}{.relu}.ScaleMode(scaled::n2::ue8m0)"
                   ".bf16x2.e2m1x2", "=d:0, a$:b8, scale$:b16">;
}
// No negative zeros, rounding to zero, one scale for both, and UE5M3.
let Version = 94, Targets = ["sm_107f"] in {
  def : Row<"cvt", ".Rounding(rn|rz){.relu}{.satfinite}.PosZero.f16.f32",
            "=d~:0, a:1">;
  def : Row<"cvt", ".Rounding(rn|rz){.relu}{.satfinite}.PosZero.bf16.f32",
            "=d:0, a:1">;
  def : Row<"cvt", ".Rounding(rn|rz){.relu}{.satfinite}.PosZero.f16x2.f32",
            "=d:0, a~:1, b~:1">;
  def : Row<"cvt", ".Rounding(rn|rz){.relu}{.satfinite}.PosZero.bf16x2.f32",
            "=d:0, a:1, b:1">;
  def : Row<"cvt", ".Rounding(rn|rz){.relu}{.satfinite}.PosZero.tf32.f32",
            "=d:b32, a:1">;
  foreach How = [".rz.satfinite{.relu}{.PosZero}", ".rn.satfinite{.relu}.PosZero",
                 ".Rounding(rn|rz).satfinite{.relu}{.PosZero}"
                 ".ScaleMode(scaled::n1::ue8m0)"] in
  foreach To = [["NarrowPair", "b16"], ["e2m1x2", "b8"]] in {
    def : Row<"cvt", How#"."#To[0]#".f32",
              "=d:"#To[1]#", a:1, b:1, scale$:b8?ScaleMode">;
    def : Row<"cvt", How#"."#To[0]#".(f16x2|bf16x2)",
              "=d:"#To[1]#", a$:1, scale$:b8?ScaleMode">;
  }
  def : Row<"cvt", ".Rounding(rn|rz|rp){.satfinite}.ue5m3x2.f32",
            "=d:b16, a:1, b:1">;
  def : Row<"cvt", ".Rounding(rn|rz|rp){.satfinite}.ue5m3x2.(f16x2|bf16x2)",
            "=d:b16, a$:1">;
  defvar OneScale = ".Rounding(rn|rz){.satfinite}.ScaleMode(scaled::n1::ue8m0)";
  def : Row<"cvt", OneScale#".ue5m3x2.f32", "=d:b16, a:1, b:1, scale$:b8">;
  def : Row<"cvt", OneScale#".ue5m3x2.(f16x2|bf16x2)",
            "=d:b16, a$:1, scale$:b8">;
  def : Row<"cvt", ".rn.f16x2.ue5m3x2", "=d:0, a$:b16">;
  def : Row<"cvt", ".rn{.satfinite}{.ScaleMode(scaled::n2::ue8m0)}"
                   ".bf16x2.ue5m3x2", "=d:0, a$:b16, scale$:b16?ScaleMode">;
}
let Version = 65, Targets = ["sm_72"] in
def : Row<"cvt.pack", ".sat.(s16|u16).s32", "=d:u32, a:1, b:1">;
let Version = 65, Targets = ["sm_72"] in
def : Row<"cvt.pack", ".sat.(u8|s8).s32.b32", "=d:u32, a:1, b:1, c:2">;
let Version = 65, Targets = ["sm_75"] in
def : Row<"cvt.pack", ".sat.(u4|s4|u2|s2).s32.b32", "=d:u32, a:1, b:1, c:2">;

// Asynchronous copies without bulk.
let Version = 70, Targets = ["sm_80"] in {
  def : Row<"cp.async", ".CacheOp(ca).OwnSharedSpace.SourceSpace(global){.L2Hint}"
                        "{.L2Prefetch}",
            "[dst], [src]:global, #cp_size(4|8|16):u32, src_size:u32?, "
            "policy:u64?L2Hint">;
  let Version = 75 in
  def : Row<"cp.async", ".CacheOp(ca).OwnSharedSpace.SourceSpace(global){.L2Hint}"
                        "{.L2Prefetch}",
            "[dst], [src]:global, #cp_size(4|8|16):u32, ignore_src:pred, "
            "policy:u64?L2Hint">;
  def : Row<"cp.async", ".CacheOp(cg).OwnSharedSpace.SourceSpace(global){.L2Hint}"
                        "{.L2Prefetch}",
            "[dst], [src]:global, #cp_size(16):u32, src_size:u32?, "
            "policy:u64?L2Hint">;
  let Version = 75 in
  def : Row<"cp.async", ".CacheOp(cg).OwnSharedSpace.SourceSpace(global){.L2Hint}"
                        "{.L2Prefetch}",
            "[dst], [src]:global, #cp_size(16):u32, ignore_src:pred, "
            "policy:u64?L2Hint">;
  def : Row<"cp.async.commit_group", "", "">;
  def : Row<"cp.async.wait_group", "", "#n:u32">;
  def : Row<"cp.async.wait_all", "", "">;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def : Row<"bra", "{.Uni}", "@target">;
let Version = 60, Targets = ["sm_30"] in
def : Row<"brx.idx", "{.Uni}", "index:u32, <targets>">;
def : Row<"call", "{.Uni}", "<returns>, <callee>, <args>, <proto>?">;
def : Row<"ret", "{.Uni}", "">;
def : Row<"exit", "", "">;

//===----------------------------------------------------------------------===//
// Synchronisation and communication
//===----------------------------------------------------------------------===//

// The number of a barrier, and of threads in whole warps.
defvar Barrier = "a("#!interleave(!range(0, 16), "|")#"):u32";
defvar BarrierCount = !strconcat("=d:u32, ", Barrier,
                                 ", b(*32):u32?, c:pred");
defvar BarrierVote = !strconcat("=p:pred, ", Barrier,
                                ", b(*32):u32?, c:pred");
def : Row<"bar.~sync", "{.^CtaBarrier}", Barrier#", b(*32):u32?">;
let Version = 20, Targets = ["sm_20"] in {
  def : Row<"bar.~arrive", "{.^CtaBarrier}", Barrier#", b(*32):u32">;
  def : Row<"bar.~red", ".BarRedOp(popc){.^CtaBarrier}.u32",
            BarrierCount>;
  def : Row<"bar.~red", ".BarRedOp(and|or){.^CtaBarrier}.pred",
            BarrierVote>;
}
let Version = 60, Targets = ["sm_30"] in {
  def : Row<"barrier.~sync", "{.^CtaBarrier}{.aligned}", Barrier#", b(*32):u32?">;
  def : Row<"barrier.~arrive", "{.^CtaBarrier}{.aligned}", Barrier#", b(*32):u32">;
  def : Row<"barrier.~red", ".BarRedOp(popc){.^CtaBarrier}{.aligned}.u32",
            BarrierCount>;
  def : Row<"barrier.~red", ".BarRedOp(and|or){.^CtaBarrier}{.aligned}.pred",
            BarrierVote>;
  def : Row<"bar.warp.sync", "", "membermask:u32">;
}
let Version = 78, Targets = ["sm_90"] in {
  def : Row<"barrier.cluster.arrive", "{.aligned}", "">;
  def : Row<"barrier.cluster.wait", "{.aligned}", "">;
}
let Version = 80, Targets = ["sm_90"] in {
  def : Row<"barrier.cluster.arrive", ".Semantics(release|relaxed){.aligned}",
            "">;
  def : Row<"barrier.cluster.wait", ".Semantics(acquire){.aligned}", "">;
}
let Version = 14 in
def : Row<"membar", ".MembarLevel", "">;
let Version = 60, Targets = ["sm_70"] in
def : Row<"fence", "{.Semantics(sc|acq_rel)}.Scope", "">;
let Version = 86, Targets = ["sm_90"] in
def : Row<"fence", ".Semantics(acquire|release).Scope", "">;
let Version = 95, Targets = ["sm_90"] in
def : Row<"fence", ".Proxy(alias).SyncRestrict(sync_restrict::read)"
                   ".Semantics(release).Scope(sys)", "">;
let Version = 80, Targets = ["sm_90"] in
def : Row<"fence.~mbarrier_init", ".Semantics(release).Scope(cluster)", "">;
let Version = 86, Targets = ["sm_90"] in
foreach S = [".Semantics(acquire).SyncRestrict(sync_restrict::shared::cluster)"
             ".Scope(cluster)",
             ".Semantics(release).SyncRestrict(sync_restrict::shared::cta)"
             ".Scope(cluster)"] in {
  def : Row<"fence", S, "">;
  def : Row<"fence.proxy", ".Proxy(async::generic)"#S, "">;
}
let Version = 75, Targets = ["sm_60"] in
def : Row<"membar.proxy", ".Proxy(alias)", "">;
let Version = 75, Targets = ["sm_70"] in
def : Row<"fence.proxy", ".Proxy(alias)", "">;
let Version = 80, Targets = ["sm_90"] in
def : Row<"fence.proxy",
          ".Proxy(async){.StateSpace(global|shared::cta|shared::cluster)}", "">;
let Version = 83, Targets = ["sm_90"] in {
  def : Row<"fence.proxy", ".Proxy(tensormap::generic).Semantics(release).Scope",
            "">;
  def : Row<"fence.proxy", ".Proxy(tensormap::generic).Semantics(acquire).Scope",
            "[addr]:generic, #size(128):u32">;
}

let Version = 93, Targets = ["sm_100"] in
def : Row<"fence.proxy",
          ".FabricProxy.Proxy(alias).Semantics(acquire|release).Scope(sys)", "">;
let Version = 94, Targets = ["sm_90"] in {
  def : Row<"fence.proxy", ".Proxy(alias).Semantics(acquire|release).Scope(sys)",
            "">;
  def : Row<"fence.proxy", ".Proxy(async::generic).Semantics(release)"
            ".SyncRestrict(sync_restrict::shared::cluster::read).Scope(cluster)",
            "">;
}

// Atomics. A row of `red` is that of `atom` without the result.
class AtomForm<string op, string type, int version, list<string> targets> {
  string Op = op;
  string Type = type;
  int Version = version;
  list<string> Targets = targets;
}
defvar AtomHead = "{.AtomSem}{.Scope}{.SyncSpace}";
defvar RedHead = "{.Semantics(relaxed|release)}{.Scope}{.SyncSpace}";
// A cache hint is for global memory.
defvar AtomHintHead = "{.AtomSem}{.Scope}{.StateSpace(global)}";
defvar RedHintHead = "{.Semantics(relaxed|release)}{.Scope}"
                     "{.StateSpace(global)}";
foreach A = [AtomForm<".AtomOp(add)", ".(u32|s32|u64)", 11, []>,
             AtomForm<".AtomOp(add)", ".f32", 20, ["sm_20"]>,
             AtomForm<".AtomOp(add)", ".f64", 50, ["sm_60"]>,
             AtomForm<".AtomOp(add).noftz", ".f16x2", 62, ["sm_60"]>,
             AtomForm<".AtomOp(add).noftz", ".f16", 63, ["sm_70"]>,
             AtomForm<".AtomOp(add).noftz", ".BHalf", 78, ["sm_90"]>,
             AtomForm<".AtomBits", ".b32", 11, []>,
             AtomForm<".AtomBits", ".b64", 31, ["sm_32"]>,
             AtomForm<".AtomIncDec", ".u32", 11, []>,
             AtomForm<".AtomMinMax", ".(u32|s32)", 11, []>,
             AtomForm<".AtomMinMax", ".(u64|s64)", 31, ["sm_32"]>] in
let Version = A.Version, Targets = A.Targets in {
  def : Row<"atom", AtomHead#A.Op#A.Type, "=d_:0, [a], b:0">;
  def : Row<"red", RedHead#A.Op#A.Type, "[a], b:0">;
  def : Row<"atom", AtomHintHead#A.Op#".L2Hint"#A.Type,
            "=d_:0, [a], b:0, policy:u64">;
  def : Row<"red", RedHintHead#A.Op#".L2Hint"#A.Type, "[a], b:0, policy:u64">;
}
let Version = 94, Targets = ["sm_90"] in {
  def : Row<"atom", AtomHead#".AtomOp(add).noftz.f32", "=d_:0, [a], b:0">;
  def : Row<"red", RedHead#".AtomOp(add).noftz.f32", "[a], b:0">;
  def : Row<"atom", AtomHintHead#".AtomOp(add).noftz.L2Hint.f32",
            "=d_:0, [a], b:0, policy:u64">;
  def : Row<"red", RedHintHead#".AtomOp(add).noftz.L2Hint.f32",
            "[a], b:0, policy:u64">;
}
def : Row<"atom", AtomHead#".AtomOp(exch).(b32|b64)", "=d_:0, [a], b:0">;
def : Row<"atom", AtomHintHead#".AtomOp(exch).L2Hint.(b32|b64)",
          "=d_:0, [a], b:0, policy:u64">;
def : Row<"atom", AtomHead#".AtomOp(cas).(b32|b64)",
          "=d_:0, [a], b:0, c:0">;
// A register that only cas has.
let Meaningless = true in
def : Row<"atom", AtomHead#".AtomOp(and|or|xor|exch).b32",
          "=d_:0, [a], b:0, c$:0">;
let Version = 63, Targets = ["sm_70"] in
def : Row<"atom", AtomHead#".AtomOp(cas).b16", "=d_:0, [a], b:0, c:0">;
// The scope .sys came later than the others.
foreach S = ["{.Scope(cta|cluster|gpu)}", ".Scope(sys)"] in
let Version = !if(!eq(S, ".Scope(sys)"), 84, 83), Targets = ["sm_90"] in {
  defvar Head = "{.AtomSem}"#S#"{.SyncSpace}";
  def : Row<"atom", Head#".AtomOp(exch).b128", "=d_:0, [a], b:0">;
  def : Row<"atom", "{.AtomSem}"#S#"{.StateSpace(global)}.AtomOp(exch).L2Hint"
                    ".b128", "=d_:0, [a], b:0, policy:u64">;
  def : Row<"atom", Head#".AtomOp(cas).b128", "=d_:0, [a], b:0, c:0">;
  let Meaningless = true in
  def : Row<"atom", Head#".AtomOp(exch).b128", "=d_:0, [a], b:0, c$:0">;
}
// Vectors of floats in global memory.
let Version = 81, Targets = ["sm_90"] in
foreach S = [".AtomOp(add){.L2Hint}.Vec24.f32",
             ".AtomOp(add|min|max).noftz{.L2Hint}.Vec.(f16|bf16)",
             ".AtomOp(add|min|max).noftz{.L2Hint}.Vec24.(f16x2|bf16x2)"] in {
  def : Row<"atom", "{.AtomSem}{.Scope}{.StateSpace(global)}"#S,
            "=d*:0, [a], b*:0, policy:u64?L2Hint">;
  def : Row<"red",
            "{.Semantics(relaxed|release)}{.Scope}{.StateSpace(global)}"#S,
            "[a], b*:0, policy:u64?L2Hint">;
}

// The forms without .sync are about the threads that are active.
let GoneVersion = 64, GoneSm = 70, DeprecatedSince = 60 in {
  let Version = 30, Targets = ["sm_30"], Advice = "use 'shfl.sync'" in
  def : Row<"shfl", ".ShflMode.b32", "=d|:0, a:0, b:b32, c:b32">;
  let Version = 12, Targets = ["sm_12"], Advice = "use 'vote.sync'" in
  def : Row<"vote", ".VotePred.pred", "=d:0, a:pred">;
  let Version = 20, Targets = ["sm_20"], Advice = "use 'vote.sync'" in
  def : Row<"vote", ".VoteMode(ballot).b32", "=d:0, a:pred">;
}
let Version = 60, Targets = ["sm_30"] in {
  def : Row<"vote.~sync", ".VotePred.pred", "=d:0, a:pred, membermask:u32">;
  def : Row<"vote.~sync", ".VoteMode(ballot).b32",
            "=d:0, a:pred, membermask:u32">;
}
let Version = 60, Targets = ["sm_70"] in {
  def : Row<"match.~sync", ".MatchMode(any).Bits32To64",
            "=d:u32, a:0, membermask:u32">;
  def : Row<"match.~sync", ".MatchMode(all).Bits32To64",
            "=d_|:u32, a:0, membermask:u32">;
}
let Version = 62, Targets = ["sm_30"] in
def : Row<"activemask", ".b32", "=d:0">;
let Version = 70, Targets = ["sm_80"] in {
  def : Row<"redux.~sync", ".ReduxOp(add|min|max).Int32",
            "=d:0, a:0, membermask:u32">;
  def : Row<"redux.~sync", ".ReduxOp(and|or|xor).b32",
            "=d:u32, a:u32, membermask:u32">;
}
let Version = 86, Targets = ["sm_100a", "sm_100f"] in
def : Row<"redux.~sync", ".ReduxOp(min|max){.AbsMode}{.NaN}.f32",
          "=d:0, a:0, membermask:u32">;
let Version = 78, Targets = ["sm_90"] in
def : Row<"griddepcontrol", ".GridDep", "">;
let Version = 80, Targets = ["sm_90"] in
def : Row<"elect.sync", "", "=d_||:u32, membermask:u32">;

//===----------------------------------------------------------------------===//
// Stack manipulation and the rest
//===----------------------------------------------------------------------===//

let Version = 73, Targets = ["sm_52"] in {
  def : Row<"stacksave", ".(u32|u64)", "=d:0">;
  def : Row<"stackrestore", ".(u32|u64)", "a$:0">;
  defvar Aligns = !interleave(!foreach(I, !range(24), !shl(1, I)), "|");
  def : Row<"alloca", ".(u32|u64)",
            "=ptr:0, size:0, #align("#Aligns#"):u32?">;
}
def : Row<"brkpt", "", "">;
def : Row<"trap", "", "">;
let Version = 63, Targets = ["sm_70"] in
def : Row<"nanosleep", ".u32", "t:0">;
let Version = 14 in
def : Row<"pmevent", "", "#a(0|1|2|3|4|5|6|7|8|9|10|11|12|13|14|15):u32">;
let Version = 30, Targets = ["sm_20"] in
def : Row<"pmevent.mask", "", "#a:u32">;

include "PTXTexture.td"
include "PTXVideo.td"
include "PTXMatrix.td"
include "PTXAsync.td"
include "PTXTcgen05.td"
include "PTXFabric.td"
