//===- Integers.cpp - Integers, casts and vectors ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic and logic of integers, and what changes or takes apart values
// without computing.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/Support/AddressSpace.h"

using namespace llvm;

namespace heddle::singlepass {

/// Of what computes bit by bit; of one bit, sums and differences do so too.
static std::optional<unsigned> logicTable(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::And:
    return lut::And;
  case Instruction::Or:
    return lut::Or;
  case Instruction::Xor:
    return lut::Xor;
  case Instruction::Add:
  case Instruction::Sub:
    if (I.getType()->isIntegerTy(1))
      return lut::Xor;
    return std::nullopt;
  default:
    return std::nullopt;
  }
}

bool Selector::selectPredicateLogic(const Instruction &I) {
  constexpr unsigned True = 7;
  std::optional<unsigned> Lut = logicTable(I);
  if (!Lut)
    return false;
  Source X = usePredicate(I.getOperand(0)), Y = usePredicate(I.getOperand(1));
  unsigned P = definePredicate(I);
  W.emit(Heddle::PLOP3,
         {P, X.Predicate, X.Negated, Y.Predicate, Y.Negated, True, 0, *Lut});
  finishPredicate(I, P);
  return true;
}

bool Selector::selectInteger(const Instruction &I) {
  if (isPredicate(I.getType()))
    return selectPredicateLogic(I);
  if (const auto *V = dyn_cast<FixedVectorType>(I.getType());
      V && V->getElementType()->isIntegerTy() && sizeOf(&I) != 0)
    return selectVector(I);
  if (!I.getType()->isIntegerTy() || sizeOf(&I) == 0)
    return false;
  if (I.getType()->isIntegerTy(128))
    return selectWide(I);
  if (unsigned Width = I.getType()->getIntegerBitWidth();
      Width > 32 && Width != 64)
    return false;
  switch (I.getOpcode()) {
  case Instruction::Add:
    return selectAddition(I, /*Subtracts=*/false), true;
  case Instruction::Sub:
    return selectAddition(I, /*Subtracts=*/true), true;
  case Instruction::Mul:
    return selectMultiplication(I), true;
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return selectLogic(I), true;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return selectShift(I), true;
  case Instruction::UDiv:
  case Instruction::URem:
  case Instruction::SDiv:
  case Instruction::SRem:
    return selectDivision(I);
  default:
    return false;
  }
}

/// Words of elements, and pairs of integers of 16 bits.
bool Selector::selectVector(const Instruction &I) {
  constexpr unsigned Shorts = 2;
  unsigned Opcode = I.getOpcode();
  switch (Opcode) {
  case Instruction::And:
  case Instruction::Or:
  case Instruction::Xor:
    return selectLogic(I), true;
  case Instruction::Add:
  case Instruction::Sub: {
    if (!isPairOfShorts(I.getType()))
      return false;
    unsigned X = use(I.getOperand(0)), Y = use(I.getOperand(1));
    emitElements(define(I), X, Y,
                 Opcode == Instruction::Add ? isa::ElementOp::Add
                                            : isa::ElementOp::Subtract,
                 Shorts, false);
    return true;
  }
  default:
    return false;
  }
}

void Selector::selectAddition(const Instruction &I, bool Subtracts) {
  const Value *X = I.getOperand(0), *Y = I.getOperand(1);
  // The minuend may be the constant.
  bool Swaps = Subtracts && llvm::isa<Constant>(root(X));
  if (Swaps || (!Subtracts && llvm::isa<Constant>(root(X))))
    std::swap(X, Y);
  bool NegatesX = Swaps, NegatesY = Subtracts && !Swaps;
  unsigned Zero = RegisterFile::Zero;
  if (sizeOf(&I) == 1) {
    Second S = second(Y, Heddle::IADD3_r, Heddle::IADD3_i);
    W.emit(S.Opcode, {define(I), use(X), NegatesX, S.Value, NegatesY, Zero, 0});
  } else {
    Second S = second(Y, Heddle::IADD64_r, Heddle::IADD64_i);
    unsigned A = use(X);
    W.emit(S.Opcode, {define(I), A, NegatesX, S.Value, NegatesY});
  }
}

/// The value of 32 bits that V widens to 64, or null.
static const Value *widened(const Value *V, unsigned Opcode) {
  const auto *Cast = dyn_cast<CastInst>(V);
  return Cast && Cast->getOpcode() == Opcode &&
                 Cast->getOperand(0)->getType()->isIntegerTy(32)
             ? Cast->getOperand(0)
             : nullptr;
}

