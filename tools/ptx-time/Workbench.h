//===- Workbench.h - Microbenchmarks on a device ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs kernels with the four parameters of Microbenchmarks.h through CUDA's
// driver, and times them by events and by the host's clock.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TIME_WORKBENCH_H
#define HEDDLE_TOOLS_PTX_TIME_WORKBENCH_H

#include "DriverContext.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace heddle::timing {

/// The grid of a microbenchmark.
struct BenchGrid {
  unsigned CTAs = 1, Threads = 1, SharedBytes = 0;
};

/// Its parameters, but for the one that says where results go.
struct BenchArguments {
  uint64_t Buffer = 0, Count = 0, Extra = 0;
};

/// What is asked of cuDeviceGetAttribute, by CUdevice_attribute.
enum class BenchAttribute : int {
  ClockKHz = 13,
  Cores = 16,
  L2Bytes = 38,
  ThreadsPerCore = 39,
  ComputeCapabilityMajor = 75,
  SharedBytesPerCore = 81,
  RegistersPerCore = 82,
  SharedBytesPerCTA = 97,
  CTAsPerCore = 106,
};

/// The first device of a driver, whose primary context it holds, and all that
/// it made there. It has a stream of its own.
class Workbench {
public:
  static llvm::Expected<std::unique_ptr<Workbench>>
  create(const DriverAPI &API);
  ~Workbench();

  llvm::StringRef device() const { return Context.device(); }
  llvm::Expected<uint64_t> attribute(BenchAttribute A);

  /// Has the driver compile \p Text, and can launch its kernels from then on.
  llvm::Error load(llvm::StringRef Text);
  llvm::Expected<uint64_t> allocate(uint64_t Bytes);
  llvm::Error free(uint64_t Address);
  llvm::Error clear(uint64_t Address, uint64_t Bytes);

  /// Does not wait.
  llvm::Error launch(llvm::StringRef Kernel, const BenchGrid &Grid,
                     const BenchArguments &Arguments = {});
  llvm::Error wait();
  /// Launches, waits, and returns \p Count words of the results.
  llvm::Expected<std::vector<uint64_t>> run(llvm::StringRef Kernel,
                                            const BenchGrid &Grid,
                                            const BenchArguments &Arguments,
                                            unsigned Count = 1);

  /// The nanoseconds that \p Work takes in the stream, between two events; it
  /// follows on \p Before, which is not counted.
  llvm::Expected<double>
  time(llvm::function_ref<llvm::Error()> Work,
       llvm::function_ref<llvm::Error()> Before = nullptr);
  /// Waits by asking over and over.
  llvm::Error poll();
  /// What one such question takes the host, in nanoseconds.
  llvm::Expected<double> questionNanoseconds();
  /// The host's clock, in nanoseconds.
  static double hostNanoseconds();

  /// Copies to the device out of memory that does not move.
  llvm::Error copyFromHost(uint64_t To, uint64_t Bytes);
  /// Prepares a graph of so many launches of a kernel without parameters that
  /// count, one after the other.
  llvm::Expected<void *> makeGraph(llvm::StringRef Kernel, unsigned Launches);
  llvm::Error launchGraph(void *Executable);

private:
  explicit Workbench(const DriverAPI &API) : API(API), Context(API) {}
  llvm::Error open();
  llvm::Expected<void *> function(llvm::StringRef Kernel);

  /// The most that a kernel writes.
  static constexpr uint64_t ResultBytes = 1 << 20;

  DriverAPI API;
  DriverContext Context; // Released behind what was made in it.
  void *Stream = nullptr;
  uint64_t Results = 0;
  std::vector<void *> Modules, Graphs, Executables;
  std::vector<uint64_t> Buffers;
  llvm::StringMap<void *> Functions;
  void *HostMemory = nullptr;
  uint64_t HostBytes = 0;
};

} // namespace heddle::timing

#endif // HEDDLE_TOOLS_PTX_TIME_WORKBENCH_H
