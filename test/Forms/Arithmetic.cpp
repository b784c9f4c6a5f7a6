//===- Arithmetic.cpp - Reference arithmetic --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MPFR rounds to the format's precision with an unbounded exponent and says in
// which direction; mpfr_subnormalize then rounds subnormal results from that,
// once in effect.
//
//===----------------------------------------------------------------------===//

#include "Arithmetic.h"

#include <bit>
#include <cmath>
#include <limits>
#include <mpfr.h>

using namespace heddle;
using namespace heddle::forms;

constexpr FloatFormat forms::F16{5, 10, Specials::IEEE, 0x7FFF};
constexpr FloatFormat forms::BF16{8, 7, Specials::IEEE, 0x7FFF};
constexpr FloatFormat forms::F32{8, 23, Specials::IEEE, 0x7FFFFFFF};
constexpr FloatFormat forms::F64{11, 52, Specials::IEEE, 0xFFF8000000000000};
constexpr FloatFormat forms::TF32{8, 10, Specials::IEEE, 0x3FFFF};
constexpr FloatFormat forms::E4M3{4, 3, Specials::OnlyNaN, 0x7F};
constexpr FloatFormat forms::E5M2{5, 2, Specials::IEEE, 0x7F};
constexpr FloatFormat forms::E3M2{3, 2, Specials::None, 0x1F};
constexpr FloatFormat forms::E2M3{2, 3, Specials::None, 0x1F};
constexpr FloatFormat forms::E2M1{2, 1, Specials::None, 0x7};
constexpr FloatFormat forms::UE5M3{5, 3, Specials::OnlyNaN, 0xFF};

namespace {

/// The precision in which sources are held: that of f64.
constexpr mpfr_prec_t SourceBits = 53;
/// Exponents in which nothing that we compute overflows.
constexpr mpfr_exp_t WideExponent = 1 << 20;

/// A number of MPFR with a lifetime.
class Real {
public:
  explicit Real(mpfr_prec_t Bits) { mpfr_init2(Value, Bits); }
  Real(uint64_t Bits, const FloatFormat &F) : Real(SourceBits) {
    if (F.isNaN(Bits)) {
      mpfr_set_nan(Value);
      return;
    }
    if (F.isInfinity(Bits)) {
      mpfr_set_inf(Value, F.isNegative(Bits) ? -1 : 1);
      return;
    }
    uint64_t Magnitude = F.magnitude(Bits);
    uint64_t Fraction = Magnitude & ((uint64_t(1) << F.FracBits) - 1);
    int Exponent = static_cast<int>(Magnitude >> F.FracBits);
    if (Exponent)
      Fraction |= uint64_t(1) << F.FracBits;
    else
      Exponent = 1;
    mpfr_set_uj_2exp(Value, Fraction,
                     Exponent - F.bias() - static_cast<int>(F.FracBits),
                     MPFR_RNDN);
    mpfr_setsign(Value, Value, F.isNegative(Bits), MPFR_RNDN);
  }
  ~Real() { mpfr_clear(Value); }
  Real(const Real &) = delete;
  Real &operator=(const Real &) = delete;

  operator mpfr_ptr() { return Value; }
  operator mpfr_srcptr() const { return Value; }

private:
  mpfr_t Value;
};

} // namespace

static mpfr_rnd_t mode(Round R) {
  switch (R) {
  case Round::Nearest:
    return MPFR_RNDN;
  case Round::Zero:
    return MPFR_RNDZ;
  case Round::Down:
    return MPFR_RNDD;
  case Round::Up:
    return MPFR_RNDU;
  case Round::NearestAway:
    return MPFR_RNDNA;
  }
  return MPFR_RNDN;
}

/// Exponent, as MPFR counts, of the smallest and the largest number.
static mpfr_exp_t leastExponent(const FloatFormat &F) {
  return 2 - F.bias() - static_cast<mpfr_exp_t>(F.FracBits);
}
static mpfr_exp_t mostExponent(const FloatFormat &F) {
  return F.Kind == Specials::IEEE ? F.bias() + 1 : F.bias() + 2;
}

