//===- HeddleConvergence.cpp - Reconverge diverged threads -----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For every branch that may diverge, finds the region of code that its threads
// can walk through until they are sure to meet again, and sets a convergence
// barrier around it: BSSY where the region starts, BSYNC where it ends.
//
// A region (Start, Meet) has one entry, the end of block Start, which dominates
// all of it, and one way out, block Meet, which every thread that entered
// reaches unless it exits. For a branch that leaves loops Start is the
// preheader of the outermost of them, so that threads that leave wait for
// threads that stay. Where blocks must be made for that (preheaders, and blocks
// that gather the region's edges into Meet), the CFG is changed and the regions
// are looked for again.
//
// Branches without such a region get no barrier: that costs speed only.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddleConvergence.h"
#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "Passes/HeddleUniformity.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Support/Check.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineJumpTableInfo.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/MCContext.h"
#include <optional>

using namespace llvm;

#define DEBUG_TYPE "heddle-convergence"

namespace {

constexpr unsigned NumBarrierRegisters = 16;

/// The callee of a call instruction, or null.
const Function *calleeOf(const MachineInstr &MI) {
  for (const MachineOperand &MO : MI.operands()) {
    if (MO.isGlobal())
      return dyn_cast<Function>(MO.getGlobal()->stripPointerCastsAndAliases());
    if (MO.isSymbol())
      return MI.getMF()->getFunction().getParent()->getFunction(
          MO.getSymbolName());
  }
  return nullptr;
}

bool isSystemCall(const MachineInstr &MI) {
  return MI.getOpcode() == Heddle::SYSCALL;
}

/// Whether MI reads memory in a way that makes sense only if another thread
/// writes it meanwhile.
bool readsSharedState(const MachineInstr &MI) {
  if (!MI.mayLoad() || MI.isCall())
    return false;
  if (MI.mayStore())
    return true;
  int Order = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::order);
  constexpr int64_t Weak = 0, Constant = 1; // MemOrder
  if (Order >= 0 && MI.getOperand(Order).getImm() != Weak &&
      MI.getOperand(Order).getImm() != Constant)
    return true;
  return any_of(MI.memoperands(), [](const MachineMemOperand *MMO) {
    return MMO->isVolatile() || MMO->isAtomic();
  });
}

/// Of a CTA or a cluster.
bool isBarrier(const MachineInstr &MI) {
  return MI.getOpcode() == Heddle::BAR_r || MI.getOpcode() == Heddle::BAR_i ||
         MI.getOpcode() == Heddle::CBAR;
}

//===----------------------------------------------------------------------===//
// Post-dominators
//===----------------------------------------------------------------------===//

/// Immediate post-dominators, where a thread that exits counts as having passed
/// every block.
class PostDominators {
  std::vector<int> IDom;        ///< by block number; Root, or None
  std::vector<unsigned> Number; ///< in reverse post order of the reverse graph
  BitVector Traps;              ///< by block number
  MachineFunction &MF;
  static constexpr int None = -2, Root = -1;

public:
  explicit PostDominators(MachineFunction &MF) : MF(MF) {
    findTraps();
    compute();
  }

  /// The immediate post-dominator of MBB, or null.
  MachineBasicBlock *immediate(const MachineBasicBlock &MBB) const {
    int N = IDom[MBB.getNumber()];
    return N < 0 ? nullptr : MF.getBlockNumbered(N);
  }

  bool dominates(const MachineBasicBlock &A, const MachineBasicBlock &B) const {
    const MachineBasicBlock *X = &B;
    while (X && X != &A)
      X = immediate(*X);
    return X;
  }

  /// Whether the block does nothing but end its threads.
  static bool onlyExits(const MachineBasicBlock &MBB) {
    bool Exits = false;
    for (const MachineInstr &MI : MBB) {
      if (MI.isMetaInstruction())
        continue;
      if (MI.getOpcode() != Heddle::EXIT ||
          MI.getOperand(0).getReg() != Heddle::PT)
        return false;
      Exits = true;
    }
    return Exits;
  }

  /// Whether the launch ends with a fault wherever threads go from the block,
  /// if it ends: nobody meets them later. Code that cannot be reached is of
  /// that kind, too.
  bool traps(const MachineBasicBlock &MBB) const {
    return Traps.test(MBB.getNumber());
  }

private:
  static bool endsInTrap(const MachineBasicBlock &MBB) {
    return !MBB.empty() && MBB.back().getOpcode() == Heddle::TRAP &&
           MBB.back().getOperand(0).getReg() == Heddle::PT;
  }

  /// Whether threads that From sends to MBB do some work of their own at most
  /// and exit.
  static bool isSideExit(const MachineBasicBlock &MBB) {
    if (onlyExits(MBB))
      return true;
    if (MBB.pred_size() != 1)
      return false;
    if (MBB.succ_size() == 1)
      return onlyExits(**MBB.succ_begin());
    return MBB.succ_empty() && none_of(MBB, [](const MachineInstr &MI) {
             return MI.getOpcode() == Heddle::PRET;
           });
  }

