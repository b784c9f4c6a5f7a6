//===- SystemCalls.h - Calls of the C library -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HEDDLE_OS_CALLS asks for: calls of the C library that take longer than a
// microsecond, by threads of the program and outside of our libraries.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_SYSTEMCALLS_H
#define HEDDLE_LIB_CUDA_TRACE_SYSTEMCALLS_H

namespace heddle::cuda::trace {

/// Tells the recorder of such calls from now on, if the library that hands them
/// over is loaded; and no longer.
void watchSystemCalls();
void forgetSystemCalls();

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_SYSTEMCALLS_H
