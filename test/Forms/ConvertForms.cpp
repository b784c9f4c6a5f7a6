//===- ConvertForms.cpp - Conversions ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt between integers and floating-point types of 16 bits and more, and
// cvt.pack. Types of 8 and 16 bits stand in wider registers: what the source
// holds above must not matter, and the result is extended.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

namespace {

/// A floating-point type of at least 16 bits.
struct FloatType {
  const char *Name;
  const FloatFormat *F;

  bool is(const FloatFormat &Other) const { return F == &Other; }
};

constexpr FloatType Half{"f16", &F16}, Brain{"bf16", &BF16},
    Single{"f32", &F32}, Double{"f64", &F64};
constexpr FloatType FloatTypes[] = {Half, Brain, Single, Double};

} // namespace

static unsigned registerBits(IntType T) { return std::max(T.Bits, 32u); }

/// The same beside a float: one of type .bf16 allows no wider register.
static unsigned registerBits(IntType T, FloatType Beside) {
  return Beside.is(BF16) ? T.Bits : registerBits(T);
}

static uint64_t cut(Int128 V) { return static_cast<uint64_t>(V); }

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

static void addIntToInt(FormList &List, IntType To, IntType From) {
  Source S = lowIntegers(registerBits(From), From.Bits);
  Result R = bits(registerBits(To));
  std::string Types = std::string(".") + To.Name + "." + From.Name;
  List.add("cvt" + Types, {S}, {R}, [=](Words S, uint64_t *D) {
    D[0] = cut(To.value(cut(From.value(S[0]))));
  });
  // Only where the source has values that the result lacks.
  if (maxOf(From.Bits, From.Signed) <= maxOf(To.Bits, To.Signed) &&
      minOf(From.Bits, From.Signed) >= minOf(To.Bits, To.Signed))
    return;
  List.add("cvt.sat" + Types, {S}, {R}, [=](Words S, uint64_t *D) {
    D[0] = cut(clampTo(From.value(S[0]), To.Bits, To.Signed));
  });
}

/// NaN gives 0, or where 64 bits take part the top bit of the result.
static Int128 integerOfNaN(IntType To, FloatType From) {
  if (!From.is(F64) && To.Bits != 64)
    return 0;
  return To.value(uint64_t(1) << (To.Bits - 1));
}

static void addFloatToInt(FormList &List, IntType To, FloatType From) {
  const FloatFormat *F = From.F;
  for (RoundingName R : IntegerRoundings)
    for (bool Ftz : {false, true})
      for (bool Sat : {false, true}) {
        if ((Ftz && !From.is(F32)) || (Sat && From.is(BF16)))
          continue;
        Round Mode = R.Mode;
        List.add(std::string("cvt") + R.Name + optional(Ftz, ".ftz") +
                     optional(Sat, ".sat") + "." + To.Name + "." + From.Name,
                 {floats(*F)}, {bits(registerBits(To, From))},
                 [=](Words S, uint64_t *D) {
                   uint64_t V = Ftz ? F->flush(S[0]) : S[0];
                   D[0] = cut(F->isNaN(V) ? integerOfNaN(To, From)
                                          : floatToInteger(V, *F, Mode, To.Bits,
                                                           To.Signed));
                 });
      }
}