  /// Whether post-dominance may look past the edge: its threads exit, others of
  /// the same branch do not.
  static bool isIgnorable(const MachineBasicBlock &From,
                          const MachineBasicBlock &To) {
    return isSideExit(To) &&
           any_of(From.successors(), [&](const MachineBasicBlock *S) {
             return S != &To &&
                    (onlyExits(To) ? !onlyExits(*S) : !isSideExit(*S));
           });
  }

  struct Graph {
    std::vector<SmallVector<int, 2>> Succs, Preds;
    std::vector<int> Ends;

    explicit Graph(unsigned N) : Succs(N), Preds(N) {}
    void addEdge(const MachineBasicBlock *From, const MachineBasicBlock *To) {
      Succs[From->getNumber()].push_back(To->getNumber());
      Preds[To->getNumber()].push_back(From->getNumber());
    }
    /// The blocks from which an end is reached.
    std::vector<bool> reachesEnd() const {
      std::vector<bool> Seen(Preds.size());
      std::vector<int> Work = Ends;
      for (int B : Work)
        Seen[B] = true;
      while (!Work.empty()) {
        int B = Work.back();
        Work.pop_back();
        for (int P : Preds[B])
          if (!Seen[P]) {
            Seen[P] = true;
            Work.push_back(P);
          }
      }
      return Seen;
    }
  };

  /// Adds the blocks from which those of Reached are reached.
  static void addReaching(BitVector &Reached, const MachineFunction &MF) {
    SmallVector<const MachineBasicBlock *, 16> Work;
    for (unsigned B : Reached.set_bits())
      Work.push_back(MF.getBlockNumbered(B));
    while (!Work.empty())
      for (const MachineBasicBlock *P : Work.pop_back_val()->predecessors())
        if (!Reached.test(P->getNumber())) {
          Reached.set(P->getNumber());
          Work.push_back(P);
        }
  }

  void findTraps() {
    Traps.resize(MF.getNumBlockIDs());
    BitVector Others(MF.getNumBlockIDs());
    for (const MachineBasicBlock &MBB : MF)
      if (MBB.succ_empty())
        (endsInTrap(MBB) ? Traps : Others).set(MBB.getNumber());
    if (Traps.none())
      return;
    addReaching(Traps, MF);
    addReaching(Others, MF);
    Traps.reset(Others);
  }

  void compute() {
    Graph G(MF.getNumBlockIDs());
    SmallVector<std::pair<MachineBasicBlock *, MachineBasicBlock *>, 8> Ignored;
    for (MachineBasicBlock &MBB : MF) {
      bool GoesOn = any_of(MBB.successors(), [&](const MachineBasicBlock *S) {
        return !traps(*S);
      });
      for (MachineBasicBlock *S : MBB.successors()) {
        if (GoesOn && traps(*S))
          continue;
        if (isIgnorable(MBB, *S))
          Ignored.push_back({&MBB, S});
        else
          G.addEdge(&MBB, S);
      }
      if (MBB.succ_empty())
        G.Ends.push_back(MBB.getNumber());
    }
    // An edge that is the only way out of a loop counts.
    std::vector<bool> Reaches = G.reachesEnd();
    for (auto [From, To] : Ignored)
      if (!Reaches[From->getNumber()])
        G.addEdge(From, To);
    addEndlessLoops(G);
    std::vector<int> Order = reverseOrder(G.Preds, G.Ends);
    solve(Order, G.Succs);
  }

  /// Blocks from which no end is reached count as ends themselves.
  void addEndlessLoops(Graph &G) {
    std::vector<bool> Reaches = G.reachesEnd();
    for (MachineBasicBlock &MBB : MF)
      if (!Reaches[MBB.getNumber()]) {
        G.Ends.push_back(MBB.getNumber());
        G.Succs[MBB.getNumber()].push_back(Root);
      }
  }

  /// Reverse post order of the reverse graph; fills in Number.
  std::vector<int> reverseOrder(ArrayRef<SmallVector<int, 2>> Preds,
                                ArrayRef<int> Ends) {
    std::vector<int> Order;
    std::vector<bool> Seen(Preds.size());
    std::vector<std::pair<int, unsigned>> Stack;
    for (int End : Ends) {
      if (Seen[End])
        continue;
      Seen[End] = true;
      Stack.push_back({End, 0});
      while (!Stack.empty()) {
        auto &[B, Next] = Stack.back();
        if (Next == Preds[B].size()) {
          Order.push_back(B);
          Stack.pop_back();
          continue;
        }
        int P = Preds[B][Next++];
        if (!Seen[P]) {
          Seen[P] = true;
          Stack.push_back({P, 0});
        }
      }
    }
    std::reverse(Order.begin(), Order.end());
    Number.assign(Preds.size(), 0);
    for (auto [I, B] : enumerate(Order))
      Number[B] = I;
    return Order;
  }

