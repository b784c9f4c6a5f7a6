//===- ObjectFileTest.cpp - Tests of the reader of code objects -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small writer makes a code object whose every part a test can spoil.
//
//===----------------------------------------------------------------------===//

#include "heddle/Object/ObjectFile.h"
#include "SampleMetadata.h"
#include "heddle/Object/DebugLayout.h"
#include "heddle/Object/LineTable.h"
#include "llvm/BinaryFormat/ELF.h"
#include "gtest/gtest.h"

using namespace heddle;
using namespace llvm;

namespace {

/// A code object in parts: kernels `full` and `plain`, a global variable in
/// .data, one in .const and shared memory. Section and symbol numbers are the
/// enumerations' order.
struct Sample {
  enum SectionIndex {
    NullSection,
    TextFull,
    TextPlain,
    Data,
    Const,
    Shared,
    RelaFull,
    RelaData,
    Line,
    RelaLine,
    Note,
    SymTab,
    StrTab,
    ShStrTab,
    NumSections
  };
  enum SymbolIndex {
    NullSymbol,
    FullSymbol,
    PlainSymbol,
    DataSymbol,
    ConstSymbol,
    SharedSymbol,
    UndefinedSymbol,
    NumSymbols
  };

  ELF::Elf64_Ehdr Header = {};
  ELF::Elf64_Shdr Headers[NumSections] = {};
  std::string Contents[NumSections];
  ELF::Elf64_Sym Symbols[NumSymbols] = {};
  std::vector<ELF::Elf64_Rela> FullRelocations, DataRelocations,
      LineRelocations;

  Sample();
  std::string write() const;

private:
  uint32_t addString(SectionIndex Table, StringRef Name) {
    uint32_t Offset = Contents[Table].size();
    Contents[Table] += Name.str() + '\0';
    return Offset;
  }
  void addSection(SectionIndex I, StringRef Name, uint32_t Type, uint64_t Flags,
                  uint64_t Align, uint64_t EntrySize = 0) {
    Headers[I].sh_name = addString(ShStrTab, Name);
    Headers[I].sh_type = Type;
    Headers[I].sh_flags = Flags;
    Headers[I].sh_addralign = Align;
    Headers[I].sh_entsize = EntrySize;
  }
  void addSymbol(SymbolIndex I, StringRef Name, uint8_t Type,
                 uint16_t SectionIndex, uint64_t Value, uint64_t Size) {
    Symbols[I].st_name = addString(StrTab, Name);
    Symbols[I].setBindingAndType(ELF::STB_GLOBAL, Type);
    Symbols[I].st_shndx = SectionIndex;
    Symbols[I].st_value = Value;
    Symbols[I].st_size = Size;
  }
};

} // namespace

/// Bytes of the line program from the operand of DW_LNE_set_address on.
static constexpr size_t LineTailBytes = 8 + 2 + 1 + 2 + 2 + 1 + 2 + 3;

/// DWARF 4: offsets 0..31 of the sequence are line 7 of a.cu, 32..47 are
/// line 9.
static std::string lineProgram() {
  std::string Header("\1"                       // minimum instruction length
                     "\1"                       // operations an instruction
                     "\1"                       // default is_stmt
                     "\xfb\xe\xd"               // line base, range, opcodes
                     "\0\1\1\1\1\0\0\0\1\0\0\1" // operand counts
                     "\0"                       // no directories
                     "a.cu\0\0\0\0\0",          // one file
                     6 + 12 + 1 + 9);
  std::string Program("\0\x9\2"          // set_address
                      "\0\0\0\0\0\0\0\0" // relocated
                      "\3\6"             // line += 6
                      "\1"               // copy
                      "\2\x20"           // pc += 32
                      "\3\2"             // line += 2
                      "\1"               // copy
                      "\2\x10"           // pc += 16
                      "\0\1\1",          // end
                      3 + LineTailBytes);
  auto Word = [](uint32_t Value) {
    return std::string(reinterpret_cast<const char *>(&Value), sizeof(Value));
  };
  std::string Rest =
      std::string("\4\0", 2) + Word(Header.size()) + Header + Program;
  return Word(Rest.size()) + Rest;
}

