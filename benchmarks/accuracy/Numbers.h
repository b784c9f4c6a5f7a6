//===- Numbers.h - Formats of numbers --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats of arguments and results, as bits in 64-bit words.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_ACCURACY_NUMBERS_H
#define HEDDLE_BENCHMARKS_ACCURACY_NUMBERS_H

#include <cstdint>
#include <string>

namespace heddle::accuracy {

/// What the bits of an argument or a result mean.
struct Format {
  const char *PTXType;  ///< That a kernel loads and stores.
  const char *CUDAType; ///< Of a kernel's buffer.
  unsigned ExpBits;     ///< 0 for integers.
  unsigned FracBits;    ///< For integers all bits but the sign.

  constexpr bool isInteger() const { return ExpBits == 0; }
  constexpr unsigned bits() const { return 1 + ExpBits + FracBits; }
  constexpr unsigned bytes() const { return bits() / 8; }
  constexpr int bias() const { return (1 << (ExpBits - 1)) - 1; }
  /// Of the smallest and the largest normal number.
  constexpr int leastExponent() const { return 1 - bias(); }
  constexpr int mostExponent() const { return bias(); }
  constexpr uint64_t signBit() const { return uint64_t(1) << (bits() - 1); }
  constexpr uint64_t magnitude(uint64_t Bits) const {
    return Bits & (signBit() - 1);
  }
  constexpr uint64_t infinity() const {
    return ((uint64_t(1) << ExpBits) - 1) << FracBits;
  }
  constexpr bool isNaN(uint64_t Bits) const {
    return !isInteger() && magnitude(Bits) > infinity();
  }
  constexpr bool isInfinity(uint64_t Bits) const {
    return !isInteger() && magnitude(Bits) == infinity();
  }
  constexpr bool isZero(uint64_t Bits) const { return magnitude(Bits) == 0; }
  constexpr bool isNegative(uint64_t Bits) const { return Bits & signBit(); }
  constexpr bool isSubnormal(uint64_t Bits) const {
    return magnitude(Bits) != 0 && magnitude(Bits) >> FracBits == 0;
  }
};

inline constexpr Format F16{"b16", "__half", 5, 10};
inline constexpr Format BF16{"b16", "__nv_bfloat16", 8, 7};
inline constexpr Format F32{"f32", "float", 8, 23};
inline constexpr Format F64{"f64", "double", 11, 52};
inline constexpr Format S32{"b32", "int", 0, 31};
inline constexpr Format S64{"b64", "long long", 0, 63};

/// The value of the bits; exact but for 64-bit integers beyond 2^53.
double toDouble(uint64_t Bits, const Format &F);

/// The nearest number of F32, F64 or S32.
uint64_t fromDouble(double Value, const Format &F);

/// As C's %a writes it, or a decimal integer.
std::string toText(uint64_t Bits, const Format &F);

} // namespace heddle::accuracy

#endif // HEDDLE_BENCHMARKS_ACCURACY_NUMBERS_H
