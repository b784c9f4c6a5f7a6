//===- ActivityLog.cpp - What units do over time ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Samples grow with the launch, and become its profile.
//
//===----------------------------------------------------------------------===//

#include "ActivityLog.h"

#include <utility>

namespace heddle::emu {

/// A launch has fewer samples than twice as many.
static constexpr size_t EnoughSamples = 32;

/// Makes a sample of each two, until \p When is in one.
void ActivityLog::extend(Cycle When) {
  while (When >> Shift >= 2 * EnoughSamples) {
    for (size_t I = 0; I < Samples.size(); ++I)
      if (I % 2 != 0)
        Samples[I / 2] += Samples[I];
      else
        Samples[I / 2] = Samples[I];
    Samples.resize((Samples.size() + 1) / 2);
    ++Shift;
  }
  if (When >> Shift >= Samples.size())
    Samples.resize((When >> Shift) + 1);
}

void ActivityLog::useMatrixPipe(Cycle Begin, uint64_t Cycles) {
  while (Cycles) {
    rt::ActivitySample &In = at(Begin);
    Cycle SampleEnd = ((Begin >> Shift) + 1) << Shift;
    uint64_t Part = std::min(Cycles, SampleEnd - Begin);
    In.MatrixCycles += Part;
    Begin += Part;
    Cycles -= Part;
  }
}

/// What is behind the launch's end, such as the rest of an instruction whose
/// result nobody reads, counts as its last cycle.
rt::ActivityProfile ActivityLog::finish(Cycle Cycles) {
  if (Cycles)
    at(Cycles - 1);
  size_t Count = Cycles ? ((Cycles - 1) >> Shift) + 1 : 0;
  for (size_t I = Count; I < Samples.size() && Count; ++I)
    Samples[Count - 1] += Samples[I];
  Samples.resize(Count);
  return {uint64_t(1) << Shift, std::move(Samples)};
}

} // namespace heddle::emu
