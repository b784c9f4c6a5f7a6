//===- HeddleISelDAGToDAG.h - Instruction selection -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The selector: HeddleISelDAGToDAG.cpp has its dispatch and arithmetic,
// HeddleISelMemory.cpp accesses to memory, HeddleISelThreads.cpp what threads
// do together.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEISELDAGTODAG_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEISELDAGTODAG_H

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "Passes/HeddlePasses.h"
#include "heddle/ISA/ISA.h"
#include "llvm/CodeGen/SelectionDAGISel.h"
#include <type_traits>

namespace llvm {

class HeddleDAGToDAGISel : public SelectionDAGISel {
  const HeddleSubtarget *ST = nullptr;

public:
  HeddleDAGToDAGISel(TargetMachine &TM, CodeGenOptLevel OL)
      : SelectionDAGISel(TM, OL) {}

  bool runOnMachineFunction(MachineFunction &MF) override {
    ST = &MF.getSubtarget<HeddleSubtarget>();
    return SelectionDAGISel::runOnMachineFunction(MF);
  }

  void PreprocessISelDAG() override;
  void Select(SDNode *N) override;

#define GET_DAGISEL_DECL
#include "HeddleGenDAGISel.inc"

private:
  // Complex patterns.
  bool selectFloatMods(SDValue In, SDValue &Src, SDValue &Mods);
  bool selectNegatedFloatMods(SDValue In, SDValue &Src, SDValue &Mods);
  bool selectFlushedMods(SDValue In, SDValue &Src, SDValue &Mods);
  bool selectFlushed(SDValue In, SDValue &Src, SDValue &Mods);
  bool selectIntNeg(SDValue In, SDValue &Src, SDValue &Neg);
  bool selectPredicate(SDValue In, SDValue &Src, SDValue &Neg);
  bool selectSExt32(SDValue In, SDValue &Src);
  bool selectZExt32(SDValue In, SDValue &Src);

  // Building.
  SDValue imm(int64_t V, const SDLoc &DL) {
    return CurDAG->getTargetConstant(V, DL, MVT::i32);
  }
  /// The value of a modifier.
  template <typename EnumT>
    requires std::is_enum_v<EnumT>
  SDValue imm(EnumT V, const SDLoc &DL) {
    return imm(static_cast<int64_t>(V), DL);
  }
  SDValue reg(MCRegister R, MVT VT) { return CurDAG->getRegister(R, VT); }
  /// Operands, the guard that is always true, and the chain if there is one.
  MachineSDNode *inst(unsigned Opc, const SDLoc &DL, SDVTList VTs,
                      ArrayRef<SDValue> Ops, SDValue Chain = SDValue());
  SDValue constant32(uint32_t V, const SDLoc &DL);
  SDValue constant64(uint64_t V, const SDLoc &DL);
  SDValue joined(SDValue Lo, SDValue Hi, EVT VT, const SDLoc &DL);

  // Nodes.
  /// Whether N is selected by what follows; else the patterns select it.
  bool selectWithoutPattern(SDNode *N);
  bool selectInteger(SDNode *N);
  void selectFrameIndex(SDNode *N);
  bool selectConstant(SDNode *N);
  bool selectLogic(SDNode *N);
  bool selectField(SDNode *N);
  bool selectPack(SDNode *N);
  bool selectMul64(SDNode *N);
  bool selectCarry(SDNode *N);
  bool selectPackedConstant(SDNode *N);
  bool selectElements(SDNode *N);
  bool selectPackedCompare(SDNode *N);
  SDValue existingInverse(SDValue Guard);
  void selectBranch(SDNode *N);
  void selectFence(SDNode *N);
  bool selectMemory(MemSDNode *N);
  bool selectAtomic(MemSDNode *N);
  bool selectIntrinsic(SDNode *N);
  bool selectBarrier(SDNode *N, unsigned ID);
  bool selectClusterBarrier(SDNode *N, unsigned ID);
  bool selectShuffle(SDNode *N, unsigned ID);
  bool selectActiveMask(SDNode *N);
  bool selectVote(SDNode *N, unsigned ID);
  bool selectReduction(SDNode *N, unsigned ID);
  bool selectFloatReduction(SDNode *N, unsigned ID);
  bool selectMatch(SDNode *N, unsigned ID);
  bool selectElect(SDNode *N);
  SDValue convergeLanes(SDValue Mask, SDValue Chain, const SDLoc &DL,
                        bool AnyPlace = false);
  void replaceAll(SDNode *N, ArrayRef<SDValue> Results);
  bool unsupported(SDNode *N, const Twine &What);

  // Addresses.
  void selectAddress(SDValue Address, unsigned AS, const SDLoc &DL,
                     SmallVectorImpl<SDValue> &Ops, bool Scaled);
  heddle::isa::MemScope scopeOf(SyncScope::ID ID) const;
  heddle::isa::MemOrder orderOf(const MemSDNode *N) const;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEISELDAGTODAG_H
