//===- ExecuteWarpgroup.cpp - Matrix products of four warps -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warp computes its 16 rows when it executes the instruction, from what is
// then in shared memory; that a warpgroup's products end together is what WAIT
// sees to.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Execute/ExecuteMatrix.h"
#include "Matrix/ByteProduct.h"
#include "Matrix/DenseFragments.h"
#include "Matrix/SharedMatrix.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>

namespace heddle::emu {

using isa::Op;

namespace {

constexpr unsigned WarpsOfGroup = 4, RowsOfWarp = 16;

//===----------------------------------------------------------------------===//
// Matrices in shared memory
//===----------------------------------------------------------------------===//

constexpr unsigned UnitBytes = 16;

/// A matrix that a descriptor describes; units of its elements are contiguous.
class GroupMatrix {
public:
  GroupMatrix(uint64_t Descriptor, unsigned Bits, bool Transposed)
      : M(warpgroupLayout(Descriptor), Bits, perUnit(Bits), Transposed),
        Bits(Bits), Transposed(Transposed) {}

  /// Calls Visit with the two indices and the bits of \p K elements of each of
  /// \p Count rows of A, or columns of B, from \p First on. False after a
  /// fault.
  template <typename Fn>
  bool forElements(Warp &W, unsigned First, unsigned Count, unsigned K,
                   Fn Visit) const;
  /// Whether rows of A, or columns of B, are contiguous.
  bool hasRows() const { return !Transposed; }
  /// Reads \p Count of them from \p First on. False after a fault.
  bool readRows(Warp &W, unsigned First, unsigned Count,
                DenseMatrices::Row *Rows) const;

private:
  static unsigned perUnit(unsigned Bits) { return 8 * UnitBytes / Bits; }
  bool readUnit(Warp &W, uint32_t Address, uint64_t *Words) const;

