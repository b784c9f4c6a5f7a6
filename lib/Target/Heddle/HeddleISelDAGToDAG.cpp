//===- HeddleISelDAGToDAG.cpp - Instruction selection ----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the generated selector and selects by hand what patterns cannot say.
//
//===----------------------------------------------------------------------===//

#include "Heddle.h"
#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/AddressSpace.h"
#include "llvm/CodeGen/SelectionDAGISel.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;
namespace addrspace = heddle::addrspace;
namespace isa = heddle::isa;

#define DEBUG_TYPE "heddle-isel"
#define PASS_NAME "Heddle instruction selection"

namespace {

/// Values of modifiers; the tables are in isa-defs/HeddleFormats.td.
enum MemSize { U8, S8, U16, S16, Word };
enum MemOrder { Weak, Constant, Relaxed, Acquire, Release, AcqRel, MMIO };
enum MemScope { CTA, Cluster, GPU, System };
enum AtomOp { Add, Min, Max, Inc, Dec, And, Or, Xor, Exch };

class HeddleDAGToDAGISel : public SelectionDAGISel {
  const HeddleSubtarget *ST = nullptr;

public:
  HeddleDAGToDAGISel(TargetMachine &TM, CodeGenOptLevel OL)
      : SelectionDAGISel(TM, OL) {}

  bool runOnMachineFunction(MachineFunction &MF) override {
    ST = &MF.getSubtarget<HeddleSubtarget>();
    return SelectionDAGISel::runOnMachineFunction(MF);
  }

  void Select(SDNode *N) override;

#define GET_DAGISEL_DECL
#include "HeddleGenDAGISel.inc"

private:
  // Complex patterns.
  bool selectFloatMods(SDValue In, SDValue &Src, SDValue &Mods);
  bool selectNegatedFloatMods(SDValue In, SDValue &Src, SDValue &Mods);
  bool selectIntNeg(SDValue In, SDValue &Src, SDValue &Neg);
  bool selectPredicate(SDValue In, SDValue &Src, SDValue &Neg);
  bool selectSExt32(SDValue In, SDValue &Src);
  bool selectZExt32(SDValue In, SDValue &Src);

  // Building.
  SDValue imm(int64_t V, const SDLoc &DL) {
    return CurDAG->getTargetConstant(V, DL, MVT::i32);
  }
  SDValue reg(MCRegister R, MVT VT) { return CurDAG->getRegister(R, VT); }
  /// Operands, the guard that is always true, and the chain if there is one.
  MachineSDNode *inst(unsigned Opc, const SDLoc &DL, SDVTList VTs,
                      ArrayRef<SDValue> Ops, SDValue Chain = SDValue());
  SDValue constant32(uint32_t V, const SDLoc &DL);
  SDValue constant64(uint64_t V, const SDLoc &DL);
  SDValue joined(SDValue Lo, SDValue Hi, EVT VT, const SDLoc &DL);

  // Nodes.
  bool selectConstant(SDNode *N);
  bool selectLogic(SDNode *N);
  bool selectField(SDNode *N);
  bool selectPack(SDNode *N);
  bool selectMul64(SDNode *N);
  bool selectCarry(SDNode *N);
  bool selectPackedConstant(SDNode *N);
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
  bool selectElect(SDNode *N);
  SDValue convergeLanes(SDValue Mask, SDValue Chain, const SDLoc &DL,
                        bool AnyPlace = false);
  void replaceAll(SDNode *N, ArrayRef<SDValue> Results);
  bool unsupported(SDNode *N, const Twine &What);

  // Addresses.
  void selectAddress(SDValue Address, unsigned AS, const SDLoc &DL,
                     SmallVectorImpl<SDValue> &Ops, bool Scaled);
  unsigned scopeOf(SyncScope::ID ID) const;
  unsigned orderOf(const MemSDNode *N) const;
};

class HeddleDAGToDAGISelLegacy : public SelectionDAGISelLegacy {
public:
  static char ID;
  HeddleDAGToDAGISelLegacy(TargetMachine &TM, CodeGenOptLevel OL)
      : SelectionDAGISelLegacy(ID,
                               std::make_unique<HeddleDAGToDAGISel>(TM, OL)) {}
};

} // namespace

