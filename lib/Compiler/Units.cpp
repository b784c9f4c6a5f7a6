//===- Units.cpp - Parts of a module that stand alone -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides a module into units (--units): functions whose code depends on each
// other. Each unit is optimised, compiled and cached on its own, and the
// objects are put together, so that editing one kernel of many recompiles that
// one.
//
// Two functions are in one unit if one names the other, or if both name a
// variable in shared memory that some function other than a kernel names (such
// variables have one place for all), or if calls through pointers may connect
// them. Global and constant variables connect nothing: the code knows of them
// only name, type and alignment, since the host may change their values.
//
// A unit's text is its LLVM IR before optimization. It holds all that the code
// depends on, callees, variables, launch bounds, and nothing else: comments,
// white space, names of registers and other units leave no trace in it.
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Support/AddressSpace.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

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

/// Of named metadata only the module flags are known to concern all units. What
/// has lines for remarks alone is found through the functions that have them.
static bool mayDivide(const Module &M) {
  bool HasDebugInfo = !M.debug_compile_units().empty();
  return M.alias_empty() && M.ifunc_empty() &&
         all_of(M.named_metadata(), [&](const NamedMDNode &N) {
           return N.getName() == "llvm.module.flags" ||
                  (N.getName() == "llvm.dbg.cu" && !HasDebugInfo);
         });
}

namespace {

class Divider {
public:
  explicit Divider(const Module &M) : M(M) {}
  std::vector<Unit> divide();

private:
  void connectUsers(const GlobalValue &G);

  const Module &M;
  EquivalenceClasses<const GlobalValue *> Classes;
  /// Stands for everything that calls through pointers may connect.
  const GlobalValue *Pointers = nullptr;
  bool MayDivide = true;
};

void Divider::connectUsers(const GlobalValue &G) {
  SmallSetVector<const Function *, 8> Users;
  if (!findUsers(G, Users)) {
    MayDivide = false;
    return;
  }
  const auto *F = dyn_cast<Function>(&G);
  bool Connects = F || any_of(Users, [](const Function *User) {
                    return !ir::isKernel(*User);
                  });
  if (!Connects)
    return;
  for (const Function *User : Users)
    Classes.unionSets(&G, User);
  if (F && F->hasAddressTaken()) {
    Pointers = Pointers ? Pointers : F;
    Classes.unionSets(Pointers, F);
  }
}

std::vector<Unit> Divider::divide() {
  MayDivide = mayDivide(M);
  for (const Function &F : M)
    if (!F.isDeclaration()) {
      Classes.insert(&F);
      connectUsers(F);
    }
  for (const GlobalVariable &G : M.globals())
    if (G.getAddressSpace() == addrspace::Shared)
      connectUsers(G);
  for (const Function &F : M)
    for (const Instruction &I : instructions(F))
      if (const auto *Call = dyn_cast<CallBase>(&I);
          Call && Call->isIndirectCall()) {
        Pointers = Pointers ? Pointers : &F;
        Classes.unionSets(Pointers, &F);
      }
  std::vector<Unit> Units;
  if (!MayDivide)
    return Units;
  DenseMap<const GlobalValue *, size_t> Places;
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    auto [At, IsNew] =
        Places.try_emplace(Classes.getLeaderValue(&F), Units.size());
    if (IsNew)
      Units.emplace_back();
    Units[At->second].push_back(&F);
  }
  return Units;
}

} // namespace

std::vector<Unit> divideModule(const Module &M) { return Divider(M).divide(); }

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
/// memory, which every unit lays out for itself, and declarations of the rest.
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

UnitExtractor::UnitExtractor(const Module &M) : M(M) {
  for (const GlobalVariable &G : M.globals()) {
    Places[&G] = Places.size();
    SmallSetVector<const Function *, 8> Users;
    if (G.getAddressSpace() == addrspace::Shared && findUsers(G, Users))
      for (const Function *F : Users)
        SharedOf[F].push_back(&G);
  }
}

/// The time it takes does not depend on the size of the whole module.
std::unique_ptr<Module> UnitExtractor::extract(const Unit &U) const {
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
  for (const Function *F : U) {
    Map[F] = Copier.copy(*F);
    if (auto Found = SharedOf.find(F); Found != SharedOf.end())
      Shared.insert_range(Found->second);
  }
  SmallVector<const GlobalVariable *, 8> Ordered(Shared.begin(), Shared.end());
  sort(Ordered, [&](const GlobalVariable *A, const GlobalVariable *B) {
    return Places.lookup(A) < Places.lookup(B);
  });
  for (const GlobalVariable *G : Ordered)
    Map[G] = Copier.copy(*G);
  for (const Function *F : U) {
    auto *Here = cast<Function>(Map[F]);
    for (auto [There, Argument] : zip_equal(F->args(), Here->args())) {
      Argument.setName(There.getName());
      Map[&There] = &Argument;
    }
    SmallVector<ReturnInst *, 8> Returns;
    CloneFunctionInto(Here, F, Map, CloneFunctionChangeType::ClonedModule,
                      Returns, "", nullptr, nullptr, &Copier);
  }
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

std::string unitText(const Module &Part) {
  std::string Text;
  raw_string_ostream OS(Text);
  Part.print(OS, nullptr);
  return Text;
}

} // namespace heddle::compiler
