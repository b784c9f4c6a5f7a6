//===- Calls.cpp - Intrinsics that compute ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Intrinsics of integers and floating-point numbers, and special registers.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::singlepass {

bool Selector::selectCall(const CallInst &I) {
  if (isCallOfCode(I))
    return selectFunctionCall(I);
  const Function *Callee = I.getCalledFunction();
  if (!Callee)
    return false;
  if (!Callee->isIntrinsic())
    return selectBuiltin(I) || selectMemoryBuiltin(I);
  if (cast<IntrinsicInst>(I).isAssumeLikeIntrinsic())
    return true;
  return selectStackPointer(I) || selectIntegerCall(I) || selectFloatCall(I) ||
         selectSpecialRegister(I) || selectThreads(I);
}

//===----------------------------------------------------------------------===//
// Floating-point numbers
//===----------------------------------------------------------------------===//

static bool isHalf(const Type *T) {
  return T->getScalarType()->isHalfTy() || T->getScalarType()->isBFloatTy();
}

/// The modifiers in the name of an NVVM intrinsic: llvm.nvvm.fma.rn.ftz.f.
struct NVVMName {
  StringRef Operation, Type;
  std::optional<unsigned> Rounding;
  bool Flushes = false, Saturates = false, IsApproximate = false;
  bool Relu = false, NaNWins = false, IsXorSign = false, IsAbsolute = false;
  bool IsKnown = true;

  explicit NVVMName(StringRef Name) {
    if (!Name.consume_front("llvm.nvvm.")) {
      IsKnown = false;
      return;
    }
    SmallVector<StringRef, 6> Parts;
    Name.split(Parts, '.');
    Operation = Parts[0];
    for (StringRef P : drop_begin(Parts))
      take(P);
  }

private:
  void take(StringRef P) {
    constexpr StringRef Modes[] = {"rn", "rz", "rm", "rp"};
    if (const auto *Mode = find(Modes, P); Mode != std::end(Modes))
      Rounding = Mode - std::begin(Modes);
    else if (P == "ftz")
      Flushes = true;
    else if (P == "sat")
      Saturates = true;
    else if (P == "approx")
      IsApproximate = true;
    else if (P == "relu")
      Relu = true;
    else if (P == "nan")
      NaNWins = true;
    else if (P == "xorsign")
      IsXorSign = true;
    else if (P == "abs")
      IsAbsolute = true;
    else if (P == "f" || P == "d" || P == "f32" || P == "f16" || P == "f16x2" ||
             P == "bf16" || P == "bf16x2")
      Type = P;
    else
      IsKnown = false;
  }
};

static std::optional<isa::MufuFn> approximationOf(StringRef Operation) {
  return StringSwitch<std::optional<isa::MufuFn>>(Operation)
      .Case("rsqrt", isa::MufuFn::ReciprocalRoot)
      .Case("sqrt", isa::MufuFn::Root)
      .Case("lg2", isa::MufuFn::Log2)
      .Case("ex2", isa::MufuFn::Exp2)
      .Case("sin", isa::MufuFn::Sin)
      .Case("cos", isa::MufuFn::Cos)
      .Case("rcp", isa::MufuFn::Reciprocal)
      .Default(std::nullopt);
}

/// Products and sums of halves, and conversions to them.
bool Selector::selectNVVMHalf(const CallInst &I, const NVVMName &Name) {
  const Type *T = I.getType();
  if (isHalf(T) && Name.Operation == "fma" && Name.Rounding == 0u)
    return selectFusedMultiply(I, 0, Name.Flushes, Name.Saturates, Name.Relu),
           true;
  if (Name.Operation == "ff2f16x2" || Name.Operation == "ff2bf16x2") {
    unsigned High = use(I.getArgOperand(0)), Low = use(I.getArgOperand(1));
    W.emit(Heddle::F2FP_r,
           {define(I), High, Low,
            Name.Operation == "ff2f16x2" ? isa::FType::F16 : isa::FType::BF16,
            Name.Rounding.value_or(0), Name.Relu, 0});
    return true;
  }
  if (Name.Operation == "f2f16" || Name.Operation == "f2bf16") {
    unsigned X = use(I.getArgOperand(0));
    W.emit(Heddle::F2F,
           {define(I), X, 0,
            Name.Operation == "f2f16" ? isa::FType::F16 : isa::FType::BF16,
            isa::FType::F32, Name.Rounding.value_or(0), 0, 0, Name.Relu});
    return true;
  }
  return false;
}

