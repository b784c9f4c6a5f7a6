//===- Assembler.cpp - ptx-compile in ptxas's place -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA starts the ptxas that its package brings along and loads what comes out.
// In a process that uses the driver API, which is ours, the assembler is too:
// that of HEDDLE_PTXAS, which ptx-env sets. NVIDIA's own compilers do not load
// the driver and keep theirs.
//
//===----------------------------------------------------------------------===//

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <spawn.h>

/// The program to start in place of another one.
static const char *assemblerFor(const char *Program) {
  const char *Name = Program ? std::strrchr(Program, '/') : nullptr;
  const char *Ours = std::getenv("HEDDLE_PTXAS");
  if (!Name || std::strcmp(Name, "/ptxas") != 0 || !Ours || !*Ours)
    return Program;
  void *Driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  if (!Driver)
    return Program;
  dlclose(Driver);
  return Ours;
}

#define HEDDLE_SPAWN(Name)                                                     \
  extern "C" int Name(pid_t *__restrict Process,                               \
                      const char *__restrict Program,                          \
                      const posix_spawn_file_actions_t *Actions,               \
                      const posix_spawnattr_t *__restrict Attributes,          \
                      char *const *Arguments, char *const *Environment) {      \
    auto *Next = reinterpret_cast<decltype(&Name)>(dlsym(RTLD_NEXT, #Name));   \
    return Next ? Next(Process, assemblerFor(Program), Actions, Attributes,    \
                       Arguments, Environment)                                 \
                : ENOSYS;                                                      \
  }
HEDDLE_SPAWN(posix_spawn)
HEDDLE_SPAWN(posix_spawnp)
