//===- Service.cpp - What a farm does with requests -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cache finds what is known and lets one of several equal requests compile;
// a worker is taken for that one alone.
//
//===----------------------------------------------------------------------===//

#include "heddle/Farm/Service.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::farm {

namespace {

struct CounterInfo {
  std::string_view Name, Help;
};

constexpr CounterInfo CounterTable[] = {
#define HEDDLE_FARM_COUNTER(Id, Name, Help) {Name, Help},
#include "heddle/Farm/Counters.def"
};

/// Ends a compilation that takes too long or that nobody waits for.
class RequestControl final : public CompileControl {
public:
  RequestControl(uint64_t Memory, std::chrono::seconds Time,
                 const std::function<bool()> &IsAbandoned)
      : Memory(Memory), Time(Time), IsAbandoned(IsAbandoned) {}

  /// The time begins with the work, not with the wait for a worker.
  void begin() { Until = Clock::now() + Time; }
  bool shouldStop() override {
    bool IsLate = Time.count() && Until && Clock::now() > *Until;
    return IsLate || IsAbandoned();
  }
  uint64_t memoryLimit() override { return Memory; }

private:
  using Clock = std::chrono::steady_clock;
  const uint64_t Memory;
  const std::chrono::seconds Time;
  const std::function<bool()> &IsAbandoned;
  std::optional<Clock::time_point> Until;
};

/// The smaller of two limits, of which 0 is none.
uint64_t smaller(uint64_t A, uint64_t B) {
  return A && B ? std::min(A, B) : std::max(A, B);
}

} // namespace

static CompileService::Setup setupOf(cache::Settings Settings) {
  CompileService::Setup Setup;
  // A farm that asks a farm could ask itself.
  (void)Settings.set(cache::SettingId::Farm, "", "ptx-farm");
  Setup.Settings = std::move(Settings);
  Setup.WriteInBackground = true;
  Setup.Isolate = true;
  return Setup;
}

Service::Service(cache::Settings Settings, const ServiceLimits &Limits)
    : Limits(Limits), Turns(Limits.Admission), Compiler([&] {
        CompileService::Setup Setup = setupOf(std::move(Settings));
        Setup.Around = [this](const CompileRequest &Request,
                              const std::function<CompileResult()> &Compile) {
          return runWorker(Request, Compile);
        };
        return Setup;
      }()) {}

std::optional<CompileOptions> Service::read(const CompileMessage &Message,
                                            std::string &Wrong) {
  CompileOptions Options(OptionTool::All);
  if (std::optional<std::string> Error =
          Options.parseWithoutFiles(Message.Options))
    Wrong = *Error;
  else if (!Options.list(OptionId::MLLVM).empty())
    Wrong = "options of LLVM are not taken";
  else if (!Options.commandLine({OptionEffect::Driver}).empty())
    Wrong = "options that say what to read or to write are not taken";
  else if (!Options.inputs().empty())
    Wrong = "names of files are not taken";
  else
    return Options;
  return std::nullopt;
}

CompileResult
Service::runWorker(const CompileRequest &Request,
                   const std::function<CompileResult()> &Compile) {
  CompileResult Result;
  CompileControl &Control = *Request.Control;
  if (!Turns.take(Request.Client, [&] { return Control.shouldStop(); })) {
    Result.Stopped = true;
    Result.Failure = "the compilation was stopped";
    return Result;
  }
  static_cast<RequestControl &>(Control).begin();
  Result = Compile();
  // It may have been killed for what has nothing to do with its input.
  if (Result.Failure == HelperDied) {
    count(CounterId::WorkersLost);
    Result = Compile();
  }
  Turns.giveBack(Request.Client);
  count(CounterId::Compiled);
  return Result;
}

CompileResult Service::compile(const CompileMessage &Message,
                               const CompileOptions &Options,
                               const std::string &Client,
                               const std::function<bool()> &IsAbandoned) {
  count(CounterId::Requests);
  RequestControl Control(smaller(Message.MemoryLimit, Limits.MemoryBytes),
                         Limits.Time, IsAbandoned);
  CompileRequest Request{Message.Input, Message.Name};
  Request.Color = Options.text(OptionId::Color) == "always";
  Request.Control = &Control;
  Request.Client = Client;
  ServedResult Served = Compiler.compile(Request, Options);
  if (!Served.Result.Succeeded)
    count(Served.Result.Stopped && IsAbandoned() ? CounterId::Abandoned
                                                 : CounterId::Failed);
  else if (Served.From == cache::Origin::Shared)
    count(CounterId::Shared);
  else if (Served.From != cache::Origin::Made)
    count(CounterId::Found);
  return std::move(Served.Result);
}

std::string Service::json() const {
  Admission::Figures Now = Turns.figures();
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  llvm::json::OStream JSON(OS, 2);
  JSON.object([&] {
    JSON.attribute("build", build());
    JSON.attribute("accepted", Now.Accepted);
    JSON.attribute("compiling", Now.Compiling);
    JSON.attribute("clients", Now.Clients);
    for (size_t I = 0; I != std::size(CounterTable); ++I)
      JSON.attribute(llvm::StringRef(CounterTable[I].Name), Counts[I].load());
  });
  return Text + "\n";
}

std::string Service::metrics() const {
  std::string Out;
  auto Add = [&](std::string_view Name, std::string_view Kind,
                 std::string_view Help, uint64_t Value) {
    std::string Full = "heddle_farm_" + std::string(Name);
    Out += "# HELP " + Full + " " + std::string(Help) + "\n# TYPE " + Full +
           " " + std::string(Kind) + "\n" + Full +
           (Kind == "counter" ? "_total " : " ") + std::to_string(Value) + "\n";
  };
  Admission::Figures Now = Turns.figures();
  Add("accepted", "gauge", "requests that wait or are compiled", Now.Accepted);
  Add("compiling", "gauge", "compilations under way", Now.Compiling);
  Add("clients", "gauge", "clients with requests", Now.Clients);
  for (size_t I = 0; I != std::size(CounterTable); ++I)
    Add(CounterTable[I].Name, "counter", CounterTable[I].Help, Counts[I]);
  return Out + "# EOF\n";
}

} // namespace heddle::farm
