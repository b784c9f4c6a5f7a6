//===- Functions.cpp - The functions of CUDA's tables -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds are those of the CUDA Programming Guide, release 13, appendix 5.5:
// tables 47 to 52 of the standard functions, 55 of the others, 57 and 58 of the
// intrinsic ones and 59 of what --use_fast_math replaces. Section 5.5.6 has the
// operators. A bound of 0 means the correctly rounded result.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Quick.h"

#include <cmath>

using namespace heddle::accuracy;

namespace {

/// The precision in which sums and products of numbers are exact.
constexpr mpfr_prec_t ExactSingle = 640, ExactDouble = 4400;
/// Of correctly rounded functions that no argument brings nearer to a tie.
constexpr mpfr_prec_t Usual = 160;

using Part = Piece::Part;

/// Below 8, and the rest of the range: Bessel functions of the orders 0 and 1.
Promise nearAndFar(double Ulps, double Error) {
  return Piece{Measure::Ulp, Ulps}.where(Part::Magnitude, 0,
                                         std::nextafter(8, 0)) |
         absolute(Error);
}

/// An absolute error in [Low, High], units in the last place elsewhere.
Promise middle(double Error, double Low, double High, const Promise &Rest) {
  return Piece{Measure::Absolute, Error}.where(Part::Inside, Low, High) | Rest;
}

/// Of __fdividef, and of / with --use_fast_math.
Promise fastQuotient() {
  return Piece{Measure::Ulp, 2}.where(Part::Magnitude, 0x1p-126, 0x1p126, 1) |
         nothing();
}

/// Adds functions in single and double precision.
class Table {
public:
  explicit Table(std::vector<Function> &List) : List(List) {}

  /// A function of numbers of one format, by its name in both precisions.
  Function &add(const std::string &Base, bool IsDouble, const Promise &P,
                Exact Want, Quick Nearly, std::vector<Range> Focus) {
    Function F;
    F.Name = Base + (IsDouble ? "" : "f");
    F.In = IsDouble ? Group::Double : Group::Single;
    F.Result = IsDouble ? F64 : F32;
    F.Arguments.assign(Focus.size(), F.Result);
    F.Library = "__nv_" + F.Name;
    F.CUDA = call(F.Name, F.Arguments.size());
    F.Promised = P;
    F.Want = Want;
    F.Nearly = Nearly;
    F.Focus = std::move(Focus);
    List.push_back(F);
    return List.back();
  }

  /// f(x, y) for that many arguments.
  static std::string call(const std::string &Name, size_t Arguments) {
    std::string Text = Name + "(";
    for (size_t I = 0; I != Arguments; ++I)
      Text += std::string(I ? ", " : "") + "xyzt"[I];
    return Text + ")";
  }

private:
  std::vector<Function> &List;
};

/// What the two precisions differ in.
struct Sides {
  Promise P;
  Range Focus;
};

} // namespace

static void addUnary(std::vector<Function> &List, const char *Base, Exact Want,
                     Quick Nearly, const Sides &Single, const Sides &Double,
                     unsigned Cost = 1) {
  Table T(List);
  for (bool IsDouble : {false, true}) {
    const Sides &S = IsDouble ? Double : Single;
    T.add(Base, IsDouble, S.P, Want, Nearly, {S.Focus}).Cost = Cost;
  }
}

