//===- SymbolTable.cpp - Names in scopes ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names in nested scopes. There is one map for all scopes; a log of what was
// overwritten restores the outer meaning at the end of a scope.
//
//===----------------------------------------------------------------------===//

#include "SymbolTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::ptx {

/// Splits `%r57` into `%r` and 57. False when the name does not end in a
/// decimal number without leading zeros.
static bool splitIndex(StringRef Name, StringRef &Prefix, uint32_t &Index) {
  size_t First = Name.size();
  while (First != 0 && isDigit(Name[First - 1]))
    --First;
  StringRef Digits = Name.drop_front(First);
  if (First == 0 || Digits.empty() || Digits.size() > 9 ||
      (Digits[0] == '0' && Digits.size() > 1))
    return false;
  Prefix = Name.take_front(First);
  Index = 0;
  for (char C : Digits)
    Index = Index * 10 + (C - '0');
  return true;
}

static bool isIndexed(StringRef Name) {
  return Name.starts_with("%") && isDigit(Name.back());
}

const SymbolTable::Entry *SymbolTable::findEntry(StringRef Prefix) const {
  Recent &R =
      RecentRanges[(Prefix.size() * 4 + Prefix.back()) % RecentRanges.size()];
  if (R.Prefix == Prefix)
    return R.E;
  auto It = Ranges.find(Prefix);
  R = {Prefix, It == Ranges.end() ? nullptr : &It->second};
  return R.E;
}

void SymbolTable::leaveScope() {
  size_t Mark = Marks.pop_back_val();
  RecentRanges = {};
  while (Log.size() != Mark) {
    Undo U = Log.pop_back_val();
    (U.Range ? Ranges : Names)[U.Name] = U.Old;
    if (!U.Range && isIndexed(U.Name))
      --NumIndexed;
  }
}

Decl *SymbolTable::declare(Decl *D) {
  StringRef Name = D->getName();
  unsigned Depth = getDepth();
  auto *R = dyn_cast<RegisterDecl>(D);
  bool IsRange = R && R->isRange();
  if (IsRange)
    RecentRanges = {};
  Entry &E = (IsRange ? Ranges : Names)[Name];
  if (E.D && E.Depth == Depth)
    return E.D;
  if (!IsRange) {
    Symbol S = lookup(Name);
    if (S.D && S.Depth == Depth)
      return S.D;
    NumIndexed += isIndexed(Name);
  }
  // Names of the module are never taken back.
  if (Depth != 0)
    Log.push_back({IsRange, Name, E});
  E = {D, Depth};
  return nullptr;
}

void SymbolTable::declareGlobal(Decl *D) {
  Entry &E = Names[D->getName()];
  if (!E.D) {
    E = {D, 0};
    return;
  }
  // An inner scope uses the name: what it will restore is the new meaning.
  for (Undo &U : Log)
    if (!U.Range && U.Name == D->getName()) {
      U.Old = {D, 0};
      return;
    }
}

SymbolTable::Symbol SymbolTable::lookup(StringRef Name) const {
  Symbol Found;
  StringRef Prefix;
  uint32_t Index;
  if (splitIndex(Name, Prefix, Index)) {
    const Entry *E = findEntry(Prefix);
    if (E && E->D && Index < cast<RegisterDecl>(E->D)->getCount()) {
      Found = {E->D, Index, E->Depth};
      if (NumIndexed == 0 && Name[0] == '%')
        return Found;
    }
  }
  auto It = Names.find(Name);
  if (It != Names.end() && It->second.D &&
      (!Found.D || It->second.Depth > Found.Depth))
    Found = {It->second.D, 0, It->second.Depth};
  return Found;
}

const RegisterDecl *SymbolTable::findRange(StringRef Name) const {
  StringRef Prefix;
  uint32_t Index;
  if (!splitIndex(Name, Prefix, Index))
    return nullptr;
  return cast_or_null<RegisterDecl>(Ranges.lookup(Prefix).D);
}

Decl *SymbolTable::findMeaning(const Decl *D) const {
  auto *R = dyn_cast<RegisterDecl>(D);
  return R && R->isRange() ? Ranges.lookup(D->getName()).D
                           : lookup(D->getName()).D;
}

SmallVector<StringRef>
SymbolTable::getNames(function_ref<bool(const Decl *)> Matches) const {
  SmallVector<StringRef> Result;
  for (const auto &[Name, E] : Names)
    if (E.D && Matches(E.D))
      Result.push_back(Name);
  // The order of a hash table must not reach a message.
  llvm::sort(Result);
  return Result;
}

SmallVector<std::string> SymbolTable::getRegistersLike(StringRef Name) const {
  SmallVector<std::string> Result;
  StringRef Prefix;
  uint32_t Index;
  // Of `%x1` all that is known is the number.
  if (!splitIndex(Name, Prefix, Index) || Prefix.size() < 3)
    return Result;
  for (const auto &[Range, E] : Ranges)
    if (E.D && Index < cast<RegisterDecl>(E.D)->getCount())
      Result.push_back((Range + Twine(Index)).str());
  llvm::sort(Result);
  return Result;
}

} // namespace heddle::ptx
