//===- Ipc.cpp - Memory and events of several processes ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block of device memory moves into a file when its handle is asked for the
// first time, at the same device address. Records of events are in files from
// the start.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Ipc.h"
#include "Driver/Driver.h"
#include "Runtime/Runtime.h"

#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

namespace {

/// What a handle holds.
struct SharedName {
  static constexpr uint32_t MemoryMark = 0x4D504948, EventMark = 0x45504948;

  uint32_t Mark = 0;
  int32_t Descriptor = -1;
  int64_t Process = 0;
  uint64_t Device = 0, Node = 0; ///< The file's identity.
  uint64_t Offset = 0, Size = 0; ///< In bytes.
  uint64_t Instance = 0;         ///< See instanceOfProcess.
};
static_assert(sizeof(SharedName) <= sizeof(IpcHandle));

} // namespace

/// By which processes of an instance of a divided device know each other; 0 of
/// others. Such a process sees its instance only.
static uint64_t instanceOfProcess() {
  const ProcessDevice *D = Process::get().device(0);
  if (!D || !D->Machine.Part)
    return 0;
  return uint64_t(D->Machine.Index + 1) << 32 | D->Machine.Part->Instance;
}

static IpcHandle handleOf(uint32_t Mark, const MemoryFile &File,
                          uint64_t Offset, uint64_t Size) {
  auto [Device, Node] = File.identity();
  SharedName Name = {Mark, File.descriptor(),  getpid(), Device, Node, Offset,
                     Size, instanceOfProcess()};
  IpcHandle Handle = {};
  std::memcpy(Handle.Bytes, &Name, sizeof(Name));
  return Handle;
}

