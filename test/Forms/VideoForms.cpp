//===- VideoForms.cpp - Video instructions ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The scalar and the SIMD video instructions, by the stages of the manual:
// select and extend, compute, clamp, combine or merge. Each combination of
// types and modifiers is there; the selectors take turns.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

namespace {

/// A part of a word that `.b0` to `.h1` name.
struct Part {
  const char *Name;
  unsigned Shift, Bits;

  Int128 read(uint64_t V, bool Signed) const {
    return valueOf(V >> Shift, Bits, Signed);
  }
  uint64_t merge(Int128 V, uint64_t Rest) const {
    uint64_t Mask = lowBits(~uint64_t(0), Bits) << Shift;
    return (static_cast<uint64_t>(V) << Shift & Mask) | (Rest & ~Mask);
  }
};
constexpr Part Parts[] = {{"", 0, 32},    {".b0", 0, 8},  {".b1", 8, 8},
                          {".b2", 16, 8}, {".b3", 24, 8}, {".h0", 0, 16},
                          {".h1", 16, 16}};
constexpr unsigned NumParts = std::size(Parts);

/// What is done with the result of the first operation.
struct SecondOp {
  const char *Name;
  Int128 (*Compute)(Int128 V, Int128 C);
};
constexpr SecondOp SecondOps[] = {
    {".add", [](Int128 V, Int128 C) { return V + C; }},
    {".min", [](Int128 V, Int128 C) { return std::min(V, C); }},
    {".max", [](Int128 V, Int128 C) { return std::max(V, C); }}};

/// The first operation, on extended values.
struct Operation {
  const char *Name;
  Int128 (*Compute)(Int128 A, Int128 B);
};
constexpr Operation Operations[] = {
    {"vadd", [](Int128 A, Int128 B) { return A + B; }},
    {"vsub", [](Int128 A, Int128 B) { return A - B; }},
    {"vabsdiff", [](Int128 A, Int128 B) { return A < B ? B - A : A - B; }},
    {"vmin", [](Int128 A, Int128 B) { return std::min(A, B); }},
    {"vmax", [](Int128 A, Int128 B) { return std::max(A, B); }}};
constexpr Operation Shifts[] = {
    {"vshl", [](Int128 A, Int128 B) { return A << static_cast<int>(B); }},
    {"vshr", [](Int128 A, Int128 B) { return A >> static_cast<int>(B); }}};
constexpr Operation Comparisons[] = {
    {".eq", [](Int128 A, Int128 B) { return Int128(A == B); }},
    {".ne", [](Int128 A, Int128 B) { return Int128(A != B); }},
    {".lt", [](Int128 A, Int128 B) { return Int128(A < B); }},
    {".le", [](Int128 A, Int128 B) { return Int128(A <= B); }},
    {".gt", [](Int128 A, Int128 B) { return Int128(A > B); }},
    {".ge", [](Int128 A, Int128 B) { return Int128(A >= B); }}};

/// Gives each form the next selectors.
class Turns {
public:
  const Part &next() { return Parts[State++ * 5 % NumParts]; }
  /// A part that is not the whole word.
  const Part &nextPart() { return Parts[1 + State++ * 5 % (NumParts - 1)]; }

private:
  unsigned State = 0;
};

} // namespace

static const char *dot(IntType T) { return T.Signed ? ".s32" : ".u32"; }

/// Adds the forms of an instruction with two sources: alone, with a second
/// operation, and merged into a third source. Compute gives the value before
/// clamping.
template <typename Fn>
static void addScalar(FormList &List, Turns &Next, const std::string &Mnemonic,
                      IntType To, IntType TypeA, IntType TypeB, bool Sat,
                      Fn Compute) {
  Source Word = integers(32);
  auto Start = [=](Words S, const Part &A, const Part &B, unsigned Bits) {
    Int128 V = Compute(A.read(S[0], TypeA.Signed), B.read(S[1], TypeB.Signed));
    return Sat ? clampTo(V, Bits, To.Signed) : V;
  };
  auto Text = [](const std::string &M, const Part *D, const Part &A,
                 const Part &B, bool Third) {
    return M + " $d0" + (D ? D->Name : "") + ", $s0" + A.Name + ", $s1" +
           B.Name + (Third ? ", $s2;" : ";");
  };
  auto Note = [](const Part *D, const Part &A, const Part &B) {
    return std::string(" d") + (D ? D->Name : "") + " a" + A.Name + " b" +
           B.Name;
  };
  const Part &A = Next.next(), &B = Next.next();
  List.addText(Mnemonic + Note(nullptr, A, B),
               Text(Mnemonic, nullptr, A, B, false), {Word, Word}, {bits(32)},
               [=, &A, &B](Words S, uint64_t *D) {
                 D[0] = static_cast<uint64_t>(Start(S, A, B, 32));
               });
  for (const SecondOp &Op : SecondOps) {
    const Part &A = Next.next(), &B = Next.next();
    std::string Full = Mnemonic + Op.Name;
    List.addText(
        Full + Note(nullptr, A, B), Text(Full, nullptr, A, B, true),
        {Word, Word, Word}, {bits(32)}, [=, &A, &B](Words S, uint64_t *D) {
          // What did not fit 32 bits is cut off in between.
          Int128 V = To.value(static_cast<uint64_t>(Start(S, A, B, 32)));
          D[0] = static_cast<uint64_t>(Op.Compute(V, To.value(S[2])));
        });
  }
  const Part &D = Next.nextPart(), &MA = Next.next(), &MB = Next.next();
  List.addText(Mnemonic + Note(&D, MA, MB), Text(Mnemonic, &D, MA, MB, true),
               {Word, Word, Word}, {bits(32)},
               [=, &D, &MA, &MB](Words S, uint64_t *Out) {
                 Out[0] = D.merge(Start(S, MA, MB, D.Bits), S[2]);
               });
}

