//===- Explain.h - What of a program will run -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx-env --explain: which libraries with device code a program loads.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_ENV_EXPLAIN_H
#define HEDDLE_TOOLS_PTX_ENV_EXPLAIN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace heddle {

/// Writes what is in the program, and in further files that it may load, and in
/// the libraries of all, as text or as JSON. Libraries is where ours are, of
/// which those in Preloaded are loaded before what the program needs. An error
/// if a file is not there or is none that can be loaded.
llvm::Error explain(llvm::ArrayRef<std::string> Paths,
                    const std::string &Libraries,
                    llvm::ArrayRef<const char *> Preloaded, bool AsJson,
                    llvm::raw_ostream &OS);

} // namespace heddle

#endif // HEDDLE_TOOLS_PTX_ENV_EXPLAIN_H
