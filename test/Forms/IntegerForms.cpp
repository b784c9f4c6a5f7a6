//===- IntegerForms.cpp - Integer arithmetic --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values are those of the manual's formulas in 128-bit integers.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"
#include "llvm/ADT/StringRef.h"

using namespace heddle;
using namespace heddle::forms;

static uint64_t cut(Int128 V) { return static_cast<uint64_t>(V); }

/// The product modulo 2^128.
static Int128 multiply(Int128 A, Int128 B) {
  return static_cast<Int128>(static_cast<UInt128>(A) * static_cast<UInt128>(B));
}

/// Adds `Op.type d, a, b` computed on numbers.
template <typename Fn>
static void addBinary(FormList &List, const std::string &Op, IntType T,
                      Fn Compute) {
  List.add(Op + "." + T.Name, {integers(T.Bits), integers(T.Bits)},
           {bits(T.Bits)}, [=](const uint64_t *S, uint64_t *D) {
             D[0] = cut(Compute(T.value(S[0]), T.value(S[1])));
           });
}

/// The same with three sources.
template <typename Fn>
static void addTernary(FormList &List, const std::string &Op, IntType T,
                       Fn Compute) {
  List.add(Op + "." + T.Name,
           {integers(T.Bits), integers(T.Bits), integers(T.Bits)},
           {bits(T.Bits)}, [=](const uint64_t *S, uint64_t *D) {
             D[0] = cut(Compute(T.value(S[0]), T.value(S[1]), T.value(S[2])));
           });
}

static void addSums(FormList &List, IntType T) {
  addBinary(List, "add", T, [](Int128 A, Int128 B) { return A + B; });
  addBinary(List, "sub", T, [](Int128 A, Int128 B) { return A - B; });
  addBinary(List, "min", T, [](Int128 A, Int128 B) { return A < B ? A : B; });
  addBinary(List, "max", T, [](Int128 A, Int128 B) { return A > B ? A : B; });
  addTernary(List, "sad", T, [](Int128 A, Int128 B, Int128 C) {
    return C + (A < B ? B - A : A - B);
  });
}

static void addProducts(FormList &List, IntType T) {
  unsigned Bits = T.Bits;
  addBinary(List, "mul.lo", T,
            [](Int128 A, Int128 B) { return multiply(A, B); });
  addBinary(List, "mul.hi", T,
            [Bits](Int128 A, Int128 B) { return multiply(A, B) >> Bits; });
  addTernary(List, "mad.lo", T, [](Int128 A, Int128 B, Int128 C) {
    return static_cast<Int128>(static_cast<UInt128>(multiply(A, B)) +
                               static_cast<UInt128>(C));
  });
  addTernary(List, "mad.hi", T, [Bits](Int128 A, Int128 B, Int128 C) {
    return (multiply(A, B) >> Bits) + C;
  });
  if (Bits == 64)
    return;
  Source Narrow = integers(Bits), Wide = integers(2 * Bits);
  List.add(std::string("mul.wide.") + T.Name, {Narrow, Narrow},
           {bits(2 * Bits)}, [T](const uint64_t *S, uint64_t *D) {
             D[0] = cut(T.value(S[0]) * T.value(S[1]));
           });
  List.add(std::string("mad.wide.") + T.Name, {Narrow, Narrow, Wide},
           {bits(2 * Bits)}, [T](const uint64_t *S, uint64_t *D) {
             D[0] = cut(T.value(S[0]) * T.value(S[1])) + S[2];
           });
}

/// Quotients and remainders. A division by zero, which PTX leaves open, gives
/// all ones here; the most negative number by -1 wraps.
static void addDivisions(FormList &List, IntType T) {
  addBinary(List, "div", T,
            [](Int128 A, Int128 B) { return B == 0 ? Int128(-1) : A / B; });
  addBinary(List, "rem", T,
            [](Int128 A, Int128 B) { return B == 0 ? Int128(-1) : A % B; });
}

static void addSignChanges(FormList &List, IntType T) {
  auto Add = [&](const char *Op, Int128 (*Compute)(Int128)) {
    List.add(std::string(Op) + "." + T.Name, {integers(T.Bits)}, {bits(T.Bits)},
             [=](const uint64_t *S, uint64_t *D) {
               D[0] = cut(Compute(T.value(S[0])));
             });
  };
  Add("abs", [](Int128 A) { return A < 0 ? -A : A; });
  Add("neg", [](Int128 A) { return -A; });
}

