//===- HeddleHazards.cpp - Stall counts, counters, wait masks --*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fills in the control field of every instruction, so that the rules of
// docs/hazards.md hold.
//
// Variable-latency instructions are events. A first dataflow over events finds
// the results and late sources that a later instruction has to wait for, and
// how soon. A second dataflow gives each of them a counter and finds the wait
// masks. A third dataflow, over the cycles that remain until fixed-latency
// results become visible, finds the stall counts. All three join the states of
// predecessors by union (maximum), and states at block entries only ever grow,
// so they end.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "heddle/Support/Check.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SparseBitVector.h"
#include "llvm/CodeGen/LazyMachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/InitializePasses.h"
#include <array>

using namespace llvm;
namespace isa = heddle::isa;

#define DEBUG_TYPE "heddle-hazards"

namespace {

using Unit = unsigned;
using Event = unsigned;
constexpr Event NoEvent = ~0u;

/// The properties of an instruction that hazards depend on.
struct Instr {
  enum Kind { Plain, Transfer, SystemCall, End };
  MachineInstr *MI = nullptr;
  Kind K = Plain;
  bool Variable = false;
  unsigned Latency = 1;
  SmallVector<Unit, 6> Reads;
  SmallVector<Unit, 4> Writes;
  Event Ev = NoEvent;
  isa::Control Ctl;
};

/// A waiting instruction that, by the profile, fewer than this share of the
/// warps that issued the event reach has no say in the choice of the event's
/// counter.
constexpr double RareWaiter = 1.0 / 16;

/// A variable-latency instruction with results or late sources.
struct EventInfo {
  unsigned Index = 0; ///< of the instruction
  const MachineBasicBlock *Block = nullptr;
  SmallVector<Unit, 4> Results;
  SmallVector<Unit, 4> LateSources;
  bool NeedsWrite = false, NeedsRead = false; ///< somebody waits for it
  /// Instructions from issue to the first that waits.
  unsigned WriteDistance = ~0u, ReadDistance = ~0u;
  unsigned Counter[2] = {isa::NoCounter, isa::NoCounter};
};

/// The two things that an event leaves pending.
enum Part { Write = 0, Read = 1 };

/// Events whose results may not be there, or whose sources may not be read.
struct EventState {
  SparseBitVector<> Parts[2];

  bool merge(const EventState &O) {
    bool Changed = Parts[Write] |= O.Parts[Write];
    return (Parts[Read] |= O.Parts[Read]) || Changed;
  }
};

/// An EventState with an index by register unit, for walking through a block.
class Pending {
  const std::vector<EventInfo> &Events;
  std::vector<SmallVector<Event, 1>> ByUnit[2];
  EventState State;

  ArrayRef<Unit> units(Event E, Part P) const {
    return P == Write ? Events[E].Results : Events[E].LateSources;
  }

public:
  Pending(const std::vector<EventInfo> &Events, unsigned NumUnits)
      : Events(Events) {
    ByUnit[Write].resize(NumUnits);
    ByUnit[Read].resize(NumUnits);
  }

  void reset(const EventState &S) {
    for (Part P : {Write, Read}) {
      for (Event E : State.Parts[P])
        for (Unit U : units(E, P))
          ByUnit[P][U].clear();
      State.Parts[P].clear();
      for (Event E : S.Parts[P])
        add(E, P);
    }
  }
  void add(Event E, Part P) {
    if (units(E, P).empty() || !State.Parts[P].test_and_set(E))
      return;
    for (Unit U : units(E, P))
      ByUnit[P][U].push_back(E);
  }
  void remove(Event E, Part P) {
    if (!State.Parts[P].test(E))
      return;
    State.Parts[P].reset(E);
    for (Unit U : units(E, P))
      llvm::erase(ByUnit[P][U], E);
  }
  ArrayRef<Event> at(Unit U, Part P) const { return ByUnit[P][U]; }
  const EventState &state() const { return State; }
};

/// Cycles until each register unit's fixed-latency result is visible.
using Cycles = std::vector<uint8_t>;

class Hazards {
  MachineFunction &MF;
  const HeddleInstrInfo &TII;
  const TargetRegisterInfo &TRI;
  const isa::ChipInfo &Chip;
  const MachineBlockFrequencyInfo *Frequencies;
  std::vector<MachineBasicBlock *> Order;
  std::vector<Instr> Instrs;
  /// Instructions of block N: First[N] to Last[N], by block number.
  std::vector<unsigned> First, Last;
  std::vector<EventInfo> Events;
  BitVector LateUnits, ConstantUnits;
  /// For each counter the index of the instruction that used it last.
  std::array<unsigned, isa::NumCounters> LastUse{};
  std::vector<Cycles> CyclesIn;
  static constexpr unsigned MaxStall = 15;
  /// The most that sharing a counter may cost, in instructions, to leave one
  /// free.
  static constexpr unsigned LittleCost = 8;

public:
  /// Frequencies are null without a profile.
  Hazards(MachineFunction &MF, const MachineBlockFrequencyInfo *Frequencies)
      : MF(MF), TII(*MF.getSubtarget<HeddleSubtarget>().getInstrInfo()),
        TRI(*MF.getSubtarget().getRegisterInfo()),
        Chip(MF.getSubtarget<HeddleSubtarget>().getChip()),
        Frequencies(Frequencies) {}

