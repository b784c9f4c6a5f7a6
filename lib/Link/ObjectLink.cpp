//===- ObjectLink.cpp - Links code objects ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is kept, where it goes, and what the metadata says of it. Functions and
// variables have sections of their own, so that a section is what is kept or
// left out.
//
//===----------------------------------------------------------------------===//

#include "heddle/Link/ObjectLink.h"

#include "KernelNeeds.h"
#include "ObjectResolver.h"
#include "Origin.h"
#include "SharedOwners.h"
#include "heddle/Object/DebugLayout.h"
#include "heddle/Object/DebugMerge.h"
#include "heddle/Object/ObjectWriter.h"

#include "heddle/ProfileData/ProfileData.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/ELF.h"

using namespace llvm;

namespace heddle {

using namespace link;

namespace {

class ObjectLinker {
public:
  ObjectLinker(const ObjectLinkOptions &Options, ObjectResolver &Resolver)
      : Options(Options), Resolver(Resolver) {}

  Expected<std::string> run();

private:
  Error checkNames() const;
  void keepRoots();
  void keep(SectionPlace P);
  void followRelocations();
  void checkUndefined();
  bool isUsed(const InputObject &O, uint32_t Section) const;
  void findOwners();
  void addSections();
  void addSymbols();
  void addRelocations();
  void addDebugInfo();
  OutputSymbol *symbolFor(SymbolPlace P);
  ModuleMetadata metadata();
  void checkKernelNames(const ModuleMetadata &Result);

