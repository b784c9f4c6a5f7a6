//===- Unsupported.cpp - Functions of CUDA that are not there ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that only names such a function starts all the same; one that calls
// it gets cudaErrorNotSupported, and the log says which function it was.
//
//===----------------------------------------------------------------------===//

#include "ErrorLog.h"
#include "Process.h"

#include <cstdio>

using namespace heddle::cuda;

static cudaError_t notSupported(const char *Name) {
  std::fprintf(stderr, "heddle: %s is not supported\n", Name);
  ErrorLog::get().add(std::string(Name) + " is not supported");
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
#include "Runtime/Unsupported.def"

#define HEDDLE_CU_UNSUPPORTED(Name)                                            \
  extern "C" cudaError_t Name() { return driverNotSupported(#Name); }
#include "Driver/DriverUnsupported.def"
