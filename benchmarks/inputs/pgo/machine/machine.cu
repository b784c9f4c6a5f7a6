//===- machine.cu - A machine for byte code ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All threads carry out one program on data of their own; most instructions
// are additions and multiplications.
//
//===----------------------------------------------------------------------===//

extern "C" __global__ void machine(const unsigned *__restrict__ Code,
                                   const float *__restrict__ In,
                                   float *__restrict__ Out, unsigned Length) {
  unsigned T = blockIdx.x * blockDim.x + threadIdx.x;
  float A = In[T], B = 0.5f, C = 1;
  for (unsigned PC = 0; PC < Length; ++PC) {
    unsigned Word = Code[PC];
    float V = static_cast<float>(Word >> 8) * 0.0001f;
    switch (Word & 255) {
    case 0:
      A = A * V + B;
      break;
    case 1:
      B = B + A * V;
      break;
    case 2:
      A = A - C;
      break;
    case 3:
      C = sqrtf(fabsf(A) + V);
      break;
    case 4:
      B = A / (fabsf(C) + 1.0f);
      break;
    case 5:
      A = B * (1.0f - B * B * 0.1f) + V;
      break;
    case 6:
      if (A > 100.0f)
        A = A / 3.0f + B / 7.0f;
      break;
    case 7:
      C = C > 4.0f ? C / V : C + V;
      break;
    case 8:
      A = 1.0f / (1.0f + fabsf(B)) - V;
      break;
    case 9:
      A = fminf(A, B);
      break;
    default:
      A = -A;
      break;
    }
  }
  Out[T] = A + B + C;
}
