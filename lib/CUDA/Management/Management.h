//===- Management.h - What NVML says of the device --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVML's functions take a handle of a device and fill in what they are asked
// for. They answer without opening the device, so that a process may ask first
// and then fork children that use it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_MANAGEMENT_H
#define HEDDLE_LIB_CUDA_MANAGEMENT_H

#include "ABI.h"
#include "Process.h"
#include "heddle/Clients/List.h"

namespace heddle::cuda::nvml {

/// nvmlReturn_t.
enum Result : int {
#define HEDDLE_NVML_RESULT(Name, Value, Text) Name = Value,
#include "Management/Results.def"
};

/// nvmlDevice_t points to one. NVML knows all devices of the machine, whatever
/// the program sees, and their compute instances.
struct DeviceHandle {
  DeviceDescription Description;
  cudaDeviceProp Properties; ///< As the runtime API says them.

  unsigned index() const { return Description.Machine.Index; }
  unsigned clockMHz() const { return Description.Properties.ClockMHz; }
};

/// nvmlPciInfo_t; before version 3 only up to the last busId, in its place 16
/// reserved bytes.
struct PCIInfo {
  char LegacyId[16];
  unsigned Domain, Bus, Device, DeviceId, SubsystemId;
  char Id[32];
};

/// Whether this is between the first nvmlInit and the last nvmlShutdown.
bool isInUse();
/// The devices by their indices, while NVML is in use.
llvm::ArrayRef<std::unique_ptr<DeviceHandle>> devices();
/// The handle of a device, whole or part, that is there now; null if it is
/// none.
const DeviceHandle *findDevice(const DeviceHandle *Handle);
/// The handles of a device's compute instances, which stay the same.
std::vector<DeviceHandle *> partsOf(const DeviceHandle &Device);

/// Where a device is on the bus.
void givePlace(PCIInfo &To, const DeviceHandle &D);

/// What a field of nvmlDeviceGetFieldValues says of a device's links, or of the
/// one of this number.
Result linkField(const DeviceHandle &D, unsigned Field, unsigned Link,
                 unsigned long long &Value);

/// How much of a device's memory all processes have together.
unsigned long long bytesInUse(const DeviceHandle &D);

/// Fills in something if NVML is in use.
template <typename Fn> Result whileInUse(Fn Fill) {
  return isInUse() ? Fill() : Uninitialized;
}

/// Fills in something about a device, if there is one of that handle.
template <typename Fn> Result ofDevice(const DeviceHandle *Handle, Fn Fill) {
  if (!isInUse())
    return Uninitialized;
  const DeviceHandle *Known = findDevice(Handle);
  return Known ? Fill(*Known) : InvalidArgument;
}

/// The same for one value: Place is where it goes.
template <typename T>
Result giveValue(const DeviceHandle *Handle, T *Place, T Value) {
  return ofDevice(Handle, [=](const DeviceHandle &) {
    if (!Place)
      return InvalidArgument;
    *Place = Value;
    return Success;
  });
}

/// Copies a text with its final zero into a buffer of Size bytes.
Result giveText(llvm::StringRef Text, char *Buffer, unsigned Size);

/// What NVML's structures begin with: their size and the version's number.
template <typename T> constexpr unsigned versionTag(unsigned Version) {
  return sizeof(T) | Version << 24;
}

} // namespace heddle::cuda::nvml

#endif // HEDDLE_LIB_CUDA_MANAGEMENT_H
