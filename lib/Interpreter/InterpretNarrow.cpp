//===- InterpretNarrow.cpp - Narrow floats of PTX ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt to and from FP8, FP6, FP4, UE8M0, UE5M3 and S2F6, stochastic rounding,
// .pzo, and cvt.pack. The first source is the upper element of a result.
//
//===----------------------------------------------------------------------===//

#include "NarrowFloats.h"

#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

//===----------------------------------------------------------------------===//
// UE8M0: powers of two
//===----------------------------------------------------------------------===//

constexpr uint64_t ScaleMost = 254;

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

//===----------------------------------------------------------------------===//
// UE5M3: floats without a sign
//===----------------------------------------------------------------------===//

constexpr uint64_t UnsignedNaN = 255, UnsignedMost = 254;

/// The number of a code; that of the NaN would follow the largest one.
double unsignedNumber(uint64_t Code) {
  int Exponent = int(Code >> 3), Fraction = int(Code & 7);
  return Exponent ? std::ldexp(8 + Fraction, Exponent - 15 - 3)
                  : std::ldexp(Fraction, 1 - 15 - 3);
}

double unsignedValue(Bits Code) {
  return uint8_t(Code) == UnsignedNaN ? std::nan("")
                                      : unsignedNumber(uint8_t(Code));
}

/// The sign goes away before the rounding.
uint64_t convertToUnsigned(const APFloat &Value, RoundingMode Mode,
                           bool SatFinite) {
  double Magnitude = std::fabs(Value.convertToDouble());
  if (std::isnan(Magnitude))
    return UnsignedNaN;
  if (std::isinf(Magnitude))
    return SatFinite ? UnsignedMost : UnsignedNaN;
  uint64_t Below = 0;
  while (Below < UnsignedMost && unsignedNumber(Below + 1) <= Magnitude)
    ++Below;
  double Low = unsignedNumber(Below), Next = unsignedNumber(Below + 1);
  bool Up = false;
  if (Mode == RoundingMode::TowardPositive)
    Up = Magnitude > Low;
  else if (Mode == RoundingMode::NearestTiesToEven)
    Up = Magnitude - Low > Next - Magnitude ||
         (Magnitude - Low == Next - Magnitude && Below % 2);
  uint64_t Code = Below + Up;
  return SatFinite ? std::min(Code, UnsignedMost) : Code;
}

//===----------------------------------------------------------------------===//
// S2F6: fixed point with six places
//===----------------------------------------------------------------------===//

/// Fixed-point numbers have no NaN: the largest one stands for it.
uint64_t convertToFixed(const APFloat &Value, double Scale, bool Relu,
                        RoundingMode Mode) {
  double Number = Value.convertToDouble() / Scale * 64;
  if (std::isnan(Number))
    return 127;
  APFloat Rounded(std::clamp(Number, Relu ? 0.0 : -128.0, 127.0));
  Rounded.roundToIntegral(Mode);
  return uint8_t(int(Rounded.convertToDouble()));
}

