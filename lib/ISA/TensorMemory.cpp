//===- TensorMemory.cpp - Matrices in tensor memory -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptors of products, and the tables of TensorMemory.def.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/TensorMemory.h"

#include <iterator>

namespace heddle::tensor {

using matrix::Element;
using matrix::Result;

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

static constexpr DataPath Paths[] = {
#define HEDDLE_TENSOR_PATH(Name, M, CTAs, Sparse, Stationary, Rows, GroupRows, \
                           Parts)                                              \
  {M, CTAs, Sparse, Stationary, Rows, GroupRows, Parts},
#include "heddle/ISA/TensorMemory.def"
};

static constexpr CopyRows Copies[] = {
#define HEDDLE_TENSOR_COPY(Name, Rows, Bytes, GroupRows, GroupLanes, Copies,   \
                           CopyLanes)                                          \
  {Rows, Bytes, GroupRows, GroupLanes, Copies, CopyLanes},
#include "heddle/ISA/TensorMemory.def"
};

// The rows are in the order of the modifier's values.
static constexpr Copy CopyOfRow[] = {
#define HEDDLE_TENSOR_COPY(Name, Rows, Bytes, GroupRows, GroupLanes, Copies,   \
                           CopyLanes)                                          \
  Copy::Name,
#include "heddle/ISA/TensorMemory.def"
};
static_assert([] {
  for (size_t Row = 0; Row != std::size(CopyOfRow); ++Row)
    if (size_t(CopyOfRow[Row]) != Row)
      return false;
  return true;
}());

const CopyRows &rowsOf(Copy C) { return Copies[size_t(C)]; }

static const DataPath *findPath(unsigned M, const Form &F) {
  auto Fits = [](unsigned Wanted, bool Is) {
    return Wanted == 2 || (Wanted != 0) == Is;
  };
  for (const DataPath &P : Paths)
    if (P.M == M && P.CTAs == (F.Pair ? 2u : 1u) && Fits(P.Sparse, F.Sparse) &&
        Fits(P.Stationary, F.Stationary))
      return &P;
  return nullptr;
}

matrix::Fragment fragmentOf(Shape S) {
  using matrix::Fragment;
  switch (S) {
  case Shape::L16x64b:
    return Fragment::Tensor16x64b;
  case Shape::L16x128b:
    return Fragment::Tensor16x128b;
  case Shape::L16x256b:
    return Fragment::Tensor16x256b;
  case Shape::L32x32b:
    return Fragment::Tensor32x32b;
  case Shape::L16x32bx2:
    return Fragment::Tensor16x32bx2;
  }
  return Fragment::Tensor32x32b;
}

// Four scales of each of 128 rows are a block of four columns. More than 128
// rows have two such blocks side by side, and their next scales after both.
ScalePlace placeOfScale(unsigned Index, unsigned Count, unsigned Scale,
                        unsigned FirstByte) {
  constexpr unsigned BlockRows = 128, BlockScales = 4;
  unsigned Columns = (Count > BlockRows ? 2 : 1) * BlockRows / WarpLanes;
  unsigned Byte = FirstByte + Scale;
  return {Index / WarpLanes + Byte / BlockScales * Columns, Byte % BlockScales};
}

Packing packingOf(Element E) {
  switch (E) {
  case Element::E2M1:
    return {4, 16};
  case Element::E3M2:
  case Element::E2M3:
    return {6, 16};
  default:
    return {matrix::bitsOf(E), 128 / matrix::bitsOf(E)};
  }
}

//===----------------------------------------------------------------------===//
// Instruction descriptors
//===----------------------------------------------------------------------===//

static bool isScaled(Kind K) {
  return K >= Kind::MXF8F6F4 && K <= Kind::MXF4NVF4;
}
static bool isFourBits(Kind K) {
  return K == Kind::MXF4 || K == Kind::MXF4NVF4;
}
static bool isInteger(Kind K) { return K == Kind::I8 || K == Kind::TI16; }

/// Elements of 4 bits in 48 bytes.
static constexpr unsigned LongK = 96;

static unsigned bits(uint32_t Value, unsigned First, unsigned Count) {
  return Value >> First & ((1u << Count) - 1);
}

/// The element type that a kind's number means; false if there is none.
static bool decodeType(Kind K, unsigned Number, Element &E) {
  static constexpr Element Narrow[] = {Element::E4M3, Element::E5M2,
                                       Element::E4M3, Element::E2M3,
                                       Element::E3M2, Element::E2M1};
  switch (K) {
  case Kind::F16:
    E = Number ? Element::BF16 : Element::F16;
    return Number <= 1;
  case Kind::TF32:
    E = Element::TF32;
    return Number == 2;
  case Kind::I8:
    E = Number ? Element::S8 : Element::U8;
    return Number <= 1;
  case Kind::TI16:
    E = Element::S1Z4M11;
    return Number == 3;
  case Kind::F8F6F4:
  case Kind::MXF8F6F4:
    if (Number >= std::size(Narrow) || Number == 2)
      return false;
    E = Narrow[Number];
    return true;
  default:
    E = Element::E2M1P;
    return Number == 1;
  }
}

static bool decodeResult(uint32_t Descriptor, Kind K, Product &P) {
  if (isScaled(K)) {
    P.D = Result::F32;
    return true;
  }
  static constexpr Result Results[] = {Result::F16, Result::F32, Result::S32};
  unsigned Number = bits(Descriptor, 4, 2);
  if (Number >= std::size(Results))
    return false;
  P.D = Results[Number];
  if (isInteger(K))
    return P.D == Result::S32;
  if (P.D == Result::S32)
    return false;
  return P.D == Result::F32 || K == Kind::F8F6F4 ||
         (K == Kind::F16 && P.A == Element::F16);
}

