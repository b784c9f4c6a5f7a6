//===- Samples.h - Arguments to measure at ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments over the whole range of each format, and more of them where
// functions are hard: in the range of their results, near multiples of pi/2 and
// 1/2, near powers of two; and the special ones.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_ACCURACY_SAMPLES_H
#define HEDDLE_BENCHMARKS_ACCURACY_SAMPLES_H

#include "Functions.h"

#include <cstddef>

namespace heddle::accuracy {

/// Arguments by number. The same number always gives the same ones.
class Samples {
public:
  virtual ~Samples() = default;
  virtual size_t size() const = 0;
  /// Writes the bits of each argument.
  virtual void get(size_t Number, uint64_t *Arguments) const = 0;
};

/// Some \p Count arguments of a function, all of them special, hard or spread
/// evenly; all there are of one argument in 16 bits.
class SpreadSamples : public Samples {
public:
  SpreadSamples(const Function &F, size_t Count);
  size_t size() const override;
  void get(size_t Number, uint64_t *Arguments) const override;

private:
  class Random;
  uint64_t one(unsigned Argument, Random &R, double Place) const;
  uint64_t other(unsigned Argument, Random &R, double Place,
                 const uint64_t *Before) const;
  uint64_t evenly(unsigned Argument, Random &R, double Place) const;
  uint64_t inFocus(unsigned Argument, Random &R, bool ByValue) const;
  uint64_t nearMultiple(const Format &Of, Random &R) const;
  uint64_t nearPower(const Format &Of, Random &R) const;
  uint64_t withExponent(const Format &Of, int Exponent, Random &R) const;

  const Function &F;
  size_t Count;
  bool All;
  /// Combinations of special values stand first.
  std::vector<std::vector<uint64_t>> Specials;
  size_t Combinations = 1;
};

/// Every value of a function of one number in 32 bits.
class AllSamples : public Samples {
public:
  size_t size() const override { return size_t(1) << 32; }
  void get(size_t Number, uint64_t *Arguments) const override {
    *Arguments = Number;
  }
};

/// The neighbours of some arguments.
class NearSamples : public Samples {
public:
  NearSamples(const Function &F, std::vector<std::vector<uint64_t>> Centers,
              size_t Each)
      : F(F), Centers(std::move(Centers)), Each(Each) {}
  size_t size() const override { return Centers.size() * Each; }
  void get(size_t Number, uint64_t *Arguments) const override;

private:
  const Function &F;
  std::vector<std::vector<uint64_t>> Centers;
  size_t Each;
};

} // namespace heddle::accuracy

#endif // HEDDLE_BENCHMARKS_ACCURACY_SAMPLES_H
