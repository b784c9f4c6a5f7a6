//===- Operands.h - Sources, results, types of forms ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Short names for what the tables of forms are made of.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_OPERANDS_H
#define HEDDLE_TEST_FORMS_OPERANDS_H

#include "Arithmetic.h"
#include "Form.h"

namespace heddle::forms {

/// An integer or untyped type of PTX.
struct IntType {
  const char *Name;
  unsigned Bits;
  bool Signed;

  Int128 value(uint64_t V) const { return valueOf(V, Bits, Signed); }
};

inline constexpr IntType U8{"u8", 8, false}, S8{"s8", 8, true},
    U16{"u16", 16, false}, S16{"s16", 16, true}, U32{"u32", 32, false},
    S32{"s32", 32, true}, U64{"u64", 64, false}, S64{"s64", 64, true};
inline constexpr IntType Int16To64[] = {U16, U32, U64, S16, S32, S64};
inline constexpr IntType Int32To64[] = {U32, U64, S32, S64};
inline constexpr IntType Int8To64[] = {U8, U16, U32, U64, S8, S16, S32, S64};
inline constexpr IntType Bits16To64[] = {
    {"b16", 16, false}, {"b32", 32, false}, {"b64", 64, false}};

inline Source integers(unsigned Bits) { return {Bits, Domain::Integer}; }
/// The low \p Width bits of a wider register.
inline Source lowIntegers(unsigned Bits, unsigned Width) {
  return {Bits, Domain::Integer, Width == Bits ? 0 : Width};
}
inline Source amounts() { return {32, Domain::Amount}; }
inline Source predicates() { return {1, Domain::Predicate}; }
inline Source bytes() { return {32, Domain::Bytes}; }
inline Source halves() { return {32, Domain::Halves}; }
inline Source floats(const FloatFormat &F) {
  return {F.bits(), Domain::Float, 0, &F};
}
/// \p Lanes floats in one register.
inline Source packedFloats(const FloatFormat &F, unsigned Lanes) {
  return {F.bits() * Lanes, Domain::Float, 0, &F, Lanes};
}

inline Result bits(unsigned Bits) { return {Bits}; }
inline Result predicate() { return {1}; }
/// A float of which any NaN will do.
inline Result anyNaN(const FloatFormat &F, unsigned Lanes = 1) {
  return {F.bits() * Lanes, &F, Lanes};
}

/// A float of which any NaN will do when it is computed from constants.
inline Result computed(const FloatFormat &F, unsigned Lanes = 1) {
  return {F.bits() * Lanes, &F, Lanes, /*OnlyFolded=*/true};
}

/// A rounding modifier of floating-point results.
struct RoundingName {
  const char *Name; ///< With the dot; empty for the default.
  Round Mode;
};
inline constexpr RoundingName FloatRoundings[] = {{".rn", Round::Nearest},
                                                  {".rz", Round::Zero},
                                                  {".rm", Round::Down},
                                                  {".rp", Round::Up}};
inline constexpr RoundingName DefaultAndFloatRoundings[] = {
    {"", Round::Nearest},
    {".rn", Round::Nearest},
    {".rz", Round::Zero},
    {".rm", Round::Down},
    {".rp", Round::Up}};
inline constexpr RoundingName IntegerRoundings[] = {{".rni", Round::Nearest},
                                                    {".rzi", Round::Zero},
                                                    {".rmi", Round::Down},
                                                    {".rpi", Round::Up}};

/// \p Text if \p Given, else nothing: an optional modifier.
inline std::string optional(bool Given, const char *Text) {
  return Given ? Text : "";
}

/// Applies \p Compute to each lane of \p Bits bits of a word.
template <typename Fn>
uint64_t mapLanes(unsigned Lanes, unsigned Bits, Fn Compute) {
  uint64_t Word = 0;
  for (unsigned Lane = 0; Lane != Lanes; ++Lane)
    Word |= lowBits(static_cast<uint64_t>(Compute(Lane * Bits)), Bits)
            << (Lane * Bits);
  return Word;
}

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_OPERANDS_H
