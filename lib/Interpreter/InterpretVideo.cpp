//===- InterpretVideo.cpp - Video instructions of PTX -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chapter 9.7.17 of the PTX manual: parts of the sources are extended to
// numbers, which are exact here; the result is clamped, then combined with the
// third source or put into a part of it.
//
//===----------------------------------------------------------------------===//

#include "Instruction.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>

using namespace llvm;
using namespace heddle::ptxir;

namespace heddle::interp {

namespace {

using BinaryFn = SignedBits (*)(SignedBits A, SignedBits B);

SignedBits add(SignedBits A, SignedBits B) { return A + B; }
SignedBits subtract(SignedBits A, SignedBits B) { return A - B; }
SignedBits least(SignedBits A, SignedBits B) { return std::min(A, B); }
SignedBits most(SignedBits A, SignedBits B) { return std::max(A, B); }
SignedBits distance(SignedBits A, SignedBits B) { return most(A - B, B - A); }
/// Rounded away from zero where the sum is not negative, else down.
SignedBits average(SignedBits A, SignedBits B) {
  return (A + B + (A + B >= 0)) >> 1;
}
SignedBits shiftLeft(SignedBits A, SignedBits B) {
  return SignedBits(Bits(A) << unsigned(B));
}
SignedBits shiftRight(SignedBits A, SignedBits B) { return A >> unsigned(B); }
SignedBits isEq(SignedBits A, SignedBits B) { return A == B; }
SignedBits isNe(SignedBits A, SignedBits B) { return A != B; }
SignedBits isLt(SignedBits A, SignedBits B) { return A < B; }
SignedBits isLe(SignedBits A, SignedBits B) { return A <= B; }
SignedBits isGt(SignedBits A, SignedBits B) { return A > B; }
SignedBits isGe(SignedBits A, SignedBits B) { return A >= B; }

/// Bits of a word.
struct Part {
  unsigned First = 0, Width = 32;

  /// `.b0` to `.b3` are 1 to 4, `.h0` and `.h1` are 5 and 6.
  static Part selectedBy(int64_t Selector) {
    if (Selector >= 5)
      return {unsigned(16 * (Selector - 5)), 16};
    if (Selector >= 1)
      return {unsigned(8 * (Selector - 1)), 8};
    return {};
  }
  SignedBits read(Bits Word, bool Signed) const {
    Bits Field = lowBits(Word >> First, Width);
    return Signed ? signedValue(Field, Width) : SignedBits(Field);
  }
  Bits replace(Bits Word, SignedBits Value) const {
    Bits Mask = lowBits(~Bits(0), Width) << First;
    return (Word & ~Mask) | (Bits(Value) << First & Mask);
  }
};

struct Video {
  BinaryFn First = nullptr;
  BinaryFn Second = nullptr; ///< With the third source.
  bool SignedResult = false, SignedA = false, SignedB = false;
  bool Sat = false, IsShift = false, Wraps = false, PlusOne = false;
  bool Merges = false;
  bool NegatesProduct = false, NegatesC = false;
  unsigned Scale = 0;        ///< The shift of vmad.
  unsigned Lanes = 1;        ///< 2 or 4 in SIMD.
  int64_t Selectors[3] = {}; ///< Of the result and the sources.

