//===- HeddleISelLowering.cpp - Lowering to selection nodes ----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which types and operations the ISA has, and how the rest is made of them.
// Calls are in HeddleCallLowering.cpp.
//
//===----------------------------------------------------------------------===//

#include "ISel/HeddleISelLowering.h"
#include "HeddleSubtarget.h"
#include "ISel/HeddlePackedMemory.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/AddressSpace.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineJumpTableInfo.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;
namespace addrspace = heddle::addrspace;
namespace isa = heddle::isa;

static constexpr MVT Vectors64[] = {MVT::v2i32, MVT::v2f32};
static constexpr MVT Vectors128[] = {MVT::v4i32, MVT::v4f32, MVT::v2i64,
                                     MVT::v2f64};
static constexpr MVT PackedHalves[] = {MVT::v2f16, MVT::v2bf16};
static constexpr MVT Halves[] = {MVT::f16, MVT::bf16};

// With fewer targets a tree of comparisons is as short as the way through a
// table.
constexpr unsigned MinTableEntries = 8;

//===----------------------------------------------------------------------===//
// What is legal
//===----------------------------------------------------------------------===//

static void setVectorActions(TargetLowering &TL,
                             function_ref<void(unsigned, MVT, bool)> Set) {
  // A vector is a group of registers to be loaded, stored and taken apart.
  constexpr unsigned Kept[] = {
      ISD::LOAD,        ISD::STORE,      ISD::BITCAST,     ISD::BUILD_VECTOR,
      ISD::UNDEF,       ISD::POISON,     ISD::SELECT,      ISD::MERGE_VALUES,
      ISD::FREEZE,      ISD::CopyToReg,  ISD::CopyFromReg, ISD::EntryToken,
      ISD::TokenFactor, ISD::HANDLENODE, ISD::AssertAlign, ISD::ATOMIC_LOAD,
      ISD::ATOMIC_STORE};
  auto All = [&](ArrayRef<MVT> Types) {
    for (MVT VT : Types)
      for (unsigned Op = 0; Op != ISD::BUILTIN_OP_END; ++Op)
        Set(Op, VT, is_contained(Kept, Op));
  };
  All(Vectors64);
  All(Vectors128);
  All(PackedHalves);
  All({MVT::v2i16});
}

void HeddleTargetLowering::setGroupActions() {
  setVectorActions(*this, [&](unsigned Op, MVT VT, bool Kept) {
    setOperationAction(Op, VT, Kept ? Legal : Expand);
  });
  for (MVT VT : MVT::fixedlen_vector_valuetypes())
    if (isTypeLegal(VT)) {
      setOperationAction({ISD::EXTRACT_VECTOR_ELT, ISD::INSERT_VECTOR_ELT,
                          ISD::VSELECT, ISD::EXTRACT_SUBVECTOR,
                          ISD::CONCAT_VECTORS},
                         VT, Custom);
      for (MVT Inner : MVT::fixedlen_vector_valuetypes()) {
        setLoadExtAction({ISD::EXTLOAD, ISD::SEXTLOAD, ISD::ZEXTLOAD}, VT,
                         Inner, Expand);
        setTruncStoreAction(VT, Inner, Expand);
      }
    }
}

void HeddleTargetLowering::setIntegerActions() {
  for (MVT VT : {MVT::i32, MVT::i64}) {
    setOperationAction({ISD::SDIV,
                        ISD::UDIV,
                        ISD::SREM,
                        ISD::UREM,
                        ISD::SDIVREM,
                        ISD::UDIVREM,
                        ISD::SMUL_LOHI,
                        ISD::UMUL_LOHI,
                        ISD::SMULO,
                        ISD::UMULO,
                        ISD::SADDO,
                        ISD::SSUBO,
                        ISD::SHL_PARTS,
                        ISD::SRL_PARTS,
                        ISD::SRA_PARTS,
                        ISD::SELECT_CC,
                        ISD::BR_CC,
                        ISD::ADDC,
                        ISD::ADDE,
                        ISD::SUBC,
                        ISD::SUBE,
                        ISD::DYNAMIC_STACKALLOC,
                        ISD::CTTZ_ZERO_UNDEF,
                        ISD::CTLZ_ZERO_UNDEF},
                       VT, Expand);
    setOperationAction({ISD::SADDSAT, ISD::UADDSAT, ISD::SSUBSAT, ISD::USUBSAT},
                       VT, VT == MVT::i32 ? Legal : Expand);
    setOperationAction({ISD::SMIN, ISD::SMAX, ISD::UMIN, ISD::UMAX}, VT, Legal);
  }
  setOperationAction({ISD::ABS, ISD::CTPOP, ISD::CTLZ, ISD::CTTZ,
                      ISD::BITREVERSE, ISD::BSWAP, ISD::FSHL, ISD::FSHR,
                      ISD::ROTL, ISD::ROTR, ISD::MULHS, ISD::MULHU, ISD::UADDO,
                      ISD::USUBO, ISD::UADDO_CARRY, ISD::USUBO_CARRY},
                     MVT::i32, Legal);
  setOperationAction({ISD::ABS, ISD::FSHL, ISD::FSHR, ISD::ROTL, ISD::ROTR},
                     MVT::i64, Expand);
  setOperationAction({ISD::AND, ISD::OR, ISD::XOR, ISD::CTPOP, ISD::CTLZ,
                      ISD::CTTZ, ISD::BITREVERSE, ISD::BSWAP, ISD::MULHS,
                      ISD::MULHU, ISD::UADDO_CARRY, ISD::USUBO_CARRY},
                     MVT::i64, Custom);
  for (MVT VT : {MVT::i1, MVT::i8, MVT::i16})
    setOperationAction(ISD::SIGN_EXTEND_INREG, VT, Legal);
  setOperationAction(ISD::SIGN_EXTEND_INREG, MVT::i32, Expand);
}

void HeddleTargetLowering::setPackedIntegerActions() {
  // Two halves: VALU, and logic as on any word.
  setOperationAction({ISD::ADD, ISD::SUB, ISD::SMIN, ISD::SMAX, ISD::UMIN,
                      ISD::UMAX, ISD::SADDSAT, ISD::UADDSAT, ISD::SSUBSAT,
                      ISD::USUBSAT, ISD::ABDS, ISD::ABDU, ISD::AVGCEILU,
                      ISD::AVGFLOORU, ISD::AVGFLOORS},
                     MVT::v2i16, Legal);
  for (unsigned Op : {ISD::AND, ISD::OR, ISD::XOR})
    setOperationPromotedToType(Op, MVT::v2i16, MVT::i32);
}

