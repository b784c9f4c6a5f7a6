//===- FloatTest.cpp - Floating-point operations ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic in the four rounding modes against the host's under fesetround;
// modifiers, conversions and approximations against values computed here.
// SoftFloatTest.cpp checks the rounding itself.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <random>

using namespace heddle::emu::test;

namespace {

constexpr int HostModes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD,
                             FE_UPWARD};

float f32(uint64_t Bits) { return std::bit_cast<float>(uint32_t(Bits)); }
double f64(uint64_t Bits) { return std::bit_cast<double>(Bits); }
uint32_t bits(float V) {
  return std::isnan(V) ? 0x7FFFFFFF : std::bit_cast<uint32_t>(V);
}
uint64_t bits(double V) {
  return std::isnan(V) ? 0xFFF8000000000000 : std::bit_cast<uint64_t>(V);
}
uint32_t flush(uint32_t V) {
  return (V & 0x7F800000) == 0 ? V & 0x80000000 : V;
}
uint32_t modified(uint32_t V, unsigned Modifier) {
  V = Modifier & 2 ? V & 0x7FFFFFFF : V;
  return Modifier & 1 ? V ^ 0x80000000 : V;
}
uint64_t modified64(uint64_t V, unsigned Modifier) {
  V = Modifier & 2 ? V & ~(uint64_t(1) << 63) : V;
  return Modifier & 1 ? V ^ uint64_t(1) << 63 : V;
}

const uint32_t Edges32[] = {
    0,          0x80000000, 1,          0x80000001, 0x007FFFFF, 0x00800000,
    0x3F800000, 0xBF800000, 0x3F800001, 0x3FC00000, 0x40490FDB, 0x4B000000,
    0x4EFFFFFF, 0x4F000000, 0xCF000000, 0xCF000001, 0x4F800000, 0x5F000000,
    0x5F800000, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7FC00000,
    0x7F800001, 0x3F000000, 0xBF000000, 0x3FFFFFFF};
const uint64_t Edges64[] = {0,
                            uint64_t(1) << 63,
                            1,
                            0x000FFFFFFFFFFFFF,
                            0x0010000000000000,
                            0x3FF0000000000000,
                            0xBFF0000000000000,
                            0x3FF0000000000001,
                            0x400921FB54442D18,
                            0x4330000000000000,
                            0x43DFFFFFFFFFFFFF,
                            0x43E0000000000000,
                            0xC3E0000000000000,
                            0x43F0000000000000,
                            0x41DFFFFFFFC00000,
                            0x41E0000000000000,
                            0x7FEFFFFFFFFFFFFF,
                            0x7FF0000000000000,
                            0xFFF0000000000000,
                            0x7FF8000000000000,
                            0x36A0000000000000,
                            0x3690000000000001,
                            0x380FFFFFE0000000,
                            0x47EFFFFFF0000000,
                            0x3FE0000000000000,
                            0x3FF8000000000000};

/// Values in every pair, then random ones with exponents near each other.
template <typename T, typename List>
std::vector<Sources> makeCases(const List &Edges, int FracBits) {
  std::mt19937_64 Random(3);
  std::vector<Sources> Cases;
  for (T A : Edges)
    for (T B : Edges)
      Cases.push_back(
          {A, B, Edges[Random() % std::size(Edges)], bool(Random() & 1)});
  auto Value = [&](T Exp) {
    T Spread = T(Random() % 60) << FracBits;
    T Frac = T(Random()) & ((T(1) << FracBits) - 1);
    T Sign = T(Random() & 1) << (sizeof(T) * 8 - 1);
    return Random() % 8 ? T(Sign | (Exp + Spread) | Frac) : T(Random());
  };
  T Middle = (sizeof(T) == 4 ? T(100) : T(1000)) << FracBits;
  for (int N = 0; N < 6000; ++N)
    Cases.push_back(
        {Value(Middle), Value(Middle), Value(Middle), bool(Random() & 1)});
  return Cases;
}
const std::vector<Sources> &cases32() {
  static const auto Cases = makeCases<uint32_t>(Edges32, 23);
  return Cases;
}
const std::vector<Sources> &cases64() {
  static const auto Cases = makeCases<uint64_t>(Edges64, 52);
  return Cases;
}

