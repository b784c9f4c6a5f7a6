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
  if (!Mode)
    return false;
  constexpr unsigned True = 7;
  bool HasPredicate = I.getType()->isStructTy();
  if (HasPredicate ? !Name.ends_with("32p") : sizeOf(&I) != 1)
    return false;
  converge(I.getArgOperand(0), false);
  unsigned X = use(I.getArgOperand(1));
  std::optional<uint64_t> Lane = bitsOf(I.getArgOperand(2)),
                          Segment = bitsOf(I.getArgOperand(3));
  SmallVector<Operand, 6> Ops{0, True, X};
  unsigned Opcode = Heddle::SHFL_r;
  if (Segment && Lane) {
    // Only the low five bits of the lane count.
    Opcode = Heddle::SHFL_i;
    Ops.push_back(int64_t(*Lane & 31));
  } else {
    Ops.push_back(use(I.getArgOperand(2)));
  }
  if (Segment) {
    Ops.push_back(int64_t(*Segment & 0x1F1F));
  } else {
    Opcode = Heddle::SHFLV;
    Ops.push_back(use(I.getArgOperand(3)));
  }
  Ops.push_back(*Mode);
  Ops[0] = HasPredicate ? defineResult(I, 0, 1) : define(I);
  if (HasPredicate)
    Ops[1] = definePredicateResult(I, 1);
  W.emit(Opcode, Ops);
  if (HasPredicate)
    finishPredicateResult(I, 1, Ops[1].Number);
  return true;
}

bool Selector::selectMatch(const CallInst &I, StringRef Name) {
  constexpr unsigned True = 7;
  bool IsAny = Name.starts_with("any.sync."), IsWide = Name.contains("i64");
  if (!IsAny && !Name.starts_with("all.sync."))
    return false;
  converge(I.getArgOperand(0), false);
  unsigned Mask = use(I.getArgOperand(0)), X = use(I.getArgOperand(1));
  unsigned D = IsAny ? define(I) : defineResult(I, 0, 1),
           P = IsAny ? True : definePredicateResult(I, 1);
  W.emit(IsWide ? Heddle::MATCH64_r : Heddle::MATCH_r,
         {D, P, IsAny ? isa::MatchMode::Any : isa::MatchMode::All, X, Mask});
  if (!IsAny)
    finishPredicateResult(I, 1, P);
  return true;
}

/// redux.sync: the result of all lanes of a mask.
bool Selector::selectReduction(const CallInst &I, StringRef Name) {
  using isa::ReduxOp;
  converge(I.getArgOperand(1), false);
  unsigned X = use(I.getArgOperand(0)), Mask = use(I.getArgOperand(1));
  if (I.getType()->isFloatTy()) {
    constexpr unsigned Absolute = 2;
    W.emit(Heddle::REDUXF_r,
           {define(I), Name.starts_with("fmax"), Name.contains("NaN"), X,
            Name.contains("abs") ? Absolute : 0, Mask});
    return true;
  }
  auto Op = StringSwitch<std::optional<std::pair<ReduxOp, bool>>>(Name)
                .Case("add", {{ReduxOp::Add, false}})
                .Case("min", {{ReduxOp::Min, true}})
                .Case("umin", {{ReduxOp::Min, false}})
                .Case("max", {{ReduxOp::Max, true}})
                .Case("umax", {{ReduxOp::Max, false}})
                .Case("and", {{ReduxOp::And, false}})
                .Case("or", {{ReduxOp::Or, false}})
                .Case("xor", {{ReduxOp::Xor, false}})
                .Default(std::nullopt);
  if (!Op)
    return false;
  W.emit(Heddle::REDUX_r, {define(I), Op->first, Op->second, X, Mask});
  return true;
}

