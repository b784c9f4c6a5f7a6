//===- LowerNarrow.cpp - Conversions of 8 bits and less ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt to and from FP8, FP6, FP4, UE8M0, UE5M3 and S2F6, with scales, stochastic
// rounding, results without negative zeros, and cvt.pack. A result of several
// elements has that of the first source on top.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "LowerConvert.h"
#include "LowerFloat.h"
#include "heddle/Dialect/PTX/InstReader.h"
#include "heddle/ISA/ISA.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;
using isa::PackType;

unsigned lowering::packTypeCode(StringRef Element) {
  return llvm::StringSwitch<unsigned>(Element)
      .Case("e4m3", unsigned(PackType::E4M3))
      .Case("e5m2", unsigned(PackType::E5M2))
      .Case("e3m2", unsigned(PackType::E3M2))
      .Case("e2m3", unsigned(PackType::E2M3))
      .Case("e2m1", unsigned(PackType::E2M1))
      .Default(0);
}

static constexpr unsigned ReluMode = 8;

std::pair<Value, Value> lowering::widenPair(Emitter &E, Value Pair,
                                            ScalarType Ty) {
  Value V = E.as(Pair, Ty);
  auto Element = [&](unsigned Lane) -> Value {
    Value Part = E.make<LLVM::ExtractElementOp>(V, E.constInt(32, Lane));
    return Ty == ScalarType::F32x2
               ? Part
               : E.make<LLVM::FPExtOp>(E.B.getF32Type(), Part);
  };
  return {Element(1), Element(0)};
}

Value lowering::packPair(Emitter &E, Value High, Value Low, unsigned Code,
                         unsigned Mode) {
  return E.builtin("pack_f32", E.intTy(32),
                   {High, Low, E.constInt(32, Code), E.constInt(32, Mode)});
}

std::pair<Value, Value> lowering::unpackPair(Emitter &E, Value Word,
                                             unsigned Code) {
  // Every narrow number is one of .f16, too.
  Value Halves = E.builtin("unpack_pair", E.intTy(32),
                           {Word, E.constInt(32, Code), E.constInt(32, 0)});
  return widenPair(E, Halves, ScalarType::F16x2);
}

namespace {

/// A cvt that has no operation of its own.
class NarrowCvt {
public:
  NarrowCvt(Emitter &E, InstOp Op)
      : E(E), Op(Op), Reader(Op), To(Reader.fromEnd(1)),
        From(Reader.fromEnd(0)) {}
  LogicalResult run();

private:
  bool toNarrow(unsigned Code);
  bool fromNarrow(unsigned Code);
  bool toScale();
  bool fromScale();
  bool toUnsigned();
  bool fromUnsigned();
  bool toFixed();
  bool fromFixed();
  bool stochastic();
  bool withoutNegativeZero();

  Value arg(unsigned N) { return Op.getArgs()[N]; }
  Value number(unsigned V) { return E.constInt(32, V); }
  Value flag(StringRef Modifier) { return number(Reader.has(Modifier)); }
  bool isScaledByOne() const { return Reader.has("scaled::n1::ue8m0"); }
  /// The rounding and .relu as a mode of include/heddle/Target/Builtins.def.
  unsigned mode() const;
  /// Sources as .f32: two, or the elements of one pair; divided by the scale
  /// that both have, if there is one. None if they are neither.
  bool sources(Value &High, Value &Low);
  void divideByScale(Value &High, Value &Low, unsigned ScaleAt);
  /// The register that holds what does not fit it: \p Bits bits for each value.
  void pack(ArrayRef<Value> Values, unsigned Bits);
  /// Both values as elements of .bf16x2, limited as the modifiers say.
  void packBrains(Value High, Value Low);
  /// The scales of both elements, 1 where none are given.
  std::pair<Value, Value> scales(unsigned N);
  /// Both values times the scales that source 1 has, if there are any.
  void multiplyByScales(Value &High, Value &Low);
  Value byteOf(Value V, unsigned Shift);
  /// Zero in place of negative zeros, where the modifiers say so, among
  /// elements of \p Field bits whose sign is bit \p Sign.
  Value positive(Value Word, unsigned Field, unsigned Sign);
  void done(Value V) {
    Type Ty = Op.getResult(0).getType();
    Result = E.resize(E.asInt(V), bitWidth(Ty), false);
  }

  Emitter &E;
  InstOp Op;
  InstReader Reader;
  StringRef To, From;
  Value Result;
};

} // namespace

