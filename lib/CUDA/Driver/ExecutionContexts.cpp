//===- ExecutionContexts.cpp - Parts of the device --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An execution context of the runtime is a context of the driver: the primary
// one or a green one. The functions are the driver's under other names.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "PerThread.h"
#include "Runtime/Runtime.h"
#include "Runtime/RuntimeGraphs.h"

using namespace heddle::cuda;

extern "C" {
CUresult cuInit(unsigned);
CUresult cuDeviceGetDevResource(CUdevice, void *, int);
CUresult cuCtxGetDevResource(CUcontext, void *, int);
CUresult cuDevSmResourceSplitByCount(void *, unsigned *, const void *, void *,
                                     unsigned, unsigned);
CUresult cuDevSmResourceSplit(void *, unsigned, const void *, void *, unsigned,
                              void *);
CUresult cuDevResourceGenerateDesc(void **, const void *, unsigned);
CUresult cuGreenCtxCreate(CUcontext *, void *, CUdevice, unsigned);
CUresult cuGreenCtxDestroy(CUcontext);
CUresult cuGreenCtxStreamCreate(cudaStream_t *, CUcontext, unsigned, int);
CUresult cuCtxRecordEvent(CUcontext, cudaEvent_t);
CUresult cuCtxWaitEvent(CUcontext, cudaEvent_t);
CUresult cuStreamGetDevResource(cudaStream_t, void *, int);
}

/// Calls a function of the driver, which the runtime initialises by itself.
template <typename Fn, typename... Args>
static cudaError_t callDriver(Fn Function, Args... Arguments) {
  if (CUresult Code = cuInit(0); Code != cudaSuccess)
    return finish(Code);
  return finish(Function(Arguments...));
}

extern "C" {

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

cudaError_t cudaDeviceGetDevResource(int Device, void *Resource, int Type) {
  return callDriver(cuDeviceGetDevResource, Device, Resource, Type);
}

cudaError_t cudaExecutionCtxGetDevResource(CUcontext Context, void *Resource,
                                           int Type) {
  return callDriver(cuCtxGetDevResource, Context, Resource, Type);
}

cudaError_t cudaStreamGetDevResource(cudaStream_t Stream, void *Resource,
                                     int Type) {
  return callDriver(cuStreamGetDevResource, Stream, Resource, Type);
}

cudaError_t cudaDevSmResourceSplitByCount(void *Parts, unsigned *Count,
                                          const void *Input, void *Rest,
                                          unsigned Flags, unsigned Least) {
  return callDriver(cuDevSmResourceSplitByCount, Parts, Count, Input, Rest,
                    Flags, Least);
}

cudaError_t cudaDevSmResourceSplit(void *Groups, unsigned Count,
                                   const void *Input, void *Rest,
                                   unsigned Flags, void *Params) {
  return callDriver(cuDevSmResourceSplit, Groups, Count, Input, Rest, Flags,
                    Params);
}

cudaError_t cudaDevResourceGenerateDesc(void **Description,
                                        const void *Resources, unsigned Count) {
  return callDriver(cuDevResourceGenerateDesc, Description, Resources, Count);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

cudaError_t cudaDeviceGetExecutionCtx(CUcontext *Context, int Device) {
  return callDriver([=] {
    if (!Context)
      return cudaErrorInvalidValue;
    if (!isDevice(Device))
      return cudaErrorInvalidDevice;
    *Context = primaryContext(Device);
    return cudaSuccess;
  });
}

/// The driver's has a flag, which it wants, for what the runtime's is always.
cudaError_t cudaGreenCtxCreate(CUcontext *Context, void *Description,
                               int Device, unsigned Flags) {
  constexpr unsigned WithDefaultStream = 1;
  if (Flags)
    return finish(cudaErrorInvalidValue);
  return callDriver(cuGreenCtxCreate, Context, Description, Device,
                    WithDefaultStream);
}

cudaError_t cudaExecutionCtxDestroy(CUcontext Context) {
  return callDriver(cuGreenCtxDestroy, Context);
}

cudaError_t cudaExecutionCtxGetDevice(int *Device, CUcontext Context) {
  return callDriver([=] {
    if (!Device || !isContext(Context))
      return cudaErrorInvalidValue;
    *Device = Context->Device;
    return cudaSuccess;
  });
}

cudaError_t cudaExecutionCtxGetId(CUcontext Context, unsigned long long *Id) {
  return callDriver([=] {
    return isContext(Context) ? cuCtxGetId(Context, Id) : cudaErrorInvalidValue;
  });
}

/// A green context's streams never wait for the default one.
cudaError_t cudaExecutionCtxStreamCreate(cudaStream_t *Stream,
                                         CUcontext Context, unsigned Flags,
                                         int Priority) {
  return callDriver([=] {
    if (!isContext(Context) || Flags > cudaStreamNonBlocking)
      return cudaErrorInvalidValue;
    return Context->isGreen()
               ? cuGreenCtxStreamCreate(Stream, Context, cudaStreamNonBlocking,
                                        Priority)
               : cudaStreamCreateWithPriority(Stream, Flags, Priority);
  });
}

/// Waits for all of the device, which is more than is asked for.
cudaError_t cudaExecutionCtxSynchronize(CUcontext Context) {
  return callDriver([=] {
    return isContext(Context) ? cudaDeviceSynchronize() : cudaErrorInvalidValue;
  });
}

cudaError_t cudaExecutionCtxRecordEvent(CUcontext Context, cudaEvent_t Event) {
  return callDriver(cuCtxRecordEvent, Context, Event);
}

cudaError_t cudaExecutionCtxWaitEvent(CUcontext Context, cudaEvent_t Event) {
  return callDriver(cuCtxWaitEvent, Context, Event);
}

/// A condition is the device's, whatever the context.
cudaError_t
cudaGraphConditionalHandleCreate_v2(cudaGraphConditionalHandle *Handle,
                                    cudaGraph_t Graph, CUcontext Context,
                                    unsigned Default, unsigned Flags) {
  if (Context && !isContext(Context))
    return finish(cudaErrorInvalidValue);
  return cudaGraphConditionalHandleCreate(Handle, Graph, Default, Flags);
}

} // extern "C"

HEDDLE_PER_THREAD(cudaStreamGetDevResource, _ptsz)
