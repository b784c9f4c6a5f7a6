//===- Spelling.cpp - The nearest of several words --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Levenshtein's distance.
//
//===----------------------------------------------------------------------===//

#include "Spelling.h"

#include <algorithm>

namespace heddle {

static unsigned editDistance(std::string_view A, std::string_view B) {
  std::vector<unsigned> Row(B.size() + 1);
  for (unsigned J = 0; J <= B.size(); ++J)
    Row[J] = J;
  for (unsigned I = 1; I <= A.size(); ++I) {
    unsigned Diagonal = Row[0];
    Row[0] = I;
    for (unsigned J = 1; J <= B.size(); ++J) {
      unsigned Above = Row[J];
      Row[J] = std::min(
          {Row[J] + 1, Row[J - 1] + 1, Diagonal + (A[I - 1] != B[J - 1])});
      Diagonal = Above;
    }
  }
  return Row[B.size()];
}

std::string_view findNearestSpelling(std::string_view Name,
                                     std::span<const std::string_view> From) {
  std::string_view Best;
  unsigned BestDistance = static_cast<unsigned>(Name.size()) / 3 + 1;
  for (std::string_view S : From)
    if (unsigned D = editDistance(Name, S); D < BestDistance) {
      Best = S;
      BestDistance = D;
    }
  return Best;
}

} // namespace heddle
