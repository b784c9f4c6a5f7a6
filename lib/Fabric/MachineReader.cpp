//===- MachineReader.cpp - Machines as files of JSON ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form is in docs/devices.md. An error has the path of the value in it.
//
//===----------------------------------------------------------------------===//

#include "heddle/Emulator/Emulator.h"
#include "heddle/Fabric/Machine.h"
#include "heddle/Support/JSON.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace heddle::fabric {

template <typename... T> static Error makeError(const char *Format, T... Args) {
  return createStringError(inconvertibleErrorCode(),
                           formatv(Format, Args...).str());
}

static constexpr unsigned MaxHosts = 1 << 16;

namespace {

/// An object of the file with its path.
class ObjectReader {
public:
  ObjectReader(const json::Object &O, std::string Place)
      : O(O), Place(std::move(Place)) {}

  /// An error for a key that is none of these, nor a well-formed "source".
  Error checkKeys(std::initializer_list<StringRef> Known) const {
    for (const auto &[Key, Value] : O) {
      StringRef Name = Key;
      if (Name == "source") {
        if (Error E = checkSource(Value, Known))
          return E;
      } else if (!is_contained(Known, Name)) {
        return makeError("{0}: unknown key '{1}' (known: {2}, source)", Place,
                         Name.str(), join(Known, ", "));
      }
    }
    return Error::success();
  }

  /// A whole number from 1 to Most, if the key is there.
  template <typename T>
  Error readNumber(StringRef Key, uint64_t Most, T &Number) const {
    const json::Value *V = O.get(Key);
    if (!V)
      return Error::success();
    std::optional<uint64_t> Found = V->getAsUINT64();
    if (!Found || *Found == 0 || *Found > Most)
      return makeError("{0}.{1}: a number from 1 to {2} is wanted", Place,
                       Key.str(), Most);
    Number = T(*Found);
    return Error::success();
  }

