//===- Analysis.cpp - Order and life times ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value lives from its definition to its last use in the blocks' order. Where
// an edge leads back into that time from behind it, the value lives to that
// edge.
//
//===----------------------------------------------------------------------===//

#include "Analysis.h"

#include "heddle/Support/AddressSpace.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::singlepass {

//===----------------------------------------------------------------------===//
// Values and their registers
//===----------------------------------------------------------------------===//

unsigned registersOf(const DataLayout &DL, Type *T) {
  if (T->isPointerTy())
    return DL.getPointerTypeSizeInBits(T) / 32;
  if (T->isIntegerTy()) {
    unsigned Width = T->getIntegerBitWidth();
    return Width == 1     ? 0
           : Width <= 32  ? 1
           : Width <= 64  ? 2
           : Width == 128 ? 4
                          : 0;
  }
  if (T->isFloatTy() || T->isHalfTy() || T->isBFloatTy())
    return 1;
  if (T->isDoubleTy())
    return 2;
  const auto *V = dyn_cast<FixedVectorType>(T);
  if (!V)
    return 0;
  const Type *Element = V->getElementType();
  unsigned Each = Element->isPointerTy() ? 0 : Element->getScalarSizeInBits();
  if (Each < 8 || !isPowerOf2_32(Each))
    return 0;
  switch (Each * V->getNumElements()) {
  case 32:
    return 1;
  case 64:
    return 2;
  case 128:
    return 4;
  default:
    return 0;
  }
}

bool isPairOfShorts(const Type *T) {
  const auto *V = dyn_cast<FixedVectorType>(T);
  return V && V->getNumElements() == 2 && V->getElementType()->isIntegerTy(16);
}

/// Whether the bits of a cast's result are those of its operand.
static bool keepsBits(const DataLayout &DL, const Instruction &I) {
  Type *From = I.getOperand(0)->getType(), *To = I.getType();
  auto HaveSameRegisters = [&] {
    unsigned Registers = registersOf(DL, To);
    return Registers != 0 && registersOf(DL, From) == Registers;
  };
  switch (I.getOpcode()) {
  case Instruction::BitCast:
  case Instruction::Freeze:
  case Instruction::Trunc: // the upper bits of narrow integers mean nothing
    return HaveSameRegisters();
  case Instruction::IntToPtr:
  case Instruction::PtrToInt:
    return HaveSameRegisters() &&
           DL.getTypeSizeInBits(From) == DL.getTypeSizeInBits(To);
  case Instruction::AddrSpaceCast:
    return From->getPointerAddressSpace() <= addrspace::Global &&
           To->getPointerAddressSpace() <= addrspace::Global &&
           HaveSameRegisters();
  default:
    return false;
  }
}

bool isFrameAddress(const Value *V) {
  if (const auto *A = dyn_cast<Argument>(V))
    return A->hasByValAttr();
  const auto *Alloca = dyn_cast<AllocaInst>(V);
  return Alloca && Alloca->isStaticAlloca();
}

const Value *elementOf(const Value *Structure, unsigned Index) {
  while (const auto *I = dyn_cast<InsertValueInst>(Structure)) {
    if (I->getNumIndices() != 1)
      return nullptr;
    if (I->getIndices()[0] == Index)
      return I->getInsertedValueOperand();
    Structure = I->getAggregateOperand();
  }
  if (const auto *C = dyn_cast<Constant>(Structure))
    return C->getAggregateElement(Index);
  return nullptr;
}

const Value *partOf(const Instruction &I, unsigned Index) {
  for (const User *U : I.users())
    if (const auto *Part = dyn_cast<ExtractValueInst>(U))
      if (Part->getNumIndices() == 1 && Part->getIndices()[0] == Index)
        return Part;
  return nullptr;
}

