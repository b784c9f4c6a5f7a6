//===- Values.cpp - Values and their registers ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives values their registers, brings constants into registers, and moves
// both.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/Support/AddressSpace.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle::singlepass {

Selector::Home &Selector::homeOf(const Value &V) {
  Home &H = Homes[&V];
  if (H.K != Home::Nowhere)
    return H;
  if (isPredicate(V.getType()))
    if (std::optional<unsigned> P = Registers.takePredicate()) {
      H = {Home::Predicate, 0, static_cast<uint8_t>(*P)};
      return H;
    }
  unsigned Count = isPredicate(V.getType()) ? 1 : sizeOf(&V);
  if (Count == 0) {
    std::string Name;
    raw_string_ostream(Name) << *V.getType();
    fail("a value of type " + Name);
    Count = 1;
  }
  std::optional<unsigned> R = takeRegisters(Count);
  if (!R)
    fail("more values than registers");
  H = {Home::Registers, static_cast<uint8_t>(Count),
       static_cast<uint8_t>(R.value_or(0))};
  return H;
}

std::optional<unsigned> Selector::takeRegisters(unsigned Count) {
  return Registers.take(Count, [&](unsigned R) { return W.isBusy(R); });
}

void Selector::freeHome(const Value &V) {
  auto It = Homes.find(&V);
  if (It == Homes.end())
    return;
  const Home &H = It->second;
  endPlaces(V);
  if (H.K == Home::Predicate)
    Registers.givePredicate(H.Number);
  else if (H.K == Home::Registers)
    Registers.give(H.Number, H.Count);
  Homes.erase(It);
}

unsigned Selector::temporary(unsigned Count) {
  std::optional<unsigned> R = takeRegisters(Count);
  if (!R) {
    fail("more values than registers");
    return 0;
  }
  Temporaries.push_back({*R, Count});
  return *R;
}

unsigned Selector::scratchPredicate() {
  if (!HasScratchPredicate) {
    HasScratchPredicate = true;
    return RegisterFile::ScratchPredicate;
  }
  if (std::optional<unsigned> P = Registers.takePredicate()) {
    TemporaryPredicates.push_back(*P);
    return *P;
  }
  return borrowPredicate();
}

/// One that holds a value which the instruction does not read, and which is in
/// a general register until the instruction is over.
unsigned Selector::borrowPredicate() {
  unsigned Taken = 0;
  for (auto [P, R] : BorrowedPredicates)
    Taken |= 1u << P;
  for (const Value *Operand : Current->operand_values())
    if (Home H = Homes.lookup(root(Operand)); H.K == Home::Predicate)
      Taken |= 1u << H.Number;
  for (unsigned P : TemporaryPredicates)
    Taken |= 1u << P;
  unsigned P = countr_one(Taken);
  if (P >= RegisterFile::ScratchPredicate || Current->isTerminator()) {
    fail("more values than predicates");
    return 0;
  }
  unsigned R = temporary(1);
  predicateToRegister(R, {P, false});
  BorrowedPredicates.push_back({P, R});
  return P;
}

