//===- SystemCalls.h - Who is told of calls that wait -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// libheddle-oscalls.so, which ptx-env has loaded first, hands over the calls of
// the C library to libheddle-cuda.so, which it does not know.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_PRELOAD_SYSTEMCALLS_H
#define HEDDLE_LIB_CUDA_PRELOAD_SYSTEMCALLS_H

#include <atomic>
#include <cstdint>

namespace heddle::cuda {

struct SystemCallSink {
  /// The time, on the thread of a call that returns to \p Caller; 0: the call
  /// is of no interest.
  uint64_t (*Begin)(const void *Caller);
  /// \p Name stays for good.
  void (*End)(const char *Name, uint64_t Begin, int64_t Result);
};

} // namespace heddle::cuda

/// Null: nobody is.
extern "C" std::atomic<const heddle::cuda::SystemCallSink *>
    heddleSystemCallSink;

#endif // HEDDLE_LIB_CUDA_PRELOAD_SYSTEMCALLS_H
