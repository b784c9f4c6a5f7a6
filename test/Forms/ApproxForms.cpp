//===- ApproxForms.cpp - Approximations -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manual bounds the error of these and prescribes results of special
// inputs. CUDA's functions that are one such instruction have bounds of their
// own, in the tables of its programming guide: a program is promised both. The
// exact value is computed with 120 bits.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"

#include <cmath>
#include <mpfr.h>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

namespace {

constexpr mpfr_prec_t ExactBits = 120;

/// What a result's error is measured in.
enum class Measure : uint8_t {
  Ulp,      ///< Units in the last place of the correctly rounded result.
  Relative, ///< Parts of the exact value.
  Absolute,
  Anything, ///< Nothing is promised.
};

struct Bound {
  Measure In;
  double Most;
};

constexpr Bound Unbounded = {Measure::Anything, 0};

/// A function of one argument on MPFR's numbers.
using Exact = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);

struct Number {
  mpfr_t V;
  Number() { mpfr_init2(V, ExactBits); }
  ~Number() { mpfr_clear(V); }
  Number(const Number &) = delete;
  Number &operator=(const Number &) = delete;
};

/// An approximation in a format.
struct Approximation {
  Exact Function;
  const FloatFormat *F;
  bool Ftz;
  /// The manual's bound at an argument.
  Bound (*BoundAt)(double X);
  /// That of CUDA's function.
  Bound (*FunctionBoundAt)(double X) = [](double) { return Unbounded; };
};

} // namespace

/// The size of a unit in the last place at a value, in F.
static double ulpAt(mpfr_srcptr V, const FloatFormat &F) {
  int Lead = mpfr_zero_p(V) ? -100000 : static_cast<int>(mpfr_get_exp(V)) - 1;
  int Least = 1 - F.bias();
  return std::ldexp(1.0, std::max(Lead, Least) - static_cast<int>(F.FracBits));
}

/// |Got - Want| in the units of a bound, rounded up.
static double errorIn(Measure In, mpfr_srcptr Got, mpfr_srcptr Want,
                      const FloatFormat &F) {
  Number E;
  mpfr_sub(E.V, Got, Want, MPFR_RNDA);
  mpfr_abs(E.V, E.V, MPFR_RNDU);
  if (In == Measure::Relative && !mpfr_zero_p(E.V)) {
    Number Size;
    mpfr_abs(Size.V, Want, MPFR_RNDD);
    mpfr_div(E.V, E.V, Size.V, MPFR_RNDU);
  }
  double Error = mpfr_get_d(E.V, MPFR_RNDU);
  return In == Measure::Ulp ? Error / ulpAt(Want, F) : Error;
}

/// Whether results may be the zero that a subnormal is flushed to.
static bool mayFlush(mpfr_srcptr Want, const FloatFormat &F) {
  return !mpfr_zero_p(Want) && mpfr_get_exp(Want) - 1 <= 1 - F.bias();
}

/// What is wrong with Got, which approximates Want.
static std::string judge(uint64_t Got, mpfr_srcptr Want, const FloatFormat &F,
                         bool Ftz, Bound B) {
  if (mpfr_nan_p(Want))
    return Got == F.CanonicalNaN ? "" : "must be the canonical NaN";
  if (F.isNaN(Got))
    return "must not be NaN";
  bool Negative = mpfr_signbit(Want);
  if (mpfr_inf_p(Want) || mpfr_zero_p(Want)) {
    uint64_t Bits =
        (Negative ? F.signBit() : 0) | (mpfr_inf_p(Want) ? F.infinity() : 0);
    return Got == Bits ? "" : "must be exact";
  }
  if (B.In == Measure::Anything)
    return "";
  if (F.isZero(Got) && Ftz && mayFlush(Want, F))
    return F.isNegative(Got) == Negative ? "" : "wrong sign of zero";
  if (Ftz && F.isSubnormal(Got))
    return "must be flushed";
  Number Value;
  if (F.isInfinity(Got)) {
    // What is too large is measured as if the exponent went on.
    mpfr_set_ui_2exp(Value.V, 1, F.bias() + 1, MPFR_RNDN);
    mpfr_setsign(Value.V, Value.V, Negative, MPFR_RNDN);
    if (F.isNegative(Got) == Negative && mpfr_cmpabs(Want, Value.V) >= 0)
      return "";
  } else {
    mpfr_set_d(Value.V, toDouble(Got, F), MPFR_RNDN);
  }
  double Error = errorIn(B.In, Value.V, Want, F);
  if (Error <= B.Most)
    return "";
  return "error " + std::to_string(std::log2(Error)) + " (log2)";
}

static void setArgument(Number &N, uint64_t Bits, const FloatFormat &F) {
  mpfr_set_d(N.V, toDouble(Bits, F), MPFR_RNDN);
}

