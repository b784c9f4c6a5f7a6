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

#include "heddle/Support/AddressSpace.h"

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::compiler {

static bool isKernel(const Function &F) {
  return F.getCallingConv() == CallingConv::PTX_Kernel;
}

namespace {

class Divider {
public:
  explicit Divider(const Module &M) : M(M) {}
  std::vector<Unit> divide();

private:
  void connectUsers(const GlobalValue &G);
  /// The functions that name G, also inside constants; false if a variable's
  /// value does.
  bool findUsers(const Value &V, SmallSetVector<const Function *, 8> &Users);

  const Module &M;
  EquivalenceClasses<const GlobalValue *> Classes;
  /// Stands for everything that calls through pointers may connect.
  const GlobalValue *Pointers = nullptr;
  bool MayDivide = true;
};

bool Divider::findUsers(const Value &V,
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

void Divider::connectUsers(const GlobalValue &G) {
  SmallSetVector<const Function *, 8> Users;
  if (!findUsers(G, Users)) {
    MayDivide = false;
    return;
  }
  const auto *F = dyn_cast<Function>(&G);
  bool Connects =
      F || any_of(Users, [](const Function *User) { return !isKernel(*User); });
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
  // Of named metadata only the module flags are known to concern all units.
  MayDivide = M.alias_empty() && M.ifunc_empty() &&
              all_of(M.named_metadata(), [](const NamedMDNode &N) {
                return N.getName() == "llvm.module.flags";
              });
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
    Units[At->second].insert(&F);
  }
  return Units;
}

} // namespace

std::vector<Unit> divideModule(const Module &M) { return Divider(M).divide(); }

/// Variables of one function in shared memory are told apart by numbers that
/// depend on the other functions. Their names are of no consequence: they
/// become offsets.
static void renameSharedVariables(Module &Part) {
  unsigned Number = 0;
  for (GlobalVariable &G : Part.globals())
    if (G.getAddressSpace() == addrspace::Shared && G.hasLocalLinkage())
      G.setName("shared.variable." + Twine(Number++));
}

/// What a unit is compiled from: its functions, and declarations of what they
/// name.
std::unique_ptr<Module> extractUnit(const Module &M, const Unit &U) {
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Part = CloneModule(M, Map, [&](const GlobalValue *G) {
    if (const auto *F = dyn_cast<Function>(G))
      return U.contains(F);
    // Every unit lays out what it names of shared memory.
    return G->getAddressSpace() == addrspace::Shared;
  });
  for (GlobalVariable &G : make_early_inc_range(Part->globals()))
    if (G.use_empty())
      G.eraseFromParent();
  for (Function &F : make_early_inc_range(*Part))
    if (F.isDeclaration() && F.use_empty())
      F.eraseFromParent();
  renameSharedVariables(*Part);
  Part->setModuleIdentifier("");
  Part->setSourceFileName("");
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
