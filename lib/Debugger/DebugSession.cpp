//===- DebugSession.cpp - A session of the debugger -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands are read where there is nothing to run, and while a grid is at rest:
// then within the call in which the emulator hands the grid over.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "CoreFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::debug {

Console::~Console() = default;

DebugSession::DebugSession(Console &C, SessionOptions Options)
    : C(C), Options(std::move(Options)), Sources(this->Options.SourceFolders) {
  Types.setSource([this](StringRef Name) { return sourceType(Name); });
}
DebugSession::~DebugSession() = default;

std::shared_ptr<Session> Session::create(Console &C, SessionOptions Options) {
  return std::make_shared<DebugSession>(C, std::move(Options));
}

std::pair<StringRef, StringRef> splitWord(StringRef Text) {
  Text = Text.trim();
  size_t End = Text.find_first_of(" \t");
  if (End == StringRef::npos)
    return {Text, StringRef()};
  return {Text.take_front(End), Text.drop_front(End).ltrim()};
}

std::string dimText(const rt::Dim3 &D) {
  return "(" + std::to_string(D.X) + "," + std::to_string(D.Y) + "," +
         std::to_string(D.Z) + ")";
}

//===----------------------------------------------------------------------===//
// Commands
//===----------------------------------------------------------------------===//

namespace {

struct CommandRow {
  StringLiteral Name, Least;
  DebugSession::Handler Function;
  StringLiteral Help;
};
constexpr CommandRow Rows[] = {
#define HEDDLE_COMMAND(Name, Least, Function, Help)                            \
  {Name, Least, &DebugSession::Function, Help},
#define HEDDLE_ALIAS(Name, Of)
#include "Commands.def"
};

struct AliasRow {
  StringLiteral Name, Of;
};
constexpr AliasRow Aliases[] = {
#define HEDDLE_COMMAND(Name, Least, Function, Help)
#define HEDDLE_ALIAS(Name, Of) {Name, Of},
#include "Commands.def"
};

/// The command that a word means; null if there is none.
const CommandRow *findCommand(StringRef Word) {
  for (const AliasRow &A : Aliases)
    if (A.Name == Word)
      Word = A.Of;
  for (const CommandRow &R : Rows)
    if (R.Name == Word)
      return &R;
  for (const CommandRow &R : Rows)
    if (R.Name.starts_with(Word) && Word.starts_with(R.Least))
      return &R;
  return nullptr;
}

} // namespace

Error DebugSession::dispatch(StringRef Command) {
  Command = Command.trim();
  if (Command.empty() || Command.starts_with("#"))
    return Error::success();
  size_t End = 0;
  while (End < Command.size() &&
         (isAlnum(Command[End]) || Command[End] == '-' || Command[End] == '_'))
    ++End;
  auto User = UserCommands.find(Command.take_front(End).str());
  if (User != UserCommands.end())
    return callUser(User->second, Command.drop_front(End).trim());
  const CommandRow *Row = findCommand(Command.take_front(End));
  if (!Row || End == 0)
    return createStringError("undefined command: \"" +
                             Command.take_front(std::max<size_t>(End, 1)) +
                             "\"; see help");
  return (this->*Row->Function)(Command.drop_front(End).ltrim(" \t"));
}

void DebugSession::execute(StringRef Command) {
  if (Error E = dispatch(Command))
    print(toString(std::move(E)) + "\n");
}

Error DebugSession::needGrid() const {
  if (!Grid || IsOver)
    return createStringError("no kernel is being run");
  return Error::success();
}

Error DebugSession::needRunning() const {
  if (Error E = needGrid())
    return E;
  if (!Grid->canRun())
    return createStringError("a core file does not run");
  if (Grid->fault())
    return createStringError("after a fault nothing runs on");
  return Error::success();
}

bool DebugSession::readCommand(std::string &Line, StringRef Prompt) {
  return takePending(Line) || C.read(Line, Prompt);
}

