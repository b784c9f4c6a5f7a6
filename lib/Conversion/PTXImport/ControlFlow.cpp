//===- ControlFlow.cpp - Basic blocks of a PTX function ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts at labels, branches, and around guarded instructions.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using namespace heddle::import;
using ptx::Opcode;

bool import::isSpeculatable(Opcode Op) {
  using enum ptx::Opcode;
  switch (Op) {
  case Abs:
  case Add:
  case Addc:
  case And:
  case Bfe:
  case Bfi:
  case Bfind:
  case Bmsk:
  case Brev:
  case Clz:
  case Cnot:
  case Copysign:
  case Cos:
  case Cvt:
  case Cvta:
  case Dp2a:
  case Dp4a:
  case Ex2:
  case Fma:
  case Isspacep:
  case Lg2:
  case Lop3:
  case Mad:
  case Mad24:
  case Madc:
  case Max:
  case Min:
  case Mov:
  case Mul:
  case Mul24:
  case Neg:
  case Not:
  case Or:
  case Popc:
  case Prmt:
  case Rsqrt:
  case Sad:
  case Selp:
  case Set:
  case Setp:
  case Shf:
  case Shl:
  case Shr:
  case Sin:
  case Slct:
  case Sub:
  case Subc:
  case Szext:
  case Tanh:
  case Testp:
  case Xor:
    return true;
  default:
    return false;
  }
}

namespace {

class Splitter {
public:
  explicit Splitter(const ptx::Function &F)
      : F(F), LabelBlock(F.getNumLabels(), NoBlock) {}
  std::vector<BasicBlock> run();

private:
  static constexpr unsigned NoBlock = ~0u;

  void visit(llvm::ArrayRef<const ptx::Statement *> Statements);
  void visit(const ptx::Instruction *Inst);
  void visitGuarded(Step S);
  /// The block that \p Label begins, which need not have been reached yet.
  unsigned blockOf(const ptx::LabelDecl *Label);
  unsigned newBlock() {
    Blocks.emplace_back();
    return Blocks.size() - 1;
  }
  void jump(unsigned To) {
    Blocks[Current].End = Ending::Jump;
    Blocks[Current].Succs = {To};
  }
  void mark(const ptx::Statement *S) {
    BasicBlock &Block = Blocks[Current];
    Block.Markers.push_back({unsigned(Block.Steps.size()), S});
    Side = NoBlock;
  }
  /// Ends the current block and goes on in a new one.
  void end(Ending How, Step Last, llvm::ArrayRef<unsigned> Succs);
  std::vector<BasicBlock> inTextOrder();

  const ptx::Function &F;
  std::vector<BasicBlock> Blocks;
  std::vector<unsigned> LabelBlock;
  /// Blocks in the order of the text.
  std::vector<unsigned> TextOrder;
  const ptx::LocStatement *Loc = nullptr;
  unsigned Current = 0;
  /// The side block that the last statement went to, while another one with
  /// the same guard could join it.
  unsigned Side = NoBlock;
};

} // namespace

unsigned Splitter::blockOf(const ptx::LabelDecl *Label) {
  unsigned &Block = LabelBlock[Label->getNumber()];
  if (Block == NoBlock)
    Block = newBlock();
  return Block;
}

void Splitter::end(Ending How, Step Last, llvm::ArrayRef<unsigned> Succs) {
  Blocks[Current].End = How;
  Blocks[Current].Last = Last;
  Blocks[Current].Succs.assign(Succs.begin(), Succs.end());
}

static bool writes(const ptx::Operand &O, const ptx::Guard &G) {
  if (O.is(ptx::Operand::Kind::Register))
    return O.getRegister() == G.Register && O.getRegisterIndex() == G.Index;
  if (O.is(ptx::Operand::Kind::Vector) || O.is(ptx::Operand::Kind::Pair) ||
      O.is(ptx::Operand::Kind::List))
    return llvm::any_of(O.getElements(),
                        [&](const ptx::Operand &E) { return writes(E, G); });
  return false;
}

static bool sameGuard(const ptx::Guard &A, const ptx::Guard &B) {
  return A.Register == B.Register && A.Index == B.Index &&
         A.Negated == B.Negated;
}