struct Args {
  uint64_t A, B, C;
  bool S;
};

void checkValue(std::string_view Name, const Fields &Modifiers,
                const std::vector<Sources> &Cases,
                const std::function<uint64_t(const Args &)> &Reference) {
  std::vector<Result> Results = evaluate(Name, Modifiers, Cases);
  for (size_t N = 0; N < Cases.size(); ++N) {
    Args In{uint64_t(Cases[N].A), uint64_t(Cases[N].B), uint64_t(Cases[N].C),
            Cases[N].S};
    ASSERT_EQ(uint64_t(Results[N].D), Reference(In))
        << std::hex << Name << " a " << In.A << " b " << In.B << " c " << In.C;
  }
}

/// Evaluates Compute, whose operands are volatile, under a rounding mode of the
/// host.
template <typename Fn> auto rounded(unsigned Mode, Fn Compute) {
  std::fesetround(HostModes[Mode]);
  // Volatile, lest the computation move to after the next call.
  volatile auto Value = Compute();
  std::fesetround(FE_TONEAREST);
  return Value;
}

TEST(Float, SinglePrecisionArithmetic) {
  for (unsigned Mode = 0; Mode < 4; ++Mode) {
    Fields F = {{Role::rnd, Mode}};
    checkValue("FADD_r", F, cases32(), [=](const Args &X) {
      volatile float A = f32(X.A), B = f32(X.B);
      return bits(rounded(Mode, [&]() -> float { return A + B; }));
    });
    checkValue("FMUL_r", F, cases32(), [=](const Args &X) {
      volatile float A = f32(X.A), B = f32(X.B);
      return bits(rounded(Mode, [&]() -> float { return A * B; }));
    });
    checkValue("FFMA_r", F, cases32(), [=](const Args &X) {
      volatile float A = f32(X.A), B = f32(X.B), C = f32(X.C);
      return bits(rounded(Mode, [&]() -> float { return fmaf(A, B, C); }));
    });
  }
}

/// Has this thread take subnormal numbers for zeros, if the host can.
void flushSubnormals() {
#if defined(__x86_64__)
  constexpr unsigned FlushToZero = 0x8000, DenormalsAreZeros = 0x40;
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | FlushToZero |
                         DenormalsAreZeros);
#endif
}

std::vector<uint64_t> resultsOfHost() {
  std::vector<uint64_t> All;
  auto Add = [&](const std::vector<Result> &Results) {
    for (const Result &R : Results)
      All.push_back(R.D);
  };
  for (const char *Name : {"FADD_r", "FMUL_r", "FFMA_r"})
    Add(evaluate(Name, {}, cases32()));
  for (const char *Name : {"DADD_r", "DMUL_r", "DFMA_r"})
    Add(evaluate(Name, {}, cases64()));
  return All;
}

/// A program's thread may round in another way, flush subnormal numbers
/// (-ffast-math), and end with a signal where a result is no number
/// (-ffpe-trap). Launches do not, and leave the thread as it was.
TEST(Float, ThreadsOfTheHostAreNotSeen) {
  std::vector<uint64_t> Expected = resultsOfHost();
  std::fenv_t Before;
  std::fegetenv(&Before);
  std::fesetround(FE_UPWARD);
  flushSubnormals();
#if defined(__GLIBC__)
  feenableexcept(FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW);
#endif
  volatile float Least = 1e-45F, One = 1;
  float Flushed = Least * One;
  std::vector<uint64_t> Found = resultsOfHost();
  float FlushedLater = Least * One;
  int RoundsLater = std::fegetround();
  std::fesetenv(&Before);
  EXPECT_EQ(Found, Expected);
  EXPECT_EQ(RoundsLater, FE_UPWARD);
  EXPECT_EQ(bits(FlushedLater), bits(Flushed));
}

