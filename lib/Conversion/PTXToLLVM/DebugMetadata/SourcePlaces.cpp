//===- SourcePlaces.cpp - Places in the source by those in PTX --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilers give the code of an inlined function as one range, in which there
// may be other code, too. Where `.loc` says by itself what was inlined at which
// line, entries count only as far as they agree with it.
//
//===----------------------------------------------------------------------===//

#include "DebugMetadata/SourcePlaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::lowering;

SourcePlaces::SourcePlaces(MetadataBuilder &MB, const DWARFDie &Die,
                           StringRef Function)
    : MB(MB) {
  for (const ptx::Function *F : MB.debug().module().Functions)
    if (F->getName() == Function && F->isDefinition())
      addLocs(F->Body);
  Root.Die = Die;
  addChildren(Root, Die);
}

void SourcePlaces::addLocs(ArrayRef<const ptx::Statement *> Statements) {
  for (const ptx::Statement *S : Statements) {
    if (const auto *Block = dyn_cast<ptx::BlockStatement>(S)) {
      addLocs(Block->Body);
      continue;
    }
    const auto *L = dyn_cast<ptx::LocStatement>(S);
    if (!L)
      continue;
    size_t Caller = None;
    if (L->Inlined) {
      SaysInlined = true;
      auto It = ByPlace.find(
          {L->InlinedAtFile, L->InlinedAtLine, L->InlinedAtColumn});
      if (It != ByPlace.end())
        Caller = It->second;
    }
    ByPlace[{L->File, L->Line, L->Column}] = Locs.size();
    Locs.push_back({ptx::DebugInfo::addressOf(L->getLoc()), L, Caller});
  }
}

bool SourcePlaces::Node::contains(uint64_t Address) const {
  return any_of(Ranges,
                [&](const ptx::DebugRange &R) { return R.contains(Address); });
}

void SourcePlaces::addChildren(Node &To, const DWARFDie &Die) {
  for (const DWARFDie &Child : Die.children()) {
    if (Child.getTag() != dwarf::DW_TAG_lexical_block &&
        Child.getTag() != dwarf::DW_TAG_inlined_subroutine)
      continue;
    Node N;
    N.Die = Child;
    N.Ranges = MB.debug().rangesOf(Child);
    if (N.Ranges.empty()) // Of a block without code there may be blocks with.
      N.Ranges = To.Ranges;
    addChildren(N, Child);
    To.Children.push_back(std::move(N));
  }
}

/// The places at which a `.loc` was inlined, outermost first.
SmallVector<size_t> SourcePlaces::chainOf(size_t Number) const {
  SmallVector<size_t> Chain;
  // A place may name one behind it, which may name it.
  while (Number != None && Locs[Number].Statement->Inlined &&
         Chain.size() < Locs.size()) {
    Chain.push_back(Number);
    size_t Caller = Locs[Number].Caller;
    Number = Caller != None && Caller < Number ? Caller : None;
  }
  std::reverse(Chain.begin(), Chain.end());
  return Chain;
}

DILocation *SourcePlaces::at(const DILocation &InText) {
  uint64_t Address = MB.debug().addressOf(InText.getLine(), InText.getColumn());
  auto After = upper_bound(
      Locs, Address, [](uint64_t A, const Loc &L) { return A < L.Address; });
  const Loc *L = After == Locs.begin() ? nullptr : &*std::prev(After);
  SmallVector<size_t> Chain;
  if (L)
    Chain = chainOf(L - Locs.data());
  const Node *In = &Root;
  size_t Depth = 0;
  for (bool Deeper = true; Deeper;) {
    Deeper = false;
    for (const Node &Child : In->Children) {
      bool IsCopy = Child.Die.getTag() == dwarf::DW_TAG_inlined_subroutine;
      bool Agrees = !IsCopy || !SaysInlined ||
                    (Depth < Chain.size() &&
                     Locs[Chain[Depth]].Statement->InlinedAtLine ==
                         numberOf(Child.Die, dwarf::DW_AT_call_line));
      if (!Child.contains(Address) || !Agrees)
        continue;
      Depth += IsCopy;
      In = &Child;
      Deeper = true;
      break;
    }
  }
  DILocalScope *Scope = MB.localScope(In->Die);
  DILocation *At = MB.inlinedAt(In->Die);
  // What was inlined without an entry.
  for (; Depth < Chain.size(); ++Depth) {
    const ptx::LocStatement &Call = *Locs[Chain[Depth]].Statement;
    DILocation *Site = MB.location(Call.InlinedAtFile, Call.InlinedAtLine,
                                   Call.InlinedAtColumn, Scope, At);
    At = Site;
    std::string Name =
        MB.debug().stringAt(Call.FunctionName, Call.FunctionNameOffset);
    Scope = MB.subprogram(Name.empty() ? "inlined" : Name, Call.File,
                          Scope->getSubprogram());
  }
  if (Locs.empty())
    return MB.location(InText.getFile(), InText.getLine(), InText.getColumn(),
                       Scope, At);
  if (!L)
    return DILocation::get(MB.context(), 0, 0, Scope, At);
  return MB.location(L->Statement->File, L->Statement->Line,
                     L->Statement->Column, Scope, At);
}
