//===- Instances.cpp - Instances of devices in NVML -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that is to be divided (MIG), the profiles that it has, and instances
// with cores and memory of their own (lib/Partitions).
//
//===----------------------------------------------------------------------===//

#include "Management/Instances.h"
#include "Handles.h"

#include <algorithm>
#include <cstdio>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

namespace {

/// nvmlGpuInstanceProfileInfo_t.
struct ProfileInfo {
  unsigned Id, PeersWork, Slices, Count, Cores;
  unsigned CopyEngines, Decoders, Encoders, JPEGs, OpticalFlows;
  unsigned long long MemoryMB;
};
/// nvmlGpuInstanceProfileInfo_v2_t; version 3 has no PeersWork, and
/// capabilities at its end.
struct ProfileInfo2 {
  unsigned Version;
  unsigned Id, PeersWork, Slices, Count, Cores;
  unsigned CopyEngines, Decoders, Encoders, JPEGs, OpticalFlows;
  unsigned long long MemoryMB;
  char Name[96];
};
struct ProfileInfo3 {
  unsigned Version;
  unsigned Id, Slices, Count, Cores;
  unsigned CopyEngines, Decoders, Encoders, JPEGs, OpticalFlows;
  unsigned long long MemoryMB;
  char Name[96];
  unsigned Capabilities;
};

/// nvmlGpuInstanceInfo_t.
struct InstanceInfo {
  DeviceHandle *Device;
  unsigned Id, Profile;
  Placement Place;
};

/// nvmlDeviceAttributes_t.
struct Attributes {
  unsigned Cores, CopyEngines, Decoders, Encoders, JPEGs, OpticalFlows;
  unsigned InstanceSlices, ComputeSlices;
  unsigned long long MemoryMB;
};

} // namespace

unsigned nvml::slicesOf(unsigned ProfileNumber) {
  constexpr unsigned Slices[] = {1, 2, 3, 4, 7, 8, 6};
  return ProfileNumber < std::size(Slices) ? Slices[ProfileNumber] : 0;
}

unsigned nvml::profileNumberOf(unsigned Slices) {
  unsigned Number = 0;
  while (slicesOf(Number) && slicesOf(Number) != Slices)
    ++Number;
  return Number;
}

Result nvml::resultOf(Error E) {
  Result Code = Success;
  handleAllErrors(
      std::move(E),
      [&](const partitions::RefusedChange &R) {
        log(R.Message);
        switch (R.Why) {
        case partitions::Refusal::NotEnabled:
          Code = NotSupported;
          break;
        case partitions::Refusal::NoRoom:
          Code = InsufficientResources;
          break;
        case partitions::Refusal::Unknown:
          Code = NotFound;
          break;
        case partitions::Refusal::InUse:
          Code = InUse;
          break;
        case partitions::Refusal::Unavailable:
          Code = OperatingSystem;
          break;
        }
      },
      [&](const ErrorInfoBase &Other) {
        log(Other.message());
        Code = Unknown;
      });
  return Code;
}

Result nvml::givePlaces(ArrayRef<unsigned> Starts, unsigned Size, Placement *To,
                        unsigned *Count) {
  if (!Count)
    return InvalidArgument;
  unsigned Room = *Count;
  *Count = Starts.size();
  if (!To)
    return Success;
  if (Starts.size() > Room)
    return InsufficientSize;
  for (unsigned Start : Starts)
    *To++ = {Start, Size};
  return Success;
}

InstanceHandle *nvml::handleOf(DeviceHandle *Device, unsigned Instance) {
  static auto *Handles = new HandleSet<InstanceHandle>; // see Process.h
  static auto *OneAtATime = new std::mutex;
  std::lock_guard Lock(*OneAtATime);
  InstanceHandle *Known = Handles->find([=](const InstanceHandle &H) {
    return H.Device == Device && H.Id == Instance;
  });
  return Known ? Known
               : Handles->add(std::make_unique<InstanceHandle>(
                     InstanceHandle{Device, Instance}));
}

static unsigned long long memoryOf(const DeviceHandle &D,
                                   const partitions::Profile &P) {
  return D.Description.Properties.MemoryBytes / divisionOf(D).MemorySlices *
         P.MemorySlices;
}

template <typename T>
static void setProfile(T &To, const DeviceHandle &D,
                       const partitions::Profile &P) {
  To.Id = P.Id;
  To.Slices = P.ComputeSlices;
  To.Count = P.Starts.size();
  To.Cores =
      divisionOf(D).cores(P.ComputeSlices, D.Description.Properties.Cores);
  To.CopyEngines = 1;
  To.MemoryMB = memoryOf(D, P) >> 20;
  if constexpr (requires { To.Name; })
    std::snprintf(To.Name, sizeof(To.Name), "MIG %s",
                  partitions::nameOf(P, memoryOf(D, P)).c_str());
}

