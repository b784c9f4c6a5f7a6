//===- PTXOps.td - Operations of the ptx dialect -----------*- tablegen -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operation per PTX instruction family. Operands are registers, typed by
// the class they were declared with; the instruction's own type and modifiers
// are attributes. An instruction is put together from an operand list and the
// modifiers it takes, so that a further one is a single definition.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_PTXOPS_TD
#define HEDDLE_DIALECT_PTX_PTXOPS_TD

include "heddle/Dialect/PTX/PTXBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/CallInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/FunctionInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Register types
//===----------------------------------------------------------------------===//

def PTX_Reg : AnyTypeOf<[I1, I8, I16, I32, I64, I<128>, F16, F32, F64],
                        "a PTX register">;
def PTX_Pred : Type<I1.predicate, "a predicate register">, BuildableType<"$_builder.getI1Type()">;
def PTX_IntReg : AnyTypeOf<[I16, I32, I64], "an integer register">;
def PTX_Address : AnyTypeOf<[I32, I64], "an address">;

//===----------------------------------------------------------------------===//
// Modifiers: the attributes they add and how they print
//===----------------------------------------------------------------------===//

class PTX_Mod<dag args, string format> {
  dag Args = args;
  string Format = format;
}

class PTX_UnitMod<string name>
    : PTX_Mod<!dag(ins, [UnitAttr], [name]), "(`" # name # "` $" # name # "^)? ">;
class PTX_EnumMod<Attr attr, string default, string name>
    : PTX_Mod<!dag(ins, [DefaultValuedAttr<attr, default>], [name]),
              "(`" # name # "` `(` $" # name # "^ `)`)? ">;
class PTX_RequiredMod<Attr attr, string name>
    : PTX_Mod<!dag(ins, [attr], [name]), "$" # name # " ">;

class PTX_TypeIn<string predicate, string description>
    : ConfinedAttr<PTX_ScalarTypeAttr, [AttrConstraint<
        CPred<"::heddle::ptxir::" # predicate #
              "(::llvm::cast<::heddle::ptxir::ScalarTypeAttr>($_self).getValue())">,
        description>]>;

def AnyTy : PTX_RequiredMod<PTX_ScalarTypeAttr, "ty">;
def IntTy : PTX_RequiredMod<PTX_TypeIn<"isInt", "an integer type">, "ty">;
def BitsTy : PTX_RequiredMod<PTX_TypeIn<"isBits", "an untyped or predicate type">, "ty">;
def FloatTy : PTX_RequiredMod<PTX_TypeIn<"isFloat", "a floating-point type">, "ty">;
def IntOrFloatTy : PTX_RequiredMod<PTX_TypeIn<"isIntOrFloat", "an arithmetic type">, "ty">;
def SrcTy : PTX_RequiredMod<PTX_ScalarTypeAttr, "sty">;
def CmpOp : PTX_RequiredMod<PTX_CmpAttr, "cmp">;
def Rnd : PTX_EnumMod<PTX_RoundingAttr, "::heddle::ptxir::Rounding::None", "rnd">;
def Mode : PTX_EnumMod<PTX_MulModeAttr, "::heddle::ptxir::MulMode::None", "mode">;
def BoolOp : PTX_EnumMod<PTX_BoolOpAttr, "::heddle::ptxir::BoolOp::None", "boolop">;
def Wrap : PTX_RequiredMod<PTX_WrapModeAttr, "wrap">;
def Ftz : PTX_UnitMod<"ftz">;
def Turns : PTX_UnitMod<"turns">;
def Sat : PTX_UnitMod<"sat">;
def Satfinite : PTX_UnitMod<"satfinite">;
def Relu : PTX_UnitMod<"relu">;
def Oob : PTX_UnitMod<"oob">;
def NaN : PTX_UnitMod<"nan">;
def Abs : PTX_UnitMod<"abs">;
def XorsignAbs : PTX_UnitMod<"xorsign_abs">;
def Approx : PTX_UnitMod<"approx">;
def Full : PTX_UnitMod<"full">;
def Uni : PTX_UnitMod<"uni">;
def Aligned : PTX_UnitMod<"aligned">;
def Sync : PTX_UnitMod<"sync">;
def Space : PTX_RequiredMod<PTX_SpaceAttr, "space">;
def Sem : PTX_EnumMod<PTX_MemSemAttr, "::heddle::ptxir::MemSem::Weak", "sem">;
def Scope : PTX_EnumMod<PTX_ScopeAttr, "::heddle::ptxir::Scope::None", "scope">;
def Cache : PTX_EnumMod<PTX_CacheOpAttr, "::heddle::ptxir::CacheOp::None", "cache">;
def Evict : PTX_EnumMod<PTX_EvictAttr, "::heddle::ptxir::Evict::None", "evict">;
def L2Evict : PTX_EnumMod<PTX_EvictAttr, "::heddle::ptxir::Evict::None", "l2_evict">;
def PrefetchSize : PTX_Mod<(ins DefaultValuedAttr<I32Attr, "0">:$prefetch_size),
                           "(`prefetch_size` `(` $prefetch_size^ `)`)? ">;
