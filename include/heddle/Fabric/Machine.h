//===- Machine.h - The devices that there are -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HEDDLE_DEVICES says which devices a machine has and how they are linked
// (docs/devices.md), CUDA_VISIBLE_DEVICES which of them a program sees.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_FABRIC_MACHINE_H
#define HEDDLE_FABRIC_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::fabric {

/// A part of a device, which is a device for programs (heddle/Partitions).
struct DevicePart {
  std::array<char, 16> Device; ///< Its UUID.
  unsigned Instance, ComputeInstance;
  unsigned Cores;
  unsigned Slices, InstanceSlices;        ///< Of cores.
  unsigned MemorySlices, AllMemorySlices; ///< Of the whole device's memory.
};

/// A device as the machine has it, or a part of one.
struct MachineDevice {
  unsigned Index = 0; ///< In the machine, whatever the program sees.
  std::string Chip = "hd100";
  std::optional<uint64_t> MemoryBytes; ///< None: as devices have by default.
  std::optional<uint32_t> ClockMHz;    ///< None: the chip's.
  std::optional<DevicePart> Part = {}; ///< None: the whole device.

  /// Different for each device of the machine, the same in each process; a
  /// part's is its own.
  std::array<char, 16> uuid() const;
  /// The same as text: `GPU-`, or `MIG-` of a part, and groups of hexadecimal
  /// digits.
  std::string uuidText() const;
};

enum class LinkKind : uint8_t {
  PCIe,   ///< Over the host.
  NVLink, ///< From chip to chip; atomic operations work over it.
};

/// What a link between two devices does, in each direction.
struct DeviceLink {
  LinkKind Kind = LinkKind::PCIe;
  uint64_t BytesPerSecond = 0;
  uint32_t LatencyNs = 0;
};

/// A switch that all devices of a host are connected to.
struct DeviceSwitch {
  DeviceLink Port;      ///< What a device has for all others together.
  bool Reduces = false; ///< Adds and copies by itself (multimem).
};

/// How messages of collectives carry their flags.
enum class Protocol : uint8_t {
  LL,     ///< With each four bytes.
  LL128,  ///< With each 120 bytes.
  Simple, ///< With each piece of a buffer.
};
constexpr unsigned NumProtocols = 3;

/// The network between hosts that are all alike.
struct HostNetwork {
  unsigned Hosts = 1;
  unsigned Cards = 1; ///< Network cards of a host.
  /// Of a card, in each direction.
  uint64_t BytesPerSecond = 0;
  /// From device to device, through one switch.
  uint32_t LatencyNs = 2000;
  /// What each further switch adds.
  uint32_t SwitchLatencyNs = 300;
  /// Whether card N of all hosts has switches of its own.
  bool HasRails = true;
  /// Hosts whose cards share the switches next to them; 0: all.
  unsigned HostsPerLeaf = 0;
  /// What goes into such a switch from its hosts, over what comes out of it to
  /// the switches above.
  double Oversubscription = 1;
  std::array<bool, NumProtocols> Allowed = {true, true, true};

  bool allows(Protocol P) const { return Allowed[static_cast<unsigned>(P)]; }
  /// Whether \p Count hosts need switches above those next to them.
  bool crossesLeaves(unsigned Count) const {
    return HostsPerLeaf && Count > HostsPerLeaf;
  }
};

class Machine {
public:
  /// One device, of the chip of HEDDLE_CHIP.
  Machine() = default;

  /// Reads `4xhd100,hd10`, or what a file of JSON says whose name has a slash
  /// or ends in .json. An error names the place of what is wrong.
  static llvm::Expected<Machine> parse(llvm::StringRef Text);
  static llvm::Expected<Machine> parseJSON(llvm::StringRef Text);
  static llvm::Expected<Machine> readFile(llvm::StringRef Path);
  /// What HEDDLE_DEVICES asks for, else HEDDLE_CHIP.
  static llvm::Expected<Machine> fromEnvironment();

  /// Those of one host.
  const std::vector<MachineDevice> &devices() const { return Devices; }
  /// Between two different devices of a host, by their indices.
  DeviceLink link(unsigned A, unsigned B) const;
  const std::optional<DeviceSwitch> &deviceSwitch() const { return Switch; }
  /// None: there is one host.
  const std::optional<HostNetwork> &network() const { return Network; }

  /// The devices of a list like that of CUDA_VISIBLE_DEVICES: indices or
  /// beginnings of texts of UUIDs, up to the first that names none. Without a
  /// list all.
  std::vector<unsigned> visible(std::optional<llvm::StringRef> List) const;

private:
  struct LinkedPair {
    unsigned A, B; ///< Indices, A is the lower one.
    DeviceLink Link;
  };

  friend class MachineReader;

  std::vector<MachineDevice> Devices = {MachineDevice()};
  std::vector<LinkedPair> Links; ///< Others are the switch's or the defaults.
  std::optional<DeviceSwitch> Switch;
  std::optional<HostNetwork> Network;
};

/// What links have that a file says no more of than their kind.
DeviceLink defaultLink(LinkKind Kind);

/// An error if there is no chip of that name.
llvm::Error checkChip(llvm::StringRef Name);

} // namespace heddle::fabric

#endif // HEDDLE_FABRIC_MACHINE_H
