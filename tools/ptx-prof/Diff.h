//===- Diff.h - Two reports against each other ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx-prof diff.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_PROF_DIFF_H
#define HEDDLE_TOOLS_PTX_PROF_DIFF_H

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::prof {

/// Prints how the cycles of each launch in the JSON reports at \p Before and
/// \p After differ, and the \p Rows lines and states that differ most. The
/// reports must be of the same launches.
llvm::Error printDiff(llvm::raw_ostream &OS, llvm::StringRef Before,
                      llvm::StringRef After, unsigned Rows);

} // namespace heddle::prof

#endif // HEDDLE_TOOLS_PTX_PROF_DIFF_H
