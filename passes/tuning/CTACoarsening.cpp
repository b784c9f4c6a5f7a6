//===- CTACoarsening.cpp - One CTA for the work of several ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with Knob::CoarsenCTAs does the work of K CTAs that are neighbours
// in x. Each instruction whose result depends on %ctaid.x, a *varying* one, is
// there once for each of them, next to each other: K loads are on their way at
// a time, and what does not depend on it is computed once.
//
// CTAs run in any order and independently of each other, so that they may
// alternate instruction by instruction. Where a branch sends them different
// ways, they go *apart*, one after the other, to where those ways meet again;
// if they do not, the whole work starts again from the beginning, one CTA after
// the other, so that nothing may have been stored before. The object says K,
// and the device starts a CTA for each whole K, and one for each that is left
// over, which does the work as it was written.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/Kernels.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Tuning/Knobs.h"
#include "passes/tuning/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace heddle::tuning;
using namespace llvm;

#define DEBUG_TYPE "heddle-cta-coarsening"

namespace heddle::passes {

namespace {

/// Instructions of a kernel and all its copies, at most.
constexpr size_t MostInstructions = 16384;

/// What a kernel may read without making the CTA that it runs in known.
bool isPlainRegister(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return true;
  default:
    return false;
  }
}

/// Operations of the threads of a warp or a CTA that leave memory alone, or
/// order it in the CTA.
bool isTogether(Intrinsic::ID Id) {
  switch (Id) {
  case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
  case Intrinsic::nvvm_bar_warp_sync:
  case Intrinsic::nvvm_shfl_sync_bfly_i32:
  case Intrinsic::nvvm_shfl_sync_down_i32:
  case Intrinsic::nvvm_shfl_sync_up_i32:
  case Intrinsic::nvvm_shfl_sync_idx_i32:
    return true;
  default:
    return false;
  }
}

/// The values that an original one has in the merged code: one for each CTA.
using Copies = SmallVector<Value *, 8>;

/// What lies between a branch and the place where its ways meet.
struct Region {
  BasicBlock *Begin, *End; ///< Neither is a part of it.
  SmallSetVector<BasicBlock *, 8> Inside;
  /// CTAs go apart even if they go the same way: on it they may part for good.
  bool IsAlwaysApart = false;
};

/// The way from a merged branch through a region, for one CTA after the other.
struct Detour {
  const Region *Of = nullptr;
  BasicBlock *First = nullptr, *Last = nullptr;
  DenseMap<PHINode *, Copies> Results; ///< Of the phis where the ways meet.
};

class Merger {
public:
  Merger(Function &F, unsigned K)
      : F(F), K(K), Dominators(F), PostDominators(F) {}

  /// Why the kernel stays as it is; empty if it does not.
  StringRef run() {
    if (!isFit() || !findShared() || !findBranches())
      return Why;
    prepareEntry();
    merge();
    for (Detour &D : Detours)
      build(D);
    fillPHIs();
    keepApart();
    F.addFnAttr(attr::MergedCTAs, utostr(K));
    return {};
  }

private:
  bool isFit();
  bool isFit(const Instruction &I);
  bool isFitCall(const CallBase &Call);
  bool no(StringRef Reason) {
    Why = Reason;
    return false;
  }
  bool findShared();
  bool findVarying();
  bool isSource(const Instruction &I) const;
  bool findBranches();
  bool lookAtBranches();
  bool lookAt(BasicBlock &Block);
  bool goesApartAround(BasicBlock &Block);
  std::optional<Region> regionOf(BasicBlock &Block) const;
  void prepareEntry();
  void merge();
  void mergeInstruction(Instruction &I, IRBuilder<> &B);
  void mergeTerminator(BasicBlock &Block);
  void mergeBranch(BranchInst &Branch, IRBuilder<> &B);
  BasicBlock *wayApart(BasicBlock *Block);
  void build(Detour &D);
  BasicBlock *buildFor(Detour &D, BasicBlock *From, unsigned Index);
  void fillPHIs();
  void keepApart();
  Value *copyOf(Value *V, unsigned Index) const;
  Instruction *clone(Instruction &I, unsigned Index, IRBuilder<> &B) const;
  void markApart(Instruction &Clone, unsigned Index) const;
  bool varies(const Value *V) const { return Varying.contains(V); }

