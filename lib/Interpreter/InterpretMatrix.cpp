//===- InterpretMatrix.cpp - Products of matrices ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma without sparsity and scales, ldmatrix, stmatrix and movmatrix of 8 x 8
// halves. The layouts are those of include/heddle/ISA/Fragments.def; what a
// product of floats is to the last bit docs/matrix.md says.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "Machine.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

/// A row of Fragments.def: the bits of an element's row and column.
struct Layout {
  StringLiteral Row = "", Column = "";
};
#define HEDDLE_FRAGMENT(Name, Row, Column)                                     \
  constexpr Layout Name = {Row, Column};
namespace layout {
#include "heddle/ISA/Fragments.def"
} // namespace layout

/// Where an element stands that a lane holds.
struct Holder {
  unsigned Lane, Register, Element;
};

/// The number whose bits \p Text lists; an element's number has \p ElementBits.
unsigned numberOf(StringRef Text, const Holder &H, unsigned ElementBits) {
  unsigned Number = 0;
  SmallVector<StringRef> Words;
  Text.split(Words, ' ');
  for (StringRef Word : Words) {
    unsigned Source = Word[0] == 'l'   ? H.Lane
                      : Word[0] == 'r' ? H.Register
                                       : H.Element;
    if (Word.size() == 1)
      Number = Number << ElementBits | Source;
    else
      Number = Number << 1 | (Source >> (Word[1] - '0') & 1);
  }
  return Number;
}

/// The elements of a matrix, by rows.
class Matrix {
public:
  Matrix(unsigned Rows, unsigned Columns)
      : Columns(Columns), Elements(size_t(Rows) * Columns) {}
  Bits &at(unsigned Row, unsigned Column) {
    return Elements[size_t(Row) * Columns + Column];
  }

private:
  unsigned Columns;
  std::vector<Bits> Elements;
};

/// A matrix in the registers of a warp.
struct Fragment {
  Layout Where;
  unsigned Rows = 0, Columns = 0;
  unsigned Width = 32;         ///< Of an element, in bits.
  unsigned RegisterWidth = 32; ///< In bits.
  unsigned First = 0;          ///< The lane's first operand or result of it.
  bool IsQuad = false;         ///< A quarter of the lanes holds it: Group.
  unsigned Group = 0;

  unsigned perRegister() const { return std::max(RegisterWidth / Width, 1u); }
  unsigned registers() const {
    return Rows * Columns / perRegister() / (IsQuad ? WarpSize / 4 : WarpSize);
  }
  bool isIn(unsigned Lane) const { return !IsQuad || (Lane >> 2 & 3) == Group; }
  /// Calls \p Do(holder, row, column) for each element.
  template <typename DoT> void forEach(DoT Do) const {
    unsigned Bits = Log2_32(perRegister());
    for (unsigned Lane = 0; Lane != WarpSize; ++Lane)
      for (unsigned R = 0; isIn(Lane) && R != registers(); ++R)
        for (unsigned E = 0; E != perRegister(); ++E) {
          Holder H{Lane, R, E};
          Do(H, numberOf(Where.Row, H, Bits), numberOf(Where.Column, H, Bits));
        }
  }
  /// From \p In, which has \p Stride registers of each lane.
  Matrix gather(const Bits *In, unsigned Stride) const {
    Matrix M(Rows, Columns);
    forEach([&](const Holder &H, unsigned Row, unsigned Column) {
      M.at(Row, Column) = lowBits(In[H.Lane * Stride + First + H.Register] >>
                                      (H.Element * Width),
                                  Width);
    });
    return M;
  }
  void scatter(Matrix &M, Bits *Out, unsigned Stride) const {
    forEach([&](const Holder &H, unsigned Row, unsigned Column) {
      Out[H.Lane * Stride + First + H.Register] |= M.at(Row, Column)
                                                   << (H.Element * Width);
    });
  }
};

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// A format of floats: bits of the exponent and of the fraction.
struct Format {
  unsigned Exponent, Fraction;
  bool HasInfinity = true, HasNaN = true;
  unsigned Shift = 0; ///< Of the number in its element.
};

