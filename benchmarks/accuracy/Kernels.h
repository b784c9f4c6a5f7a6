//===- Kernels.h - Kernels that run functions -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel for each function. Thread I loads argument I of each column, and
// stores the result. Its parameters are the columns' addresses, that of the
// results and the number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_ACCURACY_KERNELS_H
#define HEDDLE_BENCHMARKS_ACCURACY_KERNELS_H

#include "Functions.h"

namespace heddle::accuracy {

/// The name of a function's kernel.
std::string kernelName(const Function &F);

/// PTX of the functions that are instructions or in libdevice, which is linked.
std::string ptxText(const std::vector<const Function *> &Functions);

/// CUDA of those that have an expression.
std::string cudaText(const std::vector<const Function *> &Functions);

} // namespace heddle::accuracy

#endif // HEDDLE_BENCHMARKS_ACCURACY_KERNELS_H