  void run() {
    collectUnits();
    orderBlocks();
    collectInstrs();
    findNeeds();
    assignCounters();
    findStalls();
    write();
  }

private:
  //===--------------------------------------------------------------------===//
  // The model
  //===--------------------------------------------------------------------===//

  void collectUnits() {
    LateUnits.resize(TRI.getNumRegUnits());
    ConstantUnits.resize(TRI.getNumRegUnits());
    for (MCRegister R : Heddle::GPR32RegClass)
      for (MCRegUnit U : TRI.regunits(R))
        LateUnits.set(static_cast<unsigned>(U));
    for (MCRegister R : {Heddle::RZ, Heddle::RZ64, Heddle::RZ128, Heddle::PT,
                         Heddle::URZ, Heddle::URZ64, Heddle::UPT})
      for (MCRegUnit U : TRI.regunits(R))
        ConstantUnits.set(static_cast<unsigned>(U));
  }

  void orderBlocks() {
    for (MachineBasicBlock *MBB : ReversePostOrderTraversal(&MF))
      Order.push_back(MBB);
    // Unreachable blocks are emitted as well.
    BitVector Seen(MF.getNumBlockIDs());
    for (MachineBasicBlock *MBB : Order)
      Seen.set(MBB->getNumber());
    for (MachineBasicBlock &MBB : MF)
      if (!Seen.test(MBB.getNumber()))
        Order.push_back(&MBB);
  }

  void addUnits(SmallVectorImpl<Unit> &List, MCRegister R) const {
    if (!R)
      return;
    for (MCRegUnit RU : TRI.regunits(R)) {
      Unit U = static_cast<unsigned>(RU);
      if (!ConstantUnits.test(U) && !is_contained(List, U))
        List.push_back(U);
    }
  }

  /// Registers that no operand names.
  void addHiddenUnits(Instr &I) const {
    const MachineInstr &MI = *I.MI;
    switch (MI.getOpcode()) {
    case Heddle::P2R:
      for (MCRegister P : Heddle::PRRegClass)
        addUnits(I.Reads, P);
      break;
    case Heddle::R2P: {
      int64_t Mask = MI.getOperand(Heddle::getNamedOperandIdx(
                                       Heddle::R2P, Heddle::OpName::b))
                         .getImm();
      for (MCRegister P : Heddle::PRRegClass)
        if (Mask >> TRI.getEncodingValue(P) & 1)
          addUnits(I.Writes, P);
      break;
    }
    case Heddle::BREAK:
      addUnits(I.Reads, MI.getOperand(0).getReg());
      break;
    default:
      break;
    }
  }

  static Instr::Kind kindOf(const MachineInstr &MI) {
    switch (MI.getOpcode()) {
    case Heddle::CALL:
    case Heddle::CALLR:
    case Heddle::RET:
      return Instr::Transfer;
    case Heddle::SYSCALL:
      return Instr::SystemCall;
    case Heddle::EXIT:
    case Heddle::EXIT_IF:
      return Instr::End;
    default:
      return Instr::Plain;
    }
  }

