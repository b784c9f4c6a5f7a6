//===- Value.cpp - Typed values of the debugger -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names of types, conversions, and parts of values.
//
//===----------------------------------------------------------------------===//

#include "Value.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace llvm;

namespace heddle::debug {

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

void TypePool::addAlias(StringRef Name, const Type *T) {
  ByName.push_back({Name.str(), T});
}

const Type *TypePool::addInteger(StringRef Name, unsigned Size, bool Signed) {
  Type T;
  T.Kind = Type::Integer;
  T.Name = Name.str();
  T.Size = Size;
  T.Signed = Signed;
  Types.push_back(T);
  addAlias(Name, &Types.back());
  return &Types.back();
}

TypePool::TypePool() {
  auto AddFloat = [&](StringRef Name, unsigned Size, bool IsBFloat = false) {
    Type T;
    T.Kind = Type::Float;
    T.Name = Name.str();
    T.Size = Size;
    T.IsBFloat = IsBFloat;
    Types.push_back(T);
    addAlias(Name, &Types.back());
    return &Types.back();
  };
  auto Aliases = [&](const Type *T, std::initializer_list<StringRef> Names) {
    for (StringRef Name : Names)
      addAlias(Name, T);
  };
  Types.push_back({});
  Types.back().Name = "void";
  VoidType = &Types.back();
  addAlias("void", VoidType);
  Char = addInteger("char", 1, true);
  const Type *SChar = addInteger("signed char", 1, true);
  const Type *UChar = addInteger("unsigned char", 1, false);
  for (const Type *T : {Char, SChar, UChar})
    const_cast<Type *>(T)->IsChar = true; // Is the pool's own.
  Bool = addInteger("bool", 1, false);
  const_cast<Type *>(Bool)->IsBool = true;
  const Type *Short = addInteger("short", 2, true);
  const Type *UShort = addInteger("unsigned short", 2, false);
  Int = addInteger("int", 4, true);
  UInt = addInteger("unsigned int", 4, false);
  Long = addInteger("long", 8, true);
  ULong = addInteger("unsigned long", 8, false);
  const Type *LongLong = addInteger("long long", 8, true);
  const Type *ULongLong = addInteger("unsigned long long", 8, false);
  const Type *Half = AddFloat("__half", 2);
  const Type *BFloat = AddFloat("__nv_bfloat16", 2, /*IsBFloat=*/true);
  FloatType = AddFloat("float", 4);
  Double = AddFloat("double", 8);
  Aliases(Half, {"half", "f16"});
  Aliases(BFloat, {"bf16", "nv_bfloat16"});
  Aliases(FloatType, {"f32"});
  Aliases(Double, {"f64"});
  Aliases(SChar, {"int8_t", "s8"});
  Aliases(UChar, {"uint8_t", "u8", "b8"});
  Aliases(Short, {"int16_t", "s16", "short int"});
  Aliases(UShort, {"uint16_t", "u16", "b16", "unsigned short int"});
  Aliases(Int, {"int32_t", "s32", "signed", "signed int"});
  Aliases(UInt, {"uint32_t", "u32", "b32", "unsigned"});
  Aliases(Long, {"int64_t", "s64", "long int", "ptrdiff_t"});
  Aliases(ULong, {"uint64_t", "u64", "b64", "size_t", "unsigned long int"});
  Aliases(LongLong, {"long long int"});
  Aliases(ULongLong, {"unsigned long long int"});
  Type D;
  D.Kind = Type::Struct;
  D.Name = "uint3";
  D.Size = 12;
  D.Fields = {{"x", 0, UInt}, {"y", 4, UInt}, {"z", 8, UInt}};
  Types.push_back(D);
  Dim3 = &Types.back();
}

const Type *TypePool::find(StringRef Name) const {
  for (const auto &[Known, T] : ByName)
    if (Known == Name)
      return T;
  return nullptr;
}

/// The qualifier of pointers into a space, as cuda-gdb writes it.
static StringRef qualifierOf(MemorySpace Space) {
  switch (Space) {
  case MemorySpace::Shared:
    return "@shared ";
  case MemorySpace::Local:
    return "@local ";
  case MemorySpace::Constant:
    return "@constant ";
  case MemorySpace::Param:
    return "@parameter ";
  case MemorySpace::Tensor:
    return "@tensor ";
  case MemorySpace::Generic:
    break;
  }
  return "";
}

/// `int *`, and of arrays and functions `int (*)[3]` and `int (*)(float)`.
static std::string pointerName(StringRef Element) {
  if (Element.ends_with("*"))
    return (Element + "*").str();
  size_t Behind = std::min(Element.find(" ["), Element.find(" ("));
  bool IsDeclarator = Behind != StringRef::npos &&
                      (Element.ends_with("]") || Element.ends_with(")"));
  if (!IsDeclarator)
    return (Element + " *").str();
  return (Element.take_front(Behind) + " (*)" + Element.drop_front(Behind + 1))
      .str();
}

const Type *TypePool::pointerTo(const Type *Element, MemorySpace Space) {
  for (const Type &T : Types)
    if (T.Kind == Type::Pointer && T.Element == Element && T.Space == Space)
      return &T;
  Type T;
  T.Kind = Type::Pointer;
  T.Name = qualifierOf(Space).str() + pointerName(Element->Name);
  T.Size = 8;
  T.Element = Element;
  T.Space = Space;
  Types.push_back(T);
  return &Types.back();
}

Type *TypePool::add(Type T) {
  Types.push_back(std::move(T));
  return &Types.back();
}

const Type *TypePool::arrayOf(const Type *Element, uint64_t Count) {
  for (const Type &T : Types)
    if (T.Kind == Type::Array && T.Element == Element && T.Count == Count)
      return &T;
  Type T;
  T.Kind = Type::Array;
  // The outer dimension stands in front of the inner ones.
  auto [Base, Inner] = StringRef(Element->Name).split(" [");
  bool HasInner = Element->Kind == Type::Array;
  T.Name = (HasInner ? Base.str() : Element->Name) + " [" +
           std::to_string(Count) + "]" +
           (HasInner ? "[" + Inner.str() : std::string());
  T.Size = Element->Size * Count;
  T.Element = Element;
  T.Count = Count;
  Types.push_back(T);
  return &Types.back();
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static const fltSemantics &semanticsOf(const Type &T) {
  if (T.Size == 2)
    return T.IsBFloat ? APFloat::BFloat() : APFloat::IEEEhalf();
  return T.Size == 4 ? APFloat::IEEEsingle() : APFloat::IEEEdouble();
}

uint64_t bitsOf(ArrayRef<uint8_t> Bytes) {
  uint64_t Bits = 0;
  std::memcpy(&Bits, Bytes.data(), std::min<size_t>(Bytes.size(), 8));
  return Bits;
}

uint64_t Value::integer() const {
  uint64_t Bits = bitsOf(Bytes);
  unsigned Width = 8 * Of->Size;
  if (Of->Signed && Width < 64 && Bits >> (Width - 1) & 1)
    Bits |= ~uint64_t(0) << Width;
  return Bits;
}

double Value::number() const {
  if (Of->Kind == Type::Float) {
    APFloat F(semanticsOf(*Of), APInt(8 * Of->Size, bitsOf(Bytes)));
    bool Loses = false;
    F.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &Loses);
    return F.convertToDouble();
  }
  return Of->Signed ? double(int64_t(integer())) : double(integer());
}

bool Value::isTrue() const {
  return Of->Kind == Type::Float ? number() != 0 : integer() != 0;
}

Value makeInteger(const Type *T, uint64_t Number) {
  Value V;
  V.Of = T;
  if (T->IsBool)
    Number = Number != 0;
  V.Bytes.resize(T->Size);
  std::memcpy(V.Bytes.data(), &Number, T->Size);
  return V;
}

Value makeFloat(const Type *T, double Number) {
  APFloat F(Number);
  bool Loses = false;
  F.convert(semanticsOf(*T), APFloat::rmNearestTiesToEven, &Loses);
  uint64_t Bits = F.bitcastToAPInt().getZExtValue();
  Value V;
  V.Of = T;
  V.Bytes.resize(T->Size);
  std::memcpy(V.Bytes.data(), &Bits, T->Size);
  return V;
}

/// A floating-point number as an integer, as kernels convert it: towards zero,
/// and to the nearest that there is.
static uint64_t toInteger(double Number, const Type &T) {
  if (std::isnan(Number))
    return 0;
  double Least = T.Signed ? -std::ldexp(1.0, 8 * T.Size - 1) : 0;
  double End = std::ldexp(1.0, 8 * T.Size - (T.Signed ? 1 : 0));
  if (Number <= Least)
    return T.Signed ? uint64_t(int64_t(Least)) : 0;
  if (Number >= End)
    return T.Signed ? (uint64_t(1) << (8 * T.Size - 1)) - 1
                    : ~uint64_t(0) >> (64 - 8 * T.Size);
  return T.Signed ? uint64_t(int64_t(Number)) : uint64_t(Number);
}

Expected<Value> convert(const Value &V, const Type *To) {
  if (!V.Of->isScalar() || !To->isScalar())
    return createStringError("a value of type '" + V.Of->Name + "' is no '" +
                             To->Name + "'");
  if (To->Kind == Type::Float)
    return makeFloat(To, V.number());
  if (V.Of->Kind != Type::Float)
    return makeInteger(To, V.integer());
  if (To->IsBool)
    return makeInteger(To, V.isTrue());
  return makeInteger(To, toInteger(V.number(), *To));
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Error optimizedOut() {
  return createStringError("value has been optimized out");
}

static Value partOf(const Value &V, uint64_t Offset, const Type *T) {
  Value Part;
  Part.Of = T;
  Part.Bytes.assign(V.Bytes.begin() + Offset,
                    V.Bytes.begin() + Offset + T->Size);
  if (!V.isComplete()) {
    Part.Lost.resize(T->Size);
    for (uint64_t N = 0; N != T->Size; ++N)
      Part.Lost[N] = V.Lost[Offset + N];
  }
  return Part;
}

/// What of a structure is in memory, from some byte on, is there.
static Value placedPart(const Value &V, uint64_t Offset, const Type *T) {
  Value Part = partOf(V, Offset, T);
  if (V.At.Kind == Place::Memory) {
    Part.At = V.At;
    Part.At.Address += stepOf(V.At.Space, Offset);
  }
  return Part;
}

static Value bitsOf(const Value &V, const Type::Field &F) {
  unsigned End = F.Offset + (F.FirstBit + F.Bits + 7) / 8;
  bool IsLost = false;
  if (!V.isComplete())
    for (unsigned N = F.Offset; N != End; ++N)
      IsLost |= V.Lost[N];
  if (IsLost) {
    Value Nothing = makeInteger(F.Of, 0);
    Nothing.Lost.resize(F.Of->Size, true);
    return Nothing;
  }
  uint64_t Bits = 0;
  size_t Count = std::min<size_t>(8, V.Bytes.size() - F.Offset);
  std::memcpy(&Bits, V.Bytes.data() + F.Offset, Count);
  Bits = Bits << (64 - F.FirstBit - F.Bits);
  Bits = F.Of->Signed ? uint64_t(int64_t(Bits) >> (64 - F.Bits))
                      : Bits >> (64 - F.Bits);
  return makeInteger(F.Of, Bits);
}

Value memberOf(const Value &V, const Type::Field &F) {
  return F.Bits ? bitsOf(V, F) : placedPart(V, F.Offset, F.Of);
}

Value asNumber(const Value &V) {
  Value Result = V;
  Result.Of = V.Of->AsNumber;
  return Result;
}

Value elementOf(const Value &V, uint64_t Number) {
  return placedPart(V, Number * V.Of->Element->Size, V.Of->Element);
}

} // namespace heddle::debug