def AtomKind : PTX_RequiredMod<PTX_AtomKindAttr, "kind">;

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class PTX_Op<string opMnemonic, list<Trait> traits = []>
    : Op<PTX_Dialect, opMnemonic, traits>;

// An instruction: modifiers in PTX's order, operands, results.
class PTX_Inst<string opMnemonic, list<PTX_Mod> mods, dag operands,
               string operandFormat, dag resultDag, list<Trait> traits = []>
    : PTX_Op<opMnemonic, traits> {
  let arguments = !foldl(operands, !listconcat(mods, []), acc, m, !con(acc, m.Args));
  let results = resultDag;
  let assemblyFormat =
    !foldl("", mods, acc, m, acc # m.Format) # operandFormat #
    " attr-dict `:` functional-type(operands, results)";
}

// All registers of the operation have the width of its type.
def PTX_UniformWidth : NativeOpTrait<"UniformWidth"> {
  let cppNamespace = "::heddle::ptxir";
}

class PTX_Unary<string m, list<PTX_Mod> mods>
    : PTX_Inst<m, mods, (ins PTX_Reg:$a), "$a", (outs PTX_Reg:$d),
               [Pure, PTX_UniformWidth]>;
class PTX_Binary<string m, list<PTX_Mod> mods, list<Trait> traits = [PTX_UniformWidth]>
    : PTX_Inst<m, mods, (ins PTX_Reg:$a, PTX_Reg:$b), "$a `,` $b",
               (outs PTX_Reg:$d), !listconcat([Pure], traits)>;
class PTX_Ternary<string m, list<PTX_Mod> mods, list<Trait> traits = [PTX_UniformWidth]>
    : PTX_Inst<m, mods, (ins PTX_Reg:$a, PTX_Reg:$b, PTX_Reg:$c),
               "$a `,` $b `,` $c", (outs PTX_Reg:$d), !listconcat([Pure], traits)>;
// A 32-bit result counted from a 32- or 64-bit operand.
class PTX_Count<string m, list<PTX_Mod> mods>
    : PTX_Inst<m, mods, (ins PTX_Reg:$a), "$a", (outs PTX_Reg:$d), [Pure]> {
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Integer and floating-point arithmetic
//===----------------------------------------------------------------------===//

def PTX_AddOp : PTX_Binary<"add", [IntOrFloatTy, Rnd, Ftz, Sat]>;
def PTX_SubOp : PTX_Binary<"sub", [IntOrFloatTy, Rnd, Ftz, Sat]>;
def PTX_MulOp : PTX_Binary<"mul", [IntOrFloatTy, Mode, Rnd, Ftz, Sat], []> {
  let hasVerifier = 1;
}
def PTX_MadOp : PTX_Ternary<"mad", [IntOrFloatTy, Mode, Rnd, Ftz, Sat], []> {
  let hasVerifier = 1;
}
def PTX_Mul24Op : PTX_Binary<"mul24", [IntTy, Mode]>;
def PTX_Mad24Op : PTX_Ternary<"mad24", [IntTy, Mode, Sat]>;
def PTX_FmaOp : PTX_Ternary<"fma", [FloatTy, Rnd, Ftz, Sat, Relu, Oob]>;
def PTX_SadOp : PTX_Ternary<"sad", [IntTy]>;
def PTX_DivOp : PTX_Binary<"div", [IntOrFloatTy, Approx, Full, Rnd, Ftz]>;
def PTX_RemOp : PTX_Binary<"rem", [IntTy]>;
def PTX_AbsOp : PTX_Unary<"abs", [IntOrFloatTy, Ftz]>;
def PTX_NegOp : PTX_Unary<"neg", [IntOrFloatTy, Ftz]>;

class PTX_MinMax<string m>
    : PTX_Inst<m, [IntOrFloatTy, Ftz, NaN, XorsignAbs, Abs, Relu],
               (ins PTX_Reg:$a, PTX_Reg:$b, Optional<PTX_Reg>:$c),
               "$a `,` $b (`,` $c^)?", (outs PTX_Reg:$d), [Pure, PTX_UniformWidth]>;
def PTX_MinOp : PTX_MinMax<"min">;
def PTX_MaxOp : PTX_MinMax<"max">;

def PTX_RcpOp : PTX_Unary<"rcp", [FloatTy, Approx, Rnd, Ftz]>;
def PTX_SqrtOp : PTX_Unary<"sqrt", [FloatTy, Approx, Rnd, Ftz]>;
def PTX_RsqrtOp : PTX_Unary<"rsqrt", [FloatTy, Approx, Ftz]>;
def PTX_SinOp : PTX_Unary<"sin", [FloatTy, Approx, Ftz, Turns]>;
def PTX_CosOp : PTX_Unary<"cos", [FloatTy, Approx, Ftz, Turns]>;
def PTX_Lg2Op : PTX_Unary<"lg2", [FloatTy, Approx, Ftz]>;
def PTX_Ex2Op : PTX_Unary<"ex2", [FloatTy, Approx, Ftz]>;
def PTX_TanhOp : PTX_Unary<"tanh", [FloatTy, Approx]>;
def PTX_CopysignOp : PTX_Binary<"copysign", [FloatTy]>;
def PTX_TestpOp
    : PTX_Inst<"testp", [PTX_RequiredMod<PTX_TestAttr, "test">, FloatTy],
               (ins PTX_Reg:$a), "$a", (outs PTX_Pred:$p), [Pure]> {
  let hasVerifier = 1;
}

// Extended precision: the carry flag CC is a value. A missing carry_in is the
// form without one (add.cc); a carry_out that nobody uses is the form without
// .cc (addc). It is the carry out of an adder: sub_carry adds the complement of
// b, and its carry_in and carry_out say that there is no borrow.
class PTX_Carry<string m, list<PTX_Mod> mods, dag operands, string format>
    : PTX_Inst<m, mods, !con(operands, (ins Optional<PTX_Pred>:$carry_in)),
               format # " (`carry` $carry_in^)?",
               (outs PTX_Reg:$d, PTX_Pred:$carry_out), [Pure]> {
  let hasVerifier = 1;
}
def PTX_AddCarryOp : PTX_Carry<"add_carry", [IntTy],
  (ins PTX_IntReg:$a, PTX_IntReg:$b), "$a `,` $b">;
def PTX_SubCarryOp : PTX_Carry<"sub_carry", [IntTy],
  (ins PTX_IntReg:$a, PTX_IntReg:$b), "$a `,` $b">;
def PTX_MadCarryOp : PTX_Carry<"mad_carry", [IntTy, Mode],
  (ins PTX_IntReg:$a, PTX_IntReg:$b, PTX_IntReg:$c), "$a `,` $b `,` $c">;

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

def PTX_PopcOp : PTX_Count<"popc", [BitsTy]>;
def PTX_ClzOp : PTX_Count<"clz", [BitsTy]>;
def PTX_BfindOp : PTX_Count<"bfind", [IntTy, PTX_UnitMod<"shiftamt">]>;
def PTX_BrevOp : PTX_Unary<"brev", [BitsTy]>;
def PTX_BfeOp : PTX_Inst<"bfe", [IntTy],
  (ins PTX_Reg:$a, I32:$pos, I32:$len), "$a `,` $pos `,` $len",
  (outs PTX_Reg:$d), [Pure]> { let hasVerifier = 1; }
def PTX_BfiOp : PTX_Inst<"bfi", [BitsTy],
  (ins PTX_Reg:$a, PTX_Reg:$b, I32:$pos, I32:$len), "$a `,` $b `,` $pos `,` $len",
  (outs PTX_Reg:$d), [Pure]> { let hasVerifier = 1; }
def PTX_FnsOp : PTX_Ternary<"fns", [BitsTy]>;
def PTX_SzextOp : PTX_Binary<"szext", [Wrap, IntTy]>;
def PTX_BmskOp : PTX_Binary<"bmsk", [Wrap, BitsTy]>;
def PTX_Dp4aOp : PTX_Ternary<"dp4a", [IntTy, SrcTy]>;
def PTX_Dp2aOp : PTX_Ternary<"dp2a", [Mode, IntTy, SrcTy]>;
def PTX_AndOp : PTX_Binary<"and", [BitsTy]>;
def PTX_OrOp : PTX_Binary<"or", [BitsTy]>;
def PTX_XorOp : PTX_Binary<"xor", [BitsTy]>;
def PTX_NotOp : PTX_Unary<"not", [BitsTy]>;
def PTX_CnotOp : PTX_Unary<"cnot", [BitsTy]>;
def PTX_Lop3Op : PTX_Ternary<"lop3", [BitsTy,
  PTX_Mod<(ins I32Attr:$lut), "`lut` `(` $lut `)` ">]>;
class PTX_Shift<string m, PTX_Mod ty>
    : PTX_Inst<m, [ty], (ins PTX_Reg:$a, I32:$amount), "$a `,` $amount",
               (outs PTX_Reg:$d), [Pure]> { let hasVerifier = 1; }
def PTX_ShlOp : PTX_Shift<"shl", BitsTy>;
def PTX_ShrOp : PTX_Shift<"shr", AnyTy>;
def PTX_ShfOp : PTX_Ternary<"shf",
  [PTX_RequiredMod<PTX_ShiftDirAttr, "dir">, Wrap, BitsTy]>;
def PTX_PrmtOp : PTX_Ternary<"prmt", [BitsTy,
  PTX_EnumMod<PTX_PrmtModeAttr, "::heddle::ptxir::PrmtMode::None", "mode">]>;

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

def PTX_SetpOp : PTX_Inst<"setp", [CmpOp, BoolOp, AnyTy, Ftz],
  (ins PTX_Reg:$a, PTX_Reg:$b, Optional<PTX_Pred>:$c), "$a `,` $b (`with` $c^)?",
  (outs PTX_Pred:$p, Optional<PTX_Pred>:$q), [Pure]> {
  let hasVerifier = 1;
}
def PTX_SetOp : PTX_Inst<"set", [CmpOp, BoolOp, AnyTy, SrcTy, Ftz],
  (ins PTX_Reg:$a, PTX_Reg:$b, Optional<PTX_Pred>:$c), "$a `,` $b (`with` $c^)?",
  (outs PTX_Reg:$d), [Pure]> { let hasVerifier = 1; }
def PTX_SelpOp : PTX_Inst<"selp", [AnyTy],
  (ins PTX_Reg:$a, PTX_Reg:$b, PTX_Pred:$p), "$a `,` $b `,` $p",
  (outs PTX_Reg:$d), [Pure]> { let hasVerifier = 1; }
def PTX_SlctOp : PTX_Inst<"slct", [AnyTy, SrcTy, Ftz],
  (ins PTX_Reg:$a, PTX_Reg:$b, PTX_Reg:$c), "$a `,` $b `,` $c",
  (outs PTX_Reg:$d), [Pure]> { let hasVerifier = 1; }

//===----------------------------------------------------------------------===//
// Values and moves
//===----------------------------------------------------------------------===//

def PTX_ConstantOp : PTX_Op<"constant", [Pure, ConstantLike,
    AllTypesMatch<["value", "d"]>]> {
  let summary = "an immediate operand";
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs PTX_Reg:$d);
  let assemblyFormat = "$value attr-dict";
  let builders = [OpBuilder<(ins "::mlir::TypedAttr":$value),
                            [{ build($_builder, $_state, value.getType(), value); }]>];
  let hasFolder = 1;
}
def PTX_UndefOp : PTX_Op<"undef", [Pure]> {
  let summary = "a register that nobody has written: some value, always the same";
  let results = (outs PTX_Reg:$d);
  let assemblyFormat = "attr-dict `:` type($d)";
}
def PTX_MovOp : PTX_Inst<"mov", [AnyTy], (ins PTX_Reg:$a), "$a",
  (outs PTX_Reg:$d), [Pure, PTX_UniformWidth]> {
  let summary = "the same bits in a register of another class";
}
def PTX_PackOp : PTX_Inst<"pack", [AnyTy], (ins Variadic<PTX_Reg>:$parts), "$parts",
  (outs PTX_Reg:$d), [Pure]> {
  let summary = "mov d, {a, b, ...}: the first part is the least significant";
  let hasVerifier = 1;
}
def PTX_UnpackOp : PTX_Inst<"unpack", [AnyTy], (ins PTX_Reg:$a), "$a",
  (outs Variadic<PTX_Reg>:$parts), [Pure]> {
  let summary = "mov {d, e, ...}, a";
  let hasVerifier = 1;
}
def PTX_SregOp : PTX_Op<"sreg", [MemoryEffects<[MemRead]>]> {
  let summary = "read a special register, named without the percent sign";
  let arguments = (ins StrAttr:$name);
  let results = (outs PTX_Reg:$d);
  let assemblyFormat = "$name attr-dict `:` type($d)";
}
def PTX_AddrOfOp : PTX_Op<"addr_of", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "address of a variable in its own state space, or of a function";
  let arguments = (ins FlatSymbolRefAttr:$symbol);
  let results = (outs PTX_Address:$d);
  let assemblyFormat = "$symbol attr-dict `:` type($d)";
}
def PTX_ParamAddrOp : PTX_Op<"param_addr", [Pure, ParentOneOf<["EntryOp"]>]> {
  let summary = "address of an entry's parameter in the .param space";
  let arguments = (ins I32Attr:$index);
  let results = (outs PTX_Address:$d);
  let assemblyFormat = "$index attr-dict `:` type($d)";
  let hasVerifier = 1;
}
def PTX_AllocaOp : PTX_Op<"alloca", [MemoryEffects<[MemAlloc]>]> {
  let summary = "address, in .local, of a variable of the function";
  let description = "`ty` is the type of an element, which is kept for printing.";
  let arguments = (ins PTX_ScalarTypeAttr:$ty, StrAttr:$name, I64Attr:$size, I64Attr:$alignment);
  let results = (outs PTX_Address:$d);
  let assemblyFormat = "$ty $name `size` `(` $size `)` `align` `(` $alignment `)` attr-dict `:` type($d)";
}
def PTX_DynAllocaOp : PTX_Op<"dyn_alloca", [MemoryEffects<[MemAlloc]>]> {
  let summary = "the alloca instruction: stack memory of a size known at run time";
  let arguments = (ins PTX_ScalarTypeAttr:$ty, PTX_Address:$size, I64Attr:$alignment);
  let results = (outs PTX_Address:$d);
  let assemblyFormat = "$ty $size `align` `(` $alignment `)` attr-dict `:` functional-type(operands, results)";
}
def PTX_StackSaveOp : PTX_Op<"stack_save", [MemoryEffects<[MemRead, MemWrite]>]> {
  let results = (outs PTX_Address:$d);
  let assemblyFormat = "attr-dict `:` type($d)";
}
def PTX_StackRestoreOp : PTX_Op<"stack_restore", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins PTX_Address:$a);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}
def PTX_CvtOp : PTX_Inst<"cvt", [AnyTy, SrcTy, Rnd, Ftz, Sat, Satfinite, Relu],
  (ins PTX_Reg:$a, Optional<PTX_Reg>:$b), "$a (`,` $b^)?", (outs PTX_Reg:$d), [Pure]> {
  let summary = "conversion; with two operands a packed pair, `a` in the upper half";
  let hasVerifier = 1;
}
def PTX_CvtaOp : PTX_Inst<"cvta", [PTX_UnitMod<"to">, Space, AnyTy],
  (ins PTX_Address:$a), "$a", (outs PTX_Address:$d), [Pure, PTX_UniformWidth]> {
  let summary = "space to generic address, or with `to` generic to space";
}
def PTX_IsspacepOp : PTX_Inst<"isspacep", [Space], (ins PTX_Address:$a), "$a",
  (outs PTX_Pred:$p), [Pure]>;

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def PTX_Offset : DefaultValuedAttr<I64Attr, "0">;

