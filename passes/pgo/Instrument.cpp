//===- Instrument.cpp - Counting in LLVM IR ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's own pass says where edges are counted; what becomes of its intrinsics
// is decided here. With counters it is calls of the device library, which add
// what threads that run together count in one step; with probes it is calls of
// __heddle_probe, which take no bytes. Both are convergent, so that no pass
// moves them to where other threads run together, and both are at the same
// places, so that they count the same.
//
//===----------------------------------------------------------------------===//

#include "passes/pgo/Instrument.h"

#include "heddle/ProfileData/Probes.h"
#include "heddle/Support/AddressSpace.h"
#include "passes/pgo/ControlFlow.h"
#include "passes/pgo/LoopCounters.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/JSON.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace heddle::pgo;
using namespace llvm;

namespace heddle::passes {

namespace {

/// Marks what is there to count only.
constexpr char CountingMark[] = "heddle.counting";

void markCounting(Instruction &I) {
  I.setMetadata(CountingMark, MDNode::get(I.getContext(), {}));
}

/// Functions that may run again, in the same thread, before they return. A
/// device cannot tell their loops' iterations apart.
SmallPtrSet<const Function *, 8> findRecursive(Module &M) {
  SmallPtrSet<const Function *, 8> Found;
  CallGraph Graph(M);
  for (auto I = scc_begin(&Graph); !I.isAtEnd(); ++I)
    if (I.hasCycle())
      for (const CallGraphNode *Node : *I)
        if (Node->getFunction())
          Found.insert(Node->getFunction());
  return Found;
}

/// Makes the functions of one module count.
class Counting {
public:
  Counting(Module &M, const CountingOptions &Options)
      : M(M), Options(Options) {}
  virtual ~Counting() = default;
  void run();

protected:
  /// Something that is counted, with the number of its first counter and what
  /// the place knows of it.
  virtual void count(IRBuilder<> &B, const FunctionShape &S, ProbeKind Kind,
                     uint32_t Index, Value *Operand) = 0;
  virtual Value *iterationsOf(Loop &L) = 0;
  /// Where leaving a loop is counted: at each exit, whose value is what
  /// iterationsOf gave there, or zero on other ways.
  using Leaving = std::pair<Instruction *, Value *>;
  virtual SmallVector<Leaving> leave(Loop &L, ArrayRef<Leaving> Exits) {
    return to_vector(Exits);
  }
  virtual void begin(Function &F, FunctionShape &S) = 0;
  virtual void end() {}
  void call(IRBuilder<> &B, StringRef Name, ArrayRef<Value *> Arguments);

  Module &M;
  const CountingOptions &Options;

private:
  /// A place whose count is inserted once the numbers of edges are known.
  struct Place {
    Instruction *Before;
    ProbeKind Kind;
    uint32_t Index;
    Value *Operand;
  };
  void findPlaces(Function &F, FunctionShape &S);
  void addLoop(Loop &L, uint32_t Index, std::vector<Place> &Places);
  void lowerIntrinsics(Function &F, const FunctionShape &S);
  void dropVariables();
  std::string addPointers();

