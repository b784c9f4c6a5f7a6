//===- DebugGrid.cpp - A grid that a debugger runs --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which warps run depends on nothing but what the debugger lets
// run. So a grid goes back by starting over and making the same choices.
//
//===----------------------------------------------------------------------===//

#include "Debugging/DebugGrid.h"
#include "Execute/SystemCalls.h"
#include "SharedAddress.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace heddle::emu {

/// Instructions in the time slice of a warp, and of a cluster.
static constexpr uint64_t WarpSlice = 512;
static constexpr uint64_t ClusterSlice = 1 << 16;
/// The most CTAs that are on the chip at a time, unless they wait for each
/// other: each takes memory of the host.
static constexpr uint64_t MostResident = 64;
/// Steps between two looks at whether the host wants the grid to end.
static constexpr uint64_t StepsBetweenChecks = 1 << 10;

DebuggedGrid::~DebuggedGrid() = default;
Debugger::~Debugger() = default;

DebugGrid::DebugGrid(LaunchContext &Launch, bool KeepsMemory,
                     const rt::OutputSink &Sink)
    : Launch(Launch), Sink(Sink) {
  uint64_t PerCluster = Launch.Cluster.count();
  ResidentLimit = Launch.Config.Cooperative
                      ? Cluster::countIn(Launch)
                      : std::max<uint64_t>(1, MostResident / PerCluster);
  Deliver = [this](StringRef Text) {
    // A run that repeats an earlier one prints nothing twice.
    uint64_t Begin = Printed;
    Printed += Text.size();
    if (Printed <= Delivered)
      return;
    this->Sink(Text.drop_front(Delivered > Begin ? Delivered - Begin : 0));
    Delivered = Printed;
  };
  if (KeepsMemory)
    AtStart.emplace(Launch.Memory);
  if (Launch.Races || Launch.Probes)
    NoWayBack = "the launch is checked for races or counts at probes";
  startOver();
}

DebugGrid::~DebugGrid() = default;

/// Lets the grid be at its start; memory is as it is.
void DebugGrid::startOver() {
  Resident.clear();
  Warps.clear();
  MBarriers.clear();
  Outcome.reset();
  Launch.Pending =
      &Pending.emplace(Cluster::countIn(Launch), Launch.Config.Cooperative);
  Outcome.emplace(Launch, Deliver);
  Launch.Spent = 0;
  Printed = 0;
  TheFault.reset();
  IsOver = Cancelled = false;
  Steps = Done = 0;
  Turn = 0;
  SliceLeft = WarpSlice;
  ClusterLeft = ClusterSlice;
  startClusters();
}

void DebugGrid::startClusters() {
  while (Resident.size() < ResidentLimit) {
    auto Number = Pending->begin();
    if (!Number)
      return;
    Resident.push_back(std::make_unique<Cluster>(Launch, *Number));
  }
}

//===----------------------------------------------------------------------===//
// Choosing warps
//===----------------------------------------------------------------------===//

/// The warp of \p C that runs next: the one whose turn it is if it can, else
/// the next one that can. Null if none can.
Warp *DebugGrid::chooseIn(Cluster &C) {
  size_t PerCTA = C.CTAs.front()->warps().size();
  size_t Count = PerCTA * C.CTAs.size();
  for (size_t N = 0; N < Count; ++N) {
    CTA &Block = *C.CTAs[Turn / PerCTA];
    size_t W = Turn % PerCTA;
    if (Block.stateOf(W) == Warp::Status::Running &&
        Block.prepareWarp(W) == Warp::Status::Running)
      return Block.warps()[W].get();
    Turn = (Turn + 1) % Count;
    SliceLeft = WarpSlice;
  }
  return nullptr;
}

/// The warp that runs next in the grid's order; null if the grid is done or
/// has come to a fault.
Warp *DebugGrid::chooseInTurn() {
  while (!Resident.empty()) {
    Cluster &C = *Resident.front();
    if (Warp *W = chooseIn(C))
      return W;
    size_t Before = Resident.size();
    finishIfDone(C);
    if (Resident.size() == Before && Resident.front().get() == &C) {
      deadlock(C);
      return nullptr;
    }
  }
  return nullptr;
}

Warp *DebugGrid::choose(const std::optional<WarpPlace> &Only) {
  if (!Only)
    return chooseInTurn();
  Warp *W = findWarp(*Only);
  if (!W || !W->live())
    return nullptr;
  CTA &Block = *W->Owner;
  if (Block.stateOf(W->Index) == Warp::Status::Running &&
      Block.prepareWarp(W->Index) == Warp::Status::Running)
    return W;
  // It waits for others. They are in its cluster, or come to be there.
  return W->live() ? chooseInTurn() : nullptr;
}

