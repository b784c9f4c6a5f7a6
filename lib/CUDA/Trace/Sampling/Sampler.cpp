//===- Sampler.cpp - Where threads of the program are -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each thread has a timer of its own, which counts the thread's time and sends
// a signal that the program does not use. The handler copies registers and
// stack and does nothing else; a thread of ours makes call stacks of the
// copies, and looks for new threads.
//
//===----------------------------------------------------------------------===//

#include "Trace/Sampling/Sampler.h"
#include "Trace/Recorder.h"
#include "Trace/Sampling/CallFrames.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <dirent.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::trace {

//===----------------------------------------------------------------------===//
// The handler
//===----------------------------------------------------------------------===//

namespace {

/// A sample as the handler leaves it.
struct RawSample {
  enum Stage : unsigned { Free, IsWritten, IsComplete };
  std::atomic<unsigned> State{Free};
  uint32_t Thread = 0, CPU = 0;
  uint64_t Time = 0;
  unsigned Periods = 0; ///< That have passed since the last one.
  MachineState At;
  size_t StackBytes = 0;
  static constexpr size_t MostStackBytes = 32 << 10;
  uint8_t Stack[MostStackBytes];
};

constexpr size_t NumRawSamples = 256;

/// What the handler reads.
struct Handled {
  std::atomic<RawSample *> Samples{nullptr}; ///< Null: nobody wants any.
  std::atomic<unsigned> Next{0};
  std::atomic<uint64_t> Lost{0};
};
Handled Signals;

/// Copies as much of the stack as there is: no page that cannot be read does
/// harm.
size_t copyStack(uint64_t From, uint8_t *To, size_t Most) {
  constexpr size_t PageBytes = 4096;
  iovec Local = {To, Most}, Remote[RawSample::MostStackBytes / PageBytes + 1];
  size_t NumPages = 0;
  for (size_t Left = Most; Left;) {
    size_t Bytes = std::min<size_t>(Left, PageBytes - From % PageBytes);
    Remote[NumPages++] = {reinterpret_cast<void *>(From), Bytes};
    From += Bytes;
    Left -= Bytes;
  }
  // The last argument is on the stack, where all eight bytes count.
  constexpr unsigned long NoFlags = 0;
  ssize_t Copied = syscall(SYS_process_vm_readv, getpid(), &Local, 1, Remote,
                           NumPages, NoFlags);
  return Copied > 0 ? size_t(Copied) : 0;
}

RawSample *takeRawSample() {
  RawSample *All = Signals.Samples;
  for (size_t Tries = 0; All && Tries != NumRawSamples; ++Tries) {
    RawSample &S = All[Signals.Next++ % NumRawSamples];
    unsigned Expected = RawSample::Free;
    if (S.State.compare_exchange_strong(Expected, RawSample::IsWritten))
      return &S;
  }
  if (All)
    ++Signals.Lost;
  return nullptr;
}

/// Only what is allowed in handlers of signals: no memory, no locks.
void onSignal(int, siginfo_t *Info, void *Context) {
  int Kept = errno;
  if (RawSample *S = takeRawSample()) {
    S->Thread = static_cast<uint32_t>(syscall(SYS_gettid));
    unsigned CPU = 0;
    syscall(SYS_getcpu, &CPU, nullptr, nullptr);
    S->CPU = CPU;
    S->Time = now();
    S->Periods = 1 + static_cast<unsigned>(std::max(Info->si_overrun, 0));
    readState(*static_cast<const ucontext_t *>(Context), S->At);
    S->StackBytes = copyStack(S->At.Registers[StackPointer], S->Stack,
                              RawSample::MostStackBytes);
    S->State.store(RawSample::IsComplete, std::memory_order_release);
  }
  errno = Kept;
}

//===----------------------------------------------------------------------===//
// Timers
//===----------------------------------------------------------------------===//

/// The kernel's number of the clock that counts a thread's time.
clockid_t clockOf(pid_t Thread) {
  constexpr int PerThread = 4, Scheduler = 2;
  return static_cast<clockid_t>((~static_cast<unsigned>(Thread) << 3) |
                                PerThread | Scheduler);
}

/// Not by the C library's functions, which would count such timers as its own.
class ThreadTimer {
public:
  ThreadTimer(pid_t Thread, int Signal, uint64_t PeriodNs) {
    sigevent Event = {};
    Event.sigev_notify = SIGEV_THREAD_ID;
    Event.sigev_signo = Signal;
    Event._sigev_un._tid = Thread;
    if (syscall(SYS_timer_create, clockOf(Thread), &Event, &Number))
      return;
    IsSet = true;
    itimerspec Times = {};
    Times.it_interval.tv_sec = time_t(PeriodNs / 1'000'000'000);
    Times.it_interval.tv_nsec = long(PeriodNs % 1'000'000'000);
    Times.it_value = Times.it_interval;
    syscall(SYS_timer_settime, Number, 0, &Times, nullptr);
  }
  ThreadTimer(const ThreadTimer &) = delete;
  ThreadTimer &operator=(const ThreadTimer &) = delete;
  ~ThreadTimer() {
    if (IsSet)
      syscall(SYS_timer_delete, Number);
  }

private:
  int Number = 0;
  bool IsSet = false;
};

//===----------------------------------------------------------------------===//
// The sampler
//===----------------------------------------------------------------------===//

class Sampler {
public:
  explicit Sampler(unsigned Rate) : PeriodNs(1'000'000'000 / Rate) {}

  /// False if there is no signal left, or no memory.
  bool start();
  void stop();
  /// In a child of fork.
  void abandon() { new (&Worker) std::thread; }

private:
  /// Threads of ours are not the program's.
  enum class Owner { Unknown, Program, Us };
  struct Known {
    std::optional<ThreadTimer> Timer; ///< None: it is not sampled.
    Owner Of = Owner::Unknown;
    bool IsSeen = true;
  };

  bool isSignalOurs() const;
  void work();
  void findThreads();
  void takeSamples();
  void take(const RawSample &S);

  const uint64_t PeriodNs;
  int Signal = 0;
  RawSample *Samples = nullptr;
  std::thread Worker;
  std::mutex Mutex; ///< Of what follows.
  std::condition_variable Wake;
  bool IsStopping = false;

  // Of the worker.
  std::map<pid_t, Known> Threads;
  pid_t Own = 0;
  CodeMap Code;
};

/// A signal of those for programs' own uses that nobody has a handler for.
int findSignal() {
  for (int Signal = SIGRTMAX - 1; Signal > SIGRTMIN; --Signal) {
    struct sigaction Action;
    if (sigaction(Signal, nullptr, &Action) == 0 &&
        !(Action.sa_flags & SA_SIGINFO) && Action.sa_handler == SIG_DFL)
      return Signal;
  }
  return 0;
}

bool Sampler::start() {
  Signal = findSignal();
  void *Memory =
      mmap(nullptr, NumRawSamples * sizeof(RawSample), PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (!Signal || Memory == MAP_FAILED)
    return false;
  Samples = static_cast<RawSample *>(Memory);
  for (size_t I = 0; I != NumRawSamples; ++I)
    new (&Samples[I].State) std::atomic<unsigned>(RawSample::Free);
  Signals.Samples = Samples;
  struct sigaction Action = {};
  Action.sa_sigaction = onSignal;
  Action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
  sigemptyset(&Action.sa_mask);
  if (sigaction(Signal, &Action, nullptr))
    return false;
  Worker = std::thread([this] { work(); });
  return true;
}

bool Sampler::isSignalOurs() const {
  struct sigaction Action;
  return sigaction(Signal, nullptr, &Action) == 0 &&
         Action.sa_flags & SA_SIGINFO && Action.sa_sigaction == onSignal;
}

void Sampler::findThreads() {
  DIR *Folder = opendir("/proc/self/task");
  if (!Folder)
    return;
  for (auto &[Thread, K] : Threads)
    K.IsSeen = false;
  while (dirent *Entry = readdir(Folder)) {
    pid_t Thread = 0;
    if (StringRef(Entry->d_name).getAsInteger(10, Thread) || Thread == Own)
      continue;
    auto It = Threads.find(Thread);
    if (It == Threads.end())
      Threads[Thread].Timer.emplace(Thread, Signal, PeriodNs);
    else
      It->second.IsSeen = true;
  }
  closedir(Folder);
  std::erase_if(Threads, [](const auto &T) { return !T.second.IsSeen; });
}

/// Whose code a file has, by which threads are told apart.
enum class CodeOwner { Program, System, Us };

CodeOwner ownerOf(StringRef Path) {
  StringRef Name = sys::path::filename(Path);
  if (Name.starts_with("libheddle-"))
    return CodeOwner::Us;
  for (StringRef System : {"libc.so", "libstdc++.so", "libgcc_s.so", "libm.so",
                           "libpthread.so", "ld-linux", "[vdso]"})
    if (Name.starts_with(System))
      return CodeOwner::System;
  return CodeOwner::Program;
}

void Sampler::take(const RawSample &S) {
  StackCopy Copy{S.At.Registers[StackPointer], {S.Stack, S.StackBytes}};
  CallStack Stack = unwind(S.At, Copy, Code);
  auto It = Threads.find(pid_t(S.Thread));
  if (It == Threads.end())
    return;
  SmallVector<const CodePlace *, 64> Places;
  bool HasOurs = false, HasPrograms = false;
  for (uint64_t PC : Stack.PCs) {
    Places.push_back(Code.placeOf(PC));
    const std::string &Module = Places.back()->Module;
    HasOurs |= !Module.empty() && ownerOf(Module) == CodeOwner::Us;
    HasPrograms |= !Module.empty() && ownerOf(Module) == CodeOwner::Program;
  }
  Known &K = It->second;
  if (K.Of == Owner::Unknown && HasPrograms)
    K.Of = Owner::Program;
  else if (K.Of == Owner::Unknown && HasOurs && Stack.IsWhole)
    K.Of = Owner::Us;
  if (K.Of == Owner::Us)
    return K.Timer.reset();
  Recorder::get().add(
      Sample{S.Thread, S.CPU, S.Time, S.Periods * PeriodNs, Places});
}

void Sampler::takeSamples() {
  for (size_t I = 0; I != NumRawSamples; ++I) {
    RawSample &S = Samples[I];
    if (S.State.load(std::memory_order_acquire) != RawSample::IsComplete)
      continue;
    take(S);
    S.State.store(RawSample::Free, std::memory_order_release);
  }
}

void Sampler::work() {
  sigset_t All;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, nullptr);
  Own = gettid();
  std::unique_lock Lock(Mutex);
  while (!IsStopping) {
    Lock.unlock();
    if (!isSignalOurs()) {
      errs() << "heddle: the program uses signal " << Signal
             << ": the CPU is no longer sampled\n";
      Signals.Samples = nullptr;
      Threads.clear();
      Lock.lock();
      break;
    }
    findThreads();
    takeSamples();
    Lock.lock();
    Wake.wait_for(Lock, std::chrono::milliseconds(20));
  }
}

/// The signal's handler stays: one may be on its way.
void Sampler::stop() {
  {
    std::lock_guard Lock(Mutex);
    IsStopping = true;
  }
  Wake.notify_all();
  if (Worker.joinable())
    Worker.join();
  Signals.Samples = nullptr;
  takeSamples();
  Threads.clear();
  if (uint64_t Lost = Signals.Lost)
    errs() << "heddle: " << Lost << " samples of the CPU were lost\n";
}

Sampler *TheSampler = nullptr;

} // namespace

void startSampling() {
  const char *Text = std::getenv("HEDDLE_CPU_SAMPLES");
  if (!Text || !*Text)
    return;
  constexpr unsigned Most = 10000;
  unsigned Rate = 0;
  if (StringRef(Text).getAsInteger(10, Rate) || !Rate || Rate > Most) {
    errs() << "heddle: HEDDLE_CPU_SAMPLES: '" << Text
           << "' is no number from 1 to " << Most << "\n";
    return;
  }
  auto New = std::make_unique<Sampler>(Rate);
  if (New->start())
    TheSampler = New.release(); // see Process.h
  else
    errs() << "heddle: the CPU is not sampled: the program uses all signals\n";
}

void stopSampling() {
  if (TheSampler)
    TheSampler->stop();
}

void abandonSampling() {
  Signals.Samples = nullptr;
  if (TheSampler)
    TheSampler->abandon();
  TheSampler = nullptr;
}

} // namespace heddle::cuda::trace