/// Fills in a profile in one of the versions that there are.
static Result giveProfile(const DeviceHandle &D, const partitions::Profile *P,
                          unsigned *Versioned) {
  if (!Versioned)
    return InvalidArgument;
  if (!P)
    return NotSupported;
  unsigned Version = *Versioned;
  if (Version == versionTag<ProfileInfo2>(2)) {
    auto *To = reinterpret_cast<ProfileInfo2 *>(Versioned);
    *To = {};
    setProfile(*To, D, *P);
  } else if (Version == versionTag<ProfileInfo3>(3)) {
    auto *To = reinterpret_cast<ProfileInfo3 *>(Versioned);
    *To = {};
    setProfile(*To, D, *P);
  } else {
    return VersionMismatch;
  }
  *Versioned = Version;
  return Success;
}

/// Makes an instance, and gives its handle out.
static Result create(DeviceHandle *Device, unsigned Profile,
                     std::optional<unsigned> Start, InstanceHandle **To) {
  return ofDivided(Device, [&](const DeviceHandle &D, partitions::Divided &) {
    if (!To)
      return InvalidArgument;
    return resultOf(partitions::Partitions::change([&](auto &All) -> Error {
      Expected<unsigned> Id = All.create(machineOf(D), Profile, Start);
      if (!Id)
        return Id.takeError();
      *To = handleOf(Device, *Id);
      return Error::success();
    }));
  });
}

extern "C" {

//===----------------------------------------------------------------------===//
// Whether a device is to be divided
//===----------------------------------------------------------------------===//

Result nvmlDeviceGetMigMode(DeviceHandle *Device, unsigned *Now,
                            unsigned *Later) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (!Now || !Later || machineOf(D).Part)
      return InvalidArgument;
    *Now = *Later = readPartitions().of(machineOf(D)).IsEnabled;
    return Success;
  });
}

/// Takes effect at once, and says so in Activated.
Result nvmlDeviceSetMigMode(DeviceHandle *Device, unsigned Mode,
                            Result *Activated) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (Mode > 1 || !Activated || machineOf(D).Part)
      return InvalidArgument;
    *Activated = resultOf(partitions::Partitions::change(
        [&](auto &All) { return All.enable(machineOf(D), Mode); }));
    return *Activated;
  });
}

Result nvmlDeviceGetMaxMigDeviceCount(DeviceHandle *Device, unsigned *Count) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Count, divisionOf(D).ComputeSlices);
  });
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

Result nvmlDeviceGetGpuInstanceProfileInfo(DeviceHandle *Device,
                                           unsigned Number, ProfileInfo *To) {
  return ofDivided(Device, [&](const DeviceHandle &D, partitions::Divided &) {
    partitions::Division By = divisionOf(D);
    const partitions::Profile *P = By.ofSlices(slicesOf(Number));
    if (!To || !slicesOf(Number))
      return InvalidArgument;
    if (!P)
      return NotSupported;
    *To = {};
    setProfile(*To, D, *P);
    return Success;
  });
}

Result nvmlDeviceGetGpuInstanceProfileInfoV(DeviceHandle *Device,
                                            unsigned Number, unsigned *To) {
  return ofDivided(Device, [&](const DeviceHandle &D, partitions::Divided &) {
    partitions::Division By = divisionOf(D);
    return giveProfile(D, By.ofSlices(slicesOf(Number)), To);
  });
}

Result nvmlDeviceGetGpuInstanceProfileInfoByIdV(DeviceHandle *Device,
                                                unsigned Profile,
                                                unsigned *To) {
  return ofDivided(Device, [&](const DeviceHandle &D, partitions::Divided &) {
    partitions::Division By = divisionOf(D);
    return giveProfile(D, By.find(Profile), To);
  });
}

Result nvmlDeviceGetGpuInstancePossiblePlacements_v2(DeviceHandle *Device,
                                                     unsigned Profile,
                                                     Placement *To,
                                                     unsigned *Count) {
  return ofDivided(Device, [&](const DeviceHandle &D, partitions::Divided &) {
    partitions::Division By = divisionOf(D);
    const partitions::Profile *P = By.find(Profile);
    return P ? givePlaces(P->Starts, P->MemorySlices, To, Count) : NotSupported;
  });
}

