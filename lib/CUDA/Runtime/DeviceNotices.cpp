//===- DeviceNotices.cpp - Callbacks and atomics of a device ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whom a device tells of itself, and which atomic operations it can do beyond
// its own memory.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Process.h"
#include "Runtime/Runtime.h"

using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Notices
//===----------------------------------------------------------------------===//

namespace heddle::cuda {
struct AsyncCallbackHandle {
  cudaAsyncCallback Callback;
  void *UserData;
};
} // namespace heddle::cuda

static HandleSet<AsyncCallbackHandle> &callbacks() {
  static auto *Made = new HandleSet<AsyncCallbackHandle>; // see Process.h
  return *Made;
}

extern "C" {

/// The only notice that there is tells of a budget for memory that the device
/// was given from outside. There is no such budget: callbacks are never called.
cudaError_t
cudaDeviceRegisterAsyncNotification(int Device, cudaAsyncCallback Callback,
                                    void *UserData,
                                    cudaAsyncCallbackHandle_t *Handle) {
  if (!Process::get().device(Device))
    return finish(cudaErrorInvalidDevice);
  if (!Callback || !Handle)
    return finish(cudaErrorInvalidValue);
  *Handle = callbacks().add(std::unique_ptr<AsyncCallbackHandle>(
      new AsyncCallbackHandle{Callback, UserData}));
  return cudaSuccess;
}

cudaError_t
cudaDeviceUnregisterAsyncNotification(int Device,
                                      cudaAsyncCallbackHandle_t Handle) {
  if (!Process::get().device(Device))
    return finish(cudaErrorInvalidDevice);
  return finish(callbacks().remove(Handle) ? cudaSuccess
                                           : cudaErrorInvalidValue);
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

/// Bits of cudaAtomicOperationCapability.
enum Capability : unsigned {
  Signed = 1,
  Unsigned = 2,
  Reduction = 4,
  Scalar32 = 8,
  Scalar64 = 16,
  Scalar128 = 32,
  Vector32x4 = 64,
};

/// By the numbers of cudaAtomicOperation: what PTX has for memory of the host
/// as for the device's own.
static constexpr unsigned HostCapabilities[] = {
    /*integer add*/ Signed | Unsigned | Reduction | Scalar32 | Scalar64,
    /*integer min*/ Signed | Unsigned | Reduction | Scalar32 | Scalar64,
    /*integer max*/ Signed | Unsigned | Reduction | Scalar32 | Scalar64,
    /*increment*/ Unsigned | Reduction | Scalar32,
    /*decrement*/ Unsigned | Reduction | Scalar32,
    /*and*/ Unsigned | Reduction | Scalar32 | Scalar64,
    /*or*/ Unsigned | Reduction | Scalar32 | Scalar64,
    /*xor*/ Unsigned | Reduction | Scalar32 | Scalar64,
    /*exchange*/ Unsigned | Scalar32 | Scalar64 | Scalar128,
    /*compare and swap*/ Unsigned | Scalar32 | Scalar64 | Scalar128,
    /*float add*/ Reduction | Scalar32 | Scalar64 | Vector32x4,
    /*float min*/ 0,
    /*float max*/ 0,
};

static bool areOperations(const int *Operations, unsigned Count) {
  for (unsigned I = 0; I != Count; ++I)
    if (Operations[I] < 0 || Operations[I] >= int(std::size(HostCapabilities)))
      return false;
  return true;
}

/// Between two devices there is what there is between a device and the host.
static cudaError_t capabilitiesOf(unsigned *Capabilities, const int *Operations,
                                  unsigned Count, bool IsThere) {
  if (!Capabilities || !Operations || !Count ||
      !areOperations(Operations, Count))
    return cudaErrorInvalidValue;
  if (!IsThere)
    return cudaErrorInvalidDevice;
  for (unsigned I = 0; I != Count; ++I)
    Capabilities[I] = HostCapabilities[Operations[I]];
  return cudaSuccess;
}

cudaError_t cudaDeviceGetHostAtomicCapabilities(unsigned *Capabilities,
                                                const int *Operations,
                                                unsigned Count, int Device) {
  return finish(capabilitiesOf(Capabilities, Operations, Count,
                               Process::get().device(Device) != nullptr));
}

cudaError_t cudaDeviceGetP2PAtomicCapabilities(unsigned *Capabilities,
                                               const int *Operations,
                                               unsigned Count, int From,
                                               int To) {
  Process &P = Process::get();
  return finish(capabilitiesOf(Capabilities, Operations, Count,
                               From != To && P.device(From) && P.device(To)));
}

} // extern "C"
