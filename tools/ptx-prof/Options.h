//===- Options.h - The command line of ptx-prof -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-prof can be told.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_PROF_OPTIONS_H
#define HEDDLE_TOOLS_PTX_PROF_OPTIONS_H

#include "heddle/Runtime/Device.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace heddle::prof {

enum class Command { Run, Diff };
enum class Format { Text, JSON, CSV };

struct Options {
  prof::Command Command = Command::Run;
  /// Of run the manifest, of diff the two reports.
  std::vector<std::string> Files;
  std::string Module; ///< In place of the manifest's; empty: that.
  std::string Chip = "hd100";
  std::vector<std::string> CompilerArgs; ///< As ptx-compile takes them.
  prof::Format Format = Format::Text;
  unsigned Rows = 10; ///< Lines and instructions that the text lists.
  std::string Html;   ///< A file for a page; empty: none.
  std::string Trace;  ///< A file for a trace of warps; empty: none.
  bool Advice = true; ///< Run again to find what holds kernels back.
  std::string Fix;    ///< A file for a tuning document; empty: none.
  /// Changes of the chip that each launch is timed with as well, as
  /// isa::ChipChanges reads them.
  std::vector<std::string> WhatIf;
  std::string Figures;      ///< the same, of the chip that launches run on
  unsigned SampleWaves = 0; ///< See emu::TimingModel.
  rt::FreshMemory FreshMemory = rt::FreshMemory::Poison;
  bool Help = false;
};

/// Parses a command line without the program's name.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);

void printHelp(llvm::raw_ostream &OS);

} // namespace heddle::prof

#endif // HEDDLE_TOOLS_PTX_PROF_OPTIONS_H