  Function &F;
  const unsigned K;
  StringRef Why; ///< What the kernel has that does not allow it.
  SmallVector<BasicBlock *> Blocks; ///< Of the kernel as it was.
  SmallVector<Instruction *> Ids;   ///< Reads of %ctaid.x.
  SmallSetVector<GlobalVariable *, 4> Shared;
  SmallPtrSet<const Value *, 32> Varying;
  DominatorTree Dominators;
  PostDominatorTree PostDominators;
  bool HasConvergent = false;        ///< Threads do something together.
  SmallVector<BasicBlock *> Effects; ///< Blocks that write memory.
  /// Of the branches that may send CTAs different ways: what lies between them
  /// and the place where they meet again. The others start again.
  MapVector<BasicBlock *, Region> Regions;
  bool Restarts = false;
  std::vector<Detour> Detours;
  DenseMap<Value *, Copies> Map;
  /// Merged blocks, and of each the one that its successors come from by the
  /// second way of its branch.
  DenseMap<BasicBlock *, BasicBlock *> MergedBlocks, SecondBlocks;
  SmallVector<MDNode *> Scopes, OtherScopes; ///< Of each CTA's accesses.
  BasicBlock *Entry = nullptr, *ApartAll = nullptr;
  Value *Base = nullptr; ///< %ctaid.x as the device gives it.
};

} // namespace

//===----------------------------------------------------------------------===//
// Which kernels
//===----------------------------------------------------------------------===//

bool Merger::isFitCall(const CallBase &Call) {
  Intrinsic::ID Id = Call.getIntrinsicID();
  if (Call.isInlineAsm() || !Call.getCalledFunction())
    return no("it calls through a pointer");
  if (Call.getCalledFunction()->getName().starts_with(
          "llvm.nvvm.read.ptx.sreg."))
    return isPlainRegister(Id) ||
           no("it reads a special register that may tell CTAs from each other");
  if (isTogether(Id))
    return true;
  if (Call.isConvergent())
    return no("its threads do something together that several CTAs cannot do "
              "in turn");
  // A function of the program may read %ctaid.x itself.
  bool IsBuiltin =
      Id || Call.getCalledFunction()->getName().starts_with("__heddle_");
  return (IsBuiltin && Call.doesNotAccessMemory() && Call.doesNotThrow()) ||
         no("it calls something that may have effects");
}

static bool isOfShared(unsigned AddressSpace) {
  return AddressSpace == addrspace::Shared;
}

bool Merger::isFit(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallBase>(&I))
    return isFitCall(*Call);
  StringRef Ordered = "it has volatile or ordered accesses";
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return Load->isSimple() || no(Ordered);
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return Store->isSimple() || no(Ordered);
  // What is added to memory is not waited for.
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&I)) {
    if (RMW->isVolatile() || RMW->getOrdering() != AtomicOrdering::Monotonic)
      return no(Ordered);
    return (RMW->use_empty() && !isOfShared(RMW->getPointerAddressSpace())) ||
           no("it uses the result of an atomic operation, or has one in shared "
              "memory");
  }
  if (const auto *A = dyn_cast<AllocaInst>(&I))
    return A->isStaticAlloca() || no("its stack grows");
  if (I.isTerminator())
    return isa<BranchInst, ReturnInst, SwitchInst>(I) ||
           no("it ends in another way than by returning");
  return !I.mayReadOrWriteMemory() || no(Ordered);
}

bool Merger::isFit() {
  if (!ir::isKernel(F))
    return no("it is no kernel");
  if (F.hasFnAttribute(attr::ReqNCTAPerCluster) ||
      F.hasFnAttribute(attr::MaxClusterRank) ||
      F.hasFnAttribute(attr::ExplicitCluster))
    return no("it has clusters");
  if (F.hasFnAttribute(attr::DynamicShared))
    return no("its shared memory is sized at launch");
  if (F.getInstructionCount() * size_t(K + 1) > MostInstructions)
    return no("it is too long");
  return all_of(F, [&](const BasicBlock &Block) {
    return all_of(Block, [&](const Instruction &I) { return isFit(I); });
  });
}

