//===- TypeIndex.cpp - Types of the source by name --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects named types from all units.
//
//===----------------------------------------------------------------------===//

#include "TypeIndex.h"
#include "Names.h"
#include "SourceVariables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

using namespace llvm;

namespace heddle::debug {

/// Sorts by name, and leaves the first one of each.
static void finish(std::vector<TypeIndex::Entry> &Entries) {
  using Entry = TypeIndex::Entry;
  llvm::sort(Entries, [](const Entry &A, const Entry &B) {
    return std::pair(StringRef(A.Name), A.Die.getOffset()) <
           std::pair(StringRef(B.Name), B.Die.getOffset());
  });
  Entries.erase(std::unique(Entries.begin(), Entries.end(),
                            [](const Entry &A, const Entry &B) {
                              return A.Name == B.Name;
                            }),
                Entries.end());
}

TypeIndex::TypeIndex(const SourceFrames &In) {
  if (!In.dwarf())
    return;
  for (const auto &Unit : In.dwarf()->compile_units())
    for (const DWARFDebugInfoEntry &Entry : Unit->dies())
      add(DWARFDie(Unit.get(), &Entry));
  finish(Types);
  finish(Enumerators);
}

void TypeIndex::add(const DWARFDie &Die) {
  switch (Die.getTag()) {
  case dwarf::DW_TAG_enumeration_type:
    for (const DWARFDie &Child : Die.children())
      if (Child.getTag() == dwarf::DW_TAG_enumerator)
        Enumerators.push_back({enumeratorName(Die, Child), Child, Die});
    break;
  case dwarf::DW_TAG_structure_type:
  case dwarf::DW_TAG_class_type:
  case dwarf::DW_TAG_union_type:
  case dwarf::DW_TAG_typedef:
  case dwarf::DW_TAG_base_type:
    break;
  default:
    return;
  }
  if (Die.find(dwarf::DW_AT_declaration))
    return;
  std::string Name = qualifiedName(Die);
  if (!Name.empty())
    Types.push_back({std::move(Name), Die, {}});
}

const TypeIndex::Entry *TypeIndex::find(const std::vector<Entry> &In,
                                        StringRef Name) {
  Name.consume_front("::");
  auto It = partition_point(In, [&](const Entry &E) { return E.Name < Name; });
  if (It != In.end() && It->Name == Name)
    return &*It;
  It = find_if(In, [&](const Entry &E) { return isMeant(E.Name, Name); });
  // nvcc leaves the namespaces of templates away.
  if (It == In.end() && Name.contains('<'))
    It = find_if(In, [&](const Entry &E) {
      return StringRef(E.Name).contains('<') && isMeant(Name, E.Name);
    });
  return It == In.end() ? nullptr : &*It;
}

} // namespace heddle::debug
