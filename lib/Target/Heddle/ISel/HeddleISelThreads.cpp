//===- HeddleISelThreads.cpp - Selecting joint operations -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Barriers, and exchanges among the threads of a warp.
//
//===----------------------------------------------------------------------===//

#include "ISel/HeddleISelDAGToDAG.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
namespace isa = heddle::isa;

using isa::BarMode;
using isa::MatchMode;
using isa::MemScope;
using isa::ReduxOp;
using isa::ShflMode;
using isa::VoteMode;

// The lanes of Mask meet before they exchange data. The lanes of bar.warp.sync
// may be at different instructions.
SDValue HeddleDAGToDAGISel::convergeLanes(SDValue Mask, SDValue Chain,
                                          const SDLoc &DL, bool AnyPlace) {
  return SDValue(inst(Heddle::WARPSYNC_r, DL, CurDAG->getVTList(MVT::Other),
                      {Mask, imm(AnyPlace, DL)}, Chain),
                 0);
}

bool HeddleDAGToDAGISel::selectBarrier(SDNode *N, unsigned ID) {
  struct Row {
    unsigned ID;
    BarMode Mode;
    bool Count, Aligned;
  };
#define BARRIERS(NAME, MODE)                                                   \
  {Intrinsic::nvvm_barrier_cta_##NAME##_all, MODE, false, false},              \
      {Intrinsic::nvvm_barrier_cta_##NAME##_aligned_all, MODE, false, true},   \
      {Intrinsic::nvvm_barrier_cta_##NAME##_count, MODE, true, false}, {       \
    Intrinsic::nvvm_barrier_cta_##NAME##_aligned_count, MODE, true, true       \
  }
  static constexpr Row Rows[] = {
      BARRIERS(sync, BarMode::Sync),
      BARRIERS(red_popc, BarMode::Count),
      BARRIERS(red_and, BarMode::And),
      BARRIERS(red_or, BarMode::Or),
      {Intrinsic::nvvm_barrier_cta_arrive_count, BarMode::Arrive, true, false},
      {Intrinsic::nvvm_barrier_cta_arrive_aligned_count, BarMode::Arrive, true,
       true}};
#undef BARRIERS
  const Row *R = find_if(Rows, [&](const Row &X) { return X.ID == ID; });
  if (R == std::end(Rows))
    return false;
  SDLoc DL(N);
  unsigned Next = 2;
  SDValue Barrier = N->getOperand(Next++);
  SDValue Count = R->Count ? N->getOperand(Next++) : reg(Heddle::RZ, MVT::i32);
  SDValue Pred = reg(Heddle::PT, MVT::i1), Negated = imm(0, DL);
  bool Reduces = R->Mode >= BarMode::Count;
  if (Reduces)
    selectPredicate(N->getOperand(Next), Pred, Negated);
  SDNode *I = inst(
      Heddle::BAR_r, DL, CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other),
      {imm(R->Mode, DL), imm(R->Aligned, DL), Barrier, Count, Pred, Negated},
      N->getOperand(0));
  if (Reduces)
    replaceAll(N,
               {SDValue(I, R->Mode == BarMode::Count ? 0 : 1), SDValue(I, 2)});
  else
    replaceAll(N, {SDValue(I, 2)});
  return true;
}

bool HeddleDAGToDAGISel::selectClusterBarrier(SDNode *N, unsigned ID) {
  using isa::ClusterBarMode;
  ClusterBarMode Mode;
  bool Aligned = false;
  switch (ID) {
  case Intrinsic::nvvm_barrier_cluster_arrive_aligned:
    Aligned = true;
    [[fallthrough]];
  case Intrinsic::nvvm_barrier_cluster_arrive:
    Mode = ClusterBarMode::Arrive;
    break;
  case Intrinsic::nvvm_barrier_cluster_arrive_relaxed_aligned:
    Aligned = true;
    [[fallthrough]];
  case Intrinsic::nvvm_barrier_cluster_arrive_relaxed:
    Mode = ClusterBarMode::ArriveRelaxed;
    break;
  case Intrinsic::nvvm_barrier_cluster_wait_aligned:
    Aligned = true;
    [[fallthrough]];
  case Intrinsic::nvvm_barrier_cluster_wait:
    Mode = ClusterBarMode::Wait;
    break;
  default:
    return false;
  }
  SDLoc DL(N);
  ReplaceNode(N, inst(Heddle::CBAR, DL, CurDAG->getVTList(MVT::Other),
                      {imm(Mode, DL), imm(Aligned, DL)}, N->getOperand(0)));
  return true;
}

bool HeddleDAGToDAGISel::selectShuffle(SDNode *N, unsigned ID) {
  struct Row {
    unsigned ID;
    ShflMode Mode;
    bool Pred, Synced;
  };
#define SHUFFLES(NAME, MODE)                                                   \
  {Intrinsic::nvvm_shfl_sync_##NAME##_i32, MODE, false, true},                 \
      {Intrinsic::nvvm_shfl_sync_##NAME##_f32, MODE, false, true},             \
      {Intrinsic::nvvm_shfl_sync_##NAME##_i32p, MODE, true, true},             \
      {Intrinsic::nvvm_shfl_sync_##NAME##_f32p, MODE, true, true},             \
      {Intrinsic::nvvm_shfl_##NAME##_i32, MODE, false, false},                 \
      {Intrinsic::nvvm_shfl_##NAME##_f32, MODE, false, false},                 \
      {Intrinsic::nvvm_shfl_##NAME##_i32p, MODE, true, false}, {               \
    Intrinsic::nvvm_shfl_##NAME##_f32p, MODE, true, false                      \
  }
  static constexpr Row Rows[] = {
      SHUFFLES(idx, ShflMode::Index), SHUFFLES(up, ShflMode::Up),
      SHUFFLES(down, ShflMode::Down), SHUFFLES(bfly, ShflMode::Butterfly)};
#undef SHUFFLES
  const Row *R = find_if(Rows, [&](const Row &X) { return X.ID == ID; });
  if (R == std::end(Rows))
    return false;
  SDLoc DL(N);
  unsigned First = 2;
  SDValue Chain = N->getOperand(0);
  if (R->Synced)
    Chain = convergeLanes(N->getOperand(First++), Chain, DL);
  SDValue A = N->getOperand(First), Lane = N->getOperand(First + 1),
          Segment = N->getOperand(First + 2);
  SDVTList VTs = CurDAG->getVTList(N->getValueType(0), MVT::i1, MVT::Other);
  const auto *ConstLane = dyn_cast<ConstantSDNode>(Lane);
  const auto *ConstSegment = dyn_cast<ConstantSDNode>(Segment);
  SDNode *I;
  if (!ConstSegment)
    I = inst(Heddle::SHFLV, DL, VTs, {A, Lane, Segment, imm(R->Mode, DL)},
             Chain);
  else {
    // Clamp in bits 4..0, segment mask in bits 12..8.
    SDValue Seg = imm(ConstSegment->getZExtValue() & 0x1F1F, DL);
    // Only the low five bits of the lane count.
    I = ConstLane ? inst(Heddle::SHFL_i, DL, VTs,
                         {A, imm(ConstLane->getZExtValue() & 31, DL), Seg,
                          imm(R->Mode, DL)},
                         Chain)
                  : inst(Heddle::SHFL_r, DL, VTs,
                         {A, Lane, Seg, imm(R->Mode, DL)}, Chain);
  }
  if (R->Pred)
    replaceAll(N, {SDValue(I, 0), SDValue(I, 1), SDValue(I, 2)});
  else
    replaceAll(N, {SDValue(I, 0), SDValue(I, 2)});
  return true;
}

bool HeddleDAGToDAGISel::selectActiveMask(SDNode *N) {
  SDLoc DL(N);
  SDNode *I = inst(Heddle::VOTE_HERE, DL,
                   CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other),
                   {imm(VoteMode::Ballot, DL), reg(Heddle::PT, MVT::i1),
                    imm(0, DL), imm(-1, DL)},
                   N->getOperand(0));
  replaceAll(N, {SDValue(I, 0), SDValue(I, 2)});
  return true;
}

bool HeddleDAGToDAGISel::selectVote(SDNode *N, unsigned ID) {
  SDLoc DL(N);
  SDValue Chain = N->getOperand(0);
  SDValue Mask = constant32(~0u, DL), Pred = reg(Heddle::PT, MVT::i1),
          Negated = imm(0, DL);
  VoteMode Mode;
  bool Synced = true;
  switch (ID) {
  case Intrinsic::nvvm_activemask:
    return selectActiveMask(N);
  case Intrinsic::nvvm_vote_all_sync:
  case Intrinsic::nvvm_vote_all:
    Mode = VoteMode::All;
    Synced = ID == Intrinsic::nvvm_vote_all_sync;
    break;
  case Intrinsic::nvvm_vote_any_sync:
  case Intrinsic::nvvm_vote_any:
    Mode = VoteMode::Any;
    Synced = ID == Intrinsic::nvvm_vote_any_sync;
    break;
  case Intrinsic::nvvm_vote_uni_sync:
  case Intrinsic::nvvm_vote_uni:
    Mode = VoteMode::Uniform;
    Synced = ID == Intrinsic::nvvm_vote_uni_sync;
    break;
  case Intrinsic::nvvm_vote_ballot_sync:
  case Intrinsic::nvvm_vote_ballot:
    Mode = VoteMode::Ballot;
    Synced = ID == Intrinsic::nvvm_vote_ballot_sync;
    break;
  default:
    return false;
  }
  if (Synced) {
    Mask = N->getOperand(2);
    Chain = convergeLanes(Mask, Chain, DL);
  }
  selectPredicate(N->getOperand(Synced ? 3 : 2), Pred, Negated);
  SDNode *I =
      inst(Heddle::VOTE_r, DL, CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other),
           {imm(Mode, DL), Pred, Negated, Mask}, Chain);
  replaceAll(N, {SDValue(I, Mode == VoteMode::Ballot ? 0 : 1), SDValue(I, 2)});
  return true;
}

bool HeddleDAGToDAGISel::selectMatch(SDNode *N, unsigned ID) {
  SDLoc DL(N);
  SDVTList VTs = CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other);
  auto Match = [&](unsigned Opc, MatchMode Mode) {
    SDValue Mask = N->getOperand(2);
    SDValue Chain = convergeLanes(Mask, N->getOperand(0), DL);
    SDNode *I =
        inst(Opc, DL, VTs, {imm(Mode, DL), N->getOperand(3), Mask}, Chain);
    if (Mode == MatchMode::All)
      replaceAll(N, {SDValue(I, 0), SDValue(I, 1), SDValue(I, 2)});
    else
      replaceAll(N, {SDValue(I, 0), SDValue(I, 2)});
    return true;
  };
  switch (ID) {
  case Intrinsic::nvvm_match_any_sync_i32:
    return Match(Heddle::MATCH_r, MatchMode::Any);
  case Intrinsic::nvvm_match_any_sync_i64:
    return Match(Heddle::MATCH64_r, MatchMode::Any);
  case Intrinsic::nvvm_match_all_sync_i32p:
    return Match(Heddle::MATCH_r, MatchMode::All);
  case Intrinsic::nvvm_match_all_sync_i64p:
    return Match(Heddle::MATCH64_r, MatchMode::All);
  default:
    return false;
  }
}

bool HeddleDAGToDAGISel::selectFloatReduction(SDNode *N, unsigned ID) {
  SDLoc DL(N);
  auto Redux = [&](bool Max, bool Abs, bool NaN) {
    constexpr unsigned Absolute = 2; // NegAbs
    SDValue Mask = N->getOperand(3);
    SDValue Chain = convergeLanes(Mask, N->getOperand(0), DL);
    ReplaceNode(N, inst(Heddle::REDUXF_r, DL, N->getVTList(),
                        {imm(Max, DL), imm(NaN, DL), N->getOperand(2),
                         imm(Abs ? Absolute : 0, DL), Mask},
                        Chain));
    return true;
  };
  switch (ID) {
  case Intrinsic::nvvm_redux_sync_fmin:
    return Redux(false, false, false);
  case Intrinsic::nvvm_redux_sync_fmin_NaN:
    return Redux(false, false, true);
  case Intrinsic::nvvm_redux_sync_fmin_abs:
    return Redux(false, true, false);
  case Intrinsic::nvvm_redux_sync_fmin_abs_NaN:
    return Redux(false, true, true);
  case Intrinsic::nvvm_redux_sync_fmax:
    return Redux(true, false, false);
  case Intrinsic::nvvm_redux_sync_fmax_NaN:
    return Redux(true, false, true);
  case Intrinsic::nvvm_redux_sync_fmax_abs:
    return Redux(true, true, false);
  case Intrinsic::nvvm_redux_sync_fmax_abs_NaN:
    return Redux(true, true, true);
  default:
    return false;
  }
}

bool HeddleDAGToDAGISel::selectReduction(SDNode *N, unsigned ID) {
  SDLoc DL(N);
  auto Redux = [&](ReduxOp Op, bool Signed) {
    SDValue Mask = N->getOperand(3);
    SDValue Chain = convergeLanes(Mask, N->getOperand(0), DL);
    ReplaceNode(N, inst(Heddle::REDUX_r, DL, N->getVTList(),
                        {imm(Op, DL), imm(Signed, DL), N->getOperand(2), Mask},
                        Chain));
    return true;
  };
  switch (ID) {
  case Intrinsic::nvvm_redux_sync_add:
    return Redux(ReduxOp::Add, false);
  case Intrinsic::nvvm_redux_sync_min:
    return Redux(ReduxOp::Min, true);
  case Intrinsic::nvvm_redux_sync_umin:
    return Redux(ReduxOp::Min, false);
  case Intrinsic::nvvm_redux_sync_max:
    return Redux(ReduxOp::Max, true);
  case Intrinsic::nvvm_redux_sync_umax:
    return Redux(ReduxOp::Max, false);
  case Intrinsic::nvvm_redux_sync_and:
    return Redux(ReduxOp::And, false);
  case Intrinsic::nvvm_redux_sync_or:
    return Redux(ReduxOp::Or, false);
  case Intrinsic::nvvm_redux_sync_xor:
    return Redux(ReduxOp::Xor, false);
  default:
    return false;
  }
}

// The leader is the lowest lane of the mask that is still there.
bool HeddleDAGToDAGISel::selectElect(SDNode *N) {
  SDLoc DL(N);
  SDValue Mask = N->getOperand(2), PT = reg(Heddle::PT, MVT::i1),
          No = imm(0, DL);
  SDVTList I32 = CurDAG->getVTList(MVT::i32);
  SDValue Chain = convergeLanes(Mask, N->getOperand(0), DL);
  constexpr unsigned LaneID = 12;
  SDNode *Lanes =
      inst(Heddle::VOTE_r, DL, CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other),
           {imm(VoteMode::Ballot, DL), PT, No, Mask}, Chain);
  SDValue Reversed(inst(Heddle::BREV_r, DL, I32, {SDValue(Lanes, 0)}), 0);
  SDValue Leader(inst(Heddle::FLO_r, DL, I32,
                      {Reversed, imm(isa::FloMode::LeadingZeros, DL), No}),
                 0);
  SDValue Lane(inst(Heddle::S2R, DL, I32, {imm(LaneID, DL)}), 0);
  SDValue IsLeader(
      inst(Heddle::ISETP_r, DL, CurDAG->getVTList(MVT::i1),
           {Lane, Leader, imm(isa::CmpI::Equal, DL), No, No, PT, No}),
      0);
  replaceAll(N, {Leader, IsLeader, SDValue(Lanes, 2)});
  return true;
}

bool HeddleDAGToDAGISel::selectIntrinsic(SDNode *N) {
  SDLoc DL(N);
  unsigned ID = N->getConstantOperandVal(1);
  SDVTList Chain = CurDAG->getVTList(MVT::Other);
  switch (ID) {
  case Intrinsic::nvvm_bar_warp_sync:
    ReplaceNode(N, convergeLanes(N->getOperand(2), N->getOperand(0), DL,
                                 /*AnyPlace=*/true)
                       .getNode());
    return true;
  case Intrinsic::nvvm_pm_event_mask:
    ReplaceNode(N,
                inst(Heddle::PMTRIG, DL, Chain,
                     {imm(N->getConstantOperandVal(2), DL)}, N->getOperand(0)));
    return true;
  case Intrinsic::nvvm_griddepcontrol_launch_dependents:
  case Intrinsic::nvvm_griddepcontrol_wait:
    ReplaceNode(N, inst(Heddle::GRIDDEP, DL, Chain,
                        {imm(ID == Intrinsic::nvvm_griddepcontrol_wait, DL)},
                        N->getOperand(0)));
    return true;
  case Intrinsic::nvvm_exit:
    ReplaceNode(N, inst(Heddle::EXIT, DL, Chain, {}, N->getOperand(0)));
    return true;
  case Intrinsic::nvvm_nanosleep:
    ReplaceNode(N, inst(Heddle::NANOSLEEP_r, DL, Chain, {N->getOperand(2)},
                        N->getOperand(0)));
    return true;
  case Intrinsic::nvvm_elect_sync:
    return selectElect(N);
  // fence.sc at the scope; membar.gl is that of the device.
  case Intrinsic::nvvm_membar_cta:
  case Intrinsic::nvvm_membar_gl:
  case Intrinsic::nvvm_membar_sys:
  case Intrinsic::nvvm_fence_sc_cluster: {
    MemScope Scope = ID == Intrinsic::nvvm_membar_cta   ? MemScope::CTA
                     : ID == Intrinsic::nvvm_membar_gl  ? MemScope::GPU
                     : ID == Intrinsic::nvvm_membar_sys ? MemScope::System
                                                        : MemScope::Cluster;
    ReplaceNode(N, inst(Heddle::MEMBAR, DL, Chain, {imm(1, DL), imm(Scope, DL)},
                        N->getOperand(0)));
    return true;
  }
  default:
    return selectBarrier(N, ID) || selectClusterBarrier(N, ID) ||
           selectShuffle(N, ID) || selectVote(N, ID) ||
           selectReduction(N, ID) || selectFloatReduction(N, ID) ||
           selectMatch(N, ID) ||
           unsupported(N, "the intrinsic " + Intrinsic::getBaseName(ID));
  }
}
