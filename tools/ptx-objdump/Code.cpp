//===- Code.cpp - The code of a section -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes a section, finds its branch targets and follows its control flow.
//
//===----------------------------------------------------------------------===//

#include "Code.h"

#include "heddle/ISA/ISA.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::objdump {

Code::Code(const ObjectFile &Object, uint32_t SectionIndex,
           const Disassembler &D, unsigned FirstLabel)
    : Object(Object), D(D) {
  ArrayRef<uint8_t> Contents = Object.sections()[SectionIndex].Contents;
  std::map<uint64_t, const Relocation *> RelocAt;
  for (const Relocation &R : Object.relocations(SectionIndex))
    RelocAt[R.Offset] = &R;
  for (uint64_t Offset = 0; Offset < Contents.size();) {
    CodeLine L;
    L.Offset = Offset;
    L.Bytes = Contents.slice(Offset).take_front(
        isa::instructionBytes(Contents[Offset]));
    L.Inst = D.decode(L.Bytes);
    if (auto It = RelocAt.find(Offset); It != RelocAt.end())
      L.Reloc = It->second;
    if (L.Inst && !L.Reloc)
      L.Target = D.target(*L.Inst, Offset);
    Lines.push_back(L);
    Offset += L.Bytes.size();
  }
  for (CodeLine &L : Lines) {
    // A place between instructions or outside of the section has no label.
    if (L.Target && *L.Target != Contents.size() && !lineAt(*L.Target))
      L.Target.reset();
    if (L.Target)
      Labels[*L.Target];
  }
  for (auto &[Offset, Name] : Labels)
    Name = ".L_" + utostr(FirstLabel++);
}

std::optional<size_t> Code::lineAt(uint64_t Offset) const {
  auto It = partition_point(
      Lines, [&](const CodeLine &L) { return L.Offset < Offset; });
  if (It == Lines.end() || It->Offset != Offset)
    return std::nullopt;
  return It - Lines.begin();
}

/// The symbol that a relocation names, or a better one in its place:
/// relocations against local symbols name their section.
StringRef Code::symbolAt(const Relocation &R, int64_t &Addend) const {
  const Symbol &S = Object.symbols()[R.Symbol];
  Addend = R.Addend;
  if (S.Type != Symbol::TypeKind::Section)
    return S.Name;
  for (const Symbol &Other : Object.symbols())
    if (Other.Binding == Symbol::BindingKind::Local && Other.Section &&
        Other.Section == S.Section && Other.Type != Symbol::TypeKind::Section &&
        int64_t(Other.Value) == Addend && !Other.Name.empty()) {
      Addend = 0;
      return Other.Name;
    }
  return S.Name;
}

std::string Code::text(const CodeLine &Line) const {
  if (!Line.Inst) {
    std::string Text;
    for (uint8_t B : Line.Bytes)
      Text += (Text.empty() ? ".byte 0x" : ", 0x") +
              utohexstr(B, /*LowerCase=*/true, 2);
    return Text;
  }
  MCInst Inst = *Line.Inst;
  if (Line.Target) {
    D.setSymbol(Inst, Labels.at(*Line.Target), 0);
  } else if (Line.Reloc) {
    int64_t Addend;
    StringRef Name = symbolAt(*Line.Reloc, Addend);
    StringRef Specifier;
    if (Line.Reloc->Type == RelocationType::R_HEDDLE_CONST32)
      Specifier = "const";
    if (Line.Reloc->Type == RelocationType::R_HEDDLE_SHARED32)
      Specifier = "shared";
    D.setSymbol(Inst, Name, Addend, Specifier);
  }
  return D.print(Inst);
}

uint64_t Code::reachableEnd(uint64_t Entry) const {
  std::vector<bool> Seen(Lines.size());
  SmallVector<uint64_t> Work = {Entry};
  uint64_t End = 0;
  while (!Work.empty()) {
    std::optional<size_t> Index = lineAt(Work.pop_back_val());
    if (!Index || Seen[*Index] || !Lines[*Index].Inst)
      continue;
    Seen[*Index] = true;
    const CodeLine &L = Lines[*Index];
    uint64_t Next = L.Offset + L.Bytes.size();
    End = std::max(End, Next);
    Flow F = D.flow(*L.Inst);
    // The targets of an indirect branch are not known.
    if (F.GoesAnywhere)
      return Lines.back().Offset + Lines.back().Bytes.size();
    if (F.Branches && L.Target)
      Work.push_back(*L.Target);
    if (F.FallsThrough)
      Work.push_back(Next);
  }
  return End;
}

} // namespace heddle::objdump