def PTX_LdOp : PTX_Inst<"ld", [Space, AnyTy, Sem, Scope, PTX_UnitMod<"nc">, Cache,
                               Evict, L2Evict, PrefetchSize, PTX_UnitMod<"unified">,
                               PTX_UnitMod<"uniform">],
  (ins PTX_Address:$addr, PTX_Offset:$offset, Optional<I64>:$cache_policy),
  "` ` `[` $addr (`+` $offset^)? `]` (`policy` $cache_policy^)?",
  (outs Variadic<PTX_Reg>:$values), [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "load of one register or of a vector; `uniform` is ldu";
  let hasVerifier = 1;
}
def PTX_StOp : PTX_Inst<"st", [Space, AnyTy, Sem, Scope, Cache, Evict, L2Evict],
  (ins PTX_Address:$addr, PTX_Offset:$offset, Variadic<PTX_Reg>:$values,
       Optional<I64>:$cache_policy),
  "` ` `[` $addr (`+` $offset^)? `]` `,` $values (`policy` $cache_policy^)?",
  (outs), [MemoryEffects<[MemWrite]>, AttrSizedOperandSegments]> {
  let summary = "store of one register or of a vector";
  let hasVerifier = 1;
}
def PTX_AtomOp : PTX_Inst<"atom", [AtomKind, Space, AnyTy, Sem, Scope, PTX_UnitMod<"noftz">],
  (ins PTX_Address:$addr, PTX_Offset:$offset, PTX_Reg:$b, Optional<PTX_Reg>:$c),
  "` ` `[` $addr (`+` $offset^)? `]` `,` $b (`,` $c^)?", (outs PTX_Reg:$d),
  [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "atomic read-modify-write; cas compares with b and stores c";
  let hasVerifier = 1;
}
def PTX_RedOp : PTX_Inst<"red", [AtomKind, Space, AnyTy, Sem, Scope, PTX_UnitMod<"noftz">],
  (ins PTX_Address:$addr, PTX_Offset:$offset, PTX_Reg:$b),
  "` ` `[` $addr (`+` $offset^)? `]` `,` $b", (outs),
  [MemoryEffects<[MemRead, MemWrite]>]> {
  let hasVerifier = 1;
}
def PTX_FenceOp : PTX_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "fence and membar (membar is fence.seq_cst)";
  let arguments = (ins PTX_MemSemAttr:$sem, PTX_ScopeAttr:$scope);
  let assemblyFormat = "$sem $scope attr-dict";
}
def PTX_PrefetchOp : PTX_Op<"prefetch", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "prefetch or prefetchu into a cache level, with eviction priority";
  let arguments = (ins PTX_SpaceAttr:$space, StrAttr:$level, PTX_Address:$addr,
                       PTX_Offset:$offset, UnitAttr:$uniform);
  let assemblyFormat = "$space $level ` ` `[` $addr (`+` $offset^)? `]` attr-dict `:` type($addr)";
}

