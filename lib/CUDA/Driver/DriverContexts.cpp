//===- DriverContexts.cpp - Devices and contexts ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Initialisation, the device, and which context a thread has.
//
//===----------------------------------------------------------------------===//

#include "CallerCapability.h"
#include "Driver/Driver.h"
#include "Runtime/Device.h"
#include "Runtime/HostFunctions.h"
#include "Runtime/Runtime.h"
#include "ThreadValue.h"
#include "heddle/Support/CUDAVersion.h"

#include <cstdio>
#include <cstring>

using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static std::atomic<bool> IsInitialised{false};
/// The primary contexts; their groups are the first ones.
static ContextHandle &primary(unsigned Device) {
  static auto *Made = [] { // see Process.h
    auto *All = new ContextHandle[emu::MaxDevices];
    for (unsigned I = 0; I != emu::MaxDevices; ++I) {
      All[I].Device = All[I].Group = I;
      All[I].IsPrimary = true;
    }
    return All;
  }();
  return Made[Device];
}
static bool isPrimary(CUcontext Context) {
  return Context >= &primary(0) && Context < &primary(0) + emu::MaxDevices;
}
static HandleSet<ContextHandle> &contexts() {
  static auto *Made = new HandleSet<ContextHandle>; // see Process.h
  return *Made;
}
namespace {
/// The current context is the last one; null ones may be pushed too.
struct ContextStack : std::vector<CUcontext> {};
} // namespace

static ContextStack &stack() { return threadValue<ContextStack>(); }

/// The runtime API works in the primary context, and makes it the thread's if
/// there is none.
CUcontext heddle::cuda::currentContext() {
  if (stack().empty() && threadUsesRuntime())
    stack().push_back(&primary(0));
  return stack().empty() ? nullptr : stack().back();
}

void heddle::cuda::makePrimaryCurrent(unsigned Device) {
  if (!stack().empty())
    stack().pop_back();
  stack().push_back(&primary(Device));
}

unsigned heddle::cuda::currentDevice() {
  CUcontext Context = stack().empty() ? nullptr : stack().back();
  return isContext(Context) ? Context->Device : 0;
}

DeviceScope::DeviceScope(unsigned Device) {
  stack().push_back(&primary(Device));
}
DeviceScope::~DeviceScope() { stack().pop_back(); }

bool heddle::cuda::isDevice(CUdevice Device) {
  return Process::get().device(Device);
}

CUresult heddle::cuda::driverCode(cudaError_t Code) {
  switch (static_cast<int>(Code)) {
#define HEDDLE_CU_ERROR(Value, Text) case Value:
#include "Driver/DriverErrors.def"
    return Code;
  case cudaErrorInvalidSymbol:
    return cudaErrorSymbolNotFound;
  case cudaErrorInvalidDeviceFunction:
    return cudaErrorInvalidResourceHandle;
  default:
    return cudaErrorInvalidValue;
  }
}

CUcontext heddle::cuda::primaryContext(unsigned Device) {
  return &primary(Device);
}

CUcontext heddle::cuda::contextOfGroup(unsigned Group) {
  if (Group < emu::MaxDevices)
    return &primary(Group);
  return contexts().find(
      [=](const ContextHandle &C) { return C.Group == Group; });
}

unsigned heddle::cuda::currentStreamGroup() {
  CUcontext Context = stack().empty() ? nullptr : stack().back();
  return isContext(Context) ? Context->Group : 0;
}

CUcontext heddle::cuda::addContext(unsigned Device, unsigned Flags,
                                   unsigned Cores) {
  static std::atomic<unsigned> NumGroups{emu::MaxDevices};
  auto Context = std::make_unique<ContextHandle>();
  Context->Device = Device;
  Context->Flags = Flags;
  Context->Cores = Cores;
  Context->Group = NumGroups++;
  return contexts().add(std::move(Context));
}

bool heddle::cuda::endContext(CUcontext Context) {
  if (!contexts().contains(Context))
    return false;
  {
    DeviceScope Scope(Context->Device);
    cudaDeviceSynchronize();
  }
  Process::get().Storage.end(Context);
  if (currentContext() == Context)
    stack().pop_back();
  contexts().remove(Context);
  return true;
}

bool heddle::cuda::isContext(CUcontext Context) {
  return isPrimary(Context) || contexts().contains(Context);
}

DriverCall::DriverCall() : Saved(savedError()) { ++DriverDepth; }
DriverCall::~DriverCall() {
  --DriverDepth;
  restoreError(Saved);
}

