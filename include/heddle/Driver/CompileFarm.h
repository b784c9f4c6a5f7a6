//===- CompileFarm.h - Compiling on a farm ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The client of ptx-farm. A farm never makes a compilation fail: what it does
// not compile is compiled here.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_COMPILEFARM_H
#define HEDDLE_DRIVER_COMPILEFARM_H

#include "heddle-cache/Cache.h"
#include "heddle-cache/Service.h"
#include "heddle-cache/Settings.h"
#include "heddle/Compiler/CompilerInterface.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

namespace heddle {

/// The path of a farm's resource that compiles, and the field of a request that
/// has the compiler's build identity, since keys and answers are a build's own.
inline constexpr std::string_view FarmCompilePath = "/compile";
inline constexpr std::string_view FarmBuildField = "Heddle-Build";
/// What a client without a token calls itself, so that one does not take the
/// turns of others by mistake.
inline constexpr std::string_view FarmClientField = "Heddle-Client";

/// While it compiles, a farm writes this now and then, so that a client knows
/// that it is there; behind this comes the answer.
inline constexpr char FarmCompiles = '.', FarmAnswers = '!';
inline constexpr std::chrono::seconds FarmPulse(2);

/// Any number of threads may call this at once.
class CompileFarm {
public:
  /// The farm that the settings name, for a compiler of this build. Library is
  /// the path of libheddle-cache-remote.so.
  CompileFarm(const cache::Settings &S, std::string Build, std::string Library,
              cache::Counters &Count);
  ~CompileFarm();

  /// Compiles there. None if it has to be compiled here: the farm is not there,
  /// has no room for too long, or does not take this.
  std::optional<CompileResult> compile(std::string_view Input,
                                       const std::string &Name,
                                       const CompileOptions &Options,
                                       CompileControl *Control);

  /// What a user has to know of the farm, once: why it is not used.
  std::string takeComplaint();

private:
  using Clock = std::chrono::steady_clock;
  enum class Verdict { Done, AskAgain, CompileHere };

  cache::Service *service();
  Verdict ask(const cache::ServiceRequest &Request,
              std::optional<CompileResult> &Result);
  Verdict judge(const cache::ServiceAnswer &Answer,
                std::optional<CompileResult> &Result);
  void leaveAlone(std::chrono::seconds Time);
  void complain(const std::string &Text);

  const cache::ServiceAddress Address;
  const std::string Build, Library;
  const std::chrono::milliseconds Timeout, MaxSilence;
  const std::chrono::seconds CoolDown;
  const uint64_t MaxAnswer;
  cache::Counters &Count;
  std::once_flag Opening;
  std::unique_ptr<cache::Service> TheService;
  /// When it may be asked again.
  std::atomic<Clock::rep> ClosedUntil{0};
  std::mutex Guard;
  std::string Complaint;
  bool HasComplained = false;
};

} // namespace heddle

#endif // HEDDLE_DRIVER_COMPILEFARM_H
