//===- SparseForms.cpp - Two elements of four -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// spcompress and spdecompress of few words; test/Semantics has the largest
// ones. PTX leaves open which of equal elements stay: the first ones do.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"

#include <algorithm>
#include <cmath>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

static constexpr char Target[] = "sm_107a";

static uint64_t getField(Words W, unsigned Bit, unsigned Bits) {
  return lowBits(W[Bit / 32] >> (Bit % 32), Bits);
}

static void setField(uint64_t *W, unsigned Bit, unsigned Bits, uint64_t Value) {
  uint64_t &Word = W[Bit / 32];
  Word &= ~(lowBits(~uint64_t(0), Bits) << (Bit % 32));
  Word |= Value << (Bit % 32);
}

//===----------------------------------------------------------------------===//
// spcompress
//===----------------------------------------------------------------------===//

namespace {

/// A type of a descriptor; integers have no format.
struct ElementType {
  const FloatFormat *F = nullptr;
  bool Signed = false;
};

constexpr ElementType ByteTypes[] = {{},      {nullptr, true}, {&E5M2},
                                     {&E4M3}, {&E3M2},         {&E2M3}};
constexpr ElementType HalfTypes[] = {{&F16}, {&BF16}};

/// An element's place in the order of those that stay.
struct Rank {
  bool IsNaN;
  double Value;
  bool IsNegativeZero;
  unsigned Place;
};

} // namespace

/// Greater first, or with \p Least less first.
static bool comesBefore(const Rank &A, const Rank &B, bool Least) {
  if (A.IsNaN != B.IsNaN)
    return A.IsNaN;
  if (!A.IsNaN && A.Value != B.Value)
    return Least ? A.Value < B.Value : A.Value > B.Value;
  if (A.IsNegativeZero != B.IsNegativeZero)
    return A.IsNegativeZero == Least;
  return A.Place < B.Place;
}

static Rank rankOf(uint64_t Code, ElementType T, bool Abs, unsigned Place) {
  if (!T.F) {
    int64_t V = T.Signed ? signedValue(Code, 8) : static_cast<int64_t>(Code);
    return {false, static_cast<double>(Abs && V < 0 ? -V : V), false, Place};
  }
  uint64_t Bits = lowBits(Code, T.F->bits());
  if (Abs)
    Bits = T.F->magnitude(Bits);
  bool IsNaN = T.F->isNaN(Bits);
  return {IsNaN, IsNaN ? 0 : toDouble(Bits, *T.F),
          T.F->isZero(Bits) && T.F->isNegative(Bits), Place};
}

/// \p NumData words: metadata and the elements that stay go to \p D.
static void compress(Words S, unsigned NumData, uint64_t Descriptor,
                     unsigned ElementBits, unsigned IndexBits, uint64_t *D) {
  unsigned Groups = NumData * 32 / ElementBits / 4;
  unsigned NumMetadata = (2 * Groups * IndexBits + 31) / 32;
  std::fill(D, D + NumMetadata + NumData / 2, 0);
  ElementType T = ElementBits == 16 ? HalfTypes[Descriptor >> 2]
                                    : ByteTypes[Descriptor >> 2];
  bool Abs = Descriptor & 1, Least = Descriptor & 2;
  for (unsigned Group = 0; Group != Groups; ++Group) {
    std::vector<Rank> Ranks;
    for (unsigned N = 0; N != 4; ++N)
      Ranks.push_back(rankOf(
          getField(S, (4 * Group + N) * ElementBits, ElementBits), T, Abs, N));
    std::sort(Ranks.begin(), Ranks.end(), [=](const Rank &A, const Rank &B) {
      return comesBefore(A, B, Least);
    });
    unsigned Places[] = {std::min(Ranks[0].Place, Ranks[1].Place),
                         std::max(Ranks[0].Place, Ranks[1].Place)};
    for (unsigned N = 0; N != 2; ++N) {
      unsigned At = 2 * Group + N;
      setField(D, At * IndexBits, IndexBits, Places[N]);
      setField(D + NumMetadata, At * ElementBits, ElementBits,
               getField(S, (4 * Group + Places[N]) * ElementBits, ElementBits));
    }
  }
}

