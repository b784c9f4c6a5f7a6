//===- IntegerCalls.cpp - Intrinsics of integers ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Extremes, bits, sums with carries, and operations on the elements of words.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::singlepass {

static constexpr unsigned Zero = RegisterFile::Zero, True = 7;

/// Extremes: whether it is the larger, and whether numbers have signs.
static std::optional<std::pair<bool, bool>> extremeOf(unsigned ID) {
  switch (ID) {
  case Intrinsic::smin:
    return {{false, true}};
  case Intrinsic::smax:
    return {{true, true}};
  case Intrinsic::umin:
    return {{false, false}};
  case Intrinsic::umax:
    return {{true, false}};
  default:
    return std::nullopt;
  }
}

bool Selector::selectIntegerCall(const CallInst &I) {
  if (I.getType()->isStructTy())
    return selectOverflow(I);
  if (isPairOfShorts(I.getType()))
    return selectElementCall(I);
  if (!I.getType()->isIntegerTy() || isPredicate(I.getType()))
    return false;
  unsigned Size = sizeOf(&I);
  if (auto Extreme = extremeOf(I.getIntrinsicID())) {
    const Value *X = I.getArgOperand(0), *Y = I.getArgOperand(1);
    if (Size > 2)
      return false;
    unsigned A = useExtended(X, Extreme->second);
    Second S{Heddle::IMNMX_r, 0};
    if (I.getType()->getIntegerBitWidth() < 32)
      S.Value = useExtended(Y, Extreme->second);
    else
      S = Size == 1 ? second(Y, Heddle::IMNMX_r, Heddle::IMNMX_i)
                    : second(Y, Heddle::IMNMX64_r, Heddle::IMNMX64_i);
    W.emit(S.Opcode, {define(I), A, S.Value, Extreme->first, Extreme->second});
    return true;
  }
  if (selectSaturated(I))
    return true;
  if (I.arg_size() == 0)
    return false;
  if (Size == 2)
    return selectLongCall(I);
  return Size == 1 && (selectBits(I) || selectBytes(I));
}

/// Operations on the bits of one word.
bool Selector::selectBits(const CallInst &I) {
  constexpr unsigned Word = 32;
  const Value *X = I.getArgOperand(0);
  if (!X->getType()->isIntegerTy() || isPredicate(X->getType()) ||
      sizeOf(X) != 1)
    return false;
  unsigned Width = X->getType()->getIntegerBitWidth();
  switch (I.getIntrinsicID()) {
  case Intrinsic::abs: {
    unsigned R = useExtended(X, true);
    W.emit(Heddle::IABS_r, {define(I), R});
    return true;
  }
  case Intrinsic::ctpop: {
    unsigned R = useExtended(X, false);
    W.emit(Heddle::POPC_r, {define(I), R});
    return true;
  }
  case Intrinsic::ctlz: {
    unsigned R = useExtended(X, false), D = define(I);
    W.emit(Heddle::FLO_r, {D, R, isa::FloMode::LeadingZeros, 0});
    if (Width < Word)
      W.emit(Heddle::IADD3_i, {D, D, 0, int64_t(Width) - Word, 0, Zero, 0});
    return true;
  }
  case Intrinsic::bitreverse: {
    unsigned R = use(X), D = define(I);
    W.emit(Heddle::BREV_r, {D, R});
    if (Width < Word)
      W.emit(Heddle::SHR_i, {D, D, int64_t(Word - Width), 0});
    return true;
  }
  case Intrinsic::cttz: {
    if (Width != Word)
      return false;
    unsigned R = use(X), D = define(I);
    W.emit(Heddle::BREV_r, {D, R});
    W.emit(Heddle::FLO_r, {D, D, isa::FloMode::LeadingZeros, 0});
    return true;
  }
  case Intrinsic::bswap: {
    unsigned R = use(X);
    W.emit(Heddle::PRMT_i,
           {define(I), R, Width == Word ? 0x0123 : 0x4401, Zero, 0});
    return Width == Word || Width == Word / 2;
  }
  default:
    return false;
  }
}

