//===- Server.cpp - Serves a dashboard to browsers --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop over sockets that do not block. Of HTTP it knows what three resources
// need that are read and never written: docs/decisions/0016 says why that is
// no library.
//
//===----------------------------------------------------------------------===//

#include "heddle/Dashboard/Server.h"
#include "heddle/Dashboard/Request.h"
#include "llvm/ADT/STLExtras.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::dash {

/// The page, compressed by gzip.
static constexpr unsigned char Page[] = {
#include "heddle/Dashboard/Page.inc"
};

static constexpr auto Interval = std::chrono::milliseconds(500);
static constexpr auto RequestTime = std::chrono::seconds(10);
static constexpr auto GoodbyeTime = std::chrono::seconds(2);
static constexpr size_t MaxConnections = 256;
static constexpr size_t MaxRequestBytes = 16 << 10;
static constexpr size_t MaxLineBytes = 64 << 20;
/// A browser that lags so far behind is not waited for.
static constexpr size_t MaxWaitingBytes = 16 << 20;

//===----------------------------------------------------------------------===//
// Sockets
//===----------------------------------------------------------------------===//

Expected<Listener> Listener::open(uint16_t Port) {
  int Socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  int Yes = 1;
  sockaddr_in Address = {};
  Address.sin_family = AF_INET;
  Address.sin_port = htons(Port);
  Address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  auto *Generic = reinterpret_cast<sockaddr *>(&Address);
  socklen_t Size = sizeof(Address);
  if (Socket < 0 ||
      ::setsockopt(Socket, SOL_SOCKET, SO_REUSEADDR, &Yes, sizeof(Yes)) != 0 ||
      ::bind(Socket, Generic, Size) != 0 || ::listen(Socket, SOMAXCONN) != 0 ||
      ::getsockname(Socket, Generic, &Size) != 0) {
    std::string Reason = std::strerror(errno);
    if (Socket >= 0)
      ::close(Socket);
    return createStringError(
        "cannot serve a dashboard at 127.0.0.1:" + Twine(Port) + ": " + Reason);
  }
  return Listener(Socket, ntohs(Address.sin_port));
}

