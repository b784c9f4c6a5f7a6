//===- Objective.cpp - What a configuration costs ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objective on the emulator: a case is a manifest on a chip. What a case
// left in its buffers untuned is what it must leave always.
//
//===----------------------------------------------------------------------===//

#include "Objective.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Object/ObjectFile.h"
#include "heddle/Runtime/ManifestRunner.h"
#include "heddle/Runtime/Profile.h"
#include "heddle/Tuning/Launches.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/xxhash.h"

#include <cmath>
#include <numeric>

using namespace llvm;

namespace heddle::tune {

namespace {

using Contents = std::vector<std::vector<uint8_t>>;

/// What one run of a manifest came to.
struct CaseResult {
  std::map<std::string, uint64_t> Cycles; ///< By kernel.
  /// Warp cycles by section and place in it.
  std::map<std::pair<std::string, uint64_t>, double> Instructions;
  Contents Buffers;
  std::string Output;
  std::string Failure;    ///< Of an expectation; empty if all hold.
  bool IsStopped = false; ///< By the limit of cycles.
};

/// Cycles of one kernel in a case, and of all.
struct CaseCycles {
  uint64_t Kernel, All;
};

/// A manifest on a chip.
struct Case {
  const rt::Manifest *Workload;
  double Weight;
  std::string Chip;
  MemoryBufferRef Module;
  CaseResult Untuned;
};

class EmulatorObjective : public Objective {
public:
  explicit EmulatorObjective(const Options &O) : O(O) {}
  Error setUp();

  ArrayRef<KernelToTune> kernels() const override { return Kernels; }
  Expected<Measurement> measure(StringRef Kernel, const tuning::Document &D,
                                double Limit) const override;
  Expected<std::vector<double>>
  instructionCosts(StringRef Kernel, const tuning::Document &D) const override;
  uint64_t identity() const override { return Identity; }

private:
  Error readWorkload(const WorkloadOption &W);
  Error listKernels();
  Expected<CompileOptions> optionsFor(StringRef Chip,
                                      const tuning::Document *D) const;
  Expected<CaseResult> run(const Case &C, const tuning::Document *D) const;
  Expected<CompileOutput> compile(const Case &C,
                                  const tuning::Document *D) const;
  Error runCode(const Case &C, const rt::Manifest &Workload,
                const CompileOutput &Code, uint64_t MaxCycles,
                CaseResult &Result) const;
  std::string difference(const Case &C, const CaseResult &R) const;
  uint64_t keyOf(StringRef Kernel, const Case &C, const rt::Manifest &Workload,
                 const CompileOutput &Code) const;
  std::optional<CaseCycles> findCycles(uint64_t Key) const;
  void keepCycles(uint64_t Key, CaseCycles Cycles) const;
  void identify(StringRef Text) {
    Identity = xxh3_64bits(
        (Twine(Identity) + "," + Twine(Text.size()) + "," + Text).str());
  }

