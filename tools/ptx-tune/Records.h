//===- Records.h - Tuning records of a cache --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache as ptx-tune sees it: what a search found goes there with its
// history, and comes back for exports and as a start for other searches.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_RECORDS_H
#define HEDDLE_TOOLS_PTX_TUNE_RECORDS_H

#include "Tuner.h"

namespace heddle::tune {

class Records {
public:
  /// Opens the cache that settings and options name. It may be off: then
  /// nothing is found and nothing is kept.
  static llvm::Expected<std::unique_ptr<Records>> open(const Options &O);

  bool isOn() const { return Cache->mode() != cache::Mode::Off; }
  /// Keeps what a search found for each module, chip and class of launches,
  /// and for launches of any class.
  void insert(const KernelToTune &Kernel, const KernelResult &R,
              const Options &O);
  /// Keeps a configuration from elsewhere.
  void insert(const tuning::KernelText &Kernel, llvm::StringRef Chip,
              const tuning::LaunchClass &Launch, const tuning::Configuration &C,
              llvm::json::Object History);
  std::optional<tuning::Record> find(const tuning::KernelText &Kernel,
                                     llvm::StringRef Chip,
                                     const tuning::LaunchClass &Launch) const {
    return Store->find(Kernel, Chip.str(), Launch, /*AskRemotes=*/true);
  }

  /// What was best for the kernels in the local cache that are most like one,
  /// the likest first; that of the kernel itself among them, whatever compiler
  /// found it.
  std::vector<tuning::Configuration> startsFor(const KernelToTune &Kernel);

private:
  cache::Settings Settings;
  std::unique_ptr<cache::Cache> Cache;
  std::unique_ptr<tuning::RecordStore> Store;
};

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_RECORDS_H
