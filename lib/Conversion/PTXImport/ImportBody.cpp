//===- ImportBody.cpp - Blocks in SSA form ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits the blocks of a function, their arguments and their branches.
//
//===----------------------------------------------------------------------===//

#include "BodyImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::import;
using ptx::ModKind;
using ptx::Operand;
using ptxir::ScalarType;
using Kind = ptx::Operand::Kind;

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

SmallVector<Value> BodyImporter::argumentsFor(unsigned Succ) {
  SmallVector<Value> Values;
  for (unsigned Slot : Plan.Arguments[Succ])
    Values.push_back(current(Slot));
  return Values;
}

SmallVector<Value> BodyImporter::returnedValues() {
  SmallVector<Value> Values;
  if (F->isEntry())
    return Values;
  for (ptx::Parameter P : F->Returns) {
    if (!isScalarParameter(P))
      continue;
    auto *Var = dyn_cast<ptx::Variable>(P);
    if (!Var)
      for (unsigned N = 0; N != numValues(P); ++N)
        Values.push_back(current(firstSlotOf(P) + N));
    else if (auto It = ParamSlots.find(Var); It != ParamSlots.end())
      Values.push_back(current(It->second));
    else
      Values.push_back(ptxir::LdOp::create(
                           B, Loc,
                           TypeRange{I.registerType(Var->Ty, Var->getLoc())},
                           Addresses[Var], 0, Value(), ptxir::Space::Param_func,
                           untyped(ptx::getTypeBits(Var->Ty)))
                           .getResult(0));
  }
  return Values;
}

LogicalResult BodyImporter::emitEnding(const BasicBlock &Block) {
  bool Uni = false;
  if (Block.Last.Inst) {
    Loc = locationOf(Block.Last);
    Uni = Block.Last.Inst->has(ModKind::Uni);
  }
  switch (Block.End) {
  case Ending::Jump:
    ptxir::BraOp::create(B, Loc, argumentsFor(Block.Succs[0]), Uni,
                         MLIRBlocks[Block.Succs[0]]);
    return success();
  case Ending::Conditional: {
    const ptx::Guard &G = Block.Last.Inst->getGuard();
    unsigned Then = Block.Succs[0], Else = Block.Succs[1];
    if (G.Negated)
      std::swap(Then, Else);
    ptxir::CondBraOp::create(B, Loc, useGuard(G), argumentsFor(Then),
                             argumentsFor(Else), Uni, MLIRBlocks[Then],
                             MLIRBlocks[Else]);
    return success();
  }
  case Ending::Indexed: {
    SmallVector<SmallVector<Value>> Values;
    SmallVector<mlir::Block *> Dests;
    for (unsigned Succ : Block.Succs) {
      Values.push_back(argumentsFor(Succ));
      Dests.push_back(MLIRBlocks[Succ]);
    }
    SmallVector<ValueRange> Ranges(Values.begin(), Values.end());
    ptxir::BrxOp::create(B, Loc,
                         use(Block.Last.Inst->getOperand(0), ScalarType::U32),
                         Ranges, Uni, Dests);
    return success();
  }
  case Ending::Exit:
    ptxir::ExitOp::create(B, Loc);
    return success();
  case Ending::Return:
    break;
  }
  ptxir::RetOp::create(B, Loc, returnedValues(), Uni);
  return success();
}

/// Gives the function's arguments and variables their slots or memory.
LogicalResult BodyImporter::startEntry() {
  B.setInsertionPointToStart(MLIRBlocks[0]);
  Loc = I.location(F->getLoc());
  allocateMemorySlots();
  auto Allocate = [&](const ptx::Variable *Var) {
    Addresses[Var] = ptxir::AllocaOp::create(
        B, I.location(Var->getLoc()), I.addressType(),
        I.scalarType(Var->Ty).value_or(ScalarType::B8), Var->getName(),
        Var->getSize(), Var->getAlign());
  };
  auto Args = MLIRBlocks[0]->getArguments();
  unsigned Next = 0;
  if (!F->isEntry()) {
    for (ptx::Parameter P : F->Returns)
      if (!isScalarParameter(P))
        Addresses[cast<ptx::Variable>(P)] = Args[Next++];
    for (ptx::Parameter P : F->Params) {
      Value Arg = Args[Next++];
      auto *Var = dyn_cast<ptx::Variable>(P);
      if (!Var) {
        assign(firstSlotOf(P), Arg);
        for (unsigned N = 1; N != numValues(P); ++N)
          assign(firstSlotOf(P) + N, Args[Next++]);
      } else if (!isScalarParameter(P)) {
        Addresses[Var] = Arg;
      } else if (auto It = ParamSlots.find(Var); It != ParamSlots.end()) {
        assign(It->second, Arg);
      } else {
        Allocate(Var);
        ptxir::StOp::create(B, Loc, Addresses[Var], 0, ValueRange{Arg}, Value(),
                            ptxir::Space::Param_func,
                            untyped(ptxir::bitWidth(Arg.getType())));
      }
    }
  }
  for (const ptx::Variable *Var : Variables)
    if (!ParamSlots.count(Var) && !Addresses.count(Var)) {
      if (Var->isUnsized())
        return I.unsupported(Var->getLoc(), "a local array without a size");
      Allocate(Var);
    }
  placeVariables();
  return success();
}