  const Options &O;
  Compiler TheCompiler;
  std::vector<std::unique_ptr<rt::Manifest>> Manifests;
  std::map<std::string, std::unique_ptr<MemoryBuffer>> Modules;
  std::vector<Case> Cases;
  std::vector<KernelToTune> Kernels;
  uint64_t Identity = 0;
  mutable std::mutex Guard;                     ///< Of what follows.
  mutable std::map<uint64_t, CaseCycles> Known; ///< By keyOf.
};

} // namespace

Expected<CompileOptions>
EmulatorObjective::optionsFor(StringRef Chip, const tuning::Document *D) const {
  CompileOptions Options;
  if (auto Fault = Options.set(OptionId::Arch, Chip))
    return createStringError(*Fault);
  if (auto Fault = Options.parse(O.CompilerArgs))
    return createStringError(*Fault);
  if (D)
    if (auto Fault = Options.set(OptionId::Tuning, D->str()))
      return createStringError(*Fault);
  return Options;
}

/// Reads a manifest and its module, and makes a case for each chip.
Error EmulatorObjective::readWorkload(const WorkloadOption &W) {
  auto M = std::make_unique<rt::Manifest>();
  if (Error E = rt::readManifest(W.Path).moveInto(*M))
    return E;
  if (!O.Module.empty())
    M->Modules = {O.Module};
  if (M->Modules.size() != 1)
    return createStringError(W.Path +
                             ": several modules are not supported yet");
  std::unique_ptr<MemoryBuffer> &Module = Modules[M->Modules.front()];
  if (!Module) {
    auto Buffer = MemoryBuffer::getFile(M->Modules.front());
    if (!Buffer)
      return createStringError(M->Modules.front() + ": " +
                               Buffer.getError().message());
    Module = std::move(*Buffer);
    identify(Module->getBuffer());
  }
  auto Text = MemoryBuffer::getFile(W.Path);
  if (!Text)
    return createStringError(W.Path + ": " + Text.getError().message());
  identify((*Text)->getBuffer());
  identify(std::to_string(W.Weight));
  for (const std::string &Chip : O.Chips)
    Cases.push_back({M.get(), W.Weight, Chip, Module->getMemBufferRef(), {}});
  Manifests.push_back(std::move(M));
  return Error::success();
}

/// Finds the kernels to tune, their loops and their texts.
Error EmulatorObjective::listKernels() {
  MapVector<StringRef, std::set<tuning::LaunchClass>> Launched;
  StringMap<SmallVector<const rt::ManifestLaunch *>> LaunchesOf;
  for (const Case &C : Cases)
    for (const rt::ManifestLaunch &L : C.Workload->Launches) {
      Launched[L.Entry].emplace(L.Block.count(), L.Grid.count());
      LaunchesOf[L.Entry].push_back(&L);
    }
  for (const std::string &Name : O.Kernels)
    if (!Launched.contains(Name))
      return createStringError("no manifest launches a kernel '" + Name + "'");
  std::map<std::string, std::vector<tuning::LoopShape>> Loops;
  std::map<std::string, std::vector<tuning::KernelText>> Texts;
  for (const auto &[Path, Module] : Modules) {
    Expected<CompileOptions> Options = optionsFor(O.Chips.front(), nullptr);
    if (!Options)
      return Options.takeError();
    auto Found = TheCompiler.kernelLoops(
        Module->getMemBufferRef(), *Options,
        [](const Diagnostic &D) { errs() << D.Rendered; });
    if (!Found)
      return Found.takeError();
    Loops.insert(Found->begin(), Found->end());
    for (tuning::KernelText &Text : tuning::kernelTexts(
             {Module->getBufferStart(), Module->getBufferSize()}))
      Texts[Text.Name].push_back(std::move(Text));
  }
  for (auto &[Name, Launches] : Launched)
    if (O.Kernels.empty() || is_contained(O.Kernels, Name))
      Kernels.push_back({Name.str(), Loops[Name.str()],
                         tuning::blocksOf(LaunchesOf[Name]),
                         std::move(Launches), Texts[Name.str()]});
  return Error::success();
}

Error EmulatorObjective::setUp() {
  for (const WorkloadOption &W : O.Workloads)
    if (Error E = readWorkload(W))
      return E;
  for (const std::string &Text : O.Chips)
    identify(Text);
  for (const std::string &Text : O.CompilerArgs)
    identify(Text);
  if (Error E = listKernels())
    return E;
  for (Case &C : Cases) {
    if (Error E = run(C, nullptr).moveInto(C.Untuned))
      return E;
    if (!C.Untuned.Failure.empty())
      return createStringError("before any tuning: " + C.Untuned.Failure);
  }
  return Error::success();
}

static Error readBuffers(rt::ManifestRunner &Runner, const rt::Manifest &M,
                         Contents &Buffers) {
  for (const rt::ArraySpec &Spec : M.Buffers) {
    std::vector<uint8_t> Bytes(Spec.bytes());
    if (Error E = Runner.read(Spec, 0, Bytes))
      return E;
    Buffers.push_back(std::move(Bytes));
  }
  return Error::success();
}

Expected<CompileOutput>
EmulatorObjective::compile(const Case &C, const tuning::Document *D) const {
  Expected<CompileOptions> Options = optionsFor(C.Chip, D);
  if (!Options)
    return Options.takeError();
  std::string Messages;
  Expected<CompileOutput> Code =
      TheCompiler.compile(C.Module, *Options, [&](const Diagnostic &Message) {
        if (Message.Level == Severity::Error)
          Messages += Message.Rendered;
      });
  if (!Code)
    return createStringError(Messages + toString(Code.takeError()));
  return Code;
}

/// \p MaxCycles: of all launches together; 0: no limit.
Error EmulatorObjective::runCode(const Case &C, const rt::Manifest &Workload,
                                 const CompileOutput &Code, uint64_t MaxCycles,
                                 CaseResult &Result) const {
  emu::EmulatorOptions Settings;
  Settings.Chip = C.Chip;
  Settings.StrictHazards = false;
  Settings.Timing = true;
  Settings.Model.MaxCycles = MaxCycles;
  std::unique_ptr<rt::Device> Device;
  if (Error E = emu::createEmulatorDevice(Settings).moveInto(Device))
    return E;
  std::unique_ptr<rt::ManifestRunner> Runner;
  if (Error E = rt::ManifestRunner::create(
                    *Device, Workload,
                    {reinterpret_cast<const uint8_t *>(Code.Bytes.data()),
                     Code.Bytes.size()})
                    .moveInto(Runner))
    return E;
  if (Error E = Runner->launchAll())
    return E;
  for (const rt::LaunchReport &L : Runner->reports())
    if (L.Result.Profile) {
      Result.Cycles[L.Launch->Entry] += L.Result.Profile->Cycles;
      for (const rt::InstructionProfile &I : L.Result.Profile->Instructions)
        Result.Instructions[{I.Section, I.PC}] += static_cast<double>(
            std::accumulate(I.States.begin(), I.States.end(), uint64_t(0)));
    } else if (MaxCycles && L.Result.Fault &&
               L.Result.Fault->Kind == rt::FaultKind::Timeout) {
      Result.IsStopped = true;
      return Error::success();
    }
  Expected<std::vector<rt::CheckReport>> Checks = Runner->check();
  if (!Checks)
    return Checks.takeError();
  for (const rt::CheckReport &Check : *Checks)
    if (!Check.Passed && Result.Failure.empty())
      Result.Failure = Check.Place + ": " + Check.What + ": " + Check.Message;
  if (Error E = readBuffers(*Runner, Workload, Result.Buffers))
    return E;
  Result.Output = Runner->output().str();
  return Error::success();
}

/// Compiles and runs a case. That it cannot be compiled is an error, that it
/// cannot be run as well.
Expected<CaseResult> EmulatorObjective::run(const Case &C,
                                            const tuning::Document *D) const {
  Expected<CompileOutput> Code = compile(C, D);
  if (!Code)
    return Code.takeError();
  CaseResult Result;
  if (Error E = runCode(C, *C.Workload, *Code, /*MaxCycles=*/0, Result))
    return E;
  return Result;
}

/// How a result differs from the untuned one's; empty if it does not. A buffer
/// for which the manifest states what it must hold, with a tolerance, may
/// differ within that: atomic additions of numbers with fractions come in any
/// order.
std::string EmulatorObjective::difference(const Case &C,
                                          const CaseResult &R) const {
  if (!R.Failure.empty())
    return R.Failure;
  for (auto [Spec, Before, After] :
       zip(C.Workload->Buffers, C.Untuned.Buffers, R.Buffers)) {
    bool IsExpected = any_of(C.Workload->Expectations,
                             [&, Name = Spec.Name](const rt::Expectation &E) {
                               return !E.IsSymbol && E.Data.Name == Name;
                             });
    if (Before != After && !IsExpected)
      return "buffer '" + Spec.Name + "' differs from the untuned result";
  }
  if (R.Output != C.Untuned.Output &&
      C.Workload->Order == rt::OutputOrder::Exact &&
      !C.Workload->ExpectedOutput)
    return "the output differs from the untuned one";
  return {};
}

namespace {

/// The logarithm of a geometric mean that is not complete yet.
struct PartialMean {
  double Sum = 0, Weights = 0;

