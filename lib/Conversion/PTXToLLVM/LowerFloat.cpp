//===- LowerFloat.cpp - Lowering of floating-point arithmetic ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM's own operations say exactly goes to them; rounding, flushing and
// saturating forms go to NVVM intrinsics or builtins.
//
//===----------------------------------------------------------------------===//

#include "LowerFloat.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

/// The rounding as intrinsic names spell it; rn where PTX wrote none.
static StringRef roundingName(Rounding R) {
  return R == Rounding::None ? "rn" : stringifyEnum(R);
}

/// The suffix of NVVM intrinsics of a type.
static StringRef nvvmSuffix(ScalarType Ty) {
  switch (Ty) {
  case ScalarType::F32:
    return ".f";
  case ScalarType::F64:
    return ".d";
  case ScalarType::F16:
    return ".f16";
  case ScalarType::F16x2:
    return ".f16x2";
  case ScalarType::Bf16:
    return ".bf16";
  case ScalarType::Bf16x2:
    return ".bf16x2";
  default:
    return "";
  }
}

static bool isSingleOrDouble(ScalarType Ty) {
  return Ty == ScalarType::F32 || Ty == ScalarType::F64;
}

/// The flags of an operation that PTX wrote without a rounding modifier.
static LLVM::FastmathFlags contraction(Emitter &E, Rounding R) {
  return R == Rounding::None && E.Options.Contract
             ? LLVM::FastmathFlags::contract
             : LLVM::FastmathFlags::none;
}

static LogicalResult unsupportedType(Emitter &E, Operation *Op, ScalarType Ty) {
  return E.unsupported(Op, Op->getName().stripDialect() + "." +
                               stringifyEnum(Ty) + " with these modifiers");
}

/// Half-precision arithmetic with .ftz, .sat or .relu, all of which fma has.
static Value halfFma(Emitter &E, ScalarType Ty, Value A, Value B, Value C,
                     bool Ftz, StringRef Variant) {
  return E.intrinsic(Twine("nvvm.fma.rn") + (Ftz ? ".ftz" : "") + Variant +
                         nvvmSuffix(Ty),
                     E.typeOf(Ty), {A, B, C});
}

//===----------------------------------------------------------------------===//
// Sum, product, fused multiply-add
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult lowerSum(Emitter &E, OpT Op, bool Negate) {
  ScalarType Ty = Op.getTy();
  Rounding R = Op.getRnd();
  Value A = E.as(Op.getA(), Ty), B = E.as(Op.getB(), Ty);
  bool Nearest = R == Rounding::None || R == Rounding::Rn;
  if (Nearest && !Op.getFtz() && !Op.getSat()) {
    auto Flags = contraction(E, R);
    return E.replace(Op, Negate ? E.make<LLVM::FSubOp>(A, B, Flags)
                                : E.make<LLVM::FAddOp>(A, B, Flags));
  }
  if (Negate)
    B = E.make<LLVM::FNegOp>(B);
  if (isSingleOrDouble(Ty))
    return E.replace(Op, E.intrinsic("nvvm.add." + roundingName(R) +
                                         (Op.getFtz() ? ".ftz" : "") +
                                         (Op.getSat() ? ".sat" : "") +
                                         nvvmSuffix(Ty),
                                     E.typeOf(Ty), {A, B}));
  if (Ty == ScalarType::F32x2 || !Nearest)
    return unsupportedType(E, Op, Ty);
  Value One = E.constFloat(E.typeOf(Ty), 1.0);
  return E.replace(
      Op, halfFma(E, Ty, A, One, B, Op.getFtz(), Op.getSat() ? ".sat" : ""));
}

LogicalResult lowering::lowerFloatAdd(Emitter &E, AddOp Op) {
  return lowerSum(E, Op, /*Negate=*/false);
}
LogicalResult lowering::lowerFloatSub(Emitter &E, SubOp Op) {
  return lowerSum(E, Op, /*Negate=*/true);
}

