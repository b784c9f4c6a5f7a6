//===- Service.h - What a farm does with requests ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles for many clients, each key once at a time, in helper processes that
// may die, behind one cache. How requests come and answers go is the server's.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_FARM_SERVICE_H
#define HEDDLE_FARM_SERVICE_H

#include "heddle/Driver/CompileMessages.h"
#include "heddle/Driver/CompileService.h"
#include "heddle/Farm/Admission.h"

#include <array>
#include <atomic>
#include <chrono>

namespace heddle::farm {

enum class CounterId : uint8_t {
#define HEDDLE_FARM_COUNTER(Id, ...) Id,
#include "heddle/Farm/Counters.def"
  Count
};

struct ServiceLimits {
  AdmissionLimits Admission;
  uint64_t MemoryBytes = 0;     ///< of one compilation; 0: none
  std::chrono::seconds Time{0}; ///< of one compilation; 0: none
};

/// Any thread may call anything.
class Service {
public:
  Service(cache::Settings Settings, const ServiceLimits &Limits);

  /// The build that clients have to be of, since keys and code are a build's.
  const std::string &build() const { return Compiler.identity().Build; }

  Admission &admission() { return Turns; }
  void count(CounterId Id) { ++Counts[static_cast<size_t>(Id)]; }
  uint64_t counted(CounterId Id) const {
    return Counts[static_cast<size_t>(Id)];
  }

  /// What the options of a request say; the error's text goes to Wrong.
  /// Options that name files or that are LLVM's own are errors.
  static std::optional<CompileOptions> read(const CompileMessage &Message,
                                            std::string &Wrong);

  /// Compiles what Client, whose request is admitted, has asked for.
  /// IsAbandoned, which is asked every few milliseconds, says that nobody wants
  /// the result any more.
  CompileResult compile(const CompileMessage &Message,
                        const CompileOptions &Options,
                        const std::string &Client,
                        const std::function<bool()> &IsAbandoned);

  /// As JSON, one object; and in the text format of OpenMetrics.
  std::string json() const;
  std::string metrics() const;

private:
  CompileResult runWorker(const CompileRequest &Request,
                          const std::function<CompileResult()> &Compile);

  const ServiceLimits Limits;
  Admission Turns;
  std::array<std::atomic<uint64_t>, static_cast<size_t>(CounterId::Count)>
      Counts{};
  CompileService Compiler;
};

} // namespace heddle::farm

#endif // HEDDLE_FARM_SERVICE_H
