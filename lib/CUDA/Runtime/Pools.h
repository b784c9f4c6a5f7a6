//===- Pools.h - Memory pools -----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool counts what is allocated from it. The device has its memory back as
// soon as a block is freed, so that no kernel reaches it any more. What a pool
// holds back is a number of bytes, which nobody else is told of as free until
// the pool has to release them or somebody needs them. The memory of a pool
// that other processes may import is in a file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_POOLS_H
#define HEDDLE_LIB_CUDA_POOLS_H

#include "ABI.h"
#include "Devices/MemoryUse.h"
#include "Handles.h"
#include "Pointers.h"
#include "heddle/Emulator/DeviceBroker.h"
#include "heddle/Runtime/Device.h"
#include "heddle/Support/MemoryFile.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

namespace heddle::cuda {

/// cudaMemPoolPtrExportData.
struct PoolExport {
  unsigned char Bytes[64];
};

/// The file that the memory of a pool is in. Any thread may call anything at
/// any time.
class PoolFile {
public:
  PoolFile(MemoryFile File, bool IsImported)
      : IsImported(IsImported), File(std::move(File)) {}

  /// Whether another process allocates from it.
  const bool IsImported;
  const MemoryFile &file() const { return File; }

  /// Bytes that nobody uses, from the offset that is returned; none if the host
  /// has no more. They are zero.
  std::optional<uint64_t> take(uint64_t Bytes);
  /// Ends what take returned.
  void give(uint64_t Offset);

private:
  std::mutex Mutex; ///< Of what follows.
  MemoryFile File;
  std::map<uint64_t, uint64_t> Used; ///< Bytes by offset.
};

/// Where the memory of a pool is: managed memory is the device's and the
/// host's.
enum class PoolPlace : uint8_t { Device, Host, Managed };
constexpr unsigned NumPoolPlaces = 3;

struct MemPoolHandle {
  PoolPlace Place = PoolPlace::Device;
  unsigned Device = 0;           ///< Whose memory it has.
  bool HoldsBack = true;         ///< What is freed, for a while.
  uint64_t MaxSize = 0;          ///< In bytes; 0: no limit of its own.
  uint64_t ReleaseThreshold = 0; ///< What it may go on to have.
  int Reuse[3] = {1, 1, 1};      ///< As set; nothing depends on it.
  uint64_t Accessors = 0; ///< Other devices that reach it, a bit for each.
  uint64_t Used = 0, UsedHigh = 0; ///< In bytes.
  uint64_t Held = 0;               ///< Bytes that were freed.
  uint64_t ReservedHigh = 0;       ///< Of both.
  /// Of a service of devices, for what is held.
  std::shared_ptr<emu::MemoryGrant> HeldGrant = {};
  /// Null unless other processes may import the pool.
  std::shared_ptr<PoolFile> File = {};
};

/// A block that was allocated from a pool.
struct PoolBlock {
  MemPoolHandle *Pool = nullptr;
  uint64_t Size = 0;
  std::shared_ptr<PoolFile> File = {}; ///< The pool's.
  uint64_t Offset = 0;                 ///< In the file.
  /// Of a service of devices, for memory of this process's.
  std::shared_ptr<emu::MemoryGrant> Grant = {};
};

/// All pools. Any thread may call anything at any time.
class PoolTable {
public:
  /// Counts what pools hold of the devices' memory.
  explicit PoolTable(MemoryUse &Use) : Use(Use) {}

  /// The pool of a place and a device; of the device's takes cudaMallocAsync.
  MemPoolHandle *current(PoolPlace Place, unsigned Device) {
    return ofDevice(Device).Current[unsigned(Place)];
  }
  /// The same, as long as the program has not set another one.
  MemPoolHandle *defaultOf(PoolPlace Place, unsigned Device) {
    return &ofDevice(Device).Defaults[unsigned(Place)];
  }
  /// What counts the memory of graphs; the program does not see it.
  MemPoolHandle *graphPool(unsigned Device) { return &ofDevice(Device).Graphs; }
  void setCurrent(MemPoolHandle *Pool, unsigned Device) {
    ofDevice(Device).Current[unsigned(Pool->Place)] = Pool;
  }
  MemPoolHandle *create(PoolPlace Place, unsigned Device, uint64_t MaxSize,
                        std::shared_ptr<PoolFile> File = nullptr);
  bool destroy(MemPoolHandle *Pool);
  bool contains(const MemPoolHandle *Pool) const {
    return isDefault(Pool) || Pools.contains(Pool);
  }

  /// Takes so many bytes of what a pool holds, or fewer, for a block that is to
  /// be allocated. Returns whether the pool may have the block.
  bool prepare(MemPoolHandle &Pool, uint64_t Size);
  /// Notes a block that was allocated from a pool, and its end.
  void allocated(const void *Address, PoolBlock Block);
  /// The block, empty if it was of no pool.
  PoolBlock freed(const void *Address);
  std::optional<PoolBlock> find(const void *Address);
  /// Releases what a pool holds beyond so many bytes.
  void trim(MemPoolHandle &Pool, uint64_t Bytes);
  /// Releases what pools hold beyond their thresholds, when the program has
  /// waited for something.
  void settle();
  /// Whether any pool may hold anything.
  bool holds() const { return AnyHeld; }
  /// Releases all that pools hold of a device.
  void release(unsigned Device);
  /// Gives another device access to what a pool has and will have, or takes it
  /// away.
  llvm::Error setAccess(MemPoolHandle &Pool, unsigned Device, bool Reaches);
  bool hasAccess(const MemPoolHandle &Pool, unsigned Device);
  /// Reads and writes attributes: cudaMemPoolAttr.
  bool get(MemPoolHandle *Pool, int Attribute, void *Value);
  bool set(MemPoolHandle *Pool, int Attribute, const void *Value);
  /// Forgets a device's blocks and the pools that the program created there.
  void clear(unsigned Device);

private:
  /// What each device has.
  struct DevicePools {
    explicit DevicePools(unsigned Device);

    std::array<MemPoolHandle, NumPoolPlaces> Defaults;
    MemPoolHandle Graphs;
    std::array<MemPoolHandle *, NumPoolPlaces> Current;
  };

  /// Lets a pool hold so many bytes, as far as there is memory for them.
  void hold(MemPoolHandle &Pool, uint64_t Bytes);
  template <typename Fn> void forEachPool(Fn Do);
  DevicePools &ofDevice(unsigned Device);
  bool isDefault(const MemPoolHandle *Pool) const;

  MemoryUse &Use;
  std::atomic<bool> AnyHeld{false};
  mutable std::mutex Mutex; ///< Of what pools have, and of what follows.
  /// By device; they stay where they are.
  std::map<unsigned, DevicePools> ByDevice;
  HandleSet<MemPoolHandle> Pools;
  std::map<const void *, PoolBlock> Blocks;
};

/// What cudaMalloc does where no capture forbids it; pools and graphs allocate
/// during captures, too.
cudaError_t allocateDevice(void **Pointer, size_t Size);

/// Frees a block that the pointer table no longer has. No work
/// uses it.
llvm::Error freeBlock(rt::Device &Device, const Block &Freed,
                      const PoolBlock &Pooled);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_POOLS_H