  Instr makeInstr(MachineInstr &MI) const {
    const isa::InstInfo *Info = HeddleInstrInfo::getISAInfo(MI.getOpcode());
    HEDDLE_CHECK(Info, TII.getName(MI.getOpcode()).str().c_str());
    Instr I;
    I.MI = &MI;
    I.K = kindOf(MI);
    I.Variable =
        isa::latencyClass(Info->Latency).Variable && I.K != Instr::SystemCall;
    I.Latency = Chip.Timings[static_cast<size_t>(Info->Latency)].Latency;
    // Operands beyond the encoded ones only inform the register allocator.
    for (const MachineOperand &MO :
         ArrayRef(MI.operands_begin(), MI.getDesc().getNumOperands()))
      if (MO.isReg() && MO.getReg())
        addUnits(MO.isDef() ? static_cast<SmallVectorImpl<Unit> &>(I.Writes)
                            : I.Reads,
                 MO.getReg());
    addHiddenUnits(I);
    return I;
  }

  void addEvent(Instr &I, unsigned Index) {
    EventInfo E;
    E.Index = Index;
    E.Block = I.MI->getParent();
    E.Results.assign(I.Writes.begin(), I.Writes.end());
    for (Unit U : I.Reads)
      if (LateUnits.test(U))
        E.LateSources.push_back(U);
    if (E.Results.empty() && E.LateSources.empty())
      return;
    I.Ev = Events.size();
    Events.push_back(std::move(E));
  }

  void collectInstrs() {
    First.resize(MF.getNumBlockIDs());
    Last.resize(MF.getNumBlockIDs());
    for (MachineBasicBlock *MBB : Order) {
      First[MBB->getNumber()] = Instrs.size();
      for (MachineInstr &MI : *MBB) {
        if (MI.isMetaInstruction())
          continue;
        Instrs.push_back(makeInstr(MI));
        if (Instrs.back().Variable)
          addEvent(Instrs.back(), Instrs.size() - 1);
      }
      Last[MBB->getNumber()] = Instrs.size();
    }
  }

  MutableArrayRef<Instr> instrs(const MachineBasicBlock &MBB) {
    unsigned N = MBB.getNumber();
    return MutableArrayRef(Instrs).slice(First[N], Last[N] - First[N]);
  }

  /// Calls \p Visit(event, part) for each event that must be over when I
  /// issues. The visitor may remove the event from P.
  template <typename Fn>
  void forEachRequirement(const Instr &I, const Pending &P, Fn Visit) const {
    SmallVector<std::pair<Event, Part>, 8> Found;
    auto Take = [&](ArrayRef<Event> List, Part Pt) {
      for (Event E : List)
        Found.push_back({E, Pt});
    };
    if (I.K == Instr::Transfer || I.K == Instr::SystemCall) {
      for (Part Pt : {Write, Read})
        for (Event E : P.state().Parts[Pt])
          Found.push_back({E, Pt});
    } else {
      for (Unit U : I.Reads)
        Take(P.at(U, Write), Write);
      for (Unit U : I.Writes)
        Take(P.at(U, Write), Write);
      for (Unit U : I.Writes)
        Take(P.at(U, Read), Read);
    }
    for (auto [E, Pt] : Found)
      if (P.state().Parts[Pt].test(E)) // not removed by an earlier visit
        Visit(E, Pt);
  }

  /// Calls \p Visit for the blocks that MI, a branch, names.
  template <typename Fn>
  static void forEachTarget(const MachineInstr &MI, Fn Visit) {
    if (MI.isTerminator())
      for (const MachineOperand &MO : MI.operands())
        if (MO.isMBB())
          Visit(*MO.getMBB());
  }

  /// Runs \p Walk over the blocks until the states at their entries are stable.
  template <typename Fn> void solve(Fn Walk) {
    std::vector<EventState> In(MF.getNumBlockIDs());
    BitVector Dirty(MF.getNumBlockIDs(), true);
    Pending P(Events, TRI.getNumRegUnits());
    for (bool Again = true; Again;) {
      Again = false;
      for (MachineBasicBlock *MBB : Order) {
        unsigned N = MBB->getNumber();
        if (!Dirty.test(N))
          continue;
        Dirty.reset(N);
        P.reset(In[N]);
        auto Flow = [&](const MachineBasicBlock &S) {
          if (In[S.getNumber()].merge(P.state())) {
            Dirty.set(S.getNumber());
            Again = true;
          }
        };
        Walk(*MBB, P, Flow);
        for (MachineBasicBlock *S : MBB->successors())
          Flow(*S);
      }
    }
  }

