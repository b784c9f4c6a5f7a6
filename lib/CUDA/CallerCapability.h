//===- CallerCapability.h - What libraries see of the device ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's math libraries have PTX for GPUs that are newer than they are, and
// machine code for those that they know. They choose by the compute capability,
// which is therefore another one for them than for the program.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_CALLERCAPABILITY_H
#define HEDDLE_LIB_CUDA_CALLERCAPABILITY_H

#include "Process.h"

namespace heddle::cuda {

/// What the library or program sees that has this address, of code or data.
Process::ComputeCapability capabilityFor(const void *Address);

/// Wrong if HEDDLE_LIBRARY_COMPUTE_CAPABILITY is.
llvm::Error checkLibraryCapability();

/// While there is one, Process::computeCapability answers the caller of a
/// function of CUDA's. Of several on a thread the first counts: a function that
/// calls another one answers for it.
class CallerScope {
public:
  explicit CallerScope(const void *ReturnAddress);
  ~CallerScope();
  CallerScope(const CallerScope &) = delete;
  CallerScope &operator=(const CallerScope &) = delete;

  /// The caller's address; null outside of all.
  static const void *caller();

private:
  bool IsFirst;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_CALLERCAPABILITY_H
