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

#include "heddle/Tooling/ModuleFile.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Tooling/LoadedCompiler.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle {

bool isCodeObject(StringRef Bytes) {
  return Bytes.starts_with("\x7f"
                           "ELF");
}

static Expected<SmallVector<char, 0>> compile(MemoryBufferRef Input,
                                              const CompileOptions &Options) {
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load();
  if (!Compiler)
    return Compiler.takeError();
  CompileResult Result = Compiler->compile(Input, Options);
  for (const Diagnostic &D : Result.Messages)
    errs() << D.Rendered;
  if (!Result.Succeeded)
    return createStringError(Result.Failure);
  return SmallVector<char, 0>(Result.Bytes.begin(), Result.Bytes.end());
}

static Expected<std::unique_ptr<MemoryBuffer>> readFile(StringRef Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Path + ": " + Buffer.getError().message());
  return std::move(*Buffer);
}

Expected<SmallVector<char, 0>> readModule(StringRef Path,
                                          const CompileOptions &Options) {
  Expected<std::unique_ptr<MemoryBuffer>> File = readFile(Path);
  if (!File)
    return File.takeError();
  StringRef Text = (*File)->getBuffer();
  if (isCodeObject(Text))
    return SmallVector<char, 0>(Text.begin(), Text.end());
  return compile((*File)->getMemBufferRef(), Options);
}

Expected<SmallVector<char, 0>> linkModules(ArrayRef<std::string> Paths,
                                           const CompileOptions &Options) {
  std::vector<std::unique_ptr<MemoryBuffer>> Files;
  std::vector<LinkInput> Inputs;
  for (const std::string &Path : Paths) {
    Expected<std::unique_ptr<MemoryBuffer>> File = readFile(Path);
    if (!File)
      return File.takeError();
    Inputs.push_back({Path, (*File)->getBuffer()});
    Files.push_back(std::move(*File));
  }
  std::string Bundle = makeLinkBundle(Inputs);
  return compile(MemoryBufferRef(Bundle, Paths.front()), Options);
}

} // namespace heddle
