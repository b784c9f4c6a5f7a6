//===- InterpretMixed.cpp - Mixed and packed arithmetic of PTX --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chapter 9.7.5 (sums and fma of .f32 with sources of 16 bits), arithmetic of
// packed bytes, and products without carries.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"

#include <algorithm>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

//===----------------------------------------------------------------------===//
// Mixed precision
//===----------------------------------------------------------------------===//

enum class MixedOp : uint8_t { Add, Sub, Fma };

/// add{.rnd}{.sat}.f32.TYPE and its like, as the instruction of one type is.
template <MixedOp Op>
bool decodeMixed(const InstReader &Reader, Instruction &I) {
  auto Narrow = symbolizeScalarType(Reader.fromEnd(0));
  if (Reader.fromEnd(1) != "f32" ||
      (Narrow != ScalarType::F16 && Narrow != ScalarType::Bf16))
    return false;
  I.Mods.Ty = ScalarType::F32;
  I.Mods.SrcTy = *Narrow;
  I.Mods.HasSrcTy = true;
  I.Mods.Rnd = Reader.rounding();
  I.Mods.Sat = Reader.has("sat");
  I.Evaluate = Op == MixedOp::Fma   ? evaluateFloatFma
               : Op == MixedOp::Add ? evaluateFloatAdd
                                    : evaluateFloatSub;
  return true;
}

//===----------------------------------------------------------------------===//
// Packed bytes
//===----------------------------------------------------------------------===//

using ByteFn = int (*)(int A, int B);
int add(int A, int B) { return A + B; }
int subtract(int A, int B) { return A - B; }
int least(int A, int B) { return std::min(A, B); }
int most(int A, int B) { return std::max(A, B); }
int negative(int A, int) { return -A; }

/// An operation on each byte: .sat clamps it to the type, .relu to zero.
template <ByteFn Fn>
bool decodeBytes(const InstReader &Reader, Instruction &I) {
  bool Signed = Reader.fromEnd(0) == "s8x4";
  if (!Signed && Reader.fromEnd(0) != "u8x4")
    return false;
  bool Sat = Reader.has("sat"), Relu = Reader.has("relu");
  bool IsBinary = I.Operands.size() == 2;
  I.Compute = [=](const Bits *In, Bits *Out) {
    Out[0] = 0;
    for (unsigned At = 0; At != 32; At += 8) {
      auto Byte = [&](unsigned N) {
        auto Unsigned = uint8_t(In[N] >> At);
        return Signed ? int(int8_t(Unsigned)) : int(Unsigned);
      };
      int Value = Fn(Byte(0), IsBinary ? Byte(1) : 0);
      if (Sat)
        Value = std::clamp(Value, Signed ? -128 : 0, Signed ? 127 : 255);
      if (Relu)
        Value = std::max(Value, 0);
      Out[0] |= Bits(uint8_t(Value)) << At;
    }
  };
  return true;
}

//===----------------------------------------------------------------------===//
// clmad
//===----------------------------------------------------------------------===//

/// The product as of polynomials whose coefficients are bits, of which .lo or
/// .hi keeps a half, plus c likewise.
bool decodeClmad(const InstReader &Reader, Instruction &I) {
  unsigned Shift = Reader.has("hi") ? 64 : 0;
  I.Compute = [Shift](const Bits *In, Bits *Out) {
    Bits Product = 0;
    for (unsigned N = 0; N != 64; ++N)
      if (In[0] >> N & 1)
        Product ^= lowBits(In[1], 64) << N;
    Out[0] = Product >> Shift ^ In[2];
  };
  return true;
}

} // namespace

void addMixedSemantics(SemanticsTable &T) {
  T.inst("add", decodeMixed<MixedOp::Add>);
  T.inst("sub", decodeMixed<MixedOp::Sub>);
  T.inst("fma", decodeMixed<MixedOp::Fma>);
  T.inst("add", decodeBytes<add>);
  T.inst("sub", decodeBytes<subtract>);
  T.inst("min", decodeBytes<least>);
  T.inst("max", decodeBytes<most>);
  T.inst("neg", decodeBytes<negative>);
  T.inst("clmad", decodeClmad);
}

} // namespace heddle::interp
