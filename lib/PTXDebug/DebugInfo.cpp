//===- DebugInfo.cpp - The debug sections of a PTX module -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Assembles the sections, and finds the entries of functions.
//
//===----------------------------------------------------------------------===//

#include "heddle/PTXDebug/DebugInfo.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"

using namespace llvm;

namespace heddle::ptx {

/// Symbol N has the address (N + 1) << SymbolShift; no text is as long.
static constexpr unsigned SymbolShift = 32;

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

void DebugInfo::addSymbol(StringRef Name) {
  Symbols.push_back(Name);
  Addresses.try_emplace(Name, uint64_t(Symbols.size()) << SymbolShift);
}

void DebugInfo::addLabels(const Function &F,
                          ArrayRef<const Statement *> Statements) {
  for (const Statement *S : Statements) {
    if (const auto *Block = dyn_cast<BlockStatement>(S))
      addLabels(F, Block->Body);
    else if (const auto *Label = dyn_cast<LabelStatement>(S))
      Addresses.try_emplace(Label->Label->getName(), addressOf(S->getLoc()));
    else if (const auto *Declared = dyn_cast<VariableStatement>(S))
      if (const auto *Var = dyn_cast<Variable>(Declared->D))
        addSymbol(Var->getName());
  }
}

void DebugInfo::assignAddresses() {
  for (const Variable *Var : M.Globals)
    addSymbol(Var->getName());
  for (const Function *F : M.Functions) {
    Addresses.try_emplace(F->getName(), addressOf(F->getLoc()));
    for (auto List : {F->Returns, F->Params})
      for (Parameter P : List)
        addSymbol(P->getName());
    addLabels(*F, F->Body);
  }
}

uint64_t DebugInfo::addressOf(unsigned Line, unsigned Column) const {
  if (Line == 0 || Line > LineStarts.size())
    return 0;
  return uint64_t(LineStarts[Line - 1]) + (Column ? Column - 1 : 0);
}

//===----------------------------------------------------------------------===//
// Sections
//===----------------------------------------------------------------------===//

static uint64_t sizeOf(const SectionItem &Item) {
  switch (Item.K) {
  case SectionItem::Kind::Label:
    return 0;
  case SectionItem::Kind::String:
    return Item.Name.size();
  case SectionItem::Kind::Int:
  case SectionItem::Kind::Symbol:
    return Item.Width;
  }
  return 0;
}

/// A label of a section is its place in it.
void DebugInfo::placeLabels() {
  for (const Section *S : M.Sections) {
    uint64_t Place = 0;
    for (const SectionItem &Item : S->Items) {
      if (Item.K == SectionItem::Kind::Label)
        Addresses.try_emplace(Item.Name, Place);
      Place += sizeOf(Item);
    }
  }
}

/// The sections themselves are at 0, as is what there is not.
uint64_t DebugInfo::valueOf(StringRef Name) const {
  return Addresses.lookup(Name);
}

void DebugInfo::assemble() {
  StringMap<std::string> Contents;
  for (const Section *S : M.Sections) {
    std::string &Bytes = Contents[S->Name.ltrim('.')];
    for (const SectionItem &Item : S->Items) {
      if (Item.K == SectionItem::Kind::Label)
        continue;
      if (Item.K == SectionItem::Kind::String) {
        Bytes += Item.Name;
        continue;
      }
      uint64_t Value = Item.Value;
      if (Item.K == SectionItem::Kind::Symbol) {
        Value += valueOf(Item.Name);
        if (!Item.Minus.empty())
          Value -= valueOf(Item.Minus);
      }
      for (unsigned N = 0; N != Item.Width; ++N)
        Bytes.push_back(char(Value >> (8 * N)));
    }
  }
  for (const auto &Entry : Contents)
    Sections[Entry.getKey()] =
        MemoryBuffer::getMemBufferCopy(Entry.getValue(), Entry.getKey());
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

std::vector<DebugRange> DebugInfo::rangesOf(const DWARFDie &Die) const {
  std::vector<DebugRange> Result;
  Expected<DWARFAddressRangesVector> Ranges = Die.getAddressRanges();
  if (!Ranges) {
    consumeError(Ranges.takeError());
    return Result;
  }
  for (const DWARFAddressRange &R : *Ranges)
    if (R.LowPC < R.HighPC)
      Result.push_back({R.LowPC, R.HighPC});
  return Result;
}

/// A function's entry begins at a label in the function's text.
void DebugInfo::findSubprograms() {
  std::vector<std::pair<uint64_t, const Function *>> Starts;
  for (const Function *F : M.Functions)
    if (F->isDefinition() && !F->Body.empty())
      Starts.push_back({addressOf(F->Body.front()->getLoc()), F});
  llvm::sort(Starts);
  for (const auto &Unit : Context->compile_units())
    for (const DWARFDebugInfoEntry &Entry : Unit->dies()) {
      DWARFDie Die(Unit.get(), &Entry);
      if (Die.getTag() != dwarf::DW_TAG_subprogram)
        continue;
      std::vector<DebugRange> Ranges = rangesOf(Die);
      if (Ranges.empty())
        continue;
      auto After = llvm::upper_bound(
          Starts, Ranges.front().Begin,
          [](uint64_t Address, const auto &S) { return Address < S.first; });
      if (After != Starts.begin())
        Subprograms.try_emplace(std::prev(After)->second->getName(), Die);
    }
}

DWARFDie DebugInfo::subprogramOf(StringRef Function) const {
  return Subprograms.lookup(Function);
}

std::string DebugInfo::stringAt(StringRef Label, int64_t Offset) const {
  auto Section = Sections.find("debug_str");
  if (Label.empty() || Section == Sections.end())
    return {};
  StringRef Bytes = Section->second->getBuffer();
  uint64_t Place = valueOf(Label) + Offset;
  if (Place >= Bytes.size())
    return {};
  return Bytes.drop_front(Place).take_until([](char C) { return !C; }).str();
}

std::unique_ptr<DebugInfo> DebugInfo::create(const Module &M, StringRef Text) {
  bool HasEntries = any_of(
      M.Sections, [](const Section *S) { return S->Name == ".debug_info"; });
  if (!HasEntries)
    return nullptr;
  std::unique_ptr<DebugInfo> Info(new DebugInfo(M));
  Info->LineStarts.push_back(0);
  for (size_t At = Text.find('\n'); At != StringRef::npos;
       At = Text.find('\n', At + 1))
    Info->LineStarts.push_back(At + 1);
  Info->placeLabels();
  Info->assignAddresses();
  Info->assemble();
  // What can be read in spite of a fault is of use: it is only information.
  auto Ignore = [](Error Err) { consumeError(std::move(Err)); };
  Info->Context = DWARFContext::create(Info->Sections, M.AddressSize / 8,
                                       /*isLittleEndian=*/true, Ignore, Ignore);
  Info->findSubprograms();
  return Info;
}

} // namespace heddle::ptx
