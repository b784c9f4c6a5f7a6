//===- ProfilingDevice.cpp - A device that collects profiles ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counters are read on request, and at the latest when their module is
// destroyed.
//
//===----------------------------------------------------------------------===//

#include "heddle/ProfileData/ProfilingDevice.h"

#include "heddle/ProfileData/Counters.h"
#include "llvm/ADT/STLExtras.h"

#include <mutex>
#include <set>

using namespace llvm;

namespace heddle::pgo {

namespace {

class Collector;

/// A module whose shapes are known.
class ProfiledModule final : public rt::Module {
public:
  ProfiledModule(Collector &Owner, std::unique_ptr<rt::Module> Inner,
                 CountedCode Code);
  ~ProfiledModule() override;

  ArrayRef<rt::KernelInfo> kernels() const override { return Inner->kernels(); }
  ArrayRef<rt::SymbolInfo> symbols() const override { return Inner->symbols(); }
  rt::Module &inner() const { return *Inner; }

  /// Counts the arguments of a launch.
  void addLaunch(const rt::KernelInfo &Kernel, ArrayRef<uint8_t> Params);
  /// What launches and counters tell.
  Expected<ProfileData> collect() const;
  ArrayRef<FunctionShape> shapes() const { return Code.Functions; }

private:
  Collector &Owner;
  const std::unique_ptr<rt::Module> Inner;
  const CountedCode Code;
  mutable std::mutex Mutex; ///< Of Launches.
  ProfileData Launches;     ///< What is known without counters.
};

class Collector final : public ProfilingDevice {
public:
  Collector(rt::Device &Inner, std::shared_ptr<const pgo::ProbeSink> Probes)
      : Inner(Inner), Probes(std::move(Probes)) {}

  Expected<ProfileData> collect() override;
  Expected<ProfileData> collect(const rt::Module &M) override;
  rt::Device &inner() const { return Inner; }
  void add(ProfiledModule &M);
  void remove(ProfiledModule &M);

