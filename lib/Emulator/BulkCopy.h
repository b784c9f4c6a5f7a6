//===- BulkCopy.h - Copies of many bytes ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy or a reduction as a list of pieces of host memory, and how a box of a
// tensor becomes one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_BULKCOPY_H
#define HEDDLE_LIB_EMULATOR_BULKCOPY_H

#include "Warp.h"
#include "heddle/ISA/TensorMap.h"

#include <vector>

namespace heddle::emu {

struct BulkCopy {
  static constexpr unsigned PieceBytes = 16;

  /// At most 16 bytes; without a source they become the fill.
  struct Piece {
    uint8_t *To;
    const uint8_t *From;
    unsigned Bytes;
  };
  std::vector<Piece> Pieces;
  bool Reduces = false;
  AtomicOp Operation = AtomicOp::Add;
  BulkType Type = BulkType::U32;
  uint32_t ByteMask = 0xFFFF;
  uint64_t Fill = 0; ///< An element, repeated.
  /// Numbers of the sectors of global memory that it touches, in order.
  std::vector<uint64_t> Sectors;
  void touch(uint64_t Address, unsigned Bytes);

  void perform(RelaxedMemory *Relaxed) const;
  /// Takes what is at the sources; perform moves that then.
  void readSources(RelaxedMemory *Relaxed);

private:
  std::vector<uint8_t> Taken;
};

/// What a TMA instruction asks for.
struct TensorRequest {
  TensorMap Map;
  int32_t At[MaxTensorRank] = {};
  uint32_t Rows[4] = {}; ///< Of four rows that are gathered or scattered.
  bool FourRows = false;
  bool ToShared = true;
  bool Reduces = false;
  AtomicOp Operation = AtomicOp::Add;

  /// Elements that the box takes along a dimension.
  unsigned count(unsigned Dimension) const;
  uint32_t boxBytes() const;
};

/// Reads the map and the coordinates of a lane; false after a fault.
bool readTensorRequest(Warp &W, const DecodedInst &I, unsigned Lane,
                       TensorRequest &R);
/// The pieces of a box in shared memory from \p Shared on; false after a fault.
bool planTensorCopy(Warp &W, unsigned Lane, const TensorRequest &R,
                    uint32_t Shared, BulkCopy &Copy);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_BULKCOPY_H