LogicalResult lowering::lowerFloatMul(Emitter &E, MulOp Op) {
  ScalarType Ty = Op.getTy();
  Rounding R = Op.getRnd();
  Value A = E.as(Op.getA(), Ty), B = E.as(Op.getB(), Ty);
  bool Nearest = R == Rounding::None || R == Rounding::Rn;
  if (isSingleOrDouble(Ty) || (Nearest && !Op.getFtz() && !Op.getSat())) {
    Value V;
    if (Nearest && !Op.getFtz())
      V = E.make<LLVM::FMulOp>(
          A, B, Op.getSat() ? LLVM::FastmathFlags::none : contraction(E, R));
    else
      V = E.intrinsic("nvvm.mul." + roundingName(R) +
                          (Op.getFtz() ? ".ftz" : "") + nvvmSuffix(Ty),
                      E.typeOf(Ty), {A, B});
    return E.replace(Op, Op.getSat() ? E.saturate(V) : V);
  }
  if (Ty == ScalarType::F32x2 || !Nearest)
    return unsupportedType(E, Op, Ty);
  Value Zero = E.constFloat(E.typeOf(Ty), -0.0);
  return E.replace(
      Op, halfFma(E, Ty, A, B, Zero, Op.getFtz(), Op.getSat() ? ".sat" : ""));
}

static LogicalResult lowerFusedMultiplyAdd(Emitter &E, Operation *Op,
                                           ScalarType Ty, Rounding R, bool Ftz,
                                           bool Sat, bool Relu) {
  Value A = E.as(Op->getOperand(0), Ty), B = E.as(Op->getOperand(1), Ty),
        C = E.as(Op->getOperand(2), Ty);
  bool Nearest = R == Rounding::None || R == Rounding::Rn;
  if (Nearest && !Ftz && !Sat && !Relu)
    return E.replace(Op, E.make<LLVM::FMAOp>(A, B, C));
  if (isSingleOrDouble(Ty))
    return E.replace(Op, E.intrinsic("nvvm.fma." + roundingName(R) +
                                         (Ftz ? ".ftz" : "") +
                                         (Sat ? ".sat" : "") + nvvmSuffix(Ty),
                                     E.typeOf(Ty), {A, B, C}));
  if (Ty == ScalarType::F32x2 || !Nearest)
    return unsupportedType(E, Op, Ty);
  return E.replace(Op, halfFma(E, Ty, A, B, C, Ftz,
                               Sat    ? ".sat"
                               : Relu ? ".relu"
                                      : ""));
}

static LogicalResult lowerFma(Emitter &E, FmaOp Op) {
  if (Op.getOob())
    return E.unsupported(Op, "fma.oob");
  return lowerFusedMultiplyAdd(E, Op, Op.getTy(), Op.getRnd(), Op.getFtz(),
                               Op.getSat(), Op.getRelu());
}

// On every target with a backend (sm_20 and later) mad is fma.
LogicalResult lowering::lowerFloatMad(Emitter &E, MadOp Op) {
  return lowerFusedMultiplyAdd(E, Op, Op.getTy(), Op.getRnd(), Op.getFtz(),
                               Op.getSat(), false);
}

//===----------------------------------------------------------------------===//
// Division, square root and approximations
//===----------------------------------------------------------------------===//

/// `rn`, `rz_ftz`, ...: the middle of a device library function's name.
static std::string variant(StringRef Kind, bool Ftz) {
  return (Kind + (Ftz ? "_ftz" : "")).str();
}

static StringRef builtinSuffix(ScalarType Ty) {
  return Ty == ScalarType::F64 ? "_f64" : "_f32";
}

LogicalResult lowering::lowerFloatDiv(Emitter &E, DivOp Op) {
  ScalarType Ty = Op.getTy();
  if (!isSingleOrDouble(Ty))
    return unsupportedType(E, Op, Ty);
  Value A = E.as(Op.getA(), Ty), B = E.as(Op.getB(), Ty);
  bool Plain = !Op.getApprox() && !Op.getFull();
  if (Plain && Op.getRnd() == Rounding::Rn && !Op.getFtz())
    return E.replace(Op, E.make<LLVM::FDivOp>(A, B));
  StringRef Kind = Op.getApprox() ? "approx"
                   : Op.getFull() ? "full"
                                  : roundingName(Op.getRnd());
  return E.replace(
      Op, E.builtin("div_" + variant(Kind, Op.getFtz()) + builtinSuffix(Ty),
                    E.typeOf(Ty), {A, B}));
}