/// The shared variables, which must be the kernel's own: each CTA gets its
/// copy.
bool Merger::findShared() {
  SmallVector<Constant *> Variables;
  for (GlobalVariable &G : F.getParent()->globals())
    if (isOfShared(G.getAddressSpace()))
      Variables.push_back(&G);
  convertUsersOfConstantsToInstructions(Variables);
  for (Constant *C : Variables) {
    auto *G = cast<GlobalVariable>(C);
    bool IsUsed = any_of(G->users(), [&](const User *U) {
      const auto *I = dyn_cast<Instruction>(U);
      return I && I->getFunction() == &F;
    });
    if (!IsUsed)
      continue;
    if (!G->hasLocalLinkage() || !all_of(G->users(), [&](const User *U) {
          const auto *I = dyn_cast<Instruction>(U);
          return I && I->getFunction() == &F;
        }))
      return no("its shared memory is sized at launch or not its own");
    Shared.insert(G);
  }
  return true;
}

/// What has a value for each CTA of its own.
bool Merger::isSource(const Instruction &I) const {
  if (I.getType()->isVoidTy())
    return false;
  if (const auto *Load = dyn_cast<LoadInst>(&I))
    return !Load->hasMetadata(LLVMContext::MD_invariant_load);
  return isa<AllocaInst>(I);
}

/// Adds to Varying what depends on what is in it, and on %ctaid.x.
bool Merger::findVarying() {
  SmallVector<const Value *> Work(Varying.begin(), Varying.end());
  auto Add = [&](const Value *V) {
    if (Varying.insert(V).second)
      Work.push_back(V);
  };
  for (Instruction *Id : Ids)
    Add(Id);
  for (GlobalVariable *G : Shared)
    Add(G);
  for (const Instruction &I : instructions(F))
    if (isSource(I))
      Add(&I);
  while (!Work.empty())
    for (const User *U : Work.pop_back_val()->users())
      if (const auto *I = dyn_cast<Instruction>(U); I && I->getFunction() == &F)
        Add(I);
  return !Ids.empty() || no("it does not read %ctaid.x");
}

static bool hasEffect(const Instruction &I) {
  return I.mayWriteToMemory() && !isa<IntrinsicInst>(I);
}

/// Whether threads do something together there.
static bool hasConvergent(const BasicBlock *Block) {
  return any_of(*Block, [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->isConvergent();
  });
}

static bool isId(const Instruction &I) {
  const auto *Call = dyn_cast<IntrinsicInst>(&I);
  return Call &&
         Call->getIntrinsicID() == Intrinsic::nvvm_read_ptx_sreg_ctaid_x;
}

/// Whether nothing is done from there on.
static bool isEnd(const BasicBlock &Block) {
  return isa<ReturnInst>(Block.front());
}

/// What lies between a branch and the place where its ways meet; none if they
/// do not, or if there are other ways into it.
std::optional<Region> Merger::regionOf(BasicBlock &Block) const {
  const auto *Node = PostDominators.getNode(&Block);
  const auto *Next = Node ? Node->getIDom() : nullptr;
  if (!Next || !Next->getBlock())
    return std::nullopt;
  Region R{&Block, Next->getBlock(), {}, false};
  SmallVector<BasicBlock *> Work(successors(&Block));
  while (!Work.empty()) {
    BasicBlock *Inner = Work.pop_back_val();
    if (Inner == R.End)
      continue;
    if (Inner == &Block || !Dominators.dominates(&Block, Inner))
      return std::nullopt;
    if (R.Inside.insert(Inner))
      Work.append(succ_begin(Inner), succ_end(Inner));
  }
  return R;
}

