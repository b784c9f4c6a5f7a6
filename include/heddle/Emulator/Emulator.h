//===- Emulator.h - A device that runs microcode on the host ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the device that stands in for silicon: it decodes the bytes of code
// objects with the tables generated from isa-defs/ and runs them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_EMULATOR_EMULATOR_H
#define HEDDLE_EMULATOR_EMULATOR_H

#include "heddle/Emulator/Translator.h"
#include "heddle/ISA/ChipChanges.h"
#include "heddle/ProfileData/ProbeCounts.h"
#include "heddle/Runtime/Device.h"
#include "heddle/Runtime/Profile.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::emu {

class Debugger;     // heddle/Emulator/Debug.h
class DeviceBroker; // heddle/Emulator/DeviceBroker.h

/// Devices that share addresses: each knows what the others allocate, and which
/// of it its kernels reach (rt::Device::setPeerAccess).
class AddressSpace;
std::shared_ptr<AddressSpace> createAddressSpace();
/// What a device has for the host's allocations unless it is told otherwise.
constexpr uint64_t DefaultMemoryBytes = uint64_t(4) << 30;
/// Devices of an address space.
constexpr unsigned MaxDevices = 64;

/// What an emulator can check beyond what is always a fault.
enum class CheckKind : uint8_t {
#define HEDDLE_CHECK(Enumerator, Name, Meaning) Enumerator,
#include "heddle/Emulator/Checks.def"
};

/// A set of checks.
class CheckSet {
public:
  /// Reads names joined by commas, such as `sync`; unknown ones are an error.
  static llvm::Expected<CheckSet> parse(llvm::StringRef Names);
  void add(CheckKind K) { Bits |= uint32_t(1) << uint32_t(K); }
  bool contains(CheckKind K) const { return Bits >> uint32_t(K) & 1; }
  bool any() const { return Bits != 0; }
  /// Whether code has to be compiled with --keep-member-masks: masks that the
  /// compiler drops cannot be checked, and order nothing.
  bool needMemberMasks() const {
    return contains(CheckKind::Sync) || contains(CheckKind::Warp);
  }

private:
  uint32_t Bits = 0;
};

/// The host's instructions that execute common operations for all lanes at
/// once.
enum class HostVectors : uint8_t {
  Best, ///< What the host has.
  None, ///< Each lane by itself, as the other operations.
  Portable,
  AVX2,
  AVX512,
};
/// Whether this host and this library have them.
bool areSupported(HostVectors V);

/// What the timing model leaves out or adds.
struct TimingModel {
  rt::LimiterSet Without; ///< Is left out of every launch.
  /// Of grids that fill the chip more often than this, only so many fillings
  /// are timed, evenly spread, and the others just executed; profiles have a
  /// SampleEstimate then. 0: all is timed. Cooperative grids always are.
  unsigned SampleWaves = 0;
  static constexpr unsigned LeastSampleWaves = 8; ///< Fewer time everything.
  bool TraceWarps = false; ///< Profiles have LaunchProfile::Warps.
  /// Profiles say of barriers whether they ordered nothing, where all of a grid
  /// is timed. Execution takes longer.
  bool FindIdleBarriers = false;
  /// Barriers that are left out, by their section and the bytes from its start:
  /// those that order nothing.
  std::vector<std::pair<std::string, uint64_t>> LeftOutBarriers;
  /// Cycles that all launches of a device may take together; the one that takes
  /// more ends with a `timeout`. 0: no limit.
  uint64_t MaxCycles = 0;
};

struct EmulatorOptions {
  std::string Chip = "hd100"; ///< As isa-defs/ names it.
  /// Null: the device's own.
  std::shared_ptr<AddressSpace> Space;
  unsigned Ordinal = 0; ///< Among the devices of Space, below MaxDevices.
  /// Its figures that are others: code is as for the chip, its time is not.
  isa::ChipChanges Changes;
  /// Checks that the code waits for every result as the chip's latencies
  /// demand, and ends the launch with the fault `hazard` where it does not.
  bool StrictHazards = true;
  HostVectors Vectors = HostVectors::Best; ///< Must be supported.
  unsigned HostThreads = 0;        ///< That run CTAs; 0: one for each core.
  uint32_t StackBytes = 32 * 1024; ///< A thread's, beyond what the kernel
                                   ///< states, if it recurses or calls through
                                   ///< pointers.
  uint64_t HeapBytes = 64 << 20;   ///< For malloc in kernels.
  uint64_t MemoryBytes = DefaultMemoryBytes; ///< For the host's allocations.
  /// What memory holds that has not been written. The check `init` wants
  /// poison.
  rt::FreshMemory FreshMemory = rt::FreshMemory::Zero;
  /// How far kernels' accesses may go. The check `init` wants exact bounds.
  rt::MemoryBounds Bounds = rt::MemoryBounds::Exact;
  /// Runs launches in the time of the chip, on one host thread: they have a
  /// profile (docs/timing.md), and %clock is what it says.
  bool Timing = false;
  TimingModel Model; ///< With Timing.
  /// With Timing: queues, events and the clocks of kernels tell virtual time.
  std::shared_ptr<rt::VirtualTime> Time;
  /// What is not always checked, since it costs time or is allowed in practice.
  CheckSet Checks;
  /// Where launches add the counts of probes; null: nothing is counted.
  std::shared_ptr<pgo::ProbeSink> Probes;
  /// Runs warps and CTAs in random time slices that this number decides, on one
  /// host thread.
  std::optional<uint64_t> Seed;
  /// How launches are executed which nothing watches: neither strict hazards
  /// nor checks, timing, probes, or a seed. All but Emulate need a translator.
  Execution Mode = Execution::Emulate;
  std::shared_ptr<Translator> HostCode;
  /// With a seed: loads may return, and stores may hide behind, other values
  /// than the last, as docs/memory-model.md says.
  bool RelaxedMemory = false;
  /// Runs launches, one at a time; null: none. Excludes Timing and a seed.
  std::shared_ptr<Debugger> Debug;
  /// Shares the device out among processes; null: it is this process's alone.
  /// Grids that a debugger runs wait for no turn.
  std::shared_ptr<DeviceBroker> Broker;
};

/// The emulator of \p Options.Chip; an unknown chip is an error.
llvm::Expected<std::unique_ptr<rt::Device>>
createEmulatorDevice(const EmulatorOptions &Options = {});

/// What kernels on \p Device, which createEmulatorDevice made, have allocated
/// and not freed so far, in one line; empty if that is nothing.
std::string describeLeaks(rt::Device &Device);

/// A kernel without a code object: its code is \p Code, and it starts with the
/// first instruction.
struct RawKernel {
  rt::KernelInfo Info;
  llvm::ArrayRef<uint8_t> Code;
};

/// Loads kernels that are not in a code object into \p Device, which
/// createEmulatorDevice made. \p Constants becomes constant bank 3.
llvm::Expected<std::unique_ptr<rt::Module>>
loadRawKernels(rt::Device &Device, llvm::ArrayRef<RawKernel> Kernels,
               llvm::ArrayRef<uint8_t> Constants = {});

} // namespace heddle::emu

#endif // HEDDLE_EMULATOR_EMULATOR_H