//===----------------------------------------------------------------------===//
// Threads of a warp, CTA and cluster
//===----------------------------------------------------------------------===//

class PTX_Convergent<string m, list<PTX_Mod> mods, dag operands, string format,
                     dag results, list<Trait> traits = []>
    : PTX_Inst<m, mods, operands, format, results,
               !listconcat([MemoryEffects<[MemRead, MemWrite]>], traits)>;

def PTX_ShflOp : PTX_Convergent<"shfl",
  [PTX_RequiredMod<PTX_ShflModeAttr, "mode">, BitsTy],
  (ins PTX_Reg:$a, I32:$b, I32:$c, Optional<I32>:$mask),
  "$a `,` $b `,` $c (`mask` $mask^)?", (outs PTX_Reg:$d, PTX_Pred:$p)> {
  let summary = "shuffle; p tells whether the source lane was in range";
  let hasVerifier = 1;
}
def PTX_VoteOp : PTX_Convergent<"vote", [PTX_RequiredMod<PTX_VoteModeAttr, "mode">],
  (ins PTX_Pred:$a, Optional<I32>:$mask), "$a (`mask` $mask^)?", (outs PTX_Reg:$d)> {
  let hasVerifier = 1;
}
def PTX_MatchOp : PTX_Convergent<"match", [PTX_RequiredMod<PTX_MatchModeAttr, "mode">, BitsTy],
  (ins PTX_Reg:$a, I32:$mask), "$a `,` $mask", (outs I32:$d, Optional<PTX_Pred>:$p)>;
