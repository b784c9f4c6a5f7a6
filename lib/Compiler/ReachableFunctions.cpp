//===- ReachableFunctions.cpp - What kernels may call -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without -c the input is the whole program, of which, as in ptxas, only what
// its kernels may run is compiled, whatever the linkage: no other code can call
// a function. A name in a body counts as a use of what it names, and so does
// one in the initial value of any variable, since the host reads variables.
//
//===----------------------------------------------------------------------===//

#include "Frontend.h"

#include "heddle/Link/ModuleLink.h"

#include "llvm/ADT/SetVector.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

class FunctionFinder {
public:
  FunctionFinder(const ptx::Module &File, const Settings &S)
      : File(File), S(S) {}
  FunctionSet find();

private:
  void add(const ptx::Decl *D);
  void visit(ArrayRef<const ptx::Statement *> Body);
  void visit(ArrayRef<ptx::Operand> Operands);
  void visitInit(const ptx::Variable &Var);
  bool isUndefined(const ptx::Function &F) const;
  bool namesUndefined(const ptx::Function &F);
  bool isRoot(const ptx::Function &F);

  const ptx::Module &File;
  const Settings &S;
  DenseMap<const ptx::Decl *, const ptx::Function *> Aliasees;
  SetVector<const ptx::Function *> Named;
};

void FunctionFinder::add(const ptx::Decl *D) {
  if (const auto *Targets = dyn_cast_or_null<ptx::CallTargetsDecl>(D))
    for (const ptx::Function *F : Targets->Targets)
      add(F);
  if (const auto *F = dyn_cast_or_null<ptx::Function>(D)) {
    Named.insert(F);
    if (const ptx::Function *Aliasee = Aliasees.lookup(F))
      Named.insert(Aliasee);
  }
}

void FunctionFinder::visitInit(const ptx::Variable &Var) {
  for (const ptx::InitElement &E : Var.Init)
    add(E.Symbol);
}

void FunctionFinder::visit(ArrayRef<ptx::Operand> Operands) {
  using Kind = ptx::Operand::Kind;
  for (const ptx::Operand &O : Operands)
    if (O.is(Kind::Symbol) ||
        (O.is(Kind::Address) &&
         O.getAddressBase() == ptx::Operand::Base::Symbol))
      add(O.getSymbol());
    else if (O.is(Kind::Vector) || O.is(Kind::Pair) || O.is(Kind::List))
      visit(O.getElements());
}

void FunctionFinder::visit(ArrayRef<const ptx::Statement *> Body) {
  for (const ptx::Statement *S : Body)
    if (const auto *Block = dyn_cast<ptx::BlockStatement>(S)) {
      visit(Block->Body);
    } else if (const auto *Inst = dyn_cast<ptx::Instruction>(S)) {
      visit(Inst->getOperands());
    } else if (const auto *Declared = dyn_cast<ptx::VariableStatement>(S)) {
      if (const auto *Var = dyn_cast<ptx::Variable>(Declared->D))
        visitInit(*Var);
    }
}

bool FunctionFinder::isUndefined(const ptx::Function &F) const {
  return !F.isDefinition() && !Aliasees.contains(&F) &&
         !isProvidedFunction(F.getName());
}

/// Whether F names a function without definition: an error wherever it stands,
/// which is found behind the import.
bool FunctionFinder::namesUndefined(const ptx::Function &F) {
  SetVector<const ptx::Function *> Others;
  std::swap(Named, Others);
  visit(F.Body);
  bool Result = any_of(
      Named, [&](const ptx::Function *Other) { return isUndefined(*Other); });
  std::swap(Named, Others);
  return Result;
}

/// What has to be imported whatever calls it.
bool FunctionFinder::isRoot(const ptx::Function &F) {
  return wantsBody(F, S) &&
         (F.isEntry() || declaresVariables(F.Body) || namesUndefined(F));
}

FunctionSet FunctionFinder::find() {
  for (const ptx::AliasDecl *A : File.Aliases)
    Aliasees[A->Alias] = A->Aliasee;
  for (const ptx::Variable *Var : File.Globals)
    visitInit(*Var);
  for (const ptx::Function *F : File.Functions)
    if (F->isDefinition() && isRoot(*F))
      Named.insert(F);
  for (size_t I = 0; I != Named.size(); ++I)
    if (wantsBody(*Named[I], S))
      visit(Named[I]->Body);
  return FunctionSet(Named.begin(), Named.end());
}

} // namespace

FunctionSet reachableFunctions(const ptx::Module &File, const Settings &S) {
  return FunctionFinder(File, S).find();
}

} // namespace heddle::compiler
