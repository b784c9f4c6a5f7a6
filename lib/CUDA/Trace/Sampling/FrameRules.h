//===- FrameRules.h - Where callers' registers are --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DWARF's call frame information for one address of a function.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_SAMPLING_FRAMERULES_H
#define HEDDLE_LIB_CUDA_TRACE_SAMPLING_FRAMERULES_H

#include "Trace/Sampling/CallFrames.h"

namespace heddle::cuda::trace {

/// The bits of a return address that are its own.
#if defined(__aarch64__)
constexpr uint64_t AddressMask = (uint64_t(1) << 48) - 1;
#else
constexpr uint64_t AddressMask = ~uint64_t(0);
#endif

/// Where the caller's value of a register is.
struct RegisterRule {
  enum Form {
    Same,         ///< In that register.
    Undefined,    ///< Nowhere.
    AtOffset,     ///< In memory, at the frame's address and Number.
    Offset,       ///< It is the frame's address and Number.
    InRegister,   ///< In register Number.
    AtExpression, ///< In memory, at what the expression gives.
    ByExpression  ///< It is what the expression gives.
  };
  Form Kind = Same;
  int64_t Number = 0;
  llvm::StringRef Expression;
};

struct FrameRules {
  /// The frame's address: by an expression, or a register and an offset.
  llvm::StringRef FrameExpression;
  unsigned FrameRegister = NumRegisters;
  int64_t FrameOffset = 0;
  /// The return address may have a number of its own, behind the others.
  RegisterRule Registers[NumRegisters + 1];
  unsigned ReturnRegister = NumRegisters;
  bool IsSignal = false; ///< The caller was interrupted, and called nothing.
};

/// The rules at an address of a file whose description is at an offset; none
/// if that is damaged or does not have the address.
std::optional<FrameRules> findRules(const CodeFile &File, uint64_t Description,
                                    uint64_t Address);

/// The value of an expression, which begins with the frame's address, if there
/// is one.
std::optional<uint64_t> evaluate(llvm::StringRef Expression,
                                 const MachineState &S, const StackCopy &Stack,
                                 std::optional<uint64_t> Frame);

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_SAMPLING_FRAMERULES_H
