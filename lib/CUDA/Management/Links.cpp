//===- Links.cpp - NVLinks in NVML ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine's file says how fast two devices, or a device and the switch, are
// connected. To NVML that is as many links as NVIDIA's devices have for it.
//
//===----------------------------------------------------------------------===//

#include "Devices/MachineLinks.h"
#include "Management/Management.h"

#include <cstdio>

using namespace llvm;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

/// NVML_NVLINK_MAX_LINKS.
static constexpr unsigned MaxLinks = 18;
/// Of one link in one direction, from NVLink 2 to 5 but for the number of
/// lanes.
static constexpr uint64_t BytesPerSecondOfLink = 25'000'000'000;

namespace {
/// Where a link leads; no device: to the switch.
struct LinkEnd {
  const DeviceHandle *Device = nullptr;
};
} // namespace

static unsigned countLinks(const DeviceLink &L) {
  uint64_t Count =
      (L.BytesPerSecond + BytesPerSecondOfLink / 2) / BytesPerSecondOfLink;
  return std::clamp<uint64_t>(Count, 1, MaxLinks);
}

namespace {
/// Links that lead to one place.
struct Connection {
  LinkEnd End;
  unsigned Links;
};
} // namespace

/// What a device is connected to, by as many links as have the rate.
static SmallVector<Connection> connectionsOf(const Machine &M,
                                             const DeviceHandle &D) {
  SmallVector<Connection> All;
  const auto &Switch = M.deviceSwitch();
  bool HasSwitch = false;
  for (const std::unique_ptr<DeviceHandle> &Other : devices()) {
    if (Other->index() == D.index())
      continue;
    DeviceLink L = M.link(D.index(), Other->index());
    if (L.Kind != LinkKind::NVLink)
      continue;
    bool IsSwitched = Switch &&
                      L.BytesPerSecond == Switch->Port.BytesPerSecond &&
                      L.LatencyNs == Switch->Port.LatencyNs;
    if (IsSwitched && HasSwitch)
      continue; // The port is the same for all.
    HasSwitch |= IsSwitched;
    All.push_back({{IsSwitched ? nullptr : Other.get()}, countLinks(L)});
  }
  return All;
}

/// The share of a connection in the links that a device has, of which all of
/// its connections may want more than there are.
static unsigned shareOf(ArrayRef<Connection> All, const DeviceHandle *End) {
  unsigned Wanted = 0, Own = 0;
  for (const Connection &C : All) {
    Wanted += C.Links;
    Own += C.End.Device == End ? C.Links : 0;
  }
  return Wanted > MaxLinks ? Own * MaxLinks / Wanted : Own;
}

/// All links of a device, those to one place behind each other. Two devices
/// tell of the same number between them.
static SmallVector<LinkEnd, MaxLinks> linksOf(const DeviceHandle &D) {
  SmallVector<LinkEnd, MaxLinks> Ends;
  const Machine *M = knownMachine();
  if (!M)
    return Ends;
  SmallVector<Connection> All = connectionsOf(*M, D);
  for (const Connection &C : All) {
    unsigned Count = shareOf(All, C.End.Device);
    if (C.End.Device)
      Count = std::min(Count, shareOf(connectionsOf(*M, *C.End.Device), &D));
    Ends.append(Count, C.End);
  }
  return Ends;
}

/// Fills in something about a link that there is.
template <typename Fn>
static Result ofLink(const DeviceHandle *Device, unsigned Link, Fn Fill) {
  return ofDevice(Device, [&](const DeviceHandle &D) {
    if (Link >= MaxLinks)
      return InvalidArgument;
    SmallVector<LinkEnd, MaxLinks> All = linksOf(D);
    return Link < All.size() ? Fill(D, All[Link]) : NotSupported;
  });
}

/// NVML_NVLINK_VERSION_*.
static unsigned versionOfLinks(const DeviceHandle &D) {
  enum : unsigned { One = 1, Two = 2, Three = 4, Four = 6, Five = 7 };
  int Major = D.Properties.major;
  return Major >= 10  ? Five
         : Major == 9 ? Four
         : Major == 8 ? Three
         : Major == 7 ? Two
                      : One;
}

