//===- SplitSwitches.cpp - Large jumps in two steps ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Many passes look at all successors of a block for each of them, and
// SimplifyCFG compares each two cases of a switch. In two steps, no block has
// very many successors, at the cost of one more jump.
//
//===----------------------------------------------------------------------===//

#include "passes/scalar/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// Cases of a switch that stays as it is, and of each that others are divided
/// into.
constexpr unsigned MaxCases = 1024, PartBits = 8, PartCases = 1 << PartBits;

using Cases = SmallVector<std::pair<ConstantInt *, BasicBlock *>, 0>;

/// A switch of many cases on its way to parts.
class DividedSwitch {
public:
  explicit DividedSwitch(SwitchInst &Switch)
      : Switch(Switch), From(*Switch.getParent()) {
    for (auto Case : Switch.cases()) {
      ConstantInt *Value = Case.getCaseValue();
      Parts[Value->getValue().lshr(PartBits)].push_back(
          {Value, Case.getCaseSuccessor()});
    }
  }

  /// Whether most numbers between its cases are cases as well.
  bool isDense() const {
    return Switch.getNumCases() >= Parts.size() * (PartCases / 4);
  }
  void divide();

private:
  BasicBlock *createPart(const Cases &Of, BasicBlock &Nowhere) const;
  void dropEdges(BasicBlock &To) const;

  SwitchInst &Switch;
  BasicBlock &From;
  MapVector<APInt, Cases> Parts; ///< by the upper bits of their values
};

} // namespace

/// A block that goes on as the switch does where its value has the upper bits
/// of these cases; \p Nowhere is where no value leads.
BasicBlock *DividedSwitch::createPart(const Cases &Of,
                                      BasicBlock &Nowhere) const {
  auto *Part =
      BasicBlock::Create(From.getContext(), "", From.getParent(), &Nowhere);
  IRBuilder<> B(Part);
  B.SetCurrentDebugLocation(Switch.getDebugLoc());
  SwitchInst *New = B.CreateSwitch(
      Switch.getCondition(),
      Of.size() == PartCases ? &Nowhere : Switch.getDefaultDest(), Of.size());
  for (auto [Value, To] : Of)
    New->addCase(Value, To);
  for (BasicBlock *To : successors(Part))
    for (PHINode &Phi : To->phis())
      Phi.addIncoming(Phi.getIncomingValueForBlock(&From), Part);
  return Part;
}

/// Forgets that the cases led to \p To; the default may do so still.
void DividedSwitch::dropEdges(BasicBlock &To) const {
  for (PHINode &Phi : To.phis()) {
    bool Keep = &To == Switch.getDefaultDest();
    Phi.removeIncomingValueIf([&](unsigned I) {
      return Phi.getIncomingBlock(I) == &From && !std::exchange(Keep, false);
    });
  }
}

void DividedSwitch::divide() {
  auto *Nowhere = BasicBlock::Create(From.getContext(), "", From.getParent());
  new UnreachableInst(From.getContext(), Nowhere);
  IRBuilder<> B(&Switch);
  SwitchInst *New =
      B.CreateSwitch(B.CreateLShr(Switch.getCondition(), PartBits),
                     Switch.getDefaultDest(), Parts.size());
  for (const auto &[Bits, Of] : Parts)
    New->addCase(B.getInt(Bits), createPart(Of, *Nowhere));
  SmallSetVector<BasicBlock *, 32> Places(succ_begin(&Switch),
                                          succ_end(&Switch));
  for (BasicBlock *To : Places)
    dropEdges(*To);
  Switch.eraseFromParent();
}

PreservedAnalyses SplitSwitchesPass::run(Function &F,
                                         FunctionAnalysisManager &) {
  SmallVector<SwitchInst *, 4> Large;
  for (BasicBlock &Block : F)
    if (auto *Switch = dyn_cast<SwitchInst>(Block.getTerminator()))
      // Weights of a profile are of the cases as they are.
      if (Switch->getNumCases() > MaxCases &&
          !Switch->hasMetadata(LLVMContext::MD_prof))
        Large.push_back(Switch);
  bool Changed = false;
  for (SwitchInst *Switch : Large)
    if (DividedSwitch Divided(*Switch); Divided.isDense()) {
      Divided.divide();
      Changed = true;
    }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::passes
