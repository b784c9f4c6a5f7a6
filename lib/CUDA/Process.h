//===- Process.h - What the CUDA runtime knows of a process -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The CUDA runtime API has no handle for itself: registrations come from static
// constructors, and every call means "this process" and "this thread's device".
// So there is one Process object, made at the first call and never destroyed,
// since programs call the API from static destructors too.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_PROCESS_H
#define HEDDLE_LIB_CUDA_PROCESS_H

#include "ABI.h"
#include "Driver/LogicalEndpoints.h"
#include "Images.h"
#include "LaunchCapture.h"
#include "Pointers.h"
#include "Profiler.h"
#include "Runtime/Advice.h"
#include "Runtime/Arrays.h"
#include "Runtime/Graphs.h"
#include "Runtime/Ipc.h"
#include "Runtime/Pools.h"
#include "Runtime/Textures.h"
#include "Runtime/VirtualMemory.h"
#include "TimeReport.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/ProfileData/ProfilingDevice.h"
#include "heddle/Runtime/Context.h"

#include <array>
#include <atomic>
#include <map>
#include <set>

namespace heddle::cuda {

struct StreamHandle {
  rt::Stream *Stream;
  unsigned Flags;
};
struct EventHandle {
  std::shared_ptr<rt::Event> Event = std::make_shared<rt::Event>();
  bool HasTiming = true;
  SharedEvent Shared = {}; ///< Empty unless it is of several processes.
};

class Process {
public:
  static Process &get();

  /// The device's context, made at the first use; an error, which stays, if
  /// there can be none.
  llvm::Expected<rt::Context &> context();
  const rt::DeviceProperties &properties();
  /// The device's, which is opened; null if it has none.
  rt::VirtualTime *virtualTime();
  struct DeviceDescription {
    std::string Name, Chip;
    rt::DeviceProperties Properties;
  };
  static DeviceDescription describe(const rt::Device &Device);
  /// What the device is, which does not open it: children that are forked later
  /// can use it.
  llvm::Expected<DeviceDescription> describeDevice();
  /// Whether the device is open; whether there is work in flight on it; how
  /// much of its memory is given out.
  bool usesDevice();
  bool isBusy();
  uint64_t bytesInUse() const;
  /// How much device memory the program may still have.
  uint64_t freeBytes();
  /// Forgets the device and everything on it (cudaDeviceReset).
  void reset();

  /// Whether this process is a fork of one that had a device by then, and so
  /// can have none.
  static bool isForked();

  /// The stream that a handle means; null if the handle is none.
  rt::Stream *stream(cudaStream_t Handle);
  cudaStream_t addStream(rt::Stream &S, unsigned Flags);
  bool removeStream(cudaStream_t Handle);
  cudaEvent_t addEvent(bool HasTiming, SharedEvent Shared = {});
  EventHandle *event(cudaEvent_t Handle);
  bool removeEvent(cudaEvent_t Handle);

  /// Whether launches do nothing, so that one can see that a program notices:
  /// all (HEDDLE_SKIP_LAUNCHES=1), or those of kernels in whose name the value
  /// of the variable stands.
  bool skipsLaunches() const { return !Skipped.empty(); }
  bool skipsLaunches(llvm::StringRef KernelName) const {
    return Skipped == "1" || (!Skipped.empty() && KernelName.contains(Skipped));
  }

  struct ComputeCapability {
    int Major = 9, Minor = 0;
  };
  /// The compute capability that programs see. The chips take the PTX of all;
  /// 9.0, or what HEDDLE_COMPUTE_CAPABILITY says for a program that asks for
  /// another.
  static ComputeCapability programCapability();
  /// What the caller of a function of CUDA's sees (CallerCapability.h).
  static ComputeCapability computeCapability();
  /// What a variable of the environment says.
  static llvm::Expected<ComputeCapability>
  wantedCapability(const char *Variable, ComputeCapability Default);

  /// What the device's checks and reports need of the compiler.
  std::vector<std::string> compilerArguments() const;

  ImageTable Images;
  PointerTable Pointers;
  AdviceTable Advice;
  VirtualMemory Virtual;
  LogicalEndpoints Endpoints;
  IpcTable Ipc;
  ArrayTable Arrays;
  TextureTable Textures;
  PoolTable Pools;
  LaunchCapture Captured;
  /// Sizes by cudaLimit, kept for the program: stack, printf's buffer, heap,
  /// depth and launches of device-side launches, L2 fetches, persisting L2. The
  /// emulator has its own.
  std::array<std::atomic<size_t>, 7> Limits = {1024, 1 << 20, 8 << 20, 2,
                                               2048, 128,     0};
  HandleSet<GraphHandle> Graphs;
  HandleSet<GraphExecHandle> GraphExecs;

private:
  Process();
  rt::Stream &threadStream(rt::Context &C);
  /// What HEDDLE_CHIP, HEDDLE_STRICT and so on ask for.
  llvm::Expected<emu::EmulatorOptions> deviceOptions() const;
  llvm::Expected<std::unique_ptr<rt::Device>> createDevice();
  void observeLaunches(llvm::StringRef Chip);
  void observeTime(rt::VirtualTime &Time);
  /// Adds what was counted to the file of HEDDLE_PROFILE_OUT, if there is one.
  void addCounts();
  /// Says what kernels have not freed, if that is to be checked.
  void reportLeaks();
  static void atExit(void *);

  std::atomic<unsigned> Generation{0}; ///< How often it was reset.
  std::mutex Mutex;                    ///< Of everything below.
  /// What runs the code, where Context has a device in front of it that
  /// collects a profile.
  std::unique_ptr<rt::Device> Emulator;
  pgo::ProfilingDevice *Counting = nullptr; ///< The one in front.
  std::unique_ptr<rt::Context> Context;
  std::unique_ptr<Profiler> Profile; ///< If HEDDLE_PROFILE is set.
  std::unique_ptr<TimeReport> Times; ///< If HEDDLE_TIMING_REPORT is set.
  rt::DeviceProperties Properties;
  std::set<cudaStream_t> Streams;
  std::set<cudaEvent_t> Events;
  std::string Skipped; ///< Empty: none.
};

//===----------------------------------------------------------------------===//
// How every function ends
//===----------------------------------------------------------------------===//

/// Notes an error as this thread's last one, and returns it.
cudaError_t finish(cudaError_t Code);
/// This thread's last error; Clear forgets it unless it stays for good.
cudaError_t lastError(bool Clear);

/// The same, untouched, and to put it back: for calls of the driver API, which
/// has no last error.
cudaError_t savedError();
void restoreError(cudaError_t Code);

/// Whether this thread has called the runtime API; how deep it is in calls of
/// the driver API, which do not count.
bool threadUsesRuntime();
extern thread_local unsigned DriverDepth;

/// Says on stderr what happened, for the first error of the process. The log of
/// errors has all.
void explainFirst(const std::string &Message);

/// What an error of the runtime is in CUDA's terms: the fault of a kernel if
/// there was one, else Otherwise. Says what happened on stderr.
cudaError_t convert(llvm::Error E, cudaError_t Otherwise);

/// A line on stderr if HEDDLE_LOG is set.
void log(const llvm::Twine &Message);

/// The streams that a thread creates are of this group of the device's streams:
/// that of its current context.
unsigned currentStreamGroup();

/// Enqueues an operation in the stream that a handle means.
cudaError_t enqueue(cudaStream_t Stream, rt::Operation Op);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_PROCESS_H
