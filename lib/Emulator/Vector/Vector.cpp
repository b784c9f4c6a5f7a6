//===- Vector.cpp - Choosing host vector code -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The choice is made when a module is loaded.
//
//===----------------------------------------------------------------------===//

#include "Vector.h"

namespace heddle::emu {

bool areSupported(HostVectors V) {
  switch (V) {
  case HostVectors::AVX2:
#if defined(__clang__) && defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
  case HostVectors::AVX512:
#if defined(__clang__) && defined(__x86_64__)
    return areSupported(HostVectors::AVX2) &&
           __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#else
    return false;
#endif
  default:
    return true;
  }
}

HostVectors bestVectors() {
  for (HostVectors V : {HostVectors::AVX512, HostVectors::AVX2})
    if (areSupported(V))
      return V;
  return HostVectors::Portable;
}

static const LaneFunctions &bestLaneFunctions() {
#if defined(__clang__) && defined(__x86_64__)
  if (bestVectors() == HostVectors::AVX512)
    return avx512::Lanes;
  if (bestVectors() == HostVectors::AVX2)
    return avx2::Lanes;
#endif
  return portable::Lanes;
}

const LaneFunctions &laneFunctions() {
  static const LaneFunctions &Best = bestLaneFunctions();
  return Best;
}

ExecFn vectorExecutor(HostVectors V, const DecodedInst &I) {
  switch (V) {
  case HostVectors::Best:
    return vectorExecutor(bestVectors(), I);
#ifdef __clang__
#ifdef __x86_64__
  case HostVectors::AVX512:
    return avx512::executorFor(I);
  case HostVectors::AVX2:
    return avx2::executorFor(I);
#endif
  case HostVectors::Portable:
    return portable::executorFor(I);
#endif
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
