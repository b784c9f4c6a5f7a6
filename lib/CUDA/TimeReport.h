//===- TimeReport.h - Where a program's modelled time went ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HEDDLE_TIMING_REPORT asks for (docs/timing.md): a timeline in a file,
// and a table on stderr when the program ends.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TIMEREPORT_H
#define HEDDLE_LIB_CUDA_TIMEREPORT_H

#include "TimeAdvice.h"
#include "heddle/Support/TraceWriter.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace heddle::cuda {

/// A timeline in a file, span by span.
class Timeline {
public:
  virtual ~Timeline() = default;
  /// \p Begin and \p End are from the beginning of the program, in nanoseconds;
  /// \p Track is 0 for the host, and counts queues otherwise.
  virtual void add(const rt::TimeSpan &S, uint64_t Begin, uint64_t End,
                   unsigned Track) = 0;
};

/// Any thread may call anything at any time.
class TimeReport {
public:
  /// Begins the file. A file that cannot be written is an error. The program's
  /// time begins now.
  static llvm::Expected<std::unique_ptr<TimeReport>>
  create(llvm::StringRef Path, rt::ProgramClock &Clock);

  void add(const rt::TimeSpan &Span);
  /// Ends the file, and prints the table and advice. Later spans are not added.
  void finish(llvm::raw_ostream &OS);

private:
  TimeReport(std::unique_ptr<llvm::raw_ostream> File,
             std::unique_ptr<Timeline> Line, rt::ProgramClock &Clock);

  /// Of a long program only the beginning is in the file, and in the table.
  static constexpr size_t MaxSpans = 1'000'000;

  rt::ProgramClock &Clock;
  const uint64_t Start;
  std::mutex Mutex; ///< Of everything below.
  std::unique_ptr<llvm::raw_ostream> File;
  std::unique_ptr<Timeline> Line; ///< Null when it is over.
  std::vector<TimedUse> Spans;
  llvm::DenseMap<const void *, unsigned> Tracks; ///< Of the host: none.
  llvm::StringMap<unsigned> Names;
  uint64_t NumKernels = 0, NumLost = 0;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_TIMEREPORT_H
