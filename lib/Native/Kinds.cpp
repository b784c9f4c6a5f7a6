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

#include "Execute/Execute.h"
#include "Execute/ExecuteMemory.h"
#include "Execute/SpecialRegisters.h"
#include "Unit.h"
#include "heddle/ISA/Effects.h"

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
  default:
    return false;
  }
}

/// Conversions between words, floats and halves.
static bool isPlainConversion(const DecodedInst &I) {
  bool IsFloat = I.Sty == static_cast<uint8_t>(isa::PackType::F32);
  switch (I.Info->Operation) {
  case Op::I2F:
    return I.Rnd == Rounding::NearestEven && !I.Sat && !I.Relu && I.Sty <= 1 &&
           I.Dty == static_cast<uint8_t>(isa::FType::F32);
  case Op::I2D:
    return I.Sty <= 1;
  case Op::F2I:
    return IsFloat && I.Dty <= 1 && I.Rnd == Rounding::TowardZero;
  default:
    return isHalf(I);
  }
}

bool isHalf(const DecodedInst &I) {
  auto From = static_cast<isa::PackType>(I.Sty);
  auto To = static_cast<isa::PackType>(I.Dty);
  bool Narrows = From == isa::PackType::F32 && To == isa::PackType::F16 &&
                 I.Rnd == Rounding::NearestEven;
  if (I.Sat || I.Relu)
    return false;
  switch (I.Info->Operation) {
  case Op::F2F:
    return Narrows || (From == isa::PackType::F16 && To == isa::PackType::F32);
  case Op::F2FP:
    return To == isa::PackType::F16 && I.Rnd == Rounding::NearestEven;
  default:
    return false;
  }
}

/// Operations on elements that are whole words.
static bool isPlainOnElements(const DecodedInst &I) {
  auto Fn = static_cast<ElementOp>(I.Select);
  return I.Info->Operation == Op::VALU && ElementType{I.Dty}.bits() == 32 &&
         !I.Sat && Fn != ElementOp::Average && Fn != ElementOp::AverageDown;
}

/// Special registers that are where translated code finds them.
static bool isPlainSpecial(const DecodedInst &I) {
  bool IsShape = (I.Imm >= NTid && I.Imm < LaneId) || I.Imm >= NGridTid;
  switch (I.Info->Operation) {
  case Op::S2R:
    return IsShape || I.Imm < NTid || I.Imm == LaneId || isGridThread(I.Imm);
  case Op::S2UR:
    return IsShape;
  default:
    return false;
  }
}

unsigned parameterWords(const DecodedInst &I) {
  switch (I.Info->Operation) {
  case Op::LDC:
  case Op::ULDC:
    return sizeInBytes(I.Size) == 4 ? 1 : 0;
  case Op::LDC64:
  case Op::ULDC64:
    return 2;
  case Op::LDC128:
  case Op::ULDC128:
    return 4;
  default:
    return 0;
  }
}

bool isParameter(const DecodedInst &I) {
  unsigned Words = parameterWords(I);
  if (!Words || !I.isUnguarded() || I.Bank != isa::abi::ParamBank ||
      uint32_t(I.Offset) % (4 * Words) != 0)
    return false;
  return I.Uniform ? I.B >= UniformZeroRow
                   : I.A >= ZeroRow && I.Form == isa::Form::R;
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
  if (isPlainInteger(O) || isPlainUniform(O) || isPlainFloat(I) ||
      isPlainConversion(I) || isPlainOnElements(I) || isPlainSpecial(I) ||
      O == Op::BSSY)
    return Kind::Plain;
  if (isa::effects(O).isAccess() && !isa::isAtomic(*I.Info))
    return Kind::Access;
  switch (isa::effects(O).Behind) {
  case isa::Flow::Next:
    return Kind::Call;
  case isa::Flow::Fault:
    return Kind::MayFault;
  case isa::Flow::Meet:
  case isa::Flow::Any:
    return Kind::MayStop;
  }
}

bool needsCounts(const DecodedInst &I) {
  if (!I.Execute)
    return false;
  bool IsTime = I.Info->Latency == isa::LatencyClass::S2R && readsTime(I.Imm);
  return IsTime || kindOf(I) == Kind::MayStop || kindOf(I) == Kind::Exit;
}

} // namespace heddle::native
