//===- Builtins.cpp - Functions that stand for an instruction ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builtins of heddle/Target/Builtins.def.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "BuiltinKinds.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/ProfileData/Probes.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::singlepass {

namespace {

using Kind = BuiltinKind;

struct Builtin {
  Kind K;
  unsigned Opcode;
};

std::optional<Builtin> builtinNamed(StringRef Name) {
  return StringSwitch<std::optional<Builtin>>(Name)
#define HEDDLE_BUILTIN(Name, KIND, INST, Signature)                            \
  .Case("__heddle_" #Name, Builtin{Kind::KIND, Heddle::INST})
#include "heddle/Target/Builtins.def"
      .Default(std::nullopt);
}

} // namespace

bool isCallOfCode(const CallInst &I) {
  if (I.isInlineAsm())
    return false;
  const Function *Callee = I.getCalledFunction();
  if (!Callee || !Callee->isDeclaration())
    return true;
  return !Callee->isIntrinsic() && !builtinNamed(Callee->getName()) &&
         !isMemoryBuiltin(Callee->getName()) &&
         Callee->getName() != pgo::ProbeFunctionName;
}

/// The values of two arguments in a group of registers.
unsigned Selector::group(const Value *First, const Value *Second) {
  unsigned Each = sizeOf(First), To = temporary(2 * Each);
  if (failed())
    return 0;
  move(To, use(First), Each);
  move(To + Each, use(Second), Each);
  return To;
}

/// A step of a division or a square root.
bool Selector::selectQuotientStep(const CallInst &I, unsigned Opcode,
                                  bool Prepares, bool IsRoot) {
  auto Arg = [&](unsigned N) { return I.getArgOperand(N); };
  bool IsDouble = Arg(0)->getType()->isDoubleTy();
  SmallVector<Operand, 8> Ops{0};
  unsigned Sources = IsRoot ? 1 : 2, First = Prepares ? 0 : 2;
  if (!Prepares)
    Ops.push_back(group(Arg(0), Arg(1)));
  for (unsigned N = 0; N != Sources; ++N)
    Ops.push_back(use(Arg(First + N)));
  uint64_t Mode = 0;
  if (!Prepares) {
    std::optional<uint64_t> Bits = bitsOf(Arg(First + Sources));
    if (!Bits)
      return false;
    Mode = *Bits;
    Ops.push_back(int64_t(Mode & 3));
  }
  if (!IsDouble)
    Ops.push_back(int64_t(Mode >> 2 & 1));
  Ops[0] = define(I);
  W.emit(Opcode, Ops);
  return true;
}

/// A position in bits 7..0 and a length in bits 15..8.
Operand Selector::field(const Value *Position, const Value *Length,
                        bool &IsConstant) {
  constexpr unsigned Byte = 255, Insert = 0x0808;
  std::optional<uint64_t> At = bitsOf(Position), Bits = bitsOf(Length);
  IsConstant = At && Bits;
  if (IsConstant)
    return int64_t((*At & Byte) | (*Bits & Byte) << 8);
  unsigned To = temporary(1);
  logic(To, use(Position), Byte, true, lut::And);
  W.emit(Heddle::BFI_i, {To, use(Length), Insert, To});
  return To;
}

bool Selector::selectBitField(const CallInst &I, bool Inserts, bool Signed) {
  unsigned First = Inserts ? 2 : 1;
  bool IsConstant;
  Operand Field =
      field(I.getArgOperand(First), I.getArgOperand(First + 1), IsConstant);
  unsigned X = use(I.getArgOperand(0));
  if (Inserts) {
    unsigned Into = use(I.getArgOperand(1));
    W.emit(IsConstant ? Heddle::BFI_i : Heddle::BFI_r,
           {define(I), X, Field, Into});
  } else {
    W.emit(IsConstant ? Heddle::BFE_i : Heddle::BFE_r,
           {define(I), X, Field, Signed});
  }
  return true;
}

/// Operations whose modifiers are in constants.
bool Selector::selectModeBuiltin(const CallInst &I, BuiltinKind K,
                                 unsigned Opcode) {
  auto Arg = [&](unsigned N) { return use(I.getArgOperand(N)); };
  std::optional<uint64_t> Last = bitsOf(I.getArgOperand(I.arg_size() - 1)),
                          Type = bitsOf(I.getArgOperand(I.arg_size() - 2));
  if (!Last || (!Type && K != Kind::Elements))
    return false;
  auto Field = [&](unsigned Low, unsigned Width) {
    return int64_t(*Last >> Low & ((1u << Width) - 1));
  };
  int64_t Rounding = Field(0, 2), Flushes = Field(2, 1), Relu = Field(3, 1);
  switch (K) {
  case Kind::Elements: {
    unsigned X = Arg(0), Y = Arg(1), Z = Arg(2);
    W.emit(Opcode, {define(I), X, Y, Z, Field(0, 4), Field(4, 3), Field(7, 1),
                    Field(8, 2), Field(10, 1)});
    return true;
  }
  case Kind::Narrow: {
    unsigned X = Arg(0);
    W.emit(Opcode, {define(I), X, 0, int64_t(*Type), isa::FType::F32, Rounding,
                    Flushes, 0, Relu});
    return true;
  }
  case Kind::PackPair: {
    unsigned High = Arg(0), Low = Arg(1);
    W.emit(Opcode, {define(I), High, Low, int64_t(*Type), Rounding, Relu, 0});
    return true;
  }
  default: {
    unsigned X = Arg(0);
    W.emit(Opcode, {define(I), X, isa::FType::F16, int64_t(*Type), Relu});
    return true;
  }
  }
}

bool Selector::selectBuiltin(const CallInst &I) {
  std::optional<Builtin> Found = builtinNamed(I.getCalledFunction()->getName());
  if (!Found)
    return false;
  const Builtin B = *Found;
  auto Arg = [&](unsigned N) { return use(I.getArgOperand(N)); };
  switch (B.K) {
  case Kind::Flush:
  case Kind::Saturate: {
    // Adding -0 changes no number.
    unsigned X = Arg(0);
    W.emit(Heddle::FADD_i, {define(I), X, 0, int64_t(0x80000000), 0, 0,
                            B.K == Kind::Flush, B.K == Kind::Saturate});
    return true;
  }
  case Kind::Tanh:
  case Kind::Reciprocal: {
    unsigned X = Arg(0);
    W.emit(B.Opcode,
           {define(I), X, 0,
            B.K == Kind::Tanh ? isa::MufuFn::Tanh : isa::MufuFn::Reciprocal,
            0});
    return true;
  }
  case Kind::Elements:
  case Kind::Narrow:
  case Kind::PackPair:
  case Kind::UnpackPair:
    return selectModeBuiltin(I, B.K, B.Opcode);
  case Kind::FindLeading:
  case Kind::SignedFindLeading: {
    unsigned X = Arg(0);
    W.emit(B.Opcode, {define(I), X, 0, B.K == Kind::SignedFindLeading});
    return true;
  }
  case Kind::BitField:
  case Kind::SignedBitField:
  case Kind::InsertBits:
    return selectBitField(I, B.K == Kind::InsertBits,
                          B.K == Kind::SignedBitField);
  case Kind::Lop3: {
    std::optional<uint64_t> Lut = bitsOf(I.getArgOperand(3));
    if (!Lut)
      return false;
    unsigned X = Arg(0), Y = Arg(1), Z = Arg(2);
    W.emit(B.Opcode, {define(I), X, Y, Z, int64_t(*Lut & 255)});
    return true;
  }
  case Kind::PrepareDivision:
  case Kind::PrepareRoot:
    return selectQuotientStep(I, B.Opcode, true, B.K == Kind::PrepareRoot);
  case Kind::FixDivision:
  case Kind::FixRoot:
    return selectQuotientStep(I, B.Opcode, false, B.K == Kind::FixRoot);
  default:
    return false;
  }
}

} // namespace heddle::singlepass
