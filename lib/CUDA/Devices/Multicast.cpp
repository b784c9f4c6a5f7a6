//===- Multicast.cpp - Memory of several devices at one address -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bindings are written once, each into a place of its own, so that processes
// need no lock: a binding is there when its state says so.
//
//===----------------------------------------------------------------------===//

#include "Devices/Multicast.h"
#include "Process.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda {

enum BindingState : uint32_t { Empty, Bound, Unbound };

struct Multicast::Binding {
  std::atomic<uint32_t> State;
  uint32_t Member;
  uint64_t Offset, Bytes; ///< In the object.
  int64_t Process;        ///< Which has the memory's file,
  int32_t Descriptor;     ///< as this.
  MemoryFile::Identity Identity;
  uint64_t FileOffset;
};

/// The file, whose pages are zero at first.
struct Multicast::Header {
  static constexpr uint64_t Mark = 0x7473616369746c75; ///< Tells the file.
  static constexpr unsigned MaxBindings = 4096;

  uint64_t Magic;
  uint64_t Bytes;
  uint32_t NumMembers;
  std::atomic<uint32_t> Added, NumBindings;
  std::atomic<uint64_t> Version;
  Binding Bindings[MaxBindings];
};

std::shared_ptr<Multicast> Multicast::from(MemoryFile File) {
  if (File.size() != sizeof(Header))
    return nullptr;
  uint8_t *Pages = File.map(0, sizeof(Header));
  if (!Pages)
    return nullptr;
  auto &Shared = *reinterpret_cast<Header *>(Pages);
  return std::shared_ptr<Multicast>(new Multicast(std::move(File), Shared));
}

std::shared_ptr<Multicast> Multicast::create(unsigned NumMembers,
                                             uint64_t Bytes) {
  std::optional<MemoryFile> File = MemoryFile::create(sizeof(Header));
  std::shared_ptr<Multicast> M = File ? from(std::move(*File)) : nullptr;
  if (!M)
    return nullptr;
  M->Shared.Magic = Header::Mark;
  M->Shared.NumMembers = NumMembers;
  M->Shared.Bytes = Bytes;
  return M;
}

std::shared_ptr<Multicast> Multicast::open(int Descriptor) {
  std::optional<MemoryFile> File = MemoryFile::open(Descriptor);
  std::shared_ptr<Multicast> M = File ? from(std::move(*File)) : nullptr;
  return M && M->Shared.Magic == Header::Mark ? M : nullptr;
}

Multicast::~Multicast() {
  while (!Mappings.empty())
    release(Mappings.begin()->first);
  for (const auto &[Number, Keep] : Kept)
    Shared.Bindings[Number].State = Unbound;
  ++Shared.Version;
  MemoryFile::unmap(&Shared, sizeof(Header));
}

uint64_t Multicast::bytes() const { return Shared.Bytes; }
uint64_t Multicast::version() const { return Shared.Version; }

//===----------------------------------------------------------------------===//
// Members
//===----------------------------------------------------------------------===//

bool Multicast::add(unsigned Device) {
  if (contains(Device))
    return false;
  uint32_t Number = Shared.Added;
  do {
    if (Number == Shared.NumMembers)
      return false;
  } while (!Shared.Added.compare_exchange_weak(Number, Number + 1));
  Members[Device] = Number;
  return true;
}

