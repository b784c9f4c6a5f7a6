//===- Machine.h - Registers of the host, for call stacks -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers by the numbers that DWARF gives them, as a signal found them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_SAMPLING_MACHINE_H
#define HEDDLE_LIB_CUDA_TRACE_SAMPLING_MACHINE_H

#include <cstdint>
#include <ucontext.h>

namespace heddle::cuda::trace {

#if defined(__x86_64__)
constexpr unsigned NumRegisters = 16, FramePointer = 6, StackPointer = 7;
#elif defined(__aarch64__)
constexpr unsigned NumRegisters = 32, FramePointer = 29, StackPointer = 31;
#endif

/// Where a function is.
struct MachineState {
  uint64_t PC = 0;
  uint64_t Registers[NumRegisters] = {};
};

/// May be called in a handler of a signal.
inline void readState(const ucontext_t &Context, MachineState &S) {
#if defined(__x86_64__)
  constexpr int InOrder[NumRegisters] = {
      REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
      REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (unsigned I = 0; I != NumRegisters; ++I)
    S.Registers[I] =
        static_cast<uint64_t>(Context.uc_mcontext.gregs[InOrder[I]]);
  S.PC = static_cast<uint64_t>(Context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  for (unsigned I = 0; I != StackPointer; ++I)
    S.Registers[I] = Context.uc_mcontext.regs[I];
  S.Registers[StackPointer] = Context.uc_mcontext.sp;
  S.PC = Context.uc_mcontext.pc;
#endif
}

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_SAMPLING_MACHINE_H
