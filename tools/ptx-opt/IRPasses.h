//===- IRPasses.h - Passes over LLVM IR by name -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-opt does with --passes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_OPT_IRPASSES_H
#define HEDDLE_TOOLS_PTX_OPT_IRPASSES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// Runs \p Passes, a list as `opt -passes=` takes it, over the LLVM IR in
/// \p Input, text or bitcode, with the costs of Heddle's target, and writes the
/// result as text. Errors are about the input, with its place, or name the pass
/// that is unknown.
llvm::Error runIRPasses(llvm::MemoryBufferRef Input, llvm::StringRef Passes,
                        llvm::raw_ostream &OS);

/// Writes the names of Passes.def, a line each with what the pass does.
void listIRPasses(llvm::raw_ostream &OS);

/// Writes docs/passes.md.
void documentIRPasses(llvm::raw_ostream &OS);

} // namespace heddle

#endif // HEDDLE_TOOLS_PTX_OPT_IRPASSES_H
