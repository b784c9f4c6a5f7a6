//===- ExecuteMatrix.cpp - Matrices in the registers of a warp --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrMatrix.td: gathers whole matrices from
// the lanes' fragments, and gives the results back. MatrixUnit.cpp has the
// arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Execute/ExecuteMatrix.h"
#include "Matrix/ByteProduct.h"
#include "Matrix/DenseFragments.h"
#include "Matrix/PlainProduct.h"

#include <cstring>
#include <memory>
#include <optional>

namespace heddle::emu {

using isa::Op;
using matrix::Shape;
using matrix::Tile;

namespace {

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// What an instruction of the kind MMA multiplies.
struct Product {
  Product(Inst I)
      : X(matrix::extentsOf(I.Matrix.Shape)), TypeA(I.Matrix.A),
        TypeB(I.Matrix.B), Bits(matrix::bitsOf(TypeA)),
        Sparse(I.Info->Operation == Op::MMASP) {
    // Of each 32 bits of a row there is one in each of four lanes.
    unsigned Words = X.K * Bits / 128;
    RegistersA = X.M == 8 ? Words : 2 * Words / (Sparse ? 2 : 1);
    RegistersB = Words;
  }

  matrix::Extents X;
  Element TypeA, TypeB;
  unsigned Bits;
  bool Sparse;
  unsigned RegistersA, RegistersB;
};

/// Calls VisitA and VisitB with the places and bits of all elements.
template <typename FnA, typename FnB>
void forOperands(const Warp &W, Inst I, const Product &P, FnA VisitA,
                 FnB VisitB) {
  unsigned PerWord = 32 / P.Bits;
  const Layout &LA =
      Layout::of(P.X.M == 8 ? Fragment::A8 : Fragment::A16, PerWord);
  if (P.Sparse) {
    SparseColumns Columns(W, I, P.TypeA, P.X.K);
    forElements(W, LA, I.A, P.RegistersA, P.Bits,
                [&](unsigned Row, unsigned Stored, uint32_t Bits) {
                  VisitA(Row, Columns(Row, Stored), Bits);
                });
  } else {
    forElements(W, LA, I.A, P.RegistersA, P.Bits, VisitA);
  }
  forElements(W, Layout::of(Fragment::B8, PerWord), I.B, P.RegistersB, P.Bits,
              [&](unsigned Row, unsigned Column, uint32_t Bits) {
                VisitB(Column, Row, Bits);
              });
}

/// Scales of rows of A and columns of B from the lanes that hold them.
void gatherScales(const Warp &W, Inst I, FloatMatrices &X) {
  for (unsigned N = 0; N < MaxMatrixN; ++N)
    for (unsigned Chunk = 0; Chunk < I.Matrix.Scales; ++Chunk) {
      auto Scale = [&](unsigned Row, unsigned Lane) {
        return decodeScale(I.Matrix.ScaleType, W.R[Row][Lane] >> (8 * Chunk));
      };
      X.ScaleA[N][Chunk] = Scale(I.F, 4 * N);
      X.ScaleA[N + 8][Chunk] = Scale(I.F, 4 * N + 1);
      X.ScaleB[N][Chunk] = Scale(I.G, 4 * N);
    }
}

void loadOperands(const Warp &W, Inst I, const Product &P, DenseMatrices &X) {
  X.TypeA = P.TypeA;
  X.TypeB = P.TypeB;
  X.K = P.X.K;
  loadDenseA(W.R + I.A, X);
  loadDenseB(W.R + I.B, X);
}

/// Dense products of 16 rows, which are the most common. False for others, and
/// for what is not finite.
bool multiplyDense(Warp &W, Inst I, const Product &P) {
  constexpr unsigned M = DenseMatrices::M;
  if (P.Sparse || I.Matrix.Scales || P.X.M != M ||
      !DenseMatrices::take(P.TypeA, P.TypeB, P.X.K))
    return false;
  DenseMatrices X;
  loadOperands(W, I, P, X);
  return addDenseProduct(W, I, X);
}

/// The same of bytes.
bool multiplyBytes(Warp &W, Inst I, const Product &P) {
  if (P.Sparse || P.X.M != DenseMatrices::M ||
      !takesBytes(P.TypeA, P.TypeB, P.X.K))
    return false;
  DenseMatrices X;
  loadOperands(W, I, P, X);
  addByteProduct(W, I, X);
  return true;
}

void multiplyFloat(Warp &W, Inst I) {
  Product P(I);
  if (multiplyDense(W, I, P))
    return;
  // Of a sparse matrix not all elements are there.
  auto X = P.Sparse ? std::make_unique<FloatMatrices>()
                    : std::make_unique_for_overwrite<FloatMatrices>();
  X->Fraction = fractionBits(P.TypeA) + fractionBits(P.TypeB) +
                (I.Matrix.ScaleType ? 2 * ScaleFractionBits : 0);
  forOperands(
      W, I, P,
      [&](unsigned M, unsigned K, uint32_t Bits) {
        X->A[M][K] = decodeElement(P.TypeA, Bits);
      },
      [&](unsigned N, unsigned K, uint32_t Bits) {
        X->B[N][K] = decodeElement(P.TypeB, Bits);
      });
  gatherScales(W, I, *X);
  addFloatProducts(W, I, *X, P.X.M, P.X.K, I.Matrix.Scales);
}

void multiplyInteger(Warp &W, Inst I) {
  Product P(I);
  if (multiplyBytes(W, I, P))
    return;
  int16_t A[MaxMatrixM][MaxMatrixK] = {}, B[MaxMatrixN][MaxMatrixK] = {};
  forOperands(
      W, I, P,
      [&](unsigned M, unsigned K, uint32_t Bits) {
        A[M][K] = decodeInteger(P.TypeA, Bits);
      },
      [&](unsigned N, unsigned K, uint32_t Bits) {
        B[N][K] = decodeInteger(P.TypeB, Bits);
      });
  bool Differs = P.TypeA == Element::B1 && !I.Matrix.BitAnd;
  addProducts(W, I, P.X.M, [&](unsigned M, unsigned N, uint32_t C) {
    int64_t Sum = static_cast<int32_t>(C);
    for (unsigned K = 0; K < P.X.K; ++K)
      Sum += Differs ? A[M][K] ^ B[N][K] : A[M][K] * B[N][K];
    return finishInteger(Sum, I.Matrix.Saturate);
  });
}

/// Four products of 8 x 8 x 4 of half precision.
void multiplyQuads(Warp &W, Inst I) {
  constexpr unsigned Quads = 4, Size = 8, Depth = 4, NumSums = 8;
  // A register more than a group has; the second half is another instruction's.
  bool PairsC = I.Matrix.C == Result::F16, PairsD = I.Matrix.D == Result::F16;
  unsigned First = I.Matrix.Part ? 4 : 0;
  const Layout &LA = Layout::of(
      I.Matrix.ColumnsA ? Fragment::QuadACol : Fragment::QuadARow, 2);
  const Layout &LB = Layout::of(
      I.Matrix.ColumnsB ? Fragment::QuadBCol : Fragment::QuadBRow, 2);
  const Layout &Single = Layout::of(Fragment::QuadC, 1),
               &Pairs = Layout::of(Fragment::QuadCPairs, 2);
  auto X = std::make_unique<FloatMatrices[]>(Quads);
  uint32_t C[Quads][Size][Size] = {};
  for (unsigned Lane = 0; Lane < WarpSize; ++Lane) {
    unsigned Quad = Lane >> 2 & 3;
    FloatMatrices &Q = X[Quad];
    Q.Fraction = 2 * fractionBits(Element::F16);
    for (unsigned N = 0; N < Depth; ++N) {
      unsigned R = N / 2, E = N % 2;
      auto Value = [&](unsigned Row) {
        return decodeElement(Element::F16,
                             W.R[Row + R][Lane] >> (16 * E) & 0xFFFF);
      };
      Layout::Place A = LA(Lane, R, E), B = LB(Lane, R, E);
      Q.A[A.Row][A.Column] = Value(I.A);
      Q.B[B.Column][B.Row] = Value(I.B);
    }
    for (unsigned N = 0; N < NumSums; ++N) {
      Layout::Place P = PairsC ? Pairs(Lane, N / 2, N % 2) : Single(Lane, N, 0);
      if (PairsC)
        C[Quad][P.Row][P.Column] =
            W.R[I.C + N / 2][Lane] >> (16 * (N % 2)) & 0xFFFF;
      else if (N / 4 == First / 4)
        C[Quad][P.Row][P.Column] = W.R[I.C + N % 4][Lane];
    }
  }
  auto Sum = [&](unsigned Lane, Layout::Place P) {
    unsigned Quad = Lane >> 2 & 3;
    return multiplyFloats(X[Quad], P.Row, P.Column, Depth, 0,
                          C[Quad][P.Row][P.Column], I.Matrix.C, I.Matrix.D);
  };
  for (unsigned Lane = 0; Lane < WarpSize; ++Lane)
    for (unsigned R = 0; R < 4; ++R)
      W.R[I.D + R][Lane] = PairsD ? Sum(Lane, Pairs(Lane, R, 0)) |
                                        Sum(Lane, Pairs(Lane, R, 1)) << 16
                                  : Sum(Lane, Single(Lane, First + R, 0));
}

void multiply(Warp &W, Inst I, LaneMask Exec) {
  if (!isWhole(W, Exec))
    return;
  if (I.Matrix.Shape == Shape::M8N8K4)
    multiplyQuads(W, I);
  else if (matrix::isInteger(I.Matrix.A))
    multiplyInteger(W, I);
  else
    multiplyFloat(W, I);
}

void multiplyDouble(Warp &W, Inst I, LaneMask Exec) {
  if (!isWhole(W, Exec))
    return;
  constexpr unsigned Size = 8, Depth = 4;
  uint64_t A[Size][Depth], B[Size][Depth];
  const Layout &LA = Layout::of(Fragment::A8, 1),
               &LB = Layout::of(Fragment::B8, 1),
               &LC = Layout::of(Fragment::C8, 1);
  for (unsigned Lane = 0; Lane < WarpSize; ++Lane) {
    Layout::Place PA = LA(Lane, 0, 0), PB = LB(Lane, 0, 0);
    A[PA.Row][PA.Column] = W.reg64(I.A, Lane);
    B[PB.Column][PB.Row] = W.reg64(I.B, Lane);
  }
  uint64_t D[2][WarpSize];
  for (unsigned R = 0; R < 2; ++R)
    for (unsigned Lane = 0; Lane < WarpSize; ++Lane) {
      auto [Row, Column] = LC(Lane, R, 0);
      uint64_t Sum = W.reg64(I.C + 2 * R, Lane);
      for (unsigned K = 0; K < Depth; ++K)
        Sum = fmaBits(A[Row][K], B[Column][K], Sum, F64Format, I.Matrix.Round);
      D[R][Lane] = Sum;
    }
  for (unsigned R = 0; R < 2; ++R)
    for (unsigned Lane = 0; Lane < WarpSize; ++Lane)
      W.setReg64(I.D + 2 * R, Lane, D[R][Lane]);
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

constexpr unsigned RowBytes = 16;

/// What the modifier mtile says.
struct TileShape {
  Fragment F;
  unsigned Bits; ///< Of an element.
  unsigned Rows; ///< Addresses of a matrix.
};
TileShape shapeOf(Tile T) {
  switch (T) {
  case Tile::Words8:
    return {Fragment::Tile8, 16, 8};
  case Tile::Words8Transposed:
    return {Fragment::Tile8Transposed, 16, 8};
  case Tile::Bytes8:
    return {Fragment::Tile8, 8, 8};
  case Tile::Bytes16Transposed:
    return {Fragment::Tile16Transposed, 8, 16};
  case Tile::Bytes8Transposed:
    return {Fragment::TileBytes8Transposed, 8, 8};
  }
  return {};
}

/// The host addresses of the rows; false after a fault.
bool resolveRows(Warp &W, Inst I, unsigned Count, unsigned Bytes, bool Write,
                 uint8_t **Rows) {
  for (unsigned Lane = 0; Lane < Count; ++Lane) {
    Rows[Lane] = W.resolveShared(Lane, W.R[I.A][Lane] + uint32_t(I.Offset),
                                 Bytes, Write);
    if (!Rows[Lane])
      return false;
    if (W.Launch->Relaxed)
      W.Launch->Relaxed->settle(Rows[Lane], Bytes);
  }
  return true;
}

using TileRow = uint8_t[RowBytes];

/// Four lanes that follow each other have a row.
void writeRows(const TileRow *Rows, uint32_t *Register) {
  for (unsigned Row = 0; Row < 8; ++Row)
    std::memcpy(Register + size_t(4) * Row, Rows[Row], RowBytes);
}

/// The same with rows of 16 bits in place of columns.
void writeTransposed(const TileRow *Rows, uint32_t *Register) {
  uint16_t Values[8][8];
  std::memcpy(Values, Rows, sizeof(Values));
  for (size_t Column = 0; Column < 8; ++Column)
    for (size_t Pair = 0; Pair < 4; ++Pair)
      Register[4 * Column + Pair] =
          Values[2 * Pair][Column] | uint32_t(Values[2 * Pair + 1][Column])
                                         << 16;
}

/// Writes the registers of a matrix from \p First on. The layouts of the most
/// common tiles are written out.
void writeTile(Warp &W, TileShape T, const TileRow *Rows, unsigned First,
               unsigned Registers) {
  if (T.F == Fragment::Tile8)
    return writeRows(Rows, W.R[First]);
  if (T.F == Fragment::Tile8Transposed)
    return writeTransposed(Rows, W.R[First]);
  unsigned Bytes = T.Bits / 8;
  writeElements(W, Layout::of(T.F, 32 / T.Bits), First, Registers, T.Bits,
                [&](unsigned Row, unsigned Column) {
                  uint32_t V = 0;
                  std::memcpy(&V, &Rows[Row][size_t(Column) * Bytes], Bytes);
                  return V;
                });
}

void loadMatrices(Warp &W, Inst I, LaneMask Exec) {
  if (!isWhole(W, Exec))
    return;
  TileShape T = shapeOf(I.Matrix.Tile);
  unsigned NumRows = T.Rows * I.Matrix.Count;
  unsigned Registers = matrix::registersOf(I.Matrix.Tile);
  uint8_t *Hosts[WarpSize];
  unsigned StoredBytes =
      I.Matrix.Unpack == matrix::Unpack::FromSigned4Bits ? 8 : RowBytes;
  if (!resolveRows(W, I, NumRows, StoredBytes, false, Hosts))
    return;
  uint8_t Rows[WarpSize][RowBytes] = {};
  for (unsigned N = 0; N < NumRows; ++N) {
    for (unsigned B = 0; B < StoredBytes; B += 8) {
      uint64_t Part = read<uint64_t>(Hosts[N] + B);
      std::memcpy(Rows[N] + B, &Part, 8);
    }
    unpackElements(I.Matrix.Unpack, Rows[N]);
  }
  for (unsigned M = 0; M < I.Matrix.Count; ++M)
    writeTile(W, T, Rows + size_t(M) * T.Rows, I.D + M * Registers, Registers);
}

void storeMatrices(Warp &W, Inst I, LaneMask Exec) {
  if (!isWhole(W, Exec))
    return;
  TileShape T = shapeOf(I.Matrix.Tile);
  unsigned NumRows = T.Rows * I.Matrix.Count;
  unsigned Registers = matrix::registersOf(I.Matrix.Tile);
  uint8_t *Hosts[WarpSize];
  if (!resolveRows(W, I, NumRows, RowBytes, true, Hosts))
    return;
  const Layout &L = Layout::of(T.F, 32 / T.Bits);
  for (unsigned M = 0; M < I.Matrix.Count; ++M)
    forElements(W, L, I.C + M * Registers, Registers, T.Bits,
                [&](unsigned Row, unsigned Column, uint32_t V) {
                  uint8_t *Host = Hosts[M * T.Rows + Row];
                  if (T.Bits == 16)
                    write<uint16_t>(Host + size_t(2) * Column, V);
                  else
                    write<uint8_t>(Host + Column, V);
                });
}

void transposeMatrix(Warp &W, Inst I, LaneMask Exec) {
  if (!isWhole(W, Exec))
    return;
  uint32_t Values[8][8];
  forElements(W, Layout::of(Fragment::Tile8, 2), I.A, 1, 16,
              [&](unsigned Row, unsigned Column, uint32_t V) {
                Values[Row][Column] = V;
              });
  writeElements(
      W, Layout::of(Fragment::Tile8Transposed, 2), I.D, 1, 16,
      [&](unsigned Row, unsigned Column) { return Values[Row][Column]; });
}

} // namespace

/// Rows or columns with their scales; none if something is not finite.
static std::optional<PlainTerms>
plainTerms(const MatrixTerm (*Elements)[MaxMatrixK / 2],
           const MatrixTerm (*Scale)[4], unsigned Count, unsigned K,
           unsigned Scales) {
  PlainTerms T(K, Count);
  for (unsigned N = 0; N < Count; ++N)
    for (unsigned I = 0; I < K; ++I) {
      const MatrixTerm &E = Elements[N][I];
      if (!T.set(I, N, Scales ? multiplyTerms(E, Scale[N][I * Scales / K]) : E))
        return std::nullopt;
    }
  return T;
}

bool addDenseProduct(Warp &W, Inst I, DenseMatrices &X) {
  X.TypeC = I.Matrix.C;
  X.TypeD = I.Matrix.D;
  loadDenseC(W.R + I.C, X);
  uint32_t D[DenseMatrices::N][DenseMatrices::M];
  if (!multiplyDense(X, D))
    return false;
  storeDenseD(D, X.TypeD, W.R + I.D);
  return true;
}

void addByteProduct(Warp &W, Inst I, DenseMatrices &X) {
  X.TypeC = I.Matrix.C;
  loadDenseC(W.R + I.C, X);
  uint32_t D[DenseMatrices::N][DenseMatrices::M];
  multiplyBytes(X, I.Matrix.Saturate, D);
  storeDenseD(D, I.Matrix.D, W.R + I.D);
}

void addFloatProducts(Warp &W, Inst I, const FloatMatrices &X, unsigned M,
                      unsigned K, unsigned Scales) {
  Result CType = I.Matrix.C, DType = I.Matrix.D;
  auto B = plainTerms(X.B, X.ScaleB, MaxMatrixN, K, Scales);
  addRows(W, I, M, [&](unsigned Row, const uint32_t *C, uint32_t *D) {
    auto A =
        B ? plainTerms(X.A + Row, X.ScaleA + Row, 1, K, Scales) : std::nullopt;
    MatrixTerm Addends[MaxMatrixN];
    for (unsigned N = 0; N < MaxMatrixN; ++N)
      Addends[N] = decodeAddend(CType, C[N]);
    if (A &&
        sumPlainProducts(*A, *B, 0, K, X.Fraction, Addends, CType, DType, D))
      return;
    for (unsigned N = 0; N < MaxMatrixN; ++N)
      D[N] = multiplyFloats(X, Row, N, K, Scales, C[N], CType, DType);
  });
}

void unpackElements(matrix::Unpack U, uint8_t *Bytes) {
  constexpr unsigned NumBytes = 16;
  if (U == matrix::Unpack::None)
    return;
  bool Six = U == matrix::Unpack::From6Bits;
  unsigned Width = Six ? 6 : 4;
  uint8_t Packed[NumBytes];
  std::memcpy(Packed, Bytes, NumBytes);
  for (unsigned N = 0; N < NumBytes; ++N) {
    unsigned At = N * Width;
    uint32_t Pair = Packed[At / 8] | uint32_t(Packed[At / 8 + 1]) << 8;
    uint32_t Value = Pair >> (At % 8) & ((1u << Width) - 1);
    if (U == matrix::Unpack::FromSigned4Bits)
      Value = (Value ^ 8) - 8;
    else if (!Six)
      Value <<= 2;
    Bytes[N] = static_cast<uint8_t>(Value);
  }
}

ExecFn matrixExecutor(Op O) {
  switch (O) {
  case Op::MMA:
  case Op::MMA64:
  case Op::MMASP:
  case Op::MMASC:
    return multiply;
  case Op::DMMA:
    return multiplyDouble;
  case Op::LDSM:
  case Op::LDSM64:
    return loadMatrices;
  case Op::STSM:
    return storeMatrices;
  case Op::MOVM:
    return transposeMatrix;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