void HeddleTargetLowering::setPredicateActions() {
  setOperationAction({ISD::SETCC, ISD::LOAD, ISD::STORE}, MVT::i1, Custom);
  // Not legal, or the combiner turns brcond (xor x, true) into setcc and back
  // without end.
  setCondCodeAction({ISD::SETEQ, ISD::SETNE, ISD::SETLT, ISD::SETLE, ISD::SETGT,
                     ISD::SETGE, ISD::SETULT, ISD::SETULE, ISD::SETUGT,
                     ISD::SETUGE},
                    MVT::i1, Custom);
  setOperationAction({ISD::SELECT_CC, ISD::BR_CC}, MVT::i1, Expand);
  for (unsigned Op :
       {ISD::SINT_TO_FP, ISD::UINT_TO_FP, ISD::FP_TO_SINT, ISD::FP_TO_UINT})
    setOperationPromotedToType(Op, MVT::i1, MVT::i32);
  setOperationAction({ISD::ADD, ISD::SUB, ISD::MUL, ISD::SMIN, ISD::SMAX,
                      ISD::UMIN, ISD::UMAX, ISD::ABS, ISD::UADDO, ISD::USUBO,
                      ISD::SADDO, ISD::SSUBO},
                     MVT::i1, Expand);
}

void HeddleTargetLowering::setFloatActions() {
  for (MVT VT : {MVT::f32, MVT::f64, MVT::f16, MVT::bf16}) {
    setOperationAction({ISD::SELECT_CC, ISD::BR_CC, ISD::FDIV, ISD::FREM,
                        ISD::FSIN, ISD::FCOS, ISD::FSINCOS, ISD::FPOW,
                        ISD::FCOPYSIGN, ISD::FSQRT},
                       VT, Expand);
    if (VT == MVT::f32 || VT == MVT::f64)
      setOperationAction(ISD::FCOPYSIGN, VT, Legal);
    setOperationAction({ISD::ConstantFP, ISD::FMA, ISD::FNEG, ISD::FABS,
                        ISD::FMINNUM, ISD::FMAXNUM, ISD::FMINIMUMNUM,
                        ISD::FMAXIMUMNUM},
                       VT, Legal);
  }
  setOperationAction({ISD::FMINIMUM, ISD::FMAXIMUM},
                     {MVT::f32, MVT::f16, MVT::bf16}, Legal);
  setOperationAction({ISD::FMINIMUM, ISD::FMAXIMUM}, MVT::f64, Expand);
  setOperationAction({ISD::FROUNDEVEN, ISD::FRINT, ISD::FNEARBYINT, ISD::FTRUNC,
                      ISD::FFLOOR, ISD::FCEIL, ISD::FCANONICALIZE},
                     {MVT::f32, MVT::f64}, Legal);
  for (unsigned Op :
       {ISD::FROUNDEVEN, ISD::FRINT, ISD::FNEARBYINT, ISD::FTRUNC, ISD::FFLOOR,
        ISD::FCEIL, ISD::FDIV, ISD::FSQRT, ISD::FCANONICALIZE})
    for (MVT VT : Halves)
      setOperationPromotedToType(Op, VT, MVT::f32);
  for (MVT VT : PackedHalves)
    setOperationAction({ISD::FADD, ISD::FSUB, ISD::FMUL, ISD::FMA, ISD::FNEG,
                        ISD::FABS, ISD::FMINNUM, ISD::FMAXNUM, ISD::FMINIMUM,
                        ISD::FMAXIMUM, ISD::FMINIMUMNUM, ISD::FMAXIMUMNUM},
                       VT, Legal);
}

void HeddleTargetLowering::setConversionActions() {
  setOperationAction({ISD::FP_TO_SINT_SAT, ISD::FP_TO_UINT_SAT},
                     {MVT::i32, MVT::i64}, Legal);
  setLoadExtAction(ISD::EXTLOAD, MVT::f32, MVT::f16, Expand);
  setLoadExtAction(ISD::EXTLOAD, MVT::f32, MVT::bf16, Expand);
  for (MVT From : {MVT::f16, MVT::bf16, MVT::f32}) {
    setLoadExtAction(ISD::EXTLOAD, MVT::f64, From, Expand);
    setTruncStoreAction(MVT::f64, From, Expand);
  }
  setTruncStoreAction(MVT::f32, MVT::f16, Expand);
  setTruncStoreAction(MVT::f32, MVT::bf16, Expand);
}

void HeddleTargetLowering::setMemoryActions() {
  for (MVT VT : heddlePackedVectors())
    setOperationAction({ISD::LOAD, ISD::STORE}, VT, Custom);
  for (unsigned Ext : {ISD::EXTLOAD, ISD::SEXTLOAD, ISD::ZEXTLOAD}) {
    for (MVT VT : {MVT::i32, MVT::i64})
      setLoadExtAction(Ext, VT, MVT::i1, Promote);
    for (MVT From : {MVT::i8, MVT::i16, MVT::i32})
      setLoadExtAction(Ext, MVT::i64, From, Expand);
  }
  for (MVT To : {MVT::i1, MVT::i8, MVT::i16, MVT::i32})
    setTruncStoreAction(MVT::i64, To, Expand);
  setTruncStoreAction(MVT::i32, MVT::i1, Expand);
  setOperationAction(ISD::ATOMIC_LOAD_SUB, {MVT::i32, MVT::i64}, Expand);
  setMaxAtomicSizeInBitsSupported(64);
  setMinCmpXchgSizeInBits(16);
}

void HeddleTargetLowering::setOtherActions() {
  // 16-bit integers are not registers of their own, halves are.
  setOperationAction(ISD::BITCAST, MVT::i16, Custom);

  setOperationAction({ISD::GlobalAddress, ISD::BlockAddress},
                     {MVT::i32, MVT::i64}, Custom);
  setOperationAction(ISD::ADDRSPACECAST, {MVT::i32, MVT::i64}, Custom);
  setOperationAction({ISD::INTRINSIC_WO_CHAIN, ISD::INTRINSIC_W_CHAIN},
                     {MVT::Other, MVT::i32, MVT::i64, MVT::i1}, Custom);
  setOperationAction(ISD::BR_JT, MVT::Other, Custom);
  setOperationAction(ISD::BRIND, MVT::Other, Expand);
  setOperationAction({ISD::TRAP, ISD::DEBUGTRAP}, MVT::Other, Legal);
  setOperationAction(ISD::PREFETCH, MVT::Other, Expand);
  setOperationAction({ISD::STACKSAVE, ISD::STACKRESTORE}, MVT::Other, Expand);
  setMinimumJumpTableEntries(MinTableEntries);
}

HeddleTargetLowering::HeddleTargetLowering(const TargetMachine &TM,
                                           const HeddleSubtarget &ST)
    : TargetLowering(TM, ST) {
  addRegisterClass(MVT::i1, &Heddle::PRRegClass);
  for (MVT VT : {MVT::i32, MVT::f32, MVT::f16, MVT::bf16, MVT::v2f16,
                 MVT::v2bf16, MVT::v2i16})
    addRegisterClass(VT, &Heddle::GPR32RegClass);
  for (MVT VT : {MVT::i64, MVT::f64, MVT::v2i32, MVT::v2f32})
    addRegisterClass(VT, &Heddle::GPR64RegClass);
  for (MVT VT : Vectors128)
    addRegisterClass(VT, &Heddle::GPR128RegClass);
  setGroupActions();
  setIntegerActions();
  setPackedIntegerActions();
  setPredicateActions();
  setFloatActions();
  setConversionActions();
  setMemoryActions();
  setOtherActions();

  setTargetDAGCombine({ISD::SELECT, ISD::SETCC, ISD::MULHU, ISD::MULHS,
                       ISD::TRUNCATE, ISD::EXTRACT_VECTOR_ELT,
                       ISD::INTRINSIC_WO_CHAIN, ISD::SRL, ISD::SUB});
  computeRegisterProperties(ST.getRegisterInfo());
  setStackPointerRegisterToSaveRestore(Heddle::R1);
  setBooleanContents(ZeroOrOneBooleanContent);
  setBooleanVectorContents(ZeroOrOneBooleanContent);
  setSchedulingPreference(Sched::RegPressure);
  setJumpIsExpensive(true);
  MaxStoresPerMemcpy = MaxStoresPerMemset = MaxStoresPerMemmove = 64;
  MaxStoresPerMemcpyOptSize = MaxStoresPerMemsetOptSize = 64;
  MaxGluedStoresPerMemcpy = 0;
}

