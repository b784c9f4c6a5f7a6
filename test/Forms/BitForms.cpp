//===- BitForms.cpp - Logic, shifts, bit fields, permutations ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values follow the manual's pseudocode, bit by bit.
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

static void addLogic(FormList &List) {
  struct Operation {
    const char *Name;
    uint64_t (*Compute)(uint64_t, uint64_t);
  };
  static constexpr Operation Operations[] = {
      {"and", [](uint64_t A, uint64_t B) { return A & B; }},
      {"or", [](uint64_t A, uint64_t B) { return A | B; }},
      {"xor", [](uint64_t A, uint64_t B) { return A ^ B; }}};
  for (const Operation &Op : Operations) {
    auto Compute = [Op](Words S, uint64_t *D) {
      D[0] = Op.Compute(S[0], S[1]);
    };
    for (IntType T : Bits16To64)
      List.add(std::string(Op.Name) + "." + T.Name,
               {integers(T.Bits), integers(T.Bits)}, {bits(T.Bits)}, Compute);
    List.add(std::string(Op.Name) + ".pred", {predicates(), predicates()},
             {predicate()}, Compute);
  }
  for (IntType T : Bits16To64) {
    List.add(std::string("not.") + T.Name, {integers(T.Bits)}, {bits(T.Bits)},
             [](Words S, uint64_t *D) { D[0] = ~S[0]; });
    List.add(std::string("cnot.") + T.Name, {integers(T.Bits)}, {bits(T.Bits)},
             [](Words S, uint64_t *D) { D[0] = S[0] == 0; });
  }
  List.add("not.pred", {predicates()}, {predicate()},
           [](Words S, uint64_t *D) { D[0] = ~S[0]; });
}

/// Bit I of the result is the bit of Lut that the sources' bits I number.
static uint32_t lookUp(unsigned Lut, uint64_t A, uint64_t B, uint64_t C) {
  uint32_t D = 0;
  for (unsigned I = 0; I != 32; ++I) {
    unsigned Index = (A >> I & 1) << 2 | (B >> I & 1) << 1 | (C >> I & 1);
    D |= (Lut >> Index & 1) << I;
  }
  return D;
}

static void addLop3(FormList &List) {
  Source Word = integers(32);
  for (unsigned Lut = 0; Lut != 256; ++Lut) {
    std::string Number = std::to_string(Lut);
    List.addText(
        "lop3.b32 " + Number, "lop3.b32 $d0, $s0, $s1, $s2, " + Number + ";",
        {Word, Word, Word}, {bits(32)},
        [Lut](Words S, uint64_t *D) { D[0] = lookUp(Lut, S[0], S[1], S[2]); });
  }
  for (bool And : {false, true})
    for (unsigned Lut : {0x00u, 0x80u, 0x96u, 0xE8u, 0xFEu})
      for (bool Sink : {false, true}) {
        std::string Op = And ? "and" : "or", Number = std::to_string(Lut);
        std::string Dest = Sink ? "_|$d1" : "$d0|$d1";
        List.addText("lop3." + Op + ".b32 " + Number + (Sink ? " _|p" : " d|p"),
                     (Sink ? "mov.b32 $d0, 0; lop3." : "lop3.") + Op + ".b32 " +
                         Dest + ", $s0, $s1, $s2, " + Number + ", $s3;",
                     {Word, Word, Word, predicates()}, {bits(32), predicate()},
                     [=](Words S, uint64_t *D) {
                       uint32_t V = lookUp(Lut, S[0], S[1], S[2]);
                       D[0] = Sink ? 0 : V;
                       D[1] = And ? (V != 0) & S[3] : (V != 0) | S[3];
                     });
      }
}

//===----------------------------------------------------------------------===//
// Shifts
//===----------------------------------------------------------------------===//

static void addShifts(FormList &List) {
  for (IntType T : Bits16To64)
    List.add(std::string("shl.") + T.Name, {integers(T.Bits), amounts()},
             {bits(T.Bits)}, [T](Words S, uint64_t *D) {
               D[0] = S[1] >= T.Bits ? 0 : S[0] << S[1];
             });
  auto AddRight = [&](IntType T) {
    List.add(std::string("shr.") + T.Name, {integers(T.Bits), amounts()},
             {bits(T.Bits)}, [T](Words S, uint64_t *D) {
               D[0] = static_cast<uint64_t>(T.value(S[0]) >>
                                            std::min<uint64_t>(S[1], T.Bits));
             });
  };
  for (IntType T : Bits16To64)
    AddRight(T);
  for (IntType T : Int16To64)
    AddRight(T);
  for (bool Clamp : {false, true})
    for (bool Left : {false, true})
      List.add(std::string("shf") + (Left ? ".l" : ".r") +
                   (Clamp ? ".clamp" : ".wrap") + ".b32",
               {integers(32), integers(32), amounts()}, {bits(32)},
               [=](Words S, uint64_t *D) {
                 uint64_t N = Clamp ? std::min<uint64_t>(S[2], 32) : S[2] & 31;
                 UInt128 Pair = UInt128(S[1]) << 32 | S[0];
                 D[0] =
                     static_cast<uint64_t>(Left ? Pair << N >> 32 : Pair >> N);
               });
}

