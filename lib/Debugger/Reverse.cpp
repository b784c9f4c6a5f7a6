//===- Reverse.cpp - Going back ---------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A grid goes back by running once more from its start to an earlier step. What
// step that is, is found out by a run up to now that is looked at.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::debug {

using emu::GridEvent;

/// What the thread in focus has executed so far, in the order of time.
Expected<std::vector<DebugSession::Past>> DebugSession::pastOfFocus() {
  std::vector<Past> Result;
  Focus F = *At;
  std::string Why = Grid->replay([&](const GridEvent &E) {
    if (!(E.At == F.Warp) || !(E.Group >> F.Lane & 1))
      return;
    Result.push_back({Grid->steps(), E.PC, uint32_t(depthOf(F, E.PC))});
  });
  if (!Why.empty())
    return createStringError("cannot go back: " + Why);
  return Result;
}

Error DebugSession::goBackTo(uint64_t Step) {
  std::string Why = Grid->rewind(Step);
  if (!Why.empty())
    return createStringError("cannot go back: " + Why);
  if (!Grid->has(At->Warp))
    return createStringError("the warp had not begun then");
  SelectedFrame = 0;
  sayFocus();
  return Error::success();
}

Expected<std::vector<DebugSession::Past>>
DebugSession::pastForStep(StringRef Arguments, uint64_t &Count) {
  if (Error E = needGrid())
    return std::move(E);
  if (!Arguments.empty() && Arguments.getAsInteger(0, Count))
    return createStringError("a step takes a number of steps");
  return pastOfFocus();
}

Error DebugSession::commandReverseStepi(StringRef Arguments) {
  uint64_t Count = 1;
  Expected<std::vector<Past>> All = pastForStep(Arguments, Count);
  if (!All)
    return All.takeError();
  if (All->empty())
    return createStringError("this is the beginning of the thread");
  size_t Steps = All->size();
  if (Error E = goBackTo((*All)[Steps - std::min<uint64_t>(Count, Steps)].Step))
    return E;
  if (Count > Steps)
    print("\nNo more reverse-execution history.\n");
  showStop(/*WithFrame=*/false);
  return Error::success();
}

/// Goes back to where the line begins that is executed now or, at a beginning,
/// the line before.
Error DebugSession::backOverLines(StringRef Arguments, bool Over) {
  uint64_t Count = 1;
  Expected<std::vector<Past>> All = pastForStep(Arguments, Count);
  if (!All)
    return All.takeError();
  uint32_t Depth = depth();
  size_t N = All->size();
  auto LineAt = [&](size_t Index) {
    auto Line = Code->lineOf((*All)[Index].PC);
    return Line ? std::make_pair(Line->File, Line->Line)
                : std::make_pair(StringRef(), 0u);
  };
  for (; Count && N > 0; --Count) {
    // What has no line, and with Over what the function called, is passed.
    auto Passes = [&](size_t Index) {
      return LineAt(Index).second == 0 || (Over && (*All)[Index].Depth > Depth);
    };
    while (N > 0 && Passes(N - 1))
      --N;
    if (N == 0)
      break;
    auto Line = LineAt(--N);
    uint32_t LineDepth = (*All)[N].Depth;
    while (N > 0 && (Passes(N - 1) || (LineAt(N - 1) == Line &&
                                       (*All)[N - 1].Depth == LineDepth)))
      --N;
    while (Passes(N))
      ++N;
    Depth = LineDepth;
  }
  if (N == All->size())
    return createStringError("this is the beginning of the thread");
  if (Error E = goBackTo((*All)[N].Step))
    return E;
  if (Count)
    print("\nNo more reverse-execution history.\n");
  showStop(/*WithFrame=*/Count != 0);
  return Error::success();
}

Error DebugSession::commandReverseStep(StringRef Arguments) {
  return backOverLines(Arguments, /*Over=*/false);
}
Error DebugSession::commandReverseNext(StringRef Arguments) {
  return backOverLines(Arguments, /*Over=*/true);
}

Error DebugSession::commandReverseFinish(StringRef) {
  if (Error E = needGrid())
    return E;
  size_t Depth = depth();
  if (Depth <= 1)
    return createStringError("\"finish\" not meaningful in the outermost "
                             "frame.");
  Expected<std::vector<Past>> All = pastOfFocus();
  if (!All)
    return All.takeError();
  size_t N = All->size();
  while (N > 0 && (*All)[N - 1].Depth >= Depth)
    --N;
  if (N == 0)
    return createStringError("the caller has not been seen");
  if (Error E = goBackTo((*All)[N - 1].Step))
    return E;
  showStop(/*WithFrame=*/true);
  return Error::success();
}