/// What a value stands for that takes one of several out.
static const Value *takenOut(const ExtractValueInst &I) {
  if (I.getNumIndices() != 1)
    return &I;
  const Value *From = I.getAggregateOperand();
  if (const Value *Element = elementOf(From, I.getIndices()[0]))
    return Element;
  const auto *Source = dyn_cast<Instruction>(From);
  return Source && !llvm::isa<InsertValueInst>(Source)
             ? partOf(*Source, I.getIndices()[0])
             : &I;
}

const Value *rootOf(const DataLayout &DL, const Value *V) {
  while (const auto *I = dyn_cast<Instruction>(V)) {
    if (const auto *Part = dyn_cast<ExtractValueInst>(I)) {
      V = takenOut(*Part);
      if (V == Part)
        break;
      continue;
    }
    if (!llvm::isa<CastInst, FreezeInst>(I) || !keepsBits(DL, *I))
      break;
    V = I->getOperand(0);
  }
  return V;
}

Address addressOf(const DataLayout &DL, const Value *Pointer) {
  Address A{rootOf(DL, Pointer), 0};
  while (const auto *GEP = dyn_cast<GetElementPtrInst>(A.Base)) {
    APInt Offset(DL.getIndexTypeSizeInBits(GEP->getType()), 0);
    if (!GEP->accumulateConstantOffset(DL, Offset) ||
        !isInt<24>(A.Offset + Offset.getSExtValue()))
      break;
    A.Offset += Offset.getSExtValue();
    A.Base = rootOf(DL, GEP->getPointerOperand());
  }
  return A;
}

void forEachUse(const DataLayout &DL, const Instruction &I,
                function_ref<void(const Value &)> Visit) {
  if (llvm::isa<PHINode, ExtractValueInst, InsertValueInst>(I) ||
      rootOf(DL, &I) != &I)
    return;
  auto VisitRoot = [&](const Value *Root) {
    if (llvm::isa<Instruction, Argument>(Root) && !isFrameAddress(Root))
      Visit(*Root);
  };
  if (llvm::isa<ReturnInst>(I) && I.getNumOperands() == 1)
    if (const auto *T = dyn_cast<StructType>(I.getOperand(0)->getType())) {
      for (unsigned N = 0; N != T->getNumElements(); ++N)
        if (const Value *V = elementOf(I.getOperand(0), N))
          VisitRoot(rootOf(DL, V));
      return;
    }
  // A store may store its own address.
  unsigned Address = ~0u;
  if (llvm::isa<LoadInst>(I))
    Address = LoadInst::getPointerOperandIndex();
  else if (llvm::isa<StoreInst>(I))
    Address = StoreInst::getPointerOperandIndex();
  else if (llvm::isa<AtomicRMWInst>(I))
    Address = AtomicRMWInst::getPointerOperandIndex();
  else if (llvm::isa<AtomicCmpXchgInst>(I))
    Address = AtomicCmpXchgInst::getPointerOperandIndex();
  for (const Use &U : I.operands()) {
    VisitRoot(U.getOperandNo() == Address ? addressOf(DL, U).Base
                                          : rootOf(DL, U));
  }
}

//===----------------------------------------------------------------------===//
// Order and life times
//===----------------------------------------------------------------------===//

Analysis::Analysis(const Function &F) : F(F), DL(F.getDataLayout()) {
  orderBlocks();
  findLives();
  Regions = singlepass::findRegions(Blocks);
  for (unsigned R = 0; R != Regions.size(); ++R) {
    Blocks[Regions[R].Start].StartOf = R;
    Blocks[Regions[R].Meet].MeetOf = R;
  }
}

void Analysis::orderBlocks() {
  unsigned Position = 0;
  for (const BasicBlock *BB : ReversePostOrderTraversal(&F)) {
    Index[BB] = Blocks.size();
    Block &B = Blocks.emplace_back();
    B.BB = BB;
    B.First = Position;
    Position += BB->size();
    B.Last = Position - 1;
  }
  for (unsigned I = 0; I != Blocks.size(); ++I)
    for (const BasicBlock *S : successors(Blocks[I].BB)) {
      unsigned To = Index.lookup(S);
      if (is_contained(Blocks[I].Succs, To))
        continue;
      Blocks[I].Succs.push_back(To);
      Blocks[To].Preds.push_back(I);
    }
}

