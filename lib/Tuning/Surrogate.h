//===- Surrogate.h - Search by a model of the costs -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bayesian optimisation. Private to lib/Tuning.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TUNING_SURROGATE_H
#define HEDDLE_LIB_TUNING_SURROGATE_H

#include "heddle/Tuning/Search.h"

namespace heddle::tuning {

std::unique_ptr<Strategy> createSurrogateStrategy(const Space &S,
                                                  uint64_t Seed);

} // namespace heddle::tuning

#endif // HEDDLE_LIB_TUNING_SURROGATE_H
