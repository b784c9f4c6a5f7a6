//===- patches.cu - Patches of an image as rows -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gathering in front of a convolution: every index is taken apart by
// sizes that are arguments, and hardly ever differ between launches.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void patches(const float *__restrict__ Image,
                                   float *__restrict__ Rows, unsigned Channels,
                                   unsigned Height, unsigned Width,
                                   unsigned Kernel, unsigned Stride,
                                   unsigned Pad, unsigned Count) {
  unsigned OutHeight = (Height + 2 * Pad - Kernel) / Stride + 1;
  unsigned OutWidth = (Width + 2 * Pad - Kernel) / Stride + 1;
  for (unsigned I = blockIdx.x * blockDim.x + threadIdx.x; I < Count;
       I += gridDim.x * blockDim.x) {
    unsigned KernelX = I % Kernel, Rest = I / Kernel;
    unsigned KernelY = Rest % Kernel;
    Rest /= Kernel;
    unsigned Channel = Rest % Channels;
    Rest /= Channels;
    unsigned X = Rest % OutWidth, Y = Rest / OutWidth % OutHeight;
    int SourceX = X * Stride + KernelX - Pad;
    int SourceY = Y * Stride + KernelY - Pad;
    bool Inside = SourceX >= 0 && SourceX < static_cast<int>(Width) &&
                  SourceY >= 0 && SourceY < static_cast<int>(Height);
    Rows[I] = Inside ? Image[(Channel * Height + SourceY) * Width + SourceX] : 0;
  }
}
