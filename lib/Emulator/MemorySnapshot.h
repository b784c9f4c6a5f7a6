//===- MemorySnapshot.h - What memory held before a launch ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of all live blocks, for a launch that runs twice: they are put
// back in between, and compared in the end.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MEMORYSNAPSHOT_H
#define HEDDLE_LIB_EMULATOR_MEMORYSNAPSHOT_H

#include "Memory.h"

#include <string>
#include <vector>

namespace heddle::emu {

class MemorySnapshot {
public:
  explicit MemorySnapshot(const DeviceMemory &Memory);

  /// Puts the bytes back. Blocks that were made since stay as they are.
  void restore() const;
  /// What differs from \p Other, which was taken later, in the blocks that both
  /// know; empty if nothing does.
  std::string differenceFrom(const MemorySnapshot &Other) const;

private:
  struct Block {
    Allocation *Of;
    std::vector<uint8_t> Bytes;
  };
  std::vector<Block> Blocks; ///< By address.
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MEMORYSNAPSHOT_H
