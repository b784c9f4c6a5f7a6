//===- TextureReferences.h - Texture references of CUDA 11 ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Until CUDA 11 a program declared textures and surfaces as variables, which it
// bound to memory by the variable of the host. Each stands for a variable of a
// module, whose texture or surface the driver's side makes
// (Driver/DriverTextureRefs.h).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TEXTUREREFERENCES_H
#define HEDDLE_LIB_CUDA_TEXTUREREFERENCES_H

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace heddle::cuda {

struct FatBinary;

/// A variable of the host that a program has registered for one of a module.
struct RegisteredReference {
  FatBinary *Image;
  std::string Name; ///< In the module.
  /// Whether integers are read as numbers from 0 or -1 to 1.
  bool IsNormalized;
};

/// By the addresses of the host's variables. Thread-safe.
class ReferenceNames {
public:
  void add(const void *Host, RegisteredReference R);
  /// Forgets those of a module that ends.
  void remove(const FatBinary *Image);
  std::optional<RegisteredReference> find(const void *Host);

private:
  std::mutex Mutex;
  std::map<const void *, RegisteredReference> Names;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_TEXTUREREFERENCES_H
