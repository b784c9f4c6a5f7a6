//===- VirtualMemory.h - Addresses apart from memory ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver API's virtual memory management: a program reserves addresses,
// makes memory that has none, maps the one to the other and gives the device
// access. The addresses are the host's, the memory is a file without a name,
// which can be mapped several times and handed to another process. The
// addresses of a multicast object stand for memory of several devices.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_VIRTUALMEMORY_H
#define HEDDLE_LIB_CUDA_VIRTUALMEMORY_H

#include "ABI.h"
#include "Devices/MemoryUse.h"
#include "Devices/Multicast.h"
#include "heddle/Emulator/DeviceBroker.h"
#include "heddle/Support/MemoryFile.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <memory>
#include <mutex>

namespace heddle::cuda {

/// CUmemAllocationProp.
struct MemAllocationProp {
  int Type, HandleTypes;
  cudaMemLocation Location;
  void *Win32MetaData;
  struct {
    unsigned char CompressionType, IsRDMACapable;
    unsigned short Usage;
    unsigned char Reserved[4];
  } Flags;
};
static_assert(sizeof(MemAllocationProp) == 32);

/// CUmemGenericAllocationHandle.
using MemHandle = unsigned long long;

/// All reservations and memory of a process. Any thread may call anything at
/// any time. Sizes and addresses are multiples of Granularity.
class VirtualMemory {
public:
  static constexpr uint64_t Granularity = 2 << 20;
  /// Numbers of CUmemAccess_flags.
  enum Access : int { NoAccess = 0, Read = 1, ReadWrite = 3 };
  /// Numbers of CUmemLocationType.
  enum LocationType : int { OnDevice = 1, OnHost, OnNode, OnThisNode };
  /// Whether a location is the host, or a part of it.
  static bool isOfHost(const cudaMemLocation &L) {
    return L.type >= OnHost && L.type <= OnThisNode;
  }
  /// Who has access to memory: a device by its number, or the host.
  using User = unsigned;
  static constexpr User TheHost = ~0u;
  static User userAt(const cudaMemLocation &L) {
    return isOfHost(L) ? TheHost : User(L.id);
  }
  /// CU_MEM_CREATE_USAGE_TILE_POOL: memory for tiles of arrays.
  static constexpr unsigned short ForTiles = 1;
  /// The one of CUmemAllocationHandleType that there is.
  static constexpr int FileDescriptor = 1;

  /// Counts memory, mapped or not.
  explicit VirtualMemory(MemoryUse &Use) : Use(Use) {}

  /// Hint is where the program would like the addresses; 0 if it does not
  /// care. Align is 0 or a power of two.
  cudaError_t reserve(uint64_t Size, uint64_t Align, uint64_t Hint,
                      uint64_t &Address);
  /// Exactly what reserve gave, with nothing mapped.
  cudaError_t release(uint64_t Address, uint64_t Size);

  cudaError_t create(uint64_t Size, const MemAllocationProp &Properties,
                     MemHandle &Handle);
  /// Gives back one handle; the memory stays while it is mapped.
  cudaError_t releaseHandle(MemHandle Handle);
  /// The handle of what is mapped at an address, once more.
  cudaError_t retain(uint64_t Address, MemHandle &Handle);
  cudaError_t properties(MemHandle Handle, MemAllocationProp &Properties);
  /// A descriptor of the memory, which the caller closes.
  cudaError_t share(MemHandle Handle, int &Descriptor);
  cudaError_t import(int Descriptor, MemHandle &Handle);

  /// The file of memory of a device that was made for arrays, which keeps the
  /// memory; null if there are not so many bytes at an offset, or if the handle
  /// is of other memory.
  std::shared_ptr<const MemoryFile> part(MemHandle Handle, unsigned Device,
                                         uint64_t Offset, uint64_t Size) const;

  /// A multicast object, whose handle is used as that of memory.
  cudaError_t createMulticast(unsigned NumDevices, uint64_t Size,
                              int HandleTypes, MemHandle &Handle);
  cudaError_t addDevice(MemHandle Multicast, unsigned Device);
  /// Binds memory of a device by its handle; waits until all devices are there.
  /// \p Device is where the memory is, if the caller says so.
  cudaError_t bind(MemHandle Multicast, uint64_t Offset, MemHandle Handle,
                   uint64_t MemoryOffset, uint64_t Size,
                   std::optional<unsigned> Device);
  /// The same by an address at which the memory is mapped.
  cudaError_t bindAddress(MemHandle Multicast, uint64_t Offset,
                          uint64_t Address, uint64_t Size,
                          std::optional<unsigned> Device);
  cudaError_t unbind(MemHandle Multicast, unsigned Device, uint64_t Offset,
                     uint64_t Size);
  /// Tells the device what other processes have bound meanwhile.
  void followBindings();

