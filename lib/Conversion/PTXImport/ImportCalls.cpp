//===- ImportCalls.cpp - PTX calls ------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds what a call passes and returns in the .param variables around it.
//
//===----------------------------------------------------------------------===//

#include "BodyImporter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::import;
using ptx::ModKind;
using ptx::Operand;
using Kind = ptx::Operand::Kind;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// An argument as the callee takes it: the address of an array, or the value.
Value BodyImporter::callArgument(const Operand &O, ptx::Parameter Formal,
                                 mlir::Type Ty) {
  auto *Var =
      O.is(Kind::Symbol) ? dyn_cast<ptx::Variable>(O.getSymbol()) : nullptr;
  if (!isScalarParameter(Formal))
    return Var ? variableAddress(Var, I.addressType())
               : use(O, I.scalarType(ptx::Type::B64));
  if (!Var || Var->Space != ptx::StateSpace::Param)
    return as(use(O, I.scalarType(parameterType(Formal))), Ty);
  if (auto It = ParamSlots.find(Var); It != ParamSlots.end())
    return as(current(It->second), Ty);
  return ptxir::LdOp::create(
             B, Loc, TypeRange{Ty}, variableAddress(Var, I.addressType()), 0,
             Value(), ptxir::Space::Param_func, untyped(ptxir::bitWidth(Ty)))
      .getResult(0);
}

/// Whether a parameter stands for a variable number of arguments.
static bool isUnsized(ptx::Parameter P) {
  auto *Var = dyn_cast<ptx::Variable>(P);
  return Var && Var->isUnsized();
}

/// A variable number of arguments has the size of what the caller passes.
static ptxir::AggregateAttr variableArguments(const Operand &O,
                                              ptxir::AggregateAttr Formal) {
  auto *Var =
      O.is(Kind::Symbol) ? dyn_cast<ptx::Variable>(O.getSymbol()) : nullptr;
  if (!Var)
    return Formal;
  return ptxir::AggregateAttr::get(Formal.getContext(), Var->getSize(),
                                   Formal.getAlignment(), Formal.getResult(),
                                   Formal.getType());
}

namespace {
/// Whose parameters and results a call has.
struct CallShape {
  const ptx::Function *Target = nullptr; ///< Of a direct call.
  const ptx::CallPrototypeDecl *Prototype = nullptr;
  const ptx::CallTargetsDecl *Targets = nullptr;
  bool Found = true; ///< False for an indirect call that says nothing of it.
  llvm::ArrayRef<ptx::Parameter> Returns, Params;
};
} // namespace

static CallShape shapeOf(const Operand &Callee, const Operand &Prototype) {
  CallShape S;
  const ptx::Decl *Proto =
      Prototype.is(Kind::Symbol) ? Prototype.getSymbol() : nullptr;
  S.Prototype = dyn_cast_if_present<ptx::CallPrototypeDecl>(Proto);
  S.Targets = dyn_cast_if_present<ptx::CallTargetsDecl>(Proto);
  if (Callee.is(Kind::Symbol))
    S.Target = dyn_cast<ptx::Function>(Callee.getSymbol());
  const ptx::Function *Like = S.Target;
  if (S.Targets)
    Like = S.Targets->Targets.empty() ? nullptr : S.Targets->Targets.front();
  if (S.Prototype) {
    S.Returns = S.Prototype->Returns;
    S.Params = S.Prototype->Params;
  } else if (Like) {
    S.Returns = Like->Returns;
    S.Params = Like->Params;
  } else {
    S.Found = false;
  }
  return S;
}

static llvm::ArrayRef<Operand> elementsOfList(const Operand &O) {
  return O.is(Kind::List) ? O.getElements() : llvm::ArrayRef<Operand>();
}

