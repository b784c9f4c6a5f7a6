//===- CollectiveTimes.h - Times of collectives, as a table -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-time --collectives prints.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TIME_COLLECTIVETIMES_H
#define HEDDLE_TOOLS_PTX_TIME_COLLECTIVETIMES_H

#include "heddle/Fabric/CollectiveModel.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::timing {

/// What is asked for. Lists that are empty are the usual ones.
struct CollectiveOptions {
  std::string MachineFile;
  std::vector<fabric::Collective> Collectives;
  std::vector<std::string> Groups;
  std::vector<uint64_t> Sizes;
  std::optional<fabric::Algorithm> Algorithm;
  std::optional<fabric::Protocol> Protocol;
  unsigned DevicesPerThread = 1;

  /// Each takes the value of the option with that name.
  llvm::Error setCollectives(llvm::StringRef Text);
  llvm::Error setRanks(llvm::StringRef Text);
  llvm::Error setSizes(llvm::StringRef Text);
  llvm::Error setAlgorithm(llvm::StringRef Text);
  llvm::Error setProtocol(llvm::StringRef Text);
};

/// Prints a table, or an object of JSON.
llvm::Error printCollectiveTimes(llvm::raw_ostream &OS,
                                 const CollectiveOptions &O, bool AsJSON);

} // namespace heddle::timing

#endif // HEDDLE_TOOLS_PTX_TIME_COLLECTIVETIMES_H
