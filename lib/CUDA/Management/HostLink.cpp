//===- HostLink.cpp - Between the host and a device in NVML -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A chip's data say how fast copies to and from the host are. That is PCIe of
// the first generation that is as fast on sixteen lanes. And which of the
// host's processors and memories are near: all of them.
//
//===----------------------------------------------------------------------===//

#include "Management/Management.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <sched.h>
#include <unistd.h>

using namespace llvm;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

namespace {

constexpr unsigned NumLanes = 16;

struct Generation {
  unsigned Number;
  unsigned TransfersPerSecond; ///< Of a lane, in millions.
  uint64_t BytesPerSecond;     ///< Of a lane, behind the encoding of the link.
};

/// PCI Express Base Specification 6.0: 8b/10b up to the second generation,
/// 128b/130b up to the fifth, 242 of 256 bytes of a flit in the sixth.
constexpr Generation Generations[] = {
    {1, 2'500, 250'000'000},    {2, 5'000, 500'000'000},
    {3, 8'000, 984'615'384},    {4, 16'000, 1'969'230'769},
    {5, 32'000, 3'938'461'538}, {6, 64'000, 7'562'500'000},
};

const Generation &generationOf(const DeviceHandle &D) {
  uint64_t Wanted = D.Description.Properties.LinkBytesPerSecond / NumLanes;
  const Generation *Found = find_if(Generations, [=](const Generation &G) {
    return G.BytesPerSecond >= Wanted;
  });
  return Found == std::end(Generations) ? std::end(Generations)[-1] : *Found;
}

/// Fills in a figure of the link.
Result giveFigure(const DeviceHandle *Device, unsigned *Place,
                  unsigned (*Figure)(const Generation &)) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    return giveValue(Device, Place, Figure(generationOf(D)));
  });
}

/// The processors that the process had when NVML was first asked to bind a
/// thread to a device's.
const cpu_set_t &allProcessors() {
  static const cpu_set_t All = [] {
    cpu_set_t Set;
    CPU_ZERO(&Set);
    ::sched_getaffinity(::getpid(), sizeof(Set), &Set);
    return Set;
  }();
  return All;
}

/// The host's memories, which the kernel lists as in "0-1,4". A host that does
/// not say has one.
SmallVector<unsigned> memoryNodes() {
  auto File = MemoryBuffer::getFile("/sys/devices/system/node/online");
  SmallVector<unsigned> Nodes;
  for (StringRef Range : split(File ? (*File)->getBuffer().trim() : "0", ',')) {
    auto [Low, High] = Range.split('-');
    unsigned First = 0, Last = 0;
    if (Low.getAsInteger(10, First) ||
        (High.empty() ? Low : High).getAsInteger(10, Last))
      return {0};
    append_range(Nodes, seq_inclusive(First, Last));
  }
  return Nodes;
}

/// Binds the calling thread to the processors near a device, which are all.
Result bindThread(const DeviceHandle *Device) {
  return ofDevice(Device, [](const DeviceHandle &) {
    const cpu_set_t &All = allProcessors();
    return ::sched_setaffinity(0, sizeof(All), &All) == 0 ? Success : Unknown;
  });
}

} // namespace

extern "C" {

//===----------------------------------------------------------------------===//
// The link
//===----------------------------------------------------------------------===//

Result nvmlDeviceGetCurrPcieLinkGeneration(DeviceHandle *Device,
                                           unsigned *Number) {
  return giveFigure(Device, Number,
                    [](const Generation &G) { return G.Number; });
}

Result nvmlDeviceGetCurrPcieLinkWidth(DeviceHandle *Device, unsigned *Lanes) {
  return giveValue(Device, Lanes, NumLanes);
}

/// In millions of transfers a second, of a lane.
Result nvmlDeviceGetPcieSpeed(DeviceHandle *Device, unsigned *Speed) {
  return giveFigure(Device, Speed,
                    [](const Generation &G) { return G.TransfersPerSecond; });
}

/// NVML_PCIE_LINK_MAX_SPEED_...: the numbers are those of generations.
Result nvmlDeviceGetPcieLinkMaxSpeed(DeviceHandle *Device, unsigned *Speed) {
  return nvmlDeviceGetCurrPcieLinkGeneration(Device, Speed);
}

/// Nothing is lost on the way.
Result nvmlDeviceGetPcieReplayCounter(DeviceHandle *Device, unsigned *Count) {
  return giveValue(Device, Count, 0u);
}

//===----------------------------------------------------------------------===//
// Processors and memories
//===----------------------------------------------------------------------===//

Result nvmlDeviceSetCpuAffinity(DeviceHandle *Device) {
  return bindThread(Device);
}

Result nvmlDeviceClearCpuAffinity(DeviceHandle *Device) {
  return bindThread(Device);
}

Result nvmlDeviceGetMemoryAffinity(DeviceHandle *Device, unsigned Words,
                                   unsigned long *Set, unsigned Scope) {
  constexpr unsigned Socket = 1, WordBits = 8 * sizeof(*Set);
  return ofDevice(Device, [=](const DeviceHandle &) {
    if (!Words || !Set || Scope > Socket)
      return InvalidArgument;
    std::memset(Set, 0, Words * sizeof(*Set));
    for (unsigned Node : memoryNodes())
      if (Node < Words * WordBits)
        Set[Node / WordBits] |= 1ul << Node % WordBits;
    return Success;
  });
}

} // extern "C"
