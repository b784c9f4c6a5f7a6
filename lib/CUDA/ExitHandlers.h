//===- ExitHandlers.h - What runs when a process ends -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This library registers nothing for the end of the process but what asks for
// it here.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_EXITHANDLERS_H
#define HEDDLE_LIB_CUDA_EXITHANDLERS_H

namespace heddle::cuda {

/// Has a function called when the process ends, as std::atexit does elsewhere.
void callAtExit(void (*Handler)(void *));

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_EXITHANDLERS_H
