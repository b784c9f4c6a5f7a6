//===- Lint.cpp - Warnings about a whole module -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One walk over the statements of each function. The order of control flow is
// not looked at: a register counts as written if any instruction writes it.
//
//===----------------------------------------------------------------------===//

#include "Lint.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::ptx {

namespace {

class Linter {
public:
  Linter(const Module &M, DiagnosticEngine &Diags) : M(M), Diags(Diags) {}
  void run();

private:
  void visitFunction(const Function &F);
  void visitBody(ArrayRef<const Statement *> Body);
  void visitInstruction(const Instruction &I);
  void visitOperand(const Operand &O, bool IsWritten);
  void visitRegister(const RegisterDecl *R, uint32_t Number, SourceLoc Where,
                     bool IsWritten);
  void visitSections();
  void reportUnused();
  void reportUnreachable(const Instruction &I);
  void warn(WarningId Id, SourceRange Where, const Twine &Message) {
    Diags.warning(Id, Where, Message);
  }

  /// The first read of a register, and its declaration.
  struct Read {
    const RegisterDecl *Register;
    SourceLoc Where;
  };

  const Module &M;
  DiagnosticEngine &Diags;
  /// Declarations that anything names.
  DenseSet<const Decl *> Named;
  /// Labels that debug sections refer to.
  DenseSet<StringRef> DebugLabels;
  // Of the present function:
  SmallVector<const Decl *> Declared;
  MapVector<uint32_t, Read> Reads;
  DenseSet<uint32_t> Written;
  bool IsBehindJump = false;
};

} // namespace

//===----------------------------------------------------------------------===//
// Walking
//===----------------------------------------------------------------------===//

void Linter::visitRegister(const RegisterDecl *R, uint32_t Number,
                           SourceLoc Where, bool IsWritten) {
  Named.insert(R);
  if (IsWritten)
    Written.insert(Number);
  else
    Reads.insert({Number, {R, Where}});
}

void Linter::visitOperand(const Operand &O, bool IsWritten) {
  switch (O.getKind()) {
  case Operand::Kind::Register:
    visitRegister(O.getRegister(), O.getRegisterNumber(), O.getLoc(),
                  IsWritten);
    break;
  case Operand::Kind::Symbol:
    Named.insert(O.getSymbol());
    break;
  case Operand::Kind::Label:
    Named.insert(O.getLabel());
    break;
  case Operand::Kind::Address:
    if (O.getAddressBase() == Operand::Base::Register)
      visitRegister(O.getRegister(), O.getRegisterNumber(), O.getLoc(), false);
    else if (O.getAddressBase() == Operand::Base::Symbol)
      Named.insert(O.getSymbol());
    break;
  case Operand::Kind::Vector:
  case Operand::Kind::Pair:
  case Operand::Kind::List:
    for (const Operand &Part : O.getElements())
      visitOperand(Part, IsWritten);
    break;
  default:
    break;
  }
}

static SourceRange getRange(const Instruction &I) {
  return {I.getLoc(), uint32_t(I.getMnemonic().Spelling.size())};
}

void Linter::visitInstruction(const Instruction &I) {
  if (IsBehindJump)
    reportUnreachable(I);
  IsBehindJump = false;
  if (const Guard &G = I.getGuard())
    visitRegister(G.Register, G.getRegisterNumber(), I.getLoc(), false);
  for (auto [Spec, O] : zip(I.getForm().getOperands(), I.getOperands()))
    visitOperand(O, Spec.Role == OperandRole::Dest ||
                        Spec.Role == OperandRole::Returns);
  bool Jumps = is_contained(
      {Opcode::Bra, Opcode::BrxIdx, Opcode::Ret, Opcode::Exit}, I.getOpcode());
  IsBehindJump = Jumps && !I.getGuard();
}

