//===- DivideFile.cpp - Pieces of a PTX file --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions are in one piece if one calls the other, or if both name a variable
// in shared memory that some function other than a kernel names, as for the
// units of Units.cpp, each of which lies in one piece therefore. What could
// connect functions in another way keeps a file whole: addresses of functions,
// calls through pointers, aliases; and so do variables of the host in
// functions, which are numbered in the order of the text.
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"

#include "llvm/ADT/IntEqClasses.h"
#include "llvm/ADT/MapVector.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

class FileDivider {
public:
  explicit FileDivider(const ParsedInput &Input)
      : Input(Input), File(*Input.Module) {}
  PieceMap divide(unsigned Most, size_t MinInstructions);

private:
  void visit(ArrayRef<const ptx::Statement *> Body, unsigned User);
  void visit(const ptx::Instruction &Inst, unsigned User);
  void visit(const ptx::Operand &O, unsigned User);
  void visitSymbol(const ptx::Decl &Symbol, unsigned User);
  void visitCall(const ptx::Operand &Callee, unsigned User);
  void visitVariables();
  void connectShared();

  const ParsedInput &Input;
  const ptx::Module &File;
  bool MayDivide = true;
  DenseMap<const ptx::Function *, unsigned> Numbers;
  IntEqClasses Classes;        ///< of functions by their numbers
  std::vector<size_t> Lengths; ///< of functions, in instructions
  size_t Length = 0;           ///< of all
  MapVector<const ptx::Variable *, SmallVector<unsigned, 4>> SharedUsers;
};

bool isShared(const ptx::Variable &Var) {
  return Var.Space == ptx::StateSpace::Shared ||
         Var.Space == ptx::StateSpace::SharedCta;
}

bool isOfHost(const ptx::Variable &Var) {
  return Var.Space == ptx::StateSpace::Global ||
         Var.Space == ptx::StateSpace::Const;
}

void FileDivider::visitSymbol(const ptx::Decl &Symbol, unsigned User) {
  if (isa<ptx::Function>(Symbol)) // its address, as calls come elsewhere
    MayDivide = false;
  else if (const auto *Var = dyn_cast<ptx::Variable>(&Symbol);
           Var && isShared(*Var))
    SharedUsers[Var].push_back(User);
}

void FileDivider::visit(const ptx::Operand &O, unsigned User) {
  using Kind = ptx::Operand::Kind;
  bool IsSymbol =
      O.is(Kind::Symbol) ||
      (O.is(Kind::Address) && O.getAddressBase() == ptx::Operand::Base::Symbol);
  if (IsSymbol)
    visitSymbol(*O.getSymbol(), User);
  if (O.is(Kind::Vector) || O.is(Kind::Pair) || O.is(Kind::List))
    for (const ptx::Operand &Element : O.getElements())
      visit(Element, User);
}

void FileDivider::visitCall(const ptx::Operand &Callee, unsigned User) {
  const auto *F = Callee.is(ptx::Operand::Kind::Symbol)
                      ? dyn_cast<ptx::Function>(Callee.getSymbol())
                      : nullptr;
  if (!F) {
    MayDivide = false;
    return;
  }
  if (auto Found = Numbers.find(F); Found != Numbers.end())
    Classes.join(User, Found->second);
}

void FileDivider::visit(const ptx::Instruction &Inst, unsigned User) {
  ++Lengths[User];
  bool IsCall = ptx::getOpcodeName(Inst.getOpcode()) == "call";
  for (auto [I, O] : enumerate(Inst.getOperands()))
    if (IsCall && I == 1)
      visitCall(O, User);
    else
      visit(O, User);
}

void FileDivider::visit(ArrayRef<const ptx::Statement *> Body, unsigned User) {
  for (const ptx::Statement *S : Body)
    if (const auto *Block = dyn_cast<ptx::BlockStatement>(S)) {
      visit(Block->Body, User);
    } else if (const auto *Inst = dyn_cast<ptx::Instruction>(S)) {
      visit(*Inst, User);
    } else if (const auto *Declared = dyn_cast<ptx::VariableStatement>(S)) {
      const auto *Var = dyn_cast<ptx::Variable>(Declared->D);
      MayDivide &= !Var || !isOfHost(*Var);
    }
}

/// Each piece has all variables, so that they must not be most of the work.
void FileDivider::visitVariables() {
  size_t Work = File.Globals.size();
  for (const ptx::Variable *Var : File.Globals) {
    Work += Var->Init.size();
    for (const ptx::InitElement &E : Var->Init)
      MayDivide &= !isa_and_nonnull<ptx::Function>(E.Symbol);
  }
  MayDivide &= Work <= Length;
}

void FileDivider::connectShared() {
  for (const auto &[Var, Users] : SharedUsers) {
    bool AllKernels =
        all_of(Users, [&](unsigned F) { return File.Functions[F]->isEntry(); });
    if (!AllKernels)
      for (unsigned F : Users)
        Classes.join(Users.front(), F);
  }
}

PieceMap FileDivider::divide(unsigned Most, size_t MinInstructions) {
  if (!File.Aliases.empty() || !File.Sections.empty())
    return PieceMap();
  Classes.grow(File.Functions.size());
  Lengths.resize(File.Functions.size());
  for (auto [I, F] : enumerate(File.Functions))
    if (F->isDefinition() && Input.isReachable(*F))
      Numbers[F] = I;
  for (auto [I, F] : enumerate(File.Functions))
    if (Numbers.contains(F)) {
      visit(F->Body, I);
      Length += Lengths[I];
    }
  visitVariables();
  size_t Pieces = std::min<size_t>(Most, Length / MinInstructions);
  if (!MayDivide || Pieces < 2)
    return PieceMap();
  connectShared();
  Classes.compress();
  // Classes go to pieces in the order of their first functions.
  std::vector<size_t> ClassLengths(Classes.getNumClasses());
  for (auto [F, I] : Numbers)
    ClassLengths[Classes[I]] += Lengths[I];
  std::vector<unsigned> PieceOfClass;
  size_t Before = 0;
  unsigned Count = 0;
  for (size_t ClassLength : ClassLengths) {
    // What is not compiled, or has no code, needs no piece of its own.
    bool IsFull =
        Count == 0 || (ClassLength && Before * Pieces >= Count * Length);
    Count += IsFull;
    PieceOfClass.push_back(Count - 1);
    Before += ClassLength;
  }
  PieceMap Map;
  Map.Count = Count;
  for (auto [F, I] : Numbers)
    Map.PieceOf[F] = PieceOfClass[Classes[I]];
  return Map;
}

} // namespace

PieceMap divideFile(const ParsedInput &Input, unsigned Most,
                    size_t MinInstructions) {
  return FileDivider(Input).divide(Most, MinInstructions);
}

} // namespace heddle::compiler