  std::map<Function *, std::vector<Place>> PlacesOf;
  SmallPtrSet<const Function *, 8> Recursive;
};

} // namespace

void Counting::call(IRBuilder<> &B, StringRef Name,
                    ArrayRef<Value *> Arguments) {
  SmallVector<Type *> Types;
  for (Value *V : Arguments)
    Types.push_back(V->getType());
  FunctionCallee Callee = M.getOrInsertFunction(
      Name, FunctionType::get(B.getVoidTy(), Types, /*isVarArg=*/false));
  auto *F = cast<Function>(Callee.getCallee());
  F->setConvergent();
  F->setDoesNotThrow();
  CallInst *Call = B.CreateCall(Callee, Arguments);
  Call->setConvergent();
  markCounting(*Call);
}

/// Leaving a loop is counted where its exits lead to, which other ways may lead
/// to as well.
void Counting::addLoop(Loop &L, uint32_t Index, std::vector<Place> &Places) {
  Value *TripCount = iterationsOf(L);
  BasicBlock *Header = L.getHeader();
  Places.push_back(
      {&*Header->getFirstInsertionPt(), ProbeKind::Iteration, Index, nullptr});
  SmallVector<BasicBlock *> Blocks;
  L.getUniqueExitBlocks(Blocks);
  SmallVector<Leaving> Exits;
  for (BasicBlock *Exit : Blocks) {
    Value *Left = nullptr;
    if (TripCount) {
      auto *Phi = PHINode::Create(TripCount->getType(), 2, "iterations");
      Phi->insertBefore(Exit->begin());
      for (BasicBlock *From : predecessors(Exit))
        Phi->addIncoming(L.contains(From) ? TripCount
                                          : ConstantInt::get(Phi->getType(), 0),
                         From);
      Left = Phi;
    }
    Exits.emplace_back(&*Exit->getFirstInsertionPt(), Left);
  }
  for (auto [Before, Left] : leave(L, Exits))
    Places.push_back({Before, ProbeKind::Leave, Index, Left});
}

/// Before LLVM's pass splits edges.
void Counting::findPlaces(Function &F, FunctionShape &S) {
  ControlFlow Flow(F);
  std::vector<Place> &Places = PlacesOf[&F];
  for (BranchInst *Branch : Flow.branches())
    Places.push_back(
        {Branch, ProbeKind::Branch, S.Branches++, Branch->getCondition()});
  if (Recursive.contains(&F))
    return;
  for (Loop *L : Flow.loops())
    addLoop(*L, S.Loops++, Places);
}

void Counting::lowerIntrinsics(Function &F, const FunctionShape &S) {
  // Counting may split blocks.
  SmallVector<InstrProfCntrInstBase *> Found;
  for (Instruction &I : instructions(F))
    if (auto *Count = dyn_cast<InstrProfCntrInstBase>(&I))
      Found.push_back(Count);
  for (InstrProfCntrInstBase *I : Found) {
    IRBuilder<> B(I);
    if (auto *Edge = dyn_cast<InstrProfIncrementInst>(I))
      count(B, S, ProbeKind::Edge, Edge->getIndex()->getZExtValue(), nullptr);
    else if (auto *V = dyn_cast<InstrProfValueProfileInst>(I);
             V && V->getValueKind()->getZExtValue() == IPVK_IndirectCallTarget)
      count(B, S, ProbeKind::Call, V->getIndex()->getZExtValue(),
            V->getTargetValue());
    I->eraseFromParent();
  }
}

/// LLVM's pass leaves variables for a runtime that is not ours.
void Counting::dropVariables() {
  auto IsLeft = [](const GlobalVariable &G) {
    return G.getName().starts_with(getInstrProfNameVarPrefix()) ||
           G.getName() == INSTR_PROF_QUOTE(INSTR_PROF_RAW_VERSION_VAR);
  };
  removeFromUsedLists(M, [&](Constant *C) {
    auto *G = dyn_cast<GlobalVariable>(C->stripPointerCasts());
    return G && IsLeft(*G);
  });
  for (GlobalVariable &G : make_early_inc_range(M.globals()))
    if (IsLeft(G) && G.use_empty())
      G.eraseFromParent();
}

/// Puts the addresses of functions that may be called through pointers where
/// readers of counts find them, and returns the line that says where.
std::string Counting::addPointers() {
  SmallVector<Constant *> Functions;
  json::Array Names;
  std::string All;
  for (Function &F : M) {
    if (F.isDeclaration() || !F.hasAddressTaken())
      continue;
    Functions.push_back(&F);
    All += F.getName().str() + "\n";
    Names.push_back(F.getName().str());
  }
  if (Functions.empty())
    return "";
  std::string Name = "__heddle_functions_" + utohexstr(MD5Hash(All));
  Constant *Table =
      ConstantStruct::getAnon(M.getContext(), Functions, /*Packed=*/true);
  auto *Variable = new GlobalVariable(
      M, Table->getType(), /*isConstant=*/false, GlobalValue::ExternalLinkage,
      Table, Name, nullptr, GlobalValue::NotThreadLocal, addrspace::Global);
  Variable->setAlignment(Align(8));
  appendToCompilerUsed(M, {Variable});
  std::string Line;
  raw_string_ostream(Line) << json::Value(
                                  json::Object{{"pointers", Name},
                                               {"functions", std::move(Names)}})
                           << "\n";
  return Line;
}

void Counting::run() {
  std::vector<Function *> Functions = countedFunctions(M);
  Recursive = findRecursive(M);
  std::map<Function *, FunctionShape> Shapes;
  for (Function *F : Functions)
    findPlaces(*F, Shapes[F]);
  runEdgeInstrumentation(M);
  std::map<std::string, FunctionShape> Edges = edgeShapes(M);
  std::vector<FunctionShape> All;
  for (Function *F : Functions) {
    FunctionShape &S = Shapes[F];
    const FunctionShape &Found = Edges[F->getName().str()];
    S.Name = F->getName().str();
    S.Hash = Found.Hash;
    S.Edges = Found.Edges;
    S.Calls = Found.Calls;
    begin(*F, S);
    lowerIntrinsics(*F, S);
    for (const Place &P : PlacesOf[F]) {
      IRBuilder<> B(P.Before);
      count(B, S, P.Kind, P.Index, P.Operand);
    }
    end();
    All.push_back(S);
  }
  dropVariables();
  std::string Text = encodeShapes(All) + addPointers();
  embedBufferInModule(M, MemoryBufferRef(Text, ""), ShapeSectionName);
}

//===----------------------------------------------------------------------===//
// Counters in memory
//===----------------------------------------------------------------------===//

namespace {

class Counters final : public Counting {
public:
  using Counting::Counting;

private:
  void begin(Function &Counted, FunctionShape &S) override;
  void count(IRBuilder<> &B, const FunctionShape &S, ProbeKind Kind,
             uint32_t Index, Value *Operand) override;
  void end() override;
  Value *iterationsOf(Loop &L) override;
  SmallVector<Leaving> leave(Loop &L, ArrayRef<Leaving> Exits) override;
  Value *placeOf(IRBuilder<> &B, uint64_t Counter) {
    return B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Copy, Counter);
  }
  Value *chooseCopy(GlobalVariable &Variable, const FunctionShape &S);
  void addSums(IRBuilder<> &B, ArrayRef<LoopCounters::Count> Counts);
  void splitSampled();
  void countEdge(IRBuilder<> &B, uint64_t Counter);
  void countBranch(IRBuilder<> &B, uint64_t First, Value *Condition);

