//===- DeviceTable.cpp - Devices, and who has how much memory ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How devices are divided is read each time that somebody asks for one, since
// ptx-smi changes it while the service runs.
//
//===----------------------------------------------------------------------===//

#include "DeviceTable.h"

#include "heddle/Emulator/Emulator.h"
#include "heddle/Partitions/Partitions.h"

#include <algorithm>

using namespace llvm;

namespace heddle::deviced {

/// A part's memory is that of its instance, its weight what it has of the
/// device's cores.
static KnownDevice describe(const fabric::MachineDevice &D) {
  KnownDevice Known = {D.uuidText(), std::to_string(D.Index),
                       D.MemoryBytes.value_or(emu::DefaultMemoryBytes)};
  if (!D.Part)
    return Known;
  Known.MemoryOwner += "/" + std::to_string(D.Part->Instance);
  Known.MemoryBytes =
      Known.MemoryBytes / D.Part->AllMemorySlices * D.Part->MemorySlices;
  Known.Weight =
      double(D.Part->Slices) / partitions::divisionOf(D.Chip).ComputeSlices;
  return Known;
}

std::optional<KnownDevice> findDevice(const fabric::Machine &M,
                                      const UUID &Device) {
  Expected<partitions::Partitions> Read = partitions::Partitions::read();
  if (!Read) {
    consumeError(Read.takeError());
    return std::nullopt;
  }
  // Cores are the clients' business, weights are slices.
  auto NoCores = [](StringRef) { return 0U; };
  for (const fabric::MachineDevice &D : M.devices()) {
    if (!Read->of(D).IsEnabled && D.uuid() == Device)
      return describe(D);
    for (const fabric::MachineDevice &Part :
         partitions::partsOf(D, *Read, NoCores))
      if (Part.uuid() == Device)
        return describe(Part);
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

uint64_t MemoryTable::left(const MemoryUser &U) const {
  auto Left = [](uint64_t All, uint64_t Used) {
    return Used < All ? All - Used : 0;
  };
  uint64_t Bytes = Left(U.DeviceBytes, find(Devices, U.Owner));
  if (U.Limits.Memory)
    Bytes = std::min(Bytes, Left(U.Limits.Memory, U.Bytes));
  if (U.Limits.UserMemory)
    Bytes = std::min(Bytes, Left(U.Limits.UserMemory,
                                 find(Users, UserKey(U.Owner, U.User))));
  return Bytes;
}

bool MemoryTable::take(MemoryUser &U, uint64_t Bytes) {
  if (Bytes > left(U))
    return false;
  if (!Bytes)
    return true;
  Devices[U.Owner] += Bytes;
  Users[{U.Owner, U.User}] += Bytes;
  U.Bytes += Bytes;
  U.MostBytes = std::max(U.MostBytes, U.Bytes);
  return true;
}

bool MemoryTable::give(MemoryUser &U, uint64_t Bytes) {
  if (Bytes > U.Bytes)
    return false;
  if (!Bytes)
    return true;
  auto Reduce = [=](auto &In, const auto &Key) {
    if ((In[Key] -= Bytes) == 0)
      In.erase(Key);
  };
  Reduce(Devices, U.Owner);
  Reduce(Users, UserKey(U.Owner, U.User));
  U.Bytes -= Bytes;
  return true;
}

} // namespace heddle::deviced
