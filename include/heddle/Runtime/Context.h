//===- Context.h - A device with its streams --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a program works with on one device. As in CUDA, the first failure of any
// stream stays: from then on every call is refused with it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_CONTEXT_H
#define HEDDLE_RUNTIME_CONTEXT_H

#include "heddle/Runtime/Stream.h"

namespace heddle::rt {

/// Contexts of one program, whose streams may take part in one capture.
class ContextGroup {
private:
  friend class Context;
  friend class Stream;

  std::mutex Mutex; ///< Taken before any context's order.
  std::vector<Context *> Contexts;
};

/// Any thread may call anything at any time, except the destructor, which ends
/// work in flight as soon as it can.
class Context {
public:
  /// \p Group is null for a context that is alone.
  explicit Context(std::unique_ptr<Device> D,
                   std::shared_ptr<ContextGroup> Group = nullptr);
  ~Context();

  Device &device() { return *Dev; }
  Stream &defaultStream() { return *Streams.front(); }

  /// A stream, which the context owns.
  Stream &createStream(Stream::Kind K, unsigned Group = 0);
  /// Gives a stream back. What is enqueued in it is still carried out.
  void destroyStream(Stream &S);

  /// Which groups of streams a call means. The default stream is in each.
  using GroupSet = std::function<bool(unsigned Group)>;
  /// Records what has been enqueued so far in all streams of some groups. An
  /// error, which their captures end with, if one is under capture.
  llvm::Error record(const std::shared_ptr<Event> &E, const GroupSet &Groups);
  /// Makes what is enqueued from now on in any stream of some groups, also in
  /// one that is created later, wait for what the event stands for now.
  llvm::Error wait(const std::shared_ptr<Event> &E, GroupSet Groups);

  /// Frees device memory once all that was enqueued so far is done.
  llvm::Error free(DeviceAddress Address);

  /// Waits for everything enqueued so far in all streams.
  llvm::Error synchronize();

  /// Success, or the first failure of a stream.
  llvm::Error status();
  /// The first failure, with its fault; none so far.
  std::optional<QueueFailure> failure();

  /// Called after every launch, on threads of the streams, one at a time or
  /// not. Set it before the first launch.
  void setLaunchObserver(LaunchObserver O) { Observer = std::move(O); }
  /// The same of every kernel, copy and fill.
  void setWorkObserver(WorkObserver O) { OnWork = std::move(O); }
  /// The same of when kernels begin and end; null: nobody. It has to outlive
  /// the context.
  void setUsageMeter(UsageMeter *M) { Meter = M; }

private:
  friend class Stream;

  void reapDestroyed();
  llvm::Error refuseCaptures(const GroupSet &Groups);
  llvm::Error join(Stream &Joined, const GroupSet &Groups);

  const std::shared_ptr<ContextGroup> Group;
  std::unique_ptr<Device> Dev;
  LaunchObserver Observer;
  WorkObserver OnWork;
  UsageMeter *Meter = nullptr;
  /// Held while an operation is appended to any stream; of everything below.
  std::mutex Order;
  std::vector<std::unique_ptr<Stream>> Streams;   ///< The default one is first.
  std::vector<std::unique_ptr<Stream>> Destroyed; ///< Not yet idle.
  std::optional<QueueFailure> Failure;
  /// What streams of a group wait for before anything else.
  std::vector<std::pair<GroupSet, std::shared_ptr<StreamPoint>>> Awaited;
};

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_CONTEXT_H
