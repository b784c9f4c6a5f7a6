//===- Sampler.h - Where threads of the program are -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HEDDLE_CPU_SAMPLES asks for: so many samples in each second of a
// thread's time on a core.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_SAMPLING_SAMPLER_H
#define HEDDLE_LIB_CUDA_TRACE_SAMPLING_SAMPLER_H

namespace heddle::cuda::trace {

/// Begins to sample, if it is asked for. What is wrong is said on stderr.
void startSampling();
/// Nothing is sampled any more; what was goes to the recorder.
void stopSampling();
/// In a child of fork: timers and threads are the parent's.
void abandonSampling();

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_SAMPLING_SAMPLER_H