  /// A rate in 10^9 bytes a second, if the key is there.
  Error readRate(uint64_t &BytesPerSecond) const {
    const json::Value *V = O.get("gb_per_second");
    if (!V)
      return Error::success();
    std::optional<double> Found = V->getAsNumber();
    if (!Found || !(*Found >= 0.001 && *Found <= 100'000))
      return makeError("{0}.gb_per_second: a number from 0.001 to 100000 is "
                       "wanted",
                       Place);
    BytesPerSecond = static_cast<uint64_t>(std::llround(*Found * 1e9));
    return Error::success();
  }

  Error readLatency(StringRef Key, uint32_t &Nanoseconds) const {
    return readNumber(Key, 1'000'000'000, Nanoseconds);
  }

  Error require(StringRef Key) const {
    if (O.get(Key))
      return Error::success();
    return makeError("{0}.{1}: is missing", Place, Key.str());
  }

  const json::Object &O;
  const std::string Place;

private:
  /// Where figures come from: a text, or one for each of some keys.
  Error checkSource(const json::Value &Value, ArrayRef<StringRef> Known) const {
    if (Value.getAsString())
      return Error::success();
    const json::Object *Sources = Value.getAsObject();
    if (!Sources)
      return makeError("{0}.source: a text or an object of texts is wanted",
                       Place);
    for (const auto &[Key, Text] : *Sources) {
      if (!is_contained(Known, StringRef(Key)))
        return makeError("{0}.source: unknown key '{1}' (known: {2})", Place,
                         StringRef(Key).str(), join(Known, ", "));
      if (!Text.getAsString())
        return makeError("{0}.source.{1}: a text is wanted", Place,
                         StringRef(Key).str());
    }
    return Error::success();
  }
};

} // namespace

/// Reads one file.
class MachineReader {
public:
  explicit MachineReader(Machine &M) : M(M) {}

  Error read(const json::Value &Root) {
    const json::Object *O = Root.getAsObject();
    const json::Array *List = O ? O->getArray("devices") : nullptr;
    if (!List || List->empty())
      return makeError("an object with a list 'devices' is wanted");
    if (Error E = ObjectReader(*O, "the machine")
                      .checkKeys({"devices", "links", "switch", "hosts"}))
      return E;
    M.Devices.clear();
    for (auto [I, Value] : enumerate(*List))
      if (Error E = readDevice(Value, formatv("devices[{0}]", I).str()))
        return E;
    if (const json::Value *Links = O->get("links"))
      if (Error E = readLinks(*Links))
        return E;
    if (const json::Value *Switch = O->get("switch"))
      if (Error E = readSwitch(*Switch))
        return E;
    const json::Value *Hosts = O->get("hosts");
    return Hosts ? readHosts(*Hosts) : Error::success();
  }

private:
  Error readDevice(const json::Value &Value, const std::string &Place) {
    const json::Object *O = Value.getAsObject();
    std::optional<StringRef> Chip = O ? O->getString("chip") : std::nullopt;
    if (!Chip)
      return makeError("{0}: an object with a text 'chip' is wanted", Place);
    ObjectReader Reader(*O, Place);
    if (Error E = Reader.checkKeys({"chip", "count", "memory_mb", "clock_mhz"}))
      return E;
    if (Error E = checkChip(*Chip))
      return makeError("{0}: {1}", Place, toString(std::move(E)));
    std::optional<uint64_t> Count, MemoryMB, Clock;
    if (Error E = Reader.readNumber("count", emu::MaxDevices - M.Devices.size(),
                                    Count))
      return E;
    if (Error E = Reader.readNumber("memory_mb", 1 << 20, MemoryMB))
      return E;
    if (Error E = Reader.readNumber("clock_mhz", 100'000, Clock))
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

  Error readLinks(const json::Value &Value) {
    if (!Value.getAsArray())
      return makeError("links: a list is wanted");
    for (auto [I, Link] : enumerate(*Value.getAsArray()))
      if (Error E = readLink(Link, formatv("links[{0}]", I).str()))
        return E;
    return Error::success();
  }

  /// The two devices of a link.
  Error readPair(const json::Object &O, const std::string &Place,
                 Machine::LinkedPair &Pair) {
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
    ObjectReader Reader(*O, Place);
    if (Error E = Reader.checkKeys(
            {"between", "kind", "gb_per_second", "latency_ns"}))
      return E;
    Machine::LinkedPair Pair;
    if (Error E = readPair(*O, Place, Pair))
      return E;
    StringRef Kind = O->get("kind") ? O->getString("kind").value_or("")
                                    : StringRef("nvlink");
    if (Kind != "nvlink" && Kind != "pcie")
      return makeError("{0}.kind: 'nvlink' or 'pcie' is wanted", Place);
    Pair.Link =
        defaultLink(Kind == "nvlink" ? LinkKind::NVLink : LinkKind::PCIe);
    if (Error E = Reader.readRate(Pair.Link.BytesPerSecond))
      return E;
    if (Error E = Reader.readLatency("latency_ns", Pair.Link.LatencyNs))
      return E;
    M.Links.insert(M.Links.begin(), Pair); // The last one counts.
    return Error::success();
  }

  Error readSwitch(const json::Value &Value) {
    const json::Object *O = Value.getAsObject();
    if (!O)
      return makeError("switch: an object is wanted");
    ObjectReader Reader(*O, "switch");
    if (Error E = Reader.checkKeys({"gb_per_second", "latency_ns", "reduces"}))
      return E;
    DeviceSwitch S;
    S.Port = defaultLink(LinkKind::NVLink);
    if (Error E = Reader.readRate(S.Port.BytesPerSecond))
      return E;
    if (Error E = Reader.readLatency("latency_ns", S.Port.LatencyNs))
      return E;
    if (Error E = readFlag(Reader, "reduces", S.Reduces))
      return E;
    M.Switch = S;
    return Error::success();
  }

  static Error readFlag(const ObjectReader &Reader, StringRef Key, bool &Flag) {
    const json::Value *V = Reader.O.get(Key);
    if (!V)
      return Error::success();
    if (!V->getAsBoolean())
      return makeError("{0}.{1}: true or false is wanted", Reader.Place,
                       Key.str());
    Flag = *V->getAsBoolean();
    return Error::success();
  }

  Error readHosts(const json::Value &Value) {
    const json::Object *O = Value.getAsObject();
    if (!O)
      return makeError("hosts: an object is wanted");
    ObjectReader Reader(*O, "hosts");
    if (Error E =
            Reader.checkKeys({"count", "cards", "gb_per_second", "latency_ns",
                              "switch_latency_ns", "rails", "hosts_per_leaf",
                              "oversubscription", "protocols"}))
      return E;
    for (StringRef Key : {"count", "cards", "gb_per_second"})
      if (Error E = Reader.require(Key))
        return E;
    HostNetwork N;
    if (Error E = Reader.readNumber("count", MaxHosts, N.Hosts))
      return E;
    if (Error E = Reader.readNumber("cards", 1024, N.Cards))
      return E;
    if (Error E = Reader.readRate(N.BytesPerSecond))
      return E;
    if (Error E = Reader.readLatency("latency_ns", N.LatencyNs))
      return E;
    if (Error E = readFabric(Reader, N))
      return E;
    M.Network = N;
    return Error::success();
  }

  /// The switches of the network, and what may be sent through them.
  static Error readFabric(const ObjectReader &Reader, HostNetwork &N) {
    if (Error E = Reader.readLatency("switch_latency_ns", N.SwitchLatencyNs))
      return E;
    if (Error E = readFlag(Reader, "rails", N.HasRails))
      return E;
    if (Error E = Reader.readNumber("hosts_per_leaf", MaxHosts, N.HostsPerLeaf))
      return E;
    if (const json::Value *V = Reader.O.get("oversubscription")) {
      std::optional<double> Factor = V->getAsNumber();
      if (!Factor || !(*Factor >= 1 && *Factor <= 1000))
        return makeError("hosts.oversubscription: a number from 1 to 1000 is "
                         "wanted");
      N.Oversubscription = *Factor;
    }
    const json::Value *Protocols = Reader.O.get("protocols");
    return Protocols ? readProtocols(*Protocols, N) : Error::success();
  }

  static Error readProtocols(const json::Value &Value, HostNetwork &N) {
    static constexpr StringLiteral Words[] = {"ll", "ll128", "simple"};
    const json::Array *List = Value.getAsArray();
    if (!List || List->empty())
      return makeError("hosts.protocols: a list is wanted");
    N.Allowed = {};
    for (auto [I, Item] : enumerate(*List)) {
      const auto *Found = find(Words, Item.getAsString().value_or(""));
      if (Found == std::end(Words))
        return makeError("hosts.protocols[{0}]: 'll', 'll128' or 'simple' is "
                         "wanted",
                         I);
      N.Allowed[Found - Words] = true;
    }
    if (!N.allows(Protocol::Simple))
      return makeError("hosts.protocols: 'simple' is one that each network "
                       "has");
    return Error::success();
  }

  Machine &M;
};

Expected<Machine> Machine::parseJSON(StringRef Text) {
  Expected<json::Value> Root = heddle::parseJSON(Text);
  if (!Root)
    return Root.takeError();
  Machine M;
  if (Error E = MachineReader(M).read(*Root))
    return std::move(E);
  return M;
}

} // namespace heddle::fabric
