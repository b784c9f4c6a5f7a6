//===- HostKernels.h - The kernels as host functions ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of all kernels of test/kernels, compiled for the host.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_KERNELS_HOST_HOSTKERNELS_H
#define HEDDLE_TEST_KERNELS_HOST_HOSTKERNELS_H

#include "heddle/Runtime/Device.h"

namespace host {

struct Kernel {
  heddle::rt::KernelInfo Info;
  /// Runs one thread with a parameter block.
  std::function<void(const uint8_t *Params)> Run;
};

std::vector<Kernel> makeKernels();
std::vector<heddle::rt::SymbolInfo> makeSymbols();

/// Runs all threads of a launch.
void runGrid(const Kernel &K, const heddle::rt::LaunchConfig &Config);

/// What the kernels printed since the last call.
std::string takeOutput();

} // namespace host

#endif // HEDDLE_TEST_KERNELS_HOST_HOSTKERNELS_H