  void add(double Weight, double Ratio) {
    Sum += Weight * std::log(Ratio);
    Weights += Weight;
  }
};

} // namespace

/// What a kernel may take in a case of \p Weight before the mean over
/// \p Total exceeds \p Limit, relative to the untuned kernel, if no case yet to
/// come gains more than a factor.
static double ratioLimit(const PartialMean &Sofar, double Weight, double Total,
                         double Limit) {
  constexpr double MostGain = 4;
  double Rest = Total - Sofar.Weights - Weight;
  return std::exp(
      (Total * std::log(Limit) - Sofar.Sum + Rest * std::log(MostGain)) /
      Weight);
}

/// The cycles of all kernels of a case, that of \p Kernel taking \p Ratio of
/// its own; 0 if they are no limit.
static uint64_t cycleLimit(const Case &C, StringRef Kernel, double Ratio) {
  constexpr double Most = 1e18;
  double Sum = 0;
  for (const auto &[Name, Cycles] : C.Untuned.Cycles)
    Sum += static_cast<double>(Cycles) * (Name == Kernel ? Ratio : 1);
  return Sum < Most ? static_cast<uint64_t>(std::ceil(Sum)) : 0;
}

/// What the cycles of a kernel in a case depend on: its code, and how it is
/// launched.
uint64_t EmulatorObjective::keyOf(StringRef Kernel, const Case &C,
                                  const rt::Manifest &Workload,
                                  const CompileOutput &Code) const {
  std::string Text = (Kernel + "," + Twine(&C - Cases.data())).str();
  for (const rt::ManifestLaunch &L : Workload.Launches)
    for (const rt::Dim3 &D : {L.Grid, L.Block})
      Text += ("," + Twine(D.X) + "," + Twine(D.Y) + "," + Twine(D.Z)).str();
  Text += "," + StringRef(Code.Bytes.data(), Code.Bytes.size()).str();
  return xxh3_64bits(Text);
}

/// The cycles of a kernel whose results were right.
std::optional<CaseCycles> EmulatorObjective::findCycles(uint64_t Key) const {
  std::lock_guard Lock(Guard);
  auto Found = Known.find(Key);
  return Found == Known.end() ? std::nullopt : std::optional(Found->second);
}

void EmulatorObjective::keepCycles(uint64_t Key, CaseCycles Cycles) const {
  std::lock_guard Lock(Guard);
  Known.emplace(Key, Cycles);
}

static bool changesBlocks(const tuning::Document &D) {
  return any_of(D.Kernels, [](const auto &Kernel) {
    return tuning::blockOf(Kernel.second, {}) != tuning::BlockShape{};
  });
}

Expected<Measurement> EmulatorObjective::measure(StringRef Kernel,
                                                 const tuning::Document &D,
                                                 double Limit) const {
  Measurement M;
  auto Fail = [&](Verdict V, std::string Why) {
    M.Became = V;
    M.Fault = std::move(Why);
    return M;
  };
  SmallVector<const Case *> Launching;
  double Total = 0;
  for (const Case &C : Cases)
    if (auto Before = C.Untuned.Cycles.find(Kernel.str());
        Before != C.Untuned.Cycles.end() && Before->second != 0) {
      Launching.push_back(&C);
      Total += C.Weight;
    }
  PartialMean Mean;
  auto Add = [&](const Case &C, uint64_t Cycles) {
    uint64_t Before = C.Untuned.Cycles.find(Kernel.str())->second;
    M.Cycles += Cycles;
    Mean.add(C.Weight,
             static_cast<double>(Cycles) / static_cast<double>(Before));
  };
  for (const Case *C : Launching) {
    Expected<rt::Manifest> Workload = tuning::applyToLaunches(*C->Workload, D);
    if (!Workload)
      return Fail(Verdict::Runtime, toString(Workload.takeError()));
    Expected<CompileOutput> Code = compile(*C, &D);
    if (!Code)
      return Fail(Verdict::Compile, toString(Code.takeError()));
    // Many decisions change nothing.
    uint64_t Key = keyOf(Kernel, *C, *Workload, *Code);
    std::optional<CaseCycles> Cycles = findCycles(Key);
    double Ratio = ratioLimit(Mean, C->Weight, Total, Limit);
    uint64_t Most = cycleLimit(*C, Kernel, Ratio);
    CaseResult R;
    if (Cycles)
      R.IsStopped = Most != 0 && Cycles->All > Most;
    else if (Error E = runCode(*C, *Workload, *Code, Most, R))
      return Fail(Verdict::Runtime, toString(std::move(E)));
    if (R.IsStopped) {
      M.Cost = Limit;
      return Fail(Verdict::Timeout, "it takes too long to be of interest");
    }
    if (Cycles) {
      Add(*C, Cycles->Kernel);
      continue;
    }
    // With other blocks the manifest is as likely to be wrong.
    if (std::string Why = difference(*C, R); !Why.empty())
      return Fail(changesBlocks(D) ? Verdict::Runtime : Verdict::Correctness,
                  std::move(Why));
    Cycles = {R.Cycles[Kernel.str()], 0};
    for (const auto &[Name, Count] : R.Cycles)
      Cycles->All += Count;
    keepCycles(Key, *Cycles);
    Add(*C, Cycles->Kernel);
  }
  if (Launching.empty())
    return Fail(Verdict::Runtime, "no launch of the kernel has cycles");
  M.Cost = std::exp(Mean.Sum / Mean.Weights);
  return M;
}

/// Where each instruction of a kernel stands in its section.
static Expected<std::vector<uint64_t>>
placesOf(const CompileOutput &Code, StringRef Kernel, std::string &Section) {
  Expected<ObjectFile> Object =
      ObjectFile::create({reinterpret_cast<const uint8_t *>(Code.Bytes.data()),
                          Code.Bytes.size()});
  if (!Object)
    return Object.takeError();
  std::vector<uint64_t> Places;
  const heddle::Kernel *K = Object->findKernel(Kernel);
  if (!K)
    return Places;
  const heddle::Section &S = Object->sections()[K->Section];
  const Symbol &Start = Object->symbols()[K->Symbol];
  Section = S.Name.str();
  for (uint64_t At = Start.Value;
       At < Start.Value + Start.Size && At < S.Contents.size();
       At += isa::instructionBytes(S.Contents[At]))
    Places.push_back(At);
  return Places;
}

Expected<std::vector<double>>
EmulatorObjective::instructionCosts(StringRef Kernel,
                                    const tuning::Document &D) const {
  std::vector<double> Costs;
  for (const Case &C : Cases) {
    if (!C.Untuned.Cycles.count(Kernel.str()))
      continue;
    Expected<CompileOutput> Code = compile(C, &D);
    if (!Code)
      return Code.takeError();
    Expected<rt::Manifest> Workload = tuning::applyToLaunches(*C.Workload, D);
    if (!Workload)
      return Workload.takeError();
    CaseResult R;
    if (Error E = runCode(C, *Workload, *Code, /*MaxCycles=*/0, R))
      return std::move(E);
    std::string Section;
    Expected<std::vector<uint64_t>> Places = placesOf(*Code, Kernel, Section);
    if (!Places)
      return Places.takeError();
    Costs.resize(std::max(Costs.size(), Places->size()));
    for (auto [Cost, Place] : zip(Costs, *Places))
      if (auto Found = R.Instructions.find({Section, Place});
          Found != R.Instructions.end())
        Cost += C.Weight * Found->second;
  }
  return Costs;
}

Expected<std::unique_ptr<Objective>> createEmulatorObjective(const Options &O) {
  auto Result = std::make_unique<EmulatorObjective>(O);
  if (Error E = Result->setUp())
    return E;
  return Result;
}

} // namespace heddle::tune
