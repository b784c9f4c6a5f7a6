//===- CarryForms.cpp - Extended precision ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The carry flag cannot be loaded or stored: an addition or subtraction in
// front sets it from a predicate, and one behind moves it into a result. It is
// the carry out of an adder, for subtractions too, which add the complement
// (docs/ptx-frontend.md, "The carry flag").
//
//===----------------------------------------------------------------------===//

#include "Families.h"
#include "Operands.h"
#include <tuple>

using namespace heddle;
using namespace heddle::forms;

using Words = const uint64_t *;

/// How the flag is set from a predicate.
static std::string setFlag(bool BySubtraction, const char *Predicate) {
  std::string Text = "{ .reg .b32 %k; selp.b32 %k, ";
  Text += BySubtraction ? "0, 1, " : "-1, 0, ";
  Text += Predicate;
  Text +=
      BySubtraction ? "; sub.cc.u32 %k, 0, %k; }" : "; add.cc.u32 %k, %k, 1; }";
  return Text;
}

/// The flag as 0 or 1.
static constexpr char ReadFlag[] = " addc.u32 $d1, 0, 0;";

static void addSums(FormList &List, IntType T) {
  Source Word = integers(T.Bits);
  Result Wide = bits(T.Bits), Flag = bits(32);
  std::string Type = std::string(".") + T.Name;
  unsigned Bits = T.Bits;
  auto Sum = [Bits](Words S, uint64_t *D) {
    UInt128 V = UInt128(S[0]) + S[1] + (S[2] & 1);
    D[0] = static_cast<uint64_t>(V);
    D[1] = static_cast<uint64_t>(V >> Bits);
  };
  auto Difference = [=](Words S, uint64_t *D) {
    uint64_t In[] = {S[0], lowBits(~S[1], Bits), S[2]};
    Sum(In, D);
  };
  auto WithFlag = [](auto Compute, bool Flag) {
    return [=](Words S, uint64_t *D) {
      uint64_t In[] = {S[0], S[1], Flag};
      Compute(In, D);
    };
  };
  List.addText("add.cc" + Type, "add.cc" + Type + " $d0, $s0, $s1;" + ReadFlag,
               {Word, Word}, {Wide, Flag}, WithFlag(Sum, false));
  List.addText("sub.cc" + Type, "sub.cc" + Type + " $d0, $s0, $s1;" + ReadFlag,
               {Word, Word}, {Wide, Flag}, WithFlag(Difference, true));
  for (bool BySubtraction : {false, true}) {
    std::string Set = setFlag(BySubtraction, "$s2");
    std::string Note = BySubtraction ? " after sub.cc" : " after add.cc";
    List.addText("addc.cc" + Type + Note,
                 Set + " addc.cc" + Type + " $d0, $s0, $s1;" + ReadFlag,
                 {Word, Word, predicates()}, {Wide, Flag}, Sum);
    List.addText("addc" + Type + Note, Set + " addc" + Type + " $d0, $s0, $s1;",
                 {Word, Word, predicates()}, {Wide}, Sum);
    List.addText("subc.cc" + Type + Note,
                 Set + " subc.cc" + Type + " $d0, $s0, $s1;" + ReadFlag,
                 {Word, Word, predicates()}, {Wide, Flag}, Difference);
    List.addText("subc" + Type + Note, Set + " subc" + Type + " $d0, $s0, $s1;",
                 {Word, Word, predicates()}, {Wide}, Difference);
  }
}

