//===- DriverTextureRefs.h - Textures that modules name ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What launches have to do for them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DRIVERTEXTUREREFS_H
#define HEDDLE_LIB_CUDA_DRIVERTEXTUREREFS_H

#include "Driver/DriverArrays.h"

namespace heddle::cuda {

/// Gives the variables of a module the textures and surfaces that the program
/// has described since the last launch. An error stays until the program has
/// described what can be.
CUresult bindTextureReferences(CUmodule Module);

/// Describes the texture of a module's variable Name at once: what is read, its
/// format and number of channels, and how.
CUresult describeTexture(CUmodule Module, const char *Name,
                         const ResourceDesc &Resource, unsigned Format,
                         unsigned Channels, const TextureDesc &Texture);

/// The same of a surface.
CUresult describeSurface(CUmodule Module, const char *Name,
                         const ResourceDesc &Resource);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DRIVERTEXTUREREFS_H
