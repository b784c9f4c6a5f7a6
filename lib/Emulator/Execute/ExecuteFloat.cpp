//===- ExecuteFloat.cpp - Floating-point arithmetic -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic, comparison and fix-up operations of isa-defs/HeddleInstrFloat.td.
// Rounding to nearest in single and double precision is the host's own, since
// IEEE 754 leaves no choice; everything else goes through SoftFloat.
//
//===----------------------------------------------------------------------===//

#include "Execute/Execute.h"
#include "Execute/MathUnit.h"
#include "heddle/Emulator/SoftFloat.h"

#include <bit>
#include <cmath>

namespace heddle::emu {

using isa::Op;
using Inst = const DecodedInst &;

namespace {

/// |V| and -V as a source modifier asks, on a word with sign bits Signs.
template <typename T> T modify(T V, unsigned Modifier, T Signs) {
  if (Modifier & 2)
    V &= ~Signs;
  if (Modifier & 1)
    V ^= Signs;
  return V;
}
constexpr uint32_t Sign32 = 0x80000000;
constexpr uint32_t SignsHalf = 0x80008000;
constexpr uint64_t Sign64 = 0x8000000000000000;

float asFloat(uint32_t V) { return std::bit_cast<float>(V); }
double asDouble(uint64_t V) { return std::bit_cast<double>(V); }

//===----------------------------------------------------------------------===//
// Single precision
//===----------------------------------------------------------------------===//

/// A source after its modifier and, with FTZ, flushed.
uint32_t source32(uint32_t V, unsigned Modifier, Inst I) {
  V = modify(V, Modifier, Sign32);
  return I.Ftz ? uint32_t(F32Format.flush(V)) : V;
}
uint32_t result32(uint32_t V, Inst I) {
  if (F32Format.isNaN(V))
    V = F32Format.canonicalNaN();
  if (I.Ftz)
    V = F32Format.flush(V);
  return I.Sat ? uint32_t(saturateBits(V, F32Format)) : V;
}
uint32_t result32(float V, Inst I) {
  return result32(std::bit_cast<uint32_t>(V), I);
}

uint32_t fadd(uint32_t A, uint32_t B, Inst I) {
  A = source32(A, I.Ma, I);
  B = source32(B, I.Mb, I);
  if (I.Rnd == Rounding::NearestEven)
    return result32(asFloat(A) + asFloat(B), I);
  return result32(uint32_t(addBits(A, B, F32Format, I.Rnd)), I);
}
uint32_t fmul(uint32_t A, uint32_t B, Inst I) {
  A = source32(A, I.Ma, I);
  B = source32(B, I.Mb, I);
  if (I.Rnd == Rounding::NearestEven)
    return result32(asFloat(A) * asFloat(B), I);
  return result32(uint32_t(multiplyBits(A, B, F32Format, I.Rnd)), I);
}
uint32_t ffma(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  A = source32(A, I.Ma, I);
  B = source32(B, I.Mb, I);
  C = source32(C, I.Mc, I);
  if (I.Rnd == Rounding::NearestEven)
    return result32(std::fma(asFloat(A), asFloat(B), asFloat(C)), I);
  return result32(uint32_t(fmaBits(A, B, C, F32Format, I.Rnd)), I);
}
uint32_t fmnmx(uint32_t A, uint32_t B, Inst I) {
  return minMaxBits(source32(A, I.Ma, I), source32(B, I.Mb, I), F32Format,
                    I.Select, I.NaN, I.XorSign);
}
uint32_t fmnmx3(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  return minMaxBits(fmnmx(A, B, I), source32(C, I.Mc, I), F32Format, I.Select,
                    I.NaN, I.XorSign);
}
/// The comparison codes have a bit for each Relation.
bool satisfies(unsigned Code, Relation R) {
  return Code >> static_cast<unsigned>(R) & 1;
}
bool fsetp(uint32_t A, uint32_t B, Inst I) {
  return satisfies(I.Select, compareBits(source32(A, I.Ma, I),
                                         source32(B, I.Mb, I), F32Format));
}
uint32_t mufu(uint32_t A, uint32_t, Inst I) {
  return evaluate(static_cast<MufuFn>(I.Select), modify(A, I.Ma, Sign32),
                  I.Ftz);
}
uint32_t frnd(uint32_t, uint32_t B, Inst I) {
  Number N = unpack(source32(B, I.Mb, I), F32Format);
  return result32(uint32_t(pack(roundToIntegral(N, I.Rnd), F32Format, I.Rnd)),
                  I);
}

uint32_t flushIf(uint32_t V, Inst I) {
  return I.Ftz ? uint32_t(F32Format.flush(V)) : V;
}
uint64_t fdprep(uint32_t A, uint32_t B, Inst I) {
  return prepareDivision(flushIf(A, I), F32Format) |
         prepareDivision(flushIf(B, I), F32Format) << 32;
}
uint32_t fdfix(uint64_t A, uint32_t B, uint32_t C, Inst I) {
  return flushIf(finishDivision(uint32_t(A), A >> 32, flushIf(B, I),
                                flushIf(C, I), F32Format, I.Rnd),
                 I);
}
uint32_t fsqprep(uint32_t, uint32_t B, Inst I) {
  return prepareSquareRoot(flushIf(B, I), F32Format);
}
uint32_t fsqfix(uint64_t A, uint32_t B, Inst I) {
  return finishSquareRoot(uint32_t(A), A >> 32, flushIf(B, I), F32Format,
                          I.Rnd);
}

//===----------------------------------------------------------------------===//
// Half precision and bfloat16
//===----------------------------------------------------------------------===//

FloatFormat halfFormat(unsigned Type) { return Type ? BF16Format : F16Format; }

uint64_t halfResult(uint64_t V, FloatFormat F, Inst I) {
  if (I.Ftz)
    V = F.flush(V);
  if (I.Sat)
    V = saturateBits(V, F);
  if (I.Relu && !F.isNaN(V) && (V & F.signBit()))
    V = 0;
  return V;
}

/// Applies Compute to the low and to the high halves of three words.
template <typename Fn>
uint32_t forHalves(uint32_t A, uint32_t B, uint32_t C, FloatFormat F, Inst I,
                   Fn Compute) {
  A = modify(A, I.Ma, SignsHalf);
  B = modify(B, I.Mb, SignsHalf);
  C = modify(C, I.Mc, SignsHalf);
  auto Half = [&](uint32_t V, unsigned Shift) -> uint64_t {
    uint64_t Bits = V >> Shift & 0xFFFF;
    return I.Ftz ? F.flush(Bits) : Bits;
  };
  uint32_t Result = 0;
  for (unsigned Shift : {0, 16}) {
    uint64_t V = Compute(Half(A, Shift), Half(B, Shift), Half(C, Shift));
    Result |= uint32_t(halfResult(V, F, I)) << Shift;
  }
  return Result;
}
uint32_t hadd2(uint32_t A, uint32_t B, Inst I) {
  FloatFormat F = halfFormat(I.Dty);
  return forHalves(A, B, 0, F, I, [&](uint64_t A, uint64_t B, uint64_t) {
    return addBits(A, B, F, Rounding::NearestEven);
  });
}
uint32_t hmul2(uint32_t A, uint32_t B, Inst I) {
  FloatFormat F = halfFormat(I.Dty);
  return forHalves(A, B, 0, F, I, [&](uint64_t A, uint64_t B, uint64_t) {
    return multiplyBits(A, B, F, Rounding::NearestEven);
  });
}
uint32_t hfma2(uint32_t A, uint32_t B, uint32_t C, Inst I) {
  FloatFormat F = halfFormat(I.Dty);
  return forHalves(A, B, C, F, I, [&](uint64_t A, uint64_t B, uint64_t C) {
    return fmaBits(A, B, C, F, Rounding::NearestEven);
  });
}
uint32_t hmnmx2(uint32_t A, uint32_t B, Inst I) {
  FloatFormat F = halfFormat(I.Sty);
  return forHalves(A, B, 0, F, I, [&](uint64_t A, uint64_t B, uint64_t) {
    return minMaxBits(A, B, F, I.Select, I.NaN, I.XorSign);
  });
}
void hsetp2(Warp &W, Inst I, LaneMask Exec) {
  FloatFormat F = halfFormat(I.Sgn);
  Source<uint32_t> A(W, SourceKind::Register, I.A, 0);
  Source<uint32_t> B(W, I.KindB, I.B, I.Imm);
  LaneMask S = W.predicate(I.S, I.Sn), Low = 0, High = 0;
  auto Half = [&](uint32_t V, unsigned Modifier, unsigned Shift) {
    uint64_t Bits = modify(V, Modifier, SignsHalf) >> Shift & 0xFFFF;
    return I.Ftz ? F.flush(Bits) : Bits;
  };
  auto Holds = [&](unsigned L, unsigned Shift) {
    return LaneMask(
               satisfies(I.Select, compareBits(Half(A[L], I.Ma, Shift),
                                               Half(B[L], I.Mb, Shift), F)))
           << L;
  };
  for (unsigned L : lanes(Exec)) {
    Low |= Holds(L, 0);
    High |= Holds(L, 16);
  }
  writePredicate(W, I.P, Exec, combine(I.Bop, Low, S));
  writePredicate(W, I.Q, Exec, combine(I.Bop, High, S));
}

//===----------------------------------------------------------------------===//
// Double precision
//===----------------------------------------------------------------------===//

uint64_t source64(uint64_t V, unsigned Modifier) {
  return modify(V, Modifier, Sign64);
}
uint64_t result64(double V) {
  return std::isnan(V) ? F64Format.canonicalNaN() : std::bit_cast<uint64_t>(V);
}
uint64_t dadd(uint64_t A, uint64_t B, Inst I) {
  A = source64(A, I.Ma);
  B = source64(B, I.Mb);
  if (I.Rnd == Rounding::NearestEven)
    return result64(asDouble(A) + asDouble(B));
  return addBits(A, B, F64Format, I.Rnd);
}
uint64_t dmul(uint64_t A, uint64_t B, Inst I) {
  A = source64(A, I.Ma);
  B = source64(B, I.Mb);
  if (I.Rnd == Rounding::NearestEven)
    return result64(asDouble(A) * asDouble(B));
  return multiplyBits(A, B, F64Format, I.Rnd);
}
uint64_t dfma(uint64_t A, uint64_t B, uint64_t C, Inst I) {
  A = source64(A, I.Ma);
  B = source64(B, I.Mb);
  C = source64(C, I.Mc);
  if (I.Rnd == Rounding::NearestEven)
    return result64(std::fma(asDouble(A), asDouble(B), asDouble(C)));
  return fmaBits(A, B, C, F64Format, I.Rnd);
}
uint64_t dmnmx(uint64_t A, uint64_t B, Inst I) {
  return minMaxBits(source64(A, I.Ma), source64(B, I.Mb), F64Format, I.Select,
                    false, false);
}
bool dsetp(uint64_t A, uint64_t B, Inst I) {
  return satisfies(
      I.Select, compareBits(source64(A, I.Ma), source64(B, I.Mb), F64Format));
}
uint64_t drnd(uint32_t, uint64_t B, Inst I) {
  Number N = unpack(source64(B, I.Mb), F64Format);
  uint64_t V = pack(roundToIntegral(N, I.Rnd), F64Format, I.Rnd);
  return I.Sat ? saturateBits(V, F64Format) : V;
}
Quad ddprep(uint64_t A, uint64_t B, Inst) {
  return {prepareDivision(A, F64Format), prepareDivision(B, F64Format)};
}
uint64_t ddfix(Quad A, uint64_t B, uint64_t C, Inst I) {
  return finishDivision(A.Low, A.High, B, C, F64Format, I.Rnd);
}
uint64_t dsqprep(uint32_t, uint64_t B, Inst) {
  return prepareSquareRoot(B, F64Format);
}
uint64_t dsqfix(Quad A, uint64_t B, Inst I) {
  return finishSquareRoot(A.Low, A.High, B, F64Format, I.Rnd);
}

} // namespace

ExecFn floatExecutor(Op O) {
  switch (O) {
  case Op::FADD:
    return VectorOp<fadd, true>::run;
  case Op::FMUL:
    return VectorOp<fmul, true>::run;
  case Op::FFMA:
    return VectorOp<ffma, true>::run;
  case Op::FMNMX:
    return VectorOp<fmnmx, true>::run;
  case Op::FMNMX3:
    return VectorOp<fmnmx3, true>::run;
  case Op::FSETP:
    return CompareOp<fsetp>::run;
  case Op::MUFU:
    return VectorOp<mufu, true>::run;
  case Op::FRND:
    return VectorOp<frnd, true>::run;
  case Op::FDPREP:
    return VectorOp<fdprep, true>::run;
  case Op::FDFIX:
    return VectorOp<fdfix, true>::run;
  case Op::FSQPREP:
    return VectorOp<fsqprep, true>::run;
  case Op::FSQFIX:
    return VectorOp<fsqfix, true>::run;
  case Op::HADD2:
    return VectorOp<hadd2, true>::run;
  case Op::HMUL2:
    return VectorOp<hmul2, true>::run;
  case Op::HFMA2:
    return VectorOp<hfma2, true>::run;
  case Op::HMNMX2:
    return VectorOp<hmnmx2, true>::run;
  case Op::HSETP2:
    return hsetp2;
  case Op::DADD:
    return VectorOp<dadd, true>::run;
  case Op::DMUL:
    return VectorOp<dmul, true>::run;
  case Op::DFMA:
    return VectorOp<dfma, true>::run;
  case Op::DMNMX:
    return VectorOp<dmnmx, true>::run;
  case Op::DSETP:
    return CompareOp<dsetp>::run;
  case Op::DRND:
    return VectorOp<drnd, true>::run;
  case Op::DDPREP:
    return VectorOp<ddprep, true>::run;
  case Op::DDFIX:
    return VectorOp<ddfix, true>::run;
  case Op::DSQPREP:
    return VectorOp<dsqprep, true>::run;
  case Op::DSQFIX:
    return VectorOp<dsqfix, true>::run;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
