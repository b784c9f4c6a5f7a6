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

#include "Driver/Driver.h"

namespace heddle::cuda {

/// Gives the variables of a module the textures and surfaces that the program
/// has described since the last launch. An error stays until the program has
/// described what can be.
CUresult bindTextureReferences(CUmodule Module);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DRIVERTEXTUREREFS_H
