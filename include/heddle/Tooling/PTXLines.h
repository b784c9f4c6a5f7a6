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

#ifndef HEDDLE_TOOLING_PTXLINES_H
#define HEDDLE_TOOLING_PTXLINES_H

#include "heddle/Tooling/LoadedCompiler.h"

namespace heddle {

/// The line of a text that each instruction comes from, by the name of its
/// section and its offset in it.
using PlacedLines = std::map<std::pair<std::string, uint64_t>, uint32_t>;

/// The lines that the instructions of \p Object, made of \p PTX with
/// \p Settings and disassembled as \p Text, have in that PTX. Empty if the PTX
/// has no `.loc`, so that the object's own lines are those, or if the code
/// without `.loc` is another.
llvm::Expected<PlacedLines> findPTXLines(const LoadedCompiler &Compiler,
                                         llvm::MemoryBufferRef PTX,
                                         const CompileOptions &Settings,
                                         llvm::ArrayRef<uint8_t> Object,
                                         const Disassembly &Text);
/// The same for an object that is for \p Chip and not disassembled yet.
llvm::Expected<PlacedLines> findPTXLines(llvm::MemoryBufferRef PTX,
                                         const CompileOptions &Settings,
                                         llvm::ArrayRef<uint8_t> Object,
                                         llvm::StringRef Chip);

} // namespace heddle

#endif // HEDDLE_TOOLING_PTXLINES_H
