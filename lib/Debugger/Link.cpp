//===- Link.cpp - Between a debugger and its program ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Frames over a socket, and the session of a program at one end of it.
//
//===----------------------------------------------------------------------===//

#include "heddle/Debugger/Link.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::debug {

//===----------------------------------------------------------------------===//
// Frames
//===----------------------------------------------------------------------===//

static constexpr size_t HeadBytes = 5;
static constexpr uint32_t MostBytes = 1 << 26;

bool Link::send(FrameKind Kind, StringRef Text) {
  if (Closed)
    return false;
  std::string Frame(1, static_cast<char>(Kind));
  auto Size = static_cast<uint32_t>(Text.size());
  Frame.append(reinterpret_cast<const char *>(&Size), sizeof(Size));
  Frame.append(Text.begin(), Text.end());
  for (size_t Done = 0; Done < Frame.size();) {
    ssize_t N =
        ::send(Socket, Frame.data() + Done, Frame.size() - Done, MSG_NOSIGNAL);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0) {
      Closed = true;
      return false;
    }
    Done += N;
  }
  return true;
}

/// Fills \p Bytes; false at the end of the stream. A signal interrupts only in
/// front of the first byte, and then Interrupted is set.
static bool receiveAll(int Socket, char *Bytes, size_t Size,
                       bool *Interrupted) {
  for (size_t Done = 0; Done < Size;) {
    ssize_t N = ::recv(Socket, Bytes + Done, Size - Done, 0);
    if (N < 0 && errno == EINTR) {
      if (Interrupted && Done == 0) {
        *Interrupted = true;
        return false;
      }
      continue;
    }
    if (N <= 0)
      return false;
    Done += N;
  }
  return true;
}

std::optional<LinkFrame> Link::receive() {
  char Head[HeadBytes];
  bool Interrupted = false;
  uint32_t Size = 0;
  if (!receiveAll(Socket, Head, HeadBytes, &Interrupted)) {
    Closed = !Interrupted;
    return std::nullopt;
  }
  std::memcpy(&Size, Head + 1, sizeof(Size));
  LinkFrame F{static_cast<FrameKind>(Head[0]), {}};
  if (Size <= MostBytes) {
    F.Text.resize(Size);
    if (receiveAll(Socket, F.Text.data(), Size, nullptr))
      return F;
  }
  Closed = true;
  return std::nullopt;
}

bool Link::hasFrame() const {
  pollfd P{Socket, POLLIN, 0};
  return ::poll(&P, 1, 0) > 0;
}

void Link::close() {
  if (!Closed)
    ::close(Socket);
  Closed = true;
}

void Link::wait(int Other) const {
  pollfd P[] = {{Socket, POLLIN, 0}, {Other, POLLIN, 0}};
  ::poll(P, Other < 0 ? 1 : 2, -1);
}

//===----------------------------------------------------------------------===//
// The program's end
//===----------------------------------------------------------------------===//

namespace {

/// The console of a session whose commands come from another process.
class LinkConsole : public Console {
public:
  explicit LinkConsole(int Socket) : L(Socket) {}

  bool read(std::string &Line, StringRef Prompt) override {
    std::string Lines;
    if (Of)
      for (const std::string &D : Of->definitions())
        Lines += D + "\n";
    if (!L.send(FrameKind::Definitions, Lines) ||
        !L.send(FrameKind::Prompt, Prompt))
      return false;
    while (!L.isClosed()) {
      std::optional<LinkFrame> F = L.receive();
      if (!F || F->Kind == FrameKind::Interrupt)
        continue;
      Line = std::move(F->Text);
      return F->Kind == FrameKind::Command;
    }
    return false;
  }
  void write(StringRef Text) override { L.send(FrameKind::Output, Text); }
  void end(bool Quits) override {
    L.send(FrameKind::End, Quits ? "quit" : "kill");
    // The debugger ends this process, which shall do no more.
    while (!L.isClosed())
      L.receive();
  }
  void leave() override {
    L.send(FrameKind::End, "detach");
    L.close();
  }
  bool wantsInterrupt() override {
    if (L.isClosed() || !L.hasFrame())
      return false;
    std::optional<LinkFrame> F = L.receive();
    return F && F->Kind == FrameKind::Interrupt;
  }

  Session *Of = nullptr;

private:
  Link L;
};

/// The socket that the environment names; -1 if it names none.
int takeSocket() {
  const char *Text = std::getenv(LinkVariable);
  int Socket = -1;
  if (!Text || StringRef(Text).getAsInteger(10, Socket) || Socket < 0)
    return -1;
  ::unsetenv(LinkVariable);
  // It may be another file's number in a process that closed it.
  int Type = 0;
  socklen_t Size = sizeof(Type);
  if (::getsockopt(Socket, SOL_SOCKET, SO_TYPE, &Type, &Size) != 0 ||
      ::fcntl(Socket, F_SETFD, FD_CLOEXEC) != 0)
    return -1;
  return Socket;
}

/// The socket of a debugger that this process waits for, if it shall.
int waitForSocket() {
  const char *Text = std::getenv(WaitVariable);
  if (!Text || !*Text)
    return -1;
  ::unsetenv(WaitVariable);
  Expected<int> Socket = waitForDebugger();
  if (Socket)
    return *Socket;
  errs() << "heddle: cannot wait for a debugger: "
         << toString(Socket.takeError()) << "\n";
  return -1;
}

int socketOfProcess() {
  static const int Socket = [] {
    int Given = takeSocket();
    return Given >= 0 ? Given : waitForSocket();
  }();
  return Socket;
}

} // namespace

bool isDebugged() { return socketOfProcess() >= 0; }

bool mayBeDebugged() {
  const char *Text = std::getenv(AttachVariable);
  return isDebugged() || (Text && *Text && StringRef(Text) != "0");
}

std::shared_ptr<Session> makeSessionOver(int Socket, CodeTools Tools) {
  // Neither ends before the process does.
  auto *C = new LinkConsole(Socket);
  SessionOptions Options;
  Options.Tools = std::move(Tools);
  auto *S =
      new std::shared_ptr<Session>(Session::create(*C, std::move(Options)));
  C->Of = S->get();
  return *S;
}

static std::shared_ptr<emu::Debugger> makeDebugger(CodeTools Tools) {
  if (isDebugged()) {
    std::shared_ptr<Session> S =
        makeSessionOver(socketOfProcess(), std::move(Tools));
    S->begin();
    return S;
  }
  auto Standby = createStandby(std::move(Tools));
  if (Standby)
    return *Standby;
  errs() << "heddle: debuggers cannot attach: " << toString(Standby.takeError())
         << "\n";
  return nullptr;
}

std::shared_ptr<emu::Debugger> debuggerOfProcess(CodeTools Tools) {
  if (!mayBeDebugged())
    return nullptr;
  static auto *TheDebugger =
      new std::shared_ptr<emu::Debugger>(makeDebugger(std::move(Tools)));
  return *TheDebugger;
}

} // namespace heddle::debug
