//===- NarrowForms.cpp - Conversions to and from 8, 6 and 4 bits *- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// FP8, FP6, FP4 and UE8M0 in pairs and fours, and stochastic rounding.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "NarrowTypes.h"
#include "Operands.h"

#include <algorithm>
#include <cmath>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

/// What .satfinite and .relu make of a rounded value. Formats without NaN have
/// given their largest number for it.
static uint64_t limit(uint64_t V, const FloatFormat &F, bool Relu) {
  if (F.isInfinity(V))
    V = (V & F.signBit()) | F.largest();
  if (F.isNaN(V))
    return F.CanonicalNaN;
  return Relu && F.isNegative(V) ? 0 : V;
}

static uint64_t narrow(uint64_t V, const FloatFormat &From, NarrowType To,
                       bool Relu) {
  if (From.isNaN(V))
    return To.F->CanonicalNaN;
  return limit(floatConvert(V, From, *To.F, Round::Nearest), *To.F, Relu);
}

static void addFromWide(FormList &List, NarrowType T, bool Relu) {
  std::string Head =
      "cvt.rn.satfinite" + optional(Relu, ".relu") + "." + T.Name + "x2";
  Result R = bits(2 * T.Field);
  List.add(Head + ".f32", {floats(F32), floats(F32)}, {R},
           [=](Words S, uint64_t *D) {
             D[0] = narrow(S[0], F32, T, Relu) << T.Field |
                    narrow(S[1], F32, T, Relu);
           });
  auto AddPair = [&](const char *Name, const FloatFormat &F) {
    const FloatFormat *From = &F;
    List.add(Head + Name, {packedFloats(F, 2)}, {R}, [=](Words S, uint64_t *D) {
      D[0] = narrow(S[0] >> 16, *From, T, Relu) << T.Field |
             narrow(S[0] & 0xFFFF, *From, T, Relu);
    });
  };
  AddPair(".f16x2", F16);
  AddPair(".bf16x2", BF16);
}

/// Beyond the bits of a 6-bit element stand zeros in valid sources; what they
/// are otherwise does not count here.
static void addToWide(FormList &List, NarrowType T, bool Relu) {
  List.add("cvt.rn" + optional(Relu, ".relu") + ".f16x2." + T.Name + "x2",
           {integers(2 * T.Field)}, {bits(32)}, [=](Words S, uint64_t *D) {
             D[0] = mapLanes(2, 16, [&](unsigned Shift) {
               uint64_t V =
                   lowBits(S[0] >> (Shift / 16 * T.Field), T.F->bits());
               V = floatConvert(V, *T.F, F16, Round::Nearest);
               return Relu ? floatRelu(V, F16) : V;
             });
           });
}

static void addToBrains(FormList &List, NarrowType T, bool Relu,
                        bool SatFinite) {
  List.add("cvt.rn" + optional(SatFinite, ".satfinite") +
               optional(Relu, ".relu") + ".bf16x2." + T.Name + "x2",
           {integers(2 * T.Field)}, {bits(32)}, [=](Words S, uint64_t *D) {
             D[0] = mapLanes(2, 16, [&](unsigned Shift) {
               uint64_t V =
                   lowBits(S[0] >> (Shift / 16 * T.Field), T.F->bits());
               V = floatConvert(V, *T.F, BF16, Round::Nearest);
               if (Relu)
                 V = floatRelu(V, BF16);
               if (SatFinite && BF16.isInfinity(V))
                 V = (V & BF16.signBit()) | BF16.largest();
               return V;
             });
           });
}

//===----------------------------------------------------------------------===//
// S2F6: fixed point, with a scale
//===----------------------------------------------------------------------===//

/// A power of two that a ue8m0 other than NaN stands for.
static double scaleOf(uint64_t Code) {
  return std::ldexp(1.0, static_cast<int>(Code) - 127);
}

static uint64_t toFixed(uint64_t V, const FloatFormat &F, uint64_t Scale,
                        bool Relu) {
  if (F.isNaN(V) || Scale == 255)
    return 127;
  double X = toDouble(V, F) / scaleOf(Scale) * 64;
  double Rounded = std::nearbyint(std::clamp(X, -1000.0, 1000.0));
  Rounded = std::clamp(Rounded, Relu ? 0.0 : -128.0, 127.0);
  return lowBits(static_cast<uint64_t>(static_cast<int64_t>(Rounded)), 8);
}

static uint64_t fromFixed(uint64_t Code, uint64_t Scale, bool Relu,
                          bool SatFinite) {
  if (Scale == 255)
    return BF16.CanonicalNaN;
  int64_t V = signedValue(Code, 8);
  if (V == 0 || (Relu && V < 0))
    return 0;
  uint64_t Bits = integerToFloat(V, F64, Round::Nearest);
  Bits += (Scale - 127 - 6) << 52; // Exact: far from the ends.
  Bits = floatConvert(Bits, F64, BF16, Round::Nearest);
  if (SatFinite && BF16.isInfinity(Bits))
    Bits = (Bits & BF16.signBit()) | BF16.largest();
  return Bits;
}

