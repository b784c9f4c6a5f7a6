//===- CheckCalls.cpp - Arguments of calls ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The arguments and results of a call against the parameters of its callee, or
// of the prototype that the call names.
//
//===----------------------------------------------------------------------===//

#include "Checker.h"
#include "heddle/PTX/Forms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::ptx {

/// Whether a .param variable can be passed as a parameter: both are scalars, or
/// arrays of as many bytes, of types that agree.
bool Checker::checkParamVariable(const Operand &O, const Variable &V,
                                 const Variable &Formal, const Twine &What) {
  auto Mismatch = [&](const Twine &Have, const Twine &Need) {
    return fail(O, "'" + V.getName() + "' " + Have + ", but " + What + Need,
                &Formal);
  };
  if (V.Dims.size() != Formal.Dims.size())
    return Mismatch(!V.IsArray           ? "is no array"
                    : V.Dims.size() == 1 ? "is an array"
                                         : "has several dimensions",
                    !Formal.IsArray ? " is none"
                    : !V.IsArray    ? " is one"
                                    : " has one");
  if (V.getSize() != Formal.getSize() && !Formal.isUnsized())
    return Mismatch("has " + Twine(V.getSize()) + " bytes",
                    " has " + Twine(Formal.getSize()));
  bool Untyped = getTypeClass(V.Ty) == TypeClass::Bits ||
                 getTypeClass(Formal.Ty) == TypeClass::Bits;
  if (!Untyped && (V.IsArray ? V.Ty != Formal.Ty : !agrees(Formal.Ty, V.Ty)))
    return Mismatch("has type " + quoted(V.Ty),
                    " has type " + quoted(Formal.Ty));
  if (V.getAlign() != Formal.getAlign())
    return Mismatch("has the alignment " + Twine(V.getAlign()),
                    " has " + Twine(Formal.getAlign()));
  return true;
}

/// Whether a register can be passed as a scalar of type \p Ty or take one.
bool Checker::checkArgumentRegister(const Operand &O, Type Ty, Parameter P,
                                    const Twine &What) {
  const RegisterDecl *R = O.getRegister();
  auto *Formal = dyn_cast<RegisterDecl>(P);
  unsigned Need = Formal ? Formal->getVectorWidth() : 1,
           Width = O.getComponent() < 0 ? R->getVectorWidth() : 1;
  if (Need != Width)
    return fail(O,
                "'" + getName(O) + "' has " + Twine(Width) +
                    (Width == 1 ? " component, and " : " components, and ") +
                    What + " has " + Twine(Need),
                P);
  Type Have = R->getType();
  if (getTypeBits(Have) == getTypeBits(Ty) &&
      (agrees(Ty, Have) || Have == Type::F16x2))
    return true;
  return fail(O,
              "'" + getName(O) + "' has type " + quoted(Have) +
                  ", which does not fit type " + quoted(Ty) + " of " + What,
              P);
}

