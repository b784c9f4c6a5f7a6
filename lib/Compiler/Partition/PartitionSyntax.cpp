//===- PartitionSyntax.cpp - Partitions of a PTX file -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each partition of a file holds whole partitions of the module that the file
// becomes, since both follow the same rules. What no rule covers keeps a file
// whole: aliases, addresses of functions in initial values; and so do variables
// of the host in functions, which are numbered in the order of the text.
//
//===----------------------------------------------------------------------===//

#include "Partition/FunctionGroups.h"
#include "Partition/Partition.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

/// Tells the groups what connects the functions of a file.
class TreeWalker {
public:
  explicit TreeWalker(const ParsedInput &Input)
      : Input(Input), File(*Input.Module), Groups(File.Functions.size()),
        Lengths(File.Functions.size()) {}
  SyntaxPartitions partition(unsigned Most, size_t MinInstructions);

private:
  void visit(ArrayRef<const ptx::Statement *> Body, unsigned User);
  void visit(const ptx::Instruction &Inst, unsigned User);
  void visit(const ptx::Operand &O, unsigned User);
  void visitSymbol(const ptx::Decl &Symbol, unsigned User);
  void visitCall(const ptx::Operand &Callee, unsigned User);
  void visitFunctions();
  void visitVariables();
  SyntaxPartitions fill(ArrayRef<unsigned> GroupOf, size_t Partitions) const;

  const ParsedInput &Input;
  const ptx::Module &File;
  FunctionGroups Groups; ///< of functions by their places in the file
  DenseMap<const ptx::Function *, unsigned> Numbers;
  std::vector<size_t> Lengths; ///< of functions, in instructions
  size_t Length = 0;           ///< of all
};

bool isShared(const ptx::Variable &Var) {
  return Var.Space == ptx::StateSpace::Shared ||
         Var.Space == ptx::StateSpace::SharedCta;
}

bool isOfHost(const ptx::Variable &Var) {
  return Var.Space == ptx::StateSpace::Global ||
         Var.Space == ptx::StateSpace::Const;
}

void TreeWalker::visitSymbol(const ptx::Decl &Symbol, unsigned User) {
  if (const auto *Var = dyn_cast<ptx::Variable>(&Symbol); Var && isShared(*Var))
    Groups.useShared(Var, User, File.Functions[User]->isEntry());
  // The address of a function, as calls come elsewhere.
  if (const auto *F = dyn_cast<ptx::Function>(&Symbol))
    if (auto Found = Numbers.find(F); Found != Numbers.end()) {
      Groups.connect(User, Found->second);
      Groups.usePointers(Found->second);
    }
}

void TreeWalker::visit(const ptx::Operand &O, unsigned User) {
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

void TreeWalker::visitCall(const ptx::Operand &Callee, unsigned User) {
  const auto *F = Callee.is(ptx::Operand::Kind::Symbol)
                      ? dyn_cast<ptx::Function>(Callee.getSymbol())
                      : nullptr;
  if (!F)
    Groups.usePointers(User);
  else if (auto Found = Numbers.find(F); Found != Numbers.end())
    Groups.connect(User, Found->second);
}

void TreeWalker::visit(const ptx::Instruction &Inst, unsigned User) {
  ++Lengths[User];
  bool IsCall = Inst.getOpcode() == ptx::Opcode::Call;
  for (auto [I, O] : enumerate(Inst.getOperands()))
    if (IsCall && I == 1)
      visitCall(O, User);
    else
      visit(O, User);
}

void TreeWalker::visit(ArrayRef<const ptx::Statement *> Body, unsigned User) {
  for (const ptx::Statement *S : Body)
    if (const auto *Block = dyn_cast<ptx::BlockStatement>(S)) {
      visit(Block->Body, User);
    } else if (const auto *Inst = dyn_cast<ptx::Instruction>(S)) {
      visit(*Inst, User);
    } else if (const auto *Declared = dyn_cast<ptx::VariableStatement>(S)) {
      const auto *Var = dyn_cast<ptx::Variable>(Declared->D);
      if (Var && isOfHost(*Var))
        Groups.keepWhole();
    }
}

/// Each partition has all variables and sections, so that they must not be most
/// of the work.
void TreeWalker::visitVariables() {
  // Numbers of a section are only copied.
  constexpr size_t ItemsPerInstruction = 64;
  size_t Work = File.Globals.size();
  for (const ptx::Section *S : File.Sections)
    Work += S->Items.size() / ItemsPerInstruction;
  for (const ptx::Variable *Var : File.Globals) {
    Work += Var->Init.size();
    if (any_of(Var->Init, [](const ptx::InitElement &E) {
          return isa_and_nonnull<ptx::Function>(E.Symbol);
        }))
      Groups.keepWhole();
  }
  if (Work > Length)
    Groups.keepWhole();
}

void TreeWalker::visitFunctions() {
  for (auto [I, F] : enumerate(File.Functions))
    if (F->isDefinition() && Input.isReachable(*F))
      Numbers[F] = I;
  for (auto [I, F] : enumerate(File.Functions))
    if (Numbers.contains(F)) {
      visit(F->Body, I);
      Length += Lengths[I];
    }
}

/// Groups go to partitions in the order of their first functions.
SyntaxPartitions TreeWalker::fill(ArrayRef<unsigned> GroupOf,
                                  size_t Partitions) const {
  std::vector<size_t> GroupLengths;
  for (auto [Group, Length] : zip_equal(GroupOf, Lengths)) {
    GroupLengths.resize(std::max<size_t>(GroupLengths.size(), Group + 1));
    GroupLengths[Group] += Length;
  }
  std::vector<unsigned> PartitionOfGroup;
  SyntaxPartitions Result;
  size_t Before = 0;
  for (size_t GroupLength : GroupLengths) {
    // What is not compiled, or has no code, needs no partition of its own.
    bool IsFull = Result.Count == 0 ||
                  (GroupLength && Before * Partitions >= Result.Count * Length);
    Result.Count += IsFull;
    PartitionOfGroup.push_back(Result.Count - 1);
    Before += GroupLength;
  }
  for (auto [F, I] : Numbers)
    Result.PartitionOf[F] = PartitionOfGroup[GroupOf[I]];
  return Result;
}

SyntaxPartitions TreeWalker::partition(unsigned Most, size_t MinInstructions) {
  if (!File.Aliases.empty())
    return SyntaxPartitions();
  visitFunctions();
  visitVariables();
  size_t Partitions = std::min<size_t>(Most, Length / MinInstructions);
  if (Partitions < 2)
    return SyntaxPartitions();
  std::optional<std::vector<unsigned>> GroupOf = Groups.groups();
  return GroupOf ? fill(*GroupOf, Partitions) : SyntaxPartitions();
}

} // namespace

SyntaxPartitions partitionSyntaxTree(const ParsedInput &Input, unsigned Most,
                                     size_t MinInstructions) {
  return TreeWalker(Input).partition(Most, MinInstructions);
}

} // namespace heddle::compiler