void Selector::selectMultiplication(const Instruction &I) {
  const Value *X = I.getOperand(0), *Y = I.getOperand(1);
  unsigned Zero = RegisterFile::Zero;
  if (llvm::isa<Constant>(root(X)))
    std::swap(X, Y);
  if (sizeOf(&I) == 1) {
    Second S = second(Y, Heddle::IMAD_r, Heddle::IMAD_i);
    unsigned A = use(X);
    return W.emit(S.Opcode, {define(I), A, S.Value, Zero, 0});
  }
  unsigned D = define(I);
  std::optional<uint64_t> Bits = bitsOf(Y);
  if (Bits && isPowerOf2_64(*Bits))
    return W.emit(Heddle::SHL64_i, {D, use(X), int64_t(Log2_64(*Bits))});
  // The words of both; the high ones of extended values are known.
  unsigned A = use(X), B = use(Y);
  unsigned AHigh = A == Zero ? Zero : A + 1, BHigh = B == Zero ? Zero : B + 1;
  bool IsSigned =
      widened(X, Instruction::SExt) && widened(Y, Instruction::SExt);
  W.emit(Heddle::IMADW_r, {D, A, B, Zero, IsSigned});
  bool IsUnsigned =
      widened(X, Instruction::ZExt) && widened(Y, Instruction::ZExt);
  if (IsSigned || IsUnsigned)
    return;
  W.emit(Heddle::IMAD_r, {D + 1, A, BHigh, D + 1, 0});
  W.emit(Heddle::IMAD_r, {D + 1, AHigh, B, D + 1, 0});
}

void Selector::selectLogic(const Instruction &I) {
  unsigned Lut = *logicTable(I);
  const Value *X = I.getOperand(0), *Y = I.getOperand(1);
  if (llvm::isa<Constant>(root(X)))
    std::swap(X, Y);
  unsigned Parts = sizeOf(&I), A = use(X), D = define(I);
  std::optional<uint64_t> Bits = bitsOf(Y);
  unsigned B = Bits ? 0 : use(Y);
  for (unsigned P = 0; P != Parts; ++P) {
    unsigned From = A == RegisterFile::Zero ? A : A + P;
    if (Bits)
      logic(D + P, From, P < 2 ? int64_t(uint32_t(*Bits >> (32 * P))) : 0, true,
            Lut);
    else
      logic(D + P, From, B == RegisterFile::Zero ? B : B + P, false, Lut);
  }
}

void Selector::selectShift(const Instruction &I) {
  bool IsLeft = I.getOpcode() == Instruction::Shl,
       IsSigned = I.getOpcode() == Instruction::AShr;
  bool IsWide = sizeOf(&I) == 2;
  // Nothing but the low bits of a right shift's operand may mean nothing.
  unsigned X =
      IsLeft ? use(I.getOperand(0)) : useExtended(I.getOperand(0), IsSigned);
  std::optional<uint64_t> Amount = bitsOf(I.getOperand(1));
  Operand By = Amount ? Operand(int64_t(*Amount & 0xFF))
                      : Operand(useExtended(I.getOperand(1), false));
  unsigned D = define(I);
  if (IsLeft)
    return W.emit(IsWide ? (Amount ? Heddle::SHL64_i : Heddle::SHL64_r)
                         : (Amount ? Heddle::SHL_i : Heddle::SHL_r),
                  {D, X, By});
  W.emit(IsWide ? (Amount ? Heddle::SHR64_i : Heddle::SHR64_r)
                : (Amount ? Heddle::SHR_i : Heddle::SHR_r),
         {D, X, By, IsSigned});
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

bool Selector::selectCast(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::ZExt:
    return selectExtension(I, false), true;
  case Instruction::SExt:
    return selectExtension(I, true), true;
  case Instruction::Trunc:
  case Instruction::PtrToInt:
  case Instruction::IntToPtr:
    return selectTruncation(I), true;
  case Instruction::Freeze: {
    if (!isPredicate(I.getType()))
      return false;
    Source S = usePredicate(I.getOperand(0));
    unsigned P = definePredicate(I);
    movePredicate(P, S);
    finishPredicate(I, P);
    return true;
  }
  case Instruction::AddrSpaceCast: {
    unsigned From = sizeOf(I.getOperand(0)), To = sizeOf(&I);
    if (From == 2 && To == 1)
      return move(define(I), use(I.getOperand(0)), 1), true;
    std::optional<uint32_t> Window;
    switch (I.getOperand(0)->getType()->getPointerAddressSpace()) {
    case addrspace::Shared:
      Window = isa::abi::SharedWindow;
      break;
    case addrspace::Const:
      Window = isa::abi::ConstWindow;
      break;
    case addrspace::Local:
      Window = isa::abi::LocalWindow;
      break;
    case addrspace::Param:
      Window = isa::abi::ParamWindow;
      break;
    default:
      break;
    }
    if (!Window || From != 1 || To != 2)
      return false;
    unsigned X = use(I.getOperand(0)), D = define(I);
    move(D, X, 1);
    moveBits(D + 1, 1, *Window);
    return true;
  }
  default:
    return false;
  }
}

