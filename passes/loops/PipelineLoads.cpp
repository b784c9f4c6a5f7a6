//===- PipelineLoads.cpp - Loads of the next iteration ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that starts with loads waits for them in every iteration. If it is
// known at an iteration's start whether there is another iteration, and where
// that one loads,
//
//     do { v = load(p); work(v); p = next(p); } while (more(p));
//
// becomes
//
//     v = load(p);
//     do { if (more(next(p))) w = load(next(p));
//          work(v); p = next(p); v = w; } while (more(p));
//
// so that the loads of the next iteration are on their way during this one's
// work. No thread loads what it would not have loaded. The new branch becomes
// guards on the loads.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/LoopLine.h"
#include "heddle/IR/LoopPlan.h"
#include "heddle/IR/ProfileMetadata.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Attributes.h"
#include "passes/loops/Passes.h"

#include "passes/loops/LoadMotion.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-pipeline-loads"

namespace heddle::passes {

namespace {

/// Instructions that are repeated to know the next iteration's addresses and
/// whether there is one.
constexpr unsigned MostRepeated = 24;
/// Iterations of a warp in the loop, each time that it comes there, from which
/// on this pays.
constexpr double LeastTripCount = 3;
/// Instructions of an iteration that the loads can hide behind, at least, and
/// for each load, which is one of them: loads that are many wait together
/// anyhow.
constexpr double LeastWork = 8, LeastWorkOfEach = 4;

/// With a profile, and no other sign that it pays: instructions of an iteration
/// that is too long for a wait in it to show.
constexpr double MostWork = 256;

/// Without a profile: iterations that a loop must be able to have,
/// instructions of an iteration behind which few loads are hidden in any case,
/// and how many those are.
constexpr unsigned LeastTripCountByRule = 4;
constexpr double LeastWorkByRule = 64;
constexpr size_t FewLoads = 2;
/// Instructions that are looked at to find what an address is made of.
constexpr unsigned MostFollowed = 64;

/// What it takes to know addresses an iteration ahead.
struct Ahead {
  Instructions Addresses;            ///< Of the header's PHIs.
  SmallSetVector<PHINode *, 8> Phis; ///< That they use.
  Instructions Steps;                ///< To those PHIs' next values.
};

class Pipeliner {
public:
  Pipeliner(Loop &L, ScalarEvolution &SE, AAResults &AA,
            BlockFrequencyInfo &BFI, unsigned MostBits, bool IsByRule)
      : L(L), SE(SE), AA(AA), Often(BFI), MostBits(MostBits),
        IsByRule(IsByRule), Header(L.getHeader()), Latch(L.getLoopLatch()) {}

  /// How many loads it moved.
  unsigned run() {
    if (MostBits == 0 || !hasForm() || !isWorthIt() || !staysFinite())
      return 0;
    auto *Branch = cast<BranchInst>(Latch->getTerminator());
    if (!collect(Branch->getCondition(), Repeated))
      return 0;
    findLoads();
    if (Loads.empty() || (IsByRule && !(pays() && hasWorkForAll())))
      return 0;
    rewrite();
    return Loads.size();
  }

private:
  /// One way in, one way round and out, both at the end.
  bool hasForm() const {
    const auto *Branch =
        Latch ? dyn_cast<BranchInst>(Latch->getTerminator()) : nullptr;
    return Branch && Branch->isConditional() && L.isLoopSimplifyForm() &&
           L.getExitingBlock() == Latch;
  }

  /// A profile of few iterations is no reason to do less than without one: the
  /// first load starts earlier, too.
  bool isWorthIt() const {
    return (tripCount() >= LeastTripCount ||
            Header->getParent()->hasFnAttribute(attr::LoopsLeft)) &&
           Often.work(L.blocks()) >= LeastWork * Often.of(Header);
  }

