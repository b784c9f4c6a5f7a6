//===- BulkCopy.h - Copies of many bytes ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy or a reduction as a list of pieces of host memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_BULKCOPY_H
#define HEDDLE_LIB_EMULATOR_BULKCOPY_H

#include "Warp.h"

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
  AtomOp Operation = AtomOp::Add;
  BulkType Type = BulkType::U32;
  uint64_t Fill = 0;         ///< Eight bytes, repeated.
  bool RoundsToTF32 = false; ///< Words are in single precision.
  /// Sources are 16 bytes, of each of which 6 bits go to the 12 at To.
  bool PacksSixBits = false;
  /// What is looked for at the sources.
  DataReport Report = DataReport::None;
  /// Numbers of the sectors of global memory that it touches, in order.
  std::vector<uint64_t> Sectors;
  void touch(uint64_t Address, unsigned Bytes);

  void perform(RelaxedMemory *Relaxed) const;
  /// Whether what is looked for is there. Before it is performed.
  bool findsReported() const;
  /// Takes what is at the sources; perform moves that then.
  void readSources(RelaxedMemory *Relaxed);

private:
  void move(const Piece &P) const;
  unsigned sourceBytes(const Piece &P) const {
    return PacksSixBits ? PieceBytes : P.Bytes;
  }

  std::vector<uint8_t> Taken;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_BULKCOPY_H
