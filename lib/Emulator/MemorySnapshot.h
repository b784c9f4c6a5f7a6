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

#include <map>
#include <string>
#include <vector>

namespace heddle::emu {

class MemorySnapshot {
public:
  explicit MemorySnapshot(const DeviceMemory &Memory);

  /// Puts the bytes back. Blocks that were made since stay as they are.
  void restore() const;
  /// What differs from \p Other, which was taken later: bytes, or that one has
  /// a block which the other has not. Empty if nothing does.
  std::string differenceFrom(const MemorySnapshot &Other) const;

private:
  using Bytes = std::vector<uint8_t>;
  const DeviceMemory &Memory;
  std::map<uint64_t, Bytes> Blocks; ///< By address.
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MEMORYSNAPSHOT_H
