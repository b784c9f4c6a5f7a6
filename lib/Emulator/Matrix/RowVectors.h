//===- RowVectors.h - A column of a product in vectors ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What dense products have in common: vectors with an element for each of their
// 16 rows, and the formats of what these hold. All is inlined into functions
// for one kind of host, since how vectors are passed depends on it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MATRIX_ROWVECTORS_H
#define HEDDLE_LIB_EMULATOR_MATRIX_ROWVECTORS_H

#include "Matrix/DenseProduct.h"
#include "heddle/Emulator/Emulator.h"

#include <cstring>

namespace heddle::emu {

typedef int32_t Words __attribute__((ext_vector_type(DenseMatrices::M)));
typedef uint32_t Magnitudes __attribute__((ext_vector_type(DenseMatrices::M)));
typedef int64_t Sums __attribute__((ext_vector_type(DenseMatrices::M)));
typedef float Floats __attribute__((ext_vector_type(DenseMatrices::M)));
typedef double Doubles __attribute__((ext_vector_type(DenseMatrices::M)));

/// Below every exponent that a number has.
constexpr int32_t ZeroExponent = -0x4000;

#define HEDDLE_INLINE static inline __attribute__((always_inline))

HEDDLE_INLINE Words load(const void *From) {
  Words V;
  std::memcpy(&V, From, sizeof(V));
  return V;
}
HEDDLE_INLINE void store(void *To, Words V) { std::memcpy(To, &V, sizeof(V)); }

/// Defines the function \p Best, which returns the inlined function \p Name as
/// it is compiled for the best vectors of this host.
#if defined(__x86_64__)
#define HEDDLE_HOST_VERSIONS(Best, Name, Parameters, Arguments)                \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) bool           \
      Name##WithAVX512 Parameters {                                            \
    return Name Arguments;                                                     \
  }                                                                            \
  __attribute__((target("avx2"))) bool Name##WithAVX2 Parameters {             \
    return Name Arguments;                                                     \
  }                                                                            \
  bool Name##Portably Parameters { return Name Arguments; }                    \
  auto Best() -> bool(*) Parameters {                                          \
    if (areSupported(HostVectors::AVX512))                                     \
      return Name##WithAVX512;                                                 \
    return areSupported(HostVectors::AVX2) ? Name##WithAVX2 : Name##Portably;  \
  }
#else
#define HEDDLE_HOST_VERSIONS(Best, Name, Parameters, Arguments)                \
  bool Name##Portably Parameters { return Name Arguments; }                    \
  auto Best() -> bool(*) Parameters { return Name##Portably; }
#endif

HEDDLE_INLINE bool isAny(Words V) { return __builtin_reduce_or(V) != 0; }

/// What the bits of a number are.
struct Format {
  int ExpBits, FracBits;
  int32_t Largest;   ///< The magnitude of the largest number.
  unsigned Drop = 0; ///< Bits below those of the number.

  constexpr Format(FloatFormat F, unsigned Drop = 0)
      : ExpBits(F.ExpBits), FracBits(F.FracBits),
        Largest(static_cast<int32_t>(F.infinity() - 1)), Drop(Drop) {}
  constexpr Format(NarrowFormat F)
      : ExpBits(F.ExpBits), FracBits(F.FracBits),
        Largest(static_cast<int32_t>(F.Largest)) {}
};

HEDDLE_INLINE Format formatOf(matrix::Element E) {
  constexpr unsigned DroppedOfTF32 = 13;
  switch (E) {
  case matrix::Element::F16:
    return F16Format;
  case matrix::Element::BF16:
    return BF16Format;
  case matrix::Element::TF32:
    return {TF32Format, DroppedOfTF32};
  case matrix::Element::E4M3:
    return E4M3Format;
  default:
    return E5M2Format;
  }
}
HEDDLE_INLINE Format formatOf(matrix::Result R) {
  return R == matrix::Result::F16 ? F16Format : F32Format;
}

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MATRIX_ROWVECTORS_H
