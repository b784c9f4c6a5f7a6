//===- PTXMatrix.td - Warp-level matrix instructions -------*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix is spread over a warp: each thread holds a fragment, a vector of
// registers, most of which pack several elements.
//
// Multiplicands in half precision are pairs in a register of 32 bits, which may
// be of any type but .f32; the operand type .u32 says so.
//
//===----------------------------------------------------------------------===//

def Transpose   : ModKind<["trans"]>;
def MatrixCount : ModKind<["x1", "x2", "x4"], [1, 2, 4]>;
def MatrixShape : ModKind<["m8n8", "m8n16", "m16n8", "m16n16", "m8n8k4",
                           "m8n8k16", "m8n8k32", "m8n8k128", "m16n8k4",
                           "m16n8k8", "m16n8k16", "m16n8k32", "m16n8k64",
                           "m16n8k128", "m16n8k256", "m16n16k8", "m16n16k16",
                           "m8n32k16", "m32n8k16"]>;
def LayoutA     : ModKind<["row", "col"]>;
def LayoutB     : ModKind<["row", "col"]>;
def Sparse      : ModKind<["sp", "sp::ordered_metadata"]>;
def BitOp       : ModKind<["xor", "and"]>;
def PopCount    : ModKind<["popc"]>;
def MatrixKind  : ModKind<["kind::f8f6f4", "kind::mxf8f6f4", "kind::mxf4",
                           "kind::mxf4nvf4"]>;
def BlockScale  : ModKind<["block_scale"]>;
def ScaleVec    : ModKind<["scale_vec::1X", "scale_vec::2X",
                           "scale_vec::4X"]>;
let Overlooked = true in {
def UnpackTo    : ModKind<["b8x16"]>;
def UnpackFrom  : ModKind<["b6x16_p32", "b4x16_p64"]>;
}

// Targets of what came with Blackwell, by family.
defvar Family120 = ["sm_120a", "sm_120f", "sm_121a"];
defvar FamilyTcgen05 = ["sm_100a", "sm_100f", "sm_101a", "sm_101f", "sm_110a",
                        "sm_110f"];
defvar FamilyAll = !listconcat(FamilyTcgen05, Family120);

//===----------------------------------------------------------------------===//
// Loads, stores and moves of matrices
//===----------------------------------------------------------------------===//