void Server::accept() {
  while (true) {
    int Socket =
        ::accept4(On.socket(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (Socket < 0)
      return;
    if (Connections.size() >= MaxConnections)
      ::close(Socket);
    else
      Connections.push_back({Socket, Use::Unknown, Clock::now()});
  }
}

void Server::send(Connection &C) {
  while (!C.Out.empty()) {
    ssize_t Sent = ::send(C.Socket, C.Out.data(), C.Out.size(), MSG_NOSIGNAL);
    if (Sent < 0) {
      if (errno != EAGAIN && errno != EINTR)
        C.Is = Use::Forgotten;
      break;
    }
    C.Out.erase(0, Sent);
  }
  if (C.Out.empty() && C.Is == Use::Answered)
    C.Is = Use::Forgotten;
  if (C.Out.size() > MaxWaitingBytes)
    C.Is = Use::Forgotten;
}

void Server::receive(Connection &C) {
  char Buffer[16 << 10];
  while (true) {
    ssize_t Size = ::recv(C.Socket, Buffer, sizeof(Buffer), 0);
    if (Size > 0) {
      // Whoever is answered or watches has nothing more to say.
      if (C.Is == Use::Unknown || C.Is == Use::Reports)
        C.In.append(Buffer, Size);
      if (C.In.size() > MaxLineBytes)
        C.Is = Use::Forgotten;
      continue;
    }
    if (Size == 0 || (errno != EAGAIN && errno != EINTR)) {
      // It may have come, spoken and gone since the last look.
      if (C.Is == Use::Unknown)
        begin(C);
      if (C.Is == Use::Reports)
        takeReports(C);
      // An answer may be on its way to a client that only listens now.
      if (C.Is != Use::Answered || Size < 0)
        C.Is = Use::Forgotten;
    }
    return;
  }
}

//===----------------------------------------------------------------------===//
// What is said
//===----------------------------------------------------------------------===//

/// The first lines say who is there.
void Server::begin(Connection &C) {
  StringRef In = C.In;
  if (In.starts_with(ReportGreeting)) {
    size_t End = In.find('\n');
    if (End == StringRef::npos && In.size() < MaxRequestBytes)
      return;
    if (In.take_front(End).drop_front(ReportGreeting.size()) != Secret) {
      C.Is = Use::Forgotten;
      return;
    }
    C.In.erase(0, End + 1);
    C.Is = Use::Reports;
    C.Process = Numbers.begin();
    return;
  }
  size_t End = In.find("\r\n\r\n");
  if (End != StringRef::npos) {
    std::string Request = C.In.substr(0, End + 2);
    C.In.clear();
    answer(C, Request);
  } else if (In.size() > MaxRequestBytes) {
    C.Is = Use::Answered;
    C.Out = response(431, "text/plain", "the request is too large\n");
  }
}

void Server::takeReports(Connection &C) {
  size_t From = 0;
  while (true) {
    size_t End = C.In.find('\n', From);
    if (End == std::string::npos)
      break;
    Expected<ProcessReport> R =
        parseReport(StringRef(C.In).slice(From, End + 1));
    From = End + 1;
    if (!R) {
      consumeError(R.takeError());
      C.Is = Use::Forgotten;
      return;
    }
    Numbers.add(*C.Process, *R, seconds());
  }
  C.In.erase(0, From);
}

void Server::answer(Connection &C, StringRef Text) {
  C.Is = Use::Answered;
  Request R = parseRequest(Text);
  if (R.Failure) {
    C.Out = response(R.Failure, "text/plain", R.Message + "\n");
    return;
  }
  std::string Body;
  raw_string_ostream OS(Body);
  if (R.Path == "/") {
    C.Out = R.TakesGzip
                ? response(200, "text/html; charset=utf-8",
                           StringRef(reinterpret_cast<const char *>(Page),
                                     sizeof(Page) - 1),
                           "Content-Encoding: gzip\r\n")
                : response(406, "text/plain",
                           "the page is compressed by gzip; /metrics and "
                           "/state are not\n");
  } else if (R.Path == "/metrics") {
    Numbers.printOpenMetrics(OS);
    C.Out = response(
        200, "application/openmetrics-text; version=1.0.0; charset=utf-8",
        Body);
  } else if (R.Path == "/state") {
    OS << json::Value(Numbers.state(seconds(), /*HasEnded=*/false)) << "\n";
    C.Out = response(200, "application/json", Body);
  } else if (R.Path == "/events") {
    C.Is = Use::Watches;
    C.Out = streamHead();
    sendEvent(C, /*HasEnded=*/false);
  } else {
    C.Out = response(404, "text/plain",
                     "there are /, /metrics, /state and /events\n");
  }
}

void Server::sendEvent(Connection &C, bool HasEnded) {
  raw_string_ostream(C.Out)
      << "data: "
      << json::Value(Numbers.state(seconds(), HasEnded, C.NextSample))
      << "\n\n";
  C.NextSample = Numbers.samples();
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

bool Server::hasReporters() const {
  return any_of(Connections,
                [](const Connection &C) { return C.Is == Use::Reports; });
}

void Server::serve(Connection &C, short Events) {
  if (Events & (POLLIN | POLLHUP | POLLERR))
    receive(C);
  if (C.Is == Use::Unknown)
    begin(C);
  if (C.Is == Use::Reports)
    takeReports(C);
  if (!C.Out.empty())
    send(C);
}

/// Closes what is over.
void Server::sweep() {
  for (auto It = Connections.begin(); It != Connections.end();) {
    bool IsLate =
        It->Is == Use::Unknown && Clock::now() - It->Since > RequestTime;
    if (It->Is != Use::Forgotten && !IsLate) {
      ++It;
      continue;
    }
    if (It->Process)
      Numbers.end(*It->Process);
    ::close(It->Socket);
    It = Connections.erase(It);
  }
}

void Server::tick() {
  Numbers.sample(seconds());
  for (Connection &C : Connections)
    if (C.Is == Use::Watches) {
      sendEvent(C, /*HasEnded=*/false);
      send(C);
    }
}

/// Tells browsers the last figures, and gives them a little time to take these.
void Server::finish() {
  ::close(On.socket());
  Numbers.sample(seconds());
  for (Connection &C : Connections)
    if (C.Is == Use::Watches) {
      sendEvent(C, /*HasEnded=*/true);
      C.Is = Use::Answered;
    } else if (C.Is != Use::Answered) {
      C.Is = Use::Forgotten;
    }
  Clock::time_point End = Clock::now() + GoodbyeTime;
  while (true) {
    std::vector<pollfd> Sockets;
    for (Connection &C : Connections)
      send(C);
    sweep();
    if (Connections.empty() || Clock::now() > End)
      return;
    for (Connection &C : Connections)
      Sockets.push_back({C.Socket, POLLOUT, 0});
    ::poll(Sockets.data(), Sockets.size(), 100);
  }
}

void Server::run(int ProgramFD) {
  Clock::time_point Next = Clock::now();
  bool IsRunning = true;
  while (IsRunning || hasReporters()) {
    // A descriptor below zero is not looked at.
    std::vector<pollfd> Sockets = {{On.socket(), POLLIN, 0},
                                   {IsRunning ? ProgramFD : -1, POLLIN, 0}};
    for (Connection &C : Connections)
      Sockets.push_back(
          {C.Socket, short(POLLIN | (C.Out.empty() ? 0 : POLLOUT)), 0});
    auto Wait = std::chrono::duration_cast<std::chrono::milliseconds>(
        Next - Clock::now());
    ::poll(Sockets.data(), Sockets.size(), std::max<int>(0, Wait.count()) + 1);
    // Those who report connect before they end.
    if (Sockets[0].revents || Sockets[1].revents)
      accept();
    IsRunning = IsRunning && !Sockets[1].revents;
    size_t I = 2;
    for (Connection &C : Connections) {
      // What was accepted just now may have said something already.
      serve(C, I < Sockets.size() ? Sockets[I].revents : POLLIN);
      ++I;
    }
    sweep();
    if (Clock::now() >= Next) {
      tick();
      Next = Clock::now() + Interval;
    }
  }
  finish();
}

} // namespace heddle::dash
