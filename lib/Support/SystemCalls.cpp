//===- SystemCalls.cpp - What a process may ask the kernel for --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over libseccomp, which knows each architecture's calls by their names.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/SystemCalls.h"

#ifdef HEDDLE_HAS_SECCOMP

#include <algorithm>
#include <cerrno>
#include <seccomp.h>

namespace heddle {

/// Whether a rule could be made, or needs not.
static bool add(scmp_filter_ctx Filter, uint32_t Action, const char *Name,
                std::span<const scmp_arg_cmp> Conditions = {}) {
  int Call = seccomp_syscall_resolve_name(Name);
  if (Call == __NR_SCMP_ERROR)
    return false;
  // Negative numbers are of calls that other architectures have.
  return Call < 0 ||
         seccomp_rule_add_array(Filter, Action, Call, Conditions.size(),
                                Conditions.data()) == 0;
}

static bool addAll(scmp_filter_ctx Filter, const SystemCalls &Calls) {
  auto Allow = [=](const char *Name) {
    return add(Filter, SCMP_ACT_ALLOW, Name);
  };
  auto AllowInPart = [=](const PartlyAllowedCall &C) {
    scmp_arg_cmp Condition =
        SCMP_CMP64(C.Argument, SCMP_CMP_MASKED_EQ, C.Mask, C.Bits);
    return add(Filter, SCMP_ACT_ALLOW, C.Name, {&Condition, 1});
  };
  auto Fail = [=](const FailingCall &C) {
    return add(Filter, SCMP_ACT_ERRNO(C.Reason), C.Name);
  };
  return std::ranges::all_of(Calls.Allowed, Allow) &&
         std::ranges::all_of(Calls.AllowedInPart, AllowInPart) &&
         std::ranges::all_of(Calls.Failing, Fail);
}

bool confineTo(const SystemCalls &Calls) {
  scmp_filter_ctx Filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!Filter)
    return false;
  bool IsLoaded = addAll(Filter, Calls) &&
                  seccomp_attr_set(Filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
                  seccomp_load(Filter) == 0;
  seccomp_release(Filter);
  return IsLoaded;
}

} // namespace heddle

#else

bool heddle::confineTo(const SystemCalls &) { return false; }

#endif