/// Puts the results of a call of \p Formals where its operands say.
void BodyImporter::takeResults(const Operand &Returns,
                               llvm::ArrayRef<ptx::Parameter> Formals,
                               Operation *Call) {
  unsigned Next = 0;
  for (auto [O, Formal] : llvm::zip(elementsOfList(Returns), Formals)) {
    auto *Var =
        O.is(Kind::Symbol) ? dyn_cast<ptx::Variable>(O.getSymbol()) : nullptr;
    if (unsigned Count = numValues(Formal); Count != 1) {
      for (unsigned N = 0; N != Count; ++N, ++Next)
        if (O.is(Kind::Register))
          define(elementsOf(O, Count)[N], Call->getResult(Next));
      continue;
    }
    Value V = Call->getResult(Next++);
    if (!Var) {
      define(O, V);
    } else if (auto It = ParamSlots.find(Var); It != ParamSlots.end()) {
      assign(It->second, as(V, SlotTypes[It->second]));
    } else {
      ptxir::StOp::create(B, Loc, variableAddress(Var, I.addressType()), 0,
                          ValueRange{V}, Value(), ptxir::Space::Param_func,
                          untyped(ptxir::bitWidth(V.getType())));
    }
  }
}

LogicalResult BodyImporter::emitCall(const ptx::Instruction &Inst) {
  const Operand &Returns = Inst.getOperand(0), &Callee = Inst.getOperand(1),
                &Args = Inst.getOperand(2);
  CallShape Shape = shapeOf(Callee, Inst.getOperand(3));
  if (!Shape.Found)
    return I.unsupported(Inst.getLoc(), "an indirect call without a prototype");
  auto S = I.signatureOf(Shape.Returns, Shape.Params, Inst.getLoc());
  if (failed(S))
    return failure();
  llvm::ArrayRef<Operand> Given = elementsOfList(Args);
  bool Variadic = !Shape.Params.empty() && isUnsized(Shape.Params.back());
  bool Omitted = Variadic && Given.size() + 1 == Shape.Params.size();
  if (elementsOfList(Returns).size() != Shape.Returns.size() ||
      Given.size() + Omitted != Shape.Params.size())
    return I.unsupported(Inst.getLoc(), "a call whose lists do not match");

  SmallVector<Value> Values;
  if (S->ResultArray)
    Values.push_back(
        callArgument(elementsOfList(Returns)[0], Shape.Returns[0], S->Args[0]));
  for (auto [O, Formal] : llvm::zip(Given, Shape.Params)) {
    unsigned Count = numValues(Formal);
    for (const Operand &Part :
         Count == 1 ? SmallVector<Operand>{O} : elementsOf(O, Count))
      Values.push_back(callArgument(Part, Formal, S->Args[Values.size()]));
  }
  if (Omitted)
    Values.push_back(constant(I.addressType(), 0)); // of nothing
  else if (Variadic)
    S->Aggregates.back() =
        variableArguments(Given.back(), S->Aggregates.back());
  ArrayAttr Aggregates, Targets;
  if (S->hasAggregates())
    Aggregates = B.getArrayAttr(llvm::map_to_vector(
        S->Aggregates, [&](ptxir::AggregateAttr A) -> Attribute {
          return A ? Attribute(A) : Attribute(B.getUnitAttr());
        }));
  if (Shape.Targets)
    Targets = B.getArrayAttr(llvm::map_to_vector(
        Shape.Targets->Targets, [&](const ptx::Function *F) -> Attribute {
          return FlatSymbolRefAttr::get(I.symbolOf(F));
        }));
  bool Uni = Inst.has(ModKind::Uni);
  const ptx::CallPrototypeDecl *P = Shape.Prototype;
  Operation *Call;
  if (Shape.Target)
    Call = ptxir::CallOp::create(B, Loc, S->Results,
                                 I.symbolOf(Shape.Target).getValue(), Values,
                                 Aggregates, Uni);
  else
    Call = ptxir::CallIndirectOp::create(
        B, Loc, S->Results, use(Callee, I.scalarType(ptx::Type::B64)), Values,
        Aggregates, P && P->NoReturn, Uni, Targets,
        P ? I.numberAttr(P->AbiPreserve) : IntegerAttr(),
        P ? I.numberAttr(P->AbiPreserveControl) : IntegerAttr());
  if (!S->ResultArray)
    takeResults(Returns, Shape.Returns, Call);
  return success();
}
