//===- HostCUDA.h - CUDA's words for a host compiler ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Enough of CUDA C++ that a host compiler takes the sources of test/kernels:
// each device thread is a thread of the host, CTAs run one after the other, and
// shared memory is static memory. Only what these kernels use is here.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_KERNELS_HOST_HOSTCUDA_H
#define HEDDLE_TEST_KERNELS_HOST_HOSTCUDA_H

#include <barrier>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#define __global__
#define __device__
#define __constant__
#define __noinline__ __attribute__((noinline))

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

namespace host {

constexpr unsigned WarpSize = 32;

struct Coordinates {
  unsigned x = 0, y = 0, z = 0;
};

inline thread_local Coordinates Thread, Block;
inline Coordinates BlockExtents, GridExtents;

/// The barriers and the exchange area of the CTA that runs.
struct CTA {
  std::barrier<> All;
  std::vector<std::unique_ptr<std::barrier<>>> Warps;
  std::vector<uint32_t> Exchange;

  explicit CTA(unsigned Threads) : All(Threads), Exchange(Threads) {
    for (unsigned First = 0; First < Threads; First += WarpSize)
      Warps.push_back(std::make_unique<std::barrier<>>(
          std::min(WarpSize, Threads - First)));
  }
};
inline CTA *Current;
inline std::mutex AtomicLock;
inline std::string Output;

inline unsigned threadIndex() {
  return Thread.x + BlockExtents.x * (Thread.y + BlockExtents.y * Thread.z);
}

/// What lane \p Source of this warp passes as \p Value; all lanes take part.
template <typename T> T exchange(T Value, unsigned Source) {
  static_assert(sizeof(T) == 4);
  unsigned Index = threadIndex(), Warp = Index / WarpSize;
  Current->Exchange[Index] = std::bit_cast<uint32_t>(Value);
  Current->Warps[Warp]->arrive_and_wait();
  T Result = std::bit_cast<T>(Current->Exchange[Warp * WarpSize + Source]);
  Current->Warps[Warp]->arrive_and_wait();
  return Result;
}

template <typename T, typename OpT> T atomically(T *Address, OpT Op) {
  std::lock_guard Guard(AtomicLock);
  T Old = *Address;
  *Address = Op(Old);
  return Old;
}

/// printf as on the device, where it returns the number of arguments.
template <typename... Ts> int print(const char *Format, Ts... Arguments) {
  char Line[512];
  std::snprintf(Line, sizeof Line, Format, Arguments...);
  std::lock_guard Guard(AtomicLock);
  Output += Line;
  return sizeof...(Arguments);
}

} // namespace host

#define threadIdx host::Thread
#define blockIdx host::Block
#define blockDim host::BlockExtents
#define gridDim host::GridExtents

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

struct float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
inline float4 make_float4(float X, float Y, float Z, float W) {
  return {X, Y, Z, W};
}

using __half = _Float16;
struct alignas(4) __half2 {
  _Float16 x, y;
};

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

inline float __fmul_rn(float A, float B) { return A * B; }
inline float __fadd_rn(float A, float B) { return A + B; }
inline float __fsub_rn(float A, float B) { return A - B; }
inline float __fmaf_rn(float A, float B, float C) { return fmaf(A, B, C); }
inline float __fsqrt_rn(float A) { return sqrtf(A); }
inline float rsqrtf(float A) { return 1 / sqrtf(A); }
inline long long __double_as_longlong(double A) {
  return std::bit_cast<long long>(A);
}
inline float __int_as_float(int A) { return std::bit_cast<float>(A); }
template <typename T> T max(T A, T B) { return A < B ? B : A; }
template <typename T> T min(T A, T B) { return B < A ? B : A; }

/// Product and sum are exact in double precision for the kernels' data.
inline __half __hfma(__half A, __half B, __half C) {
  return __half(double(A) * double(B) + double(C));
}
inline __half2 __hfma2(__half2 A, __half2 B, __half2 C) {
  return {__hfma(A.x, B.x, C.x), __hfma(A.y, B.y, C.y)};
}
inline __half2 __half2half2(__half A) { return {A, A}; }
inline float2 __half22float2(__half2 A) { return {float(A.x), float(A.y)}; }
inline __half __float2half_rn(float A) { return __half(A); }

//===----------------------------------------------------------------------===//
// Threads together
//===----------------------------------------------------------------------===//

inline void __syncthreads() { host::Current->All.arrive_and_wait(); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

template <typename T> T __shfl_up_sync(unsigned, T Value, unsigned Distance) {
  unsigned Lane = host::threadIndex() % host::WarpSize;
  return host::exchange(Value, Lane < Distance ? Lane : Lane - Distance);
}
template <typename T> T __shfl_down_sync(unsigned, T Value, unsigned Distance) {
  unsigned Lane = host::threadIndex() % host::WarpSize;
  unsigned Source = Lane + Distance;
  return host::exchange(Value, Source < host::WarpSize ? Source : Lane);
}
template <typename T> T __shfl_xor_sync(unsigned, T Value, unsigned Mask) {
  return host::exchange(Value, (host::threadIndex() % host::WarpSize) ^ Mask);
}

template <typename T> T atomicAdd(T *Address, T Value) {
  return host::atomically(Address, [&](T Old) { return Old + Value; });
}
template <typename T> T atomicMax(T *Address, T Value) {
  return host::atomically(Address, [&](T Old) { return max(Old, Value); });
}
inline unsigned atomicInc(unsigned *Address, unsigned Limit) {
  return host::atomically(
      Address, [&](unsigned Old) { return Old >= Limit ? 0 : Old + 1; });
}
inline unsigned atomicCAS(unsigned *Address, unsigned Compare, unsigned Value) {
  unsigned Old = host::atomically(
      Address, [&](unsigned Old) { return Old == Compare ? Value : Old; });
  if (Old != Compare)
    std::this_thread::yield();
  return Old;
}
inline unsigned atomicExch(unsigned *Address, unsigned Value) {
  return host::atomically(Address, [&](unsigned) { return Value; });
}

#endif // HEDDLE_TEST_KERNELS_HOST_HOSTCUDA_H
