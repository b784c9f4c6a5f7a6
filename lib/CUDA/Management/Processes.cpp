//===- Processes.cpp - Who uses a device in NVML ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Processes tell in their records what they do on which device (lib/Clients).
// Each has the device's memory for itself, so that together they may use more
// than there is, unless a service shares the device out. That knows of
// processes whose records are not seen here, too: other users', and those of
// containers.
//
//===----------------------------------------------------------------------===//

#include "Management/Management.h"
#include "heddle/DeviceService/Status.h"

#include <algorithm>
#include <chrono>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

namespace {

/// nvmlUtilization_t, in percent.
struct Utilization {
  unsigned Device, Memory;
};

/// nvmlProcessInfo_v1_t.
struct ProcessInfo1 {
  unsigned Id;
  unsigned long long Bytes;
};
/// nvmlProcessInfo_v2_t, and what followed it.
struct ProcessInfo2 {
  unsigned Id;
  unsigned long long Bytes;
  unsigned GpuInstance, ComputeInstance; ///< All bits set: none.
};
/// nvmlProcessDetail_v1_t.
struct ProcessDetail {
  unsigned Id;
  unsigned long long Bytes;
  unsigned GpuInstance, ComputeInstance;
  unsigned long long ProtectedBytes;
};
/// nvmlProcessDetailList_v1_t.
struct ProcessDetailList {
  unsigned Version;
  unsigned Mode; ///< 0: compute, 1: graphics, 2: MPS, 3: all
  unsigned Count;
  ProcessDetail *Details;
};

/// nvmlGpuDynamicPstatesInfo_t: of the device, its memory, video and bus.
struct DomainUses {
  unsigned Flags;
  struct {
    unsigned IsPresent, Percent, RaisesAt, LowersAt;
  } Uses[8];
};

/// nvmlProcessUtilizationSample_t: percent of the last second.
struct ProcessUse {
  unsigned Id;
  unsigned long long Microseconds; ///< When; since 1970.
  unsigned Device, Memory, Encoder, Decoder;
};
/// nvmlProcessUtilizationInfo_v1_t.
struct ProcessUse1 {
  unsigned long long Microseconds;
  unsigned Id;
  unsigned Device, Memory, Encoder, Decoder, JPEG, OpticalFlow;
};
/// nvmlProcessesUtilizationInfo_v1_t.
struct ProcessUseList {
  unsigned Version;
  unsigned Count;
  unsigned long long Since;
  ProcessUse1 *Uses;
};

/// A process that has a device open, or a part of it.
struct User {
  unsigned Process;
  clients::ClientDevice Use;
  std::optional<fabric::DevicePart> Part;
};

} // namespace

/// By their records.
static std::vector<User> usersWithRecords(ArrayRef<MachineDevice> Devices) {
  std::vector<User> Users;
  Expected<std::vector<clients::Client>> Clients = clients::listClients();
  if (!Clients) {
    log(toString(Clients.takeError()));
    return Users;
  }
  for (const clients::Client &C : *Clients)
    for (const MachineDevice &Of : Devices)
      if (const clients::ClientDevice *Use = C.find(Of.uuid());
          Use && Use->IsOpen)
        Users.push_back({static_cast<unsigned>(C.Process), *Use, Of.Part});
  return Users;
}

/// Adds those that only a service knows.
static void addServed(ArrayRef<MachineDevice> Devices,
                      std::vector<User> &Users) {
  for (const deviced::ClientStatus &C : deviced::clientsOfService())
    for (const MachineDevice &Of : Devices) {
      bool IsKnown = any_of(Users, [&](const User &U) {
        return U.Process == C.Process && U.Use.Device == Of.uuid();
      });
      if (IsKnown || Of.uuidText() != C.Device)
        continue;
      clients::ClientDevice Use;
      Use.Device = Of.uuid();
      Use.IsOpen = true;
      Use.Bytes = C.Bytes;
      Use.MostBytes = C.MostBytes;
      Use.Launches = C.Launches;
      Users.push_back({static_cast<unsigned>(C.Process), Use, Of.Part});
    }
}

/// Without records and a service nobody is known. Who uses a part uses its
/// device.
static std::vector<User> usersOf(const DeviceHandle &D) {
  std::vector<MachineDevice> Devices = {D.Description.Machine};
  for (const DeviceHandle *Part : partsOf(D))
    Devices.push_back(Part->Description.Machine);
  std::vector<User> Users = usersWithRecords(Devices);
  addServed(Devices, Users);
  return Users;
}

unsigned long long nvml::bytesInUse(const DeviceHandle &D) {
  unsigned long long Bytes = 0;
  for (const User &U : usersOf(D))
    Bytes += U.Use.Bytes;
  return Bytes;
}

static unsigned percentOf(const clients::ClientDevice &Use) {
  constexpr uint64_t PercentNs = 10'000'000;
  return (Use.LastSecond + PercentNs / 2) / PercentNs;
}

