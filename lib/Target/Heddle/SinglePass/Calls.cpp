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
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace heddle::singlepass {

bool Selector::selectCall(const CallInst &I) {
  const Function *Callee = I.getCalledFunction();
  if (!Callee)
    return false;
  if (!Callee->isIntrinsic())
    return selectBuiltin(I);
  if (cast<IntrinsicInst>(I).isAssumeLikeIntrinsic())
    return true;
  return selectIntegerCall(I) || selectFloatCall(I) ||
         selectSpecialRegister(I) || selectThreads(I);
}

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
  if (!I.getType()->isIntegerTy(32) && !I.getType()->isIntegerTy(64))
    return false;
  unsigned ID = I.getIntrinsicID(), Size = sizeOf(&I);
  if (auto Extreme = extremeOf(ID)) {
    unsigned A = use(I.getArgOperand(0));
    Second S =
        Size == 1
            ? second(I.getArgOperand(1), Heddle::IMNMX_r, Heddle::IMNMX_i)
            : second(I.getArgOperand(1), Heddle::IMNMX64_r, Heddle::IMNMX64_i);
    W.emit(S.Opcode, {define(I), A, S.Value, Extreme->first, Extreme->second});
    return true;
  }
  if (Size != 1 || I.arg_size() == 0 || sizeOf(I.getArgOperand(0)) != 1)
    return false;
  auto Arg = [&](unsigned N) { return use(I.getArgOperand(N)); };
  constexpr unsigned Zero = RegisterFile::Zero;
  switch (ID) {
  case Intrinsic::abs:
    W.emit(Heddle::IABS_r, {define(I), Arg(0)});
    return true;
  case Intrinsic::ctpop:
    W.emit(Heddle::POPC_r, {define(I), Arg(0)});
    return true;
  case Intrinsic::ctlz:
    W.emit(Heddle::FLO_r, {define(I), Arg(0), isa::FloMode::LeadingZeros, 0});
    return true;
  case Intrinsic::bitreverse:
    W.emit(Heddle::BREV_r, {define(I), Arg(0)});
    return true;
  case Intrinsic::bswap:
    W.emit(Heddle::PRMT_i, {define(I), Arg(0), 0x0123, Zero, 0});
    return true;
  case Intrinsic::fshl:
  case Intrinsic::fshr: {
    unsigned High = Arg(0), Low = Arg(1);
    bool IsLeft = ID == Intrinsic::fshl;
    Second S = IsLeft
                   ? second(I.getArgOperand(2), Heddle::FSHL_r, Heddle::FSHL_i)
                   : second(I.getArgOperand(2), Heddle::FSHR_r, Heddle::FSHR_i);
    W.emit(S.Opcode, {define(I), Low, S.Value, High, /*Wraps=*/1});
    return true;
  }
  case Intrinsic::nvvm_prmt: {
    unsigned Low = Arg(0), High = Arg(1);
    Second S = second(I.getArgOperand(2), Heddle::PRMT_r, Heddle::PRMT_i);
    W.emit(S.Opcode, {define(I), Low, S.Value, High, 0});
    return true;
  }
  case Intrinsic::nvvm_idp4a_s_s:
  case Intrinsic::nvvm_idp4a_u_u: {
    bool IsSigned = ID == Intrinsic::nvvm_idp4a_s_s;
    unsigned A = Arg(0), B = Arg(1), C = Arg(2);
    W.emit(Heddle::DP4A_r, {define(I), A, B, C, IsSigned, IsSigned});
    return true;
  }
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// Floating-point numbers
//===----------------------------------------------------------------------===//

/// The modifiers in the name of an NVVM intrinsic: llvm.nvvm.fma.rn.ftz.f.
namespace {
struct NVVMName {
  StringRef Operation, Type;
  std::optional<unsigned> Rounding;
  bool Flushes = false, Saturates = false, IsApproximate = false;
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
    else if (P == "f" || P == "d" || P == "f32")
      Type = P;
    else
      IsKnown = false;
  }
};
} // namespace

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

bool Selector::selectNVVMFloat(const CallInst &I) {
  NVVMName Name(I.getCalledFunction()->getName());
  if (!Name.IsKnown)
    return false;
  const Type *T = I.getType();
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
  if (!IsDouble && !IsSingle)
    return selectNVVMFloat(I);
  if (auto Extreme = floatExtremeOf(ID)) {
    unsigned A = use(I.getArgOperand(0)), B = use(I.getArgOperand(1));
    if (IsSingle)
      W.emit(Heddle::FMNMX_r,
             {define(I), A, 0, B, 0, Extreme->first, Extreme->second, 0, 0});
    else if (!Extreme->second)
      W.emit(Heddle::DMNMX_r, {define(I), A, 0, B, 0, Extreme->first});
    else
      return false;
    return true;
  }
  if (auto Mode = integralOf(ID)) {
    unsigned X = use(I.getArgOperand(0));
    if (IsSingle)
      W.emit(Heddle::FRND, {define(I), X, 0, *Mode, 0, 0});
    else
      W.emit(Heddle::DRND, {define(I), X, 0, *Mode, 0});
    return true;
  }
  if (ID == Intrinsic::copysign && IsSingle &&
      I.getArgOperand(1)->getType()->isFloatTy()) {
    constexpr unsigned SignOfThird = 0xB8;
    unsigned X = use(I.getArgOperand(0)), Sign = use(I.getArgOperand(1));
    W.emit(Heddle::LOP3_i,
           {define(I), X, int64_t(0x80000000), Sign, SignOfThird});
    return true;
  }
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