static void addIntToFloat(FormList &List, FloatType To, IntType From) {
  const FloatFormat *F = To.F;
  for (RoundingName R : FloatRoundings)
    for (bool Ftz : {false, true})
      for (bool Sat : {false, true}) {
        if ((Ftz && !To.is(F32)) || (Sat && To.is(BF16)))
          continue;
        Round Mode = R.Mode;
        List.add(std::string("cvt") + R.Name + optional(Ftz, ".ftz") +
                     optional(Sat, ".sat") + "." + To.Name + "." + From.Name,
                 {lowIntegers(registerBits(From, To), From.Bits)},
                 {bits(F->bits())}, [=](Words S, uint64_t *D) {
                   uint64_t V = integerToFloat(From.value(S[0]), *F, Mode);
                   D[0] = Sat ? floatSaturate(V, *F) : V;
                 });
      }
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// How a conversion treats single precision, and the result.
struct Treatment {
  bool Ftz, Sat;
  std::string suffix() const {
    return optional(Ftz, ".ftz") + optional(Sat, ".sat");
  }
  uint64_t flush(uint64_t V, FloatType T) const {
    return Ftz && T.is(F32) ? F32.flush(V) : V;
  }
  uint64_t finish(uint64_t V, FloatType T) const {
    V = flush(V, T);
    return Sat ? floatSaturate(V, *T.F) : V;
  }
};

static Result resultOf(FloatType T) {
  return T.is(F64) ? anyNaN(F64) : computed(*T.F);
}

/// To the same type: unchanged, or rounded to an integral value.
static void addSameType(FormList &List, FloatType T, Treatment Mods) {
  std::string Types = std::string(".") + T.Name + "." + T.Name;
  List.add("cvt" + Mods.suffix() + Types, {floats(*T.F)}, {anyNaN(*T.F)},
           [=](Words S, uint64_t *D) {
             D[0] = Mods.finish(Mods.flush(S[0], T), T);
           });
  for (RoundingName R : IntegerRoundings) {
    Round Mode = R.Mode;
    List.add(std::string("cvt") + R.Name + Mods.suffix() + Types,
             {floats(*T.F)}, {anyNaN(*T.F)}, [=](Words S, uint64_t *D) {
               uint64_t V = floatToIntegral(Mods.flush(S[0], T), *T.F, Mode);
               D[0] = Mods.finish(V, T);
             });
  }
}

static void addWidening(FormList &List, FloatType To, FloatType From,
                        Treatment Mods) {
  // What cvt.f32.bf16 makes of a NaN is open.
  Result R = From.is(BF16) && To.is(F32) ? anyNaN(F32) : resultOf(To);
  auto Add = [&](const char *Rounding) {
    List.add(std::string("cvt") + Rounding + Mods.suffix() + "." + To.Name +
                 "." + From.Name,
             {floats(*From.F)}, {R}, [=](Words S, uint64_t *D) {
               uint64_t V = Mods.flush(S[0], From);
               V = floatConvert(V, *From.F, *To.F, Round::Nearest);
               D[0] = Mods.finish(V, To);
             });
  };
  Add("");
  // A .bf16 may have a rounding, which has nothing to do.
  if (From.is(BF16))
    for (RoundingName Rounding : FloatRoundings)
      Add(Rounding.Name);
}

static void addNarrowing(FormList &List, FloatType To, FloatType From,
                         Treatment Mods) {
  auto Add = [&](const char *Rounding, Round Mode) {
    List.add(std::string("cvt") + Rounding + Mods.suffix() + "." + To.Name +
                 "." + From.Name,
             {floats(*From.F)}, {resultOf(To)}, [=](Words S, uint64_t *D) {
               uint64_t V = Mods.flush(S[0], From);
               D[0] = Mods.finish(floatConvert(V, *From.F, *To.F, Mode), To);
             });
  };
  for (RoundingName R : FloatRoundings)
    Add(R.Name, R.Mode);
  // Between the types of 16 bits, .rn may be left out.
  if (To.F->bits() == From.F->bits())
    Add("", Round::Nearest);
}

static void addFloatToFloat(FormList &List, FloatType To, FloatType From) {
  bool Brains = To.is(BF16) || From.is(BF16);
  for (bool Ftz : {false, true})
    for (bool Sat : {false, true}) {
      Treatment Mods{Ftz, Sat};
      if (Sat && Brains)
        continue;
      if (Ftz && !To.is(F32) && !From.is(F32))
        continue;
      if (To.F == From.F)
        addSameType(List, To, Mods);
      else if (To.F->bits() > From.F->bits())
        addWidening(List, To, From, Mods);
      else
        addNarrowing(List, To, From, Mods);
    }
}

/// What .relu and .satfinite make of a converted value.
static uint64_t limit(uint64_t V, const FloatFormat &F, bool Relu,
                      bool SatFinite) {
  if (Relu)
    V = floatRelu(V, F);
  if (SatFinite && F.isInfinity(V))
    V = (V & F.signBit()) | F.largest();
  return V;
}

/// The forms with .relu and .satfinite, alone and in pairs.
static void addLimited(FormList &List, FloatType To) {
  const FloatFormat *F = To.F;
  for (RoundingName R : {FloatRoundings[0], FloatRoundings[1]})
    for (bool Relu : {false, true})
      for (bool SatFinite : {false, true}) {
        Round Mode = R.Mode;
        auto Convert = [=](uint64_t V) {
          return limit(floatConvert(V, F32, *F, Mode), *F, Relu, SatFinite);
        };
        std::string Head = std::string("cvt") + R.Name +
                           optional(Relu, ".relu") +
                           optional(SatFinite, ".satfinite") + "." + To.Name;
        if (Relu || SatFinite)
          List.add(Head + ".f32", {floats(F32)}, {bits(16)},
                   [=](Words S, uint64_t *D) { D[0] = Convert(S[0]); });
        List.add(Head + "x2.f32", {floats(F32), floats(F32)}, {bits(32)},
                 [=](Words S, uint64_t *D) {
                   D[0] = Convert(S[0]) << 16 | Convert(S[1]);
                 });
      }
}

/// tf32 stands in the upper 19 bits; the others are zero here.
static void addToTF32(FormList &List) {
  static constexpr RoundingName Roundings[] = {{".rna", Round::NearestAway},
                                               {".rn", Round::Nearest},
                                               {".rz", Round::Zero}};
  for (RoundingName R : Roundings)
    for (bool Relu : {false, true})
      for (bool SatFinite : {false, true}) {
        if (Relu && R.Mode == Round::NearestAway)
          continue;
        Round Mode = R.Mode;
        List.add(std::string("cvt") + R.Name + optional(Relu, ".relu") +
                     optional(SatFinite, ".satfinite") + ".tf32.f32",
                 {floats(F32)}, {anyNaN(F32)}, [=](Words S, uint64_t *D) {
                   uint64_t V = limit(floatConvert(S[0], F32, TF32, Mode), TF32,
                                      Relu, SatFinite);
                   D[0] = V << 13;
                 });
      }
}

//===----------------------------------------------------------------------===//
// cvt.pack
//===----------------------------------------------------------------------===//

static void addPack(FormList &List) {
  static constexpr IntType Types[] = {U16,
                                      S16,
                                      U8,
                                      S8,
                                      {"u4", 4, false},
                                      {"s4", 4, true},
                                      {"u2", 2, false},
                                      {"s2", 2, true}};
  for (IntType T : Types) {
    std::vector<Source> Sources = {integers(32), integers(32)};
    bool Third = T.Bits != 16;
    if (Third)
      Sources.push_back(integers(32));
    List.add(std::string("cvt.pack.sat.") + T.Name + ".s32" +
                 optional(Third, ".b32"),
             Sources, {bits(32)}, [=](Words S, uint64_t *D) {
               auto Part = [&](uint64_t V) {
                 return lowBits(cut(clampTo(S32.value(V), T.Bits, T.Signed)),
                                T.Bits);
               };
               D[0] = Part(S[0]) << T.Bits | Part(S[1]);
               if (Third)
                 D[0] |= S[2] << (2 * T.Bits);
             });
  }
}

void forms::addConvertForms(FormList &List) {
  for (IntType To : Int8To64)
    for (IntType From : Int8To64)
      addIntToInt(List, To, From);
  for (IntType T : Int8To64)
    for (FloatType F : FloatTypes) {
      addFloatToInt(List, T, F);
      addIntToFloat(List, F, T);
    }
  for (FloatType To : FloatTypes)
    for (FloatType From : FloatTypes)
      addFloatToFloat(List, To, From);
  addLimited(List, Half);
  addLimited(List, Brain);
  addToTF32(List);
  addPack(List);
}
