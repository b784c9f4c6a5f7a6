//===- Runtime12.cpp - What version 12 has otherwise ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of libcudart.so.12 whose parameters or structures version 13
// changed. Runtime.def gives them their names.
//
//===----------------------------------------------------------------------===//

#include "CallerCapability.h"
#include "PerThread.h"
#include "Process.h"
#include "Runtime/Runtime.h"
#include "Runtime/RuntimeGraphs.h"

#include <cstring>

using namespace heddle;
using namespace heddle::cuda;

namespace {

// NOLINTBEGIN(readability-identifier-naming): the names of CUDA's headers.
struct PointerAttributes12 {
  cudaMemoryType type;
  int device;
  void *devicePointer, *hostPointer;
};

/// cudaDeviceProp of CUDA 12, with the fields that version 13 dropped.
struct DeviceProp12 {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  int clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated;
  int canMapHostMemory, computeMode;
  int maxTexture1D, maxTexture1DMipmap, maxTexture1DLinear, maxTexture2D[2];
  int maxTexture2DMipmap[2], maxTexture2DLinear[3], maxTexture2DGather[2];
  int maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap;
  int maxTexture1DLayered[2], maxTexture2DLayered[3];
  int maxTextureCubemapLayered[2], maxSurface1D, maxSurface2D[2];
  int maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
  int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID;
  int tccDriver, asyncEngineCount, unifiedAddressing, memoryClockRate;
  int memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported;
  int globalL1CacheSupported, localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard;
  int multiGpuBoardGroupID, hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess;
  int concurrentManagedAccess, computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch;
  int cooperativeMultiDeviceLaunch;
#define HEDDLE_DEVICE_PROPERTY(Type, Name) Type Name;
#include "DeviceProperties.def"
  int reserved[63];
};
// NOLINTEND(readability-identifier-naming)
static_assert(sizeof(DeviceProp12) == 1032 &&
              offsetof(DeviceProp12, major) == 360 &&
              offsetof(DeviceProp12, hostRegisterSupported) == 728);

} // namespace

/// The extents of images, where the device is and how it shares memory.
static void copyPlaceAndImages(DeviceProp12 &Out, const cudaDeviceProp &P) {
#define HEDDLE_SAME(Field)                                                     \
  static_assert(sizeof(Out.Field) == sizeof(P.Field));                         \
  std::memcpy(&Out.Field, &P.Field, sizeof(P.Field));
  HEDDLE_SAME(maxTexture1D)
  HEDDLE_SAME(maxTexture1DMipmap)
  HEDDLE_SAME(maxTexture2D)
  HEDDLE_SAME(maxTexture2DMipmap)
  HEDDLE_SAME(maxTexture2DLinear)
  HEDDLE_SAME(maxTexture2DGather)
  HEDDLE_SAME(maxTexture3D)
  HEDDLE_SAME(maxTexture3DAlt)
  HEDDLE_SAME(maxTextureCubemap)
  HEDDLE_SAME(maxTexture1DLayered)
  HEDDLE_SAME(maxTexture2DLayered)
  HEDDLE_SAME(maxTextureCubemapLayered)
  HEDDLE_SAME(maxSurface1D)
  HEDDLE_SAME(maxSurface2D)
  HEDDLE_SAME(maxSurface3D)
  HEDDLE_SAME(maxSurface1DLayered)
  HEDDLE_SAME(maxSurface2DLayered)
  HEDDLE_SAME(maxSurfaceCubemap)
  HEDDLE_SAME(maxSurfaceCubemapLayered)
  HEDDLE_SAME(pciBusID)
  HEDDLE_SAME(pciDeviceID)
  HEDDLE_SAME(pciDomainID)
  HEDDLE_SAME(integrated)
  HEDDLE_SAME(ECCEnabled)
  HEDDLE_SAME(tccDriver)
  HEDDLE_SAME(isMultiGpuBoard)
  HEDDLE_SAME(multiGpuBoardGroupID)
  HEDDLE_SAME(pageableMemoryAccess)
  HEDDLE_SAME(computePreemptionSupported)
#undef HEDDLE_SAME
}

