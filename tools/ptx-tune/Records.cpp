//===- Records.cpp - Tuning records of a cache ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The history of a record:
//
//   { "kernel": NAME, "chip": NAME, "launch": CLASS, "compiler": VERSION,
//     "untuned_cycles": N, "tuned_cycles": N, "strategy": NAME, "seed": N,
//     "evaluations": N, "seconds": S, "features": [FIGURE, ...],
//     "limits": { NAME: TEXT, ... },
//     "dimensions": [NAME, ...],
//     "trials": [[[VALUE, ...], VERDICT, CYCLES, COST, REGISTERS, CODE_BYTES],
//                ...] }
//
// CYCLES and COST are null but for what is correct, REGISTERS and CODE_BYTES
// where there is no code.
//
//===----------------------------------------------------------------------===//

#include "Records.h"
#include "heddle-cache/LocalStore.h"
#include "heddle-cache/RemoteLoader.h"
#include "heddle/Driver/CompilerLoader.h"
#include "heddle/Support/JSON.h"
#include "heddle/Support/Version.h"
#include "heddle/Tuning/Features.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace heddle::tune {

static Error fault(const cache::Status &S) {
  return S ? createStringError(S->Text) : Error::success();
}

/// The settings of the cache, as environment, files and options say.
static Error loadSettings(const Options &O, cache::Settings &S) {
  std::vector<std::string> Complaints;
  S = cache::Settings::load(cache::processEnvironment(), Complaints);
  for (const std::string &Text : Complaints)
    errs() << "ptx-tune: warning: " << Text << "\n";
  if (!O.CacheDir.empty())
    if (Error E =
            fault(S.set(cache::SettingId::Dir, O.CacheDir, "--cache-dir")))
      return E;
  // What is there still serves as a start.
  return O.Store || S.mode() == cache::Mode::Off
             ? Error::success()
             : fault(S.set(cache::SettingId::Mode, "read-only", "--no-store"));
}

Expected<std::unique_ptr<Records>> Records::open(const Options &O) {
  auto R = std::make_unique<Records>();
  cache::Settings &Settings = R->Settings;
  if (Error E = loadSettings(O, Settings))
    return E;
  CompilerIdentity Identity = readCompilerIdentity(compilerLibraryPath());
  if (Identity.Build.empty())
    (void)Settings.set(cache::SettingId::Mode, "off", "no build identity");
  cache::CacheOptions CacheOptions;
  CacheOptions.OpenRemotes = [&Settings] {
    std::vector<std::string> Complaints;
    return cache::loadRemotes(Settings, remoteLibraryPath(), Complaints);
  };
  R->Cache = std::make_unique<cache::Cache>(Settings, std::move(CacheOptions));
  R->Store = std::make_unique<tuning::RecordStore>(*R->Cache, Identity.Build);
  return R;
}

static json::Object historyOf(const KernelResult &R, const Options &O) {
  json::Array Dimensions, Trials;
  if (!R.Trials.empty())
    for (const auto &[Name, Value] : R.Trials.front().first)
      Dimensions.push_back(Name);
  for (const auto &[C, M] : R.Trials) {
    json::Array Values;
    for (const auto &[Name, Value] : C)
      Values.push_back(Value);
    json::Array Trial{std::move(Values), verdictName(M.Became)};
    auto Add = [&](bool IsKnown, json::Value V) {
      Trial.push_back(IsKnown ? std::move(V) : json::Value(nullptr));
    };
    bool IsCorrect = M.Became == Verdict::Correct, HasCode = M.Code.CodeBytes;
    Add(IsCorrect, static_cast<int64_t>(M.Cycles));
    Add(IsCorrect, M.Cost);
    Add(HasCode, M.Code.Registers);
    Add(HasCode, M.Code.CodeBytes);
    Trials.push_back(std::move(Trial));
  }
  return json::Object{
      {"kernel", R.Name},
      {"untuned_cycles", static_cast<int64_t>(R.Untuned.Cycles)},
      {"tuned_cycles", static_cast<int64_t>(R.Best.Cycles)},
      {"strategy", tuning::strategyName(O.Strategy)},
      {"seed", static_cast<int64_t>(O.Seed)},
      {"evaluations", static_cast<int64_t>(R.Costs.size() + R.Extra)},
      {"seconds", R.Seconds},
      {"limits", O.Bounds.toJSON()},
      {"dimensions", std::move(Dimensions)},
      {"trials", std::move(Trials)}};
}

