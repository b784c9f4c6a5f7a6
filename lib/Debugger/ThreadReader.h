//===- ThreadReader.h - Registers and memory of a thread --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what places of variables are counted from.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_THREADREADER_H
#define HEDDLE_LIB_DEBUGGER_THREADREADER_H

#include "Source/SourceVariables.h"
#include "heddle/Emulator/Debug.h"

namespace heddle::debug {

/// The thread that commands are about.
struct Focus {
  emu::WarpPlace Warp;
  unsigned Lane = 0;
};

class ThreadReader : public PlaceReader {
public:
  /// \p Call is the number of the call that the function has made, if it has
  /// called another one. \p At has to outlive the reader.
  ThreadReader(emu::DebuggedGrid &Grid, const Focus &At,
               std::optional<size_t> Call)
      : Grid(Grid), At(At), Call(Call) {}

  std::optional<uint32_t> readRegister(DebugRegister R) override;
  std::optional<uint64_t> readMemory(MemorySpace Space, uint64_t Address,
                                     unsigned Bytes) override;

private:
  bool isStackOfCaller() const;

  emu::DebuggedGrid &Grid;
  const Focus &At;
  const std::optional<size_t> Call;
};

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_THREADREADER_H