/// Finds out what is done if CTAs go different ways; false if nothing can be.
bool Merger::lookAt(BasicBlock &Block) {
  if (!isa<BranchInst>(Block.getTerminator()))
    return false;
  bool MayRestart = !HasConvergent && none_of(Effects, [&](BasicBlock *E) {
    return isPotentiallyReachable(E, &Block);
  });
  std::optional<Region> R = regionOf(Block);
  // Where CTAs that are out of bounds have nothing to do, few go apart.
  bool IsBound = any_of(successors(&Block),
                        [](const BasicBlock *To) { return isEnd(*To); });
  if (MayRestart && (IsBound || !R)) {
    Restarts = true;
    return true;
  }
  // Threads of a warp may go different ways into it.
  if (!R || any_of(R->Inside, hasConvergent))
    return false;
  Regions.insert({&Block, std::move(*R)});
  return true;
}

/// Lets CTAs go apart where the innermost region around a block begins; false
/// if there is none.
bool Merger::goesApartAround(BasicBlock &Block) {
  for (auto &[Begin, R] : reverse(Regions))
    if (R.Inside.contains(&Block))
      return R.IsAlwaysApart = true;
  return false;
}

bool Merger::lookAtBranches() {
  Regions.clear();
  Restarts = false;
  for (BasicBlock &Block : F)
    if (Instruction *T = Block.getTerminator(); T->getNumSuccessors() > 1 &&
                                                varies(T) && !lookAt(Block) &&
                                                !goesApartAround(Block))
      return no("CTAs go different ways, and cannot begin again");
  return true;
}

