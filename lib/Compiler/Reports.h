//===- Reports.h - What a compilation tells of its functions ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Figures that are read from the object, and the warnings that follow from
// them. Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_REPORTS_H
#define HEDDLE_LIB_COMPILER_REPORTS_H

#include "Compilation.h"
#include "FunctionCosts.h"

namespace heddle::compiler {

/// Fills in the reports of Output from the object in its Bytes.
llvm::Error readReports(const FunctionCosts &Costs, CompileOutput &Output);

/// -warn-double-usage: one warning for each function.
void warnOfDouble(const llvm::Module &M, llvm::StringRef File,
                  Reporter &Report);

/// Warnings of spills and local memory.
void warnOfMemory(llvm::StringRef File, const CompileOutput &Output,
                  Reporter &Report);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_REPORTS_H