  SignedBits clamp(SignedBits Value, unsigned Width, bool Signed) const {
    if (!Sat)
      return Value;
    SignedBits Most = (SignedBits(1) << (Width - Signed)) - 1;
    return std::clamp(Value, Signed ? -Most - 1 : 0, Most);
  }
  SignedBits first(SignedBits A, SignedBits B, unsigned Width) const {
    if (IsShift)
      B = Wraps ? B & 31 : std::min<SignedBits>(B, 32);
    return clamp(First(A, B), Width, SignedResult);
  }
  void scalar(const Bits *In, Bits *Out) const;
  void multiplyAdd(const Bits *In, Bits *Out) const;
  void simd(const Bits *In, Bits *Out) const;
};

void Video::scalar(const Bits *In, Bits *Out) const {
  Part To = Part::selectedBy(Selectors[0]);
  SignedBits Value =
      first(Part::selectedBy(Selectors[1]).read(In[0], SignedA),
            Part::selectedBy(Selectors[2]).read(In[1], SignedB), To.Width);
  // A second operation sees the word that the first one gives.
  if (Second)
    Out[0] = Bits(Second(Part().read(Bits(Value), SignedResult),
                         Part().read(In[2], SignedResult)));
  else
    Out[0] = Merges ? To.replace(In[2], Value) : Bits(Value);
}

void Video::multiplyAdd(const Bits *In, Bits *Out) const {
  bool Signed = SignedA || SignedB || NegatesProduct || NegatesC;
  SignedBits Product = Part::selectedBy(Selectors[1]).read(In[0], SignedA) *
                       Part::selectedBy(Selectors[2]).read(In[1], SignedB);
  SignedBits C = Part().read(In[2], Signed);
  SignedBits Sum =
      (NegatesProduct ? -Product : Product) + (NegatesC ? -C : C) + PlusOne;
  Out[0] = Bits(clamp(Sum >> Scale, 32, Signed));
}

void Video::simd(const Bits *In, Bits *Out) const {
  unsigned Width = 32 / Lanes;
  Bits Sources = In[1] << 32 | lowBits(In[0], 32);
  Bits Merged = In[2];
  auto Sum = SignedBits(lowBits(In[2], 32));
  for (unsigned Lane = 0; Lane != Lanes; ++Lane) {
    if (!(Selectors[0] >> Lane & 1))
      continue;
    auto Pick = [&](int64_t Selector, bool Signed) {
      unsigned Number = unsigned(Selector >> (4 * Lane) & 15);
      return Part{Number * Width, Width}.read(Sources, Signed);
    };
    SignedBits Value =
        first(Pick(Selectors[1], SignedA), Pick(Selectors[2], SignedB), Width);
    Sum += Value;
    Merged = Part{Lane * Width, Width}.replace(Merged, Value);
  }
  Out[0] = Second ? Bits(Sum) : Merged;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

BinaryFn operationOf(StringRef Name, const InstReader &Reader) {
  if (Name == "vset")
    for (StringRef Part : Reader.parts())
      if (BinaryFn Compare = StringSwitch<BinaryFn>(Part)
                                 .Case("eq", isEq)
                                 .Case("ne", isNe)
                                 .Case("lt", isLt)
                                 .Case("le", isLe)
                                 .Case("gt", isGt)
                                 .Case("ge", isGe)
                                 .Default(nullptr))
        return Compare;
  return StringSwitch<BinaryFn>(Name)
      .Case("vadd", add)
      .Case("vsub", subtract)
      .Case("vabsdiff", distance)
      .Case("vmin", least)
      .Case("vmax", most)
      .Case("vavrg", average)
      .Case("vshl", shiftLeft)
      .Case("vshr", shiftRight)
      .Default(nullptr);
}

BinaryFn secondOperationOf(const InstReader &Reader) {
  return Reader.has("add")   ? add
         : Reader.has("min") ? least
         : Reader.has("max") ? most
                             : nullptr;
}

/// Types stand in the order result, a, b; vset has no type of its result.
void readTypes(const InstReader &Reader, StringRef Name, Video &V) {
  bool *Signs[] = {&V.SignedResult, &V.SignedA, &V.SignedB};
  unsigned Next = Name == "vset" ? 1 : 0;
  for (StringRef Part : Reader.parts())
    if ((Part == "s32" || Part == "u32") && Next != std::size(Signs))
      *Signs[Next++] = Part == "s32";
}

bool decodeVideo(const InstReader &Reader, Instruction &I) {
  Video V;
  StringRef Name = Reader.getOp().getOpcode();
  if (Name.consume_back("2"))
    V.Lanes = 2;
  else if (Name.consume_back("4"))
    V.Lanes = 4;
  readTypes(Reader, Name, V);
  V.First = operationOf(Name, Reader);
  V.Second = secondOperationOf(Reader);
  V.Sat = Reader.has("sat");
  V.PlusOne = Reader.has("po");
  V.IsShift = Name == "vshl" || Name == "vshr";
  V.Wraps = Reader.has("wrap");
  V.Scale = Reader.has("shr7") ? 7 : Reader.has("shr15") ? 15 : 0;
  V.Merges = I.Operands.size() == 3;
  for (unsigned N = 0; N != std::size(V.Selectors); ++N)
    V.Selectors[N] = Reader.form(N).getValue();
  auto IsNegated = [&](unsigned N) {
    return Reader.form(N).getKind() == OperandKind::Negated;
  };
  if (Name == "vmad") {
    V.NegatesProduct = IsNegated(1) != IsNegated(2);
    V.NegatesC = IsNegated(3);
    I.Compute = [V](const Bits *In, Bits *Out) { V.multiplyAdd(In, Out); };
  } else if (V.Lanes > 1) {
    I.Compute = [V](const Bits *In, Bits *Out) { V.simd(In, Out); };
  } else {
    I.Compute = [V](const Bits *In, Bits *Out) { V.scalar(In, Out); };
  }
  return V.First || Name == "vmad";
}

} // namespace

void addVideoSemantics(SemanticsTable &T) {
  for (StringRef Name : {"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl",
                         "vshr", "vmad", "vset"})
    T.inst(Name, decodeVideo);
  for (StringRef Name :
       {"vadd2", "vsub2", "vavrg2", "vabsdiff2", "vmin2", "vmax2", "vset2",
        "vadd4", "vsub4", "vavrg4", "vabsdiff4", "vmin4", "vmax4", "vset4"})
    T.inst(Name, decodeVideo);
}

} // namespace heddle::interp