static std::string judgeUnary(const Approximation &A, uint64_t Source,
                              uint64_t Got) {
  if (A.Ftz)
    Source = A.F->flush(Source);
  Number X, Want;
  setArgument(X, Source, *A.F);
  A.Function(Want.V, X.V, MPFR_RNDN);
  double At = toDouble(Source, *A.F);
  std::string Fault = judge(Got, Want.V, *A.F, A.Ftz, A.BoundAt(At));
  return Fault.empty() ? judge(Got, Want.V, *A.F, A.Ftz, A.FunctionBoundAt(At))
                       : Fault;
}

static void addUnary(FormList &List, const std::string &Name,
                     const Approximation &A, unsigned Lanes = 1) {
  unsigned Bits = A.F->bits();
  List.addJudged(Name, {packedFloats(*A.F, Lanes)}, {bits(Bits * Lanes)},
                 [=](Words S, const uint64_t *D) {
                   std::string Fault;
                   for (unsigned At = 0; At != Bits * Lanes; At += Bits)
                     if (Fault.empty())
                       Fault = judgeUnary(A, lowBits(S[0] >> At, Bits),
                                          lowBits(D[0] >> At, Bits));
                   return Fault;
                 });
}

//===----------------------------------------------------------------------===//
// The functions, with the bounds of the manual and of CUDA's functions
//===----------------------------------------------------------------------===//

static int reciprocal(mpfr_ptr D, mpfr_srcptr X, mpfr_rnd_t R) {
  return mpfr_ui_div(D, 1, X, R);
}

/// MPFR takes -0 for +0 here; PTX gives -Inf.
static int reciprocalRoot(mpfr_ptr D, mpfr_srcptr X, mpfr_rnd_t R) {
  if (mpfr_zero_p(X)) {
    mpfr_set_inf(D, mpfr_signbit(X) ? -1 : 1);
    return 0;
  }
  return mpfr_rec_sqrt(D, X, R);
}

constexpr double Pi = 3.14159265358979323846;

static Bound angleBound(double X) {
  if (std::fabs(X) <= 2 * Pi)
    return {Measure::Absolute, std::exp2(-20.5)};
  if (std::fabs(X) <= 100 * Pi)
    return {Measure::Absolute, std::exp2(-14.7)};
  return Unbounded;
}

/// CUDA's __sinf and __cosf.
static Bound sineBound(double X) {
  return std::fabs(X) <= Pi ? Bound{Measure::Absolute, std::exp2(-21.41)}
                            : Unbounded;
}
static Bound cosineBound(double X) {
  return std::fabs(X) <= Pi ? Bound{Measure::Absolute, std::exp2(-21.19)}
                            : Unbounded;
}

/// Of a number of turns, at least as good as the functions within half a turn,
/// however large the number is.
static Bound turnsBound(double) {
  return {Measure::Absolute, std::exp2(-21.41)};
}

/// MPFR's sine and cosine of turns follow IEEE 754, as do sinPi and cosPi.
static int sineOfTurns(mpfr_ptr D, mpfr_srcptr X, mpfr_rnd_t R) {
  return mpfr_sinu(D, X, 1, R);
}
static int cosineOfTurns(mpfr_ptr D, mpfr_srcptr X, mpfr_rnd_t R) {
  return mpfr_cosu(D, X, 1, R);
}

static Bound logarithmBound(double X) {
  return {X > 0.5 && X < 2 ? Measure::Absolute : Measure::Relative,
          std::exp2(-22)};
}

/// CUDA's __log2f.
static Bound functionLogarithmBound(double X) {
  return X >= 0.5 && X <= 2 ? Bound{Measure::Absolute, std::exp2(-22)}
                            : Bound{Measure::Ulp, 2};
}

template <int Most> static Bound ulps(double) { return {Measure::Ulp, Most}; }

static void addSingles(FormList &List) {
  struct Entry {
    const char *Name;
    Exact Function;
    Bound (*BoundAt)(double);
    Bound (*FunctionBoundAt)(double);
  };
  static constexpr Entry Entries[] = {
      {"rcp", reciprocal, ulps<1>, ulps<1>},
      {"sqrt", mpfr_sqrt,
       [](double) { return Bound{Measure::Relative, std::exp2(-23)}; },
       ulps<1>},
      {"rsqrt", reciprocalRoot,
       [](double) { return Bound{Measure::Relative, std::exp2(-22.9)}; },
       ulps<2>},
      {"sin", mpfr_sin, angleBound, sineBound},
      {"cos", mpfr_cos, angleBound, cosineBound},
      {"lg2", mpfr_log2, logarithmBound, functionLogarithmBound},
      {"ex2", mpfr_exp2, ulps<2>, ulps<2>}};
  for (const Entry &E : Entries)
    for (bool Ftz : {false, true})
      addUnary(List,
               std::string(E.Name) + ".approx" + optional(Ftz, ".ftz") + ".f32",
               {E.Function, &F32, Ftz, E.BoundAt, E.FunctionBoundAt});
  addUnary(List, "sin.approx.ftz.2pi.f32",
           {sineOfTurns, &F32, true, turnsBound});
  addUnary(List, "cos.approx.ftz.2pi.f32",
           {cosineOfTurns, &F32, true, turnsBound});
  addUnary(List, "tanh.approx.f32",
           {mpfr_tanh, &F32, false,
            [](double) { return Bound{Measure::Relative, std::exp2(-11)}; }});
}