  StringRef name() const override { return Inner.name(); }
  StringRef chip() const override { return Inner.chip(); }
  rt::DeviceProperties properties() const override {
    return Inner.properties();
  }
  Expected<rt::DeviceAddress> allocate(uint64_t Size, uint64_t Align) override {
    return Inner.allocate(Size, Align);
  }
  Error allocateAt(rt::DeviceAddress Address, uint64_t Size) override {
    return Inner.allocateAt(Address, Size);
  }
  Error free(rt::DeviceAddress Address) override { return Inner.free(Address); }
  Expected<const MemoryFile &> share(rt::DeviceAddress Address) override {
    return Inner.share(Address);
  }
  Error setPeerAccess(unsigned Peer, bool Reaches) override {
    return Inner.setPeerAccess(Peer, Reaches);
  }
  Error setPeerAccess(rt::DeviceAddress Block, unsigned Peer,
                      bool Reaches) override {
    return Inner.setPeerAccess(Block, Peer, Reaches);
  }
  Error mapHost(MutableArrayRef<uint8_t> Memory) override {
    return Inner.mapHost(Memory);
  }
  Error unmapHost(const void *Address) override {
    return Inner.unmapHost(Address);
  }
  Error setMulticast(rt::DeviceAddress Begin, uint64_t Bytes,
                     ArrayRef<rt::MulticastPart> Parts) override {
    return Inner.setMulticast(Begin, Bytes, Parts);
  }
  Error removeMulticast(rt::DeviceAddress Begin) override {
    return Inner.removeMulticast(Begin);
  }
  Error copyToDevice(rt::DeviceAddress Destination,
                     ArrayRef<uint8_t> Source) override {
    return Inner.copyToDevice(Destination, Source);
  }
  Error copyFromDevice(MutableArrayRef<uint8_t> Destination,
                       rt::DeviceAddress Source) override {
    return Inner.copyFromDevice(Destination, Source);
  }
  Error copyOnDevice(rt::DeviceAddress Destination, rt::DeviceAddress Source,
                     uint64_t Size) override {
    return Inner.copyOnDevice(Destination, Source, Size);
  }
  Error fill(rt::DeviceAddress Destination, ArrayRef<uint8_t> Pattern,
             uint64_t Count) override {
    return Inner.fill(Destination, Pattern, Count);
  }
  Expected<uint64_t> loadNumber(rt::DeviceAddress Address,
                                uint32_t Bytes) override {
    return Inner.loadNumber(Address, Bytes);
  }
  Error storeNumber(rt::DeviceAddress Address, uint64_t Value,
                    uint32_t Bytes) override {
    return Inner.storeNumber(Address, Value, Bytes);
  }
  Expected<std::unique_ptr<rt::Module>>
  loadModule(ArrayRef<uint8_t> CodeObject) override {
    return wrap(CodeObject, Inner.loadModule(CodeObject));
  }
  Expected<std::unique_ptr<rt::Module>>
  loadReplaceable(ArrayRef<uint8_t> CodeObject) override {
    return wrap(CodeObject, Inner.loadReplaceable(CodeObject));
  }
  Expected<std::unique_ptr<rt::Module>>
  loadSharing(ArrayRef<uint8_t> CodeObject, const rt::Module &Managed,
              bool IsReplaceable) override {
    auto &Of = static_cast<const ProfiledModule &>(Managed);
    return wrap(CodeObject,
                Inner.loadSharing(CodeObject, Of.inner(), IsReplaceable));
  }
  Expected<std::unique_ptr<rt::Module>>
  loadReplacement(ArrayRef<uint8_t> CodeObject,
                  const rt::Module &Variables) override {
    const auto &Of = static_cast<const ProfiledModule &>(Variables);
    return wrap(CodeObject, Inner.loadReplacement(CodeObject, Of.inner()));
  }
  Expected<rt::LaunchResult> launch(rt::Module &M, unsigned KernelIndex,
                                    const rt::LaunchConfig &Config) override;
  Expected<rt::TextureHandle>
  createTexture(const rt::ImageDesc &Image,
                const rt::SamplerDesc &Sampler) override {
    return Inner.createTexture(Image, Sampler);
  }
  Expected<rt::TextureHandle>
  createSampler(const rt::SamplerDesc &Sampler) override {
    return Inner.createSampler(Sampler);
  }
  Expected<rt::TextureHandle>
  createSurface(const rt::ImageDesc &Image) override {
    return Inner.createSurface(Image);
  }
  Error destroyTextureObject(rt::TextureHandle Handle) override {
    return Inner.destroyTextureObject(Handle);
  }
  void setOutputSink(rt::OutputSink Sink) override {
    Inner.setOutputSink(std::move(Sink));
  }

private:
  Expected<std::unique_ptr<rt::Module>>
  wrap(ArrayRef<uint8_t> CodeObject,
       Expected<std::unique_ptr<rt::Module>> Loaded);

  Error addProbes(ArrayRef<FunctionShape> Shapes, ProfileData &To) const;