void Multicast::waitForAll() const {
  while (Shared.Added != Shared.NumMembers)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

//===----------------------------------------------------------------------===//
// Bindings
//===----------------------------------------------------------------------===//

template <typename Fn> void Multicast::forBindings(Fn Visit) const {
  uint32_t Count = std::min<uint32_t>(Shared.NumBindings, Header::MaxBindings);
  for (uint32_t Number = 0; Number != Count; ++Number)
    if (Binding &B = Shared.Bindings[Number]; B.State == Bound)
      Visit(B, Number);
}

bool Multicast::bind(unsigned Device, uint64_t Offset, const Memory &M) {
  uint32_t Member = Members.at(Device);
  bool IsFree = true;
  forBindings([&](const Binding &B, uint32_t) {
    if (B.Member == Member && B.Offset < Offset + M.Bytes &&
        Offset < B.Offset + B.Bytes)
      IsFree = false;
  });
  uint32_t Number = IsFree ? Shared.NumBindings++ : Header::MaxBindings;
  if (Number >= Header::MaxBindings)
    return false;
  Binding &B = Shared.Bindings[Number];
  B.Member = Member;
  B.Offset = Offset;
  B.Bytes = M.Bytes;
  B.Process = getpid();
  B.Descriptor = M.File.descriptor();
  B.Identity = M.File.identity();
  B.FileOffset = M.Offset;
  Kept[Number] = M.Keep;
  B.State = Bound;
  ++Shared.Version;
  return true;
}

bool Multicast::unbind(unsigned Device, uint64_t Offset, uint64_t Bytes) {
  std::vector<uint32_t> Found;
  forBindings([&](const Binding &B, uint32_t Number) {
    if (Kept.count(Number) && B.Member == Members.at(Device) &&
        B.Offset >= Offset && B.Offset + B.Bytes <= Offset + Bytes)
      Found.push_back(Number);
  });
  for (uint32_t Number : Found) {
    Shared.Bindings[Number].State = Unbound;
    ++Shared.Version;
    release(Number);
    Kept.erase(Number);
  }
  return !Found.empty();
}

void Multicast::unbindAll(unsigned Device) {
  if (contains(Device))
    unbind(Device, 0, bytes());
}

//===----------------------------------------------------------------------===//
// Places in this process
//===----------------------------------------------------------------------===//

/// Ends the mapping of a binding, if there is one.
void Multicast::release(uint32_t Number) {
  auto It = Mappings.find(Number);
  if (It == Mappings.end())
    return;
  Mapped M = It->second;
  Mappings.erase(It);
  // A device that was closed has forgotten it.
  if (rt::Context *C = Process::get().device(M.Through)->opened())
    consumeError(C->device().unmapHost(M.Pages));
  MemoryFile::unmap(M.Pages, M.Bytes);
}

/// Where the process has what is bound; null if the host refuses, or if who had
/// the memory is gone.
Multicast::Mapped *Multicast::mappedFor(const Binding &B, uint32_t Number) {
  if (auto It = Mappings.find(Number); It != Mappings.end())
    return &It->second;
  std::optional<MemoryFile> File =
      MemoryFile::openOf(B.Process, B.Descriptor, B.Identity);
  Mapped M = {nullptr, B.Bytes, currentDevice()};
  for (auto [Device, Member] : Members)
    if (Member == B.Member)
      M.Through = Device;
  Expected<rt::Context &> C = Process::get().context(M.Through);
  if (!C) {
    consumeError(C.takeError());
    return nullptr;
  }
  M.Pages = File ? File->map(B.FileOffset, B.Bytes) : nullptr;
  if (!M.Pages)
    return nullptr;
  if (Error E = C->device().mapHost({M.Pages, M.Bytes})) {
    consumeError(std::move(E));
    MemoryFile::unmap(M.Pages, M.Bytes);
    return nullptr;
  }
  return &(Mappings[Number] = M);
}

std::vector<rt::MulticastPart> Multicast::parts() {
  std::map<std::pair<uint32_t, uint64_t>, rt::MulticastPart> Sorted;
  std::vector<uint32_t> Gone;
  for (const auto &[Number, M] : Mappings)
    if (Shared.Bindings[Number].State != Bound)
      Gone.push_back(Number);
  for (uint32_t Number : Gone)
    release(Number);
  forBindings([&](const Binding &B, uint32_t Number) {
    if (const Mapped *M = mappedFor(B, Number))
      Sorted[{B.Member, B.Offset}] = {B.Offset, B.Bytes,
                                      reinterpret_cast<uintptr_t>(M->Pages)};
  });
  std::vector<rt::MulticastPart> Parts;
  Parts.reserve(Sorted.size());
  for (const auto &[Place, Part] : Sorted)
    Parts.push_back(Part);
  return Parts;
}

} // namespace heddle::cuda
