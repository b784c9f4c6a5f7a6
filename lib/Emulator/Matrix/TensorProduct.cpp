//===- TensorProduct.cpp - Matrix products in tensor memory -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product is computed as a whole when it is carried out. An element of D
// takes what it needs of A, of its metadata and of the scales from its own lane
// or its own 32 lanes, as the copies that PTX asks for let it.
//
//===----------------------------------------------------------------------===//

#include "Execute/ExecuteMatrix.h"
#include "Execute/ExecuteTensor.h"
#include "Matrix/PlainProduct.h"

#include <memory>
#include <optional>

namespace heddle::emu {

namespace {

/// The registers of the thread that begins a product.
struct TensorOperands {
  uint64_t A, B;
  uint32_t D, Descriptor, Metadata, ScaleA, ScaleB;
  bool Adds;
  uint64_t ZeroColumns;
  uint32_t Disabled[2][4]; ///< By CTA, bits of lanes.
};

TensorOperands readOperands(const Warp &W, Inst I, unsigned L) {
  auto Word = [&](unsigned Row) { return W.R[Row][L]; };
  TensorOperands X;
  X.A = W.reg64(I.A, L);
  X.B = W.reg64(I.B, L);
  X.D = Word(I.C);
  X.Descriptor = Word(I.C + 1);
  X.Adds = Word(I.C + 2);
  X.Metadata = Word(I.C + 3);
  X.ScaleA = Word(I.E);
  X.ScaleB = Word(I.E + 1);
  X.ZeroColumns = W.reg64(I.E + 2, L);
  for (unsigned N = 0; N < 4; ++N) {
    X.Disabled[0][N] = Word(I.F + N);
    X.Disabled[1][N] = Word(I.G + N);
  }
  return X;
}

class TensorProduct {
public:
  TensorProduct(Warp &W, Inst I, const TensorOperands &X,
                const tensor::Product &P, const TensorGroup &G)
      : W(W), T(I.Tensor), X(X), P(P), G(G), Path(*P.Path),
        IsInteger(matrix::isInteger(P.A)), Sparse(I.Matrix.Sparse),
        StoredK(Sparse ? P.K / 2 : P.K), Scales(P.Scales) {}

  void run();

private:
  /// The bits of an element as decodeElement takes them.
  static uint32_t inRegister(Element E, uint32_t Bits) {
    return E == Element::E2M1 ? Bits << 2 : Bits;
  }
  void set(MatrixTerm &To, Element E, uint32_t Bits, bool Negates) const;
  bool gatherB();
  bool lookUpB();
  bool lookUpColumn(unsigned CTA, unsigned N, const SharedMatrix &Numbers,
                    MatrixTerm *To);
  bool gatherA(unsigned C, unsigned Part);
  bool gatherRow(unsigned C, unsigned Row, unsigned Part, uint32_t *Stored);
  std::optional<unsigned> columnOf(unsigned C, unsigned Row, unsigned Part,
                                   unsigned Stored);
  bool gatherScales(unsigned C, uint32_t Address, unsigned FirstByte,
                    unsigned Lane, unsigned Index, unsigned Count,
                    MatrixTerm *To);
  bool gatherScalesOfB(unsigned C, unsigned Part, unsigned Lane);
  bool computeRow(unsigned C, unsigned Row, unsigned Part);
  bool computePlainRow(unsigned C, unsigned Row, unsigned Part, uint32_t Lane,
                       const MatrixTerm *ScaleA);
  bool addPlainTerms(const MatrixTerm *From, const MatrixTerm *ScalesOfFrom,
                     PlainTerms &To, unsigned Column) const;
  MatrixTerm addend(uint32_t Old) const;
  unsigned fraction() const;
  uint32_t computeElement(unsigned Row, unsigned N, const MatrixTerm *ScaleA,
                          const MatrixTerm *ScaleB, uint32_t Old) const;

