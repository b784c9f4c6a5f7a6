//===- Machine.cpp - Warps, CTAs and clusters -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads do together, and their time slices.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

/// Instructions in a thread's time slice.
static constexpr uint64_t SliceLength = 512;

uint64_t LaunchState::random(uint64_t Bound) {
  return Options.ScheduleSeed == 0 ? 0 : Schedule.below(Bound);
}

//===----------------------------------------------------------------------===//
// Warps
//===----------------------------------------------------------------------===//

uint32_t Warp::live() const {
  uint32_t Live = 0;
  for (unsigned N = 0; N != WarpSize; ++N)
    if (Lanes[N] && Lanes[N]->Status != Thread::State::Done)
      Live |= 1u << N;
  return Live;
}

/// Whether two lanes wait at the same operation, which may be different
/// instructions: PTX asks for the same qualifiers and the same mask.
static bool areTogether(const Thread &A, const Thread &B) {
  return A.Status == Thread::State::InWarp &&
         B.Status == Thread::State::InWarp && A.Mask == B.Mask &&
         A.current().Together == B.current().Together &&
         A.current().Mods == B.current().Mods;
}

void Warp::tryTogether(Thread &Newcomer) {
  uint32_t Needed = Newcomer.Mask & live();
  for (unsigned N = 0; N != WarpSize; ++N)
    if (Needed >> N & 1 && !areTogether(*Lanes[N], Newcomer))
      return;
  Newcomer.current().Together(*this, Needed);
  for (unsigned N = 0; N != WarpSize; ++N)
    if (Needed >> N & 1)
      Lanes[N]->resume();
}

void Warp::laneEnded() {
  for (Thread *T : Lanes)
    if (T && T->Status == Thread::State::InWarp)
      tryTogether(*T);
}

//===----------------------------------------------------------------------===//
// CTAs
//===----------------------------------------------------------------------===//

CTA::CTA(LaunchState &Launch, Cluster &Group, rt::Dim3 Index, uint32_t Rank)
    : Launch(Launch), Group(Group), Index(Index), Rank(Rank),
      Shared(Launch.SharedBytes) {
  poison(Shared);
  uint64_t Count = Launch.Config.Block.count();
  for (uint64_t N = 0; N != Count; ++N) {
    if (N % WarpSize == 0)
      Warps.push_back(std::make_unique<Warp>(*this, N / WarpSize));
    Threads.push_back(std::make_unique<Thread>(*this, *Warps.back(), N));
    Warps.back()->Lanes[N % WarpSize] = Threads.back().get();
  }
  LiveThreads = Count;
  Group.LiveThreads += Count;
}

static BarrierMode modeOf(const Thread &T) {
  return T.current().Mods.mode<BarrierMode>();
}

Outcome CTA::atBarrier(Thread &T, const Instruction &I) {
  auto Id = uint32_t(T.operand(I, 0));
  if (Id >= NumBarriers)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "there is no barrier " + Twine(Id));
  uint64_t Count = T.hasOperand(I, 1) ? uint64_t(T.operand(I, 1)) : 0;
  if (Count % WarpSize != 0)
    return T.fault(rt::FaultKind::IllegalInstruction,
                   "a barrier of " + Twine(Count) +
                       " threads, which is no multiple of the warp's size");
  Barrier &B = Barriers[Id];
  B.Expected = Count;
  T.Status = Thread::State::AtBarrier;
  T.Awaited = Id;
  T.Arrived = false;
  B.Waiting.push_back(&T);
  update(Id);
  return Outcome::Waiting;
}

/// The threads that have come to a barrier and whose warp has not arrived.
static uint32_t newcomers(const Warp &W, const Barrier &B) {
  uint32_t Lanes = 0;
  for (const Thread *T : B.Waiting)
    if (&T->W == &W && !T->Arrived)
      Lanes |= 1u << T->Lane;
  return Lanes;
}

/// The result of .red.
static Bits reduction(const Barrier &B, BarrierMode Mode) {
  switch (Mode) {
  case BarrierMode::Red_popc:
    return B.True;
  case BarrierMode::Red_and:
    return B.False == 0;
  default:
    return B.True != 0;
  }
}

/// A warp arrives when all its threads that have not ended have come; the
/// barrier completes when enough warps have arrived.
void CTA::update(unsigned Id) {
  Barrier &B = Barriers[Id];
  uint64_t Ended = 0;
  for (const std::unique_ptr<Warp> &W : Warps) {
    uint32_t Live = W->live(), Come = newcomers(*W, B);
    Ended += Live == 0;
    if (Come == 0 || Come != Live)
      continue;
    ++B.Arrivals;
    for (Thread *T : B.Waiting)
      if (&T->W == W.get() && !T->Arrived) {
        T->Arrived = true;
        const Instruction &I = T->current();
        if (T->hasOperand(I, 2))
          ++(T->operand(I, 2) & 1 ? B.True : B.False);
      }
  }
  // A thread that only announces its arrival goes on.
  erase_if(B.Waiting, [](Thread *T) {
    if (!T->Arrived || modeOf(*T) != BarrierMode::Arrive)
      return false;
    T->resume();
    return true;
  });
  bool IsComplete = B.Expected ? B.Arrivals * WarpSize >= B.Expected
                               : B.Arrivals + Ended >= Warps.size();
  if (!IsComplete || B.Arrivals == 0)
    return;
  // Whose warp is still on its way comes to the next phase.
  Barrier Next;
  Next.Expected = B.Expected;
  for (Thread *T : B.Waiting) {
    if (!T->Arrived) {
      Next.Waiting.push_back(T);
      continue;
    }
    const Instruction &I = T->current();
    T->setResult(I, 0, reduction(B, modeOf(*T)));
    T->resume();
  }
  B = std::move(Next);
}

