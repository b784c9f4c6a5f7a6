//===- Quick.h - Functions in the host's long double ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nearly exact values for nearly no time (Functions.h, Quick).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_ACCURACY_QUICK_H
#define HEDDLE_BENCHMARKS_ACCURACY_QUICK_H

#include <cmath>

namespace heddle::accuracy {

template <long double (*F)(long double)>
inline long double quick(const long double *X) {
  return F(X[0]);
}
template <long double (*F)(long double, long double)>
inline long double quick2(const long double *X) {
  return F(X[0], X[1]);
}

// The host's long double has the exponents for these sums.
inline long double quickNorm3(const long double *X) {
  return sqrtl(X[0] * X[0] + X[1] * X[1] + X[2] * X[2]);
}
inline long double quickNorm4(const long double *X) {
  return sqrtl(X[0] * X[0] + X[1] * X[1] + X[2] * X[2] + X[3] * X[3]);
}
inline long double quickNorm2(const long double *X) {
  return sqrtl(X[0] * X[0] + X[1] * X[1]);
}
inline long double quickReciprocalNorm2(const long double *X) {
  return 1 / quickNorm2(X);
}
inline long double quickReciprocalNorm3(const long double *X) {
  return 1 / quickNorm3(X);
}
inline long double quickReciprocalNorm4(const long double *X) {
  return 1 / quickNorm4(X);
}
inline long double quickReciprocalCubeRoot(const long double *X) {
  return 1 / cbrtl(X[0]);
}
inline long double quickReciprocalRoot(const long double *X) {
  return 1 / sqrtl(X[0]);
}
inline long double quickReciprocal(const long double *X) { return 1 / X[0]; }
inline long double quickQuotient(const long double *X) { return X[0] / X[1]; }
inline long double quickSineOfPi(const long double *X) {
  long double Rest = X[0] - 2 * roundl(X[0] / 2);
  // Near whole numbers the factor of pi must not lose bits.
  long double Near = roundl(Rest);
  long double Sine = sinl((Rest - Near) * 3.14159265358979323846264L);
  return Near == 0 ? Sine : -Sine;
}
inline long double quickCosineOfPi(const long double *X) {
  long double Half = fabsl(X[0] - 2 * roundl(X[0] / 2)) - 0.5L;
  return -sinl(Half * 3.14159265358979323846264L);
}

} // namespace heddle::accuracy

#endif // HEDDLE_BENCHMARKS_ACCURACY_QUICK_H
