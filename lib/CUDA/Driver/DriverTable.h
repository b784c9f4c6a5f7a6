//===- DriverTable.h - The driver API by name -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cuGetProcAddress looks functions up in.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DRIVERTABLE_H
#define HEDDLE_LIB_CUDA_DRIVERTABLE_H

#include <string_view>

namespace heddle::cuda {

struct DriverFunction {
  void *Function = nullptr;
  std::string_view Symbol = {}; ///< As libcuda exports it.
  bool IsKnown =
      false; ///< There is one of that name, if only in later versions.
};

/// The function that a program means by a name which was built for Version of
/// CUDA (1000 * major + 10 * minor). A whole symbol, such as cuMemAlloc_v2,
/// means itself. PerThread: with the thread's default stream.
DriverFunction findDriverFunction(std::string_view Wanted, int Version,
                                  bool PerThread);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DRIVERTABLE_H
