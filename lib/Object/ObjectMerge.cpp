//===- ObjectMerge.cpp - Puts code objects together -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the parts with ObjectFile, and collects sections and symbols.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/ObjectMerge.h"

#include "heddle/Object/DebugLayout.h"
#include "heddle/Object/DebugMerge.h"
#include "heddle/Object/ObjectFile.h"
#include "heddle/Object/ObjectWriter.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include <deque>
#include <numeric>

using namespace llvm;

namespace heddle {

namespace {

Error mergeError(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(),
                           "cannot put parts of the module together: " +
                               Message);
}

class Merger {
public:
  explicit Merger(std::deque<ObjectFile> &Parts) : Parts(Parts) {}
  Error collect();
  /// Puts the functions into this order, what is not named there last.
  void order(ArrayRef<StringRef> Functions);
  Expected<ModuleMetadata> metadata(ArrayRef<StringRef> Functions) const;

  OutputObject Output;
  DebugMerger Debug;

private:
  /// Where sections and symbols of one part went; null: nowhere.
  struct Mapping {
    std::vector<uint32_t> Sections;
    std::vector<OutputSymbol *> Symbols;
  };

  void addSections(const ObjectFile &Part, Mapping &Map);
  std::optional<uint32_t> findSame(const ObjectFile &Part, uint32_t Section);
  Error addSymbols(const ObjectFile &Part, Mapping &Map);
  void addRelocations(const ObjectFile &Part, const Mapping &Map);
  void resolve(Mapping &Map);
  void collectDebugInfo(const ObjectFile &Part, const Mapping &Map);