/// Without further commands a program that runs is ended.
void DebugSession::endOfCommands() {
  Quitting = Killing = true;
  if (Grid)
    Grid->cancel();
  IsOver = true;
}

void DebugSession::loop() {
  std::string Line;
  while (!Quitting && readCommand(Line, "(ptx-debug) "))
    execute(Line);
  Quitting = true;
}

void DebugSession::loopInGrid() {
  std::string Line;
  while (!IsOver && !Quitting) {
    if (!readCommand(Line, "(ptx-debug) "))
      return endOfCommands();
    // As in gdb, an empty line is the last command once more.
    if (!StringRef(Line).trim().empty())
      LastCommand = Line;
    execute(Line);
  }
}

Error DebugSession::commandHelp(StringRef Arguments) {
  if (!Arguments.empty()) {
    const CommandRow *Row = findCommand(Arguments);
    if (!Row)
      return createStringError("undefined command: \"" + Arguments + "\"");
    print(Row->Help + "\n");
    return Error::success();
  }
  for (const CommandRow &R : Rows)
    print(R.Help + "\n");
  return Error::success();
}

Error DebugSession::commandQuit(StringRef) {
  endOfCommands();
  C.end(/*Quits=*/true);
  return Error::success();
}

Error DebugSession::commandKill(StringRef) {
  if (!IsRunning && !Grid)
    return createStringError("the program is not being run");
  Killing = true;
  if (Grid)
    Grid->cancel();
  IsOver = true;
  C.end(/*Quits=*/false);
  return Error::success();
}

Error DebugSession::commandDetach(StringRef) {
  if (!IsRunning && !Grid)
    return createStringError("the program is not being run");
  Left = true;
  IsOver = true;
  C.leave();
  return Error::success();
}

Error DebugSession::commandAttach(StringRef Arguments) {
  int Process = 0;
  if (Arguments.getAsInteger(10, Process) || Process <= 0)
    return createStringError("attach takes the number of a process that waits; "
                             "see ptx-env --debug-wait");
  if (!Options.Attach || IsRunning || Grid)
    return createStringError("a program is being run; kill or detach ends "
                             "that");
  if (Error E = Options.Attach(Process))
    return E;
  print("Process " + Twine(Process) + " is chosen; `run` lets it go on.\n");
  return Error::success();
}

Error DebugSession::commandStart(StringRef Arguments) {
  Breakpoint B;
  B.Number = ++LastBreakpoint;
  B.Kind = Breakpoint::Launch;
  B.Temporary = true;
  Breakpoints.push_back(std::move(B));
  return commandRun(Arguments);
}

Error DebugSession::commandRun(StringRef Arguments) {
  if (!Options.Run)
    return createStringError("the program is being run");
  if (IsRunning)
    return createStringError("the program is being run; kill ends it");
  if (!Arguments.empty())
    if (Error E = setProgramArguments(Arguments))
      return E;
  IsRunning = true;
  Killing = false;
  Left = false;
  Error E = Options.Run();
  IsRunning = false;
  if (Killing) {
    consumeError(std::move(E));
    if (!Quitting)
      print("[The program was killed]\n");
    return Error::success();
  }
  return E;
}

Error DebugSession::openCore(StringRef Path) {
  if (Error E = CoreGrid::read(Path).moveInto(Core))
    return E;
  load(Core->sharedCode());
  Grid = Core.get();
  Code = Modules.back().get();
  Kernels = Core->kernelNumber();
  print("Core of kernel " + Twine(Kernels) + ", " +
        Code->functionOf(Grid->entry()) + launchText() + "\n");
  std::vector<emu::CTAView> CTAs = Grid->ctas();
  emu::GridEvent E;
  E.At = {CTAs.front().Number, 0};
  if (const auto &F = Grid->fault()) {
    for (const emu::CTAView &V : CTAs)
      if (F->Block && V.Coordinates == *F->Block)
        E.At = {V.Number, F->Warp.value_or(0)};
    reportFault(E);
    return Error::success();
  }
  if (!Grid->has(E.At))
    return createStringError("the core file has no warps");
  for (unsigned L = 0; L < 32; ++L)
    if (Grid->lane(E.At, L).State > emu::LaneState::Exited || L == 31) {
      setFocus(E.At, L);
      break;
    }
  sayFocus();
  showStop(/*WithFrame=*/true);
  return Error::success();
}