void CTA::threadEnded(Thread &T) {
  --LiveThreads;
  --Group.LiveThreads;
  T.W.laneEnded();
  for (unsigned Id = 0; Id != NumBarriers; ++Id)
    if (!Barriers[Id].Waiting.empty())
      update(Id);
  Group.threadEnded(T);
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

Cluster::Cluster(LaunchState &Launch, uint64_t Number) : Launch(Launch) {
  const rt::Dim3 &G = Launch.Config.Grid, &C = Launch.Cluster;
  uint32_t AcrossX = G.X / C.X, AcrossY = G.Y / C.Y;
  Index = {uint32_t(Number % AcrossX), uint32_t(Number / AcrossX % AcrossY),
           uint32_t(Number / AcrossX / AcrossY)};
  uint32_t Rank = 0;
  for (uint32_t Z = 0; Z != C.Z; ++Z)
    for (uint32_t Y = 0; Y != C.Y; ++Y)
      for (uint32_t X = 0; X != C.X; ++X)
        CTAs.push_back(std::make_unique<CTA>(
            Launch, *this,
            rt::Dim3{Index.X * C.X + X, Index.Y * C.Y + Y, Index.Z * C.Z + Z},
            Rank++));
}

Cluster::Progress Cluster::run(uint64_t Count) {
  for (uint64_t Ran = 0; Ran < Count;) {
    uint64_t Before = Ran;
    bool AnyReady = false;
    for (std::unique_ptr<CTA> &C : CTAs) {
      // With a seed the first thread and the lengths of slices are random.
      uint64_t First = Launch.random(C->Threads.size());
      for (size_t N = 0; N != C->Threads.size(); ++N) {
        Thread &T = *C->Threads[(First + N) % C->Threads.size()];
        if (T.Status != Thread::State::Ready)
          continue;
        AnyReady = true;
        uint64_t Slice = SliceLength;
        if (Launch.Options.ScheduleSeed)
          Slice = 1 + Launch.random(Launch.random(4) ? 8 : SliceLength);
        uint64_t Steps = T.run(Slice);
        Ran += Steps;
        Launch.Instructions += Steps;
        if (!Launch.Fault &&
            Launch.Instructions > Launch.Config.MaxThreadInstructions)
          T.fault(rt::FaultKind::Timeout, "the instruction budget is spent");
        if (Launch.Fault)
          return Progress::Faulted;
      }
    }
    if (LiveThreads == 0)
      return Progress::Done;
    if (!AnyReady || Ran == Before) {
      reportDeadlock();
      return Progress::Faulted;
    }
  }
  return Progress::Running;
}

Outcome Cluster::arrive(Thread &T) {
  ++T.ClusterArrivals;
  ++Arrivals;
  updateBarrier();
  return Outcome::Next;
}

Outcome Cluster::wait(Thread &T) {
  if (T.ClusterArrivals <= Completions)
    return Outcome::Next;
  T.Status = Thread::State::InCluster;
  return Outcome::Waiting;
}

void Cluster::threadEnded(Thread &T) {
  if (T.ClusterArrivals > Completions)
    --Arrivals;
  updateBarrier();
}

/// Completes the phase when every thread that has not ended has arrived.
void Cluster::updateBarrier() {
  if (Arrivals == 0 || Arrivals != LiveThreads)
    return;
  Arrivals = 0;
  ++Completions;
  for (std::unique_ptr<CTA> &C : CTAs)
    for (std::unique_ptr<Thread> &T : C->Threads)
      if (T->Status == Thread::State::InCluster)
        T->resume();
}

static std::string describeWait(const Thread &T) {
  std::string Text = "waits at " + placeOf(T.current().Op) + " (" +
                     T.current().Op->getName().getStringRef().str();
  if (T.Status == Thread::State::InWarp)
    Text += ", lanes 0x" + utohexstr(T.Mask);
  if (T.Status == Thread::State::AtBarrier)
    Text += ", barrier " + std::to_string(T.Awaited);
  return Text + ")";
}

void Cluster::reportDeadlock() {
  for (std::unique_ptr<CTA> &C : CTAs)
    for (std::unique_ptr<Thread> &T : C->Threads)
      if (T->Status != Thread::State::Done) {
        T->fault(rt::FaultKind::Deadlock, "the thread " + describeWait(*T) +
                                              " for threads that do not come");
        return;
      }
}

} // namespace heddle::interp
