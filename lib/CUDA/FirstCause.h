//===- FirstCause.h - Why the device takes no more calls --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After a fault every call returns the same error. The first of these calls
// says on stderr what happened and in which launch; later ones refer to that.
// Where pytest runs several tests in one process, messages name the test that
// launched the kernel and the test that is refused.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FIRSTCAUSE_H
#define HEDDLE_LIB_CUDA_FIRSTCAUSE_H

#include "heddle/Runtime/Queue.h"

#include <atomic>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::cuda {

/// Any thread may call anything at any time.
class FirstCause {
public:
  static FirstCause &get();

  /// The number of a launch that begins now: the process's launches of kernels
  /// and graphs are counted from 1.
  uint32_t countLaunch();

  /// Says why the call at work returns the error of \p Failure, as the comment
  /// above describes.
  void report(const rt::QueueFailure &Failure);

  /// The device begins anew.
  void forget();

private:
  std::string testOf(uint32_t Launch) const;

  std::atomic<uint32_t> Launches{0};
  mutable std::mutex Mutex; ///< Of everything below.
  /// Tests, each with its first launch.
  std::vector<std::pair<uint32_t, std::string>> Tests;
  bool IsReported = false;
  std::string RefusedTest; ///< The last one that was told.
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_FIRSTCAUSE_H
