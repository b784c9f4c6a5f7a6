//===- Modules.cpp - What a HeddleModule is ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code is replaced where it is picked for a launch. A launch that was enqueued
// before keeps the code that it was enqueued with.
//
//===----------------------------------------------------------------------===//

#include "Modules.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Object/ObjectFile.h"
#include "heddle/Runtime/BlockRegisters.h"
#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using namespace heddle::jit;

static HeddleError noSuchKernel() {
  return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, "there is no such kernel");
}

//===----------------------------------------------------------------------===//
// FixedModule
//===----------------------------------------------------------------------===//

std::optional<uint32_t> FixedModule::findKernel(std::string_view Name) {
  return Module->findKernel(Name);
}

HeddleError FixedModule::pick(uint32_t Kernel, const rt::LaunchConfig *,
                              rt::KernelObject &Code) {
  if (Kernel >= Module->kernels().size())
    return noSuchKernel();
  Code = {Module.get(), Kernel};
  return nullptr;
}

HeddleError FixedModule::specialize(const HeddleSpecialization &) {
  return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                   "the module was loaded as machine code");
}

HeddleError FixedModule::tier(uint32_t Kernel, int32_t &Tier) {
  Tier = 1;
  return Kernel < Module->kernels().size() ? nullptr : noSuchKernel();
}

HeddleError FixedModule::variables(const rt::Module *&Result) {
  Result = Module.get();
  return nullptr;
}

llvm::Expected<pgo::ProfileData> FixedModule::collectProfile() {
  return pgo::readCounters(Device, *Module, Counted);
}

//===----------------------------------------------------------------------===//
// CompiledModule
//===----------------------------------------------------------------------===//

static bool asksForCounters(const Compilation &Source) {
  return llvm::any_of(Source.Options, [](llvm::StringRef Option) {
    return Option.ltrim('-') == "fprofile-generate";
  });
}

CompiledModule::CompiledModule(rt::Device &Device, HeddleCompilerImpl &Compiler,
                               Compilation Source,
                               const HeddleModuleOptions &Options)
    : Device(Device), Compiler(Compiler), Source(std::move(Source)),
      Advisor(Options.Advisor), AdvisorContext(Options.AdvisorContext),
      ProfileLaunches(Options.ProfileLaunches),
      AlwaysCounts(asksForCounters(this->Source)), Tiers(Options.Tiers),
      // The counters of one kernel are no variables of another's code.
      Lazy(Options.Lazy && !collects() && !AlwaysCounts) {}

CompiledModule::~CompiledModule() {
  Cancelled = true;
  wait();
  // What came later refers to the variables of what came first.
  Specials.clear();
  ForBlocks.clear();
  for (Part &P : Parts)
    for (std::unique_ptr<rt::Module> &M : P.Loaded)
      if (M.get() != Variables)
        M.reset();
}

void CompiledModule::wait() {
  std::unique_lock Lock(Mutex);
  IsDone.wait(Lock, [this] { return Unfinished == 0; });
}

HeddleError CompiledModule::load() {
  std::unique_lock Lock(Mutex);
  if (Lazy)
    if (HeddleError E = outline())
      return E;
  if (Lazy) {
    Parts.resize(Kernels.size());
    for (auto [P, Name] : llvm::zip(Parts, Kernels)) {
      P.Kernel = Name;
      P.Options = {"--entry=" + Name};
    }
    return nullptr;
  }
  Parts.resize(1);
  if (HeddleError E = provide(Parts.front(), Lock))
    return E;
  for (const rt::KernelInfo &K : Variables->kernels())
    Kernels.push_back(K.Name);
  return nullptr;
}

/// Finds the names of the kernels. A function that pointers lead to may be in
/// one kernel's code and not in another's, so that a module with calls of them
/// is not lazy; neither is one without kernels.
HeddleError CompiledModule::outline() {
  ModuleOutline Outline;
  if (CompilationResult R = Compiler.outline(Source, Outline); R.Error)
    return R.Error.release();
  Kernels = std::move(Outline.Entries);
  if (Outline.CallsPointers || Kernels.empty()) {
    Lazy = false;
    Kernels.clear();
  }
  return nullptr;
}

