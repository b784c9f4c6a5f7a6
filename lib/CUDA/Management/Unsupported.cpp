//===- Unsupported.cpp - What of NVML the device has not --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Power, temperature, links, virtual GPUs and the like. Programs ask for these
// and go on without, so that nothing is said on stderr.
//
//===----------------------------------------------------------------------===//

#include "Management/Management.h"

using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

static Result notSupported(const char *Name) {
  return whileInUse([=] {
    log(llvm::Twine("the device does not have what ") + Name + " is about");
    return NotSupported;
  });
}

#define HEDDLE_NVML_UNSUPPORTED(Name)                                          \
  extern "C" Result Name() { return notSupported(#Name); }
#include "Management/Unsupported.def"