APFloat fixedValue(Bits Code) {
  return APFloat(double(int8_t(uint8_t(Code))) / 64);
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

/// A source that is divided by the scale that both elements have; a subnormal
/// one counts as zero. The quotient keeps all bits.
APFloat divided(const APFloat &Value, Bits Scale) {
  double Number = flushed(Value).convertToDouble() / scaleValue(Scale);
  return APFloat(Number);
}

/// None if the instruction does not take two of .f32 or a pair.
std::optional<PairFn> sourcesOf(StringRef Type, bool HasScale) {
  auto Scaled = [HasScale](const APFloat &High, const APFloat &Low,
                           Bits Scale) {
    if (HasScale)
      return std::pair(divided(High, Scale), divided(Low, Scale));
    return std::pair(High, Low);
  };
  if (Type == "f32")
    return PairFn([=](const Bits *In) {
      return Scaled(floatValue(ScalarType::F32, In[0]),
                    floatValue(ScalarType::F32, In[1]), HasScale ? In[2] : 0);
    });
  if (Type != "f16x2" && Type != "bf16x2")
    return std::nullopt;
  ScalarType Element = Type == "f16x2" ? ScalarType::F16 : ScalarType::Bf16;
  return PairFn([=](const Bits *In) {
    return Scaled(floatValue(Element, In[0] >> 16), floatValue(Element, In[0]),
                  HasScale ? In[1] : 0);
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

/// How a number becomes the code of an element; null for an unknown type. A
/// type of fixed point has a scale of its own.
using CodeFn = std::function<uint64_t(const APFloat &Value, double Scale)>;

CodeFn encoderOf(StringRef To, const InstReader &Reader) {
  bool SatFinite = Reader.has("satfinite"), Relu = Reader.has("relu");
  RoundingMode Mode = roundingMode(Reader.rounding());
  if (To == "ue8m0x2")
    return [=, Up = Reader.has("rp")](const APFloat &Value, double) {
      return convertToScale(Value, Up, SatFinite);
    };
  if (To == "ue5m3x2")
    return [=](const APFloat &Value, double) {
      return convertToUnsigned(Value, Mode, SatFinite);
    };
  if (To == "s2f6x2")
    return [=](const APFloat &Value, double Scale) {
      return convertToFixed(Value, Scale, Relu, Mode);
    };
  std::optional<Format> F = formatOf(elementName(To, "x2"));
  if (!F)
    return nullptr;
  Limits L{SatFinite, Relu, /*Positive=*/Reader.has("pzo")};
  return [=, F = *F](const APFloat &Value, double) {
    return convertTo(F, Value, L, Mode);
  };
}

bool decodeToPair(StringRef To, StringRef From, const InstReader &Reader,
                  Instruction &I) {
  auto Sources = sourcesOf(From, Reader.has("scaled::n1::ue8m0"));
  CodeFn Encode = encoderOf(To, Reader);
  if (!Sources || !Encode)
    return false;
  bool IsScaled = Reader.has("scaled::n2::ue8m0");
  unsigned ScaleAt = From == "f32" ? 2 : 1;
  std::optional<Format> F = formatOf(elementName(To, "x2"));
  unsigned Field = F ? F->Field : 8;
  I.Compute = [=, Get = *Sources](const Bits *In, Bits *Out) {
    auto [High, Low] = Get(In);
    auto [HighScale, LowScale] = scalesOf(IsScaled, In, ScaleAt);
    Out[0] = Bits(Encode(High, HighScale)) << Field | Encode(Low, LowScale);
  };
  return true;
}

/// .pzo of one .f32, to .f16, .bf16 or .tf32.
bool decodeWithoutNegativeZero(StringRef To, const InstReader &Reader,
                               Instruction &I) {
  if (!Reader.has("pzo") || Reader.fromEnd(0) != "f32" ||
      I.Operands.size() != 1)
    return false;
  bool IsTf32 = To == "tf32";
  Format F =
      IsTf32 ? Format{&APFloat::FloatTF32(), 19, 0x3FFFF, true} : *formatOf(To);
  Limits L{Reader.has("satfinite"), Reader.has("relu"), /*Positive=*/true};
  RoundingMode Mode = roundingMode(Reader.rounding());
  I.Compute = [=](const Bits *In, Bits *Out) {
    uint64_t Code = convertTo(F, floatValue(ScalarType::F32, In[0]), L, Mode);
    Out[0] = Bits(Code) << (IsTf32 ? 13 : 0);
    if (IsTf32 && Code == F.NaN)
      Out[0] = canonicalNaN(ScalarType::F32);
  };
  return true;
}

/// The number of an element, which stands in place \p Element of a word.
using NumberFn = std::function<APFloat(Bits Word, unsigned Element)>;

/// Null for an unknown type.
NumberFn decoderOf(StringRef From) {
  auto Byte = [](Bits Word, unsigned Element) { return Word >> (8 * Element); };
  if (From == "ue8m0x2")
    return [=](Bits Word, unsigned Element) {
      return APFloat(scaleValue(Byte(Word, Element)));
    };
  if (From == "ue5m3x2")
    return [=](Bits Word, unsigned Element) {
      return APFloat(unsignedValue(Byte(Word, Element)));
    };
  if (From == "s2f6x2")
    return [=](Bits Word, unsigned Element) {
      return fixedValue(Byte(Word, Element));
    };
  std::optional<Format> F = formatOf(elementName(From, "x2"));
  if (!F || F->Field == 16)
    return nullptr;
  return [F = *F](Bits Word, unsigned Element) {
    return decode(F, Word, Element);
  };
}

bool decodeFromPair(StringRef To, StringRef From, const InstReader &Reader,
                    Instruction &I) {
  std::optional<Format> Wide = formatOf(elementName(To, "x2"));
  NumberFn Number = decoderOf(From);
  if (!Wide || Wide->Field != 16 || !Number)
    return false;
  Limits L{Reader.has("satfinite"), Reader.has("relu")};
  bool IsScaled = Reader.has("scaled::n2::ue8m0");
  I.Compute = [=, Wide = *Wide](const Bits *In, Bits *Out) {
    auto [HighScale, LowScale] = scalesOf(IsScaled, In, 1);
    Out[0] = 0;
    for (unsigned Element : {0, 1}) {
      // Exact in double precision: a power of two, or none.
      APFloat Value = Number(In[0], Element);
      if (IsScaled)
        Value =
            APFloat(Value.convertToDouble() * (Element ? HighScale : LowScale));
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
         decodeWithoutNegativeZero(To, Reader, I) ||
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
