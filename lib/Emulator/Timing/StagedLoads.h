//===- StagedLoads.h - Loads for shared memory alone ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads from global memory whose values nothing but stores to shared memory
// reads: what an asynchronous copy does without registers.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_STAGEDLOADS_H
#define HEDDLE_LIB_EMULATOR_TIMING_STAGEDLOADS_H

#include "../Decoder.h"

namespace heddle::emu {

/// Whether the instruction at \p PC is such a load, of 4, 8 or 16 bytes of a
/// thread as asynchronous copies have them, whatever way threads take behind
/// it. False where code goes on at a place that is not known.
bool isStagedLoad(const CodeImage &Image, uint32_t PC);

/// The same, found once for each instruction.
class StagedLoads {
public:
  explicit StagedLoads(const CodeImage &Image)
      : Image(Image), Known(Image.Insts.size(), Unknown) {}

  bool contains(uint32_t PC) {
    if (Known[PC] == Unknown)
      Known[PC] = isStagedLoad(Image, PC);
    return Known[PC] == 1;
  }

private:
  static constexpr uint8_t Unknown = 2;

  const CodeImage &Image;
  std::vector<uint8_t> Known; ///< By PC.
};

/// Whether an instruction stores to shared memory, and to no other.
bool isSharedStore(const DecodedInst &I);

/// Whether \p Store writes to shared memory what \p Load has loaded, all of it.
bool isStoreOf(const DecodedInst &Store, const DecodedInst &Load);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_STAGEDLOADS_H