  /// Of a warp, which stays in the loop as long as one of its threads does.
  double tripCount() const {
    double OfThread = Often.of(Header) / Often.of(L.getLoopPreheader());
    auto Ways = ir::divergenceOf(*Latch->getTerminator());
    auto Stays = ir::tripsOf(L);
    return Ways && Ways->Divergent && Stays
               ? std::max(OfThread, Stays->ofWarp())
               : OfThread;
  }

  bool pays() const {
    bool IsCounted = Header->getParent()->hasProfileData() &&
                     tripCount() >= LeastTripCount &&
                     Often.work(L.blocks()) <= MostWork * Often.of(Header);
    return (IsCounted && waitsLong()) || paysByRule();
  }

  bool hasWorkForAll() const {
    return Often.work(L.blocks()) >= LeastWorkOfEach *
                                         static_cast<double>(Loads.size()) *
                                         Often.of(Header);
  }

  /// Whether a load may be of memory that is far away.
  bool waitsLong() const {
    return any_of(Loads, [](const LoadInst *Load) {
      unsigned Space = Load->getPointerAddressSpace();
      return Space != addrspace::Shared && Space != addrspace::Const &&
             Space != addrspace::Param;
    });
  }

  /// Whether there are signs that a warp waits long for the loads, and others
  /// cannot fill the time: it needs what was loaded to know where to load next,
  /// all warps wait for each other, or there is much work. nvcc and clang have
  /// unrolled loops without them so that several iterations' loads wait
  /// together.
  bool paysByRule() const {
    unsigned Most = SE.getSmallConstantMaxTripCount(&L);
    if (Most != 0 && Most < LeastTripCountByRule)
      return false;
    return hasBarrier() ||
           any_of(Loads,
                  [&](LoadInst *Load) { return leadsToAddress(*Load); }) ||
           (Loads.size() <= FewLoads &&
            Often.work(L.blocks()) >= LeastWorkByRule * Often.of(Header));
  }

  bool hasBarrier() const {
    return any_of(L.blocks(), [](const BasicBlock *B) {
      return any_of(*B, [](const Instruction &I) {
        const auto *Call = dyn_cast<CallBase>(&I);
        return Call && Call->isConvergent() && Call->mayWriteToMemory();
      });
    });
  }

  /// Whether the loop accesses memory at an address made of what is loaded.
  bool leadsToAddress(LoadInst &Load) const {
    SmallSetVector<const Instruction *, 16> Followed;
    Followed.insert(&Load);
    for (size_t I = 0; I != Followed.size() && I != MostFollowed; ++I)
      for (const User *U : Followed[I]->users()) {
        const auto *Use = cast<Instruction>(U);
        if (!L.contains(Use) || isa<PHINode>(Use))
          continue;
        if (getLoadStorePointerOperand(Use) == Followed[I])
          return true;
        if (!Use->mayReadOrWriteMemory())
          Followed.insert(Use);
      }
    return false;
  }

  /// Whether every iteration that starts comes to its end.
  bool staysFinite() const {
    for (const Loop *Inner : L.getLoopsInPreorder())
      if (Inner != &L &&
          isa<SCEVCouldNotCompute>(SE.getSymbolicMaxBackedgeTakenCount(Inner)))
        return false;
    return all_of(L.blocks(), [](const BasicBlock *B) {
      return isGuaranteedToTransferExecutionToSuccessor(B);
    });
  }

  /// The instructions of the loop that compute V of the header's PHIs and of
  /// nothing that was loaded, operands first; false if there are others.
  bool collect(Value *V, Instructions &Into) const {
    return collectComputation(
        V,
        [&](const Instruction &I) {
          return !L.contains(&I) ||
                 (isa<PHINode>(I) && I.getParent() == Header);
        },
        MostRepeated, Into);
  }

