//===- Launch.cpp - Registration and launches -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the host code that nvcc generates calls, and the launches of the API.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Launch.h"
#include "CallerCapability.h"
#include "Driver/DriverTextureRefs.h"
#include "PerThread.h"
#include "Process.h"
#include "Runtime/CachePolicy.h"
#include "Runtime/HostFunctions.h"
#include "ThreadValue.h"
#include "heddle/Runtime/BlockRegisters.h"
#include "heddle/Runtime/LaunchShape.h"
#include "heddle/Runtime/Occupancy.h"
#include "heddle/Runtime/VirtualTime.h"

#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static FatBinary *imageOf(void **Handle) {
  return reinterpret_cast<FatBinary *>(Handle);
}

/// What images are known, unless another thread of the parent process may hold
/// their lock for good. Such a process has no device anyway.
static ImageTable *knownImages() {
  return Process::isForked() ? nullptr : &Process::get().Images;
}

extern "C" void **__cudaRegisterFatBinary(void *Start) {
  ImageTable *Images = knownImages();
  return reinterpret_cast<void **>(Images ? Images->add(Start) : nullptr);
}

extern "C" void __cudaRegisterFatBinaryEnd(void **) {}

extern "C" void __cudaUnregisterFatBinary(void **Handle) {
  if (ImageTable *Images = knownImages()) {
    Process::get().References.remove(imageOf(Handle));
    Images->remove(imageOf(Handle));
  }
}

extern "C" void __cudaRegisterFunction(void **Handle, const char *Host, char *,
                                       const char *Name, int, void *, void *,
                                       void *, void *, int *) {
  if (ImageTable *Images = knownImages())
    Images->addKernel(imageOf(Handle), Host, Name);
}

extern "C" void __cudaRegisterVar(void **Handle, char *Host, char *,
                                  const char *Name, int, size_t Size, int,
                                  int) {
  if (ImageTable *Images = knownImages())
    Images->addVariable(imageOf(Handle), Host, Name, Size);
}

extern "C" void __cudaRegisterManagedVar(void **Handle, void **Pointer, char *,
                                         const char *Name, int, size_t Size,
                                         int, int) {
  if (ImageTable *Images = knownImages())
    Images->addManagedVariable(imageOf(Handle), Pointer, Name, Size);
}

/// Name is the module's; the source's comes behind it.
extern "C" void __cudaRegisterTexture(void **Handle, const void *Host,
                                      const char *Name, const char *, int,
                                      int IsNormalized, int) {
  if (knownImages())
    Process::get().References.add(Host,
                                  {imageOf(Handle), Name, IsNormalized != 0});
}

extern "C" void __cudaRegisterSurface(void **Handle, const void *Host,
                                      const char *Name, const char *, int,
                                      int) {
  if (knownImages())
    Process::get().References.add(Host, {imageOf(Handle), Name, false});
}

