//===- FloatForms.cpp - Single and double precision -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic that IEEE 754 rounds, minimum and maximum, signs and properties.
// Double precision says nothing of a NaN's payload, so any NaN is right there.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MinMax.h"
#include "Operands.h"

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

/// What a modifier does to sources and results.
struct Treatment {
  const FloatFormat *F;
  bool Ftz, Sat;

  uint64_t in(uint64_t V) const { return Ftz ? F->flush(V) : V; }
  uint64_t out(uint64_t V) const {
    V = Ftz ? F->flush(V) : V;
    return Sat ? floatSaturate(V, *F) : V;
  }
  std::string suffix() const {
    return optional(Ftz, ".ftz") + optional(Sat, ".sat");
  }
};

static const char *typeName(const FloatFormat &F) {
  return F.bits() == 64 ? ".f64" : ".f32";
}
static Result resultOf(const FloatFormat &F) {
  return F.bits() == 64 ? anyNaN(F) : computed(F);
}

static void addSums(FormList &List, const FloatFormat &F, RoundingName R,
                    Treatment T) {
  Source S = floats(F);
  Round Mode = R.Mode;
  std::string Suffix = R.Name + T.suffix() + typeName(F);
  List.add("add" + Suffix, {S, S}, {resultOf(F)}, [=](Words S, uint64_t *D) {
    D[0] = T.out(floatAdd(T.in(S[0]), T.in(S[1]), *T.F, Mode));
  });
  List.add("sub" + Suffix, {S, S}, {resultOf(F)}, [=](Words S, uint64_t *D) {
    uint64_t B = T.in(S[1]) ^ T.F->signBit();
    D[0] = T.out(floatAdd(T.in(S[0]), B, *T.F, Mode));
  });
  List.add("mul" + Suffix, {S, S}, {resultOf(F)}, [=](Words S, uint64_t *D) {
    D[0] = T.out(floatMultiply(T.in(S[0]), T.in(S[1]), *T.F, Mode));
  });
  if (!*R.Name)
    return;
  for (const char *Op : {"fma", "mad"})
    List.add(Op + Suffix, {S, S, S}, {resultOf(F)}, [=](Words S, uint64_t *D) {
      D[0] = T.out(floatFma(T.in(S[0]), T.in(S[1]), T.in(S[2]), *T.F, Mode));
    });
}

static void addQuotients(FormList &List, const FloatFormat &F, RoundingName R,
                         Treatment T) {
  Source S = floats(F);
  Round Mode = R.Mode;
  std::string Suffix = R.Name + T.suffix() + typeName(F);
  List.add("div" + Suffix, {S, S}, {resultOf(F)}, [=](Words S, uint64_t *D) {
    D[0] = T.out(floatDivide(T.in(S[0]), T.in(S[1]), *T.F, Mode));
  });
  List.add("rcp" + Suffix, {S}, {resultOf(F)}, [=](Words S, uint64_t *D) {
    D[0] = T.out(floatDivide(T.F->one(), T.in(S[0]), *T.F, Mode));
  });
  List.add("sqrt" + Suffix, {S}, {resultOf(F)}, [=](Words S, uint64_t *D) {
    D[0] = T.out(floatRoot(T.in(S[0]), *T.F, Mode));
  });
}

//===----------------------------------------------------------------------===//
// Minimum and maximum
//===----------------------------------------------------------------------===//

static void addMinMax(FormList &List, bool Max) {
  std::string Op = Max ? "max" : "min";
  Source S = floats(F32);
  for (bool Ftz : {false, true})
    for (bool NaN : {false, true}) {
      Treatment T{&F32, Ftz, false};
      std::string Head = Op + T.suffix() + optional(NaN, ".NaN");
      // Only .NaN asks for the canonical NaN.
      Result R = NaN ? bits(32) : computed(F32);
      List.add(Head + ".f32", {S, S}, {R}, [=](Words S, uint64_t *D) {
        D[0] = minMax(T.in(S[0]), T.in(S[1]), F32, Max, NaN);
      });
      List.add(Head + ".xorsign.abs.f32", {S, S}, {R},
               [=](Words S, uint64_t *D) {
                 D[0] = minMaxXorSign(T.in(S[0]), T.in(S[1]), F32, Max, NaN);
               });
      for (bool Abs : {false, true})
        List.add(Head + optional(Abs, ".abs") + ".f32", {S, S, S}, {R},
                 [=](Words S, uint64_t *D) {
                   auto In = [&](uint64_t V) {
                     V = T.in(V);
                     return Abs ? F32.magnitude(V) : V;
                   };
                   D[0] = minMax(minMax(In(S[0]), In(S[1]), F32, Max, NaN),
                                 In(S[2]), F32, Max, NaN);
                 })
            .Name += " of 3";
    }
  List.add(Op + ".f64", {floats(F64), floats(F64)}, {anyNaN(F64)},
           [=](Words S, uint64_t *D) {
             D[0] = minMax(S[0], S[1], F64, Max, false);
           });
}