/// `{$s0, $s1}` of \p Count registers from number \p First on.
static std::string vectorOf(char Kind, unsigned First, unsigned Count) {
  std::string Text = "{";
  for (unsigned N = 0; N != Count; ++N)
    Text += (N ? ", $" : "$") + (Kind + std::to_string(First + N));
  return Text + "}";
}

/// The descriptor is made of the last source, of which no value is invalid.
static void addCompress(FormList &List, unsigned ElementBits,
                        unsigned IndexBits, unsigned Count) {
  unsigned NumMetadata = (Count * IndexBits + ElementBits - 1) / ElementBits;
  uint64_t Descriptors = ElementBits == 16 ? 8 : 24;
  std::string Mnemonic = "spcompress.b" + std::to_string(ElementBits) + ".b" +
                         std::to_string(IndexBits) + ".sp::2:4.x" +
                         std::to_string(Count);
  std::string Last = "$s" + std::to_string(2 * Count);
  std::string Text = "{ .reg .b32 %desc; rem.u32 %desc, " + Last + ", " +
                     std::to_string(Descriptors) + "; " + Mnemonic + " " +
                     vectorOf('d', 0, NumMetadata) + ", " +
                     vectorOf('d', NumMetadata, Count) + ", " +
                     vectorOf('s', 0, 2 * Count) + ", %desc; }";
  std::vector<Source> Sources(2 * Count, ElementBits == 8 ? bytes() : halves());
  Sources.push_back(integers(32));
  List.addText(Mnemonic, Text, Sources,
               std::vector<Result>(NumMetadata + Count, bits(32)),
               [=](Words S, uint64_t *D) {
                 compress(S, 2 * Count, S[2 * Count] % Descriptors, ElementBits,
                          IndexBits, D);
               })
      .Target = Target;
}

//===----------------------------------------------------------------------===//
// spdecompress
//===----------------------------------------------------------------------===//

static void addDecompress(FormList &List, unsigned ElementBits,
                          unsigned IndexBits, unsigned From, unsigned To,
                          unsigned Count) {
  auto WordsFor = [](unsigned Bits) { return (Bits + 31) / 32; };
  unsigned NumMetadata = WordsFor(From * IndexBits * Count),
           NumKept = WordsFor(From * ElementBits * Count),
           NumData = WordsFor(To * ElementBits * Count);
  bool IsValid = From * ElementBits <= 32 && To <= 1u << IndexBits &&
                 To * ElementBits * Count >= 32 && NumData <= MaxResults &&
                 NumMetadata + NumKept <= MaxSources;
  if (!IsValid)
    return;
  std::string Mnemonic = "spdecompress.b" + std::to_string(ElementBits) + ".b" +
                         std::to_string(IndexBits) +
                         ".sp::" + std::to_string(From) + ":" +
                         std::to_string(To) + ".x" + std::to_string(Count);
  std::string Text = Mnemonic + " " + vectorOf('d', 0, NumData) + ", " +
                     vectorOf('s', 0, NumMetadata) + ", " +
                     vectorOf('s', NumMetadata, NumKept) + ";";
  List.addText(Mnemonic, Text,
               std::vector<Source>(NumMetadata + NumKept, integers(32)),
               std::vector<Result>(NumData, bits(32)),
               [=](Words S, uint64_t *D) {
                 std::fill(D, D + NumData, 0);
                 for (unsigned N = 0; N != From * Count; ++N) {
                   uint64_t Place = getField(S, N * IndexBits, IndexBits);
                   // Beyond the group: PTX leaves it open, and nothing is
                   // written.
                   if (Place < To)
                     setField(D,
                              (N / From * To + static_cast<unsigned>(Place)) *
                                  ElementBits,
                              ElementBits,
                              getField(S + NumMetadata, N * ElementBits,
                                       ElementBits));
                 }
               })
      .Target = Target;
}

void forms::addSparseForms(FormList &List) {
  for (unsigned ElementBits : {8, 16})
    for (unsigned IndexBits : {2, 4}) {
      for (unsigned Count : {1, 2})
        addCompress(List, ElementBits, IndexBits, Count);
      for (unsigned From : {1, 2, 4})
        for (unsigned To : {2, 4, 8, 16})
          for (unsigned Count : {1, 2, 4, 8})
            if (From < To)
              addDecompress(List, ElementBits, IndexBits, From, To, Count);
    }
}
