//===- SpecializeArguments.cpp - Copies for common arguments ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes and strides that the host hands to a kernel are the same in nearly all
// launches. Where the profile says so, and knowing them saves instructions, a
// kernel becomes
//
//     if (arguments have the common values)   // the same for the whole grid
//       copy with constants
//     else
//       what it was
//
// What saves: a division by a constant is a multiplication, a loop with few
// iterations is unrolled, a branch on a constant is none. Values computed of
// arguments and constants alone count like arguments.
//
// The launches of a profile have much in common that others need not have: the
// size of the data above all. A launch with other arguments fetches the general
// code from behind the copy, which takes as long whatever the launch does. So
// what a launch as large as the profile's saves must outweigh that.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/KernelArguments.h"
#include "heddle/IR/Kernels.h"
#include "heddle/IR/ProfileMetadata.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Attributes.h"
#include "passes/pgo/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cmath>

using namespace heddle::ir;
using namespace llvm;

#define DEBUG_TYPE "heddle-specialize-arguments"

namespace heddle::passes {

namespace {

/// A value pays only if nearly all launches have it.
constexpr double LeastShare = 0.9;
/// Instructions that a kernel may have, to be doubled.
constexpr unsigned MostInstructions = 4000;
/// The share of its instructions that a thread must save, and how many.
constexpr double LeastGain = 0.03, LeastSaved = 6;
/// The share of the saving that an argument must have a part in: each one is
/// one more that another launch may have another value of.
constexpr double LeastPart = 0.03;
/// Constant trip counts of loops that pay: such a loop can be unrolled whole.
constexpr uint64_t MostTrips = 16;

/// The share of later launches that have the arguments of the profile's, if all
/// of those have them: as if one run in three had other data.
constexpr double SeenAgain = 2.0 / 3;
/// How often a launch with other arguments waits for code: where the general
/// code starts, and once on its way.
constexpr double FetchesElsewhere = 2;
/// Cycles from one instruction of a warp to its next, if no other one fills
/// them.
constexpr double CyclesAlone = 4;

// What instructions cost a thread, roughly, and what is left of them.
constexpr double DivisionCost = 30, DividedByConstant = 6, BranchCost = 3;

/// The operation of LLVM that a call of the device library stands for; none
/// where it is no integer division.
std::optional<Instruction::BinaryOps> divisionOf(const Value &V) {
  const auto *Call = dyn_cast<CallInst>(&V);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  if (!Callee || !Callee->isDeclaration() || Call->arg_size() != 2)
    return std::nullopt;
  return StringSwitch<std::optional<Instruction::BinaryOps>>(Callee->getName())
      .Cases({"__heddle_udiv32", "__heddle_udiv64"}, Instruction::UDiv)
      .Cases({"__heddle_urem32", "__heddle_urem64"}, Instruction::URem)
      .Cases({"__heddle_sdiv32", "__heddle_sdiv64"}, Instruction::SDiv)
      .Cases({"__heddle_srem32", "__heddle_srem64"}, Instruction::SRem)
      .Default(std::nullopt);
}

/// LLVM leaves divisions by zero, and the quotient that overflows, undefined.
bool isSafeDivisor(const Constant *C) {
  const auto *Divisor = dyn_cast<ConstantInt>(C);
  return Divisor && !Divisor->isZero() && !Divisor->isMinusOne();
}

/// An argument that might become a constant.
struct Candidate {
  ArgumentValue Argument;
  ArgumentPlace Place;
  Type *Ty = nullptr; ///< Of the loads that read all of it.
  double Saved = 0;   ///< Instructions of a thread.
  double Waits = 0;   ///< For memory, that a thread has together with others.
};

/// A value that is known once candidates are.
struct KnownValue {
  Constant *Value = nullptr;
  SmallBitVector From; ///< Candidates.
};

class Specializer {
public:
  Specializer(Function &F, const LaunchCosts &Costs, BlockFrequencyInfo &BFI,
              LoopInfo &LI, OptimizationRemarkEmitter &Remarks)
      : F(F), Costs(Costs), BFI(BFI), LI(LI), Remarks(Remarks),
        DL(F.getDataLayout()) {}

  bool run() {
    findCandidates();
    if (Candidates.empty() || !canCopy())
      return false;
    // Of what each saves depends which are taken; their values are known
    // together.
    evaluate();
    countSavings();
    double Least = std::max(1.0, LeastPart * totalCycles());
    erase_if(Candidates,
             [&](const Candidate &C) { return cyclesOf(C) < Least; });
    evaluate();
    countSavings();
    double Saved = totalSaved();
    if (Saved < LeastSaved || Saved < LeastGain * dynamicSize() ||
        totalCycles() * SeenAgain <
            FetchesElsewhere * Costs.FetchCycles * (1 - SeenAgain))
      return false;
    tell(Saved);
    split();
    return true;
  }

private:
  //===--------------------------------------------------------------------===//
  // What would be known
  //===--------------------------------------------------------------------===//

