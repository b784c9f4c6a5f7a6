//===- MemoryBuiltins.cpp - Functions that access memory --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The builtins of heddle/Target/MemoryBuiltins.def: a function's parameters are
// the operands of its instruction.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::singlepass {

namespace {

struct MemoryBuiltin {
  unsigned Opcode = 0;
  StringRef Signature;
};

MemoryBuiltin memoryBuiltinNamed(StringRef Name) {
  return StringSwitch<MemoryBuiltin>(Name)
#define HEDDLE_MEMORY_BUILTIN(Name, INST, Signature)                           \
  .Case("__heddle_" #Name, {Heddle::INST, Signature})
#include "heddle/Target/MemoryBuiltins.def"
      .Default({});
}

/// The registers of a type as signatures spell it; 0: there is no result.
unsigned sizeOfSpelled(StringRef Type) {
  return StringSwitch<unsigned>(Type)
      .Case("i32", 1)
      .Case("i64", 2)
      .Case("<4 x i32>", 4)
      .Default(0);
}

} // namespace

bool isMemoryBuiltin(StringRef Name) {
  return memoryBuiltinNamed(Name).Opcode != 0;
}

/// An operand by its parameter; false if the call has no such argument.
bool Selector::addBuiltinOperand(const CallInst &I, StringRef Parameter,
                                 unsigned &NextArg,
                                 SmallVectorImpl<Operand> &Ops) {
  if (Parameter.consume_front("=")) {
    int64_t Value = 0;
    Parameter.getAsInteger(10, Value);
    Ops.push_back(Value);
    return true;
  }
  if (NextArg == I.arg_size())
    return false;
  const Value *Arg = I.getArgOperand(NextArg++);
  if (Parameter.starts_with("imm ")) {
    std::optional<uint64_t> Bits = bitsOf(Arg);
    Ops.push_back(int64_t(Bits.value_or(0)));
    return Bits.has_value();
  }
  Ops.push_back(use(Arg));
  return sizeOfSpelled(Parameter.rsplit(' ').first) == sizeOf(Arg);
}

bool Selector::selectMemoryBuiltin(const CallInst &I) {
  MemoryBuiltin B = memoryBuiltinNamed(I.getCalledFunction()->getName());
  if (B.Opcode == 0)
    return false;
  auto [Result, Rest] = B.Signature.split('(');
  Result.consume_front("read ");
  unsigned Size = I.getType()->isVoidTy() ? 0 : sizeOf(&I);
  if (Size != sizeOfSpelled(Result))
    return false;
  SmallVector<Operand, 24> Ops;
  if (Size != 0)
    Ops.push_back(0);
  SmallVector<StringRef, 16> Parameters;
  Rest.drop_back().split(Parameters, ", ");
  unsigned NextArg = 0;
  for (StringRef P : Parameters)
    if (!addBuiltinOperand(I, P, NextArg, Ops))
      return false;
  if (NextArg != I.arg_size())
    return false;
  if (Size != 0)
    Ops[0] = define(I);
  W.emit(B.Opcode, Ops);
  return true;
}

} // namespace heddle::singlepass