  int meet(int A, int B) const {
    while (A != B) {
      if (A == Root || B == Root)
        return Root;
      if (Number[A] > Number[B])
        A = IDom[A];
      else
        B = IDom[B];
    }
    return A;
  }

  void solve(ArrayRef<int> Order, ArrayRef<SmallVector<int, 2>> Succs) {
    IDom.assign(MF.getNumBlockIDs(), None);
    for (bool Changed = true; Changed;) {
      Changed = false;
      for (int B : Order) {
        int New = Succs[B].empty() ? Root : None;
        for (int S : Succs[B])
          if (S == Root)
            New = Root;
          else if (IDom[S] != None)
            New = New == None ? S : meet(New, S);
        if (New != IDom[B]) {
          IDom[B] = New;
          Changed = true;
        }
      }
    }
  }
};

//===----------------------------------------------------------------------===//
// Regions and barriers
//===----------------------------------------------------------------------===//

struct Region {
  MachineBasicBlock *Start;
  MachineBasicBlock *Meet;
  BitVector Blocks; ///< reachable from Start without passing Meet
  bool Bounded = false;
  unsigned Size = 0; ///< number of Blocks
  unsigned Register = 0;
};

/// The effects of a block's instructions that matter to threads that wait at a
/// barrier.
struct BlockFacts {
  bool ReadsShared = false;
  bool Syncs = false;
  bool MayWait = false; ///< at a barrier or in a call
  bool InCycle = false; ///< of the whole function
};

class Converger {
  MachineFunction &MF;
  const HeddleInstrInfo &TII;
  const bool IsKernel;
  HeddleInterThreadWaits &Waiting;
  /// Blocks whose terminator may send threads of a warp different ways.
  SmallSetVector<MachineBasicBlock *, 16> Divergent;
  MachineDominatorTree DT;
  std::vector<Region> Regions;
  std::vector<BlockFacts> Facts; ///< by block number
  /// Divergent blocks without a region.
  SmallVector<MachineBasicBlock *, 8> Open;
  /// WARPSYNCs whose lanes all name the same mask.
  SmallPtrSet<const MachineInstr *, 8> UniformSyncs;

public:
  Converger(MachineFunction &MF, HeddleInterThreadWaits &Waiting)
      : MF(MF), TII(*MF.getSubtarget<HeddleSubtarget>().getInstrInfo()),
        IsKernel(heddle::ir::isKernel(MF.getFunction())), Waiting(Waiting) {}

  /// Sets all barriers; returns the blocks that are converged then.
  BitVector run(HeddleUniformity &UI) {
    findDivergent(UI);
    findUniformSyncs(UI);
    // Each round changes the CFG so that more regions have the right form. A
    // branch without such a region after the last round stays without a
    // barrier.
    constexpr unsigned MaxRounds = 4;
    for (unsigned Round = 0; findRegions(Round < MaxRounds); ++Round)
      ;
    boundSyncRegions();
    chooseRegisters();
    for (const Region &R : Regions)
      place(R);
    if (IsKernel)
      guardCalls();
    BitVector Converged = findConverged();
    dropWarpSyncs(Converged);
    return Converged;
  }

private:
  void findDivergent(HeddleUniformity &UI) {
    PostDominators PDT(MF);
    for (MachineBasicBlock &MBB : MF) {
      unsigned Ways = count_if(MBB.successors(), [&](MachineBasicBlock *S) {
        return !PostDominators::onlyExits(*S) && !PDT.traps(*S);
      });
      if (Ways > 1 && UI.hasDivergentTerminator(MBB))
        Divergent.insert(&MBB);
    }
  }

  //===--------------------------------------------------------------------===//
  // Finding regions
  //===--------------------------------------------------------------------===//

  /// Edges into To that a new block must gather.
  struct Split {
    MachineBasicBlock *To;
    SmallVector<MachineBasicBlock *, 4> Preds;
  };

  /// Fills in Regions and Open. Returns whether the CFG was changed; if so,
  /// Regions and Open are out of date.
  bool findRegions(bool MayChange) {
    MF.RenumberBlocks();
    DT.recalculate(MF);
    DT.updateDFSNumbers(); // of nested regions it is asked for each block
    collectFacts();
    PostDominators PDT(MF);
    Regions.clear();
    Open.clear();
    std::vector<Split> Splits;
    // Of several regions that meet in one block the outermost one is enough.
    MapVector<MachineBasicBlock *, SmallVector<MachineBasicBlock *, 2>> ByMeet;
    BitVector TooDeep = findTooDeep(PDT);
    for (MachineBasicBlock *D : Divergent) {
      MachineBasicBlock *Meet = PDT.immediate(*D);
      if (Meet && !PostDominators::onlyExits(*Meet) &&
          !TooDeep.test(D->getNumber()))
        ByMeet[Meet].push_back(D);
      else
        Open.push_back(D);
    }
    for (auto &[Meet, Branches] : ByMeet)
      addRegions(Meet, Branches, PDT, Splits);
    if (!MayChange || Splits.empty()) {
      // Where gathering edges did not help there is no barrier.
      erase_if(Regions, [&](const Region &R) {
        bool Bad = !edgesFromOutside(R).empty();
        if (Bad)
          Open.push_back(R.Start);
        return Bad;
      });
      return false;
    }
    SmallPtrSet<MachineBasicBlock *, 8> Done;
    for (const Split &S : Splits)
      if (Done.insert(S.To).second) // others in the next round
        gatherEdges(S.To, S.Preds);
    return true;
  }

