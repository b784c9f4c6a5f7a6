//===- HeddleInstrProperties.cpp - What passes ask -------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Properties of instructions for analyses: uniformity, scheduling, printing.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleSubtarget.h"
#include "heddle/IR/Kernels.h"

#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineMemOperand.h"

using namespace llvm;
namespace isa = heddle::isa;

//===----------------------------------------------------------------------===//
// Uniformity
//===----------------------------------------------------------------------===//

static InstructionUniformity uniformityOfSpecialRegister(int64_t Number) {
  for (const isa::SpecialRegisterInfo &R : isa::specialRegisters())
    if (R.Number == Number && R.Uniform)
      return InstructionUniformity::AlwaysUniform;
  return InstructionUniformity::NeverUniform;
}

static InstructionUniformity uniformityOfLoad(const MachineInstr &MI) {
  isa::LatencyClass Class =
      HeddleInstrInfo::getISAInfo(MI.getOpcode())->Latency;
  if (Class == isa::LatencyClass::LDC)
    return InstructionUniformity::Default;
  // Writable memory may change between the accesses of two threads, and each
  // thread has a local memory of its own.
  int Order = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::order);
  constexpr int64_t Constant = 1; // MemOrder
  return !MI.mayStore() && Order >= 0 &&
                 MI.getOperand(Order).getImm() == Constant
             ? InstructionUniformity::Default
             : InstructionUniformity::NeverUniform;
}

static bool isFixedRegister(Register R) {
  switch (R.id()) {
  case Heddle::RZ:
  case Heddle::RZ64:
  case Heddle::RZ128:
  case Heddle::PT:
  case Heddle::URZ:
  case Heddle::URZ64:
  case Heddle::UPT:
    return true;
  default:
    return false;
  }
}

InstructionUniformity
HeddleInstrInfo::getInstructionUniformity(const MachineInstr &MI) const {
  switch (MI.getOpcode()) {
  case Heddle::S2R:
  case Heddle::S2R64:
  case Heddle::S2UR:
    return uniformityOfSpecialRegister(MI.getOperand(1).getImm());
  case TargetOpcode::COPY: {
    // Arguments and results of calls, whose threads may not be the same.
    Register From = MI.getOperand(1).getReg();
    return From.isPhysical() && !isFixedRegister(From)
               ? InstructionUniformity::NeverUniform
               : InstructionUniformity::Default;
  }
  case Heddle::P2R:
  case Heddle::BMOV:
    return InstructionUniformity::NeverUniform;
  default:
    break;
  }
  // The threads of a function may be at different depths of the stack.
  if (!heddle::ir::isKernel(MI.getMF()->getFunction()) &&
      any_of(MI.operands(), [](const MachineOperand &MO) { return MO.isFI(); }))
    return InstructionUniformity::NeverUniform;
  const isa::InstInfo *Info = getISAInfo(MI.getOpcode());
  if (!Info)
    return MI.mayLoad() || MI.isInlineAsm()
               ? InstructionUniformity::NeverUniform
               : InstructionUniformity::Default;
  if (MI.mayLoad())
    return uniformityOfLoad(MI);
  // Exchanges between threads are about how they differ.
  if (MI.isConvergent() && MI.getNumExplicitDefs())
    return InstructionUniformity::NeverUniform;
  return InstructionUniformity::Default;
}

//===----------------------------------------------------------------------===//
// Scheduling
//===----------------------------------------------------------------------===//

bool HeddleInstrInfo::isSchedulingBoundary(const MachineInstr &MI,
                                           const MachineBasicBlock *MBB,
                                           const MachineFunction &MF) const {
  const isa::InstInfo *Info = getISAInfo(MI.getOpcode());
  if ((Info && Info->Latency == isa::LatencyClass::CONVERGE) ||
      MI.getOpcode() == Heddle::EXIT_IF ||
      MI.getOpcode() == Heddle::SCHEDULING_LIMIT)
    return true;
  // Otherwise nothing is moved over what writes the stack pointer.
  if (!MF.getInfo<HeddleMachineFunctionInfo>()->HasStackPointer)
    return MI.isTerminator() || MI.isPosition();
  return TargetInstrInfo::isSchedulingBoundary(MI, MBB, MF);
}

//===----------------------------------------------------------------------===//
// Computing again
//===----------------------------------------------------------------------===//

/// Whether the function has had too few registers.
static bool hasRunOut(const MachineInstr &MI) {
  return MI.getMF()
      ->getInfo<HeddleMachineFunctionInfo>()
      ->Registers.recomputesValues();
}

bool HeddleInstrInfo::isReMaterializableImpl(const MachineInstr &MI) const {
  // Constants and parameters never change.
  if (MI.mayLoad())
    return all_of(MI.all_uses(), [](const MachineOperand &MO) {
      return MO.getReg().isPhysical() && isFixedRegister(MO.getReg());
    });
  // Recomputation that reads a register keeps that register live, which pays
  // only where registers have run out.
  bool Reads = any_of(MI.all_uses(), [](const MachineOperand &MO) {
    return MO.getReg().isVirtual();
  });
  return (!Reads || hasRunOut(MI)) && !isPredicated(MI) &&
         TargetInstrInfo::isReMaterializableImpl(MI);
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

std::string HeddleInstrInfo::createMIROperandComment(
    const MachineInstr &MI, const MachineOperand &Op, unsigned OpIdx,
    const TargetRegisterInfo *TRI) const {
  int Index = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::ctl);
  if (Index != int(OpIdx) || !Op.isImm() ||
      Op.getImm() == Heddle::DefaultControl)
    return TargetInstrInfo::createMIROperandComment(MI, Op, OpIdx, TRI);
  isa::Control C = isa::Control::unpack(Op.getImm());
  std::string Text;
  raw_string_ostream OS(Text);
  OS << "stall " << unsigned(C.Stall);
  if (C.WriteCounter != isa::NoCounter)
    OS << ", wr " << unsigned(C.WriteCounter);
  if (C.ReadCounter != isa::NoCounter)
    OS << ", rd " << unsigned(C.ReadCounter);
  StringRef Separator = ", wait ";
  for (unsigned N = 0; N < isa::NumCounters; ++N)
    if (C.WaitMask >> N & 1) {
      OS << Separator << N;
      Separator = "+";
    }
  return Text;
}
