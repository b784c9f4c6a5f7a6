//===- CachePolicy.h - What the L2 cache is to keep -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may reserve a part of the second-level cache, and name a window of
// addresses that streams, launches and nodes of graphs shall find there. The
// cache of the device needs no such hint: what is asked for is checked and
// kept, and nothing follows from it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_CACHEPOLICY_H
#define HEDDLE_LIB_CUDA_CACHEPOLICY_H

#include "ABI.h"
#include "heddle/Runtime/Device.h"
#include "llvm/ADT/ArrayRef.h"

namespace heddle::cuda {

/// The longest window that a program may name.
constexpr int LargestPolicyWindow = 128 << 20;

/// How much of a device's cache can be reserved. A part of a device reserves
/// nothing, as with CUDA.
size_t mostPersistingBytes(const rt::DeviceProperties &Device, bool IsPart);

/// Whether a value of cudaLaunchAttributeAccessPolicyWindow is one.
cudaError_t checkPolicyWindow(const void *Value);

/// The same of all attributes that are windows.
cudaError_t checkPolicyWindows(llvm::ArrayRef<cudaLaunchAttribute> Attributes);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_CACHEPOLICY_H
