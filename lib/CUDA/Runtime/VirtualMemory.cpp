//===- VirtualMemory.cpp - Addresses apart from memory ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reserved addresses are pages of the host without access. A mapping replaces
// them by pages of the memory's file; the device knows them only once it was
// given access.
//
//===----------------------------------------------------------------------===//

#include "Runtime/VirtualMemory.h"
#include "Process.h"
#include "Runtime/Copy.h"

#include <cstring>
#include <sys/mman.h>

using namespace llvm;
using namespace heddle;

namespace heddle::cuda {

static bool isGranular(uint64_t Number) {
  return Number != 0 && Number % VirtualMemory::Granularity == 0;
}

static uint64_t alignUp(uint64_t Number, uint64_t Align) {
  return (Number + Align - 1) / Align * Align;
}

/// Pages that nothing may touch; fixed at an address that is ours already.
static void *withoutAccess(uint64_t Address, uint64_t Size, int Flags) {
  return mmap(pointerOf(Address), Size, PROT_NONE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | Flags, -1, 0);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

cudaError_t VirtualMemory::reserve(uint64_t Size, uint64_t Align, uint64_t Hint,
                                   uint64_t &Address) {
  if (!isGranular(Size) || (Align & (Align - 1)))
    return cudaErrorInvalidValue;
  Align = std::max(Align, Granularity);
  uint64_t Whole = Size + Align;
  if (Whole < Size)
    return cudaErrorMemoryAllocation;
  void *Pages = withoutAccess(Hint, Whole, 0);
  if (Pages == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  Address = alignUp(addressOf(Pages), Align);
  if (uint64_t Before = Address - addressOf(Pages))
    munmap(Pages, Before);
  if (uint64_t After = addressOf(Pages) + Whole - (Address + Size))
    munmap(pointerOf(Address + Size), After);
  std::lock_guard Lock(Mutex);
  Reservations[Address] = Size;
  return cudaSuccess;
}

cudaError_t VirtualMemory::release(uint64_t Address, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  auto It = Reservations.find(Address);
  if (It == Reservations.end() || It->second != Size)
    return cudaErrorInvalidValue;
  auto Next = Mappings.lower_bound(Address);
  if (Next != Mappings.end() && Next->first < Address + Size)
    return cudaErrorInvalidValue;
  munmap(pointerOf(Address), Size);
  Reservations.erase(It);
  return cudaSuccess;
}

bool VirtualMemory::isReserved(uint64_t Address, uint64_t Size) const {
  auto It = Reservations.upper_bound(Address);
  if (It == Reservations.begin())
    return false;
  --It;
  uint64_t Offset = Address - It->first;
  return Offset <= It->second && Size <= It->second - Offset;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

MemHandle VirtualMemory::add(std::shared_ptr<Memory> M) {
  std::lock_guard Lock(Mutex);
  MemHandle Number = ++LastHandle;
  M->Number = Number;
  M->Handles = 1;
  Handles[Number] = std::move(M);
  return Number;
}

std::shared_ptr<VirtualMemory::Memory>
VirtualMemory::find(MemHandle Handle) const {
  auto It = Handles.find(Handle);
  return It == Handles.end() ? nullptr : It->second;
}

/// Fills memory with what a program finds there that launches nothing.
static bool fillSkipped(const MemoryFile &File, uint64_t Size) {
  uint8_t *Pages = File.map(0, Size);
  if (!Pages)
    return false;
  std::memset(Pages, SkippedPattern, Size);
  MemoryFile::unmap(Pages, Size);
  return true;
}

cudaError_t VirtualMemory::create(uint64_t Size,
                                  const MemAllocationProp &Properties,
                                  MemHandle &Handle) {
  if (!isGranular(Size))
    return cudaErrorInvalidValue;
  bool IsOfHost = isOfHost(Properties.Location);
  std::shared_ptr<emu::MemoryGrant> Grant;
  if (!IsOfHost) {
    Grant = Process::get().takeMemory(Properties.Location.id, Size);
    if (!Grant)
      return cudaErrorMemoryAllocation;
  }
  std::optional<MemoryFile> File = MemoryFile::create(
      Size, IsOfHost ? MemoryFile::Place::Host : MemoryFile::Place::Device);
  if (!File || (Process::get().skipsLaunches() && !fillSkipped(*File, Size)))
    return cudaErrorMemoryAllocation;
  Handle = add(std::make_shared<Memory>(std::move(*File), Size, Properties, Use,
                                        std::move(Grant)));
  return cudaSuccess;
}

cudaError_t VirtualMemory::releaseHandle(MemHandle Handle) {
  std::lock_guard Lock(Mutex);
  auto It = Handles.find(Handle);
  if (It == Handles.end())
    return cudaErrorInvalidValue;
  if (--It->second->Handles == 0)
    Handles.erase(It);
  return cudaSuccess;
}

cudaError_t VirtualMemory::retain(uint64_t Address, MemHandle &Handle) {
  std::lock_guard Lock(Mutex);
  auto It = mappingAt(Address);
  if (It == Mappings.end())
    return cudaErrorInvalidValue;
  const std::shared_ptr<Memory> &M = It->second.Of;
  ++M->Handles;
  Handles[M->Number] = M;
  Handle = M->Number;
  return cudaSuccess;
}

cudaError_t VirtualMemory::properties(MemHandle Handle,
                                      MemAllocationProp &Properties) {
  std::lock_guard Lock(Mutex);
  auto It = Handles.find(Handle);
  if (It == Handles.end())
    return cudaErrorInvalidValue;
  Properties = It->second->Properties;
  return cudaSuccess;
}

cudaError_t VirtualMemory::share(MemHandle Handle, int &Descriptor) {
  std::lock_guard Lock(Mutex);
  auto It = Handles.find(Handle);
  if (It == Handles.end() ||
      !(It->second->Properties.HandleTypes & FileDescriptor))
    return cudaErrorInvalidValue;
  const Memory &M = *It->second;
  Descriptor = (M.Group ? M.Group->file() : *M.File).duplicate();
  return Descriptor < 0 ? cudaErrorMemoryAllocation : cudaSuccess;
}

cudaError_t VirtualMemory::import(int Descriptor, MemHandle &Handle) {
  MemAllocationProp Properties = {};
  if (std::shared_ptr<Multicast> Group = Multicast::open(Descriptor)) {
    Properties.HandleTypes = FileDescriptor;
    HasMulticasts = true;
    Handle = add(std::make_shared<Memory>(std::move(Group), Properties));
    return cudaSuccess;
  }
  std::optional<MemoryFile> File = MemoryFile::open(Descriptor);
  uint64_t Size = File ? File->size() : 0;
  if (!isGranular(Size))
    return cudaErrorInvalidValue;
  Properties.Type = 1; // pinned
  Properties.HandleTypes = FileDescriptor;
  if (File->place() == MemoryFile::Place::Host)
    Properties.Location = {OnNode, 0};
  else
    Properties.Location = {OnDevice, int(currentDevice())};
  Handle =
      add(std::make_shared<Memory>(std::move(*File), Size, Properties, Use));
  return cudaSuccess;
}

std::shared_ptr<const MemoryFile> VirtualMemory::part(MemHandle Handle,
                                                      unsigned Device,
                                                      uint64_t Offset,
                                                      uint64_t Size) const {
  std::lock_guard Lock(Mutex);
  std::shared_ptr<Memory> M = find(Handle);
  if (!M || !M->isOf(Device) || !(M->Properties.Flags.Usage & ForTiles) ||
      Offset > M->Size || Size > M->Size - Offset)
    return nullptr;
  return {M, &*M->File};
}

//===----------------------------------------------------------------------===//
// Multicast objects
//===----------------------------------------------------------------------===//

cudaError_t VirtualMemory::createMulticast(unsigned NumDevices, uint64_t Size,
                                           int HandleTypes, MemHandle &Handle) {
  if (NumDevices == 0 || !isGranular(Size))
    return cudaErrorInvalidValue;
  std::shared_ptr<Multicast> Group = Multicast::create(NumDevices, Size);
  if (!Group)
    return cudaErrorMemoryAllocation;
  MemAllocationProp Properties = {};
  Properties.HandleTypes = HandleTypes;
  HasMulticasts = true;
  Handle = add(std::make_shared<Memory>(std::move(Group), Properties));
  return cudaSuccess;
}

std::shared_ptr<Multicast>
VirtualMemory::findMulticast(MemHandle Handle) const {
  std::lock_guard Lock(Mutex);
  std::shared_ptr<Memory> M = find(Handle);
  return M ? M->Group : nullptr;
}

cudaError_t VirtualMemory::addDevice(MemHandle Handle, unsigned Device) {
  std::shared_ptr<Multicast> Group = findMulticast(Handle);
  std::lock_guard Lock(Mutex);
  return Group && Group->add(Device) ? cudaSuccess : cudaErrorInvalidValue;
}

/// Memory that other processes shall map has to be such.
cudaError_t VirtualMemory::bindLocked(Multicast &Group, uint64_t Offset,
                                      const std::shared_ptr<Memory> &M,
                                      uint64_t MemoryOffset, uint64_t Size,
                                      std::optional<unsigned> Device) {
  auto IsPart = [&](uint64_t At, uint64_t Whole) {
    return At % Granularity == 0 && At <= Whole && Size <= Whole - At;
  };
  if (!M || M->Group || M->isOfHost() || !isGranular(Size) ||
      !IsPart(Offset, Group.bytes()) || !IsPart(MemoryOffset, M->Size))
    return cudaErrorInvalidValue;
  // Where memory of another process is only its program knows.
  unsigned Home = Device.value_or(M->device());
  if (!Group.contains(Home))
    return cudaErrorInvalidDevice;
  if (!Group.bind(Home, Offset, {*M->File, MemoryOffset, Size, M}))
    return cudaErrorInvalidValue;
  follow(Group);
  return cudaSuccess;
}

cudaError_t VirtualMemory::bind(MemHandle Handle, uint64_t Offset,
                                MemHandle MemoryHandle, uint64_t MemoryOffset,
                                uint64_t Size, std::optional<unsigned> Device) {
  std::shared_ptr<Multicast> Group = findMulticast(Handle);
  if (!Group)
    return cudaErrorInvalidValue;
  Group->waitForAll();
  std::lock_guard Lock(Mutex);
  return bindLocked(*Group, Offset, find(MemoryHandle), MemoryOffset, Size,
                    Device);
}

cudaError_t VirtualMemory::bindAddress(MemHandle Handle, uint64_t Offset,
                                       uint64_t Address, uint64_t Size,
                                       std::optional<unsigned> Device) {
  std::shared_ptr<Multicast> Group = findMulticast(Handle);
  if (!Group)
    return cudaErrorInvalidValue;
  Group->waitForAll();
  std::lock_guard Lock(Mutex);
  auto It = mappingAt(Address);
  if (It == Mappings.end() || Size > It->second.Size - (Address - It->first))
    return cudaErrorInvalidValue;
  return bindLocked(*Group, Offset, It->second.Of,
                    It->second.Offset + (Address - It->first), Size, Device);
}

cudaError_t VirtualMemory::unbind(MemHandle Handle, unsigned Device,
                                  uint64_t Offset, uint64_t Size) {
  std::shared_ptr<Multicast> Group = findMulticast(Handle);
  if (!Group)
    return cudaErrorInvalidValue;
  std::lock_guard Lock(Mutex);
  if (!Group->contains(Device))
    return cudaErrorInvalidDevice;
  if (!Group->unbind(Device, Offset, Size))
    return cudaErrorInvalidValue;
  follow(*Group);
  return cudaSuccess;
}

/// Tells the device what is bound now, wherever the object is mapped.
void VirtualMemory::follow(const Multicast &Group) {
  for (auto &[Address, M] : Mappings)
    if (M.Of->Group.get() == &Group && M.hasAccess() &&
        M.SeenVersion != Group.version())
      setMulticastAccess(Address, M);
}

void VirtualMemory::followBindings() {
  if (!HasMulticasts)
    return;
  std::lock_guard Lock(Mutex);
  for (auto &[Address, M] : Mappings)
    if (M.Of->Group)
      follow(*M.Of->Group);
}

/// What is bound of the part of an object that is mapped.
static std::vector<rt::MulticastPart> partsOf(Multicast &Group, uint64_t Offset,
                                              uint64_t Size) {
  std::vector<rt::MulticastPart> Parts;
  for (const rt::MulticastPart &P : Group.parts()) {
    uint64_t Begin = std::max(P.Offset, Offset),
             End = std::min(P.Offset + P.Bytes, Offset + Size);
    if (Begin < End)
      Parts.push_back(
          {Begin - Offset, End - Begin, P.Memory + (Begin - P.Offset)});
  }
  return Parts;
}

/// The device knows no memory at such addresses.
cudaError_t VirtualMemory::setMulticastAccess(uint64_t Address, Mapping &M) {
  Expected<rt::Context &> C = Process::get().context(currentDevice());
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  if (!M.hasAccess())
    return convert(C->device().removeMulticast(Address), cudaErrorInvalidValue);
  M.SeenVersion = M.Of->Group->version();
  return convert(C->device().setMulticast(
                     Address, M.Size, partsOf(*M.Of->Group, M.Offset, M.Size)),
                 cudaErrorMemoryAllocation);
}

//===----------------------------------------------------------------------===//
// Mappings
//===----------------------------------------------------------------------===//

VirtualMemory::MappingIterator VirtualMemory::mappingAt(uint64_t Address) {
  auto It = Mappings.upper_bound(Address);
  if (It == Mappings.begin())
    return Mappings.end();
  --It;
  return Address - It->first < It->second.Size ? It : Mappings.end();
}

bool VirtualMemory::isMapped(uint64_t Address, uint64_t Size) const {
  uint64_t End = Address + Size;
  for (auto It = Mappings.find(Address);
       It != Mappings.end() && It->first == Address && Address < End; ++It)
    Address += It->second.Size;
  return Size != 0 && Address == End;
}

cudaError_t VirtualMemory::map(uint64_t Address, uint64_t Size, uint64_t Offset,
                               MemHandle Handle) {
  if (std::shared_ptr<Multicast> Group = findMulticast(Handle))
    Group->waitForAll();
  std::lock_guard Lock(Mutex);
  auto It = Handles.find(Handle);
  if (It == Handles.end() || !isGranular(Size) || Address % Granularity ||
      Offset % Granularity || !isReserved(Address, Size))
    return cudaErrorInvalidValue;
  const std::shared_ptr<Memory> &M = It->second;
  if (Offset > M->Size || Size > M->Size - Offset)
    return cudaErrorInvalidValue;
  auto Next = Mappings.lower_bound(Address);
  if (mappingAt(Address) != Mappings.end() ||
      (Next != Mappings.end() && Next->first < Address + Size))
    return cudaErrorInvalidValue;
  if (M->File && !M->File->map(Offset, Size, pointerOf(Address)))
    return cudaErrorMemoryAllocation;
  Mappings[Address] = {Size, M, Offset};
  return cudaSuccess;
}

/// Tells the devices of a mapping, or takes it away. They have no memory that
/// they may only read: what is to be read they may write. What one of them may
/// use all may.
cudaError_t VirtualMemory::setAccess(uint64_t Address, Mapping &M,
                                     std::map<User, Access> Flags) {
  bool Had = M.hasAccess();
  M.Flags = std::move(Flags);
  bool Has = M.hasAccess();
  if (Had == Has)
    return cudaSuccess;
  if (M.Of->Group)
    return setMulticastAccess(Address, M);
  if (Has)
    M.Device = M.Of->isOfHost() ? currentDevice() : M.Of->device();
  Expected<rt::Context &> C = Process::get().context(M.Device);
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  auto *Memory = static_cast<uint8_t *>(pointerOf(Address));
  if (!Has) {
    Process::get().Pointers.remove(Memory);
    return convert(C->device().unmapHost(Memory), cudaErrorInvalidValue);
  }
  if (Error E = C->device().mapHost({Memory, M.Size}))
    return convert(std::move(E), cudaErrorMemoryAllocation);
  Block B = {Address, M.Size,
             M.Of->isOfHost() ? cudaMemoryTypeHost : cudaMemoryTypeDevice};
  B.IsFixed = true;
  B.Device = M.Device;
  Process::get().Pointers.add(B);
  return cudaSuccess;
}

cudaError_t VirtualMemory::unmap(uint64_t Address, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  if (!isMapped(Address, Size))
    return cudaErrorInvalidValue;
  for (auto It = Mappings.find(Address);
       It != Mappings.end() && It->first < Address + Size;
       It = Mappings.erase(It)) {
    if (cudaError_t Code = setAccess(It->first, It->second, {});
        Code != cudaSuccess)
      return Code;
    withoutAccess(It->first, It->second.Size, MAP_FIXED);
  }
  return cudaSuccess;
}

cudaError_t VirtualMemory::setAccess(uint64_t Address, uint64_t Size, User Who,
                                     Access Flags) {
  std::lock_guard Lock(Mutex);
  if (!isMapped(Address, Size))
    return cudaErrorInvalidValue;
  for (auto It = Mappings.find(Address);
       It != Mappings.end() && It->first < Address + Size; ++It) {
    if (Who == TheHost && !It->second.Of->isOfHost())
      return cudaErrorNotSupported;
    std::map<User, Access> New = It->second.Flags;
    New[Who] = Flags;
    if (cudaError_t Code = setAccess(It->first, It->second, std::move(New));
        Code != cudaSuccess)
      return Code;
  }
  return cudaSuccess;
}

cudaError_t VirtualMemory::access(uint64_t Address, User Who, Access &Flags) {
  std::lock_guard Lock(Mutex);
  auto It = mappingAt(Address);
  if (It == Mappings.end())
    return cudaErrorInvalidValue;
  auto Known = It->second.Flags.find(Who);
  Flags = Known == It->second.Flags.end() ? NoAccess : Known->second;
  return cudaSuccess;
}

void VirtualMemory::clear(unsigned Device) {
  std::lock_guard Lock(Mutex);
  for (const auto &[Number, M] : Handles)
    if (M->Group) {
      M->Group->unbindAll(Device);
      follow(*M->Group);
    }
  std::erase_if(Mappings, [=](const auto &Entry) {
    const auto &[Address, M] = Entry;
    if (!M.Of->isOf(Device))
      return false;
    withoutAccess(Address, M.Size, MAP_FIXED);
    return true;
  });
  std::erase_if(Handles,
                [=](const auto &Entry) { return Entry.second->isOf(Device); });
  // The host's memory stays, and the program has to give access again.
  for (auto &[Address, M] : Mappings)
    if (M.Of->isOfHost() && M.Device == Device)
      M.Flags.clear();
  // Addresses are nobody's while other devices have memory.
  if (!Mappings.empty() || !Handles.empty())
    return;
  for (const auto &[Address, Size] : Reservations)
    munmap(pointerOf(Address), Size);
  Reservations.clear();
}

} // namespace heddle::cuda
