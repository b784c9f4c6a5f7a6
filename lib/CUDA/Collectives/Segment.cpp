//===- Segment.cpp - Memory that the ranks of a group share -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ids, files and mappings.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Segment.h"
#include "Runtime/Runtime.h"

#include <chrono>
#include <cstring>
#include <list>
#include <map>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::collectives {

namespace {

/// What an id holds.
struct FileName {
  static constexpr uint64_t TheMark = 0x6c63636e2d646468; // "hdd-nccl"
  uint64_t Mark;
  int64_t Process;
  int64_t Descriptor;
  uint64_t Device, Node; ///< The file's identity.
};
static_assert(sizeof(FileName) <= sizeof(UniqueId));

/// What the process has. Never destroyed, see Process.h.
struct Table {
  std::mutex Mutex; ///< Of everything.
  /// Files of ids that were made here; other processes come to them as long as
  /// this one lives.
  std::list<MemoryFile> Made;
  std::map<MemoryFile::Identity, std::weak_ptr<Segment>> Opened;
};

Table &table() {
  static auto *The = new Table;
  return *The;
}

} // namespace

Result Segment::makeId(UniqueId &Id) {
  std::optional<MemoryFile> File = MemoryFile::create(Page);
  if (!File)
    return fail(SystemError, "the host has no memory for a group");
  auto [Device, Node] = File->identity();
  FileName Name = {FileName::TheMark, getpid(), File->descriptor(), Device,
                   Node};
  Id = {};
  std::memcpy(Id.Bytes, &Name, sizeof(Name));
  std::lock_guard Lock(table().Mutex);
  table().Made.push_back(std::move(*File));
  return Success;
}

void Segment::forgetId(const UniqueId &Id) {
  FileName Name;
  std::memcpy(&Name, Id.Bytes, sizeof(Name));
  std::lock_guard Lock(table().Mutex);
  table().Made.remove_if([&](const MemoryFile &File) {
    return File.identity() == MemoryFile::Identity(Name.Device, Name.Node);
  });
}

Result Segment::open(const UniqueId &Id, unsigned NumRanks,
                     std::shared_ptr<Segment> &Opened) {
  FileName Name;
  std::memcpy(&Name, Id.Bytes, sizeof(Name));
  if (Name.Mark != FileName::TheMark)
    return fail(InvalidArgument, "the id is none that ncclGetUniqueId made");
  std::lock_guard Lock(table().Mutex);
  MemoryFile::Identity Identity = {Name.Device, Name.Node};
  std::weak_ptr<Segment> &Known = table().Opened[Identity];
  Opened = Known.lock();
  if (!Opened) {
    std::optional<MemoryFile> File = MemoryFile::openOf(
        Name.Process, static_cast<int>(Name.Descriptor), Identity);
    uint64_t Bytes = bytesFor(NumRanks);
    // Ranks that come at the same time make it equally large.
    if (!File || (File->size() < Bytes && !File->resize(Bytes)))
      return fail(SystemError,
                  "the group's memory cannot be opened: the process that made "
                  "the id, " +
                      Twine(Name.Process) +
                      ", has ended, belongs to another user, or is not seen "
                      "from this host or container");
    uint8_t *Begin = File->map(0, Bytes);
    if (!Begin)
      return fail(SystemError, "the group's memory cannot be mapped");
    if (Result Code =
            check(cudaHostRegister(Begin, Bytes, 0), "cudaHostRegister");
        Code != Success) {
      MemoryFile::unmap(Begin, Bytes);
      return Code;
    }
    Opened.reset(new Segment(Begin, Bytes, NumRanks));
    Known = Opened;
  }
  uint32_t Nothing = 0;
  if (!Opened->header().NumRanks.compare_exchange_strong(Nothing, NumRanks) &&
      Nothing != NumRanks)
    return fail(InvalidArgument, "another rank says that the group has " +
                                     Twine(Nothing) + " ranks, not " +
                                     Twine(NumRanks));
  return Success;
}

Segment::~Segment() {
  cudaHostUnregister(Begin);
  MemoryFile::unmap(Begin, Bytes);
}

bool Segment::waitForAll() const {
  constexpr auto Longest = std::chrono::minutes(10);
  auto Begin = std::chrono::steady_clock::now();
  while (header().NumJoined < NumRanks) {
    if (std::chrono::steady_clock::now() - Begin > Longest)
      return false;
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  return true;
}

} // namespace heddle::cuda::collectives
