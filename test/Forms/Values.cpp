//===- Values.cpp - The values that forms are tried with --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Edge values of each domain, random values near them, and their combination.
//
//===----------------------------------------------------------------------===//

#include "Values.h"

#include "Arithmetic.h"
#include "heddle/Support/RandomGenerator.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::forms;

namespace {

/// Most combinations of edge values that are all tried.
constexpr size_t MaxEdgeCombinations = 4096;

} // namespace

static unsigned significantBits(const Source &S) {
  return S.Width ? S.Width : S.Bits;
}

//===----------------------------------------------------------------------===//
// Edge values
//===----------------------------------------------------------------------===//

static std::vector<uint64_t> integerEdges(unsigned Bits) {
  std::vector<uint64_t> Edges = {0, 1, 2, 3, 5, 7, 10, 100};
  for (unsigned At : {Bits / 2 - 1, Bits / 2, Bits - 2, Bits - 1}) {
    uint64_t Power = uint64_t(1) << At;
    Edges.insert(Edges.end(), {Power - 1, Power, Power + 1, 0 - Power});
  }
  Edges.insert(Edges.end(),
               {~uint64_t(0), ~uint64_t(1), ~uint64_t(2),
                uint64_t(0x5555555555555555), uint64_t(0xAAAAAAAAAAAAAAAA),
                uint64_t(0x0123456789ABCDEF), uint64_t(0xFF00FF00FF00FF00),
                uint64_t(0x00FFFFFF00FFFFFF), uint64_t(0xFF800000FF800000)});
  return Edges;
}

static std::vector<uint64_t> amountEdges() {
  return {0,      1,       2,          7,          8,          15,
          16,     17,      31,         32,         33,         47,
          48,     63,      64,         65,         127,        128,
          224,    255,     256,        257,        288,        320,
          0xFF20, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFE0, 0xFFFFFFFF};
}

static std::vector<uint64_t> floatEdges(const FloatFormat &F) {
  uint64_t Fraction = (uint64_t(1) << F.FracBits) - 1;
  uint64_t One = F.one(), Step = uint64_t(1) << F.FracBits;
  std::vector<uint64_t> Edges = {0,
                                 1,
                                 Fraction / 2 + 1,
                                 Fraction,
                                 Fraction + 1,
                                 Fraction + 2,
                                 One - 1,
                                 One,
                                 One + 1,
                                 One + Step,
                                 One - Step,
                                 One + Step / 2,
                                 F.largest(),
                                 F.largest() - 1};
  // Integers, halves between them, and the limits of integer types.
  for (unsigned Exponent : {2u, 6u, 7u, 8u, 10u, 15u, 16u, 23u, 24u, 31u, 32u,
                            52u, 63u, 64u, 127u}) {
    if (Exponent >= static_cast<unsigned>(F.bias()) + 1)
      break;
    uint64_t Power = One + Exponent * Step;
    Edges.insert(Edges.end(), {Power - 1, Power, Power + 1});
    if (Exponent < F.FracBits)
      Edges.push_back(Power + (Step >> (Exponent + 1)));
  }
  if (F.Kind == Specials::IEEE)
    Edges.insert(Edges.end(), {F.infinity(), F.infinity() + 1,
                               F.infinity() + Step / 2, F.signBit() - 1});
  size_t Positive = Edges.size();
  for (size_t N = 0; N != Positive; ++N)
    Edges.push_back(Edges[N] | F.signBit());
  return Edges;
}

/// The edges of a small type in every part of a word, one after the other.
static std::vector<uint64_t> spread(const std::vector<uint64_t> &Part,
                                    unsigned Bits, unsigned Lanes) {
  std::vector<uint64_t> Edges;
  for (size_t N = 0; N != Part.size(); ++N) {
    uint64_t Word = 0;
    for (unsigned Lane = 0; Lane != Lanes; ++Lane)
      Word |= lowBits(Part[(N + Lane * 7) % Part.size()], Bits)
              << (Lane * Bits);
    Edges.push_back(Word);
  }
  return Edges;
}