static void addExponentials(std::vector<Function> &List) {
  addUnary(List, "exp", unary<mpfr_exp>, quick<expl>, {ulps(2), {-104, 89}},
           {ulps(1), {-746, 710}});
  addUnary(List, "exp2", unary<mpfr_exp2>, quick<exp2l>, {ulps(2), {-150, 128}},
           {ulps(1), {-1075, 1024}});
  addUnary(List, "exp10", unary<mpfr_exp10>, nullptr, {ulps(2), {-45.2, 38.6}},
           {ulps(1), {-324, 309}});
  addUnary(List, "expm1", unary<mpfr_expm1>, quick<expm1l>,
           {ulps(1), {-18, 89}}, {ulps(1), {-38, 710}});
  addUnary(List, "log", unary<mpfr_log>, quick<logl>, {ulps(1), {0.3, 3}},
           {ulps(1), {0.3, 3}});
  addUnary(List, "log2", unary<mpfr_log2>, quick<log2l>, {ulps(1), {0.3, 3}},
           {ulps(1), {0.3, 3}});
  addUnary(List, "log10", unary<mpfr_log10>, quick<log10l>, {ulps(2), {0.3, 3}},
           {ulps(1), {0.3, 3}});
  addUnary(List, "log1p", unary<mpfr_log1p>, quick<log1pl>, {ulps(1), {-1, 3}},
           {ulps(1), {-1, 3}});
}

static void addPowers(std::vector<Function> &List) {
  Table T(List);
  T.add("pow", false, ulps(4), binary<mpfr_pow>, quick2<powl>,
        {{0, 4}, {-8, 8}})
      .Pairs = Pairing::Power;
  T.add("pow", true, ulps(2), binary<mpfr_pow>, nullptr, {{0, 4}, {-8, 8}})
      .Pairs = Pairing::Power;
  Range Any = {-4, 4}, Some = {0, 4};
  T.add("sqrt", false, ulps(0), unary<mpfr_sqrt>, nullptr, {Some})
      .PromisedFast = ulps(1);
  T.add("sqrt", true, ulps(0), unary<mpfr_sqrt>, nullptr, {Some});
  addUnary(List, "rsqrt", exact::reciprocalRoot, quickReciprocalRoot,
           {ulps(2), Some}, {ulps(1), Some});
  addUnary(List, "cbrt", unary<mpfr_cbrt>, quick<cbrtl>, {ulps(1), Any},
           {ulps(1), Any});
  addUnary(List, "rcbrt", exact::reciprocalCubeRoot, quickReciprocalCubeRoot,
           {ulps(1), Any}, {ulps(1), Any});
  struct Norm {
    const char *Name;
    Exact Want;
    Quick Nearly;
    unsigned Arguments;
    double Single, Double;
  };
  const Norm Norms[] = {
      {"hypot", exact::norm<2>, quickNorm2, 2, 3, 2},
      {"rhypot", exact::reciprocalNorm<2>, quickReciprocalNorm2, 2, 2, 1},
      {"norm3d", exact::norm<3>, quickNorm3, 3, 3, 2},
      {"rnorm3d", exact::reciprocalNorm<3>, quickReciprocalNorm3, 3, 2, 1},
      {"norm4d", exact::norm<4>, quickNorm4, 4, 3, 2},
      {"rnorm4d", exact::reciprocalNorm<4>, quickReciprocalNorm4, 4, 2, 1}};
  for (const Norm &N : Norms)
    for (bool IsDouble : {false, true})
      T.add(N.Name, IsDouble, ulps(IsDouble ? N.Double : N.Single), N.Want,
            N.Nearly, std::vector<Range>(N.Arguments, Any))
          .Pairs = Pairing::Related;
}