static bool isColumnCount(const Form &F, unsigned N) {
  if (F.Stationary)
    return N == 64 || N == 128 || (N == 256 && !F.Sparse);
  if (N == 0 || N > 256)
    return false;
  if (F.K == Kind::I8)
    return F.Pair ? N % 32 == 0 : N % 16 == 0 || N == 8 || N == 24;
  return N % (F.Pair ? 16 : 8) == 0;
}

static bool isRowCount(const Form &F, unsigned M) {
  if (!isScaled(F.K))
    return true;
  return F.Pair ? M == 256 || (M == 128 && !F.Sparse) : M == 128;
}

/// Whether a product of elements of 8 bits takes twice as many of them.
static bool isWide(uint32_t Descriptor, const Form &F) {
  return (F.K == Kind::F8F6F4 && bits(Descriptor, 29, 1)) ||
         (F.K == Kind::MXF8F6F4 && bits(Descriptor, 31, 1));
}

static const char *decodeScales(uint32_t Descriptor, const Form &F,
                                Product &P) {
  P.ScaleByteB = bits(Descriptor, 4, 2);
  P.ScaleByteA = bits(Descriptor, 29, 2);
  bool IsUE8M0 = bits(Descriptor, 23, 1);
  P.ScalesAreUE4M3 = !IsUE8M0;
  if (!IsUE8M0 && (F.K != Kind::MXF4NVF4 || F.Scales != 4))
    return "scales of this type";
  // Of three scales a row's first is in any byte, of six in an even one.
  bool Wide = isWide(Descriptor, F);
  P.Scales = P.K == LongK ? F.Scales / 2 * 3 : Wide ? 2 : F.Scales;
  unsigned Step = P.K == LongK ? F.Scales / 2 : P.Scales;
  if (P.ScaleByteA % Step || P.ScaleByteB % Step)
    return "scales that begin in this byte";
  return nullptr;
}

/// The elements of K; none if the form cannot have as many.
static unsigned decodeK(uint32_t Descriptor, const Form &F, const Product &P) {
  auto IsByte = [](Element E) {
    return E == Element::E4M3 || E == Element::E5M2;
  };
  if (isWide(Descriptor, F))
    return !F.Sparse && !F.Stationary && IsByte(P.A) && IsByte(P.B)
               ? NumbersOfB::K
               : 0;
  if (!isFourBits(F.K) || !bits(Descriptor, 31, 1))
    return 256 / matrix::bitsOf(P.A) * (F.Sparse ? 2 : 1);
  return !F.Sparse && P.M == (F.Pair ? 256 : 128) ? LongK : 0;
}

const char *decodeProduct(uint32_t Descriptor, const Form &F, Product &P) {
  bool HasScales = isScaled(F.K);
  unsigned TypeBitsB = isFourBits(F.K) ? 2 : 3;
  if (!decodeType(F.K, bits(Descriptor, 7, 3), P.A) ||
      !decodeType(F.K, bits(Descriptor, 10, TypeBitsB), P.B) ||
      (F.K == Kind::F16 && P.A != P.B))
    return "elements of these types";
  if (!decodeResult(Descriptor, F.K, P))
    return "results of this type";
  if (bits(Descriptor, 2, 1) != F.Sparse)
    return "a sparse matrix where the instruction is dense, or the other way";
  P.Saturate = F.K == Kind::I8 && bits(Descriptor, 3, 1);
  P.NegatesA = F.K != Kind::I8 && bits(Descriptor, 13, 1);
  P.NegatesB = F.K != Kind::I8 && bits(Descriptor, 14, 1);
  P.TransposesA = bits(Descriptor, 15, 1);
  P.TransposesB = bits(Descriptor, 16, 1);
  if (isFourBits(F.K) && (P.TransposesA || P.TransposesB))
    return "transposed matrices of 4 bits";
  P.N = bits(Descriptor, 17, 6) << 3;
  P.M = HasScales ? bits(Descriptor, 27, 2) << 7 : bits(Descriptor, 24, 5) << 4;
  P.K = decodeK(Descriptor, F, P);
  if (F.LooksUpB &&
      (P.K != NumbersOfB::K || P.B != Element::E4M3 || P.TransposesB))
    return "a table of values for such a B";
  P.Path = isRowCount(F, P.M) ? findPath(P.M, F) : nullptr;
  if (!P.K || !P.Path || !isColumnCount(F, P.N))
    return "a matrix of this size";
  if (HasScales)
    return decodeScales(Descriptor, F, P);
  P.Selector = F.Sparse ? bits(Descriptor, 0, 2) : 0;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Columns of zeros
//===----------------------------------------------------------------------===//

bool isZeroColumn(uint64_t Descriptor, const DataPath &Path, unsigned Columns,
                  unsigned N) {
  if (!(Descriptor >> 39 & 1))
    return false;
  unsigned PartColumns = Columns / Path.Parts, Part = N / PartColumns;
  unsigned Start = Descriptor >> (8 * Part) & 0xFF;
  bool Value = Descriptor >> (32 + Part) & 1;
  // Runs of columns that are skipped, 1, and used, 0, alternate.
  unsigned Skip = (Descriptor >> 40 & 0xFF) + 1;
  unsigned Use = (Descriptor >> 48 & 0xFF) + 1;
  unsigned At = (N % PartColumns + Start) % (Skip + Use);
  return At < (Value ? Skip : Use) ? Value : !Value;
}

unsigned columnShift(uint64_t Descriptor) { return Descriptor >> 56 & 0x3F; }

} // namespace heddle::tensor
