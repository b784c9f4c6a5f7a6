//===- Emitter.cpp - Building LLVM dialect for ptx operations ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types, casts, pointers and calls that the lowerings have in common.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "heddle/Dialect/PTX/Modifiers.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using ptxir::ScalarType;

std::optional<unsigned> lowering::addressSpaceOf(ptxir::Space S) {
  using enum ptxir::Space;
  switch (S) {
  case Generic:
    return addrspace::Generic;
  case Global:
    return addrspace::Global;
  case Shared:
  case Shared_cluster: // The address says whose memory it is.
    return addrspace::Shared;
  case Const:
    return addrspace::Const;
  case Local:
  case Param_func:
    return addrspace::Local;
  case Param_entry:
    return addrspace::Param;
  }
  return std::nullopt;
}

SymbolInfo Emitter::symbol(StringAttr Name) {
  if (!Variables) {
    Variables.emplace();
    for (Operation &Op : *Module.getBody())
      if (auto Global = dyn_cast<ptxir::GlobalOp>(Op))
        (*Variables)[Global.getSymNameAttr()] = {
            *addressSpaceOf(Global.getSpace()),
            Global.getTy() >= ScalarType::Texref};
      else if (auto Global = dyn_cast<LLVM::GlobalOp>(Op))
        (*Variables)[Global.getSymNameAttr()] = {
            Global.getAddrSpace(), Global->hasAttr(ptxir::HandleAttrName)};
  }
  return Variables->lookup(Name);
}

Type Emitter::typeOf(ScalarType Ty) {
  using enum ScalarType;
  switch (Ty) {
  case F16:
    return B.getF16Type();
  case Bf16:
    return B.getBF16Type();
  case F32:
  case Tf32:
    return B.getF32Type();
  case F64:
    return B.getF64Type();
  case U16x2:
  case S16x2:
    return VectorType::get(2, B.getI16Type());
  case F16x2:
    return VectorType::get(2, B.getF16Type());
  case Bf16x2:
    return VectorType::get(2, B.getBF16Type());
  case F32x2:
    return VectorType::get(2, B.getF32Type());
  default:
    return intTy(ptxir::bitWidth(Ty));
  }
}

Value Emitter::constInt(Type Ty, uint64_t V) {
  Attribute Attr;
  unsigned Bits = getElementTypeOrSelf(Ty).getIntOrFloatBitWidth();
  llvm::APInt Int(Bits, V, /*isSigned=*/false, /*implicitTrunc=*/true);
  if (auto Vec = dyn_cast<VectorType>(Ty))
    Attr = DenseElementsAttr::get(Vec, Int);
  else
    Attr = B.getIntegerAttr(Ty, Int);
  return make<LLVM::ConstantOp>(Ty, Attr);
}

Value Emitter::constFloat(Type Ty, double V) {
  if (auto Vec = dyn_cast<VectorType>(Ty))
    return make<LLVM::ConstantOp>(
        Ty, DenseElementsAttr::get(
                Vec, Attribute(B.getFloatAttr(Vec.getElementType(), V))));
  return make<LLVM::ConstantOp>(Ty, B.getFloatAttr(Ty, V));
}

std::optional<llvm::APInt> Emitter::matchInt(Value V) {
  IntegerAttr Attr;
  if (matchPattern(V, m_Constant(&Attr)))
    return Attr.getValue();
  return std::nullopt;
}

Value Emitter::cast(Value V, Type Ty) {
  if (V.getType() == Ty)
    return V;
  if (auto Inner = V.getDefiningOp<LLVM::BitcastOp>())
    if (Inner.getArg().getType() == Ty)
      return Inner.getArg();
  return make<LLVM::BitcastOp>(Ty, V);
}

Value Emitter::asInt(Value V) {
  Type Ty = V.getType();
  unsigned Bits = 0;
  if (auto Vec = dyn_cast<VectorType>(Ty))
    Bits = Vec.getNumElements() * Vec.getElementTypeBitWidth();
  else
    Bits = Ty.getIntOrFloatBitWidth();
  return cast(V, intTy(Bits));
}

Value Emitter::resize(Value V, unsigned Bits, bool Signed) {
  unsigned From = V.getType().getIntOrFloatBitWidth();
  if (From == Bits)
    return V;
  if (From > Bits)
    return make<LLVM::TruncOp>(intTy(Bits), V);
  if (Signed)
    return make<LLVM::SExtOp>(intTy(Bits), V);
  return make<LLVM::ZExtOp>(intTy(Bits), V);
}

