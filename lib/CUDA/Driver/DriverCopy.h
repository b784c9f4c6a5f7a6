//===- DriverCopy.h - Copies of boxes in the driver API ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the driver API describes them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DRIVERCOPY_H
#define HEDDLE_LIB_CUDA_DRIVERCOPY_H

#include "Driver/Driver.h"

namespace heddle::cuda {

/// Numbers of CUmemorytype.
enum MemoryType : unsigned { Host = 1, Device = 2, Array = 3, Unified = 4 };

/// CUDA_MEMCPY3D.
struct Memcpy3D {
  struct Side {
    size_t XBytes, Y, Z, Level;
    MemoryType Type;
    const void *Host;
    CUdeviceptr Device;
    cudaArray_t Array;
    void *Reserved;
    size_t Pitch, Height;
  } Source, Destination;
  size_t WidthBytes, Height, Depth;
};
static_assert(sizeof(Memcpy3D) == 200);

/// The kind of a copy between two sides; cudaMemcpyDefault if one of them is
/// unified: such an address tells its kind of memory itself.
cudaMemcpyKind kindOf(const Memcpy3D &M);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DRIVERCOPY_H
