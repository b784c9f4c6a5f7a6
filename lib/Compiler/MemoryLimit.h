//===- MemoryLimit.h - What a compilation may allocate ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts what the threads of a compilation have allocated. The allocation
// functions that the library of the compiler consists of are made to report
// here (Library/AllocationHooks.cpp); a program that links the compiler
// otherwise has no limit.
//
// A thread that has allocated too much is, in general, in the middle of
// something and may hold a lock of LLVM's: it goes on to the next place where
// the compilation can be stopped. Only in a process that ends with the
// compilation does it leave at once.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_MEMORYLIMIT_H
#define HEDDLE_LIB_COMPILER_MEMORYLIMIT_H

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace heddle::compiler {

/// The reason with which a compilation ends that allocated too much.
inline constexpr char MemoryLimitReason[] = "the memory limit was reached";

/// What one compilation may have allocated at a time. Any thread may call
/// anything.
class MemoryBudget {
public:
  /// Bytes 0: any number. If MayLeave is set, what is above leaves the
  /// compilation as a fatal error does.
  MemoryBudget(uint64_t Bytes, bool MayLeave);

  /// Whether there was ever too much.
  bool isExceeded() const { return Exceeded.load(std::memory_order_relaxed); }

  /// As long as the object lives, what the thread allocates and frees counts.
  class Scope {
  public:
    explicit Scope(MemoryBudget &Budget);
    Scope(const Scope &) = delete;
    Scope &operator=(const Scope &) = delete;
    ~Scope();
  };

private:
  friend void noteAllocated(size_t Bytes);
  friend void noteFreed(size_t Bytes);

  std::atomic<int64_t> BytesLeft;
  std::atomic<bool> Exceeded{false};
  const bool IsLimited, MayLeave;
};

/// Ends the scope of a thread whose compilation was left.
void forgetMemoryBudget();

/// Whether any compilation of the process has had a limit.
extern std::atomic<bool> AnyLimited;
/// Whether what the thread allocates is counted.
bool isCounted();
/// The same, without a look at the thread where there has been no limit.
inline bool countsMemory() {
  return AnyLimited.load(std::memory_order_relaxed) && isCounted();
}
/// Called when the thread has allocated or freed a block.
void noteAllocated(size_t Bytes);
void noteFreed(size_t Bytes);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_MEMORYLIMIT_H