/// The mode of PRMT.
static std::optional<unsigned> permutationOf(unsigned ID) {
  switch (ID) {
  case Intrinsic::nvvm_prmt:
    return 0;
  case Intrinsic::nvvm_prmt_f4e:
    return 1;
  case Intrinsic::nvvm_prmt_b4e:
    return 2;
  case Intrinsic::nvvm_prmt_rc8:
    return 3;
  case Intrinsic::nvvm_prmt_ecl:
    return 4;
  case Intrinsic::nvvm_prmt_ecr:
    return 5;
  case Intrinsic::nvvm_prmt_rc16:
    return 6;
  default:
    return std::nullopt;
  }
}

/// Funnel shifts, permutations, products of bytes.
bool Selector::selectBytes(const CallInst &I) {
  if (!I.getType()->isIntegerTy(32))
    return false;
  unsigned ID = I.getIntrinsicID();
  auto Arg = [&](unsigned N) { return use(I.getArgOperand(N)); };
  if (auto Mode = permutationOf(ID)) {
    bool HasTwo = *Mode < 3;
    unsigned Low = Arg(0), High = HasTwo ? Arg(1) : Zero;
    Second S =
        second(I.getArgOperand(HasTwo ? 2 : 1), Heddle::PRMT_r, Heddle::PRMT_i);
    W.emit(S.Opcode, {define(I), Low, S.Value, High, *Mode});
    return true;
  }
  switch (ID) {
  case Intrinsic::fshl:
  case Intrinsic::fshr:
  case Intrinsic::nvvm_fshl_clamp:
  case Intrinsic::nvvm_fshr_clamp: {
    bool IsLeft = ID == Intrinsic::fshl || ID == Intrinsic::nvvm_fshl_clamp;
    bool Wraps = ID == Intrinsic::fshl || ID == Intrinsic::fshr;
    unsigned High = Arg(0), Low = Arg(1);
    Second S = IsLeft
                   ? second(I.getArgOperand(2), Heddle::FSHL_r, Heddle::FSHL_i)
                   : second(I.getArgOperand(2), Heddle::FSHR_r, Heddle::FSHR_i);
    W.emit(S.Opcode, {define(I), Low, S.Value, High, Wraps});
    return true;
  }
  case Intrinsic::nvvm_mulhi_i:
  case Intrinsic::nvvm_mulhi_ui: {
    unsigned A = Arg(0), B = Arg(1);
    W.emit(Heddle::IMADHI_r,
           {define(I), A, B, Zero, ID == Intrinsic::nvvm_mulhi_i});
    return true;
  }
  case Intrinsic::nvvm_sad_i:
  case Intrinsic::nvvm_sad_ui: {
    unsigned A = Arg(0), B = Arg(1), C = Arg(2);
    W.emit(Heddle::ISAD_r, {define(I), A, B, C, ID == Intrinsic::nvvm_sad_i});
    return true;
  }
  default:
    return selectDotProduct(I);
  }
}

bool Selector::selectDotProduct(const CallInst &I) {
  unsigned ID = I.getIntrinsicID();
  bool OfBytes = true, SignedA, SignedB;
  switch (ID) {
  case Intrinsic::nvvm_idp2a_s_s:
  case Intrinsic::nvvm_idp2a_s_u:
  case Intrinsic::nvvm_idp2a_u_s:
  case Intrinsic::nvvm_idp2a_u_u:
    OfBytes = false;
    SignedA =
        ID == Intrinsic::nvvm_idp2a_s_s || ID == Intrinsic::nvvm_idp2a_s_u;
    SignedB =
        ID == Intrinsic::nvvm_idp2a_s_s || ID == Intrinsic::nvvm_idp2a_u_s;
    break;
  case Intrinsic::nvvm_idp4a_s_s:
  case Intrinsic::nvvm_idp4a_s_u:
  case Intrinsic::nvvm_idp4a_u_s:
  case Intrinsic::nvvm_idp4a_u_u:
    SignedA =
        ID == Intrinsic::nvvm_idp4a_s_s || ID == Intrinsic::nvvm_idp4a_s_u;
    SignedB =
        ID == Intrinsic::nvvm_idp4a_s_s || ID == Intrinsic::nvvm_idp4a_u_s;
    break;
  default:
    return false;
  }
  unsigned A = use(I.getArgOperand(0)), B = use(I.getArgOperand(1));
  unsigned C = use(I.getArgOperand(OfBytes ? 2 : 3));
  if (OfBytes) {
    W.emit(Heddle::DP4A_r, {define(I), A, B, C, SignedA, SignedB});
    return true;
  }
  std::optional<uint64_t> IsHigh = bitsOf(I.getArgOperand(2));
  if (!IsHigh)
    return false;
  W.emit(Heddle::DP2A_r,
         {define(I), A, B, C, int64_t(*IsHigh & 1), SignedA, SignedB});
  return true;
}

