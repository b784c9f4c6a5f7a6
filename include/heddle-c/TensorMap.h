//===- TensorMap.h - Tensor maps in C -----------------------------*- C -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the 128 bytes that tell cp.async.bulk.tensor where a tensor is;
// docs/tensor-maps.md has their layout.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_C_TENSORMAP_H
#define HEDDLE_C_TENSORMAP_H

#include "heddle-c/Base.h"

#ifdef __cplusplus
extern "C" {
#endif

#define HEDDLE_TENSOR_MAP_BYTES 128
#define HEDDLE_MAX_TENSOR_RANK 5
/// Dimensions of a column's box: all but the channels and the images.
#define HEDDLE_MAX_SPATIAL_RANK 3

typedef struct HeddleTensorMapDescription {
  size_t StructSize;
  /// The type of the elements, numbered as PTX's tensormap.replace does.
  uint32_t Element;
  uint32_t Rank;
  /// A device address, a multiple of 16.
  uint64_t Address;
  /// By dimension, the innermost first: extents in elements, strides in bytes
  /// from the second dimension on, and what a copy takes.
  uint64_t Extent[HEDDLE_MAX_TENSOR_RANK];
  uint64_t Stride[HEDDLE_MAX_TENSOR_RANK - 1];
  uint32_t Box[HEDDLE_MAX_TENSOR_RANK];
  uint32_t ElementStride[HEDDLE_MAX_TENSOR_RANK];
  /// 0: none, 1, 2, 3, 4: by 32, 64, 128, 96 bytes.
  uint32_t Swizzle;
  /// What is outside of the tensor: 0: zeros, 1: NaNs.
  uint32_t Fill;
  /// What swizzling by 128 bytes leaves together; 0: 16 bytes, 1: 32, 2: 32
  /// with halves of 16 bytes exchanged in every other row, 3: 64.
  uint32_t SwizzleAtomicity;
  /// Channels in slices: 0: none, 1: of 16 bytes, 2: of 32.
  uint32_t Interleave;
} HeddleTensorMapDescription;

/// Element strides of 1, everything else zero.
static inline void
heddleTensorMapDescriptionInit(HeddleTensorMapDescription *Description) {
  memset(Description, 0, sizeof(*Description));
  Description->StructSize = sizeof(*Description);
  for (int I = 0; I < HEDDLE_MAX_TENSOR_RANK; ++I)
    Description->ElementStride[I] = 1;
}

/// What a copy by columns takes. The tensor's dimensions are channels, W, H, D
/// as far as there are, and images.
typedef struct HeddleTensorMapColumns {
  size_t StructSize;
  /// 1 to 256 and 1 to 1024.
  uint32_t ChannelsPerPixel;
  uint32_t PixelsPerColumn;
  /// By W, H, D: the distance of the box's first pixel from the tensor's first
  /// one, and of the last from the last. Along W only its own are used.
  int32_t LowerCorner[HEDDLE_MAX_SPATIAL_RANK];
  int32_t UpperCorner[HEDDLE_MAX_SPATIAL_RANK];
} HeddleTensorMapColumns;

/// How columns along W only take their pixels: as many as a column has, or
/// 128 in four groups.
typedef enum HeddleIm2colWideMode HEDDLE_ENUM_BASE {
  HEDDLE_IM2COL_W = 0,
  HEDDLE_IM2COL_W_128 = 1
} HeddleIm2colWideMode;

/// Everything zero.
static inline void heddleTensorMapColumnsInit(HeddleTensorMapColumns *Columns) {
  memset(Columns, 0, sizeof(*Columns));
  Columns->StructSize = sizeof(*Columns);
}

/// These write HEDDLE_TENSOR_MAP_BYTES to OutMap. Thread-safe. An error says
/// which rule of docs/tensor-maps.md the description breaks. The maps are for
/// copies in tiles, by columns (.im2col, .im2col_no_offs) and by columns along
/// W
/// (.im2col::w, .im2col::w::128); for columns the description's Box is ignored.
HEDDLE_C_API HeddleError heddleTensorMapEncode(
    const HeddleTensorMapDescription *Description, void *OutMap);
HEDDLE_C_API HeddleError heddleTensorMapEncodeIm2col(
    const HeddleTensorMapDescription *Description,
    const HeddleTensorMapColumns *Columns, void *OutMap);
HEDDLE_C_API HeddleError
heddleTensorMapEncodeIm2colWide(const HeddleTensorMapDescription *Description,
                                const HeddleTensorMapColumns *Columns,
                                HeddleIm2colWideMode Mode, void *OutMap);

#ifdef __cplusplus
}
#endif

#endif // HEDDLE_C_TENSORMAP_H