  /// The header's PHIs that the instructions and V use.
  void findPhis(Value *V, ArrayRef<Instruction *> Users,
                SmallSetVector<PHINode *, 8> &Phis) const {
    auto Add = [&](Value *Operand) {
      if (auto *Phi = dyn_cast<PHINode>(Operand);
          Phi && Phi->getParent() == Header)
        Phis.insert(Phi);
    };
    Add(V);
    for (Instruction *I : Users)
      for (Value *Operand : I->operands())
        Add(Operand);
  }

  /// Adds what it takes to know the next iteration's address when this one
  /// starts; false if that cannot be known.
  bool collectNext(Value *Pointer, Ahead &A) const {
    if (!collect(Pointer, A.Addresses))
      return false;
    findPhis(Pointer, A.Addresses.getArrayRef(), A.Phis);
    return all_of(A.Phis, [&](PHINode *Phi) {
      return collect(Phi->getIncomingValueForBlock(Latch), A.Steps);
    });
  }

  bool canMove(LoadInst &Load) const {
    if (!Load.isSimple() || Load.getPointerAddressSpace() == addrspace::Param)
      return false;
    if (Load.hasMetadata(LLVMContext::MD_invariant_load))
      return true;
    MemoryLocation Where = MemoryLocation::get(&Load);
    return none_of(L.blocks(), [&](BasicBlock *B) {
      return any_of(*B, [&](Instruction &I) {
        return I.mayWriteToMemory() && isModSet(AA.getModRefInfo(&I, Where));
      });
    });
  }

  void findLoads() {
    unsigned Bits = 0;
    const DataLayout &DL = Header->getDataLayout();
    for (Instruction &I : *Header) {
      auto *Load = dyn_cast<LoadInst>(&I);
      if (!Load || L.isLoopInvariant(Load->getPointerOperand()) ||
          !canMove(*Load))
        continue;
      unsigned Size = DL.getTypeSizeInBits(Load->getType());
      Ahead Tried = Next;
      if (Bits + Size > MostBits ||
          !collectNext(Load->getPointerOperand(), Tried))
        continue;
      Next = std::move(Tried);
      Loads.push_back(Load);
      Bits += Size;
    }
  }

