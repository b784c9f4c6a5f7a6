//===- MemoryLimit.h - What a compilation may allocate ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what a thread has allocated. The allocation functions that the library
// of the compiler consists of are made to report here (Library/
// AllocationHooks.cpp); a program that links the compiler otherwise has no
// limit.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_MEMORYLIMIT_H
#define HEDDLE_LIB_COMPILER_MEMORYLIMIT_H

#include <cstddef>
#include <cstdint>

namespace heddle::compiler {

/// The reason with which a compilation ends that allocated too much.
inline constexpr char MemoryLimitReason[] = "the memory limit was reached";

/// From here on, as long as the object lives, the thread may have Bytes more
/// allocated than now; 0: any number. What is above leaves the compilation as a
/// fatal error does.
class MemoryBudget {
public:
  explicit MemoryBudget(uint64_t Bytes);
  ~MemoryBudget();
};

/// Ends the budget of a thread whose compilation was left.
void forgetMemoryBudget();

/// Called when the thread has allocated or freed a block.
void noteAllocated(size_t Bytes);
void noteFreed(size_t Bytes);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_MEMORYLIMIT_H
