//===- RandomTuning.h - Decisions of all kinds ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tuning document says how a kernel is compiled; no decision in it, however
// foolish, may change what the kernel computes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_RANDOM_RANDOMTUNING_H
#define HEDDLE_TEST_RANDOM_RANDOMTUNING_H

#include "heddle/Support/RandomGenerator.h"
#include "heddle/Tuning/Document.h"

#include <map>
#include <string>
#include <vector>

namespace heddle::random {

/// A document with decisions for all of \p Kernels, which have their loops with
/// them: few, many or all that the compiler can be told, with values that a
/// search would try or any others in their ranges.
tuning::Document makeRandomTuning(
    const std::map<std::string, std::vector<tuning::LoopShape>> &Kernels,
    RandomGenerator &R);

} // namespace heddle::random

#endif // HEDDLE_TEST_RANDOM_RANDOMTUNING_H
