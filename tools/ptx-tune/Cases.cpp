//===- Cases.cpp - Workloads on the emulator --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each run has a device of its own, so that no run sees what another one left.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Manifest/ManifestRunner.h"
#include "heddle/Runtime/Profile.h"

#include "llvm/ADT/BitVector.h"

#include <numeric>

using namespace llvm;

namespace heddle::tune {

/// What a device has to be to run a case so.
static emu::EmulatorOptions settingsFor(const Case &C, const RunMode &Mode) {
  emu::EmulatorOptions Settings;
  Settings.Chip = C.Chip;
  Settings.Changes = C.Figures;
  Settings.FreshMemory = rt::FreshMemory::Poison; // docs/launch-manifest.md
  // Without the model, missing waits would go unseen.
  Settings.StrictHazards = Mode.Order != ThreadOrder::Time;
  Settings.Timing = Mode.Order == ThreadOrder::Time;
  Settings.Model.MaxCycles = Mode.MaxCycles;
  if (Mode.FindRaces)
    Settings.Checks.add(emu::CheckKind::Race);
  if (Mode.Order == ThreadOrder::Fixed)
    Settings.HostThreads = 1;
  if (Mode.Order == ThreadOrder::Chance)
    Settings.Seed = Mode.Seed;
  return Settings;
}

/// Adds up what launches took; false if the limit of cycles ended one.
static bool addProfiles(ArrayRef<rt::LaunchReport> Reports, CaseResult &R) {
  for (const rt::LaunchReport &L : Reports) {
    if (L.Result.Fault && L.Result.Fault->Kind == rt::FaultKind::Race)
      R.Race = L.Result.Fault->Message;
    if (!L.Result.Profile) {
      if (L.Result.Fault && L.Result.Fault->Kind == rt::FaultKind::Timeout)
        return false;
      continue;
    }
    R.Cycles[L.Launch->Entry] += L.Result.Profile->Cycles;
    for (const rt::InstructionProfile &I : L.Result.Profile->Instructions)
      R.Instructions[{I.Section, I.PC}] += static_cast<double>(
          std::accumulate(I.States.begin(), I.States.end(), uint64_t(0)));
  }
  return true;
}

/// Reads what a run has left, but for variables that are as \p Before.
static Error
readMemory(rt::ManifestRunner &Runner, const rt::Manifest &M,
           const std::map<std::string, std::vector<uint8_t>> &Before,
           CaseResult &R) {
  for (const rt::ArraySpec &Spec : M.Buffers) {
    std::vector<uint8_t> Bytes(Spec.bytes());
    if (Error E = Runner.read(Spec, 0, Bytes))
      return E;
    R.Buffers.push_back(std::move(Bytes));
  }
  if (Error E = Runner.variables().moveInto(R.Variables))
    return E;
  for (const auto &[Name, Bytes] : Before)
    if (auto Now = R.Variables.find(Name);
        Now != R.Variables.end() && Now->second == Bytes)
      R.Variables.erase(Now);
  return Error::success();
}

Expected<CaseResult> runCase(const Case &C, const rt::Manifest &Workload,
                             const CompileResult &Code, const RunMode &Mode) {
  std::unique_ptr<rt::Device> Device;
  if (Error E =
          emu::createEmulatorDevice(settingsFor(C, Mode)).moveInto(Device))
    return std::move(E);
  std::unique_ptr<rt::ManifestRunner> Runner;
  if (Error E = rt::ManifestRunner::create(
                    *Device, Workload,
                    {reinterpret_cast<const uint8_t *>(Code.Bytes.data()),
                     Code.Bytes.size()})
                    .moveInto(Runner))
    return std::move(E);
  auto Before = Runner->variables();
  if (!Before)
    return Before.takeError();
  if (Error E = Runner->launchAll())
    return std::move(E);
  CaseResult Result;
  if (!addProfiles(Runner->reports(), Result) && Mode.MaxCycles) {
    Result.IsStopped = true;
    return Result;
  }
  Expected<std::vector<rt::CheckReport>> Checks = Runner->check();
  if (!Checks)
    return Checks.takeError();
  for (const rt::CheckReport &Check : *Checks)
    if (!Check.Passed && Result.Failure.empty())
      Result.Failure = Check.Place + ": " + Check.What + ": " + Check.Message;
  if (Error E = readMemory(*Runner, Workload, *Before, Result))
    return std::move(E);
  Result.Output = Runner->output().str();
  return Result;
}

/// The bytes of a buffer or variable for which the manifest states what they
/// must hold within a tolerance: that was checked, and nothing else need be.
static BitVector bytesWithTolerance(const rt::Manifest &M, StringRef Name,
                                    bool IsSymbol, size_t Size) {
  BitVector Bytes(static_cast<unsigned>(Size));
  for (const rt::Expectation &E : M.Expectations) {
    const rt::Tolerance &T = E.Bound;
    if (E.IsSymbol == IsSymbol && E.Data.Name == Name &&
        (T.Relative || T.Absolute || T.Ulp || T.AnyNaN))
      Bytes.set(static_cast<unsigned>(std::min<uint64_t>(E.Offset, Size)),
                static_cast<unsigned>(
                    std::min<uint64_t>(E.Offset + E.Data.bytes(), Size)));
  }
  return Bytes;
}

/// Whether all bytes are the same but for those with a tolerance.
static bool isSame(const rt::Manifest &M, StringRef Name, bool IsSymbol,
                   ArrayRef<uint8_t> Before, ArrayRef<uint8_t> After) {
  if (Before == After)
    return true;
  if (Before.size() != After.size())
    return false;
  BitVector MayDiffer = bytesWithTolerance(M, Name, IsSymbol, Before.size());
  for (auto [I, B, A] : enumerate(Before, After))
    if (B != A && !MayDiffer[static_cast<unsigned>(I)])
      return false;
  return true;
}

std::vector<std::string> differingVariables(const Case &C,
                                            const CaseResult &R) {
  const auto &Before = C.Untuned.Variables, &After = R.Variables;
  std::vector<std::string> Names;
  for (const auto &[Name, Bytes] : Before)
    if (auto Now = After.find(Name);
        Now == After.end() ||
        !isSame(*C.Workload, Name, /*IsSymbol=*/true, Bytes, Now->second))
      Names.push_back(Name);
  for (const auto &[Name, Bytes] : After)
    if (!Before.count(Name))
      Names.push_back(Name);
  return Names;
}

std::optional<Difference> difference(const Case &C, const CaseResult &R) {
  if (!R.Failure.empty())
    return Difference{R.Failure, ""};
  for (auto [Spec, Before, After] :
       zip(C.Workload->Buffers, C.Untuned.Buffers, R.Buffers))
    if (!isSame(*C.Workload, Spec.Name, /*IsSymbol=*/false, Before, After))
      return Difference{"buffer '" + Spec.Name +
                            "' differs from the untuned result",
                        Spec.Name};
  if (std::vector<std::string> Names = differingVariables(C, R); !Names.empty())
    return Difference{
        "variable '" + Names.front() + "' differs from the untuned result", ""};
  if (R.Output != C.Untuned.Output &&
      C.Workload->Order == rt::OutputOrder::Exact &&
      !C.Workload->ExpectedOutput)
    return Difference{"the output differs from the untuned one", ""};
  return std::nullopt;
}

} // namespace heddle::tune
