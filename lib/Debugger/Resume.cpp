//===- Resume.cpp - Running on, and where it ends ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides which events of a grid stop it, and says what has stopped it.
//
//===----------------------------------------------------------------------===//

#include "DebugSession.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <bit>

using namespace llvm;

namespace heddle::debug {

using emu::GridEvent;
using emu::WarpPlace;

//===----------------------------------------------------------------------===//
// The focus
//===----------------------------------------------------------------------===//

std::string DebugSession::focusText(const Focus &F) const {
  uint32_t Core = 0;
  for (const emu::CTAView &V : Grid->ctas())
    if (V.Number == F.Warp.CTA)
      Core = V.Core;
  return ("kernel " + Twine(Kernels) + ", grid " + Twine(Grid->id()) +
          ", block " + dimText(Grid->coordinates(F.Warp.CTA)) + ", thread " +
          dimText(Grid->threadOf(F.Warp, F.Lane)) + ", device 0, sm " +
          Twine(Core) + ", warp " + Twine(F.Warp.Warp) + ", lane " +
          Twine(F.Lane))
      .str();
}

void DebugSession::setFocus(WarpPlace W, unsigned Lane) {
  At = Focus{W, Lane};
  SelectedFrame = 0;
}

void DebugSession::sayFocus() {
  std::string Text = focusText(*At);
  if (Text != SaidFocus)
    print("[Switching focus to CUDA " + Text + "]\n");
  SaidFocus = std::move(Text);
}

void DebugSession::showStop(bool WithFrame) {
  showFrame(WithFrame);
  showDisplays();
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Where the grid's code has breakpoints, and where a command wants to stop.
const std::vector<uint8_t> &DebugSession::stops() {
  if (!StopsChanged)
    return Stops;
  Stops.assign(Grid->code().Offsets.size(), 0);
  for (const Breakpoint &B : Breakpoints)
    if (B.Enabled)
      for (CodePlace P : B.Places)
        if (P.In == Code)
          Stops[P.PC] = 1;
  for (uint32_t PC : Temporary)
    Stops[PC] = 1;
  StopsChanged = false;
  return Stops;
}

emu::ResumeRequest DebugSession::request(std::optional<WarpPlace> Only) {
  emu::ResumeRequest R;
  R.Only = Only;
  R.Stops = &stops();
  Watches.clear();
  FollowedWarps.clear();
  for (Breakpoint &B : Breakpoints) {
    if (B.Kind != Breakpoint::Watch || !B.Enabled)
      continue;
    if (!B.Followed) {
      Watches.push_back({B.Number, B.Range});
      continue;
    }
    FollowedWarps.push_back(B.Followed->Of.Warp);
    // What was changed meanwhile, or undone, is no step's doing.
    if (auto Now = valueOf(*B.Followed))
      B.Followed->Last = std::move(Now);
  }
  R.Each = FollowedWarps;
  R.Interrupt = &Interrupt;
  if (At && Grid->has(At->Warp))
    R.Past = {At->Warp, Grid->lane(At->Warp, At->Lane).PC};
  return R;
}

std::vector<emu::WatchRange> DebugSession::watchedRanges() const {
  std::vector<emu::WatchRange> Ranges;
  Ranges.reserve(Watches.size());
  for (const auto &[Number, Range] : Watches)
    Ranges.push_back(Range);
  return Ranges;
}

/// Lets the grid run. Meanwhile modules may come and go.
GridEvent DebugSession::resumeGrid(const emu::ResumeRequest &R) {
  SelectedFrame = 0;
  StateMutex.unlock();
  GridEvent E = Grid->resume(R);
  StateMutex.lock();
  return E;
}

void DebugSession::go(std::optional<WarpPlace> Only) {
  emu::ResumeRequest R = request(Only);
  std::vector<emu::WatchRange> Ranges = watchedRanges();
  R.Watches = Ranges;
  // Someone may interrupt; there is a look at it now and then.
  constexpr uint64_t StepsBetweenLooks = 1 << 16;
  R.MaxSteps = StepsBetweenLooks;
  uint64_t LastLook = Grid->steps();
  while (true) {
    GridEvent E = resumeGrid(R);
    R.Past.reset();
    if (E.Kind == GridEvent::Steps) {
      if (stopsAtFollowed(E))
        return;
      if (Grid->steps() - LastLook < StepsBetweenLooks)
        continue;
      LastLook = Grid->steps();
      if (!C.wantsInterrupt())
        continue;
      print("\nInterrupted.\n");
      setFocus(E.At, std::countr_zero(E.Group | 1u << 31));
      if (!Grid->has(E.At))
        continue;
      sayFocus();
      return showStop(/*WithFrame=*/true);
    }
    if (E.Kind == GridEvent::WarpOver) { // There is nothing left to hold back.
      R.Only.reset();
      continue;
    }
    if (stopsAt(E))
      return;
  }
}

bool DebugSession::stopsAt(const GridEvent &E) {
  switch (E.Kind) {
  case GridEvent::Stop:
    return stopsAtBreakpoint(E);
  case GridEvent::Watch:
    return stopsAtWatch(E);
  case GridEvent::Fault:
    reportFault(E);
    return true;
  case GridEvent::Over:
    IsOver = true;
    return true;
  default:
    return false;
  }
}

std::optional<unsigned> DebugSession::laneFor(const Breakpoint &B, WarpPlace W,
                                              uint32_t Lanes) {
  for (unsigned L = 0; L < 32; ++L) {
    if (!(Lanes >> L & 1))
      continue;
    if (!B.Condition)
      return L;
    ThreadScope S(*this, Focus{W, L}, /*Frame=*/0);
    Expected<Value> V = B.Condition->evaluate(S);
    if (!V) {
      print("Error in testing condition for breakpoint " + Twine(B.Number) +
            ": " + toString(V.takeError()) + "\n");
      return L;
    }
    if (!V->Of->isScalar() || V->isTrue())
      return L;
  }
  return std::nullopt;
}

std::optional<unsigned> DebugSession::laneAt(Breakpoint &B, WarpPlace W,
                                             uint32_t PC, uint32_t Lanes) {
  if (!B.Condition || !Lanes)
    return laneFor(B, W, Lanes);
  auto &Q = B.Quick;
  if (Q.In != Code || Q.PC != PC || Q.Kernel != Kernels) {
    ThreadScope S(*this, Focus{W, unsigned(std::countr_zero(Lanes))},
                  /*Frame=*/0);
    Q = {WarpCondition::create(*B.Condition, S, *Code, Types, PC), Code, PC,
         Kernels};
  }
  std::optional<uint32_t> Holds =
      Q.Test ? Q.Test->test(*Grid, W, Lanes) : std::nullopt;
  if (!Holds)
    return laneFor(B, W, Lanes);
  return *Holds ? std::optional(unsigned(std::countr_zero(*Holds)))
                : std::nullopt;
}

void DebugSession::runBreakpointCommands(const Breakpoint &B) {
  carryOut(ArrayRef(B.Commands).drop_front(B.isSilent()));
}

/// An instruction whose guard holds for no thread is no part of a line for any,
/// though a breakpoint at the instruction itself is reached.
uint32_t DebugSession::lanesAt(const Breakpoint &B, const GridEvent &E) const {
  bool IsHere = B.Enabled && any_of(B.Places, [&](CodePlace P) {
                  return P == CodePlace{Code, E.PC};
                });
  if (!IsHere)
    return 0;
  return StringRef(B.Spec).starts_with("*") ? E.Group : E.Exec;
}

/// Whether to stop for a warp that has come to a place where it may.
bool DebugSession::stopsAtBreakpoint(const GridEvent &E) {
  bool IsFocus = At && At->Warp == E.At && E.Group >> At->Lane & 1;
  HitTemporary = IsFocus && is_contained(Temporary, E.PC);
  Breakpoint *Hit = nullptr;
  unsigned Lane = 0;
  for (Breakpoint &B : Breakpoints) {
    uint32_t Lanes = lanesAt(B, E);
    // The thread that is looked at stays so, if it is one that has come here.
    uint32_t First = IsFocus ? 1u << At->Lane : 0;
    auto Found = laneAt(B, E.At, E.PC, Lanes & First);
    if (!Found)
      Found = laneAt(B, E.At, E.PC, Lanes & ~First);
    if (!Found)
      continue;
    ++B.Hits;
    if (B.Ignore) {
      --B.Ignore;
      continue;
    }
    if (!Hit) {
      Hit = &B;
      Lane = *Found;
    }
  }
  if (!Hit && !HitTemporary)
    return false;
  setFocus(E.At, Hit ? Lane : At->Lane);
  if (Hit && Hit->isSilent()) {
    SaidFocus.clear();
    runBreakpointCommands(*Hit);
    if (Hit->Temporary)
      erase(Hit->Number);
    return true;
  }
  sayFocus();
  if (Hit)
    print("\n" +
          Twine(Hit->Temporary ? "Temporary breakpoint " : "Breakpoint ") +
          Twine(Hit->Number) + ", ");
  showStop(/*WithFrame=*/true);
  if (!Hit)
    return true;
  runBreakpointCommands(*Hit);
  if (Hit->Temporary)
    erase(Hit->Number);
  return true;
}

/// What cuda-gdb calls a fault; nothing if it has no name for it.
static StringRef cudaException(rt::FaultKind Kind) {
  switch (Kind) {
  case rt::FaultKind::OutOfBounds:
  case rt::FaultKind::Null:
    return " (CUDA_EXCEPTION_14, Warp Illegal Address)";
  case rt::FaultKind::Misaligned:
    return " (CUDA_EXCEPTION_6, Warp Misaligned Address)";
  case rt::FaultKind::IllegalInstruction:
    return " (CUDA_EXCEPTION_4, Warp Illegal Instruction)";
  case rt::FaultKind::Assert:
    return " (CUDA_EXCEPTION_12, Warp Assert)";
  default:
    return "";
  }
}

void DebugSession::reportFault(const GridEvent &E) {
  const rt::Fault &F = *Grid->fault();
  if (Grid->has(E.At)) {
    setFocus(E.At, F.Lane.value_or(0));
    sayFocus();
  }
  std::string Address;
  if (F.Address)
    Address = " at address 0x" + utohexstr(*F.Address, /*LowerCase=*/true);
  print("\nKernel " + Twine(Kernels) + " has ended with the fault " +
        rt::faultKindName(F.Kind) + Address +
        (F.Message.empty() ? "" : ": " + F.Message) + cudaException(F.Kind) +
        "\n");
  if (At && Grid->has(At->Warp))
    showStop(/*WithFrame=*/true);
}

Error DebugSession::commandContinue(StringRef Arguments) {
  if (Error E = needGrid())
    return E;
  uint64_t Count = 0;
  if (!Arguments.empty()) {
    if (Arguments.getAsInteger(10, Count) || !Count)
      return createStringError("continue takes a number from 1 on");
    for (Breakpoint &B : Breakpoints)
      if (At && any_of(B.Places, [&](CodePlace P) {
            return P == CodePlace{Code, pcOfFocus()};
          })) {
        B.Ignore = Count - 1;
        print("Will ignore next " + Twine(Count - 1) +
              " crossings of breakpoint " + Twine(B.Number) +
              ".  Continuing.\n");
        break;
      }
  }
  if (!Grid->canRun())
    return createStringError("a core file does not run");
  if (Grid->fault()) {
    // The event has been shown; the launch returns its fault.
    IsOver = true;
    return Error::success();
  }
  go();
  return Error::success();
}

} // namespace heddle::debug
