//===- KernelsTest.cpp - Real files parse -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every PTX file of test/kernels parses without a diagnostic.
//
//===----------------------------------------------------------------------===//

#include "ParseTest.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace heddle::ptx;

TEST(PTXKernels, AllParse) {
  unsigned NumFiles = 0;
  std::error_code EC;
  for (llvm::sys::fs::recursive_directory_iterator It(HEDDLE_KERNELS_DIR, EC),
       End;
       It != End && !EC; It.increment(EC)) {
    if (llvm::sys::path::extension(It->path()) != ".ptx")
      continue;
    auto Buffer = llvm::MemoryBuffer::getFile(It->path());
    ASSERT_TRUE(bool(Buffer)) << It->path();
    Parsed P((*Buffer)->getBuffer().str());
    EXPECT_TRUE(P.M) << It->path() << "\n" << P.messages();
    EXPECT_EQ(P.messages(), "") << It->path();
    ++NumFiles;
  }
  EXPECT_FALSE(EC) << EC.message();
  // The folder has the output of two compilers for each kernel.
  EXPECT_GE(NumFiles, 70u);
}
