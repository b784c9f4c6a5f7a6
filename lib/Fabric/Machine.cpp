//===- Machine.cpp - The devices that there are -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Devices, their links, and lists of them as text.
//
//===----------------------------------------------------------------------===//

#include "heddle/Fabric/Machine.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/ISA/ISA.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdlib>

using namespace llvm;

namespace heddle::fabric {

template <typename... T> static Error makeError(const char *Format, T... Args) {
  return createStringError(inconvertibleErrorCode(),
                           formatv(Format, Args...).str());
}

//===----------------------------------------------------------------------===//
// A device
//===----------------------------------------------------------------------===//

std::array<char, 16> MachineDevice::uuid() const {
  if (Part)
    return Part->Device;
  std::array<char, 16> Bytes = {'h', 'e', 'd', 'd', 'l', 'e', '-', 'e',
                                'm', 'u', 'l', 'a', 't', 'o', 'r', 0};
  // Python packages that take the bytes for a text would end it at a zero.
  Bytes.back() = static_cast<char>(Index + 1);
  return Bytes;
}

std::string MachineDevice::uuidText() const {
  std::string Text = Part ? "MIG-" : "GPU-";
  for (auto [I, Byte] : enumerate(uuid())) {
    if (I == 4 || I == 6 || I == 8 || I == 10)
      Text += '-';
    Text += hexdigit(static_cast<uint8_t>(Byte) >> 4, /*LowerCase=*/true);
    Text += hexdigit(static_cast<uint8_t>(Byte) & 15, /*LowerCase=*/true);
  }
  return Text;
}

//===----------------------------------------------------------------------===//
// Links
//===----------------------------------------------------------------------===//

/// Equal chips are linked directly unless a file says something else. A
/// direction of NVLink 4 between two H100 has 450 GB/s ("NVIDIA H100 Tensor
/// Core GPU Architecture", 2022); PCIe 5 with 16 lanes has 63 GB/s before
/// protocol, of which about 55 GB/s are data.
/// A switch has the same, as one between the devices of a DGX H100 does.
static constexpr DeviceLink DirectLink = {LinkKind::NVLink, 450'000'000'000,
                                          700};
static constexpr DeviceLink HostLink = {LinkKind::PCIe, 55'000'000'000, 1500};

DeviceLink defaultLink(LinkKind Kind) {
  return Kind == LinkKind::NVLink ? DirectLink : HostLink;
}

DeviceLink Machine::link(unsigned A, unsigned B) const {
  auto [Low, High] = std::minmax(A, B);
  for (const LinkedPair &P : Links)
    if (P.A == Low && P.B == High)
      return P.Link;
  if (Switch)
    return Switch->Port;
  return Devices[A].Chip == Devices[B].Chip ? DirectLink : HostLink;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

Error checkChip(StringRef Name) {
  if (isa::findChip(Name))
    return Error::success();
  std::string Known =
      join(map_range(isa::chips(),
                     [](const isa::ChipInfo &C) { return StringRef(C.Name); }),
           ", ");
  return makeError("unknown chip '{0}' (known: {1})", Name.str(), Known);
}

Expected<Machine> Machine::parse(StringRef Text) {
  if (Text.contains('/') || Text.ends_with(".json"))
    return readFile(Text);
  Machine M;
  M.Devices.clear();
  for (StringRef Item : split(Text, ',')) {
    Item = Item.trim();
    unsigned Count = 1;
    auto [Number, Chip] = Item.split('x');
    if (Chip.empty() || Number.getAsInteger(10, Count))
      Chip = Item;
    if (Error E = checkChip(Chip))
      return std::move(E);
    if (Count == 0 || Count > emu::MaxDevices - M.Devices.size())
      return makeError("'{0}': a machine has 1 to {1} devices", Item.str(),
                       emu::MaxDevices);
    for (unsigned I = 0; I != Count; ++I) {
      MachineDevice D;
      D.Index = M.Devices.size();
      D.Chip = Chip.str();
      M.Devices.push_back(std::move(D));
    }
  }
  return M;
}

Expected<Machine> Machine::readFile(StringRef Path) {
  auto File = MemoryBuffer::getFile(Path, /*IsText=*/true);
  if (!File)
    return makeError("{0}: {1}", Path.str(), File.getError().message());
  Expected<Machine> Read = parseJSON((*File)->getBuffer());
  if (!Read)
    return makeError("{0}: {1}", Path.str(), toString(Read.takeError()));
  return Read;
}

Expected<Machine> Machine::fromEnvironment() {
  const char *List = std::getenv("HEDDLE_DEVICES");
  if (List && *List) {
    Expected<Machine> M = parse(List);
    if (!M)
      return makeError("HEDDLE_DEVICES: {0}", toString(M.takeError()));
    return M;
  }
  Machine One;
  if (const char *Chip = std::getenv("HEDDLE_CHIP"))
    One.Devices.front().Chip = Chip;
  return One;
}

std::vector<unsigned> Machine::visible(std::optional<StringRef> List) const {
  std::vector<unsigned> Seen;
  if (!List) {
    for (const MachineDevice &D : Devices)
      Seen.push_back(D.Index);
    return Seen;
  }
  for (StringRef Item : split(*List, ',')) {
    Item = Item.trim();
    auto Found = find_if(Devices, [&](const MachineDevice &D) {
      unsigned Index;
      return Item.getAsInteger(10, Index)
                 ? Item.size() > 4 && StringRef(D.uuidText()).starts_with(Item)
                 : Index == D.Index;
    });
    // A device that is named twice makes the list invalid.
    if (Found == Devices.end() || is_contained(Seen, Found->Index))
      break;
    Seen.push_back(Found->Index);
  }
  return Seen;
}

} // namespace heddle::fabric
