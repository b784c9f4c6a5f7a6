//===- Page.h - Profiles as a page ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A page for browsers that needs no other file. It is written part by part: the
// head, launches as they end, what is known at the end. The page itself is in
// lib/Metrics/Page; the parts are JSON in elements that browsers do not run, so
// that a page that was cut short shows what it has.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_METRICS_PAGE_H
#define HEDDLE_METRICS_PAGE_H

#include "heddle/Metrics/ReportJSON.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::prof {

/// Whether the build found the library of charts. Pages without it have tables
/// in the places of charts.
bool hasCharts();

/// Writes a page. Launches may come in any number: those that do not differ
/// from what is there already are added without their instructions, and after
/// MaxLaunches only to the sums.
class PageWriter {
public:
  /// Begins the page. \p Head has the members of headJSON and perhaps others.
  /// Files of source are looked for by their names and in \p SourceFolder.
  PageWriter(llvm::raw_ostream &OS, llvm::StringRef Title,
             const isa::ChipInfo &Chip, llvm::json::Object Head,
             std::string SourceFolder);

  /// Whether a launch that is added now has its instructions in the page.
  bool isDetailed(const LaunchRecord &L) const;
  void add(const LaunchRecord &L, const CodeNotes &Code);
  /// Ends the page.
  void finish(llvm::ArrayRef<WhatIf> Answers = {});

private:
  /// The sums over all launches of a kernel.
  struct KernelTotal {
    uint64_t Launches = 0, Cycles = 0;
    uint64_t MostDetailed = 0; ///< Cycles of the slowest one in detail.
  };

  /// \p Attributes are of the element, which scripts see without reading it.
  void printPart(llvm::StringRef Class, llvm::json::Object Part,
                 const llvm::Twine &Attributes = "");
  void printFiles(const LaunchRecord &L, const CodeNotes &Code);
  void printFile(llvm::StringRef Name, bool IsPTX,
                 std::optional<std::string> Text);

  static constexpr unsigned AlwaysDetailed = 20;
  static constexpr unsigned MaxLaunches = 5000;

  llvm::raw_ostream &OS;
  const isa::ChipInfo &Chip;
  const std::string SourceFolder;
  unsigned NumLaunches = 0;
  llvm::StringMap<KernelTotal> Totals;
  llvm::StringSet<> Files; ///< That are in the page.
};

} // namespace heddle::prof

#endif // HEDDLE_METRICS_PAGE_H
