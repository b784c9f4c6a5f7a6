//===- QuadForms.cpp - Arithmetic of four FP8 numbers -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, sub, mul and fma of .e4m3x4 and .e5m2x4 with sources of 8, 6 and 4 bits.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"

#include <cmath>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

namespace {

/// A type of quads: the numbers of its codes in double precision.
struct QuadType {
  const char *Name;
  unsigned Field; ///< Bits from one element to the next.
  std::vector<uint64_t> Numbers;

  uint64_t number(uint64_t Word, unsigned Lane) const {
    return Numbers[Word >> (Lane * Field) & (Numbers.size() - 1)];
  }
  Source source() const { return Field == 4 ? integers(16) : bytes(); }
};

struct ResultType {
  const char *Name;
  const FloatFormat *F;
};

constexpr ResultType ResultTypes[] = {{"e4m3x4", &E4M3}, {"e5m2x4", &E5M2}};

} // namespace

static QuadType quadType(const char *Name, unsigned Field,
                         const FloatFormat &F) {
  QuadType T{Name, Field, {}};
  for (uint64_t Code = 0; Code != uint64_t(1) << F.bits(); ++Code)
    T.Numbers.push_back(floatConvert(Code, F, F64, Round::Nearest));
  return T;
}

static const std::vector<QuadType> &quadTypes() {
  static const std::vector<QuadType> Types = [] {
    std::vector<QuadType> All = {
        quadType("e4m3x4", 8, E4M3), quadType("e5m2x4", 8, E5M2),
        quadType("e3m2x4", 8, E3M2), quadType("e2m3x4", 8, E2M3),
        quadType("e2m1x4", 4, E2M1), quadType("e2m1p4x4", 8, E2M1)};
    QuadType Scales{"ue8m0x4", 8, {}};
    for (uint64_t Code = 0; Code != 255; ++Code)
      Scales.Numbers.push_back((Code + 1023 - 127) << 52);
    Scales.Numbers.push_back(F64.CanonicalNaN);
    All.push_back(Scales);
    return All;
  }();
  return Types;
}

/// a * b + c, rounded once. What is too large: MAX_NORM with .satfinite, else
/// infinity, or NaN where the type has no infinity.
static uint64_t compute(uint64_t A, uint64_t B, uint64_t C, ResultType To,
                        bool SatFinite) {
  const FloatFormat &F = *To.F;
  uint64_t V = floatFma(A, B, C, F64, F, Round::Nearest);
  if (F.isNaN(V))
    return V;
  if (SatFinite && F.isInfinity(V))
    return (V & F.signBit()) | F.largest();
  if (SatFinite || F.Kind == Specials::IEEE)
    return V;
  // The format's largest number, 448, stands for all beyond it. Half of the
  // way to the next one, which 464 is, is rounded down to even.
  double Exact = toDouble(floatFma(A, B, C, F64, F64, Round::Nearest), F64);
  return std::fabs(Exact) > 464 ? F.CanonicalNaN : V;
}

/// \p HasProduct and \p HasSum say which of a, b and c there are; the last one
/// has the type of the result.
static void addForm(FormList &List, const char *Op, ResultType To,
                    std::vector<const QuadType *> From, bool HasSum,
                    bool SatFinite) {
  // The rounding is the same where it is not written: half of the forms have
  // it.
  bool Written = List.Forms.size() / 3 % 2;
  std::string Mnemonic = std::string(Op) + optional(Written, ".rn") +
                         optional(SatFinite, ".satfinite") + "." + To.Name;
  std::vector<Source> Sources;
  for (const QuadType *T : From) {
    Mnemonic += std::string(".") + T->Name;
    Sources.push_back(T->source());
  }
  const QuadType *C = nullptr;
  for (const QuadType &T : quadTypes())
    if (HasSum && std::string(T.Name) == To.Name)
      C = &T;
  if (C)
    Sources.push_back(C->source());
  uint64_t Negate = std::string(Op) == "sub" ? F64.signBit() : 0;
  List.add(Mnemonic, Sources, {bits(32)}, [=](Words S, uint64_t *D) {
    D[0] = 0;
    for (unsigned Lane = 0; Lane != 4; ++Lane) {
      uint64_t V[3] = {From[0]->number(S[0], Lane), F64.one(), F64.signBit()};
      if (From.size() == 2)
        V[1] = From[1]->number(S[1], Lane);
      if (C)
        V[2] = C->number(S[From.size()], Lane) ^ Negate;
      D[0] |= compute(V[0], V[1], V[2], To, SatFinite) << (8 * Lane);
    }
  });
}

void forms::addQuadForms(FormList &List) {
  for (ResultType To : ResultTypes)
    for (bool SatFinite : {false, true})
      for (const QuadType &A : quadTypes()) {
        addForm(List, "add", To, {&A}, true, SatFinite);
        addForm(List, "sub", To, {&A}, true, SatFinite);
        for (const QuadType &B : quadTypes()) {
          addForm(List, "mul", To, {&A, &B}, false, SatFinite);
          addForm(List, "fma", To, {&A, &B}, true, SatFinite);
        }
      }
}
