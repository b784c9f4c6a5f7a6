//===- Unsupported.cpp - Functions of CUDA that are not there ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that only names such a function starts all the same; one that calls
// it gets cudaErrorNotSupported, and the log says which function it was and
// why.
//
//===----------------------------------------------------------------------===//

#include "ErrorLog.h"
#include "Process.h"

#include <cstdio>

using namespace llvm;
using namespace heddle::cuda;

/// Why a function is not there: what the table says of the longest beginning of
/// its name.
static StringRef reasonFor(StringRef Name) {
  static constexpr std::pair<StringRef, StringRef> Reasons[] = {
#define HEDDLE_GRAPHICS(Prefix, Why) {Prefix, Why},
#define HEDDLE_ABSENT(Prefix, Why) {Prefix, Why},
#define HEDDLE_MISSING(Prefix, Why) {Prefix, Why},
#define HEDDLE_PARTIAL(Prefix, What)
#include "Names/Remarks.def"
  };
  std::pair<StringRef, StringRef> Best;
  for (const auto &Reason : Reasons)
    if (Name.starts_with(Reason.first) &&
        Reason.first.size() > Best.first.size())
      Best = Reason;
  return Best.second;
}

static cudaError_t notSupported(const char *Name) {
  std::string Message =
      (Twine(Name) + " is not supported: " + reasonFor(Name)).str();
  std::fprintf(stderr, "heddle: %s\n", Message.c_str());
  ErrorLog::get().add(Message);
  return finish(cudaErrorNotSupported);
}

/// The driver API has no last error.
static cudaError_t driverNotSupported(const char *Name) {
  cudaError_t Saved = savedError();
  cudaError_t Code = notSupported(Name);
  restoreError(Saved);
  return Code;
}

#define HEDDLE_CUDA_UNSUPPORTED(Name)                                          \
  extern "C" cudaError_t Name() { return notSupported(#Name); }
#define HEDDLE_CUDA_UNSUPPORTED_11(Name) HEDDLE_CUDA_UNSUPPORTED(Name)
#define HEDDLE_CUDA_UNSUPPORTED_11_12(Name) HEDDLE_CUDA_UNSUPPORTED(Name)
#include "Runtime/Unsupported.def"

#define HEDDLE_CU_UNSUPPORTED(Name)                                            \
  extern "C" cudaError_t Name() { return driverNotSupported(#Name); }
#include "Driver/DriverUnsupported.def"
