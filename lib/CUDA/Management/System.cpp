//===- System.cpp - NVML and the machine ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Begin and end of NVML, and what it says of the machine.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Management/Management.h"
#include "Runtime/Device.h"
#include "heddle/Support/CUDAVersion.h"

#include <cstdio>
#include <cstring>
#include <fstream>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

static std::atomic<unsigned> NumUsers{0};

static Expected<std::unique_ptr<DeviceHandle>>
makeHandle(const MachineDevice &Of) {
  ProcessDevice Device(0, Of, nullptr, nullptr);
  Expected<DeviceDescription> D = Device.describe();
  if (!D)
    return D.takeError();
  return std::make_unique<DeviceHandle>(*D, propertiesOf(*D));
}

/// Made once and kept, for handles stay the same whoever ends NVML between.
/// All devices of the machine; none if there can be none, which is said once.
static ArrayRef<std::unique_ptr<DeviceHandle>> describe() {
  using DeviceList = std::vector<std::unique_ptr<DeviceHandle>>;
  static const auto *Known = [] {
    auto *List = new DeviceList; // see Process.h
    Expected<const Machine &> M = Process::get().machine();
    Error Failed = M ? Error::success() : M.takeError();
    for (unsigned I = 0; !Failed && I != M->devices().size(); ++I) {
      Expected<std::unique_ptr<DeviceHandle>> D = makeHandle(M->devices()[I]);
      if (D)
        List->push_back(std::move(*D));
      else
        Failed = D.takeError();
    }
    if (Failed) {
      std::fprintf(stderr, "heddle: %s\n", toString(std::move(Failed)).c_str());
      List->clear();
    }
    return List;
  }();
  return *Known;
}

bool nvml::isInUse() { return NumUsers != 0; }

ArrayRef<std::unique_ptr<DeviceHandle>> nvml::devices() { return describe(); }

/// Of parts, by UUID: those that are there, and those that once were.
static HandleSet<DeviceHandle> &partHandles() {
  static auto *Made = new HandleSet<DeviceHandle>; // see Process.h
  return *Made;
}

std::vector<DeviceHandle *> nvml::partsOf(const DeviceHandle &Device) {
  std::vector<DeviceHandle *> Parts;
  if (Device.Description.Machine.Part)
    return Parts;
  static auto *OneAtATime = new std::mutex; // see Process.h
  std::lock_guard Lock(*OneAtATime);
  for (const MachineDevice &Part : partitions::partsOf(
           Device.Description.Machine, readPartitions(), coresOfChip)) {
    DeviceHandle *Handle = partHandles().find([&](const DeviceHandle &D) {
      return D.Description.Machine.uuid() == Part.uuid();
    });
    if (!Handle) {
      Expected<std::unique_ptr<DeviceHandle>> Made = makeHandle(Part);
      if (!Made) {
        log(toString(Made.takeError()));
        continue;
      }
      Handle = partHandles().add(std::move(*Made));
    }
    Parts.push_back(Handle);
  }
  return Parts;
}

const DeviceHandle *nvml::findDevice(const DeviceHandle *Handle) {
  for (const std::unique_ptr<DeviceHandle> &Known : devices())
    if (Handle == Known.get())
      return Handle;
  if (!Handle || !partHandles().contains(Handle))
    return nullptr;
  // Its instance may have been destroyed.
  for (const std::unique_ptr<DeviceHandle> &Known : devices())
    if (Known->index() == Handle->index() &&
        is_contained(partsOf(*Known), Handle))
      return Handle;
  return nullptr;
}

Result nvml::giveText(StringRef Text, char *Buffer, unsigned Size) {
  if (!Buffer)
    return InvalidArgument;
  if (Text.size() >= Size)
    return InsufficientSize;
  std::memcpy(Buffer, Text.data(), Text.size());
  Buffer[Text.size()] = '\0';
  return Success;
}

