//===- FatalErrors.h - LLVM gives up, the process does not ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM ends the process where it cannot go on ("Cannot select", out of
// registers). A library must not let it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_FATALERRORS_H
#define HEDDLE_LIB_COMPILER_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>
#include <string>

namespace heddle::compiler {

/// Runs Body on a thread of its own, with a stack on which deep recursion of
/// the compiler has room and on which no signal handler of the host runs.
/// Returns LLVM's reason if it met a fatal error of its own. What Body had
/// allocated is then lost, since its frames are left without being unwound.
std::optional<std::string> runGuarded(llvm::function_ref<void()> Body);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_FATALERRORS_H