void Selector::returnPredicates() {
  for (auto [P, R] : BorrowedPredicates)
    predicateFromRegister(P, R);
  BorrowedPredicates.clear();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

std::optional<uint64_t> Selector::bitsOf(const Value *V) const {
  const auto *C = dyn_cast<Constant>(root(V));
  if (!C)
    return std::nullopt;
  if (llvm::isa<UndefValue>(C) || C->isNullValue())
    return 0;
  if (const auto *I = dyn_cast<ConstantInt>(C))
    return I->getBitWidth() <= 64 ? std::optional(I->getZExtValue())
                                  : std::nullopt;
  if (const auto *Float = dyn_cast<ConstantFP>(C))
    return Float->getType()->getPrimitiveSizeInBits() <= 64
               ? std::optional(
                     Float->getValueAPF().bitcastToAPInt().getZExtValue())
               : std::nullopt;
  if (const auto *E = dyn_cast<ConstantExpr>(C))
    if (E->getOpcode() == Instruction::IntToPtr)
      if (const auto *I = dyn_cast<ConstantInt>(E->getOperand(0)))
        return I->getZExtValue() &
               maskTrailingOnes<uint64_t>(DL.getTypeSizeInBits(E->getType()));
  const auto *Data = dyn_cast<ConstantDataVector>(C);
  uint64_t Width = DL.getTypeSizeInBits(C->getType());
  if (!Data || Width > 64)
    return std::nullopt;
  uint64_t Bits = 0, Each = Width / Data->getNumElements();
  for (unsigned I = 0; I != Data->getNumElements(); ++I)
    Bits |= bitsOf(Data->getElementAsConstant(I)).value_or(0) << (I * Each);
  return Bits;
}

void Selector::moveBits(unsigned To, unsigned Count, uint64_t Bits, Guard G) {
  if (Count == 1)
    return W.emit(Heddle::MOV_i, {To, int64_t(uint32_t(Bits))}, G);
  if (isInt<32>(int64_t(Bits)))
    return W.emit(Heddle::MOV64_i, {To, int64_t(Bits)}, G);
  W.emit(Heddle::MOV64W, {To, int64_t(Bits)}, G);
}

/// The high word of a generic address, by the space of what it is of; none
/// where there is no window.
static std::optional<uint32_t> windowOf(unsigned AS) {
  switch (AS) {
  case addrspace::Shared:
    return isa::abi::SharedWindow;
  case addrspace::Const:
    return isa::abi::ConstWindow;
  default:
    return std::nullopt;
  }
}

/// The high word that a cast of a short address puts in front of the address;
/// none where the bits stay as they are. False: such a cast is not known.
static bool addHighWord(const DataLayout &DL, const ConstantExpr &E,
                        std::optional<uint32_t> &High) {
  Type *From = E.getOperand(0)->getType(), *To = E.getType();
  uint64_t Before = DL.getTypeSizeInBits(From),
           After = DL.getTypeSizeInBits(To);
  if (E.getOpcode() == Instruction::AddrSpaceCast) {
    unsigned AS = From->getPointerAddressSpace();
    if (AS <= addrspace::Global &&
        To->getPointerAddressSpace() <= addrspace::Global)
      return true;
    High = windowOf(AS);
    return High && To->getPointerAddressSpace() == addrspace::Generic;
  }
  if (Before < After)
    High = 0;
  return Before <= After;
}

/// The address of a variable or function, as LLVM's constants have it.
bool Selector::putAddress(unsigned To, unsigned Count, const Constant &C) {
  const Constant *Base = &C;
  int64_t Offset = 0;
  std::optional<uint32_t> High;
  while (const auto *E = dyn_cast<ConstantExpr>(Base)) {
    switch (E->getOpcode()) {
    case Instruction::PtrToInt:
    case Instruction::IntToPtr:
    case Instruction::BitCast:
    case Instruction::AddrSpaceCast:
      if (High || !addHighWord(DL, *E, High))
        return false;
      break;
    case Instruction::Add: {
      const auto *By = dyn_cast<ConstantInt>(E->getOperand(1));
      if (!By || By->getBitWidth() > 64)
        return false;
      Offset += By->getSExtValue();
      break;
    }
    case Instruction::GetElementPtr: {
      APInt Of(DL.getIndexTypeSizeInBits(E->getType()), 0);
      if (!cast<GEPOperator>(E)->accumulateConstantOffset(DL, Of))
        return false;
      Offset += Of.getSExtValue();
      break;
    }
    default:
      return false;
    }
    Base = E->getOperand(0);
  }
  const auto *G = dyn_cast<GlobalObject>(Base);
  unsigned Own = G ? registersOf(DL, G->getType()) : 0;
  // A sum below the start of a space would reach into the high word.
  if (Own == 0 || Own + (High ? 1 : 0) != Count || (High && Offset < 0))
    return false;
  W.emit(Own == 1 ? unsigned(Heddle::MOV_i) : unsigned(Heddle::MOV64W),
         {To, Operand::symbol(*G, Offset)});
  if (High)
    moveBits(To + 1, 1, *High);
  return true;
}

void Selector::failConstant(const Constant &C) {
  std::string Text;
  raw_string_ostream(Text) << C;
  fail("the constant " + Text);
}

void Selector::putConstant(unsigned To, unsigned Count, const Constant &C) {
  if (std::optional<uint64_t> Bits = bitsOf(&C); Bits && Count <= 2)
    return moveBits(To, Count, *Bits);
  if (llvm::isa<UndefValue>(C))
    return;
  if (const auto *V = dyn_cast<FixedVectorType>(C.getType())) {
    unsigned Each = Count / V->getNumElements();
    if (Each != 0) {
      for (unsigned I = 0; I != V->getNumElements(); ++I)
        if (const Constant *E = C.getAggregateElement(I))
          putConstant(To + I * Each, Each, *E);
        else
          failConstant(C);
      return;
    }
  }
  if (const auto *I = dyn_cast<ConstantInt>(&C); I && Count == 4) {
    APInt Bits = I->getValue().zextOrTrunc(128);
    moveBits(To, 2, Bits.extractBitsAsZExtValue(64, 0));
    return moveBits(To + 2, 2, Bits.extractBitsAsZExtValue(64, 64));
  }
  if (!putAddress(To, Count, C))
    failConstant(C);
}

//===----------------------------------------------------------------------===//
// Uses
//===----------------------------------------------------------------------===//

unsigned Selector::use(const Value *V) {
  V = root(V);
  if (const auto *C = dyn_cast<Constant>(V)) {
    std::optional<uint64_t> Bits = bitsOf(C);
    if ((Bits && *Bits == 0) || (C->isNullValue()))
      return RegisterFile::Zero;
    unsigned Count = sizeOf(V);
    if (Count == 0) {
      failConstant(*C);
      return 0;
    }
    unsigned R = temporary(Count);
    if (!failed())
      putConstant(R, Count, *C);
    return R;
  }
  if (std::optional<Operand> Offset = frameOffset(V, 0)) {
    unsigned R = temporary(1);
    frameAddress(R, *Offset);
    return R;
  }
  Home H = Homes.lookup(V);
  if (H.K != Home::Registers)
    fail("a value that is not in a register");
  return H.Number;
}

void Selector::frameAddress(unsigned To, Operand Offset) {
  W.emit(Heddle::IADD3_i, {To, FrameBase, 0, Offset, 0, RegisterFile::Zero, 0});
}

unsigned Selector::usePart(const Value *V, unsigned Part) {
  unsigned R = use(V);
  return R == RegisterFile::Zero ? R : R + Part;
}

unsigned Selector::useExtended(const Value *V, bool Signed) {
  unsigned Width = V->getType()->getScalarSizeInBits();
  if (!V->getType()->isIntegerTy() || Width >= 32)
    return use(V);
  unsigned To = temporary(1);
  if (std::optional<uint64_t> Bits = bitsOf(V)) {
    moveBits(To, 1,
             Signed ? SignExtend64(*Bits, Width)
                    : *Bits & maskTrailingOnes<uint64_t>(Width));
    return To;
  }
  W.emit(Heddle::BFE_i, {To, use(V), int64_t(Width) << 8, Signed});
  return To;
}

Selector::Source Selector::usePredicate(const Value *V) {
  constexpr unsigned True = 7;
  V = root(V);
  if (std::optional<uint64_t> Bits = bitsOf(V))
    return {True, *Bits == 0};
  Home H = Homes.lookup(V);
  if (H.K == Home::Predicate)
    return {H.Number, false};
  if (H.K != Home::Registers)
    fail("a predicate that is nowhere");
  unsigned P = scratchPredicate();
  predicateFromRegister(P, H.Number);
  return {P, false};
}

Selector::Second Selector::second(const Value *V, unsigned InRegister,
                                  unsigned Constant) {
  std::optional<uint64_t> Bits = bitsOf(V);
  unsigned Count = sizeOf(V);
  if (Bits && Count == 1)
    return {Constant, int64_t(int32_t(*Bits))};
  bool IsDouble = V->getType()->isDoubleTy();
  if (Bits && Count == 2 && IsDouble && uint32_t(*Bits) == 0)
    return {Constant, int64_t(int32_t(*Bits >> 32))};
  if (Bits && Count == 2 && !IsDouble && isInt<32>(int64_t(*Bits)))
    return {Constant, int64_t(*Bits)};
  return {InRegister, use(V)};
}

//===----------------------------------------------------------------------===//
// Definitions and moves
//===----------------------------------------------------------------------===//

unsigned Selector::define(const Instruction &I) { return homeOf(I).Number; }

unsigned Selector::definePredicate(const Instruction &I) {
  Home H = homeOf(I);
  if (H.K == Home::Predicate)
    return H.Number;
  // The sources were read when the result is written.
  return RegisterFile::ScratchPredicate;
}

unsigned Selector::defineResult(const Instruction &I, unsigned Index,
                                unsigned Count) {
  const Value *V = partOf(I, Index);
  if (!V || !A.isUsed(*V))
    return RegisterFile::Zero;
  Home H = homeOf(*V);
  if (H.Count != Count)
    fail("a result of another size");
  return H.Number;
}

unsigned Selector::definePredicateResult(const Instruction &I, unsigned Index) {
  constexpr unsigned True = 7;
  const Value *V = partOf(I, Index);
  if (!V || !A.isUsed(*V))
    return True;
  Home H = homeOf(*V);
  return H.K == Home::Predicate ? H.Number : RegisterFile::ScratchPredicate;
}

void Selector::finishPredicateResult(const Instruction &I, unsigned Index,
                                     unsigned P) {
  const Value *V = partOf(I, Index);
  if (!V || !A.isUsed(*V))
    return;
  Home H = homeOf(*V);
  if (H.K == Home::Registers)
    predicateToRegister(H.Number, {P, false});
}

void Selector::finishPredicate(const Instruction &I, unsigned P) {
  Home H = homeOf(I);
  if (H.K == Home::Registers)
    predicateToRegister(H.Number, {P, false});
}

void Selector::move(unsigned To, unsigned From, unsigned Count, Guard G) {
  if (Count == 1)
    return W.emit(Heddle::MOV_r, {To, From}, G);
  for (unsigned I = 0; I != Count; I += 2)
    W.emit(Heddle::MOV64_r,
           {To + I, From == RegisterFile::Zero ? From : From + I}, G);
}

void Selector::movePredicate(unsigned To, Source From, Guard G) {
  constexpr unsigned True = 7, First = 0xF0;
  W.emit(Heddle::PLOP3,
         {To, From.Predicate, From.Negated, True, 0, True, 0, First}, G);
}

/// As 0 or 1.
void Selector::predicateToRegister(unsigned To, Source From, Guard G) {
  W.emit(Heddle::SEL_i,
         {To, RegisterFile::Zero, 1, From.Predicate, !From.Negated}, G);
}

void Selector::predicateFromRegister(unsigned To, unsigned From, Guard G) {
  constexpr unsigned True = 7;
  W.emit(Heddle::ISETP_r,
         {To, From, RegisterFile::Zero, isa::CmpI::NotEqual, 0,
          isa::BoolOp::And, True, 0},
         G);
}

void Selector::logic(unsigned To, unsigned A, Operand B, bool IsConstant,
                     unsigned Lut) {
  W.emit(IsConstant ? Heddle::LOP3_i : Heddle::LOP3_r,
         {To, A, B, RegisterFile::Zero, Lut});
}

} // namespace heddle::singlepass
