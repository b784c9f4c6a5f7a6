//===- Devices.cpp - Handles and names in NVML ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a device is found, and what it is called.
//
//===----------------------------------------------------------------------===//

#include "Management/Management.h"
#include "Runtime/Device.h"

#include <cstddef>
#include <cstdio>
#include <cstring>

using namespace llvm;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

/// Gives the device out, if Matches says that it is the one.
template <typename Fn> static Result find(DeviceHandle **Found, Fn Matches) {
  return whileInUse([&] {
    if (!Found)
      return InvalidArgument;
    for (const std::unique_ptr<DeviceHandle> &D : devices())
      if (Matches(*D)) {
        *Found = D.get();
        return Success;
      }
    for (const std::unique_ptr<DeviceHandle> &D : devices())
      for (DeviceHandle *Part : partsOf(*D))
        if (Matches(*Part)) {
          *Found = Part;
          return Success;
        }
    return NotFound;
  });
}

static std::string uuidOf(const DeviceHandle &D) {
  return D.Description.Machine.uuidText();
}

namespace {

/// nvmlUUID_v1_t.
struct WantedUUID {
  unsigned Version;
  unsigned Type;
  union {
    char Text[41];
    unsigned char Bytes[16];
  } Value;
};
/// nvmlUUIDType_t.
enum UUIDType : unsigned { ASCII = 1, Binary = 2 };

/// nvmlPciInfoExt_v1_t.
struct PCIInfoExt {
  unsigned Version;
  unsigned Domain, Bus, Device, DeviceId, SubsystemId, BaseClass, SubClass;
  char Id[32];
};

} // namespace

extern "C" {

Result nvmlDeviceGetCount_v2(unsigned *Count) {
  return whileInUse([=] {
    if (!Count)
      return InvalidArgument;
    *Count = devices().size();
    return Success;
  });
}

Result nvmlDeviceGetHandleByIndex_v2(unsigned Index, DeviceHandle **Found) {
  if (isInUse() && Index >= devices().size())
    return InvalidArgument;
  return find(Found, [=](const DeviceHandle &D) { return D.index() == Index; });
}

Result nvmlDeviceGetHandleByUUID(const char *UUID, DeviceHandle **Found) {
  if (!UUID)
    return isInUse() ? InvalidArgument : Uninitialized;
  return find(Found, [=](const DeviceHandle &D) { return uuidOf(D) == UUID; });
}

Result nvmlDeviceGetHandleByUUIDV(const WantedUUID *UUID,
                                  DeviceHandle **Found) {
  if (!isInUse() || !UUID)
    return isInUse() ? InvalidArgument : Uninitialized;
  if (UUID->Version != versionTag<WantedUUID>(1))
    return VersionMismatch;
  if (UUID->Type == ASCII)
    return nvmlDeviceGetHandleByUUID(UUID->Value.Text, Found);
  if (UUID->Type != Binary)
    return InvalidArgument;
  return find(Found, [=](const DeviceHandle &D) {
    return !std::memcmp(UUID->Value.Bytes, D.Properties.uuid.bytes, 16);
  });
}

Result nvmlDeviceGetHandleByPciBusId_v2(const char *Id, DeviceHandle **Found) {
  if (!Id)
    return isInUse() ? InvalidArgument : Uninitialized;
  return find(Found, [=](const DeviceHandle &D) {
    return isPCIBusIdOf(D.Properties, Id);
  });
}

/// The device has no serial number.
Result nvmlDeviceGetHandleBySerial(const char *, DeviceHandle **Found) {
  return find(Found, [](const DeviceHandle &) { return false; });
}

//===----------------------------------------------------------------------===//
// Names and numbers
//===----------------------------------------------------------------------===//

Result nvmlDeviceGetName(DeviceHandle *Device, char *Name, unsigned Length) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveText(D.Properties.name, Name, Length);
  });
}

Result nvmlDeviceGetUUID(DeviceHandle *Device, char *UUID, unsigned Length) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveText(uuidOf(D), UUID, Length);
  });
}

Result nvmlDeviceGetIndex(DeviceHandle *Device, unsigned *Index) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Index, D.index());
  });
}

