//===- ScaledForms.cpp - Conversions that PTX 9.4 added ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pairs of FP8, FP6 and FP4 with a scale, rounded towards zero and without
// negative zeros, and pairs of UE5M3.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "NarrowTypes.h"
#include "Operands.h"

#include <cmath>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

static constexpr char Target[] = "sm_107f";

namespace {

/// The sources that a pair is made of: two of .f32, or a pair.
struct WideType {
  const char *Name;
  const FloatFormat *F;
  bool IsPair;

  std::vector<Source> sources() const {
    if (IsPair)
      return {packedFloats(*F, 2)};
    return {floats(*F), floats(*F)};
  }
  uint64_t upper(Words S) const { return IsPair ? S[0] >> 16 : S[0]; }
  uint64_t lower(Words S) const { return IsPair ? S[0] & 0xFFFF : S[1]; }
  uint64_t scale(Words S) const { return IsPair ? S[1] : S[2]; }
};

constexpr WideType WideTypes[] = {
    {".f32", &F32, false}, {".f16x2", &F16, true}, {".bf16x2", &BF16, true}};

/// What a conversion to narrow elements is asked for.
struct Options {
  RoundingName Rounding;
  bool SatFinite, Relu, Positive, Scaled;

  std::string text() const {
    return std::string(Rounding.Name) + optional(SatFinite, ".satfinite") +
           optional(Relu, ".relu") + optional(Positive, ".pzo") +
           optional(Scaled, ".scaled::n1::ue8m0");
  }
};

} // namespace

/// A power of two of a ue8m0, or its reciprocal, in double precision.
static uint64_t powerOf(uint64_t Scale, bool Inverse) {
  if (Scale == 255)
    return F64.CanonicalNaN;
  int Exponent = static_cast<int>(Scale) - 127;
  return static_cast<uint64_t>(1023 + (Inverse ? -Exponent : Exponent)) << 52;
}

/// In double precision and divided by the scale, exactly; a subnormal that is
/// to be divided counts as zero.
static uint64_t scaledDown(uint64_t V, const FloatFormat &From, Options O,
                           uint64_t Scale) {
  uint64_t Wide =
      floatConvert(O.Scaled ? From.flush(V) : V, From, F64, Round::Nearest);
  if (!O.Scaled)
    return Wide;
  return floatMultiply(Wide, powerOf(Scale, true), F64, Round::Nearest);
}

/// A number of double precision as one of \p F, within the limits.
static uint64_t narrow(uint64_t V, const FloatFormat &F, Options O) {
  if (F64.isNaN(V))
    return F.CanonicalNaN;
  uint64_t Bits = floatConvert(V, F64, F, O.Rounding.Mode);
  if (O.SatFinite && F.isInfinity(Bits))
    Bits = (Bits & F.signBit()) | F.largest();
  if (O.Relu && F.isNegative(Bits))
    return 0;
  return O.Positive && F.isZero(Bits) ? 0 : Bits;
}

/// The magnitude as a ue5m3. Half of the way from the largest number, 114688,
/// to the next code, which is NaN, is rounded down to even.
static uint64_t narrowUnsigned(uint64_t V, Options O) {
  if (F64.isNaN(V))
    return UE5M3.CanonicalNaN;
  uint64_t Magnitude = F64.magnitude(V);
  double X = toDouble(Magnitude, F64);
  bool Beyond = std::isinf(X) ||
                (O.Rounding.Mode == Round::Nearest && X > 118784) ||
                (O.Rounding.Mode == Round::Up && X > 114688);
  if (Beyond)
    return O.SatFinite ? UE5M3.largest() : UE5M3.CanonicalNaN;
  return floatConvert(Magnitude, F64, UE5M3, O.Rounding.Mode);
}

template <typename Fn>
static void addToPair(FormList &List, const std::string &Type, unsigned Field,
                      Options O, Fn Narrow) {
  for (WideType From : WideTypes) {
    std::vector<Source> Sources = From.sources();
    if (O.Scaled)
      Sources.push_back(integers(8));
    List.add("cvt" + O.text() + "." + Type + "x2" + From.Name, Sources,
             {bits(2 * Field)},
             [=](Words S, uint64_t *D) {
               uint64_t Scale = O.Scaled ? From.scale(S) : 127;
               auto Element = [&](uint64_t V) {
                 return Narrow(scaledDown(V, *From.F, O, Scale));
               };
               D[0] = Element(From.upper(S)) << Field | Element(From.lower(S));
             })
        .Target = Target;
  }
}

static void addNarrow(FormList &List, NarrowType T) {
  for (RoundingName R : {FloatRoundings[0], FloatRoundings[1]})
    for (bool Relu : {false, true})
      for (bool Positive : {false, true})
        for (bool Scaled : {false, true}) {
          // That is an older form.
          if (R.Mode == Round::Nearest && !Positive && !Scaled)
            continue;
          Options O{R, /*SatFinite=*/true, Relu, Positive, Scaled};
          addToPair(List, T.Name, T.Field, O,
                    [=](uint64_t V) { return narrow(V, *T.F, O); });
        }
}

static void addUnsigned(FormList &List) {
  for (RoundingName R :
       {FloatRoundings[0], FloatRoundings[1], FloatRoundings[3]})
    for (bool SatFinite : {false, true})
      for (bool Scaled : {false, true}) {
        if (Scaled && R.Mode == Round::Up)
          continue;
        Options O{R, SatFinite, /*Relu=*/false, /*Positive=*/false, Scaled};
        addToPair(List, "ue5m3", 8, O,
                  [=](uint64_t V) { return narrowUnsigned(V, O); });
      }
  List.add("cvt.rn.f16x2.ue5m3x2", {integers(16)}, {bits(32)},
           [](Words S, uint64_t *D) {
             D[0] = mapLanes(2, 16, [&](unsigned Shift) {
               return floatConvert(S[0] >> Shift / 2 & 255, UE5M3, F16,
                                   Round::Nearest);
             });
           })
      .Target = Target;
}

