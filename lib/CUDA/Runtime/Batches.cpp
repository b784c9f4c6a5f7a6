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
#include "Runtime/Copy.h"
#include "Runtime/Runtime.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Batches go into streams that are named.
static bool isNamed(cudaStream_t Stream) {
  return Stream && Stream != cudaStreamLegacy;
}

/// Numbers of cudaMemcpySrcAccessOrder.
enum SourceAccess : int { InStreamOrder = 1, DuringCall = 2, AtAnyTime = 3 };

static bool isSourceAccess(int Order) {
  return Order >= InStreamOrder && Order <= AtAnyTime;
}

namespace {

/// cudaMemcpyAttributes.
struct CopyAttributes {
  int SourceAccess;
  cudaMemLocation SourceHint, DestinationHint;
  unsigned Flags;
};
static_assert(sizeof(CopyAttributes) == 24);

/// The attributes of a batch, each from the copy on that Starts has for it.
struct AttributeList {
  const CopyAttributes *Attributes;
  const size_t *Starts;
  size_t Count;

  /// Without attributes copies are in order of the stream.
  bool isPossible(size_t NumCopies) const {
    if (Count == 0)
      return true;
    if (!Attributes || !Starts || Count > NumCopies || Starts[0] != 0)
      return false;
    for (size_t I = 0; I != Count; ++I)
      if (!isSourceAccess(Attributes[I].SourceAccess) ||
          Starts[I] >= NumCopies || (I && Starts[I] <= Starts[I - 1]))
        return false;
    return true;
  }
  bool isEphemeral(size_t Copy) const {
    const size_t *Next = std::upper_bound(Starts, Starts + Count, Copy);
    return Next != Starts &&
           Attributes[Next - Starts - 1].SourceAccess == DuringCall;
  }
};

} // namespace

/// Copies all; Failed gets the number of the one that could not be enqueued.
static cudaError_t copyBatch(void *const *To, const void *const *From,
                             const size_t *Sizes, size_t Count,
                             const AttributeList &List, cudaStream_t Stream,
                             size_t *Failed) {
  if (Failed)
    *Failed = SIZE_MAX; // none in particular
  if (!To || !From || !Sizes || !Count || !isNamed(Stream) ||
      !List.isPossible(Count))
    return cudaErrorInvalidValue;
  for (size_t I = 0; I != Count; ++I)
    if (cudaError_t Code =
            copyAsync(linearCopy(To[I], From[I], Sizes[I], cudaMemcpyDefault),
                      Stream, List.isEphemeral(I));
        Code != cudaSuccess) {
      if (Failed)
        *Failed = I;
      return Code;
    }
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {

/// cudaMemcpy3DOperand. Lengths are in elements: of an array that takes part,
/// else bytes.
struct BoxOperand {
  int Type;
  union {
    struct {
      void *Base;
      size_t RowLength, LayerHeight; ///< 0: as the box has them
      cudaMemLocation Hint;
    } Pointer;
    struct {
      cudaArray_t Array;
      cudaPos At;
    } Array;
  };
};
static_assert(sizeof(BoxOperand) == 40);

/// cudaMemcpy3DBatchOp.
struct BoxCopy {
  BoxOperand From, To;
  cudaExtent Extent;
  int SourceAccess;
  unsigned Flags;
};
static_assert(sizeof(BoxCopy) == 112);

enum OperandType : int { IsPointer = 1, IsArray = 2 };

} // namespace

/// Elements of a box that has arrays in it; 0 if one is none, or they differ.
static size_t elementBytes(const BoxCopy &Box) {
  size_t Bytes = 0;
  for (const BoxOperand *O : {&Box.From, &Box.To}) {
    if (O->Type != IsArray)
      continue;
    if (!Process::get().Arrays.contains(O->Array.Array))
      return 0;
    size_t Own = O->Array.Array->texelBytes();
    if (Bytes && Own != Bytes)
      return 0;
    Bytes = Own;
  }
  return Bytes ? Bytes : 1;
}

static cudaError_t sideOf(const BoxOperand &O, const cudaExtent &Extent,
                          size_t ElementBytes, Place &P) {
  if (O.Type == IsArray)
    return Process::get().Arrays.place(O.Array.Array, O.Array.At, Extent, P);
  size_t Row = O.Pointer.RowLength ? O.Pointer.RowLength : Extent.width;
  size_t Height = O.Pointer.LayerHeight ? O.Pointer.LayerHeight : Extent.height;
  if (O.Type != IsPointer || !O.Pointer.Base || Row < Extent.width ||
      Height < Extent.height)
    return cudaErrorInvalidValue;
  P = {O.Pointer.Base, Row * ElementBytes, Row * ElementBytes * Height};
  return cudaSuccess;
}

static cudaError_t copyBox(const BoxCopy &Box, cudaStream_t Stream) {
  constexpr unsigned PrefersOverlap = 1; // with kernels; a hint
  const cudaExtent &E = Box.Extent;
  size_t ElementBytes = elementBytes(Box);
  if (!ElementBytes || !E.width || !E.height || !E.depth ||
      !isSourceAccess(Box.SourceAccess) || Box.Flags > PrefersOverlap)
    return cudaErrorInvalidValue;
  Copy C = {{}, {}, E.width * ElementBytes, E.height, E.depth};
  if (cudaError_t Code = sideOf(Box.To, E, ElementBytes, C.To);
      Code != cudaSuccess)
    return Code;
  if (cudaError_t Code = sideOf(Box.From, E, ElementBytes, C.From);
      Code != cudaSuccess)
    return Code;
  return copyAsync(C, Stream, Box.SourceAccess == DuringCall);
}

static cudaError_t copyBoxes(size_t Count, const BoxCopy *Boxes, size_t *Failed,
                             unsigned long long Flags, cudaStream_t Stream) {
  if (Failed)
    *Failed = SIZE_MAX; // none in particular
  if (!Count || !Boxes || Flags || !isNamed(Stream))
    return cudaErrorInvalidValue;
  for (size_t I = 0; I != Count; ++I)
    if (cudaError_t Code = copyBox(Boxes[I], Stream); Code != cudaSuccess) {
      if (Failed)
        *Failed = I;
      return Code;
    }
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Hints
//===----------------------------------------------------------------------===//

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
                                 const size_t *Sizes, size_t Count,
                                 const CopyAttributes *Attributes,
                                 const size_t *Starts, size_t NumAttributes,
                                 cudaStream_t Stream) {
  return finish(copyBatch(To, From, Sizes, Count,
                          {Attributes, Starts, NumAttributes}, Stream,
                          nullptr));
}

cudaError_t cudaMemcpyBatchAsync_12(void *const *To, const void *const *From,
                                    const size_t *Sizes, size_t Count,
                                    const CopyAttributes *Attributes,
                                    const size_t *Starts, size_t NumAttributes,
                                    size_t *Failed, cudaStream_t Stream) {
  return finish(copyBatch(To, From, Sizes, Count,
                          {Attributes, Starts, NumAttributes}, Stream, Failed));
}

cudaError_t cudaMemcpyWithAttributesAsync(void *To, const void *From,
                                          size_t Size,
                                          const CopyAttributes *Attributes,
                                          cudaStream_t Stream) {
  if (!Attributes || !isSourceAccess(Attributes->SourceAccess))
    return finish(cudaErrorInvalidValue);
  return finish(copyAsync(linearCopy(To, From, Size, cudaMemcpyDefault), Stream,
                          Attributes->SourceAccess == DuringCall));
}

cudaError_t cudaMemcpy3DWithAttributesAsync(const BoxCopy *Box,
                                            unsigned long long Flags,
                                            cudaStream_t Stream) {
  return finish(Box && !Flags ? copyBox(*Box, Stream) : cudaErrorInvalidValue);
}

cudaError_t cudaMemcpy3DBatchAsync(size_t Count, const BoxCopy *Boxes,
                                   unsigned long long Flags,
                                   cudaStream_t Stream) {
  return finish(copyBoxes(Count, Boxes, nullptr, Flags, Stream));
}

cudaError_t cudaMemcpy3DBatchAsync_12(size_t Count, const BoxCopy *Boxes,
                                      size_t *Failed, unsigned long long Flags,
                                      cudaStream_t Stream) {
  return finish(copyBoxes(Count, Boxes, Failed, Flags, Stream));
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
             const CopyAttributes *Attributes, const size_t *Starts,
             size_t NumAttributes, cudaStream_t Stream),
            cudaMemcpyBatchAsync(To, From, Sizes, Count, Attributes, Starts,
                                 NumAttributes, Stream))
