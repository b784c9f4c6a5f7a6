//===- DeviceTime.cpp - Virtual time by the environment ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The clock is that of the preloaded library, so that the program reads the
// same one. Without that library only the device's side has virtual time.
//
//===----------------------------------------------------------------------===//

#include "DeviceTime.h"
#include "Devices/ProcessDevice.h"
#include "heddle/Runtime/Occupancy.h"
#include "heddle/Runtime/Queue.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <dlfcn.h>

using namespace llvm;

namespace heddle::cuda {

/// One of some words that a variable may have; the first is what it is without
/// the variable.
static Expected<size_t> choiceOf(const char *Variable,
                                 ArrayRef<StringRef> Words) {
  const char *Text = std::getenv(Variable);
  if (!Text || !*Text)
    return 0;
  const auto *Found = find(Words, Text);
  if (Found == Words.end())
    return createStringError(inconvertibleErrorCode(),
                             Twine(Variable) + " is one of " +
                                 join(Words, ", ") + ", not '" + Text + "'");
  return Found - Words.begin();
}

#define HEDDLE_TEXT_(X) #X
#define HEDDLE_TEXT(X) HEDDLE_TEXT_(X)

static rt::ProgramClock &programClock() {
  if (void *Shared = dlsym(RTLD_DEFAULT, HEDDLE_TEXT(HEDDLE_PROGRAM_CLOCK)))
    return *static_cast<rt::ProgramClock *>(Shared);
  static auto *Own = new rt::ProgramClock{rt::timestampNow}; // see Process.h
  return *Own;
}

uint64_t programTime() {
  static rt::ProgramClock *const Clock =
      isSet("HEDDLE_TIMING") ? &programClock() : nullptr;
  return Clock ? Clock->now() : rt::timestampNow();
}

Expected<std::shared_ptr<rt::VirtualTime>>
virtualTimeFor(StringRef Chip, const isa::ChipChanges &Changes) {
  enum { Off, Sampled, Exact };
  enum { Measured, None };
  Expected<size_t> Mode = choiceOf("HEDDLE_TIMING", {"0", "sampled", "exact"});
  if (!Mode)
    return Mode.takeError();
  Expected<size_t> Host = choiceOf("HEDDLE_TIMING_HOST", {"measured", "none"});
  if (!Host)
    return Host.takeError();
  const isa::ChipInfo *Info = isa::findChip(Chip);
  if (*Mode == Off || !Info)
    return nullptr;
  isa::ChipInfo Changed = *Info;
  if (auto Fault = Changes.apply(Changed))
    return createStringError("HEDDLE_WHAT_IF: " + *Fault);
  rt::ProgramClock &Clock = programClock();
  if (*Host == None && !Clock.IsStill) {
    Clock.now();
    Clock.IsStill = true;
  }
  return std::make_shared<rt::VirtualTime>(Clock, rt::chipProperties(Changed),
                                           *Mode == Exact);
}

} // namespace heddle::cuda