static void addProducts(FormList &List, IntType T, bool High) {
  Source Word = integers(T.Bits);
  Result Wide = bits(T.Bits), Flag = bits(32);
  std::string Type = std::string(High ? ".hi" : ".lo");
  auto Compute = [=](Words S, bool Carry, uint64_t *D) {
    UInt128 P = static_cast<UInt128>(T.value(S[0])) *
                static_cast<UInt128>(T.value(S[1]));
    UInt128 Part =
        lowBits(static_cast<uint64_t>(High ? P >> T.Bits : P), T.Bits);
    UInt128 V = Part + S[2] + Carry;
    D[0] = static_cast<uint64_t>(V);
    D[1] = static_cast<uint64_t>(V >> T.Bits);
  };
  auto Fresh = [=](Words S, uint64_t *D) { Compute(S, false, D); };
  auto Carried = [=](Words S, uint64_t *D) { Compute(S, S[3], D); };
  auto Name = [&](const char *Op, const char *Cc) {
    return std::string(Op) + Type + Cc + "." + T.Name;
  };
  std::string Operands = " $d0, $s0, $s1, $s2;";
  std::string Set = setFlag(false, "$s3");
  List.addText(Name("mad", ".cc"), Name("mad", ".cc") + Operands + ReadFlag,
               {Word, Word, Word}, {Wide, Flag}, Fresh);
  List.addText(Name("madc", ".cc"),
               Set + " " + Name("madc", ".cc") + Operands + ReadFlag,
               {Word, Word, Word, predicates()}, {Wide, Flag}, Carried);
  List.addText(Name("madc", ""), Set + " " + Name("madc", "") + Operands,
               {Word, Word, Word, predicates()}, {Wide}, Carried);
}

/// An instruction that writes the flag, or reads and writes it.
struct CarryStep {
  const char *Op;
  enum { Add, Subtract, Multiply } Kind;
  bool High = false;

  std::string text(IntType T, const char *Operands) const {
    return std::string(Op) + ".cc." + T.Name + " " + Operands;
  }
  /// The result and the flag that comes out.
  std::pair<uint64_t, bool> compute(IntType T, uint64_t A, uint64_t B,
                                    uint64_t C, bool Flag) const {
    UInt128 V = UInt128(A) + (Kind == Subtract ? lowBits(~B, T.Bits) : B);
    if (Kind == Multiply) {
      UInt128 P =
          static_cast<UInt128>(T.value(A)) * static_cast<UInt128>(T.value(B));
      V = lowBits(static_cast<uint64_t>(High ? P >> T.Bits : P), T.Bits);
      V += C;
    }
    V += Flag;
    return {lowBits(static_cast<uint64_t>(V), T.Bits), V >> T.Bits & 1};
  }
};

static constexpr CarryStep Writers[] = {
    {"add", CarryStep::Add},
    {"sub", CarryStep::Subtract},
    {"mad.lo", CarryStep::Multiply},
    {"mad.hi", CarryStep::Multiply, true},
};
static constexpr CarryStep Readers[] = {
    {"addc", CarryStep::Add},
    {"subc", CarryStep::Subtract},
    {"madc.lo", CarryStep::Multiply},
    {"madc.hi", CarryStep::Multiply, true},
};

/// Every instruction that writes the flag before every one that reads it, and
/// both ways of telling the flag that comes out.
static void addChains(FormList &List, IntType T) {
  for (const CarryStep &W : Writers)
    for (const CarryStep &R : Readers)
      for (bool BySubtraction : {false, true}) {
        bool MulW = W.Kind == CarryStep::Multiply,
             MulR = R.Kind == CarryStep::Multiply;
        std::string Text =
            "{ .reg .b" + std::to_string(T.Bits) + " %k; " +
            W.text(T, MulW ? "%k, $s0, $s1, $s4; }" : "%k, $s0, $s1; }") + " " +
            R.text(T, MulR ? "$d0, $s2, $s3, $s4;" : "$d0, $s2, $s3;") +
            (BySubtraction ? " subc.u32 $d1, 0, 0;" : ReadFlag);
        auto Compute = [=](Words S, uint64_t *D) {
          bool Flag =
              W.compute(T, S[0], S[1], S[4], W.Kind == CarryStep::Subtract)
                  .second;
          std::tie(D[0], Flag) = R.compute(T, S[2], S[3], S[4], Flag);
          D[1] = BySubtraction ? lowBits(uint64_t(Flag) - 1, 32) : Flag;
        };
        Source Word = integers(T.Bits);
        List.addText(std::string(R.Op) + ".cc." + T.Name + " after " + W.Op +
                         ".cc and before " + (BySubtraction ? "subc" : "addc"),
                     Text, {Word, Word, Word, Word, Word},
                     {bits(T.Bits), bits(32)}, Compute);
      }
}

void forms::addCarryForms(FormList &List) {
  for (IntType T : Int32To64) {
    addSums(List, T);
    addProducts(List, T, false);
    addProducts(List, T, true);
    addChains(List, T);
  }
}
