//===- Features.h - What a kernel is like -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Figures of a kernel's text by which kernels with similar code are found: what
// was best for one is where the search for another starts.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TUNING_FEATURES_H
#define HEDDLE_TUNING_FEATURES_H

#include "heddle/Tuning/KernelText.h"

#include <array>

namespace heddle::tuning {

/// Of the instructions, the shares of each kind (global, shared and local
/// memory, atomics and barriers, matrices, functions such as roots, floating
/// point, integers, branches), and the logarithm of their number over 10.
inline constexpr size_t NumFeatures = 10;
using Features = std::array<double, NumFeatures>;

Features featuresOf(const KernelText &Kernel);

/// Euclid's.
double distance(const Features &A, const Features &B);

} // namespace heddle::tuning

#endif // HEDDLE_TUNING_FEATURES_H
