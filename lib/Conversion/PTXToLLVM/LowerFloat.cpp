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
#include "llvm/Support/MathExtras.h"

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

/// Applies a computation on .f32 to both halves of .f32x2.
template <typename Fn>
static Value onBothHalves(Emitter &E, ArrayRef<Value> Pairs, Fn Compute) {
  Value Result = E.make<LLVM::PoisonOp>(E.typeOf(ScalarType::F32x2));
  for (unsigned Lane : {0, 1}) {
    SmallVector<Value, 3> Args;
    for (Value Pair : Pairs)
      Args.push_back(
          E.make<LLVM::ExtractElementOp>(Pair, E.constInt(32, Lane)));
    Result = E.make<LLVM::InsertElementOp>(Result, Compute(Args),
                                           E.constInt(32, Lane));
  }
  return Result;
}

Value lowering::flushSubnormals(Emitter &E, ScalarType Ty, Value V) {
  if (Ty == ScalarType::F32)
    return E.flush(V);
  // Adding -0 changes no number.
  return halfFma(E, Ty, V, E.constFloat(V.getType(), 1.0),
                 E.constFloat(V.getType(), -0.0), /*Ftz=*/true, "");
}

//===----------------------------------------------------------------------===//
// Sum, product, fused multiply-add
//===----------------------------------------------------------------------===//

static bool isNearest(Rounding R) {
  return R == Rounding::None || R == Rounding::Rn;
}

static bool isHalf(ScalarType Ty) {
  return !isSingleOrDouble(Ty) && Ty != ScalarType::F32x2;
}

/// Whether the operation has modifiers that no operation of LLVM has.
static bool isSpecial(const FloatModifiers &M) {
  return !isNearest(M.Rnd) || M.Ftz || M.Sat || M.Relu;
}

/// Whether PTX has these modifiers with this type, and so have we.
static bool isKnown(ScalarType Ty, const FloatModifiers &M) {
  return !isHalf(Ty) || isNearest(M.Rnd);
}

Value lowering::floatSum(Emitter &E, ScalarType Ty, FloatModifiers M, Value A,
                         Value B, bool Negate) {
  if (!isSpecial(M)) {
    auto Flags = contraction(E, M.Rnd);
    return Negate ? E.make<LLVM::FSubOp>(A, B, Flags)
                  : E.make<LLVM::FAddOp>(A, B, Flags);
  }
  if (Ty == ScalarType::F32x2)
    return onBothHalves(E, {A, B}, [&](ArrayRef<Value> Args) {
      return floatSum(E, ScalarType::F32, M, Args[0], Args[1], Negate);
    });
  if (Negate)
    B = E.make<LLVM::FNegOp>(B);
  if (isHalf(Ty))
    return halfFma(E, Ty, A, E.constFloat(E.typeOf(Ty), 1.0), B, M.Ftz,
                   M.Sat ? ".sat" : "");
  return E.intrinsic("nvvm.add." + roundingName(M.Rnd) + (M.Ftz ? ".ftz" : "") +
                         (M.Sat ? ".sat" : "") + nvvmSuffix(Ty),
                     E.typeOf(Ty), {A, B});
}

Value lowering::floatProduct(Emitter &E, ScalarType Ty, FloatModifiers M,
                             Value A, Value B) {
  if (!isSpecial(M))
    return E.make<LLVM::FMulOp>(A, B, contraction(E, M.Rnd));
  if (Ty == ScalarType::F32x2)
    return onBothHalves(E, {A, B}, [&](ArrayRef<Value> Args) {
      return floatProduct(E, ScalarType::F32, M, Args[0], Args[1]);
    });
  if (isHalf(Ty))
    return halfFma(E, Ty, A, B, E.constFloat(E.typeOf(Ty), -0.0), M.Ftz,
                   M.Sat ? ".sat" : "");
  Value V;
  if (isNearest(M.Rnd) && !M.Ftz)
    V = E.make<LLVM::FMulOp>(A, B);
  else
    V = E.intrinsic("nvvm.mul." + roundingName(M.Rnd) + (M.Ftz ? ".ftz" : "") +
                        nvvmSuffix(Ty),
                    E.typeOf(Ty), {A, B});
  return M.Sat ? E.saturate(V) : V;
}

