//===- HeddleTargetStreamer.cpp - Directives --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes metadata and the version of the ISA into objects and assembly.
//
//===----------------------------------------------------------------------===//

#include "HeddleTargetStreamer.h"

#include "heddle/Object/Format.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/MC/MCAssembler.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCELFObjectWriter.h"
#include "llvm/MC/MCELFStreamer.h"
#include "llvm/MC/MCSectionELF.h"
#include "llvm/Support/FormattedStream.h"

using namespace llvm;

namespace {

class HeddleTargetELFStreamer : public HeddleTargetStreamer {
public:
  using HeddleTargetStreamer::HeddleTargetStreamer;

  void emitMetadata(const heddle::ModuleMetadata &Metadata) override {
    MCStreamer &S = getStreamer();
    S.pushSection();
    S.switchSection(S.getContext().getELFSection(heddle::NoteSectionName,
                                                 ELF::SHT_NOTE, 0));
    S.emitValueToAlignment(Align(4));
    S.emitBytes(heddle::encodeMetadataNote(Metadata));
    S.popSection();
  }

  void finish() override {
    auto &S = static_cast<MCELFStreamer &>(getStreamer());
    S.getWriter().setELFHeaderEFlags(heddle::ELFVersion);
    for (MCSection &Section : S.getAssembler())
      if (Section.isText())
        Section.ensureMinAlignment(Align(heddle::InstructionBytes));
  }
};

class HeddleTargetAsmStreamer : public HeddleTargetStreamer {
public:
  HeddleTargetAsmStreamer(MCStreamer &S, formatted_raw_ostream &OS)
      : HeddleTargetStreamer(S), OS(OS) {}

  void emitMetadata(const heddle::ModuleMetadata &Metadata) override {
    OS << '\t' << Heddle::MetadataBegin << '\n'
       << Heddle::metadataToYAML(Metadata) << '\t' << Heddle::MetadataEnd
       << '\n';
  }

private:
  formatted_raw_ostream &OS;
};

class HeddleTargetNullStreamer : public HeddleTargetStreamer {
public:
  using HeddleTargetStreamer::HeddleTargetStreamer;
  void emitMetadata(const heddle::ModuleMetadata &) override {}
};

} // namespace

std::string Heddle::metadataToYAML(const heddle::ModuleMetadata &Metadata) {
  // The document refers to the bytes.
  std::string Blob = heddle::encodeMetadata(Metadata);
  msgpack::Document Document;
  Document.readFromBlob(Blob, /*Multi=*/false);
  std::string Text;
  raw_string_ostream OS(Text);
  Document.toYAML(OS);
  return Text;
}

Expected<heddle::ModuleMetadata> Heddle::metadataFromYAML(StringRef Text) {
  msgpack::Document Document;
  // A document without contents cannot be written.
  if (!Document.fromYAML(Text) || !Document.getRoot().isMap())
    return createStringError("the metadata is not a map in YAML");
  std::string Blob;
  Document.writeToBlob(Blob);
  return heddle::decodeMetadata(Blob);
}

MCTargetStreamer *
llvm::createHeddleObjectTargetStreamer(MCStreamer &S, const MCSubtargetInfo &) {
  return new HeddleTargetELFStreamer(S);
}

MCTargetStreamer *llvm::createHeddleAsmTargetStreamer(MCStreamer &S,
                                                      formatted_raw_ostream &OS,
                                                      MCInstPrinter *) {
  return new HeddleTargetAsmStreamer(S, OS);
}

MCTargetStreamer *llvm::createHeddleNullTargetStreamer(MCStreamer &S) {
  return new HeddleTargetNullStreamer(S);
}
