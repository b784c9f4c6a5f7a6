//===- Objective.cpp - What a configuration costs ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objective on the emulator: cases (Cases.h) with the code of candidates
// (Candidates.h).
//
//===----------------------------------------------------------------------===//

#include "Objective.h"
#include "Orders.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Object/ObjectFile.h"
#include "heddle/Tuning/Launches.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/xxhash.h"

#include <cmath>

using namespace llvm;

namespace heddle::tune {

namespace {

/// Cycles of one kernel in a case, and of all.
struct CaseCycles {
  uint64_t Kernel, All;
};

/// The code of a configuration for each program and chip.
using CodeOfCases =
    std::map<std::pair<const Program *, std::string>, CompileResult>;

class EmulatorObjective : public Objective {
public:
  EmulatorObjective(const Options &O, LoadedCompiler Compiler)
      : O(O), Maker(O, Compiler) {}
  Error setUp();

  ArrayRef<KernelToTune> kernels() const override { return Kernels; }
  Expected<Measurement> measure(StringRef Kernel, const tuning::Document &D,
                                double Limit) const override;
  Expected<std::vector<double>>
  instructionCosts(StringRef Kernel, const tuning::Document &D) const override;
  uint64_t identity() const override { return Identity; }

private:
  Error readWorkload(const WorkloadOption &W);
  Error identifyFiles(const rt::Manifest &M);
  Expected<const Program *> programOf(const rt::Manifest &M);
  Error listKernels();
  Error listLoops(const Program &P, std::map<std::string, KernelToTune> &Known);
  Error runUntuned(Case &C);
  Error describeUntuned(KernelToTune &K);
  SmallVector<const Case *> launching(StringRef Kernel) const;
  bool compileAll(ArrayRef<const Case *> Launching, StringRef Kernel,
                  const tuning::Document &D, CodeOfCases &Code,
                  Measurement &M) const;
  uint64_t keyOf(StringRef Kernel, const Case &C, const rt::Manifest &Workload,
                 const CompileResult &Code) const;
  std::optional<CaseCycles> measureCase(const Case &C, StringRef Kernel,
                                        const tuning::Document &D,
                                        const CompileResult &Code,
                                        uint64_t Most, Measurement &M) const;
  void blame(const Case &C, StringRef Kernel, const tuning::Document &D,
             const CaseResult &R, const rt::Manifest &Workload,
             const CompileResult &Code, Measurement &M) const;
  std::optional<CaseCycles> findCycles(uint64_t Key) const;
  void keepCycles(uint64_t Key, CaseCycles Cycles) const;
  void identify(StringRef Text) {
    Identity = xxh3_64bits(
        (Twine(Identity) + "," + Twine(Text.size()) + "," + Text).str());
  }

