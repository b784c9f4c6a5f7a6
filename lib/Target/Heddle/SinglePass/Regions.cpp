//===- Regions.cpp - Where diverged threads meet again ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A branch's threads meet at the block's immediate post-dominator, where a
// thread that exits counts as having passed every block. For a branch that
// leaves loops, the threads that leave wait for those that stay, so that the
// barrier is set in front of the outermost of these loops.
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"

#include "heddle/IR/Kernels.h"

using namespace llvm;

namespace heddle::singlepass {

namespace {

constexpr unsigned NumBarriers = 16;
/// In longer functions branches have no barriers.
constexpr unsigned MaxBlocks = 4096;

class RegionFinder {
public:
  explicit RegionFinder(const std::vector<Analysis::Block> &Blocks)
      : Blocks(Blocks), N(Blocks.size()),
        IsKernel(ir::isKernel(*Blocks.front().BB->getParent())),
        Traps(Blocks.size()) {
    findTraps();
  }

  std::vector<Region> run() {
    findPostDominators();
    findLoops();
    std::vector<Region> Found;
    for (unsigned B = 0; B != N; ++B)
      if (std::optional<Region> R = regionOf(B))
        Found.push_back(std::move(*R));
    return chooseRegisters(std::move(Found));
  }

private:
  static constexpr int None = -1;

  bool onlyExits(unsigned B) const {
    const BasicBlock &BB = *Blocks[B].BB;
    return IsKernel && llvm::isa<ReturnInst>(BB.front());
  }

  /// Whether threads that come to the block do no more than exit, or meet
  /// nobody wherever they go.
  bool onlyEnds(unsigned B) const { return onlyExits(B) || Traps.test(B); }

  /// Whether threads that take the edge only end, while others of the branch go
  /// on.
  bool isSideExit(unsigned From, unsigned To) const {
    return onlyEnds(To) &&
           any_of(Blocks[From].Succs, [&](unsigned S) { return !onlyEnds(S); });
  }

  void addReaching(BitVector &Reached) const;
  void findTraps();
  std::vector<unsigned> orderFromEnds() const;
  void findPostDominators();
  void findLoops();
  bool isBounded(const Region &R) const;
  std::optional<Region> regionOf(unsigned B) const;
  std::optional<unsigned> startOf(unsigned B, unsigned Meet) const;
  std::vector<Region> chooseRegisters(std::vector<Region> Found) const;

  const std::vector<Analysis::Block> &Blocks;
  const unsigned N;
  const bool IsKernel; ///< whose threads exit where they return
  /// The blocks from which threads only come to a fault, if to any end.
  BitVector Traps;
  std::vector<int> PostDom;
  /// Of each block that an edge leads back to, the last block of such edges;
  /// None of others.
  std::vector<int> LoopEnd;
};

/// Adds the blocks from which those of Reached are reached.
void RegionFinder::addReaching(BitVector &Reached) const {
  SmallVector<unsigned, 16> Work(Reached.set_bits());
  while (!Work.empty())
    for (unsigned P : Blocks[Work.pop_back_val()].Preds)
      if (!Reached.test(P)) {
        Reached.set(P);
        Work.push_back(P);
      }
}

void RegionFinder::findTraps() {
  BitVector Others(N);
  for (unsigned B = 0; B != N; ++B)
    if (Blocks[B].Succs.empty())
      (llvm::isa<UnreachableInst>(Blocks[B].BB->getTerminator()) ? Traps
                                                                 : Others)
          .set(B);
  if (Traps.none())
    return;
  addReaching(Traps);
  addReaching(Others);
  Traps.reset(Others);
}

/// The blocks from which an end is reached, in reverse post-order of the
/// reverse graph.
std::vector<unsigned> RegionFinder::orderFromEnds() const {
  std::vector<unsigned> Order;
  std::vector<bool> Seen(N, false);
  auto Walk = [&](unsigned From) {
    SmallVector<std::pair<unsigned, unsigned>, 32> Stack{{From, 0}};
    Seen[From] = true;
    while (!Stack.empty()) {
      auto &[B, Next] = Stack.back();
      if (Next == Blocks[B].Preds.size()) {
        Order.push_back(B);
        Stack.pop_back();
        continue;
      }
      unsigned P = Blocks[B].Preds[Next++];
      if (!Seen[P] && !isSideExit(P, B)) {
        Seen[P] = true;
        Stack.push_back({P, 0});
      }
    }
  };
  for (unsigned B = 0; B != N; ++B)
    if (Blocks[B].Succs.empty() && !Seen[B])
      Walk(B);
  std::reverse(Order.begin(), Order.end());
  return Order;
}

void RegionFinder::findPostDominators() {
  std::vector<unsigned> Order = orderFromEnds();
  std::vector<unsigned> Number(N, 0);
  for (unsigned I = 0; I != Order.size(); ++I)
    Number[Order[I]] = I + 1;
  // By Number; 0 is the end of all threads.
  constexpr int Unknown = -1;
  std::vector<int> Up(Order.size() + 1, Unknown);
  Up[0] = 0;
  auto Meet = [&](int A, int B) {
    while (A != B)
      if (A > B)
        A = Up[A];
      else
        B = Up[B];
    return A;
  };
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned I = 0; I != Order.size(); ++I) {
      unsigned B = Order[I];
      int New = Blocks[B].Succs.empty() ? 0 : Unknown;
      for (unsigned S : Blocks[B].Succs) {
        if (isSideExit(B, S))
          continue;
        // Threads of an endless loop never meet others.
        int Of = Number[S];
        if (Of != 0 && Up[Of] == Unknown)
          continue;
        New = New == Unknown ? Of : Meet(New, Of);
      }
      if (New != Up[I + 1]) {
        Up[I + 1] = New;
        Changed = true;
      }
    }
  }
  PostDom.assign(N, None);
  for (unsigned I = 0; I != Order.size(); ++I)
    if (Up[I + 1] > 0)
      PostDom[Order[I]] = Order[Up[I + 1] - 1];
}

