//===- CodeObject.cpp - From the manifest's modules to code -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one place of ptx-run that knows the compiler.
//
//===----------------------------------------------------------------------===//

#include "CodeObject.h"
#include "heddle/Tooling/ModuleFile.h"
#include "heddle/Tuning/Launches.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle::run {

static Expected<CompileOptions> compileOptions(const Options &O) {
  CompileOptions Result;
  if (auto Fault = Result.set(OptionId::Arch, O.Chip))
    return createStringError(*Fault);
  if (auto Fault = Result.parse(O.CompilerArgs))
    return createStringError(*Fault);
  return Result;
}

Expected<SmallVector<char, 0>> makeCodeObject(ArrayRef<std::string> Paths,
                                              const Options &O) {
  if (O.Interpret) {
    if (Paths.size() != 1)
      return createStringError("--interpret takes one module");
    auto Buffer = MemoryBuffer::getFile(Paths.front());
    if (!Buffer)
      return createStringError(Paths.front() + ": " +
                               Buffer.getError().message());
    StringRef Text = (*Buffer)->getBuffer();
    if (isCodeObject(Text))
      return createStringError(Paths.front() +
                               ": --interpret takes PTX, not a code object");
    return SmallVector<char, 0>(Text.begin(), Text.end());
  }
  Expected<CompileOptions> Settings = compileOptions(O);
  if (!Settings)
    return Settings.takeError();
  return Paths.size() == 1 ? readModule(Paths.front(), *Settings)
                           : linkModules(Paths, *Settings);
}

Expected<rt::Manifest> applyTuning(rt::Manifest M, const Options &O) {
  Expected<CompileOptions> Settings = compileOptions(O);
  if (!Settings)
    return Settings.takeError();
  if (!Settings->given(OptionId::Tuning))
    return M;
  Expected<tuning::Document> D =
      tuning::Document::parse(Settings->text(OptionId::Tuning));
  if (!D)
    return D.takeError();
  return tuning::applyToLaunches(std::move(M), *D);
}

} // namespace heddle::run
