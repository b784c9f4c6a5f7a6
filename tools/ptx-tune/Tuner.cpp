//===- Tuner.cpp - The search for a kernel ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Configurations are asked for in batches of a fixed size, so that the way of
// the search does not depend on how many threads measure them.
//
//===----------------------------------------------------------------------===//

#include "Tuner.h"
#include "heddle/Support/RandomGenerator.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/ThreadPool.h"

#include <numeric>

using namespace llvm;

namespace heddle::tune {

namespace {

/// A configuration is of no interest once it costs so much more than the best.
constexpr double StopFactor = 1.3;

/// A line on the terminal that is written over.
class ProgressLine {
public:
  explicit ProgressLine(std::string Kernel)
      : Kernel(std::move(Kernel)), IsShown(errs().is_displayed()) {}
  ~ProgressLine() {
    if (IsShown)
      errs() << "\r\33[K";
  }
  void show(size_t Done, size_t Most, double Best, double Seconds) {
    if (!IsShown)
      return;
    errs() << "\r\33[K" << Kernel << ": " << Done << "/" << Most;
    if (Best != tuning::Unusable)
      errs() << format(", best %.3f of the untuned cycles", Best);
    if (Done && Seconds > 0)
      errs() << format(", %.0f s left", Seconds / static_cast<double>(Done) *
                                            static_cast<double>(Most - Done));
  }

private:
  std::string Kernel;
  bool IsShown;
};

class Tuner {
public:
  Tuner(const Objective &Where, const KernelToTune &Kernel, const Options &O,
        Journal &J, KernelResult &R)
      : Where(Where), Kernel(Kernel), J(J), R(R), Pool(strategyOf(O)) {}

  /// Tries \p Starts before anything else, but for what limits suggest.
  Error search(ArrayRef<tuning::Configuration> Starts, const Options &O,
               Deadline End);
  Error simplify();
  Error searchOrder(const Options &O, Deadline End);

private:
  /// With a queue, threads only wait: one for each of a batch.
  static ThreadPoolStrategy strategyOf(const Options &O) {
    if (O.Queue.empty())
      return hardware_concurrency(O.Threads);
    ThreadPoolStrategy S;
    S.ThreadsRequested = O.Batch;
    S.UseHyperThreads = true;
    S.Limit = false;
    return S;
  }
  Expected<std::vector<Measurement>>
  measureAll(ArrayRef<tuning::Configuration> Configurations, double Limit);
  Expected<std::pair<tuning::Configuration, Measurement>>
  measureWithout(const std::string &Name, double Limit);
  void note(const tuning::Configuration &C, const Measurement &M);
  void noteDifference(const tuning::Configuration &C, const Measurement &M);
  void keep(const tuning::Configuration &C, const Measurement &M);

