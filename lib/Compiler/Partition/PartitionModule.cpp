//===- PartitionModule.cpp - Partitions of a module -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The partitions of a module (--partitions). Each is optimised, compiled and
// cached on its own, and the objects are put together, so that editing one
// kernel of many recompiles that one.
//
// A partition's text is its LLVM IR before optimisation. The text holds all
// that the code depends on, callees, variables, launch bounds, and nothing
// else: comments, white space, names of registers and other partitions leave no
// trace in it.
//
//===----------------------------------------------------------------------===//

#include "Partition/FunctionGroups.h"
#include "Partition/Partition.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Support/AddressSpace.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace heddle::compiler {

/// The functions that name V, also inside constants; false if a variable's
/// value does.
static bool findUsers(const Value &V,
                      SmallSetVector<const Function *, 8> &Users) {
  bool Good = true;
  for (const User *U : V.users()) {
    if (const auto *I = dyn_cast<Instruction>(U))
      Users.insert(I->getFunction());
    else if (isa<GlobalValue>(U))
      Good = false;
    else
      Good &= findUsers(*U, Users);
  }
  return Good;
}

/// Of named metadata only the module flags are known to concern all partitions.
/// What has lines for remarks alone is found through the functions that have
/// them.
static bool mayPartition(const Module &M) {
  bool HasDebugInfo = !M.debug_compile_units().empty();
  return M.alias_empty() && M.ifunc_empty() &&
         all_of(M.named_metadata(), [&](const NamedMDNode &N) {
           return N.getName() == "llvm.module.flags" ||
                  (N.getName() == "llvm.dbg.cu" && !HasDebugInfo);
         });
}

namespace {

/// Tells the groups what connects the functions of a module.
class ModuleWalker {
public:
  explicit ModuleWalker(Module &M);
  std::vector<Partition> partitions();

private:
  void visitFunction(const Function &F);
  void visitShared(const GlobalVariable &G);

  const Module &M;
  std::vector<Function *> Functions; ///< by their numbers
  DenseMap<const Function *, unsigned> Numbers;
  std::optional<FunctionGroups> Groups;
};

ModuleWalker::ModuleWalker(Module &M) : M(M) {
  for (Function &F : M)
    if (!F.isDeclaration()) {
      Numbers[&F] = Functions.size();
      Functions.push_back(&F);
    }
  Groups.emplace(Functions.size());
}

void ModuleWalker::visitFunction(const Function &F) {
  unsigned Number = Numbers.lookup(&F);
  SmallSetVector<const Function *, 8> Users;
  if (!findUsers(F, Users))
    Groups->keepWhole();
  for (const Function *User : Users)
    Groups->connect(Number, Numbers.lookup(User));
  bool CallsPointers = any_of(instructions(F), [](const Instruction &I) {
    const auto *Call = dyn_cast<CallBase>(&I);
    return Call && Call->isIndirectCall();
  });
  if (CallsPointers || F.hasAddressTaken())
    Groups->usePointers(Number);
}

void ModuleWalker::visitShared(const GlobalVariable &G) {
  SmallSetVector<const Function *, 8> Users;
  if (!findUsers(G, Users))
    Groups->keepWhole();
  for (const Function *User : Users)
    Groups->useShared(&G, Numbers.lookup(User), ir::isKernel(*User));
}

std::vector<Partition> ModuleWalker::partitions() {
  if (!mayPartition(M))
    return {};
  for (const Function *F : Functions)
    visitFunction(*F);
  for (const GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == addrspace::Shared)
      visitShared(G);
  std::vector<Partition> Partitions;
  if (std::optional<std::vector<unsigned>> GroupOf = Groups->groups())
    for (auto [F, Group] : zip_equal(Functions, *GroupOf)) {
      if (Group == Partitions.size())
        Partitions.emplace_back();
      Partitions[Group].push_back(F);
    }
  return Partitions;
}

} // namespace

std::vector<Partition> partitionModule(Module &M) {
  return ModuleWalker(M).partitions();
}

/// Variables of one function in shared memory are told apart by numbers that
/// depend on the other functions. Their names are of no consequence: they
/// become offsets.
void renameSharedVariables(Module &Part) {
  unsigned Number = 0;
  for (GlobalVariable &G : Part.globals())
    if (G.getAddressSpace() == addrspace::Shared && G.hasLocalLinkage())
      G.setName("shared.variable." + Twine(Number++));
}

namespace {

/// Puts into a part what its functions name: copies of variables in shared
/// memory, which every partition lays out for itself, and declarations of the
/// rest.
class NameCopier : public ValueMaterializer {
public:
  explicit NameCopier(Module &Part) : Part(Part) {}
  Value *materialize(Value *V) override {
    if (auto *F = dyn_cast<Function>(V))
      return copy(*F);
    if (auto *G = dyn_cast<GlobalVariable>(V))
      return copy(*G);
    return nullptr;
  }
  Function *copy(const Function &F) {
    Function *Here = Function::Create(F.getFunctionType(), F.getLinkage(),
                                      F.getAddressSpace(), F.getName(), &Part);
    Here->copyAttributesFrom(&F);
    return Here;
  }
  GlobalVariable *copy(const GlobalVariable &G) {
    bool IsShared = G.getAddressSpace() == addrspace::Shared;
    auto *Here = new GlobalVariable(
        Part, G.getValueType(), G.isConstant(),
        IsShared ? G.getLinkage() : GlobalValue::ExternalLinkage,
        // Nothing in shared memory has a value to start with.
        IsShared && G.hasInitializer() ? PoisonValue::get(G.getValueType())
                                       : nullptr,
        G.getName(), nullptr, G.getThreadLocalMode(), G.getAddressSpace());
    Here->copyAttributesFrom(&G);
    return Here;
  }

private:
  Module &Part;
};

} // namespace

