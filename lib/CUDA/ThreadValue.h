//===- ThreadValue.h - What each thread has of its own ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program's static objects call us in their destructors, when thread_local
// objects of the main thread are gone. These ones are not.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_THREADVALUE_H
#define HEDDLE_LIB_CUDA_THREADVALUE_H

#include <sys/syscall.h>
#include <unistd.h>

namespace heddle::cuda {

/// The thread's T, made when the thread first asks for it; there is one for
/// each type. It ends with the thread; that of the main thread stays until the
/// process is gone.
template <typename T> T &threadValue() {
  static thread_local T *Mine = nullptr;
  struct End {
    ~End() {
      if (syscall(SYS_gettid) == getpid())
        return;
      delete Mine;
      Mine = nullptr;
    }
  };
  if (!Mine) {
    static thread_local End AtEnd;
    (void)AtEnd;
    Mine = new T();
  }
  return *Mine;
}

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_THREADVALUE_H
