//===- CompilerProcess.cpp - Compiling in a helper process ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message is its size (u64) and that many bytes, which CompileMessages.h
// knows.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CompilerProcess.h"

#include "SpawnAttributes.h"
#include "heddle-cache/Bytes.h"
#include "heddle/Driver/CompileMessages.h"
#include "heddle/Driver/CompilerLoader.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle {

/// How often the caller is asked whether it still wants the result.
static constexpr int PollMilliseconds = 5;
/// What a helper has mapped before it compiles, generously.
static constexpr uint64_t BaseAddressSpace = uint64_t(1) << 30;
static constexpr size_t MaxIdle = 16;

//===----------------------------------------------------------------------===//
// Messages
//===----------------------------------------------------------------------===//

static bool sendAll(int Socket, std::string_view Bytes) {
  while (!Bytes.empty()) {
    ssize_t Sent = ::send(Socket, Bytes.data(), Bytes.size(), MSG_NOSIGNAL);
    if (Sent < 0 && errno == EINTR)
      continue;
    if (Sent <= 0)
      return false;
    Bytes.remove_prefix(static_cast<size_t>(Sent));
  }
  return true;
}

static bool sendMessage(int Socket, const std::string &Message) {
  std::string Size;
  cache::appendNumber<uint64_t>(Size, Message.size());
  return sendAll(Socket, Size) && sendAll(Socket, Message);
}

namespace {
enum class Received { All, Closed, Stopped };
} // namespace

/// Reads exactly Size bytes; Control may be null.
static Received receive(int Socket, char *Bytes, size_t Size,
                        CompileControl *Control) {
  while (Size) {
    if (Control) {
      pollfd Wait = {Socket, POLLIN, 0};
      int Ready = ::poll(&Wait, 1, PollMilliseconds);
      if (Control->shouldStop())
        return Received::Stopped;
      if (Ready <= 0)
        continue;
    }
    ssize_t Read = ::recv(Socket, Bytes, Size, 0);
    if (Read < 0 && errno == EINTR)
      continue;
    if (Read <= 0)
      return Received::Closed;
    Bytes += Read;
    Size -= static_cast<size_t>(Read);
  }
  return Received::All;
}

static Received receiveMessage(int Socket, std::string &Message,
                               CompileControl *Control) {
  char Head[8];
  Received R = receive(Socket, Head, sizeof(Head), Control);
  if (R != Received::All)
    return R;
  Message.resize(cache::numberAt<uint64_t>({Head, sizeof(Head)}, 0));
  return receive(Socket, Message.data(), Message.size(), Control);
}

//===----------------------------------------------------------------------===//
// The caller's side
//===----------------------------------------------------------------------===//

CompilerProcesses::~CompilerProcesses() {
  if (Process == ::getpid())
    for (Helper &H : Idle)
      stop(H);
}

bool CompilerProcesses::start(Helper &H) {
  int Sockets[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Sockets) != 0)
    return false;
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  posix_spawn_file_actions_adddup2(&Files, Sockets[1], STDIN_FILENO);
  SpawnAttributes Attributes;
  const char *Arguments[] = {Program.c_str(), Library.c_str(), nullptr};
  pid_t Child = 0;
  int Failed = ::posix_spawn(&Child, Program.c_str(), &Files, Attributes.get(),
                             const_cast<char **>(Arguments), environ);
  posix_spawn_file_actions_destroy(&Files);
  ::close(Sockets[1]);
  if (Failed) {
    ::close(Sockets[0]);
    return false;
  }
  H = {Child, Sockets[0]};
  return true;
}

void CompilerProcesses::stop(Helper &H) {
  ::close(H.Socket);
  ::kill(H.PID, SIGKILL);
  while (::waitpid(H.PID, nullptr, 0) < 0 && errno == EINTR)
    ;
}

CompilerProcesses::Helper CompilerProcesses::take() {
  std::lock_guard Lock(Mutex);
  if (Process != ::getpid()) {
    // They are the parent's, whose requests must not mix with ours.
    for (Helper &H : Idle)
      ::close(H.Socket);
    Idle.clear();
    Process = ::getpid();
  }
  if (Idle.empty())
    return {};
  Helper H = Idle.back();
  Idle.pop_back();
  return H;
}

