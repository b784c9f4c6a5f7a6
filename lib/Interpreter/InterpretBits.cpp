//===- InterpretBits.cpp - Logic, shifts and bit fields of PTX --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Written bit by bit where the PTX manual does so.
//
//===----------------------------------------------------------------------===//

#include "Instruction.h"

using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

unsigned widthOf(const Instruction &I) { return bitWidth(I.Mods.Ty); }
bool bit(Bits Value, unsigned N) { return Value >> N & 1; }

void evaluateAnd(const Instruction &, const Bits *In, Bits *Out) {
  Out[0] = In[0] & In[1];
}
void evaluateOr(const Instruction &, const Bits *In, Bits *Out) {
  Out[0] = In[0] | In[1];
}
void evaluateXor(const Instruction &, const Bits *In, Bits *Out) {
  Out[0] = In[0] ^ In[1];
}
void evaluateNot(const Instruction &, const Bits *In, Bits *Out) {
  Out[0] = ~In[0];
}
void evaluateCnot(const Instruction &, const Bits *In, Bits *Out) {
  Out[0] = In[0] == 0;
}

/// Bit n of the result is the entry of the table that the three bits n name.
void evaluateLop3(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = 0;
  for (unsigned N = 0; N != widthOf(I); ++N) {
    unsigned Entry = bit(In[0], N) * 4 + bit(In[1], N) * 2 + bit(In[2], N);
    Out[0] |= Bits(I.Mods.Lut >> Entry & 1) << N;
  }
}

//===----------------------------------------------------------------------===//
// Shifts; amounts beyond the width count as the width
//===----------------------------------------------------------------------===//

unsigned clampedAmount(const Instruction &I, Bits Amount) {
  Bits Count = lowBits(Amount, 32);
  return Count > widthOf(I) ? widthOf(I) : unsigned(Count);
}

void evaluateShl(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = In[0] << clampedAmount(I, In[1]);
}

void evaluateShr(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = Bits(integerValue(I.Mods.Ty, In[0]) >> clampedAmount(I, In[1]));
}

void evaluateShf(const Instruction &I, const Bits *In, Bits *Out) {
  Bits Pair = lowBits(In[1], 32) << 32 | lowBits(In[0], 32);
  Bits C = lowBits(In[2], 32);
  unsigned Amount = I.Mods.Wrap == WrapMode::Wrap ? unsigned(C & 31)
                    : C > 32                      ? 32
                                                  : unsigned(C);
  Out[0] = I.Mods.Dir == ShiftDir::L ? Pair << Amount >> 32 : Pair >> Amount;
}

//===----------------------------------------------------------------------===//
// Counting and searching
//===----------------------------------------------------------------------===//

void evaluatePopc(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = 0;
  for (unsigned N = 0; N != widthOf(I); ++N)
    Out[0] += bit(In[0], N);
}

void evaluateClz(const Instruction &I, const Bits *In, Bits *Out) {
  unsigned Count = 0;
  while (Count != widthOf(I) && !bit(In[0], widthOf(I) - 1 - Count))
    ++Count;
  Out[0] = Count;
}

void evaluateBfind(const Instruction &I, const Bits *In, Bits *Out) {
  SignedBits A = integerValue(I.Mods.Ty, In[0]);
  Bits Searched = lowBits(Bits(A < 0 ? ~A : A), widthOf(I));
  Out[0] = 0xFFFFFFFF;
  for (unsigned N = widthOf(I); N-- != 0;)
    if (bit(Searched, N)) {
      Out[0] = I.Mods.ShiftAmount ? widthOf(I) - 1 - N : N;
      return;
    }
}

void evaluateBrev(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = 0;
  for (unsigned N = 0; N != widthOf(I); ++N)
    Out[0] |= Bits(bit(In[0], N)) << (widthOf(I) - 1 - N);
}

void evaluateFns(const Instruction &, const Bits *In, Bits *Out) {
  auto Position = int64_t(lowBits(In[1], 32));
  auto Offset = int64_t(signedValue(In[2], 32));
  int64_t Left = Offset == 0 ? 1 : Offset < 0 ? -Offset : Offset;
  int64_t Step = Offset < 0 ? -1 : 1;
  Out[0] = 0xFFFFFFFF;
  for (; Position >= 0 && Position < 32; Position += Step) {
    if (bit(In[0], Position) && --Left == 0) {
      Out[0] = Bits(Position);
      return;
    }
    if (Offset == 0)
      return;
  }
}

//===----------------------------------------------------------------------===//
// Bit fields; position and length are restricted to 8 bits
//===----------------------------------------------------------------------===//

void evaluateBfe(const Instruction &I, const Bits *In, Bits *Out) {
  unsigned Msb = widthOf(I) - 1;
  unsigned Position = In[1] & 0xFF, Length = In[2] & 0xFF;
  bool Sign = isSigned(I.Mods.Ty) && Length != 0 &&
              bit(In[0], std::min(Position + Length - 1, Msb));
  Out[0] = 0;
  for (unsigned N = 0; N <= Msb; ++N) {
    bool IsField = N < Length && Position + N <= Msb;
    Out[0] |= Bits(IsField ? bit(In[0], Position + N) : Sign) << N;
  }
}