static void addSaturating(FormList &List) {
  auto Clamp = [](Int128 V) { return clampTo(V, 32, true); };
  addBinary(List, "add.sat", S32,
            [=](Int128 A, Int128 B) { return Clamp(A + B); });
  addBinary(List, "sub.sat", S32,
            [=](Int128 A, Int128 B) { return Clamp(A - B); });
  addTernary(List, "mad.hi.sat", S32, [=](Int128 A, Int128 B, Int128 C) {
    return Clamp((A * B >> 32) + C);
  });
  auto Relu = [](Int128 V) { return V < 0 ? Int128(0) : V; };
  addBinary(List, "min.relu", S32,
            [=](Int128 A, Int128 B) { return Relu(A < B ? A : B); });
  addBinary(List, "max.relu", S32,
            [=](Int128 A, Int128 B) { return Relu(A > B ? A : B); });
}

/// Factors of 24 bits; the upper half of the product are its bits 47 to 16.
static void add24Bits(FormList &List, IntType T) {
  bool Signed = T.Signed;
  auto Product = [Signed](Int128 A, Int128 B) {
    return valueOf(cut(A), 24, Signed) * valueOf(cut(B), 24, Signed);
  };
  addBinary(List, "mul24.lo", T, Product);
  addBinary(List, "mul24.hi", T,
            [=](Int128 A, Int128 B) { return Product(A, B) >> 16; });
  addTernary(List, "mad24.lo", T,
             [=](Int128 A, Int128 B, Int128 C) { return Product(A, B) + C; });
  addTernary(List, "mad24.hi", T, [=](Int128 A, Int128 B, Int128 C) {
    return (Product(A, B) >> 16) + C;
  });
  if (Signed)
    addTernary(List, "mad24.hi.sat", T, [=](Int128 A, Int128 B, Int128 C) {
      Int128 High = valueOf(cut(Product(A, B) >> 16), 32, true);
      return clampTo(High + C, 32, true);
    });
}

/// Adds `Op d, a, b` on the lanes of a word.
template <typename Fn>
static void addPacked(FormList &List, const std::string &Mnemonic, IntType Lane,
                      Fn Compute, const char *Target = "sm_100a") {
  unsigned Lanes = 32 / Lane.Bits;
  Source S = Lanes == 2 ? halves() : bytes();
  List.add(Mnemonic, {S, S}, {bits(32)},
           [=](const uint64_t *S, uint64_t *D) {
             D[0] = mapLanes(Lanes, Lane.Bits, [&](unsigned Shift) {
               return Compute(Lane.value(S[0] >> Shift),
                              Lane.value(S[1] >> Shift));
             });
           })
      .Target = Target;
}

static void addPackedPairs(FormList &List) {
  auto Sum = [](Int128 A, Int128 B) { return A + B; };
  auto Min = [](Int128 A, Int128 B) { return A < B ? A : B; };
  auto Max = [](Int128 A, Int128 B) { return A > B ? A : B; };
  auto Relu = [](Int128 V) { return V < 0 ? Int128(0) : V; };
  for (IntType T : {U16, S16}) {
    std::string Suffix = std::string(".") + T.Name + "x2";
    addPacked(List, "add" + Suffix, T, Sum);
    addPacked(List, "min" + Suffix, T, Min);
    addPacked(List, "max" + Suffix, T, Max);
  }
  addPacked(List, "min.relu.s16x2", S16,
            [=](Int128 A, Int128 B) { return Relu(Min(A, B)); });
  addPacked(List, "max.relu.s16x2", S16,
            [=](Int128 A, Int128 B) { return Relu(Max(A, B)); });
}