def PTX_ActivemaskOp : PTX_Convergent<"activemask", [], (ins), "", (outs I32:$d)>;
def PTX_ReduxOp : PTX_Convergent<"redux", [AtomKind, AnyTy, Abs, NaN],
  (ins PTX_Reg:$a, I32:$mask), "$a `,` $mask", (outs PTX_Reg:$d)>;
def PTX_ElectOp : PTX_Convergent<"elect", [], (ins I32:$mask), "$mask",
  (outs I32:$d, PTX_Pred:$p)>;
def PTX_BarrierOp : PTX_Convergent<"barrier",
  [PTX_RequiredMod<PTX_BarrierModeAttr, "mode">, Aligned],
  (ins I32:$id, Optional<I32>:$count, Optional<PTX_Pred>:$pred),
  "$id (`count` $count^)? (`pred` $pred^)?", (outs Optional<PTX_Reg>:$d),
  [AttrSizedOperandSegments]> {
  let summary = "bar and barrier.cta";
  let hasVerifier = 1;
}
def PTX_WarpSyncOp : PTX_Convergent<"warp_sync", [], (ins I32:$mask), "$mask", (outs)> {
  let summary = "bar.warp.sync";
}
def PTX_ClusterBarrierOp : PTX_Convergent<"cluster_barrier",
  [PTX_RequiredMod<PTX_ClusterBarrierAttr, "mode">, Aligned, PTX_UnitMod<"relaxed">],
  (ins), "", (outs)>;
