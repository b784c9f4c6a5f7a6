//===- ptx-debug.cpp - Debugs kernels ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The debugger's command line; lib/Debugger has the commands.
//
//===----------------------------------------------------------------------===//

#include "DapServer.h"
#include "ManifestProgram.h"
#include "Options.h"
#include "ProgramRelay.h"
#include "ScriptConsole.h"
#include "heddle/Tooling/LoadedCompiler.h"
#include "heddle/Tooling/TestMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/StringSaver.h"

using namespace heddle;
using namespace llvm;

/// The compiler's library has the disassembler.
static Expected<debug::Disassembly> disassemble(ArrayRef<uint8_t> Object,
                                                StringRef Chip) {
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load();
  if (!Compiler)
    return Compiler.takeError();
  return Compiler->disassemble(Object, Chip);
}

/// Where sources are that stand beside what is debugged.
static std::string folderOf(const debug::Options &O) {
  StringRef Path = !O.Core.empty()     ? O.Core
                   : O.Program.empty() ? StringRef()
                                       : O.Program.front();
  StringRef Folder = sys::path::parent_path(Path);
  return Folder.empty() ? "." : Folder.str();
}

/// \p O may change until the program runs.
static Expected<bool> runSession(debug::Options &O, debug::Console &Console) {
  debug::SessionOptions Settings;
  debug::MadeCode Made;
  Settings.Tools.Disassemble = disassemble;
  Settings.Tools.FindPTX = [&Made](ArrayRef<uint8_t> Object, StringRef Chip) {
    return Made.findPTX(Object, Chip);
  };
  Settings.SourceFolders = O.SourceFolders;
  Settings.SourceFolders.push_back(folderOf(O));
  std::weak_ptr<debug::Session> Running;
  Settings.Run = [&]() -> Error {
    if (!O.Core.empty())
      return createStringError("a core file does not run");
    if (O.Attach)
      return debug::attachProgram(O.Attach, *Running.lock(), Console);
    if (O.Program.empty())
      return createStringError("there is no program; see attach");
    return O.isManifest() ? debug::runManifest(O, Running.lock(), Console, Made)
                          : debug::runProgram(O, *Running.lock(), Console);
  };
  Settings.Attach = [&](int Process) -> Error {
    if (!O.Core.empty())
      return createStringError("a core file is open");
    O.Attach = Process;
    return Error::success();
  };
  Settings.SetArguments = [&](StringRef Text) -> Error {
    if (O.isManifest() || O.Program.empty())
      return createStringError("only a program takes arguments");
    BumpPtrAllocator Allocator;
    StringSaver Saver(Allocator);
    SmallVector<const char *> Words;
    cl::TokenizeGNUCommandLine(Text, Saver, Words);
    O.Program.resize(1);
    O.Program.insert(O.Program.end(), Words.begin(), Words.end());
    return Error::success();
  };
  std::shared_ptr<debug::Session> Session =
      debug::Session::create(Console, std::move(Settings));
  Running = Session;
  if (!O.Core.empty())
    if (Error E = Session->openCore(O.Core))
      return std::move(E);
  Session->loop();
  debug::waitForLeft();
  return true;
}

static Expected<bool> run(const debug::Options &Given) {
  debug::Options O = Given;
  if (O.Dap) {
    debug::DapServer Server(O);
    return runSession(O, Server);
  }
  debug::ScriptConsole Console(O.Commands, O.Batch);
  return runSession(O, Console);
}

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  return testMain<debug::Options>(
      "ptx-debug",
      debug::parseOptions(ArrayRef<const char *>(Argv + 1, Argc - 1)),
      debug::printHelp, run);
}
