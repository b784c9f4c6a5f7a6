//===- Lint.h - Warnings about a whole module -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warnings that need a whole function or module: what is never used, never
// written, or never reached.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_PTX_LINT_H
#define HEDDLE_LIB_PTX_LINT_H

#include "heddle/PTX/Diagnostics.h"

namespace heddle::ptx {

/// Looks through a module that is without errors, if any of these warnings is
/// enabled.
void lint(const Module &M, DiagnosticEngine &Diags);

} // namespace heddle::ptx

#endif // HEDDLE_LIB_PTX_LINT_H