//===----------------------------------------------------------------------===//
// Two words
//===----------------------------------------------------------------------===//

/// Whether a value of 64 bits is negative.
void Selector::testNegative(unsigned P, unsigned R) {
  W.emit(Heddle::ISETP64_r,
         {P, R, Zero, isa::CmpI::Less, 1, isa::BoolOp::And, True, 0});
}

bool Selector::selectLongCall(const CallInst &I) {
  const Value *V = I.getArgOperand(0);
  if (!I.getType()->isIntegerTy(64) || V->getType() != I.getType())
    return false;
  unsigned ID = I.getIntrinsicID();
  switch (ID) {
  case Intrinsic::abs:
  case Intrinsic::ctpop:
  case Intrinsic::ctlz:
  case Intrinsic::bitreverse:
  case Intrinsic::bswap:
    break;
  default:
    return false;
  }
  unsigned X = use(V), High = X == Zero ? Zero : X + 1, D = define(I);
  switch (ID) {
  case Intrinsic::abs: {
    unsigned P = scratchPredicate(), Negated = temporary(2);
    testNegative(P, X);
    W.emit(Heddle::IADD64_i, {Negated, X, 1, 0, 0});
    W.emit(Heddle::SEL64_r, {D, Negated, X, P, 0});
    return true;
  }
  case Intrinsic::ctpop: {
    W.emit(Heddle::POPC_r, {D, X});
    W.emit(Heddle::POPC_r, {D + 1, High});
    W.emit(Heddle::IADD3_r, {D, D, 0, D + 1, 0, Zero, 0});
    moveBits(D + 1, 1, 0);
    return true;
  }
  case Intrinsic::ctlz: {
    constexpr int64_t Word = 32;
    unsigned P = scratchPredicate();
    W.emit(Heddle::FLO_r, {D, X, isa::FloMode::LeadingZeros, 0});
    W.emit(Heddle::FLO_r, {D + 1, High, isa::FloMode::LeadingZeros, 0});
    W.emit(Heddle::IADD3_i, {D, D, 0, Word, 0, Zero, 0});
    W.emit(Heddle::ISETP_i,
           {P, High, 0, isa::CmpI::Equal, 0, isa::BoolOp::And, True, 0});
    W.emit(Heddle::SEL_r, {D, D, D + 1, P, 0});
    moveBits(D + 1, 1, 0);
    return true;
  }
  case Intrinsic::bitreverse:
    W.emit(Heddle::BREV_r, {D, High});
    W.emit(Heddle::BREV_r, {D + 1, X});
    return true;
  default:
    W.emit(Heddle::PRMT_i, {D, High, 0x0123, Zero, 0});
    W.emit(Heddle::PRMT_i, {D + 1, X, 0x0123, Zero, 0});
    return true;
  }
}

//===----------------------------------------------------------------------===//
// Sums with carries
//===----------------------------------------------------------------------===//