Value lowering::floatFma(Emitter &E, ScalarType Ty, FloatModifiers M, Value A,
                         Value B, Value C) {
  if (!isSpecial(M))
    return E.make<LLVM::FMAOp>(A, B, C);
  if (Ty == ScalarType::F32x2)
    return onBothHalves(E, {A, B, C}, [&](ArrayRef<Value> Args) {
      return floatFma(E, ScalarType::F32, M, Args[0], Args[1], Args[2]);
    });
  if (isHalf(Ty))
    return halfFma(E, Ty, A, B, C, M.Ftz,
                   M.Sat    ? ".sat"
                   : M.Relu ? ".relu"
                            : "");
  return E.intrinsic("nvvm.fma." + roundingName(M.Rnd) + (M.Ftz ? ".ftz" : "") +
                         (M.Sat ? ".sat" : "") + nvvmSuffix(Ty),
                     E.typeOf(Ty), {A, B, C});
}

template <typename OpT> static FloatModifiers modifiersOf(OpT Op) {
  return {Op.getRnd(), Op.getFtz(), Op.getSat(), /*Relu=*/false};
}

template <typename OpT>
static LogicalResult lowerSum(Emitter &E, OpT Op, bool Negate) {
  ScalarType Ty = Op.getTy();
  FloatModifiers M = modifiersOf(Op);
  if (!isKnown(Ty, M))
    return unsupportedType(E, Op, Ty);
  return E.replace(
      Op, floatSum(E, Ty, M, E.as(Op.getA(), Ty), E.as(Op.getB(), Ty), Negate));
}

LogicalResult lowering::lowerFloatAdd(Emitter &E, AddOp Op) {
  return lowerSum(E, Op, /*Negate=*/false);
}
LogicalResult lowering::lowerFloatSub(Emitter &E, SubOp Op) {
  return lowerSum(E, Op, /*Negate=*/true);
}

LogicalResult lowering::lowerFloatMul(Emitter &E, MulOp Op) {
  ScalarType Ty = Op.getTy();
  FloatModifiers M = modifiersOf(Op);
  if (!isKnown(Ty, M))
    return unsupportedType(E, Op, Ty);
  return E.replace(
      Op, floatProduct(E, Ty, M, E.as(Op.getA(), Ty), E.as(Op.getB(), Ty)));
}

static LogicalResult lowerFusedMultiplyAdd(Emitter &E, Operation *Op,
                                           ScalarType Ty, FloatModifiers M) {
  if (!isKnown(Ty, M))
    return unsupportedType(E, Op, Ty);
  return E.replace(Op, floatFma(E, Ty, M, E.as(Op->getOperand(0), Ty),
                                E.as(Op->getOperand(1), Ty),
                                E.as(Op->getOperand(2), Ty)));
}

/// fma.oob: an element is +0 where one of a source is OOB NaN, the NaN that
/// tensor copies put where the tensor ends. PTX does not say its bits: they are
/// all ones, which no arithmetic gives.
static LogicalResult lowerFmaOutOfBounds(Emitter &E, FmaOp Op) {
  ScalarType Ty = Op.getTy();
  if (!isHalf(Ty) || Op.getFtz() || Op.getSat())
    return unsupportedType(E, Op, Ty);
  Value V =
      floatFma(E, Ty, {Op.getRnd(), false, false, Op.getRelu()},
               E.as(Op.getA(), Ty), E.as(Op.getB(), Ty), E.as(Op.getC(), Ty));
  unsigned Width = bitWidth(Ty);
  Value Result = E.asInt(V);
  for (unsigned Shift = 0; Shift != Width; Shift += 16) {
    uint64_t Element = uint64_t(0xFFFF) << Shift;
    Value Special = E.constInt(Width, Element), IsSpecial;
    for (Value Source : Op->getOperands()) {
      Value Bits = E.make<LLVM::AndOp>(E.asInt(Source), Special);
      Value Is = E.icmp(LLVM::ICmpPredicate::eq, Bits, Special);
      IsSpecial = IsSpecial ? E.make<LLVM::OrOp>(IsSpecial, Is) : Is;
    }
    uint64_t Others = ~Element & ~uint64_t(0) >> (64 - Width);
    Value Cleared = E.make<LLVM::AndOp>(Result, E.constInt(Width, Others));
    Result = E.select(IsSpecial, Cleared, Result);
  }
  return E.replace(Op, Result);
}