void Analysis::noteUse(const Value &V, unsigned Block, unsigned Position) {
  LifeTime &L = Lives[&V];
  L.IsUsed = true;
  if (Position >= L.End) {
    L.End = Position;
    L.EndBlock = Block;
  }
}

void Analysis::noteDefinition(const Value &V, unsigned Block,
                              unsigned Position) {
  LifeTime &L = Lives[&V];
  L.DefBlock = Block;
  // A PHI's edge may come first in the order.
  if (Position > L.End) {
    L.End = Position;
    L.EndBlock = Block;
  }
}

unsigned Analysis::barriersAround(unsigned Block) const {
  unsigned Mask = 0;
  for (const Region &R : Regions)
    if (R.Blocks.test(Block))
      Mask |= 1u << R.Register;
  return Mask;
}

/// A PHI's registers are written where its edges start.
void Analysis::notePHI(const PHINode &Phi, unsigned Block) {
  LifeTime &L = Lives[&Phi];
  L.DefBlock = Block;
  for (unsigned P : Blocks[Block].Preds) {
    L.DefBlock = std::min(L.DefBlock, P);
    noteUse(Phi, P, Blocks[P].Last);
    const Value *Root = rootOf(DL, Phi.getIncomingValueForBlock(Blocks[P].BB));
    if (llvm::isa<Instruction, Argument>(Root) && !isFrameAddress(Root))
      noteUse(*Root, P, Blocks[P].Last);
  }
}

void Analysis::findLives() {
  Lives.reserve(positions());
  Uses.reserve(2 * size_t(positions()));
  FirstUse.reserve(size_t(positions()) + 1);
  FirstUse.push_back(0);
  for (unsigned B = 0; B != Blocks.size(); ++B) {
    unsigned Position = Blocks[B].First;
    for (const Instruction &I : *Blocks[B].BB) {
      if (const auto *Phi = dyn_cast<PHINode>(&I)) {
        notePHI(*Phi, B);
      } else {
        forEachUse(DL, I, [&](const Value &V) {
          noteUse(V, B, Position);
          Uses.push_back(&V);
        });
        // What takes a result out of several is defined together with them.
        if (auto *T = dyn_cast<StructType>(I.getType())) {
          for (unsigned N = 0; N != T->getNumElements(); ++N)
            if (const Value *Part = partOf(I, N))
              noteDefinition(*Part, B, Position);
        } else if (!I.getType()->isVoidTy() &&
                   !llvm::isa<ExtractValueInst>(I)) {
          noteDefinition(I, B, Position);
        }
      }
      ++Position;
      FirstUse.push_back(Uses.size());
    }
  }
  extendOverLoops();
}

void Analysis::extendOverLoops() {
  // (target, source) of the edges that lead back.
  SmallVector<std::pair<unsigned, unsigned>, 8> Back;
  for (unsigned To = 0; To != Blocks.size(); ++To)
    for (unsigned From : Blocks[To].Preds)
      if (From >= To)
        Back.push_back({To, From});
  for (auto &[V, L] : Lives) {
    bool Leaves = L.EndBlock != L.DefBlock || llvm::isa<PHINode>(V);
    if (Leaves)
      for (auto It = llvm::lower_bound(Back, std::pair(L.DefBlock + 1, 0u));
           It != Back.end() && It->first <= L.EndBlock; ++It)
        if (It->second >= L.EndBlock) {
          L.EndBlock = It->second;
          L.End = Blocks[L.EndBlock].Last;
        }
    if (L.End == Blocks[L.EndBlock].Last) {
      L.EndsWithBlock = true;
      Blocks[L.EndBlock].Ending.push_back(V);
    }
  }
}

} // namespace heddle::singlepass
