//===- CachePolicy.cpp - What the L2 cache is to keep -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bounds are those of CUDA's documentation.
//
//===----------------------------------------------------------------------===//

#include "Runtime/CachePolicy.h"

#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

namespace {

/// cudaAccessProperty.
enum class AccessProperty : int { Normal, Streaming, Persisting };

/// cudaAccessPolicyWindow.
struct AccessPolicyWindow {
  void *Base;
  size_t Bytes;
  float HitRatio;
  AccessProperty Hit, Miss;
};
static_assert(sizeof(AccessPolicyWindow) == 32);

} // namespace

size_t heddle::cuda::mostPersistingBytes(const rt::DeviceProperties &Device,
                                         bool IsPart) {
  return IsPart ? 0 : Device.L2Bytes / 4 * 3;
}

cudaError_t heddle::cuda::checkPolicyWindow(const void *Value) {
  AccessPolicyWindow W;
  std::memcpy(&W, Value, sizeof(W));
  bool IsProperty =
      W.Hit >= AccessProperty::Normal && W.Hit <= AccessProperty::Persisting &&
      (W.Miss == AccessProperty::Normal || W.Miss == AccessProperty::Streaming);
  bool IsRatio = W.HitRatio >= 0 && W.HitRatio <= 1;
  return IsProperty && IsRatio && W.Bytes <= LargestPolicyWindow
             ? cudaSuccess
             : cudaErrorInvalidValue;
}

cudaError_t
heddle::cuda::checkPolicyWindows(ArrayRef<cudaLaunchAttribute> Attributes) {
  for (const cudaLaunchAttribute &A : Attributes)
    if (A.id == cudaLaunchAttributeAccessPolicyWindow)
      if (cudaError_t Code = checkPolicyWindow(&A.val); Code != cudaSuccess)
        return Code;
  return cudaSuccess;
}