char HeddleDAGToDAGISelLegacy::ID = 0;
INITIALIZE_PASS(HeddleDAGToDAGISelLegacy, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleISelDag(TargetMachine &TM, CodeGenOptLevel OL) {
  return new HeddleDAGToDAGISelLegacy(TM, OL);
}

#define GET_DAGISEL_BODY HeddleDAGToDAGISel
#include "HeddleGenDAGISel.inc"

//===----------------------------------------------------------------------===//
// Complex patterns
//===----------------------------------------------------------------------===//

bool HeddleDAGToDAGISel::selectFloatMods(SDValue In, SDValue &Src,
                                         SDValue &Mods) {
  unsigned Negate = 0, Abs = 0;
  if (In.getOpcode() == ISD::FNEG) {
    Negate = 1;
    In = In.getOperand(0);
  }
  if (In.getOpcode() == ISD::FABS) {
    Abs = 2;
    In = In.getOperand(0);
    if (In.getOpcode() == ISD::FNEG)
      In = In.getOperand(0);
  }
  Src = In;
  Mods = imm(Negate | Abs, SDLoc(In));
  return true;
}

bool HeddleDAGToDAGISel::selectNegatedFloatMods(SDValue In, SDValue &Src,
                                                SDValue &Mods) {
  selectFloatMods(In, Src, Mods);
  Mods = imm(Mods->getAsZExtVal() ^ 1, SDLoc(In));
  return true;
}

bool HeddleDAGToDAGISel::selectIntNeg(SDValue In, SDValue &Src, SDValue &Neg) {
  bool Negated = In.getOpcode() == ISD::SUB && isNullConstant(In.getOperand(0));
  Src = Negated ? In.getOperand(1) : In;
  Neg = imm(Negated, SDLoc(In));
  return true;
}

bool HeddleDAGToDAGISel::selectPredicate(SDValue In, SDValue &Src,
                                         SDValue &Neg) {
  bool Negated = false;
  while (In.getOpcode() == ISD::XOR &&
         isAllOnesOrAllOnesSplat(In.getOperand(1))) {
    Negated = !Negated;
    In = In.getOperand(0);
  }
  if (const auto *C = dyn_cast<ConstantSDNode>(In)) {
    Negated ^= C->isZero();
    In = reg(Heddle::PT, MVT::i1);
  }
  Src = In;
  Neg = imm(Negated, SDLoc(In));
  return true;
}

bool HeddleDAGToDAGISel::selectSExt32(SDValue In, SDValue &Src) {
  if (In.getOpcode() == ISD::SIGN_EXTEND &&
      In.getOperand(0).getValueType() == MVT::i32) {
    Src = In.getOperand(0);
    return true;
  }
  const auto *C = dyn_cast<ConstantSDNode>(In);
  if (!C || !isInt<32>(C->getSExtValue()))
    return false;
  Src = constant32(C->getSExtValue(), SDLoc(In));
  return true;
}

bool HeddleDAGToDAGISel::selectZExt32(SDValue In, SDValue &Src) {
  if (In.getOpcode() == ISD::ZERO_EXTEND &&
      In.getOperand(0).getValueType() == MVT::i32) {
    Src = In.getOperand(0);
    return true;
  }
  constexpr unsigned Half = 32;
  if (In.getOpcode() == ISD::SRL && In.getValueType() == MVT::i64 &&
      llvm::isa<ConstantSDNode>(In.getOperand(1)) &&
      In.getConstantOperandVal(1) == Half) {
    Src = CurDAG->getTargetExtractSubreg(Heddle::sub1, SDLoc(In), MVT::i32,
                                         In.getOperand(0));
    return true;
  }
  // What is left of a masking with 0xFFFFFFFF.
  if (In.getOpcode() == ISD::BITCAST &&
      In.getOperand(0).getOpcode() == ISD::BUILD_VECTOR &&
      In.getOperand(0).getValueType() == MVT::v2i32 &&
      isNullConstant(In.getOperand(0).getOperand(1))) {
    Src = In.getOperand(0).getOperand(0);
    return true;
  }
  const auto *C = dyn_cast<ConstantSDNode>(In);
  if (!C || !isUInt<32>(C->getZExtValue()))
    return false;
  Src = constant32(C->getZExtValue(), SDLoc(In));
  return true;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

MachineSDNode *HeddleDAGToDAGISel::inst(unsigned Opc, const SDLoc &DL,
                                        SDVTList VTs, ArrayRef<SDValue> Ops,
                                        SDValue Chain) {
  SmallVector<SDValue, 16> All(Ops);
  All.append(
      {reg(Heddle::PT, MVT::i1), imm(0, DL), imm(Heddle::DefaultControl, DL)});
  if (Chain)
    All.push_back(Chain);
  return CurDAG->getMachineNode(Opc, DL, VTs, All);
}

SDValue HeddleDAGToDAGISel::constant32(uint32_t V, const SDLoc &DL) {
  return SDValue(
      inst(Heddle::MOV_i, DL, CurDAG->getVTList(MVT::i32), imm(int32_t(V), DL)),
      0);
}

SDValue HeddleDAGToDAGISel::constant64(uint64_t V, const SDLoc &DL) {
  if (isInt<32>(int64_t(V)))
    return SDValue(inst(Heddle::MOV64_i, DL, CurDAG->getVTList(MVT::i64),
                        imm(int64_t(V), DL)),
                   0);
  return SDValue(inst(Heddle::MOV64W, DL, CurDAG->getVTList(MVT::i64),
                      CurDAG->getTargetConstant(V, DL, MVT::i64)),
                 0);
}

SDValue HeddleDAGToDAGISel::joined(SDValue Lo, SDValue Hi, EVT VT,
                                   const SDLoc &DL) {
  SDValue Ops[] = {imm(Heddle::GPR64RegClassID, DL), Lo, imm(Heddle::sub0, DL),
                   Hi, imm(Heddle::sub1, DL)};
  return SDValue(
      CurDAG->getMachineNode(TargetOpcode::REG_SEQUENCE, DL, VT, Ops), 0);
}

void HeddleDAGToDAGISel::replaceAll(SDNode *N, ArrayRef<SDValue> Results) {
  for (auto [I, V] : enumerate(Results))
    ReplaceUses(SDValue(N, I), V);
  CurDAG->RemoveDeadNode(N);
}

bool HeddleDAGToDAGISel::unsupported(SDNode *N, const Twine &What) {
  CurDAG->getContext()->diagnose(
      DiagnosticInfoUnsupported(MF->getFunction(), What, N->getDebugLoc()));
  // Selection goes on to find further errors; the result is never used.
  for (unsigned I = 0; I != N->getNumValues(); ++I) {
    EVT VT = N->getValueType(I);
    if (VT == MVT::Other)
      ReplaceUses(SDValue(N, I), N->getOperand(0));
    else
      ReplaceUses(SDValue(N, I),
                  SDValue(CurDAG->getMachineNode(TargetOpcode::IMPLICIT_DEF,
                                                 SDLoc(N), VT),
                          0));
  }
  CurDAG->RemoveDeadNode(N);
  return true;
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

bool HeddleDAGToDAGISel::selectConstant(SDNode *N) {
  SDLoc DL(N);
  EVT VT = N->getValueType(0);
  if (const auto *F = dyn_cast<ConstantFPSDNode>(N)) {
    uint64_t Bits = F->getValueAPF().bitcastToAPInt().getZExtValue();
    SDNode *C = (VT == MVT::f64 ? constant64(Bits, DL) : constant32(Bits, DL))
                    .getNode();
    CurDAG->SelectNodeTo(N, C->getMachineOpcode(), VT,
                         SmallVector<SDValue, 4>(C->op_values()));
    return true;
  }
  uint64_t V = cast<ConstantSDNode>(N)->getZExtValue();
  if (VT == MVT::i1) {
    // True is a register; false needs one to be written.
    if (V) {
      ReplaceNode(N, CurDAG
                         ->getCopyFromReg(CurDAG->getEntryNode(), DL,
                                          Heddle::PT, MVT::i1)
                         .getNode());
      return true;
    }
    SDValue PT = reg(Heddle::PT, MVT::i1), No = imm(0, DL);
    ReplaceNode(N, inst(Heddle::PLOP3, DL, CurDAG->getVTList(MVT::i1),
                        {PT, No, PT, No, PT, No, imm(0, DL)}));
    return true;
  }
  if (VT != MVT::i64)
    return false;
  ReplaceNode(N, constant64(V, DL).getNode());
  return true;
}

bool HeddleDAGToDAGISel::selectPackedConstant(SDNode *N) {
  EVT VT = N->getValueType(0);
  if (VT != MVT::v2f16 && VT != MVT::v2bf16 && VT != MVT::v2i16)
    return false;
  uint32_t Bits = 0;
  for (unsigned I : {0, 1}) {
    SDValue E = N->getOperand(I);
    if (const auto *F = dyn_cast<ConstantFPSDNode>(E))
      Bits |= F->getValueAPF().bitcastToAPInt().getZExtValue() << (16 * I);
    else if (const auto *C = dyn_cast<ConstantSDNode>(E))
      Bits |= (C->getZExtValue() & 0xFFFF) << (16 * I);
    else if (!E.isUndef())
      return false;
  }
  SDLoc DL(N);
  ReplaceNode(N, inst(Heddle::MOV_i, DL, CurDAG->getVTList(VT),
                      imm(int32_t(Bits), DL)));
  return true;
}

//===----------------------------------------------------------------------===//
// Logic of up to three inputs
//===----------------------------------------------------------------------===//

namespace {

/// The inputs of a tree of AND, OR and XOR, and the table of its result.
struct LogicTree {
  SmallVector<SDValue, 3> Leaves;

  static bool isLogic(SDValue V) {
    return V.getValueType() == MVT::i32 &&
           (V.getOpcode() == ISD::AND || V.getOpcode() == ISD::OR ||
            V.getOpcode() == ISD::XOR);
  }

  std::optional<unsigned> leaf(SDValue V) {
    if (isNullConstant(V))
      return 0x00;
    if (isAllOnesConstant(V))
      return 0xFF;
    constexpr unsigned Tables[] = {0xF0, 0xCC, 0xAA};
    for (unsigned I = 0; I != Leaves.size(); ++I)
      if (Leaves[I] == V)
        return Tables[I];
    if (Leaves.size() == 3)
      return std::nullopt;
    Leaves.push_back(V);
    return Tables[Leaves.size() - 1];
  }

  std::optional<unsigned> combine(SDValue V, bool DeepA, bool DeepB,
                                  unsigned Depth) {
    std::optional<unsigned> A = walk(V.getOperand(0), DeepA, Depth + 1);
    std::optional<unsigned> B = A ? walk(V.getOperand(1), DeepB, Depth + 1) : A;
    if (!A || !B)
      return std::nullopt;
    switch (V.getOpcode()) {
    case ISD::AND:
      return *A & *B;
    case ISD::OR:
      return *A | *B;
    default:
      return *A ^ *B;
    }
  }

  /// The table of V over the leaves; of its inner nodes too if Deep.
  std::optional<unsigned> walk(SDValue V, bool Deep, unsigned Depth) {
    if (!Deep || !isLogic(V) || Depth > 3 || (Depth && !V.hasOneUse()))
      return leaf(V);
    SmallVector<SDValue, 3> Saved = Leaves;
    constexpr bool Tries[][2] = {
        {true, true}, {true, false}, {false, true}, {false, false}};
    for (auto [A, B] : Tries) {
      if (std::optional<unsigned> T = combine(V, A, B, Depth))
        return T;
      Leaves = Saved;
    }
    return leaf(V);
  }
};

} // namespace

bool HeddleDAGToDAGISel::selectLogic(SDNode *N) {
  if (N->getValueType(0) != MVT::i32)
    return false;
  LogicTree Tree;
  std::optional<unsigned> Table = Tree.walk(SDValue(N, 0), true, 0);
  if (!Table)
    return false;
  SDLoc DL(N);
  while (Tree.Leaves.size() < 3)
    Tree.Leaves.push_back(reg(Heddle::RZ, MVT::i32));
  // An immediate may stand second: put a constant there.
  if (llvm::isa<ConstantSDNode>(Tree.Leaves[0]) &&
      !llvm::isa<ConstantSDNode>(Tree.Leaves[1])) {
    std::swap(Tree.Leaves[0], Tree.Leaves[1]);
    unsigned T = *Table;
    // Swapping the two inputs swaps bits 2..3 with bits 4..5.
    Table = (T & 0xC3) | (T & 0x0C) << 2 | (T & 0x30) >> 2;
  }
  ReplaceNode(N, inst(Heddle::LOP3_r, DL, CurDAG->getVTList(MVT::i32),
                      {Tree.Leaves[0], Tree.Leaves[1], Tree.Leaves[2],
                       imm(*Table, DL)}));
  return true;
}

//===----------------------------------------------------------------------===//
// Fields of bits
//===----------------------------------------------------------------------===//

// The amount of a shift by a constant below the width, or none.
static std::optional<unsigned> shiftAmount(SDValue V, unsigned Opcode) {
  constexpr unsigned Width = 32;
  if (V.getOpcode() != Opcode || V.getValueType() != MVT::i32)
    return std::nullopt;
  const auto *C = dyn_cast<ConstantSDNode>(V.getOperand(1));
  if (!C || C->getZExtValue() >= Width)
    return std::nullopt;
  return C->getZExtValue();
}

// A shift and a mask, or two shifts, are the extraction of a field.
bool HeddleDAGToDAGISel::selectField(SDNode *N) {
  SDValue V(N, 0), In = N->getOperand(0);
  if (V.getValueType() != MVT::i32 || !In.hasOneUse())
    return false;
  unsigned Position, Length;
  bool Signed = N->getOpcode() == ISD::SRA;
  if (Signed) {
    std::optional<unsigned> Right = shiftAmount(V, ISD::SRA),
                            Left = shiftAmount(In, ISD::SHL);
    if (!Right || !Left || *Right < *Left)
      return false;
    Position = *Right - *Left;
    Length = 32 - *Right;
  } else {
    std::optional<unsigned> Right = shiftAmount(In, ISD::SRL);
    const auto *Mask = dyn_cast<ConstantSDNode>(N->getOperand(1));
    if (!Right || !Mask || !isMask_32(Mask->getZExtValue()))
      return false;
    Position = *Right;
    Length = countr_one(uint32_t(Mask->getZExtValue()));
  }
  SDLoc DL(N);
  ReplaceNode(N, inst(Heddle::BFE_r, DL, CurDAG->getVTList(MVT::i32),
                      {In.getOperand(0), constant32(Length << 8 | Position, DL),
                       imm(Signed, DL)}));
  return true;
}

// Two halves of words side by side, by one permutation of bytes.
bool HeddleDAGToDAGISel::selectPack(SDNode *N) {
  constexpr unsigned HalfWord = 16;
  if (N->getValueType(0) != MVT::i32)
    return false;
  SDValue High = N->getOperand(0), Low = N->getOperand(1);
  if (shiftAmount(High, ISD::SHL) != HalfWord)
    std::swap(High, Low);
  if (shiftAmount(High, ISD::SHL) != HalfWord || !High.hasOneUse() ||
      llvm::isa<ConstantSDNode>(Low) ||
      !CurDAG->MaskedValueIsZero(Low, APInt::getHighBitsSet(32, HalfWord)))
    return false;
  // Bytes are numbered from the low word's lowest.
  unsigned LowBytes = 0x10;
  constexpr unsigned HighBytes = 0x54;
  High = High.getOperand(0);
  if (shiftAmount(Low, ISD::SRL) == HalfWord) {
    Low = Low.getOperand(0);
    LowBytes = 0x32;
  } else if (Low.getOpcode() == ISD::AND && Low.hasOneUse() &&
             llvm::isa<ConstantSDNode>(Low.getOperand(1)) &&
             Low.getConstantOperandVal(1) == 0xFFFF)
    Low = Low.getOperand(0);
  SDLoc DL(N);
  ReplaceNode(N, inst(Heddle::PRMT_r, DL, CurDAG->getVTList(MVT::i32),
                      {Low, constant32(HighBytes << 8 | LowBytes, DL), High,
                       imm(0, DL)}));
  return true;
}

//===----------------------------------------------------------------------===//
// Integer arithmetic with several results
//===----------------------------------------------------------------------===//

// lo * lo in full, the cross products onto its high half.
bool HeddleDAGToDAGISel::selectMul64(SDNode *N) {
  SDValue A = N->getOperand(0), B = N->getOperand(1), Unused;
  if (N->getValueType(0) != MVT::i64 ||
      (selectSExt32(A, Unused) && selectSExt32(B, Unused)) ||
      (selectZExt32(A, Unused) && selectZExt32(B, Unused)))
    return false;
  SDLoc DL(N);
  auto Sub = [&](unsigned Index, SDValue V) {
    return CurDAG->getTargetExtractSubreg(Index, DL, MVT::i32, V);
  };
  SDVTList I32 = CurDAG->getVTList(MVT::i32);
  SDValue ALo = Sub(Heddle::sub0, A), BLo = Sub(Heddle::sub0, B);
  SDValue Wide(inst(Heddle::IMADW_r, DL, CurDAG->getVTList(MVT::i64),
                    {ALo, BLo, reg(Heddle::RZ64, MVT::i64), imm(0, DL)}),
               0);
  SDValue High(
      inst(Heddle::IMAD_r, DL, I32,
           {ALo, Sub(Heddle::sub1, B), Sub(Heddle::sub1, Wide), imm(0, DL)}),
      0);
  High = SDValue(inst(Heddle::IMAD_r, DL, I32,
                      {Sub(Heddle::sub1, A), BLo, High, imm(0, DL)}),
                 0);
  ReplaceNode(N, joined(Sub(Heddle::sub0, Wide), High, MVT::i64, DL).getNode());
  return true;
}

bool HeddleDAGToDAGISel::selectCarry(SDNode *N) {
  if (N->getValueType(0) != MVT::i32)
    return false;
  SDLoc DL(N);
  unsigned Opc = N->getOpcode();
  bool Subtract = Opc == ISD::USUBO || Opc == ISD::USUBO_CARRY;
  SDValue In = reg(Heddle::PT, MVT::i1), Negated = imm(1, DL);
  if (Opc == ISD::UADDO_CARRY || Opc == ISD::USUBO_CARRY)
    selectPredicate(N->getOperand(2), In, Negated);
  // Subtraction adds the complement and the absence of a borrow.
  if (Subtract)
    Negated = imm(!Negated->getAsZExtVal(), DL);
  SDNode *Sum = inst(
      Heddle::IADDC_r, DL, CurDAG->getVTList(MVT::i32, MVT::i1),
      {N->getOperand(0), N->getOperand(1), imm(Subtract, DL), In, Negated});
  SDValue Out(Sum, 1);
  if (Subtract && N->hasAnyUseOfValue(1)) {
    SDValue PT = reg(Heddle::PT, MVT::i1), No = imm(0, DL);
    Out = SDValue(inst(Heddle::PLOP3, DL, CurDAG->getVTList(MVT::i1),
                       {Out, imm(1, DL), PT, No, PT, No, imm(0xF0, DL)}),
                  0);
  }
  replaceAll(N, {SDValue(Sum, 0), Out});
  return true;
}

/// The comparison for the opposite of Guard that is needed anyway, or nothing:
/// a branch on what another block needs too has been turned around.
SDValue HeddleDAGToDAGISel::existingInverse(SDValue Guard) {
  if (Guard.getOpcode() != ISD::SETCC || !Guard.hasOneUse())
    return SDValue();
  SDValue A = Guard.getOperand(0), B = Guard.getOperand(1);
  ISD::CondCode Inverse = ISD::getSetCCInverse(
      cast<CondCodeSDNode>(Guard.getOperand(2))->get(), A.getValueType());
  SDNode *Found =
      CurDAG->getNodeIfExists(ISD::SETCC, CurDAG->getVTList(MVT::i1),
                              {A, B, CurDAG->getCondCode(Inverse)});
  return Found && !Found->use_empty() ? SDValue(Found, 0) : SDValue();
}

void HeddleDAGToDAGISel::selectBranch(SDNode *N) {
  SDLoc DL(N);
  SDValue Guard, Negated;
  selectPredicate(N->getOperand(1), Guard, Negated);
  if (SDValue Opposite = existingInverse(Guard)) {
    Guard = Opposite;
    Negated = imm(!Negated->getAsZExtVal(), DL);
  }
  ReplaceNode(N, CurDAG->getMachineNode(Heddle::BRA, DL, MVT::Other,
                                        {N->getOperand(2), Guard, Negated,
                                         imm(Heddle::DefaultControl, DL),
                                         N->getOperand(0)}));
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

unsigned HeddleDAGToDAGISel::scopeOf(SyncScope::ID ID) const {
  SmallVector<StringRef, 8> Names;
  CurDAG->getContext()->getSyncScopeNames(Names);
  return StringSwitch<unsigned>(ID < Names.size() ? Names[ID] : "")
      .Cases({"block", "singlethread", "warp"}, CTA)
      .Case("cluster", Cluster)
      .Case("device", GPU)
      .Default(System);
}

unsigned HeddleDAGToDAGISel::orderOf(const MemSDNode *N) const {
  const MachineMemOperand *MMO = N->getMemOperand();
  if (MMO->isAtomic()) {
    bool Access = N->getOpcode() == ISD::ATOMIC_LOAD ||
                  N->getOpcode() == ISD::ATOMIC_STORE;
    if (Access && MMO->isVolatile())
      return MMIO;
    switch (MMO->getMergedOrdering()) {
    case AtomicOrdering::Acquire:
      return Acquire;
    case AtomicOrdering::Release:
      return Release;
    case AtomicOrdering::AcquireRelease:
    case AtomicOrdering::SequentiallyConsistent:
      return AcqRel;
    default:
      return Relaxed;
    }
  }
  if (MMO->isVolatile())
    return Relaxed;
  unsigned AS = N->getAddressSpace();
  bool Read = MMO->isLoad() && !MMO->isStore();
  return Read && MMO->isInvariant() && AS <= 1 ? Constant : Weak;
}

// Base and offset; with Scaled, base, scale and offset.
void HeddleDAGToDAGISel::selectAddress(SDValue Address, unsigned AS,
                                       const SDLoc &DL,
                                       SmallVectorImpl<SDValue> &Ops,
                                       bool Scaled) {
  bool Narrow = AS > 1;
  int64_t Offset = 0;
  unsigned Scale = 0;
  SDValue Base = Address;
  auto FitsWith = [&](int64_t V) { return isInt<24>(Offset + V); };
  while (CurDAG->isBaseWithConstantOffset(Base) &&
         FitsWith(cast<ConstantSDNode>(Base.getOperand(1))->getSExtValue())) {
    Offset += cast<ConstantSDNode>(Base.getOperand(1))->getSExtValue();
    Base = Base.getOperand(0);
  }
  const auto *C = dyn_cast<ConstantSDNode>(Base);
  if (Narrow && C && FitsWith(C->getSExtValue())) {
    Offset += C->getSExtValue();
    Base = reg(Heddle::RZ, MVT::i32);
  } else if (const auto *FI = dyn_cast<FrameIndexSDNode>(Base)) {
    Base = CurDAG->getTargetFrameIndex(FI->getIndex(), MVT::i32);
  } else if (Scaled && Base.getOpcode() == ISD::SHL &&
             llvm::isa<ConstantSDNode>(Base.getOperand(1)) &&
             Base.getConstantOperandVal(1) <= 4) {
    Scale = Base.getConstantOperandVal(1);
    Base = Base.getOperand(0);
  }
  Ops.push_back(Base);
  if (Scaled)
    Ops.push_back(imm(Scale, DL));
  Ops.push_back(imm(Offset, DL));
}

// Opcodes by width: up to 32, 64, 128 bits.
static ArrayRef<unsigned> loadOpcodes(unsigned AS) {
  static constexpr unsigned Generic[] = {Heddle::LD_r, Heddle::LD64_r,
                                         Heddle::LD128_r};
  static constexpr unsigned Global[] = {Heddle::LDG_r, Heddle::LDG64_r,
                                        Heddle::LDG128_r};
  static constexpr unsigned Shared[] = {Heddle::LDS_r, Heddle::LDS64_r,
                                        Heddle::LDS128_r};
  static constexpr unsigned Local[] = {Heddle::LDL_r, Heddle::LDL64_r,
                                       Heddle::LDL128_r};
  static constexpr unsigned Const[] = {Heddle::LDC_r, Heddle::LDC64_r,
                                       Heddle::LDC128_r};
  switch (AS) {
  case addrspace::Generic:
    return Generic;
  case addrspace::Global:
    return Global;
  case addrspace::Shared:
    return Shared;
  case addrspace::Local:
    return Local;
  case addrspace::Const:
  case addrspace::Param:
    return Const;
  default:
    return {};
  }
}

static ArrayRef<unsigned> storeOpcodes(unsigned AS) {
  static constexpr unsigned Generic[] = {Heddle::ST_r, Heddle::ST64_r,
                                         Heddle::ST128_r};
  static constexpr unsigned Global[] = {Heddle::STG_r, Heddle::STG64_r,
                                        Heddle::STG128_r};
  static constexpr unsigned Shared[] = {Heddle::STS_r, Heddle::STS64_r,
                                        Heddle::STS128_r};
  static constexpr unsigned Local[] = {Heddle::STL_r, Heddle::STL64_r,
                                       Heddle::STL128_r};
  switch (AS) {
  case addrspace::Generic:
    return Generic;
  case addrspace::Global:
    return Global;
  case addrspace::Shared:
    return Shared;
  case addrspace::Local:
    return Local;
  default:
    return {};
  }
}

bool HeddleDAGToDAGISel::selectMemory(MemSDNode *N) {
  SDLoc DL(N);
  unsigned AS = N->getAddressSpace();
  bool Store =
      N->getOpcode() == ISD::STORE || N->getOpcode() == ISD::ATOMIC_STORE;
  ArrayRef<unsigned> Opcodes = Store ? storeOpcodes(AS) : loadOpcodes(AS);
  if (Opcodes.empty())
    return unsupported(N, Twine(Store ? "a store to" : "a load from") +
                              " address space " + Twine(AS));
  unsigned Bytes = N->getMemoryVT().getStoreSize();
  bool Const = AS == addrspace::Const || AS == addrspace::Param,
       Wide = AS <= addrspace::Global;

  SmallVector<SDValue, 12> Ops;
  if (Const)
    Ops.push_back(
        imm(AS == addrspace::Const ? isa::abi::ConstBank : isa::abi::ParamBank,
            DL));
  selectAddress(N->getBasePtr(), AS, DL, Ops, /*Scaled=*/!Wide && !Const);
  if (Store)
    Ops.push_back(N->getOpcode() == ISD::STORE
                      ? cast<StoreSDNode>(N)->getValue()
                      : cast<AtomicSDNode>(N)->getVal());
  if (Bytes <= 4) {
    bool Signed = false;
    if (const auto *L = dyn_cast<LoadSDNode>(N))
      Signed = L->getExtensionType() == ISD::SEXTLOAD;
    Ops.push_back(imm(Bytes == 4   ? Word
                      : Bytes == 2 ? U16 + Signed
                                   : U8 + Signed,
                      DL));
  }
  if (!Const)
    Ops.push_back(imm(orderOf(N), DL));
  if (Wide) {
    const MachineMemOperand *MMO = N->getMemOperand();
    bool Atomic = MMO->isAtomic(), Volatile = MMO->isVolatile();
    Ops.push_back(imm(Atomic     ? scopeOf(N->getSyncScopeID())
                      : Volatile ? System
                                 : CTA,
                      DL));
    Ops.push_back(imm(HeddleTargetLowering::cacheHintOf(MMO->getFlags()), DL));
  }
  unsigned Opc = Opcodes[Bytes <= 4 ? 0 : Bytes == 8 ? 1 : 2];
  MachineSDNode *I = inst(Opc, DL, N->getVTList(), Ops, N->getChain());
  CurDAG->setNodeMemRefs(I, {N->getMemOperand()});
  ReplaceNode(N, I);
  return true;
}

// AtomType32: F32, F16X2, BF16X2, F16, BF16 from 2 on; AtomType64: F64.
static unsigned floatKind(EVT VT) {
  return VT == MVT::v2f16    ? 3
         : VT == MVT::v2bf16 ? 4
         : VT == MVT::f16    ? 5
         : VT == MVT::bf16   ? 6
                             : 2;
}

// The operation and the type of an atomic read-modify-write.
static std::optional<std::pair<AtomOp, unsigned>> atomicKind(unsigned Opc,
                                                             EVT VT) {
  enum { U = 0, S = 1 };
  switch (Opc) {
  case ISD::ATOMIC_LOAD_ADD:
    return {{Add, U}};
  case ISD::ATOMIC_LOAD_AND:
    return {{And, U}};
  case ISD::ATOMIC_LOAD_OR:
    return {{Or, U}};
  case ISD::ATOMIC_LOAD_XOR:
    return {{Xor, U}};
  case ISD::ATOMIC_LOAD_MIN:
    return {{Min, S}};
  case ISD::ATOMIC_LOAD_MAX:
    return {{Max, S}};
  case ISD::ATOMIC_LOAD_UMIN:
    return {{Min, U}};
  case ISD::ATOMIC_LOAD_UMAX:
    return {{Max, U}};
  case ISD::ATOMIC_LOAD_UINC_WRAP:
    return {{Inc, U}};
  case ISD::ATOMIC_LOAD_UDEC_WRAP:
    return {{Dec, U}};
  case ISD::ATOMIC_SWAP:
    return {{Exch, U}};
  case ISD::ATOMIC_LOAD_FADD:
    return {{Add, floatKind(VT)}};
  case ISD::ATOMIC_LOAD_FMIN:
    return {{Min, floatKind(VT)}};
  case ISD::ATOMIC_LOAD_FMAX:
    return {{Max, floatKind(VT)}};
  default:
    return std::nullopt;
  }
}

bool HeddleDAGToDAGISel::selectAtomic(MemSDNode *N) {
  SDLoc DL(N);
  unsigned AS = N->getAddressSpace();
  if (AS != 0 && AS != 1 && AS != 3)
    return unsupported(N, "an atomic operation on address space " + Twine(AS));
  bool Wide = N->getMemoryVT().getStoreSize() == 8;
  bool Shared = AS == addrspace::Shared;
  bool Swap = N->getOpcode() == ISD::ATOMIC_CMP_SWAP;
  bool Used = N->hasAnyUseOfValue(0);
  SmallVector<SDValue, 12> Ops;
  selectAddress(N->getBasePtr(), AS, DL, Ops, /*Scaled=*/false);
  Ops.push_back(N->getOperand(2));
  // Generic, global, shared; each for 32 and 64 bits.
  using namespace Heddle;
  static constexpr unsigned Cas[][2] = {{ATOMCAS_r, ATOMCAS64_r},
                                        {ATOMGCAS_r, ATOMGCAS64_r},
                                        {ATOMSCAS, ATOMSCAS64}};
  static constexpr unsigned Atom[][2] = {
      {ATOM_r, ATOM64_r}, {ATOMG_r, ATOMG64_r}, {ATOMS, ATOMS64}};
  static constexpr unsigned Red[][2] = {{RED_r, RED64_r}, {REDG_r, REDG64_r}};
  unsigned Space = Shared ? 2 : AS, Opc;
  bool Reduce = false;
  if (Swap) {
    Ops.push_back(N->getOperand(3));
    if (!Wide)
      Ops.push_back(imm(N->getMemoryVT() == MVT::i16 ? U16 : Word, DL));
    Opc = Cas[Space][Wide];
  } else {
    auto Kind = atomicKind(N->getOpcode(), N->getMemoryVT());
    if (!Kind)
      return false;
    Reduce = !Used && !Shared && Kind->first != Exch;
    Ops.push_back(imm(Kind->first, DL));
    Ops.push_back(imm(Kind->second, DL));
    Opc = Reduce ? Red[Space][Wide] : Atom[Space][Wide];
  }
  Ops.push_back(imm(orderOf(N), DL));
  if (!Shared)
    Ops.push_back(imm(scopeOf(N->getSyncScopeID()), DL));
  if (!Shared && !Swap && !Wide)
    Ops.push_back(imm(
        HeddleTargetLowering::isFlushing(N->getMemOperand()->getFlags()), DL));
  SDVTList VTs = Reduce ? CurDAG->getVTList(MVT::Other) : N->getVTList();
  MachineSDNode *I = inst(Opc, DL, VTs, Ops, N->getChain());
  CurDAG->setNodeMemRefs(I, {N->getMemOperand()});
  if (!Reduce) {
    ReplaceNode(N, I);
    return true;
  }
  ReplaceUses(SDValue(N, 1), SDValue(I, 0));
  CurDAG->RemoveDeadNode(N);
  return true;
}

void HeddleDAGToDAGISel::selectFence(SDNode *N) {
  SDLoc DL(N);
  auto Ordering = AtomicOrdering(N->getConstantOperandVal(1));
  unsigned Scope = scopeOf(SyncScope::ID(N->getConstantOperandVal(2)));
  bool SC = Ordering == AtomicOrdering::SequentiallyConsistent;
  if (N->getConstantOperandVal(2) == SyncScope::SingleThread)
    return replaceAll(N, {N->getOperand(0)}); // for the compiler only
  ReplaceNode(N, inst(Heddle::MEMBAR, DL, CurDAG->getVTList(MVT::Other),
                      {imm(SC, DL), imm(Scope, DL)}, N->getOperand(0)));
}

//===----------------------------------------------------------------------===//
// Operations among threads
//===----------------------------------------------------------------------===//

// The lanes of Mask meet before they exchange data. Those of bar.warp.sync may
// be at different ones.
SDValue HeddleDAGToDAGISel::convergeLanes(SDValue Mask, SDValue Chain,
                                          const SDLoc &DL, bool AnyPlace) {
  return SDValue(inst(Heddle::WARPSYNC_r, DL, CurDAG->getVTList(MVT::Other),
                      {Mask, imm(AnyPlace, DL)}, Chain),
                 0);
}

bool HeddleDAGToDAGISel::selectBarrier(SDNode *N, unsigned ID) {
  enum { Sync, Arrive, RedPopc, RedAnd, RedOr }; // BarMode
  struct Row {
    unsigned ID;
    unsigned Mode;
    bool Count, Aligned;
  };
#define BARRIERS(NAME, MODE)                                                   \
  {Intrinsic::nvvm_barrier_cta_##NAME##_all, MODE, false, false},              \
      {Intrinsic::nvvm_barrier_cta_##NAME##_aligned_all, MODE, false, true},   \
      {Intrinsic::nvvm_barrier_cta_##NAME##_count, MODE, true, false}, {       \
    Intrinsic::nvvm_barrier_cta_##NAME##_aligned_count, MODE, true, true       \
  }
  static constexpr Row Rows[] = {
      BARRIERS(sync, Sync),
      BARRIERS(red_popc, RedPopc),
      BARRIERS(red_and, RedAnd),
      BARRIERS(red_or, RedOr),
      {Intrinsic::nvvm_barrier_cta_arrive_count, Arrive, true, false},
      {Intrinsic::nvvm_barrier_cta_arrive_aligned_count, Arrive, true, true}};
#undef BARRIERS
  const Row *R = find_if(Rows, [&](const Row &X) { return X.ID == ID; });
  if (R == std::end(Rows))
    return false;
  SDLoc DL(N);
  unsigned Next = 2;
  SDValue Barrier = N->getOperand(Next++);
  SDValue Count = R->Count ? N->getOperand(Next++) : reg(Heddle::RZ, MVT::i32);
  SDValue Pred = reg(Heddle::PT, MVT::i1), Negated = imm(0, DL);
  bool Reduces = R->Mode >= RedPopc;
  if (Reduces)
    selectPredicate(N->getOperand(Next), Pred, Negated);
  SDNode *I = inst(
      Heddle::BAR_r, DL, CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other),
      {imm(R->Mode, DL), imm(R->Aligned, DL), Barrier, Count, Pred, Negated},
      N->getOperand(0));
  if (Reduces)
    replaceAll(N, {SDValue(I, R->Mode == RedPopc ? 0 : 1), SDValue(I, 2)});
  else
    replaceAll(N, {SDValue(I, 2)});
  return true;
}

bool HeddleDAGToDAGISel::selectClusterBarrier(SDNode *N, unsigned ID) {
  enum { Arrive, ArriveRelaxed, Wait }; // ClusterBarMode
  unsigned Mode;
  bool Aligned = false;
  switch (ID) {
  case Intrinsic::nvvm_barrier_cluster_arrive_aligned:
    Aligned = true;
    [[fallthrough]];
  case Intrinsic::nvvm_barrier_cluster_arrive:
    Mode = Arrive;
    break;
  case Intrinsic::nvvm_barrier_cluster_arrive_relaxed_aligned:
    Aligned = true;
    [[fallthrough]];
  case Intrinsic::nvvm_barrier_cluster_arrive_relaxed:
    Mode = ArriveRelaxed;
    break;
  case Intrinsic::nvvm_barrier_cluster_wait_aligned:
    Aligned = true;
    [[fallthrough]];
  case Intrinsic::nvvm_barrier_cluster_wait:
    Mode = Wait;
    break;
  default:
    return false;
  }
  SDLoc DL(N);
  ReplaceNode(N, inst(Heddle::CBAR, DL, CurDAG->getVTList(MVT::Other),
                      {imm(Mode, DL), imm(Aligned, DL)}, N->getOperand(0)));
  return true;
}

bool HeddleDAGToDAGISel::selectShuffle(SDNode *N, unsigned ID) {
  enum { Idx, Up, Down, Bfly }; // ShflMode
  struct Row {
    unsigned ID;
    unsigned Mode;
    bool Pred, Synced;
  };
#define SHUFFLES(NAME, MODE)                                                   \
  {Intrinsic::nvvm_shfl_sync_##NAME##_i32, MODE, false, true},                 \
      {Intrinsic::nvvm_shfl_sync_##NAME##_f32, MODE, false, true},             \
      {Intrinsic::nvvm_shfl_sync_##NAME##_i32p, MODE, true, true},             \
      {Intrinsic::nvvm_shfl_sync_##NAME##_f32p, MODE, true, true},             \
      {Intrinsic::nvvm_shfl_##NAME##_i32, MODE, false, false},                 \
      {Intrinsic::nvvm_shfl_##NAME##_f32, MODE, false, false},                 \
      {Intrinsic::nvvm_shfl_##NAME##_i32p, MODE, true, false}, {               \
    Intrinsic::nvvm_shfl_##NAME##_f32p, MODE, true, false                      \
  }
  static constexpr Row Rows[] = {SHUFFLES(idx, Idx), SHUFFLES(up, Up),
                                 SHUFFLES(down, Down), SHUFFLES(bfly, Bfly)};
#undef SHUFFLES
  const Row *R = find_if(Rows, [&](const Row &X) { return X.ID == ID; });
  if (R == std::end(Rows))
    return false;
  SDLoc DL(N);
  unsigned First = 2;
  SDValue Chain = N->getOperand(0);
  if (R->Synced)
    Chain = convergeLanes(N->getOperand(First++), Chain, DL);
  SDValue A = N->getOperand(First), Lane = N->getOperand(First + 1),
          Segment = N->getOperand(First + 2);
  SDVTList VTs = CurDAG->getVTList(N->getValueType(0), MVT::i1, MVT::Other);
  const auto *ConstLane = dyn_cast<ConstantSDNode>(Lane);
  const auto *ConstSegment = dyn_cast<ConstantSDNode>(Segment);
  SDNode *I;
  if (!ConstSegment)
    I = inst(Heddle::SHFLV, DL, VTs, {A, Lane, Segment, imm(R->Mode, DL)},
             Chain);
  else {
    // Clamp in bits 4..0, segment mask in bits 12..8.
    SDValue Seg = imm(ConstSegment->getZExtValue() & 0x1F1F, DL);
    // Only the low five bits of the lane count.
    I = ConstLane ? inst(Heddle::SHFL_i, DL, VTs,
                         {A, imm(ConstLane->getZExtValue() & 31, DL), Seg,
                          imm(R->Mode, DL)},
                         Chain)
                  : inst(Heddle::SHFL_r, DL, VTs,
                         {A, Lane, Seg, imm(R->Mode, DL)}, Chain);
  }
  if (R->Pred)
    replaceAll(N, {SDValue(I, 0), SDValue(I, 1), SDValue(I, 2)});
  else
    replaceAll(N, {SDValue(I, 0), SDValue(I, 2)});
  return true;
}

enum VoteMode { All, Any, Uni, Ballot };

bool HeddleDAGToDAGISel::selectActiveMask(SDNode *N) {
  SDLoc DL(N);
  SDNode *I = inst(
      Heddle::VOTE_HERE, DL, CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other),
      {imm(Ballot, DL), reg(Heddle::PT, MVT::i1), imm(0, DL), imm(-1, DL)},
      N->getOperand(0));
  replaceAll(N, {SDValue(I, 0), SDValue(I, 2)});
  return true;
}

bool HeddleDAGToDAGISel::selectVote(SDNode *N, unsigned ID) {
  SDLoc DL(N);
  SDValue Chain = N->getOperand(0);
  SDValue Mask = constant32(~0u, DL), Pred = reg(Heddle::PT, MVT::i1),
          Negated = imm(0, DL);
  unsigned Mode;
  bool Synced = true;
  switch (ID) {
  case Intrinsic::nvvm_activemask:
    return selectActiveMask(N);
  case Intrinsic::nvvm_vote_all_sync:
  case Intrinsic::nvvm_vote_all:
    Mode = All;
    Synced = ID == Intrinsic::nvvm_vote_all_sync;
    break;
  case Intrinsic::nvvm_vote_any_sync:
  case Intrinsic::nvvm_vote_any:
    Mode = Any;
    Synced = ID == Intrinsic::nvvm_vote_any_sync;
    break;
  case Intrinsic::nvvm_vote_uni_sync:
  case Intrinsic::nvvm_vote_uni:
    Mode = Uni;
    Synced = ID == Intrinsic::nvvm_vote_uni_sync;
    break;
  case Intrinsic::nvvm_vote_ballot_sync:
  case Intrinsic::nvvm_vote_ballot:
    Mode = Ballot;
    Synced = ID == Intrinsic::nvvm_vote_ballot_sync;
    break;
  default:
    return false;
  }
  if (Synced) {
    Mask = N->getOperand(2);
    Chain = convergeLanes(Mask, Chain, DL);
  }
  selectPredicate(N->getOperand(Synced ? 3 : 2), Pred, Negated);
  SDNode *I =
      inst(Heddle::VOTE_r, DL, CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other),
           {imm(Mode, DL), Pred, Negated, Mask}, Chain);
  replaceAll(N, {SDValue(I, Mode == Ballot ? 0 : 1), SDValue(I, 2)});
  return true;
}

bool HeddleDAGToDAGISel::selectReduction(SDNode *N, unsigned ID) {
  SDLoc DL(N);
  SDVTList MatchVTs = CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other);
  enum { Any, All }; // MatchMode
  auto Match = [&](unsigned Opc, unsigned Mode) {
    SDValue Mask = N->getOperand(2);
    SDValue Chain = convergeLanes(Mask, N->getOperand(0), DL);
    SDNode *I =
        inst(Opc, DL, MatchVTs, {imm(Mode, DL), N->getOperand(3), Mask}, Chain);
    if (Mode == All)
      replaceAll(N, {SDValue(I, 0), SDValue(I, 1), SDValue(I, 2)});
    else
      replaceAll(N, {SDValue(I, 0), SDValue(I, 2)});
    return true;
  };
  auto Redux = [&](unsigned Op, bool Signed) {
    SDValue Mask = N->getOperand(3);
    SDValue Chain = convergeLanes(Mask, N->getOperand(0), DL);
    ReplaceNode(N, inst(Heddle::REDUX_r, DL, N->getVTList(),
                        {imm(Op, DL), imm(Signed, DL), N->getOperand(2), Mask},
                        Chain));
    return true;
  };
  auto FloatRedux = [&](bool Max, bool Abs, bool NaN) {
    constexpr unsigned Absolute = 2; // NegAbs
    SDValue Mask = N->getOperand(3);
    SDValue Chain = convergeLanes(Mask, N->getOperand(0), DL);
    ReplaceNode(N, inst(Heddle::REDUXF_r, DL, N->getVTList(),
                        {imm(Max, DL), imm(NaN, DL), N->getOperand(2),
                         imm(Abs ? Absolute : 0, DL), Mask},
                        Chain));
    return true;
  };
  switch (ID) {
  case Intrinsic::nvvm_redux_sync_fmin:
    return FloatRedux(false, false, false);
  case Intrinsic::nvvm_redux_sync_fmin_NaN:
    return FloatRedux(false, false, true);
  case Intrinsic::nvvm_redux_sync_fmin_abs:
    return FloatRedux(false, true, false);
  case Intrinsic::nvvm_redux_sync_fmin_abs_NaN:
    return FloatRedux(false, true, true);
  case Intrinsic::nvvm_redux_sync_fmax:
    return FloatRedux(true, false, false);
  case Intrinsic::nvvm_redux_sync_fmax_NaN:
    return FloatRedux(true, false, true);
  case Intrinsic::nvvm_redux_sync_fmax_abs:
    return FloatRedux(true, true, false);
  case Intrinsic::nvvm_redux_sync_fmax_abs_NaN:
    return FloatRedux(true, true, true);
  case Intrinsic::nvvm_match_any_sync_i32:
    return Match(Heddle::MATCH_r, Any);
  case Intrinsic::nvvm_match_any_sync_i64:
    return Match(Heddle::MATCH64_r, Any);
  case Intrinsic::nvvm_match_all_sync_i32p:
    return Match(Heddle::MATCH_r, All);
  case Intrinsic::nvvm_match_all_sync_i64p:
    return Match(Heddle::MATCH64_r, All);
  // ReduxOp: ADD, MIN, MAX, AND, OR, XOR
  case Intrinsic::nvvm_redux_sync_add:
    return Redux(0, false);
  case Intrinsic::nvvm_redux_sync_min:
    return Redux(1, true);
  case Intrinsic::nvvm_redux_sync_umin:
    return Redux(1, false);
  case Intrinsic::nvvm_redux_sync_max:
    return Redux(2, true);
  case Intrinsic::nvvm_redux_sync_umax:
    return Redux(2, false);
  case Intrinsic::nvvm_redux_sync_and:
    return Redux(3, false);
  case Intrinsic::nvvm_redux_sync_or:
    return Redux(4, false);
  case Intrinsic::nvvm_redux_sync_xor:
    return Redux(5, false);
  default:
    return false;
  }
}

// The leader is the lowest lane of the mask that is still there.
bool HeddleDAGToDAGISel::selectElect(SDNode *N) {
  SDLoc DL(N);
  SDValue Mask = N->getOperand(2), PT = reg(Heddle::PT, MVT::i1),
          No = imm(0, DL);
  SDVTList I32 = CurDAG->getVTList(MVT::i32);
  SDValue Chain = convergeLanes(Mask, N->getOperand(0), DL);
  constexpr unsigned Ballot = 3, CountLeadingZeros = 2, Equal = 2, LaneID = 12;
  SDNode *Lanes =
      inst(Heddle::VOTE_r, DL, CurDAG->getVTList(MVT::i32, MVT::i1, MVT::Other),
           {imm(Ballot, DL), PT, No, Mask}, Chain);
  SDValue Reversed(inst(Heddle::BREV_r, DL, I32, {SDValue(Lanes, 0)}), 0);
  SDValue Leader(
      inst(Heddle::FLO_r, DL, I32, {Reversed, imm(CountLeadingZeros, DL), No}),
      0);
  SDValue Lane(inst(Heddle::S2R, DL, I32, {imm(LaneID, DL)}), 0);
  SDValue IsLeader(inst(Heddle::ISETP_r, DL, CurDAG->getVTList(MVT::i1),
                        {Lane, Leader, imm(Equal, DL), No, No, PT, No}),
                   0);
  replaceAll(N, {Leader, IsLeader, SDValue(Lanes, 2)});
  return true;
}

bool HeddleDAGToDAGISel::selectIntrinsic(SDNode *N) {
  SDLoc DL(N);
  unsigned ID = N->getConstantOperandVal(1);
  SDVTList Chain = CurDAG->getVTList(MVT::Other);
  switch (ID) {
  case Intrinsic::nvvm_bar_warp_sync:
    ReplaceNode(N, convergeLanes(N->getOperand(2), N->getOperand(0), DL,
                                 /*AnyPlace=*/true)
                       .getNode());
    return true;
  case Intrinsic::nvvm_pm_event_mask:
    ReplaceNode(N,
                inst(Heddle::PMTRIG, DL, Chain,
                     {imm(N->getConstantOperandVal(2), DL)}, N->getOperand(0)));
    return true;
  case Intrinsic::nvvm_griddepcontrol_launch_dependents:
  case Intrinsic::nvvm_griddepcontrol_wait:
    ReplaceNode(N, inst(Heddle::GRIDDEP, DL, Chain,
                        {imm(ID == Intrinsic::nvvm_griddepcontrol_wait, DL)},
                        N->getOperand(0)));
    return true;
  case Intrinsic::nvvm_exit:
    ReplaceNode(N, inst(Heddle::EXIT, DL, Chain, {}, N->getOperand(0)));
    return true;
  case Intrinsic::nvvm_nanosleep:
    ReplaceNode(N, inst(Heddle::NANOSLEEP_r, DL, Chain, {N->getOperand(2)},
                        N->getOperand(0)));
    return true;
  case Intrinsic::nvvm_elect_sync:
    return selectElect(N);
  // fence.sc at the scope; membar.gl is that of the device.
  case Intrinsic::nvvm_membar_cta:
  case Intrinsic::nvvm_membar_gl:
  case Intrinsic::nvvm_membar_sys:
  case Intrinsic::nvvm_fence_sc_cluster: {
    unsigned Scope = ID == Intrinsic::nvvm_membar_cta   ? CTA
                     : ID == Intrinsic::nvvm_membar_gl  ? GPU
                     : ID == Intrinsic::nvvm_membar_sys ? System
                                                        : Cluster;
    ReplaceNode(N, inst(Heddle::MEMBAR, DL, Chain, {imm(1, DL), imm(Scope, DL)},
                        N->getOperand(0)));
    return true;
  }
  default:
    return selectBarrier(N, ID) || selectClusterBarrier(N, ID) ||
           selectShuffle(N, ID) || selectVote(N, ID) ||
           selectReduction(N, ID) ||
           unsupported(N, "the intrinsic " + Intrinsic::getBaseName(ID));
  }
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

void HeddleDAGToDAGISel::Select(SDNode *N) {
  if (N->isMachineOpcode()) {
    N->setNodeId(-1);
    return;
  }
  switch (N->getOpcode()) {
  case ISD::Constant:
  case ISD::ConstantFP:
    if (selectConstant(N))
      return;
    break;
  case ISD::BUILD_VECTOR:
    if (selectPackedConstant(N))
      return;
    break;
  case ISD::FrameIndex: {
    SDLoc DL(N);
    SDValue FI = CurDAG->getTargetFrameIndex(
        cast<FrameIndexSDNode>(N)->getIndex(), MVT::i32);
    ReplaceNode(N, inst(Heddle::IADD3_i, DL, CurDAG->getVTList(MVT::i32),
                        {FI, imm(0, DL), imm(0, DL), imm(0, DL),
                         reg(Heddle::RZ, MVT::i32), imm(0, DL)}));
    return;
  }
  case ISD::SRA:
    if (selectField(N))
      return;
    break;
  case ISD::AND:
  case ISD::OR:
  case ISD::XOR:
    if ((N->getOpcode() == ISD::AND && selectField(N)) ||
        (N->getOpcode() == ISD::OR && selectPack(N)) || selectLogic(N))
      return;
    break;
  case ISD::MUL:
    if (selectMul64(N))
      return;
    break;
  case ISD::UADDO:
  case ISD::USUBO:
  case ISD::UADDO_CARRY:
  case ISD::USUBO_CARRY:
    if (selectCarry(N))
      return;
    break;
  case ISD::BRCOND:
    return selectBranch(N);
  case ISD::ATOMIC_FENCE:
    return selectFence(N);
  case ISD::LOAD:
  case ISD::STORE:
  case ISD::ATOMIC_LOAD:
  case ISD::ATOMIC_STORE:
    if (selectMemory(cast<MemSDNode>(N)))
      return;
    break;
  case ISD::INTRINSIC_W_CHAIN:
  case ISD::INTRINSIC_VOID:
    if (selectIntrinsic(N))
      return;
    break;
  default:
    if (N->getOpcode() == ISD::ATOMIC_CMP_SWAP ||
        N->getOpcode() == ISD::ATOMIC_SWAP || llvm::isa<AtomicSDNode>(N))
      if (selectAtomic(cast<MemSDNode>(N)))
        return;
    break;
  }
  SelectCode(N);
}
