//===- Device.h - The hardware-abstraction interface ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a runtime asks of a device: memory, modules and launches. A driver for
// silicon and the emulator implement the same interface, so nothing here names
// either of them.
//
// Words used below:
// - A *device address* is a 64-bit number that kernels dereference and that the
//   host only hands back to the device. Zero is never a valid one.
// - A *fault* is what a kernel did wrong; it is a launch's result. An *error*
//   (llvm::Error) is a call that the device refused or could not carry out: a
//   bad code object, a block that is too large, a copy outside an allocation.
//
// Every call may come from any thread; launches and copies may overlap. Calls
// are synchronous: when launch returns, the grid is done and its stores are
// visible to copies.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_DEVICE_H
#define HEDDLE_RUNTIME_DEVICE_H

#include "heddle/ISA/TextureObjects.h"
#include "heddle/Runtime/Endpoints.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle {
class MemoryFile;
}

namespace heddle::rt {

using DeviceAddress = uint64_t;

/// What shared and local memory and registers hold before they are written, and
/// global memory if asked for, as 16-bit words in little-endian order at even
/// addresses. It is a NaN in each of PTX's float types from f16
/// to f64, and a large positive number as an integer.
constexpr uint16_t PoisonPattern = 0x7FFB;

/// What global memory holds that a device gives out, before it is written.
enum class FreshMemory : uint8_t {
  Zero,   ///< Zeros, as the pages that drivers give out.
  Poison, ///< PoisonPattern, so that a program that reads it notices.
};
/// Reads `zero` or `poison`.
llvm::Expected<FreshMemory> parseFreshMemory(llvm::StringRef Name);

/// Where a kernel's access to global memory goes wrong.
enum class MemoryBounds : uint8_t {
  Exact, ///< Outside of an allocation.
  Page,  ///< Outside of the pages that a driver would give the allocation.
};
/// Reads `exact` or `page`.
llvm::Expected<MemoryBounds> parseMemoryBounds(llvm::StringRef Name);

/// Extents or coordinates of a grid, a cluster or a block.
struct Dim3 {
  uint32_t X = 1, Y = 1, Z = 1;

  /// The number of elements; overflow-free for all that 32 bits can hold in
  /// two of the three factors.
  uint64_t count() const { return uint64_t(X) * Y * Z; }
  bool operator==(const Dim3 &) const = default;
};

/// One parameter of a kernel, as the code object's metadata states it.
struct ParamInfo {
  std::string Name;
  uint32_t Offset = 0; ///< In the parameter block, in bytes.
  uint32_t Size = 0;   ///< In bytes.
  uint32_t Align = 1;  ///< In bytes.
  std::string Type;    ///< PTX's word: `u64`, `f32`, `b8[24]`. May be empty.
};

/// What the code object says about a kernel.
struct KernelInfo {
  std::string Name;
  std::vector<ParamInfo> Params;
  uint32_t ParamBytes = 0;  ///< Size of the parameter block.
  uint32_t SharedBytes = 0; ///< Static shared memory for each CTA.
  uint32_t LocalBytes = 0;  ///< Stack and spills for each thread.
  /// Bytes that the spill code in its text stores and loads.
  uint32_t SpillStoreBytes = 0, SpillLoadBytes = 0;
  /// Recursion or calls through pointers: LocalBytes holds one call of each
  /// function, and the device adds its stack limit.
  bool DynamicStack = false;
  uint32_t Registers = 0; ///< 32-bit registers for each thread.
  uint32_t UniformRegisters = 0;
  uint32_t CodeBytes = 0;            ///< Size of the kernel's machine code.
  std::optional<Dim3> MaxBlock;      ///< `.maxntid`.
  std::optional<Dim3> RequiredBlock; ///< `.reqntid`.
  /// `.maxnreg`, or the same from the compiler's options.
  std::optional<uint32_t> MaxRegisters;
  std::optional<Dim3> RequiredCluster; ///< `.reqnctapercluster`.
  /// `.maxclusterrank`: CTAs in a cluster.
  std::optional<uint32_t> MaxClusterRank;
  /// `.explicitcluster`: a launch without a cluster is an error.
  bool ExplicitCluster = false;
  /// CTAs, neighbours in x, whose work one CTA does. A CTA is started for each
  /// whole group, and for each CTA left over; their numbers are those of the
  /// first.
  uint32_t MergedCTAs = 1;
};

/// A module-level variable.
struct SymbolInfo {
  enum class SpaceKind { Global, Constant };

