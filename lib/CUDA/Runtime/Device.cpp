//===- Device.cpp - Devices and errors of CUDA ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device: what it is, and what a program may set on it.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Device.h"
#include "CallerCapability.h"
#include "Runtime/CachePolicy.h"
#include "Runtime/RuntimeGraphs.h"
#include "heddle/Runtime/LaunchShape.h"
#include "heddle/Support/CUDAVersion.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

/// Of a module, as PTX promises.
static constexpr int ConstantBytes = 65536;
static constexpr int DefaultSharedBytes = 48 * 1024;
/// Of a texture over linear memory.
static constexpr int MaxLinearTexels = 1 << 28;

extern "C" cudaError_t cudaGetDeviceCount(int *Count) {
  if (!Count)
    return finish(cudaErrorInvalidValue);
  Expected<rt::Context &> C = Process::get().context();
  *Count = C ? int(cantFail(Process::get().countDevices())) : 0;
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  return cudaSuccess;
}

/// The extents of images that the compute capability has; those of the device
/// may be larger.
static void setImageLimits(cudaDeviceProp &P) {
  auto Set = [](auto &To, std::initializer_list<int> Sizes) {
    std::copy(Sizes.begin(), Sizes.end(), To);
  };
  P.maxTexture1D = 131072;
  P.maxTexture1DMipmap = 32768;
  Set(P.maxTexture2D, {131072, 65536});
  Set(P.maxTexture2DMipmap, {32768, 32768});
  Set(P.maxTexture2DLinear, {131072, 65000, 2097120});
  Set(P.maxTexture2DGather, {32768, 32768});
  Set(P.maxTexture3D, {16384, 16384, 16384});
  Set(P.maxTexture3DAlt, {8192, 8192, 32768});
  P.maxTextureCubemap = 32768;
  Set(P.maxTexture1DLayered, {32768, 2048});
  Set(P.maxTexture2DLayered, {32768, 32768, 2048});
  Set(P.maxTextureCubemapLayered, {32768, 2046});
  P.maxSurface1D = 32768;
  Set(P.maxSurface2D, {131072, 65536});
  Set(P.maxSurface3D, {16384, 16384, 16384});
  Set(P.maxSurface1DLayered, {32768, 2048});
  Set(P.maxSurface2DLayered, {32768, 32768, 2048});
  P.maxSurfaceCubemap = 32768;
  Set(P.maxSurfaceCubemapLayered, {32768, 2046});
}

/// A domain that hosts have no devices in: programs look in /sys for what is at
/// a device's place, where they shall not find another one.
static constexpr int PCIDomain = 0x4844;

/// What the name of a part of a device ends with.
static std::string partOf(const DeviceDescription &Device) {
  const auto &Part = Device.Machine.Part;
  return Part ? " MIG " +
                    partitions::nameOf(*Part, Device.Properties.MemoryBytes)
              : "";
}

