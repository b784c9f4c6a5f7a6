//===- ProgramRelay.h - Debugging a CUDA program ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts a program as ptx-env does, and hands commands to the session that is
// in its process.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_DEBUG_PROGRAMRELAY_H
#define HEDDLE_TOOLS_PTX_DEBUG_PROGRAMRELAY_H

#include "Options.h"
#include "heddle/Debugger/Debugger.h"

namespace heddle::debug {

/// Runs the program to its end, and says how it ended. It stops where \p Local
/// would, which learns what becomes of its breakpoints.
llvm::Error runProgram(const Options &O, Session &Local, Console &C);

/// The same for a process that waits for a debugger. `kill` and `quit` end it.
llvm::Error attachProgram(int Process, Session &Local, Console &C);
/// Waits for the end of programs that were started and left: they end with this
/// process else.
void waitForLeft();

} // namespace heddle::debug

#endif // HEDDLE_TOOLS_PTX_DEBUG_PROGRAMRELAY_H
