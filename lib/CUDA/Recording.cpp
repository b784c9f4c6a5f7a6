//===- Recording.cpp - A profile of a part of a process ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two functions that the package finds by their names.
//
//===----------------------------------------------------------------------===//

#include "Recording.h"
#include "Process.h"
#include "heddle/Debugger/Link.h"

using namespace llvm;

namespace heddle::cuda {

bool mayCountCycles() {
  return !isSet("HEDDLE_SEED") && !isSet("HEDDLE_CORE") &&
         !debug::mayBeDebugged();
}

Recording &Recording::get() {
  static auto *Made = new Recording; // see Process.h
  return *Made;
}

void Recording::allow(bool ForProfilesAlone) {
  IsAlone = ForProfilesAlone;
  IsAllowed = true;
}

/// Waits for the work of all devices that are open. What went wrong is told by
/// the program's own calls.
static void waitForDevices() {
  for (int I = 0; ProcessDevice *D = Process::get().device(I); ++I)
    if (rt::Context *C = D->opened())
      consumeError(C->synchronize());
}

std::string Recording::start(StringRef Path) {
  Expected<rt::Context &> Context = Process::get().context();
  if (!Context)
    return toString(Context.takeError());
  if (!IsAllowed)
    return "the device was opened before heddle was imported, or counts no "
           "cycles; import heddle before anything uses CUDA";
  waitForDevices();
  std::lock_guard Lock(Mutex);
  if (Now)
    return "a profile is under way already";
  Expected<std::unique_ptr<Profiler>> Made =
      Profiler::create(Path, Context->device().chip());
  if (!Made)
    return toString(Made.takeError());
  Profilers.push_back(std::move(*Made));
  Now = Profilers.back().get();
  return "";
}

std::string Recording::stop() {
  waitForDevices();
  std::lock_guard Lock(Mutex);
  Profiler *Last = Now.exchange(nullptr);
  if (!Last)
    return "no profile is under way";
  Last->finish();
  return "";
}

} // namespace heddle::cuda

/// \p Text for C: null if it is empty. It stays until the thread's next call.
static const char *messageOf(std::string Text) {
  static thread_local std::string Last;
  Last = std::move(Text);
  return Last.empty() ? nullptr : Last.c_str();
}

extern "C" {
__attribute__((visibility("default"))) const char *
heddleProfileStart(const char *Path) {
  return messageOf(heddle::cuda::Recording::get().start(Path));
}
__attribute__((visibility("default"))) const char *heddleProfileStop() {
  return messageOf(heddle::cuda::Recording::get().stop());
}
}
