//===- Observations.h - What devices and compiler do ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the runtime's and the compiler's observers to the recorder.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_OBSERVATIONS_H
#define HEDDLE_LIB_CUDA_TRACE_OBSERVATIONS_H

#include "Trace/Events.h"
#include "heddle/Driver/Trace.h"
#include "heddle/Runtime/Queue.h"

namespace heddle::cuda::trace {

/// Records a kernel, copy or fill on the device of that number, and what the
/// model of time says of the kernel.
void noteWork(const rt::ObservedWork &W, unsigned Device);

/// The thread is about to launch what was instantiated under that number.
void noteGraph(unsigned Exec);

/// Records how much memory devices have given out, where that is another number
/// than before.
void noteMemory();

/// Notes which stream and device a call is about that waits, and that it did.
void noteWait(Call &C);

/// Records a stage of a compilation. In virtual time compiling takes none: then
/// there is nothing to record.
void noteStage(const TraceEvent &Event);

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_OBSERVATIONS_H
