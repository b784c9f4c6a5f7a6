//===- HalfForms.cpp - Half precision and bfloat16 --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single and packed forms of the 16-bit types.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "MinMax.h"
#include "Operands.h"

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

namespace {

/// A 16-bit type, alone or in pairs.
struct HalfType {
  const char *Name;
  const FloatFormat *F;
  unsigned Lanes;

  bool hasFtz() const { return F == &F16; }
  Source source() const { return packedFloats(*F, Lanes); }
};

constexpr HalfType HalfTypes[] = {{"f16", &F16, 1},
                                  {"f16x2", &F16, 2},
                                  {"bf16", &BF16, 1},
                                  {"bf16x2", &BF16, 2}};

} // namespace

/// Adds a form that computes each lane: Compute(In, F), where In(N) is the lane
/// of source N.
template <typename Fn>
static void addLanes(FormList &List, const std::string &Head, HalfType T,
                     unsigned Sources, Result R, Fn Compute) {
  List.add(Head + "." + T.Name, std::vector<Source>(Sources, T.source()), {R},
           [=](Words S, uint64_t *D) {
             D[0] = mapLanes(T.Lanes, 16, [&](unsigned Shift) {
               return Compute(
                   [&](unsigned N) { return lowBits(S[N] >> Shift, 16); });
             });
           });
}

/// What happens to a result.
enum class After : uint8_t { Nothing, Sat, Relu };

static uint64_t finish(uint64_t V, const FloatFormat &F, bool Ftz, After Then) {
  V = Ftz ? F.flush(V) : V;
  switch (Then) {
  case After::Nothing:
    return V;
  case After::Sat:
    return floatSaturate(V, F);
  case After::Relu:
    return floatRelu(V, F);
  }
  return V;
}

static void addArithmetic(FormList &List, HalfType T, bool Ftz, After Then) {
  const FloatFormat *F = T.F;
  // Only .relu asks for the canonical NaN.
  Result R = Then == After::Relu ? bits(16 * T.Lanes) : computed(*F, T.Lanes);
  std::string Modifiers = optional(Ftz, ".ftz") +
                          optional(Then == After::Sat, ".sat") +
                          optional(Then == After::Relu, ".relu");
  auto Flush = [=](uint64_t V) { return Ftz ? F->flush(V) : V; };
  auto Done = [=](uint64_t V) { return finish(V, *F, Ftz, Then); };
  addLanes(List, "fma.rn" + Modifiers, T, 3, R, [=](auto In) {
    return Done(
        floatFma(Flush(In(0)), Flush(In(1)), Flush(In(2)), *F, Round::Nearest));
  });
  if (Then == After::Relu)
    return;
  for (const char *Rounding : {"", ".rn"}) {
    std::string Suffix = Rounding + Modifiers;
    addLanes(List, "add" + Suffix, T, 2, R, [=](auto In) {
      return Done(floatAdd(Flush(In(0)), Flush(In(1)), *F, Round::Nearest));
    });
    addLanes(List, "sub" + Suffix, T, 2, R, [=](auto In) {
      return Done(floatAdd(Flush(In(0)), Flush(In(1)) ^ F->signBit(), *F,
                           Round::Nearest));
    });
    addLanes(List, "mul" + Suffix, T, 2, R, [=](auto In) {
      return Done(
          floatMultiply(Flush(In(0)), Flush(In(1)), *F, Round::Nearest));
    });
  }
}

/// fma.oob: +0 where a source is the NaN beyond a tensor's end, all ones here.
static void addOutOfBounds(FormList &List, HalfType T, bool Relu) {
  const FloatFormat *F = T.F;
  Result R = Relu ? bits(16 * T.Lanes) : computed(*F, T.Lanes);
  addLanes(List, "fma.rn.oob" + optional(Relu, ".relu"), T, 3, R,
           [=](auto In) -> uint64_t {
             if (In(0) == 0xFFFF || In(1) == 0xFFFF || In(2) == 0xFFFF)
               return 0;
             uint64_t V = floatFma(In(0), In(1), In(2), *F, Round::Nearest);
             return Relu ? floatRelu(V, *F) : V;
           });
}

static void addMinMax(FormList &List, HalfType T, bool Ftz, bool NaN,
                      bool Max) {
  const FloatFormat *F = T.F;
  Result R = NaN ? bits(16 * T.Lanes) : computed(*F, T.Lanes);
  std::string Head =
      (Max ? "max" : "min") + optional(Ftz, ".ftz") + optional(NaN, ".NaN");
  auto Flush = [=](uint64_t V) { return Ftz ? F->flush(V) : V; };
  addLanes(List, Head, T, 2, R, [=](auto In) {
    return minMax(Flush(In(0)), Flush(In(1)), *F, Max, NaN);
  });
  addLanes(List, Head + ".xorsign.abs", T, 2, R, [=](auto In) {
    return minMaxXorSign(Flush(In(0)), Flush(In(1)), *F, Max, NaN);
  });
}

static void addSigns(FormList &List, HalfType T, bool Ftz) {
  const FloatFormat *F = T.F;
  Result R = anyNaN(*F, T.Lanes);
  auto Flush = [=](uint64_t V) { return Ftz ? F->flush(V) : V; };
  addLanes(List, "abs" + optional(Ftz, ".ftz"), T, 1, R,
           [=](auto In) { return F->magnitude(Flush(In(0))); });
  addLanes(List, "neg" + optional(Ftz, ".ftz"), T, 1, R,
           [=](auto In) { return Flush(In(0)) ^ F->signBit(); });
}

void forms::addHalfForms(FormList &List) {
  for (HalfType T : HalfTypes) {
    for (bool Relu : {false, true})
      addOutOfBounds(List, T, Relu);
    for (bool Ftz : {false, true}) {
      if (Ftz && !T.hasFtz())
        continue;
      addArithmetic(List, T, Ftz, After::Nothing);
      if (T.hasFtz())
        addArithmetic(List, T, Ftz, After::Sat);
      addArithmetic(List, T, Ftz, After::Relu);
      for (bool NaN : {false, true})
        for (bool Max : {false, true})
          addMinMax(List, T, Ftz, NaN, Max);
      addSigns(List, T, Ftz);
    }
  }
}
