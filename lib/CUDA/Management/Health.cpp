//===- Health.cpp - What could be worn or locked in NVML --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The device's memory is the host's: nothing of it is corrected, retired or
// remapped here, and nothing is encrypted. That is what these functions say.
// What is not there at all, such as counters of errors, is in Unsupported.def.
//
//===----------------------------------------------------------------------===//

#include "Management/Management.h"

using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

namespace {

/// nvmlClkMonStatus_t, of which no domain has a fault.
struct ClockMonitor {
  unsigned HasFault, Count;
  unsigned Faults[32][2];
};

/// nvmlGpmSupport_t.
struct MetricsSupport {
  unsigned Version, IsSupported;
};

/// nvmlConfComputeSystemCaps_t, nvmlConfComputeSystemState_t.
struct SecrecyCapabilities {
  unsigned OfCPU, OfDevices;
};
struct SecrecyState {
  unsigned Environment, Feature, DeveloperTools;
};
/// nvmlSystemConfComputeSettings_v1_t.
struct SecrecySettings {
  unsigned Version, Environment, Feature, DeveloperTools, SeveralDevices;
};
/// nvmlConfComputeMemSizeInfo_t.
struct SecrecyMemory {
  unsigned long long ProtectedKiB, UnprotectedKiB;
};

} // namespace

/// Fills in a structure that says no to everything.
template <typename T> static Result giveNone(T *To) {
  return whileInUse([=] {
    if (!To)
      return InvalidArgument;
    *To = {};
    return Success;
  });
}

extern "C" {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// NVML_FEATURE_DISABLED.
Result nvmlDeviceGetDefaultEccMode(DeviceHandle *Device, unsigned *Mode) {
  return giveValue(Device, Mode, 0u);
}

Result nvmlDeviceGetEccMode(DeviceHandle *Device, unsigned *Current,
                            unsigned *Pending) {
  Result Code = giveValue(Device, Current, 0u);
  return Code == Success ? giveValue(Device, Pending, 0u) : Code;
}

Result nvmlDeviceGetRetiredPages(DeviceHandle *Device, unsigned Cause,
                                 unsigned *Count, unsigned long long *) {
  constexpr unsigned NumCauses = 2;
  if (isInUse() && Cause >= NumCauses)
    return InvalidArgument;
  return giveValue(Device, Count, 0u);
}

Result nvmlDeviceGetRetiredPages_v2(DeviceHandle *Device, unsigned Cause,
                                    unsigned *Count,
                                    unsigned long long *Addresses,
                                    unsigned long long *) {
  return nvmlDeviceGetRetiredPages(Device, Cause, Count, Addresses);
}

Result nvmlDeviceGetRetiredPagesPendingStatus(DeviceHandle *Device,
                                              unsigned *IsPending) {
  return giveValue(Device, IsPending, 0u);
}

Result nvmlDeviceGetRemappedRows(DeviceHandle *Device, unsigned *Corrected,
                                 unsigned *Uncorrected, unsigned *IsPending,
                                 unsigned *HasFailed) {
  for (unsigned *Place : {Corrected, Uncorrected, IsPending, HasFailed})
    if (Result Code = giveValue(Device, Place, 0u); Code != Success)
      return Code;
  return Success;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Result nvmlDeviceGetNumFans(DeviceHandle *Device, unsigned *Count) {
  return giveValue(Device, Count, 0u);
}

/// Nothing limits its power.
Result nvmlDeviceGetPowerManagementMode(DeviceHandle *Device, unsigned *Mode) {
  return giveValue(Device, Mode, 0u);
}

Result nvmlDeviceGetClkMonStatus(DeviceHandle *Device, ClockMonitor *To) {
  return giveValue(Device, To, ClockMonitor{});
}

/// No part of the driver runs on the device.
Result nvmlDeviceGetGspFirmwareMode(DeviceHandle *Device, unsigned *IsEnabled,
                                    unsigned *Default) {
  Result Code = giveValue(Device, IsEnabled, 0u);
  return Code == Success ? giveValue(Device, Default, 0u) : Code;
}

/// Nothing keeps programs from beginning to use a device.
Result nvmlDeviceQueryDrainState(const void *Place, unsigned *State) {
  return Place ? giveNone(State) : whileInUse([] { return InvalidArgument; });
}

/// Whatever it is about, the user may do it.
Result nvmlDeviceGetAPIRestriction(DeviceHandle *Device, unsigned API,
                                   unsigned *IsRestricted) {
  constexpr unsigned NumAPIs = 2;
  if (isInUse() && API >= NumAPIs)
    return InvalidArgument;
  return giveValue(Device, IsRestricted, 0u);
}

/// Its place in the machine.
Result nvmlDeviceGetModuleId(DeviceHandle *Device, unsigned *Id) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Id, D.index());
  });
}

/// Counters that others could sample are a profiler's, in the program.
Result nvmlGpmQueryDeviceSupport(DeviceHandle *Device, MetricsSupport *To) {
  return ofDevice(Device, [=](const DeviceHandle &) {
    if (!To)
      return InvalidArgument;
    if (To->Version != 1)
      return VersionMismatch;
    To->IsSupported = 0;
    return Success;
  });
}

//===----------------------------------------------------------------------===//
// Secrecy
//===----------------------------------------------------------------------===//

Result nvmlSystemGetConfComputeCapabilities(SecrecyCapabilities *To) {
  return giveNone(To);
}

Result nvmlSystemGetConfComputeState(SecrecyState *To) { return giveNone(To); }

Result nvmlSystemGetConfComputeSettings(SecrecySettings *To) {
  if (isInUse() && To && To->Version != versionTag<SecrecySettings>(1))
    return VersionMismatch;
  unsigned Version = To ? To->Version : 0;
  Result Code = giveNone(To);
  if (Code == Success)
    To->Version = Version;
  return Code;
}

Result nvmlDeviceGetConfComputeMemSizeInfo(DeviceHandle *Device,
                                           SecrecyMemory *To) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(
        Device, To,
        SecrecyMemory{0, D.Description.Properties.MemoryBytes >> 10});
  });
}

} // extern "C"
