//===- ObjectMerge.cpp - Puts code objects together -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the parts with ObjectFile, collects sections and symbols, and writes an
// ELF file of them.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/ObjectMerge.h"

#include "heddle/Object/ObjectFile.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include <deque>
#include <numeric>

using namespace llvm;
using namespace llvm::support;

namespace heddle {

namespace {

/// A symbol of the result. Section 0: undefined, or absolute.
struct MergedSymbol {
  StringRef Name;
  Symbol::BindingKind Binding = Symbol::BindingKind::Local;
  Symbol::TypeKind Type = Symbol::TypeKind::None;
  uint32_t Section = 0;
  bool IsAbsolute = false;
  uint64_t Value = 0, Size = 0;
  uint32_t Index = 0; ///< in the written table
};

struct MergedRelocation {
  RelocationType Type;
  uint64_t Offset;
  int64_t Addend;
  MergedSymbol *Symbol; ///< null: the empty symbol
};

struct MergedSection {
  const Section *From;
  std::vector<MergedRelocation> Relocations;
};

Error mergeError(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(),
                           "cannot put parts of the module together: " +
                               Message);
}

class Merger {
public:
  explicit Merger(std::deque<ObjectFile> &Parts) : Parts(Parts) {}
  Error collect();
  /// Puts the functions into this order, what is not named there last.
  void order(ArrayRef<StringRef> Functions);
  Expected<ModuleMetadata> metadata(ArrayRef<StringRef> Functions) const;

  std::vector<MergedSection> Sections{1}; ///< the first is ELF's empty one
  std::deque<MergedSymbol> Symbols;

private:
  /// Where sections and symbols of one part went; null: nowhere.
  struct Mapping {
    std::vector<uint32_t> Sections;
    std::vector<MergedSymbol *> Symbols;
  };

  Error addSections(const ObjectFile &Part, Mapping &Map);
  std::optional<uint32_t> findSame(const ObjectFile &Part, uint32_t Section);
  Error addSymbols(const ObjectFile &Part, Mapping &Map);
  void addRelocations(const ObjectFile &Part, const Mapping &Map);
  void resolve(Mapping &Map);

