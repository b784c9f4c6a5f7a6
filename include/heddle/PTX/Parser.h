//===- Parser.h - From PTX text to a checked module -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry of the PTX frontend.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_PARSER_H
#define HEDDLE_PTX_PARSER_H

#include "heddle/PTX/AST.h"
#include "heddle/PTX/Diagnostics.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <memory>

namespace heddle::ptx {

struct ParseOptions {
  /// Most scopes that may be open at once in a function.
  unsigned MaxDepth = 256;
  /// A .version newer than the newest known one is judged by that one, with a
  /// warning; otherwise it is an error.
  bool AcceptNewerVersion = false;
};

/// Parses and checks a PTX file. Returns null when there were errors; \p Diags
/// has them, and warnings. \p Buffer must outlive the module, and may have up
/// to 4 GiB - 2 bytes.
std::unique_ptr<Module> parseModule(llvm::MemoryBufferRef Buffer,
                                    DiagnosticEngine &Diags,
                                    const ParseOptions &Options = {});

} // namespace heddle::ptx

#endif // HEDDLE_PTX_PARSER_H