extern "C" {

// Version 13's, elsewhere in this library.
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
cudaError_t cudaGetDriverEntryPointByVersion(const char *, void **, unsigned,
                                             unsigned long long, int *);

cudaError_t cudaGetDeviceProperties_12(DeviceProp12 *Out, int Device) {
  CallerScope Caller(__builtin_return_address(0));
  if (!Out)
    return finish(cudaErrorInvalidValue);
  cudaDeviceProp P;
  if (cudaError_t Code = cudaGetDeviceProperties(&P, Device);
      Code != cudaSuccess)
    return Code;
  *Out = {};
  std::memcpy(Out->name, P.name, sizeof(Out->name));
  Out->uuid = P.uuid;
  std::memcpy(Out->maxThreadsDim, P.maxThreadsDim, sizeof(P.maxThreadsDim));
  std::memcpy(Out->maxGridSize, P.maxGridSize, sizeof(P.maxGridSize));
#define HEDDLE_SAME(Field) Out->Field = P.Field;
  HEDDLE_SAME(totalGlobalMem)
  HEDDLE_SAME(sharedMemPerBlock)
  HEDDLE_SAME(regsPerBlock)
  HEDDLE_SAME(warpSize)
  HEDDLE_SAME(memPitch)
  HEDDLE_SAME(maxThreadsPerBlock)
  HEDDLE_SAME(totalConstMem)
  HEDDLE_SAME(major)
  HEDDLE_SAME(minor)
  HEDDLE_SAME(textureAlignment)
  HEDDLE_SAME(texturePitchAlignment)
  HEDDLE_SAME(multiProcessorCount)
  HEDDLE_SAME(canMapHostMemory)
  HEDDLE_SAME(surfaceAlignment)
  HEDDLE_SAME(concurrentKernels)
  HEDDLE_SAME(asyncEngineCount)
  HEDDLE_SAME(unifiedAddressing)
  HEDDLE_SAME(memoryBusWidth)
  HEDDLE_SAME(l2CacheSize)
  HEDDLE_SAME(persistingL2CacheMaxSize)
  HEDDLE_SAME(maxThreadsPerMultiProcessor)
  HEDDLE_SAME(streamPrioritiesSupported)
  HEDDLE_SAME(globalL1CacheSupported)
  HEDDLE_SAME(localL1CacheSupported)
  HEDDLE_SAME(sharedMemPerMultiprocessor)
  HEDDLE_SAME(regsPerMultiprocessor)
  HEDDLE_SAME(managedMemory)
  HEDDLE_SAME(hostNativeAtomicSupported)
  HEDDLE_SAME(concurrentManagedAccess)
  HEDDLE_SAME(canUseHostPointerForRegisteredMem)
  HEDDLE_SAME(cooperativeLaunch)
#undef HEDDLE_SAME
#define HEDDLE_DEVICE_PROPERTY(Type, Name) Out->Name = P.Name;
#include "DeviceProperties.def"
  copyPlaceAndImages(*Out, P);
  Out->deviceOverlap = 1;
  Out->cooperativeMultiDeviceLaunch = 1;
  Out->singleToDoublePrecisionPerfRatio = 2;
  int KHz = Process::get().device(Device)->properties().ClockMHz * 1000;
  Out->clockRate = Out->memoryClockRate = KHz;
  return cudaSuccess;
}

/// What programs that were compiled with CUDA 11 call: the structure ended
/// before these fields.
cudaError_t cudaGetDeviceProperties_11(void *Out, int Device) {
  CallerScope Caller(__builtin_return_address(0));
  DeviceProp12 P;
  if (!Out)
    return finish(cudaErrorInvalidValue);
  if (cudaError_t Code = cudaGetDeviceProperties_12(&P, Device);
      Code != cudaSuccess)
    return Code;
  std::memcpy(Out, &P, offsetof(DeviceProp12, hostRegisterSupported));
  return cudaSuccess;
}

/// Devices without doubles are long gone.
cudaError_t cudaSetDoubleForDevice(double *) { return cudaSuccess; }
cudaError_t cudaSetDoubleForHost(double *) { return cudaSuccess; }

cudaError_t cudaPointerGetAttributes_12(PointerAttributes12 *Out,
                                        const void *Pointer) {
  if (!Out)
    return finish(cudaErrorInvalidValue);
  cudaPointerAttributes A;
  if (cudaError_t Code = cudaPointerGetAttributes(&A, Pointer);
      Code != cudaSuccess)
    return Code;
  *Out = {A.type, A.device, A.devicePointer, A.hostPointer};
  return cudaSuccess;
}

/// The last version 12.
cudaError_t cudaRuntimeGetVersion_12(int *Version) {
  *Version = 12090;
  return cudaSuccess;
}

/// A location as version 12 names it: a device, or the host.
static cudaMemLocation locationOf(int Device) {
  constexpr int OnDevice = 1, OnHost = 2;
  return {Device == cudaCpuDeviceId ? OnHost : OnDevice,
          Device == cudaCpuDeviceId ? 0 : Device};
}

cudaError_t cudaMemAdvise_12(const void *Pointer, size_t Size, int Advice,
                             int Device) {
  return cudaMemAdvise(Pointer, Size, Advice, locationOf(Device));
}

cudaError_t cudaMemPrefetchAsync_12(const void *Pointer, size_t Size,
                                    int Device, cudaStream_t Stream) {
  return cudaMemPrefetchAsync(Pointer, Size, locationOf(Device), 0, Stream);
}

cudaError_t cudaStreamGetCaptureInfo_12(cudaStream_t Stream,
                                        cudaStreamCaptureStatus *Status,
                                        unsigned long long *Id) {
  return cudaStreamGetCaptureInfo(Stream, Status, Id, nullptr, nullptr, nullptr,
                                  nullptr);
}

cudaError_t cudaStreamGetCaptureInfo_v2_12(cudaStream_t Stream,
                                           cudaStreamCaptureStatus *Status,
                                           unsigned long long *Id,
                                           cudaGraph_t *Graph,
                                           const cudaGraphNode_t **Dependencies,
                                           size_t *Count) {
  return cudaStreamGetCaptureInfo(Stream, Status, Id, Graph, Dependencies,
                                  nullptr, Count);
}

cudaError_t cudaStreamUpdateCaptureDependencies_12(cudaStream_t Stream,
                                                   cudaGraphNode_t *Nodes,
                                                   size_t Count,
                                                   unsigned Flags) {
  return cudaStreamUpdateCaptureDependencies(Stream, Nodes, nullptr, Count,
                                             Flags);
}

cudaError_t cudaGraphAddDependencies_12(cudaGraph_t Graph,
                                        const cudaGraphNode_t *From,
                                        const cudaGraphNode_t *To,
                                        size_t Count) {
  return cudaGraphAddDependencies(Graph, From, To, nullptr, Count);
}

cudaError_t cudaGraphRemoveDependencies_12(cudaGraph_t Graph,
                                           const cudaGraphNode_t *From,
                                           const cudaGraphNode_t *To,
                                           size_t Count) {
  return cudaGraphRemoveDependencies(Graph, From, To, nullptr, Count);
}

cudaError_t cudaGraphGetEdges_12(cudaGraph_t Graph, cudaGraphNode_t *From,
                                 cudaGraphNode_t *To, size_t *Count) {
  return cudaGraphGetEdges(Graph, From, To, nullptr, Count);
}

cudaError_t cudaGraphNodeGetDependencies_12(cudaGraphNode_t Node,
                                            cudaGraphNode_t *Nodes,
                                            size_t *Count) {
  return cudaGraphNodeGetDependencies(Node, Nodes, nullptr, Count);
}

cudaError_t cudaGraphNodeGetDependentNodes_12(cudaGraphNode_t Node,
                                              cudaGraphNode_t *Nodes,
                                              size_t *Count) {
  return cudaGraphNodeGetDependentNodes(Node, Nodes, nullptr, Count);
}

cudaError_t cudaGraphAddNode_12(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                const cudaGraphNode_t *Dependencies,
                                size_t Count, cudaGraphNodeParams *P) {
  return cudaGraphAddNode(Node, Graph, Dependencies, nullptr, Count, P);
}

/// The driver's functions as they were in the last version 12.
cudaError_t cudaGetDriverEntryPoint_12(const char *Name, void **Function,
                                       unsigned long long Flags, int *Status) {
  return cudaGetDriverEntryPointByVersion(Name, Function, 12090, Flags, Status);
}

} // extern "C"

HEDDLE_PER_THREAD(cudaGetDriverEntryPoint_12, _ptsz)
HEDDLE_PER_THREAD(cudaMemPrefetchAsync_12, _ptsz)
HEDDLE_PER_THREAD(cudaStreamGetCaptureInfo_12, _ptsz)
HEDDLE_PER_THREAD(cudaStreamGetCaptureInfo_v2_12, _ptsz)
HEDDLE_PER_THREAD(cudaStreamUpdateCaptureDependencies_12, _ptsz)
