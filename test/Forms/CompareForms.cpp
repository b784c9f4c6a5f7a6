//===- CompareForms.cpp - Comparisons ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// setp and set: every comparison of every type, alone and combined with a
// predicate.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"

#include <string_view>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

namespace {

/// The orders of two values: less, equal, greater, or unordered.
enum Order : uint8_t { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };

/// A comparison and the orders for which it holds.
struct Comparison {
  const char *Name;
  unsigned Holds;
};

constexpr Comparison Equalities[] = {{"eq", Equal}, {"ne", Less | Greater}};
constexpr Comparison Orderings[] = {{"eq", Equal},   {"ne", Less | Greater},
                                    {"lt", Less},    {"le", Less | Equal},
                                    {"gt", Greater}, {"ge", Greater | Equal}};
constexpr Comparison UnsignedNames[] = {{"lo", Less},
                                        {"ls", Less | Equal},
                                        {"hi", Greater},
                                        {"hs", Greater | Equal}};
constexpr Comparison FloatOnly[] = {
    {"equ", Equal | Unordered},      {"neu", Less | Greater | Unordered},
    {"ltu", Less | Unordered},       {"leu", Less | Equal | Unordered},
    {"gtu", Greater | Unordered},    {"geu", Greater | Equal | Unordered},
    {"num", Less | Equal | Greater}, {"nan", Unordered}};

/// A type of the values that are compared.
struct CompareType {
  std::string Name;
  Source Operand;
  std::vector<Comparison> Comparisons;
  /// The order of two values.
  std::function<Order(uint64_t, uint64_t, bool Ftz)> Compare;
  bool HasFtz = false;
  unsigned Lanes = 1;

  unsigned laneBits() const { return Operand.Bits / Lanes; }
  bool holds(const Comparison &C, Words S, bool Ftz, unsigned Lane) const {
    unsigned Shift = Lane * laneBits();
    return C.Holds & Compare(lowBits(S[0] >> Shift, laneBits()),
                             lowBits(S[1] >> Shift, laneBits()), Ftz);
  }
};

/// How a comparison is combined with a predicate.
struct Combination {
  const char *Name; ///< Empty: not at all.
  bool Negated;     ///< The predicate.
  bool apply(bool T, bool C) const {
    C ^= Negated;
    switch (*Name) {
    case 'a':
      return T && C;
    case 'o':
      return T || C;
    case 'x':
      return T != C;
    }
    return T;
  }
  bool given() const { return *Name; }
};

constexpr Combination Combinations[] = {
    {"", false},   {"and", false}, {"or", false}, {"xor", false},
    {"and", true}, {"or", true},   {"xor", true}};

} // namespace

template <typename T> static Order orderOf(T A, T B) {
  return A < B ? Less : A > B ? Greater : Equal;
}

static CompareType integerType(IntType T) {
  CompareType C{T.Name, integers(T.Bits), {}, {}};
  std::vector<Comparison> &All = C.Comparisons;
  if (*T.Name == 'b')
    All.assign(std::begin(Equalities), std::end(Equalities));
  else
    All.assign(std::begin(Orderings), std::end(Orderings));
  if (*T.Name == 'u')
    All.insert(All.end(), std::begin(UnsignedNames), std::end(UnsignedNames));
  C.Compare = [T](uint64_t A, uint64_t B, bool) {
    return orderOf(T.value(A), T.value(B));
  };
  return C;
}

static CompareType floatType(const char *Name, const FloatFormat &F,
                             bool HasFtz, unsigned Lanes = 1) {
  CompareType C{Name, packedFloats(F, Lanes), {}, {}, HasFtz, Lanes};
  C.Comparisons.assign(std::begin(Orderings), std::end(Orderings));
  C.Comparisons.insert(C.Comparisons.end(), std::begin(FloatOnly),
                       std::end(FloatOnly));
  const FloatFormat *Format = &F;
  C.Compare = [Format](uint64_t A, uint64_t B, bool Ftz) {
    if (Ftz) {
      A = Format->flush(A);
      B = Format->flush(B);
    }
    int Order = floatCompare(A, B, *Format);
    return Order == 2 ? Unordered : orderOf(Order, 0);
  };
  return C;
}

static std::vector<CompareType> compareTypes() {
  std::vector<CompareType> Types;
  for (IntType T : Bits16To64)
    Types.push_back(integerType(T));
  for (IntType T : Int16To64)
    Types.push_back(integerType(T));
  Types.push_back(floatType("f32", F32, true));
  Types.push_back(floatType("f64", F64, false));
  Types.push_back(floatType("f16", F16, true));
  Types.push_back(floatType("bf16", BF16, false));
  Types.push_back(floatType("f16x2", F16, true, 2));
  Types.push_back(floatType("bf16x2", BF16, false, 2));
  return Types;
}

/// `.lt.and.ftz`, and what of it tells forms of the same mnemonic apart.
static std::string head(const Comparison &C, Combination B, bool Ftz) {
  std::string Text = std::string(".") + C.Name;
  if (B.given())
    Text += std::string(".") + B.Name;
  return Text + optional(Ftz, ".ftz");
}

