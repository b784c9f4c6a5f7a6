//===- Dashboard.cpp - A server beside a program ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forks twice. The server keeps nothing of the caller's files: whoever reads
// the program's output shall see its end when the program ends.
//
//===----------------------------------------------------------------------===//

#include "Dashboard.h"
#include "heddle/Dashboard/Server.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace heddle {

static Error failure(const char *What) {
  return createStringError(std::string("the dashboard: ") + What + ": " +
                           std::strerror(errno));
}

/// Closes all files but two, which get the first numbers behind those of the
/// standard streams.
static void keepOnly(int &First, int &Second) {
  int Nothing = ::open("/dev/null", O_RDWR);
  for (int Stream : {0, 1, 2})
    ::dup2(Nothing, Stream);
  // None of the copies is where one of the originals is.
  int Free = std::max({First, Second, 4}) + 1;
  First = ::fcntl(First, F_DUPFD, Free);
  Second = ::fcntl(Second, F_DUPFD, Free);
  First = ::dup2(First, 3);
  Second = ::dup2(Second, 4);
  ::syscall(SYS_close_range, 5, ~0U, 0);
}

[[noreturn]] static void serve(dash::Listener On, int Program,
                               std::string Title, std::string Secret) {
  ::setsid();
  if (::chdir("/") != 0)
    std::_Exit(1);
  int Socket = On.socket();
  keepOnly(Socket, Program);
  dash::Server(On.at(Socket), std::move(Title), std::move(Secret)).run(Program);
  std::_Exit(0);
}

Error serveDashboard(uint16_t Port, ArrayRef<const char *> CommandLine) {
  unsigned char Random[16];
  if (::getrandom(Random, sizeof(Random), 0) != ssize_t(sizeof(Random)))
    return failure("no random numbers");
  Expected<dash::Listener> On = dash::Listener::open(Port);
  if (!On)
    return On.takeError();
  int Program = ::syscall(SYS_pidfd_open, ::getpid(), 0);
  if (Program < 0)
    return failure("cannot watch the program");
  dash::ReportAddress Address = {On->port(), toHex(ArrayRef(Random))};
  if (::setenv(dash::ReportVariable, Address.str().c_str(), 1) != 0)
    return failure("cannot set a variable");
  pid_t Child = ::fork();
  if (Child < 0)
    return failure("cannot start a process");
  if (Child == 0) {
    pid_t Grandchild = ::fork();
    if (Grandchild == 0)
      serve(*On, Program, join(CommandLine, " "), Address.Secret);
    std::_Exit(Grandchild < 0);
  }
  int Status = 0;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    continue;
  ::close(On->socket());
  ::close(Program);
  if (Status != 0)
    return createStringError("the dashboard: cannot start a process");
  std::fprintf(stderr, "ptx-env: the dashboard is at http://127.0.0.1:%u/\n",
               unsigned(On->port()));
  return Error::success();
}

} // namespace heddle
