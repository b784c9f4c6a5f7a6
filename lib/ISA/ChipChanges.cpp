//===- ChipChanges.cpp - A chip with other figures --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads changes of a chip's figures, and makes them.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/ChipChanges.h"

#include <charconv>
#include <cmath>
#include <deque>
#include <mutex>

namespace heddle::isa {

static constexpr ChipFigure Figures[] = {
#define HEDDLE_CHIP_FIGURE(Field, Name, Least, Most, Meaning)                  \
  {Name, Meaning, &ChipInfo::Field, Least, Most},
#define HEDDLE_CHIP_INTERVAL(Class, Name, Least, Most, Meaning)                \
  {Name, Meaning, nullptr, Least, Most, LatencyClass::Class},
#include "heddle/ISA/ChipFigures.def"
};

std::span<const ChipFigure> chipFigures() { return Figures; }

uint32_t ChipFigure::of(const ChipInfo &Chip) const {
  return Field ? Chip.*Field : Chip.Timings[size_t(Class)].Interval;
}

/// Gives \p Chip timings of its own, in which \p Class has another interval.
static void setInterval(ChipInfo &Chip, LatencyClass Class, uint16_t Interval) {
  static std::mutex Lock;
  static std::deque<std::vector<ClassTiming>> Changed;
  std::scoped_lock Guard(Lock);
  std::vector<ClassTiming> &Timings =
      Changed.emplace_back(Chip.Timings.begin(), Chip.Timings.end());
  Timings[size_t(Class)].Interval = Interval;
  Chip.Timings = Timings;
}

static const ChipFigure *findFigure(std::string_view Name) {
  for (const ChipFigure &F : Figures)
    if (F.Name == Name)
      return &F;
  return nullptr;
}

static std::string unknownFigure(std::string_view Name) {
  std::string Known;
  for (const ChipFigure &F : Figures)
    Known += (Known.empty() ? "" : ", ") + std::string(F.Name);
  return "a chip has no '" + std::string(Name) + "'; there is " + Known;
}

std::optional<std::string> ChipChanges::parseOne(std::string_view Text) {
  size_t Equals = Text.find('=');
  if (Equals == std::string_view::npos)
    return "'" + std::string(Text) +
           "' is no change: it is NAME=VALUE or NAME=FACTORx";
  std::string_view Name = Text.substr(0, Equals);
  std::string_view Value = Text.substr(Equals + 1);
  const ChipFigure *Figure = findFigure(Name);
  if (!Figure)
    return unknownFigure(Name);
  bool IsFactor = Value.ends_with('x');
  if (IsFactor)
    Value.remove_suffix(1);
  double Number = 0;
  auto [End, Fault] =
      std::from_chars(Value.data(), Value.data() + Value.size(), Number);
  if (Fault != std::errc() || End != Value.data() + Value.size() ||
      !std::isfinite(Number) || Number < 0)
    return std::string(Text) + ": '" + std::string(Value) +
           "' is no number from 0 on";
  Changes.push_back({Figure, IsFactor, Number});
  return std::nullopt;
}

std::optional<std::string> ChipChanges::parse(std::string_view Text) {
  for (size_t Begin = 0; Begin <= Text.size();) {
    size_t End = std::min(Text.find(',', Begin), Text.size());
    if (auto Fault = parseOne(Text.substr(Begin, End - Begin)))
      return Fault;
    Begin = End + 1;
  }
  return std::nullopt;
}

std::optional<std::string> ChipChanges::apply(ChipInfo &Chip) const {
  for (const Change &C : Changes) {
    double Before = C.Figure->of(Chip);
    double After = std::round(C.IsFactor ? Before * C.Value : C.Value);
    if (After < C.Figure->Least || After > C.Figure->Most)
      return std::string(C.Figure->Name) + " is from " +
             std::to_string(C.Figure->Least) + " to " +
             std::to_string(C.Figure->Most) + " (" +
             std::string(C.Figure->Meaning) + ")";
    if (C.Figure->Field)
      Chip.*C.Figure->Field = uint32_t(After);
    else
      setInterval(Chip, C.Figure->Class, uint16_t(After));
  }
  // Both are of one memory.
  if (Chip.SharedBytesPerCore > Chip.L1Bytes)
    return "l1-size is at least shared-size: " +
           std::to_string(Chip.SharedBytesPerCore) + " bytes";
  if (Chip.SharedBytesPerCTA > Chip.SharedBytesPerCore)
    return "shared-size is at least what a CTA may have: " +
           std::to_string(Chip.SharedBytesPerCTA) + " bytes";
  return std::nullopt;
}

} // namespace heddle::isa
