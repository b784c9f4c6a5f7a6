//===- Options.h - The command line of ptx-run ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-run can be told. LLVM's own option parser is not used, since its
// global table also holds LLVM's options, one of them --stats.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_RUN_OPTIONS_H
#define HEDDLE_TOOLS_PTX_RUN_OPTIONS_H

#include "heddle/Emulator/Emulator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::run {

struct Options {
  std::string Manifest;
  std::vector<std::string> Modules; ///< In place of the manifest's.
  std::string Chip = "hd100";
  std::vector<std::string> CompilerArgs; ///< As ptx-compile takes them.
  std::vector<std::string> Dumps;        ///< Buffers to print.
  std::optional<uint64_t> MaxInstructions;
  unsigned HostThreads = 0;     ///< 0: one for each core.
  std::optional<uint64_t> Seed; ///< Of a random schedule.
  bool RelaxedMemory = false;
  bool Strict = true;
  /// How launches are executed; none: as HEDDLE_EXECUTION says.
  std::optional<emu::Execution> Execution;
  bool Interpret = false; ///< The PTX, in place of compiled code.
  bool Variables = false; ///< Tells of them.
  emu::CheckSet Checks;
  rt::FreshMemory FreshMemory = rt::FreshMemory::Poison;
  rt::MemoryBounds Bounds = rt::MemoryBounds::Exact;
  bool Statistics = false;
  bool Timing = false;
  unsigned SampleWaves = 0; ///< See emu::TimingModel.
  std::string ProfileOut;   ///< The profile to add to; empty: none.
  bool JSON = false;
  bool Help = false;
};

/// Parses a command line without the program's name.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);

void printHelp(llvm::raw_ostream &OS);

} // namespace heddle::run

#endif // HEDDLE_TOOLS_PTX_RUN_OPTIONS_H
