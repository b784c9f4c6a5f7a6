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
// which can be mapped several times and handed to another process.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_VIRTUALMEMORY_H
#define HEDDLE_LIB_CUDA_VIRTUALMEMORY_H

#include "ABI.h"
#include "Devices/MemoryUse.h"
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

  cudaError_t map(uint64_t Address, uint64_t Size, uint64_t Offset,
                  MemHandle Handle);
  /// The range has to consist of whole mappings; so with setAccess.
  cudaError_t unmap(uint64_t Address, uint64_t Size);
  /// \p Device is who gets or has the access.
  cudaError_t setAccess(uint64_t Address, uint64_t Size, unsigned Device,
                        Access Flags);
  cudaError_t access(uint64_t Address, unsigned Device, Access &Flags);

  /// Takes everything of a device away, which no longer uses it.
  void clear(unsigned Device);

private:
  /// Memory without an address.
  struct Memory {
    Memory(MemoryFile File, uint64_t Size, const MemAllocationProp &Properties,
           MemoryUse &Use)
        : File(std::move(File)), Size(Size), Properties(Properties), Use(Use) {
      Use.add(device(), Size);
    }
    ~Memory() { Use.remove(device(), Size); }

    const MemoryFile File;
    const uint64_t Size;
    const MemAllocationProp Properties;
    MemoryUse &Use;
    MemHandle Number = 0;
    unsigned Handles = 0; ///< How many the program has.

    unsigned device() const { return Properties.Location.id; }
  };
  struct Mapping {
    uint64_t Size;
    std::shared_ptr<Memory> Of;
    std::map<unsigned, Access> Flags = {}; ///< By device; else NoAccess.

    bool hasAccess() const {
      return llvm::any_of(Flags,
                          [](const auto &F) { return F.second != NoAccess; });
    }
  };
  using MappingIterator = std::map<uint64_t, Mapping>::iterator;

  MemHandle add(MemoryFile File, uint64_t Size,
                const MemAllocationProp &Properties);
  bool isReserved(uint64_t Address, uint64_t Size) const;
  /// The mapping in which an address lies, or the end.
  MappingIterator mappingAt(uint64_t Address);
  /// Whether a range consists of whole mappings, without gaps.
  bool isMapped(uint64_t Address, uint64_t Size) const;
  static cudaError_t setAccess(uint64_t Address, Mapping &M,
                               std::map<unsigned, Access> Flags);

  MemoryUse &Use;
  mutable std::mutex Mutex;                  ///< Of everything below.
  std::map<uint64_t, uint64_t> Reservations; ///< Sizes by address.
  std::map<uint64_t, Mapping> Mappings;      ///< By address.
  std::map<MemHandle, std::shared_ptr<Memory>> Handles;
  MemHandle LastHandle = 0;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_VIRTUALMEMORY_H
