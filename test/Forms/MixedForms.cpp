//===- MixedForms.cpp - Mixed precision -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums, products and fused multiply-adds of 16-bit sources in single precision,
// and of pairs of several types.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

static void addForms(FormList &List, const FloatFormat &Narrow,
                     const char *Type, RoundingName R, bool Sat) {
  const FloatFormat *F = &Narrow;
  Round Mode = R.Mode;
  auto Widen = [F](uint64_t V) {
    return floatConvert(V, *F, F32, Round::Nearest);
  };
  auto Done = [Sat](uint64_t V) { return Sat ? floatSaturate(V, F32) : V; };
  std::string Suffix = R.Name + optional(Sat, ".sat") + ".f32" + Type;
  for (bool Subtract : {false, true})
    List.add((Subtract ? "sub" : "add") + Suffix, {floats(*F), floats(F32)},
             {computed(F32)}, [=](Words S, uint64_t *D) {
               uint64_t C = S[1] ^ (Subtract ? F32.signBit() : 0);
               D[0] = Done(floatAdd(Widen(S[0]), C, F32, Mode));
             });
  if (*R.Name)
    List.add("fma" + Suffix, {floats(*F), floats(*F), floats(F32)},
             {computed(F32)}, [=](Words S, uint64_t *D) {
               D[0] = Done(floatFma(Widen(S[0]), Widen(S[1]), S[2], F32, Mode));
             });
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

static constexpr char PairTarget[] = "sm_107f";

static uint64_t element(uint64_t Word, const FloatFormat &F, unsigned Lane) {
  return lowBits(Word >> (Lane * F.bits()), F.bits());
}

/// \p Compute gives an element from the elements of the sources.
template <typename Fn>
static void addPair(FormList &List, std::string Mnemonic, const FloatFormat &To,
                    std::vector<const FloatFormat *> From, Fn Compute) {
  std::vector<Source> Sources;
  for (const FloatFormat *F : From)
    Sources.push_back(packedFloats(*F, 2));
  const FloatFormat *Result = &To;
  List.add(std::move(Mnemonic), Sources, {computed(To, 2)},
           [=](Words S, uint64_t *D) {
             D[0] = 0;
             for (unsigned Lane : {0, 1}) {
               uint64_t V[3] = {};
               for (unsigned N = 0; N != From.size(); ++N)
                 V[N] = element(S[N], *From[N], Lane);
               D[0] |= Compute(V) << (Lane * Result->bits());
             }
           })
      .Target = PairTarget;
}

/// The first source is of 16 bits, all else single precision.
static void addWidePairs(FormList &List, const FloatFormat &Narrow,
                         const std::string &Type, RoundingName R) {
  const FloatFormat *F = &Narrow;
  auto Widen = [F](uint64_t V) {
    return floatConvert(V, *F, F32, Round::Nearest);
  };
  Round Mode = R.Mode;
  std::string Types = std::string(R.Name) + ".f32x2." + Type + ".f32x2";
  for (bool Subtract : {false, true})
    addPair(List, (Subtract ? "sub" : "add") + Types, F32, {F, &F32},
            [=](Words V) {
              uint64_t C = V[1] ^ (Subtract ? F32.signBit() : 0);
              return floatAdd(Widen(V[0]), C, F32, Mode);
            });
  if (*R.Name)
    addPair(List, "fma" + Types + ".f32x2", F32, {F, &F32, &F32}, [=](Words V) {
      return floatFma(Widen(V[0]), V[1], V[2], F32, Mode);
    });
}

/// Sums and products of single precision, rounded once to 16 bits, towards
/// zero. With .ftz no subnormal goes in or comes out.
static void addNarrowedPairs(FormList &List, const FloatFormat &Narrow,
                             const std::string &Types, bool Ftz) {
  const FloatFormat *To = &Narrow;
  auto Flush = [=](uint64_t V, const FloatFormat &F) {
    return Ftz ? F.flush(V) : V;
  };
  auto Wide = [=](uint64_t V) {
    return floatConvert(Flush(V, F32), F32, F64, Round::Nearest);
  };
  for (const char *Op : {"add", "sub", "mul"})
    addPair(List, Op + Types, Narrow, {&F32, &F32}, [=](Words V) {
      uint64_t A = Wide(V[0]), B = Wide(V[1]);
      uint64_t Result =
          *Op == 'm'
              ? floatFma(A, B, F64.signBit(), F64, *To, Round::Zero)
              : floatFma(A, F64.one(), B ^ (*Op == 's' ? F64.signBit() : 0),
                         F64, *To, Round::Zero);
      return Flush(Result, *To);
    });
}

/// Exact products of both types of 16 bits, rounded once to that of the first.
static void addCrossedPairs(FormList &List) {
  auto Add = [&](const char *Mnemonic, const FloatFormat &First,
                 const FloatFormat &Second) {
    const FloatFormat *A = &First, *B = &Second;
    addPair(List, Mnemonic, First, {A, B}, [=](Words V) {
      return floatFma(floatConvert(V[0], *A, F64, Round::Nearest),
                      floatConvert(V[1], *B, F64, Round::Nearest),
                      F64.signBit(), F64, *A, Round::Nearest);
    });
  };
  Add("mul.bf16x2.bf16x2.f16x2", BF16, F16);
  Add("mul.f16x2.f16x2.bf16x2", F16, BF16);
}

void forms::addMixedForms(FormList &List) {
  for (RoundingName R : DefaultAndFloatRoundings)
    for (bool Sat : {false, true}) {
      addForms(List, F16, ".f16", R, Sat);
      addForms(List, BF16, ".bf16", R, Sat);
    }
  for (RoundingName R : DefaultAndFloatRoundings) {
    addWidePairs(List, F16, "f16x2", R);
    addWidePairs(List, BF16, "bf16x2", R);
  }
  addNarrowedPairs(List, F16, ".rz.ftz.f16x2.f32x2.f32x2", true);
  addNarrowedPairs(List, BF16, ".rz.bf16x2.f32x2.f32x2", false);
  addCrossedPairs(List);
}
