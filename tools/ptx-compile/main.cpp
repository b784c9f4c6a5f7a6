//===- main.cpp - ptx-compile -----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx-compile: PTX to a code object, with the command line of ptxas. The
// program is thin: what the cache has it serves without loading the compiler.
//
//===----------------------------------------------------------------------===//

#include "Files.h"
#include "heddle/Driver/CompileService.h"
#include "heddle/Options/CompileOptions.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

using namespace heddle;

namespace {

void print(FILE *Stream, std::string_view Text) {
  std::fwrite(Text.data(), 1, Text.size(), Stream);
}

/// Messages of the program itself and of the compiler, all in one format: text
/// at once, the others as one document at the end, which the compiler's library
/// writes.
class Console {
public:
  explicit Console(std::string_view Format = "text") : Format(Format) {}
  Console(const Console &) = delete;
  Console &operator=(const Console &) = delete;
  ~Console() {
    if (isText())
      return;
    std::string Error;
    const CompilerInterface *Compiler =
        loadCompiler(compilerLibraryPath(), Error);
    print(stderr,
          Compiler ? Compiler->FormatMessages(Format, "ptx-compile", Messages)
                   : "ptx-compile: error: " + Error + "\n");
  }

  bool isText() const { return Format == "text"; }
  void write(const Diagnostic &D) {
    if (isText())
      print(stderr, D.Rendered);
    else
      Messages.push_back(D);
  }
  /// Says Message as an error of the program and gives its exit status.
  int fail(const std::string &Message) {
    say(Severity::Error, Message, "ptx-compile: error: ");
    return 1;
  }
  void warn(const std::string &Message) {
    say(Severity::Warning, Message, "ptx-compile: warning: ");
  }
  void note(const std::string &Message) {
    say(Severity::Note, Message, "ptx-compile: note: ");
  }
  /// A message of ptxas's -v, which scripts parse; may have several lines.
  void info(const std::string &Message) {
    say(Severity::Info, Message, "ptxas info    : ");
  }

private:
  void say(Severity Level, const std::string &Message, const char *Prefix) {
    Diagnostic D;
    D.Level = Level;
    D.Message = Message;
    D.Rendered = Prefix + Message + "\n";
    write(D);
  }