  /// The divergent blocks inside of so many regions that there will be no
  /// register for one more, as far as the order of the blocks tells it.
  BitVector findTooDeep(const PostDominators &PDT) const {
    constexpr unsigned MaxDepth = 4 * NumBarrierRegisters;
    SmallVector<std::pair<int, int>, 16> Spans; // begin, and end negated
    for (const MachineBasicBlock *D : Divergent)
      if (const MachineBasicBlock *Meet = PDT.immediate(*D))
        if (D->getNumber() < Meet->getNumber())
          Spans.push_back({D->getNumber(), -Meet->getNumber()});
    llvm::sort(Spans);
    BitVector TooDeep(MF.getNumBlockIDs());
    SmallVector<int, 16> Ends; // of the spans around, different ones
    for (auto [Begin, MinusEnd] : Spans) {
      while (!Ends.empty() && Ends.back() <= Begin)
        Ends.pop_back();
      if (Ends.size() > MaxDepth)
        TooDeep.set(Begin);
      if (Ends.empty() || Ends.back() != -MinusEnd)
        Ends.push_back(-MinusEnd);
    }
    return TooDeep;
  }

  void addRegions(MachineBasicBlock *Meet,
                  ArrayRef<MachineBasicBlock *> Branches,
                  const PostDominators &PDT, std::vector<Split> &Splits) {
    SmallVector<MachineBasicBlock *, 4> Starts;
    BitVector Covered(MF.getNumBlockIDs()); // by regions of Starts
    for (MachineBasicBlock *D : Branches) {
      if (Covered.test(D->getNumber()))
        continue;
      MachineBasicBlock *S = findStart(D, Meet, PDT, Splits);
      if (!S) {
        Open.push_back(D);
      } else if (!is_contained(Starts, S)) {
        Starts.push_back(S);
        Covered |= reachable({S}, Meet);
      }
    }
    for (MachineBasicBlock *S : Starts) {
      bool Inner = any_of(Starts, [&](MachineBasicBlock *O) {
        return O != S && DT.properlyDominates(O, S);
      });
      if (Inner)
        continue;
      Region R{S, Meet, reachable({S}, Meet)};
      R.Bounded = mayWaitForOthers(R, PDT);
      SmallVector<MachineBasicBlock *, 4> Outside = edgesFromOutside(R);
      if (!Outside.empty()) {
        Split Sp{Meet, {}};
        for (MachineBasicBlock *P : Meet->predecessors())
          if (!is_contained(Outside, P))
            Sp.Preds.push_back(P);
        Splits.push_back(Sp);
      }
      Regions.push_back(std::move(R));
    }
  }

  /// Predecessors of R's end that do not belong to it.
  SmallVector<MachineBasicBlock *, 4> edgesFromOutside(const Region &R) const {
    SmallVector<MachineBasicBlock *, 4> Outside;
    for (MachineBasicBlock *P : R.Meet->predecessors())
      if (P != R.Start && !R.Blocks.test(P->getNumber()))
        Outside.push_back(P);
    return Outside;
  }

  /// Where a region that holds the branch of D and ends at Meet can start; null
  /// if nowhere, or not before the CFG has been changed as added to Splits.
  MachineBasicBlock *findStart(MachineBasicBlock *D, MachineBasicBlock *Meet,
                               const PostDominators &PDT,
                               std::vector<Split> &Splits) {
    MachineBasicBlock *S = D;
    for (unsigned Tries = 0; Tries < 8; ++Tries) {
      S = leaveLoops(S, Meet, Splits);
      if (!S || !PDT.dominates(*Meet, *S))
        return nullptr;
      MachineBasicBlock *Common = commonDominator(S, reachable({S}, Meet));
      if (Common == S)
        return S;
      S = Common;
    }
    return nullptr;
  }