/// Host code calls it before it touches a managed variable, whose pointer is
/// set by loading the image.
extern "C" char __cudaInitModule(void **Handle) {
  ImageTable *Images = knownImages();
  return Images && Images->initialize(imageOf(Handle)) == cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {

struct CallConfiguration {
  dim3 Grid, Block;
  size_t Shared;
  cudaStream_t Stream;
};

/// Of launches that are about to be made, from the outermost inwards.
struct CallConfigurations : std::vector<CallConfiguration> {};

} // namespace

extern "C" unsigned __cudaPushCallConfiguration(dim3 Grid, dim3 Block,
                                                size_t Shared,
                                                cudaStream_t Stream) {
  threadValue<CallConfigurations>().push_back({Grid, Block, Shared, Stream});
  return 0;
}

extern "C" cudaError_t __cudaPopCallConfiguration(dim3 *Grid, dim3 *Block,
                                                  size_t *Shared,
                                                  void *Stream) {
  auto &Configurations = threadValue<CallConfigurations>();
  if (Configurations.empty())
    return finish(cudaErrorMissingConfiguration);
  const CallConfiguration &C = Configurations.back();
  *Grid = C.Grid;
  *Block = C.Block;
  *Shared = C.Shared;
  *static_cast<cudaStream_t *>(Stream) = C.Stream;
  Configurations.pop_back();
  return cudaSuccess;
}

cudaError_t cuda::checkLaunch(const rt::LaunchShape &L,
                              const rt::KernelInfo &Info) {
  const rt::DeviceProperties &P = Process::get().properties();
  uint64_t Threads = L.Block.count();
  if (!rt::isWithin(L.Grid, rt::MaxGrid) ||
      !rt::isWithin(L.Block, rt::MaxBlock) || Threads > P.ThreadsPerCTA)
    return cudaErrorInvalidConfiguration;
  if ((Info.MaxBlock && Threads > Info.MaxBlock->count()) ||
      (Info.RequiredBlock && L.Block != *Info.RequiredBlock))
    return cudaErrorInvalidConfiguration;
  if (Error E = rt::checkCluster(Info, L)) {
    consumeError(std::move(E));
    return cudaErrorInvalidClusterSize;
  }
  if (L.DynamicSharedBytes + Info.SharedBytes > P.SharedBytesPerCTA)
    return cudaErrorInvalidValue;
  rt::Occupancy O =
      rt::computeOccupancy(P, Info, Threads, L.DynamicSharedBytes);
  if (O.ByRegisters == 0)
    explainFirst(rt::explainRegisters(P, Info, Threads));
  if (O.CTAsPerCore == 0)
    return cudaErrorLaunchOutOfResources;
  if (L.Cooperative && L.Grid.count() > uint64_t(O.CTAsPerCore) * P.Cores)
    return cudaErrorCooperativeLaunchTooLarge;
  return cudaSuccess;
}

cudaError_t cuda::prepareLaunch(KernelHandle *Kernel, const rt::LaunchShape &L,
                                void **Arguments, rt::KernelOp &Op) {
  if (Process::isForked())
    return cudaErrorInitializationError;
  if (!Kernel)
    return cudaErrorInvalidDeviceFunction;
  if (cudaError_t Code = Process::get().Images.load(*Kernel);
      Code != cudaSuccess)
    return Code;
  if (cudaError_t Code = bindTextureReferences(Kernel->Owner);
      Code != cudaSuccess)
    return Code;
  Op.Kernel = Process::get().Images.codeFor(*Kernel, L.Block.count());
  const rt::KernelInfo &Info = Op.Kernel.info();
  if (cudaError_t Code = checkLaunch(L, Info); Code != cudaSuccess)
    return Code;
  if (!Arguments && !Info.Params.empty())
    return cudaErrorInvalidValue;
  Op.Params.resize(Info.ParamBytes);
  for (size_t I = 0; I != Info.Params.size(); ++I)
    std::memcpy(&Op.Params[Info.Params[I].Offset], Arguments[I],
                Info.Params[I].Size);
  static_cast<rt::LaunchShape &>(Op.Config) = L;
  return cudaSuccess;
}

cudaError_t cuda::launchKernel(KernelHandle *Kernel, const rt::LaunchShape &L,
                               void **Arguments, cudaStream_t Stream,
                               bool IsTimed,
                               ArrayRef<cudaLaunchAttribute> Attributes) {
  if (cudaError_t Code = checkPolicyWindows(Attributes); Code != cudaSuccess)
    return Code;
  rt::VirtualTime *Time = Process::get().virtualTime();
  rt::HostCall Call(Time, Time && IsTimed ? Time->Properties.LaunchCallNs : 0);
  rt::KernelOp Op;
  if (cudaError_t Code = prepareLaunch(Kernel, L, Arguments, Op);
      Code != cudaSuccess)
    return Code;
  Op.Config.IsUntimed = Time && !IsTimed;
  if (Process::get().skipsLaunches(ImageTable::info(*Kernel).Name))
    return cudaSuccess;
  Process::get().Virtual.followBindings();
  LaunchCapture &Capture = Process::get().Captured;
  if (Capture.wants(ImageTable::info(*Kernel).Name))
    return Capture.launch(*Kernel, std::move(Op), Stream);
  cudaError_t Code = enqueue(Stream, std::move(Op));
  if (rt::Stream *S = Process::get().stream(Stream);
      Code == cudaSuccess && S && S->capture())
    keepAttributes(*S, Attributes);
  return Code;
}

extern "C" cudaError_t cudaLaunchKernel(const void *Function, dim3 Grid,
                                        dim3 Block, void **Arguments,
                                        size_t Shared, cudaStream_t Stream) {
  return finish(launchKernel(Process::get().Images.kernel(Function),
                             {extentsOf(Grid), extentsOf(Block), Shared},
                             Arguments, Stream));
}

extern "C" cudaError_t cudaLaunchCooperativeKernel(const void *Function,
                                                   dim3 Grid, dim3 Block,
                                                   void **Arguments,
                                                   size_t Shared,
                                                   cudaStream_t Stream) {
  rt::LaunchShape L = {extentsOf(Grid), extentsOf(Block), Shared};
  L.Cooperative = true;
  return finish(launchKernel(Process::get().Images.kernel(Function), L,
                             Arguments, Stream));
}

void cuda::applyAttributes(ArrayRef<cudaLaunchAttribute> Attributes,
                           rt::LaunchShape &Shape) {
  for (const cudaLaunchAttribute &A : Attributes) {
    if (A.id == cudaLaunchAttributeCooperative)
      Shape.Cooperative = A.val.cooperative;
    else if (A.id == cudaLaunchAttributeClusterDimension && A.val.clusterDim.x)
      Shape.Cluster =
          rt::Dim3{A.val.clusterDim.x, A.val.clusterDim.y, A.val.clusterDim.z};
  }
}

/// The launch that a configuration describes.
static rt::LaunchShape shapeOf(const cudaLaunchConfig_t &Config) {
  rt::LaunchShape L = {extentsOf(Config.gridDim), extentsOf(Config.blockDim),
                       Config.dynamicSmemBytes};
  applyAttributes({Config.attrs, Config.numAttrs}, L);
  return L;
}

extern "C" cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *Config,
                                           const void *Function,
                                           void **Arguments) {
  if (!Config || (Config->numAttrs && !Config->attrs))
    return finish(cudaErrorInvalidValue);
  rt::LaunchShape L = shapeOf(*Config);
  return finish(launchKernel(Process::get().Images.kernel(Function), L,
                             Arguments, Config->stream, /*IsTimed=*/true,
                             {Config->attrs, Config->numAttrs}));
}

