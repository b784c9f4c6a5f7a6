//===- Topology.cpp - Neighbours and parts in NVML --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device, as near to all CPUs, with no peers, no links, no fabric and no
// parts (MIG).
//
//===----------------------------------------------------------------------===//

#include "Management/Management.h"

#include <chrono>
#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

namespace {

/// nvmlGpuFabricInfo_t.
struct FabricInfo {
  unsigned char Cluster[16];
  Result Status;
  unsigned Clique;
  unsigned char State; ///< 0: there is no fabric.
};
/// nvmlGpuFabricInfo_v2_t, nvmlGpuFabricInfo_v3_t.
struct FabricInfo2 {
  unsigned Version;
  unsigned char Cluster[16];
  Result Status;
  unsigned Clique;
  unsigned char State;
  unsigned HealthMask;
};
struct FabricInfo3 : FabricInfo2 {
  unsigned char HealthSummary;
};

/// nvmlFieldValue_t.
struct FieldValue {
  unsigned Field, Scope;
  long long Timestamp, Latency; ///< In microseconds.
  unsigned Type;
  Result Code;
  unsigned long long Value;
};

} // namespace

extern "C" {

//===----------------------------------------------------------------------===//
// CPUs
//===----------------------------------------------------------------------===//

/// Sets the bits of the first Count in Words words.
static Result setBits(const DeviceHandle *Device, unsigned Words,
                      unsigned long *Set, unsigned Count) {
  constexpr unsigned WordBits = 8 * sizeof(*Set);
  return ofDevice(Device, [=](const DeviceHandle &) {
    if (!Words || !Set)
      return InvalidArgument;
    std::memset(Set, 0, Words * sizeof(*Set));
    for (unsigned I = 0; I != std::min(Count, Words * WordBits); ++I)
      Set[I / WordBits] |= 1ul << I % WordBits;
    return Success;
  });
}

Result nvmlDeviceGetCpuAffinity(DeviceHandle *Device, unsigned Words,
                                unsigned long *Set) {
  return setBits(Device, Words, Set, sysconf(_SC_NPROCESSORS_CONF));
}

Result nvmlDeviceGetCpuAffinityWithinScope(DeviceHandle *Device, unsigned Words,
                                           unsigned long *Set, unsigned Scope) {
  constexpr unsigned Socket = 1;
  if (device() && Scope > Socket)
    return InvalidArgument;
  return nvmlDeviceGetCpuAffinity(Device, Words, Set);
}

//===----------------------------------------------------------------------===//
// Other devices
//===----------------------------------------------------------------------===//

/// Fills in what holds between a device and itself.
static Result givePair(const DeviceHandle *One, const DeviceHandle *Other,
                       unsigned *Place, unsigned Value) {
  if (device() && Other != device())
    return InvalidArgument;
  return giveValue(One, Place, Value);
}

/// NVML_TOPOLOGY_INTERNAL.
Result nvmlDeviceGetTopologyCommonAncestor(DeviceHandle *One,
                                           DeviceHandle *Other,
                                           unsigned *Level) {
  return givePair(One, Other, Level, 0);
}

Result nvmlDeviceGetTopologyNearestGpus(DeviceHandle *Device, unsigned,
                                        unsigned *Count, DeviceHandle **) {
  return giveValue(Device, Count, 0u);
}

/// NVML_P2P_STATUS_NOT_SUPPORTED.
Result nvmlDeviceGetP2PStatus(DeviceHandle *One, DeviceHandle *Other, unsigned,
                              unsigned *Status) {
  return givePair(One, Other, Status, 5);
}

Result nvmlDeviceOnSameBoard(DeviceHandle *One, DeviceHandle *Other, int *Is) {
  return givePair(One, Other, reinterpret_cast<unsigned *>(Is), 1);
}

Result nvmlDeviceGetGpuFabricInfo(DeviceHandle *Device, FabricInfo *To) {
  return giveValue(Device, To, FabricInfo{});
}

Result nvmlDeviceGetGpuFabricInfoV(DeviceHandle *Device, FabricInfo2 *To) {
  return ofDevice(Device, [=](const DeviceHandle &) {
    if (!To)
      return InvalidArgument;
    unsigned Version = To->Version;
    if (Version == versionTag<FabricInfo2>(2))
      *To = {};
    else if (Version == versionTag<FabricInfo3>(3))
      *static_cast<FabricInfo3 *>(To) = {};
    else
      return VersionMismatch;
    To->Version = Version;
    return Success;
  });
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Result nvmlDeviceIsMigDeviceHandle(DeviceHandle *Device, unsigned *Is) {
  return giveValue(Device, Is, 0u);
}

Result nvmlDeviceGetMaxMigDeviceCount(DeviceHandle *Device, unsigned *Count) {
  return giveValue(Device, Count, 0u);
}

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

/// Each says for itself that the device does not have it: power, links, error
/// counts.
Result nvmlDeviceGetFieldValues(DeviceHandle *Device, int Count,
                                FieldValue *Values) {
  return ofDevice(Device, [=](const DeviceHandle &) {
    if (Count <= 0 || !Values)
      return InvalidArgument;
    auto Now = std::chrono::system_clock::now().time_since_epoch();
    for (FieldValue &V : MutableArrayRef(Values, Count)) {
      V.Timestamp =
          std::chrono::duration_cast<std::chrono::microseconds>(Now).count();
      V.Latency = 0;
      V.Code = NotSupported;
      V.Value = 0;
    }
    return Success;
  });
}

Result nvmlDeviceClearFieldValues(DeviceHandle *Device, int Count,
                                  FieldValue *Values) {
  return nvmlDeviceGetFieldValues(Device, Count, Values);
}

} // extern "C"
