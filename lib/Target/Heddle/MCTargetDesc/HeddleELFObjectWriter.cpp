//===- HeddleELFObjectWriter.cpp - Relocations of code objects --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says which relocation stands for a fixup that the assembler cannot resolve.
//
//===----------------------------------------------------------------------===//

#include "HeddleFixupKinds.h"
#include "HeddleMCAsmInfo.h"
#include "HeddleMCTargetDesc.h"
#include "heddle/Object/Format.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCELFObjectWriter.h"
#include "llvm/MC/MCSymbolELF.h"
#include "llvm/MC/MCValue.h"

using namespace llvm;
using heddle::RelocationType;

namespace {

class HeddleELFObjectWriter : public MCELFObjectTargetWriter {
public:
  HeddleELFObjectWriter()
      : MCELFObjectTargetWriter(/*Is64Bit=*/true, ELF::ELFOSABI_NONE,
                                heddle::ELFMachine,
                                /*HasRelocationAddend=*/true) {}

  /// A runtime that replaces code keeps the variables, and finds them by name.
  bool needsRelocateWithSymbol(const MCValue &Value, unsigned) const override {
    const auto *Symbol = static_cast<const MCSymbolELF *>(Value.getAddSym());
    return Symbol && Symbol->getType() == ELF::STT_OBJECT;
  }

protected:
  unsigned getRelocType(const MCFixup &Fixup, const MCValue &Target,
                        bool IsPCRel) const override;
};

std::optional<RelocationType> typeOf(MCFixupKind Kind, bool IsPCRel) {
  if (IsPCRel)
    return Kind == Heddle::fixup_pcrel32
               ? std::optional(RelocationType::R_HEDDLE_PCREL32)
               : std::nullopt;
  switch (Kind) {
  case FK_NONE:
    return RelocationType::R_HEDDLE_NONE;
  case FK_Data_4:
    return RelocationType::R_HEDDLE_DATA32;
  case FK_Data_8:
    return RelocationType::R_HEDDLE_DATA64;
  case Heddle::fixup_abs64:
    return RelocationType::R_HEDDLE_ABS64;
  case Heddle::fixup_abs32:
    return RelocationType::R_HEDDLE_ABS32;
  case Heddle::fixup_const32:
    return RelocationType::R_HEDDLE_CONST32;
  case Heddle::fixup_shared32:
    return RelocationType::R_HEDDLE_SHARED32;
  default:
    return std::nullopt;
  }
}

} // namespace

unsigned HeddleELFObjectWriter::getRelocType(const MCFixup &Fixup,
                                             const MCValue &Target,
                                             bool IsPCRel) const {
  bool IsData = Fixup.getKind() < FirstTargetFixupKind;
  if (IsData && Target.getSpecifier() != Heddle::S_None) {
    reportError(Fixup.getLoc(),
                "'%const' and '%shared' stand in instructions only");
    return 0;
  }
  std::optional<RelocationType> Type = typeOf(Fixup.getKind(), IsPCRel);
  if (!Type) {
    reportError(Fixup.getLoc(), "no relocation can express this value");
    return 0;
  }
  return static_cast<unsigned>(*Type);
}

std::unique_ptr<MCObjectTargetWriter> llvm::createHeddleELFObjectWriter() {
  return std::make_unique<HeddleELFObjectWriter>();
}