Value Emitter::clamp(Value V, int64_t Low, uint64_t High, bool Signed) {
  Type Ty = V.getType();
  if (!Signed)
    return make<LLVM::UMinOp>(V, constInt(Ty, High));
  Value Floor = make<LLVM::SMaxOp>(V, constInt(Ty, uint64_t(Low)));
  return make<LLVM::SMinOp>(Floor, constInt(Ty, High));
}

Value Emitter::intrinsic(const Twine &Name, Type Result, ValueRange Args) {
  auto Attr = B.getStringAttr("llvm." + Name);
  if (!Result) {
    create<LLVM::CallIntrinsicOp>(Attr, Args);
    return {};
  }
  return make<LLVM::CallIntrinsicOp>(Result, Attr, Args);
}

LLVM::LLVMFuncOp Emitter::declareBuiltin(const Twine &Name, Type Result,
                                         ValueRange Args,
                                         LLVM::ModRefInfo Memory) {
  std::string Full = ("__heddle_" + Name).str();
  LLVM::LLVMFuncOp &Func = Builtins[Full];
  if (Func)
    return Func;
  OpBuilder::InsertionGuard Guard(B);
  B.setInsertionPointToStart(Module.getBody());
  SmallVector<Type> Types(Args.getTypes());
  if (!Result)
    Result = LLVM::LLVMVoidType::get(B.getContext());
  Func = LLVM::LLVMFuncOp::create(
      B, B.getUnknownLoc(), Full,
      LLVM::LLVMFunctionType::get(Result, Types, /*isVarArg=*/false));
  if (Memory != LLVM::ModRefInfo::ModRef)
    Func.setMemoryEffectsAttr(LLVM::MemoryEffectsAttr::get(
        B.getContext(), {Memory, Memory, Memory, Memory, Memory, Memory}));
  Func.setNoUnwind(true);
  Func.setWillReturn(true);
  // So that its callers are known not to call themselves by it.
  Func.setPassthroughAttr(B.getStrArrayAttr({"nocallback"}));
  return Func;
}

Value Emitter::builtin(const Twine &Name, Type Result, ValueRange Args) {
  auto Func = declareBuiltin(Name, Result, Args, LLVM::ModRefInfo::NoModRef);
  return LLVM::CallOp::create(B, Loc, Func, Args).getResult();
}

Value Emitter::memoryBuiltin(const Twine &Name, Type Result, ValueRange Args,
                             bool OnlyReads) {
  auto Func = declareBuiltin(Name, Result, Args,
                             OnlyReads ? LLVM::ModRefInfo::Ref
                                       : LLVM::ModRefInfo::ModRef);
  auto Call = LLVM::CallOp::create(B, Loc, Func, Args);
  return Result ? Call.getResult() : Value();
}

/// Whether the lanes that come to \p Place in its block have met before and
/// have not parted since.
bool Emitter::haveMet(Block &B, Block::iterator Place) const {
  for (auto It = Place; It != B.begin();) {
    Operation &Op = *--It;
    if (auto Intrinsic = dyn_cast<LLVM::CallIntrinsicOp>(Op)) {
      if (Intrinsic.getIntrin() == "llvm.nvvm.bar.warp.sync")
        return matchPattern(Intrinsic.getOperand(0), m_Constant()) &&
               Emitter::matchInt(Intrinsic.getOperand(0))->isAllOnes();
      if (Intrinsic.getIntrin() == "llvm.nvvm.exit")
        return false;
    }
    if (auto Call = dyn_cast<LLVM::CallOp>(Op)) {
      auto Builtin =
          Call.getCallee() ? Builtins.find(*Call.getCallee()) : Builtins.end();
      if (Builtin == Builtins.end())
        return false;
      // What the whole warp does is done by lanes that have met.
      LLVM::LLVMFuncOp Func = Builtin->second;
      if (Func.getConvergent())
        return true;
    }
  }
  return false;
}

void Emitter::meet() {
  if (!haveMet(*B.getInsertionBlock(), B.getInsertionPoint()))
    intrinsic("nvvm.bar.warp.sync", {}, constInt(32, ~uint64_t(0)));
}

