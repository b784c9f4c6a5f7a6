//===- Instances.h - Parts of devices in NVML -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles of instances and of compute instances, and what both kinds of
// functions do.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_MANAGEMENT_INSTANCES_H
#define HEDDLE_LIB_CUDA_MANAGEMENT_INSTANCES_H

#include "Management/Management.h"

namespace heddle::cuda::nvml {

/// nvmlGpuInstance_t and nvmlComputeInstance_t point to one: it stays the same
/// for the same numbers.
struct InstanceHandle {
  DeviceHandle *Device;
  unsigned Id;
};
struct ComputeHandle {
  InstanceHandle *Of;
  unsigned Id;
};
InstanceHandle *handleOf(DeviceHandle *Device, unsigned Instance);

/// nvmlGpuInstancePlacement_t, nvmlComputeInstancePlacement_t.
struct Placement {
  unsigned Start, Size;
};

/// How many slices NVML's number of a kind of profile means; 0: none.
unsigned slicesOf(unsigned ProfileNumber);
/// The other way round.
unsigned profileNumberOf(unsigned Slices);

inline const MachineDevice &machineOf(const DeviceHandle &D) {
  return D.Description.Machine;
}
inline partitions::Division divisionOf(const DeviceHandle &D) {
  return partitions::divisionOf(machineOf(D).Chip);
}

/// What NVML calls a refusal.
Result resultOf(llvm::Error E);

/// Fills in something about a whole device that is divided.
template <typename Fn> Result ofDivided(const DeviceHandle *Device, Fn Fill) {
  return ofDevice(Device, [&](const DeviceHandle &D) {
    if (machineOf(D).Part)
      return InvalidArgument;
    partitions::Divided Parts = readPartitions().of(machineOf(D));
    return Parts.IsEnabled ? Fill(D, Parts) : NotSupported;
  });
}

/// The same of an instance that is there now.
template <typename Fn>
Result ofInstance(const InstanceHandle *Handle, Fn Fill) {
  if (!isInUse() || !Handle)
    return isInUse() ? InvalidArgument : Uninitialized;
  return ofDivided(Handle->Device, [&](const DeviceHandle &D,
                                       partitions::Divided &Parts) {
    partitions::Instance *I = Parts.find(Handle->Id);
    const partitions::Profile *P = I ? divisionOf(D).find(I->Profile) : nullptr;
    return P ? Fill(D, *I) : NotFound;
  });
}

/// Fills in places, as many as there are, and their count.
Result givePlaces(llvm::ArrayRef<unsigned> Starts, unsigned Size, Placement *To,
                  unsigned *Count);

} // namespace heddle::cuda::nvml

#endif // HEDDLE_LIB_CUDA_MANAGEMENT_INSTANCES_H