namespace {
/// CUctxCreateParams.
struct CreateParameters {
  const void *ExecAffinity;
  int NumExecAffinity;
  const void *Graphics;
};
} // namespace

CUresult DriverCall::initialised() const {
  return !Process::isForked() && (IsInitialised || runtimeIsInUse())
             ? cudaSuccess
             : cudaErrorInitializationError;
}

CUresult DriverCall::context() const {
  if (HostFunctionScope::isActive())
    return cudaErrorNotPermitted;
  if (CUresult Code = initialised(); Code != cudaSuccess)
    return Code;
  return isContext(currentContext()) ? cudaSuccess
                                     : cudaErrorDeviceUninitialized;
}

/// Fills in something from the properties of the device.
template <typename Fn>
static CUresult fromProperties(CUdevice Device, Fn Fill) {
  return afterInit([&] {
    cudaDeviceProp P;
    CUresult Code = cudaGetDeviceProperties(&P, Device);
    if (Code == cudaSuccess)
      Fill(P);
    return Code;
  });
}

extern "C" {

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

CUresult cuInit(unsigned Flags) {
  DriverCall Call;
  if (Flags)
    return cudaErrorInvalidValue;
  int Count;
  CUresult Code = cudaGetDeviceCount(&Count);
  IsInitialised = Code == cudaSuccess;
  return Code;
}

CUresult cuDriverGetVersion(int *Version) {
  if (!Version)
    return cudaErrorInvalidValue;
  *Version = CUDAVersion;
  return cudaSuccess;
}

CUresult cuDeviceGetCount(int *Count) {
  return afterInit(cudaGetDeviceCount, Count);
}

CUresult cuDeviceGet(CUdevice *Device, int Ordinal) {
  DriverCall Call;
  if (CUresult Code = Call.initialised(); Code != cudaSuccess)
    return Code;
  if (!Device || !isDevice(Ordinal))
    return Device ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
  *Device = Ordinal;
  return cudaSuccess;
}

CUresult cuDeviceGetName(char *Name, int Length, CUdevice Device) {
  if (!Name || Length <= 0)
    return cudaErrorInvalidValue;
  return fromProperties(Device, [&](const cudaDeviceProp &P) {
    std::snprintf(Name, Length, "%s", P.name);
  });
}

CUresult cuDeviceGetUuid(cudaUUID_t *Uuid, CUdevice Device) {
  if (!Uuid)
    return cudaErrorInvalidValue;
  return fromProperties(Device,
                        [&](const cudaDeviceProp &P) { *Uuid = P.uuid; });
}

CUresult cuDeviceGetUuid_v2(cudaUUID_t *Uuid, CUdevice Device) {
  return cuDeviceGetUuid(Uuid, Device);
}

CUresult cuDeviceTotalMem_v2(size_t *Bytes, CUdevice Device) {
  if (!Bytes)
    return cudaErrorInvalidValue;
  return fromProperties(
      Device, [&](const cudaDeviceProp &P) { *Bytes = P.totalGlobalMem; });
}

CUresult cuDeviceComputeCapability(int *Major, int *Minor, CUdevice Device) {
  CallerScope Caller(__builtin_return_address(0));
  if (!Major || !Minor)
    return cudaErrorInvalidValue;
  return fromProperties(Device, [&](const cudaDeviceProp &P) {
    *Major = P.major;
    *Minor = P.minor;
  });
}

CUresult cuDeviceGetAttribute(int *Value, int Attribute, CUdevice Device) {
  CallerScope Caller(__builtin_return_address(0));
  return afterInit(cudaDeviceGetAttribute, Value, Attribute, Device);
}

CUresult cuDeviceGetPCIBusId(char *Id, int Length, CUdevice Device) {
  return afterInit(cudaDeviceGetPCIBusId, Id, Length, Device);
}

CUresult cuDeviceGetByPCIBusId(CUdevice *Device, const char *Id) {
  return afterInit(cudaDeviceGetByPCIBusId, Device, Id);
}

CUresult cuDeviceGetDefaultMemPool(cudaMemPool_t *Pool, CUdevice Device) {
  return afterInit(cudaDeviceGetDefaultMemPool, Pool, Device);
}

CUresult cuDeviceGetMemPool(cudaMemPool_t *Pool, CUdevice Device) {
  return afterInit(cudaDeviceGetMemPool, Pool, Device);
}

CUresult cuDeviceGraphMemTrim(CUdevice Device) {
  return afterInit(cudaDeviceGraphMemTrim, Device);
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice Device, unsigned Attribute,
                                      void *Value) {
  return afterInit(cudaDeviceGetGraphMemAttribute, Device, Attribute, Value);
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice Device, unsigned Attribute,
                                      void *Value) {
  return afterInit(cudaDeviceSetGraphMemAttribute, Device, Attribute, Value);
}

CUresult cuDeviceSetMemPool(CUdevice Device, cudaMemPool_t Pool) {
  return afterInit(cudaDeviceSetMemPool, Device, Pool);
}

/// CUdevprop.
struct DeviceProperties {
  int ThreadsPerBlock, BlockExtents[3], GridExtents[3], SharedBytes,
      ConstantBytes, WarpSize, Pitch, Registers, ClockKHz, TextureAlignment;
};

CUresult cuDeviceGetProperties(DeviceProperties *To, CUdevice Device) {
  if (!To)
    return cudaErrorInvalidValue;
  return fromProperties(Device, [&](const cudaDeviceProp &P) {
    *To = {P.maxThreadsPerBlock,
           {P.maxThreadsDim[0], P.maxThreadsDim[1], P.maxThreadsDim[2]},
           {P.maxGridSize[0], P.maxGridSize[1], P.maxGridSize[2]},
           static_cast<int>(P.sharedMemPerBlock),
           static_cast<int>(P.totalConstMem),
           P.warpSize,
           static_cast<int>(P.memPitch),
           P.regsPerBlock,
           static_cast<int>(
               Process::get().device(Device)->properties().ClockMHz * 1000),
           static_cast<int>(P.textureAlignment)};
  });
}

/// The only type of CUexecAffinityType: contexts limited to some cores, which
/// only servers of several processes make.
static constexpr int CoreCountAffinity = 0;

CUresult cuDeviceGetExecAffinitySupport(int *IsSupported, int Type,
                                        CUdevice Device) {
  return afterInit([=] {
    if (!isDevice(Device))
      return cudaErrorInvalidDevice;
    if (!IsSupported || Type != CoreCountAffinity)
      return cudaErrorInvalidValue;
    *IsSupported = 0;
    return cudaSuccess;
  });
}

CUresult cuDeviceGetHostAtomicCapabilities(unsigned *Capabilities,
                                           const int *Operations,
                                           unsigned Count, CUdevice Device) {
  return afterInit(cudaDeviceGetHostAtomicCapabilities, Capabilities,
                   Operations, Count, Device);
}

CUresult cuDeviceGetP2PAtomicCapabilities(unsigned *Capabilities,
                                          const int *Operations, unsigned Count,
                                          CUdevice From, CUdevice To) {
  return afterInit(cudaDeviceGetP2PAtomicCapabilities, Capabilities, Operations,
                   Count, From, To);
}

CUresult cuDeviceRegisterAsyncNotification(CUdevice Device,
                                           cudaAsyncCallback Callback,
                                           void *UserData,
                                           cudaAsyncCallbackHandle_t *Handle) {
  return afterInit(cudaDeviceRegisterAsyncNotification, Device, Callback,
                   UserData, Handle);
}

CUresult cuDeviceUnregisterAsyncNotification(CUdevice Device,
                                             cudaAsyncCallbackHandle_t Handle) {
  return afterInit(cudaDeviceUnregisterAsyncNotification, Device, Handle);
}

//===----------------------------------------------------------------------===//
// The primary context
//===----------------------------------------------------------------------===//

CUresult cuDevicePrimaryCtxRetain(CUcontext *Context, CUdevice Device) {
  DriverCall Call;
  if (CUresult Code = Call.initialised(); Code != cudaSuccess)
    return Code;
  if (!Context || !isDevice(Device))
    return Context ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
  ++primary(Device).Retained;
  *Context = &primary(Device);
  return cudaSuccess;
}

/// Its memory stays: the runtime API works in the same context.
CUresult cuDevicePrimaryCtxRelease_v2(CUdevice Device) {
  if (!isDevice(Device))
    return cudaErrorInvalidDevice;
  if (primary(Device).Retained == 0)
    return cudaErrorDeviceUninitialized;
  --primary(Device).Retained;
  return cudaSuccess;
}

CUresult cuDevicePrimaryCtxReset_v2(CUdevice Device) {
  if (!isDevice(Device))
    return cudaErrorInvalidDevice;
  DeviceScope Scope(Device);
  return afterInit(cudaDeviceReset);
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice Device, unsigned Flags) {
  if (!isDevice(Device))
    return cudaErrorInvalidDevice;
  primary(Device).Flags = Flags;
  return cudaSuccess;
}

CUresult cuDevicePrimaryCtxGetState(CUdevice Device, unsigned *Flags,
                                    int *Active) {
  if (!isDevice(Device))
    return cudaErrorInvalidDevice;
  if (!Flags || !Active)
    return cudaErrorInvalidValue;
  *Flags = primary(Device).Flags;
  // The runtime API works in it without retaining it.
  ProcessDevice *Used = Process::get().device(Device);
  *Active = primary(Device).Retained != 0 || (Used && Used->opened());
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

CUresult cuCtxCreate_v2(CUcontext *Context, unsigned Flags, CUdevice Device) {
  DriverCall Call;
  if (CUresult Code = Call.initialised(); Code != cudaSuccess)
    return Code;
  if (!Context || !isDevice(Device))
    return Context ? cudaErrorInvalidDevice : cudaErrorInvalidValue;
  *Context = addContext(Device, Flags, 0);
  stack().push_back(*Context);
  return cudaSuccess;
}

CUresult cuCtxCreate_v3(CUcontext *Context, const void *, int NumExecAffinity,
                        unsigned Flags, CUdevice Device) {
  return NumExecAffinity ? cudaErrorUnsupportedExecAffinity
                         : cuCtxCreate_v2(Context, Flags, Device);
}

CUresult cuCtxCreate_v4(CUcontext *Context, const CreateParameters *P,
                        unsigned Flags, CUdevice Device) {
  if (P && P->ExecAffinity)
    return cudaErrorUnsupportedExecAffinity;
  return P && P->Graphics ? cudaErrorNotSupported
                          : cuCtxCreate_v2(Context, Flags, Device);
}

CUresult cuCtxDestroy_v2(CUcontext Context) {
  DriverCall Call;
  if (contexts().contains(Context) && Context->isGreen())
    return cudaErrorDeviceUninitialized; // cuGreenCtxDestroy ends it.
  return endContext(Context) ? cudaSuccess : cudaErrorDeviceUninitialized;
}

/// The primary context is counted by its own calls.
CUresult cuCtxAttach(CUcontext *Context, unsigned Flags) {
  return inContext([=] {
    if (!Context || Flags)
      return cudaErrorInvalidValue;
    *Context = currentContext();
    ++(*Context)->Users;
    return cudaSuccess;
  });
}

CUresult cuCtxDetach(CUcontext Context) {
  if (!isContext(Context))
    return cudaErrorDeviceUninitialized;
  unsigned Users = Context->Users;
  while (Users > 1)
    if (Context->Users.compare_exchange_weak(Users, Users - 1))
      return cudaSuccess;
  return cuCtxDestroy_v2(Context);
}

CUresult cuCtxPushCurrent_v2(CUcontext Context) {
  if (Context && !isContext(Context))
    return cudaErrorDeviceUninitialized;
  stack().push_back(Context);
  return cudaSuccess;
}

CUresult cuCtxPopCurrent_v2(CUcontext *Context) {
  if (stack().empty())
    return cudaErrorDeviceUninitialized;
  if (Context)
    *Context = stack().back();
  stack().pop_back();
  return cudaSuccess;
}

CUresult cuCtxSetCurrent(CUcontext Context) {
  if (Context && !isContext(Context))
    return cudaErrorDeviceUninitialized;
  if (!stack().empty())
    stack().pop_back();
  if (Context)
    stack().push_back(Context);
  return cudaSuccess;
}

CUresult cuCtxGetCurrent(CUcontext *Context) {
  DriverCall Call;
  if (CUresult Code = Call.initialised(); Code != cudaSuccess)
    return Code;
  if (!Context)
    return cudaErrorInvalidValue;
  *Context = currentContext();
  return cudaSuccess;
}

CUresult cuCtxGetDevice(CUdevice *Device) {
  return inContext([=] {
    if (!Device)
      return cudaErrorInvalidValue;
    *Device = currentContext()->Device;
    return cudaSuccess;
  });
}

CUresult cuCtxGetDevice_v2(CUdevice *Device, CUcontext Context) {
  return afterInit([=] {
    if (!Device)
      return cudaErrorInvalidValue;
    CUcontext Asked = Context ? Context : currentContext();
    if (!isContext(Asked))
      return cudaErrorDeviceUninitialized;
    *Device = Asked->Device;
    return cudaSuccess;
  });
}

CUresult cuCtxGetFlags(unsigned *Flags) {
  return inContext([=] {
    if (!Flags)
      return cudaErrorInvalidValue;
    *Flags = currentContext()->Flags;
    return cudaSuccess;
  });
}

CUresult cuCtxSetFlags(unsigned Flags) {
  constexpr unsigned AllFlags = 0xFF;
  return inContext([=] {
    if (Flags > AllFlags)
      return cudaErrorInvalidValue;
    currentContext()->Flags = Flags;
    return cudaSuccess;
  });
}

CUresult cuCtxGetId(CUcontext Context, unsigned long long *Id) {
  if (!Context)
    Context = currentContext();
  if (!Id || !isContext(Context))
    return cudaErrorDeviceUninitialized;
  *Id = 1 + Context->Group;
  return cudaSuccess;
}

CUresult cuCtxGetApiVersion(CUcontext Context, unsigned *Version) {
  if (!Version || (Context && !isContext(Context)))
    return cudaErrorDeviceUninitialized;
  *Version = CUDAVersion;
  return cudaSuccess;
}

CUresult cuCtxSynchronize() { return inContext(cudaDeviceSynchronize); }

/// All contexts share what is on the device.
CUresult cuCtxSynchronize_v2(CUcontext Context) {
  return afterInit([=] {
    CUcontext Asked = Context ? Context : currentContext();
    if (!isContext(Asked))
      return cudaErrorDeviceUninitialized;
    DeviceScope Scope(Asked->Device);
    return cudaDeviceSynchronize();
  });
}

CUresult cuCtxGetExecAffinity(void *Affinity, int Type) {
  return inContext([=] {
    return Affinity && Type == CoreCountAffinity
               ? cudaErrorUnsupportedExecAffinity
               : cudaErrorInvalidValue;
  });
}

CUresult cuCtxGetStreamPriorityRange(int *Least, int *Greatest) {
  return inContext(cudaDeviceGetStreamPriorityRange, Least, Greatest);
}

CUresult cuCtxGetLimit(size_t *Value, unsigned Limit) {
  // CU_LIMIT_CIG_ENABLED: no context shares the device with graphics.
  constexpr unsigned SharesWithGraphics = 8;
  return inContext([=] {
    if (Limit != SharesWithGraphics || !Value)
      return cudaDeviceGetLimit(Value, Limit);
    *Value = 0;
    return cudaSuccess;
  });
}

CUresult cuCtxSetLimit(unsigned Limit, size_t Value) {
  return inContext(cudaDeviceSetLimit, Limit, Value);
}

// Hints, of which the device needs none.

CUresult cuCtxResetPersistingL2Cache() {
  return inContext(cudaCtxResetPersistingL2Cache);
}

CUresult cuCtxGetCacheConfig(int *Config) {
  return inContext([=] {
    *Config = 0;
    return cudaSuccess;
  });
}

CUresult cuCtxSetCacheConfig(int) {
  return inContext([] { return cudaSuccess; });
}

CUresult cuCtxGetSharedMemConfig(int *Config) {
  return cuCtxGetCacheConfig(Config);
}

CUresult cuCtxSetSharedMemConfig(int) { return cuCtxSetCacheConfig(0); }

/// What drivers say since CUDA 12.
CUresult cuProfilerInitialize(const char *, const char *, int) {
  return cudaErrorNotSupported;
}
CUresult cuProfilerStart() { return cudaSuccess; }
CUresult cuProfilerStop() { return cudaSuccess; }

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

CUresult cuGetErrorName(CUresult Code, const char **Name) {
  if (!Name)
    return cudaErrorInvalidValue;
  switch (static_cast<int>(Code)) {
#define HEDDLE_CU_ERROR(Value, Text)                                           \
  case Value:                                                                  \
    *Name = #Text;                                                             \
    return cudaSuccess;
#include "Driver/DriverErrors.def"
  default:
    *Name = nullptr;
    return cudaErrorInvalidValue;
  }
}

CUresult cuGetErrorString(CUresult Code, const char **Text) {
  if (CUresult Known = cuGetErrorName(Code, Text); Known != cudaSuccess)
    return Known;
  *Text = cudaGetErrorString(Code);
  return cudaSuccess;
}

} // extern "C"
