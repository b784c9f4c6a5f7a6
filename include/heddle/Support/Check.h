//===- Check.h - The project's assertion ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HEDDLE_CHECK states an invariant of the program. NDEBUG is defined in every
// build of the project, because the packaged LLVM was built with it, so the
// standard assert would never check anything. A failed check is a defect of
// Heddle: bad input is reported through llvm::Error, never through this.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_CHECK_H
#define HEDDLE_SUPPORT_CHECK_H

#include <cstdio>
#include <cstdlib>

namespace heddle::detail {

/// Prints where and what failed to standard error and aborts.
[[noreturn, gnu::cold, gnu::noinline]] inline void
checkFailed(const char *File, int Line, const char *Condition,
            const char *Message) {
  std::fprintf(stderr, "%s:%d: internal error: %s (check '%s' failed)\n", File,
               Line, Message, Condition);
  std::abort();
}

} // namespace heddle::detail

/// Aborts with file, line and \p Message, a C string, unless \p Cond holds. It
/// is on in every build, so keep the condition cheap.
#define HEDDLE_CHECK(Cond, Message)                                            \
  (__builtin_expect(static_cast<bool>(Cond), true)                             \
       ? static_cast<void>(0)                                                  \
       : ::heddle::detail::checkFailed(__FILE__, __LINE__, #Cond, Message))

/// Marks a point that a correct program does not reach.
#define HEDDLE_UNREACHABLE(Message)                                            \
  ::heddle::detail::checkFailed(__FILE__, __LINE__, "unreachable", Message)

#endif // HEDDLE_SUPPORT_CHECK_H