void Selector::selectExtension(const Instruction &I, bool Signed) {
  const Value *X = I.getOperand(0);
  unsigned Parts = sizeOf(&I);
  if (Parts == 0 || !I.getType()->isIntegerTy())
    return fail("an extension");
  if (isPredicate(X->getType())) {
    Source S = usePredicate(X);
    unsigned D = define(I);
    int64_t One = Signed ? -1 : 1;
    if (Parts == 4) {
      W.emit(Heddle::SEL64_i, {D + 2, RegisterFile::Zero, Signed ? -1 : 0,
                               S.Predicate, !S.Negated});
      Parts = 2;
    }
    W.emit(Parts == 1 ? Heddle::SEL_i : Heddle::SEL64_i,
           {D, RegisterFile::Zero, One, S.Predicate, !S.Negated});
    return;
  }
  unsigned From = sizeOf(X);
  if (From == 0 || (From > 1 && !X->getType()->isIntegerTy(64)))
    return fail("an extension");
  unsigned Low = useExtended(X, Signed), D = define(I);
  move(D, Low, From);
  if (Parts == From)
    return;
  unsigned Top = Low == RegisterFile::Zero ? Low : Low + From - 1;
  if (Signed)
    W.emit(Heddle::SHR_i, {D + From, Top, 31, 1});
  else
    moveBits(D + From, 1, 0);
  for (unsigned P = From + 1; P < Parts; ++P)
    move(D + P, D + From, 1);
}

/// Of integers and of pointers that are integers of another size.
void Selector::selectTruncation(const Instruction &I) {
  const Value *X = I.getOperand(0);
  unsigned From = sizeOf(X), To = sizeOf(&I);
  if (isPredicate(I.getType()) && From != 0) {
    constexpr unsigned True = 7;
    unsigned P = definePredicate(I);
    W.emit(Heddle::ISETP_i,
           {P, use(X), 1, isa::CmpI::Any, 0, isa::BoolOp::And, True, 0});
    return finishPredicate(I, P);
  }
  if (From == 0 || To == 0 || (From > 1 && To > From) || To > 2)
    return fail("a truncation");
  if (From > 1) {
    unsigned R = use(X);
    return move(define(I), R, To);
  }
  unsigned Low = useExtended(X, false), D = define(I);
  move(D, Low, 1);
  if (To == 2)
    moveBits(D + 1, 1, 0);
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

/// Takes out, or puts in, an element of 8 or 16 bits.
void Selector::selectPartOfWord(const Instruction &I, unsigned Index) {
  const Value *Vector = I.getOperand(0);
  unsigned Bits = Vector->getType()->getScalarSizeInBits(), PerWord = 32 / Bits;
  unsigned Word = Index / PerWord, At = Index % PerWord;
  if (llvm::isa<ExtractElementInst>(I)) {
    unsigned From = usePart(Vector, Word), D = define(I);
    if (At == 0)
      return move(D, From, 1);
    return W.emit(Heddle::SHR_i, {D, From, int64_t(At * Bits), 0});
  }
  unsigned New = use(I.getOperand(1)), All = sizeOf(&I);
  bool IsUndefined = llvm::isa<UndefValue>(root(Vector));
  unsigned Old = IsUndefined ? unsigned(RegisterFile::Zero) : use(Vector);
  unsigned D = define(I);
  // The selector of PRMT: the old word's bytes, some of them the new value's.
  unsigned Select = 0x3210;
  for (unsigned Byte = 0; Byte != Bits / 8; ++Byte) {
    unsigned Shift = 4 * (At * Bits / 8 + Byte);
    Select = (Select & ~(0xFu << Shift)) | (4 + Byte) << Shift;
  }
  for (unsigned P = 0; P != All; ++P) {
    unsigned From = Old == RegisterFile::Zero ? Old : Old + P;
    if (P == Word)
      W.emit(Heddle::PRMT_i, {D + P, From, int64_t(Select), New, 0});
    else if (!IsUndefined)
      move(D + P, From, 1);
  }
}

bool Selector::selectElements(const Instruction &I) {
  const bool Extracts = llvm::isa<ExtractElementInst>(I);
  if (!Extracts && !llvm::isa<InsertElementInst>(I))
    return false;
  const Value *Vector = I.getOperand(0);
  std::optional<uint64_t> Index = bitsOf(I.getOperand(Extracts ? 1 : 2));
  const Value *Element = Extracts ? &I : I.getOperand(1);
  unsigned Each = sizeOf(Element), All = sizeOf(Vector);
  const auto *T = dyn_cast<FixedVectorType>(Vector->getType());
  if (!Index || !T || Each == 0 || All == 0 || *Index >= T->getNumElements())
    return false;
  if (T->getScalarSizeInBits() < 32)
    return selectPartOfWord(I, *Index), true;
  unsigned Offset = *Index * Each;
  if (Extracts) {
    move(define(I), usePart(Vector, Offset), Each);
    return true;
  }
  unsigned From = use(Element), D = define(I);
  bool IsUndefined = llvm::isa<UndefValue>(root(Vector));
  unsigned Old = IsUndefined ? 0 : use(Vector);
  for (unsigned P = 0; P != All && !IsUndefined; P += Each)
    if (P != Offset)
      move(D + P, Old == RegisterFile::Zero ? Old : Old + P, Each);
  move(D + Offset, From, Each);
  return true;
}

} // namespace heddle::singlepass