/// What the host knows of the kernels; a tuning document of its own is taken
/// in place of the cache's records.
void CompiledModule::askAdvisor(const Part &P,
                                std::vector<std::string> &Options) const {
  if (!Advisor)
    return;
  HeddleInput Input = {sizeof(Input), Source.Input.data(), Source.Input.size(),
                       Source.Name.c_str()};
  Advisor(
      AdvisorContext, &Input, P.Kernel.empty() ? nullptr : P.Kernel.c_str(),
      [](void *Sink, const char *Option) {
        static_cast<std::vector<std::string> *>(Sink)->push_back(Option);
      },
      &Options);
}

CompilationResult CompiledModule::compile(const Part &P, int32_t Tier,
                                          bool OnlyCached) {
  Compilation C = Source;
  C.Options.insert(C.Options.end(), P.Options.begin(), P.Options.end());
  if (Tier == 0) {
    C.Options.push_back("-O0");
    if (collects())
      C.Options.push_back("-fprofile-generate");
  } else {
    C.Options.push_back("--use-tuning");
    C.Options.insert(C.Options.end(), P.Launch.begin(), P.Launch.end());
    askAdvisor(P, C.Options);
  }
  C.Cancelled = &Cancelled;
  C.OnlyCached = OnlyCached;
  return Compiler.run(C);
}

/// Compiles without the lock, so that launches of other kernels go on.
CompilationResult
CompiledModule::compileUnlocked(const Part &P, int32_t Tier, bool OnlyCached,
                                std::unique_lock<std::mutex> &Lock) {
  Lock.unlock();
  CompilationResult R = compile(P, Tier, OnlyCached);
  Lock.lock();
  return R;
}

/// Loads code for a part, unless another thread does.
HeddleError CompiledModule::provide(Part &P,
                                    std::unique_lock<std::mutex> &Lock) {
  IsDone.wait(Lock, [&] { return !P.IsCompiling; });
  if (!P.Loaded.empty())
    return nullptr;
  P.IsCompiling = true;
  HeddleError E = compileFirst(P, Lock);
  P.IsCompiling = false;
  IsDone.notify_all();
  return E;
}

/// Compiles and loads the first code of a part.
HeddleError CompiledModule::compileFirst(Part &P,
                                         std::unique_lock<std::mutex> &Lock) {
  // What is collected makes other code than that without.
  if (Tiers == HEDDLE_TIERS_REPLACE && !collects()) {
    CompilationResult Best = compileUnlocked(P, 1, /*OnlyCached=*/true, Lock);
    if (Best.Code)
      return load(P, *Best.Code, 1);
    if (Best.Error->Code != HEDDLE_ERROR_NOT_FOUND)
      return Best.Error.release();
  }
  int32_t Tier = Tiers == HEDDLE_TIERS_BEST;
  CompilationResult R = compileUnlocked(P, Tier, /*OnlyCached=*/false, Lock);
  if (R.Error)
    return R.Error.release();
  if (HeddleError E = load(P, *R.Code, Tier))
    return E;
  if (!collects() && Tiers == HEDDLE_TIERS_REPLACE)
    improveLater(P);
  return nullptr;
}

HeddleError CompiledModule::load(Part &P, const HeddleCodeObjectImpl &Code,
                                 int32_t Tier) {
  llvm::ArrayRef Bytes(reinterpret_cast<const uint8_t *>(Code.Bytes.data()),
                       Code.Bytes.size());
  auto Object = ObjectFile::create(Bytes);
  if (!Object)
    return makeError(HEDDLE_ERROR_INTERNAL,
                     "internal error: " + toString(Object.takeError()));
  rt::DeviceProperties D = Device.properties();
  TakesFunctions |= !Object->addressTakenFunctions().empty();
  // The best code is not replaced, and needs no entries for its functions,
  // unless large blocks take other code.
  uint32_t Most = rt::registersForBlock(D, D.ThreadsPerCTA);
  bool IsReplaceable = (Tier == 0 && Tiers == HEDDLE_TIERS_REPLACE) ||
                       (TakesFunctions && Object->hasMoreRegisters(Most));
  auto M = Variables       ? Device.loadReplacement(Bytes, *Variables)
           : IsReplaceable ? Device.loadReplaceable(Bytes)
                           : Device.loadModule(Bytes);
  if (!M)
    return makeError(HEDDLE_ERROR_DEVICE, toString(M.takeError()));
  if (P.Loaded.empty()) {
    auto Counted = pgo::readCountedCode(Bytes);
    if (!Counted)
      return makeError(HEDDLE_ERROR_INTERNAL,
                       "internal error: " + toString(Counted.takeError()));
    P.Profile.Code = std::move(*Counted);
  }
  P.Loaded.push_back(std::move(*M));
  P.Tier = Tier;
  if (!Variables)
    Variables = P.Loaded.back().get();
  return nullptr;
}