  void findCandidates() {
    for (const ArgumentValue &A : commonArguments(F)) {
      std::optional<ArgumentPlace> Place = placeOfScalar(F, A.Number);
      if (A.Share < LeastShare || !Place)
        continue;
      for (Instruction &I : instructions(F))
        if (auto *Load = dyn_cast<LoadInst>(&I);
            Load && Load->getType()->isIntegerTy() &&
            readsArgument(*Load, *Place) &&
            DL.getTypeStoreSize(Load->getType()) == Place->Size) {
          Candidates.push_back({A, *Place, Load->getType()});
          break;
        }
    }
  }

  bool canCopy() const {
    return F.getInstructionCount() <= MostInstructions &&
           none_of(F, [](const BasicBlock &B) {
             return B.hasAddressTaken() ||
                    isa<IndirectBrInst, CallBrInst>(B.getTerminator());
           });
  }

  /// Fills in Known: the loads of candidates, and what follows of them.
  void evaluate() {
    Known.clear();
    ReversePostOrderTraversal<Function *> Order(&F);
    for (BasicBlock *B : Order)
      for (Instruction &I : *B)
        if (std::optional<KnownValue> V = evaluate(I))
          Known[&I] = std::move(*V);
  }

  std::optional<KnownValue> evaluate(Instruction &I) {
    if (auto *Load = dyn_cast<LoadInst>(&I)) {
      for (auto [N, C] : enumerate(Candidates))
        if (readsArgument(*Load, C.Place) && Load->getType()->isIntegerTy()) {
          KnownValue V{valueOfLoad(*Load, C.Place, C.Argument.Value),
                       SmallBitVector(Candidates.size())};
          V.From.set(N);
          return V;
        }
      return std::nullopt;
    }
    std::optional<Instruction::BinaryOps> Division = divisionOf(I);
    if (!Division && !isa<BinaryOperator, CastInst, CmpInst, SelectInst>(I) &&
        !isa<IntrinsicInst>(I))
      return std::nullopt;
    return evaluateOperation(I, Division);
  }

  std::optional<KnownValue>
  evaluateOperation(Instruction &I,
                    std::optional<Instruction::BinaryOps> Division) {
    if (I.getType()->isVoidTy() || I.getType()->isFPOrFPVectorTy())
      return std::nullopt;
    KnownValue V{nullptr, SmallBitVector(Candidates.size())};
    SmallVector<Constant *, 3> Operands;
    for (Value *Operand : I.operands()) {
      if (auto *C = dyn_cast<Constant>(Operand)) {
        Operands.push_back(C);
      } else if (auto At = Known.find(Operand); At != Known.end()) {
        Operands.push_back(At->second.Value);
        V.From |= At->second.From;
      } else {
        return std::nullopt;
      }
    }
    if (V.From.none())
      return std::nullopt;
    if (!Division)
      V.Value = ConstantFoldInstOperands(&I, Operands, DL, nullptr);
    else if (isSafeDivisor(Operands[1]))
      V.Value =
          ConstantFoldBinaryOpOperands(*Division, Operands[0], Operands[1], DL);
    return isa_and_nonnull<ConstantInt>(V.Value) ? std::optional(V)
                                                 : std::nullopt;
  }

  //===--------------------------------------------------------------------===//
  // What that would save
  //===--------------------------------------------------------------------===//

  /// How often a thread passes a block.
  double frequency(const BasicBlock *B) const {
    double Entry = static_cast<double>(BFI.getEntryFreq().getFrequency());
    return static_cast<double>(BFI.getBlockFreq(B).getFrequency()) /
           std::max(Entry, 1.0);
  }

  double dynamicSize() const {
    double Size = 0;
    for (const BasicBlock &B : F)
      for (const Instruction &I : B)
        Size += frequency(&B) * (divisionOf(I) ? DivisionCost : 1);
    return Size;
  }

  /// What a thread saves at I by what is known of its operands, each time.
  double savedAt(const Instruction &I, const KnownValue &Operand,
                 unsigned Number) const {
    bool IsKnown = Known.contains(&I);
    if (divisionOf(I)) {
      if (IsKnown)
        return DivisionCost;
      return Number == 1 && isSafeDivisor(Operand.Value)
                 ? DivisionCost - DividedByConstant
                 : 0;
    }
    if (isa<BranchInst, SwitchInst>(I))
      return BranchCost;
    if (!isa<ICmpInst>(I) || IsKnown)
      return 0;
    // The bound of a loop with few iterations?
    return isShortBound(I, Operand) ? BranchCost : 0;
  }

