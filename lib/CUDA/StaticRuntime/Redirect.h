//===- Redirect.h - Jumps into another library ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a function's first bytes send its callers elsewhere.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_REDIRECT_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_REDIRECT_H

#include <cstdint>

namespace heddle::cuda {

/// A jump to any address takes so many bytes, and needs no register that may
/// have an argument.
#if defined(__x86_64__)
constexpr uint64_t JumpSize = 14;
#else
constexpr uint64_t JumpSize = 16;
#endif

/// Writes a jump over the first bytes of a function, behind the instruction
/// that lets indirect calls end there. Returns whether Room bytes are enough.
bool writeJump(uint64_t Function, uint64_t Room, const void *Target);

/// Makes the pages of [First, Last) writable and not executable, or as they
/// were. Protection is mprotect's. Returns whether it could be done.
bool protect(uint64_t First, uint64_t Last, int Protection);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_REDIRECT_H