/// Says that tier 1 cannot be had.
void CompiledModule::keepTierZero(const std::string &Why) {
  Compiler.log(HEDDLE_SEVERITY_WARNING,
               Source.Name + ": stays at tier 0: " + Why);
}

/// Has tier 1 made in the background. Mutex is locked.
void CompiledModule::improveLater(Part &P) {
  ++Unfinished;
  Compiler.Pool->submit([this, &P] {
    CompilationResult R = compile(P, 1, /*OnlyCached=*/false);
    if (R.Error && R.Error->Code != HEDDLE_ERROR_CANCELLED)
      keepTierZero(R.Error->Message);
    std::lock_guard Lock(Mutex);
    P.Better = std::move(R.Code);
    if (--Unfinished == 0)
      IsDone.notify_all();
  });
}

llvm::Expected<pgo::ProfileData>
CompiledModule::profileOf(const Part &P) const {
  // The module with the variables is the first one.
  auto Result = pgo::readCounters(Device, *Variables, P.Profile.Code);
  if (Result)
    if (llvm::Error E = Result->add(P.Profile.Launches))
      return std::move(E);
  return Result;
}

/// Has tier 1 made for what was counted, once something was: launches may still
/// be waiting.
HeddleError CompiledModule::useProfile(Part &P) {
  auto Profile = profileOf(P);
  if (!Profile)
    return makeError(HEDDLE_ERROR_DEVICE, toString(Profile.takeError()));
  bool Counted = llvm::any_of(Profile->Functions, [](const auto &F) {
    return llvm::any_of(F.second.Edges, [](uint64_t N) { return N != 0; });
  });
  if (!Counted)
    return nullptr;
  P.Profile.IsUsed = true;
  P.Options.push_back("--fprofile-use=" +
                      encodeEmbeddedFile({Source.Name, Profile->write()}));
  Compiler.log(HEDDLE_SEVERITY_INFO,
               Source.Name + ": tier 1 is made for the profile of " +
                   std::to_string(P.Profile.NumLaunches) + " launches");
  improveLater(P);
  return nullptr;
}

llvm::Expected<pgo::ProfileData> CompiledModule::collectProfile() {
  std::lock_guard Lock(Mutex);
  pgo::ProfileData Sum;
  for (const Part &P : Parts) {
    if (P.Profile.Code.Functions.empty())
      continue;
    auto Of = profileOf(P);
    if (!Of)
      return Of.takeError();
    if (llvm::Error E = Sum.add(*Of))
      return std::move(E);
  }
  return Sum;
}

std::optional<uint32_t> CompiledModule::findKernel(std::string_view Name) {
  std::lock_guard Lock(Mutex);
  auto It = std::find(Kernels.begin(), Kernels.end(), Name);
  if (It == Kernels.end())
    return std::nullopt;
  return It - Kernels.begin();
}

/// The options by which tuning records of similar launches are chosen.
static std::vector<std::string> describeLaunch(const rt::LaunchConfig &Config) {
  return {"--launch-threads=" + std::to_string(Config.Block.count()),
          "--launch-ctas=" + std::to_string(std::min<uint64_t>(
                                 Config.Grid.count(), INT32_MAX))};
}

