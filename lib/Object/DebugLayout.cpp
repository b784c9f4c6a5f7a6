//===- DebugLayout.cpp - Addresses in debug information ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out the code, relocates the debug sections, and writes everything again.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/DebugLayout.h"

#include "heddle/Object/ObjectWriter.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace heddle;
using namespace llvm;

namespace {

class DebugLayout {
public:
  explicit DebugLayout(const ObjectFile &Object) : Object(Object) {}

  Expected<std::string> run();

private:
  void layOutCode();
  Error addSections();
  Error relocate(uint32_t Index);
  void addSymbols();
  void addRelocations();

  const ObjectFile &Object;
  std::vector<uint64_t> Addresses; ///< By section; 0 for what is no code.
  std::deque<Section> Sections;    ///< As they are written.
  std::deque<std::vector<uint8_t>> Contents; ///< Of debug sections.
  std::vector<uint32_t> Places;              ///< By section; 0: not written.
  std::vector<OutputSymbol *> Symbols;
  OutputObject Output;
};

} // namespace

void DebugLayout::layOutCode() {
  uint64_t Next = 0;
  for (const Section &S : Object.sections()) {
    bool IsCode = S.Kind == LoadKind::Text;
    if (IsCode)
      Next = alignTo(Next, S.Align);
    Addresses.push_back(IsCode ? Next : 0);
    if (IsCode)
      Next += S.Size;
  }
}

/// Gives the last section of the result its contents.
Error DebugLayout::relocate(uint32_t Index) {
  Contents.push_back(Sections.back().Contents.vec());
  Sections.back().Contents = Contents.back();
  return Object.relocate(Index, Addresses, Contents.back(),
                         [](const Symbol &, const Relocation &) {
                           return std::optional<uint64_t>(0);
                         });
}

/// Whether the writer makes a section of this kind itself.
static bool isMadeAnew(const Section &S) {
  return S.Type == ELF::SHT_SYMTAB || S.Type == ELF::SHT_STRTAB ||
         S.Type == ELF::SHT_RELA || S.Type == DebugRelocationsType ||
         S.Name == NoteSectionName;
}

Error DebugLayout::addSections() {
  Places.resize(Object.sections().size());
  for (uint32_t I = 1; I != Object.sections().size(); ++I) {
    const Section &S = Object.sections()[I];
    if (isMadeAnew(S))
      continue;
    Places[I] = Output.Sections.size();
    Sections.push_back(S);
    Sections.back().Address = Addresses[I];
    if (S.Kind == LoadKind::Debug)
      if (Error E = relocate(I))
        return E;
    Output.Sections.push_back({&Sections.back(), {}});
  }
  return Error::success();
}

void DebugLayout::addSymbols() {
  Symbols.resize(Object.symbols().size());
  for (uint32_t I = 1; I < Object.symbols().size(); ++I) {
    const Symbol &S = Object.symbols()[I];
    uint32_t Place = S.Section ? Places[*S.Section] : 0;
    if (S.Section && !Place)
      continue;
    Output.Symbols.push_back(
        {S.Name, S.Binding, S.Type, Place, S.IsAbsolute, S.Value, S.Size});
    Symbols[I] = &Output.Symbols.back();
  }
}

void DebugLayout::addRelocations() {
  for (uint32_t I = 1; I != Object.sections().size(); ++I)
    if (Places[I] && (Object.sections()[I].Kind != LoadKind::Debug ||
                      Object.metadata().Link))
      for (const Relocation &R : Object.relocations(I))
        Output.Sections[Places[I]].Relocations.push_back(
            {R.Type, R.Offset, R.Addend, Symbols[R.Symbol]});
}

Expected<std::string> DebugLayout::run() {
  layOutCode();
  if (Error E = addSections())
    return std::move(E);
  addSymbols();
  addRelocations();
  return writeObject(Output, Object.metadata());
}

Expected<std::string> heddle::layOutDebugInfo(const ObjectFile &Object) {
  return DebugLayout(Object).run();
}

Expected<std::string> heddle::layOutDebugInfo(ArrayRef<uint8_t> Object) {
  Expected<ObjectFile> Read = ObjectFile::create(Object);
  return Read ? layOutDebugInfo(*Read) : Read.takeError();
}