Value Emitter::warpBuiltin(const Twine &Name, Type Result, ValueRange Args,
                           LLVM::ModRefInfo Memory) {
  meet();
  auto Func = declareBuiltin(Name, Result, Args, Memory);
  Func.setConvergent(true);
  auto Call = LLVM::CallOp::create(B, Loc, Func, Args);
  return Result ? Call.getResult() : Value();
}

Value Emitter::flush(Value V) { return builtin("ftz_f32", B.getF32Type(), V); }

Value Emitter::saturate(Value V) {
  Type Ty = V.getType();
  if (Ty.isF32())
    return builtin("sat_f32", Ty, V);
  // maximumnum takes the number when one operand is NaN, so NaN becomes +0.
  Value Low = intrinsic("maximumnum", Ty, {V, constFloat(Ty, 0.0)});
  return intrinsic("minimumnum", Ty, {Low, constFloat(Ty, 1.0)});
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

static constexpr unsigned MaxPointerDepth = 8;

/// The pointer into \p AS that an address was computed from, with the same
/// arithmetic done on the pointer; null when there is none. Address arithmetic
/// is modulo the pointer's width either way, so both forms are equal; this one
/// tells LLVM which object is accessed.
Value Emitter::rootedPointer(Value Address, unsigned AS, unsigned Depth) {
  unsigned Bits = AS == addrspace::Generic || AS == addrspace::Global ? 64 : 32;
  if (Depth == MaxPointerDepth || ptxir::bitWidth(Address.getType()) < Bits)
    return {};
  if (auto Cast = Address.getDefiningOp<LLVM::PtrToIntOp>()) {
    auto Ty = cast_if_present<LLVM::LLVMPointerType>(Cast.getArg().getType());
    return Ty.getAddressSpace() == AS ? Value(Cast.getArg()) : Value();
  }
  if (auto Cut = Address.getDefiningOp<LLVM::TruncOp>())
    return rootedPointer(Cut.getArg(), AS, Depth + 1);
  auto Add = Address.getDefiningOp<LLVM::AddOp>();
  if (!Add)
    return {};
  for (auto [Base, Index] : {std::pair(Add.getLhs(), Add.getRhs()),
                             std::pair(Add.getRhs(), Add.getLhs())})
    if (Value Root = rootedPointer(Base, AS, Depth + 1)) {
      if (auto Known = matchInt(Index); Known && Known->isZero())
        return Root;
      return make<LLVM::GEPOp>(ptrTy(AS), intTy(8), Root,
                               ArrayRef<LLVM::GEPArg>{Value(Index)});
    }
  return {};
}

Value Emitter::pointer(Value Address, unsigned AS, int64_t Offset) {
  unsigned Bits = AS == addrspace::Generic || AS == addrspace::Global ? 64 : 32;
  if (auto Constant = matchInt(Address)) {
    uint64_t Place = Constant->zextOrTrunc(64).getZExtValue() + Offset;
    return make<LLVM::IntToPtrOp>(ptrTy(AS), constInt(Bits, Place));
  }
  Value Pointer = rootedPointer(Address, AS, 0);
  if (!Pointer)
    Pointer = make<LLVM::IntToPtrOp>(ptrTy(AS),
                                     resize(Address, Bits, /*Signed=*/false));
  if (Offset == 0)
    return Pointer;
  return make<LLVM::GEPOp>(ptrTy(AS), intTy(8), Pointer,
                           ArrayRef<LLVM::GEPArg>{constInt(Bits, Offset)});
}

//===----------------------------------------------------------------------===//
// Replacing
//===----------------------------------------------------------------------===//

LogicalResult Emitter::replace(Operation *Op, ValueRange Values) {
  // One result is the rule; of several, none is replaced before all are cast.
  SmallVector<Value, 4> Results;
  auto Count = std::min<size_t>(Op->getNumResults(), Values.size());
  for (size_t N = 0; N != Count; ++N) {
    Value V = Values[N];
    Results.push_back(V ? cast(V, Op->getResult(N).getType()) : V);
  }
  for (size_t N = 0; N != Count; ++N)
    if (Results[N])
      Op->getResult(N).replaceAllUsesWith(Results[N]);
  Op->erase();
  return success();
}

LogicalResult Emitter::unsupported(Operation *Op, const Twine &What) {
  return emitError(ptxir::getPTXLoc(Op->getLoc()))
         << "not supported yet: " << What;
}
