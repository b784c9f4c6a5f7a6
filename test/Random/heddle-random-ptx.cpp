//===- heddle-random-ptx.cpp - Compares random programs ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes random PTX programs, and compares what the interpreter makes of them
// with what compiled code does on the emulator. Programs that differ are
// reduced.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "Generator.h"
#include "Reducer.h"
#include "heddle/Native/ChooseExecution.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace heddle;
using namespace heddle::random;
using namespace llvm;

static constexpr const char *Help =
    R"(heddle-random-ptx: compares compiled random programs with interpreted ones

usage: heddle-random-ptx [options] [FILE...]

Makes random PTX programs, interprets them, compiles them at -O3 for one chip
and at -O0 for the other, runs the code on the emulator with strict hazards, and
compares memory. Given files, it replays them in place of random programs, in
all ways; a comment in each says how to launch it. The exit status is 0 if all agree, else 1.

Options:
  --seed N      The first program's seed (1)
  --count N     How many programs (1)
  --seconds N   Stop after so much time
  --at-least N  With --seconds: but not before so many programs
  --print       Print the programs and do not run them
  --no-reduce   Report a difference without making the program smaller
  --out DIR     Write each reduced program to DIR/SEED.ptx
  --keep-going  Do not stop at the first difference
  --profiles    Compile optimized code with profiles of random numbers
  --tunings     Compile optimized code with random decisions of tuning
  --no-single-pass
                Generate code at -O0 with LLVM's code generator
  --execution WAY
                Run the code in this way (docs/native.md) in place of emulated
                with strict hazards: translate or compare
  --isolate     Run programs in processes of their own; a crash of the compiler
                then counts as a program that differs, and is reduced too
  --limit N     With --isolate: a program that takes more than N seconds counts
                as one that differs, too (120; 0: no limit)
  --progress N  Print how many programs are done after every N
  --unsupported List the mnemonics that were drawn but are not supported
  --help        Print this text
)";

