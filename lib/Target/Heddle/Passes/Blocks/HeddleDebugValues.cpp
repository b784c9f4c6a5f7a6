//===- HeddleDebugValues.cpp - Places that scheduling keeps true *- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What debuggers are told of registers, around each scheduler, which puts
// instructions into another order. It would move each debug value with the
// instruction in front of it, whatever became of those that write the register.
// So they are out of the function while it runs. Then a variable has a value
// from where it was assigned and its register is written, in the new order, up
// to its next assignment, or up to where the register is another one's. A stack
// slot counts as a register.
// Assignments of a variable stay in their order, as far as they are of the same
// bytes: pieces of a structure are assigned apart from each other.
//
// Instructions are known again by their numbers, which LLVM has for this, so
// that one that is gone meanwhile is not mistaken for another one. What the
// places are at the begin of a block, LLVM finds out later, from what they are
// at the end of those in front.
//
//===----------------------------------------------------------------------===//

#include "Passes/Blocks/HeddleDebugValues.h"
#include "HeddleMachineFunctionInfo.h"
#include "Passes/Blocks/HeddleSpillPlaces.h"
#include "Passes/HeddlePasses.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/InitializePasses.h"

#include <limits>
#include <map>

using namespace llvm;

#define DEBUG_TYPE "heddle-debug-values"
#define PASS_NAME "Heddle debug values"

using Entry = HeddleMachineFunctionInfo::DetachedValue;