//===----------------------------------------------------------------------===//
// Counts and bit fields
//===----------------------------------------------------------------------===//

static unsigned highestBit(uint64_t V) {
  unsigned At = ~0u;
  for (unsigned I = 0; I != 64; ++I)
    if (V >> I & 1)
      At = I;
  return At;
}

static void addCounts(FormList &List) {
  for (unsigned Bits : {32u, 64u}) {
    std::string Type = ".b" + std::to_string(Bits);
    List.add("popc" + Type, {integers(Bits)}, {bits(32)},
             [](Words S, uint64_t *D) {
               D[0] = 0;
               for (unsigned I = 0; I != 64; ++I)
                 D[0] += S[0] >> I & 1;
             });
    List.add("clz" + Type, {integers(Bits)}, {bits(32)},
             [Bits](Words S, uint64_t *D) {
               D[0] = S[0] ? Bits - 1 - highestBit(S[0]) : Bits;
             });
    List.add("brev" + Type, {integers(Bits)}, {bits(Bits)},
             [Bits](Words S, uint64_t *D) {
               D[0] = 0;
               for (unsigned I = 0; I != Bits; ++I)
                 D[0] |= (S[0] >> I & 1) << (Bits - 1 - I);
             });
  }
  for (IntType T : Int32To64)
    for (bool Amount : {false, true})
      List.add(
          std::string("bfind") + optional(Amount, ".shiftamt") + "." + T.Name,
          {integers(T.Bits)}, {bits(32)}, [=](Words S, uint64_t *D) {
            bool Negative = T.value(S[0]) < 0;
            unsigned At = highestBit(lowBits(Negative ? ~S[0] : S[0], T.Bits));
            D[0] = Amount && At != ~0u ? T.Bits - 1 - At : At;
          });
}

static void addFields(FormList &List) {
  for (IntType T : Int32To64)
    List.add(
        std::string("bfe.") + T.Name, {integers(T.Bits), amounts(), amounts()},
        {bits(T.Bits)}, [T](Words S, uint64_t *D) {
          uint64_t Pos = S[1] & 0xFF, Len = S[2] & 0xFF, Top = T.Bits - 1;
          uint64_t Sign = !T.Signed || Len == 0
                              ? 0
                              : S[0] >> std::min(Pos + Len - 1, Top) & 1;
          D[0] = 0;
          for (uint64_t I = 0; I <= Top; ++I)
            D[0] |= (I < Len && Pos + I <= Top ? S[0] >> (Pos + I) & 1 : Sign)
                    << I;
        });
  for (unsigned Bits : {32u, 64u})
    List.add("bfi.b" + std::to_string(Bits),
             {integers(Bits), integers(Bits), amounts(), amounts()},
             {bits(Bits)}, [Bits](Words S, uint64_t *D) {
               uint64_t Pos = S[2] & 0xFF, Len = S[3] & 0xFF;
               D[0] = S[1];
               for (uint64_t I = 0; I < Len && Pos + I < Bits; ++I) {
                 uint64_t Bit = uint64_t(1) << (Pos + I);
                 D[0] = S[0] >> I & 1 ? D[0] | Bit : D[0] & ~Bit;
               }
             });
}

/// Base is at most 31 in programs that PTX defines.
static uint32_t findNthSet(uint32_t Mask, uint32_t Base, int32_t Offset) {
  if (Base > 31)
    return ~0u;
  if (Offset == 0)
    return Mask >> Base & 1 ? Base : ~0u;
  int64_t Count = (Offset < 0 ? -int64_t(Offset) : Offset) - 1;
  for (int Pos = static_cast<int>(Base); Pos >= 0 && Pos < 32;
       Pos += Offset > 0 ? 1 : -1)
    if (Mask >> Pos & 1 && Count-- == 0)
      return static_cast<uint32_t>(Pos);
  return ~0u;
}

static uint32_t extend(uint32_t A, uint32_t B, bool Clamp, bool Signed) {
  uint32_t Length = B & 31;
  bool TooLarge = B >= 32 && Clamp;
  uint32_t Mask = TooLarge ? 0 : ~0u << Length;
  bool Sign = Length != 0 && !TooLarge && Signed && (A >> (Length - 1) & 1);
  return (A & ~Mask) | (Sign ? Mask : 0);
}

