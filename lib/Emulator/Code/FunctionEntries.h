//===- FunctionEntries.h - Where pointers to functions lead -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code of the entries that heddle/ISA/LaunchConstants.h describes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_FUNCTIONENTRIES_H
#define HEDDLE_LIB_EMULATOR_FUNCTIONENTRIES_H

#include "heddle/ISA/ISA.h"

#include <cstdint>
#include <vector>

namespace heddle::emu {

constexpr unsigned FunctionEntryBytes = 2 * isa::InstBytes;

/// The code of \p Count entries, one behind the other. Entry N goes to the
/// address at byte 8 * N of isa::FunctionBank.
std::vector<uint8_t> encodeFunctionEntries(size_t Count);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_FUNCTIONENTRIES_H
