//===- Device.cpp - The interpreter behind the device interface -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory, modules and launches as heddle/Runtime/Device.h describes them.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "heddle/Interpreter/Interpreter.h"
#include "heddle/Runtime/LaunchShape.h"
#include "heddle/Support/HostMemory.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <deque>
#include <limits>
#include <mutex>

using namespace llvm;

namespace heddle::interp {

namespace {

/// Instructions in a cluster's time slice.
constexpr uint64_t ClusterSlice = 1 << 20;
/// Clusters that are in progress at a time.
constexpr size_t MaxResident = 64;
constexpr uint64_t MaxThreadsPerCTA = 1024;
constexpr uint32_t MaxSharedBytes = 227 * 1024;

class InterpreterDevice;

class InterpreterModule : public rt::Module {
public:
  InterpreterModule(InterpreterDevice &Owner, std::unique_ptr<Program> Code)
      : Owner(Owner), Code(std::move(Code)) {}
  ~InterpreterModule() override;

  ArrayRef<rt::KernelInfo> kernels() const override {
    return Code->KernelInfos;
  }
  ArrayRef<rt::SymbolInfo> symbols() const override { return Code->Symbols; }

  InterpreterDevice &Owner;
  std::unique_ptr<Program> Code;
};

class InterpreterDevice : public rt::Device {
public:
  explicit InterpreterDevice(const InterpreterOptions &Options)
      : Options(Options), Memory(Options.HeapBytes, Options.FreshMemory) {}

  StringRef name() const override { return "PTX interpreter"; }
  StringRef chip() const override { return "ptx"; }

  Expected<rt::DeviceAddress> allocate(uint64_t Size, uint64_t Align) override;
  Error free(rt::DeviceAddress Address) override;
  Error copyToDevice(rt::DeviceAddress Destination,
                     ArrayRef<uint8_t> Source) override;
  Error copyFromDevice(MutableArrayRef<uint8_t> Destination,
                       rt::DeviceAddress Source) override;
  Error copyOnDevice(rt::DeviceAddress Destination, rt::DeviceAddress Source,
                     uint64_t Size) override;
  Error fill(rt::DeviceAddress Destination, ArrayRef<uint8_t> Pattern,
             uint64_t Count) override;
  Expected<std::unique_ptr<rt::Module>>
  loadModule(ArrayRef<uint8_t> Text) override;
  Expected<rt::LaunchResult> launch(rt::Module &M, unsigned KernelIndex,
                                    const rt::LaunchConfig &Config) override;
  Error setEndpoint(uint32_t Id, const rt::EndpointDesc &Endpoint) override {
    std::lock_guard Lock(Mutex);
    return Endpoints.set(Id, Endpoint);
  }
  Error removeEndpoint(uint32_t Id) override {
    std::lock_guard Lock(Mutex);
    return Endpoints.remove(Id);
  }
  void setOutputSink(rt::OutputSink NewSink) override {
    std::lock_guard Lock(Mutex);
    Sink = std::move(NewSink);
  }
  void unload(Program &P) {
    std::lock_guard Lock(Mutex);
    unloadProgram(P, Memory);
  }

private:
  Expected<uint8_t *> hostAddress(rt::DeviceAddress Address, uint64_t Size);

