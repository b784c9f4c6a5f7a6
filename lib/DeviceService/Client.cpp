//===- Client.cpp - A device that a service shares out ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A place is taken and left by one atomic operation on the page that is shared
// with the service, unless somebody waits. Threads wait by a futex of the page.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Client.h"

#include "heddle/Clients/Record.h"

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <linux/futex.h>
#include <new>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::deviced {

/// How long a thread runs while another one of its process waits.
static constexpr uint64_t TurnNs = 5'000'000;
/// Between two looks at whether the service is still there.
static constexpr timespec Patience = {.tv_sec = 0, .tv_nsec = 200'000'000};

static uint32_t *futexOf(LeasePage &Page) {
  return reinterpret_cast<uint32_t *>(&Page.Signal);
}

void call(LeasePage &Page) {
  Page.Signal.fetch_add(1, std::memory_order_release);
  ::syscall(SYS_futex, futexOf(Page), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

//===----------------------------------------------------------------------===//
// The connection
//===----------------------------------------------------------------------===//

Expected<std::shared_ptr<Client>>
Client::open(StringRef Path, const UUID &Device, const Wishes &W,
             std::function<void(const std::string &)> OnLoss) {
  Expected<Descriptor> Socket = connectTo(Path);
  if (!Socket)
    return Socket.takeError();
  Message Open = {MessageKind::Open, W.Percent, W.IsBelowOthers, Device};
  // A service that refuses everything may have closed by now, and said why.
  sendPacket(Socket->get(), encode(Open), 0);
  Descriptor File;
  Expected<Message> M = receiveAnswer(Socket->get(), MaxReasonBytes, &File);
  if (!M)
    return M.takeError();
  void *Pages = MAP_FAILED;
  if (M->Kind == MessageKind::Welcome && File)
    Pages = ::mmap(nullptr, sizeof(LeasePage), PROT_READ | PROT_WRITE,
                   MAP_SHARED, File.get(), 0);
  if (Pages == MAP_FAILED)
    return createStringError("the device service has shared no memory");
  ::madvise(Pages, sizeof(LeasePage), MADV_DONTFORK);
  return std::shared_ptr<Client>(
      new Client(std::move(*Socket), static_cast<LeasePage *>(Pages),
                 static_cast<int64_t>(M->Second), std::move(OnLoss)));
}

Client::Client(Descriptor Socket, LeasePage *Page, int64_t Process,
               std::function<void(const std::string &)> OnLoss)
    : OnLoss(std::move(OnLoss)), Page(Page), Process(Process),
      Socket(std::move(Socket)) {}

Client::~Client() { ::munmap(Page, sizeof(LeasePage)); }

/// The page did not come along; what is there in its place is nobody's.
void Client::leaveToParent() {
  (void)::mmap(Page, sizeof(LeasePage), PROT_READ | PROT_WRITE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  // Locks may be held for good by threads that this process does not have.
  IsLost = true;
  ::close(Socket.release());
}

void Client::lose(const std::string &Why) {
  if (!IsLost.exchange(true) && OnLoss)
    OnLoss(Why);
  deviced::call(*Page);
}

void Client::tell(MessageKind Kind, uint64_t First) {
  std::lock_guard Lock(SocketMutex);
  if (!IsLost && !sendPacket(Socket.get(), encode({Kind, First}), 0))
    lose("the device service is gone");
}

Expected<Message> Client::request(MessageKind Kind, uint64_t First) {
  std::lock_guard Lock(SocketMutex);
  if (IsLost)
    return createStringError("no service");
  if (!sendPacket(Socket.get(), encode({Kind, First}), 0)) {
    lose("the device service is gone");
    return createStringError("no service");
  }
  Expected<Message> M = receiveAnswer(Socket.get(), MaxReasonBytes);
  if (M)
    return M;
  std::string Why = toString(M.takeError());
  lose(Why);
  return createStringError(Why);
}

bool Client::isConnected() {
  std::lock_guard Lock(SocketMutex);
  if (IsLost)
    return false;
  pollfd State = {Socket.get(), POLLRDHUP, 0};
  if (::poll(&State, 1, 0) <= 0 ||
      !(State.revents & (POLLRDHUP | POLLHUP | POLLERR)))
    return true;
  lose("the device service is gone");
  return false;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool Client::takeMemory(uint64_t Bytes) {
  Expected<Message> M = request(MessageKind::Take, Bytes);
  if (M)
    return M->Second != 0;
  consumeError(M.takeError());
  return true;
}

void Client::giveMemory(uint64_t Bytes) { tell(MessageKind::Give, Bytes); }

uint64_t Client::freeMemory() {
  Expected<Message> M = request(MessageKind::Free);
  if (M)
    return M->First;
  consumeError(M.takeError());
  return UINT64_MAX;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// A place that the process has and no thread of it uses.
std::optional<unsigned> Client::take(bool &WasFresh) {
  for (unsigned I = 0; I != LeasePage::NumSlots; ++I) {
    std::atomic<uint32_t> &Slot = Page->Slots[I];
    uint32_t State = Slot.load(std::memory_order_relaxed);
    bool IsFree =
        (State & LeasePage::Granted) &&
        !(State & (LeasePage::Busy | LeasePage::WantedNow | LeasePage::Lost));
    bool IsFresh = !(State & LeasePage::Taken);
    if (!IsFree || (!IsFresh && State & LeasePage::WantedAtEnd) ||
        !Slot.compare_exchange_strong(
            State, State | LeasePage::Busy | LeasePage::Taken,
            std::memory_order_acquire))
      continue;
    Page->BusySince[I].store(clients::monotonicNow(),
                             std::memory_order_relaxed);
    WasFresh = IsFresh;
    return I;
  }
  return std::nullopt;
}

std::optional<unsigned>
Client::wait(uint64_t Ticket, function_ref<bool()> IsNeeded, bool &WasFresh) {
  while (IsNeeded()) {
    uint32_t Seen = Page->Signal.load(std::memory_order_acquire);
    {
      std::lock_guard Lock(WaitMutex);
      if (IsLost)
        return NoSlot;
      if (*Waiting.begin() == Ticket)
        if (std::optional<unsigned> Slot = take(WasFresh))
          return Slot;
    }
    if (!IsNeeded())
      break;
    long Slept = ::syscall(SYS_futex, futexOf(*Page), FUTEX_WAIT, Seen,
                           &Patience, nullptr, 0);
    if (Slept != 0 && errno == ETIMEDOUT)
      isConnected();
  }
  return std::nullopt;
}

std::optional<unsigned> Client::enter(function_ref<bool()> IsNeeded) {
  if (IsLost)
    return NoSlot;
  uint64_t Ticket;
  bool WasFresh = false;
  {
    std::lock_guard Lock(WaitMutex);
    if (Waiting.empty())
      if (std::optional<unsigned> Slot = take(WasFresh))
        return Slot;
    Ticket = ++LastTicket;
    Waiting.insert(Ticket);
    NumWaiting = Waiting.size();
  }
  tell(MessageKind::Wait);
  std::optional<unsigned> Slot = wait(Ticket, IsNeeded, WasFresh);
  bool HasNext;
  {
    std::lock_guard Lock(WaitMutex);
    Waiting.erase(Ticket);
    NumWaiting = Waiting.size();
    HasNext = !Waiting.empty();
  }
  // One that it has from another thread of the process was not granted for it.
  if (!Slot || (*Slot != NoSlot && !WasFresh))
    tell(MessageKind::NoLonger);
  if (HasNext)
    deviced::call(*Page);
  return Slot;
}

void Client::leave(unsigned Place) {
  if (Place == NoSlot)
    return;
  uint64_t Since = Page->BusySince[Place].exchange(0);
  Page->BusyNs.fetch_add(clients::monotonicNow() - Since,
                         std::memory_order_relaxed);
  uint32_t Was = Page->Slots[Place].fetch_and(~uint32_t(LeasePage::Busy),
                                              std::memory_order_acq_rel);
  if (Was & (LeasePage::WantedNow | LeasePage::WantedAtEnd | LeasePage::Lost))
    tell(MessageKind::Left);
  else if (NumWaiting.load(std::memory_order_relaxed))
    deviced::call(*Page);
}

bool Client::isWanted(unsigned Place) {
  if (Place == NoSlot)
    return false;
  uint32_t State = Page->Slots[Place].load(std::memory_order_relaxed);
  if (State & (LeasePage::WantedNow | LeasePage::Lost))
    return !IsLost;
  // Threads of one process take turns, since one may wait for another.
  return NumWaiting.load(std::memory_order_relaxed) &&
         clients::monotonicNow() -
                 Page->BusySince[Place].load(std::memory_order_relaxed) >=
             TurnNs;
}

void Client::call() {
  if (NumWaiting.load(std::memory_order_relaxed))
    deviced::call(*Page);
}

void Client::countLaunch() {
  Page->Launches.fetch_add(1, std::memory_order_relaxed);
}

} // namespace heddle::deviced