cudaDeviceProp heddle::cuda::propertiesOf(const DeviceDescription &Device) {
  const rt::DeviceProperties &D = Device.Properties;
  cudaDeviceProp P = {};
  std::snprintf(P.name, sizeof(P.name), "%s %s%s", Device.Name.c_str(),
                Device.Chip.c_str(), partOf(Device).c_str());
  llvm::copy(Device.Machine.uuid(), P.uuid.bytes);
  P.pciDomainID = PCIDomain;
  P.pciBusID = Device.Machine.Index;
  P.totalGlobalMem = D.MemoryBytes;
  P.sharedMemPerBlock = DefaultSharedBytes;
  P.regsPerBlock = D.RegistersPerCore;
  P.warpSize = D.WarpSize;
  P.memPitch = 0x7FFFFFFF;
  P.maxThreadsPerBlock = D.ThreadsPerCTA;
  auto SetExtents = [](int (&To)[3], const rt::Dim3 &From) {
    To[0] = From.X;
    To[1] = From.Y;
    To[2] = From.Z;
  };
  SetExtents(P.maxThreadsDim, rt::MaxBlock);
  SetExtents(P.maxGridSize, rt::MaxGrid);
  P.totalConstMem = ConstantBytes;
  Process::ComputeCapability Capability = Process::computeCapability();
  P.major = Capability.Major;
  P.minor = Capability.Minor;
  P.textureAlignment = 512;
  P.texturePitchAlignment = 32;
  P.multiProcessorCount = D.Cores;
  P.canMapHostMemory = 1;
  P.surfaceAlignment = 512;
  setImageLimits(P);
  P.concurrentKernels = 1;
  P.asyncEngineCount = 2;
  P.unifiedAddressing = 1;
  P.l2CacheSize = D.L2Bytes;
  P.persistingL2CacheMaxSize =
      mostPersistingBytes(D, Device.Machine.Part.has_value());
  P.accessPolicyMaxWindowSize = LargestPolicyWindow;
  P.maxThreadsPerMultiProcessor = D.WarpsPerCore * D.WarpSize;
  P.streamPrioritiesSupported = 1;
  P.globalL1CacheSupported = P.localL1CacheSupported = 1;
  P.sharedMemPerMultiprocessor = D.SharedBytesPerCore;
  P.regsPerMultiprocessor = D.RegistersPerCore;
  P.managedMemory = P.concurrentManagedAccess = 1;
  P.hostNativeAtomicSupported = 1;
  P.canUseHostPointerForRegisteredMem = P.hostRegisterSupported = 1;
  P.cooperativeLaunch = 1;
  P.sharedMemPerBlockOptin = D.SharedBytesPerCTA;
  P.directManagedMemAccessFromHost = 1;
  P.maxBlocksPerMultiProcessor = D.CTAsPerCore;
  P.clusterLaunch = 1;
  P.memoryPoolsSupported = P.sparseCudaArraySupported = 1;
  P.memoryPoolSupportedHandleTypes = VirtualMemory::FileDescriptor;
  P.ipcEventSupported = 1;
  P.deviceNumaId = P.hostNumaId = -1;
  // Bits a cycle at twice the memory clock, which is taken to be the core's.
  P.memoryBusWidth =
      D.ClockMHz ? D.MemoryBytesPerSecond * 8 / (D.ClockMHz * 2'000'000ull) : 0;
  return P;
}

/// Fills in what a device is, which opens it.
static cudaError_t describe(int Device, cudaDeviceProp &P,
                            DeviceDescription *Description = nullptr) {
  if (Expected<unsigned> Count = Process::get().countDevices(); !Count)
    return convert(Count.takeError(), cudaErrorNoDevice);
  ProcessDevice *D = Process::get().device(Device);
  if (!D)
    return cudaErrorInvalidDevice;
  if (Expected<rt::Context &> C = Process::get().context(Device); !C)
    return convert(C.takeError(), cudaErrorNoDevice);
  Expected<DeviceDescription> Found = D->describe();
  if (!Found)
    return convert(Found.takeError(), cudaErrorNoDevice);
  P = propertiesOf(*Found);
  if (Description)
    *Description = std::move(*Found);
  return cudaSuccess;
}

extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp *Properties,
                                               int Device) {
  CallerScope Caller(__builtin_return_address(0));
  if (!Properties)
    return finish(cudaErrorInvalidValue);
  return finish(describe(Device, *Properties));
}

extern "C" cudaError_t cudaDeviceGetAttribute(int *Value, int Attribute,
                                              int Device) {
  CallerScope Caller(__builtin_return_address(0));
  if (!Value)
    return finish(cudaErrorInvalidValue);
  DeviceDescription D;
  cudaDeviceProp P;
  if (cudaError_t Code = describe(Device, P, &D); Code != cudaSuccess)
    return finish(Code);
  switch (Attribute) {
#define HEDDLE_CUDA_ATTRIBUTE(Number, Name, Result)                            \
  case Number:                                                                 \
    *Value = static_cast<int>(Result);                                         \
    return cudaSuccess;
#include "Runtime/Attributes.def"
  default:
    return finish(cudaErrorInvalidValue);
  }
}

