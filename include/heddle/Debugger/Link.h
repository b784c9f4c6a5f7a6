//===- Link.h - Between a debugger and its program --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The session of a CUDA program is in its process, and the console in
// ptx-debug's. Frames go over a socket between them: a letter, the length in
// four bytes, and a text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEBUGGER_LINK_H
#define HEDDLE_DEBUGGER_LINK_H

#include "heddle/Debugger/Debugger.h"

#include <optional>
#include <sys/types.h>

namespace heddle::debug {

/// What a frame is. The program sends the first four.
enum class FrameKind : char {
  Output = 'O',      ///< Text to print.
  Definitions = 'D', ///< Session::definitions as they are now.
  Prompt = 'P',      ///< A command is wanted.
  End = 'K',         ///< `quit`, `kill` or `detach` was the command.
  Command = 'C',
  NoMore = 'E', ///< There are no more commands.
  Interrupt = 'I',
};

struct LinkFrame {
  FrameKind Kind;
  std::string Text;
};

/// One end of the socket.
class Link {
public:
  explicit Link(int Socket) : Socket(Socket) {}

  /// False if the other end is gone.
  bool send(FrameKind Kind, llvm::StringRef Text);
  /// The next frame; none if the other end is gone, or a signal has come.
  std::optional<LinkFrame> receive();
  /// Whether receive would not wait.
  bool hasFrame() const;
  /// Waits until it would not, or something can be read from \p Other, unless
  /// that is -1.
  void wait(int Other) const;
  /// Whether the other end is gone.
  bool isClosed() const { return Closed; }
  /// Ends the connection.
  void close();

private:
  int Socket;
  bool Closed = false;
};

/// The environment variable that names the socket of a program that is
/// debugged.
constexpr char LinkVariable[] = "HEDDLE_DEBUG";

/// The environment variable that has a program wait for a debugger, in front of
/// its first use of a device. Its children do not.
constexpr char WaitVariable[] = "HEDDLE_DEBUG_WAIT";

/// The environment variable that lets debuggers attach to a program, and its
/// children, while it runs.
constexpr char AttachVariable[] = "HEDDLE_DEBUG_ATTACH";

/// Waits for a debugger of the same user. Returns the socket to it.
llvm::Expected<int> waitForDebugger();
/// A socket at which such debuggers reach this process, without waiting; and
/// the socket to one that has come, none if nobody has.
llvm::Expected<int> listenForDebuggers();
std::optional<int> acceptDebugger(int Listening);
/// The socket to a process that waits or listens so.
llvm::Expected<int> attachTo(pid_t Process);

/// Whether this process is debugged, or may be before it ends.
bool isDebugged();
bool mayBeDebugged();
/// What is told of this process's kernels: a session over the socket that the
/// environment names, or one for each debugger that attaches; null if the
/// environment asks for neither. Children of the process do not inherit it. It
/// is always the same one.
std::shared_ptr<emu::Debugger> debuggerOfProcess(CodeTools Tools);
/// A session whose commands come over a socket. It stays for good.
std::shared_ptr<Session> makeSessionOver(int Socket, CodeTools Tools);
/// Nobody, until a debugger attaches to this process: it is told of the kernels
/// from the next one on. After it has left another one may come.
llvm::Expected<std::shared_ptr<emu::Debugger>> createStandby(CodeTools Tools);

} // namespace heddle::debug

#endif // HEDDLE_DEBUGGER_LINK_H
