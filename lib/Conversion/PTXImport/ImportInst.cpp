//===- ImportInst.cpp - Instructions without an operation -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes a ptx.inst of any instruction that the table knows.
//
//===----------------------------------------------------------------------===//

#include "BodyImporter.h"
#include "heddle/PTX/Forms.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::import;
using ptx::Operand;
using ptxir::OperandKind;
using ptxir::ScalarType;
using Kind = ptx::Operand::Kind;

namespace heddle::import {

/// Gathers the registers and forms of one instruction's operands.
class InstBuilder {
public:
  InstBuilder(BodyImporter &Body, const ptx::Instruction &Inst)
      : Body(Body), Inst(Inst) {}
  LogicalResult run();

private:
  ptxir::OperandAttr make(OperandKind Kind, int64_t Value = 0,
                          ArrayRef<Attribute> Parts = {}) {
    return ptxir::OperandAttr::get(Body.B.getContext(), Kind, Value, Parts);
  }
  ptxir::OperandAttr source(const ptx::OperandSpec &Spec, const Operand &O,
                            std::optional<ScalarType> Ty);
  ptxir::OperandAttr dest(const ptx::OperandSpec &Spec, const Operand &O,
                          std::optional<ScalarType> Ty);
  ptxir::OperandAttr address(const ptx::OperandSpec &Spec, const Operand &O);
  ptxir::OperandAttr form(unsigned N);

  BodyImporter &Body;
  const ptx::Instruction &Inst;
  SmallVector<Value> Args;
  SmallVector<Type> ResultTypes;
  SmallVector<Operand> Dests;
};

} // namespace heddle::import

/// The dialect's type of an operand; types that it has no name for are bits.
static std::optional<ScalarType> scalarTypeOf(ModuleImporter &I,
                                              const ptx::Instruction &Inst,
                                              const ptx::OperandSpec &Spec) {
  auto Ty = ptx::getOperandType(Inst.getMnemonic(), Spec);
  if (!Ty)
    return std::nullopt;
  if (auto Scalar = I.scalarType(*Ty))
    return Scalar;
  return untyped(llvm::alignTo(ptx::getTypeBits(*Ty), 8));
}

/// What a video instruction selects of an operand.
static int64_t selectorOf(const ptx::OperandSpec &Spec, const Operand &O) {
  bool Selects = Spec.Selector != ptx::OperandSelector::None;
  return Selects && O.is(Kind::Register) ? O.getSelector() : 0;
}

ptxir::OperandAttr InstBuilder::source(const ptx::OperandSpec &Spec,
                                       const Operand &O,
                                       std::optional<ScalarType> Ty) {
  if (O.is(Kind::Sink))
    return make(OperandKind::Sink);
  if (Spec.Minus && O.is(Kind::Register) && O.isNegated()) {
    Args.push_back(
        Body.use(Operand::makeRegister(O.getLoc(), O.getRegister(),
                                       O.getRegisterIndex(), O.getComponent()),
                 Ty));
    return make(OperandKind::Negated, selectorOf(Spec, O));
  }
  if (!O.is(Kind::Vector)) {
    Args.push_back(Body.use(O, Ty));
    return make(OperandKind::Value, selectorOf(Spec, O));
  }
  SmallVector<Attribute> Parts;
  for (auto [I, E] : llvm::enumerate(O.getElements())) {
    bool IsIndex = I == 0 && Spec.FirstIndex;
    Parts.push_back(
        source(Spec, E, IsIndex ? std::optional(ScalarType::U32) : Ty));
  }
  return make(OperandKind::Vector, 0, Parts);
}

ptxir::OperandAttr InstBuilder::dest(const ptx::OperandSpec &Spec,
                                     const Operand &O,
                                     std::optional<ScalarType> Ty) {
  if (O.is(Kind::Sink))
    return make(OperandKind::Sink);
  if (O.is(Kind::Pair))
    return make(OperandKind::Pair, 0,
                {dest(Spec, O.getElements()[0], Ty),
                 dest(Spec, O.getElements()[1], ScalarType::Pred)});
  if (O.is(Kind::Vector)) {
    SmallVector<Attribute> Parts;
    for (const Operand &E : O.getElements())
      Parts.push_back(dest(Spec, E, Ty));
    return make(OperandKind::Vector, 0, Parts);
  }
  Dests.push_back(O);
  ResultTypes.push_back(Body.destType(O, Ty));
  if (!ptx::readsDestination(Inst.getForm(), Spec))
    return make(OperandKind::Result, selectorOf(Spec, O));
  Args.push_back(Body.use(O, Ty));
  return make(OperandKind::Updated);
}

ptxir::OperandAttr InstBuilder::address(const ptx::OperandSpec &Spec,
                                        const Operand &O) {
  auto [Base, Offset] =
      Body.address(O, ptx::getAddressSpace(Inst.getMnemonic(), Spec));
  Args.push_back(Base);
  return make(OperandKind::Address, Offset, {make(OperandKind::Value)});
}

ptxir::OperandAttr InstBuilder::form(unsigned N) {
  const Operand &O = Inst.getOperand(N);
  const ptx::OperandSpec &Spec = Inst.getForm().getOperands()[N];
  if (O.is(Kind::None))
    return make(OperandKind::None);
  auto Ty = scalarTypeOf(Body.I, Inst, Spec);
  // A vector register is the vector of its components.
  unsigned Width = ptx::getVectorWidth(Inst.getMnemonic(), Spec);
  Operand Whole = O;
  SmallVector<Operand> Elements;
  if (Width > 1 && O.is(Kind::Register)) {
    Elements = elementsOf(O, Width);
    Whole = Operand::makeAggregate(Kind::Vector, O.getLoc(), Elements);
  }
  // Braces around what is no vector (checkUnchecked of the parser).
  if (Width == 0 && Spec.Unchecked && O.is(Kind::Vector))
    Whole = O.getElements().front();
  switch (Spec.Role) {
  case ptx::OperandRole::Dest:
    return dest(Spec, Whole, Ty);
  case ptx::OperandRole::Source:
  case ptx::OperandRole::Object:
    return source(Spec, Whole, Ty);
  case ptx::OperandRole::Immediate:
    return make(OperandKind::Immediate, int64_t(O.getInt()));
  case ptx::OperandRole::Address:
    return address(Spec, O);
  default:
    return {};
  }
}

LogicalResult InstBuilder::run() {
  ptx::MnemonicParts Parts;
  SmallVector<Attribute> Forms;
  bool Known = ptx::spellParts(Inst.getForm(), Inst.getMnemonic(), Parts);
  for (unsigned N = 0; N != Inst.getNumOperands() && Known; ++N) {
    Forms.push_back(form(N));
    Known = bool(Forms.back());
  }
  if (!Known)
    return Body.unsupported(Inst);
  OpBuilder &B = Body.B;
  auto New = ptxir::InstOp::create(
      B, Body.Loc, ResultTypes, ptx::getOpcodeName(Inst.getOpcode()),
      B.getStrArrayAttr(Parts), B.getArrayAttr(Forms), Args);
  for (auto [O, V] : llvm::zip(Dests, New.getValues()))
    Body.define(O, V);
  return success();
}

LogicalResult BodyImporter::emitInst(const ptx::Instruction &Inst) {
  return InstBuilder(*this, Inst).run();
}
