//===- Copy.h - Copies between places of CUDA programs ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one way by which every function that copies reaches a stream.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COPY_H
#define HEDDLE_LIB_CUDA_COPY_H

#include "ABI.h"
#include "heddle/Runtime/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace heddle::cuda {

/// What each byte of fresh memory is while launches do nothing.
inline constexpr uint8_t SkippedPattern = 0x55;

/// One side of a copy: rows and slices a pitch apart, in bytes.
struct Place {
  const void *Pointer = nullptr;
  size_t Pitch = 0, Slice = 0;
};

/// A copy in CUDA's terms: a box between two places. Width is in bytes.
struct Copy {
  Place To, From;
  size_t Width = 0, Height = 1, Depth = 1;
  cudaMemcpyKind Kind = cudaMemcpyDefault;
};

/// The operation that a copy is; none if there is nothing to copy.
cudaError_t operationOf(const Copy &C, std::optional<rt::CopyOp> &Op);
/// Enqueues a copy. What is ephemeral does not outlive the call.
cudaError_t copyAsync(const Copy &C, cudaStream_t Stream,
                      bool SourceIsEphemeral = false);
/// Enqueues work of the default stream and waits for it, unless a capture
/// forbids that.
cudaError_t doNow(llvm::function_ref<cudaError_t()> Enqueue);
/// Copies after all that the default stream waits for, and waits.
cudaError_t copyNow(const Copy &C);

/// A copy of Size bytes.
inline Copy linearCopy(void *To, const void *From, size_t Size,
                       cudaMemcpyKind Kind) {
  return {{To}, {From}, Size, 1, 1, Kind};
}

/// The box of a three-dimensional copy; with arrays in it, its extent and the
/// positions in arrays count texels.
cudaError_t boxOf(const cudaMemcpy3DParms *Parameters, Copy &C);

inline void *pointerOf(uint64_t Address) {
  return reinterpret_cast<void *>(static_cast<uintptr_t>(Address));
}
inline uint64_t addressOf(const void *Pointer) {
  return reinterpret_cast<uintptr_t>(Pointer);
}

/// The fill that a memset is; none if there is nothing to fill.
cudaError_t fillOf(void *To, size_t Pitch, uint64_t Pattern,
                   unsigned PatternBytes, size_t Width, size_t Height,
                   std::optional<rt::FillOp> &Op);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_COPY_H