Sample::Sample() {
  memcpy(Header.e_ident,
         "\x7f"
         "ELF\2\1\1",
         7);
  Header.e_type = ELF::ET_REL;
  Header.e_machine = ELFMachine;
  Header.e_version = ELF::EV_CURRENT;
  Header.e_flags = ELFVersion;
  Header.e_ehsize = sizeof(Header);
  Header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  Header.e_shnum = NumSections;
  Header.e_shstrndx = ShStrTab;

  Contents[ShStrTab] = Contents[StrTab] = std::string(1, '\0');
  uint64_t Code = ELF::SHF_ALLOC | ELF::SHF_EXECINSTR;
  addSection(TextFull, ".text.full", ELF::SHT_PROGBITS, Code, 16);
  addSection(TextPlain, ".text.plain", ELF::SHT_PROGBITS, Code, 16);
  addSection(Data, ".data", ELF::SHT_PROGBITS, ELF::SHF_ALLOC | ELF::SHF_WRITE,
             8);
  addSection(Const, ".const", ELF::SHT_PROGBITS, ELF::SHF_ALLOC, 8);
  addSection(Shared, ".shared", ELF::SHT_NOBITS,
             ELF::SHF_ALLOC | ELF::SHF_WRITE, 16);
  addSection(RelaFull, ".rela.text.full", ELF::SHT_RELA, 0, 8,
             sizeof(ELF::Elf64_Rela));
  addSection(RelaData, ".rela.data", ELF::SHT_RELA, 0, 8,
             sizeof(ELF::Elf64_Rela));
  addSection(Line, ".debug_line", ELF::SHT_PROGBITS, 0, 1);
  addSection(RelaLine, ".rela.debug_line", ELF::SHT_RELA, 0, 8,
             sizeof(ELF::Elf64_Rela));
  addSection(Note, NoteSectionName, ELF::SHT_NOTE, 0, 4);
  addSection(SymTab, ".symtab", ELF::SHT_SYMTAB, 0, 8, sizeof(ELF::Elf64_Sym));
  addSection(StrTab, ".strtab", ELF::SHT_STRTAB, 0, 1);
  addSection(ShStrTab, ".shstrtab", ELF::SHT_STRTAB, 0, 1);
  Headers[RelaFull].sh_link = Headers[RelaData].sh_link = SymTab;
  Headers[RelaLine].sh_link = SymTab;
  Headers[RelaLine].sh_info = Line;
  Headers[RelaFull].sh_info = TextFull;
  Headers[RelaData].sh_info = Data;
  Headers[SymTab].sh_link = StrTab;

  Contents[TextFull] = std::string(112, 'i');
  Contents[TextPlain] = std::string(32, 'i');
  Contents[Data] = std::string(16, 'd');
  Contents[Const] = std::string(8, 'c');
  Contents[Line] = lineProgram();
  Contents[Note] = encodeMetadataNote(sampleMetadata());
  Headers[Shared].sh_size = 64;

  addSymbol(FullSymbol, "full", ELF::STT_FUNC, TextFull, 0, 112);
  addSymbol(PlainSymbol, "plain", ELF::STT_FUNC, TextPlain, 0, 32);
  addSymbol(DataSymbol, "data", ELF::STT_OBJECT, Data, 8, 8);
  addSymbol(ConstSymbol, "constant", ELF::STT_OBJECT, Const, 4, 4);
  addSymbol(SharedSymbol, "shared", ELF::STT_OBJECT, Shared, 32, 32);
  addSymbol(UndefinedSymbol, "dynamic", ELF::STT_NOTYPE, ELF::SHN_UNDEF, 0, 0);

  auto Add = [](std::vector<ELF::Elf64_Rela> &Relocations, uint64_t Offset,
                RelocationType Type, uint32_t Symbol, int64_t Addend) {
    ELF::Elf64_Rela R = {};
    R.r_offset = Offset;
    R.setSymbolAndType(Symbol, static_cast<uint32_t>(Type));
    R.r_addend = Addend;
    Relocations.push_back(R);
  };
  using enum RelocationType;
  Add(FullRelocations, 0, R_HEDDLE_ABS64, DataSymbol, 3);
  Add(FullRelocations, 16, R_HEDDLE_ABS32, DataSymbol, -8);
  Add(FullRelocations, 32, R_HEDDLE_PCREL32, PlainSymbol, 16);
  Add(FullRelocations, 48, R_HEDDLE_CONST32, ConstSymbol, 1);
  Add(FullRelocations, 64, R_HEDDLE_SHARED32, SharedSymbol, 2);
  Add(FullRelocations, 80, R_HEDDLE_SHARED32, UndefinedSymbol, 4);
  Add(FullRelocations, 96, R_HEDDLE_NONE, NullSymbol, 0);
  Add(DataRelocations, 0, R_HEDDLE_DATA64, ConstSymbol, 0x7F02LL << 48);
  Add(DataRelocations, 8, R_HEDDLE_DATA32, FullSymbol, 0);
  Add(LineRelocations, Contents[Line].size() - LineTailBytes, R_HEDDLE_DATA64,
      FullSymbol, 0);
}