void CompilerProcesses::giveBack(Helper H) {
  std::lock_guard Lock(Mutex);
  if (Idle.size() < MaxIdle)
    Idle.push_back(H);
  else
    stop(H);
}

/// Whether the other side of a socket that nothing is expected from is there.
static bool isAlive(int Socket) {
  pollfd Ready = {Socket, POLLIN, 0};
  return ::poll(&Ready, 1, 0) == 0;
}

CompileResult CompilerProcesses::compile(std::string_view Input,
                                         const std::string &Name,
                                         const CompileOptions &Options,
                                         CompileControl *Control) {
  CompileResult Result;
  std::string Request =
      encodeCompileMessage({Options.commandLine(), Name,
                            Control ? Control->memoryLimit() : 0, Input});
  Helper H = take();
  // One that waited may have been killed meanwhile.
  if (H.PID && (!isAlive(H.Socket) || !sendMessage(H.Socket, Request))) {
    stop(H);
    H = {};
  }
  if (!H.PID && (!start(H) || !sendMessage(H.Socket, Request))) {
    if (H.PID)
      stop(H);
    Result.Failure = "cannot start the helper process " + Program;
    return Result;
  }
  std::string Answer;
  Received R = receiveMessage(H.Socket, Answer, Control);
  std::optional<CompileResult> Decoded;
  if (R == Received::All)
    Decoded = decodeAnswer(Answer);
  if (!Decoded) {
    stop(H);
    Result.Stopped = R == Received::Stopped;
    Result.Failure =
        Result.Stopped ? "the compilation was stopped" : HelperDied;
    return Result;
  }
  bool IsSpoilt =
      Decoded->MemoryExceeded || Decoded->Failure.starts_with("internal error");
  if (IsSpoilt)
    stop(H);
  else
    giveBack(H);
  return std::move(*Decoded);
}

//===----------------------------------------------------------------------===//
// The helper's side
//===----------------------------------------------------------------------===//

namespace {
class LimitedControl final : public CompileControl {
public:
  explicit LimitedControl(uint64_t Bytes) : Bytes(Bytes) {}
  uint64_t memoryLimit() override { return Bytes; }
  /// The caller ends a helper that has allocated too much.
  bool endsProcess() override { return true; }

private:
  const uint64_t Bytes;
};
} // namespace

/// A bound that nothing gets around, above that of the compiler.
static void limitAddressSpace(uint64_t Bytes) {
  rlimit Limit;
  if (::getrlimit(RLIMIT_AS, &Limit) != 0)
    return;
  Limit.rlim_cur = Limit.rlim_max;
  if (Bytes)
    Limit.rlim_cur = std::min<uint64_t>(
        Limit.rlim_max, BaseAddressSpace + 2 * std::min(Bytes, UINT64_MAX / 4));
  (void)::setrlimit(RLIMIT_AS, &Limit);
}

static CompileResult serve(const CompilerInterface &Compiler,
                           std::string_view Request) {
  CompileResult Result;
  std::optional<CompileMessage> Message = decodeCompileMessage(Request);
  CompileOptions Options(OptionTool::All);
  std::optional<std::string> Wrong = "too short";
  if (Message)
    Wrong = Options.parse(Message->Options);
  if (Wrong) {
    Result.Failure = "internal error: bad request: " + *Wrong;
    return Result;
  }
  LimitedControl Control(Message->MemoryLimit);
  limitAddressSpace(Control.memoryLimit());
  Compiler.Compile(Message->Input, Message->Name, Options, nullptr, &Control,
                   Result);
  return Result;
}

int serveCompilations(int Socket, const std::string &Library,
                      const std::function<void()> &AfterLoading) {
  std::string Error;
  const CompilerInterface *Compiler = loadCompiler(Library, Error);
  if (!Compiler)
    return 1;
  AfterLoading();
  std::string Request;
  while (receiveMessage(Socket, Request, nullptr) == Received::All)
    if (!sendMessage(Socket, encodeAnswer(serve(*Compiler, Request))))
      return 1;
  return 0;
}

} // namespace heddle
