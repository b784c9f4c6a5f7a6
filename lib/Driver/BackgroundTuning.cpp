//===- BackgroundTuning.cpp - Starting ptx-tune -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx-tune leaves for the background itself, once it has read its arguments:
// the process started here ends soon, and says on the way what is wrong.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/BackgroundTuning.h"

#include "SpawnAttributes.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace heddle {

/// This process's environment, with the cache that the search shall fill.
static std::vector<std::string> environmentWith(const std::string &Cache) {
  const std::string Mode = "HEDDLE_CACHE_MODE=", Dir = "HEDDLE_CACHE_DIR=";
  std::vector<std::string> All{Mode + "on", Dir + Cache};
  for (char **Entry = environ; *Entry; ++Entry)
    if (std::string_view E = *Entry;
        !E.starts_with(Mode) && !E.starts_with(Dir))
      All.emplace_back(E);
  return All;
}

/// As C wants them; they live as long as \p Strings.
static std::vector<char *> pointersTo(std::vector<std::string> &Strings) {
  std::vector<char *> Pointers;
  Pointers.reserve(Strings.size() + 1);
  for (std::string &S : Strings)
    Pointers.push_back(S.data());
  Pointers.push_back(nullptr);
  return Pointers;
}

/// Starts a program whose messages go to \p Messages and whose output is
/// dropped; 0, or an error number.
static int spawn(const std::string &Program, std::vector<std::string> Arguments,
                 std::vector<std::string> Environment, int Messages,
                 pid_t &Child) {
  posix_spawn_file_actions_t Files;
  posix_spawn_file_actions_init(&Files);
  for (int FD : {STDIN_FILENO, STDOUT_FILENO})
    posix_spawn_file_actions_addopen(&Files, FD, "/dev/null", O_RDWR, 0);
  posix_spawn_file_actions_adddup2(&Files, Messages, STDERR_FILENO);
  SpawnAttributes Attributes;
  Arguments.insert(Arguments.begin(), {Program, "--background"});
  int Failed = ::posix_spawn(&Child, Program.c_str(), &Files, Attributes.get(),
                             pointersTo(Arguments).data(),
                             pointersTo(Environment).data());
  posix_spawn_file_actions_destroy(&Files);
  return Failed;
}

/// All that comes before the end, but no more than anybody would read.
static std::string readAll(int FD) {
  constexpr size_t Most = 4096;
  std::string Text;
  char Buffer[512];
  for (;;) {
    ssize_t Size = ::read(FD, Buffer, sizeof(Buffer));
    if (Size < 0 && errno == EINTR)
      continue;
    if (Size <= 0)
      break;
    if (Text.size() < Most)
      Text.append(Buffer, static_cast<size_t>(Size));
  }
  while (!Text.empty() && Text.back() == '\n')
    Text.pop_back();
  return Text;
}

std::optional<std::string>
startTuning(const std::string &CacheDirectory,
            const std::vector<std::string> &Arguments) {
  int Messages[2];
  if (::pipe2(Messages, O_CLOEXEC) != 0)
    return std::string("cannot make a pipe: ") + std::strerror(errno);
  std::string Program = tunerPath();
  pid_t Child = 0;
  int Failed = spawn(Program, Arguments, environmentWith(CacheDirectory),
                     Messages[1], Child);
  ::close(Messages[1]);
  if (Failed) {
    ::close(Messages[0]);
    return "cannot start '" + Program + "': " + std::strerror(Failed);
  }
  std::string Text = readAll(Messages[0]);
  ::close(Messages[0]);
  int Status = 0;
  while (::waitpid(Child, &Status, 0) < 0 && errno == EINTR)
    ;
  if (WIFEXITED(Status) && WEXITSTATUS(Status) == 0)
    return std::nullopt;
  return Text.empty() ? "'" + Program + "' failed" : Text;
}

} // namespace heddle
