//===- Forms.cpp - Mnemonics and the rows they come from --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks the elements of rows in their order. Reading text, where modifiers may
// stand in any order, is the work of Mnemonic.cpp.
//
//===----------------------------------------------------------------------===//

#include "heddle/PTX/Forms.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::ptx {

SmallVector<const FormRow *> findFormsOf(StringRef Opcode) {
  SmallVector<const FormRow *> Rows;
  for (const FormRow &Row : findForms(Opcode.split('.').first))
    if (getOpcodeName(Row.Op) == Opcode)
      Rows.push_back(&Row);
  return Rows;
}

/// Whether an element belongs to the opcode itself, as `warp` in bar.warp.sync.
static bool isOpcodePart(const FormElement &E) {
  return !E.IsType && getChoices(E).front().Kind == NoModKind;
}

bool spellParts(const FormRow &Row, const Mnemonic &Mn, MnemonicParts &Parts) {
  Parts.clear();
  unsigned NextType = 0;
  std::array<uint8_t, NumModKinds> Left = Mn.Mods;
  for (const FormElement &E : Row.getElements()) {
    if (isOpcodePart(E))
      continue;
    ArrayRef<FormChoice> Choices = getChoices(E);
    const FormChoice *Taken;
    if (E.IsType) {
      if (NextType == Mn.NumTypes)
        return false;
      Type Ty = Mn.Types[NextType++];
      Taken = find_if(Choices,
                      [&](const FormChoice &C) { return Type(C.Value) == Ty; });
    } else {
      Taken = find_if(Choices, [&](const FormChoice &C) {
        return C.Kind != NoModKind && Left[C.Kind] == C.Value;
      });
    }
    if (Taken == Choices.end()) {
      if (!E.Optional)
        return false;
      continue;
    }
    if (!E.IsType)
      Left[Taken->Kind] = 0;
    Parts.push_back(getSpelling(Taken->Spelling));
  }
  return NextType == Mn.NumTypes &&
         all_of(Left, [](uint8_t Value) { return Value == 0; });
}

std::string spellMnemonic(const Mnemonic &Mn, ArrayRef<StringRef> Parts) {
  StringRef First;
  for (const FormElement &E : Mn.Form->getElements()) {
    if (E.Position != 0 || isOpcodePart(E))
      continue;
    uint8_t Kind = getChoices(E).front().Kind;
    if (Mn.Mods[Kind])
      First = getModifierName(ModKind(Kind), Mn.Mods[Kind]);
  }
  auto [Head, Later] = getOpcodeName(Mn.Op).split('.');
  std::string Text = Head.str();
  if (!First.empty())
    Text += ("." + First).str();
  if (!Later.empty())
    Text += ("." + Later).str();
  for (StringRef Part : Parts) {
    if (!First.empty() && Part == First)
      First = {};
    else
      Text += ("." + Part).str();
  }
  return Text;
}

/// Takes \p Parts from element \p E of the row on; \p Mn gathers what they say.
static bool matchFrom(ArrayRef<FormElement> Elements, ArrayRef<StringRef> Parts,
                      Mnemonic &Mn) {
  if (Elements.empty())
    return Parts.empty();
  const FormElement &E = Elements.front();
  ArrayRef<FormElement> Rest = Elements.drop_front();
  if (isOpcodePart(E))
    return matchFrom(Rest, Parts, Mn);
  if (!Parts.empty())
    for (const FormChoice &C : getChoices(E)) {
      if (getSpelling(C.Spelling) != Parts.front())
        continue;
      Mnemonic Before = Mn;
      if (E.IsType)
        Mn.Types[Mn.NumTypes++] = Type(C.Value);
      else
        Mn.Mods[C.Kind] = C.Value;
      if (matchFrom(Rest, Parts.drop_front(), Mn))
        return true;
      Mn = Before;
    }
  return E.Optional && matchFrom(Rest, Parts, Mn);
}

SmallVector<Mnemonic, 2> findMnemonics(StringRef Opcode,
                                       ArrayRef<StringRef> Parts) {
  SmallVector<Mnemonic, 2> Found;
  for (const FormRow *Row : findFormsOf(Opcode)) {
    Mnemonic Mn;
    Mn.Op = Row->Op;
    Mn.Form = Row;
    if (matchFrom(Row->getElements(), Parts, Mn))
      Found.push_back(Mn);
  }
  return Found;
}

std::optional<Type> getOperandType(const Mnemonic &Mn,
                                   const OperandSpec &Spec) {
  switch (Spec.Rule) {
  case OperandTypeRule::Fixed:
    return Type(Spec.Value);
  case OperandTypeRule::Suffix:
    return Mn.Types[Spec.Value];
  case OperandTypeRule::Wide: {
    // u16 and s16 become u32 and s32, these u64 and s64.
    bool Signed = getTypeClass(Mn.Types[Spec.Value]) == TypeClass::SInt;
    if (getTypeBits(Mn.Types[Spec.Value]) == 16)
      return Signed ? Type::S32 : Type::U32;
    return Signed ? Type::S64 : Type::U64;
  }
  case OperandTypeRule::Any:
  case OperandTypeRule::Sink:
    return std::nullopt;
  }
  return std::nullopt;
}

StateSpace getAddressSpace(const Mnemonic &Mn, const OperandSpec &Spec) {
  if (Spec.SpaceKind == uint8_t(ModKind::StateSpace))
    return StateSpace(Mn.Mods[Spec.SpaceKind]);
  if (Spec.SpaceKind == uint8_t(ModKind::SourceSpace))
    return StateSpace::Global;
  return StateSpace(Spec.Value);
}

bool readsDestination(const FormRow &Form, const OperandSpec &Spec) {
  return Spec.Role == OperandRole::Dest &&
         getOpcodeName(Form.Op).starts_with("wgmma.mma_async");
}

unsigned getVectorWidth(const Mnemonic &Mn, const OperandSpec &Spec) {
  if (Spec.WidthKind != NoModKind)
    return divideCeil(getModifierNumber(ModKind(Spec.WidthKind),
                                        Mn.Mods[Spec.WidthKind]) *
                          Spec.WidthTimes,
                      Spec.WidthOver) -
           Spec.WidthLess;
  // v2, v4 and v8 are the values 1, 2 and 3.
  unsigned Log = Spec.VecModifier ? Mn.Mods[unsigned(ModKind::Vec)] : 0;
  return Log == 0 ? Spec.VectorWidth : 1u << Log;
}

bool isMetBy(ArrayRef<Target> Alternatives, Target GPU) {
  return Alternatives.empty() ||
         any_of(Alternatives, [&](Target Need) { return GPU.meets(Need); });
}

bool isGone(const FormRow &Form, unsigned Version, Target GPU) {
  return Form.GoneSm != 0 && GPU.Sm >= Form.GoneSm &&
         Version >= Form.GoneVersion;
}

bool isAvailable(const Mnemonic &Mn, unsigned Version, Target GPU) {
  const FormRow &Form = *Mn.Form;
  if (Form.MinVersion > Version || isGone(Form, Version, GPU))
    return false;
  for (unsigned K = 0; K != NumModKinds; ++K)
    if (Mn.Mods[K] &&
        (getModifierMinVersion(ModKind(K), Mn.Mods[K]) > Version ||
         getModifierMinSm(ModKind(K), Mn.Mods[K]) > GPU.Sm ||
         !isMetBy(getModifierTargets(ModKind(K), Mn.Mods[K]), GPU)))
      return false;
  return isMetBy(Form.getTargets(), GPU);
}

} // namespace heddle::ptx