void Records::insert(const tuning::KernelText &Kernel, StringRef Chip,
                     const tuning::LaunchClass &Launch,
                     const tuning::Configuration &C, json::Object History) {
  json::Array Figures;
  for (double F : tuning::featuresOf(Kernel))
    Figures.push_back(F);
  History["features"] = std::move(Figures);
  History["chip"] = Chip;
  History["launch"] = Launch.str();
  History["compiler"] = HEDDLE_VERSION;
  tuning::Record R;
  R.Configuration = formatv("{0}", json::Value(configurationJSON(C)));
  R.History = formatv("{0}", json::Value(std::move(History)));
  Store->insert(Kernel, Chip.str(), Launch, R);
}

void Records::insert(const KernelToTune &Kernel, const KernelResult &R,
                     const Options &O) {
  json::Object History = historyOf(R, O);
  std::set<tuning::LaunchClass> Launches = Kernel.Launches;
  Launches.emplace(); // any
  for (const tuning::KernelText &Text : Kernel.Texts)
    for (const std::string &Chip : O.Chips)
      for (const tuning::LaunchClass &Launch : Launches)
        insert(Text, Chip, Launch, R.Decisions, History);
}

/// The features that a history states; none if it has none.
static std::optional<tuning::Features> readFeatures(StringRef History) {
  Expected<json::Value> V = parseJSON(History);
  if (!V) {
    consumeError(V.takeError());
    return std::nullopt;
  }
  const json::Object *O = V->getAsObject();
  const json::Array *Figures = O ? O->getArray("features") : nullptr;
  if (!Figures || Figures->size() != tuning::NumFeatures)
    return std::nullopt;
  tuning::Features F;
  for (auto [To, From] : zip(F, *Figures))
    To = From.getAsNumber().value_or(0);
  return F;
}

/// Decisions without those that this compiler does not know.
static tuning::Configuration readDecisions(StringRef Text) {
  tuning::Configuration C;
  Expected<json::Value> V = parseJSON(Text);
  if (!V) {
    consumeError(V.takeError());
    return C;
  }
  if (const json::Object *O = V->getAsObject())
    for (const auto &[Name, Value] : *O)
      if (std::optional<int64_t> Number = Value.getAsInteger())
        C[StringRef(Name).str()] = *Number;
  return C;
}

std::vector<tuning::Configuration>
Records::startsFor(const KernelToTune &Kernel) {
  constexpr size_t MostStarts = 3;
  constexpr double FarthestLike = 0.35;
  std::vector<tuning::Configuration> Starts;
  if (!isOn() || Kernel.Texts.empty())
    return Starts;
  auto Local =
      cache::LocalStore::open(Settings, /*Create=*/false, Cache->counters());
  if (!Local)
    return Starts;
  tuning::Features Here = tuning::featuresOf(Kernel.Texts.front());
  cache::EntryCodec Codec(0, Settings.number(cache::SettingId::MaxEntrySize));
  // Ordered by their contents where they are equally far, not by their names.
  std::set<std::pair<double, tuning::Configuration>> Found;
  (*Local)->forEach([&](const cache::StoredFile &F) {
    auto Bytes = (*Local)->read(F.Find);
    if (!Bytes)
      return;
    auto Header = Codec.inspect(*Bytes);
    if (!Header || Header->Kind != cache::EntryKind::TuningRecord)
      return;
    std::optional<tuning::Features> There =
        readFeatures({Header->Metadata.data(), Header->Metadata.size()});
    auto Entry = Codec.unpack(*Header);
    if (!There || !Entry)
      return;
    if (double Far = tuning::distance(Here, *There); Far <= FarthestLike)
      Found.emplace(Far, readDecisions(Entry->Code));
  });
  for (const auto &[Far, C] : Found) {
    if (Starts.size() == MostStarts)
      break;
    if (!C.empty() && !is_contained(Starts, C))
      Starts.push_back(C);
  }
  return Starts;
}

} // namespace heddle::tune