  const Options &O;
  CandidateMaker Maker;
  std::vector<std::unique_ptr<rt::Manifest>> Manifests;
  std::map<std::vector<std::string>, std::unique_ptr<Program>> Programs;
  std::vector<Case> Cases;
  std::vector<KernelToTune> Kernels;
  uint64_t Identity = 0;
  mutable std::mutex Guard;                     ///< Of what follows.
  mutable std::map<uint64_t, CaseCycles> Known; ///< By keyOf.
  mutable std::mutex OrdersGuard;               ///< Of what follows.
  /// Made where a result differs, since that is rare.
  mutable std::map<const Case *, OrderSpread> Orders;
};

} // namespace

/// The program of a manifest, read when it is first asked for.
Expected<const Program *> EmulatorObjective::programOf(const rt::Manifest &M) {
  std::unique_ptr<Program> &P = Programs[M.Modules];
  if (!P) {
    if (Error E = Program::read(M.Modules).moveInto(P))
      return std::move(E);
    identify(P->input().getBuffer());
  }
  return P.get();
}

/// What the files hold that a manifest takes data from.
Error EmulatorObjective::identifyFiles(const rt::Manifest &M) {
  auto Identify = [&](const rt::ArraySpec &Spec) -> Error {
    const auto *File = std::get_if<rt::FileInit>(&Spec.Init);
    if (!File)
      return Error::success();
    auto Buffer = MemoryBuffer::getFile(File->Path);
    if (!Buffer)
      return createStringError(File->Path + ": " + Buffer.getError().message());
    identify((*Buffer)->getBuffer());
    return Error::success();
  };
  for (const std::vector<rt::ArraySpec> *Specs : {&M.Buffers, &M.Symbols})
    for (const rt::ArraySpec &Spec : *Specs)
      if (Error E = Identify(Spec))
        return E;
  for (const rt::Expectation &E : M.Expectations)
    if (Error Fault = Identify(E.Data))
      return Fault;
  return Error::success();
}

/// Reads a manifest and its modules, and makes a case for each chip.
Error EmulatorObjective::readWorkload(const WorkloadOption &W) {
  auto M = std::make_unique<rt::Manifest>();
  if (Error E = rt::readManifest(W.Path).moveInto(*M))
    return E;
  if (!O.Module.empty())
    M->Modules = {O.Module};
  Expected<const Program *> Source = programOf(*M);
  if (!Source)
    return Source.takeError();
  auto Text = MemoryBuffer::getFile(W.Path);
  if (!Text)
    return createStringError(W.Path + ": " + Text.getError().message());
  identify((*Text)->getBuffer());
  identify(std::to_string(W.Weight));
  if (Error E = identifyFiles(*M))
    return E;
  isa::ChipChanges Figures;
  if (!O.Figures.empty())
    if (auto Fault = Figures.parse(std::string_view(O.Figures)))
      return createStringError("--figures: " + *Fault);
  for (const std::string &Chip : O.Chips)
    Cases.push_back({M.get(), W.Weight, Chip, *Source, {}, {}, Figures});
  Manifests.push_back(std::move(M));
  return Error::success();
}

/// Finds the loops and the texts of the kernels that a program's PTX has.
Error EmulatorObjective::listLoops(const Program &P,
                                   std::map<std::string, KernelToTune> &Known) {
  Expected<CompileOptions> Options = Maker.optionsFor(O.Chips.front(), nullptr);
  if (!Options)
    return Options.takeError();
  for (MemoryBufferRef Text : P.texts()) {
    auto Loops = Maker.compiler().kernelLoops(
        Text, *Options, [](const Diagnostic &D) { errs() << D.Rendered; });
    if (!Loops)
      return Loops.takeError();
    for (auto &[Name, Shapes] : *Loops)
      Known.try_emplace(Name, KernelToTune{Name, std::move(Shapes)});
    for (tuning::KernelText &Kernel :
         tuning::kernelTexts({Text.getBufferStart(), Text.getBufferSize()}))
      if (auto At = Known.find(Kernel.Name); At != Known.end())
        At->second.Texts.push_back(std::move(Kernel));
  }
  return Error::success();
}

/// Finds the kernels to tune.
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
  std::map<std::string, KernelToTune> Known;
  for (const auto &[Paths, P] : Programs)
    if (Error E = listLoops(*P, Known))
      return E;
  for (auto &[Name, Launches] : Launched) {
    if (!O.Kernels.empty() && !is_contained(O.Kernels, Name))
      continue;
    auto At = Known.find(Name.str());
    if (At == Known.end())
      return createStringError(
          "kernel '" + Name +
          "' is in none of the modules that are PTX; to "
          "tune it give its PTX, or name the others by --kernel");
    At->second.Shapes = tuning::shapesOf(LaunchesOf[Name]);
    At->second.Launches = std::move(Launches);
    Kernels.push_back(std::move(At->second));
  }
  return Error::success();
}

/// Compiles and runs a case as it is.
Error EmulatorObjective::runUntuned(Case &C) {
  if (Error E = Maker.prepare(*C.Source, C.Chip))
    return E;
  if (Error E =
          Maker.makeAnyway(*C.Source, C.Chip, nullptr).moveInto(C.UntunedCode))
    return E;
  if (Error E =
          runCase(C, *C.Workload, C.UntunedCode, RunMode()).moveInto(C.Untuned))
    return E;
  if (!C.Untuned.Failure.empty())
    return createStringError("before any tuning: " + C.Untuned.Failure);
  uint64_t All = 0;
  for (const auto &[Name, Cycles] : C.Untuned.Cycles)
    All += Cycles;
  for (const auto &[Name, Cycles] : C.Untuned.Cycles)
    keepCycles(keyOf(Name, C, *C.Workload, C.UntunedCode), {Cycles, All});
  return Error::success();
}

