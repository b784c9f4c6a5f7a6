//===- Batches.cpp - Many copies and hints by one call ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// CUDA leaves the order in a batch open; here it is that of the lists.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "PerThread.h"
#include "Runtime/Runtime.h"

using namespace heddle;
using namespace heddle::cuda;

/// Batches go into streams that are named.
static bool isNamed(cudaStream_t Stream) {
  return Stream && Stream != cudaStreamLegacy;
}

/// Copies all; Failed gets the number of the one that could not be enqueued.
/// What attributes say is where sources are and when they are read, which
/// copies in order of the stream respect.
static cudaError_t copyBatch(void *const *To, const void *const *From,
                             const size_t *Sizes, size_t Count,
                             cudaStream_t Stream, size_t *Failed) {
  if (Failed)
    *Failed = SIZE_MAX; // none in particular
  if (!To || !From || !Sizes || !Count || !isNamed(Stream))
    return cudaErrorInvalidValue;
  for (size_t I = 0; I != Count; ++I)
    if (cudaError_t Code = cudaMemcpyAsync(To[I], From[I], Sizes[I],
                                           cudaMemcpyDefault, Stream);
        Code != cudaSuccess) {
      if (Failed)
        *Failed = I;
      return Code;
    }
  return cudaSuccess;
}

/// Starts has the first range of each place, in ascending order from 0.
static cudaError_t prefetchBatch(void **Ranges, const size_t *Sizes,
                                 size_t Count, const cudaMemLocation *Places,
                                 const size_t *Starts, size_t NumPlaces,
                                 unsigned long long Flags,
                                 cudaStream_t Stream) {
  if (!Ranges || !Sizes || !Count || !Places || !Starts || !NumPlaces ||
      NumPlaces > Count || Starts[0] != 0 || Flags || !isNamed(Stream))
    return cudaErrorInvalidValue;
  for (size_t P = 1; P < NumPlaces; ++P)
    if (Starts[P] <= Starts[P - 1] || Starts[P] >= Count)
      return cudaErrorInvalidValue;
  for (size_t I = 0, P = 0; I != Count; ++I) {
    if (P + 1 < NumPlaces && Starts[P + 1] == I)
      ++P;
    if (cudaError_t Code =
            cudaMemPrefetchAsync(Ranges[I], Sizes[I], Places[P], 0, Stream);
        Code != cudaSuccess)
      return Code;
  }
  return cudaSuccess;
}

/// What is discarded may keep its values.
static cudaError_t discardBatch(void **Ranges, const size_t *Sizes,
                                size_t Count, unsigned long long Flags,
                                cudaStream_t Stream) {
  if (!Ranges || !Sizes || !Count || Flags || !isNamed(Stream))
    return cudaErrorInvalidValue;
  for (size_t I = 0; I != Count; ++I) {
    std::optional<Block> B = Process::get().Pointers.find(Ranges[I]);
    if (!B || B->Type != cudaMemoryTypeManaged)
      return cudaErrorInvalidValue;
  }
  return cudaSuccess;
}

extern "C" {

cudaError_t cudaMemcpyBatchAsync(void *const *To, const void *const *From,
                                 const size_t *Sizes, size_t Count, void *,
                                 size_t *, size_t, cudaStream_t Stream) {
  return finish(copyBatch(To, From, Sizes, Count, Stream, nullptr));
}

cudaError_t cudaMemcpyBatchAsync_12(void *const *To, const void *const *From,
                                    const size_t *Sizes, size_t Count, void *,
                                    size_t *, size_t, size_t *Failed,
                                    cudaStream_t Stream) {
  return finish(copyBatch(To, From, Sizes, Count, Stream, Failed));
}

cudaError_t cudaMemPrefetchBatchAsync(void **Ranges, size_t *Sizes,
                                      size_t Count, cudaMemLocation *Places,
                                      size_t *Starts, size_t NumPlaces,
                                      unsigned long long Flags,
                                      cudaStream_t Stream) {
  return finish(prefetchBatch(Ranges, Sizes, Count, Places, Starts, NumPlaces,
                              Flags, Stream));
}

cudaError_t cudaMemDiscardBatchAsync(void **Ranges, size_t *Sizes, size_t Count,
                                     unsigned long long Flags,
                                     cudaStream_t Stream) {
  return finish(discardBatch(Ranges, Sizes, Count, Flags, Stream));
}

cudaError_t
cudaMemDiscardAndPrefetchBatchAsync(void **Ranges, size_t *Sizes, size_t Count,
                                    cudaMemLocation *Places, size_t *Starts,
                                    size_t NumPlaces, unsigned long long Flags,
                                    cudaStream_t Stream) {
  if (cudaError_t Code = discardBatch(Ranges, Sizes, Count, Flags, Stream);
      Code != cudaSuccess)
    return finish(Code);
  return finish(prefetchBatch(Ranges, Sizes, Count, Places, Starts, NumPlaces,
                              Flags, Stream));
}

} // extern "C"

// Addresses are pointers of the same size.
static_assert(sizeof(CUdeviceptr) == sizeof(void *));

HEDDLE_SAME(cuMemcpyBatchAsync_v2,
            (void **To, void **From, size_t *Sizes, size_t Count,
             void *Attributes, size_t *Starts, size_t NumAttributes,
             cudaStream_t Stream),
            cudaMemcpyBatchAsync(To, From, Sizes, Count, Attributes, Starts,
                                 NumAttributes, Stream))
HEDDLE_SAME(cuMemcpyBatchAsync,
            (void **To, void **From, size_t *Sizes, size_t Count,
             void *Attributes, size_t *Starts, size_t NumAttributes,
             size_t *Failed, cudaStream_t Stream),
            cudaMemcpyBatchAsync_12(To, From, Sizes, Count, Attributes, Starts,
                                    NumAttributes, Failed, Stream))
HEDDLE_SAME(cuMemPrefetchBatchAsync,
            (void **Ranges, size_t *Sizes, size_t Count,
             cudaMemLocation *Places, size_t *Starts, size_t NumPlaces,
             unsigned long long Flags, cudaStream_t Stream),
            cudaMemPrefetchBatchAsync(Ranges, Sizes, Count, Places, Starts,
                                      NumPlaces, Flags, Stream))
HEDDLE_SAME(cuMemDiscardBatchAsync,
            (void **Ranges, size_t *Sizes, size_t Count,
             unsigned long long Flags, cudaStream_t Stream),
            cudaMemDiscardBatchAsync(Ranges, Sizes, Count, Flags, Stream))
HEDDLE_SAME(cuMemDiscardAndPrefetchBatchAsync,
            (void **Ranges, size_t *Sizes, size_t Count,
             cudaMemLocation *Places, size_t *Starts, size_t NumPlaces,
             unsigned long long Flags, cudaStream_t Stream),
            cudaMemDiscardAndPrefetchBatchAsync(Ranges, Sizes, Count, Places,
                                                Starts, NumPlaces, Flags,
                                                Stream))

HEDDLE_PER_THREAD(cudaMemcpyBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpyBatchAsync_12, _ptsz)
HEDDLE_PER_THREAD(cudaMemPrefetchBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemDiscardBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemDiscardAndPrefetchBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyBatchAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemPrefetchBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemDiscardBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemDiscardAndPrefetchBatchAsync, _ptsz)
