//===- DeviceWork.h - What kernels launch -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Grids, copies and fills that the threads of a grid enqueue. They are carried
// out when the grid's own threads are done, one after the other in the order of
// the CTAs and of their calls, so that the outcome depends on no host thread.
// The grid that enqueued them is done with the last of them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_EXECUTE_DEVICEWORK_H
#define HEDDLE_LIB_EMULATOR_EXECUTE_DEVICEWORK_H

#include "heddle/ISA/DeviceWork.h"
#include "heddle/Runtime/Device.h"

#include <map>
#include <mutex>
#include <optional>
#include <variant>
#include <vector>

namespace heddle::emu {

class Warp;

/// A kernel of the module of the grid that launches it.
struct GridWork {
  unsigned Kernel = 0; ///< Index.
  rt::LaunchShape Shape;
  std::vector<uint8_t> Params;
};

/// Rows of bytes that are all the same.
struct FillWork {
  rt::DeviceAddress To = 0;
  uint8_t Value = 0;
  uint64_t RowBytes = 0, Rows = 0, Pitch = 0;
};

struct Work {
  std::variant<GridWork, rt::RowCopy, FillWork> What;
  isa::DeviceStream Stream = isa::DeviceStream::Ordered;
};

/// What carries out work.
class WorkRunner {
public:
  virtual ~WorkRunner();
  /// What is wrong with a grid, for its kernel or for every kernel.
  virtual isa::DeviceError check(const GridWork &Grid) = 0;
  /// Carries out a list of work and all that its grids enqueue; returns the
  /// first fault.
  virtual std::optional<rt::Fault> run(std::vector<Work> List) = 0;
};

/// The work that a grid enqueues. Any thread may call anything at any time.
class DeviceWorkQueue {
public:
  explicit DeviceWorkQueue(WorkRunner &Runner) : Runner(Runner) {}

  /// Enqueues work of a CTA of the grid.
  void add(uint64_t CTA, Work W);
  /// All that is left, in its order.
  std::vector<Work> take();
  /// Carries out what a CTA has enqueued so far, but for the work at the end;
  /// returns the first fault.
  std::optional<rt::Fault> synchronize(uint64_t CTA);

  /// The last error of a thread, in whose place comes another one.
  uint64_t swapError(uint64_t CTA, uint64_t Thread, uint64_t Code);
  /// A number that this queue has not returned before.
  uint64_t newHandle();

  WorkRunner &Runner;

private:
  std::mutex Mutex; ///< Of everything below.
  std::map<uint64_t, std::vector<Work>> Ordered, AtEnd; ///< By CTA.
  std::map<std::pair<uint64_t, uint64_t>, uint64_t> Errors;
  uint64_t Handles = 0;
};

/// __heddle_device_query and __heddle_device_enqueue for a lane.
void callDeviceQuery(Warp &W, unsigned Lane);
void callDeviceEnqueue(Warp &W, unsigned Lane);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_EXECUTE_DEVICEWORK_H