  /// S, or the preheader of the outermost loop around S that does not go
  /// through Meet.
  MachineBasicBlock *leaveLoops(MachineBasicBlock *S, MachineBasicBlock *Meet,
                                std::vector<Split> &Splits) {
    while (true) {
      BitVector Loop = reachable({S}, Meet);
      if (!Loop.test(S->getNumber()))
        return S;
      Loop &= reaching(S, Loop);
      // Edges into the loop, and the block that they enter.
      Split Sp{nullptr, {}};
      for (unsigned B : Loop.set_bits()) {
        MachineBasicBlock *MBB = MF.getBlockNumbered(B);
        for (MachineBasicBlock *P : MBB->predecessors()) {
          if (Loop.test(P->getNumber()))
            continue;
          if (Sp.To && Sp.To != MBB)
            return nullptr; // several entries
          Sp.To = MBB;
          Sp.Preds.push_back(P);
        }
      }
      if (!Sp.To) // the function's entry
        return nullptr;
      if (Sp.Preds.size() > 1 || Sp.Preds.front()->succ_size() > 1) {
        Splits.push_back(Sp);
        return nullptr;
      }
      S = Sp.Preds.front();
    }
  }

  /// The blocks of Within from which To is reached inside of Within.
  BitVector reaching(MachineBasicBlock *To, const BitVector &Within) const {
    BitVector Seen(MF.getNumBlockIDs());
    Seen.set(To->getNumber());
    SmallVector<MachineBasicBlock *, 16> Work{To};
    while (!Work.empty())
      for (MachineBasicBlock *P : Work.pop_back_val()->predecessors())
        if (Within.test(P->getNumber()) && !Seen.test(P->getNumber())) {
          Seen.set(P->getNumber());
          Work.push_back(P);
        }
    return Seen;
  }

  /// The blocks that some way from Work leads to without passing Until.
  BitVector reachable(SmallVector<MachineBasicBlock *, 16> Work,
                      const MachineBasicBlock *Until) const {
    BitVector Seen(MF.getNumBlockIDs());
    while (!Work.empty())
      for (MachineBasicBlock *S : Work.pop_back_val()->successors())
        if (S != Until && !Seen.test(S->getNumber())) {
          Seen.set(S->getNumber());
          Work.push_back(S);
        }
    return Seen;
  }

  MachineBasicBlock *commonDominator(MachineBasicBlock *S,
                                     const BitVector &Blocks) {
    for (unsigned B : Blocks.set_bits()) {
      MachineBasicBlock *MBB = MF.getBlockNumbered(B);
      // Code that only exits has no barrier to mix up.
      if (!DT.dominates(S, MBB) && !PostDominators::onlyExits(*MBB))
        S = DT.findNearestCommonDominator(S, MBB);
    }
    return S;
  }

  BlockFacts factsOf(const MachineBasicBlock &MBB) {
    BlockFacts F;
    for (const MachineInstr &MI : MBB) {
      F.ReadsShared |= readsSharedState(MI);
      F.Syncs |= isWarpSync(MI);
      F.MayWait |= isBarrier(MI) || (MI.isCall() && !isSystemCall(MI) &&
                                     Waiting.mayWait(calleeOf(MI)));
    }
    return F;
  }

  void collectFacts() {
    Facts.clear();
    Facts.resize(MF.getNumBlockIDs());
    for (const MachineBasicBlock &MBB : MF)
      Facts[MBB.getNumber()] = factsOf(MBB);
    for (auto SCC = scc_begin(&MF); !SCC.isAtEnd(); ++SCC)
      if (SCC.hasCycle())
        for (const MachineBasicBlock *MBB : *SCC)
          Facts[MBB->getNumber()].InCycle = true;
  }

  /// Whether a thread inside R may wait for one that waits at R's end.
  bool mayWaitForOthers(const Region &R, const PostDominators &PDT) const {
    for (unsigned B : R.Blocks.set_bits()) {
      const BlockFacts &F = Facts[B];
      if (F.MayWait)
        return true;
      if (!F.ReadsShared && !F.Syncs)
        continue;
      MachineBasicBlock *MBB = MF.getBlockNumbered(B);
      // In a loop inside of the region?
      bool InLoop = F.InCycle && reachable({MBB}, R.Meet).test(B);
      if (F.ReadsShared && InLoop)
        return true;
      // A WARPSYNC may be about lanes that have gone around it, unless all pass
      // it once.
      if (F.Syncs && (InLoop || !PDT.dominates(*MBB, *R.Start)))
        return true;
    }
    return false;
  }

  /// Bounds the regions in which threads wait at a WARPSYNC, unless the whole
  /// warp comes to their start together. Otherwise lanes of several calls or
  /// iterations may form one group: a lane that waits at the end of its region
  /// may be the one that another lane, in its own call or iteration, waits for
  /// inside of the region.
  void boundSyncRegions() {
    SmallVector<MachineBasicBlock *, 8> Saved = Open;
    for (MachineBasicBlock &MBB : MF)
      if (any_of(MBB, [](const MachineInstr &MI) {
            return MI.isCall() && !isSystemCall(MI);
          }))
        Open.push_back(&MBB);
    bool Changed = true;
    while (Changed) {
      Changed = false;
      BitVector Converged = findConverged();
      for (Region &R : Regions)
        if (!R.Bounded && !Converged.test(R.Start->getNumber()) &&
            hasWarpSync(R)) {
          R.Bounded = true;
          Changed = true;
        }
    }
    Open = Saved;
  }

