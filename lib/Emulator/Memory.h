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

#include "heddle/Emulator/Emulator.h"
#include "heddle/Emulator/PeerLinks.h"
#include "heddle/Runtime/Device.h"
#include "heddle/Support/HostMemory.h"
#include "heddle/Support/MemoryFile.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <shared_mutex>
#include <vector>

namespace heddle::emu {

class MemoryHistory;

/// Addresses below this are the null page.
constexpr uint64_t NullPageBytes = 64 * 1024;
/// What drivers give device memory out in, and hosts their own.
constexpr uint64_t DevicePageBytes = 2 * 1024 * 1024;
/// From this size on a block begins with a page of the device.
constexpr uint64_t LargeBlockBytes = DevicePageBytes / 2;
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
  unsigned Owner = 0;      ///< The device that has the block.
  /// The devices whose kernels reach the block, a bit for each, and those of
  /// them that were given access to this block.
  std::atomic<uint64_t> Accessors{0};
  uint64_t Granted = 0;
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

/// What devices of one process have in common: an address means one place for
/// all of them.
class AddressSpace {
public:
  /// Shared by launches and copies of all devices, which may overlap; alone
  /// with it is what takes memory or code away from them.
  std::shared_mutex InUse;

  /// What launches on weakly ordered memory share while one runs.
  std::shared_ptr<MemoryHistory> history();
  /// Lets all of them see what was stored so far.
  void settleHistory();

private:
  friend class DeviceMemory;
  friend void setPeerLink(AddressSpace &Space, unsigned From, unsigned To,
                          PeerLink Link);
  using BlockList = std::vector<std::unique_ptr<Allocation>>;

  mutable std::shared_mutex Mutex;
  BlockList Blocks;    ///< By address.
  BlockList Forgotten; ///< By rewind; someone may keep pointers to them.
  uint64_t NextAddress = uint64_t(1) << 32;
  /// The devices whose kernels reach fresh blocks of a device, by its ordinal,
  /// beside itself.
  std::array<uint64_t, MaxDevices> Peers = {};
  /// Between devices, by the ordinals of who asks and of who has the memory.
  std::map<std::pair<unsigned, unsigned>, PeerLink> Links;
  std::weak_ptr<MemoryHistory> History;
  /// Addresses that stand for memory of several members.
  struct Multicast {
    uint64_t Bytes = 0;
    std::vector<rt::MulticastPart> Parts;
  };
  const Multicast *multicastAt(uint64_t Address, uint64_t &Offset) const;
  std::map<uint64_t, Multicast> Multicasts; ///< By the first address.
};

/// Memory of the host that all devices of a space know at its own address,
/// until the last reference ends.
class SharedBlock {
public:
  /// Null if the host has no memory for it.
  static std::shared_ptr<SharedBlock>
  create(const std::shared_ptr<AddressSpace> &Space, uint64_t Size,
         uint64_t Align);
  ~SharedBlock();
  SharedBlock(const SharedBlock &) = delete;
  SharedBlock &operator=(const SharedBlock &) = delete;

  Allocation &allocation() const { return *A; }

private:
  explicit SharedBlock(std::shared_ptr<AddressSpace> Space)
      : Space(std::move(Space)) {}

  const std::shared_ptr<AddressSpace> Space;
  Allocation *A = nullptr;
};

/// What a device has and sees of an address space. Everything may be called
/// from any thread.
class DeviceMemory {
public:
  struct Policy {
    uint64_t HeapLimit = 0; ///< Bytes that kernels may allocate.
    rt::FreshMemory Fresh = rt::FreshMemory::Zero;
    bool TracksWrites = false; ///< Blocks know which bytes were written.
    rt::MemoryBounds Bounds = rt::MemoryBounds::Exact;
  };
  DeviceMemory(std::shared_ptr<AddressSpace> Space, unsigned Device,
               const Policy &Rules)
      : Space(std::move(Space)), Device(Device), Rules(Rules) {}
  /// Takes the device's blocks away, which no launch may use.
  ~DeviceMemory();

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
  /// Makes Size bytes of the host's memory a block at their own address. Null
  /// if another block is there.
  Allocation *map(uint8_t *Host, uint64_t Size);
  /// Forgets a mapped block. It must not be in use. False if none is there.
  bool unmap(uint64_t Address);
  const std::shared_ptr<AddressSpace> &space() const { return Space; }
  /// malloc and free of kernels; 0 and false if they fail.
  uint64_t heapAllocate(uint64_t Size);
  bool heapFree(uint64_t Address);

  /// The block, live or dead, at whose start or inside which \p Address lies;
  /// null if there is none that kernels of the device reach. A block ends where
  /// kernels do not reach any more.
  Allocation *find(uint64_t Address) const;
  /// The same of blocks that only other devices' kernels reach, too: copies may
  /// be between any two devices.
  Allocation *findAny(uint64_t Address) const;
  /// Whether kernels of another device reach this one's memory, that which is
  /// allocated later, too.
  void setPeer(unsigned Peer, bool Reaches);
  /// The same of one block.
  void setPeer(Allocation &A, unsigned Peer, bool Reaches);
  /// All blocks that live, of all devices, by address.
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
  bool tracksWrites() const { return Rules.TracksWrites; }
  /// Records that Size bytes at Address, in one block, are written.
  void markWritten(uint64_t Address, uint64_t Size);
  /// Records that bytes are as written as the bytes that they are copied from.
  void copyWritten(uint64_t Destination, uint64_t Source, uint64_t Size);
  /// Whether a kernel has written global memory without anyone having looked.
  std::atomic<bool> &hasUnseenWrites() { return UnseenWrites; }

  /// Makes a range of addresses stand for memory of several members. Null, or
  /// what is wrong with it.
  const char *setMulticast(uint64_t Begin, uint64_t Bytes,
                           llvm::ArrayRef<rt::MulticastPart> Parts);
  /// False if none begins there.
  bool removeMulticast(uint64_t Begin);
  /// The places that a multimem address stands for, which is itself if it is in
  /// no such range, or in a place of one that no part covers.
  llvm::SmallVector<uint64_t, 8> membersAt(uint64_t Address) const;

  /// What there is from the device to others, by their ordinals.
  std::map<unsigned, PeerLink> links() const;

  /// What an access to an address outside every live block touches, for people.
  std::string describe(uint64_t Address) const;

private:
  using BlockList = AddressSpace::BlockList;

  Allocation *allocateLocked(uint64_t Size, uint64_t Align);
  Allocation *makeLocked(uint64_t Base, uint64_t Size, uint64_t Reach);
  bool isFree(uint64_t Base, uint64_t Size) const;
  /// Where the first block above Address is, or would be.
  BlockList::const_iterator above(uint64_t Address) const;
  /// Works out again which devices' kernels reach a block of the device.
  void updateAccessors(Allocation &A) const;
  /// Whether kernels of the device reach a block.
  bool reaches(const Allocation &A) const {
    return A.Accessors.load(std::memory_order_relaxed) >> Device & 1;
  }

  const std::shared_ptr<AddressSpace> Space;
  const unsigned Device; ///< Its ordinal, below MaxDevices.
  const Policy Rules;
  uint64_t HeapUsed = 0; ///< Under the space's mutex.
  std::atomic<bool> UnseenWrites{false};
};

/// Fills with rt::PoisonPattern; \p Data stands for an even address.
void poison(uint8_t *Data, uint64_t Size);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MEMORY_H
