//===- Timeline.h - A program's events in a file ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HEDDLE_TIMELINE asks for. The end of the file's name says which format
// it has.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_TIMELINE_H
#define HEDDLE_LIB_CUDA_TRACE_TIMELINE_H

#include "Trace/Recorder.h"
#include "heddle/Support/TraceWriter.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::cuda::trace {

/// Opens the file, at the first call, if one is asked for. What is wrong is
/// said on stderr.
void openTimeline();

/// The formats. Times in files are from \p Start on.
std::shared_ptr<FileSink>
createPerfettoFile(std::unique_ptr<llvm::raw_pwrite_stream> File,
                   uint64_t Start);
std::shared_ptr<FileSink>
createEventFile(std::unique_ptr<llvm::raw_pwrite_stream> File, uint64_t Start);
/// The tables that `nsys export --type sqlite` writes. The file has no rows
/// before its end.
std::shared_ptr<FileSink>
createDatabaseFile(const std::string &Path,
                   std::unique_ptr<llvm::raw_fd_ostream> File, uint64_t Start);

/// What a file has made of a series: an \p InFile, which \p Make makes of its
/// first event.
template <typename InFile, typename Maker>
InFile &inFile(Series &S, Maker Make) {
  if (!S.InFile)
    S.InFile = std::make_unique<InFile>(std::visit(Make, S.First));
  return static_cast<InFile &>(*S.InFile);
}

/// What work is called: the kernel, or `copy to host` and so on.
llvm::StringRef nameOf(const Work &W);

/// What is worth knowing of an event besides its name.
class Details {
public:
  explicit Details(const Call &C);
  explicit Details(const Work &W);
  explicit Details(const Annotation &A);
  Details(const Details &) = delete;
  Details &operator=(const Details &) = delete;

  /// They are valid while these details and the event are.
  llvm::ArrayRef<TraceWriter::Argument> all() const { return All; }

private:
  llvm::StringRef keep(size_t Begin) const;
  void append(uint64_t Number);
  void addExtents(llvm::StringRef Name, const rt::Dim3 &D);

  llvm::SmallVector<TraceWriter::Argument, 8> All;
  /// Its memory stays where it is: what is appended fits.
  llvm::SmallString<512> Texts;
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_TIMELINE_H
