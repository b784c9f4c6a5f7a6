//===- Record.h - Vectors for and from a real GPU ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder holds what a GPU needs to run the forms: `N.ptx`, for each kernel
// K the columns of its sources `N.K.S.in`, and a line in `index`:
//
//   N.ptx K samples record-bytes bytes-of-source-0 bytes-of-source-1 ...
//
// The program record.c of the folder, which needs the CUDA driver only, runs
// all lines and writes the records `N.K.out` and the GPU's name `device`.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FORMS_RECORD_H
#define HEDDLE_TEST_FORMS_RECORD_H

#include "Kernel.h"

#include "llvm/Support/Error.h"

namespace heddle::forms {

/// Writes modules into a folder.
class Recorder {
public:
  explicit Recorder(std::string Folder) : Folder(std::move(Folder)) {}
  /// Adds a module with the samples of its groups.
  llvm::Error add(const std::vector<Group> &Groups, const std::string &Target,
                  const std::vector<const Samples *> &Values);
  /// Writes the index and the program.
  llvm::Error finish();

private:
  std::string Folder;
  std::string Index;
  unsigned Modules = 0;
};

/// Reads records that a GPU wrote.
class Recording {
public:
  explicit Recording(std::string Folder) : Folder(std::move(Folder)) {}
  /// The GPU's name.
  llvm::Expected<std::string> device() const;
  /// The records of a group, in the order in which Recorder was given them.
  llvm::Expected<std::vector<uint64_t>> records(unsigned Module, const Group &G,
                                                size_t Samples) const;

private:
  std::string Folder;
};

} // namespace heddle::forms

#endif // HEDDLE_TEST_FORMS_RECORD_H
