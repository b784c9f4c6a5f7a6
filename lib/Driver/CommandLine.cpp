//===- CommandLine.cpp - What our compiling programs share ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The programs are thin: what the cache has they serve without loading the
// compiler.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CommandLine.h"

#include "heddle/Driver/CompilerLoader.h"
#include "heddle/Driver/Files.h"
#include "heddle/Driver/ProcessHeap.h"

#include <cstdio>
#include <cstdlib>
#include <set>
#include <unistd.h>

namespace heddle {

namespace {

void print(FILE *Stream, std::string_view Text) {
  std::fwrite(Text.data(), 1, Text.size(), Stream);
}

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
  if (unsigned All = Result.InOnePass + Result.NotInOnePass)
    Out.info("Generated in one pass: " + std::to_string(Result.InOnePass) +
             " of " + std::to_string(All) + " functions");
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
    Text += ", partitions found " +
            std::to_string(Served.Result.PartitionsFound) + ", made " +
            std::to_string(Served.Result.PartitionsMade);
  Out.note(Text);
}

} // namespace

Console::~Console() {
  if (isText())
    return;
  std::string Error;
  const CompilerInterface *Compiler =
      loadCompiler(compilerLibraryPath(), Error);
  print(stderr, Compiler ? Compiler->FormatMessages(Format, Tool, Messages)
                         : Tool + ": error: " + Error + "\n");
}

void Console::write(const Diagnostic &D) {
  if (isText())
    print(stderr, D.Rendered);
  else
    Messages.push_back(D);
}

void Console::say(Severity Level, const std::string &Message,
                  const std::string &Prefix) {
  Diagnostic D;
  D.Level = Level;
  D.Message = Message;
  D.Rendered = Prefix + Message + "\n";
  write(D);
}

static int printPipelines(const CompilerInterface &Compiler,
                          const CompileOptions &Options,
                          const std::string &Name) {
  std::string Text;
  if (!Compiler.Pipelines(Options, Text))
    return Console(Name).fail(Text);
  print(stdout, Text);
  return 0;
}

/// The numbers of the GPUs, as ptxas prints them, one on a line.
static std::string listArchitectures(const CompilerInterface &Compiler) {
  std::set<unsigned long> Numbers;
  for (const SupportedTarget &T : Compiler.SupportedTargets())
    Numbers.insert(std::stoul(T.Name.substr(T.Name.find('_') + 1)));
  std::string Text;
  for (unsigned long Number : Numbers)
    Text += std::to_string(Number) + "\n";
  return Text;
}

/// Whoever keeps code, as Triton does, knows its compiler by this text: that of
/// another build, or for another chip, is another one.
static std::string versionOf(const CompilerInterface &Compiler,
                             const CompileOptions &Options) {
  std::string Build = readCompilerIdentity(compilerLibraryPath()).Build;
  return Compiler.Version() + "Build " + (Build.empty() ? "unknown" : Build) +
         " for " + std::string(chipOf(Options)) + "\n";
}

std::optional<int> printInformation(const CompileOptions &Options,
                                    OptionTool Tool, const std::string &Name) {
  if (Options.flag(OptionId::Help)) {
    print(stdout, compileHelp(Tool));
    return 0;
  }
  bool Passes = Options.flag(OptionId::PrintPipeline);
  if (!Options.flag(OptionId::Version) &&
      !Options.flag(OptionId::ListVersion) &&
      !Options.flag(OptionId::ListArch) && !Passes)
    return std::nullopt;
  std::string Error;
  const CompilerInterface *Compiler =
      loadCompiler(compilerLibraryPath(), Error);
  if (!Compiler)
    return Console(Name).fail(Error);
  if (Passes)
    return printPipelines(*Compiler, Options, Name);
  if (Options.flag(OptionId::Version))
    print(stdout, Name + ": " + versionOf(*Compiler, Options));
  else if (Options.flag(OptionId::ListVersion))
    print(stdout, Compiler->SupportedPTXVersions());
  else
    print(stdout, listArchitectures(*Compiler));
  return 0;
}

int compileToFile(std::string_view Input, const std::string &Name,
                  const CompileOptions &Options, Console &Out) {
  CompileService::Setup Setup;
  std::vector<std::string> Complaints;
  if (auto Fault = loadCacheSettings(Options, Setup.Settings, Complaints))
    return Out.fail(Fault->Text);
  // A process that compiles once finds nothing in its memory.
  (void)Setup.Settings.set(cache::SettingId::MemorySize, "0",
                           "one compilation");
  if (!Options.flag(OptionId::DisableWarnings))
    noteIneffective(Options, Out);
  warnOfSettings(Complaints, Options, Out);

  CompileRequest Request{Input, Name};
  Request.Color = Out.isText() && usesColor(Options);
  Request.Structured = !Out.isText();
  // Several threads would wait for each other at one heap.
  if (Options.number(OptionId::SplitCompile) == 1)
    Setup.BeforeLoading = prepareProcessHeap;
  CompileService Service(std::move(Setup));
  ServedResult Served = Service.compile(Request, Options);
  warnOfSettings(Service.complaints(), Options, Out);
  for (const Diagnostic &D : Served.Result.Messages)
    Out.write(D);
  if (!Served.Result.Succeeded)
    return Out.fail(Served.Result.Failure);
  if (Options.flag(OptionId::CacheReport))
    reportOrigin(Served, Out);
  if (Options.flag(OptionId::Verbose2))
    Out.info("Processing " + Name);
  if (Options.flag(OptionId::Verbose) || Options.flag(OptionId::Verbose2))
    printStatistics(Served.Result, Out);
  if (Served.Result.CheckedOnly)
    return 0;
  std::string Output(Options.text(OptionId::Output));
  if (auto Error = writeOutputFile(Output, Served.Result.Bytes))
    return Out.fail(*Error);
  return 0;
}

} // namespace heddle
