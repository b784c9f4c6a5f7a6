//===- Profiles.cpp - How chips can be divided ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the table.
//
//===----------------------------------------------------------------------===//

#include "heddle/Partitions/Partitions.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace heddle::partitions {

namespace {
enum class DivisionKind {
#define HEDDLE_DIVISION(Name, ComputeSlices, MemorySlices) Name,
#include "heddle/Partitions/Profiles.def"
};
} // namespace

Division divisionOf(StringRef Chip) {
  auto Kind = StringSwitch<DivisionKind>(Chip)
#define HEDDLE_DIVIDED_CHIP(Chip, Name) .Case(Chip, DivisionKind::Name)
#include "heddle/Partitions/Profiles.def"
                  .Default(DivisionKind::DataCentre);
  Division By = {};
#define HEDDLE_DIVISION(Name, Compute, Memory)                                 \
  if (Kind == DivisionKind::Name) {                                            \
    By.ComputeSlices = Compute;                                                \
    By.MemorySlices = Memory;                                                  \
  }
#define HEDDLE_PROFILE(Name, Id, Compute, Memory, ...)                         \
  if (Kind == DivisionKind::Name) {                                            \
    static constexpr unsigned Starts[] = {__VA_ARGS__};                        \
    By.Profiles.push_back({Id, Compute, Memory, Starts});                      \
  }
#include "heddle/Partitions/Profiles.def"
  return By;
}

const Profile *Division::find(unsigned Id) const {
  auto It = find_if(Profiles, [=](const Profile &P) { return P.Id == Id; });
  return It == Profiles.end() ? nullptr : It;
}

const Profile *Division::ofSlices(unsigned ComputeSlices) const {
  auto It = find_if(Profiles, [=](const Profile &P) {
    return P.ComputeSlices == ComputeSlices;
  });
  return It == Profiles.end() ? nullptr : It;
}

} // namespace heddle::partitions
