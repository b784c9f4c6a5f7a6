//===- Multicast.h - Memory of several devices at one address ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A multicast object has members, each a device of some process, which bind
// memory to it. What is bound stands in a file without a name, which the
// processes of the members share: each maps what the others have bound.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DEVICES_MULTICAST_H
#define HEDDLE_LIB_CUDA_DEVICES_MULTICAST_H

#include "heddle/Runtime/Device.h"
#include "heddle/Support/MemoryFile.h"

#include <atomic>
#include <map>
#include <memory>
#include <vector>

namespace heddle::cuda {

/// Not for several threads at a time, but for waitForAll.
class Multicast {
public:
  /// A new one; null if the host refuses.
  static std::shared_ptr<Multicast> create(unsigned NumMembers, uint64_t Bytes);
  /// The one that another process has made, or this one; null if the file is no
  /// such.
  static std::shared_ptr<Multicast> open(int Descriptor);
  ~Multicast();
  Multicast(const Multicast &) = delete;
  Multicast &operator=(const Multicast &) = delete;

  uint64_t bytes() const;
  const MemoryFile &file() const { return File; }

  /// Makes a device of this process a member. False if all members are there,
  /// or if the device is one.
  bool add(unsigned Device);
  bool contains(unsigned Device) const { return Members.count(Device); }
  /// Waits until there are as many members as there shall be.
  void waitForAll() const;

  /// What is bound.
  struct Memory {
    const MemoryFile &File;
    uint64_t Offset, Bytes;
    std::shared_ptr<const void> Keep; ///< Lives until it is bound no more.
  };
  /// False if the member has memory there already, or if there is no room.
  bool bind(unsigned Device, uint64_t Offset, const Memory &M);
  /// False if no such range is bound.
  bool unbind(unsigned Device, uint64_t Offset, uint64_t Bytes);
  /// The same of all that a device has bound.
  void unbindAll(unsigned Device);

  /// Changes whenever what is bound does.
  uint64_t version() const;
  /// What is bound, in the order of the members, at the addresses at which
  /// kernels of this process reach it from then on.
  std::vector<rt::MulticastPart> parts();

private:
  struct Header;
  struct Binding;
  /// A binding as this process has it.
  struct Mapped {
    uint8_t *Pages = nullptr;
    uint64_t Bytes = 0;
    unsigned Through = 0; ///< The device that knows the pages.
  };

  Multicast(MemoryFile File, Header &Shared)
      : File(std::move(File)), Shared(Shared) {}
  static std::shared_ptr<Multicast> from(MemoryFile File);
  template <typename Fn> void forBindings(Fn Visit) const;
  void release(uint32_t Number);
  Mapped *mappedFor(const Binding &B, uint32_t Number);

  const MemoryFile File;
  Header &Shared;
  std::map<unsigned, uint32_t> Members; ///< Numbers by the process's devices.
  std::map<uint32_t, std::shared_ptr<const void>> Kept; ///< By binding.
  std::map<uint32_t, Mapped> Mappings;                  ///< The same.
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DEVICES_MULTICAST_H