/// What a kernel is without any decisions.
Error EmulatorObjective::describeUntuned(KernelToTune &K) {
  for (const Case *C : launching(K.Name)) {
    K.UntunedCycles += C->Untuned.Cycles.find(K.Name)->second;
    Expected<CodeFigures> Takes = figuresOf(
        {reinterpret_cast<const uint8_t *>(C->UntunedCode.Bytes.data()),
         C->UntunedCode.Bytes.size()},
        K.Name);
    if (!Takes)
      return Takes.takeError();
    K.UntunedCode.raiseTo(*Takes);
  }
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
  identify(O.Figures);
  identify(O.Bounds.str());
  if (Error E = listKernels())
    return E;
  for (Case &C : Cases)
    if (Error E = runUntuned(C))
      return E;
  for (KernelToTune &K : Kernels)
    if (Error E = describeUntuned(K))
      return E;
  return Error::success();
}

/// The cases in which a kernel takes time.
SmallVector<const Case *> EmulatorObjective::launching(StringRef Kernel) const {
  SmallVector<const Case *> Result;
  for (const Case &C : Cases)
    if (auto Before = C.Untuned.Cycles.find(Kernel.str());
        Before != C.Untuned.Cycles.end() && Before->second != 0)
      Result.push_back(&C);
  return Result;
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
                                  const CompileResult &Code) const {
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

static bool changesLaunches(const tuning::Document &D) {
  return any_of(D.Kernels, [](const auto &Kernel) {
    return any_of(Kernel.second, [](const auto &Decision) {
      const tuning::KnobInfo *Row = tuning::findKnob(Decision.first);
      return Row && Row->Scope == tuning::KnobScope::Launch &&
             Decision.second != Row->Default;
    });
  });
}

/// Compiles a configuration for all cases. False if one does not compile, or
/// is over a limit, which \p M then says.
bool EmulatorObjective::compileAll(ArrayRef<const Case *> Launching,
                                   StringRef Kernel, const tuning::Document &D,
                                   CodeOfCases &Code, Measurement &M) const {
  for (const Case *C : Launching) {
    auto [At, IsNew] = Code.try_emplace({C->Source, C->Chip});
    if (!IsNew)
      continue;
    Expected<Candidate> Made = Maker.make(*C->Source, C->Chip, Kernel, D);
    if (!Made) {
      M.Became = Verdict::Compile;
      M.Fault = toString(Made.takeError());
      return false;
    }
    M.Code.raiseTo(Made->Takes);
    for (const Excess &E : Made->Over) {
      M.Became = Verdict::Constraints;
      M.Over.push_back(E.Kind);
      M.Fault += (M.Fault.empty() ? "" : "; ") + E.Text;
    }
    if (!Made->Over.empty())
      return false;
    At->second = std::move(Made->Code);
  }
  return true;
}

/// Says what a result that differs means: with other launches the manifest is
/// as likely to be wrong as the compiler.
void EmulatorObjective::blame(const Case &C, StringRef Kernel,
                              const tuning::Document &D, const CaseResult &R,
                              const rt::Manifest &Workload,
                              const CompileResult &Code, Measurement &M) const {
  M.Became = Verdict::Runtime;
  if (changesLaunches(D))
    return;
  AtomicsOf Atomics;
  for (const KernelToTune &K : Kernels)
    for (const tuning::KernelText &T : K.Texts)
      if (K.Name == Kernel) {
        AtomicsOf Found = AtomicsOf::find(T.Text);
        Atomics.Any |= Found.Any;
        Atomics.AddFloats |= Found.AddFloats;
      }
  std::lock_guard Lock(OrdersGuard);
  const OrderSpread &Spread = Orders.try_emplace(&C, C).first->second;
  M.Became = Spread.explains(R, Atomics, Workload, Code) ? Verdict::Order
                                                         : Verdict::Correctness;
  if (!Spread.race().empty())
    M.Fault += ("; the kernel has a race: " + Spread.race()).str();
}

/// The cycles of a kernel and of all in a case that may take \p Most of them;
/// 0: any number. None if it cannot be used, which \p M then says.
std::optional<CaseCycles> EmulatorObjective::measureCase(
    const Case &C, StringRef Kernel, const tuning::Document &D,
    const CompileResult &Code, uint64_t Most, Measurement &M) const {
  auto Fail = [&](Verdict V, std::string Why) {
    M.Became = V;
    M.Fault = std::move(Why);
    return std::nullopt;
  };
  Expected<rt::Manifest> Workload = tuning::applyToLaunches(*C.Workload, D);
  if (!Workload)
    return Fail(Verdict::Runtime, toString(Workload.takeError()));
  // Many decisions change nothing.
  uint64_t Key = keyOf(Kernel, C, *Workload, Code);
  std::optional<CaseCycles> Cycles = findCycles(Key);
  CaseResult R;
  if (Cycles)
    R.IsStopped = Most != 0 && Cycles->All > Most;
  else if (Error E =
               runCase(C, *Workload, Code, {.MaxCycles = Most}).moveInto(R))
    return Fail(Verdict::Runtime, toString(std::move(E)));
  if (R.IsStopped)
    return Fail(Verdict::Timeout, "it takes too long to be of interest");
  if (Cycles)
    return Cycles;
  if (std::optional<Difference> Found = difference(C, R)) {
    auto Number = static_cast<size_t>(&C - Cases.data());
    M.Place = {Number / O.Chips.size(), C.Chip, std::move(Found->Buffer)};
    M.Fault = std::move(Found->Text);
    blame(C, Kernel, D, R, *Workload, Code, M);
    return std::nullopt;
  }
  Cycles = {R.Cycles[Kernel.str()], 0};
  for (const auto &[Name, Count] : R.Cycles)
    Cycles->All += Count;
  keepCycles(Key, *Cycles);
  return Cycles;
}

Expected<Measurement> EmulatorObjective::measure(StringRef Kernel,
                                                 const tuning::Document &D,
                                                 double Limit) const {
  Measurement M;
  SmallVector<const Case *> Launching = launching(Kernel);
  if (Launching.empty()) {
    M.Became = Verdict::Runtime;
    M.Fault = "no launch of the kernel has cycles";
    return M;
  }
  CodeOfCases Made;
  if (!compileAll(Launching, Kernel, D, Made, M))
    return M;
  double Total = 0;
  for (const Case *C : Launching)
    Total += C->Weight;
  PartialMean Mean;
  for (const Case *C : Launching) {
    double Ratio = ratioLimit(Mean, C->Weight, Total, Limit);
    std::optional<CaseCycles> Cycles =
        measureCase(*C, Kernel, D, Made.find({C->Source, C->Chip})->second,
                    cycleLimit(*C, Kernel, Ratio), M);
    if (!Cycles) {
      if (M.Became == Verdict::Timeout)
        M.Cost = Limit;
      return M;
    }
    uint64_t Before = C->Untuned.Cycles.find(Kernel.str())->second;
    M.Cycles += Cycles->Kernel;
    Mean.add(C->Weight,
             static_cast<double>(Cycles->Kernel) / static_cast<double>(Before));
  }
  M.Cost = std::exp(Mean.Sum / Mean.Weights);
  return M;
}

/// Where each instruction of a kernel stands in its section.
static Expected<std::vector<uint64_t>>
placesOf(const CompileResult &Code, StringRef Kernel, std::string &Section) {
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
    Expected<CompileResult> Code = Maker.makeAnyway(*C.Source, C.Chip, &D);
    if (!Code)
      return Code.takeError();
    Expected<rt::Manifest> Workload = tuning::applyToLaunches(*C.Workload, D);
    if (!Workload)
      return Workload.takeError();
    Expected<CaseResult> R = runCase(C, *Workload, *Code, RunMode());
    if (!R)
      return R.takeError();
    std::string Section;
    Expected<std::vector<uint64_t>> Places = placesOf(*Code, Kernel, Section);
    if (!Places)
      return Places.takeError();
    Costs.resize(std::max(Costs.size(), Places->size()));
    for (auto [Cost, Place] : zip(Costs, *Places))
      if (auto Found = R->Instructions.find({Section, Place});
          Found != R->Instructions.end())
        Cost += C.Weight * Found->second;
  }
  return Costs;
}

Expected<std::unique_ptr<Objective>> createEmulatorObjective(const Options &O) {
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load(O.CompilerLibrary);
  if (!Compiler)
    return Compiler.takeError();
  auto Result = std::make_unique<EmulatorObjective>(O, *Compiler);
  if (Error E = Result->setUp())
    return E;
  return Result;
}

} // namespace heddle::tune
