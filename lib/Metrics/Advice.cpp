//===- Advice.cpp - What holds a kernel back --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A rule only suspects; that its limiter costs time is what the model shows.
//
//===----------------------------------------------------------------------===//

#include "heddle/Metrics/Advice.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>
#include <numeric>

using namespace llvm;

namespace heddle::prof {

namespace {

using Symptom = std::optional<std::string>;
using rt::AccessProfile;
using rt::InstructionProfile;
using rt::LaunchProfile;

/// Parts of less than this are not worth a run of the model.
constexpr double LeastPart = 0.02;

double part(double Of, double Whole) { return Whole > 0 ? Of / Whole : 0; }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

double excessSectors(const InstructionProfile &I) {
  return double(I.Global.Sectors) - double(I.Global.IdealSectors);
}

/// Atomic operations lie where they lie.
Symptom findUncoalesced(const LaunchProfile &P) {
  AccessProfile All = P.Memory.GlobalLoads;
  All += P.Memory.GlobalStores;
  double Excess = part(All.Sectors - All.IdealSectors, All.Sectors);
  if (Excess < LeastPart)
    return std::nullopt;
  return formatv("loads and stores touch {0:N0} sectors of global memory where "
                 "{1:N0} "
                 "would hold their bytes: {2:P1} are too many",
                 All.Sectors, All.IdealSectors, Excess)
      .str();
}

double conflictWavefronts(const InstructionProfile &I) {
  return I.Shared.Conflicts;
}

Symptom findBankConflicts(const LaunchProfile &P) {
  AccessProfile All = P.Memory.SharedLoads;
  All += P.Memory.SharedStores;
  double Excess = part(All.Conflicts, All.Wavefronts);
  if (Excess < LeastPart)
    return std::nullopt;
  return formatv("bank conflicts cause {0:N0} of {1:N0} wavefronts of shared "
                 "memory "
                 "({2:P1})",
                 All.Conflicts, All.Wavefronts, Excess)
      .str();
}

double localSectors(const InstructionProfile &I) { return I.Local.Requests; }

Symptom findLocalMemory(const LaunchProfile &P) {
  uint64_t Requests =
      P.Memory.LocalLoads.Requests + P.Memory.LocalStores.Requests;
  if (!Requests)
    return std::nullopt;
  const rt::LaunchFootprint &S = P.Shape;
  if (S.SpillStoreBytes || S.SpillLoadBytes)
    return formatv(
               "{0:N0} accesses of warps to local memory; the code spills "
               "registers: it has stores of {1:N0} and loads of {2:N0} bytes",
               Requests, S.SpillStoreBytes, S.SpillLoadBytes)
        .str();
  return formatv(
             "{0:N0} accesses of warps to local memory, for arrays of threads: "
             "no registers are spilled",
             Requests)
      .str();
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

/// More places matter only if there are CTAs to take them.
Symptom findLowOccupancy(const LaunchProfile &P) {
  uint32_t Warps = P.Theoretical.warpsPerCore();
  uint32_t Possible = P.Theoretical.WarpsPerCTA
                          ? P.WarpsPerCore / P.Theoretical.WarpsPerCTA *
                                P.Theoretical.WarpsPerCTA
                          : 0;
  if (Warps >= Possible || P.waves() <= 1)
    return std::nullopt;
  return formatv("{0} allow {1} of {2} warps on a core",
                 rt::occupancyLimitName(P.Theoretical.Limit), Warps,
                 P.WarpsPerCore)
      .str();
}

Symptom findTail(const LaunchProfile &P) {
  double Waves = P.waves(), Last = Waves - uint64_t(Waves);
  if (Waves <= 1 || Last == 0)
    return std::nullopt;
  return formatv(
             "the grid fills the chip {0:F2} times: the last wave has {1:P0} "
             "of its CTAs",
             Waves, Last)
      .str();
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

constexpr double WarpSize = 32;

double idleThreads(const InstructionProfile &I) {
  return I.Issued * WarpSize - I.ActiveThreads;
}

Symptom findDivergence(const LaunchProfile &P) {
  double Active = part(P.ActiveThreads, P.Issued);
  if (!P.DivergentBranches || Active > WarpSize * (1 - LeastPart))
    return std::nullopt;
  return formatv("{0:F1} of 32 threads take part in an instruction on average; "
                 "{1:N0} of {2:N0} branches diverge",
                 Active, P.DivergentBranches, P.Branches)
      .str();
}

double latencyCycles(const InstructionProfile &I) {
  using R = rt::StallReason;
  double Sum = 0;
  for (R Reason : {R::Wait, R::LongScoreboard, R::ShortScoreboard, R::Barrier,
                   R::Membar, R::NoInstruction})
    Sum += I.States[size_t(Reason)];
  return Sum;
}

Symptom findLatencyBound(const LaunchProfile &P) {
  constexpr double High = 60; // Per cent.
  double Compute = computeThroughput(P), Memory = memoryThroughput(P);
  if (Compute >= High || Memory >= High)
    return std::nullopt;
  auto First = P.States.begin() + size_t(rt::StallReason::Selected) + 1;
  auto Main = rt::StallReason(std::max_element(First, P.States.end()) -
                              P.States.begin());
  return formatv("neither computing ({0:F1} % of its throughput) nor memory "
                 "({1:F1} %) is busy; warps wait most for {2}",
                 Compute, Memory, rt::stallReasonName(Main))
      .str();
}

double doubleInstructions(const InstructionProfile &I) {
  return operationsKind(I.Mnemonic) == Operations::FP64 ? I.Threads : 0;
}

Symptom findDouble(const LaunchProfile &P) {
  double Threads = 0;
  for (const InstructionProfile &I : P.Instructions)
    Threads += doubleInstructions(I);
  if (part(Threads, P.Threads) < LeastPart)
    return std::nullopt;
  return formatv("{0:P1} of the instructions compute in double precision",
                 part(Threads, P.Threads))
      .str();
}

double bankWaits(const InstructionProfile &I) {
  return I.States[size_t(rt::StallReason::Dispatch)];
}

Symptom findBankWaits(const LaunchProfile &P) {
  double Waits = part(P.States[size_t(rt::StallReason::Dispatch)], P.Issued);
  if (Waits < LeastPart)
    return std::nullopt;
  return formatv("an instruction waits {0:F2} cycles on average for registers "
                 "in one bank",
                 Waits)
      .str();
}

//===----------------------------------------------------------------------===//
// Throughput
//===----------------------------------------------------------------------===//

/// From here on a unit is taken to hold a launch back, in per cent of what it
/// can do; bursts of work fill queues before the average is near 100.
constexpr double Busy = 40;

double missingSectors(const InstructionProfile &I) {
  return double(I.Global.Sectors) - double(I.Global.Hits);
}

Symptom findDRAMBound(const LaunchProfile &P) {
  double Used = dramThroughput(P);
  if (Used < Busy)
    return std::nullopt;
  return formatv("{0:N0} bytes of DRAM: {1:F1} % of its throughput",
                 P.dramBytes(), Used)
      .str();
}

Symptom findL2Bound(const LaunchProfile &P) {
  uint64_t Sectors = P.Memory.L2Reads + P.Memory.L2Writes;
  double Chip = l2Throughput(P), Cores = coreL2Throughput(P);
  if (std::max(Chip, Cores) < Busy)
    return std::nullopt;
  return formatv(
             "{0:N0} sectors of L2: {1:F1} % of its throughput, {2:F1} % of "
             "what the ways to the cores have",
             Sectors, Chip, Cores)
      .str();
}

/// Of the reads of a cache, the part in per cent that it did not have, if that
/// is many.
std::optional<double> manyMisses(uint64_t Hits, uint64_t Reads) {
  constexpr uint64_t Few = 1024;
  double Missed = 100 * (1 - part(Hits, Reads));
  if (Reads < Few || Missed < 10)
    return std::nullopt;
  return Missed;
}

Symptom findL2Misses(const LaunchProfile &P) {
  std::optional<double> Missed =
      manyMisses(P.Memory.L2ReadHits, P.Memory.L2Reads);
  if (!Missed || P.Memory.DRAMReadBytes <= P.L2Bytes)
    return std::nullopt;
  return formatv("{0:F1} % of {1:N0} sectors that are read are not in L2, and "
                 "come from DRAM: {2:N0} bytes, for the {3:N0} of L2",
                 *Missed, P.Memory.L2Reads, P.Memory.DRAMReadBytes, P.L2Bytes)
      .str();
}

Symptom findL1Misses(const LaunchProfile &P) {
  const AccessProfile &Loads = P.Memory.GlobalLoads;
  std::optional<double> Missed = manyMisses(Loads.Hits, Loads.Sectors);
  // What a core reads at most once does not come from L1, however large.
  uint64_t PerCore = P.Cores ? Loads.Sectors * P.SectorBytes / P.Cores : 0;
  if (!Missed || PerCore <= P.L1Bytes)
    return std::nullopt;
  return formatv("{0:F1} % of {1:N0} sectors that are loaded are not in L1",
                 *Missed, Loads.Sectors)
      .str();
}

double sumOf(const LaunchProfile &P, double (*Of)(const InstructionProfile &)) {
  double Sum = 0;
  for (const InstructionProfile &I : P.Instructions)
    Sum += Of(I);
  return Sum;
}

bool isAtomic(StringRef Mnemonic) {
  return Mnemonic.starts_with("ATOM") || Mnemonic.starts_with("RED");
}

double atomicRequests(const InstructionProfile &I) {
  return isAtomic(I.Mnemonic) ? double(I.access().Requests) : 0;
}

Symptom findAtomics(const LaunchProfile &P) {
  double Requests = sumOf(P, atomicRequests);
  if (Requests == 0 || part(Requests, P.Issued) < LeastPart / 10)
    return std::nullopt;
  return formatv("{0:N0} atomic operations of warps", uint64_t(Requests)).str();
}

/// Loads from global memory whose threads, most of a warp, want bytes of one
/// sector each time; whether those are the same the model looks at.
double uniformLoads(const InstructionProfile &I) {
  bool IsLoad = StringRef(I.Mnemonic).starts_with("LD") && I.Global.Requests;
  bool IsWide = I.ActiveThreads * 2 >= I.Issued * WarpSize;
  bool IsNarrow = I.Global.Sectors == I.Global.Requests &&
                  I.Global.IdealSectors == I.Global.Requests;
  return IsLoad && IsWide && IsNarrow ? double(I.Global.Requests) : 0;
}

Symptom findUniformLoads(const LaunchProfile &P) {
  double Requests = sumOf(P, uniformLoads);
  if (Requests == 0 || part(Requests, P.Issued) < LeastPart)
    return std::nullopt;
  return formatv("{0:N0} loads of warps from global memory want a sector each",
                 uint64_t(Requests))
      .str();
}

double stagedLoads(const InstructionProfile &I) {
  return I.IsStaged ? double(I.Global.Requests) : 0;
}

Symptom findStagedLoads(const LaunchProfile &P) {
  double Requests = sumOf(P, stagedLoads);
  if (Requests == 0 || part(Requests, P.Issued) < LeastPart / 10)
    return std::nullopt;
  return formatv("{0:N0} loads of warps from global memory only go on to "
                 "shared memory",
                 uint64_t(Requests))
      .str();
}

double fenceCycles(const InstructionProfile &I) {
  return I.States[size_t(rt::StallReason::Membar)];
}

double idleBarrier(const InstructionProfile &I) {
  return I.OrdersNothing ? double(I.Issued) : 0;
}

/// What warps waited at the barrier that is instruction \p N: the wait stands
/// at the one behind it.
uint64_t barrierCycles(const LaunchProfile &P, size_t N) {
  if (N + 1 == P.Instructions.size() ||
      P.Instructions[N + 1].Section != P.Instructions[N].Section)
    return 0;
  return P.Instructions[N + 1].States[size_t(rt::StallReason::Barrier)];
}

Symptom findIdleBarriers(const LaunchProfile &P) {
  double Waits = 0;
  for (size_t N = 0; N < P.Instructions.size(); ++N)
    if (P.Instructions[N].OrdersNothing)
      Waits += barrierCycles(P, N);
  if (part(Waits, P.WarpCycles) < LeastPart)
    return std::nullopt;
  return formatv("warps wait in {0:P1} of their cycles at barriers that no "
                 "accesses need",
                 part(Waits, P.WarpCycles))
      .str();
}

double fetchCycles(const InstructionProfile &I) {
  return I.States[size_t(rt::StallReason::NoInstruction)];
}

/// Warps that wait for \p Reason in more than some of their cycles.
Symptom findWaits(const LaunchProfile &P, rt::StallReason Reason) {
  double Waits = part(P.States[size_t(Reason)], P.WarpCycles);
  if (Waits < LeastPart)
    return std::nullopt;
  return formatv("warps wait for {0} in {1:P1} of their cycles",
                 rt::stallReasonName(Reason), Waits)
      .str();
}

Symptom findFences(const LaunchProfile &P) {
  return findWaits(P, rt::StallReason::Membar);
}

Symptom findFetchWaits(const LaunchProfile &P) {
  return findWaits(P, rt::StallReason::NoInstruction);
}

/// CTAs that follow each other on a core, and are short.
Symptom findShortCTAs(const LaunchProfile &P) {
  constexpr double Short = 2000;
  uint64_t CTAs = P.Sample ? P.Sample->TimedCTAs : P.Shape.CTAs;
  uint64_t Warps = CTAs * P.Theoretical.WarpsPerCTA;
  double Life = part(P.WarpCycles, Warps);
  if (P.waves() <= 1 || Life >= Short)
    return std::nullopt;
  return formatv("{0:N0} CTAs, whose warps live for {1:F0} cycles on average",
                 P.Shape.CTAs, Life)
      .str();
}

/// Of the time of all schedulers, the part in which a pipe is busy, if that is
/// much.
Symptom findBusyPipe(const LaunchProfile &P, StringRef Name) {
  double Slots = double(P.Cycles) * P.Cores * P.SchedulersPerCore;
  for (const rt::PipeProfile &Pipe : P.Pipes)
    if (Pipe.Name == Name && 100 * part(Pipe.BusyCycles, Slots) >= Busy)
      return formatv("the pipe '{0}' is busy in {1:P1} of all cycles", Name,
                     part(Pipe.BusyCycles, Slots))
          .str();
  return std::nullopt;
}

Symptom findSpecialBound(const LaunchProfile &P) {
  return findBusyPipe(P, "special");
}
Symptom findConversionBound(const LaunchProfile &P) {
  return findBusyPipe(P, "conversion");
}
Symptom findIntegerBound(const LaunchProfile &P) {
  return findBusyPipe(P, "alu");
}
Symptom findMultiplyAddBound(const LaunchProfile &P) {
  return findBusyPipe(P, "fma");
}
Symptom findMatrixBound(const LaunchProfile &P) {
  return findBusyPipe(P, "matrix");
}

double issuedOf(const InstructionProfile &I,
                std::initializer_list<Operations> Kinds) {
  std::optional<Operations> Kind = operationsKind(I.Mnemonic);
  return Kind && is_contained(Kinds, *Kind) ? double(I.Issued) : 0;
}

double specialInstructions(const InstructionProfile &I) {
  return I.Mnemonic == "MUFU" ? double(I.Issued) : 0;
}
double conversionInstructions(const InstructionProfile &I) {
  return issuedOf(I, {Operations::Conversion});
}
double integerInstructions(const InstructionProfile &I) {
  return issuedOf(I, {Operations::Integer, Operations::Bit});
}
double singleInstructions(const InstructionProfile &I) {
  return issuedOf(I, {Operations::FP32});
}
double matrixInstructions(const InstructionProfile &I) {
  return issuedOf(I, {Operations::Matrix});
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

struct Rule {
  rt::Limiter Limiter;
  Symptom (*Find)(const LaunchProfile &);
  double (*Weight)(const InstructionProfile &);
  StringLiteral Remedy;
};

constexpr Rule Rules[] = {
#define HEDDLE_RULE(Name, Find, Weight, Remedy)                                \
  {rt::Limiter::Name, Find, Weight, Remedy},
#include "Rules.def"
};

/// A line, and what code of other files that was inlined there.
struct LineParts {
  double Sum = 0;
  std::map<SourcePlace, double> Inlined; ///< Its own code has no file.

  SourcePlace largest() const {
    return llvm::max_element(Inlined, llvm::less_second())->first;
  }
};

std::vector<Culprit>
findCulprits(const LaunchProfile &P, const InlinedLines &Inlined,
             double (*Weight)(const InstructionProfile &)) {
  constexpr size_t Most = 3;
  std::map<SourcePlace, LineParts> Lines;
  double Sum = 0;
  for (const InstructionProfile &I : P.Instructions) {
    // Code that the compiler adds has a file and no line.
    SourcePlace Own(I.SourceLine ? I.SourceFile : "", I.SourceLine);
    auto Known = Inlined.find({I.Section, I.PC});
    bool IsInlined = I.SourceLine && Known != Inlined.end();
    LineParts &L = Lines[IsInlined ? Known->second : Own];
    L.Inlined[IsInlined ? Own : SourcePlace()] += Weight(I);
    L.Sum += Weight(I);
    Sum += Weight(I);
  }
  std::vector<Culprit> Result;
  for (const auto &[Place, Parts] : Lines)
    if (Parts.Sum > 0 && Sum > 0)
      Result.push_back(
          {Place.first, Place.second, Parts.Sum / Sum, Parts.largest()});
  llvm::sort(Result, [](const Culprit &A, const Culprit &B) {
    return std::tie(B.Share, A.File, A.Line) <
           std::tie(A.Share, B.File, B.Line);
  });
  Result.resize(std::min(Result.size(), Most));
  return Result;
}

} // namespace

std::vector<InstructionPlace>
findLongestIdleBarriers(ArrayRef<const LaunchProfile *> Launches) {
  struct Use {
    uint64_t Cycles = 0;
    bool IsIdle = true;
  };
  std::map<InstructionPlace, Use> Barriers;
  for (const LaunchProfile *P : Launches)
    for (size_t N = 0; P && N < P->Instructions.size(); ++N) {
      const InstructionProfile &I = P->Instructions[N];
      if (I.Mnemonic != "BAR")
        continue;
      Use &U = Barriers[{I.Section, I.PC}];
      U.Cycles += barrierCycles(*P, N);
      U.IsIdle &= I.OrdersNothing;
    }
  std::map<std::string, std::pair<uint64_t, uint64_t>> Longest; // Cycles, PC.
  for (const auto &[Place, U] : Barriers)
    if (U.IsIdle && U.Cycles)
      Longest[Place.first] =
          std::max(Longest[Place.first], std::pair(U.Cycles, Place.second));
  std::vector<InstructionPlace> Found;
  Found.reserve(Longest.size());
  for (const auto &[Section, Barrier] : Longest)
    Found.emplace_back(Section, Barrier.second);
  return Found;
}

std::vector<Suspicion> findSuspicions(const LaunchProfile &P,
                                      const InlinedLines &Inlined) {
  std::vector<Suspicion> Result;
  for (const Rule &R : Rules) {
    Symptom Found = R.Find(P);
    if (!Found)
      continue;
    Suspicion &S = Result.emplace_back();
    S.Limiter = R.Limiter;
    S.Symptom = std::move(*Found);
    S.Remedy = R.Remedy.str();
    if (R.Weight)
      S.Culprits = findCulprits(P, Inlined, R.Weight);
  }
  return Result;
}

std::vector<Advice> suspect(const LaunchProfile &P,
                            const InlinedLines &Inlined) {
  std::vector<Suspicion> Found = findSuspicions(P, Inlined);
  std::vector<Advice> Result;
  for (Suspicion &S : Found) {
    Advice &A = Result.emplace_back();
    static_cast<Suspicion &>(A) = std::move(S);
    A.Cycles = P.totalCycles();
    A.IsTried = false;
  }
  return Result;
}

Expected<std::vector<std::vector<Advice>>>
advise(ArrayRef<const LaunchProfile *> Launches, const InlinedLines &Inlined,
       RunWithout Run) {
  std::vector<std::vector<Advice>> Result(Launches.size());
  std::map<rt::Limiter, std::vector<uint64_t>> Without;
  for (size_t N = 0; N < Launches.size(); ++N) {
    if (!Launches[N])
      continue;
    for (Suspicion &S : findSuspicions(*Launches[N], Inlined)) {
      auto [It, IsNew] = Without.try_emplace(S.Limiter);
      if (IsNew)
        if (Error E = Run(S.Limiter).moveInto(It->second))
          return std::move(E);
      if (It->second.size() != Launches.size())
        return createStringError("a launch did not end when it ran without " +
                                 rt::limiterName(S.Limiter));
      Advice &A = Result[N].emplace_back();
      static_cast<Suspicion &>(A) = std::move(S);
      A.Cycles = Launches[N]->totalCycles();
      A.CyclesWithout = It->second[N];
    }
    llvm::sort(Result[N], [](const Advice &A, const Advice &B) {
      return std::tuple(B.won(), A.Limiter) < std::tuple(A.won(), B.Limiter);
    });
  }
  return Result;
}

} // namespace heddle::prof
