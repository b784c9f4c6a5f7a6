//===- PerThread.h - Calls on the stream of the thread ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code built with --default-stream per-thread calls other names
// (cudaMemcpy_ptds, cudaMemcpyAsync_ptsz, ...), which are the same functions
// but for what stream 0 means while they run.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_PERTHREAD_H
#define HEDDLE_LIB_CUDA_PERTHREAD_H

namespace heddle::cuda {

/// While one lives, stream 0 is the thread's own stream, for this thread.
class PerThreadScope {
public:
  PerThreadScope() { ++Depth; }
  ~PerThreadScope() { --Depth; }
  PerThreadScope(const PerThreadScope &) = delete;
  PerThreadScope &operator=(const PerThreadScope &) = delete;
  static bool isActive() { return Depth != 0; }

private:
  static thread_local unsigned Depth;
};

template <auto Function> struct PerThread;
template <typename R, typename... A, R (*Function)(A...)>
struct PerThread<Function> {
  static R call(A... Arguments) {
    PerThreadScope Scope;
    return Function(Arguments...);
  }
};

} // namespace heddle::cuda

#if defined(__x86_64__)
#define HEDDLE_JUMP_THROUGH(Entry) "jmp *" Entry "(%rip)"
#elif defined(__aarch64__)
#define HEDDLE_JUMP_THROUGH(Entry)                                             \
  "adrp x16, " Entry "\nldr x16, [x16, :lo12:" Entry "]\nbr x16"
#endif

/// Defines the function PlainSuffix, Plain's variant. Its type is Plain's; it
/// is assembly so that the type need not be written down again.
#define HEDDLE_PER_THREAD(Plain, Suffix)                                       \
  extern "C" __attribute__((used, visibility("hidden")))                       \
  const decltype(&Plain) Plain##Suffix##_entry =                               \
      &heddle::cuda::PerThread<&Plain>::call;                                  \
  asm(".text\n.globl " #Plain #Suffix "\n.type " #Plain #Suffix                \
      ", %function\n" #Plain #Suffix                                           \
      ":\n" HEDDLE_JUMP_THROUGH(#Plain #Suffix "_entry") "\n");

#endif // HEDDLE_LIB_CUDA_PERTHREAD_H