// Without a state space the address is generic, but of shared memory.
let Version = 65, Targets = ["sm_75"] in {
  defvar MatrixHead = ".sync.aligned.MatrixShape";
  defvar MatrixSpace = "{.OwnSharedSpace}";
  def : Row<"ldmatrix", MatrixHead#"(m8n8).MatrixCount{.trans}"#MatrixSpace#
                        ".b16", "=r!{MatrixCount}:b32, [p=]:shared">;
  let Version = 86, Targets = FamilyAll in {
    def : Row<"ldmatrix", MatrixHead#"(m16n16).MatrixCount(x1|x2).trans"#
                          MatrixSpace#".b8",
              "=r!{MatrixCount*2}:b32, [p=]:shared">;
    def : Row<"ldmatrix", MatrixHead#"(m8n16).MatrixCount"#MatrixSpace#
                          ".UnpackTo.UnpackFrom",
              "=r!{MatrixCount}:b32, [p=]:shared">;
    def : Row<"ldmatrix", MatrixHead#"(m16n16).MatrixCount(x1|x2).trans"#
                          MatrixSpace#".UnpackTo.UnpackFrom",
              "=r!{MatrixCount*2}:b32, [p=]:shared">;
    let Version = 94, Targets = ["sm_90a", "sm_100f", "sm_110f", "sm_120f"] in
    def : Row<"ldmatrix", MatrixHead#"(m8n16).MatrixCount"#MatrixSpace#
                          ".s8.s4", "=r!{MatrixCount}:b32, [p=]:shared">;
    def : Row<"stmatrix", MatrixHead#"(m16n8).MatrixCount.trans"#MatrixSpace#
                          ".b8", "[p=]:shared, r$!{MatrixCount}:b32">;
  }
  let Version = 78, Targets = ["sm_90"] in
  def : Row<"stmatrix", MatrixHead#"(m8n8).MatrixCount{.trans}"#MatrixSpace#
                        ".b16", "[p=]:shared, r$!{MatrixCount}:b32">;
  let Version = 78, Targets = ["sm_75"] in
  def : Row<"movmatrix", MatrixHead#"(m8n8).trans.b16", "=d:b32, a$:b32">;
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

// Numbers of registers of the fragments D and C, A and B.
class Fragments<int d, int a, int b, int c = d> {
  int D = d;
  int A = a;
  int B = b;
  int C = c;
}
// One shape of `mma` with the types of its operands, `types` as in the mnemonic.
class MmaForm<string shape, string types, Fragments f, string dtype,
              string atype, string ctype, int version, list<string> targets,
              string more = "", string layouts = "row.col"> {
  string Shape = ".MatrixShape("#shape#")";
  string Layouts = !if(!eq(layouts, "any"), ".LayoutA.LayoutB",
                       ".LayoutA(row).LayoutB(col)");
  string Types = types;
  string More = more;
  string Operands = "=d!{"#f.D#"}:"#dtype#", a<!{"#f.A#"}:"#atype#
                    ", b<!{"#f.B#"}:"#atype#", c<!{"#f.C#"}:"#ctype;
  int Version = version;
  list<string> Targets = targets;
}
defvar MmaForms = [
  // Half precision.
  MmaForm<"m8n8k4", ".f16.f16.f16.f16", Fragments<4, 2, 2>, "u32", "u32",
          "u32", 64, ["sm_70"], "", "any">,
  MmaForm<"m8n8k4", ".f32.f16.f16.f16", Fragments<8, 2, 2, 4>, "f32", "u32",
          "u32", 64, ["sm_70"], "", "any">,
  MmaForm<"m8n8k4", ".f32.f16.f16.f32", Fragments<8, 2, 2>, "f32", "u32",
          "f32", 64, ["sm_70"], "", "any">,
  MmaForm<"m16n8k8", ".f16.f16.f16.f16", Fragments<2, 2, 1>, "u32", "u32",
          "u32", 65, ["sm_75"]>,
  MmaForm<"m16n8k8", ".f32.f16.f16.f32", Fragments<4, 2, 1>, "f32", "u32",
          "f32", 65, ["sm_75"]>,
  MmaForm<"m16n8k16", ".f16.f16.f16.f16", Fragments<2, 4, 2>, "u32", "u32",
          "u32", 70, ["sm_80"]>,
  MmaForm<"m16n8k16", ".f32.f16.f16.f32", Fragments<4, 4, 2>, "f32", "u32",
          "f32", 70, ["sm_80"]>,
  // Other floating-point types.
  MmaForm<"m16n8k4", ".f32.tf32.tf32.f32", Fragments<4, 2, 1>, "f32", "b32",
          "f32", 70, ["sm_80"]>,
  MmaForm<"m16n8k8", ".f32.tf32.tf32.f32", Fragments<4, 4, 2>, "f32", "b32",
          "f32", 70, ["sm_80"]>,
  MmaForm<"m16n8k8", ".f32.bf16.bf16.f32", Fragments<4, 2, 1>, "f32", "b32",
          "f32", 70, ["sm_80"]>,
  MmaForm<"m16n8k16", ".f32.bf16.bf16.f32", Fragments<4, 4, 2>, "f32", "b32",
          "f32", 70, ["sm_80"]>,
  MmaForm<"m16n8k32", ".f32.(e4m3|e5m2).(e4m3|e5m2).f32", Fragments<4, 4, 2>,
          "f32", "b32", "f32", 84, ["sm_89"]>,
  MmaForm<"m16n8k32", ".f16.(e4m3|e5m2).(e4m3|e5m2).f16", Fragments<2, 4, 2>,
          "u32", "b32", "u32", 87, ["sm_89"]>,
  MmaForm<"m16n8k16", ".f32.(e4m3|e5m2).(e4m3|e5m2).f32", Fragments<4, 2, 1>,
          "f32", "b32", "f32", 87, ["sm_89"]>,
  MmaForm<"m16n8k16", ".f16.(e4m3|e5m2).(e4m3|e5m2).f16", Fragments<2, 2, 1>,
          "u32", "b32", "u32", 87, ["sm_89"]>,
  MmaForm<"m16n8k32", ".f32.Float4To8.Float4To8.f32", Fragments<4, 4, 2>,
          "f32", "b32", "f32", 87, Family120, ".MatrixKind(kind::f8f6f4)">,
  MmaForm<"m16n8k32", ".f16.Float4To8.Float4To8.f16", Fragments<2, 4, 2>,
          "u32", "b32", "u32", 87, Family120, ".MatrixKind(kind::f8f6f4)">,
  // Of 8 bits the kind may be named everywhere.
  MmaForm<"m16n8k32", ".f32.(e4m3|e5m2).(e4m3|e5m2).f32", Fragments<4, 4, 2>,
          "f32", "b32", "f32", 86, FamilyTcgen05,
          ".MatrixKind(kind::f8f6f4)">,
  MmaForm<"m16n8k32", ".f16.(e4m3|e5m2).(e4m3|e5m2).f16", Fragments<2, 4, 2>,
          "u32", "b32", "u32", 87, FamilyTcgen05,
          ".MatrixKind(kind::f8f6f4)">,
  MmaForm<"m16n8k16", ".f32.(e4m3|e5m2).(e4m3|e5m2).f32", Fragments<4, 2, 1>,
          "f32", "b32", "f32", 87, FamilyAll, ".MatrixKind(kind::f8f6f4)">,
  MmaForm<"m16n8k16", ".f16.(e4m3|e5m2).(e4m3|e5m2).f16", Fragments<2, 2, 1>,
          "u32", "b32", "u32", 87, FamilyAll, ".MatrixKind(kind::f8f6f4)">,
  // Double precision.
  MmaForm<"m8n8k4", ".f64.f64.f64.f64", Fragments<2, 1, 1>, "f64", "f64",
          "f64", 70, ["sm_80"], "{.FpRound}">,
  MmaForm<"m16n8k4", ".f64.f64.f64.f64", Fragments<4, 2, 1>, "f64", "f64",
          "f64", 78, ["sm_90"], "{.FpRound}">,
  MmaForm<"m16n8k8", ".f64.f64.f64.f64", Fragments<4, 4, 2>, "f64", "f64",
          "f64", 78, ["sm_90"], "{.FpRound}">,
  MmaForm<"m16n8k16", ".f64.f64.f64.f64", Fragments<4, 8, 4>, "f64", "f64",
          "f64", 78, ["sm_90"], "{.FpRound}">,
  // Integers.
  MmaForm<"m8n8k16", ".s32.(u8|s8).(u8|s8).s32", Fragments<2, 1, 1>, "b32",
          "u32", "b32", 65, ["sm_75"], "{.satfinite}">,
  MmaForm<"m16n8k16", ".s32.(u8|s8).(u8|s8).s32", Fragments<4, 2, 1>, "b32",
          "u32", "b32", 70, ["sm_80"], "{.satfinite}">,
  MmaForm<"m16n8k32", ".s32.(u8|s8).(u8|s8).s32", Fragments<4, 4, 2>, "b32",
          "u32", "b32", 70, ["sm_80"], "{.satfinite}">,
  MmaForm<"m8n8k32", ".s32.(u4|s4).(u4|s4).s32", Fragments<2, 1, 1>, "b32",
          "u32", "b32", 65, ["sm_75"], "{.satfinite}">,
  MmaForm<"m16n8k32", ".s32.(u4|s4).(u4|s4).s32", Fragments<4, 2, 1>, "b32",
          "u32", "b32", 70, ["sm_80"], "{.satfinite}">,
  MmaForm<"m16n8k64", ".s32.(u4|s4).(u4|s4).s32", Fragments<4, 4, 2>, "b32",
          "u32", "b32", 70, ["sm_80"], "{.satfinite}">,
  // Bits.
  MmaForm<"m8n8k128", ".s32.b1.b1.s32", Fragments<2, 1, 1>, "b32", "u32",
          "b32", 70, ["sm_75"], ".BitOp(xor).PopCount">,
  MmaForm<"m16n8k128", ".s32.b1.b1.s32", Fragments<4, 2, 1>, "b32", "u32",
          "b32", 70, ["sm_80"], ".BitOp(xor).PopCount">,
  MmaForm<"m16n8k256", ".s32.b1.b1.s32", Fragments<4, 4, 2>, "b32", "u32",
          "b32", 70, ["sm_80"], ".BitOp(xor).PopCount">,
  MmaForm<"m8n8k128", ".s32.b1.b1.s32", Fragments<2, 1, 1>, "b32", "u32",
          "b32", 71, ["sm_80"], ".BitOp(and).PopCount">,
  MmaForm<"m16n8k128", ".s32.b1.b1.s32", Fragments<4, 2, 1>, "b32", "u32",
          "b32", 71, ["sm_80"], ".BitOp(and).PopCount">,
  MmaForm<"m16n8k256", ".s32.b1.b1.s32", Fragments<4, 4, 2>, "b32", "u32",
          "b32", 71, ["sm_80"], ".BitOp(and).PopCount">];
def Float4To8 : TypeSet<[E4M3, E5M2, E3M2, E2M3, E2M1]>;

foreach F = MmaForms in
let Version = F.Version, Targets = F.Targets in
def : Row<"mma", ".sync.aligned"#F.Shape#F.Layouts#F.More#F.Types, F.Operands>;

// With a scale for each block of a row of A and a column of B. The pairs of
// numbers say which byte of which thread has it.
class ScaledForm<string kind, string vec, string types, string stype,
                 int version = 87> {
  string Modifiers = ".MatrixKind("#kind#").block_scale"#vec;
  string Types = ".f32"#types#types#".f32"#stype;
  int Version = version;
}
defvar Scaled4 = [
  ScaledForm<"kind::mxf4", "{.ScaleVec(scale_vec::2X)}", ".e2m1", ".ue8m0">,
  ScaledForm<"kind::mxf4nvf4", ".ScaleVec(scale_vec::2X)", ".e2m1", ".ue8m0">,
  ScaledForm<"kind::mxf4nvf4", ".ScaleVec(scale_vec::4X)", ".e2m1", ".ue4m3">,
  ScaledForm<"kind::mxf4nvf4", ".ScaleVec(scale_vec::4X)", ".e2m1", ".ue8m0",
             91>];
defvar Scaled8 = [ScaledForm<"kind::mxf8f6f4", "{.ScaleVec(scale_vec::1X)}",
                             ".Float4To8", ".ue8m0">];
foreach S = Scaled4 in
let Version = S.Version, Targets = Family120 in {
  defvar ScaleOperands = ", scaleA<$:b32, idA(0|1|2|3){2}:u16, scaleB<$:b32, idB(0|1|2|3){2}:u16";
  def : Row<"mma", ".sync.aligned.MatrixShape(m16n8k64).LayoutA(row)"
                   ".LayoutB(col)"#S.Modifiers#S.Types,
            "=d!{4}:f32, a<!{4}:b32, b<!{2}:b32, c<!{4}:f32"#ScaleOperands>;
  def : Row<"mma", ".Sparse(sp::ordered_metadata).sync.aligned"
                   ".MatrixShape(m16n8k128).LayoutA(row).LayoutB(col)"#
                   S.Modifiers#S.Types,
            "=d!{4}:f32, a<!{4}:b32, b<!{4}:b32, c<!{4}:f32, e<$:b32, #f(0):u32"#
            ScaleOperands>;
}
foreach S = Scaled8 in
let Version = S.Version, Targets = Family120 in {
  defvar ScaleOperands = ", scaleA<$:b32, idA(0|1|2|3){2}:u16, scaleB<$:b32, idB(0|1|2|3){2}:u16";
  def : Row<"mma", ".sync.aligned.MatrixShape(m16n8k32).LayoutA(row)"
                   ".LayoutB(col)"#S.Modifiers#S.Types,
            "=d!{4}:f32, a<!{4}:b32, b<!{2}:b32, c<!{4}:f32"#ScaleOperands>;
  def : Row<"mma", ".Sparse(sp::ordered_metadata).sync.aligned"
                   ".MatrixShape(m16n8k64).LayoutA(row).LayoutB(col)"#
                   S.Modifiers#S.Types,
            "=d!{4}:f32, a<!{4}:b32, b<!{4}:b32, c<!{4}:f32, e<$:b32, #f(0):u32"#
            ScaleOperands>;
}

// A has half of its elements; the metadata `e` say which, and the selector `f`
// which threads hold it.
defvar SparseForms = [
  MmaForm<"m16n8k16", ".f16.f16.f16.f16", Fragments<2, 2, 2>, "u32", "u32",
          "u32", 71, ["sm_80"], "0|1|2|3">,
  MmaForm<"m16n8k16", ".f32.f16.f16.f32", Fragments<4, 2, 2>, "f32", "u32",
          "f32", 71, ["sm_80"], "0|1|2|3">,
  MmaForm<"m16n8k32", ".f16.f16.f16.f16", Fragments<2, 4, 4>, "u32", "u32",
          "u32", 71, ["sm_80"], "0|1">,
  MmaForm<"m16n8k32", ".f32.f16.f16.f32", Fragments<4, 4, 4>, "f32", "u32",
          "f32", 71, ["sm_80"], "0|1">,
  MmaForm<"m16n8k16", ".f32.bf16.bf16.f32", Fragments<4, 2, 2>, "f32", "b32",
          "f32", 71, ["sm_80"], "0|1|2|3">,
  MmaForm<"m16n8k32", ".f32.bf16.bf16.f32", Fragments<4, 4, 4>, "f32", "b32",
          "f32", 71, ["sm_80"], "0|1">,
  MmaForm<"m16n8k8", ".f32.tf32.tf32.f32", Fragments<4, 2, 2>, "f32", "b32",
          "f32", 71, ["sm_80"], "0|1|2|3">,
  MmaForm<"m16n8k16", ".f32.tf32.tf32.f32", Fragments<4, 4, 4>, "f32", "b32",
          "f32", 71, ["sm_80"], "0|1">,
  MmaForm<"m16n8k64", ".f32.(e4m3|e5m2).(e4m3|e5m2).f32", Fragments<4, 4, 4>,
          "f32", "b32", "f32", 84, ["sm_89"], "0">,
  // Only with ordered metadata.
  MmaForm<"m16n8k64", ".f16.(e4m3|e5m2).(e4m3|e5m2).f16", Fragments<2, 4, 4>,
          "u32", "b32", "u32", 87, Family120, "0">,
  MmaForm<"m16n8k32", ".s32.(u8|s8).(u8|s8).s32", Fragments<4, 2, 2>, "b32",
          "u32", "b32", 71, ["sm_80"], "0|1">,
  MmaForm<"m16n8k64", ".s32.(u8|s8).(u8|s8).s32", Fragments<4, 4, 4>, "b32",
          "u32", "b32", 71, ["sm_80"], "0">,
  MmaForm<"m16n8k64", ".s32.(u4|s4).(u4|s4).s32", Fragments<4, 2, 2>, "b32",
          "u32", "b32", 71, ["sm_80"], "0|1">,
  MmaForm<"m16n8k128", ".s32.(u4|s4).(u4|s4).s32", Fragments<4, 4, 4>, "b32",
          "u32", "b32", 71, ["sm_80"], "0">];
foreach F = SparseForms in
foreach Ordered = [false, true] in {
  defvar IsInteger = !ne(!find(F.Types, ".s32"), -1);
  if !or(Ordered, !ne(F.Version, 87)) then
  let Version = !if(Ordered, !if(!lt(F.Version, 85), 85, F.Version),
                    F.Version),
      Targets = F.Targets in
  def : Row<"mma", !if(Ordered, ".Sparse(sp::ordered_metadata)", ".Sparse(sp)")#
                   ".sync.aligned"#F.Shape#F.Layouts#
                   !if(IsInteger, "{.satfinite}", "")#F.Types,
            F.Operands#", e<$:b32, #f("#F.More#"):u32">;
}
let Version = 87, Targets = Family120 in {
  def : Row<"mma", ".Sparse(sp::ordered_metadata).sync.aligned"
                   ".MatrixShape(m16n8k64).LayoutA(row).LayoutB(col)"
                   ".MatrixKind(kind::f8f6f4).f32.Float4To8.Float4To8.f32",
            "=d!{4}:f32, a<!{4}:b32, b<!{4}:b32, c<!{4}:f32, e<$:b32, #f(0):u32">;
  def : Row<"mma", ".Sparse(sp::ordered_metadata).sync.aligned"
                   ".MatrixShape(m16n8k64).LayoutA(row).LayoutB(col)"
                   ".MatrixKind(kind::f8f6f4).f16.Float4To8.Float4To8.f16",
            "=d!{2}:u32, a<!{4}:b32, b<!{4}:b32, c<!{2}:u32, e<$:b32, #f(0):u32">;
}
let Version = 86, Targets = FamilyTcgen05 in
def : Row<"mma", ".Sparse(sp::ordered_metadata).sync.aligned"
                 ".MatrixShape(m16n8k64).LayoutA(row).LayoutB(col)"
                 ".MatrixKind(kind::f8f6f4).f32.(e4m3|e5m2).(e4m3|e5m2).f32",
          "=d!{4}:f32, a<!{4}:b32, b<!{4}:b32, c<!{4}:f32, e<$:b32, #f(0):u32">;

//===----------------------------------------------------------------------===//
// wmma
//===----------------------------------------------------------------------===//

// A fragment that can be loaded: which matrix, its shapes and element types,
// the registers and their type.
class WmmaFragment<string matrix, string layouts, string shapes, string types,
                   int regs, string regtype, int version, string target> {
  string Matrix = matrix;
  string Layouts = layouts;
  string Shapes = ".MatrixShape("#shapes#")";
  string Types = types;
  string Fragment = "{"#regs#"}:"#regtype;
  int Version = version;
  list<string> Targets = [target];
}
defvar AnyLayout = ".LayoutA";
defvar WmmaInputs = [
  WmmaFragment<"a", AnyLayout, "m16n16k16", ".f16", 8, "u32", 60, "sm_70">,
  WmmaFragment<"b", AnyLayout, "m16n16k16", ".f16", 8, "u32", 60, "sm_70">,
  WmmaFragment<"a", AnyLayout, "m8n32k16|m32n8k16", ".f16", 8, "u32", 61,
               "sm_70">,
  WmmaFragment<"b", AnyLayout, "m8n32k16|m32n8k16", ".f16", 8, "u32", 61,
               "sm_70">,
  WmmaFragment<"a", AnyLayout, "m16n16k16", ".(u8|s8)", 2, "u32", 63,
               "sm_72">,
  WmmaFragment<"b", AnyLayout, "m16n16k16", ".(u8|s8)", 2, "u32", 63,
               "sm_72">,
  WmmaFragment<"a", AnyLayout, "m8n32k16", ".(u8|s8)", 1, "u32", 63, "sm_72">,
  WmmaFragment<"b", AnyLayout, "m8n32k16", ".(u8|s8)", 4, "u32", 63, "sm_72">,
  WmmaFragment<"a", AnyLayout, "m32n8k16", ".(u8|s8)", 4, "u32", 63, "sm_72">,
  WmmaFragment<"b", AnyLayout, "m32n8k16", ".(u8|s8)", 1, "u32", 63, "sm_72">,
  WmmaFragment<"a", AnyLayout, "m16n16k16", ".bf16", 4, "b32", 70, "sm_80">,
  WmmaFragment<"b", AnyLayout, "m16n16k16", ".bf16", 4, "b32", 70, "sm_80">,
  WmmaFragment<"a", AnyLayout, "m8n32k16", ".bf16", 2, "b32", 70, "sm_80">,
  WmmaFragment<"b", AnyLayout, "m8n32k16", ".bf16", 8, "b32", 70, "sm_80">,
  WmmaFragment<"a", AnyLayout, "m32n8k16", ".bf16", 8, "b32", 70, "sm_80">,
  WmmaFragment<"b", AnyLayout, "m32n8k16", ".bf16", 2, "b32", 70, "sm_80">,
  WmmaFragment<"a", AnyLayout, "m16n16k8", ".tf32", 4, "b32", 70, "sm_80">,
  WmmaFragment<"b", AnyLayout, "m16n16k8", ".tf32", 4, "b32", 70, "sm_80">,
  WmmaFragment<"a", AnyLayout, "m8n8k4", ".f64", 1, "f64", 70, "sm_80">,
  WmmaFragment<"b", AnyLayout, "m8n8k4", ".f64", 1, "f64", 70, "sm_80">,
  WmmaFragment<"a", ".LayoutA(row)", "m8n8k32", ".(u4|s4)", 1, "u32", 63,
               "sm_75">,
  WmmaFragment<"b", ".LayoutA(col)", "m8n8k32", ".(u4|s4)", 1, "u32", 63,
               "sm_75">,
  WmmaFragment<"a", ".LayoutA(row)", "m8n8k128", ".b1", 1, "u32", 63,
               "sm_75">,
  WmmaFragment<"b", ".LayoutA(col)", "m8n8k128", ".b1", 1, "u32", 63,
               "sm_75">];
defvar WmmaSums = [
  WmmaFragment<"c", AnyLayout, "m16n16k16", ".f16", 4, "u32", 60, "sm_70">,
  WmmaFragment<"c", AnyLayout, "m16n16k16", ".f32", 8, "f32", 60, "sm_70">,
  WmmaFragment<"c", AnyLayout, "m8n32k16|m32n8k16", ".f16", 4, "u32", 61,
               "sm_70">,
  WmmaFragment<"c", AnyLayout, "m8n32k16|m32n8k16", ".f32", 8, "f32", 61,
               "sm_70">,
  WmmaFragment<"c", AnyLayout, "m16n16k16|m8n32k16|m32n8k16", ".s32", 8,
               "b32", 63, "sm_72">,
  WmmaFragment<"c", AnyLayout, "m16n16k8", ".f32", 8, "f32", 70, "sm_80">,
  WmmaFragment<"c", AnyLayout, "m8n8k4", ".f64", 2, "f64", 70, "sm_80">,
  WmmaFragment<"c", AnyLayout, "m8n8k32|m8n8k128", ".s32", 2, "b32", 63,
               "sm_75">];
def WmmaSpace : ModSet<StateSpace, ["global", "shared", "shared::cta"]>;

// Before version 6.3 every wmma was aligned without saying so.
class WmmaRow<string op, string suffix, string operands, int version,
              list<string> targets>
    : Row<op, ".sync.aligned"#suffix, operands> {
  let Version = !if(!lt(version, 63), 63, version);
  let Targets = targets;
}
class OldWmmaRow<string op, string suffix, string operands, int version,
                 list<string> targets>
    : Row<op, ".sync"#!subst("WmmaSpace", "StateSpace(global|shared)", suffix),
          operands> {
  let Version = version;
  let Targets = targets;
  let GoneVersion = 63;
  let GoneSm = 1;
}
foreach F = !listconcat(WmmaInputs, WmmaSums) in {
  defvar Suffix = F.Layouts#F.Shapes#"{.WmmaSpace}"#F.Types;
  defvar Operands = "=r!"#F.Fragment#", [p=], stride:u32?";
  def : WmmaRow<"wmma.load."#F.Matrix, Suffix, Operands, F.Version, F.Targets>;
  if !lt(F.Version, 63) then
    def : OldWmmaRow<"wmma.load."#F.Matrix, Suffix, Operands, F.Version,
                     F.Targets>;
}
foreach F = WmmaSums in {
  defvar Suffix = F.Layouts#F.Shapes#"{.WmmaSpace}"#F.Types;
  defvar Operands = "[p=$], r$!"#F.Fragment#", stride:u32?";
  def : WmmaRow<"wmma.store.d", Suffix, Operands, F.Version, F.Targets>;
  if !lt(F.Version, 63) then
    def : OldWmmaRow<"wmma.store.d", Suffix, Operands, F.Version, F.Targets>;
}

