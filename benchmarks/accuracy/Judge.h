//===- Judge.h - Errors of results ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares results with exact values and keeps the worst of each piece of a
// promise.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_ACCURACY_JUDGE_H
#define HEDDLE_BENCHMARKS_ACCURACY_JUDGE_H

#include "Functions.h"

namespace heddle::accuracy {

/// A result that was looked at.
struct Finding {
  std::vector<uint64_t> Arguments; ///< Empty: there is none.
  uint64_t Got = 0;
  double Error = 0; ///< In units of the promise's measure.
  double Most = 0;  ///< That is promised here.
  /// For units in the last place: from the correctly rounded result.
  double Steps = 0;

  bool exists() const { return !Arguments.empty(); }
};

/// What became of a function.
struct Verdict {
  std::vector<Finding> Worst; ///< By piece of the promise.
  uint64_t Samples = 0;
  uint64_t WrongSpecials = 0; ///< NaN, infinity or zero in the wrong place.
  Finding FirstSpecial;
  bool Broken = false; ///< A promise.
};

class Judge {
public:
  Judge(const Function &F, bool FastMath);
  Judge(const Judge &) = delete;
  Judge &operator=(const Judge &) = delete;

  void look(const uint64_t *Arguments, uint64_t Got);
  /// The arguments with the largest errors until now.
  std::vector<std::vector<uint64_t>> centers() const;
  Verdict verdict() const;

private:
  size_t pieceAt(const double *X) const;
  bool isTooGood(const double *X, double Got, size_t At) const;
  bool setWant(const uint64_t *Arguments, double Hint);
  bool checkSpecial(const uint64_t *Arguments, uint64_t Got, bool Promised);
  double errorOf(uint64_t Got, Measure In, double &Steps);
  void keep(size_t At, const Finding &Found);
  double score(const Finding &Found) const;

  const Function &F;
  bool FlushesAll;
  bool ChecksSpecials;
  const Promise &P;
  Number X0, X1, X2, X3, Want, Scratch;
  std::vector<std::vector<Finding>> Kept; ///< By piece; the worst first.
  Verdict Result;
};

} // namespace heddle::accuracy

#endif // HEDDLE_BENCHMARKS_ACCURACY_JUDGE_H