template <typename T> static std::string bytesOf(ArrayRef<T> Values) {
  return std::string(reinterpret_cast<const char *>(Values.data()),
                     Values.size() * sizeof(T));
}

/// Lays the parts out one after the other. A test that has set an offset or a
/// size (not zero) keeps it.
std::string Sample::write() const {
  std::string All[NumSections];
  std::copy(std::begin(Contents), std::end(Contents), All);
  All[RelaFull] = bytesOf(ArrayRef(FullRelocations));
  All[RelaData] = bytesOf(ArrayRef(DataRelocations));
  All[RelaLine] = bytesOf(ArrayRef(LineRelocations));
  All[SymTab] = bytesOf(ArrayRef(Symbols));
  std::string File(sizeof(Header), '\0');
  ELF::Elf64_Shdr Table[NumSections];
  for (unsigned I = 0; I != NumSections; ++I) {
    Table[I] = Headers[I];
    if (!Table[I].sh_offset)
      Table[I].sh_offset = File.size();
    if (!Table[I].sh_size)
      Table[I].sh_size = All[I].size();
    File += All[I];
  }
  ELF::Elf64_Ehdr H = Header;
  if (!H.e_shoff)
    H.e_shoff = File.size();
  memcpy(File.data(), &H, sizeof(H));
  return File + bytesOf(ArrayRef(Table));
}

static Expected<ObjectFile> read(StringRef File) {
  return ObjectFile::create(arrayRefFromStringRef(File));
}

/// The error of reading the sample after a change; "" if there is none.
static std::string errorAfter(function_ref<void(Sample &)> Change) {
  Sample S;
  Change(S);
  std::string File = S.write();
  Expected<ObjectFile> Object = read(File);
  return Object ? "" : toString(Object.takeError());
}

#define EXPECT_ERROR(Change, Text)                                             \
  EXPECT_EQ(errorAfter([](Sample &S) { Change; }),                             \
            "malformed code object: " Text)

TEST(ObjectFile, ReadsAllParts) {
  std::string File = Sample().write();
  Expected<ObjectFile> Object = read(File);
  ASSERT_TRUE(!!Object) << toString(Object.takeError());
  EXPECT_EQ(Object->sections().size(), unsigned(Sample::NumSections));
  EXPECT_EQ(Object->symbols().size(), unsigned(Sample::NumSymbols));
  EXPECT_EQ(Object->metadata(), sampleMetadata());
  ASSERT_EQ(Object->kernels().size(), 2u);
  const Kernel *Plain = Object->findKernel("plain");
  ASSERT_NE(Plain, nullptr);
  EXPECT_EQ(Plain->Section, unsigned(Sample::TextPlain));
  EXPECT_EQ(Plain->Symbol, unsigned(Sample::PlainSymbol));
  EXPECT_EQ(Object->findKernel("missing"), nullptr);
  EXPECT_EQ(Object->findSection(".const"), unsigned(Sample::Const));
  EXPECT_EQ(Object->sections()[Sample::Const].Kind, LoadKind::Constant);
  EXPECT_EQ(Object->sections()[Sample::Shared].Kind, LoadKind::Shared);
  EXPECT_EQ(Object->sections()[Sample::Shared].Size, 64u);
  EXPECT_TRUE(Object->sections()[Sample::Shared].Contents.empty());
  EXPECT_TRUE(Object->symbols()[Sample::UndefinedSymbol].isUndefined());
  ASSERT_EQ(Object->relocations(Sample::TextFull).size(), 7u);
  EXPECT_EQ(Object->relocations(Sample::TextFull)[1].Addend, -8);
  EXPECT_EQ(relocationName(Object->relocations(Sample::Data)[0].Type),
            "R_HEDDLE_DATA64");
}

