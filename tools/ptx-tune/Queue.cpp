//===- Queue.cpp - Measurements on other machines ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The side of the search: puts jobs into the queue, and waits for results.
//
//===----------------------------------------------------------------------===//

#include "Queue.h"
#include "Bundle.h"
#include "QueueNames.h"
#include "heddle-cache/Key.h"
#include "heddle/Driver/CompilerLoader.h"
#include "heddle/Support/JSON.h"

#include "llvm/Support/FormatVariadic.h"

#include <mutex>
#include <thread>

using namespace llvm;

namespace heddle::tune {

Expected<QueueNames> QueueNames::create() {
  CompilerIdentity Identity = readCompilerIdentity(compilerLibraryPath());
  if (Identity.Build.empty())
    return createStringError("the compiler has no build identity, by which "
                             "workers with the same compiler are found");
  QueueNames N;
  N.Prefix = "heddle:tune:2:" + Identity.Build;
  return N;
}

std::string Job::name() const {
  return formatv("{0} {1} {2}", Kernel, json::Value(Limit), Document);
}

Expected<cache::RedisAddress> queueAddress(const Options &O) {
  if (auto Where = cache::RedisAddress::parse(O.Queue))
    return *Where;
  return createStringError("--queue takes " +
                           std::string(cache::RedisAddress::Form));
}

/// Returns the result of a job; if there is none, sees to it that the job is in
/// the queue. It may be repeated at any time.
static constexpr const char *RequestScript = R"(
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then return known end
if redis.call('SADD', KEYS[3], ARGV[1]) == 1 then
  redis.call('XADD', KEYS[1], '*', 'bundle', ARGV[2], 'kernel', ARGV[3],
             'document', ARGV[4], 'limit', ARGV[5])
  redis.call('EXPIRE', KEYS[3], ARGV[6])
end
return false
)";

namespace {

class QueueObjective : public Objective {
public:
  QueueObjective(QueueNames Names, cache::RedisAddress Where,
                 std::unique_ptr<Objective> Here)
      : Names(std::move(Names)), Where(std::move(Where)),
        Here(std::move(Here)) {}
  /// Lays the bundle where the workers find it.
  Error publish(const std::string &Bundle);

  ArrayRef<KernelToTune> kernels() const override { return Here->kernels(); }
  Expected<std::vector<double>>
  instructionCosts(StringRef Kernel, const tuning::Document &D) const override {
    return Here->instructionCosts(Kernel, D);
  }
  uint64_t identity() const override { return Here->identity(); }
  Expected<Measurement> measure(StringRef Kernel, const tuning::Document &D,
                                double Limit) const override;

private:
  Expected<Reply> request(const Job &J) const;

  QueueNames Names;
  cache::RedisAddress Where;
  std::unique_ptr<Objective> Here;
  std::string BundleId;
  mutable std::mutex Guard;
  mutable std::vector<Redis> Idle; ///< Connections that are not in use.
  mutable std::once_flag HasWarned;
};

} // namespace

Error QueueObjective::publish(const std::string &Bundle) {
  BundleId = cache::sha256(Bundle).str();
  return Redis(Where)
      .command({"SET", Names.bundle(BundleId), Bundle, "EX",
                std::to_string(KeptSeconds)})
      .takeError();
}

Expected<Reply> QueueObjective::request(const Job &J) const {
  std::optional<Redis> Server;
  {
    std::lock_guard Lock(Guard);
    if (!Idle.empty()) {
      Server.emplace(std::move(Idle.back()));
      Idle.pop_back();
    }
  }
  if (!Server)
    Server.emplace(Where);
  Expected<Reply> R = Server->command(
      {"EVAL", RequestScript, "3", Names.jobs(), Names.results(J.Bundle),
       Names.queued(J.Bundle), J.name(), J.Bundle, J.Kernel, J.Document,
       formatv("{0}", json::Value(J.Limit)), std::to_string(KeptSeconds)});
  if (R) {
    std::lock_guard Lock(Guard);
    Idle.push_back(std::move(*Server));
  }
  return R;
}

/// JSON has no infinity: a limit that is none.
static constexpr double NoLimit = 1e300;

Expected<Measurement> QueueObjective::measure(StringRef Kernel,
                                              const tuning::Document &D,
                                              double Limit) const {
  using namespace std::chrono_literals;
  Job J{BundleId, Kernel.str(), D.str(), std::min(Limit, NoLimit)};
  auto Start = std::chrono::steady_clock::now();
  for (auto Pause = 2ms;; Pause = std::min(2 * Pause, 64ms)) {
    Expected<Reply> R = request(J);
    if (!R)
      return R.takeError();
    if (R->Kind == Reply::KindOf::Text) {
      Expected<json::Value> V = parseJSON(R->Text);
      if (!V)
        return V.takeError();
      if (const json::Object *O = V->getAsObject())
        if (std::optional<Measurement> M = measurementOf(*O))
          return std::move(*M);
      return createStringError("the queue holds a malformed result");
    }
    if (std::chrono::steady_clock::now() - Start > 60s)
      std::call_once(HasWarned, [] {
        errs() << "ptx-tune: warning: no result for a minute; is there a "
                  "ptx-tune worker of the same compiler?\n";
      });
    std::this_thread::sleep_for(Pause);
  }
}

Expected<std::unique_ptr<Objective>>
createQueueObjective(const Options &O, std::unique_ptr<Objective> Here) {
  Expected<cache::RedisAddress> Where = queueAddress(O);
  if (!Where)
    return Where.takeError();
  Expected<QueueNames> Names = QueueNames::create();
  if (!Names)
    return Names.takeError();
  Expected<std::string> Bundle = makeBundle(O);
  if (!Bundle)
    return Bundle.takeError();
  auto Result =
      std::make_unique<QueueObjective>(*Names, *Where, std::move(Here));
  if (Error E = Result->publish(*Bundle))
    return std::move(E);
  return Result;
}

} // namespace heddle::tune