EVT HeddleTargetLowering::getSetCCResultType(const DataLayout &, LLVMContext &C,
                                             EVT VT) const {
  // Vectors of i1 are no registers; masks of the compared width are.
  return VT.isVector() ? VT.changeVectorElementTypeToInteger() : EVT(MVT::i1);
}

unsigned HeddleTargetLowering::getJumpTableEncoding() const {
  return MachineJumpTableInfo::EK_Inline;
}

bool HeddleTargetLowering::isFMAFasterThanFMulAndFAdd(const MachineFunction &,
                                                      EVT VT) const {
  return VT.getScalarType().isFloatingPoint();
}

/// The low words of a wider integer are registers of their own. All widths must
/// answer alike: i64 that is free to narrow beside i128 that is not makes two
/// combines of LLVM undo each other forever.
static bool isLowWords(uint64_t FromBits, uint64_t ToBits) {
  return FromBits > ToBits && FromBits % 32 == 0 && ToBits % 32 == 0;
}

bool HeddleTargetLowering::isTruncateFree(EVT From, EVT To) const {
  return From.isScalarInteger() && To.isScalarInteger() &&
         isLowWords(From.getFixedSizeInBits(), To.getFixedSizeInBits());
}
bool HeddleTargetLowering::isTruncateFree(Type *From, Type *To) const {
  return From->isIntegerTy() && To->isIntegerTy() &&
         isLowWords(From->getIntegerBitWidth(), To->getIntegerBitWidth());
}
bool HeddleTargetLowering::isZExtFree(EVT From, EVT To) const {
  return From == MVT::i32 && To == MVT::i64;
}

bool HeddleTargetLowering::isLegalAddressingMode(const DataLayout &,
                                                 const AddrMode &AM, Type *,
                                                 unsigned AS,
                                                 Instruction *) const {
  if (AM.BaseGV || !isInt<24>(AM.BaseOffs))
    return false;
  bool Scaled32 = AS == addrspace::Shared || AS == addrspace::Local;
  return AM.Scale == 0 || (AM.Scale == 1 && !AM.HasBaseReg) ||
         (Scaled32 && !AM.HasBaseReg && isPowerOf2_64(AM.Scale) &&
          AM.Scale <= 16);
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

TargetLowering::AtomicExpansionKind
HeddleTargetLowering::shouldExpandAtomicRMWInIR(AtomicRMWInst *RMW) const {
  Type *Ty = RMW->getType();
  switch (RMW->getOperation()) {
  case AtomicRMWInst::Xchg:
    if (!Ty->isIntegerTy())
      return AtomicExpansionKind::CastToInteger;
    [[fallthrough]];
  case AtomicRMWInst::Add:
  case AtomicRMWInst::Sub:
  case AtomicRMWInst::And:
  case AtomicRMWInst::Or:
  case AtomicRMWInst::Xor:
  case AtomicRMWInst::Max:
  case AtomicRMWInst::Min:
  case AtomicRMWInst::UMax:
  case AtomicRMWInst::UMin:
  case AtomicRMWInst::UIncWrap:
  case AtomicRMWInst::UDecWrap:
    return Ty->isIntegerTy(32) || Ty->isIntegerTy(64)
               ? AtomicExpansionKind::None
               : AtomicExpansionKind::CmpXChg;
  case AtomicRMWInst::FAdd:
  case AtomicRMWInst::FMin:
  case AtomicRMWInst::FMax:
    return AtomicExpansionKind::None;
  default:
    return AtomicExpansionKind::CmpXChg;
  }
}

// Bits 0 to 2: the value of the ISA's modifier CacheOp; bit 3: flushing.
static constexpr MachineMemOperand::Flags HintFlags[] = {
    MachineMemOperand::MOTargetFlag1, MachineMemOperand::MOTargetFlag2,
    MachineMemOperand::MOTargetFlag3, MachineMemOperand::MOTargetFlag4};

MachineMemOperand::Flags
HeddleTargetLowering::getTargetMMOFlags(const Instruction &I) const {
  auto Flags = MachineMemOperand::MONone;
  if (const MDNode *Hint = I.getMetadata("heddle.cache")) {
    uint64_t V =
        mdconst::extract<ConstantInt>(Hint->getOperand(0))->getZExtValue();
    for (unsigned Bit = 0; Bit != 3; ++Bit)
      if (V >> Bit & 1)
        Flags |= HintFlags[Bit];
  }
  if (I.hasMetadata("heddle.ftz"))
    Flags |= HintFlags[3];
  return Flags;
}

isa::CacheOp HeddleTargetLowering::cacheHintOf(MachineMemOperand::Flags Flags) {
  unsigned V = 0;
  for (unsigned Bit = 0; Bit != 3; ++Bit)
    V |= unsigned((Flags & HintFlags[Bit]) != MachineMemOperand::MONone) << Bit;
  return static_cast<isa::CacheOp>(V);
}

bool HeddleTargetLowering::isFlushing(MachineMemOperand::Flags Flags) {
  return (Flags & HintFlags[3]) != MachineMemOperand::MONone;
}

bool HeddleTargetLowering::shouldInsertFencesForAtomic(
    const Instruction *I) const {
  // The ISA orders single accesses up to acquire and release.
  if (const auto *L = dyn_cast<LoadInst>(I))
    return L->getOrdering() == AtomicOrdering::SequentiallyConsistent;
  if (const auto *S = dyn_cast<StoreInst>(I))
    return S->getOrdering() == AtomicOrdering::SequentiallyConsistent;
  if (const auto *R = dyn_cast<AtomicRMWInst>(I))
    return R->getOrdering() == AtomicOrdering::SequentiallyConsistent;
  if (const auto *C = dyn_cast<AtomicCmpXchgInst>(I))
    return C->getMergedOrdering() == AtomicOrdering::SequentiallyConsistent;
  return false;
}

//===----------------------------------------------------------------------===//
// Pieces
//===----------------------------------------------------------------------===//

static SDValue loHalf(SDValue V, const SDLoc &DL, SelectionDAG &DAG) {
  return DAG.getNode(ISD::TRUNCATE, DL, MVT::i32, V);
}
static SDValue hiHalf(SDValue V, const SDLoc &DL, SelectionDAG &DAG) {
  constexpr unsigned Half = 32;
  if (V.getOpcode() == ISD::ZERO_EXTEND)
    return DAG.getConstant(0, DL, MVT::i32);
  if (const auto *Amount = V.getOpcode() == ISD::SHL
                               ? dyn_cast<ConstantSDNode>(V.getOperand(1))
                               : nullptr;
      Amount && Amount->getZExtValue() == Half)
    return loHalf(V.getOperand(0), DL, DAG);
  return DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, MVT::i32,
                     DAG.getBitcast(MVT::v2i32, V),
                     DAG.getVectorIdxConstant(1, DL));
}
static SDValue pairOf(SDValue Lo, SDValue Hi, const SDLoc &DL,
                      SelectionDAG &DAG) {
  return DAG.getBitcast(MVT::i64, DAG.getBuildVector(MVT::v2i32, DL, {Lo, Hi}));
}

