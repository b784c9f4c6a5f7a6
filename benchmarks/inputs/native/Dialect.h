//===- Dialect.h - Kernels for CUDA and OpenCL ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The words in which a kernel is written once, for CUDA and for OpenCL: both
// run the same loops over the same threads. OpenCL reads this file before each
// kernel file, since its programs have no folder to include from.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_BENCHMARKS_DIALECT_H
#define HEDDLE_BENCHMARKS_DIALECT_H

#ifdef __OPENCL_VERSION__

#pragma OPENCL FP_CONTRACT OFF

typedef uchar Byte;
typedef uint Word;
typedef ulong Long;
typedef half Half;

#define KERNEL __kernel void
#define FUNCTION
#define GLOBAL __global
#define CONSTANT __constant
#define SHARED __local
#define OF_SHARED __local
#define RESTRICT restrict

#define THREAD ((int)get_local_id(0))
#define THREAD_Y ((int)get_local_id(1))
#define BLOCK ((int)get_group_id(0))
#define BLOCK_Y ((int)get_group_id(1))
#define THREADS ((int)get_local_size(0))
#define BLOCKS ((int)get_num_groups(0))
#define INDEX ((int)get_global_id(0))
#define INDEX_Y ((int)get_global_id(1))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)

#define FMA(A, B, C) fma(A, B, C)
#define MAX(A, B) fmax(A, B)
#define EXP(A) exp(A)
#define LOG(A) log(A)
#define SQRT(A) sqrt(A)
#define RSQRT(A) rsqrt(A)
#define ABS(A) fabs(A)
#define MULTIPLY_HIGH(A, B) mul_hi(A, B)
#define ROTATE_RIGHT(A, N) rotate(A, (uint)(32 - (N)))
#define STORE_HALF(PLACE, INDEX, VALUE) vstore_half_rte(VALUE, INDEX, PLACE)
#define LOAD_HALF(PLACE, INDEX) vload_half(INDEX, PLACE)
#define ATOMIC_ADD(PLACE, VALUE) atomic_add(PLACE, VALUE)
#define SHARED_ATOMIC_ADD(PLACE, VALUE) atomic_add(PLACE, VALUE)
#define FLOAT2(A, B) ((float2)(A, B))

#else

#include <cuda_fp16.h>

typedef unsigned char Byte;
typedef unsigned int Word;
typedef unsigned long long Long;
typedef __half Half;

#define KERNEL extern "C" __global__ void
#define FUNCTION static __device__
#define GLOBAL
#define CONSTANT static __constant__
#define SHARED __shared__
#define OF_SHARED
#define RESTRICT __restrict__

#define THREAD ((int)threadIdx.x)
#define THREAD_Y ((int)threadIdx.y)
#define BLOCK ((int)blockIdx.x)
#define BLOCK_Y ((int)blockIdx.y)
#define THREADS ((int)blockDim.x)
#define BLOCKS ((int)gridDim.x)
#define INDEX (BLOCK * (int)blockDim.x + THREAD)
#define INDEX_Y (BLOCK_Y * (int)blockDim.y + THREAD_Y)
#define BARRIER() __syncthreads()

#define FMA(A, B, C) fmaf(A, B, C)
#define MAX(A, B) fmaxf(A, B)
#define EXP(A) expf(A)
#define LOG(A) logf(A)
#define SQRT(A) sqrtf(A)
#define RSQRT(A) rsqrtf(A)
#define ABS(A) fabsf(A)
#define MULTIPLY_HIGH(A, B) __umulhi(A, B)
#define ROTATE_RIGHT(A, N) __funnelshift_r(A, A, N)
#define STORE_HALF(PLACE, INDEX, VALUE)                                        \
  ((PLACE)[INDEX] = __float2half_rn(VALUE))
#define LOAD_HALF(PLACE, INDEX) __half2float((PLACE)[INDEX])
#define ATOMIC_ADD(PLACE, VALUE) atomicAdd(PLACE, VALUE)
#define SHARED_ATOMIC_ADD(PLACE, VALUE) atomicAdd(PLACE, VALUE)
#define FLOAT2(A, B) make_float2(A, B)

#endif

#endif // HEDDLE_BENCHMARKS_DIALECT_H
