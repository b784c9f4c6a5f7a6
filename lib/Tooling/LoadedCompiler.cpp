//===- LoadedCompiler.cpp - The compiler of another library -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns what crosses the library's border into LLVM's types.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tooling/LoadedCompiler.h"
#include "heddle/Driver/CompilerLoader.h"

using namespace llvm;

namespace heddle {

static std::string_view view(StringRef Bytes) {
  return {Bytes.data(), Bytes.size()};
}

Expected<LoadedCompiler> LoadedCompiler::load(const std::string &Path) {
  std::string Failure;
  const CompilerInterface *Functions =
      loadCompiler(Path.empty() ? compilerLibraryPath() : Path, Failure);
  if (!Functions)
    return createStringError(Failure);
  return LoadedCompiler(Functions);
}

CompileResult LoadedCompiler::compile(MemoryBufferRef Input,
                                      const CompileOptions &Options,
                                      CompileControl *Control) const {
  CompileResult Result;
  Functions->Compile(view(Input.getBuffer()), Input.getBufferIdentifier().str(),
                     Options,
                     /*Store=*/nullptr, Control, Result);
  return Result;
}

Expected<std::map<std::string, std::vector<tuning::LoopShape>>>
LoadedCompiler::kernelLoops(MemoryBufferRef Input,
                            const CompileOptions &Options,
                            DiagnosticHandler Handler) const {
  LoopListing Listing;
  bool Succeeded =
      Functions->ListLoops(view(Input.getBuffer()),
                           Input.getBufferIdentifier().str(), Options, Listing);
  for (const Diagnostic &D : Listing.Messages)
    Handler(D);
  if (!Succeeded)
    return createStringError(Listing.Failure);
  std::map<std::string, std::vector<tuning::LoopShape>> Loops;
  for (const auto &[Kernel, Depths] : Listing.DepthsOf) {
    std::vector<tuning::LoopShape> &Shapes = Loops[Kernel];
    for (unsigned Depth : Depths)
      Shapes.push_back({Depth});
  }
  return Loops;
}

Expected<Disassembly> LoadedCompiler::disassemble(ArrayRef<uint8_t> CodeObject,
                                                  StringRef Chip) const {
  Disassembly Text;
  std::string Failure;
  if (!Functions->Disassemble(view(toStringRef(CodeObject)), Chip.str(), Text,
                              Failure))
    return createStringError(Failure);
  return Text;
}

} // namespace heddle