  const ObjectLinkOptions &Options;
  ObjectResolver &Resolver;
  /// What is kept, and which section of the output it becomes.
  DenseMap<SectionPlace, uint32_t> Kept;
  std::vector<SectionPlace> Work;
  /// None in a partial link: further objects may name the variables.
  std::optional<SharedOwners> Owners;
  DenseMap<std::pair<const InputObject *, uint32_t>, OutputSymbol *> Symbols;
  OutputObject Output;
  DebugMerger Debug;
};

bool isListed(const UsedNames &Used, StringRef Name) {
  return !Used.IsGiven || is_contained(Used.Names, Name);
}

/// Names of options that nothing has are errors.
Error ObjectLinker::checkNames() const {
  StringSet<> Kernels, Variables;
  for (const InputObject *O : Resolver.taken()) {
    for (const Kernel &K : O->Object.kernels())
      Kernels.insert(K.Metadata->Name);
    for (const Symbol &S : O->Object.symbols())
      if (S.Section && S.Type == Symbol::TypeKind::Object)
        Variables.insert(S.Name);
  }
  for (const std::string &Name : Options.Kernels.Names)
    if (!Kernels.contains(Name))
      return createStringError("--kernels-used: no kernel '" + Name +
                               "' is defined");
  for (const std::string &Name : Options.Variables.Names)
    if (!Variables.contains(Name))
      return createStringError("--variables-used: no variable '" + Name +
                               "' is defined");
  return Error::success();
}

/// Whether the host may use what is in a section.
bool ObjectLinker::isUsed(const InputObject &O, uint32_t Section) const {
  const heddle::Section &S = O.Object.sections()[Section];
  bool IsTable = S.Kind == LoadKind::Global && !(S.Flags & ELF::SHF_WRITE);
  if ((S.Kind != LoadKind::Global && S.Kind != LoadKind::Constant) || IsTable)
    return false;
  // Others than the kept definition of a name are not the host's either.
  for (auto [Index, Sym] : enumerate(O.Object.symbols())) {
    if (Sym.Section != Section || Sym.Type != Symbol::TypeKind::Object ||
        !isListed(Options.Variables, Sym.Name))
      continue;
    SymbolPlace P{const_cast<InputObject *>(&O), uint32_t(Index)};
    SymbolPlace Definition = Resolver.resolve(P);
    if (Definition.Input == P.Input && Definition.Index == P.Index)
      return true;
  }
  return false;
}

/// What code counts is told of each object by a section of its own.
static bool isOfProfile(const Section &S) {
  return S.Name == pgo::ShapeSectionName || S.Name == pgo::ProbeSectionName;
}

void ObjectLinker::keep(SectionPlace P) {
  const Section &S = P.first->Object.sections()[P.second];
  if ((S.Kind == LoadKind::Other && !isOfProfile(S)) ||
      S.Kind == LoadKind::Debug)
    return;
  if (Kept.try_emplace(P, 0).second)
    Work.push_back(P);
}

void ObjectLinker::keepRoots() {
  for (const InputObject *O : Resolver.taken()) {
    for (const Kernel &K : O->Object.kernels()) {
      SymbolPlace P{const_cast<InputObject *>(O), K.Symbol};
      if (isListed(Options.Kernels, K.Metadata->Name) &&
          Resolver.resolve(P).Input == O)
        keep({O, K.Section});
    }
    for (uint32_t I = 1; I < O->Object.sections().size(); ++I)
      if (const Section &S = O->Object.sections()[I];
          isUsed(*O, I) || isOfProfile(S) || (Options.IsPartial && S.Size))
        keep({O, I});
  }
}

void ObjectLinker::followRelocations() {
  while (!Work.empty()) {
    auto [O, Index] = Work.back();
    Work.pop_back();
    for (const Relocation &R : O->Object.relocations(Index)) {
      SymbolPlace P =
          Resolver.resolve({const_cast<InputObject *>(O), R.Symbol});
      if (P.symbol().Section)
        keep({P.Input, *P.symbol().Section});
    }
  }
}

void ObjectLinker::checkUndefined() {
  StringSet<> Told;
  for (InputObject *O : Resolver.taken())
    for (uint32_t I = 0; I != O->Object.sections().size(); ++I) {
      if (!Kept.contains({O, I}))
        continue;
      for (const Relocation &R : O->Object.relocations(I)) {
        SymbolPlace P = Resolver.resolve({O, R.Symbol});
        const Symbol &S = P.symbol();
        // Dynamic shared memory is never defined, and a weak name may be none.
        bool IsOpen = R.Symbol == 0 ||
                      R.Type == RelocationType::R_HEDDLE_SHARED32 ||
                      S.Binding == Symbol::BindingKind::Weak;
        if (S.isUndefined() && !IsOpen && Told.insert(S.Name).second)
          Resolver.error(*O, "undefined reference to '" + S.Name + "'");
      }
    }
}

void ObjectLinker::findOwners() {
  if (!Options.IsPartial)
    Owners.emplace(Resolver, [&](SectionPlace P) { return Kept.contains(P); });
}

void ObjectLinker::addSections() {
  for (InputObject *O : Resolver.taken())
    for (uint32_t I = 1; I < O->Object.sections().size(); ++I)
      if (auto Found = Kept.find({O, I}); Found != Kept.end()) {
        Found->second = Output.Sections.size();
        Output.Sections.push_back(
            {Owners ? &Owners->sectionAt({O, I}) : &O->Object.sections()[I],
             {}});
      }
}

void ObjectLinker::addSymbols() {
  for (InputObject *O : Resolver.taken())
    for (uint32_t I = 1; I < O->Object.symbols().size(); ++I) {
      const Symbol &S = O->Object.symbols()[I];
      SymbolPlace P = Resolver.resolve({O, I});
      bool IsHere = P.Input == O && P.Index == I;
      uint32_t Section = S.Section ? Kept.lookup({O, *S.Section}) : 0;
      if (!IsHere || !Section || S.Type == Symbol::TypeKind::File)
        continue;
      Output.Symbols.push_back(
          {S.Name, S.Binding, S.Type, Section, S.IsAbsolute, S.Value, S.Size});
      Symbols[{O, I}] = &Output.Symbols.back();
    }
}

/// The symbol of the output; undefined ones are made where they are named.
OutputSymbol *ObjectLinker::symbolFor(SymbolPlace P) {
  P = Resolver.resolve(P);
  if (P.Index == 0)
    return nullptr;
  OutputSymbol *&S = Symbols[{P.Input, P.Index}];
  if (!S) {
    const Symbol &From = P.symbol();
    Output.Symbols.push_back({From.Name, From.Binding, From.Type, 0,
                              From.IsAbsolute, From.Value, From.Size});
    S = &Output.Symbols.back();
  }
  return S;
}

void ObjectLinker::addRelocations() {
  for (InputObject *O : Resolver.taken())
    for (uint32_t I = 1; I < O->Object.sections().size(); ++I)
      if (uint32_t Here = Kept.lookup({O, I}))
        for (const Relocation &R : O->Object.relocations(I))
          Output.Sections[Here].Relocations.push_back(
              {R.Type, R.Offset, R.Addend, symbolFor({O, R.Symbol})});
}

/// What is said of code that is left out is said of none.
void ObjectLinker::addDebugInfo() {
  if (Options.DropDebugInfo)
    return;
  for (InputObject *O : Resolver.taken())
    Debug.add(O->Object, [&](uint32_t Index) -> OutputSymbol * {
      const Symbol &S = O->Object.symbols()[Index];
      bool IsHere = !S.Section || Kept.lookup({O, *S.Section});
      return IsHere ? Symbols.lookup({O, Index}) : nullptr;
    });
  Debug.addTo(Output);
}

ModuleMetadata ObjectLinker::metadata() {
  ModuleMetadata Result = Resolver.taken().front()->Object.metadata();
  Result.Kernels.clear();
  Result.Link.reset();
  KernelNeeds Needs(Resolver, Options.Chip,
                    [&](SectionPlace P) { return Kept.contains(P); });
  if (Options.IsPartial)
    Result.Link.emplace();
  for (InputObject *O : Resolver.taken()) {
    const ModuleMetadata &M = O->Object.metadata();
    raiseOrigin(Result.PTXVersion, M.PTXVersion);
    raiseOrigin(Result.PTXTarget, M.PTXTarget);
    for (const Kernel &K : O->Object.kernels())
      if (Kept.contains({O, K.Section}))
        Result.Kernels.push_back(
            Options.IsPartial ? *K.Metadata : Needs.describe(*O, K, *Owners));
    if (!Options.IsPartial)
      continue;
    append_range(Result.Link->Functions, M.Link->Functions);
    append_range(Result.Link->Symbols, M.Link->Symbols);
  }
  checkKernelNames(Result);
  return Result;
}

/// A loader finds a kernel's code by the name of its section.
void ObjectLinker::checkKernelNames(const ModuleMetadata &Result) {
  StringSet<> Names;
  for (const KernelMetadata &K : Result.Kernels)
    Names.insert(K.Name);
  for (InputObject *O : Resolver.taken())
    for (const Symbol &S : O->Object.symbols())
      if (S.Binding == Symbol::BindingKind::Local && S.Section &&
          Kept.contains({O, *S.Section}) &&
          O->Object.sections()[*S.Section].Kind == LoadKind::Text &&
          S.Type == Symbol::TypeKind::Function && Names.contains(S.Name))
        Resolver.error(*O, "function '" + S.Name +
                               "' of this object alone has the name of a "
                               "kernel of another one");
}

Expected<std::string> ObjectLinker::run() {
  if (Error E = checkNames())
    return std::move(E);
  keepRoots();
  followRelocations();
  if (!Options.IsPartial)
    checkUndefined();
  findOwners();
  addSections();
  addSymbols();
  addRelocations();
  addDebugInfo();
  ModuleMetadata Metadata = metadata();
  if (Resolver.failed())
    return createStringError("linking aborted due to errors");
  Expected<std::string> Bytes = writeObject(Output, Metadata);
  if (!Bytes || Debug.empty())
    return Bytes;
  return layOutDebugInfo(arrayRefFromStringRef(*Bytes));
}

} // namespace

Expected<std::string> linkObjects(ArrayRef<ObjectToLink> Inputs,
                                  const ObjectLinkOptions &Options,
                                  LinkMessages &Messages) {
  ObjectResolver Resolver(Options, Messages);
  if (Error E = Resolver.read(Inputs))
    return std::move(E);
  if (Resolver.taken().empty())
    return createStringError("there is nothing to link but archives");
  return ObjectLinker(Options, Resolver).run();
}

Expected<ObjectNames> collectNames(ArrayRef<ObjectToLink> Inputs) {
  ObjectNames Names;
  for (const ObjectToLink &Input : Inputs) {
    Expected<ObjectFile> Object = ObjectFile::create(Input.Bytes);
    if (!Object)
      return createStringError(Input.Name + ": " +
                               toString(Object.takeError()));
    for (const Symbol &S : Object->symbols()) {
      if (S.Binding == Symbol::BindingKind::Local || S.Name.empty())
        continue;
      if (S.isUndefined())
        Names.Undefined.push_back(S.Name.str());
      if (S.isUndefined() || S.Binding == Symbol::BindingKind::Weak)
        Names.Needed.push_back(S.Name.str());
      else if (!Input.IsOnDemand)
        Names.Defined.try_emplace(S.Name, Input.Name);
    }
  }
  return Names;
}

} // namespace heddle