  std::string Name;
  SpaceKind Space = SpaceKind::Global;
  /// Where the host copies to and from. A constant has a place in device
  /// memory too, though kernels reach it through a constant bank.
  DeviceAddress Address = 0;
  uint64_t Size = 0; ///< In bytes.
  /// The host may use the variable's memory at Address too, at any time.
  bool IsManaged = false;
};

/// A code object that a device has loaded. Its kernels and symbols stay valid,
/// at the same addresses, until it is destroyed; it must not outlive its
/// device. Destroying it frees its symbols.
class Module {
public:
  Module();
  virtual ~Module();

  /// Different for each module of a process.
  const uint64_t Id;

  /// All kernels and all symbols, in the code object's order. The order is the
  /// handle's meaning too: launch takes an index into kernels().
  virtual llvm::ArrayRef<KernelInfo> kernels() const = 0;
  virtual llvm::ArrayRef<SymbolInfo> symbols() const = 0;

  /// The index of the kernel with this name; none if there is no such kernel.
  std::optional<unsigned> findKernel(llvm::StringRef Name) const;
  /// The symbol with this name; null if there is no such symbol.
  const SymbolInfo *findSymbol(llvm::StringRef Name) const;
};

enum class FaultKind : uint8_t {
#define HEDDLE_FAULT(Enumerator, Name, Meaning) Enumerator,
#include "heddle/Runtime/Faults.def"
};

/// The name that manifests and messages use, such as `out-of-bounds`.
llvm::StringRef faultKindName(FaultKind Kind);
/// The kind with this name; none if the name is unknown.
std::optional<FaultKind> parseFaultKind(llvm::StringRef Name);

/// What stopped a kernel, and where.
struct Fault {
  FaultKind Kind = FaultKind::Trap;
  std::string Kernel;
  uint64_t PC = 0;         ///< Bytes from the start of the section named next.
  std::string Section;     ///< Of the code object, when not the kernel's own.
  std::string SourceFile;  ///< From line information; empty if unknown.
  uint32_t SourceLine = 0; ///< 1-based; 0 if unknown.
  std::optional<Dim3> Block;       ///< The CTA's coordinates in the grid.
  std::optional<Dim3> Thread;      ///< The thread's coordinates in its CTA.
  std::optional<uint32_t> Warp;    ///< The thread's, in its CTA.
  std::optional<uint32_t> Lane;    ///< The thread's, in its warp.
  std::optional<uint64_t> Address; ///< That the access named.
  std::string Message;             ///< What happened, for people.
  bool IsInPage = false;           ///< MemoryBounds::Page lets the access pass.
  uint32_t Launch = 0;             ///< LaunchConfig::Number.

  /// One line with everything known of the place: kind, kernel, PC, source
  /// line, CTA, thread, lane, address, message.
  std::string str() const;
};

/// How often the instructions of one class ran.
struct InstructionCount {
  std::string Class;   ///< The ISA definition's word for the class.
  uint64_t Warp = 0;   ///< Instructions that warps issued.
  uint64_t Thread = 0; ///< The same, times the threads that were active and
                       ///< not predicated off.
};

struct LaunchStatistics {
  uint64_t CTAs = 0;
  uint64_t Warps = 0;
  uint64_t Threads = 0;
  uint64_t WarpInstructions = 0;
  uint64_t ThreadInstructions = 0;
  std::vector<InstructionCount> ByClass; ///< Only classes that ran; sorted by
                                         ///< class.
  /// Further counters of the implementation, sorted by name.
  std::vector<std::pair<std::string, uint64_t>> Counters;
};

struct LaunchProfile;

/// How a launch ended. Statistics are of what ran, up to a fault.
struct LaunchResult {
  LaunchStatistics Statistics;
  std::optional<rt::Fault> Fault;
  /// Cycles and where they went (heddle/Runtime/Profile.h), if the device
  /// counts them and there was no fault.
  std::shared_ptr<const LaunchProfile> Profile;
};

/// How many threads a launch has, and what the threads share: one type from the
/// APIs to the device.
struct LaunchShape {
  Dim3 Grid;  ///< In CTAs.
  Dim3 Block; ///< In threads.
  uint64_t DynamicSharedBytes = 0;
  /// In CTAs; must divide the grid. None: as the kernel requires, or one CTA.
  std::optional<Dim3> Cluster = {};
  /// The grid's CTAs wait for each other. All run at once, and the grid has a
  /// block of memory for it, the grid workspace: WorkspaceBytes zero bytes,
  /// whose address is in %envreg1 (upper half) and %envreg2.
  bool Cooperative = false;
};

/// What to launch.
struct LaunchConfig : LaunchShape {
  /// The parameter block: KernelInfo::ParamBytes bytes, each parameter at its
  /// offset in little-endian order.
  llvm::ArrayRef<uint8_t> Params;
  /// Thread-instructions after which the launch ends with a `timeout`.
  uint64_t MaxThreadInstructions = DefaultMaxThreadInstructions;
  /// If not null: once it is true, the launch ends soon, with an error.
  const std::atomic<bool> *Cancel = nullptr;
  /// By which the host knows the launch; 0: by none.
  uint32_t Number = 0;
  /// When the grid begins, in nanoseconds of the device's time: what the clocks
  /// of kernels count from.
  uint64_t StartTime = 0;
  /// The launch is executed, and not timed by the device's model.
  bool IsUntimed = false;
  /// Of a grid that several devices run together: where its isa::MultiGrid is,
  /// in memory that all of them reach; else 0.
  DeviceAddress MultiGrid = 0;

