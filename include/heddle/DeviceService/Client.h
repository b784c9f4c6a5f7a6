//===- Client.h - A device that a service shares out ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A process's connection to the service for one device. It has no thread of its
// own. Where the service is gone, the process goes on by itself.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICESERVICE_CLIENT_H
#define HEDDLE_DEVICESERVICE_CLIENT_H

#include "heddle/DeviceService/LeasePage.h"
#include "heddle/DeviceService/Protocol.h"
#include "heddle/Emulator/DeviceBroker.h"

#include <atomic>
#include <functional>
#include <mutex>
#include <set>

namespace heddle::deviced {

/// What a process asks of its share itself; a service gives no more than its
/// quotas say.
struct Wishes {
  unsigned Percent = 0;       ///< Of the threads that run CTAs; 0: all.
  bool IsBelowOthers = false; ///< The priority is lower than the quota's.
};

class Client final : public emu::DeviceBroker {
public:
  /// \p OnLoss is called once with a text if the service goes away.
  static llvm::Expected<std::shared_ptr<Client>>
  open(llvm::StringRef Path, const UUID &Device, const Wishes &W,
       std::function<void(const std::string &)> OnLoss);
  ~Client() override;

  bool takeMemory(uint64_t Bytes) override;
  void giveMemory(uint64_t Bytes) override;
  uint64_t freeMemory() override;
  std::optional<unsigned> enter(llvm::function_ref<bool()> IsNeeded) override;
  void leave(unsigned Place) override;
  bool isWanted(unsigned Place) override;
  void call() override;
  void countLaunch() override;

  /// The number by which the service knows this process, which is another one
  /// than its own in a container; 0: the service does not see it.
  int64_t process() const { return Process; }

  /// In a fork's child: the connection stays the parent's alone.
  void leaveToParent();

private:
  Client(Descriptor Socket, LeasePage *Page, int64_t Process,
         std::function<void(const std::string &)> OnLoss);

  /// Sends a request that is not answered.
  void tell(MessageKind Kind, uint64_t First = 0);
  llvm::Expected<Message> request(MessageKind Kind, uint64_t First = 0);
  /// The service is gone: from here on everything is granted.
  void lose(const std::string &Why);
  bool isConnected();
  std::optional<unsigned> take(bool &WasFresh);
  std::optional<unsigned>
  wait(uint64_t Ticket, llvm::function_ref<bool()> IsNeeded, bool &WasFresh);

  /// What enter returns where nobody gives places.
  static constexpr unsigned NoSlot = LeasePage::NumSlots;

  const std::function<void(const std::string &)> OnLoss;
  LeasePage *const Page;
  const int64_t Process;
  std::mutex SocketMutex; ///< Of requests, and of Socket.
  Descriptor Socket;
  std::atomic<bool> IsLost{false};

  std::mutex WaitMutex; ///< Of what follows.
  uint64_t LastTicket = 0;
  std::set<uint64_t> Waiting;          ///< Those who came first get first.
  std::atomic<unsigned> NumWaiting{0}; ///< Its size.
};

} // namespace heddle::deviced

#endif // HEDDLE_DEVICESERVICE_CLIENT_H
