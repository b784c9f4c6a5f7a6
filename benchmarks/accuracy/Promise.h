//===- Promise.h - Promised errors ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How large the error of a function may be, in parts of its range.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_ACCURACY_PROMISE_H
#define HEDDLE_BENCHMARKS_ACCURACY_PROMISE_H

#include <string>
#include <vector>

namespace heddle::accuracy {

/// What an error is measured in.
enum class Measure {
  Ulp,      ///< Units in the last place of the correctly rounded result, from
            ///< that result: what CUDA's tables mean.
  Real,     ///< The same units, from the exact result.
  Absolute, ///< From the exact result.
  Relative, ///< Parts of the exact result, from it.
  Nothing,  ///< Nothing is promised; units in the last place are measured.
};

/// The promise for a part of a function's range.
struct Piece {
  enum class Part {
    Everywhere,
    Inside,     ///< Low <= x <= High
    Magnitude,  ///< Low <= |x| <= High
    BelowOrder, ///< |x| < High n, n being the first argument and x the second.
  };

  Measure In = Measure::Nothing;
  double Most = 0;
  /// Besides, floor(|Slope x|) units, or Slope n with BelowOrder, rounded up.
  double Slope = 0;
  Part Where = Part::Everywhere;
  double Low = 0, High = 0;
  unsigned Argument = 0; ///< That is x.

  bool holdsAt(const double *X) const;
  double mostAt(const double *X) const;
  /// Such as "2 ulp for |x| <= 8".
  std::string text() const;
  Piece where(Part P, double From, double To, unsigned Of = 0) const;
};

/// The first piece that holds at an argument counts; the last holds everywhere.
using Promise = std::vector<Piece>;

Promise ulps(double Most);
Promise realUlps(double Most);
Promise absolute(double Most);
Promise relative(double Most);
Promise nothing();
/// 2 + floor(|Slope x|) ulp.
Promise growing(double Slope);
/// \p First where it holds, else \p Rest.
Promise operator|(const Piece &First, const Promise &Rest);

std::string text(const Promise &P);

} // namespace heddle::accuracy

#endif // HEDDLE_BENCHMARKS_ACCURACY_PROMISE_H