Result heddle::cuda::nvml::linkField(const DeviceHandle &D, unsigned Field,
                                     unsigned Link, unsigned long long &Value) {
  enum : unsigned {
    CommonSpeed = 90,
    LinkCount = 91,
    Speed = 164,
    State,
    Version,
    HostLinkCount = 170 // to a processor of NVIDIA's
  };
  constexpr uint64_t Megabyte = 1'000'000;
  size_t Count = linksOf(D).size();
  bool IsOfOne = Field == Speed || Field == State || Field == Version;
  if (IsOfOne && Link >= MaxLinks)
    return InvalidArgument;
  if (Count == 0 && (IsOfOne || Field == CommonSpeed))
    return NotSupported;
  switch (Field) {
  case HostLinkCount:
    return Success; // none
  case LinkCount:
    Value = Count;
    return Success;
  case State:
    Value = Link < Count;
    return Success;
  case CommonSpeed:
  case Speed:
    Value = IsOfOne && Link >= Count ? 0 : BytesPerSecondOfLink / Megabyte;
    return Success;
  case Version:
    Value = versionOfLinks(D);
    return Success;
  default:
    return NotSupported;
  }
}

extern "C" {

Result nvmlDeviceGetNvLinkState(DeviceHandle *Device, unsigned Link,
                                unsigned *IsActive) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (Link >= MaxLinks || !IsActive)
      return InvalidArgument;
    size_t Count = linksOf(D).size();
    *IsActive = Link < Count;
    return Count ? Success : NotSupported;
  });
}

Result nvmlDeviceGetNvLinkVersion(DeviceHandle *Device, unsigned Link,
                                  unsigned *Version) {
  return ofLink(Device, Link, [=](const DeviceHandle &D, LinkEnd) {
    if (!Version)
      return InvalidArgument;
    *Version = versionOfLinks(D);
    return Success;
  });
}

/// Links reach memory of devices, not of the host.
Result nvmlDeviceGetNvLinkCapability(DeviceHandle *Device, unsigned Link,
                                     unsigned Capability, unsigned *Has) {
  enum : unsigned { Peers = 0, PeerAtomics = 2, Valid = 5, Count = 6 };
  return ofLink(Device, Link, [=](const DeviceHandle &, LinkEnd) {
    if (!Has || Capability >= Count)
      return InvalidArgument;
    *Has =
        Capability == Peers || Capability == PeerAtomics || Capability == Valid;
    return Success;
  });
}

Result nvmlDeviceGetNvLinkRemoteDeviceType(DeviceHandle *Device, unsigned Link,
                                           unsigned *Type) {
  enum : unsigned { OfDevice = 0, OfSwitch = 2 }; // NVML_NVLINK_DEVICE_TYPE_*
  return ofLink(Device, Link, [=](const DeviceHandle &, LinkEnd End) {
    if (!Type)
      return InvalidArgument;
    *Type = End.Device ? OfDevice : OfSwitch;
    return Success;
  });
}

/// The switch's place is one that no device has, the same for all.
Result nvmlDeviceGetNvLinkRemotePciInfo_v2(DeviceHandle *Device, unsigned Link,
                                           PCIInfo *To) {
  return ofLink(Device, Link, [=](const DeviceHandle &D, LinkEnd End) {
    if (!To)
      return InvalidArgument;
    givePlace(*To, End.Device ? *End.Device : D);
    if (!End.Device) {
      constexpr unsigned SwitchSlot = 31;
      To->Bus = 0;
      To->Device = SwitchSlot;
      std::snprintf(To->LegacyId, sizeof(To->LegacyId), "%04X:%02X:%02X.0",
                    To->Domain, To->Bus, To->Device);
      std::snprintf(To->Id, sizeof(To->Id), "%08X:%02X:%02X.0", To->Domain,
                    To->Bus, To->Device);
    }
    return Success;
  });
}

/// Of nvmlGpuP2PCapsIndex_t.
Result nvmlDeviceGetP2PStatus(DeviceHandle *One, DeviceHandle *Other,
                              unsigned Capability, unsigned *Status) {
  enum : unsigned { Read, Write, NVLink, Atomics, PCI, Prop, Unknown };
  enum : unsigned { Works = 0, NotThere = 5 }; // nvmlGpuP2PStatus_t
  return ofDevice(One, [=](const DeviceHandle &A) {
    return ofDevice(Other, [&](const DeviceHandle &B) {
      const Machine *M = knownMachine();
      if (!Status || Capability >= Unknown || !M)
        return InvalidArgument;
      bool IsSame = A.index() == B.index();
      bool IsDirect =
          !IsSame && M->link(A.index(), B.index()).Kind == LinkKind::NVLink;
      bool Has = Capability == Read || Capability == Write ? !IsSame
                 : Capability == NVLink || Capability == Atomics
                     ? IsDirect
                     : !IsSame && !IsDirect;
      *Status = Has ? Works : NotThere;
      return Success;
    });
  });
}

} // extern "C"
