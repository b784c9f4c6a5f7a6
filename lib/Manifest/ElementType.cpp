//===- ElementType.cpp - Scalars as a manifest states them ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, sizes and conversions of PTX's scalar types.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/ElementType.h"
#include "heddle/Support/Check.h"
#include "heddle/Support/PlainNumbers.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace llvm;

namespace heddle::rt {

namespace {
struct TypeRecord {
  StringLiteral Name;
  unsigned Size;
  ElementClass Class;
};
} // namespace

static constexpr TypeRecord Types[] = {
#define HEDDLE_ELEMENT_TYPE(Enumerator, Name, Bytes, Class)                    \
  {Name, Bytes, ElementClass::Class},
#include "heddle/Manifest/ElementTypes.def"
};

static const TypeRecord &record(ElementType Type) {
  return Types[static_cast<size_t>(Type)];
}

std::optional<ElementType> parseElementType(StringRef Name) {
  for (auto [Index, Known] : enumerate(Types))
    if (Known.Name == Name)
      return static_cast<ElementType>(Index);
  return std::nullopt;
}

StringRef elementName(ElementType Type) { return record(Type).Name; }
unsigned elementSize(ElementType Type) { return record(Type).Size; }
ElementClass elementClass(ElementType Type) { return record(Type).Class; }

static const fltSemantics &semantics(ElementType Type) {
  switch (Type) {
  case ElementType::F16:
    return APFloat::IEEEhalf();
  case ElementType::BF16:
    return APFloat::BFloat();
  case ElementType::F32:
    return APFloat::IEEEsingle();
  case ElementType::F64:
    return APFloat::IEEEdouble();
  default:
    HEDDLE_UNREACHABLE("not a float type");
  }
}

uint64_t floatBits(ElementType Type, double Value) {
  if (Type == ElementType::F64)
    return bit_cast<uint64_t>(Value);
  if (Type == ElementType::F32)
    return bit_cast<uint32_t>(static_cast<float>(Value));
  APFloat Number(Value);
  bool LosesInfo;
  Number.convert(semantics(Type), APFloat::rmNearestTiesToEven, &LosesInfo);
  return Number.bitcastToAPInt().getZExtValue();
}

double floatValue(ElementType Type, uint64_t Bits) {
  if (Type == ElementType::F64)
    return bit_cast<double>(Bits);
  if (Type == ElementType::F32)
    return bit_cast<float>(static_cast<uint32_t>(Bits));
  APFloat Number(semantics(Type), APInt(16, Bits));
  bool LosesInfo;
  Number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &LosesInfo);
  return Number.convertToDouble();
}

bool isNaN(ElementType Type, uint64_t Bits) {
  return isFloat(Type) && std::isnan(floatValue(Type, Bits));
}

std::optional<uint64_t> integerBits(ElementType Type, uint64_t Value,
                                    bool IsNegative) {
  unsigned Width = 8 * elementSize(Type);
  ElementClass Class = elementClass(Type);
  if (IsNegative) {
    if (Class == ElementClass::Unsigned ||
        !isIntN(Width, static_cast<int64_t>(Value)))
      return std::nullopt;
    return Value & maskTrailingOnes<uint64_t>(Width);
  }
  if (!isUIntN(Class == ElementClass::Signed ? Width - 1 : Width, Value))
    return std::nullopt;
  return Value;
}

static void printFloat(raw_ostream &OS, double Value) {
  if (std::isnan(Value))
    OS << "nan";
  else if (std::isinf(Value))
    OS << (Value < 0 ? "-inf" : "inf");
  else
    OS << format("%.9g", Value);
}

std::string formatElement(ElementType Type, uint64_t Bits) {
  PlainNumbers Plain;
  std::string Text;
  raw_string_ostream OS(Text);
  switch (elementClass(Type)) {
  case ElementClass::Unsigned:
  case ElementClass::Untyped:
    OS << Bits;
    break;
  case ElementClass::Signed:
    OS << SignExtend64(Bits, 8 * elementSize(Type));
    break;
  case ElementClass::Float:
    if (Type == ElementType::F64 && std::isfinite(floatValue(Type, Bits)))
      OS << format("%.17g", floatValue(Type, Bits));
    else
      printFloat(OS, floatValue(Type, Bits));
    break;
  }
  OS << " (" << format_hex(Bits, 2 + 2 * elementSize(Type)) << ")";
  return Text;
}

uint64_t loadElement(ElementType Type, const uint8_t *From) {
  switch (elementSize(Type)) {
  case 1:
    return *From;
  case 2:
    return support::endian::read16le(From);
  case 4:
    return support::endian::read32le(From);
  default:
    return support::endian::read64le(From);
  }
}

void storeElement(ElementType Type, uint64_t Bits, uint8_t *To) {
  switch (elementSize(Type)) {
  case 1:
    *To = static_cast<uint8_t>(Bits);
    return;
  case 2:
    support::endian::write16le(To, static_cast<uint16_t>(Bits));
    return;
  case 4:
    support::endian::write32le(To, static_cast<uint32_t>(Bits));
    return;
  default:
    support::endian::write64le(To, Bits);
  }
}

} // namespace heddle::rt
