//===- ImportVariables.cpp - Variables of the source ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says which value each variable of the source has, where PTX's debug sections
// have it in a register, and where it is in memory. What variables are in
// changes at labels only, so that it is the same in all of a block.
//
//===----------------------------------------------------------------------===//

#include "BodyImporter.h"
#include "heddle/Dialect/PTX/DebugPiece.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::import;

//===----------------------------------------------------------------------===//
// What variables are in
//===----------------------------------------------------------------------===//

static void
findRegisters(llvm::ArrayRef<const ptx::Statement *> Statements,
              llvm::function_ref<void(const ptx::RegisterDecl *)> Found) {
  for (const ptx::Statement *S : Statements) {
    if (auto *Block = dyn_cast<ptx::BlockStatement>(S))
      findRegisters(Block->Body, Found);
    else if (auto *Declared = dyn_cast<ptx::VariableStatement>(S))
      if (auto *Reg = dyn_cast<ptx::RegisterDecl>(Declared->D))
        Found(Reg);
  }
}

/// Registers of the function by their names, the outer ones of equal names.
llvm::StringMap<unsigned> BodyImporter::slotsByName() const {
  llvm::StringMap<unsigned> Result;
  findRegisters(F->Body, [&](const ptx::RegisterDecl *Reg) {
    for (unsigned N = 0; N != Reg->getCount(); ++N) {
      std::string Name = Reg->getName().str();
      if (Reg->isRange())
        Name += std::to_string(N);
      Result.try_emplace(Name, RegisterSlots[Reg->getFirstNumber() + N]);
    }
  });
  for (auto [Var, Slot] : ParamSlots)
    Result.try_emplace(Var->getName(), Slot);
  return Result;
}

/// Whether memory holds the values of a register.
static bool isMemoryWidth(mlir::Type Register) {
  unsigned Bits = ptxir::bitWidth(Register);
  return Bits == 16 || Bits == 32 || Bits == 64;
}

/// Where a block stands in the text: at its label, else at its first
/// instruction, else where the one in front of it does.
std::vector<uint64_t> BodyImporter::blockAddresses() const {
  std::vector<uint64_t> Result;
  for (const BasicBlock &Block : Blocks) {
    uint64_t Address = Result.empty() ? 0 : Result.back();
    if (!Block.Markers.empty() && Block.Markers.front().Position == 0)
      Address =
          ptx::DebugInfo::addressOf(Block.Markers.front().Statement->getLoc());
    else if (!Block.Steps.empty())
      Address = ptx::DebugInfo::addressOf(Block.Steps.front().Inst->getLoc());
    Result.push_back(Address);
  }
  return Result;
}

/// Variables in memory of the function, where they are seen in their scopes
/// only.
llvm::StringMap<const ptx::Variable *> BodyImporter::memoryByName() const {
  llvm::StringMap<const ptx::Variable *> Result;
  if (I.Variables.AreComplete)
    for (const ptx::Variable *Var : Variables)
      if (!ParamSlots.count(Var))
        Result.try_emplace(Var->getName(), Var);
  return Result;
}

/// None for a place that is not of the function's own.
std::optional<BodyImporter::CoveredVariable> BodyImporter::cover(
    unsigned Variable, const ptx::DebugPlace &Place,
    const llvm::StringMap<unsigned> &Slots,
    const llvm::StringMap<const ptx::Variable *> &Memory) const {
  if (Place.Kind == ptx::DebugPlace::Constant)
    return CoveredVariable{Variable, NoSlot, Place.Offset, nullptr};
  if (auto Slot = Slots.find(Place.Name); Slot != Slots.end())
    return CoveredVariable{Variable, Slot->second, 0, nullptr};
  if (auto Var = Memory.find(Place.Name); Var != Memory.end())
    return CoveredVariable{Variable, NoSlot, Place.Offset, Var->second};
  return std::nullopt;
}

/// Finds for each block the variables that are in a register or constant there.
void BodyImporter::planVariables() {
  if (!I.Variables.Info)
    return;
  DebugVariables = I.Variables.Info->variablesOf(F->getName());
  if (DebugVariables.empty())
    return;
  Covered.resize(Blocks.size());
  llvm::StringMap<unsigned> Slots = slotsByName();
  llvm::StringMap<const ptx::Variable *> Memory = memoryByName();
  std::vector<uint64_t> Places = blockAddresses();
  for (auto [Number, V] : llvm::enumerate(DebugVariables))
    for (const ptx::DebugPlace &Place : V.Places) {
      auto C = cover(Number, Place, Slots, Memory);
      if (!C)
        continue;
      auto First = llvm::lower_bound(Places, Place.Begin);
      for (size_t N = First - Places.begin();
           N != Blocks.size() && Places[N] < Place.End; ++N)
        if (Covered[N].empty() || Covered[N].back().Variable != Number)
          Covered[N].push_back(*C);
    }
  for (auto &List : Covered)
    llvm::sort(List, [](const CoveredVariable &A, const CoveredVariable &B) {
      return A.Variable < B.Variable;
    });
  Preds.resize(Blocks.size());
  for (auto [Number, Block] : llvm::enumerate(Blocks))
    for (unsigned Succ : Block.Succs)
      Preds[Succ].push_back(Number);
  chooseMemorySlots();
  findWrites();
}