static void addHalves(FormList &List) {
  for (unsigned Lanes : {1u, 2u}) {
    std::string Pair = optional(Lanes == 2, "x2");
    addUnary(
        List, "tanh.approx.f16" + Pair,
        {mpfr_tanh, &F16, false,
         [](double) { return Bound{Measure::Absolute, std::exp2(-10.987)}; }},
        Lanes);
    addUnary(List, "tanh.approx.bf16" + Pair,
             {mpfr_tanh, &BF16, false,
              [](double) { return Bound{Measure::Absolute, std::exp2(-8)}; }},
             Lanes);
    // A relative bound says nothing of results that no subnormal is near
    // enough to: those are to be rounded well.
    addUnary(List, "ex2.approx.f16" + Pair,
             {mpfr_exp2, &F16, false,
              [](double X) {
                return X >= -14 ? Bound{Measure::Relative, std::exp2(-9.9)}
                                : Bound{Measure::Ulp, 1};
              }},
             Lanes);
    addUnary(List, "ex2.approx.ftz.bf16" + Pair,
             {mpfr_exp2, &BF16, true,
              [](double) { return Bound{Measure::Relative, std::exp2(-7)}; }},
             Lanes);
  }
}

//===----------------------------------------------------------------------===//
// Double precision by upper words
//===----------------------------------------------------------------------===//

/// The bounds are those of 20 bits of fraction cut off on both sides.
static std::string judgeUpper(Exact Function, uint64_t Source, uint64_t Got) {
  constexpr uint64_t UpperNaN = 0x7FFFFFFF00000000;
  if (lowBits(Got, 32) != 0)
    return "the lower word must be zero";
  if (F64.isNaN(Source))
    return Got == UpperNaN ? "" : "must be the NaN 0x7fffffff00000000";
  Source = F64.flush(Source & 0xFFFFFFFF00000000);
  Number X, Want;
  setArgument(X, Source, F64);
  Function(Want.V, X.V, MPFR_RNDN);
  if (mpfr_nan_p(Want.V))
    return F64.isNaN(Got) ? "" : "must be NaN";
  return judge(Got, Want.V, F64, true, {Measure::Relative, std::exp2(-19)});
}

static void addDoubles(FormList &List) {
  auto Add = [&](const char *Name, Exact Function) {
    List.addJudged(Name, {floats(F64)}, {bits(64)},
                   [=](Words S, const uint64_t *D) {
                     return judgeUpper(Function, S[0], D[0]);
                   });
  };
  Add("rcp.approx.ftz.f64", reciprocal);
  Add("rsqrt.approx.ftz.f64", reciprocalRoot);
  // Here the manual bounds nothing, but CUDA's rsqrt is this instruction.
  List.addJudged("rsqrt.approx.f64", {floats(F64)}, {bits(64)},
                 [](Words S, const uint64_t *D) -> std::string {
                   Number X, Want;
                   setArgument(X, S[0], F64);
                   reciprocalRoot(Want.V, X.V, MPFR_RNDN);
                   if (mpfr_nan_p(Want.V))
                     return F64.isNaN(D[0]) ? "" : "must be NaN";
                   return judge(D[0], Want.V, F64, false, {Measure::Ulp, 1});
                 });
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

static std::string judgeDivision(bool Full, bool Ftz, Words S, uint64_t Got) {
  uint64_t A = Ftz ? F32.flush(S[0]) : S[0], B = Ftz ? F32.flush(S[1]) : S[1];
  Number X, Y, Want;
  setArgument(X, A, F32);
  setArgument(Y, B, F32);
  double Size = std::fabs(toDouble(B, F32));
  if (!Full && Size > 0x1p126 && !F32.isInfinity(B)) {
    // Infinity gives NaN, and everything else a zero of the quotient's sign.
    if (F32.isInfinity(A) || F32.isNaN(A))
      return Got == F32.CanonicalNaN ? "" : "must be NaN";
    return Got == ((A ^ B) & F32.signBit()) ? "" : "must be a zero";
  }
  mpfr_div(Want.V, X.V, Y.V, MPFR_RNDN);
  bool Promised = Full || Size >= 0x1p-126;
  return judge(Got, Want.V, F32, Ftz,
               {Promised ? Measure::Ulp : Measure::Anything, 2});
}

static void addDivisions(FormList &List) {
  for (bool Full : {false, true})
    for (bool Ftz : {false, true})
      List.addJudged(std::string(Full ? "div.full" : "div.approx") +
                         optional(Ftz, ".ftz") + ".f32",
                     {floats(F32), floats(F32)}, {bits(32)},
                     [=](Words S, const uint64_t *D) {
                       return judgeDivision(Full, Ftz, S, D[0]);
                     });
}

void forms::addApproxForms(FormList &List) {
  addSingles(List);
  addHalves(List);
  addDoubles(List);
  addDivisions(List);
}
