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
#include "Devices/ProcessDevice.h"
#include "Driver/ContextStorage.h"
#include "Driver/LogicalEndpoints.h"
#include "Images.h"
#include "LaunchCapture.h"
#include "Pointers.h"
#include "Runtime/Advice.h"
#include "Runtime/Arrays.h"
#include "Runtime/Graphs.h"
#include "Runtime/Ipc.h"
#include "Runtime/Pools.h"
#include "Runtime/VirtualMemory.h"
#include "Textures/TextureReferences.h"
#include "Textures/Textures.h"
#include "TimeReport.h"
#include "heddle/Partitions/Partitions.h"
#include "heddle/Runtime/Context.h"
#include "heddle/Runtime/VirtualTime.h"

#include <atomic>
#include <map>
#include <set>

namespace heddle::cuda {

class LiveReport;
class Profiler;

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

  /// How many devices the program sees; an error if there is none.
  llvm::Expected<unsigned> countDevices();
  /// A device by the program's number; null if there is none.
  ProcessDevice *device(int Ordinal);
  /// The thread's current one; null if the program sees none.
  ProcessDevice *device();
  /// The device that has a context, which is open.
  ProcessDevice &deviceOf(const rt::Context &Context);
  /// The devices of the machine, which the program may see or not.
  llvm::Expected<const Machine &> machine();

  /// The context of the thread's device, made at the first use; an error, which
  /// stays, if there can be none.
  llvm::Expected<rt::Context &> context();
  /// The same of another device, and of the one that has some memory.
  llvm::Expected<rt::Context &> context(unsigned Ordinal);
  llvm::Expected<rt::Context &> contextOf(const Block &B) {
    return context(B.Device);
  }
  const rt::DeviceProperties &properties();
  /// The device's, which is opened; null if it has none.
  rt::VirtualTime *virtualTime();
  /// How much of a device's memory is given out.
  uint64_t bytesInUse(unsigned Ordinal) const;
  /// Another number whenever bytesInUse may be, of any device.
  uint64_t memoryChanges() const { return Memory.changes(); }
  /// How much memory of a device the program may still have.
  uint64_t freeBytes(unsigned Ordinal);
  /// Releases what pools hold back, if the rest is less than Bytes.
  void makeRoom(unsigned Ordinal, uint64_t Bytes);
  /// Memory of a device that is no block of it but a file; null if the program
  /// may not have so much more.
  std::shared_ptr<emu::MemoryGrant> takeMemory(unsigned Ordinal,
                                               uint64_t Bytes);
  /// Forgets the thread's device and everything on it (cudaDeviceReset).
  void reset();
  /// Reports what happens in a context that is new, as of the process that
  /// others know by the number \p KnownAs; 0: its own.
  void observe(rt::Context &Context, unsigned Ordinal, int64_t KnownAs);

  /// Tells the dashboard, if there is one, where a module's code came from.
  void countCompilation(llvm::StringRef Origin);

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

  /// What HEDDLE_COMPUTE_CAPABILITY says.
  static llvm::Expected<ComputeCapability> wantedByProgram();

  MemoryUse Memory; ///< Of the devices.
  ImageTable Images;
  PointerTable Pointers{Memory};
  AdviceTable Advice;
  VirtualMemory Virtual{Memory};
  LogicalEndpoints Endpoints;
  ContextStorage Storage;
  IpcTable Ipc;
  ArrayTable Arrays;
  TextureTable Textures;
  ReferenceNames References;
  PoolTable Pools{Memory};
  LaunchCapture Captured;
  HandleSet<GraphHandle> Graphs;
  HandleSet<GraphExecHandle> GraphExecs;

private:
  Process();
  void findDevices();
  rt::Stream &threadStream(rt::Context &C);
  void observeLaunches(rt::Context &Context);
  void observeUse(rt::Context &Context, unsigned Ordinal, int64_t KnownAs);
  void reportLive();
  void observeTime(rt::VirtualTime &Time);
  rt::PeerLink *linkOf(const rt::RowCopy &Copy);
  rt::PeerLink &linkBetween(unsigned From, unsigned To);
  static void atExit(void *);
  static void startChild();

  std::once_flag DevicesFound;
  std::string MachineFault; ///< Why there is no machine; or empty.
  std::string NoDevice;     ///< Why the program sees none of its devices.
  Machine TheMachine;
  /// Those that the program sees.
  std::vector<std::unique_ptr<ProcessDevice>> Devices;
  std::mutex LinksMutex; ///< Of what follows.
  /// By the program's numbers of the devices that are copied from and to.
  std::map<std::pair<unsigned, unsigned>, rt::PeerLink> Links;
  std::atomic<LiveReport *> Live{nullptr}; ///< If HEDDLE_DASHBOARD is set.
  /// What other processes see. Null before a device is opened.
  std::unique_ptr<clients::OwnRecord> Record;
  std::mutex Mutex;                  ///< Of everything below.
  Profiler *Profile = nullptr;       ///< If HEDDLE_PROFILE is set.
  std::unique_ptr<TimeReport> Times; ///< If HEDDLE_TIMING_REPORT is set.
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

/// Enqueues an operation in the stream that a handle means.
cudaError_t enqueue(cudaStream_t Stream, rt::Operation Op);

/// How the devices are divided; without a file that can be read they are not.
partitions::Partitions readPartitions();
/// 0: there is no such chip.
unsigned coresOfChip(llvm::StringRef Chip);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_PROCESS_H