TEST(Float, DoublePrecisionArithmetic) {
  for (unsigned Mode = 0; Mode < 4; ++Mode) {
    Fields F = {{Role::rnd, Mode}};
    checkValue("DADD_r", F, cases64(), [=](const Args &X) {
      volatile double A = f64(X.A), B = f64(X.B);
      return bits(rounded(Mode, [&]() -> double { return A + B; }));
    });
    checkValue("DMUL_r", F, cases64(), [=](const Args &X) {
      volatile double A = f64(X.A), B = f64(X.B);
      return bits(rounded(Mode, [&]() -> double { return A * B; }));
    });
    checkValue("DFMA_r", F, cases64(), [=](const Args &X) {
      volatile double A = f64(X.A), B = f64(X.B), C = f64(X.C);
      return bits(rounded(Mode, [&]() -> double { return fma(A, B, C); }));
    });
  }
  // An immediate is the high half.
  checkValue("DADD_i", {{Role::b, 0x3FF80000}}, cases64(),
             [](const Args &X) { return bits(f64(X.A) + 1.5); });
}

TEST(Float, SourceModifiersFlushAndSaturate) {
  for (unsigned M = 0; M < 4; ++M) {
    unsigned N = 3 - M;
    checkValue("FADD_r", {{Role::ma, M}, {Role::mb, N}}, cases32(),
               [=](const Args &X) {
                 return bits(f32(modified(X.A, M)) + f32(modified(X.B, N)));
               });
    checkValue("DMUL_r", {{Role::ma, M}, {Role::mb, N}}, cases64(),
               [=](const Args &X) {
                 return bits(f64(modified64(X.A, M)) * f64(modified64(X.B, N)));
               });
  }
  checkValue("FMUL_r", {{Role::ftz, 1}}, cases32(), [](const Args &X) {
    return flush(bits(f32(flush(X.A)) * f32(flush(X.B))));
  });
  checkValue(
      "FFMA_r", {{Role::ftz, 1}, {Role::mc, 1}}, cases32(), [](const Args &X) {
        return flush(
            bits(fmaf(f32(flush(X.A)), f32(flush(X.B)), -f32(flush(X.C)))));
      });
  checkValue("FADD_r", {{Role::sat, 1}}, cases32(), [](const Args &X) {
    float V = f32(X.A) + f32(X.B);
    return bits(V > 1 ? 1.0f : V > 0 ? V : 0.0f); // NaN compares false.
  });
  checkValue("FADD_i", {{Role::b, bits(0.5f)}, {Role::mb, 1}}, cases32(),
             [](const Args &X) { return bits(f32(X.A) - 0.5f); });
}

bool relation(unsigned Code, double A, double B) {
  if (std::isnan(A) || std::isnan(B))
    return Code >= 8;
  return (A < B && (Code & 1)) || (A == B && (Code & 2)) ||
         (A > B && (Code & 4));
}

TEST(Float, Comparison) {
  for (unsigned Code = 0; Code < 16; ++Code) {
    auto Check = [&](std::string_view Name, const std::vector<Sources> &Cases,
                     auto Value) {
      std::vector<Result> Results =
          evaluate(Name, {{Role::cmp, Code}, {Role::bop, 2}}, Cases);
      for (size_t N = 0; N < Cases.size(); ++N)
        ASSERT_EQ(Results[N].P, relation(Code, Value(Cases[N].A),
                                         Value(Cases[N].B)) != Cases[N].S)
            << Name << " code " << Code;
    };
    Check("FSETP_r", cases32(), [](unsigned __int128 V) { return f32(V); });
    Check("DSETP_r", cases64(), [](unsigned __int128 V) { return f64(V); });
  }
}

TEST(Float, MinimumAndMaximum) {
  auto Pick = [](double A, double B, bool Max) {
    if (std::isnan(A))
      return B;
    if (std::isnan(B))
      return A;
    bool ALess = A < B || (A == B && std::signbit(A));
    return ALess != Max ? A : B;
  };
  for (unsigned Max : {0, 1}) {
    checkValue("FMNMX_r", {{Role::minmax, Max}}, cases32(), [=](const Args &X) {
      return bits(float(Pick(f32(X.A), f32(X.B), Max)));
    });
    checkValue("FMNMX3_r", {{Role::minmax, Max}}, cases32(),
               [=](const Args &X) {
                 return bits(
                     float(Pick(Pick(f32(X.A), f32(X.B), Max), f32(X.C), Max)));
               });
    checkValue("FMNMX_r", {{Role::minmax, Max}, {Role::nan, 1}}, cases32(),
               [=](const Args &X) {
                 float A = f32(X.A), B = f32(X.B);
                 return std::isnan(A) || std::isnan(B)
                            ? 0x7FFFFFFF
                            : bits(float(Pick(A, B, Max)));
               });
    checkValue("DMNMX_r", {{Role::minmax, Max}}, cases64(), [=](const Args &X) {
      return bits(Pick(f64(X.A), f64(X.B), Max));
    });
  }
}

