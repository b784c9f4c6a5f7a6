//===- BodyTranslator.cpp - Bodies in the LLVM dialect to LLVM IR -*- C++ -*-=//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are made in their order and filled in the order of dominance, so that
// what an operation uses is there. PHIs get their values last, in the order of
// predecessors that MLIR has, which is that of MLIR's translation.
//
//===----------------------------------------------------------------------===//

#include "BodyTranslator.h"

#include "heddle/Dialect/PTX/PTX.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

BodyTranslator::BodyTranslator(
    LLVM::LLVMFuncOp Func, LLVM::ModuleTranslation &M,
    const TranslationTable &Table,
    const LLVMTranslationDialectInterface &OfAttributes)
    : M(M), B(M.getLLVMContext(),
              llvm::TargetFolder(M.getLLVMModule()->getDataLayout())),
      Func(Func), F(*M.lookupFunction(Func.getSymName())), Table(Table),
      OfAttributes(OfAttributes) {}

void BodyTranslator::makeBlocks() {
  for (auto [From, To] : llvm::zip_equal(Func.getArguments(), F.args()))
    Values[From] = &To;
  size_t Operations = Values.size();
  for (Block &Block : Func.getBody())
    Operations += Block.getOperations().size();
  Values.reserve(Operations);
  for (Block &Block : Func.getBody()) {
    Blocks[&Block] =
        llvm::BasicBlock::Create(F.getContext(), llvm::Twine(), &F);
    M.mapBlock(&Block, Blocks[&Block]);
  }
}

/// The branches that almost all are.
bool BodyTranslator::translateBranch(Operation *Op) {
  llvm::Instruction *Branch = nullptr;
  if (auto Br = dyn_cast<LLVM::BrOp>(Op)) {
    Branch = B.CreateBr(Blocks.lookup(Br.getDest()));
  } else if (auto Cond = dyn_cast<LLVM::CondBrOp>(Op)) {
    if (Cond.getBranchWeights())
      return false;
    Branch = B.CreateCondBr((*this)[Cond.getCondition()],
                            Blocks.lookup(Cond.getTrueDest()),
                            Blocks.lookup(Cond.getFalseDest()));
  } else {
    return false;
  }
  M.setLoopMetadata(Op, Branch);
  return true;
}

LogicalResult BodyTranslator::translateByMLIR(Operation *Op) {
  auto *Interface =
      Op->getDialect()
          ->getRegisteredInterface<LLVMTranslationDialectInterface>();
  if (!Interface)
    return Op->emitError("cannot be translated to LLVM IR");
  for (Value Operand : Op->getOperands())
    if (!M.lookupValue(Operand))
      M.mapValue(Operand, (*this)[Operand]);
  if (failed(Interface->convertOperation(Op, B, M)))
    return Op->emitError("LLVM Translation failed for operation: ")
           << Op->getName();
  for (Value Result : Op->getResults())
    Values[Result] = M.lookupValue(Result);
  if (auto Intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(Op))
    noteIntrinsic(Intrinsic);
  return success();
}

/// To find a declaration, MLIR searches all names of intrinsics and matches all
/// types.
void BodyTranslator::noteIntrinsic(LLVM::CallIntrinsicOp Op) {
  auto *Made = dyn_cast<llvm::CallInst>(&B.GetInsertBlock()->back());
  if (Made && Made->getCalledFunction())
    Intrinsics[Op.getIntrinAttr()] = {Op, Made->getCalledFunction()};
}

llvm::Function *BodyTranslator::declarationFor(LLVM::CallIntrinsicOp Op) const {
  auto It = Intrinsics.find(Op.getIntrinAttr());
  if (It == Intrinsics.end())
    return nullptr;
  LLVM::CallIntrinsicOp Known = It->second.Op;
  bool IsAlike = llvm::equal(Op->getOperandTypes(), Known->getOperandTypes()) &&
                 llvm::equal(Op->getResultTypes(), Known->getResultTypes());
  return IsAlike ? It->second.Declaration : nullptr;
}

/// What an operation's attributes of the ptx dialect say goes to the
/// instructions behind \p Before, or to all of the block.
LogicalResult BodyTranslator::translateAttributes(Operation *Op,
                                                  llvm::Instruction *Before) {
  llvm::BasicBlock *Block = B.GetInsertBlock();
  auto First = Before ? std::next(Before->getIterator()) : Block->begin();
  SmallVector<llvm::Instruction *, 4> Made;
  for (llvm::Instruction &I : llvm::make_range(First, Block->end()))
    Made.push_back(&I);
  for (NamedAttribute Attribute : Op->getDiscardableAttrs())
    if (isa_and_nonnull<ptxir::PTXDialect>(Attribute.getNameDialect()) &&
        failed(OfAttributes.amendOperation(Op, Made, Attribute, M)))
      return failure();
  return success();
}

LogicalResult BodyTranslator::translate(Operation *Op) {
  llvm::BasicBlock *Block = B.GetInsertBlock();
  llvm::Instruction *Before = Block->empty() ? nullptr : &Block->back();
  TranslationTable::Function Translate = Table.lookup(Op);
  if (llvm::Value *V = Translate ? Translate(*this, Op) : nullptr) {
    if (Op->getNumResults() == 1)
      Values[Op->getResult(0)] = V;
  } else if (!translateBranch(Op)) {
    B.clearFastMathFlags();
    if (failed(translateByMLIR(Op)))
      return failure();
  }
  return Op->getDiscardableAttrDictionary().empty()
             ? success()
             : translateAttributes(Op, Before);
}

LogicalResult BodyTranslator::translate(Block &Block) {
  B.SetInsertPoint(Blocks.lookup(&Block));
  B.clearFastMathFlags();
  if (!Block.isEntryBlock()) {
    auto Predecessors = std::distance(Block.pred_begin(), Block.pred_end());
    for (BlockArgument Arg : Block.getArguments())
      Values[Arg] = B.CreatePHI(type(Arg), Predecessors);
  }
  for (Operation &Op : Block)
    if (failed(translate(&Op)))
      return failure();
  return success();
}

/// The values that \p To gets from \p From.
void BodyTranslator::addIncoming(Block &To, Block &From) {
  Operation *Terminator = From.getTerminator();
  auto Branch = cast<BranchOpInterface>(Terminator);
  unsigned Edge = 0;
  while (Terminator->getSuccessor(Edge) != &To)
    ++Edge;
  SuccessorOperands Operands = Branch.getSuccessorOperands(Edge);
  for (auto [I, PHI] : llvm::enumerate(Blocks.lookup(&To)->phis()))
    PHI.addIncoming((*this)[Operands[I]], Blocks.lookup(&From));
}

void BodyTranslator::connectPHIs() {
  for (Block &To : llvm::drop_begin(Func.getBody()))
    if (To.getNumArguments() != 0)
      for (Block *From : To.getPredecessors())
        addIncoming(To, *From);
}

LogicalResult BodyTranslator::run() {
  makeBlocks();
  for (Block *Block : getBlocksSortedByDominance(Func.getBody()))
    if (failed(translate(*Block)))
      return failure();
  connectPHIs();
  return success();
}