/// Puts an instruction that must not be speculated behind a branch; successive
/// ones with the same guard share it.
void Splitter::visitGuarded(Step S) {
  const ptx::Guard &G = S.Inst->getGuard();
  S.GuardDone = true;
  if (Side != NoBlock && sameGuard(Blocks[Side].Steps[0].Inst->getGuard(), G)) {
    Blocks[Side].Steps.push_back(S);
  } else {
    Side = newBlock();
    unsigned Rest = newBlock();
    end(Ending::Conditional, S, {Side, Rest});
    TextOrder.push_back(Side);
    TextOrder.push_back(Rest);
    Blocks[Side].Steps.push_back(S);
    Blocks[Side].End = Ending::Jump;
    Blocks[Side].Succs = {Rest};
    Current = Rest;
  }
  if (llvm::any_of(S.Inst->getOperands(),
                   [&](const ptx::Operand &O) { return writes(O, G); }))
    Side = NoBlock;
}

void Splitter::visit(const ptx::Instruction *Inst) {
  Step S = {Inst, Loc};
  bool Guarded = bool(Inst->getGuard());
  Opcode Op = Inst->getOpcode();
  bool Ends = Op == Opcode::Bra || Op == Opcode::BrxIdx || Op == Opcode::Ret ||
              Op == Opcode::Exit;
  if (Guarded && !Ends && !isSpeculatable(Op))
    return visitGuarded(S);
  Side = NoBlock;
  if (!Ends) {
    Blocks[Current].Steps.push_back(S);
    return;
  }
  unsigned Rest = newBlock();
  TextOrder.push_back(Rest);
  if (Op == Opcode::Bra) {
    unsigned Target = blockOf(Inst->getOperand(0).getLabel());
    if (Guarded)
      end(Ending::Conditional, S, {Target, Rest});
    else
      end(Ending::Jump, S, {Target});
    Current = Rest;
    return;
  }
  if (Guarded) {
    unsigned Taken = newBlock();
    TextOrder.insert(TextOrder.end() - 1, Taken);
    end(Ending::Conditional, S, {Taken, Rest});
    Current = Taken;
  }
  if (Op == Opcode::BrxIdx) {
    llvm::SmallVector<unsigned> Targets;
    auto *Decl =
        llvm::cast<ptx::BranchTargetsDecl>(Inst->getOperand(1).getSymbol());
    for (const ptx::LabelDecl *Label : Decl->Targets)
      Targets.push_back(blockOf(Label));
    end(Ending::Indexed, S, Targets);
  } else {
    end(Op == Opcode::Ret ? Ending::Return : Ending::Exit, S, {});
  }
  Current = Rest;
}

void Splitter::visit(llvm::ArrayRef<const ptx::Statement *> Statements) {
  for (const ptx::Statement *S : Statements) {
    if (auto *Inst = llvm::dyn_cast<ptx::Instruction>(S)) {
      visit(Inst);
    } else if (auto *Label = llvm::dyn_cast<ptx::LabelStatement>(S)) {
      unsigned Block = blockOf(Label->Label);
      TextOrder.push_back(Block);
      jump(Block);
      Current = Block;
      mark(Label);
    } else if (llvm::isa<ptx::PragmaStatement, ptx::LocIntermediateStatement>(
                   S)) {
      mark(S);
    } else if (auto *Block = llvm::dyn_cast<ptx::BlockStatement>(S)) {
      visit(Block->Body);
    } else if (auto *L = llvm::dyn_cast<ptx::LocStatement>(S)) {
      Loc = L;
    }
  }
}

/// Renumbers the blocks as they stand in the text.
std::vector<BasicBlock> Splitter::inTextOrder() {
  std::vector<unsigned> NewNumber(Blocks.size(), NoBlock);
  std::vector<BasicBlock> Result;
  for (unsigned Old : TextOrder) {
    NewNumber[Old] = Result.size();
    Result.push_back(std::move(Blocks[Old]));
  }
  for (BasicBlock &B : Result)
    for (unsigned &Succ : B.Succs)
      Succ = NewNumber[Succ];
  return Result;
}

std::vector<BasicBlock> Splitter::run() {
  TextOrder.push_back(newBlock());
  visit(F.Body);
  // What falls off the end returns.
  return inTextOrder();
}

std::vector<BasicBlock> import::splitIntoBlocks(const ptx::Function &F) {
  return Splitter(F).run();
}
