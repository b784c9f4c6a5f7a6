//===- ContextStorage.h - What libraries keep with contexts -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values that a library keeps for itself with a context, by keys of its own,
// and that end with the context: cublasInit does so. Functions and their errors
// are as the tests of Wine's nvcuda describe those of NVIDIA's driver.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_CONTEXTSTORAGE_H
#define HEDDLE_LIB_CUDA_CONTEXTSTORAGE_H

#include <map>
#include <mutex>
#include <optional>

namespace heddle::cuda {

struct ContextHandle;

/// Thread-safe. The functions of a program are called without a lock.
class ContextStorage {
public:
  /// Told that a context ends: the context, the key and the value.
  using Ended = void (*)(ContextHandle *, void *, void *);

  /// False if the context has a value of that key already.
  bool put(ContextHandle *Context, void *Key, void *Value, Ended WhenEnded);
  /// False if it has none. Nobody is told.
  bool remove(ContextHandle *Context, void *Key);
  std::optional<void *> find(ContextHandle *Context, void *Key);
  /// Forgets what a context has, which ends, and tells whoever wanted to know.
  void end(ContextHandle *Context);

private:
  struct Entry {
    void *Value;
    Ended WhenEnded;
  };
  std::mutex Mutex;
  std::map<ContextHandle *, std::map<void *, Entry>> Entries;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_CONTEXTSTORAGE_H
