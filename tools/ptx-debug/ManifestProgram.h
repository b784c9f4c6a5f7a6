//===- ManifestProgram.h - Debugging what a manifest says -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out a manifest's launches in this process, under a session.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_DEBUG_MANIFESTPROGRAM_H
#define HEDDLE_TOOLS_PTX_DEBUG_MANIFESTPROGRAM_H

#include "Options.h"
#include "heddle/Debugger/Debugger.h"
#include "heddle/Options/CompileOptions.h"

namespace heddle::debug {

/// What the code of a manifest's program was made of.
struct MadeCode {
  std::string Path; ///< Of the only PTX file; empty: there is none.
  CompileOptions Settings;
  std::vector<uint8_t> Object;

  /// As a PTXFinder of a session that this outlives.
  std::optional<PTXSource> findPTX(llvm::ArrayRef<uint8_t> Of,
                                   llvm::StringRef Chip) const;
};

/// Compiles and runs what the manifest says, and tells \p C how it ended.
/// \p Made is of what it has compiled.
llvm::Error runManifest(const Options &O, std::shared_ptr<Session> S,
                        Console &C, MadeCode &Made);

} // namespace heddle::debug

#endif // HEDDLE_TOOLS_PTX_DEBUG_MANIFESTPROGRAM_H