//===----------------------------------------------------------------------===//
// Signs and properties
//===----------------------------------------------------------------------===//

static void addSigns(FormList &List, const FloatFormat &F, Treatment T) {
  Source S = floats(F);
  std::string Suffix = T.suffix() + typeName(F);
  List.add("abs" + Suffix, {S}, {anyNaN(F)},
           [=](Words S, uint64_t *D) { D[0] = T.F->magnitude(T.in(S[0])); });
  List.add("neg" + Suffix, {S}, {anyNaN(F)},
           [=](Words S, uint64_t *D) { D[0] = T.in(S[0]) ^ T.F->signBit(); });
}

static void addProperties(FormList &List, const FloatFormat &F) {
  Source S = floats(F);
  const FloatFormat *Format = &F;
  std::string Type = typeName(F);
  auto Add = [&](const char *Name, auto Holds) {
    List.add(std::string("testp.") + Name + Type, {S}, {predicate()},
             [=](Words S, uint64_t *D) { D[0] = Holds(*Format, S[0]); });
  };
  using Format_ = const FloatFormat &;
  Add("finite",
      [](Format_ F, uint64_t V) { return !F.isNaN(V) && !F.isInfinity(V); });
  Add("infinite", [](Format_ F, uint64_t V) { return F.isInfinity(V); });
  Add("number", [](Format_ F, uint64_t V) { return !F.isNaN(V); });
  Add("notanumber", [](Format_ F, uint64_t V) { return F.isNaN(V); });
  // Zeros count as normal.
  Add("normal", [](Format_ F, uint64_t V) {
    return !F.isNaN(V) && !F.isInfinity(V) && !F.isSubnormal(V);
  });
  Add("subnormal", [](Format_ F, uint64_t V) { return F.isSubnormal(V); });
  // The sign of the first source.
  List.add("copysign" + Type, {S, S}, {bits(F.bits())},
           [=](Words S, uint64_t *D) {
             D[0] = Format->magnitude(S[1]) | (S[0] & Format->signBit());
           });
}

//===----------------------------------------------------------------------===//
// Pairs in 64 bits
//===----------------------------------------------------------------------===//

static void addPairs(FormList &List, RoundingName R, bool Ftz) {
  Treatment T{&F32, Ftz, false};
  Source S = packedFloats(F32, 2);
  Round Mode = R.Mode;
  std::string Suffix = R.Name + T.suffix() + ".f32x2";
  auto Add = [&](const char *Op, unsigned Sources, auto Compute) {
    List.add(Op + Suffix, std::vector<Source>(Sources, S), {computed(F32, 2)},
             [=](Words S, uint64_t *D) {
               D[0] = mapLanes(2, 32, [&](unsigned Shift) {
                 auto In = [&](unsigned N) {
                   return T.in(lowBits(S[N] >> Shift, 32));
                 };
                 return T.out(Compute(In));
               });
             });
  };
  Add("add", 2, [=](auto In) { return floatAdd(In(0), In(1), F32, Mode); });
  Add("sub", 2, [=](auto In) {
    return floatAdd(In(0), In(1) ^ F32.signBit(), F32, Mode);
  });
  Add("mul", 2,
      [=](auto In) { return floatMultiply(In(0), In(1), F32, Mode); });
  if (*R.Name)
    Add("fma", 3,
        [=](auto In) { return floatFma(In(0), In(1), In(2), F32, Mode); });
}

void forms::addFloatForms(FormList &List) {
  for (RoundingName R : DefaultAndFloatRoundings)
    for (bool Ftz : {false, true}) {
      for (bool Sat : {false, true})
        addSums(List, F32, R, {&F32, Ftz, Sat});
      addPairs(List, R, Ftz);
    }
  for (RoundingName R : DefaultAndFloatRoundings)
    addSums(List, F64, R, {&F64, false, false});
  for (RoundingName R : FloatRoundings) {
    for (bool Ftz : {false, true})
      addQuotients(List, F32, R, {&F32, Ftz, false});
    addQuotients(List, F64, R, {&F64, false, false});
  }
  addMinMax(List, false);
  addMinMax(List, true);
  for (bool Ftz : {false, true})
    addSigns(List, F32, {&F32, Ftz, false});
  addSigns(List, F64, {&F64, false, false});
  addProperties(List, F32);
  addProperties(List, F64);
}
