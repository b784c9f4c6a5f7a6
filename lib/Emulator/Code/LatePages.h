//===- LatePages.h - Arrays that are filled in later ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Vectors whose new elements are zero and take no memory until they are
// written.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_LATEPAGES_H
#define HEDDLE_LIB_EMULATOR_LATEPAGES_H

#include "heddle/Support/HostMemory.h"
#include "llvm/Support/ErrorHandling.h"

#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace heddle::emu {

/// An allocator of pages. An element is not made by its default constructor:
/// all of its bytes are zero.
template <typename T> struct LatePages {
  static_assert(std::is_trivially_copyable_v<T>);
  using value_type = T;

  LatePages() = default;
  template <typename U> LatePages(const LatePages<U> &) {}

  T *allocate(size_t Count) {
    uint8_t *Block = allocateZeroed(Count * sizeof(T));
    if (!Block)
      llvm::report_bad_alloc_error("out of memory for code");
    return reinterpret_cast<T *>(Block);
  }
  void deallocate(T *Block, size_t Count) {
    freeZeroed(reinterpret_cast<uint8_t *>(Block), Count * sizeof(T));
  }

  template <typename U> void construct(U *) {}
  template <typename U, typename... Args>
  void construct(U *Where, Args &&...A) {
    ::new (static_cast<void *>(Where)) U(std::forward<Args>(A)...);
  }
  template <typename U>
  friend bool operator==(const LatePages &, const LatePages<U> &) {
    return true;
  }
};

/// Nothing is to be taken from its end, which would leave what was there.
template <typename T> using LateVector = std::vector<T, LatePages<T>>;

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_LATEPAGES_H
