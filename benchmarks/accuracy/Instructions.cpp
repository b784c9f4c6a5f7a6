//===- Instructions.cpp - The approximating instructions of PTX -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds are those that the PTX manual states with each instruction. Where
// it states none, CUDA's function that is the instruction alone has one.
//
//===----------------------------------------------------------------------===//

#include "Functions.h"
#include "Quick.h"

#include <cmath>

using namespace heddle::accuracy;

namespace {

using Part = Piece::Part;

constexpr double Pi = 3.14159265358979323846;

Function make(const std::string &Name, const Format &Of, const Promise &P,
              Exact Want, Quick Nearly, std::vector<Range> Focus) {
  Function F;
  F.Name = Name;
  F.In = Group::Instruction;
  F.Result = Of;
  F.Arguments.assign(Focus.size(), Of);
  F.Instruction = Name + " %y, %x0" + (Focus.size() == 2 ? ", %x1" : "") + ";";
  F.Promised = P;
  F.Want = Want;
  F.Nearly = Nearly;
  F.Focus = std::move(Focus);
  F.Flushes = Name.find(".ftz") != std::string::npos;
  return F;
}

Promise angle() {
  auto Within = [](double Error, double Most) {
    return Piece{Measure::Absolute, Error}.where(Part::Magnitude, 0, Most);
  };
  return Within(std::exp2(-20.5), 2 * Pi) |
         (Within(std::exp2(-14.7), 100 * Pi) | nothing());
}

Promise logarithm() {
  return Piece{Measure::Absolute, std::exp2(-22)}.where(
             Part::Inside, std::nextafterf(0.5f, 1), std::nextafterf(2, 1)) |
         relative(std::exp2(-22));
}

Promise quotient() {
  return Piece{Measure::Real, 2}.where(Part::Magnitude, 0x1p-126, 0x1p126, 1) |
         nothing();
}

} // namespace

static void addSingles(std::vector<Function> &List) {
  struct Entry {
    const char *Name;
    Promise P;
    Exact Want;
    Quick Nearly;
    Range Focus;
  };
  const Entry Entries[] = {
      {"rcp", realUlps(1), exact::reciprocal, quickReciprocal, {-2, 2}},
      {"sqrt",
       relative(std::exp2(-23)),
       unary<mpfr_sqrt>,
       quick<sqrtl>,
       {0, 4}},
      {"rsqrt",
       relative(std::exp2(-22.9)),
       exact::reciprocalRoot,
       quickReciprocalRoot,
       {0, 4}},
      {"sin", angle(), unary<mpfr_sin>, quick<sinl>, {-100 * Pi, 100 * Pi}},
      {"cos", angle(), unary<mpfr_cos>, quick<cosl>, {-100 * Pi, 100 * Pi}},
      {"lg2", logarithm(), unary<mpfr_log2>, quick<log2l>, {0.3, 3}},
      {"ex2", realUlps(2), unary<mpfr_exp2>, quick<exp2l>, {-150, 128}}};
  for (const Entry &E : Entries)
    for (const char *Ftz : {"", ".ftz"})
      List.push_back(make(std::string(E.Name) + ".approx" + Ftz + ".f32", F32,
                          E.P, E.Want, E.Nearly, {E.Focus}));
  // The manual of PTX 9.5 was not at hand: the bound is that of __sinf.
  for (bool IsCosine : {false, true})
    List.push_back(
        make(IsCosine ? "cos.approx.ftz.2pi.f32" : "sin.approx.ftz.2pi.f32",
             F32, absolute(std::exp2(-21.41)),
             IsCosine ? exact::cosineOfTurns : exact::sineOfTurns, nullptr,
             {{-2, 2}}));
  List.push_back(make("tanh.approx.f32", F32, relative(std::exp2(-11)),
                      unary<mpfr_tanh>, quick<tanhl>, {{-10, 10}}));
  for (const char *Ftz : {"", ".ftz"}) {
    for (bool Full : {false, true}) {
      Function F =
          make(std::string(Full ? "div.full" : "div.approx") + Ftz + ".f32",
               F32, Full ? realUlps(2) : quotient(), binary<mpfr_div>,
               quickQuotient, {{-100, 100}, {-100, 100}});
      F.Pairs = Pairing::Related;
      F.ChecksSpecials = Full;
      List.push_back(F);
    }
  }
}

static void addHalves(std::vector<Function> &List) {
  struct Entry {
    const char *Name, *Type;
    Format Of;
    Promise P;
    Exact Want;
  };
  // A relative bound says nothing of results that no subnormal is near enough
  // to: those are to be rounded well.
  Promise Power = Piece{Measure::Relative, std::exp2(-9.9)}.where(Part::Inside,
                                                                  -14, 65504) |
                  realUlps(1);
  const Entry Entries[] = {
      {"tanh.approx", "f16", F16, absolute(std::exp2(-10.987)),
       unary<mpfr_tanh>},
      {"tanh.approx", "bf16", BF16, absolute(std::exp2(-8)), unary<mpfr_tanh>},
      {"ex2.approx", "f16", F16, Power, unary<mpfr_exp2>},
      {"ex2.approx.ftz", "bf16", BF16, relative(std::exp2(-7)),
       unary<mpfr_exp2>}};
  for (const Entry &E : Entries)
    for (unsigned Lanes : {1u, 2u}) {
      std::string Name =
          std::string(E.Name) + "." + E.Type + (Lanes == 2 ? "x2" : "");
      Function F = make(Name, E.Of, E.P, E.Want, nullptr, {{-20, 20}});
      F.Lanes = Lanes;
      if (Lanes == 2)
        F.Instruction = Name + " %q, %p0;";
      List.push_back(F);
    }
}

/// Of an argument's upper word; the result's lower word is zero. The bound is
/// that of 20 bits of fraction, cut off on both sides.
static void addDoubles(std::vector<Function> &List) {
  Promise Cut = relative(std::exp2(-19));
  for (bool IsRoot : {false, true}) {
    Function F = make(
        IsRoot ? "rsqrt.approx.ftz.f64" : "rcp.approx.ftz.f64", F64, Cut,
        IsRoot ? exact::reciprocalRoot : exact::reciprocal, nullptr, {{-4, 4}});
    List.push_back(F);
  }
  List.push_back(make("rsqrt.approx.f64", F64, ulps(1), exact::reciprocalRoot,
                      quickReciprocalRoot, {{0, 4}}));
}

void heddle::accuracy::addInstructions(std::vector<Function> &List) {
  addSingles(List);
  addHalves(List);
  addDoubles(List);
}
