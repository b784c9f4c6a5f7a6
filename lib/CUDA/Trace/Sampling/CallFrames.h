//===- CallFrames.h - From a function to its caller -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables by which exceptions find their way (.eh_frame) say where each
// function keeps its caller's registers. They are applied to a copy of a
// thread's stack, so that nobody has to stand still for it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_SAMPLING_CALLFRAMES_H
#define HEDDLE_LIB_CUDA_TRACE_SAMPLING_CALLFRAMES_H

#include "Trace/Sampling/CodeFiles.h"
#include "Trace/Sampling/Machine.h"
#include "llvm/ADT/ArrayRef.h"

namespace heddle::cuda::trace {

/// A copy of the part of a thread's stack that is in use.
struct StackCopy {
  uint64_t Address = 0;
  llvm::ArrayRef<uint8_t> Bytes;

  /// The eight bytes at an address of the thread.
  std::optional<uint64_t> read(uint64_t At) const;
};

/// A thread's call stack.
struct CallStack {
  /// Addresses in the functions, the innermost first: of the next instruction
  /// in that one, of the calls in the others.
  std::vector<uint64_t> PCs;
  bool IsWhole = false; ///< It ends where the thread began.
};

CallStack unwind(MachineState S, const StackCopy &Stack, CodeMap &Code);

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_SAMPLING_CALLFRAMES_H
