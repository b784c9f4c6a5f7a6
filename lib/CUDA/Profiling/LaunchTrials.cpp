//===- LaunchTrials.cpp - Launches again, in copies of a process *- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy (fork) waits for limiters at a socket. For each it makes a further
// copy, which runs the launch without that limiter, tells its cycles and ends.
// Launches in the time of a chip need no other thread, which copies have not.
//
//===----------------------------------------------------------------------===//

#include "Profiling/LaunchTrials.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/FormatVariadic.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda {

LaunchTrials &LaunchTrials::get() {
  static auto *TheTrials = new LaunchTrials; // see Process.h
  return *TheTrials;
}

//===----------------------------------------------------------------------===//
// Memory of a copy
//===----------------------------------------------------------------------===//

/// More of it is not copied.
static constexpr uint64_t MostSharedBytes = uint64_t(4) << 30;

namespace {
/// A part of memory that a copy would share with the program.
struct SharedPart {
  uintptr_t Begin = 0, End = 0;
  int Protection = 0;
};
} // namespace

static std::vector<SharedPart> findSharedParts() {
  std::vector<SharedPart> Parts;
  std::ifstream Maps("/proc/self/maps");
  for (std::string Line; std::getline(Maps, Line);) {
    std::istringstream Words(Line);
    SharedPart P;
    char Dash;
    std::string Flags, Offset, Device, Node, Path;
    Words >> std::hex >> P.Begin >> Dash >> P.End >> Flags >> Offset >>
        Device >> Node >> Path;
    bool IsDevice = StringRef(Path).starts_with("/dev/") &&
                    !StringRef(Path).starts_with("/dev/shm/") &&
                    !StringRef(Path).starts_with("/dev/zero");
    if (Flags.size() != 4 || Flags[3] != 's' || Flags[1] != 'w' || IsDevice)
      continue;
    P.Protection = PROT_WRITE | (Flags[0] == 'r' ? PROT_READ : 0) |
                   (Flags[2] == 'x' ? PROT_EXEC : 0);
    Parts.push_back(P);
  }
  return Parts;
}

