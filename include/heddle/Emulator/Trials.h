//===- Trials.h - Launches that run once more -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch would take without a limiter is known when it runs again in a
// model that leaves the limiter out. Memory has to be as it was: who asks sees
// to that.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_EMULATOR_TRIALS_H
#define HEDDLE_EMULATOR_TRIALS_H

#include "heddle/Runtime/Device.h"
#include "heddle/Runtime/Profile.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace heddle::emu {

/// Runs a launch without limiters, and without its output.
using LaunchWithout =
    llvm::function_ref<llvm::Expected<rt::LaunchResult>(rt::LimiterSet)>;

/// Called on the thread of each launch that is timed, before it begins.
using LaunchHook =
    std::function<void(const rt::KernelInfo &Kernel,
                       const rt::LaunchConfig &Config, LaunchWithout Run)>;

/// \p Device is one that createEmulatorDevice made, and has not launched yet.
void setLaunchHook(rt::Device &Device, LaunchHook Hook);

} // namespace heddle::emu

#endif // HEDDLE_EMULATOR_TRIALS_H