static LogicalResult lowerRcp(Emitter &E, RcpOp Op) {
  ScalarType Ty = Op.getTy();
  if (!isSingleOrDouble(Ty))
    return unsupportedType(E, Op, Ty);
  Value A = E.as(Op.getA(), Ty);
  Type Float = E.typeOf(Ty);
  if (Op.getApprox() && Ty == ScalarType::F64)
    return E.replace(Op, E.builtin("rcp_approx_ftz_f64", Float, A));
  if (Op.getApprox() && Op.getFtz())
    return E.replace(
        Op, E.intrinsic("nvvm.rcp.approx.ftz" + nvvmSuffix(Ty), Float, A));
  if (Op.getApprox())
    return E.replace(Op, E.builtin("rcp_approx_f32", Float, A));
  if (Op.getRnd() == Rounding::Rn && !Op.getFtz())
    return E.replace(Op, E.make<LLVM::FDivOp>(E.constFloat(Float, 1.0), A));
  return E.replace(
      Op, E.builtin("rcp_" + variant(roundingName(Op.getRnd()), Op.getFtz()) +
                        builtinSuffix(Ty),
                    Float, A));
}

static LogicalResult lowerSqrt(Emitter &E, SqrtOp Op) {
  ScalarType Ty = Op.getTy();
  if (!isSingleOrDouble(Ty))
    return unsupportedType(E, Op, Ty);
  Value A = E.as(Op.getA(), Ty);
  Type Float = E.typeOf(Ty);
  if (Op.getApprox())
    return E.replace(Op, E.intrinsic(Twine("nvvm.sqrt.approx") +
                                         (Op.getFtz() ? ".ftz" : "") + ".f",
                                     Float, A));
  if (Op.getRnd() == Rounding::Rn && !Op.getFtz())
    return E.replace(Op, E.make<LLVM::SqrtOp>(A));
  return E.replace(
      Op, E.builtin("sqrt_" + variant(roundingName(Op.getRnd()), Op.getFtz()) +
                        builtinSuffix(Ty),
                    Float, A));
}

template <typename OpT>
static LogicalResult lowerApprox(Emitter &E, OpT Op, StringRef Name) {
  ScalarType Ty = Op.getTy();
  if (!isSingleOrDouble(Ty))
    return unsupportedType(E, Op, Ty);
  return E.replace(Op,
                   E.intrinsic("nvvm." + Name + ".approx" +
                                   (Op.getFtz() ? ".ftz" : "") + nvvmSuffix(Ty),
                               E.typeOf(Ty), E.as(Op.getA(), Ty)));
}

static LogicalResult lowerRsqrt(Emitter &E, RsqrtOp Op) {
  if (Op.getTy() == ScalarType::F64)
    return E.replace(
        Op, E.builtin(Op.getFtz() ? "rsqrt_approx_ftz_f64" : "rsqrt_approx_f64",
                      E.typeOf(Op.getTy()), E.as(Op.getA(), Op.getTy())));
  return lowerApprox(E, Op, "rsqrt");
}
static LogicalResult lowerSin(Emitter &E, SinOp Op) {
  return lowerApprox(E, Op, "sin");
}
static LogicalResult lowerCos(Emitter &E, CosOp Op) {
  return lowerApprox(E, Op, "cos");
}
static LogicalResult lowerLg2(Emitter &E, Lg2Op Op) {
  return lowerApprox(E, Op, "lg2");
}
static LogicalResult lowerEx2(Emitter &E, Ex2Op Op) {
  if (Op.getTy() != ScalarType::F32 && Op.getTy() != ScalarType::F16)
    return unsupportedType(E, Op, Op.getTy());
  // The one of these that is overloaded over its type.
  return E.replace(
      Op, E.intrinsic(Twine("nvvm.ex2.approx") + (Op.getFtz() ? ".ftz" : ""),
                      E.typeOf(Op.getTy()), E.as(Op.getA(), Op.getTy())));
}
static LogicalResult lowerTanh(Emitter &E, TanhOp Op) {
  if (Op.getTy() != ScalarType::F32)
    return unsupportedType(E, Op, Op.getTy());
  return E.replace(Op, E.builtin("tanh_approx_f32", E.typeOf(Op.getTy()),
                                 E.as(Op.getA(), Op.getTy())));
}

