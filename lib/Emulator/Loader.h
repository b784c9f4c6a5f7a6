//===- Loader.h - From code objects to code that can run --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Places the sections of a code object in memory, relocates them, and decodes
// the code.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_LOADER_H
#define HEDDLE_LIB_EMULATOR_LOADER_H

#include "CTA.h"
#include "llvm/Support/Error.h"

namespace heddle::emu {

/// What a module is loaded for.
struct LoadPurpose {
  const LoadedCode *Replaces = nullptr; ///< See rt::Device::loadReplacement.
  bool IsReplaceable = false;           ///< See rt::Device::loadReplaceable.
  const LoadedCode *Managed = nullptr;  ///< See rt::Device::loadSharing.
};

/// Loads a code object that nothing is known of. \p CodeBase is the device
/// address for its first instruction. After an error, nothing is allocated.
llvm::Expected<std::unique_ptr<LoadedCode>>
loadCodeObject(llvm::ArrayRef<uint8_t> Bytes, const isa::ChipInfo &Chip,
               DeviceMemory &Memory, uint64_t CodeBase, HostVectors Vectors,
               LoadPurpose Purpose = {});

/// Frees the blocks of a module.
void unload(LoadedCode &Code, DeviceMemory &Memory);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_LOADER_H
