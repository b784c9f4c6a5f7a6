//===- InterpretFloat.cpp - Floating-point arithmetic of PTX ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chapters 9.7.3 and 9.7.4 of the PTX manual. What the manual asks to be
// rounded correctly is; the approximations are calculated in double precision
// on the host and rounded once, well inside the manual's bounds.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

/// Applies \p Fn to the numbers, or to each pair of elements. Operands of
/// another type (add.f32.f16) are widened; only the first \p NumSources can be.
template <unsigned NumOperands, unsigned NumSources, typename FnT>
Bits calculate(const Modifiers &M, const Bits *In, FnT Fn) {
  ScalarType Element = elementType(M.Ty);
  unsigned Width = bitWidth(Element);
  Bits Result = 0;
  for (unsigned At = 0; At < bitWidth(M.Ty); At += Width) {
    SmallVector<APFloat, 3> Values;
    for (unsigned N = 0; N != NumOperands; ++N) {
      if (M.HasSrcTy && N < NumSources) {
        APFloat Narrow = floatValue(M.SrcTy, In[N]);
        bool Loses = false;
        Narrow.convert(semanticsOf(Element), APFloat::rmNearestTiesToEven,
                       &Loses);
        Values.push_back(M.Ftz ? flushed(Narrow) : Narrow);
        continue;
      }
      Values.push_back(floatOperand(M, Element, In[N] >> At));
    }
    Result |= floatResult(M, Element, Fn(Values)) << At;
  }
  return Result;
}

using Numbers = SmallVectorImpl<APFloat>;

} // namespace

//===----------------------------------------------------------------------===//
// Sums and products
//===----------------------------------------------------------------------===//

void evaluateFloatAdd(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = calculate<2, 1>(I.Mods, In, [&](Numbers &V) {
    V[0].add(V[1], roundingMode(I.Mods.Rnd));
    return V[0];
  });
}

void evaluateFloatSub(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = calculate<2, 1>(I.Mods, In, [&](Numbers &V) {
    V[0].subtract(V[1], roundingMode(I.Mods.Rnd));
    return V[0];
  });
}

void evaluateFloatMul(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = calculate<2, 2>(I.Mods, In, [&](Numbers &V) {
    V[0].multiply(V[1], roundingMode(I.Mods.Rnd));
    return V[0];
  });
}

void evaluateFloatFma(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = calculate<3, 2>(I.Mods, In, [&](Numbers &V) {
    V[0].fusedMultiplyAdd(V[1], V[2], roundingMode(I.Mods.Rnd));
    return V[0];
  });
}

//===----------------------------------------------------------------------===//
// Quotients and roots
//===----------------------------------------------------------------------===//

/// div.approx is a * (1 / b), whose reciprocal vanishes for large b.
static bool reciprocalVanishes(const Modifiers &M, const APFloat &Divisor) {
  return M.Approx && Divisor.isFiniteNonZero() && ilogb(Divisor) >= 126 &&
         !(ilogb(Divisor) == 126 && Divisor.getExactLog2Abs() == 126);
}

void evaluateFloatDiv(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = calculate<2, 2>(I.Mods, In, [&](Numbers &V) {
    if (reciprocalVanishes(I.Mods, V[1])) {
      APFloat Zero = APFloat::getZero(V[1].getSemantics(), V[1].isNegative());
      V[0].multiply(Zero, APFloat::rmNearestTiesToEven);
      return V[0];
    }
    V[0].divide(V[1], roundingMode(I.Mods.Rnd));
    return V[0];
  });
}

