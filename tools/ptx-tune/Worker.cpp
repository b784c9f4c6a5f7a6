//===- Worker.cpp - Measurements for other machines -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The side of the workers: takes jobs of the queue, and stores results.
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "Queue.h"
#include "QueueNames.h"

#include "llvm/Support/FormatVariadic.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <random>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace heddle::tune {

/// Stores a result unless there is one, and takes the job out of the queue.
static constexpr const char *ReportScript = R"(
redis.call('HSETNX', KEYS[2], ARGV[2], ARGV[3])
redis.call('EXPIRE', KEYS[2], ARGV[4])
redis.call('SREM', KEYS[3], ARGV[2])
redis.call('XACK', KEYS[1], ARGV[5], ARGV[1])
return redis.call('XDEL', KEYS[1], ARGV[1])
)";

namespace {

/// A job with its name in the stream.
struct Assignment {
  std::string Id;
  Job What;
};

/// Tells the server now and then that the worker still lives.
class Heartbeat {
public:
  Heartbeat(const cache::RedisAddress &Where, std::vector<std::string> Words,
            std::chrono::milliseconds Pause)
      : Server(Where), Words(std::move(Words)), Pause(Pause),
        Thread([this] { run(); }) {}
  ~Heartbeat() {
    {
      std::lock_guard Lock(Guard);
      IsOver = true;
    }
    Over.notify_all();
    Thread.join();
  }

private:
  void run() {
    std::unique_lock Lock(Guard);
    while (!Over.wait_for(Lock, Pause, [this] { return IsOver; }))
      // Without a server the job is given to another one, and done twice.
      if (Expected<Reply> R = Server.ask(Words); !R)
        consumeError(R.takeError());
  }

  Redis Server;
  const std::vector<std::string> Words;
  const std::chrono::milliseconds Pause;
  std::mutex Guard;
  std::condition_variable Over;
  bool IsOver = false;
  std::thread Thread; ///< Last, so that all else is there when it starts.
};

class Worker {
public:
  Worker(const Options &O, QueueNames Names, cache::RedisAddress Where);
  Error run();

private:
  Error joinGroup();
  Expected<std::optional<Assignment>> take();
  Expected<std::optional<Assignment>> takeOver();
  Expected<bool> isHopeless(const Assignment &A);
  Error work(const Assignment &A);
  Error report(const Assignment &A, const Measurement &M);
  Expected<Measurement> measure(const Assignment &A);
  Expected<const Objective *> objectiveOf(const std::string &Bundle);

  const QueueNames Names;
  const cache::RedisAddress Where;
  const std::chrono::milliseconds Lease;
  const unsigned IdleSeconds;
  std::string Self; ///< Its name in the group.
  Redis Server;
  /// What was measured by lately, the latest last.
  std::deque<std::pair<std::string, std::unique_ptr<UnpackedBundle>>> Bundles;
};

} // namespace

static std::string uniqueName() {
  char Host[256] = "";
  ::gethostname(Host, sizeof(Host) - 1);
  return formatv("{0}-{1}-{2:x}", StringRef(Host), ::getpid(),
                 std::random_device()());
}

Worker::Worker(const Options &O, QueueNames Names, cache::RedisAddress Where)
    : Names(std::move(Names)), Where(std::move(Where)),
      Lease(std::chrono::seconds(O.LeaseSeconds)), IdleSeconds(O.Seconds),
      Self(uniqueName()), Server(this->Where) {}

Error Worker::joinGroup() {
  Expected<Reply> R = Server.ask(
      {"XGROUP", "CREATE", Names.jobs(), WorkerGroup, "0", "MKSTREAM"});
  if (!R)
    return R.takeError();
  if (R->isFault() && !StringRef(R->Text).starts_with("BUSYGROUP"))
    return createStringError("Redis: " + R->Text);
  return Error::success();
}

/// An entry of the stream, [ID, [NAME, VALUE, ...]]; none if it is none.
static std::optional<Assignment> assignmentOf(const Reply &Entry) {
  if (Entry[0].Kind != Reply::KindOf::Text)
    return std::nullopt;
  Assignment A;
  A.Id = Entry[0].Text;
  const Reply &Fields = Entry[1];
  for (size_t I = 0; I + 1 < Fields.List.size(); I += 2) {
    const std::string &Name = Fields[I].Text, &Value = Fields[I + 1].Text;
    if (Name == "bundle")
      A.What.Bundle = Value;
    else if (Name == "kernel")
      A.What.Kernel = Value;
    else if (Name == "document")
      A.What.Document = Value;
    else if (Name == "limit")
      (void)to_float(Value, A.What.Limit);
  }
  return A;
}

/// A job of a worker that has been silent for the lease.
Expected<std::optional<Assignment>> Worker::takeOver() {
  Expected<Reply> R =
      Server.command({"XAUTOCLAIM", Names.jobs(), WorkerGroup, Self,
                      std::to_string(Lease.count()), "0", "COUNT", "1"});
  if (!R)
    return R.takeError();
  return assignmentOf((*R)[1][0]);
}

