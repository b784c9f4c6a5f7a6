//===- SharedOwners.cpp - Whose a shared variable is -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What other objects can name too is compiled as everybody's. Which code names
// it is known when all of the program is there.
//
//===----------------------------------------------------------------------===//

#include "SharedOwners.h"

using namespace llvm;

namespace heddle::link {

/// The kernel that a section holds; empty if it is none.
static StringRef kernelIn(const InputObject &O, uint32_t Section) {
  for (const Kernel &K : O.Object.kernels())
    if (K.Section == Section)
      return K.Metadata->Name;
  return "";
}

SharedOwners::SharedOwners(ObjectResolver &Resolver,
                           function_ref<bool(SectionPlace)> IsKept)
    : Resolver(Resolver) {
  for (InputObject *O : Resolver.taken())
    for (uint32_t I = 1; I < O->Object.sections().size(); ++I)
      if (IsKept({O, I}))
        noteReferences(*O, I);
  for (auto &[P, Kernel] : Owners) {
    if (Kernel.empty())
      continue;
    Names.push_back((SharedSectionPrefix + Twine(".") + Kernel).str());
    Section S = P.first->Object.sections()[P.second];
    S.Name = Names.back();
    Renamed.try_emplace(P, S);
  }
}

void SharedOwners::noteReferences(InputObject &O, uint32_t Section) {
  StringRef Kernel = kernelIn(O, Section);
  for (const Relocation &R : O.Object.relocations(Section)) {
    SymbolPlace To = Resolver.resolve({&O, R.Symbol});
    if (!To.symbol().Section)
      continue;
    SectionPlace P{To.Input, *To.symbol().Section};
    const heddle::Section &Named = P.first->Object.sections()[P.second];
    if (Named.Kind != LoadKind::Shared || Named.Name != SharedSectionPrefix)
      continue;
    auto [Known, IsNew] = Owners.insert({P, Kernel});
    if (!IsNew && Known->second != Kernel)
      Known->second = "";
  }
}

const Section &SharedOwners::sectionAt(SectionPlace P) const {
  auto Found = Renamed.find(P);
  return Found == Renamed.end() ? P.first->Object.sections()[P.second]
                                : Found->second;
}

} // namespace heddle::link