  //===--------------------------------------------------------------------===//
  // What has to be waited for
  //===--------------------------------------------------------------------===//

  bool isRare(const MachineBasicBlock &MBB,
              const MachineBasicBlock &Usual) const {
    auto Often = [&](const MachineBasicBlock &B) {
      return static_cast<double>(Frequencies->getBlockFreq(&B).getFrequency());
    };
    return Frequencies && Often(MBB) < RareWaiter * Often(Usual);
  }

  /// Instructions from an event to instruction To of MBB, which waits for it.
  unsigned distance(const EventInfo &From, unsigned To,
                    const MachineBasicBlock &MBB) const {
    // Around a loop: as if the code behind the event stood before the waiter.
    constexpr unsigned Far = 256;
    return To > From.Index && !isRare(MBB, *From.Block) ? To - From.Index : Far;
  }

  void findNeeds() {
    solve([&](MachineBasicBlock &MBB, Pending &P, auto Flow) {
      for (Instr &I : instrs(MBB)) {
        unsigned Index = &I - Instrs.data();
        forEachRequirement(I, P, [&](Event E, Part Pt) {
          EventInfo &Info = Events[E];
          unsigned D = distance(Info, Index, MBB);
          if (Pt == Write) {
            Info.NeedsWrite = true;
            Info.WriteDistance = std::min(Info.WriteDistance, D);
            P.remove(E, Write);
          } else {
            Info.NeedsRead = true;
            Info.ReadDistance = std::min(Info.ReadDistance, D);
          }
          // A complete instruction has read its sources.
          P.remove(E, Read);
        });
        if (I.Ev != NoEvent) {
          P.add(I.Ev, Write);
          P.add(I.Ev, Read);
        }
        forEachTarget(*I.MI, Flow);
      }
    });
  }

  //===--------------------------------------------------------------------===//
  // Counters and wait masks
  //===--------------------------------------------------------------------===//

  /// A guess, in instructions, when the part of E is over.
  unsigned expectedEnd(Event E, Part Pt) const {
    const Instr &I = Instrs[Events[E].Index];
    // Memory is rarely as fast as its best case.
    unsigned Factor = I.MI->mayLoad() && Pt == Write ? 4 : 1;
    return Events[E].Index + I.Latency * Factor / 2;
  }

  unsigned neededAt(Event E, Part Pt) const {
    const EventInfo &I = Events[E];
    return I.Index + (Pt == Write ? I.WriteDistance : I.ReadDistance);
  }

  /// How long a waiter would wait beyond its own operation, in instructions, if
  /// E shared Counter with the events pending on it; 0 if none is pending.
  unsigned sharingCost(Event E, Part Pt, unsigned Counter,
                       const Pending &P) const {
    unsigned Cost = 0;
    for (Part Q : {Write, Read})
      for (Event O : P.state().Parts[Q]) {
        if (Events[O].Counter[Q] != Counter)
          continue;
        unsigned NeedE = neededAt(E, Pt), NeedO = neededAt(O, Q);
        unsigned EndE = expectedEnd(E, Pt), EndO = expectedEnd(O, Q);
        // The first of both waiters waits for both operations. That of another
        // block is mostly over, or was one before the loop that E is in.
        bool IsNear = Events[O].Block == Events[E].Block;
        unsigned Wait = NeedE < NeedO ? std::max(NeedE, EndE)
                                      : std::max(NeedO, IsNear ? EndO : 0);
        unsigned Other = NeedE < NeedO ? EndO : EndE;
        Cost = std::max(Cost, 1 + (Other > Wait ? Other - Wait : 0));
      }
    return Cost;
  }

  /// The counter that costs least. The last counter without a pending event is
  /// left to sources where a result can share another counter at hardly any
  /// cost: the instruction that overwrites a source comes soon, and would wait
  /// for a result from memory.
  unsigned chooseCounter(Event E, Part Pt, const Pending &P) {
    std::array<unsigned, isa::NumCounters> Cost;
    for (unsigned C = 0; C < isa::NumCounters; ++C)
      Cost[C] = sharingCost(E, Pt, C, P);
    bool KeepsFree = Pt == Write && llvm::count(Cost, 0u) == 1 &&
                     llvm::any_of(Cost, [](unsigned C) {
                       return C != 0 && C <= LittleCost;
                     });
    unsigned Best = isa::NumCounters;
    for (unsigned C = 0; C < isa::NumCounters; ++C) {
      if (KeepsFree && Cost[C] == 0)
        continue;
      if (Best == isa::NumCounters || Cost[C] < Cost[Best] ||
          (Cost[C] == Cost[Best] && LastUse[C] < LastUse[Best]))
        Best = C;
    }
    LastUse[Best] = Events[E].Index + 1;
    return Best;
  }

