//===- CompileService.cpp - Compilation through the cache -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys, look-ups and messages around a compilation.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CompileService.h"

#include "heddle-cache/RemoteLoader.h"
#include "heddle/Driver/ResultCodec.h"
#include "heddle/Link/Bundle.h"
#include "heddle/ProfileData/ProfileTable.h"
#include "heddle/Tuning/RecordStore.h"

#include <algorithm>
#include <iterator>

namespace heddle {

/// Changes when the meaning of keys or the form of entries' metadata does.
static constexpr std::string_view Schema = "heddle-compile-1";

/// What the keys of whole inputs and of their partitions have in common.
static cache::KeyFields commonFields(const CompilerIdentity &Identity,
                                     const CompileOptions &Options) {
  cache::KeyFields Fields;
  Fields.add("schema", Schema)
      .add("build", Identity.Build)
      .add("isa", Identity.ISA)
      .add("chip", Options.text(OptionId::Chip))
      .add("feature_level", Options.text(OptionId::Arch))
      .add("options", Options.canonicalOutputOptions());
  return Fields;
}

/// What becomes of each warning, one a line.
static std::string canonicalWarnings(const CompileOptions &Options) {
  WarningSettings Settings = Options.warnings();
  std::string Text;
  for (const WarningInfo &W : warningTable()) {
    Text += W.Name;
    Text += Settings.isError(W.Id)     ? "=error\n"
            : Settings.isEnabled(W.Id) ? "=on\n"
                                       : "=off\n";
  }
  return Text;
}

/// Whether an input is PTX, or the bundle of a link of nothing else.
static bool isPTX(std::string_view Input) {
  auto IsText = [](std::string_view Bytes) {
    return Bytes.find('\0') == std::string_view::npos;
  };
  if (!isLinkBundle(Input))
    return IsText(Input);
  std::optional<std::vector<LinkInput>> Parts = readLinkBundle(Input);
  return Parts && std::ranges::all_of(*Parts, [&](const LinkInput &Part) {
           return IsText(Part.Bytes);
         });
}

/// The kernels of an input, and of all PTX among what is to be linked.
static std::vector<tuning::KernelText> kernelsOf(std::string_view Input) {
  std::optional<std::vector<LinkInput>> Linked = readLinkBundle(Input);
  if (!Linked)
    return tuning::kernelTexts(Input);
  std::vector<tuning::KernelText> All;
  for (const LinkInput &I : *Linked)
    std::ranges::move(tuning::kernelTexts(I.Bytes), std::back_inserter(All));
  return All;
}

/// The kernels of an input, without those that -entry leaves out.
static std::vector<tuning::KernelText>
wantedKernels(std::string_view Input, const CompileOptions &Options) {
  std::vector<tuning::KernelText> Kernels = kernelsOf(Input);
  const std::vector<std::string> &Entries = Options.list(OptionId::Entry);
  if (!Entries.empty())
    std::erase_if(Kernels, [&](const tuning::KernelText &K) {
      return std::find(Entries.begin(), Entries.end(), K.Name) == Entries.end();
    });
  return Kernels;
}

/// The PTX of an input that names what is compiled: all of it, or that of the
/// kernels that -entry names, with what they reach.
static std::string compiledText(std::string_view Input,
                                const CompileOptions &Options) {
  std::string Text;
  if (Options.given(OptionId::Entry))
    for (const tuning::KernelText &K : wantedKernels(Input, Options))
      Text += K.Name + " " + K.Text + "\n";
  return Text.empty() ? std::string(Input) : Text;
}

/// What of a profile can matter to an input: the counts of functions that PTX
/// names. The functions of other inputs are not known before they are read.
static std::string profileFor(std::string_view Input,
                              const CompileOptions &Options) {
  std::string_view Option = Options.text(OptionId::ProfileUse);
  std::optional<EmbeddedFile> File = decodeEmbeddedFile(Option);
  if (!File)
    return std::string(Option);
  return isPTX(Input) ? pgo::profileOfFunctions(File->Bytes,
                                                compiledText(Input, Options))
                      : std::move(File->Bytes);
}

/// The remarks that are kept with what was compiled, each kind a line.
static std::string wantedRemarks(const CompileOptions &Options) {
  std::string Text;
  for (OptionId Id : {OptionId::RemarksPassed, OptionId::RemarksMissed,
                      OptionId::RemarksAnalysis}) {
    if (Options.given(Id))
      Text += "=" + std::string(Options.text(Id));
    Text += '\n';
  }
  return Text;
}

static bool wantsRemarks(const CompileOptions &Options) {
  return Options.given(OptionId::RemarksPassed) ||
         Options.given(OptionId::RemarksMissed) ||
         Options.given(OptionId::RemarksAnalysis);
}

cache::Key makeCompileKey(const CompilerIdentity &Identity,
                          const CompileOptions &Options, std::string_view Input,
                          std::string_view Name) {
  cache::KeyFields Fields = commonFields(Identity, Options);
  Fields.add("warnings", canonicalWarnings(Options));
  if (wantsRemarks(Options))
    Fields.add("remarks", wantedRemarks(Options));
  // Partitions have it in their text.
  if (Options.given(OptionId::ProfileUse))
    Fields.add("profile", cache::sha256(profileFor(Input, Options)).str());
  // Line tables name the file; nothing else in an output does.
  if (Options.flag(OptionId::DeviceDebug) || Options.flag(OptionId::LineInfo))
    Fields.add("input_name", Name);
  return {cache::EntryKind::Module, Fields, Input};
}

/// The options with the caller's decision on colour.
static CompileOptions rendering(const CompileOptions &Options, bool Color) {
  CompileOptions Result = Options;
  (void)Result.set(OptionId::Color, Color ? "always" : "never");
  return Result;
}

cache::Status loadCacheSettings(const CompileOptions &Options,
                                cache::Settings &Settings,
                                std::vector<std::string> &Complaints) {
  Settings = cache::Settings::load(cache::processEnvironment(), Complaints);
  for (const std::string &Text : Options.list(OptionId::CacheSet)) {
    size_t Equals = std::min(Text.find('='), Text.size());
    std::string_view Value(Text);
    Value.remove_prefix(std::min(Equals + 1, Value.size()));
    if (cache::Status F =
            Settings.set(Text.substr(0, Equals), Value, "--cache-set"))
      return F;
  }
  if (Options.given(OptionId::CacheDir))
    (void)Settings.set(cache::SettingId::Dir, Options.text(OptionId::CacheDir),
                       "--cache-dir");
  if (Options.given(OptionId::Cache))
    (void)Settings.set(cache::SettingId::Mode, Options.text(OptionId::Cache),
                       "--cache");
  if (Options.flag(OptionId::NoCache))
    (void)Settings.set(cache::SettingId::Mode, "off", "--no-cache");
  return std::nullopt;
}

namespace {

/// The partitions of an input, as entries of the cache.
class CachedPartitions : public PartitionStore {
public:
  CachedPartitions(cache::Cache &C, cache::KeyFields Fields)
      : C(C), Fields(std::move(Fields)) {}

