//===- Resources.h - Callbacks about objects of a program -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contexts, streams and graphs come and go, and the host waits for them: what a
// profiler is told of that follows from the calls that do it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_CUPTI_RESOURCES_H
#define HEDDLE_LIB_CUDA_CUPTI_RESOURCES_H

#include "CUPTI/Records.h"
#include "Trace/Calls.h"

namespace heddle::cuda::cupti {

/// Tells what a call is about to take away.
void tellBefore(const trace::Call &C);
/// Tells what it has made, and what it has waited for.
void tellBehind(const trace::Call &C);

/// Calls the subscriber, if it wants to know of that.
void callSubscriber(CUpti_CallbackDomain Domain, uint32_t Number,
                    const void *Data);

} // namespace heddle::cuda::cupti

#endif // HEDDLE_LIB_CUDA_CUPTI_RESOURCES_H