bool NarrowCvt::sources(Value &High, Value &Low) {
  auto Ty = symbolizeScalarType(From);
  if (Ty == ScalarType::F32 && Op.getArgs().size() >= 2) {
    High = E.as(arg(0), ScalarType::F32);
    Low = E.as(arg(1), ScalarType::F32);
    divideByScale(High, Low, 2);
    return true;
  }
  if (Ty != ScalarType::F16x2 && Ty != ScalarType::Bf16x2)
    return false;
  Value Pair = E.as(arg(0), *Ty);
  // Those of .bf16 are subnormal as .f32, too.
  if (isScaledByOne() && Ty == ScalarType::F16x2)
    Pair = flushSubnormals(E, *Ty, Pair);
  std::tie(High, Low) = widenPair(E, Pair, *Ty);
  divideByScale(High, Low, 1);
  return true;
}

/// A subnormal source is zero then. The quotient is exact where it matters: far
/// below all numbers of the result it may be rounded, and far above them it
/// stays finite.
void NarrowCvt::divideByScale(Value &High, Value &Low, unsigned ScaleAt) {
  if (!isScaledByOne())
    return;
  Value Inverse =
      E.as(E.builtin("inverse_ue8m0", E.intTy(32), byteOf(arg(ScaleAt), 0)),
           ScalarType::F32);
  for (Value *V : {&High, &Low})
    *V = floatProduct(E, ScalarType::F32, {Rounding::Rz}, E.flush(*V), Inverse);
}

unsigned NarrowCvt::mode() const {
  unsigned Mode = Reader.rounding() == Rounding::Rz   ? 1
                  : Reader.rounding() == Rounding::Rp ? 3
                                                      : 0;
  return Mode | (Reader.has("relu") ? ReluMode : 0);
}

Value NarrowCvt::positive(Value Word, unsigned Field, unsigned Sign) {
  if (!Reader.has("pzo"))
    return Word;
  for (unsigned Shift = 0; Shift < Field * 2 && Shift < 32; Shift += Field) {
    uint32_t Element = ~0u >> (32 - Field) << Shift;
    Value Bits = E.make<LLVM::AndOp>(Word, number(Element));
    Value IsNegativeZero =
        E.icmp(LLVM::ICmpPredicate::eq, Bits, number(1u << Sign << Shift));
    Value Others = E.make<LLVM::AndOp>(Word, number(~Element));
    Word = E.select(IsNegativeZero, Others, Word);
  }
  return Word;
}

void NarrowCvt::pack(ArrayRef<Value> Values, unsigned Bits) {
  Value Word;
  for (Value V : Values) {
    if (Word)
      V = E.make<LLVM::OrOp>(E.make<LLVM::ShlOp>(Word, number(Bits)), V);
    Word = V;
  }
  done(Word);
}

/// The bit that is the sign of a narrow float.
static unsigned signOf(unsigned Code) {
  constexpr unsigned FirstOf6Bits = 6, Of4Bits = 8;
  return Code == Of4Bits ? 3 : Code >= FirstOf6Bits ? 5 : 7;
}

bool NarrowCvt::toNarrow(unsigned Code) {
  Value High, Low;
  if (!sources(High, Low))
    return false;
  Value Word = packPair(E, High, Low, Code, mode());
  done(positive(Word, To == "e2m1x2" ? 4 : 8, signOf(Code)));
  return true;
}

bool NarrowCvt::fromNarrow(unsigned Code) {
  if (To != "f16x2" && To != "bf16x2")
    return false;
  Value Source = E.resize(E.asInt(arg(0)), 32, false);
  if (To == "f16x2") {
    done(E.builtin("unpack_pair", E.intTy(32),
                   {Source, number(Code), number(mode())}));
    return true;
  }
  auto [High, Low] = unpackPair(E, Source, Code);
  multiplyByScales(High, Low);
  packBrains(High, Low);
  return true;
}

/// Exact, or infinite.
void NarrowCvt::multiplyByScales(Value &High, Value &Low) {
  if (!Reader.has("scaled::n2::ue8m0"))
    return;
  auto [ScaleHigh, ScaleLow] = scales(1);
  auto Scaled = [&](Value V, Value Scale) {
    Value Power = E.builtin("from_ue8m0", E.intTy(32), Scale);
    return E.make<LLVM::FMulOp>(V, E.as(Power, ScalarType::F32));
  };
  High = Scaled(High, ScaleHigh);
  Low = Scaled(Low, ScaleLow);
}

void NarrowCvt::packBrains(Value High, Value Low) {
  if (Reader.has("satfinite")) {
    High = clampToFinite(E, ScalarType::Bf16, High);
    Low = clampToFinite(E, ScalarType::Bf16, Low);
  }
  Type Pair = E.typeOf(ScalarType::Bf16x2);
  done(E.intrinsic(Reader.has("relu") ? "nvvm.ff2bf16x2.rn.relu"
                                      : "nvvm.ff2bf16x2.rn",
                   Pair, {High, Low}));
}

