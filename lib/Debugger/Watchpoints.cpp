//===- Watchpoints.cpp - Values that are watched ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes of memory are watched by the grid, whoever changes them. What is a
// thread's own, in registers or local memory, is evaluated behind each step of
// the thread.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::debug {

using emu::GridEvent;

//===----------------------------------------------------------------------===//
// Making them
//===----------------------------------------------------------------------===//

static StringRef kindOf(uint8_t On) {
  return On == emu::WatchRange::Write  ? "Watchpoint "
         : On == emu::WatchRange::Read ? "Read watchpoint "
                                       : "Access watchpoint ";
}

/// What is to be evaluated to follow \p Spec; none if it names nothing that
/// changes with a thread's steps.
Expected<std::optional<FollowedValue>>
DebugSession::followed(StringRef Spec, std::optional<Value> Now) {
  Expected<Expression> E = Expression::parse(Spec, Types);
  if (!E)
    return E.takeError();
  ThreadScope Here(*this, At);
  bool HasVariables = false, HasRegisters = false;
  E->visit([&](const Node &N) {
    if (N.Kind == Node::Name)
      HasVariables |= declaredType(N.Text) != nullptr;
    else if (N.Kind == Node::Convenience)
      HasRegisters |= Here.isRegister(N.Text);
  });
  if (!HasVariables && !HasRegisters)
    return std::nullopt;
  FollowedValue F;
  F.Of = *At;
  F.What = std::move(*E);
  F.Last = std::move(Now);
  if (HasVariables) {
    std::vector<Frame> All = framesOf(*At);
    F.Level = All.size() - SelectedFrame;
    F.Function = All[SelectedFrame].Where.Function;
    size_t Calls = Grid->calls(At->Warp, At->Lane).size();
    F.Calls = Here.frame().Call.value_or(Calls);
  }
  return F;
}

static Error notInMemory() {
  return createStringError("what is to be watched is not in memory: cast it "
                           "to a type, as in *(int *) 0x100000000");
}

/// Makes \p B a watchpoint on \p Spec.
Error DebugSession::watch(Breakpoint &B, StringRef Spec, uint8_t On) {
  Expected<Value> V = evaluate(Spec);
  bool IsDeclared = declaredType(Spec) != nullptr;
  if (!V && !IsDeclared)
    return V.takeError();
  std::optional<Value> Now;
  if (V)
    Now = *V;
  else // A variable that is nowhere may come to be somewhere.
    consumeError(V.takeError());
  B.Range.On = On;
  // Compilers move a thread's variables about in its memory as in registers.
  bool IsMemory = Now && Now->At.Kind == Place::Memory;
  bool IsOwn = !IsMemory || Now->At.Space == MemorySpace::Local;
  if (IsOwn && (!IsMemory || On == emu::WatchRange::Write))
    if (Error E = followed(Spec, Now).moveInto(B.Followed))
      return E;
  if (B.Followed && On != emu::WatchRange::Write)
    return createStringError("what is in registers is watched for changes "
                             "only; see watch");
  if (B.Followed)
    return Error::success();
  if (!IsMemory)
    return notInMemory();
  constexpr uint64_t Most = 1 << 16;
  if (Now->Of->Size == 0)
    return notInMemory();
  if (Now->Of->Size > Most)
    return createStringError("more than " + Twine(Most) +
                             " bytes cannot be watched");
  B.Of = Now->Of;
  B.Range.Space = Now->At.Space;
  B.Range.Of = At->Warp;
  B.Range.Lane = At->Lane;
  B.Range.Address = Now->At.Address;
  B.Range.Bytes = Now->Of->Size;
  return Error::success();
}

Error DebugSession::addWatch(StringRef Arguments, uint8_t On) {
  if (Error E = needGrid())
    return E;
  for (StringRef Flag : {"-location ", "-l "})
    if (Arguments.consume_front(Flag))
      break;
  auto [Spec, ConditionText] = splitCondition(Arguments);
  if (Spec.empty())
    return createStringError("what is to be watched?");
  Breakpoint B;
  B.Kind = Breakpoint::Watch;
  B.Spec = Spec.str();
  if (!ConditionText.empty()) {
    Expected<Expression> E = Expression::parse(ConditionText, Types);
    if (!E)
      return E.takeError();
    B.Condition = std::move(*E);
  }
  if (Error E = watch(B, Spec, On))
    return E;
  B.Number = ++LastBreakpoint;
  print(kindOf(On) + Twine(B.Number) + ": " + B.Spec + "\n");
  Breakpoints.push_back(std::move(B));
  return Error::success();
}