  static constexpr uint64_t WorkspaceBytes = 64;
  static constexpr uint64_t DefaultMaxThreadInstructions = 100'000'000'000;
};

/// The cluster of a launch, in CTAs.
inline Dim3 clusterOf(const KernelInfo &Kernel, const LaunchShape &Shape) {
  return Shape.Cluster.value_or(Kernel.RequiredCluster.value_or(Dim3()));
}

/// What a device is, in figures.
struct DeviceProperties {
  uint32_t Cores = 0; ///< Streaming multiprocessors.
  uint32_t ClockMHz = 0;
  uint32_t WarpSize = 32;
  uint32_t WarpsPerCore = 0;
  uint32_t CTAsPerCore = 0;
  uint32_t ThreadsPerCTA = 0;
  uint32_t BarriersPerCTA = 0;
  uint32_t RegistersPerCore = 0; ///< Of 32 bits.
  uint32_t RegisterGranule = 1;  ///< Registers a thread come in steps of it.
  uint32_t SharedBytesPerCore = 0;
  uint32_t SharedBytesPerCTA = 0; ///< The most that a launch may ask for.
  uint32_t SharedGranule = 1;     ///< Shared memory comes in steps of it.
  uint32_t L1Bytes = 0;           ///< A core.
  uint32_t L2Bytes = 0;
  uint64_t MemoryBytes = 0;
  uint64_t MemoryBytesPerSecond = 0;
  // Between the host and the device (isa-defs/HeddleChips.td).
  uint32_t LaunchCallNs = 0;
  uint32_t DispatchNs = 0;
  uint32_t WakeNs = 0;
  uint32_t DispatchGapNs = 0;
  uint32_t GraphGapNs = 0;
  uint32_t LinkLatencyNs = 0;
  uint64_t LinkBytesPerSecond = 0; ///< Each way.
};

class Queue;
class VirtualTime;

/// An image in device memory, as docs/isa/texture-objects.md describes it: what
/// a texture or a surface is made of. The memory must outlive both.
struct ImageDesc {
  DeviceAddress Base = 0; ///< Of the first texel; a multiple of 16.
  uint32_t Width = 1;     ///< In texels.
  uint32_t Height = 1;
  uint32_t Depth = 1;      ///< Slices, layers, or faces: six for each cube.
  uint32_t RowPitch = 0;   ///< In bytes.
  uint64_t SlicePitch = 0; ///< In bytes.
  texture::Geometry Geometry = texture::Geometry::D2;
  texture::TexelFormat Format = texture::TexelFormat::F32;
  uint8_t Channels = 1;    ///< 1, 2 or 4.
  uint8_t Levels = 0;      ///< Of a mipmap; 0: the image is none.
  uint8_t Samples = 0;     ///< Of a texel; 0: the image is not multi-sampled.
  bool Normalized = false; ///< Coordinates run from 0 to 1.
  bool Linear = false;     ///< Ordinary memory, for queries only.
};

/// How a texture is sampled.
struct SamplerDesc {
  texture::AddressMode Address[3] = {texture::AddressMode::Clamp,
                                     texture::AddressMode::Clamp,
                                     texture::AddressMode::Clamp};
  texture::FilterMode Filter = texture::FilterMode::Nearest;
  /// Between the levels of a mipmap.
  texture::FilterMode MipFilter = texture::FilterMode::Nearest;
  /// When a depth passes: bit 0 if less, bit 1 if equal, bit 2 if greater than
  /// the texel.
  uint8_t Compare = 3;
  bool Unnormalized = false; ///< Overrides ImageDesc::Normalized.
  int16_t Bias = 0;          ///< Of the level of detail, in 1/256.
  uint16_t MinLod = 0;       ///< In 1/256.
  uint16_t MaxLod = 0xFFFF;  ///< In 1/256.
  uint32_t Border[4] = {};   ///< Components as a lookup returns them.
};

/// Names a texture, sampler or surface to kernels: what a parameter or variable
/// of such a type holds. Never zero.
using TextureHandle = uint64_t;

/// Rows of bytes a pitch apart. Their addresses are the device's or the host's.
struct RowPlace {
  uint64_t Address = 0;
  bool IsHost = false;
  uint64_t Pitch = 0; ///< In bytes; of one row it means nothing.
};

/// A copy of rows.
struct RowCopy {
  RowPlace To, From;
  uint64_t RowBytes = 0;
  uint64_t Rows = 1;
};

/// A pattern that is written Count times into each of some rows on the device.
struct RowFill {
  DeviceAddress To = 0;
  llvm::ArrayRef<uint8_t> Pattern;
  uint64_t Count = 0;
  uint64_t Rows = 1;
  uint64_t Pitch = 0; ///< In bytes.
};

/// Of a member of a multicast range: what lies Offset bytes behind its
/// beginning.
struct MulticastPart {
  uint64_t Offset = 0, Bytes = 0;
  DeviceAddress Memory = 0; ///< Which kernels of all members reach.
};

/// Where the text that kernels print goes.
using OutputSink = std::function<void(llvm::StringRef Text)>;

/// A device.
class Device {
public:
  virtual ~Device();

