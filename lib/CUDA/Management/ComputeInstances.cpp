//===- ComputeInstances.cpp - Parts of instances in NVML --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compute instances share their instance's memory and have some of its cores.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Management/Instances.h"

#include <cstdio>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

namespace {

/// nvmlComputeInstanceProfileInfo_t.
struct ProfileInfo {
  unsigned Id, Slices, Count, Cores;
  unsigned CopyEngines, Decoders, Encoders, JPEGs, OpticalFlows;
};
/// nvmlComputeInstanceProfileInfo_v2_t, _v3_t.
struct ProfileInfo2 {
  unsigned Version;
  unsigned Id, Slices, Count, Cores;
  unsigned CopyEngines, Decoders, Encoders, JPEGs, OpticalFlows;
  char Name[96];
};
struct ProfileInfo3 : ProfileInfo2 {
  unsigned Capabilities;
};

/// nvmlComputeInstanceInfo_t.
struct ComputeInfo {
  DeviceHandle *Device;
  InstanceHandle *Instance;
  unsigned Id, Profile;
  Placement Place;
};

} // namespace

static ComputeHandle *handleOf(InstanceHandle *Of, unsigned Id) {
  static auto *Handles = new HandleSet<ComputeHandle>; // see Process.h
  static auto *OneAtATime = new std::mutex;
  std::lock_guard Lock(*OneAtATime);
  ComputeHandle *Known = Handles->find(
      [=](const ComputeHandle &H) { return H.Of == Of && H.Id == Id; });
  return Known ? Known
               : Handles->add(
                     std::make_unique<ComputeHandle>(ComputeHandle{Of, Id}));
}

/// The slices of cores that an instance has.
static unsigned slicesOf(const DeviceHandle &D, const partitions::Instance &I) {
  return divisionOf(D).find(I.Profile)->ComputeSlices;
}

template <typename T>
static void setProfile(T &To, const DeviceHandle &D,
                       const partitions::Instance &I, unsigned Slices) {
  To.Id = profileNumberOf(Slices);
  To.Slices = Slices;
  To.Count = slicesOf(D, I) / Slices;
  To.Cores = divisionOf(D).cores(Slices, D.Description.Properties.Cores);
  To.CopyEngines = 1;
  if constexpr (requires { To.Name; })
    std::snprintf(To.Name, sizeof(To.Name), "MIG %uc.%ug", Slices,
                  slicesOf(D, I));
}

/// Fills in something about some slices of an instance, if it has so many.
template <typename Fn>
static Result ofSlices(const InstanceHandle *Handle, unsigned Number, Fn Fill) {
  return ofInstance(
      Handle, [&](const DeviceHandle &D, const partitions::Instance &I) {
        unsigned Slices = nvml::slicesOf(Number);
        if (!Slices)
          return InvalidArgument;
        return Slices <= ::slicesOf(D, I) ? Fill(D, I, Slices) : NotSupported;
      });
}

static Result create(InstanceHandle *Handle, unsigned Number,
                     std::optional<unsigned> Start, ComputeHandle **To) {
  return ofSlices(
      Handle, Number,
      [&](const DeviceHandle &D, const partitions::Instance &I,
          unsigned Slices) {
        if (!To)
          return InvalidArgument;
        return resultOf(partitions::Partitions::change([&](auto &All) -> Error {
          Expected<unsigned> Id =
              All.createCompute(machineOf(D), I.Id, Slices, Start);
          if (!Id)
            return Id.takeError();
          *To = handleOf(Handle, *Id);
          return Error::success();
        }));
      });
}

/// Fills in something about a compute instance that is there now.
template <typename Fn> static Result ofCompute(ComputeHandle *Handle, Fn Fill) {
  if (!isInUse() || !Handle)
    return isInUse() ? InvalidArgument : Uninitialized;
  return ofInstance(Handle->Of,
                    [&](const DeviceHandle &D, const partitions::Instance &I) {
                      for (const partitions::ComputeInstance &C : I.Computes)
                        if (C.Id == Handle->Id)
                          return Fill(D, I, C);
                      return NotFound;
                    });
}

