//===- Shares.cpp - What a process may have of a device ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits are figures of the chip that the process sees: so it finds out what it
// has as it would find out about any device.
//
//===----------------------------------------------------------------------===//

#include "Devices/Shares.h"
#include "heddle/ISA/ISA.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

using namespace llvm;

namespace heddle::cuda {

static constexpr char PercentVariable[] = "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE",
                      MemoryVariable[] = "CUDA_MPS_PINNED_DEVICE_MEM_LIMIT",
                      PriorityVariable[] = "CUDA_MPS_CLIENT_PRIORITY";

static Error change(emu::EmulatorOptions &Options, const Twine &Figures,
                    const Twine &Reason) {
  if (std::optional<std::string> Fault = Options.Changes.parse(Figures.str()))
    return createStringError(Reason + ": " + *Fault);
  return Error::success();
}

/// A part has its cores, its memory, and its share of L2 and of the rate of
/// memory.
static Error limitToPart(emu::EmulatorOptions &Options,
                         const fabric::DevicePart &Part) {
  Options.MemoryBytes =
      Options.MemoryBytes / Part.AllMemorySlices * Part.MemorySlices;
  std::string Share =
      std::to_string(double(Part.MemorySlices) / Part.AllMemorySlices) + "x";
  return change(Options,
                "cores=" + Twine(Part.Cores) + ",l2-size=" + Share +
                    ",l2=" + Share + ",dram=" + Share,
                "a part of a device");
}

/// What the process may have of the threads; none if nothing is said of it.
static Expected<std::optional<double>> percentOfThreads() {
  const char *Text = std::getenv(PercentVariable);
  if (!Text || !*Text)
    return std::nullopt;
  double Percent = 0;
  if (StringRef(Text).getAsDouble(Percent) || !(Percent > 0 && Percent <= 100))
    return createStringError(Twine(PercentVariable) + ": '" + Text +
                             "' is no number above 0 and up to 100");
  return Percent;
}

Expected<deviced::Wishes> wishesOfProcess() {
  deviced::Wishes W;
  Expected<std::optional<double>> Percent = percentOfThreads();
  if (!Percent)
    return Percent.takeError();
  if (*Percent)
    W.Percent = std::max(1.0, std::ceil(**Percent));
  const char *Priority = std::getenv(PriorityVariable);
  if (!Priority || !*Priority)
    return W;
  // NVIDIA's: 0 is normal, 1 is below.
  if (StringRef(Priority) != "0" && StringRef(Priority) != "1")
    return createStringError(Twine(PriorityVariable) + " is 0 or 1, not '" +
                             Priority + "'");
  W.IsBelowOthers = StringRef(Priority) == "1";
  return W;
}

/// As many whole cores as hold that part of all threads.
static Error limitCores(emu::EmulatorOptions &Options, unsigned Cores) {
  Expected<std::optional<double>> Percent = percentOfThreads();
  if (!Percent)
    return Percent.takeError();
  if (!*Percent)
    return Error::success();
  unsigned Most = std::ceil(Cores * **Percent / 100);
  return change(Options, "cores=" + Twine(std::clamp(Most, 1u, Cores)),
                PercentVariable);
}

/// A number of bytes such as 512M or 2G.
static std::optional<uint64_t> parseBytes(StringRef Text) {
  unsigned Shift = 0;
  Text.consume_back("B");
  if (Text.consume_back("G"))
    Shift = 30;
  else if (Text.consume_back("M"))
    Shift = 20;
  uint64_t Number = 0;
  if (Shift == 0 || Text.getAsInteger(10, Number) || Number == 0 ||
      Number > UINT64_MAX >> Shift)
    return std::nullopt;
  return Number << Shift;
}

/// The limit of the process's device of that number, in a list such as
/// 0=2G,1=1G.
static Error limitMemory(emu::EmulatorOptions &Options, unsigned Ordinal) {
  const char *List = std::getenv(MemoryVariable);
  if (!List || !*List)
    return Error::success();
  for (StringRef Item : split(List, ',')) {
    auto [Number, Size] = Item.split('=');
    unsigned Device = 0;
    std::optional<uint64_t> Bytes = parseBytes(Size.trim());
    if (Number.trim().getAsInteger(10, Device) || !Bytes)
      return createStringError(Twine(MemoryVariable) + ": '" + Item +
                               "' is no limit of a device, such as 0=512M");
    if (Device == Ordinal)
      Options.MemoryBytes = std::min(Options.MemoryBytes, *Bytes);
  }
  return Error::success();
}

Error limitToShare(emu::EmulatorOptions &Options,
                   const fabric::MachineDevice &Device, unsigned Ordinal) {
  const isa::ChipInfo *Chip = isa::findChip(Device.Chip);
  unsigned Cores = Device.Part ? Device.Part->Cores : Chip ? Chip->Cores : 1;
  if (Device.Part)
    if (Error E = limitToPart(Options, *Device.Part))
      return E;
  if (Error E = limitCores(Options, Cores))
    return E;
  return limitMemory(Options, Ordinal);
}

} // namespace heddle::cuda
