//===- Bundle.h - Workloads that travel -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All that measurements depend on besides the configuration: manifests with the
// files that they name, chips and options, as one text that another machine can
// measure by.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_BUNDLE_H
#define HEDDLE_TOOLS_PTX_TUNE_BUNDLE_H

#include "Objective.h"

namespace heddle::tune {

/// The bundle of the workloads, chips, limits and compiler options of \p O; the
/// same text wherever the files lie.
llvm::Expected<std::string> makeBundle(const Options &O);

/// A bundle that was unpacked into a folder of its own, which goes with it.
class UnpackedBundle {
public:
  static llvm::Expected<std::unique_ptr<UnpackedBundle>>
  unpack(llvm::StringRef Bundle);
  ~UnpackedBundle();

  const Objective &objective() const { return *Where; }

private:
  llvm::Error writeFile(size_t Index, llvm::StringRef Contents);

  std::string Folder;
  Options O;
  std::unique_ptr<Objective> Where;
};

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_BUNDLE_H
