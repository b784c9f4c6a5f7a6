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

/// Codes of compact forms to their index plus one.
constexpr std::array<uint16_t, 256> makeCompactIndex() {
  std::array<uint16_t, 256> Index{};
  uint16_t N = 0;
  for (const CompactForm &F : CompactTable)
    Index[F.Code] = ++N;
  return Index;
}
constexpr std::array<uint16_t, 256> CompactIndex = makeCompactIndex();

/// For each opcode the index plus one of its first compact form, and for each
/// form that of the next one.
struct CompactLists {
  std::array<uint16_t, 4096> First{};
  std::array<uint16_t, std::size(CompactTable)> Next{};
};
constexpr CompactLists makeCompactLists() {
  CompactLists Lists;
  for (size_t N = std::size(CompactTable); N-- > 0;) {
    uint16_t &First = Lists.First[CompactTable[N].Fixed.Lo & 0xFFF];
    Lists.Next[N] = First;
    First = static_cast<uint16_t>(N + 1);
  }
  return Lists;
}
constexpr CompactLists CompactFormsOf = makeCompactLists();

constexpr uint64_t lowBits(unsigned Width) {
  return Width >= 64 ? ~uint64_t(0) : (uint64_t(1) << Width) - 1;
}

/// For each compact form the bits that every encoding with that form has as the
/// form's Fixed has them. Which bits of a field may be different depends on its
/// sign.
constexpr std::array<Encoding, std::size(CompactTable)> makeCompactMasks() {
  std::array<Encoding, std::size(CompactTable)> Masks{};
  for (size_t N = 0; N != std::size(CompactTable); ++N) {
    uint64_t Lo = 0, Hi = 0;
    for (const CompactField &C : CompactTable[N].Fields) {
      unsigned Lsb = C.To + C.Shift;
      uint64_t Free = lowBits(C.Signed ? C.ToWidth - C.Shift : C.Width);
      if (Lsb >= 64) {
        Hi |= Free << (Lsb - 64);
        continue;
      }
      Lo |= Free << Lsb;
      if (Lsb != 0)
        Hi |= Free >> (64 - Lsb);
    }
    Masks[N] = {~Lo, ~Hi};
  }
  return Masks;
}
constexpr auto CompactMasks = makeCompactMasks();

/// The value of a field in the 128-bit form.
uint64_t widen(const CompactField &F, uint64_t V) {
  if (F.Signed && (V >> (F.Width - 1) & 1))
    V |= ~lowBits(F.Width);
  return V << F.Shift & lowBits(F.ToWidth);
}

/// The bits of E as form F has them, or nothing if it cannot. Where the form's
/// mask has a bit, E is as F.Fixed: only what a signed field leaves out is
/// still to be compared.
std::optional<uint64_t> compressAs(const CompactForm &F, const Encoding &E,
                                   unsigned SymbolBits) {
  uint64_t Bits = 1 | uint64_t(F.Code) << 1;
  bool HasSymbol = SymbolBits == 0;
  for (const CompactField &C : F.Fields) {
    uint64_t Narrow = E.field(C.To + C.Shift, C.Width);
    if (C.Signed && widen(C, Narrow) != E.field(C.To, C.ToWidth))
      return std::nullopt;
    Bits |= Narrow << C.Lsb;
    HasSymbol |= C.To == 32 && C.Lsb == 32 && C.Width == SymbolBits;
  }
  if (!HasSymbol)
    return std::nullopt;
  return Bits;
}

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

std::span<const CompactForm> compactForms() { return CompactTable; }

std::optional<Encoding> expand(uint64_t Bits) {
  uint16_t N = CompactIndex[Bits >> 1 & 0xFF];
  if (!(Bits & 1) || N == 0)
    return std::nullopt;
  const CompactForm &F = CompactTable[N - 1];
  Encoding E = F.Fixed;
  Bits &= ~uint64_t(0x1FF);
  for (const CompactField &C : F.Fields) {
    E.setField(C.To, C.ToWidth, widen(C, Bits >> C.Lsb & lowBits(C.Width)));
    Bits &= ~(lowBits(C.Width) << C.Lsb);
  }
  if (Bits)
    return std::nullopt;
  return E;
}

std::optional<uint64_t> compress(const Encoding &E, unsigned SymbolBits) {
  for (uint16_t N = CompactFormsOf.First[E.Lo & 0xFFF]; N != 0;
       N = CompactFormsOf.Next[N - 1]) {
    const Encoding &Fixed = CompactTable[N - 1].Fixed;
    const Encoding &Mask = CompactMasks[N - 1];
    if (((E.Lo ^ Fixed.Lo) & Mask.Lo) | ((E.Hi ^ Fixed.Hi) & Mask.Hi))
      continue;
    if (auto Bits = compressAs(CompactTable[N - 1], E, SymbolBits))
      return Bits;
  }
  return std::nullopt;
}

std::optional<Encoding> readEncoding(std::span<const uint8_t> Bytes) {
  auto Read = [&](size_t At) {
    uint64_t V = 0;
    for (unsigned I = 0; I < 8; ++I)
      V |= uint64_t(Bytes[At + I]) << (8 * I);
    return V;
  };
  if (Bytes.empty() || Bytes.size() < instructionBytes(Bytes[0]))
    return std::nullopt;
  if (instructionBytes(Bytes[0]) == CompactBytes)
    return expand(Read(0));
  return Encoding{Read(0), Read(8)};
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
