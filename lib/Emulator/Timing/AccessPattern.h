//===- AccessPattern.h - What a request touches -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sectors of a memory instruction in global and local memory, and the
// wavefronts that shared memory takes for one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_ACCESSPATTERN_H
#define HEDDLE_LIB_EMULATOR_TIMING_ACCESSPATTERN_H

#include "../Accesses.h"
#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace heddle::emu {

/// The part of a request that goes to one kind of memory.
struct Request {
  AccessKind Kind = AccessKind::Load;
  AccessSpace Space = AccessSpace::Global;
  bool IsReduction = false; ///< Of atomics: nothing comes back.
  unsigned Wavefronts = 0;
  unsigned Ideal = 0; ///< Wavefronts if the words were consecutive.
  unsigned Lines = 0; ///< Of global memory that a load looks up.
  /// Numbers of sectors; in order of the lanes, none twice.
  llvm::SmallVector<uint64_t, 32> Sectors;
  unsigned IdealSectors = 0; ///< That would hold the bytes asked for.
  bool IsUniform = false;    ///< Several lanes want the same of global memory.
  /// By sector, for atomics: how often the word most asked for is.
  llvm::SmallVector<uint8_t, 32> Repeats;
};

/// Splits the access of \p I, about to execute in \p W for the lanes of
/// \p Exec, by memory.
llvm::SmallVector<Request, 1> requestsOf(const Warp &W, const DecodedInst &I,
                                         const AccessInfo &Info, LaneMask Exec);

/// The lines of global memory that a hint, the PREFETCH \p I, names, except
/// lines that are in no block.
std::vector<uint64_t> prefetchedLines(const Warp &W, const DecodedInst &I,
                                      LaneMask Exec);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_ACCESSPATTERN_H
