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

#include "Code/StraightRuns.h"
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

/// By PC from First on, whether something else than the instruction before may
/// lead there.
static std::vector<bool> findEntries(const CodeImage &Image, uint32_t First,
                                     uint32_t End) {
  std::vector<bool> IsEntry(End - First);
  auto Add = [&](uint32_t PC) {
    if (PC >= First && PC < End)
      IsEntry[PC - First] = true;
  };
  for (const CodeSection &Section : Image.Sections)
    if (Section.Count)
      Add(Section.First);
  for (uint32_t PC = First; PC < End; ++PC) {
    const DecodedInst &I = Image.Insts[PC];
    if (I.Info && I.Info->operand(isa::Role::tgt))
      Add(PC + uint32_t(I.Offset));
  }
  return IsEntry;
}

/// Counts an instruction of a run, whose classes are the last ones.
static void count(std::vector<RunClass> &Classes, StraightRun &Run,
                  const DecodedInst &I) {
  ++Run.Length;
  Run.Stall += I.Stall;
  auto First = Classes.end() - Run.NumClasses;
  auto Found = std::find_if(First, Classes.end(), [&](const RunClass &C) {
    return C.Class == I.Info->Latency;
  });
  if (Found == Classes.end()) {
    Classes.push_back({I.Info->Latency, 1});
    ++Run.NumClasses;
  } else {
    ++Found->Count;
  }
}

void findStraightRuns(CodeImage &Image, uint32_t First, uint32_t End) {
  std::vector<RunClass> &Classes = Image.Runs.Classes.emplace_back();
  std::vector<bool> IsEntry = findEntries(Image, First, End);
  for (uint32_t PC = First; PC < End;) {
    if (!Image.Insts[PC].Execute) {
      ++PC;
      continue;
    }
    StraightRun &Run = Image.Runs.At[PC];
    bool GoesOn = true;
    while (GoesOn) {
      const DecodedInst &I = Image.Insts[PC++];
      count(Classes, Run, I);
      GoesOn = goesOn(I) && Run.Length < MaxLength && PC < End &&
               Image.Insts[PC].Execute && !IsEntry[PC - First];
    }
  }
  Classes.shrink_to_fit();
  const RunClass *Next = Classes.data();
  for (uint32_t PC = First; PC != End; ++PC) {
    StraightRun &Run = Image.Runs.At[PC];
    Run.Classes = Next;
    Next += Run.NumClasses;
  }
}

} // namespace heddle::emu