  /// Whether I compares with a known value that lets a loop have few
  /// iterations.
  bool isShortBound(const Instruction &I, const KnownValue &Operand) const {
    const Loop *L = LI.getLoopFor(I.getParent());
    const auto *Bound = cast<ConstantInt>(Operand.Value);
    return isa<ICmpInst>(I) && L && Bound->getValue().ule(MostTrips) &&
           leavesLoop(I, *L);
  }

  /// Whether the iterations of the loop that I is in wait for memory, which
  /// they do together once the loop is unrolled.
  bool waitsEachIteration(const Instruction &I) const {
    return any_of(LI.getLoopFor(I.getParent())->blocks(),
                  [](const BasicBlock *B) {
                    return any_of(*B, [](const Instruction &Other) {
                      const auto *Load = dyn_cast<LoadInst>(&Other);
                      return Load && !isNear(Load->getPointerAddressSpace());
                    });
                  });
  }

  static bool isNear(unsigned Space) {
    return Space == addrspace::Shared || Space == addrspace::Const ||
           Space == addrspace::Param;
  }

  static bool leavesLoop(const Instruction &I, const Loop &L) {
    return any_of(I.users(), [&](const User *U) {
      const auto *Branch = dyn_cast<BranchInst>(U);
      return Branch && L.isLoopExiting(Branch->getParent());
    });
  }

  void countSavings() {
    for (Candidate &C : Candidates)
      C.Saved = C.Waits = 0;
    for (const auto &[V, K] : Known)
      for (const Use &U : V->uses()) {
        const auto *I = dyn_cast<Instruction>(U.getUser());
        if (!I)
          continue;
        double Often = frequency(I->getParent());
        double Saved = Often * savedAt(*I, K, U.getOperandNo());
        double Waits =
            Saved != 0 && isShortBound(*I, K) && waitsEachIteration(*I) ? Often
                                                                        : 0;
        for (unsigned N : K.From.set_bits()) {
          Candidates[N].Saved += Saved / K.From.count();
          Candidates[N].Waits += Waits / K.From.count();
        }
      }
  }

  /// The cycles that a launch of the profile's size saves, roughly: the warps
  /// of a scheduler fill each other's, and what they save adds up.
  double cyclesOf(const Candidate &C) const {
    constexpr double WarpSize = 32;
    double Warps =
        threadsOfLaunch(F).value_or(0) / (WarpSize * Costs.Schedulers);
    return C.Saved * std::max(CyclesAlone, Warps) + C.Waits * Costs.FetchCycles;
  }

  double totalCycles() const {
    double Cycles = 0;
    for (const Candidate &C : Candidates)
      Cycles += cyclesOf(C);
    return Cycles;
  }

  double totalSaved() const {
    double Saved = 0;
    for (const Candidate &C : Candidates)
      Saved += C.Saved;
    return Saved;
  }

  void tell(double Saved) {
    Remarks.emit([&] {
      OptimizationRemark R(DEBUG_TYPE, "Specialized", &F);
      R << "copy for arguments";
      for (const Candidate &C : Candidates)
        R << " " << ore::NV("Argument", C.Argument.Number) << "="
          << ore::NV("Value", C.Argument.Value);
      return R << " saves about "
               << ore::NV("Instructions", static_cast<uint64_t>(Saved))
               << " of " << ore::NV("All", static_cast<uint64_t>(dynamicSize()))
               << " instructions of a thread";
    });
  }

  //===--------------------------------------------------------------------===//
  // The copy
  //===--------------------------------------------------------------------===//

  /// Whether I needs nothing that the kernel computes, and no candidate: other
  /// arguments, and the numbers of threads.
  bool isIndependent(const Instruction &I) const {
    if (Known.contains(&I))
      return false;
    if (const auto *Load = dyn_cast<LoadInst>(&I))
      return Load->isSimple() && argumentOffset(*Load) &&
             isa<Constant>(Load->getPointerOperand());
    const auto *Call = dyn_cast<IntrinsicInst>(&I);
    return Call && Call->arg_empty() && Call->doesNotAccessMemory() &&
           !Call->isConvergent() && !Call->getType()->isVoidTy();
  }

