//===- ObjectWriter.cpp - Writes code objects -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out the ELF file: header, contents, section table.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/ObjectWriter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace llvm::support;

namespace heddle {

namespace {

/// Before the name of a function, in that of its section.
constexpr StringLiteral TextPrefix = ".text.";
/// Before the name of a section with relocations, in that of the relocations.
constexpr StringLiteral RelocationPrefix = ".rela";

/// Strings one after the other, each ending in a zero byte. The end of one may
/// serve as another.
class StringTable {
public:
  uint32_t add(StringRef Text) {
    auto [At, IsNew] = Places.try_emplace(Text, Bytes.size());
    uint32_t Place = At->second;
    if (IsNew) {
      Bytes += Text;
      Bytes += '\0';
    }
    StringRef Rest = Text;
    for (StringRef Prefix :
         {StringRef(RelocationPrefix), StringRef(TextPrefix)})
      if (Rest.consume_front(Prefix))
        Places.try_emplace(Rest, Place + Text.size() - Rest.size());
    return Place;
  }
  std::string Bytes{'\0'};

private:
  StringMap<uint32_t> Places;
};

/// Writes an ELF file: header, contents, section table.
class Writer {
public:
  Writer(OutputObject &M, std::string Note) : M(M), Note(std::move(Note)) {}
  std::string write();

private:
  template <typename T> void number(std::string &To, T Value) {
    char Bytes[sizeof(T)];
    endian::write<T, endianness::little>(Bytes, Value);
    To.append(Bytes, sizeof(T));
  }
  void orderSymbols();
  std::string symbolTable();
  std::string relocationTable(const OutputSection &S);
  void addSection(StringRef Name, uint32_t Type, uint64_t Flags,
                  StringRef Contents, uint64_t Size, uint32_t Link,
                  uint32_t Info, uint64_t Align, uint64_t EntrySize,
                  uint64_t Address = 0);

