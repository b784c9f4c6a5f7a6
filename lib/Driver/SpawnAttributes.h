//===- SpawnAttributes.h - How programs of ours are started -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For posix_spawn: nothing of the host's signal handling is for the program.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DRIVER_SPAWNATTRIBUTES_H
#define HEDDLE_LIB_DRIVER_SPAWNATTRIBUTES_H

#include <csignal>
#include <spawn.h>

namespace heddle {

/// No signal is blocked, and each has its default action.
class SpawnAttributes {
public:
  SpawnAttributes() {
    posix_spawnattr_init(&Attributes);
    sigset_t None, All;
    sigemptyset(&None);
    sigfillset(&All);
    posix_spawnattr_setsigmask(&Attributes, &None);
    posix_spawnattr_setsigdefault(&Attributes, &All);
    posix_spawnattr_setflags(&Attributes,
                             POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  SpawnAttributes(const SpawnAttributes &) = delete;
  SpawnAttributes &operator=(const SpawnAttributes &) = delete;
  ~SpawnAttributes() { posix_spawnattr_destroy(&Attributes); }

  const posix_spawnattr_t *get() const { return &Attributes; }

private:
  posix_spawnattr_t Attributes;
};

} // namespace heddle

#endif // HEDDLE_LIB_DRIVER_SPAWNATTRIBUTES_H