PartitionExtractor::PartitionExtractor(const Module &M) : M(M) {
  for (const GlobalVariable &G : M.globals()) {
    Places[&G] = Places.size();
    SmallSetVector<const Function *, 8> Users;
    if (G.getAddressSpace() == addrspace::Shared && findUsers(G, Users))
      for (const Function *F : Users)
        SharedOf[F].push_back(&G);
  }
}

/// Has the instructions of \p F name what the module has that F is in now. Only
/// constants name anything of a module.
static void mapNames(Function &F, ValueMapper &Names) {
  for (Instruction &I : instructions(F))
    for (Use &Operand : I.operands())
      if (isa<Constant>(Operand) && !isa<ConstantData>(Operand))
        Operand.set(Names.mapValue(*Operand));
}

/// The time it takes does not depend on the size of the whole module.
std::unique_ptr<Module> PartitionExtractor::extract(const Partition &P) const {
  auto Part = std::make_unique<Module>("", M.getContext());
  Part->setDataLayout(M.getDataLayout());
  Part->setTargetTriple(M.getTargetTriple());
  if (NamedMDNode *Flags = M.getModuleFlagsMetadata())
    for (MDNode *Flag : Flags->operands())
      Part->getOrInsertModuleFlagsMetadata()->addOperand(Flag);

  NameCopier Copier(*Part);
  ValueToValueMapTy Map;
  // Their order is that of their places.
  SmallPtrSet<const GlobalVariable *, 8> Shared;
  for (Function *F : P) {
    F->removeFromParent();
    Part->getFunctionList().push_back(F);
    Map[F] = F;
    if (auto Found = SharedOf.find(F); Found != SharedOf.end())
      Shared.insert_range(Found->second);
  }
  SmallVector<const GlobalVariable *, 8> Ordered(Shared.begin(), Shared.end());
  sort(Ordered, [&](const GlobalVariable *A, const GlobalVariable *B) {
    return Places.lookup(A) < Places.lookup(B);
  });
  for (const GlobalVariable *G : Ordered)
    Map[G] = Copier.copy(*G);
  ValueMapper Names(Map, RF_None, /*TypeMapper=*/nullptr, &Copier);
  for (Function *F : P)
    mapNames(*F, Names);
  renameSharedVariables(*Part);
  return Part;
}

std::unique_ptr<Module> extractVariables(const Module &M) {
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Part = CloneModule(M, Map, [](const GlobalValue *G) {
    return isa<GlobalVariable>(G) && G->getAddressSpace() != addrspace::Shared;
  });
  for (Function &F : make_early_inc_range(*Part))
    if (F.use_empty())
      F.eraseFromParent();
  for (GlobalVariable &G : make_early_inc_range(Part->globals()))
    if (G.getAddressSpace() == addrspace::Shared && G.use_empty())
      G.eraseFromParent();
  Part->setModuleIdentifier("");
  Part->setSourceFileName("");
  return Part;
}

//===----------------------------------------------------------------------===//
// Modules with lines
//===----------------------------------------------------------------------===//

Partition functionsOf(Module &M) {
  Partition P;
  for (Function &F : M)
    if (!F.isDeclaration())
      P.push_back(&F);
  return P;
}

/// The description of a variable goes with the function that it is local to.
static bool isOfFunction(const DIGlobalVariableExpression &Described) {
  return isa_and_nonnull<DILocalScope>(Described.getVariable()->getScope());
}

/// Has \p G say no more than what functions of this module have of it.
static void forgetDescription(GlobalVariable &G) {
  SmallVector<DIGlobalVariableExpression *, 1> All;
  G.getDebugInfo(All);
  G.eraseMetadata(LLVMContext::MD_dbg);
  for (DIGlobalVariableExpression *Described : All)
    if (isOfFunction(*Described))
      G.addDebugInfo(Described);
}

/// Units describe what variables of the module still have.
static void describeWhatIsLeft(Module &M) {
  SmallPtrSet<const Metadata *, 16> Left;
  SmallVector<DIGlobalVariableExpression *, 1> Described;
  for (GlobalVariable &G : M.globals()) {
    G.getDebugInfo(Described);
    Left.insert_range(Described);
  }
  for (DICompileUnit *Unit : M.debug_compile_units()) {
    SmallVector<Metadata *> Kept;
    for (DIGlobalVariableExpression *E : Unit->getGlobalVariables())
      if (Left.contains(E))
        Kept.push_back(E);
    Unit->replaceGlobalVariables(MDTuple::get(M.getContext(), Kept));
  }
}

void divideVariables(Module &M, bool IsFirst) {
  if (!IsFirst)
    removeFromUsedLists(M, [](Constant *C) {
      return isa<GlobalVariable>(C->stripPointerCasts());
    });
  for (GlobalVariable &G : make_early_inc_range(M.globals())) {
    if (G.getName().starts_with("llvm."))
      continue;
    if (G.getAddressSpace() == addrspace::Shared) {
      if (G.use_empty() && G.hasLocalLinkage())
        G.eraseFromParent();
      continue;
    }
    if (IsFirst)
      continue;
    forgetDescription(G);
    G.setInitializer(nullptr);
    G.setLinkage(GlobalValue::ExternalLinkage);
    G.setComdat(nullptr);
  }
  describeWhatIsLeft(M);
}

std::string partitionText(const Module &Part) {
  std::string Text;
  raw_string_ostream OS(Text);
  Part.print(OS, nullptr);
  return Text;
}

} // namespace heddle::compiler
