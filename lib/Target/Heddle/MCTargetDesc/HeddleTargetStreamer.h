//===- HeddleTargetStreamer.h - What the target adds to streams -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata of a module, in objects a note and in assembly a block of YAML.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_MCTARGETDESC_HEDDLETARGETSTREAMER_H
#define HEDDLE_TARGET_MCTARGETDESC_HEDDLETARGETSTREAMER_H

#include "heddle/Object/Metadata.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/Support/FormattedStream.h"

namespace llvm {

class HeddleTargetStreamer : public MCTargetStreamer {
public:
  using MCTargetStreamer::MCTargetStreamer;

  /// Writes the module's metadata; called once, after the code.
  virtual void emitMetadata(const heddle::ModuleMetadata &Metadata) = 0;
};

namespace Heddle {

/// The directives around metadata in assembly.
inline constexpr StringLiteral MetadataBegin = ".heddle_metadata";
inline constexpr StringLiteral MetadataEnd = ".end_heddle_metadata";

/// The metadata's MessagePack as YAML, which is easier to read and to write.
std::string metadataToYAML(const heddle::ModuleMetadata &Metadata);
/// Reads YAML with the fields that docs/object-format.md names.
Expected<heddle::ModuleMetadata> metadataFromYAML(StringRef Text);

} // namespace Heddle

MCTargetStreamer *createHeddleObjectTargetStreamer(MCStreamer &S,
                                                   const MCSubtargetInfo &STI);
MCTargetStreamer *createHeddleAsmTargetStreamer(MCStreamer &S,
                                                formatted_raw_ostream &OS,
                                                MCInstPrinter *Printer);
MCTargetStreamer *createHeddleNullTargetStreamer(MCStreamer &S);

} // namespace llvm

#endif // HEDDLE_TARGET_MCTARGETDESC_HEDDLETARGETSTREAMER_H