/// Opens the file of a handle, which another process has to have made.
static cudaError_t openFile(const IpcHandle &Handle, uint32_t Mark,
                            SharedName &Name, std::optional<MemoryFile> &File) {
  std::memcpy(&Name, Handle.Bytes, sizeof(Name));
  if (Name.Mark != Mark)
    return cudaErrorInvalidValue;
  if (Name.Process == getpid())
    return cudaErrorDeviceUninitialized;
  if (Name.Instance != instanceOfProcess()) {
    explainFirst("an IPC handle cannot be opened: it is of another instance of "
                 "a device");
    return cudaErrorMapBufferObjectFailed;
  }
  File = MemoryFile::openOf(Name.Process, Name.Descriptor,
                            {Name.Device, Name.Node});
  uint64_t Size = File ? File->size() : 0;
  if (Name.Offset > Size || Name.Size > Size - Name.Offset || Name.Size == 0) {
    explainFirst("an IPC handle cannot be opened: the process that made it, " +
                 std::to_string(Name.Process) +
                 ", has ended or freed it, belongs to another user, or is not "
                 "seen from this container");
    return cudaErrorMapBufferObjectFailed;
  }
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

cudaError_t IpcTable::share(const void *Pointer, IpcHandle &Handle) {
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  if (!B || B->Type != cudaMemoryTypeDevice || B->IsFixed || B->IsGraph ||
      Process::get().Pools.find(pointerOf(B->Address)))
    return cudaErrorInvalidValue;
  Expected<rt::Context &> C = Process::get().contextOf(*B);
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  Expected<const MemoryFile &> File = C->device().share(B->Address);
  if (!File)
    return convert(File.takeError(), cudaErrorMemoryAllocation);
  Handle = handleOf(SharedName::MemoryMark, *File, 0, B->Size);
  return cudaSuccess;
}

/// Maps bytes of a file, which the device knows from then on as its memory.
static cudaError_t mapFile(const MemoryFile &File, uint64_t Offset,
                           uint64_t Size, uint8_t *&Mapped) {
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  Mapped = File.map(Offset, Size);
  if (!Mapped)
    return cudaErrorMapBufferObjectFailed;
  if (Error E = C->device().mapHost({Mapped, Size})) {
    MemoryFile::unmap(Mapped, Size);
    return convert(std::move(E), cudaErrorMapBufferObjectFailed);
  }
  return cudaSuccess;
}

cudaError_t IpcTable::open(const IpcHandle &Handle, void *&Pointer) {
  SharedName Name;
  std::optional<MemoryFile> File;
  if (cudaError_t Code = openFile(Handle, SharedName::MemoryMark, Name, File);
      Code != cudaSuccess)
    return Code;
  std::lock_guard Lock(Mutex);
  auto It = Memory.find(File->identity());
  if (It == Memory.end()) {
    Opened New = {nullptr, Name.Size, 0};
    if (cudaError_t Code = mapFile(*File, 0, Name.Size, New.Pages);
        Code != cudaSuccess)
      return Code;
    Block B = {addressOf(New.Pages), Name.Size, cudaMemoryTypeDevice};
    B.IsFixed = true;
    Process::get().Pointers.add(B);
    It = Memory.emplace(File->identity(), New).first;
  }
  ++It->second.Users;
  Pointer = It->second.Pages;
  return cudaSuccess;
}

cudaError_t IpcTable::close(const void *Pointer) {
  std::lock_guard Lock(Mutex);
  auto It = llvm::find_if(
      Memory, [&](const auto &M) { return M.second.Pages == Pointer; });
  if (It == Memory.end())
    return cudaErrorInvalidValue;
  Opened &M = It->second;
  Expected<rt::Context &> C = Process::get().context(M.Device);
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  if (--M.Users)
    return cudaSuccess;
  consumeError(C->synchronize()); // Told by the next call.
  Process::get().Pointers.remove(M.Pages);
  Error E = C->device().unmapHost(M.Pages);
  MemoryFile::unmap(M.Pages, M.Size);
  Memory.erase(It);
  return convert(std::move(E), cudaErrorInvalidValue);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

std::shared_ptr<EventPages> EventPages::map(MemoryFile File) {
  uint8_t *Begin = nullptr;
  if (mapFile(File, 0, Bytes, Begin) != cudaSuccess)
    return nullptr;
  return std::shared_ptr<EventPages>(new EventPages(std::move(File), Begin));
}

EventPages::~EventPages() { MemoryFile::unmap(Begin, Bytes); }

std::shared_ptr<rt::SharedRecords>
EventPages::take(const std::shared_ptr<EventPages> &Pages) {
  std::lock_guard Lock(Pages->Mutex);
  rt::SharedRecords *Records = nullptr;
  if (!Pages->Free.empty()) {
    Records = Pages->Free.back();
    Pages->Free.pop_back();
    Records->Recorded = Records->Reached = 0;
  } else if (Pages->UsedBytes + sizeof(rt::SharedRecords) <= Bytes) {
    Records = new (Pages->Begin + Pages->UsedBytes) rt::SharedRecords{};
    Pages->UsedBytes += sizeof(rt::SharedRecords);
  }
  if (!Records)
    return nullptr;
  return {Records, [Pages](rt::SharedRecords *Gone) {
            std::lock_guard Lock(Pages->Mutex);
            Pages->Free.push_back(Gone);
          }};
}

std::shared_ptr<rt::SharedRecords>
EventPages::at(const std::shared_ptr<EventPages> &Pages, uint64_t Offset) {
  if (Offset % sizeof(rt::SharedRecords) || Offset >= Bytes)
    return nullptr;
  return {Pages, reinterpret_cast<rt::SharedRecords *>(Pages->Begin + Offset)};
}

uint64_t EventPages::offsetOf(const rt::SharedRecords &Records) const {
  return reinterpret_cast<const uint8_t *>(&Records) - Begin;
}

cudaError_t IpcTable::createEvent(SharedEvent &Event) {
  std::lock_guard Lock(Mutex);
  for (const std::shared_ptr<EventPages> &Pages : Own)
    if (std::shared_ptr<rt::SharedRecords> Records = EventPages::take(Pages)) {
      Event = {std::move(Records), Pages};
      return cudaSuccess;
    }
  std::optional<MemoryFile> File = MemoryFile::create(EventPages::Bytes);
  std::shared_ptr<EventPages> Pages =
      File ? EventPages::map(std::move(*File)) : nullptr;
  if (!Pages)
    return cudaErrorMemoryAllocation;
  Own.push_back(Pages);
  Event = {EventPages::take(Pages), Pages};
  return cudaSuccess;
}

cudaError_t IpcTable::share(const SharedEvent &Event, IpcHandle &Handle) {
  if (!Event.Pages)
    return cudaErrorInvalidResourceHandle;
  Handle = handleOf(SharedName::EventMark, Event.Pages->file(),
                    Event.Pages->offsetOf(*Event.Records),
                    sizeof(rt::SharedRecords));
  return cudaSuccess;
}

cudaError_t IpcTable::open(const IpcHandle &Handle, SharedEvent &Event) {
  SharedName Name;
  std::optional<MemoryFile> File;
  if (cudaError_t Code = openFile(Handle, SharedName::EventMark, Name, File);
      Code != cudaSuccess)
    return Code;
  if (File->size() != EventPages::Bytes)
    return cudaErrorInvalidValue;
  std::lock_guard Lock(Mutex);
  std::shared_ptr<EventPages> &Pages = Others[File->identity()];
  if (!Pages)
    Pages = EventPages::map(std::move(*File));
  if (!Pages)
    return cudaErrorMapBufferObjectFailed;
  Event = {EventPages::at(Pages, Name.Offset), Pages};
  return Event.Records ? cudaSuccess : cudaErrorInvalidValue;
}

void IpcTable::clear(unsigned Device) {
  std::lock_guard Lock(Mutex);
  std::erase_if(Memory, [=](const auto &Entry) {
    const Opened &M = Entry.second;
    if (M.Device != Device)
      return false;
    MemoryFile::unmap(M.Pages, M.Size);
    return true;
  });
  std::erase_if(Own,
                [=](const auto &Pages) { return Pages->Device == Device; });
  std::erase_if(Others, [=](const auto &Entry) {
    return !Entry.second || Entry.second->Device == Device;
  });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static IpcTable &table() { return Process::get().Ipc; }

static cudaError_t getMemHandle(IpcHandle *Handle, const void *Pointer) {
  return Handle ? table().share(Pointer, *Handle) : cudaErrorInvalidValue;
}

static cudaError_t openMemHandle(void **Pointer, const IpcHandle &Handle,
                                 unsigned Flags) {
  constexpr unsigned LazyEnablePeerAccess = 1;
  if (!Pointer || Flags != LazyEnablePeerAccess)
    return cudaErrorInvalidValue;
  return table().open(Handle, *Pointer);
}

static cudaError_t getEventHandle(IpcHandle *Handle, cudaEvent_t Event) {
  EventHandle *E = Process::get().event(Event);
  if (!Handle || !E)
    return Handle ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
  return IpcTable::share(E->Shared, *Handle);
}

static cudaError_t openEventHandle(cudaEvent_t *Event,
                                   const IpcHandle &Handle) {
  if (!Event)
    return cudaErrorInvalidValue;
  SharedEvent Shared;
  cudaError_t Code = table().open(Handle, Shared);
  if (Code == cudaSuccess)
    *Event = Process::get().addEvent(/*HasTiming=*/false, std::move(Shared));
  return Code;
}

extern "C" {

cudaError_t cudaIpcGetMemHandle(IpcHandle *Handle, void *Pointer) {
  return finish(getMemHandle(Handle, Pointer));
}
cudaError_t cudaIpcOpenMemHandle(void **Pointer, IpcHandle Handle,
                                 unsigned Flags) {
  return finish(openMemHandle(Pointer, Handle, Flags));
}
cudaError_t cudaIpcCloseMemHandle(void *Pointer) {
  return finish(table().close(Pointer));
}
cudaError_t cudaIpcGetEventHandle(IpcHandle *Handle, cudaEvent_t Event) {
  return finish(getEventHandle(Handle, Event));
}
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *Event, IpcHandle Handle) {
  return finish(openEventHandle(Event, Handle));
}

CUresult cuIpcOpenMemHandle_v2(CUdeviceptr *Address, IpcHandle Handle,
                               unsigned Flags) {
  return inContext([&] {
    void *Pointer = nullptr;
    CUresult Code = openMemHandle(Address ? &Pointer : nullptr, Handle, Flags);
    if (Code == cudaSuccess)
      *Address = addressOf(Pointer);
    return Code;
  });
}

} // extern "C"

HEDDLE_SAME(cuIpcGetMemHandle, (IpcHandle * Handle, CUdeviceptr Address),
            getMemHandle(Handle, pointerOf(Address)))
HEDDLE_SAME(cuIpcCloseMemHandle, (CUdeviceptr Address),
            table().close(pointerOf(Address)))
HEDDLE_SAME(cuIpcGetEventHandle, (IpcHandle * Handle, cudaEvent_t Event),
            getEventHandle(Handle, Event))
HEDDLE_SAME(cuIpcOpenEventHandle, (cudaEvent_t * Event, IpcHandle Handle),
            openEventHandle(Event, Handle))
