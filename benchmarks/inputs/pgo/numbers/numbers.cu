//===- numbers.cu - Numbers of variable length ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread decodes numbers of seven bits a byte, nearly all of which have
// one byte or two.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void numbers(const unsigned char *__restrict__ Bytes,
                                   unsigned *__restrict__ Sums,
                                   unsigned Count, unsigned Stride,
                                   unsigned Modulus) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned char *At = Bytes + T * Stride;
  unsigned Sum = 0;
  for (unsigned I = 0; I < Count; ++I) {
    unsigned Value = 0, Shift = 0, Byte;
    do {
      Byte = *At++;
      Value |= (Byte & 127) << Shift;
      Shift += 7;
    } while (Byte & 128);
    Sum = (Sum * 33 + Value) % Modulus;
  }
  Sums[T] = Sum;
}
