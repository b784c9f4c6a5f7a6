//===- ExecuteWarp.cpp - Data exchange within a warp ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shuffle, vote, match and reduce: isa-defs/HeddleInstrControl.td.
//
//===----------------------------------------------------------------------===//

#include "Execute/Execute.h"

namespace heddle::emu {

using isa::Op;
using Inst = const DecodedInst &;
using isa::MatchMode;
using isa::ReduxOp;
using isa::ShflMode;
using isa::VoteMode;

namespace {

/// Control is the clamp value in bits 4..0 and the segment mask in bits 12..8.
int sourceLane(ShflMode Mode, unsigned Lane, uint32_t B, uint32_t Control) {
  uint32_t Operand = B & 31, Clamp = Control & 31, Segment = Control >> 8 & 31;
  int MaxLane = (Lane & Segment) | (Clamp & ~Segment);
  int MinLane = Lane & Segment;
  int From;
  switch (Mode) {
  case ShflMode::Up:
    From = int(Lane) - int(Operand);
    return From >= MaxLane ? From : -1;
  case ShflMode::Down:
    From = Lane + Operand;
    break;
  case ShflMode::Butterfly:
    From = Lane ^ Operand;
    break;
  default:
    From = MinLane | (Operand & ~Segment);
    break;
  }
  return From <= MaxLane ? From : -1;
}

/// The instruction of each lane, of which those of an exchange differ in their
/// registers only.
using Insts = const DecodedInst *const *;

uint32_t operandB(const Warp &W, Inst I, unsigned Lane) {
  return I.KindB == SourceKind::Immediate ? uint32_t(I.Imm)
         : I.KindB == SourceKind::Uniform ? W.UR[I.B]
                                          : W.R[I.B][Lane];
}

void setPredicate(Warp &W, Inst I, unsigned Lane, bool Value) {
  LaneMask Bit = LaneMask(1) << Lane;
  W.P[I.P] = Value ? W.P[I.P] | Bit : W.P[I.P] & ~Bit;
}

/// Writes what Compute gives for each lane: the value and the predicate.
template <typename Fn>
void forExchange(Warp &W, Insts I, LaneMask Lanes, Fn Compute) {
  uint32_t Values[WarpSize];
  LaneMask Holds = 0;
  for (unsigned L : lanes(Lanes)) {
    auto [Value, P] = Compute(L);
    Values[L] = Value;
    Holds |= LaneMask(P) << L;
  }
  for (unsigned L : lanes(Lanes)) {
    W.R[I[L]->D][L] = Values[L];
    setPredicate(W, *I[L], L, Holds >> L & 1);
  }
}

void shfl(Warp &W, Insts I, LaneMask Lanes) {
  forExchange(W, I, Lanes, [&](unsigned L) {
    int From = shuffleSource(W, *I[L], L);
    unsigned Lane = From < 0 ? L : From;
    return std::pair(W.R[I[Lane]->A][Lane], From >= 0);
  });
}

void vote(Warp &W, Insts I, LaneMask Lanes) {
  LaneMask S = 0;
  for (unsigned L : lanes(Lanes))
    S |= W.predicate(I[L]->S, I[L]->Sn) & LaneMask(1) << L;
  forExchange(W, I, Lanes, [&](unsigned L) {
    LaneMask Members = Lanes & operandB(W, *I[L], L), True = S & Members;
    auto Mode = static_cast<VoteMode>(I[L]->Select);
    bool Value = Mode == VoteMode::All   ? True == Members
                 : Mode == VoteMode::Any ? True != 0
                                         : True == Members || True == 0;
    return std::pair(Mode == VoteMode::Ballot ? True : 0,
                     Mode != VoteMode::Ballot && Value);
  });
}

template <typename T> void match(Warp &W, Insts I, LaneMask Lanes) {
  auto ValueOf = [&](unsigned L) {
    if constexpr (sizeof(T) == 8)
      return W.reg64(I[L]->A, L);
    else
      return W.R[I[L]->A][L];
  };
  forExchange(W, I, Lanes, [&](unsigned L) {
    LaneMask Members = Lanes & operandB(W, *I[L], L), Equal = 0;
    for (unsigned Other : lanes(Members))
      Equal |= LaneMask(ValueOf(Other) == ValueOf(L)) << Other;
    bool MustAll = static_cast<MatchMode>(I[L]->Select) == MatchMode::All,
         AllEqual = Equal == Members;
    return std::pair(!MustAll || AllEqual ? Equal : 0, MustAll && AllEqual);
  });
}

uint32_t reduceTwo(Inst I, uint32_t A, uint32_t B) {
  bool Less = I.Sgn ? int32_t(A) < int32_t(B) : A < B;
  switch (static_cast<ReduxOp>(I.Select)) {
  case ReduxOp::Add:
    return A + B;
  case ReduxOp::Min:
    return Less ? A : B;
  case ReduxOp::Max:
    return Less ? B : A;
  case ReduxOp::And:
    return A & B;
  case ReduxOp::Or:
    return A | B;
  default:
    return A ^ B;
  }
}

uint32_t plainValue(const Warp &W, Inst I, unsigned Lane) {
  return W.R[I.A][Lane];
}
uint32_t same(uint32_t Value) { return Value; }

/// The smaller (larger) of two floats; -0 is less than +0.
uint32_t extremeFloat(Inst I, uint32_t A, uint32_t B) {
  bool ANaN = F32Format.isNaN(A), BNaN = F32Format.isNaN(B);
  if (ANaN || BNaN) // Of two NaN either does.
    return ANaN == I.NaN ? A : B;
  // As integers with the order of the numbers.
  auto Key = [](uint32_t V) { return V >> 31 ? ~V : V | 0x80000000; };
  bool Less = Key(A) < Key(B);
  return Less == (I.Select == 0) ? A : B;
}

uint32_t floatValue(const Warp &W, Inst I, unsigned Lane) {
  constexpr uint32_t Sign = 0x80000000;
  constexpr unsigned Negate = 1, Absolute = 2; // NegAbs
  uint32_t V = W.R[I.A][Lane];
  V = I.Ma & Absolute ? V & ~Sign : V;
  return I.Ma & Negate ? V ^ Sign : V;
}
uint32_t canonical(uint32_t Value) {
  return F32Format.isNaN(Value) ? uint32_t(F32Format.canonicalNaN()) : Value;
}

template <auto ValueOf, auto Combine, auto Finish>
void redux(Warp &W, Insts I, LaneMask Lanes) {
  forExchange(W, I, Lanes, [&](unsigned L) {
    LaneMask Members = Lanes & operandB(W, *I[L], L);
    uint32_t Value = 0;
    for (unsigned Other : lanes(Members)) {
      uint32_t V = ValueOf(W, *I[Other], Other);
      bool IsFirst = Other == unsigned(std::countr_zero(Members));
      Value = IsFirst ? V : Combine(*I[L], Value, V);
    }
    return std::pair(Finish(Value), false);
  });
}

/// Carries an exchange out for the lanes that have all come to it.
template <auto Fn> void exchange(Warp &W, Inst I, LaneMask Exec) {
  const DecodedInst *Each[WarpSize];
  std::fill_n(Each, WarpSize, &I);
  if (LaneMask Lanes = W.joinExchange(Exec, Each))
    Fn(W, Each, Lanes);
}

} // namespace

int shuffleSource(const Warp &W, Inst I, unsigned Lane) {
  uint32_t B = operandB(W, I, Lane);
  bool Variable = I.Info->Operation == Op::SHFLV;
  return sourceLane(static_cast<ShflMode>(I.Select), Lane, B,
                    Variable ? W.R[I.C][Lane] : uint32_t(I.Segment));
}

ExecFn warpExecutor(Op O) {
  switch (O) {
  case Op::SHFL:
  case Op::SHFLV:
    return exchange<shfl>;
  case Op::VOTE:
    return exchange<vote>;
  case Op::MATCH:
    return exchange<match<uint32_t>>;
  case Op::MATCH64:
    return exchange<match<uint64_t>>;
  case Op::REDUX:
    return exchange<redux<plainValue, reduceTwo, same>>;
  case Op::REDUXF:
    return exchange<redux<floatValue, extremeFloat, canonical>>;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