TEST(Float, RoundingToIntegral) {
  for (unsigned Mode = 0; Mode < 4; ++Mode) {
    checkValue("FRND", {{Role::rnd, Mode}}, cases32(), [=](const Args &X) {
      volatile float B = f32(X.B);
      return bits(rounded(Mode, [&]() -> float { return nearbyintf(B); }));
    });
    checkValue("DRND", {{Role::rnd, Mode}}, cases64(), [=](const Args &X) {
      volatile double B = f64(X.B);
      return bits(rounded(Mode, [&]() -> double { return nearbyint(B); }));
    });
  }
}

/// The integer that a rounded real becomes.
uint64_t clamped(double V, unsigned Width, bool Signed, uint64_t NaNValue) {
  if (std::isnan(V))
    return NaNValue;
  double High = std::ldexp(1.0, Signed ? Width - 1 : Width);
  double Low = Signed ? -High : 0;
  uint64_t Max = ~uint64_t(0) >> (Signed ? 65 - Width : 64 - Width);
  if (V >= High)
    return Max;
  if (V <= Low)
    return Signed ? ~Max : 0;
  return V < 0 ? uint64_t(int64_t(V)) : uint64_t(V);
}

TEST(Float, ConversionToIntegers) {
  for (unsigned Mode = 0; Mode < 4; ++Mode)
    for (unsigned Type = 0; Type < 6; ++Type) {
      unsigned Width = 32 >> (Type / 2);
      bool Signed = Type & 1;
      auto Round = [=](double V) {
        volatile double In = V;
        return rounded(Mode, [&]() -> double { return nearbyint(In); });
      };
      Fields F = {{Role::dty, Type}, {Role::rnd, Mode}};
      checkValue("F2I", F, cases32(), [=](const Args &X) {
        return uint32_t(clamped(Round(f32(X.B)), Width, Signed, 0));
      });
      checkValue("D2I", F, cases64(), [=](const Args &X) {
        return uint32_t(clamped(Round(f64(X.B)), Width, Signed, 0));
      });
      if (Type >= 2)
        continue;
      uint64_t NaN = 0x8000000000000000;
      checkValue("F2I64", F, cases32(), [=](const Args &X) {
        return clamped(Round(f32(X.B)), 64, Signed, NaN);
      });
      checkValue("D2I64", F, cases64(), [=](const Args &X) {
        return clamped(Round(f64(X.B)), 64, Signed, NaN);
      });
    }
}

TEST(Float, ConversionFromIntegers) {
  for (unsigned Mode = 0; Mode < 4; ++Mode) {
    // The host's conversion of an unsigned zero rounding down is -0.
    auto Single = [=](auto V) {
      if (V == 0)
        return bits(0.0f);
      volatile auto In = V;
      return bits(rounded(Mode, [&]() -> float { return float(In); }));
    };
    auto Double = [=](auto V) {
      if (V == 0)
        return bits(0.0);
      volatile auto In = V;
      return bits(rounded(Mode, [&]() -> double { return double(In); }));
    };
    auto Check = [&](unsigned Type, auto Zero) {
      using T = decltype(Zero);
      Fields F = {{Role::sty, Type}, {Role::rnd, Mode}};
      checkValue("I2F", F, cases32(),
                 [=](const Args &X) { return Single(T(X.B)); });
      checkValue("I2D", {{Role::sty, Type}}, cases32(),
                 [=](const Args &X) { return Double(T(X.B)); });
    };
    Check(0, uint32_t());
    Check(1, int32_t());
    Check(2, uint16_t());
    Check(3, int16_t());
    Check(4, uint8_t());
    Check(5, int8_t());
    for (unsigned Signed : {0, 1}) {
      Fields F = {{Role::sty, Signed}, {Role::rnd, Mode}};
      checkValue("I642F", F, cases64(), [=](const Args &X) {
        return Signed ? Single(int64_t(X.B)) : Single(X.B);
      });
      checkValue("I642D", F, cases64(), [=](const Args &X) {
        return Signed ? Double(int64_t(X.B)) : Double(X.B);
      });
    }
  }
}

