//===- ImportSlots.cpp - Slots and what touches them ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the variables of a function and sums up, for each block, which of them
// it reads and writes.
//
//===----------------------------------------------------------------------===//

#include "BodyImporter.h"
#include "heddle/PTX/Forms.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::import;
using ptx::ModKind;
using ptx::Opcode;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

LogicalResult BodyImporter::declareRegister(const ptx::RegisterDecl *Reg) {
  mlir::Type Ty = I.registerType(Reg->getType(), Reg->getLoc());
  if (!Ty)
    return failure();
  for (unsigned N = 0; N != Reg->getCount(); ++N) {
    RegisterSlots[Reg->getFirstNumber() + N] = SlotTypes.size();
    SlotTypes.insert(SlotTypes.end(), Reg->getVectorWidth(), Ty);
  }
  return success();
}

void BodyImporter::declareParam(const ptx::Variable *Var) {
  Variables.push_back(Var);
  if (isScalarParameter(Var))
    if (auto Ty = I.scalarType(Var->Ty))
      ParamSlots[Var] = newSlot(I.registerType(Var->Ty, Var->getLoc()));
}

LogicalResult
BodyImporter::declare(llvm::ArrayRef<const ptx::Statement *> Statements) {
  for (const ptx::Statement *S : Statements) {
    if (auto *Block = dyn_cast<ptx::BlockStatement>(S)) {
      if (failed(declare(Block->Body)))
        return failure();
      continue;
    }
    auto *Declaration = dyn_cast<ptx::VariableStatement>(S);
    if (!Declaration)
      continue;
    if (auto *Reg = dyn_cast<ptx::RegisterDecl>(Declaration->D)) {
      if (failed(declareRegister(Reg)))
        return failure();
    } else if (auto *Var = dyn_cast<ptx::Variable>(Declaration->D)) {
      if (Var->Space == ptx::StateSpace::Param)
        declareParam(Var);
      else if (Var->Space == ptx::StateSpace::Local)
        Variables.push_back(Var);
    }
  }
  return success();
}

/// Whether an access to a scalar parameter can be a move to or from a slot: the
/// whole value, or the low part of an integer.
static bool isWholeAccess(const ptx::Instruction &Inst, const Operand &O,
                          const ptx::Variable *Var) {
  if ((Inst.getOpcode() != Opcode::Ld && Inst.getOpcode() != Opcode::St) ||
      Inst.has(ModKind::Vec) || O.getOffset() != 0)
    return false;
  unsigned Bits = ptx::getTypeBits(Inst.getType()),
           VarBits = ptx::getTypeBits(Var->Ty);
  bool Float = ptx::getTypeClass(Inst.getType()) == ptx::TypeClass::Float;
  return Bits == VarBits || (Bits < VarBits && !Float);
}

/// Takes the slot from every parameter that is accessed in another way.
void BodyImporter::findWholeParams() {
  auto Check = [&](const Step &S) {
    for (const Operand &O : S.Inst->getOperands()) {
      bool Symbol =
          O.is(Kind::Symbol) ||
          (O.is(Kind::Address) && O.getAddressBase() == Operand::Base::Symbol);
      auto *Var = Symbol ? dyn_cast<ptx::Variable>(O.getSymbol()) : nullptr;
      if (Var && !(O.is(Kind::Address) && isWholeAccess(*S.Inst, O, Var)))
        ParamSlots.erase(Var);
    }
  };
  for (const BasicBlock &Block : Blocks)
    for (const Step &S : Block.Steps)
      Check(S);
}

bool import::readsCarry(Opcode Op) {
  return Op == Opcode::Addc || Op == Opcode::Subc || Op == Opcode::Madc;
}
bool import::isCarryOp(const ptx::Instruction &Inst) {
  return readsCarry(Inst.getOpcode()) || Inst.has(ModKind::CarryOut);
}

/// Most registers of a function; each takes memory, used or not.
static constexpr uint32_t MaxRegisters = 1u << 22;

