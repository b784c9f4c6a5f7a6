//===- Recorder.cpp - Events on their way to sinks --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sink is told while the thread waits, a file by way of the log.
//
//===----------------------------------------------------------------------===//

#include "Trace/Recorder.h"
#include "Devices/DeviceTime.h"
#include "ExitHandlers.h"
#include "Trace/Calls.h"
#include "Trace/Sampling/Sampler.h"
#include "Trace/SystemCalls.h"
#include "llvm/ADT/SmallString.h"

#include <pthread.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::trace {

Recorder &Recorder::get() {
  static auto *TheRecorder = new Recorder; // see Process.h
  return *TheRecorder;
}

void Recorder::prepare() {
  static std::once_flag Registered;
  std::call_once(Registered, [] {
    callAtExit([](void *) { get().finish(); });
    pthread_atfork(nullptr, nullptr, [] { get().abandon(); });
  });
}

void Recorder::watch() { watchCalls(CallWatcher::Recorder, isActive()); }

void Recorder::openFile(std::shared_ptr<FileSink> To) {
  if (IsAbandoned)
    return;
  prepare();
  EventLog::get().open(std::move(To));
  HasFile = true;
  watch();
}

void Recorder::addSink(std::shared_ptr<Sink> S) {
  if (IsAbandoned)
    return;
  prepare();
  std::lock_guard Lock(Mutex);
  Sinks.push_back(std::move(S));
  HasSinks = true;
  watch();
}

void Recorder::removeSink(const Sink *S) {
  if (IsAbandoned)
    return;
  std::lock_guard Lock(Mutex);
  std::erase_if(Sinks, [S](const auto &Other) { return Other.get() == S; });
  HasSinks = !Sinks.empty();
  watch();
}

void Recorder::finish() {
  if (IsAbandoned)
    return;
  {
    std::lock_guard Lock(Mutex);
    HasSinks = false;
    Sinks.clear();
  }
  stopSampling();
  forgetSystemCalls();
  recordOpenRanges();
  bool HadFile = HasFile.exchange(false);
  watch();
  if (HadFile)
    EventLog::get().close();
}

/// The lock may be held for good, and what is open, and not yet written, is the
/// parent's: sinks are never ended.
void Recorder::abandon() {
  IsAbandoned = true;
  HasFile = HasSinks = false;
  watch();
  abandonSampling();
  forgetSystemCalls();
  EventLog::get().abandon();
}

void Recorder::add(const Stage &S) {
  tell(S);
  SmallString<128> Texts(S.Name);
  Texts += S.Input;
  Texts += S.Detail;
  log(RecordKind::Stage, S.End, S, Texts);
}

void Recorder::add(const Sample &S) {
  log(RecordKind::Sample, S.Time, S,
      StringRef(reinterpret_cast<const char *>(S.Places.data()),
                S.Places.size() * sizeof(const CodePlace *)));
}

void Recorder::nameThread(uint32_t Thread, StringRef Name) {
  log(RecordKind::ThreadName, now(), Naming{Thread, Name}, Name);
}

void Recorder::nameStream(uint64_t Stream, StringRef Name) {
  log(RecordKind::StreamName, now(), Naming{Stream, Name}, Name);
}

uint64_t now() { return programTime(); }

uint32_t currentThread() {
  static thread_local const auto Thread = static_cast<uint32_t>(gettid());
  return Thread;
}

} // namespace heddle::cuda::trace
