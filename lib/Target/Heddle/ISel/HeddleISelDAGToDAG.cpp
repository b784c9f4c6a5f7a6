//===- HeddleISelDAGToDAG.cpp - Instruction selection ----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the generated selector, and selects nodes by hand that patterns cannot
// describe.
//
//===----------------------------------------------------------------------===//

#include "ISel/HeddleISelDAGToDAG.h"
#include "HeddleMachineFunctionInfo.h"
#include "SinglePass/SinglePass.h"
#include "heddle/Support/Attributes.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-isel"
#define PASS_NAME "Heddle instruction selection"

namespace {

class HeddleDAGToDAGISelLegacy : public SelectionDAGISelLegacy {
public:
  static char ID;
  HeddleDAGToDAGISelLegacy(TargetMachine &TM, CodeGenOptLevel OL)
      : SelectionDAGISelLegacy(ID,
                               std::make_unique<HeddleDAGToDAGISel>(TM, OL)) {}

  bool runOnMachineFunction(MachineFunction &MF) override {
    return generateInOnePass(MF) ||
           SelectionDAGISelLegacy::runOnMachineFunction(MF);
  }

private:
  static bool generateInOnePass(MachineFunction &MF);
};

/// The register that a place names.
MCRegister registerOf(const heddle::singlepass::VariablePlace &P) {
  using heddle::isa::OperandKind;
  using heddle::singlepass::VariablePlace;
  if (P.K == VariablePlace::Predicate)
    return Heddle::getRegister(OperandKind::PR, P.Number);
  return Heddle::getRegister(P.Count == 4   ? OperandKind::GPR128
                             : P.Count == 2 ? OperandKind::GPR64
                                            : OperandKind::GPR32,
                             P.Number);
}

/// States the place of a variable from the end of the block on.
void addPlace(MachineBasicBlock &MBB,
              const heddle::singlepass::VariablePlace &P) {
  using heddle::singlepass::VariablePlace;
  const DIExpression *E = P.Expression;
  MachineOperand Where = MachineOperand::CreateReg(Register(), false);
  switch (P.K) {
  case VariablePlace::Nowhere:
    break;
  case VariablePlace::Frame:
    Where.setReg(registerOf(P));
    E = DIExpression::prepend(E, DIExpression::ApplyOffset, P.Offset.Number);
    if (P.IsAddress)
      E = DIExpression::append(E, {dwarf::DW_OP_deref});
    break;
  case VariablePlace::Registers:
  case VariablePlace::Predicate:
    Where.setReg(registerOf(P));
    break;
  case VariablePlace::Constant:
    if (const auto *Float = dyn_cast<ConstantFP>(P.Of))
      Where = MachineOperand::CreateFPImm(Float);
    else if (const auto *Number = cast<ConstantInt>(P.Of);
             Number->getBitWidth() > 64)
      Where = MachineOperand::CreateCImm(Number);
    else
      Where = MachineOperand::CreateImm(Number->getSExtValue());
    break;
  }
  BuildMI(MBB, MBB.end(), P.Variable->getDebugLoc(),
          MBB.getParent()->getSubtarget().getInstrInfo()->get(
              TargetOpcode::DBG_VALUE),
          /*IsIndirect=*/false, ArrayRef(Where), P.Variable->getVariable(), E);
}

/// An instruction for the code of each line, with places of variables between.
void addGenerated(MachineFunction &MF, const heddle::singlepass::Code &Code) {
  MachineBasicBlock *MBB =
      MF.CreateMachineBasicBlock(&MF.getFunction().getEntryBlock());
  MF.push_back(MBB);
  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  auto Add = [&](unsigned First, unsigned End, const DILocation *At,
                 unsigned Flags) {
    if (First != End)
      BuildMI(*MBB, MBB->end(), DebugLoc(At), TII.get(Heddle::GENERATED))
          .addImm(First)
          .addImm(End - First)
          .setMIFlags(Flags);
  };
  Add(0, Code.PrologueItems, nullptr, MachineInstr::FrameSetup);
  unsigned First = Code.PrologueItems;
  const DILocation *At = nullptr;
  auto Place = Code.Variables.begin();
  auto AddUpTo = [&](unsigned End) {
    for (; Place != Code.Variables.end() && Place->First < End; ++Place) {
      Add(First, Place->First, At, MachineInstr::NoFlags);
      First = Place->First;
      addPlace(*MBB, *Place);
    }
    Add(First, End, At, MachineInstr::NoFlags);
    First = End;
  };
  for (const heddle::singlepass::Line &L : Code.Lines) {
    AddUpTo(L.First);
    At = L.Location;
  }
  AddUpTo(Code.Items.size());
}

/// Tells callers what the calling convention lets the function write. The
/// return address is its own affair.
void noteWrittenRegisters(MachineFunction &MF) {
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  const uint32_t *Kept =
      TRI.getCallPreservedMask(MF, MF.getFunction().getCallingConv());
  SmallVector<uint32_t> Mask(
      Kept, Kept + MachineOperand::getRegMaskSize(TRI.getNumRegs()));
  for (MCPhysReg R : TRI.subregs_inclusive(Heddle::R2_64))
    Mask[R / 32] |= 1u << R % 32;
  MF.getRegInfo().addPhysRegsUsedFromRegMask(Mask.data());
}

/// Leaves MF with its code and one block that stands for it.
bool HeddleDAGToDAGISelLegacy::generateInOnePass(MachineFunction &MF) {
  using namespace heddle;
  const auto &ST = MF.getSubtarget<HeddleSubtarget>();
  if (!ST.generatesInOnePass() ||
      MF.getTarget().getOptLevel() != CodeGenOptLevel::None)
    return false;
  singlepass::Result R = singlepass::generate(
      MF.getFunction(), ST.getChip(), HeddleRegisterInfo::getRegisterLimit(MF));
  MF.getFunction().addFnAttr(attr::InOnePass, R.Generated ? "yes" : "no");
  if (!R.Generated) {
    OptimizationRemarkEmitter(&MF.getFunction()).emit([&] {
      return OptimizationRemarkMissed("heddle-single-pass", "NotInOnePass",
                                      &MF.getFunction())
             << "not generated in one pass: " << R.Reason;
    });
    return false;
  }
  addGenerated(MF, *R.Generated);
  MF.getInfo<HeddleMachineFunctionInfo>()->Generated = std::move(R.Generated);
  MF.getRegInfo().freezeReservedRegs();
  noteWrittenRegisters(MF);
  return true;
}

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

// Flushing keeps signs: where it stands among changes of them is all one.
bool HeddleDAGToDAGISel::selectFlushedMods(SDValue In, SDValue &Src,
                                           SDValue &Mods) {
  unsigned Negate = 0, Abs = 0;
  for (;; In = In.getOperand(0)) {
    if (In.getOpcode() == ISD::FNEG)
      Negate ^= !Abs;
    else if (In.getOpcode() == ISD::FABS)
      Abs = 2;
    else if (In.getOpcode() != HeddleISD::FLUSH)
      break;
  }
  Src = In;
  Mods = imm(Negate | Abs, SDLoc(In));
  return true;
}

bool HeddleDAGToDAGISel::selectFlushed(SDValue In, SDValue &Src,
                                       SDValue &Mods) {
  SDValue V = In;
  while (V.getOpcode() == ISD::FNEG || V.getOpcode() == ISD::FABS)
    V = V.getOperand(0);
  return (V.getOpcode() == HeddleISD::FLUSH ||
          HeddleTargetLowering::hasNoSubnormals(V)) &&
         selectFlushedMods(In, Src, Mods);
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
  // A masking with 0xFFFFFFFF has become this bitcast.
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

/// Whether all users of a predicate take it negated at no cost.
static bool mayBeNegated(const SDNode &Predicate) {
  return all_of(Predicate.users(), [](const SDNode *User) {
    return User->getOpcode() == ISD::SELECT ||
           ISD::isExtOpcode(User->getOpcode());
  });
}

/// Drops the moves of HeddleHideBits.
static void dropMoves(SelectionDAG &DAG) {
  for (SDNode &N : make_early_inc_range(DAG.allnodes()))
    if (N.getOpcode() == ISD::INTRINSIC_WO_CHAIN &&
        N.getConstantOperandVal(0) == Intrinsic::nvvm_move_i32)
      DAG.ReplaceAllUsesOfValueWith(SDValue(&N, 0), N.getOperand(1));
}

/// Of two comparisons that are each other's opposites one is enough. Before,
/// LLVM would make two of one.
static void joinOpposites(SelectionDAG &DAG) {
  for (SDNode &N : DAG.allnodes()) {
    if (N.getOpcode() != ISD::SETCC || N.use_empty() ||
        N.getValueType(0) != MVT::i1 ||
        !N.getOperand(0).getValueType().isInteger() ||
        cast<CondCodeSDNode>(N.getOperand(2))->get() != ISD::SETEQ ||
        !mayBeNegated(N))
      continue;
    SDNode *Opposite = DAG.getNodeIfExists(
        ISD::SETCC, N.getVTList(),
        {N.getOperand(0), N.getOperand(1), DAG.getCondCode(ISD::SETNE)});
    if (!Opposite || Opposite->use_empty())
      continue;
    SDLoc DL(&N);
    DAG.ReplaceAllUsesOfValueWith(
        SDValue(&N, 0), DAG.getNode(ISD::XOR, DL, MVT::i1, SDValue(Opposite, 0),
                                    DAG.getConstant(1, DL, MVT::i1)));
  }
}

void HeddleDAGToDAGISel::PreprocessISelDAG() {
  dropMoves(*CurDAG);
  joinOpposites(*CurDAG);
  CurDAG->RemoveDeadNodes();
}

bool HeddleDAGToDAGISel::selectLogic(SDNode *N) {
  if (N->getValueType(0) != MVT::i32)
    return false;
  LogicTree Tree;
  std::optional<unsigned> Table = Tree.walk(SDValue(N, 0), true, 0);
  if (!Table)
    return false;
  SDLoc DL(N);
  // A sum may go into an address or another sum later.
  if (Tree.Leaves.size() == 2 && N->getOpcode() == ISD::OR &&
      llvm::isa<ConstantSDNode>(N->getOperand(1)) &&
      CurDAG->isADDLike(SDValue(N, 0)) && Tree.Leaves[0] == N->getOperand(0)) {
    ReplaceNode(N, inst(Heddle::IADD3_r, DL, CurDAG->getVTList(MVT::i32),
                        {N->getOperand(0), imm(0, DL), N->getOperand(1),
                         imm(0, DL), reg(Heddle::RZ, MVT::i32), imm(0, DL)}));
    return true;
  }
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

// The full product lo * lo plus the addend, then the cross products added to
// its high half. Cross products with a half of zero are left out.
bool HeddleDAGToDAGISel::selectMul64(SDNode *N) {
  SDValue Product(N, 0), Addend = reg(Heddle::RZ64, MVT::i64), Unused;
  if (N->getValueType(0) != MVT::i64)
    return false;
  if (N->getOpcode() == ISD::ADD) {
    bool IsFirst = N->getOperand(0).getOpcode() == ISD::MUL &&
                   N->getOperand(0).hasOneUse();
    Product = N->getOperand(!IsFirst);
    Addend = N->getOperand(IsFirst);
    if (Product.getOpcode() != ISD::MUL || !Product.hasOneUse())
      return false;
  }
  SDValue A = Product.getOperand(0), B = Product.getOperand(1);
  if ((selectSExt32(A, Unused) && selectSExt32(B, Unused)) ||
      (selectZExt32(A, Unused) && selectZExt32(B, Unused)))
    return false;
  SDLoc DL(N);
  auto Sub = [&](unsigned Index, SDValue V) {
    return CurDAG->getTargetExtractSubreg(Index, DL, MVT::i32, V);
  };
  auto Low = [&](SDValue V) {
    SDValue Narrow;
    return selectZExt32(V, Narrow) || selectSExt32(V, Narrow)
               ? Narrow
               : Sub(Heddle::sub0, V);
  };
  SDValue ALo = Low(A), BLo = Low(B);
  SDValue Wide(inst(Heddle::IMADW_r, DL, CurDAG->getVTList(MVT::i64),
                    {ALo, BLo, Addend, imm(0, DL)}),
               0);
  SDValue High;
  auto AddCross = [&](SDValue Whole, SDValue OtherLow) {
    if (CurDAG->MaskedValueIsZero(Whole, APInt::getHighBitsSet(64, 32)))
      return;
    High = SDValue(inst(Heddle::IMAD_r, DL, CurDAG->getVTList(MVT::i32),
                        {Sub(Heddle::sub1, Whole), OtherLow,
                         High ? High : Sub(Heddle::sub1, Wide), imm(0, DL)}),
                   0);
  };
  AddCross(B, ALo);
  AddCross(A, BLo);
  ReplaceNode(
      N, (High ? joined(Sub(Heddle::sub0, Wide), High, MVT::i64, DL) : Wide)
             .getNode());
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

/// The bits of the ISA's comparisons of floating-point numbers.
static unsigned floatComparison(ISD::CondCode CC) {
  enum { Less = 1, Equal = 2, Greater = 4, Unordered = 8 };
  auto Has = [CC](ISD::CondCode Ordered) {
    return (unsigned(CC) & unsigned(Ordered)) != 0;
  };
  return (Has(ISD::SETOLT) ? Less : 0) | (Has(ISD::SETOEQ) ? Equal : 0) |
         (Has(ISD::SETOGT) ? Greater : 0) |
         (Has(ISD::SETUO) || CC == ISD::SETNE ? Unordered : 0);
}

/// Two comparisons, of the lower and of the upper halves of the same words, are
/// one instruction.
bool HeddleDAGToDAGISel::selectPackedCompare(SDNode *N) {
  SDValue A = N->getOperand(0), B = N->getOperand(1);
  auto IsHalf = [](SDValue V) {
    EVT VT = V.getOperand(0).getValueType();
    return (VT == MVT::v2f16 || VT == MVT::v2bf16) &&
           llvm::isa<ConstantSDNode>(V.getOperand(1));
  };
  auto IsExtract = [&](SDValue V) {
    return V.getOpcode() == ISD::EXTRACT_VECTOR_ELT && IsHalf(V);
  };
  const auto *Constant = dyn_cast<ConstantFPSDNode>(B);
  if (!IsExtract(A) || (!Constant && !IsExtract(B)))
    return false;
  uint64_t Index = A.getConstantOperandVal(1);
  if (!Constant && B.getConstantOperandVal(1) != Index)
    return false;
  SDLoc DL(N);
  auto OtherHalf = [&](SDValue V) {
    return SDValue(
        CurDAG->getNodeIfExists(
            ISD::EXTRACT_VECTOR_ELT, CurDAG->getVTList(V.getValueType()),
            {V.getOperand(0), CurDAG->getVectorIdxConstant(1 - Index, DL)}),
        0);
  };
  SDValue OtherA = OtherHalf(A), OtherB = Constant ? B : OtherHalf(B);
  if (!OtherA || !OtherB)
    return false;
  SDNode *Other = CurDAG->getNodeIfExists(ISD::SETCC, N->getVTList(),
                                          {OtherA, OtherB, N->getOperand(2)});
  if (!Other || Other->use_empty())
    return false;
  SDValue SrcA, ModA, SrcB, ModB = imm(0, DL);
  selectFloatMods(A.getOperand(0), SrcA, ModA);
  if (Constant) {
    uint32_t Bits = Constant->getValueAPF().bitcastToAPInt().getZExtValue();
    SrcB = constant32(Bits << 16 | Bits, DL);
  } else {
    selectFloatMods(B.getOperand(0), SrcB, ModB);
  }
  SDNode *Both = inst(
      Heddle::HSETP2_r, DL, CurDAG->getVTList(MVT::i1, MVT::i1),
      {SrcA, ModA, SrcB, ModB, imm(A.getValueType() == MVT::bf16, DL),
       imm(floatComparison(cast<CondCodeSDNode>(N->getOperand(2))->get()), DL),
       imm(0, DL), imm(0, DL), reg(Heddle::PT, MVT::i1), imm(0, DL)});
  ReplaceUses(SDValue(Other, 0), SDValue(Both, 1 - Index));
  ReplaceUses(SDValue(N, 0), SDValue(Both, Index));
  CurDAG->RemoveDeadNode(Other);
  CurDAG->RemoveDeadNode(N);
  return true;
}

/// A comparison for the opposite of Guard that has another use, or nothing: the
/// condition of a branch was inverted although another block needs the plain
/// one.
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
// Dispatch
//===----------------------------------------------------------------------===//

void HeddleDAGToDAGISel::selectFrameIndex(SDNode *N) {
  SDLoc DL(N);
  SDValue FI = CurDAG->getTargetFrameIndex(
      cast<FrameIndexSDNode>(N)->getIndex(), MVT::i32);
  ReplaceNode(N, inst(Heddle::IADD3_i, DL, CurDAG->getVTList(MVT::i32),
                      {FI, imm(0, DL), imm(0, DL), imm(0, DL),
                       reg(Heddle::RZ, MVT::i32), imm(0, DL)}));
}

bool HeddleDAGToDAGISel::selectInteger(SDNode *N) {
  switch (N->getOpcode()) {
  case ISD::SRA:
    return selectField(N);
  case ISD::AND:
    return selectField(N) || selectLogic(N);
  case ISD::OR:
    return selectPack(N) || selectLogic(N);
  case ISD::XOR:
    return selectLogic(N);
  case ISD::ADD:
    return selectMul64(N) || selectElements(N);
  case ISD::SUB:
  case ISD::SMIN:
  case ISD::SMAX:
  case ISD::UMIN:
  case ISD::UMAX:
  case ISD::SADDSAT:
  case ISD::UADDSAT:
  case ISD::SSUBSAT:
  case ISD::USUBSAT:
  case ISD::ABDS:
  case ISD::ABDU:
  case ISD::AVGCEILU:
  case ISD::AVGFLOORU:
  case ISD::AVGFLOORS:
    return selectElements(N);
  case ISD::MUL:
    return selectMul64(N);
  case ISD::UADDO:
  case ISD::USUBO:
  case ISD::UADDO_CARRY:
  case ISD::USUBO_CARRY:
    return selectCarry(N);
  case ISD::SETCC:
    return selectPackedCompare(N);
  default:
    return false;
  }
}

bool HeddleDAGToDAGISel::selectWithoutPattern(SDNode *N) {
  switch (N->getOpcode()) {
  case ISD::Constant:
  case ISD::ConstantFP:
    return selectConstant(N);
  case ISD::BUILD_VECTOR:
    return selectPackedConstant(N);
  case ISD::FrameIndex:
    selectFrameIndex(N);
    return true;
  case ISD::BRCOND:
    selectBranch(N);
    return true;
  case ISD::ATOMIC_FENCE:
    selectFence(N);
    return true;
  case ISD::LOAD:
  case ISD::STORE:
  case ISD::ATOMIC_LOAD:
  case ISD::ATOMIC_STORE:
    return selectMemory(cast<MemSDNode>(N));
  case ISD::INTRINSIC_W_CHAIN:
  case ISD::INTRINSIC_VOID:
    return selectIntrinsic(N);
  default:
    if (llvm::isa<AtomicSDNode>(N))
      return selectAtomic(cast<MemSDNode>(N));
    return selectInteger(N);
  }
}

void HeddleDAGToDAGISel::Select(SDNode *N) {
  if (N->isMachineOpcode())
    N->setNodeId(-1);
  else if (!selectWithoutPattern(N))
    SelectCode(N);
}
