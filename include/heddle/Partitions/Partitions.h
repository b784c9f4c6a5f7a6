//===- Partitions.h - Devices in parts --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device can be divided into instances, each with cores and memory of its
// own, and an instance into compute instances, which share its memory: what
// NVIDIA calls MIG. A compute instance is a device for a program. What is
// divided how stands in a file of the user's, beside the records of processes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PARTITIONS_PARTITIONS_H
#define HEDDLE_PARTITIONS_PARTITIONS_H

#include "heddle/Fabric/Machine.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::partitions {

using fabric::MachineDevice;
using UUID = std::array<char, 16>;

/// What an instance may have (Profiles.def).
struct Profile {
  unsigned Id;
  unsigned ComputeSlices, MemorySlices;
  llvm::ArrayRef<unsigned> Starts; ///< Slices of memory.
};

/// How a chip can be divided.
struct Division {
  unsigned ComputeSlices, MemorySlices;
  llvm::SmallVector<Profile, 5> Profiles;

  /// The profile with a number, or with some slices of cores; null if there is
  /// none.
  const Profile *find(unsigned Id) const;
  const Profile *ofSlices(unsigned ComputeSlices) const;
  /// The cores of some slices of \p Cores.
  unsigned cores(unsigned Slices, unsigned Cores) const {
    return Cores * Slices / ComputeSlices;
  }
};
Division divisionOf(llvm::StringRef Chip);

/// Its slices are those of its instance's cores.
struct ComputeInstance {
  unsigned Id, Start, Slices;
  UUID Device; ///< By which programs ask for it.
};

struct Instance {
  unsigned Id, Profile, Start;
  std::vector<ComputeInstance> Computes;
};

struct Divided {
  bool IsEnabled = false; ///< Else there are no instances.
  std::vector<Instance> Instances;

  Instance *find(unsigned Id);
};

/// Why a change is not made.
enum class Refusal {
  NotEnabled,  ///< The device is not to be divided.
  NoRoom,      ///< What is there already leaves no place.
  Unknown,     ///< No such profile, instance or place.
  InUse,       ///< Instances are inside it, or a process uses it.
  Unavailable, ///< The file cannot be read or written.
};

/// A refusal, with what it is about.
class RefusedChange : public llvm::ErrorInfo<RefusedChange> {
public:
  RefusedChange(Refusal Why, std::string Message)
      : Why(Why), Message(std::move(Message)) {}

  void log(llvm::raw_ostream &OS) const override { OS << Message; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  const Refusal Why;
  const std::string Message;
  static char ID;
};

/// How the devices of a machine are divided.
class Partitions {
public:
  /// What the file says; without one, or without a folder for it, no device is
  /// divided.
  static llvm::Expected<Partitions> read();
  /// The same of a text as the file has it, and that text.
  static llvm::Expected<Partitions> parse(llvm::StringRef Text);
  std::string text() const;
  /// Reads the file, lets \p Change change it, and writes it, with nobody else
  /// between. An error of Change leaves everything as it was.
  static llvm::Error
  change(llvm::function_ref<llvm::Error(Partitions &)> Change);

  const Divided &of(const MachineDevice &Device) const;

  /// Whether the device is to be divided. Its instances have to be gone first.
  llvm::Error enable(const MachineDevice &Device, bool IsEnabled);
  /// A new instance, at a slice of memory or at the first that is free, and its
  /// number.
  llvm::Expected<unsigned> create(const MachineDevice &Device, unsigned Profile,
                                  std::optional<unsigned> Start = std::nullopt);
  /// A new compute instance with some of an instance's slices of cores.
  llvm::Expected<unsigned>
  createCompute(const MachineDevice &Device, unsigned Instance, unsigned Slices,
                std::optional<unsigned> Start = std::nullopt);
  llvm::Error destroy(const MachineDevice &Device, unsigned Instance);
  llvm::Error destroyCompute(const MachineDevice &Device, unsigned Instance,
                             unsigned Compute);

private:
  llvm::Expected<Divided &> enabled(const MachineDevice &Device);
  llvm::Error add(llvm::StringRef Text);

  std::map<std::string, Divided> Devices; ///< By the text of the UUID.
};

/// Where an instance of a profile could begin, and still can.
std::vector<unsigned> freeStarts(const Divided &D, const Division &By,
                                 const Profile &P);
/// The same of a compute instance with some slices.
std::vector<unsigned> freeStarts(const Instance &I, const Division &By,
                                 unsigned Slices);

/// A compute instance as a device of its own; \p Cores are the chip's.
MachineDevice deviceOf(const MachineDevice &Device, unsigned Cores,
                       const Instance &I, const ComputeInstance &C);

/// What a part is called, such as `3g.2gb` or `1c.3g.2gb`, by its slices and by
/// the memory of its instance.
std::string nameOf(const fabric::DevicePart &Part, uint64_t MemoryBytes);
std::string nameOf(const Profile &P, uint64_t MemoryBytes);

/// Tells how many cores a chip has.
using CoresOfChip = llvm::function_ref<unsigned(llvm::StringRef Chip)>;

/// All compute instances of a device, as devices.
std::vector<MachineDevice> partsOf(const MachineDevice &Device,
                                   const Partitions &P, CoresOfChip Cores);

/// The devices that a program sees, by a list like CUDA_VISIBLE_DEVICES: whole
/// ones as Machine::visible says, of one that is divided its first compute
/// instance, and a compute instance by its UUID, or by the UUID of its device
/// and its numbers, as `MIG-GPU-.../1/0`. As with CUDA, a program sees nothing
/// else besides a compute instance.
std::vector<MachineDevice> visible(const fabric::Machine &M,
                                   const Partitions &P,
                                   std::optional<llvm::StringRef> List,
                                   CoresOfChip Cores);

} // namespace heddle::partitions

#endif // HEDDLE_PARTITIONS_PARTITIONS_H