Error DebugSession::commandWatch(StringRef Arguments) {
  return addWatch(Arguments, emu::WatchRange::Write);
}
Error DebugSession::commandRwatch(StringRef Arguments) {
  return addWatch(Arguments, emu::WatchRange::Read);
}
Error DebugSession::commandAwatch(StringRef Arguments) {
  return addWatch(Arguments, emu::WatchRange::Read | emu::WatchRange::Write);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// The value of a watchpoint as it was or is.
static std::string watchedText(const Breakpoint &B, ArrayRef<uint8_t> Bytes) {
  Value V;
  V.Of = B.Of;
  V.Bytes.assign(Bytes.begin(), Bytes.end());
  return formatValue(V);
}

/// Where an instruction is, and what it does.
std::string DebugSession::accessText(uint32_t PC) const {
  std::string Text = Code->describe(PC);
  if (auto Line = Code->lineOf(PC))
    Text += ", " + Line->File.str() + ":" + std::to_string(Line->Line);
  return Text + ": " + Code->instruction(PC);
}

/// Whether a hit counts, by the condition and the count of those to ignore.
std::optional<unsigned> DebugSession::hitOf(Breakpoint &B, emu::WarpPlace W,
                                            uint32_t Lanes) {
  std::optional<unsigned> Lane = laneFor(B, W, Lanes);
  if (!Lane)
    return std::nullopt;
  ++B.Hits;
  if (!B.Ignore)
    return Lane;
  --B.Ignore;
  return std::nullopt;
}

bool DebugSession::stopsAtWatch(const GridEvent &E) {
  bool Stops = false;
  for (const emu::WatchHit &H : E.Hits) {
    auto B = find_if(Breakpoints, [&](const Breakpoint &Each) {
      return Each.Number == Watches[H.Range].first;
    });
    uint32_t Lanes = H.Lanes ? H.Lanes : E.Exec ? E.Exec : E.Group;
    std::optional<unsigned> Lane = hitOf(*B, E.At, Lanes);
    if (!Lane)
      continue;
    std::vector<uint8_t> Now(B->Range.Bytes);
    Grid->read(B->Range.Space, B->Range.Of, B->Range.Lane, B->Range.Address,
               Now);
    if (!Stops && Grid->has(E.At)) {
      setFocus(E.At, *Lane);
      sayFocus();
    }
    print("\n" + kindOf(B->Range.On) + Twine(B->Number) + ": " + B->Spec +
          "\n\n");
    if (H.Changed)
      print("Old value = " + watchedText(*B, H.Before) +
            "\nNew value = " + watchedText(*B, Now) + "\n");
    else
      print("Value = " + watchedText(*B, Now) + "\n");
    print((H.Changed ? "Written by " : "Read by ") +
          lanesText(E.At, *Lane, H.Lanes) + " at " + accessText(E.PC) + "\n");
    if (!Stops)
      runBreakpointCommands(*B);
    Stops = true;
  }
  if (Stops && At && Grid->has(At->Warp))
    showStop(/*WithFrame=*/true);
  return Stops;
}

//===----------------------------------------------------------------------===//
// What is followed
//===----------------------------------------------------------------------===//

/// Whether the thread has exited.
static bool isGone(const emu::DebuggedGrid &G, const Focus &F) {
  return !G.has(F.Warp) ||
         G.lane(F.Warp, F.Lane).State <= emu::LaneState::Exited;
}

/// Why it cannot be evaluated any more; empty if it can, or may again.
std::string DebugSession::endOf(const FollowedValue &F) const {
  if (isGone(*Grid, F.Of))
    return "the thread has exited";
  if (Grid->calls(F.Of.Warp, F.Of.Lane).size() < F.Calls)
    return "the program has left the block in\nwhich its expression is valid";
  return "";
}

std::optional<Value> DebugSession::valueOf(const FollowedValue &F) {
  if (!endOf(F).empty())
    return std::nullopt;
  size_t Frame = 0;
  if (F.Level) {
    // Instructions of an inlined function stand among those of others.
    std::vector<debug::Frame> All = framesOf(F.Of);
    if (All.size() < F.Level)
      return std::nullopt;
    Frame = All.size() - F.Level;
    if (All[Frame].Where.Function != F.Function)
      return std::nullopt;
  }
  ThreadScope S(*this, F.Of, Frame);
  Expected<Value> V = F.What.evaluate(S);
  if (V)
    return std::move(*V);
  consumeError(V.takeError()); // It is nowhere here.
  return std::nullopt;
}

/// Looks at what a step may have changed; whether that stops the grid.
bool DebugSession::stopsAtFollowed(const GridEvent &E) {
  bool Stops = false;
  std::vector<unsigned> Ended;
  for (Breakpoint &B : Breakpoints) {
    if (!B.Followed || !B.Enabled)
      continue;
    FollowedValue &F = *B.Followed;
    if (F.Of.Warp != E.At || !(E.Group >> F.Of.Lane & 1))
      continue;
    if (std::string Why = endOf(F); !Why.empty()) {
      print("\nWatchpoint " + Twine(B.Number) + " deleted because " + Why +
            ".\n");
      Ended.push_back(B.Number);
      Stops |= !isGone(*Grid, F.Of);
      continue;
    }
    std::optional<Value> Now = valueOf(F);
    if (!Now)
      continue;
    std::optional<Value> Before = std::exchange(F.Last, Now);
    if (!Before || Before->Bytes == Now->Bytes ||
        !hitOf(B, E.At, 1u << F.Of.Lane))
      continue;
    setFocus(F.Of.Warp, F.Of.Lane);
    sayFocus();
    print("\nWatchpoint " + Twine(B.Number) + ": " + B.Spec +
          "\n\nOld value = " + formatValue(*Before) +
          "\nNew value = " + formatValue(*Now) + "\nWritten at " +
          Code->describe(E.PC) + ": " + Code->instruction(E.PC) + "\n");
    if (!Stops)
      runBreakpointCommands(B);
    Stops = true;
  }
  for (unsigned Number : Ended)
    erase(Number);
  if (Stops && At && Grid->has(At->Warp))
    showStop(/*WithFrame=*/true);
  return Stops;
}

} // namespace heddle::debug