/// The last watchpoint whose value the step behind \p E has changed, of those
/// on what is in registers; \p Values is what they had.
std::optional<unsigned> DebugSession::followedSince(const GridEvent &E,
                                                    PastValues &Values) {
  std::optional<unsigned> Result;
  for (const Breakpoint &B : Breakpoints) {
    if (!B.Followed || !B.Enabled)
      continue;
    const Focus &Of = B.Followed->Of;
    bool WasItsStep = E.At == Of.Warp && E.Group >> Of.Lane & 1;
    auto It = Values.find(B.Number);
    if (It != Values.end() && !WasItsStep)
      continue;
    std::optional<Value> Now = valueOf(*B.Followed);
    if (!Now)
      continue;
    if (It == Values.end()) {
      Values[B.Number] = {Of.Lane, std::move(*Now)};
      continue;
    }
    if (It->second.Now.Bytes != Now->Bytes &&
        laneFor(B, Of.Warp, 1u << Of.Lane))
      Result = B.Number;
    It->second.Now = std::move(*Now);
  }
  return Result;
}

/// Runs up to now once more, and finds where a breakpoint or a change of what
/// is watched would have stopped last. With an error, how it ends is not known.
Expected<std::optional<DebugSession::LastStop>> DebugSession::lastStop() {
  std::optional<LastStop> Last;
  // What watched bytes held, and who ran since.
  std::vector<std::pair<const Breakpoint *, std::vector<uint8_t>>> Watched;
  for (const Breakpoint &B : Breakpoints)
    if (B.Kind == Breakpoint::Watch && B.Enabled && !B.Followed &&
        B.Range.On & emu::WatchRange::Write)
      Watched.push_back({&B, {}});
  PastValues Followed;
  GridEvent Before;
  auto Look = [&](uint64_t Steps) {
    for (auto &[B, Bytes] : Watched) {
      std::vector<uint8_t> Now(B->Range.Bytes);
      const emu::WatchRange &R = B->Range;
      if (!Grid->read(R.Space, R.Of, R.Lane, R.Address, Now))
        Now.clear();
      if (!Bytes.empty() && !Now.empty() && Bytes != Now)
        if (auto Lane = laneFor(*B, Before.At,
                                Before.Exec ? Before.Exec : Before.Group))
          Last = {Steps - 1, Before.At, *Lane, B->Number};
      Bytes = std::move(Now);
    }
    if (auto Number = followedSince(Before, Followed))
      Last = {Steps - 1, Before.At, Followed.at(*Number).Lane, *Number};
  };
  std::string Why = Grid->replay([&](const GridEvent &E) {
    Look(Grid->steps());
    Before = E;
    for (const Breakpoint &B : Breakpoints)
      if (auto Lane = laneFor(B, E.At, lanesAt(B, E)))
        Last = {Grid->steps(), E.At, *Lane, B.Number};
  });
  if (!Why.empty())
    return createStringError("cannot go back: " + Why);
  Look(Grid->steps());
  return Last;
}

Error DebugSession::commandReverseContinue(StringRef) {
  if (Error E = needGrid())
    return E;
  Expected<std::optional<LastStop>> Last = lastStop();
  if (!Last)
    return Last.takeError();
  std::string Why = Grid->rewind(*Last ? (*Last)->Step : 0);
  if (!Why.empty())
    return createStringError("cannot go back: " + Why);
  if (!*Last) {
    print("\nNo more reverse-execution history.\n");
    if (!Grid->has(At->Warp))
      setFocus({Grid->ctas().front().Number, 0}, 0);
    sayFocus();
    showStop(/*WithFrame=*/true);
    return Error::success();
  }
  setFocus((*Last)->Warp, (*Last)->Lane);
  sayFocus();
  for (const Breakpoint &B : Breakpoints)
    if (B.Number == (*Last)->Number)
      print(B.Kind == Breakpoint::Watch
                ? "\nWatchpoint " + Twine(B.Number) + ": " + B.Spec +
                      "\nIt is about to change.\n"
                : "\nBreakpoint " + Twine(B.Number) + ", ");
  showStop(/*WithFrame=*/true);
  return Error::success();
}

} // namespace heddle::debug
