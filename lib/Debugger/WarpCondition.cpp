//===- WarpCondition.cpp - Conditions of all lanes at once ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Both sides of && and ?: are evaluated; what goes wrong in one that does not
// count is forgotten.
//
//===----------------------------------------------------------------------===//

#include "WarpCondition.h"
#include "ThreadReader.h"

#include <bit>
#include <cstring>

using namespace llvm;

namespace heddle::debug {

static constexpr unsigned WarpLanes = 32;

template <typename Function> static void forLanes(uint32_t Lanes, Function Do) {
  for (; Lanes; Lanes &= Lanes - 1)
    Do(unsigned(std::countr_zero(Lanes)));
}

/// Bits as Value::integer has those of a type, and a float's as a double's.
static uint64_t widened(uint64_t Bits, const Type &T) {
  if (T.Kind == Type::Float)
    return T.Size == 8 ? Bits
                       : std::bit_cast<uint64_t>(
                             double(std::bit_cast<float>(uint32_t(Bits))));
  unsigned Unused = 64 - 8 * T.Size;
  return T.Signed ? uint64_t(int64_t(Bits << Unused) >> Unused)
                  : Bits << Unused >> Unused;
}

/// A number as a type has it that may have fewer bits.
static double rounded(double Number, const Type &T) {
  return T.Size == 4 ? double(float(Number)) : Number;
}

//===----------------------------------------------------------------------===//
// What a thread has
//===----------------------------------------------------------------------===//

static uint32_t componentOf(const rt::Dim3 &D, uint64_t Number) {
  return Number == 0 ? D.X : Number == 1 ? D.Y : D.Z;
}

void WarpCondition::readRegisters(const Step &S, Slot &To,
                                  const Where &W) const {
  emu::RegisterView V = W.Grid.registers(W.Warp);
  std::array<uint64_t, WarpLanes> Bits = {};
  unsigned Shift = 0;
  for (const VariablePart &P : S.Parts) {
    unsigned N = P.Reg.Number;
    uint64_t Mask = ~uint64_t(0) >> (64 - 8 * P.Bytes);
    for (unsigned L = 0; L < WarpLanes; ++L) {
      uint64_t Word = 0;
      switch (P.Reg.File) {
      case emu::RegisterFile::Vector:
        To.Wrong |= N < V.Vectors ? 0 : ~0u;
        Word = N < V.Vectors ? V.Vector[N][L] : 0;
        break;
      case emu::RegisterFile::Predicate:
        Word = V.Predicates[N] >> L & 1;
        break;
      case emu::RegisterFile::Uniform:
        To.Wrong |= N < V.Uniforms ? 0 : ~0u;
        Word = N < V.Uniforms ? V.Uniform[N] : 0;
        break;
      case emu::RegisterFile::UniformPredicate:
        Word = V.UniformPredicates[N];
        break;
      }
      Bits[L] |= (Word & Mask) << Shift;
    }
    Shift += 8 * P.Bytes;
  }
  for (unsigned L = 0; L < WarpLanes; ++L)
    To.Lanes[L] = widened(Bits[L], *S.Of);
}

void WarpCondition::findAddresses(Step &S, Slot &To, const Where &W) const {
  if (!S.Base) {
    To.Lanes.fill(S.Number);
    return;
  }
  forLanes(W.Lanes, [&](unsigned L) {
    Focus At{W.Warp, L};
    ThreadReader Reader(W.Grid, At, std::nullopt);
    std::optional<uint32_t> Base = Reader.readRegister(*S.Base);
    if (!Base) {
      To.Wrong |= 1u << L;
      return;
    }
    // Threads of a warp mostly have the same one.
    if (S.KnownBase != Base) {
      std::vector<VariablePart> Parts = Code->locate(*S.Variable, PC, Reader);
      if (Parts.size() != 1) {
        To.Wrong |= 1u << L;
        return;
      }
      S.KnownBase = Base;
      S.KnownAddress = Parts.front().Address;
    }
    To.Lanes[L] = S.KnownAddress;
  });
}

void WarpCondition::load(const Step &S, Slot &To, const Where &W) const {
  forLanes(W.Lanes, [&](unsigned L) {
    uint64_t Bits = 0;
    MutableArrayRef<uint8_t> Out(reinterpret_cast<uint8_t *>(&Bits),
                                 S.Of->Size);
    if (Slots[S.A].Wrong >> L & 1 || !W.Grid.read(MemorySpace(S.Number), W.Warp,
                                                  L, Slots[S.A].Lanes[L], Out))
      To.Wrong |= 1u << L;
    To.Lanes[L] = widened(Bits, *S.Of);
  });
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

void WarpCondition::convert(const Step &S, Slot &To) const {
  const Type &From = *Steps[S.A].Of, &T = *S.Of;
  for (unsigned L = 0; L < WarpLanes; ++L) {
    uint64_t Bits = Slots[S.A].Lanes[L];
    if (T.Kind != Type::Float) {
      To.Lanes[L] = widened(T.IsBool ? Bits != 0 : Bits, T);
      continue;
    }
    double Number = From.Kind == Type::Float ? std::bit_cast<double>(Bits)
                    : From.Signed            ? double(int64_t(Bits))
                                             : double(Bits);
    To.Lanes[L] = std::bit_cast<uint64_t>(rounded(Number, T));
  }
}

/// Compares as Symbol says; none: it does something else.
template <typename Number>
static std::optional<bool> compare(StringRef Symbol, Number A, Number B) {
  if (Symbol == "==")
    return A == B;
  if (Symbol == "!=")
    return A != B;
  if (Symbol == "<")
    return A < B;
  if (Symbol == "<=")
    return A <= B;
  if (Symbol == ">")
    return A > B;
  if (Symbol == ">=")
    return A >= B;
  return std::nullopt;
}

static double applyToNumbers(char Symbol, double A, double B) {
  return Symbol == '+'   ? A + B
         : Symbol == '-' ? A - B
         : Symbol == '*' ? A * B
                         : A / B;
}

/// None where it is an error.
static std::optional<uint64_t> applyToIntegers(StringRef Symbol, uint64_t A,
                                               uint64_t B, const Type &T) {
  auto SA = int64_t(A), SB = int64_t(B);
  switch (Symbol.front()) {
  case '+':
    return A + B;
  case '-':
    return A - B;
  case '*':
    return A * B;
  case '&':
    return A & B;
  case '|':
    return A | B;
  case '^':
    return A ^ B;
  case '<':
    return B < 8 * T.Size ? std::optional(A << B) : std::nullopt;
  case '>':
    if (B >= 8 * T.Size)
      return std::nullopt;
    return T.Signed ? uint64_t(SA >> B) : A >> B;
  default: // / and %
    if (B == 0)
      return std::nullopt;
    bool Divides = Symbol == "/";
    if (!T.Signed)
      return Divides ? A / B : A % B;
    if (SB == -1) // The least number has no negative.
      return Divides ? -A : 0;
    return uint64_t(Divides ? SA / SB : SA % SB);
  }
}

void WarpCondition::apply(const Step &S, Slot &To) const {
  const Slot &A = Slots[S.A], &B = Slots[S.B];
  const Type &T = *S.From;
  for (unsigned L = 0; L < WarpLanes; ++L) {
    uint64_t X = A.Lanes[L], Y = B.Lanes[L];
    if (T.Kind == Type::Float) {
      double P = std::bit_cast<double>(X), Q = std::bit_cast<double>(Y);
      if (auto Holds = compare(S.Symbol, P, Q))
        To.Lanes[L] = *Holds;
      else
        To.Lanes[L] = std::bit_cast<uint64_t>(
            rounded(applyToNumbers(S.Symbol.front(), P, Q), T));
      continue;
    }
    auto Holds = T.Signed ? compare(S.Symbol, int64_t(X), int64_t(Y))
                          : compare(S.Symbol, X, Y);
    if (Holds) {
      To.Lanes[L] = *Holds;
      continue;
    }
    auto Result = applyToIntegers(S.Symbol, X, Y, T);
    if (!Result)
      To.Wrong |= 1u << L;
    To.Lanes[L] = widened(Result.value_or(0), T);
  }
}

uint32_t WarpCondition::truth(unsigned Of) const {
  bool IsFloat = Steps[Of].Of->Kind == Type::Float;
  uint32_t Result = 0;
  for (unsigned L = 0; L < WarpLanes; ++L) {
    uint64_t Bits = Slots[Of].Lanes[L];
    bool Holds = IsFloat ? std::bit_cast<double>(Bits) != 0 : Bits != 0;
    Result |= uint32_t(Holds) << L;
  }
  return Result;
}

/// What counts by the truth of A alone.
void WarpCondition::decide(const Step &S, Slot &To) const {
  uint32_t First = truth(S.A), Wrong = Slots[S.A].Wrong;
  if (S.Kind == StepKind::Choice) {
    for (unsigned L = 0; L < WarpLanes; ++L)
      To.Lanes[L] = Slots[First >> L & 1 ? S.B : S.C].Lanes[L];
    To.Wrong = Wrong | (First & Slots[S.B].Wrong) | (~First & Slots[S.C].Wrong);
    return;
  }
  uint32_t Second = truth(S.B);
  bool IsAnd = S.Kind == StepKind::And;
  uint32_t Result = IsAnd ? First & Second : First | Second;
  for (unsigned L = 0; L < WarpLanes; ++L)
    To.Lanes[L] = Result >> L & 1;
  To.Wrong = Wrong | ((IsAnd ? First : ~First) & Slots[S.B].Wrong);
}

//===----------------------------------------------------------------------===//
// Running it
//===----------------------------------------------------------------------===//

void WarpCondition::run(Step &S, Slot &To, const Where &W) {
  const Slot &A = Slots[S.A];
  auto ForAll = [&](auto Do) {
    for (unsigned L = 0; L < WarpLanes; ++L)
      To.Lanes[L] = Do(L);
  };
  switch (S.Kind) {
  case StepKind::Constant:
    return To.Lanes.fill(S.Number);
  case StepKind::Thread:
    return forLanes(W.Lanes, [&](unsigned L) {
      To.Lanes[L] = componentOf(W.Grid.threadOf(W.Warp, L), S.Number);
    });
  case StepKind::Block:
    return To.Lanes.fill(componentOf(W.Grid.coordinates(W.Warp.CTA), S.Number));
  case StepKind::Lane:
    return ForAll([](unsigned L) { return L; });
  case StepKind::Warp:
    return To.Lanes.fill(W.Warp.Warp);
  case StepKind::Register:
    return readRegisters(S, To, W);
  case StepKind::Address:
    return findAddresses(S, To, W);
  case StepKind::Load:
    return load(S, To, W);
  case StepKind::And:
  case StepKind::Or:
  case StepKind::Choice:
    return decide(S, To);
  default:
    break;
  }
  To.Wrong = A.Wrong;
  switch (S.Kind) {
  case StepKind::Convert:
    return convert(S, To);
  case StepKind::Not: {
    uint32_t Holds = truth(S.A);
    return ForAll([&](unsigned L) { return ~Holds >> L & 1; });
  }
  case StepKind::Negate:
    if (S.Of->Kind == Type::Float)
      return ForAll([&](unsigned L) { return A.Lanes[L] ^ uint64_t(1) << 63; });
    return ForAll([&](unsigned L) { return widened(-A.Lanes[L], *S.Of); });
  case StepKind::Invert:
    return ForAll([&](unsigned L) { return widened(~A.Lanes[L], *S.Of); });
  case StepKind::Element:
    To.Wrong |= Slots[S.B].Wrong;
    return ForAll([&](unsigned L) {
      return A.Lanes[L] + Slots[S.B].Lanes[L] * S.Number;
    });
  default:
    To.Wrong |= Slots[S.B].Wrong;
    return apply(S, To);
  }
}

std::optional<uint32_t> WarpCondition::test(emu::DebuggedGrid &Grid,
                                            emu::WarpPlace W, uint32_t Lanes) {
  Where Here{Grid, W, Lanes};
  for (size_t N = 0; N < Steps.size(); ++N) {
    Slots[N].Wrong = 0;
    run(Steps[N], Slots[N], Here);
  }
  if (Slots.back().Wrong & Lanes)
    return std::nullopt;
  return truth(Steps.size() - 1) & Lanes;
}

} // namespace heddle::debug
