//===- main.cpp - ptx-compile -----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx-compile: PTX to a code object, with the command line of ptxas.
//
//===----------------------------------------------------------------------===//

#include "heddle/Compiler/Compiler.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace heddle;
using llvm::StringRef;

namespace {

/// Says Message as an error of the program and gives its exit status.
int fail(const llvm::Twine &Message) {
  llvm::errs() << "ptx-compile: error: " << Message << '\n';
  return 1;
}

/// The statistics of -v, in ptxas's wording, which scripts parse.
void printFunction(const FunctionReport &F, StringRef Chip) {
  llvm::raw_ostream &OS = llvm::errs();
  if (F.IsEntry)
    OS << "ptxas info    : Compiling entry function '" << F.Name << "' for '"
       << Chip << "'\n";
  OS << "ptxas info    : Function properties for " << F.Name << "\n    "
     << F.StackBytes << " bytes stack frame, " << F.SpillStoreBytes
     << " bytes spill stores, " << F.SpillLoadBytes << " bytes spill loads\n";
  if (!F.IsEntry)
    return;
  OS << "ptxas info    : Used " << F.Registers << " registers, used "
     << F.Barriers << " barriers";
  if (F.CumulativeStackBytes)
    OS << ", " << F.CumulativeStackBytes << " bytes cumulative stack size";
  if (F.SharedBytes)
    OS << ", " << F.SharedBytes << " bytes smem";
  if (F.ParamBytes)
    OS << ", " << F.ParamBytes << " bytes cmem[0]";
  OS << "\nptxas info    : Compile time = "
     << llvm::format("%.3f", F.Milliseconds) << " ms\n";
}

void printStatistics(const CompileOutput &Output) {
  llvm::errs() << "ptxas info    : " << Output.GlobalBytes << " bytes gmem";
  if (Output.ConstantBytes)
    llvm::errs() << ", " << Output.ConstantBytes << " bytes cmem[3]";
  llvm::errs() << '\n';
  for (const FunctionReport &F : Output.Functions)
    printFunction(F, Output.Chip);
}

/// The input: the file named, standard input for "-", or the text of -ias.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readInput(const CompileOptions &Options) {
  const std::vector<std::string> &Texts = Options.list(OptionId::InputAsString);
  if (Options.inputs().size() + Texts.size() != 1)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        Options.inputs().empty() && Texts.empty()
            ? "no input file; see --help"
            : "one input at a time; ptx-link puts several together");
  if (!Texts.empty())
    return llvm::MemoryBuffer::getMemBuffer(Texts.front(), "<string>");
  const std::string &Name = Options.inputs().front();
  auto Buffer = llvm::MemoryBuffer::getFileOrSTDIN(Name);
  if (!Buffer)
    return llvm::createStringError(
        Buffer.getError(), "input file '" + Name + "' could not be opened: " +
                               Buffer.getError().message());
  return std::move(*Buffer);
}

/// Writes the output beside its place and renames it, so that nobody sees half
/// of it and a failure leaves the old file.
llvm::Error writeOutput(StringRef Name, llvm::ArrayRef<char> Bytes) {
  if (Name == "-") {
    llvm::outs() << StringRef(Bytes.data(), Bytes.size());
    return llvm::Error::success();
  }
  return llvm::writeToOutput(Name, [&](llvm::raw_ostream &OS) {
    OS << StringRef(Bytes.data(), Bytes.size());
    return llvm::Error::success();
  });
}

/// --help and its kin; true if there was something to say.
bool printInformation(const CompileOptions &Options) {
  if (Options.flag(OptionId::Help))
    llvm::outs() << compileHelp("ptx-compile");
  else if (Options.flag(OptionId::Version))
    llvm::outs() << compilerVersion();
  else if (Options.flag(OptionId::ListVersion))
    llvm::outs() << supportedPTXVersions();
  else
    return false;
  return true;
}

int compile(const CompileOptions &Options) {
  auto Input = readInput(Options);
  if (!Input)
    return fail(toString(Input.takeError()));
  if (!Options.withoutEffect().empty() &&
      !Options.flag(OptionId::DisableWarnings))
    llvm::errs() << "ptx-compile: note: accepted without effect: "
                 << llvm::join(Options.withoutEffect(), " ") << '\n';

  Compiler TheCompiler;
  llvm::Expected<CompileOutput> Output = TheCompiler.compile(
      (*Input)->getMemBufferRef(), Options,
      [](const Diagnostic &D) { llvm::errs() << D.Rendered; });
  if (!Output)
    return fail(toString(Output.takeError()));
  if (Options.flag(OptionId::Verbose))
    printStatistics(*Output);
  if (Output->CheckedOnly)
    return 0;
  if (llvm::Error E =
          writeOutput(Options.text(OptionId::Output), Output->Bytes))
    return fail("output file '" + StringRef(Options.text(OptionId::Output)) +
                "': " + toString(std::move(E)));
  return 0;
}

} // namespace

/// A fault of LLVM's own cannot be returned from; it must not look like a
/// crash.
[[noreturn]] static void onFatalError(void *, const char *Reason, bool) {
  llvm::errs() << "ptx-compile: internal error: " << Reason
               << "\nPlease report it with the input.\n";
  std::_Exit(1);
}

int main(int Argc, char **Argv) {
  llvm::install_fatal_error_handler(onFatalError);
  std::vector<std::string> Args(Argv + 1, Argv + Argc);
  CompileOptions Options;
  if (auto Error = Options.parse(Args))
    return fail(*Error);
  if (Args.empty()) {
    llvm::outs() << compileHelp("ptx-compile");
    return 0;
  }
  if (printInformation(Options))
    return 0;
  return compile(Options);
}
