//===- Events.h - What happens in a program ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain data, which can be copied as bytes: calls of CUDA's functions, the work
// that they enqueue, ranges and marks of NVTX, numbers over time and stages of
// compilations. Times are nanoseconds of the recorder's clock. Texts are valid
// while a sink is told of an event, unless they say more.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_EVENTS_H
#define HEDDLE_LIB_CUDA_TRACE_EVENTS_H

#include "heddle/Runtime/Device.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <variant>

namespace heddle::cuda::trace {

/// Whose functions are called.
enum class Interface : uint8_t { Runtime, Driver, FFT, Collectives };

/// What a call waits for, or makes a stream wait for. The numbers are those of
/// CUpti_ActivitySynchronizationType.
enum class Synchronization : uint8_t {
  None,
  Event,
  StreamForEvent,
  Stream,
  Context
};

/// A function of one of NVIDIA's libraries. There is one for each name and
/// place, for good.
struct Function {
  std::string Name; ///< As programs call it.
  Interface Of = Interface::Runtime;
  uint32_t Callback = 0; ///< Its number for profilers; 0: it has none.
  /// The number of the driver's function that NVIDIA's runtime calls for it, of
  /// which profilers of the driver are told; 0: none that they care for.
  uint32_t DriverCallback = 0;
  std::string VersionName; ///< Its name for them, such as cudaMalloc_v3020.
  Synchronization Waits = Synchronization::None;
  bool MakesGraphs = false; ///< Or nodes, or what is instantiated of graphs.
  unsigned Number = 0;      ///< Counts functions from 0.
};

/// A call that a program made of a function, from the outside.
struct Call {
  const Function *Called = nullptr; ///< For good.
  uint32_t Correlation = 0;         ///< Work that it enqueued has the same.
  uint32_t Thread = 0;              ///< As the system numbers it.
  uint64_t Begin = 0, End = 0;
  int Result = 0; ///< As the function returned it; 0 is success.
  /// Of a call that waits: rt::Stream::id of what waits, or is waited for.
  uint32_t Stream = NoStream;
  /// The first arguments, as far as the function has some.
  uint64_t Arguments[2] = {};
  uint16_t Device = 0; ///< Of a call that waits: the thread's.

  static constexpr uint32_t NoStream = ~uint32_t(0);
};

/// A call of the C library that waited, by a thread of the program.
struct SystemCall {
  const char *Name = nullptr; ///< For good.
  uint32_t Thread = 0;
  uint64_t Begin = 0, End = 0;
  int64_t Result = 0;
};

/// What is copied from where to where.
enum class Direction : uint8_t { ToDevice, ToHost, InDevice, ToPeer, InHost };

/// Memory that is copied or filled.
enum class MemoryKind : uint8_t { Pageable, Pinned, Device, Managed };

/// What all launches of a kernel have in common. There is one for each kernel,
/// for good.
struct Kernel {
  std::string Symbol;
  std::string Name;      ///< As people read it: demangled.
  std::string ShortName; ///< Without namespaces, parameters and arguments.
  uint32_t Registers = 0, SharedBytes = 0, LocalBytes = 0;
};

enum class WorkKind : uint8_t { Kernel, Copy, Fill };

/// A kernel, copy or fill on a device.
struct Work {
  uint32_t Correlation = 0; ///< Of its call; 0: unknown.
  /// Of a graph's node: the number of what was instantiated of the graph, and
  /// that of its part (rt::ExecutableGraph::Part); or 0, 0.
  uint32_t Graph = 0, Node = 0;
  uint64_t Begin = 0, End = 0;

  // What follows is compared as bytes, without any in between.
  uint64_t Stream = 0;              ///< rt::Stream::id
  uint64_t Bytes = 0;               ///< Of a copy or fill.
  uint64_t Pattern = 0;             ///< Of a fill: its bytes as a number.
  const Kernel *Launched = nullptr; ///< Of a launch, as all that follows.
  rt::Dim3 Grid, Block, Cluster;
  uint32_t DynamicSharedBytes = 0;
  uint16_t Device = 0;
  uint16_t FromDevice = 0, ToDevice = 0; ///< Of a copy between devices.
  WorkKind Kind = WorkKind::Kernel;
  Direction Copied = Direction::InDevice; ///< Of a copy.
  MemoryKind From = MemoryKind::Device;   ///< Of a copy.
  MemoryKind To = MemoryKind::Device;     ///< Of a copy or fill.
  bool IsCooperative = false;             ///< Of a launch.
  uint8_t Unused[5] = {};

