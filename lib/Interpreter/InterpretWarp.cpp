//===- InterpretWarp.cpp - What the lanes of a warp do together -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shfl, vote, match, redux, elect and bar.warp.sync. All lanes of the mask that
// have not ended have come when these functions are called.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "Machine.h"
#include "llvm/ADT/bit.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

/// Calls \p Do with each lane's thread and instruction.
template <typename DoT> void forLanes(Warp &W, uint32_t Lanes, DoT Do) {
  for (unsigned N = 0; N != WarpSize; ++N)
    if (Lanes >> N & 1)
      Do(W.lane(N), W.lane(N).current());
}

/// The lane that is read, and whether it is in range.
std::pair<unsigned, bool> sourceLane(ShflMode Mode, unsigned Lane, Bits B,
                                     Bits C) {
  int Offset = int(B & 31), Clamp = int(C & 31), Segment = int(C >> 8 & 31);
  int Own = int(Lane);
  int Max = (Own & Segment) | (Clamp & ~Segment);
  int Min = Own & Segment;
  int From = 0;
  bool InRange = false;
  switch (Mode) {
  case ShflMode::Up:
    From = Own - Offset;
    InRange = From >= Max;
    break;
  case ShflMode::Down:
    From = Own + Offset;
    InRange = From <= Max;
    break;
  case ShflMode::Bfly:
    From = Own ^ Offset;
    InRange = From <= Max;
    break;
  case ShflMode::Idx:
    From = Min | (Offset & ~Segment);
    InRange = From <= Max;
    break;
  }
  return {unsigned(InRange ? From : Own), InRange};
}

/// A lane that is not there, or not in the mask, gives poison: PTX leaves the
/// result open.
void shuffle(Warp &W, uint32_t Lanes) {
  constexpr uint32_t Poison = 0x0001'0001 * uint32_t(rt::PoisonPattern);
  forLanes(W, Lanes, [&](Thread &T, const Instruction &I) {
    auto [From, InRange] = sourceLane(I.Mods.mode<ShflMode>(), T.Lane,
                                      T.operand(I, 1), T.operand(I, 2));
    Bits Value = Poison;
    if (Lanes >> From & 1)
      Value = W.lane(From).operand(W.lane(From).current(), 0);
    T.setResult(I, 0, Value);
    T.setResult(I, 1, InRange);
  });
}

void vote(Warp &W, uint32_t Lanes) {
  uint32_t True = 0;
  forLanes(W, Lanes, [&](Thread &T, const Instruction &I) {
    if (T.operand(I, 0) & 1)
      True |= 1u << T.Lane;
  });
  forLanes(W, Lanes, [&](Thread &T, const Instruction &I) {
    Bits Result = True;
    switch (I.Mods.mode<VoteMode>()) {
    case VoteMode::All:
      Result = True == Lanes;
      break;
    case VoteMode::Any:
      Result = True != 0;
      break;
    case VoteMode::Uni:
      Result = True == 0 || True == Lanes;
      break;
    case VoteMode::Ballot:
      break;
    }
    T.setResult(I, 0, Result);
  });
}

/// The lanes whose value is that of \p T.
uint32_t equalLanes(Warp &W, uint32_t Lanes, Thread &T) {
  uint32_t Equal = 0;
  forLanes(W, Lanes, [&](Thread &Other, const Instruction &I) {
    if (Other.operand(I, 0) == T.operand(T.current(), 0))
      Equal |= 1u << Other.Lane;
  });
  return Equal;
}

void match(Warp &W, uint32_t Lanes) {
  forLanes(W, Lanes, [&](Thread &T, const Instruction &I) {
    uint32_t Equal = equalLanes(W, Lanes, T);
    if (I.Mods.mode<MatchMode>() == MatchMode::All && Equal != Lanes)
      Equal = 0;
    T.setResult(I, 0, Equal);
    T.setResult(I, 1, Equal == Lanes);
  });
}

Bits reduceIntegers(const Modifiers &M, Bits Left, Bits Right) {
  SignedBits X = integerValue(M.Ty, Left), Y = integerValue(M.Ty, Right);
  switch (M.Kind) {
  case AtomKind::And:
    return Left & Right;
  case AtomKind::Or:
    return Left | Right;
  case AtomKind::Xor:
    return Left ^ Right;
  case AtomKind::Min:
    return Bits(X < Y ? X : Y);
  case AtomKind::Max:
    return Bits(X > Y ? X : Y);
  default:
    return Left + Right;
  }
}

Bits reduceFloats(const Modifiers &M, Bits Left, Bits Right) {
  APFloat X = floatValue(M.Ty, Left), Y = floatValue(M.Ty, Right);
  if (M.Abs) {
    X.clearSign();
    Y.clearSign();
  }
  return floatBits(M.Ty, lesserOrGreater(X, Y, M.Kind == AtomKind::Max, M.NaN));
}

void reduce(Warp &W, uint32_t Lanes) {
  std::optional<Bits> Result;
  forLanes(W, Lanes, [&](Thread &T, const Instruction &I) {
    Bits Value = T.operand(I, 0);
    if (isFloat(I.Mods.Ty))
      Result = reduceFloats(I.Mods, Result.value_or(Value), Value);
    else
      Result = Result ? reduceIntegers(I.Mods, *Result, Value) : Value;
  });
  forLanes(W, Lanes, [&](Thread &T, const Instruction &I) {
    T.setResult(I, 0, Result.value_or(0));
  });
}

/// The lowest lane leads.
void elect(Warp &W, uint32_t Lanes) {
  unsigned Leader = countr_zero(Lanes);
  forLanes(W, Lanes, [&](Thread &T, const Instruction &I) {
    T.setResult(I, 0, Leader);
    T.setResult(I, 1, T.Lane == Leader);
  });
}

void synchronize(Warp &, uint32_t) {}

/// Threads run one by one, so the only thread that is sure to be active is the
/// one that asks.
Outcome executeActivemask(Thread &T, const Instruction &I) {
  T.setResult(I, 0, Bits(1) << T.Lane);
  return Outcome::Next;
}

} // namespace

void addWarpSemantics(SemanticsTable &T) {
  T.warp<ShflOp>(shuffle);
  T.warp<VoteOp>(vote);
  T.warp<MatchOp>(match);
  T.warp<ReduxOp>(reduce);
  T.warp<ElectOp>(elect);
  T.warp<WarpSyncOp>(synchronize);
  T.thread<ActivemaskOp>(executeActivemask);
}

} // namespace heddle::interp
