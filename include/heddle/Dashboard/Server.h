//===- Server.h - Serves a dashboard to browsers ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One port of the loopback for both sides: processes of the program report
// there, and browsers and collectors of metrics ask there (docs/profiling.md).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DASHBOARD_SERVER_H
#define HEDDLE_DASHBOARD_SERVER_H

#include "heddle/Dashboard/Figures.h"

#include <chrono>
#include <list>
#include <optional>

namespace heddle::dash {

/// A socket of the loopback that listens, so that a port that cannot be had is
/// found out before a program starts. Port 0 takes one that is free.
class Listener {
public:
  static llvm::Expected<Listener> open(uint16_t Port);

  int socket() const { return Socket; }
  uint16_t port() const { return Port; }
  /// The same under another number that the process has for it.
  Listener at(int OtherSocket) const { return Listener(OtherSocket, Port); }

private:
  Listener(int Socket, uint16_t Port) : Socket(Socket), Port(Port) {}

  int Socket;
  uint16_t Port;
};

/// Does all its work in one thread.
class Server {
public:
  /// \p Program is the command line; who says \p Secret may report.
  Server(Listener On, std::string Program, std::string Secret)
      : On(On), Secret(std::move(Secret)), Numbers(std::move(Program)),
        Start(Clock::now()) {}

  /// Serves until the process of \p ProgramFD, which pidfd_open gave, has ended
  /// and no process reports any more. Browsers are told the end.
  void run(int ProgramFD);

private:
  using Clock = std::chrono::steady_clock;

  enum class Use : uint8_t {
    Unknown,   ///< It has not said all of its first lines.
    Reports,   ///< A process.
    Watches,   ///< A browser that gets what changes.
    Answered,  ///< Nothing but the rest of an answer is left.
    Forgotten, ///< Closed at the next opportunity.
  };
  struct Connection {
    int Socket;
    Use Is = Use::Unknown;
    Clock::time_point Since;
    std::optional<size_t> Process = {}; ///< Of the figures, if it reports.
    uint64_t NextSample = 0;            ///< If it watches.
    std::string In = {}, Out = {};
  };

  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - Start).count();
  }
  void accept();
  void serve(Connection &C, short Events);
  void receive(Connection &C);
  void begin(Connection &C);
  void takeReports(Connection &C);
  void answer(Connection &C, llvm::StringRef Request);
  void sendEvent(Connection &C, bool HasEnded);
  static void send(Connection &C);
  void tick();
  void sweep();
  void finish();
  bool hasReporters() const;

  Listener On;
  const std::string Secret;
  Figures Numbers;
  const Clock::time_point Start;
  std::list<Connection> Connections;
};

} // namespace heddle::dash

#endif // HEDDLE_DASHBOARD_SERVER_H