  /// Everything pending on the counters of Mask is over.
  void waitFor(unsigned Mask, Pending &P) const {
    for (Part Pt : {Write, Read}) {
      SmallVector<Event, 16> Over;
      for (Event E : P.state().Parts[Pt]) {
        const EventInfo &I = Events[E];
        auto Waited = [&](Part Q) {
          return I.Counter[Q] != isa::NoCounter && (Mask >> I.Counter[Q] & 1);
        };
        if (Waited(Pt) || Waited(Write))
          Over.push_back(E);
      }
      for (Event E : Over)
        P.remove(E, Pt);
    }
  }

  void issueEvent(Instr &I, Pending &P) {
    EventInfo &E = Events[I.Ev];
    if (E.NeedsWrite && E.Counter[Write] == isa::NoCounter)
      E.Counter[Write] = chooseCounter(I.Ev, Write, P);
    if (E.NeedsWrite)
      P.add(I.Ev, Write);
    if (E.NeedsRead && E.Counter[Read] == isa::NoCounter)
      E.Counter[Read] = chooseCounter(I.Ev, Read, P);
    if (E.NeedsRead)
      P.add(I.Ev, Read);
    I.Ctl.WriteCounter = E.Counter[Write];
    I.Ctl.ReadCounter = E.Counter[Read];
  }

  void assignCounters() {
    solve([&](MachineBasicBlock &MBB, Pending &P, auto Flow) {
      for (Instr &I : instrs(MBB)) {
        unsigned Mask = 0;
        forEachRequirement(I, P, [&](Event E, Part Pt) {
          unsigned C = Events[E].Counter[Pt];
          HEDDLE_CHECK(C != isa::NoCounter, "a needed event has no counter");
          Mask |= 1u << C;
        });
        if (Mask)
          waitFor(Mask, P);
        I.Ctl.WaitMask = Mask;
        if (I.Ev != NoEvent)
          issueEvent(I, P);
        forEachTarget(*I.MI, Flow);
      }
    });
  }

  //===--------------------------------------------------------------------===//
  // Stall counts
  //===--------------------------------------------------------------------===//

  /// Cycles that must pass before I issues, if Rest remain now.
  unsigned delayBefore(const Instr &I, const Cycles &Rest) const {
    if (I.K == Instr::SystemCall)
      return *llvm::max_element(Rest);
    unsigned Delay = 0;
    for (Unit U : I.Reads)
      Delay = std::max<unsigned>(Delay, Rest[U]);
    for (Unit U : I.Writes) {
      // Two fixed-latency results must become visible one after the other.
      unsigned Allowed = I.Variable ? 0 : I.Latency - 1;
      if (Rest[U] > Allowed)
        Delay = std::max<unsigned>(Delay, Rest[U] - Allowed);
    }
    return Delay;
  }

  static void pass(Cycles &Rest, unsigned N) {
    for (uint8_t &C : Rest)
      C = C > N ? C - N : 0;
  }

  void issue(const Instr &I, Cycles &Rest) const {
    if (I.Variable || I.K == Instr::SystemCall)
      return;
    for (Unit U : I.Writes)
      Rest[U] = I.Latency;
  }

  /// The largest delay that the code at the start of MBB needs.
  unsigned delayAtEntry(MachineBasicBlock &MBB, const Cycles &Rest,
                        unsigned Depth = 0) {
    ArrayRef<Instr> Is = instrs(MBB);
    if (!Is.empty())
      return delayBefore(Is.front(), Rest);
    unsigned Delay = 0;
    // Blocks without code follow each other only by falling through.
    if (Depth < MF.size())
      for (MachineBasicBlock *S : MBB.successors())
        Delay = std::max(Delay, delayAtEntry(*S, Rest, Depth + 1));
    return Delay;
  }

