//===- Accesses.h - Which memory an instruction accesses --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For what watches memory: the timing model and the checkers.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_ACCESSES_H
#define HEDDLE_LIB_EMULATOR_ACCESSES_H

#include "CTA.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::emu {

enum class AccessKind : uint8_t { Load, Store, Atomic };
enum class AccessSpace : uint8_t { Global, Local, Shared, OtherShared };

/// Whether an instruction accesses memory through the memory unit, and how.
struct AccessInfo {
  bool IsAccess = false;
  bool IsGeneric = false;
  AccessKind Kind = AccessKind::Load;
  AccessSpace Space = AccessSpace::Global; ///< Unless it is generic.
  unsigned Bytes = 0;                      ///< Of each thread.
};
AccessInfo accessInfo(const DecodedInst &I);

/// The access of one lane.
struct LaneAccess {
  AccessSpace Space;
  /// In global memory; else an offset. In OtherShared it has a rank, which may
  /// be the own one.
  uint64_t Address;
  unsigned Lane;
};
/// The accesses of \p I, about to execute in \p W for the lanes of \p Exec, in
/// the order of the lanes.
llvm::SmallVector<LaneAccess, WarpSize> accessesOf(const Warp &W,
                                                   const DecodedInst &I,
                                                   const AccessInfo &Info,
                                                   LaneMask Exec);

/// Whether an instruction touches memory in a way that accessInfo does not
/// tell.
bool isOtherAccess(const DecodedInst &I);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_ACCESSES_H
