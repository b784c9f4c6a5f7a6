//===- StraightRuns.cpp - Instructions without a branch ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says of each instruction whether the one behind it is next for the group, and
// finds where runs begin.
//
//===----------------------------------------------------------------------===//

#include "StraightRuns.h"
#include "Decoder.h"
#include "Execute/Execute.h"
#include "heddle/ISA/Effects.h"

#include <algorithm>

namespace heddle::emu {

using isa::LatencyClass;

/// The most instructions of a run. A time slice that ends within a run makes
/// its instructions execute one by one.
static constexpr uint32_t MaxLength = 32;

/// Whether the group goes on behind an instruction, unless it is a fault or
/// lanes part, and the instruction neither waits nor looks at the time.
static bool goesOn(const DecodedInst &I) {
  bool IsTime = I.Info->Latency == LatencyClass::S2R && readsTime(I.Imm);
  return isa::effects(I.Info->Operation).Behind != isa::Flow::Any && !IsTime;
}

/// The PCs at which something else than the instruction before may lead.
static std::vector<bool> findEntries(const CodeImage &Image) {
  std::vector<bool> IsEntry(Image.Insts.size());
  for (const CodeSection &Section : Image.Sections)
    if (Section.Count)
      IsEntry[Section.First] = true;
  for (uint32_t PC = 0; PC < Image.Insts.size(); ++PC) {
    const DecodedInst &I = Image.Insts[PC];
    if (!I.Info || !I.Info->operand(isa::Role::tgt))
      continue;
    if (uint32_t Target = PC + uint32_t(I.Offset); Target < IsEntry.size())
      IsEntry[Target] = true;
  }
  return IsEntry;
}

static void count(StraightRuns &Runs, StraightRun &Run, const DecodedInst &I) {
  ++Run.Length;
  Run.Stall += I.Stall;
  auto First = Runs.Classes.begin() + Run.FirstClass;
  auto Found = std::find_if(First, Runs.Classes.end(), [&](const RunClass &C) {
    return C.Class == I.Info->Latency;
  });
  if (Found == Runs.Classes.end()) {
    Runs.Classes.push_back({I.Info->Latency, 1});
    ++Run.NumClasses;
  } else {
    ++Found->Count;
  }
}

StraightRuns findStraightRuns(const CodeImage &Image) {
  StraightRuns Runs;
  uint32_t End = Image.Insts.size();
  Runs.At.resize(End);
  std::vector<bool> IsEntry = findEntries(Image);
  for (uint32_t PC = 0; PC < End;) {
    if (!Image.Insts[PC].Execute) {
      ++PC;
      continue;
    }
    StraightRun &Run = Runs.At[PC];
    Run.FirstClass = Runs.Classes.size();
    bool GoesOn = true;
    while (GoesOn) {
      const DecodedInst &I = Image.Insts[PC++];
      count(Runs, Run, I);
      GoesOn = goesOn(I) && Run.Length < MaxLength && PC < End &&
               Image.Insts[PC].Execute && !IsEntry[PC];
    }
  }
  return Runs;
}

} // namespace heddle::emu
