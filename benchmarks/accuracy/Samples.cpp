//===- Samples.cpp - Arguments to measure at --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each argument comes from its number by a hash, so that any part of them can
// be made apart from the others.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"

#include <algorithm>
#include <cmath>

using namespace heddle::accuracy;

/// Random numbers that a number starts (SplitMix64).
class SpreadSamples::Random {
public:
  explicit Random(uint64_t Start) : State(Start * 0x9E3779B97F4A7C15) {}
  uint64_t next() {
    uint64_t Z = State += 0x9E3779B97F4A7C15;
    Z = (Z ^ (Z >> 30)) * 0xBF58476D1CE4E5B9;
    Z = (Z ^ (Z >> 27)) * 0x94D049BB133111EB;
    return Z ^ (Z >> 31);
  }
  uint64_t below(uint64_t End) { return next() % End; }
  /// In [0, 1).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double between(double Low, double High) {
    return Low + (High - Low) * unit();
  }

private:
  uint64_t State;
};

/// A number of a format among all of them in their order, zeros being 0.
static int64_t orderOf(uint64_t Bits, const Format &Of) {
  auto Magnitude = static_cast<int64_t>(Of.magnitude(Bits));
  return Of.isNegative(Bits) ? -Magnitude : Magnitude;
}
static uint64_t withOrder(int64_t Order, const Format &Of) {
  return Order < 0 ? static_cast<uint64_t>(-Order) | Of.signBit()
                   : static_cast<uint64_t>(Order);
}
/// The number that is some steps further, at most an infinity.
static uint64_t moved(uint64_t Bits, const Format &Of, int64_t Steps) {
  if (Of.isInteger() || Of.isNaN(Bits))
    return Bits;
  auto Most = static_cast<int64_t>(Of.infinity());
  return withOrder(std::clamp(orderOf(Bits, Of) + Steps, -Most, Most), Of);
}

/// Special values, the more of them the fewer arguments there are.
static std::vector<uint64_t> specialsOf(const Format &Of, size_t Arguments) {
  if (Of.isInteger())
    return {0, 1, static_cast<uint32_t>(-1), 2, 150, 2100};
  uint64_t One = static_cast<uint64_t>(Of.bias()) << Of.FracBits;
  uint64_t Unit = uint64_t(1) << Of.FracBits;
  std::vector<uint64_t> Positive = {0, One, Of.infinity(), One + Unit};
  if (Arguments < 4)
    Positive.insert(Positive.end(), {1, Unit, Of.infinity() - 1});
  if (Arguments < 3)
    Positive.insert(Positive.end(),
                    {Unit - 1, One - 1, One + 1, One - Unit, One + Unit / 2,
                     One + Unit + Unit / 2, One + 2 * Unit,
                     One + Of.FracBits * Unit, One + (Of.FracBits + 1) * Unit});
  std::vector<uint64_t> Values;
  for (uint64_t V : Positive) {
    Values.push_back(V);
    Values.push_back(V | Of.signBit());
  }
  Values.push_back(Of.infinity() | Unit / 2);
  return Values;
}

SpreadSamples::SpreadSamples(const Function &F, size_t Count)
    : F(F), Count(Count),
      All(F.Arguments.size() == 1 && F.Arguments[0].bits() == 16) {
  for (const Format &Of : F.Arguments) {
    Specials.push_back(specialsOf(Of, F.Arguments.size()));
    Combinations *= Specials.back().size();
  }
}

size_t SpreadSamples::size() const {
  return All ? size_t(1) << 16 : Count + Combinations;
}

void SpreadSamples::get(size_t Number, uint64_t *Arguments) const {
  if (All) {
    *Arguments = Number;
    return;
  }
  if (Number < Combinations) {
    for (unsigned A = 0; A != Specials.size(); ++A) {
      Arguments[A] = Specials[A][Number % Specials[A].size()];
      Number /= Specials[A].size();
    }
    return;
  }
  Number -= Combinations;
  Random R(Number);
  // The numbers in turn spread over the whole range in their order.
  double Place =
      (static_cast<double>(Number) + R.unit()) / static_cast<double>(Count);
  Arguments[0] = one(0, R, Place);
  for (unsigned A = 1; A != F.Arguments.size(); ++A)
    Arguments[A] = other(A, R, R.unit(), Arguments);
}

uint64_t SpreadSamples::one(unsigned Argument, Random &R, double Place) const {
  const Format &Of = F.Arguments[Argument];
  if (Of.isInteger())
    return F.Pairs == Pairing::Order
               ? (R.below(2) ? 128 : R.below(33))
               : fromDouble(std::floor(R.between(F.Focus[Argument].Low,
                                                 F.Focus[Argument].High)),
                            Of);
  uint64_t Kind = R.below(16);
  // What is costly has few samples, and little to show out of its range.
  if (Kind < (F.Cost >= 16 ? 3u : 7u))
    return evenly(Argument, R, Place);
  if (Kind < 11)
    return inFocus(Argument, R, /*ByValue=*/true);
  if (Kind < 14)
    return inFocus(Argument, R, /*ByValue=*/false);
  return Kind == 14 ? nearMultiple(Of, R) : nearPower(Of, R);
}