/// Saturating sums and bytes, which came later and to few targets.
static void addLatePacked(FormList &List) {
  static constexpr char Target[] = "sm_120f";
  auto Sum = [](Int128 A, Int128 B) { return A + B; };
  auto Difference = [](Int128 A, Int128 B) { return A - B; };
  auto Min = [](Int128 A, Int128 B) { return A < B ? A : B; };
  auto Max = [](Int128 A, Int128 B) { return A > B ? A : B; };
  auto Relu = [](Int128 V) { return V < 0 ? Int128(0) : V; };
  addBinary(List, "add.sat", U32,
            [](Int128 A, Int128 B) { return clampTo(A + B, 32, false); });
  List.Forms.back().Target = Target;
  for (IntType T : {U16, S16, U8, S8}) {
    std::string Suffix =
        std::string(".") + T.Name + (T.Bits == 16 ? "x2" : "x4");
    auto Clamp = [T](Int128 V) { return clampTo(V, T.Bits, T.Signed); };
    addPacked(
        List, "add.sat" + Suffix, T,
        [=](Int128 A, Int128 B) { return Clamp(A + B); }, Target);
    if (T.Bits == 16)
      continue;
    addPacked(List, "add" + Suffix, T, Sum, Target);
    addPacked(List, "sub" + Suffix, T, Difference, Target);
    addPacked(
        List, "sub.sat" + Suffix, T,
        [=](Int128 A, Int128 B) { return Clamp(A - B); }, Target);
    addPacked(List, "min" + Suffix, T, Min, Target);
    addPacked(List, "max" + Suffix, T, Max, Target);
  }
  addPacked(
      List, "min.relu.s8x4", S8,
      [=](Int128 A, Int128 B) { return Relu(Min(A, B)); }, Target);
  addPacked(
      List, "max.relu.s8x4", S8,
      [=](Int128 A, Int128 B) { return Relu(Max(A, B)); }, Target);
  List.add("neg.s8x4", {bytes()}, {bits(32)},
           [](const uint64_t *S, uint64_t *D) {
             D[0] = mapLanes(4, 8, [&](unsigned Shift) {
               return -S8.value(S[0] >> Shift);
             });
           })
      .Target = Target;
}

/// set, whose elements are all ones where the comparison holds.
static void addPackedComparisons(FormList &List) {
  using Compare = bool (*)(Int128 A, Int128 B);
  static constexpr std::pair<const char *, Compare> Comparisons[] = {
      {"eq", [](Int128 A, Int128 B) { return A == B; }},
      {"ne", [](Int128 A, Int128 B) { return A != B; }},
      {"lt", [](Int128 A, Int128 B) { return A < B; }},
      {"le", [](Int128 A, Int128 B) { return A <= B; }},
      {"gt", [](Int128 A, Int128 B) { return A > B; }},
      {"ge", [](Int128 A, Int128 B) { return A >= B; }},
      {"lo", [](Int128 A, Int128 B) { return A < B; }},
      {"ls", [](Int128 A, Int128 B) { return A <= B; }},
      {"hi", [](Int128 A, Int128 B) { return A > B; }},
      {"hs", [](Int128 A, Int128 B) { return A >= B; }}};
  for (IntType T : {U16, S16, U8, S8})
    for (auto [Name, Holds] : Comparisons) {
      bool IsUnsigned = llvm::StringRef("lo ls hi hs").contains(Name);
      if (IsUnsigned && T.Signed)
        continue;
      addPacked(
          List,
          std::string("set.") + Name + "." + T.Name +
              (T.Bits == 16 ? "x2" : "x4"),
          T,
          [Holds = Holds](Int128 A, Int128 B) { return -Int128(Holds(A, B)); },
          "sm_107f");
    }
}

/// Multiplication without carries.
static void addCarryless(FormList &List) {
  for (bool High : {false, true})
    List.add(High ? "clmad.hi.u64" : "clmad.lo.u64",
             {integers(64), integers(64), integers(64)}, {bits(64)},
             [High](const uint64_t *S, uint64_t *D) {
               UInt128 Product = 0;
               for (unsigned I = 0; I != 64; ++I)
                 if (S[0] >> I & 1)
                   Product ^= UInt128(S[1]) << I;
               D[0] =
                   static_cast<uint64_t>(High ? Product >> 64 : Product) ^ S[2];
             });
}

void forms::addIntegerForms(FormList &List) {
  for (IntType T : Int16To64) {
    addSums(List, T);
    addProducts(List, T);
    addDivisions(List, T);
    if (T.Signed)
      addSignChanges(List, T);
  }
  addSaturating(List);
  for (IntType T : {U32, S32})
    add24Bits(List, T);
  addPackedPairs(List);
  addLatePacked(List);
  addPackedComparisons(List);
  addCarryless(List);
}
