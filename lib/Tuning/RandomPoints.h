//===- RandomPoints.h - Random points of a search space ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a search looks next, by chance. Private to lib/Tuning.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TUNING_RANDOMPOINTS_H
#define HEDDLE_LIB_TUNING_RANDOMPOINTS_H

#include "heddle/Support/RandomGenerator.h"
#include "heddle/Tuning/Search.h"

namespace heddle::tuning {

/// Random choices of a search.
class RandomPoints : public RandomGenerator {
public:
  using RandomGenerator::RandomGenerator;

  /// Any point of a space, each with the same chance.
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
};

} // namespace heddle::tuning

#endif // HEDDLE_LIB_TUNING_RANDOMPOINTS_H
