//===- ElementType.h - Scalars as a manifest states them --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX's scalar types and the way between their bits and numbers. Bits are kept
// in the low end of a uint64_t, zero above.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_MANIFEST_ELEMENTTYPE_H
#define HEDDLE_MANIFEST_ELEMENTTYPE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace heddle::rt {

enum class ElementType : uint8_t {
#define HEDDLE_ELEMENT_TYPE(Enumerator, Name, Bytes, Class) Enumerator,
#include "heddle/Manifest/ElementTypes.def"
};

/// How the bits of a type read as a number. Untyped ones read as unsigned; a
/// negative number stands for its two's complement.
enum class ElementClass : uint8_t { Unsigned, Signed, Untyped, Float };

/// The type with PTX's name \p Name, without the dot.
std::optional<ElementType> parseElementType(llvm::StringRef Name);
llvm::StringRef elementName(ElementType Type);
/// The size in bytes: 1, 2, 4 or 8.
unsigned elementSize(ElementType Type);
ElementClass elementClass(ElementType Type);
inline bool isFloat(ElementType Type) {
  return elementClass(Type) == ElementClass::Float;
}

/// The bits of the number of a float type that is nearest to \p Value, ties to
/// even.
uint64_t floatBits(ElementType Type, double Value);
/// The number that the bits of a float type stand for; exact.
double floatValue(ElementType Type, uint64_t Bits);
/// Whether the bits of a float type stand for a NaN.
bool isNaN(ElementType Type, uint64_t Bits);

/// The bits of \p Value, an integer in two's complement that is negative if
/// \p IsNegative; none if the integer type cannot hold it.
std::optional<uint64_t> integerBits(ElementType Type, uint64_t Value,
                                    bool IsNegative);

/// The number and its bits, for people: `1.5 (0x3fc00000)`.
std::string formatElement(ElementType Type, uint64_t Bits);

/// Reads and writes an element in little-endian order.
uint64_t loadElement(ElementType Type, const uint8_t *From);
void storeElement(ElementType Type, uint64_t Bits, uint8_t *To);

} // namespace heddle::rt

#endif // HEDDLE_MANIFEST_ELEMENTTYPE_H