extern "C" cudaError_t __cudaGetKernel(cudaKernel_t *Kernel,
                                       const void *Function) {
  *Kernel = Process::get().Images.kernel(Function);
  return finish(*Kernel ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}

extern "C" cudaError_t cudaGetKernel(cudaKernel_t *Kernel,
                                     const void *Function) {
  return __cudaGetKernel(Kernel, Function);
}

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t Kernel, dim3 Grid,
                                          dim3 Block, void **Arguments,
                                          size_t Shared, cudaStream_t Stream) {
  return finish(launchKernel(
      Kernel, {extentsOf(Grid), extentsOf(Block), Shared}, Arguments, Stream));
}

extern "C" cudaError_t
cudaLaunchHostFunc(cudaStream_t Stream, cudaHostFn_t Function, void *UserData) {
  if (!Function)
    return finish(cudaErrorInvalidValue);
  return finish(enqueue(Stream, hostFunction([=] { Function(UserData); })));
}

/// How the thread that calls functions waits for the next one is its own
/// affair.
extern "C" cudaError_t cudaLaunchHostFunc_v2(cudaStream_t Stream,
                                             cudaHostFn_t Function,
                                             void *UserData, unsigned Waiting) {
  constexpr unsigned Spinning = 1;
  return Waiting > Spinning ? finish(cudaErrorInvalidValue)
                            : cudaLaunchHostFunc(Stream, Function, UserData);
}

extern "C" cudaError_t cudaStreamAddCallback(cudaStream_t Stream,
                                             cudaStreamCallback_t Callback,
                                             void *UserData, unsigned) {
  if (!Callback)
    return finish(cudaErrorInvalidValue);
  return finish(enqueue(Stream, hostFunction([=] {
                          Callback(Stream, lastError(false), UserData);
                        })));
}

//===----------------------------------------------------------------------===//
// What is known of kernels
//===----------------------------------------------------------------------===//

/// The loaded kernel of a host address, or the error.
static cudaError_t loadedKernel(const void *Function, KernelHandle *&Kernel) {
  Kernel = Process::get().Images.kernel(Function);
  if (!Kernel) // a cudaKernel_t is taken too
    return cudaErrorInvalidDeviceFunction;
  return Process::get().Images.load(*Kernel);
}

/// How many blocks of a size a core holds. Code that the first launch of such a
/// block is going to be compiled to has as many registers as fit.
static rt::Occupancy occupancyOf(const KernelHandle &Kernel, uint64_t Threads,
                                 size_t Shared) {
  const rt::DeviceProperties &P = Process::get().properties();
  const rt::KernelInfo &Info = ImageTable::info(Kernel);
  if (!rt::needsFewerRegisters(P, Info, Threads) ||
      !Process::get().Images.canRecompile(Kernel))
    return rt::computeOccupancy(P, Info, Threads, Shared);
  rt::KernelInfo Limited = Info;
  Limited.Registers = rt::registersForBlock(P, Threads);
  return rt::computeOccupancy(P, Limited, Threads, Shared);
}

