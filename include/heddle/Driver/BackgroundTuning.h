//===- BackgroundTuning.h - Starting ptx-tune -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A search for better code in a process of its own, which outlives this one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_BACKGROUNDTUNING_H
#define HEDDLE_DRIVER_BACKGROUNDTUNING_H

#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// The path of ptx-tune, found as the compiler's library is.
std::string tunerPath();

/// Runs `ptx-tune --background` with \p Arguments and a cache in a directory,
/// and waits until it has understood them and searches. Returns what went
/// wrong, if anything did. Any thread may call it.
std::optional<std::string>
startTuning(const std::string &CacheDirectory,
            const std::vector<std::string> &Arguments);

} // namespace heddle

#endif // HEDDLE_DRIVER_BACKGROUNDTUNING_H