/// How many such instances could still be made.
Result nvmlDeviceGetGpuInstanceRemainingCapacity(DeviceHandle *Device,
                                                 unsigned Profile,
                                                 unsigned *Count) {
  return ofDivided(
      Device, [&](const DeviceHandle &D, partitions::Divided &Parts) {
        partitions::Division By = divisionOf(D);
        const partitions::Profile *P = By.find(Profile);
        if (!P || !Count)
          return P ? InvalidArgument : NotSupported;
        for (*Count = 0;; ++*Count) {
          std::vector<unsigned> Free = partitions::freeStarts(Parts, By, *P);
          if (Free.empty())
            return Success;
          Parts.Instances.push_back({~0u, P->Id, Free.front(), {}});
        }
      });
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

Result nvmlDeviceCreateGpuInstance(DeviceHandle *Device, unsigned Profile,
                                   InstanceHandle **To) {
  return create(Device, Profile, std::nullopt, To);
}

Result nvmlDeviceCreateGpuInstanceWithPlacement(DeviceHandle *Device,
                                                unsigned Profile,
                                                const Placement *Place,
                                                InstanceHandle **To) {
  if (isInUse() && !Place)
    return InvalidArgument;
  return create(Device, Profile, Place ? Place->Start : 0, To);
}

Result nvmlGpuInstanceDestroy(InstanceHandle *Handle) {
  return ofInstance(
      Handle, [&](const DeviceHandle &D, const partitions::Instance &I) {
        return resultOf(partitions::Partitions::change(
            [&](auto &All) { return All.destroy(machineOf(D), I.Id); }));
      });
}

/// Those of a profile.
Result nvmlDeviceGetGpuInstances(DeviceHandle *Device, unsigned Profile,
                                 InstanceHandle **To, unsigned *Count) {
  return ofDivided(Device,
                   [&](const DeviceHandle &D, partitions::Divided &Parts) {
                     if (!To || !Count)
                       return InvalidArgument;
                     if (!divisionOf(D).find(Profile))
                       return NotSupported;
                     *Count = 0;
                     for (const partitions::Instance &I : Parts.Instances)
                       if (I.Profile == Profile)
                         To[(*Count)++] = handleOf(Device, I.Id);
                     return Success;
                   });
}

Result nvmlDeviceGetGpuInstanceById(DeviceHandle *Device, unsigned Id,
                                    InstanceHandle **To) {
  return ofDivided(Device,
                   [&](const DeviceHandle &, partitions::Divided &Parts) {
                     if (!To)
                       return InvalidArgument;
                     if (!Parts.find(Id))
                       return NotFound;
                     *To = handleOf(Device, Id);
                     return Success;
                   });
}

Result nvmlGpuInstanceGetInfo(InstanceHandle *Handle, InstanceInfo *To) {
  return ofInstance(
      Handle, [&](const DeviceHandle &D, const partitions::Instance &I) {
        if (!To)
          return InvalidArgument;
        unsigned Size = divisionOf(D).find(I.Profile)->MemorySlices;
        *To = {Handle->Device, I.Id, I.Profile, {I.Start, Size}};
        return Success;
      });
}

//===----------------------------------------------------------------------===//
// Compute instances as devices
//===----------------------------------------------------------------------===//

Result nvmlDeviceIsMigDeviceHandle(DeviceHandle *Device, unsigned *Is) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Is, unsigned(machineOf(D).Part.has_value()));
  });
}

Result nvmlDeviceGetGpuInstanceId(DeviceHandle *Device, unsigned *Id) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    const auto &Part = machineOf(D).Part;
    return Part ? giveValue(Device, Id, Part->Instance) : InvalidArgument;
  });
}

Result nvmlDeviceGetComputeInstanceId(DeviceHandle *Device, unsigned *Id) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    const auto &Part = machineOf(D).Part;
    return Part ? giveValue(Device, Id, Part->ComputeInstance)
                : InvalidArgument;
  });
}

Result nvmlDeviceGetMigDeviceHandleByIndex(DeviceHandle *Device, unsigned Index,
                                           DeviceHandle **To) {
  return ofDivided(Device, [&](const DeviceHandle &D, partitions::Divided &) {
    std::vector<DeviceHandle *> Parts = partsOf(D);
    if (!To)
      return InvalidArgument;
    if (Index >= Parts.size())
      return NotFound;
    *To = Parts[Index];
    return Success;
  });
}

Result nvmlDeviceGetDeviceHandleFromMigDeviceHandle(DeviceHandle *Part,
                                                    DeviceHandle **To) {
  return ofDevice(Part, [=](const DeviceHandle &D) {
    if (!To || !machineOf(D).Part)
      return InvalidArgument;
    *To = devices()[D.index()].get();
    return Success;
  });
}

Result nvmlDeviceGetAttributes_v2(DeviceHandle *Device, Attributes *To) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    const auto &Part = machineOf(D).Part;
    if (!To)
      return InvalidArgument;
    if (!Part)
      return NotSupported;
    *To = {};
    To->Cores = Part->Cores;
    To->CopyEngines = 1;
    To->InstanceSlices = Part->InstanceSlices;
    To->ComputeSlices = Part->Slices;
    To->MemoryMB = D.Description.Properties.MemoryBytes >> 20;
    return Success;
  });
}

} // extern "C"