static uint32_t makeMask(uint32_t A, uint32_t B, bool Clamp) {
  uint32_t Mask = 0;
  if (Clamp && A >= 32)
    return 0;
  uint64_t Length = Clamp ? std::min<uint64_t>(B, 32) : B & 31;
  for (uint64_t I = A & 31; I < (A & 31) + Length && I < 32; ++I)
    Mask |= 1u << I;
  return Mask;
}

static void addMasks(FormList &List) {
  List.add("fns.b32", {integers(32), amounts(), amounts()}, {bits(32)},
           [](Words S, uint64_t *D) {
             D[0] = findNthSet(S[0], S[1], static_cast<int32_t>(S[2]));
           });
  for (bool Clamp : {false, true}) {
    std::string Mode = Clamp ? ".clamp" : ".wrap";
    for (IntType T : {U32, S32})
      List.add("szext" + Mode + "." + T.Name, {integers(32), amounts()},
               {bits(32)}, [=](Words S, uint64_t *D) {
                 D[0] = extend(S[0], S[1], Clamp, T.Signed);
               });
    List.add("bmsk" + Mode + ".b32", {amounts(), amounts()}, {bits(32)},
             [=](Words S, uint64_t *D) { D[0] = makeMask(S[0], S[1], Clamp); });
  }
}

//===----------------------------------------------------------------------===//
// Dot products and permutations
//===----------------------------------------------------------------------===//

static void addDotProducts(FormList &List) {
  for (IntType A : {U32, S32})
    for (IntType B : {U32, S32}) {
      std::string Types = std::string(".") + A.Name + "." + B.Name;
      List.add("dp4a" + Types, {bytes(), bytes(), integers(32)}, {bits(32)},
               [=](Words S, uint64_t *D) {
                 Int128 Sum = S[2];
                 for (unsigned I = 0; I != 32; I += 8)
                   Sum += valueOf(S[0] >> I, 8, A.Signed) *
                          valueOf(S[1] >> I, 8, B.Signed);
                 D[0] = static_cast<uint64_t>(Sum);
               });
      for (bool High : {false, true})
        List.add(std::string("dp2a") + (High ? ".hi" : ".lo") + Types,
                 {halves(), bytes(), integers(32)}, {bits(32)},
                 [=](Words S, uint64_t *D) {
                   Int128 Sum = S[2];
                   for (unsigned I : {0, 1})
                     Sum += valueOf(S[0] >> 16 * I, 16, A.Signed) *
                            valueOf(S[1] >> (8 * I + 16 * High), 8, B.Signed);
                   D[0] = static_cast<uint64_t>(Sum);
                 });
    }
}

/// The bytes that a mode picks for the result's bytes 0 to 3, by selector.
struct PermuteMode {
  const char *Name;
  unsigned Picks[4][4];
};
static constexpr PermuteMode PermuteModes[] = {
    {"f4e", {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}, {3, 4, 5, 6}}},
    {"b4e", {{0, 7, 6, 5}, {1, 0, 7, 6}, {2, 1, 0, 7}, {3, 2, 1, 0}}},
    {"rc8", {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}}},
    {"ecl", {{0, 1, 2, 3}, {1, 1, 2, 3}, {2, 2, 2, 3}, {3, 3, 3, 3}}},
    {"ecr", {{0, 0, 0, 0}, {0, 1, 1, 1}, {0, 1, 2, 2}, {0, 1, 2, 3}}},
    {"rc16", {{0, 1, 0, 1}, {2, 3, 2, 3}, {0, 1, 0, 1}, {2, 3, 2, 3}}}};

static void addPermutations(FormList &List) {
  Source Word = integers(32);
  List.add("prmt.b32", {Word, Word, Word}, {bits(32)},
           [](Words S, uint64_t *D) {
             uint64_t Pair = S[1] << 32 | S[0];
             D[0] = mapLanes(4, 8, [&](unsigned Shift) {
               unsigned Control = S[2] >> (Shift / 2) & 15;
               uint64_t Byte = Pair >> (8 * (Control & 7)) & 0xFF;
               return Control & 8 ? (Byte & 0x80 ? 0xFF : 0) : Byte;
             });
           });
  for (const PermuteMode &Mode : PermuteModes)
    List.add(std::string("prmt.b32.") + Mode.Name, {Word, Word, Word},
             {bits(32)}, [&Mode](Words S, uint64_t *D) {
               uint64_t Pair = S[1] << 32 | S[0];
               D[0] = mapLanes(4, 8, [&](unsigned Shift) {
                 return Pair >> (8 * Mode.Picks[S[2] & 3][Shift / 8]);
               });
             });
}

void forms::addBitForms(FormList &List) {
  addLogic(List);
  addLop3(List);
  addShifts(List);
  addCounts(List);
  addFields(List);
  addMasks(List);
  addDotProducts(List);
  addPermutations(List);
}
