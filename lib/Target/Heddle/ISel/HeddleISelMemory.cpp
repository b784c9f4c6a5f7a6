//===- HeddleISelMemory.cpp - Selecting accesses to memory ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses, loads, stores, atomic operations and fences.
//
//===----------------------------------------------------------------------===//

#include "ISel/HeddleISelDAGToDAG.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/AddressSpace.h"

using namespace llvm;
namespace addrspace = heddle::addrspace;
namespace isa = heddle::isa;

using isa::AtomOp;
using isa::AtomType32;
using isa::MemOrder;
using isa::MemScope;
using isa::MemSize;

MemScope HeddleDAGToDAGISel::scopeOf(SyncScope::ID ID) const {
  SmallVector<StringRef, 8> Names;
  CurDAG->getContext()->getSyncScopeNames(Names);
  return StringSwitch<MemScope>(ID < Names.size() ? Names[ID] : "")
      .Cases({"block", "singlethread", "warp"}, MemScope::CTA)
      .Case("cluster", MemScope::Cluster)
      .Case("device", MemScope::GPU)
      .Default(MemScope::System);
}

MemOrder HeddleDAGToDAGISel::orderOf(const MemSDNode *N) const {
  const MachineMemOperand *MMO = N->getMemOperand();
  if (MMO->isAtomic()) {
    bool Access = N->getOpcode() == ISD::ATOMIC_LOAD ||
                  N->getOpcode() == ISD::ATOMIC_STORE;
    if (Access && MMO->isVolatile())
      return MemOrder::MMIO;
    switch (MMO->getMergedOrdering()) {
    case AtomicOrdering::Acquire:
      return MemOrder::Acquire;
    case AtomicOrdering::Release:
      return MemOrder::Release;
    case AtomicOrdering::AcquireRelease:
    case AtomicOrdering::SequentiallyConsistent:
      return MemOrder::AcquireRelease;
    default:
      return MemOrder::Relaxed;
    }
  }
  if (MMO->isVolatile())
    return MemOrder::Relaxed;
  unsigned AS = N->getAddressSpace();
  bool Read = MMO->isLoad() && !MMO->isStore();
  return Read && MMO->isInvariant() && AS <= 1 ? MemOrder::Constant
                                               : MemOrder::Weak;
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
static ArrayRef<unsigned> accessOpcodes(unsigned AS, bool IsStore) {
  using namespace Heddle;
  static constexpr unsigned Generic[2][3] = {{LD_r, LD64_r, LD128_r},
                                             {ST_r, ST64_r, ST128_r}};
  static constexpr unsigned Global[2][3] = {{LDG_r, LDG64_r, LDG128_r},
                                            {STG_r, STG64_r, STG128_r}};
  static constexpr unsigned Shared[2][3] = {{LDS_r, LDS64_r, LDS128_r},
                                            {STS_r, STS64_r, STS128_r}};
  static constexpr unsigned Local[2][3] = {{LDL_r, LDL64_r, LDL128_r},
                                           {STL_r, STL64_r, STL128_r}};
  static constexpr unsigned Const[] = {LDC_r, LDC64_r, LDC128_r};
  switch (AS) {
  case addrspace::Generic:
    return Generic[IsStore];
  case addrspace::Global:
    return Global[IsStore];
  case addrspace::Shared:
    return Shared[IsStore];
  case addrspace::Local:
    return Local[IsStore];
  case addrspace::Const:
  case addrspace::Param:
    return IsStore ? ArrayRef<unsigned>() : Const;
  default:
    return {};
  }
}

bool HeddleDAGToDAGISel::selectMemory(MemSDNode *N) {
  SDLoc DL(N);
  unsigned AS = N->getAddressSpace();
  bool Store =
      N->getOpcode() == ISD::STORE || N->getOpcode() == ISD::ATOMIC_STORE;
  ArrayRef<unsigned> Opcodes = accessOpcodes(AS, Store);
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
    Ops.push_back(imm(Bytes == 4   ? MemSize::Word
                      : Bytes == 2 ? (Signed ? MemSize::S16 : MemSize::U16)
                                   : (Signed ? MemSize::S8 : MemSize::U8),
                      DL));
  }
  if (!Const)
    Ops.push_back(imm(orderOf(N), DL));
  if (Wide) {
    const MachineMemOperand *MMO = N->getMemOperand();
    bool Atomic = MMO->isAtomic(), Volatile = MMO->isVolatile();
    Ops.push_back(imm(Atomic     ? scopeOf(N->getSyncScopeID())
                      : Volatile ? MemScope::System
                                 : MemScope::CTA,
                      DL));
    Ops.push_back(imm(HeddleTargetLowering::cacheHintOf(MMO->getFlags()), DL));
  }
  unsigned Opc = Opcodes[Bytes <= 4 ? 0 : Bytes == 8 ? 1 : 2];
  MachineSDNode *I = inst(Opc, DL, N->getVTList(), Ops, N->getChain());
  CurDAG->setNodeMemRefs(I, {N->getMemOperand()});
  ReplaceNode(N, I);
  return true;
}