TEST(ObjectFile, EveryTruncationIsAnError) {
  std::string File = Sample().write();
  for (size_t Size = 0; Size != File.size(); ++Size) {
    // A copy of its own, so that a sanitizer sees reads past the end.
    std::vector<uint8_t> Cut(File.begin(), File.begin() + Size);
    Expected<ObjectFile> Object = ObjectFile::create(Cut);
    EXPECT_FALSE(!!Object) << Size;
    consumeError(Object.takeError());
  }
}

TEST(ObjectFile, AnyByteMayBeWrong) {
  std::string File = Sample().write();
  for (size_t I = 0; I != File.size(); ++I)
    for (unsigned Value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      std::string Wrong = File;
      Wrong[I] = static_cast<char>(Value);
      Expected<ObjectFile> Object = read(Wrong);
      if (!Object) {
        EXPECT_NE(toString(Object.takeError()), "");
        continue;
      }
      // What was accepted can be relocated, too.
      std::vector<uint64_t> Addresses(Object->sections().size(), 0x1000);
      for (uint32_t S = 1; S != Object->sections().size(); ++S) {
        std::vector<uint8_t> Bytes = Object->sections()[S].Contents.vec();
        consumeError(Object->relocate(S, Addresses, Bytes,
                                      [](const Symbol &, const Relocation &) {
                                        return std::optional<uint64_t>(1);
                                      }));
      }
    }
}

TEST(ObjectFile, HeaderErrors) {
  EXPECT_ERROR(S.Header.e_ident[0] = 0, "no ELF file");
  EXPECT_ERROR(S.Header.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS32,
               "not 64-bit little-endian ELF");
  EXPECT_ERROR(S.Header.e_machine = ELF::EM_X86_64,
               "for machine 0x3E, not Heddle's 0x4844");
  EXPECT_ERROR(S.Header.e_flags = 2, "version 2; this reader knows version 1");
  EXPECT_ERROR(S.Header.e_type = ELF::ET_EXEC, "ELF type 2 is not relocatable");
  EXPECT_ERROR(S.Header.e_shstrndx = 99,
               "section names: string table 99 does not exist");
  EXPECT_NE(errorAfter([](Sample &S) { S.Header.e_shoff = ~0ull - 10; }), "");
  EXPECT_NE(errorAfter([](Sample &S) { S.Header.e_shnum = 0xfe00; }), "");
  EXPECT_NE(errorAfter([](Sample &S) {
              S.Header.e_shnum = 0;
              S.Headers[0].sh_size = ~0ull;
            }),
            "");
}

TEST(ObjectFile, SectionErrors) {
  EXPECT_NE(errorAfter([](Sample &S) {
              S.Headers[Sample::Data].sh_offset = ~0ull - 7;
            })
                .find("section 3 '.data': 0x10 bytes at offset "
                      "0xFFFFFFFFFFFFFFF8 are outside the file"),
            std::string::npos);
  EXPECT_ERROR(S.Headers[Sample::Data].sh_addralign = 3,
               "section 3 '.data': alignment 0x3 is no power of two");
  EXPECT_ERROR(S.Headers[Sample::Data].sh_name = 5000,
               "section 3: name at offset 0x1388 is outside the string table");
  EXPECT_ERROR(S.Contents[Sample::ShStrTab].back() = 'x',
               "section 13: name at offset 0x82 has no end in the string "
               "table");
  EXPECT_ERROR(S.Contents[Sample::TextPlain].pop_back(),
               "section 2 '.text.plain': 0x1F bytes are no whole number of "
               "instructions");
  EXPECT_ERROR(S.Headers[Sample::Shared].sh_size = 1ull << 32,
               "section 5 '.shared': 0x100000000 bytes are over the 32-bit "
               "window");
  EXPECT_ERROR(S.Headers[Sample::Note].sh_type = ELF::SHT_PROGBITS,
               "section 10 '.note.heddle': is no note");
  EXPECT_ERROR(S.Contents[Sample::Note].resize(20),
               ".note.heddle: note at offset 0 needs 990 bytes, and 20 are "
               "left");
}

