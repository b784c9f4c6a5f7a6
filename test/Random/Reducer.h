//===- Reducer.h - Makes a failing program small ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes statements away as long as the program still fails.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_RANDOM_REDUCER_H
#define HEDDLE_TEST_RANDOM_REDUCER_H

#include "Program.h"

#include <functional>

namespace heddle::random {

/// Whether a program still shows what is looked for.
using InterestTest = std::function<bool(const RandomProgram &)>;

/// A smaller program that \p IsInteresting accepts; \p P is one. It asks at
/// most \p MaxTests times.
RandomProgram reduce(RandomProgram P, const InterestTest &IsInteresting,
                     unsigned MaxTests = 3000);

} // namespace heddle::random

#endif // HEDDLE_TEST_RANDOM_REDUCER_H