static void addScalars(FormList &List, Turns &Next) {
  for (IntType To : {U32, S32})
    for (IntType A : {U32, S32})
      for (bool Sat : {false, true}) {
        for (IntType B : {U32, S32})
          for (const Operation &Op : Operations)
            addScalar(List, Next,
                      std::string(Op.Name) + dot(To) + dot(A) + dot(B) +
                          optional(Sat, ".sat"),
                      To, A, B, Sat, Op.Compute);
        for (const Operation &Op : Shifts)
          for (bool Clamp : {false, true})
            addScalar(List, Next,
                      std::string(Op.Name) + dot(To) + dot(A) + ".u32" +
                          optional(Sat, ".sat") + (Clamp ? ".clamp" : ".wrap"),
                      To, A, U32, Sat, [=, &Op](Int128 A, Int128 B) {
                        B = Clamp ? std::min<Int128>(B, 32) : B & 31;
                        return Op.Compute(A, B);
                      });
      }
  for (IntType A : {U32, S32})
    for (IntType B : {U32, S32})
      for (const Operation &Op : Comparisons)
        addScalar(List, Next, std::string("vset") + dot(A) + dot(B) + Op.Name,
                  U32, A, B, false, Op.Compute);
}

//===----------------------------------------------------------------------===//
// vmad
//===----------------------------------------------------------------------===//

static void addVmad(FormList &List, Turns &Next) {
  struct Variant {
    const char *Modifier, *SignA, *SignB, *SignC;
  };
  static constexpr Variant Variants[] = {{"", "", "", ""},
                                         {"", "-", "", ""},
                                         {"", "", "-", ""},
                                         {"", "", "", "-"},
                                         {".po", "", "", ""}};
  static constexpr std::pair<const char *, unsigned> Scales[] = {
      {"", 0}, {".shr7", 7}, {".shr15", 15}};
  Source Word = integers(32);
  for (IntType To : {U32, S32})
    for (IntType TA : {U32, S32})
      for (IntType TB : {U32, S32})
        for (bool Sat : {false, true})
          for (auto [Scale, Shift] : Scales)
            for (const Variant &V : Variants) {
              bool NegateProduct = *V.SignA || *V.SignB;
              bool NegateC = *V.SignC, PlusOne = *V.Modifier;
              // The sources decide about the sign, whatever the result's type.
              bool Signed = TA.Signed || TB.Signed || NegateProduct || NegateC;
              const Part &A = Next.next(), &B = Next.next();
              std::string Mnemonic = std::string("vmad") + dot(To) + dot(TA) +
                                     dot(TB) + V.Modifier +
                                     optional(Sat, ".sat") + Scale;
              std::string Operands = std::string(" $d0, ") + V.SignA + "$s0" +
                                     A.Name + ", " + V.SignB + "$s1" + B.Name +
                                     ", " + V.SignC + "$s2;";
              unsigned Amount = Shift;
              List.addText(Mnemonic + " " + V.SignA + "a" + A.Name + " " +
                               V.SignB + "b" + B.Name + " " + V.SignC + "c",
                           Mnemonic + Operands, {Word, Word, Word}, {bits(32)},
                           [=, &A, &B](Words S, uint64_t *D) {
                             Int128 P = A.read(S[0], TA.Signed) *
                                        B.read(S[1], TB.Signed);
                             Int128 C = valueOf(S[2], 32, Signed);
                             P = NegateProduct ? -P : P;
                             C = NegateC ? -C : C;
                             Int128 R = (P + C + PlusOne) >> Amount;
                             D[0] = static_cast<uint64_t>(
                                 Sat ? clampTo(R, 32, Signed) : R);
                           });
            }
}

//===----------------------------------------------------------------------===//
// SIMD
//===----------------------------------------------------------------------===//

namespace {

/// A way to pick the lanes of a source, and to mask results.
struct Selection {
  const char *Suffix; ///< Empty for the default.
  unsigned Picks[4];  ///< From lane 0 on.
};
struct LaneMask {
  const char *Suffix;
  unsigned Lanes; ///< A bit for each.
};

/// Pairs of 16 bits, or fours of 8.
struct Simd {
  const char *Digit;
  unsigned Lanes, Bits;
  std::vector<Selection> A, B;
  std::vector<LaneMask> Masks;
};

} // namespace

