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
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>

using namespace heddle;
using llvm::StringRef;

namespace {

/// Messages of the program itself and of the compiler, all in one format.
class Console {
public:
  explicit Console(DiagnosticFormat Format = DiagnosticFormat::Text)
      : Writer(llvm::errs(), Format, "ptx-compile", compilerVersionNumber()) {}

  void write(const Diagnostic &D) { Writer.write(D); }
  /// Says Message as an error of the program and gives its exit status.
  int fail(const llvm::Twine &Message) {
    write(makeToolDiagnostic(Severity::Error, "ptx-compile", Message));
    return 1;
  }
  void note(const llvm::Twine &Message) {
    write(makeToolDiagnostic(Severity::Note, "ptx-compile", Message));
  }
  /// A message of ptxas's -v, which scripts parse; may have several lines.
  void info(const llvm::Twine &Message) {
    Diagnostic D = makeToolDiagnostic(Severity::Info, "ptx-compile", Message);
    D.Rendered = "ptxas info    : " + D.Message + "\n";
    write(D);
  }

private:
  DiagnosticWriter Writer;
};

std::string properties(const FunctionReport &F) {
  return "Function properties for " + F.Name + "\n    " +
         std::to_string(F.StackBytes) + " bytes stack frame, " +
         std::to_string(F.SpillStoreBytes) + " bytes spill stores, " +
         std::to_string(F.SpillLoadBytes) + " bytes spill loads";
}

std::string resources(const FunctionReport &F) {
  std::string Text = "Used " + std::to_string(F.Registers) +
                     " registers, used " + std::to_string(F.Barriers) +
                     " barriers";
  auto Add = [&](uint64_t Bytes, StringRef What) {
    if (Bytes)
      Text += (", " + llvm::Twine(Bytes) + " bytes " + What).str();
  };
  Add(F.CumulativeStackBytes, "cumulative stack size");
  Add(F.SharedBytes, "smem");
  Add(F.ParamBytes, "cmem[0]");
  return Text;
}

/// The statistics of -v, in ptxas's wording.
void printFunction(const FunctionReport &F, StringRef Chip, Console &Out) {
  if (F.IsEntry)
    Out.info("Compiling entry function '" + F.Name + "' for '" + Chip + "'");
  Out.info(properties(F));
  if (!F.IsEntry)
    return;
  Out.info(resources(F));
  Out.info(llvm::formatv("Compile time = {0:f3} ms", F.Milliseconds).str());
}

void printStatistics(const CompileOutput &Output, Console &Out) {
  std::string Memory = std::to_string(Output.GlobalBytes) + " bytes gmem";
  if (Output.ConstantBytes)
    Memory += ", " + std::to_string(Output.ConstantBytes) + " bytes cmem[3]";
  Out.info(Memory);
  for (const FunctionReport &F : Output.Functions)
    printFunction(F, Output.Chip, Out);
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

int compile(const CompileOptions &Options, Console &Out) {
  auto Input = readInput(Options);
  if (!Input)
    return Out.fail(toString(Input.takeError()));
  if (!Options.withoutEffect().empty() &&
      !Options.flag(OptionId::DisableWarnings))
    Out.note("accepted without effect: " +
             llvm::join(Options.withoutEffect(), " "));

  Compiler TheCompiler;
  llvm::Expected<CompileOutput> Output =
      TheCompiler.compile((*Input)->getMemBufferRef(), Options,
                          [&](const Diagnostic &D) { Out.write(D); });
  if (!Output)
    return Out.fail(toString(Output.takeError()));
  if (Options.flag(OptionId::Verbose))
    printStatistics(*Output, Out);
  if (Output->CheckedOnly)
    return 0;
  if (llvm::Error E =
          writeOutput(Options.text(OptionId::Output), Output->Bytes))
    return Out.fail("output file '" +
                    StringRef(Options.text(OptionId::Output)) +
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
    return Console().fail(*Error);
  if (Args.empty()) {
    llvm::outs() << compileHelp("ptx-compile");
    return 0;
  }
  if (printInformation(Options))
    return 0;
  Console Out(
      *parseDiagnosticFormat(Options.text(OptionId::DiagnosticsFormat)));
  return compile(Options, Out);
}
