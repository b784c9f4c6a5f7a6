//===- CodeFiles.h - Files whose code a process runs ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of functions and tables for unwinding are read from the files on disk,
// so that it does no harm if the program unloads a library meanwhile.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_SAMPLING_CODEFILES_H
#define HEDDLE_LIB_CUDA_TRACE_SAMPLING_CODEFILES_H

#include "StaticRuntime/UnwindTable.h"
#include "Trace/Events.h"
#include "llvm/ADT/StringRef.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cuda::trace {

/// A program or library.
class CodeFile {
public:
  /// \p Bias is what is added to the file's addresses. A file that cannot be
  /// read has no functions.
  CodeFile(std::string Path, uint64_t Bias);
  /// The same for an image in memory that stays.
  CodeFile(std::string Name, uint64_t Bias, ElfFile Image);
  ~CodeFile();
  CodeFile(const CodeFile &) = delete;
  CodeFile &operator=(const CodeFile &) = delete;

  llvm::StringRef path() const { return Path; }
  uint64_t bias() const { return Bias; }
  const ElfFile &file() const { return File; }
  /// Where in the file the description of the function is that has an address
  /// of the file.
  std::optional<uint64_t> descriptionAt(uint64_t Address) const;
  /// The file's address of what is at an offset.
  uint64_t addressOf(uint64_t Offset) const { return Offset + OffsetToAddress; }
  /// The function's name, as it is in the file; empty if it has none.
  llvm::StringRef functionAt(uint64_t Address) const;

private:
  struct Function {
    uint64_t Start, End;
    const char *Name;
  };
  void findFunctions();

  const std::string Path;
  const uint64_t Bias;
  ElfFile File = {nullptr, 0};
  bool IsMapped = false;
  std::unique_ptr<UnwindTable> Table;
  uint64_t OffsetToAddress = 0; ///< Of the segment that has the descriptions.
  std::vector<Function> Functions; ///< In order.
};

/// What is mapped where. One thread at a time.
class CodeMap {
public:
  /// The file whose code is at an address; null if there is none.
  const CodeFile *fileAt(uint64_t PC);
  const CodePlace *placeOf(uint64_t PC);

private:
  struct Range {
    uint64_t End;
    std::shared_ptr<CodeFile> Of;
  };
  void refresh();
  void readJITMap();
  std::string jitFunctionAt(uint64_t PC);

  std::map<uint64_t, Range> Ranges;            ///< By their beginnings.
  unsigned long long Loaded = 0, Unloaded = 0; ///< As ld.so counts.
  std::map<std::pair<const CodeFile *, uint64_t>, std::unique_ptr<CodePlace>>
      Places;
  /// Of files that are no longer mapped.
  std::vector<std::shared_ptr<CodeFile>> Gone;
  /// Functions that compilers in the process made, as /tmp/perf-PID.map tells.
  std::map<uint64_t, std::pair<uint64_t, std::string>> JITFunctions;
  uint64_t JITMapBytes = 0;
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_SAMPLING_CODEFILES_H