/// The bits of a number that the format has.
static uint64_t encode(mpfr_srcptr V, const FloatFormat &F) {
  uint64_t Sign = mpfr_signbit(V) ? F.signBit() : 0;
  if (mpfr_zero_p(V))
    return Sign;
  Real Scaled(SourceBits);
  mpfr_abs(Scaled, V, MPFR_RNDN);
  int Exponent = static_cast<int>(mpfr_get_exp(V)) - 1 + F.bias();
  bool Normal = Exponent >= 1;
  int Shift = static_cast<int>(F.FracBits) + F.bias() - (Normal ? Exponent : 1);
  mpfr_mul_2si(Scaled, Scaled, Shift, MPFR_RNDN);
  uint64_t Significand = mpfr_get_uj(Scaled, MPFR_RNDN);
  // The leading one of a normal number adds itself to the exponent.
  return Sign |
         ((Normal ? uint64_t(Exponent - 1) << F.FracBits : 0) + Significand);
}

/// Rounds to the format what MPFR has rounded to its precision; \p Ternary says
/// in which direction.
static uint64_t finish(mpfr_ptr V, int Ternary, const FloatFormat &F, Round R) {
  if (mpfr_nan_p(V))
    return F.CanonicalNaN;
  mpfr_set_emin(leastExponent(F));
  mpfr_set_emax(mostExponent(F));
  Ternary = mpfr_check_range(V, Ternary, mode(R));
  mpfr_subnormalize(V, Ternary, mode(R));
  mpfr_set_emin(-WideExponent);
  mpfr_set_emax(WideExponent);
  if (mpfr_inf_p(V)) {
    uint64_t Sign = mpfr_signbit(V) ? F.signBit() : 0;
    return Sign | (F.Kind == Specials::IEEE ? F.infinity() : F.largest());
  }
  uint64_t Bits = encode(V, F);
  // Codes that the format takes for something else.
  if (F.isNaN(Bits) || F.magnitude(Bits) > F.largest())
    Bits = (Bits & F.signBit()) | F.largest();
  return Bits;
}

static mpfr_prec_t precision(const FloatFormat &F) { return F.FracBits + 1; }

uint64_t forms::floatAdd(uint64_t A, uint64_t B, const FloatFormat &F,
                         Round R) {
  Real X(A, F), Y(B, F), Sum(precision(F));
  return finish(Sum, mpfr_add(Sum, X, Y, mode(R)), F, R);
}

uint64_t forms::floatMultiply(uint64_t A, uint64_t B, const FloatFormat &F,
                              Round R) {
  Real X(A, F), Y(B, F), Product(precision(F));
  return finish(Product, mpfr_mul(Product, X, Y, mode(R)), F, R);
}

uint64_t forms::floatFma(uint64_t A, uint64_t B, uint64_t C,
                         const FloatFormat &F, Round R) {
  Real X(A, F), Y(B, F), Z(C, F), V(precision(F));
  return finish(V, mpfr_fma(V, X, Y, Z, mode(R)), F, R);
}

uint64_t forms::floatFma(uint64_t A, uint64_t B, uint64_t C,
                         const FloatFormat &From, const FloatFormat &To,
                         Round R) {
  Real X(A, From), Y(B, From), Z(C, From), V(precision(To));
  return finish(V, mpfr_fma(V, X, Y, Z, mode(R)), To, R);
}

uint64_t forms::floatDivide(uint64_t A, uint64_t B, const FloatFormat &F,
                            Round R) {
  Real X(A, F), Y(B, F), Quotient(precision(F));
  return finish(Quotient, mpfr_div(Quotient, X, Y, mode(R)), F, R);
}

uint64_t forms::floatRoot(uint64_t A, const FloatFormat &F, Round R) {
  Real X(A, F), Root(precision(F));
  return finish(Root, mpfr_sqrt(Root, X, mode(R)), F, R);
}

/// mpfr_set with a mode that it lacks: ties away from zero.
static int setNearestAway(mpfr_ptr V, mpfr_srcptr X) {
  return mpfr_round_nearest_away(mpfr_set, V, X);
}

