//===- Promise.cpp - Promised errors ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which piece of a promise holds where, and how documents write it.
//
//===----------------------------------------------------------------------===//

#include "Promise.h"

#include <cmath>
#include <cstdio>

using namespace heddle::accuracy;

bool Piece::holdsAt(const double *X) const {
  double V = X[Argument];
  switch (Where) {
  case Part::Everywhere:
    return true;
  case Part::Inside:
    return V >= Low && V <= High;
  case Part::Magnitude:
    return std::fabs(V) >= Low && std::fabs(V) <= High;
  case Part::BelowOrder:
    return std::fabs(X[1]) < High * X[0];
  }
  return true;
}

double Piece::mostAt(const double *X) const {
  if (Slope == 0)
    return Most;
  if (Where == Part::BelowOrder)
    return std::ceil(Most + Slope * X[0]);
  return Most + std::floor(std::fabs(Slope * X[Argument]));
}

Piece Piece::where(Part P, double From, double To, unsigned Of) const {
  Piece Result = *this;
  Result.Where = P;
  Result.Low = From;
  Result.High = To;
  Result.Argument = Of;
  return Result;
}

static std::string number(const char *Format, double A, double B = 0) {
  char Text[64];
  std::snprintf(Text, sizeof(Text), Format, A, B);
  return Text;
}

/// A bound as a power of two, or in decimal where it is none of few digits.
static std::string magnitude(double V) {
  double Log = std::log2(V);
  if (std::fabs(Log * 1000 - std::round(Log * 1000)) < 1e-6)
    return number("2^%.6g", Log);
  return number("%.3g", V);
}

static std::string boundText(const Piece &P) {
  std::string Growth;
  if (P.Slope != 0)
    Growth = P.Where == Piece::Part::BelowOrder
                 ? number(" + %g n", P.Slope)
                 : number(" + floor(%g \\|x\\|)", P.Slope);
  switch (P.In) {
  case Measure::Ulp:
    return number("%g", P.Most) + Growth + " ulp";
  case Measure::Real:
    return number("%g", P.Most) + " ulp of the exact value";
  case Measure::Absolute:
    return magnitude(P.Most) + " absolute";
  case Measure::Relative:
    return magnitude(P.Most) + " relative";
  case Measure::Nothing:
    return "none";
  }
  return "";
}

std::string Piece::text() const {
  const char *Names[] = {"x", "y", "z", "t"};
  std::string Name = Names[Argument];
  std::string Text = boundText(*this);
  switch (Where) {
  case Part::Everywhere:
    return Text;
  case Part::Inside:
    return Text + " for " + Name + number(" in [%.7g, %.7g]", Low, High);
  case Part::Magnitude:
    if (Low == 0)
      return Text + " for \\|" + Name + "\\| <= " + number("%.7g", High);
    return Text + " for \\|" + Name + "\\| in [" + magnitude(Low) + ", " +
           magnitude(High) + "]";
  case Part::BelowOrder:
    return Text + " for \\|x\\| < " + (High == 1 ? "" : number("%g ", High)) +
           "n";
  }
  return Text;
}

Promise heddle::accuracy::ulps(double Most) { return {{Measure::Ulp, Most}}; }
Promise heddle::accuracy::realUlps(double Most) {
  return {{Measure::Real, Most}};
}
Promise heddle::accuracy::absolute(double Most) {
  return {{Measure::Absolute, Most}};
}
Promise heddle::accuracy::relative(double Most) {
  return {{Measure::Relative, Most}};
}
Promise heddle::accuracy::nothing() { return {{}}; }
Promise heddle::accuracy::growing(double Slope) {
  return {{Measure::Ulp, 2, Slope}};
}

Promise heddle::accuracy::operator|(const Piece &First, const Promise &Rest) {
  Promise Result{First};
  Result.insert(Result.end(), Rest.begin(), Rest.end());
  return Result;
}

std::string heddle::accuracy::text(const Promise &P) {
  std::string Text;
  for (const Piece &Part : P)
    Text += (Text.empty() ? "" : "; ") + Part.text();
  return Text;
}