bool NarrowCvt::toScale() {
  Value High, Low;
  if (!sources(High, Low))
    return false;
  bool Up = Reader.rounding() == Rounding::Rp;
  auto Convert = [&](Value V) {
    return E.builtin("to_ue8m0", E.intTy(32),
                     {E.asInt(V), number(Up), flag("satfinite")});
  };
  pack({Convert(High), Convert(Low)}, 8);
  return true;
}

bool NarrowCvt::toUnsigned() {
  Value High, Low;
  if (!sources(High, Low))
    return false;
  auto Convert = [&](Value V) {
    return E.builtin("to_ue5m3", E.intTy(32),
                     {E.asInt(V), number(mode()), flag("satfinite")});
  };
  pack({Convert(High), Convert(Low)}, 8);
  return true;
}

bool NarrowCvt::fromUnsigned() {
  auto Convert = [&](unsigned Shift) {
    return E.as(E.builtin("from_ue5m3", E.intTy(32), byteOf(arg(0), Shift)),
                ScalarType::F32);
  };
  Value High = Convert(8), Low = Convert(0);
  if (To == "f16x2") {
    done(E.intrinsic("nvvm.ff2f16x2.rn", E.typeOf(ScalarType::F16x2),
                     {High, Low}));
    return true;
  }
  multiplyByScales(High, Low);
  packBrains(High, Low);
  return To == "bf16x2";
}

Value NarrowCvt::byteOf(Value V, unsigned Shift) {
  Value Word = E.resize(E.asInt(V), 32, false);
  return E.make<LLVM::AndOp>(E.make<LLVM::LShrOp>(Word, number(Shift)),
                             number(0xFF));
}

bool NarrowCvt::fromScale() {
  if (To != "bf16x2")
    return false;
  auto Convert = [&](unsigned Shift) {
    return E.as(E.builtin("from_ue8m0", E.intTy(32), byteOf(arg(0), Shift)),
                ScalarType::F32);
  };
  packBrains(Convert(8), Convert(0));
  return true;
}

std::pair<Value, Value> NarrowCvt::scales(unsigned N) {
  if (!Reader.has("scaled::n2::ue8m0"))
    return {number(127), number(127)};
  return {byteOf(arg(N), 8), byteOf(arg(N), 0)};
}

bool NarrowCvt::toFixed() {
  Value High, Low;
  if (!sources(High, Low))
    return false;
  auto [ScaleHigh, ScaleLow] = scales(From == "f32" ? 2 : 1);
  auto Convert = [&](Value V, Value Scale) {
    return E.builtin("to_s2f6", E.intTy(32),
                     {V, Scale, flag("relu"), flag("rz")});
  };
  pack({Convert(High, ScaleHigh), Convert(Low, ScaleLow)}, 8);
  return true;
}

bool NarrowCvt::fromFixed() {
  if (To != "bf16x2")
    return false;
  auto [ScaleHigh, ScaleLow] = scales(1);
  auto Convert = [&](unsigned Shift, Value Scale) {
    return E.builtin("from_s2f6", E.B.getF32Type(),
                     {byteOf(arg(0), Shift), Scale});
  };
  packBrains(Convert(8, ScaleHigh), Convert(0, ScaleLow));
  return true;
}

/// The number that a random source holds for one of four elements, the upper
/// one being number 0: two share 16 bits, or each of 4 bits has 8 of its own.
static Value randomOf(Emitter &E, Value Random, unsigned Element,
                      unsigned Bits) {
  static constexpr unsigned Shared[] = {16, 16, 0, 0}, Own[] = {24, 8, 16, 0};
  unsigned Shift = Bits == 8 ? Shared[Element] : Own[Element];
  return E.make<LLVM::LShrOp>(Random, E.constInt(32, Shift));
}

bool NarrowCvt::stochastic() {
  if (From != "f32")
    return false;
  bool Half = To == "f16x2", Brain = To == "bf16x2";
  unsigned Type = Half    ? unsigned(PackType::F16)
                  : Brain ? unsigned(PackType::BF16)
                          : packTypeCode(To.drop_back(2));
  unsigned Elements = Half || Brain ? 2 : 4;
  if (!Type || Op.getArgs().size() != Elements + 1)
    return false;
  unsigned Bits = Elements == 2 ? 16 : To == "e2m1x4" ? 4 : 8;
  unsigned Count = Half ? 13 : Bits == 4 ? 8 : 16;
  Value Random = E.asInt(Op.getArgs().back());
  SmallVector<Value> Values;
  for (unsigned N = 0; N != Elements; ++N) {
    Value V = E.as(arg(N), ScalarType::F32);
    if (Reader.has("satfinite") && Elements == 2)
      V = clampToFinite(E, Half ? ScalarType::F16 : ScalarType::Bf16, V);
    if (Reader.has("relu"))
      V = E.intrinsic("nvvm.fmax.nan.f", V.getType(),
                      {V, E.constFloat(V.getType(), 0.0)});
    Value Own = Elements == 2
                    ? E.make<LLVM::LShrOp>(Random, number(N == 0 ? 16 : 0))
                    : randomOf(E, Random, N, Bits);
    Values.push_back(E.builtin("round_stochastic", E.intTy(32),
                               {E.asInt(V), Own, number(Count), number(Type)}));
  }
  pack(Values, Bits);
  return true;
}