TEST(ObjectFile, SymbolErrors) {
  EXPECT_ERROR(S.Symbols[Sample::DataSymbol].st_shndx = 77,
               "symbol 3 'data': section 0x4D does not exist");
  EXPECT_ERROR(S.Symbols[Sample::DataSymbol].st_value = ~0ull,
               "symbol 3 'data': 0x8 bytes at 0xFFFFFFFFFFFFFFFF are outside "
               "section 3 '.data' of 0x10 bytes");
  EXPECT_ERROR(S.Symbols[Sample::DataSymbol].st_size = ~0ull,
               "symbol 3 'data': 0xFFFFFFFFFFFFFFFF bytes at 0x8 are outside "
               "section 3 '.data' of 0x10 bytes");
  EXPECT_ERROR(S.Symbols[Sample::DataSymbol].setType(ELF::STT_TLS),
               "symbol 3 'data': binding 1 and type 6 are not known");
  EXPECT_ERROR(S.Symbols[Sample::DataSymbol].setType(ELF::STT_FUNC),
               "symbol 3 'data': a function that is not at an instruction");
  EXPECT_ERROR(S.Symbols[Sample::ConstSymbol].st_name =
                   S.Symbols[Sample::DataSymbol].st_name,
               "symbol 'data' is defined twice");
  EXPECT_ERROR(S.Headers[Sample::SymTab].sh_entsize = 0,
               "section 11 '.symtab': entry size is 0, not 24");
  EXPECT_ERROR(S.Headers[Sample::SymTab].sh_link = 200,
               "section 11 '.symtab': string table 200 does not exist");
  EXPECT_ERROR(S.Symbols[Sample::PlainSymbol].setType(ELF::STT_NOTYPE),
               "kernel 'plain' has no code");
}

TEST(ObjectFile, RelocationErrors) {
  EXPECT_ERROR(S.FullRelocations[0].setType(8),
               "section 6 '.rela.text.full': relocation 0: unknown type 8");
  EXPECT_ERROR(S.FullRelocations[0].setSymbol(1000),
               "section 6 '.rela.text.full': relocation 0: symbol 1000 does "
               "not exist");
  EXPECT_ERROR(S.FullRelocations[0].r_offset = 104,
               "section 6 '.rela.text.full': relocation 0: R_HEDDLE_ABS64 at "
               "0x68 is outside the contents of section 1 '.text.full'");
  EXPECT_ERROR(S.FullRelocations[0].r_offset = ~0ull,
               "section 6 '.rela.text.full': relocation 0: R_HEDDLE_ABS64 at "
               "0xFFFFFFFFFFFFFFFF is outside the contents of section 1 "
               "'.text.full'");
  EXPECT_ERROR(S.FullRelocations[0].r_offset = 4,
               "section 6 '.rela.text.full': relocation 0: R_HEDDLE_ABS64 at "
               "0x4 of section 1 '.text.full' is not at an instruction");
  EXPECT_ERROR(S.FullRelocations[3].setSymbol(Sample::DataSymbol),
               "section 6 '.rela.text.full': relocation 3: R_HEDDLE_CONST32 "
               "cannot refer to 'data' in section 3 '.data'");
  EXPECT_ERROR(S.Headers[Sample::RelaData].sh_info = Sample::Shared,
               "section 7 '.rela.data': relocation 0: R_HEDDLE_DATA64 at 0x0 "
               "is outside the contents of section 5 '.shared'");
  EXPECT_ERROR(S.Headers[Sample::RelaData].sh_info = Sample::TextFull,
               "section 7 '.rela.data': a second relocation section of "
               "section 1 '.text.full'");
  EXPECT_ERROR(S.Headers[Sample::RelaData].sh_type = ELF::SHT_REL,
               "section 7 '.rela.data': relocations without addends");
}