static void addTrigonometry(std::vector<Function> &List) {
  Range Angles = {-100, 100}, Turns = {-4, 4}, Unit = {-1, 1};
  addUnary(List, "sin", unary<mpfr_sin>, quick<sinl>, {ulps(2), Angles},
           {ulps(2), Angles});
  addUnary(List, "cos", unary<mpfr_cos>, quick<cosl>, {ulps(2), Angles},
           {ulps(2), Angles});
  addUnary(List, "tan", unary<mpfr_tan>, quick<tanl>, {ulps(4), Angles},
           {ulps(2), Angles});
  addUnary(List, "sinpi", exact::sineOfPi, quickSineOfPi, {ulps(1), Turns},
           {ulps(2), Turns});
  addUnary(List, "cospi", exact::cosineOfPi, quickCosineOfPi, {ulps(1), Turns},
           {ulps(2), Turns});
  addUnary(List, "asin", unary<mpfr_asin>, quick<asinl>, {ulps(2), Unit},
           {ulps(2), Unit});
  addUnary(List, "acos", unary<mpfr_acos>, quick<acosl>, {ulps(2), Unit},
           {ulps(2), Unit});
  addUnary(List, "atan", unary<mpfr_atan>, quick<atanl>, {ulps(2), {-10, 10}},
           {ulps(2), {-10, 10}});
  Table T(List);
  for (bool IsDouble : {false, true})
    T.add("atan2", IsDouble, ulps(IsDouble ? 2 : 3), binary<mpfr_atan2>,
          quick2<atan2l>, {{-4, 4}, {-4, 4}})
        .Pairs = Pairing::Related;
  // What two results by pointer have in common.
  struct Two {
    const char *Base, *Part;
    Exact Want;
    Quick Nearly;
    int Output;
    double Single, Double;
  };
  const Two Functions[] = {
      {"sincos", "sine", unary<mpfr_sin>, quick<sinl>, 0, 2, 2},
      {"sincos", "cosine", unary<mpfr_cos>, quick<cosl>, 1, 2, 2},
      {"sincospi", "sine", exact::sineOfPi, quickSineOfPi, 0, 1, 2},
      {"sincospi", "cosine", exact::cosineOfPi, quickCosineOfPi, 1, 1, 2}};
  for (const Two &W : Functions)
    for (bool IsDouble : {false, true}) {
      Function &F =
          T.add(W.Base, IsDouble, ulps(IsDouble ? W.Double : W.Single), W.Want,
                W.Nearly, {Angles});
      F.CUDA = F.Name + "(x, &a, &b), " + (W.Output ? "b" : "a");
      F.Name += std::string(", ") + W.Part;
      F.Outputs = {F.Result, F.Result};
      F.Output = W.Output;
      F.ReturnsNothing = true;
    }
}

static void addHyperbolic(std::vector<Function> &List) {
  addUnary(List, "sinh", unary<mpfr_sinh>, quick<sinhl>, {ulps(3), {-90, 90}},
           {ulps(2), {-711, 711}});
  addUnary(List, "cosh", unary<mpfr_cosh>, quick<coshl>, {ulps(2), {-90, 90}},
           {ulps(1), {-711, 711}});
  addUnary(List, "tanh", unary<mpfr_tanh>, quick<tanhl>, {ulps(2), {-10, 10}},
           {ulps(1), {-20, 20}});
  addUnary(List, "asinh", unary<mpfr_asinh>, quick<asinhl>, {ulps(3), {-4, 4}},
           {ulps(3), {-4, 4}});
  addUnary(List, "acosh", unary<mpfr_acosh>, quick<acoshl>, {ulps(4), {1, 8}},
           {ulps(3), {1, 8}});
  addUnary(List, "atanh", unary<mpfr_atanh>, quick<atanhl>, {ulps(3), {-1, 1}},
           {ulps(2), {-1, 1}});
}