  /// For people, such as "Heddle emulator".
  virtual llvm::StringRef name() const = 0;
  /// The chip as isa-defs/ names it, such as `hd100`; what to compile for.
  virtual llvm::StringRef chip() const = 0;
  /// What is not known is zero.
  virtual DeviceProperties properties() const { return {}; }
  /// If the device has time of its own (VirtualTime.h); null: real time.
  virtual VirtualTime *virtualTime() const { return nullptr; }

  /// Reserves \p Size bytes at a multiple of \p Align (a power of two). They
  /// are zero, or what the device was asked for (FreshMemory). A size of zero
  /// gives an address at which nothing can be accessed. Any access outside the
  /// \p Size bytes is a fault, however near.
  virtual llvm::Expected<DeviceAddress> allocate(uint64_t Size,
                                                 uint64_t Align = 256) = 0;
  /// The same at an address that is given; what lies there already is an
  /// error. Not every device can.
  virtual llvm::Error allocateAt(DeviceAddress Address, uint64_t Size);
  /// Puts what one of these returned into a file, which stays the device's and
  /// is gone with the memory. Address and contents stay as they are. Other
  /// processes reach the memory by mapHost of the file's pages. Waits for
  /// launches. Not every device can.
  virtual llvm::Expected<const MemoryFile &> share(DeviceAddress Address);
  /// Frees what these returned; other addresses are an error.
  virtual llvm::Error free(DeviceAddress Address) = 0;

  /// Lets kernels of another device, by its ordinal, reach this device's
  /// memory, or no longer. Not every device can.
  virtual llvm::Error setPeerAccess(unsigned Peer, bool Reaches);
  /// The same of one block alone, which allocate returned.
  virtual llvm::Error setPeerAccess(DeviceAddress Block, unsigned Peer,
                                    bool Reaches);

  /// Lets kernels reach memory of the host, at the address that it has there:
  /// what managed and pinned memory are made of. It has to stay, and may be
  /// used by the host at any time, until unmapHost. Not every device can.
  virtual llvm::Error mapHost(llvm::MutableArrayRef<uint8_t> Memory);
  /// Ends it; Address is where the memory begins.
  virtual llvm::Error unmapHost(const void *Address);

  /// Makes addresses that no memory has stand for memory of several members:
  /// multimem instructions of kernels access what all of them have there, or
  /// what those have whose parts cover it. A range that begins at the same
  /// address is replaced. Not every device can.
  virtual llvm::Error setMulticast(DeviceAddress Begin, uint64_t Bytes,
                                   llvm::ArrayRef<MulticastPart> Parts);
  /// Ends it; waits for launches.
  virtual llvm::Error removeMulticast(DeviceAddress Begin);

  /// Copies between host and device. The range must lie in one live allocation
  /// or symbol, else nothing is copied and the call is an error.
  virtual llvm::Error copyToDevice(DeviceAddress Destination,
                                   llvm::ArrayRef<uint8_t> Source) = 0;
  virtual llvm::Error copyFromDevice(llvm::MutableArrayRef<uint8_t> Destination,
                                     DeviceAddress Source) = 0;
  /// Copies inside the device; the ranges may overlap.
  virtual llvm::Error copyOnDevice(DeviceAddress Destination,
                                   DeviceAddress Source, uint64_t Size) = 0;
  /// Writes \p Pattern \p Count times, one after the other.
  virtual llvm::Error fill(DeviceAddress Destination,
                           llvm::ArrayRef<uint8_t> Pattern, uint64_t Count) = 0;
  /// The same row by row, in any order. A device that can do better than one
  /// row after the other overrides them.
  virtual llvm::Error copyRows(const RowCopy &Copy);
  virtual llvm::Error fillRows(const RowFill &Fill);