  /// Copies instructions to the end of what B has, with Map's values in place
  /// of their operands.
  static void copy(ArrayRef<Instruction *> Originals, IRBuilder<> &B,
                   ValueToValueMapTy &Map) {
    for (Instruction *I : Originals) {
      Instruction *Copy = I->clone();
      RemapInstruction(Copy, Map,
                       RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      Map[I] = B.Insert(Copy);
    }
  }

  static Value *mapped(Value *V, const ValueToValueMapTy &Map) {
    Value *Copy = Map.lookup(V);
    return Copy ? Copy : V;
  }

  LoadInst *copyLoad(LoadInst *Load, IRBuilder<> &B, ValueToValueMapTy &Map) {
    auto *Copy = cast<LoadInst>(Load->clone());
    Copy->setOperand(LoadInst::getPointerOperandIndex(),
                     mapped(Load->getPointerOperand(), Map));
    return B.Insert(Copy);
  }

  void rewrite() {
    BasicBlock *Preheader = L.getLoopPreheader();
    auto *Branch = cast<BranchInst>(Latch->getTerminator());
    // The first iteration's.
    IRBuilder<> B(Preheader->getTerminator());
    ValueToValueMapTy First;
    for (PHINode *Phi : Next.Phis)
      First[Phi] = Phi->getIncomingValueForBlock(Preheader);
    copy(Next.Addresses.getArrayRef(), B, First);
    SmallVector<Value *, 8> Initial;
    for (LoadInst *Load : Loads)
      Initial.push_back(copyLoad(Load, B, First));

    // Whether there is another iteration, and where it loads.
    BasicBlock::iterator Start = Header->getFirstInsertionPt();
    B.SetInsertPoint(Header, Start);
    ValueToValueMapTy Now;
    copy(Repeated.getArrayRef(), B, Now);
    Value *More = mapped(Branch->getCondition(), Now);
    if (Branch->getSuccessor(0) != Header)
      More = B.CreateNot(More);
    copy(remove(Next.Steps, Repeated), B, Now);
    ValueToValueMapTy Then;
    for (PHINode *Phi : Next.Phis)
      Then[Phi] = mapped(Phi->getIncomingValueForBlock(Latch), Now);
    copy(Next.Addresses.getArrayRef(), B, Then);

    BasicBlock *Work = SplitBlock(Header, Start);
    if (Latch == Header)
      Latch = Work;
    LLVMContext &C = Header->getContext();
    BasicBlock *Loading =
        BasicBlock::Create(C, "ahead", Header->getParent(), Work);
    Header->getTerminator()->eraseFromParent();
    B.SetInsertPoint(Header);
    B.CreateCondBr(More, Loading, Work,
                   Branch->getMetadata(LLVMContext::MD_prof));
    B.SetInsertPoint(Loading);
    for (auto [Load, FirstValue] : zip_equal(Loads, Initial)) {
      LoadInst *Later = copyLoad(Load, B, Then);
      // In the last iteration no value is needed.
      PHINode *Chosen = PHINode::Create(Load->getType(), 2, "", Work->begin());
      Chosen->addIncoming(Later, Loading);
      Chosen->addIncoming(PoisonValue::get(Load->getType()), Header);
      PHINode *Value = PHINode::Create(Load->getType(), 2, "", Header->begin());
      Value->addIncoming(FirstValue, Preheader);
      Value->addIncoming(Chosen, Latch);
      Load->replaceAllUsesWith(Value);
      Load->eraseFromParent();
    }
    B.CreateBr(Work);
  }

  static SmallVector<Instruction *, 16> remove(const Instructions &From,
                                               const Instructions &Those) {
    SmallVector<Instruction *, 16> Rest;
    copy_if(From, std::back_inserter(Rest),
            [&](Instruction *I) { return !Those.contains(I); });
    return Rest;
  }

  Loop &L;
  ScalarEvolution &SE;
  AAResults &AA;
  Frequencies Often;
  unsigned MostBits; ///< Of registers that the loop may hold ahead.
  bool IsByRule;     ///< No option asks for it.
  BasicBlock *Header, *Latch;
  Instructions Repeated; ///< For the latch's condition.
  SmallVector<LoadInst *, 8> Loads;
  Ahead Next;
};

} // namespace

/// The headers of loops, which stay what they are when others change.
static SmallVector<BasicBlock *, 16> headersOf(Function &F,
                                               const LoopInfo &LI) {
  SmallVector<BasicBlock *, 16> Headers;
  for (BasicBlock &B : F)
    if (LI.isLoopHeader(&B))
      Headers.push_back(&B);
  return Headers;
}

PreservedAnalyses PipelineLoadsPass::run(Function &F,
                                         FunctionAnalysisManager &AM) {
  if (ir::planOf(F).RegistersAhead == 0)
    return PreservedAnalyses::all();
  bool Changed = false;
  for (BasicBlock *Header : headersOf(F, AM.getResult<LoopAnalysis>(F))) {
    Loop *L = AM.getResult<LoopAnalysis>(F).getLoopFor(Header);
    DebugLoc Start = ir::lineOf(*L);
    unsigned Loads = Pipeliner(*L, AM.getResult<ScalarEvolutionAnalysis>(F),
                               AM.getResult<AAManager>(F),
                               AM.getResult<BlockFrequencyAnalysis>(F),
                               ir::registersAhead(F, *L) * RegisterBits,
                               ir::isAheadByRule(*L))
                         .run();
    if (Loads == 0)
      continue;
    Changed = true;
    AM.invalidate(F, PreservedAnalyses::none());
    AM.getResult<OptimizationRemarkEmitterAnalysis>(F).emit([&] {
      return OptimizationRemark(DEBUG_TYPE, "Pipelined", Start, Header)
             << ore::NV("Loads", Loads)
             << " loads of a loop start one iteration ahead";
    });
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::passes
