//===- Exact.cpp - Functions on MPFR's numbers ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The precision inside is chosen so that what cancels leaves enough of it.
//
//===----------------------------------------------------------------------===//

#include "Exact.h"

#include <cmath>

using namespace heddle::accuracy;

/// More bits than the result has, for intermediate results.
static mpfr_prec_t inside(mpfr_ptr Out) { return mpfr_get_prec(Out) + 64; }

bool exact::reciprocal(mpfr_ptr Out, const Point &P) {
  mpfr_ui_div(Out, 1, P.X[0], P.Rounding);
  return true;
}

// MPFR takes -0 for +0 here.
bool exact::reciprocalRoot(mpfr_ptr Out, const Point &P) {
  if (mpfr_zero_p(P.X[0]))
    mpfr_set_inf(Out, mpfr_signbit(P.X[0]) ? -1 : 1);
  else
    mpfr_rec_sqrt(Out, P.X[0], P.Rounding);
  return true;
}

bool exact::reciprocalCubeRoot(mpfr_ptr Out, const Point &P) {
  Number Root(inside(Out));
  mpfr_cbrt(Root, P.X[0], MPFR_RNDN);
  mpfr_ui_div(Out, 1, Root, P.Rounding);
  return true;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

/// An infinite argument outweighs a NaN, as hypot of C has it.
template <unsigned Count>
static void setNorm(mpfr_ptr Out, const Point &P, mpfr_rnd_t Rounding) {
  for (unsigned I = 0; I != Count; ++I)
    if (mpfr_inf_p(P.X[I])) {
      mpfr_set_inf(Out, 1);
      return;
    }
  Number Sum(inside(Out)), Square(inside(Out));
  mpfr_set_zero(Sum, 1);
  for (unsigned I = 0; I != Count; ++I) {
    mpfr_sqr(Square, P.X[I], MPFR_RNDN);
    mpfr_add(Sum, Sum, Square, MPFR_RNDN);
  }
  mpfr_sqrt(Out, Sum, Rounding);
}

template <unsigned Count> bool exact::norm(mpfr_ptr Out, const Point &P) {
  setNorm<Count>(Out, P, P.Rounding);
  return true;
}
template <unsigned Count>
bool exact::reciprocalNorm(mpfr_ptr Out, const Point &P) {
  Number Norm(inside(Out));
  setNorm<Count>(Norm, P, MPFR_RNDN);
  mpfr_ui_div(Out, 1, Norm, P.Rounding);
  return true;
}
template bool exact::norm<2>(mpfr_ptr, const Point &);
template bool exact::norm<3>(mpfr_ptr, const Point &);
template bool exact::norm<4>(mpfr_ptr, const Point &);
template bool exact::reciprocalNorm<2>(mpfr_ptr, const Point &);
template bool exact::reciprocalNorm<3>(mpfr_ptr, const Point &);
template bool exact::reciprocalNorm<4>(mpfr_ptr, const Point &);

bool exact::fma(mpfr_ptr Out, const Point &P) {
  mpfr_fma(Out, P.X[0], P.X[1], P.X[2], P.Rounding);
  return true;
}

//===----------------------------------------------------------------------===//
// Trigonometric functions of parts of a turn, as IEEE 754 has them
//===----------------------------------------------------------------------===//

bool exact::sineOfPi(mpfr_ptr Out, const Point &P) {
  mpfr_sinu(Out, P.X[0], 2, P.Rounding);
  return true;
}
bool exact::cosineOfPi(mpfr_ptr Out, const Point &P) {
  mpfr_cosu(Out, P.X[0], 2, P.Rounding);
  return true;
}
bool exact::sineOfTurns(mpfr_ptr Out, const Point &P) {
  mpfr_sinu(Out, P.X[0], 1, P.Rounding);
  return true;
}
bool exact::cosineOfTurns(mpfr_ptr Out, const Point &P) {
  mpfr_cosu(Out, P.X[0], 1, P.Rounding);
  return true;
}

//===----------------------------------------------------------------------===//
// Gamma and error functions
//===----------------------------------------------------------------------===//

bool exact::logGamma(mpfr_ptr Out, const Point &P) {
  int Sign;
  mpfr_lgamma(Out, &Sign, P.X[0], P.Rounding);
  return true;
}

/// 1/(x sqrt(pi)) times the asymptotic series in 1/(2 x^2), for x from 100 on.
static void setLargeScaledErfc(mpfr_ptr Out, mpfr_ptr X) {
  Number Sum(inside(Out)), Term(inside(Out)), Step(inside(Out));
  mpfr_sqr(Step, X, MPFR_RNDN);
  mpfr_ui_div(Step, 1, Step, MPFR_RNDN);
  mpfr_div_2ui(Step, Step, 1, MPFR_RNDN);
  mpfr_set_ui(Sum, 1, MPFR_RNDN);
  mpfr_set_ui(Term, 1, MPFR_RNDN);
  for (unsigned I = 1; I != 24; ++I) {
    mpfr_mul(Term, Term, Step, MPFR_RNDN);
    mpfr_mul_si(Term, Term, 1 - 2 * static_cast<long>(I), MPFR_RNDN);
    mpfr_add(Sum, Sum, Term, MPFR_RNDN);
  }
  mpfr_const_pi(Term, MPFR_RNDN);
  mpfr_sqrt(Term, Term, MPFR_RNDN);
  mpfr_mul(Term, Term, X, MPFR_RNDN);
  mpfr_div(Out, Sum, Term, MPFR_RNDN);
}

bool exact::scaledErfc(mpfr_ptr Out, const Point &P) {
  mpfr_ptr X = P.X[0];
  if (mpfr_inf_p(X) && mpfr_sgn(X) > 0) {
    mpfr_set_zero(Out, 1);
    return true;
  }
  if (mpfr_number_p(X) && mpfr_cmp_ui(X, 100) >= 0) {
    setLargeScaledErfc(Out, X);
    return true;
  }
  Number Square(inside(Out)), Rest(inside(Out));
  mpfr_sqr(Square, X, MPFR_RNDN);
  mpfr_exp(Square, Square, MPFR_RNDN);
  mpfr_erfc(Rest, X, MPFR_RNDN);
  mpfr_mul(Out, Square, Rest, MPFR_RNDN);
  return true;
}

bool exact::normalDistribution(mpfr_ptr Out, const Point &P) {
  Number T(inside(Out)), Root(inside(Out));
  mpfr_sqrt_ui(Root, 2, MPFR_RNDN);
  mpfr_div(T, P.X[0], Root, MPFR_RNDN);
  mpfr_neg(T, T, MPFR_RNDN);
  mpfr_erfc(T, T, MPFR_RNDN);
  mpfr_div_2ui(Out, T, 1, P.Rounding);
  return true;
}

/// 2/sqrt(pi) exp(-y^2), the derivative of erf.
static void setErfSlope(mpfr_ptr Out, mpfr_ptr Y) {
  Number Pi(mpfr_get_prec(Out));
  mpfr_sqr(Out, Y, MPFR_RNDN);
  mpfr_neg(Out, Out, MPFR_RNDN);
  mpfr_exp(Out, Out, MPFR_RNDN);
  mpfr_const_pi(Pi, MPFR_RNDN);
  mpfr_sqrt(Pi, Pi, MPFR_RNDN);
  mpfr_div(Out, Out, Pi, MPFR_RNDN);
  mpfr_mul_2ui(Out, Out, 1, MPFR_RNDN);
}

/// A start for Newton's method: |y| with erfc(|y|) = Small, in (0, 1], right to
/// some percent (Winitzki's formula, and the tail's first terms).
static double roughInverseErfc(double LogOfSmall, double Small) {
  if (LogOfSmall > -20) {
    double L = std::log(Small * (2 - Small)), A = 0.147;
    double B = 2 / (M_PI * A) + L / 2;
    return std::sqrt(std::sqrt(B * B - L / A) - B);
  }
  double Y = std::sqrt(-LogOfSmall);
  for (int I = 0; I != 4; ++I)
    Y = std::sqrt(-LogOfSmall - std::log(Y * std::sqrt(M_PI)));
  return Y;
}

/// The y with erfc(y) = Target, in (0, 1], from a start nearby.
static void solveErfc(mpfr_ptr Out, mpfr_ptr Target, double Start) {
  mpfr_prec_t Bits = inside(Out);
  Number Y(Bits), Value(Bits), Slope(Bits);
  mpfr_set_d(Y, Start, MPFR_RNDN);
  for (int I = 0; I != 40; ++I) {
    mpfr_erfc(Value, Y, MPFR_RNDN);
    mpfr_sub(Value, Value, Target, MPFR_RNDN);
    setErfSlope(Slope, Y);
    mpfr_div(Value, Value, Slope, MPFR_RNDN);
    mpfr_add(Y, Y, Value, MPFR_RNDN);
    // Newton's method squares the error: the step before was good enough.
    if (mpfr_zero_p(Value) ||
        mpfr_get_exp(Y) - mpfr_get_exp(Value) > Bits / 2 + 8)
      break;
  }
  mpfr_set(Out, Y, MPFR_RNDN);
}

/// The same for erf(y) = Target, in (0, 1/2].
static void solveErf(mpfr_ptr Out, mpfr_ptr Target) {
  mpfr_prec_t Bits = inside(Out);
  Number Y(Bits), Value(Bits), Slope(Bits);
  mpfr_set_d(Y, std::sqrt(M_PI) / 2, MPFR_RNDN);
  mpfr_mul(Y, Y, Target, MPFR_RNDN);
  for (int I = 0; I != 40; ++I) {
    mpfr_erf(Value, Y, MPFR_RNDN);
    mpfr_sub(Value, Value, Target, MPFR_RNDN);
    setErfSlope(Slope, Y);
    mpfr_div(Value, Value, Slope, MPFR_RNDN);
    mpfr_sub(Y, Y, Value, MPFR_RNDN);
    if (mpfr_zero_p(Value) ||
        mpfr_get_exp(Y) - mpfr_get_exp(Value) > Bits / 2 + 8)
      break;
  }
  mpfr_set(Out, Y, MPFR_RNDN);
}

/// erfc's inverse at a number of (0, 1].
static void setInverseErfc(mpfr_ptr Out, mpfr_ptr Target, double Hint) {
  Number Log(64);
  mpfr_log(Log, Target, MPFR_RNDN);
  double Rough = roughInverseErfc(mpfr_get_d(Log, MPFR_RNDN),
                                  mpfr_get_d(Target, MPFR_RNDN));
  bool Near = std::fabs(Hint - Rough) < 0.1 * Rough;
  solveErfc(Out, Target, Near ? Hint : Rough);
}

bool exact::inverseErf(mpfr_ptr Out, const Point &P) {
  mpfr_ptr X = P.X[0];
  if (mpfr_nan_p(X) || mpfr_cmpabs_ui(X, 1) > 0) {
    mpfr_set_nan(Out);
    return true;
  }
  bool Negative = mpfr_signbit(X);
  if (mpfr_zero_p(X)) {
    mpfr_set(Out, X, MPFR_RNDN);
    return true;
  }
  Number T(inside(Out));
  mpfr_abs(T, X, MPFR_RNDN);
  if (mpfr_cmp_ui(T, 1) == 0) {
    mpfr_set_inf(Out, 1);
  } else if (mpfr_cmp_d(T, 0.5) <= 0) {
    solveErf(Out, T);
  } else {
    mpfr_ui_sub(T, 1, T, MPFR_RNDN);
    setInverseErfc(Out, T, std::fabs(P.Hint));
  }
  mpfr_setsign(Out, Out, Negative, MPFR_RNDN);
  return true;
}

/// The same of a number between 0 and 2.
static void setInverseErfcOfAny(mpfr_ptr Out, mpfr_ptr X, double Hint) {
  if (mpfr_nan_p(X) || mpfr_sgn(X) < 0 || mpfr_cmp_ui(X, 2) > 0) {
    mpfr_set_nan(Out);
  } else if (mpfr_zero_p(X) || mpfr_cmp_ui(X, 2) == 0) {
    mpfr_set_inf(Out, mpfr_zero_p(X) ? 1 : -1);
  } else if (mpfr_cmp_ui(X, 1) == 0) {
    mpfr_set_zero(Out, 1);
  } else {
    // Near 1 it is erf that tells.
    Number T(2200);
    mpfr_ui_sub(T, 1, X, MPFR_RNDN);
    bool Negative = mpfr_cmp_ui(X, 1) > 0;
    mpfr_abs(T, T, MPFR_RNDN);
    if (mpfr_cmp_d(T, 0.5) <= 0) {
      solveErf(Out, T);
    } else {
      mpfr_ui_sub(T, 1, T, MPFR_RNDN);
      setInverseErfc(Out, T, std::fabs(Hint));
    }
    mpfr_setsign(Out, Out, Negative, MPFR_RNDN);
  }
}

bool exact::inverseErfc(mpfr_ptr Out, const Point &P) {
  setInverseErfcOfAny(Out, P.X[0], P.Hint);
  return true;
}

bool exact::inverseNormal(mpfr_ptr Out, const Point &P) {
  Number Twice(mpfr_get_prec(P.X[0])), Root(inside(Out)), Y(inside(Out));
  mpfr_mul_2ui(Twice, P.X[0], 1, MPFR_RNDN);
  setInverseErfcOfAny(Y, Twice, P.Hint / M_SQRT2);
  mpfr_sqrt_ui(Root, 2, MPFR_RNDN);
  mpfr_mul(Out, Y, Root, MPFR_RNDN);
  if (!mpfr_zero_p(Out))
    mpfr_neg(Out, Out, MPFR_RNDN);
  return true;
}

//===----------------------------------------------------------------------===//
// Bessel functions
//===----------------------------------------------------------------------===//

bool exact::bessel1(mpfr_ptr Out, const Point &P) {
  mpfr_j1(Out, P.X[0], P.Rounding);
  if (mpfr_inf_p(P.X[0]))
    mpfr_setsign(Out, Out, mpfr_signbit(P.X[0]), MPFR_RNDN);
  return true;
}

/// The sum of (x/2)^(2 k + Order) / (k! (k + Order)!), whose terms have one
/// sign. Beyond 2000 even double precision overflows.
static void setModifiedBessel(mpfr_ptr Out, mpfr_ptr X, unsigned Order) {
  if (mpfr_nan_p(X)) {
    mpfr_set_nan(Out);
    return;
  }
  bool Negative = Order == 1 && mpfr_signbit(X);
  if (mpfr_cmpabs_ui(X, 2000) > 0) {
    mpfr_set_inf(Out, Negative ? -1 : 1);
    return;
  }
  Number Sum(inside(Out)), Term(inside(Out)), Square(inside(Out));
  mpfr_sqr(Square, X, MPFR_RNDN);
  mpfr_div_2ui(Square, Square, 2, MPFR_RNDN);
  if (Order == 0)
    mpfr_set_ui(Term, 1, MPFR_RNDN);
  else
    mpfr_div_2ui(Term, X, 1, MPFR_RNDN);
  mpfr_set(Sum, Term, MPFR_RNDN);
  for (unsigned K = 1; !mpfr_zero_p(Term); ++K) {
    mpfr_mul(Term, Term, Square, MPFR_RNDN);
    mpfr_div_ui(Term, Term, K * (K + Order), MPFR_RNDN);
    mpfr_add(Sum, Sum, Term, MPFR_RNDN);
    if (mpfr_zero_p(Term) ||
        mpfr_get_exp(Sum) - mpfr_get_exp(Term) > inside(Out))
      break;
  }
  mpfr_set(Out, Sum, MPFR_RNDN);
}

bool exact::modifiedBessel0(mpfr_ptr Out, const Point &P) {
  setModifiedBessel(Out, P.X[0], 0);
  return true;
}
bool exact::modifiedBessel1(mpfr_ptr Out, const Point &P) {
  setModifiedBessel(Out, P.X[0], 1);
  return true;
}

//===----------------------------------------------------------------------===//
// Parts of numbers
//===----------------------------------------------------------------------===//

bool exact::scale(mpfr_ptr Out, const Point &P) {
  mpfr_mul_2si(Out, P.X[0], P.N[1], P.Rounding);
  return true;
}

bool exact::significand(mpfr_ptr Out, const Point &P) {
  mpfr_set(Out, P.X[0], MPFR_RNDN);
  if (mpfr_regular_p(Out))
    mpfr_set_exp(Out, 0);
  return true;
}

bool exact::exponent(mpfr_ptr Out, const Point &P) {
  if (!mpfr_regular_p(P.X[0]))
    return false;
  mpfr_set_si(Out, mpfr_get_exp(P.X[0]), MPFR_RNDN);
  return true;
}

bool exact::binaryLogarithm(mpfr_ptr Out, const Point &P) {
  if (!exponent(Out, P))
    return false;
  mpfr_sub_ui(Out, Out, 1, MPFR_RNDN);
  return true;
}

bool exact::exponentAsNumber(mpfr_ptr Out, const Point &P) {
  if (mpfr_zero_p(P.X[0]))
    mpfr_set_inf(Out, -1);
  else if (!mpfr_regular_p(P.X[0]))
    mpfr_abs(Out, P.X[0], MPFR_RNDN);
  else
    mpfr_set_si(Out, mpfr_get_exp(P.X[0]) - 1, MPFR_RNDN);
  return true;
}

bool exact::integralPart(mpfr_ptr Out, const Point &P) {
  mpfr_trunc(Out, P.X[0]);
  return true;
}
bool exact::fractionalPart(mpfr_ptr Out, const Point &P) {
  mpfr_frac(Out, P.X[0], MPFR_RNDN);
  if (mpfr_zero_p(Out))
    mpfr_setsign(Out, Out, mpfr_signbit(P.X[0]), MPFR_RNDN);
  return true;
}

bool exact::quotient(mpfr_ptr Out, const Point &P) {
  Number Rest(mpfr_get_prec(Out));
  long Q;
  mpfr_remquo(Rest, &Q, P.X[0], P.X[1], MPFR_RNDN);
  if (!mpfr_number_p(Rest) || mpfr_inf_p(P.X[1]))
    return false;
  mpfr_set_si(Out, Q < 0 ? -(-Q & 7) : Q & 7, MPFR_RNDN);
  return true;
}
