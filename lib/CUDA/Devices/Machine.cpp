//===- Machine.cpp - The devices that there are -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of devices as text and as JSON.
//
//===----------------------------------------------------------------------===//

#include "Devices/Machine.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/ISA/ISA.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

#include <algorithm>
#include <cstdlib>

using namespace llvm;

namespace heddle::cuda {

template <typename... T> static Error makeError(const char *Format, T... Args) {
  return createStringError(inconvertibleErrorCode(),
                           formatv(Format, Args...).str());
}

//===----------------------------------------------------------------------===//
// A device
//===----------------------------------------------------------------------===//

std::array<char, 16> MachineDevice::uuid() const {
  std::array<char, 16> Bytes = {'h', 'e', 'd', 'd', 'l', 'e', '-', 'e',
                                'm', 'u', 'l', 'a', 't', 'o', 'r', 0};
  Bytes.back() = static_cast<char>(Index);
  return Bytes;
}

std::string MachineDevice::uuidText() const {
  std::string Text = "GPU-";
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
static constexpr DeviceLink DirectLink = {LinkKind::NVLink, 450'000'000'000,
                                          700};
static constexpr DeviceLink HostLink = {LinkKind::PCIe, 55'000'000'000, 1500};

DeviceLink Machine::link(unsigned A, unsigned B) const {
  auto [Low, High] = std::minmax(A, B);
  for (const LinkedPair &P : Links)
    if (P.A == Low && P.B == High)
      return P.Link;
  return Devices[A].Chip == Devices[B].Chip ? DirectLink : HostLink;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static Error checkChip(StringRef Name) {
  if (isa::findChip(Name))
    return Error::success();
  std::string Known =
      join(map_range(isa::chips(),
                     [](const isa::ChipInfo &C) { return StringRef(C.Name); }),
           ", ");
  return makeError("unknown chip '{0}' (known: {1})", Name.str(), Known);
}

Expected<Machine> Machine::parse(StringRef Text) {
  if (Text.contains('/') || Text.ends_with(".json")) {
    auto File = MemoryBuffer::getFile(Text, /*IsText=*/true);
    if (!File)
      return makeError("{0}: {1}", Text.str(), File.getError().message());
    Expected<Machine> Read = parseJSON((*File)->getBuffer());
    if (!Read)
      return makeError("{0}: {1}", Text.str(), toString(Read.takeError()));
    return Read;
  }
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

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// Reads one file. An error has the path of the value in it.
class Machine::JSONReader {
public:
  explicit JSONReader(Machine &M) : M(M) {}

  Error read(const json::Value &Root) {
    const json::Object *O = Root.getAsObject();
    const json::Array *List = O ? O->getArray("devices") : nullptr;
    if (!List || List->empty())
      return makeError("an object with a list 'devices' is wanted");
    if (Error E = checkKeys(*O, "the machine", {"devices", "links"}))
      return E;
    M.Devices.clear();
    for (auto [I, Value] : enumerate(*List))
      if (Error E = readDevice(Value, formatv("devices[{0}]", I).str()))
        return E;
    const json::Value *Links = O->get("links");
    if (!Links)
      return Error::success();
    if (!Links->getAsArray())
      return makeError("links: a list is wanted");
    for (auto [I, Value] : enumerate(*Links->getAsArray()))
      if (Error E = readLink(Value, formatv("links[{0}]", I).str()))
        return E;
    return Error::success();
  }

private:
  static Error checkKeys(const json::Object &O, const std::string &Place,
                         std::initializer_list<StringRef> Known) {
    for (const auto &[Key, Value] : O)
      if (!is_contained(Known, StringRef(Key)))
        return makeError("{0}: unknown key '{1}' (known: {2})", Place,
                         StringRef(Key).str(), join(Known, ", "));
    return Error::success();
  }

  /// A number from 1 to Most, if the key is there.
  static Error readNumber(const json::Object &O, const std::string &Place,
                          StringRef Key, uint64_t Most,
                          std::optional<uint64_t> &Number) {
    const json::Value *V = O.get(Key);
    if (!V)
      return Error::success();
    std::optional<uint64_t> Found = V->getAsUINT64();
    if (!Found || *Found == 0 || *Found > Most)
      return makeError("{0}.{1}: a number from 1 to {2} is wanted", Place,
                       Key.str(), Most);
    Number = Found;
    return Error::success();
  }

  Error readDevice(const json::Value &Value, const std::string &Place) {
    const json::Object *O = Value.getAsObject();
    std::optional<StringRef> Chip = O ? O->getString("chip") : std::nullopt;
    if (!Chip)
      return makeError("{0}: an object with a text 'chip' is wanted", Place);
    if (Error E =
            checkKeys(*O, Place, {"chip", "count", "memory_mb", "clock_mhz"}))
      return E;
    if (Error E = checkChip(*Chip))
      return makeError("{0}: {1}", Place, toString(std::move(E)));
    std::optional<uint64_t> Count, MemoryMB, Clock;
    if (Error E = readNumber(*O, Place, "count",
                             emu::MaxDevices - M.Devices.size(), Count))
      return E;
    if (Error E = readNumber(*O, Place, "memory_mb", 1 << 20, MemoryMB))
      return E;
    if (Error E = readNumber(*O, Place, "clock_mhz", 100'000, Clock))
      return E;
    if (M.Devices.size() == emu::MaxDevices)
      return makeError("{0}: a machine has at most {1} devices", Place,
                       emu::MaxDevices);
    MachineDevice D;
    D.Chip = Chip->str();
    if (MemoryMB)
      D.MemoryBytes = *MemoryMB << 20;
    if (Clock)
      D.ClockMHz = *Clock;
    for (uint64_t I = 0; I != Count.value_or(1); ++I) {
      D.Index = M.Devices.size();
      M.Devices.push_back(D);
    }
    return Error::success();
  }

  /// The two devices of a link.
  Error readPair(const json::Object &O, const std::string &Place,
                 LinkedPair &Pair) {
    const json::Array *Between = O.getArray("between");
    std::optional<uint64_t> Ends[2];
    if (Between && Between->size() == 2)
      for (unsigned I : {0, 1})
        Ends[I] = (*Between)[I].getAsUINT64();
    if (!Ends[0] || !Ends[1] || *Ends[0] == *Ends[1] ||
        std::max(*Ends[0], *Ends[1]) >= M.Devices.size())
      return makeError("{0}.between: a list of the numbers of two devices is "
                       "wanted",
                       Place);
    std::tie(Pair.A, Pair.B) = std::minmax<unsigned>(*Ends[0], *Ends[1]);
    return Error::success();
  }

  Error readLink(const json::Value &Value, const std::string &Place) {
    const json::Object *O = Value.getAsObject();
    if (!O)
      return makeError("{0}: an object is wanted", Place);
    if (Error E = checkKeys(*O, Place,
                            {"between", "kind", "gb_per_second", "latency_ns"}))
      return E;
    LinkedPair Pair;
    if (Error E = readPair(*O, Place, Pair))
      return E;
    StringRef Kind = O->getString("kind").value_or("nvlink");
    if (Kind != "nvlink" && Kind != "pcie")
      return makeError("{0}.kind: 'nvlink' or 'pcie' is wanted", Place);
    Pair.Link = Kind == "nvlink" ? DirectLink : HostLink;
    std::optional<uint64_t> Rate, Latency;
    if (Error E = readNumber(*O, Place, "gb_per_second", 100'000, Rate))
      return E;
    if (Error E = readNumber(*O, Place, "latency_ns", 1'000'000'000, Latency))
      return E;
    if (Rate)
      Pair.Link.BytesPerSecond = *Rate * 1'000'000'000;
    if (Latency)
      Pair.Link.LatencyNs = *Latency;
    M.Links.insert(M.Links.begin(), Pair); // The last one counts.
    return Error::success();
  }

  Machine &M;
};

Expected<Machine> Machine::parseJSON(StringRef Text) {
  Expected<json::Value> Root = json::parse(Text);
  if (!Root)
    return Root.takeError();
  Machine M;
  if (Error E = JSONReader(M).read(*Root))
    return std::move(E);
  return M;
}

} // namespace heddle::cuda