static void addFixed(FormList &List, bool Relu, bool Scaled) {
  std::string Scale = optional(Scaled, ".scaled::n2::ue8m0");
  std::string Head =
      "cvt.rn.satfinite" + optional(Relu, ".relu") + Scale + ".s2f6x2";
  auto Sources = [Scaled](std::vector<Source> All) {
    if (Scaled)
      All.push_back(integers(16));
    return All;
  };
  auto ScaleAt = [Scaled](uint64_t Word, unsigned Shift) {
    return Scaled ? Word >> Shift & 255 : 127;
  };
  List.add(Head + ".f32", Sources({floats(F32), floats(F32)}), {bits(16)},
           [=](Words S, uint64_t *D) {
             D[0] = toFixed(S[0], F32, ScaleAt(S[2], 8), Relu) << 8 |
                    toFixed(S[1], F32, ScaleAt(S[2], 0), Relu);
           });
  List.add(Head + ".bf16x2", Sources({packedFloats(BF16, 2)}), {bits(16)},
           [=](Words S, uint64_t *D) {
             D[0] = toFixed(S[0] >> 16, BF16, ScaleAt(S[1], 8), Relu) << 8 |
                    toFixed(S[0] & 0xFFFF, BF16, ScaleAt(S[1], 0), Relu);
           });
  for (bool SatFinite : {false, true})
    List.add("cvt.rn" + optional(SatFinite, ".satfinite") +
                 optional(Relu, ".relu") + Scale + ".bf16x2.s2f6x2",
             Sources({integers(16)}), {bits(32)}, [=](Words S, uint64_t *D) {
               D[0] = mapLanes(2, 16, [&](unsigned Shift) {
                 return fromFixed(S[0] >> Shift / 2, ScaleAt(S[1], Shift / 2),
                                  Relu, SatFinite);
               });
             });
}

//===----------------------------------------------------------------------===//
// UE8M0: the exponent alone
//===----------------------------------------------------------------------===//

/// The magnitude's power of two, rounded down or up; 255 is NaN, and where
/// there is no .satfinite what is too large.
static uint64_t toUE8M0(uint64_t V, const FloatFormat &F, bool Up,
                        bool SatFinite) {
  uint64_t Magnitude = F.magnitude(V);
  if (F.isNaN(V))
    return 255;
  uint64_t Code = Magnitude >> F.FracBits;
  uint64_t Fraction = Magnitude & ((uint64_t(1) << F.FracBits) - 1);
  // Code 0 stands for 2^-127, a subnormal of the source's format.
  uint64_t Least = uint64_t(1) << (F.FracBits - 1);
  if (Up && Fraction && Magnitude > Least && !F.isInfinity(V))
    ++Code;
  return SatFinite && Code == 255 ? 254 : Code;
}

static void addUE8M0(FormList &List) {
  for (bool Up : {false, true})
    for (bool SatFinite : {false, true}) {
      std::string Head = std::string("cvt") + (Up ? ".rp" : ".rz") +
                         optional(SatFinite, ".satfinite") + ".ue8m0x2";
      List.add(Head + ".f32", {floats(F32), floats(F32)}, {bits(16)},
               [=](Words S, uint64_t *D) {
                 D[0] = toUE8M0(S[0], F32, Up, SatFinite) << 8 |
                        toUE8M0(S[1], F32, Up, SatFinite);
               });
      List.add(Head + ".bf16x2", {packedFloats(BF16, 2)}, {bits(16)},
               [=](Words S, uint64_t *D) {
                 D[0] = toUE8M0(S[0] >> 16, BF16, Up, SatFinite) << 8 |
                        toUE8M0(S[0] & 0xFFFF, BF16, Up, SatFinite);
               });
    }
  List.add("cvt.rn.bf16x2.ue8m0x2", {integers(16)}, {bits(32)},
           [](Words S, uint64_t *D) {
             D[0] = mapLanes(2, 16, [&](unsigned Shift) -> uint64_t {
               uint64_t Code = S[0] >> (Shift / 2) & 255;
               if (Code == 255)
                 return BF16.CanonicalNaN;
               return Code ? Code << 7 : 0x40;
             });
           });
}

//===----------------------------------------------------------------------===//
// Stochastic rounding
//===----------------------------------------------------------------------===//

