//===- Lowering.cpp - Microcode as LLVM IR ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function, its entries and blocks, the registers, and the counts.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace heddle::emu;

namespace heddle::native {

Lowering::Lowering(const Unit &Code, const WarpLayout &Layout,
                   const HostFeatures &Host, Module &M)
    : Code(Code), Layout(Layout), Host(Host), M(M), C(M.getContext()), IR(C) {
  I1 = Type::getInt1Ty(C);
  I8 = Type::getInt8Ty(C);
  I32 = Type::getInt32Ty(C);
  I64 = Type::getInt64Ty(C);
  Ptr = PointerType::getUnqual(C);
  Words = FixedVectorType::get(I32, WarpSize);
  Longs = FixedVectorType::get(I64, WarpSize);
  Bits = FixedVectorType::get(I1, WarpSize);
  Floats = FixedVectorType::get(Type::getFloatTy(C), WarpSize);
  Doubles = FixedVectorType::get(Type::getDoubleTy(C), WarpSize);
}

BasicBlock *Lowering::newBlock(const char *Name) {
  return BasicBlock::Create(C, Name, F);
}

/// A branch that costs the way to \p Often nothing: neither jumps nor
/// registers.
void Lowering::branchRarely(Value *Condition, BasicBlock *Rare,
                            BasicBlock *Often) {
  IR.CreateCondBr(Condition, Rare, Often,
                  MDBuilder(C).createUnlikelyBranchWeights());
}

std::vector<CountedStretch> Lowering::run(StringRef Name) {
  auto *Ty = FunctionType::get(Type::getVoidTy(C), {Ptr, Ptr, Ptr, I32}, false);
  F = Function::Create(Ty, Function::ExternalLinkage, Name, M);
  F->addFnAttr(Attribute::NoUnwind);
  F->addFnAttr("prefer-vector-width", "512");
  F->addFnAttr("min-legal-vector-width", "512");
  Insts = F->getArg(1);
  Calls = F->getArg(2);
  makeEntry();
  for (const auto &[First, Each] : Code.Blocks)
    if (Each.Entry >= 0)
      lowerBlock(Each);
  return std::move(Stretches);
}

/// The variables of hot blocks.
void Lowering::makeVariables() {
  RegSet Named;
  for (const auto &[First, Each] : Code.Blocks)
    for (uint32_t At = Each.First; Each.IsHot && At <= Each.Last; ++At)
      for (auto List :
           {Code.Image.reads(Code.at(At)), Code.Image.writes(Code.at(At))})
        for (RegId R : List)
          Named.set(R);
  for (RegId R = 0; R < FirstConvergence; ++R)
    if (Named[R])
      Variables[R] = IR.CreateAlloca(R < FirstPredicate ? Words : I32);
}

/// What the function is about, for each warp, and a start for each entry that
/// loads what lives there.
void Lowering::makeEntry() {
  BasicBlock *Begin = newBlock("begin"), *Entry = newBlock("entry");
  IR.SetInsertPoint(Begin);
  makeVariables();
  IR.CreateBr(Entry);
  IR.SetInsertPoint(Entry);
  PHINode *Each = IR.CreatePHI(Ptr, 2);
  Each->addIncoming(F->getArg(0), Begin);
  W = Each;
  Number = IR.CreatePHI(I32, 2);
  Number->addIncoming(F->getArg(3), Begin);
  Group = IR.CreateLoad(I32, field(Layout.Group));
  GroupBits = bits(Group);
  Threads =
      IR.CreateZExt(IR.CreateUnaryIntrinsic(Intrinsic::ctpop, Group), I64);
  Owner = IR.CreateLoad(Ptr, field(Layout.Owner));
  Counters = IR.CreateLoad(Ptr, ownerField(Layout.StretchCounts));
  auto *Once = FixedVectorType::get(I64, 2);
  RunOfGroup = IR.CreateInsertElement(ConstantInt::get(Once, 1), Threads, 1);
  for (const auto &[R, Variable] : Variables)
    IR.CreateStore(Constant::getNullValue(Variable->getAllocatedType()),
                   Variable);
  makeStarts();
  if (Code.isAlone())
    NextWarp = makeNextWarp();
}

/// Begins the warp behind one whose threads have all exited.
BasicBlock *Lowering::makeNextWarp() {
  IRBuilder<>::InsertPointGuard Guard(IR);
  BasicBlock *Next = newBlock("nextwarp");
  IR.SetInsertPoint(Next);
  IR.CreateStore(IR.CreateLoad(I32, field(Layout.Exist)), field(Layout.Exited));
  for (uint32_t Field : {Layout.LiveWarps, Layout.WarpsToBegin})
    IR.CreateStore(
        IR.CreateSub(IR.CreateLoad(I32, ownerField(Field)), IR.getInt32(1)),
        ownerField(Field));
  Value *Following = IR.CreateLoad(Ptr, field(Layout.Following));
  auto Part = [&](uint32_t Offset) {
    return IR.CreateConstInBoundsGEP1_64(I8, Following, Offset);
  };
  IR.CreateMemCpy(Part(Layout.State), Align(8), ownerField(Layout.StateAtFirst),
                  Align(8), Layout.StateBytes);
  for (RegId R = FirstConvergence; R < NumRegIds; ++R)
    if (Code.names(R))
      IR.CreateAlignedStore(
          Constant::getNullValue(Words),
          Part(Layout.Convergence + (R - FirstConvergence) * WarpSize * 4),
          Align(4));
  cast<PHINode>(W)->addIncoming(Following, Next);
  Number->addIncoming(IR.getInt32(Code.Blocks.at(Code.entry()).Entry), Next);
  IR.CreateBr(Number->getParent());
  return Next;
}

/// Goes to the block of the entry.
void Lowering::makeStarts() {
  BasicBlock *None = newBlock("none");
  SwitchInst *Switch = IR.CreateSwitch(Number, None, Code.NumEntries);
  IR.SetInsertPoint(None);
  IR.CreateUnreachable();
  for (const auto &[First, Each] : Code.Blocks)
    if (Each.Entry >= 0)
      Starts[First] = newBlock("block");
  for (const auto &[First, Each] : Code.Blocks) {
    if (Each.Entry < 0)
      continue;
    BasicBlock *&Outer = FromOutside[First];
    Outer = Starts[First];
    if (Each.IsHot) {
      Outer = newBlock("start");
      IR.SetInsertPoint(Outer);
      RegSet Live = Code.liveAt(First);
      for (RegId R = 0; R < FirstConvergence; ++R)
        if (Live[R] && Variables.count(R))
          IR.CreateStore(loaded(R), Variables[R]);
      IR.CreateBr(Starts[First]);
    }
    Switch->addCase(IR.getInt32(Each.Entry), Outer);
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

Value *Lowering::addressOf(RegId R) {
  if (R < FirstPredicate)
    return field(Layout.Registers + R * WarpSize * 4);
  if (R < FirstUniform)
    return field(Layout.Predicates + (R - FirstPredicate) * 4);
  if (R < FirstUniformPredicate)
    return field(Layout.Uniforms + (R - FirstUniform) * 4);
  return field(Layout.UniformPredicates + (R - FirstUniformPredicate));
}

/// What the warp has in a register.
Value *Lowering::loaded(RegId R) {
  if (R < FirstPredicate)
    return IR.CreateAlignedLoad(Words, addressOf(R), Align(128));
  if (R < FirstUniformPredicate)
    return IR.CreateLoad(I32, addressOf(R));
  return IR.CreateZExt(IR.CreateLoad(I8, addressOf(R)), I32);
}

/// What the code has in it.
Value *Lowering::get(RegId R) {
  if (B->IsHot)
    return IR.CreateLoad(R < FirstPredicate ? Words : I32, Variables.at(R));
  Value *&V = Known[R];
  if (!V)
    V = loaded(R);
  return V;
}

void Lowering::set(RegId R, Value *V) {
  if (B->IsHot)
    IR.CreateStore(V, Variables.at(R));
  else
    Known[R] = V;
  Dirty.set(R);
}

/// The emulator has changed a register of the warp.
void Lowering::reload(RegId R) {
  if (B->IsHot)
    IR.CreateStore(loaded(R), Variables.at(R));
  else
    Known[R] = nullptr;
}

void Lowering::writeBack(RegId R) {
  Value *V = get(R);
  if (R < FirstPredicate) {
    IR.CreateMaskedStore(V, addressOf(R), Align(128), GroupBits);
    return;
  }
  if (R < FirstUniform)
    V = IR.CreateOr(
        IR.CreateAnd(V, Group),
        IR.CreateAnd(IR.CreateLoad(I32, addressOf(R)), IR.CreateNot(Group)));
  if (R >= FirstUniformPredicate)
    V = IR.CreateTrunc(V, I8);
  IR.CreateStore(V, addressOf(R));
}

void Lowering::writeBack(const RegSet &Registers) {
  for (RegId R = 0; R < FirstConvergence; ++R)
    if (Registers[R] && Dirty[R])
      writeBack(R);
  // In hot blocks, whose paths meet, the caller knows whether it was on all.
  if (!B->IsHot)
    Dirty &= ~Registers;
}

Value *Lowering::row(unsigned Row) {
  if (Row >= ZeroRow)
    return Constant::getNullValue(Words);
  return get(Row);
}

Value *Lowering::pair(unsigned Row) {
  if (Row >= ZeroRow)
    return Constant::getNullValue(Longs);
  if (auto It = Pairs.find(Row); It != Pairs.end())
    return It->second;
  Value *High = IR.CreateShl(IR.CreateZExt(row(Row + 1), Longs), 32);
  Value *V = IR.CreateOr(IR.CreateZExt(row(Row), Longs), High);
  Pairs[Row] = V;
  return V;
}

Value *Lowering::uniform(unsigned Row) {
  if (Row >= UniformZeroRow)
    return IR.getInt32(0);
  return get(FirstUniform + Row);
}

Value *Lowering::uniformPair(unsigned Row) {
  Value *High = IR.CreateShl(IR.CreateZExt(uniform(Row + 1), I64), 32);
  return IR.CreateOr(IR.CreateZExt(uniform(Row), I64), High);
}

Value *Lowering::mask(unsigned Predicate, bool Negated) {
  Value *V = IR.getInt32(~0u);
  if (Predicate != TruePredicate)
    V = get(FirstPredicate + Predicate);
  return Negated ? IR.CreateNot(V) : V;
}

/// A uniform predicate, as one bit.
Value *Lowering::flag(unsigned Predicate, bool Negated) {
  Value *V = IR.getInt32(1);
  if (Predicate != TruePredicate)
    V = get(FirstUniformPredicate + Predicate);
  V = IR.CreateTrunc(V, I1);
  return Negated ? IR.CreateNot(V) : V;
}

void Lowering::setRow(unsigned Row, Value *V) {
  if (Row >= ZeroRow)
    return;
  if (Exec)
    V = select(bits(Exec), V, row(Row));
  set(Row, V);
  Pairs.erase(Row);
  Pairs.erase(Row - 1);
}

void Lowering::setPair(unsigned Row, Value *V) {
  setRow(Row, IR.CreateTrunc(V, Words));
  setRow(Row + 1, IR.CreateTrunc(IR.CreateLShr(V, 32), Words));
  if (!Exec && Row < ZeroRow)
    Pairs[Row] = V;
}

void Lowering::setMask(unsigned Predicate, Value *V) {
  if (Predicate >= TruePredicate)
    return;
  RegId R = FirstPredicate + Predicate;
  if (Exec)
    V = IR.CreateOr(IR.CreateAnd(V, Exec),
                    IR.CreateAnd(mask(Predicate, false), IR.CreateNot(Exec)));
  set(R, V);
}

Value *Lowering::operand(SourceKind K, unsigned Row) {
  if (K == SourceKind::Immediate)
    return word(static_cast<uint32_t>(I->Imm));
  if (Scalar)
    return uniform(Row);
  return K == SourceKind::Uniform ? splat(uniform(Row)) : row(Row);
}

Value *Lowering::longOperand(SourceKind K, unsigned Row) {
  if (K == SourceKind::Immediate)
    return longWord(I->Imm);
  if (Scalar)
    return uniformPair(Row);
  return K == SourceKind::Uniform ? splat(uniformPair(Row)) : pair(Row);
}

Value *Lowering::sourceB() { return operand(I->KindB, I->B); }
Value *Lowering::sourceC() { return operand(I->KindC, I->C); }
Value *Lowering::longB() { return longOperand(I->KindB, I->B); }
Value *Lowering::longC() { return longOperand(I->KindC, I->C); }

void Lowering::result(Value *V) {
  bool IsLong = V->getType()->getScalarSizeInBits() == 64;
  if (!Scalar)
    return IsLong ? setPair(I->D, V) : setRow(I->D, V);
  for (unsigned N = 0; N <= IsLong; ++N) {
    unsigned Row = I->D + N;
    if (Row >= UniformZeroRow)
      continue;
    Value *Part = IR.CreateTrunc(N ? IR.CreateLShr(V, 32) : V, I32);
    if (Holds)
      Part = select(Holds, Part, uniform(Row));
    set(FirstUniform + Row, Part);
  }
}

/// The predicate of a comparison whose relation is \p V, a bit for each lane.
void Lowering::comparison(Value *V) {
  Value *Relation = Scalar ? V : maskOf(V);
  Value *S = Scalar ? flag(I->S, I->Sn) : mask(I->S, I->Sn);
  if (I->Bop == 0)
    V = IR.CreateAnd(Relation, S);
  else if (I->Bop == 1)
    V = IR.CreateOr(Relation, S);
  else
    V = IR.CreateXor(Relation, S);
  setPredicate(V);
}

/// \p V is a mask, or on the uniform path a bit.
void Lowering::setPredicate(Value *V) {
  if (!Scalar)
    return setMask(I->P, V);
  if (I->P >= TruePredicate)
    return;
  RegId R = FirstUniformPredicate + I->P;
  if (Holds)
    V = select(Holds, V, flag(I->P, false));
  set(R, IR.CreateZExt(V, I32));
}

Value *Lowering::selector() {
  return Scalar ? flag(I->S, I->Sn) : bits(mask(I->S, I->Sn));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

void Lowering::lowerBlock(const Block &Each) {
  B = &Each;
  Dirty = Each.DirtyIn;
  Pairs.clear();
  Known.clear();
  IR.SetInsertPoint(Starts.at(Each.First));
  if (Each.EndsTurn)
    endTurn();
  SegmentLast = Each.First - 1;
  for (PC = Each.First; PC <= Each.Last; ++PC) {
    I = &Code.at(PC);
    if (PC == SegmentLast + 1) {
      SegmentLast = PC;
      while (SegmentLast != Each.Last && !needsCounts(Code.at(SegmentLast)))
        ++SegmentLast;
      count(PC, SegmentLast);
    }
    lowerInst();
  }
  if (IR.GetInsertBlock()->getTerminator())
    return;
  PC = Each.Last;
  jump(Each.Last + 1);
}

/// Leaves in front of the block if the warp's turn is over.
void Lowering::endTurn() {
  PC = B->First - 1;
  Value *IsTurn =
      IR.CreateICmpNE(IR.CreateLoad(I8, field(Layout.IsExact)), IR.getInt8(0));
  Value *IsOver = IR.CreateICmpUGE(IR.CreateLoad(I64, field(Layout.Issued)),
                                   IR.CreateLoad(I64, field(Layout.SliceEnd)));
  BasicBlock *Over = newBlock("over"), *Goes = newBlock("goes");
  branchRarely(IR.CreateAnd(IsTurn, IsOver), Over, Goes);
  IR.SetInsertPoint(Over);
  leave(B->First);
  IR.SetInsertPoint(Goes);
}

void Lowering::lowerInst() {
  Scalar = I->Uniform;
  Exec = Holds = nullptr;
  if (isCalled(PC))
    return callStretch();
  Kind K = kindOf(*I);
  if (K == Kind::Illegal)
    return leave(PC);
  if (isParameter(*I))
    return lowerParameter();
  if (K == Kind::MayStop)
    return lowerMayStop();
  if (!I->isUnguarded() && K != Kind::Branch) {
    if (Scalar)
      Holds = flag(I->Guard, I->GuardNegated);
    else
      Exec = IR.CreateAnd(Group, mask(I->Guard, I->GuardNegated));
    // An access counts where it is carried out.
    if (K != Kind::Access)
      countGuarded(*I);
  }
  switch (K) {
  case Kind::Plain:
    if (!lowerPlain())
      report_fatal_error("no host code for " + StringRef(I->Info->Name));
    return;
  case Kind::Access:
    return lowerAccess();
  case Kind::Call:
  case Kind::MayFault:
  case Kind::MayStop:
    llvm_unreachable("the emulator is called for these");
  case Kind::Branch:
    return lowerBranch();
  case Kind::CallTo:
    return lowerCallTo();
  case Kind::Indirect:
    return lowerIndirect();
  case Kind::Exit:
    return lowerExit();
  case Kind::Illegal:
    llvm_unreachable("it is left to the emulator");
  }
}

bool Lowering::lowerPlain() {
  return lowerInteger() || lowerLong() || lowerBits() || lowerMove() ||
         lowerFloat() || lowerDouble() || lowerConversion() || lowerHalf() ||
         lowerElements() || lowerSpecial() || lowerMeeting();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

/// One or two numbers of 64 bits.
void Lowering::addTo(Value *Address, Value *Amount) {
  Value *Before = IR.CreateAlignedLoad(Amount->getType(), Address, Align(8));
  IR.CreateAlignedStore(IR.CreateAdd(Before, Amount), Address, Align(8));
}

/// Counts instructions that are all reached if the first is.
void Lowering::count(uint32_t First, uint32_t Last) {
  CountedStretch Stretch;
  uint64_t Issued = 0, Stall = 0;
  // Of no instruction, which is left to the emulator, there is no count.
  for (uint32_t At = First; At <= Last && kindOf(Code.at(At)) != Kind::Illegal;
       ++At) {
    Inst Each = Code.at(At);
    auto Number = static_cast<uint32_t>(Each.Info->Latency);
    auto Found = llvm::find_if(Stretch.Classes,
                               [&](auto &C) { return C.Number == Number; });
    if (Found == Stretch.Classes.end())
      Found = Stretch.Classes.insert(Found, {Number});
    ++Found->Warp;
    Found->Group += Each.isUnguarded();
    ++Issued;
    Stall += Each.Stall;
  }
  addTo(field(Layout.Issued),
        ConstantDataVector::get(C, ArrayRef({Issued, Stall})));
  addTo(IR.CreateConstInBoundsGEP1_64(I8, Counters, Stretches.size() * 16),
        RunOfGroup);
  Stretches.push_back(std::move(Stretch));
}

/// Counts the threads that execute an instruction behind a guard.
void Lowering::countGuarded(Inst Each) {
  uint32_t At =
      Layout.Counts + static_cast<unsigned>(Each.Info->Latency) * 16 + 8;
  Value *Number;
  if (Holds)
    Number = select(Holds, Threads, IR.getInt64(0));
  else
    Number =
        IR.CreateZExt(IR.CreateUnaryIntrinsic(Intrinsic::ctpop, Exec), I64);
  addTo(ownerField(At), Number);
}

} // namespace heddle::native
