//===- Tables.cpp - The PTX instruction table -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Look-ups in the generated tables. All of them are sorted constant arrays, so
// nothing is set up when a process starts.
//
//===----------------------------------------------------------------------===//

#include "heddle/PTX/Tables.h"
#include "heddle/Support/CUDAVersion.h"
#include "heddle/Support/Check.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::ptx {

namespace {

struct TypeRecord {
  StringLiteral Spelling;
  uint16_t Width;
  TypeClass Class;
  bool Constants;
};

struct ModifierRecord {
  StringLiteral Spelling;
  uint8_t MinVersion;
  uint16_t MinSm;
  uint16_t Number;
  uint16_t FirstTarget;
  uint16_t NumTargets;
};

/// The rows of a first part of a mnemonic go from FirstRow to that of the next
/// record.
struct HeadRecord {
  StringLiteral Name;
  uint16_t FirstRow;
};

#define GET_PTX_TABLES
#include "heddle/PTX/PTXTables.inc"

const ModifierRecord &getModifier(ModKind Kind, unsigned Value) {
  ArrayRef<ModifierRecord> Records = ModifierTable[unsigned(Kind)];
  HEDDLE_CHECK(Value != 0 && Value <= Records.size(), "no such modifier value");
  return Records[Value - 1];
}

} // namespace

//===----------------------------------------------------------------------===//
// Targets
//===----------------------------------------------------------------------===//

/// What sm_100 is to sm_103. sm_101 is the old name of sm_110.
static unsigned getFamily(unsigned Sm) { return Sm == 101 ? 11 : Sm / 10; }

bool Target::meets(Target Need) const {
  switch (Need.Suffix) {
  case 'a':
    return *this == Need;
  case 'f':
    return Suffix != 0 && getFamily(Sm) == getFamily(Need.Sm) && Sm >= Need.Sm;
  default:
    return Sm >= Need.Sm;
  }
}

std::string Target::str() const {
  std::string Text = "sm_" + std::to_string(Sm);
  if (Suffix)
    Text += Suffix;
  return Text;
}

ArrayRef<KnownTarget> getKnownTargets() { return KnownTargetTable; }

bool parseTarget(StringRef Text, Target &Result) {
  unsigned Sm;
  if (!Text.consume_front("sm_") || Text.consumeInteger(10, Sm) || Sm > 999)
    return false;
  if (Text.size() > 1 || (!Text.empty() && Text != "a" && Text != "f"))
    return false;
  Result.Sm = Sm;
  Result.Suffix = Text.empty() ? 0 : Text[0];
  return true;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

StringRef TableText::get() const {
  return StringRef(Texts, sizeof(Texts) - 1).substr(Offset, Length);
}

ArrayRef<int64_t> OperandSpec::getAllowedValues() const {
  return ArrayRef(ValueTable).slice(FirstValue, NumValues);
}

ArrayRef<FormElement> FormRow::getElements() const {
  return ArrayRef(ElementTable).slice(FirstElement, NumElements);
}

ArrayRef<OperandSpec> FormRow::getOperands() const {
  return ArrayRef(OperandTable).slice(FirstOperand, NumOperands);
}

ArrayRef<Target> FormRow::getTargets() const {
  return ArrayRef(TargetTable).slice(FirstTarget, NumTargets);
}

ArrayRef<FormChoice> getChoices(const FormElement &E) {
  return ArrayRef(ChoiceTable).slice(E.FirstChoice, E.NumChoices);
}

ArrayRef<FormRow> findForms(StringRef Head) {
  ArrayRef<HeadRecord> Heads = ArrayRef(HeadTable).drop_back();
  const HeadRecord *It = lower_bound(
      Heads, Head, [](const HeadRecord &H, StringRef N) { return H.Name < N; });
  if (It == Heads.end() || It->Name != Head)
    return {};
  return ArrayRef(FormTable).slice(It->FirstRow, It[1].FirstRow - It->FirstRow);
}

ArrayRef<FormRow> getAllForms() { return FormTable; }

SmallVector<StringRef> getAllHeads() {
  SmallVector<StringRef> Names;
  for (const HeadRecord &H : ArrayRef(HeadTable).drop_back())
    Names.push_back(H.Name);
  return Names;
}

//===----------------------------------------------------------------------===//
// Spellings
//===----------------------------------------------------------------------===//

int findSpelling(StringRef Text) {
  const StringLiteral *It = lower_bound(Spellings, Text);
  if (It == std::end(Spellings) || *It != Text)
    return -1;
  return It - std::begin(Spellings);
}

StringRef getSpelling(unsigned Index) { return Spellings[Index]; }
ArrayRef<StringLiteral> getAllSpellings() { return Spellings; }

StringRef getOpcodeName(Opcode Op) { return OpcodeNames[unsigned(Op)]; }
StringRef getTypeName(Type Ty) { return TypeTable[unsigned(Ty)].Spelling; }
unsigned getTypeBits(Type Ty) { return TypeTable[unsigned(Ty)].Width; }
TypeClass getTypeClass(Type Ty) { return TypeTable[unsigned(Ty)].Class; }

bool hasConstants(Type Ty) { return TypeTable[unsigned(Ty)].Constants; }

bool findType(StringRef Text, Type &Result) {
  for (auto [I, T] : enumerate(ArrayRef(TypeTable).take_front(NumTypes)))
    if (T.Spelling == Text) {
      Result = Type(I);
      return true;
    }
  return false;
}

StringRef getModifierName(ModKind Kind, unsigned Value) {
  return getModifier(Kind, Value).Spelling;
}

unsigned findModifierValue(ModKind Kind, StringRef Spelling) {
  for (auto [I, R] : enumerate(ModifierTable[unsigned(Kind)]))
    if (R.Spelling == Spelling)
      return I + 1;
  return 0;
}

unsigned getModifierMinVersion(ModKind Kind, unsigned Value) {
  return getModifier(Kind, Value).MinVersion;
}

unsigned getModifierMinSm(ModKind Kind, unsigned Value) {
  return getModifier(Kind, Value).MinSm;
}

ArrayRef<Target> getModifierTargets(ModKind Kind, unsigned Value) {
  const ModifierRecord &R = getModifier(Kind, Value);
  return ArrayRef(TargetTable).slice(R.FirstTarget, R.NumTargets);
}

bool isOverlooked(ModKind Kind) { return Overlooked[unsigned(Kind)]; }

unsigned getModifierNumber(ModKind Kind, unsigned Value) {
  return getModifier(Kind, Value).Number;
}

//===----------------------------------------------------------------------===//
// Special registers
//===----------------------------------------------------------------------===//

const SpecialRegInfo &getSpecialRegInfo(SpecialReg R) {
  return SpecialRegTable[unsigned(R)];
}

ArrayRef<SpecialRegInfo> getAllSpecialRegs() { return SpecialRegTable; }

bool findSpecialReg(StringRef Name, SpecialReg &Result) {
  const uint8_t *It =
      lower_bound(SpecialRegsByName, Name, [](uint8_t I, StringRef N) {
        return SpecialRegTable[I].Name < N;
      });
  if (It == std::end(SpecialRegsByName) || SpecialRegTable[*It].Name != Name)
    return false;
  Result = SpecialReg(*It);
  return true;
}

ArrayRef<VersionRange> getKnownVersions() {
  static constexpr VersionRange Versions[] = {
      {1, 5}, {2, 3}, {3, 2},
      {4, 3}, {5, 0}, {6, 5},
      {7, 8}, {8, 8}, {PTXMajor, PTXMinor}};
  return Versions;
}

} // namespace heddle::ptx
