//===- PTXFuzz.h - What the fuzz targets of the frontend share --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a text and checks what holds of every text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_FUZZ_PTXFUZZ_H
#define HEDDLE_TEST_FUZZ_PTXFUZZ_H

#include "heddle/PTX/Parser.h"
#include "heddle/Support/Check.h"

namespace heddle::ptx {

/// Parses \p Text, which must outlive the module, and writes all messages.
inline std::unique_ptr<Module> parseForFuzzing(llvm::StringRef Text,
                                               DiagnosticEngine &Diags) {
  std::unique_ptr<Module> M = parseModule({Text, "fuzz.ptx"}, Diags);
  HEDDLE_CHECK(!M == Diags.hasErrors(), "a module, or else an error");
  llvm::raw_null_ostream Nowhere;
  Diags.print(Nowhere, /*Color=*/true);
  return M;
}

} // namespace heddle::ptx

#endif // HEDDLE_TEST_FUZZ_PTXFUZZ_H
