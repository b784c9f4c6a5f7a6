//===- Sparse.cpp - The choice of two elements of four ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PTX's spcompress keeps. Each element gets a key, and the two with the
// greatest keys stay. Which of equal elements stay PTX leaves open: here it is
// those that come first.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

using U32 = unsigned;

namespace {

/// The fields of a descriptor. The lower bit of the operation compares
/// magnitudes, the upper one keeps the least.
constexpr U32 OperationMask = 3, Magnitudes = 1, Least = 2;
constexpr U32 TypeShift = 2, TypeMask = 7, Reserved = ~0u << 5;
/// The types that it numbers: the first two are .f16 and .bf16 of 16 bits.
enum Type : U32 { U8, S8, E5M2, E4M3, E3M2, E2M3, F16 = 0, BF16 = 1 };

/// The key of a number of sign and magnitude. Magnitudes above \p Largest are
/// NaN, which always stays.
inline U32 keyOf(U32 Code, U32 Sign, U32 Largest, U32 Operation) {
  U32 Magnitude = Code & (Sign - 1);
  U32 Ordered = Code & Sign ? Sign - 1 - Magnitude : Sign + Magnitude;
  U32 Key = Operation & Magnitudes ? Magnitude : Ordered;
  Key = Operation & Least ? 0xFFFFFFFE - Key : Key;
  return Magnitude > Largest ? 0xFFFFFFFF : Key;
}

} // namespace

/// The key of an element of \p Bits bits, as a descriptor says.
HEDDLE_DEVICE_INLINE U32 __heddle_sparse_key(U32 Element, U32 Descriptor,
                                             U32 Bits) {
  U32 Operation = Descriptor & OperationMask;
  U32 Type = Descriptor >> TypeShift & TypeMask;
  if (Bits == 16)
    return keyOf(Element, 0x8000, Type == BF16 ? 0x7F80 : 0x7C00, Operation);
  // A byte as an integer: -128 has a magnitude that the other types lack.
  bool IsNegative = Type == S8 && Element >= 128;
  U32 Integer = IsNegative ? 256 | (256 - Element) : Element;
  bool IsInteger = Type <= S8, HasSixBits = Type >= E3M2;
  U32 Sign = IsInteger ? 256 : HasSixBits ? 32 : 128;
  U32 Largest = Type == E5M2 ? 0x7C : Type == E4M3 ? 0x7E : 255;
  return keyOf(IsInteger ? Integer : Element, Sign, Largest, Operation);
}

/// The key of a .f32; \p Operation is numbered as in a descriptor.
HEDDLE_DEVICE_INLINE U32 __heddle_sparse_key_f32(U32 Bits, U32 Operation) {
  return keyOf(Bits, 0x80000000, 0x7F800000, Operation);
}

/// Which two of four have the greatest keys: the first one in the lower two
/// bits, the second one above them.
HEDDLE_DEVICE_INLINE U32 __heddle_sparse_choice(U32 A, U32 B, U32 C, U32 D) {
  bool AB = A >= B, AC = A >= C, AD = A >= D;
  bool BC = B >= C, BD = B >= D, CD = C >= D;
  // An element stays that fewer than two others come before.
  bool HasA = !AB + !AC + !AD < 2;
  bool HasB = AB + !BC + !BD < 2;
  bool HasC = AC + BC + !CD < 2;
  bool HasD = AD + BD + CD < 2;
  U32 First = HasA ? 0 : HasB ? 1 : 2;
  U32 Second = HasD ? 3 : HasC ? 2 : 1;
  return First | Second << 2;
}

/// A descriptor that does not go with elements of \p Bits bits ends the kernel.
HEDDLE_DEVICE_INLINE void __heddle_sparse_check(U32 Descriptor, U32 Bits) {
  U32 Type = Descriptor >> TypeShift & TypeMask;
  if (Descriptor & Reserved || Type > (Bits == 16 ? U32(BF16) : U32(E2M3)))
    __builtin_trap();
}