  /// The stall count of the last instruction of MBB, when Rest remain at its
  /// issue.
  unsigned stallAtEnd(MachineBasicBlock &MBB, const Instr &I,
                      const Cycles &Rest) {
    unsigned Delay = 1;
    if (I.K == Instr::Transfer)
      return std::max<unsigned>(Delay, *llvm::max_element(Rest));
    for (MachineBasicBlock *S : MBB.successors())
      Delay = std::max(Delay, delayAtEntry(*S, Rest));
    return Delay;
  }

  /// The stall count of Is[N], a part of MBB, when Rest remain at its issue.
  unsigned stallOf(MachineBasicBlock &MBB, ArrayRef<Instr> Is, unsigned N,
                   const Cycles &Rest) {
    const Instr &I = Is[N];
    if (N + 1 == Is.size())
      return stallAtEnd(MBB, I, Rest);
    if (I.K == Instr::Transfer)
      return std::max<unsigned>(1, *llvm::max_element(Rest));
    unsigned Stall = std::max(1u, delayBefore(Is[N + 1], Rest));
    forEachTarget(*I.MI, [&](MachineBasicBlock &T) {
      Stall = std::max(Stall, delayAtEntry(T, Rest));
    });
    return Stall;
  }

  /// Walks through MBB; Rest is the state at its entry, then at its exit.
  /// Calls \p Flow with the target of each branch.
  template <typename Fn>
  void stallBlock(MachineBasicBlock &MBB, Cycles &Rest, Fn Flow) {
    MutableArrayRef<Instr> Is = instrs(MBB);
    for (unsigned N = 0; N < Is.size(); ++N) {
      Instr &I = Is[N];
      issue(I, Rest);
      unsigned Stall = stallOf(MBB, Is, N, Rest);
      // No chip has a fixed latency that would need NOPs.
      HEDDLE_CHECK(Stall <= MaxStall,
                   "a latency above the stall count's range");
      I.Ctl.Stall = Stall;
      pass(Rest, Stall);
      forEachTarget(*I.MI, Flow);
    }
  }

  void findStalls() {
    CyclesIn.assign(MF.getNumBlockIDs(), Cycles(TRI.getNumRegUnits(), 0));
    BitVector Dirty(MF.getNumBlockIDs(), true);
    for (bool Again = true; Again;) {
      Again = false;
      for (MachineBasicBlock *MBB : Order) {
        if (!Dirty.test(MBB->getNumber()))
          continue;
        Dirty.reset(MBB->getNumber());
        Cycles Rest = CyclesIn[MBB->getNumber()];
        auto Flow = [&](const MachineBasicBlock &S) {
          bool Grew = false;
          for (auto [A, B] : llvm::zip_equal(CyclesIn[S.getNumber()], Rest))
            if (B > A) {
              A = B;
              Grew = true;
            }
          if (Grew) {
            Dirty.set(S.getNumber());
            Again = true;
          }
        };
        stallBlock(*MBB, Rest, Flow);
        for (MachineBasicBlock *S : MBB->successors())
          Flow(*S);
      }
    }
  }

  void write() {
    for (Instr &I : Instrs) {
      int N =
          Heddle::getNamedOperandIdx(I.MI->getOpcode(), Heddle::OpName::ctl);
      HEDDLE_CHECK(N >= 0, "an instruction without a control field");
      I.MI->getOperand(N).setImm(I.Ctl.pack());
    }
  }
};

class HeddleHazards : public MachineFunctionPass {
public:
  static char ID;
  HeddleHazards() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return "Heddle hazards"; }
  bool runOnMachineFunction(MachineFunction &MF) override {
    // That code has its control fields.
    if (MF.getInfo<HeddleMachineFunctionInfo>()->Generated)
      return false;
    Hazards(MF, MF.getFunction().hasProfileData()
                    ? &getAnalysis<LazyMachineBlockFrequencyInfoPass>().getBFI()
                    : nullptr)
        .run();
    return true;
  }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequired<LazyMachineBlockFrequencyInfoPass>();
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
};

} // namespace

char HeddleHazards::ID = 0;

INITIALIZE_PASS_BEGIN(HeddleHazards, DEBUG_TYPE, "Heddle hazards", false, false)
INITIALIZE_PASS_DEPENDENCY(LazyMachineBlockFrequencyInfoPass)
INITIALIZE_PASS_END(HeddleHazards, DEBUG_TYPE, "Heddle hazards", false, false)

FunctionPass *llvm::createHeddleHazardsPass() { return new HeddleHazards(); }
