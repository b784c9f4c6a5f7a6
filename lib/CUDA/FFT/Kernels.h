//===- Kernels.h - The kernels of transforms --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their PTX is in this library, and goes the way of every program's PTX: it is
// compiled for the chip at the first use, and found in the cache after that.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FFT_KERNELS_H
#define HEDDLE_LIB_CUDA_FFT_KERNELS_H

namespace heddle::cuda {
struct KernelHandle;
} // namespace heddle::cuda

namespace heddle::cuda::fft {

/// The kernel that runs a step in double or in single precision; null if it
/// cannot be compiled, which has been reported.
KernelHandle *stepKernel(bool IsDouble);

} // namespace heddle::cuda::fft

#endif // HEDDLE_LIB_CUDA_FFT_KERNELS_H
