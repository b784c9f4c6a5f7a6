//===- LaunchTrials.h - Launches again, in copies of a process --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch would take without a limiter is known when it runs again with
// the memory that it found. A copy of the process that is made before the
// launch has that memory, and the program cannot tell.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_PROFILING_LAUNCHTRIALS_H
#define HEDDLE_LIB_CUDA_PROFILING_LAUNCHTRIALS_H

#include "heddle/Emulator/Trials.h"
#include "heddle/Metrics/Advice.h"
#include "llvm/ADT/StringMap.h"

#include <mutex>

namespace heddle::cuda {

/// Any thread may call anything at any time.
class LaunchTrials {
public:
  static LaunchTrials &get();

  /// Before a launch: makes a copy, if the launch may turn out to be of
  /// interest. Copies are of the thread's next launch.
  void prepare(const rt::KernelInfo &Kernel, const rt::LaunchConfig &Config,
               emu::LaunchWithout Run);
  /// Behind it: finds out what \p Suspected would save, if the launch is slower
  /// than those of its kernel that were tried. The others know why not.
  void prove(llvm::StringRef Kernel, uint64_t Cycles,
             std::vector<prof::Advice> &Suspected);

  /// Gives up the thread's copy.
  static void forget();

private:
  /// What is known of a kernel.
  struct Known {
    uint64_t Copies = 0;      ///< That were made.
    uint64_t MostThreads = 0; ///< Of any of its launches.
    uint64_t MostCycles = 0;  ///< Of the launches that were tried.
  };
  bool isOfInterest(const rt::KernelInfo &Kernel,
                    const rt::LaunchConfig &Config);

  std::mutex Mutex; ///< Of what follows.
  llvm::StringMap<Known> Kernels;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_PROFILING_LAUNCHTRIALS_H
