//===- Ipc.h - Memory and events of several processes -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A handle names a file without a name by the process and the descriptor that
// it has there. A process that opens the handle maps pages of that file, and
// keeps them when the other process ends.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_IPC_H
#define HEDDLE_LIB_CUDA_IPC_H

#include "ABI.h"
#include "Devices/CurrentDevice.h"
#include "heddle/Runtime/Event.h"
#include "heddle/Support/MemoryFile.h"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::cuda {

/// cudaIpcMemHandle_t and cudaIpcEventHandle_t.
struct IpcHandle {
  char Bytes[64];
};

/// Records of events in the pages of a file. The device knows the pages.
class EventPages {
public:
  static constexpr uint64_t Bytes = 64 * 1024;

  /// Null if the host or the device refuses.
  static std::shared_ptr<EventPages> map(MemoryFile File);
  ~EventPages();
  EventPages(const EventPages &) = delete;
  EventPages &operator=(const EventPages &) = delete;

  const MemoryFile &file() const { return File; }
  /// A record that no event has, until the last reference ends. Null if there
  /// is none.
  static std::shared_ptr<rt::SharedRecords>
  take(const std::shared_ptr<EventPages> &Pages);
  /// The record at an offset, which another process took. Null if there can be
  /// none.
  static std::shared_ptr<rt::SharedRecords>
  at(const std::shared_ptr<EventPages> &Pages, uint64_t Offset);
  /// Where in the file a record is.
  uint64_t offsetOf(const rt::SharedRecords &Records) const;

  const unsigned Device = currentDevice(); ///< That knows the pages.

private:
  EventPages(MemoryFile File, uint8_t *Begin)
      : File(std::move(File)), Begin(Begin) {}

  MemoryFile File;
  uint8_t *Begin;
  std::mutex Mutex; ///< Of what follows.
  uint64_t UsedBytes = 0;
  std::vector<rt::SharedRecords *> Free; ///< Of those used.
};

/// The records of an event, and the pages that they are in.
struct SharedEvent {
  std::shared_ptr<rt::SharedRecords> Records;
  std::shared_ptr<EventPages> Pages;
};

/// What this process has given to others and has of others. Any thread may call
/// anything at any time.
class IpcTable {
public:
  /// A handle of the whole block of device memory in which an address lies.
  cudaError_t share(const void *Pointer, IpcHandle &Handle);
  /// The memory of a handle; the same address each time.
  cudaError_t open(const IpcHandle &Handle, void *&Pointer);
  /// Ends one open; the last one takes the memory away.
  cudaError_t close(const void *Pointer);

  cudaError_t createEvent(SharedEvent &Event);
  static cudaError_t share(const SharedEvent &Event, IpcHandle &Handle);
  cudaError_t open(const IpcHandle &Handle, SharedEvent &Event);

  /// Takes away what a device knows, which no longer uses it.
  void clear(unsigned Device);

private:
  struct Opened {
    uint8_t *Pages;
    uint64_t Size;
    unsigned Users;
    unsigned Device = currentDevice(); ///< That knows the pages.
  };

  std::mutex Mutex; ///< Of everything.
  std::map<MemoryFile::Identity, Opened> Memory;
  /// The pages stay until clear: to take them from the device, launches would
  /// have to end.
  std::vector<std::shared_ptr<EventPages>> Own;
  std::map<MemoryFile::Identity, std::shared_ptr<EventPages>> Others;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_IPC_H
