//===- HeddleSharedLayout.cpp - Places for shared variables -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives every variable in shared memory its offset. A variable that only one
// kernel names is laid out for that kernel alone, so that kernels of one module
// do not pay for each other; a variable that functions name has one place for
// all kernels that may call them. Dynamic shared memory follows the static one.
// The kernels' sizes become the attributes heddle-shared-bytes and
// heddle-dynamic-shared. In a module that will be linked the linker does this.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddlePasses.h"
#include "Passes/HeddleSharedRanks.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Target/Relocatable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Pass.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-shared-layout"

namespace {

/// Dynamic shared memory starts at a multiple of this at least.
constexpr Align LeastDynamicAlign = Align::Constant<16>();

class SharedLayout {
public:
  explicit SharedLayout(Module &M) : M(M), DL(M.getDataLayout()) {}
  bool run();

private:
  bool isDynamic(const GlobalVariable &G) const {
    return G.isDeclaration() && DL.getTypeAllocSize(G.getValueType()) == 0;
  }
  void collect();
  void placeCommon();
  void placeOfKernel(Function &Kernel);
  bool mayReachCommon(const Function &Kernel) const;
  Align alignOf(const GlobalVariable &G) const {
    return G.getAlign().value_or(DL.getABITypeAlign(G.getValueType()));
  }
  /// The next place after End for G; moves End past it.
  uint64_t allocate(const GlobalVariable &G, uint64_t &End) const;
  void replaceUses(GlobalVariable &G, Function &F, uint64_t Offset) const;

