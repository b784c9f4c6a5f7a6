//===- DriverLegacyLaunches.cpp - Launches before CUDA 4 --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernel has the block, the shared memory and the parameters of its next
// launches.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"

#include <cstring>

using namespace heddle;
using namespace heddle::cuda;

extern "C" CUresult cuLaunchKernel(CUfunction, unsigned, unsigned, unsigned,
                                   unsigned, unsigned, unsigned, unsigned,
                                   cudaStream_t, void **, void **);

/// What PTX allows of an entry's parameters.
static constexpr size_t MaxParamBytes = 32764;

/// Changes what a kernel launches with.
template <typename Fn> static CUresult change(CUfunction Kernel, Fn Change) {
  return inContext([=] {
    return Process::get().Images.kernel(Kernel)
               ? Change(Kernel->Legacy)
               : cudaErrorInvalidResourceHandle;
  });
}

static CUresult launch(CUfunction Kernel, int Width, int Height,
                       cudaStream_t Stream) {
  return change(Kernel, [=](LegacyLaunch &L) {
    if (Width <= 0 || Height <= 0)
      return cudaErrorInvalidValue;
    size_t Size = L.Params.size();
    enum : uintptr_t { End = 0, BufferPointer = 1, BufferSize = 2 };
    void *Extra[] = {reinterpret_cast<void *>(BufferPointer), L.Params.data(),
                     reinterpret_cast<void *>(BufferSize), &Size,
                     reinterpret_cast<void *>(End)};
    return cuLaunchKernel(Kernel, Width, Height, 1, L.Block.x, L.Block.y,
                          L.Block.z, L.SharedBytes, Stream, nullptr, Extra);
  });
}

extern "C" {

CUresult cuFuncSetBlockShape(CUfunction Kernel, int X, int Y, int Z) {
  return change(Kernel, [=](LegacyLaunch &L) {
    if (X <= 0 || Y <= 0 || Z <= 0)
      return cudaErrorInvalidValue;
    L.Block = {unsigned(X), unsigned(Y), unsigned(Z)};
    return cudaSuccess;
  });
}

CUresult cuFuncSetSharedSize(CUfunction Kernel, unsigned Bytes) {
  return change(Kernel, [=](LegacyLaunch &L) {
    L.SharedBytes = Bytes;
    return cudaSuccess;
  });
}

CUresult cuParamSetSize(CUfunction Kernel, unsigned Bytes) {
  return change(Kernel, [=](LegacyLaunch &L) {
    if (Bytes > MaxParamBytes)
      return cudaErrorInvalidValue;
    L.Params.resize(Bytes);
    return cudaSuccess;
  });
}

CUresult cuParamSetv(CUfunction Kernel, int Offset, const void *Value,
                     unsigned Bytes) {
  return change(Kernel, [=](LegacyLaunch &L) {
    if (Offset < 0 || !Value || Bytes > MaxParamBytes ||
        Offset > int(MaxParamBytes - Bytes))
      return cudaErrorInvalidValue;
    if (L.Params.size() < size_t(Offset) + Bytes)
      L.Params.resize(size_t(Offset) + Bytes);
    std::memcpy(L.Params.data() + Offset, Value, Bytes);
    return cudaSuccess;
  });
}

CUresult cuParamSeti(CUfunction Kernel, int Offset, unsigned Value) {
  return cuParamSetv(Kernel, Offset, &Value, sizeof(Value));
}

CUresult cuParamSetf(CUfunction Kernel, int Offset, float Value) {
  return cuParamSetv(Kernel, Offset, &Value, sizeof(Value));
}

CUresult cuLaunch(CUfunction Kernel) { return launch(Kernel, 1, 1, nullptr); }

CUresult cuLaunchGrid(CUfunction Kernel, int Width, int Height) {
  return launch(Kernel, Width, Height, nullptr);
}

CUresult cuLaunchGridAsync(CUfunction Kernel, int Width, int Height,
                           cudaStream_t Stream) {
  return launch(Kernel, Width, Height, Stream);
}

} // extern "C"
