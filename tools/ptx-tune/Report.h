//===- Report.h - What ptx-tune found ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The report for people, for programs and as a page.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_REPORT_H
#define HEDDLE_TOOLS_PTX_TUNE_REPORT_H

#include "Records.h"

namespace heddle::tune {

// Each of these is about searches with the options given.
void printText(llvm::raw_ostream &OS, llvm::ArrayRef<KernelResult> Results,
               const Options &O);
void printJSON(llvm::raw_ostream &OS, llvm::ArrayRef<KernelResult> Results,
               const Options &O);
/// One page that needs nothing else, with the curve of each search.
void printHtml(llvm::raw_ostream &OS, llvm::ArrayRef<KernelResult> Results,
               const Options &O);
/// The table of decisions.
void printKnobs(llvm::raw_ostream &OS);

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_REPORT_H