// 64-bit logic is logic on both halves.
static SDValue lowerLogic64(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  SDValue A = Op.getOperand(0), B = Op.getOperand(1);
  auto Half = [&](SDValue (*Part)(SDValue, const SDLoc &, SelectionDAG &)) {
    return DAG.getNode(Op.getOpcode(), DL, MVT::i32, Part(A, DL, DAG),
                       Part(B, DL, DAG));
  };
  return pairOf(Half(loHalf), Half(hiHalf), DL, DAG);
}

// The high 64 bits of a product, from four products of halves.
static SDValue lowerMulHigh64(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  bool Signed = Op.getOpcode() == ISD::MULHS;
  SDValue A = Op.getOperand(0), B = Op.getOperand(1);
  auto Extend = [&](SDValue V, bool S) {
    return DAG.getNode(S ? ISD::SIGN_EXTEND : ISD::ZERO_EXTEND, DL, MVT::i64,
                       V);
  };
  auto Mul = [&](SDValue X, bool SX, SDValue Y, bool SY) {
    return DAG.getNode(ISD::MUL, DL, MVT::i64, Extend(X, SX), Extend(Y, SY));
  };
  auto Add = [&](SDValue X, SDValue Y) {
    return DAG.getNode(ISD::ADD, DL, MVT::i64, X, Y);
  };
  SDValue ALo = loHalf(A, DL, DAG), AHi = hiHalf(A, DL, DAG);
  SDValue BLo = loHalf(B, DL, DAG), BHi = hiHalf(B, DL, DAG);
  // As unsigned numbers; nothing overflows: (2^32-1)^2 + 2 (2^32-1) < 2^64.
  SDValue Low = Mul(ALo, false, BLo, false);
  SDValue Mid1 =
      Add(Mul(AHi, false, BLo, false), Extend(hiHalf(Low, DL, DAG), false));
  SDValue Mid2 =
      Add(Mul(ALo, false, BHi, false), Extend(loHalf(Mid1, DL, DAG), false));
  SDValue High = Add(
      Add(Mul(AHi, false, BHi, false), Extend(hiHalf(Mid1, DL, DAG), false)),
      Extend(hiHalf(Mid2, DL, DAG), false));
  if (!Signed)
    return High;
  // A negative factor counts 2^64 too much: take the other factor off.
  auto Correct = [&](SDValue V, SDValue Sign, SDValue Other) {
    SDValue Zero = DAG.getConstant(0, DL, MVT::i64);
    SDValue Neg = DAG.getSetCC(DL, MVT::i1, Sign, Zero, ISD::SETLT);
    return DAG.getNode(ISD::SUB, DL, MVT::i64, V,
                       DAG.getSelect(DL, MVT::i64, Neg, Other, Zero));
  };
  return Correct(Correct(High, A, B), B, A);
}

// Counting and reversing of 64 bits through the halves.
static SDValue lowerBits64(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  SDValue A = Op.getOperand(0);
  SDValue Lo = loHalf(A, DL, DAG), Hi = hiHalf(A, DL, DAG);
  unsigned Opc = Op.getOpcode();
  auto On = [&](SDValue V) { return DAG.getNode(Opc, DL, MVT::i32, V); };
  if (Opc == ISD::BITREVERSE || Opc == ISD::BSWAP)
    return pairOf(On(Hi), On(Lo), DL, DAG);
  if (Opc == ISD::CTPOP)
    return DAG.getZExtOrTrunc(
        DAG.getNode(ISD::ADD, DL, MVT::i32, On(Lo), On(Hi)), DL, MVT::i64);
  // The half that comes first decides, unless it is zero.
  SDValue First = Opc == ISD::CTLZ ? Hi : Lo,
          Second = Opc == ISD::CTLZ ? Lo : Hi;
  SDValue Zero = DAG.getConstant(0, DL, MVT::i32);
  SDValue Past = DAG.getNode(ISD::ADD, DL, MVT::i32, On(Second),
                             DAG.getConstant(32, DL, MVT::i32));
  SDValue N = DAG.getSelect(DL, MVT::i32,
                            DAG.getSetCC(DL, MVT::i1, First, Zero, ISD::SETEQ),
                            Past, On(First));
  return DAG.getZExtOrTrunc(N, DL, MVT::i64);
}

static SDValue lowerCarry64(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  SDVTList VTs = DAG.getVTList(MVT::i32, MVT::i1);
  SDValue A = Op.getOperand(0), B = Op.getOperand(1);
  SDValue Lo = DAG.getNode(Op.getOpcode(), DL, VTs, loHalf(A, DL, DAG),
                           loHalf(B, DL, DAG), Op.getOperand(2));
  SDValue Hi = DAG.getNode(Op.getOpcode(), DL, VTs, hiHalf(A, DL, DAG),
                           hiHalf(B, DL, DAG), Lo.getValue(1));
  return DAG.getMergeValues({pairOf(Lo, Hi, DL, DAG), Hi.getValue(1)}, DL);
}

// Comparison of predicates is logic.
static SDValue lowerPredicateCompare(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  SDValue A = Op.getOperand(0), B = Op.getOperand(1);
  if (A.getValueType() != MVT::i1)
    return Op;
  auto Node = [&](unsigned Opc, SDValue X, SDValue Y) {
    return DAG.getNode(Opc, DL, MVT::i1, X, Y);
  };
  auto Not = [&](SDValue X) { return DAG.getNOT(DL, X, MVT::i1); };
  switch (cast<CondCodeSDNode>(Op.getOperand(2))->get()) {
  case ISD::SETNE:
    return Node(ISD::XOR, A, B);
  case ISD::SETEQ:
    return Not(Node(ISD::XOR, A, B));
  // As signed numbers true is -1, less than 0.
  case ISD::SETULT:
  case ISD::SETGT:
    return Node(ISD::AND, Not(A), B);
  case ISD::SETUGT:
  case ISD::SETLT:
    return Node(ISD::AND, A, Not(B));
  case ISD::SETULE:
  case ISD::SETGE:
    return Node(ISD::OR, Not(A), B);
  case ISD::SETUGE:
  case ISD::SETLE:
    return Node(ISD::OR, A, Not(B));
  default:
    report_fatal_error("comparison of predicates with a condition of floats");
  }
}

