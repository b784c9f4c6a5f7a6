//===- Peer.cpp - Who is at the other end of a socket -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A connection ends when the last descriptor of it is closed, of which a fork's
// child may have one. So the process itself is watched, too.
//
//===----------------------------------------------------------------------===//

#include "Peer.h"

#include "llvm/ADT/StringExtras.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::deviced {

std::string Peer::text() const {
  return "process " + std::to_string(Process) + " of user " +
         std::to_string(User) + (Program.empty() ? "" : ", " + Program);
}

Peer peerOf(int Socket) {
  ucred Credentials = {0, ~0U, ~0U};
  socklen_t Length = sizeof(Credentials);
  ::getsockopt(Socket, SOL_SOCKET, SO_PEERCRED, &Credentials, &Length);
  return {Credentials.pid, Credentials.uid, ""};
}

Descriptor processOf(int Socket, const Peer &Who) {
  // Since Linux 6.5: the very process, whoever has its number by now.
  constexpr int PeerProcess = 77;
  int Number = -1;
  socklen_t Length = sizeof(Number);
  if (::getsockopt(Socket, SOL_SOCKET, PeerProcess, &Number, &Length) == 0)
    return Descriptor(Number);
  return Descriptor(Who.Process > 0 ? static_cast<int>(::syscall(
                                          SYS_pidfd_open, Who.Process, 0))
                                    : -1);
}

std::string programOf(const Peer &Who) {
  std::string Path = "/proc/" + std::to_string(Who.Process) + "/comm";
  Descriptor File(::open(Path.c_str(), O_RDONLY | O_CLOEXEC));
  char Text[32];
  ssize_t Length = File ? ::read(File.get(), Text, sizeof(Text)) : 0;
  std::string Name(Text, Length > 0 ? Length : 0);
  erase_if(Name, [](char C) { return !isPrint(C); });
  return Name;
}

} // namespace heddle::deviced