static void addErrorAndGamma(std::vector<Function> &List) {
  addUnary(List, "erf", unary<mpfr_erf>, quick<erfl>, {ulps(2), {-4, 4}},
           {ulps(2), {-6, 6}}, 4);
  addUnary(List, "erfc", unary<mpfr_erfc>, quick<erfcl>, {ulps(4), {-4, 10.1}},
           {ulps(5), {-6, 27}}, 4);
  addUnary(List, "erfinv", exact::inverseErf, nullptr, {ulps(2), {-1, 1}},
           {ulps(5), {-1, 1}}, 32);
  addUnary(List, "erfcinv", exact::inverseErfc, nullptr, {ulps(4), {0, 2}},
           {ulps(6), {0, 2}}, 32);
  addUnary(List, "erfcx", exact::scaledErfc, nullptr, {ulps(4), {-9.4, 50}},
           {ulps(4), {-26.7, 50}}, 16);
  addUnary(List, "normcdf", exact::normalDistribution, nullptr,
           {ulps(5), {-14.2, 6}}, {ulps(5), {-38.5, 9}}, 16);
  addUnary(List, "normcdfinv", exact::inverseNormal, nullptr, {ulps(5), {0, 1}},
           {ulps(8), {0, 1}}, 32);
  addUnary(List, "tgamma", unary<mpfr_gamma>, nullptr, {ulps(5), {-43, 35.1}},
           {ulps(10), {-184, 171.7}}, 16);
  // Larger errors are allowed around the zeros between the poles.
  auto Inside = [](double Low, double High) {
    return Piece{}.where(Part::Inside, Low, High);
  };
  addUnary(List, "lgamma", exact::logGamma, nullptr,
           {Inside(-10.001, -2.264) | ulps(6), {-12, 60}},
           {Inside(-23.0001, -2.2637) | ulps(4), {-26, 60}}, 64);
}

static void addBessel(std::vector<Function> &List) {
  Range Waves = {-60, 60};
  Sides Single = {nearAndFar(9, 2.2e-6), Waves};
  Sides Double = {nearAndFar(7, 5e-12), Waves};
  addUnary(List, "j0", unary<mpfr_j0>, nullptr, Single, Double, 32);
  addUnary(List, "j1", exact::bessel1, nullptr, Single, Double, 32);
  Single.Focus = Double.Focus = {0, 60};
  addUnary(List, "y0", unary<mpfr_y0>, nullptr, Single, Double, 32);
  addUnary(List, "y1", unary<mpfr_y1>, nullptr, Single, Double, 32);
  addUnary(List, "cyl_bessel_i0", exact::modifiedBessel0, nullptr,
           {ulps(6), {-91, 91}}, {ulps(6), {-714, 714}}, 64);
  addUnary(List, "cyl_bessel_i1", exact::modifiedBessel1, nullptr,
           {ulps(6), {-91, 91}}, {ulps(6), {-714, 714}}, 64);
  // The guide's bound of jn is for n = 128; that of ynf grows with n.
  Table T(List);
  for (bool IsDouble : {false, true}) {
    double Far = IsDouble ? 5e-12 : 2.2e-6;
    Promise OfY =
        IsDouble ? Piece{}.where(Part::BelowOrder, 0, 1.5) | absolute(Far)
                 : Piece{Measure::Ulp, 2, 2.5}.where(Part::BelowOrder, 0, 1) |
                       absolute(Far);
    Promise OfJ =
        Piece{Measure::Absolute, Far}.where(Part::Inside, 128, 128, 0) |
        nothing();
    for (bool IsY : {false, true}) {
      Function &F = T.add(IsY ? "yn" : "jn", IsDouble, IsY ? OfY : OfJ,
                          IsY ? ofOrder<mpfr_yn> : ofOrder<mpfr_jn>, nullptr,
                          {{0, 128}, {IsY ? 0.0 : -300.0, 300}});
      F.Arguments[0] = S32;
      F.Pairs = Pairing::Order;
      F.Cost = 256;
      // libdevice's recurrence gives NaN or a wrong sign at zeros, on any GPU.
      F.ChecksSpecials = false;
    }
  }
}

