//===- DeviceBroker.h - Who shares a device out -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device of several processes has memory and time for all of them together.
// Somebody who knows all of them is asked before memory is given out, and gives
// threads of the host the right to run CTAs: a place. A place can be wanted
// back, and is given back between time slices of CTAs.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_EMULATOR_DEVICEBROKER_H
#define HEDDLE_EMULATOR_DEVICEBROKER_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

namespace heddle::emu {

/// Any thread may call anything at any time.
class DeviceBroker {
public:
  virtual ~DeviceBroker() = default;

  /// Whether the process may have so many bytes more; it has them then.
  virtual bool takeMemory(uint64_t Bytes) = 0;
  virtual void giveMemory(uint64_t Bytes) = 0;
  /// How many it could take now.
  virtual uint64_t freeMemory() = 0;

  /// Waits for a place, and returns its number; none if the thread does not
  /// need one any more, which it is asked whenever call() was called.
  virtual std::optional<unsigned>
  enter(llvm::function_ref<bool()> IsNeeded) = 0;
  virtual void leave(unsigned Place) = 0;
  /// Whether another thread, of this process or of others, should have the
  /// place now. It is asked often.
  virtual bool isWanted(unsigned Place) = 0;
  /// Lets threads that wait look whether they still need a place.
  virtual void call() = 0;

  /// A launch is over.
  virtual void countLaunch() = 0;
};

/// Memory that a broker has granted, given back at the end.
class MemoryGrant {
public:
  /// Null if the broker refuses; without one there is nothing to refuse.
  static std::shared_ptr<MemoryGrant>
  take(const std::shared_ptr<DeviceBroker> &Broker, uint64_t Bytes) {
    if (Broker && !Broker->takeMemory(Bytes))
      return nullptr;
    return std::make_shared<MemoryGrant>(Broker, Bytes);
  }
  /// Of memory that is taken already.
  MemoryGrant(std::shared_ptr<DeviceBroker> Broker, uint64_t Bytes)
      : Broker(std::move(Broker)), Bytes(Bytes) {}
  ~MemoryGrant() {
    if (Broker)
      Broker->giveMemory(Bytes);
  }
  MemoryGrant(const MemoryGrant &) = delete;
  MemoryGrant &operator=(const MemoryGrant &) = delete;

private:
  const std::shared_ptr<DeviceBroker> Broker;
  const uint64_t Bytes;
};

/// A thread's right to run CTAs, where somebody gives such.
class ExecutionPlace {
public:
  /// \p Broker may be null: then everybody has the right.
  explicit ExecutionPlace(DeviceBroker *Broker) : Broker(Broker) {}
  ~ExecutionPlace() { leave(); }
  ExecutionPlace(const ExecutionPlace &) = delete;
  ExecutionPlace &operator=(const ExecutionPlace &) = delete;

  /// Waits for the right; false if the thread does not need it any more.
  bool enter(llvm::function_ref<bool()> IsNeeded) {
    if (Broker)
      Place = Broker->enter(IsNeeded);
    return !Broker || Place;
  }
  void leave() {
    if (Place)
      Broker->leave(*Place);
    Place.reset();
  }
  bool isShared() const { return Broker != nullptr; }
  /// Between time slices: whether others should run now.
  bool isWanted() const { return Place && Broker->isWanted(*Place); }
  /// Lets them, and waits for the next turn; false if the thread does not need
  /// it any more.
  bool letOthers(llvm::function_ref<bool()> IsNeeded) {
    leave();
    return enter(IsNeeded);
  }

private:
  DeviceBroker *const Broker;
  std::optional<unsigned> Place;
};

} // namespace heddle::emu

#endif // HEDDLE_EMULATOR_DEVICEBROKER_H
