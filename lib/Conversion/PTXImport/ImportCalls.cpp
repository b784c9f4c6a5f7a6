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
using ptx::Opcode;
using ptx::Operand;
using ptxir::ScalarType;
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
                                   Formal.getAlignment(), Formal.getResult());
}

LogicalResult BodyImporter::emitCall(const ptx::Instruction &Inst) {
  const Operand &Returns = Inst.getOperand(0), &Callee = Inst.getOperand(1),
                &Args = Inst.getOperand(2), &Prototype = Inst.getOperand(3);
  auto Elements = [](const Operand &O) {
    return O.is(Kind::List) ? O.getElements() : ArrayRef<Operand>();
  };
  // Whose parameters: the callee's, or those of a prototype or target list.
  const ptx::Function *Target = nullptr;
  llvm::ArrayRef<ptx::Parameter> FormalReturns, FormalParams;
  bool NoReturn = false;
  if (Callee.is(Kind::Symbol))
    Target = dyn_cast<ptx::Function>(Callee.getSymbol());
  const ptx::Decl *Proto =
      Prototype.is(Kind::Symbol) ? Prototype.getSymbol() : nullptr;
  const ptx::Function *Like = Target;
  if (auto *Targets = dyn_cast_if_present<ptx::CallTargetsDecl>(Proto))
    Like = Targets->Targets.empty() ? nullptr : Targets->Targets.front();
  if (auto *P = dyn_cast_if_present<ptx::CallPrototypeDecl>(Proto)) {
    FormalReturns = P->Returns;
    FormalParams = P->Params;
    NoReturn = P->NoReturn;
  } else if (Like) {
    FormalReturns = Like->Returns;
    FormalParams = Like->Params;
  } else {
    return I.unsupported(Inst.getLoc(), "an indirect call without a prototype");
  }
  auto S = I.signatureOf(FormalReturns, FormalParams, Inst.getLoc());
  if (failed(S))
    return failure();
  bool Variadic = !FormalParams.empty() && isUnsized(FormalParams.back());
  bool Omitted = Variadic && Elements(Args).size() + 1 == FormalParams.size();
  if (Elements(Returns).size() != FormalReturns.size() ||
      Elements(Args).size() + Omitted != FormalParams.size())
    return I.unsupported(Inst.getLoc(), "a call whose lists do not match");

  SmallVector<Value> Values;
  if (S->ResultArray)
    Values.push_back(
        callArgument(Elements(Returns)[0], FormalReturns[0], S->Args[0]));
  for (auto [O, Formal] : llvm::zip(Elements(Args), FormalParams))
    Values.push_back(callArgument(O, Formal, S->Args[Values.size()]));
  if (Omitted)
    Values.push_back(constant(I.addressType(), 0)); // of nothing
  else if (Variadic)
    S->Aggregates.back() =
        variableArguments(Elements(Args).back(), S->Aggregates.back());
  ArrayAttr Aggregates;
  if (S->hasAggregates())
    Aggregates = B.getArrayAttr(llvm::map_to_vector(
        S->Aggregates, [&](ptxir::AggregateAttr A) -> Attribute {
          return A ? Attribute(A) : Attribute(B.getUnitAttr());
        }));
  ArrayAttr Targets;
  if (auto *List = dyn_cast_if_present<ptx::CallTargetsDecl>(Proto))
    Targets = B.getArrayAttr(llvm::map_to_vector(
        List->Targets, [&](const ptx::Function *F) -> Attribute {
          return FlatSymbolRefAttr::get(I.symbolOf(F));
        }));
  bool Uni = Inst.has(ModKind::Uni);
  Operation *Call;
  if (Target)
    Call =
        ptxir::CallOp::create(B, Loc, S->Results, I.symbolOf(Target).getValue(),
                              Values, Aggregates, Uni);
  else
    Call = ptxir::CallIndirectOp::create(
        B, Loc, S->Results, use(Callee, I.scalarType(ptx::Type::B64)), Values,
        Aggregates, NoReturn, Uni, Targets);
  if (S->ResultArray)
    return success();
  for (auto [O, V] : llvm::zip(Elements(Returns), Call->getResults())) {
    auto *Var =
        O.is(Kind::Symbol) ? dyn_cast<ptx::Variable>(O.getSymbol()) : nullptr;
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
  return success();
}
