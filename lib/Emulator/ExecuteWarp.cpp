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

#include "Execute.h"

namespace heddle::emu {

using isa::Op;
using Inst = const DecodedInst &;

namespace {

/// The values of the ISA's modifier ShflMode.
enum ShuffleMode : uint8_t { Index, Up, Down, Butterfly };

/// The source lane that PTX shfl names, or -1 if it is out of range. Control
/// is the clamp value in bits 4..0 and the segment mask in bits 12..8.
int shuffleSource(unsigned Mode, unsigned Lane, uint32_t B, uint32_t Control) {
  uint32_t Operand = B & 31, Clamp = Control & 31, Segment = Control >> 8 & 31;
  int MaxLane = (Lane & Segment) | (Clamp & ~Segment);
  int MinLane = Lane & Segment;
  int From;
  switch (Mode) {
  case Up:
    From = int(Lane) - int(Operand);
    return From >= MaxLane ? From : -1;
  case Down:
    From = Lane + Operand;
    break;
  case Butterfly:
    From = Lane ^ Operand;
    break;
  default:
    From = MinLane | (Operand & ~Segment);
    break;
  }
  return From <= MaxLane ? From : -1;
}

template <bool Variable> void shfl(Warp &W, Inst I, LaneMask Exec) {
  Source<uint32_t> B(W, I.KindB, I.B, I.Imm);
  uint32_t Values[WarpSize];
  LaneMask InRange = 0;
  for (unsigned L = 0; L < WarpSize; ++L) {
    uint32_t Control = Variable ? W.R[I.C][L] : I.Segment;
    int From = shuffleSource(I.Select, L, B[L], Control);
    Values[L] = W.R[I.A][From < 0 ? L : From];
    InRange |= LaneMask(From >= 0) << L;
  }
  storeResults(W, I.D, Exec, Values);
  writePredicate(W, I.P, Exec, InRange);
}

/// The values of the ISA's modifier VoteMode.
enum VoteMode : uint8_t { All, Any, Uniform, Ballot };

void vote(Warp &W, Inst I, LaneMask Exec) {
  Source<uint32_t> B(W, I.KindB, I.B, I.Imm);
  LaneMask S = W.predicate(I.S, I.Sn), Holds = 0;
  uint32_t Values[WarpSize] = {};
  for (unsigned L : lanes(Exec)) {
    LaneMask Members = Exec & B[L], True = S & Members;
    bool Value = I.Select == All   ? True == Members
                 : I.Select == Any ? True != 0
                                   : True == Members || True == 0;
    if (I.Select == Ballot)
      Values[L] = True;
    else
      Holds |= LaneMask(Value) << L;
  }
  storeResults(W, I.D, Exec, Values);
  writePredicate(W, I.P, Exec, Holds);
}

template <typename T> void match(Warp &W, Inst I, LaneMask Exec) {
  Source<T> A(W, SourceKind::Register, I.A, 0);
  Source<uint32_t> B(W, I.KindB, I.B, I.Imm);
  bool MustAll = I.Select == 1;
  LaneMask Holds = 0;
  uint32_t Values[WarpSize] = {};
  for (unsigned L : lanes(Exec)) {
    LaneMask Members = Exec & B[L], Equal = 0;
    for (unsigned Other : lanes(Members))
      Equal |= LaneMask(A[Other] == A[L]) << Other;
    bool AllEqual = Equal == Members;
    Values[L] = !MustAll || AllEqual ? Equal : 0;
    Holds |= LaneMask(MustAll && AllEqual) << L;
  }
  storeResults(W, I.D, Exec, Values);
  writePredicate(W, I.P, Exec, Holds);
}

/// The values of the ISA's modifier ReduxOp.
enum ReduceOp : uint8_t { Add, Min, Max, And, Or, Xor };

uint32_t reduceTwo(Inst I, uint32_t A, uint32_t B) {
  bool Less = I.Sgn ? int32_t(A) < int32_t(B) : A < B;
  switch (I.Select) {
  case Add:
    return A + B;
  case Min:
    return Less ? A : B;
  case Max:
    return Less ? B : A;
  case And:
    return A & B;
  case Or:
    return A | B;
  default:
    return A ^ B;
  }
}

void redux(Warp &W, Inst I, LaneMask Exec) {
  Source<uint32_t> B(W, I.KindB, I.B, I.Imm);
  uint32_t Values[WarpSize] = {};
  for (unsigned L : lanes(Exec)) {
    LaneMask Members = Exec & B[L];
    if (!Members)
      continue;
    uint32_t Value = W.R[I.A][std::countr_zero(Members)];
    for (unsigned Other : lanes(Members & (Members - 1)))
      Value = reduceTwo(I, Value, W.R[I.A][Other]);
    Values[L] = Value;
  }
  storeResults(W, I.D, Exec, Values);
}

} // namespace

ExecFn warpExecutor(Op O) {
  switch (O) {
  case Op::SHFL:
    return shfl<false>;
  case Op::SHFLV:
    return shfl<true>;
  case Op::VOTE:
    return vote;
  case Op::MATCH:
    return match<uint32_t>;
  case Op::MATCH64:
    return match<uint64_t>;
  case Op::REDUX:
    return redux;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
