//===- TranslationTable.cpp - Operations to instructions --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of the LLVM dialect that PTX is lowered to most, each with the
// instruction of LLVM IR that it stands for.
//
//===----------------------------------------------------------------------===//

#include "BodyTranslator.h"

#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Operator.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

namespace mlir::LLVM {
#include "mlir/Dialect/LLVMIR/LLVMConversionEnumsToLLVM.inc"
} // namespace mlir::LLVM

static llvm::FastMathFlags flagsOf(LLVM::FastmathFlags Flags) {
  using Flag = LLVM::FastmathFlags;
  auto Has = [&](Flag One) { return LLVM::bitEnumContainsAll(Flags, One); };
  llvm::FastMathFlags Result;
  Result.setNoNaNs(Has(Flag::nnan));
  Result.setNoInfs(Has(Flag::ninf));
  Result.setNoSignedZeros(Has(Flag::nsz));
  Result.setAllowReciprocal(Has(Flag::arcp));
  Result.setAllowContract(Has(Flag::contract));
  Result.setApproxFunc(Has(Flag::afn));
  Result.setAllowReassoc(Has(Flag::reassoc));
  return Result;
}

template <typename OpT, llvm::Value *(*F)(BodyTranslator &, OpT)>
void TranslationTable::add() {
  Functions[TypeID::get<OpT>()] = [](BodyTranslator &T, Operation *Op) {
    auto Typed = llvm::cast<OpT>(Op);
    if constexpr (requires { Typed.getFastmathFlags(); })
      T.B.setFastMathFlags(flagsOf(Typed.getFastmathFlags()));
    else
      T.B.clearFastMathFlags();
    return F(T, Typed);
  };
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

template <llvm::Instruction::BinaryOps Opcode, typename OpT>
static llvm::Value *translateBinary(BodyTranslator &T, OpT Op) {
  return T.B.CreateBinOp(Opcode, T[Op.getLhs()], T[Op.getRhs()]);
}

/// Those that may say that they do not overflow.
template <llvm::Value *(llvm::IRBuilderBase::*Create)(
              llvm::Value *, llvm::Value *, const llvm::Twine &, bool, bool),
          typename OpT>
static llvm::Value *translateWrapping(BodyTranslator &T, OpT Op) {
  return (T.B.*Create)(T[Op.getLhs()], T[Op.getRhs()], "",
                       Op.hasNoUnsignedWrap(), Op.hasNoSignedWrap());
}

/// Those that may say that nothing is lost.
template <llvm::Value *(llvm::IRBuilderBase::*Create)(
              llvm::Value *, llvm::Value *, const llvm::Twine &, bool),
          typename OpT>
static llvm::Value *translateExact(BodyTranslator &T, OpT Op) {
  return (T.B.*Create)(T[Op.getLhs()], T[Op.getRhs()], "", Op.getIsExact());
}

static llvm::Value *translateOr(BodyTranslator &T, LLVM::OrOp Op) {
  llvm::Value *V = T.B.CreateOr(T[Op.getLhs()], T[Op.getRhs()]);
  if (auto *Or = dyn_cast<llvm::PossiblyDisjointInst>(V))
    Or->setIsDisjoint(Op.getIsDisjoint());
  return V;
}

static llvm::Value *translateNegation(BodyTranslator &T, LLVM::FNegOp Op) {
  return T.B.CreateFNeg(T[Op.getOperand()]);
}

static llvm::Value *translateFMA(BodyTranslator &T, LLVM::FMAOp Op) {
  llvm::Value *Args[] = {T[Op.getA()], T[Op.getB()], T[Op.getC()]};
  llvm::Function *FMA = llvm::Intrinsic::getOrInsertDeclaration(
      T.M.getLLVMModule(), llvm::Intrinsic::fma, Args[0]->getType());
  return T.B.CreateCall(FMA, Args);
}

static llvm::Value *translateICmp(BodyTranslator &T, LLVM::ICmpOp Op) {
  return T.B.CreateICmp(LLVM::convertICmpPredicateToLLVM(Op.getPredicate()),
                        T[Op.getLhs()], T[Op.getRhs()]);
}

static llvm::Value *translateFCmp(BodyTranslator &T, LLVM::FCmpOp Op) {
  return T.B.CreateFCmp(LLVM::convertFCmpPredicateToLLVM(Op.getPredicate()),
                        T[Op.getLhs()], T[Op.getRhs()]);
}

void TranslationTable::addArithmetic() {
  using llvm::Instruction;
  using Builder = llvm::IRBuilderBase;
  add<LLVM::AddOp, translateWrapping<&Builder::CreateAdd>>();
  add<LLVM::SubOp, translateWrapping<&Builder::CreateSub>>();
  add<LLVM::MulOp, translateWrapping<&Builder::CreateMul>>();
  add<LLVM::ShlOp, translateWrapping<&Builder::CreateShl>>();
  add<LLVM::LShrOp, translateExact<&Builder::CreateLShr>>();
  add<LLVM::AShrOp, translateExact<&Builder::CreateAShr>>();
  add<LLVM::AndOp, translateBinary<Instruction::And>>();
  add<LLVM::OrOp, translateOr>();
  add<LLVM::XOrOp, translateBinary<Instruction::Xor>>();
  add<LLVM::FAddOp, translateBinary<Instruction::FAdd>>();
  add<LLVM::FSubOp, translateBinary<Instruction::FSub>>();
  add<LLVM::FMulOp, translateBinary<Instruction::FMul>>();
  add<LLVM::FDivOp, translateBinary<Instruction::FDiv>>();
  add<LLVM::FNegOp, translateNegation>();
  add<LLVM::FMAOp, translateFMA>();
  add<LLVM::ICmpOp, translateICmp>();
  add<LLVM::FCmpOp, translateFCmp>();
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

template <llvm::Instruction::CastOps Opcode, typename OpT>
static llvm::Value *translateCast(BodyTranslator &T, OpT Op) {
  return T.B.CreateCast(Opcode, T[Op.getArg()], T.type(Op.getResult()));
}

static llvm::Value *translateZExt(BodyTranslator &T, LLVM::ZExtOp Op) {
  return T.B.CreateZExt(T[Op.getArg()], T.type(Op.getResult()), "",
                        Op.getNonNeg());
}

static llvm::Value *translateTrunc(BodyTranslator &T, LLVM::TruncOp Op) {
  return T.B.CreateTrunc(T[Op.getArg()], T.type(Op.getResult()), "",
                         Op.hasNoUnsignedWrap(), Op.hasNoSignedWrap());
}

static llvm::Value *translateIntToPtr(BodyTranslator &T, LLVM::IntToPtrOp Op) {
  if (Op.getDereferenceable())
    return nullptr;
  return T.B.CreateIntToPtr(T[Op.getArg()], T.type(Op.getResult()));
}

void TranslationTable::addConversions() {
  using llvm::Instruction;
  add<LLVM::ZExtOp, translateZExt>();
  add<LLVM::SExtOp, translateCast<Instruction::SExt>>();
  add<LLVM::TruncOp, translateTrunc>();
  add<LLVM::PtrToIntOp, translateCast<Instruction::PtrToInt>>();
  add<LLVM::IntToPtrOp, translateIntToPtr>();
  add<LLVM::BitcastOp, translateCast<Instruction::BitCast>>();
  add<LLVM::AddrSpaceCastOp, translateCast<Instruction::AddrSpaceCast>>();
  add<LLVM::FPExtOp, translateCast<Instruction::FPExt>>();
  add<LLVM::FPTruncOp, translateCast<Instruction::FPTrunc>>();
}

//===----------------------------------------------------------------------===//
// Other values, and memory
//===----------------------------------------------------------------------===//

static llvm::Value *translateConstant(BodyTranslator &T, LLVM::ConstantOp Op) {
  return LLVM::detail::getLLVMConstant(T.type(Op.getResult()), Op.getValue(),
                                       Op.getLoc(), T.M);
}

static llvm::Value *translateSelect(BodyTranslator &T, LLVM::SelectOp Op) {
  return T.B.CreateSelect(T[Op.getCondition()], T[Op.getTrueValue()],
                          T[Op.getFalseValue()]);
}

static SmallVector<unsigned, 2> positionOf(ArrayRef<int64_t> Position) {
  return SmallVector<unsigned, 2>(Position.begin(), Position.end());
}

static llvm::Value *translateExtract(BodyTranslator &T,
                                     LLVM::ExtractValueOp Op) {
  return T.B.CreateExtractValue(T[Op.getContainer()],
                                positionOf(Op.getPosition()));
}

static llvm::Value *translateInsert(BodyTranslator &T, LLVM::InsertValueOp Op) {
  return T.B.CreateInsertValue(T[Op.getContainer()], T[Op.getValue()],
                               positionOf(Op.getPosition()));
}

static llvm::Value *translateGEP(BodyTranslator &T, LLVM::GEPOp Op) {
  SmallVector<llvm::Value *, 4> Indices;
  auto Dynamic = Op.getDynamicIndices().begin();
  for (int32_t Index : Op.getRawConstantIndices())
    Indices.push_back(Index == LLVM::GEPOp::kDynamicIndex
                          ? T[*Dynamic++]
                          : T.B.getInt32(Index));
  auto Flags = static_cast<unsigned>(Op.getNoWrapFlags());
  return T.B.CreateGEP(T.M.convertType(Op.getElemType()), T[Op.getBase()],
                       Indices, "", llvm::GEPNoWrapFlags::fromRaw(Flags));
}

/// Whether an access has an alignment at most, is volatile at most, and may be
/// invariant.
template <typename OpT> static bool isPlainAccess(OpT Op) {
  return Op.getOrdering() == LLVM::AtomicOrdering::not_atomic &&
         !Op.getSyncscope() && !Op.getNontemporal() &&
         !Op.getInvariantGroup() && !Op.getAccessGroups() &&
         !Op.getAliasScopes() && !Op.getNoaliasScopes() && !Op.getTbaa();
}

template <typename OpT, typename InstT>
static InstT *withAlignment(InstT *Access, OpT Op) {
  if (uint64_t Alignment = Op.getAlignment().value_or(0))
    Access->setAlignment(llvm::Align(Alignment));
  return Access;
}

static llvm::Value *translateLoad(BodyTranslator &T, LLVM::LoadOp Op) {
  if (!isPlainAccess(Op) || Op.getDereferenceable())
    return nullptr;
  llvm::LoadInst *Load = T.B.CreateLoad(T.type(Op.getResult()), T[Op.getAddr()],
                                        Op.getVolatile_());
  if (Op.getInvariant())
    Load->setMetadata(llvm::LLVMContext::MD_invariant_load,
                      llvm::MDNode::get(Load->getContext(), {}));
  return withAlignment(Load, Op);
}

static llvm::Value *translateStore(BodyTranslator &T, LLVM::StoreOp Op) {
  if (!isPlainAccess(Op))
    return nullptr;
  return withAlignment(
      T.B.CreateStore(T[Op.getValue()], T[Op.getAddr()], Op.getVolatile_()),
      Op);
}

/// Calls of functions that are known, with nothing to say about the call but
/// how it uses memory.
static llvm::Value *translateCall(BodyTranslator &T, LLVM::CallOp Op) {
  LLVM::CallOp::Properties Others = Op.getProperties();
  Others.callee = nullptr;
  Others.fastmathFlags = nullptr;
  Others.CConv = nullptr;
  Others.TailCallKind = nullptr;
  Others.op_bundle_sizes = nullptr;
  Others.operandSegmentSizes = {};
  bool IsPlain =
      Others == LLVM::CallOp::Properties() &&
      Op.getCConv() == LLVM::cconv::CConv::C &&
      Op.getTailCallKind() == LLVM::tailcallkind::TailCallKind::None &&
      Op.getOpBundleOperands().empty() && Op.getCallee();
  llvm::Function *Callee =
      IsPlain ? T.M.lookupFunction(*Op.getCallee()) : nullptr;
  if (!Callee)
    return nullptr;
  SmallVector<llvm::Value *, 8> Args;
  for (Value Arg : Op.getCalleeOperands())
    Args.push_back(T[Arg]);
  return T.B.CreateCall(Callee, Args);
}

static llvm::Value *translateIntrinsic(BodyTranslator &T,
                                       LLVM::CallIntrinsicOp Op) {
  if (!Op.getOpBundleSizes().empty() || Op.getArgAttrs() || Op.getResAttrs())
    return nullptr;
  llvm::Function *Declaration = T.declarationFor(Op);
  if (!Declaration)
    return nullptr;
  SmallVector<llvm::Value *, 8> Args;
  for (Value Arg : Op.getArgs())
    Args.push_back(T[Arg]);
  return T.B.CreateCall(Declaration, Args);
}

void TranslationTable::addOthers() {
  add<LLVM::ConstantOp, translateConstant>();
  add<LLVM::SelectOp, translateSelect>();
  add<LLVM::ExtractValueOp, translateExtract>();
  add<LLVM::InsertValueOp, translateInsert>();
  add<LLVM::GEPOp, translateGEP>();
  add<LLVM::LoadOp, translateLoad>();
  add<LLVM::StoreOp, translateStore>();
  add<LLVM::CallOp, translateCall>();
  add<LLVM::CallIntrinsicOp, translateIntrinsic>();
}

TranslationTable::TranslationTable() {
  addArithmetic();
  addConversions();
  addOthers();
}