std::optional<Format> formatOf(StringRef Type) {
  return StringSwitch<std::optional<Format>>(Type)
      .Case("f32", Format{8, 23})
      .Case("tf32", Format{8, 10, true, true, 13})
      .Case("f16", Format{5, 10})
      .Case("bf16", Format{8, 7})
      .Case("e5m2", Format{5, 2})
      .Case("e4m3", Format{4, 3, false})
      .Case("e3m2", Format{3, 2, false, false})
      .Case("e2m3", Format{2, 3, false, false})
      .Case("e2m1", Format{2, 1, false, false, 2})
      .Default(std::nullopt);
}

/// Mantissa times two to the power of Exponent - Fraction, or no number.
struct Term {
  uint64_t Mantissa = 0;
  int Exponent = 0;
  unsigned Fraction = 0;
  bool IsNegative = false, IsInfinite = false, IsNaN = false;

  bool isZero() const { return Mantissa == 0 && !IsInfinite && !IsNaN; }
};

Term termOf(const Format &F, Bits Element) {
  auto Word = uint64_t(Element >> F.Shift);
  uint64_t Fraction = Word & maskTrailingOnes<uint64_t>(F.Fraction);
  uint64_t Field = Word >> F.Fraction & maskTrailingOnes<uint64_t>(F.Exponent);
  uint64_t Top = maskTrailingOnes<uint64_t>(F.Exponent);
  int Bias = (1 << (F.Exponent - 1)) - 1;
  Term T;
  T.IsNegative = Word >> (F.Exponent + F.Fraction) & 1;
  T.Fraction = F.Fraction;
  if (F.HasInfinity && Field == Top) {
    T.IsInfinite = Fraction == 0;
    T.IsNaN = Fraction != 0;
    return T;
  }
  if (!F.HasInfinity && F.HasNaN && Field == Top &&
      Fraction == maskTrailingOnes<uint64_t>(F.Fraction)) {
    T.IsNaN = true;
    return T;
  }
  // Subnormal numbers have the least exponent, and no leading one.
  T.Mantissa = Field ? Fraction | uint64_t(1) << F.Fraction : Fraction;
  T.Exponent = int(Field ? Field : 1) - Bias;
  return T;
}

Term product(const Term &A, const Term &B) {
  Term T;
  T.IsNegative = A.IsNegative != B.IsNegative;
  T.IsNaN = A.IsNaN || B.IsNaN || (A.IsInfinite && B.isZero()) ||
            (A.isZero() && B.IsInfinite);
  T.IsInfinite = !T.IsNaN && (A.IsInfinite || B.IsInfinite);
  if (T.IsNaN || T.IsInfinite)
    return T;
  T.Mantissa = A.Mantissa * B.Mantissa;
  T.Exponent = A.Exponent + B.Exponent;
  T.Fraction = A.Fraction + B.Fraction;
  return T;
}

/// Bits of a term that count below the largest exponent.
constexpr int KeptBits = 25;

/// The sum of terms in units of KeptBits below their largest exponent, which
/// \p Exponent becomes.
int64_t alignedSum(ArrayRef<Term> Terms, int &Exponent) {
  std::optional<int> Largest;
  for (const Term &T : Terms)
    if (T.Mantissa)
      Largest = std::max(Largest.value_or(T.Exponent), T.Exponent);
  Exponent = Largest.value_or(0);
  int64_t Sum = 0;
  for (const Term &T : Terms) {
    int Shift = T.Exponent - int(T.Fraction) - (Exponent - KeptBits);
    uint64_t Part = Shift >= 0     ? T.Mantissa << Shift
                    : Shift <= -64 ? 0
                                   : T.Mantissa >> -Shift;
    Sum += T.IsNegative ? -int64_t(Part) : int64_t(Part);
  }
  return Sum;
}