class WmmaForm<string head, string layouts, string shapes, string types,
               Fragments f, string dtype, string atype, string ctype,
               int version, string target> {
  string Suffix = head#layouts#".MatrixShape("#shapes#")"#types;
  string Operands = "=d!{"#f.D#"}:"#dtype#", a<$!{"#f.A#"}:"#atype#", b<$!{"#
                    f.B#"}:"#atype#", c<$!{"#f.C#"}:"#ctype;
  int Version = version;
  list<string> Targets = [target];
}
defvar BothLayouts = ".LayoutA.LayoutB";
defvar FixedLayouts = ".LayoutA(row).LayoutB(col)";
foreach Shape = ["m16n16k16", "m8n32k16|m32n8k16"] in {
  defvar Since = !if(!eq(Shape, "m16n16k16"), 60, 61);
  foreach D = ["f16", "f32"] in
  foreach C = ["f16", "f32"] in {
    defvar F = Fragments<!if(!eq(D, "f16"), 4, 8), 8, 8,
                         !if(!eq(C, "f16"), 4, 8)>;
    defvar W = WmmaForm<"", BothLayouts, Shape, "."#D#"."#C, F,
                        !if(!eq(D, "f16"), "u32", "f32"), "u32",
                        !if(!eq(C, "f16"), "u32", "f32"), Since, "sm_70">;
    def : WmmaRow<"wmma.mma", W.Suffix, W.Operands, W.Version, W.Targets>;
    def : OldWmmaRow<"wmma.mma", W.Suffix#"{.satfinite}", W.Operands,
                     W.Version, W.Targets>;
    let GoneVersion = 65, GoneSm = 1 in
    def : WmmaRow<"wmma.mma", W.Suffix#".satfinite", W.Operands, W.Version,
                  W.Targets>;
  }
}
defvar WmmaForms = [
  WmmaForm<"", BothLayouts, "m16n16k16", ".s32.u8.u8.s32{.satfinite}",
           Fragments<8, 2, 2>, "b32", "u32", "b32", 63, "sm_72">,
  WmmaForm<"", BothLayouts, "m16n16k16", ".s32.s8.s8.s32{.satfinite}",
           Fragments<8, 2, 2>, "b32", "u32", "b32", 63, "sm_72">,
  WmmaForm<"", BothLayouts, "m8n32k16", ".s32.u8.u8.s32{.satfinite}",
           Fragments<8, 1, 4>, "b32", "u32", "b32", 63, "sm_72">,
  WmmaForm<"", BothLayouts, "m8n32k16", ".s32.s8.s8.s32{.satfinite}",
           Fragments<8, 1, 4>, "b32", "u32", "b32", 63, "sm_72">,
  WmmaForm<"", BothLayouts, "m32n8k16", ".s32.u8.u8.s32{.satfinite}",
           Fragments<8, 4, 1>, "b32", "u32", "b32", 63, "sm_72">,
  WmmaForm<"", BothLayouts, "m32n8k16", ".s32.s8.s8.s32{.satfinite}",
           Fragments<8, 4, 1>, "b32", "u32", "b32", 63, "sm_72">,
  WmmaForm<"", BothLayouts, "m16n16k16", ".f32.bf16.bf16.f32",
           Fragments<8, 4, 4>, "f32", "b32", "f32", 70, "sm_80">,
  WmmaForm<"", BothLayouts, "m8n32k16", ".f32.bf16.bf16.f32",
           Fragments<8, 2, 8>, "f32", "b32", "f32", 70, "sm_80">,
  WmmaForm<"", BothLayouts, "m32n8k16", ".f32.bf16.bf16.f32",
           Fragments<8, 8, 2>, "f32", "b32", "f32", 70, "sm_80">,
  WmmaForm<"", BothLayouts, "m16n16k8", ".f32.tf32.tf32.f32",
           Fragments<8, 4, 4>, "f32", "b32", "f32", 70, "sm_80">,
  WmmaForm<"", BothLayouts, "m8n8k4", "{.FpRound}.f64.f64.f64.f64",
           Fragments<2, 1, 1>, "f64", "f64", "f64", 70, "sm_80">,
  WmmaForm<"", FixedLayouts, "m8n8k32", ".s32.u4.u4.s32{.satfinite}",
           Fragments<2, 1, 1>, "b32", "u32", "b32", 63, "sm_75">,
  WmmaForm<"", FixedLayouts, "m8n8k32", ".s32.s4.s4.s32{.satfinite}",
           Fragments<2, 1, 1>, "b32", "u32", "b32", 63, "sm_75">,
  WmmaForm<".BitOp(xor).PopCount", FixedLayouts, "m8n8k128", ".s32.b1.b1.s32",
           Fragments<2, 1, 1>, "b32", "u32", "b32", 63, "sm_75">,
  WmmaForm<".BitOp(and).PopCount", FixedLayouts, "m8n8k128", ".s32.b1.b1.s32",
           Fragments<2, 1, 1>, "b32", "u32", "b32", 71, "sm_80">];
