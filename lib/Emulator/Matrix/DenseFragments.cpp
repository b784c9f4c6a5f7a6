//===- DenseFragments.cpp - Registers of dense products ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register of a fragment has eight rows of four words each, a row in four
// lanes that follow each other. Blocks of four rows are transposed.
//
//===----------------------------------------------------------------------===//

#include "Matrix/DenseFragments.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <type_traits>

namespace heddle::emu {

namespace {

constexpr size_t Lanes = 4; ///< Of a row.
constexpr size_t RowsOfRegister = 8;

typedef uint32_t Quad __attribute__((ext_vector_type(Lanes)));

Quad loadQuad(const uint32_t *From) {
  Quad V;
  std::memcpy(&V, From, sizeof(V));
  return V;
}
void storeQuad(uint32_t *To, Quad V) { std::memcpy(To, &V, sizeof(V)); }

/// Four rows of four words.
struct Square {
  Quad Row[Lanes];

  static Square load(const uint32_t *From) {
    Square S;
    for (unsigned N = 0; N < Lanes; ++N)
      S.Row[N] = loadQuad(From + N * Lanes);
    return S;
  }
  void store(uint32_t *To) const {
    for (unsigned N = 0; N < Lanes; ++N)
      storeQuad(To + N * Lanes, Row[N]);
  }
  Square transposed() const {
    Quad A = __builtin_shufflevector(Row[0], Row[1], 0, 4, 1, 5);
    Quad B = __builtin_shufflevector(Row[2], Row[3], 0, 4, 1, 5);
    Quad C = __builtin_shufflevector(Row[0], Row[1], 2, 6, 3, 7);
    Quad D = __builtin_shufflevector(Row[2], Row[3], 2, 6, 3, 7);
    return {{__builtin_shufflevector(A, B, 0, 1, 4, 5),
             __builtin_shufflevector(A, B, 2, 3, 6, 7),
             __builtin_shufflevector(C, D, 0, 1, 4, 5),
             __builtin_shufflevector(C, D, 2, 3, 6, 7)}};
  }
};

/// Calls \p Visit with the columns of both blocks of a register, and the first
/// row of each.
template <typename Fn> void forColumns(const RegisterRow &R, Fn Visit) {
  for (size_t Row = 0; Row < RowsOfRegister; Row += Lanes)
    Visit(Row, Square::load(R + Row * Lanes).transposed());
}

/// Calls \p Do with the number of elements in a word, as a type.
template <typename Fn> void forPerWord(matrix::Element E, Fn Do) {
  switch (32 / matrix::bitsOf(E)) {
  case 1:
    return Do(std::integral_constant<unsigned, 1>());
  case 2:
    return Do(std::integral_constant<unsigned, 2>());
  default:
    return Do(std::integral_constant<unsigned, 4>());
  }
}

/// Of the elements that are read with others.
void clearRest(DenseMatrices &X, unsigned Column) {
  std::fill(X.B[Column] + X.K,
            X.B[Column] + llvm::alignTo(X.K, DenseMatrices::M), 0);
}

/// Stores the elements of words of A that four rows have, from \p Row on.
template <unsigned PerWord>
void storeElements(const Square &Columns, size_t FirstWord, size_t Row,
                   DenseMatrices &X) {
  constexpr unsigned Bits = 32 / PerWord;
  constexpr auto Mask = static_cast<uint32_t>((uint64_t(1) << Bits) - 1);
  for (size_t Word = 0; Word < Lanes; ++Word)
    for (unsigned E = 0; E < PerWord; ++E)
      storeQuad(&X.A[(FirstWord + Word) * PerWord + E][Row],
                Columns.Row[Word] >> (E * Bits) & Mask);
}

/// A16: the registers go through the halves of the rows first.
template <unsigned PerWord> void loadA(const RegisterRow *A, DenseMatrices &X) {
  size_t Registers = size_t(2) * X.K / (PerWord * Lanes);
  for (size_t R = 0; R < Registers; ++R)
    forColumns(A[R], [&](size_t Row, const Square &Columns) {
      storeElements<PerWord>(Columns, R / 2 * Lanes,
                             R % 2 * RowsOfRegister + Row, X);
    });
}

template <unsigned PerWord>
void arrangeA(const DenseMatrices::Row *Rows, DenseMatrices &X) {
  for (unsigned Row = 0; Row < DenseMatrices::M; Row += Lanes)
    for (unsigned Word = 0; Word < std::size(*Rows); Word += Lanes) {
      Square S;
      for (unsigned N = 0; N < Lanes; ++N)
        S.Row[N] = loadQuad(&Rows[Row + N][Word]);
      storeElements<PerWord>(S.transposed(), Word, Row, X);
    }
}

/// An element of so many in a word.
template <unsigned PerWord>
using PartOfWord =
    std::conditional_t<PerWord == 1, uint32_t,
                       std::conditional_t<PerWord == 2, uint16_t, uint8_t>>;

/// Stores the elements of four words of a column of B.
template <typename Element>
void storeElements(const uint32_t *From, uint32_t *To) {
  constexpr unsigned Count = Lanes * sizeof(uint32_t) / sizeof(Element);
  typedef Element Elements __attribute__((ext_vector_type(Count)));
  typedef uint32_t Wide __attribute__((ext_vector_type(Count)));
  Elements Bits;
  std::memcpy(&Bits, From, sizeof(Bits));
  Wide V = __builtin_convertvector(Bits, Wide);
  std::memcpy(To, &V, sizeof(V));
}

/// B8: a row of a register is a column of the matrix, in order.
template <unsigned PerWord> void loadB(const RegisterRow *B, DenseMatrices &X) {
  constexpr unsigned Count = Lanes * PerWord;
  for (unsigned Column = 0; Column < DenseMatrices::N; ++Column) {
    for (unsigned First = 0; First < X.K; First += Count)
      storeElements<PartOfWord<PerWord>>(B[First / Count] + Column * Lanes,
                                         &X.B[Column][First]);
    clearRest(X, Column);
  }
}

template <unsigned PerWord>
void arrangeB(const DenseMatrices::Row *Columns, DenseMatrices &X) {
  for (unsigned Column = 0; Column < DenseMatrices::N; ++Column) {
    for (size_t Word = 0; Word < std::size(*Columns); Word += Lanes)
      storeElements<PartOfWord<PerWord>>(&Columns[Column][Word],
                                         &X.B[Column][Word * PerWord]);
    clearRest(X, Column);
  }
}

/// C16: pairs of registers are the neighbours of a pair of columns.
void loadWords(const RegisterRow *C, DenseMatrices &X) {
  for (size_t R = 0; R < 4; ++R)
    forColumns(C[R], [&](size_t Row, const Square &Columns) {
      for (size_t Word = 0; Word < Lanes; ++Word)
        storeQuad(&X.C[2 * Word + R % 2][R / 2 * RowsOfRegister + Row],
                  Columns.Row[Word]);
    });
}

/// C16Pairs: the columns of a pair are in one word.
void loadPairs(const RegisterRow *C, DenseMatrices &X) {
  for (size_t R = 0; R < 2; ++R)
    forColumns(C[R], [&](size_t Row, const Square &Columns) {
      unsigned First = R * RowsOfRegister + Row;
      for (size_t Word = 0; Word < Lanes; ++Word) {
        storeQuad(&X.C[2 * Word][First], Columns.Row[Word] & 0xFFFF);
        storeQuad(&X.C[2 * Word + 1][First], Columns.Row[Word] >> 16);
      }
    });
}

/// Writes a register whose word of each row and column is \p Words' of its
/// column, in four rows from one on.
template <typename Fn> void storeColumns(RegisterRow &R, Fn Words) {
  for (size_t Row = 0; Row < RowsOfRegister; Row += Lanes) {
    Square Columns;
    for (size_t Word = 0; Word < Lanes; ++Word)
      Columns.Row[Word] = Words(Row, Word);
    Columns.transposed().store(R + Row * Lanes);
  }
}

} // namespace

void loadDenseA(const RegisterRow *A, DenseMatrices &X) {
  forPerWord(X.TypeA, [&](auto PerWord) { loadA<PerWord>(A, X); });
}

void arrangeDenseA(const DenseMatrices::Row *Rows, DenseMatrices &X) {
  forPerWord(X.TypeA, [&](auto PerWord) { arrangeA<PerWord>(Rows, X); });
}

void loadDenseB(const RegisterRow *B, DenseMatrices &X) {
  forPerWord(X.TypeB, [&](auto PerWord) { loadB<PerWord>(B, X); });
}

void arrangeDenseB(const DenseMatrices::Row *Columns, DenseMatrices &X) {
  forPerWord(X.TypeB, [&](auto PerWord) { arrangeB<PerWord>(Columns, X); });
}

void loadDenseC(const RegisterRow *C, DenseMatrices &X) {
  return X.TypeC == matrix::Result::F16 ? loadPairs(C, X) : loadWords(C, X);
}

void storeDenseD(const uint32_t (*D)[DenseMatrices::M], matrix::Result Type,
                 RegisterRow *Registers) {
  if (Type == matrix::Result::F16) {
    for (size_t R = 0; R < 2; ++R)
      storeColumns(Registers[R], [&](size_t Row, size_t Word) {
        unsigned First = R * RowsOfRegister + Row;
        return loadQuad(&D[2 * Word][First]) | loadQuad(&D[2 * Word + 1][First])
                                                   << 16;
      });
    return;
  }
  for (size_t R = 0; R < 4; ++R)
    storeColumns(Registers[R], [&](size_t Row, size_t Word) {
      return loadQuad(&D[2 * Word + R % 2][R / 2 * RowsOfRegister + Row]);
    });
}

} // namespace heddle::emu