def PTX_NanosleepOp : PTX_Convergent<"nanosleep", [], (ins I32:$a), "$a", (outs)>;
def PTX_TrapOp : PTX_Convergent<"trap", [], (ins), "", (outs)>;
def PTX_BrkptOp : PTX_Convergent<"brkpt", [], (ins), "", (outs)>;
def PTX_PmeventOp : PTX_Op<"pmevent", [MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins I32Attr:$mask);
  let assemblyFormat = "$mask attr-dict";
}
def PTX_GriddepOp : PTX_Convergent<"griddepcontrol", [PTX_UnitMod<"wait">], (ins), "", (outs)> {
  let summary = "griddepcontrol.wait, or without the flag .launch_dependents";
}

include "heddle/Dialect/PTX/PTXClusterOps.td"

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

def PTX_BraOp : PTX_Op<"bra", [Terminator, Pure,
    DeclareOpInterfaceMethods<BranchOpInterface>]> {
  let arguments = (ins Variadic<PTX_Reg>:$dest_operands, UnitAttr:$uni);
  let successors = (successor AnySuccessor:$dest);
  let assemblyFormat = "(`uni` $uni^)? $dest (`(` $dest_operands^ `:` type($dest_operands) `)`)? attr-dict";
}
def PTX_CondBraOp : PTX_Op<"cond_bra", [Terminator, Pure, AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<BranchOpInterface>]> {
  let summary = "a guarded branch; the first successor is taken when the guard is true";
  let arguments = (ins PTX_Pred:$guard, Variadic<PTX_Reg>:$true_operands,
                       Variadic<PTX_Reg>:$false_operands, UnitAttr:$uni);
  let successors = (successor AnySuccessor:$true_dest, AnySuccessor:$false_dest);
  let assemblyFormat = [{(`uni` $uni^)? $guard `,`
    $true_dest (`(` $true_operands^ `:` type($true_operands) `)`)? `,`
    $false_dest (`(` $false_operands^ `:` type($false_operands) `)`)? attr-dict}];
}
def PTX_BrxOp : PTX_Op<"brx_idx", [Terminator, Pure,
    DeclareOpInterfaceMethods<BranchOpInterface>]> {
  let summary = "indexed branch; an index beyond the list is undefined";
  let arguments = (ins I32:$index, VariadicOfVariadic<PTX_Reg, "segments">:$dest_operands,
                       DenseI32ArrayAttr:$segments, UnitAttr:$uni);
  let successors = (successor VariadicSuccessor<AnySuccessor>:$dests);
  let assemblyFormat = [{(`uni` $uni^)? $index custom<BrxTargets>($dests, $dest_operands, type($dest_operands)) attr-dict}];
  let hasVerifier = 1;
}
def PTX_RetOp : PTX_Op<"ret", [Terminator, Pure, ReturnLike,
    ParentOneOf<["FuncOp", "EntryOp"]>]> {
  let arguments = (ins Variadic<PTX_Reg>:$values, UnitAttr:$uni);
  let assemblyFormat = "(`uni` $uni^)? ($values^ `:` type($values))? attr-dict";
  let hasVerifier = 1;
}
def PTX_ExitOp : PTX_Op<"exit", [Terminator, MemoryEffects<[MemWrite]>]> {
  let summary = "ends the thread, in whatever function";
  let assemblyFormat = "attr-dict";
}
def PTX_CallOp : PTX_Op<"call", [MemoryEffects<[MemRead, MemWrite]>,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "direct call";
  let description = [{
    `aggregates`, when present, has an element for each operand: an aggregate
    attribute where the operand is the address of a .param array, else unit.
  }];
  let arguments = (ins FlatSymbolRefAttr:$callee, Variadic<PTX_Reg>:$args,
                       OptionalAttr<ArrayAttr>:$aggregates, UnitAttr:$uni);
  let results = (outs Variadic<PTX_Reg>:$values);
  let assemblyFormat = [{(`uni` $uni^)? $callee `(` $args `)` (`aggregates` $aggregates^)?
    attr-dict `:` functional-type($args, $values)}];
  let hasVerifier = 1;
}
def PTX_CallIndirectOp : PTX_Op<"call_indirect", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "call through a function pointer, by .callprototype or .calltargets";
  let description = "`targets` are the functions that .calltargets lists.";
  let arguments = (ins PTX_Address:$callee, Variadic<PTX_Reg>:$args,
                       OptionalAttr<ArrayAttr>:$aggregates, UnitAttr:$noreturn, UnitAttr:$uni,
                       OptionalAttr<FlatSymbolRefArrayAttr>:$targets,
                       OptionalAttr<I32Attr>:$abi_preserve,
                       OptionalAttr<I32Attr>:$abi_preserve_control);
  let results = (outs Variadic<PTX_Reg>:$values);
  let assemblyFormat = [{(`uni` $uni^)? (`noreturn` $noreturn^)? $callee `(` $args `)` (`aggregates` $aggregates^)?
    attr-dict `:` type($callee) `,` functional-type($args, $values)}];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Module level