  const InterpreterOptions Options;
  DeviceMemory Memory;
  rt::EndpointTable Endpoints;
  rt::OutputSink Sink;
  uint64_t NumGrids = 0;
  std::mutex Mutex; ///< Calls are carried out one after the other.
};

InterpreterModule::~InterpreterModule() { Owner.unload(*Code); }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<rt::DeviceAddress> InterpreterDevice::allocate(uint64_t Size,
                                                        uint64_t Align) {
  std::lock_guard Lock(Mutex);
  if (!isPowerOf2_64(Align))
    return createStringError("an alignment of " + Twine(Align) +
                             ", which is no power of two");
  if (uint64_t Address = Memory.allocate(Size, Align, /*FromHost=*/true))
    return Address;
  return createStringError("out of device memory for " + Twine(Size) +
                           " bytes");
}

Error InterpreterDevice::free(rt::DeviceAddress Address) {
  std::lock_guard Lock(Mutex);
  if (Memory.free(Address))
    return Error::success();
  return createStringError("address 0x" + Twine::utohexstr(Address) +
                           " is not that of a live allocation");
}

Expected<uint8_t *> InterpreterDevice::hostAddress(rt::DeviceAddress Address,
                                                   uint64_t Size) {
  if (uint8_t *Host = Memory.find(Address, Size))
    return Host;
  return createStringError("the " + Twine(Size) + " bytes at 0x" +
                           Twine::utohexstr(Address) +
                           " are not inside one live allocation");
}

Error InterpreterDevice::copyToDevice(rt::DeviceAddress Destination,
                                      ArrayRef<uint8_t> Source) {
  std::lock_guard Lock(Mutex);
  Expected<uint8_t *> Host = hostAddress(Destination, Source.size());
  if (!Host)
    return Host.takeError();
  std::copy(Source.begin(), Source.end(), *Host);
  return Error::success();
}

Error InterpreterDevice::copyFromDevice(MutableArrayRef<uint8_t> Destination,
                                        rt::DeviceAddress Source) {
  std::lock_guard Lock(Mutex);
  Expected<uint8_t *> Host = hostAddress(Source, Destination.size());
  if (!Host)
    return Host.takeError();
  std::copy_n(*Host, Destination.size(), Destination.begin());
  return Error::success();
}

Error InterpreterDevice::copyOnDevice(rt::DeviceAddress Destination,
                                      rt::DeviceAddress Source, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  Expected<uint8_t *> To = hostAddress(Destination, Size);
  if (!To)
    return To.takeError();
  Expected<uint8_t *> From = hostAddress(Source, Size);
  if (!From)
    return From.takeError();
  if (Size)
    std::memmove(*To, *From, Size);
  return Error::success();
}

Error InterpreterDevice::fill(rt::DeviceAddress Destination,
                              ArrayRef<uint8_t> Pattern, uint64_t Count) {
  std::lock_guard Lock(Mutex);
  if (Pattern.empty() || Count == 0)
    return Error::success();
  if (Count > std::numeric_limits<uint64_t>::max() / Pattern.size())
    return createStringError("a fill of more bytes than there are addresses");
  Expected<uint8_t *> Host = hostAddress(Destination, Count * Pattern.size());
  if (!Host)
    return Host.takeError();
  fillPattern(*Host, Pattern, Count);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Modules and launches
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<rt::Module>>
InterpreterDevice::loadModule(ArrayRef<uint8_t> Text) {
  std::lock_guard Lock(Mutex);
  StringRef PTX(reinterpret_cast<const char *>(Text.data()), Text.size());
  auto Code = loadProgram(PTX, Options, Memory);
  if (!Code)
    return Code.takeError();
  return std::make_unique<InterpreterModule>(*this, std::move(*Code));
}

/// Runs all clusters, in order but for those that take long: they share with
/// later ones, for which they may wait.
void runGrid(LaunchState &Launch) {
  uint64_t Count = Launch.Config.Grid.count() / Launch.Cluster.count();
  std::deque<std::unique_ptr<Cluster>> Resident;
  while (Launch.Begun != Count || !Resident.empty()) {
    if (Launch.Begun != Count && Resident.size() < MaxResident)
      Resident.push_front(std::make_unique<Cluster>(Launch, Launch.Begun++));
    std::unique_ptr<Cluster> C = std::move(Resident.front());
    Resident.pop_front();
    switch (C->run(ClusterSlice)) {
    case Cluster::Progress::Running:
      Resident.push_back(std::move(C));
      break;
    case Cluster::Progress::Done:
      break;
    case Cluster::Progress::Faulted:
      return;
    }
  }
}

Expected<rt::LaunchResult>
InterpreterDevice::launch(rt::Module &M, unsigned KernelIndex,
                          const rt::LaunchConfig &Config) {
  std::lock_guard Lock(Mutex);
  // Only this device's own modules may be given to it.
  auto &Module = static_cast<InterpreterModule &>(M);
  if (&Module.Owner != this || KernelIndex >= M.kernels().size())
    return createStringError("the module has no such kernel");
  Program &Code = *Module.Code;
  const rt::KernelInfo &Kernel = Code.KernelInfos[KernelIndex];
  if (Error E = rt::checkLaunchShape(Kernel, Config, MaxThreadsPerCTA))
    return std::move(E);
  uint64_t Shared =
      Config.DynamicSharedBytes
          ? uint64_t(Code.DynamicSharedOffset) + Config.DynamicSharedBytes
          : Code.StaticSharedBytes;
  if (Shared > MaxSharedBytes)
    return createStringError(
        "kernel '" + Kernel.Name + "' needs " + Twine(Shared) +
        " bytes of shared memory; a CTA has at most " + Twine(MaxSharedBytes));
  LaunchState Launch{Options,   Code, Code.Kernels[KernelIndex], Config, Memory,
                     Endpoints, Sink};
  Launch.Cluster = rt::clusterOf(Kernel, Config);
  Launch.GridId = ++NumGrids;
  Launch.SharedBytes = uint32_t(Shared);
  runGrid(Launch);

  rt::LaunchResult Result;
  rt::LaunchStatistics &S = Result.Statistics;
  S.CTAs = Config.Grid.count();
  S.Warps = S.CTAs * divideCeil(Config.Block.count(), uint64_t(WarpSize));
  S.Threads = S.CTAs * Config.Block.count();
  S.ThreadInstructions = Launch.Instructions;
  Result.Fault = std::move(Launch.Fault);
  return Result;
}

} // namespace

std::unique_ptr<rt::Device>
createInterpreterDevice(const InterpreterOptions &Options) {
  return std::make_unique<InterpreterDevice>(Options);
}

} // namespace heddle::interp
