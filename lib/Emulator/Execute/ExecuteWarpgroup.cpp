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
#include "Matrix/SharedMatrix.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace heddle::emu {

using isa::Op;

namespace {

constexpr unsigned WarpsOfGroup = 4, RowsOfWarp = 16;

//===----------------------------------------------------------------------===//
// Matrices in shared memory
//===----------------------------------------------------------------------===//

SharedMatrix matrixOf(uint64_t Descriptor, unsigned Bits, bool Transposed) {
  return {warpgroupLayout(Descriptor), Bits, 128 / Bits, Transposed};
}

/// The bits of an element; none after a fault.
std::optional<uint32_t> readElement(Warp &W, const SharedMatrix &M,
                                    unsigned Outer, unsigned K, unsigned Bits) {
  unsigned Bytes = std::max(Bits / 8, 1u);
  uint8_t *Host = W.resolveShared(0, M.address(Outer, K), Bytes, false);
  if (!Host)
    return std::nullopt;
  if (W.Launch->Relaxed)
    W.Launch->Relaxed->settle(Host, Bytes);
  if (Bytes == 4)
    return read<uint32_t>(Host);
  if (Bytes == 2)
    return read<uint16_t>(Host);
  return read<uint8_t>(Host) >> M.bit(Outer, K) & ((1u << Bits) - 1);
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
        K(I.Matrix.Sparse ? 2 * StoredK : StoredK),
        X(std::make_unique<Operands>()) {}

  void run();

private:
  bool gatherA();
  bool gatherB();
  void storeA(unsigned Row, unsigned Stored, uint32_t Value);
  void multiplyFloat();
  void multiplyInteger();

  Warp &W;
  Inst I;
  unsigned Bits, StoredK, K;
  std::unique_ptr<Operands> X;
};

void GroupProduct::storeA(unsigned Row, unsigned Stored, uint32_t Value) {
  unsigned Column = Stored;
  if (I.Matrix.Sparse)
    Column = SparseColumns(W, I, I.Matrix.A, K)(Row, Stored);
  X->A[Row][Column] = Value;
  X->Stored[Row][Column] = true;
}

bool GroupProduct::gatherA() {
  if (I.Info->Operation == Op::WGMMA) {
    forElements(W, Layout::of(Fragment::A16, 32 / Bits), I.A, 4, Bits,
                [&](unsigned Row, unsigned Stored, uint32_t V) {
                  storeA(Row, Stored, V);
                });
    return true;
  }
  SharedMatrix M = matrixOf(W.reg64(I.A, 0), Bits, I.Matrix.TransposesA);
  unsigned First = W.Index % WarpsOfGroup * RowsOfWarp;
  for (unsigned Row = 0; Row < RowsOfWarp; ++Row)
    for (unsigned N = 0; N < StoredK; ++N) {
      auto V = readElement(W, M, First + Row, N, Bits);
      if (!V)
        return false;
      storeA(Row, N, *V);
    }
  return true;
}

bool GroupProduct::gatherB() {
  SharedMatrix M = matrixOf(W.reg64(I.B, 0), Bits, I.Matrix.TransposesB);
  for (unsigned Column = 0; Column < MaxMatrixN; ++Column)
    for (unsigned N = 0; N < K; ++N) {
      auto V = readElement(W, M, 8 * I.Offset + Column, N, Bits);
      if (!V)
        return false;
      X->B[Column][N] = *V;
    }
  return true;
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
  if (!gatherA() || !gatherB())
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