  /// Puts what both copies start with to the head of Entry, so that it waits
  /// together with what is compared. Returns the end of the head.
  BasicBlock::iterator shareHead(BasicBlock &Entry) {
    BasicBlock::iterator End = Entry.begin();
    while (isa<AllocaInst>(*End))
      ++End;
    for (Instruction &I : make_early_inc_range(make_range(End, Entry.end()))) {
      if (!isIndependent(I))
        continue;
      if (&I == &*End)
        ++End;
      else
        I.moveBefore(End);
    }
    return End;
  }

  void split() {
    BasicBlock *Entry = &F.getEntryBlock();
    BasicBlock::iterator First = shareHead(*Entry);
    BasicBlock *General = SplitBlock(Entry, First);
    General->setName("general");
    BasicBlock *Special = copyFrom(General);

    Entry->getTerminator()->eraseFromParent();
    IRBuilder<> B(Entry);
    Value *Same = nullptr;
    double Share = 1;
    for (const Candidate &C : Candidates) {
      Value *Equal = B.CreateICmpEQ(loadArgument(B, C),
                                    ConstantInt::get(C.Ty, C.Argument.Value));
      Same = Same ? B.CreateAnd(Same, Equal) : Equal;
      Share = std::min(Share, C.Argument.Share);
    }
    constexpr uint32_t All = 1000;
    auto Often = static_cast<uint32_t>(std::lround(Share * All));
    B.CreateCondBr(Same, Special, General,
                   MDBuilder(F.getContext())
                       .createBranchWeights(std::max(Often, 1u),
                                            All - std::min(Often, All - 1)));
  }

  static Value *loadArgument(IRBuilder<> &B, const Candidate &C) {
    Constant *Offset = B.getInt32(C.Place.Offset);
    auto *Load = B.CreateLoad(
        C.Ty, ConstantExpr::getIntToPtr(Offset, B.getPtrTy(addrspace::Param)));
    Load->setMetadata(LLVMContext::MD_invariant_load,
                      MDNode::get(B.getContext(), {}));
    return Load;
  }

  /// Copies all blocks but the entry, with what is known in its place. Returns
  /// the copy of First.
  BasicBlock *copyFrom(BasicBlock *First) {
    ValueToValueMapTy Map;
    SmallVector<BasicBlock *, 32> Old, New;
    for (BasicBlock &B : F)
      if (&B != &F.getEntryBlock())
        Old.push_back(&B);
    for (BasicBlock *B : Old) {
      BasicBlock *Copy = CloneBasicBlock(B, Map, ".special", &F);
      Map[B] = Copy;
      New.push_back(Copy);
    }
    remapInstructionsInBlocks(New, Map);
    // In the order of the function, so that the code is the same each time.
    for (BasicBlock *B : Old)
      for (Instruction &I : *B)
        if (auto At = Known.find(&I); At != Known.end())
          replace(cast<Instruction>(Map[&I]), At->second.Value);
    for (BasicBlock *B : New)
      for (Instruction &I : make_early_inc_range(*B))
        foldDivision(I);
    return cast<BasicBlock>(Map[First]);
  }

  static void replace(Instruction *I, Value *By) {
    I->replaceAllUsesWith(By);
    I->eraseFromParent();
  }

  /// Makes a call of the library an operation that later passes understand.
  static void foldDivision(Instruction &I) {
    std::optional<Instruction::BinaryOps> Division = divisionOf(I);
    auto *Divisor = Division ? dyn_cast<Constant>(I.getOperand(1)) : nullptr;
    if (Divisor && isSafeDivisor(Divisor))
      replace(&I,
              IRBuilder<>(&I).CreateBinOp(*Division, I.getOperand(0), Divisor));
  }

  Function &F;
  const LaunchCosts &Costs;
  BlockFrequencyInfo &BFI;
  LoopInfo &LI;
  OptimizationRemarkEmitter &Remarks;
  const DataLayout &DL;
  SmallVector<Candidate, 8> Candidates;
  MapVector<const Value *, KnownValue> Known;
};

} // namespace

PreservedAnalyses SpecializeArgumentsPass::run(Function &F,
                                               FunctionAnalysisManager &AM) {
  if (!ir::isKernel(F))
    return PreservedAnalyses::all();
  bool Changed = Specializer(F, Costs, AM.getResult<BlockFrequencyAnalysis>(F),
                             AM.getResult<LoopAnalysis>(F),
                             AM.getResult<OptimizationRemarkEmitterAnalysis>(F))
                     .run();
  if (!Changed)
    return PreservedAnalyses::all();
  F.addFnAttr(attr::ArgumentCopy);
  return PreservedAnalyses::none();
}

} // namespace heddle::passes