  std::string Format;
  std::vector<Diagnostic> Messages;
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
  auto Add = [&](uint64_t Bytes, const char *What) {
    if (Bytes)
      Text += ", " + std::to_string(Bytes) + " bytes " + What;
  };
  Add(F.CumulativeStackBytes, "cumulative stack size");
  Add(F.SharedBytes, "smem");
  Add(F.ParamBytes, "cmem[0]");
  return Text;
}

/// The statistics of -v, in ptxas's wording.
void printFunction(const FunctionReport &F, const std::string &Chip,
                   Console &Out) {
  if (F.IsEntry)
    Out.info("Compiling entry function '" + F.Name + "' for '" + Chip + "'");
  Out.info(properties(F));
  if (!F.IsEntry)
    return;
  Out.info(resources(F));
  char Time[64];
  std::snprintf(Time, sizeof(Time), "Compile time = %.3f ms", F.Milliseconds);
  Out.info(Time);
}

void printStatistics(const CompileResult &Result, Console &Out) {
  std::string Memory = std::to_string(Result.GlobalBytes) + " bytes gmem";
  if (Result.ConstantBytes)
    Memory += ", " + std::to_string(Result.ConstantBytes) + " bytes cmem[3]";
  Out.info(Memory);
  for (const FunctionReport &F : Result.Functions)
    printFunction(F, Result.Chip, Out);
}

/// The input: the file named, standard input for "-", or the text of -ias.
std::optional<std::string> readInput(const CompileOptions &Options,
                                     std::string &Name, std::string &Text) {
  const std::vector<std::string> &Texts = Options.list(OptionId::InputAsString);
  if (Options.inputs().size() + Texts.size() != 1)
    return Options.inputs().empty() && Texts.empty()
               ? "no input file; see --help"
               : "one input at a time; ptx-link puts several together";
  if (!Texts.empty()) {
    Name = "<string>";
    Text = Texts.front();
    return std::nullopt;
  }
  Name = Options.inputs().front() == "-" ? "<stdin>" : Options.inputs().front();
  return readInputFile(Options.inputs().front(), Text);
}

/// --help and its kin; an exit status if there was something to say.
std::optional<int> printInformation(const CompileOptions &Options) {
  if (Options.flag(OptionId::Help)) {
    print(stdout, compileHelp("ptx-compile"));
    return 0;
  }
  if (!Options.flag(OptionId::Version) && !Options.flag(OptionId::ListVersion))
    return std::nullopt;
  std::string Error;
  const CompilerInterface *Compiler =
      loadCompiler(compilerLibraryPath(), Error);
  if (!Compiler)
    return Console().fail(Error);
  print(stdout, Options.flag(OptionId::Version)
                    ? Compiler->Version()
                    : Compiler->SupportedPTXVersions());
  return 0;
}

bool usesColor(const CompileOptions &Options) {
  std::string_view Mode = Options.text(OptionId::Color);
  const char *Terminal = std::getenv("TERM");
  return Mode == "always" || (Mode == "auto" && ::isatty(STDERR_FILENO) &&
                              Terminal && std::string_view(Terminal) != "dumb");
}

void noteIneffective(const CompileOptions &Options, Console &Out) {
  if (Options.withoutEffect().empty())
    return;
  std::string Text = "accepted without effect:";
  for (const std::string &Option : Options.withoutEffect())
    Text += " " + Option;
  Out.note(Text);
}

void warnOfSettings(const std::vector<std::string> &Complaints,
                    const CompileOptions &Options, Console &Out) {
  if (!Options.flag(OptionId::DisableWarnings))
    for (const std::string &Complaint : Complaints)
      Out.warn(Complaint);
}

/// --cache-report.
void reportOrigin(const ServedResult &Served, Console &Out) {
  std::string Text = "cache: " + std::string(cache::originName(Served.From));
  if (!Served.Key.empty())
    Text += ", key " + Served.Key;
  if (Served.From == cache::Origin::Made)
    Text += ", parts found " + std::to_string(Served.Result.PartsFound) +
            ", made " + std::to_string(Served.Result.PartsMade);
  Out.note(Text);
}

int compile(const CompileOptions &Options, Console &Out) {
  CompileService::Setup Setup;
  std::vector<std::string> Complaints;
  if (auto Fault = loadCacheSettings(Options, Setup.Settings, Complaints))
    return Out.fail(Fault->Text);
  std::string Text;
  CompileRequest Request;
  if (auto Error = readInput(Options, Request.Name, Text))
    return Out.fail(*Error);
  if (!Options.flag(OptionId::DisableWarnings))
    noteIneffective(Options, Out);
  warnOfSettings(Complaints, Options, Out);

  Request.Input = Text;
  Request.Color = Out.isText() && usesColor(Options);
  Request.Structured = !Out.isText();
  CompileService Service(std::move(Setup));
  ServedResult Served = Service.compile(Request, Options);
  warnOfSettings(Service.complaints(), Options, Out);
  for (const Diagnostic &D : Served.Result.Messages)
    Out.write(D);
  if (!Served.Result.Succeeded)
    return Out.fail(Served.Result.Failure);
  if (Options.flag(OptionId::CacheReport))
    reportOrigin(Served, Out);
  if (Options.flag(OptionId::Verbose))
    printStatistics(Served.Result, Out);
  if (Served.Result.CheckedOnly)
    return 0;
  std::string Output(Options.text(OptionId::Output));
  if (auto Error = writeOutputFile(Output, Served.Result.Bytes))
    return Out.fail(*Error);
  return 0;
}

} // namespace

int main(int Argc, char **Argv) {
  std::vector<std::string> Args(Argv + 1, Argv + Argc);
  CompileOptions Options;
  if (auto Error = Options.parse(Args))
    return Console().fail(*Error);
  if (Args.empty()) {
    print(stdout, compileHelp("ptx-compile"));
    return 0;
  }
  if (auto Status = printInformation(Options))
    return *Status;
  Console Out(Options.text(OptionId::DiagnosticsFormat));
  return compile(Options, Out);
}