HeddleError CompiledModule::pick(uint32_t Kernel,
                                 const rt::LaunchConfig *Config,
                                 rt::KernelObject &Code) {
  std::unique_lock Lock(Mutex);
  if (Kernel >= Kernels.size())
    return noSuchKernel();
  Part &P = partOf(Kernel);
  // The first launch of a kernel stands for those to come. A launch that is no
  // good is refused later.
  if (Config && Lazy && P.Loaded.empty() && !P.IsCompiling &&
      Config->Block.count() <= INT32_MAX)
    P.Launch = describeLaunch(*Config);
  if (P.Loaded.empty())
    if (HeddleError E = provide(P, Lock))
      return E;
  if (P.Better) {
    std::unique_ptr<HeddleCodeObjectImpl> Better = std::move(P.Better);
    if (HeddleError E = load(P, *Better, 1)) {
      keepTierZero(E->Message);
      heddleErrorDestroy(E);
    }
  }
  if (Config && collects() && P.Tier == 0 && !P.Profile.IsUsed &&
      P.Profile.NumLaunches++ >= ProfileLaunches)
    if (HeddleError E = useProfile(P))
      return E;
  rt::Module &M = *P.Loaded.back();
  std::optional<unsigned> Index = M.findKernel(Kernels[Kernel]);
  if (!Index)
    return makeError(HEDDLE_ERROR_INTERNAL,
                     "internal error: the code of kernel '" + Kernels[Kernel] +
                         "' does not have it");
  Code = {&M, *Index};
  return nullptr;
}

/// An argument's bytes as a number.
static uint64_t argumentOf(llvm::ArrayRef<uint8_t> Params,
                           const rt::ParamInfo &P) {
  uint64_t Value = 0;
  std::memcpy(&Value, &Params[P.Offset], std::min<uint32_t>(P.Size, 8));
  return Value;
}

bool CompiledModule::Special::fits(const rt::LaunchConfig &Config,
                                   llvm::ArrayRef<uint8_t> Params,
                                   const rt::KernelInfo &Info) const {
  if (Block && !(*Block == Config.Block))
    return false;
  return llvm::all_of(Arguments, [&](const HeddleArgument &A) {
    uint64_t Value = argumentOf(Params, Info.Params[A.Index]);
    return A.IsAlignment ? (Value & (A.Value - 1)) == 0 : Value == A.Value;
  });
}

HeddleError CompiledModule::pickFor(uint32_t Kernel,
                                    const rt::LaunchConfig &Config,
                                    llvm::ArrayRef<uint8_t> Params,
                                    rt::KernelObject &Code) {
  std::unique_lock Lock(Mutex);
  const rt::KernelInfo &Info = Code.info();
  if (Part &P = partOf(Kernel); AlwaysCounts || (collects() && P.Tier == 0))
    pgo::countArguments(P.Profile.Code.Functions, Info, Params,
                        P.Profile.Launches);
  for (Special &S : llvm::reverse(Specials))
    if (S.Kernel == Kernel && S.fits(Config, Params, Info)) {
      Code = {S.Module.get(), *S.Module->findKernel(Kernels[Kernel])};
      return pickForBlock(Kernel, Config, Code, Lock);
    }
  if (Refusing.contains(Kernel))
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "the launch of '" + Kernels[Kernel] +
                         "' is not as its specialisations assume");
  return pickForBlock(Kernel, Config, Code, Lock);
}

/// Compiles and loads a kernel with fewer registers.
void CompiledModule::compileForBlock(uint32_t Kernel, uint32_t MaxRegisters,
                                     BlockCode &F,
                                     std::unique_lock<std::mutex> &Lock) {
  Part P;
  P.Options = {"-maxrregcount=" + std::to_string(MaxRegisters)};
  // A pointer may lead to any function that some kernel's code has, and all
  // counters are one variable.
  if (!TakesFunctions && !AlwaysCounts && !isLinkBundle(Source.Input))
    P.Options.push_back("--entry=" + Kernels[Kernel]);
  CompilationResult R = compileUnlocked(P, 1, /*OnlyCached=*/false, Lock);
  if (R.Error) {
    F.Fault = R.Error->Message;
    return;
  }
  auto M = Device.loadReplacement(
      {reinterpret_cast<const uint8_t *>(R.Code->Bytes.data()),
       R.Code->Bytes.size()},
      *Variables);
  if (M)
    F.Module = std::move(*M);
  else
    F.Fault = toString(M.takeError());
}

