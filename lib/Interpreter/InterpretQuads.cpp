//===- InterpretQuads.cpp - Quads and pairs of several types ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chapter 9.7.6 (arithmetic of four FP8 numbers with sources of 8, 6 and 4
// bits), pairs of chapter 9.7.5, and set of packed integers.
//
//===----------------------------------------------------------------------===//

#include "NarrowFloats.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

enum class Operation : uint8_t { Add, Sub, Mul, Fma };

/// Rounded once in the semantics of the first number.
APFloat calculate(Operation Op, ArrayRef<APFloat> V, RoundingMode Mode) {
  APFloat Result = V[0];
  switch (Op) {
  case Operation::Add:
    Result.add(V[1], Mode);
    break;
  case Operation::Sub:
    Result.subtract(V[1], Mode);
    break;
  case Operation::Mul:
    Result.multiply(V[1], Mode);
    break;
  case Operation::Fma:
    Result.fusedMultiplyAdd(V[1], V[2], Mode);
    break;
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Quads
//===----------------------------------------------------------------------===//

/// The number in place \p Element of a quad of the type \p Name, in quadruple
/// precision.
using ElementFn = std::function<APFloat(Bits Word, unsigned Element)>;

/// Null if it is no such type.
ElementFn elementsOf(StringRef Name) {
  if (!Name.consume_back("x4"))
    return nullptr;
  auto Wide = [](APFloat V) {
    bool Loses = false;
    V.convert(APFloat::IEEEquad(), APFloat::rmNearestTiesToEven, &Loses);
    return V;
  };
  if (Name == "ue8m0")
    return [Wide](Bits Word, unsigned Element) {
      return Wide(APFloat(scaleValue(Word >> (8 * Element))));
    };
  bool IsPadded = Name.consume_back("p4");
  std::optional<Format> F = formatOf(Name);
  if (!F)
    return nullptr;
  if (IsPadded)
    F->Field = 8;
  return [Wide, F = *F](Bits Word, unsigned Element) {
    return Wide(decode(F, Word, Element));
  };
}

/// An exact result as an element of FP8. Without .satfinite what is too large
/// is infinite, or a NaN where the format has no infinity.
uint64_t quadElement(const Format &F, const APFloat &Exact, bool SatFinite) {
  APFloat Rounded = Exact;
  bool Loses = false;
  Rounded.convert(*F.Semantics, APFloat::rmNearestTiesToEven, &Loses);
  if (!SatFinite || Exact.isNaN())
    return encode(F, Rounded, {});
  return convertTo(F, Exact, {/*Finite=*/true});
}

/// OP{.rn}{.satfinite}.TO.A{.B}: the last source of a sum has the type of the
/// result. Quadruple precision holds all that the rounding depends on: a sum
/// that is longer has a part that is below the result's last place by far.
template <Operation Op>
bool decodeQuads(const InstReader &Reader, Instruction &I) {
  unsigned Count = I.Operands.size();
  bool HasSum = Op != Operation::Mul;
  unsigned Written = Count - HasSum;
  StringRef To = Reader.fromEnd(Written);
  SmallVector<ElementFn, 3> Sources;
  for (unsigned N = 0; N != Count; ++N)
    Sources.push_back(
        elementsOf(N < Written ? Reader.fromEnd(Written - 1 - N) : To));
  if (is_contained(Sources, nullptr) || !To.consume_back("x4"))
    return false;
  I.Compute = [=, F = *formatOf(To),
               SatFinite = Reader.has("satfinite")](const Bits *In, Bits *Out) {
    Out[0] = 0;
    for (unsigned Element = 0; Element != 4; ++Element) {
      SmallVector<APFloat, 3> Values;
      for (auto [N, Source] : enumerate(Sources))
        Values.push_back(Source(In[N], Element));
      APFloat Exact = calculate(Op, Values, RoundingMode::NearestTiesToEven);
      Out[0] |= Bits(quadElement(F, Exact, SatFinite)) << (8 * Element);
    }
  };
  return true;
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

/// The type of the elements of a pair of floats; none if it is no pair.
std::optional<ScalarType> pairOf(StringRef Name) {
  return StringSwitch<std::optional<ScalarType>>(Name)
      .Case("f32x2", ScalarType::F32)
      .Case("f16x2", ScalarType::F16)
      .Case("bf16x2", ScalarType::Bf16)
      .Default(std::nullopt);
}

/// A product of .f16 and .bf16 is rounded once, to the result; all else is
/// calculated in single precision and, where the result is narrower, cut off.
APFloat pairElement(Operation Op, MutableArrayRef<APFloat> V, ScalarType To,
                    const Modifiers &M) {
  bool IsSingle = any_of(V, [](const APFloat &X) {
    return &X.getSemantics() == &APFloat::IEEEsingle();
  });
  const fltSemantics &Exact =
      IsSingle ? APFloat::IEEEsingle() : APFloat::IEEEquad();
  bool Loses = false;
  for (APFloat &X : V) {
    X.convert(Exact, APFloat::rmNearestTiesToEven, &Loses);
    if (M.Ftz)
      X = flushed(X);
  }
  APFloat Result = calculate(Op, V, roundingMode(M.Rnd));
  Result.convert(semanticsOf(To), roundingMode(M.Rnd), &Loses);
  return Result;
}

/// OP{.rnd}{.ftz}.TO.A.B{.C} of pairs.
template <Operation Op>
bool decodePairs(const InstReader &Reader, Instruction &I) {
  unsigned Count = I.Operands.size();
  auto To = pairOf(Reader.fromEnd(Count));
  SmallVector<ScalarType, 3> From;
  for (unsigned N = 0; N != Count; ++N)
    if (auto Ty = pairOf(Reader.fromEnd(Count - 1 - N)))
      From.push_back(*Ty);
  if (!To || From.size() != Count)
    return false;
  Modifiers M;
  M.Rnd = Reader.rounding();
  M.Ftz = Reader.has("ftz");
  I.Compute = [=, To = *To](const Bits *In, Bits *Out) {
    Out[0] = 0;
    for (unsigned Lane = 0; Lane != 2; ++Lane) {
      SmallVector<APFloat, 3> Values;
      for (unsigned N = 0; N != Count; ++N)
        Values.push_back(
            floatValue(From[N], In[N] >> (Lane * bitWidth(From[N]))));
      Bits Element = floatResult(M, To, pairElement(Op, Values, To, M));
      Out[0] |= Element << (Lane * bitWidth(To));
    }
  };
  return true;
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

bool holds(StringRef Name, SignedBits A, SignedBits B) {
  return StringSwitch<bool>(Name)
      .Case("eq", A == B)
      .Case("ne", A != B)
      .Cases({"lt", "lo"}, A < B)
      .Cases({"le", "ls"}, A <= B)
      .Cases({"gt", "hi"}, A > B)
      .Cases({"ge", "hs"}, A >= B)
      .Default(false);
}

/// set.CMP of packed integers: an element is all ones where CMP holds.
bool decodePackedSet(const InstReader &Reader, Instruction &I) {
  StringRef Type = Reader.fromEnd(0);
  bool IsSigned = Type.starts_with("s");
  unsigned Width = Type.ends_with("8x4") ? 8 : 16;
  I.Compute = [=, Cmp = Reader.parts().front().str()](const Bits *In,
                                                      Bits *Out) {
    Out[0] = 0;
    for (unsigned At = 0; At != 32; At += Width) {
      auto Element = [&](unsigned N) {
        return IsSigned ? signedValue(In[N] >> At, Width)
                        : SignedBits(lowBits(In[N] >> At, Width));
      };
      if (holds(Cmp, Element(0), Element(1)))
        Out[0] |= lowBits(~Bits(0), Width) << At;
    }
  };
  return true;
}

} // namespace

void addQuadSemantics(SemanticsTable &T) {
  T.inst("add", decodeQuads<Operation::Add>);
  T.inst("sub", decodeQuads<Operation::Sub>);
  T.inst("mul", decodeQuads<Operation::Mul>);
  T.inst("fma", decodeQuads<Operation::Fma>);
  T.inst("add", decodePairs<Operation::Add>);
  T.inst("sub", decodePairs<Operation::Sub>);
  T.inst("mul", decodePairs<Operation::Mul>);
  T.inst("fma", decodePairs<Operation::Fma>);
  T.inst("set", decodePackedSet);
}

} // namespace heddle::interp
