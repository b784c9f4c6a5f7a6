//===- ProgramRelay.cpp - Debugging a CUDA program --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The program and its standard streams are as without a debugger; only a socket
// is added to what it inherits.
//
//===----------------------------------------------------------------------===//

#include "ProgramRelay.h"
#include "heddle/Debugger/Link.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::debug {

/// The command line that starts the program.
static Expected<std::vector<std::string>> commandLine(const Options &O) {
  if (!O.Modules.empty())
    return createStringError("--module is for manifests");
  SmallString<128> Self;
  if (std::error_code Failure = sys::fs::real_path("/proc/self/exe", Self))
    return createStringError("/proc/self/exe: " + Failure.message());
  SmallString<128> Launcher = sys::path::parent_path(Self);
  sys::path::append(Launcher, "ptx-env");
  std::vector<std::string> Line = {std::string(Launcher), "--chip", O.Chip};
  if (O.Strict)
    Line.push_back("--strict");
  if (!O.CheckNames.empty()) {
    Line.push_back("--check");
    Line.push_back(O.CheckNames);
  }
  for (const std::string &Arg : O.CompilerArgs) {
    StringRef Level = Arg;
    if (Level.consume_front("-O"))
      Line.push_back(Arg);
    else if (Arg != "--keep-member-masks") // --check does that.
      return createStringError("-X is for manifests");
  }
  Line.push_back("--");
  Line.insert(Line.end(), O.Program.begin(), O.Program.end());
  return Line;
}

/// Starts the program with one end of a socket; returns its process.
static Expected<pid_t> start(const std::vector<std::string> &Line, int Ours,
                             int Theirs) {
  std::vector<char *> Arguments;
  Arguments.reserve(Line.size() + 1);
  for (const std::string &Arg : Line)
    Arguments.push_back(const_cast<char *>(Arg.c_str())); // execv's type.
  Arguments.push_back(nullptr);
  std::string Number = std::to_string(Theirs);
  pid_t Parent = ::getpid();
  pid_t Child = ::fork();
  if (Child < 0)
    return createStringError(std::string("cannot start a process: ") +
                             std::strerror(errno));
  if (Child > 0)
    return Child;
  // It ends with the debugger. Ctrl-C is the debugger's.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != Parent)
    ::_exit(127);
  ::signal(SIGINT, SIG_IGN);
  ::close(Ours);
  ::setenv(LinkVariable, Number.c_str(), /*overwrite=*/1);
  ::execv(Arguments.front(), Arguments.data());
  std::fprintf(stderr, "ptx-debug: cannot run '%s': %s\n", Arguments.front(),
               std::strerror(errno));
  ::_exit(127);
}

namespace {

/// The commands of a program that runs.
class Relay {
public:
  Relay(int Socket, Session &Local, Console &C)
      : L(Socket), Local(Local), C(C), Definitions(Local.definitions()) {}

  /// Hands frames on until the program has ended, or shall end.
  void run();
  bool isKilled() const { return Killed; }
  /// Whether the program goes on without the debugger.
  bool hasLeft() const { return Left; }
  bool quits() const { return Quits; }
  /// What the program's session had last.
  const std::vector<std::string> &definitions() const { return Definitions; }

private:
  void answerPrompt(StringRef Prompt);
  void handle(const LinkFrame &F);