bool Selector::selectNVVMFloat(const CallInst &I) {
  NVVMName Name(I.getCalledFunction()->getName());
  if (!Name.IsKnown)
    return false;
  const Type *T = I.getType();
  if (Name.Operation == "fmin" || Name.Operation == "fmax")
    return selectExtreme(I, Name.Operation == "fmax", Name.NaNWins,
                         Name.IsXorSign && Name.IsAbsolute, Name.Flushes);
  if (Name.NaNWins || Name.IsXorSign || Name.IsAbsolute)
    return false;
  if (Name.Operation == "saturate" && T->isFloatTy()) {
    unsigned X = use(I.getArgOperand(0));
    W.emit(Heddle::FADD_i,
           {define(I), X, 0, int64_t(0x80000000), 0, 0, Name.Flushes, 1});
    return true;
  }
  if (selectNVVMHalf(I, Name))
    return true;
  if (Name.Relu)
    return false;
  if (Name.IsApproximate) {
    auto Function = approximationOf(Name.Operation);
    // What rcp.approx does without flushing is a builtin.
    if (!Function || !T->isFloatTy() || Name.Rounding ||
        (Name.Operation == "rcp" && !Name.Flushes))
      return false;
    unsigned X = use(I.getArgOperand(0));
    W.emit(Heddle::MUFU, {define(I), X, 0, *Function, Name.Flushes});
    return true;
  }
  if (!Name.Rounding || (!T->isFloatTy() && !T->isDoubleTy()))
    return selectNVVMConversion(I, Name.Operation, Name.Rounding, Name.Flushes);
  if (Name.Operation == "fma")
    return selectFusedMultiply(I, *Name.Rounding, Name.Flushes, Name.Saturates),
           true;
  bool IsSum = Name.Operation == "add";
  if (!IsSum && Name.Operation != "mul")
    return selectNVVMConversion(I, Name.Operation, Name.Rounding, Name.Flushes);
  unsigned A = use(I.getArgOperand(0)), B = use(I.getArgOperand(1));
  if (T->isFloatTy())
    W.emit(
        IsSum ? Heddle::FADD_r : Heddle::FMUL_r,
        {define(I), A, 0, B, 0, *Name.Rounding, Name.Flushes, Name.Saturates});
  else
    W.emit(IsSum ? Heddle::DADD_r : Heddle::DMUL_r,
           {define(I), A, 0, B, 0, *Name.Rounding});
  return true;
}

/// llvm.nvvm.f2i.rn and so on: the letters name the types.
bool Selector::selectNVVMConversion(const CallInst &I, StringRef Operation,
                                    std::optional<unsigned> Rounding,
                                    bool Flushes) {
  auto [From, To] = Operation.split('2');
  auto IsInteger = [](StringRef Name) {
    return Name == "i" || Name == "ui" || Name == "ll" || Name == "ull";
  };
  if (!Rounding || I.arg_size() != 1)
    return false;
  bool FromFloat = From == "f", FromDouble = From == "d";
  if ((FromFloat || FromDouble) && IsInteger(To)) {
    bool Signed = To[0] != 'u', IsWide = To.ends_with("ll");
    unsigned X = use(I.getArgOperand(0)), D = define(I);
    if (FromDouble)
      W.emit(IsWide ? Heddle::D2I64 : Heddle::D2I,
             {D, X, 0, Signed, *Rounding});
    else
      W.emit(IsWide ? Heddle::F2I64 : Heddle::F2I,
             {D, X, 0, Signed, isa::FType::F32, *Rounding, Flushes});
    return true;
  }
  if (IsInteger(From) && (To == "f" || To == "d"))
    return toFloat(I, From[0] != 'u', *Rounding), true;
  if (FromDouble && To == "f") {
    unsigned X = use(I.getArgOperand(0));
    W.emit(Heddle::D2F,
           {define(I), X, 0, isa::FType::F32, *Rounding, Flushes, 0});
    return true;
  }
  return false;
}

/// Extremes: whether it is the larger, and whether a NaN wins.
static std::optional<std::pair<bool, bool>> floatExtremeOf(unsigned ID) {
  switch (ID) {
  case Intrinsic::minnum:
  case Intrinsic::minimumnum:
    return {{false, false}};
  case Intrinsic::maxnum:
  case Intrinsic::maximumnum:
    return {{true, false}};
  case Intrinsic::minimum:
    return {{false, true}};
  case Intrinsic::maximum:
    return {{true, true}};
  default:
    return std::nullopt;
  }
}

