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
// bounds, and the functions on MPFR's numbers, are those of heddle-accuracy.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"
#include "benchmarks/accuracy/Functions.h"

#include <cmath>

using namespace heddle;
using namespace heddle::forms;
using accuracy::Function;
using accuracy::Measure;
using accuracy::Number;
using accuracy::Piece;
using accuracy::Promise;

using Words = const uint64_t *;

namespace {

constexpr mpfr_prec_t ExactBits = 120;

struct Bound {
  Measure In;
  double Most;
};

constexpr Bound Unbounded = {Measure::Nothing, 0};

/// An approximation in a format.
struct Approximation {
  Function Manual;    ///< With the manual's promise.
  Promise OfFunction; ///< That of CUDA's function.
  const FloatFormat *F;
};

} // namespace

/// What a promise says at the arguments.
static Bound boundAt(const Promise &P, double X, double Y = 0) {
  const double Arguments[] = {X, Y};
  for (const Piece &Part : P)
    if (Part.holdsAt(Arguments) || &Part == &P.back())
      return {Part.In, Part.mostAt(Arguments)};
  return Unbounded;
}

/// The function at a number.
static void setExact(mpfr_ptr Want, const Function &Of, mpfr_ptr X) {
  accuracy::Point At{{X}, {}, 0, MPFR_RNDN};
  Of.Want(Want, At);
}

/// The size of a unit in the last place at a value, in F.
static double ulpAt(mpfr_srcptr V, const FloatFormat &F) {
  int Lead = mpfr_zero_p(V) ? -100000 : static_cast<int>(mpfr_get_exp(V)) - 1;
  int Least = 1 - F.bias();
  return std::ldexp(1.0, std::max(Lead, Least) - static_cast<int>(F.FracBits));
}

/// |Got - Want| in the units of a bound, rounded up.
static double errorIn(Measure In, mpfr_srcptr Got, mpfr_srcptr Want,
                      const FloatFormat &F) {
  Number E(ExactBits);
  mpfr_sub(E, Got, Want, MPFR_RNDA);
  mpfr_abs(E, E, MPFR_RNDU);
  if (In == Measure::Relative && !mpfr_zero_p(E)) {
    Number Size(ExactBits);
    mpfr_abs(Size, Want, MPFR_RNDD);
    mpfr_div(E, E, Size, MPFR_RNDU);
  }
  double Error = mpfr_get_d(E, MPFR_RNDU);
  bool InUnits = In == Measure::Ulp || In == Measure::Real;
  return InUnits ? Error / ulpAt(Want, F) : Error;
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
  if (B.In == Measure::Nothing)
    return "";
  if (F.isZero(Got) && Ftz && mayFlush(Want, F))
    return F.isNegative(Got) == Negative ? "" : "wrong sign of zero";
  if (Ftz && F.isSubnormal(Got))
    return "must be flushed";
  Number Value(ExactBits);
  if (F.isInfinity(Got)) {
    // What is too large is measured as if the exponent went on.
    mpfr_set_ui_2exp(Value, 1, F.bias() + 1, MPFR_RNDN);
    mpfr_setsign(Value, Value, Negative, MPFR_RNDN);
    if (F.isNegative(Got) == Negative && mpfr_cmpabs(Want, Value) >= 0)
      return "";
  } else {
    mpfr_set_d(Value, toDouble(Got, F), MPFR_RNDN);
  }
  double Error = errorIn(B.In, Value, Want, F);
  if (Error <= B.Most)
    return "";
  return "error " + std::to_string(std::log2(Error)) + " (log2)";
}

static void setArgument(mpfr_ptr N, uint64_t Bits, const FloatFormat &F) {
  mpfr_set_d(N, toDouble(Bits, F), MPFR_RNDN);
}

static std::string judgeUnary(const Approximation &A, uint64_t Source,
                              uint64_t Got) {
  bool Ftz = A.Manual.Flushes;
  if (Ftz)
    Source = A.F->flush(Source);
  Number X(ExactBits), Want(ExactBits);
  setArgument(X, Source, *A.F);
  setExact(Want, A.Manual, X);
  double At = toDouble(Source, *A.F);
  std::string Fault =
      judge(Got, Want, *A.F, Ftz, boundAt(A.Manual.Promised, At));
  return Fault.empty() ? judge(Got, Want, *A.F, Ftz, boundAt(A.OfFunction, At))
                       : Fault;
}

static void addUnary(FormList &List, const Approximation &A) {
  unsigned Bits = A.F->bits(), Lanes = A.Manual.Lanes;
  List.addJudged(A.Manual.Name, {packedFloats(*A.F, Lanes)},
                 {bits(Bits * Lanes)}, [=](Words S, const uint64_t *D) {
                   std::string Fault;
                   for (unsigned At = 0; At != Bits * Lanes; At += Bits)
                     if (Fault.empty())
                       Fault = judgeUnary(A, lowBits(S[0] >> At, Bits),
                                          lowBits(D[0] >> At, Bits));
                   return Fault;
                 });
}