//===----------------------------------------------------------------------===//
// Sign, minimum and maximum, properties
//===----------------------------------------------------------------------===//

LogicalResult lowering::lowerFloatAbs(Emitter &E, AbsOp Op) {
  if (Op.getFtz() && Op.getTy() != ScalarType::F32)
    return unsupportedType(E, Op, Op.getTy());
  Value V = E.make<LLVM::FAbsOp>(E.as(Op.getA(), Op.getTy()));
  return E.replace(Op, Op.getFtz() ? E.flush(V) : V);
}

LogicalResult lowering::lowerFloatNeg(Emitter &E, NegOp Op) {
  if (Op.getFtz() && Op.getTy() != ScalarType::F32)
    return unsupportedType(E, Op, Op.getTy());
  Value V = E.make<LLVM::FNegOp>(E.as(Op.getA(), Op.getTy()));
  return E.replace(Op, Op.getFtz() ? E.flush(V) : V);
}

/// min and max: of two or three operands; without .NaN a NaN operand loses.
template <typename OpT>
static LogicalResult lowerFloatMinMax(Emitter &E, OpT Op, StringRef Number,
                                      StringRef NaN) {
  ScalarType Ty = Op.getTy();
  if ((Op.getFtz() && Ty != ScalarType::F32) || Op.getXorsignAbs() ||
      Ty == ScalarType::F32x2)
    return unsupportedType(E, Op, Ty);
  StringRef Name = Op.getNan() ? NaN : Number;
  Type Float = E.typeOf(Ty);
  Value Result;
  for (Value Operand : Op->getOperands()) {
    Value V = E.as(Operand, Ty);
    V = Op.getFtz() ? E.flush(V) : V;
    Result = Result ? E.intrinsic(Name, Float, {Result, V}) : V;
  }
  if (Op.getRelu())
    Result = E.intrinsic(Op.getNan() ? "maximum" : "maximumnum", Float,
                         {Result, E.constFloat(Float, 0.0)});
  return E.replace(Op, Result);
}

LogicalResult lowering::lowerFloatMin(Emitter &E, MinOp Op) {
  return lowerFloatMinMax(E, Op, "minimumnum", "minimum");
}
LogicalResult lowering::lowerFloatMax(Emitter &E, MaxOp Op) {
  return lowerFloatMinMax(E, Op, "maximumnum", "maximum");
}

// PTX takes the sign of the first operand, LLVM that of the second.
static LogicalResult lowerCopysign(Emitter &E, CopysignOp Op) {
  return E.replace(Op, E.make<LLVM::CopySignOp>(E.as(Op.getB(), Op.getTy()),
                                                E.as(Op.getA(), Op.getTy())));
}

/// The classes of numbers that a property covers, as llvm.is.fpclass counts.
static unsigned fpClasses(Test T) {
  constexpr unsigned NaN = 0x3, Inf = 0x204, Normal = 0x108, Subnormal = 0x90,
                     Zero = 0x60;
  switch (T) {
  case Test::Finite:
    return Normal | Subnormal | Zero;
  case Test::Infinite:
    return Inf;
  case Test::Number:
    return Inf | Normal | Subnormal | Zero;
  case Test::Notanumber:
    return NaN;
  case Test::Normal: // PTX counts zeros as normal.
    return Normal | Zero;
  case Test::Subnormal:
    return Subnormal;
  }
  return 0;
}

static LogicalResult lowerTestp(Emitter &E, TestpOp Op) {
  return E.replace(Op, E.make<LLVM::IsFPClass>(E.intTy(1),
                                               E.as(Op.getA(), Op.getTy()),
                                               fpClasses(Op.getTest())));
}

void lowering::addFloatLowerings(LoweringTable &Table) {
  Table.add<lowerFma>();
  Table.add<lowerRcp>();
  Table.add<lowerSqrt>();
  Table.add<lowerRsqrt>();
  Table.add<lowerSin>();
  Table.add<lowerCos>();
  Table.add<lowerLg2>();
  Table.add<lowerEx2>();
  Table.add<lowerTanh>();
  Table.add<lowerCopysign>();
  Table.add<lowerTestp>();
}