HEDDLE_SAME(cuMemcpyBatchAsync,
            (void **To, void **From, size_t *Sizes, size_t Count,
             const CopyAttributes *Attributes, const size_t *Starts,
             size_t NumAttributes, size_t *Failed, cudaStream_t Stream),
            cudaMemcpyBatchAsync_12(To, From, Sizes, Count, Attributes, Starts,
                                    NumAttributes, Failed, Stream))
HEDDLE_SAME(cuMemcpyWithAttributesAsync,
            (void *To, const void *From, size_t Size,
             const CopyAttributes *Attributes, cudaStream_t Stream),
            cudaMemcpyWithAttributesAsync(To, From, Size, Attributes, Stream))
HEDDLE_SAME(cuMemcpy3DWithAttributesAsync,
            (const BoxCopy *Box, unsigned long long Flags, cudaStream_t Stream),
            cudaMemcpy3DWithAttributesAsync(Box, Flags, Stream))
HEDDLE_SAME(cuMemcpy3DBatchAsync_v2,
            (size_t Count, const BoxCopy *Boxes, unsigned long long Flags,
             cudaStream_t Stream),
            cudaMemcpy3DBatchAsync(Count, Boxes, Flags, Stream))
HEDDLE_SAME(cuMemcpy3DBatchAsync,
            (size_t Count, const BoxCopy *Boxes, size_t *Failed,
             unsigned long long Flags, cudaStream_t Stream),
            cudaMemcpy3DBatchAsync_12(Count, Boxes, Failed, Flags, Stream))
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
HEDDLE_PER_THREAD(cudaMemcpyWithAttributesAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpy3DWithAttributesAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpy3DBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpy3DBatchAsync_12, _ptsz)
HEDDLE_PER_THREAD(cudaMemPrefetchBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemDiscardBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemDiscardAndPrefetchBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyBatchAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyWithAttributesAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemcpy3DWithAttributesAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemcpy3DBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemcpy3DBatchAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemPrefetchBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemDiscardBatchAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemDiscardAndPrefetchBatchAsync, _ptsz)