TEST(Float, ConversionBetweenFloats) {
  for (unsigned Mode = 0; Mode < 4; ++Mode)
    checkValue("D2F", {{Role::rnd, Mode}}, cases64(), [=](const Args &X) {
      volatile double B = f64(X.B);
      return bits(rounded(Mode, [&]() -> float { return float(B); }));
    });
  checkValue("F2D", {}, cases32(),
             [](const Args &X) { return bits(double(f32(X.B))); });
  checkValue("F2F", {{Role::dty, 1}}, cases32(), [](const Args &X) {
    _Float16 H = _Float16(f32(X.B));
    return uint64_t(H != H ? 0x7FFF : std::bit_cast<uint16_t>(H));
  });
  checkValue("F2F", {{Role::sty, 1}}, cases32(), [](const Args &X) {
    return bits(float(std::bit_cast<_Float16>(uint16_t(X.B))));
  });
  // A bfloat16 is the upper half of a single.
  checkValue("F2F", {{Role::sty, 2}}, cases32(),
             [](const Args &X) { return bits(f32((X.B & 0xFFFF) << 16)); });
  checkValue(
      "F2F", {{Role::dty, 2}, {Role::rnd, 1}}, cases32(), [](const Args &X) {
        return uint64_t(std::isnan(f32(X.B)) ? 0x7FFF : uint32_t(X.B) >> 16);
      });
  checkValue(
      "F2F", {{Role::dty, 3}, {Role::rnd, 1}}, cases32(), [](const Args &X) {
        return uint64_t(std::isnan(f32(X.B)) ? 0x7FFFFFFF : X.B & 0xFFFFE000);
      });
  checkValue("F2FP_r", {{Role::dty, 1}, {Role::relu, 1}}, cases32(),
             [](const Args &X) {
               auto Half = [](uint64_t V) -> uint64_t {
                 _Float16 H = _Float16(f32(V));
                 if (H != H)
                   return 0x7FFF;
                 return std::signbit(f32(V)) ? 0 : std::bit_cast<uint16_t>(H);
               };
               return Half(X.A) << 16 | Half(X.B);
             });
}

/// Each half of d against a function of the halves of the sources.
template <typename Fn>
void checkHalves(std::string_view Name, const Fields &F, Fn Reference) {
  std::mt19937_64 Random(9);
  std::vector<Sources> Cases;
  const uint16_t Edges[] = {0,      0x8000, 1,      0x03FF, 0x0400, 0x3C00,
                            0xBC00, 0x3C01, 0x7BFF, 0xFBFF, 0x7C00, 0xFC00,
                            0x7E00, 0x3800, 0x1400, 0x6400};
  auto Value = [&] {
    auto Half = [&]() -> uint32_t {
      return Random() & 1 ? Edges[Random() % std::size(Edges)]
                          : uint16_t(Random());
    };
    return Half() << 16 | Half();
  };
  for (int N = 0; N < 8000; ++N)
    Cases.push_back({Value(), Value(), Value(), true});
  checkValue(Name, F, Cases, [&](const Args &X) {
    uint64_t D = 0;
    for (unsigned Shift : {0, 16})
      D |= uint64_t(Reference(uint16_t(X.A >> Shift), uint16_t(X.B >> Shift),
                              uint16_t(X.C >> Shift)))
           << Shift;
    return D;
  });
}

/// A double to a 16-bit format; a NaN gives 0x7fff.
uint16_t toHalf(double V) {
  _Float16 H = _Float16(V);
  return H != H ? 0x7FFF : std::bit_cast<uint16_t>(H);
}
double fromHalf(uint16_t V) { return double(std::bit_cast<_Float16>(V)); }
double fromBF(uint16_t V) { return f32(uint32_t(V) << 16); }

