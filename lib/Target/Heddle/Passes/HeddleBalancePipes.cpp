//===- HeddleBalancePipes.cpp - Integer work on two pipes ------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves, additions and shifts to the left are multiplications too: by one, or
// by a power of two. IMAD goes through another pipe than IADD3, MOV, SHL and
// LEA, and code that is bound by one of the two pipes gets faster where each
// has its part (Knob::BalancePipes, RegisterPlan::BalancesPipes). Latencies are
// the same; the immediate of a multiplication can make an instruction longer.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/InitializePasses.h"

using namespace llvm;
namespace isa = heddle::isa;

#define DEBUG_TYPE "heddle-balance-pipes"
#define PASS_NAME "Heddle balancing of pipes"

namespace {

/// d = A * B + C, or - C. At most one of B and C is an immediate.
struct Product {
  unsigned Opcode;
  MachineOperand A, B, C;
  bool Subtracts = false;
};

class HeddleBalancePipes : public MachineFunctionPass {
public:
  static char ID;
  HeddleBalancePipes() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  enum Mode { AsSelected, Balanced, AllAsProducts };
  bool balance(MachineBasicBlock &MBB, Mode M, const isa::ChipInfo &Chip,
               const HeddleInstrInfo &TII);
};

} // namespace

static MachineOperand zero() {
  return MachineOperand::CreateReg(Heddle::RZ, /*isDef=*/false);
}

static MachineOperand immediate(int64_t Value) {
  return MachineOperand::CreateImm(Value);
}

static bool isZero(const MachineOperand &O) {
  return O.isReg() && O.getReg() == Heddle::RZ;
}

/// 2^Shift, as an immediate of 32 bits has it.
static MachineOperand powerOfTwo(unsigned Shift) {
  return immediate(static_cast<int32_t>(uint32_t(1) << Shift));
}

/// An addition of two registers: d, a, ma, b, mb, c, mc.
static std::optional<Product> productForSum(const MachineInstr &MI) {
  struct Term {
    const MachineOperand *O;
    bool Negated;
  };
  SmallVector<Term, 3> Terms;
  for (unsigned At : {1, 3, 5})
    if (!isZero(MI.getOperand(At)))
      Terms.push_back(
          {&MI.getOperand(At), MI.getOperand(At + 1).getImm() != 0});
  if (Terms.empty() || Terms.size() > 2)
    return std::nullopt;
  Term X = Terms.front(), Y = Terms.back();
  if (Terms.size() == 1)
    return Product{Heddle::IMAD_r, zero(), zero(), *X.O, X.Negated};
  return Product{Heddle::IMAD_i, *X.O, immediate(X.Negated ? -1 : 1), *Y.O,
                 Y.Negated};
}

/// The multiplication with the result of \p MI; none if there is none.
static std::optional<Product> productFor(const MachineInstr &MI) {
  constexpr unsigned Bits = 32;
  switch (MI.getOpcode()) {
  case Heddle::MOV_r:
    return Product{Heddle::IMAD_r, zero(), zero(), MI.getOperand(1)};
  case Heddle::MOV_i:
    if (!MI.getOperand(1).isImm()) // It may be an address.
      return std::nullopt;
    return Product{Heddle::IMAD_ci, zero(), zero(), MI.getOperand(1)};
  case Heddle::MOV_u:
    return Product{Heddle::IMAD_cu, zero(), zero(), MI.getOperand(1)};
  case Heddle::SHL_i:
    if (!MI.getOperand(2).isImm() ||
        uint64_t(MI.getOperand(2).getImm()) >= Bits)
      return std::nullopt;
    return Product{Heddle::IMAD_i, MI.getOperand(1),
                   powerOfTwo(MI.getOperand(2).getImm()), zero()};
  case Heddle::LEA_r:
    return Product{Heddle::IMAD_i, MI.getOperand(1),
                   powerOfTwo(MI.getOperand(3).getImm()), MI.getOperand(2)};
  case Heddle::IADD3_r:
    return productForSum(MI);
  default:
    return std::nullopt;
  }
}

/// Puts the multiplication in the place of \p MI, under its guard.
static void replaceBy(MachineInstr &MI, const Product &P,
                      const HeddleInstrInfo &TII) {
  auto New = BuildMI(*MI.getParent(), MI, MI.getDebugLoc(), TII.get(P.Opcode))
                 .add(MI.getOperand(0))
                 .add(P.A)
                 .add(P.B)
                 .add(P.C)
                 .addImm(P.Subtracts);
  unsigned Trailing = MI.getNumExplicitOperands() - 3;
  for (unsigned At = Trailing; At != MI.getNumOperands(); ++At)
    New.add(MI.getOperand(At));
  New->setFlags(MI.getFlags());
  MI.eraseFromParent();
}

bool HeddleBalancePipes::balance(MachineBasicBlock &MBB, Mode M,
                                 const isa::ChipInfo &Chip,
                                 const HeddleInstrInfo &TII) {
  StringRef Plain = isa::latencyClass(isa::LatencyClass::ALU).Pipe,
            Products = isa::latencyClass(isa::LatencyClass::FMA).Pipe;
  auto IntervalOf = [&](isa::LatencyClass C) {
    return Chip.Timings[static_cast<size_t>(C)].Interval;
  };
  unsigned OfProduct = IntervalOf(isa::LatencyClass::FMA);
  // Cycles that the pipes have been busy for.
  unsigned PlainBusy = 0, ProductsBusy = 0;
  bool Changed = false;
  for (MachineInstr &MI : make_early_inc_range(MBB)) {
    const isa::InstInfo *Info = HeddleInstrInfo::getISAInfo(MI.getOpcode());
    if (!Info)
      continue;
    StringRef Pipe = isa::latencyClass(Info->Latency).Pipe;
    unsigned Interval = IntervalOf(Info->Latency);
    std::optional<Product> P;
    if (M == AllAsProducts || PlainBusy + Interval > ProductsBusy + OfProduct)
      P = productFor(MI);
    if (P) {
      replaceBy(MI, *P, TII);
      ProductsBusy += OfProduct;
      Changed = true;
    } else if (Pipe == Plain) {
      PlainBusy += Interval;
    } else if (Pipe == Products) {
      ProductsBusy += Interval;
    }
  }
  return Changed;
}

bool HeddleBalancePipes::runOnMachineFunction(MachineFunction &MF) {
  using namespace heddle::tuning;
  auto M = static_cast<Mode>(knobOf(MF.getFunction(), Knob::BalancePipes));
  if (M == AsSelected &&
      MF.getInfo<HeddleMachineFunctionInfo>()->Registers.BalancesPipes)
    M = Balanced;
  if (M == AsSelected)
    return false;
  const auto &Subtarget = MF.getSubtarget<HeddleSubtarget>();
  bool Changed = false;
  for (MachineBasicBlock &MBB : MF)
    Changed |= balance(MBB, M, Subtarget.getChip(), *Subtarget.getInstrInfo());
  return Changed;
}

char HeddleBalancePipes::ID = 0;
INITIALIZE_PASS(HeddleBalancePipes, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleBalancePipesPass() {
  return new HeddleBalancePipes();
}
