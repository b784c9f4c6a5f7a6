//===- Html.h - Profiles as a page ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page for browsers that needs no other file and is written part by part: the
// head, launches as they end, perhaps totals, the tail.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_METRICS_HTML_H
#define HEDDLE_METRICS_HTML_H

#include "heddle/Metrics/Advice.h"

#include <map>
#include <optional>
#include <utility>

namespace heddle::prof {

/// Instructions as text by the name of their section and their offset in it, in
/// bytes.
using InstructionText = std::map<std::pair<std::string, uint64_t>, std::string>;

/// What is the same for all launches of a page.
struct HtmlContext {
  llvm::StringRef ChipName;
  const isa::ChipInfo &Chip;
  /// Instructions that are not in it are shown by their mnemonics.
  const InstructionText &Text;
  /// Where source files are, besides where their names say.
  llvm::StringRef SourceFolder;
};

void printHtmlHead(llvm::raw_ostream &OS, llvm::StringRef Title);
/// Advice if \p Found was asked for, metrics, warp states, a
/// roofline, source lines and instructions.
void printHtmlLaunch(llvm::raw_ostream &OS, llvm::StringRef Kernel,
                     const rt::LaunchProfile &P, const HtmlContext &C,
                     std::optional<llvm::ArrayRef<Advice>> Found = {});

/// The sums over all launches of a kernel.
struct KernelTotal {
  std::string Name;
  uint64_t Launches = 0;
  uint64_t Cycles = 0;
};
void printHtmlKernels(llvm::raw_ostream &OS,
                      llvm::ArrayRef<KernelTotal> Totals);

/// What the launches of a run would take if the chip had other figures.
struct WhatIf {
  std::string Changes;          ///< As isa::ChipChanges reads them.
  std::vector<uint64_t> Cycles; ///< Of each launch.
};
/// A kernel's launch with its cycles.
struct NamedCycles {
  std::string Kernel;
  uint64_t Cycles = 0;
};
/// How far \p Changed is from \p Cycles: -12.3 %.
std::string describeChange(uint64_t Cycles, uint64_t Changed);
/// A table with a row for each launch and a column for each of \p Answers;
/// nothing if there is none.
void printHtmlWhatIf(llvm::raw_ostream &OS,
                     llvm::ArrayRef<NamedCycles> Launches,
                     llvm::ArrayRef<WhatIf> Answers);
void printHtmlTail(llvm::raw_ostream &OS);

} // namespace heddle::prof

#endif // HEDDLE_METRICS_HTML_H