/// Adds a random fraction, of \p Count bits, of a unit in the last place to the
/// magnitude and cuts off; \p V is of single precision.
static uint64_t roundStochastic(uint64_t V, uint64_t Random, unsigned Count,
                                const FloatFormat &To) {
  if (F32.isNaN(V))
    return To.CanonicalNaN;
  uint64_t Sign = F32.isNegative(V) ? To.signBit() : 0;
  if (F32.isInfinity(V))
    return Sign | (To.Kind == Specials::IEEE ? To.infinity() : To.largest());
  uint64_t Magnitude = F32.magnitude(V);
  if (Magnitude == 0)
    return Sign;
  // The value is Significand * 2^Exponent.
  int Exponent = static_cast<int>(Magnitude >> 23);
  UInt128 Significand = Magnitude & 0x7FFFFF;
  if (Exponent)
    Significand |= 0x800000;
  else
    Exponent = 1;
  Exponent -= 127 + 23;
  int Lead = Exponent;
  for (UInt128 Rest = Significand; Rest >>= 1;)
    ++Lead;
  if (Lead > To.bias() + 2)
    return Sign | (To.Kind == Specials::IEEE ? To.infinity() : To.largest());
  // The exponent of a unit in the last place of the result.
  int Unit = std::max(Lead, 1 - To.bias()) - static_cast<int>(To.FracBits);
  UInt128 Code = 0;
  int Shift = Unit - Exponent;
  if (Shift <= 0) {
    Code = Significand << -Shift;
  } else {
    // In units of 2^-Count of the result's unit, exactly: both are taken to
    // the finer grid.
    unsigned Extra = std::min(Shift, 100);
    UInt128 Sum = Significand << Count;
    if (Extra < 100)
      Sum += UInt128(Random) << Extra;
    Code = Sum >> Count >> Extra;
    if (Extra == 100)
      Code = 0;
  }
  uint64_t Biased = static_cast<uint64_t>(Unit + static_cast<int>(To.FracBits) -
                                          (1 - To.bias()));
  uint64_t Bits = (Biased << To.FracBits) + static_cast<uint64_t>(Code);
  if (Bits > To.largest())
    Bits = To.Kind == Specials::IEEE ? To.infinity() : To.largest();
  return Sign | Bits;
}

static void addStochasticPairs(FormList &List) {
  auto Add = [&](const char *Name, const FloatFormat &F, unsigned Count) {
    const FloatFormat *To = &F;
    for (bool Relu : {false, true})
      for (bool SatFinite : {false, true})
        List.add("cvt.rs" + optional(Relu, ".relu") +
                     optional(SatFinite, ".satfinite") + Name,
                 {floats(F32), floats(F32), integers(32)}, {bits(32)},
                 [=](Words S, uint64_t *D) {
                   auto Convert = [&](uint64_t V, uint64_t Random) {
                     V = roundStochastic(V, lowBits(Random, Count), Count, *To);
                     if (Relu)
                       V = floatRelu(V, *To);
                     if (SatFinite && To->isInfinity(V))
                       V = (V & To->signBit()) | To->largest();
                     return V;
                   };
                   D[0] = Convert(S[0], S[2] >> 16) << 16 |
                          Convert(S[1], S[2] & 0xFFFF);
                 });
  };
  Add(".f16x2.f32", F16, 13);
  Add(".bf16x2.f32", BF16, 16);
}

/// Random bits of the elements of a group of four, from the upper one on: two
/// share 16 bits, or each has 8 of its own.
static uint64_t randomOf(uint64_t Random, unsigned Element, NarrowType T) {
  if (T.Field == 8)
    return Element < 2 ? Random >> 16 : Random & 0xFFFF;
  static constexpr unsigned Shifts[] = {24, 8, 16, 0};
  return Random >> Shifts[Element] & 0xFF;
}

static void addStochasticFours(FormList &List, NarrowType T, bool Relu) {
  std::string Mnemonic =
      "cvt.rs" + optional(Relu, ".relu") + ".satfinite." + T.Name + "x4.f32";
  Source S = floats(F32);
  List.addText(Mnemonic, Mnemonic + " $d0, {$s0, $s1, $s2, $s3}, $s4;",
               {S, S, S, S, integers(32)}, {bits(4 * T.Field)},
               [=](Words S, uint64_t *D) {
                 D[0] = 0;
                 for (unsigned N = 0; N != 4; ++N) {
                   uint64_t V = roundStochastic(S[N], randomOf(S[4], N, T),
                                                T.Field == 8 ? 16 : 8, *T.F);
                   D[0] = D[0] << T.Field | limit(V, *T.F, Relu);
                 }
               });
}

void forms::addNarrowForms(FormList &List) {
  for (NarrowType T : NarrowTypes)
    for (bool Relu : {false, true}) {
      addFromWide(List, T, Relu);
      addToWide(List, T, Relu);
      addStochasticFours(List, T, Relu);
      for (bool SatFinite : {false, true})
        addToBrains(List, T, Relu, SatFinite);
    }
  for (bool Relu : {false, true})
    for (bool Scaled : {false, true})
      addFixed(List, Relu, Scaled);
  addUE8M0(List);
  addStochasticPairs(List);
}
