//===- Warp.cpp - Scheduling the threads of a warp --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes with the same PC run as one group. A group runs until it splits, waits
// or has used up its time slice; then the lanes that have not run for longest
// get one, so that every lane makes progress.
//
//===----------------------------------------------------------------------===//

#include "Warp.h"
#include "Checkers/Checker.h"
#include "Cluster.h"
#include "Code/LiveRegisters.h"
#include "Execute/ExecuteMemory.h"
#include "LaneArrays.h"
#include "SharedAddress.h"
#include "WaitReport.h"
#include "heddle/Emulator/Debug.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SwapByteOrder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cstring>

using namespace llvm;

namespace heddle::emu {

/// Instructions that a group may run while others of the warp are ready.
static constexpr uint64_t FairSlice = 128;
/// Instructions of the warp after which a bounded wait is over if the others
/// only repeat themselves. The compiler bounds waits where the others may spin
/// on a lane that waits, so this is the least that handing a lock over costs.
static constexpr uint32_t LeastWait = 256;
/// The same, whatever the others do: a loop that spins may count its turns, and
/// one that does not may be long.
static constexpr uint32_t LongestWait = 1 << 18;

/// What no instruction can change; the rest is start's.
Warp::Warp() {
  for (unsigned Row = ZeroRow; Row != NumRows; ++Row)
    std::fill(std::begin(R[Row]), std::end(R[Row]), 0);
  std::fill(UR + UniformZeroRow, UR + NumUniformRows, 0);
  P[TruePredicate] = ~LaneMask(0);
  UP[TruePredicate] = true;
}

static constexpr uint32_t Poison =
    uint32_t(rt::PoisonPattern) << 16 | rt::PoisonPattern;

/// No code reads a register that no instruction names.
void Warp::poisonRegisters() {
  if (Owner->Translated && Owner->Translated->ReadFirst) {
    for (uint32_t Row : *Owner->Translated->ReadFirst)
      std::fill_n(R[Row], WarpSize,
                  Row == isa::abi::StackPointer ? Launch->LocalBytes : Poison);
    return;
  }
  std::fill(&R[0][0], &R[Launch->Used.Rows][0], Poison);
  if (Launch->Used.Rows > isa::abi::StackPointer)
    std::fill_n(R[isa::abi::StackPointer], WarpSize, Launch->LocalBytes);
}

void Warp::belongTo(CTA &TheOwner, unsigned TheIndex) {
  Owner = &TheOwner;
  Launch = &TheOwner.Launch;
  Index = TheIndex;
}

void Warp::start(LaneMask TheExist) {
  static const WarpState AtFirst;
  static_cast<WarpState &>(*this) = AtFirst;
  Exist = TheExist;
  poisonRegisters();
  std::fill(UR, UR + Launch->Used.Uniform, Poison);
  std::fill(&B[0][0], &B[Launch->Used.Convergence][0], 0);
  std::fill(P, P + TruePredicate, 0);
  std::fill(UP, UP + TruePredicate, false);
  // The rest of what lanes have of their own comes when they part.
  Current = Next = PCOfAll = Launch->Entry;
  if (Launch->Strict)
    Hazards = std::make_unique<HazardChecker>();
  if (Launch->Relaxed) {
    Observer = std::make_unique<MemoryObserver>();
    Observer->Agent =
        Launch->Relaxed->agent(Owner->Number, Owner->Owner.Number);
  }
}

void Warp::begin(const WarpState &State) {
  static_cast<WarpState &>(*this) = State;
  std::fill(&B[0][0], &B[Launch->Used.Convergence][0], 0);
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

Warp::Status Warp::run(uint64_t MaxInstructions, bool Exactly) {
  IsExact = Exactly || Launch->Schedule;
  StopAt = Issued + MaxInstructions;
  if (Issued == 0 && Owner->Translated) {
    chooseAll();
    runTranslated();
  }
  return runOn();
}

Warp::Status Warp::runOn() {
  while (!Faulted) {
    if (!live())
      return Status::Done;
    if (Issued >= StopAt)
      return Status::Running;
    if (!selectGroup())
      return Status::Blocked;
    SliceEnd = IsWhole ? StopAt : std::min(FairAt, StopAt);
    if (Owner->Translated)
      runTranslated();
    else if (Launch->Strict)
      runGroup<true>();
    else
      runGroup<false>();
  }
  return Status::Faulted;
}

WarpState Warp::beginning(uint32_t Entry, uint64_t Slice) {
  WarpState S;
  S.Exist = S.Group = ~LaneMask(0);
  S.Current = S.Next = S.PCOfAll = Entry;
  S.StopAt = S.SliceEnd = Slice;
  S.FairAt = FairSlice;
  S.IsWhole = true;
  S.Round = 1;
  return S;
}

/// What selectGroup does in a warp that has not begun.
inline void Warp::chooseAll() {
  FairAt = FairSlice;
  Group = Exist;
  IsWhole = true;
  SliceEnd = StopAt;
  ++Round;
}

/// Chooses the lanes that run next; false if none can.
bool Warp::selectGroup() {
  // There were no other lanes to run.
  if (IsWhole)
    FairAt = Issued + FairSlice;
  bool Fair = Yielded || Issued >= FairAt;
  if (Fair) {
    Yielded = false;
    FairAt = Issued + FairSlice;
    if (WaitConv & WaitBounded)
      releaseBounded(isRepeating() ? LeastWait : LongestWait);
  }
  if (!ready() && !releaseBounded(/*Least=*/0))
    return false;
  LaneMask Ready = ready();
  if (AreTogether && Ready == live()) {
    Group = Ready;
    IsWhole = true;
    Next = PCOfAll;
    ++Round;
    return true;
  }
  writeEach();
  if (Fair) {
    unsigned Leader = std::countr_zero(Ready);
    for (unsigned L : lanes(Ready))
      if (Round - LastRun[L] > Round - LastRun[Leader])
        Leader = L;
    Next = PC[Leader];
  } else {
    // What became of the last group first: its time slice is not used up. The
    // lowest PC first lets lanes meet again.
    Next = leastOf(PC, Group & Ready ? Group & Ready : Ready);
  }
  Group = Ready & lanesEqual(PC, Next);
  IsWhole = Group == live();
  setLanes(LastRun, Group, ++Round);
  return true;
}

/// Executes the group's next instruction. False if the group may not go on as
/// it is.
template <bool Strict> bool Warp::issue() {
  const CodeImage &Image = Launch->Code.Image;
  Current = Next;
  if (Current >= Image.Insts.size() || !Image.Insts[Current].Execute) {
    fault(rt::FaultKind::IllegalInstruction, std::countr_zero(Group),
          Image.sectionOf(Current) ? "the bits encode no instruction"
                                   : "the program counter is outside the code");
    return false;
  }
  const DecodedInst &I = Image.Insts[Current];
  Next = Current + 1;
  LaneMask Exec = execOf(I);
  if (Strict && !checkIssue(I, Exec))
    return false;
  if constexpr (Strict)
    if (Observer && Observer->Delayed && !mayOvertakeLoad(I))
      finishLoad(*this);
  ++Issued;
  Time += I.Stall;
  ClassCount &Count = Owner->Counts[static_cast<size_t>(I.Info->Latency)];
  ++Count.Warp;
  Count.Thread += Exec == ~LaneMask(0) ? WarpSize : std::popcount(Exec);
  if (!Owner->Owner.Checkers.empty() && !checkRules(I, Exec))
    return false;
  if (Exec)
    I.Execute(*this, I, Exec);
  return !Stop;
}

template bool Warp::issue<false>(); // For translated warps.

/// The straight run that the group may execute as a whole next, or null.
inline const StraightRun *Warp::findRun() const {
  const LateVector<StraightRun> &Runs = Launch->Code.Image.Runs.At;
  if (Next >= Runs.size())
    return nullptr;
  const StraightRun &Run = Runs[Next];
  // What goes nowhere else ends no time slice.
  bool Fits = !IsExact || Issued + Run.Length <= SliceEnd;
  return Run.Length && Fits ? &Run : nullptr;
}

/// The lanes of the group for which the guard of \p I holds, of which those
/// without are not counted.
LaneMask Warp::guard(const DecodedInst &I) {
  LaneMask Exec = execOf(I);
  ClassCount &Count = Owner->Counts[static_cast<size_t>(I.Info->Latency)];
  Count.Thread -= std::popcount(Group & ~Exec);
  return Exec;
}

/// Executes a straight run, which is counted before. False if the group may not
/// go on as it is.
bool Warp::issueRun(const StraightRun &Run) {
  const CodeImage &Image = Launch->Code.Image;
  uint32_t End = Next + Run.Length;
  Issued += Run.Length;
  Time += Run.Stall;
  unsigned Threads = Group == ~LaneMask(0) ? WarpSize : std::popcount(Group);
  for (uint32_t N = 0; N < Run.NumClasses; ++N) {
    const RunClass &Class = Run.Classes[N];
    ClassCount &Count = Owner->Counts[static_cast<size_t>(Class.Class)];
    Count.Warp += Class.Count;
    Count.Thread += uint64_t(Class.Count) * Threads;
  }
  const DecodedInst *I = &Image.Insts[Next];
  for (uint32_t PC = Next; PC != End; ++I) {
    Current = PC;
    Next = ++PC;
    LaneMask Exec =
        I->Guard == TruePredicate && !I->GuardNegated ? Group : guard(*I);
    if (Exec)
      I->Execute(*this, *I, Exec);
    if (Stop) {
      takeBack(PC, End);
      break;
    }
  }
  return !Stop;
}

/// Counts less for instructions that are not executed.
void Warp::takeBack(uint32_t First, uint32_t End) {
  for (uint32_t PC = First; PC != End; ++PC) {
    const DecodedInst &I = Launch->Code.Image.Insts[PC];
    --Issued;
    Time -= I.Stall;
    ClassCount &Count = Owner->Counts[static_cast<size_t>(I.Info->Latency)];
    --Count.Warp;
    Count.Thread -= std::popcount(Group);
  }
}

template <bool Strict> void Warp::runGroup() {
  Stop = false;
  // A checker sees each instruction.
  bool TakesRuns = !Strict && Owner->Owner.Checkers.empty();
  while (true) {
    const StraightRun *Run = TakesRuns ? findRun() : nullptr;
    if (!(Run ? issueRun(*Run) : issue<Strict>()))
      return;
    if (!mayGoOn())
      return writeBack(Group, Next);
  }
}

Warp::Status Warp::prepare() {
  if (Faulted)
    return Status::Faulted;
  if (!Continues && !selectGroup())
    return live() ? Status::Blocked : Status::Done;
  Continues = true;
  return Status::Running;
}

void Warp::step() {
  Stop = false;
  Continues = Launch->Strict ? issue<true>() : issue<false>();
  // While lanes wait for others to repeat themselves, a slice ends where run's
  // does, so that a loop of any length is seen at the same place each time.
  bool MayEnd = Next <= Current || !(WaitConv & WaitBounded);
  if (Continues && Issued >= FairAt && MayEnd) {
    writeBack(Group, Next);
    Continues = false;
  }
}

void Warp::writeBack(LaneMask Lanes, uint32_t Value) {
  if (Lanes == live()) {
    AreTogether = true;
    PCOfAll = Value;
    return;
  }
  writeEach();
  setLanes(PC, Lanes, Value);
}

/// Gives each lane its PC, before lanes part.
void Warp::writeEach() {
  if (!AreTogether)
    return;
  AreTogether = false;
  std::fill(PC, PC + WarpSize, PCOfAll);
  std::fill(LastRun, LastRun + WarpSize, Round);
}

void Warp::branch(LaneMask Exec, uint32_t Target) {
  if (Exec == Group) {
    Next = Target;
    return;
  }
  writeBack(Group & ~Exec, Next);
  writeBack(Exec, Target);
  Diverged |= Exec != 0 && Next != Target;
  Stop = true;
}

void Warp::branchEach(LaneMask Exec, const uint32_t *Targets) {
  writeBack(Group & ~Exec, Next);
  writeEach();
  for (unsigned L : lanes(Exec)) {
    PC[L] = Targets[L];
    Diverged |= Targets[L] != Targets[std::countr_zero(Exec)];
  }
  Diverged |= Exec != Group;
  Stop = true;
}

void Warp::exitLanes(LaneMask Exec) {
  Stop = true;
  if (Exec == live()) { // All that are left; then no lane waits for them here.
    Exited |= Exec;
    Owner->warpExited();
  } else {
    writeBack(Group, Next);
    Exited |= Exec;
    tryRelease();
  }
  Owner->Owner.lanesExited(*Owner);
}

void Warp::yield() {
  writeBack(Group, Next);
  Stop = true;
  Yielded = true;
  StopAt = Issued;
}

//===----------------------------------------------------------------------===//
// Convergence
//===----------------------------------------------------------------------===//

void Warp::waitConvergence(LaneMask Exec, unsigned Register, bool Bounded) {
  // Most often all that are awaited are here.
  LaneMask First = B[Register][std::countr_zero(Exec)] & live();
  if (Exec == Group && First == Exec &&
      (Exec & ~lanesEqual(B[Register], First, live())) == 0)
    return;
  writeBack(Group, Next);
  WaitConv |= Exec;
  WaitBounded = Bounded ? WaitBounded | Exec : WaitBounded & ~Exec;
  setLanes(WaitRegister, Exec, Register);
  setLanes(WaitPC, Exec, Current);
  setLanes(WaitSince, Exec, uint32_t(Issued));
  KeptState = 0;
  StateAge = 0;
  StateLife = 1;
  Stop = true;
  tryRelease();
}

void Warp::leaveConvergence(LaneMask Exec, unsigned Register) {
  LaneMask Groups = 0;
  for (unsigned L : lanes(Exec))
    Groups |= B[Register][L];
  for (unsigned L : lanes(Groups | Exec))
    B[Register][L] &= ~Exec;
  if (WaitConv) {
    writeBack(Group, Next);
    Stop = true;
    tryRelease();
  }
}

void Warp::waitWarpSync(LaneMask Exec, const LaneMask *Masks, bool Alone) {
  Apart &= ~Exec;
  LaneMask First = Masks[std::countr_zero(Exec)] & live();
  bool AllHere = Exec == Group && (First & ~Exec) == 0;
  for (unsigned L : lanes(Exec))
    AllHere &= (Masks[L] & live()) == First;
  if (AllHere)
    return;
  writeBack(Group, Next);
  WaitSync |= Exec;
  WaitAlone = Alone ? WaitAlone | Exec : WaitAlone & ~Exec;
  for (unsigned L : lanes(Exec)) {
    WaitMask[L] = Masks[L];
    WaitPC[L] = Current;
  }
  Stop = true;
  tryRelease();
}

/// Lets all go on that wait for nothing any more.
void Warp::tryRelease() {
  while (releaseConvergence() || releaseWarpSync())
    ;
}

bool Warp::releaseConvergence() {
  for (LaneMask Rest = WaitConv; Rest;) {
    unsigned L = std::countr_zero(Rest);
    unsigned Register = WaitRegister[L];
    LaneMask Mask = B[Register][L] & live();
    // Those that wait for the same group at the same place. It is complete if
    // they are all of it. Elsewhere, a caller's group of the same lanes may be
    // waited for, by those that a bounded wait let out of the callee early.
    LaneMask Same = WaitConv & lanesEqual(WaitPC, WaitPC[L]) &
                    lanesEqual(WaitRegister, Register) &
                    lanesEqual(B[Register], Mask, live());
    if ((Mask & ~Same) == 0) {
      WaitConv &= ~(Mask | LaneMask(1) << L);
      return true;
    }
    Rest &= ~Same;
  }
  return false;
}

bool Warp::releaseWarpSync() {
  for (unsigned L : lanes(WaitSync)) {
    LaneMask Mask = WaitMask[L] & live();
    bool Alone = WaitAlone >> L & 1;
    LaneMask SameKind = WaitSync & (Alone ? WaitAlone : ~WaitAlone);
    if (Mask & ~SameKind)
      continue;
    bool SamePlace = true;
    for (unsigned Other : lanes(Mask))
      SamePlace &= WaitPC[Other] == WaitPC[L];
    bool SameMask = true;
    for (unsigned Other : lanes(Mask))
      SameMask &= (WaitMask[Other] & live()) == Mask;
    if (!SameMask)
      continue;
    LaneMask Released = Mask | LaneMask(1) << L;
    WaitSync &= ~Released;
    if (!Alone && !SamePlace)
      Apart |= Released;
    return true;
  }
  return false;
}

LaneMask Warp::joinExchange(LaneMask Exec, const DecodedInst **Insts) {
  if (!(Exec & Apart))
    return Exec;
  LaneMask Now = Exec & ~Apart, Here = WaitExchange | Exec;
  for (unsigned L : lanes(Exec & Apart))
    if ((WaitMask[L] & live() & ~Here) == 0)
      Now |= (WaitMask[L] & live()) | LaneMask(1) << L;
  for (unsigned L : lanes(Now & WaitExchange))
    Insts[L] = &Launch->Code.Image.Insts[WaitPC[L]];
  WaitExchange &= ~Now;
  Apart &= ~Now;
  // Those that wait, and those that were released, go on by themselves.
  writeBack(Group, Next);
  for (unsigned L : lanes(Exec & ~Now))
    WaitPC[L] = Current;
  WaitExchange |= Exec & ~Now;
  Stop = true;
  return Now;
}

/// Adds what \p Lanes, which are at \p At, may still read to \p State. Of other
/// registers translated code does not leave what emulated code does.
void Warp::addState(std::vector<uint32_t> &State, LaneMask Lanes,
                    uint32_t At) const {
  const LiveRegisters &Live = Launch->liveRegisters();
  RegSet Read = Live.reaches(At) ? Live.at(At) : ~RegSet();
  State.push_back(Lanes);
  State.push_back(At);
  for (uint32_t Row = 0; Row < Launch->Used.Rows; ++Row)
    if (Read[FirstGPR + Row])
      for (unsigned L : lanes(Lanes))
        State.push_back(R[Row][L]);
  for (unsigned Number = 0; Number < TruePredicate; ++Number)
    if (Read[FirstPredicate + Number])
      State.push_back(P[Number] & Lanes);
}

/// Whether the lanes that can run are where they have been with what they had
/// then, so that they do the same again unless somebody else writes to memory.
/// A state is kept, for twice as long each time, so that loops of any length
/// are found (Brent's algorithm).
bool Warp::isRepeating() {
  writeEach();
  std::vector<uint32_t> Parts = {ready()};
  for (LaneMask Rest = live(); Rest;) {
    uint32_t At = PC[std::countr_zero(Rest)];
    LaneMask Same = Rest & lanesEqual(PC, At);
    addState(Parts, Same, At);
    Rest &= ~Same;
  }
  uint64_t State =
      xxh3_64bits(ArrayRef(reinterpret_cast<const uint8_t *>(Parts.data()),
                           Parts.size() * sizeof(uint32_t)));
  if (State == KeptState)
    return true;
  if (++StateAge >= StateLife) {
    KeptState = State;
    StateAge = 0;
    StateLife *= 2;
  }
  return false;
}

/// Ends the bounded waits that have lasted for so many instructions.
bool Warp::releaseBounded(uint32_t Least) {
  LaneMask Released = 0;
  for (unsigned L : lanes(WaitConv & WaitBounded))
    if (uint32_t(Issued) - WaitSince[L] >= Least)
      Released |= LaneMask(1) << L;
  WaitConv &= ~Released;
  return Released != 0;
}

void Warp::waitBarrier(LaneMask Exec) {
  writeBack(Group, Next);
  setLanes(WaitPC, Exec, Current);
  WaitCTA |= Exec;
  Stop = true;
}

void Warp::releaseBarrier(LaneMask Lanes) {
  WaitCTA &= ~Lanes;
  Released = Owner->Released = true;
  // The warp that came last leaves in its turn.
  StopAt = Issued;
}

void Warp::releaseClusterBarrier() {
  Released |= WaitCluster != 0;
  Owner->Released |= Released;
  WaitCluster = 0;
}

void Warp::waitClusterBarrier(LaneMask Exec) {
  writeBack(Group, Next);
  setLanes(WaitPC, Exec, Current);
  WaitCluster |= Exec;
  Stop = true;
}

void Warp::blame() {
  if (LaneMask Waiting = waiting())
    Current = WaitPC[std::countr_zero(Waiting)];
}

void Warp::describeWaits(WaitReport &Report) const {
  auto Describe = [&](LaneMask Waiting, const char *What, auto Detail) {
    while (Waiting) {
      unsigned First = std::countr_zero(Waiting);
      LaneMask Same = 0;
      for (unsigned L : lanes(Waiting))
        if (WaitPC[L] == WaitPC[First])
          Same |= LaneMask(1) << L;
      uint64_t Offset = Launch->Code.Image.offsetInSection(WaitPC[First]);
      std::string Why;
      raw_string_ostream OS(Why);
      OS << "at " << What << " (PC " << format_hex(Offset, 6) << ")";
      Detail(OS, First);
      Report.add("warp " + std::to_string(Index), Same, Why);
      Waiting &= ~Same;
    }
  };
  Describe(WaitConv, "BSYNC", [&](raw_ostream &OS, unsigned L) {
    OS << " for lanes "
       << format_hex(B[WaitRegister[L]][L] & live() & ~WaitConv, 10);
  });
  Describe(WaitSync, "WARPSYNC", [&](raw_ostream &OS, unsigned L) {
    OS << " for lanes " << format_hex(WaitMask[L] & live() & ~WaitSync, 10);
  });
  Describe(WaitExchange, "an exchange", [&](raw_ostream &OS, unsigned L) {
    OS << " for lanes " << format_hex(WaitMask[L] & live() & ~WaitExchange, 10);
  });
  Describe(WaitCTA, "BAR", [](raw_ostream &, unsigned) {});
  Describe(WaitCluster, "CBAR", [](raw_ostream &, unsigned) {});
}

LaneView Warp::view(unsigned Lane) const {
  LaneMask Bit = LaneMask(1) << Lane;
  if (!(Exist & Bit))
    return {};
  if (Exited & Bit)
    return {LaneState::Exited, 0, 0};
  uint32_t At = WaitPC[Lane];
  if (WaitConv & Bit)
    return {LaneState::AtConvergence, At,
            B[WaitRegister[Lane]][Lane] & live() & ~WaitConv};
  if (WaitSync & Bit)
    return {LaneState::AtWarpSync, At, WaitMask[Lane] & live() & ~WaitSync};
  if (WaitExchange & Bit)
    return {LaneState::AtExchange, At, WaitMask[Lane] & live() & ~WaitExchange};
  if (WaitCTA & Bit)
    return {LaneState::AtBarrier, At, 0};
  if (WaitCluster & Bit)
    return {LaneState::AtClusterBarrier, At, 0};
  if (Group & Bit && Faulted)
    return {LaneState::Active, Current, 0};
  if (Group & Bit && Continues)
    return {LaneState::Active, Next, 0};
  // Whoever is alone in being ready runs next.
  bool IsNext = AreTogether && ready() == live() && !Continues;
  return {IsNext ? LaneState::Active : LaneState::Ready,
          AreTogether ? PCOfAll : PC[Lane], 0};
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

static const char *ruleText(HazardReport::Rule Broken) {
  switch (Broken) {
  case HazardReport::Rule::ReadTooEarly:
    return "reads a register before the result arrived of";
  case HazardReport::Rule::SourceOverwritten:
    return "overwrites, before it was read, a source of";
  case HazardReport::Rule::ResultOverwritten:
    return "writes a register while on its way is the result of";
  case HazardReport::Rule::PendingAtCall:
    return "transfers control while on its way is";
  }
  return "";
}

/// Checks docs/hazards.md; false after a fault.
bool Warp::checkIssue(const DecodedInst &I, LaneMask Exec) {
  const CodeImage &Image = Launch->Code.Image;
  auto Report = Hazards->issue(Image, Current, I, Group, Exec);
  if (!Report)
    return true;
  std::string Text;
  raw_string_ostream OS(Text);
  OS << I.Info->Mnemonic << " " << ruleText(Report->Broken);
  if (Report->Producer < Image.Insts.size()) {
    const CodeSection *S = Image.sectionOf(Report->Producer);
    uint64_t Offset = Image.offsetInSection(Report->Producer);
    OS << " " << Image.Insts[Report->Producer].Info->Mnemonic << " at PC "
       << format_hex(Offset, 6);
    if (S && S != Image.sectionOf(Current))
      OS << " of " << S->Name;
  }
  OS << ", register " << regName(Report->Register);
  fault(rt::FaultKind::Hazard, std::countr_zero(Report->Lanes),
        std::move(Text));
  return false;
}

/// Asks the optional checkers; false after a fault.
bool Warp::checkRules(const DecodedInst &I, LaneMask Exec) {
  for (const std::unique_ptr<Checker> &C : Owner->Owner.Checkers) {
    C->reach(*this, I, Exec);
    if (Exec)
      C->issue(*this, I, Exec);
  }
  return !Faulted;
}

void Warp::fault(rt::FaultKind Kind, unsigned Lane, std::string Message,
                 std::optional<uint64_t> Address) {
  Stop = true;
  Faulted = true;
  if (Owner->Fault)
    return;
  rt::Fault F;
  F.Kind = Kind;
  F.Kernel = Launch->Kernel.Name;
  const CodeImage &Image = Launch->Code.Image;
  const CodeSection *S = Image.sectionOf(Current);
  F.PC = Image.offsetInSection(Current);
  if (S && S != Image.sectionOf(Launch->Entry))
    F.Section = S->Name;
  if (S)
    if (auto Line = Launch->Code.Lines.lookup(S->ObjectSection, F.PC)) {
      F.SourceFile = Line->File.str();
      F.SourceLine = Line->Line;
    }
  F.Block = Owner->Coordinates;
  F.Thread = Owner->threadCoordinates(Index, Lane);
  F.Warp = Index;
  F.Lane = Lane;
  F.Address = Address;
  F.Message = std::move(Message);
  Owner->Fault = std::move(F);
}

void Warp::fault(rt::Fault F) {
  Stop = true;
  Faulted = true;
  if (!Owner->Fault)
    Owner->Fault = std::move(F);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

bool Warp::checkAlignment(unsigned Lane, uint64_t Address, unsigned Bytes) {
  // Most sizes are powers of two, by which no host has to divide.
  bool IsPower = (Bytes & (Bytes - 1)) == 0;
  if (IsPower ? (Address & (Bytes - 1)) == 0 : Address % Bytes == 0)
    return true;
  fault(rt::FaultKind::Misaligned, Lane,
        "an access of " + std::to_string(Bytes) + " bytes", Address);
  return false;
}

uint8_t *Warp::outOfBounds(unsigned Lane, uint64_t Address, unsigned Bytes,
                           bool Write, std::string Where) {
  fault(rt::FaultKind::OutOfBounds, Lane,
        std::string(Write ? "a write of " : "a read of ") +
            std::to_string(Bytes) + " bytes " + std::move(Where),
        Address);
  return nullptr;
}

uint8_t *Warp::resolveGlobal(unsigned Lane, uint64_t Address, unsigned Bytes,
                             bool Write) {
  if (Address < NullPageBytes) {
    fault(rt::FaultKind::Null, Lane, Write ? "a write" : "a read", Address);
    return nullptr;
  }
  if (!checkAlignment(Lane, Address, Bytes))
    return nullptr;
  const Allocation *Block = Owner->findBlock(Address);
  if (!Block || !Block->reaches(Address, Bytes)) {
    bool IsFirst = !Owner->Fault;
    outOfBounds(Lane, Address, Bytes, Write, Launch->Memory.describe(Address));
    if (IsFirst)
      Owner->Fault->IsInPage = Launch->Memory.isInPage(Address + Bytes - 1);
    return nullptr;
  }
  return Block->Host + (Address - Block->Base);
}

/// Whether an access fits a memory of Size bytes.
static bool fits(uint32_t Offset, unsigned Bytes, uint64_t Size) {
  return uint64_t(Offset) + Bytes <= Size;
}

uint8_t *Warp::resolveShared(unsigned Lane, uint32_t Offset, unsigned Bytes,
                             bool Write) {
  if (!checkAlignment(Lane, Offset, Bytes))
    return nullptr;
  CTA *Holder = Owner;
  if (SharedAddress Address(Offset); Address.hasRank()) {
    Holder = Owner->Owner.find(Address.rank());
    if (!Holder)
      return outOfBounds(
          Lane, Offset, Bytes, Write,
          "of the shared memory of rank " + std::to_string(Address.rank()) +
              " in a cluster of " + std::to_string(Launch->Cluster.count()));
    Offset = Address.offset();
  }
  if (!fits(Offset, Bytes, Holder->Shared.size()))
    return outOfBounds(Lane, Offset, Bytes, Write,
                       "outside the CTA's " +
                           std::to_string(Holder->Shared.size()) +
                           " bytes of shared memory");
  if (Holder != Owner)
    for (const std::unique_ptr<Checker> &C : Owner->Owner.Checkers)
      C->accessOfOther(*this, Lane, *Holder);
  return Faulted ? nullptr : Holder->Shared.data() + Offset;
}

uint8_t *Warp::resolveLocal(unsigned Lane, uint32_t Offset, unsigned Bytes,
                            bool Write) {
  if (!checkAlignment(Lane, Offset, Bytes))
    return nullptr;
  if (!fits(Offset, Bytes, Launch->LocalBytes)) {
    std::string Size = std::to_string(Launch->LocalBytes);
    // The stack grows down from the end of local memory.
    if (static_cast<int32_t>(Offset) < 0)
      return outOfBounds(Lane, Offset, Bytes, Write,
                         "below the stack of " + Size +
                             " bytes: stack overflow");
    return outOfBounds(Lane, Offset, Bytes, Write,
                       "outside the thread's " + Size +
                           " bytes of local memory");
  }
  return Owner->Local.at(Index, Lane, Offset, Bytes);
}

/// What the bank of the parameters has at \p Offset behind the last of them:
/// the rest of the last group, and the launch's extents; null elsewhere.
static const uint8_t *findBehindParameters(const LaunchContext &Launch,
                                           uint32_t Offset, unsigned Bytes) {
  const rt::LaunchConfig &Config = Launch.Config;
  size_t Whole = alignDown(Config.Params.size(), isa::ParameterGroupBytes);
  if (Config.Params.size() != Whole && Offset >= Whole &&
      fits(Offset - Whole, Bytes, isa::ParameterGroupBytes))
    return &Launch.LastParameters[Offset - Whole];
  static_assert(sizeof(rt::Dim3) == isa::ExtentsBytes &&
                llvm::sys::IsLittleEndianHost);
  for (auto [Place, Extents] : {std::pair(isa::BlockConstants, &Config.Block),
                                std::pair(isa::GridConstants, &Config.Grid)})
    if (Offset >= Place && fits(Offset - Place, Bytes, isa::ExtentsBytes))
      return reinterpret_cast<const uint8_t *>(Extents) + (Offset - Place);
  return nullptr;
}

const uint8_t *Warp::resolveConstant(unsigned Lane, unsigned Bank,
                                     uint32_t Offset, unsigned Bytes,
                                     uint64_t ReportAs) {
  if (!checkAlignment(Lane, Offset, Bytes))
    return nullptr;
  ArrayRef<uint8_t> Data;
  if (Bank == isa::abi::ParamBank) {
    Data = Launch->Config.Params;
    if (!fits(Offset, Bytes, Data.size()))
      if (const uint8_t *Behind = findBehindParameters(*Launch, Offset, Bytes))
        return Behind;
  } else if (const Allocation *A = Launch->Code.Constants;
             A && Bank == isa::abi::ConstBank) {
    Data = ArrayRef<uint8_t>(A->Host, A->Size);
  } else if (const Allocation *T = Launch->Code.FunctionTable;
             T && Bank == isa::FunctionBank) {
    Data = ArrayRef<uint8_t>(T->Host, T->Size);
  }
  if (!fits(Offset, Bytes, Data.size())) {
    outOfBounds(Lane, ReportAs, Bytes, false,
                "outside the " + std::to_string(Data.size()) +
                    " bytes of constant bank " + std::to_string(Bank));
    return nullptr;
  }
  return Data.data() + Offset;
}

uint8_t *Warp::resolveGeneric(unsigned Lane, uint64_t Address, unsigned Bytes,
                              bool Write) {
  uint32_t Offset = static_cast<uint32_t>(Address);
  unsigned Bank;
  switch (Address >> 32) {
  case isa::abi::SharedWindow:
    return resolveShared(Lane, Offset, Bytes, Write);
  case isa::abi::LocalWindow:
    return resolveLocal(Lane, Offset, Bytes, Write);
  case isa::abi::ConstWindow:
    Bank = isa::abi::ConstBank;
    break;
  case isa::abi::ParamWindow:
    Bank = isa::abi::ParamBank;
    break;
  default:
    return resolveGlobal(Lane, Address, Bytes, Write);
  }
  if (Write)
    return outOfBounds(Lane, Address, Bytes, Write, "to read-only memory");
  // Only read through the pointer, as Write says.
  return const_cast<uint8_t *>(
      resolveConstant(Lane, Bank, Offset, Bytes, Address));
}

bool Warp::readString(unsigned Lane, uint64_t Address, std::string &Text) {
  Text.clear();
  while (true) {
    const uint8_t *Byte = resolveGeneric(Lane, Address++, 1, false);
    if (!Byte)
      return false;
    if (*Byte == 0)
      return true;
    Text += static_cast<char>(*Byte);
  }
}

} // namespace heddle::emu
