//===- MemoryUse.h - How much of the devices is given out -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one count of a device's memory: the tables of what there is add to it,
// the program and other processes ask for it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DEVICES_MEMORYUSE_H
#define HEDDLE_LIB_CUDA_DEVICES_MEMORYUSE_H

#include "heddle/Clients/Record.h"

#include <atomic>
#include <map>
#include <mutex>

namespace heddle::cuda {

/// Any thread may call anything at any time.
class MemoryUse {
public:
  /// \p Device is the program's number for it.
  void add(unsigned Device, uint64_t Size) { change(Device, Size); }
  void remove(unsigned Device, uint64_t Size) { change(Device, -Size); }
  uint64_t bytes(unsigned Device) const {
    std::lock_guard Lock(Mutex);
    auto It = Devices.find(Device);
    return It == Devices.end() ? 0 : It->second.Bytes;
  }
  /// Another number whenever bytes may be, of any device.
  uint64_t changes() const { return Changes.load(std::memory_order_relaxed); }
  /// Tells the meter what there is now, and from now on.
  void show(unsigned Device, clients::DeviceMeter &Meter) {
    std::lock_guard Lock(Mutex);
    Devices[Device].Meter = &Meter;
    Meter.setBytes(Devices[Device].Bytes);
  }

private:
  struct Use {
    uint64_t Bytes = 0;
    clients::DeviceMeter *Meter = nullptr;
  };

  void change(unsigned Device, uint64_t Difference) {
    std::lock_guard Lock(Mutex);
    ++Changes;
    Use &U = Devices[Device];
    U.Bytes += Difference;
    if (U.Meter)
      U.Meter->setBytes(U.Bytes);
  }

  std::atomic<uint64_t> Changes{0};
  mutable std::mutex Mutex; ///< Of what follows.
  std::map<unsigned, Use> Devices;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DEVICES_MEMORYUSE_H
