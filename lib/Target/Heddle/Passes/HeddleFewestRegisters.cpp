//===- HeddleFewestRegisters.cpp - An order for few registers --*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The producer of PTX orders instructions for few registers, more or less, and
// instruction selection keeps that order. A list scheduler for latencies loses
// the order where many values meet in one. This pass orders each region in
// several ways, with no regard to latencies: as it is, and by lists that take
// the instruction that adds the fewest registers, from either end. The order
// with the lowest peak of registers wins.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddleFewestRegisters.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineScheduler.h"
#include <deque>

using namespace llvm;

namespace {

/// The values of a region that need registers.
class RegionValues {
public:
  struct Value {
    int Registers = 0;
    unsigned Reads = 0; ///< by instructions of the region
    bool IsLiveIn = false, IsLiveOut = false;
  };
  struct Node {
    SmallVector<unsigned, 4> Reads;
    SmallVector<unsigned, 2> Defines;
  };

  explicit RegionValues(ScheduleDAGMILive &DAG);

  std::vector<Value> Values;
  std::vector<Node> Nodes; ///< by the numbers of scheduling units

private:
  unsigned numberOf(Register R, const VNInfo *VN);
  void add(Node &N, const MachineInstr &MI);

  ScheduleDAGMILive &DAG;
  LiveIntervals &LIS;
  SlotIndex Begin, End;
  DenseMap<std::pair<Register, unsigned>, unsigned> Numbers;
};

} // namespace

RegionValues::RegionValues(ScheduleDAGMILive &DAG)
    : DAG(DAG), LIS(*DAG.getLIS()) {
  MachineBasicBlock &MBB = *DAG.begin()->getParent();
  auto Behind = skipDebugInstructionsForward(DAG.end(), MBB.end());
  Begin = LIS.getInstructionIndex(
                 *skipDebugInstructionsForward(DAG.begin(), DAG.end()))
              .getBaseIndex();
  End = Behind == MBB.end() ? LIS.getMBBEndIdx(&MBB).getPrevSlot()
                            : LIS.getInstructionIndex(*Behind).getBaseIndex();
  Nodes.resize(DAG.SUnits.size());
  for (const SUnit &U : DAG.SUnits)
    add(Nodes[U.NodeNum], *U.getInstr());
}

unsigned RegionValues::numberOf(Register R, const VNInfo *VN) {
  auto [Found, IsNew] = Numbers.try_emplace({R, VN->id}, Values.size());
  if (IsNew) {
    const LiveInterval &LI = LIS.getInterval(R);
    const TargetRegisterInfo &TRI = *DAG.TRI;
    constexpr uint64_t BitsOfRegister = 32;
    Value V;
    V.Registers = static_cast<int>(divideCeil(
        TRI.getRegSizeInBits(*DAG.MRI.getRegClass(R)).getFixedValue(),
        BitsOfRegister));
    V.IsLiveIn = LI.getVNInfoAt(Begin) == VN;
    V.IsLiveOut = LI.getVNInfoAt(End) == VN;
    Values.push_back(V);
  }
  return Found->second;
}

void RegionValues::add(Node &N, const MachineInstr &MI) {
  SlotIndex Index = LIS.getInstructionIndex(MI);
  for (const MachineOperand &MO : MI.operands()) {
    if (!MO.isReg() || !MO.getReg().isVirtual())
      continue;
    Register R = MO.getReg();
    LiveQueryResult Query = LIS.getInterval(R).Query(Index);
    if (MO.readsReg())
      if (const VNInfo *VN = Query.valueIn()) {
        unsigned Number = numberOf(R, VN);
        if (!is_contained(N.Reads, Number)) {
          N.Reads.push_back(Number);
          ++Values[Number].Reads;
        }
      }
    if (MO.isDef())
      if (const VNInfo *VN = Query.valueOutOrDead()) {
        unsigned Number = numberOf(R, VN);
        if (!is_contained(N.Defines, Number))
          N.Defines.push_back(Number);
      }
  }
}

