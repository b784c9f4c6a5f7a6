//===- Html.h - Profiles as a page ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-prof writes for browsers.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_PROF_HTML_H
#define HEDDLE_TOOLS_PTX_PROF_HTML_H

#include "Report.h"

namespace heddle::prof {

/// One page that needs no other file: advice, metrics, warp states, a roofline,
/// source lines and instructions. Source is shown where its file is found, as
/// named or in \p SourceFolder.
void printHtml(llvm::raw_ostream &OS, const Results &R,
               llvm::StringRef SourceFolder);

/// The residence of each warp on its core, in the JSON that Perfetto and
/// chrome://tracing read: a process is a core, a thread a warp's place on it.
void printTrace(llvm::raw_ostream &OS,
                llvm::ArrayRef<rt::LaunchReport> Reports);

} // namespace heddle::prof

#endif // HEDDLE_TOOLS_PTX_PROF_HTML_H
