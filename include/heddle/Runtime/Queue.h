//===- Queue.h - Packets in, carried out in order ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device's side of the task-launch protocol (docs/launch-protocol.md).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_QUEUE_H
#define HEDDLE_RUNTIME_QUEUE_H

#include "heddle/Runtime/Device.h"
#include "heddle/Runtime/Packet.h"
#include "heddle/Runtime/UsageMeter.h"
#include <optional>

namespace heddle::rt {

/// What a dispatch packet names as its kernel.
struct KernelObject {
  Module *Owner = nullptr;
  unsigned Index = 0; ///< into Owner->kernels()

  const KernelInfo &info() const { return Owner->kernels()[Index]; }
};

/// What a launch did, for measurements.
struct ObservedLaunch {
  const KernelInfo &Kernel;
  const LaunchConfig &Config;
  const LaunchResult &Result;
  uint64_t Begin = 0, End = 0; ///< nanoseconds, by the clock of timestamps
};

/// Called on the queue's thread after each launch that had one.
using LaunchObserver = std::function<void(const ObservedLaunch &)>;

/// A kernel, copy or fill that a queue carried out, for measurements. What it
/// is not is null.
struct ObservedWork {
  const KernelInfo *Kernel = nullptr;
  const LaunchConfig *Config = nullptr; ///< of the kernel's launch
  const LaunchResult *Result = nullptr; ///< of the kernel's launch
  const RowCopy *Copy = nullptr;
  const RowFill *Fill = nullptr;
  uint64_t Begin = 0, End = 0; ///< nanoseconds, by the clock of timestamps
  uint64_t Stream = 0;         ///< Stream::id
  uint64_t Tag = 0;            ///< WorkTag, where it was submitted
};

/// Called on the queue's thread after each kernel, copy and fill.
using WorkObserver = std::function<void(const ObservedWork &)>;

/// By what observers know the call in which the thread submits work; 0: by
/// nothing.
extern thread_local uint64_t WorkTag;

/// Why a queue stopped working: a kernel's fault, or a packet that the device
/// refused.
struct QueueFailure {
  std::optional<rt::Fault> Fault; ///< none: the packet was refused
  std::string Message;
};

/// An in-order queue of one device. After a failure it carries out no more
/// dispatches, copies, fills and waits; signals are raised and the host called
/// as before, so that no wait lasts for ever.
class Queue {
public:
  /// Lets the packet at work end as soon as it can, forgets those behind it
  /// except for raising their signals, and returns when that is done.
  virtual ~Queue();

  /// Appends a packet. Waits while the queue is full. Everything that the
  /// packet points to has to stay until the queue is past it.
  virtual void submit(const Packet &P) = 0;

  /// The failure, once there was one; it stays.
  virtual std::optional<QueueFailure> failure() const = 0;

  /// Of which stream the queue is, and who is told of its work: before the
  /// first packet. The observer may be set later.
  void observe(uint64_t Number, const WorkObserver *O) {
    Stream = Number;
    Observer = O;
  }
  /// Where the meter of the device's kernels stands, if there is one: before
  /// the first packet, too.
  void countBy(UsageMeter *const *M) { Meter = M; }

protected:
  uint64_t Stream = 0;
  const WorkObserver *Observer = nullptr; ///< null or empty: nobody
  UsageMeter *const *Meter = nullptr;     ///< null, or of null: nobody
};

/// A queue that a thread of the host carries out with the synchronous calls of
/// Owner, which has to outlive it. The thread starts with the first packet.
std::unique_ptr<Queue> createHostQueue(Device &Owner);

/// The clock of timestamps, in nanoseconds from a point of its own.
uint64_t timestampNow();

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_QUEUE_H
