//===- HeddleInstrInfo.h - Instructions ------------------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code generator must know about instructions: copies, spills,
// branches, guards.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEINSTRINFO_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEINSTRINFO_H

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/ISA/ISA.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/TargetInstrInfo.h"

#define GET_INSTRINFO_HEADER
#include "HeddleGenInstrInfo.inc"

namespace llvm {
class HeddleSubtarget;

class HeddleInstrInfo : public HeddleGenInstrInfo {

public:
  explicit HeddleInstrInfo(const HeddleSubtarget &ST);

  /// The value of MemSize that stands for 32 bits.
  static constexpr int64_t MemSizeWord = 4;

  /// Appends what every instruction ends with: the guard (PT, or UPT on the
  /// uniform path), its negation and the control field.
  const MachineInstrBuilder &addTrailing(const MachineInstrBuilder &MIB) const;
  /// The same with a guard of the caller's.
  const MachineInstrBuilder &addTrailing(const MachineInstrBuilder &MIB,
                                         Register Guard, bool Negated) const;

  /// The instruction that Opcode is encoded as: BRA for JMP and so on; Opcode
  /// itself for everything that is no alias.
  static unsigned getEncodedOpcode(unsigned Opcode);
  /// What isa-defs/ says about the instruction that Opcode is encoded as, or
  /// null for a pseudo instruction that has no encoding.
  static const heddle::isa::InstInfo *getISAInfo(unsigned Opcode);

  void copyPhysReg(MachineBasicBlock &MBB, MachineBasicBlock::iterator MI,
                   const DebugLoc &DL, Register DestReg, Register SrcReg,
                   bool KillSrc, bool RenamableDest = false,
                   bool RenamableSrc = false) const override;
  void storeRegToStackSlot(
      MachineBasicBlock &MBB, MachineBasicBlock::iterator MI, Register SrcReg,
      bool IsKill, int FrameIndex, const TargetRegisterClass *RC, Register VReg,
      MachineInstr::MIFlag Flags = MachineInstr::NoFlags) const override;
  void loadRegFromStackSlot(
      MachineBasicBlock &MBB, MachineBasicBlock::iterator MI, Register DestReg,
      int FrameIndex, const TargetRegisterClass *RC, Register VReg,
      unsigned SubReg = 0,
      MachineInstr::MIFlag Flags = MachineInstr::NoFlags) const override;
  Register isLoadFromStackSlot(const MachineInstr &MI,
                               int &FrameIndex) const override;
  Register isStoreToStackSlot(const MachineInstr &MI,
                              int &FrameIndex) const override;
  bool expandPostRAPseudo(MachineInstr &MI) const override;

  bool analyzeBranch(MachineBasicBlock &MBB, MachineBasicBlock *&TBB,
                     MachineBasicBlock *&FBB,
                     SmallVectorImpl<MachineOperand> &Cond,
                     bool AllowModify = false) const override;
  unsigned removeBranch(MachineBasicBlock &MBB,
                        int *BytesRemoved = nullptr) const override;
  unsigned insertBranch(MachineBasicBlock &MBB, MachineBasicBlock *TBB,
                        MachineBasicBlock *FBB, ArrayRef<MachineOperand> Cond,
                        const DebugLoc &DL,
                        int *BytesAdded = nullptr) const override;
  bool
  reverseBranchCondition(SmallVectorImpl<MachineOperand> &Cond) const override;

  /// Whether MI is as short as a copy of its result.
  bool isAsCheapAsAMove(const MachineInstr &MI) const override;

  bool shouldHoist(const MachineInstr &MI,
                   const MachineLoop *FromLoop) const override;
  bool shouldSink(const MachineInstr &MI) const override;
  bool isSafeToSink(MachineInstr &MI, MachineBasicBlock *To,
                    MachineCycleInfo *Cycles) const override;
  /// Loads and stores of disjoint address spaces are, those at different
  /// offsets from the same registers, and stores and loads of what never
  /// changes.
  bool areMemAccessesTriviallyDisjoint(const MachineInstr &A,
                                       const MachineInstr &B) const override;
  /// A guard other than PT.
  bool isPredicated(const MachineInstr &MI) const override;
  bool isPredicable(const MachineInstr &MI) const override;
  /// Pred is a condition as analyzeBranch gives it.
  bool PredicateInstruction(MachineInstr &MI,
                            ArrayRef<MachineOperand> Pred) const override;

  // In HeddleInstrProperties.cpp.

  /// How the result relates among the threads that execute MI together.
  InstructionUniformity
  getInstructionUniformity(const MachineInstr &MI) const override;
  /// Nothing is scheduled over what changes the set of converged threads.
  bool isSchedulingBoundary(const MachineInstr &MI,
                            const MachineBasicBlock *MBB,
                            const MachineFunction &MF) const override;
  /// Whether the result can be had again elsewhere.
  bool isReMaterializableImpl(const MachineInstr &MI) const override;
  /// What HeddleTargetLowering::getTargetMMOFlags sets, as files of machine
  /// code spell it.
  ArrayRef<std::pair<MachineMemOperand::Flags, const char *>>
  getSerializableMachineMemOperandTargetFlags() const override;
  /// Spells out the control field.
  std::string
  createMIROperandComment(const MachineInstr &MI, const MachineOperand &Op,
                          unsigned OpIdx,
                          const TargetRegisterInfo *TRI) const override;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEINSTRINFO_H