uint64_t forms::floatConvert(uint64_t A, const FloatFormat &From,
                             const FloatFormat &To, Round R) {
  Real X(A, From), V(precision(To));
  if (R == Round::NearestAway && !From.isNaN(A) && !From.isInfinity(A) &&
      !From.isZero(A)) {
    // The precision of a subnormal result is set by hand, as
    // mpfr_subnormalize does not have this mode.
    mpfr_exp_t Lead = mpfr_get_exp(X);
    mpfr_prec_t Bits =
        std::min<mpfr_exp_t>(precision(To), Lead - leastExponent(To) + 1);
    if (Bits < 1)
      return From.isNegative(A) ? To.signBit() : 0;
    mpfr_set_prec(V, Bits);
    setNearestAway(V, X);
    if (mpfr_get_exp(V) > mostExponent(To))
      return (From.isNegative(A) ? To.signBit() : 0) | To.infinity();
    return encode(V, To);
  }
  return finish(V, mpfr_set(V, X, mode(R)), To, R);
}

uint64_t forms::floatToIntegral(uint64_t A, const FloatFormat &F, Round R) {
  Real X(A, F), V(precision(F));
  return finish(V, mpfr_rint(V, X, mode(R)), F, R);
}

Int128 forms::floatToInteger(uint64_t A, const FloatFormat &F, Round R,
                             unsigned Bits, bool Signed) {
  Real X(A, F), V(SourceBits);
  mpfr_rint(V, X, mode(R));
  Int128 Limit = mpfr_signbit(V) ? minOf(Bits, Signed) : maxOf(Bits, Signed);
  if (mpfr_zero_p(V))
    return 0;
  if (mpfr_inf_p(V) || mpfr_get_exp(V) > 66)
    return Limit;
  // At most 2^66: two halves of 33 bits.
  Real Absolute(SourceBits), High(SourceBits), Low(SourceBits);
  mpfr_abs(Absolute, V, MPFR_RNDN);
  mpfr_div_2si(High, Absolute, 33, MPFR_RNDN);
  mpfr_rint_floor(High, High, MPFR_RNDN);
  UInt128 Magnitude = UInt128(mpfr_get_uj(High, MPFR_RNDN)) << 33;
  mpfr_mul_2si(High, High, 33, MPFR_RNDN);
  mpfr_sub(Low, Absolute, High, MPFR_RNDN);
  Magnitude += mpfr_get_uj(Low, MPFR_RNDN);
  Int128 Value = mpfr_signbit(V) ? -Int128(Magnitude) : Int128(Magnitude);
  return clampTo(Value, Bits, Signed);
}

uint64_t forms::integerToFloat(Int128 Value, const FloatFormat &F, Round R) {
  bool Negative = Value < 0;
  UInt128 Magnitude = Negative ? -UInt128(Value) : UInt128(Value);
  Real Exact(128), Low(64), V(precision(F));
  mpfr_set_uj_2exp(Exact, static_cast<uint64_t>(Magnitude >> 64), 64,
                   MPFR_RNDN);
  mpfr_set_uj(Low, static_cast<uint64_t>(Magnitude), MPFR_RNDN);
  mpfr_add(Exact, Exact, Low, MPFR_RNDN);
  mpfr_setsign(Exact, Exact, Negative, MPFR_RNDN);
  return finish(V, mpfr_set(V, Exact, mode(R)), F, R);
}

int forms::floatCompare(uint64_t A, uint64_t B, const FloatFormat &F) {
  if (F.isNaN(A) || F.isNaN(B))
    return 2;
  Real X(A, F), Y(B, F);
  int Order = mpfr_cmp(X, Y);
  return (Order > 0) - (Order < 0);
}

uint64_t forms::floatSaturate(uint64_t A, const FloatFormat &F) {
  if (F.isNaN(A) || F.isNegative(A))
    return 0;
  return A > F.one() ? F.one() : A;
}

uint64_t forms::floatRelu(uint64_t A, const FloatFormat &F) {
  if (F.isNaN(A))
    return F.CanonicalNaN;
  return F.isNegative(A) ? 0 : A;
}

double forms::toDouble(uint64_t A, const FloatFormat &F) {
  Real X(A, F);
  return mpfr_get_d(X, MPFR_RNDN);
}