TEST(Float, HalfArithmetic) {
  checkHalves("HADD2_r", {}, [](uint16_t A, uint16_t B, uint16_t) {
    return toHalf(fromHalf(A) + fromHalf(B));
  });
  checkHalves("HMUL2_r", {}, [](uint16_t A, uint16_t B, uint16_t) {
    return toHalf(fromHalf(A) * fromHalf(B));
  });
  // A long double has room for nearly all sums, and what it rounds lies far
  // below the last place of a half; toHalf rounds once more, to 11 bits.
  checkHalves("HFMA2_r", {}, [](uint16_t A, uint16_t B, uint16_t C) {
    long double Exact = (long double)(fromHalf(A)) * fromHalf(B) + fromHalf(C);
    _Float16 H = _Float16(Exact);
    return H != H ? uint16_t(0x7FFF) : std::bit_cast<uint16_t>(H);
  });
  checkHalves("HFMA2_r", {{Role::relu, 1}},
              [](uint16_t A, uint16_t B, uint16_t C) -> uint16_t {
                long double Exact =
                    (long double)(fromHalf(A)) * fromHalf(B) + fromHalf(C);
                _Float16 H = _Float16(Exact);
                if (H != H)
                  return 0x7FFF;
                return std::signbit(float(H)) ? 0 : std::bit_cast<uint16_t>(H);
              });
  checkHalves("HADD2_r", {{Role::ma, 1}, {Role::mb, 2}},
              [](uint16_t A, uint16_t B, uint16_t) {
                return toHalf(std::fabs(fromHalf(B)) - fromHalf(A));
              });
  checkHalves("HMNMX2_r", {{Role::minmax, 1}},
              [](uint16_t A, uint16_t B, uint16_t) -> uint16_t {
                double X = fromHalf(A), Y = fromHalf(B);
                if (std::isnan(X) && std::isnan(Y))
                  return 0x7FFF;
                if (std::isnan(X))
                  return B;
                if (std::isnan(Y))
                  return A;
                if (X == Y)
                  return std::signbit(X) ? B : A;
                return X > Y ? A : B;
              });
}

/// An exact double to bfloat16, to nearest even; a NaN gives 0x7fff.
uint16_t toBF(double V) {
  if (std::isnan(V))
    return 0x7FFF;
  // The spacing of bfloat16 around V, and V in its units: a double holds both.
  int Exp = std::max(V == 0 || std::isinf(V) ? 0 : std::ilogb(V), -126) - 7;
  double Nearest = std::ldexp(std::nearbyint(std::ldexp(V, -Exp)), Exp);
  return std::bit_cast<uint32_t>(float(Nearest)) >> 16;
}

TEST(Float, BFloatArithmetic) {
  checkHalves("HMUL2_r", {{Role::dty, 1}},
              [](uint16_t A, uint16_t B, uint16_t) {
                return toBF(fromBF(A) * fromBF(B));
              });
  // Sums of numbers whose exponents are close are exact in double.
  std::mt19937_64 Random(11);
  std::vector<Sources> Cases;
  auto Value = [&] {
    auto Half = [&]() -> uint32_t {
      return (Random() & 0x807F) | (110 + Random() % 30) << 7;
    };
    return Half() << 16 | Half();
  };
  for (int N = 0; N < 8000; ++N)
    Cases.push_back({Value(), Value(), Value(), true});
  auto Halves = [](const Args &X, auto Compute) {
    return uint64_t(Compute(uint16_t(X.A), uint16_t(X.B), uint16_t(X.C))) |
           uint64_t(Compute(uint16_t(X.A >> 16), uint16_t(X.B >> 16),
                            uint16_t(X.C >> 16)))
               << 16;
  };
  checkValue("HADD2_r", {{Role::dty, 1}}, Cases, [&](const Args &X) {
    return Halves(X, [](uint16_t A, uint16_t B, uint16_t) {
      return toBF(fromBF(A) + fromBF(B));
    });
  });
  checkValue("HFMA2_r", {{Role::dty, 1}}, Cases, [&](const Args &X) {
    return Halves(X, [](uint16_t A, uint16_t B, uint16_t C) {
      return toBF(std::fma(fromBF(A), fromBF(B), fromBF(C)));
    });
  });
}

