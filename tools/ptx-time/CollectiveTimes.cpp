//===- CollectiveTimes.cpp - Times of collectives, as a table ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lists of ranks and sizes, and a row for each of them.
//
//===----------------------------------------------------------------------===//

#include "CollectiveTimes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace heddle::fabric;

namespace heddle::timing {

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

template <typename T>
static Expected<T> namedValue(StringRef Option, StringRef Name,
                              unsigned Count) {
  if (std::optional<T> Found = valueOf<T>(Name, Count))
    return *Found;
  std::string Names;
  for (unsigned I = 0; I != Count; ++I)
    Names += (I ? ", " : "") + nameOf(static_cast<T>(I)).str();
  return createStringError(Option + ": '" + Name + "' is none of " + Names);
}

Error CollectiveOptions::setCollectives(StringRef Text) {
  Collectives.clear();
  for (StringRef Name : split(Text, ',')) {
    if (Name == "all") {
      for (unsigned I = 0; I != NumCollectives; ++I)
        Collectives.push_back(static_cast<Collective>(I));
      continue;
    }
    auto C = namedValue<Collective>("--collective", Name, NumCollectives);
    if (!C)
      return C.takeError();
    Collectives.push_back(*C);
  }
  return Error::success();
}

Error CollectiveOptions::setRanks(StringRef Text) {
  Groups.clear();
  for (StringRef Item : split(Text, ','))
    Groups.push_back(Item.trim().str());
  return Error::success();
}

static constexpr uint64_t MostBytes = uint64_t(1) << 50;

/// Bytes, or units of 2^10, 2^20 or 2^30 of them.
static Expected<uint64_t> parseSize(StringRef Text) {
  uint64_t Unit = 1, Number = 0;
  StringRef Digits = Text;
  if (Digits.consume_back("K"))
    Unit = uint64_t(1) << 10;
  else if (Digits.consume_back("M"))
    Unit = uint64_t(1) << 20;
  else if (Digits.consume_back("G"))
    Unit = uint64_t(1) << 30;
  if (Digits.getAsInteger(10, Number) || !Number || Number > MostBytes / Unit)
    return createStringError("--size: '" + Text +
                             "' is no number of bytes, as in 8, 32K, 1M or 4G");
  return Number * Unit;
}

/// From a size to another one, each some times as large as the one before.
static Error appendRange(StringRef Text, std::vector<uint64_t> &Sizes) {
  auto [Range, FactorText] = Text.split('*');
  auto [FirstText, LastText] = Range.split("..");
  uint64_t Factor = 4;
  if (Text.contains('*') &&
      (FactorText.getAsInteger(10, Factor) || Factor < 2 || Factor > 1024))
    return createStringError("--size: '" + Text +
                             "': a factor from 2 to 1024 is wanted behind '*'");
  Expected<uint64_t> First = parseSize(FirstText);
  if (!First)
    return First.takeError();
  Expected<uint64_t> Last = parseSize(LastText);
  if (!Last)
    return Last.takeError();
  if (*First > *Last)
    return createStringError("--size: '" + Text +
                             "': the second size is below the first");
  for (uint64_t Size = *First; Size <= *Last; Size *= Factor)
    Sizes.push_back(Size);
  return Error::success();
}

Error CollectiveOptions::setSizes(StringRef Text) {
  Sizes.clear();
  for (StringRef Item : split(Text, ',')) {
    Item = Item.trim();
    if (Item.contains("..")) {
      if (Error E = appendRange(Item, Sizes))
        return E;
      continue;
    }
    Expected<uint64_t> Size = parseSize(Item);
    if (!Size)
      return Size.takeError();
    Sizes.push_back(*Size);
  }
  return Error::success();
}

Error CollectiveOptions::setAlgorithm(StringRef Text) {
  return namedValue<fabric::Algorithm>("--algorithm", Text, NumAlgorithms)
      .moveInto(Algorithm);
}

Error CollectiveOptions::setProtocol(StringRef Text) {
  return namedValue<fabric::Protocol>("--protocol", Text, NumProtocols)
      .moveInto(Protocol);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

namespace {

struct Row {
  Collective C;
  Group G;
  uint64_t Bytes;
  CollectiveTime Time;

  double algorithmBandwidth() const {
    return Time.total() > 0 ? Bytes / Time.total() / 1e3 : 0;
  }
  double busBandwidth() const {
    return algorithmBandwidth() * busFactor(C, G.ranks());
  }
};

} // namespace

/// The fastest way of those that are wanted.
static Expected<CollectiveTime> chooseWay(const CollectiveOptions &O,
                                          const CollectiveModel &Model,
                                          Collective C, Group G,
                                          uint64_t Bytes) {
  SmallVector<CollectiveTime> Ways =
      Model.ways(C, G, Bytes, O.DevicesPerThread);
  if (G.ranks() > 1)
    erase_if(Ways, [&](const CollectiveTime &T) {
      return (O.Algorithm && T.Way != *O.Algorithm) ||
             (O.Protocol && T.Messages != *O.Protocol);
    });
  if (!Ways.empty())
    return fastest(Ways);
  std::string Wanted;
  if (O.Algorithm)
    Wanted += (" " + nameOf(*O.Algorithm)).str();
  if (O.Protocol)
    Wanted += (" " + nameOf(*O.Protocol)).str();
  return createStringError(Twine(nameOf(C)) + " of " + Twine(G.Hosts) + "x" +
                           Twine(G.DevicesPerHost) +
                           " devices of this machine has no way by" + Wanted);
}

static Expected<std::vector<Row>> makeRows(const CollectiveOptions &O,
                                           const CollectiveModel &Model) {
  SmallVector<Group> Groups;
  for (const std::string &Text : O.Groups) {
    Expected<Group> G = Model.parseGroup(Text);
    if (!G)
      return createStringError("--ranks: " + toString(G.takeError()));
    Groups.push_back(*G);
  }
  if (Groups.empty())
    Groups = Model.usualGroups();
  std::vector<Row> Rows;
  for (Collective C : O.Collectives)
    for (Group G : Groups) {
      if (O.DevicesPerThread > G.DevicesPerHost)
        return createStringError("--devices-per-thread: a host has " +
                                 Twine(G.DevicesPerHost) + " ranks");
      for (uint64_t Bytes : O.Sizes) {
        Expected<CollectiveTime> T = chooseWay(O, Model, C, G, Bytes);
        if (!T)
          return T.takeError();
        Rows.push_back({C, G, Bytes, *T});
      }
    }
  return Rows;
}

static void printTable(raw_ostream &OS, ArrayRef<Row> Rows) {
  OS << "collective      ranks  hosts          bytes      time us   algbw GB/s "
        "  busbw GB/s  algorithm  protocol  limit\n";
  for (const Row &R : Rows) {
    OS << left_justify(nameOf(R.C), 15)
       << format("%6u %6u %14llu %12.2f %12.2f %12.2f  ", R.G.ranks(),
                 R.G.Hosts, static_cast<unsigned long long>(R.Bytes),
                 R.Time.total(), R.algorithmBandwidth(), R.busBandwidth());
    if (R.G.ranks() == 1)
      OS << left_justify("-", 11) << left_justify("-", 10);
    else
      OS << left_justify(nameOf(R.Time.Way), 11)
         << left_justify(nameOf(R.Time.Messages), 10);
    OS << nameOf(R.Time.limit()) << "\n";
  }
}

static void printJSON(raw_ostream &OS, StringRef File, ArrayRef<Row> Rows) {
  json::Array List;
  for (const Row &R : Rows) {
    json::Object Item{{"collective", nameOf(R.C)},
                      {"ranks", R.G.ranks()},
                      {"hosts", R.G.Hosts},
                      {"bytes", R.Bytes},
                      {"time_us", R.Time.total()},
                      {"latency_us", R.Time.Latency},
                      {"transfer_us", R.Time.Transfer},
                      {"fill_us", R.Time.Fill},
                      {"algorithm_gb_per_second", R.algorithmBandwidth()},
                      {"bus_gb_per_second", R.busBandwidth()},
                      {"limit", nameOf(R.Time.limit())}};
    if (R.G.ranks() > 1) {
      Item["algorithm"] = nameOf(R.Time.Way);
      Item["protocol"] = nameOf(R.Time.Messages);
    }
    List.push_back(std::move(Item));
  }
  OS << formatv("{0:2}\n",
                json::Value(json::Object{{"machine", File},
                                         {"collectives", std::move(List)}}));
}

Error printCollectiveTimes(raw_ostream &OS, const CollectiveOptions &Given,
                           bool AsJSON) {
  CollectiveOptions O = Given;
  if (O.Collectives.empty())
    O.Collectives = {Collective::AllReduce};
  if (O.Sizes.empty())
    cantFail(O.setSizes("1K..4G"));
  Expected<Machine> M = Machine::readFile(O.MachineFile);
  if (!M)
    return M.takeError();
  CollectiveModel Model(std::move(*M));
  Expected<std::vector<Row>> Rows = makeRows(O, Model);
  if (!Rows)
    return Rows.takeError();
  if (AsJSON)
    printJSON(OS, O.MachineFile, *Rows);
  else
    printTable(OS, *Rows);
  return Error::success();
}

} // namespace heddle::timing