//===----------------------------------------------------------------------===//
// To .bf16x2, with a scale for each element
//===----------------------------------------------------------------------===//

static void addToBrains(FormList &List, const char *Type, const FloatFormat &F,
                        unsigned Field, bool Relu, bool SatFinite,
                        bool Scaled) {
  const FloatFormat *From = &F;
  std::vector<Source> Sources = {integers(2 * Field)};
  if (Scaled)
    Sources.push_back(integers(16));
  uint64_t Mask = Field == 4 ? 15 : F.bits() == 6 ? 63 : 255;
  List.add("cvt.rn" + optional(SatFinite, ".satfinite") +
               optional(Relu, ".relu") +
               optional(Scaled, ".scaled::n2::ue8m0") + ".bf16x2." + Type +
               "x2",
           Sources, {bits(32)},
           [=](Words S, uint64_t *D) {
             D[0] = mapLanes(2, 16, [&](unsigned Shift) {
               uint64_t Code = S[0] >> (Shift / 16 * Field) & Mask;
               uint64_t V = floatConvert(Code, *From, F64, Round::Nearest);
               if (Scaled)
                 V = floatMultiply(V, powerOf(S[1] >> Shift / 2 & 255, false),
                                   F64, Round::Nearest);
               return narrow(
                   V, BF16, {FloatRoundings[0], SatFinite, Relu, false, false});
             });
           })
      .Target = Target;
}

//===----------------------------------------------------------------------===//
// S2F6 towards zero
//===----------------------------------------------------------------------===//

static uint64_t toFixed(uint64_t V, const FloatFormat &F, uint64_t Scale,
                        bool Relu) {
  uint64_t Quotient = floatMultiply(floatConvert(V, F, F64, Round::Nearest),
                                    powerOf(Scale, true), F64, Round::Nearest);
  if (F64.isNaN(Quotient))
    return 127;
  double Units = std::trunc(std::ldexp(toDouble(Quotient, F64), 6));
  double Least = Relu ? 0 : -128;
  Units = Units < Least ? Least : Units > 127 ? 127 : Units;
  return static_cast<uint64_t>(static_cast<int64_t>(Units)) & 255;
}

static void addFixed(FormList &List, bool Relu, bool Scaled) {
  for (WideType From : {WideTypes[0], WideTypes[2]}) {
    std::vector<Source> Sources = From.sources();
    if (Scaled)
      Sources.push_back(integers(16));
    List.add("cvt.rz.satfinite" + optional(Relu, ".relu") +
                 optional(Scaled, ".scaled::n2::ue8m0") + ".s2f6x2" + From.Name,
             Sources, {bits(16)},
             [=](Words S, uint64_t *D) {
               uint64_t Scale = Scaled ? From.scale(S) : 0x7F7F;
               D[0] = toFixed(From.upper(S), *From.F, Scale >> 8, Relu) << 8 |
                      toFixed(From.lower(S), *From.F, Scale & 255, Relu);
             })
        .Target = "sm_107a";
  }
}

//===----------------------------------------------------------------------===//
// 16 bits and TF32 without negative zeros
//===----------------------------------------------------------------------===//

static void addPositive(FormList &List, RoundingName R, bool Relu,
                        bool SatFinite) {
  Options O{R, SatFinite, Relu, /*Positive=*/true, /*Scaled=*/false};
  std::string Head = "cvt" + std::string(R.Name) + optional(Relu, ".relu") +
                     optional(SatFinite, ".satfinite") + ".pzo";
  auto Convert = [=](uint64_t V, const FloatFormat &F) {
    return narrow(floatConvert(V, F32, F64, Round::Nearest), F, O);
  };
  auto Add = [&](const std::string &Type, const FloatFormat &Format) {
    const FloatFormat *F = &Format;
    List.add(Head + "." + Type + ".f32", {floats(F32)}, {bits(16)},
             [=](Words S, uint64_t *D) { D[0] = Convert(S[0], *F); })
        .Target = Target;
    List.add(Head + "." + Type + "x2.f32", {floats(F32), floats(F32)},
             {bits(32)},
             [=](Words S, uint64_t *D) {
               D[0] = Convert(S[0], *F) << 16 | Convert(S[1], *F);
             })
        .Target = Target;
  };
  Add("f16", F16);
  Add("bf16", BF16);
  List.add(Head + ".tf32.f32", {floats(F32)}, {bits(32)},
           [=](Words S, uint64_t *D) {
             uint64_t V = Convert(S[0], TF32);
             D[0] = TF32.isNaN(V) ? F32.CanonicalNaN : V << 13;
           })
      .Target = Target;
}

void forms::addScaledForms(FormList &List) {
  for (NarrowType T : NarrowTypes)
    addNarrow(List, T);
  addUnsigned(List);
  for (bool SatFinite : {false, true}) {
    for (bool Scaled : {false, true})
      addToBrains(List, "ue5m3", UE5M3, 8, /*Relu=*/false, SatFinite, Scaled);
    for (NarrowType T : NarrowTypes)
      for (bool Relu : {false, true})
        addToBrains(List, T.Name, *T.F, T.Field, Relu, SatFinite,
                    /*Scaled=*/true);
  }
  for (bool Relu : {false, true})
    for (bool Second : {false, true}) {
      addFixed(List, Relu, /*Scaled=*/Second);
      for (RoundingName R : {FloatRoundings[0], FloatRoundings[1]})
        addPositive(List, R, Relu, /*SatFinite=*/Second);
    }
}