/// Counts registers as read wherever a variable is in them.
void BodyImporter::exposeVariables(std::vector<FlowBlock> &Flow) const {
  for (auto [Block, List] : llvm::zip(Flow, Covered)) {
    for (const CoveredVariable &C : List)
      if (C.Slot != NoSlot && !InMemory[C.Slot])
        Block.Exposed.push_back(C.Slot);
    llvm::sort(Block.Exposed);
    Block.Exposed.erase(llvm::unique(Block.Exposed), Block.Exposed.end());
  }
}

/// Plans SSA form as it is without variables, and finds the slots that would be
/// arguments if variables counted as reads: these have no value there.
void BodyImporter::planSlotsOfVariables(std::vector<FlowBlock> &Flow) {
  StaleArguments.resize(Blocks.size());
  Plan = planSSA(Flow, SlotTypes.size());
  exposeVariables(Flow);
  SSAPlan All = planSSA(Flow, SlotTypes.size());
  for (unsigned Block : Plan.Order)
    std::set_difference(
        All.Arguments[Block].begin(), All.Arguments[Block].end(),
        Plan.Arguments[Block].begin(), Plan.Arguments[Block].end(),
        std::back_inserter(StaleArguments[Block]));
}

/// Registers that variables are in become memory, where they are as long as the
/// function runs, and where they can be changed.
void BodyImporter::chooseMemorySlots() {
  InMemory.assign(SlotTypes.size(), Value());
  IsMemorySlot.assign(SlotTypes.size(), false);
  if (!I.Variables.AreComplete)
    return;
  for (const auto &List : Covered)
    for (const CoveredVariable &C : List)
      if (C.Slot != NoSlot && isMemoryWidth(SlotTypes[C.Slot]))
        IsMemorySlot[C.Slot] = true;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

void BodyImporter::allocateMemorySlots() {
  for (unsigned Slot = 0; Slot != IsMemorySlot.size(); ++Slot) {
    if (!IsMemorySlot[Slot])
      continue;
    unsigned Bytes = ptxir::bitWidth(SlotTypes[Slot]) / 8;
    InMemory[Slot] = ptxir::AllocaOp::create(
        B, Loc, I.addressType(), untyped(8 * Bytes), "register", Bytes, Bytes);
  }
}

Value BodyImporter::loadSlot(unsigned Slot) {
  return ptxir::LdOp::create(B, Loc, TypeRange{SlotTypes[Slot]}, InMemory[Slot],
                             0, Value(), ptxir::Space::Local,
                             untyped(ptxir::bitWidth(SlotTypes[Slot])))
      .getResult(0);
}

void BodyImporter::storeSlot(unsigned Slot, Value V) {
  ptxir::StOp::create(B, Loc, InMemory[Slot], 0, ValueRange{V}, Value(),
                      ptxir::Space::Local,
                      untyped(ptxir::bitWidth(SlotTypes[Slot])));
}

void BodyImporter::emitDebugValue(const CoveredVariable &C, Value V) {
  const ptx::DebugVariable &Variable = DebugVariables[C.Variable];
  auto Op = ptxir::DebugValueOp::create(B, Loc, Variable.Name, Variable.Die, V);
  ptxir::setDebugPiece(Op, {Variable.Piece.Offset, Variable.Piece.Bytes});
}

void BodyImporter::emitDebugPlace(const ptx::DebugVariable &Variable,
                                  Value Address, int64_t Offset) {
  auto Op = ptxir::DebugPlaceOp::create(B, Loc, Variable.Name, Variable.Die,
                                        Address, Offset);
  ptxir::setDebugPiece(Op, {Variable.Piece.Offset, Variable.Piece.Bytes});
}

/// What a variable has now that its register has a value.
void BodyImporter::emitCovered(const CoveredVariable &C) {
  const ptx::DebugVariable &Variable = DebugVariables[C.Variable];
  if (C.Memory)
    emitDebugPlace(Variable, variableAddress(C.Memory, I.addressType()),
                   C.Number);
  else if (C.Slot == NoSlot)
    emitDebugValue(C, constant(B.getI64Type(), uint64_t(C.Number)));
  else if (InMemory[C.Slot])
    emitDebugPlace(Variable, InMemory[C.Slot], 0);
  else
    emitDebugValue(C, Stale[C.Slot] ? Value() : Current[C.Slot]);
}

/// A register has been written.
void BodyImporter::noteWrite(unsigned Slot) {
  if (Covered.empty())
    return;
  for (const CoveredVariable &C : Covered[CurrentBlock])
    if (C.Slot == Slot)
      emitCovered(C);
}

const BodyImporter::CoveredVariable *
BodyImporter::coverage(unsigned Block, unsigned Variable) const {
  auto It = llvm::lower_bound(
      Covered[Block], Variable,
      [](const CoveredVariable &C, unsigned V) { return C.Variable < V; });
  return It != Covered[Block].end() && It->Variable == Variable ? &*It
                                                                : nullptr;
}

/// Whether a variable has at the end of block \p Pred what \p C says, in the
/// same value wherever control comes from.
bool BodyImporter::isCoveredBehind(unsigned Pred,
                                   const CoveredVariable &C) const {
  const CoveredVariable *There = coverage(Pred, C.Variable);
  return There && *There == C &&
         (C.Slot == NoSlot || !IsMemorySlot[C.Slot] ||
          WrittenBehind[Pred].test(C.Slot));
}

/// What is over at the start of a block. Returns the entries of which something
/// was: what it had may have been other pieces of what it has now.
llvm::SmallDenseSet<uint64_t> BodyImporter::endVariables(unsigned Number) {
  llvm::SmallDenseSet<unsigned> Ended;
  llvm::SmallDenseSet<uint64_t> Entries;
  for (unsigned Pred : Preds[Number])
    for (const CoveredVariable &C : Covered[Pred]) {
      const CoveredVariable *Now = coverage(Number, C.Variable);
      bool IsUnwritten = Now && Now->Slot != NoSlot &&
                         IsMemorySlot[Now->Slot] &&
                         !WrittenBefore[Number].test(Now->Slot);
      if ((Now && !IsUnwritten) || !Ended.insert(C.Variable).second)
        continue;
      emitDebugValue(C, Value());
      Entries.insert(DebugVariables[C.Variable].Die);
    }
  return Entries;
}

/// At the start of a block: what is not the same at the end of all blocks in
/// front of it.
void BodyImporter::emitVariables(unsigned Number) {
  if (Covered.empty())
    return;
  for (unsigned Slot : StaleArguments[Number])
    setStale(Slot);
  llvm::SmallDenseSet<uint64_t> Ended = endVariables(Number);
  for (const CoveredVariable &C : Covered[Number]) {
    bool IsSame = Number && !Ended.contains(DebugVariables[C.Variable].Die) &&
                  llvm::all_of(Preds[Number], [&](unsigned Pred) {
                    return isCoveredBehind(Pred, C);
                  });
    bool IsMemory = C.Slot != NoSlot && IsMemorySlot[C.Slot];
    bool Comes = C.Slot != NoSlot && !IsMemory &&
                 (llvm::is_contained(Plan.Arguments[Number], C.Slot) ||
                  llvm::is_contained(StaleArguments[Number], C.Slot));
    if (IsSame && !Comes)
      continue;
    if (IsMemory && !WrittenBefore[Number].test(C.Slot))
      continue;
    if (C.Slot == NoSlot || IsMemory || Current[C.Slot] || Number)
      emitCovered(C);
  }
}

/// Variables that are in memory of the function, or among its parameters.
void BodyImporter::placeVariables() {
  if (DebugVariables.empty())
    return;
  llvm::StringMap<const ptx::Variable *> ByName;
  llvm::StringMap<const ptx::Variable *> Scoped = memoryByName();
  for (auto [Var, Address] : Addresses)
    if (!Scoped.count(Var->getName()))
      ByName.try_emplace(Var->getName(), Var);
  for (auto [Var, Index] : EntryParams)
    ByName.try_emplace(Var->getName(), Var);
  for (const ptx::DebugVariable &V : DebugVariables) {
    auto Place = llvm::find_if(V.Places, [&](const ptx::DebugPlace &P) {
      return P.Kind == ptx::DebugPlace::Memory && ByName.count(P.Name);
    });
    if (Place == V.Places.end())
      continue;
    Value Address =
        variableAddress(ByName.lookup(Place->Name), I.addressType());
    emitDebugPlace(V, Address, Place->Offset);
  }
}