Result nvmlDeviceGetMinorNumber(DeviceHandle *Device, unsigned *Number) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Number, D.index());
  });
}

Result nvmlDeviceGetBoardId(DeviceHandle *Device, unsigned *Id) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Id, D.index());
  });
}

Result nvmlDeviceGetMultiGpuBoard(DeviceHandle *Device, unsigned *Is) {
  return giveValue(Device, Is, 0u);
}

/// None of NVIDIA's.
Result nvmlDeviceGetBrand(DeviceHandle *Device, unsigned *Brand) {
  return giveValue(Device, Brand, 0u);
}

/// NVML_BUS_TYPE_UNKNOWN.
Result nvmlDeviceGetBusType(DeviceHandle *Device, unsigned *Type) {
  return giveValue(Device, Type, 0u);
}

Result nvmlDeviceGetCudaComputeCapability(DeviceHandle *Device, int *Major,
                                          int *Minor) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (!Major || !Minor)
      return InvalidArgument;
    *Major = D.Properties.major;
    *Minor = D.Properties.minor;
    return Success;
  });
}

/// NVML_DEVICE_ARCH_* of a compute capability.
static unsigned architectureOf(int Major, int Minor) {
  switch (Major) {
  case 3:
    return 2; // Kepler
  case 5:
    return 3; // Maxwell
  case 6:
    return 4; // Pascal
  case 7:
    return Minor < 5 ? 5 : 6; // Volta, Turing
  case 8:
    return Minor < 9 ? 7 : 8; // Ampere, Ada
  case 9:
    return 9; // Hopper
  case 10:
  case 11:
  case 12:
    return 10; // Blackwell
  default:
    return ~0u;
  }
}

Result nvmlDeviceGetArchitecture(DeviceHandle *Device, unsigned *Architecture) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Architecture,
                     architectureOf(D.Properties.major, D.Properties.minor));
  });
}

//===----------------------------------------------------------------------===//
// The place on the bus
//===----------------------------------------------------------------------===//

} // extern "C"

/// Fills in what all versions have.
template <typename T> static void setPlace(T &To, const cudaDeviceProp &P) {
  To.Domain = P.pciDomainID;
  To.Bus = P.pciBusID;
  To.Device = P.pciDeviceID;
}

template <size_t N>
static void writeId(char (&To)[N], const cudaDeviceProp &P, int DomainDigits) {
  std::snprintf(To, N, "%0*X:%02X:%02X.0", DomainDigits, P.pciDomainID,
                P.pciBusID, P.pciDeviceID);
}

void heddle::cuda::nvml::givePlace(PCIInfo &To, const DeviceHandle &D) {
  To = {};
  setPlace(To, D.Properties);
  writeId(To.LegacyId, D.Properties, 4);
  writeId(To.Id, D.Properties, 8);
}

extern "C" {

Result nvmlDeviceGetPciInfo_v3(DeviceHandle *Device, PCIInfo *To) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (!To)
      return InvalidArgument;
    givePlace(*To, D);
    return Success;
  });
}

/// Has 16 reserved bytes where version 3 has the longer text.
Result nvmlDeviceGetPciInfo_v2(DeviceHandle *Device, PCIInfo *To) {
  PCIInfo Whole;
  Result Code = nvmlDeviceGetPciInfo_v3(Device, To ? &Whole : nullptr);
  if (Code == Success) {
    constexpr size_t Common = offsetof(PCIInfo, Id);
    std::memcpy(To, &Whole, Common);
    std::memset(reinterpret_cast<char *>(To) + Common, 0, 16);
  }
  return Code;
}

Result nvmlDeviceGetPciInfoExt(DeviceHandle *Device, PCIInfoExt *To) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (!To)
      return InvalidArgument;
    if (To->Version != versionTag<PCIInfoExt>(1))
      return VersionMismatch;
    *To = {};
    To->Version = versionTag<PCIInfoExt>(1);
    setPlace(*To, D.Properties);
    writeId(To->Id, D.Properties, 8);
    return Success;
  });
}

} // extern "C"
