//===- ObjectResolver.cpp - Which symbol is which ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those of modules (ModuleLink.cpp), over ELF's bindings and the
// types in the metadata.
//
//===----------------------------------------------------------------------===//

#include "ObjectResolver.h"

#include "heddle/ISA/ISA.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::link {

static Error inputError(const ObjectToLink &Input, const Twine &Message) {
  return createStringError(Input.Name + ": " + Message);
}

Error ObjectResolver::readObject(const ObjectToLink &Input) {
  Expected<ObjectFile> Object = ObjectFile::create(Input.Bytes);
  if (!Object)
    return inputError(Input, toString(Object.takeError()));
  const ModuleMetadata &M = Object->metadata();
  if (M.Chip != Options.Chip)
    return inputError(Input, "was compiled for '" + M.Chip + "', not for '" +
                                 Options.Chip + "'");
  if (M.ISAVersion != std::to_string(isa::abi::Version))
    return inputError(Input, "is of version " + M.ISAVersion +
                                 " of the instruction set, not " +
                                 Twine(isa::abi::Version));
  if (!M.Link)
    return inputError(Input, "is no relocatable object; compile it with -c");
  InputObject &O = Objects.emplace_back(Input, std::move(*Object));
  for (const FunctionMetadata &F : O.Object.metadata().Link->Functions) {
    O.Functions[F.Name] = &F;
    O.Types[F.Name] = F.Type;
  }
  for (const SymbolMetadata &S : O.Object.metadata().Link->Symbols)
    O.Types[S.Name] = S.Type;
  return Error::success();
}

Error ObjectResolver::read(ArrayRef<ObjectToLink> Inputs) {
  for (const ObjectToLink &Input : Inputs)
    if (Error E = readObject(Input))
      return E;
  for (InputObject &O : Objects)
    if (!O.From.IsOnDemand)
      take(O);
  takeMembers();
  return Error::success();
}

static bool isLinked(const Symbol &S) {
  return S.Binding != Symbol::BindingKind::Local && !S.Name.empty();
}

void ObjectResolver::take(InputObject &Input) {
  Taken.push_back(&Input);
  for (uint32_t I = 1; I < Input.Object.symbols().size(); ++I)
    if (isLinked(Input.Object.symbols()[I]))
      addSymbol({&Input, I});
}

void ObjectResolver::takeMembers() {
  auto IsWanted = [&](const InputObject &O) {
    return any_of(O.Object.symbols(), [&](const Symbol &S) {
      auto Found = isLinked(S) && !S.isUndefined() ? Symbols.find(S.Name)
                                                   : Symbols.end();
      return Found != Symbols.end() && !Found->second.isDefined();
    });
  };
  bool Changed = true;
  while (Changed) {
    Changed = false;
    for (InputObject &O : Objects)
      if (O.From.IsOnDemand && !is_contained(Taken, &O) && IsWanted(O)) {
        take(O);
        Changed = true;
      }
  }
}

/// Whether two types are one; a variable may be declared without a size, and
/// weak variables may have several.
static bool agree(SymbolPlace A, StringRef TypeA, SymbolPlace B,
                  StringRef TypeB) {
  if (TypeA == TypeB)
    return true;
  auto [SpaceA, SizeA] = TypeA.split(' ');
  auto [SpaceB, SizeB] = TypeB.split(' ');
  if (!SpaceA.starts_with(".") || SpaceA != SpaceB)
    return false;
  auto IsOpen = [](SymbolPlace P, StringRef Size) {
    return P.isDefined() ? P.symbol().Binding == Symbol::BindingKind::Weak
                         : Size == "0 bytes";
  };
  return IsOpen(A, SizeA) || IsOpen(B, SizeB);
}

bool ObjectResolver::isCompatible(SymbolPlace A, SymbolPlace B) {
  StringRef Name = B.symbol().Name;
  auto FoundA = A.Input->Types.find(Name), FoundB = B.Input->Types.find(Name);
  // An object that names nothing of it cannot disagree.
  if (FoundA == A.Input->Types.end() || FoundB == B.Input->Types.end() ||
      agree(A, FoundA->second, B, FoundB->second))
    return true;
  std::string Message = ("'" + Name + "' is " + FoundB->second + " here and " +
                         FoundA->second + " in " + A.Input->From.Name)
                            .str();
  auto IsFunction = [](StringRef Type) {
    return Type.starts_with("a function");
  };
  bool AreFunctions = IsFunction(FoundA->second) && IsFunction(FoundB->second);
  if (AreFunctions && Messages.mismatches(B.Input->From.Name, Message))
    return true;
  error(*B.Input, Message);
  return false;
}

void ObjectResolver::addSymbol(SymbolPlace New) {
  const Symbol &S = New.symbol();
  auto [At, IsNew] = Symbols.try_emplace(S.Name, New);
  SymbolPlace &Kept = At->second;
  if (IsNew || !isCompatible(Kept, New))
    return;
  if (!Kept.isDefined() || !New.isDefined()) {
    if (New.isDefined())
      Kept = New;
    return;
  }
  bool IsWeak = S.Binding == Symbol::BindingKind::Weak;
  bool WasWeak = Kept.symbol().Binding == Symbol::BindingKind::Weak;
  if (!IsWeak && !WasWeak)
    error(*New.Input,
          "'" + S.Name + "' is defined here and in " + Kept.Input->From.Name);
  else if (IsWeak != WasWeak ? WasWeak : S.Size > Kept.symbol().Size)
    Kept = New;
}

SymbolPlace ObjectResolver::resolve(SymbolPlace P) const {
  if (!isLinked(P.symbol()))
    return P;
  return Symbols.lookup(P.symbol().Name);
}

} // namespace heddle::link