  std::optional<std::string> find(std::string_view Text) override {
    cache::Outcome O = C.lookupEverywhere(keyOf(Text));
    C.counters().add(O.Value ? cache::Counter::HitFunction
                             : cache::Counter::MissFunction);
    if (!O.Value)
      return std::nullopt;
    return O.Value->Code;
  }
  void insert(std::string_view Text, std::string Code) override {
    C.insert(keyOf(Text), std::make_shared<cache::Entry>(
                              cache::Entry{{}, {}, std::move(Code)}));
  }

private:
  cache::Key keyOf(std::string_view Text) const {
    return {cache::EntryKind::Function, Fields, Text};
  }
  cache::Cache &C;
  cache::KeyFields Fields;
};

/// Hands stages to a sink, and everything to another control, which may be
/// null.
class TracedControl final : public CompileControl {
public:
  TracedControl(CompileControl *Inner, TraceSink &Sink, std::string_view Input)
      : Inner(Inner), Sink(Sink), Input(Input) {}

  bool shouldStop() override { return Inner && Inner->shouldStop(); }
  void progress(unsigned Done, unsigned Total) override {
    if (Inner)
      Inner->progress(Done, Total);
  }
  void stageDone(const char *Name, Time Begin, Time End) override {
    Sink.add({Name, Input, Begin, End, {}});
  }
  uint64_t memoryLimit() override { return Inner ? Inner->memoryLimit() : 0; }
  bool endsProcess() override { return Inner && Inner->endsProcess(); }
  bool requestHelp(unsigned Threads,
                   const std::function<void()> &Help) override {
    return Inner && Inner->requestHelp(Threads, Help);
  }

private:
  CompileControl *const Inner;
  TraceSink &Sink;
  const std::string_view Input;
};

} // namespace

CompileService::CompileService(Setup S)
    : TheSetup(std::move(S)), Trace(TheSetup.TraceFile, TheSetup.OnTrace) {
  if (TheSetup.Isolate)
    Processes = std::make_unique<CompilerProcesses>(compilerProcessPath(),
                                                    TheSetup.LibraryPath);
  bool IsOff = TheSetup.Settings.mode() == cache::Mode::Off;
  if (!IsOff)
    Identity = readCompilerIdentity(TheSetup.LibraryPath);
  bool HasIdentity = !Identity.Build.empty();
  if (!IsOff && !HasIdentity) {
    Complaints.push_back("the cache is off: " + TheSetup.LibraryPath +
                         " has no build identity");
    (void)TheSetup.Settings.set(cache::SettingId::Mode, "off",
                                "no build identity");
  }
  heddle::cache::CacheOptions Options;
  Options.WriteInBackground = TheSetup.WriteInBackground;
  if (!TheSetup.Settings.text(cache::SettingId::Remotes).empty())
    Options.OpenRemotes = [this] {
      return cache::loadRemotes(TheSetup.Settings, remoteLibraryPath(),
                                Complaints);
    };
  Cache = std::make_unique<heddle::cache::Cache>(TheSetup.Settings,
                                                 std::move(Options));
  if (!IsOff && !HasIdentity)
    Cache->counters().add(cache::Counter::NoIdentity);
  if (!TheSetup.Settings.text(cache::SettingId::Farm).empty() && HasIdentity)
    Farm =
        std::make_unique<CompileFarm>(TheSetup.Settings, Identity.Build,
                                      remoteLibraryPath(), Cache->counters());
}

CompileService::~CompileService() = default;

std::vector<std::string> CompileService::complaints() const {
  std::vector<std::string> All = Complaints;
  if (std::string Text = Farm ? Farm->takeComplaint() : ""; !Text.empty())
    All.push_back(Text);
  return All;
}

const CompilerInterface *CompileService::compiler(std::string &Error) {
  std::lock_guard Guard(Loading);
  if (Loaded)
    return Loaded;
  if (TheSetup.BeforeLoading)
    TheSetup.BeforeLoading();
  Loaded = loadCompiler(TheSetup.LibraryPath, Error);
  return Loaded;
}

/// What options of LLVM make it print is not kept with an entry.
bool CompileService::usesCache(const CompileOptions &Options) const {
  return Cache->mode() != heddle::cache::Mode::Off &&
         Options.list(OptionId::MLLVM).empty();
}

/// Records are of whole kernels at full optimization. A document that is given
/// wins.
bool CompileService::usesTuning(const CompileRequest &Request,
                                const CompileOptions &Options) const {
  return Options.flag(OptionId::UseTuning) &&
         !Options.given(OptionId::Tuning) && usesCache(Options) &&
         TheSetup.Settings.flag(cache::SettingId::Tuning) &&
         Options.text(OptionId::OptLevel) != "0" &&
         !Options.flag(OptionId::DeviceDebug);
}

std::string_view chipOf(const CompileOptions &Options) {
  std::string_view Arch = Options.text(OptionId::Arch);
  return Arch.starts_with("hd") ? Arch : Options.text(OptionId::Chip);
}

static tuning::LaunchClass launchClassOf(const CompileOptions &Options) {
  auto Threads = static_cast<uint64_t>(Options.number(OptionId::LaunchThreads));
  auto CTAs = static_cast<uint64_t>(Options.number(OptionId::LaunchCTAs));
  return Threads && CTAs ? tuning::LaunchClass(Threads, CTAs)
                         : tuning::LaunchClass();
}

/// Options with the decisions recorded for the input's kernels. A remote is
/// asked for them only where the input is to be compiled anew, so that what the
/// cache has is served without waiting for one.
CompileOptions CompileService::advised(const CompileRequest &Request,
                                       const CompileOptions &Options) {
  CompileOptions Result = Options;
  if (!usesTuning(Request, Options))
    return Result;
  tuning::RecordStore Records(*Cache, Identity.Build);
  std::vector<tuning::KernelText> Kernels =
      wantedKernels(Request.Input, Options);
  auto Find = [&](bool AskRemotes) {
    return Records.document(Kernels, chipOf(Options), launchClassOf(Options),
                            AskRemotes);
  };
  std::string Document = Find(/*AskRemotes=*/false);
  if (Document.empty() &&
      !TheSetup.Settings.text(cache::SettingId::Remotes).empty() &&
      !findAdvised(Request, Options))
    Document = Find(/*AskRemotes=*/true);
  if (!Document.empty())
    (void)Result.set(OptionId::Tuning, Document);
  return Result;
}

/// Without a farm, in this process or in a helper.
CompileResult CompileService::compileHere(const CompileRequest &Request,
                                          const CompileOptions &Options) {
  if (Processes)
    return Processes->compile(Request.Input, Request.Name,
                              rendering(Options, Request.Color),
                              Request.Control);
  CompileResult Result;
  const CompilerInterface *Interface = compiler(Result.Failure);
  if (!Interface)
    return Result;
  CachedPartitions Partitions(*Cache, commonFields(Identity, Options));
  // Nothing is kept of what passes said of a partition.
  bool UsesPartitions = usesCache(Options) && !wantsRemarks(Options) &&
                        TheSetup.Settings.flag(cache::SettingId::Functions);
  Interface->Compile(
      Request.Input, Request.Name, rendering(Options, Request.Color),
      UsesPartitions ? &Partitions : nullptr, Request.Control, Result);
  return Result;
}

CompileResult CompileService::compileNow(const CompileRequest &Request,
                                         const CompileOptions &Options) {
  std::optional<CompileResult> Made;
  // Places, notes and suggestions do not travel.
  if (Farm && !Request.Structured)
    Made = Farm->compile(Request.Input, Request.Name,
                         rendering(Options, Request.Color), Request.Control);
  auto Compile = [&] { return compileHere(Request, Options); };
  if (!Made)
    Made = TheSetup.Around ? TheSetup.Around(Request, Compile) : Compile();
  CompileResult Result = std::move(*Made);
  if (!TheSetup.ReproducerDirectory.empty() &&
      Result.Failure.starts_with("internal error"))
    reproduce(Request, Options, Result);
  return Result;
}

ServedResult CompileService::compileCached(const CompileRequest &Request,
                                           const CompileOptions &Options) {
  Rendering Wanted{Request.Name, Request.Color};
  cache::Key K = makeCompileKey(Identity, Options, Request.Input, Request.Name);
  ServedResult Served;
  Served.Key = K.find().str();
  bool IsMadeHere = false;
  cache::Outcome O = Cache->getOrMake(K, [&]() -> cache::Made {
    IsMadeHere = true;
    Served.Result = compileNow(Request, Options);
    if (!Served.Result.Succeeded)
      return {nullptr, std::make_shared<CompileResult>(Served.Result)};
    return {std::make_shared<cache::Entry>(encodeResult(Served.Result, Wanted)),
            nullptr};
  });
  Served.From = O.From;
  if (IsMadeHere)
    return Served;
  if (!O.Value) { // made by another thread, which failed
    Served.Result = *static_cast<const CompileResult *>(O.Failure.get());
    // That it was cancelled there says nothing about here.
    return Served.Result.Stopped ? compileCached(Request, Options) : Served;
  }
  Rendering How;
  std::optional<CompileResult> Found = decodeResult(*O.Value, How);
  bool IsAsWanted = Found && (Found->Messages.empty() ||
                              (How == Wanted && !Request.Structured));
  if (IsAsWanted) {
    Served.Result = std::move(*Found);
    return Served;
  }
  // Messages name the input as it was called then; compiling it again is the
  // way to have them right. Warnings are rare.
  if (!Found)
    Cache->discard(K);
  Served.Result = compileNow(Request, Options);
  Served.From = cache::Origin::Made;
  if (Served.Result.Succeeded)
    Cache->insert(
        K, std::make_shared<cache::Entry>(encodeResult(Served.Result, Wanted)));
  return Served;
}

std::optional<ServedResult>
CompileService::find(const CompileRequest &Request,
                     const CompileOptions &Options) {
  return findAdvised(Request, advised(Request, Options));
}

std::optional<ServedResult>
CompileService::findAdvised(const CompileRequest &Request,
                            const CompileOptions &Options) {
  cache::Key K = makeCompileKey(Identity, Options, Request.Input, Request.Name);
  cache::Outcome O = Cache->lookup(K);
  Rendering How;
  std::optional<CompileResult> Found;
  if (O.Value)
    Found = decodeResult(*O.Value, How);
  bool IsAsWanted =
      Found &&
      (Found->Messages.empty() ||
       (How == Rendering{Request.Name, Request.Color} && !Request.Structured));
  if (!IsAsWanted)
    return std::nullopt;
  return ServedResult{std::move(*Found), O.From, K.find().str()};
}

void CompileService::reproduce(const CompileRequest &Request,
                               const CompileOptions &Options,
                               CompileResult &Result) {
  std::string File =
      writeReproducer(TheSetup.ReproducerDirectory, Request.Input, Options);
  std::string Program =
      isLinkBundle(Request.Input) ? "ptx-link" : "ptx-compile";
  if (!File.empty())
    Result.Failure += "\nRepeat it with " + Program + " --options-file=" + File;
}

ServedResult CompileService::compile(const CompileRequest &Request,
                                     const CompileOptions &Options) {
  if (!Trace)
    return serve(Request, Options);
  CompileRequest Traced = Request;
  TracedControl Control(Request.Control, Trace, Request.Name);
  Traced.Control = &Control;
  auto Begin = std::chrono::steady_clock::now();
  ServedResult Served = serve(Traced, Options);
  Trace.add({"compile", Request.Name, Begin, std::chrono::steady_clock::now(),
             cache::originName(Served.From)});
  return Served;
}

ServedResult CompileService::serve(const CompileRequest &Request,
                                   const CompileOptions &Options) {
  if (usesCache(Options))
    return compileCached(Request, advised(Request, Options));
  ServedResult Served;
  Served.Result = compileNow(Request, Options);
  Served.From = cache::Origin::Made;
  return Served;
}

} // namespace heddle
