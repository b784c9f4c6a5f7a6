//===- CodeObject.h - From the manifest's modules to code -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads code objects, and compiles what is PTX text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_RUN_CODEOBJECT_H
#define HEDDLE_TOOLS_PTX_RUN_CODEOBJECT_H

#include "Options.h"
#include "heddle/Manifest/Manifest.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::run {

/// What the device loads, from the files at \p Paths: a code object, or the PTX
/// text with --interpret. The compiler's messages go to standard error.
llvm::Expected<llvm::SmallVector<char, 0>>
makeCodeObject(llvm::ArrayRef<std::string> Paths, const Options &O);

/// A manifest with the launches that the tuning document among the compiler's
/// options decides.
llvm::Expected<rt::Manifest> applyTuning(rt::Manifest M, const Options &O);

} // namespace heddle::run

#endif // HEDDLE_TOOLS_PTX_RUN_CODEOBJECT_H
