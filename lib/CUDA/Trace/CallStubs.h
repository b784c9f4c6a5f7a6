//===- CallStubs.h - The layout of stubs ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What C++ and assembly both know. A stub loads its number and jumps to a
// common part.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_CALLSTUBS_H
#define HEDDLE_LIB_CUDA_TRACE_CALLSTUBS_H

/// As many as functions of all libraries that are noted, and some more.
#define HEDDLE_CALL_STUBS 4096
#define HEDDLE_CALL_STUB_BYTES 16
/// What a call keeps on the stack.
#define HEDDLE_CALL_FRAME_BYTES 128
/// The bytes of arguments on the stack that are passed on: more than any
/// function of CUDA's has. The frames before a call are larger.
#define HEDDLE_CALL_ARGUMENT_BYTES 128

/// The first stub, and where functions return to that a stub has called.
extern "C" __attribute__((visibility("hidden"))) char heddleCallStubs[];
extern "C" __attribute__((visibility("hidden"))) char heddleStubReturn[];

#endif // HEDDLE_LIB_CUDA_TRACE_CALLSTUBS_H