  Function *F = nullptr;
  Value *Copy = nullptr; ///< Of the counters.
  std::optional<MeetingPlaces> Meetings;
  const Function *MeetingsOf = nullptr;
  std::optional<LoopCounters> InLoops;
};

/// Copies of each function's counters, which the cores share among them.
constexpr uint32_t CopiesOfCounters = 16;

/// The coordinates of a CTA in one number, which sampling takes the rest of.
Value *linearCTA(IRBuilder<> &B) {
  auto Read = [&](Intrinsic::ID Register) {
    return B.CreateIntrinsic(Register, {});
  };
  Value *Z = Read(Intrinsic::nvvm_read_ptx_sreg_ctaid_z);
  Value *Y =
      B.CreateAdd(B.CreateMul(Z, Read(Intrinsic::nvvm_read_ptx_sreg_nctaid_y)),
                  Read(Intrinsic::nvvm_read_ptx_sreg_ctaid_y));
  return B.CreateAdd(
      B.CreateMul(Y, Read(Intrinsic::nvvm_read_ptx_sreg_nctaid_x)),
      Read(Intrinsic::nvvm_read_ptx_sreg_ctaid_x));
}

} // namespace

void Counters::begin(Function &Counted, FunctionShape &S) {
  F = &Counted;
  InLoops.emplace(Counted);
  S.Variable = "__heddle_counters_" + S.Name;
  S.Copies = CopiesOfCounters;
  Type *T = ArrayType::get(Type::getInt8Ty(M.getContext()),
                           S.Copies * S.bytesOfCopy());
  // As visible as the function, and as often in a program.
  auto *Variable = new GlobalVariable(
      M, T, /*isConstant=*/false, F->getLinkage(), Constant::getNullValue(T),
      S.Variable, nullptr, GlobalValue::NotThreadLocal, addrspace::Global);
  Variable->setAlignment(Align(FunctionShape::CopyAlignment));
  appendToCompilerUsed(M, {Variable});
  Copy = chooseCopy(*Variable, S);
}