  /// Whether both do the same in the same stream, at whatever time, and have
  /// numbers of the same kinds.
  bool isAlike(const Work &O) const;
};

inline bool Work::isAlike(const Work &O) const {
  constexpr size_t Begin = offsetof(Work, Stream);
  static_assert(sizeof(Work) ==
                Begin + 4 * sizeof(uint64_t) + 3 * sizeof(rt::Dim3) + 20);
  return !Correlation == !O.Correlation && !Node == !O.Node &&
         !std::memcmp(&Stream, &O.Stream, sizeof(Work) - Begin);
}

/// Who names ranges and marks: a library's domain of NVTX.
struct Domain {
  std::string Name; ///< Empty: the one of programs that make none.
  unsigned Number = 0;
};

/// A range or mark of NVTX.
struct Annotation {
  const Domain *Of = nullptr; ///< For good.
  llvm::StringRef Text;
  llvm::StringRef Category; ///< Its name, for good; empty: it has none.
  /// In the order of the types of NVTX, from 1 on.
  std::variant<std::monostate, uint64_t, int64_t, double, uint32_t, int32_t,
               float>
      Payload;
  uint32_t CategoryNumber = 0;
  uint32_t Color = 0; ///< As 0xAARRGGBB; 0: none.
  uint32_t Thread = 0;
  uint64_t Id = 0; ///< Of a range that any thread may end; else 0.
  uint64_t Begin = 0, End = 0;

  /// Whether it has a text and nothing else.
  bool isPlain() const {
    return !Payload.index() && Category.empty() && !CategoryNumber && !Color;
  }
};

/// What ranges of NVTX are called that have a text and nothing else. There is
/// one for each domain and text, for good; of many texts not for all.
struct RangeName {
  const Domain *Of = nullptr;
  std::string Text;
  unsigned Number = 0; ///< Counts names from 0.
};

/// Such a range, of one thread.
struct PlainRange {
  const RangeName *Name = nullptr;
  uint32_t Thread = 0;
};

/// A stage of a compilation, or the whole of it.
struct Stage {
  llvm::StringRef Name;   ///< `compile` is the whole.
  llvm::StringRef Input;  ///< What is compiled.
  llvm::StringRef Detail; ///< Of the whole: where the code came from.
  uint32_t Thread = 0;
  uint64_t Begin = 0, End = 0;
};

/// A number from now on.
struct Value {
  llvm::StringRef Name, Unit; ///< For good.
  unsigned Device = 0;
  uint64_t Time = 0;
  double Number = 0;
};

/// A place in code, of which there is one for each, for good.
struct CodePlace {
  std::string Function; ///< Empty: it is not known.
  std::string Module;   ///< Its file; empty: it is not known.
  uint64_t Address = 0; ///< In the file; in memory, if that is not known.
  unsigned Number = 0;  ///< Counts from 0.
};

/// What of graphs comes to be.
enum class GraphEventKind : uint8_t { Graph, Node, Exec };

/// A graph, a node, or what was instantiated of a graph has come to be. Numbers
/// of the first and the last are those of handles, of which none are the same;
/// those of nodes are nodeIdOf.
struct GraphEvent {
  GraphEventKind Kind = GraphEventKind::Graph;
  uint32_t Thread = 0;
  uint64_t Time = 0;
  uint64_t Number = 0;   ///< Of the graph or node.
  uint64_t Original = 0; ///< Of which it is a clone; 0: of none.
  uint32_t Exec = 0;     ///< Of what was instantiated, and of its nodes.
};

/// The number of a node of a graph, of which those of both are known; 0: there
/// is none. It is CUPTI's.
inline uint64_t nodeIdOf(uint32_t Graph, uint32_t Node) {
  return Node ? uint64_t(Graph) << 32 | Node : 0;
}

/// Where a thread was.
struct Sample {
  uint32_t Thread = 0, CPU = 0;
  uint64_t Time = 0;
  uint64_t Weight = 0; ///< Nanoseconds of the thread's time that it stands for.
  /// The call stack, the innermost function first.
  llvm::ArrayRef<const CodePlace *> Places;
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_EVENTS_H