std::vector<uint64_t> forms::edgeValues(const Source &S) {
  std::vector<uint64_t> Edges;
  switch (S.Kind) {
  case Domain::Predicate:
    return {0, 1};
  case Domain::Integer:
    Edges = integerEdges(significantBits(S));
    break;
  case Domain::Amount:
    Edges = amountEdges();
    break;
  case Domain::Bytes:
    Edges = spread(integerEdges(8), 8, 4);
    break;
  case Domain::Halves:
    Edges = spread(integerEdges(16), 16, 2);
    break;
  case Domain::Float:
    Edges = floatEdges(*S.Format);
    if (S.Lanes > 1)
      Edges = spread(Edges, S.Bits / S.Lanes, S.Lanes);
    break;
  }
  for (uint64_t &V : Edges)
    V = lowBits(V, S.Bits);
  std::sort(Edges.begin(), Edges.end());
  Edges.erase(std::unique(Edges.begin(), Edges.end()), Edges.end());
  return Edges;
}

//===----------------------------------------------------------------------===//
// Random values
//===----------------------------------------------------------------------===//

static uint64_t randomFloat(const FloatFormat &F, RandomGenerator &R) {
  uint64_t Bits = R.next();
  uint64_t Fraction = Bits & ((uint64_t(1) << F.FracBits) - 1);
  uint64_t Sign = Bits >> 63 ? F.signBit() : 0;
  int Top = (1 << F.ExpBits) - 1;
  int Exponent = 0;
  // Half of them near 1, so that sums, products and comparisons are of
  // interest; some with few bits set, so that there are ties.
  if (R.below(2))
    Exponent = F.bias() - 8 + static_cast<int>(R.below(24));
  else
    Exponent = static_cast<int>(R.below(uint64_t(Top) + 1));
  Exponent = std::clamp(Exponent, 0, Top);
  if (R.below(3) == 0)
    Fraction &= R.next() & R.next() & R.next();
  return Sign | uint64_t(Exponent) << F.FracBits | Fraction;
}

static uint64_t randomInteger(RandomGenerator &R, unsigned Bits) {
  uint64_t V = R.next();
  switch (R.below(4)) {
  case 0: // Of any size.
    return static_cast<uint64_t>(static_cast<int64_t>(V) >> R.below(Bits));
  case 1: // Few bits set, or few clear.
    V &= R.next() & R.next();
    return R.below(2) ? V : ~V;
  default:
    return V;
  }
}