/// The leader is the lowest lane of the mask that is still there.
void Selector::selectElect(const CallInst &I) {
  constexpr unsigned True = 7, LaneID = 12;
  converge(I.getArgOperand(0), false);
  unsigned Mask = use(I.getArgOperand(0)), Lane = temporary(1);
  unsigned Leader = defineResult(I, 0, 1);
  if (Leader == RegisterFile::Zero)
    Leader = temporary(1);
  unsigned P = definePredicateResult(I, 1);
  W.emit(Heddle::VOTE_r, {Leader, True, isa::VoteMode::Ballot, True, 0, Mask});
  W.emit(Heddle::BREV_r, {Leader, Leader});
  W.emit(Heddle::FLO_r, {Leader, Leader, isa::FloMode::LeadingZeros, 0});
  W.emit(Heddle::S2R, {Lane, LaneID});
  W.emit(Heddle::ISETP_r,
         {P, Lane, Leader, isa::CmpI::Equal, 0, isa::BoolOp::And, True, 0});
  finishPredicateResult(I, 1, P);
}

bool Selector::selectClusterBarrier(StringRef Name) {
  using isa::ClusterBarMode;
  bool IsAligned = Name.consume_back(".aligned");
  auto Mode = StringSwitch<std::optional<ClusterBarMode>>(Name)
                  .Case("arrive", ClusterBarMode::Arrive)
                  .Case("arrive.relaxed", ClusterBarMode::ArriveRelaxed)
                  .Case("wait", ClusterBarMode::Wait)
                  .Default(std::nullopt);
  if (!Mode)
    return false;
  W.emit(Heddle::CBAR, {*Mode, IsAligned});
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
  if (I.getIntrinsicID() == Intrinsic::trap)
    return W.emit(Heddle::TRAP, {}), true;
  if (I.getIntrinsicID() == Intrinsic::debugtrap)
    return W.emit(Heddle::BPT, {}), true;
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm."))
    return false;
  if (Name.consume_front("barrier.cta."))
    return selectBarrier(I, Name);
  if (Name.consume_front("shfl.sync."))
    return selectShuffle(I, Name);
  if (Name.consume_front("vote."))
    return selectVote(I, Name);
  if (Name.consume_front("match."))
    return selectMatch(I, Name);
  if (Name.consume_front("redux.sync."))
    return selectReduction(I, Name);
  if (Name.consume_front("barrier.cluster."))
    return selectClusterBarrier(Name);
  return selectOtherIntrinsic(I);
}

/// Those that are not of a family.
bool Selector::selectOtherIntrinsic(const CallInst &I) {
  switch (I.getIntrinsicID()) {
  case Intrinsic::nvvm_bar_warp_sync:
    converge(I.getArgOperand(0), true);
    return true;
  case Intrinsic::nvvm_elect_sync:
    return selectElect(I), true;
  case Intrinsic::nvvm_activemask: {
    constexpr unsigned True = 7;
    W.emit(Heddle::VOTE_i,
           {define(I), True, isa::VoteMode::Ballot, True, 0, -1});
    return true;
  }
  case Intrinsic::nvvm_membar_cta:
  case Intrinsic::nvvm_membar_gl:
  case Intrinsic::nvvm_membar_sys:
  case Intrinsic::nvvm_fence_sc_cluster: {
    unsigned ID = I.getIntrinsicID();
    W.emit(Heddle::MEMBAR,
           {isa::FenceKind::SequentiallyConsistent,
            ID == Intrinsic::nvvm_membar_cta   ? MemScope::CTA
            : ID == Intrinsic::nvvm_membar_gl  ? MemScope::GPU
            : ID == Intrinsic::nvvm_membar_sys ? MemScope::System
                                               : MemScope::Cluster});
    return true;
  }
  case Intrinsic::nvvm_exit:
    W.emit(Heddle::EXIT, {});
    return true;
  case Intrinsic::nvvm_nanosleep: {
    unsigned R = use(I.getArgOperand(0));
    W.emit(Heddle::NANOSLEEP_r, {R});
    return true;
  }
  case Intrinsic::nvvm_pm_event_mask:
    W.emit(Heddle::PMTRIG, {int64_t(bitsOf(I.getArgOperand(0)).value_or(0))});
    return true;
  case Intrinsic::nvvm_griddepcontrol_launch_dependents:
  case Intrinsic::nvvm_griddepcontrol_wait:
    W.emit(Heddle::GRIDDEP,
           {I.getIntrinsicID() == Intrinsic::nvvm_griddepcontrol_wait});
    return true;
  default:
    return false;
  }
}

} // namespace heddle::singlepass
