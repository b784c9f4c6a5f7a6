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

#include "llvm/Support/ErrorHandling.h"

#include <cstdlib>

using namespace heddle;

static void compile(std::string_view Input, const std::string &Name,
                    const CompileOptions &Options, PartStore *Parts,
                    CompileResult &Result) {
  Compiler TheCompiler;
  llvm::Expected<CompileOutput> Output = TheCompiler.compile(
      llvm::MemoryBufferRef(Input, Name), Options,
      [&](const Diagnostic &D) { Result.Messages.push_back(D); });
  if (!Output) {
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

/// LLVM cannot return from a fatal error of its own.
static void onFatalError(void *Handler, const char *Reason, bool) {
  reinterpret_cast<void (*)(const char *)>(Handler)(Reason);
}

const CompilerInterface *heddleCompilerInterface() {
  static const CompilerInterface Interface = {
      compilerInterfaceLayout(),
      compile,
      compilerVersion,
      supportedPTXVersions,
      formatMessages,
      [](void (*Handler)(const char *)) {
        llvm::install_fatal_error_handler(onFatalError,
                                          reinterpret_cast<void *>(Handler));
      }};
  return &Interface;
}
