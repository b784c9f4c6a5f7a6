//===- Fix.cpp - Advice that the compiler can follow ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the advice from what costs most, and tries each decision on top
// of those that were kept.
//
//===----------------------------------------------------------------------===//

#include "Fix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace heddle::prof {

namespace {

struct Row {
  rt::Limiter Limiter;
  tuning::Knob Knob;
  int64_t Value;
};

constexpr Row Rows[] = {
#define HEDDLE_FIX(L, K, V) {rt::Limiter::L, tuning::Knob::K, V},
#include "Fixes.def"
};

/// What is advised for kernels, without repetitions, the most cycles first.
struct Case {
  std::string Kernel;
  rt::Limiter Limiter;
  uint64_t Won;
};

} // namespace

static std::vector<Case> casesOf(ArrayRef<rt::LaunchReport> Launches,
                                 ArrayRef<std::vector<Advice>> Found) {
  std::map<std::pair<std::string, rt::Limiter>, uint64_t> Won;
  for (auto [Launch, List] : zip_equal(Launches, Found))
    for (const Advice &A : List)
      if (A.isProved())
        Won[{Launch.Kernel.Name, A.Limiter}] += A.won();
  std::vector<Case> Cases;
  Cases.reserve(Won.size());
  for (const auto &[Where, Cycles] : Won)
    Cases.push_back({Where.first, Where.second, Cycles});
  sort(Cases, [](const Case &A, const Case &B) {
    return std::tie(B.Won, A.Kernel, A.Limiter) <
           std::tie(A.Won, B.Kernel, B.Limiter);
  });
  return Cases;
}

/// A hundredth less is less than what any rearrangement changes.
static bool isBetter(uint64_t Cycles, uint64_t Before) {
  return Cycles < Before - Before / 100;
}

Expected<Fixes> findFixes(ArrayRef<rt::LaunchReport> Launches,
                          ArrayRef<std::vector<Advice>> Found,
                          TryDecisions Try) {
  Fixes Result;
  Expected<std::optional<uint64_t>> Start = Try(Result.Decisions);
  if (!Start)
    return Start.takeError();
  if (!*Start)
    return Result; // It is wrong as it is.
  uint64_t Best = **Start;
  for (const Case &C : casesOf(Launches, Found))
    for (const Row &R : Rows) {
      if (R.Limiter != C.Limiter)
        continue;
      tuning::Document Tried = Result.Decisions;
      std::string Name = tuning::knobInfo(R.Knob).Name.str();
      Tried.Kernels[C.Kernel][Name] = R.Value;
      Expected<std::optional<uint64_t>> Cycles = Try(Tried);
      if (!Cycles)
        return Cycles.takeError();
      if (!*Cycles || !isBetter(**Cycles, Best))
        continue;
      erase_if(Result.Made, [&](const Fix &F) {
        return F.Kernel == C.Kernel && F.Decision == Name;
      });
      Result.Made.push_back(
          {C.Kernel, Name, R.Value, C.Limiter, Best, **Cycles});
      Result.Decisions = std::move(Tried);
      Best = **Cycles;
    }
  return Result;
}

void printFixes(raw_ostream &OS, const Fixes &F, StringRef Path) {
  if (F.Made.empty()) {
    OS << "No decision of the compiler wins anything; " << Path
       << " has none\n";
    return;
  }
  OS << "Decisions of the compiler, in " << Path << "\n";
  for (const Fix &Made : F.Made)
    OS << formatv("  {0,-24} {1,-18} {2}={3}: {4:N0} -> {5:N0} cycles\n",
                  Made.Kernel, rt::limiterName(Made.Limiter), Made.Decision,
                  Made.Value, Made.Before, Made.After);
}

} // namespace heddle::prof
