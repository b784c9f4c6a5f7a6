//===- HeddleSharedRanks.cpp - Ranks in shared addresses --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA reaches its shared memory at plain offsets, which mean each CTA's own.
// On NVIDIA's GPUs the address of a shared variable has the rank of the CTA in
// the cluster from bit 24 on, and programs rely on it: CUTLASS clears that bit
// to name the even CTA of a pair. In a module that knows of clusters, an
// address of a shared variable that is stored, compared, masked or passed to a
// function therefore gets the rank. An address that only memory instructions
// use stays as it is.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddleSharedRanks.h"

#include "heddle/ISA/ISA.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Attributes.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"

using namespace llvm;
namespace abi = heddle::isa::abi;

namespace {

/// The bits of a shared address, or of a generic one, in which ranks are.
constexpr uint64_t RankBits = uint64_t(0xFF) << abi::SharedRankShift;

/// Arguments of the functions of MemoryBuiltins.def that are addresses and
/// nothing else, as a mask.
unsigned addressArguments(StringRef Signature) {
  unsigned Mask = 0, Index = 0;
  SmallVector<StringRef, 16> Parameters;
  Signature.split('(').second.drop_back().split(Parameters, ", ");
  for (StringRef P : Parameters) {
    if (P.starts_with("="))
      continue;
    if (P.contains('@'))
      Mask |= 1u << Index;
    ++Index;
  }
  return Mask;
}

bool isAddressArgument(StringRef Function, unsigned Argument) {
  static const StringMap<unsigned> Masks = [] {
    StringMap<unsigned> M;
#define HEDDLE_MEMORY_BUILTIN(NAME, INST, SIGNATURE)                           \
  M["__heddle_" #NAME] = addressArguments(SIGNATURE);
#include "heddle/Target/MemoryBuiltins.def"
    return M;
  }();
  return Masks.lookup(Function) >> Argument & 1;
}

bool knowsClusters(const Function &F) {
  if (!F.isDeclaration())
    return F.hasFnAttribute(heddle::attr::ReqNCTAPerCluster) ||
           F.hasFnAttribute(heddle::attr::MaxClusterRank) ||
           F.hasFnAttribute(heddle::attr::ExplicitCluster);
  StringRef Name = F.getName();
  return !F.use_empty() &&
         (Name.starts_with("llvm.nvvm.read.ptx.sreg.cluster") ||
          Name.starts_with("llvm.nvvm.barrier.cluster") ||
          F.getIntrinsicID() == Intrinsic::nvvm_is_explicit_cluster);
}

/// The shared variables' addresses in one function.
class SharedRanks {
public:
  explicit SharedRanks(Function &F)
      : DT(F), AC(F), Bits(F, AC, DT),
        Entry(&F.getEntryBlock(), F.getEntryBlock().begin()) {}

  /// Finds all that is computed from the address in \p U.
  void addDerived(const Use &U);
  /// Whether the program may observe the rank in the address in \p U, or in a
  /// value computed from it.
  bool isSeen(Use &Root);
  /// The variable's address with the rank of the CTA.
  Value *ranked(GlobalVariable &G);

private:
  bool isSeenBy(Use &U, SmallVectorImpl<Value *> &Work);
  bool isSeenByCall(const CallBase &Call, const Use &U) const;
  /// Whether the bits of a rank are the same in the result.
  bool keepsRank(const BinaryOperator &Op, const Use &U) const;
  Value *rankWord();

  DominatorTree DT;
  AssumptionCache AC;
  DemandedBits Bits;
  IRBuilder<> Entry;
  SmallPtrSet<const Value *, 16> Derived;
  DenseMap<GlobalVariable *, Value *> Ranked;
  Value *Word = nullptr;
};

void SharedRanks::addDerived(const Use &U) {
  SmallVector<const User *, 8> Work(1, U.getUser());
  while (!Work.empty()) {
    const User *V = Work.pop_back_val();
    if (isa<LoadInst, CallBase>(V) || V->getType()->isVoidTy() ||
        !Derived.insert(V).second)
      continue;
    append_range(Work, V->users());
  }
}

bool SharedRanks::keepsRank(const BinaryOperator &Op, const Use &U) const {
  const Value *Other = Op.getOperand(1 - U.getOperandNo());
  const auto *Constant = dyn_cast<ConstantInt>(Other);
  switch (Op.getOpcode()) {
  case Instruction::And:
    return Constant && (Constant->getZExtValue() & RankBits) == RankBits;
  case Instruction::Sub:
    return U.getOperandNo() == 0 && !Derived.contains(Other);
  case Instruction::Add:
  case Instruction::Or:
  case Instruction::Xor:
    return !Derived.contains(Other);
  default:
    return false;
  }
}

bool SharedRanks::isSeenByCall(const CallBase &Call, const Use &U) const {
  const Function *Callee = Call.getCalledFunction();
  if (!Callee || !Callee->isDeclaration() || !Call.isArgOperand(&U))
    return true;
  if (Callee->isIntrinsic())
    return !U->getType()->isPointerTy() || Call.getType()->isPointerTy();
  return !isAddressArgument(Callee->getName(), Call.getArgOperandNo(&U));
}

/// Whether the use itself observes the rank; otherwise the values to look at
/// further are added to Work.
bool SharedRanks::isSeenBy(Use &U, SmallVectorImpl<Value *> &Work) {
  // Of other results the analysis knows nothing.
  if (U->getType()->isIntegerTy() && U.getUser()->getType()->isIntegerTy() &&
      !Bits.getDemandedBits(&U).intersects(
          APInt(U->getType()->getIntegerBitWidth(), RankBits,
                /*isSigned=*/false, /*implicitTrunc=*/true)))
    return false;
  User *By = U.getUser();
  auto Goes = [&] {
    Work.push_back(By);
    return false;
  };
  if (isa<LoadInst>(By))
    return false;
  if (const auto *Store = dyn_cast<StoreInst>(By))
    return U.getOperandNo() != Store->getPointerOperandIndex();
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(By))
    return U.getOperandNo() != RMW->getPointerOperandIndex();
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(By))
    return U.getOperandNo() != Exchange->getPointerOperandIndex();
  if (const auto *Call = dyn_cast<CallBase>(By))
    return isSeenByCall(*Call, U);
  if (const auto *Op = dyn_cast<BinaryOperator>(By))
    return keepsRank(*Op, U) ? Goes() : true;
  if (isa<GetElementPtrInst>(By))
    return U.getOperandNo() == 0 ? Goes() : true;
  if (isa<CastInst, PHINode, SelectInst, FreezeInst, InsertElementInst,
          ExtractElementInst>(By) &&
      !By->getType()->isFPOrFPVectorTy())
    return Goes();
  return true;
}

