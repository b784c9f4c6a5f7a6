//===- DeviceState.cpp - Memory, clocks and modes in NVML -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What changes while the device works, and what could be set on another.
// Nothing here has a temperature or takes power.
//
//===----------------------------------------------------------------------===//

#include "Management/Management.h"

#include <algorithm>

using namespace llvm;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

namespace {

/// nvmlMemory_t.
struct MemoryInfo {
  unsigned long long Total, Free, Used;
};
/// nvmlMemory_v2_t.
struct MemoryInfo2 {
  unsigned Version;
  unsigned long long Total, Reserved, Free, Used;
};

/// nvmlClockType_t.
enum ClockType : unsigned { Graphics = 0, SM = 1, MemoryClock = 2, Video = 3 };

/// nvmlDeviceAddressingMode_v1_t, nvmlDeviceCapabilities_v1_t.
struct VersionedValue {
  unsigned Version, Value;
};

} // namespace

extern "C" {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Result nvmlDeviceGetMemoryInfo(DeviceHandle *Device, MemoryInfo *To) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (!To)
      return InvalidArgument;
    unsigned long long Total = D.Description.Properties.MemoryBytes,
                       Used =
                           std::min<unsigned long long>(bytesInUse(D), Total);
    *To = {Total, Total - Used, Used};
    return Success;
  });
}

Result nvmlDeviceGetMemoryInfo_v2(DeviceHandle *Device, MemoryInfo2 *To) {
  if (isInUse() && To && To->Version != versionTag<MemoryInfo2>(2))
    return VersionMismatch;
  MemoryInfo Info;
  Result Code = nvmlDeviceGetMemoryInfo(Device, To ? &Info : nullptr);
  if (Code == Success)
    *To = {To->Version, Info.Total, 0, Info.Free, Info.Used};
  return Code;
}

/// The host reaches all of the memory, and no other window to it is used up.
Result nvmlDeviceGetBAR1MemoryInfo(DeviceHandle *Device, MemoryInfo *To) {
  return nvmlDeviceGetMemoryInfo(Device, To);
}

Result nvmlDeviceGetMemoryBusWidth(DeviceHandle *Device, unsigned *Bits) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Bits, unsigned(D.Properties.memoryBusWidth));
  });
}

/// Of these, NVIDIA's count is of lanes.
Result nvmlDeviceGetNumGpuCores(DeviceHandle *Device, unsigned *Count) {
  constexpr unsigned LanesPerCore = 128;
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Count,
                     D.Description.Properties.Cores * LanesPerCore);
  });
}

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

/// The chip has one clock, which never changes.
Result nvmlDeviceGetClockInfo(DeviceHandle *Device, unsigned Type,
                              unsigned *MHz) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (Type >= Video)
      return Type == Video ? NotSupported : InvalidArgument;
    return giveValue(Device, MHz, D.clockMHz());
  });
}

/// Which of the clocks of a type: now, wanted, by default, at most.
Result nvmlDeviceGetClock(DeviceHandle *Device, unsigned Type, unsigned Which,
                          unsigned *MHz) {
  constexpr unsigned NumClocks = 4;
  if (isInUse() && Which >= NumClocks)
    return InvalidArgument;
  return nvmlDeviceGetClockInfo(Device, Type, MHz);
}

/// Fills in the only clock, as a list of one.
static Result giveClocks(const DeviceHandle &D, unsigned *Count,
                         unsigned *Clocks) {
  if (!Count)
    return InvalidArgument;
  unsigned Room = *Count;
  *Count = 1;
  if (!Clocks || !Room)
    return InsufficientSize;
  *Clocks = D.clockMHz();
  return Success;
}

Result nvmlDeviceGetSupportedMemoryClocks(DeviceHandle *Device, unsigned *Count,
                                          unsigned *Clocks) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveClocks(D, Count, Clocks);
  });
}

Result nvmlDeviceGetSupportedGraphicsClocks(DeviceHandle *Device,
                                            unsigned MemoryMHz, unsigned *Count,
                                            unsigned *Clocks) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return MemoryMHz == D.clockMHz() ? giveClocks(D, Count, Clocks) : NotFound;
  });
}

/// Why the clock is lower than it could be: for no reason.
Result nvmlDeviceGetCurrentClocksEventReasons(DeviceHandle *Device,
                                              unsigned long long *Reasons) {
  return giveValue(Device, Reasons, 0ull);
}

/// State 0 is the fastest one.
Result nvmlDeviceGetPerformanceState(DeviceHandle *Device, unsigned *State) {
  return giveValue(Device, State, 0u);
}

