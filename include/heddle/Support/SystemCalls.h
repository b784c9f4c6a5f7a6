//===- SystemCalls.h - What a process may ask the kernel for ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that reads what others wrote may give up what it does not need. Who
// does so says what it needs as tables; this loads them as a filter of system
// calls.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_SYSTEMCALLS_H
#define HEDDLE_SUPPORT_SYSTEMCALLS_H

#include <cstdint>
#include <span>

namespace heddle {

/// A call that is allowed where, of the argument of this number, the bits of
/// the mask are these.
struct PartlyAllowedCall {
  const char *Name;
  unsigned Argument;
  uint64_t Mask, Bits;
};

/// A call that fails with this reason.
struct FailingCall {
  const char *Name;
  int Reason;
};

/// Calls by their names; one that the host's architecture does not have is
/// passed over. All others fail with EPERM, and do not end the process, since
/// the C library asks for some things that it can do without.
struct SystemCalls {
  std::span<const char *const> Allowed;
  std::span<const PartlyAllowedCall> AllowedInPart;
  std::span<const FailingCall> Failing;
};

/// From here on this process has these calls. Nothing takes this back, and
/// threads and children have it, too. False where the kernel does not have
/// filters of system calls, or the build not libseccomp.
bool confineTo(const SystemCalls &Calls);

} // namespace heddle

#endif // HEDDLE_SUPPORT_SYSTEMCALLS_H
