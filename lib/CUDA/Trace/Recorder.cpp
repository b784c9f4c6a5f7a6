//===- Recorder.cpp - Events on their way to sinks --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way is short: a sink is told while the thread waits.
//
//===----------------------------------------------------------------------===//

#include "Trace/Recorder.h"
#include "Devices/DeviceTime.h"
#include "ExitHandlers.h"
#include "Trace/Calls.h"

#include <pthread.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::trace {

Recorder &Recorder::get() {
  static auto *TheRecorder = new Recorder; // see Process.h
  return *TheRecorder;
}

void Recorder::addSink(std::shared_ptr<Sink> S) {
  if (IsAbandoned)
    return;
  static std::once_flag Registered;
  std::call_once(Registered, [] {
    callAtExit([](void *) { get().finish(); });
    pthread_atfork(nullptr, nullptr, [] { get().abandon(); });
  });
  std::lock_guard Lock(Mutex);
  Sinks.push_back(std::move(S));
  Active = true;
  watchCalls(CallWatcher::Recorder, true);
}

void Recorder::removeSink(const Sink *S) {
  if (IsAbandoned)
    return;
  std::lock_guard Lock(Mutex);
  std::erase_if(Sinks, [S](const auto &Other) { return Other.get() == S; });
  Active = !Sinks.empty();
  watchCalls(CallWatcher::Recorder, Active);
}

void Recorder::finish() {
  if (IsAbandoned)
    return;
  tell([](Sink &S) { S.finish(); });
  std::lock_guard Lock(Mutex);
  Active = false;
  watchCalls(CallWatcher::Recorder, false);
  Sinks.clear();
}

/// The lock may be held for good, and what is open, and not yet written, is the
/// parent's: sinks are never ended.
void Recorder::abandon() {
  IsAbandoned = true;
  Active = false;
  watchCalls(CallWatcher::Recorder, false);
}

uint64_t now() { return programTime(); }

uint32_t currentThread() {
  static thread_local const auto Thread = static_cast<uint32_t>(gettid());
  return Thread;
}

} // namespace heddle::cuda::trace
