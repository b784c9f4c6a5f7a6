//===- RecordStore.cpp - What searches found, in the cache ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keys and classes of tuning records.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/RecordStore.h"

#include <bit>
#include <map>

namespace heddle::tuning {

/// Changes when the meaning of keys or the form of records does.
static constexpr std::string_view Schema = "heddle-tuning-1";

/// A configuration without decisions: the compiler's own are the best known.
static constexpr std::string_view Untuned = "{}";

LaunchClass::LaunchClass(uint64_t ThreadsPerCTA, uint64_t CTAs) : CTAs(1) {
  constexpr uint64_t Fewest = 32, Most = 1024, Step = 8;
  Threads = std::bit_ceil(std::clamp(ThreadsPerCTA, Fewest, Most));
  // 1, 8, 64, 512 and 4096 CTAs or more.
  for (unsigned I = 0; I != 4 && CTAs >= this->CTAs * Step; ++I)
    this->CTAs *= Step;
}

std::string LaunchClass::str() const {
  if (isAny())
    return "any";
  return "t" + std::to_string(Threads) + "-c" + std::to_string(CTAs);
}

cache::Key RecordStore::keyOf(const KernelText &Kernel, std::string_view Chip,
                              const LaunchClass &Launch) const {
  cache::KeyFields Fields;
  Fields.add("schema", Schema)
      .add("build", Build)
      .add("chip", Chip)
      .add("launch", Launch.str())
      .add("kernel", Kernel.Name);
  return {cache::EntryKind::TuningRecord, Fields, Kernel.Text};
}

std::optional<Record> RecordStore::find(const KernelText &Kernel,
                                        std::string_view Chip,
                                        const LaunchClass &Launch,
                                        bool AskRemotes) const {
  cache::Key K = keyOf(Kernel, Chip, Launch);
  cache::Outcome O =
      AskRemotes ? C.getOrMake(K, [] { return cache::Made(); }) : C.lookup(K);
  if (!O.Value)
    return std::nullopt;
  return Record{O.Value->Code, O.Value->Metadata};
}

void RecordStore::insert(const KernelText &Kernel, std::string_view Chip,
                         const LaunchClass &Launch, const Record &R) const {
  C.insert(keyOf(Kernel, Chip, Launch),
           std::make_shared<cache::Entry>(
               cache::Entry{R.History, {}, R.Configuration}));
}

std::string RecordStore::document(const std::vector<KernelText> &Kernels,
                                  std::string_view Chip,
                                  const LaunchClass &Launch,
                                  bool AskRemotes) const {
  std::map<std::string_view, std::string> Found;
  for (const KernelText &Kernel : Kernels) {
    std::optional<Record> R = find(Kernel, Chip, Launch, AskRemotes);
    if (!R && !Launch.isAny())
      R = find(Kernel, Chip, {}, AskRemotes);
    if (R && R->Configuration != Untuned)
      Found[Kernel.Name] = std::move(R->Configuration);
  }
  if (Found.empty())
    return {};
  // Names in PTX need no escapes in JSON. The order is that of
  // Document::str().
  std::string Text = "{\"heddle_tuning\":1,\"kernels\":{";
  for (const auto &[Name, Configuration] : Found) {
    if (Text.back() != '{')
      Text += ',';
    Text += '"';
    Text += Name;
    Text += "\":";
    Text += Configuration;
  }
  return Text + "}}";
}

} // namespace heddle::tuning