static std::vector<Simd> simdKinds() {
  return {{"2",
           2,
           16,
           {{"", {0, 1}}, {".h32", {2, 3}}, {".h01", {1, 0}}, {".h13", {3, 1}}},
           {{"", {2, 3}}, {".h10", {0, 1}}, {".h22", {2, 2}}, {".h03", {3, 0}}},
           {{"", 3}, {".h0", 1}, {".h1", 2}, {".h10", 3}}},
          {"4",
           4,
           8,
           {{"", {0, 1, 2, 3}},
            {".b7654", {4, 5, 6, 7}},
            {".b0246", {6, 4, 2, 0}},
            {".b1171", {1, 7, 1, 1}}},
           {{"", {4, 5, 6, 7}},
            {".b3210", {0, 1, 2, 3}},
            {".b5555", {5, 5, 5, 5}},
            {".b0713", {3, 1, 7, 0}}},
           {{"", 15},
            {".b0", 1},
            {".b1", 2},
            {".b10", 3},
            {".b2", 4},
            {".b20", 5},
            {".b21", 6},
            {".b210", 7},
            {".b3", 8},
            {".b30", 9},
            {".b31", 10},
            {".b310", 11},
            {".b32", 12},
            {".b320", 13},
            {".b321", 14},
            {".b3210", 15}}}};
}

/// Adds a SIMD form: a merge into the third source, or a sum with it.
template <typename Fn>
static void addSimd(FormList &List, unsigned &Turn, const Simd &Kind,
                    const std::string &Mnemonic, IntType To, IntType TA,
                    IntType TB, bool Sat, bool Add, Fn Compute) {
  Selection A = Kind.A[Turn % Kind.A.size()];
  Selection B = Kind.B[Turn / 2 % Kind.B.size()];
  LaneMask Mask = Kind.Masks[Turn % Kind.Masks.size()];
  ++Turn;
  unsigned Lanes = Kind.Lanes, Bits = Kind.Bits;
  Source Word = Lanes == 2 ? halves() : bytes();
  List.addText(
      Mnemonic + " d" + Mask.Suffix + " a" + A.Suffix + " b" + B.Suffix,
      Mnemonic + " $d0" + Mask.Suffix + ", $s0" + A.Suffix + ", $s1" +
          B.Suffix + ", $s2;",
      {Word, Word, Add ? integers(32) : Word}, {bits(32)},
      [=](Words S, uint64_t *D) {
        uint64_t Both = S[1] << 32 | S[0];
        Int128 Sum = S[2];
        uint64_t Merged = S[2];
        for (unsigned I = 0; I != Lanes; ++I) {
          if (!(Mask.Lanes >> I & 1))
            continue;
          Int128 V =
              Compute(valueOf(Both >> (A.Picks[I] * Bits), Bits, TA.Signed),
                      valueOf(Both >> (B.Picks[I] * Bits), Bits, TB.Signed));
          if (Sat)
            V = clampTo(V, Bits, To.Signed);
          Sum += V;
          Merged = Part{"", I * Bits, Bits}.merge(V, Merged);
        }
        D[0] = Add ? static_cast<uint64_t>(Sum) : Merged;
      });
}

/// Rounds up where the sum is not negative, else down.
static Int128 average(Int128 A, Int128 B) {
  return A + B >= 0 ? (A + B + 1) >> 1 : (A + B) >> 1;
}

static void addSimds(FormList &List) {
  static constexpr Operation Average = {"vavrg", average};
  std::vector<Operation> All(std::begin(Operations), std::end(Operations));
  All.push_back(Average);
  unsigned Turn = 0;
  for (const Simd &Kind : simdKinds()) {
    for (IntType TA : {U32, S32})
      for (IntType TB : {U32, S32}) {
        for (IntType To : {U32, S32})
          for (const Operation &Op : All) {
            std::string Head =
                std::string(Op.Name) + Kind.Digit + dot(To) + dot(TA) + dot(TB);
            for (unsigned Times = 0; Times != 4; ++Times) {
              addSimd(List, Turn, Kind, Head, To, TA, TB, false, false,
                      Op.Compute);
              addSimd(List, Turn, Kind, Head + ".sat", To, TA, TB, true, false,
                      Op.Compute);
              addSimd(List, Turn, Kind, Head + ".add", To, TA, TB, false, true,
                      Op.Compute);
            }
          }
        for (const Operation &Op : Comparisons) {
          std::string Head =
              std::string("vset") + Kind.Digit + dot(TA) + dot(TB) + Op.Name;
          addSimd(List, Turn, Kind, Head, U32, TA, TB, false, false,
                  Op.Compute);
          addSimd(List, Turn, Kind, Head + ".add", U32, TA, TB, false, true,
                  Op.Compute);
        }
      }
  }
}

void forms::addVideoForms(FormList &List) {
  Turns Next;
  addScalars(List, Next);
  addVmad(List, Next);
  addSimds(List);
}
