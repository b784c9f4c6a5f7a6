//===- ProcessDevice.h - A device as a process has it -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device is opened at its first use and closed by cudaDeviceReset. What the
// environment asks of all devices (HEDDLE_STRICT, HEDDLE_TIMING and others,
// docs/cuda.md) becomes options of the emulator here.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DEVICES_PROCESSDEVICE_H
#define HEDDLE_LIB_CUDA_DEVICES_PROCESSDEVICE_H

#include "heddle/DeviceService/Client.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Fabric/Machine.h"
#include "heddle/ProfileData/ProfilingDevice.h"
#include "heddle/Runtime/Context.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace heddle::cuda {

using fabric::DeviceLink;
using fabric::LinkKind;
using fabric::Machine;
using fabric::MachineDevice;

/// What a device is, whether or not it is open.
struct DeviceDescription {
  std::string Name, Chip;
  rt::DeviceProperties Properties;
  MachineDevice Machine;
};

/// Any thread may call anything at any time.
class ProcessDevice {
public:
  /// \p Ordinal is the program's number for the device.
  ProcessDevice(unsigned Ordinal, MachineDevice Machine,
                std::shared_ptr<emu::AddressSpace> Space,
                std::shared_ptr<rt::ContextGroup> Neighbours)
      : Ordinal(Ordinal), Machine(std::move(Machine)), Space(std::move(Space)),
        Neighbours(std::move(Neighbours)) {}

  const unsigned Ordinal;
  const MachineDevice Machine;

  /// The context, made at the first use; an error if there can be none.
  llvm::Expected<rt::Context &> context();
  /// The same if there is one; else null.
  rt::Context *opened();
  /// What the device is, which does not open it: children that are forked later
  /// can use it.
  llvm::Expected<DeviceDescription> describe();
  /// The properties of the device, which is opened; zeros if it cannot be.
  const rt::DeviceProperties &properties();
  /// The service that shares the open device out; null if none does.
  std::shared_ptr<emu::DeviceBroker> broker();
  /// In a fork's child: what the parent has open stays the parent's.
  void leaveToParent();
  /// How often it was closed.
  unsigned generation() const { return Generation; }

  /// Closes the device, and forgets everything on it.
  void close();
  /// Adds what was counted to the file of HEDDLE_PROFILE_OUT, and says what
  /// kernels have not freed, if that is wanted.
  void report();

  /// Lets the kernels of this device reach another's memory, or no longer.
  llvm::Error setAccess(ProcessDevice &Peer, bool Reaches);
  bool hasAccess(const ProcessDevice &Peer) const {
    return Peers >> Peer.Ordinal & 1;
  }

  /// Sizes by cudaLimit, kept for the program: stack, printf's buffer, heap,
  /// depth and launches of device-side launches, L2 fetches, persisting L2. The
  /// emulator has its own.
  std::array<std::atomic<size_t>, 7> Limits = {1024, 1 << 20, 8 << 20, 2,
                                               2048, 128,     0};

private:
  llvm::Expected<emu::EmulatorOptions> options() const;
  llvm::Expected<std::unique_ptr<rt::Device>> create();
  llvm::Error connect();
  void reportLocked();

  const std::shared_ptr<emu::AddressSpace> Space;
  const std::shared_ptr<rt::ContextGroup> Neighbours;
  std::atomic<unsigned> Generation{0};
  std::atomic<uint64_t> Peers{0}; ///< A bit for each that kernels reach.
  std::mutex Mutex;               ///< Of everything below.
  /// What runs the code, where Context has a device in front of it that
  /// collects a profile.
  std::unique_ptr<rt::Device> Emulator;
  pgo::ProfilingDevice *Counting = nullptr; ///< The one in front.
  std::unique_ptr<rt::Context> Context;
  rt::DeviceProperties Properties;
  std::shared_ptr<deviced::Client> Service; ///< Null: none.
};

/// What the compiler has to do for what is reported of the devices.
std::vector<std::string> compilerArgumentsOfEnvironment();

/// Whether a variable of the environment is there, not empty and not 0.
bool isSet(const char *Variable);

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DEVICES_PROCESSDEVICE_H