/// One element of D, in single or half precision.
Bits sumOf(ArrayRef<Term> Terms, bool IsHalf) {
  ScalarType Ty = IsHalf ? ScalarType::F16 : ScalarType::F32;
  bool Plus = false, Minus = false;
  for (const Term &T : Terms) {
    if (T.IsNaN)
      return canonicalNaN(Ty);
    (T.IsNegative ? Minus : Plus) |= T.IsInfinite;
  }
  const fltSemantics &Semantics = semanticsOf(Ty);
  if (Plus && Minus)
    return canonicalNaN(Ty);
  if (Plus || Minus)
    return floatBits(Ty, APFloat::getInf(Semantics, Minus));
  int Exponent = 0;
  int64_t Sum = alignedSum(Terms, Exponent);
  APFloat Value(APFloat::IEEEquad());
  Value.convertFromAPInt(APInt(64, uint64_t(Sum), true), /*IsSigned=*/true,
                         APFloat::rmNearestTiesToEven);
  Value = scalbn(Value, Exponent - KeptBits, APFloat::rmNearestTiesToEven);
  // What is cut off does not become infinite by itself.
  APFloat Limit = scalbn(APFloat(APFloat::IEEEquad(), "1"), 128,
                         APFloat::rmNearestTiesToEven);
  if (!IsHalf && abs(Value).compare(Limit) != APFloat::cmpLessThan)
    return floatBits(Ty, APFloat::getInf(Semantics, Value.isNegative()));
  bool Lost;
  Value.convert(Semantics,
                IsHalf ? APFloat::rmNearestTiesToEven : APFloat::rmTowardZero,
                &Lost);
  return floatBits(Ty, Value);
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

struct Product {
  unsigned M = 0, N = 0, K = 0;
  Fragment A, B, C, D;
  StringRef TypeA, TypeB, TypeC, TypeD;
  Rounding Rnd = Rounding::None;
  bool Saturates = false, Ands = false;
};

Bits doubleElement(const Product &P, Matrix &A, Matrix &B, Bits Start,
                   unsigned Row, unsigned Column) {
  APFloat Sum = floatValue(ScalarType::F64, Start);
  for (unsigned K = 0; K != P.K; ++K) {
    APFloat Factor = floatValue(ScalarType::F64, A.at(Row, K));
    Factor.fusedMultiplyAdd(floatValue(ScalarType::F64, B.at(K, Column)), Sum,
                            roundingMode(P.Rnd));
    Sum = Factor;
  }
  return floatBits(ScalarType::F64, Sum);
}

Bits floatElement(const Product &P, Matrix &A, Matrix &B, Bits Start,
                  unsigned Row, unsigned Column) {
  Format FA = *formatOf(P.TypeA), FB = *formatOf(P.TypeB);
  SmallVector<Term> Terms = {termOf(*formatOf(P.TypeC), Start)};
  for (unsigned K = 0; K != P.K; ++K)
    Terms.push_back(
        product(termOf(FA, A.at(Row, K)), termOf(FB, B.at(K, Column))));
  return sumOf(Terms, P.TypeD == "f16");
}

Bits integerElement(const Product &P, Matrix &A, Matrix &B, Bits Start,
                    unsigned Row, unsigned Column) {
  auto Value = [](StringRef Type, unsigned Width, Bits Element) {
    return Type[0] == 's' ? SignExtend64(uint64_t(Element), Width)
                          : int64_t(Element);
  };
  int64_t Sum = int32_t(uint32_t(Start));
  for (unsigned K = 0; K != P.K; ++K) {
    Bits X = A.at(Row, K), Y = B.at(K, Column);
    if (P.TypeA == "b1")
      Sum += int64_t(P.Ands ? X & Y : X ^ Y);
    else
      Sum += Value(P.TypeA, P.A.Width, X) * Value(P.TypeB, P.B.Width, Y);
  }
  if (P.Saturates)
    Sum = std::clamp<int64_t>(Sum, INT32_MIN, INT32_MAX);
  return uint32_t(Sum);
}

/// All lanes' results, of all lanes' operands.
void multiplyOne(const Product &P, const Bits *In, Bits *Out) {
  unsigned Stride = P.C.First + P.C.registers();
  Matrix A = P.A.gather(In, Stride), B = P.B.gather(In, Stride),
         C = P.C.gather(In, Stride), D(P.M, P.N);
  auto *Element = P.TypeD == "f64"   ? doubleElement
                  : P.TypeD == "s32" ? integerElement
                                     : floatElement;
  for (unsigned Row = 0; Row != P.M; ++Row)
    for (unsigned Column = 0; Column != P.N; ++Column)
      D.at(Row, Column) = Element(P, A, B, C.at(Row, Column), Row, Column);
  P.D.scatter(D, Out, P.D.registers());
}

/// A warp has one product, or four.
void multiply(Product P, const Bits *In, Bits *Out) {
  for (unsigned Group = 0; Group != (P.A.IsQuad ? 4 : 1); ++Group) {
    P.A.Group = P.B.Group = P.C.Group = P.D.Group = Group;
    multiplyOne(P, In, Out);
  }
}

/// Bits of an element of A or B in its register.
unsigned widthOf(StringRef Type) {
  return StringSwitch<unsigned>(Type)
      .Case("b1", 1)
      .Cases({"u4", "s4"}, 4)
      .Cases({"u8", "s8", "e4m3", "e5m2", "e3m2", "e2m3", "e2m1"}, 8)
      .Cases({"f16", "bf16"}, 16)
      .Case("tf32", 32)
      .Case("f64", 64)
      .Default(0);
}

/// Of C or D.
Fragment resultFragment(const Product &P, StringRef Type) {
  Fragment F;
  F.Rows = P.M;
  F.Columns = P.N;
  F.Width = Type == "f64" ? 64 : Type == "f16" ? 16 : 32;
  F.RegisterWidth = std::max(F.Width, 32u);
  F.Where = P.M == 8        ? layout::C8
            : Type == "f16" ? layout::C16Pairs
                            : layout::C16;
  return F;
}

/// mma.m8n8k4 of half precision, whose layouts depend on how A and B lie.
void makeQuads(const InstReader &R, Product &P) {
  const auto *Order = find(R.parts(), "m8n8k4") + 1;
  P.A.Where = Order[0] == "row" ? layout::QuadARow : layout::QuadACol;
  P.B.Where = Order[1] == "row" ? layout::QuadBRow : layout::QuadBCol;
  P.C.Where = P.TypeC == "f16" ? layout::QuadCPairs : layout::QuadC;
  P.D.Where = P.TypeD == "f16" ? layout::QuadCPairs : layout::QuadC;
  for (Fragment *F : {&P.A, &P.B, &P.C, &P.D})
    F->IsQuad = true;
}

void gatherAndCompute(Warp &W, uint32_t Lanes);

bool decodeMma(const InstReader &R, Instruction &I) {
  Product P;
  P.TypeD = R.fromEnd(3);
  P.TypeA = R.fromEnd(2);
  P.TypeB = R.fromEnd(1);
  P.TypeC = R.fromEnd(0);
  for (StringRef Part : R.parts()) {
    StringRef Rest = Part;
    if (Rest.consume_front("m") && !Rest.consumeInteger(10, P.M) &&
        Rest.consume_front("n") && !Rest.consumeInteger(10, P.N) &&
        Rest.consume_front("k"))
      Rest.consumeInteger(10, P.K);
    if (Part.starts_with("sp") || Part == "block_scale" ||
        Part == "kind::mxf4" || Part == "kind::mxf4nvf4")
      return false;
  }
  if (!P.K || !widthOf(P.TypeA))
    return false;
  P.Rnd = R.rounding();
  P.Saturates = R.has("satfinite");
  P.Ands = R.has("and");
  P.A = {P.M == 8 ? layout::A8 : layout::A16, P.M, P.K, widthOf(P.TypeA)};
  P.B = {layout::B8, P.K, P.N, widthOf(P.TypeB)};
  P.C = resultFragment(P, P.TypeC);
  P.D = resultFragment(P, P.TypeD);
  if (P.TypeA == "f16" && P.K == 4)
    makeQuads(R, P);
  // Fragments.def has up to four registers of A.
  if (P.TypeA == "f64") {
    P.A.RegisterWidth = P.B.RegisterWidth = 64;
    if (P.M == 16)
      P.A.Where = {"r0 l4 l3 l2", "r2 r1 l1 l0"};
  }
  P.B.First = P.A.registers();
  P.C.First = P.B.First + P.B.registers();
  if (P.C.First + P.C.registers() != I.Operands.size() ||
      P.D.registers() != I.Results.size())
    return false;
  I.Compute = [P](const Bits *In, Bits *Out) { multiply(P, In, Out); };
  I.Together = gatherAndCompute;
  return true;
}

//===----------------------------------------------------------------------===//
// What the lanes of a warp do together
//===----------------------------------------------------------------------===//

/// False after a fault: all lanes have to be there.
bool isWhole(Warp &W, uint32_t Lanes) {
  if (Lanes == ~0u)
    return true;
  W.lane(countr_zero(Lanes))
      .fault(rt::FaultKind::IllegalInstruction,
             "a matrix operation of a warp that is not whole");
  return false;
}

/// Instruction::Compute of all lanes' operands.
void gatherAndCompute(Warp &W, uint32_t Lanes) {
  if (!isWhole(W, Lanes))
    return;
  const Instruction &First = W.lane(0).current();
  size_t NumIn = First.Operands.size(), NumOut = First.Results.size();
  std::vector<Bits> In(NumIn * WarpSize), Out(NumOut * WarpSize);
  for (unsigned L = 0; L != WarpSize; ++L)
    for (size_t N = 0; N != NumIn; ++N)
      In[L * NumIn + N] = W.lane(L).operand(W.lane(L).current(), N);
  First.Compute(In.data(), Out.data());
  for (unsigned L = 0; L != WarpSize; ++L)
    for (size_t N = 0; N != NumOut; ++N)
      W.lane(L).setResult(W.lane(L).current(), N, Out[L * NumOut + N]);
}

/// Eight rows of 16 bytes, at the addresses of eight lanes from \p First on.
using Rows = std::array<uint8_t *, 8>;
bool findRows(Warp &W, unsigned First, bool IsWrite, Rows &Found) {
  for (unsigned N = 0; N != Found.size(); ++N) {
    Thread &T = W.lane(First + N);
    const Instruction &I = T.current();
    uint64_t Address = uint64_t(T.operand(I, 0)) + uint64_t(I.Mods.Offset);
    Found[N] = T.access(I.Mods.Space, Address, 16, 16, IsWrite);
    if (!Found[N])
      return false;
  }
  return true;
}

Fragment tile(bool IsTransposed) {
  return {IsTransposed ? layout::Tile8Transposed : layout::Tile8, 8, 8, 16};
}

/// ldmatrix; `To`: transposed.
void loadTiles(Warp &W, uint32_t Lanes) {
  if (!isWhole(W, Lanes))
    return;
  const Instruction &First = W.lane(0).current();
  for (unsigned N = 0; N != First.Results.size(); ++N) {
    Rows Found;
    if (!findRows(W, 8 * N, /*IsWrite=*/false, Found))
      return;
    Matrix M(8, 8);
    for (unsigned Row = 0; Row != 8; ++Row)
      for (size_t Column = 0; Column != 8; ++Column)
        M.at(Row, Column) =
            Found[Row][2 * Column] | Bits(Found[Row][2 * Column + 1]) << 8;
    std::array<Bits, WarpSize> Out = {};
    tile(First.Mods.To).scatter(M, Out.data(), 1);
    for (unsigned L = 0; L != WarpSize; ++L)
      W.lane(L).setResult(W.lane(L).current(), N, Out[L]);
  }
}

void storeTiles(Warp &W, uint32_t Lanes) {
  if (!isWhole(W, Lanes))
    return;
  const Instruction &First = W.lane(0).current();
  for (unsigned N = 0; N + 1 != First.Operands.size(); ++N) {
    Rows Found;
    if (!findRows(W, 8 * N, /*IsWrite=*/true, Found))
      return;
    std::array<Bits, WarpSize> In;
    for (unsigned L = 0; L != WarpSize; ++L)
      In[L] = W.lane(L).operand(W.lane(L).current(), N + 1);
    Matrix M = tile(First.Mods.To).gather(In.data(), 1);
    for (unsigned Row = 0; Row != 8; ++Row)
      for (size_t Column = 0; Column != 8; ++Column) {
        auto Element = uint16_t(M.at(Row, Column));
        Found[Row][2 * Column] = uint8_t(Element);
        Found[Row][2 * Column + 1] = uint8_t(Element >> 8);
      }
  }
}

template <WarpExecutor Together>
bool decodeTiles(const InstReader &R, Instruction &I) {
  if (!R.has("m8n8") || R.fromEnd(0) != "b16")
    return false;
  bool IsShared = R.has("shared") || R.has("shared::cta");
  I.Mods.Space = IsShared ? Space::Shared : Space::Generic;
  I.Mods.To = R.has("trans");
  I.Together = Together;
  return true;
}

bool decodeMove(const InstReader &, Instruction &I) {
  I.Compute = [](const Bits *In, Bits *Out) {
    Matrix M = tile(false).gather(In, 1);
    tile(true).scatter(M, Out, 1);
  };
  I.Together = gatherAndCompute;
  return true;
}

} // namespace

void addMatrixSemantics(SemanticsTable &T) {
  T.inst("mma", decodeMma);
  T.inst("ldmatrix", decodeTiles<loadTiles>);
  T.inst("stmatrix", decodeTiles<storeTiles>);
  T.inst("movmatrix", decodeMove);
}

} // namespace heddle::interp
