//===- FunctionEntries.cpp - Where pointers to functions lead ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An entry is LDC64 and BRX. Nothing is pending when a function is called, so
// that the counter of the load is free.
//
//===----------------------------------------------------------------------===//

#include "Code/FunctionEntries.h"
#include "heddle/ISA/LaunchConstants.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <initializer_list>

using namespace llvm;

namespace heddle::emu {

namespace {

using isa::Role;

struct Field {
  Role R;
  uint64_t Value;
};

constexpr unsigned AlwaysPredicate = 7, NoRegister = 255;

const isa::InstInfo &findInstruction(isa::Op Operation, isa::Form Form) {
  return *find_if(isa::instructions(), [&](const isa::InstInfo &I) {
    return I.Operation == Operation && I.F == Form;
  });
}

void append(std::vector<uint8_t> &Code, const isa::InstInfo &Info,
            std::initializer_list<Field> Fields, isa::Control Control) {
  isa::Encoding E = isa::emptyEncoding(Info);
  auto Set = [&](Role R, uint64_t Value) {
    const isa::OperandInfo &O = *Info.operand(R);
    E.setField(O.Lsb, O.Width, Value);
  };
  for (const Field &F : Fields)
    Set(F.R, F.Value);
  Set(Role::pg, AlwaysPredicate);
  Set(Role::ctl, Control.pack());
  for (uint64_t Half : {E.Lo, E.Hi}) {
    Code.resize(Code.size() + sizeof(Half));
    support::endian::write64le(Code.data() + Code.size() - sizeof(Half), Half);
  }
}

} // namespace

std::vector<uint8_t> encodeFunctionEntries(size_t Count) {
  const isa::InstInfo &Load = findInstruction(isa::Op::LDC64, isa::Form::R);
  const isa::InstInfo &Go = findInstruction(isa::Op::BRX, isa::Form::R);
  isa::Control Loads, Waits;
  Loads.WriteCounter = 0;
  Waits.WaitMask = 1 << Loads.WriteCounter;
  std::vector<uint8_t> Code;
  for (size_t N = 0; N != Count; ++N) {
    append(Code, Load,
           {{Role::d, isa::EntryRegister},
            {Role::bank, isa::FunctionBank},
            {Role::a, NoRegister},
            {Role::imm, N * sizeof(uint64_t)}},
           Loads);
    append(Code, Go, {{Role::a, isa::EntryRegister}}, Waits);
  }
  return Code;
}

} // namespace heddle::emu
