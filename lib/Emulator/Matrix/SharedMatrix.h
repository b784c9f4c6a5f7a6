//===- SharedMatrix.h - Matrices in shared memory ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the elements of a matrix are that a descriptor describes, for products
// of warpgroups and in tensor memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_SHAREDMATRIX_H
#define HEDDLE_LIB_EMULATOR_SHAREDMATRIX_H

#include <cstdint>

namespace heddle::emu {

/// What a descriptor says.
struct SharedLayout {
  uint32_t Start = 0, Leading = 0, Stride = 0; ///< In bytes.
  /// Rows of 128 bytes after which swizzling repeats itself, as a power of two.
  unsigned SwizzleBits = 0;
  bool Units32 = false; ///< 32 bytes stay together, not 16.
  /// Leading is an address: what would be beyond the first 128 bytes of a row
  /// is in the first of rows that begin there.
  bool Continues = false;
  unsigned BaseOffset = 0; ///< Rows by which the pattern begins later.
};

/// Of wgmma.
SharedLayout warpgroupLayout(uint64_t Descriptor);
/// Of tcgen05. Returns what is wrong with the descriptor, or null.
const char *tensorLayout(uint64_t Descriptor, SharedLayout &L);

/// Outer is the row of A or the column of B, K the other index. \p Bits is the
/// size of an element, \p PerUnit how many stand in 16 bytes; with \p
/// Transposed, Outer is the index that is contiguous in memory.
class SharedMatrix {
public:
  SharedMatrix(const SharedLayout &L, unsigned Bits, unsigned PerUnit,
               bool Transposed)
      : L(L), Bits(Bits), PerUnit(PerUnit), Transposed(Transposed) {}

  /// The shared address of the byte that an element begins in.
  uint32_t address(unsigned Outer, unsigned K) const {
    uint32_t A = Transposed ? L.Start + byOuter(Outer, K) : byK(Outer, K);
    uint32_t Row = (A >> 7) - L.BaseOffset;
    return A ^ (Row & ((1u << L.SwizzleBits) - 1)) << (L.Units32 ? 5 : 4);
  }
  /// The first bit of an element in its byte.
  unsigned bit(unsigned Outer, unsigned K) const {
    return (Transposed ? Outer : K) % PerUnit * Bits % 8;
  }

private:
  static constexpr unsigned UnitBytes = 16, RowBytes = 128;

  /// Units of 16 bytes that stand side by side before they are swizzled.
  unsigned unitsAcross() const { return L.Units32 ? 8 : 1u << L.SwizzleBits; }
  /// Rows that stand one below the other.
  unsigned rowsDown() const { return L.Units32 ? 4 : 8; }

  /// Rows of eight, each of them of units side by side.
  uint32_t byK(unsigned Outer, unsigned K) const {
    unsigned Unit = K / PerUnit, Down = rowsDown();
    uint32_t Row =
        Outer % Down * UnitBytes * unitsAcross() + Outer / Down * L.Stride;
    // Without swizzling the units of a row are apart.
    uint32_t Across = L.SwizzleBits ? Unit * UnitBytes : Unit * L.Leading;
    uint32_t From = L.Start;
    if (L.Continues && From % RowBytes + Across >= RowBytes) {
      Across -= RowBytes - From % RowBytes;
      From = L.Leading;
    }
    return From + Row + Across + K % PerUnit * Bits / 8;
  }
  /// From the start, with the indices exchanged.
  uint32_t byOuter(unsigned Outer, unsigned K) const {
    unsigned Unit = Outer / PerUnit, Down = rowsDown();
    unsigned Inner = Unit % unitsAcross(), Block = Unit / unitsAcross();
    uint32_t Columns = K % Down * UnitBytes * unitsAcross();
    uint32_t Far = L.SwizzleBits ? Block * L.Leading + K / Down * L.Stride
                                 : Block * L.Stride + K / Down * L.Leading;
    return Inner * UnitBytes + Outer % PerUnit * Bits / 8 + Columns + Far;
  }

  SharedLayout L;
  unsigned Bits, PerUnit;
  bool Transposed;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_SHAREDMATRIX_H