  const Objective &Where;
  const KernelToTune &Kernel;
  Journal &J;
  KernelResult &R;
  DefaultThreadPool Pool;
  unsigned FromJournal = 0; ///< Measurements that the journal had.
};

} // namespace

Expected<std::vector<Measurement>>
Tuner::measureAll(ArrayRef<tuning::Configuration> Configurations,
                  double Limit) {
  std::vector<Measurement> Results(Configurations.size());
  std::vector<size_t> Missing;
  for (size_t I = 0; I != Results.size(); ++I)
    if (std::optional<Measurement> M = J.find(R.Name, Configurations[I]);
        M && M->covers(Limit)) {
      Results[I] = std::move(*M);
      ++FromJournal;
    } else {
      Missing.push_back(I);
    }
  std::mutex Guard;
  Error Failed = Error::success();
  for (size_t I : Missing)
    Pool.async([&, I] {
      tuning::Document D;
      D.Kernels[R.Name] = Configurations[I];
      Expected<Measurement> M = Where.measure(R.Name, D, Limit);
      std::lock_guard Lock(Guard);
      if (M)
        Results[I] = std::move(*M);
      else
        Failed = joinErrors(std::move(Failed), M.takeError());
    });
  Pool.wait();
  if (Failed)
    return std::move(Failed);
  for (size_t I : Missing)
    if (Error E = J.add(R.Name, Configurations[I], Results[I]))
      return E;
  return Results;
}

/// Counts a configuration of the search, and keeps it if it is the best.
void Tuner::note(const tuning::Configuration &C, const Measurement &M) {
  R.Unusable += M.Cost == tuning::Unusable;
  R.Over += M.Became == Verdict::Constraints;
  for (LimitKind Kind : M.Over)
    ++R.OverBy[Kind];
  R.Stopped += M.Became == Verdict::Timeout;
  keep(C, M);
}

/// Notes a configuration that computes something else.
void Tuner::noteDifference(const tuning::Configuration &C,
                           const Measurement &M) {
  if (M.isWrong())
    R.Wrong.emplace_back(C, M);
  if (M.Became == Verdict::Order)
    R.Reordered.emplace_back(C, M);
}

/// Keeps a configuration if it is the best, or computes something else.
void Tuner::keep(const tuning::Configuration &C, const Measurement &M) {
  noteDifference(C, M);
  if (M.Cost < R.Best.Cost) {
    R.Best = M;
    R.Decisions = C;
  }
}

/// The greatest value of the decision on registers that asks for at most so
/// many.
static int64_t mostRegisters(uint64_t Bound) {
  const tuning::KnobInfo &Row = tuning::knobInfo(tuning::Knob::Registers);
  return static_cast<int64_t>(
      std::min(Bound, static_cast<uint64_t>(Row.Domain.back())));
}

/// Configurations that are likely to keep a limit which the untuned code does
/// not: fewer registers; loops that are left as they are.
static std::vector<tuning::Configuration> thriftyStarts(const KernelToTune &K,
                                                        const Limits &Bounds) {
  std::vector<tuning::Configuration> Starts;
  if (Bounds.registers() && K.UntunedCode.Registers > *Bounds.registers()) {
    Starts.push_back({{tuning::knobInfo(tuning::Knob::Registers).Name.str(),
                       mostRegisters(*Bounds.registers())}});
  }
  if (Bounds.codeBytes() && K.UntunedCode.CodeBytes > *Bounds.codeBytes()) {
    tuning::Configuration &C = Starts.emplace_back();
    C[tuning::knobInfo(tuning::Knob::LoopPasses).Name.str()] = 1;
    for (tuning::Knob Id : {tuning::Knob::Unroll, tuning::Knob::PipelineLoads})
      for (size_t I = 0; I != K.Loops.size(); ++I)
        C[(tuning::knobInfo(Id).Name + "@" + Twine(I)).str()] = 1;
  }
  return Starts;
}

/// The decisions to search, with as many registers as the limit allows.
static tuning::Space spaceFor(const KernelToTune &Kernel, const Options &O) {
  SmallVector<std::pair<tuning::Knob, int64_t>> More;
  if (O.Bounds.registers())
    More.emplace_back(tuning::Knob::Registers,
                      mostRegisters(*O.Bounds.registers()));
  return tuning::spaceOf(Kernel.Loops, O.Only, Kernel.Shapes, More);
}

/// Adds the points of configurations that are not there yet.
static void addPoints(const tuning::Space &Space,
                      ArrayRef<tuning::Configuration> Configurations,
                      std::vector<tuning::Point> &Points) {
  for (const tuning::Configuration &C : Configurations)
    if (tuning::Point P = Space.nearest(C);
        P != Space.defaults() && !is_contained(Points, P))
      Points.push_back(std::move(P));
}

Error Tuner::search(ArrayRef<tuning::Configuration> Starts, const Options &O,
                    Deadline End) {
  tuning::Space Space = spaceFor(Kernel, O);
  R.SpaceSize = Space.size();
  std::vector<tuning::Point> Points;
  addPoints(Space, thriftyStarts(Kernel, O.Bounds), Points);
  size_t Own = Points.size();
  addPoints(Space, Starts, Points);
  R.Transferred = static_cast<unsigned>(Points.size() - Own);
  tuning::Search Way(Space, O.Strategy, O.Seed, std::move(Points));
  ProgressLine Progress(R.Name);
  auto Start = std::chrono::steady_clock::now();
  while (R.Costs.size() < O.Evaluations) {
    auto Now = std::chrono::steady_clock::now();
    if (End && Now >= *End) {
      R.StoppedByTime = true;
      break;
    }
    Progress.show(R.Costs.size(), O.Evaluations, R.Best.Cost,
                  std::chrono::duration<double>(Now - Start).count());
    // The untuned configuration comes first, and alone.
    size_t Size = R.Costs.empty() ? 1 : O.Batch;
    std::vector<tuning::Point> Points;
    std::vector<tuning::Configuration> Configurations;
    while (Points.size() != std::min(Size, O.Evaluations - R.Costs.size())) {
      std::optional<tuning::Point> P = Way.next();
      if (!P)
        break;
      Configurations.push_back(Space.configuration(*P));
      Points.push_back(std::move(*P));
    }
    if (Points.empty())
      break; // the whole space was seen
    Expected<std::vector<Measurement>> Results =
        measureAll(Configurations, StopFactor * R.Best.Cost);
    if (!Results)
      return Results.takeError();
    for (auto [P, C, M] : zip(Points, Configurations, *Results)) {
      Way.record(P, M.Cost);
      R.Costs.push_back(M.Cost);
      R.Trials.emplace_back(Space.allDecisions(P), M);
      note(C, M);
      if (R.Costs.size() == 1) {
        R.Untuned = M;
        R.Untuned.Cycles = Kernel.UntunedCycles;
      }
    }
  }
  R.Found = FromJournal;
  return Error::success();
}

/// The best configuration without one of its decisions, measured.
Expected<std::pair<tuning::Configuration, Measurement>>
Tuner::measureWithout(const std::string &Name, double Limit) {
  tuning::Configuration Without = R.Decisions;
  Without.erase(Name);
  Expected<std::vector<Measurement>> M = measureAll(Without, Limit);
  if (!M)
    return M.takeError();
  return std::pair(std::move(Without), std::move(M->front()));
}

static std::vector<std::string> namesOf(const tuning::Configuration &C) {
  std::vector<std::string> Names;
  for (const auto &[Name, Value] : C)
    Names.push_back(Name);
  return Names;
}

/// Takes back every decision that gains nothing beside the others that are
/// left, and finds what those do.
Error Tuner::simplify() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (const std::string &Name : namesOf(R.Decisions)) {
      auto M = measureWithout(Name, StopFactor * R.Best.Cost);
      if (!M)
        return M.takeError();
      ++R.Extra;
      auto &[Without, Alone] = *M;
      noteDifference(Without, Alone);
      if (Alone.Cost > R.Best.Cost)
        continue;
      R.Best = Alone;
      R.Decisions = Without;
      Changed = true;
    }
  }
  for (const auto &[Name, Value] : R.Decisions) {
    // What a decision is worth is measured to its end.
    auto M = measureWithout(Name, tuning::Unusable);
    if (!M)
      return M.takeError();
    R.Worths.push_back({Name, Value, M->second.Cost / R.Best.Cost,
                        std::move(M->second.Fault)});
  }
  return Error::success();
}

