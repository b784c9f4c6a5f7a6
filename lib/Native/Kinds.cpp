//===- Kinds.cpp - How each instruction is carried out ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is not named here is a call of the emulator, after which the group may
// have to stop.
//
//===----------------------------------------------------------------------===//

#include "Unit.h"

using namespace heddle::emu;
using heddle::isa::Op;

namespace heddle::native {

/// Integers, bits, moves and predicates of which host code is made.
static bool isPlainInteger(Op O) {
  switch (O) {
  case Op::IADD3:
  case Op::IADDC:
  case Op::IADD64:
  case Op::LEA:
  case Op::LEA64:
  case Op::IMAD:
  case Op::IMADHI:
  case Op::IMADW:
  case Op::ISETP:
  case Op::ISETP64:
  case Op::IMNMX:
  case Op::IMNMX3:
  case Op::IMNMX64:
  case Op::SEL:
  case Op::SEL64:
  case Op::LOP3:
  case Op::SHL:
  case Op::SHR:
  case Op::FSHL:
  case Op::FSHR:
  case Op::SHL64:
  case Op::SHR64:
  case Op::IABS:
  case Op::ISAD:
  case Op::POPC:
  case Op::BREV:
  case Op::BFE:
  case Op::MOV:
  case Op::MOV64:
  case Op::MOV64W:
  case Op::PLOP3:
    return true;
  default:
    return false;
  }
}

static bool isPlainUniform(Op O) {
  switch (O) {
  case Op::UIADD3:
  case Op::UIADD64:
  case Op::ULEA:
  case Op::ULEA64:
  case Op::UIMAD:
  case Op::UIMADHI:
  case Op::UIMADW:
  case Op::UISETP:
  case Op::UISETP64:
  case Op::UIMNMX:
  case Op::USEL:
  case Op::USEL64:
  case Op::ULOP3:
  case Op::USHL:
  case Op::USHR:
  case Op::USHL64:
  case Op::USHR64:
  case Op::UMOV:
  case Op::UMOV64:
  case Op::UMOV64W:
  case Op::UPLOP3:
  case Op::UP2P:
  case Op::P2UP:
    return true;
  default:
    return false;
  }
}

/// Floating point that rounds to nearest.
static bool isPlainFloat(const DecodedInst &I) {
  bool IsNearest = I.Rnd == Rounding::NearestEven;
  switch (I.Info->Operation) {
  case Op::FADD:
  case Op::FMUL:
  case Op::FFMA:
  case Op::DADD:
  case Op::DMUL:
  case Op::DFMA:
    return IsNearest;
  case Op::FMNMX:
    return !I.XorSign;
  case Op::FSETP:
  case Op::DSETP:
    return true;
  case Op::I2F:
    return IsNearest && !I.Sat && !I.Relu && I.Sty <= 1 &&
           I.Dty == static_cast<uint8_t>(isa::FType::F32);
  case Op::I2D:
    return I.Sty <= 1;
  default:
    return false;
  }
}

/// Calls after which the group goes on.
static bool isPureCall(Op O) {
  switch (O) {
  case Op::BSSY:
  case Op::BMOV:
  case Op::BMOVR:
  case Op::NOP:
  case Op::PRMT:
  case Op::UPRMT:
  case Op::UBFE:
  case Op::BFI:
  case Op::FLO:
  case Op::DP4A:
  case Op::DP2A:
  case Op::VALU:
  case Op::P2R:
  case Op::R2P:
  case Op::R2UR:
  case Op::R2UR64:
  case Op::MUFU:
  case Op::FADD:
  case Op::FMUL:
  case Op::FFMA:
  case Op::DADD:
  case Op::DMUL:
  case Op::DFMA:
  case Op::FMNMX:
  case Op::FMNMX3:
  case Op::DMNMX:
  case Op::I2F:
  case Op::I2D:
  case Op::I642F:
  case Op::I642D:
  case Op::F2I:
  case Op::F2I64:
  case Op::F2F:
  case Op::F2D:
  case Op::D2F:
  case Op::F2FP:
    return true;
  default:
    return false;
  }
}

/// Calls that may end the launch, and otherwise let the group go on.
static bool mayOnlyFault(Op O) {
  switch (O) {
  case Op::LDC:
  case Op::LDC64:
  case Op::LDC128:
  case Op::ULDC:
  case Op::ULDC64:
  case Op::ULDC128:
  case Op::S2R:
  case Op::S2R64:
  case Op::S2UR:
  case Op::PREFETCH:
  case Op::MEMBAR:
    return true;
  default:
    return false;
  }
}

static bool isAccess(Op O) {
  switch (O) {
  case Op::LD:
  case Op::LD64:
  case Op::LD128:
  case Op::LDG:
  case Op::LDG64:
  case Op::LDG128:
  case Op::LDS:
  case Op::LDS64:
  case Op::LDS128:
  case Op::LDL:
  case Op::LDL64:
  case Op::LDL128:
  case Op::ST:
  case Op::ST64:
  case Op::ST128:
  case Op::STG:
  case Op::STG64:
  case Op::STG128:
  case Op::STS:
  case Op::STS64:
  case Op::STS128:
  case Op::STL:
  case Op::STL64:
  case Op::STL128:
    return true;
  default:
    return false;
  }
}

Kind kindOf(const DecodedInst &I) {
  if (!I.Execute)
    return Kind::Illegal;
  Op O = I.Info->Operation;
  switch (O) {
  case Op::BRA:
  case Op::UBRA:
    return Kind::Branch;
  case Op::CALL:
    return Kind::CallTo;
  case Op::BRX:
  case Op::CALLR:
  case Op::RET:
    return Kind::Indirect;
  case Op::EXIT:
    return Kind::Exit;
  default:
    break;
  }
  if (isPlainInteger(O) || isPlainUniform(O) || isPlainFloat(I))
    return Kind::Plain;
  if (isPureCall(O))
    return Kind::Call;
  if (isAccess(O))
    return Kind::Access;
  return mayOnlyFault(O) ? Kind::MayFault : Kind::MayStop;
}

bool needsCounts(const DecodedInst &I) {
  if (!I.Execute)
    return false;
  switch (I.Info->Operation) {
  case Op::S2R:
  case Op::S2R64:
  case Op::S2UR:
    return true;
  default:
    return kindOf(I) == Kind::MayStop || kindOf(I) == Kind::Exit;
  }
}

} // namespace heddle::native