static std::vector<Source> sourcesOf(const CompareType &T, Combination B) {
  std::vector<Source> Sources = {T.Operand, T.Operand};
  if (B.given())
    Sources.push_back(predicates());
  return Sources;
}

static std::string operandsOf(Combination B) {
  std::string Text = "$s0, $s1";
  if (B.given())
    Text += B.Negated ? ", !$s2" : ", $s2";
  return Text + ";";
}

/// With two results the second one is of the complement, or of the upper half.
static void addSetp(FormList &List, const CompareType &T, const Comparison &C,
                    Combination B, bool Ftz) {
  std::string Mnemonic = "setp" + head(C, B, Ftz) + "." + T.Name;
  for (bool Two : {false, true}) {
    // Of 16-bit types, pairs have two results and the others one.
    if (T.laneBits() == 16 && T.Operand.Kind == Domain::Float &&
        Two != (T.Lanes == 2))
      continue;
    std::string Note =
        std::string(Two ? " p|q" : " p") + (B.Negated ? ", !c" : "");
    std::vector<Result> Results(Two ? 2 : 1, predicate());
    List.addText(Mnemonic + Note,
                 Mnemonic + (Two ? " $d0|$d1, " : " $d0, ") + operandsOf(B),
                 sourcesOf(T, B), Results, [=](Words S, uint64_t *D) {
                   bool Low = T.holds(C, S, Ftz, 0);
                   bool Other = T.Lanes == 2 ? T.holds(C, S, Ftz, 1) : !Low;
                   bool P = B.given() && S[2];
                   D[0] = B.apply(Low, P);
                   D[1] = B.apply(Other, P);
                 });
  }
}

/// What set writes for true.
struct SetType {
  const char *Name;
  unsigned Bits; ///< Of the result of a comparison that is not packed.
  uint64_t True;
};
static constexpr SetType SetTypes[] = {
    {"u32", 32, 0xFFFFFFFF}, {"s32", 32, 0xFFFFFFFF}, {"u16", 16, 0xFFFF},
    {"s16", 16, 0xFFFF},     {"f32", 32, 0x3F800000}, {"f16", 16, 0x3C00},
    {"bf16", 16, 0x3F80}};

static void addSet(FormList &List, const CompareType &T, const Comparison &C,
                   Combination B, bool Ftz, const SetType &To) {
  std::string Mnemonic = "set" + head(C, B, Ftz) + "." + To.Name + "." + T.Name;
  List.addText(Mnemonic, Mnemonic + " $d0, " + operandsOf(B), sourcesOf(T, B),
               {bits(To.Bits)}, [=](Words S, uint64_t *D) {
                 bool P = B.given() && S[2];
                 D[0] = B.apply(T.holds(C, S, Ftz, 0), P) ? To.True : 0;
               });
}

/// Both halves of a packed type: all ones, or 1.0, in each.
static void addPackedSet(FormList &List, const CompareType &T,
                         const Comparison &C, Combination B, bool Ftz,
                         const std::string &To, uint64_t True) {
  std::string Mnemonic = "set" + head(C, B, Ftz) + "." + To + "." + T.Name;
  List.addText(Mnemonic, Mnemonic + " $d0, " + operandsOf(B), sourcesOf(T, B),
               {bits(32)}, [=](Words S, uint64_t *D) {
                 bool P = B.given() && S[2];
                 D[0] = mapLanes(2, 16, [&](unsigned Shift) {
                   return B.apply(T.holds(C, S, Ftz, Shift / 16), P) ? True : 0;
                 });
               });
}

/// Whether PTX has this pair of types.
static bool hasSet(const CompareType &T, const SetType &To, bool Ftz) {
  std::string_view From = T.Name, Name = To.Name;
  bool Half = From == "f16" || From == "bf16";
  if (Name == "u16" || Name == "s16")
    return Half;
  if (Name == "f32")
    return !Half;
  if (Name == "f16")
    return From != "bf16";
  if (Name == "bf16")
    return !Ftz;
  return true;
}

static void addAll(FormList &List, const CompareType &T, const Comparison &C,
                   Combination B, bool Ftz) {
  addSetp(List, T, C, B, Ftz);
  if (B.Negated)
    return; // That is a matter of the operand, not of the instruction.
  if (T.Lanes == 2) {
    uint64_t One = T.Operand.Format->one();
    addPackedSet(List, T, C, B, Ftz, T.Name, One);
    addPackedSet(List, T, C, B, Ftz, "u32", 0xFFFF);
    addPackedSet(List, T, C, B, Ftz, "s32", 0xFFFF);
    return;
  }
  for (const SetType &To : SetTypes)
    if (hasSet(T, To, Ftz))
      addSet(List, T, C, B, Ftz, To);
}

void forms::addCompareForms(FormList &List) {
  for (const CompareType &T : compareTypes())
    for (const Comparison &C : T.Comparisons)
      for (Combination B : Combinations)
        for (bool Ftz : {false, true})
          if (!Ftz || T.HasFtz)
            addAll(List, T, C, B, Ftz);
}
