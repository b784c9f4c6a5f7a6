//===- ParseTest.h - Helpers of the PTX tests -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a string and keeps what came of it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_PTX_PARSETEST_H
#define HEDDLE_TEST_UNIT_PTX_PARSETEST_H

#include "heddle/PTX/Parser.h"
#include "gtest/gtest.h"

namespace heddle::ptx {

/// A parsed text and its diagnostics.
struct Parsed {
  explicit Parsed(std::string Source, const ParseOptions &Options = {})
      : Text(std::move(Source)),
        M(parseModule(llvm::MemoryBufferRef(Text, "t.ptx"), Diags, Options)) {}

  /// All diagnostics as they are printed.
  std::string messages() const {
    std::string Out;
    llvm::raw_string_ostream OS(Out);
    Diags.print(OS);
    return Out;
  }

  std::string Text;
  DiagnosticEngine Diags;
  std::unique_ptr<Module> M;
};

inline constexpr llvm::StringLiteral Header =
    ".version 8.0\n.target sm_90\n.address_size 64\n";

/// A module with one function of the given body, whose first line is line 8.
inline std::string withBody(llvm::StringRef Body,
                            llvm::StringRef Head = Header) {
  return (Head +
          ".func f() {\n"
          ".reg .pred %p<4>; .reg .b16 %h<4>; .reg .b32 %r<9>;\n"
          ".reg .b64 %rd<9>; .reg .f32 %f<4>;" +
          // These need version 8.3.
          (Body.contains("%q") ? " .reg .b128 %q<2>;\n" : "\n") +
          ".reg .f64 %d<4>; .reg .u32 %u<4>; .reg .s64 %s<4>;\n" + Body +
          "\n}\n")
      .str();
}

/// The instructions of a function, scopes flattened.
inline void collect(llvm::ArrayRef<const Statement *> Body,
                    std::vector<const Instruction *> &Out) {
  for (const Statement *S : Body) {
    if (auto *I = llvm::dyn_cast<Instruction>(S))
      Out.push_back(I);
    else if (auto *B = llvm::dyn_cast<BlockStatement>(S))
      collect(B->Body, Out);
  }
}

inline std::vector<const Instruction *> instructions(const Function &F) {
  std::vector<const Instruction *> Out;
  collect(F.Body, Out);
  return Out;
}

} // namespace heddle::ptx

#endif // HEDDLE_TEST_UNIT_PTX_PARSETEST_H
