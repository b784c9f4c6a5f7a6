//===- Listing.cpp - Disassembly and assembly -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints sections as the assembler reads them.
//
//===----------------------------------------------------------------------===//

#include "Listing.h"

#include "heddle/ISA/ISA.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle::objdump {

/// Where the comment behind an instruction starts.
constexpr unsigned CommentColumn = 80;

bool Listing::isChosen(uint32_t SectionIndex) const {
  if (Object.sections()[SectionIndex].Kind != LoadKind::Text ||
      Object.sections()[SectionIndex].Size == 0)
    return false;
  return O.Function.empty() ||
         any_of(symbolsOf(SectionIndex),
                [&](const PlacedSymbol &P) { return P.S->Name == O.Function; });
}

Error Listing::printCode() {
  bool Any = false;
  for (uint32_t I = 0; I < Object.sections().size(); ++I)
    if (isChosen(I)) {
      printCodeSection(I);
      Any = true;
    }
  if (!Any && !O.Function.empty())
    return createStringError("no function '" + O.Function + "'");
  return Error::success();
}

void Listing::printAssembly() {
  for (uint32_t I = 0; I < Object.sections().size(); ++I) {
    const Section &S = Object.sections()[I];
    if (S.Size == 0 && symbolsOf(I).empty())
      continue;
    if (S.Kind == LoadKind::Text)
      printCodeSection(I);
    else if (S.Kind == LoadKind::Global || S.Kind == LoadKind::Constant ||
             S.Kind == LoadKind::Shared)
      printDataSection(I);
  }
  printOtherSymbols();
  OS << "\n\t.heddle_metadata\n"
     << metadataToYAML(Object.metadata()) << "\t.end_heddle_metadata\n";
}

std::vector<Listing::PlacedSymbol>
Listing::symbolsOf(uint32_t SectionIndex) const {
  std::vector<PlacedSymbol> Result;
  for (const Symbol &S : Object.symbols())
    if (S.Section == SectionIndex && S.Type != Symbol::TypeKind::Section &&
        !S.Name.empty())
      Result.push_back({S.Value, &S});
  llvm::sort(Result, [](const PlacedSymbol &A, const PlacedSymbol &B) {
    return std::pair(A.Offset, A.S) < std::pair(B.Offset, B.S);
  });
  return Result;
}

void Listing::printHead(const Section &S) {
  OS << "\n\t.section\t" << S.Name << ",\"";
  if (S.Flags & ELF::SHF_ALLOC)
    OS << 'a';
  if (S.Flags & ELF::SHF_WRITE)
    OS << 'w';
  if (S.Flags & ELF::SHF_EXECINSTR)
    OS << 'x';
  OS << "\",@" << (S.Type == ELF::SHT_NOBITS ? "nobits" : "progbits") << '\n';
  if (S.Align > 1)
    OS << "\t.p2align\t" << Log2_64(S.Align) << '\n';
}

/// The directives and the label of a symbol, at \p Offset of its section.
void Listing::printSymbol(const Symbol &S, uint64_t Offset) {
  std::string Name = D.quoteSymbol(S.Name);
  if (S.Binding == Symbol::BindingKind::Global)
    OS << "\t.globl\t" << Name << '\n';
  if (S.Binding == Symbol::BindingKind::Weak)
    OS << "\t.weak\t" << Name << '\n';
  if (S.Type == Symbol::TypeKind::Function)
    OS << "\t.type\t" << Name << ",@function\n";
  if (S.Type == Symbol::TypeKind::Object)
    OS << "\t.type\t" << Name << ",@object\n";
  if (S.Size)
    OS << "\t.size\t" << Name << ", " << S.Size << '\n';
  if (Offset == S.Value)
    OS << Name << ":\n";
  else
    OS << "\t.set\t" << Name << ", .-" << Offset - S.Value << '\n';
}

void Listing::printOtherSymbols() {
  for (const Symbol &S : Object.symbols().drop_front()) {
    if (S.isUndefined() && S.Binding == Symbol::BindingKind::Weak)
      OS << "\t.weak\t" << D.quoteSymbol(S.Name) << '\n';
    if (S.IsAbsolute && S.Type != Symbol::TypeKind::File)
      OS << "\t.set\t" << D.quoteSymbol(S.Name) << ", " << S.Value << '\n';
  }
}

void Listing::printKernelSummary(uint32_t SectionIndex) {
  for (const Kernel &K : Object.kernels()) {
    if (K.Section != SectionIndex)
      continue;
    const KernelMetadata &M = *K.Metadata;
    OS << formatv("// kernel {0}: {1} registers, {2} uniform registers, {3} "
                  "bytes shared, {4} bytes local, {5} bytes of parameters\n",
                  M.Name, M.Registers, M.UniformRegisters, M.SharedBytes,
                  M.LocalBytes, M.ParamBytes);
  }
}