  bool hasWarpSync(const Region &R) const {
    return any_of(R.Blocks.set_bits(), [&](unsigned B) {
      return any_of(*MF.getBlockNumbered(B), isWarpSync);
    });
  }

  //===--------------------------------------------------------------------===//
  // Changing the CFG
  //===--------------------------------------------------------------------===//

  /// Sends the edges from Preds to To through a new block.
  void gatherEdges(MachineBasicBlock *To, ArrayRef<MachineBasicBlock *> Preds) {
    MachineBasicBlock *New = MF.CreateMachineBasicBlock(To->getBasicBlock());
    MachineBasicBlock *Above = To->getIterator() == MF.begin()
                                   ? nullptr
                                   : &*std::prev(To->getIterator());
    if (Above && !is_contained(Preds, Above) &&
        Above->getFallThrough(/*JumpToFallThrough=*/false) == To)
      TII.addTrailing(
          BuildMI(Above, Above->findBranchDebugLoc(), TII.get(Heddle::JMP))
              .addMBB(To));
    MF.insert(To->getIterator(), New);
    gatherPHIs(*To, *New, Preds);
    for (MachineBasicBlock *P : Preds) {
      P->ReplaceUsesOfBlockWith(To, New);
      if (MachineJumpTableInfo *JTI = MF.getJumpTableInfo())
        for (const MachineInstr &MI : P->terminators())
          for (const MachineOperand &MO : MI.operands())
            if (MO.isJTI())
              JTI->ReplaceMBBInJumpTable(MO.getIndex(), To, New);
    }
    New->addSuccessor(To); // by falling through
  }

  void gatherPHIs(MachineBasicBlock &To, MachineBasicBlock &New,
                  ArrayRef<MachineBasicBlock *> Preds) {
    MachineRegisterInfo &MRI = MF.getRegInfo();
    for (MachineInstr &Phi : To.phis()) {
      Register Dest = MRI.createVirtualRegister(
          MRI.getRegClass(Phi.getOperand(0).getReg()));
      auto Gathered = BuildMI(New, New.end(), Phi.getDebugLoc(),
                              TII.get(TargetOpcode::PHI), Dest);
      for (unsigned I = Phi.getNumOperands() - 1; I >= 2; I -= 2) {
        MachineBasicBlock *P = Phi.getOperand(I).getMBB();
        if (!is_contained(Preds, P))
          continue;
        Gathered.add(Phi.getOperand(I - 1)).addMBB(P);
        Phi.removeOperand(I);
        Phi.removeOperand(I - 1);
      }
      Phi.addOperand(MF, MachineOperand::CreateReg(Dest, /*isDef=*/false));
      Phi.addOperand(MF, MachineOperand::CreateMBB(&New));
    }
  }

  //===--------------------------------------------------------------------===//
  // Setting barriers
  //===--------------------------------------------------------------------===//

  /// Gives each region the lowest register that no overlapping one has, outer
  /// regions first; regions for which none is left are dropped.
  void chooseRegisters() {
    for (Region &R : Regions)
      R.Size = R.Blocks.count();
    llvm::sort(Regions, [](const Region &A, const Region &B) {
      return std::make_pair(B.Size, A.Start->getNumber()) <
             std::make_pair(A.Size, B.Start->getNumber());
    });
    // By block, the registers of the regions chosen so far that it starts or is
    // inside of. Regions that share such a block overlap.
    constexpr uint32_t All = (1u << NumBarrierRegisters) - 1;
    std::vector<uint32_t> Taken(MF.getNumBlockIDs());
    std::vector<Region> Chosen;
    for (Region &R : Regions) {
      uint32_t Around = Taken[R.Start->getNumber()];
      for (unsigned B : R.Blocks.set_bits())
        Around |= Taken[B];
      if (Around == All) {
        Open.push_back(R.Start);
        continue;
      }
      R.Register = countr_one(Around);
      Taken[R.Start->getNumber()] |= 1u << R.Register;
      for (unsigned B : R.Blocks.set_bits())
        Taken[B] |= 1u << R.Register;
      Chosen.push_back(std::move(R));
    }
    Regions = std::move(Chosen);
  }

  void addBSSY(MachineBasicBlock &MBB, MachineBasicBlock::iterator I,
               unsigned Register, const DebugLoc &DL) {
    // The target is filled in when the code has its final shape.
    TII.addTrailing(
        BuildMI(MBB, I, DL, TII.get(Heddle::BSSY), Heddle::B0 + Register)
            .addImm(0));
  }

  void addBSYNC(MachineBasicBlock &MBB, MachineBasicBlock::iterator I,
                unsigned Register, bool Bounded, const DebugLoc &DL) {
    TII.addTrailing(BuildMI(MBB, I, DL, TII.get(Heddle::BSYNC))
                        .addReg(Heddle::B0 + Register)
                        .addImm(Bounded));
  }

