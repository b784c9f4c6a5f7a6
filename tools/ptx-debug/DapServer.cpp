//===- DapServer.cpp - The debugger behind an editor ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages have a header with their length. Requests are answered in their
// order; those that come while a kernel runs wait until it stops, but `pause`.
//
//===----------------------------------------------------------------------===//

#include "DapServer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::debug {

DapServer::DapServer(Options &O) : O(O), Out(::dup(STDOUT_FILENO)) {
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

/// Reads more; false at the end.
bool DapServer::fill() {
  char Bytes[4096];
  ssize_t N;
  do
    N = ::read(STDIN_FILENO, Bytes, sizeof(Bytes));
  while (N < 0 && errno == EINTR);
  if (N <= 0) {
    AtEnd = true;
    return false;
  }
  Buffer.append(Bytes, N);
  return true;
}

std::optional<json::Object> DapServer::readMessage() {
  size_t HeadEnd;
  while ((HeadEnd = Buffer.find("\r\n\r\n")) == std::string::npos)
    if (!fill())
      return std::nullopt;
  size_t Size = 0;
  SmallVector<StringRef> Fields;
  StringRef(Buffer).take_front(HeadEnd).split(Fields, "\r\n");
  for (StringRef Field : Fields)
    if (Field.consume_front_insensitive("content-length:") &&
        Field.trim().getAsInteger(10, Size))
      return std::nullopt;
  size_t Begin = HeadEnd + 4;
  while (Buffer.size() < Begin + Size)
    if (!fill())
      return std::nullopt;
  std::string Text = Buffer.substr(Begin, Size);
  Buffer.erase(0, Begin + Size);
  Expected<json::Value> V = json::parse(Text);
  if (!V) {
    consumeError(V.takeError());
    return std::nullopt;
  }
  json::Object *Message = V->getAsObject();
  return Message ? std::optional(std::move(*Message)) : std::nullopt;
}

void DapServer::send(json::Object Message) {
  Message["seq"] = ++Sequence;
  std::string Text = formatv("{0}", json::Value(std::move(Message))).str();
  Text = "Content-Length: " + std::to_string(Text.size()) + "\r\n\r\n" + Text;
  for (size_t Done = 0; Done < Text.size();) {
    ssize_t N = ::write(Out, Text.data() + Done, Text.size() - Done);
    if (N < 0 && errno != EINTR)
      return;
    Done += std::max<ssize_t>(N, 0);
  }
}

void DapServer::respond(json::Value Body) {
  json::Object Message{{"type", "response"},
                       {"request_seq", Request.getInteger("seq").value_or(0)},
                       {"success", true},
                       {"command", Request.getString("command").value_or("")}};
  if (Body.getAsObject())
    Message["body"] = std::move(Body);
  send(std::move(Message));
}

void DapServer::refuse(StringRef Why) {
  send(json::Object{{"type", "response"},
                    {"request_seq", Request.getInteger("seq").value_or(0)},
                    {"success", false},
                    {"command", Request.getString("command").value_or("")},
                    {"message", Why.trim()}});
}

void DapServer::event(StringRef Name, json::Value Body) {
  json::Object Message{{"type", "event"}, {"event", Name}};
  if (Body.getAsObject())
    Message["body"] = std::move(Body);
  send(std::move(Message));
}

void DapServer::output(StringRef Text) {
  if (!Text.empty())
    event("output", json::Object{{"category", "console"}, {"output", Text}});
}

//===----------------------------------------------------------------------===//
// The console
//===----------------------------------------------------------------------===//

int DapServer::interruptDescriptor() const { return AtEnd ? -1 : STDIN_FILENO; }

/// Whether `pause` has come; the end of the stream is one, too.
bool DapServer::wantsInterrupt() {
  pollfd P{STDIN_FILENO, POLLIN, 0};
  while (!AtEnd && (!Buffer.empty() || ::poll(&P, 1, 0) > 0)) {
    std::optional<json::Object> Message = readMessage();
    if (!Message)
      return AtEnd;
    if (Message->getString("command") != "pause") {
      Waiting.push_back(std::move(*Message));
      continue;
    }
    std::swap(Request, *Message);
    respond();
    std::swap(Request, *Message);
    return true;
  }
  return false;
}

bool DapServer::read(std::string &Line, StringRef) {
  while (true) {
    if (Current) {
      // What was printed belongs to the command before.
      Current->Outputs.push_back(std::exchange(Captured, ""));
      if (!Current->Commands.empty()) {
        Line = std::move(Current->Commands.front());
        Current->Commands.pop_front();
        return true;
      }
      Job Finished = std::move(*Current);
      Current.reset();
      // In front of the first command nothing was printed.
      Finished.Done(*this, ArrayRef(Finished.Outputs).drop_front());
      continue;
    }
    output(std::exchange(Captured, ""));
    if (Waiting.empty()) {
      std::optional<json::Object> Message = readMessage();
      if (!Message && AtEnd)
        return false;
      if (!Message)
        continue;
      Waiting.push_back(std::move(*Message));
    }
    Request = std::move(Waiting.front());
    Waiting.pop_front();
    handle();
  }
}

void DapServer::start(std::vector<std::string> Commands, Finish Done) {
  Current.emplace();
  Current->Commands.assign(Commands.begin(), Commands.end());
  Current->Done = std::move(Done);
}

const json::Object &DapServer::arguments() const {
  static const json::Object None;
  const json::Object *Arguments = Request.getObject("arguments");
  return Arguments ? *Arguments : None;
}

//===----------------------------------------------------------------------===//
// Requests
//===----------------------------------------------------------------------===//

void DapServer::handle() {
  StringRef Command = Request.getString("command").value_or("");
  if (Command == "initialize")
    return initialize();
  if (Command == "launch" || Command == "attach")
    return launch();
  if (Command == "setBreakpoints")
    return setBreakpoints();
  if (Command == "setFunctionBreakpoints")
    return setFunctionBreakpoints();
  if (Command == "setDataBreakpoints")
    return setDataBreakpoints();
  if (Command == "setInstructionBreakpoints")
    return setInstructionBreakpoints();
  if (Command == "dataBreakpointInfo") {
    StringRef Name = arguments().getString("name").value_or("");
    return respond(json::Object{
        {"dataId", Name},
        {"description", Name},
        {"accessTypes", json::Array{"read", "write", "readWrite"}}});
  }
  if (Command == "setExceptionBreakpoints") // Faults stop always.
    return respond(json::Object{{"breakpoints", json::Array()}});
  if (Command == "configurationDone")
    return resume("run");
  if (Command == "continue")
    return resume("continue");
  if (Command == "next")
    return step("next", "nexti");
  if (Command == "stepIn")
    return step("step", "stepi");
  if (Command == "stepOut")
    return step("finish", "finish");
  if (Command == "stepBack")
    return step("reverse-next", "reverse-stepi");
  if (Command == "reverseContinue")
    return resume("reverse-continue");
  if (Command == "pause")
    return refuse("nothing runs");
  if (Command == "threads")
    return threads();
  if (Command == "stackTrace")
    return stackTrace();
  if (Command == "scopes")
    return scopes();
  if (Command == "variables")
    return variables();
  if (Command == "evaluate")
    return evaluate();
  if (Command == "disassemble")
    return disassemble();
  if (Command == "disconnect" || Command == "terminate")
    return disconnect();
  refuse("'" + Command.str() + "' is not supported yet");
}

/// A program that was there before goes on, unless the editor says otherwise.
void DapServer::disconnect() {
  bool Kills = Request.getString("command") == "terminate" ||
               arguments().getBoolean("terminateDebuggee").value_or(!O.Attach);
  respond();
  std::vector<std::string> Commands = {"quit"};
  if (!Kills)
    Commands.insert(Commands.begin(), "detach");
  start(std::move(Commands), [](DapServer &, ArrayRef<std::string>) {});
}

void DapServer::initialize() {
  json::Object Capabilities;
  for (StringRef Name :
       {"supportsConfigurationDoneRequest", "supportsFunctionBreakpoints",
        "supportsConditionalBreakpoints", "supportsHitConditionalBreakpoints",
        "supportsEvaluateForHovers", "supportsStepBack",
        "supportsDataBreakpoints", "supportsDisassembleRequest",
        "supportsInstructionBreakpoints", "supportsSteppingGranularity",
        "supportsTerminateRequest", "supportTerminateDebuggee"})
    Capabilities[Name] = true;
  respond(std::move(Capabilities));
  event("initialized");
}

void DapServer::launch() {
  const json::Object &A = arguments();
  std::optional<StringRef> Program = A.getString("program");
  if (Request.getString("command") == "attach") {
    O.Attach = int(A.getInteger("processId").value_or(0));
    Program = "";
    if (O.Attach <= 0)
      return refuse("attach needs a \"processId\"");
  } else if (Program) {
    O.Program = {Program->str()};
  } else {
    return refuse("launch needs a \"program\": a manifest or a program");
  }
  auto Add = [&](StringRef Name, std::vector<std::string> &To) {
    if (const json::Array *List = A.getArray(Name))
      for (const json::Value &V : *List)
        if (auto Text = V.getAsString())
          To.push_back(Text->str());
  };
  Add("args", O.Program);
  Add("compilerArgs", O.CompilerArgs);
  std::vector<std::string> Folders, Commands;
  Add("sourceFolders", Folders);
  Folders.push_back(sys::path::parent_path(*Program).str());
  for (const std::string &Folder : Folders)
    if (!Folder.empty())
      Commands.push_back("directory " + Folder);
  if (A.getBoolean("stopOnEntry").value_or(false))
    Commands.push_back("set cuda break_on_launch all");
  start(std::move(Commands),
        [](DapServer &S, ArrayRef<std::string>) { S.respond(); });
}

/// The number of the breakpoint that a command has made; none if it failed.
static std::optional<unsigned> breakpointIn(StringRef Output) {
  SmallVector<StringRef> Lines;
  Output.split(Lines, '\n');
  for (StringRef Line : Lines)
    for (StringRef Kind : {"Breakpoint ", "Watchpoint ", "Read watchpoint ",
                           "Access watchpoint "}) {
      StringRef Rest = Line;
      unsigned Number;
      if (Rest.consume_front(Kind) && !Rest.consumeInteger(10, Number))
        return Number;
    }
  return std::nullopt;
}

/// How many hits of a breakpoint to let pass; an editor says which one counts.
static uint64_t hitsBefore(const json::Object &B) {
  StringRef Text = B.getString("hitCondition").value_or("").trim();
  Text.consume_front("==") || Text.consume_front(">=") ||
      Text.consume_front("=");
  uint64_t Count = 0;
  return !Text.trim().getAsInteger(10, Count) && Count ? Count - 1 : 0;
}

/// Deletes old breakpoints and makes new ones, one for each command, in whose
/// order they are in the response.
void DapServer::replaceBreakpoints(std::vector<unsigned> &Old,
                                   std::vector<std::string> Commands) {
  struct Wanted {
    uint64_t Pass;
    std::optional<int64_t> Line;
  };
  std::vector<Wanted> Asked;
  if (const json::Array *List = arguments().getArray("breakpoints"))
    for (const json::Value &V : *List)
      if (const json::Object *B = V.getAsObject())
        Asked.push_back({hitsBefore(*B), B->getInteger("line")});
  std::vector<std::string> All;
  All.reserve(Old.size() + Commands.size());
  for (unsigned Number : Old) {
    All.push_back("delete " + std::to_string(Number));
    Pending.erase(Number);
  }
  size_t Deleted = All.size();
  All.insert(All.end(), Commands.begin(), Commands.end());
  start(std::move(All), [&Old, Deleted, Asked](DapServer &S,
                                               ArrayRef<std::string> Outputs) {
    Old.clear();
    json::Array List;
    std::vector<std::string> Ignored;
    for (const auto &[Output, Of] : zip(Outputs.drop_front(Deleted), Asked)) {
      std::optional<unsigned> Number = breakpointIn(Output);
      if (!Number) {
        List.push_back(json::Object{{"verified", false},
                                    {"message", StringRef(Output).trim()}});
        continue;
      }
      Old.push_back(*Number);
      if (Of.Pass)
        Ignored.push_back("ignore " + std::to_string(*Number) + " " +
                          std::to_string(Of.Pass));
      // Code that is not loaded yet may have the place.
      bool IsPending = StringRef(Output).contains("pending");
      json::Object B{{"id", *Number}, {"verified", !IsPending}};
      unsigned Line;
      StringRef Rest = StringRef(Output).rsplit(", line ").second;
      if (!Rest.consumeInteger(10, Line))
        B["line"] = Line;
      else if (Of.Line)
        B["line"] = *Of.Line;
      if (IsPending) {
        B["message"] = "the code is not loaded yet";
        S.Pending.insert(*Number);
      }
      List.push_back(std::move(B));
    }
    json::Object Body{{"breakpoints", std::move(List)}};
    S.start(std::move(Ignored), [Body](DapServer &S, ArrayRef<std::string>) {
      S.respond(json::Object(Body));
    });
  });
}

/// The condition of a breakpoint of a request, as the command has it.
static std::string conditionOf(const json::Object &B) {
  StringRef Condition = B.getString("condition").value_or("");
  return Condition.empty() ? "" : " if " + Condition.str();
}

void DapServer::setBreakpoints() {
  std::string Path;
  if (const json::Object *Source = arguments().getObject("source"))
    Path = Source->getString("path")
               .value_or(Source->getString("name").value_or(""))
               .str();
  std::vector<std::string> Commands;
  if (const json::Array *List = arguments().getArray("breakpoints"))
    for (const json::Value &V : *List)
      if (const json::Object *B = V.getAsObject())
        // Where a compiler saw the file, need not be where the editor sees it.
        Commands.push_back("break " + sys::path::filename(Path).str() + ":" +
                           std::to_string(B->getInteger("line").value_or(0)) +
                           conditionOf(*B));
  replaceBreakpoints(BySource[Path], std::move(Commands));
}

void DapServer::setFunctionBreakpoints() {
  std::vector<std::string> Commands;
  if (const json::Array *List = arguments().getArray("breakpoints"))
    for (const json::Value &V : *List)
      if (const json::Object *B = V.getAsObject())
        Commands.push_back("break " + B->getString("name").value_or("").str() +
                           conditionOf(*B));
  replaceBreakpoints(OfFunctions, std::move(Commands));
}

void DapServer::setDataBreakpoints() {
  std::vector<std::string> Commands;
  if (const json::Array *List = arguments().getArray("breakpoints"))
    for (const json::Value &V : *List)
      if (const json::Object *B = V.getAsObject()) {
        StringRef Access = B->getString("accessType").value_or("write");
        Commands.push_back((Access == "read"        ? "rwatch "
                            : Access == "readWrite" ? "awatch "
                                                    : "watch ") +
                           B->getString("dataId").value_or("").str() +
                           conditionOf(*B));
      }
  replaceBreakpoints(OfData, std::move(Commands));
}

void DapServer::setInstructionBreakpoints() {
  std::vector<std::string> Commands;
  if (const json::Array *List = arguments().getArray("breakpoints"))
    for (const json::Value &V : *List)
      if (const json::Object *B = V.getAsObject())
        Commands.push_back(
            "break *(" +
            B->getString("instructionReference").value_or("").str() + " + " +
            std::to_string(B->getInteger("offset").value_or(0)) + ")" +
            conditionOf(*B));
  replaceBreakpoints(OfInstructions, std::move(Commands));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// The object that json has answered; empty if it has not.
static json::Object answerIn(StringRef Output) {
  Expected<json::Value> V = json::parse(Output);
  if (V && V->getAsObject())
    return std::move(*V->getAsObject());
  if (!V)
    consumeError(V.takeError());
  return {};
}

static constexpr int64_t WarpsOfCTA = 64;

/// The number of a warp as a thread of the protocol.
static int64_t threadOf(const json::Object &Warp) {
  return Warp.getInteger("cta").value_or(0) * WarpsOfCTA +
         Warp.getInteger("warp").value_or(0) + 1;
}

/// Says which breakpoints have found their places.
void DapServer::reportPlaces(StringRef Known) {
  json::Object Answer = answerIn(Known);
  const json::Array *List = Answer.getArray("breakpoints");
  if (!List)
    return;
  for (const json::Value &V : *List) {
    const json::Object &Found = *V.getAsObject();
    auto Number = unsigned(Found.getInteger("number").value_or(0));
    if (!Pending.erase(Number))
      continue;
    json::Object B{{"id", Number}, {"verified", true}};
    if (auto Line = Found.getInteger("line"))
      B["line"] = *Line;
    event("breakpoint",
          json::Object{{"reason", "changed"}, {"breakpoint", std::move(B)}});
  }
}

/// Says where the program has come to rest, or that it has ended.
void DapServer::reportStop(StringRef Text, StringRef Stop) {
  Members.clear();
  Frames.clear();
  output(Text);
  json::Object Answer = answerIn(Stop);
  if (Answer.getBoolean("over").value_or(true)) {
    int64_t Code = 0;
    StringRef Rest = Text.split("exited with code ").second;
    Rest.consumeInteger(10, Code);
    event("exited", json::Object{{"exitCode", Code}});
    return event("terminated");
  }
  Focus = threadOf(Answer);
  json::Object Body{{"threadId", Focus}, {"allThreadsStopped", true}};
  if (const json::Object *Fault = Answer.getObject("fault")) {
    Body["reason"] = "exception";
    Body["description"] = Fault->getString("kind").value_or("");
    Body["text"] = Fault->getString("message").value_or("");
  } else if (Text.contains("atchpoint ")) {
    Body["reason"] = Text.contains("Catchpoint") ? "entry" : "data breakpoint";
  } else if (Text.contains("Interrupted.")) {
    Body["reason"] = "pause";
  } else {
    Body["reason"] =
        StringRef(Text).contains("reakpoint ") ? "breakpoint" : "step";
  }
  event("stopped", std::move(Body));
}

void DapServer::resume(StringRef Command) {
  respond(Command == "run" ? json::Value(nullptr)
                           : json::Object{{"allThreadsContinued", true}});
  start({Command.str(), "json stop", "json breakpoints"},
        [](DapServer &S, ArrayRef<std::string> Outputs) {
          S.reportPlaces(Outputs[2]);
          S.reportStop(Outputs[0], Outputs[1]);
        });
}

void DapServer::step(StringRef Line, StringRef Instruction) {
  respond();
  std::vector<std::string> Commands =
      focusOn(arguments().getInteger("threadId").value_or(Focus));
  bool ByInstruction = arguments().getString("granularity") == "instruction";
  Commands.push_back((ByInstruction ? Instruction : Line).str());
  Commands.push_back("json stop");
  start(std::move(Commands), [](DapServer &S, ArrayRef<std::string> Outputs) {
    S.reportStop(Outputs[Outputs.size() - 2], Outputs.back());
  });
}

std::vector<std::string> DapServer::focusOn(int64_t Thread) const {
  auto It = Warps.find(Thread);
  if (It == Warps.end() || Thread == Focus)
    return {};
  return {"cuda block " + It->second.Block + " warp " +
          std::to_string(It->second.Number)};
}

std::optional<std::vector<std::string>> DapServer::select(int64_t Frame) {
  if (Frame < 1 || Frame > int64_t(Frames.size()))
    return std::nullopt;
  auto [Thread, Number] = Frames[Frame - 1];
  std::vector<std::string> Commands = focusOn(Thread);
  Focus = Thread;
  Commands.push_back("frame " + std::to_string(Number));
  Commands.push_back("json stop");
  return Commands;
}

bool DapServer::hasSelected(StringRef Stop) {
  int64_t Wanted = std::exchange(Focus, threadOf(answerIn(Stop)));
  return Focus == Wanted;
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

void DapServer::threads() {
  start({"json warps"}, [](DapServer &S, ArrayRef<std::string> Outputs) {
    json::Object Answer = answerIn(Outputs[0]);
    S.Warps.clear();
    json::Array List;
    if (const json::Array *All = Answer.getArray("warps"))
      for (const json::Value &V : *All) {
        const json::Object &W = *V.getAsObject();
        const json::Array &B = *W.getArray("block");
        Warp Known;
        for (const json::Value &N : B)
          Known.Block += (Known.Block.empty() ? "" : ",") +
                         std::to_string(N.getAsInteger().value_or(0));
        Known.Number = W.getInteger("warp").value_or(0);
        List.push_back(
            json::Object{{"id", threadOf(W)},
                         {"name", "block (" + Known.Block + ") warp " +
                                      std::to_string(Known.Number)}});
        S.Warps[threadOf(W)] = std::move(Known);
      }
    S.respond(json::Object{{"threads", std::move(List)}});
  });
}

void DapServer::stackTrace() {
  int64_t Thread = arguments().getInteger("threadId").value_or(Focus);
  std::vector<std::string> Commands = focusOn(Thread);
  Focus = Thread;
  Commands.push_back("json stop");
  start(std::move(Commands),
        [Thread](DapServer &S, ArrayRef<std::string> Outputs) {
          json::Object Answer = answerIn(Outputs.back());
          if (!S.hasSelected(Outputs.back()))
            return S.refuse("the warp has ended");
          json::Array List;
          if (const json::Array *Frames = Answer.getArray("frames"))
            for (const auto &[N, V] : enumerate(*Frames)) {
              const json::Object &F = *V.getAsObject();
              std::string File = F.getString("file").value_or("").str();
              S.Frames.push_back({Thread, int64_t(N)});
              json::Object Out{
                  {"id", int64_t(S.Frames.size())},
                  {"name", F.getString("function").value_or("")},
                  {"line", F.getInteger("line").value_or(0)},
                  {"column", 0},
                  {"instructionPointerReference",
                   "0x" + utohexstr(F.getInteger("address").value_or(0))}};
              if (!File.empty())
                Out["source"] =
                    json::Object{{"name", sys::path::filename(File).str()},
                                 {"path", F.getString("path").value_or(File)}};
              List.push_back(std::move(Out));
            }
          int64_t Total = List.size();
          S.respond(json::Object{{"stackFrames", std::move(List)},
                                 {"totalFrames", Total}});
        });
}

/// The kinds of variables, in the order of their scopes.
static constexpr StringLiteral Scopes[][2] = {{"Locals", "locals"},
                                              {"Arguments", "arguments"},
                                              {"Parameters", "parameters"},
                                              {"Thread", "thread"},
                                              {"Registers", "registers"}};

/// References to members, which are 31 bits wide, are behind those to scopes.
static constexpr int64_t FirstMember = 1 << 30;

/// A reference is the frame's number and the scope's, from 1 on.
void DapServer::scopes() {
  int64_t Frame = arguments().getInteger("frameId").value_or(0);
  if (Frame < 1 || Frame > int64_t(Frames.size()))
    return refuse("there is no such frame");
  json::Array List;
  for (const auto &[N, Scope] : enumerate(Scopes))
    List.push_back(json::Object{
        {"name", Scope[0]},
        {"variablesReference",
         (Frame - 1) * int64_t(std::size(Scopes)) + int64_t(N) + 1},
        {"expensive", false}});
  respond(json::Object{{"scopes", std::move(List)}});
}

/// Those that have members get a reference.
json::Array DapServer::listOf(const json::Array &Variables) {
  json::Array List;
  for (const json::Value &V : Variables) {
    const json::Object &Variable = *V.getAsObject();
    json::Object Out{{"name", Variable.getString("name").value_or("")},
                     {"value", Variable.getString("value").value_or("")},
                     {"variablesReference", 0}};
    if (auto Of = Variable.getString("type"))
      Out["type"] = *Of;
    const json::Array *Inner = Variable.getArray("members");
    if (Inner && !Inner->empty()) {
      Out["variablesReference"] = FirstMember + int64_t(Members.size());
      Members.push_back(*Inner);
    }
    List.push_back(std::move(Out));
  }
  return List;
}

void DapServer::variables() {
  int64_t Reference = arguments().getInteger("variablesReference").value_or(0);
  constexpr auto Count = int64_t(std::size(Scopes));
  int64_t Number = Reference - FirstMember;
  bool IsKnown = Reference >= 1 && Number < int64_t(Members.size());
  if (IsKnown && Number >= 0) {
    json::Array Of = Members[Number]; // The list grows meanwhile.
    return respond(json::Object{{"variables", listOf(Of)}});
  }
  auto Commands = IsKnown ? select((Reference - 1) / Count + 1) : std::nullopt;
  if (!Commands)
    return refuse("there are no such variables");
  Commands->push_back("json variables " +
                      Scopes[(Reference - 1) % Count][1].str());
  start(std::move(*Commands), [](DapServer &S, ArrayRef<std::string> Outputs) {
    if (!S.hasSelected(Outputs[Outputs.size() - 2]))
      return S.refuse("the warp has ended");
    json::Object Answer = answerIn(Outputs.back());
    const json::Array *All = Answer.getArray("variables");
    S.respond(
        json::Object{{"variables", All ? S.listOf(*All) : json::Array()}});
  });
}

void DapServer::evaluate() {
  std::string Text = arguments().getString("expression").value_or("").str();
  std::vector<std::string> Commands;
  // Without one it is the frame that is selected.
  if (int64_t Frame = arguments().getInteger("frameId").value_or(0)) {
    auto Select = select(Frame);
    if (!Select)
      return refuse("there is no such frame");
    Commands = std::move(*Select);
  }
  if (arguments().getString("context") == "repl")
    return evaluateInConsole(std::move(Commands), std::move(Text));
  Commands.push_back("print " + Text);
  start(std::move(Commands), [](DapServer &S, ArrayRef<std::string> Outputs) {
    if (Outputs.size() > 1 && !S.hasSelected(Outputs[Outputs.size() - 2]))
      return S.refuse("the warp has ended");
    StringRef Result = StringRef(Outputs.back()).trim();
    // `$1 = 5`, or what is wrong.
    if (Result != "<optimized out>") {
      if (!Result.starts_with("$") || !Result.contains(" = "))
        return S.refuse(Result);
      Result = Result.split(" = ").second;
    }
    S.respond(json::Object{{"result", Result}, {"variablesReference", 0}});
  });
}

/// A command may let the program go on, choose another focus or show other
/// lines: then the editor has to ask for everything again.
void DapServer::evaluateInConsole(std::vector<std::string> Select,
                                  std::string Command) {
  size_t Before = Select.size();
  Select.insert(Select.end(), {"json stop", std::move(Command), "json stop",
                               "json breakpoints"});
  start(std::move(Select),
        [Before](DapServer &S, ArrayRef<std::string> Outputs) {
          ArrayRef<std::string> From = Outputs.drop_front(Before);
          S.respond(json::Object{{"result", StringRef(From[1]).trim()},
                                 {"variablesReference", 0}});
          S.reportPlaces(From[3]);
          if (From[0] != From[2])
            S.reportStop("", From[2]);
        });
}

void DapServer::disassemble() {
  int64_t Address = 0;
  arguments()
      .getString("memoryReference")
      .value_or("0x0")
      .getAsInteger(0, Address);
  int64_t Offset = arguments().getInteger("instructionOffset").value_or(0);
  int64_t Count = arguments().getInteger("instructionCount").value_or(0);
  start({"json code"}, [=](DapServer &S, ArrayRef<std::string> Outputs) {
    json::Object Answer = answerIn(Outputs[0]);
    const json::Array *All = Answer.getArray("instructions");
    int64_t First = 0, Size = All ? All->size() : 0;
    while (First < Size &&
           (*All)[First].getAsObject()->getInteger("address") != Address)
      ++First;
    json::Array List;
    // As many as are asked for: those outside the function are none.
    for (int64_t N = First + Offset; N < First + Offset + Count; ++N) {
      if (N < 0 || N >= Size) {
        List.push_back(json::Object{{"address", "0x0"},
                                    {"instruction", "(outside the function)"},
                                    {"presentationHint", "invalid"}});
        continue;
      }
      const json::Object &I = *(*All)[N].getAsObject();
      json::Object Out{
          {"address", "0x" + utohexstr(I.getInteger("address").value_or(0))},
          {"symbol", I.getString("place").value_or("")},
          {"instruction", I.getString("text").value_or("")}};
      if (auto Line = I.getInteger("line")) {
        StringRef File = I.getString("file").value_or("");
        Out["line"] = *Line;
        Out["location"] =
            json::Object{{"name", sys::path::filename(File).str()},
                         {"path", I.getString("path").value_or(File)}};
      }
      List.push_back(std::move(Out));
    }
    S.respond(json::Object{{"instructions", std::move(List)}});
  });
}

} // namespace heddle::debug