/// Looks at the branches that may send CTAs different ways; false if one cannot
/// be made up for.
bool Merger::findBranches() {
  for (BasicBlock &Block : F) {
    if (any_of(Block, hasEffect))
      Effects.push_back(&Block);
    for (Instruction &I : Block) {
      if (isId(I))
        Ids.push_back(&I);
    }
    HasConvergent |= hasConvergent(&Block);
  }
  // Where different ways meet there are different values, on which more
  // branches may depend.
  for (size_t Known = SIZE_MAX; Known != Varying.size();) {
    if (!findVarying() || !lookAtBranches())
      return false;
    Known = Varying.size();
    for (const auto &[Block, R] : Regions)
      for (PHINode &Phi : R.End->phis())
        Varying.insert(&Phi);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Together
//===----------------------------------------------------------------------===//

Value *Merger::copyOf(Value *V, unsigned Index) const {
  auto At = Map.find(V);
  return At == Map.end() ? V : At->second[Index];
}

/// The device gives numbers of CTAs that K divides, but for those left over.
void Merger::prepareEntry() {
  LLVMContext &C = F.getContext();
  for (BasicBlock &Block : F)
    Blocks.push_back(&Block);
  BasicBlock *Original = &F.getEntryBlock();
  Entry = BasicBlock::Create(C, "", &F, Original);
  IRBuilder<> B(Entry);
  Base = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {});
  Copies Numbers{Base};
  for (unsigned Index = 1; Index != K; ++Index)
    Numbers.push_back(B.CreateNUWAdd(Base, B.getInt32(Index)));
  for (Instruction *Id : Ids)
    Map[Id] = Numbers;
  for (GlobalVariable *G : Shared) {
    Copies &Variables = Map[G];
    Variables.push_back(G);
    for (unsigned Index = 1; Index != K; ++Index) {
      auto *Other = new GlobalVariable(
          *F.getParent(), G->getValueType(), G->isConstant(), G->getLinkage(),
          UndefValue::get(G->getValueType()), G->getName(), G,
          G->getThreadLocalMode(), G->getAddressSpace());
      Other->copyAttributesFrom(G);
      Variables.push_back(Other);
    }
  }
  MDBuilder Nodes(C);
  MDNode *Domain = Nodes.createAnonymousAliasScopeDomain();
  SmallVector<Metadata *> All;
  for (unsigned Index = 0; Index != K; ++Index)
    All.push_back(Nodes.createAnonymousAliasScope(Domain));
  for (unsigned Index = 0; Index != K; ++Index) {
    SmallVector<Metadata *> Others(All);
    Others.erase(Others.begin() + Index);
    Scopes.push_back(MDNode::get(C, All[Index]));
    OtherScopes.push_back(MDNode::get(C, Others));
  }
}

/// Nothing orders the accesses of one CTA and those of another.
void Merger::markApart(Instruction &Clone, unsigned Index) const {
  if (!isa<LoadInst, StoreInst>(Clone))
    return;
  auto Add = [&](unsigned Kind, MDNode *Node) {
    Clone.setMetadata(Kind, MDNode::concatenate(Clone.getMetadata(Kind), Node));
  };
  Add(LLVMContext::MD_alias_scope, Scopes[Index]);
  Add(LLVMContext::MD_noalias, OtherScopes[Index]);
}

Instruction *Merger::clone(Instruction &I, unsigned Index,
                           IRBuilder<> &B) const {
  Instruction *Clone = I.clone();
  B.Insert(Clone);
  if (!isa<PHINode>(I))
    for (Use &U : Clone->operands())
      U.set(copyOf(U, Index));
  return Clone;
}

void Merger::mergeInstruction(Instruction &I, IRBuilder<> &B) {
  if (is_contained(Ids, &I))
    return;
  // What has no result varies with what it is given.
  bool Repeats = varies(&I) || hasEffect(I);
  Copies Made;
  for (unsigned Index = 0; Index != K; ++Index) {
    if (Index != 0 && !Repeats) {
      Made.push_back(Made.front());
      continue;
    }
    Made.push_back(clone(I, Index, B));
    if (Repeats)
      markApart(*cast<Instruction>(Made.back()), Index);
  }
  Map[&I] = std::move(Made);
}

/// Where CTAs go that do not go the same way.
BasicBlock *Merger::wayApart(BasicBlock *Block) {
  auto R = Regions.find(Block);
  if (R == Regions.end())
    return ApartAll;
  Detour &D = Detours.emplace_back();
  D.Of = &R->second;
  D.First = BasicBlock::Create(F.getContext(), "", &F);
  return D.First;
}

/// All one way, all the other way, or apart.
void Merger::mergeBranch(BranchInst &Branch, IRBuilder<> &B) {
  BasicBlock *Block = Branch.getParent();
  if (auto R = Regions.find(Block);
      R != Regions.end() && R->second.IsAlwaysApart)
    return B.CreateBr(wayApart(Block)), void();
  // The way that has something to do is asked for first.
  bool First = !isEnd(*Branch.getSuccessor(0)), Second = !First;
  SmallVector<Value *> Conditions;
  for (unsigned Index = 0; Index != K; ++Index) {
    Value *Condition = copyOf(Branch.getCondition(), Index);
    Conditions.push_back(First ? Condition : B.CreateNot(Condition));
  }
  auto *Other = BasicBlock::Create(F.getContext(), "", &F);
  SecondBlocks[Block] = Other;
  B.CreateCondBr(B.CreateAnd(Conditions),
                 MergedBlocks[Branch.getSuccessor(Second)], Other);
  B.SetInsertPoint(Other);
  B.CreateCondBr(B.CreateOr(Conditions), wayApart(Block),
                 MergedBlocks[Branch.getSuccessor(First)]);
}

void Merger::mergeTerminator(BasicBlock &Block) {
  Instruction *T = Block.getTerminator();
  IRBuilder<> B(MergedBlocks[&Block]);
  B.SetCurrentDebugLocation(T->getDebugLoc());
  // Others are on ways that are gone apart.
  if (T->getNumSuccessors() > 1 && varies(T) && isa<BranchInst>(T))
    return mergeBranch(*cast<BranchInst>(T), B);
  Instruction *Clone = clone(*T, 0, B);
  for (unsigned N = 0; N != Clone->getNumSuccessors(); ++N)
    Clone->setSuccessor(N, MergedBlocks[T->getSuccessor(N)]);
}

/// The region as it was for one CTA, behind From. Returns where it ends.
BasicBlock *Merger::buildFor(Detour &D, BasicBlock *From, unsigned Index) {
  LLVMContext &C = F.getContext();
  const Region &R = *D.Of;
  auto *End = BasicBlock::Create(C, "", &F);
  DenseMap<BasicBlock *, BasicBlock *> To{{R.End, End}, {R.Begin, From}};
  for (BasicBlock *Block : R.Inside)
    To[Block] = BasicBlock::Create(C, "", &F);
  DenseMap<Value *, Value *> Own;
  auto ValueOf = [&](Value *V) {
    auto At = Own.find(V);
    return At == Own.end() ? copyOf(V, Index) : At->second;
  };
  SmallVector<Instruction *> Made;
  auto Copy = [&](Instruction &I, BasicBlock *Into) {
    Instruction *Clone = I.clone();
    Clone->insertInto(Into, Into->end());
    markApart(*Clone, Index);
    Own[&I] = Clone;
    Made.push_back(Clone);
    if (Clone->isTerminator())
      for (unsigned N = 0; N != Clone->getNumSuccessors(); ++N)
        Clone->setSuccessor(N, To[Clone->getSuccessor(N)]);
  };
  Copy(*R.Begin->getTerminator(), From);
  for (BasicBlock *Block : R.Inside)
    for (Instruction &I : *Block)
      Copy(I, To[Block]);
  IRBuilder<> B(End);
  for (PHINode &Phi : R.End->phis()) {
    PHINode *Result = B.CreatePHI(Phi.getType(), 2);
    for (auto [V, Block] : zip(Phi.incoming_values(), Phi.blocks()))
      if (To.contains(Block))
        Result->addIncoming(ValueOf(V), To[Block]);
    D.Results[&Phi].push_back(Result);
  }
  for (Instruction *I : Made) {
    for (Use &U : I->operands())
      if (!isa<BasicBlock>(U))
        U.set(ValueOf(U));
    if (auto *Phi = dyn_cast<PHINode>(I))
      for (unsigned N = 0; N != Phi->getNumIncomingValues(); ++N)
        Phi->setIncomingBlock(N, To[Phi->getIncomingBlock(N)]);
  }
  return End;
}

void Merger::build(Detour &D) {
  BasicBlock *At = D.First;
  for (unsigned Index = 0; Index != K; ++Index)
    At = buildFor(D, At, Index);
  BranchInst::Create(MergedBlocks[D.Of->End], At);
  D.Last = At;
}

void Merger::fillPHIs() {
  for (auto [Block, Merged] : MergedBlocks)
    for (PHINode &Phi : Block->phis())
      for (unsigned Index = 0; Index != (varies(&Phi) ? K : 1); ++Index) {
        auto *Clone = cast<PHINode>(copyOf(&Phi, Index));
        while (Clone->getNumIncomingValues() != 0)
          Clone->removeIncomingValue(0u, /*DeletePHIIfEmpty=*/false);
        for (auto [V, From] : zip(Phi.incoming_values(), Phi.blocks()))
          for (BasicBlock *Way :
               {MergedBlocks.lookup(From), SecondBlocks.lookup(From)})
            if (Way && is_contained(successors(Way), Merged))
              Clone->addIncoming(copyOf(V, Index), Way);
        for (Detour &D : Detours)
          if (D.Of->End == Block)
            Clone->addIncoming(D.Results[&Phi][Index], D.Last);
      }
}

void Merger::merge() {
  LLVMContext &C = F.getContext();
  ApartAll = BasicBlock::Create(C, "", &F);
  // Definitions come before uses.
  ReversePostOrderTraversal<BasicBlock *> Order(Blocks.front());
  for (BasicBlock *Block : Order)
    MergedBlocks[Block] = BasicBlock::Create(C, "", &F);
  for (BasicBlock *Block : Order) {
    IRBuilder<> B(MergedBlocks[Block]);
    for (Instruction &I : *Block)
      if (!I.isTerminator())
        mergeInstruction(I, B);
    mergeTerminator(*Block);
  }
  // Memory of their own is the function's from its start.
  BasicBlock *Merged = MergedBlocks[Blocks.front()];
  for (BasicBlock *From : {Merged, Blocks.front()})
    for (Instruction &I : make_early_inc_range(*From))
      if (isa<AllocaInst>(I))
        I.moveBefore(*Entry, Entry->begin());
}

//===----------------------------------------------------------------------===//
// Apart
//===----------------------------------------------------------------------===//

/// The kernel as it was, for the CTAs from Base on, one after the other.
void Merger::keepApart() {
  LLVMContext &C = F.getContext();
  BasicBlock *Original = Blocks.front();
  auto *Head = BasicBlock::Create(C, "", &F, Original);
  auto *Latch = BasicBlock::Create(C, "", &F);
  auto *Done = BasicBlock::Create(C, "", &F);
  ReturnInst::Create(C, Done);

  IRBuilder<> B(Entry);
  Value *Grid = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_nctaid_x, {});
  Value *Whole = B.CreateSub(Grid, B.CreateURem(Grid, B.getInt32(K)));
  auto *Single = BasicBlock::Create(C, "", &F, Original);
  B.CreateCondBr(B.CreateICmpULT(Base, Whole), MergedBlocks[Original], Single);
  B.SetInsertPoint(Single);
  B.CreateBr(Head);
  B.SetInsertPoint(ApartAll);
  if (Restarts)
    B.CreateBr(Head);
  else
    B.CreateUnreachable();

  B.SetInsertPoint(Head);
  PHINode *Id = B.CreatePHI(B.getInt32Ty(), 3);
  PHINode *Left = B.CreatePHI(B.getInt32Ty(), 3);
  Id->addIncoming(Base, Single);
  Left->addIncoming(B.getInt32(1), Single);
  if (Restarts) {
    Id->addIncoming(Base, ApartAll);
    Left->addIncoming(B.getInt32(K), ApartAll);
  }
  B.CreateBr(Original);
  for (Instruction *Read : Ids) {
    Read->replaceAllUsesWith(Id);
    Read->eraseFromParent();
  }
  for (BasicBlock *Block : Blocks)
    if (auto *Return = dyn_cast<ReturnInst>(Block->getTerminator()))
      ReplaceInstWithInst(Return, BranchInst::Create(Restarts ? Latch : Done));

  B.SetInsertPoint(Latch);
  if (!Restarts) {
    B.CreateUnreachable();
    return EliminateUnreachableBlocks(F), void();
  }
  Value *Next = B.CreateAdd(Id, B.getInt32(1));
  Value *Rest = B.CreateSub(Left, B.getInt32(1));
  Id->addIncoming(Next, Latch);
  Left->addIncoming(Rest, Latch);
  auto *Again = B.CreateCondBr(B.CreateIsNotNull(Rest), Head, Done);
  // It is not worth copies.
  MDNode *No = MDNode::get(C, MDString::get(C, "llvm.loop.unroll.disable"));
  MDNode *Loop = MDNode::getDistinct(C, {nullptr, No});
  Loop->replaceOperandWith(0, Loop);
  Again->setMetadata(LLVMContext::MD_loop, Loop);
  EliminateUnreachableBlocks(F);
}

