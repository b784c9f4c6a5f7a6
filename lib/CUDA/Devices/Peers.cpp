//===- Peers.cpp - What devices are to each other ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which devices may reach each other's memory, and copies between two of them.
//
//===----------------------------------------------------------------------===//

#include "Devices/MachineLinks.h"
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

static cudaError_t canAccessPeer(int *Can, int Device, int Peer) {
  if (!Can)
    return cudaErrorInvalidValue;
  if (!isDevice(Device) || !isDevice(Peer))
    return cudaErrorInvalidDevice;
  *Can = Device != Peer; // a device is not its own peer
  return cudaSuccess;
}

const Machine *heddle::cuda::knownMachine() {
  llvm::Expected<const Machine &> M = Process::get().machine();
  if (M)
    return &*M;
  consumeError(M.takeError());
  return nullptr;
}

static cudaError_t peerAttribute(int *Value, int Attribute, int Source,
                                 int Destination) {
  enum {
    PerformanceRank = 1,
    AccessSupported = 2,
    NativeAtomics = 3,
    ArrayAccess = 4,
    PartialAtomics = 5
  };
  if (!Value)
    return cudaErrorInvalidValue;
  if (!isDevice(Source) || !isDevice(Destination) || Source == Destination)
    return cudaErrorInvalidDevice;
  Process &P = Process::get();
  DeviceLink Link =
      linkBetween(*knownMachine(), *P.device(Source), *P.device(Destination));
  bool IsDirect = Link.Kind == LinkKind::NVLink;
  switch (Attribute) {
  case PerformanceRank: // less is better
    *Value = IsDirect ? 0 : 1;
    return cudaSuccess;
  case NativeAtomics:
    *Value = IsDirect;
    return cudaSuccess;
  case AccessSupported:
  case ArrayAccess:
    *Value = 1;
    return cudaSuccess;
  case PartialAtomics:
    *Value = 0;
    return cudaSuccess;
  default:
    return cudaErrorInvalidValue;
  }
}

/// Lets the thread's device reach a peer's memory, or no longer.
static cudaError_t setAccess(int Peer, bool Reaches) {
  ProcessDevice *Own = Process::get().device();
  ProcessDevice *Other = Process::get().device(Peer);
  if (!Own || !Other || Own == Other)
    return cudaErrorInvalidDevice;
  if (Own->hasAccess(*Other) == Reaches)
    return Reaches ? cudaErrorPeerAccessAlreadyEnabled
                   : cudaErrorPeerAccessNotEnabled;
  return convert(Own->setAccess(*Other, Reaches), cudaErrorUnknown);
}

/// Waits for all work of two devices, which a copy between them follows.
static cudaError_t synchronize(int One, int Other) {
  for (int Device : {One, Other}) {
    llvm::Expected<rt::Context &> C = Process::get().context(Device);
    if (!C)
      return convert(C.takeError(), cudaErrorNoDevice);
    if (cudaError_t Code = convert(C->synchronize(), cudaErrorUnknown);
        Code != cudaSuccess)
      return Code;
  }
  return cudaSuccess;
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
  if (!Waits)
    return cudaMemcpy3DAsync(&Same, Stream);
  cudaError_t Code = synchronize(P->SourceDevice, P->DestinationDevice);
  return Code == cudaSuccess ? cudaMemcpy3D(&Same) : Code;
}

extern "C" {

cudaError_t cudaDeviceCanAccessPeer(int *Can, int Device, int Peer) {
  return finish(canAccessPeer(Can, Device, Peer));
}

cudaError_t cudaDeviceEnablePeerAccess(int Peer, unsigned Flags) {
  return finish(Flags ? cudaErrorInvalidValue
                      : setAccess(Peer, /*Reaches=*/true));
}

cudaError_t cudaDeviceDisablePeerAccess(int Peer) {
  return finish(setAccess(Peer, /*Reaches=*/false));
}

cudaError_t cudaDeviceGetP2PAttribute(int *Value, int Attribute, int Source,
                                      int Destination) {
  return finish(peerAttribute(Value, Attribute, Source, Destination));
}

cudaError_t cudaMemcpyPeer(void *To, int ToDevice, const void *From,
                           int FromDevice, size_t Size) {
  if (!isDevice(ToDevice) || !isDevice(FromDevice))
    return finish(cudaErrorInvalidDevice);
  if (cudaError_t Code = synchronize(ToDevice, FromDevice); Code != cudaSuccess)
    return finish(Code);
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

CUresult cuDeviceGetP2PAttribute(int *Value, int Attribute, CUdevice Source,
                                 CUdevice Destination) {
  return peerAttribute(Value, Attribute, Source, Destination);
}

/// Contexts of one device are not each other's peers.
CUresult cuCtxEnablePeerAccess(CUcontext Peer, unsigned Flags) {
  return inContext([=] {
    if (Flags)
      return cudaErrorInvalidValue;
    if (!isContext(Peer) || Peer == currentContext())
      return cudaErrorDeviceUninitialized;
    return Peer->Device == currentDevice()
               ? cudaErrorPeerAccessUnsupported
               : setAccess(Peer->Device, /*Reaches=*/true);
  });
}

CUresult cuCtxDisablePeerAccess(CUcontext Peer) {
  return inContext([=] {
    if (!isContext(Peer))
      return cudaErrorDeviceUninitialized;
    return Peer->Device == currentDevice()
               ? cudaErrorPeerAccessNotEnabled
               : setAccess(Peer->Device, /*Reaches=*/false);
  });
}

CUresult cuMemcpyPeer(CUdeviceptr To, CUcontext ToContext, CUdeviceptr From,
                      CUcontext FromContext, size_t Size) {
  return inContext([=] {
    if (!isContext(ToContext) || !isContext(FromContext))
      return cudaErrorDeviceUninitialized;
    if (CUresult Code = synchronize(ToContext->Device, FromContext->Device);
        Code != cudaSuccess)
      return Code;
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