  std::deque<ObjectFile> &Parts;
  std::vector<Mapping> Mappings;
  /// Sections of functions and tables by name: part and section index there,
  /// and here.
  struct Place {
    const ObjectFile *Part;
    uint32_t There, Here;
  };
  StringMap<std::vector<Place>> Shareable;
  StringMap<OutputSymbol *> Defined;
};

bool isLoaded(const Section &S) {
  return S.Kind != LoadKind::Other && S.Kind != LoadKind::Debug;
}

/// Whether two sections are the same: bytes, and relocations by name.
bool isSame(const ObjectFile &A, uint32_t InA, const ObjectFile &B,
            uint32_t InB) {
  if (A.sections()[InA].Contents != B.sections()[InB].Contents)
    return false;
  ArrayRef<Relocation> RA = A.relocations(InA), RB = B.relocations(InB);
  return RA.size() == RB.size() && all_of(zip(RA, RB), [&](auto Pair) {
           const auto &[X, Y] = Pair;
           const Symbol &SX = A.symbols()[X.Symbol],
                        &SY = B.symbols()[Y.Symbol];
           return X.Type == Y.Type && X.Offset == Y.Offset &&
                  X.Addend == Y.Addend && SX.Name == SY.Name &&
                  SX.Value == SY.Value &&
                  SX.Section.has_value() == SY.Section.has_value();
         });
}

/// A function or a table of the device library that is here already.
std::optional<uint32_t> Merger::findSame(const ObjectFile &Part,
                                         uint32_t Section) {
  for (const Place &P : Shareable[Part.sections()[Section].Name])
    if (isSame(*P.Part, P.There, Part, Section))
      return P.Here;
  return std::nullopt;
}

void Merger::addSections(const ObjectFile &Part, Mapping &Map) {
  Map.Sections.resize(Part.sections().size());
  for (uint32_t I = 0; I != Part.sections().size(); ++I) {
    const Section &S = Part.sections()[I];
    if (!isLoaded(S) || S.Size == 0)
      continue;
    // The first part has the variables, which have addresses of their own.
    bool IsTable = S.Kind == LoadKind::Global && !(S.Flags & ELF::SHF_WRITE) &&
                   &Part != &Parts.front();
    if (S.Kind == LoadKind::Text || IsTable) {
      if (std::optional<uint32_t> Same = findSame(Part, I)) {
        Map.Sections[I] = *Same;
        continue;
      }
      Shareable[S.Name].push_back(
          {&Part, I, static_cast<uint32_t>(Output.Sections.size())});
    }
    Map.Sections[I] = Output.Sections.size();
    Output.Sections.push_back({&S, {}});
  }
}

Error Merger::addSymbols(const ObjectFile &Part, Mapping &Map) {
  Map.Symbols.resize(Part.symbols().size());
  for (uint32_t I = 1; I < Part.symbols().size(); ++I) {
    const Symbol &S = Part.symbols()[I];
    uint32_t Section = S.Section ? Map.Sections[*S.Section] : 0;
    if (S.Type == Symbol::TypeKind::File || (S.Section && !Section))
      continue;
    bool IsNamed = S.Type != Symbol::TypeKind::Section && !S.isUndefined() &&
                   !S.Name.starts_with(".L");
    if (IsNamed) {
      OutputSymbol *&There = Defined[S.Name];
      if (There && There->Section == Section) {
        Map.Symbols[I] = There; // of a function that is there once
        continue;
      }
      if (There && S.Binding == Symbol::BindingKind::Global)
        return mergeError("two definitions of '" + S.Name + "'");
    }
    Output.Symbols.push_back(
        {S.Name, S.Binding, S.Type, Section, S.IsAbsolute, S.Value, S.Size});
    Map.Symbols[I] = &Output.Symbols.back();
    if (IsNamed && !Defined[S.Name])
      Defined[S.Name] = &Output.Symbols.back();
  }
  return Error::success();
}

/// An undefined symbol becomes the definition, or the first undefined one.
void Merger::resolve(Mapping &Map) {
  for (OutputSymbol *&S : Map.Symbols)
    if (S && !S->Section && !S->IsAbsolute) {
      OutputSymbol *&There = Defined[S->Name];
      if (!There)
        There = S;
      if (There != S)
        S->IsWritten = false;
      S = There;
    }
}

void Merger::addRelocations(const ObjectFile &Part, const Mapping &Map) {
  for (uint32_t I = 0; I != Part.sections().size(); ++I) {
    OutputSection &S = Output.Sections[Map.Sections[I]];
    if (!Map.Sections[I] || S.From != &Part.sections()[I])
      continue;
    for (const Relocation &R : Part.relocations(I))
      S.Relocations.push_back(
          {R.Type, R.Offset, R.Addend, Map.Symbols[R.Symbol]});
  }
}

/// A function that is here once has the debug information of the part that it
/// comes from.
void Merger::collectDebugInfo(const ObjectFile &Part, const Mapping &Map) {
  Debug.add(Part, [&](uint32_t Index) -> OutputSymbol * {
    std::optional<uint32_t> There = Part.symbols()[Index].Section;
    uint32_t Here = There ? Map.Sections[*There] : 0;
    bool IsFromHere =
        !There || Output.Sections[Here].From == &Part.sections()[*There];
    return IsFromHere ? Map.Symbols[Index] : nullptr;
  });
}

Error Merger::collect() {
  for (const ObjectFile &Part : Parts) {
    Mappings.emplace_back();
    addSections(Part, Mappings.back());
    if (Error E = addSymbols(Part, Mappings.back()))
      return E;
  }
  for (auto [Part, Map] : zip(Parts, Mappings)) {
    resolve(Map);
    addRelocations(Part, Map);
    collectDebugInfo(Part, Map);
  }
  return Error::success();
}

void Merger::order(ArrayRef<StringRef> Functions) {
  StringMap<size_t> Ranks;
  for (StringRef Name : Functions)
    Ranks.try_emplace((Twine(TextSectionPrefix) + "." + Name).str(),
                      Ranks.size() + 1);
  auto Rank = [&](uint32_t I) -> size_t {
    if (I == 0 || Output.Sections[I].From->Kind != LoadKind::Text)
      return 0;
    auto Found = Ranks.find(Output.Sections[I].From->Name);
    return Found == Ranks.end() ? Ranks.size() + 1 : Found->second;
  };
  std::vector<uint32_t> Order(Output.Sections.size());
  std::iota(Order.begin(), Order.end(), 0);
  sort(Order, [&](uint32_t A, uint32_t B) {
    return std::pair(Rank(A), A) < std::pair(Rank(B), B);
  });
  std::vector<uint32_t> Places(Output.Sections.size());
  std::vector<OutputSection> Ordered;
  for (uint32_t I : Order) {
    Places[I] = Ordered.size();
    Ordered.push_back(std::move(Output.Sections[I]));
  }
  Output.Sections = std::move(Ordered);
  for (OutputSymbol &S : Output.Symbols)
    S.Section = Places[S.Section];
}

Expected<ModuleMetadata> Merger::metadata(ArrayRef<StringRef> Functions) const {
  StringMap<const KernelMetadata *> Kernels;
  size_t Count = 0;
  for (const ObjectFile &Part : Parts)
    for (const Kernel &K : Part.kernels()) {
      Kernels[K.Metadata->Name] = K.Metadata;
      ++Count;
    }
  ModuleMetadata Result = Parts.front().metadata();
  Result.Kernels.clear();
  for (StringRef Name : Functions)
    if (const KernelMetadata *K = Kernels.lookup(Name))
      Result.Kernels.push_back(*K);
  if (Count != Result.Kernels.size())
    return mergeError("a kernel too many or too few");
  return Result;
}

} // namespace

Expected<std::string> mergeObjects(ArrayRef<ArrayRef<uint8_t>> Parts,
                                   ArrayRef<StringRef> Functions) {
  std::deque<ObjectFile> Objects;
  for (ArrayRef<uint8_t> Part : Parts) {
    Expected<ObjectFile> Object = ObjectFile::create(Part);
    if (!Object)
      return Object.takeError();
    Objects.push_back(std::move(*Object));
  }
  if (Objects.empty())
    return mergeError("there are none");
  Merger M(Objects);
  if (Error E = M.collect())
    return std::move(E);
  M.order(Functions);
  Expected<ModuleMetadata> Metadata = M.metadata(Functions);
  if (!Metadata)
    return Metadata.takeError();
  M.Debug.addTo(M.Output);
  Expected<std::string> Bytes = writeObject(M.Output, *Metadata);
  if (!Bytes || M.Debug.empty())
    return Bytes;
  return layOutDebugInfo(arrayRefFromStringRef(*Bytes));
}

} // namespace heddle
