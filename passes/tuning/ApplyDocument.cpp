//===- ApplyDocument.cpp - Decisions on LLVM IR -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts decisions where the passes look for them: attributes of functions, and
// metadata of loops in the form that LLVM's loop passes read.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/AddressSpace.h"
#include "heddle/Tuning/Document.h"
#include "passes/tuning/Passes.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/LoopUtils.h"

using namespace heddle::tuning;
using namespace llvm;

namespace heddle::passes {

/// What the ISA calls `.CG`, as docs/ir-contract.md says it of a load.
static constexpr StringLiteral CacheHint = "heddle.cache";
static constexpr unsigned PastL1 = 1;

namespace {

/// The loops of a function in the order of their headers in it.
class NumberedLoops {
public:
  explicit NumberedLoops(Function &F) : Dominators(F), Info(Dominators) {
    for (BasicBlock &Block : F)
      if (Info.isLoopHeader(&Block))
        Loops.push_back(Info.getLoopFor(&Block));
  }
  ArrayRef<Loop *> get() const { return Loops; }

private:
  DominatorTree Dominators;
  LoopInfo Info;
  SmallVector<Loop *> Loops;
};

} // namespace

static void setUnrollFactor(Loop &L, int64_t Factor) {
  if (Factor == 1)
    addStringMetadataToLoop(&L, "llvm.loop.unroll.disable");
  else if (Factor > 1)
    addStringMetadataToLoop(&L, "llvm.loop.unroll.count",
                            static_cast<unsigned>(Factor));
}

std::vector<LoopShape> loopsOf(Function &F) {
  NumberedLoops Loops(F);
  std::vector<LoopShape> Shapes;
  for (Loop *L : Loops.get())
    Shapes.push_back({L->getLoopDepth()});
  return Shapes;
}

/// One knob's decisions for loops: one for all of them yields to one for a loop
/// of its own.
static Expected<SmallVector<int64_t>> valuesOfLoops(const Function &F,
                                                    const KnobInfo &Row,
                                                    const Configuration &Values,
                                                    size_t Loops) {
  SmallVector<int64_t> Of(Loops, Row.Default);
  for (bool ForAll : {true, false})
    for (const auto &[Name, Value] : Values) {
      Expected<Decision> D = Decision::parse(Name);
      if (!D)
        return D.takeError();
      if (D->Row != &Row || ForAll == D->Place.has_value())
        continue;
      if (ForAll)
        llvm::fill(Of, Value);
      else if (*D->Place < Loops)
        Of[*D->Place] = Value;
      else
        return createStringError("tuning document: kernel '" + F.getName() +
                                 "' has no loop for '" + Name + "'; it has " +
                                 Twine(Loops));
    }
  return Of;
}

static Error applyToLoops(Function &F, const Configuration &Values) {
  NumberedLoops Loops(F);
  for (const KnobInfo &Row : knobTable()) {
    if (Row.Scope != KnobScope::Loop)
      continue;
    Expected<SmallVector<int64_t>> Of =
        valuesOfLoops(F, Row, Values, Loops.get().size());
    if (!Of)
      return Of.takeError();
    int64_t Greatest = Row.Default;
    for (auto [L, Value] : zip(Loops.get(), *Of)) {
      if (Value == Row.Default)
        continue;
      Greatest = std::max(Greatest, Value);
      if (Row.Id == Knob::Unroll)
        setUnrollFactor(*L, Value);
      else
        setLoopKnob(*L, Row.Id, Value);
    }
    if (Greatest != Row.Default)
      setKnob(F, Row.Id, Greatest);
  }
  return Error::success();
}

/// Decisions on single instructions of the PTX become what the PTX could have
/// said itself.
static void applyToInstructions(Function &F) {
  bool PastFirstCache = knobOf(F, Knob::CacheLoads) != 0;
  int64_t Inlining = knobOf(F, Knob::Inline);
  LLVMContext &C = F.getContext();
  for (Instruction &I : instructions(F)) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (PastFirstCache && Load && Load->isSimple() &&
        Load->getPointerAddressSpace() == addrspace::Global &&
        !Load->hasMetadata(CacheHint))
      Load->setMetadata(CacheHint,
                        MDNode::get(C, ConstantAsMetadata::get(ConstantInt::get(
                                           Type::getInt32Ty(C), PastL1))));
    auto *Call = dyn_cast<CallInst>(&I);
    if (Inlining == 0 || !Call || !Call->getCalledFunction() ||
        Call->getCalledFunction()->isDeclaration())
      continue;
    Call->addFnAttr(Inlining == 1 ? Attribute::NoInline
                                  : Attribute::AlwaysInline);
  }
}

static Error applyToKernel(Function &F, const Configuration &Values) {
  bool HasLoops = false;
  SmallVector<InstructionChoice> Moves;
  for (const auto &[Name, Value] : Values) {
    Expected<Decision> D = Decision::parse(Name);
    if (!D)
      return D.takeError();
    if (D->Row->Scope == KnobScope::Loop)
      HasLoops = true;
    else if (D->Row->Scope == KnobScope::Function)
      setKnob(F, D->Row->Id, Value);
    else if (D->Row->Scope == KnobScope::Instruction &&
             Value != D->Row->Default)
      Moves.push_back({*D->Place, Value});
  }
  applyToInstructions(F);
  if (!Moves.empty())
    setInstructionKnob(F, Knob::MoveUp, Moves);
  return HasLoops ? applyToLoops(F, Values) : Error::success();
}

/// What functions have when the calls in them are inlined that documents ask
/// for. In a chain of functions that call the next one twice it doubles with
/// each.
class InliningLimiter {
public:
  /// Leaves calls in F to the compiler where it would have too many
  /// instructions. What F calls comes first.
  void limit(Function &F) {
    const uint64_t Own = F.getInstructionCount();
    const uint64_t Most = std::max(MostInstructions, Own * MostPercent / 100);
    uint64_t Size = Own;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallInst>(&I);
      const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
      if (!Callee || Callee->isDeclaration() ||
          !Call->hasFnAttr(Attribute::AlwaysInline))
        continue;
      const uint64_t More = sizeOf(*Callee);
      if (Size + More <= Most)
        Size += More;
      else
        Call->removeFnAttr(Attribute::AlwaysInline);
    }
    Sizes[&F] = Size;
  }

private:
  /// So many in any case, or so many percent of what a function had.
  static constexpr uint64_t MostInstructions = 16384, MostPercent = 150;

  uint64_t sizeOf(const Function &F) const {
    auto Known = Sizes.find(&F);
    return Known == Sizes.end() ? F.getInstructionCount() : Known->second;
  }

  DenseMap<const Function *, uint64_t> Sizes;
};

static void limitInlining(Module &M) {
  CallGraph Calls(M);
  InliningLimiter Limiter;
  for (auto I = scc_begin(&Calls); !I.isAtEnd(); ++I)
    for (const CallGraphNode *Node : *I)
      if (Function *F = Node->getFunction(); F && !F->isDeclaration())
        Limiter.limit(*F);
}

Error applyDocument(Module &M, const Document &D) {
  bool Inlines = false;
  for (const auto &[Name, Values] : D.Kernels) {
    Function *F = M.getFunction(Name);
    if (!F || F->isDeclaration())
      continue;
    if (Error E = applyToKernel(*F, Values))
      return E;
    Inlines |= knobOf(*F, Knob::Inline) > 1;
  }
  if (Inlines)
    limitInlining(M);
  return Error::success();
}

} // namespace heddle::passes
