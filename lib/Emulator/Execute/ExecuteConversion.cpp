//===- ExecuteConversion.cpp - Conversions between types --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The conversions of isa-defs/HeddleInstrFloat.td. FTZ concerns operands and
// results in single precision only, as in PTX.
//
//===----------------------------------------------------------------------===//

#include "Execute/Execute.h"
#include "heddle/Emulator/SoftFloat.h"

namespace heddle::emu {

using isa::Op;
using Inst = const DecodedInst &;

namespace {

/// TF32 stands in the upper bits of a single-precision word.
constexpr unsigned TF32Shift = 13;

bool isTF32(unsigned Type) { return Type == unsigned(PackType::TF32); }
bool isF32(unsigned Type) { return Type == unsigned(PackType::F32); }

FloatFormat formatOf(unsigned Type) {
  switch (static_cast<PackType>(Type)) {
  case PackType::F32:
    return F32Format;
  case PackType::F16:
    return F16Format;
  case PackType::BF16:
    return BF16Format;
  case PackType::TF32:
    return TF32Format;
  default:
    return F32Format;
  }
}

NarrowFormat narrowFormatOf(unsigned Type) {
  switch (static_cast<PackType>(Type)) {
  case PackType::E5M2:
    return E5M2Format;
  case PackType::E3M2:
    return E3M2Format;
  case PackType::E2M3:
    return E2M3Format;
  case PackType::E2M1:
    return E2M1Format;
  default:
    return E4M3Format;
  }
}

/// Bits that an element of a pair takes.
unsigned elementBits(unsigned Type) {
  if (Type < unsigned(PackType::E4M3))
    return 16;
  return Type == unsigned(PackType::E2M1) ? 4 : 8;
}

/// The number in the low bits of V, of a PackType, after a source modifier.
Number readFloat(uint32_t V, unsigned Type, unsigned Modifier, bool Ftz) {
  FloatFormat F = formatOf(Type);
  uint64_t Bits =
      isTF32(Type) ? V >> TF32Shift : V & (F.signBit() | (F.signBit() - 1));
  if (Modifier & 2)
    Bits &= ~F.signBit();
  if (Modifier & 1)
    Bits ^= F.signBit();
  if (Ftz && isF32(Type))
    Bits = F.flush(Bits);
  return unpack(Bits, F);
}

Number readDouble(uint64_t Bits, unsigned Modifier) {
  if (Modifier & 2)
    Bits &= ~F64Format.signBit();
  if (Modifier & 1)
    Bits ^= F64Format.signBit();
  return unpack(Bits, F64Format);
}

/// N rounded to a PackType, in the low bits of a word.
uint32_t writeFloat(const Number &N, unsigned Type, Inst I) {
  FloatFormat F = formatOf(Type);
  uint64_t Bits = pack(N, F, I.Rnd);
  if (I.Ftz && isF32(Type))
    Bits = F.flush(Bits);
  if (I.Sat)
    Bits = saturateBits(Bits, F);
  if (I.Relu && !F.isNaN(Bits) && (Bits & F.signBit()))
    Bits = 0;
  if (!isTF32(Type))
    return Bits;
  return F.isNaN(Bits) ? F32Format.canonicalNaN() : Bits << TF32Shift;
}

/// Of the ISA's modifier IType, in pairs of unsigned and signed.
struct IntegerType {
  unsigned Width;
  bool Signed;
  explicit IntegerType(unsigned Type)
      : Width(32u >> (Type / 2)), Signed(Type & 1) {}
};

uint32_t f2i(uint32_t, uint32_t B, Inst I) {
  IntegerType T(I.Dty);
  return toInteger(readFloat(B, I.Sty, I.Mb, I.Ftz), I.Rnd, T.Width, T.Signed,
                   0);
}
constexpr uint64_t NaNAsInteger64 = 0x8000000000000000;
uint64_t f2i64(uint32_t, uint32_t B, Inst I) {
  return toInteger(readFloat(B, I.Sty, I.Mb, I.Ftz), I.Rnd, 64, I.Dty,
                   NaNAsInteger64);
}
uint32_t d2i(uint32_t, uint64_t B, Inst I) {
  IntegerType T(I.Dty);
  return toInteger(readDouble(B, I.Mb), I.Rnd, T.Width, T.Signed, 0);
}
uint64_t d2i64(uint32_t, uint64_t B, Inst I) {
  return toInteger(readDouble(B, I.Mb), I.Rnd, 64, I.Dty, NaNAsInteger64);
}

Number readInteger(uint32_t V, unsigned Type) {
  IntegerType T(Type);
  uint32_t Top = V << (32 - T.Width);
  if (!T.Signed)
    return fromInteger(false, Top >> (32 - T.Width));
  int64_t Value = int32_t(Top) >> (32 - T.Width);
  return fromInteger(Value < 0, Value < 0 ? -Value : Value);
}
Number readInteger64(uint64_t V, bool Signed) {
  bool Negative = Signed && int64_t(V) < 0;
  return fromInteger(Negative, Negative ? 0 - V : V);
}
uint32_t i2f(uint32_t, uint32_t B, Inst I) {
  return writeFloat(readInteger(B, I.Sty), I.Dty, I);
}
uint32_t i642f(uint32_t, uint64_t B, Inst I) {
  return writeFloat(readInteger64(B, I.Sty), I.Dty, I);
}
uint64_t i2d(uint32_t, uint32_t B, Inst I) {
  return pack(readInteger(B, I.Sty), F64Format, I.Rnd);
}
uint64_t i642d(uint32_t, uint64_t B, Inst I) {
  return pack(readInteger64(B, I.Sty), F64Format, I.Rnd);
}

uint32_t f2f(uint32_t, uint32_t B, Inst I) {
  return writeFloat(readFloat(B, I.Sty, I.Mb, I.Ftz), I.Dty, I);
}
uint32_t writeElement(const Number &N, Inst I) {
  if (elementBits(I.Dty) == 16)
    return writeFloat(N, I.Dty, I);
  NarrowFormat F = narrowFormatOf(I.Dty);
  uint64_t Bits = packNarrow(N, F, I.Rnd);
  return I.Relu && (Bits & F.signBit()) ? 0 : Bits;
}
uint32_t f2fp(uint32_t A, uint32_t B, Inst I) {
  return writeElement(unpack(A, F32Format), I) << elementBits(I.Dty) |
         writeElement(unpack(B, F32Format), I);
}
uint32_t f2fup(uint32_t, uint32_t B, Inst I) {
  NarrowFormat F = narrowFormatOf(I.Sty);
  uint64_t Mask = 2 * F.signBit() - 1;
  uint64_t High = B >> elementBits(I.Sty) & Mask, Low = B & Mask;
  return writeFloat(unpackNarrow(High, F), I.Dty, I) << 16 |
         writeFloat(unpackNarrow(Low, F), I.Dty, I);
}
uint32_t d2f(uint32_t, uint64_t B, Inst I) {
  return writeFloat(readDouble(B, I.Mb), I.Dty, I);
}
uint64_t f2d(uint32_t, uint32_t B, Inst I) {
  uint64_t Bits = pack(readFloat(B, I.Sty, I.Mb, I.Ftz), F64Format, I.Rnd);
  return I.Sat ? saturateBits(Bits, F64Format) : Bits;
}

} // namespace

ExecFn conversionExecutor(Op O) {
  switch (O) {
  case Op::F2I:
    return VectorOp<f2i, true>::run;
  case Op::F2I64:
    return VectorOp<f2i64, true>::run;
  case Op::D2I:
    return VectorOp<d2i, true>::run;
  case Op::D2I64:
    return VectorOp<d2i64, true>::run;
  case Op::I2F:
    return VectorOp<i2f, true>::run;
  case Op::I642F:
    return VectorOp<i642f, true>::run;
  case Op::I2D:
    return VectorOp<i2d, true>::run;
  case Op::I642D:
    return VectorOp<i642d, true>::run;
  case Op::F2F:
    return VectorOp<f2f, true>::run;
  case Op::F2FP:
    return VectorOp<f2fp, true>::run;
  case Op::F2FUP:
    return VectorOp<f2fup, true>::run;
  case Op::D2F:
    return VectorOp<d2f, true>::run;
  case Op::F2D:
    return VectorOp<f2d, true>::run;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