/// Functions whose result is exact or correctly rounded.
static void addExact(std::vector<Function> &List) {
  Table T(List);
  Range Some = {-100, 100};
  struct Simple {
    const char *Name;
    Exact Want;
  };
  const Simple Unary[] = {{"logb", exact::exponentAsNumber},
                          {"trunc", integral<mpfr_trunc>},
                          {"round", integral<mpfr_round>},
                          {"rint", integral<mpfr_roundeven>},
                          {"nearbyint", integral<mpfr_roundeven>},
                          {"ceil", integral<mpfr_ceil>},
                          {"floor", integral<mpfr_floor>}};
  const Simple Binary[] = {{"fmod", binary<mpfr_fmod>},
                           {"remainder", binary<mpfr_remainder>},
                           {"fdim", binary<mpfr_dim>}};
  for (bool IsDouble : {false, true}) {
    mpfr_prec_t Precision = IsDouble ? ExactDouble : ExactSingle;
    for (const Simple &S : Unary)
      T.add(S.Name, IsDouble, ulps(0), S.Want, nullptr, {Some});
    for (const Simple &S : Binary) {
      Function &F =
          T.add(S.Name, IsDouble, ulps(0), S.Want, nullptr, {Some, Some});
      F.Pairs = Pairing::Related;
      F.Precision = Precision;
      F.Cost = IsDouble ? 8 : 2;
    }
    Function &Fma = T.add("fma", IsDouble, ulps(0), exact::fma, nullptr,
                          {Some, Some, Some});
    Fma.Pairs = Pairing::Product;
    Fma.Precision = Precision;
    Fma.Cost = IsDouble ? 4 : 1;
  }
}

/// Functions with a result by pointer or with an integer.
static void addParts(std::vector<Function> &List) {
  Table T(List);
  for (bool IsDouble : {false, true}) {
    const Format &Of = IsDouble ? F64 : F32;
    auto Add = [&](const char *Base, Exact Want,
                   std::vector<Range> Focus) -> Function & {
      return T.add(Base, IsDouble, ulps(0), Want, nullptr, std::move(Focus));
    };
    Range Some = {-100, 100};
    for (const char *Name : {"ldexp", "scalbn", "scalbln"}) {
      Function &F = Add(Name, exact::scale, {Some, {-2200, 2200}});
      F.Arguments[1] = S32;
      if (F.Name.starts_with("scalbln"))
        F.Library.clear();
    }
    struct Split {
      const char *Base, *Part;
      Exact Want;
      Format Output, Result;
      int Number;
      size_t Arguments;
    };
    const Split Splits[] = {
        {"frexp", "significand", exact::significand, S32, Of, -1, 1},
        {"frexp", "exponent", exact::exponent, S32, S32, 0, 1},
        {"modf", "fraction", exact::fractionalPart, Of, Of, -1, 1},
        {"modf", "integer", exact::integralPart, Of, Of, 0, 1},
        {"remquo", "remainder", binary<mpfr_remainder>, S32, Of, -1, 2},
        {"remquo", "quotient", exact::quotient, S32, S32, 0, 2}};
    for (const Split &S : Splits) {
      Function &F = Add(S.Base, S.Want, std::vector<Range>(S.Arguments, Some));
      const char *Pointer = S.Output.isInteger() ? "&i" : "&a";
      F.CUDA = F.Name + (S.Arguments == 1 ? "(x, " : "(x, y, ") + Pointer + ")";
      if (S.Number == 0)
        F.CUDA += std::string(", ") + (Pointer + 1);
      F.Name += std::string(", ") + S.Part;
      F.Outputs = {S.Output};
      F.Output = S.Number;
      F.Result = S.Result;
      F.Pairs = Pairing::Related;
      F.LowBitsOnly = F.Name.ends_with("quotient");
      F.Cost = S.Arguments == 2 && IsDouble ? 8 : 1;
    }
    struct Integer {
      const char *Base;
      Exact Want;
      Format Result;
    };
    const Integer Integers[] = {{"lrint", toInteger<mpfr_roundeven>, S64},
                                {"lround", toInteger<mpfr_round>, S64},
                                {"llrint", toInteger<mpfr_roundeven>, S64},
                                {"llround", toInteger<mpfr_round>, S64},
                                {"ilogb", exact::binaryLogarithm, S32}};
    for (const Integer &I : Integers) {
      Function &F = Add(I.Base, I.Want, {Some});
      F.Result = I.Result;
      if (F.Name.starts_with("l") && !F.Name.starts_with("ll"))
        F.Library.clear();
    }
  }
}