void evaluateBfi(const Instruction &I, const Bits *In, Bits *Out) {
  unsigned Msb = widthOf(I) - 1;
  unsigned Position = In[2] & 0xFF, Length = In[3] & 0xFF;
  Out[0] = In[1];
  for (unsigned N = 0; N < Length && Position + N <= Msb; ++N) {
    Out[0] &= ~(Bits(1) << (Position + N));
    Out[0] |= Bits(bit(In[0], N)) << (Position + N);
  }
}

void evaluateSzext(const Instruction &I, const Bits *In, Bits *Out) {
  Bits Count = lowBits(In[1], 32);
  if (Count >= 32 && I.Mods.Wrap == WrapMode::Clamp) {
    Out[0] = In[0];
    return;
  }
  auto Width = unsigned(Count & 31);
  if (Width == 0)
    Out[0] = 0;
  else
    Out[0] = isSigned(I.Mods.Ty) ? Bits(signedValue(In[0], Width))
                                 : lowBits(In[0], Width);
}

void evaluateBmsk(const Instruction &I, const Bits *In, Bits *Out) {
  Bits Position = lowBits(In[0], 32), Length = lowBits(In[1], 32);
  if (I.Mods.Wrap == WrapMode::Wrap) {
    Position &= 31;
    Length &= 31;
  }
  Out[0] = 0;
  for (unsigned N = 0; N != 32; ++N)
    if (N >= Position && N - Position < Length)
      Out[0] |= Bits(1) << N;
}

//===----------------------------------------------------------------------===//
// Permutation of bytes
//===----------------------------------------------------------------------===//

/// The source byte of each byte of the result, for each value of c[1:0].
struct Permutation {
  PrmtMode Mode;
  uint8_t Sources[4][4]; ///< [selector][byte of the result, lowest first]
};
constexpr Permutation Permutations[] = {
    {PrmtMode::F4e, {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}},
    {PrmtMode::B4e, {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}},
    {PrmtMode::Rc8, {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
    {PrmtMode::Ecl, {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}},
    {PrmtMode::Ecr, {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}},
    {PrmtMode::Rc16, {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}},
};

void evaluatePrmt(const Instruction &I, const Bits *In, Bits *Out) {
  Bits Source = lowBits(In[1], 32) << 32 | lowBits(In[0], 32);
  auto Byte = [&](unsigned N) { return unsigned(Source >> (8 * N) & 0xFF); };
  Out[0] = 0;
  for (unsigned N = 0; N != 4; ++N) {
    unsigned Value = 0;
    if (I.Mods.mode<PrmtMode>() == PrmtMode::None) {
      unsigned Selector = In[2] >> (4 * N) & 0xF;
      Value = Byte(Selector & 7);
      if (Selector & 8)
        Value = Value & 0x80 ? 0xFF : 0;
    }
    for (const Permutation &P : Permutations)
      if (P.Mode == I.Mods.mode<PrmtMode>())
        Value = Byte(P.Sources[unsigned(In[2] & 3)][N]);
    Out[0] |= Bits(Value) << (8 * N);
  }
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

void evaluateMov(const Instruction &, const Bits *In, Bits *Out) {
  Out[0] = In[0];
}

/// The first part is the least significant.
void evaluatePack(const Instruction &I, const Bits *In, Bits *Out) {
  Out[0] = 0;
  unsigned At = 0;
  for (auto [N, Width] : llvm::enumerate(I.OperandWidths)) {
    Out[0] |= In[N] << At;
    At += Width;
  }
}

void evaluateUnpack(const Instruction &I, const Bits *In, Bits *Out) {
  unsigned At = 0;
  for (auto [N, Width] : llvm::enumerate(I.ResultWidths)) {
    Out[N] = In[0] >> At;
    At += Width;
  }
}

} // namespace

void addBitSemantics(SemanticsTable &T) {
  T.pure<AndOp>(always<evaluateAnd>);
  T.pure<OrOp>(always<evaluateOr>);
  T.pure<XorOp>(always<evaluateXor>);
  T.pure<NotOp>(always<evaluateNot>);
  T.pure<CnotOp>(always<evaluateCnot>);
  T.pure<Lop3Op>(always<evaluateLop3>);
  T.pure<ShlOp>(always<evaluateShl>);
  T.pure<ShrOp>(always<evaluateShr>);
  T.pure<ShfOp>(always<evaluateShf>);
  T.pure<PopcOp>(always<evaluatePopc>);
  T.pure<ClzOp>(always<evaluateClz>);
  T.pure<BfindOp>(always<evaluateBfind>);
  T.pure<BrevOp>(always<evaluateBrev>);
  T.pure<FnsOp>(always<evaluateFns>);
  T.pure<BfeOp>(always<evaluateBfe>);
  T.pure<BfiOp>(always<evaluateBfi>);
  T.pure<SzextOp>(always<evaluateSzext>);
  T.pure<BmskOp>(always<evaluateBmsk>);
  T.pure<PrmtOp>(always<evaluatePrmt>);
  T.pure<MovOp>(always<evaluateMov>);
  T.pure<PackOp>(always<evaluatePack>);
  T.pure<UnpackOp>(always<evaluateUnpack>);
}

} // namespace heddle::interp