/// Replaces memory that is shared with others, the program among them, by
/// memory of the copy alone. False if that is too much.
static bool keepToItself() {
  std::vector<SharedPart> Parts = findSharedParts();
  uint64_t Bytes = 0;
  for (const SharedPart &P : Parts)
    Bytes += P.End - P.Begin;
  if (Bytes > MostSharedBytes)
    return false;
  for (const SharedPart &P : Parts) {
    size_t Size = P.End - P.Begin;
    void *At = reinterpret_cast<void *>(P.Begin);
    void *Own = mmap(nullptr, Size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (Own == MAP_FAILED || !(P.Protection & PROT_READ))
      return false;
    std::memcpy(Own, At, Size);
    if (mprotect(Own, Size, P.Protection) ||
        mremap(Own, Size, Size, MREMAP_MAYMOVE | MREMAP_FIXED, At) ==
            MAP_FAILED)
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

namespace {
/// What a copy tells first: which process it is; 0: it cannot do it.
using Greeting = pid_t;

/// The copy of the process that the thread's next launch has.
struct Copy {
  int Socket = -1;
  std::chrono::steady_clock::time_point Made;

  ~Copy() { end(); }
  void end() {
    if (Socket >= 0)
      close(Socket);
    Socket = -1;
  }
};
} // namespace

static thread_local Copy Pending;

static bool sendAll(int Socket, const void *Bytes, size_t Size) {
  return send(Socket, Bytes, Size, MSG_NOSIGNAL) == ssize_t(Size);
}

/// False if there is nothing in time.
static bool receiveAll(int Socket, void *Bytes, size_t Size, int Milliseconds) {
  pollfd P = {Socket, POLLIN, 0};
  int Ready;
  do
    Ready = poll(&P, 1, Milliseconds);
  while (Ready < 0 && errno == EINTR);
  return Ready > 0 && recv(Socket, Bytes, Size, MSG_WAITALL) == ssize_t(Size);
}

/// In the copy of the copy.
static void runWithout(rt::Limiter L, int Socket, emu::LaunchWithout Run) {
  Expected<rt::LaunchResult> Result = Run(L);
  uint64_t Cycles = 0;
  if (!Result)
    consumeError(Result.takeError());
  else if (!Result->Fault && Result->Profile)
    Cycles = Result->Profile->totalCycles();
  sendAll(Socket, &Cycles, sizeof(Cycles));
}

/// In the copy: until nobody asks any more. Nothing of the program's is called
/// any more, be it at the end.
[[noreturn]] static void serve(int Socket, emu::LaunchWithout Run) {
  setsid();
  // Descriptors of the program's that wait for an end would not see it.
  close_range(3, Socket - 1, 0);
  close_range(Socket + 1, ~0U, 0);
  signal(SIGCHLD, SIG_DFL);
  Greeting Hello = keepToItself() ? getpid() : 0;
  uint8_t Number;
  bool IsFine = sendAll(Socket, &Hello, sizeof(Hello)) && Hello;
  while (IsFine && recv(Socket, &Number, 1, 0) == 1) {
    pid_t Child = fork();
    if (Child == 0) {
      runWithout(rt::Limiter(Number), Socket, Run);
      _exit(0);
    }
    int Status = 0;
    uint64_t None = 0;
    IsFine = Child > 0 && waitpid(Child, &Status, 0) == Child;
    if (!IsFine || Status)
      sendAll(Socket, &None, sizeof(None));
  }
  _exit(0);
}

bool LaunchTrials::isOfInterest(const rt::KernelInfo &Kernel,
                                const rt::LaunchConfig &Config) {
  constexpr uint64_t AlwaysCopied = 8;
  uint64_t Threads = Config.Grid.count() * Config.Block.count();
  std::lock_guard Lock(Mutex);
  Known &K = Kernels[Kernel.Name];
  bool IsLarger = Threads > K.MostThreads;
  K.MostThreads = std::max(K.MostThreads, Threads);
  if (K.Copies >= AlwaysCopied && !IsLarger)
    return false;
  ++K.Copies;
  return true;
}

/// The process between the two ends at once, so that a program that waits for
/// its children does not meet ours.
void LaunchTrials::prepare(const rt::KernelInfo &Kernel,
                           const rt::LaunchConfig &Config,
                           emu::LaunchWithout Run) {
  Pending.end();
  int Sockets[2];
  if (!isOfInterest(Kernel, Config) ||
      socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, Sockets))
    return;
  pid_t Between = fork();
  if (Between == 0) {
    close(Sockets[0]);
    if (fork() == 0)
      serve(Sockets[1], Run);
    _exit(0);
  }
  close(Sockets[1]);
  Pending.Socket = Sockets[0];
  Pending.Made = std::chrono::steady_clock::now();
  int Status;
  while (Between > 0 && waitpid(Between, &Status, 0) < 0 && errno == EINTR)
    ;
}

//===----------------------------------------------------------------------===//
// Proofs
//===----------------------------------------------------------------------===//

namespace {
/// A line on the terminal, if there is one, for as long as launches are tried.
class Progress {
public:
  explicit Progress(StringRef Kernel) {
    constexpr size_t Most = 30;
    Name = demangle(Kernel);
    if (Name.size() > Most)
      Name = Name.substr(0, Most) + "...";
  }
  ~Progress() {
    if (IsShown)
      print("");
  }
  void show(size_t Number, size_t Of) {
    if (IsTerminal)
      print(formatv("heddle: profile: tries {0} again, {1} of {2} "
                    "(--no-trials: not)",
                    Name, Number, Of)
                .str());
  }

private:
  /// In place of what stands in the line.
  void print(StringRef Text) {
    std::string Line = ("\r" + Text + "\x1b[K").str();
    IsShown = ::write(STDERR_FILENO, Line.data(), Line.size()) > 0;
  }

  const bool IsTerminal = isatty(STDERR_FILENO);
  bool IsShown = false;
  std::string Name;
};
} // namespace

/// Asks the copy for one limiter after the other. Returns why it stopped.
static std::string askAll(Copy &Of, StringRef Kernel,
                          std::vector<prof::Advice> &Suspected) {
  using namespace std::chrono;
  // A launch that waits for the program never ends in a copy.
  constexpr milliseconds Least = seconds(20);
  auto Passed = duration_cast<milliseconds>(steady_clock::now() - Of.Made);
  int Patience = static_cast<int>(std::max(Least, 10 * Passed).count());
  Greeting Process = 0;
  if (!receiveAll(Of.Socket, &Process, sizeof(Process), Patience))
    return "no copy of the process could be made";
  if (!Process)
    return "the process shares more memory with others than is copied";
  Progress Shown(Kernel);
  for (auto [N, A] : enumerate(Suspected)) {
    Shown.show(N + 1, Suspected.size());
    auto Number = static_cast<uint8_t>(A.Limiter);
    uint64_t Cycles = 0;
    if (!sendAll(Of.Socket, &Number, 1) ||
        !receiveAll(Of.Socket, &Cycles, sizeof(Cycles), Patience)) {
      kill(-Process, SIGKILL);
      return "the launch did not end in a copy of the process";
    }
    if (!Cycles) {
      A.Untried = "the launch failed in a copy of the process";
      continue;
    }
    A.CyclesWithout = Cycles;
    A.IsTried = true;
  }
  return {};
}

void LaunchTrials::forget() { Pending.end(); }

void LaunchTrials::prove(StringRef Kernel, uint64_t Cycles,
                         std::vector<prof::Advice> &Suspected) {
  // What is not slower by more than that is advised as what was tried.
  constexpr double Slower = 1.05;
  std::string WhyNot;
  {
    std::lock_guard Lock(Mutex);
    uint64_t &Most = Kernels[Kernel].MostCycles;
    if (Most && Cycles <= Slower * Most)
      WhyNot = "a launch of the kernel was tried that takes as long";
    else if (Pending.Socket < 0)
      WhyNot = Most ? "launches of the kernel were tried that are shorter"
                    : "no copy of the process could be made";
    else
      Most = Cycles;
  }
  if (WhyNot.empty() && !Suspected.empty())
    WhyNot = askAll(Pending, Kernel, Suspected);
  Pending.end();
  for (prof::Advice &A : Suspected)
    if (!A.IsTried && A.Untried.empty())
      A.Untried = WhyNot;
  llvm::sort(Suspected, [](const prof::Advice &A, const prof::Advice &B) {
    return std::tuple(B.won(), A.Limiter) < std::tuple(A.won(), B.Limiter);
  });
}

} // namespace heddle::cuda