  std::deque<ObjectFile> &Parts;
  std::vector<Mapping> Mappings;
  /// Sections of functions and tables by name: part and section index there,
  /// and here.
  struct Place {
    const ObjectFile *Part;
    uint32_t There, Here;
  };
  StringMap<std::vector<Place>> Shareable;
  StringMap<MergedSymbol *> Defined;
};

/// Before the name of a function, in that of its section.
constexpr StringLiteral TextPrefix = ".text.";

bool isLoaded(const Section &S) {
  return S.Kind != LoadKind::Other && S.Kind != LoadKind::Debug;
}

/// Whether two sections are the same: bytes, and relocations by name.
bool isSame(const ObjectFile &A, uint32_t InA, const ObjectFile &B,
            uint32_t InB) {
  if (A.sections()[InA].Contents != B.sections()[InB].Contents)
    return false;
  ArrayRef<Relocation> RA = A.relocations(InA), RB = B.relocations(InB);
  return RA.size() == RB.size() && all_of(zip(RA, RB), [&](auto Pair) {
           const auto &[X, Y] = Pair;
           const Symbol &SX = A.symbols()[X.Symbol],
                        &SY = B.symbols()[Y.Symbol];
           return X.Type == Y.Type && X.Offset == Y.Offset &&
                  X.Addend == Y.Addend && SX.Name == SY.Name &&
                  SX.Value == SY.Value &&
                  SX.Section.has_value() == SY.Section.has_value();
         });
}

/// A function or a table of the device library that is here already.
std::optional<uint32_t> Merger::findSame(const ObjectFile &Part,
                                         uint32_t Section) {
  for (const Place &P : Shareable[Part.sections()[Section].Name])
    if (isSame(*P.Part, P.There, Part, Section))
      return P.Here;
  return std::nullopt;
}

Error Merger::addSections(const ObjectFile &Part, Mapping &Map) {
  Map.Sections.resize(Part.sections().size());
  for (uint32_t I = 0; I != Part.sections().size(); ++I) {
    const Section &S = Part.sections()[I];
    if (S.Kind == LoadKind::Debug && S.Size)
      return mergeError("debug information");
    if (!isLoaded(S) || S.Size == 0)
      continue;
    // The first part has the variables, which have addresses of their own.
    bool IsTable = S.Kind == LoadKind::Global && !(S.Flags & ELF::SHF_WRITE) &&
                   &Part != &Parts.front();
    if (S.Kind == LoadKind::Text || IsTable) {
      if (std::optional<uint32_t> Same = findSame(Part, I)) {
        Map.Sections[I] = *Same;
        continue;
      }
      Shareable[S.Name].push_back(
          {&Part, I, static_cast<uint32_t>(Sections.size())});
    }
    Map.Sections[I] = Sections.size();
    Sections.push_back({&S, {}});
  }
  return Error::success();
}

Error Merger::addSymbols(const ObjectFile &Part, Mapping &Map) {
  Map.Symbols.resize(Part.symbols().size());
  for (uint32_t I = 1; I < Part.symbols().size(); ++I) {
    const Symbol &S = Part.symbols()[I];
    uint32_t Section = S.Section ? Map.Sections[*S.Section] : 0;
    if (S.Type == Symbol::TypeKind::File || (S.Section && !Section))
      continue;
    bool IsNamed = S.Type != Symbol::TypeKind::Section && !S.isUndefined() &&
                   !S.Name.starts_with(".L");
    if (IsNamed) {
      MergedSymbol *&There = Defined[S.Name];
      if (There && There->Section == Section) {
        Map.Symbols[I] = There; // of a function that is there once
        continue;
      }
      if (There && S.Binding == Symbol::BindingKind::Global)
        return mergeError("two definitions of '" + S.Name + "'");
    }
    Symbols.push_back(
        {S.Name, S.Binding, S.Type, Section, S.IsAbsolute, S.Value, S.Size});
    Map.Symbols[I] = &Symbols.back();
    if (IsNamed && !Defined[S.Name])
      Defined[S.Name] = &Symbols.back();
  }
  return Error::success();
}

/// An undefined symbol becomes the definition, or the first undefined one.
void Merger::resolve(Mapping &Map) {
  for (MergedSymbol *&S : Map.Symbols)
    if (S && !S->Section && !S->IsAbsolute) {
      MergedSymbol *&There = Defined[S->Name];
      if (!There)
        There = S;
      if (There != S)
        S->Index = UINT32_MAX; // is not written
      S = There;
    }
}

void Merger::addRelocations(const ObjectFile &Part, const Mapping &Map) {
  for (uint32_t I = 0; I != Part.sections().size(); ++I) {
    MergedSection &S = Sections[Map.Sections[I]];
    if (!Map.Sections[I] || S.From != &Part.sections()[I])
      continue;
    for (const Relocation &R : Part.relocations(I))
      S.Relocations.push_back(
          {R.Type, R.Offset, R.Addend, Map.Symbols[R.Symbol]});
  }
}

Error Merger::collect() {
  for (const ObjectFile &Part : Parts) {
    Mappings.emplace_back();
    if (Error E = addSections(Part, Mappings.back()))
      return E;
    if (Error E = addSymbols(Part, Mappings.back()))
      return E;
  }
  for (auto [Part, Map] : zip(Parts, Mappings)) {
    resolve(Map);
    addRelocations(Part, Map);
  }
  return Error::success();
}

void Merger::order(ArrayRef<StringRef> Functions) {
  StringMap<size_t> Ranks;
  for (StringRef Name : Functions)
    Ranks.try_emplace((TextPrefix + Name).str(), Ranks.size() + 1);
  auto Rank = [&](uint32_t I) -> size_t {
    if (I == 0 || Sections[I].From->Kind != LoadKind::Text)
      return 0;
    auto Found = Ranks.find(Sections[I].From->Name);
    return Found == Ranks.end() ? Ranks.size() + 1 : Found->second;
  };
  std::vector<uint32_t> Order(Sections.size());
  std::iota(Order.begin(), Order.end(), 0);
  stable_sort(Order, [&](uint32_t A, uint32_t B) { return Rank(A) < Rank(B); });
  std::vector<uint32_t> Places(Sections.size());
  std::vector<MergedSection> Ordered;
  for (uint32_t I : Order) {
    Places[I] = Ordered.size();
    Ordered.push_back(std::move(Sections[I]));
  }
  Sections = std::move(Ordered);
  for (MergedSymbol &S : Symbols)
    S.Section = Places[S.Section];
}

Expected<ModuleMetadata> Merger::metadata(ArrayRef<StringRef> Functions) const {
  StringMap<const KernelMetadata *> Kernels;
  size_t Count = 0;
  for (const ObjectFile &Part : Parts)
    for (const Kernel &K : Part.kernels()) {
      Kernels[K.Metadata->Name] = K.Metadata;
      ++Count;
    }
  ModuleMetadata Result = Parts.front().metadata();
  Result.Kernels.clear();
  for (StringRef Name : Functions)
    if (const KernelMetadata *K = Kernels.lookup(Name))
      Result.Kernels.push_back(*K);
  if (Count != Result.Kernels.size())
    return mergeError("a kernel too many or too few");
  return Result;
}

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
  Writer(Merger &M, std::string Note) : M(M), Note(std::move(Note)) {}
  std::string write();

private:
  template <typename T> void number(std::string &To, T Value) {
    char Bytes[sizeof(T)];
    endian::write<T, endianness::little>(Bytes, Value);
    To.append(Bytes, sizeof(T));
  }
  void orderSymbols();
  std::string symbolTable();
  std::string relocationTable(const MergedSection &S);
  void addSection(StringRef Name, uint32_t Type, uint64_t Flags,
                  StringRef Contents, uint64_t Size, uint32_t Link,
                  uint32_t Info, uint64_t Align, uint64_t EntrySize);