namespace {

APFloat reciprocal(const APFloat &A, RoundingMode Mode) {
  APFloat One(A.getSemantics(), 1);
  One.divide(A, Mode);
  return One;
}

/// The largest number whose square is at most \p Square, by bisection.
uint64_t integerRoot(Bits Square) {
  uint64_t Root = 0;
  for (unsigned Bit = 60; Bit-- != 0;) {
    uint64_t Candidate = Root | uint64_t(1) << Bit;
    if (Bits(Candidate) * Candidate <= Square)
      Root = Candidate;
  }
  return Root;
}

/// The correctly rounded square root: of an integer with twice the precision,
/// whose root has some bits more than the result, and a last bit that says
/// whether the root is exact.
APFloat squareRoot(const APFloat &A, RoundingMode Mode) {
  const fltSemantics &S = A.getSemantics();
  if (A.isNaN() || A.isZero())
    return A;
  if (A.isNegative())
    return APFloat::getNaN(S);
  if (A.isInfinity())
    return A;
  int Exponent = ilogb(A);
  int Precision = int(APFloat::semanticsPrecision(S));
  // A = Significand * 2^(Exponent - Precision + 1).
  APFloat Scaled =
      scalbn(A, Precision - 1 - Exponent, APFloat::rmNearestTiesToEven);
  APSInt Significand(64, /*isUnsigned=*/true);
  bool IsExact = false;
  Scaled.convertToInteger(Significand, APFloat::rmTowardZero, &IsExact);
  int Scale = Exponent - Precision + 1;
  int Shift = Precision + 4 + ((Precision + 4 + Scale) & 1);
  Bits Square = Bits(Significand.getZExtValue()) << Shift;
  uint64_t Root = integerRoot(Square);
  bool Inexact = Bits(Root) * Root != Square;
  APFloat Result(S);
  Result.convertFromAPInt(APInt(64, Root << 1 | Inexact), /*IsSigned=*/false,
                          Mode);
  return scalbn(Result, (Scale - Shift) / 2 - 1, Mode);
}

void evaluateRcp(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = calculate<1, 1>(I.Mods, In, [&](Numbers &V) {
    return reciprocal(V[0], roundingMode(I.Mods.Rnd));
  });
}

void evaluateSqrt(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = calculate<1, 1>(I.Mods, In, [&](Numbers &V) {
    return squareRoot(V[0], roundingMode(I.Mods.Rnd));
  });
}

//===----------------------------------------------------------------------===//
// Approximations
//===----------------------------------------------------------------------===//

template <double (*Fn)(double)>
void evaluateApproximate(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = calculate<1, 1>(I.Mods, In, [&](Numbers &V) {
    bool Loses = false;
    APFloat Wide = V[0];
    Wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &Loses);
    APFloat Result(Fn(Wide.convertToDouble()));
    Result.convert(V[0].getSemantics(), APFloat::rmNearestTiesToEven, &Loses);
    return Result;
  });
}

double reciprocalRoot(double X) { return 1.0 / std::sqrt(X); }
double sine(double X) { return std::sin(X); }
double cosine(double X) { return std::cos(X); }
/// Of an angle in turns. What is taken off is exact, so that quarter turns give
/// zeros and ones; a sine that is zero has the number's sign.
double sineOfTurns(double X) {
  double Rest = X - std::nearbyint(X);
  double Near =
      std::fabs(Rest) <= 0.25 ? Rest : std::copysign(0.5, Rest) - Rest;
  return Near == 0 ? X * 0 : std::sin(2 * llvm::numbers::pi * Near);
}
double cosineOfTurns(double X) {
  double Rest = std::fabs(X - std::nearbyint(X));
  return std::sin(2 * llvm::numbers::pi * (0.25 - Rest));
}
double logarithm(double X) { return std::log2(X); }
double power(double X) { return std::exp2(X); }
double hyperbolicTangent(double X) { return std::tanh(X); }

/// rcp.approx.ftz.f64 and rsqrt.approx.ftz.f64 see and give the upper half of
/// a double only.
Bits upperHalf(Bits Value) { return Value >> 32 << 32; }

template <double (*Fn)(double)>
void evaluateGross(const Instruction &I, const Bits *In, Bits *Out) {
  Modifiers M = I.Mods;
  Bits Operand = M.Ftz ? upperHalf(In[0]) : In[0];
  APFloat A = floatOperand(M, ScalarType::F64, Operand);
  Out[0] = floatResult(M, ScalarType::F64, APFloat(Fn(A.convertToDouble())));
  if (M.Ftz)
    Out[0] = upperHalf(Out[0]);
}

double inverse(double X) { return 1.0 / X; }

Evaluator chooseRcp(const Modifiers &M) {
  if (!isCoveredFloat(M.Ty))
    return nullptr;
  return M.Approx && M.Ty == ScalarType::F64 ? evaluateGross<inverse>
                                             : evaluateRcp;
}

Evaluator chooseRsqrt(const Modifiers &M) {
  if (!isCoveredFloat(M.Ty))
    return nullptr;
  return M.Ty == ScalarType::F64 ? evaluateGross<reciprocalRoot>
                                 : evaluateApproximate<reciprocalRoot>;
}

} // namespace

//===----------------------------------------------------------------------===//
// Signs, minimum and maximum
//===----------------------------------------------------------------------===//

/// neg and abs of the bits, so that a NaN passes; a subnormal is flushed.
static Bits changeSign(const Modifiers &M, Bits Value, bool Keep) {
  ScalarType Element = elementType(M.Ty);
  unsigned Width = bitWidth(Element);
  Bits Result = 0;
  for (unsigned At = 0; At < bitWidth(M.Ty); At += Width) {
    Bits V = lowBits(Value >> At, Width);
    APFloat Number = floatOperand(M, Element, V);
    if (!Number.isNaN())
      V = floatBits(Element, Number);
    Bits Sign = Bits(1) << (Width - 1);
    Result |= (Keep ? V ^ Sign : V & ~Sign) << At;
  }
  return Result;
}

