//===- Journal.h - Measurements that outlive a run --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file of lines, each one measurement as JSON. A search that is repeated
// finds there what was measured before it was stopped, and goes the same way.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_JOURNAL_H
#define HEDDLE_TOOLS_PTX_TUNE_JOURNAL_H

#include "Objective.h"

#include <memory>
#include <mutex>

namespace heddle::tune {

class Journal {
public:
  /// Opens the file, or makes it; an empty path is a journal that forgets. An
  /// error if the file belongs to another input, chip or compiler, or to a
  /// search within other limits, which it names. A last line that was not
  /// written to its end is dropped.
  static llvm::Expected<std::unique_ptr<Journal>>
  open(llvm::StringRef Path, uint64_t Identity, const Limits &Bounds);

  /// What is known of a configuration of a kernel; none if nothing is.
  std::optional<Measurement> find(llvm::StringRef Kernel,
                                  const tuning::Configuration &C) const;
  /// Adds a measurement. Any number of threads may call it at once.
  llvm::Error add(llvm::StringRef Kernel, const tuning::Configuration &C,
                  const Measurement &M);

private:
  llvm::Error read(llvm::StringRef Text, uint64_t Identity,
                   const Limits &Bounds);

  mutable std::mutex Guard;
  std::map<std::pair<std::string, tuning::Configuration>, Measurement> Known;
  std::unique_ptr<llvm::raw_fd_ostream> File; ///< Null: forgets.
};

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_JOURNAL_H