extern "C" {

//===----------------------------------------------------------------------===//
// Begin and end
//===----------------------------------------------------------------------===//

/// The flags allow that there is no GPU, or that it is not attached.
Result nvmlInitWithFlags(unsigned) {
  if (describe().empty())
    return DriverNotLoaded;
  ++NumUsers;
  return Success;
}

Result nvmlInit_v2() { return nvmlInitWithFlags(0); }

Result nvmlShutdown() {
  unsigned Users = NumUsers;
  while (Users)
    if (NumUsers.compare_exchange_weak(Users, Users - 1))
      return Success;
  return Uninitialized;
}

const char *nvmlErrorString(int Code) {
  switch (Code) {
#define HEDDLE_NVML_RESULT(Name, Value, Text)                                  \
  case Name:                                                                   \
    return Text;
#include "Management/Results.def"
  default:
    return "an unknown error";
  }
}

//===----------------------------------------------------------------------===//
// Versions
//===----------------------------------------------------------------------===//

Result nvmlSystemGetDriverVersion(char *Version, unsigned Length) {
  return whileInUse([=] { return giveText(DriverRelease, Version, Length); });
}

Result nvmlSystemGetNVMLVersion(char *Version, unsigned Length) {
  return whileInUse([=] {
    return giveText(std::to_string(CUDAMajor) + "." + DriverRelease, Version,
                    Length);
  });
}

/// Works before nvmlInit too.
Result nvmlSystemGetCudaDriverVersion(int *Version) {
  if (!Version)
    return InvalidArgument;
  *Version = CUDAVersion;
  return Success;
}

/// nvmlSystemDriverBranchInfo_v1_t.
struct DriverBranch {
  unsigned Version;
  char Branch[80];
};

Result nvmlSystemGetDriverBranch(DriverBranch *To, unsigned Length) {
  return whileInUse([=] {
    if (!To)
      return InvalidArgument;
    if (To->Version != versionTag<DriverBranch>(1))
      return VersionMismatch;
    return giveText("r" + StringRef(DriverRelease).split('.').first.str(),
                    To->Branch, std::min<unsigned>(Length, sizeof(To->Branch)));
  });
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

Result nvmlSystemGetProcessName(unsigned Process, char *Name, unsigned Length) {
  return whileInUse([=] {
    std::ifstream File("/proc/" + std::to_string(Process) + "/cmdline");
    std::string First;
    if (!std::getline(File, First, '\0') || First.empty())
      return NotFound;
    if (!Name || !Length)
      return InvalidArgument;
    return giveText(StringRef(First).take_front(Length - 1), Name, Length);
  });
}

/// Fills in that there are none of something.
static Result giveNone(unsigned *Count) {
  return whileInUse([=] {
    if (!Count)
      return InvalidArgument;
    *Count = 0;
    return Success;
  });
}

/// Cards between host and units.
Result nvmlSystemGetHicVersion(unsigned *Count, void *) {
  return giveNone(Count);
}

/// Units are cases with GPUs in them.
Result nvmlUnitGetCount(unsigned *Count) { return giveNone(Count); }

Result nvmlUnitGetHandleByIndex(unsigned, void **) {
  return whileInUse([] { return InvalidArgument; });
}

/// Devices that the driver was told to leave alone.
Result nvmlGetExcludedDeviceCount(unsigned *Count) { return giveNone(Count); }

Result nvmlGetExcludedDeviceInfoByIndex(unsigned, void *) {
  return whileInUse([] { return InvalidArgument; });
}

/// All CPUs are as near to the device.
Result nvmlSystemGetTopologyGpuSet(unsigned, unsigned *Count,
                                   DeviceHandle **Devices) {
  return whileInUse([=] {
    if (!Count)
      return InvalidArgument;
    for (unsigned I = 0;
         Devices && I != std::min<size_t>(*Count, devices().size()); ++I)
      Devices[I] = devices()[I].get();
    *Count = devices().size();
    return Success;
  });
}

} // extern "C"