//===----------------------------------------------------------------------===//
// Relocation
//===----------------------------------------------------------------------===//

namespace {

struct Loaded {
  std::string File = Sample().write();
  std::optional<ObjectFile> Object;
  std::vector<uint64_t> Addresses;

  Loaded() {
    if (Expected<ObjectFile> Read = read(File))
      Object = std::move(*Read);
    Addresses.assign(Sample::NumSections, 0);
    Addresses[Sample::TextFull] = 0x10000;
    Addresses[Sample::TextPlain] = 0x8000;
    Addresses[Sample::Data] = 0x20000000;
    Addresses[Sample::Const] = 0x100;
    Addresses[Sample::Shared] = 0x40;
  }

  /// The section after relocation; an error's text in its place.
  std::string relocate(uint32_t Index, std::optional<uint64_t> Dynamic) {
    std::vector<uint8_t> Bytes = Object->sections()[Index].Contents.vec();
    Error Err = Object->relocate(
        Index, Addresses, Bytes,
        [&](const Symbol &S, const Relocation &) -> std::optional<uint64_t> {
          EXPECT_EQ(S.Name, "dynamic");
          return Dynamic;
        });
    if (Err)
      return toString(std::move(Err));
    return std::string(Bytes.begin(), Bytes.end());
  }
};

} // namespace

static uint64_t field(StringRef Bytes, size_t Offset, unsigned Size) {
  uint64_t Value = 0;
  memcpy(&Value, Bytes.data() + Offset, Size);
  return Value;
}

TEST(Relocate, FillsFieldsAndNothingElse) {
  Loaded L;
  std::string Bytes = L.relocate(Sample::TextFull, 0x80);
  ASSERT_EQ(Bytes.size(), 112u) << Bytes;
  EXPECT_EQ(field(Bytes, 4, 8), 0x2000000bu);  // data + 3
  EXPECT_EQ(field(Bytes, 20, 4), 0x20000000u); // data - 8
  EXPECT_EQ(field(Bytes, 36, 4), 0xffff7fe0u); // plain + 16 - next
  EXPECT_EQ(field(Bytes, 52, 4), 0x105u);      // constant + 1
  EXPECT_EQ(field(Bytes, 68, 4), 0x62u);       // shared + 2
  EXPECT_EQ(field(Bytes, 84, 4), 0x84u);       // dynamic + 4
  EXPECT_EQ(std::count(Bytes.begin(), Bytes.end(), 'i'), 112 - 8 - 5 * 4);
  Bytes = L.relocate(Sample::Data, 0);
  EXPECT_EQ(field(Bytes, 0, 8), 0x7F02000000000104u); // generic address
  EXPECT_EQ(field(Bytes, 8, 4), 0x10000u);
}

TEST(Relocate, WhatDoesNotFitIsAnError) {
  Loaded L;
  L.Addresses[Sample::Data] = 0x100000000;
  EXPECT_EQ(L.relocate(Sample::TextFull, 0),
            "relocation R_HEDDLE_ABS32 at 0x10 of section '.text.full': "
            "0x100000000 for symbol 'data' does not fit");
  Loaded M;
  M.Addresses[Sample::TextPlain] = 0x80010020;
  EXPECT_EQ(M.relocate(Sample::TextFull, 0),
            "relocation R_HEDDLE_PCREL32 at 0x20 of section '.text.full': "
            "0x80000000 for symbol 'plain' does not fit");
  Loaded N;
  EXPECT_EQ(N.relocate(Sample::TextFull, 0xfffffffc),
            "relocation R_HEDDLE_SHARED32 at 0x50 of section '.text.full': "
            "0x100000000 for symbol 'dynamic' does not fit");
}

