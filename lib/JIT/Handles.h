//===- Handles.h - What the handles of the C API are ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers, jobs and code objects.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_JIT_HANDLES_H
#define HEDDLE_LIB_JIT_HANDLES_H

#include "Error.h"
#include "TaskPool.h"
#include "heddle-c/Compiler.h"
#include "heddle/Driver/CompileService.h"
#include "heddle/Object/Metadata.h"

#include <atomic>
#include <chrono>
#include <memory>

namespace heddle::jit {

/// Bytes from the host's allocator, or from malloc.
class ResultBytes {
public:
  ResultBytes() = default;
  /// A copy of Text; Data stays null if there is no memory for it.
  ResultBytes(std::string_view Text, const HeddleAllocator *Allocator);
  ResultBytes(ResultBytes &&Other);
  ResultBytes &operator=(ResultBytes &&Other);
  ~ResultBytes();

  const char *data() const { return Data; }
  size_t size() const { return Size; }

private:
  char *Data = nullptr;
  size_t Size = 0;
  HeddleAllocator Allocator = {};
};

} // namespace heddle::jit

struct HeddleCodeObjectImpl {
  heddle::jit::ResultBytes Bytes;
  heddle::ModuleMetadata Metadata;
  std::string Origin;
  std::vector<heddle::Diagnostic> Diagnostics;
};

namespace heddle::jit {

using Clock = std::chrono::steady_clock;

/// From now; a far deadline must not overflow the clock.
inline Clock::time_point deadlineAfter(uint64_t Nanoseconds) {
  return Clock::now() + std::chrono::nanoseconds(
                            std::min<uint64_t>(Nanoseconds, INT64_MAX / 4));
}

/// A compilation, with everything of the caller's copied.
struct Compilation {
  std::string Input; ///< as given: PTX or a fat binary
  std::string Name;
  std::vector<std::string> Options;
  std::optional<Clock::time_point> Deadline;
  void (*Progress)(void *, uint32_t, uint32_t) = nullptr;
  void *ProgressContext = nullptr;
  const std::atomic<bool> *Cancelled = nullptr;
  bool OnlyCached = false;
  bool IsLink = false; ///< Input is a bundle
  uint64_t TimeoutNanoseconds = 0;

  /// Sets the deadline.
  void startClock() {
    if (TimeoutNanoseconds)
      Deadline = deadlineAfter(TimeoutNanoseconds);
  }
};

/// Copies what the caller gave. Options may be null.
HeddleError readInput(const HeddleInput *Input, Compilation &C);
HeddleError readOptions(const HeddleCompileOptions *Options, Compilation &C);
/// Both, and starts the clock.
HeddleError readCompilation(const HeddleInput *Input,
                            const HeddleCompileOptions *Options,
                            Compilation &C);

/// A result: one of the two is set.
struct CompilationResult {
  std::unique_ptr<HeddleCodeObjectImpl> Code;
  std::unique_ptr<HeddleErrorImpl> Error;
};

/// What a HeddleJob shares with the thread that works on it.
struct JobState {
  Compilation Work;
  std::atomic<bool> Cancelled{false};
  std::mutex Mutex;
  std::condition_variable Changed;
  bool IsDone = false;
  bool IsTaken = false;
  CompilationResult Result;
};

} // namespace heddle::jit

struct HeddleCompilerImpl {
  HeddleCompilerImpl(heddle::CompileService::Setup Setup)
      : Settings(Setup.Settings),
        CacheDirectory(Settings.text(heddle::cache::SettingId::Dir)),
        Service(std::move(Setup)) {}

  std::vector<std::string> Options;
  uint64_t MaxInputBytes = 0;
  uint64_t MaxMemoryBytes = 0;     ///< 0: no limit
  uint64_t TimeoutNanoseconds = 0; ///< of compilations that state none
  unsigned ThreadsPerInput = 0;    ///< 0: as many as there are cores
  HeddleLogger Logger = nullptr;
  void *LoggerContext = nullptr;
  HeddleAllocator Allocator = {};
  /// A copy of what the service was made from.
  heddle::cache::Settings Settings;
  std::string CacheDirectory;
  heddle::CompileService Service;
  std::string PTXVersions;
  std::mutex Mutex; ///< Of Jobs and PTXVersions.
  std::vector<std::weak_ptr<heddle::jit::JobState>> Jobs;
  std::unique_ptr<heddle::jit::TaskPool> Pool; ///< Ends before the rest.

  void log(HeddleSeverity Severity, const std::string &Message) const {
    if (Logger)
      Logger(LoggerContext, Severity, Message.c_str());
  }
  /// The PTX of an input, and all options; an error, or null.
  HeddleError prepare(const heddle::jit::Compilation &C, std::string &PTX,
                      heddle::CompileOptions &Decoded) const;
  heddle::jit::CompilationResult run(const heddle::jit::Compilation &C);
  /// Reads an input without compiling it; the result has no code.
  heddle::jit::CompilationResult outline(const heddle::jit::Compilation &C,
                                         heddle::ModuleOutline &Outline);
};

struct HeddleJobImpl {
  std::shared_ptr<heddle::jit::JobState> State;
};

#endif // HEDDLE_LIB_JIT_HANDLES_H