/// The next job; none if there is none for a moment.
Expected<std::optional<Assignment>> Worker::take() {
  Expected<std::optional<Assignment>> Lost = takeOver();
  if (!Lost || *Lost)
    return Lost;
  Expected<Reply> R =
      Server.command({"XREADGROUP", "GROUP", WorkerGroup, Self, "COUNT", "1",
                      "BLOCK", "200", "STREAMS", Names.jobs(), ">"});
  if (!R)
    return R.takeError();
  return assignmentOf((*R)[0][1][0]); // of the first stream, the first entry
}

/// Whether one worker after the other took the job and was never heard of.
Expected<bool> Worker::isHopeless(const Assignment &A) {
  constexpr int64_t MostDeliveries = 4;
  Expected<Reply> R =
      Server.command({"XPENDING", Names.jobs(), WorkerGroup, A.Id, A.Id, "1"});
  if (!R)
    return R.takeError();
  return (*R)[0][3].Number > MostDeliveries;
}

Expected<const Objective *> Worker::objectiveOf(const std::string &Bundle) {
  constexpr size_t MostBundles = 4;
  for (auto &[Id, Unpacked] : Bundles)
    if (Id == Bundle)
      return &Unpacked->objective();
  Expected<Reply> Text = Server.command({"GET", Names.bundle(Bundle)});
  if (!Text)
    return Text.takeError();
  if (Text->Kind != Reply::KindOf::Text)
    return createStringError("the bundle " + Bundle + " is gone");
  Expected<std::unique_ptr<UnpackedBundle>> Unpacked =
      UnpackedBundle::unpack(Text->Text);
  if (!Unpacked)
    return Unpacked.takeError();
  if (Bundles.size() == MostBundles)
    Bundles.pop_front();
  Bundles.emplace_back(Bundle, std::move(*Unpacked));
  return &Bundles.back().second->objective();
}

Expected<Measurement> Worker::measure(const Assignment &A) {
  Heartbeat Alive(
      Where, {"XCLAIM", Names.jobs(), WorkerGroup, Self, "0", A.Id, "JUSTID"},
      Lease / 3);
  Expected<const Objective *> By = objectiveOf(A.What.Bundle);
  if (!By)
    return By.takeError();
  Expected<tuning::Document> D = tuning::Document::parse(A.What.Document);
  if (!D)
    return D.takeError();
  return (*By)->measure(A.What.Kernel, *D, A.What.Limit);
}

Error Worker::report(const Assignment &A, const Measurement &M) {
  return Server
      .command({"EVAL", ReportScript, "3", Names.jobs(),
                Names.results(A.What.Bundle), Names.queued(A.What.Bundle), A.Id,
                A.What.name(), formatv("{0}", json::Value(toJSON(M))),
                std::to_string(KeptSeconds), WorkerGroup})
      .takeError();
}

/// Measures and reports. What cannot be measured here, another one may.
Error Worker::work(const Assignment &A) {
  Expected<Reply> Known =
      Server.command({"HEXISTS", Names.results(A.What.Bundle), A.What.name()});
  if (!Known)
    return Known.takeError();
  Measurement M;
  if (Known->Number)
    return report(A, M); // which leaves the result as it is
  Expected<bool> Hopeless = isHopeless(A);
  if (!Hopeless)
    return Hopeless.takeError();
  if (*Hopeless) {
    M.Became = Verdict::Runtime;
    M.Fault = "no worker has survived it";
    return report(A, M);
  }
  Expected<Measurement> Found = measure(A);
  if (Found)
    return report(A, *Found);
  errs() << "ptx-tune: warning: job " << A.Id
         << " is left to others: " << toString(Found.takeError()) << "\n";
  return Error::success();
}

Error Worker::run() {
  if (Error E = joinGroup())
    return E;
  auto LastWork = std::chrono::steady_clock::now();
  while (true) {
    Expected<std::optional<Assignment>> A = take();
    if (!A) {
      // The stream may be gone, and the group with it.
      std::string Why = toString(A.takeError());
      if (!StringRef(Why).contains("NOGROUP"))
        return createStringError(Why);
      if (Error E = joinGroup())
        return E;
      continue;
    }
    auto Now = std::chrono::steady_clock::now();
    if (*A) {
      if (Error E = work(**A))
        return E;
      LastWork = std::chrono::steady_clock::now();
    } else if (IdleSeconds &&
               Now - LastWork >= std::chrono::seconds(IdleSeconds)) {
      return Error::success();
    }
  }
}

Error runWorker(const Options &O) {
  Expected<cache::RedisAddress> Where = queueAddress(O);
  if (!Where)
    return Where.takeError();
  Expected<QueueNames> Names = QueueNames::create();
  if (!Names)
    return Names.takeError();
  return Worker(O, *Names, *Where).run();
}

} // namespace heddle::tune
