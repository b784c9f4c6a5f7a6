//===- Attach.cpp - Debugging a process that waits --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process that waits for a debugger listens on a socket in a folder of its
// user, which nobody else can look into, under its own number. Each end asks
// the kernel who the other one is.
//
//===----------------------------------------------------------------------===//

#include "heddle/Debugger/Link.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::debug {

static Error failure(const Twine &What) {
  return createStringError(What + ": " + std::strerror(errno));
}

/// The folder, which is made if it is not there.
static Expected<std::string> socketFolder() {
  std::string Path = "/tmp/heddle-debug-" + std::to_string(::geteuid());
  if (::mkdir(Path.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return failure(Path);
  struct stat S;
  if (::lstat(Path.c_str(), &S) != 0)
    return failure(Path);
  if (!S_ISDIR(S.st_mode) || S.st_uid != ::geteuid() ||
      (S.st_mode & (S_IRWXG | S_IRWXO)))
    return createStringError(Path + " is not a folder of yours alone");
  return Path;
}

/// The address of a process that waits.
static Expected<sockaddr_un> addressOf(pid_t Process) {
  Expected<std::string> Folder = socketFolder();
  if (!Folder)
    return Folder.takeError();
  std::string Path = *Folder + "/" + std::to_string(Process);
  sockaddr_un A{};
  A.sun_family = AF_UNIX;
  std::strncpy(A.sun_path, Path.c_str(), sizeof(A.sun_path) - 1);
  return A;
}

/// Who is at the other end.
static std::optional<ucred> peerOf(int Socket) {
  ucred Peer{};
  socklen_t Size = sizeof(Peer);
  if (::getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Peer, &Size) != 0)
    return std::nullopt;
  return Peer;
}

/// Of others than the user's own, none is taken.
static Expected<int> acceptOne(int Listening) {
  while (true) {
    int Socket = ::accept4(Listening, nullptr, nullptr, SOCK_CLOEXEC);
    if (Socket < 0 && errno == EINTR)
      continue;
    if (Socket < 0)
      return failure("accept");
    std::optional<ucred> Peer = peerOf(Socket);
    if (Peer && Peer->uid == ::geteuid())
      return Socket;
    ::close(Socket);
  }
}

/// A socket at this process's address; \p Flags are further ones of its type.
static Expected<int> listenAt(const sockaddr_un &Address, int Flags) {
  int Listening = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | Flags, 0);
  if (Listening < 0)
    return failure("cannot make a socket");
  ::unlink(Address.sun_path); // Of a process that had the number before.
  if (::bind(Listening, reinterpret_cast<const sockaddr *>(&Address),
             sizeof(Address)) == 0 &&
      ::listen(Listening, 1) == 0)
    return Listening;
  Error E = failure(Address.sun_path);
  ::close(Listening);
  return std::move(E);
}

Expected<int> waitForDebugger() {
  Expected<sockaddr_un> Address = addressOf(::getpid());
  if (!Address)
    return Address.takeError();
  Expected<int> Listening = listenAt(*Address, 0);
  if (!Listening)
    return Listening.takeError();
  std::fprintf(stderr, "heddle: process %d waits for ptx-debug --attach %d\n",
               ::getpid(), ::getpid());
  Expected<int> Socket = acceptOne(*Listening);
  ::unlink(Address->sun_path);
  ::close(*Listening);
  return Socket;
}

Expected<int> listenForDebuggers() {
  Expected<sockaddr_un> Address = addressOf(::getpid());
  if (!Address)
    return Address.takeError();
  return listenAt(*Address, SOCK_NONBLOCK);
}

std::optional<int> acceptDebugger(int Listening) {
  Expected<int> Socket = acceptOne(Listening);
  if (Socket)
    return *Socket;
  consumeError(Socket.takeError());
  return std::nullopt;
}

Expected<int> attachTo(pid_t Process) {
  std::string Name = "process " + std::to_string(Process);
  if (::kill(Process, 0) != 0)
    return errno == EPERM ? createStringError(Name + " is another user's")
                          : createStringError("there is no " + Name);
  Expected<sockaddr_un> Address = addressOf(Process);
  if (!Address)
    return Address.takeError();
  int Socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (Socket < 0)
    return failure("cannot make a socket");
  if (::connect(Socket, reinterpret_cast<const sockaddr *>(&*Address),
                sizeof(*Address)) != 0) {
    ::close(Socket);
    return createStringError(Name + " does not wait for a debugger; start it "
                                    "with ptx-env --debug-wait or "
                                    "--debug-attach");
  }
  std::optional<ucred> Peer = peerOf(Socket);
  if (!Peer || Peer->pid != Process || Peer->uid != ::geteuid()) {
    ::close(Socket);
    return createStringError("another process answers for " + Name);
  }
  return Socket;
}

} // namespace heddle::debug
