//===- KernelIndex.h - Kernels by what programs know them by ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every launch looks its kernel up, and a program may have thousands of
// kernels.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_KERNELINDEX_H
#define HEDDLE_LIB_CUDA_KERNELINDEX_H

#include <unordered_map>

namespace heddle::cuda {

struct KernelHandle;

/// A kernel is known by its handle, and by an address of the host where the
/// program registered one. Not safe against concurrent changes.
class KernelIndex {
public:
  /// Kernel has to stay where it is. Name may be its own address.
  void add(const void *Name, KernelHandle &Kernel) {
    Kernels[Name] = &Kernel;
    Kernels[&Kernel] = &Kernel;
  }
  /// Forgets a kernel by its handle and by Name, unless Name is another
  /// kernel's by now.
  void remove(const void *Name, KernelHandle &Kernel) {
    if (find(Name) == &Kernel)
      Kernels.erase(Name);
    Kernels.erase(&Kernel);
  }
  /// Null if a program knows no kernel by that name.
  KernelHandle *find(const void *Name) const {
    auto It = Kernels.find(Name);
    return It == Kernels.end() ? nullptr : It->second;
  }
  /// How many names find compares Name with at most.
  size_t comparisons(const void *Name) const {
    return Kernels.bucket_count() ? Kernels.bucket_size(Kernels.bucket(Name))
                                  : 0;
  }

private:
  std::unordered_map<const void *, KernelHandle *> Kernels;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_KERNELINDEX_H