/// Takes other code for a launch that Code has too many registers for.
HeddleError CompiledModule::pickForBlock(uint32_t Kernel,
                                         const rt::LaunchConfig &Config,
                                         rt::KernelObject &Code,
                                         std::unique_lock<std::mutex> &Lock) {
  rt::DeviceProperties D = Device.properties();
  uint64_t Threads = Config.Block.count();
  if (!rt::needsFewerRegisters(D, Code.info(), Threads))
    return nullptr;
  uint32_t Most = rt::registersForBlock(D, Threads);
  auto [It, IsNew] = ForBlocks.try_emplace({Kernel, Most});
  BlockCode &F = It->second;
  if (IsNew) {
    compileForBlock(Kernel, Most, F, Lock);
    F.IsMade = true;
    IsDone.notify_all();
  }
  IsDone.wait(Lock, [&] { return F.IsMade; });
  if (!F.Module)
    return makeError(HEDDLE_ERROR_DEVICE,
                     rt::explainRegisters(D, Code.info(), Threads) +
                         "; compiling it again failed: " + F.Fault);
  Code = {F.Module.get(), *F.Module->findKernel(Kernels[Kernel])};
  return nullptr;
}

/// The options that say what is assumed; Arguments are checked against Info.
static HeddleError describeAssumptions(const HeddleSpecialization &S,
                                       const rt::KernelInfo &Info,
                                       std::vector<std::string> &Options) {
  Options.push_back("--entry=" + Info.Name);
  if (S.Block[0] || S.Block[1] || S.Block[2])
    Options.push_back("--assume-block=" + std::to_string(S.Block[0]) + "," +
                      std::to_string(S.Block[1]) + "," +
                      std::to_string(S.Block[2]));
  for (size_t I = 0; I != S.NumArguments; ++I) {
    const HeddleArgument &A = S.Arguments[I];
    if (A.Index >= Info.Params.size() || Info.Params[A.Index].Size > 8)
      return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                       "kernel '" + Info.Name + "' has no scalar argument " +
                           std::to_string(A.Index));
    Options.push_back("--assume-param=" + std::to_string(A.Index) +
                      (A.IsAlignment ? "%" : "=") + std::to_string(A.Value));
  }
  return nullptr;
}

HeddleError CompiledModule::specialize(const HeddleSpecialization &S) {
  rt::KernelObject General;
  if (HeddleError E = pick(S.Kernel, nullptr, General))
    return E;
  std::unique_lock Lock(Mutex);
  Part P;
  P.Kernel = Kernels[S.Kernel];
  if (HeddleError E = describeAssumptions(
          S, General.Owner->kernels()[General.Index], P.Options))
    return E;
  CompilationResult R = compileUnlocked(P, 1, /*OnlyCached=*/false, Lock);
  if (R.Error)
    return R.Error.release();
  if (HeddleError E = load(P, *R.Code, 1))
    return E;
  // Other kernels may have stored pointers to functions that this code lacks.
  for (const rt::KernelObject &Code :
       {General, rt::KernelObject{P.Loaded.back().get(), 0}})
    if (TakesFunctions && Code.Owner->kernels()[Code.Index].DynamicStack)
      return makeError(HEDDLE_ERROR_NOT_SUPPORTED,
                       "kernels that call functions through pointers cannot be "
                       "specialised");
  Special New{S.Kernel, std::nullopt, {}, std::move(P.Loaded.back())};
  if (S.Block[0])
    New.Block = {S.Block[0], S.Block[1], S.Block[2]};
  New.Arguments.assign(S.Arguments, S.Arguments + S.NumArguments);
  Specials.push_back(std::move(New));
  if (S.RefuseOthers)
    Refusing.insert(S.Kernel);
  return nullptr;
}

HeddleError CompiledModule::tier(uint32_t Kernel, int32_t &Tier) {
  std::lock_guard Lock(Mutex);
  if (Kernel >= Kernels.size())
    return noSuchKernel();
  const Part &P = partOf(Kernel);
  Tier = P.Better ? 1 : P.Tier;
  return nullptr;
}

/// In a lazy module the variables come with the first kernel.
HeddleError CompiledModule::variables(const rt::Module *&Module) {
  std::unique_lock Lock(Mutex);
  if (!Variables)
    if (HeddleError E = provide(Parts.front(), Lock))
      return E;
  Module = Variables;
  return nullptr;
}