namespace {

struct Settings {
  uint64_t Seed = 1, Count = 1, Seconds = 0, AtLeast = 1, Progress = 0;
  uint64_t Limit = 120;
  bool Print = false, Reduce = true, KeepGoing = false, Unsupported = false;
  Disturbances Disturb;
  emu::Execution Mode = emu::Execution::Emulate;
  bool Isolate = false;
  std::string Out;
  std::vector<std::string> Files;
};

bool parseNumber(StringRef Text, uint64_t &Number) {
  return !Text.getAsInteger(10, Number);
}

/// A way of execution by its name, if code can be executed in this way here.
Error chooseMode(StringRef Name, emu::Execution &Mode) {
  emu::EmulatorOptions Options;
  if (Error E = native::parseExecution(Name).moveInto(Mode))
    return E;
  return native::chooseExecution(Options, Mode);
}

/// False, with a message, if the command line is not understood.
bool parse(ArrayRef<const char *> Args, Settings &S) {
  for (size_t N = 0; N != Args.size(); ++N) {
    StringRef Arg = Args[N];
    uint64_t *Number = Arg == "--seed"       ? &S.Seed
                       : Arg == "--count"    ? &S.Count
                       : Arg == "--seconds"  ? &S.Seconds
                       : Arg == "--at-least" ? &S.AtLeast
                       : Arg == "--progress" ? &S.Progress
                       : Arg == "--limit"    ? &S.Limit
                                             : nullptr;
    if (Number) {
      ++N;
      if (N == Args.size() || !parseNumber(Args[N], *Number)) {
        errs() << "heddle-random-ptx: " << Arg << " takes a number\n";
        return false;
      }
    } else if (Arg == "--out" && N + 1 != Args.size()) {
      S.Out = Args[++N];
    } else if (Arg == "--execution" && N + 1 != Args.size()) {
      if (Error E = chooseMode(Args[++N], S.Mode)) {
        errs() << "heddle-random-ptx: " << toString(std::move(E)) << "\n";
        return false;
      }
    } else if (Arg == "--print") {
      S.Print = true;
    } else if (Arg == "--no-reduce") {
      S.Reduce = false;
    } else if (Arg == "--keep-going") {
      S.KeepGoing = true;
    } else if (Arg == "--profiles") {
      S.Disturb.Profiles = true;
    } else if (Arg == "--tunings") {
      S.Disturb.Tunings = true;
    } else if (Arg == "--no-single-pass") {
      S.Disturb.SinglePass = false;
    } else if (Arg == "--isolate") {
      S.Isolate = true;
    } else if (Arg == "--unsupported") {
      S.Unsupported = true;
    } else if (Arg.starts_with("-")) {
      errs() << "heddle-random-ptx: unknown option '" << Arg
             << "'; see --help\n";
      return false;
    } else {
      S.Files.push_back(Arg.str());
    }
  }
  return true;
}

StringRef nameOf(Verdict::Kind K) {
  switch (K) {
  case Verdict::Kind::Same:
    return "same";
  case Verdict::Kind::Different:
    return "different";
  case Verdict::Kind::Rejected:
    return "rejected by the compiler";
  case Verdict::Kind::Undefined:
    return "undefined in the interpreter";
  case Verdict::Kind::TooLong:
    return "too long";
  case Verdict::Kind::Crashed:
    return "crashed";
  }
  llvm_unreachable("unknown verdict");
}

/// Writes a verdict to a pipe.
void writeVerdict(int Descriptor, const Verdict &V) {
  raw_fd_ostream OS(Descriptor, /*shouldClose=*/true);
  OS << unsigned(V.K) << "\n"
     << (V.Way ? std::to_string(*V.Way) : "-") << "\n"
     << V.Message;
}

/// Reads what writeVerdict wrote; none if the text is cut off.
std::optional<Verdict> readVerdict(StringRef Text) {
  auto [Kind, Rest] = Text.split('\n');
  auto [Way, Message] = Rest.split('\n');
  unsigned K = 0, W = 0;
  if (Kind.getAsInteger(10, K))
    return std::nullopt;
  Verdict V{Verdict::Kind(K), std::nullopt, Message.str()};
  if (!Way.getAsInteger(10, W))
    V.Way = W;
  return V;
}

/// A fault of LLVM's own in a child process: its parent reports.
[[noreturn]] void onFatalErrorInChild(void *Descriptor, const char *Reason,
                                      bool) {
  writeVerdict(*static_cast<int *>(Descriptor),
               {Verdict::Kind::Crashed, std::nullopt, Reason});
  _exit(0);
}

/// Reads from \p Descriptor to its end; none if that takes more than
/// \p Seconds, unless they are 0.
std::optional<std::string> readAll(int Descriptor, uint64_t Seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point End = Clock::now() + std::chrono::seconds(Seconds);
  std::string Text;
  while (true) {
    int Wait = -1;
    if (Seconds) {
      auto Left =
          std::chrono::ceil<std::chrono::milliseconds>(End - Clock::now());
      if (Left.count() <= 0)
        return std::nullopt;
      Wait = int(std::min<int64_t>(Left.count(), 60'000));
    }
    pollfd Poll{Descriptor, POLLIN, 0};
    if (poll(&Poll, 1, Wait) <= 0)
      continue;
    char Part[4096];
    ssize_t N = read(Descriptor, Part, sizeof(Part));
    if (N <= 0)
      return Text;
    Text.append(Part, size_t(N));
  }
}

/// Calls \p Do in a child process, which is ended after \p Seconds unless they
/// are 0.
template <typename DoT> Verdict isolated(DoT Do, uint64_t Seconds) {
  Verdict Crash{Verdict::Kind::Crashed, std::nullopt, "a crash"};
  int Pipe[2];
  if (pipe(Pipe) != 0)
    return Crash;
  outs().flush();
  pid_t Child = fork();
  if (Child == 0) {
    close(Pipe[0]);
    remove_fatal_error_handler();
    install_fatal_error_handler(onFatalErrorInChild, &Pipe[1]);
    writeVerdict(Pipe[1], Do());
    _exit(0);
  }
  close(Pipe[1]);
  std::optional<std::string> Text =
      Child < 0 ? std::string() : readAll(Pipe[0], Seconds);
  close(Pipe[0]);
  if (!Text)
    kill(Child, SIGKILL);
  int Status = 0;
  bool Ended = Child >= 0 && waitpid(Child, &Status, 0) == Child;
  if (!Text)
    return {Verdict::Kind::Crashed, std::nullopt,
            "no end after " + std::to_string(Seconds) + " s"};
  if (!Ended || !WIFEXITED(Status) || WEXITSTATUS(Status) != 0)
    return Crash;
  return readVerdict(*Text).value_or(Crash);
}

class Session {
public:
  explicit Session(const Settings &S) : S(S) {}
  bool runFiles();
  bool runSeeds();

private:
  RandomProgram make(uint64_t Seed) {
    return generate(Seed, [&](const std::string &M, const std::string &I) {
      return Check.isSupported(M, I);
    });
  }
  Verdict check(const RandomProgram &P,
                std::optional<unsigned> Only = std::nullopt) {
    auto Do = [&] { return Check.check(P.print(), P.Shape, Only); };
    return S.Isolate ? isolated(Do, S.Limit) : Do();
  }
  /// The verdict on each of several programs.
  std::vector<Verdict> checkAll(llvm::ArrayRef<RandomProgram> Programs);
  void report(uint64_t Seed, RandomProgram P, const Verdict &V);
  void summarize(uint64_t Done, double Seconds);

  const Settings &S;
  Checker Check{S.Disturb, S.Mode};
  uint64_t Kinds[6] = {};
};

bool Session::runFiles() {
  bool AllSame = true;
  for (const std::string &File : S.Files) {
    auto Buffer = MemoryBuffer::getFile(File);
    ProgramShape Shape;
    std::string Text = Buffer ? (*Buffer)->getBuffer().str() : "";
    if (!Buffer || !readShape(Text, Shape)) {
      errs() << File << ": "
             << (Buffer ? "no line says how to launch it"
                        : Buffer.getError().message())
             << "\n";
      AllSame = false;
      continue;
    }
    auto Do = [&] {
      return Check.check(Text, Shape, std::nullopt, /*AllWays=*/true);
    };
    Verdict V = S.Isolate ? isolated(Do, S.Limit) : Do();
    if (V.K == Verdict::Kind::Same)
      continue;
    AllSame = false;
    errs() << File << ": " << nameOf(V.K) << ": " << V.Message << "\n";
  }
  return AllSame;
}

/// Still the same kind of failure, in the same way of running.
void Session::report(uint64_t Seed, RandomProgram P, const Verdict &V) {
  outs() << "seed " << Seed << ": " << nameOf(V.K) << ": " << V.Message << "\n";
  if (S.Reduce) {
    auto StillFails = [&](const RandomProgram &Candidate) {
      Verdict Now = V.K == Verdict::Kind::Undefined
                        ? Check.interpret(Candidate.print(), Candidate.Shape)
                        : check(Candidate, V.Way);
      return Now.K == V.K && Now.Way == V.Way;
    };
    P = reduce(std::move(P), StillFails);
  }
  std::string Text = P.print();
  if (S.Out.empty()) {
    outs() << Text << "\n";
    return;
  }
  std::error_code Failure;
  raw_fd_ostream File(S.Out + "/" + std::to_string(Seed) + ".ptx", Failure);
  if (Failure)
    errs() << S.Out << ": " << Failure.message() << "\n";
  else
    File << Text;
}

void Session::summarize(uint64_t Done, double Seconds) {
  outs() << formatv("{0} programs in {1:f1} s ({2:f1} a second), {3} "
                    "mnemonics, {4} not supported, {5} thread-instructions "
                    "interpreted\n",
                    Done, Seconds, double(Done) / std::max(Seconds, 1e-3),
                    Check.numSupported(), Check.unsupported().size(),
                    Check.numInterpreted());
  if (S.Disturb.SinglePass && !S.Isolate)
    outs() << formatv("  generated in one pass: {0} of {1} functions\n",
                      Check.numInOnePass(),
                      Check.numInOnePass() + Check.numNotInOnePass());
  for (unsigned K = 0; K != std::size(Kinds); ++K)
    if (Kinds[K])
      outs() << formatv("  {0}: {1}\n", nameOf(Verdict::Kind(K)), Kinds[K]);
  if (S.Unsupported)
    for (auto &[Mnemonic, Message] : Check.unsupported())
      outs() << "  not supported: " << Mnemonic << ": " << Message << "\n";
}

static bool isGood(const Verdict &V) {
  return V.K == Verdict::Kind::Same || V.K == Verdict::Kind::TooLong;
}

/// A process costs as much as some programs: one checks them all, and only
/// where one of them is not good each gets its own.
std::vector<Verdict> Session::checkAll(ArrayRef<RandomProgram> Programs) {
  std::vector<Verdict> Verdicts;
  if (S.Isolate && Programs.size() > 1) {
    Verdict Together = isolated(
        [&] {
          Verdict Last;
          for (const RandomProgram &P : Programs) {
            Verdict V = Check.check(P.print(), P.Shape);
            if (!isGood(V))
              return V;
            Last.Message += char('0' + unsigned(V.K));
          }
          return Last;
        },
        S.Limit * Programs.size());
    if (isGood(Together) && Together.Message.size() == Programs.size()) {
      for (char Kind : Together.Message)
        Verdicts.push_back({Verdict::Kind(Kind - '0'), std::nullopt, ""});
      return Verdicts;
    }
  }
  for (const RandomProgram &P : Programs)
    Verdicts.push_back(check(P));
  return Verdicts;
}

bool Session::runSeeds() {
  auto Start = std::chrono::steady_clock::now();
  auto Elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() -
                                         Start)
        .count();
  };
  constexpr uint64_t MaxTogether = 20;
  uint64_t Done = 0;
  bool AllSame = true, Stop = false;
  while (Done != S.Count && !Stop) {
    std::vector<RandomProgram> Programs;
    uint64_t First = S.Seed + Done;
    uint64_t Together =
        S.Isolate ? std::min(MaxTogether, S.Count - Done) : uint64_t(1);
    for (uint64_t N = 0; N != Together; ++N)
      Programs.push_back(make(First + N));
    if (S.Print) {
      for (const RandomProgram &P : Programs)
        outs() << P.print();
      Done += Together;
      continue;
    }
    // A crash prints this.
    PrettyStackTraceFormat Trace("seed %llu",
                                 static_cast<unsigned long long>(First));
    std::vector<Verdict> Verdicts = checkAll(Programs);
    for (uint64_t N = 0; N != Together && !Stop; ++N) {
      ++Done;
      ++Kinds[unsigned(Verdicts[N].K)];
      if (!isGood(Verdicts[N])) {
        AllSame = false;
        report(First + N, std::move(Programs[N]), Verdicts[N]);
        outs().flush();
        Stop = !S.KeepGoing;
      }
      if (S.Progress && Done % S.Progress == 0) {
        outs() << formatv("{0} programs, {1:f0} s\n", Done, Elapsed());
        outs().flush();
      }
    }
    Stop |= S.Seconds && Done >= S.AtLeast && Elapsed() > double(S.Seconds);
  }
  if (!S.Print)
    summarize(Done, Elapsed());
  return AllSame;
}

} // namespace

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  ArrayRef<const char *> Args(Argv + 1, size_t(Argc - 1));
  if (any_of(Args, [](StringRef A) { return A == "--help"; })) {
    outs() << Help;
    return 0;
  }
  Settings S;
  if (!parse(Args, S))
    return 1;
  Session Run(S);
  return (S.Files.empty() ? Run.runSeeds() : Run.runFiles()) ? 0 : 1;
}