/// Static and dynamic shared memory that a launch may have without opting in.
static constexpr int DefaultSharedLimit = 48 * 1024;

extern "C" cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *Attributes,
                                             const void *Function) {
  CallerScope Caller(__builtin_return_address(0));
  KernelHandle *Kernel;
  if (cudaError_t Code = loadedKernel(Function, Kernel); Code != cudaSuccess)
    return finish(Code);
  const rt::DeviceProperties &P = Process::get().properties();
  const rt::KernelInfo &Info = ImageTable::info(*Kernel);
  *Attributes = {};
  Attributes->sharedSizeBytes = Info.SharedBytes;
  Attributes->constSizeBytes = Process::get().Images.constantBytes(*Kernel);
  Attributes->localSizeBytes = Info.LocalBytes;
  // No GPU has a kernel without registers, and programs divide by them.
  Attributes->numRegs = std::max(Info.Registers, 1u);
  // Libraries choose a kernel's shape by what its PTX is for. Code for the
  // device is all that there is where a module was machine code.
  Process::ComputeCapability Capability = Process::computeCapability();
  Attributes->binaryVersion = Capability.Major * 10 + Capability.Minor;
  unsigned Target = Process::get().Images.targetOf(*Kernel);
  Attributes->ptxVersion = Target ? Target : Attributes->binaryVersion;
  Attributes->preferredShmemCarveout = -1;
  Attributes->maxDynamicSharedSizeBytes =
      Kernel->MaxDynamicShared ? Kernel->MaxDynamicShared
                               : DefaultSharedLimit - int(Info.SharedBytes);
  uint32_t Threads = P.ThreadsPerCTA;
  if (Info.MaxBlock)
    Threads = std::min<uint64_t>(Threads, Info.MaxBlock->count());
  while (Threads && !occupancyOf(*Kernel, Threads, 0).CTAsPerCore)
    Threads -= std::min(Threads, P.WarpSize);
  Attributes->maxThreadsPerBlock = Threads;
  return cudaSuccess;
}

extern "C" cudaError_t cudaFuncSetAttribute(const void *Function,
                                            cudaFuncAttribute Attribute,
                                            int Value) {
  KernelHandle *Kernel;
  if (cudaError_t Code = loadedKernel(Function, Kernel); Code != cudaSuccess)
    return finish(Code);
  if (Attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return cudaSuccess; // a hint
  int Limit = Process::get().properties().SharedBytesPerCTA;
  if (Value < 0 || Value > Limit - int(ImageTable::info(*Kernel).SharedBytes))
    return finish(cudaErrorInvalidValue);
  Kernel->MaxDynamicShared = Value;
  return cudaSuccess;
}

extern "C" cudaError_t cudaFuncSetCacheConfig(const void *Function, int) {
  KernelHandle *Kernel;
  return finish(loadedKernel(Function, Kernel));
}

extern "C" cudaError_t cudaFuncSetSharedMemConfig(const void *Function, int) {
  return cudaFuncSetCacheConfig(Function, 0);
}

extern "C" cudaError_t cudaFuncGetName(const char **Name,
                                       const void *Function) {
  KernelHandle *Kernel = Process::get().Images.kernel(Function);
  if (!Kernel)
    return finish(cudaErrorInvalidDeviceFunction);
  *Name = Kernel->Name.c_str();
  return cudaSuccess;
}

extern "C" cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *Blocks, const void *Function, int BlockSize, size_t Shared, unsigned) {
  KernelHandle *Kernel;
  if (cudaError_t Code = loadedKernel(Function, Kernel); Code != cudaSuccess)
    return finish(Code);
  if (!Blocks || BlockSize <= 0)
    return finish(cudaErrorInvalidValue);
  *Blocks = occupancyOf(*Kernel, BlockSize, Shared).CTAsPerCore;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *Blocks, const void *Function,
                                              int BlockSize, size_t Shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      Blocks, Function, BlockSize, Shared, 0);
}

