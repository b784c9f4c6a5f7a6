//===- Instructions.h - What the device code is built on --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The instructions that the device library calls by name: NVVM's approximations
// and Heddle's fix-up operations, as docs/ir-contract.md defines them. Compiled
// for the host with HEDDLE_HOST_TEST, the same names are functions of the test.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEVICELIBRARY_DEVICE_INSTRUCTIONS_H
#define HEDDLE_LIB_DEVICELIBRARY_DEVICE_INSTRUCTIONS_H

#define HEDDLE_INSTRUCTION extern "C" __attribute__((const))
#define HEDDLE_DEVICE_INLINE extern "C" __attribute__((always_inline))
#define HEDDLE_DEVICE_CALLED extern "C" __attribute__((noinline))

namespace heddle::device {

using Float2 = float __attribute__((ext_vector_type(2)));
using Double2 = double __attribute__((ext_vector_type(2)));

/// The bits of a fix-up operation's mode.
enum Mode : int { RN = 0, RZ = 1, RM = 2, RP = 3, FTZ = 4 };

HEDDLE_INSTRUCTION Float2 __heddle_fdprep_f32(float A, float B);
HEDDLE_INSTRUCTION float __heddle_fdfix_f32(float Q, float R, float A, float B,
                                            int Mode);
HEDDLE_INSTRUCTION float __heddle_fsqprep_f32(float A);
HEDDLE_INSTRUCTION float __heddle_fsqfix_f32(float S, float R, float A,
                                             int Mode);
HEDDLE_INSTRUCTION Double2 __heddle_ddprep_f64(double A, double B);
HEDDLE_INSTRUCTION double __heddle_ddfix_f64(double Q, double R, double A,
                                             double B, int Mode);
HEDDLE_INSTRUCTION double __heddle_dsqprep_f64(double A);
HEDDLE_INSTRUCTION double __heddle_dsqfix_f64(double S, double R, double A,
                                              int Mode);

#ifdef HEDDLE_HOST_TEST
float approxReciprocal(float X);
float approxReciprocalRoot(float X);
float multiplyFTZ(float A, float B);
inline float multiply(float A, float B) { return A * B; }
#else
/// 1 / X within one unit in the last place; subnormals count as zero.
inline float approxReciprocal(float X) { return __nvvm_rcp_approx_ftz_f(X); }
/// 1 / sqrt(X) within two units in the last place.
inline float approxReciprocalRoot(float X) {
  return __nvvm_rsqrt_approx_ftz_f(X);
}
/// A * B; subnormals count as zero, in the result, too.
inline float multiplyFTZ(float A, float B) { return __nvvm_mul_rn_ftz_f(A, B); }
/// A * B, of which a NaN is the canonical one for constants, too.
inline float multiply(float A, float B) { return __nvvm_mul_rn_f(A, B); }
#endif

inline float fma(float A, float B, float C) { return __builtin_fmaf(A, B, C); }
inline double fma(double A, double B, double C) {
  return __builtin_fma(A, B, C);
}

} // namespace heddle::device

#endif // HEDDLE_LIB_DEVICELIBRARY_DEVICE_INSTRUCTIONS_H