foreach W = WmmaForms in
def : WmmaRow<"wmma.mma", W.Suffix, W.Operands, W.Version, W.Targets>;

//===----------------------------------------------------------------------===//
// wgmma
//===----------------------------------------------------------------------===//

// N of m64nNkK; the number of the spelling. D has N / 2 registers in 32 bits.
class WgmmaShapes<int k, list<int> ns> {
  list<string> Names = !foreach(n, ns, "m64n"#n#"k"#k);
  string All = "."#!interleave(Names, "|");
}
defvar EveryN = !foreach(i, !range(1, 33), !mul(i, 8));
defvar IntegerN = [8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192,
                   208, 224, 240, 256];
def WgmmaShape : ModKind<!listconcat(WgmmaShapes<8, EveryN>.Names,
                                     WgmmaShapes<16, EveryN>.Names,
                                     WgmmaShapes<32, EveryN>.Names,
                                     WgmmaShapes<64, EveryN>.Names,
                                     WgmmaShapes<256, IntegerN>.Names),
                         !listconcat(EveryN, EveryN, EveryN, EveryN, IntegerN)>;
foreach K = [8, 16, 32, 64] in
def WgmmaK#K : ModSet<WgmmaShape, WgmmaShapes<K, EveryN>.Names>;
foreach K = [32, 64, 256] in
def WgmmaIntegerK#K : ModSet<WgmmaShape, WgmmaShapes<K, IntegerN>.Names>;

// Forms by type; `depth` is K of the dense form, `scales` the operands after
// scale-d, of which there is one less for the transposition when A is in
// registers.
class WgmmaForm<string types, int depth, int over, string dtype, string atype,
                int scales, int version, string set = "WgmmaK",
                string more = ""> {
  string Types = types;
  int Depth = depth;
  string D = "=d!{WgmmaShape/"#over#"}:"#dtype;
  string A = atype;
  string Signs = !if(!gt(scales, 0), ", #scaleA(-1|1):s32, #scaleB(-1|1):s32",
                     "");
  bit Transposes = !eq(scales, 4);
  // Which threads may hold the metadata.
  string Selectors = !if(!eq(depth, 32), "0", "0|1");
  int Version = version;
  string Set = set;
  string More = more;
}
defvar WgmmaForms = [
  WgmmaForm<".f16.f16.f16", 16, 4, "u32", "u32", 4, 80>,
  WgmmaForm<".f32.f16.f16", 16, 2, "f32", "u32", 4, 80>,
  WgmmaForm<".f32.bf16.bf16", 16, 2, "f32", "b32", 4, 80>,
  WgmmaForm<".f32.tf32.tf32", 8, 2, "f32", "b32", 2, 80>,
  WgmmaForm<".f16.(e4m3|e5m2).(e4m3|e5m2)", 32, 4, "u32", "b32", 2, 80>,
  WgmmaForm<".f32.(e4m3|e5m2).(e4m3|e5m2)", 32, 2, "f32", "b32", 2, 80>,
  WgmmaForm<".s32.s8.s8", 32, 2, "b32", "u32", 0, 80, "WgmmaIntegerK",
            "{.satfinite}">,
  WgmmaForm<".s32.u8.u8", 32, 2, "b32", "u32", 0, 80, "WgmmaIntegerK",
            "{.satfinite}">,
  WgmmaForm<".s32.s8.u8", 32, 2, "b32", "u32", 0, 84, "WgmmaIntegerK",
            "{.satfinite}">,
  WgmmaForm<".s32.u8.s8", 32, 2, "b32", "u32", 0, 84, "WgmmaIntegerK",
            "{.satfinite}">];
foreach F = WgmmaForms in
foreach IsSparse = [false, true] in
let Targets = ["sm_90a"],
    Version = !if(!and(IsSparse, !lt(F.Version, 82)), 82, F.Version) in {
  defvar Op = "wgmma.mma_async"#!if(IsSparse, ".~sp", "");
  defvar Shape = "."#F.Set#!if(IsSparse, !mul(F.Depth, 2), F.Depth);
  defvar Meta = !if(IsSparse, ", spMeta<$:b32, #spSel("#F.Selectors#"):u32", "");
  def : Row<Op, ".sync{.aligned}"#Shape#F.More#F.Types,
            F.D#", aDesc:u64, bDesc:u64"#Meta#", scaleD(0|1):pred"#F.Signs#
            !if(F.Transposes, ", #transA(0|1):s32, #transB(0|1):s32", "")>;
  def : Row<Op, ".sync{.aligned}"#Shape#F.More#F.Types,
            F.D#", a<!{4}:"#F.A#", bDesc:u64"#Meta#", scaleD(0|1):pred"#F.Signs#
            !if(F.Transposes, ", #transB(0|1):s32", "")>;
}
let Version = 80, Targets = ["sm_90a"] in {
  def : Row<"wgmma.mma_async",
            ".sync{.aligned}.WgmmaIntegerK256.s32.b1.b1.BitOp(and).PopCount",
            "=d!{WgmmaShape/2}:b32, aDesc:u64, bDesc:u64, scaleD(0|1):pred">;
  def : Row<"wgmma.mma_async",
            ".sync{.aligned}.WgmmaIntegerK256.s32.b1.b1.BitOp(and).PopCount",
            "=d!{WgmmaShape/2}:b32, a<!{4}:u32, bDesc:u64, scaleD(0|1):pred">;
  def : Row<"wgmma.fence", ".sync{.aligned}", "">;
  def : Row<"wgmma.commit_group", ".sync{.aligned}", "">;
  def : Row<"wgmma.wait_group", ".sync{.aligned}", "#n:u32">;
}
