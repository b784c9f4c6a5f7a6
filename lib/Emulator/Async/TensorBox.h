//===- TensorBox.h - Boxes of tensors -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What TMA is asked to copy, and how that becomes pieces of host memory: tiles,
// and columns of pixels. docs/tensor-maps.md says which elements those are.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TENSORBOX_H
#define HEDDLE_LIB_EMULATOR_TENSORBOX_H

#include "Async/BulkCopy.h"
#include "heddle/ISA/TensorMap.h"

#include <array>
#include <vector>

namespace heddle::emu {

/// What a TMA instruction asks for.
struct TensorRequest {
  TensorMap Map;
  int32_t At[MaxTensorRank] = {};
  uint32_t Rows[4] = {}; ///< Of four rows that are gathered or scattered.
  bool FourRows = false;
  /// Of columns, what is added to a pixel along W, H and D.
  uint16_t Offset[MaxSpatialRank] = {};
  uint16_t Halo = 0; ///< Pixels that follow a column along W.
  bool ToShared = true;
  bool OnlyTouches = false; ///< Global memory; nothing is copied.
  bool Reduces = false;
  AtomOp Operation = AtomOp::Add;
  /// If it is in an endpoint: addresses are offsets there.
  const std::vector<rt::EndpointRange> *Member = nullptr;

  /// Coordinates of all dimensions but the first, whose place is unused.
  using Pixel = std::array<int64_t, MaxTensorRank>;

  bool isColumn() const { return Map.access() != TensorAccess::Tile; }
  /// Units that the box takes along the first dimension.
  unsigned unitsPerPixel() const;
  unsigned numPixels() const;
  /// In the order of shared memory.
  std::vector<Pixel> pixels() const;
  uint32_t boxBytes() const;

private:
  /// Elements that a tile takes along a dimension but the first.
  unsigned count(unsigned Dimension) const;
  std::vector<Pixel> tilePixels() const;
  std::vector<Pixel> columnPixels() const;
};

/// Reads the map and the coordinates of a lane; false after a fault.
bool readTensorRequest(Warp &W, const DecodedInst &I, unsigned Lane,
                       TensorRequest &R);
/// The pieces of a box in shared memory from \p Shared on; false after a fault.
bool planTensorCopy(Warp &W, unsigned Lane, const TensorRequest &R,
                    uint32_t Shared, BulkCopy &Copy);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TENSORBOX_H
