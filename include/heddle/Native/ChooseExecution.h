//===- ChooseExecution.h - Emulated or translated launches ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For programs that make an emulator: loads the translator if it is asked for
// (docs/native.md).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_NATIVE_CHOOSEEXECUTION_H
#define HEDDLE_NATIVE_CHOOSEEXECUTION_H

#include "heddle/Emulator/Emulator.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace heddle::native {

/// Reads `emulate`, `translate`, `auto` or `compare`.
llvm::Expected<emu::Execution> parseExecution(llvm::StringRef Name);
/// What HEDDLE_EXECUTION says; \p Else if it is not set.
llvm::Expected<emu::Execution>
executionOfEnvironment(emu::Execution Else = emu::Execution::Emulate);

/// Lets \p Options execute launches in this way. An error if launches are to be
/// translated and the library that does it is not there or fails; with Auto
/// they are emulated then.
llvm::Error chooseExecution(emu::EmulatorOptions &Options, emu::Execution Mode);

} // namespace heddle::native

#endif // HEDDLE_NATIVE_CHOOSEEXECUTION_H
