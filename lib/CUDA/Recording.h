//===- Recording.h - A profile of a part of a process -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What heddle.profile() of the Python package asks for: a page of the launches
// between two calls. HEDDLE_PROFILING lets devices count cycles; launches
// outside of a profile are not timed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_RECORDING_H
#define HEDDLE_LIB_CUDA_RECORDING_H

#include "Profiler.h"

#include <atomic>

namespace heddle::cuda {

/// Whether devices may count cycles for profiles of parts and for dashboards. A
/// program that asks for something that excludes time gets that.
bool mayCountCycles();

/// Any thread may call anything at any time.
class Recording {
public:
  static Recording &get();

  /// A device counts cycles; \p ForProfilesAlone: for nothing else.
  void allow(bool ForProfilesAlone);
  /// Whether a launch that is enqueued now need not be timed.
  bool skipsNow() const { return IsAlone && !Now; }
  /// Whether a profile is being made.
  bool isUnderWay() const { return Now; }

  void add(const rt::ObservedLaunch &R) {
    if (Profiler *P = Now)
      P->add(R);
  }

  /// Begins a page, and ends it when all work before has ended. An empty text,
  /// or why not.
  std::string start(llvm::StringRef Path);
  std::string stop();

private:
  std::atomic<bool> IsAllowed{false}, IsAlone{false};
  std::atomic<Profiler *> Now{nullptr};
  std::mutex Mutex; ///< Of everything below.
  /// All there were: a launch may still be about to be added.
  std::vector<std::unique_ptr<Profiler>> Profilers;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_RECORDING_H