/// NVML_PSTATE_UNKNOWN stands in all places behind the only state.
Result nvmlDeviceGetSupportedPerformanceStates(DeviceHandle *Device,
                                               unsigned *States,
                                               unsigned Bytes) {
  constexpr unsigned UnknownState = 32;
  return ofDevice(Device, [=](const DeviceHandle &) {
    size_t Places = Bytes / sizeof(*States);
    if (!States || !Places)
      return InvalidArgument;
    std::fill_n(States, Places, UnknownState);
    *States = 0;
    return Success;
  });
}

Result nvmlDeviceGetMinMaxClockOfPState(DeviceHandle *Device, unsigned Type,
                                        unsigned State, unsigned *Least,
                                        unsigned *Most) {
  if (isInUse() && State != 0)
    return InvalidArgument;
  Result Code = nvmlDeviceGetClockInfo(Device, Type, Least);
  return Code == Success ? nvmlDeviceGetClockInfo(Device, Type, Most) : Code;
}

/// Takes a range of clocks that has the only one.
static Result lockClock(const DeviceHandle *Device, unsigned Least,
                        unsigned Most) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    bool IsIn = Least <= D.clockMHz() && D.clockMHz() <= Most;
    return IsIn ? Success : InvalidArgument;
  });
}

Result nvmlDeviceSetGpuLockedClocks(DeviceHandle *Device, unsigned Least,
                                    unsigned Most) {
  return lockClock(Device, Least, Most);
}

Result nvmlDeviceSetMemoryLockedClocks(DeviceHandle *Device, unsigned Least,
                                       unsigned Most) {
  return lockClock(Device, Least, Most);
}

Result nvmlDeviceSetApplicationsClocks(DeviceHandle *Device, unsigned Memory,
                                       unsigned Graphics) {
  Result Code = lockClock(Device, Memory, Memory);
  return Code == Success ? lockClock(Device, Graphics, Graphics) : Code;
}

/// The clock is what it is by default.
static Result resetClock(const DeviceHandle *Device) {
  return ofDevice(Device, [](const DeviceHandle &) { return Success; });
}

Result nvmlDeviceResetGpuLockedClocks(DeviceHandle *Device) {
  return resetClock(Device);
}

Result nvmlDeviceResetMemoryLockedClocks(DeviceHandle *Device) {
  return resetClock(Device);
}

Result nvmlDeviceResetApplicationsClocks(DeviceHandle *Device) {
  return resetClock(Device);
}

/// NVML_ADAPTIVE_CLOCKING_INFO_STATUS_DISABLED.
Result nvmlDeviceGetAdaptiveClockInfoStatus(DeviceHandle *Device,
                                            unsigned *Status) {
  return giveValue(Device, Status, 0u);
}

Result nvmlDeviceGetAutoBoostedClocksEnabled(DeviceHandle *Device,
                                             unsigned *IsEnabled,
                                             unsigned *Default) {
  Result Code = giveValue(Device, IsEnabled, 0u);
  return Code == Success ? giveValue(Device, Default, 0u) : Code;
}

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

/// NVML_FEATURE_DISABLED.
static Result giveDisabled(const DeviceHandle *Device, unsigned *Mode) {
  return giveValue(Device, Mode, 0u);
}

Result nvmlDeviceGetPersistenceMode(DeviceHandle *Device, unsigned *Mode) {
  return giveDisabled(Device, Mode);
}

Result nvmlDeviceGetDisplayMode(DeviceHandle *Device, unsigned *Mode) {
  return giveDisabled(Device, Mode);
}

Result nvmlDeviceGetDisplayActive(DeviceHandle *Device, unsigned *Mode) {
  return giveDisabled(Device, Mode);
}

/// NVML_COMPUTEMODE_DEFAULT.
Result nvmlDeviceGetComputeMode(DeviceHandle *Device, unsigned *Mode) {
  return giveValue(Device, Mode, 0u);
}

/// NVML_GPU_VIRTUALIZATION_MODE_NONE.
Result nvmlDeviceGetVirtualizationMode(DeviceHandle *Device, unsigned *Mode) {
  return giveValue(Device, Mode, 0u);
}

/// Fills in a value that has none of what there could be.
static Result giveNothing(const DeviceHandle *Device, VersionedValue *To) {
  return ofDevice(Device, [=](const DeviceHandle &) {
    if (!To)
      return InvalidArgument;
    if (To->Version != versionTag<VersionedValue>(1))
      return VersionMismatch;
    To->Value = 0;
    return Success;
  });
}

/// Pageable memory of the host is not the device's.
Result nvmlDeviceGetAddressingMode(DeviceHandle *Device, VersionedValue *To) {
  return giveNothing(Device, To);
}

Result nvmlDeviceGetCapabilities(DeviceHandle *Device, VersionedValue *To) {
  return giveNothing(Device, To);
}

} // extern "C"
