//===- UsageMeter.h - Who counts a device's work ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Told when kernels begin and end, in the time of the host, so that somebody
// else can see how busy a device is.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_USAGEMETER_H
#define HEDDLE_RUNTIME_USAGEMETER_H

#include "heddle/Runtime/Device.h"

namespace heddle::rt {

/// Any thread may call anything at any time.
class UsageMeter {
public:
  virtual ~UsageMeter() = default;

  /// A kernel begins.
  virtual void begin() = 0;
  /// One that began has ended, and whether as it should; \p Why is none where
  /// it did, and where it could not run at all.
  virtual void end(bool HasFailed, std::optional<FaultKind> Why) = 0;
};

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_USAGEMETER_H
