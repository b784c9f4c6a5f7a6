//===- Handles.h - Sets of live handles -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program may hand over anything as a handle; what is none of ours is an
// error and not a crash.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_HANDLES_H
#define HEDDLE_LIB_CUDA_HANDLES_H

#include <map>
#include <memory>
#include <mutex>

namespace heddle::cuda {

/// Objects that the program knows by their addresses. Any thread may call
/// anything at any time; an object must not be used while it is removed.
template <typename T> class HandleSet {
public:
  T *add(std::unique_ptr<T> Object) {
    std::lock_guard Lock(Mutex);
    T *Handle = Object.get();
    Objects.emplace(Handle, std::move(Object));
    return Handle;
  }
  /// The object, taken out; null if there is none.
  std::unique_ptr<T> remove(const T *Handle) {
    std::lock_guard Lock(Mutex);
    auto It = Objects.find(Handle);
    if (It == Objects.end())
      return nullptr;
    std::unique_ptr<T> Object = std::move(It->second);
    Objects.erase(It);
    return Object;
  }
  bool contains(const T *Handle) const {
    std::lock_guard Lock(Mutex);
    return Objects.count(Handle);
  }
  void clear() {
    std::lock_guard Lock(Mutex);
    Objects.clear();
  }

private:
  mutable std::mutex Mutex;
  std::map<const T *, std::unique_ptr<T>> Objects;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_HANDLES_H
