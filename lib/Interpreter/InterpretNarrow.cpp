//===- InterpretNarrow.cpp - Narrow floats of PTX ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt to and from FP8, FP6, FP4, UE8M0 and S2F6, stochastic rounding, and
// cvt.pack. The first source is the upper element of a result.
//
//===----------------------------------------------------------------------===//

#include "Floats.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

/// A format that only conversions know, or one of 16 bits.
struct Format {
  const fltSemantics *Semantics = nullptr;
  unsigned Field = 0; ///< Bits that an element takes.
  uint64_t NaN = 0;   ///< Of formats without NaN, what stands for it.
  bool HasInfinity = false;

  unsigned width() const { return APFloat::getSizeInBits(*Semantics); }
};

/// By the name of an element; none if it is no such format.
std::optional<Format> formatOf(StringRef Name) {
  using F = std::optional<Format>;
  return StringSwitch<F>(Name)
      .Case("e4m3", Format{&APFloat::Float8E4M3FN(), 8, 0x7F, false})
      .Case("e5m2", Format{&APFloat::Float8E5M2(), 8, 0x7F, true})
      .Case("e3m2", Format{&APFloat::Float6E3M2FN(), 8, 0x1F, false})
      .Case("e2m3", Format{&APFloat::Float6E2M3FN(), 8, 0x1F, false})
      .Case("e2m1", Format{&APFloat::Float4E2M1FN(), 4, 0x7, false})
      .Case("f16", Format{&APFloat::IEEEhalf(), 16, 0x7FFF, true})
      .Case("bf16", Format{&APFloat::BFloat(), 16, 0x7FFF, true})
      .Default(std::nullopt);
}

/// What the modifiers do to a result after rounding.
struct Limits {
  bool Finite = false, Relu = false;
};

uint64_t encode(const Format &F, APFloat Value, Limits L) {
  if (Value.isNaN())
    return F.NaN;
  if (Value.isInfinity() && (L.Finite || !F.HasInfinity))
    Value = APFloat::getLargest(*F.Semantics, Value.isNegative());
  if (L.Relu && Value.isNegative())
    return 0;
  return Value.bitcastToAPInt().getZExtValue();
}

/// Rounds to nearest even. Where the format has no infinity the largest number
/// stands for it.
uint64_t convertTo(const Format &F, const APFloat &Value, Limits L) {
  if (Value.isNaN())
    return F.NaN;
  APFloat Largest = APFloat::getLargest(*F.Semantics);
  bool Loses = false;
  APFloat Limit = Largest, Magnitude = abs(Value);
  Limit.convert(Value.getSemantics(), APFloat::rmNearestTiesToEven, &Loses);
  if (!F.HasInfinity && Magnitude.compare(Limit) != APFloat::cmpLessThan) {
    if (Value.isNegative())
      Largest.changeSign();
    return encode(F, Largest, L);
  }
  APFloat Rounded = Value;
  Rounded.convert(*F.Semantics, APFloat::rmNearestTiesToEven, &Loses);
  return encode(F, Rounded, L);
}

APFloat decode(const Format &F, Bits Word, unsigned Element) {
  Bits Code = lowBits(Word >> (Element * F.Field), F.width());
  return APFloat(*F.Semantics, APInt(F.width(), uint64_t(Code)));
}

//===----------------------------------------------------------------------===//
// UE8M0: powers of two
//===----------------------------------------------------------------------===//

constexpr uint64_t ScaleNaN = 255, ScaleMost = 254;

/// The power of two that is next to the magnitude, upwards or downwards.
uint64_t convertToScale(const APFloat &Value, bool Up, bool SatFinite) {
  if (Value.isNaN())
    return ScaleNaN;
  uint64_t Most = SatFinite ? ScaleMost : ScaleNaN;
  if (Value.isInfinity())
    return Most;
  if (Value.isZero())
    return 0;
  int Exponent = ilogb(Value);
  bool IsPower = abs(Value).getExactLog2Abs() != INT_MIN;
  int Code = Exponent + int(Up && !IsPower) + 127;
  return std::clamp<int64_t>(Code, 0, int64_t(Most));
}

/// The number of a scale as a double; NaN for 255.
double scaleValue(Bits Code) {
  return uint8_t(Code) == ScaleNaN ? std::nan("")
                                   : std::ldexp(1.0, int(uint8_t(Code)) - 127);
}

//===----------------------------------------------------------------------===//
// S2F6: fixed point with six places
//===----------------------------------------------------------------------===//

/// Fixed-point numbers have no NaN: the largest one stands for it.
uint64_t convertToFixed(const APFloat &Value, double Scale, bool Relu) {
  double Number = Value.convertToDouble() / Scale * 64;
  if (std::isnan(Number))
    return 127;
  APFloat Rounded(std::clamp(Number, Relu ? 0.0 : -128.0, 127.0));
  Rounded.roundToIntegral(APFloat::rmNearestTiesToEven);
  return uint8_t(int(Rounded.convertToDouble()));
}

