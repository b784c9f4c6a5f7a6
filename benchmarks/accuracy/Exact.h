//===- Exact.h - Functions on MPFR's numbers --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What results are compared with: the functions of CUDA's tables, computed with
// MPFR. Those that MPFR does not have are made from those that it has.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_ACCURACY_EXACT_H
#define HEDDLE_BENCHMARKS_ACCURACY_EXACT_H

#include <mpfr.h>

namespace heddle::accuracy {

inline constexpr unsigned MaxArguments = 4;

/// A number of MPFR's for as long as it is used.
class Number {
public:
  explicit Number(mpfr_prec_t Precision) { mpfr_init2(V, Precision); }
  ~Number() { mpfr_clear(V); }
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;
  operator mpfr_ptr() { return V; }

private:
  mpfr_t V;
};

/// What a function is computed from.
struct Point {
  mpfr_ptr X[MaxArguments]; ///< The arguments, exactly.
  long N[MaxArguments];     ///< Those that are integers.
  double Hint;              ///< A result that is probably near.
  mpfr_rnd_t Rounding;      ///< For the sign of a zero that is exact.
};

/// Computes a function with the precision of Out. False where the function has
/// no value to compare with.
using Exact = bool (*)(mpfr_ptr Out, const Point &P);

/// The functions of MPFR's own signatures.
template <int (*F)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t)>
bool unary(mpfr_ptr Out, const Point &P) {
  F(Out, P.X[0], P.Rounding);
  return true;
}
template <int (*F)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
bool binary(mpfr_ptr Out, const Point &P) {
  F(Out, P.X[0], P.X[1], P.Rounding);
  return true;
}
template <int (*F)(mpfr_ptr, mpfr_srcptr)>
bool integral(mpfr_ptr Out, const Point &P) {
  F(Out, P.X[0]);
  return true;
}
/// Of an order and an argument; not below order 0. MPFR takes very long for
/// arguments that are far from the order.
template <int (*F)(mpfr_ptr, long, mpfr_srcptr, mpfr_rnd_t)>
bool ofOrder(mpfr_ptr Out, const Point &P) {
  if (P.N[0] < 0 || (mpfr_regular_p(P.X[1]) &&
                     (mpfr_get_exp(P.X[1]) > 10 || mpfr_get_exp(P.X[1]) < -10)))
    return false;
  F(Out, P.N[0], P.X[1], P.Rounding);
  return true;
}

/// A function of MPFR's to an integer, where a double would hold it.
template <int (*F)(mpfr_ptr, mpfr_srcptr)>
bool toInteger(mpfr_ptr Out, const Point &P) {
  F(Out, P.X[0]);
  return mpfr_zero_p(Out) || (mpfr_number_p(Out) && mpfr_get_exp(Out) <= 53);
}

namespace exact {

bool reciprocal(mpfr_ptr Out, const Point &P);
bool reciprocalRoot(mpfr_ptr Out, const Point &P);
bool reciprocalCubeRoot(mpfr_ptr Out, const Point &P);
/// Of the root of the sum of the squares of that many arguments.
template <unsigned Number> bool norm(mpfr_ptr Out, const Point &P);
template <unsigned Number> bool reciprocalNorm(mpfr_ptr Out, const Point &P);
bool fma(mpfr_ptr Out, const Point &P);
bool sineOfPi(mpfr_ptr Out, const Point &P);
bool cosineOfPi(mpfr_ptr Out, const Point &P);
bool sineOfTurns(mpfr_ptr Out, const Point &P);
bool cosineOfTurns(mpfr_ptr Out, const Point &P);
bool logGamma(mpfr_ptr Out, const Point &P);
bool scaledErfc(mpfr_ptr Out, const Point &P);
bool inverseErf(mpfr_ptr Out, const Point &P);
bool inverseErfc(mpfr_ptr Out, const Point &P);
bool normalDistribution(mpfr_ptr Out, const Point &P);
bool inverseNormal(mpfr_ptr Out, const Point &P);
/// CUDA's J1 is odd at the infinities, too.
bool bessel1(mpfr_ptr Out, const Point &P);
bool modifiedBessel0(mpfr_ptr Out, const Point &P);
bool modifiedBessel1(mpfr_ptr Out, const Point &P);
bool scale(mpfr_ptr Out, const Point &P);
bool significand(mpfr_ptr Out, const Point &P);
/// Of a significand in [1/2, 1), as frexp has it, and in [1, 2).
bool exponent(mpfr_ptr Out, const Point &P);
bool binaryLogarithm(mpfr_ptr Out, const Point &P);
bool exponentAsNumber(mpfr_ptr Out, const Point &P);
bool integralPart(mpfr_ptr Out, const Point &P);
bool fractionalPart(mpfr_ptr Out, const Point &P);
/// The low three bits of the quotient of remquo, with its sign.
bool quotient(mpfr_ptr Out, const Point &P);

} // namespace exact

} // namespace heddle::accuracy

#endif // HEDDLE_BENCHMARKS_ACCURACY_EXACT_H
