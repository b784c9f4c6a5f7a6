//===- PTXLines.h - Which line of the PTX an instruction is -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX that has `.loc` gives objects the lines of the source, not its own.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_PROF_PTXLINES_H
#define HEDDLE_TOOLS_PTX_PROF_PTXLINES_H

#include "heddle/Metrics/ReportJSON.h"
#include "heddle/Tooling/LoadedCompiler.h"

namespace heddle::prof {

/// The lines that the instructions of \p Object, made of the PTX at \p Path
/// with
/// \p Settings and disassembled as \p Text, have in that PTX. Empty if the PTX
/// has no `.loc`, so that the object's own lines are those, if \p Path is no
/// PTX, or if the code without `.loc` is another.
llvm::Expected<InstructionLines> findPTXLines(const LoadedCompiler &Compiler,
                                              llvm::StringRef Path,
                                              const CompileOptions &Settings,
                                              llvm::ArrayRef<uint8_t> Object,
                                              const InstructionText &Text);

} // namespace heddle::prof

#endif // HEDDLE_TOOLS_PTX_PROF_PTXLINES_H
