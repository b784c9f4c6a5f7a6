//===- Options.h - The command line of ptx-tune -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the user asked for.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_OPTIONS_H
#define HEDDLE_TOOLS_PTX_TUNE_OPTIONS_H

#include "Limits.h"
#include "heddle/Tuning/Search.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace heddle::tune {

/// A manifest and how much its time counts.
struct WorkloadOption {
  std::string Path;
  double Weight = 1;
};

/// What to do; all but Tune are the first word of the command line.
enum class Command : uint8_t { Tune, Export, Import, Worker };

struct Options {
  Command Do = Command::Tune;
  std::vector<WorkloadOption> Workloads; ///< Or the file to import.
  std::string Module; ///< In place of the manifests'; empty: theirs.
  std::vector<std::string> Chips = {"hd100"};
  std::string Figures; ///< What differs from them; empty: nothing.
  std::vector<std::string> CompilerArgs; ///< As ptx-compile takes them.
  std::vector<std::string> Kernels;      ///< To tune; empty: all launched.
  tuning::StrategyKind Strategy = tuning::StrategyKind::Auto;
  uint64_t Seed = 1;
  unsigned Evaluations = 100; ///< For each kernel.
  /// Moves to try in the final order of each kernel's instructions; none: half
  /// as many as configurations.
  std::optional<unsigned> Moves;
  std::vector<std::string> Only; ///< Decisions to search; empty: all.
  bool Transfer = true;          ///< Start from records of similar kernels.
  unsigned Batch = 4;            ///< Configurations that are asked for at once.
  Limits Bounds;                 ///< What the code may take.
  unsigned Seconds = 0;          ///< For all kernels; 0: no limit.
  unsigned Threads = 0;          ///< 0: one for each core.
  std::string Output;            ///< Empty in a search: tuning.json.
  std::string Journal;           ///< Empty: none.
  std::string Html;              ///< A file for a page; empty: none.
  bool Store = true;             ///< Keep what was found in the cache.
  std::string CacheDir;          ///< Empty: as the cache's settings say.
  std::string Queue;             ///< Where workers are met; empty: none.
  unsigned LeaseSeconds = 30;    ///< How long a worker may be silent.
  std::string CompilerLibrary;   ///< Empty: the one beside the program.
  bool Background = false;       ///< Search in a process of its own.
  bool JSON = false;
  bool ListKnobs = false;
  bool Help = false;
};

/// Parses a command line without the program's name.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);

void printHelp(llvm::raw_ostream &OS);

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_OPTIONS_H
