//===- Trace.h - Warps on cores over time -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-prof --trace writes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_PROF_TRACE_H
#define HEDDLE_TOOLS_PTX_PROF_TRACE_H

#include "heddle/Manifest/ManifestRunner.h"

namespace heddle::prof {

/// The residence of each warp on its core, in the JSON that Perfetto and
/// chrome://tracing read: a process is a core, a thread a warp's place on it.
void printTrace(llvm::raw_ostream &OS,
                llvm::ArrayRef<rt::LaunchReport> Reports);

/// The same, with launches and the number of warps over time, in Perfetto's
/// protocol buffers.
void printPerfettoTrace(llvm::raw_ostream &OS,
                        llvm::ArrayRef<rt::LaunchReport> Reports);

} // namespace heddle::prof

#endif // HEDDLE_TOOLS_PTX_PROF_TRACE_H