extern "C" cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(
    size_t *Texels, const cudaChannelFormatDesc *Format, int Device) {
  rt::ImageDesc Image;
  if (!Process::get().device(Device))
    return finish(cudaErrorInvalidDevice);
  if (!Texels || !Format)
    return finish(cudaErrorInvalidValue);
  if (cudaError_t Code = formatOf(*Format, /*Normalized=*/false, Image);
      Code != cudaSuccess)
    return finish(Code);
  *Texels = MaxLinearTexels;
  return cudaSuccess;
}

extern "C" cudaError_t cudaGetDevice(int *Device) {
  if (!Device)
    return finish(cudaErrorInvalidValue);
  *Device = currentDevice();
  return cudaSuccess;
}

extern "C" cudaError_t cudaSetDevice(int Device) {
  if (Expected<unsigned> Count = Process::get().countDevices(); !Count)
    return finish(convert(Count.takeError(), cudaErrorNoDevice));
  if (!Process::get().device(Device))
    return finish(cudaErrorInvalidDevice);
  if (Expected<rt::Context &> C = Process::get().context(Device); !C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  makePrimaryCurrent(Device);
  return cudaSuccess;
}

/// Leaves the thread's device as it is.
extern "C" cudaError_t cudaInitDevice(int Device, unsigned, unsigned) {
  if (!Process::get().device(Device))
    return finish(cudaErrorInvalidDevice);
  Expected<rt::Context &> C = Process::get().context(Device);
  return C ? cudaSuccess : finish(convert(C.takeError(), cudaErrorNoDevice));
}

extern "C" cudaError_t cudaChooseDevice(int *Device, const cudaDeviceProp *) {
  return cudaGetDevice(Device);
}

extern "C" cudaError_t cudaSetValidDevices(int *, int) { return cudaSuccess; }

extern "C" cudaError_t cudaSetDeviceFlags(unsigned) { return cudaSuccess; }

extern "C" cudaError_t cudaGetDeviceFlags(unsigned *Flags) {
  *Flags = 0;
  return cudaSuccess;
}

bool heddle::cuda::isPCIBusIdOf(const cudaDeviceProp &P, StringRef Id) {
  auto Is = [](StringRef Digits, int Number) {
    unsigned Value;
    return !Digits.getAsInteger(16, Value) && Value == unsigned(Number);
  };
  auto [Place, Function] = Id.split('.');
  auto [Bus, Slot] = Place.rsplit(':');
  if (Bus.contains(':')) {
    StringRef Domain;
    std::tie(Domain, Bus) = Bus.rsplit(':');
    if (!Is(Domain, P.pciDomainID))
      return false;
  }
  return Is(Bus, P.pciBusID) && Is(Slot, P.pciDeviceID) &&
         (Function.empty() || Is(Function, 0));
}

extern "C" cudaError_t cudaDeviceGetPCIBusId(char *Id, int Length, int Device) {
  ProcessDevice *D = Process::get().device(Device);
  if (!Id || Length < 13 || !D)
    return finish(D ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
  std::snprintf(Id, Length, "%04X:%02X:00.0", PCIDomain, D->Machine.Index);
  return cudaSuccess;
}

extern "C" cudaError_t cudaDeviceGetByPCIBusId(int *Device, const char *Id) {
  if (!Device || !Id)
    return finish(cudaErrorInvalidValue);
  cudaDeviceProp P;
  for (int I = 0; Process::get().device(I); ++I) {
    if (cudaError_t Code = describe(I, P); Code != cudaSuccess)
      return finish(Code);
    if (isPCIBusIdOf(P, Id)) {
      *Device = I;
      return cudaSuccess;
    }
  }
  return finish(cudaErrorInvalidDevice);
}

extern "C" cudaError_t cudaDeviceSynchronize() {
  if (cudaError_t Code = refuseDuringCapture(); Code != cudaSuccess)
    return finish(Code);
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  Error Failed = C->synchronize();
  Process::get().Pools.settle();
  return finish(convert(std::move(Failed), cudaErrorUnknown));
}

extern "C" cudaError_t cudaDeviceReset() {
  Process::get().reset();
  lastError(true);
  return cudaSuccess;
}

extern "C" cudaError_t cudaDeviceGetStreamPriorityRange(int *Least,
                                                        int *Greatest) {
  if (Least)
    *Least = 0;
  if (Greatest)
    *Greatest = 0;
  return cudaSuccess;
}

extern "C" cudaError_t cudaDeviceGetLimit(size_t *Value, unsigned Limit) {
  ProcessDevice *D = Process::get().device();
  if (!D)
    return finish(cudaErrorNoDevice);
  auto &Limits = D->Limits;
  if (!Value || Limit >= Limits.size())
    return finish(Value ? cudaErrorUnsupportedLimit : cudaErrorInvalidValue);
  *Value = Limits[Limit];
  return cudaSuccess;
}

extern "C" cudaError_t cudaDeviceSetLimit(unsigned Limit, size_t Value) {
  ProcessDevice *D = Process::get().device();
  if (!D)
    return finish(cudaErrorNoDevice);
  auto &Limits = D->Limits;
  if (Limit >= Limits.size())
    return finish(cudaErrorUnsupportedLimit);
  // Of the cache a program gets at most what there is.
  constexpr unsigned FetchGranularity = 5, PersistingBytes = 6;
  if (Limit == FetchGranularity)
    Value = std::min<size_t>(Value, 128);
  if (Limit == PersistingBytes) {
    cudaDeviceProp P;
    if (cudaError_t Code = describe(currentDevice(), P); Code != cudaSuccess)
      return finish(Code);
    Value = std::min<size_t>(Value, P.persistingL2CacheMaxSize);
  }
  Limits[Limit] = Value;
  return cudaSuccess;
}

extern "C" cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }

// Settings that the device does not need.

extern "C" cudaError_t cudaDeviceSetCacheConfig(int) { return cudaSuccess; }

extern "C" cudaError_t cudaDeviceGetCacheConfig(int *Config) {
  *Config = 0;
  return cudaSuccess;
}

extern "C" cudaError_t cudaDeviceSetSharedMemConfig(int) { return cudaSuccess; }

extern "C" cudaError_t cudaDeviceGetSharedMemConfig(int *Config) {
  *Config = 0;
  return cudaSuccess;
}

extern "C" cudaError_t cudaProfilerStart() { return cudaSuccess; }
extern "C" cudaError_t cudaProfilerStop() { return cudaSuccess; }

extern "C" cudaError_t cudaRuntimeGetVersion(int *Version) {
  *Version = CUDAVersion;
  return cudaSuccess;
}

extern "C" cudaError_t cudaDriverGetVersion(int *Version) {
  *Version = CUDAVersion;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

extern "C" cudaError_t cudaGetLastError() { return lastError(true); }

extern "C" cudaError_t cudaPeekAtLastError() { return lastError(false); }

extern "C" const char *cudaGetErrorName(cudaError_t Code) {
  switch (Code) {
#define HEDDLE_CUDA_ERROR(Name, Value, Text)                                   \
  case Name:                                                                   \
    return #Name;
#include "heddle/Runtime/CudaErrors.def"
  }
  return "unrecognized error code";
}

extern "C" const char *cudaGetErrorString(cudaError_t Code) {
  switch (Code) {
#define HEDDLE_CUDA_ERROR(Name, Value, Text)                                   \
  case Name:                                                                   \
    return Text;
#include "heddle/Runtime/CudaErrors.def"
  }
  return "unrecognized error code";
}