extern "C" {

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

/// Engines are shared, in the only way that there is.
Result nvmlGpuInstanceGetComputeInstanceProfileInfo(InstanceHandle *Handle,
                                                    unsigned Number,
                                                    unsigned Engines,
                                                    ProfileInfo *To) {
  return ofSlices(Handle, Number,
                  [&](const DeviceHandle &D, const partitions::Instance &I,
                      unsigned Slices) {
                    if (!To || Engines)
                      return InvalidArgument;
                    *To = {};
                    setProfile(*To, D, I, Slices);
                    return Success;
                  });
}

Result nvmlGpuInstanceGetComputeInstanceProfileInfoV(InstanceHandle *Handle,
                                                     unsigned Number,
                                                     unsigned Engines,
                                                     ProfileInfo2 *To) {
  return ofSlices(Handle, Number,
                  [&](const DeviceHandle &D, const partitions::Instance &I,
                      unsigned Slices) {
                    if (!To || Engines)
                      return InvalidArgument;
                    unsigned Version = To->Version;
                    if (Version == versionTag<ProfileInfo3>(3))
                      *static_cast<ProfileInfo3 *>(To) = {};
                    else if (Version == versionTag<ProfileInfo2>(2))
                      *To = {};
                    else
                      return VersionMismatch;
                    To->Version = Version;
                    setProfile(*To, D, I, Slices);
                    return Success;
                  });
}

Result nvmlGpuInstanceGetComputeInstanceRemainingCapacity(
    InstanceHandle *Handle, unsigned Number, unsigned *Count) {
  return ofSlices(Handle, Number,
                  [&](const DeviceHandle &D, const partitions::Instance &I,
                      unsigned Slices) {
                    if (!Count)
                      return InvalidArgument;
                    partitions::Instance Filled = I;
                    for (*Count = 0;; ++*Count) {
                      std::vector<unsigned> Free =
                          partitions::freeStarts(Filled, divisionOf(D), Slices);
                      if (Free.empty())
                        return Success;
                      Filled.Computes.push_back(
                          {~0u, Free.front(), Slices, {}});
                    }
                  });
}

Result nvmlGpuInstanceGetComputeInstancePossiblePlacements(
    InstanceHandle *Handle, unsigned Number, Placement *To, unsigned *Count) {
  return ofSlices(Handle, Number,
                  [&](const DeviceHandle &D, const partitions::Instance &I,
                      unsigned Slices) {
                    partitions::Instance Empty = {I.Id, I.Profile, I.Start, {}};
                    return givePlaces(
                        partitions::freeStarts(Empty, divisionOf(D), Slices),
                        Slices, To, Count);
                  });
}

//===----------------------------------------------------------------------===//
// Compute instances
//===----------------------------------------------------------------------===//

Result nvmlGpuInstanceCreateComputeInstance(InstanceHandle *Handle,
                                            unsigned Number,
                                            ComputeHandle **To) {
  return create(Handle, Number, std::nullopt, To);
}

Result nvmlGpuInstanceCreateComputeInstanceWithPlacement(InstanceHandle *Handle,
                                                         unsigned Number,
                                                         const Placement *Place,
                                                         ComputeHandle **To) {
  if (isInUse() && !Place)
    return InvalidArgument;
  return create(Handle, Number, Place ? Place->Start : 0, To);
}

Result nvmlComputeInstanceDestroy(ComputeHandle *Handle) {
  return ofCompute(Handle, [&](const DeviceHandle &D,
                               const partitions::Instance &I,
                               const partitions::ComputeInstance &C) {
    return resultOf(partitions::Partitions::change([&](auto &All) {
      return All.destroyCompute(machineOf(D), I.Id, C.Id);
    }));
  });
}

/// Those with so many slices.
Result nvmlGpuInstanceGetComputeInstances(InstanceHandle *Handle,
                                          unsigned Number, ComputeHandle **To,
                                          unsigned *Count) {
  return ofSlices(Handle, Number,
                  [&](const DeviceHandle &, const partitions::Instance &I,
                      unsigned Slices) {
                    if (!To || !Count)
                      return InvalidArgument;
                    *Count = 0;
                    for (const partitions::ComputeInstance &C : I.Computes)
                      if (C.Slices == Slices)
                        To[(*Count)++] = handleOf(Handle, C.Id);
                    return Success;
                  });
}

Result nvmlGpuInstanceGetComputeInstanceById(InstanceHandle *Handle,
                                             unsigned Id, ComputeHandle **To) {
  return ofInstance(Handle,
                    [&](const DeviceHandle &, const partitions::Instance &I) {
                      if (!To)
                        return InvalidArgument;
                      for (const partitions::ComputeInstance &C : I.Computes)
                        if (C.Id == Id) {
                          *To = handleOf(Handle, Id);
                          return Success;
                        }
                      return NotFound;
                    });
}

Result nvmlComputeInstanceGetInfo_v2(ComputeHandle *Handle, ComputeInfo *To) {
  return ofCompute(Handle,
                   [&](const DeviceHandle &, const partitions::Instance &,
                       const partitions::ComputeInstance &C) {
                     if (!To)
                       return InvalidArgument;
                     *To = {Handle->Of->Device,
                            Handle->Of,
                            C.Id,
                            profileNumberOf(C.Slices),
                            {C.Start, C.Slices}};
                     return Success;
                   });
}

} // extern "C"