namespace {

/// Calls \p Do for each unit of a register; a virtual register is one.
template <typename Function>
void forUnits(Register R, const TargetRegisterInfo &TRI, Function Do) {
  if (R.isVirtual())
    return Do(R.id());
  for (MCRegUnit Unit : TRI.regunits(R.asMCReg()))
    Do(unsigned(Unit));
}

/// Calls \p Do for each unit of a register, and the slot, that an instruction
/// writes.
template <typename Function>
void forWrittenUnits(const MachineInstr &MI, const TargetRegisterInfo &TRI,
                     const SpillSlots &Slots, Function Do) {
  if (std::optional<unsigned> Slot = Slots.writtenBy(MI))
    Do(*Slot);
  for (const MachineOperand &MO : MI.operands()) {
    if (MO.isRegMask()) {
      for (unsigned Reg = 1; Reg != TRI.getNumRegs(); ++Reg)
        if (MO.clobbersPhysReg(Reg))
          forUnits(Reg, TRI, Do);
    } else if (MO.isReg() && MO.isDef() && MO.getReg()) {
      forUnits(MO.getReg(), TRI, Do);
    }
  }
}

DebugVariable variableOf(const MachineInstr &Value) {
  return DebugVariable(Value.getDebugVariable(), Value.getDebugExpression(),
                       Value.getDebugLoc()->getInlinedAt());
}

//===----------------------------------------------------------------------===//
// In front of the scheduler
//===----------------------------------------------------------------------===//

std::vector<Entry> detachFrom(MachineBasicBlock &MBB, const SpillSlots &Slots) {
  MachineFunction &MF = *MBB.getParent();
  const MachineRegisterInfo &MRI = MF.getRegInfo();
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  std::vector<Entry> Result;
  if (none_of(MBB, [](const MachineInstr &MI) { return MI.isDebugValue(); }))
    return Result;
  DenseMap<unsigned, unsigned> Written; // By unit.
  unsigned Last = 0;
  for (MachineInstr &MI : make_early_inc_range(MBB)) {
    if (!MI.isDebugValue()) {
      if (MI.isDebugInstr())
        continue;
      Last = MI.getDebugInstrNum();
      forWrittenUnits(MI, TRI, Slots,
                      [&](unsigned Unit) { Written[Unit] = Last; });
      continue;
    }
    Entry E{MI.removeFromParent(), Last, {}};
    for (const MachineOperand &MO : MI.debug_operands())
      // The frame's registers are the same in all of the function's body.
      if (MO.isReg() && MO.getReg() &&
          (MO.getReg().isVirtual() || !MRI.isReserved(MO.getReg())))
        forUnits(MO.getReg(), TRI, [&](unsigned Unit) {
          E.Writers.push_back({Unit, Written.lookup(Unit)});
        });
    if (std::optional<unsigned> Slot = Slots.placeOf(*E.Value))
      E.Writers.push_back({*Slot, Written.lookup(*Slot)});
    Result.push_back(std::move(E));
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Behind it
//===----------------------------------------------------------------------===//

/// Puts the values of a block back.
class Attacher {
public:
  Attacher(MachineBasicBlock &MBB, const SpillSlots &Slots);
  void run(ArrayRef<Entry> Values);

private:
  /// A place in the block: the number of instructions in front of it.
  using Index = unsigned;
  static constexpr Index Never = std::numeric_limits<Index>::max();

  /// Where the registers begin to have the value; Never: nowhere, or another
  /// value is there by \p From already.
  Index beginOf(const Entry &E, Index From) const;
  void insert(Index At, MachineInstr *Value);

  /// The last one of some bytes of a variable.
  struct LastValue {
    DIExpression::FragmentInfo Bytes;
    size_t Number;
    bool overlaps(const DebugVariable &V) const {
      return DIExpression::fragmentsOverlap(Bytes, V.getFragmentOrDefault());
    }
    bool isOf(const DebugVariable &V) const {
      return Bytes == V.getFragmentOrDefault();
    }
  };

  MachineBasicBlock &MBB;
  const TargetRegisterInfo &TRI;
  std::vector<MachineInstr *> Order;
  DenseMap<unsigned, Index> Behind; ///< By number: the place behind it.
  /// By unit: the places behind those that write it.
  DenseMap<unsigned, SmallVector<Index, 4>> Writes;
  /// What comes to a place, in its order.
  std::multimap<Index, MachineInstr *> Inserted;
};

} // namespace

Attacher::Attacher(MachineBasicBlock &MBB, const SpillSlots &Slots)
    : MBB(MBB), TRI(*MBB.getParent()->getSubtarget().getRegisterInfo()) {
  for (MachineInstr &MI : MBB) {
    if (MI.isDebugInstr())
      continue;
    Order.push_back(&MI);
    Index At = Order.size();
    if (unsigned Number = MI.peekDebugInstrNum())
      Behind[Number] = At;
    forWrittenUnits(MI, TRI, Slots, [&](unsigned Unit) {
      SmallVectorImpl<Index> &All = Writes[Unit];
      if (All.empty() || All.back() != At)
        All.push_back(At);
    });
  }
}

Attacher::Index Attacher::beginOf(const Entry &E, Index From) const {
  Index Begin = From;
  for (auto [Unit, Writer] : E.Writers) {
    auto It = Writer ? Behind.find(Writer) : Behind.end();
    if (Writer && It == Behind.end())
      return Never;
    Begin = std::max(Begin, Writer ? It->second : 0);
  }
  for (auto [Unit, Writer] : E.Writers) {
    Index Since = Writer ? Behind.lookup(Writer) : 0;
    auto It = Writes.find(Unit);
    if (It == Writes.end())
      continue;
    // The instruction that overwrites it still sees the value.
    if (any_of(It->second, [&](Index W) { return W > Since && W <= Begin; }))
      return Never;
  }
  return Begin;
}

void Attacher::insert(Index At, MachineInstr *Value) {
  Inserted.insert({At, Value});
}

void Attacher::run(ArrayRef<Entry> Values) {
  MachineFunction &MF = *MBB.getParent();
  // Where each is assigned, and where some of its bytes are assigned again.
  std::vector<Index> From, Next(Values.size(), Never);
  DenseMap<DebugVariableAggregate, SmallVector<LastValue, 1>> Pieces;
  for (auto [N, E] : enumerate(Values)) {
    DebugVariable V = variableOf(*E.Value);
    Index At = E.Behind ? Behind.lookup(E.Behind) : 0;
    SmallVectorImpl<LastValue> &Of = Pieces[DebugVariableAggregate(V)];
    for (const LastValue &Last : Of)
      if (Last.overlaps(V))
        At = std::max(At, From[Last.Number]);
    for (const LastValue &Last : Of)
      if (Last.overlaps(V))
        Next[Last.Number] = std::min(Next[Last.Number], At);
    erase_if(Of, [&](const LastValue &Last) { return Last.isOf(V); });
    Of.push_back({V.getFragmentOrDefault(), N});
    From.push_back(At);
  }
  for (auto [N, E] : enumerate(Values)) {
    Index Begin = beginOf(E, From[N]);
    // Until then it has neither this value nor the one before.
    if (Begin != From[N]) {
      MachineInstr *Nothing = MF.CloneMachineInstr(E.Value);
      Nothing->setDebugValueUndef();
      insert(From[N], Nothing);
    }
    if (Begin != Never && Begin < Next[N])
      insert(Begin, E.Value);
    else
      MF.deleteMachineInstr(E.Value);
  }
  for (auto [At, Value] : Inserted)
    MBB.insert(At < Order.size() ? Order[At]->getIterator() : MBB.instr_end(),
               Value);
}

//===----------------------------------------------------------------------===//
// Of a function
//===----------------------------------------------------------------------===//

/// The line of scopes that are there meanwhile, which no source has.
static constexpr unsigned HiddenLine = std::numeric_limits<unsigned>::max();

static const DILocation *hidden(const DILocation &At) {
  LLVMContext &Context = At.getContext();
  auto *Scope = DILexicalBlock::getDistinct(Context, At.getScope(),
                                            At.getFile(), HiddenLine, 0);
  return DILocation::get(Context, At.getLine(), At.getColumn(), Scope,
                         At.getInlinedAt());
}

/// LLVM's allocation states a value again where the instructions of the
/// variable's scope go on behind others, one instruction too late, which may
/// have overwritten it. It leaves variables alone whose scopes have no
/// instructions, such as the ones these get meanwhile.
static void hideScopes(MachineFunction &MF) {
  DenseMap<const DILocation *, const DILocation *> Hidden;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      if (MI.isDebugValue()) {
        const DILocation *At = MI.getDebugLoc();
        const DILocation *&In = Hidden[At];
        if (!In)
          In = hidden(*At);
        MI.setDebugLoc(In);
      }
}

static void showScope(MachineInstr &MI) {
  const DILocation *At = MI.getDebugLoc();
  auto *Scope = dyn_cast<DILexicalBlock>(At->getScope());
  if (Scope && Scope->getLine() == HiddenLine)
    MI.setDebugLoc(DILocation::get(At->getContext(), At->getLine(),
                                   At->getColumn(), Scope->getScope(),
                                   At->getInlinedAt()));
}

/// LLVM takes the only value of a variable for that of all of its scope, also
/// in front of it where instructions have no line, unless it is told that
/// there was none.
static void beginWithNothing(MachineFunction &MF) {
  MapVector<DebugVariable, const MachineInstr *> Variables;
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB)
      if (MI.isDebugValue())
        Variables.insert({variableOf(MI), &MI});
  for (auto [Variable, MI] : Variables) {
    MachineInstr *Nothing = MF.CloneMachineInstr(MI);
    Nothing->setDebugValueUndef();
    MF.front().insert(MF.front().begin(), Nothing);
  }
}

static auto &detachedOf(MachineFunction &MF) {
  return MF.getInfo<HeddleMachineFunctionInfo>()->DetachedValues;
}

bool llvm::detachDebugValues(MachineFunction &MF) {
  // Only functions with a description have any.
  if (!MF.getFunction().getSubprogram())
    return false;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      if (MI.isDebugValue())
        showScope(MI);
  auto &Detached = detachedOf(MF);
  Detached.resize(MF.getNumBlockIDs());
  const SpillSlots Slots(MF);
  for (MachineBasicBlock &MBB : MF)
    Detached[MBB.getNumber()] = detachFrom(MBB, Slots);
  return any_of(Detached, [](const auto &Block) { return !Block.empty(); });
}

bool llvm::attachDebugValues(MachineFunction &MF) {
  auto &Detached = detachedOf(MF);
  if (Detached.empty())
    return false;
  const SpillSlots Slots(MF);
  for (MachineBasicBlock &MBB : MF) {
    ArrayRef<Entry> Block = Detached[MBB.getNumber()];
    if (!Block.empty())
      Attacher(MBB, Slots).run(Block);
    for (MachineInstr &MI : MBB)
      MI.dropDebugNumber();
  }
  Detached.clear();
  if (MF.getProperties().hasNoVRegs()) {
    endSpillPlaces(MF, Slots);
    beginWithNothing(MF);
  } else {
    hideScopes(MF);
  }
  return true;
}

namespace {

/// By turns it takes the values out and puts them back.
class HeddleDebugValues : public MachineFunctionPass {
public:
  static char ID;
  HeddleDebugValues() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    return detachedOf(MF).empty() ? detachDebugValues(MF)
                                  : attachDebugValues(MF);
  }
};

} // namespace

char HeddleDebugValues::ID = 0;
char &llvm::HeddleDebugValuesID = HeddleDebugValues::ID;
INITIALIZE_PASS(HeddleDebugValues, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleDebugValuesPass() {
  return new HeddleDebugValues();
}