TEST(Float, HalfComparison) {
  std::mt19937_64 Random(5);
  std::vector<Sources> Cases;
  for (int N = 0; N < 4000; ++N)
    Cases.push_back({uint32_t(Random()), uint32_t(Random() & 1 ? Random() : 0),
                     0, bool(Random() & 1)});
  for (unsigned Code : {1, 2, 6, 7, 8, 13}) {
    auto Results = evaluate("HSETP2_r", {{Role::cmp, Code}}, Cases);
    for (size_t N = 0; N < Cases.size(); ++N) {
      uint32_t A = Cases[N].A, B = Cases[N].B;
      ASSERT_EQ(Results[N].P,
                relation(Code, fromHalf(A), fromHalf(B)) && Cases[N].S);
      ASSERT_EQ(Results[N].Q,
                relation(Code, fromHalf(A >> 16), fromHalf(B >> 16)) &&
                    Cases[N].S);
    }
  }
}

TEST(Float, Approximations) {
  struct {
    unsigned Fn;
    long double (*Exact)(long double);
    double MaxRelative, MaxAbsolute, Low, High;
  } Functions[] = {
      // PTX's bounds for rcp, rsqrt, sqrt, lg2, ex2, sin, cos and tanh.
      {0, [](long double X) { return 1 / X; }, 0x1p-23, 0, -1e30, 1e30},
      {1, [](long double X) { return 1 / sqrtl(X); }, 0x1.12p-23, 0, 1e-30,
       1e30},
      {2, [](long double X) { return sqrtl(X); }, 0x1p-23, 0, 0, 1e30},
      {3, [](long double X) { return log2l(X); }, 0, 0x1p-22, 0.5, 2},
      {3, [](long double X) { return log2l(X); }, 0x1p-22, 0, 2, 1e30},
      {4, [](long double X) { return exp2l(X); }, 0x1p-22, 0, -120, 120},
      {5, [](long double X) { return sinl(X); }, 0, 0x1.6ap-21, -6.28, 6.28},
      {6, [](long double X) { return cosl(X); }, 0, 0x1.6ap-21, -6.28, 6.28},
      {7, [](long double X) { return tanhl(X); }, 0x1p-11, 0, -20, 20}};
  std::mt19937_64 Random(1);
  for (const auto &Fn : Functions) {
    std::vector<Sources> Cases;
    std::uniform_real_distribution<double> Linear(Fn.Low, Fn.High), Log(-30, 0);
    for (int N = 0; N < 5000; ++N) {
      double V = Linear(Random);
      if (N & 1 && Fn.High > 100)
        V = std::max(Fn.Low, V * std::exp2(Log(Random) * 3));
      Cases.push_back({bits(float(V)), 0, 0, true});
    }
    auto Results = evaluate("MUFU", {{Role::fn, Fn.Fn}}, Cases);
    for (size_t N = 0; N < Cases.size(); ++N) {
      long double X = f32(uint64_t(Cases[N].A)), Want = Fn.Exact(X);
      long double Error = fabsl(f32(uint64_t(Results[N].D)) - Want);
      ASSERT_LE(Error, Fn.MaxAbsolute + Fn.MaxRelative * fabsl(Want))
          << "function " << Fn.Fn << " of " << double(X);
    }
  }
}

TEST(Float, SpecialCasesOfApproximations) {
  const uint32_t Inf = 0x7F800000, MinusInf = 0xFF800000, NaN = 0x7FFFFFFF,
                 Zero = 0, MinusZero = 0x80000000, One = 0x3F800000,
                 MinusOne = 0xBF800000, Tiny = 1, MinusTiny = 0x80000001;
  struct {
    unsigned Fn;
    uint32_t In, Out, OutFtz;
  } Cases[] = {{0, Zero, Inf, Inf},
               {0, MinusZero, MinusInf, MinusInf},
               {0, Inf, Zero, Zero},
               {0, MinusInf, MinusZero, MinusZero},
               {0, MinusTiny, MinusInf, MinusInf},
               {0, 0x7F000000, 0x00400000, Zero},
               {0, 0x7FC00001, NaN, NaN},
               {1, Zero, Inf, Inf},
               {1, MinusZero, MinusInf, MinusInf},
               {1, MinusOne, NaN, NaN},
               {1, Inf, Zero, Zero},
               {1, Tiny, 0x64B504F3, Inf},
               {2, MinusZero, MinusZero, MinusZero},
               {2, MinusOne, NaN, NaN},
               {2, Inf, Inf, Inf},
               {2, Tiny, 0x1A3504F3, Zero},
               {3, Zero, MinusInf, MinusInf},
               {3, MinusZero, MinusInf, MinusInf},
               {3, MinusOne, NaN, NaN},
               {3, Inf, Inf, Inf},
               {3, Tiny, 0xC3150000, MinusInf},
               {4, MinusInf, Zero, Zero},
               {4, Inf, Inf, Inf},
               {4, MinusTiny, One, One},
               {4, 0xC3020000, 0x00080000, Zero}, // 2^-130
               {5, MinusZero, MinusZero, MinusZero},
               {5, Inf, NaN, NaN},
               {6, Zero, One, One},
               {6, MinusInf, NaN, NaN},
               {7, MinusZero, MinusZero, MinusZero},
               {7, Inf, One, One},
               {7, MinusInf, MinusOne, MinusOne},
               {7, NaN, NaN, NaN}};
  for (const auto &C : Cases)
    for (unsigned Ftz : {0, 1}) {
      auto Results = evaluate("MUFU", {{Role::fn, C.Fn}, {Role::ftz, Ftz}},
                              {{C.In, 0, 0, true}});
      EXPECT_EQ(uint64_t(Results[0].D), Ftz ? C.OutFtz : C.Out)
          << "function " << C.Fn << " of " << std::hex << C.In << " ftz "
          << Ftz;
    }
}

