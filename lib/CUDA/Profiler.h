//===- Profiler.h - A page of where launches' cycles went ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HEDDLE_PROFILE asks for: a launch is added to the page when it ends, so
// that one that is cut short says what it knows.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_PROFILER_H
#define HEDDLE_LIB_CUDA_PROFILER_H

#include "heddle/Metrics/Page.h"
#include "heddle/Runtime/Queue.h"
#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <mutex>

namespace heddle::cuda {

/// Any thread may call anything at any time.
class Profiler {
public:
  /// Opens the file and begins the page. A file that cannot be written is an
  /// error.
  static llvm::Expected<std::unique_ptr<Profiler>> create(llvm::StringRef Path,
                                                          llvm::StringRef Chip);

  /// Adds a launch.
  void add(const rt::ObservedLaunch &R);
  /// Adds the sums of all launches and ends the page. Later launches are not
  /// added.
  void finish();

private:
  Profiler(std::unique_ptr<llvm::raw_fd_ostream> File,
           llvm::StringRef ChipName);

  const prof::CodeNotes NoNotes;
  const std::string Chip;

  std::mutex Mutex; ///< Of everything below.
  std::unique_ptr<llvm::raw_fd_ostream> File;
  std::unique_ptr<prof::PageWriter> Page; ///< Null when it is over.
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_PROFILER_H
