//===- Register.h - The passes by name --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells LLVM's pass builder the names of Passes.def, for programs that take a
// pipeline as text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_PLUGIN_REGISTER_H
#define HEDDLE_PASSES_PLUGIN_REGISTER_H

#include "llvm/Passes/PassBuilder.h"

namespace heddle::passes {

/// Lets \p Builder parse the names of Passes.def in a text of passes.
void registerPasses(llvm::PassBuilder &Builder);

} // namespace heddle::passes

#endif // HEDDLE_PASSES_PLUGIN_REGISTER_H
