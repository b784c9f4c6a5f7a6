//===- DeviceTable.h - Devices, and who has how much memory -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device of the machine, or a part of one, as clients name it; and memory,
// which the parts of one instance have in common.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEVICESERVICE_DEVICETABLE_H
#define HEDDLE_LIB_DEVICESERVICE_DEVICETABLE_H

#include "heddle/DeviceService/Protocol.h"
#include "heddle/DeviceService/Quotas.h"
#include "heddle/Fabric/Machine.h"

#include <map>

namespace heddle::deviced {

/// A device that a client may ask for.
struct KnownDevice {
  std::string Name;        ///< The text of its UUID.
  std::string MemoryOwner; ///< By which its memory is counted.
  uint64_t MemoryBytes = 0;
  double Weight = 1; ///< Of a whole device, 1.
};

/// The device with that UUID, as devices are divided now; none if there is no
/// such device, or if it is divided.
std::optional<KnownDevice> findDevice(const fabric::Machine &M,
                                      const UUID &Device);

/// Who asks for memory, and from where.
struct MemoryUser {
  std::string Owner; ///< KnownDevice::MemoryOwner.
  uint64_t DeviceBytes = 0;
  uint32_t User = 0;
  Quota Limits;
  uint64_t Bytes = 0, MostBytes = 0;

  /// That it could have if nobody else had anything.
  uint64_t limit() const {
    uint64_t Most = DeviceBytes;
    for (uint64_t Quota : {Limits.Memory, Limits.UserMemory})
      Most = Quota ? std::min(Most, Quota) : Most;
    return Most;
  }
};

/// Counts what is granted.
class MemoryTable {
public:
  /// How much it could take.
  uint64_t left(const MemoryUser &U) const;
  bool take(MemoryUser &U, uint64_t Bytes);
  /// False if it does not have as much.
  bool give(MemoryUser &U, uint64_t Bytes);
  uint64_t used(const std::string &Owner) const { return find(Devices, Owner); }
  /// Whether nothing is granted to anybody.
  bool isEmpty() const { return Devices.empty() && Users.empty(); }

private:
  using UserKey = std::pair<std::string, uint32_t>;

  template <typename K>
  static uint64_t find(const std::map<K, uint64_t> &In, const K &Key) {
    auto It = In.find(Key);
    return It == In.end() ? 0 : It->second;
  }
  std::map<std::string, uint64_t> Devices;
  std::map<UserKey, uint64_t> Users; ///< Of a device's memory.
};

} // namespace heddle::deviced

#endif // HEDDLE_LIB_DEVICESERVICE_DEVICETABLE_H
