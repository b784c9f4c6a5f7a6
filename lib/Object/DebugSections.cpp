//===- DebugSections.cpp - DWARF of a code object ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Relocates the debug sections as far as the compiler has not done so.
//
//===----------------------------------------------------------------------===//

#include "DebugSections.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle {

/// In an object that is to be relocated section I stands at I << SectionShift;
/// no section is as large.
static constexpr unsigned SectionShift = 40;

CodeLayout::CodeLayout(const ObjectFile &Object)
    : Sections(Object.sections()), Addresses(Sections.size(), 0) {
  bool HasRelocations = any_of(seq(Sections.size()), [&](size_t I) {
    return Sections[I].Kind == LoadKind::Debug &&
           !Object.relocations(I).empty();
  });
  for (auto [I, S] : enumerate(Sections))
    if (S.Kind == LoadKind::Text)
      Addresses[I] = HasRelocations ? uint64_t(I) << SectionShift : S.Address;
}

std::optional<uint32_t> CodeLayout::find(uint64_t Address) const {
  for (auto [I, S] : enumerate(Sections))
    if (S.Kind == LoadKind::Text && Address >= Addresses[I] &&
        Address - Addresses[I] < S.Size)
      return I;
  return std::nullopt;
}

Expected<StringMap<std::unique_ptr<MemoryBuffer>>>
debugSections(const ObjectFile &Object, const CodeLayout &Code,
              ArrayRef<StringRef> Names) {
  auto Unresolved = [](const Symbol &, const Relocation &) {
    return std::optional<uint64_t>();
  };
  StringMap<std::unique_ptr<MemoryBuffer>> Result;
  for (StringRef Name : Names) {
    std::optional<uint32_t> Index = Object.findSection(Name);
    if (!Index)
      continue;
    std::vector<uint8_t> Bytes = Object.sections()[*Index].Contents.vec();
    if (Error Err =
            Object.relocate(*Index, Code.addresses(), Bytes, Unresolved))
      return std::move(Err);
    Result[Name.drop_front()] =
        MemoryBuffer::getMemBufferCopy(toStringRef(Bytes), Name);
  }
  return Result;
}

} // namespace heddle