void evaluateFloatAbs(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = changeSign(I.Mods, In[0], /*Keep=*/false);
}

void evaluateFloatNeg(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = changeSign(I.Mods, In[0], /*Keep=*/true);
}

template <unsigned NumOperands>
static Bits minOrMax(const Modifiers &M, const Bits *In, bool IsMax) {
  return calculate<NumOperands, 0>(M, In, [&](Numbers &V) {
    bool Sign = V[0].isNegative() != V[1].isNegative();
    if (M.Abs || M.XorsignAbs)
      for (APFloat &Value : V)
        Value.clearSign();
    APFloat Best = V[0];
    for (APFloat &Value : drop_begin(V))
      Best = lesserOrGreater(Best, Value, IsMax, M.NaN);
    if (M.XorsignAbs && !Best.isNaN() && Best.isNegative() != Sign)
      Best.changeSign();
    return Best;
  });
}

void evaluateFloatMin(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = I.Operands.size() == 3 ? minOrMax<3>(I.Mods, In, false)
                                  : minOrMax<2>(I.Mods, In, false);
}

void evaluateFloatMax(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = I.Operands.size() == 3 ? minOrMax<3>(I.Mods, In, true)
                                  : minOrMax<2>(I.Mods, In, true);
}

namespace {

/// The sign of a and the magnitude of b.
void evaluateCopysign(const Instruction &I, const Bits *In, Bits *Out) {
  Bits Sign = Bits(1) << (bitWidth(I.Mods.Ty) - 1);
  Out[0] = (In[0] & Sign) | (In[1] & ~Sign);
}

void evaluateTestp(const Instruction &I, const Bits *In, Bits *Out) {
  APFloat A = floatValue(I.Mods.Ty, In[0]);
  switch (I.Mods.Test) {
  case Test::Finite:
    Out[0] = A.isFinite();
    break;
  case Test::Infinite:
    Out[0] = A.isInfinity();
    break;
  case Test::Number:
    Out[0] = !A.isNaN();
    break;
  case Test::Notanumber:
    Out[0] = A.isNaN();
    break;
  case Test::Normal:
    Out[0] = A.isNormal() || A.isZero();
    break;
  case Test::Subnormal:
    Out[0] = A.isDenormal();
    break;
  }
}

template <Evaluator E> Evaluator floating(const Modifiers &M) {
  return isCoveredFloat(M.Ty) ? E : nullptr;
}

/// fma.oob: an element is +0 where one of a source is the NaN that tensor
/// copies put beyond the tensor, whose bits are all ones here.
void evaluateFmaOutOfBounds(const Instruction &I, const Bits *In, Bits *Out) {
  evaluateFloatFma(I, In, Out);
  unsigned Width = bitWidth(elementType(I.Mods.Ty));
  Bits Special = lowBits(~Bits(0), Width);
  for (unsigned At = 0; At < bitWidth(I.Mods.Ty); At += Width)
    for (unsigned N = 0; N != 3; ++N)
      if (lowBits(In[N] >> At, Width) == Special)
        Out[0] &= ~(Special << At);
}

Evaluator chooseFma(const Modifiers &M) {
  if (!isCoveredFloat(M.Ty))
    return nullptr;
  return M.Oob ? evaluateFmaOutOfBounds : evaluateFloatFma;
}

template <double (*OfAngle)(double), double (*OfTurns)(double)>
Evaluator chooseAngle(const Modifiers &M) {
  if (!isCoveredFloat(M.Ty))
    return nullptr;
  return M.Turns ? evaluateApproximate<OfTurns> : evaluateApproximate<OfAngle>;
}

} // namespace

void addFloatSemantics(SemanticsTable &T) {
  T.pure<FmaOp>(chooseFma);
  T.pure<RcpOp>(chooseRcp);
  T.pure<SqrtOp>(floating<evaluateSqrt>);
  T.pure<RsqrtOp>(chooseRsqrt);
  T.pure<SinOp>(chooseAngle<sine, sineOfTurns>);
  T.pure<CosOp>(chooseAngle<cosine, cosineOfTurns>);
  T.pure<Lg2Op>(floating<evaluateApproximate<logarithm>>);
  T.pure<Ex2Op>(floating<evaluateApproximate<power>>);
  T.pure<TanhOp>(floating<evaluateApproximate<hyperbolicTangent>>);
  T.pure<CopysignOp>(floating<evaluateCopysign>);
  T.pure<TestpOp>(floating<evaluateTestp>);
}

} // namespace heddle::interp