/// .pzo to .tf32 and to types of 16 bits and their pairs.
bool NarrowCvt::withoutNegativeZero() {
  auto Ty = symbolizeScalarType(To);
  bool IsPair = Op.getArgs().size() == 2;
  if (!Ty || From != "f32")
    return false;
  SmallVector<Value, 2> Values;
  for (Value V : Op.getArgs()) {
    // A wider register holds the number in its low bits.
    V = E.as(E.resize(E.asInt(V), 32, /*Signed=*/false), ScalarType::F32);
    Values.push_back(Reader.has("satfinite") ? clampToFinite(E, *Ty, V) : V);
  }
  PackType Type = To.starts_with("f16")    ? PackType::F16
                  : To.starts_with("bf16") ? PackType::BF16
                                           : PackType::TF32;
  auto Code = unsigned(Type);
  Value Word = IsPair ? packPair(E, Values[0], Values[1], Code, mode())
                      : E.builtin("narrow_f32", E.intTy(32),
                                  {Values[0], number(Code), number(mode())});
  done(Type == PackType::TF32 ? positive(Word, 32, 31)
                              : positive(Word, 16, 15));
  return true;
}

LogicalResult NarrowCvt::run() {
  StringRef ToElement = To, FromElement = From;
  ToElement.consume_back("x2");
  FromElement.consume_back("x2");
  bool Done = false;
  if (Reader.has("rs"))
    Done = stochastic();
  else if (unsigned Code = packTypeCode(ToElement))
    Done = toNarrow(Code);
  else if (unsigned Code = packTypeCode(FromElement))
    Done = fromNarrow(Code);
  else if (To == "ue8m0x2")
    Done = toScale();
  else if (From == "ue8m0x2")
    Done = fromScale();
  else if (To == "s2f6x2")
    Done = toFixed();
  else if (From == "s2f6x2")
    Done = fromFixed();
  else if (To == "ue5m3x2")
    Done = toUnsigned();
  else if (From == "ue5m3x2")
    Done = fromUnsigned();
  else if (Reader.has("pzo"))
    Done = withoutNegativeZero();
  if (Done)
    return E.replace(Op, Result);
  return E.unsupported(Op, "cvt." + To + "." + From + " with these modifiers");
}

static LogicalResult lowerNarrowCvt(Emitter &E, InstOp Op) {
  return NarrowCvt(E, Op).run();
}

/// Bits of the integers that cvt.pack makes.
static unsigned packedBits(StringRef Type) {
  unsigned Bits = 0;
  return Type.drop_front().getAsInteger(10, Bits) ? 0 : Bits;
}

/// cvt.pack.sat.TYPE.s32{.b32}: a above b, both clamped, and c above them.
static LogicalResult lowerPack(Emitter &E, InstOp Op) {
  InstReader Reader(Op);
  bool Third = Op.getArgs().size() == 3;
  StringRef Type = Reader.fromEnd(Third ? 2 : 1);
  unsigned Bits = packedBits(Type);
  bool Signed = Type.starts_with("s");
  int64_t High = (int64_t(1) << (Bits - Signed)) - 1;
  int64_t Low = Signed ? -High - 1 : 0;
  auto Part = [&](unsigned N) {
    Value V = E.clamp(E.asInt(Op.getArgs()[N]), Low, High, /*Signed=*/true);
    return E.make<LLVM::AndOp>(V, E.constInt(32, (uint64_t(1) << Bits) - 1));
  };
  Value V = E.make<LLVM::OrOp>(
      E.make<LLVM::ShlOp>(Part(0), E.constInt(32, Bits)), Part(1));
  if (Third)
    V = E.make<LLVM::OrOp>(
        V, E.make<LLVM::ShlOp>(E.asInt(Op.getArgs()[2]),
                               E.constInt(32, uint64_t(2) * Bits)));
  return E.replace(Op, V);
}

void lowering::addNarrowLowerings(LoweringTable &Table) {
  Table.addInst<lowerNarrowCvt>("cvt");
  Table.addInst<lowerPack>("cvt.pack");
}