/// A move that may shorten what the costly instructions wait for: of one of the
/// instructions before it, whose result it may need, or behind it, which may
/// fill its time.
static std::pair<std::string, int64_t>
proposeMove(const std::vector<double> &Costs, RandomGenerator &Random) {
  constexpr size_t Before = 12, Behind = 6;
  const tuning::KnobInfo &Row = tuning::knobInfo(tuning::Knob::MoveUp);
  double Total = std::accumulate(Costs.begin(), Costs.end(), 0.0);
  double Target = Total * Random.fraction();
  size_t Hot = 0;
  while (Hot + 1 < Costs.size() && (Target -= Costs[Hot]) >= 0)
    ++Hot;
  size_t Number = Hot + Random.below(Before + Behind + 1);
  Number = std::min(Number < Before ? 0 : Number - Before, Costs.size() - 1);
  int64_t Places = Row.Domain[1 + Random.below(Row.Domain.size() - 1)];
  return {(Row.Name + "@" + Twine(Number)).str(), Places};
}

/// Tries moves in the final order, keeping each that gains: the best of a batch
/// at a time.
Error Tuner::searchOrder(const Options &O, Deadline End) {
  unsigned Most = O.Moves.value_or(O.Evaluations / 2);
  R.CostInOrder = R.Best.Cost;
  tuning::Document D;
  D.Kernels[R.Name] = R.Decisions;
  if (Most == 0 || R.Best.Cost == tuning::Unusable)
    return Error::success();
  Expected<std::vector<double>> Costs = Where.instructionCosts(R.Name, D);
  if (!Costs)
    return Costs.takeError();
  if (Costs->empty())
    return Error::success();
  RandomGenerator Random(O.Seed);
  std::set<tuning::Configuration> Tried;
  ProgressLine Progress(R.Name + " (order)");
  auto Start = std::chrono::steady_clock::now();
  // Of a short kernel all moves may have been tried.
  for (unsigned Repeats = 0; R.Moved < Most && Repeats < 64 * Most;) {
    auto Now = std::chrono::steady_clock::now();
    if (End && Now >= *End) {
      R.StoppedByTime = true;
      break;
    }
    Progress.show(R.Moved, Most, R.Best.Cost,
                  std::chrono::duration<double>(Now - Start).count());
    std::vector<tuning::Configuration> Batch;
    while (Batch.size() < std::min(O.Batch, Most - R.Moved) &&
           Repeats++ < 64 * Most) {
      tuning::Configuration C = R.Decisions;
      auto [Name, Places] = proposeMove(*Costs, Random);
      C[Name] = Places;
      if (Tried.insert(C).second)
        Batch.push_back(std::move(C));
    }
    Expected<std::vector<Measurement>> Results =
        measureAll(Batch, StopFactor * R.Best.Cost);
    if (!Results)
      return Results.takeError();
    for (auto [C, M] : zip(Batch, *Results))
      keep(C, M);
    R.Moved += static_cast<unsigned>(Batch.size());
  }
  return Error::success();
}

Expected<KernelResult> tuneKernel(const Objective &Where,
                                  const KernelToTune &Kernel,
                                  ArrayRef<tuning::Configuration> Starts,
                                  const Options &O, Journal &J, Deadline End) {
  KernelResult R;
  R.Name = Kernel.Name;
  R.Loops = Kernel.Loops;
  auto Start = std::chrono::steady_clock::now();
  Tuner T(Where, Kernel, O, J, R);
  if (Error E = T.search(Starts, O, End))
    return E;
  if (Error E = T.simplify())
    return E;
  if (Error E = T.searchOrder(O, End))
    return E;
  R.Seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
          .count();
  return R;
}

} // namespace heddle::tune