Error DebugSession::commandGenerateCoreFile(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  std::string Path =
      Arguments.empty() ? "core." + std::to_string(Kernels) : Arguments.str();
  if (Error E = writeCore(*Grid, Kernels, Path))
    return E;
  print("Saved corefile " + Path + "\n");
  return Error::success();
}

Error DebugSession::commandRecord(StringRef Arguments) {
  Records = Arguments != "stop";
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

/// The commands that make a breakpoint anew, of the same number.
static void addDefinition(const Breakpoint &B, std::vector<std::string> &To) {
  // Where watched bytes are, is another place in another process.
  if (B.Kind == Breakpoint::Watch)
    return;
  std::string Number = std::to_string(B.Number);
  To.push_back("set breakpoint-number " + Number);
  if (B.Kind == Breakpoint::Launch)
    To.push_back((B.Temporary ? "tcatch launch " : "catch launch ") + B.Spec);
  else
    To.push_back((B.Temporary ? "tbreak " : "break ") + B.Spec);
  if (B.Condition)
    To.push_back("condition " + Number + " " + B.Condition->text().str());
  if (B.Ignore)
    To.push_back("ignore " + Number + " " + std::to_string(B.Ignore));
  if (!B.Enabled)
    To.push_back("disable " + Number);
  if (B.Commands.empty())
    return;
  To.push_back("commands " + Number);
  To.insert(To.end(), B.Commands.begin(), B.Commands.end());
  To.push_back("end");
}

/// A scalar as an expression without variables.
static std::string literalText(const Value &V) {
  if (V.Of->Kind == Type::Float)
    return V.Of->Size == 8 ? formatFloat(V.number(), 8)
                           : "(float)" + formatFloat(V.number(), 4);
  Format Hex;
  Hex.Letter = 'x';
  std::string Bits = formatValue(V, Hex);
  if (V.Of->Kind == Type::Pointer)
    return "(unsigned long)" + Bits;
  bool IsBuiltin = V.Of->Enumerators.empty() && !V.Of->IsChar;
  return IsBuiltin ? "(" + V.Of->Name + ")" + Bits
                   : std::to_string(int64_t(V.integer()));
}

std::vector<std::string> DebugSession::definitions() const {
  std::vector<std::string> Result;
  for (const Breakpoint &B : Breakpoints)
    addDefinition(B, Result);
  Result.push_back("set breakpoint-number " +
                   std::to_string(LastBreakpoint + 1));
  for (const std::string &Folder : Sources.folders())
    Result.push_back("directory " + Folder);
  if (BreakOnLaunch)
    Result.push_back("set cuda break_on_launch all");
  if (!FreezesOthers)
    Result.push_back("set scheduler-locking off");
  if (ShowsPTX)
    Result.push_back("set lines ptx");
  Result.push_back("set listsize " + std::to_string(ListSize));
  if (PrintsPretty)
    Result.push_back("set print pretty on");
  Result.push_back("set print elements " +
                   (MostElements == UINT64_MAX ? std::string("unlimited")
                                               : std::to_string(MostElements)));
  for (const auto &[Name, V] : Convenience)
    if (V.Of->isScalar() && V.isComplete())
      Result.push_back("set var $" + Name + " = " + literalText(V));
  for (const auto &[Name, Lines] : UserCommands) {
    Result.push_back("define " + Name);
    Result.insert(Result.end(), Lines.begin(), Lines.end());
    Result.push_back("end");
  }
  if (Records)
    Result.push_back(*Records ? "record" : "record stop");
  for (const Display &D : Displays)
    Result.push_back(D.Command);
  return Result;
}

void DebugSession::define(ArrayRef<std::string> Definitions) {
  Breakpoints.clear();
  Displays.clear();
  LastDisplay = 0;
  Silent = true;
  std::vector<std::string> Others = std::move(Pending);
  Pending.assign(Definitions.rbegin(), Definitions.rend());
  for (std::string Command; takePending(Command);)
    execute(Command);
  Pending = std::move(Others);
  Silent = false;
}

void DebugSession::begin() {
  std::vector<std::string> Definitions;
  std::string Line;
  while (C.read(Line, "") && Line != "run")
    Definitions.push_back(Line);
  define(Definitions);
}

//===----------------------------------------------------------------------===//
// What the emulator calls
//===----------------------------------------------------------------------===//

void DebugSession::load(std::shared_ptr<const emu::CodeDescription> Loaded) {
  std::lock_guard Lock(StateMutex);
  Modules.push_back(std::make_unique<Module>(std::move(Loaded), Options.Tools));
  Modules.back()->showPTX(ShowsPTX);
  for (Breakpoint &B : Breakpoints) {
    resolve(B);
    StringRef File = StringRef(B.Spec).rsplit(':').first;
    if (B.Kind == Breakpoint::Location && B.Places.empty() &&
        Modules.back()->isPTX(File))
      print("Breakpoint " + Twine(B.Number) + " (" + B.Spec +
            ") stays pending." + whyNoPTXLines(File) + "\n");
  }
}

void DebugSession::unload(const emu::CodeDescription &Gone) {
  std::lock_guard Lock(StateMutex);
  llvm::erase_if(Modules, [&](const auto &M) { return &M->code() == &Gone; });
  for (Breakpoint &B : Breakpoints)
    resolve(B);
}

bool DebugSession::wantsRewind(uint64_t Bytes) {
  constexpr uint64_t Small = 64 << 20;
  return Records.value_or(Bytes <= Small);
}

void DebugSession::run(emu::DebuggedGrid &TheGrid) {
  std::lock_guard GridLock(GridMutex);
  if (Killing)
    return TheGrid.cancel();
  if (Left)
    return;
  std::lock_guard StateLock(StateMutex);
  Grid = &TheGrid;
  Code = nullptr;
  for (const auto &M : Modules)
    if (&M->code() == &TheGrid.code())
      Code = M.get();
  IsOver = false;
  StopsChanged = true;
  At.reset();
  SelectedFrame = 0;
  Breakpoint *Stopped = nullptr;
  for (Breakpoint &B : Breakpoints)
    if (B.Kind == Breakpoint::Launch && B.Enabled &&
        (B.Spec.empty() || B.Spec == Code->functionOf(TheGrid.entry()) ||
         B.Spec == TheGrid.kernel().Name)) {
      ++B.Hits;
      if (B.Ignore)
        --B.Ignore;
      else
        Stopped = &B;
    }
  std::vector<emu::CTAView> First = TheGrid.ctas();
  if ((Stopped || BreakOnLaunch) && !First.empty()) {
    setFocus({First.front().Number, 0}, 0);
    sayFocus();
    if (Stopped)
      print((Stopped->Temporary ? "\nTemporary catchpoint " : "\nCatchpoint ") +
            Twine(Stopped->Number) + " (launch of kernel " + Twine(Kernels) +
            "), ");
    showStop(/*WithFrame=*/true);
    if (Stopped)
      runBreakpointCommands(*Stopped);
    if (Stopped && Stopped->Temporary)
      erase(Stopped->Number);
  } else {
    go();
  }
  loopInGrid();
  Grid = nullptr;
  Code = nullptr;
  At.reset();
  ++Kernels;
}

} // namespace heddle::debug
