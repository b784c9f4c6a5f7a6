//===- Calls.h - Calls of NVIDIA's functions --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs reach each function through a stub, which costs four instructions
// while nobody watches. Else it notes when the call begins and ends. It knows
// nothing of the function's type: registers and the part of the stack where
// arguments may be are passed on as they are.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_CALLS_H
#define HEDDLE_LIB_CUDA_TRACE_CALLS_H

#include "Trace/Events.h"

namespace heddle::cuda::trace {

/// The stub of a function, by which programs shall call it; the function itself
/// if it is none whose calls are of interest.
void *stubOf(llvm::StringRef Name, void *Address);

/// Who may want to know of calls.
enum class CallWatcher : unsigned {
  Recorder = 1,
  Callbacks = 2,  ///< A profiler that wants callbacks.
  Activities = 4, ///< A profiler that wants records.
};
void watchCalls(CallWatcher Who, bool Wants);

/// How many words of arguments are in registers.
#ifdef __x86_64__
constexpr unsigned NumArgumentRegisters = 6;
#else
constexpr unsigned NumArgumentRegisters = 8;
#endif

/// A call that has begun.
struct OpenCall {
  trace::Call Call;
  /// The words in which arguments may be: registers, then the stack.
  const uint64_t *Registers = nullptr, *Stack = nullptr;
  /// What callbacks keep from the begin to the end of the call, and of the
  /// driver's call in it.
  uint64_t Kept = 0, KeptOfDriver = 0;
};

/// Called at the begin and the end of each call, if a profiler watches.
struct CallHooks {
  void (*Begin)(OpenCall &);
  void (*End)(OpenCall &);
};
/// \p Hooks stay for good; null: nothing is called.
void setCallHooks(const CallHooks *Hooks);

/// Whether the thread is in a call that is noted.
bool isInCall();

/// The thread's capturedNodes end with it.
void forgetCaptures();

/// Who has called a function, which sees \p ReturnAddress: the caller of the
/// stub, where that is in between.
const void *callerBehindStub(const void *ReturnAddress);

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_CALLS_H
