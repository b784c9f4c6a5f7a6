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

#ifndef HEDDLE_LIB_CUDA_DEVICES_MACHINE_H
#define HEDDLE_LIB_CUDA_DEVICES_MACHINE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::cuda {

/// A device as the machine has it.
struct MachineDevice {
  unsigned Index = 0; ///< In the machine, whatever the program sees.
  std::string Chip = "hd100";
  std::optional<uint64_t> MemoryBytes; ///< None: as devices have by default.
  std::optional<uint32_t> ClockMHz;    ///< None: the chip's.

  /// Different for each device of the machine, the same in each process.
  std::array<char, 16> uuid() const;
  /// The same as text: `GPU-` and groups of hexadecimal digits.
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

class Machine {
public:
  /// One device, of the chip of HEDDLE_CHIP.
  Machine() = default;

  /// Reads `4xhd100,hd10`, or what a file of JSON says whose name has a slash
  /// or ends in .json. An error names the place of what is wrong.
  static llvm::Expected<Machine> parse(llvm::StringRef Text);
  static llvm::Expected<Machine> parseJSON(llvm::StringRef Text);
  /// What HEDDLE_DEVICES asks for, else HEDDLE_CHIP.
  static llvm::Expected<Machine> fromEnvironment();

  const std::vector<MachineDevice> &devices() const { return Devices; }
  /// Between two different devices, by their indices.
  DeviceLink link(unsigned A, unsigned B) const;

  /// The devices of a list like that of CUDA_VISIBLE_DEVICES: indices or
  /// beginnings of texts of UUIDs, up to the first that names none. Without a
  /// list all.
  std::vector<unsigned> visible(std::optional<llvm::StringRef> List) const;

private:
  struct LinkedPair {
    unsigned A, B; ///< Indices, A is the lower one.
    DeviceLink Link;
  };

  class JSONReader;

  std::vector<MachineDevice> Devices = {MachineDevice()};
  std::vector<LinkedPair> Links; ///< Others are the defaults.
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DEVICES_MACHINE_H