//===----------------------------------------------------------------------===//
// Operators and intrinsic functions
//===----------------------------------------------------------------------===//

namespace {
struct Direction {
  const char *Suffix;
  mpfr_rnd_t Rounding;
};
} // namespace

static void addRounded(std::vector<Function> &List) {
  const Direction Directions[] = {{"_rn", MPFR_RNDN},
                                  {"_rz", MPFR_RNDZ},
                                  {"_ru", MPFR_RNDU},
                                  {"_rd", MPFR_RNDD}};
  struct Operation {
    const char *Name; ///< Behind f or d.
    Exact Want;
    unsigned Arguments;
    bool IsSum;
  };
  const Operation Operations[] = {
      {"add", binary<mpfr_add>, 2, true},  {"sub", binary<mpfr_sub>, 2, true},
      {"mul", binary<mpfr_mul>, 2, true},  {"ma", exact::fma, 3, true},
      {"div", binary<mpfr_div>, 2, false}, {"rcp", exact::reciprocal, 1, false},
      {"sqrt", unary<mpfr_sqrt>, 1, false}};
  Table T(List);
  for (bool IsDouble : {false, true})
    for (const Operation &O : Operations)
      for (const Direction &D : Directions) {
        std::string Name = std::string(IsDouble ? "d" : "f") + O.Name;
        if (O.Arguments == 3)
          Name = IsDouble ? "fma" : "fmaf";
        Function &F = T.add("", IsDouble, ulps(0), O.Want, nullptr,
                            std::vector<Range>(O.Arguments, {-100, 100}));
        F.Library = "__nv_" + Name + D.Suffix;
        F.Name = "__" + Name + D.Suffix;
        F.CUDA = Table::call(F.Name, O.Arguments);
        F.Rounding = D.Rounding;
        F.Pairs = Pairing::Product;
        F.Precision = !O.IsSum ? Usual : IsDouble ? ExactDouble : ExactSingle;
        F.Cost = IsDouble ? 4 : 1;
      }
}

/// x / y and 1 / x, as a program writes them.
static void addOperators(std::vector<Function> &List) {
  Table T(List);
  for (bool IsDouble : {false, true})
    for (unsigned Arguments : {2u, 1u}) {
      Function &F = T.add("", IsDouble, ulps(0),
                          Arguments == 2 ? binary<mpfr_div> : exact::reciprocal,
                          nullptr, std::vector<Range>(Arguments, {-100, 100}));
      F.Name = std::string(Arguments == 2 ? "x / y" : "1 / x") +
               (IsDouble ? ", double" : "");
      F.CUDA = Arguments == 2 ? "x / y" : "1 / x";
      F.Library.clear();
      F.Pairs = Pairing::Related;
      if (!IsDouble)
        F.PromisedFast = Arguments == 2 ? fastQuotient() : ulps(1);
    }
}

