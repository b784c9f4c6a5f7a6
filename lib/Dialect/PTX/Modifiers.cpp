//===- Modifiers.cpp - PTX modifiers as attributes --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of modifiers and attributes.
//
//===----------------------------------------------------------------------===//

#include "heddle/Dialect/PTX/Modifiers.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxir;

namespace {

template <typename AttrT, typename EnumT>
Attribute makeEnum(MLIRContext *Context, StringRef Spelling) {
  auto Value = symbolizeEnum<EnumT>(Spelling);
  return Value ? AttrT::get(Context, *Value) : Attribute();
}

template <typename AttrT> StringRef spellEnum(ptx::ModKind, Attribute A) {
  auto Enum = dyn_cast<AttrT>(A);
  StringRef Name = Enum ? stringifyEnum(Enum.getValue()) : StringRef();
  return Name == "none" ? StringRef() : Name;
}

Attribute makeUnit(MLIRContext *Context, StringRef) {
  return UnitAttr::get(Context);
}

/// Such a kind of modifier has one value.
StringRef spellUnit(ptx::ModKind Kind, Attribute A) {
  return isa<UnitAttr>(A) ? ptx::getModifierName(Kind, 1) : StringRef();
}

Attribute makeSpace(MLIRContext *Context, StringRef Spelling) {
  if (Spelling == "shared::cta")
    Spelling = "shared";
  else if (Spelling == "shared::cluster")
    Spelling = "shared_cluster";
  else if (Spelling == "param::entry" || Spelling == "param")
    Spelling = "param_entry";
  else if (Spelling == "param::func")
    Spelling = "param_func";
  return makeEnum<SpaceAttr, Space>(Context, Spelling);
}

StringRef spellSpaceAttr(ptx::ModKind, Attribute A) {
  auto Enum = dyn_cast<SpaceAttr>(A);
  return Enum ? spellSpace(Enum.getValue()) : StringRef();
}

template <typename AttrT, typename EnumT>
constexpr ModifierRule enumRule(ptx::ModKind Kind, llvm::StringLiteral Attr) {
  return {Kind, Attr, makeEnum<AttrT, EnumT>, spellEnum<AttrT>};
}

constexpr ModifierRule unitRule(ptx::ModKind Kind, llvm::StringLiteral Attr) {
  return {Kind, Attr, makeUnit, spellUnit};
}

constexpr ModifierRule Rules[] = {
    enumRule<RoundingAttr, Rounding>(ptx::ModKind::Rounding, "rnd"),
    unitRule(ptx::ModKind::Ftz, "ftz"),
    unitRule(ptx::ModKind::Turns, "turns"),
    unitRule(ptx::ModKind::Sat, "sat"),
    unitRule(ptx::ModKind::SatFinite, "satfinite"),
    unitRule(ptx::ModKind::Relu, "relu"),
    unitRule(ptx::ModKind::Oob, "oob"),
    enumRule<MulModeAttr, MulMode>(ptx::ModKind::MulPart, "mode"),
    unitRule(ptx::ModKind::NanMode, "nan"),
    unitRule(ptx::ModKind::XorSign, "xorsign_abs"),
    enumRule<CmpAttr, Cmp>(ptx::ModKind::CmpOp, "cmp"),
    enumRule<BoolOpAttr, BoolOp>(ptx::ModKind::BoolOp, "boolop"),
    enumRule<TestAttr, Test>(ptx::ModKind::TestProperty, "test"),
    unitRule(ptx::ModKind::ShiftAmount, "shiftamt"),
    enumRule<WrapModeAttr, WrapMode>(ptx::ModKind::ShiftMode, "wrap"),
    enumRule<ShiftDirAttr, ShiftDir>(ptx::ModKind::ShiftDir, "dir"),
    enumRule<PrmtModeAttr, PrmtMode>(ptx::ModKind::PermuteMode, "mode"),
    {ptx::ModKind::StateSpace, "space", makeSpace, spellSpaceAttr},
    unitRule(ptx::ModKind::To, "to"),
    enumRule<ShflModeAttr, ShflMode>(ptx::ModKind::ShflMode, "mode"),
    enumRule<VoteModeAttr, VoteMode>(ptx::ModKind::VoteMode, "mode"),
    enumRule<MatchModeAttr, MatchMode>(ptx::ModKind::MatchMode, "mode"),
    enumRule<AtomKindAttr, AtomKind>(ptx::ModKind::ReduxOp, "kind"),
};

} // namespace

ArrayRef<ModifierRule> ptxir::getModifierRules() { return Rules; }

StringRef ptxir::spellSpace(Space S) {
  switch (S) {
  case Space::Generic:
    return {};
  case Space::Shared_cluster:
    return "shared::cluster";
  case Space::Param_entry:
  case Space::Param_func:
    return "param";
  default:
    return stringifyEnum(S);
  }
}
