//===- Summaries.h - What modules tell of themselves ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bitcode with a summary of its functions: what each one calls and names, and
// how large it is. Thin LTO decides by it without reading functions. Private to
// lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_SUMMARIES_H
#define HEDDLE_LIB_COMPILER_SUMMARIES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ModuleSummaryIndex.h"

namespace heddle::compiler {

/// The summary of a module whose functions have been read.
std::unique_ptr<llvm::ModuleSummaryIndex> summarize(const llvm::Module &M);

/// M as bitcode with its summary, without what M declares and does not use.
void writeWithSummary(llvm::Module &M, llvm::SmallVectorImpl<char> &Bitcode);

/// Whether bitcode has a summary. False for what cannot be read.
bool hasSummary(llvm::StringRef Bitcode);

/// What tells the contents of inputs apart.
std::string contentHash(llvm::StringRef Bytes);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_SUMMARIES_H