  rt::Device &Inner;
  const std::shared_ptr<const pgo::ProbeSink> Probes; ///< null: none
  std::mutex Mutex;                                   ///< Of what follows.
  std::map<ProfileData::Key, FunctionShape> Probed;   ///< Of all modules.
  std::map<uint64_t, uint64_t> Functions; ///< Their names, by address.
  std::set<ProfiledModule *> Modules;
  ProfileData Finished; ///< Of modules that were destroyed.
  std::string Failure;  ///< Why some of them are not in it.
};

} // namespace

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

ProfiledModule::ProfiledModule(Collector &Owner,
                               std::unique_ptr<rt::Module> Inner,
                               CountedCode Code)
    : Owner(Owner), Inner(std::move(Inner)), Code(std::move(Code)) {
  Owner.add(*this);
}

ProfiledModule::~ProfiledModule() { Owner.remove(*this); }

void ProfiledModule::addLaunch(const rt::KernelInfo &Kernel,
                               ArrayRef<uint8_t> Params) {
  std::lock_guard Lock(Mutex);
  countArguments(Code.Functions, Kernel, Params, Launches);
}

Expected<ProfileData> ProfiledModule::collect() const {
  Expected<ProfileData> Result = readCounters(Owner.inner(), *Inner, Code);
  if (!Result)
    return Result.takeError();
  std::lock_guard Lock(Mutex);
  if (Error E = Result->add(Launches))
    return std::move(E);
  return Result;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<rt::Module>>
Collector::wrap(ArrayRef<uint8_t> CodeObject,
                Expected<std::unique_ptr<rt::Module>> Loaded) {
  if (!Loaded)
    return Loaded.takeError();
  Expected<CountedCode> Code = readCountedCode(CodeObject);
  if (!Code)
    return Code.takeError();
  Expected<std::map<uint64_t, uint64_t>> Names =
      resolvePointers(Inner, **Loaded, Code->Pointers);
  if (!Names)
    return Names.takeError();
  {
    std::lock_guard Lock(Mutex);
    for (const FunctionShape &S : Code->Functions)
      if (S.Variable.empty())
        Probed.insert({{S.Name, S.Hash}, S});
    Functions.insert(Names->begin(), Names->end());
  }
  return std::make_unique<ProfiledModule>(*this, std::move(*Loaded),
                                          std::move(*Code));
}

/// As many counts as the function has places; places without
/// counts are zero.
static FunctionCounts countsOf(const FunctionShape &S,
                               const pgo::FunctionProbes &Probes,
                               const std::map<uint64_t, uint64_t> &Names) {
  FunctionCounts F;
  F.Edges = Probes.Edges;
  F.Edges.resize(S.Edges);
  for (const std::array<uint64_t, CountersOfBranch> &B : Probes.Branches)
    F.Branches.push_back({B[0], B[1], B[2]});
  F.Branches.resize(S.Branches);
  F.Loops.assign(Probes.Loops.begin(), Probes.Loops.end());
  F.Loops.resize(S.Loops);
  for (const std::map<uint64_t, uint64_t> &Calls : Probes.Calls)
    F.Targets.push_back(targetsOf(Calls, Names));
  F.Targets.resize(S.Calls);
  return F;
}

/// What the device counted at probes of these functions.
Error Collector::addProbes(ArrayRef<FunctionShape> Shapes,
                           ProfileData &To) const {
  if (!Probes)
    return Error::success();
  pgo::ProbeCounts Counts = Probes->counts();
  for (const FunctionShape &S : Shapes) {
    if (!S.Variable.empty())
      continue;
    const pgo::FunctionProbes &Of = Counts[probeFunction(S.Name, S.Hash)];
    if (Error E =
            To.Functions[{S.Name, S.Hash}].add(countsOf(S, Of, Functions)))
      return E;
  }
  return Error::success();
}

Expected<ProfileData> Collector::collect(const rt::Module &M) {
  const auto &Profiled = static_cast<const ProfiledModule &>(M);
  Expected<ProfileData> Result = Profiled.collect();
  std::lock_guard Lock(Mutex);
  if (Result)
    if (Error E = addProbes(Profiled.shapes(), *Result))
      return std::move(E);
  return Result;
}

void Collector::add(ProfiledModule &M) {
  std::lock_guard Lock(Mutex);
  Modules.insert(&M);
}

void Collector::remove(ProfiledModule &M) {
  Expected<ProfileData> Last = M.collect();
  std::lock_guard Lock(Mutex);
  Modules.erase(&M);
  Error E = Last ? Finished.add(*Last) : Last.takeError();
  if (E)
    Failure = toString(std::move(E));
}

Expected<ProfileData> Collector::collect() {
  std::lock_guard Lock(Mutex);
  if (!Failure.empty())
    return createStringError(Failure);
  ProfileData Sum = Finished;
  for (const ProfiledModule *M : Modules) {
    Expected<ProfileData> Of = M->collect();
    if (!Of)
      return Of.takeError();
    if (Error E = Sum.add(*Of))
      return E;
  }
  std::vector<FunctionShape> Shapes;
  Shapes.reserve(Probed.size());
  for (const auto &[Key, Shape] : Probed)
    Shapes.push_back(Shape);
  if (Error E = addProbes(Shapes, Sum))
    return E;
  return Sum;
}

Expected<rt::LaunchResult> Collector::launch(rt::Module &M,
                                             unsigned KernelIndex,
                                             const rt::LaunchConfig &Config) {
  auto &Profiled = static_cast<ProfiledModule &>(M);
  Expected<rt::LaunchResult> Result =
      Inner.launch(Profiled.inner(), KernelIndex, Config);
  if (!Result)
    return Result.takeError();
  Profiled.addLaunch(M.kernels()[KernelIndex], Config.Params);
  return Result;
}

std::unique_ptr<ProfilingDevice>
createProfilingDevice(rt::Device &Inner,
                      std::shared_ptr<const pgo::ProbeSink> Probes) {
  return std::make_unique<Collector>(Inner, std::move(Probes));
}

} // namespace heddle::pgo
