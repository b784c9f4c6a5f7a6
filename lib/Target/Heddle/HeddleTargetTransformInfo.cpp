//===- HeddleTargetTransformInfo.cpp - What IR passes ask -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uniformity of IR values and the folding of generic addresses.
//
//===----------------------------------------------------------------------===//

#include "HeddleTargetTransformInfo.h"

#include "HeddleInlineCost.h"
#include "heddle/IR/Kernels.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/AddressSpace.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

using namespace heddle::addrspace;

/// Whether Name, an intrinsic's, reads a special register that is the same for
/// all threads of a warp.
static bool readsUniformRegister(StringRef Name) {
  if (!Name.consume_front("llvm.nvvm.read.ptx.sreg."))
    return false;
  for (const heddle::isa::SpecialRegisterInfo &R :
       heddle::isa::specialRegisters())
    if (Name == StringRef(R.Intrinsic.data(), R.Intrinsic.size()))
      return R.Uniform;
  return false;
}

static InstructionUniformity uniformityOfIntrinsic(const IntrinsicInst &II) {
  StringRef Name = II.getCalledFunction()->getName();
  if (Name.starts_with("llvm.nvvm.read.ptx.sreg."))
    return readsUniformRegister(Name) ? InstructionUniformity::AlwaysUniform
                                      : InstructionUniformity::NeverUniform;
  // A warp's exchange gives each lane a value of its own, unless all lanes
  // take part, which the mask alone does not tell.
  if (II.isConvergent() && !II.getType()->isVoidTy())
    return InstructionUniformity::NeverUniform;
  return InstructionUniformity::Default;
}

unsigned HeddleTTIImpl::adjustInliningThreshold(const CallBase *Call) const {
  return heddle::inlineBonus(*Call, ST->getChip().InstructionCacheBytes);
}

InstructionUniformity
HeddleTTIImpl::getInstructionUniformity(const Value *V) const {
  if (const auto *A = dyn_cast<Argument>(V))
    // Functions may run diverged; kernels have no arguments.
    return heddle::ir::isKernel(*A->getParent())
               ? InstructionUniformity::AlwaysUniform
               : InstructionUniformity::NeverUniform;
  if (isa<AllocaInst>(V))
    return InstructionUniformity::Default; // an offset, alike in all threads
  if (const auto *II = dyn_cast<IntrinsicInst>(V))
    return uniformityOfIntrinsic(*II);
  if (isa<CallBase, AtomicRMWInst, AtomicCmpXchgInst>(V))
    return InstructionUniformity::NeverUniform;
  if (const auto *L = dyn_cast<LoadInst>(V)) {
    // Every thread has local memory of its own; other memory may change
    // between the loads of threads that are not converged.
    unsigned AS = L->getPointerAddressSpace();
    if (AS == Local || AS == Generic || L->isVolatile() || L->isAtomic())
      return InstructionUniformity::NeverUniform;
  }
  return InstructionUniformity::Default;
}

bool HeddleTTIImpl::isProfitableToSinkOperands(
    Instruction *I, SmallVectorImpl<Use *> &Ops) const {
  auto *Address = dyn_cast<GetElementPtrInst>(I);
  if (Address ? Address->getNumIndices() != 1 ||
                    !Address->getSourceElementType()->isIntegerTy(8)
              : I->getOpcode() != Instruction::Add)
    return false;
  constexpr uint64_t MaxScale = 4; // X16
  for (Use &U : I->operands()) {
    if (!U->getType()->isIntegerTy(64))
      continue;
    Use *Extended = &U;
    if (auto *Shift = dyn_cast<BinaryOperator>(U);
        Shift && Shift->getOpcode() == Instruction::Shl) {
      auto *Amount = dyn_cast<ConstantInt>(Shift->getOperand(1));
      if (!Amount || Amount->getZExtValue() > MaxScale)
        continue;
      Extended = &Shift->getOperandUse(0);
    }
    auto *Extension = dyn_cast<CastInst>(*Extended);
    if (!Extension || !isa<SExtInst, ZExtInst>(Extension) ||
        !Extension->getSrcTy()->isIntegerTy(32))
      continue;
    Ops.push_back(Extended);
    if (Extended != &U)
      Ops.push_back(&U);
  }
  // Where nothing is to move, CodeGenPrepare would number the block for
  // nothing, once for each address in it.
  return any_of(Ops, [&](const Use *U) {
    return cast<Instruction>(U->get())->getParent() != I->getParent();
  });
}

/// Whether values of type T in space AS may become part of a vector: parameters
/// are read one by one on the uniform path, and shorter values than words would
/// have to be taken out of their vector again.
static bool isVectorElement(const Type *T, unsigned AS) {
  constexpr unsigned Word = 32;
  return AS != Param && T->getScalarSizeInBits() >= Word;
}

bool HeddleTTIImpl::isLegalToVectorizeLoad(LoadInst *L) const {
  return L->isSimple() &&
         isVectorElement(L->getType(), L->getPointerAddressSpace());
}

bool HeddleTTIImpl::isLegalToVectorizeStore(StoreInst *S) const {
  return S->isSimple() && isVectorElement(S->getValueOperand()->getType(),
                                          S->getPointerAddressSpace());
}

bool HeddleTTIImpl::isNoopAddrSpaceCast(unsigned From, unsigned To) const {
  // A global address is the same number as a generic one.
  return (From == Global && To == Generic) || (From == Generic && To == Global);
}

bool HeddleTTIImpl::collectFlatAddressOperands(SmallVectorImpl<int> &OpIndexes,
                                               Intrinsic::ID IID) const {
  switch (IID) {
  case Intrinsic::nvvm_isspacep_const:
  case Intrinsic::nvvm_isspacep_global:
  case Intrinsic::nvvm_isspacep_local:
  case Intrinsic::nvvm_isspacep_shared:
    OpIndexes.push_back(0);
    return true;
  default:
    return false;
  }
}

Value *HeddleTTIImpl::rewriteIntrinsicWithAddressSpace(IntrinsicInst *II,
                                                       Value *OldV,
                                                       Value *NewV) const {
  unsigned AS = NewV->getType()->getPointerAddressSpace();
  if (AS == Generic)
    return nullptr;
  auto Answer = [&](unsigned Space) {
    return ConstantInt::getBool(II->getContext(), AS == Space);
  };
  switch (II->getIntrinsicID()) {
  case Intrinsic::nvvm_isspacep_const:
    return Answer(Const);
  case Intrinsic::nvvm_isspacep_global:
    // PTX counts the parameters as global.
    return ConstantInt::getBool(II->getContext(), AS == Global || AS == Param);
  case Intrinsic::nvvm_isspacep_local:
    return Answer(Local);
  case Intrinsic::nvvm_isspacep_shared:
    return Answer(Shared);
  default:
    return nullptr;
  }
}
