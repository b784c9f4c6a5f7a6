//===- Memory.h - Device memory with guarded allocations --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device addresses are numbers of their own, never host pointers, and are not
// used twice. An address belongs to at most one allocation, and between any two
// allocations there is a gap, so each access can be checked exactly.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MEMORY_H
#define HEDDLE_LIB_EMULATOR_MEMORY_H

#include "heddle/Runtime/Device.h"
#include "heddle/Support/HostMemory.h"
#include "heddle/Support/MemoryFile.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <set>
#include <shared_mutex>
#include <vector>

namespace heddle::emu {

/// Addresses below this are the null page.
constexpr uint64_t NullPageBytes = 64 * 1024;
/// What drivers give device memory out in, and hosts their own.
constexpr uint64_t DevicePageBytes = 2 * 1024 * 1024;
constexpr uint64_t HostPageBytes = 4096;

/// A block of device memory. The object outlives the block, so that a warp may
/// keep a pointer to it and still notice that it was freed.
struct Allocation {
  uint64_t Base = 0; ///< Device address.
  uint64_t Size = 0; ///< In bytes.
  /// How many bytes kernels reach: Size, or what the block's pages have.
  uint64_t Reach = 0;
  uint8_t *Host = nullptr;
  std::atomic<bool> Live{true};
  bool FromKernel = false; ///< By malloc in a kernel.
  bool FromHost = false;   ///< By allocate; only these may be freed by free.
  bool IsMapped = false;   ///< Memory of the host, at the host's address.
  /// Where Host is mapped from if other processes may map it, too.
  std::optional<MemoryFile> File;
  /// By byte, whether it was written; null if no check asks.
  std::unique_ptr<uint8_t[]> Written;

  bool contains(uint64_t Address, uint64_t Bytes) const {
    return Address >= Base && Address - Base <= Size &&
           Bytes <= Size - (Address - Base);
  }
  /// The same for an access of a kernel.
  bool reaches(uint64_t Address, uint64_t Bytes) const {
    return Address >= Base && Address - Base <= Reach &&
           Bytes <= Reach - (Address - Base);
  }
  ~Allocation() { freeHost(); }
  /// Gives the memory of the host back, if it is the block's own.
  void freeHost();
};

/// All device memory of a device. Everything may be called from any thread.
class DeviceMemory {
public:
  /// With \p TracksWrites blocks know which of their bytes were written.
  explicit DeviceMemory(uint64_t HeapLimit,
                        rt::FreshMemory Fresh = rt::FreshMemory::Zero,
                        bool TracksWrites = false,
                        rt::MemoryBounds Bounds = rt::MemoryBounds::Exact)
      : HeapLimit(HeapLimit), Fresh(Fresh), TracksWrites(TracksWrites),
        Bounds(Bounds) {}

  /// A fresh block; null if the host has no memory for it.
  Allocation *allocate(uint64_t Size, uint64_t Align);
  /// The same at an address, below which nothing is given out any more; null if
  /// another block is there, too.
  Allocation *place(uint64_t Address, uint64_t Size);
  /// Puts the bytes of a block into a file. No kernel may run. False if the
  /// host refuses.
  bool moveToFile(Allocation &A);
  /// Marks the block dead and gives its memory back to the host.
  void release(Allocation *A);
  /// Makes Size bytes of the host's memory a block at their own address. False
  /// if another block is there.
  bool map(uint8_t *Host, uint64_t Size);
  /// Forgets a mapped block. It must not be in use. False if none is there.
  bool unmap(uint64_t Address);
  /// malloc and free of kernels; 0 and false if they fail.
  uint64_t heapAllocate(uint64_t Size);
  bool heapFree(uint64_t Address);

  /// The block, live or dead, at whose start or inside which \p Address lies;
  /// null if there is none. A block ends where kernels do not reach any more.
  Allocation *find(uint64_t Address) const;
  /// All blocks that live, by address.
  std::vector<Allocation *> liveBlocks() const;
  /// Whether \p Address lies behind a live block, in a page that a driver would
  /// give it.
  bool isInPage(uint64_t Address) const;

  /// What malloc of kernels has given and free has not taken back.
  struct HeapUse {
    uint64_t Blocks = 0, Bytes = 0;
  };
  HeapUse heapInUse() const;

  /// Which blocks there are.
  struct Mark {
    std::set<const Allocation *> Known, Live;
    uint64_t NextAddress = 0, HeapUsed = 0;
  };
  Mark mark() const;
  /// Forgets what kernels have allocated and freed since, so that they get the
  /// same addresses again. None may run.
  void rewind(const Mark &To);

  /// Whether blocks know which of their bytes were written.
  bool tracksWrites() const { return TracksWrites; }
  /// Records that Size bytes at Address, in one block, are written.
  void markWritten(uint64_t Address, uint64_t Size);
  /// Records that bytes are as written as the bytes that they are copied from.
  void copyWritten(uint64_t Destination, uint64_t Source, uint64_t Size);
  /// Whether a kernel has written global memory without anyone having looked.
  std::atomic<bool> &hasUnseenWrites() { return UnseenWrites; }

  /// What an access to an address outside every live block touches, for people.
  std::string describe(uint64_t Address) const;

private:
  using BlockList = std::vector<std::unique_ptr<Allocation>>;

  Allocation *allocateLocked(uint64_t Size, uint64_t Align);
  Allocation *makeLocked(uint64_t Base, uint64_t Size, uint64_t Reach);
  bool isFree(uint64_t Base, uint64_t Size) const;
  /// Where the first block above Address is, or would be.
  BlockList::const_iterator above(uint64_t Address) const;

  mutable std::shared_mutex Mutex;
  BlockList Blocks;    ///< By address.
  BlockList Forgotten; ///< By rewind; someone may keep pointers to them.
  uint64_t NextAddress = uint64_t(1) << 32;
  uint64_t HeapLimit;
  uint64_t HeapUsed = 0;
  const rt::FreshMemory Fresh;
  const bool TracksWrites;
  const rt::MemoryBounds Bounds;
  std::atomic<bool> UnseenWrites{false};
};

/// Fills with rt::PoisonPattern; \p Data stands for an even address.
void poison(uint8_t *Data, uint64_t Size);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MEMORY_H
