//===- ThinIndex.cpp - What names what in a program -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Summaries name things by the hashes of their names in their modules. They
// stay modules' own: two modules may have functions of one name.
//
//===----------------------------------------------------------------------===//

#include "Link/ThinIndex.h"

#include "Link/Summaries.h"

#include "llvm/IR/GlobalAlias.h"

using namespace llvm;

namespace heddle::compiler {

ThinIndex::ThinIndex(LinkInputs &Inputs)
    : Contents(std::move(Inputs.Contents)) {
  for (const ModuleToLink &Input : Inputs.Modules) {
    ModuleContent &Content = Contents[Input.M.get()];
    if (!Content.Summary)
      Content.Summary = summarize(*Input.M);
    ValuesByGUID &Known = Values[Input.M.get()];
    for (GlobalValue &G : Input.M->global_values())
      if (G.hasName()) {
        GUIDs[&G] = G.getGUID();
        Known[G.getGUID()] = &G;
      }
  }
}

GlobalValue *ThinIndex::findName(StringRef Name) const {
  GlobalValue *G = Definitions.lookup(Name);
  return G ? kept(*G) : nullptr;
}

GlobalValue *ThinIndex::kept(GlobalValue &G) const {
  if (auto *A = dyn_cast<GlobalAlias>(&G))
    return kept(*A->getAliaseeObject());
  GlobalValue *Definition =
      G.isDeclaration() ? Definitions.lookup(G.getName()) : nullptr;
  return Definition ? kept(*Definition) : &G;
}

const ThinIndex::Node *ThinIndex::find(const GlobalValue *G) const {
  auto Found = Nodes.find(G);
  return Found == Nodes.end() ? nullptr : &Found->second;
}

void ThinIndex::addNode(GlobalValue &G, const ValuesByGUID &Values,
                        const ModuleContent &Content) {
  Node &N = Nodes[&G];
  N.G = &G;
  N.Number = Nodes.size();
  N.Contents = Content.Hash;
  ValueInfo Info = Content.Summary->getValueInfo(GUIDs.lookup(&G));
  if (!Info || Info.getSummaryList().empty())
    return;
  const GlobalValueSummary &Summary = *Info.getSummaryList().front();
  auto Add = [&](const ValueInfo &To, SmallVectorImpl<GlobalValue *> &List) {
    auto Found = Values.find(To.getGUID());
    Value *V = Found == Values.end() ? nullptr : Found->second;
    if (auto *Named = dyn_cast_or_null<GlobalValue>(V))
      List.push_back(kept(*Named));
  };
  for (const ValueInfo &To : Summary.refs())
    Add(To, N.Names);
  const auto *F = dyn_cast<FunctionSummary>(&Summary);
  if (!F)
    return;
  for (const FunctionSummary::EdgeTy &To : F->calls())
    Add(To.first, N.Calls);
  N.CallsPointers = F->fflags().HasUnknownCall;
  N.Instructions = F->instCount();
}

void ThinIndex::connect(ArrayRef<ModuleToLink> Modules) {
  for (const ModuleToLink &Input : Modules)
    for (GlobalValue &G : Input.M->global_values())
      if (!G.isDeclaration() && !G.getName().starts_with("llvm."))
        Definitions[G.getName()] = &G;
  for (const ModuleToLink &Input : Modules)
    for (GlobalObject &G : Input.M->global_objects())
      if (!G.isDeclaration() && !G.getName().starts_with("llvm."))
        addNode(G, Values[Input.M.get()], Contents[Input.M.get()]);
}

} // namespace heddle::compiler
