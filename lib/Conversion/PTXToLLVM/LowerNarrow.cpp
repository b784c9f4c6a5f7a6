//===- LowerNarrow.cpp - Conversions of 8 bits and less ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cvt to and from FP8, FP6, FP4, UE8M0 and S2F6, stochastic rounding, and
// cvt.pack. A result of several elements has that of the first source on top.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "LowerConvert.h"
#include "heddle/Dialect/PTX/InstReader.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

/// PackType of isa-defs/HeddleFormats.td for a pair of narrow floats; 0 if it
/// is not one.
static unsigned packTypeCode(StringRef Type) {
  return llvm::StringSwitch<unsigned>(Type)
      .Case("e4m3x2", 4)
      .Case("e5m2x2", 5)
      .Case("e3m2x2", 6)
      .Case("e2m3x2", 7)
      .Case("e2m1x2", 8)
      .Default(0);
}

static constexpr unsigned ReluMode = 8;

/// The elements of a source of pairs as .f32, the upper one first.
static std::pair<Value, Value> widenPair(Emitter &E, Value Pair,
                                         ScalarType Ty) {
  Value V = E.as(Pair, Ty);
  auto Element = [&](unsigned Lane) {
    return E.make<LLVM::FPExtOp>(
        E.B.getF32Type(),
        E.make<LLVM::ExtractElementOp>(V, E.constInt(32, Lane)));
  };
  return {Element(1), Element(0)};
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
  bool toFixed();
  bool fromFixed();
  bool stochastic();

  Value arg(unsigned N) { return Op.getArgs()[N]; }
  Value number(unsigned V) { return E.constInt(32, V); }
  Value flag(StringRef Modifier) { return number(Reader.has(Modifier)); }
  /// Sources as .f32: two, or the elements of one pair. None if they are
  /// neither.
  bool sources(Value &High, Value &Low);
  /// The register that holds what does not fit it: \p Bits bits for each value.
  void pack(ArrayRef<Value> Values, unsigned Bits);
  /// Both values as elements of .bf16x2, limited as the modifiers say.
  void packBrains(Value High, Value Low);
  /// The scales of both elements, 1 where none are given.
  std::pair<Value, Value> scales(unsigned N);
  Value byteOf(Value V, unsigned Shift);
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
    return true;
  }
  if (Ty != ScalarType::F16x2 && Ty != ScalarType::Bf16x2)
    return false;
  std::tie(High, Low) = widenPair(E, arg(0), *Ty);
  return true;
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

bool NarrowCvt::toNarrow(unsigned Code) {
  Value High, Low;
  if (Reader.rounding() != Rounding::Rn || !sources(High, Low))
    return false;
  done(E.builtin(
      "pack_f32", E.intTy(32),
      {High, Low, number(Code), number(Reader.has("relu") ? ReluMode : 0)}));
  return true;
}

bool NarrowCvt::fromNarrow(unsigned Code) {
  if (To != "f16x2" && To != "bf16x2")
    return false;
  // Every narrow number is one of .f16, too.
  Value Source = E.resize(E.asInt(arg(0)), 32, false);
  Value Halves = E.builtin(
      "unpack_pair", E.intTy(32),
      {Source, number(Code), number(Reader.has("relu") ? ReluMode : 0)});
  if (To == "f16x2") {
    done(Halves);
    return true;
  }
  auto [High, Low] = widenPair(E, Halves, ScalarType::F16x2);
  packBrains(High, Low);
  return true;
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
    return E.builtin("to_s2f6", E.intTy(32), {V, Scale, flag("relu")});
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
  std::string Pair = (To.drop_back(1) + "2").str();
  unsigned Type = Half ? 1 : Brain ? 2 : packTypeCode(Pair);
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

LogicalResult NarrowCvt::run() {
  bool Done = false;
  if (Reader.has("rs"))
    Done = stochastic();
  else if (unsigned Code = packTypeCode(To))
    Done = toNarrow(Code);
  else if (unsigned Code = packTypeCode(From))
    Done = fromNarrow(Code);
  else if (To == "ue8m0x2")
    Done = toScale();
  else if (From == "ue8m0x2")
    Done = fromScale();
  else if (To == "s2f6x2")
    Done = toFixed();
  else if (From == "s2f6x2")
    Done = fromFixed();
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
    V = E.make<LLVM::OrOp>(V, E.make<LLVM::ShlOp>(E.asInt(Op.getArgs()[2]),
                                                  E.constInt(32, 2 * Bits)));
  return E.replace(Op, V);
}

void lowering::addNarrowLowerings(LoweringTable &Table) {
  Table.addInst<lowerNarrowCvt>("cvt");
  Table.addInst<lowerPack>("cvt.pack");
}
