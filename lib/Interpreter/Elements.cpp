//===- Elements.cpp - Elements that are reduced -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Formats of elements, and the operations that reduce them.
//
//===----------------------------------------------------------------------===//

#include "Elements.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace heddle::interp {

Element elementOf(StringRef Type) {
  if (Type == "e4m3")
    return {8, &APFloat::Float8E4M3FN()};
  if (Type == "e5m2")
    return {8, &APFloat::Float8E5M2()};
  if (Type == "f16" || Type == "f16x2")
    return {16, &APFloat::IEEEhalf()};
  if (Type == "bf16" || Type == "bf16x2")
    return {16, &APFloat::BFloat()};
  if (Type == "f32")
    return {32, &APFloat::IEEEsingle()};
  if (Type == "f64")
    return {64, &APFloat::IEEEdouble()};
  unsigned Bits = 0;
  Type.drop_front().getAsInteger(10, Bits);
  return {Bits, nullptr, Type.starts_with("s")};
}

Bits readElement(const uint8_t *From, unsigned Bytes) {
  Bits Value = 0;
  std::memcpy(&Value, From, Bytes);
  return Value;
}

void writeElement(uint8_t *To, unsigned Bytes, Bits Value) {
  std::memcpy(To, &Value, Bytes);
}

/// One step of a reduction in a format.
static APFloat applyToFloats(StringRef Op, APFloat A, const APFloat &B) {
  if (Op == "add")
    A.add(B, RoundingMode::NearestTiesToEven);
  else
    A = lesserOrGreater(A, B, Op == "max", /*NaNWins=*/false);
  return A;
}

static APFloat converted(APFloat V, const fltSemantics &To) {
  bool LosesInfo;
  V.convert(To, RoundingMode::NearestTiesToEven, &LosesInfo);
  return V;
}

/// What a format makes of a number; what a narrow one has no place for becomes
/// the largest number of its sign.
static Bits floatBitsOf(const APFloat &V, const Element &E) {
  APFloat R = converted(V, *E.Float);
  bool IsNarrow = E.Bits == 8;
  if (V.isNaN())
    return maskTrailingOnes<uint64_t>(E.Bits - 1);
  if (IsNarrow && (R.isInfinity() || R.isNaN()))
    R = APFloat::getLargest(*E.Float, V.isNegative());
  return R.bitcastToAPInt().getZExtValue();
}

static Bits reduceFloats(StringRef Op, const Element &E,
                         const fltSemantics &Between, ArrayRef<Bits> Values) {
  std::optional<APFloat> Result;
  for (Bits V : Values) {
    APFloat Next =
        converted(APFloat(*E.Float, APInt(E.Bits, uint64_t(V))), Between);
    Result = Result ? applyToFloats(Op, *Result, Next) : Next;
  }
  return floatBitsOf(*Result, E);
}

static Bits applyToIntegers(StringRef Op, const Element &E, Bits A, Bits B) {
  SignedBits X = E.IsSigned ? signedValue(A, E.Bits) : SignedBits(A);
  SignedBits Y = E.IsSigned ? signedValue(B, E.Bits) : SignedBits(B);
  if (Op == "and")
    return A & B;
  if (Op == "or")
    return A | B;
  if (Op == "xor")
    return A ^ B;
  if (Op == "min")
    return X < Y ? A : B;
  if (Op == "max")
    return X > Y ? A : B;
  if (Op == "inc")
    return X >= Y ? Bits(0) : A + 1;
  if (Op == "dec")
    return X == 0 || X > Y ? B : A - 1;
  return lowBits(A + B, E.Bits);
}

Bits reduceAll(StringRef Op, const Element &E, const fltSemantics *Between,
               ArrayRef<Bits> Values) {
  if (E.Float)
    return reduceFloats(Op, E, Between ? *Between : *E.Float, Values);
  Bits Result = Values.front();
  for (Bits V : Values.drop_front())
    Result = applyToIntegers(Op, E, Result, V);
  return Result;
}

void reduceInto(StringRef Op, const Element &E, uint8_t *To,
                ArrayRef<uint8_t> From) {
  unsigned Bytes = E.Bits / 8;
  for (size_t N = 0; N < From.size(); N += Bytes)
    writeElement(
        To + N, Bytes,
        reduceAll(Op, E, nullptr,
                  {readElement(To + N, Bytes), readElement(&From[N], Bytes)}));
}

StringRef operationOf(const ptxir::InstReader &R) {
  for (StringRef Part : R.parts())
    if (is_contained({"and", "or", "xor", "add", "min", "max", "inc", "dec",
                      "exch", "cas"},
                     Part))
      return Part;
  return "";
}

std::optional<unsigned> reportedBits(const ptxir::InstReader &R) {
  constexpr StringRef Minus = "mbarrier::report::validity::per_16bytes::8";
  for (StringRef Part : R.parts()) {
    if (Part.ends_with("per_element::ff"))
      return 0;
    // The digits of the pattern, 4 bits each.
    if (Part.starts_with(Minus))
      return 4 * (Part.size() - Minus.size() + 1);
  }
  return std::nullopt;
}

bool isReported(const uint8_t *Data, unsigned Bytes, unsigned Bits) {
  if (Bits == 0)
    return is_contained(ArrayRef(Data, Bytes), 0xFF);
  uint64_t First = uint64_t(readElement(Data, divideCeil(Bits, 8)));
  return (First & maskTrailingOnes<uint64_t>(Bits)) == 1ull << (Bits - 1);
}

} // namespace heddle::interp
