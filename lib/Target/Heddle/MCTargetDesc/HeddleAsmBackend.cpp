//===- HeddleAsmBackend.cpp - Fixups and padding ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills in the fields that were not known when an instruction was encoded, and
// pads code with instructions that do nothing.
//
//===----------------------------------------------------------------------===//

#include "HeddleFixupKinds.h"
#include "HeddleMCTargetDesc.h"
#include "heddle/Support/Check.h"
#include "llvm/MC/MCAsmBackend.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCELFObjectWriter.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCValue.h"
#include "llvm/Support/EndianStream.h"

using namespace llvm;
namespace isa = heddle::isa;

namespace {

class HeddleAsmBackend : public MCAsmBackend {
public:
  HeddleAsmBackend() : MCAsmBackend(endianness::little) {}

  std::unique_ptr<MCObjectTargetWriter>
  createObjectTargetWriter() const override {
    return createHeddleELFObjectWriter();
  }
  MCFixupKindInfo getFixupKindInfo(MCFixupKind Kind) const override;
  void applyFixup(const MCFragment &F, const MCFixup &Fixup,
                  const MCValue &Target, uint8_t *Data, uint64_t Value,
                  bool IsResolved) override;
  unsigned getMinimumNopSize() const override { return isa::CompactBytes; }
  unsigned getMaximumNopSize(const MCSubtargetInfo &) const override {
    return isa::CompactBytes;
  }
  bool writeNopData(raw_ostream &OS, uint64_t Count,
                    const MCSubtargetInfo *STI) const override;
};

/// The bytes that a fixup fills, from its offset on.
struct FixupField {
  unsigned Byte, Size;
};

std::optional<FixupField> fieldOf(MCFixupKind Kind) {
  switch (Kind) {
  case FK_Data_1:
    return FixupField{0, 1};
  case FK_Data_2:
    return FixupField{0, 2};
  case FK_Data_4:
    return FixupField{0, 4};
  case FK_Data_8:
    return FixupField{0, 8};
  case Heddle::fixup_abs64:
    return FixupField{Heddle::ImmediateByte, 8};
  case Heddle::fixup_abs32:
  case Heddle::fixup_pcrel32:
  case Heddle::fixup_const32:
  case Heddle::fixup_shared32:
    return FixupField{Heddle::ImmediateByte, 4};
  default:
    return std::nullopt;
  }
}

} // namespace

MCFixupKindInfo HeddleAsmBackend::getFixupKindInfo(MCFixupKind Kind) const {
  static const MCFixupKindInfo Infos[] = {{"fixup_abs64", 32, 64, 0},
                                          {"fixup_abs32", 32, 32, 0},
                                          {"fixup_pcrel32", 32, 32, 0},
                                          {"fixup_const32", 32, 32, 0},
                                          {"fixup_shared32", 32, 32, 0}};
  static_assert(std::size(Infos) == Heddle::NumTargetFixupKinds);
  if (Kind < FirstTargetFixupKind)
    return MCAsmBackend::getFixupKindInfo(Kind);
  return Infos[Kind - FirstTargetFixupKind];
}

void HeddleAsmBackend::applyFixup(const MCFragment &F, const MCFixup &Fixup,
                                  const MCValue &Target, uint8_t *Data,
                                  uint64_t Value, bool IsResolved) {
  maybeAddReloc(F, Fixup, Target, Value, IsResolved);
  std::optional<FixupField> Field = fieldOf(Fixup.getKind());
  if (!IsResolved || !Field)
    return;
  if (Fixup.getKind() == Heddle::fixup_pcrel32)
    Value -= isa::InstBytes; // counted from there, in the compact form too
  if (Field->Size == 4 && !isInt<32>(int64_t(Value)) && !isUInt<32>(Value))
    return getContext().reportError(Fixup.getLoc(),
                                    "value does not fit 32 bits");
  for (unsigned I = 0; I < Field->Size; ++I)
    Data[Field->Byte + I] = Value >> (8 * I);
}

bool HeddleAsmBackend::writeNopData(raw_ostream &OS, uint64_t Count,
                                    const MCSubtargetInfo *) const {
  if (Count % isa::CompactBytes)
    return false;
  const isa::InstInfo &Nop = *Heddle::getInstInfo(Heddle::NOP);
  isa::Encoding E = isa::emptyEncoding(Nop);
  for (const isa::OperandInfo &O : Nop.Operands)
    E.setField(O.Lsb, O.Width,
               O.R == isa::Role::pg    ? Heddle::PredicateTrue
               : O.R == isa::Role::ctl ? Heddle::DefaultControl
                                       : 0);
  std::optional<uint64_t> Compact = isa::compress(E);
  HEDDLE_CHECK(Compact, "a NOP has no compact form");
  for (; Count; Count -= isa::CompactBytes)
    support::endian::write<uint64_t>(OS, *Compact, endianness::little);
  return true;
}

MCAsmBackend *llvm::createHeddleAsmBackend(const Target &,
                                           const MCSubtargetInfo &,
                                           const MCRegisterInfo &,
                                           const MCTargetOptions &) {
  return new HeddleAsmBackend();
}
