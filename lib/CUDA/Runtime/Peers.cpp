//===- Peers.cpp - Other devices ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There is one device, which has no peers. Copies between a device and itself
// are copies.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "PerThread.h"
#include "Runtime/Runtime.h"

using namespace heddle;
using namespace heddle::cuda;

namespace {
/// cudaMemcpy3DPeerParms.
struct Memcpy3DPeer {
  cudaArray_t SourceArray;
  cudaPos SourceAt;
  cudaPitchedPtr Source;
  int SourceDevice;
  cudaArray_t DestinationArray;
  cudaPos DestinationAt;
  cudaPitchedPtr Destination;
  int DestinationDevice;
  cudaExtent Extent;
};
static_assert(sizeof(Memcpy3DPeer) == 168);
} // namespace

static bool isDevice(int Device) { return Device == 0; }

//===----------------------------------------------------------------------===//
// Peers
//===----------------------------------------------------------------------===//

static cudaError_t canAccessPeer(int *Can, int Device, int Peer) {
  if (!Can)
    return cudaErrorInvalidValue;
  if (!isDevice(Device) || !isDevice(Peer))
    return cudaErrorInvalidDevice;
  *Can = 0; // a device is not its own peer
  return cudaSuccess;
}

static cudaError_t peerAttribute(const int *Value, int Source,
                                 int Destination) {
  if (!Value)
    return cudaErrorInvalidValue;
  // Of a pair of different devices only, of which there is none.
  (void)Source, (void)Destination;
  return cudaErrorInvalidDevice;
}

static cudaError_t copyBox(const Memcpy3DPeer *P, cudaStream_t Stream,
                           bool Waits) {
  if (!P)
    return cudaErrorInvalidValue;
  if (!isDevice(P->SourceDevice) || !isDevice(P->DestinationDevice))
    return cudaErrorInvalidDevice;
  cudaMemcpy3DParms Same = {
      P->SourceArray,   P->SourceAt,    P->Source, P->DestinationArray,
      P->DestinationAt, P->Destination, P->Extent, cudaMemcpyDefault};
  return Waits ? cudaMemcpy3D(&Same) : cudaMemcpy3DAsync(&Same, Stream);
}

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int *Can, int Device, int Peer) {
  return finish(canAccessPeer(Can, Device, Peer));
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned Flags) {
  return finish(Flags ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceDisablePeerAccess(int Peer) {
  return finish(isDevice(Peer) ? cudaErrorPeerAccessNotEnabled
                               : cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetP2PAttribute(int *Value, int, int Source,
                                      int Destination) {
  return finish(peerAttribute(Value, Source, Destination));
}

cudaError_t cudaMemcpyPeer(void *To, int ToDevice, const void *From,
                           int FromDevice, size_t Size) {
  if (!isDevice(ToDevice) || !isDevice(FromDevice))
    return finish(cudaErrorInvalidDevice);
  return cudaMemcpy(To, From, Size, cudaMemcpyDeviceToDevice);
}

cudaError_t cudaMemcpyPeerAsync(void *To, int ToDevice, const void *From,
                                int FromDevice, size_t Size,
                                cudaStream_t Stream) {
  if (!isDevice(ToDevice) || !isDevice(FromDevice))
    return finish(cudaErrorInvalidDevice);
  return cudaMemcpyAsync(To, From, Size, cudaMemcpyDeviceToDevice, Stream);
}

cudaError_t cudaMemcpy3DPeer(const Memcpy3DPeer *P) {
  return finish(copyBox(P, nullptr, /*Waits=*/true));
}

cudaError_t cudaMemcpy3DPeerAsync(const Memcpy3DPeer *P, cudaStream_t Stream) {
  return finish(copyBox(P, Stream, /*Waits=*/false));
}

// The driver's, between contexts.

CUresult cuDeviceCanAccessPeer(int *Can, CUdevice Device, CUdevice Peer) {
  return canAccessPeer(Can, Device, Peer);
}

CUresult cuDeviceGetP2PAttribute(int *Value, int, CUdevice Source,
                                 CUdevice Destination) {
  return peerAttribute(Value, Source, Destination);
}

CUresult cuCtxEnablePeerAccess(CUcontext Peer, unsigned Flags) {
  return inContext([=] {
    CUcontext Own;
    if (Flags)
      return cudaErrorInvalidValue;
    if (CUresult Code = cuCtxGetCurrent(&Own); Code != cudaSuccess)
      return Code;
    return isContext(Peer) && Peer != Own ? cudaErrorPeerAccessUnsupported
                                          : cudaErrorDeviceUninitialized;
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext Peer) {
  return inContext([=] {
    return isContext(Peer) ? cudaErrorPeerAccessNotEnabled
                           : cudaErrorDeviceUninitialized;
  });
}

/// Contexts share what is on the device.
CUresult cuMemcpyPeer(CUdeviceptr To, CUcontext ToContext, CUdeviceptr From,
                      CUcontext FromContext, size_t Size) {
  return inContext([=] {
    if (!isContext(ToContext) || !isContext(FromContext))
      return cudaErrorDeviceUninitialized;
    return cudaMemcpy(pointerOf(To), pointerOf(From), Size,
                      cudaMemcpyDeviceToDevice);
  });
}

CUresult cuMemcpyPeerAsync(CUdeviceptr To, CUcontext ToContext,
                           CUdeviceptr From, CUcontext FromContext, size_t Size,
                           cudaStream_t Stream) {
  return inContext([=] {
    if (!isContext(ToContext) || !isContext(FromContext))
      return cudaErrorDeviceUninitialized;
    return cudaMemcpyAsync(pointerOf(To), pointerOf(From), Size,
                           cudaMemcpyDeviceToDevice, Stream);
  });
}

} // extern "C"

HEDDLE_PER_THREAD(cudaMemcpy3DPeer, _ptds)
HEDDLE_PER_THREAD(cudaMemcpy3DPeerAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyPeer, _ptds)
HEDDLE_PER_THREAD(cuMemcpyPeerAsync, _ptsz)