//===----------------------------------------------------------------------===//

def PTX_FuncOp : PTX_Op<"func", [IsolatedFromAbove, FunctionOpInterface]> {
  let summary = "a .func";
  let description = [{
    Scalar parameters and results are values. An argument with the attribute
    `ptx.aggregate` is the address, in .local, of a .param array; `ptx.name`
    tells the name of a parameter. `unified` has the two halves of the
    identifier in `.attribute(.unified(..))`, `languages` the codes of
    `.language`. A function without a body is a declaration.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<FunctionType>:$function_type,
                       DefaultValuedAttr<PTX_LinkageAttr, "::heddle::ptxir::Linkage::Internal">:$linkage,
                       UnitAttr:$noreturn,
                       OptionalAttr<DictArrayAttr>:$arg_attrs,
                       OptionalAttr<DictArrayAttr>:$res_attrs,
                       OptionalAttr<StrArrayAttr>:$pragmas,
                       OptionalAttr<DenseI64ArrayAttr>:$unified,
                       OptionalAttr<I32Attr>:$abi_preserve,
                       OptionalAttr<I32Attr>:$abi_preserve_control,
                       OptionalAttr<DenseI32ArrayAttr>:$languages);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    ::mlir::ArrayRef<::mlir::Type> getArgumentTypes() { return getFunctionType().getInputs(); }
    ::mlir::ArrayRef<::mlir::Type> getResultTypes() { return getFunctionType().getResults(); }
    ::mlir::Region *getCallableRegion() { return isExternal() ? nullptr : &getBody(); }
    bool isDeclaration() { return isExternal(); }
    /// Linkage decides what other modules see.
    ::mlir::SymbolTable::Visibility getVisibility() {
      bool Seen = !isExternal() && getLinkage() != Linkage::Internal;
      return Seen ? ::mlir::SymbolTable::Visibility::Public
                  : ::mlir::SymbolTable::Visibility::Private;
    }
    static constexpr ::llvm::StringLiteral AggregateAttrName = "ptx.aggregate";
    static constexpr ::llvm::StringLiteral ParamNameAttrName = "ptx.name";
  }];
}

