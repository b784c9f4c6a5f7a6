//===- Device.cpp - The emulator behind the device interface ----*- C++ -*-===//
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

#include "Checkers/GlobalRaces.h"
#include "Debugging/DebugGrid.h"
#include "Execute/DeviceWork.h"
#include "FloatEnvironment.h"
#include "KernelCode.h"
#include "Launch.h"
#include "Loader.h"
#include "MemorySnapshot.h"
#include "PendingClusters.h"
#include "Texture/TextureDescriptors.h"
#include "Timing/TimedGrid.h"
#include "heddle/Emulator/DeviceBroker.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Emulator/Trials.h"
#include "heddle/Runtime/BlockRegisters.h"
#include "heddle/Runtime/LaunchShape.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <mutex>
#include <shared_mutex>
#include <thread>

using namespace llvm;

namespace heddle::emu {

namespace {

Error makeError(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

class EmulatorDevice;

/// What fresh memory holds. Where reads before writes are looked for, a program
/// should not find what it expects.
rt::FreshMemory freshMemoryOf(const EmulatorOptions &Options) {
  return Options.Checks.contains(CheckKind::Init) ? rt::FreshMemory::Poison
                                                  : Options.FreshMemory;
}

class EmulatorModule : public rt::Module {
public:
  EmulatorModule(EmulatorDevice &Owner, std::shared_ptr<LoadedCode> Code);
  ~EmulatorModule() override;

  ArrayRef<rt::KernelInfo> kernels() const override { return Code->Kernels; }
  ArrayRef<rt::SymbolInfo> symbols() const override { return Code->Symbols; }

  EmulatorDevice &Owner;
  std::shared_ptr<LoadedCode> Code;
  std::vector<rt::TextureHandle> Samplers; ///< Made for its variables.

private:
  std::mutex Mutex;                                  ///< Of HostCode.
  std::vector<std::unique_ptr<KernelCode>> HostCode; ///< By kernel, or null.
};

/// What a launch owns while it runs.
struct LaunchParts {
  std::optional<PendingClusters> Pending;
  std::optional<RandomGenerator> Schedule;
  std::optional<RelaxedMemory> Relaxed;
  std::optional<GlobalRaces> Races;
};

class EmulatorDevice : public rt::Device {
  class LaunchRunner;

public:
  EmulatorDevice(const EmulatorOptions &Options, const isa::ChipInfo &Chip)
      : Options(Options), Chip(Chip),
        Space(Options.Space ? Options.Space : createAddressSpace()),
        Memory(Space, Options.Ordinal,
               {Options.HeapBytes, freshMemoryOf(Options),
                Options.Checks.contains(CheckKind::Init), Options.Bounds}),
        InUse(Space->InUse) {}
  ~EmulatorDevice() override {
    std::unique_lock Lock(InUse);
    if (Options.Broker)
      Options.Broker->giveMemory(Reserved);
  }

  StringRef name() const override { return "Heddle emulator"; }
  rt::VirtualTime *virtualTime() const override { return Options.Time.get(); }
  StringRef chip() const override {
    return StringRef(Chip.Name.data(), Chip.Name.size());
  }

  Expected<rt::DeviceAddress> allocate(uint64_t Size, uint64_t Align) override;
  Error free(rt::DeviceAddress Address) override;
  Error allocateAt(rt::DeviceAddress Address, uint64_t Size) override;
  Expected<const MemoryFile &> share(rt::DeviceAddress Address) override;
  Error setPeerAccess(unsigned Peer, bool Reaches) override;
  Error setPeerAccess(rt::DeviceAddress Block, unsigned Peer,
                      bool Reaches) override;
  Error mapHost(MutableArrayRef<uint8_t> Host) override;
  Error unmapHost(const void *Address) override;
  Error setMulticast(rt::DeviceAddress Begin, uint64_t Bytes,
                     ArrayRef<rt::MulticastPart> Parts) override;
  Error removeMulticast(rt::DeviceAddress Begin) override;
  Error copyToDevice(rt::DeviceAddress Destination,
                     ArrayRef<uint8_t> Source) override;
  Error copyFromDevice(MutableArrayRef<uint8_t> Destination,
                       rt::DeviceAddress Source) override;
  Error copyOnDevice(rt::DeviceAddress Destination, rt::DeviceAddress Source,
                     uint64_t Size) override;
  Error fill(rt::DeviceAddress Destination, ArrayRef<uint8_t> Pattern,
             uint64_t Count) override;
  Error copyRows(const rt::RowCopy &Copy) override;
  Error fillRows(const rt::RowFill &Fill) override;
  Expected<uint64_t> loadNumber(rt::DeviceAddress Address,
                                uint32_t Bytes) override;
  Error storeNumber(rt::DeviceAddress Address, uint64_t Value,
                    uint32_t Bytes) override;
  Expected<std::unique_ptr<rt::Module>>
  loadModule(ArrayRef<uint8_t> CodeObject) override;
  Expected<std::unique_ptr<rt::Module>>
  loadReplaceable(ArrayRef<uint8_t> CodeObject) override;
  Expected<std::unique_ptr<rt::Module>>
  loadSharing(ArrayRef<uint8_t> CodeObject, const rt::Module &Managed,
              bool IsReplaceable) override;
  Expected<std::unique_ptr<rt::Module>>
  loadReplacement(ArrayRef<uint8_t> CodeObject,
                  const rt::Module &Variables) override;
  Expected<rt::LaunchResult> launch(rt::Module &M, unsigned KernelIndex,
                                    const rt::LaunchConfig &Config) override;
  void setHook(LaunchHook NewHook) { Hook = std::move(NewHook); }
  rt::DeviceProperties properties() const override;
  Expected<rt::TextureHandle>
  createTexture(const rt::ImageDesc &Image,
                const rt::SamplerDesc &Sampler) override;
  Expected<rt::TextureHandle>
  createSampler(const rt::SamplerDesc &Sampler) override;
  Expected<rt::TextureHandle>
  createSurface(const rt::ImageDesc &Image) override;
  Error destroyTextureObject(rt::TextureHandle Handle) override;
  Error setEndpoint(uint32_t Id, const rt::EndpointDesc &Endpoint) override;
  Error removeEndpoint(uint32_t Id) override;
  void setOutputSink(rt::OutputSink NewSink) override {
    std::lock_guard Lock(SinkMutex);
    Sink = std::move(NewSink);
  }

  Expected<std::unique_ptr<rt::Module>> loadRaw(ArrayRef<RawKernel> Kernels,
                                                ArrayRef<uint8_t> Constants);
  void markWritten(rt::DeviceAddress Address, uint64_t Size) {
    Memory.markWritten(Address, Size);
  }
  DeviceMemory::HeapUse heapInUse() const { return Memory.heapInUse(); }
  void unloadModule(LoadedCode &Code) {
    std::unique_lock Lock(InUse);
    if (Options.Debug && Code.Description)
      Options.Debug->unload(*Code.Description);
    unload(Code, Memory);
  }

private:
  Expected<std::unique_ptr<rt::Module>> load(ArrayRef<uint8_t> CodeObject,
                                             LoadPurpose Purpose);
  Expected<rt::LaunchResult> launchNow(EmulatorModule &Module,
                                       unsigned KernelIndex,
                                       const rt::LaunchConfig &Config);
  Error makeSamplers(EmulatorModule &M);
  void tellDebugger(LoadedCode &Code, ArrayRef<uint8_t> CodeObject);
  bool reserve(uint64_t Size);
  void giveBack(uint64_t Size);
  Error checkPeer(unsigned Peer) const;
  Expected<Allocation *> allocatedAt(rt::DeviceAddress Address);
  Expected<uint32_t> addImage(const rt::ImageDesc &Image);
  bool areLive(const Allocation *First, rt::DeviceAddress Address,
               uint64_t Size);
  Expected<uint8_t *> hostAddress(rt::DeviceAddress Address, uint64_t Size);
  Expected<uint8_t *> hostRows(const rt::RowPlace &Place, uint64_t RowBytes,
                               uint64_t Rows);
  Error checkResources(const rt::KernelInfo &Kernel,
                       const rt::LaunchConfig &Config, uint64_t SharedBytes,
                       uint64_t LocalBytes) const;
  /// Fills in what kernel, configuration and options say of \p Launch.
  Error describe(LaunchContext &Launch, unsigned KernelIndex) const;
  /// Gives \p Launch what it points to; returns how many host threads may run
  /// it.
  unsigned arrange(LaunchContext &Launch, LaunchParts &Parts);
  /// Whether nothing looks at single instructions of \p Launch.
  bool mayTranslate(const LaunchContext &Launch, Execution Mode) const {
    return Options.HostCode && Mode != Execution::Emulate && !Launch.Strict &&
           !Launch.IsTimed && !Launch.Checks.any() && !Launch.Probes &&
           !Launch.Schedule && !Options.Debug;
  }
  KernelCode &hostCode(LoadedCode &Code, unsigned Kernel);
  Expected<Allocation *> makeWorkspace(uint64_t Bytes);
  /// Runs a grid without what its threads enqueue in \p Work.
  Expected<rt::LaunchResult> runOne(LoadedCode &Code, unsigned KernelIndex,
                                    const rt::LaunchConfig &Config,
                                    DeviceWorkQueue &Work);
  Expected<rt::LaunchResult> runOnce(LoadedCode &Code, unsigned KernelIndex,
                                     const rt::LaunchConfig &Config,
                                     DeviceWorkQueue &Work, uint64_t GridId,
                                     Execution Mode, bool Prints = true);
  /// Runs all of a grid, in the way that the options ask for.
  Expected<rt::LaunchResult> runInFull(LaunchContext &Launch, unsigned Threads,
                                       const rt::OutputSink &Deliver);
  /// The grid emulated and translated; a difference is an error.
  Expected<rt::LaunchResult> runTwice(LoadedCode &Code, unsigned KernelIndex,
                                      const rt::LaunchConfig &Config,
                                      DeviceWorkQueue &Work, uint64_t GridId);
  void settle();
  Error copyLocked(const rt::RowCopy &Copy);
  Error fillLocked(const rt::RowFill &Fill);
  uint64_t nextCodeBase() {
    // Above all memory and below the windows of generic addresses.
    return (uint64_t(1) << 57) + (NumModules.fetch_add(1) << 32);
  }

  const EmulatorOptions Options;
  LaunchHook Hook;                       ///< Empty: nobody wants to know.
  std::optional<rt::LimiterSet> LeftOut; ///< In place of the options'.
  std::atomic<uint64_t> UsedCycles{0};   ///< Of all launches that were timed.
  const isa::ChipInfo Chip;
  const std::shared_ptr<AddressSpace> Space;
  DeviceMemory Memory;
  TextureTables Textures;
  rt::EndpointTable Endpoints;
  rt::OutputSink Sink;
  std::mutex SinkMutex;              ///< Of Sink, also while it is called.
  std::atomic<uint64_t> Reserved{0}; ///< Bytes that the host allocated.
  std::atomic<uint64_t> NumModules{0};
  std::atomic<uint64_t> NumGrids{0};
  std::shared_mutex &InUse; ///< The space's.
};

/// Adds the counts of one grid to those of others.
void add(rt::LaunchStatistics &To, const rt::LaunchStatistics &From) {
  To.CTAs += From.CTAs;
  To.Warps += From.Warps;
  To.Threads += From.Threads;
  To.WarpInstructions += From.WarpInstructions;
  To.ThreadInstructions += From.ThreadInstructions;
  for (const rt::InstructionCount &C : From.ByClass) {
    auto It = llvm::find_if(To.ByClass, [&](const rt::InstructionCount &Known) {
      return Known.Class == C.Class;
    });
    if (It == To.ByClass.end())
      It = To.ByClass.insert(It, {C.Class, 0, 0});
    It->Warp += C.Warp;
    It->Thread += C.Thread;
  }
  llvm::sort(To.ByClass,
             [](const auto &A, const auto &B) { return A.Class < B.Class; });
  for (const auto &[Name, Value] : From.Counters) {
    auto It = llvm::find_if(
        To.Counters, [&](const auto &Known) { return Known.first == Name; });
    if (It == To.Counters.end())
      It = To.Counters.insert(It, {Name, 0});
    It->second += Value;
  }
  llvm::sort(To.Counters);
}

EmulatorModule::EmulatorModule(EmulatorDevice &Owner,
                               std::shared_ptr<LoadedCode> TheCode)
    : Owner(Owner), Code(std::move(TheCode)) {
  // Variables without an initial value are zero.
  for (const Allocation *A : Code->Blocks)
    Owner.markWritten(A->Base, A->Size);
}

EmulatorModule::~EmulatorModule() {
  for (rt::TextureHandle Handle : Samplers)
    consumeError(Owner.destroyTextureObject(Handle));
  Owner.unloadModule(*Code);
}

/// Where the host code of a kernel is, or comes.
KernelCode &EmulatorDevice::hostCode(LoadedCode &Code, unsigned Kernel) {
  std::lock_guard Lock(Code.HostCodeMutex);
  Code.HostCode.resize(Code.Kernels.size());
  std::shared_ptr<KernelCode> &K = Code.HostCode[Kernel];
  if (!K)
    K = std::make_shared<KernelCode>(Code, Code.Entries[Kernel],
                                     Options.HostCode);
  return *K;
}

rt::DeviceProperties EmulatorDevice::properties() const {
  rt::DeviceProperties P = rt::chipProperties(Chip);
  P.MemoryBytes = Options.MemoryBytes;
  return P;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Counts Size bytes as in use, if there are as many.
bool EmulatorDevice::reserve(uint64_t Size) {
  uint64_t Before = Reserved.load();
  do {
    if (Size > Options.MemoryBytes - Before)
      return false;
  } while (!Reserved.compare_exchange_weak(Before, Before + Size));
  if (!Options.Broker || Options.Broker->takeMemory(Size))
    return true;
  Reserved -= Size;
  return false;
}

void EmulatorDevice::giveBack(uint64_t Size) {
  Reserved -= Size;
  if (Options.Broker)
    Options.Broker->giveMemory(Size);
}

Expected<rt::DeviceAddress> EmulatorDevice::allocate(uint64_t Size,
                                                     uint64_t Align) {
  if (!isPowerOf2_64(Align))
    return makeError("an alignment of " + Twine(Align) +
                     ", which is no power of two");
  if (!reserve(Size))
    return makeError("out of device memory for " + Twine(Size) + " bytes");
  Allocation *A = Memory.allocate(Size, Align);
  if (!A) {
    giveBack(Size);
    return makeError("the host has no memory for " + Twine(Size) + " bytes");
  }
  A->FromHost = true;
  return A->Base;
}

Error EmulatorDevice::allocateAt(rt::DeviceAddress Address, uint64_t Size) {
  if (!reserve(Size))
    return makeError("out of device memory for " + Twine(Size) + " bytes");
  Allocation *A = Memory.place(Address, Size);
  if (!A) {
    giveBack(Size);
    return makeError("there is no room for " + Twine(Size) +
                     " bytes at address 0x" + Twine::utohexstr(Address));
  }
  A->FromHost = true;
  return Error::success();
}

/// The live block that allocate or allocateAt returned.
Expected<Allocation *> EmulatorDevice::allocatedAt(rt::DeviceAddress Address) {
  Allocation *A = Memory.find(Address);
  if (!A || A->Base != Address || !A->FromHost || !A->Live)
    return makeError("address 0x" + Twine::utohexstr(Address) +
                     " is not that of a live allocation");
  return A;
}

Expected<const MemoryFile &> EmulatorDevice::share(rt::DeviceAddress Address) {
  std::unique_lock Lock(InUse);
  Expected<Allocation *> A = allocatedAt(Address);
  if (!A)
    return A.takeError();
  if (!(*A)->File && !Memory.moveToFile(**A))
    return makeError("the host has no memory to share " + Twine((*A)->Size) +
                     " bytes");
  return *(*A)->File;
}

Error EmulatorDevice::free(rt::DeviceAddress Address) {
  std::unique_lock Lock(InUse);
  Expected<Allocation *> Found = allocatedAt(Address);
  if (!Found)
    return Found.takeError();
  Allocation *A = *Found;
  Memory.release(A);
  giveBack(A->Size);
  return Error::success();
}

Error EmulatorDevice::mapHost(MutableArrayRef<uint8_t> Host) {
  if (!Memory.map(Host.data(), Host.size()))
    return makeError("the memory of the host is mapped already");
  return Error::success();
}

Error EmulatorDevice::checkPeer(unsigned Peer) const {
  if (Peer < MaxDevices && Peer != Options.Ordinal)
    return Error::success();
  return makeError("device " + Twine(Peer) + " cannot be a peer of device " +
                   Twine(Options.Ordinal));
}

Error EmulatorDevice::setPeerAccess(unsigned Peer, bool Reaches) {
  if (Error E = checkPeer(Peer))
    return E;
  Memory.setPeer(Peer, Reaches);
  return Error::success();
}

Error EmulatorDevice::setPeerAccess(rt::DeviceAddress Block, unsigned Peer,
                                    bool Reaches) {
  if (Error E = checkPeer(Peer))
    return E;
  Expected<Allocation *> A = allocatedAt(Block);
  if (!A)
    return A.takeError();
  Memory.setPeer(**A, Peer, Reaches);
  return Error::success();
}

Error EmulatorDevice::unmapHost(const void *Address) {
  std::unique_lock Lock(InUse);
  if (!Memory.unmap(reinterpret_cast<uintptr_t>(Address)))
    return makeError("no memory of the host is mapped there");
  return Error::success();
}

Error EmulatorDevice::setMulticast(rt::DeviceAddress Begin, uint64_t Bytes,
                                   ArrayRef<rt::MulticastPart> Parts) {
  const char *Fault = Memory.setMulticast(Begin, Bytes, Parts);
  return Fault ? makeError(Fault) : Error::success();
}

Error EmulatorDevice::removeMulticast(rt::DeviceAddress Begin) {
  std::unique_lock Lock(InUse);
  return Memory.removeMulticast(Begin)
             ? Error::success()
             : makeError("no multicast range begins there");
}

/// Whether bytes are in a live block, the first of them in \p A, or in several
/// of the host's that follow each other: virtual memory is mapped in pieces.
bool EmulatorDevice::areLive(const Allocation *A, rt::DeviceAddress Address,
                             uint64_t Size) {
  while (A && A->Live && !A->contains(Address, Size)) {
    uint64_t Here = A->Size - (Address - A->Base);
    if (!A->IsMapped || Here == 0)
      return false;
    Address += Here;
    Size -= Here;
    A = Memory.findAny(Address);
    if (A && !A->IsMapped)
      return false;
  }
  return A && A->Live;
}

Expected<uint8_t *> EmulatorDevice::hostAddress(rt::DeviceAddress Address,
                                                uint64_t Size) {
  const Allocation *A = Memory.findAny(Address);
  if (!areLive(A, Address, Size))
    return makeError("the " + Twine(Size) + " bytes at 0x" +
                     Twine::utohexstr(Address) +
                     " are not inside one live allocation");
  return A->Host + (Address - A->Base);
}

Error EmulatorDevice::copyToDevice(rt::DeviceAddress Destination,
                                   ArrayRef<uint8_t> Source) {
  uint64_t From = reinterpret_cast<uintptr_t>(Source.data());
  return copyRows({{Destination}, {From, /*IsHost=*/true}, Source.size()});
}

Error EmulatorDevice::copyFromDevice(MutableArrayRef<uint8_t> Destination,
                                     rt::DeviceAddress Source) {
  uint64_t To = reinterpret_cast<uintptr_t>(Destination.data());
  return copyRows({{To, /*IsHost=*/true}, {Source}, Destination.size()});
}

Error EmulatorDevice::copyOnDevice(rt::DeviceAddress Destination,
                                   rt::DeviceAddress Source, uint64_t Size) {
  return copyRows({{Destination}, {Source}, Size});
}

Error EmulatorDevice::fill(rt::DeviceAddress Destination,
                           ArrayRef<uint8_t> Pattern, uint64_t Count) {
  return fillRows({Destination, Pattern, Count});
}

/// The bytes from the first to the last of some rows; none if there are more
/// than addresses.
static std::optional<uint64_t> extentOf(uint64_t RowBytes, uint64_t Rows,
                                        uint64_t Pitch) {
  bool Overflows = false;
  uint64_t Extent =
      SaturatingMultiplyAdd(Rows - 1, Pitch, RowBytes, &Overflows);
  return Overflows ? std::nullopt : std::optional(Extent);
}

/// Where the host has rows, of which there is at least one.
Expected<uint8_t *> EmulatorDevice::hostRows(const rt::RowPlace &P,
                                             uint64_t RowBytes, uint64_t Rows) {
  if (P.IsHost)
    return reinterpret_cast<uint8_t *>(static_cast<uintptr_t>(P.Address));
  std::optional<uint64_t> Extent = extentOf(RowBytes, Rows, P.Pitch);
  if (!Extent)
    return makeError("rows of more bytes than there are addresses");
  return hostAddress(P.Address, *Extent);
}

/// What the device does beside its launches comes behind all that they have
/// done.
void EmulatorDevice::settle() {
  if (Options.RelaxedMemory)
    Space->settleHistory();
}

Error EmulatorDevice::copyRows(const rt::RowCopy &C) {
  std::shared_lock Lock(InUse);
  settle();
  return copyLocked(C);
}

/// InUse is locked.
Error EmulatorDevice::copyLocked(const rt::RowCopy &C) {
  if (C.Rows == 0)
    return Error::success();
  Expected<uint8_t *> To = hostRows(C.To, C.RowBytes, C.Rows);
  if (!To)
    return To.takeError();
  Expected<uint8_t *> From = hostRows(C.From, C.RowBytes, C.Rows);
  if (!From)
    return From.takeError();
  if (C.RowBytes == 0)
    return Error::success();
  if (C.To.Pitch == C.RowBytes && C.From.Pitch == C.RowBytes)
    std::memmove(*To, *From, C.RowBytes * C.Rows);
  else
    for (uint64_t Row = 0; Row != C.Rows; ++Row)
      std::memmove(*To + Row * C.To.Pitch, *From + Row * C.From.Pitch,
                   C.RowBytes);
  if (!Memory.tracksWrites() || C.To.IsHost)
    return Error::success();
  for (uint64_t Row = 0; Row != C.Rows; ++Row) {
    uint64_t Written = C.To.Address + Row * C.To.Pitch;
    if (C.From.IsHost)
      Memory.markWritten(Written, C.RowBytes);
    else
      Memory.copyWritten(Written, C.From.Address + Row * C.From.Pitch,
                         C.RowBytes);
  }
  return Error::success();
}

Error EmulatorDevice::fillRows(const rt::RowFill &F) {
  std::shared_lock Lock(InUse);
  settle();
  return fillLocked(F);
}

/// InUse is locked.
Error EmulatorDevice::fillLocked(const rt::RowFill &F) {
  if (F.Pattern.empty() || F.Count == 0 || F.Rows == 0)
    return Error::success();
  bool Overflows = false;
  uint64_t RowBytes =
      SaturatingMultiply<uint64_t>(F.Count, F.Pattern.size(), &Overflows);
  if (Overflows)
    return makeError("a fill of more bytes than there are addresses");
  Expected<uint8_t *> To =
      hostRows({F.To, /*IsHost=*/false, F.Pitch}, RowBytes, F.Rows);
  if (!To)
    return To.takeError();
  if (F.Pitch == RowBytes)
    fillPattern(*To, F.Pattern, F.Count * F.Rows);
  else
    for (uint64_t Row = 0; Row != F.Rows; ++Row)
      fillPattern(*To + Row * F.Pitch, F.Pattern, F.Count);
  for (uint64_t Row = 0; Memory.tracksWrites() && Row != F.Rows; ++Row)
    Memory.markWritten(F.To + Row * F.Pitch, RowBytes);
  return Error::success();
}

Expected<uint64_t> EmulatorDevice::loadNumber(rt::DeviceAddress Address,
                                              uint32_t Bytes) {
  std::shared_lock Lock(InUse);
  Expected<uint8_t *> From = hostAddress(Address, Bytes);
  if (!From)
    return From.takeError();
  return Bytes == 8 ? __atomic_load_n(reinterpret_cast<uint64_t *>(*From),
                                      __ATOMIC_ACQUIRE)
                    : __atomic_load_n(reinterpret_cast<uint32_t *>(*From),
                                      __ATOMIC_ACQUIRE);
}

Error EmulatorDevice::storeNumber(rt::DeviceAddress Address, uint64_t Value,
                                  uint32_t Bytes) {
  std::shared_lock Lock(InUse);
  settle();
  Expected<uint8_t *> To = hostAddress(Address, Bytes);
  if (!To)
    return To.takeError();
  if (Bytes == 8)
    __atomic_store_n(reinterpret_cast<uint64_t *>(*To), Value,
                     __ATOMIC_RELEASE);
  else
    __atomic_store_n(reinterpret_cast<uint32_t *>(*To),
                     static_cast<uint32_t>(Value), __ATOMIC_RELEASE);
  if (Memory.tracksWrites())
    Memory.markWritten(Address, Bytes);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Texture objects
//===----------------------------------------------------------------------===//

namespace tex = texture;

Expected<uint32_t> EmulatorDevice::addImage(const rt::ImageDesc &Image) {
  if (Error E = checkImage(Image))
    return std::move(E);
  return Textures.Images.add(Memory, encode(Image));
}

Expected<rt::TextureHandle>
EmulatorDevice::createTexture(const rt::ImageDesc &Image,
                              const rt::SamplerDesc &Sampler) {
  std::unique_lock Lock(InUse);
  auto ImageIndex = addImage(Image);
  if (!ImageIndex)
    return ImageIndex.takeError();
  auto SamplerIndex = Textures.Samplers.add(Memory, encode(Sampler));
  if (!SamplerIndex) {
    Textures.Images.remove(*ImageIndex);
    return SamplerIndex.takeError();
  }
  return tex::makeHandle(tex::KindTexture, *ImageIndex, *SamplerIndex);
}

Expected<rt::TextureHandle>
EmulatorDevice::createSampler(const rt::SamplerDesc &Sampler) {
  std::unique_lock Lock(InUse);
  auto Index = Textures.Samplers.add(Memory, encode(Sampler));
  if (!Index)
    return Index.takeError();
  return tex::makeHandle(tex::KindSampler, 0, *Index);
}

Expected<rt::TextureHandle>
EmulatorDevice::createSurface(const rt::ImageDesc &Image) {
  std::unique_lock Lock(InUse);
  auto Index = addImage(Image);
  if (!Index)
    return Index.takeError();
  return tex::makeHandle(tex::KindSurface, *Index, 0);
}

Error EmulatorDevice::destroyTextureObject(rt::TextureHandle Handle) {
  std::unique_lock Lock(InUse);
  unsigned Kind = tex::handleKind(Handle);
  bool HasImage = Kind == tex::KindTexture || Kind == tex::KindSurface;
  bool HasSampler = Kind == tex::KindTexture || Kind == tex::KindSampler;
  bool Known = HasImage || HasSampler;
  if (HasImage)
    Known &= Textures.Images.remove(tex::imageIndex(Handle));
  if (HasSampler)
    Known &= Textures.Samplers.remove(tex::samplerIndex(Handle));
  if (Known)
    return Error::success();
  return makeError("0x" + Twine::utohexstr(Handle) +
                   " is no texture, sampler or surface");
}

Error EmulatorDevice::setEndpoint(uint32_t Id,
                                  const rt::EndpointDesc &Endpoint) {
  std::unique_lock Lock(InUse);
  return Endpoints.set(Id, Endpoint);
}

Error EmulatorDevice::removeEndpoint(uint32_t Id) {
  std::unique_lock Lock(InUse);
  return Endpoints.remove(Id);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<rt::Module>>
EmulatorDevice::load(ArrayRef<uint8_t> CodeObject, LoadPurpose Purpose) {
  auto Code = loadCodeObject(CodeObject, Chip, Memory, nextCodeBase(),
                             Options.Vectors, Purpose);
  if (!Code)
    return Code.takeError();
  auto Loaded = std::make_unique<EmulatorModule>(*this, std::move(*Code));
  if (Error E = makeSamplers(*Loaded))
    return std::move(E);
  tellDebugger(*Loaded->Code, CodeObject);
  return Loaded;
}

Expected<std::unique_ptr<rt::Module>>
EmulatorDevice::loadModule(ArrayRef<uint8_t> CodeObject) {
  return load(CodeObject, {});
}

Expected<std::unique_ptr<rt::Module>>
EmulatorDevice::loadReplaceable(ArrayRef<uint8_t> CodeObject) {
  LoadPurpose Purpose;
  Purpose.IsReplaceable = true;
  return load(CodeObject, Purpose);
}

Expected<std::unique_ptr<rt::Module>>
EmulatorDevice::loadSharing(ArrayRef<uint8_t> CodeObject,
                            const rt::Module &Managed, bool IsReplaceable) {
  const auto &Other = static_cast<const EmulatorModule &>(Managed);
  if (Other.Owner.Space != Space)
    return makeError("the module's device has other addresses");
  LoadPurpose Purpose;
  Purpose.IsReplaceable = IsReplaceable;
  Purpose.Managed = Other.Code.get();
  return load(CodeObject, Purpose);
}

void EmulatorDevice::tellDebugger(LoadedCode &Code,
                                  ArrayRef<uint8_t> CodeObject) {
  if (!Options.Debug)
    return;
  Code.Image.reachAll();
  Code.Description = describeCode(Code, CodeObject, Chip);
  Options.Debug->load(Code.Description);
}

/// Gives each variable that is initialized as a sampler the handle of such a
/// one.
Error EmulatorDevice::makeSamplers(EmulatorModule &M) {
  for (rt::DeviceAddress Address : M.Code->Samplers) {
    Expected<uint8_t *> Host = hostAddress(Address, sizeof(rt::TextureHandle));
    if (!Host)
      return Host.takeError();
    Expected<rt::SamplerDesc> Sampler =
        decodeSamplerStart(ArrayRef(*Host, sizeof(rt::TextureHandle)));
    if (!Sampler)
      return Sampler.takeError();
    Expected<rt::TextureHandle> Handle = createSampler(*Sampler);
    if (!Handle)
      return Handle.takeError();
    M.Samplers.push_back(*Handle);
    support::endian::write64le(*Host, *Handle);
  }
  return Error::success();
}

Expected<std::unique_ptr<rt::Module>>
EmulatorDevice::loadReplacement(ArrayRef<uint8_t> CodeObject,
                                const rt::Module &Variables) {
  const auto &Other = static_cast<const EmulatorModule &>(Variables);
  if (&Other.Owner != this)
    return makeError("the module belongs to another device");
  LoadPurpose Purpose;
  Purpose.Replaces = Other.Code.get();
  return load(CodeObject, Purpose);
}

Expected<std::unique_ptr<rt::Module>>
EmulatorDevice::loadRaw(ArrayRef<RawKernel> Kernels,
                        ArrayRef<uint8_t> Constants) {
  auto Code = std::make_unique<LoadedCode>();
  Code->Image.Base = nextCodeBase();
  for (const RawKernel &K : Kernels) {
    if (K.Code.size() % isa::CompactBytes)
      return makeError("kernel '" + K.Info.Name +
                       "': its size is no multiple of an instruction's");
    Code->Entries.push_back(Code->Image.Insts.size());
    Code->Kernels.push_back(K.Info);
    Code->Kernels.back().CodeBytes = K.Code.size();
    Code->SharedBytes.push_back(K.Info.SharedBytes);
    decodeSection(Code->Image, ".text." + K.Info.Name, K.Code, Chip,
                  Options.Vectors);
  }
  resolveTargets(Code->Image);
  if (!Constants.empty()) {
    Code->Constants = Memory.allocate(Constants.size(), 256);
    if (!Code->Constants)
      return makeError("out of memory for constants");
    Code->Blocks.push_back(Code->Constants);
    std::memcpy(Code->Constants->Host, Constants.data(), Constants.size());
  }
  tellDebugger(*Code, {});
  return std::make_unique<EmulatorModule>(*this, std::move(Code));
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

Error EmulatorDevice::checkResources(const rt::KernelInfo &Kernel,
                                     const rt::LaunchConfig &Config,
                                     uint64_t SharedBytes,
                                     uint64_t LocalBytes) const {
  if (SharedBytes > Chip.SharedBytesPerCTA)
    return makeError("kernel '" + Kernel.Name + "' needs " +
                     Twine(SharedBytes) +
                     " bytes of shared memory; a CTA has "
                     "at most " +
                     Twine(Chip.SharedBytesPerCTA));
  if (rt::DeviceProperties P = properties();
      rt::hasTooManyRegisters(P, Kernel, Config.Block.count()))
    return makeError(rt::explainRegisters(P, Kernel, Config.Block.count()));
  if (LocalBytes > (1u << 20))
    return makeError("kernel '" + Kernel.Name + "' needs " + Twine(LocalBytes) +
                     " bytes of local memory for a thread");
  return Error::success();
}

Error EmulatorDevice::describe(LaunchContext &Launch,
                               unsigned KernelIndex) const {
  const LoadedCode &Code = Launch.Code;
  const rt::KernelInfo &Kernel = Launch.Kernel;
  const rt::LaunchConfig &Config = Launch.Config;
  uint64_t Static = Code.SharedBytes[KernelIndex];
  uint64_t Shared = Config.DynamicSharedBytes
                        ? alignTo(Static, 16) + Config.DynamicSharedBytes
                        : Static;
  uint64_t Local = alignTo(uint64_t(Kernel.LocalBytes) +
                               (Kernel.DynamicStack ? Options.StackBytes : 0),
                           isa::abi::StackAlign);
  if (Error E = rt::checkLaunchShape(Kernel, Config, Chip.ThreadsPerCTA))
    return E;
  if (Error E = checkResources(Kernel, Config, Shared, Local))
    return E;
  size_t Whole = alignDown(Config.Params.size(), isa::ParameterGroupBytes);
  copy(Config.Params.drop_front(Whole), Launch.LastParameters.begin());
  Launch.Entry = Code.Entries[KernelIndex];
  Code.Image.reach(Launch.Entry);
  Launch.Used = Code.Image.usedFrom(Launch.Entry);
  Launch.StaticSharedBytes = Static;
  Launch.SharedBytes = Shared;
  Launch.LocalBytes = Local;
  Launch.Cluster = rt::clusterOf(Kernel, Config);
  Launch.ExplicitCluster = Config.Cluster || Kernel.RequiredCluster;
  // A kernel whose CTAs are merged has no use for clusters.
  if (Kernel.MergedCTAs > 1)
    Launch.Cluster = {};
  Launch.Strict = Options.StrictHazards;
  Launch.Broker = Options.Broker.get();
  Launch.IsTimed = Options.Timing && !Config.IsUntimed;
  if (Launch.IsTimed)
    Code.Image.reachAll();
  Launch.Checks = Options.Checks;
  Launch.Model = Options.Model;
  if (LeftOut)
    Launch.Model.Without = *LeftOut;
  if (Options.Model.MaxCycles)
    Launch.Model.MaxCycles = std::max<uint64_t>(
        1, Options.Model.MaxCycles -
               std::min(UsedCycles.load(), Options.Model.MaxCycles));
  if (!Code.Probes.empty())
    Launch.Probes = Options.Probes.get();
  return Error::success();
}

unsigned EmulatorDevice::arrange(LaunchContext &Launch, LaunchParts &Parts) {
  unsigned Threads = Options.HostThreads ? Options.HostThreads
                                         : std::thread::hardware_concurrency();
  Launch.Pending = &Parts.Pending.emplace(Cluster::countIn(Launch),
                                          Launch.Config.Cooperative);
  // A schedule of its own for each launch, and other choices than memory's.
  if (Options.Seed) {
    RandomGenerator Seeds(*Options.Seed + Launch.GridId);
    Launch.Schedule = &Parts.Schedule.emplace(Seeds.next());
    if (Options.RelaxedMemory)
      Launch.Relaxed =
          &Parts.Relaxed.emplace(Seeds.next(), Space->history(),
                                 Options.Ordinal, Launch.Config.Grid.count());
    Threads = 1;
  }
  if (Options.Checks.contains(CheckKind::Race)) {
    Launch.Races = &Parts.Races.emplace();
    Threads = 1;
  }
  return Threads;
}

Expected<Allocation *> EmulatorDevice::makeWorkspace(uint64_t Bytes) {
  Allocation *Workspace = Memory.allocate(Bytes, 256);
  if (!Workspace)
    return makeError("out of memory for the grid's workspace");
  std::memset(Workspace->Host, 0, Bytes);
  return Workspace;
}

/// Carries out what the grids of a launch enqueue, which is more work of the
/// same launch.
class EmulatorDevice::LaunchRunner : public WorkRunner {
public:
  LaunchRunner(EmulatorDevice &Device, LoadedCode &Code,
               const rt::LaunchConfig &Config)
      : Device(Device), Code(Code), Config(Config) {}

  isa::DeviceError check(const GridWork &Grid) override;
  std::optional<rt::Fault> run(std::vector<Work> List) override;
  /// Adds what was counted since the last call.
  void addCounts(rt::LaunchStatistics &To);

private:
  rt::LaunchConfig configOf(const GridWork &Grid) const;
  Expected<rt::LaunchResult> runGrid(const GridWork &Grid,
                                     DeviceWorkQueue &Work);

  EmulatorDevice &Device;
  LoadedCode &Code;
  const rt::LaunchConfig &Config; ///< Of the launch by the host.
  std::mutex Mutex;               ///< Of everything below.
  rt::LaunchStatistics Counted;
  uint64_t Grids = 0;
};

rt::LaunchConfig
EmulatorDevice::LaunchRunner::configOf(const GridWork &Grid) const {
  rt::LaunchConfig C = Config;
  static_cast<rt::LaunchShape &>(C) = Grid.Shape;
  C.Params = Grid.Params;
  return C;
}

isa::DeviceError EmulatorDevice::LaunchRunner::check(const GridWork &Grid) {
  const rt::KernelInfo &Kernel = Code.Kernels[Grid.Kernel];
  rt::LaunchConfig C = configOf(Grid);
  if (Error E = rt::checkLaunchShape(Kernel, C, Device.Chip.ThreadsPerCTA)) {
    consumeError(std::move(E));
    return isa::DeviceError::InvalidConfiguration;
  }
  LaunchContext Trial{Code,
                      Kernel,
                      C,
                      Device.Chip,
                      Device.Memory,
                      Device.Textures,
                      Device.Endpoints};
  if (Error E = Device.describe(Trial, Grid.Kernel)) {
    consumeError(std::move(E));
    return isa::DeviceError::TooManyResources;
  }
  return isa::DeviceError::None;
}

Expected<rt::LaunchResult>
EmulatorDevice::LaunchRunner::runGrid(const GridWork &Grid,
                                      DeviceWorkQueue &Work) {
  rt::LaunchConfig C = configOf(Grid);
  Expected<rt::LaunchResult> Result = Device.runOne(Code, Grid.Kernel, C, Work);
  if (Result) {
    std::lock_guard Lock(Mutex);
    ++Grids;
    add(Counted, Result->Statistics);
  }
  return Result;
}

/// What a grid enqueues comes before what was there; so no depth is too great.
std::optional<rt::Fault>
EmulatorDevice::LaunchRunner::run(std::vector<Work> List) {
  std::vector<Work> Stack(std::make_move_iterator(List.rbegin()),
                          std::make_move_iterator(List.rend()));
  while (!Stack.empty()) {
    Work Next = std::move(Stack.back());
    Stack.pop_back();
    Error Failed = Error::success();
    if (auto *Grid = std::get_if<GridWork>(&Next.What)) {
      DeviceWorkQueue Inner(*this);
      Expected<rt::LaunchResult> Result = runGrid(*Grid, Inner);
      if (Result && Result->Fault)
        return std::move(Result->Fault);
      Failed = Result.takeError();
      std::vector<Work> More = Inner.take();
      std::move(More.rbegin(), More.rend(), std::back_inserter(Stack));
    } else if (auto *Copy = std::get_if<rt::RowCopy>(&Next.What)) {
      Failed = Device.copyLocked(*Copy);
    } else {
      const auto &Fill = std::get<FillWork>(Next.What);
      Failed = Device.fillLocked(
          {Fill.To, Fill.Value, Fill.RowBytes, Fill.Rows, Fill.Pitch});
    }
    if (Failed) {
      rt::Fault F;
      F.Kind = rt::FaultKind::OutOfBounds;
      F.Message = "work that a kernel enqueued: " + toString(std::move(Failed));
      return F;
    }
  }
  return std::nullopt;
}

void EmulatorDevice::LaunchRunner::addCounts(rt::LaunchStatistics &To) {
  std::lock_guard Lock(Mutex);
  if (!Grids)
    return;
  add(To, Counted);
  To.Counters.push_back({"device_launches", Grids});
  llvm::sort(To.Counters);
}

Expected<rt::LaunchResult>
EmulatorDevice::launch(rt::Module &M, unsigned KernelIndex,
                       const rt::LaunchConfig &Config) {
  auto &Module = static_cast<EmulatorModule &>(M);
  // A graph may have kernels of several devices.
  if (&Module.Owner != this && Module.Owner.Space == Space)
    return Module.Owner.launch(M, KernelIndex, Config);
  if (Hook && Options.Timing && !Config.IsUntimed && &Module.Owner == this &&
      KernelIndex < Module.Code->Kernels.size())
    Hook(Module.Code->Kernels[KernelIndex], Config,
         [&](rt::LimiterSet Without) {
           setOutputSink([](StringRef) {});
           LeftOut = Without;
           return launchNow(Module, KernelIndex, Config);
         });
  return launchNow(Module, KernelIndex, Config);
}

Expected<rt::LaunchResult>
EmulatorDevice::launchNow(EmulatorModule &Module, unsigned KernelIndex,
                          const rt::LaunchConfig &Config) {
  std::shared_lock Lock(InUse, std::defer_lock);
  std::unique_lock Alone(InUse, std::defer_lock);
  // What others change between two runs would be a difference.
  if (Options.Mode == Execution::Compare)
    Alone.lock();
  else
    Lock.lock();
  // Modules of other addresses may not be given to the device.
  LoadedCode &Code = *Module.Code;
  if (&Module.Owner != this || KernelIndex >= Code.Kernels.size())
    return makeError("the module has no such kernel");
  LaunchRunner Runner(*this, Code, Config);
  DeviceWorkQueue Work(Runner);
  Expected<rt::LaunchResult> Result = runOne(Code, KernelIndex, Config, Work);
  if (!Result)
    return Result;
  if (!Result->Fault)
    Result->Fault = Runner.run(Work.take());
  if (Options.Broker)
    Options.Broker->countLaunch();
  if (Result->Fault && Result->Fault->Kernel.empty())
    Result->Fault->Kernel = Code.Kernels[KernelIndex].Name;
  Runner.addCounts(Result->Statistics);
  return Result;
}

Expected<rt::LaunchResult>
EmulatorDevice::runOne(LoadedCode &Code, unsigned KernelIndex,
                       const rt::LaunchConfig &Config, DeviceWorkQueue &Work) {
  uint64_t GridId = ++NumGrids;
  if (Options.Mode == Execution::Compare)
    return runTwice(Code, KernelIndex, Config, Work, GridId);
  return runOnce(Code, KernelIndex, Config, Work, GridId, Options.Mode);
}

Expected<rt::LaunchResult>
EmulatorDevice::runInFull(LaunchContext &Launch, unsigned Threads,
                          const rt::OutputSink &Deliver) {
  DefaultFloatEnvironment ForDevice;
  if (Options.Debug && !Options.Debug->hasLeft())
    return runDebuggedGrid(Launch, *Options.Debug, Deliver);
  return Launch.IsTimed ? runTimedGrid(Launch, Deliver)
                        : runGrid(Launch, Threads, Deliver);
}

Expected<rt::LaunchResult>
EmulatorDevice::runOnce(LoadedCode &Code, unsigned KernelIndex,
                        const rt::LaunchConfig &Config, DeviceWorkQueue &Work,
                        uint64_t GridId, Execution Mode, bool Prints) {
  const rt::KernelInfo &Kernel = Code.Kernels[KernelIndex];
  LaunchContext Launch{Code, Kernel, Config, Chip, Memory, Textures, Endpoints};
  Launch.Work = &Work;
  if (Error E = describe(Launch, KernelIndex))
    return std::move(E);
  Launch.GridId = GridId;
  LaunchParts Parts;
  unsigned Threads = arrange(Launch, Parts);
  if (Options.Mode == Execution::Compare)
    Threads = 1; // For one order of what threads do to the same places.
  Launch.LeaveInTurns = Options.Mode != Execution::Translate;
  if (mayTranslate(Launch, Mode)) {
    Launch.HostCode = &hostCode(Code, KernelIndex);
    if (Mode == Execution::Translate)
      Launch.HostCode->translate();
  }
  rt::OutputSink Deliver = [this, Prints](StringRef Text) {
    std::lock_guard Lock(SinkMutex);
    if (Sink && Prints)
      Sink(Text);
  };
  Allocation *Workspace = nullptr;
  if (Config.Cooperative) {
    if (Error E = makeWorkspace(Config.WorkspaceBytes).moveInto(Workspace))
      return std::move(E);
    Launch.Workspace = Workspace->Base;
  }
  Expected<rt::LaunchResult> Result = runInFull(Launch, Threads, Deliver);
  if (Workspace)
    Memory.release(Workspace);
  if (!Result)
    return Result;
  if (Result->Profile)
    UsedCycles += Result->Profile->Cycles;
  if (Config.Cancel && Config.Cancel->load() && !Result->Fault)
    return makeError("the launch of '" + Kernel.Name + "' was cancelled");
  return Result;
}

/// What differs between the results of two ways of execution; empty if nothing
/// does.
static std::string differenceOf(const rt::LaunchResult &A,
                                const rt::LaunchResult &B) {
  auto Text = [](const rt::LaunchResult &R) {
    return R.Fault ? "'" + R.Fault->str() + "'" : std::string("no fault");
  };
  if (Text(A) != Text(B))
    return "there is " + Text(A) + " and " + Text(B);
  const rt::LaunchStatistics &SA = A.Statistics, &SB = B.Statistics;
  if (!A.Fault && (SA.ThreadInstructions != SB.ThreadInstructions ||
                   SA.WarpInstructions != SB.WarpInstructions))
    return "there are " + std::to_string(SA.ThreadInstructions) + " and " +
           std::to_string(SB.ThreadInstructions) + " thread instructions";
  auto IsSame = [](const rt::InstructionCount &X,
                   const rt::InstructionCount &Y) {
    return X.Class == Y.Class && X.Warp == Y.Warp && X.Thread == Y.Thread;
  };
  if (!A.Fault && !llvm::equal(SA.ByClass, SB.ByClass, IsSame))
    return "the counts of classes of instructions differ";
  return "";
}

Expected<rt::LaunchResult>
EmulatorDevice::runTwice(LoadedCode &Code, unsigned KernelIndex,
                         const rt::LaunchConfig &Config, DeviceWorkQueue &Work,
                         uint64_t GridId) {
  MemorySnapshot Before(Memory);
  DeviceMemory::Mark Mark = Memory.mark();
  Expected<rt::LaunchResult> Emulated =
      runOnce(Code, KernelIndex, Config, Work, GridId, Execution::Emulate);
  if (!Emulated)
    return Emulated;
  Work.take(); // Is enqueued again.
  MemorySnapshot After(Memory);
  Memory.rewind(Mark);
  Before.restore();
  Expected<rt::LaunchResult> Translated =
      runOnce(Code, KernelIndex, Config, Work, GridId, Execution::Translate,
              /*Prints=*/false);
  if (!Translated)
    return Translated;
  std::string Difference = differenceOf(*Emulated, *Translated);
  // After a fault it is open how far the others came.
  if (Difference.empty() && !Emulated->Fault)
    Difference = After.differenceFrom(MemorySnapshot(Memory));
  After.restore();
  if (Difference.empty())
    return Translated;
  return makeError("kernel '" + Code.Kernels[KernelIndex].Name +
                   "', emulated and translated: " + Difference);
}

} // namespace

Expected<std::unique_ptr<rt::Device>>
createEmulatorDevice(const EmulatorOptions &Options) {
  if (Options.RelaxedMemory && !Options.Seed)
    return makeError("weakly ordered memory needs a seed");
  if (Options.Timing && Options.Seed)
    return makeError("a launch is either in time or in a random order");
  if (Options.Debug && (Options.Timing || Options.Seed))
    return makeError("a debugger watches neither launches in the time of a "
                     "chip nor random schedules");
  if (Options.Debug && Options.Mode == Execution::Compare)
    return makeError("a debugger watches no launch that runs twice");
  if (Options.Bounds != rt::MemoryBounds::Exact &&
      Options.Checks.contains(CheckKind::Init))
    return makeError("the check 'init' wants exact bounds");
  if (Options.Ordinal >= MaxDevices)
    return makeError("more than " + Twine(MaxDevices) + " devices");
  if (!areSupported(Options.Vectors))
    return makeError("this host has no such vector instructions");
  const isa::ChipInfo *Chip = isa::findChip(Options.Chip);
  if (!Chip) {
    std::string Known;
    for (const isa::ChipInfo &C : isa::chips())
      Known += (Known.empty() ? "" : ", ") + std::string(C.Name);
    return makeError("unknown chip '" + Options.Chip + "' (known: " + Known +
                     ")");
  }
  isa::ChipInfo Changed = *Chip;
  if (auto Fault = Options.Changes.apply(Changed))
    return makeError(*Fault);
  return std::make_unique<EmulatorDevice>(Options, Changed);
}

void setLaunchHook(rt::Device &Device, LaunchHook Hook) {
  static_cast<EmulatorDevice &>(Device).setHook(std::move(Hook));
}

std::string describeLeaks(rt::Device &Device) {
  DeviceMemory::HeapUse Use = static_cast<EmulatorDevice &>(Device).heapInUse();
  if (!Use.Blocks)
    return "";
  return std::to_string(Use.Blocks) + " blocks with " +
         std::to_string(Use.Bytes) +
         " bytes that kernels allocated were not freed";
}

Expected<std::unique_ptr<rt::Module>>
loadRawKernels(rt::Device &Device, ArrayRef<RawKernel> Kernels,
               ArrayRef<uint8_t> Constants) {
  return static_cast<EmulatorDevice &>(Device).loadRaw(Kernels, Constants);
}

} // namespace heddle::emu