/// A statement that is no instruction. \p Behind: behind the terminator of the
/// block that is being made, where only labels matter to which debug
/// information refers.
void BodyImporter::emitMarker(const ptx::Statement *S, bool Behind) {
  Loc = I.location(S->getLoc());
  if (auto *Label = dyn_cast<ptx::LabelStatement>(S)) {
    StringRef Name = Label->Label->getName();
    if (!Behind || I.isDebugLabel(Name))
      ptxir::LabelOp::create(B, Loc, Name, Behind);
    return;
  }
  if (Behind)
    return;
  if (auto *Place = dyn_cast<ptx::LocIntermediateStatement>(S))
    ptxir::LocIntermediateOp::create(B, Loc, Place->File, Place->Line,
                                     Place->Column);
  else
    ptxir::PragmaOp::create(B, Loc,
                            I.strings(cast<ptx::PragmaStatement>(S)->Strings));
}

LogicalResult BodyImporter::emitBlock(unsigned Number) {
  B.setInsertionPointToEnd(MLIRBlocks[Number]);
  for (auto [Slot, Arg] :
       llvm::zip(Plan.Arguments[Number], MLIRBlocks[Number]->getArguments()))
    assign(Slot, Arg);
  CurrentBlock = Number;
  emitVariables(Number);
  const BasicBlock &Block = Blocks[Number];
  auto Marker = Block.Markers.begin();
  for (unsigned N = 0; N <= Block.Steps.size(); ++N) {
    for (; Marker != Block.Markers.end() && Marker->Position == N; ++Marker)
      emitMarker(Marker->Statement, /*Behind=*/false);
    if (N != Block.Steps.size())
      Failed |= failed(emitStep(Block.Steps[N]));
  }
  ActiveGuard = {};
  // Labels of blocks that are never reached, behind this one in the text.
  for (unsigned N = Number + 1;
       N != Blocks.size() && Plan.Position[N] == SSAPlan::None; ++N)
    for (const import::Marker &M : Blocks[N].Markers)
      emitMarker(M.Statement, /*Behind=*/true);
  return emitEnding(Block);
}

/// Emits the blocks in pre-order of the dominator tree, so that a block starts
/// with the values at the end of its dominator; without recursion, since the
/// tree can be deep.
LogicalResult BodyImporter::emitBlocks() {
  for (unsigned N = 0; N != Blocks.size(); ++N) {
    if (Plan.Position[N] == SSAPlan::None) {
      MLIRBlocks.push_back(nullptr);
      continue;
    }
    Block *New = new Block();
    Body.push_back(New);
    MLIRBlocks.push_back(New);
    for (unsigned Slot : Plan.Arguments[N])
      New->addArgument(SlotTypes[Slot], Loc);
  }
  if (auto Func = dyn_cast<ptxir::FuncOp>(Op))
    for (mlir::Type Ty : Func.getArgumentTypes())
      MLIRBlocks[0]->addArgument(Ty, Loc);
  if (failed(startEntry()))
    return failure();
  struct Visit {
    unsigned Number;
    unsigned NextChild;
    size_t UndoMark;
  };
  std::vector<Visit> Stack = {{0, 0, Undo.size()}};
  if (failed(emitBlock(0)))
    return failure();
  while (!Stack.empty()) {
    Visit &Top = Stack.back();
    const auto &Children = Plan.DominatedBy[Top.Number];
    if (Top.NextChild == Children.size()) {
      while (Undo.size() > Top.UndoMark) {
        const Assignment &Last = Undo.back();
        Current[Last.Slot] = Last.Before;
        Stale[Last.Slot] = Last.WasStale;
        Undo.pop_back();
      }
      Stack.pop_back();
      continue;
    }
    unsigned Child = Children[Top.NextChild++];
    Stack.push_back({Child, 0, Undo.size()});
    if (failed(emitBlock(Child)))
      return failure();
  }
  return failure(Failed);
}

LogicalResult BodyImporter::run() {
  Blocks = splitIntoBlocks(*F);
  ModuleImporter::SourcePlaces Places;
  translateSourceLocs(F->Body, Places);
  if (failed(assignSlots()))
    return failure();
  planVariables();
  std::vector<FlowBlock> Flow;
  for (unsigned Number = 0; Number != Blocks.size(); ++Number)
    Flow.push_back(summarize(Number));
  if (!Covered.empty())
    planSlotsOfVariables(Flow);
  else
    Plan = planSSA(Flow, SlotTypes.size());
  return emitBlocks();
}

LogicalResult import::importBody(ModuleImporter &Importer,
                                 const ptx::Function *F, Operation *Op) {
  return BodyImporter(Importer, F, Op).run();
}
