//===- Operation.h - What a stream can be asked to do -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operation of a stream or one node of a graph: the same thing, done now or
// kept for later.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_OPERATION_H
#define HEDDLE_RUNTIME_OPERATION_H

#include "heddle/Runtime/Queue.h"
#include <variant>

namespace heddle::rt {

class Event;
class ExecutableGraph;
class Graph;

/// Launches a kernel.
struct KernelOp {
  KernelObject Kernel;
  /// Params is not used; the parameter block is owned here.
  LaunchConfig Config;
  std::vector<uint8_t> Params;
};

/// Where a copy reads or writes: rows a pitch apart, slices a slice pitch
/// apart. All in bytes.
struct CopyPlace {
  uint64_t Address = 0;
  bool IsHost = false; ///< an address of the host, not the device
  uint64_t Pitch = 0;
  uint64_t SlicePitch = 0;
};

/// Copies a box of Slices times Rows times RowBytes.
struct CopyOp {
  CopyPlace Destination, Source;
  uint64_t RowBytes = 0;
  uint64_t Rows = 1, Slices = 1;
  std::shared_ptr<const void> Keep = {}; ///< Lives until the copy is done.
};

/// Writes a pattern of 1, 2, 4 or 8 bytes into Rows rows.
struct FillOp {
  DeviceAddress Destination = 0;
  uint64_t Pattern = 0;
  uint32_t PatternBytes = 1;
  uint64_t Count = 0; ///< of patterns in a row
  uint64_t Rows = 1;
  uint64_t Pitch = 0; ///< in bytes
};

/// Calls the host; the stream waits for the return.
struct HostOp {
  std::function<void()> Function;
};

struct RecordOp {
  std::shared_ptr<Event> Recorded;
};
/// Waits for what the event stood for when the operation was enqueued.
struct WaitOp {
  std::shared_ptr<Event> Awaited;
};
struct EmptyOp {};

/// Numbers in memory that are written or waited for, one after the other.
struct MemoryOp {
  struct Step {
    /// What is waited for; none: Value is written.
    std::optional<Comparison> Awaited;
    uint32_t NumberBytes = 4; ///< 4 or 8
    DeviceAddress Address = 0;
    uint64_t Value = 0;
  };
  std::vector<Step> Steps;
  std::shared_ptr<const void> Keep = {}; ///< Lives until all steps are done.
};

/// All nodes of another graph, as it is when instantiated.
struct ChildGraphOp {
  std::shared_ptr<const Graph> Child;
};

/// Other graphs, by a number of 4 bytes in memory as it is when the operation
/// begins. Their nodes neither call the host nor use events.
struct ConditionalOp {
  BranchKind Kind = BranchKind::If;
  DeviceAddress Condition = 0;
  std::vector<std::shared_ptr<const Graph>> Bodies;
  /// The bodies as they were when instantiated; before that none.
  std::vector<std::shared_ptr<const ExecutableGraph>> Ready = {};
};

using Operation =
    std::variant<EmptyOp, KernelOp, CopyOp, FillOp, HostOp, RecordOp, WaitOp,
                 MemoryOp, ChildGraphOp, ConditionalOp>;

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_OPERATION_H
