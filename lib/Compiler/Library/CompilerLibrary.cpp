//===- CompilerLibrary.cpp - The compiler as a library ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one symbol of libheddle-compiler.so.
//
//===----------------------------------------------------------------------===//

#include "heddle/Compiler/Compiler.h"
#include "heddle/Driver/CompilerInterface.h"

#include <cstdlib>

using namespace heddle;

static void compile(std::string_view Input, const std::string &Name,
                    const CompileOptions &Options, PartStore *Parts,
                    CompileControl *Control, CompileResult &Result) {
  // One for all, for the sake of what it keeps; never destroyed, since threads
  // may still compile while the process ends.
  static const Compiler &TheCompiler = *new Compiler;
  llvm::Expected<CompileOutput> Output = TheCompiler.compile(
      llvm::MemoryBufferRef(Input, Name), Options,
      [&](const Diagnostic &D) { Result.Messages.push_back(D); }, Control,
      Parts);
  if (!Output) {
    Result.Stopped = Output.errorIsA<CompileStopped>();
    Result.Failure = toString(Output.takeError());
    return;
  }
  Result.Succeeded = true;
  Result.Bytes.assign(Output->Bytes.begin(), Output->Bytes.end());
  Result.CheckedOnly = Output->CheckedOnly;
  Result.Chip = Output->Chip;
  Result.Functions = std::move(Output->Functions);
  Result.GlobalBytes = Output->GlobalBytes;
  Result.ConstantBytes = Output->ConstantBytes;
  Result.Milliseconds = Output->Milliseconds;
  Result.PartsFound = Output->PartsFound;
  Result.PartsMade = Output->PartsMade;
}

static std::string formatMessages(std::string_view Format,
                                  const std::string &Tool,
                                  const std::vector<Diagnostic> &Messages) {
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  DiagnosticWriter Writer(
      OS, parseDiagnosticFormat(Format).value_or(DiagnosticFormat::Text), Tool,
      compilerVersionNumber());
  for (const Diagnostic &D : Messages)
    Writer.write(D);
  Writer.finish();
  return Text;
}

const CompilerInterface *heddleCompilerInterface() {
  static const CompilerInterface Interface = {
      compilerInterfaceLayout(), compile, compilerVersion, supportedPTXVersions,
      formatMessages};
  return &Interface;
}
