//===- Pools.h - Memory pools -----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool counts what is allocated from it. The device has its memory back as
// soon as a block is freed, so that a pool never holds unused memory. The
// memory of a pool that other processes may import is in a file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_POOLS_H
#define HEDDLE_LIB_CUDA_POOLS_H

#include "ABI.h"
#include "Handles.h"
#include "Pointers.h"
#include "heddle/Emulator/DeviceBroker.h"
#include "heddle/Runtime/Device.h"
#include "heddle/Support/MemoryFile.h"

#include <array>
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
  uint64_t ReleaseThreshold = 0; ///< As set; nothing depends on it.
  int Reuse[3] = {1, 1, 1};      ///< Likewise.
  uint64_t Accessors = 0; ///< Other devices that reach it, a bit for each.
  uint64_t Used = 0, UsedHigh = 0; ///< In bytes.
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
  MemPoolHandle *create(PoolPlace Place, unsigned Device,
                        std::shared_ptr<PoolFile> File = nullptr);
  bool destroy(MemPoolHandle *Pool);
  bool contains(const MemPoolHandle *Pool) const {
    return isDefault(Pool) || Pools.contains(Pool);
  }

  /// Notes a block that was allocated from a pool, and its end.
  void allocated(const void *Address, PoolBlock Block);
  /// The block, empty if it was of no pool.
  PoolBlock freed(const void *Address);
  std::optional<PoolBlock> find(const void *Address);
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

  DevicePools &ofDevice(unsigned Device);
  bool isDefault(const MemPoolHandle *Pool) const;

  mutable std::mutex Mutex; ///< Of what pools hold, and of what follows.
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
