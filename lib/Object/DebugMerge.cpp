//===- DebugMerge.cpp - Debug information of several objects ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sections of one name become one. What refers into a section is moved with it;
// what refers to code that was left out gets an address that readers of DWARF
// know to be none.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/DebugMerge.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/Endian.h"

using namespace llvm;

namespace heddle {

namespace {

constexpr uint8_t AddressBytes = 8;
/// In lists of ranges the highest address is a mark of its own, so that there
/// a range of code that was left out is an empty one at this address. Zero
/// would end the list.
constexpr uint64_t EmptyRange = 1;

/// Whether \p Offset is that of an address in a list of pairs, in which a pair
/// may also state what the following ones are relative to.
bool isInPair(StringRef SectionName, ArrayRef<uint8_t> Contents,
              uint64_t Offset) {
  if (SectionName != ".debug_ranges" && SectionName != ".debug_loc")
    return false;
  bool IsBase = Offset >= AddressBytes &&
                all_of(Contents.slice(Offset - AddressBytes, AddressBytes),
                       [](uint8_t Byte) { return Byte == UINT8_MAX; });
  return !IsBase;
}

} // namespace

DebugMerger::Place DebugMerger::append(const Section &S) {
  std::unique_ptr<Merged> &To = Sections[S.Name];
  if (!To) {
    To = std::make_unique<Merged>();
    To->Description = S;
    To->Symbol.Name = S.Name;
    To->Symbol.Type = Symbol::TypeKind::Section;
  }
  Place P{To.get(), To->Contents.size()};
  append_range(To->Contents, S.Contents);
  return P;
}

void DebugMerger::relocate(const ObjectFile &Part, const Relocation &R, Place P,
                           ArrayRef<Place> Places, SymbolMap SymbolOf) {
  const Symbol &S = Part.symbols()[R.Symbol];
  OutputRelocation New{R.Type, P.Offset + R.Offset, R.Addend, nullptr};
  if (const Place *Into = S.Section ? &Places[*S.Section] : nullptr;
      Into && Into->To) {
    New.Symbol = &Into->To->Symbol;
    New.Addend += Into->Offset + S.Value;
  } else {
    New.Symbol = SymbolOf(R.Symbol);
  }
  if (New.Symbol) {
    P.To->Relocations.push_back(New);
    return;
  }
  if (R.Type != RelocationType::R_HEDDLE_DATA64)
    return;
  uint64_t None = isInPair(P.To->Description.Name, P.To->Contents, New.Offset)
                      ? EmptyRange
                      : dwarf::computeTombstoneAddress(AddressBytes);
  support::endian::write64le(&P.To->Contents[New.Offset], None);
}

void DebugMerger::add(const ObjectFile &Part, SymbolMap SymbolOf) {
  std::vector<Place> Places(Part.sections().size());
  for (auto [I, S] : enumerate(Part.sections()))
    if (S.Kind == LoadKind::Debug)
      Places[I] = append(S);
  for (auto [I, P] : enumerate(Places))
    if (P.To)
      for (const Relocation &R : Part.relocations(I))
        relocate(Part, R, P, Places, SymbolOf);
}

/// Symbols get their places in the output only here, since it may be put into
/// another order before.
void DebugMerger::addTo(OutputObject &Output) {
  DenseMap<const OutputSymbol *, OutputSymbol *> Symbols;
  for (auto &[Name, M] : Sections) {
    M->Description.Contents = M->Contents;
    M->Description.Size = M->Contents.size();
    M->Symbol.Section = Output.Sections.size();
    Output.Symbols.push_back(M->Symbol);
    Symbols[&M->Symbol] = &Output.Symbols.back();
    Output.Sections.push_back({&M->Description, {}});
  }
  for (auto &[Name, M] : Sections)
    for (OutputRelocation &R : M->Relocations) {
      if (auto Own = Symbols.find(R.Symbol); Own != Symbols.end())
        R.Symbol = Own->second;
      Output.Sections[M->Symbol.Section].Relocations.push_back(R);
    }
}

} // namespace heddle