/// The two fix-up operations of a division with the quotient in between.
TEST(Float, DivisionThroughTheFixUpOperations) {
  for (unsigned Mode = 0; Mode < 4; ++Mode) {
    const auto &Cases = cases32();
    auto Prepared = evaluate("FDPREP", {}, Cases);
    std::vector<Sources> Fix;
    for (size_t N = 0; N < Cases.size(); ++N) {
      float A = f32(uint64_t(Prepared[N].D)),
            B = f32(uint64_t(Prepared[N].D >> 32));
      float Q = A / B, R = fmaf(-Q, B, A);
      Fix.push_back({uint64_t(bits(Q)) | uint64_t(bits(R)) << 32, Cases[N].A,
                     Cases[N].B, true});
    }
    auto Results = evaluate("FDFIX", {{Role::rnd, Mode}}, Fix);
    for (size_t N = 0; N < Cases.size(); ++N) {
      volatile float A = f32(uint64_t(Cases[N].A)),
                     B = f32(uint64_t(Cases[N].B));
      ASSERT_EQ(uint64_t(Results[N].D),
                bits(rounded(Mode, [&]() -> float { return A / B; })))
          << A << " / " << B;
    }
  }
}

TEST(Float, DoubleFixUpOperations) {
  for (unsigned Mode = 0; Mode < 4; ++Mode) {
    const auto &Cases = cases64();
    auto Prepared = evaluate("DDPREP", {}, Cases);
    auto Scaled = evaluate("DSQPREP", {}, Cases);
    std::vector<Sources> Fix, RootFix;
    auto Pair = [](double Low, double High) {
      return bits(Low) | static_cast<unsigned __int128>(bits(High)) << 64;
    };
    for (size_t N = 0; N < Cases.size(); ++N) {
      double A = f64(uint64_t(Prepared[N].D)),
             B = f64(uint64_t(Prepared[N].D >> 64));
      double Q = A / B;
      Fix.push_back({Pair(Q, fma(-Q, B, A)), Cases[N].A, Cases[N].B, true});
      double X = f64(uint64_t(Scaled[N].D)), S = sqrt(X);
      RootFix.push_back({Pair(S, fma(-S, S, X)), Cases[N].B, 0, true});
    }
    auto Quotients = evaluate("DDFIX", {{Role::rnd, Mode}}, Fix);
    auto Roots = evaluate("DSQFIX", {{Role::rnd, Mode}}, RootFix);
    for (size_t N = 0; N < Cases.size(); ++N) {
      volatile double A = f64(uint64_t(Cases[N].A)),
                      B = f64(uint64_t(Cases[N].B));
      ASSERT_EQ(uint64_t(Quotients[N].D),
                bits(rounded(Mode, [&]() -> double { return A / B; })))
          << A << " / " << B;
      ASSERT_EQ(uint64_t(Roots[N].D),
                bits(rounded(Mode, [&]() -> double { return sqrt(B); })))
          << "root of " << B;
    }
  }
}

} // namespace
