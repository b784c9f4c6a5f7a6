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
#include "heddle/Compiler/CompilerInterface.h"
#include "heddle/Compiler/Disassembly.h"
#include "heddle/PTX/Tables.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>

using namespace heddle;

/// One for all, for the sake of what it keeps; never destroyed, since threads
/// may still compile while the process ends.
static const Compiler &theCompiler() {
  static const Compiler &Instance = *new Compiler;
  return Instance;
}

static bool outline(std::string_view Input, const std::string &Name,
                    ModuleOutline &Result, std::vector<Diagnostic> &Messages) {
  llvm::Expected<std::vector<std::string>> Entries = theCompiler().listEntries(
      llvm::MemoryBufferRef(Input, Name),
      [&](const Diagnostic &D) { Messages.push_back(D); },
      Result.CallsPointers);
  if (!Entries) {
    consumeError(Entries.takeError());
    return false;
  }
  Result.Entries = std::move(*Entries);
  return true;
}

static void compile(std::string_view Input, const std::string &Name,
                    const CompileOptions &Options, PartitionStore *Store,
                    CompileControl *Control, CompileResult &Result) {
  llvm::Expected<CompileOutput> Output = theCompiler().compile(
      llvm::MemoryBufferRef(Input, Name), Options,
      [&](const Diagnostic &D) { Result.Messages.push_back(D); }, Control,
      Store);
  if (!Output) {
    Result.Stopped = Output.errorIsA<CompileStopped>();
    Result.MemoryExceeded = Output.errorIsA<MemoryLimitReached>();
    Result.Failure = toString(Output.takeError());
    return;
  }
  Result.Succeeded = true;
  Result.Bytes.assign(Output->Bytes.begin(), Output->Bytes.end());
  static_cast<CompileSummary &>(Result) = std::move(*Output);
}

static std::vector<SupportedTarget> supportedTargets() {
  std::vector<SupportedTarget> Result;
  for (const ptx::KnownTarget &K : ptx::getKnownTargets())
    Result.push_back({K.GPU.str(), std::to_string(K.MinVersion / 10) + "." +
                                       std::to_string(K.MinVersion % 10)});
  return Result;
}

static bool pipelines(const CompileOptions &Options, std::string &Text) {
  llvm::Expected<std::string> Passes = describePipelines(Options);
  Text = Passes ? *Passes : toString(Passes.takeError());
  return static_cast<bool>(Passes);
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

static bool listLoops(std::string_view Input, const std::string &Name,
                      const CompileOptions &Options, LoopListing &Result) {
  auto Loops = theCompiler().kernelLoops(
      llvm::MemoryBufferRef(Input, Name), Options,
      [&](const Diagnostic &D) { Result.Messages.push_back(D); });
  if (!Loops) {
    Result.Failure = toString(Loops.takeError());
    return false;
  }
  for (const auto &[Kernel, Shapes] : *Loops) {
    std::vector<unsigned> &Depths = Result.DepthsOf[Kernel];
    for (const tuning::LoopShape &S : Shapes)
      Depths.push_back(S.Depth);
  }
  return true;
}

static bool disassembleObject(std::string_view CodeObject,
                              const std::string &Chip, Disassembly &Text,
                              std::string &Failure) {
  llvm::Expected<Disassembly> Made =
      disassemble(llvm::arrayRefFromStringRef(CodeObject), Chip);
  if (!Made) {
    Failure = toString(Made.takeError());
    return false;
  }
  Text = std::move(*Made);
  return true;
}

const CompilerInterface *heddleCompilerInterface() {
  static const CompilerInterface Interface = {compilerInterfaceLayout(),
                                              compile,
                                              outline,
                                              compilerVersion,
                                              supportedPTXVersions,
                                              supportedTargets,
                                              pipelines,
                                              formatMessages,
                                              listLoops,
                                              disassembleObject};
  return &Interface;
}