APFloat fixedValue(Bits Code, double Scale) {
  return APFloat(double(int8_t(uint8_t(Code))) / 64 * Scale);
}

//===----------------------------------------------------------------------===//
// Stochastic rounding
//===----------------------------------------------------------------------===//

/// Adds a fraction of \p Count random bits of a unit in the last place to the
/// magnitude and cuts off what is below.
uint64_t roundRandomly(const Format &F, const APFloat &Value, uint64_t Random,
                       unsigned Count, Limits L) {
  if (Value.isNaN() || Value.isZero() || Value.isInfinity()) {
    APFloat Special = Value;
    if (Value.isNaN())
      return F.NaN;
    if (Value.isInfinity() && !F.HasInfinity)
      Special = APFloat::getLargest(*F.Semantics, Value.isNegative());
    else {
      bool Loses = false;
      Special.convert(*F.Semantics, APFloat::rmTowardZero, &Loses);
    }
    return encode(F, Special, L);
  }
  int Least = APFloat::semanticsMinExponent(*F.Semantics);
  int Precision = int(APFloat::semanticsPrecision(*F.Semantics));
  // A number of units whose exponent is the result's before rounding.
  int Unit = std::max(ilogb(Value), Least) - Precision + 1;
  APFloat Units(APFloat::IEEEquad());
  APFloat Wide = abs(Value), Part(APFloat::IEEEquad());
  bool Loses = false;
  Wide.convert(APFloat::IEEEquad(), APFloat::rmTowardZero, &Loses);
  Units = scalbn(Wide, -Unit, APFloat::rmTowardZero);
  Part.convertFromAPInt(APInt(64, Random & ((uint64_t(1) << Count) - 1)),
                        /*IsSigned=*/false, APFloat::rmTowardZero);
  Part = scalbn(Part, -int(Count), APFloat::rmTowardZero);
  // Exact unless the number is far below the fraction; then a lost part of it
  // cannot make a whole unit.
  Units.add(Part, APFloat::rmTowardZero);
  Units.roundToIntegral(APFloat::rmTowardZero);
  APFloat Result = scalbn(Units, Unit, APFloat::rmTowardZero);
  APFloat Largest = APFloat::getLargest(*F.Semantics);
  Largest.convert(APFloat::IEEEquad(), APFloat::rmTowardZero, &Loses);
  if (Result.compare(Largest) == APFloat::cmpGreaterThan)
    Result = F.HasInfinity ? APFloat::getInf(*F.Semantics)
                           : APFloat::getLargest(*F.Semantics);
  else
    Result.convert(*F.Semantics, APFloat::rmTowardZero, &Loses);
  if (Value.isNegative())
    Result.changeSign();
  return encode(F, Result, L);
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// The sources of a pair, upper element first, as numbers.
using PairFn = std::function<std::pair<APFloat, APFloat>(const Bits *In)>;

/// None if the instruction does not take two of .f32 or a pair.
std::optional<PairFn> sourcesOf(StringRef Type) {
  if (Type == "f32")
    return PairFn([](const Bits *In) {
      return std::pair(floatValue(ScalarType::F32, In[0]),
                       floatValue(ScalarType::F32, In[1]));
    });
  if (Type != "f16x2" && Type != "bf16x2")
    return std::nullopt;
  ScalarType Element = Type == "f16x2" ? ScalarType::F16 : ScalarType::Bf16;
  return PairFn([Element](const Bits *In) {
    return std::pair(floatValue(Element, In[0] >> 16),
                     floatValue(Element, In[0]));
  });
}

/// The element of `e4m3x2`; empty if the type is not one of \p Count.
StringRef elementName(StringRef Type, StringRef Count) {
  return Type.consume_back(Count) ? Type : "";
}

/// The scales of .scaled::n2::ue8m0, operand \p N: upper, lower.
std::pair<double, double> scalesOf(bool IsScaled, const Bits *In, unsigned N) {
  if (!IsScaled)
    return {1.0, 1.0};
  return {scaleValue(In[N] >> 8), scaleValue(In[N])};
}

bool decodeToPair(StringRef To, StringRef From, const InstReader &Reader,
                  Instruction &I) {
  std::optional<PairFn> Sources = sourcesOf(From);
  if (!Sources)
    return false;
  bool Relu = Reader.has("relu"), SatFinite = Reader.has("satfinite");
  if (To == "ue8m0x2") {
    bool Up = Reader.has("rp");
    I.Compute = [=, Get = *Sources](const Bits *In, Bits *Out) {
      auto [High, Low] = Get(In);
      Out[0] = convertToScale(High, Up, SatFinite) << 8 |
               convertToScale(Low, Up, SatFinite);
    };
    return true;
  }
  if (To == "s2f6x2") {
    bool IsScaled = Reader.has("scaled::n2::ue8m0");
    unsigned ScaleAt = From == "f32" ? 2 : 1;
    I.Compute = [=, Get = *Sources](const Bits *In, Bits *Out) {
      auto [High, Low] = Get(In);
      auto [HighScale, LowScale] = scalesOf(IsScaled, In, ScaleAt);
      Out[0] = convertToFixed(High, HighScale, Relu) << 8 |
               convertToFixed(Low, LowScale, Relu);
    };
    return true;
  }
  std::optional<Format> F = formatOf(elementName(To, "x2"));
  if (!F || Reader.rounding() != Rounding::Rn)
    return false;
  I.Compute = [=, F = *F, Get = *Sources](const Bits *In, Bits *Out) {
    auto [High, Low] = Get(In);
    Limits L{SatFinite, Relu};
    Out[0] = convertTo(F, High, L) << F.Field | convertTo(F, Low, L);
  };
  return true;
}

bool decodeFromPair(StringRef To, StringRef From, const InstReader &Reader,
                    Instruction &I) {
  std::optional<Format> Wide = formatOf(elementName(To, "x2"));
  if (!Wide || Wide->Field != 16)
    return false;
  Limits L{Reader.has("satfinite"), Reader.has("relu")};
  bool IsScaled = Reader.has("scaled::n2::ue8m0");
  std::optional<Format> Narrow = formatOf(elementName(From, "x2"));
  bool IsFixed = From == "s2f6x2";
  if (!Narrow && !IsFixed && From != "ue8m0x2")
    return false;
  I.Compute = [=, Wide = *Wide](const Bits *In, Bits *Out) {
    auto [HighScale, LowScale] = scalesOf(IsScaled, In, 1);
    Out[0] = 0;
    for (unsigned Element : {0, 1}) {
      Bits Byte = In[0] >> (8 * Element);
      APFloat Value = Narrow ? decode(*Narrow, In[0], Element)
                      : IsFixed
                          ? fixedValue(Byte, Element ? HighScale : LowScale)
                          : APFloat(scaleValue(Byte));
      Out[0] |= Bits(convertTo(Wide, Value, L)) << (16 * Element);
    }
  };
  return true;
}

/// Two elements share the random word's halves; of four, two share 16 bits, or
/// each one of four bits has eight of its own.
bool decodeStochastic(StringRef To, const InstReader &Reader, Instruction &I) {
  bool IsPair = To.ends_with("x2");
  unsigned Count = IsPair ? 2 : 4;
  std::optional<Format> F = formatOf(elementName(To, IsPair ? "x2" : "x4"));
  if (!F || Reader.fromEnd(0) != "f32" || I.Operands.size() != Count + 1)
    return false;
  unsigned RandomBits = To == "f16x2" ? 13 : To == "e2m1x4" ? 8 : 16;
  static constexpr unsigned Halves[] = {16, 0}, Shared[] = {16, 16, 0, 0},
                            Own[] = {24, 8, 16, 0};
  const unsigned *Shifts = IsPair ? Halves : RandomBits == 8 ? Own : Shared;
  Limits L{Reader.has("satfinite"), Reader.has("relu")};
  I.Compute = [=, F = *F](const Bits *In, Bits *Out) {
    Out[0] = 0;
    for (unsigned N = 0; N != Count; ++N)
      Out[0] = Out[0] << F.Field |
               roundRandomly(F, floatValue(ScalarType::F32, In[N]),
                             uint64_t(In[Count]) >> Shifts[N], RandomBits, L);
  };
  return true;
}

bool decodeCvt(const InstReader &Reader, Instruction &I) {
  StringRef To = Reader.fromEnd(1), From = Reader.fromEnd(0);
  if (Reader.has("rs"))
    return decodeStochastic(To, Reader, I);
  return decodeFromPair(To, From, Reader, I) ||
         decodeToPair(To, From, Reader, I);
}

/// cvt.pack.sat.TYPE.s32{.b32}: a above b, both clamped, and c above them.
bool decodePack(const InstReader &Reader, Instruction &I) {
  bool HasThird = I.Operands.size() == 3;
  StringRef Type = Reader.fromEnd(HasThird ? 2 : 1);
  bool Signed = Type.starts_with("s");
  unsigned Width = 0;
  if (Type.drop_front().getAsInteger(10, Width))
    return false;
  SignedBits Most = (SignedBits(1) << (Width - Signed)) - 1;
  SignedBits Least = Signed ? -Most - 1 : 0;
  I.Compute = [=](const Bits *In, Bits *Out) {
    auto Clamped = [&](unsigned N) {
      return lowBits(Bits(std::clamp(signedValue(In[N], 32), Least, Most)),
                     Width);
    };
    Out[0] = Clamped(0) << Width | Clamped(1);
    if (HasThird)
      Out[0] |= In[2] << (2 * Width);
  };
  return true;
}

} // namespace

void addNarrowSemantics(SemanticsTable &T) {
  T.inst("cvt", decodeCvt);
  T.inst("cvt.pack", decodePack);
}

} // namespace heddle::interp
