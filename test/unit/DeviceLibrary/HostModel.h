//===- HostModel.h - The device code on the host ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declares the library's functions, compiled for the host, and the models of
// the instructions under them. The models follow docs/ir-contract.md and know
// nothing of the library's methods.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_DEVICELIBRARY_HOSTMODEL_H
#define HEDDLE_TEST_UNIT_DEVICELIBRARY_HOSTMODEL_H

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace heddle::device {
/// Which way the approximate instructions err, as far as PTX lets them: below
/// (-1), rounded to nearest (0) or above (1). The library must be exact for
/// whatever the hardware's tables give.
extern int ApproximationError;
} // namespace heddle::device

extern "C" {
uint32_t __heddle_udiv32(uint32_t, uint32_t);
uint32_t __heddle_urem32(uint32_t, uint32_t);
int32_t __heddle_sdiv32(int32_t, int32_t);
int32_t __heddle_srem32(int32_t, int32_t);
uint64_t __heddle_udiv64(uint64_t, uint64_t);
uint64_t __heddle_urem64(uint64_t, uint64_t);
int64_t __heddle_sdiv64(int64_t, int64_t);
int64_t __heddle_srem64(int64_t, int64_t);
#define HEDDLE_DECLARE(Type, Suffix)                                           \
  Type __heddle_div_##Suffix(Type, Type);                                      \
  Type __heddle_rcp_##Suffix(Type);                                            \
  Type __heddle_sqrt_##Suffix(Type);
HEDDLE_DECLARE(float, rn_f32)
HEDDLE_DECLARE(float, rz_f32)
HEDDLE_DECLARE(float, rm_f32)
HEDDLE_DECLARE(float, rp_f32)
HEDDLE_DECLARE(float, rn_ftz_f32)
HEDDLE_DECLARE(float, rz_ftz_f32)
HEDDLE_DECLARE(float, rm_ftz_f32)
HEDDLE_DECLARE(float, rp_ftz_f32)
HEDDLE_DECLARE(double, rn_f64)
HEDDLE_DECLARE(double, rz_f64)
HEDDLE_DECLARE(double, rm_f64)
HEDDLE_DECLARE(double, rp_f64)
#undef HEDDLE_DECLARE
float __heddle_div_full_f32(float, float);
float __heddle_div_full_ftz_f32(float, float);
float __heddle_div_approx_f32(float, float);
float __heddle_div_approx_ftz_f32(float, float);
double __heddle_rsqrt_approx_f64(double);
}

/// Host arithmetic in another rounding mode, while it lives.
class RoundingScope {
public:
  explicit RoundingScope(int Mode) { std::fesetround(Mode); }
  ~RoundingScope() { std::fesetround(FE_TONEAREST); }
};

template <typename T> struct BitsOf;
template <> struct BitsOf<float> {
  using Type = uint32_t;
};
template <> struct BitsOf<double> {
  using Type = uint64_t;
};

/// \p Value with a subnormal replaced by a zero of its sign.
template <typename T> T flush(T Value) {
  return std::fpclassify(Value) == FP_SUBNORMAL ? std::copysign(T(0), Value)
                                                : Value;
}

#endif // HEDDLE_TEST_UNIT_DEVICELIBRARY_HOSTMODEL_H