static AtomType32 floatType(EVT VT) {
  return VT == MVT::v2f16    ? AtomType32::Half2
         : VT == MVT::v2bf16 ? AtomType32::BFloat2
         : VT == MVT::f16    ? AtomType32::Half
         : VT == MVT::bf16   ? AtomType32::BFloat
                             : AtomType32::Float;
}

// The operation and the type of an atomic read-modify-write; AtomType64 has the
// same values.
static std::optional<std::pair<AtomOp, AtomType32>> atomicKind(unsigned Opc,
                                                               EVT VT) {
  constexpr AtomType32 U = AtomType32::Unsigned, S = AtomType32::Signed;
  switch (Opc) {
  case ISD::ATOMIC_LOAD_ADD:
    return {{AtomOp::Add, U}};
  case ISD::ATOMIC_LOAD_AND:
    return {{AtomOp::And, U}};
  case ISD::ATOMIC_LOAD_OR:
    return {{AtomOp::Or, U}};
  case ISD::ATOMIC_LOAD_XOR:
    return {{AtomOp::Xor, U}};
  case ISD::ATOMIC_LOAD_MIN:
    return {{AtomOp::Min, S}};
  case ISD::ATOMIC_LOAD_MAX:
    return {{AtomOp::Max, S}};
  case ISD::ATOMIC_LOAD_UMIN:
    return {{AtomOp::Min, U}};
  case ISD::ATOMIC_LOAD_UMAX:
    return {{AtomOp::Max, U}};
  case ISD::ATOMIC_LOAD_UINC_WRAP:
    return {{AtomOp::Inc, U}};
  case ISD::ATOMIC_LOAD_UDEC_WRAP:
    return {{AtomOp::Dec, U}};
  case ISD::ATOMIC_SWAP:
    return {{AtomOp::Exchange, U}};
  case ISD::ATOMIC_LOAD_FADD:
    return {{AtomOp::Add, floatType(VT)}};
  case ISD::ATOMIC_LOAD_FMIN:
    return {{AtomOp::Min, floatType(VT)}};
  case ISD::ATOMIC_LOAD_FMAX:
    return {{AtomOp::Max, floatType(VT)}};
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
      Ops.push_back(
          imm(N->getMemoryVT() == MVT::i16 ? MemSize::U16 : MemSize::Word, DL));
    Opc = Cas[Space][Wide];
  } else {
    auto Kind = atomicKind(N->getOpcode(), N->getMemoryVT());
    if (!Kind)
      return false;
    Reduce = !Used && !Shared && Kind->first != AtomOp::Exchange;
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
  MemScope Scope = scopeOf(SyncScope::ID(N->getConstantOperandVal(2)));
  auto Kind = Ordering == AtomicOrdering::SequentiallyConsistent
                  ? isa::FenceKind::SequentiallyConsistent
                  : isa::FenceKind::AcquireRelease;
  if (N->getConstantOperandVal(2) == SyncScope::SingleThread)
    return replaceAll(N, {N->getOperand(0)}); // for the compiler only
  ReplaceNode(N, inst(Heddle::MEMBAR, DL, CurDAG->getVTList(MVT::Other),
                      {imm(Kind, DL), imm(Scope, DL)}, N->getOperand(0)));
}