/// Without signs: the carry is whether the sum is less than a summand, or the
/// minuend than the subtrahend.
bool Selector::selectOverflow(const CallInst &I) {
  unsigned ID = I.getIntrinsicID();
  bool Subtracts = ID == Intrinsic::usub_with_overflow;
  if (!Subtracts && ID != Intrinsic::uadd_with_overflow)
    return false;
  const Value *VX = I.getArgOperand(0), *VY = I.getArgOperand(1);
  if (!VX->getType()->isIntegerTy() || isPredicate(VX->getType()))
    return false;
  unsigned Width = VX->getType()->getIntegerBitWidth();
  if (Width != 64 && Width > 32)
    return false;
  bool IsLong = Width == 64;
  unsigned X = useExtended(VX, false), Y = useExtended(VY, false);
  unsigned D = defineResult(I, 0, IsLong ? 2 : 1);
  if (D == Zero)
    D = temporary(IsLong ? 2 : 1);
  unsigned P = definePredicateResult(I, 1);
  auto IsLess = [&](unsigned A, unsigned B) {
    W.emit(IsLong ? Heddle::ISETP64_r : Heddle::ISETP_r,
           {P, A, B, isa::CmpI::Less, 0, isa::BoolOp::And, True, 0});
  };
  if (Subtracts)
    IsLess(X, Y);
  if (IsLong)
    W.emit(Heddle::IADD64_r, {D, X, 0, Y, Subtracts});
  else
    W.emit(Heddle::IADD3_r, {D, X, 0, Y, Subtracts, Zero, 0});
  if (!Subtracts && Width < 32)
    W.emit(Heddle::ISETP_i, {P, D, int64_t(1) << Width, isa::CmpI::GreaterEqual,
                             0, isa::BoolOp::And, True, 0});
  else if (!Subtracts)
    IsLess(D, X);
  finishPredicateResult(I, 1, P);
  return true;
}

/// The operation of VALU: its number, and whether numbers have signs.
static std::optional<std::pair<isa::ElementOp, bool>>
elementOperation(unsigned ID) {
  using isa::ElementOp;
  switch (ID) {
  case Intrinsic::sadd_sat:
    return {{ElementOp::Add, true}};
  case Intrinsic::uadd_sat:
    return {{ElementOp::Add, false}};
  case Intrinsic::ssub_sat:
    return {{ElementOp::Subtract, true}};
  case Intrinsic::usub_sat:
    return {{ElementOp::Subtract, false}};
  case Intrinsic::smin:
    return {{ElementOp::Min, true}};
  case Intrinsic::smax:
    return {{ElementOp::Max, true}};
  case Intrinsic::umin:
    return {{ElementOp::Min, false}};
  case Intrinsic::umax:
    return {{ElementOp::Max, false}};
  default:
    return std::nullopt;
  }
}

void Selector::emitElements(unsigned D, unsigned X, unsigned Y,
                            isa::ElementOp Op, unsigned Type, bool Saturates) {
  W.emit(Heddle::VALU_r,
         {D, X, Y, Zero, Op, Type, Saturates, isa::ElementThen::Nothing, 0});
}

bool Selector::selectSaturated(const CallInst &I) {
  unsigned ID = I.getIntrinsicID();
  bool Saturates = ID == Intrinsic::sadd_sat || ID == Intrinsic::uadd_sat ||
                   ID == Intrinsic::ssub_sat || ID == Intrinsic::usub_sat;
  auto Op = elementOperation(ID);
  if (!Saturates || !I.getType()->isIntegerTy(32))
    return false;
  unsigned X = use(I.getArgOperand(0)), Y = use(I.getArgOperand(1));
  emitElements(define(I), X, Y, Op->first, Op->second, true);
  return true;
}

/// Of two integers of 16 bits.
bool Selector::selectElementCall(const CallInst &I) {
  constexpr unsigned Shorts = 2;
  unsigned ID = I.getIntrinsicID();
  auto Op = elementOperation(ID);
  if (!Op)
    return false;
  bool Saturates =
      Op->first == isa::ElementOp::Add || Op->first == isa::ElementOp::Subtract;
  unsigned X = use(I.getArgOperand(0)), Y = use(I.getArgOperand(1));
  emitElements(define(I), X, Y, Op->first, Shorts | Op->second, Saturates);
  return true;
}

} // namespace heddle::singlepass
