//===- Routes.cpp - Rings and trees of ranks --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part of a buffer is that of a rank. In a ring it begins behind its rank and
// comes to it last, as a sum; or begins at its rank, and comes to all others.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Routes.h"
#include "llvm/ADT/STLExtras.h"

#include <cassert>

using namespace llvm;

namespace heddle::cuda::collectives {

StringRef nameOf(CollectiveKind Kind) {
  static constexpr StringLiteral Names[] = {
      "AllReduce", "Reduce",   "ReduceScatter", "AllGather",
      "Broadcast", "AllToAll", "Gather",        "Scatter"};
  return Names[static_cast<unsigned>(Kind)];
}

namespace {

/// A rank of a ring makes its route.
class RingBuilder {
public:
  RingBuilder(ArrayRef<unsigned> Ring, unsigned Rank)
      : Ring(Ring), Place(find(Ring, Rank) - Ring.begin()) {}

  /// Which ranks are so many places before this one.
  unsigned before(unsigned Places) const {
    return Ring[(Place + Ring.size() - Places % Ring.size()) % Ring.size()];
  }
  /// How many places this rank is behind another one.
  unsigned behind(unsigned Rank) const {
    unsigned Other = find(Ring, Rank) - Ring.begin();
    return (Place + Ring.size() - Other) % Ring.size();
  }
  unsigned size() const { return Ring.size(); }

  void add(unsigned Part, uint8_t Flags, bool Takes, bool Gives) {
    assert(R.NumSteps < MaxSteps && "a step for each rank, twice at most");
    Step &S = R.Steps[R.NumSteps++];
    S.Flags = Flags;
    S.Part = static_cast<uint8_t>(Part);
    S.NumFrom = Takes;
    S.NumTo = Gives;
    S.From[0] = static_cast<uint8_t>(before(1));
    S.To[0] = static_cast<uint8_t>(before(size() - 1));
  }

  /// Each part goes around and is reduced, that of this rank last.
  void reduceParts(bool PassesOn);
  /// Each part goes from its rank to all others.
  void spreadParts();
  /// One part is reduced on its way to the root.
  void reduceTo(unsigned Root);
  void spreadFrom(unsigned Root);

  Route R = {};

private:
  ArrayRef<unsigned> Ring;
  const unsigned Place;
};

} // namespace

void RingBuilder::reduceParts(bool PassesOn) {
  for (unsigned I = 1; I < size(); ++I)
    add(before(I), Step::TakesOwn | Step::Reduces, I > 1, true);
  add(before(0), Step::TakesOwn | Step::Reduces | Step::Finishes | Step::Stores,
      size() > 1, PassesOn && size() > 1);
}

void RingBuilder::spreadParts() {
  for (unsigned I = 1; I < size(); ++I)
    add(before(I), Step::Stores, true, I + 1 < size());
}

void RingBuilder::reduceTo(unsigned Root) {
  unsigned Steps = behind(Root); // 0: the root, whom the others come before
  bool IsRoot = Steps == 0, IsFirst = Steps == 1 || size() == 1;
  uint8_t Flags = Step::TakesOwn | Step::Reduces;
  if (IsRoot)
    Flags |= Step::Finishes | Step::Stores;
  add(0, Flags, !IsFirst, !IsRoot);
}

void RingBuilder::spreadFrom(unsigned Root) {
  unsigned Steps = behind(Root);
  uint8_t Flags = Step::Stores;
  if (Steps == 0)
    Flags |= Step::TakesOwn;
  add(0, Flags, Steps != 0, Steps + 1 < size());
}

Route ringRoute(CollectiveKind Kind, ArrayRef<unsigned> Ring, unsigned Rank,
                unsigned Root, uint64_t Count) {
  RingBuilder B(Ring, Rank);
  Route &R = B.R;
  R.PartCount = R.Total = Count;
  switch (Kind) {
  case CollectiveKind::AllReduce:
    // Parts are aligned, so that they can be copied in words.
    R.PartCount = (Count + Ring.size() - 1) / Ring.size();
    R.PartCount = (R.PartCount + 15) / 16 * 16;
    R.SendStride = R.ReceiveStride = R.PartCount;
    B.reduceParts(/*PassesOn=*/true);
    B.spreadParts();
    break;
  case CollectiveKind::ReduceScatter:
    R.Total = Count * Ring.size();
    R.SendStride = Count;
    B.reduceParts(/*PassesOn=*/false);
    break;
  case CollectiveKind::AllGather:
    R.Total = Count * Ring.size();
    R.ReceiveStride = Count;
    B.add(Rank, Step::TakesOwn | Step::Stores, false, Ring.size() > 1);
    B.spreadParts();
    break;
  case CollectiveKind::Reduce:
    B.reduceTo(Root);
    break;
  default:
    assert(Kind == CollectiveKind::Broadcast && "others have no ring");
    B.spreadFrom(Root);
    break;
  }
  return R;
}

Route treeRoute(const TreePlace &Place, uint64_t Count) {
  Route R = {};
  R.PartCount = R.Total = Count;
  bool IsRoot = !Place.Parent;
  Step &Up = R.Steps[R.NumSteps++];
  Up.Flags = Step::TakesOwn | Step::Reduces;
  for (unsigned Child : Place.Children)
    Up.From[Up.NumFrom++] = static_cast<uint8_t>(Child);
  Step &Down = IsRoot ? Up : R.Steps[R.NumSteps++];
  Down.Flags |= Step::Stores | (IsRoot ? Step::Finishes : 0);
  for (unsigned Child : Place.Children)
    Down.To[Down.NumTo++] = static_cast<uint8_t>(Child);
  if (IsRoot)
    return R;
  Up.To[Up.NumTo++] = Down.From[Down.NumFrom++] =
      static_cast<uint8_t>(*Place.Parent);
  return R;
}

} // namespace heddle::cuda::collectives
