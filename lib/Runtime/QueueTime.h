//===- QueueTime.h - How far a queue has come in time -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A queue's part in the time of its device: real time, or virtual time if the
// device has that.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_RUNTIME_QUEUETIME_H
#define HEDDLE_LIB_RUNTIME_QUEUETIME_H

#include "heddle/Runtime/Packet.h"
#include "heddle/Runtime/VirtualTime.h"

namespace heddle::rt {

/// When a packet was submitted, and which it is.
struct PacketStamp {
  uint64_t Ticket = 0, Time = 0;
};

/// One thread carries out packets; any may call stamp.
class QueueTime {
public:
  /// Nothing but now does anything if \p Time is null. \p Stop ends waits after
  /// wake.
  QueueTime(VirtualTime *Time, const std::atomic<bool> &Stop)
      : Time(Time), Stop(Stop) {}

  /// Of a packet that is submitted now, after all others of the queue.
  PacketStamp stamp();
  /// The queue has come to a packet, which is at work until finish. Returns
  /// when the packet may take the chip.
  void begin(const PacketStamp &Stamp, PacketKind Kind);
  void finish(const PacketStamp &Stamp);

  /// While the packet at work waits, for a signal or (null) for what no packet
  /// of the device has to do.
  void hold(const Signal *S, uint64_t Value = 0);
  void goOn();
  void wake();

  /// By the clock of timestamps.
  uint64_t now() const;
  /// What was waited for happened then.
  void reach(uint64_t Timestamp);

  /// Carries out a launch, whose configuration it completes. Returns its begin
  /// and sets now to its end.
  llvm::Expected<uint64_t>
  launch(const Module &Owner, unsigned Kernel, LaunchConfig &Config,
         llvm::function_ref<llvm::Expected<LaunchResult>()> Run,
         std::optional<LaunchResult> &Result);
  /// A copy or fill was carried out.
  void move(const RowCopy &Copy);
  void move(const RowFill &Fill);

private:
  void move(TimeUse Use, const char *Name, uint64_t End);

  VirtualTime *const Time;
  const std::atomic<bool> &Stop;
  // Of the thread that carries out packets.
  uint64_t Now = 0, LastCall = 0;
  uint64_t AtOnce = 0; ///< When a launch began that follows the last at once.
  uint64_t Asked = 0;  ///< When the packet at work was submitted, or later.
  bool HasWorked = false; ///< Work of the queue ended at Now.
};

} // namespace heddle::rt

#endif // HEDDLE_LIB_RUNTIME_QUEUETIME_H