  Merger &M;
  std::string Note;
  std::string File, Headers;
  StringTable Strings;
  std::vector<MergedSymbol *> Order;
  uint32_t NumSections = 0, NumLocal = 1;
};

/// Local symbols come first, as ELF wants it.
void Writer::orderSymbols() {
  for (bool WantLocal : {true, false})
    for (MergedSymbol &S : M.Symbols) {
      bool IsLocal = S.Binding == Symbol::BindingKind::Local;
      if (S.Index == UINT32_MAX || IsLocal != WantLocal)
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
  for (const MergedSymbol *S : Order) {
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

std::string Writer::relocationTable(const MergedSection &S) {
  std::string Table;
  for (const MergedRelocation &R : S.Relocations) {
    number<uint64_t>(Table, R.Offset);
    number<uint64_t>(Table, uint64_t(R.Symbol ? R.Symbol->Index : 0) << 32 |
                                uint32_t(R.Type));
    number<int64_t>(Table, R.Addend);
  }
  return Table;
}

void Writer::addSection(StringRef Name, uint32_t Type, uint64_t Flags,
                        StringRef Contents, uint64_t Size, uint32_t Link,
                        uint32_t Info, uint64_t Align, uint64_t EntrySize) {
  File.resize(alignTo(File.size(), std::max<uint64_t>(Align, 1)));
  number<uint32_t>(Headers, Strings.add(Name));
  number<uint32_t>(Headers, Type);
  number<uint64_t>(Headers, Flags);
  number<uint64_t>(Headers, 0); // address
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
  for (const MergedSection &S : M.Sections)
    if (!S.Relocations.empty())
      Strings.add((RelocationPrefix + S.From->Name).str());
  File.resize(sizeof(ELF::Elf64_Ehdr));
  Headers.resize(sizeof(ELF::Elf64_Shdr));
  NumSections = 1;
  constexpr uint64_t Kept =
      ELF::SHF_ALLOC | ELF::SHF_WRITE | ELF::SHF_EXECINSTR;
  for (const MergedSection &S : drop_begin(M.Sections))
    addSection(S.From->Name, S.From->Type, S.From->Flags & Kept,
               toStringRef(S.From->Contents), S.From->Size, 0, 0, S.From->Align,
               0);
  addSection(NoteSectionName, ELF::SHT_NOTE, 0, Note, Note.size(), 0, 0, 4, 0);
  uint32_t NumTables = count_if(M.Sections, [](const MergedSection &S) {
    return !S.Relocations.empty();
  });
  uint32_t SymbolIndex = NumSections + NumTables;
  for (auto [I, S] : enumerate(M.Sections))
    if (!S.Relocations.empty()) {
      std::string Table = relocationTable(S);
      addSection((RelocationPrefix + S.From->Name).str(), ELF::SHT_RELA,
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

Expected<std::string> mergeObjects(ArrayRef<ArrayRef<uint8_t>> Parts,
                                   ArrayRef<StringRef> Functions) {
  std::deque<ObjectFile> Objects;
  for (ArrayRef<uint8_t> Part : Parts) {
    Expected<ObjectFile> Object = ObjectFile::create(Part);
    if (!Object)
      return Object.takeError();
    Objects.push_back(std::move(*Object));
  }
  if (Objects.empty())
    return mergeError("there are none");
  Merger M(Objects);
  if (Error E = M.collect())
    return std::move(E);
  M.order(Functions);
  Expected<ModuleMetadata> Metadata = M.metadata(Functions);
  if (!Metadata)
    return Metadata.takeError();
  if (M.Sections.size() + 1 >= ELF::SHN_LORESERVE / 2)
    return mergeError("too many sections");
  return Writer(M, encodeMetadataNote(*Metadata)).write();
}

} // namespace heddle
