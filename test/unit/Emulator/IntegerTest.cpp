//===- IntegerTest.cpp - Integer and logic operations -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation on edge values and random ones, against a formula over wider
// integers or bit by bit.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <random>

using namespace heddle::emu::test;

namespace {

using Int128 = __int128;
using UInt128 = unsigned __int128;

constexpr uint64_t Edges[] = {0,
                              1,
                              2,
                              3,
                              31,
                              32,
                              33,
                              63,
                              64,
                              127,
                              128,
                              255,
                              0x7FFF,
                              0x8000,
                              0xFFFF,
                              0x10000,
                              0x7FFFFFFE,
                              0x7FFFFFFF,
                              0x80000000,
                              0x80000001,
                              0xFFFFFFFE,
                              0xFFFFFFFF,
                              0x100000000,
                              0x7FFFFFFFFFFFFFFF,
                              0x8000000000000000,
                              0x8000000000000001,
                              0xFFFFFFFFFFFFFFFF,
                              0x0123456789ABCDEF};

/// Pairs of edge values, with a third, then random ones of random lengths.
std::vector<Sources> makeCases(size_t RandomCount = 4000) {
  std::mt19937_64 Random(42);
  std::vector<Sources> Cases;
  for (uint64_t A : Edges)
    for (uint64_t B : Edges)
      Cases.push_back(
          {A, B, Edges[Random() % std::size(Edges)], bool(Random() & 1)});
  auto Value = [&] { return Random() >> (Random() & 63); };
  for (size_t N = 0; N < RandomCount; ++N)
    Cases.push_back({Value(), Value(), Value(), bool(Random() & 1)});
  return Cases;
}

struct Args {
  uint32_t A, B, C;
  uint64_t A64, B64, C64;
  bool S;
};
Args toArgs(const Sources &In) {
  return {uint32_t(In.A),
          uint32_t(In.B),
          uint32_t(In.C),
          uint64_t(In.A),
          uint64_t(In.B),
          uint64_t(In.C),
          In.S};
}

/// Compares the low Bits of d with a reference.
void checkValue(std::string_view Name, const Fields &Modifiers, unsigned Bits,
                const std::function<uint64_t(const Args &)> &Reference) {
  static const std::vector<Sources> Cases = makeCases();
  std::vector<Result> Results = evaluate(Name, Modifiers, Cases);
  for (size_t N = 0; N < Cases.size(); ++N) {
    Args In = toArgs(Cases[N]);
    uint64_t Mask = ~uint64_t(0) >> (64 - Bits);
    ASSERT_EQ(uint64_t(Results[N].D) & Mask, Reference(In) & Mask)
        << Name << " a " << In.A64 << " b " << In.B64 << " c " << In.C64
        << " s " << In.S;
    ASSERT_EQ(uint64_t(Results[N].D >> Bits), 0u) << Name << " writes too much";
  }
}

void checkPredicate(std::string_view Name, const Fields &Modifiers,
                    const std::function<bool(const Args &)> &Reference) {
  static const std::vector<Sources> Cases = makeCases();
  std::vector<Result> Results = evaluate(Name, Modifiers, Cases);
  for (size_t N = 0; N < Cases.size(); ++N) {
    Args In = toArgs(Cases[N]);
    ASSERT_EQ(Results[N].P, Reference(In))
        << Name << " a " << In.A64 << " b " << In.B64 << " c " << In.C64
        << " s " << In.S;
  }
}

Int128 s32(uint32_t V) { return int32_t(V); }
Int128 s64(uint64_t V) { return int64_t(V); }
bool bit(UInt128 V, unsigned N) { return V >> N & 1; }

TEST(Integer, Addition) {
  for (unsigned Signs = 0; Signs < 8; ++Signs) {
    bool NA = Signs & 1, NB = Signs & 2, NC = Signs & 4;
    checkValue("IADD3_r", {{Role::ma, NA}, {Role::mb, NB}, {Role::mc, NC}}, 32,
               [=](const Args &X) {
                 return (NA ? -s32(X.A) : s32(X.A)) +
                        (NB ? -s32(X.B) : s32(X.B)) +
                        (NC ? -s32(X.C) : s32(X.C));
               });
    checkValue("IADD64_r", {{Role::ma, NA}, {Role::mb, NB}}, 64,
               [=](const Args &X) {
                 return (NA ? -s64(X.A64) : s64(X.A64)) +
                        (NB ? -s64(X.B64) : s64(X.B64));
               });
  }
  checkValue("IADD3_i", {{Role::b, 0xFFFFFFF0}}, 32,
             [](const Args &X) { return X.A - 16 + X.C; });
  checkValue("IADD3_ci", {{Role::c, 77}, {Role::mc, 1}}, 32,
             [](const Args &X) { return X.A + X.B - 77; });
  checkValue("IADD64_i", {{Role::b, 0xFFFFFFF0}}, 64,
             [](const Args &X) { return X.A64 - 16; });
}

TEST(Integer, CarryChains) {
  for (bool Invert : {false, true})
    for (bool NotS : {false, true}) {
      auto Sum = [=](const Args &X) {
        return UInt128(X.A) + (Invert ? uint32_t(~X.B) : X.B) + (X.S != NotS);
      };
      Fields F = {{Role::mb, Invert}, {Role::sn, NotS}};
      checkValue("IADDC_r", F, 32, [=](const Args &X) { return Sum(X); });
      checkPredicate("IADDC_r", F,
                     [=](const Args &X) { return bit(Sum(X), 32); });
    }
}

TEST(Integer, ShiftedAddition) {
  for (unsigned Shift : {0, 1, 4, 31}) {
    checkValue("LEA_r", {{Role::sh, Shift}}, 32, [=](const Args &X) {
      return UInt128(X.A) * (UInt128(1) << Shift) + X.B;
    });
    checkValue("LEA64_r", {{Role::sh, Shift}, {Role::ext, 0}}, 64,
               [=](const Args &X) {
                 return UInt128(X.A) * (UInt128(1) << Shift) + X.B64;
               });
    checkValue("LEA64_r", {{Role::sh, Shift}, {Role::ext, 1}}, 64,
               [=](const Args &X) {
                 return s32(X.A) * (Int128(1) << Shift) + s64(X.B64);
               });
    checkValue("LEA64_i", {{Role::sh, Shift}, {Role::b, 0x80000000}}, 64,
               [=](const Args &X) {
                 return UInt128(X.A) * (UInt128(1) << Shift) -
                        (UInt128(1) << 31);
               });
  }
}

TEST(Integer, Multiplication) {
  checkValue("IMAD_r", {}, 32,
             [](const Args &X) { return UInt128(X.A) * X.B + X.C; });
  checkValue("IMAD_r", {{Role::mc, 1}}, 32,
             [](const Args &X) { return s32(X.A) * s32(X.B) - s32(X.C); });
  checkValue("IMADHI_r", {{Role::sgn, 0}}, 32,
             [](const Args &X) { return (UInt128(X.A) * X.B >> 32) + X.C; });
  checkValue("IMADHI_r", {{Role::sgn, 1}}, 32,
             [](const Args &X) { return (s32(X.A) * s32(X.B) >> 32) + X.C; });
  checkValue("IMADW_r", {{Role::sgn, 0}}, 64,
             [](const Args &X) { return UInt128(X.A) * X.B + X.C64; });
  checkValue("IMADW_r", {{Role::sgn, 1}}, 64,
             [](const Args &X) { return s32(X.A) * s32(X.B) + s64(X.C64); });
  checkValue("IMADW_ci", {{Role::sgn, 0}, {Role::c, 0xFFFFFFFF}}, 64,
             [](const Args &X) { return UInt128(X.A) * X.B - 1; });
}

TEST(Integer, SumOfAbsoluteDifference) {
  checkValue("ISAD_r", {{Role::sgn, 0}}, 32, [](const Args &X) {
    Int128 D = Int128(X.A) - X.B;
    return (D < 0 ? -D : D) + X.C;
  });
  checkValue("ISAD_r", {{Role::sgn, 1}}, 32, [](const Args &X) {
    Int128 D = s32(X.A) - s32(X.B);
    return (D < 0 ? -D : D) + X.C;
  });
}

TEST(Integer, DotProducts) {
  auto Byte = [](uint32_t V, unsigned N, bool Signed) -> Int128 {
    uint8_t B = V >> (8 * N);
    return Signed ? Int128(int8_t(B)) : Int128(B);
  };
  auto Half = [](uint32_t V, unsigned N, bool Signed) -> Int128 {
    uint16_t H = V >> (16 * N);
    return Signed ? Int128(int16_t(H)) : Int128(H);
  };
  for (bool SA : {false, true})
    for (bool SB : {false, true}) {
      checkValue("DP4A_r", {{Role::sgn, SA}, {Role::sgnb, SB}}, 32,
                 [=](const Args &X) {
                   Int128 Sum = X.C;
                   for (unsigned N = 0; N < 4; ++N)
                     Sum += Byte(X.A, N, SA) * Byte(X.B, N, SB);
                   return Sum;
                 });
      for (unsigned H : {0, 1})
        checkValue("DP2A_r",
                   {{Role::sgn, SA}, {Role::sgnb, SB}, {Role::half, H}}, 32,
                   [=](const Args &X) {
                     return Half(X.A, 0, SA) * Byte(X.B, 2 * H, SB) +
                            Half(X.A, 1, SA) * Byte(X.B, 2 * H + 1, SB) + X.C;
                   });
    }
}

bool relation(unsigned Code, Int128 A, Int128 B) {
  switch (Code) {
  case 1:
    return A < B;
  case 2:
    return A == B;
  case 3:
    return A <= B;
  case 4:
    return A > B;
  case 5:
    return A != B;
  case 6:
    return A >= B;
  default:
    return Code == 7;
  }
}
bool combined(unsigned Op, bool A, bool B) {
  return Op == 0 ? A && B : Op == 1 ? A || B : A != B;
}

TEST(Integer, Comparison) {
  for (unsigned Code = 0; Code < 8; ++Code)
    for (bool Signed : {false, true}) {
      unsigned Bop = Code % 3;
      bool NotS = Code & 1;
      Fields F = {{Role::cmp, Code},
                  {Role::sgn, Signed},
                  {Role::bop, Bop},
                  {Role::sn, NotS}};
      // In place of never and always: whether bits are set in both.
      bool Tests = Code == 0 || Code == 7;
      checkPredicate("ISETP_r", F, [=](const Args &X) {
        bool Value = Tests    ? ((X.A & X.B) != 0) == (Code == 7)
                     : Signed ? relation(Code, s32(X.A), s32(X.B))
                              : relation(Code, X.A, X.B);
        return combined(Bop, Value, X.S != NotS);
      });
      checkPredicate("ISETP64_r", F, [=](const Args &X) {
        bool Value = Tests    ? ((X.A64 & X.B64) != 0) == (Code == 7)
                     : Signed ? relation(Code, s64(X.A64), s64(X.B64))
                              : relation(Code, X.A64, X.B64);
        return combined(Bop, Value, X.S != NotS);
      });
    }
  checkPredicate("ISETP64_i",
                 {{Role::cmp, 2}, {Role::s, PT}, {Role::b, 0xFFFFFFFF}},
                 [](const Args &X) { return X.A64 == ~uint64_t(0); });
}

TEST(Integer, MinimumMaximumAbsolute) {
  for (unsigned Max : {0, 1})
    for (unsigned Signed : {0, 1}) {
      Fields F = {{Role::minmax, Max}, {Role::sgn, Signed}};
      auto Value = [=](uint32_t V) { return Signed ? s32(V) : Int128(V); };
      auto Pick = [=](Int128 A, Int128 B) {
        return Max ? std::max(A, B) : std::min(A, B);
      };
      checkValue("IMNMX_r", F, 32,
                 [=](const Args &X) { return Pick(Value(X.A), Value(X.B)); });
      checkValue("IMNMX3_r", F, 32, [=](const Args &X) {
        return Pick(Pick(Value(X.A), Value(X.B)), Value(X.C));
      });
      checkValue("IMNMX64_r", F, 64, [=](const Args &X) {
        return Signed ? Pick(s64(X.A64), s64(X.B64))
                      : Pick(Int128(X.A64), Int128(X.B64));
      });
    }
  checkValue("IABS_r", {}, 32,
             [](const Args &X) { return s32(X.B) < 0 ? -s32(X.B) : s32(X.B); });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

// The values of ElementThen.
enum { Nothing, Accumulate, ThenMin, ThenMax };

/// By the place in ElementOp.
Int128 firstOnElements(unsigned Fn, Int128 A, Int128 B) {
  static constexpr unsigned Codes[] = {2, 5, 1, 3, 4, 6};
  switch (Fn) {
  case 0:
    return A + B;
  case 1:
    return A - B;
  case 2:
    return A < B ? A : B;
  case 3:
    return A < B ? B : A;
  case 4: { // The nearest to half the sum, ties away from zero.
    Int128 Sum = A + B;
    return Sum < 0 ? -((1 - Sum) / 2) : (Sum + 1) / 2;
  }
  case 5: {
    Int128 Sum = A + B;
    return Sum < 0 ? -((1 - Sum) / 2) : Sum / 2;
  }
  case 6:
    return A < B ? B - A : A - B;
  default:
    return -Int128(relation(Codes[Fn - 7], A, B));
  }
}

/// VALU on elements of type \p T, from the words' memory.
template <typename T>
uint32_t elementsOf(const Args &X, unsigned Fn, bool Sat, unsigned Then,
                    bool Relu) {
  constexpr size_t Count = sizeof(uint32_t) / sizeof(T);
  using Limits = std::numeric_limits<T>;
  T A[Count], B[Count], C[Count], D[Count];
  std::memcpy(A, &X.A, sizeof(A));
  std::memcpy(B, &X.B, sizeof(B));
  std::memcpy(C, &X.C, sizeof(C));
  Int128 Sum = X.C;
  for (size_t N = 0; N < Count; ++N) {
    Int128 R = firstOnElements(Fn, A[N], B[N]);
    if (Sat)
      R = std::clamp<Int128>(R, Limits::min(), Limits::max());
    Sum += Fn >= 7 ? -R : R;
    T E = static_cast<T>(R);
    if (Then == ThenMin)
      E = std::min(E, C[N]);
    if (Then == ThenMax)
      E = std::max(E, C[N]);
    D[N] = Relu && E < 0 ? T(0) : E;
  }
  if (Then == Accumulate)
    return uint32_t(Sum);
  uint32_t Word;
  std::memcpy(&Word, D, sizeof(Word));
  return Word;
}

uint32_t elementsOf(unsigned Type, const Args &X, unsigned Fn, bool Sat,
                    unsigned Then, bool Relu) {
  switch (Type) {
  case 0:
    return elementsOf<uint32_t>(X, Fn, Sat, Then, Relu);
  case 1:
    return elementsOf<int32_t>(X, Fn, Sat, Then, Relu);
  case 2:
    return elementsOf<uint16_t>(X, Fn, Sat, Then, Relu);
  case 3:
    return elementsOf<int16_t>(X, Fn, Sat, Then, Relu);
  case 4:
    return elementsOf<uint8_t>(X, Fn, Sat, Then, Relu);
  default:
    return elementsOf<int8_t>(X, Fn, Sat, Then, Relu);
  }
}

/// Words of bytes at the edges of their types' ranges, and others.
std::vector<Sources> makeElementCases() {
  static constexpr uint8_t Bytes[] = {0,    1,    2,    0x7E, 0x7F,
                                      0x80, 0x81, 0xFE, 0xFF};
  std::mt19937 Random(7);
  auto Word = [&] {
    uint32_t V = 0;
    for (unsigned N = 0; N < 4; ++N)
      V = V << 8 | (Random() % 4 ? Bytes[Random() % std::size(Bytes)]
                                 : uint8_t(Random()));
    return V;
  };
  std::vector<Sources> Cases;
  for (unsigned N = 0; N < 1024; ++N)
    Cases.push_back({Word(), Word(), Word(), false});
  return Cases;
}

TEST(Integer, Elements) {
  std::vector<Sources> Cases = makeElementCases();
  for (unsigned Fn = 0; Fn < 13; ++Fn)
    for (unsigned Type = 0; Type < 6; ++Type)
      for (unsigned Then = 0; Then < 4; ++Then)
        for (unsigned Flags = 0; Flags < 4; ++Flags) {
          bool Sat = Flags & 1, Relu = Flags & 2;
          if ((Sat && Fn > 1 && Fn != 6) ||
              (Relu && (Type % 2 == 0 || Then == Accumulate)))
            continue;
          Fields F = {{Role::fn, Fn},
                      {Role::ety, Type},
                      {Role::sat, Sat},
                      {Role::then, Then},
                      {Role::relu, Relu}};
          std::vector<Result> Results = evaluate("VALU_r", F, Cases);
          for (size_t N = 0; N < Cases.size(); ++N) {
            Args X = toArgs(Cases[N]);
            ASSERT_EQ(uint32_t(Results[N].D),
                      elementsOf(Type, X, Fn, Sat, Then, Relu))
                << std::hex << "fn " << Fn << " ety " << Type << " sat " << Sat
                << " then " << Then << " relu " << Relu << " a " << X.A << " b "
                << X.B << " c " << X.C;
          }
        }
}

TEST(Integer, Selection) {
  checkValue("SEL_r", {}, 32, [](const Args &X) { return X.S ? X.A : X.B; });
  checkValue("SEL_r", {{Role::sn, 1}}, 32,
             [](const Args &X) { return X.S ? X.B : X.A; });
  checkValue("SEL64_r", {}, 64,
             [](const Args &X) { return X.S ? X.A64 : X.B64; });
  checkValue("SEL64_i", {{Role::b, 0x80000000}}, 64,
             [](const Args &X) { return X.S ? X.A64 : 0xFFFFFFFF80000000; });
}

TEST(Integer, Logic) {
  for (unsigned Lut :
       {0x00, 0x01, 0x80, 0xC0, 0x3C, 0x96, 0xE8, 0xCA, 0x1B, 0xFF})
    checkValue("LOP3_r", {{Role::lut, Lut}}, 32, [=](const Args &X) {
      uint64_t D = 0;
      for (unsigned N = 0; N < 32; ++N) {
        unsigned Index = bit(X.A, N) * 4 + bit(X.B, N) * 2 + bit(X.C, N);
        D |= uint64_t(Lut >> Index & 1) << N;
      }
      return D;
    });
}

TEST(Integer, Shifts) {
  checkValue("SHL_r", {}, 32,
             [](const Args &X) { return X.B > 31 ? 0 : UInt128(X.A) << X.B; });
  checkValue("SHR_r", {{Role::sgn, 0}}, 32,
             [](const Args &X) { return X.B > 31 ? 0 : X.A >> X.B; });
  checkValue("SHR_r", {{Role::sgn, 1}}, 32,
             [](const Args &X) { return s32(X.A) >> (X.B > 31 ? 31 : X.B); });
  checkValue("SHL64_r", {}, 64, [](const Args &X) {
    return X.B > 63 ? 0 : UInt128(X.A64) << X.B;
  });
  checkValue("SHR64_r", {{Role::sgn, 0}}, 64,
             [](const Args &X) { return X.B > 63 ? 0 : X.A64 >> X.B; });
  checkValue("SHR64_r", {{Role::sgn, 1}}, 64,
             [](const Args &X) { return s64(X.A64) >> (X.B > 63 ? 63 : X.B); });
  for (unsigned Wrap : {0, 1}) {
    auto Amount = [=](uint32_t B) { return Wrap ? B % 32 : B > 32 ? 32 : B; };
    auto Pair = [](const Args &X) { return UInt128(X.C) << 32 | X.A; };
    checkValue("FSHL_r", {{Role::fn, Wrap}}, 32,
               [=](const Args &X) { return Pair(X) << Amount(X.B) >> 32; });
    checkValue("FSHR_r", {{Role::fn, Wrap}}, 32,
               [=](const Args &X) { return Pair(X) >> Amount(X.B); });
  }
}

TEST(Integer, BitFields) {
  for (unsigned Signed : {0, 1})
    checkValue("BFE_r", {{Role::sgn, Signed}}, 32, [=](const Args &X) {
      // PTX's own loop.
      unsigned Pos = X.B & 255, Len = X.B >> 8 & 255;
      bool Sign = Signed && Len ? bit(X.A, std::min(Pos + Len - 1, 31u)) : 0;
      uint64_t D = 0;
      for (unsigned N = 0; N < 32; ++N)
        D |= uint64_t(N < Len && Pos + N < 32 ? bit(X.A, Pos + N) : Sign) << N;
      return D;
    });
  checkValue("BFI_r", {}, 32, [](const Args &X) {
    unsigned Pos = X.B & 255, Len = X.B >> 8 & 255;
    uint64_t D = X.C;
    for (unsigned N = 0; N < Len && Pos + N < 32; ++N)
      D = (D & ~(uint64_t(1) << (Pos + N))) | uint64_t(N < 32 && bit(X.A, N))
                                                  << (Pos + N);
    return D;
  });
  // Fields of every length at every place.
  for (unsigned B = 0; B < 40 * 256; B += 256 * 3 + 5)
    checkValue("BFE_i", {{Role::sgn, 1}, {Role::b, B}}, 32, [=](const Args &X) {
      unsigned Pos = B & 255, Len = B >> 8 & 255;
      bool Sign = Len ? bit(X.A, std::min(Pos + Len - 1, 31u)) : 0;
      uint64_t D = 0;
      for (unsigned N = 0; N < 32; ++N)
        D |= uint64_t(N < Len && Pos + N < 32 ? bit(X.A, Pos + N) : Sign) << N;
      return D;
    });
}

TEST(Integer, BitCounts) {
  checkValue("BREV_r", {}, 32, [](const Args &X) {
    uint64_t D = 0;
    for (unsigned N = 0; N < 32; ++N)
      D |= uint64_t(bit(X.B, N)) << (31 - N);
    return D;
  });
  checkValue("POPC_r", {}, 32, [](const Args &X) {
    uint64_t D = 0;
    for (unsigned N = 0; N < 32; ++N)
      D += bit(X.B, N);
    return D;
  });
  for (unsigned Signed : {0, 1})
    for (unsigned Mode : {0, 1, 2})
      checkValue("FLO_r", {{Role::fn, Mode}, {Role::sgn, Signed}}, 32,
                 [=](const Args &X) -> uint64_t {
                   bool Sign = Signed && bit(X.B, 31);
                   int Pos = 31;
                   while (Pos >= 0 && bit(X.B, Pos) == Sign)
                     --Pos;
                   if (Mode == 2) // Leading zeros, or sign bits less one.
                     return 31 - Pos - (Signed ? 1 : 0);
                   if (Pos < 0)
                     return ~uint64_t(0);
                   return Mode ? 31 - Pos : Pos;
                 });
}

TEST(Integer, BytePermutation) {
  // The tables of the PTX manual, as digits of the bytes from the high to the
  // low one, by selector.
  struct {
    unsigned Mode;
    const char *Bytes[4];
  } Tables[] = {{1, {"3210", "4321", "5432", "6543"}},
                {2, {"5670", "6701", "7012", "0123"}},
                {3, {"0000", "1111", "2222", "3333"}},
                {4, {"3210", "3211", "3222", "3333"}},
                {5, {"0000", "1110", "2210", "3210"}},
                {6, {"1010", "3232", "1010", "3232"}}};
  auto Byte = [](const Args &X, unsigned N) -> uint64_t {
    return (UInt128(X.C) << 32 | X.A) >> (8 * N) & 255;
  };
  for (const auto &T : Tables)
    checkValue("PRMT_r", {{Role::fn, T.Mode}}, 32, [=](const Args &X) {
      uint64_t D = 0;
      for (unsigned N = 0; N < 4; ++N)
        D = D << 8 | Byte(X, T.Bytes[X.B & 3][N] - '0');
      return D;
    });
  checkValue("PRMT_r", {{Role::fn, 0}}, 32, [=](const Args &X) {
    uint64_t D = 0;
    for (unsigned N = 0; N < 4; ++N) {
      unsigned Nibble = X.B >> (4 * N) & 15;
      uint64_t V = Byte(X, Nibble & 7);
      if (Nibble & 8)
        V = V >= 128 ? 255 : 0;
      D |= V << (8 * N);
    }
    return D;
  });
}

TEST(Integer, Moves) {
  checkValue("MOV_r", {}, 32, [](const Args &X) { return X.B; });
  checkValue("MOV_i", {{Role::b, 0xDEADBEEF}}, 32,
             [](const Args &) { return 0xDEADBEEF; });
  checkValue("MOV64_r", {}, 64, [](const Args &X) { return X.B64; });
  checkValue("MOV64_i", {{Role::b, 0x80000000}}, 64,
             [](const Args &) { return 0xFFFFFFFF80000000; });
  checkValue("MOV64W", {{Role::wide, 0x0123456789ABCDEF}}, 64,
             [](const Args &) { return 0x0123456789ABCDEF; });
}

TEST(Integer, PredicateLogic) {
  // t and v are P0 and P4, which nothing has written: false.
  for (unsigned Lut : {0x00, 0x10, 0x96, 0xF0, 0x0F, 0xFF})
    for (unsigned N = 0; N < 4; ++N)
      checkPredicate("PLOP3",
                     {{Role::b, Lut},
                      {Role::t, 0},
                      {Role::tn, N & 1},
                      {Role::v, 4},
                      {Role::vn, N >> 1}},
                     [=](const Args &X) {
                       return bit(Lut, X.S * 4 + (N & 1) * 2 + (N >> 1));
                     });
}

} // namespace
