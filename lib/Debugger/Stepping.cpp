//===- Stepping.cpp - Running by instructions and lines ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps let the warp of the focus run. Where it has diverged, other lanes of it
// may have to run first; a step ends when the thread in focus has taken it.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"

#include <bit>

using namespace llvm;

namespace heddle::debug {

using emu::GridEvent;
using emu::LaneState;

/// How many frames a thread has that stands at \p PC.
size_t DebugSession::depthOf(const Focus &F, uint32_t PC) const {
  size_t Depth = Code->depthOf(PC);
  for (uint32_t Call : Grid->calls(F.Warp, F.Lane))
    Depth += Code->depthOf(Call);
  return Depth;
}

size_t DebugSession::depth() const { return depthOf(*At, pcOfFocus()); }

/// The line in which the focus stands, if it has one.
std::optional<std::pair<std::string, uint32_t>> DebugSession::lineHere() const {
  auto Line = Code->lineOf(pcOfFocus());
  if (!Line)
    return std::nullopt;
  return std::make_pair(Line->File.str(), Line->Line);
}

/// Lets the thread in focus execute an instruction.
DebugSession::StepResult DebugSession::stepInstruction() {
  emu::ResumeRequest R =
      request(FreezesOthers ? std::optional(At->Warp) : std::nullopt);
  std::vector<emu::WatchRange> Ranges = watchedRanges();
  R.Watches = Ranges;
  R.MaxSteps = 1;
  for (uint64_t N = 0;; ++N) {
    constexpr uint64_t StepsBetweenLooks = 1 << 16;
    if (N % StepsBetweenLooks == StepsBetweenLooks - 1 && C.wantsInterrupt()) {
      print("\nInterrupted.\n");
      showStop(/*WithFrame=*/true);
      return StepResult::Stopped;
    }
    GridEvent E = resumeGrid(R);
    R.Past.reset();
    if (E.Kind == GridEvent::WarpOver)
      return StepResult::Exited;
    if (E.Kind == GridEvent::Steps && stopsAtFollowed(E))
      return StepResult::Stopped;
    if (E.Kind != GridEvent::Steps) {
      if (stopsAt(E))
        return StepResult::Stopped;
      continue;
    }
    bool Took = E.At == At->Warp && E.Group >> At->Lane & 1;
    if (!Grid->has(At->Warp))
      return StepResult::Exited;
    LaneState Now = Grid->lane(At->Warp, At->Lane).State;
    if (Now == LaneState::Exited) {
      // Another thread of the warp is looked at, if there is one.
      for (unsigned L = 0; L < 32; ++L)
        if (Grid->lane(At->Warp, L).State > LaneState::Exited) {
          setFocus(At->Warp, L);
          sayFocus();
          return StepResult::Done;
        }
      return StepResult::Exited;
    }
    if (Took)
      return StepResult::Done;
  }
}

/// Runs until no more than so many frames are left.
DebugSession::StepResult DebugSession::runToDepth(size_t Depth) {
  while (depth() > Depth)
    if (StepResult R = stepInstruction(); R != StepResult::Done)
      return R;
  return StepResult::Done;
}

/// Lets the thread in focus come to the beginning of another line.
DebugSession::StepResult DebugSession::stepLine(bool Over) {
  size_t Depth = depth();
  auto From = lineHere();
  unsigned Lane = At->Lane;
  while (true) {
    StepResult R = stepInstruction();
    if (R == StepResult::Done && Over && depth() > Depth)
      R = runToDepth(Depth);
    if (R != StepResult::Done || At->Lane != Lane)
      return R;
    auto Now = lineHere();
    size_t NowDepth = depth();
    if (NowDepth < Depth) { // Back in the middle of a line of the caller.
      Depth = NowDepth;
      if (Now)
        From = Now;
      continue;
    }
    if (Now && (Now != From || NowDepth > Depth))
      return NowDepth > Depth ? stepPrologue() : R;
  }
}

/// Lets the thread in focus come to where a function that it has just called
/// has put its arguments.
DebugSession::StepResult DebugSession::stepPrologue() {
  uint32_t To = Code->behindPrologue(pcOfFocus());
  while (pcOfFocus() < To)
    if (StepResult R = stepInstruction(); R != StepResult::Done)
      return R;
  return StepResult::Done;
}

/// Says where a command that stepped has come to.
void DebugSession::afterStep(StepResult R, bool WithFrame) {
  if (R == StepResult::Exited && !IsOver) {
    // As NVIDIA's debuggers do behind the last line.
    print("[The warp has exited; the kernel runs on]\n");
    return go();
  }
  if (R == StepResult::Done)
    showStop(WithFrame);
}

Error DebugSession::stepMany(StringRef Arguments, bool Over, bool Instruction) {
  if (Error E = needRunning())
    return E;
  uint64_t Count = 1;
  if (!Arguments.empty() && Arguments.getAsInteger(0, Count))
    return createStringError("a step takes a number of steps");
  size_t Before = depth();
  std::string Function = frames().front().Where.Function;
  StepResult R = StepResult::Done;
  for (uint64_t N = 0; N < Count && R == StepResult::Done; ++N) {
    size_t Depth = depth();
    R = Instruction ? stepInstruction() : stepLine(Over);
    if (Instruction && Over && R == StepResult::Done)
      R = runToDepth(Depth);
  }
  bool InOther =
      R == StepResult::Done &&
      (depth() != Before || frames().front().Where.Function != Function);
  afterStep(R, InOther);
  return Error::success();
}

Error DebugSession::commandStep(StringRef Arguments) {
  return stepMany(Arguments, /*Over=*/false, /*Instruction=*/false);
}
Error DebugSession::commandNext(StringRef Arguments) {
  return stepMany(Arguments, /*Over=*/true, /*Instruction=*/false);
}
Error DebugSession::commandStepi(StringRef Arguments) {
  return stepMany(Arguments, /*Over=*/false, /*Instruction=*/true);
}
Error DebugSession::commandNexti(StringRef Arguments) {
  return stepMany(Arguments, /*Over=*/true, /*Instruction=*/true);
}

Error DebugSession::commandFinish(StringRef) {
  if (Error E = needRunning())
    return E;
  std::vector<Frame> All = frames();
  if (SelectedFrame + 1 >= All.size())
    return createStringError("\"finish\" not meaningful in the outermost "
                             "frame.");
  print("Run till exit from #" + Twine(SelectedFrame) + "  " +
        frameText(All[SelectedFrame]) + "\n");
  afterStep(runToDepth(All.size() - SelectedFrame - 1), /*WithFrame=*/true);
  return Error::success();
}

Error DebugSession::commandAdvance(StringRef Arguments) {
  if (Error E = needRunning())
    return E;
  if (Arguments.empty())
    return createStringError("advance takes a location");
  bool MayCome = false;
  Expected<std::vector<CodePlace>> Places = findPlaces(Arguments, MayCome);
  if (!Places)
    return Places.takeError();
  for (CodePlace P : *Places)
    if (P.In == Code)
      Temporary.push_back(P.PC);
  StopsChanged = true;
  go();
  Temporary.clear();
  StopsChanged = true;
  return Error::success();
}

Error DebugSession::commandUntil(StringRef Arguments) {
  if (Error E = needRunning())
    return E;
  if (!Arguments.empty())
    return commandAdvance(Arguments);
  uint32_t From = pcOfFocus();
  size_t Depth = depth();
  StepResult R;
  do
    R = stepLine(/*Over=*/true);
  while (R == StepResult::Done && depth() == Depth && pcOfFocus() <= From);
  afterStep(R, /*WithFrame=*/false);
  return Error::success();
}

} // namespace heddle::debug
