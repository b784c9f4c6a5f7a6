//===- Events.cpp - What happens to devices, in NVML ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of events there are those that have an Xid: a kernel failed, in whatever
// process (lib/Clients/FaultLog.cpp). Who waits looks into that list now and
// then.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "Management/Management.h"
#include "heddle/Clients/FaultLog.h"

#include <chrono>
#include <thread>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

/// nvmlEventTypeXidCriticalError.
static constexpr unsigned long long XidEvent = 8;
/// Between two looks.
static constexpr auto Pause = std::chrono::milliseconds(10);

namespace {

/// nvmlEventData_t before there were instances.
struct EventData1 {
  DeviceHandle *Device;
  unsigned long long Type, Data;
};
/// nvmlEventData_t.
struct EventData2 {
  DeviceHandle *Device;
  unsigned long long Type, Data;
  unsigned GpuInstance, ComputeInstance; ///< All bits set: none.
};

/// A device whose events are wanted, behind the one of this number.
struct Registration {
  DeviceHandle *Device;
  uint64_t Behind;
};

} // namespace

/// nvmlEventSet_t.
namespace heddle::cuda::nvml {
struct EventSet {
  std::mutex Mutex;
  std::vector<Registration> Wanted;
};
} // namespace heddle::cuda::nvml

static HandleSet<EventSet> &eventSets() {
  static auto *Made = new HandleSet<EventSet>; // see Process.h
  return *Made;
}

/// What a device, or a part of it, would say of a fault; none if the fault was
/// elsewhere.
static std::optional<EventData2> describe(const clients::NotedFault &F,
                                          DeviceHandle &Of) {
  EventData2 Event = {&Of, XidEvent, F.Xid, ~0u, ~0u};
  const DeviceHandle *Place = nullptr;
  if (Of.Description.Machine.uuid() == F.Device)
    Place = &Of;
  for (const DeviceHandle *Part : partsOf(Of))
    if (Part->Description.Machine.uuid() == F.Device)
      Place = Part;
  if (!Place)
    return std::nullopt;
  if (const auto &Part = Place->Description.Machine.Part) {
    Event.GpuInstance = Part->Instance;
    Event.ComputeInstance = Part->ComputeInstance;
  }
  return Event;
}

/// The next event of the set, which is then over.
static std::optional<EventData2> takeEvent(EventSet &Set) {
  std::lock_guard Lock(Set.Mutex);
  uint64_t Behind = ~uint64_t(0);
  for (const Registration &R : Set.Wanted)
    Behind = std::min(Behind, R.Behind);
  for (const clients::NotedFault &F : clients::listFaults(Behind))
    for (Registration &R : Set.Wanted) {
      if (F.Number <= R.Behind)
        continue;
      R.Behind = F.Number;
      if (std::optional<EventData2> Event = describe(F, *R.Device))
        return Event;
    }
  return std::nullopt;
}

/// Gives the next event to Give; waits for one until then.
template <typename Fn>
static Result waitFor(EventSet *Set, unsigned Milliseconds, Fn Give) {
  constexpr uint64_t NsOfMilliseconds = 1'000'000;
  uint64_t Until = clients::monotonicNow() + Milliseconds * NsOfMilliseconds;
  while (isInUse()) {
    if (!eventSets().contains(Set))
      return InvalidArgument;
    if (std::optional<EventData2> Event = takeEvent(*Set)) {
      Give(*Event);
      return Success;
    }
    if (clients::monotonicNow() >= Until)
      return Timeout;
    std::this_thread::sleep_for(Pause);
  }
  return Uninitialized;
}

extern "C" {

Result nvmlEventSetCreate(EventSet **Set) {
  return whileInUse([=] {
    if (!Set)
      return InvalidArgument;
    *Set = eventSets().add(std::make_unique<EventSet>());
    return Success;
  });
}

Result nvmlEventSetFree(EventSet *Set) {
  return whileInUse(
      [=] { return eventSets().remove(Set) ? Success : InvalidArgument; });
}

Result nvmlDeviceGetSupportedEventTypes(DeviceHandle *Device,
                                        unsigned long long *Types) {
  return giveValue(Device, Types, XidEvent);
}

/// Events of before are none of the set's.
Result nvmlDeviceRegisterEvents(DeviceHandle *Device, unsigned long long Types,
                                EventSet *Set) {
  return ofDevice(Device, [=](const DeviceHandle &) {
    if (!eventSets().contains(Set))
      return InvalidArgument;
    if (Types & ~XidEvent)
      return NotSupported;
    std::lock_guard Lock(Set->Mutex);
    bool IsThere = any_of(
        Set->Wanted, [=](const Registration &R) { return R.Device == Device; });
    if (Types && !IsThere)
      Set->Wanted.push_back({Device, clients::lastFault()});
    return Success;
  });
}

Result nvmlEventSetWait(EventSet *Set, EventData1 *To, unsigned Milliseconds) {
  if (isInUse() && !To)
    return InvalidArgument;
  return waitFor(Set, Milliseconds, [=](const EventData2 &Event) {
    *To = {Event.Device, Event.Type, Event.Data};
  });
}

Result nvmlEventSetWait_v2(EventSet *Set, EventData2 *To,
                           unsigned Milliseconds) {
  if (isInUse() && !To)
    return InvalidArgument;
  return waitFor(Set, Milliseconds,
                 [=](const EventData2 &Event) { *To = Event; });
}

} // extern "C"
