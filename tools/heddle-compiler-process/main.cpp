//===- main.cpp - A process that compiles for another one -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Started by libheddle-jit.so, never by people, with the path of the compiler's
// library. Requests come through standard input, which is a socket.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CompilerLoader.h"
#include "heddle/Driver/CompilerProcess.h"
#include "heddle/Driver/Confinement.h"

#include <cstdio>
#include <unistd.h>

int main(int Argc, char **Argv) {
  if (Argc != 2) {
    std::fputs("heddle-compiler-process is started by libheddle-jit.so\n",
               stderr);
    return 1;
  }
  // A sanitizer has files to read when it reports.
  bool IsConfined = !HEDDLE_IS_SANITIZED;
  return heddle::serveCompilations(STDIN_FILENO, Argv[1], [IsConfined] {
    // A kernel without filters leaves it as it is.
    if (IsConfined)
      (void)heddle::confineToComputing();
  });
}