  /// A number of 4 or 8 bytes at a multiple of its size, read or written as a
  /// whole while kernels and the host use it. What was done before a store is
  /// visible behind a load of the number. A device whose kernels run beside
  /// these calls overrides them.
  virtual llvm::Expected<uint64_t> loadNumber(DeviceAddress Address,
                                              uint32_t Bytes);
  virtual llvm::Error storeNumber(DeviceAddress Address, uint64_t Value,
                                  uint32_t Bytes);

  /// Whether work for the device failed: then it gets no more, and numbers that
  /// queues wait for may never change.
  bool hasFailed() const { return Failed; }
  void setFailed() { Failed = true; }

  /// Loads a code object for this device's chip. The bytes are not trusted:
  /// anything malformed is an error. They need not outlive the call.
  virtual llvm::Expected<std::unique_ptr<Module>>
  loadModule(llvm::ArrayRef<uint8_t> CodeObject) = 0;

  /// The same for code that loadReplacement shall replace: pointers to its
  /// functions then call those of the code that is launched.
  virtual llvm::Expected<std::unique_ptr<Module>>
  loadReplaceable(llvm::ArrayRef<uint8_t> CodeObject) {
    return loadModule(CodeObject);
  }

  /// The same as loadModule or loadReplaceable for code that was loaded before
  /// on another device of the same addresses: managed variables are those of
  /// that module, which has to stay. Not every device can.
  virtual llvm::Expected<std::unique_ptr<Module>>
  loadSharing(llvm::ArrayRef<uint8_t> CodeObject, const Module &Managed,
              bool IsReplaceable);

  /// Loads other code for what \p Variables was loaded for: variables that the
  /// code object has are not made anew, but those of \p Variables, by their
  /// names. That module has to have all of them, in the same sizes, and to stay
  /// as long as the new one. Functions whose addresses \p Variables takes have
  /// the same ones. If it was loaded by loadReplaceable, calls of those
  /// addresses come to the functions of the code that is launched, else, and
  /// where that code does not take the function's address, they are faults. Not
  /// every device can.
  virtual llvm::Expected<std::unique_ptr<Module>>
  loadReplacement(llvm::ArrayRef<uint8_t> CodeObject, const Module &Variables);

  /// Runs kernel \p KernelIndex of \p M, which this device loaded, to its end.
  /// A configuration that the device or the kernel does not admit is an error;
  /// what the kernel itself does wrong is a fault in the result. After a fault
  /// the device is still usable, and memory holds what was stored before.
  virtual llvm::Expected<LaunchResult> launch(Module &M, unsigned KernelIndex,
                                              const LaunchConfig &Config) = 0;

  /// A queue that carries out packets beside the others. Unless the device has
  /// a command processor of its own, a thread of the host is one.
  virtual std::unique_ptr<Queue> createQueue();

  /// Textures, samplers and surfaces. A texture has a sampler of its own, which
  /// counts unless a kernel names another one with it. A device without a
  /// texture unit refuses, which is what the functions do unless overridden.
  virtual llvm::Expected<TextureHandle>
  createTexture(const ImageDesc &Image, const SamplerDesc &Sampler);
  virtual llvm::Expected<TextureHandle>
  createSampler(const SamplerDesc &Sampler);
  virtual llvm::Expected<TextureHandle> createSurface(const ImageDesc &Image);
  /// Ends what one of these returned; other handles are an error.
  virtual llvm::Error destroyTextureObject(TextureHandle Handle);

  /// Makes or replaces a logical endpoint of the fabric, by which kernels name
  /// memory of this device; its memory has to stay. A device without a fabric
  /// refuses, which is what the functions do unless overridden.
  virtual llvm::Error setEndpoint(uint32_t Id, const EndpointDesc &Endpoint);
  /// Ends it; a number without an endpoint is an error.
  virtual llvm::Error removeEndpoint(uint32_t Id);

  /// Where the output of later launches goes; without a sink it is
  /// dropped. A launch's output is delivered before launch returns, each call
  /// of printf whole. The sink is never called concurrently.
  virtual void setOutputSink(OutputSink Sink) = 0;

private:
  std::atomic<bool> Failed{false};
};

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_DEVICE_H
