//===- LocalMemory.h - Local memory of a CTA's threads ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The local memory of each thread of a CTA. What a thread has not written is
// poison. It is filled with that where some thread of its warp comes first:
// stacks are large, and most threads use little of theirs.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_LOCALMEMORY_H
#define HEDDLE_LIB_EMULATOR_LOCALMEMORY_H

#include "Decoder.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::emu {

class LocalMemory {
public:
  /// \p ThreadBytes is a multiple of two, as poison is.
  LocalMemory(uint64_t Warps, uint64_t ThreadBytes);

  /// All of it is poison again.
  void forget() { std::fill(Filled.begin(), Filled.end(), 0); }
  /// Of all threads.
  uint64_t size() const { return Filled.size() * WarpSize * ThreadBytes; }

  /// Where a warp's memory begins, lane by lane. Who reads or writes there
  /// without at calls touch before.
  uint8_t *start(unsigned Warp) const {
    return Data.get() + uint64_t(Warp) * WarpSize * ThreadBytes;
  }
  /// Some thread of a warp is going to access \p Bytes of its memory, which are
  /// at least one.
  void touch(unsigned Warp, uint64_t Offset, uint64_t Bytes) {
    uint64_t Parts = partsOf(Offset, Bytes);
    if (Parts & ~Filled[Warp])
      fill(Warp, Parts & ~Filled[Warp]);
  }
  uint8_t *at(unsigned Warp, unsigned Lane, uint64_t Offset, uint64_t Bytes) {
    touch(Warp, Offset, Bytes);
    return start(Warp) + Lane * ThreadBytes + Offset;
  }
  /// All of a thread's memory; null if there is none.
  uint8_t *of(unsigned Warp, unsigned Lane) {
    return ThreadBytes ? at(Warp, Lane, 0, ThreadBytes) : nullptr;
  }

private:
  /// A thread's memory has at most as many parts as a mask has bits.
  static constexpr unsigned MostParts = 64;
  static constexpr unsigned LeastShift = 6; ///< Parts of 64 bytes.

  uint64_t partsOf(uint64_t Offset, uint64_t Bytes) const {
    uint64_t First = Offset >> PartShift;
    uint64_t Last = (Offset + Bytes - 1) >> PartShift;
    return ~uint64_t(0) >> (MostParts - 1 - (Last - First)) << First;
  }
  void fill(unsigned Warp, uint64_t Parts);

  uint64_t ThreadBytes;
  unsigned PartShift = LeastShift; ///< Logarithm of a part's bytes.
  std::unique_ptr<uint8_t[]> Data; ///< Thread by thread.
  /// By warp, the parts that are filled for all of its threads.
  std::vector<uint64_t> Filled;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_LOCALMEMORY_H
