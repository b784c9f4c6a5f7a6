//===- PrintfTest.cpp - Device printf against the host's --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random conversions, whose arguments lie as a kernel lays them out, compared
// with what snprintf makes of the same values in the host's own types.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

using namespace heddle;
using namespace heddle::emu::test;

namespace {

constexpr unsigned SysPrintf = 1;

/// A format with its arguments, and what must come out.
struct Line {
  std::string Format, Want;
  Params Arguments;
  uint32_t Count = 0; ///< Of arguments.
};

template <typename... T> std::string host(const std::string &Spec, T... Args) {
  char Text[512];
  int Length = std::snprintf(Text, sizeof(Text), Spec.c_str(), Args...);
  return std::string(Text, std::max(Length, 0));
}

class Generator {
public:
  Line next(unsigned Conversions) {
    L = Line();
    for (unsigned N = 0; N < Conversions; ++N) {
      conversion();
      L.Format += "|";
      L.Want += "|";
    }
    return L;
  }

private:
  template <typename T> T pick(std::initializer_list<T> From) {
    return From.begin()[Random() % From.size()];
  }
  uint64_t bits() {
    uint64_t All = uint64_t(Random()) << 32 | Random();
    return pick<uint64_t>({All, All >> 40, ~(All >> 50), 0, ~uint64_t(0),
                           uint64_t(1) << 63, 0x7FFFFFFF, 0x80000000, 0xFF80});
  }

  /// Flags, width and precision, in numbers or by arguments.
  std::string head(const char *Flags) {
    std::string Text = "%", Known = "%";
    for (const char *F = Flags; *F; ++F)
      if (Random() % 4 == 0)
        Text += *F;
    Known = Text;
    auto Number = [&](int Low, int High) {
      int Value = Low + int(Random() % (High - Low + 1));
      if (Random() % 3 == 0) {
        Text += '*';
        L.Arguments.add(int32_t(Value));
        ++L.Count;
      } else {
        Value = std::abs(Value);
        Text += std::to_string(Value);
      }
      return Value;
    };
    if (Random() % 2) {
      int Width = Number(-20, 20);
      Known += Width < 0 ? "-" + std::to_string(-Width) : std::to_string(Width);
    }
    if (Random() % 3 == 0) {
      Text += '.';
      int Precision = Number(-3, 12);
      if (Precision >= 0)
        Known += "." + std::to_string(Precision);
    }
    L.Format += Text;
    return Known;
  }

  void conversion() {
    switch (Random() % 8) {
    case 0:
      L.Format += "%%";
      L.Want += '%';
      return;
    case 1:
    case 2:
      return integer(pick({'d', 'i'}), "-+ 0");
    case 3:
      return integer('u', "-0");
    case 4:
      return integer(pick({'x', 'X', 'o'}), "-#0");
    case 5:
      return character();
    default:
      return real();
    }
  }

  void integer(char Letter, const char *Flags) {
    std::string Spec = head(Flags);
    const char *Length = pick({"", "", "h", "hh", "l", "ll", "j", "z", "t"});
    uint64_t Value = bits();
    L.Format += std::string(Length) + Letter;
    ++L.Count;
    bool Signed = Letter == 'd' || Letter == 'i';
    bool Wide = *Length && *Length != 'h';
    if (Wide)
      L.Arguments.add(Value);
    else
      L.Arguments.add(uint32_t(Value));
    // As the host's compiler passes the value.
    if (Wide && Signed)
      L.Want += host(Spec + PRId64, int64_t(Value));
    else if (Wide)
      L.Want += host(Spec + "l" + Letter, (unsigned long)(Value));
    else
      L.Want += host(Spec + Length + Letter, unsigned(Value));
  }

  void character() {
    std::string Spec = "%";
    if (Random() % 2)
      Spec += pick({"5", "-5", "1"});
    char C = char('!' + Random() % 90);
    L.Format += Spec + "c";
    L.Arguments.add(uint32_t(C));
    ++L.Count;
    L.Want += host(Spec + "c", C);
  }

  void real() {
    std::string Spec = head("-+ #0");
    double Any = std::ldexp(double(int64_t(bits())), int(Random() % 120) - 100);
    double Value =
        pick<double>({Any, double(int32_t(Random())) / 8, 0.0, -0.0, 0.5, 2.5,
                      1e300, 1e-300, std::numeric_limits<double>::infinity(),
                      -std::numeric_limits<double>::infinity(),
                      std::numeric_limits<double>::quiet_NaN(), 9.9999999});
    char Letter = pick({'f', 'F', 'e', 'E', 'g', 'G', 'a', 'A'});
    L.Format += Letter;
    L.Arguments.add(Value);
    ++L.Count;
    L.Want += host(Spec + Letter, Value);
  }

  std::mt19937 Random{7};
  Line L;
};

TEST(Printf, EqualsTheHostsPrintf) {
  Generator G;
  for (unsigned N = 0; N < 1500; ++N) {
    Line L = G.next(1 + N % 6);
    Machine M;
    std::vector<char> Text(L.Format.c_str(),
                           L.Format.c_str() + L.Format.size() + 1);
    std::vector<uint8_t> Bytes = L.Arguments.Bytes;
    Bytes.resize(Bytes.size() + 8);
    uint64_t Out = M.allocate(4);
    KernelBuilder K;
    K.param64(4, 0).param64(6, 8).param64(10, 16);
    K.inst("SYSCALL", {{Role::b, SysPrintf}});
    K.inst("STG_r", {{Role::a, 10}, {Role::c, 4}, {Role::size, 4}}).exit();
    M.run(K, Params().add(M.upload(Text)).add(M.upload(Bytes)).add(Out), {});
    ASSERT_EQ(M.Output, L.Want) << L.Format;
    ASSERT_EQ(M.download<uint32_t>(Out, 1)[0], L.Count) << L.Format;
  }
}

} // namespace
