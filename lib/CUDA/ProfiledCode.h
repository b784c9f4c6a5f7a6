//===- ProfiledCode.h - What pages of profiles show of code -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps the code of a process's modules, and the PTX that it was made of, for
// the pages that may be written of launches, and for debuggers.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_PROFILEDCODE_H
#define HEDDLE_LIB_CUDA_PROFILEDCODE_H

#include "heddle/Debugger/Debugger.h"
#include "heddle/Metrics/ReportJSON.h"
#include "llvm/ADT/ArrayRef.h"

#include <list>
#include <mutex>

namespace heddle::cuda {

/// What was compiled, and what is known of it. Name is that of the PTX in
/// messages and in the code's lines; pages need one of its own for each.
struct NotedCode {
  std::string Input, Name, PageName;
  std::vector<std::string> Arguments; ///< Of the compiler.
  std::vector<uint8_t> Object;
  std::optional<prof::CodeNotes> Notes = {}; ///< None: nobody has asked.
};

/// Any thread may call anything at any time.
class ProfiledCode {
public:
  static ProfiledCode &get();

  /// Whether there may be pages, since HEDDLE_PROFILE or HEDDLE_PROFILING is
  /// set, or a debugger.
  static bool isWanted();

  /// Keeps an object, and the PTX that it was made of; empty: it was found as
  /// code.
  void note(llvm::StringRef Input, llvm::StringRef Name,
            llvm::ArrayRef<std::string> Arguments,
            llvm::ArrayRef<uint8_t> Object);
  /// The code with the instructions of \p P, a launch of \p Kernel, for
  /// \p Chip; null if it is not known. It stays as it is.
  const NotedCode *find(llvm::StringRef Kernel, const rt::LaunchProfile &P,
                        llvm::StringRef Chip);
  /// The PTX that an object for \p Chip was made of.
  std::optional<debug::PTXSource> findPTX(llvm::ArrayRef<uint8_t> Object,
                                          llvm::StringRef Chip);

private:
  std::mutex Mutex; ///< Of everything below.
  std::list<NotedCode> Codes;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_PROFILEDCODE_H