static uint64_t randomValue(const Source &S, const std::vector<uint64_t> &Edges,
                            RandomGenerator &R) {
  if (R.below(8) == 0)
    return Edges[R.below(Edges.size())];
  switch (S.Kind) {
  case Domain::Predicate:
    return R.below(2);
  case Domain::Amount:
    return lowBits(R.below(4) ? R.below(70) : R.next(), S.Bits);
  case Domain::Float: {
    uint64_t Word = 0;
    for (unsigned Lane = 0; Lane != S.Lanes; ++Lane)
      Word |= randomFloat(*S.Format, R) << (Lane * (S.Bits / S.Lanes));
    return lowBits(Word, S.Bits);
  }
  case Domain::Integer:
  case Domain::Bytes:
  case Domain::Halves:
    return lowBits(randomInteger(R, S.Bits), S.Bits);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

namespace {

/// Collects samples for a list of sources.
class Collector {
public:
  Collector(const std::vector<Source> &Sources, const SampleOptions &Options)
      : Sources(Sources), Options(Options), R(Options.Seed) {
    for (const Source &S : Sources)
      Edges.push_back(edgeValues(S));
    Result.Columns.resize(Sources.size());
  }

  Samples collect() {
    if (!addAll()) {
      addAllOfEach();
      addEdges();
      for (unsigned N = 0; N != Options.Random; ++N)
        push([&](size_t S) { return any(S); });
    }
    shuffle();
    return std::move(Result);
  }

private:
  uint64_t any(size_t S) { return randomValue(Sources[S], Edges[S], R); }
  uint64_t anyEdge(size_t S) { return Edges[S][R.below(Edges[S].size())]; }

  template <typename Fn> void push(Fn Value) {
    for (size_t S = 0; S != Sources.size(); ++S)
      Result.Columns[S].push_back(Value(S));
    ++Result.Count;
  }

  /// What the register holds beyond the bits that count must not matter.
  uint64_t widened(size_t S, uint64_t V) {
    unsigned Width = significantBits(Sources[S]);
    if (Width == Sources[S].Bits)
      return V;
    return lowBits(lowBits(V, Width) | R.next() << Width, Sources[S].Bits);
  }

  /// Every combination, where there are at most 2^16.
  bool addAll() {
    unsigned Total = 0;
    for (const Source &S : Sources)
      Total += significantBits(S);
    if (Total > 16)
      return false;
    for (uint64_t Code = 0; Code != uint64_t(1) << Total; ++Code) {
      unsigned Shift = 0;
      push([&](size_t S) {
        unsigned Width = significantBits(Sources[S]);
        uint64_t V = lowBits(Code >> Shift, Width);
        Shift += Width;
        return widened(S, V);
      });
    }
    Result.Exhaustive = true;
    return true;
  }

  /// For one or two sources of 16 bits, or of pairs of 16 bits: each value of
  /// one with an edge of the other, or with all edges. For more only in full.
  void addAllOfEach() {
    if (Sources.size() > 2 && !Options.Full)
      return;
    for (size_t One = 0; One != Sources.size(); ++One) {
      const Source &S = Sources[One];
      bool Pair = S.Bits == 32 && (S.Kind == Domain::Halves ||
                                   (S.Kind == Domain::Float && S.Lanes == 2));
      if (significantBits(S) != 16 && !Pair)
        continue;
      size_t Rounds =
          Options.Full && Sources.size() == 2 ? Edges[1 - One].size() : 1;
      for (size_t Round = 0; Round != Rounds; ++Round)
        for (uint64_t V = 0; V != 1 << 16; ++V)
          push([&](size_t Other) {
            if (Other != One)
              return Rounds == 1 ? anyEdge(Other) : Edges[Other][Round];
            // The upper half runs through all values in another order.
            return Pair ? V | (V * 40503 & 0xFFFF) << 16 : widened(One, V);
          });
    }
  }

  /// All combinations of edge values, or as many by chance.
  void addEdges() {
    size_t Total = 1;
    for (const auto &E : Edges)
      Total = std::min<size_t>(Total * E.size(), MaxEdgeCombinations + 1);
    if (Total > MaxEdgeCombinations) {
      for (size_t N = 0; N != MaxEdgeCombinations; ++N)
        push([&](size_t S) { return anyEdge(S); });
      return;
    }
    for (size_t Code = 0; Code != Total; ++Code) {
      size_t Rest = Code;
      push([&](size_t S) {
        uint64_t V = Edges[S][Rest % Edges[S].size()];
        Rest /= Edges[S].size();
        return V;
      });
    }
  }

  void shuffle() {
    for (size_t N = Result.Count; N > 1; --N) {
      size_t Other = R.below(N);
      for (auto &Column : Result.Columns)
        std::swap(Column[N - 1], Column[Other]);
    }
  }

  const std::vector<Source> &Sources;
  const SampleOptions &Options;
  RandomGenerator R;
  std::vector<std::vector<uint64_t>> Edges;
  Samples Result;
};

} // namespace

Samples forms::makeSamples(const std::vector<Source> &Sources,
                           const SampleOptions &Options) {
  return Collector(Sources, Options).collect();
}
