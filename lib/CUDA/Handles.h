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
#include <vector>

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
  /// An object for which Is(Object) holds; null if there is none.
  template <typename Predicate> T *find(const Predicate &Is) const {
    std::lock_guard Lock(Mutex);
    for (const auto &[Handle, Object] : Objects)
      if (Is(*Object))
        return Object.get();
    return nullptr;
  }
  /// Calls Use with a copy of each object.
  template <typename Fn> void forEach(Fn Use) const {
    std::vector<T> Copies;
    {
      std::lock_guard Lock(Mutex);
      for (const auto &[Handle, Object] : Objects)
        Copies.push_back(*Object);
    }
    for (const T &Object : Copies)
      Use(Object);
  }
  /// Removes the objects for which Is(Object) holds. The end of an object may
  /// use the set.
  template <typename Predicate> void removeIf(const Predicate &Is) {
    std::vector<std::unique_ptr<T>> Gone;
    std::lock_guard Lock(Mutex);
    for (auto It = Objects.begin(); It != Objects.end();) {
      if (!Is(*It->second)) {
        ++It;
        continue;
      }
      Gone.push_back(std::move(It->second));
      It = Objects.erase(It);
    }
  }

private:
  mutable std::mutex Mutex;
  std::map<const T *, std::unique_ptr<T>> Objects;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_HANDLES_H