/// An argument is a .param variable like the parameter, or for a scalar
/// parameter a register or constant of its type.
bool Checker::checkArgument(const Operand &O, Parameter P, bool IsReturn,
                            const Decl *Callee) {
  auto *PV = dyn_cast<Variable>(P);
  std::string What =
      (Twine("this ") + (IsReturn ? "return value" : "argument") + " of '" +
       Callee->getName() + "'")
          .str();
  if (O.is(Operand::Kind::Symbol)) {
    auto *V = dyn_cast<Variable>(O.getSymbol());
    if (!V || V->Space != StateSpace::Param)
      return fail(O, What + " must be a .param variable", O.getSymbol());
    if (!PV)
      return fail(O, What + " is a register and cannot be a .param variable",
                  P);
    return checkParamVariable(O, *V, *PV, What);
  }
  if (O.is(Operand::Kind::Sink) && IsReturn)
    return true;
  bool IsImm = O.is(Operand::Kind::IntImm) || O.is(Operand::Kind::FloatImm);
  if (!O.is(Operand::Kind::Register) && (IsReturn || !IsImm))
    return fail(O, "expected a .param variable or a register");
  if (PV && PV->IsArray)
    return fail(O, What + " is an array and needs a .param variable", P);
  auto *PR = dyn_cast<RegisterDecl>(P);
  Type Ty = PV ? PV->Ty : PR->getType();
  if (!IsImm)
    return checkArgumentRegister(O, Ty, P, What);
  if (PR && PR->getVectorWidth() != 1)
    return fail(O, What + " is a vector and cannot be a constant", P);
  TypeClass Class = getTypeClass(Ty);
  bool Fits = Class == TypeClass::Bits ||
              (O.is(Operand::Kind::FloatImm)
                   ? Class == TypeClass::Float
                   : Class == TypeClass::UInt || Class == TypeClass::SInt);
  return Fits || fail(O,
                      What + " has type " + quoted(Ty) +
                          " and cannot be a constant of this kind",
                      P);
}

bool Checker::checkArgumentList(const Operand &List, ArrayRef<Parameter> Params,
                                bool IsReturn, const Decl *Callee) {
  ArrayRef<Operand> Args = List.getElements();
  auto *Last = Params.empty() ? nullptr : dyn_cast<Variable>(Params.back());
  bool Variadic = !IsReturn && Last && Last->isUnsized();
  bool CountFits = Args.size() == Params.size() ||
                   (Variadic && Args.size() + 1 == Params.size());
  if (!CountFits)
    return fail(List,
                "'" + Callee->getName() + "' has " + Twine(Params.size()) +
                    (IsReturn ? " return value" : " parameter") +
                    (Params.size() == 1 ? "; " : "s; ") + Twine(Args.size()) +
                    (Args.size() == 1 ? " is given here" : " are given here"),
                Callee);
  bool Ok = true;
  for (auto [I, Arg] : enumerate(Args))
    Ok &= checkArgument(Arg, Params[std::min(I, Params.size() - 1)], IsReturn,
                        Callee);
  return Ok;
}

bool Checker::checkCall(ArrayRef<Operand> Operands) {
  const Operand &Returns = Operands[0], &Callee = Operands[1],
                &Args = Operands[2], &Proto = Operands[3];
  if (Callee.is(Operand::Kind::Symbol)) {
    auto *F = dyn_cast<Function>(Callee.getSymbol());
    if (!F || F->isEntry())
      return fail(Callee,
                  "'" + Callee.getSymbol()->getName() + "' is not a .func",
                  Callee.getSymbol());
    bool Ok = checkArgumentList(Returns, F->Returns, true, F);
    return checkArgumentList(Args, F->Params, false, F) && Ok;
  }
  if (getTypeBits(Callee.getRegister()->getType()) != M->AddressSize)
    return failSize(Callee,
                    "the address of a function has " + Twine(M->AddressSize) +
                        " bits",
                    Callee.getRegister());
  if (Proto.is(Operand::Kind::None))
    return fail(Callee, "an indirect call needs the label of a .callprototype "
                        "or .calltargets as its last operand");
  const Decl *D = Proto.is(Operand::Kind::Symbol) ? Proto.getSymbol() : nullptr;
  if (auto *P = dyn_cast_or_null<CallPrototypeDecl>(D)) {
    bool Ok = checkArgumentList(Returns, P->Returns, true, P);
    return checkArgumentList(Args, P->Params, false, P) && Ok;
  }
  if (auto *T = dyn_cast_or_null<CallTargetsDecl>(D)) {
    bool Ok = true;
    for (const Function *F : T->Targets) {
      Ok &= checkArgumentList(Returns, F->Returns, true, F);
      Ok &= checkArgumentList(Args, F->Params, false, F);
    }
    return Ok;
  }
  return fail(Proto, "expected the label of a .callprototype or .calltargets");
}

} // namespace heddle::ptx
