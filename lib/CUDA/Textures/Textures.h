//===- Textures.h - Textures and surfaces -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Objects of the texture unit, with what the program described them by.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TEXTURES_H
#define HEDDLE_LIB_CUDA_TEXTURES_H

#include "ABI.h"
#include "Devices/CurrentDevice.h"

#include <map>
#include <mutex>
#include <optional>

namespace heddle::cuda {

struct TextureObject {
  cudaResourceDesc Resource;
  std::optional<cudaTextureDesc> Texture; ///< None: a surface.
  std::optional<cudaResourceViewDesc> View;
};

/// All textures and surfaces of the process. A handle is one of the thread's
/// device. Any thread may call anything at any time.
class TextureTable {
public:
  /// Makes a texture or a surface; Handle is what kernels take.
  cudaError_t create(const TextureObject &Object, unsigned long long &Handle);
  cudaError_t destroy(unsigned long long Handle);
  std::optional<TextureObject> find(unsigned long long Handle) const;
  /// Whether there is none.
  bool empty() const;
  void clear(unsigned Device);

private:
  mutable std::mutex Mutex;
  using Key = std::pair<unsigned, unsigned long long>; ///< Device and handle.
  static Key keyOf(unsigned long long Handle) {
    return {currentDevice(), Handle};
  }
  std::map<Key, TextureObject> Objects;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_TEXTURES_H