// A predicate in memory is a byte.
static SDValue lowerPredicateMemory(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  if (const auto *L = dyn_cast<LoadSDNode>(Op)) {
    SDValue V = DAG.getExtLoad(ISD::ZEXTLOAD, DL, MVT::i32, L->getChain(),
                               L->getBasePtr(), L->getPointerInfo(), MVT::i8,
                               L->getAlign(), L->getMemOperand()->getFlags());
    return DAG.getMergeValues(
        {DAG.getNode(ISD::TRUNCATE, DL, MVT::i1, V), V.getValue(1)}, DL);
  }
  const auto *S = cast<StoreSDNode>(Op);
  SDValue V = DAG.getNode(ISD::ZERO_EXTEND, DL, MVT::i32, S->getValue());
  return DAG.getTruncStore(S->getChain(), DL, V, S->getBasePtr(),
                           S->getPointerInfo(), MVT::i8, S->getAlign(),
                           S->getMemOperand()->getFlags());
}

static SDValue elementOf(SDValue Vector, unsigned I, EVT VT, const SDLoc &DL,
                         SelectionDAG &DAG) {
  return DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, VT, Vector,
                     DAG.getVectorIdxConstant(I, DL));
}

// Elements are registers or parts of one, whose number an instruction names: a
// position known at run time chooses among all of them.
static SDValue lowerExtract(SDValue Op, SelectionDAG &DAG) {
  SDValue Vector = Op.getOperand(0), Index = Op.getOperand(1);
  if (llvm::isa<ConstantSDNode>(Index))
    return Op;
  SDLoc DL(Op);
  EVT VT = Op.getValueType(), IndexVT = Index.getValueType();
  SDValue Found = elementOf(Vector, 0, VT, DL, DAG);
  for (unsigned I = 1, E = Vector.getValueType().getVectorNumElements(); I != E;
       ++I)
    Found =
        DAG.getSelect(DL, VT,
                      DAG.getSetCC(DL, MVT::i1, Index,
                                   DAG.getConstant(I, DL, IndexVT), ISD::SETEQ),
                      elementOf(Vector, I, VT, DL, DAG), Found);
  return Found;
}

// A part of a vector, or several together: the elements one by one.
static SDValue lowerRegroup(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  EVT VT = Op.getValueType(), EltVT = VT.getVectorElementType();
  bool IsPart = Op.getOpcode() == ISD::EXTRACT_SUBVECTOR;
  unsigned First = IsPart ? Op.getConstantOperandVal(1) : 0;
  unsigned PerVector =
      IsPart ? First + VT.getVectorNumElements()
             : Op.getOperand(0).getValueType().getVectorNumElements();
  SmallVector<SDValue, 4> Parts;
  for (unsigned I = First, E = First + VT.getVectorNumElements(); I != E; ++I)
    Parts.push_back(
        elementOf(Op.getOperand(I / PerVector), I % PerVector, EltVT, DL, DAG));
  return DAG.getBuildVector(VT, DL, Parts);
}

static SDValue lowerInsert(SDValue Op, SelectionDAG &DAG) {
  SDValue Vector = Op.getOperand(0), New = Op.getOperand(1),
          Index = Op.getOperand(2);
  SDLoc DL(Op);
  EVT VT = Op.getValueType(), EltVT = New.getValueType(),
      IndexVT = Index.getValueType();
  const auto *Constant = dyn_cast<ConstantSDNode>(Index);
  SmallVector<SDValue, 4> Parts;
  for (unsigned I = 0, E = VT.getVectorNumElements(); I != E; ++I) {
    SDValue Old = elementOf(Vector, I, EltVT, DL, DAG);
    if (Constant)
      Parts.push_back(I == Constant->getZExtValue() ? New : Old);
    else
      Parts.push_back(DAG.getSelect(
          DL, EltVT,
          DAG.getSetCC(DL, MVT::i1, Index, DAG.getConstant(I, DL, IndexVT),
                       ISD::SETEQ),
          New, Old));
  }
  return DAG.getBuildVector(VT, DL, Parts);
}

// By elements, with predicates in place of the mask's words.
static SDValue lowerVectorSelect(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  EVT VT = Op.getValueType(),
      MaskVT = Op.getOperand(0).getValueType().getVectorElementType();
  // Of small integers registers are wider, and their upper bits undefined.
  auto InRegister = [](EVT T) { return T == MVT::i16 ? EVT(MVT::i32) : T; };
  EVT EltVT = InRegister(VT.getVectorElementType());
  MaskVT = InRegister(MaskVT);
  SmallVector<SDValue, 4> Parts;
  for (unsigned I = 0, E = VT.getVectorNumElements(); I != E; ++I) {
    SDValue Bit = DAG.getNode(ISD::AND, DL, MaskVT,
                              elementOf(Op.getOperand(0), I, MaskVT, DL, DAG),
                              DAG.getConstant(1, DL, MaskVT));
    SDValue Chosen = DAG.getSetCC(DL, MVT::i1, Bit,
                                  DAG.getConstant(0, DL, MaskVT), ISD::SETNE);
    Parts.push_back(DAG.getSelect(
        DL, EltVT, Chosen, elementOf(Op.getOperand(1), I, EltVT, DL, DAG),
        elementOf(Op.getOperand(2), I, EltVT, DL, DAG)));
  }
  return DAG.getBuildVector(VT, DL, Parts);
}