  Module &M;
  const DataLayout &DL;
  using Variables = SmallSetVector<GlobalVariable *, 8>;
  MapVector<Function *, Variables> NamedBy;
  Variables Common; ///< named in functions, or in several kernels' callees
  DenseMap<GlobalVariable *, uint64_t> CommonOffsets;
  uint64_t CommonEnd = 0;
  bool CommonDynamic = false;
  /// Of all declarations of dynamic shared memory, which is one.
  Align DynamicAlign = LeastDynamicAlign;
  /// Where dynamic shared memory starts if functions name it.
  uint64_t DynamicOffset = 0;
};

void SharedLayout::collect() {
  SmallVector<GlobalVariable *, 8> All;
  for (GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == heddle::addrspace::Shared)
      All.push_back(&G);
  SmallVector<Constant *, 8> Constants(All.begin(), All.end());
  convertUsersOfConstantsToInstructions(Constants);
  for (GlobalVariable *G : All)
    for (User *U : G->users())
      if (auto *I = dyn_cast<Instruction>(U)) {
        NamedBy[I->getFunction()].insert(G);
        if (!heddle::ir::isKernel(*I->getFunction()))
          Common.insert(G);
      }
}

uint64_t SharedLayout::allocate(const GlobalVariable &G, uint64_t &End) const {
  uint64_t Offset = alignTo(End, alignOf(G));
  End = Offset + DL.getTypeAllocSize(G.getValueType());
  return Offset;
}

void SharedLayout::placeCommon() {
  for (GlobalVariable *G : Common) {
    if (isDynamic(*G))
      CommonDynamic = true;
    else
      CommonOffsets[G] = allocate(*G, CommonEnd);
  }
  if (!CommonDynamic)
    return;
  // Its place must suit every kernel.
  uint64_t Largest = CommonEnd;
  for (auto &[F, Names] : NamedBy) {
    uint64_t End = CommonEnd;
    for (GlobalVariable *G : Names)
      if (isDynamic(*G))
        DynamicAlign = std::max(DynamicAlign, alignOf(*G));
      else if (!Common.contains(G))
        allocate(*G, End);
    Largest = std::max(Largest, End);
  }
  DynamicOffset = alignTo(Largest, DynamicAlign);
}

/// Whether code that Kernel calls may name the common variables.
bool SharedLayout::mayReachCommon(const Function &Kernel) const {
  SmallSetVector<const Function *, 16> Work;
  Work.insert(&Kernel);
  for (unsigned I = 0; I < Work.size(); ++I)
    for (const BasicBlock &BB : *Work[I])
      for (const Instruction &Inst : BB) {
        const auto *Call = dyn_cast<CallBase>(&Inst);
        if (!Call || isa<InlineAsm>(Call->getCalledOperand()))
          continue;
        const Function *Callee = Call->getCalledFunction();
        if (!Callee)
          return !Common.empty(); // through a pointer: anything
        if (Callee->isDeclaration())
          continue;
        if (NamedBy.contains(const_cast<Function *>(Callee)))
          return true;
        Work.insert(Callee);
      }
  return false;
}

void SharedLayout::replaceUses(GlobalVariable &G, Function &F,
                               uint64_t Offset) const {
  describeSharedPlace(G, F, Offset);
  Type *Int = Type::getInt32Ty(M.getContext());
  Constant *Address =
      ConstantExpr::getIntToPtr(ConstantInt::get(Int, Offset), G.getType());
  G.replaceUsesWithIf(Address, [&](Use &U) {
    auto *I = dyn_cast<Instruction>(U.getUser());
    return I && I->getFunction() == &F;
  });
}

void SharedLayout::placeOfKernel(Function &Kernel) {
  Variables Names;
  if (auto Found = NamedBy.find(&Kernel); Found != NamedBy.end())
    Names = Found->second;
  bool UsesCommon =
      mayReachCommon(Kernel) ||
      any_of(Names, [&](GlobalVariable *G) { return Common.contains(G); });
  uint64_t End = UsesCommon ? CommonEnd : 0;
  bool Dynamic = UsesCommon && CommonDynamic;
  DenseMap<GlobalVariable *, uint64_t> Offsets = CommonOffsets;
  Align OwnAlign = LeastDynamicAlign;
  for (GlobalVariable *G : Names) {
    if (isDynamic(*G)) {
      Dynamic = true;
      OwnAlign = std::max(OwnAlign, alignOf(*G));
    } else if (!Common.contains(G)) {
      Offsets[G] = allocate(*G, End);
    }
  }
  if (Dynamic)
    End = CommonDynamic ? DynamicOffset : alignTo(End, OwnAlign);
  for (GlobalVariable *G : Names)
    replaceUses(*G, Kernel, isDynamic(*G) ? End : Offsets.lookup(G));
  if (End)
    Kernel.addFnAttr(heddle::attr::SharedBytes, std::to_string(End));
  if (Dynamic)
    Kernel.addFnAttr(heddle::attr::DynamicShared);
}

bool SharedLayout::run() {
  collect();
  placeCommon();
  for (Function &F : M)
    if (!F.isDeclaration() && heddle::ir::isKernel(F))
      placeOfKernel(F);
  for (auto &[F, Names] : NamedBy)
    if (!heddle::ir::isKernel(*F))
      for (GlobalVariable *G : Names)
        replaceUses(*G, *F,
                    isDynamic(*G) ? DynamicOffset : CommonOffsets.lookup(G));
  // Also those that nothing names: a variable that is left becomes one of
  // global memory.
  bool HasErased = false;
  for (GlobalVariable &G : make_early_inc_range(M.globals()))
    if (G.getAddressSpace() == heddle::addrspace::Shared && G.use_empty()) {
      G.eraseFromParent();
      HasErased = true;
    }
  return HasErased || !NamedBy.empty();
}

class HeddleSharedLayout : public ModulePass {
public:
  static char ID;
  HeddleSharedLayout() : ModulePass(ID) {}
  StringRef getPassName() const override { return "Layout of shared memory"; }
  // Units of debug information are written before any pass runs.
  bool doInitialization(Module &M) override {
    return !heddle::isRelocatable(M) && dropSharedDescriptions(M);
  }
  bool runOnModule(Module &M) override {
    bool Changed = rankSharedAddresses(M);
    if (!heddle::isRelocatable(M))
      Changed |= SharedLayout(M).run();
    return Changed;
  }
};

} // namespace

char HeddleSharedLayout::ID = 0;
INITIALIZE_PASS(HeddleSharedLayout, DEBUG_TYPE, "Layout of shared memory",
                false, false)

ModulePass *llvm::createHeddleSharedLayoutPass() {
  return new HeddleSharedLayout();
}