/// Fills in a list of Count places, which becomes how many there are.
template <typename T, typename Fn>
static Result giveList(ArrayRef<User> Users, unsigned *Count, T *To, Fn Fill) {
  if (!Count)
    return InvalidArgument;
  unsigned Room = *Count;
  *Count = Users.size();
  if (Users.size() > Room)
    return InsufficientSize;
  if (!Users.empty() && !To)
    return InvalidArgument;
  for (const User &U : Users) {
    *To = {};
    To->Id = U.Process;
    Fill(*To++, U);
  }
  return Success;
}

/// Fills in the list of processes that use the device, if they are asked for.
template <typename T>
static Result giveProcesses(const DeviceHandle *Device, unsigned *Count, T *To,
                            bool IsAsked = true) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveList(IsAsked ? usersOf(D) : std::vector<User>(), Count, To,
                    [](T &Info, const User &U) {
                      Info.Bytes = U.Use.Bytes;
                      if constexpr (requires { Info.GpuInstance; }) {
                        Info.GpuInstance = U.Part ? U.Part->Instance : ~0u;
                        Info.ComputeInstance =
                            U.Part ? U.Part->ComputeInstance : ~0u;
                      }
                    });
  });
}

static unsigned long long microsecondsNow() {
  return std::chrono::duration_cast<std::chrono::microseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

/// The same with how busy they were, of those that were at all.
template <typename T>
static Result giveUses(const DeviceHandle &D, unsigned *Count, T *To) {
  std::vector<User> Users = usersOf(D);
  erase_if(Users, [](const User &U) { return U.Use.LastSecond == 0; });
  if (Users.empty() && Count) {
    *Count = 0;
    return NotFound;
  }
  return giveList(Users, Count, To, [](T &Info, const User &U) {
    Info.Microseconds = microsecondsNow();
    Info.Device = Info.Memory = percentOf(U.Use);
  });
}

extern "C" {

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

Result nvmlDeviceGetComputeRunningProcesses(DeviceHandle *Device,
                                            unsigned *Count, ProcessInfo1 *To) {
  return giveProcesses(Device, Count, To);
}

Result nvmlDeviceGetComputeRunningProcesses_v3(DeviceHandle *Device,
                                               unsigned *Count,
                                               ProcessInfo2 *To) {
  return giveProcesses(Device, Count, To);
}

/// There are no others than those that compute.
Result nvmlDeviceGetGraphicsRunningProcesses_v3(DeviceHandle *Device,
                                                unsigned *Count,
                                                ProcessInfo2 *To) {
  return giveProcesses(Device, Count, To, /*IsAsked=*/false);
}

Result nvmlDeviceGetRunningProcessDetailList(DeviceHandle *Device,
                                             ProcessDetailList *List) {
  constexpr unsigned Compute = 0, All = 3;
  if (!isInUse() || !List)
    return isInUse() ? InvalidArgument : Uninitialized;
  if (List->Version != versionTag<ProcessDetailList>(1))
    return VersionMismatch;
  if (List->Mode > All)
    return InvalidArgument;
  return giveProcesses(Device, &List->Count, List->Details,
                       List->Mode == Compute || List->Mode == All);
}

//===----------------------------------------------------------------------===//
// How busy the device is
//===----------------------------------------------------------------------===//

/// For how much of the last second kernels ran, of whatever process. Nobody
/// counts when they used memory.
Result nvmlDeviceGetUtilizationRates(DeviceHandle *Device, Utilization *To) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    unsigned Percent = 0;
    for (const User &U : usersOf(D))
      Percent += percentOf(U.Use);
    Percent = std::min(Percent, 100u);
    return giveValue(Device, To, Utilization{Percent, Percent});
  });
}

Result nvmlDeviceGetDynamicPstatesInfo(DeviceHandle *Device, DomainUses *To) {
  return ofDevice(Device, [=](const DeviceHandle &) {
    Utilization Use = {};
    Result Code = nvmlDeviceGetUtilizationRates(Device, &Use);
    if (Code != Success)
      return Code;
    DomainUses Domains = {};
    Domains.Uses[0] = {1, Use.Device, 0, 0};
    Domains.Uses[1] = {1, Use.Memory, 0, 0};
    return giveValue(Device, To, Domains);
  });
}

/// The samples are of the last second, whatever the caller has seen.
Result nvmlDeviceGetProcessUtilization(DeviceHandle *Device, ProcessUse *To,
                                       unsigned *Count, unsigned long long) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    // A caller without places asks how many there are.
    if (Count && !To)
      *Count = 0;
    return giveUses(D, Count, To);
  });
}

Result nvmlDeviceGetProcessesUtilizationInfo(DeviceHandle *Device,
                                             ProcessUseList *List) {
  if (!isInUse() || !List)
    return isInUse() ? InvalidArgument : Uninitialized;
  if (List->Version != versionTag<ProcessUseList>(1))
    return VersionMismatch;
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveUses(D, &List->Count, List->Uses);
  });
}

} // extern "C"