void DebugGrid::deadlock(Cluster &C) {
  for (const std::unique_ptr<CTA> &Block : C.CTAs)
    if (Block->status() == CTA::Status::Blocked) {
      Block->deadlock();
      TheFault = Block->Fault;
      return;
    }
}

/// Takes a cluster off the chip whose threads are done, and starts the next.
void DebugGrid::finishIfDone(Cluster &C) {
  for (const std::unique_ptr<CTA> &Block : C.CTAs)
    if (Block->lives())
      return;
  for (const std::unique_ptr<CTA> &Block : C.CTAs) {
    for (const std::unique_ptr<Warp> &W : Block->warps())
      Warps.erase(placeOf(*W));
    MBarriers.erase(MBarriers.lower_bound({Block->Number, 0}),
                    MBarriers.lower_bound({Block->Number + 1, 0}));
  }
  Done += C.CTAs.size();
  Outcome->add(C);
  if (&C == Resident.front().get()) {
    Turn = 0;
    SliceLeft = WarpSlice;
    ClusterLeft = ClusterSlice;
  }
  Resident.erase(
      std::find_if(Resident.begin(), Resident.end(),
                   [&](const auto &Each) { return Each.get() == &C; }));
  startClusters();
}

/// Counts a step against time slices; the next warp or cluster may be in turn.
void DebugGrid::endSlice() {
  bool HasSlice = SliceLeft > 0;
  if (HasSlice)
    --SliceLeft;
  if (HasSlice && SliceLeft == 0) {
    Cluster &C = *Resident.front();
    size_t Count = C.CTAs.front()->warps().size() * C.CTAs.size();
    Turn = (Turn + 1) % Count;
    SliceLeft = WarpSlice;
  }
  if (--ClusterLeft == 0) {
    std::rotate(Resident.begin(), Resident.begin() + 1, Resident.end());
    Turn = 0;
    SliceLeft = WarpSlice;
    ClusterLeft = ClusterSlice;
  }
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Keeps the calls that the lanes are in.
void DebugGrid::follow(Warp &W, const DecodedInst &I, LaneMask Exec,
                       uint32_t PC,
                       const std::shared_ptr<const RegisterCopy> &Before) {
  Seen &S = Warps[placeOf(W)];
  for (unsigned L : lanes(Exec)) {
    if (I.Info->IsCall) {
      S.Calls[L].push_back(PC);
      S.AtCalls[L].push_back(Before);
    } else if (!S.Calls[L].empty()) {
      S.Calls[L].pop_back();
      S.AtCalls[L].pop_back();
    }
  }
}

/// The mbarriers that an instruction makes, unmakes or tests.
DebugGrid::BarrierAccesses DebugGrid::barriersOf(Warp &W, const DecodedInst &I,
                                                 LaneMask Exec) {
  using enum isa::MBarrierOp;
  BarrierAccesses Result;
  auto Fn = static_cast<isa::MBarrierOp>(I.Select);
  bool IsChange = I.Info->Operation == isa::Op::MBAR &&
                  (Fn == Init || Fn == InitLayout1 || Fn == Invalidate);
  bool IsTest =
      I.Info->Operation == isa::Op::MBARTRY &&
      static_cast<isa::MBarrierTest>(I.Select) != isa::MBarrierTest::Layout;
  if (!IsChange && !IsTest)
    return Result;
  for (unsigned L : lanes(Exec)) {
    SharedAddress A(W.R[I.A][L] + uint32_t(I.Offset));
    const CTA *Block = A.hasRank() ? W.Owner->Owner.find(A.rank()) : W.Owner;
    if (Block)
      Result.push_back({L, {Block->Number, A.offset()}});
  }
  return Result;
}

/// Keeps what an instruction has done to mbarriers.
void DebugGrid::followBarriers(Warp &W, const DecodedInst &I, uint32_t PC,
                               const BarrierAccesses &Accesses) {
  bool IsTest = I.Info->Operation == isa::Op::MBARTRY;
  bool IsEnd =
      static_cast<isa::MBarrierOp>(I.Select) == isa::MBarrierOp::Invalidate;
  for (auto [L, At] : Accesses) {
    if (!IsTest && IsEnd) {
      MBarriers.erase(At);
      continue;
    }
    if (!IsTest) {
      MBarriers[At] = {PC, {}};
      continue;
    }
    for (auto &[Place, B] : MBarriers)
      if (auto It = B.Waiting.find(placeOf(W)); It != B.Waiting.end())
        It->second &= ~(LaneMask(1) << L);
    auto It = MBarriers.find(At);
    bool IsOver = W.R[I.D][L] & 1;
    if (!IsOver && It != MBarriers.end())
      It->second.Waiting[placeOf(W)] |= LaneMask(1) << L;
  }
}

/// Executes an instruction and keeps what it takes to tell where threads are;
/// false after a fault.
bool DebugGrid::stepFollowed(Warp &W) {
  const CodeImage &Image = Launch.Code.Image;
  uint32_t PC = W.nextPC();
  const DecodedInst *I = PC < Image.Insts.size() && Image.Insts[PC].Info
                             ? &Image.Insts[PC]
                             : nullptr;
  LaneMask Exec = I ? W.execOf(*I) : 0;
  if (!Exec)
    return W.Owner->stepWarp(W.Index);
  // The operands may be overwritten, and a call writes the return address.
  std::shared_ptr<const RegisterCopy> Before;
  if (I->Info->IsCall)
    Before = std::make_shared<const RegisterCopy>(registers(placeOf(W)));
  BarrierAccesses Accesses = barriersOf(W, *I, Exec);
  if (!W.Owner->stepWarp(W.Index))
    return false;
  if (!Accesses.empty())
    followBarriers(W, *I, PC, Accesses);
  // What a system call calls is not of the kernel's code.
  if (I->Info->Operation != isa::Op::SYSCALL &&
      (I->Info->IsCall || I->Info->IsReturn))
    follow(W, *I, Exec, PC, Before);
  if (NoWayBack.empty())
    if (StringRef Call = unrepeatableCall(*I); !Call.empty())
      NoWayBack = ("the kernel has called " + Call +
                   ", which does not do the same again")
                      .str();
  return true;
}

/// Executes the instruction that \p W was chosen for; false after a fault.
bool DebugGrid::execute(Warp &W) {
  CTA &Block = *W.Owner;
  Cluster &C = Block.Owner;
  bool IsInTurn = &C == Resident.front().get();
  ++Steps;
  if (!stepFollowed(W)) {
    TheFault = Block.Fault;
    return false;
  }
  if (IsInTurn)
    endSlice();
  if (!W.live())
    finishIfDone(C);
  return true;
}

bool DebugGrid::isCancelled() const {
  const std::atomic<bool> *Cancel = Launch.Config.Cancel;
  return Cancelled || (Cancel && Cancel->load(std::memory_order_relaxed));
}

GridEvent DebugGrid::eventAt(GridEvent::KindType Kind, Warp &W) const {
  GridEvent E;
  E.Kind = Kind;
  E.At = placeOf(W);
  E.PC = W.nextPC();
  E.Group = E.Exec = W.Group;
  const CodeImage &Image = Launch.Code.Image;
  // What a branch decides, it decides for all.
  if (E.PC < Image.Insts.size() && Image.Insts[E.PC].Info &&
      !Image.Insts[E.PC].Info->IsBranch)
    E.Exec = W.execOf(Image.Insts[E.PC]);
  return E;
}

GridEvent DebugGrid::faultEvent() const {
  GridEvent E;
  E.Kind = GridEvent::Fault;
  for (const std::unique_ptr<Cluster> &C : Resident)
    for (const std::unique_ptr<CTA> &Block : C->CTAs)
      if (Block->Fault && TheFault->Warp) {
        Warp &W = *Block->warps()[*TheFault->Warp];
        E.At = placeOf(W);
        E.PC = W.Current;
        E.Group = W.Group;
        E.Exec = LaneMask(1) << TheFault->Lane.value_or(0);
      }
  return E;
}

DebugGrid::Choice &DebugGrid::log(const std::optional<WarpPlace> &Only) {
  if (Choices.empty() || Choices.back().Only != Only)
    Choices.push_back({Only});
  return Choices.back();
}

/// Whether \p W stands in front of no stop, or of one that it has reported.
bool DebugGrid::isPastStop(Warp &W, const ResumeRequest &Request) {
  uint32_t PC = W.nextPC();
  if (!Request.Stops || PC >= Request.Stops->size() || !(*Request.Stops)[PC])
    return true;
  Seen &S = Warps[placeOf(W)];
  if (S.StoppedAt == W.issued() + 1 && S.StoppedPC == PC)
    return true;
  S.StoppedAt = W.issued() + 1;
  S.StoppedPC = PC;
  return false;
}

/// Counts the cluster that has the fault, which has been reported.
void DebugGrid::endWithFault() {
  for (const std::unique_ptr<Cluster> &C : Resident)
    if (std::any_of(C->CTAs.begin(), C->CTAs.end(),
                    [](const auto &Block) { return Block->Fault; })) {
      Outcome->add(*C);
      break;
    }
  IsOver = true;
}

/// One step of the warp that is to run; an event if that ends the request.
std::optional<GridEvent> DebugGrid::step(const ResumeRequest &Request,
                                         std::vector<Watched> &Watches,
                                         GridEvent &Last) {
  log(Request.Only);
  Warp *W = choose(Request.Only);
  if (TheFault)
    return faultEvent();
  if (!W) {
    IsOver = Resident.empty();
    Last.Kind = IsOver ? GridEvent::Over : GridEvent::WarpOver;
    return Last;
  }
  Choices.back().Chose = true;
  if (!isPastStop(*W, Request))
    return eventAt(GridEvent::Stop, *W);
  Choices.back().Chose = false;
  ++Choices.back().Steps;
  Last = eventAt(GridEvent::Steps, *W);
  std::vector<WatchHit> Hits;
  if (Watches.empty())
    execute(*W);
  else
    stepWatched(*W, Request, Watches, Hits);
  if (TheFault)
    return faultEvent();
  if (Hits.empty())
    return std::nullopt;
  Last.Kind = GridEvent::Watch;
  Last.Hits = std::move(Hits);
  return Last;
}

GridEvent DebugGrid::resume(const ResumeRequest &Request) {
  std::vector<Watched> Watches = beginWatching(Request.Watches);
  if (Request.Past)
    if (Warp *W = findWarp(Request.Past->first)) {
      Seen &S = Warps[Request.Past->first];
      S.StoppedAt = W->issued() + 1;
      S.StoppedPC = Request.Past->second;
    }
  if (TheFault)
    endWithFault();
  GridEvent Last;
  for (uint64_t N = 0; N < Request.MaxSteps; ++N) {
    if (N % StepsBetweenChecks == 0) {
      IsOver |= isCancelled();
      if (Request.Interrupt &&
          Request.Interrupt->load(std::memory_order_relaxed)) {
        Last.Kind = GridEvent::Interrupted;
        return Last;
      }
    }
    if (IsOver) {
      Last.Kind = GridEvent::Over;
      return Last;
    }
    if (auto End = step(Request, Watches, Last))
      return *End;
    if (is_contained(Request.Each, Last.At))
      break;
  }
  Last.Kind = GridEvent::Steps;
  return Last;
}

//===----------------------------------------------------------------------===//
// Going back
//===----------------------------------------------------------------------===//

/// Starts over and makes the same choices, for \p To steps.
std::string DebugGrid::repeat(uint64_t To,
                              function_ref<void(const GridEvent &)> Visit) {
  if (!AtStart)
    return "memory was not recorded at the kernel's start; see 'record'";
  if (!NoWayBack.empty())
    return NoWayBack;
  AtStart->restore();
  std::vector<Choice> Old = std::move(Choices);
  std::vector<Edit> OldEdits = std::move(Edits);
  Choices.clear();
  Edits.clear();
  startOver();
  auto NextEdit = OldEdits.begin();
  auto ApplyEdits = [&] {
    for (; NextEdit != OldEdits.end() && NextEdit->After <= Steps; ++NextEdit)
      NextEdit->Apply(*this);
  };
  for (const Choice &C : Old) {
    log(C.Only);
    for (uint64_t N = 0; N < C.Steps; ++N) {
      ApplyEdits();
      if (Steps == To)
        return "";
      Warp *W = choose(C.Only);
      if (!W)
        return "the grid did something else this time";
      ++Choices.back().Steps;
      Visit(eventAt(GridEvent::Steps, *W));
      execute(*W);
    }
    if (C.Chose && Steps < To) {
      Choices.back().Chose = true;
      ApplyEdits();
      choose(C.Only);
    }
  }
  ApplyEdits();
  return Steps == To ? "" : "the grid did something else this time";
}

//===----------------------------------------------------------------------===//
// The way in
//===----------------------------------------------------------------------===//

Expected<rt::LaunchResult> runDebuggedGrid(LaunchContext &Launch,
                                           Debugger &Master,
                                           const rt::OutputSink &Sink) {
  uint64_t Bytes = 0;
  for (const Allocation *A : Launch.Memory.liveBlocks())
    Bytes += A->Size;
  DebugGrid Grid(Launch, Master.wantsRewind(Bytes), Sink);
  Master.run(Grid);
  while (Grid.resume({}).Kind != GridEvent::Over)
    ;
  if (Grid.isCancelledByDebugger())
    return createStringError("the debugger ended '" + Launch.Kernel.Name + "'");
  return Grid.result();
}

} // namespace heddle::emu
