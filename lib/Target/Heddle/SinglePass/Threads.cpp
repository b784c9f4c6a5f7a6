//===- Threads.cpp - What threads do together -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, fences, and exchanges among the threads of a warp.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::singlepass {

using isa::BarMode;
using isa::MemScope;

/// A barrier of the CTA, by the intrinsic's name.
bool Selector::selectBarrier(const CallInst &I, StringRef Name) {
  bool IsAligned = Name.contains(".aligned"),
       HasCount = Name.ends_with(".count");
  auto Mode = StringSwitch<std::optional<BarMode>>(Name)
                  .StartsWith("sync.", BarMode::Sync)
                  .StartsWith("arrive.", BarMode::Arrive)
                  .StartsWith("red.popc.", BarMode::Count)
                  .StartsWith("red.and.", BarMode::And)
                  .StartsWith("red.or.", BarMode::Or)
                  .Default(std::nullopt);
  if (!Mode || (!HasCount && !Name.ends_with(".all")))
    return false;
  constexpr unsigned True = 7, All = 16;
  bool Reduces = *Mode >= BarMode::Count;
  Source S;
  if (Reduces)
    S = usePredicate(I.getArgOperand(HasCount ? 2 : 1));
  unsigned Count = HasCount ? use(I.getArgOperand(1)) : RegisterFile::Zero;
  std::optional<uint64_t> Number = bitsOf(I.getArgOperand(0));
  if (Number && *Number >= All)
    return false;
  Operand Barrier =
      Number ? Operand(int64_t(*Number)) : Operand(use(I.getArgOperand(0)));
  Out.Barriers = std::max<unsigned>(Out.Barriers, Number ? *Number + 1 : All);
  bool Counts = *Mode == BarMode::Count;
  unsigned D = Reduces && Counts ? define(I) : unsigned(RegisterFile::Zero);
  unsigned P = Reduces && !Counts ? definePredicate(I) : True;
  W.emit(Number ? Heddle::BAR_i : Heddle::BAR_r,
         {D, P, *Mode, IsAligned, Barrier, Count, S.Predicate, S.Negated});
  if (Reduces && !Counts)
    finishPredicate(I, P);
  return true;
}

/// The lanes of a mask meet before they exchange data.
void Selector::converge(const Value *Mask, bool AnyPlace) {
  if (std::optional<uint64_t> Bits = bitsOf(Mask))
    return W.emit(Heddle::WARPSYNC_i, {int64_t(int32_t(*Bits)), AnyPlace});
  W.emit(Heddle::WARPSYNC_r, {use(Mask), AnyPlace});
}

bool Selector::selectShuffle(const CallInst &I, StringRef Name) {
  auto Mode = StringSwitch<std::optional<isa::ShflMode>>(Name)
                  .StartsWith("idx.", isa::ShflMode::Index)
                  .StartsWith("up.", isa::ShflMode::Up)
                  .StartsWith("down.", isa::ShflMode::Down)
                  .StartsWith("bfly.", isa::ShflMode::Butterfly)
                  .Default(std::nullopt);
  if (!Mode || sizeOf(&I) != 1)
    return false; // with a predicate
  constexpr unsigned True = 7;
  converge(I.getArgOperand(0), false);
  unsigned X = use(I.getArgOperand(1));
  std::optional<uint64_t> Lane = bitsOf(I.getArgOperand(2)),
                          Segment = bitsOf(I.getArgOperand(3));
  if (!Segment) {
    unsigned B = use(I.getArgOperand(2)), C = use(I.getArgOperand(3));
    W.emit(Heddle::SHFLV, {define(I), True, X, B, C, *Mode});
    return true;
  }
  int64_t Seg = *Segment & 0x1F1F;
  if (Lane)
    W.emit(Heddle::SHFL_i,
           {define(I), True, X, int64_t(*Lane & 31), Seg, *Mode});
  else {
    unsigned B = use(I.getArgOperand(2));
    W.emit(Heddle::SHFL_r, {define(I), True, X, B, Seg, *Mode});
  }
  return true;
}

bool Selector::selectVote(const CallInst &I, StringRef Name) {
  auto Mode = StringSwitch<std::optional<isa::VoteMode>>(Name)
                  .Case("all.sync", isa::VoteMode::All)
                  .Case("any.sync", isa::VoteMode::Any)
                  .Case("uni.sync", isa::VoteMode::Uniform)
                  .Case("ballot.sync", isa::VoteMode::Ballot)
                  .Default(std::nullopt);
  if (!Mode)
    return false;
  constexpr unsigned True = 7;
  converge(I.getArgOperand(0), false);
  Source S = usePredicate(I.getArgOperand(1));
  unsigned Mask = use(I.getArgOperand(0));
  if (*Mode == isa::VoteMode::Ballot) {
    W.emit(Heddle::VOTE_r,
           {define(I), True, *Mode, S.Predicate, S.Negated, Mask});
    return true;
  }
  unsigned P = definePredicate(I);
  W.emit(Heddle::VOTE_r,
         {RegisterFile::Zero, P, *Mode, S.Predicate, S.Negated, Mask});
  finishPredicate(I, P);
  return true;
}

bool Selector::selectThreads(const CallInst &I) {
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return false;
  if (Name.consume_front("barrier.cta."))
    return selectBarrier(I, Name);
  if (Name.consume_front("shfl.sync."))
    return selectShuffle(I, Name);
  if (Name.consume_front("vote."))
    return selectVote(I, Name);
  switch (I.getIntrinsicID()) {
  case Intrinsic::nvvm_bar_warp_sync:
    converge(I.getArgOperand(0), true);
    return true;
  case Intrinsic::nvvm_match_any_sync_i32: {
    constexpr unsigned True = 7;
    converge(I.getArgOperand(0), false);
    unsigned Mask = use(I.getArgOperand(0)), X = use(I.getArgOperand(1));
    W.emit(Heddle::MATCH_r, {define(I), True, isa::MatchMode::Any, X, Mask});
    return true;
  }
  case Intrinsic::nvvm_activemask: {
    constexpr unsigned True = 7;
    W.emit(Heddle::VOTE_i,
           {define(I), True, isa::VoteMode::Ballot, True, 0, -1});
    return true;
  }
  case Intrinsic::nvvm_membar_cta:
  case Intrinsic::nvvm_membar_gl:
  case Intrinsic::nvvm_membar_sys: {
    unsigned ID = I.getIntrinsicID();
    W.emit(Heddle::MEMBAR,
           {isa::FenceKind::SequentiallyConsistent,
            ID == Intrinsic::nvvm_membar_cta  ? MemScope::CTA
            : ID == Intrinsic::nvvm_membar_gl ? MemScope::GPU
                                              : MemScope::System});
    return true;
  }
  case Intrinsic::nvvm_exit:
    W.emit(Heddle::EXIT, {});
    return true;
  default:
    return false;
  }
}

} // namespace heddle::singlepass
