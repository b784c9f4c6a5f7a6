//===- Results.h - What functions of NCCL return ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results, and the text of a thread's last error.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_RESULTS_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_RESULTS_H

#include "ABI.h"
#include "llvm/ADT/Twine.h"

#include <string>

namespace heddle::cuda::collectives {

/// ncclResult_t.
enum Result : int {
  Success = 0,
  UnhandledCudaError = 1,
  SystemError = 2,
  InternalError = 3,
  InvalidArgument = 4,
  InvalidUsage = 5,
  RemoteError = 6,
  InProgress = 7,
};

/// Notes why a call of this thread fails, for ncclGetLastError and the log of
/// errors.
Result fail(Result Code, const llvm::Twine &Why);
/// The same for a call of CUDA's, if it failed.
Result check(cudaError_t Code, const char *What);
/// The thread's last one; empty if there was none.
const std::string &lastFailure();

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_RESULTS_H
