//===- RoundTripTest.cpp - Bytes to text to bytes ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every instruction of the ISA with many values of each operand: what the
// disassembler prints assembles to the same bytes, and what is no instruction
// is refused.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/ISA.h"
#include "heddle/Target/Assembler.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include "gtest/gtest.h"

#include <random>
#include <vector>

using namespace heddle;
using namespace llvm;

namespace {

using Bytes = std::vector<uint8_t>;

Bytes toBytes(const isa::Encoding &E) {
  Bytes B(isa::InstBytes);
  support::endian::write64le(B.data(), E.Lo);
  support::endian::write64le(B.data() + 8, E.Hi);
  return B;
}

Bytes toBytes(uint64_t Compact) {
  Bytes B(isa::CompactBytes);
  support::endian::write64le(B.data(), Compact);
  return B;
}

/// Consecutive registers that an operand of the kind names; 0: no register.
unsigned groupSize(isa::OperandKind Kind) {
  switch (Kind) {
  case isa::OperandKind::GPR64:
  case isa::OperandKind::UGPR64:
    return 2;
  case isa::OperandKind::GPR128:
  case isa::OperandKind::UGPR128:
    return 4;
  case isa::OperandKind::GPR32:
  case isa::OperandKind::UGPR32:
  case isa::OperandKind::PR:
  case isa::OperandKind::UPR:
  case isa::OperandKind::BR:
    return 1;
  default:
    return 0;
  }
}

/// Whether the field value means something, said independently of the target.
bool isMeaningful(const isa::OperandInfo &O, uint64_t Value) {
  if (unsigned Group = groupSize(O.Kind)) {
    uint64_t Last = (uint64_t(1) << O.Width) - 1;
    if (O.Kind == isa::OperandKind::UGPR128 && Value == Last)
      return false; // there is no URZ of that size
    bool IsConstant = O.Kind != isa::OperandKind::BR && Value == Last;
    return IsConstant ||
           (Value % Group == 0 &&
            Value + Group - 1 < Last + (O.Kind == isa::OperandKind::BR));
  }
  if (O.Kind == isa::OperandKind::Modifier)
    return Value < isa::modifiers()[O.Modifier].Values.size();
  if (O.Kind == isa::OperandKind::Control) {
    isa::Control C = isa::Control::unpack(Value);
    return C.WriteCounter != 6 && C.ReadCounter != 6;
  }
  return true;
}

/// Field values worth trying; all of them where there are few.
std::vector<uint64_t> sampleValues(const isa::OperandInfo &O) {
  std::vector<uint64_t> Values;
  if (O.Width <= 8) {
    for (uint64_t V = 0; V < uint64_t(1) << O.Width; ++V)
      if (isMeaningful(O, V))
        Values.push_back(V);
    return Values;
  }
  if (O.Kind == isa::OperandKind::Control)
    return {0, isa::Control().pack(), isa::Control{15, true, 0, 5, 63}.pack(),
            isa::Control{0, false, 7, 0, 1}.pack()};
  for (unsigned Bit = 0; Bit < O.Width; ++Bit)
    for (uint64_t Near : {~uint64_t(0), uint64_t(0), uint64_t(1)})
      Values.push_back((uint64_t(1) << Bit) + Near);
  // Floating-point corners: -0, 1, subnormal, largest, infinity, NaN.
  for (uint64_t Bits : {0x80000000u, 0x3F800000u, 0x807FFFFFu, 0x7F7FFFFFu,
                        0x7F800000u, 0x7FC00001u, 0x3DCCCCCDu, 0xC2F6E979u})
    Values.push_back(Bits);
  Values.push_back(0 - uint64_t(5));
  Values.push_back(~uint64_t(0));
  return Values;
}

void set(isa::Encoding &E, const isa::OperandInfo &O, uint64_t Value) {
  E.setField(O.Lsb, O.Width, Value);
}

/// An instruction that says nothing special: no guard, no waits.
isa::Encoding plain(const isa::InstInfo &I) {
  isa::Encoding E = isa::emptyEncoding(I);
  set(E, *I.operand(isa::Role::pg), 7);
  set(E, *I.operand(isa::Role::ctl), isa::Control().pack());
  return E;
}

/// Each operand's values one by one, then combinations of all of them.
std::vector<isa::Encoding> encodings(const isa::InstInfo &I,
                                     std::mt19937_64 &Random) {
  std::vector<isa::Encoding> List;
  std::vector<std::vector<uint64_t>> Samples;
  for (const isa::OperandInfo &O : I.Operands) {
    Samples.push_back(sampleValues(O));
    for (uint64_t V : Samples.back()) {
      isa::Encoding E = plain(I);
      set(E, O, V);
      List.push_back(E);
    }
  }
  for (unsigned N = 0; N < 100; ++N) {
    isa::Encoding E = plain(I);
    for (size_t K = 0; K < I.Operands.size(); ++K)
      set(E, I.Operands[K], Samples[K][Random() % Samples[K].size()]);
    List.push_back(E);
  }
  return List;
}

/// The contents of .text of an object; empty after a failure.
std::vector<uint8_t> textOf(ArrayRef<char> Object) {
  auto File = object::ObjectFile::createELFObjectFile(
      MemoryBufferRef(StringRef(Object.data(), Object.size()), "object"));
  if (!File) {
    ADD_FAILURE() << toString(File.takeError());
    return {};
  }
  for (const object::SectionRef &S : (*File)->sections())
    if (cantFail(S.getName()) == ".text") {
      StringRef Contents = cantFail(S.getContents());
      return std::vector<uint8_t>(Contents.bytes_begin(), Contents.bytes_end());
    }
  return {};
}

/// Disassembles each of \p Expected, assembles that and compares.
void expectRoundTrip(ArrayRef<Bytes> Expected) {
  Disassembler D;
  std::vector<std::string> Lines;
  std::string Source;
  size_t Size = 0;
  for (const Bytes &B : Expected) {
    std::optional<MCInst> Inst = D.decode(B);
    ASSERT_TRUE(Inst) << toHex(B);
    Lines.push_back(D.print(*Inst));
    Source += Lines.back() + "\n";
    Size += B.size();
  }
  SmallVector<char, 0> Object;
  std::string Errors;
  raw_string_ostream OS(Errors);
  ASSERT_TRUE(assemble(MemoryBufferRef(Source, "source"), "", Object, OS))
      << Errors.substr(0, 3000);
  std::vector<uint8_t> Text = textOf(Object);
  ASSERT_EQ(Text.size(), Size);
  ArrayRef<uint8_t> Rest(Text);
  unsigned Wrong = 0;
  for (size_t K = 0; K < Expected.size() && Wrong < 20; ++K) {
    ArrayRef<uint8_t> Got = Rest.take_front(Expected[K].size());
    Rest = Rest.drop_front(Expected[K].size());
    if (Got == ArrayRef(Expected[K]))
      continue;
    ++Wrong;
    ADD_FAILURE() << Lines[K] << "\nexpected " << toHex(Expected[K])
                  << "\ngot      " << toHex(Got);
  }
}

TEST(RoundTrip, EveryInstruction) {
  std::mt19937_64 Random(1);
  std::vector<Bytes> Expected;
  for (const isa::InstInfo &I : isa::instructions())
    for (const isa::Encoding &E : encodings(I, Random)) {
      Expected.push_back(toBytes(E));
      if (std::optional<uint64_t> Compact = isa::compress(E))
        Expected.push_back(toBytes(*Compact));
    }
  expectRoundTrip(Expected);
}

/// A value of a field that is likely to mean something.
uint64_t likelyValue(const isa::CompactField &F, std::mt19937_64 &Random) {
  uint64_t Mask = F.Width == 64 ? ~uint64_t(0) : (uint64_t(1) << F.Width) - 1;
  uint64_t Kinds[] = {Random(), Random() & 3, Random() & 0xFC, 0, Mask};
  return Kinds[Random() % std::size(Kinds)] & Mask;
}

// Expansion loses nothing, and what it gives has a compact form with the same
// expansion, if only another one.
TEST(RoundTrip, EveryCompactForm) {
  Disassembler D;
  std::mt19937_64 Random(1);
  std::vector<Bytes> Expected;
  for (const isa::CompactForm &Form : isa::compactForms()) {
    unsigned Legal = 0;
    for (unsigned N = 0; N < 2000; ++N) {
      uint64_t Bits = 1 | uint64_t(Form.Code) << 1;
      for (const isa::CompactField &F : Form.Fields)
        Bits |= likelyValue(F, Random) << F.Lsb;
      std::optional<isa::Encoding> E = isa::expand(Bits);
      ASSERT_TRUE(E) << unsigned(Form.Code);
      std::optional<uint64_t> First = isa::compress(*E);
      ASSERT_TRUE(First) << unsigned(Form.Code);
      EXPECT_EQ(isa::expand(*First), E);
      if (!D.decode(toBytes(*First)))
        continue;
      if (Legal++ < 20)
        Expected.push_back(toBytes(*First));
    }
    EXPECT_GT(Legal, 20u) << unsigned(Form.Code);
  }
  expectRoundTrip(Expected);
}

TEST(Decoder, RefusesCompactBitsOutsideOfFields) {
  std::vector<bool> Known(256);
  for (const isa::CompactForm &Form : isa::compactForms()) {
    Known[Form.Code] = true;
    uint64_t Used = 0x1FF;
    for (const isa::CompactField &F : Form.Fields)
      Used |= ((uint64_t(1) << F.Width) - 1) << F.Lsb;
    for (unsigned Bit = 0; Bit < 64; ++Bit)
      if (!(Used >> Bit & 1))
        EXPECT_FALSE(isa::expand(1 | Form.Code << 1 | uint64_t(1) << Bit))
            << unsigned(Form.Code) << " " << Bit;
  }
  for (unsigned Code = 0; Code < 256; ++Code)
    EXPECT_EQ(isa::expand(1 | Code << 1).has_value(), Known[Code]) << Code;
}

TEST(Decoder, RefusesWhatMeansNothing) {
  Disassembler D;
  for (const isa::InstInfo &I : isa::instructions())
    for (const isa::OperandInfo &O : I.Operands) {
      if (O.Width > 8 && O.Kind != isa::OperandKind::Control)
        continue;
      for (uint64_t V = 0; V < uint64_t(1) << std::min<unsigned>(O.Width, 11);
           ++V) {
        isa::Encoding E = plain(I);
        set(E, O, V);
        ASSERT_EQ(D.decode(toBytes(E)).has_value(), isMeaningful(O, V))
            << std::string(I.Name) << " " << std::string(isa::roleName(O.R))
            << " = " << V;
      }
    }
}

TEST(Decoder, RefusesBitsOutsideOfFields) {
  Disassembler D;
  for (const isa::InstInfo &I : isa::instructions()) {
    isa::Encoding Used;
    Used.setField(0, 12, ~uint64_t(0));
    for (const isa::OperandInfo &O : I.Operands)
      Used.setField(O.Lsb, O.Width, ~uint64_t(0));
    for (unsigned Bit = 12; Bit < 128; ++Bit) {
      if (Used.field(Bit, 1))
        continue;
      isa::Encoding E = plain(I);
      E.setField(Bit, 1, 1);
      ASSERT_FALSE(D.decode(toBytes(E))) << std::string(I.Name) << " " << Bit;
    }
  }
}

TEST(Decoder, RefusesUnknownOperationsAndShortInput) {
  Disassembler D;
  std::vector<bool> Known(4096);
  for (const isa::InstInfo &I : isa::instructions())
    Known[I.Opcode] = true;
  // Odd ones are compact forms.
  for (unsigned Opcode = 0; Opcode < 4096; Opcode += 2) {
    isa::Encoding E;
    E.setField(0, 12, Opcode);
    if (!Known[Opcode])
      ASSERT_FALSE(D.decode(toBytes(E))) << Opcode;
  }
  EXPECT_FALSE(D.decode(ArrayRef<uint8_t>()));
  EXPECT_FALSE(D.decode(
      ArrayRef<uint8_t>(toBytes(plain(isa::instructions()[0]))).drop_back()));
}

TEST(Disassembler, FollowsBranches) {
  Disassembler D;
  for (const isa::InstInfo &I : isa::instructions()) {
    const isa::OperandInfo *T = I.operand(isa::Role::tgt);
    isa::Encoding E = plain(I);
    if (T)
      set(E, *T, 0 - uint64_t(32));
    std::optional<MCInst> Inst = D.decode(toBytes(E));
    ASSERT_TRUE(Inst);
    EXPECT_EQ(D.target(*Inst, 0x100),
              T ? std::optional<uint64_t>(0x100 + 16 - 32) : std::nullopt);
  }
}

} // namespace