// The table has a compact instruction for each target.
static SDValue lowerTableBranch(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  SDValue Table = DAG.getTargetJumpTable(
      cast<JumpTableSDNode>(Op.getOperand(1))->getIndex(), MVT::i64);
  SDValue Offset =
      DAG.getNode(ISD::MUL, DL, MVT::i64,
                  DAG.getNode(ISD::ZERO_EXTEND, DL, MVT::i64, Op.getOperand(2)),
                  DAG.getConstant(isa::CompactBytes, DL, MVT::i64));
  SDValue Address =
      DAG.getNode(ISD::ADD, DL, MVT::i64, Offset,
                  DAG.getNode(HeddleISD::ADDRESS, DL, MVT::i64, Table));
  return DAG.getNode(HeddleISD::BRX, DL, MVT::Other, Op.getOperand(0), Address,
                     Table);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static SDValue lowerAddress(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  EVT VT = Op.getValueType();
  SDValue Symbol;
  if (const auto *G = dyn_cast<GlobalAddressSDNode>(Op))
    Symbol = DAG.getTargetGlobalAddress(G->getGlobal(), DL, VT, G->getOffset());
  else {
    const auto *B = cast<BlockAddressSDNode>(Op);
    Symbol =
        DAG.getTargetBlockAddress(B->getBlockAddress(), VT, B->getOffset());
  }
  return DAG.getNode(HeddleISD::ADDRESS, DL, VT, Symbol);
}

// The high word of generic addresses of an address space.
static std::optional<uint32_t> windowOf(unsigned AS) {
  switch (AS) {
  case addrspace::Shared:
    return isa::abi::SharedWindow;
  case addrspace::Const:
    return isa::abi::ConstWindow;
  case addrspace::Local:
    return isa::abi::LocalWindow;
  case addrspace::Param:
    return isa::abi::ParamWindow;
  default:
    return std::nullopt;
  }
}

static SDValue lowerAddrSpaceCast(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  const auto *Cast = ::llvm::cast<AddrSpaceCastSDNode>(Op);
  SDValue P = Op.getOperand(0);
  std::optional<uint32_t> From = windowOf(Cast->getSrcAddressSpace());
  std::optional<uint32_t> To = windowOf(Cast->getDestAddressSpace());
  if (From && !To)
    return pairOf(P, DAG.getConstant(*From, DL, MVT::i32), DL, DAG);
  if (!From && To)
    return loHalf(P, DL, DAG);
  return P;
}

static SDValue lowerIsSpace(unsigned AS, SDValue P, const SDLoc &DL,
                            SelectionDAG &DAG) {
  SDValue High = hiHalf(P, DL, DAG);
  if (std::optional<uint32_t> W = windowOf(AS))
    return DAG.getSetCC(DL, MVT::i1, High, DAG.getConstant(*W, DL, MVT::i32),
                        ISD::SETEQ);
  // Every address outside of the windows is global. The windows differ in two
  // bits. PTX counts parameters as global.
  SDValue Kind = DAG.getNode(ISD::AND, DL, MVT::i32, High,
                             DAG.getConstant(~uint32_t(0x30000), DL, MVT::i32));
  SDValue Outside = DAG.getSetCC(
      DL, MVT::i1, Kind, DAG.getConstant(isa::abi::SharedWindow, DL, MVT::i32),
      ISD::SETNE);
  SDValue Param = DAG.getSetCC(
      DL, MVT::i1, High, DAG.getConstant(isa::abi::ParamWindow, DL, MVT::i32),
      ISD::SETEQ);
  return DAG.getNode(ISD::OR, DL, MVT::i1, Outside, Param);
}
static_assert((isa::abi::SharedWindow & 0x30000) == 0 &&
              isa::abi::LocalWindow == (isa::abi::SharedWindow | 0x10000) &&
              isa::abi::ConstWindow == (isa::abi::SharedWindow | 0x20000) &&
              isa::abi::ParamWindow == (isa::abi::SharedWindow | 0x30000));

//===----------------------------------------------------------------------===//
// Intrinsics
//===----------------------------------------------------------------------===//

// The special register that an intrinsic reads, or null.
static const isa::SpecialRegisterInfo *specialRegister(unsigned ID) {
  static const auto Table = [] {
    DenseMap<unsigned, const isa::SpecialRegisterInfo *> T;
    for (const isa::SpecialRegisterInfo &R : isa::specialRegisters())
      if (!R.Intrinsic.empty())
        T[Intrinsic::lookupIntrinsicID(
            ("llvm.nvvm.read.ptx.sreg." +
             StringRef(R.Intrinsic.data(), R.Intrinsic.size()))
                .str())] = &R;
    T.erase(Intrinsic::not_intrinsic);
    return T;
  }();
  return Table.lookup(ID);
}

static const isa::SpecialRegisterInfo &specialRegisterNamed(StringRef Name) {
  for (const isa::SpecialRegisterInfo &R : isa::specialRegisters())
    if (StringRef(R.Name.data(), R.Name.size()) == Name)
      return R;
  report_fatal_error("no special register " + Name);
}

static SDValue readSpecial(const isa::SpecialRegisterInfo &R, EVT VT,
                           SDValue Chain, const SDLoc &DL, SelectionDAG &DAG) {
  MVT Wide = R.Wide ? MVT::i64 : MVT::i32;
  SDValue Number = DAG.getTargetConstant(R.Number, DL, MVT::i32);
  if (!Chain)
    return DAG.getZExtOrTrunc(DAG.getNode(HeddleISD::SREG, DL, Wide, Number),
                              DL, VT);
  SDValue V = DAG.getNode(HeddleISD::SREG_CHAIN, DL,
                          DAG.getVTList(Wide, MVT::Other), Chain, Number);
  return DAG.getMergeValues({DAG.getZExtOrTrunc(V, DL, VT), V.getValue(1)}, DL);
}

// Shared memory of the own CTA: the address has its rank, or none.
static SDValue lowerIsOwnShared(SDValue P, const SDLoc &DL, SelectionDAG &DAG) {
  auto Constant = [&](uint64_t V) { return DAG.getConstant(V, DL, MVT::i32); };
  SDValue Holder = DAG.getNode(ISD::SRL, DL, MVT::i32, loHalf(P, DL, DAG),
                               Constant(isa::abi::SharedRankShift));
  SDValue Rank = readSpecial(specialRegisterNamed("cluster_ctarank"), MVT::i32,
                             SDValue(), DL, DAG);
  SDValue Own = DAG.getNode(
      ISD::ADD, DL, MVT::i32, Rank,
      Constant(1u << (isa::abi::SharedHasRank - isa::abi::SharedRankShift)));
  SDValue IsOwn =
      DAG.getNode(ISD::OR, DL, MVT::i1,
                  DAG.getSetCC(DL, MVT::i1, Holder, Constant(0), ISD::SETEQ),
                  DAG.getSetCC(DL, MVT::i1, Holder, Own, ISD::SETEQ));
  return DAG.getNode(ISD::AND, DL, MVT::i1, IsOwn,
                     lowerIsSpace(addrspace::Shared, P, DL, DAG));
}

static SDValue lowerIntrinsic(SDValue Op, SelectionDAG &DAG) {
  SDLoc DL(Op);
  bool Chained = Op.getOpcode() == ISD::INTRINSIC_W_CHAIN;
  SDValue Chain = Chained ? Op.getOperand(0) : SDValue();
  unsigned ID = Op.getConstantOperandVal(Chained ? 1 : 0);
  EVT VT = Op.getValueType();
  if (const isa::SpecialRegisterInfo *R = specialRegister(ID))
    return readSpecial(*R, VT, Chain, DL, DAG);
  auto Arg = [&](unsigned I) { return Op.getOperand(I + (Chained ? 2 : 1)); };
  switch (ID) {
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return DAG.getConstant(32, DL, VT);
  case Intrinsic::nvvm_read_ptx_sreg_globaltimer_lo:
    return readSpecial(specialRegisterNamed("globaltimer"), VT, Chain, DL, DAG);
  case Intrinsic::nvvm_is_explicit_cluster: {
    SDValue V = readSpecial(specialRegisterNamed("is_explicit_cluster"),
                            MVT::i32, Chain, DL, DAG);
    SDValue Is = DAG.getSetCC(DL, MVT::i1, V, DAG.getConstant(0, DL, MVT::i32),
                              ISD::SETNE);
    return Chain ? DAG.getMergeValues({Is, V.getValue(1)}, DL) : Is;
  }
  case Intrinsic::nvvm_isspacep_shared:
    return lowerIsOwnShared(Arg(0), DL, DAG);
  case Intrinsic::nvvm_isspacep_shared_cluster:
    return lowerIsSpace(3, Arg(0), DL, DAG);
  case Intrinsic::nvvm_isspacep_const:
    return lowerIsSpace(4, Arg(0), DL, DAG);
  case Intrinsic::nvvm_isspacep_local:
    return lowerIsSpace(5, Arg(0), DL, DAG);
  case Intrinsic::nvvm_isspacep_global:
    return lowerIsSpace(1, Arg(0), DL, DAG);
  default:
    return Op;
  }
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

SDValue HeddleTargetLowering::LowerOperation(SDValue Op,
                                             SelectionDAG &DAG) const {
  SDLoc DL(Op);
  switch (Op.getOpcode()) {
  case ISD::AND:
  case ISD::OR:
  case ISD::XOR:
    return lowerLogic64(Op, DAG);
  case ISD::MULHS:
  case ISD::MULHU:
    return lowerMulHigh64(Op, DAG);
  case ISD::CTPOP:
  case ISD::CTLZ:
  case ISD::CTTZ:
  case ISD::BITREVERSE:
  case ISD::BSWAP:
    return lowerBits64(Op, DAG);
  case ISD::UADDO_CARRY:
  case ISD::USUBO_CARRY:
    return lowerCarry64(Op, DAG);
  case ISD::SETCC:
    return lowerPredicateCompare(Op, DAG);
  case ISD::STORE:
    if (auto *S = cast<StoreSDNode>(Op); S->getMemoryVT().isVector())
      return lowerHeddlePackedStore(S, DAG);
    [[fallthrough]];
  case ISD::LOAD:
    return lowerPredicateMemory(Op, DAG);
  case ISD::EXTRACT_VECTOR_ELT:
    return lowerExtract(Op, DAG);
  case ISD::INSERT_VECTOR_ELT:
    return lowerInsert(Op, DAG);
  case ISD::EXTRACT_SUBVECTOR:
  case ISD::CONCAT_VECTORS:
    return lowerRegroup(Op, DAG);
  case ISD::VSELECT:
    return lowerVectorSelect(Op, DAG);
  case ISD::BR_JT:
    return lowerTableBranch(Op, DAG);
  case ISD::GlobalAddress:
  case ISD::BlockAddress:
    return lowerAddress(Op, DAG);
  case ISD::ADDRSPACECAST:
    return lowerAddrSpaceCast(Op, DAG);
  case ISD::INTRINSIC_WO_CHAIN:
  case ISD::INTRINSIC_W_CHAIN:
    return lowerIntrinsic(Op, DAG);
  case ISD::BITCAST: // of a 16-bit integer to a half
    if (Op.getOperand(0).getValueType() == MVT::i16 &&
        is_contained(Halves, Op.getSimpleValueType()))
      return DAG.getNode(
          HeddleISD::BITS_HALF, DL, Op.getValueType(),
          DAG.getNode(ISD::ANY_EXTEND, DL, MVT::i32, Op.getOperand(0)));
    return SDValue();
  default:
    return SDValue();
  }
}

// A barrier that reduces nothing has results, too.
void HeddleTargetLowering::AdjustInstrPostInstrSelection(MachineInstr &MI,
                                                         SDNode *Node) const {
  for (unsigned I : {0, 1})
    if (!Node->hasAnyUseOfValue(I)) {
      MI.getOperand(I).setReg(I == 0 ? Heddle::RZ : Heddle::PT);
      MI.getOperand(I).setIsDead();
    }
}

void HeddleTargetLowering::ReplaceNodeResults(SDNode *N,
                                              SmallVectorImpl<SDValue> &Results,
                                              SelectionDAG &DAG) const {
  SDLoc DL(N);
  if (auto *L = dyn_cast<LoadSDNode>(N))
    lowerHeddlePackedLoad(L, Results, DAG);
  if (N->getOpcode() == ISD::BITCAST && N->getValueType(0) == MVT::i16 &&
      is_contained(Halves, N->getOperand(0).getSimpleValueType()))
    Results.push_back(DAG.getNode(
        ISD::TRUNCATE, DL, MVT::i16,
        DAG.getNode(HeddleISD::HALF_BITS, DL, MVT::i32, N->getOperand(0))));
}

//===----------------------------------------------------------------------===//
// Combining
//===----------------------------------------------------------------------===//

// The amount of a shift and the operand of a test are the same number if they
// differ in width only, without loss.
static bool sameAmount(SDValue Tested, SDValue Amount) {
  while (Tested.getOpcode() == ISD::ZERO_EXTEND)
    Tested = Tested.getOperand(0);
  while (Amount.getOpcode() == ISD::ZERO_EXTEND ||
         (Amount.getOpcode() == ISD::TRUNCATE &&
          Amount.getOperand(0).getOpcode() == ISD::ZERO_EXTEND))
    Amount = Amount.getOperand(0);
  return Tested == Amount;
}

// select (amount < width), (shl x, amount), 0: PTX's shift, and the ISA's.
static SDValue combineClampedShift(SDNode *N, SelectionDAG &DAG) {
  EVT VT = N->getValueType(0);
  SDValue Cond = N->getOperand(0), Shift = N->getOperand(1),
          Other = N->getOperand(2);
  if ((VT != MVT::i32 && VT != MVT::i64) || Cond.getOpcode() != ISD::SETCC)
    return SDValue();
  ISD::CondCode CC = cast<CondCodeSDNode>(Cond.getOperand(2))->get();
  const auto *Bound = dyn_cast<ConstantSDNode>(Cond.getOperand(1));
  if (!Bound)
    return SDValue();
  uint64_t Limit = Bound->getZExtValue();
  if (CC == ISD::SETUGT || CC == ISD::SETUGE) {
    std::swap(Shift, Other);
    Limit += CC == ISD::SETUGT;
  } else if (CC == ISD::SETULE)
    ++Limit;
  else if (CC != ISD::SETULT)
    return SDValue();
  if (Limit != VT.getSizeInBits() || !isNullConstant(Other))
    return SDValue();
  unsigned Opc = Shift.getOpcode() == ISD::SHL ? unsigned(HeddleISD::SHL_CLAMP)
                 : Shift.getOpcode() == ISD::SRL
                     ? unsigned(HeddleISD::SRL_CLAMP)
                     : 0u;
  if (!Opc || !sameAmount(Cond.getOperand(0), Shift.getOperand(1)))
    return SDValue();
  SDLoc DL(N);
  SDValue Amount = DAG.getZExtOrTrunc(Shift.getOperand(1), DL, MVT::i32);
  return DAG.getNode(Opc, DL, VT, Shift.getOperand(0), Amount);
}

// A comparison of 64-bit values whose high words are both zero.
static SDValue combineWideCompare(SDNode *N, SelectionDAG &DAG) {
  SDValue A = N->getOperand(0), B = N->getOperand(1);
  ISD::CondCode CC = cast<CondCodeSDNode>(N->getOperand(2))->get();
  if (A.getValueType() != MVT::i64 || ISD::isSignedIntSetCC(CC))
    return SDValue();
  APInt High = APInt::getHighBitsSet(64, 32);
  if (!DAG.MaskedValueIsZero(B, High) || !DAG.MaskedValueIsZero(A, High))
    return SDValue();
  SDLoc DL(N);
  return DAG.getSetCC(DL, N->getValueType(0), loHalf(A, DL, DAG),
                      loHalf(B, DL, DAG), CC);
}

// Whether V goes into an addition, which a multiplication does on its way.
static bool isAddend(const SDNode *N) {
  return N->hasOneUse() && (N->user_begin()->getOpcode() == ISD::ADD ||
                            N->user_begin()->getOpcode() == ISD::SUB);
}

// Both halves of a product come from one multiplication.
static SDValue combineHalvesOfProduct(SDNode *N,
                                      TargetLowering::DAGCombinerInfo &DCI) {
  SelectionDAG &DAG = DCI.DAG;
  SDValue A = N->getOperand(0), B = N->getOperand(1);
  if (N->getValueType(0) != MVT::i32)
    return SDValue();
  SDVTList VTs = DAG.getVTList(MVT::i32);
  SDNode *Low = DAG.getNodeIfExists(ISD::MUL, VTs, {A, B});
  if (!Low)
    Low = DAG.getNodeIfExists(ISD::MUL, VTs, {B, A});
  if (!Low || Low->use_empty() || isAddend(Low) || isAddend(N))
    return SDValue();
  SDLoc DL(N);
  unsigned Extension =
      N->getOpcode() == ISD::MULHS ? ISD::SIGN_EXTEND : ISD::ZERO_EXTEND;
  SDValue Product = DAG.getNode(ISD::MUL, DL, MVT::i64,
                                DAG.getNode(Extension, DL, MVT::i64, A),
                                DAG.getNode(Extension, DL, MVT::i64, B));
  DCI.CombineTo(Low, loHalf(Product, DL, DAG));
  return hiHalf(Product, DL, DAG);
}

bool HeddleTargetLowering::hasNoSubnormals(SDValue V) {
  if (const auto *C = dyn_cast<ConstantFPSDNode>(V))
    return !C->getValueAPF().isDenormal();
  unsigned Opc = V.getOpcode();
  return Opc == HeddleISD::FLUSH || Opc == ISD::SINT_TO_FP ||
         Opc == ISD::UINT_TO_FP;
}

// A flush of a flushed value, or of a constant.
static SDValue combineFlush(SDNode *N, SelectionDAG &DAG) {
  constexpr uint32_t CanonicalNaN = 0x7FFFFFFF;
  SDValue V = N->getOperand(0);
  SDLoc DL(N);
  if (const auto *C = dyn_cast<ConstantFPSDNode>(V); C && C->isNaN())
    return DAG.getConstantFP(
        APFloat(APFloat::IEEEsingle(), APInt(32, CanonicalNaN)), DL, MVT::f32);
  if (HeddleTargetLowering::hasNoSubnormals(V))
    return V;
  if (const auto *C = dyn_cast<ConstantFPSDNode>(V))
    return DAG.getConstantFP(C->isNegative() ? -0.0 : 0.0, DL, MVT::f32);
  return SDValue();
}

// The reciprocal of a power of two is exact.
static SDValue combineReciprocal(SDNode *N, SelectionDAG &DAG) {
  if (N->getConstantOperandVal(0) != Intrinsic::nvvm_rcp_approx_ftz_f)
    return SDValue();
  const auto *C = dyn_cast<ConstantFPSDNode>(N->getOperand(1));
  APFloat Inverse(0.0f);
  if (!C || !C->getValueAPF().getExactInverse(&Inverse) ||
      Inverse.isDenormal() || C->getValueAPF().isDenormal())
    return SDValue();
  return DAG.getConstantFP(Inverse, SDLoc(N), MVT::f32);
}

// The low word of two that were put together.
static SDValue combineLowWord(SDNode *N) {
  SDValue Pair = peekThroughBitcasts(N->getOperand(0));
  if (N->getValueType(0) == MVT::i32 && Pair.getOpcode() == ISD::BUILD_VECTOR &&
      Pair.getValueType() == MVT::v2i32)
    return Pair.getOperand(0);
  return SDValue();
}

// The word of V, which has several, that holds the bits from Bit on.
static SDValue wordAt(SDValue V, unsigned Bit, const SDLoc &DL,
                      SelectionDAG &DAG) {
  unsigned Words = V.getValueSizeInBits() / 32;
  if (Words == 1)
    return DAG.getBitcast(MVT::i32, V);
  if (V.getValueType() == MVT::i128)
    return DAG.getNode(
        ISD::TRUNCATE, DL, MVT::i32,
        DAG.getNode(ISD::SRL, DL, MVT::i128, V,
                    DAG.getShiftAmountConstant(Bit - Bit % 32, MVT::i128, DL)));
  MVT AsWords = MVT::getVectorVT(MVT::i32, Words);
  return DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, MVT::i32,
                     DAG.getBitcast(AsWords, V),
                     DAG.getVectorIdxConstant(Bit / 32, DL));
}

// An element of words that were cast to more elements than a register holds:
// to legalize the cast would take it through memory.
static SDValue combineElementOfWords(SDNode *N, SelectionDAG &DAG) {
  SDValue Cast = N->getOperand(0);
  EVT VT = Cast.getValueType();
  const auto *Index = dyn_cast<ConstantSDNode>(N->getOperand(1));
  if (!Index || Cast.getOpcode() != ISD::BITCAST ||
      DAG.getTargetLoweringInfo().isTypeLegal(VT) || !VT.isSimple())
    return SDValue();
  SDValue V = Cast.getOperand(0);
  unsigned Size = VT.getScalarSizeInBits(), All = VT.getSizeInBits();
  unsigned Bit = Index->getZExtValue() * Size;
  if ((Size != 8 && Size != 16) || (All != 32 && All != 64 && All != 128) ||
      V.getScalarValueSizeInBits() < 32 || Bit >= All)
    return SDValue();
  SDLoc DL(N);
  SDValue Word = wordAt(V, Bit, DL, DAG);
  MVT Element = VT.getSimpleVT().getVectorElementType();
  if (Size == 16)
    return DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, N->getValueType(0),
                       DAG.getBitcast(MVT::getVectorVT(Element, 2), Word),
                       DAG.getVectorIdxConstant(Index->getZExtValue() % 2, DL));
  SDValue Low = DAG.getNode(ISD::SRL, DL, MVT::i32, Word,
                            DAG.getShiftAmountConstant(Bit % 32, MVT::i32, DL));
  return DAG.getAnyExtOrTrunc(Low, DL, N->getValueType(0));
}

SDValue HeddleTargetLowering::PerformDAGCombine(SDNode *N,
                                                DAGCombinerInfo &DCI) const {
  if (N->getOpcode() == ISD::TRUNCATE)
    return combineLowWord(N);
  if (N->getOpcode() == HeddleISD::FLUSH)
    return combineFlush(N, DCI.DAG);
  if (N->getOpcode() == ISD::INTRINSIC_WO_CHAIN)
    return combineReciprocal(N, DCI.DAG);
  if (N->getOpcode() == ISD::MULHU || N->getOpcode() == ISD::MULHS)
    return combineHalvesOfProduct(N, DCI);
  if (N->getOpcode() == ISD::SETCC)
    return combineWideCompare(N, DCI.DAG);
  if (N->getOpcode() == ISD::SELECT)
    return combineClampedShift(N, DCI.DAG);
  if (N->getOpcode() == ISD::EXTRACT_VECTOR_ELT)
    return combineElementOfWords(N, DCI.DAG);
  if (N->getOpcode() == ISD::SRL || N->getOpcode() == ISD::SUB)
    return combineQuotient(N, DCI.DAG);
  return SDValue();
}
