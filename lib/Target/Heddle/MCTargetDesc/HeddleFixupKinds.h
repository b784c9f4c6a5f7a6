//===- HeddleFixupKinds.h - Fixups of the target ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of an instruction that the assembler or the loader fills in. Each
// corresponds to a relocation type; its offset is where the instruction starts.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_MCTARGETDESC_HEDDLEFIXUPKINDS_H
#define HEDDLE_TARGET_MCTARGETDESC_HEDDLEFIXUPKINDS_H

#include "llvm/MC/MCFixup.h"

namespace llvm::Heddle {

enum Fixups {
  fixup_abs64 = FirstTargetFixupKind, ///< the immediate in bits 95..32
  fixup_abs32,                        ///< the immediate in bits 63..32
  fixup_pcrel32,                      ///< distance from 16 bytes behind
  fixup_const32,                      ///< offset in constant bank 3
  fixup_shared32,                     ///< offset in shared memory

  LastTargetFixupKind,
  NumTargetFixupKinds = LastTargetFixupKind - FirstTargetFixupKind
};

/// Where the immediate of an instruction starts: byte 4, bit 32.
inline constexpr unsigned ImmediateByte = 4;

} // namespace llvm::Heddle

#endif // HEDDLE_TARGET_MCTARGETDESC_HEDDLEFIXUPKINDS_H
