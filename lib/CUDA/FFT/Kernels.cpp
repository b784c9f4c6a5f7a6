//===- Kernels.cpp - The kernels of transforms ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The handles of the kernels, which are asked for when a plan runs.
//
//===----------------------------------------------------------------------===//

#include "FFT/Kernels.h"
#include "Process.h"
#include "Runtime/Runtime.h"

using namespace heddle::cuda;

extern "C" cudaError_t cudaLibraryLoadData(FatBinary **, const void *, int *,
                                           void **, unsigned, int *, void **,
                                           unsigned);
extern "C" cudaError_t cudaLibraryGetKernel(cudaKernel_t *, FatBinary *,
                                            const char *);

/// PTX, ended by a zero.
static constexpr char Text[] = {
#include "heddle/CUDA/Transform.inc"
};

/// Loads the text once in a process; handles outlive a reset of the device.
static FatBinary *library() {
  static FatBinary *const Loaded = [] {
    FatBinary *Library = nullptr;
    cudaError_t Code = cudaLibraryLoadData(&Library, Text, nullptr, nullptr, 0,
                                           nullptr, nullptr, 0);
    return Code == cudaSuccess ? Library : nullptr;
  }();
  return Loaded;
}

KernelHandle *fft::stepKernel(bool IsDouble) {
  cudaKernel_t Kernel = nullptr;
  FatBinary *Library = library();
  if (!Library ||
      cudaLibraryGetKernel(&Kernel, Library,
                           IsDouble ? "heddle_fft_double"
                                    : "heddle_fft_float") != cudaSuccess)
    return nullptr;
  return Kernel;
}