  SharedMatrix M;
  unsigned Bits;
  bool Transposed;
};

bool GroupMatrix::readUnit(Warp &W, uint32_t Address, uint64_t *Words) const {
  uint8_t *Host = W.resolveShared(0, Address, UnitBytes, false);
  if (!Host)
    return false;
  if (W.Launch->Relaxed)
    W.Launch->Relaxed->settle(Host, UnitBytes);
  Words[0] = read<uint64_t>(Host);
  Words[1] = read<uint64_t>(Host + sizeof(uint64_t));
  return true;
}

template <typename Fn>
bool GroupMatrix::forElements(Warp &W, unsigned First, unsigned Count,
                              unsigned K, Fn Visit) const {
  unsigned Elements = perUnit(Bits);
  uint64_t Mask = (uint64_t(1) << Bits) - 1;
  unsigned Begin = Transposed ? First : 0,
           End = Begin + (Transposed ? Count : K);
  for (unsigned Other = 0; Other < (Transposed ? K : Count); ++Other)
    for (unsigned Unit = Begin / Elements * Elements; Unit < End;
         Unit += Elements) {
      uint64_t Words[2];
      uint32_t Address =
          Transposed ? M.address(Unit, Other) : M.address(First + Other, Unit);
      if (!readUnit(W, Address, Words))
        return false;
      for (unsigned N = std::max(Unit, Begin);
           N < std::min(Unit + Elements, End); ++N) {
        unsigned Bit = (N - Unit) * Bits;
        auto V = static_cast<uint32_t>(Words[Bit / 64] >> Bit % 64 & Mask);
        Transposed ? Visit(N - First, Other, V) : Visit(Other, N, V);
      }
    }
  return true;
}

bool GroupMatrix::readRows(Warp &W, unsigned First, unsigned Count,
                           DenseMatrices::Row *Rows) const {
  constexpr unsigned RowBytes = sizeof(DenseMatrices::Row);
  for (unsigned N = 0; N < Count; ++N)
    for (unsigned Byte = 0; Byte < RowBytes; Byte += UnitBytes) {
      uint64_t Words[2];
      if (!readUnit(W, M.address(First + N, 8 * Byte / Bits), Words))
        return false;
      std::memcpy(reinterpret_cast<char *>(Rows[N]) + Byte, Words, UnitBytes);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// The bits of a product's operands, A by rows and B by columns.
struct Operands {
  uint32_t A[MaxMatrixM][MaxMatrixK], B[MaxMatrixN][MaxMatrixK];
  bool Stored[MaxMatrixM][MaxMatrixK] = {}; ///< Of A.
};

class GroupProduct {
public:
  GroupProduct(Warp &W, Inst I)
      : W(W), I(I), Bits(matrix::bitsOf(I.Matrix.A)), StoredK(256 / Bits),
        K(I.Matrix.Sparse ? 2 * StoredK : StoredK) {}

  void run();

private:
  template <typename Fn> bool gatherA(Fn Store);
  template <typename Fn> bool gatherB(Fn Store);
  bool loadA(DenseMatrices &To);
  bool loadB(DenseMatrices &To);
  void negate(DenseMatrices &Of);
  bool multiplyDense();
  bool gather();
  void multiplyFloat();
  void multiplyInteger();

  Warp &W;
  Inst I;
  unsigned Bits, StoredK, K;
  std::unique_ptr<Operands> X;
};

/// Calls Store with the row, the place among those that are stored, and the
/// bits of each element of A. False after a fault.
template <typename Fn> bool GroupProduct::gatherA(Fn Store) {
  if (I.Info->Operation == Op::WGMMA) {
    forElements(W, Layout::of(Fragment::A16, 32 / Bits), I.A, 4, Bits, Store);
    return true;
  }
  GroupMatrix M(W.reg64(I.A, 0), Bits, I.Matrix.TransposesA);
  unsigned First = W.Index % WarpsOfGroup * RowsOfWarp;
  return M.forElements(W, First, RowsOfWarp, StoredK, Store);
}

/// The same for the columns of B.
template <typename Fn> bool GroupProduct::gatherB(Fn Store) {
  GroupMatrix M(W.reg64(I.B, 0), Bits, I.Matrix.TransposesB);
  return M.forElements(W, 8 * I.Offset, MaxMatrixN, K, Store);
}

/// The elements of A; false after a fault.
bool GroupProduct::loadA(DenseMatrices &To) {
  if (I.Info->Operation == Op::WGMMA) {
    loadDenseA(W.R + I.A, To);
    return true;
  }
  GroupMatrix M(W.reg64(I.A, 0), Bits, I.Matrix.TransposesA);
  unsigned First = W.Index % WarpsOfGroup * RowsOfWarp;
  DenseMatrices::Row Rows[RowsOfWarp];
  if (M.hasRows()) {
    if (!M.readRows(W, First, RowsOfWarp, Rows))
      return false;
    arrangeDenseA(Rows, To);
    return true;
  }
  return M.forElements(
      W, First, RowsOfWarp, K,
      [&](unsigned Row, unsigned N, uint32_t V) { To.A[N][Row] = V; });
}

/// Those of B.
bool GroupProduct::loadB(DenseMatrices &To) {
  GroupMatrix M(W.reg64(I.B, 0), Bits, I.Matrix.TransposesB);
  unsigned First = DenseMatrices::N * I.Offset;
  DenseMatrices::Row Rows[DenseMatrices::N];
  if (M.hasRows()) {
    if (!M.readRows(W, First, DenseMatrices::N, Rows))
      return false;
    arrangeDenseB(Rows, To);
    return true;
  }
  return M.forElements(
      W, First, DenseMatrices::N, K,
      [&](unsigned Column, unsigned N, uint32_t V) { To.B[Column][N] = V; });
}

void GroupProduct::negate(DenseMatrices &Of) {
  uint32_t Sign = uint32_t(1) << (Bits - 1);
  for (unsigned N = 0; N < K; ++N) {
    for (uint32_t &V : Of.A[N])
      V ^= I.Matrix.NegatesA ? Sign : 0;
    for (auto &Column : Of.B)
      Column[N] ^= I.Matrix.NegatesB ? Sign : 0;
  }
}

/// The usual products. False for others, for what is not finite, and after a
/// fault.
bool GroupProduct::multiplyDense() {
  bool AreBytes = takesBytes(I.Matrix.A, I.Matrix.B, K);
  if (I.Matrix.Sparse ||
      (!AreBytes && !DenseMatrices::take(I.Matrix.A, I.Matrix.B, K)))
    return false;
  DenseMatrices D;
  D.TypeA = I.Matrix.A;
  D.TypeB = I.Matrix.B;
  D.K = K;
  if (!loadA(D) || !loadB(D))
    return false;
  if (AreBytes) {
    addByteProduct(W, I, D);
    return true;
  }
  if (I.Matrix.NegatesA || I.Matrix.NegatesB)
    negate(D);
  return addDenseProduct(W, I, D);
}

/// All operands, as bits; false after a fault.
bool GroupProduct::gather() {
  X = std::make_unique<Operands>();
  auto StoreA = [&](unsigned Row, unsigned Stored, uint32_t V) {
    unsigned Column = Stored;
    if (I.Matrix.Sparse)
      Column = SparseColumns(W, I, I.Matrix.A, K)(Row, Stored);
    X->A[Row][Column] = V;
    X->Stored[Row][Column] = true;
  };
  auto StoreB = [&](unsigned Column, unsigned N, uint32_t V) {
    X->B[Column][N] = V;
  };
  return gatherA(StoreA) && gatherB(StoreB);
}

void GroupProduct::multiplyFloat() {
  auto F = std::make_unique<FloatMatrices>();
  F->Fraction = fractionBits(I.Matrix.A) + fractionBits(I.Matrix.B);
  auto Decode = [](Element E, uint32_t V, bool Negates) {
    MatrixTerm T = decodeElement(E, V);
    T.Significand = Negates ? -T.Significand : T.Significand;
    return T;
  };
  for (unsigned N = 0; N < K; ++N) {
    for (unsigned Row = 0; Row < RowsOfWarp; ++Row)
      if (X->Stored[Row][N])
        F->A[Row][N] = Decode(I.Matrix.A, X->A[Row][N], I.Matrix.NegatesA);
    for (unsigned Column = 0; Column < MaxMatrixN; ++Column)
      F->B[Column][N] = Decode(I.Matrix.B, X->B[Column][N], I.Matrix.NegatesB);
  }
  addFloatProducts(W, I, *F, RowsOfWarp, K, /*Scales=*/0);
}

void GroupProduct::multiplyInteger() {
  addProducts(W, I, RowsOfWarp, [&](unsigned M, unsigned N, uint32_t C) {
    int64_t Sum = static_cast<int32_t>(C);
    for (unsigned L = 0; L < K; ++L)
      if (X->Stored[M][L])
        Sum += int64_t(decodeInteger(I.Matrix.A, X->A[M][L])) *
               decodeInteger(I.Matrix.B, X->B[N][L]);
    return finishInteger(Sum, I.Matrix.Saturate);
  });
}

void GroupProduct::run() {
  if (multiplyDense() || W.faulted() || !gather())
    return;
  if (matrix::isInteger(I.Matrix.A))
    multiplyInteger();
  else
    multiplyFloat();
}

void multiplyGroup(Warp &W, Inst I, LaneMask Exec) {
  if (isWhole(W, Exec))
    GroupProduct(W, I).run();
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void synchronizeGroup(Warp &W, Inst I, LaneMask Exec) {
  if (!isWhole(W, Exec))
    return;
  AsyncUnit &Async = W.Owner->Owner.Async;
  if (static_cast<isa::WarpgroupOp>(I.Select) == isa::WarpgroupOp::Commit) {
    ++W.ProductGroups;
    Async.progress();
    return;
  }
  uint32_t Pending = std::min<uint32_t>(I.Offset, W.ProductGroups);
  uint32_t Wanted = W.ProductGroups - Pending;
  const auto &Warps = W.Owner->warps();
  size_t First = size_t(W.Index) / WarpsOfGroup * WarpsOfGroup;
  size_t End = std::min<size_t>(First + WarpsOfGroup, Warps.size());
  for (size_t N = First; N < End; ++N)
    if (Warps[N]->ProductGroups < Wanted) {
      Async.lookedInVain(W, Exec,
                         "the products of warp " + std::to_string(N) +
                             " of its warpgroup");
      if (W.faulted())
        return;
      // Look again when the others have run.
      W.Next = W.Current;
      return W.yield();
    }
}

} // namespace

ExecFn warpgroupExecutor(Op O) {
  switch (O) {
  case Op::WGMMA:
  case Op::WGMMAD:
    return multiplyGroup;
  case Op::WGSYNC:
    return synchronizeGroup;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