bool SharedRanks::isSeen(Use &Root) {
  SmallVector<Value *, 8> Work;
  SmallPtrSet<Value *, 16> Visited;
  if (isSeenBy(Root, Work))
    return true;
  while (!Work.empty()) {
    Value *V = Work.pop_back_val();
    if (!Visited.insert(V).second)
      continue;
    for (Use &U : V->uses())
      if (isSeenBy(U, Work))
        return true;
  }
  return false;
}

/// The bits from 24 on of an address of the CTA's shared memory; zero in a
/// cluster of one CTA.
Value *SharedRanks::rankWord() {
  if (Word)
    return Word;
  Type *Int = Entry.getInt32Ty();
  auto Read = [&](Intrinsic::ID ID) {
    return Entry.CreateIntrinsic(Int, ID, {});
  };
  Value *Rank = Read(Intrinsic::nvvm_read_ptx_sreg_cluster_ctarank);
  Value *Count = Read(Intrinsic::nvvm_read_ptx_sreg_cluster_nctarank);
  Value *Ranked = Entry.CreateAdd(Entry.CreateShl(Rank, abi::SharedRankShift),
                                  Entry.getInt32(1u << abi::SharedHasRank));
  Value *IsAlone = Entry.CreateICmpEQ(Count, Entry.getInt32(1));
  Word = Entry.CreateSelect(IsAlone, Entry.getInt32(0), Ranked);
  return Word;
}

Value *SharedRanks::ranked(GlobalVariable &G) {
  Value *&Address = Ranked[&G];
  if (!Address)
    Address = Entry.CreateGEP(Entry.getInt8Ty(), &G, rankWord());
  return Address;
}

} // namespace

bool llvm::rankSharedAddresses(Module &M) {
  if (none_of(M, knowsClusters))
    return false;
  SmallVector<Constant *, 8> Variables;
  for (GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == heddle::addrspace::Shared)
      Variables.push_back(&G);
  convertUsersOfConstantsToInstructions(Variables);
  MapVector<Function *, SmallVector<Use *, 8>> Roots;
  for (Constant *G : Variables)
    for (Use &U : G->uses())
      if (auto *I = dyn_cast<Instruction>(U.getUser()))
        Roots[I->getFunction()].push_back(&U);
  bool Changed = false;
  for (auto &[F, Uses] : Roots) {
    SharedRanks Ranks(*F);
    for (const Use *U : Uses)
      Ranks.addDerived(*U);
    SmallVector<Use *, 8> Seen;
    copy_if(Uses, std::back_inserter(Seen),
            [&](Use *U) { return Ranks.isSeen(*U); });
    for (Use *U : Seen)
      U->set(Ranks.ranked(*cast<GlobalVariable>(U->get())));
    Changed |= !Seen.empty();
  }
  return Changed;
}
