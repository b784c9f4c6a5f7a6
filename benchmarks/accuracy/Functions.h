//===- Functions.h - What is measured ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of CUDA's programming guide and the approximating instructions
// of PTX: how they are called, what they should give, and how near to it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_ACCURACY_FUNCTIONS_H
#define HEDDLE_BENCHMARKS_ACCURACY_FUNCTIONS_H

#include "Exact.h"
#include "Numbers.h"
#include "Promise.h"

#include <string>
#include <vector>

namespace heddle::accuracy {

/// Nearly the exact value, with the 64 bits of the host's long double: says
/// where it is worth while to compute with MPFR.
using Quick = long double (*)(const long double *X);

enum class Group { Instruction, Half, Single, Double };

/// Values among which a function is neither constant nor out of range.
struct Range {
  double Low, High;
};

/// How arguments after the first are chosen.
enum class Pairing {
  Free,    ///< By themselves.
  Related, ///< Most of about the first one's size.
  Product, ///< The third one of about the size of the product.
  Power,   ///< Most so that the first one to that power is in range.
  Order,   ///< The first one is a small integer.
};

struct Function {
  std::string Name;
  Group In = Group::Single;
  std::vector<Format> Arguments;
  Format Result = F32;
  /// PTX from the registers %x0 to %x3 to %y; of packed instructions from the
  /// pairs %p0 to %q. Empty if it is a call.
  std::string Instruction;
  unsigned Lanes = 1;
  std::string Library; ///< The name in libdevice; empty if it is not there.
  std::string CUDA;    ///< An expression of x, y, z and t; empty: no such.
  /// Results by pointer, in their order, after the arguments.
  std::vector<Format> Outputs;
  int Output = -1; ///< Which of them is measured; -1: what is returned.
  bool ReturnsNothing = false;
  bool LowBitsOnly = false; ///< Three bits of the result, and its sign.

  Promise Promised;
  /// With --use_fast_math, where that says something else.
  Promise PromisedFast;
  Exact Want = nullptr;
  Quick Nearly = nullptr;
  mpfr_rnd_t Rounding = MPFR_RNDN;
  mpfr_prec_t Precision = 160;

  std::vector<Range> Focus; ///< For each argument.
  Pairing Pairs = Pairing::Free;
  /// MPFR takes so many times as long as for simple functions.
  unsigned Cost = 1;
  bool Flushes = false; ///< Subnormal numbers are zeros in any mode.
  /// Whether special arguments must give what C's functions give, unless
  /// compiled with --use_fast_math.
  bool ChecksSpecials = true;

  const Promise &promised(bool FastMath) const {
    return FastMath && !PromisedFast.empty() ? PromisedFast : Promised;
  }
};

/// All of them, in the order of the tables.
std::vector<Function> functions();

/// The approximating instructions of PTX (Instructions.cpp).
void addInstructions(std::vector<Function> &List);

/// The functions of CUDA's formats of 16 bits (Halves.cpp).
void addHalfFunctions(std::vector<Function> &List);

} // namespace heddle::accuracy

#endif // HEDDLE_BENCHMARKS_ACCURACY_FUNCTIONS_H