/// Cores add to different copies, so that they wait less for each other.
Value *Counters::chooseCopy(GlobalVariable &Variable, const FunctionShape &S) {
  IRBuilder<> B(&*F->getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Value *Core = B.CreateIntrinsic(Intrinsic::nvvm_read_ptx_sreg_smid, {});
  Value *Offset = B.CreateMul(B.CreateURem(Core, B.getInt32(S.Copies)),
                              B.getInt32(S.bytesOfCopy()));
  return B.CreateInBoundsPtrAdd(&Variable,
                                B.CreateZExt(Offset, B.getInt64Ty()));
}

/// A number that every iteration of the loop counts up.
Value *Counters::iterationsOf(Loop &L) {
  BasicBlock *Header = L.getHeader();
  Type *T = Type::getInt32Ty(M.getContext());
  auto *Before = PHINode::Create(T, 2, "iterations.before");
  Before->insertBefore(Header->begin());
  IRBuilder<> B(&*Header->getFirstInsertionPt());
  Value *TripCount = B.CreateAdd(Before, B.getInt32(1), "iterations");
  for (BasicBlock *From : predecessors(Header))
    Before->addIncoming(L.contains(From) ? TripCount : B.getInt32(0), From);
  return TripCount;
}

/// Where threads are together again, of those that each left by itself.
SmallVector<Counting::Leaving> Counters::leave(Loop &L,
                                               ArrayRef<Leaving> Exits) {
  Function &Of = *L.getHeader()->getParent();
  if (MeetingsOf != &Of)
    Meetings.emplace(Of);
  MeetingsOf = &Of;
  BasicBlock *Common = Meetings->behind(L);
  if (!Common || (Exits.size() == 1 && Exits[0].first->getParent() == Common))
    return to_vector(Exits);
  Instruction *At = &*Common->getFirstInsertionPt();
  AllocaInst *Left = createVariable(Of);
  for (auto [Before, TripCount] : Exits) {
    // Threads that left by another exit may come here, too.
    IRBuilder<> B(Before);
    Value *Known = B.CreateLoad(TripCount->getType(), Left);
    B.CreateStore(
        B.CreateSelect(B.CreateIsNotNull(TripCount), TripCount, Known), Left);
  }
  IRBuilder<> B(At); // Behind what was stored here.
  Value *TripCount = B.CreateLoad(Left->getAllocatedType(), Left);
  StoreInst *Clear = B.CreateStore(B.getInt32(0), Left);
  return {{Clear, TripCount}};
}

/// Asks the threads that run together.
static Value *ask(IRBuilder<> &B, Intrinsic::ID Question,
                  ArrayRef<Value *> Arguments) {
  CallInst *Call = B.CreateIntrinsic(Question, Arguments);
  markCounting(*Call);
  return Call;
}

static void addTo(IRBuilder<> &B, AllocaInst *Variable, Value *Count) {
  B.CreateStore(
      B.CreateAdd(B.CreateLoad(Variable->getAllocatedType(), Variable), Count),
      Variable);
}

void Counters::countEdge(IRBuilder<> &B, uint64_t Counter) {
  if (AllocaInst *Own = InLoops->variableAt(*B.GetInsertBlock(), Counter))
    return addTo(B, Own, B.getInt32(1));
  call(B, "__heddle_count_edge", {placeOf(B, Counter)});
}

void Counters::countBranch(IRBuilder<> &B, uint64_t First, Value *Condition) {
  AllocaInst *Own[CountersOfBranch];
  for (unsigned I = 0; I != CountersOfBranch; ++I)
    Own[I] = InLoops->variableAt(*B.GetInsertBlock(), First + I);
  // Without waiting for anybody.
  Value *Together = ask(B, Intrinsic::nvvm_vote_uni, {Condition});
  Value *Apart = B.CreateZExt(B.CreateNot(Together), B.getInt32Ty());
  if (!Own[CountersOfBranch - 1])
    return call(B, "__heddle_count_branch", {placeOf(B, First), Apart});
  call(B, "__heddle_note_branch", {Own[0], Own[1], Apart});
  addTo(B, Own[2], B.getInt32(1));
}

void Counters::end() {
  InLoops->flush([&](IRBuilder<> &B, ArrayRef<LoopCounters::Count> Counts) {
    addSums(B, Counts);
  });
  if (Options.SampleCTAs > 1)
    splitSampled();
}

/// Adds what threads have counted each for itself.
void Counters::addSums(IRBuilder<> &B, ArrayRef<LoopCounters::Count> Counts) {
  // The sum of a warp's threads fits while they have no more than this each.
  constexpr uint32_t MostToSum = (uint64_t(1) << 32) / 32 - 1;
  Value *Mask = ask(B, Intrinsic::nvvm_activemask, {});
  Value *IsLarge = B.getFalse();
  SmallVector<Value *> Sums;
  for (const LoopCounters::Count &C : Counts) {
    IsLarge =
        B.CreateOr(IsLarge, B.CreateICmpUGT(C.Number, B.getInt32(MostToSum)));
    Sums.push_back(ask(B, Intrinsic::nvvm_redux_sync_add, {C.Number, Mask}));
  }
  Value *Large = ask(B, Intrinsic::nvvm_vote_ballot_sync, {Mask, IsLarge});
  for (auto [C, Sum] : zip_equal(Counts, Sums))
    call(B, "__heddle_count_sum",
         {placeOf(B, C.Counter), C.Number, Sum, Large, Mask});
}

/// Gives the CTAs that do not count a copy of the function without counting.
void Counters::splitSampled() {
  BasicBlock *Entry = &F->getEntryBlock();
  for (Instruction &I : make_early_inc_range(*Entry))
    if (isa<AllocaInst>(I))
      I.moveBefore(Entry->begin());
  BasicBlock::iterator First = Entry->begin();
  while (isa<AllocaInst>(*First))
    ++First;
  BasicBlock *Counted = SplitBlock(Entry, First);
  ValueToValueMapTy Map;
  SmallVector<BasicBlock *, 32> Old, New;
  for (BasicBlock &B : drop_begin(*F))
    Old.push_back(&B);
  for (BasicBlock *B : Old) {
    New.push_back(CloneBasicBlock(B, Map, ".uncounted", F));
    Map[B] = New.back();
  }
  remapInstructionsInBlocks(New, Map);
  for (BasicBlock *B : New)
    for (Instruction &I : make_early_inc_range(*B))
      if (I.hasMetadata(CountingMark)) {
        I.replaceAllUsesWith(PoisonValue::get(I.getType()));
        I.eraseFromParent();
      }
  Entry->getTerminator()->eraseFromParent();
  IRBuilder<> B(Entry);
  B.CreateCondBr(
      B.CreateICmpEQ(B.CreateURem(linearCTA(B), B.getInt32(Options.SampleCTAs)),
                     B.getInt32(0), "sampled"),
      Counted, cast<BasicBlock>(Map[Counted]));
}

void Counters::count(IRBuilder<> &B, const FunctionShape &S, ProbeKind Kind,
                     uint32_t Index, Value *Operand) {
  if (Kind == ProbeKind::Iteration)
    return; // in a register
  uint64_t Branches = S.Edges;
  uint64_t Loops = Branches + uint64_t(S.Branches) * CountersOfBranch;
  uint64_t Calls = Loops + uint64_t(S.Loops) * TripBuckets;
  switch (Kind) {
  case ProbeKind::Edge:
    return countEdge(B, Index);
  case ProbeKind::Branch:
    return countBranch(B, Branches + uint64_t(Index) * CountersOfBranch,
                       Operand);
  case ProbeKind::Leave:
    return call(B, "__heddle_count_trips",
                {placeOf(B, Loops + uint64_t(Index) * TripBuckets), Operand});
  case ProbeKind::Call:
    return call(B, "__heddle_count_value",
                {placeOf(B, Calls + uint64_t(Index) * ValuesOfCall * 2),
                 B.CreateZExtOrTrunc(Operand, B.getInt64Ty())});
  case ProbeKind::Iteration:
  case ProbeKind::Straight:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Probes
//===----------------------------------------------------------------------===//

namespace {

class Probes final : public Counting {
public:
  using Counting::Counting;

private:
  void begin(Function &F, FunctionShape &S) override {
    Function = probeFunction(S.Name, S.Hash);
  }
  void count(IRBuilder<> &B, const FunctionShape &, ProbeKind Kind,
             uint32_t Index, Value *) override {
    call(B, ProbeFunctionName,
         {B.getInt64(Function), B.getInt32(static_cast<uint32_t>(Kind)),
          B.getInt32(Index)});
  }
  Value *iterationsOf(Loop &) override { return nullptr; }

  uint64_t Function = 0;
};

} // namespace

void instrument(Module &M, const CountingOptions &Options) {
  if (Options.Probes)
    Probes(M, Options).run();
  else
    Counters(M, Options).run();
}

} // namespace heddle::passes