  cudaError_t map(uint64_t Address, uint64_t Size, uint64_t Offset,
                  MemHandle Handle);
  /// The range has to consist of whole mappings; so with setAccess.
  cudaError_t unmap(uint64_t Address, uint64_t Size);
  /// The host has access to its own memory only.
  cudaError_t setAccess(uint64_t Address, uint64_t Size, User Who,
                        Access Flags);
  cudaError_t access(uint64_t Address, User Who, Access &Flags);

  /// Takes everything of a device away, which no longer uses it.
  void clear(unsigned Device);

private:
  /// Memory without an address.
  struct Memory {
    Memory(MemoryFile File, uint64_t Size, const MemAllocationProp &Properties,
           MemoryUse &Use, std::shared_ptr<emu::MemoryGrant> Grant = nullptr)
        : File(std::move(File)), Size(Size), Properties(Properties),
          Use(isOfHost() ? nullptr : &Use), Grant(std::move(Grant)) {
      if (this->Use)
        Use.add(device(), Size);
    }
    /// A multicast object, which has no memory of its own.
    Memory(std::shared_ptr<Multicast> Of, const MemAllocationProp &Properties)
        : Size(Of->bytes()), Properties(Properties), Group(std::move(Of)) {}
    ~Memory() {
      if (Use)
        Use->remove(device(), Size);
    }
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    const std::optional<MemoryFile> File;
    const uint64_t Size;
    const MemAllocationProp Properties;
    MemoryUse *const Use = nullptr;
    /// Of a service of devices, for memory of this process's.
    const std::shared_ptr<emu::MemoryGrant> Grant;
    const std::shared_ptr<Multicast> Group;
    MemHandle Number = 0;
    unsigned Handles = 0; ///< How many the program has.

    bool isOfHost() const {
      return VirtualMemory::isOfHost(Properties.Location);
    }
    /// Of memory of a device.
    unsigned device() const { return Properties.Location.id; }
    bool isOf(unsigned Device) const {
      return !Group && !isOfHost() && device() == Device;
    }
  };
  struct Mapping {
    uint64_t Size;
    std::shared_ptr<Memory> Of;
    uint64_t Offset = 0;               ///< In the memory.
    uint64_t SeenVersion = 0;          ///< Of a multicast's bindings.
    std::map<User, Access> Flags = {}; ///< Else NoAccess.
    unsigned Device = 0; ///< By which devices know it, if any has access.

    /// Whether a device has.
    bool hasAccess() const {
      return llvm::any_of(Flags, [](const auto &F) {
        return F.first != TheHost && F.second != NoAccess;
      });
    }
  };
  using MappingIterator = std::map<uint64_t, Mapping>::iterator;

  MemHandle add(std::shared_ptr<Memory> M);
  std::shared_ptr<Memory> find(MemHandle Handle) const;
  std::shared_ptr<Multicast> findMulticast(MemHandle Handle) const;
  cudaError_t bindLocked(Multicast &Group, uint64_t Offset,
                         const std::shared_ptr<Memory> &M,
                         uint64_t MemoryOffset, uint64_t Size,
                         std::optional<unsigned> Device);
  void follow(const Multicast &Group);
  bool isReserved(uint64_t Address, uint64_t Size) const;
  /// The mapping in which an address lies, or the end.
  MappingIterator mappingAt(uint64_t Address);
  /// Whether a range consists of whole mappings, without gaps.
  bool isMapped(uint64_t Address, uint64_t Size) const;
  static cudaError_t setAccess(uint64_t Address, Mapping &M,
                               std::map<User, Access> Flags);
  static cudaError_t setMulticastAccess(uint64_t Address, Mapping &M);

  MemoryUse &Use;
  mutable std::mutex Mutex;                  ///< Of everything below.
  std::map<uint64_t, uint64_t> Reservations; ///< Sizes by address.
  std::map<uint64_t, Mapping> Mappings;      ///< By address.
  std::map<MemHandle, std::shared_ptr<Memory>> Handles;
  MemHandle LastHandle = 0;
  std::atomic<bool> HasMulticasts{false};
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_VIRTUALMEMORY_H
