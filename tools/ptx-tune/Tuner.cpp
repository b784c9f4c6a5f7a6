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
#include "llvm/Support/Format.h"
#include "llvm/Support/ThreadPool.h"

using namespace llvm;

namespace heddle::tune {

namespace {

/// A configuration is of no interest once it costs so much more than the best.
constexpr double StopFactor = 1.3;

/// A line on the terminal that is written over.
class ProgressLine {
public:
  explicit ProgressLine(StringRef Kernel)
      : Kernel(Kernel), IsShown(errs().is_displayed()) {}
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
    if (Done)
      errs() << format(", %.0f s left", Seconds / static_cast<double>(Done) *
                                            static_cast<double>(Most - Done));
  }

private:
  StringRef Kernel;
  bool IsShown;
};

class Tuner {
public:
  Tuner(const Objective &Where, const Options &O, Journal &J, KernelResult &R)
      : Where(Where), J(J), R(R), Pool(strategyOf(O)) {}

  Error search(const Options &O, Deadline End);
  Error simplify();

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
  void note(const tuning::Configuration &C, const Measurement &M);

  const Objective &Where;
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

/// Counts a measurement, and keeps it if it is the best.
void Tuner::note(const tuning::Configuration &C, const Measurement &M) {
  R.Unusable += M.Cost == tuning::Unusable;
  R.Stopped += M.Became == Verdict::Timeout;
  if (M.isWrong())
    R.Wrong.emplace_back(C, M.Fault);
  if (M.Cost < R.Best.Cost) {
    R.Best = M;
    R.Decisions = C;
  }
}

Error Tuner::search(const Options &O, Deadline End) {
  tuning::Space Space = tuning::spaceOf(R.Loops);
  R.SpaceSize = Space.size();
  tuning::Search Way(Space, O.Strategy, O.Seed);
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
      if (R.Costs.size() == 1)
        R.Untuned = M;
    }
  }
  R.Found = FromJournal;
  return Error::success();
}

/// Takes back every decision that gains nothing, and finds what the others do.
Error Tuner::simplify() {
  std::vector<std::string> Names;
  for (const auto &[Name, Value] : R.Decisions)
    Names.push_back(Name);
  for (bool OnlyMeasure : {false, true})
    for (const std::string &Name : Names) {
      auto Here = R.Decisions.find(Name);
      if (Here == R.Decisions.end())
        continue;
      tuning::Configuration Without = R.Decisions;
      Without.erase(Name);
      // What a decision is worth is measured to its end.
      Expected<std::vector<Measurement>> M = measureAll(
          Without, OnlyMeasure ? tuning::Unusable : StopFactor * R.Best.Cost);
      if (!M)
        return M.takeError();
      R.Extra += !OnlyMeasure;
      const Measurement &Alone = M->front();
      if (OnlyMeasure)
        R.Worths.push_back({Name, Here->second, Alone.Cost / R.Best.Cost});
      else if (Alone.isWrong())
        R.Wrong.emplace_back(Without, Alone.Fault);
      else if (Alone.Cost <= R.Best.Cost) {
        R.Best = Alone;
        R.Decisions = Without;
      }
    }
  return Error::success();
}

Expected<KernelResult> tuneKernel(const Objective &Where,
                                  const KernelToTune &Kernel, const Options &O,
                                  Journal &J, Deadline End) {
  KernelResult R;
  R.Name = Kernel.Name;
  R.Loops = Kernel.Loops;
  auto Start = std::chrono::steady_clock::now();
  Tuner T(Where, O, J, R);
  if (Error E = T.search(O, End))
    return E;
  if (Error E = T.simplify())
    return E;
  R.Seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - Start)
          .count();
  return R;
}

} // namespace heddle::tune