/// The number of RintMode.
static std::optional<unsigned> integralOf(unsigned ID) {
  switch (ID) {
  case Intrinsic::roundeven:
  case Intrinsic::rint:
  case Intrinsic::nearbyint:
    return 0;
  case Intrinsic::trunc:
    return 1;
  case Intrinsic::floor:
    return 2;
  case Intrinsic::ceil:
    return 3;
  default:
    return std::nullopt;
  }
}

bool Selector::selectExtreme(const CallInst &I, bool IsMax, bool NaNWins,
                             bool IsXorSign, bool Flushes) {
  const Type *T = I.getType();
  bool IsDouble = T->isDoubleTy();
  if (sizeOf(&I) != (IsDouble ? 2u : 1u) ||
      (IsDouble && (NaNWins || IsXorSign || Flushes)) ||
      (!T->isFloatTy() && !IsDouble && !isHalf(T)))
    return false;
  unsigned A = use(I.getArgOperand(0)), B = use(I.getArgOperand(1)),
           D = define(I);
  if (IsDouble)
    W.emit(Heddle::DMNMX_r, {D, A, 0, B, 0, IsMax});
  else if (T->isFloatTy())
    W.emit(Heddle::FMNMX_r,
           {D, A, 0, B, 0, IsMax, NaNWins, IsXorSign, Flushes});
  else
    W.emit(Heddle::HMNMX2_r, {D, A, 0, B, 0, T->getScalarType()->isBFloatTy(),
                              IsMax, NaNWins, IsXorSign, Flushes});
  return true;
}

/// One value's sign and the other's rest, by a mask.
bool Selector::selectCopySign(const CallInst &I) {
  constexpr unsigned SignOfThird = 0xB8;
  const Value *Of = I.getArgOperand(1);
  const Type *T = I.getType();
  bool IsDouble = T->isDoubleTy();
  if ((!IsDouble && !T->isFloatTy()) || Of->getType() != T)
    return false;
  unsigned X = use(I.getArgOperand(0)), Y = use(Of), D = define(I);
  auto High = [&](unsigned R) {
    return IsDouble && R != RegisterFile::Zero ? R + 1 : R;
  };
  if (IsDouble)
    move(D, X, 1);
  W.emit(Heddle::LOP3_i,
         {High(D), High(X), int64_t(0x80000000), High(Y), SignOfThird});
  return true;
}

namespace {
/// What the high words of numbers without their signs are between, shifted so
/// that the bits of singles and doubles are as many.
struct FloatClass {
  uint64_t Mask;
  int64_t First, Behind;
};
} // namespace

/// The classes in the order of the numbers' bits without signs.
static std::array<FloatClass, 5> floatClasses(bool IsDouble) {
  int64_t Normal = IsDouble ? int64_t(1) << 52 : 0x00800000,
          Infinity = IsDouble ? 0x7FF0000000000000 : 0x7F800000,
          Last = IsDouble ? INT64_MAX : 0x7FFFFFFF;
  return {{{fcZero, 0, 1},
           {fcSubnormal, 1, Normal},
           {fcNormal, Normal, Infinity},
           {fcInf, Infinity, Infinity + 1},
           {fcNan, Infinity + 1, Last}}};
}