/// What is promised for CUDA's function that is the instruction alone.
static Promise promiseOfFunction(const std::string &Instruction,
                                 const std::vector<Function> &Functions) {
  struct Pair {
    const char *Instruction, *Function;
  };
  const Pair Pairs[] = {{"rcp.approx.", "1 / x"},    {"sqrt.approx.", "sqrtf"},
                        {"rsqrt.approx.", "rsqrtf"}, {"sin.approx.", "__sinf"},
                        {"cos.approx.", "__cosf"},   {"lg2.approx.", "__log2f"},
                        {"ex2.approx.", "exp2f"}};
  // Instructions on turns and on 16 bits are no functions of CUDA's.
  if (!Instruction.ends_with("x.f32") && !Instruction.ends_with("x.ftz.f32"))
    return {};
  for (const Pair &P : Pairs)
    for (const Function &F : Functions)
      if (Instruction.starts_with(P.Instruction) && F.Name == P.Function)
        return F.promised(/*FastMath=*/true);
  return {};
}

//===----------------------------------------------------------------------===//
// Double precision by upper words
//===----------------------------------------------------------------------===//

static std::string judgeUpper(const Function &Of, uint64_t Source,
                              uint64_t Got) {
  constexpr uint64_t UpperNaN = 0x7FFFFFFF00000000;
  if (lowBits(Got, 32) != 0)
    return "the lower word must be zero";
  if (F64.isNaN(Source))
    return Got == UpperNaN ? "" : "must be the NaN 0x7fffffff00000000";
  Source = F64.flush(Source & 0xFFFFFFFF00000000);
  Number X(ExactBits), Want(ExactBits);
  setArgument(X, Source, F64);
  setExact(Want, Of, X);
  if (mpfr_nan_p(Want))
    return F64.isNaN(Got) ? "" : "must be NaN";
  return judge(Got, Want, F64, true, boundAt(Of.Promised, 0));
}

static std::string judgeDouble(const Function &Of, uint64_t Source,
                               uint64_t Got) {
  Number X(ExactBits), Want(ExactBits);
  setArgument(X, Source, F64);
  setExact(Want, Of, X);
  if (mpfr_nan_p(Want))
    return F64.isNaN(Got) ? "" : "must be NaN";
  return judge(Got, Want, F64, false, boundAt(Of.Promised, 0));
}

static void addDouble(FormList &List, const Function &Of) {
  List.addJudged(Of.Name, {floats(F64)}, {bits(64)},
                 [=](Words S, const uint64_t *D) {
                   return Of.Flushes ? judgeUpper(Of, S[0], D[0])
                                     : judgeDouble(Of, S[0], D[0]);
                 });
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

static std::string judgeDivision(const Function &Of, Words S, uint64_t Got) {
  bool Ftz = Of.Flushes, Full = Of.Name.starts_with("div.full");
  uint64_t A = Ftz ? F32.flush(S[0]) : S[0], B = Ftz ? F32.flush(S[1]) : S[1];
  Number X(ExactBits), Y(ExactBits), Want(ExactBits);
  setArgument(X, A, F32);
  setArgument(Y, B, F32);
  double Size = std::fabs(toDouble(B, F32));
  if (!Full && Size > 0x1p126 && !F32.isInfinity(B)) {
    // Infinity gives NaN, and everything else a zero of the quotient's sign.
    if (F32.isInfinity(A) || F32.isNaN(A))
      return Got == F32.CanonicalNaN ? "" : "must be NaN";
    return Got == ((A ^ B) & F32.signBit()) ? "" : "must be a zero";
  }
  mpfr_div(Want, X, Y, MPFR_RNDN);
  return judge(Got, Want, F32, Ftz,
               boundAt(Of.Promised, toDouble(A, F32), toDouble(B, F32)));
}

static void addDivision(FormList &List, const Function &Of) {
  List.addJudged(
      Of.Name, {floats(F32), floats(F32)}, {bits(32)},
      [=](Words S, const uint64_t *D) { return judgeDivision(Of, S, D[0]); });
}

static const FloatFormat *formatOf(const Function &F) {
  if (F.Result.bits() == 32)
    return &F32;
  return F.Result.ExpBits == accuracy::F16.ExpBits ? &F16 : &BF16;
}

void forms::addApproxForms(FormList &List) {
  std::vector<Function> Functions = accuracy::functions();
  for (const Function &F : Functions) {
    if (F.In != accuracy::Group::Instruction)
      continue;
    unsigned Bits = F.Result.bits();
    if (F.Arguments.size() == 2)
      addDivision(List, F);
    else if (Bits == 64)
      addDouble(List, F);
    else
      addUnary(List, {F, promiseOfFunction(F.Name, Functions), formatOf(F)});
  }
}