/// Kernels written for other machines end with exit; here that is a return.
static void returnForExit(Function &F) {
  for (BasicBlock &Block : F) {
    auto *End = dyn_cast<UnreachableInst>(Block.getTerminator());
    auto *Exit =
        End ? dyn_cast_or_null<IntrinsicInst>(End->getPrevNode()) : nullptr;
    if (!Exit || Exit->getIntrinsicID() != Intrinsic::nvvm_exit)
      continue;
    ReplaceInstWithInst(End, ReturnInst::Create(F.getContext()));
    Exit->eraseFromParent();
  }
}

PreservedAnalyses CTACoarseningPass::run(Module &M, ModuleAnalysisManager &) {
  bool Changed = false;
  for (Function &F : M) {
    auto K = static_cast<unsigned>(knobOf(F, Knob::CoarsenCTAs));
    if (F.isDeclaration() || K < 2)
      continue;
    returnForExit(F);
    EliminateUnreachableBlocks(F);
    OptimizationRemarkEmitter Remarks(&F);
    StringRef Why = Merger(F, K).run();
    Remarks.emit([&] {
      OptimizationRemark Merged(DEBUG_TYPE, "Merged", &F);
      return Merged << "a CTA does the work of "
                    << ore::NV("CTAs", Why.empty() ? K : 1)
                    << (Why.empty() ? "" : ": ") << Why;
    });
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::passes