/// Whether a number is in one of some classes, of either sign.
bool Selector::selectClassTest(const CallInst &I) {
  constexpr unsigned True = 7;
  const Value *V = I.getArgOperand(0);
  std::optional<uint64_t> Mask = bitsOf(I.getArgOperand(1));
  bool IsDouble = V->getType()->isDoubleTy();
  if ((!V->getType()->isFloatTy() && !IsDouble) || !Mask)
    return false;
  auto Classes = floatClasses(IsDouble);
  for (const FloatClass &C : Classes)
    if ((*Mask & C.Mask) != 0 && (*Mask & C.Mask) != C.Mask)
      return false; // one sign alone
  unsigned Size = IsDouble ? 2 : 1, X = use(V);
  unsigned Bits = temporary(Size), From = temporary(Size), To = temporary(Size);
  if (IsDouble)
    move(Bits, X, 1);
  logic(Bits + Size - 1, X == RegisterFile::Zero ? X : X + Size - 1,
        int64_t(0x7FFFFFFF), true, lut::And);
  unsigned P = definePredicate(I);
  bool IsFirst = true;
  for (const FloatClass &C : Classes) {
    if (!(*Mask & C.Mask))
      continue;
    moveBits(From, Size, uint64_t(-C.First));
    moveBits(To, Size, uint64_t(C.Behind - C.First));
    if (IsDouble)
      W.emit(Heddle::IADD64_r, {From, Bits, 0, From, 0});
    else
      W.emit(Heddle::IADD3_r, {From, Bits, 0, From, 0, RegisterFile::Zero, 0});
    // The last number is a NaN.
    W.emit(IsDouble ? Heddle::ISETP64_r : Heddle::ISETP_r,
           {P, From, To,
            C.Mask == fcNan ? isa::CmpI::LessEqual : isa::CmpI::Less, 0,
            IsFirst ? isa::BoolOp::And : isa::BoolOp::Or, IsFirst ? True : P,
            0});
    IsFirst = false;
  }
  if (IsFirst)
    movePredicate(P, {True, true});
  finishPredicate(I, P);
  return true;
}

/// Halves through single precision.
bool Selector::selectIntegral(const CallInst &I, unsigned Mode) {
  const Type *T = I.getType();
  if (T->isVectorTy() || (!T->isFloatTy() && !T->isDoubleTy() && !isHalf(T)))
    return false;
  unsigned X = use(I.getArgOperand(0)), D = define(I);
  if (T->isDoubleTy()) {
    W.emit(Heddle::DRND, {D, X, 0, Mode, 0});
    return true;
  }
  if (T->isFloatTy()) {
    W.emit(Heddle::FRND, {D, X, 0, Mode, 0, 0});
    return true;
  }
  auto Half = T->isBFloatTy() ? isa::FType::BF16 : isa::FType::F16;
  W.emit(Heddle::F2F, {D, X, 0, isa::FType::F32, Half, 0, 0, 0, 0});
  W.emit(Heddle::FRND, {D, D, 0, Mode, 0, 0});
  W.emit(Heddle::F2F, {D, D, 0, Half, isa::FType::F32, 0, 0, 0, 0});
  return true;
}

bool Selector::selectFloatCall(const CallInst &I) {
  const Type *T = I.getType();
  unsigned ID = I.getIntrinsicID();
  bool IsDouble = T->isDoubleTy(), IsSingle = T->isFloatTy();
  if (ID == Intrinsic::fma)
    return selectFusedMultiply(I, 0, false, false), true;
  if (ID == Intrinsic::fabs)
    return selectNegation(I, I.getArgOperand(0), /*Absolute=*/true), true;
  if (ID == Intrinsic::fptosi_sat || ID == Intrinsic::fptoui_sat) {
    if (!T->isIntegerTy(32) && !T->isIntegerTy(64))
      return false;
    constexpr unsigned ToZero = 1;
    // In 64 bits a NaN is not zero.
    if (!T->isIntegerTy(32))
      return false;
    return toInteger(I, ID == Intrinsic::fptosi_sat, ToZero), true;
  }
  if (auto Extreme = floatExtremeOf(ID))
    return selectExtreme(I, Extreme->first, Extreme->second, false, false);
  if (auto Mode = integralOf(ID))
    return selectIntegral(I, *Mode);
  if (ID == Intrinsic::is_fpclass)
    return selectClassTest(I);
  if (ID == Intrinsic::copysign)
    return selectCopySign(I);
  if (!IsDouble && !IsSingle)
    return selectNVVMFloat(I);
  return selectNVVMFloat(I);
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

bool Selector::selectSpecialRegister(const CallInst &I) {
  StringRef Name = I.getCalledFunction()->getName();
  if (!Name.consume_front("llvm.nvvm.read.ptx.sreg."))
    return false;
  if (Name == "warpsize")
    return moveBits(define(I), 1, 32), true;
  for (const isa::SpecialRegisterInfo &R : isa::specialRegisters()) {
    if (Name != StringRef(R.Intrinsic.data(), R.Intrinsic.size()) ||
        (R.Wide ? 2u : 1u) != sizeOf(&I))
      continue;
    W.emit(R.Wide ? Heddle::S2R64 : Heddle::S2R, {define(I), R.Number});
    return true;
  }
  return false;
}

} // namespace heddle::singlepass