extern "C" cudaError_t
cudaOccupancyAvailableDynamicSMemPerBlock(size_t *Shared, const void *Function,
                                          int Blocks, int BlockSize) {
  KernelHandle *Kernel;
  if (cudaError_t Code = loadedKernel(Function, Kernel); Code != cudaSuccess)
    return finish(Code);
  const rt::DeviceProperties &P = Process::get().properties();
  const rt::KernelInfo &Info = ImageTable::info(*Kernel);
  if (!Shared || Blocks <= 0 || BlockSize <= 0 ||
      occupancyOf(*Kernel, BlockSize, 0).CTAsPerCore < uint32_t(Blocks))
    return finish(cudaErrorInvalidValue);
  uint32_t Share =
      P.SharedBytesPerCore / Blocks / P.SharedGranule * P.SharedGranule;
  Share = std::min(Share, P.SharedBytesPerCTA);
  *Shared = Share > Info.SharedBytes ? Share - Info.SharedBytes : 0;
  return cudaSuccess;
}

cudaError_t
heddle::cuda::countActiveClusters(int *Clusters, const KernelHandle *Kernel,
                                  const cudaLaunchConfig_t *Config) {
  if (!Clusters || !Config || (Config->numAttrs && !Config->attrs))
    return cudaErrorInvalidValue;
  const rt::DeviceProperties &P = Process::get().properties();
  const rt::KernelInfo Nothing;
  rt::LaunchShape L = shapeOf(*Config);
  rt::Dim3 Cluster =
      rt::clusterOf(Kernel ? ImageTable::info(*Kernel) : Nothing, L);
  uint64_t Threads = L.Block.count();
  rt::Occupancy O =
      Kernel ? occupancyOf(*Kernel, Threads, L.DynamicSharedBytes)
             : rt::computeOccupancy(P, Nothing, Threads, L.DynamicSharedBytes);
  uint64_t CTAs = uint64_t(O.CTAsPerCore) * P.Cores;
  *Clusters = Cluster.count() ? CTAs / Cluster.count() : 0;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaOccupancyMaxActiveClusters(int *Clusters, const void *Function,
                               const cudaLaunchConfig_t *Config) {
  KernelHandle *Kernel;
  if (cudaError_t Code = loadedKernel(Function, Kernel); Code != cudaSuccess)
    return finish(Code);
  return finish(countActiveClusters(Clusters, Kernel, Config));
}

extern "C" cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *Size, const void *Function,
                                     const cudaLaunchConfig_t *Config) {
  constexpr int Portable = 8;
  KernelHandle *Kernel;
  if (cudaError_t Code = loadedKernel(Function, Kernel); Code != cudaSuccess)
    return finish(Code);
  if (!Size || !Config)
    return finish(cudaErrorInvalidValue);
  *Size = Portable;
  return cudaSuccess;
}

/// A driver API function for a kernel: the handle itself.
extern "C" cudaError_t cudaGetFuncBySymbol(KernelHandle **Kernel,
                                           const void *Function) {
  if (!Kernel)
    return finish(cudaErrorInvalidValue);
  return finish(loadedKernel(Function, *Kernel));
}

extern "C" cudaError_t cudaFuncGetParamInfo(const void *Function, size_t Index,
                                            size_t *Offset, size_t *Size) {
  KernelHandle *Kernel;
  if (cudaError_t Code = loadedKernel(Function, Kernel); Code != cudaSuccess)
    return finish(Code);
  const rt::KernelInfo &Info = ImageTable::info(*Kernel);
  if (!Offset || Index >= Info.Params.size())
    return finish(cudaErrorInvalidValue);
  *Offset = Info.Params[Index].Offset;
  if (Size)
    *Size = Info.Params[Index].Size;
  return cudaSuccess;
}

extern "C" cudaError_t cudaFuncGetParamCount(const void *Function,
                                             size_t *Count) {
  KernelHandle *Kernel;
  if (!Count)
    return finish(cudaErrorInvalidValue);
  if (cudaError_t Code = loadedKernel(Function, Kernel); Code != cudaSuccess)
    return finish(Code);
  *Count = ImageTable::info(*Kernel).Params.size();
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// With the thread's default stream
//===----------------------------------------------------------------------===//

HEDDLE_PER_THREAD(cudaLaunchCooperativeKernel, _ptsz)
HEDDLE_PER_THREAD(cudaLaunchHostFunc, _ptsz)
HEDDLE_PER_THREAD(cudaLaunchHostFunc_v2, _ptsz)
HEDDLE_PER_THREAD(cudaLaunchKernelExC, _ptsz)
HEDDLE_PER_THREAD(cudaLaunchKernel, _ptsz)
HEDDLE_PER_THREAD(cudaStreamAddCallback, _ptsz)
HEDDLE_PER_THREAD(__cudaLaunchKernel, _ptsz)