  OutputObject &M;
  std::string Note;
  std::string File, Headers;
  StringTable Strings;
  std::vector<OutputSymbol *> Order;
  uint32_t NumSections = 0, NumLocal = 1;
};

/// Local symbols come first, as ELF wants it.
void Writer::orderSymbols() {
  for (bool WantLocal : {true, false})
    for (OutputSymbol &S : M.Symbols) {
      bool IsLocal = S.Binding == Symbol::BindingKind::Local;
      if (!S.IsWritten || IsLocal != WantLocal)
        continue;
      Order.push_back(&S);
      S.Index = Order.size();
      NumLocal += IsLocal;
    }
}

std::string Writer::symbolTable() {
  static constexpr uint8_t Bindings[] = {ELF::STB_LOCAL, ELF::STB_GLOBAL,
                                         ELF::STB_WEAK};
  static constexpr uint8_t Types[] = {ELF::STT_NOTYPE, ELF::STT_OBJECT,
                                      ELF::STT_FUNC, ELF::STT_SECTION,
                                      ELF::STT_FILE};
  std::string Table(sizeof(ELF::Elf64_Sym), '\0');
  for (const OutputSymbol *S : Order) {
    bool IsSection = S->Type == Symbol::TypeKind::Section;
    number<uint32_t>(Table, IsSection ? 0 : Strings.add(S->Name));
    number<uint8_t>(Table, Bindings[unsigned(S->Binding)] << 4 |
                               Types[unsigned(S->Type)]);
    number<uint8_t>(Table, ELF::STV_DEFAULT);
    number<uint16_t>(Table,
                     S->IsAbsolute ? uint32_t(ELF::SHN_ABS) : S->Section);
    number<uint64_t>(Table, S->Value);
    number<uint64_t>(Table, S->Size);
  }
  return Table;
}

std::string Writer::relocationTable(const OutputSection &S) {
  std::string Table;
  for (const OutputRelocation &R : S.Relocations) {
    number<uint64_t>(Table, R.Offset);
    number<uint64_t>(Table, uint64_t(R.Symbol ? R.Symbol->Index : 0) << 32 |
                                uint32_t(R.Type));
    number<int64_t>(Table, R.Addend);
  }
  return Table;
}

void Writer::addSection(StringRef Name, uint32_t Type, uint64_t Flags,
                        StringRef Contents, uint64_t Size, uint32_t Link,
                        uint32_t Info, uint64_t Align, uint64_t EntrySize,
                        uint64_t Address) {
  File.resize(alignTo(File.size(), std::max<uint64_t>(Align, 1)));
  number<uint32_t>(Headers, Strings.add(Name));
  number<uint32_t>(Headers, Type);
  number<uint64_t>(Headers, Flags);
  number<uint64_t>(Headers, Address);
  number<uint64_t>(Headers, File.size());
  number<uint64_t>(Headers, Size);
  number<uint32_t>(Headers, Link);
  number<uint32_t>(Headers, Info);
  number<uint64_t>(Headers, Align);
  number<uint64_t>(Headers, EntrySize);
  File += Contents;
  ++NumSections;
}

std::string Writer::write() {
  orderSymbols();
  for (const OutputSection &S : M.Sections)
    if (!S.Relocations.empty())
      Strings.add((RelocationPrefix + S.From->Name).str());
  File.resize(sizeof(ELF::Elf64_Ehdr));
  Headers.resize(sizeof(ELF::Elf64_Shdr));
  NumSections = 1;
  constexpr uint64_t Kept =
      ELF::SHF_ALLOC | ELF::SHF_WRITE | ELF::SHF_EXECINSTR;
  for (const OutputSection &S : drop_begin(M.Sections))
    addSection(S.From->Name, S.From->Type, S.From->Flags & Kept,
               toStringRef(S.From->Contents), S.From->Size, 0, 0, S.From->Align,
               0, S.From->Address);
  addSection(NoteSectionName, ELF::SHT_NOTE, 0, Note, Note.size(), 0, 0, 4, 0);
  uint32_t NumTables = count_if(M.Sections, [](const OutputSection &S) {
    return !S.Relocations.empty();
  });
  uint32_t SymbolIndex = NumSections + NumTables;
  for (auto [I, S] : enumerate(M.Sections))
    if (!S.Relocations.empty()) {
      std::string Table = relocationTable(S);
      addSection((RelocationPrefix + S.From->Name).str(),
                 S.From->Kind == LoadKind::Debug ? DebugRelocationsType
                                                 : uint32_t(ELF::SHT_RELA),
                 ELF::SHF_INFO_LINK, Table, Table.size(), SymbolIndex, I, 8,
                 sizeof(ELF::Elf64_Rela));
    }
  std::string Table = symbolTable();
  addSection(".symtab", ELF::SHT_SYMTAB, 0, Table, Table.size(),
             SymbolIndex + 1, NumLocal, 8, sizeof(ELF::Elf64_Sym));
  Strings.add(".strtab"); // before the table is complete
  std::string Names = Strings.Bytes;
  addSection(".strtab", ELF::SHT_STRTAB, 0, Names, Names.size(), 0, 0, 1, 0);

  File.resize(alignTo(File.size(), 8));
  std::string Header("\x7f"
                     "ELF");
  Header += {ELF::ELFCLASS64, ELF::ELFDATA2LSB, ELF::EV_CURRENT};
  Header.resize(ELF::EI_NIDENT);
  number<uint16_t>(Header, ELF::ET_REL);
  number<uint16_t>(Header, ELFMachine);
  number<uint32_t>(Header, ELF::EV_CURRENT);
  number<uint64_t>(Header, 0); // entry
  number<uint64_t>(Header, 0); // program headers
  number<uint64_t>(Header, File.size());
  number<uint32_t>(Header, ELFVersion);
  for (uint16_t Size :
       {sizeof(ELF::Elf64_Ehdr), size_t(0), size_t(0), sizeof(ELF::Elf64_Shdr)})
    number<uint16_t>(Header, Size);
  number<uint16_t>(Header, NumSections);
  number<uint16_t>(Header, NumSections - 1);
  File.replace(0, Header.size(), Header);
  return File + Headers;
}

} // namespace

Expected<std::string> writeObject(OutputObject &Object,
                                  const ModuleMetadata &Metadata) {
  if (Object.Sections.size() + 1 >= ELF::SHN_LORESERVE / 2)
    return createStringError("the object has too many sections");
  return Writer(Object, encodeMetadataNote(Metadata)).write();
}

} // namespace heddle
