//===- ProfiledCode.cpp - What pages of profiles show of code ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several modules may have kernels of one name: the instructions of a launch
// tell which one ran. Code is disassembled when it is first asked for.
//
//===----------------------------------------------------------------------===//

#include "ProfiledCode.h"
#include "Devices/ProcessDevice.h"
#include "heddle/Debugger/Link.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Tooling/InlinedCode.h"
#include "heddle/Tooling/PTXLines.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::cuda {

ProfiledCode &ProfiledCode::get() {
  static auto *Made = new ProfiledCode; // see Process.h
  return *Made;
}

bool ProfiledCode::isWanted() {
  return isSet("HEDDLE_PROFILE") || isSet("HEDDLE_PROFILING") ||
         debug::mayBeDebugged();
}

void ProfiledCode::note(StringRef Input, StringRef Name,
                        ArrayRef<std::string> Arguments,
                        ArrayRef<uint8_t> Object) {
  std::lock_guard Lock(Mutex);
  size_t Same =
      count_if(Codes, [&](const NotedCode &C) { return C.Name == Name; });
  std::string PageName =
      Same ? (Name + " (" + Twine(Same + 1) + ")").str() : Name.str();
  Codes.push_front(
      {Input.str(), Name.str(), PageName, Arguments.vec(), Object.vec()});
}

/// Text, and not several inputs of a linker or LLVM's bitcode.
static bool isPTX(StringRef Input) {
  return !Input.empty() && !isLinkBundle(Input) && !Input.starts_with("BC") &&
         Input.contains(".version");
}

/// What cannot be had is left out: a page is no place for such errors.
static prof::CodeNotes notesOf(const NotedCode &Code, StringRef Chip) {
  prof::CodeNotes Notes;
  if (isPTX(Code.Input)) {
    Notes.PTXFile = Code.PageName;
    Notes.PTXText = Code.Input;
  }
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load();
  if (!Compiler) {
    consumeError(Compiler.takeError());
    return Notes;
  }
  if (Error E = Compiler->disassemble(Code.Object, Chip).moveInto(Notes.Text)) {
    consumeError(std::move(E));
    return Notes;
  }
  if (Error E =
          findInlinedPlaces(Code.Object, Notes.Text).moveInto(Notes.Inlined))
    consumeError(std::move(E));
  CompileOptions Settings(OptionTool::Compile);
  if (Notes.PTXText.empty() || Settings.parse(Code.Arguments))
    return Notes;
  if (Error E = findPTXLines(*Compiler, MemoryBufferRef(Code.Input, Code.Name),
                             Settings, Code.Object, Notes.Text)
                    .moveInto(Notes.PTXLines))
    consumeError(std::move(E));
  return Notes;
}

/// Whether the instructions of a launch are those of some code.
static bool hasInstructions(const prof::CodeNotes &Notes,
                            const rt::LaunchProfile &P) {
  return all_of(P.Instructions, [&](const rt::InstructionProfile &I) {
    auto It = Notes.Text.find({I.Section, I.PC});
    return It != Notes.Text.end() && StringRef(It->second).contains(I.Mnemonic);
  });
}

const NotedCode *ProfiledCode::find(StringRef Kernel,
                                    const rt::LaunchProfile &P,
                                    StringRef Chip) {
  std::lock_guard Lock(Mutex);
  for (NotedCode &Code : Codes) {
    StringRef Bytes(reinterpret_cast<const char *>(Code.Object.data()),
                    Code.Object.size());
    if (!Bytes.contains(Kernel))
      continue;
    if (!Code.Notes)
      Code.Notes = notesOf(Code, Chip);
    if (hasInstructions(*Code.Notes, P))
      return &Code;
  }
  return nullptr;
}

std::optional<debug::PTXSource> ProfiledCode::findPTX(ArrayRef<uint8_t> Object,
                                                      StringRef Chip) {
  std::lock_guard Lock(Mutex);
  auto It = find_if(Codes, [&](const NotedCode &C) {
    return ArrayRef<uint8_t>(C.Object) == Object && isPTX(C.Input);
  });
  if (It == Codes.end())
    return std::nullopt;
  // What has been noted stays as it is.
  const NotedCode *Code = &*It;
  auto FindLines = [Code, TheChip = Chip.str()]() -> Expected<PlacedLines> {
    CompileOptions Settings(OptionTool::Compile);
    if (std::optional<std::string> Wrong = Settings.parse(Code->Arguments))
      return createStringError(*Wrong);
    return findPTXLines(MemoryBufferRef(Code->Input, Code->Name), Settings,
                        Code->Object, TheChip);
  };
  return debug::PTXSource{Code->Name, [Code] { return Code->Input; },
                          std::move(FindLines)};
}

} // namespace heddle::cuda
