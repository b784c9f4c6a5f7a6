//===- ModuleFile.cpp - A module from a file --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the file, and compiles what is PTX text.
//
//===----------------------------------------------------------------------===//

#include "heddle/Compiler/ModuleFile.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle {

bool isCodeObject(StringRef Bytes) {
  return Bytes.starts_with("\x7f"
                           "ELF");
}

Expected<SmallVector<char, 0>> readModule(StringRef Path,
                                          const CompileOptions &Options) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Path + ": " + Buffer.getError().message());
  StringRef Text = (*Buffer)->getBuffer();
  if (isCodeObject(Text))
    return SmallVector<char, 0>(Text.begin(), Text.end());
  Expected<CompileOutput> Output =
      Compiler().compile((*Buffer)->getMemBufferRef(), Options,
                         [](const Diagnostic &D) { errs() << D.Rendered; });
  if (!Output)
    return Output.takeError();
  return std::move(Output->Bytes);
}

} // namespace heddle