void Linter::visitBody(ArrayRef<const Statement *> Body) {
  for (const Statement *S : Body) {
    if (auto *I = dyn_cast<Instruction>(S)) {
      visitInstruction(*I);
    } else if (auto *B = dyn_cast<BlockStatement>(S)) {
      visitBody(B->Body);
    } else if (auto *L = dyn_cast<LabelStatement>(S)) {
      IsBehindJump = false;
      Declared.push_back(L->Label);
    } else if (auto *V = dyn_cast<VariableStatement>(S)) {
      Declared.push_back(V->D);
    } else if (auto *D = dyn_cast<DeclarationStatement>(S)) {
      if (auto *T = dyn_cast<BranchTargetsDecl>(D->D))
        Named.insert(T->Targets.begin(), T->Targets.end());
      else if (auto *C = dyn_cast<CallTargetsDecl>(D->D))
        Named.insert(C->Targets.begin(), C->Targets.end());
    }
  }
}

//===----------------------------------------------------------------------===//
// Reporting
//===----------------------------------------------------------------------===//

void Linter::reportUnreachable(const Instruction &I) {
  warn(WarningId::Unreachable, getRange(I),
       "'" + I.getMnemonic().Spelling + "' is never reached");
}

void Linter::reportUnused() {
  for (const Decl *D : Declared) {
    if (Named.contains(D) ||
        (isa<LabelDecl>(D) && DebugLabels.contains(D->getName())))
      continue;
    SourceRange Where = getNameRange(D);
    if (auto *R = dyn_cast<RegisterDecl>(D); R && R->isRange())
      warn(WarningId::UnusedRegister, Where,
           "no register of '" + D->getName() + "' is used");
    else if (R)
      warn(WarningId::UnusedRegister, Where,
           "register '" + D->getName() + "' is not used");
    else if (isa<LabelDecl>(D))
      warn(WarningId::UnusedLabel, Where,
           "nothing jumps to label '" + D->getName() + "'");
    else
      warn(WarningId::UnusedVariable, Where,
           "variable '" + D->getName() + "' is not used");
  }
}

void Linter::visitFunction(const Function &F) {
  Declared.clear();
  Reads.clear();
  Written.clear();
  IsBehindJump = false;
  visitBody(F.Body);
  // The caller writes the parameters.
  for (Parameter P : F.Params)
    if (auto *R = dyn_cast<RegisterDecl>(P))
      Written.insert(R->getFirstNumber());
  reportUnused();
  for (const auto &[Number, R] : Reads)
    if (!Written.contains(Number)) {
      std::string Name = R.Register->getName().str();
      if (R.Register->isRange())
        Name += std::to_string(Number - R.Register->getFirstNumber());
      warn(WarningId::Uninitialized, Diags.getWordRange(R.Where),
           "'" + Name + "' is read here and written nowhere");
    }
}

void Linter::visitSections() {
  for (const Section *S : M.Sections)
    for (const SectionItem &Item : S->Items)
      if (Item.K == SectionItem::Kind::Symbol) {
        DebugLabels.insert(Item.Name);
        DebugLabels.insert(Item.Minus);
      }
}

void Linter::run() {
  visitSections();
  for (const Function *F : M.Functions)
    visitFunction(*F);
  for (const Variable *V : M.Globals)
    for (const InitElement &E : V->Init)
      if (E.K == InitElement::Kind::Symbol)
        Named.insert(E.Symbol);
  for (const AliasDecl *A : M.Aliases)
    Named.insert(A->Aliasee);
  for (const Function *F : M.Functions)
    if (!F->isEntry() && F->isDefinition() && F->Link == Linkage::None &&
        !Named.contains(F))
      warn(WarningId::UnusedFunction, getNameRange(F),
           "function '" + F->getName() + "' is not used");
}

void lint(const Module &M, DiagnosticEngine &Diags) {
  constexpr WarningId Ours[] = {
      WarningId::Uninitialized,  WarningId::Unreachable,
      WarningId::UnusedFunction, WarningId::UnusedLabel,
      WarningId::UnusedRegister, WarningId::UnusedVariable};
  if (any_of(Ours, [&](WarningId Id) { return Diags.isEnabled(Id); }))
    Linter(M, Diags).run();
}

} // namespace heddle::ptx
