//===- LiveReport.cpp - Tells a dashboard what goes on ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A dashboard that is gone is nothing to a program: it goes on without one.
//
//===----------------------------------------------------------------------===//

#include "LiveReport.h"
#include "heddle/Runtime/Profile.h"
#include "llvm/Demangle/Demangle.h"

#include <arpa/inet.h>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda {

static constexpr int IntervalMs = 200;

/// The process's connection, for children that are forked.
static std::atomic<int> Inherited{-1};

/// A child's copy would keep the connection open when the parent has ended.
static void closeInherited() {
  int Socket = Inherited.exchange(-1);
  if (Socket >= 0)
    ::close(Socket);
}

Expected<std::unique_ptr<LiveReport>> LiveReport::connect(StringRef Address,
                                                          MemoryQuery Memory) {
  Expected<dash::ReportAddress> To = dash::ReportAddress::parse(Address);
  if (!To)
    return To.takeError();
  int Socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in Server = {};
  Server.sin_family = AF_INET;
  Server.sin_port = htons(To->Port);
  Server.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (Socket < 0 || ::connect(Socket, reinterpret_cast<sockaddr *>(&Server),
                              sizeof(Server)) != 0) {
    std::string Reason = std::strerror(errno);
    if (Socket >= 0)
      ::close(Socket);
    return createStringError("the dashboard at 127.0.0.1:" + Twine(To->Port) +
                             ": " + Reason);
  }
  Inherited = Socket;
  pthread_atfork(nullptr, nullptr, closeInherited);
  std::unique_ptr<LiveReport> Made(new LiveReport(Socket, std::move(Memory)));
  Made->send((dash::ReportGreeting + To->Secret + "\n").str());
  std::thread([Report = Made.get()] { Report->sendUntilFinished(); }).detach();
  return Made;
}

LiveReport::LiveReport(int Socket, MemoryQuery Memory)
    : Memory(std::move(Memory)), Socket(Socket) {
  struct stat S = {};
  ::fstat(Socket, &S);
  Device = S.st_dev;
  Inode = S.st_ino;
  Sums.Process = ::getpid();
  Sums.Program = program_invocation_short_name;
}

void LiveReport::add(const rt::ObservedLaunch &R) {
  bool IsUrgent = R.Result.Fault.has_value();
  {
    std::lock_guard Lock(Mutex);
    dash::KernelSums &K = Kernels[R.Kernel.Name];
    if (K.Name.empty())
      K.Name = demangle(R.Kernel.Name);
    ++K.Launches;
    K.Nanoseconds += R.End - R.Begin;
    Sums.WarpInstructions += R.Result.Statistics.WarpInstructions;
    if (const rt::LaunchProfile *P = R.Result.Profile.get()) {
      K.Cycles += P->totalCycles();
      for (unsigned N = 0; N != rt::NumStallReasons; ++N)
        Sums.WarpCycles[rt::stallReasonName(rt::StallReason(N)).str()] +=
            P->States[N];
      Sums.L1 += {P->Memory.GlobalLoads.Sectors, P->Memory.GlobalLoads.Hits};
      Sums.L2 += {P->Memory.L2Reads, P->Memory.L2ReadHits};
    }
    if (IsUrgent) {
      rt::Fault Fault = *R.Result.Fault;
      Fault.Launch = R.Config.Number;
      Sums.Faults.push_back(
          {rt::faultKindName(Fault.Kind).str(), K.Name, Fault.str()});
    }
    Changed.insert(R.Kernel.Name);
    HasChanged = true;
  }
  // The program may not live much longer.
  if (IsUrgent)
    sendChanges();
}

void LiveReport::countCompilation(StringRef Origin) {
  std::lock_guard Lock(Mutex);
  ++Sums.Compilations[Origin.str()];
  HasChanged = true;
}

/// Whatever has the number of the socket now, if the program closes files that
/// it has not opened, gets nothing.
void LiveReport::send(StringRef Text) {
  struct stat S = {};
  if (Socket < 0 || ::fstat(Socket, &S) != 0 || S.st_dev != Device ||
      S.st_ino != Inode) {
    Socket = -1;
    return;
  }
  while (!Text.empty()) {
    ssize_t Sent = ::send(Socket, Text.data(), Text.size(), MSG_NOSIGNAL);
    if (Sent < 0 && errno == EINTR)
      continue;
    if (Sent < 0) {
      Socket = -1;
      return;
    }
    Text = Text.drop_front(Sent);
  }
}

void LiveReport::sendChanges() {
  // Memory has locks of its own.
  std::vector<uint64_t> InUse = Memory();
  std::lock_guard Sending(SendMutex);
  dash::ProcessReport Report;
  {
    std::lock_guard Lock(Mutex);
    if (!HasChanged && InUse == Sums.MemoryBytes)
      return;
    Sums.MemoryBytes = std::move(InUse);
    Report = Sums;
    for (const std::string &Name : Changed)
      Report.Kernels.push_back(Kernels[Name]);
    Sums.Faults.clear();
    Changed.clear();
    HasChanged = false;
  }
  send(dash::formatReport(Report));
}

void LiveReport::sendUntilFinished() {
  while (true) {
    {
      std::lock_guard Lock(Mutex);
      if (Stop)
        return;
    }
    sendChanges();
    // Virtual time changes all other waits.
    ::poll(nullptr, 0, IntervalMs);
  }
}

void LiveReport::finish() {
  {
    std::lock_guard Lock(Mutex);
    Stop = true;
  }
  sendChanges();
}

} // namespace heddle::cuda
