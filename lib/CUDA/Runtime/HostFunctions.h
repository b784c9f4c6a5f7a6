//===- HostFunctions.h - A program's functions in streams -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function of the program that a stream runs may not call CUDA: a call that
// waits for the stream would wait for the function itself. As with NVIDIA's
// driver, such calls return "not permitted", on which GCC's libgomp relies.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_HOSTFUNCTIONS_H
#define HEDDLE_LIB_CUDA_HOSTFUNCTIONS_H

#include "heddle/Runtime/Operation.h"

namespace heddle::cuda {

/// While one lives, this thread runs a function of the program's in a stream.
class HostFunctionScope {
public:
  HostFunctionScope() { IsInside = true; }
  ~HostFunctionScope() { IsInside = false; }
  HostFunctionScope(const HostFunctionScope &) = delete;
  HostFunctionScope &operator=(const HostFunctionScope &) = delete;
  static bool isActive() { return IsInside; }

private:
  static thread_local bool IsInside;
};

/// The operation that calls Function, which is the program's.
template <typename Fn> rt::HostOp hostFunction(Fn Function) {
  return rt::HostOp{[=] {
    HostFunctionScope Scope;
    Function();
  }};
}

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_HOSTFUNCTIONS_H
