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
#include "Collectives/HostLinks.h"
#include "Runtime/Runtime.h"

#include <chrono>
#include <cstring>
#include <list>
#include <map>
#include <sys/random.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::collectives {

namespace {

/// What an id holds.
struct GroupName {
  static constexpr uint64_t TheMark = 0x6c63636e2d646468; // "hdd-nccl"
  uint64_t Mark;
  SegmentFile File;    ///< On the host of who made the id.
  uint64_t Host;       ///< That host.
  HostAddress Centre;  ///< Where it listens for others.
  uint64_t Secret = 0; ///< Known to who has the id.
};
static_assert(sizeof(GroupName) <= sizeof(UniqueId));

/// What the process has. Never destroyed, see Process.h.
struct Table {
  std::mutex Mutex; ///< Of everything.
  /// Files that were made here; other processes come to them as long as this
  /// one lives.
  std::list<MemoryFile> Made;
  /// By the file of the id: what is mapped, and where it is on this host.
  std::map<MemoryFile::Identity, std::weak_ptr<Segment>> Opened;
  std::map<MemoryFile::Identity, SegmentFile> Files;
};

Table &table() {
  static auto *The = new Table;
  return *The;
}

} // namespace

SegmentFile SegmentFile::of(const MemoryFile &File) {
  auto [Device, Node] = File.identity();
  return {getpid(), File.descriptor(), Device, Node};
}

std::optional<MemoryFile> SegmentFile::open() const {
  return MemoryFile::openOf(Process, static_cast<int>(Descriptor), identity());
}

static GroupName nameOf(const UniqueId &Id) {
  GroupName Name;
  std::memcpy(&Name, Id.Bytes, sizeof(Name));
  return Name;
}

Result Segment::makeId(UniqueId &Id, bool ForOtherHosts) {
  std::optional<MemoryFile> File = MemoryFile::create(Page);
  if (!File)
    return fail(SystemError, "the host has no memory for a group");
  GroupName Name = {GroupName::TheMark, SegmentFile::of(*File), hostHash(), {}};
  if (getrandom(&Name.Secret, sizeof(Name.Secret), 0) != sizeof(Name.Secret))
    return fail(SystemError, "the host has no random numbers");
  if (ForOtherHosts)
    // Without a network the group is one of this host.
    if (Socket Listener = Socket::listen(Name.Centre); Listener.isValid())
      serveOtherHosts(std::move(Listener), Name.File, Name.Secret);
  Id = {};
  std::memcpy(Id.Bytes, &Name, sizeof(Name));
  std::lock_guard Lock(table().Mutex);
  table().Made.push_back(std::move(*File));
  return Success;
}

void Segment::forgetId(const UniqueId &Id) {
  GroupName Name = nameOf(Id);
  stopServing(Name.File);
  std::lock_guard Lock(table().Mutex);
  auto Local = table().Files.find(Name.File.identity());
  table().Made.remove_if([&](const MemoryFile &File) {
    return File.identity() == Name.File.identity() ||
           (Local != table().Files.end() &&
            File.identity() == Local->second.identity());
  });
  if (Local != table().Files.end())
    table().Files.erase(Local);
}

/// Where the group's segment is on this host, which may have to be made.
static Result findFile(const GroupName &Name, unsigned NumRanks,
                       SegmentFile &File) {
  if (Name.Host == hostHash()) {
    File = Name.File;
    return Success;
  }
  auto [Known, IsNew] = table().Files.try_emplace(Name.File.identity());
  if (IsNew) {
    std::optional<MemoryFile> Made;
    if (Result Code = joinOtherHost(Name.Centre, Name.Secret, NumRanks,
                                    Known->second, Made);
        Code != Success) {
      table().Files.erase(Known);
      return Code;
    }
    if (Made)
      table().Made.push_back(std::move(*Made));
  }
  File = Known->second;
  return Success;
}

/// Maps the file of a segment, which the thread's device learns of.
static Result mapFile(const SegmentFile &Where, unsigned NumRanks,
                      uint8_t *&Begin) {
  std::optional<MemoryFile> File = Where.open();
  uint64_t Bytes = SegmentView::bytesFor(NumRanks);
  // Ranks that come at the same time make it equally large.
  if (!File || (File->size() < Bytes && !File->resize(Bytes)))
    return fail(SystemError,
                "the group's memory cannot be opened: the process that made "
                "it, " +
                    Twine(Where.Process) +
                    ", has ended, belongs to another user, or is not seen "
                    "from this container");
  Begin = File->map(0, Bytes);
  if (!Begin)
    return fail(SystemError, "the group's memory cannot be mapped");
  Result Code = check(cudaHostRegister(Begin, Bytes, 0), "cudaHostRegister");
  if (Code != Success)
    MemoryFile::unmap(Begin, Bytes);
  return Code;
}

Result Segment::open(const UniqueId &Id, unsigned NumRanks,
                     std::shared_ptr<Segment> &Opened) {
  GroupName Name = nameOf(Id);
  if (Name.Mark != GroupName::TheMark)
    return fail(InvalidArgument, "the id is none that ncclGetUniqueId made");
  std::lock_guard Lock(table().Mutex);
  std::weak_ptr<Segment> &Known = table().Opened[Name.File.identity()];
  Opened = Known.lock();
  if (!Opened) {
    SegmentFile File;
    uint8_t *Begin = nullptr;
    Result Code = findFile(Name, NumRanks, File);
    if (Code == Success)
      Code = mapFile(File, NumRanks, Begin);
    if (Code != Success)
      return Code;
    Opened.reset(new Segment(Begin, NumRanks));
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
  MemoryFile::unmap(Begin, bytesFor(NumRanks));
}

void Segment::leaveAll() {
  std::lock_guard Lock(table().Mutex);
  for (const auto &[File, Known] : table().Opened)
    if (std::shared_ptr<Segment> S = Known.lock())
      for (unsigned Rank = 0; Rank != S->NumRanks; ++Rank)
        if (S->OwnRanks >> Rank & 1)
          S->leave(Rank);
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
