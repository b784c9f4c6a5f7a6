//===- Topology.cpp - Neighbours in NVML ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices are as near to all CPUs, and in no fabric.
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

/// Fills in what holds between a device and itself or another one.
template <typename T>
static Result givePair(const DeviceHandle *One, const DeviceHandle *Other,
                       T *Place, T OfItself, T OfOthers) {
  return ofDevice(Other, [=](const DeviceHandle &) {
    return giveValue(One, Place, One == Other ? OfItself : OfOthers);
  });
}

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
  if (isInUse() && Scope > Socket)
    return InvalidArgument;
  return nvmlDeviceGetCpuAffinity(Device, Words, Set);
}

//===----------------------------------------------------------------------===//
// Other devices
//===----------------------------------------------------------------------===//

/// Of nvmlGpuTopologyLevel_t. The devices of a machine hang on one bridge.
enum TopologyLevel : unsigned { Internal = 0, HostBridge = 30 };

Result nvmlDeviceGetTopologyCommonAncestor(DeviceHandle *One,
                                           DeviceHandle *Other,
                                           unsigned *Level) {
  return givePair<unsigned>(One, Other, Level, Internal, HostBridge);
}

Result nvmlDeviceGetTopologyNearestGpus(DeviceHandle *Device, unsigned Level,
                                        unsigned *Count, DeviceHandle **To) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (!Count)
      return InvalidArgument;
    unsigned Room = To ? *Count : 0;
    *Count = 0;
    for (const std::unique_ptr<DeviceHandle> &Other : devices()) {
      if (Level != HostBridge || Other.get() == &D)
        continue;
      if (*Count < Room)
        To[*Count] = Other.get();
      ++*Count;
    }
    return Success;
  });
}

Result nvmlDeviceOnSameBoard(DeviceHandle *One, DeviceHandle *Other, int *Is) {
  return givePair(One, Other, Is, 1, 0);
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
// Fields
//===----------------------------------------------------------------------===//

/// Each says for itself whether the device has it. It has those of links, and
/// none of power or error counts.
Result nvmlDeviceGetFieldValues(DeviceHandle *Device, int Count,
                                FieldValue *Values) {
  constexpr unsigned UnsignedInt = 1; // NVML_VALUE_TYPE_UNSIGNED_INT
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (Count <= 0 || !Values)
      return InvalidArgument;
    auto Now = std::chrono::system_clock::now().time_since_epoch();
    for (FieldValue &V : MutableArrayRef(Values, Count)) {
      V.Timestamp =
          std::chrono::duration_cast<std::chrono::microseconds>(Now).count();
      V.Latency = 0;
      V.Type = UnsignedInt;
      V.Value = 0;
      V.Code = linkField(D, V.Field, V.Scope, V.Value);
    }
    return Success;
  });
}

Result nvmlDeviceClearFieldValues(DeviceHandle *Device, int Count,
                                  FieldValue *Values) {
  return nvmlDeviceGetFieldValues(Device, Count, Values);
}

} // extern "C"
