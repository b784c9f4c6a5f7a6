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

namespace heddle::debug {

/// Compiles and runs what the manifest says, and tells \p C how it ended.
llvm::Error runManifest(const Options &O, std::shared_ptr<Session> S,
                        Console &C);

} // namespace heddle::debug

#endif // HEDDLE_TOOLS_PTX_DEBUG_MANIFESTPROGRAM_H
