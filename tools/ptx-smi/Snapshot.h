//===- Snapshot.h - The devices at one moment -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What NVML says of all devices and of who uses them, and a service that shares
// devices out, of its clients. ptx-smi asks once and prints from this; what is
// not known has no value.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_SMI_SNAPSHOT_H
#define HEDDLE_TOOLS_PTX_SMI_SNAPSHOT_H

#include "NVML.h"
#include "heddle/DeviceService/Status.h"

#include <ctime>

namespace heddle::smi {

struct ProcessUse {
  unsigned Process;
  std::string Name; ///< With its folder.
  uint64_t Bytes;
  unsigned UsePercent; ///< Of the last second.
  /// Of the part that it uses; none: it uses the whole device.
  std::optional<unsigned> Instance, ComputeInstance;
  /// None: it has the device by itself.
  std::optional<deviced::ClientStatus> Service = {};
  unsigned SharePercent = 0; ///< With a service, of all clients' shares.
};

/// What a process did on a device over its life, also when that has ended.
struct AccountedUse {
  unsigned Process;
  bool IsRunning;
  unsigned UsePercent;
  uint64_t MostBytes, Milliseconds; ///< The time is 0 while it runs.
};

/// A compute instance of a device.
struct PartState {
  unsigned Instance, ComputeInstance;
  std::string Name, UUID;
  unsigned Cores;
  uint64_t TotalBytes, UsedBytes;
};

struct DeviceState {
  unsigned Index;
  std::string Name, UUID, BusId;
  int Major, Minor; ///< The compute capability.
  unsigned Domain, Bus, Device;
  std::optional<unsigned> Cores, ClockMHz, UsePercent, BusWidth;
  uint64_t TotalBytes, UsedBytes, FreeBytes;
  bool IsDivided;
  std::vector<PartState> Parts;
  std::vector<ProcessUse> Processes;
  bool IsAccounted;
  std::vector<AccountedUse> Accounts;
  std::optional<unsigned> AccountRoom, LinkGeneration, LinkLanes;
  unsigned LastXid = 0; ///< Of the last fault that monitors could see.
};

struct Snapshot {
  time_t Time;
  std::string Driver, CUDA; ///< Versions.
  std::vector<DeviceState> Devices;
};

/// Whether a text is a device's index, UUID or place on the bus.
bool isCalled(const DeviceState &D, llvm::StringRef Name);

/// Asks for all devices, or for those whose index, UUID or place on the bus is
/// in \p Wanted, if that is not empty; an error if one is none of a device.
llvm::Expected<Snapshot> takeSnapshot(const NVML &Library,
                                      llvm::ArrayRef<std::string> Wanted);

/// The handles of the devices that are wanted, likewise, by their indices.
llvm::Expected<std::vector<std::pair<unsigned, DeviceHandle>>>
findDevices(const NVML &Library, llvm::ArrayRef<std::string> Wanted);

} // namespace heddle::smi

#endif // HEDDLE_TOOLS_PTX_SMI_SNAPSHOT_H