LogicalResult BodyImporter::assignSlots() {
  if (F->getNumRegisters() > MaxRegisters)
    return I.unsupported(F->getLoc(), "a function of more than " +
                                          Twine(MaxRegisters) + " registers");
  RegisterSlots.assign(F->getNumRegisters(), NoSlot);
  for (auto List : {F->Returns, F->Params})
    for (auto [Index, P] : llvm::enumerate(List)) {
      if (auto *Reg = dyn_cast<ptx::RegisterDecl>(P)) {
        if (failed(declareRegister(Reg)))
          return failure();
      } else if (F->isEntry()) {
        EntryParams[cast<ptx::Variable>(P)] = Index;
      } else {
        declareParam(cast<ptx::Variable>(P));
      }
    }
  if (failed(declare(F->Body)))
    return failure();
  findWholeParams();
  CarrySlot = newSlot(B.getI1Type());
  Current.resize(SlotTypes.size());
  Stale.resize(SlotTypes.size());
  Undefined.resize(SlotTypes.size());
  ExposedIn.resize(SlotTypes.size());
  DefinedIn.resize(SlotTypes.size());
  return success();
}

unsigned BodyImporter::firstSlotOf(ptx::Parameter P) const {
  return RegisterSlots[cast<ptx::RegisterDecl>(P)->getFirstNumber()];
}

unsigned BodyImporter::slotOf(const Operand &O) const {
  unsigned Component = O.getComponent() > 0 ? O.getComponent() : 0;
  return RegisterSlots[O.getRegisterNumber()] + Component;
}

//===----------------------------------------------------------------------===//
// What an instruction reads and writes
//===----------------------------------------------------------------------===//

/// The slots that an operand names, for reading or writing as its role says.
template <typename FnT>
void BodyImporter::forEachSlot(const Operand &O, FnT Fn) const {
  switch (O.getKind()) {
  case Kind::Register:
    if (O.getComponent() < 0 && O.getRegister()->getVectorWidth() > 1)
      for (unsigned N = 0; N != O.getRegister()->getVectorWidth(); ++N)
        Fn(slotOf(O) + N);
    else
      Fn(slotOf(O));
    return;
  case Kind::Symbol:
    if (auto *Var = dyn_cast<ptx::Variable>(O.getSymbol())) {
      auto It = ParamSlots.find(Var);
      if (It != ParamSlots.end())
        Fn(It->second);
    }
    return;
  case Kind::Address:
    if (O.getAddressBase() == Operand::Base::Register)
      Fn(RegisterSlots[O.getRegisterNumber()]);
    else if (O.getAddressBase() == Operand::Base::Symbol)
      if (auto *Var = dyn_cast<ptx::Variable>(O.getSymbol()))
        if (auto It = ParamSlots.find(Var); It != ParamSlots.end())
          Fn(It->second);
    return;
  case Kind::Vector:
  case Kind::Pair:
  case Kind::List:
    for (const Operand &E : O.getElements())
      forEachSlot(E, Fn);
    return;
  default:
    return;
  }
}

/// Whether operand \p N of an instruction is written.
static bool isDest(const ptx::Instruction &Inst, unsigned N) {
  auto Specs = Inst.getForm().getOperands();
  return Specs[N].Role == ptx::OperandRole::Dest ||
         Specs[N].Role == ptx::OperandRole::Returns;
}

/// Whether operand \p N of an instruction is read.
static bool isSource(const ptx::Instruction &Inst, unsigned N) {
  return !isDest(Inst, N) ||
         ptx::readsDestination(Inst.getForm(), Inst.getForm().getOperands()[N]);
}

/// A store to a .param variable that has a slot.
static bool isParamStore(const ptx::Instruction &Inst, const Operand &O) {
  return Inst.getOpcode() == Opcode::St && O.is(Kind::Address) &&
         O.getAddressBase() == Operand::Base::Symbol;
}

