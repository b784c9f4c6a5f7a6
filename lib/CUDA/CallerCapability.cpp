//===- CallerCapability.cpp - What libraries see of the device --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which libraries see another compute capability than the program, and which
// one.
//
//===----------------------------------------------------------------------===//

#include "CallerCapability.h"
#include "Trace/Calls.h"
#include "llvm/ADT/STLExtras.h"

#include <dlfcn.h>

using namespace llvm;

namespace heddle::cuda {

/// The libraries that choose so, by the beginnings of their names.
static constexpr StringLiteral Libraries[] = {
    "libcublas.so",   "libcublasLt.so", "libcudnn",     "libcurand.so",
    "libcusolver.so", "libcusparse.so", "libnvblas.so",
};

/// Newer than all GPUs that there is machine code for.
static constexpr Process::ComputeCapability Newer = {13, 0};

static Expected<Process::ComputeCapability> libraryCapability() {
  return Process::wantedCapability("HEDDLE_LIBRARY_COMPUTE_CAPABILITY", Newer);
}

Error checkLibraryCapability() { return libraryCapability().takeError(); }

static bool isInLibrary(const void *Address) {
  Dl_info Info;
  if (!Address || !dladdr(Address, &Info) || !Info.dli_fname)
    return false;
  StringRef Name = StringRef(Info.dli_fname).rsplit('/').second;
  if (Name.empty())
    Name = Info.dli_fname;
  return any_of(Libraries, [&](StringRef L) { return Name.starts_with(L); });
}

Process::ComputeCapability capabilityFor(const void *Address) {
  if (isInLibrary(Address)) {
    Expected<Process::ComputeCapability> Told = libraryCapability();
    if (Told)
      return *Told;
    consumeError(Told.takeError()); // The device's options report it.
  }
  return Process::programCapability();
}

static thread_local const void *Caller = nullptr;

CallerScope::CallerScope(const void *ReturnAddress) : IsFirst(!Caller) {
  if (IsFirst)
    Caller = trace::callerBehindStub(ReturnAddress);
}

CallerScope::~CallerScope() {
  if (IsFirst)
    Caller = nullptr;
}

const void *CallerScope::caller() { return Caller; }

} // namespace heddle::cuda