  Warp &W;
  const TensorModifiers &T;
  const TensorOperands &X;
  const tensor::Product &P;
  const TensorGroup &G;
  const tensor::DataPath &Path;
  bool IsInteger, Sparse;
  unsigned StoredK, Scales;
  /// Elements of rows of a CTA's A and of columns of B. An integer is a
  /// significand.
  std::vector<MatrixTerm> A, B;
  /// Of the columns of a part, for the lanes that ScaledLanes says.
  std::vector<MatrixTerm> ScalesOfB;
  struct LaneGroup {
    unsigned CTA = 0, Part = 0, Lanes = 0;
    bool operator==(const LaneGroup &) const = default;
  };
  std::optional<LaneGroup> ScaledLanes;
  /// B with these scales, if all of it is finite.
  std::optional<PlainTerms> PlainB;
};

void TensorProduct::set(MatrixTerm &To, Element E, uint32_t Bits,
                        bool Negates) const {
  if (IsInteger) {
    To.K = MatrixTerm::Kind::Finite;
    To.Significand = decodeInteger(E, Bits);
    if (Negates)
      To.Significand = -To.Significand;
    return;
  }
  To = decodeElement(E, Bits);
  if (Negates)
    To.Significand = -To.Significand;
}

/// Of a pair each CTA has half of the columns.
bool TensorProduct::gatherB() {
  SharedLayout L;
  tensorLayout(X.B, L);
  auto [Bits, PerUnit] = tensor::packingOf(P.B);
  SharedMatrix M(L, Bits, PerUnit, P.TransposesB);
  unsigned OfCTA = P.N / G.Count;
  unsigned Shift = T.Stationary ? tensor::columnShift(X.ZeroColumns) : 0;
  B.assign(size_t(P.N) * P.K, {});
  for (unsigned N = 0; N < P.N; ++N) {
    bool IsZero =
        T.Stationary && tensor::isZeroColumn(X.ZeroColumns, Path, P.N, N);
    for (unsigned K = 0; K < P.K; ++K) {
      MatrixTerm &To = B[size_t(N) * P.K + K];
      if (IsZero) {
        To.K = MatrixTerm::Kind::Zero;
        continue;
      }
      auto V = readShared(W, G.Ranks[N / OfCTA], M, N % OfCTA + Shift, K, Bits);
      if (!V)
        return false;
      set(To, P.B, inRegister(P.B, *V), P.NegatesB);
    }
  }
  return true;
}

/// A column of B, of the CTA's number \p N: eight columns have one table.
bool TensorProduct::lookUpColumn(unsigned CTA, unsigned N,
                                 const SharedMatrix &Numbers, MatrixTerm *To) {
  using Form = tensor::NumbersOfB;
  TensorAddress At(X.Metadata);
  uint64_t Table = 0;
  for (unsigned Word = 0; Word < Form::TableWords; ++Word) {
    uint32_t *Cell = findTensorCell(
        W, *G.CTAs[CTA], At.Lane + N / Form::TableColumns, At.Column + Word);
    if (!Cell)
      return false;
    Table |= uint64_t(*Cell) << 32 * Word;
  }
  unsigned First = X.B >> Form::HalfBit & 1 ? Form::Bytes : 0;
  uint8_t Bytes[Form::Bytes + 1] = {};
  for (unsigned I = 0; I < Form::Bytes; ++I) {
    auto V = readShared(W, G.Ranks[CTA], Numbers, N, First + I, 8);
    if (!V)
      return false;
    Bytes[I] = static_cast<uint8_t>(*V);
  }
  for (unsigned K = 0; K < Form::K; ++K) {
    unsigned Bit = K * Form::Bits;
    unsigned Pair = Bytes[Bit / 8] | Bytes[Bit / 8 + 1] << 8;
    unsigned Number = Pair >> Bit % 8 & ((1u << Form::Bits) - 1);
    set(To[K], P.B, Table >> 8 * Number & 0xFF, P.NegatesB);
  }
  return true;
}

/// A B of numbers, each of which is that of a value in a table.
bool TensorProduct::lookUpB() {
  SharedLayout L;
  tensorLayout(X.B, L);
  auto [Bits, PerUnit] = tensor::packingOf(P.B); // Of the bytes, too.
  SharedMatrix Numbers(L, Bits, PerUnit, /*Transposed=*/false);
  unsigned OfCTA = P.N / G.Count;
  B.assign(size_t(P.N) * P.K, {});
  for (unsigned N = 0; N < P.N; ++N)
    if (!lookUpColumn(N / OfCTA, N % OfCTA, Numbers, &B[size_t(N) * P.K]))
      return false;
  return true;
}

/// The bits of what is stored of a row of A.
bool TensorProduct::gatherRow(unsigned C, unsigned Row, unsigned Part,
                              uint32_t *Stored) {
  if (!T.AInTensor) {
    SharedLayout L;
    tensorLayout(X.A, L);
    auto [Bits, PerUnit] = tensor::packingOf(P.A);
    SharedMatrix M(L, Bits, PerUnit, P.TransposesA);
    for (unsigned K = 0; K < StoredK; ++K) {
      auto V = readShared(W, G.Ranks[C], M, Row, K, Bits);
      if (!V)
        return false;
      Stored[K] = inRegister(P.A, *V);
    }
    return true;
  }
  // The last row has none below it.
  if (T.ShiftsA && Row + 1 < Path.Rows)
    ++Row;
  TensorAddress At(static_cast<uint32_t>(X.A));
  unsigned Bits = matrix::bitsOf(P.A), PerWord = 32 / Bits;
  for (unsigned K = 0; K < StoredK; ++K) {
    uint32_t *Cell = findTensorCell(
        W, *G.CTAs[C], At.Lane + Path.lane(Row, Part), At.Column + K / PerWord);
    if (!Cell)
      return false;
    Stored[K] =
        Bits == 32 ? *Cell : *Cell >> (K % PerWord * Bits) & ((1u << Bits) - 1);
  }
  return true;
}

/// Where a stored element of a sparse row stands. A chunk's four bits are those
/// of a warp's product: of elements of 32 and 16 bits eight lanes have chunks 0
/// to 3 of 16 rows, of the upper eight rows in their high halves, and the next
/// eight lanes chunks 4 to 7; of smaller ones a row's chunks are in its lane.
std::optional<unsigned> TensorProduct::columnOf(unsigned C, unsigned Row,
                                                unsigned Part,
                                                unsigned Stored) {
  TensorAddress At(X.Metadata);
  unsigned Chunk = matrix::chunkElements(P.A), Half = Chunk / 2;
  unsigned Number = Stored / Half, N = Stored % Half;
  uint32_t Lane = Path.lane(Row, Part), Column = At.Column + Number / 8;
  unsigned Shift = 4 * (Number % 8);
  if (matrix::bitsOf(P.A) >= 16) {
    Lane = Path.lane(Row / 16 * 16, Part) + Row % 8 + Number / 4 * 8;
    Column = At.Column + P.Selector;
    Shift = Row / 8 % 2 * 16 + 4 * (Number % 4);
  }
  uint32_t *Cell = findTensorCell(W, *G.CTAs[C], At.Lane + Lane, Column);
  if (!Cell)
    return std::nullopt;
  return Number * Chunk + chunkPlace(Chunk, *Cell >> Shift & 15, N);
}

bool TensorProduct::gatherA(unsigned C, unsigned Part) {
  A.assign(size_t(Path.Rows) * P.K, {});
  std::vector<uint32_t> Stored(StoredK);
  for (unsigned Row = 0; Row < Path.Rows; ++Row) {
    if (!gatherRow(C, Row, Part, Stored.data()))
      return false;
    for (unsigned K = 0; K < StoredK; ++K) {
      auto Column = Sparse ? columnOf(C, Row, Part, K) : K;
      if (!Column)
        return false;
      set(A[size_t(Row) * P.K + *Column], P.A, Stored[K], P.NegatesA);
    }
  }
  return true;
}

/// The scales of row or column \p Index of \p Count, from the 32 lanes of
/// \p Lane.
bool TensorProduct::gatherScales(unsigned C, uint32_t Address,
                                 unsigned FirstByte, unsigned Lane,
                                 unsigned Index, unsigned Count,
                                 MatrixTerm *To) {
  TensorAddress At(Address);
  uint32_t From = At.Lane + Lane / tensor::WarpLanes * tensor::WarpLanes +
                  Index % tensor::WarpLanes;
  for (unsigned N = 0; N < Scales; ++N) {
    auto [Column, Byte] = tensor::placeOfScale(Index, Count, N, FirstByte);
    uint32_t *Cell = findTensorCell(W, *G.CTAs[C], From, At.Column + Column);
    if (!Cell)
      return false;
    To[N] = decodeScale(P.ScalesAreUE4M3, *Cell >> (8 * Byte));
  }
  return true;
}

/// The scales of a part's columns for a row in \p Lane, and B with them;
/// without scales all of B, once.
bool TensorProduct::gatherScalesOfB(unsigned C, unsigned Part, unsigned Lane) {
  LaneGroup Wanted =
      Scales ? LaneGroup{C, Part, Lane / tensor::WarpLanes} : LaneGroup{};
  if (IsInteger || ScaledLanes == Wanted)
    return true;
  unsigned Columns = Scales ? P.N / Path.Parts : P.N;
  ScalesOfB.resize(size_t(Columns) * Scales);
  PlainB.emplace(P.K, P.N);
  for (unsigned N = 0; N < Columns; ++N) {
    MatrixTerm *Of = ScalesOfB.data() + size_t(N) * Scales;
    if (!gatherScales(C, X.ScaleB, P.ScaleByteB, Lane, N, Columns, Of))
      return false;
    unsigned Column = Wanted.Part * Columns + N;
    if (PlainB && !addPlainTerms(&B[size_t(Column) * P.K], Of, *PlainB, Column))
      PlainB.reset();
  }
  ScaledLanes = Wanted;
  return true;
}

uint32_t TensorProduct::computeElement(unsigned Row, unsigned N,
                                       const MatrixTerm *ScaleA,
                                       const MatrixTerm *ScaleB,
                                       uint32_t Old) const {
  const MatrixTerm *OfA = &A[size_t(Row) * P.K], *OfB = &B[size_t(N) * P.K];
  if (IsInteger) {
    int64_t Sum = X.Adds ? static_cast<int32_t>(Old) : 0;
    for (unsigned K = 0; K < P.K; ++K)
      Sum += int64_t(OfA[K].Significand) * OfB[K].Significand;
    return finishInteger(Sum, P.Saturate);
  }
  return sumProducts({OfA, OfB, ScaleA, ScaleB, P.K, Scales, fraction()},
                     addend(Old), P.D, P.D);
}

MatrixTerm TensorProduct::addend(uint32_t Old) const {
  MatrixTerm C = decodeAddend(P.D, X.Adds ? Old : 0);
  C.Exponent = static_cast<int16_t>(C.Exponent - T.ScaleDown);
  return C;
}

/// Of a product with its scales.
unsigned TensorProduct::fraction() const {
  return fractionBits(P.A) + fractionBits(P.B) +
         (Scales && P.ScalesAreUE4M3 ? 2 * ScaleFractionBits : 0);
}

/// A row or column with its scales; false if something is not finite. A term is
/// below 8 with two scales, which only elements of 4 bits have in UE4M3: eight
/// of them fit where sumPlainProducts adds them.
bool TensorProduct::addPlainTerms(const MatrixTerm *From,
                                  const MatrixTerm *ScalesOfFrom,
                                  PlainTerms &To, unsigned Column) const {
  for (unsigned K = 0; K < P.K; ++K)
    if (!To.set(K, Column,
                Scales ? multiplyTerms(From[K], ScalesOfFrom[K * Scales / P.K])
                       : From[K]))
      return false;
  return true;
}

/// False, and nothing done, if a term is not finite, or after a fault.
bool TensorProduct::computePlainRow(unsigned C, unsigned Row, unsigned Part,
                                    uint32_t Lane, const MatrixTerm *ScaleA) {
  unsigned Columns = P.N / Path.Parts;
  PlainTerms PlainA(P.K);
  if (!PlainB || Columns % PlainTerms::Group ||
      !addPlainTerms(&A[size_t(Row) * P.K], ScaleA, PlainA, 0))
    return false;
  TensorAddress At(X.D);
  std::vector<uint32_t *> Cells(Columns);
  std::vector<uint32_t> Results(Columns);
  for (unsigned N = 0; N < Columns; ++N) {
    Cells[N] = findTensorCell(W, *G.CTAs[C], Lane, At.Column + N);
    if (!Cells[N])
      return false;
  }
  for (unsigned First = 0; First < Columns; First += PlainTerms::Group) {
    MatrixTerm Addends[PlainTerms::Group];
    for (unsigned N = 0; N < PlainTerms::Group; ++N)
      Addends[N] = addend(P.D == Result::F16 ? *Cells[First + N] & 0xFFFF
                                             : *Cells[First + N]);
    if (!sumPlainProducts(PlainA, *PlainB, Part * Columns + First, P.K,
                          fraction(), Addends, P.D, P.D, &Results[First]))
      return false;
  }
  for (unsigned N = 0; N < Columns; ++N)
    *Cells[N] = Results[N];
  return true;
}

bool TensorProduct::computeRow(unsigned C, unsigned Row, unsigned Part) {
  TensorAddress At(X.D);
  uint32_t Lane = At.Lane + Path.lane(Row, Part);
  if (Lane < tensor::Lanes && X.Disabled[C][Lane / 32] >> Lane % 32 & 1)
    return true;
  MatrixTerm ScaleA[tensor::MaxScales];
  if (!gatherScales(C, X.ScaleA, P.ScaleByteA, Lane, Row, Path.Rows, ScaleA) ||
      !gatherScalesOfB(C, Part, Lane))
    return false;
  if (computePlainRow(C, Row, Part, Lane, ScaleA))
    return true;
  if (W.faulted())
    return false;
  unsigned Columns = P.N / Path.Parts;
  for (unsigned N = 0; N < Columns; ++N) {
    uint32_t *Cell = findTensorCell(W, *G.CTAs[C], Lane, At.Column + N);
    if (!Cell)
      return false;
    uint32_t Old = P.D == Result::F16 ? *Cell & 0xFFFF : *Cell;
    *Cell = computeElement(Row, Part * Columns + N, ScaleA,
                           ScalesOfB.data() + size_t(N) * Scales, Old);
  }
  return true;
}

void TensorProduct::run() {
  if (T.LooksUpB ? !lookUpB() : !gatherB())
    return;
  for (unsigned C = 0; C < G.Count; ++C)
    for (unsigned Part = 0; Part < Path.Parts; ++Part) {
      // Only copies in tensor memory can differ.
      bool IsNew = Part == 0 || T.AInTensor || Sparse;
      if (IsNew && !gatherA(C, Part))
        return;
      for (unsigned Row = 0; Row < Path.Rows; ++Row)
        if (!computeRow(C, Row, Part))
          return;
    }
}

const char *checkProduct(Inst I, const TensorOperands &X, tensor::Product &P) {
  tensor::Form F{I.Tensor.Kind,       I.Tensor.Pair,     I.Matrix.Sparse,
                 I.Tensor.Stationary, I.Tensor.LooksUpB, I.Matrix.Scales};
  if (const char *Error = tensor::decodeProduct(X.Descriptor, F, P))
    return Error;
  SharedLayout L;
  const char *Error = tensorLayout(X.B, L);
  if (!Error && L.Units32 && !P.TransposesB)
    Error = "this way of swizzling";
  if (Error || I.Tensor.AInTensor)
    return Error;
  Error = tensorLayout(X.A, L);
  return !Error && L.Units32 && !P.TransposesA ? "this way of swizzling"
                                               : Error;
}

} // namespace

void multiplyTensors(Warp &W, Inst I, LaneMask Exec) {
  auto Group = findTensorGroup(W, I.Tensor.Pair);
  if (!Group)
    return;
  for (unsigned L : lanes(Exec)) {
    TensorOperands X = readOperands(W, I, L);
    tensor::Product P;
    if (const char *Error = checkProduct(I, X, P))
      return W.fault(rt::FaultKind::IllegalInstruction, L,
                     std::string("a product in tensor memory: ") + Error);
    constexpr unsigned ResultsOfProduct = 16 * 8, BitsOfProduct = 256;
    uint64_t Results = uint64_t(P.Path->Rows) * P.N;
    unsigned RowBits = (I.Matrix.Sparse ? P.K / 2 : P.K) * matrix::bitsOf(P.A);
    W.Owner->Owner.Async.enqueue(
        W, [&W, &I, X, P, Group] { TensorProduct(W, I, X, P, *Group).run(); },
        onTensorMemory(Results * RowBits / BitsOfProduct / ResultsOfProduct));
  }
}

} // namespace heddle::emu