def PTX_EntryOp : PTX_Op<"entry", [IsolatedFromAbove, Symbol]> {
  let summary = "a kernel";
  let description = [{
    Launch properties that PTX does not state are absent. A kernel without a
    body is a declaration.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name,
    TypedArrayAttrBase<PTX_EntryParamAttr, "entry parameters">:$params,
    DefaultValuedAttr<PTX_LinkageAttr, "::heddle::ptxir::Linkage::Internal">:$linkage,
    OptionalAttr<DenseI32ArrayAttr>:$maxntid, OptionalAttr<DenseI32ArrayAttr>:$reqntid,
    OptionalAttr<DenseI32ArrayAttr>:$reqnctapercluster,
    OptionalAttr<I32Attr>:$minnctapersm, OptionalAttr<I32Attr>:$maxnreg,
    OptionalAttr<I32Attr>:$maxclusterrank, UnitAttr:$explicitcluster,
    OptionalAttr<I32Attr>:$maxnctapersm, UnitAttr:$blocksareclusters,
    OptionalAttr<StrArrayAttr>:$pragmas,
    OptionalAttr<I32Attr>:$minperctamemory,
    OptionalAttr<DenseI32ArrayAttr>:$languages);
  let regions = (region AnyRegion:$body);
  let assemblyFormat = [{(`linkage` `(` $linkage^ `)`)? $sym_name $params
                         attr-dict-with-keyword $body}];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Byte offset of each parameter, as PTX lays them out.
    ::llvm::SmallVector<uint64_t> getParamOffsets();
  }];
}

def PTX_GlobalOp : PTX_Op<"global", [Symbol]> {
  let summary = "a variable in .global, .const or .shared";
  let description = [{
    `size` is in bytes; 0 is an array whose size the launch or another module
    gives. `init` holds the leading bytes of the initial value (little endian);
    the rest is zero. `ty` is the type of an element, `vec` the width of a
    vector of these, `dims` the extents of an array, outermost first; these are
    kept for printing, but for the opaque types. `unified` has the two halves of
    the identifier in `.attribute(.unified(..))`.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, PTX_SpaceAttr:$space,
    PTX_ScalarTypeAttr:$ty, I64Attr:$size, I64Attr:$alignment,
    DefaultValuedAttr<PTX_LinkageAttr, "::heddle::ptxir::Linkage::Internal">:$linkage,
    OptionalAttr<StrAttr>:$init,
    OptionalAttr<TypedArrayAttrBase<PTX_RelocAttr, "relocations">>:$relocs,
    OptionalAttr<DenseI64ArrayAttr>:$dims, DefaultValuedAttr<I32Attr, "1">:$vec,
    UnitAttr:$managed, OptionalAttr<DenseI64ArrayAttr>:$unified);
  let assemblyFormat = [{(`linkage` `(` $linkage^ `)`)? $space $ty $sym_name
    `size` `(` $size `)` `align` `(` $alignment `)` (`init` $init^)? (`relocs` $relocs^)?
    attr-dict}];
  let hasVerifier = 1;
}

include "heddle/Dialect/PTX/PTXInst.td"
include "heddle/Dialect/PTX/PTXModule.td"

#endif // HEDDLE_DIALECT_PTX_PTXOPS_TD