  Link L;
  Session &Local;
  Console &C;
  std::vector<std::string> Definitions;
  size_t Sent = 0; ///< Of the definitions; one more when it is told to run.
  bool Killed = false, Quits = false, Left = false;
};

void Relay::answerPrompt(StringRef Prompt) {
  if (Sent < Definitions.size()) {
    L.send(FrameKind::Command, Definitions[Sent++]);
    return;
  }
  if (Sent == Definitions.size()) {
    ++Sent;
    L.send(FrameKind::Command, "run");
    return;
  }
  std::string Line;
  if (Local.readCommand(Line, Prompt))
    L.send(FrameKind::Command, Line);
  else
    Killed = true;
}

void Relay::handle(const LinkFrame &F) {
  switch (F.Kind) {
  case FrameKind::Output:
    C.write(F.Text);
    break;
  case FrameKind::Prompt:
    answerPrompt(F.Text);
    break;
  case FrameKind::Definitions:
    if (Sent > Definitions.size()) {
      SmallVector<StringRef> Lines;
      StringRef(F.Text).split(Lines, '\n', -1, /*KeepEmpty=*/false);
      Definitions.assign(Lines.begin(), Lines.end());
      Sent = Definitions.size() + 1;
    }
    break;
  case FrameKind::End:
    Left = F.Text == "detach";
    Killed = !Left;
    Quits = F.Text == "quit";
    break;
  default:
    break;
  }
}

void Relay::run() {
  while (!Killed && !Left) {
    L.wait(C.interruptDescriptor());
    if (!L.hasFrame()) {
      if (C.wantsInterrupt())
        L.send(FrameKind::Interrupt, "");
      continue;
    }
    std::optional<LinkFrame> F = L.receive();
    if (F)
      handle(*F);
    else if (L.isClosed())
      return;
  }
}

} // namespace

/// Programs that were started here and go on without the debugger.
static std::vector<pid_t> Leaving;

void waitForLeft() {
  for (pid_t Child : Leaving)
    while (::waitpid(Child, nullptr, 0) < 0 && errno == EINTR)
      ;
}

static std::string nameOf(pid_t Process) {
  return "[Inferior 1 (process " + std::to_string(Process) + ") ";
}

/// How a process ended, for people.
static std::string endText(pid_t Child, int Status) {
  std::string Who = nameOf(Child);
  if (WIFSIGNALED(Status))
    return "\nProgram terminated with signal " +
           std::to_string(WTERMSIG(Status)) + " (" +
           strsignal(WTERMSIG(Status)) + ").\n";
  if (int Code = WEXITSTATUS(Status))
    return Who + "exited with code " + std::to_string(Code) + "]\n";
  return Who + "exited normally]\n";
}

Error runProgram(const Options &O, Session &Local, Console &C) {
  Expected<std::vector<std::string>> Line = commandLine(O);
  if (!Line)
    return Line.takeError();
  int Ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM, 0, Ends) != 0)
    return createStringError(std::string("cannot make a socket: ") +
                             std::strerror(errno));
  Expected<pid_t> Child = start(*Line, Ends[0], Ends[1]);
  ::close(Ends[1]);
  if (!Child) {
    ::close(Ends[0]);
    return Child.takeError();
  }
  Relay R(Ends[0], Local, C);
  R.run();
  if (R.isKilled())
    ::kill(*Child, SIGKILL);
  ::close(Ends[0]);
  if (R.hasLeft()) {
    Leaving.push_back(*Child);
    Local.define(R.definitions());
    C.write(nameOf(*Child) + "detached]\n");
    return Error::success();
  }
  int Status = 0;
  while (::waitpid(*Child, &Status, 0) < 0 && errno == EINTR)
    ;
  Local.define(R.definitions());
  C.write(R.isKilled() ? nameOf(*Child) + "killed]\n"
                       : endText(*Child, Status));
  if (R.quits())
    Local.execute("quit");
  return Error::success();
}

Error attachProgram(int Process, Session &Local, Console &C) {
  Expected<int> Socket = attachTo(Process);
  if (!Socket)
    return Socket.takeError();
  Relay R(*Socket, Local, C);
  R.run();
  if (R.isKilled())
    ::kill(Process, SIGKILL);
  ::close(*Socket);
  Local.define(R.definitions());
  C.write(nameOf(Process) + (R.isKilled()  ? "killed]\n"
                             : R.hasLeft() ? "detached]\n"
                                           : "has ended]\n"));
  if (R.quits())
    Local.execute("quit");
  return Error::success();
}

} // namespace heddle::debug