  void place(const Region &R) {
    MachineBasicBlock::iterator End = R.Start->getFirstTerminator();
    addBSSY(*R.Start, End, R.Register,
            End == R.Start->end() ? DebugLoc() : End->getDebugLoc());
    // Several regions may end here: outer ones come first in Regions, inner
    // ones go in front of them.
    MachineBasicBlock::iterator Begin =
        R.Meet->SkipPHIsLabelsAndDebug(R.Meet->begin());
    addBSYNC(*R.Meet, Begin, R.Register, R.Bounded,
             Begin == R.Meet->end() ? DebugLoc() : Begin->getDebugLoc());
  }

  /// By block number, bits of the registers of the regions around it.
  std::vector<uint32_t> registersAround() const {
    std::vector<uint32_t> Taken(MF.getNumBlockIDs());
    for (const Region &R : Regions)
      for (unsigned B : R.Blocks.set_bits())
        Taken[B] |= 1u << R.Register;
    return Taken;
  }

  /// The threads of a call may come back one after the other.
  void guardCalls() {
    std::vector<uint32_t> Taken = registersAround();
    for (MachineBasicBlock &MBB : MF)
      for (MachineInstr &MI : make_early_inc_range(MBB)) {
        if (!MI.isCall() || isSystemCall(MI))
          continue;
        unsigned Free = countr_one(Taken[MBB.getNumber()]);
        bool IsNone = Free >= NumBarrierRegisters;
        bool Bounded = Waiting.mayWait(calleeOf(MI));
        if (IsNone || Bounded)
          Open.push_back(&MBB);
        if (IsNone)
          continue;
        addBSSY(MBB, MI.getIterator(), Free, MI.getDebugLoc());
        addBSYNC(MBB, std::next(MI.getIterator()), Free, Bounded,
                 MI.getDebugLoc());
      }
  }

  //===--------------------------------------------------------------------===//
  // Converged blocks
  //===--------------------------------------------------------------------===//

  BitVector findConverged() const {
    BitVector Diverged(MF.getNumBlockIDs());
    for (const Region &R : Regions)
      if (!R.Bounded)
        Diverged |= R.Blocks;
    // Divergence that no barrier surely ends lasts to the end of the
    // surrounding barrier's region, or of the program.
    BitVector Inside = Diverged;
    SmallVector<MachineBasicBlock *, 16> Sources;
    auto DivergeFrom = [&](MachineBasicBlock *MBB) {
      if (!Inside.test(MBB->getNumber()))
        Sources.push_back(MBB);
    };
    for (MachineBasicBlock *MBB : Open)
      DivergeFrom(MBB);
    for (const Region &R : Regions)
      if (R.Bounded)
        DivergeFrom(R.Start);
    // Lanes that name different masks go on at different times.
    for (MachineBasicBlock &MBB : MF)
      if (any_of(MBB, [&](const MachineInstr &MI) {
            return isWarpSync(MI) && !UniformSyncs.contains(&MI);
          })) {
        Diverged.set(MBB.getNumber());
        DivergeFrom(&MBB);
      }
    Diverged |= reachable(std::move(Sources), nullptr);
    // Behind a call without a sure barrier the rest of its block is diverged.
    for (MachineBasicBlock *MBB : Open)
      if (any_of(*MBB, [](const MachineInstr &MI) {
            return MI.isCall() && !isSystemCall(MI);
          }))
        Diverged.set(MBB->getNumber());
    if (!IsKernel)
      Diverged.set();
    return Diverged.flip();
  }

  static bool isWarpSync(const MachineInstr &MI) {
    switch (MI.getOpcode()) {
    case Heddle::WARPSYNC_r:
    case Heddle::WARPSYNC_i:
    case Heddle::WARPSYNC_u:
      return true;
    default:
      return false;
    }
  }

  /// Notes the WARPSYNCs whose mask is the same in all lanes. Lanes that are
  /// together but name different masks still have to wait for others.
  void findUniformSyncs(const HeddleUniformity &UI) {
    for (const MachineBasicBlock &MBB : MF)
      for (const MachineInstr &MI : MBB)
        if (isWarpSync(MI) && none_of(MI.uses(), [&](const MachineOperand &MO) {
              return MO.isReg() && MO.getReg().isVirtual() &&
                     UI.isDivergent(MO.getReg());
            }))
          UniformSyncs.insert(&MI);
  }

  /// Whether MI prepares an exchange of data behind it. A WARPSYNC.ANY has a
  /// purpose of its own: it orders the lanes' accesses to memory.
  static bool syncsExchange(const MachineInstr &MI) {
    if (MI.getOperand(1).getImm())
      return false;
    for (const MachineInstr &Next :
         make_range(std::next(MachineBasicBlock::const_iterator(MI)),
                    MI.getParent()->end()))
      if (isWarpSync(Next))
        return false;
      else if (Next.isConvergent())
        return true;
    return false;
  }

