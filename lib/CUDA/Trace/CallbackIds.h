//===- CallbackIds.h - Functions by CUPTI's numbers -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Profilers know functions by numbers, and by names that say the version of
// CUDA that brought them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_CALLBACKIDS_H
#define HEDDLE_LIB_CUDA_TRACE_CALLBACKIDS_H

#include "Trace/Events.h"

namespace heddle::cuda::trace {

/// A function as profilers know it.
struct CallbackId {
  uint32_t Number = 0; ///< 0: they do not know it.
  const char *Name = nullptr;
};

/// The newest of that name: cudaMalloc is cudaMalloc_v3020.
CallbackId callbackOf(Interface Of, llvm::StringRef Function);
/// The number of the driver's function that NVIDIA's runtime calls for one of
/// its own, as far as profilers of the driver care for it; else 0.
uint32_t driverCallbackOf(llvm::StringRef RuntimeFunction);
/// The name of a number; null if there is none.
const char *callbackName(Interface Of, uint32_t Number);

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_CALLBACKIDS_H
