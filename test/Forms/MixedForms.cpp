//===- MixedForms.cpp - Mixed precision -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Additions and fused multiply-adds of 16-bit sources in single precision.
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

void forms::addMixedForms(FormList &List) {
  for (RoundingName R : DefaultAndFloatRoundings)
    for (bool Sat : {false, true}) {
      addForms(List, F16, ".f16", R, Sat);
      addForms(List, BF16, ".bf16", R, Sat);
    }
}
