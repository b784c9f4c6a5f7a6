//===- RelaxedMemory.cpp - Weakly ordered memory ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values with positions, views of warps, and how they are handed on.
//
//===----------------------------------------------------------------------===//

#include "RelaxedMemory.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

namespace heddle::emu {

/// Bytes that are looked up together; no value crosses such a border.
static constexpr unsigned LineBytes = 16;
/// Values that a place keeps. Older ones can no longer be read.
static constexpr size_t MaxMessages = 16;
/// Views that stand beside a value.
static constexpr size_t MaxReleases = 8;
/// Between the positions of two values when the later one is stored, so that
/// others fit in between.
static constexpr uint64_t PositionStep = uint64_t(1) << 32;

static uintptr_t lineOf(const uint8_t *Host) {
  return reinterpret_cast<uintptr_t>(Host) / LineBytes;
}
static unsigned offsetOf(const uint8_t *Host) {
  return reinterpret_cast<uintptr_t>(Host) % LineBytes;
}

static UInt128 readHost(const uint8_t *Host, unsigned Bytes) {
  UInt128 Value = 0;
  std::memcpy(&Value, Host, Bytes);
  return Value;
}

/// Whether a warp's operation of that scope includes the other warp.
static bool includes(const MemoryAgent &A, MemScope Scope,
                     const MemoryAgent &B) {
  return A.CTA == B.CTA ||
         (A.Cluster == B.Cluster && Scope >= MemScope::Cluster) ||
         (A.Device == B.Device && Scope >= MemScope::GPU) ||
         Scope >= MemScope::System;
}

static bool areMutual(const MemoryAgent &A, MemScope ScopeA,
                      const MemoryAgent &B, MemScope ScopeB) {
  return includes(A, ScopeA, B) && includes(B, ScopeB, A);
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static bool overlap(unsigned A, unsigned ABytes, unsigned B, unsigned BBytes) {
  return A < B + BBytes && B < A + ABytes;
}

/// The place of exactly these bytes, or null. Places that share only some of
/// the bytes lose their history: such accesses must not race in PTX's model.
MemoryHistory::Place *MemoryHistory::find(const uint8_t *Host, unsigned Bytes) {
  auto It = Lines.find(lineOf(Host));
  if (It == Lines.end())
    return nullptr;
  unsigned Offset = offsetOf(Host);
  for (Place &P : It->second)
    if (P.Offset == Offset && P.Bytes == Bytes)
      return &P;
  llvm::erase_if(It->second, [&](const Place &P) {
    return overlap(P.Offset, P.Bytes, Offset, Bytes);
  });
  return nullptr;
}

MemoryHistory::Place &MemoryHistory::findOrMake(const uint8_t *Host,
                                                unsigned Bytes) {
  if (Place *P = find(Host, Bytes))
    return *P;
  Place P;
  P.Number = NextNumber++;
  P.Offset = offsetOf(Host);
  P.Bytes = Bytes;
  P.Messages.emplace_back().Value = readHost(Host, Bytes);
  Line &L = Lines[lineOf(Host)];
  L.push_back(std::move(P));
  return L.back();
}

/// Calls Visit for the lines that the range touches.
void MemoryHistory::forLines(const uint8_t *Host, uint64_t Bytes,
                             llvm::function_ref<void(Line &)> Visit) {
  if (Bytes == 0)
    return;
  uintptr_t First = lineOf(Host), Last = lineOf(Host + Bytes - 1);
  if (Last - First >= Lines.size()) {
    for (auto &[Key, L] : Lines)
      if (Key >= First && Key <= Last)
        Visit(L);
    return;
  }
  for (uintptr_t Key = First; Key <= Last; ++Key)
    if (auto It = Lines.find(Key); It != Lines.end())
      Visit(It->second);
}

void MemoryHistory::settleLine(Line &L) {
  for (Place &P : L)
    P.Messages.erase(P.Messages.begin(), P.Messages.end() - 1);
}

void MemoryHistory::settle() {
  std::lock_guard Lock(Mutex);
  for (auto &[Key, L] : Lines)
    settleLine(L);
}

size_t MemoryHistory::firstReadable(const MemoryObserver &O, const Place &P) {
  uint64_t Least = O.View[P.Number];
  size_t N = 0;
  while (N + 1 < P.Messages.size() && P.Messages[N].Position < Least)
    ++N;
  return N;
}

/// Whether an access may store behind message number \p After: not between a
/// value and an update of it, if that update's scope and the access' include
/// each other.
bool MemoryHistory::hasRoom(const MemoryObserver &O, const Place &P,
                            size_t After, MemoryAccess A) {
  auto Later = llvm::ArrayRef(P.Messages).drop_front(After + 1);
  if (Later.empty())
    return true;
  uint64_t Before = P.Messages[After].Position;
  auto IsDivided = [&](const Message &M) {
    return M.Replaced && *M.Replaced <= Before &&
           (!A.Strong || !M.Strong ||
            areMutual(M.Agent, M.Scope, O.Agent, A.Scope));
  };
  return Later.front().Position - Before > 1 && llvm::none_of(Later, IsDivided);
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

/// Takes over what stands beside a value that was read.
void MemoryHistory::synchronize(MemoryObserver &O, const Message &M,
                                MemoryAccess A) {
  if (!A.Strong || !M.Strong || !areMutual(M.Agent, M.Scope, O.Agent, A.Scope))
    return;
  for (const Release &R : M.Releases) {
    // The least scope of a fence of ours that the release pairs with.
    for (unsigned S = 0; S < NumScopes; ++S)
      if (R.ForAll || areMutual(R.Agent, R.Scope, O.Agent, MemScope(S))) {
        O.Pending[S].join(*R.View);
        if (A.Acquire && A.Scope >= MemScope(S))
          O.View.join(*R.View);
        break;
      }
  }
}

/// A value with what our fences and, if it is a release, our view put beside.
MemoryHistory::Message
MemoryHistory::makeMessage(MemoryObserver &O, UInt128 Value, MemoryAccess A) {
  Message M;
  M.Value = Value;
  M.Strong = A.Strong;
  M.Scope = A.Scope;
  M.Agent = O.Agent;
  if (!A.Strong)
    return M;
  if (A.Release)
    M.Releases.push_back(
        {std::make_shared<const MemoryView>(O.View), A.Scope, O.Agent});
  // The widest scope of each fence comes last.
  for (unsigned S = 0; S < NumScopes; ++S)
    if (O.Fenced[S] && (S + 1 == NumScopes || O.Fenced[S + 1] != O.Fenced[S]))
      M.Releases.push_back({O.Fenced[S], MemScope(S), O.Agent});
  return M;
}

/// Adds what stood beside the value that an update replaces. Where it gets too
/// much, everybody may have all of it: more order than asked for.
void MemoryHistory::handOn(llvm::ArrayRef<Release> Old,
                           llvm::SmallVectorImpl<Release> &New) {
  New.append(Old.begin(), Old.end());
  if (New.size() <= MaxReleases)
    return;
  auto All = std::make_shared<MemoryView>();
  for (const Release &R : New)
    All->join(*R.View);
  Release Merged = New.front();
  Merged.View = std::move(All);
  Merged.ForAll = true;
  New.assign(1, Merged);
}

/// Puts \p M behind message number \p After.
void MemoryHistory::append(MemoryObserver &O, Place &P, size_t After, Message M,
                           uint8_t *Host) {
  auto Next = P.Messages.begin() + After + 1;
  uint64_t Before = P.Messages[After].Position;
  if (Next == P.Messages.end()) {
    M.Position = Before + PositionStep;
    std::memcpy(Host, &M.Value, P.Bytes);
  } else {
    M.Position = Before + (Next->Position - Before) / 2;
  }
  O.View.raise(P.Number, M.Position);
  P.Messages.insert(Next, std::move(M));
  if (P.Messages.size() > MaxMessages)
    P.Messages.erase(P.Messages.begin());
}

/// What a sequentially consistent fence does: it is ordered with those that
/// include each other.
void MemoryHistory::exchangeViews(MemoryObserver &O, MemScope Scope) {
  llvm::SmallVector<MemoryView *, NumScopes> Levels = {&CTAFences[O.Agent.CTA]};
  if (Scope >= MemScope::Cluster)
    Levels.push_back(&ClusterFences[O.Agent.Cluster]);
  if (Scope >= MemScope::GPU)
    Levels.push_back(&DeviceFences[O.Agent.Device]);
  if (Scope >= MemScope::System)
    Levels.push_back(&SystemFences);
  for (const MemoryView *Fences : Levels)
    O.View.join(*Fences);
  for (MemoryView *Fences : Levels)
    Fences->join(O.View);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

RelaxedMemory::RelaxedMemory(uint64_t Seed, std::shared_ptr<MemoryHistory> Of,
                             unsigned Device, uint64_t NumCTAs)
    : Choices(Seed), History(std::move(Of)), Device(Device) {
  History->settle();
  std::lock_guard Lock(History->Mutex);
  FirstCTA = History->NextCTA;
  History->NextCTA += NumCTAs;
}

void RelaxedMemory::settle(const uint8_t *Host, uint64_t Bytes) {
  std::lock_guard Lock(History->Mutex);
  History->forLines(Host, Bytes, MemoryHistory::settleLine);
}

void RelaxedMemory::forget(const uint8_t *Host, uint64_t Bytes) {
  std::lock_guard Lock(History->Mutex);
  History->forLines(Host, Bytes, [](auto &Line) { Line.clear(); });
}

UInt128 RelaxedMemory::load(MemoryObserver &O, const uint8_t *Host,
                            unsigned Bytes, MemoryAccess A) {
  std::lock_guard Lock(History->Mutex);
  MemoryHistory::Place *P = History->find(Host, Bytes);
  if (!P)
    return readHost(Host, Bytes);
  // Half of the time the last value, so that a loop that waits for it ends.
  size_t Last = P->Messages.size() - 1,
         First = MemoryHistory::firstReadable(O, *P);
  size_t N = Choices.below(2) ? Last : First + Choices.below(Last - First + 1);
  const MemoryHistory::Message &M = P->Messages[N];
  O.View.raise(P->Number, M.Position);
  MemoryHistory::synchronize(O, M, A);
  // The last value may have been changed by other means.
  return N == Last ? readHost(Host, Bytes) : M.Value;
}

void RelaxedMemory::store(MemoryObserver &O, uint8_t *Host, unsigned Bytes,
                          UInt128 Value, MemoryAccess A) {
  std::lock_guard Lock(History->Mutex);
  MemoryHistory::Place &P = History->findOrMake(Host, Bytes);
  // Stores may become visible late: behind any value that may still be read
  // and has room behind it.
  size_t After = P.Messages.size() - 1;
  if (Choices.below(4) == 0) {
    size_t First = MemoryHistory::firstReadable(O, P);
    size_t N = First + Choices.below(After - First + 1);
    if (MemoryHistory::hasRoom(O, P, N, A))
      After = N;
  }
  MemoryHistory::append(O, P, After, MemoryHistory::makeMessage(O, Value, A),
                        Host);
}

UInt128 RelaxedMemory::update(
    MemoryObserver &O, uint8_t *Host, unsigned Bytes, MemoryAccess A,
    llvm::function_ref<std::optional<UInt128>(UInt128)> Compute) {
  std::lock_guard Lock(History->Mutex);
  MemoryHistory::Place &P = History->findOrMake(Host, Bytes);
  // Of the updates whose scopes include each other only one may follow a value
  // at once; behind the last there is none.
  size_t N = P.Messages.size() - 1;
  if (Choices.below(2) == 0) {
    size_t First = MemoryHistory::firstReadable(O, P);
    size_t Try = First + Choices.below(N - First + 1);
    if (MemoryHistory::hasRoom(O, P, Try, A))
      N = Try;
  }
  const MemoryHistory::Message &Old = P.Messages[N];
  UInt128 OldValue =
      N + 1 == P.Messages.size() ? readHost(Host, Bytes) : Old.Value;
  O.View.raise(P.Number, Old.Position);
  MemoryHistory::synchronize(O, Old, A);
  std::optional<UInt128> New = Compute(OldValue);
  if (!New)
    return OldValue;
  MemoryHistory::Message M = MemoryHistory::makeMessage(O, *New, A);
  M.Replaced = Old.Position;
  // An update hands on what stood beside the value.
  if (A.Strong && Old.Strong &&
      areMutual(Old.Agent, Old.Scope, O.Agent, A.Scope))
    MemoryHistory::handOn(Old.Releases, M.Releases);
  MemoryHistory::append(O, P, N, std::move(M), Host);
  return OldValue;
}

void RelaxedMemory::fence(MemoryObserver &O, MemScope Scope,
                          bool SequentiallyConsistent) {
  std::lock_guard Lock(History->Mutex);
  for (unsigned S = 0; S <= unsigned(Scope); ++S) {
    O.View.join(O.Pending[S]);
    O.Pending[S].clear();
  }
  if (SequentiallyConsistent)
    History->exchangeViews(O, Scope);
  auto View = std::make_shared<const MemoryView>(O.View);
  for (unsigned S = 0; S <= unsigned(Scope); ++S)
    O.Fenced[S] = View;
}

} // namespace heddle::emu
