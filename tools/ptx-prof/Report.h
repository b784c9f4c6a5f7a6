//===- Report.h - Profiles as text, JSON and CSV ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-prof prints.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_PROF_REPORT_H
#define HEDDLE_TOOLS_PTX_PROF_REPORT_H

#include "Options.h"
#include "heddle/Compiler/Disassembly.h"
#include "heddle/Profile/Metrics.h"
#include "heddle/Runtime/ManifestRunner.h"

namespace heddle::prof {

/// The roofline of a launch on \p Chip.
Roofline rooflineOf(const rt::LaunchProfile &P, const isa::ChipInfo &Chip);

/// The profiles of \p Reports in the format that \p O names. \p Chip is O's.
void print(llvm::raw_ostream &OS, const Options &O, const isa::ChipInfo &Chip,
           llvm::ArrayRef<rt::LaunchReport> Reports, const Disassembly &Text);

} // namespace heddle::prof

#endif // HEDDLE_TOOLS_PTX_PROF_REPORT_H