void Listing::printCodeSection(uint32_t SectionIndex) {
  const Section &S = Object.sections()[SectionIndex];
  Code C(Object, SectionIndex, D, NumLabels);
  NumLabels += C.labels().size();
  std::vector<PlacedSymbol> Symbols = symbolsOf(SectionIndex);
  auto Next = Symbols.begin();
  auto PrintLabels = [&](uint64_t Offset) {
    for (; Next != Symbols.end() && Next->Offset <= Offset; ++Next)
      printSymbol(*Next->S, Offset);
    if (auto It = C.labels().find(Offset); It != C.labels().end())
      OS << It->second << ":\n";
  };
  printHead(S);
  printKernelSummary(SectionIndex);
  LastLine.clear();
  for (const CodeLine &L : C.lines()) {
    PrintLabels(L.Offset);
    printCodeLine(SectionIndex, C, L);
  }
  PrintLabels(S.Size);
}

void Listing::printCodeLine(uint32_t SectionIndex, const Code &C,
                            const CodeLine &L) {
  if (O.Source)
    printSourceLine(SectionIndex, L.Offset);
  std::string Text = C.text(L);
  OS << '\t' << left_justify(Text, CommentColumn - 8) << " // "
     << format_hex(L.Offset, 6);
  if (O.Bytes)
    OS << ": " << toHex(L.Bytes, /*LowerCase=*/true);
  if (!L.Inst)
    OS << " is no instruction";
  if (L.Reloc)
    OS << ' ' << relocationName(L.Reloc->Type);
  OS << '\n';
}

StringRef Listing::sourceText(const SourceLine &Line) {
  auto [It, IsNew] = Sources.try_emplace(Line.File.str());
  if (IsNew)
    if (auto Buffer = MemoryBuffer::getFile(Line.File)) {
      SmallVector<StringRef> Texts;
      (*Buffer)->getBuffer().split(Texts, '\n');
      for (StringRef Text : Texts)
        It->second.push_back(Text.trim().str());
    }
  return Line.Line <= It->second.size() ? It->second[Line.Line - 1]
                                        : StringRef();
}

/// Names the source line of an instruction unless it is that of the one before.
void Listing::printSourceLine(uint32_t SectionIndex, uint64_t Offset) {
  std::optional<SourceLine> Line = Lines.lookup(SectionIndex, Offset);
  if (!Line || !Line->Line)
    return;
  std::string Place = (Line->File + ":" + Twine(Line->Line)).str();
  if (Place == LastLine)
    return;
  LastLine = Place;
  OS << "// " << Place;
  if (StringRef Text = sourceText(*Line); !Text.empty())
    OS << ": " << Text;
  OS << '\n';
}

void Listing::printDataSection(uint32_t SectionIndex) {
  const Section &S = Object.sections()[SectionIndex];
  printHead(S);
  std::vector<PlacedSymbol> Symbols = symbolsOf(SectionIndex);
  std::map<uint64_t, const Relocation *> Relocs;
  for (const Relocation &R : Object.relocations(SectionIndex))
    Relocs[R.Offset] = &R;
  auto NextSymbol = Symbols.begin();
  auto NextReloc = Relocs.begin();
  for (uint64_t Offset = 0;;) {
    for (; NextSymbol != Symbols.end() && NextSymbol->Offset <= Offset;
         ++NextSymbol)
      printSymbol(*NextSymbol->S, Offset);
    if (Offset >= S.Size)
      return;
    while (NextReloc != Relocs.end() && NextReloc->first < Offset)
      ++NextReloc;
    if (NextReloc != Relocs.end() && NextReloc->first == Offset) {
      Offset += printField(*NextReloc->second, Offset);
      continue;
    }
    uint64_t End = S.Size;
    if (NextSymbol != Symbols.end())
      End = std::min(End, NextSymbol->Offset);
    if (NextReloc != Relocs.end())
      End = std::min(End, NextReloc->first);
    printData(S, Offset, End);
    Offset = End;
  }
}

/// A relocated field of data; its size in bytes.
uint64_t Listing::printField(const Relocation &R, uint64_t Offset) {
  bool IsWide = R.Type == RelocationType::R_HEDDLE_DATA64;
  OS << (IsWide ? "\t.quad\t" : "\t.word\t")
     << D.quoteSymbol(Object.symbols()[R.Symbol].Name);
  if (R.Addend)
    OS << (R.Addend < 0 ? "-" : "+")
       << (R.Addend < 0 ? 0 - uint64_t(R.Addend) : uint64_t(R.Addend));
  OS << '\n';
  return IsWide ? 8 : 4;
}

void Listing::printData(const Section &S, uint64_t Begin, uint64_t End) {
  if (S.Contents.empty()) {
    OS << "\t.zero\t" << End - Begin << '\n';
    return;
  }
  constexpr uint64_t BytesPerLine = 16;
  for (; Begin < End; Begin += BytesPerLine) {
    OS << "\t.byte\t";
    ListSeparator Separator;
    for (uint8_t B :
         S.Contents.slice(Begin, std::min(BytesPerLine, End - Begin)))
      OS << Separator << format_hex(B, 4);
    OS << '\n';
  }
}

} // namespace heddle::objdump
