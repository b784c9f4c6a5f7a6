//===- Figures.cpp - What a dashboard shows ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums over processes are made when somebody asks for them: processes are few.
//
//===----------------------------------------------------------------------===//

#include "heddle/Dashboard/Figures.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::dash {

uint64_t Figures::ProcessFigures::memory() const {
  uint64_t Sum = 0;
  for (uint64_t Bytes : Last.MemoryBytes)
    Sum += Bytes;
  return Sum;
}

size_t Figures::begin() {
  Processes.emplace_back();
  return Processes.size() - 1;
}

void Figures::add(size_t Process, const ProcessReport &R, double Seconds) {
  ProcessFigures &P = Processes[Process];
  for (const KernelSums &K : R.Kernels) {
    KernelSums &Known = P.Kernels[K.Name];
    P.Launches += K.Launches - Known.Launches;
    P.Nanoseconds += K.Nanoseconds - Known.Nanoseconds;
    Known = K;
  }
  for (const FaultNote &F : R.Faults) {
    ++P.Faults;
    ++FaultsByKind[F.Kind];
    Faults.push_back({F, Seconds, R.Process});
    if (Faults.size() > MaxFaults)
      Faults.pop_front();
  }
  P.Last = R;
  P.Last.Kernels.clear();
  P.Last.Faults.clear();
}

