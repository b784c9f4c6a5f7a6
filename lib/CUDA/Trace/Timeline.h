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
#include "llvm/Support/raw_ostream.h"

namespace heddle::cuda::trace {

/// Opens the file, at the first call, if one is asked for. What is wrong is
/// said on stderr.
void openTimeline();

/// The formats. Times in files are from \p Start on.
std::shared_ptr<Sink>
createPerfettoFile(std::unique_ptr<llvm::raw_pwrite_stream> File,
                   uint64_t Start);
std::shared_ptr<Sink>
createEventFile(std::unique_ptr<llvm::raw_pwrite_stream> File, uint64_t Start);
/// The tables that `nsys export --type sqlite` writes. The open file is empty,
/// and stays open as long as the sink.
std::shared_ptr<Sink>
createDatabaseFile(const std::string &Path,
                   std::unique_ptr<llvm::raw_pwrite_stream> File,
                   uint64_t Start);

/// What work is called: the kernel, or `copy to host` and so on.
std::string nameOf(const Work &W);
/// What is worth knowing of it besides, as names and texts.
std::vector<std::pair<llvm::StringRef, std::string>> detailsOf(const Work &W);
/// The same of a range or mark.
std::vector<std::pair<llvm::StringRef, std::string>>
detailsOf(const Annotation &A);

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_TIMELINE_H