  /// Removes the WARPSYNCs in front of exchanges that are converged anyway,
  /// unless the masks are to be checked.
  void dropWarpSyncs(const BitVector &Converged) {
    if (MF.getFunction().hasFnAttribute(heddle::attr::KeepWarpSync))
      return;
    for (MachineBasicBlock &MBB : MF)
      if (Converged.test(MBB.getNumber()))
        for (MachineInstr &MI : make_early_inc_range(MBB))
          if (UniformSyncs.contains(&MI) && syncsExchange(MI))
            MI.eraseFromParent();
  }
};

//===----------------------------------------------------------------------===//
// Targets of BSSY
//===----------------------------------------------------------------------===//

/// Fills in the targets, which would only be in the way of passes that move
/// blocks.
class HeddleBarrierTargets : public MachineFunctionPass {
public:
  static char ID;
  HeddleBarrierTargets() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Heddle barrier targets"; }

  bool runOnMachineFunction(MachineFunction &MF) override {
    bool Changed = false;
    for (MachineBasicBlock &MBB : MF)
      for (MachineInstr &MI : make_early_inc_range(MBB)) {
        if (MI.getOpcode() != Heddle::BSSY || !MI.getOperand(1).isImm())
          continue;
        Changed = true;
        if (std::optional<MachineOperand> Meet = findMeet(MI)) {
          const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
          auto MIB = BuildMI(MBB, MI, MI.getDebugLoc(), TII.get(Heddle::BSSY));
          for (auto [N, MO] : enumerate(MI.operands()))
            MIB.add(N == 1 ? *Meet : MO);
        }
        MI.eraseFromParent(); // for good if nobody waits
      }
    return Changed;
  }

private:
  static bool meets(MachineBasicBlock::iterator I,
                    MachineBasicBlock::iterator End, Register B) {
    return any_of(make_range(I, End), [&](const MachineInstr &MI) {
      return MI.getOpcode() == Heddle::BSYNC && MI.getOperand(0).getReg() == B;
    });
  }

  /// Where the threads that MI names meet: a label before the BSYNC, if that
  /// stands in the same block, or the block that has it.
  static std::optional<MachineOperand> findMeet(MachineInstr &MI) {
    MachineBasicBlock &MBB = *MI.getParent();
    for (MachineInstr &Next :
         make_range(std::next(MachineBasicBlock::iterator(MI)), MBB.end()))
      if (Next.getOpcode() == Heddle::BSYNC &&
          Next.getOperand(0).getReg() == MI.getOperand(0).getReg())
        return MachineOperand::CreateMCSymbol(labelBefore(Next));
    MachineBasicBlock *Meet = findMeetingBlock(MI);
    if (!Meet)
      return std::nullopt;
    // No branch may lead there, and then it would have no label.
    Meet->setLabelMustBeEmitted();
    return MachineOperand::CreateMBB(Meet);
  }

  static MCSymbol *labelBefore(MachineInstr &MI) {
    MachineFunction &MF = *MI.getMF();
    if (!MI.getPreInstrSymbol())
      MI.setPreInstrSymbol(MF, MF.getContext().createNamedTempSymbol("meet"));
    return MI.getPreInstrSymbol();
  }

  static MachineBasicBlock *findMeetingBlock(MachineInstr &MI) {
    Register B = MI.getOperand(0).getReg();
    MachineBasicBlock *Start = MI.getParent();
    SmallPtrSet<MachineBasicBlock *, 16> Seen;
    SmallVector<MachineBasicBlock *, 16> Work{Start};
    while (!Work.empty())
      for (MachineBasicBlock *S : Work.pop_back_val()->successors()) {
        if (!Seen.insert(S).second)
          continue;
        if (meets(S->begin(), S->end(), B))
          return S;
        Work.push_back(S);
      }
    return nullptr;
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Passes
//===----------------------------------------------------------------------===//

bool HeddleConvergence::runOnMachineFunction(MachineFunction &MF) {
  Converged = Converger(MF, Waiting).run(getAnalysis<HeddleUniformity>());
  return true;
}

void HeddleConvergence::getAnalysisUsage(AnalysisUsage &AU) const {
  AU.addRequired<HeddleUniformity>();
  MachineFunctionPass::getAnalysisUsage(AU);
}

char HeddleConvergence::ID = 0;
char HeddleBarrierTargets::ID = 0;

INITIALIZE_PASS_BEGIN(HeddleConvergence, DEBUG_TYPE, "Heddle convergence",
                      false, false)
INITIALIZE_PASS_DEPENDENCY(HeddleUniformity)
INITIALIZE_PASS_END(HeddleConvergence, DEBUG_TYPE, "Heddle convergence", false,
                    false)
INITIALIZE_PASS(HeddleBarrierTargets, "heddle-barrier-targets",
                "Heddle barrier targets", false, false)

FunctionPass *llvm::createHeddleConvergencePass() {
  return new HeddleConvergence();
}
FunctionPass *llvm::createHeddleBarrierTargetsPass() {
  return new HeddleBarrierTargets();
}