void RegionFinder::findLoops() {
  LoopEnd.assign(N, None);
  for (unsigned B = 0; B != N; ++B)
    for (unsigned P : Blocks[B].Preds)
      if (P >= B)
        LoopEnd[B] = std::max(LoopEnd[B], static_cast<int>(P));
}

/// The block in front of all loops that B is in and Meet is not; loops are
/// taken as all blocks between the two ends of an edge that leads back.
std::optional<unsigned> RegionFinder::startOf(unsigned B, unsigned Meet) const {
  unsigned Start = B;
  for (unsigned H = 0; H <= B; ++H) {
    int End = LoopEnd[H];
    if (End < static_cast<int>(B) ||
        (Meet >= H && static_cast<int>(Meet) <= End))
      continue;
    // The outermost header: its only edge from in front of it.
    SmallVector<unsigned, 2> Entries;
    for (unsigned P : Blocks[H].Preds)
      if (P < H)
        Entries.push_back(P);
    if (Entries.size() != 1)
      return std::nullopt;
    Start = Entries[0];
    break;
  }
  return Start;
}

/// Whether threads enter the region by its start only, and leave by Meet.
bool RegionFinder::isBounded(const Region &R) const {
  return all_of(R.Blocks.set_bits(), [&](unsigned B) {
    return all_of(Blocks[B].Preds,
                  [&](unsigned P) { return P == R.Start || R.Blocks.test(P); });
  });
}

std::optional<Region> RegionFinder::regionOf(unsigned B) const {
  unsigned Ways =
      count_if(Blocks[B].Succs, [&](unsigned S) { return !onlyEnds(S); });
  if (Ways < 2 || PostDom[B] == None || onlyExits(PostDom[B]))
    return std::nullopt;
  unsigned Meet = PostDom[B];
  std::optional<unsigned> Start = startOf(B, Meet);
  if (!Start || *Start == Meet)
    return std::nullopt;
  Region R{*Start, Meet, 0, BitVector(N)};
  SmallVector<unsigned, 16> Work{*Start};
  while (!Work.empty())
    for (unsigned S : Blocks[Work.pop_back_val()].Succs)
      if (S != Meet && !R.Blocks.test(S)) {
        R.Blocks.set(S);
        Work.push_back(S);
      }
  if (R.Blocks.test(*Start) || !isBounded(R))
    return std::nullopt;
  return R;
}

/// Of the regions that meet in one block the largest one stays, and of those
/// that start in one block likewise. Regions that overlap have registers of
/// their own.
std::vector<Region>
RegionFinder::chooseRegisters(std::vector<Region> Found) const {
  llvm::sort(Found, [](const Region &A, const Region &B) {
    return std::make_pair(B.Blocks.count(), A.Start) <
           std::make_pair(A.Blocks.count(), B.Start);
  });
  constexpr uint32_t All = (1u << NumBarriers) - 1;
  std::vector<uint32_t> Taken(N);
  BitVector Starts(N), Meets(N);
  std::vector<Region> Chosen;
  for (Region &R : Found) {
    if (Starts.test(R.Start) || Meets.test(R.Meet))
      continue;
    uint32_t Around = Taken[R.Start];
    for (unsigned B : R.Blocks.set_bits())
      Around |= Taken[B];
    if (Around == All)
      continue;
    Starts.set(R.Start);
    Meets.set(R.Meet);
    R.Register = countr_one(Around);
    Taken[R.Start] |= 1u << R.Register;
    for (unsigned B : R.Blocks.set_bits())
      Taken[B] |= 1u << R.Register;
    Chosen.push_back(std::move(R));
  }
  return Chosen;
}

} // namespace

std::vector<Region> findRegions(const std::vector<Analysis::Block> &Blocks) {
  if (Blocks.size() < 3 || Blocks.size() > MaxBlocks)
    return {};
  return RegionFinder(Blocks).run();
}

} // namespace heddle::singlepass