namespace {

/// Which values are live while an order grows from one of its ends.
class Liveness {
public:
  Liveness(const RegionValues &R, bool FromTop)
      : Region(R), FromTop(FromTop), Left(R.Values.size()),
        IsLive(R.Values.size()) {
    for (auto [I, V] : enumerate(R.Values)) {
      Left[I] = V.Reads;
      IsLive[I] = FromTop ? V.IsLiveIn : V.IsLiveOut;
    }
  }
  /// How many registers more are live behind an instruction.
  int costOf(unsigned Node) const {
    const RegionValues::Node &N = Region.Nodes[Node];
    int Cost = 0;
    if (FromTop) {
      for (unsigned V : N.Defines)
        if (Region.Values[V].Reads || Region.Values[V].IsLiveOut)
          Cost += Region.Values[V].Registers;
      for (unsigned V : N.Reads)
        if (Left[V] == 1 && !Region.Values[V].IsLiveOut)
          Cost -= Region.Values[V].Registers;
    } else {
      for (unsigned V : N.Reads)
        if (!IsLive[V])
          Cost += Region.Values[V].Registers;
      for (unsigned V : N.Defines)
        if (IsLive[V])
          Cost -= Region.Values[V].Registers;
    }
    return Cost;
  }
  void take(unsigned Node) {
    const RegionValues::Node &N = Region.Nodes[Node];
    for (unsigned V : N.Reads) {
      --Left[V];
      IsLive[V] = !FromTop || Left[V] || Region.Values[V].IsLiveOut;
    }
    for (unsigned V : N.Defines)
      IsLive[V] =
          FromTop && (Region.Values[V].Reads || Region.Values[V].IsLiveOut);
  }

private:
  const RegionValues &Region;
  bool FromTop;
  std::vector<unsigned> Left; ///< readers that are not in the order yet
  std::vector<char> IsLive;
};

/// A way to order a region.
struct Manner {
  bool FromTop;
  /// Among instructions of equal cost, whether the one is taken that became
  /// ready last, rather than the one that comes first.
  bool LastReadyFirst;
};

class FewestRegisters : public MachineSchedStrategy {
public:
  bool shouldTrackPressure() const override { return false; }
  void initialize(ScheduleDAGMI *DAG) override;
  SUnit *pickNode(bool &IsTopNode) override {
    IsTopNode = true;
    if (Order.empty())
      return nullptr;
    SUnit *Picked = Order.front();
    Order.pop_front();
    return Picked;
  }
  void schedNode(SUnit *, bool) override {}
  void releaseTopNode(SUnit *) override {}
  void releaseBottomNode(SUnit *) override {}

private:
  std::deque<SUnit *> Order;
};

} // namespace

using UnitOrder = std::vector<SUnit *>;

/// The most registers that are live at once, without registers that live
/// through the whole region.
static int mostRegisters(const RegionValues &Region, const UnitOrder &Order) {
  int Live = 0;
  for (const RegionValues::Value &V : Region.Values)
    if (V.IsLiveIn)
      Live += V.Registers;
  int Most = Live;
  Liveness L(Region, /*FromTop=*/true);
  for (const SUnit *U : Order) {
    Live += L.costOf(U->NodeNum);
    // A result without a reader takes a register all the same.
    int Dead = 0;
    for (unsigned V : Region.Nodes[U->NodeNum].Defines)
      if (!Region.Values[V].Reads && !Region.Values[V].IsLiveOut)
        Dead += Region.Values[V].Registers;
    Most = std::max(Most, Live + Dead);
    L.take(U->NodeNum);
  }
  return Most;
}

static UnitOrder orderBy(Manner M, std::vector<SUnit> &Units,
                         const RegionValues &Region) {
  std::vector<unsigned> Waits(Units.size());
  std::vector<SUnit *> Ready; // in the order in which they became so
  for (SUnit &U : Units) {
    Waits[U.NodeNum] = count_if(M.FromTop ? U.Preds : U.Succs, [](SDep &D) {
      return !D.isWeak() && !D.getSUnit()->isBoundaryNode();
    });
    if (!Waits[U.NodeNum])
      Ready.push_back(&U);
  }
  if (!M.FromTop)
    std::reverse(Ready.begin(), Ready.end());
  Liveness L(Region, M.FromTop);
  UnitOrder Order;
  while (!Ready.empty()) {
    size_t Best = 0;
    int Least = 0;
    for (size_t I = 0; I != Ready.size(); ++I) {
      int Cost = L.costOf(Ready[I]->NodeNum);
      bool IsNearer = M.LastReadyFirst ||
                      (M.FromTop ? Ready[I]->NodeNum < Ready[Best]->NodeNum
                                 : Ready[I]->NodeNum > Ready[Best]->NodeNum);
      if (I == 0 || Cost < Least || (Cost == Least && IsNearer)) {
        Best = I;
        Least = Cost;
      }
    }
    SUnit *Taken = Ready[Best];
    Ready.erase(Ready.begin() + static_cast<ptrdiff_t>(Best));
    Order.push_back(Taken);
    L.take(Taken->NodeNum);
    for (SDep &D : M.FromTop ? Taken->Succs : Taken->Preds)
      if (!D.isWeak() && !D.getSUnit()->isBoundaryNode() &&
          --Waits[D.getSUnit()->NodeNum] == 0)
        Ready.push_back(D.getSUnit());
  }
  if (!M.FromTop)
    std::reverse(Order.begin(), Order.end());
  return Order;
}

void FewestRegisters::initialize(ScheduleDAGMI *DAG) {
  RegionValues Region(*static_cast<ScheduleDAGMILive *>(DAG));
  UnitOrder Best;
  for (SUnit &U : DAG->SUnits)
    Best.push_back(&U);
  int Least = mostRegisters(Region, Best);
  for (bool FromTop : {false, true})
    for (bool LastReadyFirst : {true, false}) {
      UnitOrder Other = orderBy({FromTop, LastReadyFirst}, DAG->SUnits, Region);
      int Most = mostRegisters(Region, Other);
      if (Most < Least) {
        Best = std::move(Other);
        Least = Most;
      }
    }
  Order.assign(Best.begin(), Best.end());
}

std::unique_ptr<MachineSchedStrategy> llvm::createHeddleFewestRegisters() {
  return std::make_unique<FewestRegisters>();
}