static void addFast(std::vector<Function> &List) {
  Range Half = {-M_PI, M_PI};
  auto Angle = [&](double Error) {
    return middle(Error, -M_PI, M_PI, nothing());
  };
  struct Intrinsic {
    const char *Name;
    Promise P;
    Exact Want;
    Quick Nearly;
    Range Focus;
  };
  double Sine = std::exp2(-21.41);
  const Intrinsic Intrinsics[] = {
      {"exp", growing(1.173), unary<mpfr_exp>, quick<expl>, {-88, 89}},
      {"exp10", growing(2.97), unary<mpfr_exp10>, nullptr, {-38, 38.6}},
      {"log",
       middle(Sine, 0.5, 2, ulps(3)),
       unary<mpfr_log>,
       quick<logl>,
       {0.3, 3}},
      {"log2",
       middle(std::exp2(-22), 0.5, 2, ulps(2)),
       unary<mpfr_log2>,
       quick<log2l>,
       {0.3, 3}},
      {"log10",
       middle(std::exp2(-24), 0.5, 2, ulps(3)),
       unary<mpfr_log10>,
       quick<log10l>,
       {0.3, 3}},
      {"sin", Angle(Sine), unary<mpfr_sin>, quick<sinl>, Half},
      {"cos", Angle(Sine), unary<mpfr_cos>, quick<cosl>, Half},
      {"tan", nothing(), unary<mpfr_tan>, quick<tanl>, {-1.5, 1.5}},
      {"tanh",
       relative(std::exp2(-11)),
       unary<mpfr_tanh>,
       quick<tanhl>,
       {-10, 10}}};
  Table T(List);
  for (const Intrinsic &I : Intrinsics) {
    Function &F = T.add(I.Name, false, I.P, I.Want, I.Nearly, {I.Focus});
    F.Library = "__nv_fast_" + F.Name;
    F.CUDA = "__" + F.CUDA;
    F.Name = "__" + F.Name;
    F.ChecksSpecials = false;
  }
  for (bool IsCosine : {false, true}) {
    Function &F = T.add("sincos", false, Angle(Sine),
                        IsCosine ? unary<mpfr_cos> : unary<mpfr_sin>,
                        IsCosine ? quick<cosl> : quick<sinl>, {Half});
    F.Library = "__nv_fast_sincosf";
    F.CUDA = std::string("__sincosf(x, &a, &b), ") + (IsCosine ? "b" : "a");
    F.Name = std::string("__sincosf, ") + (IsCosine ? "cosine" : "sine");
    F.Outputs = {F32, F32};
    F.Output = IsCosine;
    F.ReturnsNothing = true;
    F.ChecksSpecials = false;
  }
  Function &Power = T.add("pow", false, nothing(), binary<mpfr_pow>,
                          quick2<powl>, {{0, 4}, {-8, 8}});
  Power.Library = "__nv_fast_powf";
  Power.CUDA = "__powf(x, y)";
  Power.Name = "__powf";
  Power.Pairs = Pairing::Power;
  Power.ChecksSpecials = false;
  Piece Middle =
      Piece{Measure::Ulp, 2}.where(Part::Magnitude, 0x1p-126, 0x1p126, 1);
  Function &Divide =
      T.add("divide", false, Middle | nothing(), binary<mpfr_div>,
            quickQuotient, {{-100, 100}, {-100, 100}});
  Divide.Library = "__nv_fast_fdividef";
  Divide.CUDA = "__fdividef(x, y)";
  Divide.Name = "__fdividef";
  Divide.Pairs = Pairing::Related;
  Divide.ChecksSpecials = false;
  Function &Root = T.add("rsqrt_rn", false, ulps(0), exact::reciprocalRoot,
                         nullptr, {{0, 4}});
  Root.Library = "__nv_frsqrt_rn";
  Root.CUDA = "__frsqrt_rn(x)";
  Root.Name = "__frsqrt_rn";
}

/// What --use_fast_math makes of a function is promised as the intrinsic is.
static void promiseFastMath(std::vector<Function> &List) {
  for (Function &F : List) {
    if (F.In != Group::Single || F.Name.starts_with("__"))
      continue;
    for (const Function &Intrinsic : List)
      if (Intrinsic.Name == "__" + F.Name)
        F.PromisedFast = Intrinsic.Promised;
  }
}

std::vector<Function> heddle::accuracy::functions() {
  std::vector<Function> List;
  addInstructions(List);
  addOperators(List);
  addExponentials(List);
  addPowers(List);
  addTrigonometry(List);
  addHyperbolic(List);
  addErrorAndGamma(List);
  addBessel(List);
  addExact(List);
  addParts(List);
  addRounded(List);
  addFast(List);
  addHalfFunctions(List);
  promiseFastMath(List);
  return List;
}
