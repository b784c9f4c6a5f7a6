//===- Dice.h - Random numbers of a search ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random choices that are the same with every standard library. Private to
// lib/Tuning.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TUNING_DICE_H
#define HEDDLE_LIB_TUNING_DICE_H

#include "heddle/Tuning/Search.h"

#include <random>

namespace heddle::tuning {

class Dice {
public:
  explicit Dice(uint64_t Seed) : Engine(Seed) {}

  /// A number below N, which is not 0.
  uint64_t below(uint64_t N) { return Engine() % N; }
  /// A number from 0 up to, and without, 1.
  double fraction() {
    constexpr unsigned Bits = 53;
    return static_cast<double>(Engine() >> (64 - Bits)) /
           static_cast<double>(uint64_t(1) << Bits);
  }

  Point anywhere(const Space &S) {
    Point P;
    for (const Dimension &D : S.dimensions())
      P.push_back(static_cast<unsigned>(below(D.Values.size())));
    return P;
  }

  /// P with one decision changed: mostly to the next value up or down.
  Point neighbour(const Space &S, Point P) {
    constexpr uint64_t FarOneIn = 3;
    if (P.empty())
      return P;
    size_t I = below(P.size());
    size_t N = S.dimensions()[I].Values.size();
    if (N < 2)
      return P;
    if (below(FarOneIn) == 0) {
      auto Other = static_cast<unsigned>(below(N - 1));
      P[I] = Other < P[I] ? Other : Other + 1;
    } else if (P[I] + 1 == N || (P[I] != 0 && below(2) == 0)) {
      --P[I];
    } else {
      ++P[I];
    }
    return P;
  }

private:
  std::mt19937_64 Engine; // its sequence is part of the standard
};

} // namespace heddle::tuning

#endif // HEDDLE_LIB_TUNING_DICE_H