static LogicalResult lowerFma(Emitter &E, FmaOp Op) {
  if (Op.getOob())
    return lowerFmaOutOfBounds(E, Op);
  return lowerFusedMultiplyAdd(
      E, Op, Op.getTy(), {Op.getRnd(), Op.getFtz(), Op.getSat(), Op.getRelu()});
}

// On every target with a backend (sm_20 and later) mad is fma.
LogicalResult lowering::lowerFloatMad(Emitter &E, MadOp Op) {
  return lowerFusedMultiplyAdd(E, Op, Op.getTy(), modifiersOf(Op));
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

/// An angle between minus and plus a quarter turn that has the sine, or whose
/// sine is the cosine, of a number of turns. What is taken off is exact, so
/// that the error does not grow with the number, and quarter turns give zeros
/// and ones. Where the sine is zero, it has the number's sign.
static Value angleOfTurns(Emitter &E, Value Turns, bool IsCosine) {
  Type Ty = Turns.getType();
  Turns = E.flush(Turns);
  Value Rest = E.make<LLVM::FSubOp>(Turns, E.make<LLVM::RoundEvenOp>(Turns));
  Value Size = E.make<LLVM::FAbsOp>(Rest);
  Value Scale = E.constFloat(Ty, 2 * llvm::numbers::pi);
  if (IsCosine)
    return E.make<LLVM::FMulOp>(
        E.make<LLVM::FSubOp>(E.constFloat(Ty, 0.25), Size), Scale);
  Value Other = E.make<LLVM::FSubOp>(E.constFloat(Ty, 0.5), Size);
  Value IsNear = E.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::ole, Size,
                                      E.constFloat(Ty, 0.25));
  Value Near = E.select(IsNear, Size, Other);
  Value IsZero = E.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::oeq, Near,
                                      E.constFloat(Ty, 0.0));
  Value Sign = E.select(IsZero, Turns, Rest);
  return E.make<LLVM::FMulOp>(E.make<LLVM::CopySignOp>(Near, Sign), Scale);
}

template <typename OpT>
static LogicalResult lowerAngle(Emitter &E, OpT Op, StringRef Name) {
  if (!Op.getTurns())
    return lowerApprox(E, Op, Name);
  if (Op.getTy() != ScalarType::F32 || !Op.getFtz())
    return unsupportedType(E, Op, Op.getTy());
  Value Angle = angleOfTurns(E, E.as(Op.getA(), Op.getTy()), Name == "cos");
  return E.replace(
      Op, E.intrinsic("nvvm.sin.approx.ftz.f", E.typeOf(Op.getTy()), Angle));
}
static LogicalResult lowerSin(Emitter &E, SinOp Op) {
  return lowerAngle(E, Op, "sin");
}
static LogicalResult lowerCos(Emitter &E, CosOp Op) {
  return lowerAngle(E, Op, "cos");
}
static LogicalResult lowerLg2(Emitter &E, Lg2Op Op) {
  return lowerApprox(E, Op, "lg2");
}
/// Applies a computation on .f32 to each element of a 16-bit type. The result
/// is rounded once more, of which the bounds on its error leave room.
template <typename Fn> static Value bySingle(Emitter &E, Value V, Fn Compute) {
  auto One = [&](Value Element) {
    Value Wide = E.make<LLVM::FPExtOp>(E.B.getF32Type(), Element);
    return E.make<LLVM::FPTruncOp>(Element.getType(), Compute(Wide));
  };
  auto Pair = dyn_cast<VectorType>(V.getType());
  if (!Pair)
    return One(V);
  Value Result = E.make<LLVM::PoisonOp>(Pair);
  for (unsigned Lane : {0, 1}) {
    Value Index = E.constInt(32, Lane);
    Value Element = E.make<LLVM::ExtractElementOp>(V, Index);
    Result = E.make<LLVM::InsertElementOp>(Result, One(Element), Index);
  }
  return Result;
}

