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

#include "heddle/PGO/Instrument.h"

#include "ControlFlow.h"
#include "heddle/PGO/Probes.h"
#include "heddle/Support/AddressSpace.h"

#include "llvm/ADT/MapVector.h"
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

using namespace llvm;

namespace heddle::pgo {

namespace {

/// Functions that may run again, in the same thread, before they return. A
/// device cannot tell their loops' turns apart.
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
  virtual Value *turnsOf(Loop &L) = 0;
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
  B.CreateCall(Callee, Arguments)->setConvergent();
}

/// Leaving a loop is counted where its exits lead to, which other ways may lead
/// to as well.
void Counting::addLoop(Loop &L, uint32_t Index, std::vector<Place> &Places) {
  Value *Turns = turnsOf(L);
  BasicBlock *Header = L.getHeader();
  Places.push_back(
      {&*Header->getFirstInsertionPt(), ProbeKind::Turn, Index, nullptr});
  SmallVector<BasicBlock *> Exits;
  L.getUniqueExitBlocks(Exits);
  for (BasicBlock *Exit : Exits) {
    Value *Left = nullptr;
    if (Turns) {
      auto *Phi = PHINode::Create(Turns->getType(), 2, "turns");
      Phi->insertBefore(Exit->begin());
      for (BasicBlock *From : predecessors(Exit))
        Phi->addIncoming(L.contains(From) ? Turns
                                          : ConstantInt::get(Phi->getType(), 0),
                         From);
      Left = Phi;
    }
    Places.push_back(
        {&*Exit->getFirstInsertionPt(), ProbeKind::Leave, Index, Left});
  }
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
/// whoever reads counts finds them, and returns the line that says where.
std::string Counting::addPointers() {
  // As LLVM's pass names internal functions, too.
  constexpr char InternalPrefix[] = "<unknown>;";
  SmallVector<Constant *> Functions;
  json::Array Names;
  std::string All;
  for (Function &F : M) {
    if (F.isDeclaration() || !F.hasAddressTaken())
      continue;
    Functions.push_back(&F);
    std::string Name =
        (F.hasLocalLinkage() ? InternalPrefix : "") + F.getName().str();
    All += Name + "\n";
    Names.push_back(std::move(Name));
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

/// Counters of a loop that its threads keep to themselves until they leave it,
/// in variables that become registers.
class LoopCounters {
public:
  explicit LoopCounters(Function &F) : F(F), Dominators(F), Info(Dominators) {
    CanLeaveUnseen = any_of(*F.getParent(), [&](Function &Other) {
      return &Other != &F && mayEndThreads(Other);
    });
  }

  /// The variable of a thread that counts for \p Counter at a place; null if
  /// it is in no loop, or in one of too many counters.
  AllocaInst *variableAt(const BasicBlock &Place, uint64_t Counter);
  /// Calls \p Flush wherever threads may have left a loop with counts.
  void flush(function_ref<void(IRBuilder<> &, uint64_t, Value *)> Flush);

private:
  /// Registers for the counters of a loop, and for those of them that are not
  /// in its innermost loops.
  static constexpr unsigned Most = 24, MostOutside = 8;

  static bool mayEndThreads(const Function &F);
  bool callsOthers(const Loop &L) const;

  Function &F;
  DominatorTree Dominators;
  LoopInfo Info;
  bool CanLeaveUnseen = false; ///< Out of a loop, in a function that it calls.
  MapVector<Loop *, MapVector<uint64_t, AllocaInst *>> Variables;
};

class Counters final : public Counting {
public:
  using Counting::Counting;

private:
  void begin(Function &Counted, FunctionShape &S) override;
  void count(IRBuilder<> &B, const FunctionShape &S, ProbeKind Kind,
             uint32_t Index, Value *Operand) override;
  void end() override;
  Value *turnsOf(Loop &L) override;
  Value *placeOf(IRBuilder<> &B, uint64_t Counter) {
    return B.CreateConstInBoundsGEP1_64(B.getInt64Ty(), Variable, Counter);
  }
  void splitSampled();
  void countEdge(IRBuilder<> &B, uint64_t Counter);
  void countBranch(IRBuilder<> &B, uint64_t First, Value *Condition);

  Function *F = nullptr;
  GlobalVariable *Variable = nullptr;
  std::optional<LoopCounters> InLoops;
};

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

bool LoopCounters::mayEndThreads(const Function &F) {
  return F.getIntrinsicID() == Intrinsic::nvvm_exit
             ? !F.use_empty()
             : F.isDeclaration() && !F.isIntrinsic() &&
                   !F.getName().starts_with("__heddle_");
}

bool LoopCounters::callsOthers(const Loop &L) const {
  return any_of(L.blocks(), [](const BasicBlock *B) {
    return any_of(*B, [](const Instruction &I) {
      const auto *Call = dyn_cast<CallBase>(&I);
      return Call && (!Call->getCalledFunction() ||
                      !Call->getCalledFunction()->isDeclaration());
    });
  });
}

AllocaInst *LoopCounters::variableAt(const BasicBlock &Place,
                                     uint64_t Counter) {
  Loop *Inner = Info.getLoopFor(&Place);
  if (!Inner)
    return nullptr;
  Loop *L = Inner->getOutermostLoop();
  if (CanLeaveUnseen && callsOthers(*L))
    return nullptr;
  MapVector<uint64_t, AllocaInst *> &Of = Variables[L];
  if (AllocaInst *Known = Of.lookup(Counter))
    return Known;
  if (Of.size() >= (Inner->isInnermost() ? Most : MostOutside))
    return nullptr;
  IRBuilder<> B(&*F.getEntryBlock().getFirstInsertionPt());
  AllocaInst *New = B.CreateAlloca(B.getInt32Ty(), addrspace::Local);
  B.CreateStore(B.getInt32(0), New);
  Of[Counter] = New;
  return New;
}

void LoopCounters::flush(
    function_ref<void(IRBuilder<> &, uint64_t, Value *)> Flush) {
  for (auto &[L, Of] : Variables) {
    SmallVector<BasicBlock *> Exits;
    L->getUniqueExitBlocks(Exits);
    for (BasicBlock *Exit : Exits)
      for (auto [Counter, Count] : Of) {
        IRBuilder<> B(&*Exit->getFirstInsertionPt());
        Value *Counted = B.CreateLoad(B.getInt32Ty(), Count);
        // Other ways may lead from here to another exit.
        B.CreateStore(B.getInt32(0), Count);
        Flush(B, Counter, Counted);
      }
  }
}

/// Whether an instruction is there for the counters alone, and calls for them.
static bool isCounting(const Instruction &I) {
  const auto *Call = dyn_cast<CallInst>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && (Callee->getName().starts_with("__heddle_count_") ||
                    Callee->getName().starts_with("__heddle_note_"));
}

void Counters::begin(Function &Counted, FunctionShape &S) {
  F = &Counted;
  InLoops.emplace(Counted);
  S.Variable = "__heddle_counters_" + S.Name;
  const Align CounterAlign(8);
  Type *T = ArrayType::get(Type::getInt8Ty(M.getContext()),
                           S.counters() * CounterAlign.value());
  // As visible as the function, and as often in a program.
  Variable = new GlobalVariable(M, T, /*isConstant=*/false, F->getLinkage(),
                                Constant::getNullValue(T), S.Variable, nullptr,
                                GlobalValue::NotThreadLocal, addrspace::Global);
  Variable->setAlignment(CounterAlign);
  appendToCompilerUsed(M, {Variable});
}

/// A number that every turn of the loop counts up.
Value *Counters::turnsOf(Loop &L) {
  BasicBlock *Header = L.getHeader();
  Type *T = Type::getInt32Ty(M.getContext());
  auto *Before = PHINode::Create(T, 2, "turns.before");
  Before->insertBefore(Header->begin());
  IRBuilder<> B(&*Header->getFirstInsertionPt());
  Value *Turns = B.CreateAdd(Before, B.getInt32(1), "turns");
  for (BasicBlock *From : predecessors(Header))
    Before->addIncoming(L.contains(From) ? Turns : B.getInt32(0), From);
  return Turns;
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
  // Without waiting for anybody.
  auto Taken = [&] {
    return B.CreateIntrinsic(Intrinsic::nvvm_vote_ballot, {Condition});
  };
  AllocaInst *Own[CountersOfBranch];
  for (unsigned I = 0; I != CountersOfBranch; ++I)
    Own[I] = InLoops->variableAt(*B.GetInsertBlock(), First + I);
  if (!Own[CountersOfBranch - 1])
    return call(B, "__heddle_count_branch", {placeOf(B, First), Taken()});
  call(B, "__heddle_note_branch", {Own[0], Own[1], Taken()});
  addTo(B, Own[2], B.getInt32(1));
}

void Counters::end() {
  InLoops->flush([&](IRBuilder<> &B, uint64_t Counter, Value *Count) {
    call(B, "__heddle_count_sum", {placeOf(B, Counter), Count});
  });
  if (Options.SampleCTAs > 1)
    splitSampled();
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
      if (isCounting(I))
        I.eraseFromParent();
  Entry->getTerminator()->eraseFromParent();
  IRBuilder<> B(Entry);
  B.CreateCondBr(
      B.CreateICmpEQ(B.CreateURem(linearCTA(B), B.getInt32(Options.SampleCTAs)),
                     B.getInt32(0), "sampled"),
      Counted, cast<BasicBlock>(Map[Counted]));
}

void Counters::count(IRBuilder<> &B, const FunctionShape &S, ProbeKind Kind,
                     uint32_t Index, Value *Operand) {
  if (Kind == ProbeKind::Turn)
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
    return call(B, "__heddle_count_turns",
                {placeOf(B, Loops + uint64_t(Index) * TripBuckets), Operand});
  case ProbeKind::Call:
    return call(B, "__heddle_count_value",
                {placeOf(B, Calls + uint64_t(Index) * ValuesOfCall * 2),
                 B.CreateZExtOrTrunc(Operand, B.getInt64Ty())});
  case ProbeKind::Turn:
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
  Value *turnsOf(Loop &) override { return nullptr; }

  uint64_t Function = 0;
};

} // namespace

void instrument(Module &M, const CountingOptions &Options) {
  if (Options.Probes)
    Probes(M, Options).run();
  else
    Counters(M, Options).run();
}

} // namespace heddle::pgo
