//===- TranslatedWarp.cpp - Warps that run host code ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator's side of translated code: it chooses the groups, takes over
// where the code has no entry, and carries out what the code calls.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "TimeSlices.h"
#include "Warp.h"

#include <bit>
#include <cassert>
#include <cstddef>

// Classes of the project, of which every compiler knows the layout.
#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace heddle::emu {

static void diverge(Warp &W, uint32_t Exec, uint32_t Target) {
  W.branch(Exec, Target);
}

static bool execute(Warp &W, uint32_t First, uint32_t Last, uint32_t Counted) {
  return W.executeCounted(First, Last, Counted);
}

static bool findBlock(Warp &W, uint64_t Address, uint32_t Number) {
  const Allocation *Block = W.Owner->findBlock(Address);
  if (Block)
    W.Owner->AccessBlocks[Number] = Block;
  return Block != nullptr;
}

static constexpr EmulatorFunctions Functions = {diverge, execute, findBlock};

void Warp::runTranslated() {
  const TranslatedCode &Code = *Owner->Translated;
  const DecodedInst *Insts = Launch->Code.Image.Insts.data();
  Stop = false;
  do {
    bool MayRun =
        !IsExact || (SliceEnd - Issued == FirstSlice && Code.hasTurn(Next));
    int32_t Entry = MayRun ? Code.entryOf(Next) : TranslatedCode::NoEntry;
    if (Entry != TranslatedCode::NoEntry)
      Code.Run(this, Insts, &Functions, Entry);
    else
      issue<false>();
    if (Stop)
      return;
  } while (mayGoOn());
  writeBack(Group, Next);
}

Warp::Status Warp::goOn() {
  if (!Stop) {
    if (mayGoOn())
      runTranslated();
    else
      writeBack(Group, Next);
  }
  return runOn();
}

/// Begins the warps from \p First on, each of which runs until its first time
/// slice is over or it exits, as run would let them. Returns the number of the
/// last one that began.
size_t CTA::beginWarps(size_t First) {
  size_t End = NumWholeWarps;
  Warp &W = *Warps[First];
  W.begin(StateAtFirst);
  WarpsToBegin = End - First - 1;
  const LoadedCode &Code = Launch.Code;
  Translated->Run(&W, Code.Image.Insts.data(), &Functions,
                  Translated->entryOf(Launch.Entry));
  size_t Last = End - 1 - WarpsToBegin;
  WarpsToBegin = 0;
  for (size_t N = First; N < Last; ++N)
    States[N] = Warp::Status::Done;
  States[Last] = Warps[Last]->goOn();
  return Last;
}

void CTA::countStretches() {
  for (size_t N = 0; N < StretchCounts.size(); ++N) {
    ClassCount &Ran = StretchCounts[N];
    if (!Ran.Warp)
      continue;
    for (const CountedStretch::Class &C : Translated->Stretches[N].Classes) {
      Counts[C.Number].Warp += C.Warp * Ran.Warp;
      Counts[C.Number].Thread += C.Group * Ran.Thread;
    }
    Ran = {};
  }
}

bool Warp::executeCounted(uint32_t First, uint32_t Last, uint32_t Counted) {
  const DecodedInst *Insts = Launch->Code.Image.Insts.data();
  for (uint32_t PC = First; PC <= Last; ++PC) {
    const DecodedInst &I = Insts[PC];
    Current = PC;
    Next = PC + 1;
    LaneMask Exec = Group;
    if (!I.isUnguarded()) {
      Exec = execOf(I);
      Owner->Counts[static_cast<size_t>(I.Info->Latency)].Thread +=
          std::popcount(Exec);
    }
    if (Exec)
      I.Execute(*this, I, Exec);
    if (Stop) {
      uncount(PC + 1, Counted);
      return false;
    }
  }
  return true;
}

void Warp::uncount(uint32_t First, uint32_t Last) {
  for (uint32_t PC = First; PC <= Last; ++PC) {
    const DecodedInst &I = Launch->Code.Image.Insts[PC];
    --Issued;
    Time -= I.Stall;
    ClassCount &Count = Owner->Counts[static_cast<size_t>(I.Info->Latency)];
    --Count.Warp;
    // Threads behind guards are counted where they run.
    if (I.isUnguarded())
      Count.Thread -= std::popcount(Group);
  }
}

WarpLayout Warp::layout() {
  auto Of = [](const auto &Object, const auto &Part) {
    return static_cast<uint32_t>(reinterpret_cast<const char *>(&Part) -
                                 reinterpret_cast<const char *>(&Object));
  };
  WarpLayout L;
  auto W = std::make_unique<Warp>();
  L.Registers = Of(*W, W->R);
  L.Predicates = Of(*W, W->P);
  L.Uniforms = Of(*W, W->UR);
  L.UniformPredicates = Of(*W, W->UP);
  L.Group = Of(*W, W->Group);
  L.Current = Of(*W, W->Current);
  L.Next = Of(*W, W->Next);
  L.Stop = Of(*W, W->Stop);
  L.Issued = Of(*W, W->Issued);
  assert(Of(*W, W->Time) == L.Issued + sizeof(Issued));
  L.SliceEnd = Of(*W, W->SliceEnd);
  L.IsExact = Of(*W, W->IsExact);
  L.Owner = Of(*W, W->Owner);
  L.Index = Of(*W, W->Index);
  L.Apart = Of(*W, W->Apart);
  L.Convergence = Of(*W, W->B);
  L.Exist = Of(*W, W->Exist);
  L.Exited = Of(*W, W->Exited);
  L.State = Of(*W, static_cast<WarpState &>(*W));
  L.StateBytes = sizeof(WarpState);
  L.Following = Of(*W, W->Following);
  L.Counts = offsetof(CTA, Counts);
  L.StretchCounts = offsetof(CTA, StretchHost);
  L.SharedHost = offsetof(CTA, SharedHost);
  L.SharedSize = offsetof(CTA, SharedSize);
  L.AccessBlocks = offsetof(CTA, AccessBlocks);
  L.Reductions = offsetof(CTA, Reductions);
  L.Shape = offsetof(CTA, Shape);
  L.Threads = offsetof(CTA, ThreadRows);
  L.Parameters = offsetof(CTA, Parameters);
  L.ParameterBytes = offsetof(CTA, ParameterBytes);
  L.StateAtFirst = offsetof(CTA, StateAtFirst);
  L.LiveWarps = offsetof(CTA, LiveWarps);
  L.WarpsToBegin = offsetof(CTA, WarpsToBegin);
  auto Buffer = std::make_unique<ReductionBuffer>();
  L.ReducedBlock = Of(*Buffer, Buffer->block());
  Allocation Block;
  L.BlockBase = Of(Block, Block.Base);
  L.BlockReach = Of(Block, Block.Reach);
  L.BlockHost = Of(Block, Block.Host);
  L.BlockLive = Of(Block, Block.Live);
  return L;
}

WarpLayout warpLayout() { return Warp::layout(); }

} // namespace heddle::emu