static LogicalResult lowerEx2(Emitter &E, Ex2Op Op) {
  ScalarType Ty = Op.getTy();
  auto Compute = [&](Value V) {
    // The one of these intrinsics that is overloaded over its type.
    return E.intrinsic(Twine("nvvm.ex2.approx") + (Op.getFtz() ? ".ftz" : ""),
                       E.B.getF32Type(), V);
  };
  Value A = E.as(Op.getA(), Ty);
  return E.replace(Op, Ty == ScalarType::F32 ? Compute(A)
                                             : bySingle(E, A, Compute));
}

static LogicalResult lowerTanh(Emitter &E, TanhOp Op) {
  ScalarType Ty = Op.getTy();
  auto Compute = [&](Value V) {
    return E.builtin("tanh_approx_f32", E.B.getF32Type(), V);
  };
  Value A = E.as(Op.getA(), Ty);
  return E.replace(Op, Ty == ScalarType::F32 ? Compute(A)
                                             : bySingle(E, A, Compute));
}

//===----------------------------------------------------------------------===//
// Sign, minimum and maximum, properties
//===----------------------------------------------------------------------===//

LogicalResult lowering::lowerFloatAbs(Emitter &E, AbsOp Op) {
  Value V = E.make<LLVM::FAbsOp>(E.as(Op.getA(), Op.getTy()));
  return E.replace(Op, Op.getFtz() ? flushSubnormals(E, Op.getTy(), V) : V);
}

LogicalResult lowering::lowerFloatNeg(Emitter &E, NegOp Op) {
  Value V = E.make<LLVM::FNegOp>(E.as(Op.getA(), Op.getTy()));
  return E.replace(Op, Op.getFtz() ? flushSubnormals(E, Op.getTy(), V) : V);
}

/// min and max: of two or three operands; without .NaN a NaN operand loses. The
/// plain forms are LLVM's. With .NaN they are not, since LLVM may keep the
/// payload of a NaN that it knows.
template <typename OpT>
static LogicalResult lowerFloatMinMax(Emitter &E, OpT Op, StringRef Name) {
  ScalarType Ty = Op.getTy();
  if (Ty == ScalarType::F32x2 || Op.getRelu() ||
      (Op.getXorsignAbs() && Op.getC()))
    return unsupportedType(E, Op, Ty);
  Type Float = E.typeOf(Ty);
  bool Plain = !Op.getFtz() && !Op.getNan() && !Op.getXorsignAbs();
  std::string Intrinsic =
      Plain ? (Name + "imumnum").str()
            : (Twine("nvvm.f") + Name + (Op.getFtz() ? ".ftz" : "") +
               (Op.getNan() ? ".nan" : "") +
               (Op.getXorsignAbs() ? ".xorsign.abs" : "") + nvvmSuffix(Ty))
                  .str();
  Value Result;
  for (Value Operand : Op->getOperands()) {
    Value V = E.as(Operand, Ty);
    if (Op.getAbs())
      V = E.make<LLVM::FAbsOp>(V);
    Result = Result ? E.intrinsic(Intrinsic, Float, {Result, V}) : V;
  }
  return E.replace(Op, Result);
}

LogicalResult lowering::lowerFloatMin(Emitter &E, MinOp Op) {
  return lowerFloatMinMax(E, Op, "min");
}
LogicalResult lowering::lowerFloatMax(Emitter &E, MaxOp Op) {
  return lowerFloatMinMax(E, Op, "max");
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