uint64_t SpreadSamples::evenly(unsigned Argument, Random &R,
                               double Place) const {
  const Format &Of = F.Arguments[Argument];
  double Most = static_cast<double>(Of.infinity());
  auto Order = static_cast<int64_t>((2 * Place - 1) * Most);
  // A double has fewer bits than the number of steps.
  if (Of.bits() == 64)
    Order += static_cast<int64_t>(R.below(1 << 12));
  return withOrder(Order, Of);
}

uint64_t SpreadSamples::inFocus(unsigned Argument, Random &R,
                                bool ByValue) const {
  const Format &Of = F.Arguments[Argument];
  Range In = F.Focus[Argument];
  if (ByValue)
    return fromDouble(R.between(In.Low, In.High), Of);
  int64_t Low = orderOf(fromDouble(In.Low, Of), Of);
  int64_t High = orderOf(fromDouble(In.High, Of), Of);
  return withOrder(
      Low + static_cast<int64_t>(R.below(static_cast<uint64_t>(High - Low))),
      Of);
}

/// Near a multiple of pi/2 or of 1/2, as far out as both are told apart.
uint64_t SpreadSamples::nearMultiple(const Format &Of, Random &R) const {
  double Bits = R.between(0, Of.bits() == 64 ? 52 : 40);
  long double Multiple = std::floor(std::exp2(Bits));
  bool OfPi = R.below(2);
  long double Value =
      Multiple * (OfPi ? 1.57079632679489661923132169163975144L : 0.5L);
  double Signed = static_cast<double>(R.below(2) ? Value : -Value);
  uint64_t Near = fromDouble(Signed, Of);
  return moved(Near, Of, static_cast<int64_t>(R.below(9)) - 4);
}

uint64_t SpreadSamples::nearPower(const Format &Of, Random &R) const {
  int Exponent =
      R.below(2) ? 0 : static_cast<int>(R.below(2 * Of.bias())) - Of.bias() + 1;
  double Power = std::ldexp(R.below(2) ? 1.0 : -1.0, Exponent);
  double Most = R.between(0, Of.FracBits - 1);
  auto Steps = static_cast<int64_t>(std::exp2(Most));
  return moved(fromDouble(Power, Of), Of, R.below(2) ? Steps : -Steps);
}

uint64_t SpreadSamples::withExponent(const Format &Of, int Exponent,
                                     Random &R) const {
  Exponent = std::clamp(Exponent, 0, 2 * Of.bias());
  uint64_t Bits = static_cast<uint64_t>(Exponent) << Of.FracBits;
  Bits |= R.next() & ((uint64_t(1) << Of.FracBits) - 1);
  return R.below(2) ? Bits | Of.signBit() : Bits;
}

uint64_t SpreadSamples::other(unsigned Argument, Random &R, double Place,
                              const uint64_t *Before) const {
  const Format &Of = F.Arguments[Argument];
  if (Of.isInteger() || R.below(4) == 0)
    return one(Argument, R, Place);
  auto ExponentOf = [&](unsigned A) {
    return static_cast<int>(Of.magnitude(Before[A]) >> Of.FracBits);
  };
  switch (F.Pairs) {
  case Pairing::Related:
  case Pairing::Product: {
    int Exponent = ExponentOf(0);
    if (F.Pairs == Pairing::Product && Argument == 2)
      Exponent += ExponentOf(1) - Of.bias();
    int Far = R.below(4) ? 3 : static_cast<int>(2 * Of.FracBits) + 8;
    Exponent += static_cast<int>(R.below(2 * Far + 1)) - Far;
    return withExponent(Of, Exponent, R);
  }
  case Pairing::Power: {
    double Log = std::log2(std::fabs(toDouble(Before[0], Of)));
    double Least = Of.leastExponent() - static_cast<int>(Of.FracBits) - 2;
    double Power = R.between(Least, Of.mostExponent() + 2) / Log;
    // A negative number has whole powers only.
    if (Of.isNegative(Before[0]))
      Power = std::round(Power);
    return fromDouble(Power, Of);
  }
  case Pairing::Free:
  case Pairing::Order:
    break;
  }
  return one(Argument, R, Place);
}

void NearSamples::get(size_t Number, uint64_t *Arguments) const {
  const std::vector<uint64_t> &Center = Centers[Number / Each];
  auto Step = static_cast<int64_t>(Number % Each);
  if (F.Arguments.size() == 1) {
    Arguments[0] =
        moved(Center[0], F.Arguments[0], Step - static_cast<int64_t>(Each / 2));
    return;
  }
  // Steps to and fro of all arguments at once, by the digits of the number.
  for (unsigned A = 0; A != F.Arguments.size(); ++A) {
    Arguments[A] = moved(Center[A], F.Arguments[A], Step % 7 - 3);
    Step /= 7;
  }
}
