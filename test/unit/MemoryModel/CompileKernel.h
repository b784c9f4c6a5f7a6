//===- CompileKernel.h - PTX of a test as a code object ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tests of this folder compile their kernels with.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_MEMORYMODEL_COMPILEKERNEL_H
#define HEDDLE_TEST_UNIT_MEMORYMODEL_COMPILEKERNEL_H

#include "heddle/Compiler/Compiler.h"
#include "gtest/gtest.h"

/// An empty object if the compiler refuses the text, which is a failure.
inline llvm::SmallVector<char, 0> compile(const std::string &Text,
                                          unsigned OptLevel = 3) {
  using namespace heddle;
  CompileOptions Options;
  EXPECT_FALSE(Options.set(OptionId::Arch, "hd100"));
  EXPECT_FALSE(Options.set(OptionId::OptLevel, std::to_string(OptLevel)));
  std::string Messages;
  auto Output =
      Compiler().compile(llvm::MemoryBufferRef(Text, "litmus"), Options,
                         [&](const Diagnostic &D) { Messages += D.Rendered; });
  EXPECT_TRUE(bool(Output)) << Messages;
  if (!Output) {
    llvm::consumeError(Output.takeError());
    return {};
  }
  return std::move(Output->Bytes);
}

#endif // HEDDLE_TEST_UNIT_MEMORYMODEL_COMPILEKERNEL_H