TEST(Relocate, UndefinedSymbolsAreErrors) {
  EXPECT_EQ(Loaded().relocate(Sample::TextFull, std::nullopt),
            "undefined symbol 'dynamic' in section '.text.full'");
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

TEST(Lines, AreFoundBySectionAndOffset) {
  std::string File = Sample().write();
  Expected<ObjectFile> Object = read(File);
  ASSERT_TRUE(!!Object) << toString(Object.takeError());
  Expected<LineTable> Lines = LineTable::create(*Object);
  ASSERT_TRUE(!!Lines) << toString(Lines.takeError());
  auto LineOf = [&](uint32_t Section, uint64_t Offset) {
    std::optional<SourceLine> Found = Lines->lookup(Section, Offset);
    return Found ? (Found->File + ":" + Twine(Found->Line)).str() : "";
  };
  EXPECT_EQ(LineOf(Sample::TextFull, 0), "a.cu:7");
  EXPECT_EQ(LineOf(Sample::TextFull, 31), "a.cu:7");
  EXPECT_EQ(LineOf(Sample::TextFull, 32), "a.cu:9");
  EXPECT_EQ(LineOf(Sample::TextFull, 47), "a.cu:9");
  EXPECT_EQ(LineOf(Sample::TextFull, 48), "");
  EXPECT_EQ(LineOf(Sample::TextPlain, 0), "");
  EXPECT_EQ(LineOf(Sample::NullSection, 0), "");
}

TEST(Lines, StayWhenTheDebugInformationIsLaidOut) {
  std::string File = Sample().write();
  Expected<ObjectFile> Before = read(File);
  ASSERT_TRUE(!!Before) << toString(Before.takeError());
  Expected<std::string> Laid = layOutDebugInfo(*Before);
  ASSERT_TRUE(!!Laid) << toString(Laid.takeError());
  Expected<ObjectFile> Object = read(*Laid);
  ASSERT_TRUE(!!Object) << toString(Object.takeError());
  auto Find = [&](StringRef Name) { return *Object->findSection(Name); };
  uint32_t Full = Find(".text.full"), Plain = Find(".text.plain");
  EXPECT_EQ(Object->sections()[Full].Address, 0u);
  EXPECT_EQ(Object->sections()[Plain].Address, 112u);
  // It can be linked further: the relocations are where only we find them.
  EXPECT_EQ(Object->relocations(Find(".debug_line")).size(),
            Before->relocations(Sample::Line).size());
  EXPECT_EQ(Object->sections()[Find(".rela.debug_line")].Type,
            DebugRelocationsType);
  EXPECT_EQ(Object->relocations(Full).size(),
            Before->relocations(Sample::TextFull).size());
  EXPECT_EQ(Object->relocations(Find(".data")).size(),
            Before->relocations(Sample::Data).size());
  EXPECT_EQ(Object->kernels().size(), Before->kernels().size());
  Expected<LineTable> Lines = LineTable::create(*Object);
  ASSERT_TRUE(!!Lines) << toString(Lines.takeError());
  EXPECT_EQ(Lines->lookup(Full, 0)->Line, 7u);
  EXPECT_EQ(Lines->lookup(Full, 32)->Line, 9u);
  EXPECT_FALSE(Lines->lookup(Full, 48));
  EXPECT_FALSE(Lines->lookup(Plain, 0));
  Expected<std::string> Again = layOutDebugInfo(*Object);
  ASSERT_TRUE(!!Again) << toString(Again.takeError());
  EXPECT_EQ(*Again, *Laid);
}

TEST(Lines, AnyByteMayBeWrong) {
  size_t Size = Sample().Contents[Sample::Line].size();
  for (size_t I = 0; I != Size; ++I)
    for (unsigned Value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      Sample S;
      S.Contents[Sample::Line][I] = static_cast<char>(Value);
      std::string File = S.write();
      Expected<ObjectFile> Object = read(File);
      ASSERT_TRUE(!!Object) << toString(Object.takeError());
      Expected<LineTable> Lines = LineTable::create(*Object);
      if (!Lines)
        consumeError(Lines.takeError());
    }
}

TEST(Lines, NoneWithoutDebugInformation) {
  Sample S;
  S.Headers[Sample::Line].sh_name = S.Headers[Sample::Data].sh_name;
  std::string File = S.write();
  Expected<ObjectFile> Object = read(File);
  ASSERT_TRUE(!!Object) << toString(Object.takeError());
  Expected<LineTable> Lines = LineTable::create(*Object);
  ASSERT_TRUE(!!Lines);
  EXPECT_TRUE(Lines->empty());
}
