//===- Device.h - Runs functions on the emulator ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is compiled, linked with libdevice where asked, and launched through the
// C API.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_ACCURACY_DEVICE_H
#define HEDDLE_BENCHMARKS_ACCURACY_DEVICE_H

#include "Judge.h"
#include "Samples.h"

#include "heddle-c/heddle.hpp"

#include <optional>

namespace heddle::accuracy {

/// A module with the kernels of functions.
class Device {
public:
  /// Loads what is compiled from \p PTX, linked with \p Library unless that is
  /// empty. \p Level is an option such as -O3.
  Device(const std::string &PTX, const std::string &Library,
         const std::string &Level);

  /// Runs a function at all samples and shows the results to \p J.
  void run(const Function &F, const Samples &S, Judge &J);

private:
  api::Context Context;
  std::optional<api::Module> Module;
};

} // namespace heddle::accuracy

#endif // HEDDLE_BENCHMARKS_ACCURACY_DEVICE_H
