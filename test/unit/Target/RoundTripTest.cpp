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

using namespace heddle;
using namespace llvm;

namespace {

using Bytes = std::array<uint8_t, isa::InstBytes>;

Bytes toBytes(const isa::Encoding &E) {
  Bytes B;
  support::endian::write64le(B.data(), E.Lo);
  support::endian::write64le(B.data() + 8, E.Hi);
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

TEST(RoundTrip, EveryInstruction) {
  Disassembler D;
  std::mt19937_64 Random(1);
  std::vector<Bytes> Expected;
  std::vector<std::string> Lines;
  std::string Source;
  for (const isa::InstInfo &I : isa::instructions())
    for (const isa::Encoding &E : encodings(I, Random)) {
      Expected.push_back(toBytes(E));
      std::optional<MCInst> Inst = D.decode(Expected.back());
      ASSERT_TRUE(Inst) << std::string(I.Name) << " " << std::hex << E.Hi << " "
                        << E.Lo;
      Lines.push_back(D.print(*Inst));
      Source += Lines.back() + "\n";
    }
  SmallVector<char, 0> Object;
  std::string Errors;
  raw_string_ostream OS(Errors);
  ASSERT_TRUE(assemble(MemoryBufferRef(Source, "source"), "", Object, OS))
      << Errors.substr(0, 3000);
  std::vector<uint8_t> Text = textOf(Object);
  ASSERT_EQ(Text.size(), Expected.size() * isa::InstBytes);
  unsigned Wrong = 0;
  for (size_t K = 0; K < Expected.size() && Wrong < 20; ++K)
    if (!std::equal(Expected[K].begin(), Expected[K].end(),
                    Text.begin() + K * isa::InstBytes)) {
      ++Wrong;
      ADD_FAILURE() << Lines[K] << "\nexpected " << toHex(Expected[K])
                    << "\ngot      "
                    << toHex(ArrayRef(Text).slice(K * isa::InstBytes,
                                                  isa::InstBytes));
    }
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
  for (unsigned Opcode = 0; Opcode < 4096; ++Opcode) {
    isa::Encoding E;
    E.setField(0, 12, Opcode);
    if (!Known[Opcode])
      ASSERT_FALSE(D.decode(toBytes(E))) << Opcode;
  }
  EXPECT_FALSE(D.decode(ArrayRef<uint8_t>()));
  EXPECT_FALSE(
      D.decode(ArrayRef(toBytes(plain(isa::instructions()[0]))).drop_back()));
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
