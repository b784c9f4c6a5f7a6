//===- CompileCommand.h - ptx-opt compile -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A command of ptx-opt that compiles from any form.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_OPT_COMPILECOMMAND_H
#define HEDDLE_TOOLS_PTX_OPT_COMPILECOMMAND_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace heddle {

/// Compiles from any form that a compilation has in between, with the options
/// of ptx-compile. \p Words follow the word `compile`. The exit status.
int runCompileCommand(llvm::ArrayRef<const char *> Words);

} // namespace heddle

#endif // HEDDLE_TOOLS_PTX_OPT_COMPILECOMMAND_H