template <typename FnT>
void BodyImporter::forEachDest(const Step &S, FnT Fn) const {
  for (unsigned N = 0; N != S.Inst->getNumOperands(); ++N)
    if (isDest(*S.Inst, N) || isParamStore(*S.Inst, S.Inst->getOperand(N)))
      forEachSlot(S.Inst->getOperand(N), Fn);
  if (isCarryOp(*S.Inst))
    Fn(CarrySlot);
}

template <typename FnT>
void BodyImporter::forEachSource(const Step &S, FnT Fn) const {
  for (unsigned N = 0; N != S.Inst->getNumOperands(); ++N)
    if (isSource(*S.Inst, N) && !isParamStore(*S.Inst, S.Inst->getOperand(N)))
      forEachSlot(S.Inst->getOperand(N), Fn);
  if (readsCarry(S.Inst->getOpcode()))
    Fn(CarrySlot);
  if (S.Inst->getGuard() && !S.GuardDone) {
    Fn(RegisterSlots[S.Inst->getGuard().getRegisterNumber()]);
    forEachDest(S, Fn); // The old value may be kept.
  }
}

FlowBlock BodyImporter::summarize(unsigned Number) {
  const BasicBlock &Block = Blocks[Number];
  FlowBlock Flow;
  Flow.Succs = Block.Succs;
  unsigned Stamp = Number + 1;
  auto Read = [&](unsigned Slot) {
    if (!isInMemory(Slot) && DefinedIn[Slot] != Stamp &&
        std::exchange(ExposedIn[Slot], Stamp) != Stamp)
      Flow.Exposed.push_back(Slot);
  };
  auto Write = [&](unsigned Slot) {
    if (!isInMemory(Slot) && std::exchange(DefinedIn[Slot], Stamp) != Stamp)
      Flow.Defined.push_back(Slot);
  };
  for (const Step &S : Block.Steps) {
    forEachSource(S, Read);
    forEachDest(S, Write);
  }
  if (Block.End == Ending::Conditional)
    Read(RegisterSlots[Block.Last.Inst->getGuard().getRegisterNumber()]);
  if (Block.End == Ending::Indexed)
    forEachSlot(Block.Last.Inst->getOperand(0), Read);
  if (Block.End == Ending::Return && !F->isEntry())
    for (ptx::Parameter P : F->Returns) {
      if (isa<ptx::RegisterDecl>(P))
        for (unsigned N = 0; N != numValues(P); ++N)
          Read(firstSlotOf(P) + N);
      else if (auto It = ParamSlots.find(cast<ptx::Variable>(P));
               It != ParamSlots.end())
        Read(It->second);
    }
  llvm::sort(Flow.Exposed);
  llvm::sort(Flow.Defined);
  return Flow;
}

/// Finds the blocks to which control may come from a write of a register that
/// is in memory.
void BodyImporter::findWrites() {
  WrittenBefore.assign(Blocks.size(), llvm::BitVector(SlotTypes.size()));
  std::vector<llvm::BitVector> Writes(Blocks.size(),
                                      llvm::BitVector(SlotTypes.size()));
  for (auto [Number, Block] : llvm::enumerate(Blocks))
    for (const Step &S : Block.Steps)
      forEachDest(S, [&](unsigned Slot) {
        if (IsMemorySlot[Slot])
          Writes[Number].set(Slot);
      });
  for (ptx::Parameter P : F->Params)
    if (!F->isEntry() && isa<ptx::RegisterDecl>(P))
      Writes[0].set(firstSlotOf(P));
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto [Number, Block] : llvm::enumerate(Blocks)) {
      llvm::BitVector Out = WrittenBefore[Number];
      Out |= Writes[Number];
      for (unsigned Succ : Block.Succs)
        if (Out.test(WrittenBefore[Succ])) {
          WrittenBefore[Succ] |= Out;
          Changed = true;
        }
    }
  }
  for (auto [Number, Block] : llvm::enumerate(Blocks)) {
    llvm::BitVector Out = WrittenBefore[Number];
    Out |= Writes[Number];
    WrittenBehind.push_back(std::move(Out));
  }
}