void Figures::end(size_t Process) {
  ProcessFigures &P = Processes[Process];
  P.IsConnected = false;
  P.Last.MemoryBytes.clear();
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// Those that took most time first.
std::vector<KernelSums> Figures::kernels() const {
  StringMap<KernelSums> Sums;
  for (const ProcessFigures &P : Processes)
    for (const auto &[Name, K] : P.Kernels) {
      KernelSums &Sum = Sums[Name];
      Sum.Name = K.Name;
      Sum.Launches += K.Launches;
      Sum.Nanoseconds += K.Nanoseconds;
      Sum.Cycles += K.Cycles;
    }
  std::vector<KernelSums> Result;
  for (const auto &Entry : Sums)
    Result.push_back(Entry.second);
  llvm::sort(Result, [](const KernelSums &A, const KernelSums &B) {
    return std::tie(B.Nanoseconds, A.Name) < std::tie(A.Nanoseconds, B.Name);
  });
  return Result;
}

std::map<std::string, uint64_t>
Figures::sum(std::map<std::string, uint64_t> ProcessReport::*Counts) const {
  std::map<std::string, uint64_t> Sums;
  for (const ProcessFigures &P : Processes)
    for (const auto &[Name, Count] : P.Last.*Counts)
      Sums[Name] += Count;
  return Sums;
}

CacheSums Figures::sum(CacheSums ProcessReport::*Cache) const {
  CacheSums Sums;
  for (const ProcessFigures &P : Processes)
    Sums += P.Last.*Cache;
  return Sums;
}

Figures::Sample Figures::now(double Seconds) const {
  Sample S = {Seconds, 0, 0, 0, 0};
  for (const ProcessFigures &P : Processes) {
    S.Launches += P.Launches;
    S.Nanoseconds += P.Nanoseconds;
    S.Memory += P.memory();
    S.Faults += P.Faults;
  }
  return S;
}

void Figures::sample(double Seconds) {
  Samples.push_back(now(Seconds));
  if (Samples.size() > MaxSamples) {
    Samples.pop_front();
    ++FirstSample;
  }
}

//===----------------------------------------------------------------------===//
// For the page
//===----------------------------------------------------------------------===//

/// In milliseconds, which are enough for a page.
static double rounded(double Seconds) {
  return double(int64_t(Seconds * 1000)) / 1000;
}

static json::Object cacheJSON(const CacheSums &C) {
  return json::Object{{"sectors", C.Sectors}, {"hits", C.Hits}};
}

static json::Object countsJSON(const std::map<std::string, uint64_t> &Counts) {
  json::Object O;
  for (const auto &[Name, Count] : Counts)
    O[Name] = Count;
  return O;
}

/// States in the order of their table, with what a warp waits for in them.
static json::Array statesJSON(const std::map<std::string, uint64_t> &Cycles) {
  json::Array Result;
  auto Add = [&](StringRef Name, StringRef Meaning) {
    if (auto It = Cycles.find(Name.str()); It != Cycles.end())
      Result.push_back(json::Object{
          {"name", Name}, {"meaning", Meaning}, {"cycles", It->second}});
  };
#define HEDDLE_STALL(Enumerator, Name, Meaning) Add(Name, Meaning);
#include "heddle/Runtime/StallReasons.def"
  return Result;
}

json::Array Figures::processesJSON() const {
  json::Array Result;
  for (const ProcessFigures &P : Processes)
    Result.push_back(json::Object{{"process", P.Last.Process},
                                  {"program", P.Last.Program},
                                  {"running", P.IsConnected},
                                  {"launches", P.Launches},
                                  {"ns", P.Nanoseconds},
                                  {"memory", P.memory()},
                                  {"faults", P.Faults}});
  return Result;
}

json::Object Figures::state(double Seconds, bool HasEnded,
                            uint64_t From) const {
  json::Array Kernels, Notes, Points;
  std::vector<KernelSums> Sorted = kernels();
  for (const KernelSums &K : ArrayRef(Sorted).take_front(MaxKernels))
    Kernels.push_back(json::Object{{"name", K.Name},
                                   {"launches", K.Launches},
                                   {"ns", K.Nanoseconds},
                                   {"cycles", K.Cycles}});
  for (const TimedFault &F : Faults)
    Notes.push_back(json::Object{{"seconds", rounded(F.Seconds)},
                                 {"process", F.Process},
                                 {"kind", F.Kind},
                                 {"kernel", F.Kernel},
                                 {"text", F.Text}});
  for (size_t I = From < FirstSample ? 0 : From - FirstSample;
       I < Samples.size(); ++I) {
    const Sample &S = Samples[I];
    Points.push_back(json::Array{rounded(S.Seconds), S.Launches, S.Nanoseconds,
                                 S.Memory, S.Faults});
  }
  Sample Now = now(Seconds);
  uint64_t Instructions = 0;
  for (const ProcessFigures &P : Processes)
    Instructions += P.Last.WarpInstructions;
  return json::Object{
      {"program", json::fixUTF8(Program)},
      {"seconds", rounded(Seconds)},
      {"ended", HasEnded},
      {"launches", Now.Launches},
      {"ns", Now.Nanoseconds},
      {"memory", Now.Memory},
      {"fault_count", Now.Faults},
      {"instructions", Instructions},
      {"kernel_count", Sorted.size()},
      {"kernels", std::move(Kernels)},
      {"states", statesJSON(sum(&ProcessReport::WarpCycles))},
      {"compilations", countsJSON(sum(&ProcessReport::Compilations))},
      {"l1", cacheJSON(sum(&ProcessReport::L1))},
      {"l2", cacheJSON(sum(&ProcessReport::L2))},
      {"processes", processesJSON()},
      {"faults", std::move(Notes)},
      {"samples", std::move(Points)}};
}

//===----------------------------------------------------------------------===//
// For programs that collect metrics
//===----------------------------------------------------------------------===//

namespace {
/// Writes families of metrics.
class Exposition {
public:
  explicit Exposition(raw_ostream &OS) : OS(OS) {}

  /// A unit is the end of the name, too.
  void family(StringRef Name, StringRef Type, StringRef Unit, StringRef Help) {
    this->Name = Name;
    Suffix = Type == "counter" ? "_total" : "";
    OS << "# TYPE " << Name << " " << Type << "\n";
    if (!Unit.empty())
      OS << "# UNIT " << Name << " " << Unit << "\n";
    OS << "# HELP " << Name << " " << Help << "\n";
  }

  using Label = std::pair<StringRef, std::string>;
  void print(ArrayRef<Label> Labels, uint64_t Value) {
    begin(Labels);
    OS << Value << "\n";
  }
  void printSeconds(ArrayRef<Label> Labels, uint64_t Nanoseconds) {
    begin(Labels);
    OS << Nanoseconds / 1000000000 << "."
       << StringRef(std::to_string(1000000000 + Nanoseconds % 1000000000))
              .drop_front()
       << "\n";
  }

private:
  void begin(ArrayRef<Label> Labels) {
    OS << Name << Suffix;
    for (size_t I = 0; I != Labels.size(); ++I) {
      OS << (I ? "," : "{") << Labels[I].first << "=\"";
      for (char C : Labels[I].second)
        if (C == '\n')
          OS << "\\n";
        else
          OS << (C == '"' || C == '\\' ? "\\" : "") << C;
      OS << "\"";
    }
    OS << (Labels.empty() ? " " : "} ");
  }

  raw_ostream &OS;
  StringRef Name, Suffix;
};
} // namespace

static void printCache(Exposition &E, StringRef Name, const CacheSums &C) {
  E.print({{"cache", Name.str()}, {"outcome", "hit"}}, C.Hits);
  E.print({{"cache", Name.str()}, {"outcome", "miss"}}, C.Sectors - C.Hits);
}

void Figures::printOpenMetrics(raw_ostream &OS) const {
  Exposition E(OS);
  std::vector<KernelSums> Kernels = kernels();
  E.family("heddle_launches", "counter", "", "Launches that have ended.");
  for (const KernelSums &K : Kernels)
    E.print({{"kernel", K.Name}}, K.Launches);
  E.family("heddle_launch_seconds", "counter", "seconds",
           "Time of launches, by the clock of the program.");
  for (const KernelSums &K : Kernels)
    E.printSeconds({{"kernel", K.Name}}, K.Nanoseconds);
  E.family("heddle_launch_cycles", "counter", "cycles",
           "Cycles of the chip, of launches that were timed.");
  for (const KernelSums &K : Kernels)
    E.print({{"kernel", K.Name}}, K.Cycles);
  E.family("heddle_warp_cycles", "counter", "cycles",
           "Cycles of resident warps, by what they do or wait for.");
  for (const auto &[State, Cycles] : sum(&ProcessReport::WarpCycles))
    E.print({{"state", State}}, Cycles);
  E.family("heddle_read_sectors", "counter", "sectors",
           "Sectors that loads asked a cache for.");
  printCache(E, "L1", sum(&ProcessReport::L1));
  printCache(E, "L2", sum(&ProcessReport::L2));
  E.family("heddle_compilations", "counter", "",
           "Modules, by where their code came from.");
  for (const auto &[Origin, Count] : sum(&ProcessReport::Compilations))
    E.print({{"origin", Origin}}, Count);
  E.family("heddle_faults", "counter", "", "Launches that a fault ended.");
  for (const auto &[Kind, Count] : FaultsByKind)
    E.print({{"kind", Kind}}, Count);
  E.family("heddle_memory_bytes", "gauge", "bytes",
           "Memory of devices that is in use.");
  uint64_t Running = 0;
  for (const ProcessFigures &P : Processes) {
    Running += P.IsConnected;
    for (const auto &[Device, Bytes] : enumerate(P.Last.MemoryBytes))
      E.print({{"process", std::to_string(P.Last.Process)},
               {"program", P.Last.Program},
               {"device", std::to_string(Device)}},
              Bytes);
  }
  E.family("heddle_processes", "gauge", "", "Processes that have a device.");
  E.print({}, Running);
  OS << "# EOF\n";
}

} // namespace heddle::dash
