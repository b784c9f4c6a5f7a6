//===- ImportValues.cpp - PTX operands as values ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads sources and writes destinations: registers, immediates, special
// registers and addresses.
//
//===----------------------------------------------------------------------===//

#include "BodyImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::import;
using ptx::Operand;
using ptxir::ScalarType;
using Kind = ptx::Operand::Kind;

ScalarType import::untyped(unsigned Bits) {
  switch (Bits) {
  case 1:
    return ScalarType::Pred;
  case 8:
    return ScalarType::B8;
  case 16:
    return ScalarType::B16;
  case 32:
    return ScalarType::B32;
  case 64:
    return ScalarType::B64;
  default:
    return ScalarType::B128;
  }
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

Value BodyImporter::current(unsigned Slot) {
  if (isInMemory(Slot))
    return loadSlot(Slot);
  if (Current[Slot])
    return Current[Slot];
  if (!Undefined[Slot]) {
    OpBuilder::InsertionGuard Guard(B);
    B.setInsertionPointToStart(MLIRBlocks[0]);
    Undefined[Slot] =
        ptxir::UndefOp::create(B, I.location(F->getLoc()), SlotTypes[Slot]);
  }
  return Undefined[Slot];
}

void BodyImporter::assign(unsigned Slot, Value V) {
  if (isInMemory(Slot))
    return storeSlot(Slot, V);
  Undo.push_back({Slot, Current[Slot], Stale[Slot]});
  Current[Slot] = V;
  Stale[Slot] = false;
}

void BodyImporter::setStale(unsigned Slot) {
  Undo.push_back({Slot, Current[Slot], Stale[Slot]});
  Stale[Slot] = true;
}

/// The same bits in another register class.
Value BodyImporter::as(Value V, mlir::Type Ty) {
  if (!V || V.getType() == Ty)
    return V;
  ScalarType Scalar = untyped(ptxir::bitWidth(Ty));
  if (ptxir::bitWidth(V.getType()) == ptxir::bitWidth(Ty))
    return ptxir::MovOp::create(B, Loc, Ty, V, Scalar);
  // A wider or narrower integer.
  return ptxir::CvtOp::create(B, Loc, Ty, V, Value(), Scalar,
                              untyped(ptxir::bitWidth(V.getType())));
}

Value BodyImporter::useRegister(const Operand &O) {
  Value V = current(slotOf(O));
  if (!O.isNegated())
    return V;
  return ptxir::NotOp::create(B, Loc, V.getType(), V, ScalarType::Pred);
}

Value BodyImporter::useGuard(const ptx::Guard &G) {
  return current(RegisterSlots[G.getRegisterNumber()]);
}

Value BodyImporter::immediate(const Operand &O, ScalarType Ty) {
  unsigned Bits = ptxir::bitWidth(Ty);
  if (O.is(Kind::IntImm))
    return I.makeConstant(Loc, I.integerAttr(Bits, O.getInt()));
  uint64_t Pattern = O.getDoubleBits();
  if (Bits == 32 && O.isSingle()) {
    Pattern = O.getFloatBits32();
  } else if (Bits != 64) {
    llvm::APFloat Number(llvm::APFloat::IEEEdouble(),
                         llvm::APInt(64, O.getDoubleBits()));
    bool Lost;
    Number.convert(Bits == 32               ? llvm::APFloat::IEEEsingle()
                   : Ty == ScalarType::Bf16 ? llvm::APFloat::BFloat()
                                            : llvm::APFloat::IEEEhalf(),
                   llvm::APFloat::rmNearestTiesToEven, &Lost);
    Pattern = Number.bitcastToAPInt().getZExtValue();
  }
  if (Ty == ScalarType::F32)
    return ptxir::ConstantOp::create(
        B, Loc,
        B.getFloatAttr(B.getF32Type(),
                       llvm::APFloat(llvm::APFloat::IEEEsingle(),
                                     llvm::APInt(32, Pattern))));
  if (Ty == ScalarType::F64)
    return ptxir::ConstantOp::create(
        B, Loc,
        B.getFloatAttr(B.getF64Type(),
                       llvm::APFloat(llvm::APFloat::IEEEdouble(),
                                     llvm::APInt(64, Pattern))));
  return constant(B.getIntegerType(Bits), Pattern);
}

/// The address as a value of type \p Ty, an integer that is wide enough for
/// the variable's space.
Value BodyImporter::variableAddress(const ptx::Variable *Var, mlir::Type Ty) {
  if (auto It = EntryParams.find(Var); It != EntryParams.end())
    return ptxir::ParamAddrOp::create(B, Loc, Ty, It->second);
  if (auto It = Addresses.find(Var); It != Addresses.end())
    return as(It->second, Ty);
  StringAttr Symbol = I.symbolOf(Var);
  if (Symbol)
    return ptxir::AddrOfOp::create(B, Loc, Ty, Symbol);
  Failed = true;
  return constant(Ty, 0);
}

/// What a parameter holds that is a texture, sampler or surface: naming it
/// means that.
Value BodyImporter::handleOf(const ptx::Variable *Var) {
  Value Address = variableAddress(Var, I.addressType());
  auto Load = ptxir::LdOp::create(
      B, Loc, mlir::TypeRange{B.getI64Type()}, Address, 0, Value(),
      ptxir::Space::Param_entry, ScalarType::B64, ptxir::MemSem::Weak,
      ptxir::Scope::None, /*nc=*/false, ptxir::CacheOp::None,
      ptxir::Evict::None, ptxir::Evict::None, 0);
  return Load.getValues().front();
}

Value BodyImporter::symbolAddress(const ptx::Decl *D, int64_t Offset,
                                  mlir::Type Ty) {
  Value V;
  auto *Var = dyn_cast<ptx::Variable>(D);
  if (Var && ptx::getTypeClass(Var->Ty) == ptx::TypeClass::Opaque &&
      EntryParams.count(Var))
    V = as(handleOf(Var), Ty);
  else if (Var)
    V = variableAddress(Var, Ty);
  else
    V = ptxir::AddrOfOp::create(B, Loc, Ty, I.symbolOf(cast<ptx::Function>(D)));
  if (Offset)
    V = ptxir::AddOp::create(B, Loc, Ty, V, constant(Ty, uint64_t(Offset)),
                             ptxir::bitWidth(Ty) == 64 ? ScalarType::S64
                                                       : ScalarType::S32);
  return V;
}

Value BodyImporter::specialRegister(const Operand &O, int Component,
                                    mlir::Type Ty) {
  OpTemplate &Template =
      I.specialRegisterTemplate(O.getSpecialReg(), Component, Ty);
  Value V;
  if (Template) {
    V = Template.create(B, Loc, Ty, {})->getResult(0);
  } else {
    StringRef Name = ptx::getSpecialRegInfo(O.getSpecialReg()).Name;
    Name.consume_front("%");
    std::string Full = Name.str();
    if (Component >= 0)
      Full += std::string(".") + "xyzw"[Component];
    auto New = ptxir::SregOp::create(B, Loc, Ty, Full);
    Template = OpTemplate(New);
    V = New;
  }
  if (!O.isNegated())
    return V;
  return ptxir::NotOp::create(B, Loc, Ty, V, ScalarType::Pred);
}

/// The value of a source operand of an instruction that takes a \p Ty there;
/// without a type the operand is a register.
Value BodyImporter::use(const Operand &O, std::optional<ScalarType> Ty) {
  switch (O.getKind()) {
  case Kind::Register:
    return useRegister(O);
  case Kind::IntImm:
  case Kind::FloatImm:
    return immediate(O, Ty.value_or(ScalarType::B32));
  case Kind::SpecialReg:
    return specialRegister(O, O.getComponent(),
                           B.getIntegerType(ptxir::bitWidth(*Ty)));
  case Kind::Symbol:
    return symbolAddress(O.getSymbol(), O.getOffset(),
                         B.getIntegerType(ptxir::bitWidth(*Ty)));
  default:
    Failed = true;
    (void)I.unsupported(O.getLoc(), "an operand of this kind");
    return constant(B.getI32Type(), 0);
  }
}

mlir::Type BodyImporter::destType(const Operand &O,
                                  std::optional<ScalarType> Ty) {
  if (O.is(Kind::Register))
    return SlotTypes[slotOf(O)];
  return B.getIntegerType(Ty ? ptxir::bitWidth(*Ty) : 32);
}

/// Writes a destination operand, or, under a guard, keeps the old value where
/// the guard is false. A register without an old value may hold anything.
void BodyImporter::define(const Operand &O, Value V) {
  if (!O.is(Kind::Register))
    return;
  unsigned Slot = slotOf(O);
  V = as(V, SlotTypes[Slot]);
  if (ActiveGuard && (isInMemory(Slot) || Current[Slot])) {
    Value Old = current(Slot);
    V = ptxir::SelpOp::create(B, Loc, V.getType(), GuardNegated ? Old : V,
                              GuardNegated ? V : Old, ActiveGuard,
                              untyped(ptxir::bitWidth(V.getType())));
  }
  assign(Slot, V);
  noteWrite(Slot);
}
