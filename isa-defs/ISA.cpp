//===- ISA.cpp - The instruction set as tables ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Holds the generated tables and the lookups over them.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/ISA.h"
#include "heddle/ISA/TextureObjects.h"

#include <array>

namespace heddle::isa {

#define GET_ISA_TABLES
#include "heddle/ISA/ISATable.inc"

namespace {

/// Bits 11..0 of an encoding to the index of the instruction plus one.
constexpr std::array<uint16_t, 4096> makeOpcodeIndex() {
  std::array<uint16_t, 4096> Index{};
  uint16_t N = 0;
  for (const InstInfo &I : InstTable)
    Index[I.Opcode] = ++N;
  return Index;
}
constexpr std::array<uint16_t, 4096> OpcodeIndex = makeOpcodeIndex();

/// The bits that some field of I covers.
Encoding usedBits(const InstInfo &I) {
  Encoding Mask;
  Mask.setField(0, 12, ~uint64_t(0));
  for (const OperandInfo &O : I.Operands)
    Mask.setField(O.Lsb, O.Width, ~uint64_t(0));
  return Mask;
}

} // namespace

void Encoding::setField(unsigned Lsb, unsigned Width, uint64_t V) {
  uint64_t Mask = Width >= 64 ? ~uint64_t(0) : (uint64_t(1) << Width) - 1;
  V &= Mask;
  if (Lsb >= 64) {
    Hi = (Hi & ~(Mask << (Lsb - 64))) | V << (Lsb - 64);
    return;
  }
  Lo = (Lo & ~(Mask << Lsb)) | V << Lsb;
  if (Lsb + Width > 64)
    Hi = (Hi & ~(Mask >> (64 - Lsb))) | V >> (64 - Lsb);
}

std::span<const InstInfo> instructions() { return InstTable; }

const InstInfo *decode(const Encoding &E) {
  uint16_t N = OpcodeIndex[E.Lo & 0xFFF];
  if (N == 0)
    return nullptr;
  const InstInfo &I = InstTable[N - 1];
  Encoding Used = usedBits(I);
  if ((E.Lo & ~Used.Lo) || (E.Hi & ~Used.Hi))
    return nullptr;
  return &I;
}

int64_t operandValue(const Encoding &E, const OperandInfo &O) {
  uint64_t V = E.field(O.Lsb, O.Width);
  if (O.Signed && O.Width < 64 && (V >> (O.Width - 1) & 1))
    V |= ~uint64_t(0) << O.Width;
  return static_cast<int64_t>(V);
}

Encoding emptyEncoding(const InstInfo &I) {
  Encoding E;
  E.Lo = I.Opcode;
  return E;
}

const OpInfo &opInfo(Op O) { return OpTable[static_cast<size_t>(O)]; }
std::string_view roleName(Role R) { return RoleNames[static_cast<size_t>(R)]; }
std::span<const ModifierInfo> modifiers() { return ModifierTable; }
const LatencyClassInfo &latencyClass(LatencyClass C) {
  return LatencyTable[static_cast<size_t>(C)];
}
std::span<const SpecialRegisterInfo> specialRegisters() {
  return SpecialRegisterTable;
}
std::span<const SystemCallInfo> systemCalls() { return SystemCallTable; }
std::span<const ChipInfo> chips() { return ChipTable; }

const ChipInfo *findChip(std::string_view Name) {
  for (const ChipInfo &C : ChipTable)
    if (C.Name == Name)
      return &C;
  return nullptr;
}

} // namespace heddle::isa

std::span<const heddle::texture::TexelFormatInfo>
heddle::texture::texelFormats() {
  return isa::TexelFormatTable;
}
